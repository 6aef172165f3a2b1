/* app/sweep.c  visviva sweep: a plan, its cases, one table. */
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

static vv_ctx *one_thread(const char *device)
{
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  def.threads = 1, def.device = device;
  if (vv_ctx_create(&def, &ctx) != VV_OK) app_error("out of memory");
  return ctx;
}

static int code_of(vv_status status)
{
  return status == VV_OK ? APP_DONE : status == VV_NOMEM ? APP_STOPPED : APP_INPUT;
}

/* ---- new ---- */

static int sweep_new(int argc, char **argv)
{
  const char *folder = NULL;
  bool overwrite = false;
  const app_option option[] = {{.name = "--output", .brief = "-o", .value = &folder},
                               {.name = "--overwrite", .flag = &overwrite}};
  app_line line = {.verb = "sweep", .option = option, .n_option = 2, .needs = "a plan", .least = 1, .most = 1};
  char quoted[APP_PATH];
  int code;
  if (!app_line_read(&line, argc, argv, &code)) return code;
  if (folder == NULL) return app_error("sweep new needs a folder: -o DIR");
  vv_ctx *ctx = one_thread(NULL);
  if (ctx == NULL) return APP_STOPPED;
  vv_sweep *sweep = NULL;
  vv_status status = vv_sweep_new(ctx, line.word[0], folder, overwrite);
  if (status == VV_OK) app_warnings(ctx);
  if (status == VV_OK) status = vv_sweep_open(ctx, folder, &sweep);
  if (status != VV_OK) app_messages(ctx, status);
  if (status == VV_OK)
    printf("%lld case%s; run them with: visviva sweep run %s\n", (long long)vv_sweep_cases(sweep),
           app_plural(vv_sweep_cases(sweep)), app_quote(quoted, sizeof quoted, folder));
  vv_sweep_close(sweep);
  vv_ctx_destroy(ctx);
  return code_of(status);
}

/* ---- table ---- */

static void print_counts(const vv_sweep_count *n)
{
  printf("cases                %lld\n", (long long)n->cases);
  for (int e = 0; e < VV_CASE_ENDS; e++)
    if (n->ended[e] > 0) printf("  %-18s %lld\n", vv_case_text((vv_case_end)e), (long long)n->ended[e]);
}

/* 2: not all cases have an answer; 3: some broke a claim. */
static int judge(const vv_sweep_count *n)
{
  const int64_t whole = n->ended[VV_CASE_DONE] + n->ended[VV_CASE_STOPPED] + n->ended[VV_CASE_BROKEN];
  if (whole < n->cases) return APP_STOPPED;
  return n->ended[VV_CASE_BROKEN] > 0 ? APP_BROKEN : APP_DONE;
}

static int make_table(sweep_run *r)
{
  static const char *const name[] = {"table.csv", "table.h5", "summary.csv"};
  vv_sweep_count n;
  char clean[APP_PATH];
  const vv_status status = vv_sweep_table(r->sweep, &n);
  if (status != VV_OK) {
    app_messages(r->ctx, status);
    return APP_STOPPED;
  }
  if (!r->quiet) {
    print_counts(&n);
    printf("files in %s\n", app_clean(clean, sizeof clean, r->folder));
    for (int i = 0; i < 3; i++) app_list_file(r->folder, name[i]);
  }
  return judge(&n);
}

int sweep_conclude(sweep_run *r, bool finished)
{
  char folder[APP_PATH];
  const int code = make_table(r);
  if (!finished)
    app_hint("not finished; go on with: visviva sweep run %s", app_quote(folder, sizeof folder, r->folder));
  return finished ? code : APP_STOPPED;
}

/* ---- run ---- */

int64_t *sweep_list_left(sweep_run *r, int64_t *n)
{
  int64_t *list = malloc(sizeof *list * (size_t)(vv_sweep_cases(r->sweep) + 1));
  *n = list != NULL ? vv_sweep_left(r->sweep, r->share, r->shares, list) : -1;
  if (list == NULL) app_error("out of memory");
  if (list != NULL && *n < 0) app_messages(r->ctx, VV_IO);
  if (*n >= 0) {
    app_warnings(r->ctx);
    return list;
  }
  free(list);
  return NULL;
}

