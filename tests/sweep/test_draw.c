/* tests/sweep/test_draw.c  What is drawn: the published answers of the generator, moments of the laws, and independence of order. */
#include "check.h"

#include "sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

/* The known answers that Salmon, Moraes, Dror and Shaw give for Philox4x32-10. */
static void generator_is_philox(void **state)
{
  static const struct {
    uint32_t counter[4], key[2], answer[4];
  } known[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  (void)state;
  for (int i = 0; i < VV_COUNT(known); i++) {
    uint32_t out[4];
    vvi_philox(known[i].counter, known[i].key, out);
    assert_memory_equal(out, known[i].answer, sizeof out);
  }
}

static void uniform_is_uniform(void **state)
{
  enum { N = 100000 };
  double sum = 0.0, squares = 0.0, next = 0.0, last = 0.5;
  (void)state;
  for (int64_t k = 0; k < N; k++) {
    vvi_stream s = vvi_stream_of(7, k, "bodies.rod.length");
    const double x = vvi_stream_uniform(&s);
    assert_true(x > 0.0 && x < 1.0);
    sum += x - 0.5, squares += (x - 0.5) * (x - 0.5), next += (x - 0.5) * (last - 0.5);
    last = x;
  }
  /* four deviations of each mean */
  assert_true(fabs(sum / N) < 4 * sqrt(1.0 / 12.0 / N));
  assert_true(fabs(squares / N - 1.0 / 12.0) < 4 * sqrt(1.0 / 180.0 / N));
  assert_true(fabs(next / N) < 4 / 12.0 / sqrt(N));
}

typedef struct drawn {
  vvi_text text;
  const char **value;
  int64_t cases;
} drawn;

static drawn draw(const vvi_plan *plan)
{
  drawn d = {.cases = vvi_plan_cases(plan)};
  vvi_cases_draw(plan, &d.text);
  assert_false(d.text.nomem);
  d.value = calloc((size_t)(d.cases * plan->n_vary), sizeof *d.value);
  assert_int_equal(vvi_cases_cut(NULL, plan, d.text.c, d.cases, d.value), VV_OK);
  return d;
}

static void drop(drawn *d)
{
  free(d->value);
  vvi_text_free(&d->text);
}

static void normal_is_normal(void **state)
{
  vvi_vary vary = {
      .path = "a", .unit = "", .law = VVI_LAW_NORMAL, .a = 3.0, .b = 0.5, .low = -INFINITY, .high = INFINITY};
  const vvi_plan plan = {.draws = 50000, .n_vary = 1, .vary = &vary};
  drawn d = draw(&plan);
  double sum = 0.0, squares = 0.0, fourth = 0.0;
  (void)state;
  for (int64_t k = 0; k < d.cases; k++) {
    const double x = (strtod(d.value[k], NULL) - 3.0) / 0.5;
    sum += x, squares += x * x, fourth += x * x * x * x;
  }
  const double n = (double)d.cases;
  assert_true(fabs(sum / n) < 4 / sqrt(n));
  assert_true(fabs(squares / n - 1.0) < 4 * sqrt(2 / n));
  assert_true(fabs(fourth / n - 3.0) < 4 * sqrt(96 / n));
  drop(&d);
  vary.low = 3.2;
  d = draw(&plan);
  for (int64_t k = 0; k < d.cases; k++) assert_true(strtod(d.value[k], NULL) >= 3.2);
  drop(&d);
}

/* Means of the components vanish, and each has a third of the square. */
static void directions_prefer_none(void **state)
{
  vvi_vary vary[2] = {{.path = "v", .unit = "", .law = VVI_LAW_DIRECTION, .a = 2.0, .b = 2.0},
                      {.path = "q", .unit = "", .law = VVI_LAW_ROTATION}};
  const vvi_plan plan = {.draws = 20000, .n_vary = 2, .vary = vary};
  drawn d = draw(&plan);
  double sum[7] = {0}, squares[7] = {0};
  (void)state;
  for (int64_t k = 0; k < d.cases; k++) {
    double x[7];
    assert_int_equal(sscanf(d.value[2 * k], "[%lf, %lf, %lf]", &x[0], &x[1], &x[2]), 3);
    assert_int_equal(sscanf(d.value[2 * k + 1], "[%lf, %lf, %lf, %lf]", &x[3], &x[4], &x[5], &x[6]), 4);
    assert_true(fabs(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - 4.0) < 1e-14);
    assert_true(fabs(x[3] * x[3] + x[4] * x[4] + x[5] * x[5] + x[6] * x[6] - 1.0) < 1e-14);
    for (int i = 0; i < 7; i++) sum[i] += x[i], squares[i] += x[i] * x[i];
  }
  const double n = (double)d.cases;
  for (int i = 0; i < 7; i++) {
    const double square = i < 3 ? 4.0 / 3.0 : 0.25;
    assert_true(fabs(sum[i] / n) < 4 * sqrt(square / n));
    assert_true(fabs(squares[i] / n - square) < 4 * square / sqrt(n));
  }
  drop(&d);
}

/* Lists are crossed, every combination meets the same draws, and a variable more changes no other. */
static void lists_are_crossed(void **state)
{
  const char *a[] = {"1e-3", "5e-4"}, *b[] = {"[0, 0, 1]", "[0, 0, 2]", "[0, 0, 3]"};
  vvi_vary vary[4] = {{.path = "x", .unit = "mm", .law = VVI_LAW_UNIFORM, .a = 4.0, .b = 5.0},
                      {.path = "time.step", .unit = "", .law = VVI_LAW_LIST, .n = 2, .word = a},
                      {.path = "place", .unit = "", .law = VVI_LAW_LIST, .n = 3, .word = b},
                      {.path = "y", .unit = "", .law = VVI_LAW_WHOLE, .a = 1.0, .b = 6.0}};
  vvi_plan plan = {.seed = 11, .draws = 50, .n_vary = 4, .vary = vary};
  drawn d = draw(&plan);
  int seen[7] = {0};
  (void)state;
  assert_int_equal(d.cases, 300);
  for (int64_t k = 0; k < d.cases; k++) {
    char *unit;
    const double x = strtod(d.value[4 * k], &unit);
    assert_true(x > 4.0 && x < 5.0);
    assert_string_equal(unit, " mm");
    assert_string_equal(d.value[4 * k], d.value[4 * (k % 50)]);
    assert_string_equal(d.value[4 * k + 1], a[k / 150]);
    assert_string_equal(d.value[4 * k + 2], b[k / 50 % 3]);
    const int y = atoi(d.value[4 * k + 3]);
    assert_true(y >= 1 && y <= 6);
    seen[y]++;
  }
  for (int y = 1; y <= 6; y++) assert_true(seen[y] > 0);
  plan.n_vary = 1;
  drawn less = draw(&plan);
  for (int64_t k = 0; k < less.cases; k++) assert_string_equal(less.value[k], d.value[4 * k]);
  plan.seed = 12;
  drawn other = draw(&plan);
  assert_string_not_equal(less.value[0], other.value[0]);
  drop(&d), drop(&less), drop(&other);
}

static void cells_survive(void **state)
{
  static const char *const word[] = {"plain", "", "a, b", "he said \"no\"", "#1", "[1, 2]", "\"", ","};
  vvi_text t = {0};
  char *cell[16], *next;
  (void)state;
  for (int i = 0; i < VV_COUNT(word); i++) {
    if (i > 0) vvi_text_put(&t, ",");
    vvi_text_cell(&t, word[i]);
  }
  vvi_text_put(&t, "\nnext");
  assert_int_equal(vvi_csv_cut(t.c, cell, 16, &next), VV_COUNT(word));
  for (int i = 0; i < VV_COUNT(word); i++) assert_string_equal(cell[i], word[i]);
  assert_string_equal(next, "next");
  vvi_text_free(&t);
}

/* Half and quarters of 1..n are known; the deviation of 1..n is sqrt(n (n + 1) / 12). */
static void facts_of_whole_numbers(void **state)
{
  enum { N = 101 };
  double x[N + 2], fact[VVI_FACTS];
  (void)state;
  for (int i = 0; i < N; i++) x[i] = (double)((i * 37) % N + 1);
  x[N] = NAN, x[N + 1] = INFINITY;
  assert_true(vvi_facts(N + 2, x, fact));
  assert_true(fact[0] == N && fact[1] == 51.0 && fact[3] == 1.0 && fact[6] == 51.0 && fact[5] == 26.0 && fact[9] == N);
  assert_true(fabs(fact[2] - sqrt(N * (N + 1) / 12.0)) < 1e-13);
  assert_true(fact[4] == 6.0 && fact[8] == 96.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(generator_is_philox),   cmocka_unit_test(uniform_is_uniform),
                                     cmocka_unit_test(normal_is_normal),      cmocka_unit_test(directions_prefer_none),
                                     cmocka_unit_test(lists_are_crossed),     cmocka_unit_test(cells_survive),
                                     cmocka_unit_test(facts_of_whole_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
