/* tests/physics/test_parts.c  Rigid and shape parts of a motion.                                              [ledger 18] */
#include "check.h"
#include "run.h"

#include "model/parts.h"

static double kinetic(const run_record *r)
{
  double sum = 0.0, t[VV_BODY_TOTALS];
  for (int i = 0; i < r->model->n_body; i++) {
    assert_int_equal(vv_model_totals(r->model, r->state, i, t), VV_OK);
    sum += t[0];
  }
  return sum;
}

static vvi_parts parts_of(const char *text, double *all)
{
  run_record r = run_prepare(text, NULL);
  vvi_parts p;
  vvi_parts_of(r.model, r.state, &p);
  *all = kinetic(&r);
  run_free(&r);
  return p;
}

#define HEAD "visviva: 1\ntime: {end: 0.01, step: 1e-4}\ncontacts: [{response: none}]\nbodies:\n"
#define BOX  "{kind: rigid, shape: {box: {size: [1, 0.6, 0.3]}}, density: 100, "

/* One body that turns: its own inertia, no shape. */
static void test_one_body(void **unused)
{
  (void)unused;
  double all;
  const vvi_parts p =
      parts_of(HEAD "  box: " BOX "position: [1, 2, 3], velocity: [1, 0, 2], spin: [3, -1, 2]}\n", &all);
  const double w[3] = {3, -1, 2}, size[3] = {1, 0.6, 0.3};
  check_near(p.mass, 18, 1e-12);
  for (int c = 0; c < 3; c++) {
    const double a = size[(c + 1) % 3], b = size[(c + 2) % 3];
    check_near(p.inertia[c], 18.0 / 12.0 * (a * a + b * b), 1e-12);
    check_near(p.inertia[3 + c], 0, 1e-12);
    check_near(p.spin[c], w[c], 1e-12);
  }
  check_near(p.rigid, all, 1e-12 * all);
  check_near(p.shape, 0, 1e-12 * all);
}

/* A shell and a beam that are given a rigid motion have no shape part, and any motion has parts that add up. */
static void test_add_up(void **unused)
{
  (void)unused;
  static const char *const body[] = {"  b: {kind: shell, mesh: {sphere: {radius: 1, frequency: 3}}, thickness: 0.1, "
                                     "material: {young: 1e5, poisson: 0.3, "
                                     "density: 100}, centre: [0, 0, 2], velocity: [1, 2, 3], spin: [3, 2, 1]%s}\n",
                                     "  b: {kind: beam, length: 1, elements: 10, material: {young: 1e5, poisson: 0.3, "
                                     "density: 1000}, section: {square: "
                                     "{side: 0.05}}, velocity: [1, 2, 3], spin: [3, 2, 1]%s}\n"};
  static const char *const more[] = {
      ", velocities: [{low: [0, -9, -9], high: [9, 9, 9], velocity: [0, 3, 0]}]",
      ", velocity_profile: [{at: [0, 0.3, 1], factor: [0, 1, 0], direction: [1, 2, 3]}]"};
  for (int k = 0; k < 2; k++)
    for (int shaped = 0; shaped < 2; shaped++) {
      char text[1024];
      double all;
      int n = snprintf(text, sizeof text, HEAD);
      snprintf(text + n, sizeof text - (size_t)n, body[k], shaped ? more[k] : "");
      const vvi_parts p = parts_of(text, &all);
      check_near(p.rigid + p.shape, all, 1e-12 * all);
      if (shaped)
        check_least(p.shape, 1e-3 * all);
      else
        check_most(p.shape, 1e-12 * all);
    }
}

/* Two balls that fly past each other turn as one with m b v/2 over their locked inertia; a bar on its line does not turn. */
static void test_systems(void **unused)
{
  (void)unused;
  double all;
  vvi_parts p = parts_of(
      HEAD "  a: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 2, position: [0, 1, 0], velocity: [3, 0, 0]}\n"
           "  b: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 2, position: [0, -1, 0], velocity: "
           "[-3, 0, 0]}\n",
      &all);
  const double own = 2 * 0.4 * 2 * 0.01, turn = 2 * 2 + own;
  check_near(p.inertia[2], turn, 1e-12);
  check_near(p.spin[2], -12 / turn, 1e-12);
  check_near(p.rigid, 0.5 * 144 / turn, 1e-12);
  check_near(p.rigid + p.shape, all, 1e-12);
  p = parts_of(HEAD "  bar: {kind: bar, length: 1, elements: 20, material: {young: 5, density: 2}, section: {area: 1}, "
                    "velocity: 3, vibration: [{mode: 1, velocity: 0.5}]}\n",
               &all);
  check_near(p.rigid, 0.5 * 2 * 9, 1e-12);
  check_near(p.rigid + p.shape, all, 1e-12);
  check_least(p.shape, 1e-3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_body), cmocka_unit_test(test_add_up),
                                     cmocka_unit_test(test_systems)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
