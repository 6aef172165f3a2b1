/* tests/physics/test_rkmk.c  Runge-Kutta-Munthe-Kaas: of fourth order, momentum exact, refused where something holds. */
#include "check.h"
#include "run.h"

#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 1024 };

static const char *const body[] = {
    "{kind: beam, length: 1, elements: 8, material: {young: 1e5, poisson: 0.3, density: 1000}, section: {circle: "
    "{radius: "
    "0.03}}, shape: {bump: {curvature: [2, 1, 0.5]}}, spin: [1, 2, 3], velocity: [1, 2, 3]}",
    "{kind: bar, length: 1, elements: 8, material: {young: 1, density: 1}, section: {area: 1}, vibration: [{mode: 2, "
    "amplitude: 0.01}], velocity: 0.3}",
    "{kind: shell, mesh: {sphere: {radius: 1, level: 1}}, thickness: 0.05, material: {young: 1e4, poisson: 0.3, "
    "density: "
    "1000}, spin: [1, 2, 3]}"};

static run_record under(const char *pull, const char *b, const char *method, double safety)
{
  char text[TEXT];
  snprintf(
      text, TEXT,
      "visviva: 1\ntime: {end: 1e9, step: {safety: %.17g}}\nmethod: {%s}\ncontacts: [{response: none}]\n%sbodies:\n "
      " body: %s\n",
      safety, method, pull, b);
  return run_scene(text, &(run_options){.steps = llround(8.0 / safety)});
}

static run_record one(const char *b, const char *method, double safety)
{
  return under("", b, method, safety);
}

/* Against itself with a step eight times shorter, at the same time. */
static void it_is_of_fourth_order(void **state)
{
  (void)state;
  for (int i = 0; i < VV_COUNT(body); i++) {
    run_record best = one(body[i], "step: rkmk", 1.0 / 64), a = one(body[i], "step: rkmk", 0.25),
               b = one(body[i], "step: rkmk", 0.125);
    check_least(log2(run_difference_q(a.state, best.state) / run_difference_q(b.state, best.state)), 3.7);
    check_most(run_ledger(&a)->max_p_drift, 1e-14);
    check_most(fabs(run_ledger(&b)->closure), fabs(run_ledger(&a)->closure) / 20.0 + 1e-13); /* of fifth order */
    run_free(&best);
    run_free(&a);
    run_free(&b);
  }
}

/* Gravity and loads: their impulses are booked as exactly as they act, their work to the order of the method. */
static void it_books_what_pushes(void **state)
{
  (void)state;
  static const char loaded[] =
      "{kind: beam, length: 1, elements: 8, material: {young: 1e5, poisson: 0.3, density: 1000}, section: {circle: "
      "{radius: 0.03}}, shape: {bump: {curvature: [2, 1, 0.5]}}, spin: [1, 2, 3], loads: [{at: 0, force: [0, 3, "
      "1]}]}";
  const char *const pulled[] = {body[0], body[1], body[2], loaded};
  for (int i = 0; i < VV_COUNT(pulled); i++) {
    run_record best = under("gravity: [1, 2, -3]\n", pulled[i], "step: rkmk", 1.0 / 64),
               a = under("gravity: [1, 2, -3]\n", pulled[i], "step: rkmk", 0.25),
               b = under("gravity: [1, 2, -3]\n", pulled[i], "step: rkmk", 0.125);
    check_least(log2(run_difference_q(a.state, best.state) / run_difference_q(b.state, best.state)), 3.7);
    check_most(run_ledger(&a)->max_p_drift, 1e-13);
    check_most(fabs(run_ledger(&b)->closure), fabs(run_ledger(&a)->closure) / 10.0 + 1e-13);
    run_free(&best);
    run_free(&a);
    run_free(&b);
  }
}

/* A method of another family comes to the same place. */
static void it_meets_the_leapfrog(void **state)
{
  (void)state;
  run_record a = one(body[0], "step: rkmk", 1.0 / 128), c = one(body[0], "step: leapfrog", 1.0 / 512),
             d = one(body[0], "step: leapfrog", 1.0 / 256);
  const double far = run_difference_q(d.state, a.state), near = run_difference_q(c.state, a.state);
  check_near(log2(far / near), 2.0, 0.1);
  run_free(&a);
  run_free(&c);
  run_free(&d);
}

static void what_holds_is_refused(void **state)
{
  (void)state;
  static const char held[] =
      "{kind: beam, length: 1, elements: 8, material: {young: 1e5, poisson: 0.3, density: 1000}, "
      "section: {circle: {radius: 0.03}}, ends: {first: pinned}}";
  const char *const more[][3] = {
      {"contacts: [{response: none}]\n", "nothing holds", held},
      {"contacts: [{between: all}]\n", "no contact", body[0]},
  };
  for (int i = 0; i < VV_COUNT(more); i++) {
    char text[2 * TEXT], message[TEXT];
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 1}\nmethod: {step: rkmk}\n%sbodies:\n  one: %s\n  floor: {kind: obstacle, shape: "
             "{plane: {normal: [0, 0, 1], offset: -9}}}\n",
             more[i][0], more[i][2]);
    assert_int_not_equal(run_refused(text, message, sizeof message), VV_OK);
    if (strstr(message, more[i][1]) == NULL) fail_msg("%s says: %s", more[i][0], message);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_of_fourth_order), cmocka_unit_test(it_meets_the_leapfrog),
                                     cmocka_unit_test(it_books_what_pushes), cmocka_unit_test(what_holds_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
