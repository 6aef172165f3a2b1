/* bench/bench_rest.c  Contacts at rest: bench_rest.
 *
 * Boxes of edge 1 in columns, four contacts to a face.  Rest: the impulses of the step before answer this one, which is
 * found out and no more.  Cold: all impulses start from zero, every island is solved.  Minimum of the repeats. */
#include "tools.h"

#include "step/solids/rest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 15 };
static const double DT = 1.0 / 240.0, G = 9.81;

typedef struct scene {
  vvi_arena arena;
  vvi_rest_work *work;
  vvi_rest_problem p;
  vv_mover *mover;
  double *before, *pushed, *velocity;
} scene;

static void *get(scene *s, size_t bytes)
{
  void *memory = vvi_arena_alloc(&s->arena, bytes);
  if (memory == NULL) abort();
  return memory;
}

static void add_face(scene *s, int a, int b)
{
  for (int i = 0; i < 4; i++) {
    const double x = i % 2 ? 0.5 : -0.5, y = i / 2 ? 0.5 : -0.5;
    s->p.contact[s->p.n++] = (vvi_rest_contact){
        .a = a, .b = b, .arm_a = {x, y, 0.5}, .arm_b = {x, y, -0.5}, .n = {0, 0, 1}, .gap = 0.0, .friction = 0.5};
  }
}

static scene open_columns(int columns, int height)
{
  scene s = {0};
  const int n = columns * height;
  s.mover = get(&s, sizeof *s.mover * (size_t)n);
  s.before = get(&s, 48 * (size_t)n), s.pushed = get(&s, 48 * (size_t)n), s.velocity = get(&s, 48 * (size_t)n);
  s.p = (vvi_rest_problem){.dt = DT, .movers = n, .mover = s.mover, .before = s.before, .pushed = s.pushed};
  s.p.velocity = s.velocity, s.p.scale = get(&s, 8 * (size_t)n), s.p.touched = get(&s, (size_t)n);
  s.p.contact = get(&s, sizeof *s.p.contact * 4 * (size_t)n);
  if (vvi_rest_create(&s.arena, n, 4 * n, &s.work) != VV_OK) abort();
  for (int m = 0; m < n; m++) {
    s.mover[m] = (vv_mover){.place = {0, 0, 0.5 + m % height}, .inverse_mass = {1, 1, 1}, .inverse_inertia = {6, 6, 6}};
    s.pushed[6 * m + 2] = -DT * G;
    add_face(&s, m % height == 0 ? -1 : m - 1, m);
  }
  return s;
}

/* Seconds of one solve from velocities at rest. */
static double solve(scene *s, bool cold, int threads, vvi_rest_stats *stats)
{
  for (int m = 0; m < s->p.movers; m++) {
    memset(s->velocity + 6 * m, 0, 48);
    s->velocity[6 * m + 2] = -DT * G;
  }
  for (int i = 0; i < s->p.n && cold; i++) memset(s->p.contact[i].j, 0, sizeof s->p.contact[i].j);
  s->p.threads = threads;
  const double start = vvi_clock();
  vvi_rest_solve(s->work, &s->p, stats);
  return vvi_clock() - start;
}

int main(void)
{
  static const int shape[][2] = {{25, 5}, {100, 10}, {256, 16}, {10, 100}, {1, 100}, {1, 1000}};
  printf("columns  height  contacts  threads   rest, ns/contact   cold, ns/contact   newton  failed\n");
  for (int i = 0; i < VV_COUNT(shape); i++) {
    for (int threads = 1; threads <= 2; threads++) {
      scene s = open_columns(shape[i][0], shape[i][1]);
      vvi_rest_stats stats, first;
      double rest = INFINITY, cold = INFINITY;
      for (int r = 0; r < REPEATS; r++) cold = fmin(cold, solve(&s, true, threads, &first));
      for (int r = 0; r < 4 * REPEATS; r++) rest = fmin(rest, solve(&s, false, threads, &stats));
      printf("%7d %7d %9d %8d %18.1f %18.0f %8d %7d\n", shape[i][0], shape[i][1], s.p.n, threads, 1e9 * rest / s.p.n,
             1e9 * cold / s.p.n, first.newton, first.failed);
      vvi_arena_free(&s.arena);
    }
  }
  return 0;
}
