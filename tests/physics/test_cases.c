/* tests/physics/test_cases.c  The published cases as scenes, and the reference events: are the helpers right? */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include "support/cases.h"
#include "support/events_csv.h"

#include <math.h>
#include <string.h>

static bool has(const char *text, const char *line)
{
  return strstr(text, line) != NULL;
}

static void test_scene_of_case_4(void **state)
{
  (void)state;
  char text[CASES_TEXT_SZ];
  assert_true(cases_scene(&(cases_def){.number = 4, .tips = "split"}, text, sizeof text));
  assert_true(has(text, "time: {end: 40, step: 0.015}\n"));
  assert_true(has(text, "method: {step: event, jump: slab}\n"));
  assert_true(has(text, "    tips: {first: lumped, last: split}\n    position: -10.02\n    velocity: 0.1\n"));
  assert_true(has(text, "    length: 5\n    elements: 25\n"));
  assert_true(has(text, "    tips: {first: split, last: lumped}\n    position: 0\n    velocity: -0.1\n"));
}

static void test_cells_at_both_ends(void **state)
{
  (void)state;
  char text[CASES_TEXT_SZ];
  const cases_def def = {.number = 6, .tips = "cell", .jump = "modified", .dt = 0.06, .end = 5, .elements = {7, 9}};
  assert_true(cases_scene(&def, text, sizeof text));
  assert_true(has(text, "time: {end: 5, step: 0.06}\nmethod: {step: event, jump: modified}\n"));
  assert_true(has(text, "elements: 7\n") && has(text, "elements: 9\n") && !has(text, "lumped"));
  assert_true(has(text, "    position: -10.1\n    velocity: 1\n"));
}

static void test_scene_refusals(void **state)
{
  (void)state;
  char text[CASES_TEXT_SZ];
  assert_false(cases_scene(&(cases_def){.number = 0}, text, sizeof text));
  assert_false(cases_scene(&(cases_def){.number = 7}, text, sizeof text));
  assert_false(cases_scene(&(cases_def){.number = 1}, text, 100));
}

static void test_elements(void **state)
{
  (void)state;
  const int expected[CASES_COUNT] = {50, 50, 50, 25, 25, 50};
  for (int i = 0; i < CASES_COUNT; i++) {
    assert_int_equal(cases_elements(i + 1, 0), 50);
    assert_int_equal(cases_elements(i + 1, 1), expected[i]);
  }
}

/* Counts, order and the common first contact of the reference events. */
static void test_reference_events(void **state)
{
  (void)state;
  const int count[3][2] = {{19, 4}, {16, 4}, {28, 32}};
  events_csv list;
  char error[256] = "";
  if (!events_csv_bars(&list, error, sizeof error)) fail_msg("%s", error);
  for (int number = 1; number <= 3; number++)
    for (int integrator = 1; integrator <= 2; integrator++) {
      int n;
      const events_row *r = events_csv_of(&list, number, integrator, &n);
      assert_int_equal(n, count[number - 1][integrator - 1]);
      assert_true(fabs(r[0].time - CASES_TOUCH) < 1e-12);
      for (int i = 0; i < n; i++) {
        assert_int_equal(r[i].event, i);
        assert_int_equal(r[i].number, number);
        assert_string_equal(r[i].kind, integrator == 1 ? "bounce" : i % 2 ? "off" : "on");
        assert_true(i == 0 || r[i].time > r[i - 1].time);
      }
    }
  int none;
  assert_null(events_csv_of(&list, 6, 1, &none));
  assert_int_equal(none, 0);
  events_csv_free(&list);
}

static void test_no_such_file(void **state)
{
  (void)state;
  events_csv list;
  char error[256] = "";
  assert_false(events_csv_read("nowhere.csv", &list, error, sizeof error));
  assert_true(has(error, "nowhere.csv: cannot be opened"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scene_of_case_4),  cmocka_unit_test(test_cells_at_both_ends),
      cmocka_unit_test(test_scene_refusals),   cmocka_unit_test(test_elements),
      cmocka_unit_test(test_reference_events), cmocka_unit_test(test_no_such_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
