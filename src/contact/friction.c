/* contact/friction.c  See friction.h. */
#include "contact/friction.h"

#include "math/math.h"

double vvi_form(const double a[6], const double x[3], const double y[3])
{
  return a[0] * x[0] * y[0] + a[1] * x[1] * y[1] + a[2] * x[2] * y[2] + a[3] * (x[1] * y[2] + x[2] * y[1]) +
         a[4] * (x[0] * y[2] + x[2] * y[0]) + a[5] * (x[0] * y[1] + x[1] * y[0]);
}

bool vvi_rub(const double a[6], const double n[3], const double w[3], double limit, double slide[3], double change[3])
{
  double t[2][3];
  vvi_across(n, t);
  const double a00 = vvi_form(a, t[0], t[0]), a01 = vvi_form(a, t[0], t[1]), a11 = vvi_form(a, t[1], t[1]);
  const double w0 = vvi_dot3(t[0], w), w1 = vvi_dot3(t[1], w), det = a00 * a11 - a01 * a01;
  const double old0 = vvi_dot3(t[0], slide), old1 = vvi_dot3(t[1], slide);
  double j0 = old0 - (a11 * w0 - a01 * w1) / det, j1 = old1 - (a00 * w1 - a01 * w0) / det;
  const double size = sqrt(j0 * j0 + j1 * j1);
  if (size > limit) j0 *= limit / size, j1 *= limit / size;
  for (int c = 0; c < 3; c++) {
    slide[c] = j0 * t[0][c] + j1 * t[1][c];
    change[c] = (j0 - old0) * t[0][c] + (j1 - old1) * t[1][c];
  }
  return size <= limit;
}
