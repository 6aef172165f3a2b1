/* math/roots.c  Roots of quadratics without cancellation. */
#include "math/math.h"

/*   c0 + c1 s + c2 s^2 = 0.  With D = c1^2 - 4 c0 c2 and c0 > 0:                                        [bars 6]
 *     approaching (c1 <= 0):  s = 2 c0/(-c1 + sqrt D)          the smaller root; exists iff D >= 0
 *     leaving     (c1 >  0):  s = (-c1 - sqrt D)/(2 c2)        exists iff c2 < 0
 *   Both are free of cancellation.  Where c0 = 0 is known (after a bounce) the root s = 0 is divided out:
 *     c1 + c2 s = 0, s = -c1/c2, for c1 > 0 > c2.                                                        [bars 7] */
double vvi_first_crossing(double c0, double c1, double c2, bool touching)
{
  if (touching || c0 <= 0.0) {
    if (c1 < 0.0 || (c1 == 0.0 && c2 < 0.0)) return 0.0;
    return c2 < 0.0 ? -c1 / c2 : INFINITY;
  }
  const double d = c1 * c1 - 4.0 * c0 * c2;
  if (c1 > 0.0) return c2 < 0.0 ? (-c1 - sqrt(d)) / (2.0 * c2) : INFINITY;
  if (d < 0.0) return INFINITY;
  const double s = -c1 + sqrt(d);
  return s > 0.0 ? 2.0 * c0 / s : INFINITY;
}

bool vvi_quadratic(double a, double b, double c, double *small, double *large)
{
  const double d = b * b - 4.0 * a * c;
  if (!(d >= 0.0) || !(a > 0.0)) return false;
  const double t = -0.5 * (b + copysign(sqrt(d), b));
  *large = t / a;
  *small = t != 0.0 ? c / t : 0.0;
  return true;
}
