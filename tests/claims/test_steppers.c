/* tests/claims/test_steppers.c  Every stepper of the catalog, at every order, must be what its table says: order of
 * convergence, conservation, reversibility, symplecticity.  A new stepper is tested by being listed. */
#include "check.h"
#include "run.h"

#include "visviva/ext.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 2048 };

/* A free body in smooth motion, no contact: a bar in flight and vibration, a beam that bends and spins, or a block that
 * tumbles. */
typedef enum subject { BAR, BEAM, RIGID } subject;

static void smooth_scene(char *text, subject what, const char *stepper, int order, double dt)
{
  static const char *const body[] = {
      "{kind: bar, length: 1, elements: 16, material: {young: 1, density: 1}, section: {area: 1}, velocity: 0.2,\n"
      "   vibration: [{mode: 1, amplitude: 0.01}, {mode: 2, amplitude: 0.005, velocity: 0.02}]}",
      "{kind: beam, length: 2, elements: 6, material: {young: 10, density: 1}, section: {rectangle: {width: 0.6, "
      "height: "
      "0.4}},\n   shape: {bump: {curvature: [0.5, 0.3, 0.2]}}, velocity: [0.1, 0.2, -0.1], spin: [0.3, -0.4, 0.2]}",
      "{kind: rigid, shape: {box: {size: [0.6, 0.4, 0.2]}}, density: 1, velocity: [0.1, 0.2, -0.1], spin: [1, -2, "
      "1.5]}"};
  snprintf(text, TEXT, "visviva: 1\ntime: {end: 2, step: %.17g}\nmethod: {step: %s, order: %d}\nbodies:\n  one: %s\n",
           dt, stepper, order, body[what]);
}

/* Difference of the final configurations against a reference with a much shorter step. */
static double error_at(subject what, const char *stepper, int order, double dt, const vv_state *reference)
{
  char text[TEXT];
  smooth_scene(text, what, stepper, order, dt);
  run_record r = run_scene(text, NULL);
  const double e = run_difference_q(r.state, reference);
  run_free(&r);
  return e;
}

/* An explicit step is measured against one of order 6.  An implicit one has a limit of its own in space: there the
 * differences of three runs, each with half the step of the one before, must shrink by 2^order. */
static void check_order(const vv_stepper_kind *k, subject what, int order, double tolerance)
{
  char text[TEXT];
  const bool explicit_step = (k->claims & VV_EXPLICIT) != 0;
  /* steps inside the asymptotic range of each order, above the rounding of the reference */
  const int steps = explicit_step ? (order == 2 ? 400 : order == 4 ? 160 : 120) : 800;
  smooth_scene(text, what, explicit_step ? "leapfrog" : k->name, explicit_step ? 6 : 2,
               2.0 / (explicit_step ? 1600 : 2 * steps));
  run_record reference = run_scene(text, NULL);
  const double coarse = error_at(what, k->name, order, 2.0 / steps, reference.state);
  const double fine = error_at(what, k->name, order, explicit_step ? 1.0 / steps : 0.5 / steps, reference.state);
  check_near(log2(coarse / fine), (double)order, tolerance);
  run_free(&reference);
}

static void check_conservation(const vv_stepper_kind *k, subject what, int order)
{
  char text[TEXT];
  smooth_scene(text, what, k->name, order, 0.02);
  run_record r = run_scene(text, NULL);
  if (k->claims & VV_KEEPS_MOMENTUM) {
    check_most(run_ledger(&r)->max_p_drift, 1e-14);
    check_most(run_ledger(&r)->max_L_drift, 1e-13);
  }
  const bool linear = what == BAR && order == 2; /* a linear body: a modified energy is exact */
  if ((k->claims & VV_KEEPS_ENERGY) != 0 || linear) check_most(run_ledger(&r)->max_closure, 1e-13);
  check_most(run_ledger(&r)->max_nodal_closure, 0.15);
  run_free(&r);
}

