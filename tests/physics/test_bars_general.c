/* tests/physics/test_bars_general.c  Tips of bars in the contact of surfaces (`search: general`): the two-bar impacts by waves
 * and by the pairs along a line, walls, drives, plates, beams; momenta and energies with guides, supports and drives booked. */
#include "check.h"

#include "cases.h"
#include "run.h"
#include "sheets.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 8192 };

/* ---- two bars ---- */

typedef struct impact {
  double velocity[2]; /* mean, at the end */
  double first, last; /* impulses */
  double closure, momentum, gap;
  int64_t impulses;
} impact;

static double mean_velocity(const run_record *r, int side)
{
  const vv_body *body = &r->model->body[side];
  const vv_block *b = &r->model->block[body->block];
  const double *p = r->state->p + b->p0;
  double momentum = 0.0, mass = 0.0;
  for (int64_t i = body->node0; i < body->node0 + body->n_node; i++) momentum += p[i], mass += b->node_real[i];
  return momentum / mass;
}

/* Smallest gap between the last node of the first bar and the first of the second, on the x axis. */
static vv_status watch_gap(const vv_view *view, void *user)
{
  const vv_body *left = &view->model->body[0], *right = &view->model->body[1];
  const vv_block *b = &view->model->block[left->block];
  const vv_point pt[2] = {{.patch = left->patch0 + 1}, {.patch = right->patch0}};
  double x[6], *least = user;
  b->kind->surface(b, view->state->q + b->q0, 2, pt, x);
  *least = fmin(*least, x[3] - x[0]);
  return VV_OK;
}

static impact meet(const cases_def *def)
{
  char text[CASES_TEXT_SZ];
  impact out = {.gap = INFINITY, .first = INFINITY};
  assert_true(cases_scene(def, text, sizeof text));
  run_record r = run_scene(text, &(run_options){.threads = 1, .observe = watch_gap, .user = &out.gap});
  const vv_ledger *l = run_ledger(&r);
  for (int side = 0; side < 2; side++) out.velocity[side] = mean_velocity(&r, side);
  for (int64_t i = 0; i < r.n_event; i++) {
    if (strcmp(r.event[i].kind, "bounce") != 0) continue;
    out.first = fmin(out.first, r.event[i].time), out.last = r.event[i].time;
    out.impulses++;
  }
  out.closure = l->max_closure, out.momentum = l->max_p_drift;
  run_free(&r);
  return out;
}

static cases_def case_of(int number, const char *contact, int finer)
{
  return (cases_def){.number = number,
                     .step = "leapfrog",
                     .jump = "auto",
                     .contact = contact,
                     .end = 30,
                     .dt = CASES_DT / finer,
                     .elements = {finer * cases_elements(number, 0), finer * cases_elements(number, 1)}};
}

/* The energy that the step keeps is kept to rounding by every impulse.  Means are those of the waves but for a bounce of a tip
 * more or less, 2 m_tip/M = l/L; so are those of the pairs along the line.  The contact begins at most a step and the layer
 * early, and ends with the wave, smeared over some elements. */
