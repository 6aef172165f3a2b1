/* tests/math/test_sort.c  Sorting in place gives what was there, in order. */
#include "base/sort.h"
#include "check.h"

enum { MOST = 700 };
typedef struct entry {
  int key, twin;
} entry;

static int by_key(const void *x, const void *y)
{
  const entry *a = x, *b = y;
  return (a->key > b->key) - (a->key < b->key);
}

static void test_in_order(void **unused)
{
  (void)unused;
  unsigned seed = 1;
  for (int n = 0; n < MOST; n += 1 + n / 8)
    for (int range = 1; range <= 4 * n + 1; range *= 4) {
      entry list[MOST];
      int count[4 * MOST + 1] = {0};
      for (int i = 0; i < n; i++) {
        seed = 1664525u * seed + 1013904223u;
        list[i].key = (int)(seed >> 8) % range, list[i].twin = -list[i].key;
        count[list[i].key]++;
      }
      vvi_sort(list, (size_t)n, sizeof *list, by_key);
      for (int i = 0; i < n; i++) {
        assert_true(i == 0 || list[i - 1].key <= list[i].key);
        assert_int_equal(list[i].twin, -list[i].key);
        count[list[i].key]--;
      }
      for (int k = 0; k <= 4 * MOST; k++) assert_int_equal(count[k], 0);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_in_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
