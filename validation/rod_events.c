/* validation/rod_events.c  An event solver for a thin rod in a free cube, without friction, e = 1.
 *
 * The rod (mass m, length L, moment I across) is pushed at its ends only: a normal impulse has no moment about its axis, so w stays
 * across d, and d turns evenly about w.  The cube (mass M, moment B about any axis) turns evenly, too.  Between impacts
 *
 *     x(t) = x + v t,   d(t) = d cos(|w| t) + (w/|w|) x d sin(|w| t),   X(t) = X + V t,   R(t) = exp(W t) R
 *
 * are exact, and so are the impulses; the only thing to be found is when g = 1 +- y_k of an end y = R^T (x +- L d/2 - X), seen from
 * the cube, is zero.  With |g''| <= a the first root is not before g + g' t - a t^2/2 is zero: steps to there never pass one, and
 * close in like Newton's method.  Long doubles: half a decimal digit is lost in an impact. */
#include "rod_events.h"

#include <math.h>
#include <string.h>

typedef long double real;

static const real mass = 7e-6L, across = 7e-6L * 1.01L / 12.0L, heavy = 1.68e-3L, all_round = 2.8e-3L / 1.5L,
                  half = 0.5L;

typedef struct rod_state {
  real x[3], v[3], d[3], w[3]; /* rod */
  real X[3], V[3], R[9], W[3]; /* cube; R by rows */
} rod_state;

static real dot(const real a[3], const real b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const real a[3], const real b[3], real out[3])
{
  for (int k = 0; k < 3; k++) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* a turned by w t. */
static void turn(const real w[3], real t, real a[3])
{
  const real rate = sqrtl(dot(w, w));
  if (rate == 0.0L) return;
  real side[3];
  cross(w, a, side);
  const real along = dot(w, a) / (rate * rate), c = cosl(rate * t), s = sinl(rate * t) / rate;
  for (int k = 0; k < 3; k++) a[k] = c * a[k] + s * side[k] + (1.0L - c) * along * w[k];
}

static void fly(rod_state *s, real t)
{
  for (int k = 0; k < 3; k++) s->x[k] += t * s->v[k], s->X[k] += t * s->V[k];
  turn(s->w, t, s->d);
  for (int c = 0; c < 3; c++) {
    real a[3] = {s->R[c], s->R[3 + c], s->R[6 + c]};
    turn(s->W, t, a);
    for (int k = 0; k < 3; k++) s->R[3 * k + c] = a[k];
  }
}

/* Where an end is from the middle of the cube, and how fast it moves against the cube there; arm: from the middle of the rod. */
static void end_of(const rod_state *s, int end, real arm[3], real p[3], real u[3])
{
  real by_rod[3], by_cube[3];
  for (int k = 0; k < 3; k++) arm[k] = (end == 0 ? half : -half) * s->d[k], p[k] = s->x[k] + arm[k] - s->X[k];
  cross(s->w, arm, by_rod);
  cross(s->W, p, by_cube);
  for (int k = 0; k < 3; k++) u[k] = s->v[k] + by_rod[k] - s->V[k] - by_cube[k];
}

/* How long nothing is hit for certain; 0: `end` hits wall `axis` now. */
static real safe(const rod_state *s, int *end, int *axis)
{
  real rel[3], least = INFINITY;
  for (int k = 0; k < 3; k++) rel[k] = s->v[k] - s->V[k];
  const real w = sqrtl(dot(s->w, s->w)), W = sqrtl(dot(s->W, s->W)), speed = sqrtl(dot(rel, rel)) + half * w;
  const real most = half * w * w + 2.0L * W * speed + 2.0L * W * W + 1e-30L; /* |p| < 3^(1/2) < 2 */
  for (int e = 0; e < 2; e++) {
    real arm[3], p[3], u[3];
    end_of(s, e, arm, p, u);
    for (int k = 0; k < 6; k++) {
      const real sign = k < 3 ? 1.0L : -1.0L, wall[3] = {s->R[k % 3], s->R[3 + k % 3], s->R[6 + k % 3]};
      const real gap = fmaxl(1.0L - sign * dot(wall, p), 0.0L), rate = -sign * dot(wall, u);
      const real root = sqrtl(rate * rate + 2.0L * most * gap);
      if (rate < 0.0L && gap < 1e-17L) {
        *end = e, *axis = k % 3;
        return 0.0L;
      }
      least = fminl(least, rate >= 0.0L ? (rate + root) / most : 2.0L * gap / (root - rate));
    }
  }
  return least;
}

/* J = 2 u/(1/m + 1/M + |r x n|^2/I + |p x n|^2/B), against the wall n. */
static void hit(rod_state *s, int end, int axis)
{
  real arm[3], p[3], u[3], n[3] = {s->R[axis], s->R[3 + axis], s->R[6 + axis]}, a[3], b[3];
  end_of(s, end, arm, p, u);
  if (dot(n, p) < 0.0L)
    for (int k = 0; k < 3; k++) n[k] = -n[k];
  cross(arm, n, a);
  cross(p, n, b);
  const real j = 2.0L * dot(n, u) / (1.0L / mass + 1.0L / heavy + dot(a, a) / across + dot(b, b) / all_round);
  for (int k = 0; k < 3; k++) {
    s->v[k] -= j * n[k] / mass, s->w[k] -= j * a[k] / across;
    s->V[k] += j * n[k] / heavy, s->W[k] += j * b[k] / all_round;
  }
}

int64_t rod_events(double start, double end, int kept, double *time)
{
  rod_state s = {
      .x = {start, 0, 0}, .v = {50, 2, 0}, .d = {1, 0, 0}, .w = {0, 40, 0}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  int64_t n = 0;
  for (real t = 0.0L; t < (real)end;) {
    int which = 0, wall = 0;
    const real by = safe(&s, &which, &wall);
    if (by == 0.0L) {
      if (n < kept) time[n] = (double)t;
      hit(&s, which, wall);
      n++;
    } else {
      fly(&s, by);
      t += by;
    }
  }
  return n;
}
