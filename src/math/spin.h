/* math/spin.h  The rotation of one rigid body: quaternions (w, x, y, z) and the map of Simo and Wong.
 *
 * Body axes are principal axes with moments I[3].  q turns body axes to space axes and need not have length 1 exactly:
 * R(q) is built with 2/|q|^2.  h is the spin (angular momentum about the centre) in space axes.
 *
 * Accelerators compile the same text, as OpenCL C, without what asks the library for a tangent. */
#ifndef VVI_SPIN_H
#define VVI_SPIN_H
#ifndef __OPENCL_VERSION__
#include "math/so3.h"
#endif

/* R(q), by rows */
static inline void vvi_quaternion_matrix(const double q[4], double r[9])
{
  const double w = q[0], x = q[1], y = q[2], z = q[3], s = 2.0 / (w * w + x * x + y * y + z * z);
  r[0] = 1.0 - s * (y * y + z * z), r[1] = s * (x * y - w * z), r[2] = s * (x * z + w * y);
  r[3] = s * (x * y + w * z), r[4] = 1.0 - s * (x * x + z * z), r[5] = s * (y * z - w * x);
  r[6] = s * (x * z - w * y), r[7] = s * (y * z + w * x), r[8] = 1.0 - s * (x * x + y * y);
}

/* Of length 1, w >= 0 */
static inline void vvi_quaternion_of(const double r[9], double q[4])
{
  const double square[4] = {1.0 + r[0] + r[4] + r[8], 1.0 + r[0] - r[4] - r[8], 1.0 - r[0] + r[4] - r[8],
                            1.0 - r[0] - r[4] + r[8]}; /* 4 q_i^2 */
  const double a = r[7] - r[5], b = r[2] - r[6], c = r[3] - r[1], d = r[1] + r[3], e = r[2] + r[6], f = r[5] + r[7];
  const double row[4][4] = {{square[0], a, b, c}, {a, square[1], d, e}, {b, d, square[2], f}, {c, e, f, square[3]}};
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (square[i] > square[k]) k = i;
  double norm = 0.0;
  for (int i = 0; i < 4; i++) norm += row[k][i] * row[k][i];
  norm = (row[k][0] < 0.0 ? -1.0 : 1.0) / sqrt(norm);
  for (int i = 0; i < 4; i++) q[i] = norm * row[k][i];
}

static inline void vvi_quaternion_times(const double a[4], const double b[4], double c[4])
{
  c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* x <- x + d, what rounding leaves out kept in carry: x + carry is the value (Kahan) */
static inline void vvi_carried_add(double d, double *x, double *carry)
{
  const double y = d + *carry, sum = *x + y;
  *carry = y - (sum - *x);
  *x = sum;
}

#ifndef __OPENCL_VERSION__
/* tan(t/2)/(t/2) of t2 = t^2; below the first limit the first term left out is below 1e-17 */
static inline double vvi_half_tangent(double t2)
{
  if (t2 < 1e-3) return 1.0 + t2 * (1.0 / 12.0 + t2 * (1.0 / 120.0 + t2 * (17.0 / 20160.0 + t2 * (31.0 / 362880.0))));
  const double t = sqrt(t2);
  return tan(0.5 * t) / (0.5 * t);
}

/* The Simo-Wong step of a body with torque impulse L about its centre (space axes): theta with
 *   h1 = h + L,   Lambda = exp(theta^),   h1 = Lambda I_n (2 theta/dt - omega_n),                                [em 1]
 * so that T1 - T0 = theta.L/dt exactly.  r: R_n; theta in space axes.  Returns iterations (0: closed form), -1: not
 * converged. */
int vvi_simo_wong(const double inertia[3], const double r[9], double dt, const double h[3], const double impulse[3],
                  double theta[3]);
#endif
#endif
