/* tests/twins/test_threads.c  Long bars in impact: the same bits for any number of threads. */
#include "check.h"
#include "run.h"

#include <stdio.h>

enum { TEXT = 2048, NODES = 40000, STEPS = 60 };

static uint64_t hash_with(const char *method, const char *tips, int threads, int64_t *impacts)
{
  char text[TEXT];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1, step: 1e-3}\nmethod: {%s}\nbodies:\n"
           "  left: {kind: bar, length: 400, elements: %d, material: {young: 1, density: 1}, section: {area: 1},\n"
           "         tips: {last: %s}, position: -400.013, velocity: 0.1, vibration: [{mode: 4, amplitude: 0.01}]}\n"
           "  right: {kind: bar, length: 400, elements: %d, material: {young: 2, density: 1}, section: {area: 1},\n"
           "          tips: {first: %s}, velocity: -0.1}\n"
           "contacts: [{between: [left, right]}]\n",
           method, NODES, tips, NODES, tips);
  /* the vibration moves the last end by its amplitude: the gap is 0.003, closed at 0.2 within 15 steps */
  const run_options options = {.threads = threads};
  run_record r = run_prepare(text, &options);
  vv_report report;
  assert_int_equal(vv_sim_steps(r.sim, STEPS / 2, &report), VV_OK);
  assert_int_equal(vv_sim_steps(r.sim, STEPS / 2, &report), VV_OK);
  assert_int_equal(report.reason, VV_REASON_DONE);
  *impacts = run_ledger(&r)->impacts;
  check_most(run_ledger(&r)->max_p_drift, 1e-12);
  const uint64_t hash = vv_state_hash(r.state);
  run_free(&r);
  return hash;
}

static void test_same_bits_in_impact(void **unused)
{
  (void)unused;
  static const char *const method[] = {"step: leapfrog", "step: event, jump: nodal", "step: event, jump: modified"};
  static const char *const tips[] = {"lumped", "split"};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++) {
      int64_t impacts, others;
      const uint64_t hash = hash_with(method[i], tips[j], 1, &impacts);
      check_least((double)impacts, 1);
      for (int threads = 2; threads <= 3; threads++) {
        assert_true(hash == hash_with(method[i], tips[j], threads, &others));
        assert_int_equal(others, impacts);
      }
    }
}

/* Beams with gravity, supports and loads: not the fast path. */
static void test_same_bits_of_held_beams(void **unused)
{
  (void)unused;
  static const char *const order[] = {"2", "4"};
  for (int i = 0; i < 2; i++) {
    uint64_t first = 0;
    for (int threads = 1; threads <= 3; threads++) {
      char text[TEXT];
      snprintf(text, sizeof text,
               "visviva: 1\ntime: {end: 1, step: {safety: 0.3}}\nmethod: {step: leapfrog, order: %s}\ngravity: [0, 0, "
               "-9.8]\n"
               "contacts: [{response: none}]\nbodies:\n"
               "  a: {kind: beam, length: 2, elements: 3000, material: {young: 1e7, density: 1000}, section: {circle: "
               "{radius: 0.02}},\n      axis: [1, 0, 0], normal: [0, 0, 1], ends: {first: clamped}}\n"
               "  b: {kind: beam, length: 2, elements: 2500, material: {young: 1e7, density: 1000}, section: {tube: "
               "{radius: 0.02, inner: 0.01}},\n      drift: lavi-exp, distributed: [{force: [0, 1, 0]}]}\n",
               order[i]);
      const run_options options = {.threads = threads, .steps = 20};
      run_record r = run_scene(text, &options);
      if (threads == 1) first = vv_state_hash(r.state);
      assert_true(first == vv_state_hash(r.state));
      run_free(&r);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits_in_impact),
                                     cmocka_unit_test(test_same_bits_of_held_beams)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
