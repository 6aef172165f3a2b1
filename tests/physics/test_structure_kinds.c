/* tests/physics/test_structure_kinds.c  Symplectic and multisymplectic sums of shells, which are 2 + 1 dimensional, and of rigid
 * bodies; what is planted must be seen, and a flight that is not symplectic is told by its order. */
#include "check.h"
#include "run.h"

#include "model/model.h"
#include "sim/sim.h"
#include "step/variation.h"

#define SPHERE                                                                                                     \
  "{kind: shell, mesh: {sphere: {radius: 1, frequency: 2}}, thickness: 0.1, material: {young: 1e5, poisson: 0.3, " \
  "density: 100%s}, centre: [0, 0, 1.02], velocity: [1, 0, -3], spin: [3, 2, 1], velocities: [{low: [0, -9, -9], " \
  "high: [9, 9, 9], velocity: [0, 3, 0]}]}\n"

static vv_structure structure_after(const char *text, double plant)
{
  const run_options options = {.check_structure = true};
  run_record r = run_prepare(text, &options);
  vv_report report;
  vv_structure s;
  assert_int_equal(vv_sim_steps(r.sim, 20, &report), VV_OK);
  const vv_block *b = &r.model->block[0];
  r.sim->step.vary->dp[VARY_V][b->p0 + b->nodes / 2] *= 1.0 + plant;
  assert_int_equal(vv_sim_steps(r.sim, 100, &report), VV_OK);
  assert_int_equal(report.reason, VV_REASON_DONE);
  assert_true(vv_sim_structure(r.sim, &s));
  assert_true(s.sub_domains);
  assert_false(s.ended);
  run_free(&r);
  return s;
}

static void check_kept(const char *text, bool noether)
{
  const vv_structure s = structure_after(text, 0.0), planted = structure_after(text, 0.01);
  check_most(s.symplectic, 1e-13);
  check_most(s.multisymplectic, 1e-13);
  if (noether)
    check_most(s.noether, 1e-13);
  else
    assert_true(isnan(s.noether));
  check_least(planted.symplectic, 1e-9);
  check_least(planted.multisymplectic, 1e-9);
}

static void test_free_shells(void **unused)
{
  (void)unused;
  static const char *const law[2] = {"", ", law: neo-hookean"};
  for (int k = 0; k < 2; k++) {
    char text[1024];
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 1, step: 2e-4}\ncontacts: [{response: none}]\ngravity: [1, 2, -3]\nbodies:\n"
             "  ball: " SPHERE,
             law[k]);
    check_kept(text, true);
  }
}

/* Free, supported and clamped edges: ghosts stand on nodes inside, and what borders take is a flux; a clamp acts through the ghosts
 * on nodes that are no border, and there is no sum of momenta. */
static void test_edges(void **unused)
{
  (void)unused;
  static const char *const edges[3] = {"", ", edges: [{hold: supported}]", ", edges: [{hold: clamped}]"};
  for (int k = 0; k < 3; k++) {
    char text[1024];
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 1, step: 2e-4}\ncontacts: [{response: none}]\ngravity: [1, 2, -3]\nbodies:\n  "
             "plate: {kind: shell, mesh: {disc: "
             "{radius: 1, rings: 4}}, thickness: 0.05, material: {young: 1e5, poisson: 0.3, density: 100}%s}\n",
             edges[k]);
    check_kept(text, k < 2);
  }
}

/* Contact by a massless layer: symplectic and local too. */
static void test_layer(void **unused)
{
  (void)unused;
  char text[1024];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1, step: 1e-4}\nmethod: {step: leapfrog}\ncontacts: [{layer: 1e6}]\nbodies:\n"
           "  ball: " SPHERE "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n",
           "");
  check_kept(text, true);
}

#define BODY "{kind: rigid, shape: {%s}, density: 100, position: [%d, 0, 0], spin: [3, 5, -7], velocity: [1, 2, 3]}\n"

/* Balls and tops fly exactly, a rod between them and a ball too. */
static void test_tops(void **unused)
{
  (void)unused;
  char text[2048];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1, step: 1e-2}\ncontacts: [{response: none}]\ngravity: [0, 0, -9.81]\nbodies:\n"
           "  cube: " BODY "  top: " BODY "  rod: " BODY,
           "box: {size: [1, 1, 1]}", 0, "cylinder: {radius: 0.2, length: 0.7}", 3, "capsule: {radius: 0.1, length: 1}",
           6);
  check_kept(text, true);
}

/* Three different moments: energy and both momenta are exact, and then the flight cannot be symplectic as well [rigid 17]: off by
 * the square of the step, and claimed by nobody. */
static void test_uneven(void **unused)
{
  (void)unused;
  double off[3];
  for (int k = 0; k < 3; k++) {
    char text[1024];
    const run_options options = {.check_structure = true};
    vv_structure s;
    snprintf(text, sizeof text, "visviva: 1\ntime: {end: 0.2, step: %g}\nbodies:\n  box: " BODY, 4e-3 / (1 << k),
             "box: {size: [1, 0.6, 0.3]}", 0);
    run_record r = run_scene(text, &options);
    assert_true(vv_sim_structure(r.sim, &s));
    off[k] = s.symplectic;
    check_most(s.noether, 1e-13);
    run_free(&r);
  }
  for (int k = 0; k < 2; k++) check_near(log2(off[k] / off[k + 1]), 2.0, 0.05);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_free_shells), cmocka_unit_test(test_edges),
                                     cmocka_unit_test(test_layer), cmocka_unit_test(test_tops),
                                     cmocka_unit_test(test_uneven)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
