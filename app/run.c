/* app/run.c  visviva run: reads a scene, runs it, writes the result folder, reports contacts and claims. */
#include "app.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---- the folder ---- */

/* out/STEM of folder/STEM.yaml */
static bool default_folder(const char *scene, char *out, size_t size)
{
  const char *slash = strrchr(scene, '/'), *name = slash != NULL ? slash + 1 : scene, *dot = strrchr(name, '.');
  if (strcmp(scene, "-") == 0) name = "stdin";
  const int length = dot != NULL && dot != name ? (int)(dot - name) : (int)strlen(name);
  const int n = snprintf(out, size, "out/%.*s", length, name);
  return n >= 0 && (size_t)n < size;
}

static bool holds_a_run(const char *folder)
{
  static const char *const name[] = {"scene.yaml", "ledger.csv", "events.csv",    "contacts.csv", "probes.csv",
                                     "bodies.csv", "results.h5", "checkpoint.h5", "summary.json", "paraview"};
  char path[APP_PATH];
  for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
    if (app_join(path, sizeof path, folder, name[i]) && app_exists(path)) return true;
  return false;
}

static bool has_checkpoint(const app_run *r)
{
  char path[APP_PATH];
  return app_join(path, sizeof path, r->folder, "checkpoint.h5") && app_exists(path);
}

bool app_run_folder_fits(const app_run *r)
{
  const bool begun = holds_a_run(r->folder), can_go_on = has_checkpoint(r);
  if (app_exists(r->folder) && !app_is_folder(r->folder)) {
    app_error("%s: is a file, not a folder; name another one with -o", r->folder);
    return false;
  }
  if (vv_sweep_is(r->folder)) {
    app_error("%s: holds a sweep; name another folder with -o", r->folder);
    return false;
  }
  if (r->resume ? can_go_on : r->overwrite || !begun) return true;
  if (!begun)
    app_error("%s: holds no checkpoint.h5, so there is nothing to resume; leave --resume out to start", r->folder);
  else
    app_error("%s: holds a run %s; %sreplace it with --overwrite, or name another folder with -o", r->folder,
              can_go_on ? "already" : "that ended before its first checkpoint",
              can_go_on ? "continue it with --resume, " : "");
  return false;
}

/* ---- the run ---- */

/* What ranks that are cut anew go on from; the files of the folder stay open on the way. */
static bool path_of_move(const app_run *r, char path[APP_PATH])
{
  return app_join(path, APP_PATH, r->folder, "moving.h5");
}

static vv_status restore(app_run *r)
{
  char path[APP_PATH];
  vv_ledger *ledger;
  vv_status status = vv_ledger_create(&ledger);
  if (status == VV_OK && r->moved)
    status = path_of_move(r, path) ? vv_checkpoint_load(r->scene.model, path, r->scene.state, ledger) : VV_ARG;
  else if (status == VV_OK)
    status = vv_checkpoint_read(r->scene.model, r->folder, r->scene.state, ledger);
  if (status == VV_OK) app_warnings(r->scene.ctx);
  if (status == VV_OK) status = vv_sim_restore(r->sim, ledger);
  vv_ledger_destroy(ledger);
  return status;
}

static vv_status adopt(app_run *r)
{
  double lost;
  const vv_status status = vv_sim_adopt(r->sim, r->book, &lost);
  if (status == VV_OK && !r->quiet)
    app_hint("goes on with %s at t = %.9g on other grids; %s %.3g of energy, booked as %s", r->from, r->scene.state->t,
             lost >= 0 ? "they lost" : "they brought", lost >= 0 ? lost : -lost,
             lost >= 0 ? "step_loss" : "external_work");
  return status;
}

/* No file is cut short by the alarm that ends a step which takes too long. */
static vv_status observe(const vv_view *view, void *results)
{
  if (view->last) app_signals_calm();
  return vv_results_observe(view, results);
}

