/* tests/physics/test_rigid_free.c  Rigid bodies in free flight, against what is known of them: the symmetric top turns its
 * axis about h at the rate h/I1, Euler's equations say how any other one tumbles, energy and spin stay, and a flight back
 * ends where it began. */
#include "check.h"
#include "run.h"

#include "body/rigid/rigid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096 };

static run_record open_text(const char *bodies, int threads)
{
  char text[2 * TEXT];
  snprintf(text, sizeof text, "visviva: 1\ntime: {end: 1, step: 0.01}\ncontacts: []\nbodies:\n%s", bodies);
  return run_prepare(text, &(run_options){.threads = threads});
}

/* The one block of a scene with one body, and its slices of the state. */
typedef struct scene {
  run_record run;
  const vv_block *b;
  double *q, *p;
} scene;

static scene open_scene(const char *bodies, int threads)
{
  scene s = {.run = open_text(bodies, threads)};
  s.b = &s.run.model->block[0];
  s.q = s.run.state->q + s.b->q0, s.p = s.run.state->p + s.b->p0;
  return s;
}

static void drift(scene *s, double dt, int64_t n)
{
  for (int64_t i = 0; i < n; i++) s->b->kind->drift(s->b, dt, s->q, s->p);
}

static double kinetic(const scene *s)
{
  vv_totals sum = {0};
  s->b->kind->audit(s->b, s->q, s->p, &sum);
  return sum.kinetic;
}

static void turn_of(const scene *s, int64_t node, double r[9])
{
  double q[4];
  rigid_take(s->b->column, s->q, node, RIGID_TURN, 4, q);
  vvi_quaternion_matrix(q, r);
}

static double difference(const double a[9], const double b[9])
{
  double most = 0.0;
  for (int c = 0; c < 9; c++) most = fmax(most, fabs(a[c] - b[c]));
  return most;
}

#define TOP                                                                                                         \
  "  b: {kind: rigid, shape: {cylinder: {length: 0.4, radius: 0.5}}, density: 700, orientation: {vector: [0.3, 1, " \
  "-2]}, spin: [1, -0.6, 2.2], velocity: [1, 2, 3]}\n"
#define BOX                                                                                                     \
  "  b: {kind: rigid, shape: {box: {size: [0.5, 0.35, 0.25]}}, density: 700, spin: [0.1, 2.3, 0.2], velocity: " \
  "[0.1, 0.2, -0.3]%s}\n"
#define DICE                                                                                                      \
  "  b: {kind: rigid, shape: {box: {size: [0.2, 0.2, 0.2]}}, density: 700, orientation: {vector: [0.3, 1, -2]}, " \
  "spin: [1, -0.6, 2.2]}\n"

/* The axis of a top goes round h by the angle h t/I1, and H3 stays; both for any length of step. */
static void test_top_is_exact(void **unused)
{
  (void)unused;
  static const double step[3] = {0.01, 0.1, 10.0}; /* the last turns by more than 20 at once */
  for (int k = 0; k < 3; k++) {
    scene s = open_scene(TOP, 1);
    double r0[9], r[9], h[3], w[3], carry[9], axis0[3], axis[3];
    assert_true(rigid_of(s.b, 0)->kind == RIGID_TOP);
    turn_of(&s, 0, r0);
    rigid_take(s.b->column, s.p, 0, RIGID_H, 3, h);
    drift(&s, step[k], (int64_t)llround(10.0 / step[k]));
    turn_of(&s, 0, r);
    for (int c = 0; c < 3; c++) {
      w[c] = 10.0 * h[c] / rigid_node(s.b, RIGID_INERTIA)[0];
      axis0[c] = r0[3 * c + 2];
    }
    vvi_exp(w, carry);
    vvi_apply33(carry, axis0, axis);
    for (int c = 0; c < 3; c++) check_near(r[3 * c + 2], axis[c], 2e-14);
    double H0[3], H[3];
    vvi_tapply33(r0, h, H0);
    vvi_tapply33(r, h, H);
    check_near(H[2], H0[2], 1e-14 * vvi_norm3(h));
    run_free(&s.run);
  }
}

