/* tests/math/test_spin.c  One rigid body turns: quaternions, and the map of Simo and Wong. */
#include "check.h"

#include "math/spin.h"

#include <stdlib.h>

/* ---- numbers that look random and are the same everywhere ---- */

static double draw(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

static void draw3(uint64_t *seed, double size, double x[3])
{
  for (int i = 0; i < 3; i++) x[i] = size * draw(seed);
}

static void draw_turn(uint64_t *seed, double r[9])
{
  const double q[4] = {draw(seed), draw(seed), draw(seed), draw(seed)};
  vvi_quaternion_matrix(q, r);
}

/* I^-1 in space axes applied to h */
static void spin_of(const double inertia[3], const double r[9], const double h[3], double omega[3])
{
  double body[3];
  vvi_tapply33(r, h, body);
  for (int i = 0; i < 3; i++) body[i] /= inertia[i];
  vvi_apply33(r, body, omega);
}

static void test_quaternion_and_matrix(void **unused)
{
  (void)unused;
  uint64_t seed = 1;
  for (int k = 0; k < 200; k++) {
    double r[9], q[4], again[9], unit[9];
    draw_turn(&seed, r);
    vvi_quaternion_of(r, q);
    vvi_quaternion_matrix(q, again);
    vvi_tmul33(r, r, unit);
    for (int i = 0; i < 9; i++) check_near(again[i], r[i], 1e-15);
    for (int i = 0; i < 9; i++) check_near(unit[i], i % 4 == 0 ? 1.0 : 0.0, 2e-15);
    double a[4] = {draw(&seed), draw(&seed), draw(&seed), draw(&seed)}, ab[4], ra[9], rab[9], product[9];
    vvi_quaternion_times(a, q, ab);
    vvi_quaternion_matrix(a, ra);
    vvi_quaternion_matrix(ab, rab);
    vvi_mul33(ra, r, product);
    for (int i = 0; i < 9; i++) check_near(rab[i], product[i], 3e-15);
  }
}

/* Ten million small numbers added one by one: what a plain sum loses in 1e7 roundings, the carry keeps. */
static void test_carried_sum(void **unused)
{
  (void)unused;
  double x = 0.0, carry = 0.0;
  for (int i = 0; i < 1000000; i++) vvi_carried_add(1e-3 / 3.0, &x, &carry);
  check_near(x + carry, 1e3 / 3.0, 1e-13);
}

/* h1 = exp(theta) I_n (2 theta/dt - omega_n) = h + L, and T1 - T0 = theta.L/dt, both to rounding. */
static void check_one(uint64_t *seed, const double inertia[3], double dt, double push)
{
  double r[9], r1[9], turn[9], h[3], l[3], h1[3], theta[3], omega[3], w[3], iw[3], left[3], omega1[3];
  draw_turn(seed, r);
  draw3(seed, 1.0, h);
  draw3(seed, push, l);
  assert_true(vvi_simo_wong(inertia, r, dt, h, l, theta) >= 0);
  spin_of(inertia, r, h, omega);
  for (int i = 0; i < 3; i++) w[i] = 2.0 * theta[i] / dt - omega[i], h1[i] = h[i] + l[i];
  double body[3];
  vvi_tapply33(r, w, body);
  for (int i = 0; i < 3; i++) body[i] *= inertia[i];
  vvi_apply33(r, body, iw);
  vvi_exp(theta, turn);
  vvi_apply33(turn, iw, left);
  /* rounding of the fastest spin, seen by the largest moment */
  const double scale = fmax(vvi_norm3(w), vvi_norm3(omega)) * fmax(inertia[0], fmax(inertia[1], inertia[2]));
  for (int i = 0; i < 3; i++) check_near(left[i], h1[i], 2e-15 * scale);
  vvi_mul33(turn, r, r1);
  spin_of(inertia, r1, h1, omega1);
  const double before = 0.5 * vvi_dot3(h, omega), after = 0.5 * vvi_dot3(h1, omega1);
  check_near(after - before, vvi_dot3(theta, l) / dt, 2e-14 * (before + after));
}

static void test_simo_wong_keeps_its_promises(void **unused)
{
  (void)unused;
  static const double inertia[4][3] = {{1, 1, 1}, {1, 2, 2.5}, {0.02, 1, 1}, {3, 3, 1}};
  uint64_t seed = 7;
  for (int k = 0; k < 400; k++)
    for (int i = 0; i < 4; i++) {
      const double dt = pow(10.0, -6.0 + (k % 7)) * (inertia[i][0] < 0.1 ? 0.02 : 0.3);
      check_one(&seed, inertia[i], dt, 0.0);
      check_one(&seed, inertia[i], dt, 0.5);
    }
}

/* Where the motion is a steady rotation, the step is exact: no iteration, theta = dt omega. */
static void test_simo_wong_closed_forms(void **unused)
{
  (void)unused;
  uint64_t seed = 3;
  static const double none[3] = {0, 0, 0}, ball[3] = {0.4, 0.4, 0.4}, top[3] = {0.1, 0.5, 0.9};
  for (int k = 0; k < 100; k++) {
    double r[9], h[3], omega[3], theta[3], axis[3], along[3] = {0, 0, 0};
    draw_turn(&seed, r);
    draw3(&seed, 1.0, h);
    spin_of(ball, r, h, omega);
    assert_int_equal(vvi_simo_wong(ball, r, 0.3, h, none, theta), 0);
    for (int i = 0; i < 3; i++) check_near(theta[i], 0.3 * omega[i], 1e-15);
    along[k % 3] = 1.0 + 0.01 * k;
    vvi_apply33(r, along, axis);
    assert_in_range(vvi_simo_wong(top, r, 0.03, axis, none, theta), 0, 1); /* 1: where rounding leaves a little W x H */
    for (int i = 0; i < 3; i++) check_near(theta[i], 0.03 * axis[i] / top[k % 3], 1e-15);
  }
}

/* A needle has no spin about its axis, and a torque across it turns it all the same. */
static void test_needle(void **unused)
{
  (void)unused;
  static const double inertia[3] = {0, 1, 1}, one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, h[3] = {0, 2, 0};
  const double none[3] = {0, 0, 0}, l[3] = {0, 0.5, 0};
  double theta[3];
  assert_int_equal(vvi_simo_wong(inertia, one, 0.1, h, none, theta), 0);
  check_near(theta[1], 0.2, 1e-16);
  assert_true(vvi_simo_wong(inertia, one, 0.1, h, l, theta) >= 0);
  check_near(theta[1], 0.225, 1e-16);
  check_near(theta[0], 0.0, 1e-16);
}

/* A free top, against itself with a step so short that it is exact: the error falls fourfold when the step is halved, and
 * kinetic energy and spin stay. */
static double fly(int steps, double r[9])
{
  static const double inertia[3] = {1, 2, 3}, none[3] = {0, 0, 0}, h[3] = {0.3, 2.0, 0.4};
  const double start[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double energy0 = 0.0, worst = 0.0;
  for (int i = 0; i < 9; i++) r[i] = start[i];
  for (int k = 0; k <= steps; k++) {
    double theta[3], turn[9], next[9], omega[3];
    spin_of(inertia, r, h, omega);
    const double energy = 0.5 * vvi_dot3(h, omega);
    if (k == 0) energy0 = energy;
    worst = fmax(worst, fabs(energy / energy0 - 1.0));
    if (k == steps) break;
    assert_true(vvi_simo_wong(inertia, r, 6.0 / steps, h, none, theta) >= 0);
    vvi_exp(theta, turn);
    vvi_mul33(turn, r, next);
    for (int i = 0; i < 9; i++) r[i] = next[i];
  }
  return worst;
}

static void test_free_top(void **unused)
{
  (void)unused;
  double r[9], a[9], b[9], fine = 0.0, coarse = 0.0;
  check_most(fly(12800, r), 1e-13);
  fly(200, a);
  fly(400, b);
  for (int i = 0; i < 9; i++) coarse = fmax(coarse, fabs(a[i] - r[i])), fine = fmax(fine, fabs(b[i] - r[i]));
  check_near(log2(coarse / fine), 2.0, 0.02);
  check_least(coarse, 1e-5);
}

/* Beyond what can be solved it says so, and never loops. */
static void test_refuses(void **unused)
{
  (void)unused;
  static const double inertia[3] = {1, 2, 3}, one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double none[3] = {0, 0, 0}, bad[3] = {NAN, 0, 0};
  double theta[3];
  assert_int_equal(vvi_simo_wong(inertia, one, 0.1, bad, none, theta), -1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_quaternion_and_matrix),
      cmocka_unit_test(test_carried_sum),
      cmocka_unit_test(test_simo_wong_keeps_its_promises),
      cmocka_unit_test(test_simo_wong_closed_forms),
      cmocka_unit_test(test_needle),
      cmocka_unit_test(test_free_top),
      cmocka_unit_test(test_refuses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