/* Order matters: signals are watched before the first file is written. */
static vv_status prepare(app_run *r)
{
  vv_sim_def def = vv_sim_default();
  vv_results_def files = vv_results_default();
  def.check_structure = r->check_structure;
  files.folder = r->folder;
  files.resume = r->resume;
  files.overwrite = r->overwrite;
  vv_status status = vv_sim_create(r->scene.model, r->scene.state, &def, &r->sim);
  if (status == VV_OK && (r->resume || r->moved)) status = restore(r);
  if (status == VV_OK && r->book != NULL) status = adopt(r);
  if (status != VV_OK) return status;
  const bool writes = r->net == NULL || r->net->rank == 0; /* one rank does, and has an eye on the clock for all */
  app_watch_signals(r->sim, writes);
  if (!writes) return VV_OK;
  r->output = true; /* from here on a file that fails is an output */
  status =
      r->moved ? vv_results_move(r->results, r->scene.model) : vv_results_create(r->scene.model, &files, &r->results);
  if (status != VV_OK) return status;
  app_warnings(r->scene.ctx); /* such as a damaged file that was put aside */
  return vv_sim_observe_when(r->sim, vv_results_next, observe, r->results);
}

static vv_status advance(app_run *r)
{
  app_progress progress = {0};
  if (!r->quiet && isatty(STDERR_FILENO)) app_progress_watch(&progress, r->sim);
  const vv_status status = vv_sim_run(r->sim, &r->report);
  vv_sim_poll(r->sim, NULL, NULL);
  app_signals_calm();
  app_progress_clear(&progress);
  return status;
}

/* summary.json and the last buffers; all are tried, the first failure counts. */
static vv_status finish(app_run *r, vv_status status)
{
  if (r->results == NULL) return status;
  const vv_status written = vv_results_summary(r->results, r->sim, &r->report);
  const vv_status closed = vv_results_close(r->results);
  r->results = NULL;
  if (status == VV_OK) status = written;
  return status == VV_OK ? closed : status;
}

/* From the last checkpoint, or from the start where none was written; before: what is said, or to be done, first. */
static void say_how_to_resume(const app_run *r, const char *what, const char *before)
{
  const bool kept = has_checkpoint(r);
  const char *how = kept ? "continue with" : "begin anew (there is no checkpoint yet) with";
  const char *option = kept ? "--resume" : "--overwrite";
  if (r->again != NULL) {
    app_hint("%s at step %lld of %lld; %s%s: %s %s", what, (long long)r->scene.state->step,
             (long long)vv_model_steps(r->scene.model), before, how, r->again, option);
    return;
  }
  const char *program = r->net != NULL ? "mpiexec -n RANKS visviva-mpi" : "visviva";
  char scene[APP_PATH], folder[APP_PATH], word[APP_PATH], set[APP_PATH] = "";
  for (int i = 0; i < r->set.n; i++)
    snprintf(set + strlen(set), sizeof set - strlen(set), " --set %.200s",
             app_quote(word, sizeof word, r->set.value[i]));
  app_hint("%s at step %lld of %lld; %s%s: %s run %s -o %s%s %s", what, (long long)r->scene.state->step,
           (long long)vv_model_steps(r->scene.model), before, how, program, app_quote(scene, sizeof scene, r->path),
           app_quote(folder, sizeof folder, r->folder), set, option);
}

static int stopped(const app_run *r, vv_status status)
{
  const vv_reason reason = r->report.reason;
  if (status != VV_OK) {
    app_messages(r->scene.ctx, status);
    say_how_to_resume(r, "output failed",
                      has_checkpoint(r) ? "the last checkpoint is kept; make room, then " : "make room, then ");
  } else if (reason == VV_REASON_INTERRUPTED) {
    say_how_to_resume(r, "interrupted", "");
  } else {
    app_error("%s%s%s", vv_reason_text(reason), r->report.message[0] != '\0' ? ": " : "", r->report.message);
    app_hint(
        "stopped at step %lld of %lld; the last checkpoint is kept; mend the scene and run it again with --overwrite",
        (long long)r->scene.state->step, (long long)vv_model_steps(r->scene.model));
  }
  return APP_STOPPED;
}

#ifdef VV_MPI
/* Rank 0 leaves what all of them go on from; false: nothing moves. */
static bool leave_for_move(app_run *r, vv_status *status)
{
  char path[APP_PATH];
  if (r->report.reason != VV_REASON_INTERRUPTED || !app_ranks_recut()) return false;
  if (r->net->rank == 0 && *status == VV_OK)
    *status = path_of_move(r, path) ? vv_checkpoint_save(r->sim, path) : VV_ARG;
  if (!app_ranks_agree(r->net, *status == VV_OK)) return false;
  if (!r->quiet) app_hint("step %lld: the work of the ranks is cut anew", (long long)r->scene.state->step);
  return true;
}

