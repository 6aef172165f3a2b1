/* tests/geom/shapes.h  Random solids at random places, and their supports and insides written down a second time. */
#pragma once
#include "check.h"

#include "geom/solid.h"
#include "math/so3.h"

#include <stdio.h>
#include <string.h>

static inline double noise(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

static inline void random_direction(uint64_t *seed, double n[3])
{
  double nn;
  do {
    for (int i = 0; i < 3; i++) n[i] = noise(seed);
    nn = vvi_dot3(n, n);
  } while (nn > 1.0 || nn < 0.01);
  for (int i = 0; i < 3; i++) n[i] /= sqrt(nn);
}

static inline void random_turn(uint64_t *seed, double r[9])
{
  double w[3];
  random_direction(seed, w);
  const double angle = VV_PI * noise(seed);
  for (int i = 0; i < 3; i++) w[i] *= angle;
  vvi_exp(w, r);
}

static inline vv_solid *one_part(vvi_arena *arena, vvi_part_type type, const double half[3], double radius, bool hollow)
{
  char why[VVI_WHY];
  vv_solid *s = vvi_solid_new(arena, 1);
  vvi_part *p = s->part;
  p->type = type, p->radius = radius, p->hollow = hollow;
  for (int i = 0; i < 3; i++) p->half[i] = half[i];
  if (!vvi_part_finish(arena, p, why)) fail_msg("%s", why);
  vvi_solid_finish(s);
  return s;
}

/* A convex shape of about unit size; every third one is slender. */
enum { RANDOM_SHAPES = 6 }; /* ball, capsule, needle, block, cylinder, hull */
static inline vv_solid *random_solid(vvi_arena *arena, int which, uint64_t *seed)
{
  static const vvi_part_type type[RANDOM_SHAPES] = {VVI_PART_BALL,  VVI_PART_CAPSULE,  VVI_PART_CAPSULE,
                                                    VVI_PART_BLOCK, VVI_PART_CYLINDER, VVI_PART_HULL};
  char why[VVI_WHY];
  vv_solid *s = vvi_solid_new(arena, 1);
  vvi_part *p = s->part;
  const double thin = noise(seed) > 0.4 ? 0.05 : 1.0;
  p->type = type[which];
  for (int i = 0; i < 3; i++) p->half[i] = (0.6 + 0.4 * noise(seed)) * (i < 2 ? thin : 1.0);
  p->radius = which == 2 ? 0.0 : (0.6 + 0.4 * noise(seed)) * thin;
  for (int i = 0; i < 3; i++) p->centre[i] = 0.3 * noise(seed);
  random_turn(seed, p->frame);
  if (type[which] == VVI_PART_HULL) {
    double point[20 * 3];
    for (int i = 0; i < 60; i++) point[i] = noise(seed) * (i % 3 == 2 ? 1.0 : thin);
    if (!vvi_part_hull(arena, p, 20, point, why)) fail_msg("%s", why);
  }
  if (!vvi_part_finish(arena, p, why)) fail_msg("%s", why);
  vvi_solid_finish(s);
  return s;
}

/* ---- the twin: support and inside of one convex part, from its definition ---- */

static inline void own_axes(const vvi_part *p, const vvi_pose *q, double c[3], double e[9])
{
  vvi_apply33(q->turn, p->centre, c);
  for (int i = 0; i < 3; i++) c[i] += q->place[i];
  for (int i = 0; i < 3; i++) vvi_apply33(q->turn, p->frame + 3 * i, e + 3 * i);
}

/* Largest d.x over the part. */
static inline double own_support(const vvi_part *p, const vvi_pose *q, const double d[3])
{
  double c[3], e[9], most = -INFINITY;
  own_axes(p, q, c, e);
  const double base = vvi_dot3(c, d);
  const double u = vvi_dot3(e, d), v = vvi_dot3(e + 3, d), w = vvi_dot3(e + 6, d), l = vvi_norm3(d);
  switch (p->type) {
  case VVI_PART_BALL:
    return base + p->radius * l;
  case VVI_PART_CAPSULE:
    return base + p->radius * l + p->half[2] * fabs(w);
  case VVI_PART_BLOCK:
    return base + p->half[0] * fabs(u) + p->half[1] * fabs(v) + p->half[2] * fabs(w);
  case VVI_PART_CYLINDER:
    return base + p->radius * sqrt(u * u + v * v) + p->half[2] * fabs(w);
  default:
    break;
  }
  const int n = p->polyhedron ? p->polyhedron->vertices : p->surface->vertices;
  const double *vertex = p->polyhedron ? p->polyhedron->vertex : p->surface->vertex;
  for (int i = 0; i < n; i++) {
    double x[3];
    vvi_apply33(q->turn, vertex + 3 * i, x);
    most = fmax(most, vvi_dot3(x, d) + vvi_dot3(q->place, d));
  }
  return most;
}

/* How far x is outside of the part by its defining inequalities (zero or less: inside). */
static inline double own_outside(const vvi_part *p, const vvi_pose *q, const double x[3])
{
  double c[3], e[9], d[3], y[3], most = -INFINITY;
  own_axes(p, q, c, e);
  for (int i = 0; i < 3; i++) d[i] = x[i] - c[i];
  vvi_apply33(e, d, y);
  const double across = sqrt(y[0] * y[0] + y[1] * y[1]);
  switch (p->type) {
  case VVI_PART_BALL:
    return vvi_norm3(y) - p->radius;
  case VVI_PART_CAPSULE:
    return hypot(across, fmax(0.0, fabs(y[2]) - p->half[2])) - p->radius;
  case VVI_PART_BLOCK:
    return fmax(fabs(y[0]) - p->half[0], fmax(fabs(y[1]) - p->half[1], fabs(y[2]) - p->half[2]));
  case VVI_PART_CYLINDER:
    return fmax(across - p->radius, fabs(y[2]) - p->half[2]);
  default:
    break;
  }
  for (int i = 0; i < 3; i++) d[i] = x[i] - q->place[i];
  vvi_tapply33(q->turn, d, y);
  for (int f = 0; f < p->polyhedron->faces; f++)
    most = fmax(most, vvi_dot3(p->polyhedron->plane + 4 * f, y) - p->polyhedron->plane[4 * f + 3]);
  return most;
}

static inline double own_separation(const vv_solid *a, const vvi_pose *pa, const vv_solid *b, const vvi_pose *pb,
                                    const double n[3])
{
  const double back[3] = {-n[0], -n[1], -n[2]};
  return -own_support(a->part, pa, n) - own_support(b->part, pb, back);
}

static inline int least_spot(int n, const vvi_spot *s)
{
  int best = 0;
  for (int i = 1; i < n; i++)
    if (s[i].gap < s[best].gap) best = i;
  return best;
}
