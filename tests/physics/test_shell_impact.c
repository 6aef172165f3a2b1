/* tests/physics/test_shell_impact.c  Shells that meet each other, themselves, floors and rods: nothing ever intersects, energy
 * is closed to the order of the step, momenta to rounding.  Small meshes; the sizes of the paper are in the validation. */
#include "check.h"

#include "geom/mesh.h"
#include "math/math.h"
#include "run.h"
#include "sheets.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 8192 };

static vv_status look(const vv_view *view, void *user)
{
  int64_t *sum = user;
  *sum += sheet_intersections(view->model, view->state);
  return VV_OK;
}

/* The least distance less the thickness, of a tenth of the steps. */
static vv_status measure(const vv_view *view, void *user)
{
  double *least = user;
  if (view->state->step % 10 == 0) *least = fmin(*least, sheet_nearest(view->model, view->state));
  return VV_OK;
}

/* ---- scenes ---- */

static const char *const steel = "thickness: 0.05, material: {young: 2.1e5, poisson: 0.3, density: 0.7085}";

static void five_cubes(char *text, double step, double end, double e, double mu, const char *more)
{
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: %g, step: %g}\ncontacts: [{restitution: %g, friction: %g%s}]\nbodies:\n"
           "  single: {kind: shell, mesh: {cube: {edge: 1, pieces: 2}}, %s, centre: [-1.1, 1.08, 1.03], "
           "rotation: [0.1, 0.12, 0.05], velocity: [30, -30, -30]}\n"
           "  group: {kind: shell, mesh: {cube: {edge: 1, pieces: 2}}, %s, velocity: [-30, 30, 30], copies: ["
           "{centre: [0, 0, 0]}, {centre: [1.05, 0, 0]}, {centre: [0, -1.05, 0]}, {centre: [0, 0, -1.05]}]}\n",
           end, step, e, mu, more, steel, steel);
}

static void two_spheres(char *text, int level, double step, double end, double offset, double e, double mu,
                        const char *contact)
{
  static const char *const ball = "thickness: 0.05, material: {young: 2.1e5, poisson: 0.3, density: 0.0785}";
  snprintf(
      text, TEXT,
      "visviva: 1\ntime: {end: %g, step: %g}\ncontacts: [{restitution: %g, friction: %g}]\nbodies:\n"
      "  left: {kind: shell, mesh: {sphere: {radius: 1, level: %d}}, %s, contact: %s, rotation: [0.3, 0.5, 0.2], "
      "velocity: [150, 0, 0]}\n"
      "  right: {kind: shell, mesh: {sphere: {radius: 1, level: %d}}, %s, contact: %s, rotation: [-0.4, 0.1, 0.7], "
      "centre: [2.1, %g, 0], velocity: [-50, 0, 0]}\n",
      end, step, e, mu, level, ball, contact, level, ball, contact, offset);
}

typedef struct outcome {
  double energy, lost;
  int64_t intersections, impacts;
} outcome;

/* Energy with losses, relative; momenta to rounding; nothing unresolved. */
static outcome go(const char *text, bool every_step, int threads)
{
  int64_t crossed = 0;
  run_record r =
      run_scene(text, &(run_options){.threads = threads, .observe = every_step ? look : NULL, .user = &crossed});
  const vv_ledger *l = run_ledger(&r);
  const vvi_contact_counts *c = contact_counts(r.sim);
  outcome o = {.energy = l->closure, .impacts = l->impacts};
  o.lost = (vv_sum_value(&l->posted.friction_loss) + vv_sum_value(&l->posted.restitution_loss)) / l->energy_scale;
  o.intersections = crossed + sheet_intersections(r.model, r.state);
  print_message("  E %+.2e lost %.2f %% P %.1e L %.1e impacts %ld held %ld passes %ld frozen %ld\n", o.energy,
                100.0 * o.lost, l->max_p_drift, l->max_L_drift, (long)l->impacts, (long)l->held, (long)c->passes,
                (long)c->frozen);
  assert_int_equal(r.report.reason, VV_REASON_DONE);
  assert_int_equal(o.intersections, 0);
  assert_int_equal(c->unresolved, 0);
  check_most(l->max_penetration, 0.0);
  check_most(l->max_p_drift, 1e-13);
  check_most(l->max_L_drift, 1e-13);
  run_free(&r);
  return o;
}

