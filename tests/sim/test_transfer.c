/* tests/sim/test_transfer.c  Other grids between two steps: momenta to rounding, losses booked and of second order, nothing gained
 * on nested grids of bars, contacts that last. */
#include "check.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 2048 };

static const char bar[] =
    "{kind: bar, length: 1, %s, material: {young: 1, density: 1, law: %s}, section: {area: 1}, axis: [1, 2, "
    "-2], origin: [0.3, -1, 2], velocity: 0.2, vibration: [{mode: 1, amplitude: 0.01}, {mode: 2, "
    "amplitude: 0.005, velocity: 0.02}]}";
static const char beam[] = "{kind: beam, length: 2, %s, strain: %s, material: {young: 100, density: 1}, section: "
                           "{rectangle: {width: 0.2, height: "
                           "0.1}}, shape: {bump: {curvature: [0.5, 0.3, 0.2]}}, position: [1, -2, 0.5], velocity: "
                           "[0.1, 0.2, -0.1], spin: [0.3, -0.4, "
                           "0.2]}";

static void scene(char *text, const char *body, const char *grid, const char *rule, double step)
{
  char line[1024];
  snprintf(line, sizeof line, body, grid, rule);
  snprintf(text, TEXT, "visviva: 1\ntime: {end: 1, step: %.17g}\nmethod: {step: leapfrog}\nbodies:\n  one: %s\n", step,
           line);
}

/* Half a run on one grid, the other half on another: J lost between them. */
static double change(const char *first, const char *second, int64_t steps)
{
  run_record a = run_scene(first, &(run_options){.steps = steps}), b = run_prepare(second, NULL);
  vv_report report;
  double before[VV_BODY_TOTALS], after[VV_BODY_TOTALS], lost, size = 0.0;
  assert_int_equal(vv_sim_transfer(a.model, a.state, b.model, b.state), VV_OK);
  assert_int_equal(vv_model_totals(a.model, a.state, 0, before), VV_OK);
  assert_int_equal(vv_model_totals(b.model, b.state, 0, after), VV_OK);
  for (int i = 3; i < VV_BODY_TOTALS; i++) size = fmax(size, fabs(before[i]));
  for (int i = 3; i < VV_BODY_TOTALS; i++) check_near(after[i], before[i], 4e-15 * size);
  check_near(b.state->t, a.state->t, 1e-12);
  assert_int_equal(vv_sim_adopt(b.sim, vv_sim_ledger(a.sim), &lost), VV_OK);
  assert_int_equal(vv_sim_steps(b.sim, 20, &report), VV_OK);
  const vv_ledger *l = vv_sim_ledger(b.sim);
  check_near(vv_ledger_get(l, VV_LEDGER_STEP_LOSS) - vv_ledger_get(l, VV_LEDGER_EXTERNAL_WORK), lost, 1e-15);
  check_most(vv_ledger_get(l, VV_LEDGER_MAX_P_DRIFT), 1e-13);
  check_most(vv_ledger_get(l, VV_LEDGER_MAX_L_DRIFT), 1e-13);
  if (strstr(first, "linear") != NULL) check_most(vv_ledger_get(l, VV_LEDGER_MAX_CLOSURE), 1e-12);
  run_free(&a), run_free(&b);
  return lost;
}

static void test_bars(void **unused)
{
  (void)unused;
  static const char *const grid[] = {"elements: 16", "elements: 32", "elements: 8", "elements: 11, grading: 3"};
  static const char *const law[] = {"linear", "neo-hookean"};
  char a[TEXT], b[TEXT];
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        scene(a, bar, grid[i], law[k], 0.005);
        scene(b, bar, grid[j], law[k], 0.005);
        const double lost = change(a, b, 60);
        if (i < 3 && j < 3 && k == 0)
          check_least(lost, -1e-7); /* nested: only the energy of the step itself may grow */
        if (i == j && i < 3) check_most(fabs(lost), 1e-16);
      }
}

static void test_beams(void **unused)
{
  (void)unused;
  static const char *const grid[] = {"elements: 8", "elements: 16", "elements: 5, spacing: [1, 2, 3, 2, 1]"};
  static const char *const strain[] = {"one-point", "cayley"};
  char a[TEXT], b[TEXT];
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        scene(a, beam, grid[i], strain[k], 0.002);
        scene(b, beam, grid[j], strain[k], 0.002);
        change(a, b, 100);
      }
}

/* What a smooth motion loses by a finer grid falls with the square of the elements. */
static void test_order(void **unused)
{
  (void)unused;
  double coarse = 0.0;
  for (int n = 16; n <= 64; n *= 2) {
    char a[TEXT], b[TEXT], grid[64];
    snprintf(grid, sizeof grid, "elements: %d", n);
    scene(a, bar, grid, "linear", 0.001);
    snprintf(grid, sizeof grid, "elements: %d", 2 * n);
    scene(b, bar, grid, "linear", 0.001);
    const double lost = change(a, b, 300);
    if (n > 16) check_near(log2(coarse / lost), 2.0, 0.1);
    coarse = lost;
  }
}

