/* tests/physics/test_dcr2005.c  The step of Cirak and West 2005 on surfaces: open ones, and what a projection gives back.
 *
 * A ball of level 2 falls on a square plate, both shells.  Without corrections the projection changes the energy and the
 * angular momentum; with them the latter is kept to rounding and the former better.  A flat plate and its mirror image with all
 * triangles turned over must be the same obstacle: an open surface has no outside. */
#include "check.h"

#include "run.h"
#include "sheets.h"

#include <stdio.h>

typedef struct fall {
  double energy, spin, momentum, up; /* largest closure and drifts; mean velocity of the ball at the end */
  int64_t impacts;
} fall;

static fall drop(const char *contact, const char *plate)
{
  char text[2048];
  static const char *const stuff = "thickness: 0.02, material: {young: 2.1e5, poisson: 0.3, density: 0.0785}";
  snprintf(
      text, sizeof text,
      "visviva: 1\ntime: {end: 0.004, step: 5e-6}\nmethod: {step: leapfrog}\ncontacts: [{%s}]\nbodies:\n"
      "  plate: {kind: shell, mesh: {rectangle: {size: [2, 2], pieces: [10, 10]}}, %s%s}\n"
      "  ball: {kind: shell, mesh: {sphere: {radius: 0.5, level: 2}}, %s, centre: [0.1, 0.05, 0.51], rotation: [0.3, "
      "0.5, 0.2], velocity: [10, 0, -60]}\n",
      contact, stuff, plate, stuff);
  run_record r = run_scene(text, &(run_options){.threads = 1});
  const vv_ledger *l = run_ledger(&r);
  assert_int_equal(r.report.reason, VV_REASON_DONE);
  fall f = {.energy = l->max_closure, .spin = l->max_L_drift, .momentum = l->max_p_drift, .impacts = r.n_event};
  int components;
  const int64_t n = vv_model_field_size(r.model, 1, "velocity", &components);
  double *v = test_calloc((size_t)(n * components), sizeof *v);
  assert_int_equal(vv_model_output(r.model, r.state, 1, "velocity", v), VV_OK);
  for (int64_t i = 0; i < n; i++) f.up += v[components * i + 2] / (double)n;
  test_free(v);
  run_free(&r);
  return f;
}

static void open_surfaces(void **unused)
{
  (void)unused;
  const fall paper = drop("projection: paper", ""), ours = drop("restitution: 1", "");
  assert_true(paper.impacts > 20);
  check_most(paper.momentum, 1e-13);
  check_most(paper.energy, 0.05);
  check_near(paper.up, ours.up, 0.1 * fabs(ours.up + 60.0)); /* both turn it back alike */
  /* seen from below: the plate is turned over by half a turn about x */
  const fall turned = drop("projection: paper", ", rotation: [3.141592653589793, 0, 0]");
  check_near(turned.up, paper.up, 0.1 * fabs(paper.up + 60.0));
}

static void gives_back(void **unused)
{
  (void)unused;
  const fall plain = drop("projection: paper", ""), angular = drop("projection: paper, correction: angular", ""),
             both = drop("projection: paper, correction: both", ""),
             energy = drop("projection: paper, correction: energy", "");
  check_least(plain.spin, 1e-10); /* the control */
  check_most(angular.spin, 1e-13);
  check_most(both.spin, 1e-13);
  check_most(both.momentum, 1e-13);
  check_most(energy.energy, 0.7 * plain.energy);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(open_surfaces), cmocka_unit_test(gives_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
