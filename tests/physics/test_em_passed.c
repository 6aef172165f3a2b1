/* tests/physics/test_em_passed.c  Energy-momentum steps in which bodies fly much farther than they are thick: nothing passes through
 * anything, and what only flies past is left alone.  Judged from where bodies are, by the laws of impact. */
#include "check.h"
#include "run.h"

#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TEXT = 4096 };

static void scene(char *text, const char *bodies, double dt, double end)
{
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: %.17g, step: %.17g}\nmethod: {step: energy-momentum}\nbodies:\n%scontacts: "
           "[{restitution: 1, self: false, thickness: true}]\n",
           end, dt, bodies);
}

/* The first body flies along z at 53 m/s, from z = -0.5 or so; the second is about z = 0, thin, and much heavier or fixed. */
#define FLYING "velocity: [0, 0, 53]"
#define LIGHT  "material: {young: 2e8, density: 1000}"
#define BALL \
  "  one: {kind: rigid, shape: {ball: {radius: 0.01}}, density: 1000, position: [0.01, 0.002, -0.5], " FLYING "}\n"
#define BRICK_AT(y)                                                                                        \
  "  one: {kind: rigid, shape: {box: {size: [0.01, 0.03, 0.02]}}, density: 1000, position: [0.01, " y ", " \
  "-0.5], " FLYING ", spin: [30, 20, 10]}\n"
#define BRICK BRICK_AT("0.002")
#define SLAB                                                                                              \
  "  one: {kind: rigid, shape: {box: {size: [0.3, 0.3, 0.001]}}, density: 1000, position: [0.01, 0.002, " \
  "-0.5], " FLYING "}\n"
#define ROUND                                                                                                     \
  "  one: {kind: beam, length: 0.2, elements: 4, " LIGHT ", section: {circle: {radius: 0.01}}, axis: [0, 1, 0], " \
  "normal: [0, 0, 1], position: [0.01, -0.1, -0.5], " FLYING "}\n"
#define SQUARE                                                                                                    \
  "  one: {kind: beam, length: 0.2, elements: 4, " LIGHT ", section: {rectangle: {width: 0.02, height: 0.015}}, " \
  "rounding: 0.001, axis: [0, 1, 0], normal: [0, 0, 1], position: [0.01, -0.1, -0.5], " FLYING "}\n"
#define DRUM                                                                                                     \
  "  one: {kind: shell, mesh: {sphere: {radius: 0.05, frequency: 2}}, thickness: 0.004, material: {young: 1e6, " \
  "poisson: 0.3, density: 1000}, centre: [0.01, 0.002, -0.5], " FLYING "}\n"
#define WALL  "  two: {kind: obstacle, shape: {box: {size: [1, 1, 0.002], centre: [0, 0, 0]}}}\n"
#define PLATE "  two: {kind: rigid, shape: {box: {size: [1, 1, 0.002]}}, density: 1e6, position: [0, 0, 0]}\n"
#define POLE                                                                                                         \
  "  two: {kind: beam, length: 0.4, elements: 8, material: {young: 2e10, density: 1e5}, section: {circle: {radius: " \
  "0.01}}, axis: [1, 0, 0], normal: [0, 1, 0], position: [-0.2, 0, 0]}\n"
#define SHEET                                                                                                        \
  "  two: {kind: shell, mesh: {rectangle: {size: [0.4, 0.4], pieces: [6, 6]}}, thickness: 0.004, material: {young: " \
  "1e8, poisson: 0.3, density: 1e5}}\n"

/* z of a body: of a beam that of its middle node, which is where it is met, since its ends swing round; else the mean of all nodes.
 * An obstacle is at 0. */
