/* contact/friction/rolling.c  Resistance to rolling: moments of two bodies on each other across the normal of a contact, no larger
 * than delta j_n, and against the rolling where there is any.  The arm delta is how far in front of the middle of a contact the
 * normal impulse acts on a body that rolls.
 *
 *   |m| <= delta j_n,   m = -delta j_n omega/|omega| where omega != 0                                          [island 17]
 *
 * The normal impulse is that of the last solve, so that a solve knows a disc of fixed size; its nearest point is the law itself:
 * the disc has no cone, and needs no shift. */
#include "contact/friction/law.h"

#include "math/math.h"

static vvi_touch nearest(const vvi_friction *f, const double q[3], double p[3])
{
  const double tau = sqrt(q[1] * q[1] + q[2] * q[2]);
  p[0] = 0.0, p[1] = q[1], p[2] = q[2];
  if (tau <= f->limit) return VVI_STICKS;
  p[1] *= f->limit / tau, p[2] *= f->limit / tau;
  return VVI_SLIDES;
}

/* limit/tau (1 - d d^T) on the rim, d = q_t/tau. */
static void slope(const vvi_friction *f, vvi_touch touch, const double q[3], const double p[3], double d[6])
{
  const double tau = sqrt(q[1] * q[1] + q[2] * q[2]), round = touch == VVI_SLIDES ? f->limit / tau : 1.0;
  (void)p;
  d[0] = d[4] = d[5] = 0.0;
  d[1] = d[2] = round, d[3] = 0.0;
  if (touch != VVI_SLIDES) return;
  d[1] = round * q[2] * q[2] / (tau * tau), d[2] = round * q[1] * q[1] / (tau * tau);
  d[3] = -round * q[1] * q[2] / (tau * tau);
}

static void answer_slope(const vvi_friction *f, vvi_touch touch, const double q[3], const double p[3], double d[9])
{
  double s[6];
  slope(f, touch, q, p, s);
  for (int k = 0; k < 9; k++) d[k] = 0.0;
  d[4] = s[1], d[8] = s[2], d[5] = d[7] = s[3];
}

static bool cut(const vvi_friction *f, double n, double t[2])
{
  const double q[3] = {0.0, t[0], t[1]};
  double p[3];
  (void)n;
  if (nearest(f, q, p) == VVI_STICKS) return false;
  t[0] = p[1], t[1] = p[2];
  return true;
}

static const vvi_friction_law rolling = {"rolling",        nearest,          slope, nearest, answer_slope, cut,
                                         vvi_law_no_shift, vvi_law_no_slide, NULL};

vvi_friction vvi_friction_rolling(double limit)
{
  return (vvi_friction){.law = &rolling, .limit = limit > 0.0 ? limit : 0.0};
}
