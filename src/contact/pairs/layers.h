/* contact/pairs/layers.h  Massless layers: soft pairs of nodes of beams and shells with obstacles and rigid balls. */
#pragma once
#include "contact/shapes/rules.h"

/* May a layer lie between two patches, the first being what bends? */
bool vvi_layer_sides(const vv_patch *a, const vv_patch *b);
vv_status vvi_layer_check(const vv_model *m, const vvi_rule *r);

/* Points of one side that touch, and how much of the surface belongs to each (m^2). */
typedef struct vvi_layer_side {
  const vv_block *block;
  const vv_patch *patch;
  int32_t local; /* the patch in its block */
  int64_t n;
  vv_point *point;
  double *share;
} vvi_layer_side;

vv_status vvi_layer_points(const vv_model *m, int32_t patch, const double *q, vvi_layer_side *out);
void vvi_layer_close(vvi_layer_side *s);
/* The part of an impulse at a point that no support takes; p: momenta of the block, zero and left zero. */
double vvi_layer_taken(const vvi_layer_side *s, const vv_point *pt, const double *q, double *p);

/* A pair at one configuration: n from a to b, material points on both sides (with the arm to the common point). */
typedef struct vvi_pair_spot {
  double gap, n[3];
  vv_point a, b;
} vvi_pair_spot;
void vvi_layer_ball(const vvi_pair *c, const double *q, const double y[3], double radius, vvi_pair_spot *out);
/* A step that is stable with all layers pressed; zero: [np] zeros. */
double vvi_layer_stable(const vv_model *m, const double *q, double *zero, double step);
