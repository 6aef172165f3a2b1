/* io/results/writer.h  The open result folder, shared by the files of this room. */
#pragma once
#include "io/checkpoint.h"
#include "io/file.h"
#include "io/results/h5.h"
#include "io/results/paraview.h"
#include "visviva/results.h"

/* One growing dataset of results.h5: a field of a body, cut out of the field of its block. */
typedef struct vvi_series_slot {
  int64_t id, key_id; /* key_id: its shapes at contacts, where it has some */
  int32_t body;
  int field;
} vvi_series_slot;

enum { VVI_OBJECT_TEXT = 512 };

enum { VVI_EVENT_SERIES = 12, VVI_EPISODE_SERIES = 24, VVI_SAMPLE_SERIES = 4, VVI_POSE_SERIES = 10 };

typedef struct vvi_frames {
  vvi_h5 h5;
  int64_t time_id, step_id;
  int n_slot;
  vvi_series_slot *slot; /* [n_slot] by block, field, body */
  int n_vtu;
  vvi_vtu *vtu; /* [n_vtu + 1] blocks that have nodes, and what touches */
  vvi_pvd pvd;
  double *buffer; /* largest field of any block */
  vvi_h5_column event[VVI_EVENT_SERIES], pose[VVI_POSE_SERIES];
  vvi_h5_column episode[VVI_EPISODE_SERIES], sample[VVI_SAMPLE_SERIES];
  double *axes; /* [bodies][4] of the shape in the principal ones; all 0: not known yet */
  int64_t key_id;
  int64_t episode_first, sample_first, pose_first, key_first; /* as event_first */
  double *spot; /* [spot_room][VVI_SPOT] contacts at a frame: place, force, numbers of pair and bodies */
  int64_t spot_room;
  int64_t event_first; /* of the events of the run, how many came before the first row of results.h5 */
} vvi_frames;

struct vv_results {
  const vv_model *model;
  vv_ctx *ctx;
  vvi_arena arena;
  uint64_t scene_hash;
  int lock; /* descriptor of the folder, locked as long as it is open; -1: none */
  const char *folder, *checkpoint_path, *checkpoint_tmp, *h5_path, *pvd_path, *paraview_folder;
  bool resumed, paraview;
  bool broken;                     /* a write failed: nothing more is written, the last checkpoint stays */
  int64_t row_every;               /* steps between rows of ledger.csv */
  int64_t most_events;             /* rows of events.csv */
  double checked;                  /* clock of the last checkpoint */
  double frame_every, check_every; /* steps between frames and checkpoints, not whole in general */
  vvi_file ledger, events, contacts;
  vvi_file probes;                     /* where the scene has some */
  double *probe_value, *probe_scratch; /* [columns], [room]; NULL: no probes */
  vvi_file bodies;
  vv_totals *body_total;                   /* [bodies]; NULL: bodies.csv is not written */
  struct vvi_body_material *body_material; /* [bodies]; NULL: none has a material momentum */
  double *body_elements;                   /* [elements of the largest block] */
  int64_t vtu_every;                       /* frames between two that ParaView gets */
  vvi_frames frames;
  vvi_marks marks; /* as of now */
  int64_t step;    /* of the last call */
  double time;
  uint64_t state_hash; /* of the last call with view->last */
  bool finished;       /* there was one */
  bool summed_up;      /* and the open contacts are written */
};

/* csv.c */
vv_status vvi_csv_open(vv_results *r);
void vvi_csv_mark(vv_results *r); /* the tables as they stand */
vv_status vvi_csv_row(vv_results *r, const vv_view *view);
vv_status vvi_csv_event(vv_results *r, const vv_event *e);
vv_status vvi_csv_contact(vv_results *r, const vv_episode *e);
vv_status vvi_csv_left_out(vv_results *r, int64_t events); /* the last line of events.csv, where some are not in it */
vv_status vvi_csv_word(vvi_file *file,
                       const char *word); /* a name and a comma, quoted as RFC 4180 says where it must be */

/* probes.c: nothing, where the scene has none */
vv_status vvi_probes_open(vv_results *r);
vv_status vvi_probes_row(vv_results *r, const vv_view *view); /* once a step */
void vvi_probes_mark(vv_results *r);
bool vvi_probes_due(const vv_results *r, int64_t step);
int64_t vvi_probes_next(const vv_results *r, int64_t step); /* INT64_MAX: never */
vv_status vvi_probes_flush(vv_results *r, bool to_disk);
vv_status vvi_probes_close(vv_results *r);

/* bodies.c: nothing, where bodies.csv is not asked for */
vv_status vvi_bodies_open(vv_results *r);
vv_status vvi_bodies_rows(vv_results *r, const vv_view *view); /* with each frame */
void vvi_bodies_mark(vv_results *r);
vv_status vvi_bodies_flush(vv_results *r, bool to_disk);
vv_status vvi_bodies_close(vv_results *r);

/* frames.c */
vv_status vvi_frames_open(vv_results *r);
vv_status vvi_frames_write(vv_results *r, const vv_view *view);
vv_status vvi_frames_event(vv_results *r, const vv_view *view, const vv_event *e);
vv_status vvi_frames_flush(vv_results *r, bool to_disk); /* what waits goes to the file */
vv_status vvi_frames_close(vv_results *r);
void vvi_frames_move(vv_results *r); /* r->model is another one of the same scene */
void vvi_body_object(const vv_body *b, const char *field, char out[VVI_OBJECT_TEXT]); /* field NULL: the body itself */

/* keys.c */
const char *vvi_body_surface(const vv_body *b); /* the field that says where its nodes touch others */
vv_status vvi_keys_create(vv_results *r);
vv_status vvi_keys_continue(vv_results *r);
vv_status vvi_keys_cut(vv_results *r);
vv_status vvi_keys_write(vv_results *r, const vv_view *view);

/* contacts.c */
vv_status vvi_contacts_create(vv_results *r);   /* their group in results.h5 */
vv_status vvi_contacts_continue(vv_results *r); /* that of the interrupted run */
vv_status vvi_contacts_cut(vv_results *r);
vv_status vvi_contacts_frame(vv_results *r, const vv_view *view);    /* forces at this moment, for ParaView */
vv_status vvi_contacts_ended(vv_results *r, const vv_view *view);    /* episodes that ended */
vv_status vvi_contacts_open(vv_results *r, const vv_ledger *ledger); /* those that are open, at the end of a run */
