/* tests/physics/test_wave.c  Proves the exact wave solution itself, before anything is compared with it. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include "support/cases.h"

#include <math.h>
#include <stdlib.h>

static void near_to(double a, double b, double tol, const char *file, int line)
{
  if (fabs(a - b) <= tol) return;
  print_error("%.17g is not %.17g within %g (difference %g)\n", a, b, tol, a - b);
  _fail(file, line);
}
#define assert_near(a, b, tol) near_to(a, b, tol, __FILE__, __LINE__)

/* Too large for the stack of every test. */
static wave_bars w, v;

/* A small generator of our own: the same numbers on every machine. */
static double uniform(uint64_t *seed, double lo, double hi)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return lo + (hi - lo) * (double)(*seed >> 11) * 0x1p-53;
}

static wave_bar random_bar(uint64_t *seed)
{
  return (wave_bar){uniform(seed, 1, 10), uniform(seed, 0.2, 5), uniform(seed, 0.2, 5), uniform(seed, 0.5, 2)};
}

/* ---- against the table of the handbook --------------------------------------------------------------------------- */

typedef struct expected {
  double velocity, force; /* of the interface just after touch */
  double release, opening, mean_a, mean_b;
} expected;

/* Times after touch. */
static const expected table[CASES_COUNT] = {
    {0, 0.1, 20, 20, -0.1, 0.1},
    {-0.038197, 0.138197, 20, 20, -0.176393, -0.044721},
    {-0.038197, 0.138197, 20, 20, -0.075078, 0.075078},
    {0, 0.1, 10, 20, 0, 0.1},
    {0, 0.1, 20, 20, -0.1, 0.1},
    {0.5, 0.5, 20, 20, 0, 1},
};

static void test_table(void **state)
{
  (void)state;
  for (int i = 0; i < CASES_COUNT; i++) {
    const expected *e = &table[i];
    assert_true(cases_wave(&(cases_def){.number = i + 1, .end = 300}, &w));
    for (int side = 0; side < 2; side++) assert_near(wave_tip_velocity(&w, side, 1), e->velocity, 1e-6);
    assert_near(wave_force(&w, 1), e->force, 1e-6);
    assert_near(wave_release(&w) - CASES_TOUCH, e->release, 1e-12);
    assert_near(wave_opening(&w) - CASES_TOUCH, e->opening, 1e-12);
    assert_near(wave_mean_velocity(&w, WAVE_A, 300), e->mean_a, 1e-6);
    assert_near(wave_mean_velocity(&w, WAVE_B, 300), e->mean_b, 1e-6);
    assert_int_equal(wave_contacts(&w), 1);
  }
}

/* Case 3: waves come back early in the stiff bar, so the force falls in three steps. */
static void test_plateaus(void **state)
{
  (void)state;
  const double time[3] = {4, 13, 19}, force[3] = {0.138197, 0.052786, 0.020163},
               tip[3] = {-0.038197, 0.047214, 0.079837};
  assert_true(cases_wave(&(cases_def){.number = 3}, &w));
  for (int k = 0; k < 3; k++) {
    assert_near(wave_force(&w, CASES_TOUCH + time[k]), force[k], 1e-6);
    assert_near(wave_tip_velocity(&w, WAVE_A, CASES_TOUCH + time[k]), tip[k], 1e-6);
  }
  assert_near(w.piece[1].start, 8.944272, 1e-6);
  assert_near(w.piece[2].start, 17.888544, 1e-6);
}

/* Case 4: between 10 and 20 the tips stay together although nothing presses them. */
static void test_kissing(void **state)
{
  (void)state;
  assert_true(cases_wave(&(cases_def){.number = 4}, &w));
  assert_int_equal(wave_phase_at(&w, 5), WAVE_PRESSED);
  assert_int_equal(wave_phase_at(&w, 15), WAVE_KISSING);
  assert_int_equal(wave_phase_at(&w, 25), WAVE_FREE);
  assert_near(wave_force(&w, 15), 0, 0);
  assert_near(wave_tip_velocity(&w, WAVE_A, 15), 0.1, 1e-15);
  assert_near(wave_gap(&w, 15), 0, 0);
}

/* ---- conservation ------------------------------------------------------------------------------------------------ */