static void test_cases(void **unused)
{
  (void)unused;
  for (int number = 1; number <= CASES_COUNT; number++) {
    const cases_row *row = cases_row_of(number);
    const double speed = row->velocity[0] - row->velocity[1];
    wave_bars w;
    for (int finer = 1; finer <= 2; finer++) {
      const cases_def line = case_of(number, NULL, finer), general = case_of(number, ", search: general", finer);
      const impact a = meet(&line), b = meet(&general);
      assert_true(cases_wave(&general, &w));
      double off[2] = {0, 0};
      for (int side = 0; side < 2; side++) {
        const double exact = wave_mean_velocity(&w, side == 0 ? WAVE_A : WAVE_B, 29.9);
        off[0] = fmax(off[0], fabs(a.velocity[side] - exact) / speed);
        off[1] = fmax(off[1], fabs(b.velocity[side] - exact) / speed);
      }
      print_message(
          "case %d x%d: off %.5f (line %.5f) contact %.3f to %.3f (line %.3f to %.3f; waves to %.3f) E %.1e P %.1e gap "
          "%.1e impulses %ld (%ld)\n",
          number, finer, off[1], off[0], b.first, b.last, a.first, a.last, wave_release(&w), b.closure, b.momentum,
          b.gap, (long)b.impulses, (long)a.impulses);
      check_most(b.closure, 1e-12);
      check_most(b.momentum, 1e-13);
      check_least(b.gap, 0.0);
      check_most(off[1], 0.02 / finer);
      check_most(fabs(off[1] - off[0]), 0.02 / finer);
      check_most(b.first, CASES_TOUCH);
      check_least(b.first, CASES_TOUCH - CASES_DT / finer - 1e-2 * row->element[0] / finer / speed - 1e-12);
      check_near(b.last, wave_release(&w), 1.0 / finer);
    }
  }
}

/* Bars that touch at the start, on a skew line; the last has restitution: what is lost is booked, and little, since only tips
 * lose. */
static void test_touching(void **unused)
{
  (void)unused;
  static const double restitution[3] = {1.0, 0.5, 0.0};
  for (int k = 0; k < 3; k++) {
    char text[TEXT];
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 25, step: 0.02}\nmethod: {step: leapfrog}\n"
             "contacts: [{restitution: %g, search: general}]\nbodies:\n"
             "  a: {kind: bar, tips: {first: lumped}, length: 10, elements: 100, material: {young: 1, density: 1}, "
             "section: {area: 1}, axis: "
             "[1, 2, -2], origin: [3, 1, 0.5], position: -10, velocity: 0.1}\n"
             "  b: {kind: bar, tips: {first: lumped}, length: 10, elements: 100, material: {young: 1, density: 1}, "
             "section: {area: 1}, axis: "
             "[1, 2, -2], origin: [3, 1, 0.5], position: 0, velocity: -0.1}\n",
             restitution[k]);
    run_record r = run_scene(text, NULL);
    const vv_ledger *l = run_ledger(&r);
    const double lost = vv_sum_value(&l->posted.restitution_loss) / l->energy_scale, v = mean_velocity(&r, 0);
    print_message("  e %g: v %.5f lost %.2e E %.1e P %.1e L %.1e depth %.1e\n", restitution[k], v, lost, l->max_closure,
                  l->max_p_drift, l->max_L_drift, l->max_penetration);
    check_most(l->max_closure, 1e-12);
    check_most(l->max_p_drift, 1e-13);
    check_most(l->max_L_drift, 1e-13);
    check_most(l->max_penetration, 1e-12);
    check_near(v, -0.1, 2e-3);
    check_most(fabs(lost), k == 0 ? 0.0 : 0.02);
    if (k > 0) check_least(lost, 1e-4);
    run_free(&r);
  }
}

/* ---- what is fixed, and what is driven ---- */

typedef struct books {
  double closure, most, momentum, spin, depth, friction;
  int64_t impacts;
} books;

static books keep(const char *text, int64_t least)
{
  run_record r = run_scene(text, NULL);
  const vv_ledger *l = run_ledger(&r);
  assert_non_null(r.model->sheets);
  const vvi_contact_counts *c = contact_counts(r.sim);
  const books b = {.closure = l->closure,
                   .most = l->max_closure,
                   .momentum = l->max_p_drift,
                   .spin = l->max_L_drift,
                   .depth = l->max_penetration,
                   .friction = vv_sum_value(&l->posted.friction_loss) / l->energy_scale,
                   .impacts = l->impacts};
  print_message("  E %+.2e (most %.1e) rubbed %.3f P %.1e L %.1e impacts %ld held %ld passes %ld depth %.1e\n",
                b.closure, b.most, b.friction, b.momentum, b.spin, (long)l->impacts, (long)l->held, (long)c->passes,
                b.depth);
  assert_int_equal(r.report.reason, VV_REASON_DONE);
  assert_int_equal(c->unresolved, 0);
  check_least((double)b.impacts, (double)least);
  check_most(b.momentum, 1e-13);
  check_most(b.spin, 1e-13);
  check_most(b.depth, 0.0);
  run_free(&r);
  return b;
}