/* ---- cubes ---- */

static void cubes_never_intersect(void **unused)
{
  (void)unused;
  static const double law[4][2] = {{1, 0}, {1, 0.5}, {0.5, 0}, {0.5, 0.5}};
  char text[TEXT];
  for (int k = 0; k < 4; k++) {
    five_cubes(text, 2e-5, 0.012, law[k][0], law[k][1], "");
    const outcome o = go(text, true, 1);
    check_most(fabs(o.energy), 1e-4);
    check_least(o.impacts, 50);
    if (k == 0) check_most(fabs(o.lost), 1e-12);
    if (k > 0) check_least(o.lost, 1e-2);
  }
}

/* With their thickness, shells keep it apart; those that stand nearer at the start are refused. */
static void thick_cubes(void **unused)
{
  (void)unused;
  char text[TEXT], message[1024];
  five_cubes(text, 2e-5, 0.006, 1.0, 0.0, ", thickness: true");
  for (char *at = strstr(text, "thickness: 0.05"); at != NULL; at = strstr(text, "thickness: 0.05")) at[14] = '6';
  assert_int_equal(run_refused(text, message, sizeof message), VV_SCENE);
  assert_non_null(strstr(message, "overlap by"));
  for (char *at = strstr(text, "thickness: 0.06"); at != NULL; at = strstr(text, "thickness: 0.06")) at[14] = '4';
  double nearest = INFINITY;
  run_record r = run_scene(text, &(run_options){.threads = 1, .observe = measure, .user = &nearest});
  check_least(nearest, 0.0);
  check_most(nearest, 1e-3); /* they touched */
  check_most(fabs(run_ledger(&r)->closure), 1e-4);
  check_most(run_ledger(&r)->max_L_drift, 1e-13);
  assert_true(run_ledger(&r)->impacts > 10);
  run_free(&r);
}

/* ---- spheres ---- */

/* The paper's step on a coarse mesh, and four times as long steps: second order. */
static void energy_is_of_second_order(void **unused)
{
  (void)unused;
  char text[TEXT];
  double error[3];
  for (int k = 0; k < 3; k++) {
    two_spheres(text, 2, 5e-6 * (1 << k), 0.012, 0.0, 1.0, 0.0, "control");
    error[k] = go(text, k == 2, 1).energy;
  }
  check_most(fabs(error[0]), 1e-4);
  check_near(0.5 * log2(error[2] / error[0]), 2.0, 0.2);
}

static void friction_is_balanced(void **unused)
{
  (void)unused;
  char text[TEXT];
  double lost[3];
  for (int k = 0; k < 3; k++) {
    two_spheres(text, 2, 1e-5, 0.02, 0.5, k == 2 ? 0.5 : 1.0, 0.25 * (k + 1), "control");
    const outcome o = go(text, k == 1, 1);
    check_most(fabs(o.energy), 1e-4);
    lost[k] = o.lost;
  }
  check_least(lost[0], 0.02);
  check_most(lost[2], 0.5);
}