/* The whole rotation of top and dice does not depend on how the time is cut. */
static void test_closed_forms_compose(void **unused)
{
  (void)unused;
  static const char *const text[2] = {TOP, DICE};
  for (int k = 0; k < 2; k++) {
    scene one = open_scene(text[k], 1), many = open_scene(text[k], 1);
    double a[9], b[9];
    drift(&one, 10.0, 1);
    drift(&many, 1e-3, 10000);
    turn_of(&one, 0, a);
    turn_of(&many, 0, b);
    check_most(difference(a, b), 1e-13);
    run_free(&one.run), run_free(&many.run);
  }
}

/* dq/dt = q (0, W)/2, I dW/dt = I W x W by Runge and Kutta's fourth order with short steps: the truth to 1e-11. */
static void rate(const double I[3], const double s[7], double d[7])
{
  const double *W = s + 4;
  const double w[4] = {0.0, W[0], W[1], W[2]};
  vvi_quaternion_times(s, w, d);
  for (int c = 0; c < 4; c++) d[c] *= 0.5;
  for (int c = 0; c < 3; c++) {
    const int e = (c + 1) % 3, f = (c + 2) % 3;
    d[4 + c] = (I[e] - I[f]) * W[e] * W[f] / I[c];
  }
}

static void runge_kutta(const double I[3], double s[7], double end, int n)
{
  const double h = end / n;
  for (int i = 0; i < n; i++) {
    double k[4][7], at[7];
    rate(I, s, k[0]);
    for (int j = 1; j < 4; j++) {
      for (int c = 0; c < 7; c++) at[c] = s[c] + (j == 3 ? h : 0.5 * h) * k[j - 1][c];
      rate(I, at, k[j]);
    }
    for (int c = 0; c < 7; c++) s[c] += h / 6.0 * (k[0][c] + 2.0 * (k[1][c] + k[2][c]) + k[3][c]);
  }
}

/* Where the body should be after `end`, by its own moments. */
static void truth(const scene *s, double end, double r[9])
{
  double state[7], turn[9], h[3], I[3];
  rigid_take(s->b->column, s->q, 0, RIGID_TURN, 4, state);
  rigid_take(s->b->column, s->p, 0, RIGID_H, 3, h);
  rigid_take(s->b->stride, rigid_node(s->b, RIGID_INERTIA), 0, 0, 3, I);
  vvi_quaternion_matrix(state, turn);
  vvi_tapply33(turn, h, state + 4);
  for (int c = 0; c < 3; c++) state[4 + c] /= I[c];
  runge_kutta(I, state, end, 40000);
  vvi_quaternion_matrix(state, r);
}

static void test_closed_forms_are_the_motion(void **unused)
{
  (void)unused;
  static const char *const text[2] = {TOP, DICE};
  for (int k = 0; k < 2; k++) {
    scene s = open_scene(text[k], 1);
    double right[9], r[9];
    truth(&s, 10.0, right);
    drift(&s, 0.1, 100);
    turn_of(&s, 0, r);
    check_most(difference(r, right), 1e-11);
    run_free(&s.run);
  }
}

/* The wing nut turns over; its flight converges to Euler's equations by the square of the step. */
static void test_box_is_of_order_two(void **unused)
{
  (void)unused;
  double error[3], right[9], r[9], text_axis = 1.0;
  char text[TEXT];
  snprintf(text, sizeof text, BOX, "");
  for (int k = 0; k < 3; k++) {
    scene s = open_scene(text, 1);
    assert_true(rigid_of(s.b, 0)->kind == RIGID_UNEVEN);
    truth(&s, 10.0, right);
    for (int i = 0; i < 100; i++) { /* the middle axis looks the other way at some time */
      drift(&s, 0.1 / (double)(4 << k), 4 << k);
      turn_of(&s, 0, r);
      text_axis = fmin(text_axis, r[4]);
    }
    error[k] = difference(r, right);
    run_free(&s.run);
  }
  check_most(text_axis, -0.9);
  check_near(error[0] / error[1], 4.0, 0.2);
  check_near(error[1] / error[2], 4.0, 0.1);
  check_most(error[2], 1e-3);
}

