/* math/spin.c  The rotation of one rigid body by the map of Simo and Wong. */
#include "math/spin.h"

enum { ITERATIONS = 40, SHORTER = 8 };

/* In body axes, with W = I^-1 R^T h, M = R^T L, H = I W + M and Theta = dt (W + y), [em 1] reads
 *   r(y) = 2 I y - M + H - exp(-Theta^) H = 2 I y - M + a Theta x H - b Theta x (Theta x H) = 0,                  [em 2]
 * a = sin t/t, b = (1 - cos t)/t^2, t = |Theta|, and its tangent is
 *   2 I - dt H'^ J(-Theta),   H' = exp(-Theta^) H,   J(-Theta) = 1 - b Theta^ + c Theta^ Theta^,                  [em 3]
 * c = (t - sin t)/t^3.  A moment that is zero (a needle) has no spin about its axis: that row says y = 0. */
typedef struct problem {
  const double *inertia;
  double dt, w[3], m[3], h[3]; /* W, M, H */
  double scale;                /* |H| + |M|: what r is compared with */
} problem;

/* c_1, c_2, c_3 as vvi_turn, with fewer terms where the angle is small: the first one left out is below 1e-17. */
static void turn(double t, double c[3])
{
  if (t > 0.01) {
    vvi_turn(t, c);
    return;
  }
  c[1] = 0.5 - t * (1.0 / 24.0 - t * (1.0 / 720.0 - t * (1.0 / 40320.0 - t * (1.0 / 3628800.0))));
  c[2] = 1.0 / 6.0 - t * (1.0 / 120.0 - t * (1.0 / 5040.0 - t * (1.0 / 362880.0 - t * (1.0 / 39916800.0))));
  c[0] = 1.0 - t * c[2];
}

static double residual(const problem *k, const double y[3], double theta[3], double c[3], double turned[3], double r[3])
{
  double first[3], second[3], size = 0.0;
  for (int i = 0; i < 3; i++) theta[i] = k->dt * (k->w[i] + y[i]);
  turn(vvi_dot3(theta, theta), c);
  vvi_cross3(theta, k->h, first);
  vvi_cross3(theta, first, second);
  for (int i = 0; i < 3; i++) {
    const double change = c[0] * first[i] - c[1] * second[i];
    turned[i] = k->h[i] - change;
    r[i] = k->inertia[i] > 0.0 ? 2.0 * k->inertia[i] * y[i] - k->m[i] + change : 0.0;
    size += r[i] * r[i];
  }
  return sqrt(size);
}

static void newton(const problem *k, const double theta[3], const double c[3], const double turned[3],
                   const double r[3], double step[3])
{
  const double t = vvi_dot3(theta, theta);
  double j[9], hat[9], a[9];
  vvi_axial33(1.0 - c[2] * t, -c[1], c[2], theta, j);
  vvi_axial33(0.0, 1.0, 0.0, turned, hat);
  vvi_mul33(hat, j, a);
  for (int i = 0; i < 3; i++) {
    const bool needle = !(k->inertia[i] > 0.0);
    for (int l = 0; l < 3; l++) a[3 * i + l] = needle ? (i == l ? k->scale : 0.0) : -k->dt * a[3 * i + l];
    if (!needle) a[4 * i] += 2.0 * k->inertia[i];
  }
  vvi_solve33(a, r, step);
}

/* A top, J = I_k about axis k and I about the two others, on which nothing pushes.  W keeps its part along the axis, and the
 * part across, W_p, goes round by an angle: with z the tangent of half of it,
 *   z = tan(t/2)/(t/2) dt W_k (I - J)/(2 I),   Theta = dt (W_k e_k + (W_p - z e_k x W_p)/(1 + z^2)),               [em 3a]
 * t = |Theta|.  z hardly depends on t: two or three rounds leave nothing of a short step.  Equal moments: z = 0, Theta = dt W. */
static bool top(const problem *k, double theta[3])
{
  const double *m = k->inertia, *w = k->w;
  const int a = m[0] == m[1] ? 2 : m[0] == m[2] ? 1 : m[1] == m[2] ? 0 : -1;
  if (a < 0) return false;
  const int b = a == 2 ? 0 : a + 1, c = 3 - a - b;
  const double along = k->dt * w[a], bend = 0.5 * along * (m[b] - m[a]) / m[b];
  const double across = k->dt * k->dt * (w[b] * w[b] + w[c] * w[c]);
  double z = 0.0, last = bend;
  for (int i = 0; i < ITERATIONS && fabs(z - last) > 1e-17 * fabs(z); i++) {
    const double t2 = along * along + across / (1.0 + z * z);
    if (!(t2 <= 4.0)) return false;
    last = z;
    z = vvi_half_tangent(t2) * bend;
  }
  if (fabs(z - last) > 1e-15 * fabs(z)) return false;
  const double part = k->dt / (1.0 + z * z);
  theta[a] = along, theta[b] = part * (w[b] + z * w[c]), theta[c] = part * (w[c] - z * w[b]);
  return true;
}

