/* tests/sim/test_rest.c  A step that begins as the last one did is not computed again.  What it leaves, books and tells is to
 * the bit what it would be if it were, and what physics says. */
#include "check.h"
#include "contact/contact.h"
#include "run.h"
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 1024, STEPS = 240, COLUMNS = 9, BOXES = 27 };
static const double step = 1.0 / 240.0, weight = 9.81;

/* Boxes of 1 kg in columns of three. */
static run_record open_run(int threads)
{
  char text[TEXT];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1e3, step: %.17g}\ngravity: [0, 0, -9.81]\nrecord: {ledger: 1e6}\n"
           "contacts: [{restitution: 0, friction: 0.5}]\nbodies:\n"
           "  boxes: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, mass: 1, position: [0, 0, 0.5], copies: {grid: "
           "{count: [3, 3, 3], spacing: [1.5, 1.5, 1]}}}\n"
           "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n",
           step);
  return run_prepare(text, &(run_options){.threads = threads});
}

/* In parts, after each of which all that is not in the state may be forgotten. */
static void go(run_record *r, int64_t n, int64_t part, bool forget)
{
  vv_report report;
  for (int64_t done = 0; done < n; done += part) {
    assert_int_equal(vv_sim_steps(r->sim, part, &report), VV_OK);
    assert_int_equal(report.reason, VV_REASON_DONE);
    if (forget) r->model->stepper->forget(&r->sim->step);
  }
}

/* A box on top gets a push: it slides, stops, and rests again. */
static void push(run_record *r)
{
  assert_int_equal(vv_sim_push(r->sim, 0, BOXES - 1, (const double[3]){0.3, 0, 0}, NULL), VV_OK);
}

static void same_books(const run_record *a, const run_record *b)
{
  const vv_ledger *x = run_ledger(a), *y = run_ledger(b);
  double row[2][VV_LEDGER_COLUMNS];
  vv_ledger_row(x, VV_LEDGER_COLUMNS, row[0]), vv_ledger_row(y, VV_LEDGER_COLUMNS, row[1]);
  for (int i = 0; i < VV_LEDGER_COLUMNS; i++)
    if (memcmp(&row[0][i], &row[1][i], sizeof row[0][i]) != 0)
      fail_msg("%s: %.17g and %.17g", vv_ledger_name(i), row[0][i], row[1][i]);
  assert_int_equal(vv_ledger_pairs(x), vv_ledger_pairs(y));
  for (int64_t i = 0; i < vv_ledger_pairs(x); i++) {
    vv_contact_total one = {0}, other = {0};
    assert_int_equal(vv_ledger_pair(x, i, &one), VV_OK);
    assert_int_equal(vv_ledger_pair(y, i, &other), VV_OK);
    assert_memory_equal(&one, &other, sizeof one);
  }
  assert_true(vv_state_hash(a->state) == vv_state_hash(b->state));
}

static void test_same_as_computed(void **unused)
{
  (void)unused;
  static const int64_t part[] = {1, 8};
  for (int k = 0; k < VV_COUNT(part); k++) {
    run_record r[3] = {open_run(1), open_run(1), open_run(2)};
    for (int pushes = 0; pushes < 3; pushes++) {
      for (int i = 0; i < 3; i++) {
        if (pushes > 0) push(&r[i]);
        go(&r[i], STEPS, part[k], i == 1);
      }
      for (int i = 1; i < 3; i++) same_books(&r[0], &r[i]);
    }
    assert_true(vvi_contact_stays(r[0].sim->step.contact));                 /* it was not computed, */
    assert_true(part[k] > 1 || !vvi_contact_stays(r[1].sim->step.contact)); /* and that was */
    for (int i = 0; i < 3; i++) run_free(&r[i]);
  }
}

/* The floor carries three boxes per column for the whole time, in every window of it. */
static void test_histories_of_rest(void **unused)
{
  (void)unused;
  run_record r = open_run(1);
  go(&r, 20 * STEPS, 20 * STEPS, false);
  const vv_ledger *l = run_ledger(&r);
  const double time = 20 * STEPS * step;
  int floors = 0;
  assert_int_equal(vv_ledger_pairs(l), BOXES);
  for (int64_t i = 0; i < BOXES; i++) {
    vv_contact_total c;
    assert_int_equal(vv_ledger_pair(l, i, &c), VV_OK);
    const bool floor = c.body[0] != c.body[1];
    const double above = floor ? 3.0 : c.copy[1] / COLUMNS == 1 ? 2.0 : 1.0;
    floors += floor;
    assert_int_equal(c.episodes, 1);
    assert_int_equal(c.open, 1);
    assert_int_equal(c.impulses, 4 * 20 * STEPS);
    check_near(c.duration, time - step, 1e-12 * time);
    /* half the impulse of the first step was taken back before it, and that of the last is half given */
    check_near(fabs(c.impulse[2]), above * weight * (time - 0.5 * step), 1e-12 * above * weight * time);
    check_near(c.normal, fabs(c.impulse[2]), 1e-12 * c.normal);
    check_near(c.peak_force, above * weight, 1e-9 * above * weight);
    assert_true(c.energy_lost == 0.0);
  }
  assert_int_equal(floors, COLUMNS);
  assert_true(l->now.kinetic == 0.0);
  check_most(l->max_p_drift, 1e-13);
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_as_computed), cmocka_unit_test(test_histories_of_rest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
