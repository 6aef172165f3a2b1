/* math/symmetric.c  Small symmetric systems. */
#include "math/math.h"

bool vvi_solve6(const double a[6], const double b[3], double x[3])
{
  double m[6], r[3] = {b[0], b[1], b[2]}, y[3];
  const double det = vvi_adjoint6(a, m), trace = a[0] + a[1] + a[2];
  if (!(det > 1e-12 * trace * trace * trace)) return false;
  x[0] = x[1] = x[2] = 0.0;
  for (int pass = 0; pass < 2; pass++) {
    vvi_times6(m, r, y);
    for (int i = 0; i < 3; i++) x[i] += y[i] / det;
    vvi_times6(a, x, y);
    for (int i = 0; i < 3; i++) r[i] = b[i] - y[i];
  }
  return true;
}
