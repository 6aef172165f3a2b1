/* bench/bench_impact.c  Beams that may touch: what looking for contacts costs, and what an impact costs.
 * bench_impact [folder for the CSV].
 *
 * Scheme of the impact papers: strain cayley, drift cayley, step event, jump nodal.  First table: nothing touches; the
 * step of the same beam without contacts (leapfrog) stands beside it.  Second table: the slowest beam of the 2017 paper;
 * what a step with an impact takes more than one without, in steps of that beam. */
#include "tools.h"
#include "visviva/book.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 5, TEXT = 2048 };

typedef struct around {
  const char *name, *text; /* bodies */
  const char *touch;
} around;

static const around list[] = {
    {"floor", "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: -20}}}\n", "centroid"},
    {"room", "  room: {kind: obstacle, shape: {room: {size: [40, 40, 40]}}}\n", "centroid"},
    {"room, corners", "  room: {kind: obstacle, shape: {room: {size: [40, 40, 40]}}}\n", "section"},
    {"hollow sphere", "  ball: {kind: obstacle, shape: {sphere: {radius: 20, inside: true}}}\n", "centroid"},
    {"pipe", "  pipe: {kind: obstacle, shape: {cylinder: {axis: [1, 0, 0], radius: 20, inside: true}}}\n", "centroid"},
    {"box", "  box: {kind: obstacle, shape: {box: {centre: [0, 0, -20], size: [1, 1, 1]}}}\n", "centroid"},
};

static bench_run open_free(int elements, const around *a)
{
  char text[TEXT];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1, step: {safety: 0.5}}\nmethod: {step: %s}\n%sbodies:\n"
           "  beam: {kind: beam, length: 2, elements: %d, material: {young: 1e7, poisson: 0.35, density: 1000}, "
           "section: {square: {side: 0.05}}, shape: {arc: {angle: 1}}, strain: cayley, drift: cayley, "
           "spin: [1, 2, 3], touch: %s}\n%s",
           a != NULL ? "event, jump: nodal" : "leapfrog", a != NULL ? "" : "contacts: [{response: none}]\n", elements,
           a != NULL ? a->touch : "centroid", a != NULL ? a->text : "");
  return bench_parse(text, 1);
}

typedef struct free_row {
  double ns; /* per node and step */
  uint64_t hash;
} free_row;

static free_row free_measure(int elements, const around *a)
{
  bench_run run = open_free(elements, a);
  const int64_t nodes = vv_model_nodes(run.model), n = 2 + (int64_t)(1e6 / (double)nodes);
  vv_report report;
  double many = INFINITY, one = INFINITY;
  bench_steps(&run, 1, &report);
  for (int i = 0; i < REPEATS; i++) {
    one = fmin(one, bench_steps(&run, 1, &report));
    many = fmin(many, bench_steps(&run, n, &report));
  }
  const free_row r = {.ns = 1e9 * (many - one) / (double)(n - 1) / (double)nodes, .hash = vv_state_hash(run.state)};
  bench_close(&run);
  return r;
}

static void free_table(FILE *csv)
{
  static const int elements[] = {64, 256, 1024};
  printf("nothing touches: ns per node and step\n%14s", "");
  for (size_t k = 0; k < sizeof elements / sizeof *elements; k++) printf(" %8s %4d", "A =", elements[k]);
  for (int i = -1; i < (int)(sizeof list / sizeof *list); i++) {
    const around *a = i < 0 ? NULL : &list[i];
    printf("\n%14s", a == NULL ? "no contacts" : a->name);
    for (size_t k = 0; k < sizeof elements / sizeof *elements; k++) {
      const free_row r = free_measure(elements[k], a);
      printf(" %13.2f", r.ns);
      fprintf(csv, "apart %s,%d,%.3f,,%016llx\n", a == NULL ? "no contacts" : a->name, elements[k], r.ns,
              (unsigned long long)r.hash);
      fflush(stdout);
    }
  }
  printf("\n");
}

/* ---- impacts ---- */

