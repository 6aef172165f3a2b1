/* bench/bench_case1.c  A published example from start to finish, and what an event costs: bench_case1 [folder for the CSV].
 *
 * Whole: read the scene, compile, run 2666 steps, write the complete result folder (ledger row every step, 134 frames in
 * HDF5 and for ParaView, checkpoints, summary), close.  Wall time; the folder is temporary and removed outside the clock.
 *
 * Event: two bars that touch against the same two bars too far apart to meet, the same number of steps, CPU time of one
 * thread: (difference)/(events), counted in steps of the bars apart. */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp */
#include "tools.h"
#include "visviva/book.h"

#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REPEATS = 9, PATH_SIZE = 1024 };

static void keep_least(double *least, double value)
{
  if (!(*least <= value)) *least = value;
}

/* ---- start to finish ---- */

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where)
{
  (void)info, (void)type, (void)where;
  return remove(path);
}

static void temporary(char *folder, size_t size)
{
  const char *base = getenv("TMPDIR");
  snprintf(folder, size, "%s/visviva-bench-XXXXXX", base != NULL ? base : "/tmp");
  if (mkdtemp(folder) == NULL) {
    perror(folder);
    exit(1);
  }
}

typedef struct split {
  double compile, run, total; /* wall s: read and compile; those and all steps; everything, files included */
  int64_t steps, events;
  double cpu; /* s, of the total */
  uint64_t hash;
} split;

static void run_bare(const char *scene, split *s)
{
  vv_report report;
  const double start = bench_wall();
  bench_run r = bench_read(scene, 1);
  keep_least(&s->compile, bench_wall() - start);
  bench_must(r.ctx, vv_sim_run(r.sim, &report), "run");
  keep_least(&s->run, bench_wall() - start);
  s->steps = report.steps, s->events = report.events;
  s->hash = vv_state_hash(r.state);
  bench_close(&r);
}

static void run_whole(const char *scene, const char *folder, split *s)
{
  vv_results_def def = vv_results_default();
  vv_results *files = NULL;
  vv_report report;
  def.folder = folder;
  const double start = bench_wall(), cpu = bench_cpu();
  bench_run r = bench_read(scene, 1);
  bench_must(r.ctx, vv_results_create(r.model, &def, &files), folder);
  bench_must(r.ctx, vv_sim_observe(r.sim, 1, vv_results_observe, files), "observe");
  bench_must(r.ctx, vv_sim_run(r.sim, &report), "run");
  bench_must(r.ctx, vv_results_summary(files, r.sim, &report), "summary");
  bench_must(r.ctx, vv_results_close(files), "close");
  keep_least(&s->total, bench_wall() - start);
  keep_least(&s->cpu, bench_cpu() - cpu);
  if (vv_state_hash(r.state) != s->hash) {
    fprintf(stderr, "writing results changed the run\n");
    exit(1);
  }
  bench_close(&r);
}

static void measure_case(const char *name, FILE *csv)
{
  char scene[PATH_SIZE], folder[PATH_SIZE];
  split s = {.compile = NAN, .run = NAN, .total = NAN, .cpu = NAN};
  snprintf(scene, sizeof scene, "%s/demoures2017/bars-case1-%s.yaml", VV_EXAMPLES_DIR, name);
  for (int i = 0; i < REPEATS; i++) {
    temporary(folder, sizeof folder);
    run_bare(scene, &s);
    run_whole(scene, folder, &s);
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  }
  printf("%-8s %6lld %7lld %12.4f %12.4f %12.4f %12.4f %12.4f  %016llx\n", name, (long long)s.steps,
         (long long)s.events, s.compile, s.run - s.compile, s.total - s.run, s.total, s.cpu,
         (unsigned long long)s.hash);
  fprintf(csv, "case1-%s,%lld,%lld,%.6f,%.6f,%.6f,%.6f,%.6f,%016llx\n", name, (long long)s.steps, (long long)s.events,
          s.compile, s.run - s.compile, s.total - s.run, s.total, s.cpu, (unsigned long long)s.hash);
}

/* ---- cost of an event ---- */

typedef struct meeting {
  const char *jump, *tips;
  int64_t nodes, steps;
} meeting;

typedef struct outcome {
  int64_t events, contacts; /* in the timed steps; closed or touching at their end */
  uint64_t hash;
} outcome;

/* CPU seconds of the steps, after one that opens the ledger. */
static double time_meeting(const meeting *m, double gap, outcome *o)
{
  char text[1024];
  const char *bar = "kind: bar, length: 1, material: {young: 1, density: 1}, section: {area: 1}";
  const long long elements = (long long)m->nodes / 2 - 1;
  snprintf(text, sizeof text,
           "visviva: 1\n"
           "time: {end: 1000, step: {safety: 0.5}}\n"
           "method: {step: event, jump: %s}\n"
           "bodies:\n"
           "  left: {%s, elements: %lld, position: %.17g, velocity: 0.1, tips: {last: %s}}\n"
           "  right: {%s, elements: %lld, position: 0, velocity: -0.1, tips: {first: %s}}\n",
           m->jump, bar, elements, -1.0 - gap, m->tips, bar, elements, m->tips);
  vv_report report;
  bench_run r = bench_parse(text, 1);
  bench_steps(&r, 1, &report);
  const double spent = bench_steps(&r, m->steps, &report);
  *o = (outcome){report.events, vv_sim_ledger(r.sim)->contacts, vv_state_hash(r.state)};
  bench_close(&r);
  return spent;
}