static double momentum(const wave_bars *x, double t)
{
  return wave_mass(x, WAVE_A) * wave_mean_velocity(x, WAVE_A, t) +
         wave_mass(x, WAVE_B) * wave_mean_velocity(x, WAVE_B, t);
}

static double energy(const wave_bars *x, double t)
{
  return wave_energy(x, WAVE_A, t) + wave_energy(x, WAVE_B, t);
}

static double momentum_scale(const wave_bars *x)
{
  return wave_mass(x, WAVE_A) * fabs(x->v0[WAVE_A]) + wave_mass(x, WAVE_B) * fabs(x->v0[WAVE_B]);
}

/* Momentum, energy, impulse = change of momentum of each bar, and no penetration, at many times. */
static void check_conservation(const wave_bars *x)
{
  double p0 = momentum(x, x->t_start), e0 = energy(x, x->t_start), scale = momentum_scale(x);
  for (int k = 0; k <= 400; k++) {
    double t = x->t_start + (x->t_end - x->t_start) * k / 400;
    double impulse = wave_impulse(x, t);
    double gain_a = wave_mass(x, WAVE_A) * (wave_mean_velocity(x, WAVE_A, t) - x->v0[WAVE_A]);
    double gain_b = wave_mass(x, WAVE_B) * (wave_mean_velocity(x, WAVE_B, t) - x->v0[WAVE_B]);
    assert_near(momentum(x, t), p0, 1e-13 * scale);
    assert_near(energy(x, t), e0, 1e-13 * e0);
    assert_near(gain_a, -impulse, 1e-13 * scale);
    assert_near(gain_b, impulse, 1e-13 * scale);
    assert_true(wave_gap(x, t) >= 0);
    assert_true(wave_force(x, t) >= 0);
  }
}

static void test_conservation_published(void **state)
{
  (void)state;
  for (int i = 1; i <= CASES_COUNT; i++) {
    assert_true(cases_wave(&(cases_def){.number = i}, &w));
    check_conservation(&w);
  }
}

/* Any two bars.  None meets its partner twice: with free far ends and no strain at the start one contact is all. */
static void test_conservation_random(void **state)
{
  (void)state;
  uint64_t seed = 7;
  for (int i = 0; i < 200; i++) {
    wave_bar a = random_bar(&seed), b = random_bar(&seed);
    double vb = uniform(&seed, -1, 1), va = vb + uniform(&seed, 0.1, 2);
    assert_true(wave_two_bars(&w, a, b, va, vb, 0.25, 60));
    check_conservation(&w);
    assert_int_equal(wave_contacts(&w), 1);
  }
}

/* Bars that begin apart meet at gap / (vA - vB), and what follows is the same. */
static void test_closing_a_gap(void **state)
{
  (void)state;
  uint64_t seed = 13;
  for (int i = 0; i < 50; i++) {
    wave_bar a = random_bar(&seed), b = random_bar(&seed);
    double gap = uniform(&seed, 0.1, 3), on = 0, off = 0;
    assert_true(wave_two_bars_apart(&w, a, b, 0.75, -0.25, gap, 0, 60));
    assert_true(wave_two_bars(&v, a, b, 0.75, -0.25, gap, 60));
    check_conservation(&w);
    assert_near(wave_opening(&w), wave_opening(&v), 1e-12);
    assert_near(wave_release(&w), wave_release(&v), 1e-12);
    assert_true(wave_contact(&w, 0, &on, &off) && !wave_contact(&w, 1, &on, &off));
    assert_near(on, gap, 1e-15);
    for (double t = 0.017; t < 60; t += 0.93) {
      assert_near(wave_force(&w, t), wave_force(&v, t), 1e-13);
      assert_near(wave_gap(&w, t), wave_gap(&v, t), 1e-11);
      assert_near(wave_mean_velocity(&w, WAVE_B, t), wave_mean_velocity(&v, WAVE_B, t), 1e-13);
    }
  }
}

