/* contact/gap.h  Geometry of a pair: how far apart, in which direction, at which points. */
#pragma once
#include "contact/pairs.h"

/* A pair at one configuration: n from a to b, material points on both sides (with the arm to the common point). */
typedef struct vvi_pair_spot {
  double gap, n[3];
  vv_point a, b;
} vvi_pair_spot;

void vvi_pair_spot_at(const vvi_pair *c, const double *q, vvi_pair_spot *out);
/* Distance of a point from an obstacle, negative inside the forbidden part, and the unit normal to the free side. */
double vvi_obstacle_distance(const vv_patch *o, const double y[3], double n[3]);
