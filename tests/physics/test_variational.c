/* tests/physics/test_variational.c  Steps whose length the discrete energy equation chooses: energy and forms to rounding while
 * lengths differ by ten, order two, the way back, restarts, and what happens where there is no root. */
#include "check.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 2048 };

static void bars_scene(char *text, const char *law, const char *tips, const char *kicks, double safety, double weight)
{
  snprintf(
      text, TEXT,
      "visviva: 1\ntime: {end: 40, step: {safety: %g, variational: %.17g, kicks: %s}}\nbodies:\n"
      "  left: {kind: bar, length: 10, elements: 50, material: {young: 1, density: 1, law: %s}, section: {area: 1},\n"
      "    tips: {last: %s}, position: -10.02, velocity: 0.1}\n"
      "  right: {kind: bar, length: 10, elements: 50, material: {young: 1, density: 1, law: %s}, section: {area: 1},\n"
      "    tips: {first: %s}, velocity: -0.1}\n",
      safety, weight, kicks, law, tips, law, tips);
}

static void beam_scene(char *text, double safety, double weight, double end)
{
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: %g, step: {safety: %g, variational: %.17g}}\nbodies:\n"
           "  one: {kind: beam, length: 2, elements: 8, material: {young: 1000, density: 1}, section: {rectangle: "
           "{width: 0.06, height: 0.04}},\n"
           "    shape: {bump: {curvature: [0.5, 0.3, 0.2]}}, velocity: [0.1, 0.2, -0.1], spin: [0.3, -0.4, 0.2]}\n",
           end, safety, weight);
}

/* Longest over shortest step. */
static double check_exact(const char *text, double bound)
{
  const run_options options = {.check_structure = true};
  run_record r = run_scene(text, &options);
  vv_structure s;
  double shortest, longest;
  int64_t taken;
  assert_true(vv_sim_structure(r.sim, &s));
  assert_true(vv_sim_lengths(r.sim, &shortest, &longest, &taken));
  assert_int_equal(run_ledger(&r)->fallbacks, 0);
  assert_false(s.ended);
  check_most(run_ledger(&r)->max_closure, 1e-12);
  check_most(run_ledger(&r)->max_p_drift, 1e-13);
  check_most(run_ledger(&r)->max_L_drift, 1e-13);
  check_most(s.symplectic, bound);
  check_most(s.multisymplectic, bound);
  check_most(s.noether, bound);
  run_free(&r);
  return longest / shortest;
}

static void test_bars_meet(void **unused)
{
  (void)unused;
  char text[TEXT];
  bars_scene(text, "linear", "cell", "golden", 0.3, 1e-8);
  check_least(check_exact(text, 1e-13), 10.0);
  bars_scene(text, "linear", "split", "golden", 0.2, 1e-4);
  check_least(check_exact(text, 1e-13), 1.05);
  bars_scene(text, "neo-hookean", "split", "golden", 0.2, 1e-4);
  check_least(check_exact(text, 1e-13), 1.05);
}

static void test_beam_flies(void **unused)
{
  (void)unused;
  char text[TEXT];
  beam_scene(text, 0.3, 1e-4, 1.0);
  check_least(check_exact(text, 1e-13), 1.05);
}

/* A bar of 8 elements, half masses at its ends, in two modes cos(omega t), omega = 2 n sin(a/2): at the time that was reached the
 * error is of order two.  The bracket of [grids 7] is constant there, and so are the steps. */
static double mode_error(double safety, const char *kicks)
{
  enum { N = 8 };
  char text[TEXT];
  snprintf(
      text, TEXT,
      "visviva: 1\ntime: {end: 3, step: {safety: %g, variational: 2, kicks: %s}}\nbodies:\n"
      "  one: {kind: bar, length: 1, elements: %d, material: {young: 1, density: 1}, section: {area: 1}, tips: {first: "
      "lumped}, vibration: [{mode: 1, amplitude: 0.01}, {mode: 3, amplitude: 0.005}]}\n",
      safety, kicks, N);
  run_record r = run_scene(text, NULL);
  double worst = 0.0, shortest, longest;
  int64_t taken;
  for (int i = 0; i <= N; i++) {
    double u = 0.0;
    for (int mode = 1; mode <= 3; mode += 2) {
      const double a = mode * acos(-1.0) / N, omega = 2.0 * N * sin(0.5 * a);
      u += (mode == 1 ? 0.01 : 0.005) * cos(a * i) * cos(omega * r.state->t);
    }
    worst = fmax(worst, fabs(r.state->q[i] - u));
  }
  assert_true(vv_sim_lengths(r.sim, &shortest, &longest, &taken));
  if (kicks[0] == 'p')
    check_least(longest / shortest, 1.02);
  else
    check_most(longest / shortest, 1.0 + 1e-3);
  check_most(fabs(r.state->t - 3.0), 2.0 * longest);
  run_free(&r);
  return worst;
}

static void test_order(void **unused)
{
  (void)unused;
  for (int plain = 0; plain < 2; plain++) {
    const char *kicks = plain ? "plain" : "golden";
    const double coarse = mode_error(0.1, kicks), fine = mode_error(0.05, kicks);
    check_most(coarse, 1e-4);
    check_near(log2(coarse / fine), 2.0, 0.15);
  }
}

