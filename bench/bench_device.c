/* bench/bench_device.c  Shells and beams on an accelerator, and on this processor beside it (VISVIVA_BENCH_CPU):
 * bench_device list
 * bench_device [DEVICE [FREQUENCY | beam:ELEMENTS | spheres:FREQUENCY | crowd:CUBES ...]]
 *
 * Free: a sphere of 8 FREQUENCY^2 triangles, or a beam; n is its triangles, or its nodes.  In contact: two spheres of 2048 FREQUENCY^2
 * triangles each, or CUBES^3 hollow cubes; with the bytes that go up or come down in a step, how often the processor waits, and the impacts in the steps that were timed.  Timed: whole calls of vv_sim_steps with nobody looking, and with the ledger closed
 * after every step (an observer that keeps its rows); the least of several.  Bandwidth: of a triad on the same device.  Bytes
 * of an element and step, counted from the tables: reference 56, indices 14, lists 22, nodes in 20, shared slots out and back
 * 29, rows of shared nodes 8, x and p in and out 48, masses 8.  Of a node of a beam: q and p in and out 288, masses 16, for eight steps. */
#include "tools.h"

#include "sim/sim.h"
#include "step/accelerate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 205, FLOPS = 526, BEAM_BYTES = 38, BEAM_FLOPS = 450, MOST = 16 };

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

/* Sums and products in a second: eight chains an item. */
static double arithmetic(vvi_device *d)
{
  static const char text[] = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL FP_CONTRACT OFF\n"
                             "__kernel void arithmetic(__global double *a, int rounds)\n{\n"
                             "  double x[8]; const size_t i = get_global_id(0);\n"
                             "  for (int k = 0; k < 8; k++) x[k] = a[i] + k;\n"
                             "  for (int r = 0; r < rounds; r++)\n"
                             "    for (int k = 0; k < 8; k++) x[k] = x[k] * 0.999 + 0.001;\n"
                             "  a[i] = ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));\n}\n";
  const char *const texts[] = {text};
  const int64_t n = vvi_device_about(d)->accelerator ? 1 << 20 : 1 << 12;
  const int32_t rounds = 1000;
  double best = INFINITY;
  if (!vvi_device_build(d, 0, 1, texts)) return NAN;
  vvi_kernel *k = vvi_device_kernel(d, "arithmetic");
  vvi_buffer *a = vvi_buffer_new(d, sizeof(double) * (size_t)n, NULL);
  for (int i = 0; i < 5 && vvi_device_trouble(d) == NULL; i++) {
    const double start = bench_clock(2);
    vvi_device_launch(d, k, n / 256, 256, VVI_ARGUMENTS(VVI_BUFFER(a), VVI_NUMBER(rounds)));
    vvi_device_finish(d);
    best = fmin(best, bench_clock(2) - start);
  }
  return 16.0 * rounds * (double)n / best;
}

/* ---- one sphere, one beam, many ---- */

typedef enum kind { SHELL, BEAM, SPHERES, CROWD } kind;
typedef struct thing {
  kind kind;
  int size; /* frequency of the sphere, elements of the beam, cubes of an edge */
} thing;

typedef struct place {
  vv_ctx *ctx;
  vv_spec *spec;
  vv_model *model;
  vv_state *state;
  vv_sim *sim;
} place;

static bool make(const char *text, const char *device, int threads, place *out)
{
  vv_ctx_def def = vv_ctx_default();
  vv_sim_def sim = vv_sim_default();
  def.device = device, def.threads = threads;
  *out = (place){0};
  vv_status status = vv_ctx_create(&def, &out->ctx);
  if (status == VV_OK) status = vv_scene_parse(out->ctx, "scene", text, strlen(text), &out->spec);
  if (status == VV_OK) status = vv_compile(out->ctx, out->spec, &out->model, &out->state);
  if (status == VV_OK) status = vv_sim_create(out->model, out->state, &sim, &out->sim);
  if (status != VV_OK && out->ctx != NULL) vv_ctx_report(out->ctx, stderr);
  return status == VV_OK;
}

