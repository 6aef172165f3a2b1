/* tests/math/test_so3.c  Rotations and rigid motions against 4x4 matrices, and the duals of the three retractions
 * against complex-step derivatives of those matrices: nothing here shares a formula with the code, except tau of
 * lavi-cay, which is defined by its formula. */
#include "check.h"

#include "body/beam/retraction.h"
#include "math/so3.h"

#include <complex.h>
#include <string.h>

typedef double complex number;

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0;
}

/* A vector of length `size` in a random direction. */
static void direction(uint64_t *seed, double size, double v[3])
{
  do
    for (int c = 0; c < 3; c++) v[c] = 2.0 * uniform(seed) - 1.0;
  while (vvi_norm3(v) > 1.0 || vvi_norm3(v) < 0.1);
  const double scale = size / vvi_norm3(v);
  for (int c = 0; c < 3; c++) v[c] *= scale;
}

static double distance(int n, const double *a, const double *b)
{
  double most = 0.0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

/* ---- twins: 4x4 matrices ---- */

static void multiply(const number a[16], const number b[16], number c[16])
{
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      c[4 * i + j] = 0.0;
      for (int k = 0; k < 4; k++) c[4 * i + j] += a[4 * i + k] * b[4 * k + j];
    }
}

/* X = (w^, g; 0, 0) */
static void algebra(const number w[3], const number g[3], number x[16])
{
  const number m[16] = {0, -w[2], w[1], g[0], w[2], 0, -w[0], g[1], -w[1], w[0], 0, g[2], 0, 0, 0, 0};
  memcpy(x, m, sizeof m);
}

/* x <- a^-1 x by Gauss, without pivots: a is near the identity. */
static void solve(number a[16], number x[16])
{
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 4; i++) {
      if (i == k) continue;
      const number f = a[4 * i + k] / a[4 * k + k];
      for (int j = 0; j < 4; j++) a[4 * i + j] -= f * a[4 * k + j], x[4 * i + j] -= f * x[4 * k + j];
    }
  for (int k = 0; k < 4; k++)
    for (int j = 0; j < 4; j++) x[4 * k + j] /= a[4 * k + k];
}

static void matrix_cayley(const number w[3], const number g[3], number out[16])
{
  number x[16], left[16];
  algebra(w, g, x);
  for (int i = 0; i < 16; i++) {
    left[i] = (i % 5 == 0) - 0.5 * x[i];
    out[i] = (i % 5 == 0) + 0.5 * x[i];
  }
  solve(left, out);
}

static void matrix_exp(const number w[3], const number g[3], number out[16])
{
  number x[16], term[16], next[16];
  algebra(w, g, x);
  for (int i = 0; i < 16; i++) out[i] = term[i] = i % 5 == 0;
  for (int k = 1; k < 40; k++) {
    multiply(term, x, next);
    for (int i = 0; i < 16; i++) out[i] += term[i] = next[i] / k;
  }
}

/* (cay(w), 2/(4 + |w|^2) (2 + w^) g) */
static void matrix_cay(const number w[3], const number g[3], number out[16])
{
  const number zero[3] = {0}, c = 2.0 / (4.0 + w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  matrix_cayley(w, zero, out);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    out[4 * i + 3] = c * (2.0 * g[i] + w[j] * g[k] - w[k] * g[j]);
  }
}

static void tau(beam_drift_rule rule, const number w[3], const number g[3], number out[16])
{
  if (rule == BEAM_LAVI_EXP)
    matrix_exp(w, g, out);
  else if (rule == BEAM_LAVI_CAY)
    matrix_cay(w, g, out);
  else
    matrix_cayley(w, g, out);
}

static void tau_real(beam_drift_rule rule, const double w[3], const double g[3], double r[9], double x[3])
{
  number out[16], wc[3], gc[3];
  for (int i = 0; i < 3; i++) wc[i] = w[i], gc[i] = g[i];
  tau(rule, wc, gc, out);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) r[3 * i + j] = creal(out[4 * i + j]);
    x[i] = creal(out[4 * i + 3]);
  }
}

/* ---- maps ---- */

