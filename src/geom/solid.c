/* geom/solid.c  Building solids: the simple parts, their reach, and moving them to another frame. */
#include "geom/tree.h"

#include <stdio.h>

vv_solid *vvi_solid_new(vvi_arena *arena, int parts)
{
  vv_solid *s = VVI_ARENA_NEW(arena, vv_solid, 1);
  vvi_part *part = VVI_ARENA_NEW(arena, vvi_part, parts);
  if (s == NULL || part == NULL) return NULL;
  s->parts = parts, s->part = part;
  for (int k = 0; k < parts; k++) {
    part[k].density = 1.0;
    part[k].frame[0] = part[k].frame[4] = part[k].frame[8] = 1.0;
  }
  return s;
}

static const char *type_name(vvi_part_type t)
{
  static const char *const name[VVI_PART_TYPES] = {"ball", "capsule", "block",      "cylinder",
                                                   "hull", "mesh",    "half space", "pipe"};
  return t < VVI_PART_TYPES ? name[t] : "part";
}

static bool refuse(char why[VVI_WHY], const vvi_part *p, const char *what, double value)
{
  snprintf(why, VVI_WHY, "%s: %s (%g)", type_name(p->type), what, value);
  return false;
}

/* Right-handed and orthonormal up to what a product of rotations loses. */
static bool is_turn(const double f[9])
{
  double cross[3];
  vvi_cross3(f, f + 3, cross);
  for (int i = 0; i < 3; i++) {
    if (!(fabs(cross[i] - f[6 + i]) < 1e-9)) return false;
    for (int j = 0; j <= i; j++)
      if (!(fabs(vvi_dot3(f + 3 * i, f + 3 * j) - (i == j)) < 1e-9)) return false;
  }
  return true;
}

static bool check_part(const vvi_part *p, char why[VVI_WHY])
{
  for (int i = 0; i < 3; i++)
    if (!isfinite(p->centre[i])) return refuse(why, p, "the centre is not a number", p->centre[i]);
  if (!is_turn(p->frame)) return refuse(why, p, "its axes are not right-handed unit vectors", p->frame[0]);
  if (!(p->density >= 0.0) || !isfinite(p->density)) return refuse(why, p, "density must not be negative", p->density);
  const bool round = p->type == VVI_PART_BALL || p->type == VVI_PART_CYLINDER || p->type == VVI_PART_PIPE;
  if (round && !(p->radius > 0.0 && isfinite(p->radius))) return refuse(why, p, "radius must be positive", p->radius);
  if (p->type == VVI_PART_CAPSULE) {
    if (!(p->radius >= 0.0 && isfinite(p->radius))) return refuse(why, p, "radius must not be negative", p->radius);
    if (!(p->half[2] > 0.0 && isfinite(p->half[2]))) return refuse(why, p, "length must be positive", 2.0 * p->half[2]);
  }
  if (p->type == VVI_PART_CYLINDER && !(p->half[2] > 0.0 && isfinite(p->half[2])))
    return refuse(why, p, "height must be positive", 2.0 * p->half[2]);
  for (int i = 0; i < 3 && p->type == VVI_PART_BLOCK; i++)
    if (!(p->half[i] > 0.0 && isfinite(p->half[i]))) return refuse(why, p, "edges must be positive", 2.0 * p->half[i]);
  if (p->hollow && (p->type == VVI_PART_CAPSULE || p->type == VVI_PART_HULL || p->type == VVI_PART_HALF_SPACE))
    return refuse(why, p, "cannot be hollow", 0.0);
  return true;
}

/* Vertices by the bits of their signs, faces +-x, +-y, +-z, edges by their direction. */
static bool block_polyhedron(vvi_arena *arena, vvi_part *part)
{
  vvi_polyhedron *p = VVI_ARENA_NEW(arena, vvi_polyhedron, 1);
  if (p == NULL) return false;
  p->vertices = 8, p->faces = 6, p->edges = 12;
  p->vertex = VVI_ARENA_NEW(arena, double, 24);
  p->plane = VVI_ARENA_NEW(arena, double, 24);
  p->first = VVI_ARENA_NEW(arena, int, 7);
  p->loop = VVI_ARENA_NEW(arena, int, 24);
  p->edge = VVI_ARENA_NEW(arena, int, 48);
  if (!p->vertex || !p->plane || !p->first || !p->loop || !p->edge) return false;
  for (int v = 0; v < 8; v++)
    for (int i = 0; i < 3; i++) {
      double x = part->centre[i];
      for (int k = 0; k < 3; k++) x += (v >> k & 1 ? part->half[k] : -part->half[k]) * part->frame[3 * k + i];
      p->vertex[3 * v + i] = x;
    }
  for (int f = 0; f < 6; f++) {
    const int axis = f / 2, u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, side = f % 2 << axis;
    const double sign = f % 2 ? 1.0 : -1.0;
    const int loop[4] = {side, side | u, side | u | v, side | v};
    for (int k = 0; k < 4; k++) p->loop[4 * f + k] = f % 2 ? loop[k] : loop[3 - k];
    for (int i = 0; i < 3; i++) p->plane[4 * f + i] = sign * part->frame[3 * axis + i];
    p->plane[4 * f + 3] = vvi_dot3(p->plane + 4 * f, part->centre) + part->half[axis];
    p->first[f + 1] = 4 * (f + 1);
  }
  for (int e = 0; e < 12; e++) {
    const int axis = e / 4, s = (axis + 1) % 3, t = (axis + 2) % 3, v = (e & 1) << s | (e >> 1 & 1) << t;
    p->edge[4 * e] = v, p->edge[4 * e + 1] = v | 1 << axis;
    p->edge[4 * e + 2] = 2 * s + (e & 1), p->edge[4 * e + 3] = 2 * t + (e >> 1 & 1);
  }
  part->polyhedron = p;
  return true;
}

