/* base/sort.c  Sorting in place: a heap sort, after a look whether the list is in order already, as most are. */
#include "base/sort.h"

#include "base/base.h"

#include <string.h>

typedef int compare_fn(const void *, const void *);
enum { MOST_BYTES = 256 };

static bool in_order(const char *base, size_t n, size_t size, compare_fn *compare)
{
  for (size_t i = 1; i < n; i++)
    if (compare(base + (i - 1) * size, base + i * size) > 0) return false;
  return true;
}

/* The entry x belongs at i or below it: of two children the larger one moves up as long as it is larger than x. */
static void sift(char *base, size_t i, size_t n, size_t size, compare_fn *compare, const char *x)
{
  for (size_t child; (child = 2 * i + 1) < n; i = child) {
    if (child + 1 < n && compare(base + child * size, base + (child + 1) * size) < 0) child++;
    if (compare(base + child * size, x) <= 0) break;
    memcpy(base + i * size, base + child * size, size);
  }
  memcpy(base + i * size, x, size);
}

void vvi_sort(void *base, size_t n, size_t size, compare_fn *compare)
{
  char *at = base, x[MOST_BYTES];
  VV_ASSERT(size <= sizeof x);
  if (n < 2 || in_order(at, n, size, compare)) return;
  for (size_t i = n / 2; i-- > 0;) {
    memcpy(x, at + i * size, size);
    sift(at, i, n, size, compare, x);
  }
  for (size_t end = n - 1; end > 0; end--) {
    memcpy(x, at + end * size, size);
    memcpy(at + end * size, at, size);
    sift(at, 0, end, size, compare, x);
  }
}
