/* bench/bench_device.c  Free shells on an accelerator, and on this processor beside it: bench_device [DEVICE [FREQUENCY ...]]
 *
 * A sphere of 8 FREQUENCY^2 triangles.  Timed: whole calls of vv_sim_steps with nobody looking, and with the ledger closed
 * after every step (an observer that keeps its rows); the least of several.  Bandwidth: of a triad on the same device.  Bytes
 * of an element and step, counted from the tables: reference 56, indices 14, lists 16, nodes in 23, shared slots out and back
 * 14, x and p in and out 48, masses 8. */
#include "tools.h"

#include "device/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 179, FLOPS = 526, MOST = 16 };

/* ---- the bandwidth of the device ---- */

static double triad(vvi_device *d)
{
  static const char text[] = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                             "__kernel void triad(__global double *a, __global const double *b, __global const double "
                             "*c)\n{ const size_t i = get_global_id(0); a[i] = b[i] + 3.0 * c[i]; }\n";
  const char *const texts[] = {text};
  const int64_t n = vvi_device_about(d)->accelerator ? 1 << 26 : 1 << 22;
  vvi_buffer *a[3];
  double best = INFINITY;
  if (!vvi_device_build(d, 0, 1, texts)) return NAN;
  vvi_kernel *k = vvi_device_kernel(d, "triad");
  for (int i = 0; i < 3; i++) a[i] = vvi_buffer_new(d, sizeof(double) * (size_t)n, NULL);
  for (int i = 0; i < 20 && vvi_device_trouble(d) == NULL; i++) {
    const double start = bench_clock(2);
    vvi_device_launch(d, k, n / 256, 256, VVI_ARGUMENTS(VVI_BUFFER(a[0]), VVI_BUFFER(a[1]), VVI_BUFFER(a[2])));
    vvi_device_finish(d);
    best = fmin(best, bench_clock(2) - start);
  }
  return 24e-9 * (double)n / best; /* GB/s */
}

/* ---- one sphere ---- */

typedef struct place {
  vv_ctx *ctx;
  vv_spec *spec;
  vv_model *model;
  vv_state *state;
  vv_sim *sim;
} place;

static bool sphere(int frequency, const char *device, int threads, place *out)
{
  char text[512];
  vv_ctx_def def = vv_ctx_default();
  vv_sim_def sim = vv_sim_default();
  def.device = device, def.threads = threads;
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1, step: %g}\nmethod: {step: leapfrog}\ncontacts: [{response: none}]\nbodies:\n"
           "  s: {kind: shell, mesh: {sphere: {radius: 1, frequency: %d}}, thickness: 0.02,\n"
           "      material: {young: 1e5, density: 1}, spin: [1, 2, 3]}\n",
           1e-7 / frequency, frequency);
  *out = (place){0};
  vv_status status = vv_ctx_create(&def, &out->ctx);
  if (status == VV_OK) status = vv_scene_parse(out->ctx, "sphere", text, strlen(text), &out->spec);
  if (status == VV_OK) status = vv_compile(out->ctx, out->spec, &out->model, &out->state);
  if (status == VV_OK) status = vv_sim_create(out->model, out->state, &sim, &out->sim);
  if (status != VV_OK && out->ctx != NULL) vv_ctx_report(out->ctx, stderr);
  return status == VV_OK;
}

static void leave(place *x)
{
  vv_sim_destroy(x->sim);
  vv_state_destroy(x->state);
  vv_model_destroy(x->model);
  vv_spec_destroy(x->spec);
  vv_ctx_destroy(x->ctx);
}

/* Seconds of a step inside vv_sim_steps, without what goes up and down at its ends: the difference of two lengths. */
static double step_time(vv_sim *sim, int64_t n)
{
  double least[2] = {INFINITY, INFINITY};
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 2; k++) {
      vv_report r;
      if (vv_sim_steps(sim, k == 0 ? n : 3 * n, &r) != VV_OK || r.reason != VV_REASON_DONE) {
        fprintf(stderr, "%s\n", r.message);
        return NAN;
      }
      least[k] = fmin(least[k], r.wall_seconds);
    }
  return (least[1] - least[0]) / (double)(2 * n);
}

static double audited(vv_sim *sim, int64_t n)
{
  vv_rows rows = {.columns = 8};
  if (vv_sim_observe(sim, 1, vv_rows_observe, &rows) != VV_OK) return NAN;
  const double t = step_time(sim, n);
  vv_sim_dismiss(sim, &rows);
  return t;
}

static void measure(int frequency, const char *device, int threads, bool fast, double bandwidth)
{
  const double elements = 8.0 * frequency * frequency;
  const int64_t n = (int64_t)fmax(4.0, fmin(400.0, (fast ? 8e8 : 4e6) / elements));
  const double start = bench_clock(2);
  place x;
  if (sphere(frequency, device, threads, &x)) {
    vv_report r;
    const double ready = bench_clock(2) - start;
    const bool begun = vv_sim_steps(x.sim, 10, &r) == VV_OK; /* everywhere the same: so must be the state */
    const uint64_t hash = begun ? vv_state_hash(x.state) : 0;
    const double step = step_time(x.sim, n), book = audited(x.sim, n);
    printf("%-10.10s %3d %9.0f %8.2f %10.2f %9.3g %8.0f %7.0f%% %10.2f %7.0f%%  %016llx\n",
           device != NULL ? device : "cpu", vv_ctx_threads(x.ctx), elements, ready, 1e6 * step, elements / step,
           BYTES * elements / step / 1e9, 100.0 * BYTES * elements / step / 1e9 / bandwidth, 1e6 * book,
           100.0 * (book / step - 1.0), (unsigned long long)hash);
    fflush(stdout);
  }
  leave(&x);
}

int main(int argc, char **argv)
{
  const char *device = argc > 1 ? argv[1] : "0";
  int frequency[MOST] = {22, 112, 354}, n = 3;
  for (int i = 2; i < argc && i - 2 < MOST; i++) frequency[i - 2] = atoi(argv[i]), n = i - 1;
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx;
  vvi_device *d;
  if (vv_ctx_create(&def, &ctx) != VV_OK) return 1;
  if (vvi_device_open(ctx, device, &d) != VV_OK) {
    vv_ctx_report(ctx, stderr);
    return 1;
  }
  const double bandwidth = triad(d);
  const bool fast = vvi_device_about(d)->accelerator;
  printf("%s, %s: triad %.0f GB/s\n", vvi_device_about(d)->name, vvi_device_about(d)->platform, bandwidth);
  fflush(stdout);
  vvi_device_close(d);
  printf("%-10s %3s %9s %8s %10s %9s %8s %8s %10s %8s  %s\n", "where", "thr", "elements", "ready s", "us/step",
         "el-step/s", "GB/s", "of triad", "us booked", "more", "state after 10");
  for (int i = 0; i < n; i++) {
    measure(frequency[i], device, 0, fast, bandwidth);
    if (getenv("VISVIVA_BENCH_CPU") != NULL) measure(frequency[i], NULL, 0, false, bandwidth);
  }
  vv_ctx_destroy(ctx);
  return 0;
}
