/* io/checkpoint/checkpoint.c  checkpoint.h5: complete state, written apart and renamed. */
#include "io/checkpoint.h"
#include "io/file.h"
#include "io/results/h5.h"
#include "ledger/episodes.h"
#include "model/model.h"
#include "visviva/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Raised when vvi_marks or the meaning of a dataset changes; a change of vv_ledger shows in its size. */
enum { VERSION = 6, VERSION_TEXT = 32 };

/* One list, two uses: writing and reading. */
#define MARKS(X)    \
  X(ledger_bytes)   \
  X(events_bytes)   \
  X(pvd_bytes)      \
  X(ledger_hash)    \
  X(events_hash)    \
  X(contacts_bytes) \
  X(contacts_hash)  \
  X(probes_bytes)   \
  X(probes_hash)    \
  X(last_probe)     \
  X(bodies_bytes)   \
  X(bodies_hash)    \
  X(events)         \
  X(poses)          \
  X(keys)           \
  X(last_key)       \
  X(episodes)       \
  X(samples)        \
  X(frames)         \
  X(h5_frames)      \
  X(last_row)       \
  X(last_frame)

static uint64_t marks_hash(const vvi_marks *marks)
{
  uint64_t h = VVI_HASH_SEED;
#define HASH(name) h = vvi_hash(h, &marks->name, sizeof marks->name);
  MARKS(HASH)
#undef HASH
  return vvi_hash(h, &marks->step, sizeof marks->step);
}

static uint64_t content_hash(const vv_state *s, const vv_ledger *ledger)
{
  uint64_t h = vvi_hash(VVI_HASH_SEED, &s->t, sizeof s->t);
  h = vvi_hash(h, &s->step, sizeof s->step);
  h = vvi_hash(h, s->q, sizeof(double) * (size_t)s->nq);
  h = vvi_hash(h, s->p, sizeof(double) * (size_t)s->np);
  h = vvi_hash(h, s->memory, sizeof(double) * (size_t)s->nh);
  return vvi_hash(h, ledger, sizeof *ledger);
}

/* ---- contact histories: entries of pairs, and the forces of open episodes in the order of the pairs ---- */

typedef struct histories {
  int64_t pairs, curves;
  vvi_touch_pair *pair;
  vvi_curve *curve;
} histories;

static void free_histories(histories *k)
{
  free(k->pair), free(k->curve);
}

static bool fit_histories(histories *k, int64_t pairs, int64_t curves)
{
  *k = (histories){.pairs = pairs, .curves = curves};
  k->pair = calloc((size_t)pairs + 1, sizeof *k->pair), k->curve = calloc((size_t)curves + 1, sizeof *k->curve);
  return k->pair != NULL && k->curve != NULL;
}

/* Where a curve lies in memory is no part of the run. */
static bool gather_histories(const vvi_episodes *e, histories *k)
{
  if (!fit_histories(k, e != NULL ? e->n : 0, vvi_episodes_open(e))) return false;
  int64_t next = 0;
  for (int64_t i = 0; i < k->pairs; i++) {
    k->pair[i] = e->pair[i];
    if (k->pair[i].curve < 0) continue;
    k->curve[next] = e->curve[e->pair[i].curve];
    k->pair[i].curve = next++;
  }
  return true;
}

static uint64_t histories_hash(uint64_t h, const histories *k)
{
  h = vvi_hash(h, k->pair, sizeof *k->pair * (size_t)k->pairs);
  return vvi_hash(h, k->curve, sizeof *k->curve * (size_t)k->curves);
}

static vv_status write_marks(vvi_h5 *f, const vvi_marks *marks)
{
#define WRITE(name) VV_TRY(vvi_h5_set_whole(f, "/", #name, marks->name));
  MARKS(WRITE)
#undef WRITE
  return vvi_h5_set_whole(f, "/", "marks_hash", (int64_t)marks_hash(marks));
}

