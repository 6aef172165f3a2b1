/* physics/test_round.c  What slides or rolls off something round: its gap opens by s^2/2R while it goes on, which its straight way does not
 * know.                                                                                                          [contact 26d] */
#include "check.h"
#include "run.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 1500 };

static const double R = 1.0, r = 0.05, g = 9.81;

#define CYLINDER "  base: {kind: obstacle, shape: {cylinder: {axis: [0, 1, 0], radius: 1}}}\n"
#define FIXED    "  base: {kind: rigid, fixed: true, shape: {ball: {radius: 1}}, position: [0, 0, 0]}\n"

/* A ball that slides without friction from the top with v leaves where the weight no longer bends its way enough, whatever the
 * restitution, for it never bounces:
 *     cos = 2/3 + v^2/(3 g L),   u = cos (v^2 + 2 g L (1 - cos))^(1/2),   L = R + r,
 * and u, along x, is what it flies on with.  Returns by how much it is off, as a part. */
static double leaves(const char *base, double v, double h, double e)
{
  char text[TEXT];
  const double L = R + r, cosine = 2.0 / 3.0 + v * v / (3.0 * g * L), energy = 0.5 * v * v + g * L;
  snprintf(
      text, sizeof text,
      "visviva: 1\ntime: {end: 1.5, step: %g}\ngravity: [0, 0, -9.81]\ncontacts: [{restitution: %g}]\nbodies:\n%s"
      "  ball: {kind: rigid, shape: {ball: {radius: 0.05}}, mass: 1, position: [0, 0, 1.05], velocity: [%g, 0, 0]}\n",
      h, e, base, v);
  run_record run = run_scene(text, NULL);
  check_most(fabs(energy - vv_ledger_get(run_ledger(&run), VV_LEDGER_TOTAL)), 1e-3 * energy);
  for (int64_t i = 0; i < run.n_event; i++) assert_string_not_equal(run.event[i].kind, "stop");
  const double flies = vv_ledger_get(run_ledger(&run), VV_LEDGER_P_X);
  run_free(&run);
  return flies / (cosine * sqrt(v * v + 2.0 * g * L * (1.0 - cosine))) - 1.0;
}

static void test_leaves(void **unused)
{
  (void)unused;
  static const char *const base[] = {CYLINDER, FIXED};
  for (int b = 0; b < 2; b++)
    for (int i = 0; i < 4; i++) {
      const double v = i % 2 == 0 ? 0.5 : 1.5, e = i / 2 == 0 ? 0.0 : 0.5;
      const double coarse = leaves(base[b], v, 1e-3, e), fine = leaves(base[b], v, 2.5e-4, e);
      print_message("  base %d, v = %g, e = %g: off by %.2e, %.2e at a quarter of the step\n", b, v, e, coarse, fine);
      check_most(fabs(coarse), 1e-3);
      check_most(fabs(fine), 1e-3);
    }
}

/* A capsule and a box that tumble off something round: where they lie along it the point that is nearest goes from end to end within a
 * step, and what is asked of the one there was would bring energy.  Nothing is stopped for that. */
static void test_tumbles_off(void **unused)
{
  (void)unused;
  static const char *const scene[] = {
      "  base: {kind: obstacle, shape: {cylinder: {axis: [0, 1, 0], radius: 1, centre: [0, 0, -1]}}}\n"
      "  body: {kind: rigid, shape: {capsule: {length: 0.1, radius: 0.05, axis: [0, 1, 0]}}, mass: 1,\n"
      "    position: [0.010165555279085907, 0, 0.12447084065028065], velocity: [0.41051203500884603, "
      "0.22849346865668702, 0],\n"
      "    spin: [4.0819129439024024, 3.9564510705830624, -4.84723059266037]}\n",
      "  base: {kind: obstacle, shape: {sphere: {radius: 1, centre: [0, 0, -1]}}}\n"
      "  body: {kind: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1,\n"
      "    position: [-0.0033211455890045545, 0, 0.14116690305592822], velocity: [0.25946291079539296, "
      "0.1187474165334329, 0],\n"
      "    spin: [0.5908537827211982, -3.166892776606247, -0.3699857431477662]}\n"};
  for (int i = 0; i < 2; i++) {
    char text[TEXT];
    snprintf(
        text, sizeof text,
        "visviva: 1\ntime: {end: 1.5, step: %s}\ngravity: [0, 0, -9.81]\ncontacts: [{restitution: %s}]\nbodies:\n%s",
        i == 0 ? "0.0005" : "0.001", i == 0 ? "0.3, friction: 1" : "0.5, friction: 0.5", scene[i]);
    run_record run = run_scene(text, NULL);
    for (int64_t k = 0; k < run.n_event; k++) assert_string_not_equal(run.event[k].kind, "stop");
    check_least(vv_ledger_get(run_ledger(&run), VV_LEDGER_KINETIC), 0.1); /* J: what is stopped has none */
    run_free(&run);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_leaves), cmocka_unit_test(test_tumbles_off)};
  return cmocka_run_group_tests_name("round", tests, NULL, NULL);
}
