/* tests/twins/test_stride.c  Many steps in one pass each are, bit for bit, as many single steps, for any number of threads.
 *
 * The leapfrog takes its fast path where nothing can touch and nothing is booked: vv_sim_steps(n) then fuses the end of a
 * step with the start of the next.  Its twins: n calls of one step (plain kick, drift, kick), and the three columns of the
 * body table called by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contact/pairs.h"
#include "model/model.h"
#include "visviva/visviva.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 23, TEXT = 4096 };
static const int size[] = {1, 2, 3, 7, 8, 9, 511, 512, 513, 5000, 40000};
static const int team[] = {1, 2, 3, 7};

typedef struct scene {
  vv_ctx *ctx;
  vv_model *model;
  vv_state *state;
} scene;

static scene open_scene(const char *text, int threads)
{
  scene s = {0};
  vv_spec *spec = NULL;
  vv_ctx_def def = vv_ctx_default();
  def.threads = threads;
  assert_int_equal(vv_ctx_create(&def, &s.ctx), VV_OK);
  vv_status status = vv_scene_parse(s.ctx, "twins", text, strlen(text), &spec);
  if (status == VV_OK) status = vv_compile(s.ctx, spec, &s.model, &s.state);
  for (int i = 0; i < vv_ctx_message_count(s.ctx); i++) print_message("%s\n", vv_ctx_message(s.ctx, i));
  assert_int_equal(status, VV_OK);
  vv_spec_destroy(spec);
  assert_int_equal(s.model->pairs->n, 0); /* else the fast path is not taken */
  return s;
}

static void close_scene(scene *s)
{
  vv_state_destroy(s->state);
  vv_model_destroy(s->model);
  vv_ctx_destroy(s->ctx);
}

/* One bar after the other, each with its own size, material, mode and velocity. */
static void write_scene(char *text, const char *tips, int bars, const int *elements)
{
  int n = snprintf(text, TEXT,
                   "visviva: 1\ntime: {end: 1, step: %s}\nmethod: {step: leapfrog}\n"
                   "contacts: [{between: all, response: none}]\nbodies:\n",
                   strcmp(tips, "cell") == 0 ? "1e-5" : "{safety: 0.7}"); /* one cell alone limits nothing */
  for (int i = 0; i < bars; i++)
    n += snprintf(text + n, (size_t)(TEXT - n),
                  "  b%d: {kind: bar, length: %d, elements: %d, grading: 1.%d, material: {young: %d, density: 0.%d},\n"
                  "       section: {area: 1}, tips: {first: %s, last: %s}, position: %d, velocity: %g,\n"
                  "       vibration: [{mode: %d, amplitude: 0.01}, {mode: 3, velocity: 0.1}]}\n",
                  i, 2 + i, elements[i], i, 3 + i, 7 - i, tips, tips, 10 * i, 0.3 * (1 - 2 * (i % 2)), 1 + i);
  assert_true(n < TEXT);
}

/* `calls` calls of `each` steps, forwards or backwards; the state afterwards. */
static void advance(scene *s, int64_t calls, int64_t each, double sign)
{
  vv_sim_def def = vv_sim_default();
  vv_sim *sim = NULL;
  vv_report report;
  def.step = sign * vv_model_step(s->model);
  assert_int_equal(vv_sim_create(s->model, s->state, &def, &sim), VV_OK);
  for (int64_t i = 0; i < calls; i++) {
    assert_int_equal(vv_sim_steps(sim, each, &report), VV_OK);
    assert_int_equal(report.reason, VV_REASON_DONE);
    assert_int_equal(report.steps, each);
  }
  vv_sim_destroy(sim);
}

/* The plain columns of the body table, as the paper writes the step. */
static void advance_by_hand(scene *s, int64_t n, double sign)
{
  const double h = sign * vv_model_step(s->model);
  vv_state *x = s->state;
  for (int64_t i = 0; i < n; i++) {
    vvi_sys_kick(s->model, x->t, 0.5 * h, x->q, x->p);
    vvi_sys_drift(s->model, h, x->q, x->p);
    vvi_sys_kick(s->model, x->t, 0.5 * h, x->q, x->p);
    x->step += sign > 0.0 ? 1 : -1;
    x->t = (double)x->step * fabs(h);
  }
}

