/* bench/bench_rigid.c  The free flight of rigid bodies, class by class: bench_rigid [folder for the CSV].
 *
 * Timed: vv_sim_steps(n) less vv_sim_steps(1), as in bench_bar.c: n - 1 flights of all bodies.  Flops are counted from the
 * formulas (body/rigid/formulas.h), divisions as one; the box takes two Newton steps.  The limit is whichever binds: the
 * core's fused multiply-add peak, measured between the runs (the library itself never fuses, so that every machine gives the
 * same bits), or the memory, of which a flight reads 24 doubles per body (27 of a box) and writes 14.  movers: vv_mover of
 * every body, as contact asks for them once a step; 24 doubles in, 36 out. */
#include "model/model.h"
#include "sim/sim.h"
#include "tools.h"

#include <math.h>
#include <stdlib.h>

enum { REPEATS = 7, MOST_THREADS = 2 };

typedef struct scene {
  const char *name, *shape;
  int flops, bytes;
} scene;

/* The moments decide: a cube has three equal ones as a ball has, a capsule two, a box none. */
static const scene shape_list[] = {{"sphere", "{ball: {radius: 0.1}}", 113, 304},
                                   {"cube", "{box: {size: [0.2, 0.2, 0.2]}}", 113, 304},
                                   {"capsule", "{capsule: {length: 0.2, radius: 0.05}}", 227, 304},
                                   {"box", "{box: {size: [0.5, 0.35, 0.25]}}", 650, 328}};

static bench_run open_bodies(const scene *s, int many, int threads)
{
  char text[1024];
  const int side = many / 100;
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1, step: 1e-2}\nmethod: {step: leapfrog}\ncontacts: []\nbodies:\n"
           "  b: {kind: rigid, shape: %s, density: 500, copies: {grid: {count: [10, 10, %d], spacing: [1, 1, 1]}, "
           "orientation: random, speed: 1, spin: 2.3}}\n",
           s->shape, side);
  return bench_parse(text, threads);
}

static void keep_least(double *least, double value)
{
  if (!(*least <= value)) *least = value;
}

typedef struct row {
  double ns, movers, peak, stream;
  uint64_t hash;
} row;

static double time_movers(const bench_run *run, vv_mover *out, int threads)
{
  const vv_block *b = &run->model->block[0];
  const int64_t n = 1 + (int64_t)(2e6 / (double)b->nodes);
  const double from = bench_clock(threads);
  for (int64_t i = 0; i < n; i++) b->kind->movers(b, run->state->q + b->q0, run->state->p + b->p0, out);
  return 1e9 * (bench_clock(threads) - from) / (double)n / (double)b->nodes;
}

static row measure(const scene *s, int many, int threads)
{
  bench_run run = open_bodies(s, many, threads);
  row r = {.movers = NAN};
  const int64_t n = 2 + (int64_t)(2e7 / (double)many);
  vv_mover *out = malloc(sizeof *out * (size_t)many);
  bench_stream *stream = bench_stream_create(many * (int64_t)s->bytes / 32, threads, false);
  vv_report report;
  double all = NAN, ends = NAN;
  if (out == NULL || stream == NULL) exit(1);
  bench_steps(&run, 1, &report);
  for (int i = 0; i < REPEATS; i++) {
    keep_least(&ends, bench_steps(&run, 1, &report));
    keep_least(&all, bench_steps(&run, n, &report));
    keep_least(&r.movers, time_movers(&run, out, threads));
    r.peak = fmax(r.peak, bench_fma_peak());
    r.stream = fmax(r.stream, bench_stream_shape(stream, 1 + (int)(1e6 / (double)many)));
  }
  r.ns = 1e9 * (all - ends) / (double)(n - 1) / (double)many;
  r.hash = vv_state_hash(run.state);
  bench_stream_destroy(stream);
  free(out);
  bench_close(&run);
  return r;
}

static void print_row(const scene *s, int many, int threads, const row *r, FILE *csv)
{
  const double speed = s->flops / r->ns, rate = s->bytes / r->ns;
  const double share = fmax(speed / (threads * r->peak), rate / r->stream);
  printf("%8s %8d %8d %10.2f %10.2f %9.1f %8.1f %8.1f %8.1f %6.0f%%  %016llx\n", s->name, many, threads, r->ns,
         r->movers, speed, r->peak, rate, r->stream, 100.0 * share, (unsigned long long)r->hash);
  fprintf(csv, "%s,%d,%d,%.3f,%.3f,%.2f,%.2f,%.2f,%.2f,%.3f,%016llx\n", s->name, many, threads, r->ns, r->movers, speed,
          r->peak, rate, r->stream, share, (unsigned long long)r->hash);
  fflush(stdout);
}

int main(int argc, char **argv)
{
  static const int many_list[] = {1000, 100000};
  FILE *csv = bench_csv(argc, argv, "-rigid");
  int unequal = 0;
  fprintf(csv, "shape,bodies,threads,ns_per_body_step,ns_per_mover,gflop_per_s,fma_peak_gflop_per_s,gb_per_s,"
               "stream_gb_per_s,share,state_hash\n");
  printf("%8s %8s %8s %10s %10s %9s %8s %8s %8s %7s  %s\n", "shape", "bodies", "threads", "ns/body", "ns/mover",
         "GFLOP/s", "peak", "GB/s", "stream", "share", "state hash");
  for (size_t i = 0; i < sizeof shape_list / sizeof *shape_list; i++)
    for (size_t k = 0; k < sizeof many_list / sizeof *many_list; k++) {
      uint64_t first = 0;
      for (int threads = 1; threads <= MOST_THREADS; threads++) {
        const row r = measure(&shape_list[i], many_list[k], threads);
        print_row(&shape_list[i], many_list[k], threads, &r, csv);
        if (threads == 1) first = r.hash;
        unequal += r.hash != first;
      }
    }
  printf("\nsame bits for every number of threads: %s; load %.2f\n", unequal == 0 ? "yes" : "NO", bench_load());
  return fclose(csv) != 0 || unequal > 0;
}
