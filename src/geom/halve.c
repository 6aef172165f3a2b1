/* geom/halve.c  Halves a set of points along its longest extent, for trees and tiles. */
#include "geom/halve.h"

#include <math.h>

static int longest_axis(const double *middle, const int32_t *order, int32_t n)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int32_t k = 0; k < n; k++)
    for (int c = 0; c < 3; c++) {
      const double x = middle[3 * (int64_t)order[k] + c];
      low[c] = x < low[c] ? x : low[c], high[c] = x > high[c] ? x : high[c];
    }
  int axis = 0;
  for (int c = 1; c < 3; c++)
    if (high[c] - low[c] > high[axis] - low[axis]) axis = c;
  return axis;
}

static bool before(const double *middle, int axis, int axes, int32_t a, int32_t b)
{
  for (int i = 0; i < axes; i++) {
    const int c = (axis + i) % 3;
    const double x = middle[3 * (int64_t)a + c], y = middle[3 * (int64_t)b + c];
    if (x != y) return x < y;
  }
  return a < b;
}

void vvi_halve(const double *middle, int axes, int32_t *order, int32_t n, int32_t k)
{
  const int axis = longest_axis(middle, order, n);
  int32_t lo = 0, hi = n;
  while (hi - lo > 1) {
    const int32_t pivot = order[lo + (hi - lo) / 2];
    int32_t i = lo, j = hi - 1;
    while (i <= j) {
      while (before(middle, axis, axes, order[i], pivot)) i++;
      while (before(middle, axis, axes, pivot, order[j])) j--;
      if (i > j) break;
      const int32_t swap = order[i];
      order[i++] = order[j], order[j--] = swap;
    }
    if (k <= j)
      hi = j + 1;
    else if (k >= i)
      lo = i;
    else
      return;
  }
}
