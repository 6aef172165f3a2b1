/* contact/narrow/closest.h  Two features of surfaces: a vertex and a triangle, or two edges; four points in either case.
 *
 * Vertex and triangle: points P, A, B, C; edges: A0, A1, B0, B1.  Closest points are sums of the four with weights c that add
 * up to zero: sum c_k x_k = d n, with n from the second feature to the first.                               [sheets 1] */
#pragma once
#include "base/base.h"
#include "math/math.h"

/* m: of two points. */
static inline double vvi_apart3(const double a[3], const double b[3])
{
  const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return vvi_norm3(d);
}

typedef enum vvi_feature { VVI_VERTEX_FACE, VVI_EDGE_EDGE } vvi_feature;

/* Where a closest point lies.  Triangle: 0 inside, 1..3 on the edge opposite to corner 0..2, 4..6 in corner 0..2.
 * Edge: 0 inside, 1 and 2 at its ends. */
typedef struct vvi_closest {
  double d, n[3], c[4];
  int on[2]; /* edges: of either; triangle: on[1] */
} vvi_closest;

void vvi_closest_at(vvi_feature f, const double x[4][3], vvi_closest *out);
/* Distance between the planes across n that hold the features apart; negative: n does not separate them. */
double vvi_separation(vvi_feature f, const double x[4][3], const double n[3]);
/* Do the features meet while each point moves straight from x to y?  The first time in (0, 1], weights there, and the unit
 * normal towards the side that the first feature holds at x.  slack: length, features nearer than this at a time when all
 * points are in one plane have met. */
bool vvi_crossing(vvi_feature f, const double x[4][3], const double y[4][3], double slack, double *time,
                  vvi_closest *out);
