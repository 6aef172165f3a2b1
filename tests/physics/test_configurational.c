/* tests/physics/test_configurational.c  Configurational forces of bars and beams.
 *
 * C of an element is how its Lagrangian changes with its length: against differences of T - V of two models whose elements are a
 * little longer and shorter, with places, frames and velocities the same.  And the balance of C and the momentum of shifts in
 * the middle of a body closes with second order when mesh and step are halved, for a pulse that runs through it. */
#include "check.h"

#include "model/model.h"
#include "visviva/book.h"
#include "visviva/visviva.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct body {
  vv_ctx *ctx;
  vv_model *model;
  vv_state *state;
} body;

static body build(const char *format, ...) __attribute__((format(printf, 1, 2)));
static body build(const char *format, ...)
{
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  body b = {NULL, NULL, NULL};
  vv_spec *spec = NULL;
  const vv_ctx_def def = vv_ctx_default();
  assert_int_equal(vv_ctx_create(&def, &b.ctx), VV_OK);
  assert_int_equal(vv_scene_parse(b.ctx, "scene", text, strlen(text), &spec), VV_OK);
  assert_int_equal(vv_compile(b.ctx, spec, &b.model, &b.state), VV_OK);
  vv_spec_destroy(spec);
  return b;
}

static void drop(body *b)
{
  vv_state_destroy(b->state);
  vv_model_destroy(b->model);
  vv_ctx_destroy(b->ctx);
}

static double lagrangian(const body *b)
{
  double t[VV_BODY_TOTALS];
  assert_int_equal(vv_model_totals(b->model, b->state, 0, t), VV_OK);
  return t[0] - t[1] - t[2];
}

/* Sum of C over the elements. */
static double forces(const body *b, int n)
{
  double *c = test_calloc((size_t)n, sizeof *c), sum = 0.0;
  assert_int_equal(vv_model_output(b->model, b->state, 0, "configurational_force", c), VV_OK);
  for (int i = 0; i < n; i++) sum += c[i];
  test_free(c);
  return sum;
}

enum { N = 12 };

/* ---- derivatives ---- */

/* Displacements grow by what the reference shrinks; momenta go with the masses, that is with the length. */
static void bar_state(body *b, double length)
{
  for (int i = 0; i <= N; i++) {
    const double x = (double)i / N, place = x + 0.03 * sin(2.0 * x) + 0.01 * x * x,
                 m = length / N * (i % N == 0 ? 0.5 : 1.0);
    b->state->q[i] = place - length * x;
    b->state->p[i] = 2.0 * m * (0.2 + 0.3 * cos(3.0 * x));
  }
}

static void bar_derivative(void **unused)
{
  (void)unused;
  static const char *const law[2] = {"linear", "neo-hookean"};
  for (int k = 0; k < 2; k++) {
    const double d = 1e-5;
    double value[3], sum = 0.0;
    for (int i = 0; i < 3; i++) {
      const double length = 1.0 + d * (i - 1);
      body b = build(
          "visviva: 1\ntime: {end: 1, step: 1e-3}\ngravity: [3, 0, 0]\nbodies:\n  bar: {kind: bar, length: %.17g, "
          "elements: %d, material: {young: 5, density: 2, law: %s}, section: {area: 1}, tips: {first: lumped, last: "
          "lumped}}\n",
          length, N, law[k]);
      bar_state(&b, length);
      value[i] =
          lagrangian(&b) + 2.0 * 3.0 * length * length / 2.0; /* its potential counts from where nodes are at rest */
      if (i == 1) sum = forces(&b, N);
      drop(&b);
    }
    check_near(sum, N * (value[2] - value[0]) / (2.0 * d), 2e-7 * fabs(sum));
  }
}

