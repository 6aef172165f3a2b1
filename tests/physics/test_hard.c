/* tests/physics/test_hard.c  Hard contact in company: higher orders, restitution under gravity, driven pistons, dcr. */
#include "check.h"
#include "run.h"

#include "model/model.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 4096 };

/* ---- orders 4 and 6 ---- */

/* Compositions with backward stages meet events, too.  The impulse is solved at one instant (nodal), so the energy is only
 * as good as the stages between the events: the higher order must show. */
static void test_orders(void **unused)
{
  (void)unused;
  double error[3];
  for (int i = 0; i < 3; i++) {
    char text[TEXT];
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 3, step: 0.015}\nmethod: {step: event, jump: nodal, order: %d}\nbodies:\n"
             "  left: {kind: bar, tips: {first: lumped}, length: 10, elements: 50, material: {young: 1, density: 1}, "
             "section: {area: 1},\n"
             "         position: -10.02, velocity: 0.1}\n"
             "  right: {kind: bar, tips: {first: lumped}, length: 10, elements: 50, material: {young: 1, density: 1}, "
             "section: {area: 1},\n"
             "          position: 0, velocity: -0.1}\n",
             2 * i + 2);
    run_record r = run_scene(text, NULL);
    const vv_ledger *l = run_ledger(&r);
    check_near(r.event[0].time, 0.1, 1e-12);
    check_least((double)l->impacts, 4);
    for (int64_t k = 0; k < r.n_event; k++) /* against the approach; in backward stages both change sign */
      check_most(r.event[k].normal_impulse * r.event[k].normal_speed, 0.0);
    check_most(l->max_p_drift, 1e-13);
    check_most(l->max_penetration, 1e-12);
    error[i] = l->max_nodal_closure;
    run_free(&r);
  }
  check_most(error[0], 2e-3);
  check_most(error[1], 0.5 * error[0]);
  check_most(error[2], 0.5 * error[0]);
}

/* ---- a bar falls on a floor ---- */

static void fall_scene(char *text, double e, const char *jump, double safety)
{
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: %g, step: {safety: %g}}\nmethod: {step: event, jump: %s}\ngravity: [0, 0, -9.81]\n"
           "bodies:\n"
           "  bar: {kind: bar, tips: {first: lumped}, length: 1, elements: 10, material: {young: 1e4, density: 1}, "
           "section: {area: 1},\n"
           "        axis: [0, 0, 1], position: 0.1}\n"
           "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
           "contacts: [{between: all, restitution: %g}]\n",
           e < 1.0 ? 20.0 : 2.0, safety, jump, e);
}

static void fall(double e, const char *jump, double safety)
{
  char text[TEXT];
  fall_scene(text, e, jump, safety);
  run_record r = run_scene(text, NULL);
  const vv_ledger *l = run_ledger(&r);
  const double start = 9.81 * 0.1; /* J above the floor */
  check_near(r.event[0].time, sqrt(2.0 * 0.1 / 9.81), 1e-9);
  check_near(r.event[0].normal_speed, -sqrt(2.0 * 0.1 * 9.81), 1e-3);
  check_most(l->max_penetration, 1e-12);
  check_most(l->max_p_drift, 1e-11);
  check_most(l->max_closure, strcmp(jump, "modified") == 0 ? 1e-11 : 0.1); /* nodal: bounded, not exact */
  const double loss = vv_sum_value(&l->posted.restitution_loss);
  if (e == 1.0)
    check_near(loss, 0.0, 1e-14);
  else {
    check_least(loss, 0.5 * start);
    check_most(l->now.kinetic, 0.05 * start);
    /* the lower tip lies on the floor, the centre where the weight presses it */
    const vv_body *b = &r.model->body[0];
    const vv_block *block = &r.model->block[b->block];
    const vv_point pt = {.patch = b->patch0};
    double x[3];
    block->kind->surface(block, r.state->q + block->q0, 1, &pt, x);
    check_near(x[2], 0.0, 2e-3);
  }
  run_free(&r);
}

static const double restitution[] = {0.0, 0.5, 1.0};

static void test_falls_modified(void **unused)
{
  (void)unused;
  for (int i = 0; i < 3; i++) fall(restitution[i], "modified", 0.8), fall(restitution[i], "modified", 0.1);
}