static void test_way_back(void **unused)
{
  (void)unused;
  char text[TEXT];
  bars_scene(text, "linear", "cell", "golden", 0.3, 1e-3);
  run_record r = run_scene(text, &(run_options){.steps = 300});
  vv_sim_def def = vv_sim_default();
  def.step = -vv_model_step(r.model);
  vv_sim *back = NULL;
  vv_report report;
  assert_int_equal(vv_sim_create(r.model, r.state, &def, &back), VV_OK);
  assert_int_equal(vv_sim_steps(back, 300, &report), VV_OK);
  check_most(fabs(r.state->t), 1e-11);
  check_most(run_difference_q(r.state, r.initial), 1e-11);
  check_most(run_difference_p(r.state, r.initial), 1e-11);
  vv_sim_destroy(back);
  run_free(&r);
}

/* What the next step needs is in the state. */
static void test_restart(void **unused)
{
  (void)unused;
  char text[TEXT];
  bars_scene(text, "linear", "cell", "golden", 0.3, 1e-4);
  run_record whole = run_scene(text, &(run_options){.steps = 200}), half = run_scene(text, &(run_options){.steps = 90});
  vv_sim_def def = vv_sim_default();
  vv_sim *again = NULL;
  vv_report report;
  assert_int_equal(vv_sim_create(half.model, half.state, &def, &again), VV_OK);
  assert_int_equal(vv_sim_steps(again, 110, &report), VV_OK);
  assert_true(vv_state_hash(whole.state) == vv_state_hash(half.state));
  vv_sim_destroy(again);
  run_free(&half);
  /* as from a checkpoint: the simulation is made first, then the state and the book come */
  half = run_scene(text, &(run_options){.steps = 90});
  run_record fresh = run_prepare(text, NULL);
  assert_int_equal(vv_state_copy(fresh.state, half.state), VV_OK);
  assert_int_equal(vv_sim_restore(fresh.sim, vv_sim_ledger(half.sim)), VV_OK);
  assert_int_equal(vv_sim_steps(fresh.sim, 110, &report), VV_OK);
  assert_true(vv_state_hash(whole.state) == vv_state_hash(fresh.state));
  run_free(&whole), run_free(&half), run_free(&fresh);
}

/* What a push brings is booked, and the energy behind it is kept again. */
static void test_push(void **unused)
{
  (void)unused;
  char text[TEXT];
  bars_scene(text, "linear", "cell", "golden", 0.3, 1e-3);
  run_record r = run_scene(text, &(run_options){.steps = 50});
  vv_report report;
  const double impulse[3] = {0.01, 0.0, 0.0};
  assert_int_equal(vv_sim_push(r.sim, 0, 0, impulse, NULL), VV_OK);
  assert_int_equal(vv_sim_steps(r.sim, 50, &report), VV_OK);
  const vv_ledger *l = vv_sim_ledger(r.sim);
  assert_int_equal(run_ledger(&r)->fallbacks, 0);
  check_least(fabs(vv_ledger_get(l, VV_LEDGER_EXTERNAL_WORK)), 1e-4);
  check_most(fabs(vv_ledger_get(l, VV_LEDGER_CLOSURE)), 1e-12);
  run_free(&r);
}

/* Two steps of kick, drift, kick have no root now and then: counted, and the closure tells what it costs.  The golden kicks have
 * one, also where the energy equation is alone. */
static void test_no_root(void **unused)
{
  (void)unused;
  for (int plain = 0; plain < 2; plain++) {
    char text[TEXT];
    bars_scene(text, "linear", "cell", plain ? "plain" : "golden", 0.3, plain ? 1e-4 : 0.0);
    run_record r = run_scene(text, NULL);
    check_least((double)run_ledger(&r)->fallbacks, plain ? 1 : 0);
    check_most((double)run_ledger(&r)->fallbacks, plain ? 100 : 0);
    check_most(run_ledger(&r)->max_closure, plain ? 1e-2 : 1e-12);
    check_least(run_ledger(&r)->max_closure, plain ? 1e-9 : 0.0);
    run_free(&r);
  }
}

static void test_refusals(void **unused)
{
  (void)unused;
  static const char bar[] =
      "{kind: bar, length: 1, elements: 4, material: {young: 1, density: 1}, section: {area: 1}%s}";
  static const struct {
    const char *method, *more, *word;
  } row[] = {{"{step: event}", "", "leapfrog"},
             {"{step: leapfrog, order: 4}", "", "order"},
             {"{}", ", tips: {first: lumped}", "massless"},
             {"{}", ", loads: [{end: last, force: 1}]", "loads"},
             {"{}", ", damping: {mass: 0.1}", "damp"}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    char text[TEXT], body[512], message[1024];
    snprintf(body, sizeof body, bar, row[i].more);
    snprintf(
        text, TEXT,
        "visviva: 1\ntime: {end: 1, step: {safety: 0.3, variational: 0.1}}\nmethod: %s\nbodies:\n  one: %s\n  wall: "
        "{kind: obstacle, shape: {plane: {normal: [-1, 0, 0], point: [1.5, 0, 0]}}}\n",
        row[i].method, body);
    assert_int_not_equal(run_refused(text, message, sizeof message), VV_OK);
    if (strstr(message, row[i].word) == NULL) fail_msg("row %d: %s", (int)i, message);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bars_meet), cmocka_unit_test(test_beam_flies),
                                     cmocka_unit_test(test_order),     cmocka_unit_test(test_way_back),
                                     cmocka_unit_test(test_restart),   cmocka_unit_test(test_push),
                                     cmocka_unit_test(test_no_root),   cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