/* The tips seen by themselves and the gap tell the same story. */
static void test_gap_is_difference_of_tips(void **state)
{
  (void)state;
  uint64_t seed = 11;
  for (int i = 0; i < 50; i++) {
    assert_true(wave_two_bars(&w, random_bar(&seed), random_bar(&seed), 1, -0.5, 0, 60));
    for (double t = 0; t < 60; t += 0.37)
      assert_near(wave_tip_displacement(&w, WAVE_B, t) - wave_tip_displacement(&w, WAVE_A, t), wave_gap(&w, t), 1e-12);
  }
}

/* ---- symmetries -------------------------------------------------------------------------------------------------- */

/* Seen in a mirror the bars change places and all velocities change sign. */
static void test_mirror(void **state)
{
  (void)state;
  uint64_t seed = 3;
  for (int i = 0; i < 50; i++) {
    wave_bar a = random_bar(&seed), b = random_bar(&seed);
    assert_true(wave_two_bars(&w, a, b, 0.7, -0.2, 0, 40));
    assert_true(wave_two_bars(&v, b, a, 0.2, -0.7, 0, 40));
    for (double t = 0.013; t < 40; t += 0.71) {
      assert_near(wave_tip_velocity(&w, WAVE_A, t), -wave_tip_velocity(&v, WAVE_B, t), 1e-13);
      assert_near(wave_force(&w, t), wave_force(&v, t), 1e-13);
      assert_near(wave_velocity(&w, WAVE_A, 0.3 * a.length, t), -wave_velocity(&v, WAVE_B, 0.7 * a.length, t), 1e-13);
      assert_near(wave_strain(&w, WAVE_A, 0.3 * a.length, t), wave_strain(&v, WAVE_B, 0.7 * a.length, t), 1e-13);
    }
  }
}

/* A train passenger sees the same forces; only velocities are shifted. */
static void test_galilean_shift(void **state)
{
  (void)state;
  const double shift = 0.375;
  for (int i = 1; i <= CASES_COUNT; i++) {
    assert_true(cases_wave(&(cases_def){.number = i}, &w));
    assert_true(cases_wave(&(cases_def){.number = i, .shift = shift}, &v));
    assert_near(wave_opening(&v), wave_opening(&w), 1e-12);
    for (double t = 0.05; t < CASES_END; t += 0.31) {
      for (int side = 0; side < 2; side++) {
        assert_near(wave_tip_velocity(&v, side, t), wave_tip_velocity(&w, side, t) + shift, 1e-13);
        assert_near(wave_mean_velocity(&v, side, t), wave_mean_velocity(&w, side, t) + shift, 1e-13);
      }
      assert_near(wave_force(&v, t), wave_force(&w, t), 1e-13);
    }
  }
}

/* Two identical bars that meet head on: each one feels a wall. */
static void test_wall_is_mirror_twin(void **state)
{
  (void)state;
  const wave_bar steel = {0.5, 2.1e11, 7800, 1e-4};
  const double tau = 2 * steel.length / sqrt(steel.young / steel.density);
  assert_true(wave_bar_on_wall(&w, steel, 5, 1e-5, 5 * tau));
  assert_true(wave_two_bars(&v, steel, steel, 5, -5, 1e-5, 5 * tau));
  assert_near(wave_release(&w) - 1e-5, tau, 1e-15);
  for (double t = 0; t < 5 * tau; t += 0.0131 * tau) {
    double force = wave_force(&v, t);
    assert_near(wave_force(&w, t), force, 1e-12 * (1 + force));
    assert_near(wave_tip_velocity(&w, WAVE_A, t), wave_tip_velocity(&v, WAVE_A, t), 1e-13);
    assert_near(wave_mean_velocity(&w, WAVE_A, t), wave_mean_velocity(&v, WAVE_A, t), 1e-12);
    assert_near(wave_velocity(&w, WAVE_A, 0.2, t), wave_velocity(&v, WAVE_A, 0.2, t), 1e-13);
    assert_near(wave_energy(&w, WAVE_A, t), 0.5 * wave_mass(&w, WAVE_A) * 25, 1e-12);
  }
  assert_near(wave_mean_velocity(&w, WAVE_A, 4 * tau), -5, 1e-12);
}

/* ---- the field --------------------------------------------------------------------------------------------------- */