static void check_reversible(const vv_stepper_kind *k, subject what, int order)
{
  if ((k->claims & VV_REVERSIBLE) == 0) return;
  char text[TEXT];
  smooth_scene(text, what, k->name, order, 0.02);
  run_record r = run_scene(text, NULL);
  vv_sim_def def = vv_sim_default();
  def.step = -0.02;
  vv_sim *back = NULL;
  vv_report report;
  assert_int_equal(vv_sim_create(r.model, r.state, &def, &back), VV_OK);
  assert_int_equal(vv_sim_steps(back, 100, &report), VV_OK);
  assert_int_equal(r.state->step, 0);
  check_most(run_difference_q(r.state, r.initial), what == BAR ? 1e-14 : 1e-12);
  check_most(run_difference_p(r.state, r.initial), what == BAR ? 1e-13 : 1e-12);
  vv_sim_destroy(back);
  run_free(&r);
}

static void check_symplectic(const vv_stepper_kind *k, int order)
{
  if ((k->claims & VV_SYMPLECTIC) == 0) return;
  char text[TEXT];
  smooth_scene(text, BAR, k->name, order, 0.02);
  const run_options options = {.check_structure = true};
  run_record r = run_scene(text, &options);
  vv_structure s;
  assert_true(vv_sim_structure(r.sim, &s));
  check_most(s.symplectic, 1e-14);
  check_most(s.multisymplectic, 1e-14);
  check_most(s.noether, 1e-14);
  assert_false(s.ended);
  run_free(&r);
}

/* A stepper that claims it keeps hard tips apart, at every order. */
static void check_apart(const vv_stepper_kind *k, int order)
{
  if ((k->claims & VV_NO_PENETRATION) == 0) return;
  char text[TEXT];
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 1, step: 0.01}\nmethod: {step: %s, order: %d}\nbodies:\n"
           "  a: {kind: bar, tips: {first: lumped}, length: 1, elements: 8, material: {young: 1, density: 1}, section: "
           "{area: 1}, position: "
           "-1.01,\n"
           "      velocity: 0.2}\n"
           "  b: {kind: bar, tips: {first: lumped}, length: 1, elements: 8, material: {young: 1, density: 1}, section: "
           "{area: 1}, velocity: "
           "-0.2}\n",
           k->name, order);
  run_record r = run_scene(text, NULL);
  check_least((double)r.n_event, 1);
  check_most(run_ledger(&r)->max_penetration, 1e-14);
  check_most(run_ledger(&r)->max_p_drift, 1e-14);
  run_free(&r);
}

static void test_every_stepper(void **unused)
{
  (void)unused;
  static const struct {
    int order;
    double tolerance;
  } row[] = {{2, 0.02}, {4, 0.1}, {6, 0.2}};
  for (const vv_stepper_kind *const *k = vv_catalog_default()->stepper; *k != NULL; k++)
    for (int i = 0; i < 3; i++) {
      const bool explicit_step = ((*k)->claims & VV_EXPLICIT) != 0;
      if (!explicit_step && row[i].order > 2) continue;
      for (subject what = explicit_step ? BAR : BEAM; what <= (explicit_step ? BEAM : RIGID); what++) {
        check_order(*k, what, row[i].order, row[i].tolerance);
        check_conservation(*k, what, row[i].order);
        check_reversible(*k, what, row[i].order);
      }
      check_symplectic(*k, row[i].order);
      check_apart(*k, row[i].order);
    }
}

/* Claims of a run are judged by its ledger: a planted drift must break them. */
static void test_claims_can_break(void **unused)
{
  (void)unused;
  char text[TEXT];
  smooth_scene(text, BAR, "leapfrog", 2, 0.02);
  run_record r = run_prepare(text, NULL);
  vv_report report;
  const vv_claim *claim;
  assert_int_equal(vv_sim_steps(r.sim, 10, &report), VV_OK);
  int n = vv_sim_claims(r.sim, &claim);
  for (int i = 0; i < n; i++) assert_true(claim[i].kept);
  for (int64_t i = 0; i < r.state->np; i++) r.state->p[i] *= 1.0 + 1e-6; /* energy from nowhere */
  assert_int_equal(vv_sim_steps(r.sim, 10, &report), VV_OK);
  n = vv_sim_claims(r.sim, &claim);
  int broken = 0;
  for (int i = 0; i < n; i++) broken += !claim[i].kept;
  assert_int_equal(broken, 2); /* energy and momentum */
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_stepper), cmocka_unit_test(test_claims_can_break)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
