/* tests/fuzz/fuzz_results.c  Any bytes as results.h5 or checkpoint.h5: what report, picture, compare and --resume read.  The first
 * byte chooses: 'r' results.h5 is read; 'c' checkpoint.h5 is loaded; 's' a run is resumed with these bytes as its results.h5.
 * HDF5 itself refuses most of what is damaged byte by byte.  'R', 'C' and 'S' do the same with files that are sound HDF5 and say
 * something else: those of a run, in which the bytes that follow, eight for each change, delete, move, link, reshape and fill. */
#include "edit_h5.h"
#include "io/checkpoint.h"
#include "io/results/read.h"
#include "model/model.h"
#include "visviva/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The seeds were made with it: `visviva run` with `record: {every: 1, paraview: false}`. */
static const char scene[] = "visviva: 1\ntime: {end: 1, step: 0.5}\nrecord: {every: 1, paraview: false}\nbodies:\n"
                            "  a: {kind: rigid, shape: {ball: {radius: 1}}, mass: 1}\n";

static void write_all(const char *path, const uint8_t *data, size_t size)
{
  FILE *f = fopen(path, "wb");
  if (f == NULL || fwrite(data, 1, size, f) != size || fclose(f) != 0) abort();
}

static void read_frames(vv_ctx *ctx, const char *folder)
{
  static const char *const field[] = {"position", "velocity", "elements", "orientation"};
  enum { MOST = 4096 };
  static double value[MOST];
  vvi_arena arena = {0};
  vvi_run run;
  if (vvi_run_open(ctx, &arena, folder, &run) == VV_OK) {
    for (int i = 0; i < run.n_body && i < 4; i++) {
      int64_t count, *triangle;
      int components;
      double *point;
      for (size_t k = 0; k < sizeof field / sizeof field[0]; k++) {
        vvi_run_shape(&run, i, field[k], &count, &components);
        if (run.frames > 0 && count > 0 && components > 0 && count <= MOST / components)
          (void)!vvi_run_read(&run, i, field[k], run.frames - 1, 1, 0, count, value);
      }
      (void)!vvi_run_skin(&run, &arena, i, &count, &point);
      (void)!vvi_run_triangles(&run, &arena, i, &count, &triangle);
    }
    (void)!vvi_run_close(&run);
  } else if (vv_ctx_message_count(ctx) == 0) {
    abort();
  }
  vvi_arena_free(&arena);
}

static void load(vv_ctx *ctx, const vv_model *model, vv_state *state, const char *folder)
{
  vv_ledger *ledger;
  if (vv_ledger_create(&ledger) != VV_OK) abort();
  if (vv_checkpoint_read(model, folder, state, ledger) != VV_OK && vv_ctx_message_count(ctx) == 0) abort();
  vv_ledger_destroy(ledger);
}

/* A run of one step leaves its files. */
static void leave(vv_model *model, vv_state *state, const char *folder)
{
  vv_results_def files = vv_results_default();
  vv_sim_def def = vv_sim_default();
  vv_results *results = NULL;
  vv_sim *sim = NULL;
  vv_report report;
  files.folder = folder, files.overwrite = true;
  if (vv_results_create(model, &files, &results) != VV_OK || vv_sim_create(model, state, &def, &sim) != VV_OK) abort();
  if (vv_sim_observe_when(sim, vv_results_next, vv_results_observe, results) != VV_OK) abort();
  if (vv_sim_steps(sim, 1, &report) != VV_OK || vv_results_close(results) != VV_OK) abort();
  vv_sim_destroy(sim);
}

/* The same, and goes on, but results.h5 is exchanged. */
static void resume(vv_model *model, vv_state *state, const char *folder, const char *h5, const uint8_t *data,
                   size_t size)
{
  vv_results_def files = vv_results_default();
  vv_sim_def def = vv_sim_default();
  vv_results *results = NULL;
  vv_sim *sim = NULL;
  vv_report report;
  vv_ledger *ledger;
  if (vv_ledger_create(&ledger) != VV_OK) abort();
  leave(model, state, folder);
  write_all(h5, data, size);
  files.folder = folder, files.resume = true;
  if (vv_checkpoint_read(model, folder, state, ledger) != VV_OK || vv_sim_create(model, state, &def, &sim) != VV_OK)
    abort();
  if (vv_sim_restore(sim, ledger) != VV_OK || vv_results_create(model, &files, &results) != VV_OK) abort();
  if (vv_sim_observe_when(sim, vv_results_next, vv_results_observe, results) != VV_OK) abort();
  (void)!vv_sim_run(sim, &report);
  (void)!vv_results_close(results);
  vv_sim_destroy(sim);
  vv_ledger_destroy(ledger);
}

static void clean_up(const char *folder)
{
  static const char *const name[] = {"results.h5", "results.h5.damaged", "checkpoint.h5", "checkpoint.tmp",
                                     "scene.yaml", "ledger.csv",         "events.csv",    "contacts.csv"};
  char path[128];
  for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, name[i]);
    remove(path);
  }
  rmdir(folder);
}

/* The files of a run, made once. */
static void keep(vv_model *model, vv_state *state, const char *folder, const char *h5, const char *checkpoint)
{
  if (edit_has(EDIT_RESULTS)) return;
  leave(model, state, folder);
  edit_keep(EDIT_RESULTS, h5), edit_keep(EDIT_CHECKPOINT, checkpoint);
  clean_up(folder);
  mkdir(folder, 0777);
}

static void read_as(char how, const uint8_t *data, size_t size, const char *folder)
{
  char h5[96], checkpoint[96];
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  vv_spec *spec = NULL;
  vv_model *model = NULL;
  vv_state *state = NULL;
  uint8_t *edited = NULL;
  snprintf(h5, sizeof h5, "%s/results.h5", folder);
  snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint.h5", folder);
  def.threads = 1;
  if (vv_ctx_create(&def, &ctx) != VV_OK) abort();
  if (vv_scene_parse(ctx, "fuzz.yaml", scene, sizeof scene - 1, &spec) != VV_OK) abort();
  if (vv_compile(ctx, spec, &model, &state) != VV_OK) abort();
  if (how == 'R' || how == 'C' || how == 'S') {
    keep(model, state, folder, h5, checkpoint);
    vv_state_destroy(state), vv_model_destroy(model);
    if (vv_compile(ctx, spec, &model, &state) != VV_OK) abort();
    data = edited = edit_h5(how == 'C' ? EDIT_CHECKPOINT : EDIT_RESULTS, data, size, &size);
  }
  if (how == 'c' || how == 'C') {
    write_all(checkpoint, data, size);
    load(ctx, model, state, folder);
  } else if (how == 's' || how == 'S') {
    resume(model, state, folder, h5, data, size);
  } else {
    write_all(h5, data, size);
    read_frames(ctx, folder);
  }
  free(edited);
  vv_state_destroy(state);
  vv_model_destroy(model);
  vv_spec_destroy(spec);
  vv_ctx_destroy(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char folder[64];
  if (size < 1 || size > 1 << 17) return 0;
  snprintf(folder, sizeof folder, "%s/fuzz_results_%d", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
           (int)getpid());
  mkdir(folder, 0777);
  read_as((char)data[0], data + 1, size - 1, folder);
  clean_up(folder);
  return 0;
}
