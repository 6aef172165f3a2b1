/* tests/sim/test_claims.c  Bounds of claims: rounding is no alarm, and what is more than rounding is one.  No claim is made that cannot
 * break: each is broken here by a fault that is planted in a run which keeps it. */
#include "check.h"

#include "contact/contact.h"
#include "contact/shapes/solids.h"
#include "run.h"
#include "sim/sim.h"
#include "step/variation.h"

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

/* J: energy from nowhere, as speed of the first body along x, y or z; its books are closed behind the next step. */
static void give(run_record *r, int axis, double joules)
{
  const vv_block *b = r->model->block;
  while (b->kind->mover == NULL) b++;
  vv_mover at;
  double *p = r->state->p + b->p0 + axis * b->column;
  b->kind->mover(b, 0, r->state->q + b->q0, r->state->p + b->p0, &at);
  const double mass = 1.0 / at.inverse_mass[axis], v = at.velocity[axis];
  *p = mass * copysign(sqrt(v * v + 2.0 * joules / mass), v);
  assert_int_equal(vv_sim_steps(r->sim, 1, &r->report), VV_OK);
}

static double growth_of(int64_t steps)
{
  return sqrt(1.0 + (double)steps / 1e4);
}

/* The same of the energy: of kicks 2 eps a step.                                                              [ledger 12] */
static void test_more_energy_than_kicks_round(void **unused)
{
  (void)unused;
  enum { STEPS = 100000 };
  for (int more = 0; more < 2; more++) {
    run_record r = falls(3.3, "");
    assert_int_equal(vv_sim_steps(r.sim, STEPS, &r.report), VV_OK);
    const double allowed = 1e-12 * growth_of(STEPS) + 2.0 * DBL_EPSILON * STEPS;
    give(&r, 2, (more ? 2.0 : 0.2) * allowed * run_ledger(&r)->energy_scale);
    const vv_claim *c = claim_of(&r, "energy");
    print_message("  %.3g of %.3g, bound %.3g\n", c->worst, allowed, c->bound);
    assert_int_equal(c->kept, !more);
    run_free(&r);
  }
}

/* And of what is pressed, 8 eps n^(1/2) of what holds it: here P = 1e6 N h, P^2/8 m = 1.25e5 J, and nothing moves.  [ledger 10a] */
static void test_more_energy_than_presses_round(void **unused)
{
  (void)unused;
  for (int more = 0; more < 2; more++) {
    run_record r = run_scene("visviva: 1\ntime: {end: 1, step: 1e-3}\ngravity: [0, 0, -9.81]\n"
                             "contacts: [{restitution: 0, friction: 0.5}]\nbodies:\n"
                             "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
                             "  a: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 0.5], mass: 1, "
                             "loads: [{force: [0, 0, -1e6], history: {pulse: {duration: 0.1}}}]}\n",
                             NULL);
    const double allowed = 8.0 * DBL_EPSILON * sqrt(1000.0) * 1.25e5, scale = run_ledger(&r)->energy_scale;
    give(&r, 0, (more ? 2.0 : 0.2) * allowed);
    const vv_claim *c = claim_of(&r, "energy");
    print_message("  %.3g of %.3g, bound %.3g, scale %.3g\n", c->worst, allowed, c->bound, scale);
    assert_int_equal(c->kept, !more);
    run_free(&r);
  }
}

/* And of a stiff rod in energy-momentum steps, 2 (R V n)^(1/2): rounding that alone would be R turns its strain V to and fro.
 *                                                                                                              [ledger 10] */
static void test_more_energy_than_strain_rounds(void **unused)
{
  (void)unused;
  enum { STEPS = 2000 };
  for (int more = 0; more < 2; more++) {
    run_record r =
        run_scene("visviva: 1\ntime: {end: 0.02, step: 1e-5}\nmethod: {step: energy-momentum}\nbodies:\n"
                  "  rod: {kind: beam, length: 1, elements: 10, material: {young: 2e11, density: 7800}, "
                  "section: {circle: {radius: 0.02}},\n"
                  "        velocity_profile: [{at: [0, 0.5, 1], factor: [1, -1, 1], direction: [0, 0, 2]}]}\n",
                  NULL);
    const vv_ledger *l = run_ledger(&r); /* the strain swings, between what it is and all there is */
    const double strain = more ? l->energy_scale : l->now.strain,
                 allowed = 2.0 * sqrt(l->rounding * strain * STEPS) +
                           l->energy_scale * (1e-12 * growth_of(STEPS) + 2.0 * DBL_EPSILON * STEPS);
    vvi_sum_add(&r.sim->ledger.posted.external_work, (more ? 2.0 : 0.2) * allowed); /* work that no load has done */
    assert_int_equal(vv_sim_steps(r.sim, 1, &r.report), VV_OK);
    const vv_claim *c = claim_of(&r, "energy");
    print_message("  %.3g of %.3g, bound %.3g\n", c->worst, allowed / l->energy_scale, c->bound);
    assert_int_equal(c->kept, !more);
    run_free(&r);
  }
}