static vv_status read_marks(vvi_h5 *f, vvi_marks *marks)
{
#define READ(name) VV_TRY(vvi_h5_get_whole(f, "/", #name, &marks->name));
  MARKS(READ)
#undef READ
  int64_t hash = 0;
  VV_TRY(vvi_h5_get_whole(f, "/", "step", &marks->step));
  VV_TRY(vvi_h5_get_whole(f, "/", "marks_hash", &hash));
  if ((uint64_t)hash == marks_hash(marks)) return VV_OK;
  return vvi_fail(f->ctx, VV_IO, "%s: damaged: the lengths of the other files do not match their hash", f->path);
}

static vv_status write_histories(vvi_h5 *f, const histories *k)
{
  const int64_t pair_bytes = k->pairs * (int64_t)sizeof *k->pair, curve_bytes = k->curves * (int64_t)sizeof *k->curve;
  VV_TRY(vvi_h5_write(f, "/contact_pairs", VVI_H5_BYTE, 1, &pair_bytes, k->pair));
  return vvi_h5_write(f, "/contact_forces", VVI_H5_BYTE, 1, &curve_bytes, k->curve);
}

static vv_status read_histories(vvi_h5 *f, histories *k)
{
  int64_t pair[VVI_H5_RANK], curve[VVI_H5_RANK];
  int rank;
  VV_TRY(vvi_h5_shape(f, "/contact_pairs", &rank, pair));
  VV_TRY(vvi_h5_shape(f, "/contact_forces", &rank, curve));
  if (pair[0] % (int64_t)sizeof *k->pair != 0 || curve[0] % (int64_t)sizeof *k->curve != 0)
    return vvi_fail(f->ctx, VV_IO, "%s: its contact histories are those of another version of visviva", f->path);
  if (!fit_histories(k, pair[0] / (int64_t)sizeof *k->pair, curve[0] / (int64_t)sizeof *k->curve)) return VV_NOMEM;
  VV_TRY(vvi_h5_read(f, "/contact_pairs", VVI_H5_BYTE, pair[0], k->pair));
  return vvi_h5_read(f, "/contact_forces", VVI_H5_BYTE, curve[0], k->curve);
}

static vv_status write_all(vvi_h5 *f, const vv_view *view, const vvi_marks *marks, const histories *k)
{
  const vv_state *s = view->state;
  vv_ledger ledger = *view->ledger;
  ledger.episodes = NULL;
  const int64_t ledger_bytes = (int64_t)sizeof ledger;
  VV_TRY(vvi_h5_set_whole(f, "/", "version", VERSION));
  VV_TRY(vvi_h5_set_text(f, "/", "visviva", vv_version()));
  VV_TRY(vvi_h5_set_whole(f, "/", "scene_hash", (int64_t)view->model->scene_hash));
  VV_TRY(vvi_h5_set_whole(f, "/", "content_hash", (int64_t)histories_hash(content_hash(s, &ledger), k)));
  VV_TRY(vvi_h5_set_whole(f, "/", "step", s->step));
  VV_TRY(vvi_h5_set_number(f, "/", "time", s->t));
  vvi_marks now = *marks;
  now.step = s->step;
  VV_TRY(write_marks(f, &now));
  VV_TRY(vvi_h5_write(f, "/q", VVI_H5_DOUBLE, 1, &s->nq, s->q));
  VV_TRY(vvi_h5_write(f, "/p", VVI_H5_DOUBLE, 1, &s->np, s->p));
  VV_TRY(vvi_h5_write(f, "/memory", VVI_H5_DOUBLE, 1, &s->nh, s->memory));
  VV_TRY(write_histories(f, k));
  return vvi_h5_write(f, "/ledger", VVI_H5_BYTE, 1, &ledger_bytes, &ledger);
}

static vv_status write_content(vvi_h5 *f, const vv_view *view, const vvi_marks *marks)
{
  histories k;
  const vv_status status = gather_histories(view->ledger->episodes, &k)
                               ? write_all(f, view, marks, &k)
                               : vvi_fail(f->ctx, VV_NOMEM, "out of memory for a checkpoint");
  free_histories(&k);
  return status;
}

