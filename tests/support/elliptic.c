/* tests/support/elliptic.c  See elliptic.h. */
#include "elliptic.h"

#include <math.h>

/* sn(u, k) by the descending Landen transformation. */
double elliptic_sn(double u, double k)
{
  double a[16] = {1.0}, c[16] = {k}, b = sqrt(1.0 - k * k);
  int n = 0;
  for (; n < 15 && fabs(c[n]) > 1e-16; n++)
    a[n + 1] = 0.5 * (a[n] + b), c[n + 1] = 0.5 * (a[n] - b), b = sqrt(a[n] * b);
  double phi = ldexp(a[n] * u, n);
  for (; n > 0; n--) phi = 0.5 * (phi + asin(c[n] / a[n] * sin(phi)));
  return sin(phi);
}

double elliptic_quarter(double k)
{
  double a = 1.0, b = sqrt(1.0 - k * k);
  for (int i = 0; i < 8; i++) {
    const double next = 0.5 * (a + b);
    b = sqrt(a * b), a = next;
  }
  return 0.5 * 3.14159265358979323846 / a;
}