/* A box that rests from the start has no momentum, and neither has a stack: what its weight gives in a step the floor takes.  That is
 * what its rounding is compared with, off the origin and on it; and a momentum of a hundred thousandth of a thousandth of that, across
 * or turning, is told, however long it rests.                                                                [ledger 2a] */
static void test_what_rests_has_a_scale(void **unused)
{
  (void)unused;
  static const char *const wrong[] = {NULL, "momentum", "angular_momentum"};
  for (int k = 0; k < 12; k++) {
    const double mu = k % 2 == 0 ? 0.0 : 0.5;
    const char *name = wrong[k / 2 % 3];
    char text[1024];
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 10, step: 1e-3}\nmethod: {step: energy-momentum}\ngravity: [0, 0, -9.81]\n"
             "record: {ledger: %d}\ncontacts: [{restitution: 0, friction: %g}]\nbodies:\n"
             "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
             "  a: {kind: rigid, shape: {box: {size: [0.1, 0.13, 0.07]}}, density: 1000, position: [0.3, 0.2, 0.035]}\n"
             "%s",
             k < 6 ? 1 : 1000, mu,
             k < 6 ? ""
                   : "  b: {kind: rigid, shape: {ball: {radius: 0.05}}, density: 900, position: [0.3, 0.2, 0.12]}\n");
    run_record r = run_prepare(text, NULL);
    assert_int_equal(vv_sim_steps(r.sim, 5000, &r.report), VV_OK);
    const double weight =
                     vvi_norm3(r.model->gravity) * 1e-3 * (0.91 + (k < 6 ? 0.0 : 900.0 * 4.0 / 3.0 * VV_PI * 1.25e-4)),
                 size = run_ledger(&r)->p_scale;
    assert_true(size > (1.0 - 1e-9) * weight); /* corners may rub against each other, within their cones */
    check_most(size, (1.0 + 1e-9) * 0.5 * (1.0 + sqrt(1.0 + mu * mu)) * weight);
    for (int i = 0; i < r.model->n_body && name != NULL; i++) {
      if (strcmp(r.model->body[i].name, "a") != 0) continue;
      const vv_block *b = &r.model->block[r.model->body[i].block];
      const int c = strcmp(name, "momentum") == 0 ? 0 : 5;
      r.state->p[b->p0 + c * b->column + r.model->body[i].node0] += 1e-8 * weight * (c == 0 ? 1.0 : 0.1);
    }
    assert_int_equal(vv_sim_steps(r.sim, 5000, &r.report), VV_OK);
    for (int i = 1; i < 3; i++) {
      const vv_claim *c = claim_of(&r, wrong[i]);
      if (name == NULL || strcmp(name, wrong[i]) == 0) assert_int_equal(c->kept, name == NULL);
    }
    run_free(&r);
  }
}

/* ---- every claim can break ---- */

/* A coordinate, and a momentum, of a rigid body. */
static int64_t index_of(const run_record *r, const char *name, int c, int64_t first)
{
  for (int32_t i = 0; i < r->model->n_body; i++)
    if (strcmp(r->model->body[i].name, name) == 0)
      return first + c * r->model->block[r->model->body[i].block].column + r->model->body[i].node0;
  fail_msg("no body '%s'", name);
  return 0;
}
static double *place_of(run_record *r, const char *name, int c)
{
  return &r->state->q[index_of(r, name, c, r->model->block[0].q0)];
}
static double *momentum_of(run_record *r, const char *name, int c)
{
  return &r->state->p[index_of(r, name, c, r->model->block[0].p0)];
}

static void faster(run_record *r)
{
  for (int64_t i = 0; i < r->state->np; i++) r->state->p[i] *= 1.01;
}
static void much_faster(run_record *r) /* than what a step of half the stable one swings by */
{
  for (int64_t i = 0; i < r->state->np; i++) r->state->p[i] *= 1.5;
}
static void aside(run_record *r)
{
  *momentum_of(r, "a", 1) += 0.01;
}
/* By a twentieth of the ball: the box that it lies on is a thousand times as large. */
static void sunk(run_record *r)
{
  *place_of(r, "ball", 2) -= 5e-4;
}
/* Faster than its spring can hold: it goes through the wall. */
static void softened(run_record *r)
{
  *momentum_of(r, "ball", 0) *= 100.0;
}
/* Between the floor and what is led down to it. */
static void under_the_press(run_record *r)
{
  *place_of(r, "ball", 0) -= 5.0;
}
static void sunk_bar(run_record *r)
{
  const vv_body *a = &r->model->body[0];
  for (int64_t i = a->node0; i < a->node0 + a->n_node; i++) r->state->q[r->model->block[a->block].q0 + i] += 1e-2;
}
static void off_its_hinge(run_record *r)
{
  *place_of(r, "b", 0) += 1e-6;
}
/* By a momentum d whose energy d^2/(2 m) is twenty times that of half an impulse of the joints, which they may do: they take it, or most
 * of it. */