static double middle(const run_record *r, int body)
{
  const vv_body *of = &r->model->body[body];
  double sum = 0.0;
  int64_t n = 0;
  for (int i = 0; i < r->model->n_block; i++) {
    const vv_block *b = &r->model->block[i];
    const bool beam = strcmp(b->kind->name, "beam") == 0;
    for (int32_t j = 0; j < b->n_body; j++)
      for (int64_t k = 0; b->body[j] == of && k < of->n_node; k++)
        if (!beam || k == of->n_node / 2) sum += r->state->q[b->q0 + 2 * b->column + of->node0 + k], n++;
  }
  return n > 0 ? sum / (double)n : 0.0;
}

static double energy_error(const run_record *r)
{
  return fabs(run_ledger(r)->closure);
}

/* In steps of 53 mm and more through what is 1 to 20 mm thick.  An answer that is not found is told, and ends the run before. */
static void test_nothing_passes(void **unused)
{
  (void)unused;
  static const struct {
    const char *name, *bodies;
  } at[] = {{"ball, obstacle", BALL WALL},    {"ball, plate", BALL PLATE},      {"ball, beam", BALL POLE},
            {"ball, shell", BALL SHEET},      {"box, obstacle", BRICK WALL},    {"box, plate", BRICK PLATE},
            {"slab, plate", SLAB PLATE},      {"slab, obstacle", SLAB WALL},    {"box, beam", BRICK POLE},
            {"box, shell", BRICK SHEET},      {"beam, obstacle", ROUND WALL},   {"beam, plate", ROUND PLATE},
            {"beam, beam", ROUND POLE},       {"beam, shell", ROUND SHEET},     {"corners, obstacle", SQUARE WALL},
            {"corners, plate", SQUARE PLATE}, {"corners, shell", SQUARE SHEET}, {"shell, obstacle", DRUM WALL},
            {"shell, plate", DRUM PLATE},     {"shell, beam", DRUM POLE}};
  int told = 0;
  for (int i = 0; i < (int)(sizeof at / sizeof *at); i++)
    for (int k = 0; k < 3; k++) {
      const double dt = 1e-3 * (1.0 + 0.37 * k);
      char text[TEXT];
      scene(text, at[i].bodies, dt, 20.0 * dt);
      run_record r = run_prepare(text, NULL);
      assert_int_equal(vv_sim_run(r.sim, &r.report), VV_OK);
      const double z = middle(&r, 0) - middle(&r, 1);
      if (!(z < 0.0) || !(energy_error(&r) < 1e-12))
        print_message("%s, step %g: %s, %g m behind, energy %g\n", at[i].name, dt, r.report.message, z,
                      energy_error(&r));
      told += r.report.reason != VV_REASON_DONE;
      assert_true(r.report.reason == VV_REASON_DONE || r.report.reason == VV_REASON_NOT_CONVERGED ||
                  r.report.reason == VV_REASON_STEP_TOO_LONG);

      assert_true(z < 0.0);
      assert_true(energy_error(&r) < 1e-12);
      run_free(&r);
    }
  assert_true(told <= 4); /* of 60, all at the longest step */
}

/* The pole meets the rim of the box: within the overlap the nearest way out is sideways, where they part already. */
static void test_the_rim_is_met(void **unused)
{
  (void)unused;
  char text[TEXT];
  scene(text, BRICK_AT("0.02") POLE, 1e-3, 0.02);
  run_record r = run_scene(text, NULL);
  assert_true(r.n_event > 0);
  assert_true(run_ledger(&r)->max_penetration < 1e-2 * 0.01); /* of the radius of the beam */
  assert_true(energy_error(&r) < 1e-12);
  run_free(&r);
}