static void test_products(void **unused)
{
  (void)unused;
  const double a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 10}, b[9] = {2, 0, 1, -1, 3, 5, 4, 1, -2}, v[3] = {1, -2, 3};
  const double ab[9] = {12, 9, 5, 27, 21, 17, 46, 34, 27}, atb[9] = {26, 19, 7, 31, 23, 11, 40, 28, 13};
  double c[9], x[3], back[3];
  vvi_mul33(a, b, c);
  check_near(distance(9, c, ab), 0.0, 0.0);
  vvi_tmul33(a, b, c);
  check_near(distance(9, c, atb), 0.0, 0.0);
  vvi_tapply33(a, v, x);
  check_near(distance(3, x, (const double[3]){14, 16, 21}), 0.0, 0.0);
  vvi_solve33(a, v, x);
  vvi_apply33(a, x, back);
  check_near(distance(3, back, v), 0.0, 2e-14);
}

static void test_maps(void **unused)
{
  (void)unused;
  uint64_t seed = 1;
  for (int n = 0; n < 300; n++) {
    double w[3], g[3], r[9], x[3], twin[9], way[3], back[3], back_g[3], one[9];
    direction(&seed, pow(10.0, 4.0 * uniform(&seed) - 3.5), w);
    direction(&seed, 2.0, g);
    vvi_cay_se3(w, g, r, x);
    tau_real(BEAM_LAVI_CAYLEY, w, g, twin, way);
    check_most(distance(9, r, twin), 1e-15);
    check_most(distance(3, x, way), 3e-15);
    vvi_tmul33(r, r, one);
    check_most(distance(9, one, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}), 1e-15);
    vvi_cay_se3_inverse(r, x, back, back_g);
    check_most(distance(3, back, w), 1e-15 * (1.0 + pow(vvi_norm3(w), 3)));
    check_most(distance(3, back_g, g), 3e-15 * (1.0 + pow(vvi_norm3(w), 3)));
    vvi_exp_se3(w, g, r, x);
    tau_real(BEAM_LAVI_EXP, w, g, twin, way);
    check_most(distance(9, r, twin), 1e-14); /* the twin's Taylor series cancels at |w| = 3 */
    check_most(distance(3, x, way), 3e-14);
    vvi_exp(w, one);
    check_near(distance(9, r, one), 0.0, 0.0);
  }
}

/* Many turns, no turn, and both sides of the switch from the series to sines. */
static void test_exp_everywhere(void **unused)
{
  (void)unused;
  const double angle[] = {0.0, 1e-300, 1e-9, 1e-4, 0.9999999, 1.0000001, 3.0, 50.0, 1e4};
  for (int i = 0; i < (int)VV_COUNT(angle); i++) {
    const double a = angle[i], w[3] = {0, 0, a}, g[3] = {1, 0, 2}, c = cos(a), s = sin(a);
    const double turn[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    /* about z: x = sin(a)/a, y = (1 - cos(a))/a */
    const double way[3] = {a > 0 ? s / a : 1, a > 1e-6 ? 2 * pow(sin(0.5 * a), 2) / a : 0.5 * a, 2};
    double r[9], x[3];
    vvi_exp_se3(w, g, r, x);
    check_most(distance(9, r, turn), 3e-16);
    check_most(distance(3, x, way), 3e-16);
  }
  double c[9], below[3], above[3];
  vvi_stumpff(10.0, 0, 9 - 1, c); /* c_0 .. c_7 */
  check_near(c[0], cos(sqrt(10.0)), 3e-15);
  check_near(c[1], sin(sqrt(10.0)) / sqrt(10.0), 1e-15);
  vvi_turn(1.0, below);
  vvi_turn(nextafter(1.0, 2.0), above);
  check_most(distance(3, below, above), 3e-16);
}

/* ---- duals ---- */

static const beam_drift_rule lavi[3] = {BEAM_LAVI_CAYLEY, BEAM_LAVI_CAY, BEAM_LAVI_EXP};

/* d tau(dw, 0) tau^-1 by complex step, as angular and linear velocity. */
static void moved(beam_drift_rule rule, const double w[3], const double g[3], int along, double turn[3], double go[3])
{
  const double tiny = 1e-30;
  number wc[3], gc[3], out[16], rate[16], here[16], left[16];
  for (int i = 0; i < 3; i++) wc[i] = w[i] + (i == along ? tiny * I : 0.0), gc[i] = g[i];
  tau(rule, wc, gc, out);
  for (int i = 0; i < 16; i++) rate[i] = cimag(out[i]) / tiny, here[i] = creal(out[i]);
  /* tau^-1 from the right: transpose, solve, transpose */
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) left[4 * i + j] = here[4 * j + i], out[4 * i + j] = rate[4 * j + i];
  solve(left, out);
  turn[0] = creal(out[4 * 1 + 2]), turn[1] = creal(out[4 * 2 + 0]), turn[2] = creal(out[4 * 0 + 1]);
  for (int i = 0; i < 3; i++) go[i] = creal(out[12 + i]);
}

