/* tests/sim/test_claims.c  Bounds of claims: rounding is no alarm, and what is more than rounding is one. */
#include "check.h"

#include "run.h"
#include "sim/sim.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

static const vv_claim *claim_of(const run_record *r, const char *name)
{
  const vv_claim *claim;
  const int n = vv_sim_claims(r->sim, &claim);
  for (int i = 0; i < n; i++)
    if (strcmp(claim[i].name, name) == 0) return &claim[i];
  fail_msg("no claim '%s'", name);
  return NULL;
}

static run_record falls(double gravity, const char *of_the_body)
{
  char text[1024];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 0.2, step: 1e-6}\ngravity: [0, 0, -%g]\nrecord: {ledger: 1000}\nbodies:\n"
           "  a: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, position: [0, 3, 1], velocity: [0, 0, -8]%s}\n",
           gravity, of_the_body);
  return run_prepare(text, NULL);
}

/* A ball that falls gets the same impulse in 200,000 steps, and its momentum is rounded to the same side for as long as it stays
 * between two powers of two: eps a step at the worst, and seen to be most of that.                             [ledger 12] */
static void test_steady_forces_round_to_one_side(void **unused)
{
  (void)unused;
  static const double gravity[] = {1.1, 3.3, 7.7};
  double worst = 0.0;
  for (int i = 0; i < VV_COUNT(gravity); i++) {
    run_record r = falls(gravity[i], "");
    assert_int_equal(vv_sim_steps(r.sim, 200000, &r.report), VV_OK);
    for (const char *const *name = (const char *const[]){"energy", "momentum", "angular_momentum", NULL}; *name != NULL;
         name++)
      assert_true(claim_of(&r, *name)->kept);
    worst = fmax(worst, run_ledger(&r)->max_p_drift);
    assert_true(run_ledger(&r)->max_p_drift <= 2e5 * DBL_EPSILON);
    run_free(&r);
  }
  assert_true(worst > 0.3 * 2e5 * DBL_EPSILON); /* the bound is not loose */
}

/* Of the momenta a little more than rounding can explain is seen: with forces beyond eps a step, without them beyond 1e-12. */
static void test_more_than_rounding(void **unused)
{
  (void)unused;
  for (int k = 0; k < 4; k++) {
    const bool acts = k % 2 == 0, more = k > 1;
    run_record r = falls(acts ? 3.3 : 0.0, "");
    assert_int_equal(vv_sim_steps(r.sim, 10000, &r.report), VV_OK);
    const double allowed = 1.5e-12 + (acts ? 1e4 * DBL_EPSILON : 0.0);
    for (int64_t i = 0; i < r.state->np; i++) r.state->p[i] *= 1.0 + (more ? 2.0 : 0.2) * allowed;
    assert_int_equal(vv_sim_steps(r.sim, 1000, &r.report), VV_OK);
    assert_int_equal(claim_of(&r, "momentum")->kept, !more);
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_steady_forces_round_to_one_side),
                                     cmocka_unit_test(test_more_than_rounding)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