static void along_its_arm(run_record *r)
{
  const double may = run_ledger(r)->posted.joint_half;
  assert_true(may > 0.0);
  *momentum_of(r, "b", 0) += sqrt(2.0 * 20.0 * may);
}
/* A tenth more than may be owed: that is in the memory of the contacts, behind the largest debt. */
static void lent(run_record *r)
{
  const struct vvi_contact_step *w = r->sim->step.contact;
  const vv_ledger *l = run_ledger(r);
  const double joule = l->energy_scale > l->energy_floor ? l->energy_scale : 1.0; /* J where nothing moves */
  const double most = vvi_contact_most(w), owed = 1.1 * claim_of(r, "debt")->bound * joule;
  assert_true(most > 0.0 && owed > 0.0);
  int64_t i = 0;
  while (w->memory[i] != most) i++;
  w->memory[i + 1] = owed;
  check_near(vvi_contact_off(w), owed, 0.0);
}
/* The same of pairs of tips where steps are cut. */
static void lent_by_cuts(run_record *r)
{
  const double owed = 1.1 * claim_of(r, "debt")->bound * run_ledger(r)->energy_scale;
  assert_true(owed > 0.0);
  r->sim->ledger.max_pair_debt = owed;
}
/* Nothing in a run can spoil the root of an event from outside: the judge alone is looked at. */
static void unbalanced(run_record *r)
{
  r->sim->ledger.max_event_residual = 1e-12;
}
static void varied(run_record *r)
{
  struct vvi_variation *v = r->sim->step.vary;
  for (int64_t i = 0; i < r->state->np; i++) v->dp[VARY_V][i] *= 1.01;
}
static void pushed_inside(run_record *r)
{
  r->state->p[r->state->np / 2] *= 1.01;
}

#define FREE                                                                                                       \
  "visviva: 1\ntime: {end: 1, step: 1e-3}\nbodies:\n  a: {kind: rigid, shape: {box: {size: [1, 2, 3]}}, mass: 1, " \
  "position: [0, 3, 1], velocity: [1, 0, 0], spin: [1, 2, 3]}\n"
#define AT_REST                                                                                                     \
  "visviva: 1\ntime: {end: 1, step: 1e-3}\ngravity: [0, 0, -9.81]\ncontacts: [{restitution: 0.5, friction: 0.3}]\n" \
  "bodies:\n  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"                                       \
  "  a: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, mass: 1, position: [0, 0, 0.5]}\n"
#define ON_A_BOX                                                                                              \
  "visviva: 1\ntime: {end: 1, step: 1e-4}\ngravity: [0, 0, -9.81]\n"                                          \
  "contacts: [{restitution: 0.5}]\nbodies:\n  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n" \
  "  box: {kind: rigid, shape: {box: {size: [10, 10, 10]}}, mass: 1000, position: [0, 0, 5]}\n"               \
  "  ball: {kind: rigid, shape: {ball: {radius: 0.01}}, mass: 1, position: [0, 0, 10.0101]}\n"
#define PRESS                                                                                                         \
  "visviva: 1\ntime: {end: 1, step: 1e-3}\ncontacts: [{restitution: 0}]\nbodies:\n"                                   \
  "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"                                                  \
  "  plate: {kind: rigid, shape: {box: {size: [1, 1, 0.1]}}, mass: 1000, position: [0, 0, 0.26], motion: {velocity: " \
  "[0, 0, -1]}}\n"                                                                                                    \
  "  ball: {kind: rigid, shape: {ball: {radius: 0.05}}, mass: 1, position: [5, 0, 0.05]}\n"
#define SPRING                                                                     \
  "visviva: 1\ntime: {end: 1, step: 1e-3}\nmethod: {step: energy-momentum}\n"      \
  "contacts: [{response: penalty, stiffness: 1e4}]\nbodies:\n"                     \
  "  wall: {kind: obstacle, shape: {plane: {normal: [-1, 0, 0], offset: -0.5}}}\n" \
  "  ball: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, velocity: [1, 0, 0]}\n"
#define HINGED                                                                                  \
  "visviva: 1\ntime: {end: 1, step: 1e-3}\ngravity: [0, 0, -9.81]\nbodies:\n"                   \
  "  a: {kind: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0.5, 0, 0]}\n" \
  "  b: {kind: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [1.5, 0, 0]}\n" \
  "joints:\n  - {kind: ball, bodies: [ground, a], at: [0, 0, 0]}\n  - {kind: ball, bodies: [a, b], at: [1, 0, 0]}\n"
#define BARS(method, tips)                                                                                   \
  "visviva: 1\ntime: {end: 4, step: {safety: 0.5}}\nmethod: {step: event, " method "}\nbodies:\n"            \
  "  a: {kind: bar, " tips "length: 1, elements: 10, material: {young: 1, density: 1}, section: {area: 1}, " \
  "position: -1.02, velocity: 0.1}\n"                                                                        \
  "  b: {kind: bar, " tips "length: 1, elements: 10, material: {young: 1, density: 1}, section: {area: 1}}\n"

