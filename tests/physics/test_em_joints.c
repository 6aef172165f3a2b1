/* tests/physics/test_em_joints.c  Joints of bodies that bend in energy-momentum steps: halves that are one body, energy and
 * momenta to rounding, order two, contact, bits. */
#include "check.h"
#include "run.h"

#include "model/model.h"
#include "sim/sim.h"
#include "step/energy_momentum/frames.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 8192 };

#define ROD                                                                                                         \
  "kind: beam, material: {young: 2e7, density: 1000}, section: {circle: {radius: 0.01}}, axis: [1, 0, 0], normal: " \
  "[0, "                                                                                                            \
  "1, 0]"
#define NONE "contacts: [{response: none}]\n"

static void place_of(const run_record *r, const char *body, int64_t node, double x[3])
{
  const vv_body *b = &r->model->body[vvi_model_body_find(r->model, body)];
  const vv_block *k = &r->model->block[b->block];
  const int64_t at = node < 0 ? b->node0 + b->n_node + node : b->node0 + node;
  for (int c = 0; c < 3; c++) x[c] = r->state->q[k->q0 + c * k->column + at];
}

static double apart(const run_record *r, const char *a, const run_record *s, const char *b)
{
  double x[3], y[3], most = 0.0;
  place_of(r, a, -1, x), place_of(s, b, -1, y);
  for (int c = 0; c < 3; c++) most = fmax(most, fabs(x[c] - y[c]));
  return most;
}

static void check_kept(const run_record *r, double gap)
{
  const vv_ledger *l = run_ledger(r);
  assert_int_equal(r->report.reason, VV_REASON_DONE);
  check_most(l->max_p_drift, 1e-12);
  check_most(l->max_L_drift, 1e-12);
  check_most(l->max_closure, 1e-12);
  check_most(l->posted.joint_gap, gap);
}

static run_record run_bodies(const char *head, const char *bodies, const char *joints)
{
  char text[TEXT];
  snprintf(text, sizeof text, "visviva: 1\nmethod: {step: energy-momentum}\n%sbodies:\n%sjoints:\n%s", head, bodies,
           joints);
  return run_scene(text, &(run_options){0});
}

/* ---- exact ---- */

/* Elements that meet in one node and elements whose nodes are welded are the same body. */
static void welded_halves_are_one_beam(void **state)
{
  (void)state;
  static const char head[] = "time: {end: 0.2, step: 1e-3}\ngravity: [0, 1, -9.81]\n" NONE;
  run_record one = run_bodies(head, "  a: {" ROD ", length: 1, elements: 10, position: [0, 0, 0]}\n",
                              "  - {kind: ball, bodies: [ground, a], at: [0, 0, 0]}\n");
  run_record two = run_bodies(head,
                              "  a: {" ROD ", length: 0.5, elements: 5, position: [0, 0, 0]}\n"
                              "  b: {" ROD ", length: 0.5, elements: 5, position: [0.5, 0, 0]}\n",
                              "  - {kind: ball, bodies: [ground, a], at: [0, 0, 0]}\n"
                              "  - {kind: weld, bodies: [a, b], at: [0.5, 0, 0]}\n");
  check_kept(&one, 1e-14);
  check_kept(&two, 1e-14);
  double x[3];
  place_of(&one, "a", -1, x);
  check_most(x[2], -0.1); /* it has fallen, and bent */
  check_most(apart(&one, "a", &two, "b"), 1e-12);
  run_free(&one);
  run_free(&two);
}

/* The same of bars that hang by a ball and are pulled along their line: the joint carries waves over. */
static void joined_bars_are_one_bar(void **state)
{
  (void)state;
#define BAR "kind: bar, section: {area: 1}, tips: {first: lumped, last: lumped}, material: {density: 1, young: 100}"
  static const char head[] = "time: {end: 0.5, step: 2e-3}\ngravity: [9.81, 0, 0]\n" NONE;
  run_record one = run_bodies(head, "  a: {" BAR ", length: 1, elements: 20, position: 0}\n",
                              "  - {kind: ball, bodies: [ground, a], at: [0, 0, 0]}\n");
  run_record two = run_bodies(head,
                              "  a: {" BAR ", length: 0.5, elements: 10, position: 0}\n"
                              "  b: {" BAR ", length: 0.5, elements: 10, position: 0.5}\n",
                              "  - {kind: ball, bodies: [ground, a], at: [0, 0, 0]}\n"
                              "  - {kind: ball, bodies: [a, b], at: [0.5, 0, 0]}\n");
  check_kept(&one, 1e-14);
  check_kept(&two, 1e-14);
  check_least(one.state->q[20], 0.01); /* stretched */
  check_near(two.state->q[21], one.state->q[20], 1e-13);
  run_free(&one);
  run_free(&two);
}

