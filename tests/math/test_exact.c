/* tests/math/test_exact.c  Exact sums: no order, no chunks, no cancellation can be seen in them. */
#include "check.h"

#include "math/exact.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { N = 200000 };

static uint64_t noise(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return *seed >> 11;
}

/* Numbers of both signs over `binades` powers of two about 1. */
static double wild(uint64_t *seed, int binades)
{
  const double x = 1.0 + (double)noise(seed) / 9007199254740992.0;
  const int power = (int)(noise(seed) % (uint64_t)binades) - binades / 2;
  return ldexp(noise(seed) % 2 ? x : -x, power);
}

static double sum_of(const double *x, int from, int to, int by)
{
  vvi_exact s = {0};
  for (int i = from; i != to; i += by) vvi_exact_add(&s, x[i]);
  return vvi_exact_value(&s);
}

static int by_size(const void *a, const void *b)
{
  const double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
  return (x > y) - (x < y);
}

static void no_order_is_seen(void **state)
{
  double *x = malloc(sizeof(double) * N);
  (void)state;
  for (int round = 0; round < 5; round++) {
    uint64_t seed = 1 + (uint64_t)round;
    for (int i = 0; i < N; i++) x[i] = wild(&seed, 80);
    const double forwards = sum_of(x, 0, N, 1), backwards = sum_of(x, N - 1, -1, -1);
    qsort(x, N, sizeof *x, by_size);
    const double sorted = sum_of(x, 0, N, 1);
    assert_memory_equal(&forwards, &backwards, sizeof forwards);
    assert_memory_equal(&forwards, &sorted, sizeof forwards);
  }
  free(x);
}

/* Any number of parts, joined in any order: as ranks do. */
static void parts_are_joined(void **state)
{
  uint64_t seed = 3;
  vvi_exact whole = {0}, part[7], all = {0};
  (void)state;
  memset(part, 0, sizeof part);
  for (int i = 0; i < N; i++) {
    const double x = wild(&seed, 200);
    vvi_exact_add(&whole, x);
    vvi_exact_add(&part[noise(&seed) % 7], x);
  }
  for (int i = 6; i >= 0; i--) vvi_exact_join(&all, &part[i]);
  const double a = vvi_exact_value(&whole), b = vvi_exact_value(&all);
  assert_memory_equal(&a, &b, sizeof a);
  vvi_exact_carry(&whole);
  vvi_exact_carry(&all);
  assert_memory_equal(whole.digit, all.digit, sizeof whole.digit);
}

/* Against integers that a long double holds exactly, and the rounding of the machine. */
static void rounds_as_the_machine_does(void **state)
{
  uint64_t seed = 5;
  (void)state;
  for (int i = 0; i < N; i++) {
    const double a = wild(&seed, 60), b = wild(&seed, 60);
    vvi_exact s = {0};
    vvi_exact_add(&s, a);
    vvi_exact_add(&s, b);
    assert_true(vvi_exact_value(&s) == a + b);
  }
}

static double of(int n, const double *x)
{
  vvi_exact s = {0};
  for (int i = 0; i < n; i++) vvi_exact_add(&s, x[i]);
  return vvi_exact_value(&s);
}

static void hard_ones(void **state)
{
  const double tiny = ldexp(1.0, -1074), half = ldexp(1.0, -53), huge = DBL_MAX;
  (void)state;
  assert_true(of(3, (const double[]){1e300, 1.0, -1e300}) == 1.0);
  assert_true(of(2, (const double[]){tiny, -tiny}) == 0.0);
  assert_true(of(3, (const double[]){tiny, tiny, tiny}) == 3 * tiny);
  assert_true(of(2, (const double[]){DBL_MIN, -tiny}) == DBL_MIN - tiny);
  /* ties go to even, and a bit far below decides */
  assert_true(of(2, (const double[]){1.0, half}) == 1.0);
  assert_true(of(3, (const double[]){1.0, half, tiny}) == 1.0 + DBL_EPSILON);
  assert_true(of(3, (const double[]){1.0, half, -tiny}) == 1.0);
  assert_true(of(2, (const double[]){1.0 + DBL_EPSILON, half}) == 1.0 + 2 * DBL_EPSILON);
  assert_true(of(3, (const double[]){-1.0, -half, -tiny}) == -1.0 - DBL_EPSILON);
  /* beyond the range on the way, inside it at the end */
  assert_true(of(4, (const double[]){huge, huge, -huge, -huge}) == 0.0);
  assert_true(of(3, (const double[]){huge, huge, -huge}) == huge);
  assert_true(isinf(of(2, (const double[]){huge, huge})));
  assert_true(of(2, (const double[]){-huge, -huge}) == -INFINITY);
  assert_true(isnan(of(2, (const double[]){INFINITY, -INFINITY})));
  assert_true(isnan(of(2, (const double[]){NAN, 1.0})));
  assert_true(of(2, (const double[]){-INFINITY, 1.0}) == -INFINITY);
  assert_true(of(0, NULL) == 0.0);
}

static void sum_is_that_of_integers(void **state)
{
  vvi_exact s = {0};
  (void)state;
  for (int64_t i = 1; i <= 3000000; i++) vvi_exact_add(&s, ldexp((double)i, -40));
  assert_true(vvi_exact_value(&s) == ldexp(3000000.0 * 3000001.0 / 2.0, -40));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_order_is_seen), cmocka_unit_test(parts_are_joined),
                                     cmocka_unit_test(rounds_as_the_machine_does), cmocka_unit_test(hard_ones),
                                     cmocka_unit_test(sum_is_that_of_integers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