static const struct fault {
  const char *claim, *scene;
  int steps;
  bool structure;
  void (*plant)(run_record *);
} fault[] = {
    {"energy", FREE, 10, false, faster},
    {"energy", BARS("jump: slab", ""), 40, false, much_faster},
    {"momentum", FREE, 10, false, aside},
    {"angular_momentum", FREE, 10, false, aside},
    {"losses", ON_A_BOX, 400, false, faster},
    {"penetration", ON_A_BOX, 400, false, sunk},
    {"penetration", SPRING, 100, false, softened},
    {"motion", PRESS, 100, false, under_the_press},
    {"penetration", BARS("jump: nodal", "tips: {first: lumped, last: lumped}, "), 20, false, sunk_bar},
    {"debt", ON_A_BOX, 400, false, lent},
    {"debt", AT_REST, 400, false, lent},
    {"debt", BARS("jump: nodal", "damping: {bulk: 0.1}, "), 100, false, lent_by_cuts},
    {"joints", HINGED, 20, false, off_its_hinge},
    {"joint_work", HINGED, 20, false, along_its_arm},
    {"event_balance", BARS("jump: slab", ""), 40, false, unbalanced},
    {"symplectic", BARS("jump: slab", ""), 40, true, varied},
    {"multisymplectic", BARS("jump: slab", ""), 40, true, varied},
    {"noether", BARS("jump: slab", ""), 40, true, pushed_inside},
};

static void test_every_claim_can_break(void **unused)
{
  (void)unused;
  for (int i = 0; i < VV_COUNT(fault); i++) {
    const struct fault *f = &fault[i];
    for (int planted = 0; planted < 2; planted++) {
      run_record r = run_prepare(f->scene, &(run_options){.check_structure = f->structure});
      assert_int_equal(vv_sim_steps(r.sim, f->steps, &r.report), VV_OK);
      assert_true(claim_of(&r, f->claim)->kept);
      if (planted) f->plant(&r);
      assert_int_equal(vv_sim_steps(r.sim, 20, &r.report), VV_OK);
      const vv_claim *c = claim_of(&r, f->claim);
      if (c->kept == (bool)planted)
        fail_msg("%s %s: %g, bound %g, in\n%s", f->claim, planted ? "kept" : "broken", c->worst, c->bound, f->scene);
      run_free(&r);
    }
  }
}

/* Each of what a scene may claim is in the table above. */
static void test_no_claim_is_left_out(void **unused)
{
  (void)unused;
  for (int i = 0; i < VV_COUNT(fault); i++) {
    run_record r = run_prepare(fault[i].scene, &(run_options){.check_structure = fault[i].structure});
    const vv_claim *claim;
    const int n = vv_sim_claims(r.sim, &claim);
    for (int k = 0; k < n; k++) {
      bool known = false;
      for (int j = 0; j < VV_COUNT(fault); j++) known |= strcmp(fault[j].claim, claim[k].name) == 0;
      if (!known) fail_msg("nothing breaks the claim '%s'", claim[k].name);
    }
    run_free(&r);
  }
}

/* What a run remembers, given to it once more: the same claims, each told once. */
static void test_told_once(void **unused)
{
  (void)unused;
  for (int i = 0; i < VV_COUNT(fault); i++) {
    run_record r = run_prepare(fault[i].scene, &(run_options){.check_structure = fault[i].structure});
    assert_int_equal(vv_sim_steps(r.sim, 2, &r.report), VV_OK);
    const vv_claim *claim;
    const int n = vv_sim_claims(r.sim, &claim);
    vv_ledger *l;
    assert_int_equal(vv_ledger_create(&l), VV_OK);
    assert_int_equal(vv_ledger_copy(l, run_ledger(&r)), VV_OK);
    assert_int_equal(vv_sim_restore(r.sim, l), VV_OK);
    assert_int_equal(vv_sim_claims(r.sim, &claim), n);
    for (int k = 0; k < n; k++)
      for (int j = 0; j < k; j++) assert_string_not_equal(claim[k].name, claim[j].name);
    vv_ledger_destroy(l);
    run_free(&r);
  }
}

/* ---- bounds by sizes ---- */

/* A ball of a centimetre beside a box of ten metres: its bound is its own. */
static void test_penetration_is_of_the_smaller(void **unused)
{
  (void)unused;
  run_record r = run_prepare(ON_A_BOX, NULL);
  assert_int_equal(vv_sim_steps(r.sim, 400, &r.report), VV_OK);
  check_most(claim_of(&r, "penetration")->bound, 1e-2 * 0.01);
  sunk(&r);
  assert_int_equal(vv_sim_steps(r.sim, 1, &r.report), VV_OK);
  const vv_claim *c = claim_of(&r, "penetration");
  check_near(c->worst, 5e-4, 1e-4);
  check_most(c->bound, 1e-2 * 0.01);
  run_free(&r);
}

/* A heavy box that lies on the floor from the start has, at whole steps, half an impulse of a step: M (g h)^2/8, which the energy of
 * a bead that falls beside it is nothing against.  It is no alarm.                                          [contact 30b] */