/* ---- all kinds ---- */

/* Every joint between every two kinds, turning together at first. */
static const char mixed[] =
    "  box: {kind: rigid, shape: {box: {size: [0.1, 0.2, 0.3]}}, density: 500, position: [-0.05, 0, 0], spin: [3, 0, "
    "0]}\n"
    "  a: {" ROD ", length: 0.5, elements: 4, position: [0, 0, 0], spin: [3, 0, 0]}\n"
    "  b: {" ROD ", length: 0.4, elements: 4, position: [0.6, 0, 0], spin: [3, 0, 0]}\n"
    "  c: {" ROD ", length: 0.4, elements: 4, position: [0.6, 0.3, 0], spin: [3, 0, 0], velocity: [0, 0, 0.9]}\n"
    "  drum: {kind: shell, mesh: {sphere: {radius: 0.1, frequency: 2}}, thickness: 0.004, material: {young: 1e6, "
    "poisson: 0.3, density: 1000}, centre: [0.5, 0, 0.1], spin: [3, 0, 0], velocity: [0, -0.3, 0]}\n";
#define DRUM_BALL "  - {kind: ball, bodies: [a, drum], at: [0.5, 0, 0]}\n"
static const char *const held[] = {
    "  - {kind: hinge, bodies: [box, a], at: [0, 0, 0], axis: [0, 1, 0]}\n" DRUM_BALL,
    "  - {kind: weld, bodies: [box, a], at: [0, 0, 0]}\n"
    "  - {kind: distance, bodies: [a, b], at: [0.5, 0, 0], to: [0.6, 0, 0]}\n" DRUM_BALL,
    "  - {kind: slider, bodies: [box, a], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "  - {kind: plane, bodies: [a, drum], at: [0.5, 0, 0], axis: [0, 0, 1]}\n"
    "  - {kind: cylinder, bodies: [a, b], at: [0.55, 0, 0], axis: [1, 0, 0.2]}\n"
    "  - {kind: distance, bodies: [b, c], at: [0.7, 0, 0], to: [0.7, 0.3, 0]}\n"
    "  - {kind: distance, bodies: [b, c], at: [1, 0, 0], to: [1, 0.3, 0]}\n",
};

static void energy_and_momenta_stay(void **state)
{
  (void)state;
  for (int i = 0; i < VV_COUNT(held); i++) {
    run_record r = run_bodies("time: {end: 0.3, step: 1e-3}\n" NONE, mixed, held[i]);
    const vv_ledger *l = run_ledger(&r);
    check_kept(&r, 1e-14);
    check_most(fabs(vv_totals_energy(&l->now) / vv_totals_energy(&l->initial) - 1.0), 1e-13);
    check_least(l->now.strain, 1e-6 * vv_totals_energy(&l->now)); /* something bends */
    run_free(&r);
  }
}

/* ---- order ---- */

/* Two beams, a hinge between them, one end on a ball: against the leapfrog with steps a hundred times as short. */
static double swing(const char *method, double step, double x[3])
{
  char text[TEXT];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 0.08, step: %.17g}\nmethod: {step: %s}\ngravity: [0, 3, -9.81]\n" NONE
           "bodies:\n  a: {" ROD ", length: 0.3, elements: 3, position: [0, 0, 0]}\n"
           "  b: {" ROD ", length: 0.3, elements: 3, position: [0.3, 0, 0]}\n"
           "joints:\n  - {kind: ball, bodies: [ground, a], at: [0, 0, 0]}\n"
           "  - {kind: hinge, bodies: [a, b], at: [0.3, 0, 0], axis: [0, 1, 0]}\n",
           step, method);
  run_record r = run_scene(text, &(run_options){0});
  assert_int_equal(r.report.reason, VV_REASON_DONE);
  place_of(&r, "b", -1, x);
  const double gap = run_ledger(&r)->posted.joint_gap;
  run_free(&r);
  return gap;
}

