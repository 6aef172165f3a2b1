/* tests/physics/test_asynchronous.c  A step of its own for every element: the same as one step where all are alike, symplectic,
 * reversible, of second order, momenta to rounding. */
#include "check.h"
#include "run.h"

#include "base/base.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 2048 };

#define BAR "kind: bar, length: 1, elements: %d, grading: %g, material: {young: 1, density: 1}, section: {area: 1}"

static void write_bar(char *text, int elements, double grading, bool own, double safety, const char *more)
{
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 2, step: {safety: %g, asynchronous: %s}}\nmethod: {step: leapfrog}\n"
           "bodies:\n  bar: {" BAR "%s}\n",
           safety, own ? "true" : "false", elements, grading, more);
}

/* Elements that are alike but for those at the ends, whose nodes are light: at their step they are the leapfrog's to rounding
 * where the mass of all nodes is the same (a ring of beam elements). */
static void alike_is_the_leapfrog(void **state)
{
  (void)state;
  run_record r[2];
  for (int i = 0; i < 2; i++) {
    char text[TEXT];
    snprintf(text, TEXT,
             "visviva: 1\ntime: {end: 0.1, step: {safety: 0.3, asynchronous: %s}}\nmethod: {step: leapfrog}\n"
             "bodies:\n  ring: {kind: beam, elements: 12, material: {young: 1e6, poisson: 0.3, density: 1000}, "
             "section: {circle: {radius: 0.02}}, shape: {ring: {radius: 0.3}}, velocity: [1, 0, 0], spin: [1, 5, 2]}\n",
             i == 0 ? "true" : "false");
    r[i] = run_scene(text, NULL);
  }
  check_most(run_difference_q(r[0].state, r[1].state), 1e-12);
  check_most(run_difference_p(r[0].state, r[1].state), 1e-11);
  run_free(&r[0]);
  run_free(&r[1]);
}

/* The step of linear bars is a matrix; M^T J M = J. */
static void it_is_symplectic(void **state)
{
  (void)state;
  char text[TEXT];
  write_bar(text, 7, 11.0, true, 0.9, ", vibration: [{mode: 1, amplitude: 0.1}]");
  run_record r = run_prepare(text, NULL);
  const int64_t n = r.state->nq;
  double *m = calloc((size_t)(4 * n * n), sizeof *m);
  assert_non_null(m);
  for (int64_t k = 0; k < 2 * n; k++) {
    vv_report report = {0};
    memset(r.state->q, 0, sizeof(double) * (size_t)n), memset(r.state->p, 0, sizeof(double) * (size_t)n);
    *(k < n ? &r.state->q[k] : &r.state->p[k - n]) = 1.0;
    assert_int_equal(vv_sim_steps(r.sim, 1, &report), VV_OK);
    for (int64_t i = 0; i < n; i++) m[2 * n * k + i] = r.state->q[i], m[2 * n * k + n + i] = r.state->p[i];
  }
  double worst = 0.0;
  for (int64_t a = 0; a < 2 * n; a++)
    for (int64_t b = 0; b < 2 * n; b++) {
      double sum = 0.0, size = 1.0;
      for (int64_t i = 0; i < n; i++) {
        const double x = m[2 * n * a + i] * m[2 * n * b + n + i], y = m[2 * n * a + n + i] * m[2 * n * b + i];
        sum += x - y, size += fabs(x) + fabs(y);
      }
      worst = fmax(worst, fabs(sum - (b == a + n ? 1.0 : a == b + n ? -1.0 : 0.0)) / size);
    }
  check_most(worst, 1e-14);
  free(m);
  run_free(&r);
}

static void it_runs_back(void **state)
{
  (void)state;
  static const char *const body[] = {
      "{"
      "kind: bar, length: 1, elements: 20, grading: 9, material: {young: 1, density: 1}, section: {area: 1}, "
      "vibration: "
      "[{mode: 2, amplitude: 0.01}], velocity: 0.3}",
      "{kind: beam, length: 1, elements: 12, grading: 7, material: {young: 1e4, poisson: 0.3, density: 1000}, section: "
      "{circle: {radius: 0.02}}, shape: {bump: {curvature: [2, 1, 0.5]}}, spin: [1, 2, 3]}"};
  for (int i = 0; i < VV_COUNT(body); i++) {
    char text[TEXT];
    snprintf(text, TEXT,
             "visviva: 1\ntime: {end: 1, step: {safety: 0.4, asynchronous: true}}\nmethod: {step: leapfrog}\n"
             "bodies:\n  body: %s\n",
             body[i]);
    run_record there = run_scene(text, &(run_options){.steps = 50});
    check_most(run_ledger(&there)->max_p_drift, 1e-13);
    check_most(run_ledger(&there)->max_L_drift, 1e-13);
    vv_sim *back;
    vv_sim_def def = vv_sim_default();
    vv_report report = {0};
    def.step = -vv_model_step(there.model);
    assert_int_equal(vv_sim_create(there.model, there.state, &def, &back), VV_OK);
    assert_int_equal(vv_sim_steps(back, 50, &report), VV_OK);
    check_most(run_difference_q(there.state, there.initial), 1e-12);
    check_most(run_difference_p(there.state, there.initial), 1e-10);
    vv_sim_destroy(back);
    run_free(&there);
  }
}

