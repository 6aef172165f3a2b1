/* contact/gap.c  Distances between the surfaces that patches describe. */
#include "contact/gap.h"

#include "contact/layers.h"
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

/* ---- pairs ---- */

/* A point of a curve against an obstacle; a round section touches at radius from its middle. */
static void touch_obstacle(const vvi_pair *c, const double *q, vvi_pair_spot *out)
{
  double y[3], m[3];
  const double radius = c->layer ? c->skin : c->patch_a->corners == 1 ? c->patch_a->radius : 0.0;
  c->block_a->kind->surface(c->block_a, q + c->block_a->q0, 1, &c->point_a, y);
  if (c->patch_b->type == VV_PATCH_SOLID) {
    vvi_layer_ball(c, q, y, radius, out);
    return;
  }
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