/* Energy to rounding in any length of step; p and h bit for bit. */
static void test_flight_keeps(void **unused)
{
  (void)unused;
  static const double step[4] = {1e-3, 0.05, 0.4, 7.0}; /* the last two in pieces for some of the bodies */
  char text[TEXT];
  snprintf(text, sizeof text, BOX,
           ", copies: {grid: {count: [3, 3, 3], spacing: [2, 2, 2]}, orientation: random, spin: 3}");
  for (int k = 0; k < 4; k++) {
    scene s = open_scene(text, 1);
    const size_t bytes = sizeof(double) * (size_t)(s.b->column * RIGID_NODE_P);
    double *p0 = malloc(bytes);
    memcpy(p0, s.p, bytes);
    const double before = kinetic(&s);
    double worst = 0.0;
    for (int i = 0; i < 200; i++) {
      drift(&s, step[k], 10);
      worst = fmax(worst, fabs(kinetic(&s) - before));
    }
    const double pieces = 2000.0 * fmax(1.0, 6.0 * step[k] / 0.7); /* each rounds anew, by its own eps */
    check_most(worst, 4e-16 * sqrt(pieces) * before);
    assert_memory_equal(p0, s.p, bytes);
    free(p0);
    run_free(&s.run);
  }
}

/* A million steps: places lose nothing, energy almost nothing. */
static void test_a_million_steps(void **unused)
{
  (void)unused;
  char text[TEXT];
  snprintf(text, sizeof text, BOX,
           ", copies: {grid: {count: [2, 2, 2], spacing: [2, 2, 2]}, orientation: random, spin: 1}");
  scene s = open_scene(text, 1);
  double x0[3];
  rigid_take(s.b->column, s.q, 0, RIGID_X, 3, x0);
  const double before = kinetic(&s), dt = 1e-3;
  drift(&s, dt, 1000000);
  check_near(kinetic(&s), before, 1e-13 * before);
  for (int c = 0; c < 3; c++) {
    const double v = rigid_node(s.b, RIGID_INVERSE_MASS)[0] * s.p[c * s.b->column];
    check_near(s.q[c * s.b->column], x0[c] + 1000000 * (dt * v), 1e-15 * fabs(1e3 * v) + 1e-16);
  }
  run_free(&s.run);
}

static void test_there_and_back(void **unused)
{
  (void)unused;
  static const double step[3] = {0.01, 0.3, 3.0};
  static const char *const more =
      ", copies: {grid: {count: [3, 3, 3], spacing: [2, 2, 2]}, orientation: random, spin: 3}";
  char text[TEXT];
  snprintf(text, sizeof text, BOX, more);
  for (int k = 0; k < 3; k++) {
    scene s = open_scene(text, 1);
    const int64_t n = s.b->column * RIGID_Q;
    double *q0 = malloc(sizeof(double) * (size_t)n);
    memcpy(q0, s.q, sizeof(double) * (size_t)n);
    drift(&s, step[k], 100);
    drift(&s, -step[k], 100);
    const double angle = 100.0 * 6.0 * step[k]; /* what is rounded in the rate adds up twice: in it, and in its sum */
    for (int64_t i = 0; i < 7 * s.b->column; i++) check_near(s.q[i], q0[i], 1e-14 + 1e-16 * angle * angle);
    free(q0);
    run_free(&s.run);
  }
}