/* A shell that stands on the floor from the start neither sinks nor is said to: depths are those of places, not of a slack. */
static void cube_on_the_floor(void **unused)
{
  (void)unused;
  for (int k = 0; k < 2; k++) {
    char text[TEXT];
    snprintf(
        text, sizeof text,
        "visviva: 1\ntime: {end: 0.02, step: {safety: 0.4}}\ngravity: [0, 0, -9.81]\n"
        "contacts: [{restitution: %g}]\nbodies:\n  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "  cube: {kind: shell, mesh: {cube: {edge: 0.08, pieces: 3}}, thickness: 2e-3, material: {young: 2e6, density: "
        "700}, centre: [0, 0, 0.04]}\n",
        k == 0 ? 1.0 : 0.3);
    run_record r = run_scene(text, &(run_options){.threads = 1});
    assert_int_equal(r.report.reason, VV_REASON_DONE);
    check_most(run_ledger(&r)->max_penetration, 1e-15);
    check_most(run_ledger(&r)->max_closure, 0.16); /* (h omega)^2 of what sags by its own weight */
    run_free(&r);
  }
}

static void limit_surfaces_meet(void **unused)
{
  (void)unused;
  char text[TEXT];
  two_spheres(text, 2, 1e-5, 0.01, 0.5, 1.0, 0.5, "limit");
  const outcome o = go(text, false, 1);
  check_most(fabs(o.energy), 1e-4);
  check_least(o.impacts, 20);
}

/* ---- the same bits ---- */

static void any_number_of_threads(void **unused)
{
  (void)unused;
  char text[TEXT];
  five_cubes(text, 2e-5, 0.008, 0.5, 0.3, "");
  run_record a = run_scene(text, &(run_options){.threads = 1}), b = run_scene(text, &(run_options){.threads = 3});
  assert_int_equal(vv_state_hash(a.state), vv_state_hash(b.state));
  run_free(&b);
  /* half of it, then a new search from the state alone */
  b = run_scene(text, &(run_options){.threads = 1, .steps = 200});
  run_record c = run_prepare(text, &(run_options){.threads = 1});
  assert_int_equal(vv_state_copy(c.state, b.state), VV_OK);
  vv_report report;
  assert_int_equal(vv_sim_steps(c.sim, 200, &report), VV_OK);
  assert_int_equal(vv_state_hash(a.state), vv_state_hash(c.state));
  run_free(&a), run_free(&b), run_free(&c);
}

/* ---- others ---- */

/* A ball on an oblique floor: what the floor gave is booked. */
static void floors(void **unused)
{
  (void)unused;
  static const char *const floor[3] = {"plane: {normal: [0.2, 0, 1], offset: -1.1}",
                                       "sphere: {centre: [0, 0, -3], radius: 1.9}", "room: {size: [2.3, 2.3, 2.3]}"};
  for (int k = 0; k < 3; k++) {
    char text[TEXT];
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 0.02, step: 2e-5}\ncontacts: [{restitution: %g, friction: 0.4}]\nbodies:\n"
             "  floor: {kind: obstacle, shape: {%s}}\n"
             "  ball: {kind: shell, mesh: {sphere: {radius: 1, level: 2}}, thickness: 0.05, material: {young: 2.1e5, "
             "poisson: 0.3, density: 0.0785}, velocity: [30, 0, -60], spin: [0, 20, 0]}\n",
             k == 1 ? 0.7 : 1.0, floor[k]);
    run_record r = run_scene(text, &(run_options){.threads = 1});
    const vv_ledger *l = run_ledger(&r);
    check_most(fabs(l->closure), 1e-3);
    check_most(l->max_p_drift, 1e-13);
    check_most(l->max_L_drift, 1e-13);
    check_most(l->max_penetration, 0.0);
    check_least((double)l->impacts, 20.0);
    check_least(vv_sum_value(&l->posted.friction_loss), 0.0);
    run_free(&r);
  }
}

