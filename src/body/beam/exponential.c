/* body/beam/exponential.c  `strain: exp` and `strain: exp-se3`: sections joined by the exponential in place of the Cayley map. */
#include "body/beam/wrench.h"

#include "math/math.h"

#include <complex.h>

/* atan(x^(1/2))/x^(1/2), also of x < 0 by its series, and its derivative */
static double arc_ratio(double x)
{
  if (fabs(x) >= 0.05) return atan(sqrt(x)) / sqrt(x);
  double sum = 0.0;
  for (int k = 13; k >= 0; k--) sum = 1.0 / (2 * k + 1) - x * sum;
  return sum;
}

static double arc_slope(double x)
{
  if (fabs(x) >= 0.05) return (1.0 / (1.0 + x) - arc_ratio(x)) / (2.0 * x);
  double sum = 0.0;
  for (int k = 13; k >= 0; k--) sum = (k + 1) / (2.0 * k + 3.0) - x * sum;
  return -sum;
}

#define REAL     double
#define FN(name) name##_plain
#define RATIO(x) arc_ratio(x)
#define SIZE(x)  fabs(x)
#include "body/beam/exponential.h"
#undef REAL
#undef FN
#undef RATIO
#undef SIZE
#define REAL     double complex
#define FN(name) name##_complex
#define RATIO(x) (arc_ratio(creal(x)) + I * (cimag(x) * arc_slope(creal(x))))
#define SIZE(x)  fabs(creal(x))
#include "body/beam/exponential.h"

void beam_exp_force(const beam_body *k, const double D[3], const double A[9], const double B[9], double f[3],
                    double left[3], double right[3])
{
  if (k->strain == BEAM_EXP)
    nodes_plain(k, D, A, B, f, left, right);
  else
    helix_plain(k, D, A, B, f, left, right);
}

void beam_exp_strain(bool helix, const double r[3], const double psi[3], double c[3], double phi[3])
{
  double t[4];
  ratios_plain(0.25 * vvi_dot3(psi, psi), t);
  for (int i = 0; i < 3; i++) c[i] = r[i];
  if (helix) way_plain(psi, t, r, c);
  for (int i = 0; i < 3; i++) phi[i] = t[0] * psi[i];
}

/* By the complex step, as for shells: no difference of nearby numbers. */
static const double tiny = 1e-40;

static void vary_frame(const turning *f, double complex out[9])
{
  for (int c = 0; c < 3; c++) {
    const double column[3] = {f->at[c], f->at[3 + c], f->at[6 + c]};
    double turn[3];
    vvi_cross3(f->t, column, turn);
    for (int i = 0; i < 3; i++) out[3 * i + c] = column[i] + I * (tiny * turn[i]);
  }
}

static pair3 parts(const double complex z[3])
{
  pair3 p;
  for (int c = 0; c < 3; c++) p.v[c] = creal(z[c]), p.d[c] = cimag(z[c]) / tiny;
  return p;
}

element_wrench beam_exp_wrench(const beam_body *k, const pair3 *D, const turning *a, const turning *b)
{
  double complex d[3], A[9], B[9], f[3], left[3], right[3];
  for (int c = 0; c < 3; c++) d[c] = D->v[c] + I * (tiny * D->d[c]);
  vary_frame(a, A);
  vary_frame(b, B);
  (k->strain == BEAM_EXP ? nodes_complex : helix_complex)(k, d, A, B, f, left, right);
  return (element_wrench){.force = parts(f), .left = parts(left), .right = parts(right)};
}