/* A free sphere, or a beam of so many elements. */
static bool scene(const thing *x, const char *device, int threads, place *out)
{
  char text[512];
  if (x->kind == BEAM)
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 1, step: %g}\nmethod: {step: leapfrog}\ncontacts: [{response: none}]\nbodies:\n"
             "  b: {kind: beam, length: 100, elements: %d, section: {rectangle: {width: 0.3, height: 0.2}},\n"
             "      material: {young: 1e5, density: 1}, shape: {uniform: {strain: [0, 0, 1], curvature: [0.1, 0.2, "
             "0.3]}}}\n",
             0.02 / x->size, x->size);
  else
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 1, step: %g}\nmethod: {step: leapfrog}\ncontacts: [{response: none}]\nbodies:\n"
             "  s: {kind: shell, mesh: {sphere: {radius: 1, frequency: %d}}, thickness: 0.02,\n"
             "      material: {young: 1e5, density: 1}, spin: [1, 2, 3]}\n",
             1e-7 / x->size, x->size);
  return make(text, device, threads, out);
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

/* What the device can do: GB/s, and sums and products of doubles in a second. */
typedef struct limits {
  double bandwidth, rate;
} limits;

static void measure(const thing *what, const char *device, int threads, bool fast, const limits *most)
{
  const double n = what->kind == BEAM ? what->size + 1.0 : 8.0 * what->size * what->size;
  const double bytes = what->kind == BEAM ? BEAM_BYTES : BYTES, flops = what->kind == BEAM ? BEAM_FLOPS : FLOPS;
  const int64_t steps = (int64_t)fmax(4.0, fmin(400.0, (fast ? 8e8 : 4e6) / n));
  const double start = bench_clock(2);
  place x;
  if (scene(what, device, threads, &x)) {
    vv_report r;
    const double ready = bench_clock(2) - start;
    const bool begun = vv_sim_steps(x.sim, 10, &r) == VV_OK; /* everywhere the same: so must be the state */
    const uint64_t hash = begun ? vv_state_hash(x.state) : 0;
    const double step = step_time(x.sim, steps), book = audited(x.sim, steps);
    printf("%-6.6s %-5s %3d %9.0f %7.2f %9.2f %9.3g %6.0f%% %5.0f%% %9.2f %6.0f%%  %016llx\n",
           device != NULL ? device : "cpu", what->kind == BEAM ? "beam" : "shell", vv_ctx_threads(x.ctx), n, ready,
           1e6 * step, n / step, 100.0 * bytes * n / step / 1e9 / most->bandwidth,
           100.0 * flops * n / step / most->rate, 1e6 * book, 100.0 * (book / step - 1.0), (unsigned long long)hash);
    fflush(stdout);
  }
  leave(&x);
}

/* ---- in contact ---- */

/* Calls of one step: what goes up and down at the ends of a call costs their median. */
typedef struct ends {
  double seconds, moved, waits;
} ends;
enum { CALLS = 9 };

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static ends ends_of(vv_sim *sim, vvi_device *d, int64_t *impacts)
{
  double seconds[CALLS], moved = 0.0, waits = 0.0;
  for (int i = 0; i < CALLS; i++) {
    vv_report r;
    const int64_t before = d != NULL ? vvi_device_moved(d) : 0, waited = d != NULL ? vvi_device_waits(d) : 0;
    if (vv_sim_steps(sim, 1, &r) != VV_OK) return (ends){NAN, NAN, NAN};
    seconds[i] = r.step_seconds, *impacts += r.events;
    moved += d != NULL ? (double)(vvi_device_moved(d) - before) / CALLS : 0.0;
    waits += d != NULL ? (double)(vvi_device_waits(d) - waited) / CALLS : 0.0;
  }
  qsort(seconds, CALLS, sizeof *seconds, by_size);
  return (ends){seconds[CALLS / 2], moved, waits};
}

