/* tests/sim/test_arrive.c  Values at both times: the initial value problem of the momenta that were found arrives where it should,
 * a run's own end gives its own momenta, and what has no or no single answer is refused. */
#include "check.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 2048 };

static const char bar[] =
    "{kind: bar, length: 1, elements: 16, material: {young: 1, density: 1, law: %s}, section: {area: 1}%s}";
static const char beam[] =
    "{kind: beam, length: 2, elements: 5, material: {young: 10, density: 1}, section: {rectangle: {width: 0.4, height: "
    "0.3}}%s%s}";

static void scene(char *text, const char *body, const char *one, const char *two, double end)
{
  char line[1024];
  snprintf(line, sizeof line, body, one, two);
  snprintf(text, TEXT, "visviva: 1\ntime: {end: %g, step: {safety: 0.5}}\nbodies:\n  one: %s\n", end, line);
}

/* How far the nodes of the first body are from those of another scene, m: where they lie, not how the state counts it. */
static double way_between(const run_record *a, const run_record *b)
{
  double x[3 * 64], y[3 * 64], worst = 0.0;
  int components;
  const int64_t n = vv_model_field_size(a->model, 0, "position", &components);
  assert_true(components == 3 && n > 0 && n <= 64);
  assert_int_equal(vv_model_field_size(b->model, 0, "position", &components), n);
  assert_int_equal(vv_model_output(a->model, a->state, 0, "position", x), VV_OK);
  assert_int_equal(vv_model_output(b->model, b->state, 0, "position", y), VV_OK);
  for (int64_t i = 0; i < 3 * n; i++) worst = fmax(worst, fabs(x[i] - y[i]));
  return worst;
}

/* From the configuration of one scene to that of another. */
static void check_arrives(const char *from, const char *to, double bound)
{
  run_record a = run_prepare(from, NULL), b = run_prepare(to, NULL);
  vv_arrival found;
  vv_report report;
  if (vv_sim_arrive(a.model, a.state, b.model, b.state, &found) != VV_OK) fail_msg("%s", vv_ctx_message(a.ctx, 0));
  check_most(found.distance, bound);
  vv_sim *sim = NULL;
  const vv_sim_def def = vv_sim_default();
  assert_int_equal(vv_sim_create(a.model, a.state, &def, &sim), VV_OK);
  assert_int_equal(vv_sim_run(sim, &report), VV_OK);
  check_most(way_between(&a, &b), bound);
  vv_sim_destroy(sim);
  run_free(&a), run_free(&b);
}

static void test_arrives(void **unused)
{
  (void)unused;
  char from[TEXT], to[TEXT];
  scene(from, bar, "linear", "", 1.3);
  scene(to, bar, "linear", ", position: 0, vibration: [{mode: 1, amplitude: 0.02}, {mode: 3, amplitude: -0.01}]", 1.3);
  check_arrives(from, to, 1e-13);
  scene(to, bar, "linear", ", position: 0.3, vibration: [{mode: 1, amplitude: 0.02}]", 1.3); /* farther along */
  check_arrives(from, to, 1e-13);
  scene(to, bar, "linear", ", position: 0.3, origin: [0.1, 0, 0]", 1.3); /* counted from elsewhere */
  check_arrives(from, to, 1e-13);
  scene(from, bar, "neo-hookean", "", 1.3);
  scene(to, bar, "neo-hookean", ", vibration: [{mode: 1, amplitude: 0.01}, {mode: 3, amplitude: -0.005}]", 1.3);
  check_arrives(from, to, 1e-13);
  scene(from, beam, "", "", 0.7);
  scene(to, beam, "", ", position: [0.1, 0.05, 0], axis: [0.2, 0, 1], shape: {arc: {angle: 0.3}}", 0.7);
  check_arrives(from, to, 1e-12);
  scene(from, beam, ", strain: cayley, drift: cayley", "", 0.7);
  scene(to, beam, ", strain: cayley, drift: cayley", ", shape: {arc: {angle: 0.3}}", 0.7);
  check_arrives(from, to, 1e-12);
  scene(from, beam, ", ends: {first: clamped}", "", 0.7);
  scene(to, beam, ", ends: {first: clamped}", ", shape: {arc: {angle: 0.2}}", 0.7);
  check_arrives(from, to, 1e-12);
}