vv_status vvi_checkpoint_write(const vv_view *view, const vvi_marks *marks, const char *tmp, const char *path)
{
  vv_ctx *ctx = view->model->ctx;
  vvi_h5 f;
  vv_status status = vvi_h5_create(ctx, tmp, &f);
  if (status == VV_OK) status = write_content(&f, view, marks);
  const vv_status closed = vvi_h5_close(&f);
  if (status == VV_OK) status = closed;
  if (status == VV_OK) return vvi_replace(ctx, tmp, path, true);
  remove(tmp); /* gives the space back; the earlier checkpoint stays */
  return status;
}

/* Another version may have other rules of a step: what it goes on with would be a run of neither.  Versions that differ in
 * the last number alone do not (CHANGELOG.md, "Numbers that changed"). */
static vv_status check_program(vvi_h5 *f)
{
  char text[VERSION_TEXT];
  VV_TRY(vvi_h5_get_text(f, "/", "visviva", text, sizeof text));
  if (strcmp(text, vv_version()) == 0) return VV_OK;
  for (char *c = text; *c != '\0'; c++)
    if (*c < ' ' || *c > '~') *c = '?';
  const char *dot = strrchr(vv_version(), '.');
  const bool near = strncmp(text, vv_version(), (size_t)(dot - vv_version()) + 1) == 0;
  vvi_fail(f->ctx, VV_IO, "%s: written by visviva %s, and this is %s%s", f->path, text, vv_version(),
           near ? "; they have the same steps" : "; go on with that version, or start again with --overwrite");
  return near ? VV_OK : VV_IO;
}

static vv_status check_kind(vvi_h5 *f, const vv_model *model)
{
  int64_t version = 0, hash = 0;
  VV_TRY(vvi_h5_get_whole(f, "/", "version", &version));
  if (version != VERSION)
    return vvi_fail(f->ctx, VV_IO,
                    "%s: a checkpoint of format %lld, and visviva %s reads format %d; start again with "
                    "--overwrite, or go on with the version that wrote it",
                    f->path, (long long)version, vv_version(), VERSION);
  VV_TRY(check_program(f));
  VV_TRY(vvi_h5_get_whole(f, "/", "scene_hash", &hash));
  if ((uint64_t)hash != model->scene_hash)
    return vvi_fail(f->ctx, VV_SCENE,
                    "%s: belongs to another scene, or this one was changed since (its end, title and record may "
                    "be); go on with the scene.yaml beside it, or start again with --overwrite",
                    f->path);
  return VV_OK;
}

static vv_status read_all(vvi_h5 *f, vv_state *s, vv_ledger *ledger, histories *k)
{
  int64_t hash = 0, dims[VVI_H5_RANK];
  int rank;
  VV_TRY(vvi_h5_shape(f, "/ledger", &rank, dims));
  if (dims[0] != (int64_t)sizeof *ledger)
    return vvi_fail(f->ctx, VV_IO, "%s: its ledger is that of another version of visviva", f->path);
  VV_TRY(vvi_h5_get_whole(f, "/", "content_hash", &hash));
  VV_TRY(vvi_h5_get_whole(f, "/", "step", &s->step));
  VV_TRY(vvi_h5_get_number(f, "/", "time", &s->t));
  VV_TRY(vvi_h5_shape(f, "/memory", &rank, dims));
  if (rank == 1 && dims[0] != s->nh)
    return vvi_fail(
        f->ctx, VV_SCENE,
        "%s: the run has%s gathered contact as a field so far; leave 'record.traction' as it was, or start again "
        "with --overwrite",
        f->path, dims[0] < s->nh ? " not" : "");
  VV_TRY(vvi_h5_read(f, "/q", VVI_H5_DOUBLE, s->nq, s->q));
  VV_TRY(vvi_h5_read(f, "/p", VVI_H5_DOUBLE, s->np, s->p));
  VV_TRY(vvi_h5_read(f, "/memory", VVI_H5_DOUBLE, s->nh, s->memory));
  VV_TRY(vvi_h5_read(f, "/ledger", VVI_H5_BYTE, (int64_t)sizeof *ledger, ledger));
  VV_TRY(read_histories(f, k));
  if ((uint64_t)hash != histories_hash(content_hash(s, ledger), k))
    return vvi_fail(f->ctx, VV_IO, "%s: damaged: the state does not match its hash", f->path);
  return VV_OK;
}