static void test_falls_nodal(void **unused)
{
  (void)unused;
  for (int i = 0; i < 3; i++) fall(restitution[i], "nodal", 0.1);
}

/* Cutting steps near the stability limit pumps energy with the nodal rule: known, and the run must say so, or stop. */
static void test_nodal_near_the_stable_step_breaks_its_claim(void **unused)
{
  (void)unused;
  char text[TEXT];
  fall_scene(text, 0.5, "nodal", 0.8);
  run_record r = run_prepare(text, NULL);
  vv_report report;
  assert_int_equal(vv_sim_steps(r.sim, vv_model_steps(r.model), &report), VV_OK);
  const vv_claim *claim;
  const int n = vv_sim_claims(r.sim, &claim);
  assert_true(n > 0);
  assert_string_equal(claim[0].name, "energy");
  assert_false(claim[0].kept);
  run_free(&r);
}

/* ---- a driven piston hits a free bar ---- */

static void piston(const char *method, double closure)
{
  char text[TEXT];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 6, step: {safety: 0.1}}\nmethod: {%s}\nbodies:\n"
           "  piston: {kind: bar, tips: {first: lumped}, length: 1, elements: 10, material: {young: 1, density: 1}, "
           "section: {area: 1},\n"
           "           position: -1.05, ends: {last: driven},\n"
           "           drives: [{end: last, displacement: 0.5, history: {ramp: {duration: 5}}}]}\n"
           "  bar: {kind: bar, tips: {first: lumped}, length: 1, elements: 20, material: {young: 1, density: 1}, "
           "section: {area: 1}}\n",
           method);
  run_record r = run_scene(text, NULL);
  const vv_ledger *l = run_ledger(&r);
  check_near(r.event[0].time, 0.5, 0.02); /* a gap of 0.05 at speed 0.1 */
  check_most(l->max_closure, closure);
  check_most(l->max_p_drift, 1e-12);
  check_most(l->max_L_drift, 1e-12);
  check_most(l->max_penetration, 1e-12);
  /* a wall that moves with v throws the bar off with 2 v on the average */
  const vv_body *b = &r.model->body[1];
  const vv_block *block = &r.model->block[b->block];
  double p = 0.0;
  for (int64_t i = b->node0; i < b->node0 + b->n_node; i++) p += r.state->p[block->p0 + i];
  check_near(p, 0.2, 0.01); /* mass 1 */
  run_free(&r);
}

static void test_piston_nodal(void **unused)
{
  (void)unused;
  piston("step: event, jump: nodal", 1e-3);
}

static void test_piston_leapfrog(void **unused)
{
  (void)unused;
  piston("step: leapfrog", 1e-10);
}

/* ---- dcr with restitution ---- */

static void test_dcr_with_losses(void **unused)
{
  (void)unused;
  static const double dull[] = {0.9, 0.5, 0.0};
  for (int i = 0; i < 3; i++) {
    char text[TEXT];
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 25, step: 0.05}\nmethod: {step: leapfrog}\nbodies:\n"
             "  left: {kind: bar, tips: {first: lumped}, length: 10, elements: 100, material: {young: 1, density: 1}, "
             "section: {area: 1},\n"
             "         position: -10.003, velocity: 0.1}\n"
             "  right: {kind: bar, tips: {first: lumped}, length: 10, elements: 100, material: {young: 1, density: 1}, "
             "section: {area: 1},\n"
             "          velocity: -0.1}\n"
             "contacts: [{between: [left, right], response: dcr, restitution: %g}]\n",
             dull[i]);
    run_record r = run_scene(text, NULL);
    const vv_ledger *l = run_ledger(&r);
    check_least((double)l->impacts, 1);
    check_most(l->max_penetration, 1e-14); /* the rounding of a gap of zero */
    check_most(l->max_closure, 1e-10);
    check_most(l->max_p_drift, 1e-13);
    const double loss = vv_sum_value(&l->posted.restitution_loss);
    check_least(loss, 1e-6);
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_orders),          cmocka_unit_test(test_falls_modified),
      cmocka_unit_test(test_falls_nodal),     cmocka_unit_test(test_nodal_near_the_stable_step_breaks_its_claim),
      cmocka_unit_test(test_piston_nodal),    cmocka_unit_test(test_piston_leapfrog),
      cmocka_unit_test(test_dcr_with_losses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