static void touching(const thing *what, const char *device)
{
  const int64_t warm = what->kind == SPHERES ? 60 : 200,
                steps = what->kind == SPHERES ? 351 : 231; /* cubes meet after 470 */
  const double start = bench_clock(2);
  bench_text t = {.at = malloc(BENCH_TEXT)};
  place x;
  vv_report r;
  if (t.at == NULL) return;
  if (what->kind == SPHERES)
    bench_spheres(&t, what->size);
  else
    bench_head(&t, 5e-6), bench_cubes(&t, what->size);
  if (make(t.at, device, 0, &x)) {
    const double ready = bench_clock(2) - start, n = (double)x.model->block[0].elements;
    vvi_device *d = x.sim->step.accelerator != NULL ? x.sim->step.accelerator->device : NULL;
    int64_t impacts = 0;
    bool good = vv_sim_steps(x.sim, warm, &r) == VV_OK && r.reason == VV_REASON_DONE;
    const ends once = ends_of(x.sim, d, &impacts);
    const int64_t before = d != NULL ? vvi_device_moved(d) : 0, waited = d != NULL ? vvi_device_waits(d) : 0;
    good = good && vv_sim_steps(x.sim, steps, &r) == VV_OK && r.reason == VV_REASON_DONE;
    const double step = (r.step_seconds - once.seconds) / (double)(steps - 1);
    const double moved = d != NULL ? ((double)(vvi_device_moved(d) - before) - once.moved) / (double)(steps - 1) : 0.0;
    const double waits = d != NULL ? ((double)(vvi_device_waits(d) - waited) - once.waits) / (double)(steps - 1) : 0.0;
    printf("%-6.6s %-7s %3d %9.0f %7.2f %9.2f %9.3g  %9.0f bytes %5.2f waits/step %7lld impacts  %016llx%s\n",
           device != NULL ? device : "cpu", what->kind == SPHERES ? "spheres" : "crowd", vv_ctx_threads(x.ctx), n,
           ready, 1e6 * step, n / step, moved, waits, (long long)(impacts + r.events),
           (unsigned long long)vv_state_hash(x.state), good ? "" : " stopped");
    fflush(stdout);
  }
  leave(&x);
  free(t.at);
}

/* As it is written on the command line. */
static thing thing_of(const char *text)
{
  static const struct {
    const char *word;
    kind kind;
  } known[] = {{"beam:", BEAM}, {"spheres:", SPHERES}, {"crowd:", CROWD}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strncmp(text, known[i].word, strlen(known[i].word)) == 0)
      return (thing){known[i].kind, atoi(text + strlen(known[i].word))};
  return (thing){SHELL, atoi(text)};
}

static void measure_both(const thing *what, const char *device, bool fast, const limits *most)
{
  for (int here = 0; here < (getenv("VISVIVA_BENCH_CPU") != NULL ? 2 : 1); here++)
    if (what->kind == SPHERES || what->kind == CROWD)
      touching(what, here ? NULL : device);
    else
      measure(what, here ? NULL : device, 0, fast && !here, most);
}

static int list(void)
{
  vv_device d[MOST];
  const int n = vv_device_list(d, MOST);
  for (int i = 0; i < n && i < MOST; i++) printf("%d %s (%s, %s)\n", i, d[i].name, d[i].platform, d[i].driver);
  return n > 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
  const char *device = argc > 1 ? argv[1] : "0";
  if (strcmp(device, "list") == 0) return list();
  thing what[MOST] = {{SHELL, 22}, {SHELL, 112}, {SHELL, 354}, {BEAM, 1000000}};
  int n = 4;
  for (int i = 2; i < argc && i - 2 < MOST; i++) what[i - 2] = thing_of(argv[i]), n = i - 1;
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx;
  vvi_device *d;
  if (vv_ctx_create(&def, &ctx) != VV_OK) return 1;
  if (vvi_device_open(ctx, device, 0, &d) != VV_OK) {
    vv_ctx_report(ctx, stderr);
    return 1;
  }
  const limits most = {.bandwidth = triad(d), .rate = arithmetic(d)};
  const bool fast = vvi_device_about(d)->accelerator;
  printf("%s, %s: triad %.0f GB/s, %.3g sums and products of doubles a second\n", vvi_device_about(d)->name,
         vvi_device_about(d)->platform, most.bandwidth, most.rate);
  fflush(stdout);
  vvi_device_close(d);
  printf("%-6s %-5s %3s %9s %7s %9s %9s %7s %6s %9s %7s  %s\n", "where", "what", "thr", "n", "ready s", "us/step",
         "n-step/s", "triad", "arith", "us booked", "more", "state after 10");
  for (int i = 0; i < n; i++) measure_both(&what[i], device, fast, &most);
  vv_ctx_destroy(ctx);
  return 0;
}
