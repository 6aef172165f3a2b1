/* geom/touch_round.c  Balls and capsules in closed form. */
#include "geom/touch.h"

/* Two balls of radii ra, rb about p and p + d: the common point on the line of centres, midway between the surfaces. */
static inline void ball_apart(const double p[3], double ra, const double d[3], double rb, uint32_t key, vvi_spots *s)
{
  double n[3], x[3];
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

static inline void ball_pair(const double p[3], double ra, const double q[3], double rb, uint32_t key, vvi_spots *s)
{
  double d[3];
  vvi_sub3(q, p, d);
  ball_apart(p, ra, d, rb, key, s);
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

/* Where the segments come so near that the direction between their points is lost: normal to those that are met inside,
 * and away from the middles of those that end there. */
static void thin_direction(const vvi_placed *a, const vvi_placed *b, const bool inside[2], const double at[2],
                           bool clear, double d[3])
{
  const double *u = a->e + 6, *w = b->e + 6;
  double cross[3], side[3];
  vvi_cross3(u, w, cross);
  const double sine = vvi_norm3(cross);
  if (inside[0] && inside[1] && sine > 1e-6) {
    vvi_sub3(b->c, a->c, side);
    const double sign = vvi_dot3(clear ? d : side, cross) < 0.0 ? -1.0 / sine : 1.0 / sine;
    for (int i = 0; i < 3; i++) d[i] = sign * cross[i];
    return;
  }
  if (!clear) {
    for (int i = 0; i < 3; i++) d[i] = 0.0;
    if (!inside[0]) vvi_mad3(d, copysign(1.0, at[0]), u, d);
    if (!inside[1]) vvi_mad3(d, -copysign(1.0, at[1]), w, d);
  }
  if (inside[0]) vvi_mad3(d, -vvi_dot3(d, u), u, d);
  if (inside[1]) vvi_mad3(d, -vvi_dot3(d, w), w, d);
  const double length = vvi_norm3(d);
  double any[2][3];
  if (!(length > 0.0)) vvi_across(u, any);
  for (int i = 0; i < 3; i++) d[i] = length > 0.0 ? d[i] / length : any[0][i];
}

/* The spot of the points at[0] of a and at[1] of b; returns their distance squared. */
static double segment_spot(const vvi_placed *a, const vvi_placed *b, const double at[2], uint32_t key, vvi_spots *s)
{
  const double ha = a->part->half[2], hb = b->part->half[2], size = ha + hb, ra = a->part->radius, rb = b->part->radius;
  double p[3], q[3], d[3], n[3], x[3];
  vvi_mad3(a->c, at[0], a->e + 6, p);
  vvi_mad3(b->c, at[1], b->e + 6, q);
  vvi_sub3(q, p, d);
  const double dd = vvi_dot3(d, d);
  if (dd > 1e-6 * size * size) {
    ball_apart(p, ra, d, rb, key, s);
    return dd;
  }
  const bool inside[2] = {fabs(at[0]) < (1.0 - 1e-12) * ha, fabs(at[1]) < (1.0 - 1e-12) * hb};
  for (int i = 0; i < 3; i++) n[i] = d[i];
  thin_direction(a, b, inside, at, dd > 1e-20 * size * size, n);
  const double gap = vvi_dot3(n, d) - ra - rb;
  vvi_mad3(p, ra + 0.5 * gap, n, x);
  vvi_spot_add(s, x, n, gap, key);
  return dd;
}

void vvi_touch_capsules(const vvi_placed *a, const vvi_placed *b, vvi_spots *s)
{
  const double *u = a->e + 6, *w = b->e + 6, reach = a->part->radius + b->part->radius + s->margin;
  double near[2], p[3], q[3], cross[3], at[2][2], d[3];
  nearest_on_segments(a, b, &near[0], &near[1]);
  vvi_mad3(a->c, near[0], u, p);
  vvi_mad3(b->c, near[1], w, q);
  vvi_sub3(q, p, d);
  const double dd = vvi_dot3(d, d);
  if (dd >= reach * reach) {
    vvi_spots_bound(s, sqrt(dd) - (reach - s->margin));
    return;
  }
  vvi_cross3(u, w, cross);
  const int ends = vvi_dot3(cross, cross) < 0.01 ? shared_ends(a, b, at) : 0;
  double least = INFINITY;
  for (int i = 0; i < ends; i++) least = fmin(least, segment_spot(a, b, at[i], 1u + (uint32_t)i, s));
  if (least > dd * (1.0 + 1e-14)) segment_spot(a, b, near, 0, s); /* else an end is as near as it gets */
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