static void assert_same_bits(const vv_state *a, const vv_state *b)
{
  assert_int_equal(a->nq, b->nq);
  assert_int_equal(a->step, b->step);
  assert_memory_equal(&a->t, &b->t, sizeof a->t);
  assert_memory_equal(a->q, b->q, sizeof(double) * (size_t)(a->nq + a->np + a->nh));
  assert_true(vv_state_hash(a) == vv_state_hash(b));
}

static void compare_twins(const char *text, double sign)
{
  scene hand = open_scene(text, 1), single = open_scene(text, 1);
  vv_state *before = NULL;
  assert_int_equal(vv_state_clone(hand.state, &before), VV_OK);
  advance_by_hand(&hand, STEPS, sign);
  advance(&single, STEPS, 1, sign);
  assert_same_bits(hand.state, single.state);
  assert_memory_not_equal(before->q, hand.state->q, sizeof(double) * (size_t)before->nq); /* it did move */
  for (size_t i = 0; i < sizeof team / sizeof team[0]; i++) {
    scene fused = open_scene(text, team[i]);
    advance(&fused, 1, STEPS, sign);
    assert_same_bits(hand.state, fused.state);
    close_scene(&fused);
  }
  vv_state_destroy(before);
  close_scene(&single);
  close_scene(&hand);
}

/* Beams of the given numbers of elements; every strain rule and drift, square and uneven sections, rings, point inertia.
 * turn: from which of the strains and drifts to start. */
static void write_beams(char *text, int beams, int turn, const int *elements)
{
  static const char *const section[] = {"square: {side: 0.3}", "rectangle: {width: 0.3, height: 0.2}"};
  static const char *const strain[] = {"one-point", "trapezoid", "cayley", "exp", "exp-se3"};
  static const char *const drift[] = {"lgvi", "lgvi", "cayley", "lgvi", "lavi-cayley"};
  static const char *const more[] = {"", "shape: {arc: {angle: 6.283185307179586}}, closed: true, rest: shape, ",
                                     "shape: {helix: {radius: 1, pitch: 0.5}}, ",
                                     "masses: [{at: 0, mass: 1, inertia: [0.1, 0.2, 0.25]}], "};
  int n = snprintf(text, TEXT,
                   "visviva: 1\ntime: {end: 1, step: {safety: 0.3}}\nmethod: {step: leapfrog}\n"
                   "contacts: [{response: none}]\nbodies:\n");
  for (int i = 0; i < beams; i++)
    n += snprintf(
        text + n, (size_t)(TEXT - n),
        "  b%d: {kind: beam, length: %d, elements: %d, material: {young: %d, density: 1}, section: {%s},\n"
        "    strain: %s, drift: %s, %sposition: [%d, 0, 0], velocity: [0.1, 0.2, 0.%d], spin: [0.1, 0.2, 0.3]}\n",
        i, 2 + i, elements[i], 3 + i, section[i / 2 % 2], strain[(i + turn) % 5], drift[(i + turn) % 5],
        elements[i] > 2 ? more[i % 4] : "", 10 * i, i);
  assert_true(n < TEXT);
}

/* ---- tests ---- */

static void beams_of_every_size(void **state)
{
  (void)state;
  static const int row[][4] = {{1, 3, 1, 1},      {7, 8, 9, 10},      {127, 128, 129, 4}, {513, 3000, 5, 200},
                               {40, 5000, 60, 7}, {2047, 2048, 1, 3}, {9000, 3, 9000, 3}};
  char text[TEXT];
  for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
    for (int beams = 1; beams <= 4; beams++) {
      write_beams(text, beams, (int)i + beams, row[i]);
      compare_twins(text, i % 2 == 0 ? 1.0 : -1.0);
    }
}

static void audit_of_beams(void **state)
{
  (void)state;
  static const int row[] = {5000, 3, 700, 40};
  char text[TEXT];
  vv_totals first = {0}, other;
  write_beams(text, 4, 0, row);
  for (size_t j = 0; j < sizeof team / sizeof team[0]; j++) {
    scene s = open_scene(text, team[j]);
    vvi_sys_audit(s.model, s.state->q, s.state->p, j == 0 ? &first : &other);
    if (j > 0) assert_memory_equal(&first, &other, sizeof first);
    close_scene(&s);
  }
}

static void one_bar_of_every_size(void **state)
{
  (void)state;
  char text[TEXT];
  for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
    write_scene(text, "lumped", 1, &size[i]);
    compare_twins(text, 1.0);
  }
}