#define ROD "kind: bar, length: 10, elements: 50, material: {young: 1, density: 1}, section: {area: 1}, "

/* A wall across the line returns a bar; an oblique one, a ball, a pipe leave the rest to the guide.  With restitution 1 the
 * normal speed comes back whole, and on a guide, with one freedom, so does all of it: friction has nothing to take. */
static void test_walls(void **unused)
{
  (void)unused;
  static const char *const shape[] = {"plane: {normal: [-1, 0, 0]}", "plane: {normal: [-1, 0.5, 0.2]}",
                                      "sphere: {centre: [1, 0.3, 0], radius: 1}",
                                      "cylinder: {centre: [1, 0.3, 0], axis: [0, 0, 1], radius: 1}"};
  for (size_t k = 0; k < sizeof shape / sizeof *shape; k++)
    for (int rough = 0; rough < 2; rough++) {
      char text[TEXT];
      snprintf(text, sizeof text,
               "visviva: 1\ntime: {end: 30, step: 0.02}\ncontacts: [{search: general, friction: %g}]\nbodies:\n"
               "  a: {" ROD
               "origin: [0, 0.1, 0.2], position: -10.02, velocity: 0.1}\n  w: {kind: obstacle, shape: {%s}}\n",
               rough ? 0.2 : 0.0, shape[k]);
      const books b = keep(text, 10);
      check_most(b.most, 1e-12);
      if (k == 0) {
        run_record r = run_scene(text, NULL);
        check_near(mean_velocity(&r, 0), -0.1, 2e-3); /* a bounce of the tip: l/L */
        check_near(r.event[r.n_event - 1].time, 20.2, 1.0);
        check_most(fabs(b.friction), 0.0);
        run_free(&r);
      } else if (rough) {
        check_most(fabs(b.friction), 1e-12);
      }
    }
}

#define TURNED "kind: bar, length: 1, elements: 10, material: {young: 1, density: 1}, section: {area: 1}, "

/* A scene that is turned is the same scene.  Bars on oblique axes, with gaps that steps divide and others: impulses by row of the log,
 * and the velocities at the end, are those of the x axis. */
static void test_turned(void **unused)
{
  (void)unused;
  static const double start[] = {-1.05, -1.0437, -1.0};
  for (int k = 0; k < VV_COUNT(start); k++) {
    double velocity[2] = {0.0, 0.0};
    int64_t impacts = 0;
    for (int turn = 0; turn < 20; turn++) {
      char text[TEXT];
      double axis[3] = {1.0, 0.0, 0.0};
      if (turn > 0) axis[0] = sin(1.7 * turn + 0.3), axis[1] = cos(2.3 * turn), axis[2] = sin(3.1 * turn + 1.0);
      snprintf(
          text, sizeof text,
          "visviva: 1\ntime: {end: 4, step: {safety: 0.5}}\nmethod: {step: leapfrog}\ncontacts: [{search: general}]\n"
          "bodies:\n  a: {" TURNED "position: %.17g, velocity: 0.1, axis: [%.17g, %.17g, %.17g]}\n"
          "  b: {" TURNED "position: 0, velocity: -0.1, axis: [%.17g, %.17g, %.17g]}\n",
          start[k], axis[0], axis[1], axis[2], axis[0], axis[1], axis[2]);
      run_record r = run_scene(text, NULL);
      if (turn == 0) {
        impacts = run_ledger(&r)->impacts;
        for (int i = 0; i < 2; i++) velocity[i] = mean_velocity(&r, i);
        assert_true(impacts > 1 && velocity[0] < -0.08 &&
                    velocity[1] > 0.08); /* they have exchanged their velocities */
      }
      check_near((double)run_ledger(&r)->impacts, (double)impacts, 1.0); /* one of them may fall on the end of a step */
      for (int i = 0; i < 2; i++) check_near(mean_velocity(&r, i), velocity[i], 5e-3);
      check_most(run_ledger(&r)->max_closure, 1e-12);
      check_most(fmax(run_ledger(&r)->max_p_drift, run_ledger(&r)->max_L_drift), 1e-13);
      run_free(&r);
    }
  }
}

