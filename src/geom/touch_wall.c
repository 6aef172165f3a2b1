/* geom/touch_wall.c  Bodies against a plane, and inside hollow parts.
 *
 * A convex body goes through a plane, or out of a convex container, with its extreme points first: corners, ends, rims. */
#include "geom/touch.h"
#include "geom/touch_mesh.h"

/* A plane with its normal to the free side; keys of its spots start at `key`. */
typedef struct wall {
  double p[3], n[3];
  uint32_t key;
} wall;

static inline void wall_point(const wall *w, const double x[3], double r, uint32_t id, vvi_spots *s)
{
  double d[3], y[3];
  vvi_sub3(x, w->p, d);
  const double gap = vvi_dot3(d, w->n) - r;
  vvi_mad3(x, -(r + 0.5 * gap), w->n, y);
  vvi_spot_add(s, y, w->n, gap, w->key + id);
}

static void wall_block(const wall *w, const vvi_placed *b, vvi_spots *s)
{
  double d[3], k[3];
  const double *h = b->part->half;
  vvi_sub3(b->c, w->p, d);
  for (int i = 0; i < 3; i++) k[i] = h[i] * vvi_dot3(w->n, b->e + 3 * i);
  const double middle = vvi_dot3(d, w->n), low = middle - fabs(k[0]) - fabs(k[1]) - fabs(k[2]);
  if (!(low < s->margin)) {
    vvi_spots_bound(s, low);
    return;
  }
  for (unsigned v = 0; v < 8; v++) {
    const double u0 = v & 1u ? 1.0 : -1.0, u1 = v & 2u ? 1.0 : -1.0, u2 = v & 4u ? 1.0 : -1.0;
    const double gap = middle + (u0 * k[0] + u1 * k[1] + u2 * k[2]);
    if (!(gap < s->margin)) continue;
    double x[3];
    for (int i = 0; i < 3; i++)
      x[i] = b->c[i] + (u0 * h[0] * b->e[i] + u1 * h[1] * b->e[3 + i] + u2 * h[2] * b->e[6 + i]) - 0.5 * gap * w->n[i];
    vvi_spot_add(s, x, w->n, gap, w->key + v);
  }
}

/* The rims: of each end the lowest point, and where the end looks at the wall four points fixed in it. */
static void wall_cylinder(const wall *w, const vvi_placed *b, vvi_spots *s)
{
  const double r = b->part->radius, h = b->part->half[2];
  const double u = vvi_dot3(w->n, b->e), v = vvi_dot3(w->n, b->e + 3), z = vvi_dot3(w->n, b->e + 6);
  const double across = sqrt(u * u + v * v);
  for (int end = 0; end < 2; end++) {
    double c[3], x[3];
    const uint32_t id = end ? 8u : 0u;
    vvi_mad3(b->c, end ? h : -h, b->e + 6, c);
    if (across > 1e-9) {
      for (int i = 0; i < 3; i++) x[i] = c[i] - r / across * (u * b->e[i] + v * b->e[3 + i]);
      wall_point(w, x, 0.0, id, s);
    }
    if (end ? z > -0.7 : z < 0.7) continue;
    for (int q = 0; q < 4; q++) {
      vvi_mad3(c, q < 2 ? r : -r, b->e + (q % 2 ? 3 : 0), x);
      wall_point(w, x, 0.0, id + 1u + (uint32_t)q, s);
    }
  }
}

/* Vertices of a polyhedron or mesh.  Of more than fit, those of least gap stay, and those farthest out along the wall in
 * 16 directions, so that a fine flat bottom still stands on its border. */
static void wall_vertices(const wall *w, const vvi_placed *b, int n, const double *vertex, vvi_spots *s)
{
  enum { AROUND = 16, FEW = 32 };
  double local[3], d[3];
  vvi_tapply33(b->pose->turn, w->n, local);
  vvi_sub3(b->pose->place, w->p, d);
  const double base = vvi_dot3(d, w->n);
  int within = 0, lowest = -1;
  double low = INFINITY;
  for (int v = 0; v < n; v++) {
    const double gap = base + vvi_dot3(local, vertex + 3 * v);
    within += gap < s->margin;
    if (gap < low) low = gap, lowest = v;
  }
  if (within == 0) {
    vvi_spots_bound(s, low);
    return;
  }
  int far[AROUND];
  double most[AROUND], t[2][3];
  if (within > FEW) {
    vvi_across(local, t);
    for (int k = 0; k < AROUND; k++) most[k] = -INFINITY, far[k] = -1;
    for (int v = 0; v < n; v++) {
      if (!(base + vvi_dot3(local, vertex + 3 * v) < s->margin)) continue;
      const double x = vvi_dot3(t[0], vertex + 3 * v), y = vvi_dot3(t[1], vertex + 3 * v);
      for (int k = 0; k < AROUND; k++) {
        const double out = x * cos(2.0 * VV_PI * k / AROUND) + y * sin(2.0 * VV_PI * k / AROUND);
        if (out > most[k]) most[k] = out, far[k] = v;
      }
    }
  }
  for (int v = 0; v < n; v++) {
    if (!(base + vvi_dot3(local, vertex + 3 * v) < s->margin)) continue;
    bool chosen = within <= FEW || v == lowest;
    for (int k = 0; k < AROUND && !chosen; k++) chosen = far[k] == v;
    if (!chosen) continue;
    double x[3];
    vvi_pose_point(b->pose, vertex + 3 * v, x);
    wall_point(w, x, 0.0, (uint32_t)v, s);
  }
}

