/* tests/physics/test_shell_press.c  Shells under lasting pressure: tight rooms, heavy lids, spinning drums, e < 1 and friction.
 * Nothing intersects, losses never shrink, friction stays inside its cone, and what pushes bring is seen. */
#include "check.h"

#include "math/math.h"
#include "run.h"
#include "sheets.h"
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 8192, PILE = 3 };

static const char *const steel = "thickness: 0.05, material: {young: 2.1e5, poisson: 0.3, density: 0.7085}";
static const double gap = 0.03;

/* Unit cubes, one on the other, in a room that leaves them a few hundredths on every side. */
static void press(char *text, const char *room, double g, const char *step, double end, double e, double mu)
{
  const double height = PILE + (PILE + 1) * gap;
  int n = snprintf(text, TEXT,
                   "visviva: 1\ntime: {end: %g, step: %s}\ngravity: [0, 0, %g]\ncontacts: [{restitution: %g, friction: "
                   "%g}]\nbodies:\n  room: {%s, shape: {room: {size: [%g, %g, %g]}}}\n"
                   "  pile: {kind: shell, mesh: {cube: {edge: 1, pieces: 4}}, %s, copies: [",
                   end, step, -g, e, mu, room, 1.0 + 2.0 * gap, 1.0 + 2.0 * gap, height, steel);
  for (int i = 0; i < PILE; i++)
    n += snprintf(text + n, (size_t)(TEXT - n), "%s{centre: [0, 0, %g], rotation: [0, 0, %g]}", i > 0 ? ", " : "",
                  -0.5 * height + gap + 0.5 + i * (1.0 + gap), 0.01 * (i - 1));
  snprintf(text + n, (size_t)(TEXT - n), "]}\n");
}

typedef struct watch {
  vv_sim *sim;
  double mu, lost, rubbed; /* so far */
  double nearest;          /* of a tenth of the steps */
  int64_t crossed, shrunk, cones;
} watch;

/* Every step: intersections; losses that became less; what friction gave beyond mu times what the pair got in this step. */
static vv_status look(const vv_view *view, void *user)
{
  watch *k = user;
  const vv_posted *p = &view->ledger->posted;
  const double lost = vv_sum_value(&p->restitution_loss), rubbed = vv_sum_value(&p->friction_loss);
  k->shrunk += (lost < k->lost) + (rubbed < k->rubbed);
  k->lost = lost, k->rubbed = rubbed;
  k->crossed += sheet_intersections(view->model, view->state);
  const struct vvi_contact_step *w = k->sim->step.contact;
  for (int32_t i = 0; i < w->n; i++)
    k->cones += hypot(w->contact[i].j[1], w->contact[i].j[2]) > k->mu * w->contact[i].j[0] * (1.0 + 1e-9) + 1e-18;
  if (view->state->step % 10 == 0) k->nearest = fmin(k->nearest, sheet_nearest(view->model, view->state));
  return VV_OK;
}

static double beyond_walls(const run_record *r)
{
  const vv_block *b = &r->sim->model->block[0];
  double out = -INFINITY;
  for (int64_t i = 0; i < b->nodes; i++)
    for (int c = 0; c < 3; c++) {
      const double half = c < 2 ? 0.5 + gap : 0.5 * (PILE + (PILE + 1) * gap);
      out = fmax(out, fabs(r->state->q[b->q0 + c * b->column + i]) - half);
    }
  return out;
}

static const vv_claim *claim_of(const vv_sim *sim, const char *name)
{
  const vv_claim *claim;
  const int n = vv_sim_claims(sim, &claim);
  for (int i = 0; i < n; i++)
    if (strcmp(claim[i].name, name) == 0) return &claim[i];
  fail_msg("no claim '%s'", name);
  return NULL;
}