static void test_what_lies_owes_what_it_has(void **unused)
{
  (void)unused;
  run_record r =
      run_prepare("visviva: 1\ntime: {end: 0.2, step: 1e-3}\ngravity: [0, 0, -9.81]\n"
                  "contacts: [{restitution: 0.5, friction: 0.3}]\nbodies:\n"
                  "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
                  "  safe: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, mass: 1000, position: [0, 0, 0.5]}\n"
                  "  bead: {kind: rigid, shape: {ball: {radius: 0.005}}, mass: 1e-3, position: [1, 0, 0.1]}\n",
                  NULL);
  assert_int_equal(vv_sim_run(r.sim, &r.report), VV_OK);
  const double due = 1000.0 * 9.81e-3 * 9.81e-3 / 8.0, scale = run_ledger(&r)->energy_scale;
  check_near(vvi_contact_most(r.sim->step.contact), due, 1e-3 * due);
  check_near(vvi_contact_still(r.sim->step.contact), due, 1e-3 * due);
  check_most(claim_of(&r, "debt")->worst * scale, 1e-3 * due);
  /* one loan, the bead's, which is nothing, and N (3/2) keep = 12 M (g h)^2/8 with keep = g h^2          [contact 24a, 30c] */
  check_near(claim_of(&r, "debt")->bound * scale, (3.0 + 12.0) * due, 1e-3 * due);
  assert_true(claim_of(&r, "debt")->kept);
  run_free(&r);
}

/* A thousand tonnes that lie on a pea: the ratio of masses is 1e9, and what a step leaves of the law in velocities of the pea is nothing
 * beside it in impulses of the block.  It stays where contacts hold it, owes what lies owes, and its weight goes through both contacts.
 * A solver that takes soft iterations for the end gives 5 % too much, and lifts it by 18 um.                       [island 12] */
static void test_heavy_on_a_pea(void **unused)
{
  (void)unused;
  for (int i = 0; i < 2; i++) {
    char text[1024];
    const double h = i == 0 ? 1e-3 : 1e-4, weight = 9.81e6, keep = 1e-6, half = 1e6 * 9.81 * h * 9.81 * h / 8.0;
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 0.5, step: %g}\ngravity: [0, 0, -9.81]\nrecord: {ledger: 10}\n"
             "contacts: [{restitution: 0, friction: 0.5}]\nbodies:\n"
             "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
             "  pea: {kind: rigid, shape: {ball: {radius: 0.01}}, mass: 1e-3, position: [0, 0, 0.01]}\n"
             "  ton: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, mass: 1e6, position: [0, 0, 0.521]}\n",
             h);
    run_record r = run_prepare(text, NULL);
    assert_int_equal(vv_sim_run(r.sim, &r.report), VV_OK);
    const double height = vv_ledger_get(run_ledger(&r), VV_LEDGER_POTENTIAL) / weight - 0.52;
    print_message("  step %g: %.3g um above the pea, owes %.3g J of %.3g\n", h, 1e6 * height,
                  vvi_contact_off(r.sim->step.contact), half);
    check_most(fabs(height), 2.0 * 1.5 * keep); /* two gaps, of the pea */
    check_most(vvi_contact_off(r.sim->step.contact), half);
    assert_true(claim_of(&r, "debt")->kept);
    run_free(&r);
  }
}

/* A plank that rocks on a drum: in each swing out the gap of what it rolls on opens, and what presses it there is lent; in each swing
 * back it is paid.  What a pair borrows after it has paid back is a loan of its own, however large the one before was, and loans count
 * as their squares do: swings out alike, each as much.                                                        [contact 30b, 30c] */
static void test_a_loan_for_each_swing(void **unused)
{
  (void)unused;
  enum { SWINGS = 6 };
  run_record r = run_prepare("visviva: 1\ntime: {end: 8, step: 1e-3}\ngravity: [0, 0, -9.81]\nrecord: {ledger: 10}\n"
                             "contacts: [{restitution: 0, friction: 0.8}]\nbodies:\n"
                             "  drum: {kind: rigid, fixed: true, shape: {cylinder: {length: 0.5, radius: 0.1}},\n"
                             "    orientation: {axis: [1, 0, 0], angle: 1.5707963267948966}}\n"
                             "  plank: {kind: rigid, shape: {box: {size: [1, 0.4, 0.02]}}, mass: 50, position: [0, 0, "
                             "0.110001], spin: [0, 1, 0]}\n",
                             NULL);
  assert_int_equal(vv_sim_steps(r.sim, 1000, &r.report), VV_OK); /* it has landed */
  double last = vvi_contact_debt(r.sim->step.contact), lent = run_ledger(&r)->posted.lent, out = 0.0;
  int swings = 0;
  for (int k = 0; k < 7000 && swings < SWINGS; k++) {
    assert_int_equal(vv_sim_steps(r.sim, 1, &r.report), VV_OK);
    const double now = vvi_contact_debt(r.sim->step.contact), all = run_ledger(&r)->posted.lent;
    if (now < last && out > 0.0) {
      check_near(sqrt(all - lent), out, 1e-6 * out);
      lent = all, out = 0.0, swings++;
    }
    out += fmax(0.0, now - last), last = now;
  }
  assert_int_equal(swings, SWINGS);
  run_free(&r);
}

/* A box that gains 2e-7 of its energy in each bounce: every loan is far below what theory lets one be, nothing ever pays, and they pile
 * up faster than a walk.  A thousandth of the energy, which they are far from, would say nothing of that. */
