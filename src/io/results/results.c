/* io/results/results.c  The result folder: who writes what and when, and how a resumed run finds its place.
 *
 * Rhythm.  Row k of ledger.csv is step k * record.ledger; frame k is the step nearest to k * record.every; checkpoints
 * likewise.  It depends on the step number only, so a resumed run falls into the same rhythm.  The first and last step
 * get a row and a frame in any case; those that are out of rhythm are written after the marks of the checkpoint are
 * taken, so a resumed run cuts them off and ends with the same bytes as a run that was never interrupted. */
#include "io/results/writer.h"
#include "model/rhythm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { COOKIE = 0x72657375, VTU_EVERY = 4, CHECKPOINTS = 10, ROWS = 20000 };

vv_results_def vv_results_default(void)
{
  return (vv_results_def){.folder = "out", .resume = false, .overwrite = false, .cookie = COOKIE};
}

/* ---- rhythm ---- */

int64_t vv_results_next(int64_t step, void *results)
{
  const vv_results *r = results;
  const int64_t row = (step / r->row_every + 1) * r->row_every;
  const int64_t frame = vvi_rhythm_next(step, r->frame_every), check = vvi_rhythm_next(step, r->check_every);
  const int64_t probe = vvi_probes_next(r, step), table = row < probe ? row : probe;
  const int64_t first = frame < check ? frame : check;
  return table < first ? table : first;
}

static void read_rhythm(vv_results *r)
{
  const vv_group *record = vv_sub(r->model->root, "record");
  r->row_every = vv_has(record, "ledger") ? vv_integer(record, "ledger") : 1 + (r->model->steps - 1) / ROWS;
  r->most_events = vv_integer(record, "events");
  r->frame_every = vvi_rhythm_every(r->model, "every", VVI_FRAMES);
  r->check_every = vvi_rhythm_every(r->model, "checkpoint", CHECKPOINTS);
  r->paraview = vv_boolean(record, "paraview");
  r->vtu_every = vv_has(record, "every") ? 1 : VTU_EVERY;
}

/* ---- the folder ---- */

static const char *const run_file[] = {
    "ledger.csv",           "events.csv",         "results.h5",         "checkpoint.h5",
    "summary.json",         "contacts.csv",       "probes.csv",         "scene.yaml",
    "checkpoint.tmp",       "results.h5.damaged", "ledger.csv.damaged", "events.csv.damaged",
    "contacts.csv.damaged", "probes.csv.damaged", "summary.tmp",        "bodies.csv",
    "bodies.csv.damaged",   "moving.h5",          "moving.h5.tmp"};

static bool holds_a_run(vv_results *r)
{
  for (int i = 0; i < 5; i++) {
    const char *path = vvi_path(&r->arena, r->folder, run_file[i]);
    if (path != NULL && vvi_exists(path)) return true;
  }
  return false;
}

/* run.pvd, or a frame as we name them: kind_000123.vtu, perhaps with .tmp. */
static bool is_our_frame(const char *name)
{
  if (strcmp(name, "run.pvd") == 0) return true;
  const char *digits = strrchr(name, '_');
  if (digits == NULL) return false;
  const size_t n = strspn(digits + 1, "0123456789");
  return n >= 6 && (strcmp(digits + 1 + n, ".vtu") == 0 || strcmp(digits + 1 + n, ".vtu.tmp") == 0);
}

static vv_status remove_one(vv_results *r, const char *folder, const char *name)
{
  const char *path = vvi_path(&r->arena, folder, name);
  if (path == NULL) return VV_NOMEM;
  errno = 0;
  return remove(path) == 0 || errno == ENOENT ? VV_OK : vvi_io_fail(r->ctx, path, "not removed");
}

/* Removes the files of an earlier run and nothing else; what lies behind a link is somebody else's. */
static vv_status remove_run(vv_results *r)
{
  for (int i = 0; i < VV_COUNT(run_file); i++) VV_TRY(remove_one(r, r->folder, run_file[i]));
  if (vvi_is_link(r->paraview_folder)) return VV_OK;
  DIR *dir = opendir(r->paraview_folder);
  if (dir == NULL) return VV_OK;
  vv_status status = VV_OK;
  for (struct dirent *e; status == VV_OK && (e = readdir(dir)) != NULL;)
    if (is_our_frame(e->d_name)) status = remove_one(r, r->paraview_folder, e->d_name);
  closedir(dir);
  return status;
}

static vv_status name_files(vv_results *r, const char *folder)
{
  r->folder = vvi_arena_text(&r->arena, folder);
  if (r->folder == NULL) return VV_NOMEM;
  r->checkpoint_path = vvi_path(&r->arena, folder, "checkpoint.h5");
  r->checkpoint_tmp = vvi_path(&r->arena, folder, "checkpoint.tmp");
  r->h5_path = vvi_path(&r->arena, folder, "results.h5");
  r->paraview_folder = vvi_path(&r->arena, folder, "paraview");
  r->pvd_path = vvi_path(&r->arena, folder, "paraview/run.pvd");
  return r->checkpoint_path && r->checkpoint_tmp && r->h5_path && r->paraview_folder && r->pvd_path ? VV_OK : VV_NOMEM;
}