static run_record go_within(const char *text, double mu, double loosest, watch *k)
{
  run_record r = run_prepare(text, &(run_options){.threads = 1});
  *k = (watch){.sim = r.sim, .mu = mu, .nearest = INFINITY};
  assert_int_equal(vv_sim_observe(r.sim, 1, look, k), VV_OK);
  assert_int_equal(vv_sim_steps(r.sim, vv_model_steps(r.model), &r.report), VV_OK);
  const vv_ledger *l = run_ledger(&r);
  const vvi_contact_counts *c = contact_counts(r.sim);
  print_message("  E %+.1e P %.1e L %.1e impacts %ld held %ld passes %.1f frozen %ld owed %.1e nearest %.1e\n",
                l->closure, l->max_p_drift, l->max_L_drift, (long)l->impacts, (long)l->held,
                (double)c->passes / (double)r.state->step, (long)c->frozen, contact_lent(r.sim) / l->energy_scale,
                k->nearest);
  assert_int_equal(r.report.reason, VV_REASON_DONE);
  assert_int_equal(k->crossed, 0);
  assert_int_equal(k->shrunk, 0);
  assert_int_equal(k->cones, 0);
  assert_int_equal(c->unresolved, 0);
  check_most(l->max_penetration, 0.0);
  check_most(l->max_p_drift, 1e-13);
  check_most(l->max_L_drift, loosest); /* of thousands of impulses with friction */
  check_least((double)(l->impacts + l->held), 100.0);
  check_least(k->nearest, 0.0);
  return r;
}

static run_record go(const char *text, double mu, watch *k)
{
  return go_within(text, mu, 1e-11, k);
}

/* ---- presses ---- */

/* 2000 times the weight: a fall of 0.03 m, then folding.  Nothing leaves the room. */
static void tight_rooms(void **unused)
{
  (void)unused;
  static const char *const room[2] = {"kind: obstacle", "kind: rigid, fixed: true"};
  static const double law[4][2] = {{0.0, 1.0}, {0.5, 0.3}, {0.0, 0.0}, {1.0, 1.0}};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 4; j++) {
      char text[TEXT];
      watch k;
      press(text, room[i], 2e4, "5e-5", 0.008, law[j][0], law[j][1]);
      /* friction rows of pairs that graze take a moment of rounding times their condition: 5e-12 to 3e-11 where all bounce */
      run_record r = go_within(text, law[j][1], law[j][0] < 1.0 ? 1e-11 : 1e-10, &k);
      check_most(beyond_walls(&r), 0.0);
      check_most(fabs(run_ledger(&r)->closure), 1e-3);
      assert_true(claim_of(r.sim, "penetration")->kept);
      if (law[j][0] < 1.0) assert_true(claim_of(r.sim, "debt")->kept);
      run_free(&r);
    }
}

/* The longest step that is stable in free flight: still nothing intersects, and what holds brings no energy at any step. */
static void long_steps_owe_nothing(void **unused)
{
  (void)unused;
  static const char *const step[3] = {"{safety: 0.5}", "1e-4", "2.5e-5"};
  for (int i = 0; i < 3; i++) {
    char text[TEXT];
    watch k;
    press(text, "kind: obstacle", 2e4, step[i], 0.008, 0.0, 1.0);
    run_record r = go(text, 1.0, &k);
    check_most(contact_lent(r.sim) / run_ledger(&r)->energy_scale, 1e-12);
    assert_true(claim_of(r.sim, "penetration")->kept);
    assert_true(claim_of(r.sim, "debt")->kept);
    run_free(&r);
  }
}

/* A rigid lid twelve times as heavy as a cube. */
static void heavy_lid(void **unused)
{
  (void)unused;
  char text[TEXT];
  watch k;
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 0.03, step: 5e-5}\ngravity: [0, 0, -2000]\ncontacts: [{restitution: 0, friction: "
           "1}]\nbodies:\n  room: {kind: obstacle, shape: {room: {size: [1.06, 1.06, 2.59]}}}\n"
           "  lid: {kind: rigid, shape: {box: {size: [1, 1, 0.3]}}, mass: 5, position: [0, 0, 0.955]}\n"
           "  cubes: {kind: shell, mesh: {cube: {edge: 1, pieces: 4}}, %s, copies: [{centre: [0, 0, -0.765], rotation: "
           "[0, 0, 0.01]}, {centre: [0, 0, 0.265], rotation: [0, 0, 0.02]}]}\n",
           steel);
  run_record r = go(text, 1.0, &k);
  check_most(fabs(run_ledger(&r)->closure), 1e-3);
  run_free(&r);
}

/* A cube lies on the walls of a drum that spins.  A point of the drum leaves its tangent by w^2 r h/2 in speed, towards the
 * cube: where only half kicks count, which a free drum has none of, the layer is used up. */