/* A rod falls across a shell; both are free. */
static void rod_and_ball(void **unused)
{
  (void)unused;
  const char *text =
      "visviva: 1\ntime: {end: 0.02, step: 1e-5}\nmethod: {step: leapfrog}\ncontacts: [{friction: 0.3}]\nbodies:\n"
      "  ball: {kind: shell, mesh: {sphere: {radius: 1, level: 2}}, thickness: 0.05, material: {young: 2.1e5, poisson: "
      "0.3, density: 0.0785}}\n"
      "  rod: {kind: beam, length: 4, elements: 24, material: {young: 2e6, poisson: 0.3, density: 1}, section: "
      "{circle: "
      "{radius: 0.05}}, position: [-2, 0.2, 1.1], axis: [1, 0, 0], velocity: [5, 0, -40]}\n";
  double nearest = INFINITY;
  run_record r = run_scene(text, &(run_options){.threads = 1, .observe = measure, .user = &nearest});
  const vv_ledger *l = run_ledger(&r);
  const vvi_contact_counts *c = contact_counts(r.sim);
  print_message("  E %+.2e P %.1e L %.1e impacts %ld nearest %.2e\n", l->closure, l->max_p_drift, l->max_L_drift,
                (long)l->impacts, nearest);
  check_least((double)l->impacts, 10.0);
  assert_int_equal(c->unresolved, 0);
  check_most(fabs(l->closure), 1e-3);
  check_most(l->max_p_drift, 1e-12);
  check_most(l->max_L_drift, 1e-12);
  check_least(nearest, 0.0);
  run_free(&r);
}

/* A ball slides over a plate with held borders: what the supports took is booked, moments too. */
static void held_plate(void **unused)
{
  (void)unused;
  char text[TEXT];
  snprintf(
      text, sizeof text,
      "visviva: 1\ntime: {end: 0.01, step: 4e-5}\ncontacts: [{restitution: 1, friction: 0.5}]\nbodies:\n"
      "  plate: {kind: shell, mesh: {rectangle: {size: [2, 2], pieces: [3, 3]}}, %s, edges: [{hold: supported}]}\n"
      "  ball: {kind: shell, mesh: {sphere: {radius: 1, level: 2}}, %s, centre: [0.7, 0.6, 1.1], rotation: [0.2, 0.1, "
      "0], velocity: [20, 0, -60]}\n",
      steel, steel);
  const outcome o = go(text, true, 1);
  check_least((double)o.impacts, 10.0);
}

/* One long step behind the top of a ball: the end of the way is inside, and leads out again. */
static void long_chord(void **unused)
{
  (void)unused;
  run_record r = run_scene("visviva: 1\ntime: {end: 0.01, step: 0.01}\nbodies:\n"
                           "  ball: {kind: obstacle, shape: {sphere: {centre: [0, 0, 0], radius: 0.5}}}\n"
                           "  seed: {kind: shell, mesh: {sphere: {radius: 0.1}}, thickness: 0.01, material: {young: 1, "
                           "density: 1}, centre: [-0.6, 0.45, 0], velocity: [70, 0, 0]}\n",
                           &(run_options){.threads = 1});
  const vv_block *b = &r.sim->model->block[0];
  const double *q = r.state->q + b->q0;
  for (int64_t i = 0; i < b->nodes; i++) check_least(hypot(hypot(q[i], q[b->column + i]), q[2 * b->column + i]), 0.5);
  check_most(run_ledger(&r)->max_penetration, 0.0);
  run_free(&r);
}

/* A plate that lies on a smooth floor and slides: it is held in every step, stays on it to the bit and keeps its speed. */
static void lies_still(void **unused)
{
  (void)unused;
  char text[TEXT];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 0.01, step: 5e-5}\ngravity: [0, 0, -2000]\nbodies:\n"
           "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
           "  plate: {kind: shell, mesh: {rectangle: {size: [2, 2], pieces: [3, 3]}}, %s, velocity: [3, 0, 0]}\n",
           steel);
  run_record r = run_scene(text, &(run_options){.threads = 1});
  const vv_block *b = &r.sim->model->block[0];
  check_least((double)run_ledger(&r)->held, 200.0);
  for (int64_t i = 0; i < b->nodes; i++) {
    check_near(r.state->q[b->q0 + 2 * b->column + i], 0.0, 1e-15);
    check_near(r.state->q[b->q0 + i] - r.initial->q[b->q0 + i], 0.03, 1e-12);
  }
  check_most(fabs(run_ledger(&r)->closure), 1e-12);
  check_most(run_ledger(&r)->max_penetration, 0.0);
  run_free(&r);
}

