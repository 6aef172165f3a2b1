/* tests/sim/test_losses.c  The claim `losses` sees a loss that shrinks although the books close, and energy that comes from
 * nowhere; it is not upset by rounding, and a resumed run remembers. */
#include "check.h"

#include "contact/contact.h"
#include "run.h"
#include "sim/sim.h"

#include <string.h>

/* A box that slides on a floor, and rubs; half way it has done with bouncing. */
static const char scene[] =
    "visviva: 1\ntime: {end: 0.4, step: 1e-3}\ngravity: [0, 0, -9.81]\ncontacts: [{restitution: 0.5, friction: 0.2}]\n"
    "bodies:\n  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  box: {kind: rigid, shape: {box: {size: [0.2, 0.2, 0.1]}}, mass: 2, position: [0, 0, 0.06], velocity: [1, 0, "
    "0]}\n";

static const vv_claim *claim_of(const run_record *r, const char *name)
{
  const vv_claim *claim;
  const int n = vv_sim_claims(r->sim, &claim);
  for (int i = 0; i < n; i++)
    if (strcmp(claim[i].name, name) == 0) return &claim[i];
  fail_msg("no claim '%s'", name);
  return NULL;
}

static run_record half_way(void)
{
  run_record r = run_prepare(scene, NULL);
  assert_int_equal(vv_sim_steps(r.sim, 200, &r.report), VV_OK);
  assert_true(vv_sum_value(&run_ledger(&r)->posted.friction_loss) > 0.0);
  assert_true(vv_sum_value(&run_ledger(&r)->posted.restitution_loss) > 0.0);
  assert_true(claim_of(&r, "losses")->kept);
  return r;
}

static void go_on(run_record *r)
{
  assert_int_equal(vv_sim_steps(r->sim, 1, &r->report), VV_OK);
}

/* A contact brings energy and calls it a negative loss; the books close, and nothing else notices.  More is given back than
 * the box loses in a step. */
static void test_shrinks(void **unused)
{
  (void)unused;
  static const double part[4] = {1e-15, 1e-15, 1e-4, 1e-2}; /* of the energy */
  for (int k = 0; k < 4; k++) {
    run_record r = half_way();
    vv_posted *post = &r.sim->ledger.posted;
    vv_sum *loss = k % 2 == 0 ? &post->restitution_loss : &post->friction_loss;
    const double before = vv_sum_value(loss), planted = part[k] * r.sim->ledger.energy_scale;
    vvi_sum_add(loss, -planted);
    vvi_sum_add(&post->external_work, -planted);
    go_on(&r);
    const vv_claim *c = claim_of(&r, "losses");
    assert_int_equal(c->kept, k < 2);
    assert_true(claim_of(&r, "energy")->kept);
    if (k > 1) {
      check_near(c->worst * r.sim->ledger.energy_scale, before - vv_sum_value(loss), 1e-12 * planted);
      check_near(c->when, r.state->t, 0.0);
    }
    run_free(&r);
  }
}

/* What materials take never shrinks, either. */
static void test_flow_shrinks(void **unused)
{
  (void)unused;
  for (int k = 0; k < 3; k++) {
    run_record r =
        run_prepare("visviva: 1\ntime: {end: 1, step: {safety: 0.4}}\nbodies:\n"
                    "  a: {kind: bar, length: 1, elements: 10, material: {young: 1, density: 1, law: j2, yield: "
                    "0.02}, damping: {mass: 0.1}, section: {area: 1}, vibration: [{mode: 1, amplitude: 0.05}]}\n",
                    NULL);
    assert_int_equal(vv_sim_steps(r.sim, 20, &r.report), VV_OK);
    assert_true(claim_of(&r, "losses")->kept);
    vv_posted *post = &r.sim->ledger.posted;
    vv_sum *const loss[3] = {&post->plastic_work, &post->viscous_loss, NULL};
    if (loss[k] != NULL) vvi_sum_add(loss[k], -1e-2 * r.sim->ledger.energy_scale);
    go_on(&r);
    assert_int_equal(claim_of(&r, "losses")->kept, loss[k] == NULL);
    run_free(&r);
  }
}

/* A rigid body keeps its energy to rounding: what it gains in no book is seen. */
static void test_rises(void **unused)
{
  (void)unused;
  run_record r = half_way();
  for (int64_t i = 0; i < r.state->np; i++) r.state->p[i] *= 1.0 + 1e-6;
  go_on(&r);
  assert_false(claim_of(&r, "losses")->kept);
  run_free(&r);
}

static void test_remembers(void **unused)
{
  (void)unused;
  run_record r = half_way(), s = run_prepare(scene, NULL);
  vvi_sum_add(&r.sim->ledger.posted.restitution_loss, -1e-3);
  go_on(&r);
  vvi_sum_add(&r.sim->ledger.posted.restitution_loss, 1e-3); /* too late */
  go_on(&r);
  assert_false(claim_of(&r, "losses")->kept);
  assert_int_equal(vv_state_copy(s.state, r.state), VV_OK);
  assert_int_equal(vv_sim_restore(s.sim, run_ledger(&r)), VV_OK);
  go_on(&s);
  assert_false(claim_of(&s, "losses")->kept);
  check_near(run_ledger(&s)->max_shrink, run_ledger(&r)->max_shrink, 0.0);
  run_free(&r), run_free(&s);
}

/* A box is pressed on a floor by 1e6 N: half of the impulse of a step is 1.25e5 J, and no motion.  A sheet far away is stretched
 * tenfold by nobody: what it stores is a hundred times what the scene has, and the box is no excuse for it.     [ledger 13a] */
static void test_excuse(void **unused)
{
  (void)unused;
  for (int planted = 0; planted < 2; planted++) {
    run_record r = run_prepare(
        "visviva: 1\ntime: {end: 0.1, step: 1e-3}\ncontacts: [{restitution: 0}]\nbodies:\n"
        "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "  box: {kind: rigid, shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 1, position: [0, 0, 0.1],\n"
        "        loads: [{force: [0, 0, -1e6]}]}\n"
        "  sheet: {kind: shell, mesh: {rectangle: {size: [0.2, 0.2], pieces: [2, 2]}}, thickness: 0.005,\n"
        "          centre: [0, 0, 9], velocity: [0.1, 0, 0], material: {young: 1e4, poisson: 0.3, density: 1000}}\n",
        NULL);
    assert_int_equal(vv_sim_steps(r.sim, 20, &r.report), VV_OK);
    assert_int_equal(r.report.reason, VV_REASON_DONE);
    assert_true(vvi_contact_still(r.sim->step.contact) > 1e5);
    const vv_block *b = &r.model->block[0];
    while (strcmp(b->kind->name, "shell") != 0) b++;
    for (int64_t i = 0; planted == 1 && i < b->nodes; i++) r.state->q[b->q0 + i] *= 10.0;
    assert_int_equal(vv_sim_steps(r.sim, 80, &r.report), VV_OK);
    const vv_ledger *l = run_ledger(&r);
    print_message("  stored %.3g J of %.3g J; ended after %d steps\n", l->now.strain, l->energy_scale,
                  (int)r.state->step);
    assert_int_equal(r.report.reason, planted == 1 ? VV_REASON_UNSTABLE : VV_REASON_DONE);
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_shrinks), cmocka_unit_test(test_flow_shrinks),
                                     cmocka_unit_test(test_rises), cmocka_unit_test(test_remembers),
                                     cmocka_unit_test(test_excuse)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
