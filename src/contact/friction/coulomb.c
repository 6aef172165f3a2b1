/* contact/friction/coulomb.c  Coulomb's law: |j_t| <= mu j_n, and opposite to the sliding where there is any. */
#include "contact/friction/law.h"

#include "math/math.h"

#include <string.h>

vvi_touch vvi_cone_nearest(const vvi_friction *f, const double q[3], double p[3])
{
  const double mu = f->mu, tau = sqrt(q[1] * q[1] + q[2] * q[2]);
  if (mu > 0.0 ? tau <= mu * q[0] : q[0] >= 0.0) { /* the tip, too: what only just touches is taken for held */
    p[0] = q[0], p[1] = mu > 0.0 ? q[1] : 0.0, p[2] = mu > 0.0 ? q[2] : 0.0;
    return VVI_STICKS;
  }
  if (q[0] <= -mu * tau) {
    p[0] = p[1] = p[2] = 0.0;
    return VVI_FREE;
  }
  p[0] = (q[0] + mu * tau) / (1.0 + mu * mu);
  const double t = mu * p[0] / tau;
  p[1] = t * q[1], p[2] = t * q[2];
  return VVI_SLIDES;
}

/* e e^T + (mu p_n/tau) (1 - d d^T) on the mantle, e its direction, d = q_t/tau.                               [island 10] */
void vvi_cone_slope(const vvi_friction *f, vvi_touch touch, const double q[3], const double p[3], double d[6])
{
  const double mu = f->mu;
  memset(d, 0, 6 * sizeof *d);
  if (touch == VVI_STICKS) d[0] = d[1] = d[2] = 1.0;
  if (touch != VVI_SLIDES) return;
  const double tau = sqrt(q[1] * q[1] + q[2] * q[2]), h = 1.0 / (1.0 + mu * mu);
  const double d1 = q[1] / tau, d2 = q[2] / tau, round = mu * p[0] / tau, along = h * mu * mu;
  d[0] = h;
  d[1] = along * d1 * d1 + round * d2 * d2;
  d[2] = along * d2 * d2 + round * d1 * d1;
  d[3] = (along - round) * d1 * d2;
  d[4] = h * mu * d2;
  d[5] = h * mu * d1;
}

bool vvi_cone_cut(const vvi_friction *f, double n, double t[2])
{
  return vvi_cone_cut_inline(f, n, t);
}

/* p_n = max(0, q_n), p_t = q_t cut to the disc of radius mu p_n. */
vvi_touch vvi_cone_answer(const vvi_friction *f, const double q[3], double p[3])
{
  if (!(q[0] >= 0.0)) {
    p[0] = p[1] = p[2] = 0.0;
    return VVI_FREE;
  }
  p[0] = q[0], p[1] = q[1], p[2] = q[2];
  return vvi_cone_cut(f, p[0], p + 1) && f->mu > 0.0 ? VVI_SLIDES : VVI_STICKS;
}

/* Sliding: p_t = mu q_n d, d = q_t/|q_t|. */
void vvi_cone_answer_slope(const vvi_friction *f, vvi_touch touch, const double q[3], const double p[3], double d[9])
{
  memset(d, 0, 9 * sizeof *d);
  if (touch == VVI_FREE) return;
  d[0] = 1.0;
  if (touch == VVI_STICKS) {
    d[4] = d[8] = 1.0;
    return;
  }
  const double tau = sqrt(q[1] * q[1] + q[2] * q[2]), d1 = q[1] / tau, d2 = q[2] / tau, round = f->mu * p[0] / tau;
  d[3] = f->mu * d1, d[6] = f->mu * d2;
  d[4] = round * d2 * d2, d[8] = round * d1 * d1;
  d[5] = d[7] = -round * d1 * d2;
}

double vvi_cone_shift(const vvi_friction *f, const double u[3])
{
  return f->mu * sqrt(u[1] * u[1] + u[2] * u[2]);
}

