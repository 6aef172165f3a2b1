/* tests/step/test_rest.c  Contacts at rest, on boxes whose faces lie flat on each other: four corners to a face.
 *
 * The boxes move little, so places and turns are added up (a turn as a vector) and gaps are linear in them.  A slope is a
 * level floor under oblique gravity. */
#include "check.h"

#include "step/solids/rest_work.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1200 };
static const double DT = 1.0 / 240.0, G = 9.81;

typedef struct pile {
  vvi_arena arena;
  vvi_rest_work *work;
  vvi_rest_problem p;
  vvi_rest_stats stats;
  vv_mover mover[MOST];
  double moved[MOST][6];              /* from the start: place, turn */
  double mass[MOST], start[8 * MOST]; /* gaps at the start */
  double before[MOST][6], pushed[MOST][6], velocity[MOST][6], scale[MOST];
  unsigned char touched[MOST];
  vvi_rest_contact contact[8 * MOST];
  double gravity[3];
  double gain, energy; /* largest growth of the energy in a step; dissipated and lifted in all */
  bool failed;
} pile;

static pile *open_pile(double tilt)
{
  pile *k = calloc(1, sizeof *k);
  assert_non_null(k);
  k->gravity[0] = G * sin(tilt), k->gravity[2] = -G * cos(tilt);
  k->p = (vvi_rest_problem){.dt = DT,
                            .mover = k->mover,
                            .before = k->before[0],
                            .pushed = k->pushed[0],
                            .threads = 1,
                            .velocity = k->velocity[0],
                            .scale = k->scale,
                            .touched = k->touched,
                            .contact = k->contact};
  assert_int_equal(vvi_rest_create(&k->arena, MOST, 8 * MOST, &k->work), VV_OK);
  return k;
}

static void close_pile(pile *k)
{
  vvi_arena_free(&k->arena);
  free(k);
}