/* Two bars of different stiffness that collide with massless tips: the energy error falls with the square of the steps, the momenta
 * stay, and contact lasts as wave theory says, 2 L/c of the softer one at least. */
static void bars_collide(void **state)
{
  (void)state;
  double error[2];
  for (int i = 0; i < 2; i++) {
    char text[TEXT];
    snprintf(text, TEXT,
             "visviva: 1\ntime: {end: 40, step: {safety: %g, asynchronous: true}}\nmethod: {step: leapfrog}\nbodies:\n"
             "  left: {kind: bar, length: 10, elements: 50, grading: 20, tips: {first: cell, last: cell}, material: "
             "{young: 1, density: 1}, section: {area: 1}, position: -10.02, velocity: 0.1}\n"
             "  right: {kind: bar, length: 10, elements: 50, tips: {first: cell, last: cell}, material: {young: 50, "
             "density: 1}, section: {area: 1}, velocity: -0.1}\n",
             i == 0 ? 0.4 : 0.1);
    run_record r = run_scene(text, NULL);
    const vv_ledger *l = run_ledger(&r);
    error[i] = l->max_closure;
    check_most(l->max_p_drift, 1e-14);
    vv_contact_total c;
    assert_int_equal(vv_ledger_pair(l, 0, &c), VV_OK);
    assert_int_equal(c.episodes, 1);
    run_free(&r);
  }
  check_most(error[1], error[0] / 12.0);
}

/* Under gravity the centre falls on its parabola, to rounding, and the books know it; the energy is of second order. */
static void they_fall(void **state)
{
  (void)state;
  double error[2];
  for (int i = 0; i < 2; i++) {
    char text[TEXT];
    snprintf(
        text, TEXT,
        "visviva: 1\ntime: {end: 0.5, step: {safety: %g, asynchronous: true}}\nmethod: {step: leapfrog}\ngravity: [1, "
        "2, -3]\nbodies:\n  body: {kind: beam, length: 1, elements: 12, grading: 7, material: {young: 1e4, poisson: "
        "0.3, "
        "density: 1000}, section: {circle: {radius: 0.02}}, shape: {bump: {curvature: [2, 1, 0.5]}}, velocity: [1, 0, "
        "2]}\n",
        i == 0 ? 0.4 : 0.1);
    run_record r = run_scene(text, NULL);
    const vv_ledger *l = run_ledger(&r);
    double before[VV_BODY_TOTALS], after[VV_BODY_TOTALS];
    static const double g[3] = {1, 2, -3};
    assert_int_equal(vv_model_totals(r.model, r.initial, 0, before), VV_OK);
    assert_int_equal(vv_model_totals(r.model, r.state, 0, after), VV_OK);
    const double mass = 1000.0 * 3.14159265358979323846 * 4e-4, t = r.state->t;
    for (int c = 0; c < 3; c++) check_near(after[3 + c] - before[3 + c], mass * g[c] * t, 1e-11);
    /* -potential/m = g.x of the centre: v.g t + g.g t^2/2, with the mean velocity of the start */
    double way = 0.0;
    for (int c = 0; c < 3; c++) way += g[c] * (before[3 + c] / mass * t + 0.5 * g[c] * t * t);
    check_near((before[2] - after[2]) / mass, way, 1e-11);
    check_most(l->max_p_drift, 1e-13);
    check_most(l->max_L_drift, 1e-13);
    error[i] = l->max_closure;
    run_free(&r);
  }
  check_most(error[1], error[0] / 10.0);
}

static void others_are_refused(void **state)
{
  (void)state;
  static const char *const wrong[][2] = {
      {", loads: [{end: last, force: 1}]", "without loads"},
      {", ends: {first: fixed}", "without loads"},
  };
  for (int i = 0; i < VV_COUNT(wrong); i++) {
    char text[TEXT], message[TEXT];
    write_bar(text, 10, 1.0, true, 0.5, wrong[i][0]);
    assert_int_not_equal(run_refused(text, message, sizeof message), VV_OK);
    if (strstr(message, wrong[i][1]) == NULL) fail_msg("%s says: %s", wrong[i][0], message);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(alike_is_the_leapfrog), cmocka_unit_test(it_is_symplectic), cmocka_unit_test(it_runs_back),
      cmocka_unit_test(bars_collide),          cmocka_unit_test(they_fall),        cmocka_unit_test(others_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
