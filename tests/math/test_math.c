/* tests/math/test_math.c  Roots, sums, histories, arena, hash: the small tools everything stands on. */
#include "check.h"

#include "ledger/ledger.h"
#include "math/math.h"
#include "model/model.h"

#include <string.h>

/* c0 + c1 s + c2 s^2 for a parabola with roots a, b and leading coefficient k. */
static double crossing(double a, double b, double k)
{
  return vvi_first_crossing(k * a * b, -k * (a + b), k, false);
}

static void test_first_crossing(void **unused)
{
  (void)unused;
  check_near(crossing(2.0, 5.0, 1.0), 2.0, 1e-15);                 /* falls through zero at 2, rises at 5 */
  check_near(crossing(-3.0, 4.0, -1.0), 4.0, 1e-15);               /* opens downwards: falls at 4 */
  check_near(crossing(1e-9, 1e9, 1.0), 1e-9, 1e-24);               /* no cancellation: full relative accuracy */
  assert_true(isinf(crossing(-2.0, -5.0, 1.0)));                   /* was negative in the past, never again */
  assert_true(isinf(vvi_first_crossing(1.0, -1.0, 1.0, false)));   /* dips but does not reach zero */
  check_near(vvi_first_crossing(1.0, -2.0, 1.0, false), 1.0, 0.0); /* grazes */
  check_near(vvi_first_crossing(3.0, -2.0, 0.0, false), 1.5, 0.0); /* a straight line */
  assert_true(isinf(vvi_first_crossing(3.0, 2.0, 0.0, false)));
  /* touching: the root at zero is not found again */
  check_near(vvi_first_crossing(1e-20, 1.0, -2.0, true), 0.5, 0.0);
  assert_true(isinf(vvi_first_crossing(-1e-20, 1.0, 2.0, true)));
  check_near(vvi_first_crossing(0.0, -1.0, 2.0, true), 0.0, 0.0); /* still approaching: at once */
}

static void test_quadratic(void **unused)
{
  (void)unused;
  double small, large;
  assert_true(vvi_quadratic(1.0, -1e8, 1.0, &small, &large));
  check_near(small * 1e8, 1.0, 1e-15); /* the naive formula loses half the digits */
  check_near(large, 1e8, 1e-6);
  assert_true(vvi_quadratic(2.0, 4.0, -6.0, &small, &large));
  check_near(small, 1.0, 1e-15);
  check_near(large, -3.0, 1e-15);
  assert_true(vvi_quadratic(1.0, 3.0, 0.0, &small, &large));
  check_near(small, 0.0, 0.0);
  assert_false(vvi_quadratic(1.0, 1.0, 1.0, &small, &large));
}

/* Ten million small postings beside a large one: a plain sum loses them all. */
static void test_compensated_sum(void **unused)
{
  (void)unused;
  vv_sum s = {0};
  double plain = 1.0;
  vvi_sum_add(&s, 1.0);
  for (int i = 0; i < 10000000; i++) vvi_sum_add(&s, 1e-17), plain += 1e-17;
  check_near(vv_sum_value(&s), 1.0 + 1e-10, 1e-15);
  assert_true(plain == 1.0);
}

static void test_histories(void **unused)
{
  (void)unused;
  const vv_history ramp = {.kind = VV_RAMP, .amplitude = 2, .start = 1, .duration = 4};
  check_near(vv_history_at(&ramp, 0.5), 0.0, 0.0);
  check_near(vv_history_at(&ramp, 3.0), 1.0, 1e-15);
  check_near(vv_history_at(&ramp, 9.0), 2.0, 0.0);
  const vv_history pulse = {.kind = VV_PULSE, .amplitude = 3, .duration = 2};
  for (double t = 0.0; t <= 2.0; t += 0.125) check_near(vv_history_at(&pulse, t), 1.5 * (1.0 - cos(VV_PI * t)), 1e-14);
  check_near(vv_history_at(&pulse, 2.5), 0.0, 0.0);
  const vv_history wave = {.kind = VV_HARMONIC, .amplitude = 2, .frequency = 3, .phase = 0.5};
  check_near(vv_history_at(&wave, 0.7), 2.0 * sin(2.6), 1e-15);
  const double time[] = {0, 1, 3}, value[] = {5, 7, -1};
  const vv_history table = {.kind = VV_TABLE, .time = time, .value = value, .n = 3};
  check_near(vv_history_at(&table, -1.0), 5.0, 0.0);
  check_near(vv_history_at(&table, 0.5), 6.0, 1e-15);
  check_near(vv_history_at(&table, 2.0), 3.0, 1e-15);
  check_near(vv_history_at(&table, 8.0), -1.0, 0.0);
}

static void test_arena(void **unused)
{
  (void)unused;
  vvi_arena a = {0};
  char *first = vvi_arena_text(&a, "first");
  for (int i = 1; i < 200; i++) {
    unsigned char *x = vvi_arena_alloc(&a, (size_t)(i * 997));
    assert_non_null(x);
    assert_int_equal((uintptr_t)x % 64, 0);
    for (int j = 0; j < i * 997; j++) assert_int_equal(x[j], 0);
    memset(x, 0xff, (size_t)(i * 997));
  }
  assert_string_equal(first, "first"); /* addresses never move */
  assert_null(vvi_arena_alloc(&a, SIZE_MAX - 5));
  vvi_arena_free(&a);
}

static void test_text_distance(void **unused)
{
  (void)unused;
  assert_int_equal(vvi_text_distance("young", "yung"), 1);
  assert_int_equal(vvi_text_distance("split", "spilt"), 1); /* a swap is one mistake */
  assert_int_equal(vvi_text_distance("", "abc"), 3);
  assert_int_equal(vvi_text_distance("abc", ""), 3);
  assert_int_equal(vvi_text_distance("event", "event"), 0);
  assert_int_equal(vvi_text_distance("kitten", "sitting"), 3);
  assert_int_equal(vv_text_slips("vsiviva", "visviva"), 1);
  assert_int_equal(vv_text_slips("visviva", "visviva"), 0);
  assert_int_equal(vv_text_slips("vsivvia", "visviva"), 2);
  assert_int_equal(vv_text_slips("vsivvai", "visviva"), -1); /* three in seven letters */
  assert_int_equal(vv_text_slips("restitutoinnn", "restitution"), 3);
  assert_int_equal(vv_text_slips("a", "b"), -1); /* nothing of it is left */
  assert_int_equal(vv_text_slips("", ""), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_first_crossing), cmocka_unit_test(test_quadratic), cmocka_unit_test(test_compensated_sum),
      cmocka_unit_test(test_histories),      cmocka_unit_test(test_arena),     cmocka_unit_test(test_text_distance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