/* The beam is built with the same nodes; only its rest length differs. */
static void beam_derivative(void **unused)
{
  (void)unused;
  static const char *const rule[5] = {"one-point", "trapezoid", "cayley", "exp", "exp-se3"};
  for (int k = 0; k < 5; k++) {
    const double d = 1e-5;
    double value[3], sum = 0.0, *q = NULL, *p = NULL;
    for (int i = 0; i < 3; i++) {
      static const int order[3] = {1, 0, 2};
      const double length = 1.0 + d * (order[i] - 1);
      body b = build(
          "visviva: 1\ntime: {end: 1, step: 1e-5}\ngravity: [1, 2, -3]\nbodies:\n  beam: {kind: beam, length: %.17g, "
          "elements: %d, material: {young: 1e4, poisson: 0.3, density: 1000}, section: {square: {side: 0.05}}, strain: "
          "%s, shape: {bump: {curvature: [0.5, 2, 1], strain: [0.05, 0.1, -0.2]}}, velocity: [1, 2, 3], spin: [3, -2, "
          "1]}\n",
          length, N, rule[k]);
      const size_t nq = sizeof(double) * (size_t)b.state->nq, np = sizeof(double) * (size_t)b.state->np;
      if (i == 0) {
        q = test_malloc(nq), p = test_malloc(np);
        memcpy(q, b.state->q, nq), memcpy(p, b.state->p, np);
        sum = forces(&b, N);
      }
      memcpy(b.state->q, q, nq);
      for (int64_t c = 0; c < b.state->np; c++) b.state->p[c] = length * p[c];
      value[order[i]] = lagrangian(&b);
      drop(&b);
    }
    test_free(q);
    test_free(p);
    check_near(sum, N * (value[2] - value[0]) / (2.0 * d), 1e-6 * fabs(sum));
  }
}

/* ---- balance ---- */

static vv_structure structure_of(body *b)
{
  vv_sim *sim = NULL;
  vv_report report;
  vv_structure s;
  vv_sim_def def = vv_sim_default();
  def.check_structure = true;
  assert_int_equal(vv_sim_create(b->model, b->state, &def, &sim), VV_OK);
  assert_int_equal(vv_sim_run(sim, &report), VV_OK);
  assert_int_equal(report.reason, VV_REASON_DONE);
  assert_true(vv_sim_structure(sim, &s));
  vv_sim_destroy(sim);
  drop(b);
  return s;
}

static double residual(body *b)
{
  return structure_of(b).configurational;
}

/* A pulse runs from the first quarter of the bar to its middle. */
static double bar_balance(int n, const char *law)
{
  body b = build(
      "visviva: 1\ntime: {end: 0.4, step: %.17g}\nmethod: {step: leapfrog}\nbodies:\n  bar: {kind: bar, length: 1, "
      "elements: %d, material: {young: 1, density: 1, law: %s}, section: {area: 1}, tips: {first: lumped, last: "
      "lumped}}\n",
      0.2 / n, n, law);
  for (int i = 0; i <= n; i++) {
    const double x = (double)i / n, y = (x - 0.25) / 0.06, u = 0.004 * exp(-y * y), slope = -2.0 * y / 0.06 * u;
    b.state->q[i] = u;
    b.state->p[i] = -slope / n * (i % n == 0 ? 0.5 : 1.0);
  }
  return residual(&b);
}

/* A beam bent more on one side, let go; section and axis of a soft beam. */
static double beam_balance(int n, const char *rule)
{
  body b = build(
      "visviva: 1\ntime: {end: 0.02, step: %.17g}\nmethod: {step: leapfrog}\nbodies:\n  beam: {kind: beam, length: 1, "
      "elements: %d, material: {young: 1e5, poisson: 0.3, density: 1000}, section: {square: {side: 0.1}}, strain: %s, "
      "shape: {bump: {curvature: [0, 1, 0.5], strain: [0, 0, -0.05]}}, velocity_profile: [{at: [0, 0.3, 1], factor: "
      "[0, 1, 0], direction: [0.1, 0.2, 0.3]}]}\n",
      4e-3 / n, n, rule);
  return residual(&b);
}

