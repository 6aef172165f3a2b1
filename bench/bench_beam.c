/* bench/bench_beam.c  The beam's leapfrog (closed-form LGVI, one-point strain), then in cache with other strains and drifts:
 * bench_beam [folder for the CSV].
 *
 * Timed: vv_sim_steps(n) less vv_sim_steps(1), as in bench_bar.c: n - 1 steps of the fused pass.  Flops are counted from
 * the formulas (one element 3 + 201 adds and multiplications and a division; one node 46 in the kick and the shift, 80, a
 * division and two square roots in the turn).  Share: of the core's fused multiply-add peak, measured between the runs;
 * the library itself never fuses, so that every machine gives the same bits.  A step that streams must read 20 and write
 * 18 doubles per node: 304 B. */
#include "tools.h"

#include <math.h>
#include <stdlib.h>

enum { REPEATS = 7, FLOPS = 3 + 201 + 1 + 46 + 80 + 3, BYTES = 304, MOST_THREADS = 2 };

typedef struct scene {
  int beams, elements;
  const char *strain, *drift; /* NULL: the defaults */
  double spin;                /* times the usual one: how far a step turns the sections */
} scene;

static bench_run open_beams(const scene *s, int threads)
{
  const size_t room = 1024 + 400 * (size_t)s->beams;
  char *text = malloc(room);
  if (text == NULL) exit(1);
  size_t used = (size_t)snprintf(text, room,
                                 "visviva: 1\ntime: {end: 1, step: {safety: 0.5}}\nmethod: {step: leapfrog}\n"
                                 "contacts: [{response: none}]\nbodies:\n");
  const double spin = s->spin > 0.0 ? s->spin : 1.0;
  for (int i = 0; i < s->beams; i++)
    used +=
        (size_t)snprintf(text + used, room - used,
                         "  b%d: {kind: beam, length: 2, elements: %d, material: {young: 1e7, poisson: 0.35, density: "
                         "1000}, section: {square: {side: 0.05}}, shape: {arc: {angle: 1}}, strain: %s, drift: "
                         "%s, spin: [%g, %g, %g]}\n",
                         i, s->elements, s->strain != NULL ? s->strain : "one-point",
                         s->drift != NULL ? s->drift : "lgvi", spin, 2.0 * spin, i % 7 * spin);
  bench_run r = bench_parse(text, threads);
  free(text);
  return r;
}

static void keep_least(double *least, double value)
{
  if (!(*least <= value)) *least = value;
}

typedef struct row {
  int64_t nodes;
  double ns, ends, peak;
  uint64_t hash;
} row;

static row measure(const scene *s, int threads)
{
  bench_run run = open_beams(s, threads);
  row r = {.nodes = vv_model_nodes(run.model), .ends = NAN};
  const int64_t n = 2 + (int64_t)(2e7 / (double)r.nodes);
  vv_report report;
  double many = NAN, ends = NAN;
  bench_steps(&run, 1, &report);
  for (int i = 0; i < REPEATS; i++) {
    keep_least(&ends, bench_steps(&run, 1, &report));
    keep_least(&many, bench_steps(&run, n, &report));
    r.peak = fmax(r.peak, bench_fma_peak());
  }
  r.ns = 1e9 * (many - ends) / (double)(n - 1) / (double)r.nodes;
  r.ends = 1e9 * ends / (double)r.nodes;
  r.hash = vv_state_hash(run.state);
  bench_close(&run);
  return r;
}

static void print_row(const scene *s, int threads, const row *r, FILE *csv)
{
  const double speed = FLOPS / r->ns, share = speed / (threads * r->peak);
  printf("%6d %9d %8d %10.2f %9.1f %8.1f %6.0f%% %8.1f %10.1f  %016llx\n", s->beams, s->elements, threads, r->ns, speed,
         r->peak, 100.0 * share, BYTES / r->ns, r->ends, (unsigned long long)r->hash);
  fprintf(csv, "free-beam,%d,%d,%d,%.3f,%.2f,%.2f,%.3f,%.2f,%016llx\n", s->beams, s->elements, threads, r->ns, speed,
          r->peak, share, BYTES / r->ns, (unsigned long long)r->hash);
  fflush(stdout);
}

/* Strains and drifts in cache on one core; the last rows turn the sections a hundred times as far in a step. */
static void variants(FILE *csv)
{
  static const scene list[] = {
      {1, 256, "one-point", "lgvi", 1},     {1, 256, "trapezoid", "lgvi", 1}, {1, 256, "cayley", "lgvi", 1},
      {1, 256, "one-point", "cayley", 1},   {1, 256, "cayley", "cayley", 1},  {1, 256, "one-point", "lavi-cay", 1},
      {1, 256, "one-point", "lavi-exp", 1}, {1, 256, "cayley", "lgvi", 100},  {1, 256, "cayley", "cayley", 100}};
  printf("\n%10s %10s %6s %10s  %s\n", "strain", "drift", "spin", "ns/node", "state hash");
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    const scene *s = &list[i];
    const row r = measure(s, 1);
    printf("%10s %10s %6g %10.2f  %016llx\n", s->strain, s->drift, s->spin, r.ns, (unsigned long long)r.hash);
    fprintf(csv, "beam %s %s spin %g,%d,%d,1,%.3f,,%.2f,,,%016llx\n", s->strain, s->drift, s->spin, s->beams,
            s->elements, r.ns, r.peak, (unsigned long long)r.hash);
    fflush(stdout);
  }
}

int main(int argc, char **argv)
{
  static const scene list[] = {{.beams = 1, .elements = 64},     {.beams = 1, .elements = 256},
                               {.beams = 1, .elements = 1024},   {.beams = 1, .elements = 16384},
                               {.beams = 1, .elements = 131072}, {.beams = 1, .elements = 1000000},
                               {.beams = 1000, .elements = 64}};
  FILE *csv = bench_csv(argc, argv, "-beam");
  int unequal = 0;
  fprintf(csv,
          "scene,beams,elements,threads,ns_per_node_step,gflop_per_s,fma_peak_gflop_per_s,share,gb_per_s,state_hash\n");
  printf("%6s %9s %8s %10s %9s %8s %7s %8s %10s  %s\n", "beams", "elements", "threads", "ns/node", "GFLOP/s", "peak",
         "share", "GB/s", "ends ns/n", "state hash");
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    uint64_t first = 0;
    for (int threads = 1; threads <= MOST_THREADS; threads++) {
      const row r = measure(&list[i], threads);
      print_row(&list[i], threads, &r, csv);
      if (threads == 1) first = r.hash;
      unequal += r.hash != first;
    }
  }
  printf("\nsame bits for every number of threads: %s; load %.2f\n", unequal == 0 ? "yes" : "NO", bench_load());
  variants(csv);
  return fclose(csv) != 0 || unequal > 0;
}
