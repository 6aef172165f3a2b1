/* tests/physics/test_containers.c  Hollow rigid bodies have two sides: what is in them meets their inside, all else their
 * outside, larger by the thickness of the walls. */
#include "check.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 2048 };

static void place_of(const run_record *r, int body, double x[3])
{
  assert_int_equal(vv_model_output(r->model, r->state, body, "position", x), VV_OK);
}

static void run_on(run_record *r, int64_t steps)
{
  assert_int_equal(vv_sim_steps(r->sim, steps, &r->report), VV_OK);
  assert_int_equal(r->report.reason, VV_REASON_DONE);
}

/* Two bodies on a line that meet after `gap` with restitution 1: where they are at `end`, by the laws of central impact. */
static void central(double m1, double v1, double m2, double v2, double gap, double end, double x[2])
{
  const double t = gap / (v1 - v2), mean = (m1 * v1 + m2 * v2) / (m1 + m2);
  x[0] = v1 * t + (2.0 * mean - v1) * (end - t);
  x[1] = v2 * t + (2.0 * mean - v2) * (end - t);
}

static void check_central(const char *left, double m1, double v1, const char *right, double m2, double gap, double from)
{
  char text[TEXT];
  double x[2], at[3];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 0.35, step: 1e-3}\nbodies:\n"
           "  left: {kind: rigid, shape: {%s}, mass: %g, velocity: [%g, 0, 0]}\n"
           "  right: {kind: rigid, shape: {%s}, mass: %g, position: [%g, 0, 0]}\n",
           left, m1, v1, right, m2, from);
  run_record r = run_prepare(text, NULL);
  run_on(&r, 350);
  central(m1, v1, m2, 0.0, gap, 0.35, x);
  place_of(&r, 0, at);
  check_near(at[0], x[0], 1e-11);
  place_of(&r, 1, at);
  check_near(at[0] - from, x[1], 1e-11);
  run_free(&r);
}

/* Balls are met at their own times: outside on outside, ball on outside, inside on outside. */
static void test_hollow_balls(void **unused)
{
  (void)unused;
  const char *big = "shell: {radius: 0.2, thickness: 0.03}", *small = "shell: {radius: 0.05, thickness: 0.01}";
  check_central(big, 3, 1, small, 2, 0.5 - 0.23 - 0.06, 0.5);
  check_central(big, 3, 1, "ball: {radius: 0.1}", 2, 0.5 - 0.23 - 0.1, 0.5);
  check_central(small, 1, 1, big, 4, 0.2 - 0.06, 0.0);
  check_central(small, 1, 1, "shell: {radius: 0.2}", 4, 0.2 - 0.06, 0.0);
}

/* A crate falls on a floor with a ball in it: it stands on its outside, the ball on its inside. */
static void check_crate(const char *method, double e, double tolerance)
{
  char text[TEXT];
  double crate[3], ball[3], lowest = INFINITY;
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1.5, step: 1e-3}\ngravity: [0, 0, -9.81]\nmethod: {step: %s}\n"
           "contacts: [{restitution: %g, friction: 0.3}]\nbodies:\n"
           "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
           "  crate: {kind: rigid, shape: {room: {size: [0.4, 0.4, 0.4], thickness: 0.01}}, density: 1000, "
           "position: [0, 0, 0.3]}\n"
           "  ball: {kind: rigid, shape: {ball: {radius: 0.05}}, density: 1000, position: [0, 0, 0.3]}\n",
           method, e);
  run_record r = run_prepare(text, NULL);
  const int c = vv_model_body(r.model, "crate"), b = vv_model_body(r.model, "ball");
  for (int k = 0; k < 150; k++) {
    run_on(&r, 10);
    place_of(&r, c, crate), place_of(&r, b, ball);
    lowest = fmin(lowest, crate[2] - 0.21);
    lowest = fmin(lowest, 0.15 - fmax(fabs(ball[0] - crate[0]), fabs(ball[1] - crate[1])));
    lowest = fmin(lowest, 0.15 - fabs(ball[2] - crate[2]));
  }
  assert_true(lowest > -tolerance);
  check_near(crate[2], 0.21, 1e-3);
  check_near(ball[2] - crate[2], -0.15, 1e-3);
  assert_true(run_ledger(&r)->max_closure < 1e-12);
  run_free(&r);
}

static void test_crate(void **unused)
{
  (void)unused;
  check_crate("leapfrog", 0.3, 1e-12);
  check_crate("energy-momentum", 0.0, 2e-3); /* contacts are seen at the end of a step: what it flies, 2 m/s at most */
}