static void bar_order(void **unused)
{
  (void)unused;
  static const char *const law[2] = {"linear", "neo-hookean"};
  for (int k = 0; k < 2; k++) {
    const double coarse = bar_balance(64, law[k]), fine = bar_balance(128, law[k]), finest = bar_balance(256, law[k]);
    check_least(log2(coarse / fine), 1.8);
    check_near(log2(fine / finest), 2.0, 0.2);
  }
}

static void beam_order(void **unused)
{
  (void)unused;
  static const char *const rule[5] = {"one-point", "trapezoid", "cayley", "exp", "exp-se3"};
  for (int k = 0; k < 5; k++) {
    const double coarse = beam_balance(32, rule[k]), fine = beam_balance(64, rule[k]);
    check_least(log2(coarse / fine), 0.9); /* the profile has a kink */
    check_most(fine, 0.02);
  }
}

/* ---- the energy of single elements ---- */

static body local_body(int kind, double step)
{
  static const char *const text[] = {
      "bar: {kind: bar, length: 1, elements: 20, grading: 3, material: {young: 5, density: 2, "
      "law: "
      "linear}, section: {area: 1}, vibration: [{mode: 2, amplitude: 0.01}], ends: {first: fixed}}",
      "bar: {kind: bar, length: 1, elements: 20, material: {young: 5, density: 2, law: neo-hookean}, section: {area: "
      "1}, "
      "vibration: [{mode: 2, amplitude: 0.05}]}",
      "beam: {kind: beam, length: 1, elements: 12, material: {young: 1e5, poisson: 0.3, density: 1000}, section: "
      "{square: "
      "{side: 0.05}}, strain: trapezoid, shape: {bump: {curvature: [0.5, 2, 1], strain: [0.05, 0.1, -0.2]}}, spin: [3, "
      "-2, 1]}",
      "beam: {kind: beam, length: 1, elements: 12, material: {young: 1e5, poisson: 0.3, density: 1000}, section: "
      "{square: "
      "{side: 0.05}}, strain: cayley, shape: {bump: {curvature: [0.5, 2, 1], strain: [0.05, 0.1, -0.2]}}, spin: [3, "
      "-2, "
      "1], masses: [{at: 0, mass: 0.5}]}"};
  return build(
      "visviva: 1\ntime: {end: 0.1, step: %.17g}\nmethod: {step: leapfrog}\ngravity: [3, 1, -2]\nbodies:\n  %s\n", step,
      text[kind]);
}

/* Energies of elements are those of the body; inside a body what one element gets another gives; and each has what came in, to
 * the second order of the step at a fixed mesh.                                                              [bars 58, 59] */
static void local_energy(void **unused)
{
  (void)unused;
  enum { MOST = 64 };
  for (int kind = 0; kind < 4; kind++) {
    double off[3], t[VV_BODY_TOTALS], energy[MOST], power[MOST], sum = 0.0, flow = 0.0, size = 0.0;
    body b = local_body(kind, 1e-4);
    const int n = (int)b.model->body[0].n_element;
    assert_int_equal(vv_model_totals(b.model, b.state, 0, t), VV_OK);
    assert_int_equal(vv_model_output(b.model, b.state, 0, "energy", energy), VV_OK);
    assert_int_equal(vv_model_output(b.model, b.state, 0, "power", power), VV_OK);
    for (int e = 0; e < n; e++) sum += energy[e], flow += power[e], size += fabs(power[e]);
    check_near(sum, t[0] + t[1] + t[2], 1e-12 * (fabs(t[0]) + fabs(t[1]) + fabs(t[2])));
    check_most(fabs(flow), 1e-12 * size);
    drop(&b);
    for (int k = 0; k < 3; k++) {
      body at = local_body(kind, (kind < 2 ? 2e-3 : 2e-4) / (1 << k));
      off[k] = structure_of(&at).local_energy;
    }
    for (int k = 0; k < 2; k++) check_near(log2(off[k] / off[k + 1]), 2.0, 0.1);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(bar_derivative), cmocka_unit_test(beam_derivative),
                                     cmocka_unit_test(bar_order), cmocka_unit_test(beam_order),
                                     cmocka_unit_test(local_energy)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
