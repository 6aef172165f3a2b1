/* bench/bench_scaling.c  What threads bring where bodies touch: one scene on 1, 2, 4, .. threads, wall time, same bits.
 * bench_scaling [folder for the CSV [most threads [part of a scene's name [times as many threads from row to row]]]]. */
#include "tools.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* n^3 cubes of 192 elements that fly towards their middle. */
static void crowd(bench_text *t, int n)
{
  bench_head(t, 5e-6);
  bench_cubes(t, n);
}

/* n x n columns of n boxes at rest. */
static void columns(bench_text *t, int n)
{
  bench_put(
      t,
      "visviva: 1\ntime: {end: 1e6, step: 0.004166666666666667}\ngravity: [0, 0, -9.81]\n"
      "contacts: [{restitution: 0, friction: 0.5}]\nbodies:\n"
      "  boxes: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, mass: 1, position: [0, 0, 0.5], copies: {grid: {count: "
      "[%d, %d, %d], spacing: [1.5, 1.5, 1]}}}\n  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n",
      n, n, n);
}

static const struct scene {
  const char *name;
  void (*write)(bench_text *t, int size);
  int size;
  int64_t warm, steps;
  double units, aim; /* elements or bodies; speed-up asked for on 16 threads */
} scene_list[] = {
    {"crowd of 729 cubes", crowd, 9, 200, 200, 729 * 192, 8},
    {"343 that touch", crowd, 7, 550, 50, 343 * 192, 8}, /* all have met in one step about the 480th */
    {"two spheres of 247,808", bench_spheres, 11, 60, 60, 2 * 247808, 10},
    {"8,000 boxes at rest", columns, 20, 20, 2000, 8000, 6},
    {"1,000 boxes at rest", columns, 10, 50, 10000, 1000, 1},
};

/* Seconds of a step. */
static double measure(const struct scene *s, int threads, uint64_t *hash)
{
  bench_text t = {.at = malloc(BENCH_TEXT)};
  vv_report report;
  if (t.at == NULL) abort();
  s->write(&t, s->size);
  bench_run run = bench_parse(t.at, threads);
  bench_steps(&run, s->warm, &report);
  const double begin = bench_wall();
  bench_steps(&run, s->steps, &report);
  const double took = (bench_wall() - begin) / (double)s->steps;
  *hash = vv_state_hash(run.state);
  bench_close(&run);
  free(t.at);
  return took;
}

int main(int argc, char **argv)
{
  FILE *csv = bench_csv(argc, argv, "-scaling");
  const int most = argc > 2 ? atoi(argv[2]) : 2;
  const char *only = argc > 3 ? argv[3] : NULL;
  const int times = argc > 4 && atoi(argv[4]) > 1 ? atoi(argv[4]) : 2;
  int unequal = 0;
  fprintf(csv, "scene,threads,ns_per_unit_step,speed_up,state_hash\n");
  printf("%-24s %8s %12s %9s  %s\n", "scene", "threads", "ns per unit", "speed-up", "state hash");
  for (size_t i = 0; i < sizeof scene_list / sizeof *scene_list; i++) {
    const struct scene *s = &scene_list[i];
    double alone = 0.0;
    uint64_t first = 0, hash;
    if (only != NULL && strstr(s->name, only) == NULL) continue;
    for (int threads = 1; threads <= most; threads *= times) {
      const double took = measure(s, threads, &hash);
      if (threads == 1) alone = took, first = hash;
      unequal += hash != first;
      printf("%-24s %8d %12.1f %9.2f  %016llx\n", s->name, threads, 1e9 * took / s->units, alone / took,
             (unsigned long long)hash);
      fflush(stdout);
      fprintf(csv, "%s,%d,%.2f,%.3f,%016llx\n", s->name, threads, 1e9 * took / s->units, alone / took,
              (unsigned long long)hash);
    }
    printf("%-24s aim on 16 threads: %g\n", s->name, s->aim);
  }
  printf("\nsame bits for every number of threads: %s; load %.2f\n", unequal == 0 ? "yes" : "NO", bench_load());
  return fclose(csv) != 0 || unequal > 0;
}