/* Two writers would mix their bytes.  The lock is on the folder itself, leaves no file behind and dies with its process;
 * where the file system has no locks we go on without. */
static vv_status lock_folder(vv_results *r)
{
  errno = 0;
  r->lock = open(r->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (r->lock < 0) return vvi_io_fail(r->ctx, r->folder, "not opened");
  if (flock(r->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return VV_OK;
  return vvi_fail(r->ctx, VV_ARG, "%s: another run is writing here; wait for it, or name another folder", r->folder);
}

static vv_status open_folder(vv_results *r, const vv_results_def *def)
{
  VV_TRY(name_files(r, def->folder));
  r->resumed = def->resume;
  r->marks = (vvi_marks){.last_row = -1, .last_frame = -1, .last_probe = -1, .last_key = -1};
  read_rhythm(r);
  if (!r->resumed) VV_TRY(vvi_folder_create(r->ctx, r->folder));
  VV_TRY(lock_folder(r));
  if (r->paraview) VV_TRY(vvi_no_link(r->ctx, r->paraview_folder));
  if (r->resumed) {
    VV_TRY(vvi_checkpoint_load(r->model, r->checkpoint_path, NULL, NULL, &r->marks));
    VV_TRY(remove_one(r, r->folder, "summary.json")); /* it speaks of a run that is not over */
    VV_TRY(remove_one(r, r->folder, "moving.h5"));
    VV_TRY(remove_one(r, r->folder, "moving.h5.tmp"));
  } else {
    if (!def->overwrite && holds_a_run(r))
      return vvi_fail(r->ctx, VV_IO, "%s: holds a run already; resume it, overwrite it or name another folder",
                      r->folder);
    VV_TRY(remove_run(r));
  }
  const char *scene = vvi_path(&r->arena, r->folder, "scene.yaml");
  if (scene == NULL) return VV_NOMEM;
  VV_TRY(vv_scene_write(r->model, scene));
  VV_TRY(vvi_csv_open(r));
  VV_TRY(vvi_probes_open(r));
  VV_TRY(vvi_bodies_open(r));
  return vvi_frames_open(r);
}

static vv_status close_all(vv_results *r)
{
  vv_status status[] = {vvi_file_close(&r->ledger), vvi_file_close(&r->events), vvi_file_close(&r->contacts),
                        vvi_probes_close(r),        vvi_bodies_close(r),        vvi_frames_close(r)};
  if (r->lock >= 0) close(r->lock); /* last: the folder is free when all its files are closed */
  vvi_arena_free(&r->arena);
  free(r);
  for (int i = 0; i < VV_COUNT(status); i++)
    if (status[i] != VV_OK) return status[i];
  return VV_OK;
}

vv_status vv_results_create(const vv_model *model, const vv_results_def *def, vv_results **out)
{
  *out = NULL;
  if (model == NULL || def == NULL || def->cookie != COOKIE || def->folder == NULL || def->folder[0] == '\0')
    return VV_ARG;
  vv_results *r = calloc(1, sizeof *r);
  if (r == NULL) return VV_NOMEM;
  r->model = model;
  r->ctx = model->ctx;
  r->scene_hash = model->scene_hash;
  r->lock = r->frames.pvd.fd = -1;
  const vv_status status = open_folder(r, def);
  if (status == VV_OK)
    *out = r;
  else
    (void)!close_all(r);
  return status;
}

/* ---- the observer ---- */

static bool is_finite(const vv_state *s)
{
  double sum = s->t; /* one pass without branches: any NaN or infinity survives in 0 * x */
  for (int64_t i = 0; i < s->nq; i++) sum += 0 * s->q[i];
  for (int64_t i = 0; i < s->np; i++) sum += 0 * s->p[i];
  return isfinite(sum);
}

static vv_status flush_all(vv_results *r, bool to_disk)
{
  VV_TRY(vvi_file_flush(&r->ledger, to_disk));
  VV_TRY(vvi_file_flush(&r->events, to_disk));
  VV_TRY(vvi_file_flush(&r->contacts, to_disk));
  VV_TRY(vvi_probes_flush(r, to_disk));
  VV_TRY(vvi_bodies_flush(r, to_disk));
  return vvi_frames_flush(r, to_disk);
}

/* Files that are forced to disk cost some ten milliseconds each.  Where the scene does not say when, a run is not interrupted
 * for what it could do again in two seconds. */
static bool worth_it(const vv_results *r)
{
  const double seconds = 2.0;
  return vv_has(vv_sub(r->model->root, "record"), "checkpoint") || vvi_clock() - r->checked > seconds;
}

/* The state of an unstable run is worthless: the checkpoint before it is kept. */
static vv_status write_checkpoint(vv_results *r, const vv_view *view, const vvi_marks *marks)
{
  if (view->hopeless || !is_finite(view->state)) return VV_OK;
  VV_TRY(flush_all(r, true));
  r->checked = vvi_clock();
  return vvi_checkpoint_write(view, marks, r->checkpoint_tmp, r->checkpoint_path);
}

static vv_status write_row(vv_results *r, const vv_view *view)
{
  if (r->marks.last_row == view->state->step) return VV_OK;
  VV_TRY(vvi_csv_row(r, view));
  vvi_csv_mark(r);
  r->marks.last_row = view->state->step;
  return VV_OK;
}

static vv_status write_frame(vv_results *r, const vv_view *view)
{
  if (r->marks.last_frame == view->state->step) return VV_OK;
  VV_TRY(vvi_bodies_rows(r, view));
  VV_TRY(vvi_frames_write(r, view));
  VV_TRY(vvi_file_flush(&r->ledger, false)); /* who looks at a running run sees all files at the same time */
  VV_TRY(vvi_file_flush(&r->contacts, false));
  VV_TRY(vvi_probes_flush(r, false));
  VV_TRY(vvi_bodies_flush(r, false));
  return vvi_file_flush(&r->events, false);
}

/* A heap makes a thousand impacts a step, and nobody reads a million rows.  The first half of the rows is for whoever comes
 * first, the other half is let out as time goes by, so that the end of the run is seen, too.  Asked by the time of the event:
 * how many were told at once depends on interruptions. */
static bool has_room(const vv_results *r, const vv_event *e)
{
  const double all = (double)r->model->steps * r->model->step, part = all > 0.0 ? e->time / all : 1.0;
  return (double)r->marks.events < 0.5 * (double)r->most_events * (1.0 + fmin(fmax(part, 0.0), 1.0));
}

static vv_status write_event(vv_results *r, const vv_view *view, const vv_event *e)
{
  if (!has_room(r, e)) return VV_OK;
  VV_TRY(vvi_csv_event(r, e));
  return vvi_frames_event(r, view, e);
}

static vv_status observe(vv_results *r, const vv_view *view)
{
  const int64_t step = view->state->step;
  const bool start = view->first && r->marks.last_row < 0; /* a run may be made of several calls */
  for (int64_t i = 0; i < view->n_event; i++) VV_TRY(write_event(r, view, &view->event[i]));
  if (view->n_episode > 0) VV_TRY(vvi_contacts_ended(r, view));
  if (view->n_key > 0) VV_TRY(vvi_keys_write(r, view));
  vvi_csv_mark(r);
  if (start || step % r->row_every == 0) VV_TRY(write_row(r, view));
  if (start || vvi_probes_due(r, step)) VV_TRY(vvi_probes_row(r, view));
  if (start || vvi_rhythm_due(step, r->frame_every)) VV_TRY(write_frame(r, view));
  if (view->last) {
    const vvi_marks marks = r->marks;
    VV_TRY(write_row(r, view));
    VV_TRY(vvi_probes_row(r, view));
    VV_TRY(write_frame(r, view));
    r->state_hash = vv_state_hash(view->state);
    r->finished = true;
    return write_checkpoint(r, view, &marks);
  }
  const bool resuming = view->first && r->resumed; /* the checkpoint of this step is the one just read */
  if (start || (vvi_rhythm_due(step, r->check_every) && !resuming && worth_it(r)))
    return write_checkpoint(r, view, &r->marks);
  return VV_OK;
}

vv_status vv_results_observe(const vv_view *view, void *results)
{
  vv_results *r = results;
  if (r->broken) return VV_IO; /* said once */
  r->step = view->state->step;
  r->time = view->state->t;
  const vv_status status = observe(r, view);
  r->broken = status != VV_OK;
  return status;
}

/* Who names the model, or speaks to its context. */
vv_status vv_results_move(vv_results *r, const vv_model *model)
{
  if (r == NULL || model == NULL || model->scene_hash != r->scene_hash) return VV_ARG;
  vvi_file *const file[] = {&r->ledger, &r->events, &r->contacts, &r->probes, &r->bodies};
  for (int i = 0; i < VV_COUNT(file); i++) file[i]->ctx = model->ctx;
  r->model = model, r->ctx = model->ctx;
  vvi_frames_move(r);
  r->resumed = true; /* the first look is at what has been told */
  return VV_OK;
}

vv_status vv_results_checkpoint(vv_results *results, const vv_view *view)
{
  if (results == NULL || view == NULL) return VV_ARG;
  if (results->broken) return VV_IO;
  return write_checkpoint(results, view, &results->marks);
}

vv_status vv_results_close(vv_results *results)
{
  return results != NULL ? close_all(results) : VV_OK;
}