/* A box of edge 1 about x; returns its number. */
static int add_box(pile *k, double mass, double x, double y, double z)
{
  const int i = k->p.movers++;
  assert_true(i < MOST);
  k->mass[i] = mass;
  k->mover[i] = (vv_mover){.place = {x, y, z}, .turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  for (int c = 0; c < 3; c++) k->mover[i].inverse_mass[c] = 1.0 / mass, k->mover[i].inverse_inertia[c] = 6.0 / mass;
  return i;
}

static void add_contact(pile *k, int a, int b, const double x[3], const double n[3], double gap, double friction)
{
  const int i = k->p.n++;
  vvi_rest_contact *c = &k->contact[i];
  assert_true(i < 8 * MOST);
  *c = (vvi_rest_contact){.a = a, .b = b, .gap = gap, .friction = friction};
  for (int e = 0; e < 3; e++) {
    c->n[e] = n[e];
    if (a >= 0) c->arm_a[e] = x[e] - k->mover[a].place[e];
    if (b >= 0) c->arm_b[e] = x[e] - k->mover[b].place[e];
  }
  k->start[i] = gap;
}

/* Box b on a (-1: on the floor), the lower corners of b. */
static void add_face(pile *k, int a, int b, double friction)
{
  static const double up[3] = {0, 0, 1};
  const double *y = k->mover[b].place;
  for (int i = 0; i < 4; i++) {
    const double x[3] = {y[0] + (i % 2 ? 0.5 : -0.5), y[1] + (i / 2 ? 0.5 : -0.5), y[2] - 0.5};
    add_contact(k, a, b, x, up, 0.0, friction);
  }
}

static void add_stack(pile *k, int n, double x, double top_mass, double friction)
{
  int below = -1;
  for (int i = 0; i < n; i++) {
    const int box = add_box(k, i == n - 1 ? top_mass : 1.0, x, 0, 0.5 + i);
    add_face(k, below, box, friction);
    below = box;
  }
}

static void moved_by(const pile *k, int m, const double arm[3], double sign, const double n[3], double *gap)
{
  if (m < 0) return;
  const double *d = k->moved[m];
  for (int c = 0; c < 3; c++) {
    const int e = (c + 1) % 3, f = (c + 2) % 3;
    *gap += sign * n[c] * (d[c] + d[3 + e] * arm[f] - d[3 + f] * arm[e]);
  }
}

static void push(pile *k)
{
  for (int m = 0; m < k->p.movers; m++) {
    for (int c = 0; c < 3; c++) {
      k->pushed[m][c] = k->mass[m] * DT * k->gravity[c];
      k->velocity[m][c] = k->before[m][c] + k->pushed[m][c] * k->mover[m].inverse_mass[c];
      k->velocity[m][3 + c] = k->before[m][3 + c];
    }
  }
}

/* Kinetic energy of velocities v; boxes are isotropic. */
static double kinetic(const pile *k, int m, const double v[6])
{
  const double *a = k->mover[m].inverse_mass, *b = k->mover[m].inverse_inertia;
  double sum = 0.0;
  for (int c = 0; c < 3; c++) sum += 0.5 * v[c] * v[c] / a[c] + (b[c] > 0 ? 0.5 * v[3 + c] * v[3 + c] / b[c] : 0.0);
  return sum;
}

/* Growth of the energy in this step of those touched, from the velocities alone. */
static double growth(const pile *k)
{
  double sum = 0.0;
  for (int m = 0; m < k->p.movers; m++) {
    if (!k->touched[m]) continue;
    sum += kinetic(k, m, k->velocity[m]) - kinetic(k, m, k->before[m]);
    for (int c = 0; c < 6; c++) sum -= k->pushed[m][c] * k->velocity[m][c];
  }
  return sum;
}

static void advance(pile *k)
{
  for (int i = 0; i < k->p.n; i++) {
    vvi_rest_contact *c = &k->contact[i];
    c->gap = k->start[i];
    moved_by(k, c->a, c->arm_a, -1.0, c->n, &c->gap);
    moved_by(k, c->b, c->arm_b, 1.0, c->n, &c->gap);
  }
  push(k);
  vvi_rest_solve(k->work, &k->p, &k->stats);
  k->gain = fmax(k->gain, growth(k));
  k->failed |= k->stats.failed > 0;
  for (int m = 0; m < k->p.movers; m++) {
    for (int c = 0; c < 6; c++) {
      const double v = k->touched[m] ? k->velocity[m][c] : 0.5 * (k->velocity[m][c] + k->before[m][c]);
      k->moved[m][c] += DT * v;
    }
  }
  memcpy(k->before, k->velocity, sizeof k->before);
}

static double fastest(const pile *k)
{
  double most = 0.0;
  for (int m = 0; m < k->p.movers; m++) {
    for (int c = 0; c < 6; c++) most = fmax(most, fabs(k->velocity[m][c]));
  }
  return most;
}

static double drift(const pile *k)
{
  double most = 0.0;
  for (int m = 0; m < k->p.movers; m++) {
    for (int c = 0; c < 6; c++) most = fmax(most, fabs(k->moved[m][c]));
  }
  return most;
}

#define TRY(...) print_message(__VA_ARGS__)

static void test_stacks(void **unused)
{
  (void)unused;
  static const struct {
    int n;
    double top;
  } cases[] = {{1, 1}, {2, 1}, {5, 1}, {10, 1}, {100, 1}, {10, 1000}};
  for (int i = 0; i < 6; i++) {
    pile *k = open_pile(0.0);
    add_stack(k, cases[i].n, 0, cases[i].top, 0.5);
    int newton = 0;
    for (int s = 0; s < 1000; s++) {
      advance(k);
      newton = k->stats.newton > newton ? k->stats.newton : newton;
      if (s < 3)
        TRY("  step %d newton %d sweeps %d failed %d guarded %d res %g fastest %g\n", s, k->stats.newton,
            k->stats.sweeps, k->stats.failed, k->stats.guarded, k->stats.residual, fastest(k));
    }
    TRY("stack %d top %g: fastest %g drift %g gain %g newton %d\n", cases[i].n, cases[i].top, fastest(k), drift(k),
        k->gain, newton);
    close_pile(k);
  }
}

static void test_slope(void **unused)
{
  (void)unused;
  static const double angle[] = {20, 26, 26.5, 26.56, 27, 30};
  for (int i = 0; i < 6; i++) {
    const double a = angle[i] * acos(-1.0) / 180.0;
    pile *k = open_pile(a);
    add_stack(k, 1, 0, 1, 0.5);
    int newton = 0, sweeps = 0;
    for (int s = 0; s < 1000; s++) {
      advance(k);
      newton = k->stats.newton > newton ? k->stats.newton : newton;
      sweeps = k->stats.sweeps > sweeps ? k->stats.sweeps : sweeps;
    }
    const double want = fmax(0.0, G * (sin(a) - 0.5 * cos(a)) * 1000 * DT);
    TRY("slope %g: v %g want %g off %g drift %g gain %g newton %d sweeps %d res %g failed %d\n", angle[i],
        k->velocity[0][0], want, k->velocity[0][0] - want, drift(k), k->gain, newton, sweeps, k->stats.residual,
        k->failed);
    close_pile(k);
  }
  pile *k = open_pile(15 * acos(-1.0) / 180.0);
  add_stack(k, 3, 0, 1, 0.5);
  for (int s = 0; s < 1000; s++) advance(k);
  TRY("stack 3 on 15: fastest %g drift %g gain %g failed %d\n", fastest(k), drift(k), k->gain, k->failed);
  close_pile(k);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_stacks), cmocka_unit_test(test_slope)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
