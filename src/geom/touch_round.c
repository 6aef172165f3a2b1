/* geom/touch_round.c  Balls and capsules in closed form. */
#include "geom/touch.h"

/* Two balls of radii ra, rb about p and q: the common point on the line of centres, midway between the surfaces. */
static inline void ball_pair(const double p[3], double ra, const double q[3], double rb, uint32_t key, vvi_spots *s)
{
  double d[3], n[3], x[3];
  vvi_sub3(q, p, d);
  const double dd = vvi_dot3(d, d), reach = ra + rb + s->margin;
  if (dd >= reach * reach && reach >= 0.0) {
    vvi_spots_bound(s, sqrt(dd) - ra - rb);
    return;
  }
  const double length = sqrt(dd), gap = length - ra - rb;
  if (length > 0.0)
    for (int i = 0; i < 3; i++) n[i] = d[i] / length;
  else
    n[0] = 0.0, n[1] = 0.0, n[2] = 1.0;
  vvi_mad3(p, ra + 0.5 * gap, n, x);
  vvi_spot_add(s, x, n, gap, key);
}

void vvi_touch_balls(const vvi_placed *a, const vvi_placed *b, vvi_spots *s)
{
  ball_pair(a->c, a->part->radius, b->c, b->part->radius, 0, s);
}

double vvi_segment_near(const double c[3], const double u[3], double half, const double x[3])
{
  double d[3];
  vvi_sub3(x, c, d);
  return vvi_clamp(vvi_dot3(d, u), -half, half);
}

void vvi_touch_ball_capsule(const vvi_placed *a, const vvi_placed *b, vvi_spots *s)
{
  double q[3];
  vvi_mad3(b->c, vvi_segment_near(b->c, b->e + 6, b->part->half[2], a->c), b->e + 6, q);
  ball_pair(a->c, a->part->radius, q, b->part->radius, 0, s);
}

/* Nearest points p = ca + s ua, q = cb + t ub of two segments with unit directions.  With d = cb - ca, c = ua.ub:
 * s = (ua.d - c ub.d)/(1 - c^2) on the lines; then each is cut to its segment and the other is found again. */
static void nearest_on_segments(const vvi_placed *a, const vvi_placed *b, double *s, double *t)
{
  const double *u = a->e + 6, *w = b->e + 6, ha = a->part->half[2], hb = b->part->half[2];
  double d[3], cross[3], side[3];
  vvi_sub3(b->c, a->c, d);
  vvi_cross3(u, w, cross);
  vvi_cross3(d, w, side);
  const double c = vvi_dot3(u, w), du = vvi_dot3(d, u), dw = vvi_dot3(d, w), sine = vvi_dot3(cross, cross);
  /* s = (d x w).(u x w)/|u x w|^2, without the cancellation of 1 - c^2 */
  *s = sine > 1e-24 ? vvi_clamp(vvi_dot3(side, cross) / sine, -ha, ha) : vvi_clamp(du, -ha, ha);
  *t = vvi_clamp(*s * c - dw, -hb, hb);
  *s = vvi_clamp(du + *t * c, -ha, ha);
  *t = vvi_clamp(*s * c - dw, -hb, hb);
}

/* Ends of one segment that lie over the other: where capsules are nearly parallel, the two ends of the stretch they share
 * carry a spot each. */
static int shared_ends(const vvi_placed *a, const vvi_placed *b, double at[2][2])
{
  const double *u = a->e + 6, *w = b->e + 6, ha = a->part->half[2], hb = b->part->half[2];
  double d[3];
  vvi_sub3(b->c, a->c, d);
  const double c = vvi_dot3(u, w), middle = vvi_dot3(d, u), dw = vvi_dot3(d, w);
  const double lo = fmax(-ha, middle - hb * fabs(c)), hi = fmin(ha, middle + hb * fabs(c));
  if (!(hi - lo > 1e-9 * (ha + hb))) return 0;
  for (int i = 0; i < 2; i++) {
    at[i][0] = i ? hi : lo;
    at[i][1] = vvi_clamp(at[i][0] * c - dw, -hb, hb);
    at[i][0] = vvi_clamp(middle + at[i][1] * c, -ha, ha);
  }
  return 2;
}

void vvi_touch_capsules(const vvi_placed *a, const vvi_placed *b, vvi_spots *s)
{
  const double *u = a->e + 6, *w = b->e + 6, ra = a->part->radius, rb = b->part->radius;
  double near[2], p[3], q[3], cross[3], at[2][2], d[3];
  nearest_on_segments(a, b, &near[0], &near[1]);
  vvi_mad3(a->c, near[0], u, p);
  vvi_mad3(b->c, near[1], w, q);
  vvi_sub3(q, p, d);
  const double dd = vvi_dot3(d, d);
  const double reach = ra + rb + s->margin;
  if (dd >= reach * reach) {
    vvi_spots_bound(s, sqrt(dd) - ra - rb);
    return;
  }
  vvi_cross3(u, w, cross);
  const double sine = vvi_dot3(cross, cross);
  int ends = sine < 0.01 ? shared_ends(a, b, at) : 0;
  double least = INFINITY;
  for (int i = 0; i < ends; i++) {
    double x[3], y[3], e[3];
    vvi_mad3(a->c, at[i][0], u, x);
    vvi_mad3(b->c, at[i][1], w, y);
    vvi_sub3(y, x, e);
    least = fmin(least, vvi_dot3(e, e));
    ball_pair(x, ra, y, rb, 1u + (uint32_t)i, s);
  }
  if (ends && least <= dd * (1.0 + 1e-14)) return; /* an end is as near as it gets */
  if (dd > 0.0 || sine == 0.0) {
    const double line = sqrt(sine), size = a->part->half[2] + b->part->half[2];
    if (dd > 1e-16 * size * size || line < 1e-6) {
      ball_pair(p, ra, q, rb, 0, s);
      return;
    }
  }
  /* the segments cross: along their common normal, to the side of the centres */
  double n[3], x[3], between[3];
  const double length = sqrt(sine);
  vvi_sub3(b->c, a->c, between);
  const double side = vvi_dot3(between, cross) < 0.0 ? -1.0 : 1.0;
  for (int i = 0; i < 3; i++) n[i] = side * cross[i] / length;
  const double gap = vvi_dot3(n, d) - ra - rb;
  for (int i = 0; i < 3; i++) x[i] = 0.5 * (p[i] + ra * n[i] + q[i] - rb * n[i]);
  vvi_spot_add(s, x, n, gap, 0);
}

void vvi_touch_ball_any(const vvi_placed *a, const vvi_placed *b, vvi_spots *s)
{
  double out[3], n[3], x[3];
  const double r = a->part->radius, gap = vvi_part_distance(b, a->c, out) - r;
  if (!(gap < s->margin)) {
    vvi_spots_bound(s, gap);
    return;
  }
  for (int i = 0; i < 3; i++) n[i] = -out[i];
  vvi_mad3(a->c, r + 0.5 * gap, n, x);
  vvi_spot_add(s, x, n, gap, 0);
}