/* Two balls of one mass exchange their velocities; where they met is known, and so is where they are. */
static void test_balls_exchange(void **unused)
{
  (void)unused;
  char text[TEXT];
  scene(text,
        "  one: {kind: rigid, shape: {ball: {radius: 0.01}}, mass: 1, position: [0, 0, -0.5], velocity: [0, 0, 53]}\n"
        "  two: {kind: rigid, shape: {ball: {radius: 0.01}}, mass: 1, position: [0, 0, 0.1], velocity: [0, 0, -31]}\n",
        1e-3, 0.02);
  run_record r = run_scene(text, NULL);
  const double met = (0.6 - 0.02) / 84.0, way = 53.0 * 1e-3; /* where in a step they meet is not located */
  const double *p = r.state->p + r.model->block[0].p0 + 2 * r.model->block[0].column;
  assert_int_equal(r.report.reason, VV_REASON_DONE);
  assert_int_equal(r.n_event, 1);
  assert_true(fabs(r.event[0].time - met) < 1e-9);
  assert_true(fabs(p[0] + 31.0) < 1e-12 * 53.0 && fabs(p[1] - 53.0) < 1e-12 * 53.0);
  assert_true(fabs(middle(&r, 0) - (-0.5 + 53.0 * met - 31.0 * (0.02 - met))) < way);
  assert_true(fabs(middle(&r, 1) - (0.1 - 31.0 * met + 53.0 * (0.02 - met))) < way);
  run_free(&r);
}

/* A rod that turns by 1.5 in a step, and comes nearer to a thin wall by 10 mm: its ends would sweep through.  Half a turn takes 21 mm
 * and a step another 10, so that it is met before its middle is nearer than its reach, 0.155, less those. */
static void test_a_turning_rod(void **unused)
{
  (void)unused;
  char text[TEXT];
  scene(text,
        "  one: {kind: rigid, shape: {capsule: {radius: 0.005, length: 0.3}}, density: 1000, position: [0, 0, -0.17], "
        "velocity: [0, 0, 10], spin: [0, 1500, 0]}\n" WALL,
        1e-3, 0.03);
  run_record r = run_scene(text, NULL);
  assert_int_equal(r.report.reason, VV_REASON_DONE);
  assert_true(r.n_event > 0);
  assert_true(-0.17 + 10.0 * r.event[0].time < -0.155 + 0.001 + 0.021 + 0.01);
  assert_true(middle(&r, 0) < 0.0);
  assert_true(energy_error(&r) < 1e-12);
  run_free(&r);
}

/* Past the rim of a wall, along it a hair apart, and behind each other at one speed: straight on. */
static void test_flying_past(void **unused)
{
  (void)unused;
  static const char *const bodies[] = {
      "  one: {kind: rigid, shape: {ball: {radius: 0.01}}, density: 1, position: [0.511, 0, -0.5], " FLYING "}\n" WALL,
      "  one: {kind: rigid, shape: {ball: {radius: 0.01}}, density: 1, position: [0.51001, 0, -0.5], " FLYING
      "}\n" WALL,
      "  one: {kind: rigid, shape: {ball: {radius: 0.01}}, density: 1, position: [0.501, 0, -0.5], " FLYING "}\n"
      "  two: {kind: obstacle, shape: {box: {size: [0.98, 1, 9], centre: [0, 0, 0]}}}\n",
      "  one: {kind: rigid, shape: {ball: {radius: 0.01}}, density: 1, position: [0, 0, -0.5], " FLYING "}\n"
      "  two: {kind: rigid, shape: {ball: {radius: 0.01}}, density: 1, position: [0, 0, -0.4799], " FLYING "}\n",
      ("  one: {kind: rigid, shape: {ball: {radius: 0.01}}, density: 1, position: [0, 0, -0.5], velocity: [0, 0, "
       "5e6]}\n"
       "  two: {kind: rigid, shape: {ball: {radius: 0.01}}, density: 1, position: [1, 0, 0], velocity: [0, 0, "
       "-5e6]}\n"),
  };
  for (int i = 0; i < (int)(sizeof bodies / sizeof *bodies); i++) {
    char text[TEXT];
    scene(text, bodies[i], 1e-3, 0.02);
    run_record r = run_scene(text, NULL);
    const double speed = i == 4 ? 5e6 : 53.0;
    if (r.report.reason != VV_REASON_DONE) print_message("%d: %s\n", i, r.report.message);
    assert_int_equal(r.report.reason, VV_REASON_DONE);
    assert_int_equal(r.n_event, 0);
    assert_true(fabs(middle(&r, 0) + 0.5 - speed * 0.02) < 1e-12 * speed);
    run_free(&r);
  }
}