/* Cells: n elements have n nodes, so the smallest block is one node without a spring. */
static void cells_of_every_size(void **state)
{
  (void)state;
  char text[TEXT];
  for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
    write_scene(text, "cell", 1, &size[i]);
    compare_twins(text, 1.0);
  }
}

static void bars_in_a_row(void **state)
{
  (void)state;
  static const int row[][4] = {{1, 1, 1, 1}, {3, 1, 8, 2}, {511, 1, 512, 513}, {5000, 7, 9000, 9}, {40000, 3, 1, 5000}};
  char text[TEXT];
  for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
    write_scene(text, "lumped", 4, row[i]);
    compare_twins(text, 1.0);
    write_scene(text, "cell", 4, row[i]);
    compare_twins(text, 1.0);
  }
}

static void backwards(void **state)
{
  (void)state;
  static const int row[][4] = {{1, 2, 3, 7}, {513, 9, 512, 1}, {40000, 1, 511, 8}};
  char text[TEXT];
  for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
    write_scene(text, "lumped", 4, row[i]);
    compare_twins(text, -1.0);
    write_scene(text, "cell", 4, row[i]);
    compare_twins(text, -1.0);
  }
}

/* There and back again in two fused runs: the start, to rounding. */
static void there_and_back(void **state)
{
  (void)state;
  static const int row[] = {40000, 1, 513, 8};
  char text[TEXT];
  write_scene(text, "lumped", 4, row);
  scene s = open_scene(text, 3);
  vv_state *start = NULL;
  assert_int_equal(vv_state_clone(s.state, &start), VV_OK);
  advance(&s, 1, STEPS, 1.0);
  advance(&s, 1, STEPS, -1.0);
  assert_int_equal(s.state->step, 0);
  for (int64_t i = 0; i < start->nq; i++) assert_true(fabs(s.state->q[i] - start->q[i]) < 1e-13);
  for (int64_t i = 0; i < start->np; i++) assert_true(fabs(s.state->p[i] - start->p[i]) < 1e-13);
  vv_state_destroy(start);
  close_scene(&s);
}

/* How a run is cut into calls does not show. */
static void any_partition(void **state)
{
  (void)state;
  static const int row[] = {9, 20000, 512, 1};
  char text[TEXT];
  write_scene(text, "lumped", 4, row);
  scene a = open_scene(text, 2), b = open_scene(text, 7);
  advance(&a, 1, 24, 1.0);
  advance(&b, 3, 8, 1.0);
  assert_same_bits(a.state, b.state);
  close_scene(&a);
  close_scene(&b);
}

/* The audit adds in an order that does not know the threads. */
static void audit_of_any_team(void **state)
{
  (void)state;
  char text[TEXT];
  for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
    vv_totals first = {0}, other;
    write_scene(text, "lumped", 1, &size[i]);
    for (size_t j = 0; j < sizeof team / sizeof team[0]; j++) {
      scene s = open_scene(text, team[j]);
      vvi_sys_audit(s.model, s.state->q, s.state->p, j == 0 ? &first : &other);
      if (j > 0) assert_memory_equal(&first, &other, sizeof first);
      close_scene(&s);
    }
    assert_true(first.kinetic > 0.0 && first.strain > 0.0);
  }
}

/* A sign of zero is a bit too: a momentum of -0 stays what plain kicks leave. */
static void negative_zero(void **state)
{
  (void)state;
  char text[TEXT];
  for (int elements = 1; elements <= 3; elements++) {
    write_scene(text, "cell", 1, &elements);
    scene hand = open_scene(text, 1), fused = open_scene(text, 1);
    for (int64_t i = 0; i < hand.state->np; i++) {
      hand.state->q[i] = fused.state->q[i] = 0.0;
      hand.state->p[i] = fused.state->p[i] = -0.0;
    }
    advance_by_hand(&hand, 5, 1.0);
    advance(&fused, 1, 5, 1.0);
    assert_same_bits(hand.state, fused.state);
    close_scene(&hand);
    close_scene(&fused);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_bar_of_every_size), cmocka_unit_test(cells_of_every_size),
      cmocka_unit_test(bars_in_a_row),         cmocka_unit_test(backwards),
      cmocka_unit_test(there_and_back),        cmocka_unit_test(any_partition),
      cmocka_unit_test(audit_of_any_team),     cmocka_unit_test(negative_zero),
      cmocka_unit_test(beams_of_every_size),   cmocka_unit_test(audit_of_beams),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
