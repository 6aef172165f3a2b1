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
  double gain; /* largest growth of the energy in a step */
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

/* Spin of the angular velocity w: the solution of inverse_inertia h = w; zero where there is none. */
static void spin_of(const vv_mover *m, const double w[3], double h[3])
{
  const double *b = m->inverse_inertia, a[3][3] = {{b[0], b[5], b[4]}, {b[5], b[1], b[3]}, {b[4], b[3], b[2]}};
  double cofactor[3][3];
  for (int i = 0; i < 3; i++) {
    for (int c = 0; c < 3; c++) {
      const int r = (i + 1) % 3, s = (i + 2) % 3, e = (c + 1) % 3, f = (c + 2) % 3;
      cofactor[i][c] = a[r][e] * a[s][f] - a[r][f] * a[s][e];
    }
  }
  const double det = a[0][0] * cofactor[0][0] + a[0][1] * cofactor[0][1] + a[0][2] * cofactor[0][2];
  for (int c = 0; c < 3; c++) {
    h[c] = det > 0.0 ? (cofactor[c][0] * w[0] + cofactor[c][1] * w[1] + cofactor[c][2] * w[2]) / det : 0.0;
  }
}

static double kinetic(const pile *k, int m, const double v[6])
{
  double h[3], sum = 0.0;
  spin_of(&k->mover[m], v + 3, h);
  for (int c = 0; c < 3; c++) sum += 0.5 * k->mass[m] * v[c] * v[c] + 0.5 * v[3 + c] * h[c];
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

static void run(pile *k, int steps)
{
  for (int s = 0; s < steps; s++) advance(k);
}

/* Rounding of the impulses, eps times the heaviest column times dt g over the lightest mass, is far below 1e-12. */
static void test_stacks(void **unused)
{
  (void)unused;
  static const struct {
    int n;
    double top;
  } cases[] = {{1, 1}, {5, 1}, {10, 1}, {100, 1}, {1000, 1}, {10, 1000}};
  for (int i = 0; i < VV_COUNT(cases); i++) {
    pile *k = open_pile(0.0);
    add_stack(k, cases[i].n, 0, cases[i].top, 0.5);
    run(k, 1000);
    check_most(fastest(k), 1e-15);
    check_most(drift(k), 1e-12);
    check_most(k->gain, 0.0);
    assert_false(k->failed);
    double weight = 0.0;
    for (int e = 0; e < 4; e++) weight += k->contact[e].j[2]; /* the lowest face */
    const double all = (cases[i].n - 1 + cases[i].top) * DT * G;
    check_near(weight, all, 1e-14 * all * cases[i].n);
    close_pile(k);
  }
}

/* Columns of different heights are islands of their own; a step at rest is recognised without solving anything. */
static void test_columns(void **unused)
{
  (void)unused;
  pile *k = open_pile(0.0);
  for (int i = 0; i < 40; i++) add_stack(k, 1 + i % 25, 2.0 * i, 1, 0.5);
  advance(k);
  assert_int_equal(k->stats.islands, 40);
  assert_true(k->stats.newton > 0);
  advance(k);
  assert_int_equal(k->stats.newton + k->stats.sweeps, 0);
  run(k, 300);
  check_most(fastest(k), 1e-15);
  check_most(drift(k), 1e-13);
  close_pile(k);
}

/* mu = 0.5: the angle of friction is 26.565 degrees. */
static void test_slope(void **unused)
{
  (void)unused;
  static const double sticks[] = {20, 26, 26.5, 26.56}, slides[] = {27, 30};
  for (int i = 0; i < VV_COUNT(sticks); i++) {
    pile *k = open_pile(sticks[i] * acos(-1.0) / 180.0);
    add_stack(k, 1, 0, 1, 0.5);
    run(k, 1000);
    check_most(fastest(k), 1e-12);
    check_most(drift(k), 1e-12);
    close_pile(k);
  }
  for (int i = 0; i < VV_COUNT(slides); i++) {
    const double angle = slides[i] * acos(-1.0) / 180.0, time = 1000 * DT;
    pile *k = open_pile(angle);
    add_stack(k, 1, 0, 1, 0.5);
    run(k, 1000);
    check_near(k->velocity[0][0], G * (sin(angle) - 0.5 * cos(angle)) * time, 1e-12);
    check_most(fabs(k->velocity[0][2]) + fabs(k->moved[0][2]), 1e-12); /* along the slope: the lift is taken back */
    check_most(k->gain, 0.0);
    close_pile(k);
  }
  pile *k = open_pile(15.0 * acos(-1.0) / 180.0);
  add_stack(k, 3, 0, 1, 0.5);
  run(k, 1000);
  check_most(fastest(k), 1e-12);
  check_most(drift(k), 1e-12);
  close_pile(k);
}

/* The same contact by contact, without Newton's method: one box is a problem that sweeps can solve. */
static void test_sweeps(void **unused)
{
  (void)unused;
  static const double angle[] = {26, 30};
  for (int i = 0; i < 2; i++) {
    const double a = angle[i] * acos(-1.0) / 180.0, slide = fmax(G * (sin(a) - 0.5 * cos(a)) * 100 * DT, 0.0);
    pile *k = open_pile(a);
    add_stack(k, 1, 0, 1, 0.5);
    k->work->newton = 0, k->work->sweeps = 1000;
    run(k, 100);
    check_near(k->velocity[0][0], slide, 1e-11);
    check_most(k->gain, 0.0);
    close_pile(k);
  }
}

/* What was at rest is looked at anew: a slope that becomes too steep, and loads that vanish or pull away. */
static void test_change(void **unused)
{
  (void)unused;
  for (int i = 0; i < 3; i++) {
    pile *k = open_pile(i == 0 ? 0.3 : 0.0);
    add_stack(k, 1, 0, 1, 0.5);
    run(k, 3);
    check_most(fastest(k), 1e-15);
    const double press = G * cos(0.3), pull[3][3] = {{0.8 * press, 0, -press}, {0, 0, 0}, {0, 0, G}};
    memcpy(k->gravity, pull[i], sizeof k->gravity);
    advance(k);
    if (i == 0) check_near(k->velocity[0][0], 0.3 * press * DT, 1e-14);
    if (i == 1) check_most(fastest(k), 0.0);
    if (i == 2) check_near(k->velocity[0][2], G * DT, 1e-16);
    close_pile(k);
  }
}

/* The guard takes what was gained and no more: a box thrown up by a guess far too large keeps its energy. */
static void test_guard(void **unused)
{
  (void)unused;
  for (int floats = 0; floats < 2; floats++) {
    pile *k = open_pile(0.0);
    add_stack(k, 2, 0, 1, 0.5);
    if (floats) memmove(k->contact, k->contact + 4, 4 * sizeof *k->contact), k->p.n = 4;
    k->work->newton = k->work->sweeps = 0;
    for (int i = 0; i < k->p.n; i++) k->contact[i].j[2] = 3.0;
    k->before[1][2] = -0.7, k->before[1][0] = 0.2;
    push(k);
    vvi_rest_solve(k->work, &k->p, &k->stats);
    assert_int_equal(k->stats.guarded, 1);
    check_near(growth(k), 0.0, 1e-15);
    check_most(fabs(k->contact[0].j[2] - 3.0), floats ? 3.0 : 0.0); /* who leans keeps the impulses */
    assert_true(floats ? k->scale[0] == 1.0 && k->contact[0].j[2] < 3.0 : k->scale[0] < 1.0);
    close_pile(k);
  }
}

/* Without friction a box slides as if there were no floor. */
static void test_slippery(void **unused)
{
  (void)unused;
  pile *k = open_pile(0.3);
  add_stack(k, 2, 0, 3, 0.0);
  run(k, 100);
  for (int m = 0; m < 2; m++) check_near(k->velocity[m][0], G * sin(0.3) * 100 * DT, 1e-13);
  check_most(fabs(k->velocity[1][2]), 1e-14);
  close_pile(k);
}

/* ---- problems at random ---- */

static uint64_t seed;

static double chance(void) /* in (-1, 1) */
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(seed >> 11) / (double)((int64_t)1 << 52) - 1.0;
}

