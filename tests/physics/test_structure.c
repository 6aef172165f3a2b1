/* tests/physics/test_structure.c  Symplectic and multisymplectic sums through events; the reading that is not symplectic
 * must fail the same check. */
#include "cases.h"
#include "check.h"
#include "run.h"

#include "model/model.h"
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
  static const char *const tips[] = {"lumped", "split", "cell"}, *const jump[] = {"slab", "modified"};
  for (int number = 1; number <= CASES_COUNT; number++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 2; j++) {
        const vv_structure s = structure_of((cases_def){.number = number, .tips = tips[i], .jump = jump[j]});
        check_most(s.symplectic, 1e-13);
        assert_int_equal(s.sub_domains, j == 0);
        check_most(s.multisymplectic, 1e-13);
        check_most(s.noether, 1e-13);
        /* only the slab rule meets events without a root, and the handbook names case 3 for it */
        if (j == 1 || number != 3) assert_false(s.ended);
        if (s.ended) check_least(s.ended_at, 14); /* the checks above covered many events */
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

/* A run into closed contact, something planted, and on: the sums must see it.  Where nothing is planted they stay at
 * rounding, so it is the plant that they see. */
typedef struct plant {
  double vary_p, p; /* relative change of a varied momentum, of a momentum; at one node inside the left bar */
} plant;

static vv_structure planted(const cases_def *def, plant what)
{
  char text[CASES_TEXT_SZ];
  const run_options options = {.check_structure = true};
  vv_report report;
  vv_structure s;
  assert_true(cases_scene(def, text, sizeof text));
  run_record r = run_prepare(text, &options);
  assert_int_equal(vv_sim_steps(r.sim, 20, &report), VV_OK);
  assert_true(vv_sim_structure(r.sim, &s));
  check_most(s.symplectic, 1e-13);
  check_most(s.multisymplectic, 1e-13);
  check_most(s.noether, 1e-13);
  const vv_body *left = &r.model->body[0];
  const int64_t node = r.model->block[left->block].p0 + left->node0 + left->n_node / 2;
  double scale = 0.0;
  for (int64_t i = 0; i < r.state->np; i++) scale = fmax(scale, fabs(r.state->p[i]));
  r.sim->step.vary->dp[VARY_V][node] *= 1.0 + what.vary_p;
  r.state->p[node] += what.p * scale;
  assert_int_equal(vv_sim_steps(r.sim, 20, &report), VV_OK);
  assert_int_equal(report.reason, VV_REASON_DONE);
  assert_true(vv_sim_structure(r.sim, &s));
  assert_true(s.sub_domains);
  assert_false(s.ended);
  run_free(&r);
  return s;
}

static void test_sums_see_a_plant(void **unused)
{
  (void)unused;
  static const cases_def way[] = {
      {.number = 2, .tips = "lumped", .jump = "slab"},
      {.number = 2, .tips = "split", .jump = "slab"},
      {.number = 2, .tips = "cell", .jump = "slab"},
  };
  for (int i = 0; i < VV_COUNT(way); i++) {
    const vv_structure none = planted(&way[i], (plant){0});
    check_most(none.symplectic, 1e-13);
    check_most(none.multisymplectic, 1e-13);
    check_most(none.noether, 1e-13);
    const vv_structure varied = planted(&way[i], (plant){.vary_p = 0.01});
    check_least(varied.symplectic, 1e-7);
    check_least(varied.multisymplectic, 1e-7);
    check_most(varied.noether, 1e-13); /* a variation moves no momentum */
    const vv_structure pushed = planted(&way[i], (plant){.p = 1e-3});
    check_least(pushed.noether, 1e-7);
  }
}

/* Springs on the fixed grid pay for what they leave when they come or go, and the sums are told up to there. [bars 17b] */
static void test_leapfrog_springs(void **unused)
{
  (void)unused;
  const vv_structure s = structure_of((cases_def){.number = 2, .tips = "split", .step = "leapfrog", .jump = "auto"});
  check_most(s.symplectic, 1e-13);
  check_most(s.multisymplectic, 1e-13);
  assert_true(s.ended);
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
      cmocka_unit_test(test_sums_see_a_plant),
      cmocka_unit_test(test_leapfrog_springs),
      cmocka_unit_test(test_variations_are_derivatives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