/* All have read it. */
static void arrive_from_move(const app_run *r)
{
  char path[APP_PATH];
  if (r->moved && r->net->rank == 0 && path_of_move(r, path)) remove(path);
}
#endif

static int run(app_run *r)
{
  vv_status status = prepare(r);
#ifdef VV_MPI
  if (r->net != NULL && !app_ranks_agree(r->net, status == VV_OK) && status == VV_OK) return APP_STOPPED;
  arrive_from_move(r);
#endif
  if (status != VV_OK) {
    app_messages(r->scene.ctx, status);
    return status == VV_NOMEM || (status == VV_IO && r->output) ? APP_STOPPED : APP_INPUT;
  }
  status = advance(r);
#ifdef VV_MPI
  r->recut = leave_for_move(r, &status);
  if (r->recut) return APP_DONE;
#endif
  status = finish(r, status);
  const bool ended = r->report.reason == VV_REASON_DONE || r->report.reason == VV_REASON_STOPPED;
  if (status != VV_OK || !ended) return stopped(r, status);
  if (!r->quiet && r->report.reason == VV_REASON_STOPPED) app_hint("stopped by the scene at %s", r->report.message);
  if (!r->quiet) app_print_summary(r);
  app_warnings(r->scene.ctx); /* of what happened on the way */
  app_warn_of_elements(r);
  return app_broken_claims(r) > 0 ? APP_BROKEN : APP_DONE;
}

/* The start of a second scene is where this one shall end: momenta are found that lead there. */
static bool arrive(app_run *r)
{
  app_scene end;
  vv_arrival found;
  char names[APP_EDIT_BYTES];
  app_edit edit[APP_MAX_VALUES];
  if (!app_edits_read(&r->set, names, sizeof names, edit)) return false;
  if (!app_scene_open_edited(&end, r->arrive, r->threads, r->device, 0, edit, NULL)) return false;
  const vv_status status = vv_sim_arrive(r->scene.model, r->scene.state, end.model, end.state, &found);
  if (status != VV_OK) app_messages(r->scene.ctx, status);
  if (status == VV_OK && !r->quiet)
    app_hint("momenta that arrive at %s: %d iterations, %.2g m or rad left", r->arrive, found.iterations,
             found.distance);
  app_scene_close(&end);
  return status == VV_OK;
}

/* The scene again with a step that divides the time t at which it begins. */
static bool fit_step(app_run *r, int n, app_edit *edit, double t)
{
  const double h = vv_model_step(r->scene.model), steps = t > 0 ? ceil(t / h * (1 - 1e-12)) : 1;
  char value[40];
  if (t <= 0 || fabs(steps * h - t) <= 1e-10 * h) return true;
  snprintf(value, sizeof value, "%.17g", t / steps);
  edit[n] = (app_edit){"time.step", value};
  app_scene_close(&r->scene);
  return app_scene_open_edited(&r->scene, r->path, r->threads, r->device, n + 1, edit, r->net);
}

/* The state and the book of another run, whose bars and beams have other grids.  False: reported. */
static bool take_over(app_run *r, int n, app_edit *edit)
{
  char path[APP_PATH];
  app_scene old;
  if (!app_join(path, sizeof path, r->from, "scene.yaml") || !app_scene_open_edited(&old, path, 1, NULL, 0, NULL, NULL))
    return false;
  vv_status status = vv_ledger_create(&r->book);
  if (status == VV_OK) status = vv_checkpoint_read(old.model, r->from, old.state, r->book);
  if (status != VV_OK) app_messages(old.ctx, status);
  bool fits = status == VV_OK && fit_step(r, n, edit, old.state->t);
  if (fits) {
    status = vv_sim_transfer(old.model, old.state, r->scene.model, r->scene.state);
    if (status != VV_OK) app_messages(r->scene.ctx, status);
    fits = status == VV_OK;
  }
  app_scene_close(&old);
  return fits;
}

