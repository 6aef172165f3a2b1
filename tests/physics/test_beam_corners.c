/* tests/physics/test_beam_corners.c  Beams with corners as prisms that meet shells, rigid bodies, each other, round beams and
 * floors in the contact of surfaces: no triangle in another, momenta to rounding, energy to the order of the step. */
#include "check.h"

#include "run.h"
#include "sheets.h"
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 8192 };

typedef struct outcome {
  double closure, most, friction, restitution;
} outcome;

static vv_status look(const vv_view *view, void *user)
{
  int64_t *sum = user;
  if (view->state->step % 10 == 0) *sum += sheet_intersections(view->model, view->state);
  return VV_OK;
}

static outcome go(const char *text, int64_t least)
{
  int64_t crossed = 0;
  run_record r = run_scene(text, &(run_options){.threads = 1, .observe = look, .user = &crossed});
  const vv_ledger *l = run_ledger(&r);
  const vvi_contact_counts *c = contact_counts(r.sim);
  const outcome out = {.closure = l->closure,
                       .most = l->max_closure,
                       .friction = vv_sum_value(&l->posted.friction_loss) / l->energy_scale,
                       .restitution = vv_sum_value(&l->posted.restitution_loss) / l->energy_scale};
  print_message(
      "  E %+.2e (most %.1e) rubbed %.4f lost %.4f P %.1e L %.1e impacts %ld held %ld passes %ld unresolved %ld\n",
      out.closure, out.most, out.friction, out.restitution, l->max_p_drift, l->max_L_drift, (long)l->impacts,
      (long)l->held, (long)c->passes, (long)c->unresolved);
  assert_int_equal(r.report.reason, VV_REASON_DONE);
  assert_int_equal(crossed, 0);
  assert_int_equal(c->unresolved, 0);
  check_least((double)l->impacts, (double)least);
  check_most(l->max_p_drift, 1e-13);
  check_most(l->max_L_drift, 1e-13);
  run_free(&r);
  return out;
}

/* ---- a ruler and others ---- */

#define RUBBER "material: {young: 2e5, poisson: 0.3, density: 0.5}"
#define RULER  "kind: beam, length: 1.5, elements: 12, section: {rectangle: {width: 0.1, height: 0.2}}, " RUBBER ", "
#define SPHERE                                                                                                   \
  "kind: shell, mesh: {sphere: {radius: 1, level: 2}}, thickness: 0.05, material: {young: 2.1e5, poisson: 0.3, " \
  "density: 0.0785}, "

static const char *const other[] = {
    SPHERE "rotation: [0.3, 0.5, 0.2]",
    "kind: rigid, shape: {ball: {radius: 0.9}}, mass: 0.05",
    "kind: rigid, shape: {box: {size: [1, 0.9, 0.8]}}, mass: 0.05, orientation: {vector: [0.4, 0.7, 0.2]}",
    "kind: beam, length: 2, elements: 12, section: {square: {side: 0.15}}, " RUBBER
    ", position: [0.8, -0.9, 0], axis: [0, 1, 0.2], normal: [1, 0, 0]",
    "kind: beam, length: 2, elements: 12, section: {circle: {radius: 0.15}}, " RUBBER
    ", position: [0.8, -0.9, 0], axis: [0, 1, 0.2], normal: [1, 0, 0]",
    "kind: beam, length: 4, elements: 16, closed: true, shape: {arc: {angle: 6.283185307179586}}, rest: shape, "
    "section: "
    "{square: {side: 0.15}}, " RUBBER ", position: [0.8, 0, 0], axis: [0, 1, 0], normal: [-1, 0, 0]",
};
enum { OTHERS = sizeof other / sizeof *other };

/* The ruler is thrown at the other, turning. */
static void thrown(char *text, int k, double step, const char *law)
{
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 0.012, step: %g}\ncontacts: [{search: general, %s}]\nbodies:\n  other: {%s}\n"
           "  ruler: {" RULER
           "position: [1.6, 0.15, -0.7], axis: [0.1, 0.1, 1], velocity: [-150, 0, 0], spin: [20, -60, "
           "90]}\n",
           step, law, other[k]);
}