static double reach_of(const vvi_part *p)
{
  switch (p->type) {
  case VVI_PART_BALL:
    return p->radius;
  case VVI_PART_CAPSULE:
    return p->half[2] + p->radius;
  case VVI_PART_BLOCK:
    return vvi_norm3(p->half);
  case VVI_PART_CYLINDER:
    return sqrt(p->half[2] * p->half[2] + p->radius * p->radius);
  case VVI_PART_HULL:
  case VVI_PART_MESH: {
    const int n = p->polyhedron ? p->polyhedron->vertices : p->surface->vertices;
    const double *x = p->polyhedron ? p->polyhedron->vertex : p->surface->vertex;
    double most = 0.0;
    for (int v = 0; v < n; v++) {
      double d[3];
      vvi_sub3(x + 3 * v, p->centre, d);
      most = fmax(most, vvi_dot3(d, d));
    }
    return sqrt(most);
  }
  default:
    return INFINITY;
  }
}

static bool is_plain(const vvi_part *p)
{
  bool plain = vvi_norm3(p->centre) == 0.0;
  for (int i = 0; i < 9; i++) plain &= p->frame[i] == (i % 4 ? 0.0 : 1.0);
  return plain;
}

bool vvi_part_finish(vvi_arena *arena, vvi_part *part, char why[VVI_WHY])
{
  why[0] = '\0';
  if (!check_part(part, why)) return false;
  if (part->type == VVI_PART_HULL && part->polyhedron == NULL) return refuse(why, part, "has no points", 0.0);
  if (part->type == VVI_PART_MESH && part->surface == NULL) return refuse(why, part, "has no triangles", 0.0);
  if (part->type == VVI_PART_BLOCK && !block_polyhedron(arena, part)) return refuse(why, part, "out of memory", 0.0);
  part->reach = reach_of(part);
  part->plain = is_plain(part);
  return true;
}

void vvi_solid_finish(vv_solid *s)
{
  s->reach = 0.0;
  s->hollow = true;
  for (int k = 0; k < s->parts; k++) {
    vvi_part *p = &s->part[k];
    p->reach = reach_of(p);
    p->plain = is_plain(p);
    s->reach = fmax(s->reach, vvi_norm3(p->centre) + p->reach);
    s->hollow &= p->hollow;
  }
  const vvi_part *p = s->part;
  s->balls = s->parts == 1 && p->type == VVI_PART_BALL && !p->hollow && vvi_norm3(p->centre) == 0.0;
}

static void move_points(int n, double *x, const double place[3], const double turn[9])
{
  for (int v = 0; v < n; v++) {
    double d[3];
    vvi_sub3(x + 3 * v, place, d);
    vvi_tapply33(turn, d, x + 3 * v);
  }
}

void vvi_solid_move(vv_solid *s, const double place[3], const double turn[9])
{
  for (int k = 0; k < s->parts; k++) {
    vvi_part *p = &s->part[k];
    double frame[9];
    move_points(1, p->centre, place, turn);
    for (int i = 0; i < 3; i++) vvi_tapply33(turn, p->frame + 3 * i, frame + 3 * i);
    for (int i = 0; i < 9; i++) p->frame[i] = frame[i];
    if (p->polyhedron) {
      vvi_polyhedron *h = p->polyhedron;
      move_points(h->vertices, h->vertex, place, turn);
      for (int f = 0; f < h->faces; f++) {
        double n[3];
        vvi_tapply33(turn, h->plane + 4 * f, n);
        h->plane[4 * f + 3] -= vvi_dot3(h->plane + 4 * f, place);
        for (int i = 0; i < 3; i++) h->plane[4 * f + i] = n[i];
      }
    }
    if (p->surface) {
      move_points(p->surface->vertices, p->surface->vertex, place, turn);
      vvi_tree_moved(p->surface, turn);
    }
  }
  vvi_solid_finish(s);
  if (s->outside != NULL) vvi_solid_move(s->outside, place, turn);
}