/* A body flies the same way alone, in a crowd of eight, and on any number of threads. */
static void test_same_bits(void **unused)
{
  (void)unused;
  static const char *const shape[3] = {"{box: {size: [0.5, 0.35, 0.25]}}", "{capsule: {length: 1, radius: 0.1}}",
                                       "{ball: {radius: 0.1}}"};
  char text[TEXT];
  for (int k = 0; k < 3; k++) {
    snprintf(text, sizeof text,
             "  b: {kind: rigid, shape: %s, mass: 2, copies: {grid: {count: [17, 16, 16], spacing: [1, 1, 1]}, "
             "orientation: random, speed: 1, spin: 30}}\n",
             shape[k]);
    scene all = open_scene(text, 1), team = open_scene(text, 2), single = open_scene(text, 1);
    for (int i = 0; i < 5; i++) {
      drift(&all, 0.03, 1);
      drift(&team, 0.03, 1);
      for (int64_t j = 0; j < single.b->nodes; j++) single.b->kind->drift_node(single.b, j, 0.03, single.q, single.p);
    }
    const size_t bytes = sizeof(double) * (size_t)(all.b->column * RIGID_Q);
    assert_memory_equal(all.q, team.q, bytes);
    assert_memory_equal(all.q, single.q, bytes);
    vv_mover *one = calloc((size_t)all.b->nodes, sizeof *one), *two = calloc((size_t)all.b->nodes, sizeof *two);
    all.b->kind->movers(all.b, all.q, all.p, one);
    team.b->kind->movers(team.b, team.q, team.p, two);
    assert_memory_equal(one, two, sizeof *one * (size_t)all.b->nodes);
    free(one), free(two);
    run_free(&all.run), run_free(&team.run), run_free(&single.run);
  }
}

/* Neighbours of different classes and held ones lie in one block. */
static void test_classes_side_by_side(void **unused)
{
  (void)unused;
  scene s =
      open_scene("  a: {kind: rigid, shape: {ball: {radius: 1}}, mass: 1, velocity: [1, 0, 0]}\n"
                 "  b: {kind: rigid, shape: {box: {size: [1, 2, 3]}}, fixed: true, position: [9, 0, 0]}\n"
                 "  c: {kind: rigid, shape: {box: {size: [1, 2, 3]}}, mass: 2, velocity: [0, 1, 0]}\n"
                 "  d: {kind: rigid, shape: {capsule: {length: 1, radius: 0, axis: [1, 2, 2]}}, mass: 3, spin: [1, "
                 "1, 1], velocity: [0, 0, 1]}\n",
                 1);
  drift(&s, 0.5, 2);
  const double x[4][3] = {{1, 0, 0}, {9, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < 4; i++)
    for (int c = 0; c < 3; c++) check_near(s.q[c * s.b->column + i], x[i][c], 1e-15);
  /* the line does not turn about itself: what is left of its spin is across, 1/2 m L^2/12 omega^2 */
  const double across = 3.0 - 25.0 / 9.0;
  check_near(kinetic(&s), 0.5 + 1.0 + 1.5 + 0.5 * 3.0 / 12.0 * across, 1e-14);
  run_free(&s.run);
}

/* A constant moment about a principal axis: omega = M t/I, exactly; the books agree. */
static void test_loads(void **unused)
{
  (void)unused;
  run_record r = run_scene("visviva: 1\ntime: {end: 2, step: 0.01}\ngravity: [0, 0, -9.81]\ncontacts: []\nbodies:\n"
                           "  b: {kind: rigid, shape: {box: {size: [1, 2, 3]}}, mass: 6, loads: [{moment: [0, 0, 5]}, "
                           "{force: [0, 3, 0], at: [0.5, 0, 0], follower: true}]}\n",
                           NULL);
  double w[3];
  assert_int_equal(vv_model_output(r.model, r.state, 0, "angular_velocity", w), VV_OK);
  check_near(w[2], (5.0 + 3.0 * 0.5) * 2.0 / 2.5, 1e-12); /* I3 = 6 (1 + 4)/12 */
  check_most(run_ledger(&r)->max_p_drift, 1e-13);
  check_most(run_ledger(&r)->max_L_drift, 1e-13);
  check_most(run_ledger(&r)->max_closure, 1e-4); /* the work of a follower is of second order */
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_top_is_exact),
      cmocka_unit_test(test_closed_forms_compose),
      cmocka_unit_test(test_closed_forms_are_the_motion),
      cmocka_unit_test(test_box_is_of_order_two),
      cmocka_unit_test(test_flight_keeps),
      cmocka_unit_test(test_a_million_steps),
      cmocka_unit_test(test_there_and_back),
      cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_classes_side_by_side),
      cmocka_unit_test(test_loads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
