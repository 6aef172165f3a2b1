/* tests/sim/test_restart.c  The state is the whole truth: fresh work between any two steps, other thread counts and observers
 * do not change a bit. */
#include "cases.h"
#include "check.h"
#include "run.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
  const char *tips, *step, *jump;
} way[] = {
    {"lumped", "event", "slab"},   {"lumped", "event", "nodal"},   {"lumped", "event", "modified"},
    {"split", "event", "slab"},    {"split", "event", "modified"}, {"cell", "event", "modified"},
    {"split", "leapfrog", "auto"}, {"lumped", "leapfrog", "auto"},
};
enum { WAYS = sizeof way / sizeof way[0], STEPS = 600 };

static void text_of(int i, int number, char *text, size_t size)
{
  const cases_def def = {.number = number, .tips = way[i].tips, .step = way[i].step, .jump = way[i].jump};
  assert_true(cases_scene(&def, text, size));
}

static uint64_t hash_after(const char *text, int threads, bool observed)
{
  const run_options options = {.threads = threads, .steps = STEPS};
  run_record r = observed ? run_scene(text, &options) : run_prepare(text, &options);
  vv_report report;
  if (!observed) assert_int_equal(vv_sim_steps(r.sim, STEPS, &report), VV_OK);
  const uint64_t hash = vv_state_hash(r.state);
  run_free(&r);
  return hash;
}

/* A new sim, and with it all scratch, every few steps; some cuts fall beside an event, some inside closed contact. */
static uint64_t hash_with_cuts(const char *text)
{
  run_record r = run_prepare(text, NULL);
  vv_state *state = NULL;
  vv_report report;
  const vv_sim_def def = vv_sim_default();
  assert_int_equal(vv_state_clone(r.state, &state), VV_OK);
  for (int done = 0, n = 1; done < STEPS; done += n, n = n % 13 + 1) {
    vv_sim *sim = NULL;
    if (done + n > STEPS) n = STEPS - done;
    assert_int_equal(vv_sim_create(r.model, state, &def, &sim), VV_OK);
    assert_int_equal(vv_sim_steps(sim, n, &report), VV_OK);
    vv_sim_destroy(sim);
  }
  assert_int_equal(state->step, STEPS);
  const uint64_t hash = vv_state_hash(state);
  vv_state_destroy(state);
  run_free(&r);
  return hash;
}

static void test_same_bits(void **unused)
{
  (void)unused;
  for (int i = 0; i < WAYS; i++)
    for (int number = 1; number <= 3; number += 2) {
      char text[CASES_TEXT_SZ];
      text_of(i, number, text, sizeof text);
      const uint64_t hash = hash_after(text, 1, true);
      assert_true(hash == hash_after(text, 2, true));
      assert_true(hash == hash_after(text, 1, false));
      assert_true(hash == hash_with_cuts(text));
    }
}

/* A driven end is put where its history has it, which the drift misses by its rounding: a force kept from before is another one. */
static void test_driven_ends(void **unused)
{
  (void)unused;
  static const char *const law[] = {"", ", law: j2, yield: 4e5, hardening: 8e7"};
  for (int i = 0; i < 2; i++) {
    char text[2048];
    snprintf(
        text, sizeof text,
        "visviva: 1\ntime: {end: 1, step: 7.11646932711786e-06}\nmethod: {step: leapfrog}\ngravity: [3.8, -10.7, 4.5]\n"
        "contacts: [{restitution: 0.9, friction: 1}]\nbodies:\n"
        "  led: {kind: bar, length: 0.39319187086703555, elements: 3, section: {area: 5.2e-4}, material: {young: "
        "8.04e8, density: 1597.86%s}, "
        "axis: [0.02, -0.98, -0.19], origin: [-0.3, 0.93, 0.41], damping: {mass: 25.97282}, ends: {last: driven}, "
        "drives: [{end: last, displacement: "
        "0.022759076554206583, history: {harmonic: {frequency: 18.944028817695987, phase: 1.57}}}]}\n"
        "  rod: {kind: beam, length: 0.5, elements: 6, section: {square: {side: 0.018}}, material: {young: 8e8, "
        "density: "
        "1600}, axis: [0.7, 0.6, 0.1], normal: [0, 0, 1], position: [1, 1, 1]}\n",
        law[i]);
    assert_true(hash_after(text, 1, false) == hash_with_cuts(text));
  }
}

/* The hash sees every part of the state. */
static void test_hash_is_sharp(void **unused)
{
  (void)unused;
  char text[CASES_TEXT_SZ];
  text_of(3, 1, text, sizeof text);
  run_record r = run_prepare(text, NULL);
  const uint64_t hash = vv_state_hash(r.state);
  double *part[] = {r.state->q, r.state->p, r.state->memory, &r.state->t};
  for (int i = 0; i < 4; i++) {
    const double old = part[i][0];
    part[i][0] = nextafter(old, 1e300);
    assert_false(vv_state_hash(r.state) == hash);
    part[i][0] = old;
    assert_true(vv_state_hash(r.state) == hash);
  }
  run_free(&r);
}

/* ---- a simulation follows its state, whoever changed it ---- */