/* So fast that no cut is short enough: the run stops before, names both and a step; that step is short enough. */
static void test_too_fast_is_told(void **unused)
{
  (void)unused;
  char text[TEXT];
  const char *bodies = "  shot: {kind: rigid, shape: {ball: {radius: 0.01}}, density: 1, position: [0, 0, -500], "
                       "velocity: [0, 0, 1e6]}\n"
                       "  wall: {kind: obstacle, shape: {box: {size: [1, 1, 0.002], centre: [0, 0, 0]}}}\n";
  scene(text, bodies, 1e-3, 2e-3);
  run_record r = run_prepare(text, NULL);
  assert_int_equal(vv_sim_run(r.sim, &r.report), VV_OK);
  assert_int_equal(r.report.reason, VV_REASON_STEP_TOO_LONG);
  assert_non_null(strstr(r.report.message, "'shot'"));
  assert_non_null(strstr(r.report.message, "'wall'"));
  const char *at = strstr(r.report.message, "'time.step' of ");
  assert_non_null(at);
  const double step = strtod(at + strlen("'time.step' of "), NULL);
  assert_true(step > 0.0 && step < 1e-3);
  assert_true(middle(&r, 0) < 0.0);
  assert_true(fabs(middle(&r, 0) - (-500.0 + 1e6 * r.state->t)) < 1e-9); /* the state is that of its time */
  run_free(&r);
  scene(text, bodies, step, 2e-3);
  r = run_scene(text, NULL);
  assert_int_equal(r.report.reason, VV_REASON_DONE);
  assert_true(middle(&r, 0) < 0.0);
  assert_int_equal(r.n_event, 1);
  run_free(&r);
}

/* A stack with friction that does not converge is told, and soon: no step takes a second of the processor. */
static vv_status time_step(const vv_view *view, void *user)
{
  clock_t *last = user;
  const clock_t now = clock();
  assert_true(view->first || now - *last < CLOCKS_PER_SEC);
  *last = now;
  return VV_OK;
}

static void test_a_stack_ends_soon(void **unused)
{
  (void)unused;
  clock_t last = 0;
  const run_options options = {.observe = time_step, .user = &last};
  run_record r = run_prepare(
      "visviva: 1\ntime: {end: 0.2, step: 1e-3}\ngravity: [0, 0, -9.81]\nmethod: {step: energy-momentum}\nbodies:\n"
      "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
      "  low: {kind: rigid, shape: {box: {size: [0.2, 0.2, 0.1]}}, density: 1000, position: [0, 0, 0.06]}\n"
      "  high: {kind: rigid, shape: {box: {size: [0.2, 0.2, 0.1]}}, density: 1000, position: [0.01, 0.01, 0.17]}\n"
      "  ball: {kind: rigid, shape: {ball: {radius: 0.05}}, density: 1000, position: [0.02, 0.015, 0.29]}\n"
      "contacts: [{restitution: 0.5, friction: 0.3}]\n",
      &options);
  assert_int_equal(vv_sim_run(r.sim, &r.report), VV_OK);
  assert_true(r.report.reason == VV_REASON_DONE || r.report.reason == VV_REASON_NOT_CONVERGED);
  assert_true(energy_error(&r) < 1e-12);
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nothing_passes),    cmocka_unit_test(test_balls_exchange),
      cmocka_unit_test(test_the_rim_is_met),    cmocka_unit_test(test_a_turning_rod),
      cmocka_unit_test(test_flying_past),       cmocka_unit_test(test_too_fast_is_told),
      cmocka_unit_test(test_a_stack_ends_soon),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
