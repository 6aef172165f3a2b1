/* math/tridiagonal.c  The largest eigenvalue of a symmetric tridiagonal matrix. */
#include "math/math.h"

/* Number of eigenvalues of the tridiagonal (a, b) above x. */
static int count_above(int n, const double *a, const double *b, double x)
{
  int count = 0;
  double pivot = 1.0;
  for (int i = 0; i < n; i++) {
    pivot = (a[i] - x) - (i > 0 ? b[i - 1] * b[i - 1] / pivot : 0.0);
    if (pivot == 0.0) pivot = -1e-300;
    if (pivot > 0.0) count++;
  }
  return count;
}

double vvi_tridiagonal_largest(int n, const double *a, const double *b)
{
  double lo = 0.0, hi = 0.0;
  for (int i = 0; i < n; i++) hi = fmax(hi, a[i] + (i > 0 ? fabs(b[i - 1]) : 0.0) + (i + 1 < n ? fabs(b[i]) : 0.0));
  for (int it = 0; it < 200 && hi - lo > 4e-16 * hi; it++) {
    const double mid = 0.5 * (lo + hi);
    if (count_above(n, a, b, mid) > 0)
      lo = mid;
    else
      hi = mid;
  }
  return hi;
}