/* The driven end of one bar pushes the other: the work of the drive is booked. */
static void test_drive(void **unused)
{
  (void)unused;
  char text[TEXT];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 30, step: 0.02}\ncontacts: [{search: general}]\nbodies:\n"
           "  a: {" ROD "position: -10.02, ends: {last: driven}, drives: [{end: last, displacement: 2, history: {ramp: "
           "{duration: 20}}}]}\n"
           "  b: {" ROD "position: 0}\n");
  const books b = keep(text, 10);
  check_most(b.most, 1e-12);
  run_record r = run_scene(text, NULL);
  const double v = mean_velocity(&r, 1), work = vv_sum_value(&run_ledger(&r)->posted.external_work);
  print_message("  v %.4f work %.5f\n", v, work);
  check_near(v, 0.2, 4e-3); /* a wall at 0.1 returns a bar at rest with 0.2 */
  check_least(work, 0.5 * 10 * 0.04);
  run_free(&r);
}

/* A bar on an oblique guide meets a wall without restitution: the tip stops, in one impact, and what it had is lost: m v^2/2 of
 * its lumped mass. */
static void test_guided_stick(void **unused)
{
  (void)unused;
  run_record r = run_prepare("visviva: 1\ntime: {end: 1, step: 0.01}\nmethod: {step: leapfrog}\n"
                             "contacts: [{search: general, friction: 3, restitution: 0}]\nbodies:\n"
                             "  wall: {kind: obstacle, shape: {plane: {normal: [0, 0, -1]}}}\n"
                             "  bar: {kind: bar, length: 1, elements: 10, material: {young: 1, density: 1}, section: "
                             "{area: 1}, axis: [1, 0, 1], position: -1.005, velocity: 1}\n",
                             NULL);
  vv_report report;
  double lost = 0.0;
  for (int k = 0; k < 50 && lost == 0.0; k++) {
    assert_int_equal(vv_sim_steps(r.sim, 1, &report), VV_OK);
    lost = vv_sum_value(&run_ledger(&r)->posted.friction_loss) + vv_sum_value(&run_ledger(&r)->posted.restitution_loss);
  }
  check_near(lost, 0.5 * 0.05, 1e-12);
  run_free(&r);
}

/* ---- shells and beams ---- */

#define SKIN   "thickness: 0.05, material: {young: 2.1e5, poisson: 0.3, density: 0.0785}"
#define NEEDLE "kind: bar, length: 1, elements: 20, material: {young: 2e4, density: 1}, section: {area: 0.02}, "

static void plate_text(char *text, double step, const char *law)
{
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 0.02, step: %g}\ncontacts: [{%s}]\nbodies:\n"
           "  plate: {kind: shell, mesh: {rectangle: {size: [2, 2], pieces: [8, 8]}}, edges: [{hold: supported}], " SKIN
           "}\n"
           "  rod: {" NEEDLE "axis: [0.1, 0.2, 1], origin: [0.07, 0.03, 0], position: -1.01, velocity: 20}\n",
           step, law);
}