static const struct {
  const char *text;
  int steps;
} changed[] = {
    {"visviva: 1\ntime: {end: 1, step: 2e-4}\nmethod: {step: leapfrog}\nbodies:\n"
     "  a: {kind: shell, mesh: {sphere: {radius: 1, level: 1}}, thickness: 0.05, material: {young: 2.1e5, density: "
     "0.0785}, centre: [0, 0, 0], velocity: [200, 0, 0]}\n"
     "  b: {kind: shell, mesh: {sphere: {radius: 1, level: 1}}, thickness: 0.05, material: {young: 2.1e5, density: "
     "0.0785}, centre: [2.1, 0.2, 0]}\n",
     400},
    {"visviva: 1\ntime: {end: 10, step: 1e-2}\nmethod: {step: leapfrog}\nbodies:\n"
     "  room: {kind: rigid, shape: {room: {size: [2, 2, 2]}}, fixed: true}\n"
     "  ball: {kind: rigid, shape: {ball: {radius: 0.05}}, density: 1000, velocity: [3, 0.4, 0.5]}\n",
     330},
    {"visviva: 1\ntime: {end: 10, step: 1e-2}\nmethod: {step: energy-momentum}\nbodies:\n"
     "  room: {kind: rigid, shape: {room: {size: [2, 2, 2]}}, fixed: true}\n"
     "  ball: {kind: rigid, shape: {ball: {radius: 0.05}}, density: 1000, velocity: [3, 0.4, 0.5]}\n",
     330},
};

/* Put back into the middle of its impacts from where it was at the end, a run repeats itself bit for bit. */
static void follow(const char *text, int steps, int middle)
{
  run_record r = run_prepare(text, NULL);
  vv_state *then = NULL;
  vv_report report;
  assert_int_equal(vv_sim_steps(r.sim, middle, &report), VV_OK);
  assert_int_equal(vv_state_clone(r.state, &then), VV_OK);
  assert_int_equal(vv_sim_steps(r.sim, steps - middle, &report), VV_OK);
  assert_true(middle > 0 || report.events > 0);
  const uint64_t hash = vv_state_hash(r.state);
  assert_int_equal(vv_state_copy(r.state, then), VV_OK);
  assert_int_equal(vv_sim_steps(r.sim, steps - middle, &report), VV_OK);
  assert_true(vv_state_hash(r.state) == hash);
  vv_state_destroy(then);
  run_free(&r);
}

static void test_follows_its_state(void **unused)
{
  (void)unused;
  for (size_t i = 0; i < sizeof changed / sizeof changed[0]; i++)
    for (int k = 0; k < 20; k++) follow(changed[i].text, changed[i].steps, k * changed[i].steps / 25);
}

/* Moved by hand between two calls, at the same time: as a run that starts there. */
static void test_moved_by_hand(void **unused)
{
  (void)unused;
  for (int k = 1; k < 20; k++) {
    run_record r = run_prepare(changed[0].text, NULL);
    vv_state *twin = NULL;
    vv_sim *sim = NULL;
    vv_report report;
    const vv_sim_def def = vv_sim_default();
    assert_int_equal(vv_sim_steps(r.sim, k * changed[0].steps / 25, &report), VV_OK);
    for (int64_t i = 0; i < r.state->nq; i++) r.state->q[i] *= 1.001;
    assert_int_equal(vv_state_clone(r.state, &twin), VV_OK);
    assert_int_equal(vv_sim_create(r.model, twin, &def, &sim), VV_OK);
    assert_int_equal(vv_sim_steps(r.sim, 40, &report), VV_OK);
    assert_int_equal(vv_sim_steps(sim, 40, &report), VV_OK);
    assert_true(vv_state_hash(r.state) == vv_state_hash(twin));
    vv_sim_destroy(sim);
    vv_state_destroy(twin);
    run_free(&r);
  }
}

static unsigned char *bytes_of(const char *path, size_t *n)
{
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  assert_int_equal(fseek(f, 0, SEEK_END), 0);
  *n = (size_t)ftell(f);
  rewind(f);
  unsigned char *bytes = malloc(*n);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *n, f), *n);
  assert_int_equal(fclose(f), 0);
  return bytes;
}

/* Two runs of one scene at one time, with contacts that have been: their checkpoints are the same to the byte, wherever in memory
 * each of them has what it saves. */
static void test_same_files(void **unused)
{
  (void)unused;
  static const char *const path[] = {"one.h5", "other.h5"};
  char text[CASES_TEXT_SZ];
  text_of(6, 1, text, sizeof text);
  run_record r[2];
  unsigned char *bytes[2];
  size_t n[2];
  for (int i = 0; i < 2; i++) {
    r[i] = run_scene(text, &(run_options){.steps = STEPS});
    assert_true(r[i].n_event > 0);
    assert_int_equal(vv_checkpoint_save(r[i].sim, path[i]), VV_OK);
    bytes[i] = bytes_of(path[i], &n[i]);
  }
  assert_int_equal(n[0], n[1]);
  assert_memory_equal(bytes[0], bytes[1], n[0]);
  for (int i = 0; i < 2; i++) free(bytes[i]), run_free(&r[i]), remove(path[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits),         cmocka_unit_test(test_driven_ends),
                                     cmocka_unit_test(test_hash_is_sharp),     cmocka_unit_test(test_same_files),
                                     cmocka_unit_test(test_follows_its_state), cmocka_unit_test(test_moved_by_hand)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
