/* contact/gap.c  Distances between the surfaces that patches describe. */
#include "contact/gap.h"

#include "math/math.h"

/* ---- a point and an obstacle ---- */

/* From a centre or an axis: d is the vector from there, outward. */
static double round_distance(const vv_patch *o, const double d[3], double n[3])
{
  const double r = vvi_norm3(d), sign = o->inside ? -1.0 : 1.0;
  for (int c = 0; c < 3; c++) n[c] = r > 0.0 ? sign * d[c] / r : (c == 2 ? sign : 0.0);
  return sign * (r - o->radius);
}

/* Outside: the distance to the nearest point of the box, rounded about edges and corners.  Inside: to the nearest face. */
static double box_distance(const vv_patch *o, const double d[3], double n[3])
{
  double local[3], out[3], over[3], size = 0.0;
  int nearest = 0;
  for (int i = 0; i < 3; i++) {
    local[i] = vvi_dot3(o->frame + 3 * i, d);
    over[i] = fabs(local[i]) - o->half[i];
    if (over[i] > over[nearest]) nearest = i;
  }
  for (int i = 0; i < 3; i++) {
    const double part = over[nearest] > 0.0 ? fmax(over[i], 0.0) : i == nearest ? 1.0 : 0.0;
    out[i] = local[i] < 0.0 ? -part : part;
    size += part * part;
  }
  size = sqrt(size);
  for (int c = 0; c < 3; c++)
    n[c] = (o->frame[c] * out[0] + o->frame[3 + c] * out[1] + o->frame[6 + c] * out[2]) / size;
  return over[nearest] > 0.0 ? size : over[nearest];
}

double vvi_obstacle_distance(const vv_patch *o, const double y[3], double n[3])
{
  double d[3];
  if (o->type == VV_PATCH_PLANE) {
    for (int c = 0; c < 3; c++) n[c] = o->direction[c];
    return vvi_dot3(o->direction, y) - o->offset;
  }
  for (int c = 0; c < 3; c++) d[c] = y[c] - o->centre[c];
  if (o->type == VV_PATCH_BOX) return box_distance(o, d, n);
  const double along = o->type == VV_PATCH_CYLINDER ? vvi_dot3(d, o->direction) : 0.0;
  for (int c = 0; c < 3 && o->type == VV_PATCH_CYLINDER; c++) d[c] -= along * o->direction[c];
  return round_distance(o, d, n);
}

/* ---- two segments ---- */

static double clamp01(double x)
{
  return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
}

/* Minimises |x0 + s u - y0 - t v|^2: the unconstrained minimum, then each clamped against the other (Ericson's method).
 * Parallel segments: the middle of the common stretch, so that a contact does not jump between its ends. */
double vvi_segment_distance(const double x[2][3], const double y[2][3], double *s, double *t)
{
  double u[3], v[3], r[3], d[3];
  for (int c = 0; c < 3; c++) u[c] = x[1][c] - x[0][c], v[c] = y[1][c] - y[0][c], r[c] = x[0][c] - y[0][c];
  const double a = vvi_dot3(u, u), e = vvi_dot3(v, v), b = vvi_dot3(u, v), ur = vvi_dot3(u, r), f = vvi_dot3(v, r);
  const double det = a * e - b * b;
  if (det > 1e-12 * a * e) {
    *s = clamp01((b * f - ur * e) / det);
  } else { /* ends of y seen from x */
    const double s0 = clamp01(-ur / a), s1 = clamp01((b - ur) / a);
    *s = 0.5 * (s0 + s1);
  }
  *t = (b * *s + f) / e;
  if (*t < 0.0 || *t > 1.0) {
    *t = clamp01(*t);
    *s = clamp01((b * *t - ur) / a);
  }
  for (int c = 0; c < 3; c++) d[c] = r[c] + *s * u[c] - *t * v[c];
  return vvi_norm3(d);
}

/* ---- pairs ---- */

/* A point of a curve against an obstacle; a round section touches at radius from its middle. */
static void touch_obstacle(const vvi_pair *c, const double *q, vvi_pair_spot *out)
{
  double y[3], m[3];
  const double radius = c->patch_a->corners == 1 ? c->patch_a->radius : 0.0;
  c->block_a->kind->surface(c->block_a, q + c->block_a->q0, 1, &c->point_a, y);
  out->gap = vvi_obstacle_distance(c->patch_b, y, m) - radius;
  for (int i = 0; i < 3; i++) out->n[i] = -m[i], out->a.arm[i] = -radius * m[i];
}

void vvi_pair_spot_at(const vvi_pair *c, const double *q, vvi_pair_spot *out)
{
  out->a = c->point_a, out->b = c->point_b;
  for (int i = 0; i < 3; i++) out->n[i] = c->n[i];
  if (c->curved)
    touch_obstacle(c, q, out);
  else
    out->gap = vvi_pair_gap(c, q);
}
