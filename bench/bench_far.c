/* bench/bench_far.c  Shells that are far apart: how long they take to start, and what contact that never happens costs a step.
 * bench_far [folder for the CSV [threads]]. */
#include "tools.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 20, GOES = 5, PIECES = 3, ELEMENTS = 12 * PIECES * PIECES };

/* n^3 cubes of 108 elements, a quarter of their size and more apart, each with a velocity of its own; then they never meet. */
static void cubes(bench_text *t, int n, bool meet)
{
  bench_put(t,
            "visviva: 1\ntime: {end: 1, step: 1e-6}\nmethod: {step: leapfrog}\nrecord: {paraview: false}\ncontacts: "
            "[{%s}]\nbodies:\n  cubes: {kind: shell, mesh: {cube: {edge: 0.2, pieces: %d}}, thickness: 0.01, "
            "material: {young: 2.1e5, poisson: 0.3, density: 0.7}, copies: [",
            meet ? "restitution: 1" : "response: none", PIECES);
  for (int i = 0; i < n * n * n; i++)
    bench_put(t, "%s{centre: [%g, %g, %g], velocity: [%d, %d, %d]}", i == 0 ? "" : ", ", 0.3 * (i % n),
              0.3 * (i / n % n), 0.3 * (i / n / n), 7 * i % 5 - 2, 3 * i % 5 - 2, 11 * i % 5 - 2);
  bench_put(t, "]}\n");
}

/* Seconds of a step, by the least of several goes; start: up to the first.  What opens and closes a run of steps, without contact
 * one force more than steps, is taken off with a run of one: STEPS forces in either case. */
static double measure(int n, bool meet, int threads, double *start)
{
  bench_text t = {.at = malloc(BENCH_TEXT)};
  vv_report report;
  double many = INFINITY, one = INFINITY;
  if (t.at == NULL) abort();
  cubes(&t, n, meet);
  const double begin = bench_clock(threads);
  bench_run run = bench_parse(t.at, threads);
  bench_steps(&run, 1, &report);
  *start = bench_clock(threads) - begin;
  for (int i = 0; i < GOES; i++) {
    many = fmin(many, bench_steps(&run, STEPS + 1, &report));
    one = fmin(one, bench_steps(&run, 1, &report));
  }
  bench_close(&run);
  free(t.at);
  return (many - one) / STEPS;
}

int main(int argc, char **argv)
{
  FILE *csv = bench_csv(argc, argv, "-far");
  const int threads = argc > 2 ? atoi(argv[2]) : 1;
  static const int side[] = {5, 10, 21};
  fprintf(csv, "shells,threads,start_s,ns_per_element_step,ns_without_contact\n");
  printf("%8s %8s %9s %12s %12s %9s\n", "shells", "threads", "start s", "ns/element", "no contact", "more");
  for (size_t i = 0; i < sizeof side / sizeof *side; i++) {
    double start, none;
    const int n = side[i] * side[i] * side[i];
    const double unit = 1e-9 * n * ELEMENTS, free_step = measure(side[i], false, threads, &none) / unit,
                 step = measure(side[i], true, threads, &start) / unit;
    printf("%8d %8d %9.2f %12.1f %12.1f %8.1f%%\n", n, threads, start, step, free_step,
           100.0 * (step / free_step - 1.0));
    fflush(stdout);
    fprintf(csv, "%d,%d,%.3f,%.2f,%.2f\n", n, threads, start, step, free_step);
  }
  return fclose(csv) != 0;
}