/* In general r(0) = dt W x H, and y = -I^-1 r(0)/2 up to a part dt |W| of itself: where that part is below rounding (a spin
 * next to a principal axis, short steps) no iteration is needed. */
static bool closed(const problem *k, double theta[3])
{
  const double *m = k->inertia;
  double cross[3];
  vvi_cross3(k->w, k->h, cross);
  const double most = m[0] > m[1] ? (m[0] > m[2] ? m[0] : m[2]) : m[1] > m[2] ? m[1] : m[2];
  const double least = m[0] < m[1] ? (m[0] < m[2] ? m[0] : m[2]) : m[1] < m[2] ? m[1] : m[2];
  const double dt2 = k->dt * k->dt, across = vvi_dot3(cross, cross), w = vvi_dot3(k->w, k->w), h = vvi_dot3(k->h, k->h);
  const bool steady = across <= 1e-31 * w * h || dt2 * across * dt2 * w * most * most <= 1e-33 * h * least * least;
  if (!(least > 0.0) || !steady) return false;
  for (int i = 0; i < 3; i++) theta[i] = k->dt * (k->w[i] - 0.5 * k->dt * cross[i] / m[i]);
  return true;
}

/* Newton with shorter steps where the whole one does not help.  It ends at the rounding floor: small, and no longer better. */
static int iterate(const problem *k, double theta[3])
{
  double y[3], c[3], turned[3], r[3], step[3];
  for (int i = 0; i < 3; i++) y[i] = k->inertia[i] > 0.0 ? 0.5 * k->m[i] / k->inertia[i] : 0.0;
  double size = residual(k, y, theta, c, turned, r);
  for (int n = 1; n <= ITERATIONS; n++) {
    if (!(size <= INFINITY)) return -1;
    if (size <= 1e-17 * k->scale) return n - 1;
    double trial[3], next[3], nc[3], nturned[3], nr[3], nsize = INFINITY, part = 1.0;
    newton(k, theta, c, turned, r, step);
    if (k->dt * k->dt * vvi_dot3(step, step) <= 1e-17) { /* what is left is of second order in it */
      for (int i = 0; i < 3; i++) theta[i] = k->dt * (k->w[i] + (y[i] - step[i]));
      return n;
    }
    for (int shorter = 0; shorter < SHORTER && !(nsize < size); shorter++, part *= 0.5) {
      for (int i = 0; i < 3; i++) trial[i] = y[i] - part * step[i];
      nsize = residual(k, trial, next, nc, nturned, nr);
      if (size <= 1e-14 * k->scale) break;
    }
    if (!(nsize < size)) return size <= 1e-13 * k->scale ? n : -1;
    for (int i = 0; i < 3; i++) y[i] = trial[i], theta[i] = next[i], turned[i] = nturned[i], r[i] = nr[i], c[i] = nc[i];
    size = nsize;
  }
  return size <= 1e-13 * k->scale ? ITERATIONS : -1;
}

int vvi_simo_wong(const double inertia[3], const double r[9], double dt, const double h[3], const double impulse[3],
                  double theta[3])
{
  problem k = {.inertia = inertia, .dt = dt};
  vvi_tapply33(r, h, k.h);
  vvi_tapply33(r, impulse, k.m);
  for (int i = 0; i < 3; i++) k.w[i] = inertia[i] > 0.0 ? k.h[i] / inertia[i] : 0.0;
  double body[3];
  const bool free = impulse[0] == 0.0 && impulse[1] == 0.0 && impulse[2] == 0.0;
  if (free && (top(&k, body) || closed(&k, body))) {
    vvi_apply33(r, body, theta);
    return 0;
  }
  for (int i = 0; i < 3; i++) k.h[i] += k.m[i];
  k.scale = vvi_norm3(k.h) + vvi_norm3(k.m);
  const int n = iterate(&k, body);
  vvi_apply33(r, body, theta);
  return n;
}
