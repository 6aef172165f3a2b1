/* model/return.h  The return map of one point, with the factor of its rate.  Accelerators compile the same text, as OpenCL C:
 * include <math.h> and model/laws.h before it.  Logarithm and exponential are written with operations that round alike everywhere. */
#ifndef VVI_RETURN_H
#define VVI_RETURN_H

/* Polygon and its slope at alpha, without the rate.                                                            [mat 6] */
static inline double vvi_yield_at(VVI_LAW_SPACE const vvi_plastic *p, double alpha, double *slope)
{
  double y = p->yield, sum = 0.0;
  for (int k = 0; k < (int)p->pieces; k++)
    if (alpha >= p->at[k]) y += p->slope[k] * (alpha - p->at[k]), sum += p->slope[k];
  *slope = sum;
  return y;
}

/* A x^2 + B y^2 = (Y/(1 - H theta))^2 by Newton on the inverse roots from theta = 0.                           [mat 5] */
static inline vvi_returned vvi_return_by(double A, double a, double B, double b, double Y, double H)
{
  enum { ROUNDS = 6 };
  vvi_returned out = {1.0, 1.0, 0.0, 0.0};
  double theta = 0.0, x = 1.0, y = 1.0, s = sqrt(A + B);
  for (int i = 0; i < ROUNDS; i++) {
    const double miss = s * (1.0 - H * theta) / Y - 1.0;
    theta += miss * s * s / (a * A * x * x * x + b * B * y * y * y + H * s * s * s / Y);
    x = 1.0 / (1.0 + a * theta), y = 1.0 / (1.0 + b * theta);
    s = sqrt(A * x * x + B * y * y);
    if (fabs(miss) < 1e-15) break;
  }
  if (theta > 0.0)
    out.x = x, out.y = y, out.theta = theta, out.dalpha = theta * s; /* else: on the yield surface, to rounding */
  return out;
}

/* ln x for x > 0, not subnormal.  x = 2^k m, 1/sqrt 2 <= m < sqrt 2; with s = (m - 1)/(m + 1) it is k ln 2 + 2 (s + s^3/3 + ...):
 * |s| < 0.172, and eleven terms leave less than 2e-18. */
static inline double vvi_log_of(double x)
{
  const double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33; /* the first has zeros behind it */
  int k;
  double m = frexp(x, &k), sum = 0.0;
  if (m < 0.70710678118654752) m *= 2.0, k--;
  const double s = (m - 1.0) / (m + 1.0), t = s * s;
  for (int n = 10; n >= 0; n--) sum = 1.0 / (2 * n + 3) + t * sum;
  return k * ln2_high + (2.0 * s + (2.0 * s * (t * sum) + k * ln2_low));
}

/* exp x for |x| < 700: 2^k times the series of what is left, |r| < 0.35, of which 14 terms leave less than 1e-18. */
static inline double vvi_exp_of(double x)
{
  const double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
  const int k = (int)floor(x * 1.4426950408889634 + 0.5);
  const double r = (x - k * ln2_high) - k * ln2_low;
  double sum = 0.0;
  for (int n = 14; n >= 1; n--) sum = (1.0 + sum) * r / n;
  return ldexp(1.0 + sum, k);
}

/* Factor of the yield stress at a rate. */
static inline double vvi_rate_factor(VVI_LAW_SPACE const vvi_plastic *p, double rate)
{
  const double ratio = rate / p->rate;
  if (p->rate_law == VVI_COWPER_SYMONDS) {
    if (!(ratio > 1e-300)) return 1.0;
    return 1.0 + vvi_exp_of(fmin(vvi_log_of(fmin(ratio, 1e300)) / p->exponent, 600.0));
  }
  return ratio > 1.0 ? 1.0 + p->exponent * vvi_log_of(fmin(ratio, 1e300)) : 1.0;
}

/* Backward Euler: the factor of the rate dalpha/h that the return with this very factor has.  The return shrinks and the
 * factor grows with it, so the root lies between 1 and the factor of the return without one; false position, halved where one
 * end stays (Illinois).                                                                                        [mat 7] */
static inline vvi_returned vvi_return_at_rate(VVI_LAW_SPACE const vvi_plastic *p, double A, double a, double B,
                                              double b, double Y, double H, double h)
{
  enum { ROUNDS = 60 };
  const vvi_returned elastic = {1.0, 1.0, 0.0, 0.0};
  const double s = sqrt(A + B);
  vvi_returned r = vvi_return_by(A, a, B, b, Y, H);
  const double free_factor = vvi_rate_factor(p, r.dalpha / h);
  double low = 1.0, high = fmin(free_factor, s / Y), below = 1.0 - free_factor, above;
  int side = 0;
  if (!(high > 1.0)) return r;
  r = elastic;
  if (!(high * Y >= s)) r = vvi_return_by(A, a, B, b, high * Y, high * H);
  above = high - vvi_rate_factor(p, r.dalpha / h);
  for (int i = 0; i < ROUNDS && high - low > 1e-14 * high; i++) {
    const double mid = i % 8 == 7 ? 0.5 * (low + high) : (low * above - high * below) / (above - below);
    r = vvi_return_by(A, a, B, b, mid * Y, mid * H);
    const double miss = mid - vvi_rate_factor(p, r.dalpha / h);
    if (fabs(miss) <= 1e-14 * mid) break;
    if (miss < 0.0) {
      low = mid, below = miss;
      if (side == -1) above *= 0.5;
      side = -1;
    } else {
      high = mid, above = miss;
      if (side == 1) below *= 0.5;
      side = 1;
    }
  }
  return r;
}

/* A and B: squares of the two parts of the trial stress, a and b their moduli; h: s, for the rate.             [mat 4, 5] */
static inline vvi_returned vvi_return_of(VVI_LAW_SPACE const vvi_plastic *p, double A, double a, double B, double b,
                                         double alpha, double h)
{
  vvi_returned out = {1.0, 1.0, 0.0, 0.0};
  double H;
  const double Y = vvi_yield_at(p, alpha, &H);
  if (!(A + B > Y * Y)) return out;
  return p->rate_law == VVI_NO_RATE ? vvi_return_by(A, a, B, b, Y, H) : vvi_return_at_rate(p, A, a, B, b, Y, H, h);
}
#endif