/* The slowest published run, with more elements if wanted. */
static bench_run open_fall(int elements, double step, double end, int order, const char *jump)
{
  char text[TEXT];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: %g, step: %g}\nmethod: {step: event, jump: %s, start: drift, order: %d}\n"
           "gravity: [0, 0, -10]\nbodies:\n"
           "  beam: {kind: beam, length: 0.5, elements: %d, material: {young: 1e3, poisson: 0.35, density: 1e3}, "
           "section: {square: {side: 0.05}}, axis: [0, -0.479425538604203, 0.8775825618903728], normal: [1, 0, 0], "
           "shape: {uniform: {strain: [0, 0, 1], curvature: [1, 4.5, 1], steps: cayley}}, "
           "toward: {position: [0, -9.58851077208406e-06, 1.7551651237807457e-05], strain: [-0.004, 0, 1], curvature: "
           "[1.004, 4.522, 0.996], time: 0.0002}, touch: centroid, strain: cayley, drift: cayley}\n"
           "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n",
           end, step, jump, order, elements);
  return bench_parse(text, 1);
}

static int by_size(const void *x, const void *y)
{
  const double a = *(const double *)x, b = *(const double *)y;
  return a < b ? -1 : a > b;
}

static double median(double *x, int64_t n)
{
  qsort(x, (size_t)n, sizeof *x, by_size);
  return n > 0 ? x[n / 2] : NAN;
}

typedef struct fall {
  int elements;
  double step, end;
  int order;
  const char *jump;
} fall;

typedef struct fall_row {
  double ns;   /* per node and step, impacts included */
  double cost; /* of an impact, in steps: medians of steps with and without impacts, taken one by one */
  int64_t impacts;
  uint64_t hash;
} fall_row;

static fall_row fall_measure(const fall *f)
{
  fall_row row = {.ns = INFINITY};
  vv_report report;
  int64_t steps = 0;
  for (int i = 0; i < REPEATS; i++) {
    bench_run run = open_fall(f->elements, f->step, f->end, f->order, f->jump);
    steps = vv_model_steps(run.model);
    row.ns = fmin(row.ns, 1e9 * bench_steps(&run, steps, &report) / (double)steps / (f->elements + 1));
    row.impacts = vv_sim_ledger(run.sim)->impacts, row.hash = vv_state_hash(run.state);
    bench_close(&run);
  }
  bench_run run = open_fall(f->elements, f->step, f->end, f->order, f->jump);
  double *with = malloc(sizeof(double) * (size_t)steps), *without = malloc(sizeof(double) * (size_t)steps);
  int64_t *events = malloc(sizeof(int64_t) * (size_t)steps);
  if (with == NULL || without == NULL || events == NULL) exit(1);
  int64_t n_with = 0, n_without = 0;
  for (int64_t k = 0; k < steps; k++) {
    const double clock = bench_wall();
    bench_steps(&run, 1, &report);
    const double t = bench_wall() - clock;
    if (report.events == 0)
      without[n_without++] = t;
    else
      events[n_with] = report.events, with[n_with++] = t;
  }
  const double plain = median(without, n_without);
  for (int64_t k = 0; k < n_with; k++) with[k] = (with[k] - plain) / (double)events[k];
  row.cost = 1e9 * median(with, n_with) / (row.ns * (f->elements + 1));
  free(events);
  free(with), free(without);
  bench_close(&run);
  return row;
}

static void impact_table(FILE *csv)
{
  static const fall runs[] = {{10, 4e-5, 5, 2, "nodal"}, {10, 4e-5, 5, 2, "slab"},  {10, 4e-5, 5, 4, "nodal"},
                              {10, 4e-5, 5, 6, "nodal"}, {16, 2e-5, 5, 2, "nodal"}, {64, 1e-5, 0.5, 2, "nodal"}};
  printf("\nimpacts\n%4s %8s %6s %6s %8s %12s %18s  %s\n", "A", "step", "order", "jump", "impacts", "ns/node-step",
         "steps per impact", "state hash");
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    const fall *f = &runs[i];
    const fall_row r = fall_measure(f);
    printf("%4d %8g %6d %6s %8lld %12.1f %18.2f  %016llx\n", f->elements, f->step, f->order, f->jump,
           (long long)r.impacts, r.ns, r.cost, (unsigned long long)r.hash);
    fprintf(csv, "impacts %s order %d,%d,%.3f,%.2f,%016llx\n", f->jump, f->order, f->elements, r.ns, r.cost,
            (unsigned long long)r.hash);
    fflush(stdout);
  }
}

int main(int argc, char **argv)
{
  FILE *csv = bench_csv(argc, argv, "-impact");
  fprintf(csv, "scene,elements,ns_per_node_step,steps_per_impact,state_hash\n");
  free_table(csv);
  impact_table(csv);
  printf("load %.2f\n", bench_load());
  return fclose(csv) != 0;
}