static void order_is_two(void **state)
{
  (void)state;
  double best[3], x[3], error[3];
  swing("energy-momentum", 2e-5, best);
  for (int i = 0; i < 3; i++) {
    error[i] = 0.0;
    check_most(swing("energy-momentum", 8e-4 / (1 << i), x), 1e-14);
    for (int c = 0; c < 3; c++) error[i] = hypot(error[i], x[c] - best[c]);
  }
  check_near(log2(error[1] / error[2]), 2.0, 0.25);
  swing("leapfrog", 1e-5, x); /* lumped masses and other strains: the grid differs, the motion hardly */
  for (int c = 0; c < 3; c++) check_near(x[c], best[c], 5e-3);
}

/* ---- contact ---- */

static const char legs[] =
    "  a: {" ROD ", length: 0.5, elements: 4, position: [0, 0, 0]}\n"
    "  b: {" ROD ", length: 0.5, elements: 4, position: [0.5, 0, 0]}\n"
    "  foot: {kind: rigid, shape: {ball: {radius: 0.04}}, density: 500, position: [1.04, 0, 0]}\n"
    "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: -0.3}}}\n";
static const char legs_held[] = "  - {kind: ball, bodies: [ground, a], at: [0, 0, 0]}\n"
                                "  - {kind: hinge, bodies: [a, b], at: [0.5, 0, 0], axis: [0, 1, 0]}\n"
                                "  - {kind: weld, bodies: [b, foot], at: [1, 0, 0]}\n";

/* Contacts act on the assembly as a whole: energy stays or falls as booked, joints stay closed, nothing overlaps. */
static void contact_through_joints(void **state)
{
  (void)state;
  static const char *const law[] = {"restitution: 1", "restitution: 0.4", "restitution: 1, friction: 0.5",
                                    "restitution: 0.4, friction: 0.3"};
  for (int i = 0; i < VV_COUNT(law); i++) {
    char head[256];
    snprintf(head, sizeof head, "time: {end: 0.4, step: 2e-4}\ngravity: [0, 0, -9.81]\ncontacts: [{%s}]\n", law[i]);
    run_record r = run_bodies(head, legs, legs_held);
    const vv_ledger *l = run_ledger(&r);
    check_kept(&r, 1e-14);
    check_least(r.n_event, 2);
    check_most(l->max_penetration, i % 2 == 0 ? 1e-11 : 4.0 * 4.0 * 2e-4);
    run_free(&r);
  }
}

/* A shell that hangs on a beam and meets a floor by its own surface. */
static void hanging_shell_meets_a_floor(void **state)
{
  (void)state;
  run_record r = run_bodies("time: {end: 0.3, step: 5e-4}\ngravity: [0, 0, -9.81]\ncontacts: [{restitution: 1, self: "
                            "false, thickness: true}]\n",
                            "  a: {" ROD ", length: 0.5, elements: 4, position: [0, 0, 0]}\n"
                            "  drum: {kind: shell, mesh: {sphere: {radius: 0.1, frequency: 2}}, thickness: 0.004, "
                            "material: {young: 1e6, poisson: 0.3, density: 1000}, centre: [0.6, 0, 0]}\n"
                            "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: -0.15}}}\n",
                            "  - {kind: ball, bodies: [ground, a], at: [0, 0, 0]}\n"
                            "  - {kind: ball, bodies: [a, drum], at: [0.5, 0, 0]}\n");
  check_kept(&r, 1e-14);
  check_least(r.n_event, 2);
  check_most(run_ledger(&r)->max_penetration, 1e-11);
  run_free(&r);
}

/* What a step with contact costs at most, in iterates of all contacts and in iterations of the island solver. */
static void check_work(const run_record *r, int64_t steps, double rounds, double newton)
{
  const vvi_em_rigid *w = vvi_em_rigid_of(&r->sim->step);
  print_message("  %.2f iterates, %.2f Newton a step\n", (double)w->rounds / (double)steps,
                (double)w->newton / (double)steps);
  check_most((double)w->rounds, rounds * (double)steps);
  check_most((double)w->newton, newton * (double)steps);
}

