/* tests/sim/test_space.c  Evolution in space: it gives the run back to rounding times growth, growth is that of theory, the form in
 * space is kept. */
#include "check.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 2048, NODES = 32 };

static int64_t march(const char *body, double safety, int64_t steps, vv_space_row row[NODES])
{
  char text[TEXT];
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 50, step: {safety: %g}}\nmethod: {step: leapfrog}\nbodies:\n  one: %s\n", safety,
           body);
  run_record r = run_prepare(text, NULL);
  int64_t n = 0;
  assert_int_equal(vv_sim_space(r.model, r.state, 0, steps, row, &n), VV_OK);
  run_free(&r);
  return n;
}

/* Of a bar with the step C dt_c a disturbance of the highest frequency grows by ((1 + sqrt(1 - C^2))/C)^2 per element; at C = 1 it
 * does not grow at all, and the run comes back whole. */
static void test_bar(void **unused)
{
  (void)unused;
  static const char *const law[] = {"linear", "neo-hookean"};
  for (int i = 0; i < 2; i++)
    for (double c = 0.6; c < 0.95; c += 0.3) {
      char body[512];
      vv_space_row row[NODES];
      snprintf(body, sizeof body,
               "{kind: bar, length: 1, elements: 16, material: {young: 1, density: 1, law: %s}, section: {area: 1}, "
               "velocity: "
               "0.2, vibration: [{mode: 1, amplitude: 0.01}, {mode: 2, amplitude: 0.005, velocity: 0.02}]}",
               law[i]);
      assert_int_equal(march(body, c, 100, row), 17);
      const double per = pow((1.0 + sqrt(1.0 - c * c)) / c, 2.0);
      check_near(log(row[16].growth / row[12].growth) / 4.0, log(per), 0.05 * log(per) + 0.04); /* as per^a/sqrt(a) */
      for (int a = 0; a < 17; a++) {
        check_most(row[a].difference, 1e-16 * (4.0 + row[a].growth));
        check_most(row[a].form, 1e-14);
        assert_int_equal(row[a].levels, 101 - 2 * a);
      }
    }
}

static void test_beam(void **unused)
{
  (void)unused;
  static const char *const strain[] = {"one-point", "trapezoid", "cayley"};
  for (int i = 0; i < 3; i++) {
    char body[512];
    vv_space_row row[NODES];
    snprintf(
        body, sizeof body,
        "{kind: beam, length: 2, elements: 10, strain: %s, material: {young: 10, density: 1}, section: {square: {side: "
        "0.8}}, shape: {bump: {curvature: [0.5, 0.3, 0.2]}}, velocity: [0.1, 0.2, -0.1], spin: [0.3, -0.4, 0.2]}",
        strain[i]);
    check_least((double)march(body, 0.9, 100, row), 6);
    for (int a = 0; a < 5; a++) {
      check_most(row[a].difference, 1e-11 * (1.0 + row[a].growth));
      check_most(row[a].form, 1e-12);
    }
    check_least(row[4].growth, 1e2); /* ill-posed: it grows */
  }
}

/* Loads, supports, other drifts, too few levels: told. */
static void test_refusals(void **unused)
{
  (void)unused;
  static const struct {
    const char *more;
    int64_t steps;
  } row[] = {{", ends: {first: clamped}", 200}, {", drift: cayley", 200}, {"", 10}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    char text[TEXT];
    vv_space_row out[NODES];
    int64_t n;
    snprintf(text, TEXT,
             "visviva: 1\ntime: {end: 50, step: {safety: 0.5}}\nbodies:\n  one: {kind: beam, length: 2, elements: 4, "
             "material: "
             "{young: 10, density: 1}, section: {square: {side: 0.8}}%s}\n",
             row[i].more);
    run_record r = run_prepare(text, NULL);
    assert_int_not_equal(vv_sim_space(r.model, r.state, 0, row[i].steps, out, &n), VV_OK);
    assert_int_not_equal(vv_ctx_message_count(r.ctx), 0);
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bar), cmocka_unit_test(test_beam),
                                     cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