static void test_pairs(void **unused)
{
  (void)unused;
  char text[TEXT];
  for (int k = 0; k < OTHERS; k++) {
    double error[2];
    print_message("%.60s\n", other[k]);
    for (int i = 0; i < 2; i++) {
      thrown(text, k, i == 0 ? 2e-5 : 1e-5, "restitution: 1");
      const outcome o = go(text, 2);
      error[i] = o.most;
      check_most(fabs(o.restitution), 1e-12);
    }
    check_least(error[0] / error[1], 2.5);
    check_most(error[0] / error[1], 7.0);
    thrown(text, k, 1e-5, "restitution: 0.6, friction: 0.4");
    const outcome rough = go(text, 2);
    check_most(fabs(rough.most), 4.0 * error[1]);
    check_least(rough.friction, 1e-4);
    check_least(rough.restitution, 1e-4);
  }
}

/* ---- ends that are held, floors ---- */

/* A ball falls on the end of a clamped beam: what the clamp takes is booked. */
static void test_clamped(void **unused)
{
  (void)unused;
  char text[TEXT];
  for (int k = 0; k < 2; k++) {
    snprintf(
        text, sizeof text,
        "visviva: 1\ntime: {end: 0.02, step: 1e-5}\ngravity: [0, 0, -10]\ncontacts: [{restitution: %g, friction: "
        "%g}]\nbodies:\n"
        "  board: {" RULER "position: [0, 0, 0], axis: [1, 0, 0], ends: {first: clamped}}\n"
        "  ball: {kind: rigid, shape: {ball: {radius: 0.2}}, mass: 0.01, position: [0.2, 0.02, 0.34], velocity: [5, 0, "
        "-40]}\n",
        k == 0 ? 1.0 : 0.5, k == 0 ? 0.0 : 0.5);
    check_most(go(text, 1).most, 1e-3);
  }
}

/* A ruler thrown on a floor: as a prism at whole steps, or node by node at contact times.  The first impact is the same bounce
 * of a corner. */
static void test_floor(void **unused)
{
  (void)unused;
  char text[TEXT];
  vv_event first[2];
  for (int k = 0; k < 2; k++) {
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 0.02, step: 1e-5}\nmethod: {step: %s}\nbodies:\n"
             "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
             "  ruler: {" RULER
             "position: [0, 0, 0.6], axis: [1, 0.2, 0.1], velocity: [0, 0, -60], spin: [20, -60, 90]}\n",
             k == 0 ? "leapfrog" : "event");
    if (k == 0) check_most(go(text, 2).most, 1e-3);
    run_record r = run_scene(text, NULL);
    assert_int_equal(r.model->sheets != NULL, k == 0);
    assert_true(r.n_event > 0);
    first[k] = r.event[0];
    check_most(run_ledger(&r)->max_penetration, 0.0);
    run_free(&r);
  }
  check_near(first[0].time, first[1].time, 1e-3 / 60.0 * 10.0);
  check_near(first[0].normal_speed, first[1].normal_speed, 1e-2 * fabs(first[1].normal_speed));
  check_near(first[0].normal_impulse, first[1].normal_impulse, 1e-2 * fabs(first[1].normal_impulse));
}

/* Threads and a new search change no bit. */
static void test_bits(void **unused)
{
  (void)unused;
  char text[TEXT];
  thrown(text, 0, 2e-5, "restitution: 0.8, friction: 0.2");
  run_record a = run_scene(text, &(run_options){.threads = 1}), b = run_scene(text, &(run_options){.threads = 3});
  assert_int_equal(vv_state_hash(a.state), vv_state_hash(b.state));
  run_free(&b);
  b = run_scene(text, &(run_options){.threads = 1, .steps = 250});
  run_record c = run_prepare(text, &(run_options){.threads = 1});
  assert_int_equal(vv_state_copy(c.state, b.state), VV_OK);
  vv_report report;
  assert_int_equal(vv_sim_steps(c.sim, 350, &report), VV_OK);
  assert_int_equal(vv_state_hash(a.state), vv_state_hash(c.state));
  run_free(&a), run_free(&b), run_free(&c);
}