#ifndef VV_MPI
int sweep_farm(sweep_run *r)
{
  sweep_source source = {0};
  source.list = sweep_list_left(r, &source.n);
  if (source.list == NULL) return APP_INPUT;
  if (r->jobs > source.n) r->jobs = source.n > 0 ? (int)source.n : 1;
  const bool finished = sweep_supervise(r, &source);
  free(source.list);
  return sweep_conclude(r, finished);
}
#endif

/* "2/4": the second of four, or, as arrays of jobs count, "0/4" to "3/4". */
static bool read_share(const char *text, int *share, int *shares)
{
  char end;
  if (sscanf(text, "%d/%d%c", share, shares, &end) == 2 && *shares >= 1 && *share >= 0 && *share < *shares) return true;
  app_error("--share must be I/N with I from 0 to N - 1, such as 0/4, not '%s'", text);
  return false;
}

static int sweep_run_cases(int argc, char **argv)
{
  const char *jobs = NULL, *share = NULL, *device = NULL;
  sweep_run r = {.jobs = 1, .shares = 1};
  const app_option option[] = {{.name = "--jobs", .brief = "-j", .value = &jobs},
                               {.name = "--share", .value = &share},
                               {.name = "--device", .value = &device},
                               {.name = "--quiet", .brief = "-q", .flag = &r.quiet}};
  app_line line = {
      .verb = "sweep", .option = option, .n_option = 4, .needs = "the folder of a sweep", .least = 1, .most = 1};
  int code;
  if (!app_line_read(&line, argc, argv, &code)) return code;
  if (jobs != NULL && !app_whole("--jobs", jobs, 1, 1024, &r.jobs)) return APP_INPUT;
  if (share != NULL && !read_share(share, &r.share, &r.shares)) return APP_INPUT;
  r.folder = line.word[0];
  r.ctx = one_thread(device);
  if (r.ctx == NULL) return APP_STOPPED;
  const vv_status status = vv_sweep_open(r.ctx, r.folder, &r.sweep);
  if (status != VV_OK) app_messages(r.ctx, status);
  code = status == VV_OK ? sweep_farm(&r) : code_of(status);
  vv_sweep_close(r.sweep);
  vv_ctx_destroy(r.ctx);
  return code;
}

static int sweep_table(int argc, char **argv)
{
  sweep_run r = {0};
  const app_option option[] = {{.name = "--quiet", .brief = "-q", .flag = &r.quiet}};
  app_line line = {
      .verb = "sweep", .option = option, .n_option = 1, .needs = "the folder of a sweep", .least = 1, .most = 1};
  int code;
  if (!app_line_read(&line, argc, argv, &code)) return code;
  r.folder = line.word[0];
  r.ctx = one_thread(NULL);
  if (r.ctx == NULL) return APP_STOPPED;
  const vv_status status = vv_sweep_open(r.ctx, r.folder, &r.sweep);
  if (status != VV_OK) app_messages(r.ctx, status);
  code = status == VV_OK ? make_table(&r) : code_of(status);
  vv_sweep_close(r.sweep);
  vv_ctx_destroy(r.ctx);
  return code;
}

/* ---- case ---- */

static int compare_hash(vv_sweep *sweep, int64_t number, const app_run *r)
{
  uint64_t row;
  if (!vv_sweep_hash(sweep, number, &row)) return APP_DONE;
  if (row == r->hash) {
    if (!r->quiet) printf("row of the sweep     the same state hash\n");
    return APP_DONE;
  }
  app_error("the row of case %lld has the state hash %016llx, this run %016llx: another machine or another build?",
            (long long)number, (unsigned long long)row, (unsigned long long)r->hash);
  return APP_BROKEN;
}

