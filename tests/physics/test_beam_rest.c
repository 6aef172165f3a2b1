/* tests/physics/test_beam_rest.c  Beams that do nothing keep their claims, real errors are still seen beside the floor of
 * rounding, and the strains and resultants that are written are those of the energy in the ledger. */
#include "check.h"
#include "run.h"

#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 8192 };

static const char *const stepper[] = {"leapfrog", "energy-momentum"};

static void rod(char text[TEXT], const char *step, const char *words)
{
  const int n = snprintf(text, TEXT,
                         "visviva: 1\ntime: {end: 0.02, step: {safety: 0.8}}\nmethod: {step: %s}\nbodies:\n"
                         "  rod: {kind: beam, length: 1, material: {young: 1e9, poisson: 0.3, density: 1000},\n"
                         "        section: {rectangle: {width: 0.02, height: 0.01}}, %s}\n",
                         step, words);
  assert_in_range(n, 1, TEXT - 1);
}

static const vv_claim *energy_claim(const run_record *r)
{
  const vv_claim *claim;
  const int n = vv_sim_claims(r->sim, &claim);
  for (int i = 0; i < n; i++)
    if (strcmp(claim[i].name, "energy") == 0) return &claim[i];
  fail_msg("no claim about energy");
  return NULL;
}

/* ---- nothing happens ---- */

static void check_nothing(const char *text)
{
  run_record r = run_scene(text, NULL);
  const vv_ledger *l = run_ledger(&r);
  const vv_claim *claim;
  const int n = vv_sim_claims(r.sim, &claim);
  for (int i = 0; i < n; i++)
    if (!claim[i].kept)
      fail_msg("claim %s broken: %g > %g in\n%s", claim[i].name, claim[i].worst, claim[i].bound, text);
  check_most(vv_totals_energy(&l->now), 1e-12); /* it is only rounding, */
  check_most(l->max_gap, l->energy_floor);      /* and the floor has room for it */
  assert_true(l->closure == 0.0 && l->max_closure == 0.0);
  run_free(&r);
}

/* The newcomer's helix with the change that its comment proposes. */
static void test_helix_at_rest(void **unused)
{
  (void)unused;
  static char text[TEXT];
  FILE *f = fopen(VV_EXAMPLES_DIR "/newcomer/released-helix.yaml", "r");
  assert_non_null(f);
  const size_t n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[n] = '\0';
  char *rest = strstr(text, "\n    rest: straight");
  assert_non_null(rest);
  memcpy(rest, "\n    rest: shape   ", strlen("\n    rest: straight"));
  check_nothing(text);
}

static void test_rod_at_rest(void **unused)
{
  (void)unused;
  static const char *const words[] = {
      "elements: 20, axis: [1, 2, 3]",
      "elements: 20, axis: [1, 2, 3], position: [100, 200, -300]",
      "elements: 20, axis: [1, 2, 3], ends: {first: clamped}",
      "elements: 1, axis: [3, 2, 1], position: [1, 1, 1]",
      "elements: 20, axis: [1, 2, 3], shape: {arc: {angle: 2}}, rest: shape, strain: cayley, drift: cayley",
      "elements: 20, closed: true, shape: {arc: {angle: 6.283185307179586}}, rest: shape, strain: trapezoid"};
  char text[TEXT];
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    for (int k = 0; k < 2; k++) {
      rod(text, stepper[k], words[i]);
      check_nothing(text);
    }
  rod(text, "leapfrog, order: 6", words[1]);
  check_nothing(text);
}

/* ---- something happens that should not ---- */

/* A rod that flies slowly (about 1e-11 J); after 100 steps all its velocities grow by 5e-7, its energy by 1e-6. */
static void test_planted_error(void **unused)
{
  (void)unused;
  char text[TEXT];
  vv_report report;
  for (int k = 0; k < 2; k++) {
    rod(text, stepper[k], "elements: 20, axis: [1, 2, 3], velocity: [1e-5, 0, 0]");
    run_record r = run_prepare(text, NULL);
    assert_int_equal(vv_sim_steps(r.sim, 100, &report), VV_OK);
    const vv_ledger *l = run_ledger(&r);
    const double energy = 0.5 * 0.2 * 1e-10;
    check_near(l->energy_scale, energy, 1e-12 * energy); /* the scale is the motion's, the floor is not in it */
    check_most(l->energy_floor, 1e-8 * energy);
    check_most(l->max_closure, 1e-8);
    double *v = k == 0 ? r.state->p : r.state->memory;
    const int64_t n = k == 0 ? r.state->np : r.state->nh;
    for (int64_t i = 0; i < n; i++) v[i] *= 1.0 + 5e-7;
    assert_int_equal(vv_sim_steps(r.sim, 100, &report), VV_OK);
    check_near(l->closure, 1e-6, 1e-8);
    check_near(l->max_closure, 1e-6, 1e-8);
    if (k == 1) assert_false(energy_claim(&r)->kept);
    run_free(&r);
  }
}

/* ---- what is written ---- */

static double *field(const run_record *r, const char *name, int64_t *n)
{
  int components;
  *n = vv_model_field_size(r->model, 0, name, &components);
  assert_int_equal(components, 3);
  double *out = calloc((size_t)*n, 3 * sizeof *out);
  assert_non_null(out);
  assert_int_equal(vv_model_output(r->model, r->state, 0, name, out), VV_OK);
  return out;
}

/* sum of l/2 (n.strain + m.curvature) */
static double written_energy(const run_record *r)
{
  int64_t n;
  double *strain = field(r, "strain", &n), *curvature = field(r, "curvature", &n);
  double *force = field(r, "n", &n), *moment = field(r, "m", &n), sum = 0.0;
  for (int64_t i = 0; i < 3 * n; i++) sum += force[i] * strain[i] + moment[i] * curvature[i];
  free(strain), free(curvature), free(force), free(moment);
  return 0.5 / (double)n * sum;
}

/* At the start, and after some motion. */
static void test_written_energy(void **unused)
{
  (void)unused;
  static const char *const shape[] = {"shape: {arc: {angle: 2.5, stretch: 1.01}}",
                                      "shape: {helix: {radius: 0.1, pitch: 0.2}}, rest: shape, velocity_profile: "
                                      "[{at: [0, 1], factor: [-1, 1], direction: [3, 2, 9]}]"};
  for (int k = 0; k < 2; k++)
    for (int s = 0; s < 2; s++)
      for (int elements = 6; elements <= 24; elements *= 2) {
        char text[TEXT], words[TEXT / 2];
        vv_report report;
        snprintf(words, sizeof words, "elements: %d, axis: [1, 2, 3], %s", elements, shape[s]);
        rod(text, stepper[k], words);
        run_record r = run_prepare(text, NULL);
        assert_int_equal(vv_sim_steps(r.sim, 0, &report), VV_OK);
        const vv_ledger *l = run_ledger(&r);
        check_near(written_energy(&r), l->now.strain, 1e-12 * l->now.strain);
        assert_int_equal(vv_sim_steps(r.sim, 20, &report), VV_OK);
        check_least(l->now.strain, 1e-6);
        check_near(written_energy(&r), l->now.strain, 1e-12 * l->now.strain);
        run_free(&r);
      }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_helix_at_rest),
      cmocka_unit_test(test_rod_at_rest),
      cmocka_unit_test(test_planted_error),
      cmocka_unit_test(test_written_energy),
  };
  return cmocka_run_group_tests_name("beams at rest", tests, NULL, NULL);
}