static void direction(double n[3])
{
  double size;
  do {
    for (int c = 0; c < 3; c++) n[c] = chance();
    size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  } while (size < 0.1 || size > 1.0);
  for (int c = 0; c < 3; c++) n[c] /= size;
}

/* Movers about the origin that meet at random points; those with a = -1 rest on the world.  A member of each kind: bodies,
 * some of them points that cannot turn, and where there is ground a mover that does not move at all. */
static pile *open_random(uint64_t start, int movers, int contacts, bool ground)
{
  pile *k = open_pile(0.0);
  seed = start * 7919 + 17;
  for (int i = 0; i < 5; i++) chance();
  for (int m = 0; m < movers; m++) {
    add_box(k, exp(chance()), chance(), chance(), chance());
    for (int c = 0; c < 3; c++) {
      k->mover[m].inverse_inertia[c] *= exp(chance());
      if (m % 5 == 4) k->mover[m].inverse_inertia[c] = 0.0;
      if (m == 1 && ground) k->mover[m].inverse_inertia[c] = k->mover[m].inverse_mass[c] = 0.0;
      k->before[m][c] = 0.3 * chance();
      k->before[m][3 + c] = m % 5 != 4 ? 0.3 * chance() : 0.0;
    }
    double *b = k->mover[m].inverse_inertia; /* off the diagonal by less than the least on it */
    for (int c = 0; c < 3; c++) b[3 + c] = 0.4 * fmin(b[0], fmin(b[1], b[2])) * chance();
    if (m == 1 && ground) memset(k->before[m], 0, sizeof k->before[m]), k->mass[m] = 0.0;
  }
  for (int i = 0; i < contacts; i++) {
    const int a = ground && i % 3 == 0 ? -1 : (int)(0.5 * (1.0 + chance()) * movers);
    int b = (int)(0.5 * (1.0 + chance()) * movers);
    if (b == a) b = (b + 1) % movers;
    double x[3] = {chance(), chance(), chance()}, n[3];
    direction(n);
    add_contact(k, a, b, x, n, i % 4 == 0 ? 1e-3 * (1.0 + chance()) : 0.0, i % 5 == 0 ? 0.0 : 0.4 * (1.0 + chance()));
  }
  push(k);
  return k;
}

