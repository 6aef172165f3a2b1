/* tests/sim/test_pace.c  The choice of threads by the clock: the faster way holds, and is given up when it is no longer. */
#include "check.h"

#include "sim/pace.h"

/* Steps until the choice is not `all` any more, or `most`; costs in s per step on all threads and on one. */
static int steps_on_all(vvi_pace *p, double all, double one, int most)
{
  int n = 0;
  while (n < most && !(p->trial == VVI_HOLD && !p->all)) {
    vvi_pace_done(p, 1, vvi_pace_all(p) ? all : one);
    n++;
  }
  return n;
}

static void other_work_comes(void **unused)
{
  (void)unused;
  vvi_pace p = {.chooses = true, .all = true, .hold = 5.0};
  assert_int_equal(steps_on_all(&p, 1e-3, 2e-3, 1000), 1000); /* threads help */
  assert_true(p.all && p.trial == VVI_HOLD);
  p.seconds = 0.0, p.steps = 0;
  /* now they do not: one look of 10 ms, and both trials of the same length, but no five seconds */
  check_most(steps_on_all(&p, 0.03, 2e-3, 1000), 20);
  assert_false(p.all);
}

static void slower_but_not_much(void **unused)
{
  (void)unused;
  vvi_pace p = {.chooses = true, .all = true, .hold = 5.0};
  steps_on_all(&p, 1e-3, 2e-3, 40);
  const double hold = p.hold;
  assert_int_equal(steps_on_all(&p, 3e-3, 4e-3, 500), 500); /* all steps have become dearer: nothing to regret */
  check_near(p.hold, hold, 0.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(other_work_comes), cmocka_unit_test(slower_but_not_much)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
