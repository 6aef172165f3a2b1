/* visviva/results.h  tier: use.  What a run leaves behind: the result folder, checkpoints, comparison. */
#pragma once
#include "visviva/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writer of a result folder: scene.yaml ledger.csv events.csv contacts.csv results.h5 paraview/ checkpoint.h5 summary.json */
typedef struct vv_results vv_results;
typedef struct vv_results_def {
  const char *folder;
  bool resume;    /* continue the files of this folder after the step of its checkpoint */
  bool overwrite; /* replace an earlier run in this folder */
  int cookie;
} vv_results_def;
VV_API vv_results_def vv_results_default(void);
/* B that a frame of this model takes: in results.h5, and in the files for ParaView. */
VV_API void vv_results_size(const vv_model *model, double *frame, double *paraview);
/* Creates the folder and its files.  Fails (VV_IO) where a run is already there and neither resume nor overwrite is set. */
VV_API VV_NODISCARD vv_status vv_results_create(const vv_model *model, const vv_results_def *def, vv_results **out);
/* The observer to register with vv_sim_observe_when and its rhythm, that of the scene's `record` (rows, frames and
 * checkpoints), or with every = 1. */
VV_API VV_NODISCARD vv_status vv_results_observe(const vv_view *view, void *results);
VV_API int64_t vv_results_next(int64_t step, void *results);
/* The run goes on with another model of the same scene, cut otherwise among ranks: from now on the files are written from it, as if
 * nothing had happened.  The model of before may be destroyed already, if nothing was written since. */
VV_API VV_NODISCARD vv_status vv_results_move(vv_results *results, const vv_model *model);
/* Writes a checkpoint now (also done by the observer on the last call). */
VV_API VV_NODISCARD vv_status vv_results_checkpoint(vv_results *results, const vv_view *view);
/* Writes summary.json.  `report` and claims come from the finished sim. */
VV_API VV_NODISCARD vv_status vv_results_summary(vv_results *results, const vv_sim *sim, const vv_report *report);
/* Flushes and closes; the last write can fail too. */
VV_API VV_NODISCARD vv_status vv_results_close(vv_results *results);

/* Loads FOLDER/checkpoint.h5 into state and ledger; refuses a checkpoint of another scene. */
VV_API VV_NODISCARD vv_status vv_checkpoint_read(const vv_model *model, const char *folder, vv_state *state,
                                                 vv_ledger *ledger);

/* The same in a file of the caller's own: what a simulation is now, to go on from later with vv_sim_restore. */
VV_API VV_NODISCARD vv_status vv_checkpoint_save(const vv_sim *sim, const char *path);
VV_API VV_NODISCARD vv_status vv_checkpoint_load(const vv_model *model, const char *path, vv_state *state,
                                                 vv_ledger *ledger);

/* Frames of a result folder (results.h5), to read; also of a run that is still going on, as far as it is on disk. */
typedef struct vv_frames vv_frames;
VV_API VV_NODISCARD vv_status vv_frames_open(vv_ctx *ctx, const char *folder, vv_frames **out);
VV_API void vv_frames_close(vv_frames *frames);
VV_API int64_t vv_frames_count(const vv_frames *frames);
VV_API const double *vv_frames_time(const vv_frames *frames);  /* [count] */
VV_API const int64_t *vv_frames_step(const vv_frames *frames); /* [count] */
VV_API int vv_frames_bodies(const vv_frames *frames);
VV_API const char *vv_frames_body(const vv_frames *frames, int body); /* NULL: there is none */
/* Values of a field in a frame, and components of each; 0: the body has no such field. */
VV_API int64_t vv_frames_size(vv_frames *frames, int body, const char *field, int *components);
/* out[n][size][components]: n frames from the first on. */
VV_API VV_NODISCARD vv_status vv_frames_read(vv_frames *frames, int body, const char *field, int64_t first, int64_t n,
                                             double *out);
/* Names of what a body has, separated by line ends, cut to what fits; returns the length that it wants. */
VV_API size_t vv_frames_fields(vv_frames *frames, int body, char *out, size_t size);
/* Constant tables of a body, such as "elements" (nodes of each), "skin_points", "skin_triangles": rows and columns; 0 rows:
 * none.  out may be NULL. */
VV_API int64_t vv_frames_table(vv_frames *frames, int body, const char *name, int *columns, double *out);

/* Compares two result folders: rows of the ledger and frames of the same time, and events.  `difference` is the largest relative
 * difference of what both have; rows that one of them alone has are counted only. */
typedef struct vv_comparison {
  double difference;                /* largest of all below */
  double ledger, positions, events; /* relative differences */
  int64_t rows, frames;             /* of the same time */
  int64_t rows_a, rows_b;           /* of each ledger in all */
  int64_t frames_a, frames_b;       /* of each folder in all */
  int64_t events_a, events_b;
  char where[160]; /* column, row and time of the largest difference */
} vv_comparison;
VV_API VV_NODISCARD vv_status vv_compare(vv_ctx *ctx, const char *folder_a, const char *folder_b, vv_comparison *out);

/* A picture of a result folder: shapes, displacements, energies and the energy error over time.  A path that ends in .png gets
 * pixels, every other one SVG. */
VV_API VV_NODISCARD vv_status vv_picture_write(vv_ctx *ctx, const char *folder, const char *path);
/* Bars, beams and shells at the frame nearest to `time` (not a number: the last), coloured by an output field such as
 * "plastic_strain" or "stress[0]"; several components without an index count by their size. */
VV_API VV_NODISCARD vv_status vv_picture_field(vv_ctx *ctx, const char *folder, const char *path, const char *field,
                                               double time);

/* The report page: one self-contained HTML file with playback, plots and tables of one or more result folders.  `frame` is
 * the page without data (report-template.html, built from web/); most_bytes 0: 25 MB.  What does not fit is left out, and
 * the page says so. */
VV_API VV_NODISCARD vv_status vv_page_write(vv_ctx *ctx, int n, const char *const folders[], const char *frame,
                                            int64_t most_bytes, const char *path);

/* A convergence study: what a family of runs of one scene misses of a reference run. */
typedef struct vv_study_row {
  const char *const *word; /* [n_path] the values that were varied, as written */
  double h;                /* what is refined: a time step or an element length */
  double step;             /* time step */
  int64_t steps, nodes;
  double wall_seconds;
  double error;       /* NaN: not known */
  double slope;       /* of log(error) over log(h) to the row before; NaN: none */
  double order;       /* the same, corrected for the error of the reference; NaN: none */
  const char *remark; /* such as why the run ended; NULL: nothing to say */
} vv_study_row;

typedef struct vv_study {
  const char *title, *norm; /* of the scene; what an error is, in words */
  int n_path;
  const char *const *path;                     /* [n_path] what was varied */
  const char *h_name;                          /* what h is, in words; NULL: nothing was refined */
  const char *h_unit, *time_unit, *error_unit; /* "" where there is none */
  int n_row;
  vv_study_row *row; /* [n_row] */
  vv_study_row reference;
  double reference_h;  /* h of the reference where it is one more refinement of the same method; 0: taken as exact */
  double slope, order; /* least squares over all rows; NaN: none */
} vv_study;

/* Fills slope and order of all rows and of the study.  The order is p in error = C (h^p - reference_h^p). */
VV_API void vv_study_orders(vv_study *study);
/* Writes FOLDER/study.csv and, once an error is known, FOLDER/study.svg; makes the folder, replaces what is there. */
VV_API VV_NODISCARD vv_status vv_study_write(vv_ctx *ctx, const vv_study *study, const char *folder);

#ifdef __cplusplus
}
#endif
