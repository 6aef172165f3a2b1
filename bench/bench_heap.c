/* bench/bench_heap.c  Boxes that fall into a room in disorder, until they rest: bench_heap [folder for the CSV [boxes per edge
 * [seconds [threads]]]].
 *
 * Each row is a stretch of steps: time of a body and step, kinetic energy over that which the fall could give, the largest rise
 * of the energy between two looks, and what the contact engine did.  Without arguments 64 boxes for 5 s, with 10 per edge the
 * 1,000 of docs/performance.md. */
#include "contact/contact.h"
#include "sim/sim.h"
#include "tools.h"
#include "visviva/book.h"

#include <math.h>
#include <stdlib.h>

enum { TEXT = 1024, STRETCH = 50, LOOK = 5 };

int main(int argc, char **argv)
{
  const int side = argc > 2 ? atoi(argv[2]) : 4, threads = argc > 4 ? atoi(argv[4]) : 1;
  const double until = argc > 3 ? atof(argv[3]) : 5.0;
  FILE *csv = bench_csv(argc, argv, "-heap");
  char text[TEXT];
  vv_report report;
  bench_heap_scene(text, TEXT, side);
  bench_run run = bench_parse(text, threads);
  const double bodies = pow(side, 3), step = 0.002;
  double energy = INFINITY, start = 0.0, worst = -INFINITY, seconds = 0.0, moving = 0.0;
  int64_t moved = 0;
  vvi_contact_counts last = {0};
  printf("%6s %9s %9s %9s %8s %6s %7s %7s %7s %7s %6s %6s %6s\n", "t", "us/body", "KE/KE0", "rise", "contacts",
         "groups", "passes", "restart", "solves", "newton", "closed", "calmed", "frozen");
  fprintf(csv, "t,us_per_body_step,kinetic,rise,contacts,passes,restarts,solves,newton,calmed,frozen\n");
  for (int64_t n = 0; (double)n * step < until - 0.5 * step; n += STRETCH) {
    double took = 0.0, kinetic = 0.0, rise = -INFINITY;
    for (int k = 0; k < STRETCH; k += LOOK) {
      took += bench_steps(&run, LOOK, &report);
      const vv_ledger *l = vv_sim_ledger(run.sim);
      kinetic = vv_ledger_get(l, VV_LEDGER_KINETIC);
      const double sum = vv_ledger_get(l, VV_LEDGER_TOTAL);
      if (energy < INFINITY) rise = fmax(rise, sum - energy);
      energy = sum;
    }
    start = fmax(start, kinetic);
    worst = fmax(worst, rise);
    seconds += took;
    if (kinetic > 1e-12 * start) moving += took, moved += STRETCH;
    const vvi_contact_counts *c = &run.sim->step.contact->count;
    const double per = 1.0 / STRETCH;
    printf("%6.2f %9.2f %9.1e %9.1e %8.0f %6d %7.1f %7.2f %7.1f %7.1f %6.1f %6ld %6ld\n", (double)(n + STRETCH) * step,
           1e6 * took / STRETCH / bodies, kinetic / start, rise,
           vv_ledger_get(vv_sim_ledger(run.sim), VV_LEDGER_CONTACTS), run.sim->step.contact->groups,
           per * (double)(c->passes - last.passes), per * (double)(c->restarts - last.restarts),
           per * (double)(c->solves - last.solves), per * (double)(c->newton - last.newton),
           per * (double)(c->closed - last.closed), (long)(c->calmed - last.calmed), (long)(c->frozen - last.frozen));
    fflush(stdout);
    last = *c;
  }
  printf("%g s for %g boxes; while they move %.1f us per body and step, %.0f body-steps a second; largest rise of the "
         "energy "
         "%.1e J; state %016llx\n",
         seconds, bodies, 1e6 * moving / (double)moved / bodies, (double)moved * bodies / moving, worst,
         (unsigned long long)vv_state_hash(run.state));
  bench_close(&run);
  return fclose(csv) != 0;
}
