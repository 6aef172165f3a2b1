/* bench/tools.c  Clocks, machine, streams, scenes. */
#define _DEFAULT_SOURCE /* madvise, getloadavg */
#include "tools.h"

#include "math/math.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* ---- time ---- */

static double seconds(clockid_t id)
{
  struct timespec t;
  clock_gettime(id, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_wall(void)
{
  return seconds(CLOCK_MONOTONIC);
}

double bench_cpu(void)
{
  return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

double bench_clock(int threads)
{
  return threads == 1 ? bench_cpu() : bench_wall();
}

double bench_load(void)
{
  double load = 0.0;
  return getloadavg(&load, 1) == 1 ? load : -1.0;
}

/* ---- machine ---- */

/* The number after `key : ` in /proc/cpuinfo, or its text; false if there is none. */
static bool cpu_line(const char *key, char *value, size_t size)
{
  char line[512];
  FILE *f = fopen("/proc/cpuinfo", "r");
  bool found = false;
  while (f != NULL && !found && fgets(line, sizeof line, f) != NULL) {
    const size_t n = strlen(key);
    char *colon = strchr(line, ':');
    if (strncmp(line, key, n) != 0 || colon == NULL || isspace((unsigned char)line[n]) == 0) continue;
    if (strspn(line + n, " \t") != (size_t)(colon - line) - n) continue;
    snprintf(value, size, "%s", colon + 1);
    found = true;
  }
  if (f != NULL) fclose(f);
  return found;
}

/* A virtual machine often says no more than "AMD EPYC": family and model tell the generation. */
static const char *zen(void)
{
  char family[64] = "", model[64] = "";
  if (!cpu_line("cpu family", family, sizeof family) || !cpu_line("model", model, sizeof model)) return "";
  const long f = strtol(family, NULL, 10), m = strtol(model, NULL, 10);
  if (f == 26) return " zen5";
  if (f == 25) return (m >= 0x10 && m < 0x20) || (m >= 0x60 && m < 0x80) || m >= 0xa0 ? " zen4" : " zen3";
  return f == 23 ? (m >= 0x30 ? " zen2" : " zen1") : "";
}

const char *bench_machine(char *name, size_t size)
{
  char model[256] = "unknown", text[512];
  const char *given = getenv("BENCH_MACHINE");
  cpu_line("model name", model, sizeof model);
  const bool amd = strstr(model, "AMD") != NULL;
  snprintf(text, sizeof text, "%s%s %ldcore", model, amd ? zen() : "", sysconf(_SC_NPROCESSORS_ONLN));
  const char *from = given != NULL ? given : text;
  size_t n = 0;
  for (; *from != '\0' && n + 1 < size; from++) {
    const bool plain = isalnum((unsigned char)*from) != 0;
    if (plain || (n > 0 && name[n - 1] != '-')) name[n++] = plain ? (char)tolower((unsigned char)*from) : '-';
  }
  name[n] = '\0';
  return name;
}

FILE *bench_csv(int argc, char **argv, const char *suffix)
{
  char machine[128], path[1024];
  snprintf(path, sizeof path, "%s/%s%s.csv", argc > 1 ? argv[1] : VV_SOURCE_DIR "/bench/results",
           bench_machine(machine, sizeof machine), suffix);
  FILE *f = fopen(path, "w");
  if (f == NULL) {
    perror(path);
    exit(1);
  }
  printf("machine %s, load %.2f\n\n", machine, bench_load());
  return f;
}

/* ---- streams ---- */

struct bench_stream {
  int64_t n;
  int threads;
  double *memory; /* [4 n] */
};

static void touch(int64_t i0, int64_t i1, double *a)
{
  for (int64_t i = i0; i < i1; i++) a[i] = 1e-3 * (double)(i % 1000);
}

bench_stream *bench_stream_create(int64_t n, int threads, bool huge)
{
  enum { PAGE = 1 << 21 };
  bench_stream *s = malloc(sizeof *s);
  const size_t bytes = (4 * (size_t)n * sizeof(double) + PAGE - 1) / PAGE * PAGE;
  double *memory = aligned_alloc(huge ? PAGE : 64, bytes);
  if (s == NULL || memory == NULL) {
    fprintf(stderr, "out of memory\n");
    exit(1);
  }
  if (huge) (void)madvise(memory, bytes, MADV_HUGEPAGE);
  *s = (bench_stream){.n = n, .threads = threads, .memory = memory};
  touch(0, 4 * n, memory);
  return s;
}

void bench_stream_destroy(bench_stream *s)
{
  free(s->memory);
  free(s);
}

VV_HOT static void shape_range(int64_t i0, int64_t i1, double *restrict a, double *restrict b, const double *restrict c,
                               const double *restrict d)
{
  for (int64_t i = i0; i < i1; i++) {
    a[i] = 0.5 * a[i] + c[i];
    b[i] = 0.5 * b[i] + d[i];
  }
}

VV_HOT static void triad_range(int64_t i0, int64_t i1, double *restrict a, const double *restrict b,
                               const double *restrict c)
{
  for (int64_t i = i0; i < i1; i++) a[i] = b[i] + 0.5 * c[i];
}

/* Small arrays are not worth waking a second thread: the library does not do it either. */
static bool alone(const bench_stream *s)
{
  return s->threads == 1 || s->n < 16384;
}

static void shape_pass(bench_stream *s)
{
  const int64_t n = s->n;
  double *a = s->memory;
  if (alone(s)) {
    shape_range(0, n, a, a + n, a + 2 * n, a + 3 * n);
    return;
  }
#pragma omp parallel num_threads(s->threads)
  {
    const int64_t team = vvi_team_size(), me = vvi_team_rank();
    shape_range(n * me / team, n * (me + 1) / team, a, a + n, a + 2 * n, a + 3 * n);
  }
}

static void triad_pass(bench_stream *s)
{
  const int64_t n = 4 * s->n / 3 / 8 * 8;
  double *a = s->memory;
  if (alone(s)) {
    triad_range(0, n, a, a + n, a + 2 * n);
    return;
  }
#pragma omp parallel num_threads(s->threads)
  {
    const int64_t team = vvi_team_size(), me = vvi_team_rank();
    triad_range(n * me / team, n * (me + 1) / team, a, a + n, a + 2 * n);
  }
}

double bench_stream_shape(bench_stream *s, int passes)
{
  shape_pass(s);
  const double t = bench_clock(s->threads);
  for (int i = 0; i < passes; i++) shape_pass(s);
  return 48.0 * (double)s->n * passes / (bench_clock(s->threads) - t) * 1e-9;
}

double bench_stream_triad(bench_stream *s, int passes)
{
  triad_pass(s);
  const double t = bench_clock(s->threads);
  for (int i = 0; i < passes; i++) triad_pass(s);
  return 24.0 * (double)(4 * s->n / 3 / 8 * 8) * passes / (bench_clock(s->threads) - t) * 1e-9;
}

/* ---- arithmetic ---- */

enum { FMA_CHAINS = 12, FMA_LANES = 8, FMA_ROUNDS = 2000000 };
typedef double fma_lanes __attribute__((vector_size(FMA_LANES * sizeof(double))));

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(VV_NO_CLONES)
__attribute__((target_clones("avx512f", "arch=haswell", "default")))
#endif
#if !defined(__clang__)
__attribute__((optimize("fp-contract=fast")))
#endif
static double
fma_rounds(double a, double c)
{
#if defined(__clang__)
#pragma clang fp contract(fast)
#endif
  fma_lanes x[FMA_CHAINS];
  for (int k = 0; k < FMA_CHAINS; k++)
    for (int l = 0; l < FMA_LANES; l++) x[k][l] = k + l;
  for (int i = 0; i < FMA_ROUNDS; i++)
    for (int k = 0; k < FMA_CHAINS; k++) x[k] = x[k] * a + c;
  double sum = 0.0;
  for (int k = 0; k < FMA_CHAINS; k++)
    for (int l = 0; l < FMA_LANES; l++) sum += x[k][l];
  return sum;
}

double bench_fma_peak(void)
{
  static volatile double a = 0.5, c = 1.0, sink;
  const double t = bench_cpu();
  sink = fma_rounds(a, c);
  (void)sink;
  return 2e-9 * FMA_ROUNDS * FMA_CHAINS * FMA_LANES / (bench_cpu() - t);
}

/* ---- scenes ---- */

void bench_must(const vv_ctx *ctx, vv_status status, const char *what)
{
  if (status == VV_OK) return;
  fprintf(stderr, "%s: %s\n", what, vv_status_text(status));
  for (int i = 0; ctx != NULL && i < vv_ctx_message_count(ctx); i++) fprintf(stderr, "  %s\n", vv_ctx_message(ctx, i));
  exit(1);
}

static bench_run open_ctx(int threads)
{
  bench_run r = {0};
  vv_ctx_def def = vv_ctx_default();
  def.threads = threads;
  bench_must(NULL, vv_ctx_create(&def, &r.ctx), "context");
  return r;
}

static void make(bench_run *r)
{
  const vv_sim_def def = vv_sim_default();
  bench_must(r->ctx, vv_compile(r->ctx, r->spec, &r->model, &r->state), "compile");
  bench_must(r->ctx, vv_sim_create(r->model, r->state, &def, &r->sim), "simulation");
}

bench_run bench_parse(const char *text, int threads)
{
  bench_run r = open_ctx(threads);
  bench_must(r.ctx, vv_scene_parse(r.ctx, "bench", text, strlen(text), &r.spec), "scene");
  make(&r);
  return r;
}

bench_run bench_read(const char *path, int threads)
{
  bench_run r = open_ctx(threads);
  bench_must(r.ctx, vv_scene_read(r.ctx, path, &r.spec), path);
  make(&r);
  return r;
}

void bench_close(bench_run *r)
{
  vv_sim_destroy(r->sim);
  vv_state_destroy(r->state);
  vv_model_destroy(r->model);
  vv_spec_destroy(r->spec);
  vv_ctx_destroy(r->ctx);
}

double bench_steps(bench_run *r, int64_t n, vv_report *report)
{
  const int threads = vv_ctx_threads(r->ctx);
  const double t = bench_clock(threads);
  bench_must(r->ctx, vv_sim_steps(r->sim, n, report), "steps");
  const double spent = bench_clock(threads) - t;
  if (report->reason == VV_REASON_DONE) return spent;
  fprintf(stderr, "%s: %s\n", vv_reason_text(report->reason), report->message);
  exit(1);
}

void bench_put(bench_text *t, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  t->n += (size_t)vsnprintf(t->at + t->n, BENCH_TEXT - t->n, format, args);
  va_end(args);
}

void bench_head(bench_text *t, double step)
{
  bench_put(t, "visviva: 1\ntime: {end: 1, step: %g}\nmethod: {step: leapfrog}\nrecord: {paraview: false}\nbodies:\n",
            step);
}

void bench_spheres(bench_text *t, int frequency)
{
  const double step = 5e-8, apart = 2.0 + 200.0 * 40 * step, x[2] = {0.0, sqrt(apart * apart - 0.09)};
  static const char *const place[2] = {"0, 0], velocity: [150, 0, 0], rotation: [0.3, 0.5, 0.2]",
                                       "0.3, 0], velocity: [-50, 0, 0], rotation: [-0.4, 0.1, 0.7]"};
  bench_head(t, step);
  for (int i = 0; i < 2; i++)
    bench_put(t,
              "  ball%d: {kind: shell, mesh: {sphere: {radius: 1, frequency: %d, level: 4}}, thickness: 0.05, "
              "material: {young: 2.1e5, poisson: 0.3, density: 0.0785}, centre: [%.9g, %s}\n",
              i, frequency, x[i], place[i]);
}

void bench_cubes(bench_text *t, int n)
{
  bench_put(t, "  cubes: {kind: shell, mesh: {cube: {edge: 1, pieces: 4}}, thickness: 0.05, "
               "material: {young: 2.1e5, poisson: 0.3, density: 0.7085}, copies: [");
  for (int i = 0; i < n * n * n; i++) {
    const double x[3] = {1.05 * (i % n), 1.05 * (i / n % n), 1.05 * (i / n / n)}, middle = 0.525 * (n - 1);
    bench_put(t, "%s{centre: [%g, %g, %g], velocity: [%g, %g, %g]}", i == 0 ? "" : ", ", x[0], x[1], x[2],
              -20.0 * (x[0] - middle), -20.0 * (x[1] - middle), -20.0 * (x[2] - middle));
  }
  bench_put(t, "]}\n");
}

void bench_heap_scene(char *text, size_t size, int side)
{
  const double wide = 1.5 * side, first = -0.75 * (side - 1);
  snprintf(text, size,
           "visviva: 1\ntime: {end: 1e6, step: 0.002}\ngravity: [0, 0, -9.81]\n"
           "contacts: [{restitution: 0.2, friction: 0.5}]\nbodies:\n"
           "  boxes: {kind: rigid, shape: {box: {size: [0.6, 0.7, 0.8]}}, density: 1, position: [%g, %g, 1], copies: "
           "{grid: {count: [%d, %d, %d], spacing: [1.4, 1.4, 1.4]}, orientation: random, seed: 7}}\n"
           "  room: {kind: obstacle, shape: {room: {size: [%g, %g, %g], centre: [0, 0, %g]}}}\n",
           first, first, side, side, side, wide, wide, 4.0 * wide, 2.0 * wide);
}