/* Two bars pressed together get other grids: the contact goes on, momenta are kept, and they part. */
static void test_in_contact(void **unused)
{
  (void)unused;
  static const char two[] =
      "visviva: 1\ntime: {end: 4, step: 0.005}\nbodies:\n"
      "  left: {kind: bar, length: 1, elements: %d, material: {young: 1, density: 1}, section: {area: "
      "1}, position: -1.01, velocity: 0.1}\n"
      "  right: {kind: bar, length: 1, elements: %d, material: {young: 1, density: 1}, section: {area: "
      "1}, velocity: -0.1}\n";
  char a[TEXT], b[TEXT];
  vv_report report;
  double lost;
  snprintf(a, TEXT, two, 20, 20);
  snprintf(b, TEXT, two, 40, 30);
  run_record x = run_scene(a, &(run_options){.steps = 200}), y = run_prepare(b, NULL);
  assert_int_equal(run_ledger(&x)->contacts, 1);
  assert_int_equal(vv_sim_transfer(x.model, x.state, y.model, y.state), VV_OK);
  assert_int_equal(vv_sim_adopt(y.sim, vv_sim_ledger(x.sim), &lost), VV_OK);
  assert_int_equal(vv_sim_run(y.sim, &report), VV_OK);
  const vv_ledger *l = vv_sim_ledger(y.sim);
  check_most(vv_ledger_get(l, VV_LEDGER_MAX_CLOSURE), 1e-12);
  check_most(vv_ledger_get(l, VV_LEDGER_MAX_P_DRIFT), 1e-13);
  assert_true(vv_ledger_get(l, VV_LEDGER_CONTACTS) == 0.0);
  double totals[VV_BODY_TOTALS];
  assert_int_equal(vv_model_totals(y.model, y.state, 0, totals), VV_OK);
  check_near(totals[3], -0.1, 0.01); /* they have exchanged their velocities */
  run_free(&x), run_free(&y);
}

/* What the second scene has otherwise beside its grid: the run does not go on, and the message names it. */
static void check_told(const char *first, const char *text, const char *from, const char *to, const char *word)
{
  char other[TEXT];
  const char *at = strstr(text, from);
  assert_non_null(at);
  snprintf(other, TEXT, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  run_record x = run_scene(first, &(run_options){.steps = 20}), y = run_prepare(other, NULL);
  assert_int_not_equal(vv_sim_transfer(x.model, x.state, y.model, y.state), VV_OK);
  assert_non_null(strstr(vv_ctx_message(y.ctx, 0), word));
  run_free(&x), run_free(&y);
}

static void test_another_body(void **unused)
{
  (void)unused;
  char a[TEXT], b[TEXT];
  scene(a, bar, "elements: 16", "linear", 0.005);
  scene(b, bar, "elements: 32", "linear", 0.005);
  check_told(a, b, "density: 1", "density: 4", "'material' of 'one'");
  check_told(a, b, "area: 1", "area: 2", "'section' of 'one'");
  check_told(a, b, "velocity: 0.2,", "velocity: 0.2, position: 0.01,", "'position' of 'one'");
  check_told(a, b, "axis: [1, 2, -2]", "axis: [2, 1, -2]", "'axis' of 'one'");
  check_told(a, b, "origin: [0.3", "origin: [0.4", "'origin' of 'one'");
  check_told(a, b, "bodies:", "gravity: [0, 0, 1]\nbodies:", "'gravity'");
  check_told(a, b, "bodies:", "units: {length: mm, mass: kg, time: s}\nbodies:", "'units'");
  check_told(a, b, "end: 1,", "end: 0.05,", "later end");
  scene(a, beam, "elements: 8", "one-point", 0.002);
  scene(b, beam, "elements: 16", "one-point", 0.002);
  check_told(a, b, "young: 100", "young: 50", "'material' of 'one'");
}

static void test_refusals(void **unused)
{
  (void)unused;
  char a[TEXT], b[TEXT];
  scene(a, bar, "elements: 16", "linear", 0.005);
  run_record x = run_scene(a, &(run_options){.steps = 61});
  scene(b, beam, "elements: 8", "one-point", 0.005 * 61 / 155);
  run_record y = run_prepare(b, NULL);
  assert_int_not_equal(vv_sim_transfer(x.model, x.state, y.model, y.state), VV_OK);
  assert_non_null(strstr(vv_ctx_message(y.ctx, 0), "was a bar"));
  run_free(&y);
  scene(b, bar, "elements: 8", "linear", 0.004);
  y = run_prepare(b, NULL);
  assert_int_not_equal(vv_sim_transfer(x.model, x.state, y.model, y.state), VV_OK);
  assert_non_null(strstr(vv_ctx_message(y.ctx, 0), "does not divide"));
  run_free(&y), run_free(&x);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bars),     cmocka_unit_test(test_beams),
                                     cmocka_unit_test(test_order),    cmocka_unit_test(test_in_contact),
                                     cmocka_unit_test(test_refusals), cmocka_unit_test(test_another_body)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
