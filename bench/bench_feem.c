/* bench/bench_feem.c  The energy-momentum step of beams: bench_feem [folder for the CSV].
 *
 * Timed: vv_sim_steps(n) less vv_sim_steps(1), as in bench_bar, so that opening and closing the ledger does not count.  A
 * flying, bending beam of the free-beam benchmark without its masses, step 0.9 of the explicit stable step.  Beams are the
 * unit that threads share: one beam runs on one of them.  Minimum time of the repeats. */
#include "tools.h"

#include "model/model.h"

#include <math.h>
#include <stdlib.h>

enum { REPEATS = 5, SIZES = 4, MOST_THREADS = 2, COUNTED = 50, TEXT = 65536 };

typedef struct row {
  int beams, elements, threads;
  double step;       /* s per step */
  double iterations; /* mean over steps of the largest of any beam */
  uint64_t hash;
} row;

static bench_run open_beams(int beams, int elements, int threads)
{
  char *text = malloc(TEXT);
  if (text == NULL) exit(1);
  int at = snprintf(text, TEXT,
                    "visviva: 1\ntime: {end: 1, step: {safety: 0.9}}\nmethod: {step: energy-momentum}\n"
                    "contacts: [{response: none}]\nbodies:\n");
  for (int i = 0; i < beams; i++)
    at +=
        snprintf(text + at, (size_t)(TEXT - at),
                 "  b%d: {kind: beam, length: 2, elements: %d, material: {young: 1e7, poisson: 0.35, density: 1000},\n"
                 "    section: {square: {side: 0.05}}, position: [%d, 0, 0], spin: [1, 2, 3],\n"
                 "    velocity_profile: [{at: [0, 0.5, 1], factor: [4, -4, 4], direction: [0.05, 0.1, 0.15]}]}\n",
                 i, elements, i);
  bench_run r = bench_parse(text, threads);
  free(text);
  return r;
}

/* The table itself, on copies of the velocities: how often it iterates. */
static double count_iterations(bench_run *r)
{
  const vv_block *b = &r->model->block[0];
  const vv_implicit_table *table = b->kind->implicit;
  double *work = aligned_alloc(64, (sizeof(double) * (size_t)table->work(b) + 63) / 64 * 64);
  vv_posted post = {0};
  int sum = 0;
  if (work == NULL) exit(1);
  for (int k = 0; k < COUNTED; k++)
    sum += table->step(b, 0.0, r->model->step, r->state->q, r->state->p, r->state->memory, work, &post);
  free(work);
  return (double)sum / COUNTED;
}

static row measure(int beams, int elements, int threads)
{
  row r = {.beams = beams, .elements = elements, .threads = threads, .step = NAN};
  const int64_t n = 1 + 200000 / (beams * elements);
  vv_report report;
  bench_run run = open_beams(beams, elements, threads);
  r.iterations = count_iterations(&run);
  bench_steps(&run, 1, &report);
  for (int i = 0; i < REPEATS; i++) {
    const double one = bench_steps(&run, 1, &report), many = bench_steps(&run, n + 1, &report);
    const double step = (many - one) / (double)n;
    if (!(r.step <= step)) r.step = step;
  }
  r.hash = vv_state_hash(run.state);
  bench_close(&run);
  return r;
}

static void print_row(const row *r, FILE *csv)
{
  const double us = 1e6 * r->step / (double)(r->beams * (r->elements + 1));
  printf("%6d %9d %8d %14.3f %11.2f  %016llx\n", r->beams, r->elements, r->threads, us, r->iterations,
         (unsigned long long)r->hash);
  fprintf(csv, "free-beam,%d,%d,%d,%.4f,%.2f,%016llx\n", r->beams, r->elements, r->threads, us, r->iterations,
          (unsigned long long)r->hash);
  fflush(stdout);
}

int main(int argc, char **argv)
{
  static const int beams[SIZES] = {1, 1, 1, 100}, elements[SIZES] = {64, 256, 1024, 64};
  FILE *csv = bench_csv(argc, argv, "-feem");
  int unequal = 0;
  fprintf(csv, "scene,beams,elements,threads,us_per_node_step,iterations,state_hash\n");
  printf("%6s %9s %8s %14s %11s  %s\n", "beams", "elements", "threads", "us/node-step", "iterations", "state hash");
  for (int i = 0; i < SIZES; i++) {
    uint64_t first = 0;
    for (int threads = 1; threads <= MOST_THREADS; threads++) {
      const row r = measure(beams[i], elements[i], threads);
      print_row(&r, csv);
      if (threads == 1) first = r.hash;
      unequal += r.hash != first;
    }
  }
  printf("\nsame bits for every number of threads: %s; load %.2f\n", unequal == 0 ? "yes" : "NO", bench_load());
  return fclose(csv) != 0 || unequal > 0;
}