static void relative(const pile *k, const vvi_rest_contact *c, double u[3])
{
  for (int e = 0; e < 3; e++) {
    const int f = (e + 1) % 3, g = (e + 2) % 3;
    u[e] = 0.0;
    if (c->b >= 0) {
      const double *v = k->velocity[c->b];
      u[e] += v[e] + v[3 + f] * c->arm_b[g] - v[3 + g] * c->arm_b[f];
    }
    if (c->a >= 0) {
      const double *v = k->velocity[c->a];
      u[e] -= v[e] + v[3 + f] * c->arm_a[g] - v[3 + g] * c->arm_a[f];
    }
  }
}

/* How far the answers are from the law, as a velocity: signs, complementarity, disc, and friction against the sliding. */
static double violation(const pile *k)
{
  double most = 0.0;
  for (int i = 0; i < k->p.n; i++) {
    const vvi_rest_contact *c = &k->contact[i];
    double u[3], un = 0.0, jn = 0.0, slip = 0.0, rub = 0.0, against = 0.0;
    relative(k, c, u);
    for (int e = 0; e < 3; e++) un += u[e] * c->n[e], jn += c->j[e] * c->n[e];
    for (int e = 0; e < 3; e++) {
      const double ut = u[e] - un * c->n[e], jt = c->j[e] - jn * c->n[e];
      slip += ut * ut, rub += jt * jt, against -= ut * jt;
    }
    slip = sqrt(slip), rub = sqrt(rub);
    const double rate = un + c->gap / DT;
    most = fmax(most, fmax(-rate, -jn));
    if (jn > 0.0) most = fmax(most, fabs(rate));
    most = fmax(most, rub - c->friction * jn);
    if (jn > 1e-9) most = fmax(most, slip * c->friction - against / jn); /* against = mu jn slip where it slides */
  }
  return most;
}

/* Random normals make hard problems; nine in ten are solved, and what is called solved obeys the law. */
static void test_law(void **unused)
{
  (void)unused;
  int solved = 0, all = 0;
  for (uint64_t s = 0; s < 120; s++, all++) {
    pile *k = open_random(s, 3 + (int)(s % 10), 4 + (int)(s % 17), s % 2 == 0);
    vvi_rest_solve(k->work, &k->p, &k->stats);
    check_most(growth(k), 1e-15);
    if (k->stats.residual < 1e-13) {
      solved++;
      check_most(violation(k), 1e-11);
    }
    close_pile(k);
  }
  assert_true(solved >= all * 9 / 10);
}

static void guess_badly(pile *k)
{
  for (int i = 0; i < k->p.n; i++) {
    for (int e = 0; e < 3; e++) k->contact[i].j[e] = 0.1 * k->contact[i].n[e] + 0.05 * chance();
  }
}

/* Nothing but the guard stands between a solver stopped early and the energy. */
static void test_energy(void **unused)
{
  (void)unused;
  int guarded = 0;
  for (uint64_t s = 0; s < 200; s++) {
    pile *k = open_random(s, 2 + (int)(s % 12), 6 + (int)(s % 30), s % 3 != 0);
    k->work->newton = (int)(s % 4), k->work->sweeps = (int)(s / 4 % 3);
    guess_badly(k);
    vvi_rest_solve(k->work, &k->p, &k->stats);
    guarded += k->stats.guarded;
    check_most(growth(k), 1e-14);
    close_pile(k);
  }
  assert_true(guarded > 20); /* the case that is meant occurs */
}