static void test_loans_that_pile_up(void **unused)
{
  (void)unused;
  for (int more = 0; more < 2; more++) {
    run_record r =
        run_prepare("visviva: 1\ntime: {end: 10, step: 1e-3}\ngravity: [0, 0, -9.81]\n"
                    "contacts: [{restitution: 1, friction: 1e-9}]\nbodies:\n"
                    "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
                    "  roof: {kind: obstacle, shape: {plane: {normal: [0, 0, -1], offset: -1}}}\n"
                    "  box: {kind: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0, 0, 0.5], "
                    "velocity: [0, 0, -4]}\n",
                    NULL);
    if (more) ((struct vvi_solids *)r.model->solids)->rules.rule[0].restitution = 1.0 + 1e-7;
    assert_int_equal(vv_sim_run(r.sim, &r.report), VV_OK);
    const double owed = vvi_contact_off(r.sim->step.contact), energy = run_ledger(&r)->energy_scale;
    print_message("  %ld bounces: owed %.3g of %.3g J, bound %.3g\n", (long)run_ledger(&r)->impacts, owed, energy,
                  claim_of(&r, "debt")->bound * energy);
    assert_true(owed < 1e-4 * energy);
    assert_int_equal(claim_of(&r, "debt")->kept, !more);
    run_free(&r);
  }
}

/* Loads that change on heavy bodies that lie: nothing moves but the half kick that they are held by, and rounding is that of what
 * holds them.                                                                                       [ledger 10a, 13] */
static void test_heavy_loads_at_rest(void **unused)
{
  (void)unused;
  static const char *const body[] = {"mass: 1000, loads: [{force: [0, 0, 2e4], history: {pulse: {duration: 0.3}}}]",
                                     "mass: 1, loads: [{force: [0, 0, -1e6], history: {pulse: {duration: 0.1}}}, "
                                     "{force: [4, 0, 0], at: [0, 0, 0.5]}]"};
  static const char bead[] =
      "  bead: {kind: rigid, shape: {ball: {radius: 0.01}}, mass: 1e-3, position: [2, 0, 0.02]}\n";
  double seen = 0.0;
  for (int i = 0; i < 2 * VV_COUNT(body); i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 1, step: 1e-3}\ngravity: [0, 0, -9.81]\nrecord: {ledger: 1}\n"
             "contacts: [{restitution: 0, friction: 0.5}]\nbodies:\n"
             "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
             "  a: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 0.5], %s}\n%s",
             body[i / 2], i % 2 ? "" : bead);
    run_record r = run_scene(text, NULL); /* books are closed in every step */
    const vv_claim *claim;
    const int n = vv_sim_claims(r.sim, &claim);
    for (int k = 0; k < n; k++)
      if (!claim[k].kept) fail_msg("%s: %g > %g", claim[k].name, claim[k].worst, claim[k].bound);
    seen = fmax(seen, fmax(claim_of(&r, "energy")->worst, claim_of(&r, "losses")->worst));
    run_free(&r);
  }
  assert_true(seen > 1e-12); /* or nothing is excused here */
}

/* Energy-momentum steps with e = 0 let a contact sink by half of what it travels in a step, which is cut in sixteen parts at the most: a
 * hundredth of a ball is kept as long as it travels 0.16 of its radius in a step, and beyond that it is told.  [em 13a, ledger 19] */
static void test_sinking(void **unused)
{
  (void)unused;
  static const double way[] = {0.05, 0.15, 0.6}; /* of the radius, in a step */
  for (int i = 0; i < VV_COUNT(way); i++) {
    double deepest = 0.0;
    bool kept = true;
    for (int k = 0; k < 16; k++) { /* where in a step it meets the floor */
      char text[1024];
      snprintf(text, sizeof text,
               "visviva: 1\ntime: {end: 0.5, step: %.17g}\nmethod: {step: energy-momentum}\n"
               "contacts: [{restitution: 0}]\nbodies:\n"
               "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
               "  a: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, position: [0, 0, %.17g], "
               "velocity: [0, 0, -1]}\n",
               0.1 * way[i], 0.1 + 0.1 * way[i] * (1.001 + k / 16.3));
      run_record r = run_prepare(text, NULL);
      assert_int_equal(vv_sim_run(r.sim, &r.report), VV_OK);
      const vv_claim *c = claim_of(&r, "penetration");
      check_near(c->bound, 1e-3, 1e-9);
      deepest = fmax(deepest, c->worst / 0.1), kept &= c->kept;
      run_free(&r);
    }
    print_message("  %g of the radius in a step: %.3g of it deep\n", way[i], deepest);
    assert_int_equal(kept, way[i] < 0.16);
  }
}

/* ---- what is not a number ---- */

/* A body of a stack that is lost in the middle of its contacts: the answer of its group, which is not a number, pushes nobody, and
 * the run ends with the name of that body and of no other. */