static void touch_wall(const wall *w, const vvi_placed *b, vvi_spots *s)
{
  double x[3], d[3];
  vvi_sub3(b->c, w->p, d);
  const double height = vvi_dot3(d, w->n) - b->part->reach;
  if (height >= s->margin) {
    vvi_spots_bound(s, height);
    return;
  }
  switch (b->part->type) {
  case VVI_PART_BALL:
    wall_point(w, b->c, b->part->radius, 0, s);
    break;
  case VVI_PART_CAPSULE:
    for (int i = 0; i < 2; i++) {
      vvi_segment_end(b, i ? 1.0 : -1.0, x);
      wall_point(w, x, b->part->radius, (uint32_t)i, s);
    }
    break;
  case VVI_PART_BLOCK:
    wall_block(w, b, s);
    break;
  case VVI_PART_CYLINDER:
    wall_cylinder(w, b, s);
    break;
  case VVI_PART_HULL:
    wall_vertices(w, b, b->part->polyhedron->vertices, b->part->polyhedron->vertex, s);
    break;
  case VVI_PART_MESH:
    wall_vertices(w, b, b->part->surface->vertices, b->part->surface->vertex, s);
    break;
  default:
    break;
  }
}

void vvi_touch_half_space(const vvi_placed *a, const vvi_placed *b, vvi_spots *s)
{
  wall w = {.key = 0};
  for (int i = 0; i < 3; i++) w.p[i] = a->c[i], w.n[i] = a->e[6 + i];
  touch_wall(&w, b, s);
}

/* ---- round containers ---- */

/* One point with a radius inside a round wall: a ball (free[2] = 1) or a mantle about e[6..8] (free[2] = 0). */
static void round_point(const vvi_placed *a, bool ball, const double x[3], double r, uint32_t id, vvi_spots *s)
{
  double d[3], n[3], y[3];
  vvi_sub3(x, a->c, d);
  if (!ball) vvi_mad3(d, -vvi_dot3(d, a->e + 6), a->e + 6, d);
  const double length = vvi_norm3(d), gap = a->part->radius - length - r;
  for (int i = 0; i < 3; i++) n[i] = length > 0.0 ? -d[i] / length : -a->e[i];
  vvi_mad3(x, -(r + 0.5 * gap), n, y);
  vvi_spot_add(s, y, n, gap, id);
}

/* The squared distance of a rim point from the centre or the axis is a trigonometric polynomial of degree 2 in its angle:
 * its maxima, found between samples by Newton's method, are the points that touch first. */
