/* geom/core.h  Inside the room: convex sets by their supports, and how far two of them are apart.
 *
 * The support of a set C along d is a point of C with the largest d.x; h(d) is that largest value.  Two sets are apart by
 *
 *   sep(n) = min over B of n.x - max over A of n.x = -h_A(n) - h_B(-n)
 *
 * along the unit vector n.  The largest sep(n) over all n is the distance where they are apart, and minus the least depth
 * of overlap where they are not.                                                                               [solid 1] */
#pragma once
#include "geom/touch.h"

typedef enum vvi_core_type { VVI_CORE_POINTS, VVI_CORE_BLOCK, VVI_CORE_CYLINDER, VVI_CORE_POLYHEDRON } vvi_core_type;

typedef struct vvi_core {
  vvi_core_type type;
  int points;     /* POINTS: 1, 2 or 3 of them */
  double p[3][3]; /* POINTS */
  uint32_t id[3]; /* POINTS: names for keys */
  const vvi_polyhedron *polyhedron;
  const vvi_pose *pose;
  const double *half; /* BLOCK, CYLINDER ([2]) */
  double c[3], e[9];  /* centre; axes by rows */
  double width;       /* CYLINDER: its radius */
  double round;       /* radius about the core */
  double size;        /* of the core with its radius: the length everything is measured by */
} vvi_core;

/* The core of a convex part that is not endless. */
void vvi_core_of(const vvi_placed *p, vvi_core *core);
/* A round bar without ends (a pipe that is not hollow), seen from a body: a capsule long enough to pass it. */
void vvi_core_bar(const vvi_placed *bar, const vvi_placed *body, double margin, vvi_core *core);
void vvi_core_support(const vvi_core *k, const double d[3], double x[3], uint32_t *id);

/* How two cores are apart: n from a to b, the points of the cores, names of the features. */
typedef struct vvi_apart {
  double n[3], gap; /* between the cores, without their radii */
  double a[3], b[3];
  uint32_t id_a, id_b;
} vvi_apart;

/* Distance of two cores by the iteration of Gilbert, Johnson and Keerthi; with `guess` a direction from a to b that is used
 * where they overlap (may be NULL).  False: farther apart than `far`; gap is then a lower bound. */
bool vvi_cores_apart(const vvi_core *a, const vvi_core *b, double far, const double *guess, vvi_apart *out);
double vvi_cores_separation(const vvi_core *a, const vvi_core *b, const double n[3]);

/* Flat or straight features that look along n: a polygon (or a segment, 2 points) with names of its corners. */
enum { VVI_LOOP = 64 };
typedef struct vvi_core_feature {
  int points; /* 0: none; 2: a segment; more: a face */
  double x[VVI_LOOP][3];
  uint32_t id[VVI_LOOP];
  double n[3]; /* of the face, outwards */
} vvi_core_feature;
void vvi_core_face(const vvi_core *k, const double n[3], vvi_core_feature *f);    /* the face most along n */
void vvi_core_segment(const vvi_core *k, const double n[3], vvi_core_feature *f); /* an edge nearly across n, or none */

/* All spots of two convex sets: the nearest points and the patches of faces and edges that look at each other. */
void vvi_cores_touch(const vvi_core *a, const vvi_core *b, vvi_spots *s);
/* Spots of a pair whose nearest points are known. */
void vvi_cores_spots(const vvi_core *a, const vvi_core *b, const vvi_apart *near, vvi_spots *s);
/* Only the patch over the face of a most along n. */
void vvi_cores_face_patch(const vvi_core *a, const vvi_core *b, const double n[3], vvi_spots *s);
