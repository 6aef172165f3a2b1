/* contact/narrow/obstacle.c  Distance of a point from what is fixed in space. */
#include "contact/narrow/obstacle.h"

#include "math/math.h"

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
