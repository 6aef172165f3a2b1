/* bench/bench_bar.c  The bar's leapfrog against the memory of the machine: bench_bar [folder for the CSV].
 *
 * Timed: vv_sim_steps(n) less vv_sim_steps(1).  Both open and close the ledger and kick at either end, so the difference is
 * n - 1 steps of the fused pass and nothing else; what the ends cost is the last column.  A step must read and write u and
 * p and read k and 1/m: 48 B per node.  Share: of a loop that does the same to four arrays with no mechanics in it, for the
 * same working set and number of threads, measured between the runs.  Minimum time of the repeats. */
#include "tools.h"

#include <math.h>
#include <stdlib.h>

enum { REPEATS = 11, BYTES = 48, SIZES = 3, MOST_THREADS = 2 };

typedef struct row {
  int64_t nodes;
  int threads;
  double step;         /* s per step, fused pass */
  double ends;         /* s per call around the steps: first and last kick, ledger */
  double shape, triad; /* GB/s */
  uint64_t hash;
} row;

static bench_run open_bar(int64_t nodes, int threads)
{
  char text[512];
  snprintf(text, sizeof text,
           "visviva: 1\n"
           "time: {end: 1, step: {safety: 0.9}}\n"
           "method: {step: leapfrog}\n"
           "bodies:\n"
           "  free: {kind: bar, length: 1, elements: %lld, material: {young: 1, density: 1}, section: {area: 1},\n"
           "         velocity: 0.1, vibration: [{mode: 1, amplitude: 1e-3}, {mode: 7, velocity: 1e-2}]}\n",
           (long long)nodes - 1);
  return bench_parse(text, threads);
}

static void keep_least(double *least, double value)
{
  if (!(*least <= value)) *least = value;
}

static void keep_most(double *most, double value)
{
  if (!(*most >= value)) *most = value;
}

/* Enough steps for about 0.4 s a go on a machine of 30 GB/s. */
static int64_t steps_for(int64_t nodes)
{
  const double n = 0.25e9 / (double)nodes;
  return n < 24 ? 24 : (int64_t)n;
}

static row measure(int64_t nodes, int threads)
{
  row r = {.nodes = nodes, .threads = threads, .step = NAN, .ends = NAN, .shape = NAN, .triad = NAN};
  const int64_t n = steps_for(nodes);
  vv_report report;
  bench_run run = open_bar(nodes, threads);
  bench_stream *stream = bench_stream_create(nodes, threads, false);
  bench_steps(&run, 1, &report); /* opens the ledger, touches everything */
  double many = NAN;
  for (int i = 0; i < REPEATS; i++) {
    keep_least(&r.ends, bench_steps(&run, 1, &report));
    keep_least(&many, bench_steps(&run, n, &report));
    keep_most(&r.shape, bench_stream_shape(stream, (int)n));
    keep_most(&r.triad, bench_stream_triad(stream, (int)n));
  }
  r.step = (many - r.ends) / (double)(n - 1);
  r.hash = vv_state_hash(run.state);
  bench_stream_destroy(stream);
  bench_close(&run);
  return r;
}

static void print_row(const row *r, FILE *csv)
{
  const double ns = 1e9 * r->step / (double)r->nodes, speed = BYTES / ns, share = speed / r->shape;
  printf("%10lld %8d %10.4f %8.1f %8.1f %8.1f %7.0f%% %10.2f  %016llx\n", (long long)r->nodes, r->threads, ns, speed,
         r->shape, r->triad, 100.0 * share, 1e9 * r->ends / (double)r->nodes, (unsigned long long)r->hash);
  fprintf(csv, "free-bar,%lld,%d,%.4f,%.2f,%.2f,%.2f,%.3f,%016llx\n", (long long)r->nodes, r->threads, ns, speed,
          r->shape, r->triad, share, (unsigned long long)r->hash);
  fflush(stdout);
}

int main(int argc, char **argv)
{
  static const int64_t size[SIZES] = {1000, 100000, 10000000};
  FILE *csv = bench_csv(argc, argv, "");
  int unequal = 0;
  fprintf(csv, "scene,nodes,threads,ns_per_node_step,gb_per_s,stream_gb_per_s,triad_gb_per_s,share,state_hash\n");
  printf("%10s %8s %10s %8s %8s %8s %8s %10s  %s\n", "nodes", "threads", "ns/node", "GB/s", "stream", "triad", "share",
         "ends ns/n", "state hash");
  for (int i = 0; i < SIZES; i++) {
    uint64_t first = 0;
    for (int threads = 1; threads <= MOST_THREADS; threads++) {
      const row r = measure(size[i], threads);
      print_row(&r, csv);
      if (threads == 1) first = r.hash;
      unequal += r.hash != first;
    }
  }
  printf("\nsame bits for every number of threads: %s; load %.2f\n", unequal == 0 ? "yes" : "NO", bench_load());
  return fclose(csv) != 0 || unequal > 0;
}