/* Floating: momentum and spin change by the loads alone, and the velocities are those of the impulses, guarded or not. */
static void test_momentum(void **unused)
{
  (void)unused;
  int guarded = 0;
  for (uint64_t s = 0; s < 100; s++) {
    pile *k = open_random(s, 2 + (int)(s % 12), 6 + (int)(s % 30), false);
    if (s % 2 == 0) k->work->newton = 0, k->work->sweeps = 1, guess_badly(k);
    double sum[6] = {0}, spin[6] = {0};
    vvi_rest_solve(k->work, &k->p, &k->stats);
    guarded += k->stats.guarded;
    for (int m = 0; m < k->p.movers; m++) {
      const double *x = k->mover[m].place;
      double dp[3], dw[3], dh[3];
      check_near(k->scale[m], 1.0, 0.0);
      for (int c = 0; c < 3; c++) {
        dp[c] = (k->velocity[m][c] - k->before[m][c]) * k->mass[m] - k->pushed[m][c];
        dw[c] = k->velocity[m][3 + c] - k->before[m][3 + c];
      }
      spin_of(&k->mover[m], dw, dh);
      for (int i = 0; i < k->p.n && k->mover[m].inverse_inertia[0] == 0.0; i++) { /* a point: what it was turned by */
        const vvi_rest_contact *q = &k->contact[i];
        const double *arm = q->a == m ? q->arm_a : q->arm_b, sign = q->a == m ? -1.0 : q->b == m ? 1.0 : 0.0;
        for (int c = 0; c < 3; c++) {
          const int e = (c + 1) % 3, f = (c + 2) % 3;
          dh[c] += sign * (arm[e] * q->j[f] - arm[f] * q->j[e]);
        }
      }
      for (int c = 0; c < 3; c++) {
        const int e = (c + 1) % 3, f = (c + 2) % 3;
        sum[c] += dp[c], spin[c] += x[e] * dp[f] - x[f] * dp[e] + dh[c];
      }
    }
    for (int c = 0; c < 3; c++) {
      check_near(sum[c], 0.0, 2e-14);
      check_near(spin[c], 0.0, 2e-14);
    }
    close_pile(k);
  }
  assert_true(guarded > 5);
}

/* The velocities do not depend on the order of the contacts. */
static void test_order(void **unused)
{
  (void)unused;
  static double v[MOST][6];
  for (uint64_t s = 0; s < 30; s++) {
    pile *k = open_random(s, 6, 12, true);
    vvi_rest_solve(k->work, &k->p, &k->stats);
    const bool solved = k->stats.failed == 0;
    memcpy(v, k->velocity, sizeof v);
    close_pile(k);
    k = open_random(s, 6, 12, true);
    for (int i = k->p.n - 1; i > 0; i--) {
      const int e = (int)(0.5 * (1.0 + chance()) * i);
      const vvi_rest_contact c = k->contact[i];
      k->contact[i] = k->contact[e], k->contact[e] = c;
    }
    vvi_rest_solve(k->work, &k->p, &k->stats);
    for (int m = 0; m < k->p.movers && solved && k->stats.failed == 0; m++) {
      for (int c = 0; c < 6; c++) check_near(k->velocity[m][c], v[m][c], 1e-11);
    }
    close_pile(k);
  }
}

static void test_threads(void **unused)
{
  (void)unused;
  uint64_t hash[3];
  for (int t = 0; t < 3; t++) {
    pile *k = open_pile(0.45);
    for (int i = 0; i < 60; i++) add_stack(k, 1 + i * 7 % 13, 2.0 * i, 1 + i % 4, 0.1 + 0.02 * (i % 30));
    k->p.threads = 1 + t;
    run(k, 3);
    hash[t] = vvi_hash(VVI_HASH_SEED, k->velocity, sizeof k->velocity);
    hash[t] = vvi_hash(hash[t], k->contact, sizeof *k->contact * (size_t)k->p.n);
    assert_true(k->stats.islands == 60 && k->stats.newton > 0);
    close_pile(k);
  }
  assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

/* ---- overlaps ---- */

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stacks),   cmocka_unit_test(test_columns), cmocka_unit_test(test_slope),
      cmocka_unit_test(test_slippery), cmocka_unit_test(test_sweeps),  cmocka_unit_test(test_change),
      cmocka_unit_test(test_guard),    cmocka_unit_test(test_law),     cmocka_unit_test(test_energy),
      cmocka_unit_test(test_momentum), cmocka_unit_test(test_order),   cmocka_unit_test(test_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
