/* tests/physics/test_on_off.c  Massless tips that touch and part without an impulse, (4.14) of the 2017 paper as printed. */
#include "check.h"

#include "cases.h"
#include "run.h"

#include <string.h>

static void printed(void **unused)
{
  (void)unused;
  char text[CASES_TEXT_SZ];
  for (int i = 1; i <= CASES_COUNT; i++) {
    double energy[2];
    for (int k = 0; k < 2; k++) {
      const cases_def def = {.number = i, .tips = "split", .method = k == 0 ? NULL : "on_off: printed"};
      assert_true(cases_scene(&def, text, sizeof text));
      run_record r = run_scene(text, NULL);
      const vv_ledger *l = run_ledger(&r);
      assert_int_equal(r.report.reason, VV_REASON_DONE);
      assert_true(r.n_event >= 4); /* touches and parts, and once more at the release */
      check_most(l->max_p_drift, 1e-14);
      energy[k] = l->max_closure;
      for (int64_t e = 0; k == 1 && e < r.n_event; e++) assert_true(r.event[e].normal_impulse == 0.0);
      if (k == 1) assert_int_equal(l->fallbacks, 0); /* nothing is solved for */
      run_free(&r);
    }
    check_most(energy[1], 1e-3);
    check_least(energy[1], 0.5 * energy[0]); /* no better than with the balance, and of its order */
  }
}

static void refused(void **unused)
{
  (void)unused;
  char text[CASES_TEXT_SZ], message[1024];
  assert_true(cases_scene(&(cases_def){.number = 1, .tips = "split", .jump = "nodal", .method = "on_off: printed"},
                          text, sizeof text));
  assert_int_equal(run_refused(text, message, sizeof message), VV_SCENE);
  assert_non_null(strstr(message, "on_off"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(printed), cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
