/* math/roots.c  Roots: of quadratics without cancellation, and of anything from one side. */
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

double vvi_root_from_above(vvi_function *f, void *user, double length, double at_zero, bool touching)
{
  double lo = 0.0, hi = length, flo = at_zero, fhi = f(user, length);
  int side = 0;
  if (touching || flo <= 0.0) { /* where has it come off? */
    lo = length;
    for (int it = 0; it < 22; it++) { /* down to 1e-13 of it */
      lo *= it == 0 ? 0.5 : 0.25;
      flo = f(user, lo);
      if (flo > 0.0) break;
      hi = lo, fhi = flo;
    }
    if (!(flo > 0.0)) return 0.0;
  }
  for (int it = 0; it < 200 && hi - lo > 2e-16 * length && flo > 0.0; it++) {
    double mid = lo + (hi - lo) * flo / (flo - fhi);
    if (!(mid > lo && mid < hi) || it % 8 == 7) mid = 0.5 * (lo + hi);
    if (!(mid > lo && mid < hi)) break;
    const double now = f(user, mid);
    if (now >= 0.0) {
      if (side == 1) fhi *= 0.5;
      lo = mid, flo = now, side = 1;
    } else {
      if (side == -1) flo *= 0.5;
      hi = mid, fhi = now, side = -1;
    }
  }
  return lo;
}