/* A rod meets a plate whose border is supported: guide and supports are booked; the energy is of second order. */
static void test_plate(void **unused)
{
  (void)unused;
  char text[TEXT];
  double error[3];
  for (int k = 0; k < 3; k++) {
    plate_text(text, 4e-5 / (1 << k), "restitution: 1");
    error[k] = keep(text, 5).most;
  }
  for (int k = 0; k < 2; k++) {
    check_least(error[k] / error[k + 1], 3.0);
    check_most(error[k] / error[k + 1], 6.0);
  }
  plate_text(text, 2e-5, "restitution: 0.5, friction: 0.4");
  const books rough = keep(text, 5);
  check_most(rough.most, 4.0 * error[1]);
  check_least(rough.friction, 1e-4);
}

/* Free shell, rigid ball, round beam, beam with corners and two bars in a row: every kind meets the bars. */
static void mixed_text(char *text, double step, double e, double mu)
{
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 0.03, step: %g}\ncontacts: [{restitution: %g, friction: %g}]\nbodies:\n"
           "  sphere: {kind: shell, mesh: {sphere: {radius: 0.5, level: 1}}, " SKIN
           ", centre: [0, 0, 0.6], velocity: [0, 0, -5]}\n"
           "  rod: {" NEEDLE "axis: [0, 0, 1], origin: [0.05, 0.03, 0], position: -1, velocity: 10}\n"
           "  next: {" NEEDLE "axis: [0, 0, 1], origin: [0.05, 0.03, 0], position: -2.05, velocity: 20}\n"
           "  lath: {kind: beam, length: 1, elements: 8, section: {rectangle: {width: 0.1, height: 0.05}}, material: "
           "{young: 2e5, "
           "poisson: 0.3, density: 2}, position: [-0.4, 0, -2.2], axis: [1, 0, 0.1], velocity: [0, 0, 12]}\n"
           "  cane: {kind: beam, length: 1, elements: 8, section: {circle: {radius: 0.05}}, material: {young: 2e5, "
           "poisson: 0.3, density: 2}, position: [-0.4, 0.05, 1.3], axis: [1, 0, 0.1], velocity: [0, 0, -30]}\n"
           "  pin: {" NEEDLE "axis: [0, 0, 1], origin: [0.3, 0.06, 0], position: 1.55, velocity: -25}\n"
           "  ball: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 0.02, position: [0.3, 0.05, 2.75], velocity: [0, "
           "0, -20]}\n",
           step, e, mu);
}

static void test_mixed(void **unused)
{
  (void)unused;
  char text[TEXT];
  double error[2];
  for (int k = 0; k < 2; k++) {
    mixed_text(text, k == 0 ? 2e-5 : 1e-5, 1.0, 0.0);
    error[k] = keep(text, 20).most;
  }
  check_least(error[0] / error[1], 2.5);
  mixed_text(text, 1e-5, 0.6, 0.3);
  check_most(keep(text, 20).most, 4.0 * error[1]);
}

/* Threads and a new search change no bit. */
static void test_bits(void **unused)
{
  (void)unused;
  char text[TEXT];
  mixed_text(text, 2e-5, 0.8, 0.2);
  run_record a = run_scene(text, &(run_options){.threads = 1}), b = run_scene(text, &(run_options){.threads = 3});
  assert_int_equal(vv_state_hash(a.state), vv_state_hash(b.state));
  run_free(&b);
  b = run_scene(text, &(run_options){.threads = 1, .steps = 733});
  run_record c = run_prepare(text, &(run_options){.threads = 2});
  assert_int_equal(vv_state_copy(c.state, b.state), VV_OK);
  vv_report report;
  assert_int_equal(vv_sim_steps(c.sim, 1500 - 733, &report), VV_OK);
  assert_int_equal(vv_state_hash(a.state), vv_state_hash(c.state));
  run_free(&a), run_free(&b), run_free(&c);
}

/* ---- words ---- */

