/* math/axpy.c  y += a x. */
#include "math/math.h"

VV_HOT static void axpy(int64_t n, double a, const double *restrict x, double *restrict y)
{
  for (int64_t i = 0; i < n; i++) y[i] += a * x[i];
}

void vvi_axpy(int64_t n, double a, const double *x, double *y)
{
  axpy(n, a, x, y);
}
