/* math/so3.h  Rotations and rigid motions: vectors double[3], matrices double[9] by rows.
 *
 * w^ is the matrix of the cross product, w^ v = w x v.  With t = |w|^2, the Stumpff functions
 *
 *   c_j(t) = sum_k (-t)^k/(2k + j)!,   c_j = 1/j! - t c_{j+2},   dc_j/dt = (j c_{j+2} - c_{j+1})/2            [beam 10]
 *
 * (c_0 = cos, c_1 = sin(theta)/theta, c_2 = (1 - cos(theta))/theta^2, ... of theta = |w|) give the exponential and all
 * its derivatives without a special case at w = 0.  Outputs may not overlap inputs, except in vvi_cross3.
 *
 * Accelerators compile the same text, as OpenCL C, without what asks the library for a sine. */
#ifndef VVI_SO3_H
#define VVI_SO3_H
#ifndef __OPENCL_VERSION__
#include "math/math.h"
#endif

static inline void vvi_mul33(const double a[9], const double b[9], double c[9])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) c[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

/* c = a^T b */
static inline void vvi_tmul33(const double a[9], const double b[9], double c[9])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) c[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
}

static inline void vvi_apply33(const double a[9], const double v[3], double out[3])
{
  for (int i = 0; i < 3; i++) out[i] = a[3 * i] * v[0] + a[3 * i + 1] * v[1] + a[3 * i + 2] * v[2];
}

/* out = a^T v */
static inline void vvi_tapply33(const double a[9], const double v[3], double out[3])
{
  for (int i = 0; i < 3; i++) out[i] = a[i] * v[0] + a[3 + i] * v[1] + a[6 + i] * v[2];
}

/* out = a 1 + b w^ + k w w^T, the form of every matrix that belongs to one rotation vector */
static inline void vvi_axial33(double a, double b, double k, const double w[3], double out[9])
{
  const double hat[9] = {0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out[3 * i + j] = (i == j ? a : 0.0) + b * hat[3 * i + j] + k * w[i] * w[j];
}

/* Solves a x = r by Cramer's rule; a singular a gives what is not finite. */
static inline void vvi_solve33(const double a[9], const double r[3], double x[3])
{
  const double u[3] = {a[0], a[3], a[6]}, v[3] = {a[1], a[4], a[7]}, w[3] = {a[2], a[5], a[8]};
  double vw[3], wu[3], uv[3];
  vvi_cross3(v, w, vw);
  vvi_cross3(w, u, wu);
  vvi_cross3(u, v, uv);
  const double d = 1.0 / vvi_dot3(u, vw);
  x[0] = d * vvi_dot3(r, vw), x[1] = d * vvi_dot3(r, wu), x[2] = d * vvi_dot3(r, uv);
}

/* cay(w) = 1 + 4/(4 + |w|^2) (w^ + w^ w^/2)                                                                [beam 11] */
static inline void vvi_cay(const double w[3], double r[9])
{
  const double t = vvi_dot3(w, w), c = 4.0 / (4.0 + t);
  vvi_axial33(1.0 - 0.5 * c * t, c, 0.5 * c, w, r);
}

/* cay^-1(R) = 2/(1 + tr R) vee(R - R^T); R must not turn by pi. */
static inline void vvi_cay_inverse(const double r[9], double w[3])
{
  const double c = 2.0 / (1.0 + r[0] + r[4] + r[8]);
  w[0] = c * (r[7] - r[5]), w[1] = c * (r[2] - r[6]), w[2] = c * (r[3] - r[1]);
}

/* c[j] = c_{first + j}(t) for j = 0 .. n - 1, 2 <= n <= 8, by the series and the recurrence downwards; |t| <= 16. */
static inline void vvi_stumpff(double t, int first, int n, double *c)
{
  const int terms = fabs(t) <= 1.0 ? 9 : 16;
  for (int j = n - 2; j < n; j++) {
    double sum = 1.0;
    for (int k = terms; k > 0; k--) {
      const int m = 2 * k + first + j;
      sum = 1.0 - t * sum / (double)(m * (m - 1));
    }
    for (int m = 2; m <= first + j; m++) sum /= (double)m;
    c[j] = sum;
  }
  for (int j = n - 3; j >= 0; j--) {
    double one = 1.0;
    for (int m = 2; m <= first + j; m++) one /= (double)m;
    c[j] = one - t * c[j + 2];
  }
}

#ifndef __OPENCL_VERSION__
/* c_1, c_2, c_3 for any t >= 0 */
static inline void vvi_turn(double t, double c[3])
{
  if (t <= 1.0) {
    vvi_stumpff(t, 1, 3, c);
    return;
  }
  const double theta = sqrt(t), half = sin(0.5 * theta);
  c[0] = sin(theta) / theta;
  c[1] = 2.0 * half * half / t;
  c[2] = (1.0 - c[0]) / t;
}

/* exp(w^) = 1 + c_1 w^ + c_2 w^ w^                                                                         [beam 12] */
static inline void vvi_exp(const double w[3], double r[9])
{
  double c[3];
  const double t = vvi_dot3(w, w);
  vvi_turn(t, c);
  vvi_axial33(1.0 - c[1] * t, c[0], c[1], w, r);
}

/* The exponential of SE(3): r = exp(w^), x = (1 + c_2 w^ + c_3 w^ w^) u                                    [beam 13] */
static inline void vvi_exp_se3(const double w[3], const double u[3], double r[9], double x[3])
{
  double c[3], tangent[9];
  const double t = vvi_dot3(w, w);
  vvi_turn(t, c);
  vvi_axial33(1.0 - c[1] * t, c[0], c[1], w, r);
  vvi_axial33(1.0 - c[2] * t, c[1], c[2], w, tangent);
  vvi_apply33(tangent, u, x);
}

#endif

/* The Cayley map of SE(3), (1 - X/2)^-1 (1 + X/2): r = cay(w), x = (1 - w^/2)^-1 u                            [beam 14]
 * with (1 - w^/2)^-1 = 4/(4 + |w|^2) (1 + w^/2 + w w^T/4). */
static inline void vvi_cay_se3(const double w[3], const double u[3], double r[9], double x[3])
{
  double tangent[9];
  const double c = 4.0 / (4.0 + vvi_dot3(w, w));
  vvi_cay(w, r);
  vvi_axial33(c, 0.5 * c, 0.25 * c, w, tangent);
  vvi_apply33(tangent, u, x);
}

static inline void vvi_cay_se3_inverse(const double r[9], const double x[3], double w[3], double u[3])
{
  double wx[3];
  vvi_cay_inverse(r, w);
  vvi_cross3(w, x, wx);
  for (int i = 0; i < 3; i++) u[i] = x[i] - 0.5 * wx[i];
}
#endif