static void test_lost_in_a_stack(void **unused)
{
  (void)unused;
  run_record r = run_prepare("visviva: 1\ntime: {end: 1, step: 1e-3}\ngravity: [0, 0, -9.81]\n"
                             "contacts: [{restitution: 0.2, friction: 0.4}]\nbodies:\n"
                             "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
                             "  a: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, mass: 1, position: [0, 0, 0.5]}\n"
                             "  b: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, mass: 1, position: [0.1, 0, 1.51]}\n"
                             "  c: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, mass: 1, position: [0, 0.1, 2.52]}\n",
                             NULL);
  assert_int_equal(vv_sim_steps(r.sim, 200, &r.report), VV_OK);
  *momentum_of(&r, "b", 2) = NAN;
  (void)!vv_sim_steps(r.sim, 3, &r.report);
  assert_int_equal(r.report.reason, VV_REASON_UNSTABLE);
  assert_non_null(strstr(r.report.message, "'b' is no longer finite at step 203"));
  for (int c = 0; c < 3; c++) assert_true(isfinite(*momentum_of(&r, "a", c) + *momentum_of(&r, "c", c)));
  for (int c = 0; c < 3; c++) assert_true(isfinite(*place_of(&r, "a", c) + *place_of(&r, "c", c)));
  run_free(&r);
}

/* The edge of a rod that slides 5 um in a step lies between two edges of a drum, which push it from both sides within the angle of
 * friction: no impulse opens both, and the solver ends with a thousand times the impulse of a blow.  Restitution 1 takes nothing along
 * the normals all the same.  Of starts side by side some jam.                                              [contact 24b] */
static void test_rows_that_jam(void **unused)
{
  (void)unused;
  enum { STARTS = 16 };
  const double most = 2.0 * 2.6e-4 * 3.6; /* N s: what turns the drum around at the speed of the two */
  int jams = 0;
  for (int k = 0; k < STARTS; k++) {
    char text[1536];
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 0.0077, step: 3.0539417719495918e-06}\nrecord: {every: 0.0077}\n"
             "contacts: [{restitution: 1, friction: 0.3}]\nbodies:\n"
             "  rod: {kind: beam, length: 0.036720457167173884, elements: 15,\n"
             "    section: {rectangle: {width: 0.0048339306797967295, height: 0.0024169653398983647}},\n"
             "    material: {young: 24351332.264767215, density: 858.5075574444197, poisson: 0, law: j2, yield: "
             "10384.808977508847},\n"
             "    axis: [-0.5105633228464604, -0.06102842259877395, -0.8576716300537673],\n"
             "    normal: [-0.8338165511591764, 0.540762125638183, 0.11102379244238857],\n"
             "    position: [0.02489049927671804, -0.014395944173852098, 0.031263487140306113],\n"
             "    velocity: [-1.004791066175569, 0.9579506004992231, -1.8722599180146027]}\n"
             "  drum: {kind: rigid, shape: {cylinder: {length: 0.008390553436273363, radius: 0.006560359342164125}},\n"
             "    density: 228.83310818981204, position: [0.01551643996286133, -0.01551643996286133, "
             "-0.01551643996286133],\n"
             "    velocity: [%.17g, 0.5455853270379901, 1.3022449887961955],\n"
             "    spin: [29.15804091300514, -377.29322179152234, -347.65705281378484]}\n",
             -0.7420644560345171 * (1.0 + 5e-7 * k));
    run_record r = run_prepare(text, NULL);
    vv_contact_total all;
    assert_int_equal(vv_sim_run(r.sim, &r.report), VV_OK);
    assert_int_equal(vv_ledger_pair(run_ledger(&r), 0, &all), VV_OK);
    jams += all.normal > 10.0 * most;
    const vv_claim *c = claim_of(&r, "debt");
    if (!c->kept) fail_msg("start %d: %g > %g", k, c->worst, c->bound);
    run_free(&r);
  }
  print_message("  %d of %d starts jam\n", jams, STARTS);
  assert_true(jams > 0); /* or nothing is shown */
}

/* A place far away leaves fewer digits for what bodies are to each other: the rounding that claims allow grows by a thousandth of its own
 * for each length of the scene.  Where nothing touches, the bound of `debt` is that alone. */
static void test_rounding_far_away(void **unused)
{
  (void)unused;
  double bound[2], grows[2];
  for (int i = 0; i < 2; i++) {
    const double far = i == 0 ? 1.0 : 1e5;
    char text[512];
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 0.01, step: 1e-3}\ngravity: [0, 0, -9.81]\nbodies:\n"
             "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
             "  box: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, mass: 1, position: [%g, 0, 0.9]}\n",
             far);
    run_record r = run_prepare(text, NULL);
    assert_int_equal(vv_sim_run(r.sim, &r.report), VV_OK);
    bound[i] = claim_of(&r, "debt")->bound;
    grows[i] = 1.0 + far / r.model->length_scale / 1e3;
    run_free(&r);
  }
  print_message("  %.4g, far away %.4g\n", bound[0], bound[1]);
  check_near(bound[1] / bound[0], grows[1] / grows[0], 1e-9 * grows[1]);
  assert_true(grows[1] > 10.0 * grows[0]);
}

/* Three boxes that fall, the middle one through something thick: what it takes of the motion it takes of the work of the joints, too,
 * always to the same side, 2.2 times what that may be without a medium.                                  [joint 8c, 9] */