/* ---- a rope with corners and itself ---- */

enum { COIL = 60, SIDES = 4 };
static const double HALF = 0.01;

/* The prism of the only body, made here from its frames: intersections of its faces, neighbours left out. */
static vv_status look_at_itself(const vv_view *view, void *user)
{
  static const double sign[SIDES][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  const vv_block *b = &view->model->block[view->model->body[0].block];
  vv_mover mover[COIL + 1];
  double x[3 * SIDES * (COIL + 1)];
  int triangle[3 * 2 * SIDES * COIL], n = 0, pair[2];
  if (view->state->step % 20 != 0) return VV_OK;
  b->kind->movers(b, view->state->q + b->q0, view->state->p + b->p0, mover);
  for (int i = 0; i < SIDES * (COIL + 1); i++)
    for (int c = 0; c < 3; c++) {
      const double *turn = mover[i / SIDES].turn + 3 * c, *s = sign[i % SIDES];
      x[3 * i + c] = mover[i / SIDES].place[c] + HALF * (s[0] * turn[0] + s[1] * turn[1]);
    }
  for (int i = 0; i < COIL; i++)
    for (int k = 0; k < SIDES; k++) {
      const int l = (k + 1) % SIDES, corner[6] = {SIDES * i + k, SIDES * i + l,       SIDES * (i + 1) + l,
                                                  SIDES * i + k, SIDES * (i + 1) + l, SIDES * (i + 1) + k};
      memcpy(triangle + n, corner, sizeof corner), n += 6;
    }
  *(int64_t *)user += vvi_mesh_intersections(x, n / 3, triangle, NULL, true, 0.0, pair);
  return VV_OK;
}

static void coil(char *text, const char *contact, const char *pitch)
{
  snprintf(
      text, TEXT,
      "visviva: 1\ntime: {end: 0.12, step: {safety: 0.3}}\nmethod: {step: leapfrog}\n%s\nbodies:\n"
      "  rope: {kind: beam, length: 1.2, elements: %d, material: {young: 1e5, density: 1000}, section: {rectangle: "
      "{width: 0.02, height: 0.02}}, shape: {helix: {radius: 0.07, pitch: %s}}, rest: shape, axis: [1, 0, 0.1], "
      "normal: [0, 1, 0], velocity_profile: [{at: [0, 1], factor: [1, -1], direction: [0, 0, 1.5]}]}\n",
      contact, COIL, pitch);
}

/* Turns of a coil that is pressed together meet where a line says so, and pass through each other where none does. */
static void test_itself(void **unused)
{
  (void)unused;
  static const char *const contact[] = {"contacts: [{self: true}]",
                                        "contacts: [{between: [rope], restitution: 0.5, friction: 0.3}]", ""};
  char text[TEXT], message[1024];
  for (int i = 0; i < 3; i++) {
    int64_t crossed = 0;
    coil(text, contact[i], "0.04");
    run_record r = run_scene(text, &(run_options){.threads = 1, .observe = look_at_itself, .user = &crossed});
    const vv_ledger *l = run_ledger(&r);
    print_message("  coil: %ld impacts, %ld held, closure %.1e, P %.1e, L %.1e, crossed %ld\n", (long)l->impacts,
                  (long)l->held, l->max_closure, l->max_p_drift, l->max_L_drift, (long)crossed);
    assert_int_equal(r.report.reason, VV_REASON_DONE);
    assert_int_equal(crossed > 0, i == 2);
    if (i < 2) check_least((double)l->impacts, 20);
    check_most(l->max_penetration, 0.0);
    check_most(l->max_p_drift, 1e-12);
    check_most(l->max_L_drift, 1e-12);
    check_most(l->max_closure, 2e-2);
    run_free(&r);
  }
  coil(text, contact[0], "0.015");
  assert_int_equal(run_refused(text, message, sizeof message), VV_SCENE);
  assert_non_null(strstr(message, "intersects itself at the start"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pairs), cmocka_unit_test(test_clamped), cmocka_unit_test(test_floor),
      cmocka_unit_test(test_bits),  cmocka_unit_test(test_itself),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