/* [beam 18] and [beam 17] against [beam 16]. */
static void test_duals(void **unused)
{
  (void)unused;
  uint64_t seed = 2;
  double worst[3] = {0, 0, 0};
  for (int n = 0; n < 200; n++)
    for (int k = 0; k < 3; k++) {
      const double h = 0.3 + uniform(&seed), m = 0.5 + uniform(&seed);
      double w[3], s[3], u[3], g[3], r[9], x[3], side[3], slope[9];
      direction(&seed, uniform(&seed), w);
      direction(&seed, 1.3, s);
      direction(&seed, 1.7, u);
      for (int c = 0; c < 3; c++) { /* g = (h/m) T^T u, the columns of T from tau */
        const double unit[3] = {c == 0, c == 1, c == 2};
        tau_real(lavi[k], w, unit, r, x);
        g[c] = h / m * vvi_dot3(x, u);
      }
      const beam_retraction f = beam_retraction_at(lavi[k], vvi_dot3(w, w));
      const beam_flight flight = {.s = {h * s[0], h * s[1], h * s[2]}, .u = {u[0], u[1], u[2]}, .e = h * h / m};
      beam_flight_side(&flight, &f, w, side, slope);
      tau_real(lavi[k], w, g, r, x);
      for (int c = 0; c < 3; c++) {
        double turn[3], go[3];
        moved(lavi[k], w, g, c, turn, go);
        worst[k] = fmax(worst[k], fabs(side[c] - h * (vvi_dot3(s, turn) + vvi_dot3(u, go))));
        worst[k] = fmax(worst[k], fabs(x[c] - h / m * (f.A * u[c] + f.B * w[c] * vvi_dot3(w, u))));
      }
    }
  for (int k = 0; k < 3; k++) check_most(worst[k], 5e-14); /* sides are up to 10 */
}

/* [beam 19]: the slope, by central differences. */
static void test_slopes(void **unused)
{
  (void)unused;
  uint64_t seed = 3;
  for (int n = 0; n < 100; n++)
    for (int k = 0; k < 3; k++) {
      beam_flight flight = {.e = 0.5 + uniform(&seed)};
      double w[3], slope[9], waste[9];
      direction(&seed, 1.5 * uniform(&seed), w);
      direction(&seed, 1.0, flight.s);
      direction(&seed, 1.0, flight.u);
      beam_retraction f = beam_retraction_at(lavi[k], vvi_dot3(w, w));
      double side[3];
      beam_flight_side(&flight, &f, w, side, slope);
      for (int j = 0; j < 3; j++) {
        double to[3], from[3], at[3];
        const double d = 1e-5;
        memcpy(at, w, sizeof at);
        at[j] = w[j] + d;
        f = beam_retraction_at(lavi[k], vvi_dot3(at, at));
        beam_flight_side(&flight, &f, at, to, waste);
        at[j] = w[j] - d;
        f = beam_retraction_at(lavi[k], vvi_dot3(at, at));
        beam_flight_side(&flight, &f, at, from, waste);
        for (int i = 0; i < 3; i++) check_near(slope[3 * i + j], (to[i] - from[i]) / (2.0 * d), 1e-9);
      }
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_products), cmocka_unit_test(test_maps),   cmocka_unit_test(test_exp_everywhere),
      cmocka_unit_test(test_duals),    cmocka_unit_test(test_slopes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
