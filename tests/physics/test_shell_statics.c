/* tests/physics/test_shell_statics.c  Shells against published and exact solutions, with orders of convergence: breathing
 * sphere, plates and discs that are supported or clamped, a blown-up sphere, a pinched cylinder. */
#include "check.h"
#include "run.h"
#include "statics.h"

#include "body/shell/shell.h"
#include "math/math.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 2048 };

static run_record open_shell(const char *mesh, double thickness, const char *material, const char *more)
{
  char text[TEXT];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1, step: 1e-12}\nmethod: {step: leapfrog}\ngravity: [0, 0, -1]\nbodies:\n"
           "  s: {kind: shell, mesh: %s, thickness: %.17g, material: {%s}%s}\n",
           mesh, thickness, material, more);
  return run_prepare(text, NULL);
}

static double *vector(const vv_block *b)
{
  return calloc(3 * (size_t)b->column, sizeof(double));
}

/* The component c of the limit displacement of a node. */
static double limit_of(const vv_block *b, const double *u, int64_t node, int c)
{
  double *y = calloc(3 * (size_t)b->nodes, sizeof *y);
  shell_limits(b, false, u, y);
  const double value = y[3 * node + c];
  free(y);
  return value;
}

/* ---- breathing of a sphere ---- */

/* omega R_limit / sqrt(2 E/((1 - nu) rho)) of the mode that scales the sphere; exactly 1 for a thin one. */
static double breathing(const char *base, int level)
{
  char mesh[256];
  snprintf(mesh, sizeof mesh, "{sphere: {radius: 1, base: %s, level: %d}}", base, level);
  run_record r = open_shell(mesh, 0.05, "young: 2.1e5, density: 0.0785", "");
  const vv_block *b = &r.model->block[0];
  const double *x = r.initial->q, *m = shell_node(b, SHELL_MASS);
  double *K = vector(b), *y = calloc(3 * (size_t)b->nodes, sizeof *y), stiff = 0.0, mass = 0.0, radius = 0.0;
  statics_apply(b, x, x, 1e-5, K);
  shell_limits(b, false, x, y);
  for (int64_t i = 0; i < b->nodes; i++) radius += vvi_norm3(y + 3 * i) / (double)b->nodes;
  for (int c = 0; c < 3; c++)
    for (int64_t i = 0; i < b->nodes; i++) {
      const int64_t at = c * b->column + i;
      stiff += x[at] * K[at], mass += m[i] * x[at] * x[at];
    }
  free(K), free(y), run_free(&r);
  return sqrt(stiff / mass) * radius / sqrt(2.0 * 2.1e5 / (0.7 * 0.0785));
}

/* Values of an independent program, which timed the mode: octahedron 0.98605, 0.99633, 0.99917, icosahedron 0.97821,
 * 0.99464, 0.99870.  A quotient of energies differs from them by the square of the error of the mode. */
static void test_breathing(void **unused)
{
  (void)unused;
  static const double noted[2][3] = {{0.98605, 0.99633, 0.99917}, {0.97821, 0.99464, 0.99870}};
  for (int k = 0; k < 2; k++) {
    double error[3];
    for (int l = 0; l < 3; l++) {
      const double value = k == 0 ? breathing("octahedron", 3 + l) : breathing("icosahedron", 2 + l);
      check_near(value, noted[k][l], 0.05 * (1.0 - noted[k][l]) + 1e-5);
      error[l] = fabs(1.0 - value);
    }
    for (int l = 1; l < 3; l++) check_near(log2(error[l - 1] / error[l]), 2.0, 0.2);
  }
}

/* ---- plates under their own weight ---- */

/* w D/(q L^4) at the middle. */
static double sag(const char *mesh, const char *hold)
{
  const double h = 0.01, nu = 0.3, D = 1e6 * h * h * h / (12.0 * (1.0 - nu * nu));
  char more[128];
  snprintf(more, sizeof more, ", edges: [{hold: %s}]", hold);
  run_record r = open_shell(mesh, h, "young: 1e6, poisson: 0.3, density: 1", more);
  const vv_block *b = &r.model->block[0];
  double *f = vector(b), *u = vector(b), *y = calloc(3 * (size_t)b->nodes, sizeof *y);
  b->kind->kick(b, 0.0, 1.0, r.initial->q, f); /* at rest only gravity kicks */
  check_least(statics_solve(b, r.initial->q, f, 1e-7, 1e-8, 5000, u), 1);
  int64_t middle = 0;
  for (int64_t i = 0; i < b->nodes; i++) {
    const double *x = r.initial->q;
    if (hypot(x[i], x[b->column + i]) < hypot(x[middle], x[b->column + middle])) middle = i;
  }
  const double w = -limit_of(b, u, middle, 2);
  free(f), free(u), free(y), run_free(&r);
  return w * D / h;
}

static void check_plates(const char *format, const int size[3], const char *hold, double exact, double order,
                         double last)
{
  double error[3];
  for (int i = 0; i < 3; i++) {
    char mesh[128];
    snprintf(mesh, sizeof mesh, format, size[i], size[i]);
    error[i] = sag(mesh, hold) / exact - 1.0;
  }
  check_most(fabs(error[2]), last);
  check_least(log2(fabs(error[0] / error[1])), order);
  check_least(log2(fabs(error[1] / error[2])), order);
}

