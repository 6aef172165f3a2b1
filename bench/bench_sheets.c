/* bench/bench_sheets.c  Shells that meet: what looking for contacts and answering them costs beside the step itself.
 * bench_sheets [folder for the CSV].
 *
 * Each scene runs twice, with contact and with `response: none`; columns in ns per element and step; whole: contact
 * included.  Impulses, list builds and passes are per step.  begin, start: seconds until the first step, without and with
 * contact. */
#include "sim/sim.h"
#include "step/contact.h"
#include "tools.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void head(bench_text *t, double step, double e, double mu, bool meet)
{
  bench_put(
      t,
      "visviva: 1\ntime: {end: 1, step: %g}\nmethod: {step: leapfrog}\ncontacts: [{restitution: %g, friction: %g%s}]\n",
      step, e, mu, meet ? "" : ", response: none");
  bench_put(t, "record: {paraview: false}\nbodies:\n");
}

/* Two spheres that touch after some 40 steps. */
static void spheres(bench_text *t, int frequency, int level, double step, double e, double mu, bool meet)
{
  const double apart = 2.0 + 200.0 * 40 * step, x[2] = {0.0, sqrt(apart * apart - 0.09)};
  static const char *const place[2] = {"0, 0], velocity: [150, 0, 0], rotation: [0.3, 0.5, 0.2]",
                                       "0.3, 0], velocity: [-50, 0, 0], rotation: [-0.4, 0.1, 0.7]"};
  head(t, step, e, mu, meet);
  for (int i = 0; i < 2; i++)
    bench_put(t,
              "  ball%d: {kind: shell, mesh: {sphere: {radius: 1, frequency: %d, level: %d}}, thickness: 0.05, "
              "material: {young: 2.1e5, poisson: 0.3, density: 0.0785}, centre: [%.9g, %s}\n",
              i, frequency, level, x[i], place[i]);
}

/* A block of n^3 cubes hit by another of m x k x k. */
static void cubes(bench_text *t, int n, int m, int k, double step, double e, double mu, bool meet)
{
  head(t, step, e, mu, meet);
  for (int side = 0; side < 2; side++) {
    bench_put(t,
              "  %s: {kind: shell, mesh: {cube: {edge: 1, pieces: 4}}, thickness: 0.05, "
              "material: {young: 2.1e5, poisson: 0.3, density: 0.7085}, velocity: [%d, 0, 0], copies: [",
              side == 0 ? "block" : "hammer", side == 0 ? -30 : 30);
    const int nx = side == 0 ? n : m, ny = side == 0 ? n : k;
    for (int i = 0; i < nx * ny * ny; i++)
      bench_put(t, "%s{centre: [%g, %g, %g]}", i == 0 ? "" : ", ",
                side == 0 ? 1.05 * (i % nx) : -1.05 - 1.05 * (i % nx), 1.05 * (i / nx % ny) + (side == 0 ? 0.0 : 0.5),
                1.05 * (i / nx / ny) + (side == 0 ? 0.0 : 0.5));
    bench_put(t, "]}\n");
  }
}

/* n^3 cubes that fly towards their middle. */
static void crowd(bench_text *t, int n, double step, double e, double mu, bool meet)
{
  head(t, step, e, mu, meet);
  bench_cubes(t, n);
}

/* n small cubes that never meet: what is far apart should cost nothing. */
static void apart(bench_text *t, int n, double step, bool meet)
{
  int side = 1;
  while (side * side * side < n) side++;
  head(t, step, 1.0, 0.0, meet);
  bench_put(t, "  cubes: {kind: shell, mesh: {cube: {edge: 0.2, pieces: 3}}, thickness: 0.002, "
               "material: {young: 2e9, poisson: 0.3, density: 1000}, copies: [");
  for (int i = 0; i < n; i++)
    bench_put(t, "%s{centre: [%g, %g, %g], velocity: [%d, %d, %d]}", i == 0 ? "" : ", ", 0.3 * (i % side),
              0.3 * (i / side % side), 0.3 * (i / side / side), i * 37 % 11 - 5, i * 53 % 7 - 3, i * 29 % 13 - 6);
  bench_put(t, "]}\n");
}

/* One cube between four that fly at it. */
static void five(bench_text *t, double step, double e, double mu, bool meet)
{
  static const double place[5][3] = {
      {0, 0, 0}, {-1.05, 0.03, 0.2}, {1.05, 0.02, -0.3}, {0.02, -1.05, 0.3}, {-0.03, 1.05, 0}};
  head(t, step, e, mu, meet);
  bench_put(t, "  cubes: {kind: shell, mesh: {cube: {edge: 1, pieces: 4}}, thickness: 0.05, "
               "material: {young: 2.1e5, poisson: 0.3, density: 0.7085}, copies: [");
  for (int i = 0; i < 5; i++) {
    const double *x = place[i];
    bench_put(t, "%s{centre: [%g, %g, %g], velocity: [%g, %g, %g]}", i == 0 ? "" : ", ", x[0], x[1], x[2], -30.0 * x[0],
              -30.0 * x[1], -30.0 * x[2]);
  }
  bench_put(t, "]}\n");
}

typedef struct row {
  const char *name;
  int kind, size, level;
  double step, e, mu;
  int64_t warm, steps;
} row;

