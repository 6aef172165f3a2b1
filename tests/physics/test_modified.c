/* tests/physics/test_modified.c  The modified jump keeps its energy to rounding; cell tips have no trapped mode. */
#include "cases.h"
#include "check.h"
#include "run.h"

#include "model/model.h"

#include <stdio.h>

static run_record run_case(cases_def def, const run_options *options)
{
  char text[CASES_TEXT_SZ];
  assert_true(cases_scene(&def, text, sizeof text));
  return run_scene(text, options);
}

static void test_energy_is_exact(void **unused)
{
  (void)unused;
  static const char *const tips[] = {"lumped", "split", "cell"};
  for (int number = 1; number <= CASES_COUNT; number++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 2; j++) {
        run_record r = run_case(
            (cases_def){.number = number, .tips = tips[i], .jump = "modified", .dt = j == 0 ? 0.015 : 0.06}, NULL);
        const vv_ledger *l = run_ledger(&r);
        assert_string_equal(vv_sim_energy_kind(r.sim), "modified");
        check_most(l->max_closure, 1e-12);
        check_most(l->max_p_drift, 2e-15);
        check_most(l->max_event_residual, 1e-14);
        check_most(l->max_penetration, 1e-14);
        assert_int_equal(l->fallbacks, 0);
        run_free(&r);
      }
}

static double last_event(const cases_def *def)
{
  run_record r = run_case(*def, NULL);
  const double t = r.event[r.n_event - 1].time;
  run_free(&r);
  return t;
}

/* First contact just before and just after the grid time 0.105.  The papers' rule jumps there, ours does not. */
static void test_continuous_across_a_grid_time(void **unused)
{
  (void)unused;
  cases_def def = {.number = 1, .tips = "lumped", .jump = "modified", .end = 30, .touch = 0.105 - 1e-13};
  double before = last_event(&def);
  def.touch = 0.105 + 1e-13;
  check_near(last_event(&def), before, 1e-9);
  def.jump = "slab"; /* negative control: the published integrator is discontinuous */
  def.touch = 0.105 - 1e-13;
  before = last_event(&def);
  def.touch = 0.105 + 1e-13;
  check_least(fabs(last_event(&def) - before), 1e-2);
}

/* ---- velocity of the contact nodes against the wave solution ---- */

typedef struct trace {
  const wave_bars *w;
  double sum;
  int64_t n;
} trace;

static vv_status follow_tips(const vv_view *view, void *user)
{
  trace *tr = user;
  const double t = view->state->t, from = CASES_TOUCH + 1.0, to = wave_release(tr->w) - 1.0;
  if (t < from || t > to) return VV_OK;
  for (int side = 0; side < 2; side++) {
    const vv_body *b = &view->model->body[side];
    const vv_block *block = &view->model->block[b->block];
    const int64_t node = block->p0 + (side == 0 ? b->node0 + b->n_node - 1 : b->node0);
    const double v = view->state->p[node] / block->node_real[node - block->p0];
    const double d = v - wave_tip_velocity(tr->w, side == 0 ? WAVE_A : WAVE_B, t);
    tr->sum += d * d;
    tr->n++;
  }
  return VV_OK;
}

static double tip_rms(const char *tips, int n)
{
  static wave_bars w;
  const cases_def def = {.number = 1, .tips = tips, .jump = "modified", .elements = {n, n}, .dt = 0.75 / n, .end = 25};
  assert_true(cases_wave(&def, &w));
  trace tr = {.w = &w};
  const run_options options = {.observe = follow_tips, .user = &tr};
  run_record r = run_case(def, &options);
  run_free(&r);
  check_least((double)tr.n, 100);
  return sqrt(tr.sum / (double)tr.n);
}

static void test_cell_tips_do_not_ring(void **unused)
{
  (void)unused;
  double before = INFINITY;
  for (int n = 25; n <= 200; n *= 2) {
    const double rms = tip_rms("cell", n);
    check_most(rms, 0.8 * before);
    if (n == 50) check_most(rms, 0.01);
    before = rms;
  }
  check_least(tip_rms("split", 50), 0.03); /* negative control: the trapped mode of split tips stays */
  check_least(tip_rms("split", 200), 0.03);
}

/* Ten thousand bounces between two walls: the energy does not drift. */
static void test_many_bounces(void **unused)
{
  (void)unused;
  const char *text = "visviva: 1\ntime: {end: 6000, step: 0.03}\nmethod: {step: event, jump: modified}\nbodies:\n"
                     "  bar: {kind: bar, tips: {first: lumped}, length: 0.2, elements: 5, material: {young: 1, "
                     "density: 1}, section: {area: "
                     "1}, velocity: 0.5}\n"
                     "  left: {kind: obstacle, shape: {plane: {normal: [1, 0, 0], offset: -0.1}}}\n"
                     "  right: {kind: obstacle, shape: {plane: {normal: [-1, 0, 0], offset: -0.3}}}\n";
  run_record r = run_scene(text, NULL);
  check_least((double)run_ledger(&r)->impacts, 1e4);
  check_most(run_ledger(&r)->max_closure, 1e-12);
  check_most(run_ledger(&r)->max_p_drift, 1e-11); /* sum of 1e4 booked impulses, each to rounding */
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_energy_is_exact),
      cmocka_unit_test(test_continuous_across_a_grid_time),
      cmocka_unit_test(test_cell_tips_do_not_ring),
      cmocka_unit_test(test_many_bounces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
