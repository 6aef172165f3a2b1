/* tests/mixed/geometry.h  Do two bodies overlap?  Every feature against every feature, from places that the model puts out; no
 * line of it is shared with the library.
 *
 * Bars are segments, round beams segments with a radius, balls points with one; plates are triangles between nodes, boxes and
 * cornered beams closed surfaces of triangles.  The four-sided faces of a beam that is twisted are not flat: it overlaps another
 * body only if it does so with either diagonal, so that nothing depends on which one the library takes. */
#pragma once
#include "scenes.h"
#include "visviva/model.h"

enum { GEOMETRY_POINTS = 512, GEOMETRY_TRIANGLES = 1024 };

typedef struct mixed_outline {
  mixed_shape shape;
  int points, segments, triangles;
  double x[GEOMETRY_POINTS][3];
  int segment[GEOMETRY_POINTS][2];
  int triangle[2][GEOMETRY_TRIANGLES][3]; /* with either diagonal */
  double centre[3];                       /* mean of the nodes */
} mixed_outline;

/* Where body i of the model is. */
void mixed_outline_of(const vv_model *m, const vv_state *s, int i, const mixed_shape *shape, mixed_outline *out);
/* m: by how much `upper` must be lifted to be clear of `lower`; 0: `slack` is enough. */
double mixed_depth(const mixed_outline *upper, const mixed_outline *lower, double slack);
/* m: below the plane z = 0; negative: above it */
double mixed_below(const mixed_outline *k);