static void spinning_drum(void **unused)
{
  (void)unused;
  char text[TEXT];
  watch k;
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 0.02, step: 2e-5}\ncontacts: [{restitution: 0, friction: 0}]\nbodies:\n"
           "  drum: {kind: rigid, shape: {room: {size: [1.02, 1.02, 2]}}, mass: 1, spin: [0, 0, 400]}\n"
           "  cube: {kind: shell, mesh: {cube: {edge: 1, pieces: 2}}, %s, spin: [0, 0, 400]}\n",
           steel);
  run_record r = go(text, 0.0, &k);
  run_free(&r);
}

/* A plate on a slope, mu = 1 > a_x/a_z: it stays.  Friction that stops what slides at whole steps lets it creep by the half
 * kick, a_x h/2, for ever. */
static double mean_x(const run_record *r)
{
  const vv_block *b = &r->sim->model->block[0];
  double sum = 0.0;
  for (int64_t i = 0; i < b->nodes; i++) sum += r->state->q[b->q0 + i] / (double)b->nodes;
  return sum;
}

static void does_not_creep(void **unused)
{
  (void)unused;
  enum { STEPS = 400 };
  static const double h = 5e-5, a = 300.0;
  char text[TEXT];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 0.04, step: %g}\ngravity: [%g, 0, -1000]\ncontacts: [{restitution: 0, friction: "
           "1}]\nbodies:\n  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
           "  plate: {kind: shell, mesh: {rectangle: {size: [2, 2], pieces: [3, 3]}}, %s, centre: [0, 0, 1e-4]}\n",
           h, a, steel);
  run_record r = run_prepare(text, &(run_options){.threads = 1});
  vv_report report;
  assert_int_equal(vv_sim_steps(r.sim, STEPS, &report), VV_OK);
  const double x = mean_x(&r);
  assert_int_equal(vv_sim_steps(r.sim, STEPS, &report), VV_OK);
  check_most(fabs(mean_x(&r) - x), 0.01 * 0.5 * a * h * STEPS * h);
  assert_true(claim_of(r.sim, "debt")->kept);
  run_free(&r);
}

/* ---- folds ---- */

/* A tube that is pressed flat: where a fold closes by turning, the row of its four points sees no approach. */
static void folds_that_turn(void **unused)
{
  (void)unused;
  static const double mu[3] = {0.0, 0.1, 0.21};
  for (int i = 0; i < 3; i++) {
    char text[TEXT];
    watch k;
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 0.004, step: 1e-5}\ncontacts: [{restitution: 1, friction: %g}]\nbodies:\n"
             "  tube: {kind: shell, mesh: {cylinder: {radius: 0.3, height: 1, around: 16, along: 8}}, thickness: 0.01, "
             "material: {young: 2e4, poisson: 0.3, density: 0.0785}, pressure: [{value: -200}]}\n",
             mu[i]);
    run_record r = go(text, mu[i], &k);
    run_free(&r);
  }
}

/* ---- the same bits ---- */

static void any_number_of_threads(void **unused)
{
  (void)unused;
  char text[TEXT];
  press(text, "kind: rigid, fixed: true", 2e4, "1e-4", 0.01, 0.0, 1.0);
  run_record a = run_scene(text, &(run_options){.threads = 1});
  for (int threads = 2; threads <= 3; threads++) {
    run_record b = run_scene(text, &(run_options){.threads = threads});
    assert_int_equal(vv_state_hash(a.state), vv_state_hash(b.state));
    run_free(&b);
  }
  run_record b =
      run_scene(text, &(run_options){.threads = 1, .steps = 70}); /* then a new search from the state alone */
  run_record c = run_prepare(text, &(run_options){.threads = 1});
  assert_int_equal(vv_state_copy(c.state, b.state), VV_OK);
  vv_report report;
  assert_int_equal(vv_sim_steps(c.sim, 30, &report), VV_OK);
  assert_int_equal(vv_state_hash(a.state), vv_state_hash(c.state));
  run_free(&a), run_free(&b), run_free(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tight_rooms),
      cmocka_unit_test(long_steps_owe_nothing),
      cmocka_unit_test(heavy_lid),
      cmocka_unit_test(spinning_drum),
      cmocka_unit_test(does_not_creep),
      cmocka_unit_test(folds_that_turn),
      cmocka_unit_test(any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