static void refused(const char *method, const char *contact, const char *tips, const char *wanted)
{
  char text[TEXT], message[1024];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1, step: 0.01}\nmethod: {step: %s}\ncontacts: [{%s}]\nbodies:\n"
           "  a: {" ROD "position: -10.1, tips: {last: %s}}\n  b: {" ROD "position: 0}\n",
           method, contact, tips);
  const vv_status status = run_refused(text, message, sizeof message);
  if (wanted == NULL) {
    assert_int_equal(status, VV_OK);
  } else {
    assert_int_equal(status, VV_SCENE);
    if (strstr(message, wanted) == NULL) fail_msg("says: %s", message);
  }
}

static void test_words(void **unused)
{
  (void)unused;
  refused("auto", "search: general, response: dcr", "lumped", NULL);
  refused("event", "search: general", "lumped", "whole steps");
  refused("leapfrog", "search: general, projection: kept", "lumped", "anticipate");
  refused("leapfrog", "search: general", "split", "massless tips cannot");
  refused("leapfrog", "projection: kept", "lumped", NULL);
}

/* ---- the side of a bar ---- */

#define BAR "kind: bar, length: 1, elements: 20, material: {young: 1e6, density: 1000}, section: {area: 1e-4}, "

static void side(const char *other, vv_status wanted, const char *says)
{
  char text[TEXT], message[2048];
  snprintf(
      text, sizeof text,
      "visviva: 1\ntime: {end: 0.2, step: 1e-4}\nmethod: {step: leapfrog}\ncontacts: [{search: general}]\nbodies:\n"
      "  b: {" BAR "axis: [1, 0, 0]}\n  o: {%s}\n",
      other);
  const vv_status status = run_refused(text, message, sizeof message);
  if (status != wanted || (says == NULL ? strstr(message, "side") != NULL : strstr(message, says) == NULL))
    fail_msg("%s: %d, says: %s", other, (int)status, message);
}

/* What lies across a bar is refused, what comes upon its side is told, what meets an end, or passes by, is not. */
static void test_sides(void **unused)
{
  (void)unused;
  static const char ball[] = "kind: rigid, shape: {ball: {radius: 0.05}}, mass: 0.1, ";
  static const char rod[] =
      "kind: beam, length: 1, elements: 8, material: {young: 1e6, density: 1000}, section: {circle: "
      "{radius: 0.02}}, axis: [0, 1, 0], normal: [0, 0, 1], ";
  static const char plate[] = "kind: shell, mesh: {rectangle: {size: [0.3, 0.3], pieces: [4, 4]}}, thickness: 1e-3, "
                              "material: {young: 1e7, poisson: 0.3, density: 1000}, ";
  char other[1024];
  const struct {
    const char *body, *place;
    vv_status status;
    const char *says;
  } list[] = {
      {ball, "position: [0.5, 0, 0.03]", VV_SCENE, "'o' lies across 'b' at the start"},
      {ball, "position: [0.5, 0, 1], velocity: [0, 0, -10]", VV_OK, "'o' comes upon the side of 'b' at 0.095 s"},
      {ball, "position: [0.5, 0, 1], velocity: [0, 0, -2]", VV_OK, NULL},    /* too late */
      {ball, "position: [0.5, 0.2, 1], velocity: [0, 0, -10]", VV_OK, NULL}, /* beside it */
      {ball, "position: [2, 0, 0], velocity: [-10, 0, 0]", VV_OK, NULL},     /* on its end */
      {rod, "position: [0.5, -0.5, 0.01]", VV_SCENE, "'o' lies across 'b' at the start"},
      {rod, "position: [0.5, -0.5, 1], velocity: [0, 0, -10]", VV_OK, "comes upon the side of 'b'"},
      {plate, "centre: [0.5, 0, 0.3], velocity: [0, 0, -10]", VV_OK, "comes upon the side of 'b'"},
      {plate, "centre: [0.5, 0, 0], rotation: [0, 1.5, 0]", VV_SCENE, "'o' lies across 'b' at the start"},
      {BAR, "axis: [0, 1, 0], origin: [0.5, -0.5, 0]", VV_SCENE, "lies across"},
      {BAR, "axis: [0, 1, 0], origin: [0.5, -0.5, 0.01]", VV_OK, NULL},
      {"kind: obstacle, ", "shape: {sphere: {centre: [0.5, 0, 0.05], radius: 0.1}}", VV_SCENE, "lies across"},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    snprintf(other, sizeof other, "%s%s", list[i].body, list[i].place);
    side(other, list[i].status, list[i].says);
  }
}

