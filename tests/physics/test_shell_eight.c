/* tests/physics/test_shell_eight.c  Eight cubes that fly into each other, straight and turned: nothing crosses in any step,
 * nothing pulls, energy is of second order, and the search decides no bit. */
#include "check.h"

#include "run.h"
#include "sheets.h"
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 1 << 13 };

static void eight(char *text, double pitch, bool turned, double speed, double step, int steps, double e, double mu)
{
  uint64_t seed = 77;
  int at =
      snprintf(text, TEXT,
               "visviva: 1\ntime: {end: %.17g, step: %.17g}\ncontacts: [{restitution: %g, friction: %g, self: true}]\n"
               "bodies:\n  cubes: {kind: shell, mesh: {cube: {edge: 1, pieces: 2}}, thickness: 0.05, material: {young: "
               "2.1e5, poisson: 0.3, density: 0.7085}, copies: [",
               step * steps, step, e, mu);
  for (int i = 0; i < 8; i++) {
    const double x[3] = {pitch * (i % 2), pitch * (i / 2 % 2), pitch * (i / 4)};
    double v[3], turn[3];
    for (int c = 0; c < 3; c++) {
      v[c] = -speed * (x[c] - 0.5 * pitch) + 0.05 * speed * sheet_noise(&seed);
      turn[c] = turned ? 3.0 * sheet_noise(&seed) : 0.0;
    }
    at += snprintf(text + at, TEXT - (size_t)at,
                   "%s\n    {centre: [%g, %g, %g], velocity: [%g, %g, %g], rotation: [%g, %g, %g]}", i == 0 ? "" : ",",
                   x[0], x[1], x[2], v[0], v[1], v[2], turn[0], turn[1], turn[2]);
  }
  snprintf(text + at, TEXT - (size_t)at, "]}\n");
}

static vv_status look(const vv_view *view, void *user)
{
  int64_t *crossed = user;
  *crossed += sheet_intersections(view->model, view->state);
  return VV_OK;
}

static double lost(const vv_ledger *l)
{
  return (vv_sum_value(&l->posted.friction_loss) + vv_sum_value(&l->posted.restitution_loss)) / l->energy_scale;
}

/* Every step is looked at; losses only where there are any, and they never shrink; no contact pulls. */
static void crowds(void **unused)
{
  (void)unused;
  static const double law[5][2] = {{1, 0}, {1, 0.5}, {0.5, 0}, {0.5, 0.5}, {0, 0}};
  for (int turned = 0; turned < 2; turned++)
    for (int k = 0; k < 5; k++) {
      char text[TEXT];
      int64_t crossed = 0;
      eight(text, turned ? 1.8 : 1.1, turned, 60.0, 1e-5, turned ? 800 : 400, law[k][0], law[k][1]);
      run_record r = run_scene(text, &(run_options){.observe = look, .user = &crossed});
      const vv_ledger *l = run_ledger(&r);
      print_message("  e %g mu %g: E %.1e P %.1e L %.1e lost %.1f %% impacts %ld held %ld\n", law[k][0], law[k][1],
                    l->max_closure, l->max_p_drift, l->max_L_drift, 100.0 * lost(l), (long)l->impacts, (long)l->held);
      assert_int_equal(crossed, 0);
      assert_int_equal(contact_counts(r.sim)->unresolved, 0);
      check_most(l->max_closure, 1e-4);
      check_most(l->max_shrink, 1e-12 * l->energy_scale);
      check_most(l->max_p_drift, 1e-12);
      check_most(l->max_L_drift, 1e-12);
      check_least((double)(l->impacts + l->held), 50.0);
      for (int64_t i = 0; i < r.n_event; i++) check_least(r.event[i].normal_impulse, 0.0);
      if (k == 0) check_most(lost(l), 0.0);
      if (k > 0) check_least(lost(l), 1e-3);
      run_free(&r);
    }
}

/* A step twice as short: a quarter of the error. */
static void second_order(void **unused)
{
  (void)unused;
  double error[3];
  for (int k = 0; k < 3; k++) {
    char text[TEXT];
    eight(text, 1.8, true, 60.0, 1.6e-5 / (1 << k), 500 << k, 1.0, 0.0);
    run_record r = run_scene(text, NULL);
    error[k] = run_ledger(&r)->max_closure;
    assert_true(run_ledger(&r)->impacts > 20);
    run_free(&r);
  }
  print_message("  %.2e %.2e %.2e\n", error[0], error[1], error[2]);
  check_least(error[0] / error[2], 8.0);
}

/* When lists are built, how wide their skin is and how many threads look does not change a bit. */
static void the_same_bits(void **unused)
{
  (void)unused;
  char text[TEXT];
  eight(text, 1.8, true, 60.0, 1e-5, 800, 0.5, 0.3);
  run_record a = run_prepare(text, &(run_options){.threads = 1}), b = run_prepare(text, &(run_options){.threads = 3});
  vvi_sheet_search *search = b.sim->step.contact->features->search;
  vv_report report;
  search->skin *= 2.5;
  for (int k = 0; k < 100; k++) {
    assert_int_equal(vv_sim_steps(a.sim, 8, &report), VV_OK);
    assert_int_equal(vv_sim_steps(b.sim, 8, &report), VV_OK);
    if (k % 7 == 3) vvi_sheet_forget(search); /* as resumed */
    assert_memory_equal(a.state->p, b.state->p, sizeof(double) * (size_t)a.state->np);
    assert_memory_equal(a.state->q, b.state->q, sizeof(double) * (size_t)a.state->nq);
  }
  assert_true(run_ledger(&a)->impacts > 20);
  run_free(&a);
  run_free(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(crowds), cmocka_unit_test(second_order),
                                     cmocka_unit_test(the_same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