/* A free bar that shall be 0.3 m farther goes there as a whole: its momentum is m 0.3/t, whatever else it does. */
static void test_goes_there(void **unused)
{
  (void)unused;
  char from[TEXT], to[TEXT];
  scene(from, bar, "linear", "", 1.3);
  scene(to, bar, "linear", ", position: 0.3", 1.3);
  run_record a = run_prepare(from, NULL), b = run_prepare(to, NULL);
  vv_arrival found;
  assert_int_equal(vv_sim_arrive(a.model, a.state, b.model, b.state, &found), VV_OK);
  double sum = 0.0;
  for (int i = 0; i < 17; i++) sum += a.state->p[i];
  check_near(sum, 0.3 / ((double)vv_model_steps(a.model) * vv_model_step(a.model)), 1e-12);
  run_free(&a), run_free(&b);
}

/* The end of a run gives back its own momenta, from momenta that are a little off: bars have one answer, beams one nearby. */
static void check_same(const char *text, double off, double bound)
{
  run_record a = run_scene(text, NULL);
  vv_state *start = NULL;
  vv_arrival found;
  assert_int_equal(vv_state_clone(a.initial, &start), VV_OK);
  for (int64_t i = 0; i < start->np; i++) start->p[i] *= 1.0 + off * (double)(i % 5);
  assert_int_equal(vv_sim_arrive(a.model, start, a.model, a.state, &found), VV_OK);
  check_most(run_difference_p(start, a.initial), bound);
  vv_state_destroy(start);
  run_free(&a);
}

static void test_same_momenta(void **unused)
{
  (void)unused;
  char text[TEXT];
  scene(text, bar, "linear", ", velocity: 0.2, vibration: [{mode: 1, amplitude: 0.01, velocity: 0.02}]", 1.3);
  check_same(text, 1.0, 1e-10);
  scene(text, beam, "",
        ", shape: {bump: {curvature: [0.3, 0.2, 0.1]}}, velocity: [0.1, 0.2, -0.1], spin: [0.3, -0.4, 0.2]", 0.7);
  check_same(text, 1e-3, 1e-8);
}

static vv_status status_of(const char *from, const char *to, char *message, size_t size)
{
  run_record a = run_prepare(from, NULL), b = run_prepare(to, NULL);
  vv_arrival found;
  const vv_status status = vv_sim_arrive(a.model, a.state, b.model, b.state, &found);
  message[0] = '\0';
  if (vv_ctx_message_count(a.ctx) > 0) snprintf(message, size, "%s", vv_ctx_message(a.ctx, 0));
  run_free(&a), run_free(&b);
  return status;
}

static void test_refusals(void **unused)
{
  (void)unused;
  char from[TEXT], to[TEXT], message[1024];
  scene(from, bar, "linear", "", 1.0);
  snprintf(to, TEXT,
           "visviva: 1\ntime: {end: 1, step: {safety: 0.5}}\nbodies:\n  one: {kind: bar, length: 1, elements: 8, "
           "material: {young: 1, density: 1}, section: {area: 1}}\n");
  assert_int_not_equal(status_of(from, to, message, sizeof message), VV_OK);
  assert_non_null(strstr(message, "nodes"));
  assert_non_null(strstr(message, "'one' has 17 nodes"));
  scene(to, bar, "linear", ", origin: [0, 0.1, 0]", 1.0);
  assert_int_not_equal(status_of(from, to, message, sizeof message), VV_OK);
  assert_non_null(strstr(message, "line"));
  scene(to, bar, "linear", ", axis: [1, 0.1, 0]", 1.0);
  assert_int_not_equal(status_of(from, to, message, sizeof message), VV_OK);
  assert_non_null(strstr(message, "line"));
  scene(from, bar, "linear", ", ends: {first: fixed}", 1.0);
  scene(to, bar, "linear", ", position: 0.1, ends: {first: fixed}", 1.0);
  assert_int_not_equal(status_of(from, to, message, sizeof message), VV_OK);
  assert_non_null(strstr(message, "support"));
  /* one element: after half a period of its only vibration the two ends are where they were, whatever their momentum */
  static const char one[] =
      "visviva: 1\ntime: {end: 2.0000001, step: 1}\nbodies:\n  one: {kind: bar, length: 1.4142135623730951, "
      "elements: 1, material: {young: 1, density: 1}, section: {area: 1}%s}\n";
  snprintf(from, TEXT, one, "");
  snprintf(to, TEXT, one, ", vibration: [{mode: 1, amplitude: 0.01}]");
  assert_int_not_equal(status_of(from, to, message, sizeof message), VV_OK);
  assert_non_null(strstr(message, "half periods"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_arrives), cmocka_unit_test(test_goes_there),
                                     cmocka_unit_test(test_same_momenta), cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