/* At the ends: contact force and tip velocity on one side, nothing pulls at the other. */
static void test_field_at_ends(void **state)
{
  (void)state;
  uint64_t seed = 5;
  for (int i = 0; i < 50; i++) {
    wave_bar bar[2] = {random_bar(&seed), random_bar(&seed)};
    assert_true(wave_two_bars(&w, bar[0], bar[1], 1, 0, 0, 50));
    for (double t = 0.011; t < 50; t += 0.53)
      for (int side = 0; side < 2; side++) {
        double L = bar[side].length, tip = side == WAVE_A ? L : 0;
        double force = -bar[side].young * bar[side].area * wave_strain(&w, side, tip, t);
        assert_near(force, wave_force(&w, t), 1e-12);
        assert_near(wave_velocity(&w, side, tip, t), wave_tip_velocity(&w, side, t), 1e-13);
        assert_near(wave_displacement(&w, side, tip, t), wave_tip_displacement(&w, side, t), 1e-11);
        assert_near(wave_strain(&w, side, L - tip, t), 0, 1e-13);
      }
  }
}

/* Strain is the slope of the displacement, velocity its rate: midpoint sums agree up to the cells that hold a front. */
static void test_field_is_consistent(void **state)
{
  (void)state;
  enum { CELLS = 4000, FRONTS = 20 };
  assert_true(cases_wave(&(cases_def){.number = 3}, &w));
  for (double t = 0.7; t < CASES_END; t += 3.1) {
    for (int side = 0; side < 2; side++) {
      double L = w.bar[side].length, h = L / CELLS, stretch = 0, mean = 0;
      for (int k = 0; k < CELLS; k++) {
        stretch += h * wave_strain(&w, side, (k + 0.5) * h, t);
        mean += wave_velocity(&w, side, (k + 0.5) * h, t) / CELLS;
      }
      double ends = wave_displacement(&w, side, L, t) - wave_displacement(&w, side, 0, t);
      assert_near(stretch, ends, FRONTS * h * 0.1);
      assert_near(mean, wave_mean_velocity(&w, side, t), FRONTS * 0.1 / CELLS);
    }
  }
}

/* Displacement solves the wave equation: over any characteristic diamond that stays inside, its corners balance. */
static void test_field_is_dalembert(void **state)
{
  (void)state;
  uint64_t seed = 9;
  for (int i = 0; i < 500; i++) {
    wave_bar bar[2] = {random_bar(&seed), random_bar(&seed)};
    assert_true(wave_two_bars(&w, bar[0], bar[1], 1, 0, 0, 50));
    int side = i % 2;
    double L = bar[side].length, r = uniform(&seed, 0, 0.5) * L, X = uniform(&seed, r, L - r), s = r / w.c[side];
    double t = uniform(&seed, s, 40);
    double in_time = wave_displacement(&w, side, X, t + s) + wave_displacement(&w, side, X, t - s);
    double in_space = wave_displacement(&w, side, X + r, t) + wave_displacement(&w, side, X - r, t);
    assert_near(in_time, in_space, 1e-11);
  }
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void test_refusals(void **state)
{
  (void)state;
  const wave_bar good = {1, 1, 1, 1}, bad = {1, 0, 1, 1};
  assert_false(wave_two_bars(&w, good, bad, 1, 0, 0, 1));
  assert_false(wave_two_bars(&w, good, good, 0, 0, 0, 1)); /* they never meet */
  assert_false(wave_two_bars(&w, good, good, 1, 0, 2, 1)); /* ends before it begins */
  assert_false(wave_bar_on_wall(&w, bad, 1, 0, 1));
  assert_false(cases_wave(&(cases_def){.number = 7}, &w));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table),
      cmocka_unit_test(test_plateaus),
      cmocka_unit_test(test_kissing),
      cmocka_unit_test(test_conservation_published),
      cmocka_unit_test(test_conservation_random),
      cmocka_unit_test(test_closing_a_gap),
      cmocka_unit_test(test_gap_is_difference_of_tips),
      cmocka_unit_test(test_mirror),
      cmocka_unit_test(test_galilean_shift),
      cmocka_unit_test(test_wall_is_mirror_twin),
      cmocka_unit_test(test_field_at_ends),
      cmocka_unit_test(test_field_is_consistent),
      cmocka_unit_test(test_field_is_dalembert),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
