/* body/shell/far.h  x - ln(1 + x) where the series of formulas.h ends, by operations that round alike everywhere.  Accelerators
 * compile the same text, as OpenCL C: include <math.h> before it. */
#ifndef VVI_SHELL_FAR_H
#define VVI_SHELL_FAR_H

/* 1 + x = 2^k m, 1/sqrt 2 <= m < sqrt 2; with s = (m - 1)/(m + 1) the logarithm of m is 2 (s + s^3/3 + ...): |s| < 0.172, and
 * eleven terms leave less than 2e-18.  What rounding left out of 1 + x is c. */
static inline double shell_excess_of(double x)
{
  const double y = 1.0 + x, c = (x - (y - 1.0)) / y;
  const double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33; /* the first has zeros behind it */
  int k;
  if (!(y > 0.0 && y < 1e300)) return x - y / (y - y); /* not a number, or infinite */
  double m = frexp(y, &k);
  if (m < 0.70710678118654752) m *= 2.0, k--;
  const double s = (m - 1.0) / (m + 1.0), t = s * s;
  double sum = 0.0;
  for (int n = 10; n >= 0; n--) sum = 1.0 / (2 * n + 3) + t * sum;
  const double ln_m = 2.0 * s + 2.0 * s * (t * sum);
  return ((x - k * ln2_high) - ln_m) - (k * ln2_low + c);
}

/* Where (x/(2 + x))^2 > 0.04 out becomes x - ln(1 + x); the others stay, whatever stands beside them. */
static inline void shell_excess_some(int n, const double *x, double *out)
{
  for (int i = 0; i < n; i++) {
    const double s = x[i] / (2.0 + x[i]);
    if (s * s > 0.04) out[i] = shell_excess_of(x[i]);
  }
}
#endif