static int run_case(vv_sweep *sweep, int64_t number, app_run *r)
{
  vv_ctx_def def = vv_ctx_default();
  def.threads = r->threads, def.device = r->device;
  vv_status status = vv_ctx_create(&def, &r->scene.ctx);
  if (status == VV_OK) status = vv_sweep_scene(sweep, number, r->scene.ctx, &r->scene.spec);
  if (status == VV_OK) status = vv_compile(r->scene.ctx, r->scene.spec, &r->scene.model, &r->scene.state);
  if (status != VV_OK) {
    app_messages(r->scene.ctx, status);
    app_scene_close(&r->scene);
    return code_of(status);
  }
  app_warnings(r->scene.ctx);
  const int code = app_run_scene(r);
  if (code != APP_DONE && code != APP_BROKEN) return code;
  const int same = compare_hash(sweep, number, r);
  return same != APP_DONE ? same : code;
}

static int sweep_case(int argc, char **argv)
{
  const char *folder = NULL, *threads = NULL;
  app_run r = {0};
  const app_option option[] = {{.name = "--output", .brief = "-o", .value = &folder},
                               {.name = "--threads", .value = &threads},
                               {.name = "--device", .value = &r.device},
                               {.name = "--resume", .flag = &r.resume},
                               {.name = "--overwrite", .flag = &r.overwrite},
                               {.name = "--quiet", .brief = "-q", .flag = &r.quiet}};
  app_line line = {.verb = "sweep",
                   .option = option,
                   .n_option = 6,
                   .needs = "a folder and the number of a case",
                   .least = 2,
                   .most = 2};
  char again[2 * APP_PATH], from[APP_PATH], to[APP_PATH];
  int code, number;
  if (!app_line_read(&line, argc, argv, &code)) return code;
  if (!app_whole("the number of a case", line.word[1], 0, 1000000000, &number)) return APP_INPUT;
  if (threads != NULL && !app_whole("--threads", threads, 1, 1024, &r.threads)) return APP_INPUT;
  if (folder == NULL) return app_error("sweep case needs a folder for its results: -o OUT");
  if (r.resume && r.overwrite) return app_error("--resume continues a run, --overwrite replaces it: give one of them");
  if ((size_t)snprintf(r.folder, sizeof r.folder, "%s", folder) >= sizeof r.folder)
    return app_error("the path of the result folder is too long");
  if (!app_run_folder_fits(&r)) return APP_INPUT;
  snprintf(again, sizeof again, "visviva sweep case %s %d -o %s", app_quote(from, sizeof from, line.word[0]), number,
           app_quote(to, sizeof to, folder));
  r.again = again;
  vv_ctx *ctx = one_thread(NULL);
  vv_sweep *sweep = NULL;
  if (ctx == NULL) return APP_STOPPED;
  const vv_status status = vv_sweep_open(ctx, line.word[0], &sweep);
  if (status != VV_OK) app_messages(ctx, status);
  code = status == VV_OK ? run_case(sweep, number, &r) : code_of(status);
  vv_sweep_close(sweep);
  vv_ctx_destroy(ctx);
  return code;
}

/* ---- the verb ---- */

int app_verb_sweep(int argc, char **argv)
{
  static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
  } part[] = {{"new", sweep_new}, {"run", sweep_run_cases}, {"table", sweep_table}, {"case", sweep_case}};
  const char *known[] = {"new", "run", "table", "case"};
  if (argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) return app_help("sweep");
  for (size_t i = 0; argc > 0 && i < sizeof part / sizeof part[0]; i++)
    if (strcmp(part[i].name, argv[0]) == 0) return part[i].run(argc - 1, argv + 1);
  if (argc == 0) return app_error("sweep needs one of: new, run, table, case; see `visviva help sweep`");
  const char *near = app_nearest(argv[0], known, 4);
  if (near != NULL) return app_error("sweep: unknown argument '%s'; did you mean '%s'?", argv[0], near);
  return app_error("sweep: unknown argument '%s'; it is one of: new, run, table, case", argv[0]);
}