/* A crate in a fixed room, and nested crates: every wall holds. */
static void test_nested(void **unused)
{
  (void)unused;
  run_record r =
      run_prepare("visviva: 1\ntime: {end: 2, step: 2e-3}\nbodies:\n"
                  "  hall: {kind: obstacle, shape: {room: {size: [2, 2, 2]}}}\n"
                  "  large: {kind: rigid, shape: {room: {size: [1, 1, 1], thickness: 0.05}}, mass: 5, "
                  "velocity: [1.1, 0.7, 0.3], spin: [0.2, 0.1, 0.5]}\n"
                  "  middle: {kind: rigid, shape: {room: {size: [0.4, 0.4, 0.4], thickness: 0.02}}, mass: 2, "
                  "velocity: [-1, 0.5, 0.2], spin: [1, 0, 0.3]}\n"
                  "  grain: {kind: rigid, shape: {ball: {radius: 0.02}}, mass: 0.1, velocity: [3, 1, 2]}\n",
                  NULL);
  double large[3], middle[3], grain[3];
  const int names[3] = {vv_model_body(r.model, "large"), vv_model_body(r.model, "middle"),
                        vv_model_body(r.model, "grain")};
  for (int k = 0; k < 100; k++) {
    run_on(&r, 10);
    place_of(&r, names[0], large), place_of(&r, names[1], middle), place_of(&r, names[2], grain);
    for (int c = 0; c < 3; c++) { /* half widths: no turn brings a centre nearer to the wall than that */
      assert_true(fabs(large[c]) < 1.0 - 0.55 + 1e-9);
      assert_true(fabs(middle[c]) < 1.0 - 0.22 + 1e-9);
    }
    double d = 0.0, g = 0.0;
    for (int c = 0; c < 3; c++)
      d += (middle[c] - large[c]) * (middle[c] - large[c]), g += (grain[c] - middle[c]) * (grain[c] - middle[c]);
    assert_true(sqrt(d) < sqrt(3.0) * 0.5 - 0.22 + 1e-9);
    assert_true(sqrt(g) < sqrt(3.0) * 0.18 + 1e-9);
  }
  assert_true(run_ledger(&r)->max_closure < 1e-12);
  run_free(&r);
}

/* A thin shell meets the outside of a hollow ball where its walls end, and another one its inside. */
static void test_thin_shells(void **unused)
{
  (void)unused;
  const char *text = "visviva: 1\ntime: {end: 0.03, step: 2e-5}\nbodies:\n"
                     "  hollow: {kind: rigid, shape: {shell: {radius: 0.2, thickness: 0.05}}, mass: 100}\n"
                     "  outer: {kind: shell, mesh: {sphere: {radius: 0.1, level: 2}}, thickness: 2e-3, "
                     "material: {young: 1e6, poisson: 0.3, density: 1000}, centre: [0.4, 0, 0], velocity: [-5, 0, 0]}\n"
                     "  inner: {kind: shell, mesh: {sphere: {radius: 0.1, level: 2}}, thickness: 2e-3, "
                     "material: {young: 1e6, poisson: 0.3, density: 1000}, velocity: [5, 0, 0]}\n";
  run_record r = run_scene(text, NULL);
  /* ways to go at 5 m/s: 0.4 - 0.25 - 0.1 and 0.2 - 0.1 m less half a thickness; meshes lie within the balls they stand for, by
   * (1 - cos(pi/64)) of 0.25 m and some 2 % of 0.1 m */
  const double way[2] = {0.049, 0.099};
  bool met[2] = {false, false};
  for (int64_t k = 0; k < r.n_event; k++) {
    const bool inner = strcmp(r.event[k].body_b, "inner") == 0;
    if (!met[inner]) check_near(5.0 * r.event[k].time, way[inner] + 1.5e-3, 2.5e-3);
    met[inner] = true;
  }
  assert_true(met[0] && met[1]);
  run_free(&r);
}

/* What starts inside a full mesh, away from its surface, is refused. */
static void test_swallowed(void **unused)
{
  (void)unused;
  char why[512];
  assert_int_equal(
      run_refused(
          "visviva: 1\ntime: {end: 0.2, step: 1e-3}\nbodies:\n"
          "  ring: {kind: rigid, shape: {mesh: {torus: {ring: 0.3, tube: 0.1, around: 24, across: 12}}}, density: 1}\n"
          "  ball: {kind: rigid, shape: {ball: {radius: 0.01}}, density: 1, position: [0.3, 0, 0]}\n",
          why, sizeof why),
      VV_SCENE);
  assert_non_null(strstr(why, "'ball' lies within 'ring' at the start"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hollow_balls), cmocka_unit_test(test_crate),     cmocka_unit_test(test_nested),
      cmocka_unit_test(test_thin_shells),  cmocka_unit_test(test_swallowed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