static const row list[] = {
    {"spheres 4096", 0, 1, 4, 5e-6, 1.0, 0.0, 200, 1000}, {"spheres mu .5", 0, 1, 4, 5e-6, 1.0, 0.5, 200, 1000},
    {"spheres 50176", 0, 7, 3, 5e-7, 1.0, 0.0, 200, 200}, {"spheres 495616", 0, 11, 4, 5e-8, 1.0, 0.0, 60, 40},
    {"76 cubes", 1, 4, 3, 5e-6, 1.0, 0.0, 0, 1000},       {"76 cubes late", 1, 4, 3, 5e-6, 1.0, 0.0, 3000, 500},
    {"76 e .5 mu .5", 1, 4, 3, 5e-6, 0.5, 0.5, 0, 1000},  {"27 cubes dense", 2, 3, 0, 5e-6, 1.0, 0.0, 0, 500},
    {"5 cubes", 4, 0, 0, 5e-6, 1.0, 0.0, 500, 1000},      {"64 dense late", 2, 4, 0, 5e-6, 1.0, 0.0, 3000, 500},
    {"27 crowd", 3, 3, 0, 5e-6, 1.0, 0.0, 500, 500},      {"27 crowd late", 3, 3, 0, 5e-6, 1.0, 0.0, 1500, 500},
    {"64 crowd", 3, 4, 0, 5e-6, 1.0, 0.0, 300, 500},      {"64 crowd late", 3, 4, 0, 5e-6, 1.0, 0.0, 1500, 500},
    {"250 apart", 5, 250, 0, 1e-5, 1.0, 0.0, 20, 1000},   {"500 apart", 5, 500, 0, 1e-5, 1.0, 0.0, 20, 500},
    {"1000 apart", 5, 1000, 0, 1e-5, 1.0, 0.0, 20, 300},  {"10000 apart", 5, 10000, 0, 1e-5, 1.0, 0.0, 10, 50},
};

/* start: the seconds from the text to the first step. */
static bench_run open(const row *r, bool meet, int threads, double *start)
{
  bench_text t = {.at = malloc(BENCH_TEXT)};
  if (t.at == NULL) abort();
  if (r->kind == 0)
    spheres(&t, r->size, r->level, r->step, r->e, r->mu, meet);
  else if (r->kind == 3)
    crowd(&t, r->size, r->step, r->e, r->mu, meet);
  else if (r->kind == 4)
    five(&t, r->step, r->e, r->mu, meet);
  else if (r->kind == 5)
    apart(&t, r->size, r->step, meet);
  else
    cubes(&t, r->size, r->kind == 1 ? 3 : 1, r->kind == 1 ? 2 : 1, r->step, r->e, r->mu, meet);
  *start = bench_clock(threads);
  bench_run run = bench_parse(t.at, threads);
  *start = bench_clock(threads) - *start;
  free(t.at);
  return run;
}

/* What contact has done so far. */
typedef struct tally {
  double impulses, passes;
} tally;

static tally tally_of(const bench_run *run)
{
  const vv_ledger *l = vv_sim_ledger(run->sim);
  if (run->sim->step.contact == NULL) return (tally){0};
  return (tally){.impulses = (double)(l->impacts + l->held), .passes = (double)run->sim->step.contact->count.passes};
}

static double per_step(bench_run *run, const row *r, vv_report *report, tally *before)
{
  if (r->warm > 0) bench_steps(run, r->warm, report);
  *before = tally_of(run);
  return bench_steps(run, r->steps, report) / (double)r->steps;
}

static void measure(const row *r, int threads, FILE *csv)
{
  vv_report report;
  tally before;
  double start[2];
  bench_run free = open(r, false, threads, &start[0]), run = open(r, true, threads, &start[1]);
  const double n = (double)run.model->sheets->n_element, ns = 1e9 / n;
  const double alone = per_step(&free, r, &report, &before);
  const double whole = per_step(&run, r, &report, &before);
  const tally now = tally_of(&run);
  const double steps = (double)r->steps;
  printf("%-15s %2d %7.0f %8.1f %8.1f %6.2f %8.2f %7.2f %6.2f %9.2f %7.2f %7.2f  %016llx\n", r->name, threads, n,
         ns * alone, ns * whole, whole / alone, (now.impulses - before.impulses) / steps,
         (double)run.sim->step.contact->features->search->builds / (steps + (double)r->warm),
         (now.passes - before.passes) / steps, 1e3 * whole, start[0], start[1],
         (unsigned long long)vv_state_hash(run.state));
  fprintf(csv, "%s,%d,%.0f,%.2f,%.2f,%.3f,%.3f,%.3f\n", r->name, threads, n, ns * alone, ns * whole, 1e3 * whole,
          start[0], start[1]);
  fflush(stdout);
  bench_close(&free);
  bench_close(&run);
}

int main(int argc, char **argv)
{
  FILE *csv = bench_csv(argc, argv, "-sheets");
  const char *only = argc > 2 ? argv[2] : NULL;
  fprintf(csv, "scene,threads,elements,alone_ns,whole_ns,seconds_per_1000_steps,start_alone_s,start_s\n");
  printf("%-15s %2s %7s %8s %8s %6s %8s %7s %6s %9s %7s %7s  %s\n", "scene", "th", "elem", "alone", "whole", "ratio",
         "impulses", "builds", "passes", "s/1000", "begin", "start", "state hash");
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    for (int threads = 1; threads <= 2; threads++)
      if (only == NULL || (strstr(list[i].name, only) != NULL && threads == 1)) measure(&list[i], threads, csv);
  fclose(csv);
  return 0;
}
