/* tests/sim/test_pace.c  The clock chooses the number of threads: the faster way runs, both are tried again, and a number that
 * somebody asked for is kept. */
#include "check.h"
#include "math/math.h"
#include "sim/pace.h"

static vvi_pace start(int threads)
{
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  vvi_pace p;
  def.threads = threads;
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_OK);
  vvi_pace_start(&p, ctx);
  vv_ctx_destroy(ctx);
  return p;
}

/* A machine on which a step takes so many seconds on all threads and on one; runs for `end` seconds.  Returns the share of
 * the steps that all threads took. */
static double machine(vvi_pace *p, double all, double one, double end)
{
  const int64_t before = p->done_all;
  int64_t done = 0;
  double t = 0.0;
  while (t < end) {
    const int64_t n = vvi_pace_steps(p, 1000000);
    const double seconds = (double)n * (vvi_pace_all(p) ? all : one);
    assert_true(n > 0);
    vvi_pace_done(p, n, seconds);
    t += seconds, done += n;
  }
  return (double)(p->done_all - before) / (double)done;
}

static void test_faster_way(void **unused)
{
  (void)unused;
  const double cost[] = {1e-7, 1e-5, 1e-3, 0.02};
  for (int i = 0; i < 4; i++) {
    vvi_pace p = start(0);
    p.chooses = true;
    check_least(machine(&p, 0.5 * cost[i], cost[i], 20.0), 0.95);      /* threads help */
    check_most((double)vvi_pace_steps(&p, 1000000000) * cost[i], 1.0); /* who interrupts it need not wait */
    p = start(0);
    p.chooses = true;
    check_most(machine(&p, 20.0 * cost[i], cost[i], 100.0), 0.05); /* a busy machine */
  }
}

/* The machine becomes busy, and quiet again. */
static void test_changes_its_mind(void **unused)
{
  (void)unused;
  vvi_pace p = start(0);
  p.chooses = true;
  check_least(machine(&p, 1e-5, 2e-5, 30.0), 0.9);
  check_most(machine(&p, 4e-5, 2e-5, 100.0), 0.1);
  check_least(machine(&p, 1e-5, 2e-5, 100.0), 0.9);
}

/* All threads were chosen, and get in each other's way soon after: that is noticed before the choice is due again. */
static void test_regrets(void **unused)
{
  (void)unused;
  vvi_pace p = start(0);
  p.chooses = true;
  machine(&p, 1e-5, 2e-5, 30.0);
  check_most(machine(&p, 1e-4, 2e-5, 4.0), 0.5);
}

static void test_asked_for(void **unused)
{
  (void)unused;
  vvi_pace p = start(3);
  assert_false(p.chooses);
  check_least(machine(&p, 1e-3, 1e-5, 10.0), 1.0);
}

/* OMP_NUM_THREADS=100000 took all memory of the machine. */
static void test_no_machine_has_so_many(void **unused)
{
  (void)unused;
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  const int before = vvi_team_usual(100000);
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_OK);
  vvi_team_usual(before);
  assert_true(vv_ctx_threads(ctx) >= 1 && vv_ctx_threads(ctx) <= 1024);
  vv_ctx_destroy(ctx);
  def.threads = 1025;
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_ARG);
  def.threads = 1024;
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_OK);
  vv_ctx_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_faster_way), cmocka_unit_test(test_changes_its_mind),
                                     cmocka_unit_test(test_regrets), cmocka_unit_test(test_asked_for),
                                     cmocka_unit_test(test_no_machine_has_so_many)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