/* Two cubes, one on the other on a floor, thrown: neither sink into it nor into each other. */
static void piles_hold(void **unused)
{
  (void)unused;
  char text[TEXT];
  snprintf(
      text, sizeof text,
      "visviva: 1\ntime: {end: 0.02, step: 2e-5}\ngravity: [0, 0, -2000]\n"
      "contacts: [{restitution: 0.5, friction: 0.4}]\nbodies:\n"
      "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
      "  pile: {kind: shell, mesh: {cube: {edge: 1, pieces: 2}}, %s, velocity: [5, 0, -20], copies: [{centre: [0, 0, "
      "0.6]}, {centre: [0.1, 0.2, 1.65], rotation: [0, 0, 0.4]}]}\n",
      steel);
  run_record r = run_prepare(text, &(run_options){.threads = 1});
  vv_report report;
  assert_int_equal(vv_sim_steps(r.sim, 1000, &report), VV_OK);
  const vv_ledger *l = run_ledger(&r);
  const vv_block *b = &r.sim->model->block[0];
  for (int64_t i = 0; i < b->nodes; i++) check_least(r.state->q[b->q0 + 2 * b->column + i], 0.0);
  print_message("  closure %.1e P %.1e L %.1e frozen %ld\n", l->closure, l->max_p_drift, l->max_L_drift,
                (long)contact_counts(r.sim)->frozen);
  assert_int_equal(sheet_intersections(r.model, r.state), 0);
  check_least((double)(l->impacts + l->held), 100.0);
  check_most(fabs(l->closure), 1e-3);
  check_most(l->max_p_drift, 1e-12);
  check_most(l->max_L_drift, 1e-12);
  check_most(l->max_penetration, 0.0);
  run_free(&r);
}

/* A tube that is pressed flat meets itself from inside. */
static void flat_tube(void **unused)
{
  (void)unused;
  const char *text =
      "visviva: 1\ntime: {end: 0.012, step: 1e-5}\ncontacts: [{restitution: 1, friction: 0.2}]\nbodies:\n"
      "  tube: {kind: shell, mesh: {cylinder: {radius: 0.3, height: 1, around: 16, along: 8}}, thickness: "
      "0.01, material: {young: 2e4, poisson: 0.3, density: 0.0785}, pressure: [{value: -200}]}\n";
  const outcome o = go(text, true, 1);
  check_least((double)o.impacts, 10.0);
}

static void refusals(void **unused)
{
  (void)unused;
  char text[TEXT], message[1024];
  two_spheres(text, 1, 1e-6, 1e-5, 0.0, 1.0, 0.0, "control");
  char *at = strstr(text, "centre: [2.1");
  memcpy(at, "centre: [1.1", 12);
  assert_int_equal(run_refused(text, message, sizeof message), VV_SCENE);
  assert_non_null(strstr(message, "'left' and 'right' intersect at the start"));
  for (int turned = 0; turned < 2; turned++) { /* one on the other, face on face */
    snprintf(
        text, sizeof text,
        "visviva: 1\ntime: {end: 1e-4, step: 1e-5}\nbodies:\n  pile: {kind: shell, mesh: {cube: {edge: 1, pieces: 2}}, "
        "%s, copies: [{centre: [0, 0, 0]}, {centre: [0, 0, %d]}]}\n",
        steel, turned);
    assert_int_equal(run_refused(text, message, sizeof message), VV_SCENE);
    assert_non_null(strstr(message, "'pile' and 'pile' touch at the start"));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cubes_never_intersect),
      cmocka_unit_test(thick_cubes),
      cmocka_unit_test(energy_is_of_second_order),
      cmocka_unit_test(friction_is_balanced),
      cmocka_unit_test(limit_surfaces_meet),
      cmocka_unit_test(cube_on_the_floor),
      cmocka_unit_test(any_number_of_threads),
      cmocka_unit_test(floors),
      cmocka_unit_test(rod_and_ball),
      cmocka_unit_test(held_plate),
      cmocka_unit_test(long_chord),
      cmocka_unit_test(lies_still),
      cmocka_unit_test(piles_hold),
      cmocka_unit_test(flat_tube),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
