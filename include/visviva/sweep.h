/* visviva/sweep.h  tier: use.  Many runs of one scene: a plan, its cases, journals, and one table.
 *
 * A plan (plan.yaml) names a scene, what varies in it and what is measured.  vv_sweep_new draws every value of every case
 * once, as text, and keeps them in a folder.  Any number of workers then run cases that have no row yet, each with a journal
 * of its own; a table is made of all journals, in the order of the cases: the same bytes for any workers, any order and any
 * kills.  A sweep is one thread's: workers are processes (docs/many-machines.md).  Cases run on the device of its context. */
#pragma once
#include "visviva/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vv_sweep vv_sweep;

/* How a case ended: the words of the column `status`.  The last has no row: the case is still to be run. */
#define VV_CASE_LIST(X)   \
  X(DONE, "done")         \
  X(STOPPED, "stopped")   \
  X(BROKEN, "broken")     \
  X(FAILED, "failed")     \
  X(REFUSED, "refused")   \
  X(TOO_LONG, "too long") \
  X(GAVE_UP, "gave up")   \
  X(INTERRUPTED, "no row")
#define VV_CASE_ENUM(name, text) VV_CASE_##name,
typedef enum vv_case_end { VV_CASE_LIST(VV_CASE_ENUM) VV_CASE_ENDS } vv_case_end;
VV_API const char *vv_case_text(vv_case_end end);

/* Reads the plan, compiles its first case, draws all cases and writes FOLDER: plan.yaml, cases.csv, sweep.yaml.  Refuses a
 * folder that holds a sweep, or files of these names, unless `overwrite`: then journals and tables go. */
VV_API VV_NODISCARD vv_status vv_sweep_new(vv_ctx *ctx, const char *plan, const char *folder, bool overwrite);
/* Opens a folder that vv_sweep_new made.  A scene that has changed since is refused by vv_sweep_left and vv_sweep_scene. */
VV_API VV_NODISCARD vv_status vv_sweep_open(vv_ctx *ctx, const char *folder, vv_sweep **out);
VV_API void vv_sweep_close(vv_sweep *sweep);
VV_API bool vv_sweep_is(const char *folder); /* it holds a sweep */

VV_API int64_t vv_sweep_cases(const vv_sweep *sweep);
/* What varies: names, and the value of a case as text; NULL: there is none. */
VV_API int vv_sweep_columns(const vv_sweep *sweep);
VV_API const char *vv_sweep_column(const vv_sweep *sweep, int column);
VV_API const char *vv_sweep_value(const vv_sweep *sweep, int64_t number, int column);

/* Reads the journals.  out[cases]: the cases of share `share` of `shares` (from 0) that have no row, in order; returns how
 * many, -1: a message says why.  A case whose workers died too often gets its row "gave up" here. */
VV_API int64_t vv_sweep_left(vv_sweep *sweep, int share, int shares, int64_t *out);
/* Runs one case in this process and writes its row to the journal of this process.  `poll` is asked a few times a second,
 * and true ends the run without a row.  A scene that is refused or a run that fails is a row, and VV_OK.  VV_IO: *end is
 * VV_CASE_INTERRUPTED where files of this case could not be written, and it was left for later, and VV_CASE_ENDS
 * where the journal could not be written: nothing can be run in this folder. */
VV_API VV_NODISCARD vv_status vv_sweep_run_case(vv_sweep *sweep, int64_t number, vv_poll_fn *poll, void *user,
                                                vv_case_end *end);
/* A worker died in this case (why: "signal 11"): costs one of its tries.  *end: VV_CASE_INTERRUPTED: it may be tried
 * again; VV_CASE_GAVE_UP: that was the last, and its row is written. */
VV_API VV_NODISCARD vv_status vv_sweep_crashed(vv_sweep *sweep, int64_t number, const char *why, vv_case_end *end);
/* Seconds that a case may take (limits.wall; 0: as long as it likes), and the row of one that took longer and whose process was
 * ended by its caller: `poll` is not asked inside a step. */
VV_API double vv_sweep_wall(const vv_sweep *sweep);
VV_API VV_NODISCARD vv_status vv_sweep_too_long(vv_sweep *sweep, int64_t number);
/* The state hash in the row of a case, read from the journals; false: it has none. */
VV_API bool vv_sweep_hash(vv_sweep *sweep, int64_t number, uint64_t *out);
/* The scene of one case, its values set; the caller compiles and runs it as any other, to the state hash of its row. */
VV_API VV_NODISCARD vv_status vv_sweep_scene(vv_sweep *sweep, int64_t number, vv_ctx *ctx, vv_spec **out);

/* table.csv, table.h5 and summary.csv from the journals.  Two rows of one case that differ are an error. */
typedef struct vv_sweep_count {
  int64_t cases, rows;
  int64_t ended[VV_CASE_ENDS]; /* rows by how they ended; the last: cases without a row */
} vv_sweep_count;
VV_API VV_NODISCARD vv_status vv_sweep_table(vv_sweep *sweep, vv_sweep_count *out);
/* One HTML file with histograms, scatter of any two columns, curves of kept cases and a list of failures. */
VV_API VV_NODISCARD vv_status vv_sweep_page(vv_sweep *sweep, const char *path);

#ifdef __cplusplus
}
#endif
