/* tests/physics/test_structure.c  Symplectic and multisymplectic sums through events; the reading that is not symplectic
 * must fail the same check. */
#include "cases.h"
#include "check.h"
#include "run.h"

#include "sim/sim.h"
#include "step/variation.h"

#include <stdlib.h>
#include <string.h>

static vv_structure structure_of(cases_def def)
{
  char text[CASES_TEXT_SZ];
  const run_options options = {.check_structure = true};
  def.end = 25;
  assert_true(cases_scene(&def, text, sizeof text));
  run_record r = run_scene(text, &options);
  vv_structure s;
  assert_true(vv_sim_structure(r.sim, &s));
  check_least((double)run_ledger(&r)->impacts, 2);
  run_free(&r);
  return s;
}

static void test_through_events(void **unused)
{
  (void)unused;
  static const char *const tips[] = {"lumped", "split"}, *const jump[] = {"slab", "modified"};
  for (int number = 1; number <= CASES_COUNT; number++)
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) {
        const vv_structure s = structure_of((cases_def){.number = number, .tips = tips[i], .jump = jump[j]});
        check_most(s.symplectic, 1e-13);
        assert_int_equal(s.sub_domains, j == 0);
        check_most(s.multisymplectic, 1e-13);
        check_most(s.noether, 1e-13);
        /* only case 3 with massless tips meets an event whose slab equation has no root */
        assert_int_equal(s.ended, number == 3 && i == 1 && j == 0);
      }
}

/* Massless tips that open and close without the balance of energy (nodal), and the instantaneous bounce. */
static void test_negative_control(void **unused)
{
  (void)unused;
  for (int number = 1; number <= CASES_COUNT; number++) {
    check_least(structure_of((cases_def){.number = number, .tips = "split", .jump = "nodal"}).symplectic, 1e-7);
    check_least(structure_of((cases_def){.number = number, .tips = "lumped", .jump = "nodal"}).symplectic, 1e-7);
  }
}

/* One-sided springs on the fixed grid need no event to be symplectic. */
static void test_leapfrog_springs(void **unused)
{
  (void)unused;
  const vv_structure s = structure_of((cases_def){.number = 2, .tips = "split", .step = "leapfrog", .jump = "auto"});
  check_most(s.symplectic, 1e-13);
  check_most(s.multisymplectic, 1e-13);
}

/* The propagated variation is the derivative of the run: central differences of whole runs through the first contacts. */
static void check_tangent(const char *tips, const char *jump, double end)
{
  char text[CASES_TEXT_SZ];
  const cases_def def = {.number = 3, .tips = tips, .jump = jump, .end = end};
  assert_true(cases_scene(&def, text, sizeof text));
  const run_options vary = {.check_structure = true};
  run_record r = run_prepare(text, &vary);
  struct vvi_variation *v = r.sim->step.vary;
  const int64_t n = r.state->nq;
  double *dq = malloc((size_t)n * sizeof *dq), *dp = malloc((size_t)n * sizeof *dp), scale = 0.0;
  memcpy(dq, v->dq[VARY_V], (size_t)n * sizeof *dq);
  memcpy(dp, v->dp[VARY_V], (size_t)n * sizeof *dp);
  vv_report report;
  assert_int_equal(vv_sim_run(r.sim, &report), VV_OK);
  check_least((double)run_ledger(&r)->impacts, 3);
  run_record side[2];
  const double h = 1e-9;
  for (int k = 0; k < 2; k++) {
    side[k] = run_prepare(text, NULL);
    for (int64_t i = 0; i < n; i++) {
      side[k].state->q[i] += (k == 0 ? h : -h) * dq[i];
      side[k].state->p[i] += (k == 0 ? h : -h) * dp[i];
    }
    assert_int_equal(vv_sim_run(side[k].sim, &report), VV_OK);
  }
  for (int64_t i = 0; i < n; i++) scale = fmax(scale, fabs(v->dq[VARY_V][i]));
  for (int64_t i = 0; i < n; i++)
    check_near((side[0].state->q[i] - side[1].state->q[i]) / (2.0 * h), v->dq[VARY_V][i], 1e-4 * scale);
  run_free(&side[0]), run_free(&side[1]), run_free(&r);
  free(dq), free(dp);
}

static void test_variations_are_derivatives(void **unused)
{
  (void)unused;
  check_tangent("lumped", "slab", 0.6);
  check_tangent("lumped", "nodal", 0.6);
  check_tangent("lumped", "modified", 0.6);
  check_tangent("split", "slab", 10);
  check_tangent("split", "modified", 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_through_events),
      cmocka_unit_test(test_negative_control),
      cmocka_unit_test(test_leapfrog_springs),
      cmocka_unit_test(test_variations_are_derivatives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