static int open_and_run(app_run *r)
{
  char names[APP_EDIT_BYTES];
  app_edit edit[APP_MAX_VALUES + 1];
  if (!app_edits_read(&r->set, names, sizeof names, edit)) return APP_INPUT;
  const bool open = app_scene_open_edited(&r->scene, r->path, r->threads, r->device, r->set.n, edit, r->net);
#ifdef VV_MPI
  if (r->net != NULL && !app_ranks_agree(r->net, open) && open) return APP_INPUT;
#endif
  if (!open) {
    char scene[APP_PATH];
    if (app_exists(r->path))
      app_hint("nothing was run; see `visviva help scene`, and try `visviva check %s` after a change",
               app_quote(scene, sizeof scene, r->path));
    return APP_INPUT;
  }
  if ((r->arrive != NULL && !arrive(r)) || (r->from != NULL && !take_over(r, r->set.n, edit))) {
    app_scene_close(&r->scene);
    return APP_INPUT;
  }
  const int code = app_run_scene(r);
  vv_ledger_destroy(r->book);
  return code;
}

int app_run_scene(app_run *r)
{
  const int code = run(r);
  app_watch_signals(NULL, false);
  r->hash = vv_state_hash(r->scene.state);
  if (r->results != NULL && !r->recut && vv_results_close(r->results) != VV_OK) app_messages(r->scene.ctx, VV_IO);
  vv_sim_destroy(r->sim);
  app_scene_close(&r->scene);
  return code;
}

#ifdef VV_MPI
/* Tiles go to other ranks as a resume does it, but the files of the folder go on as they are. */
static int run_and_recut(app_run *r)
{
  int code = open_and_run(r);
  while (r->recut) {
    r->sim = NULL, r->book = NULL, r->overwrite = r->recut = false;
    r->from = r->arrive = NULL, r->moved = true;
    code = open_and_run(r);
  }
  return code;
}

/* Rank 0 alone looks at the folder, which it is about to write. */
static int run_over_ranks(app_run *r)
{
  int code = APP_INPUT;
  if (!app_ranks_begin(&r->net)) return APP_INPUT;
  if (app_ranks_agree(r->net, r->net->rank > 0 || app_run_folder_fits(r))) code = run_and_recut(r);
  app_ranks_end();
  return code;
}
#endif

int app_verb_run(int argc, char **argv)
{
  app_run r = {0};
  const char *folder = NULL, *threads = NULL;
  const app_option option[] = {
      {.name = "--output", .brief = "-o", .value = &folder},
      {.name = "--threads", .value = &threads},
      {.name = "--device", .value = &r.device},
      {.name = "--set", .many = &r.set},
      {.name = "--resume", .flag = &r.resume},
      {.name = "--overwrite", .flag = &r.overwrite},
      {.name = "--quiet", .brief = "-q", .flag = &r.quiet},
      {.name = "--check-structure", .flag = &r.check_structure},
      {.name = "--arrive", .value = &r.arrive},
      {.name = "--from", .value = &r.from},
  };
  app_line line = {.verb = "run",
                   .option = option,
                   .n_option = 10,
                   .needs = "a scene file, or - for standard input",
                   .least = 1,
                   .most = 1};
  int code;
  if (!app_line_read(&line, argc, argv, &code)) return code;
  if (threads != NULL && !app_whole("--threads", threads, 1, 1024, &r.threads)) return APP_INPUT;
  if (r.from != NULL && (r.resume || r.arrive != NULL))
    return app_error("--from begins with the state of another run: leave --resume and --arrive out");
  if (r.resume && r.arrive != NULL) return app_error("--resume goes on with the momenta it has: leave --arrive out");
  if (r.resume && r.overwrite) return app_error("--resume continues a run, --overwrite replaces it: give one of them");
  r.path = line.word[0];
  const bool fits = folder != NULL ? (size_t)snprintf(r.folder, sizeof r.folder, "%s", folder) < sizeof r.folder
                                   : default_folder(r.path, r.folder, sizeof r.folder);
  if (!fits) return app_error("the path of the result folder is too long");
#ifdef VV_MPI
  return run_over_ranks(&r);
#else
  return app_run_folder_fits(&r) ? open_and_run(&r) : APP_INPUT;
#endif
}