/* What reaches a side after other impacts is told when it is inside: the claim breaks by as much as there is, at the time at which
 * it is as deep as it gets.  A ball on a string of impacts, one led across, two bars on lines that cross, a plate. */
static void test_sides_later(void **unused)
{
  (void)unused;
#define BALL "kind: rigid, shape: {ball: {radius: 0.05}}, mass: 0.1, "
  const struct {
    const char *bodies;
    double depth, when; /* 0: nothing is inside */
  } list[] = {
      /* 6 m/s over 0.2 m to the other ball, which takes all of it over 0.3 m */
      {"o: {" BALL "position: [0.5, 0, 0.3]}, p: {" BALL "position: [0.5, 0, 0.6], velocity: [0, 0, -6]}", 0.05,
       0.5 / 6.0},
      {"o: {" BALL "position: [0.5, 0.051, 0.3]}, p: {" BALL "position: [0.5, 0.051, 0.6], velocity: [0, 0, -6]}", 0.0,
       0.0},
      {"o: {" BALL "position: [0.5, 0, 0.3], motion: {velocity: [0, 0, -2]}}", 0.05, 0.15},
      {"o: {" BAR "axis: [0, 1, 0], origin: [0.5, -1.1, 0], velocity: 1}", 0.98, 0.11},
      {"o: {" BAR "axis: [0, 1, 0], origin: [0.5, -1.1, 1e-3], velocity: 1}", 0.0, 0.0},
      {"o: {kind: shell, mesh: {rectangle: {size: [0.3, 0.3], pieces: [4, 4]}}, thickness: 1e-3, material: {young: "
       "1e7, "
       "poisson: 0.3, density: 1000}, centre: [0.5, 0, 0.3], velocity: [0, 0, -3]}",
       0.15 * 1.4142135623730951, 0.1},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    char text[TEXT];
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 0.2, step: 1e-4}\nmethod: {step: leapfrog}\ncontacts: [{search: general}]\n"
             "bodies: {b: {" BAR "axis: [1, 0, 0]}, %s}\n",
             list[i].bodies);
    run_record r = run_scene(text, &(run_options){.threads = 1});
    const vv_ledger *l = run_ledger(&r);
    const vv_claim *claim;
    const int n = vv_sim_claims(r.sim, &claim);
    int k = 0;
    while (k < n && strcmp(claim[k].name, "penetration") != 0) k++;
    const bool kept = k == n || claim[k].kept; /* no claim: nothing can touch */
    if (kept != (list[i].depth == 0.0))
      fail_msg("%s: %s, %g", list[i].bodies, kept ? "kept" : "broken", l->max_penetration);
    check_near(l->max_penetration, list[i].depth, 0.01 * list[i].depth);
    if (list[i].depth > 0.0) check_near(claim[k].when, list[i].when, 0.02);
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cases), cmocka_unit_test(test_touching),    cmocka_unit_test(test_walls),
      cmocka_unit_test(test_drive), cmocka_unit_test(test_plate),       cmocka_unit_test(test_guided_stick),
      cmocka_unit_test(test_mixed), cmocka_unit_test(test_bits),        cmocka_unit_test(test_words),
      cmocka_unit_test(test_sides), cmocka_unit_test(test_sides_later), cmocka_unit_test(test_turned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