static void measure_meeting(const meeting *m, FILE *csv)
{
  double apart = NAN, close = NAN;
  outcome none = {0}, some = {0};
  const double element = 2.0 / (double)m->nodes;
  for (int i = 0; i < 3 * REPEATS; i++) {
    keep_least(&apart, time_meeting(m, 100.0, &none));
    keep_least(&close, time_meeting(m, 0.2 * element, &some)); /* they meet in the second or third step */
  }
  if (none.events != 0 || some.events == 0) {
    fprintf(stderr, "the bars met %lld times apart, %lld close\n", (long long)none.events, (long long)some.events);
    exit(1);
  }
  const double step = apart / (double)m->steps, cost = (close - apart) / (double)some.events;
  printf("%-9s %-7s %6lld %7lld %7lld %12.2f %12.2f %10.1f  %016llx\n", m->jump, m->tips, (long long)m->nodes,
         (long long)m->steps, (long long)some.events, 1e6 * step, 1e6 * cost, cost / step,
         (unsigned long long)some.hash);
  fprintf(csv, "event-%s-%s-%lld,%lld,%lld,%.4e,%.4e,%.2f,,,%016llx\n", m->jump, m->tips, (long long)m->nodes,
          (long long)m->steps, (long long)some.events, step, cost, cost / step, (unsigned long long)some.hash);
  fflush(stdout);
}

/* Massless tips stay closed for 2 L/c: the first steps after they met, against as many apart. */
static void measure_closed(const meeting *m, FILE *csv)
{
  double apart = NAN, closed = NAN;
  outcome none = {0}, some = {0};
  for (int i = 0; i < 3 * REPEATS; i++) {
    keep_least(&apart, time_meeting(m, 100.0, &none) / (double)m->steps);
    keep_least(&closed, time_meeting(m, 1e-9, &some) / (double)m->steps);
  }
  if (none.contacts != 0 || some.contacts == 0) {
    fprintf(stderr, "the bars do not stay in contact\n");
    exit(1);
  }
  printf("%-9s %-7s %6lld %7lld %7lld %12.2f %12.2f %10.1f  %016llx\n", m->jump, m->tips, (long long)m->nodes,
         (long long)m->steps, (long long)some.events, 1e6 * apart, 1e6 * closed, closed / apart,
         (unsigned long long)some.hash);
  fprintf(csv, "closed-%s-%s-%lld,%lld,%lld,%.4e,%.4e,%.2f,,,%016llx\n", m->jump, m->tips, (long long)m->nodes,
          (long long)m->steps, (long long)some.events, apart, closed, closed / apart, (unsigned long long)some.hash);
}

int main(int argc, char **argv)
{
  static const meeting bounce[] = {{"slab", "lumped", 100, 250},
                                   {"slab", "lumped", 10000, 400},
                                   {"modified", "lumped", 100, 250},
                                   {"modified", "lumped", 10000, 400}};
  static const meeting closed[] = {{"slab", "split", 100, 150},
                                   {"slab", "split", 10000, 150},
                                   {"modified", "split", 100, 150},
                                   {"modified", "split", 10000, 150}};
  FILE *csv = bench_csv(argc, argv, "-case1");
  fprintf(csv, "# case1 rows: seconds of wall time, minimum of %d\n", REPEATS);
  fprintf(csv, "scene,steps,events,compile,run,output,total,cpu,state_hash\n");
  printf("%-8s %6s %7s %12s %12s %12s %12s %12s  %s\n", "case 1", "steps", "events", "compile s", "run s", "output s",
         "total s", "cpu s", "state hash");
  measure_case("cti1", csv);
  measure_case("cti2", csv);
  fprintf(csv, "# event rows: seconds of CPU time per step and per event, their ratio\n");
  fprintf(csv, "scene,steps,events,step,event,event_in_steps,,,state_hash\n");
  printf("\n%-9s %-7s %6s %7s %7s %12s %12s %10s  %s\n", "jump", "tips", "nodes", "steps", "events", "us/step",
         "us/event", "in steps", "state hash");
  for (size_t i = 0; i < sizeof bounce / sizeof bounce[0]; i++) measure_meeting(&bounce[i], csv);
  fprintf(csv, "# closed rows: seconds of CPU time per step apart and per step in contact, their ratio\n");
  fprintf(csv, "scene,steps,events,apart,closed,ratio,,,state_hash\n");
  printf("\n%-9s %-7s %6s %7s %7s %12s %12s %10s  %s\n", "jump", "tips", "nodes", "steps", "events", "us apart",
         "us closed", "ratio", "state hash");
  for (size_t i = 0; i < sizeof closed / sizeof closed[0]; i++) measure_closed(&closed[i], csv);
  printf("\nload %.2f\n", bench_load());
  return fclose(csv) != 0;
}
