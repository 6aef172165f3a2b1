/* bench/bench_solids.c  Rigid bodies that meet: bench_solids [folder for the CSV].
 *
 * columns: k x k columns of k boxes at rest on a plane, step 1/240 s, friction 0.5 (the pile that other engines were timed
 * with); beside: the same, and a ball bounces beside them, so that no step begins as the last one did; dropped: the same from 2 cm per layer, until they rest; gas: 1000 elastic spheres or boxes in a room; rod: one rod
 * that tumbles in a room.  Timed: vv_sim_steps(n) without observers, least of several goes; one thread in CPU time, two in
 * wall time.  The program fails unless the bits are the same for both.  Free flight is timed by bench_rigid. */
#include "tools.h"
#include "visviva/book.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 5, MOST_THREADS = 2, TEXT = 1024 };

typedef struct scene {
  const char *name;
  void (*write)(char text[TEXT], int side);
  int side;           /* bodies = side^3 */
  int64_t warm, work; /* steps before, steps of one go */
  double aim;         /* ns per body and step, one thread; 0: none */
} scene;

static void write_columns(char text[TEXT], int side, double gap)
{
  snprintf(
      text, TEXT,
      "visviva: 1\ntime: {end: 1e6, step: 0.004166666666666667}\ngravity: [0, 0, -9.81]\n"
      "contacts: [{restitution: 0, friction: 0.5}]\nbodies:\n"
      "  boxes: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, mass: 1, position: [0, 0, %g], copies: {grid: {count: "
      "[%d, %d, %d], spacing: [1.5, 1.5, %g]}}}\n"
      "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n",
      0.5 + gap, side, side, side, 1.0 + gap);
}

static void columns(char text[TEXT], int side)
{
  write_columns(text, side, 0.0);
}

/* The ball is the last entry of contacts and of bodies. */
static void beside(char text[TEXT], int side)
{
  char columns_text[TEXT];
  write_columns(columns_text, side, 0.0);
  const char *law = "friction: 0.5}", *cut = strstr(columns_text, law) + strlen(law);
  snprintf(text, TEXT,
           "%.*s, {between: [ball, floor], restitution: 1}%s"
           "  ball: {kind: rigid, shape: {ball: {radius: 0.5}}, mass: 1, position: [-5, 0, 3]}\n",
           (int)(cut - columns_text), columns_text, cut);
}

static void dropped(char text[TEXT], int side)
{
  write_columns(text, side, 0.02);
}

static void heap(char text[TEXT], int side)
{
  bench_heap_scene(text, TEXT, side);
}

static void write_gas(char text[TEXT], int side, const char *shape)
{
  const double wide = 1.6 * side + 0.5, first = -0.8 * (side - 1);
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 1e6, step: 1e-3}\nbodies:\n"
           "  gas: {kind: rigid, shape: {%s}, density: 1, position: [%g, %g, %g], copies: {grid: {count: [%d, %d, %d], "
           "spacing: [1.6, 1.6, 1.6]}, orientation: random, speed: 1, spin: 1, seed: 7}}\n"
           "  room: {kind: obstacle, shape: {room: {size: [%g, %g, %g]}}}\n",
           shape, first, first, first, side, side, side, wide, wide, wide);
}

static void spheres(char text[TEXT], int side)
{
  write_gas(text, side, "ball: {radius: 0.36}");
}

static void boxes(char text[TEXT], int side)
{
  write_gas(text, side, "box: {size: [0.5, 0.7, 0.9]}");
}

static void rod(char text[TEXT], int side)
{
  (void)side;
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 1e6, step: 1e-3}\nbodies:\n"
           "  rod: {kind: rigid, shape: {box: {size: [1, 0.05, 0.05]}}, mass: 1, velocity: [1, 0.7, 0.4], spin: [1, 2, "
           "0.5]}\n  room: {kind: obstacle, shape: {room: {size: [2, 2, 2]}}}\n");
}

static const scene scene_list[] = {
    {"columns at rest", columns, 5, 50, 400, 0},   {"columns at rest", columns, 10, 50, 100, 1000},
    {"columns at rest", columns, 16, 50, 25, 0},   {"ball beside columns", beside, 10, 50, 20, 0},
    {"columns dropped", dropped, 10, 480, 100, 0}, {"gas of spheres", spheres, 10, 200, 500, 60},
    {"gas of boxes", boxes, 10, 200, 200, 300},    {"tumbling rod", rod, 1, 1000, 100000, 0},
    {"heap that moves", heap, 4, 350, 50, 0},
};

typedef struct row {
  double ns, contacts; /* per body and step; contacts of one body */
  uint64_t hash;
} row;

static row measure(const scene *s, int threads)
{
  char text[TEXT];
  const double bodies = pow(s->side, 3);
  vv_report report;
  s->write(text, s->side);
  bench_run run = bench_parse(text, threads);
  bench_steps(&run, s->warm, &report);
  double least = INFINITY;
  for (int i = 0; i < REPEATS; i++) least = fmin(least, bench_steps(&run, s->work, &report));
  const row r = {.ns = 1e9 * least / (double)s->work / bodies,
                 .contacts = (double)vv_sim_ledger(run.sim)->contacts / bodies,
                 .hash = vv_state_hash(run.state)};
  bench_close(&run);
  return r;
}

int main(int argc, char **argv)
{
  FILE *csv = bench_csv(argc, argv, "-solids");
  const char *only = argc > 2 ? argv[2] : NULL;
  int unequal = 0;
  fprintf(csv, "scene,bodies,threads,ns_per_body_step,contacts_per_body,ns_per_contact,aim_ns,load,state_hash\n");
  printf("%-19s %7s %8s %9s %9s %11s %6s  %s\n", "scene", "bodies", "threads", "ns/body", "contacts", "ns/contact",
         "aim", "state hash");
  for (size_t i = 0; i < sizeof scene_list / sizeof *scene_list; i++) {
    const scene *s = &scene_list[i];
    uint64_t first = 0;
    if (only != NULL && strstr(s->name, only) == NULL) continue;
    for (int threads = 1; threads <= (only == NULL ? MOST_THREADS : 1); threads++) {
      const row r = measure(s, threads);
      const int bodies = s->side * s->side * s->side;
      const double each = r.contacts > 0.5 ? r.ns / r.contacts : NAN;
      printf("%-19s %7d %8d %9.1f %9.2f %11.1f %6g  %016llx\n", s->name, bodies, threads, r.ns, r.contacts, each,
             s->aim, (unsigned long long)r.hash);
      fflush(stdout);
      fprintf(csv, "%s,%d,%d,%.2f,%.3f,%.2f,%g,%.2f,%016llx\n", s->name, bodies, threads, r.ns, r.contacts, each,
              s->aim, bench_load(), (unsigned long long)r.hash);
      if (threads == 1) first = r.hash;
      unequal += r.hash != first;
    }
  }
  printf("\nsame bits for every number of threads: %s; load %.2f\n", unequal == 0 ? "yes" : "NO", bench_load());
  return fclose(csv) != 0 || unequal > 0;
}
