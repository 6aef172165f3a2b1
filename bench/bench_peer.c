/* bench/bench_peer.c  The free rod of tools/peers.py: bench_peer [ELEMENTS...].
 *
 * One line per size: elements, step, ns per element and step on one core.  No loads, no supports, nothing observed: what
 * another program is compared with must be the step alone. */
#include "tools.h"

#include <math.h>
#include <stdlib.h>

enum { REPEATS = 5 };

static bench_run open_rod(int elements)
{
  char text[1024];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1, step: {safety: 0.3}}\nmethod: {step: leapfrog}\nbodies:\n"
           "  rod: {kind: beam, length: 2, elements: %d, material: {young: 1e7, poisson: 0.35, density: 1000},\n"
           "    section: {circle: {radius: 0.03}},\n"
           "    velocity_profile: [{at: [0, 1], factor: [-1, 1], direction: [3, 0, 0]}]}\n",
           elements);
  return bench_parse(text, 1);
}

static void measure(int elements)
{
  bench_run run = open_rod(elements);
  const int64_t n = 2 + (int64_t)(2e7 / elements);
  double least = INFINITY;
  vv_report report;
  bench_steps(&run, 100, &report);
  for (int i = 0; i < REPEATS; i++) least = fmin(least, bench_steps(&run, n, &report));
  printf("%d %.9g %.3f\n", elements, vv_model_step(run.model), 1e9 * least / (double)n / elements);
  fflush(stdout);
  bench_close(&run);
}

int main(int argc, char **argv)
{
  static const int usual[] = {50, 200, 1000};
  int n = 0;
  for (int i = 1; i < argc; i++) {
    char *end;
    const long elements = strtol(argv[i], &end, 10);
    if (*end != '\0' || elements < 1 || elements > 100000000)
      continue; /* the folder for CSV files that make bench may name */
    measure((int)elements);
    n++;
  }
  for (size_t i = 0; n == 0 && i < sizeof usual / sizeof *usual; i++) measure(usual[i]);
  return 0;
}
