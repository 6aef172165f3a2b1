/* io/checkpoint.h  The whole truth of a run in one file: state, ledger, and how long the other files were. */
#pragma once
#include "base/base.h"
#include "visviva/book.h"
#include "visviva/sim.h"

/* Where the files of a result folder stood at the checkpoint: a resumed run cuts them back to here. */
typedef struct vvi_marks {
  int64_t ledger_bytes, events_bytes, pvd_bytes;
  int64_t ledger_hash, events_hash; /* of these bytes */
  int64_t contacts_bytes, contacts_hash;
  int64_t probes_bytes, probes_hash, last_probe;
  int64_t bodies_bytes, bodies_hash;
  int64_t events;               /* of the run, so far */
  int64_t poses;                /* of rigid bodies at their impacts */
  int64_t keys, last_key;       /* shapes of elastic bodies at contacts; step of the last, -1: none */
  int64_t episodes, samples;    /* finished contacts of the run so far, and samples of their forces */
  int64_t frames;               /* of the run: number of the next frame */
  int64_t h5_frames;            /* in results.h5; less than `frames` when a damaged file was put aside */
  int64_t last_row, last_frame; /* steps; -1: none yet */
  int64_t step;                 /* of the checkpoint itself */
} vvi_marks;

/* Writes apart (`tmp`), to disk, then renames onto `path`: there is a whole checkpoint at every moment. */
vv_status vvi_checkpoint_write(const vv_view *view, const vvi_marks *marks, const char *tmp, const char *path);
/* Any of state, ledger, marks may be NULL.  Refuses a checkpoint of another scene or another layout. */
vv_status vvi_checkpoint_load(const vv_model *model, const char *path, vv_state *state, vv_ledger *ledger,
                              vvi_marks *marks);