/* Free chains of beams that fall on a floor: where two ends meet, both press on one point, joints make their contacts one, and one of
 * them holds both [em 17a].  They ended as not converged, or took hundreds of iterates for each step. */
static void chain_of_beams_comes_to_rest(void **state)
{
  (void)state;
  for (int i = 0; i < 4; i++) {
    const int n = i < 2 ? 2 : 4, steps = 2400;
    char head[256], bodies[2048], joints[1024];
    int at = 0, to = 0;
    snprintf(head, sizeof head,
             "time: {end: 0.6, step: 2.5e-4}\ngravity: [0, 0, -9.81]\ncontacts: [{restitution: %g, friction: 0.4}]\n",
             i % 2 == 0 ? 0.0 : 0.5);
    for (int k = 0; k < n; k++)
      at += snprintf(
          bodies + at, sizeof bodies - (size_t)at,
          "  l%d: {kind: beam, material: {young: 1e7, density: 1000}, section: {circle: {radius: 0.01}}, normal: "
          "[0, 1, 0], length: %.17g, elements: 4, axis: [1, 0, 0.1], position: [%.17g, 0, %.17g]}\n",
          k, 0.3 * sqrt(1.01), 0.3 * k, 0.1 + 0.03 * k);
    snprintf(bodies + at, sizeof bodies - (size_t)at,
             "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n");
    for (int k = 1; k < n; k++)
      to +=
          snprintf(joints + to, sizeof joints - (size_t)to,
                   "  - {kind: ball, bodies: [l%d, l%d], at: [%.17g, 0, %.17g]}\n", k - 1, k, 0.3 * k, 0.1 + 0.03 * k);
    run_record r = run_bodies(head, bodies, joints);
    check_kept(&r, 1e-14);
    check_most(run_ledger(&r)->max_penetration, 1e-4);
    assert_true(run_ledger(&r)->contacts >= n); /* it lies */
    check_work(&r, steps, 10.0, 10.0);
    run_free(&r);
  }
}

/* A free chain of six links on a floor: what lies says more than there are motions, and contradicts joints by what rounding of places
 * has left of these.  A step took 20 solves of 100 iterations of Newton's method and 1,000 of the gradient method each. */
static void chain_of_links_comes_to_rest(void **state)
{
  (void)state;
  char bodies[2048], joints[1024];
  int at = 0, to = 0;
  for (int k = 0; k < 6; k++) {
    at += snprintf(
        bodies + at, sizeof bodies - (size_t)at,
        "  l%d: {kind: rigid, shape: {box: {size: [0.16, 0.05, 0.05]}}, density: 1000, position: [%.17g, 0, %.17g]}\n",
        k, 0.1 + 0.2 * k, 0.1 + 0.02 * k);
    if (k > 0)
      to +=
          snprintf(joints + to, sizeof joints - (size_t)to,
                   "  - {kind: ball, bodies: [l%d, l%d], at: [%.17g, 0, %.17g]}\n", k - 1, k, 0.2 * k, 0.09 + 0.02 * k);
  }
  snprintf(bodies + at, sizeof bodies - (size_t)at, "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n");
  static const double restitution[] = {0.0, 0.5};
  for (int i = 0; i < 2; i++) {
    char head[256];
    snprintf(head, sizeof head,
             "time: {end: 0.75, step: 2.5e-4}\ngravity: [0, 0, -9.81]\ncontacts: [{restitution: %g, friction: 0.3}]\n",
             restitution[i]);
    run_record r = run_bodies(head, bodies, joints);
    check_kept(&r, 1e-14);
    assert_true(run_ledger(&r)->contacts >= 6);
    check_work(&r, 3000, 20.0, 200.0);
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(welded_halves_are_one_beam),   cmocka_unit_test(joined_bars_are_one_bar),
      cmocka_unit_test(energy_and_momenta_stay),      cmocka_unit_test(order_is_two),
      cmocka_unit_test(contact_through_joints),       cmocka_unit_test(hanging_shell_meets_a_floor),
      cmocka_unit_test(chain_of_beams_comes_to_rest), cmocka_unit_test(chain_of_links_comes_to_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
