/* tests/sim/test_pace.c  As many threads as help: the choice finds the cheaper way, follows when that changes, wastes little
 * on trials, and leaves alone who asked for a number. */
#include "check.h"

#include "sim/pace.h"
#include "visviva/visviva.h"

/* A run of so many seconds, one step costs `all` on all threads and `one` on one.  Returns its part on all threads. */
static double run(vvi_pace *p, double seconds, double all, double one)
{
  double t = 0.0;
  int64_t steps = 0, shared = p->done_all;
  while (t < seconds) {
    const int64_t n = vvi_pace_steps(p, 50);
    const double spent = (double)n * (vvi_pace_all(p) ? all : one);
    vvi_pace_done(p, n, spent);
    t += spent, steps += n;
  }
  return (double)(p->done_all - shared) / (double)steps;
}

static vvi_pace start(int threads)
{
  vv_ctx *ctx = NULL;
  vvi_pace p;
  vv_ctx_def def = vv_ctx_default();
  def.threads = threads;
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_OK);
  vvi_pace_start(&p, ctx);
  vv_ctx_destroy(ctx);
  return p;
}

/* A trial lasts 10 ms, a choice at least 500: the dearer way gets some 3 % of the steps. */
static void finds_the_faster(void **unused)
{
  (void)unused;
  vvi_pace p = start(0), q = p;
  p.chooses = q.chooses = true; /* also where there is one core */
  check_most(run(&p, 20.0, 1e-3, 0.5e-3), 0.05);
  check_least(run(&q, 20.0, 0.5e-3, 1e-3), 0.95);
  /* others come or go: the longest that a choice holds is 5 s */
  check_least(run(&p, 40.0, 0.5e-3, 1e-3), 0.8);
  check_most(run(&q, 40.0, 1e-3, 0.5e-3), 0.2);
}

/* Two threads that gain less than a twentieth are better left to others. */
static void small_gains_are_none(void **unused)
{
  (void)unused;
  vvi_pace p = start(0);
  p.chooses = true;
  check_most(run(&p, 20.0, 0.97e-3, 1e-3), 0.05);
}

static void who_asks_gets(void **unused)
{
  (void)unused;
  for (int threads = 1; threads <= 3; threads++) {
    vvi_pace p = start(threads);
    assert_false(p.chooses);
    assert_int_equal(vvi_pace_steps(&p, 50), 50);
    check_near(run(&p, 1.0, 1e-3, 0.5e-3), 1.0, 0.0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(finds_the_faster), cmocka_unit_test(small_gains_are_none),
                                     cmocka_unit_test(who_asks_gets)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