/* With the slip along e, j = j_n (1, -mu e), and u_n = 0 gives
 *   j_n = -c_n/N,  N = a_nn - mu a_nt.e,      u_t = c_t + j_n (a_tn - mu A_tt e).
 * Sought is the angle of e with e'.u_t = 0, e' across e, and e.u_t >= 0: Newton's method in that angle.        [island 6] */
bool vvi_cone_slide(const vvi_friction *f, const double a[6], const double c[3], double tolerance, double j[3])
{
  enum { MOST = 40 };
  const double mu = f->mu;
  double ut[2] = {c[1], c[2]};
  const double stop[2] = {c[1] - a[5] * c[0] / a[0], c[2] - a[4] * c[0] / a[0]}; /* the slip without friction */
  if (stop[0] != 0.0 || stop[1] != 0.0) ut[0] = stop[0], ut[1] = stop[1];
  double angle = atan2(ut[1], ut[0]);
  for (int k = 0; k < MOST; k++) {
    const double e[2] = {cos(angle), sin(angle)}, across[2] = {-e[1], e[0]};
    const double N = a[0] - mu * (a[5] * e[0] + a[4] * e[1]), dN = -mu * (a[5] * across[0] + a[4] * across[1]);
    if (!(N > 1e-3 * a[0])) return false;
    const double n = -c[0] / N, dn = -n * dN / N;
    const double w[2] = {a[5] - mu * (a[1] * e[0] + a[3] * e[1]), a[4] - mu * (a[3] * e[0] + a[2] * e[1])};
    const double dw[2] = {-mu * (a[1] * across[0] + a[3] * across[1]), -mu * (a[3] * across[0] + a[2] * across[1])};
    ut[0] = c[1] + n * w[0], ut[1] = c[2] + n * w[1];
    const double off = across[0] * ut[0] + across[1] * ut[1], along = e[0] * ut[0] + e[1] * ut[1];
    if (fabs(off) <= tolerance) {
      if (!(along >= -tolerance)) return false;
      j[0] = n, j[1] = -mu * n * e[0], j[2] = -mu * n * e[1];
      return true;
    }
    const double rise = -along + across[0] * (dn * w[0] + n * dw[0]) + across[1] * (dn * w[1] + n * dw[1]);
    const double turn = rise < 0.0 ? -off / rise : 0.5 * (off > 0.0 ? 1.0 : -1.0);
    angle += fmax(-0.5, fmin(0.5, turn));
  }
  return false;
}

/* A guide leaves one direction g to slide along: then K = k g g^T, and the slip lies along g. */
bool vvi_disc_answer(const double k[3], const double u[2], double limit, double j[2])
{
  const double det = k[0] * k[2] - k[1] * k[1];
  if (det > 1e-14 * k[0] * k[2]) {
    j[0] -= (k[2] * u[0] - k[1] * u[1]) / det, j[1] -= (k[0] * u[1] - k[1] * u[0]) / det;
  } else {
    const double g[2] = {k[0] >= k[2] ? k[0] : k[1], k[0] >= k[2] ? k[1] : k[2]}, trace = k[0] + k[2];
    const double along = trace > 0.0 ? (g[0] * u[0] + g[1] * u[1]) / ((g[0] * g[0] + g[1] * g[1]) * trace) : 0.0;
    for (int i = 0; i < 2; i++) j[i] -= along * g[i];
  }
  const double size = sqrt(j[0] * j[0] + j[1] * j[1]);
  if (!(size > limit)) return true;
  for (int i = 0; i < 2; i++) j[i] *= limit / size;
  return false;
}

static const vvi_friction_law coulomb = {"coulomb",       vvi_cone_nearest,      vvi_cone_slope,
                                         vvi_cone_answer, vvi_cone_answer_slope, vvi_cone_cut,
                                         vvi_cone_shift,  vvi_cone_slide,        NULL};

vvi_friction vvi_friction_coulomb(double mu)
{
  return (vvi_friction){.law = &coulomb, .mu = mu > 0.0 ? mu : 0.0};
}