/* Kirchhoff plates (Timoshenko): square 0.00406235 and 0.00126532; disc (5 + nu)/(1 + nu)/64 and 1/64. */
static void test_plates(void **unused)
{
  (void)unused;
  static const int square[3] = {8, 16, 32}, disc[3] = {6, 12, 24};
  check_plates("{rectangle: {size: [1, 1], pieces: [%d, %d]}}", square, "supported", 0.00406235, 1.9, 0.004);
  check_plates("{rectangle: {size: [1, 1], pieces: [%d, %d]}}", square, "clamped", 0.00126532, 1.9, 0.006);
  check_plates("{disc: {radius: 1, rings: %d}}", disc, "supported", 5.3 / 1.3 / 64.0, 1.9, 0.0005);
  check_plates("{disc: {radius: 1, rings: %d}}", disc, "clamped", 1.0 / 64.0, 1.35, 0.0025);
}

/* ---- a sphere under pressure: u = P R^2 (1 - nu)/(2 E h) ---- */

static void test_pressure(void **unused)
{
  (void)unused;
  double error[3];
  for (int l = 0; l < 3; l++) {
    char mesh[128];
    snprintf(mesh, sizeof mesh, "{sphere: {radius: 1, level: %d}}", 2 + l);
    run_record r = open_shell(mesh, 0.01, "young: 1000, density: 1", ", pressure: [{value: 1e-3}]");
    const vv_block *b = &r.model->block[0];
    vv_block bare = *b;
    double *f = vector(b), *u = vector(b), mean = 0.0, sum[6] = {0}, size = 0.0;
    bare.n_load = 0;
    memset(bare.gravity, 0, sizeof bare.gravity);
    shell_kick_loads(b, 0.0, 1.0, r.initial->q, f);
    for (int64_t i = 0; i < b->nodes; i++) { /* neither a force nor a moment as a whole */
      double x[3], on[3], arm[3];
      for (int c = 0; c < 3; c++) x[c] = r.initial->q[c * b->column + i], on[c] = f[c * b->column + i];
      vvi_cross3(x, on, arm);
      for (int c = 0; c < 3; c++) sum[c] += on[c], sum[3 + c] += arm[c];
      size += vvi_norm3(on);
    }
    for (int c = 0; c < 6; c++) check_most(fabs(sum[c]), 1e-15 * size);
    check_least(statics_solve(&bare, r.initial->q, f, 1e-6, 1e-8, 5000, u), 1);
    double *y = calloc(3 * (size_t)b->nodes, sizeof *y), *x = calloc(3 * (size_t)b->nodes, sizeof *x);
    shell_limits(b, false, u, y);
    shell_limits(b, false, r.initial->q, x);
    for (int64_t i = 0; i < b->nodes; i++)
      mean += vvi_dot3(y + 3 * i, x + 3 * i) / vvi_norm3(x + 3 * i) / (double)b->nodes;
    error[l] = fabs(mean / (1e-3 * 0.7 / (2.0 * 1000.0 * 0.01)) - 1.0);
    free(f), free(u), free(x), free(y), run_free(&r);
  }
  check_most(error[2], 0.02);
  for (int l = 1; l < 3; l++) check_near(log2(error[l - 1] / error[l]), 2.0, 0.3);
}

/* ---- pinched cylinder with free ends ---- */

/* R 4.953, L 10.35, h 0.094, E 10.5e6, nu 0.3125, two forces of 100 at the middle: 0.1139 under a load (Ashwell and Sabir
 * 1972, and since then in most papers on shell elements; 0.1137 in some). */
static double pinch(int around, int along)
{
  char mesh[128];
  snprintf(mesh, sizeof mesh, "{cylinder: {radius: 4.953, height: 10.35, around: %d, along: %d}}", around, along);
  run_record r =
      open_shell(mesh, 0.094, "young: 10.5e6, poisson: 0.3125, density: 1",
                 ", loads: [{at: [4.953, 0, 0], force: [-100, 0, 0]}, {at: [-4.953, 0, 0], force: [100, 0, 0]}]");
  const vv_block *b = &r.model->block[0];
  vv_block bare = *b;
  double *f = vector(b), *u = vector(b);
  bare.n_load = 0;
  memset(bare.gravity, 0, sizeof bare.gravity);
  shell_kick_loads(b, 0.0, 1.0, r.initial->q, f);
  check_least(statics_solve(&bare, r.initial->q, f, 1e-6, 1e-7, 5000, u), 1);
  const double one = -limit_of(b, u, b->load[0].node, 0), two = limit_of(b, u, b->load[1].node, 0);
  check_near(one, two, 1e-5 * two);
  free(f), free(u), run_free(&r);
  return one;
}

static void test_pinched_cylinder(void **unused)
{
  (void)unused;
  const double coarse = pinch(24, 8), middle = pinch(48, 20), fine = pinch(96, 36);
  check_near(fine, 0.1138, 0.0006);
  check_most(fabs(fine - middle), fabs(middle - coarse) / 3.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_breathing), cmocka_unit_test(test_plates),
                                     cmocka_unit_test(test_pressure), cmocka_unit_test(test_pinched_cylinder)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