static vv_status read_content(vvi_h5 *f, const vv_model *m, vv_state *s, vv_ledger *ledger)
{
  histories k = {0};
  vv_ledger unused, *into = ledger != NULL ? ledger : &unused;
  vvi_episodes *own = ledger != NULL ? ledger->episodes : NULL;
  vv_status status = read_all(f, s, into, &k);
  into->episodes = own;
  if (status == VV_OK && ledger != NULL && own == NULL) ledger->episodes = vvi_episodes_create(m->n_body, m->step);
  if (status == VV_OK && ledger != NULL && ledger->episodes == NULL) status = VV_NOMEM;
  if (status == VV_OK && ledger != NULL && !vvi_episodes_load(ledger->episodes, k.pairs, k.pair, k.curves, k.curve))
    status = vvi_fail(f->ctx, VV_IO, "%s: damaged: its contact histories are of other bodies", f->path);
  free_histories(&k);
  return status;
}

vv_status vvi_checkpoint_load(const vv_model *model, const char *path, vv_state *state, vv_ledger *ledger,
                              vvi_marks *marks)
{
  if (!vvi_exists(path)) return vvi_fail(model->ctx, VV_IO, "%s: there is no checkpoint to resume from", path);
  vvi_h5 f;
  VV_TRY(vvi_h5_open(model->ctx, path, false, &f));
  vv_status status = check_kind(&f, model);
  if (status == VV_OK && state != NULL) status = read_content(&f, model, state, ledger);
  if (status == VV_OK && marks != NULL) status = read_marks(&f, marks);
  if (status == VV_OK && state != NULL && state->step > model->steps)
    status = vvi_fail(model->ctx, VV_SCENE, "%s: is at t = %.9g, after the end of the scene at %.9g; give a later end",
                      path, state->t, model->end);
  const vv_status closed = vvi_h5_close(&f);
  return status != VV_OK ? status : closed;
}

vv_status vv_checkpoint_save(const vv_sim *sim, const char *path)
{
  if (sim == NULL || path == NULL || path[0] == '\0') return VV_ARG;
  vvi_arena arena = {0};
  const vv_view view = {.model = vv_sim_model(sim), .state = vv_sim_state(sim), .ledger = vv_sim_ledger(sim)};
  const vvi_marks marks = {.last_row = -1, .last_frame = -1, .last_probe = -1, .step = view.state->step};
  const size_t bytes = strlen(path) + sizeof ".tmp";
  char *tmp = vvi_arena_alloc(&arena, bytes);
  if (tmp != NULL) snprintf(tmp, bytes, "%s.tmp", path);
  const vv_status status = tmp != NULL ? vvi_checkpoint_write(&view, &marks, tmp, path) : VV_NOMEM;
  vvi_arena_free(&arena);
  return status;
}

vv_status vv_checkpoint_load(const vv_model *model, const char *path, vv_state *state, vv_ledger *ledger)
{
  if (model == NULL || path == NULL || state == NULL || ledger == NULL) return VV_ARG;
  return vvi_checkpoint_load(model, path, state, ledger, NULL);
}

vv_status vv_checkpoint_read(const vv_model *model, const char *folder, vv_state *state, vv_ledger *ledger)
{
  if (model == NULL || folder == NULL || state == NULL || ledger == NULL) return VV_ARG;
  vvi_arena arena = {0};
  const char *path = vvi_path(&arena, folder, "checkpoint.h5");
  vvi_marks marks; /* read, too, so that every damage is found here */
  const vv_status status = path != NULL ? vvi_checkpoint_load(model, path, state, ledger, &marks) : VV_NOMEM;
  vvi_arena_free(&arena);
  return status;
}