static void round_rim(const vvi_placed *a, bool ball, const vvi_placed *b, double h, uint32_t id, vvi_spots *s)
{
  enum { SAMPLES = 32 };
  double c[3], x[3], u[3], v[3];
  const double r = b->part->radius;
  vvi_mad3(b->c, h, b->e + 6, x);
  vvi_sub3(x, a->c, c);
  for (int i = 0; i < 3; i++) u[i] = b->e[i], v[i] = b->e[3 + i];
  if (!ball) {
    const double *axis = a->e + 6;
    vvi_mad3(c, -vvi_dot3(c, axis), axis, c);
    vvi_mad3(u, -vvi_dot3(u, axis), axis, u);
    vvi_mad3(v, -vvi_dot3(v, axis), axis, v);
  }
  /* f/r = 2 (c.u cos + c.v sin) + r (u.u cos^2 + v.v sin^2 + 2 u.v sin cos) */
  const double cu = vvi_dot3(c, u), cv = vvi_dot3(c, v), p = 0.5 * r * (vvi_dot3(u, u) - vvi_dot3(v, v)),
               q = r * vvi_dot3(u, v);
  double f[SAMPLES];
  for (int k = 0; k < SAMPLES; k++) {
    const double t = 2.0 * VV_PI * k / SAMPLES;
    f[k] = 2.0 * (cu * cos(t) + cv * sin(t)) + p * cos(2.0 * t) + q * sin(2.0 * t);
  }
  uint32_t found = 0;
  const double flat = 1e-9 * (fabs(r) + sqrt(vvi_dot3(c, c)));
  for (int k = 0; k < SAMPLES && found < 2; k++) {
    const double before = f[(k + SAMPLES - 1) % SAMPLES], after = f[(k + 1) % SAMPLES];
    if (!(f[k] > before && f[k] >= after) || f[k] - fmin(before, after) < 1e-3 * flat) continue;
    double t = 2.0 * VV_PI * k / SAMPLES;
    for (int i = 0; i < 8; i++) {
      const double g = 2.0 * (cv * cos(t) - cu * sin(t)) - 2.0 * p * sin(2.0 * t) + 2.0 * q * cos(2.0 * t);
      const double gg = -2.0 * (cu * cos(t) + cv * sin(t)) - 4.0 * p * cos(2.0 * t) - 4.0 * q * sin(2.0 * t);
      if (!(gg < 0.0)) break;
      t -= vvi_clamp(g / gg, -0.1, 0.1);
    }
    double y[3];
    for (int i = 0; i < 3; i++) y[i] = x[i] + r * (cos(t) * b->e[i] + sin(t) * b->e[3 + i]);
    round_point(a, ball, y, 0.0, id + found++, s);
  }
  for (int k = 0; k < 4; k++) {
    double y[3];
    vvi_mad3(x, k < 2 ? r : -r, b->e + (k % 2 ? 3 : 0), y);
    round_point(a, ball, y, 0.0, id + 4u + (uint32_t)k, s);
  }
}

static void touch_round_wall(const vvi_placed *a, bool ball, const vvi_placed *b, vvi_spots *s)
{
  double d[3], x[3];
  vvi_sub3(b->c, a->c, d);
  if (!ball) vvi_mad3(d, -vvi_dot3(d, a->e + 6), a->e + 6, d);
  const double far = a->part->radius - vvi_norm3(d) - b->part->reach;
  if (far >= s->margin) {
    vvi_spots_bound(s, far);
    return;
  }
  const vvi_part *part = b->part;
  switch (part->type) {
  case VVI_PART_BALL:
    round_point(a, ball, b->c, part->radius, 0, s);
    break;
  case VVI_PART_CAPSULE:
    for (int i = 0; i < 2; i++) {
      vvi_segment_end(b, i ? 1.0 : -1.0, x);
      round_point(a, ball, x, part->radius, (uint32_t)i, s);
    }
    break;
  case VVI_PART_CYLINDER:
    round_rim(a, ball, b, -part->half[2], 0, s);
    round_rim(a, ball, b, part->half[2], 8, s);
    break;
  default: {
    const bool mesh = part->type == VVI_PART_MESH;
    const int n = mesh ? part->surface->vertices : part->polyhedron->vertices;
    const double *vertex = mesh ? part->surface->vertex : part->polyhedron->vertex;
    for (int v = 0; v < n; v++) {
      vvi_pose_point(b->pose, vertex + 3 * v, x);
      round_point(a, ball, x, 0.0, (uint32_t)v, s);
    }
  }
  }
}

/* Keys of the walls of one container start this far apart. */
#define NEXT_WALL 0x10000000u

void vvi_touch_inside(const vvi_placed *a, const vvi_placed *b, vvi_spots *s)
{
  const vvi_part *part = a->part;
  if (part->type == VVI_PART_MESH) {
    vvi_touch_mesh(a, b, s);
    return;
  }
  if (part->type == VVI_PART_BALL || part->type == VVI_PART_PIPE || part->type == VVI_PART_CYLINDER)
    touch_round_wall(a, part->type == VVI_PART_BALL, b, s);
  if (part->type != VVI_PART_BLOCK && part->type != VVI_PART_CYLINDER) return;
  uint32_t key = NEXT_WALL;
  for (int i = part->type == VVI_PART_BLOCK ? 0 : 2; i < 3; i++)
    for (int side = -1; side <= 1; side += 2, key += NEXT_WALL) {
      wall w = {.key = key};
      for (int k = 0; k < 3; k++) {
        w.n[k] = -side * a->e[3 * i + k];
        w.p[k] = a->c[k] + side * part->half[i] * a->e[3 * i + k];
      }
      touch_wall(&w, b, s);
    }
}