static void test_joined_in_a_medium(void **unused)
{
  (void)unused;
  static const char *const step[] = {"3e-4", "3e-3"};
  for (int i = 0; i < VV_COUNT(step); i++) {
    char text[2048];
    snprintf(
        text, sizeof text,
        "visviva: 1\ntime: {end: 1.5, step: %s}\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  a: {kind: rigid, shape: {box: {size: [0.2, 0.15, 0.25]}}, mass: 0.1041, position: [0, 0, 1]}\n"
        "  b: {kind: rigid, shape: {box: {size: [0.2, 0.15, 0.25]}}, mass: 15.25, position: [0.45, 0.148, 0.875],\n"
        "      damping: {linear: 30, angular: 30}}\n"
        "  c: {kind: rigid, shape: {box: {size: [0.2, 0.15, 0.25]}}, mass: 6.412, position: [0.9, 0.056, 0.828]}\n"
        "joints:\n  - {kind: weld, bodies: [a, b], at: [0.2, 0, 1]}\n"
        "  - {kind: cylinder, bodies: [b, c], at: [0.65, 0, 1], axis: [1, 0, 0]}\n",
        step[i]);
    run_record r = run_prepare(text, NULL);
    assert_int_equal(vv_sim_run(r.sim, &r.report), VV_OK);
    const vv_claim *c = claim_of(&r, "joint_work");
    print_message("  step %s: joint_work %.3g, bound %.3g\n", step[i], c->worst, c->bound);
    assert_true(c->kept && c->worst > 0.0);
    run_free(&r);
  }
}

/* A pendulum that hangs: there is no energy to compare with, so the claim is in J, and no more than what the joint bears. */
static void test_joint_at_rest(void **unused)
{
  (void)unused;
  const double h = 1e-3, g = 9.81;
  run_record r =
      run_prepare("visviva: 1\ntime: {end: 0.5, step: 1e-3}\ngravity: [0, 0, -9.81]\nbodies:\n"
                  "  a: {kind: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0, 0, -0.5]}\n"
                  "joints: [{kind: ball, bodies: [ground, a], at: [0, 0, 0]}]\n",
                  NULL);
  assert_int_equal(vv_sim_run(r.sim, &r.report), VV_OK);
  const vv_claim *c = claim_of(&r, "joint_work");
  assert_true(c->kept);
  check_most(c->bound, 2e-12 + (1.0 + 1e-9) * g * g * h * h / 8.0);
  run_free(&r);
}

/* The step is symmetric: a run backwards claims what a run forwards does, and is held to the same bounds. */
static void test_backwards(void **unused)
{
  (void)unused;
  static const char *const law[] = {"", "law: neo-hookean, "};
  for (int k = 0; k < 2; k++) {
    double bound[2];
    for (int back = 0; back < 2; back++) {
      char text[512];
      snprintf(text, sizeof text,
               "visviva: 1\ntime: {end: 9, step: 0.02}\nmethod: {step: leapfrog}\nbodies:\n"
               "  bar: {kind: bar, length: 1, elements: 10, material: {%syoung: 1, density: 1}, section: {area: 1},\n"
               "        vibration: [{mode: 1, amplitude: 0.02}]}\n",
               law[k]);
      run_record r = run_prepare(text, &(run_options){.step = back ? -0.02 : 0.02});
      assert_int_equal(vv_sim_steps(r.sim, 400, &r.report), VV_OK);
      const vv_claim *claim;
      for (int i = vv_sim_claims(r.sim, &claim) - 1; i >= 0; i--)
        if (!claim[i].kept) fail_msg("%s: %g > %g", claim[i].name, claim[i].worst, claim[i].bound);
      bound[back] = claim_of(&r, "energy")->bound;
      run_free(&r);
    }
    print_message("  %.6g forwards, %.6g backwards\n", bound[0], bound[1]);
    check_near(bound[1], bound[0], 1e-6 * bound[0]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_backwards),
                                     cmocka_unit_test(test_more_energy_than_kicks_round),
                                     cmocka_unit_test(test_more_energy_than_presses_round),
                                     cmocka_unit_test(test_more_energy_than_strain_rounds),
                                     cmocka_unit_test(test_loans_that_pile_up),
                                     cmocka_unit_test(test_heavy_on_a_pea),
                                     cmocka_unit_test(test_a_loan_for_each_swing),
                                     cmocka_unit_test(test_sinking),
                                     cmocka_unit_test(test_heavy_loads_at_rest),
                                     cmocka_unit_test(test_steady_forces_round_to_one_side),
                                     cmocka_unit_test(test_more_than_rounding),
                                     cmocka_unit_test(test_rounding_far_away),
                                     cmocka_unit_test(test_what_rests_has_a_scale),
                                     cmocka_unit_test(test_lost_in_a_stack),
                                     cmocka_unit_test(test_rows_that_jam),
                                     cmocka_unit_test(test_every_claim_can_break),
                                     cmocka_unit_test(test_no_claim_is_left_out),
                                     cmocka_unit_test(test_told_once),
                                     cmocka_unit_test(test_penetration_is_of_the_smaller),
                                     cmocka_unit_test(test_what_lies_owes_what_it_has),
                                     cmocka_unit_test(test_joined_in_a_medium),
                                     cmocka_unit_test(test_joint_at_rest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
