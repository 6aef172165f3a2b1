/* tests/physics/test_graded.c  Beams with elements of different lengths: energies and momenta do not know the grid, the stable
 * step is that of the shortest element, equal lengths by another word give the same run, and refinement where it matters helps. */
#include "check.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 2048 };

static void beam_scene(char *text, const char *grid, const char *rules, const char *more, double end)
{
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: %g, step: {safety: 0.4}}\nbodies:\n"
           "  one: {kind: beam, length: 2, %s, material: {young: 1000, density: 1}, section: {rectangle: {width: 0.06, "
           "height: 0.04}}%s%s}\n",
           end, grid, rules, more);
}

static const char flight[] =
    ", shape: {bump: {curvature: [0.5, 0.3, 0.2]}}, velocity: [0.1, 0.2, -0.1], spin: [0.3, -0.4, 0.2]";
static const char *const rule[] = {"", ", strain: trapezoid", ", strain: cayley, drift: cayley"};

static void test_momenta_and_forms(void **unused)
{
  (void)unused;
  static const char *const grid[] = {"elements: 8, grading: 5", "elements: 5, spacing: [1, 3, 2, 0.5, 4]"};
  for (int i = 0; i < 6; i++) {
    char text[TEXT];
    const run_options options = {.check_structure = true};
    beam_scene(text, grid[i % 2], rule[i / 2], flight, 0.3);
    run_record r = run_scene(text, &options);
    vv_structure s;
    assert_true(vv_sim_structure(r.sim, &s));
    check_most(run_ledger(&r)->max_p_drift, 1e-14);
    check_most(run_ledger(&r)->max_L_drift, 1e-13);
    check_most(run_ledger(&r)->max_nodal_closure, 0.15);
    check_most(s.symplectic, 1e-13);
    check_most(s.multisymplectic, 1e-13);
    check_most(s.noether, 1e-13);
    run_free(&r);
  }
}

/* Stretched evenly, bent to an arc: the energies are those of the continuum (one point: psi = 2 tan of half the angle). */
static void test_energy_of_shapes(void **unused)
{
  (void)unused;
  char text[TEXT];
  beam_scene(text, "elements: 9, grading: 20", "", ", shape: {straight: {stretch: 1.01}}", 0.01);
  run_record r = run_scene(text, &(run_options){.steps = 1});
  check_near(run_ledger(&r)->nodal_initial, 0.5 * 1000 * 0.0024 * 1e-4 * 2, 1e-12);
  run_free(&r);
  double coarse = 0.0;
  for (int n = 8; n <= 32; n *= 2) {
    char grid[64];
    snprintf(grid, sizeof grid, "elements: %d, grading: 3", n);
    beam_scene(text, grid, ", strain: cayley", ", shape: {arc: {angle: 0.03}}", 0.01);
    run_record a = run_scene(text, &(run_options){.steps = 1});
    const double exact = 0.5 * 1000 * (0.04 * 0.06 * 0.06 * 0.06 / 12.0) * 0.015 * 0.015 * 2;
    const double error = fabs(run_ledger(&a)->nodal_initial - exact);
    if (n > 8) check_least(log2(coarse / error), 1.9); /* stretching of fourth order, bending of second */
    coarse = error;
    run_free(&a);
  }
}

static double stable_step(const char *grid, double length)
{
  char text[TEXT];
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 1, step: {safety: 0.4}}\nbodies:\n  one: {kind: beam, length: %.17g, %s, material: "
           "{young: 1000, density: 1}, section: {square: {side: 0.5}}}\n",
           length, grid);
  run_record r = run_prepare(text, NULL);
  const double h = vv_model_stable_step(r.model);
  run_free(&r);
  return h;
}

static void test_shortest_element(void **unused)
{
  (void)unused;
  check_near(stable_step("elements: 4, spacing: [4, 1, 2, 3]", 2.0), stable_step("elements: 1", 0.2), 1e-15);
  /* lengths 1, 2, 4 of 7 */
  check_near(stable_step("elements: 3, grading: 4", 7.0), stable_step("elements: 1", 1.0), 1e-14);
}

static void test_equal_lengths(void **unused)
{
  (void)unused;
  for (int i = 0; i < 3; i++) {
    char text[TEXT];
    beam_scene(text, "elements: 6", rule[i], flight, 0.5);
    run_record a = run_scene(text, NULL);
    beam_scene(text, "elements: 6, spacing: [2, 2, 2, 2, 2, 2]", rule[i], flight, 0.5);
    run_record b = run_scene(text, NULL);
    check_most(run_difference_q(a.state, b.state), 1e-11);
    check_most(run_difference_p(a.state, b.state), 1e-10);
    run_free(&a), run_free(&b);
  }
}

/* Masses and loads find their nodes; what is not there is told with the neighbours. */
static void test_words(void **unused)
{
  (void)unused;
  char text[TEXT], message[1024];
  beam_scene(text, "elements: 3, grading: 4", "", ", masses: [{at: 0.42857142857142855, mass: 3}]", 0.1);
  run_record r = run_scene(text, NULL);
  run_free(&r);
  static const struct {
    const char *grid, *rules, *more, *word;
  } row[] = {{"elements: 3, grading: 4", "", ", masses: [{at: 0.5, mass: 3}]", "0.428571"},
             {"elements: 3, spacing: [1, 2]", "", "", "one for each"},
             {"elements: 3, spacing: [1, 2, 3], grading: 2", "", "", "leave one"},
             {"elements: 9, grading: 2", ", closed: true", ", shape: {arc: {angle: 6.283185307179586}}", "open"},
             {"elements: 9, grading: 2", ", rest: shape", ", shape: {arc: {angle: 1}}", "straight"}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    beam_scene(text, row[i].grid, row[i].rules, row[i].more, 0.1);
    assert_int_not_equal(run_refused(text, message, sizeof message), VV_OK);
    if (strstr(message, row[i].word) == NULL) fail_msg("row %d: %s", (int)i, message);
  }
}

/* A cantilever with a mass at its tip, pushed a little: where its tip is after a while converges with the square of the mesh, and
 * to the same place as with equal elements. */
static double tip_after(int elements, double grading)
{
  char text[TEXT];
  snprintf(
      text, TEXT,
      "visviva: 1\ntime: {end: 2, step: 5e-4}\nbodies:\n"
      "  one: {kind: beam, length: 1, elements: %d, grading: %g, material: {young: 100, density: 1}, section: {square: "
      "{side: 0.1}},\n"
      "    ends: {first: clamped}, masses: [{at: 1, mass: 0.05}], velocity_profile: [{at: [0, 1], factor: [0, 1], "
      "direction: [0.01, 0, 0]}]}\n",
      elements, grading);
  run_record r = run_scene(text, NULL);
  const double x = r.state->q[vv_model_nodes(r.model) - 1];
  run_free(&r);
  return x;
}

static void test_convergence(void **unused)
{
  (void)unused;
  const double best = (4.0 * tip_after(64, 1.0) - tip_after(32, 1.0)) / 3.0;
  const double coarse = fabs(tip_after(8, 2.0) - best), fine = fabs(tip_after(16, 2.0) - best);
  check_most(coarse, 0.05 * fabs(best));
  check_near(log2(coarse / fine), 2.0, 0.2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_momenta_and_forms),
                                     cmocka_unit_test(test_energy_of_shapes),
                                     cmocka_unit_test(test_shortest_element),
                                     cmocka_unit_test(test_equal_lengths),
                                     cmocka_unit_test(test_words),
                                     cmocka_unit_test(test_convergence)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
