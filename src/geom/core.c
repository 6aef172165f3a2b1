/* geom/core.c  Support points and faces of convex shapes. */
#include "geom/core.h"

void vvi_core_of(const vvi_placed *p, vvi_core *core)
{
  const vvi_part *part = p->part;
  core->pose = p->pose;
  core->polyhedron = part->polyhedron;
  core->half = part->half;
  for (int i = 0; i < 3; i++) core->c[i] = p->c[i];
  for (int i = 0; i < 9; i++) core->e[i] = p->e[i];
  core->width = core->round = 0.0;
  core->size = part->reach;
  core->points = 0;
  switch (part->type) {
  case VVI_PART_BLOCK:
    core->type = VVI_CORE_BLOCK;
    break;
  case VVI_PART_CYLINDER:
    core->type = VVI_CORE_CYLINDER, core->width = part->radius;
    break;
  case VVI_PART_HULL:
    core->type = VVI_CORE_POLYHEDRON;
    break;
  default: /* ball, capsule */
    core->type = VVI_CORE_POINTS;
    core->round = part->radius;
    core->points = part->type == VVI_PART_CAPSULE ? 2 : 1;
    core->id[0] = 0, core->id[1] = 1;
    if (core->points == 2)
      vvi_segment_end(p, -1.0, core->p[0]), vvi_segment_end(p, 1.0, core->p[1]);
    else
      for (int i = 0; i < 3; i++) core->p[0][i] = p->c[i];
  }
}

void vvi_core_bar(const vvi_placed *bar, const vvi_placed *body, double margin, vvi_core *core)
{
  double d[3];
  vvi_sub3(body->c, bar->c, d);
  const double z = vvi_dot3(d, bar->e + 6), reach = 2.0 * body->part->reach + margin;
  vvi_core_of(bar, core);
  core->points = 2, core->id[0] = 0, core->id[1] = 1;
  vvi_mad3(bar->c, z, bar->e + 6, core->c);
  vvi_mad3(core->c, -reach, bar->e + 6, core->p[0]);
  vvi_mad3(core->c, reach, bar->e + 6, core->p[1]);
  core->size = reach + core->round;
}

static void block_vertex(const vvi_core *k, unsigned v, double x[3])
{
  const double *e = k->e, *h = k->half;
  const double u = v & 1u ? h[0] : -h[0], w = v & 2u ? h[1] : -h[1], z = v & 4u ? h[2] : -h[2];
  for (int i = 0; i < 3; i++) x[i] = k->c[i] + (u * e[i] + w * e[3 + i] + z * e[6 + i]);
}

/* The rim point farthest along d; a flat end gives its centre line's point on the rim along the first axis. */
static void cylinder_support(const vvi_core *k, const double d[3], double x[3])
{
  const double along = vvi_dot3(d, k->e + 6), u = vvi_dot3(d, k->e), v = vvi_dot3(d, k->e + 3);
  const double across = sqrt(u * u + v * v), h = along > 0.0 ? k->half[2] : -k->half[2];
  const double cu = across > 0.0 ? k->width * (u / across) : k->width,
               cv = across > 0.0 ? k->width * (v / across) : 0.0;
  for (int i = 0; i < 3; i++) x[i] = k->c[i] + (cu * k->e[i] + cv * k->e[3 + i] + h * k->e[6 + i]);
}

static int farthest_vertex(const vvi_polyhedron *p, const double d[3])
{
  int best = 0;
  double most = -INFINITY;
  for (int v = 0; v < p->vertices; v++) {
    const double h = vvi_dot3(d, p->vertex + 3 * v);
    if (h > most) most = h, best = v;
  }
  return best;
}

void vvi_core_support(const vvi_core *k, const double d[3], double x[3], uint32_t *id)
{
  switch (k->type) {
  case VVI_CORE_BLOCK:
    *id = (vvi_dot3(d, k->e) > 0.0 ? 1u : 0u) | (vvi_dot3(d, k->e + 3) > 0.0 ? 2u : 0u) |
          (vvi_dot3(d, k->e + 6) > 0.0 ? 4u : 0u);
    block_vertex(k, *id, x);
    return;
  case VVI_CORE_CYLINDER:
    *id = 0, cylinder_support(k, d, x);
    return;
  case VVI_CORE_POLYHEDRON: {
    double local[3];
    vvi_tapply33(k->pose->turn, d, local);
    const int v = farthest_vertex(k->polyhedron, local);
    *id = (uint32_t)v;
    vvi_pose_point(k->pose, k->polyhedron->vertex + 3 * v, x);
    return;
  }
  default: {
    int best = 0;
    double most = vvi_dot3(d, k->p[0]);
    for (int i = 1; i < k->points; i++) {
      const double h = vvi_dot3(d, k->p[i]);
      if (h > most) most = h, best = i;
    }
    *id = k->id[best];
    for (int i = 0; i < 3; i++) x[i] = k->p[best][i];
  }
  }
}

double vvi_cores_separation(const vvi_core *a, const vvi_core *b, const double n[3])
{
  const double back[3] = {-n[0], -n[1], -n[2]};
  double x[3], y[3], d[3];
  uint32_t id;
  vvi_core_support(a, n, x, &id);
  vvi_core_support(b, back, y, &id);
  vvi_sub3(y, x, d);
  return vvi_dot3(n, d);
}

/* ---- faces and edges ---- */

static void block_face(const vvi_core *k, const double n[3], vvi_core_feature *f)
{
  const double c[3] = {vvi_dot3(n, k->e), vvi_dot3(n, k->e + 3), vvi_dot3(n, k->e + 6)};
  int i = fabs(c[0]) >= fabs(c[1]) ? 0 : 1;
  if (fabs(c[2]) > fabs(c[i])) i = 2;
  const unsigned u = 1u << ((i + 1) % 3), v = 1u << ((i + 2) % 3), side = c[i] > 0.0 ? 1u << i : 0u;
  const unsigned loop[4] = {side, side | u, side | u | v, side | v};
  f->points = 4;
  for (int j = 0; j < 4; j++) {
    f->id[j] = side ? loop[j] : loop[3 - j]; /* counterclockwise from outside */
    block_vertex(k, f->id[j], f->x[j]);
  }
  for (int j = 0; j < 3; j++) f->n[j] = side ? k->e[3 * i + j] : -k->e[3 * i + j];
}

static void polyhedron_face(const vvi_core *k, const double n[3], vvi_core_feature *f)
{
  const vvi_polyhedron *p = k->polyhedron;
  double local[3];
  vvi_tapply33(k->pose->turn, n, local);
  int best = 0;
  double most = -INFINITY;
  for (int i = 0; i < p->faces; i++) {
    const double c = vvi_dot3(local, p->plane + 4 * i);
    if (c > most) most = c, best = i;
  }
  /* of a face with more corners than fit, corners are left out evenly */
  const int first = p->first[best], m = p->first[best + 1] - first, every = (m + VVI_LOOP - 1) / VVI_LOOP;
  f->points = 0;
  for (int j = 0; j < m; j += every) {
    const int v = p->loop[first + j];
    f->id[f->points] = (uint32_t)v;
    vvi_pose_point(k->pose, p->vertex + 3 * v, f->x[f->points++]);
  }
  vvi_apply33(k->pose->turn, p->plane + 4 * best, f->n);
}

/* An end of a cylinder as a polygon of 16 corners on the rim. */
static void cylinder_face(const vvi_core *k, const double n[3], vvi_core_feature *f)
{
  enum { CORNERS = 16 };
  static const double turn[5] = {0.0, 0.38268343236508977, 0.70710678118654752, 0.92387953251128674, 1.0};
  const bool top = vvi_dot3(n, k->e + 6) > 0.0;
  const double h = top ? k->half[2] : -k->half[2];
  f->points = CORNERS;
  for (int j = 0; j < CORNERS; j++) {
    const int q = j / 4, r = j % 4;
    const double s = turn[r], c = turn[4 - r]; /* sin, cos of r pi/8, then turned by quarters */
    const double u = q == 0 ? c : q == 1 ? -s : q == 2 ? -c : s, v = q == 0 ? s : q == 1 ? c : q == 2 ? -s : -c;
    const int at = top ? j : CORNERS - 1 - j;
    for (int i = 0; i < 3; i++)
      f->x[at][i] = k->c[i] + (k->width * u * k->e[i] + k->width * v * k->e[3 + i] + h * k->e[6 + i]);
    f->id[at] = (uint32_t)(2 * j + (top ? 1 : 0));
  }
  for (int i = 0; i < 3; i++) f->n[i] = top ? k->e[6 + i] : -k->e[6 + i];
}

static void triangle_face(const vvi_core *k, const double n[3], vvi_core_feature *f)
{
  double u[3], v[3];
  vvi_sub3(k->p[1], k->p[0], u);
  vvi_sub3(k->p[2], k->p[0], v);
  vvi_cross3(u, v, f->n);
  const double length = vvi_norm3(f->n);
  const bool front = vvi_dot3(f->n, n) >= 0.0;
  f->points = 3;
  for (int j = 0; j < 3; j++) {
    const int at = front ? j : 2 - j;
    f->id[at] = k->id[j];
    for (int i = 0; i < 3; i++) f->x[at][i] = k->p[j][i];
  }
  for (int i = 0; i < 3; i++) f->n[i] /= front ? length : -length;
}

void vvi_core_face(const vvi_core *k, const double n[3], vvi_core_feature *f)
{
  f->points = 0;
  if (k->type == VVI_CORE_BLOCK)
    block_face(k, n, f);
  else if (k->type == VVI_CORE_POLYHEDRON)
    polyhedron_face(k, n, f);
  else if (k->type == VVI_CORE_CYLINDER)
    cylinder_face(k, n, f);
  else if (k->points == 3)
    triangle_face(k, n, f);
}

/* A segment counts as lying across n when it rises by less than this part of its length. */
#define LEVEL 0.1

static void block_segment(const vvi_core *k, const double n[3], vvi_core_feature *f)
{
  const double c[3] = {vvi_dot3(n, k->e), vvi_dot3(n, k->e + 3), vvi_dot3(n, k->e + 6)};
  int i = fabs(c[0]) <= fabs(c[1]) ? 0 : 1;
  if (fabs(c[2]) < fabs(c[i])) i = 2;
  if (fabs(c[i]) > LEVEL) return;
  unsigned v = 0;
  for (int j = 0; j < 3; j++)
    if (j != i && c[j] > 0.0) v |= 1u << j;
  f->points = 2;
  f->id[0] = v, f->id[1] = v | 1u << i;
  block_vertex(k, f->id[0], f->x[0]);
  block_vertex(k, f->id[1], f->x[1]);
}

static void polyhedron_segment(const vvi_core *k, const double n[3], vvi_core_feature *f)
{
  const vvi_polyhedron *p = k->polyhedron;
  double local[3];
  vvi_tapply33(k->pose->turn, n, local);
  const double top = vvi_dot3(local, p->vertex + 3 * farthest_vertex(p, local));
  double most = -INFINITY;
  for (int i = 0; i < p->edges; i++) {
    const double *x = p->vertex + 3 * p->edge[4 * i], *y = p->vertex + 3 * p->edge[4 * i + 1];
    double d[3];
    vvi_sub3(y, x, d);
    const double hx = vvi_dot3(local, x), hy = vvi_dot3(local, y), low = LEVEL * vvi_norm3(d);
    if (top - hx > low || top - hy > low || hx + hy <= most) continue;
    most = hx + hy;
    f->points = 2;
    f->id[0] = (uint32_t)p->edge[4 * i], f->id[1] = (uint32_t)p->edge[4 * i + 1];
    vvi_pose_point(k->pose, x, f->x[0]);
    vvi_pose_point(k->pose, y, f->x[1]);
  }
}

/* The line of the mantle that looks along n: the farthest points of both rims. */
static void cylinder_segment(const vvi_core *k, const double n[3], vvi_core_feature *f)
{
  const double u = vvi_dot3(n, k->e), v = vvi_dot3(n, k->e + 3), across = sqrt(u * u + v * v);
  if (across < 0.5) return;
  f->points = 2;
  for (int j = 0; j < 2; j++) {
    const double h = j ? k->half[2] : -k->half[2];
    for (int i = 0; i < 3; i++)
      f->x[j][i] = k->c[i] + (k->width / across * (u * k->e[i] + v * k->e[3 + i]) + h * k->e[6 + i]);
    f->id[j] = 64u + (uint32_t)j;
  }
}

static void points_segment(const vvi_core *k, const double n[3], vvi_core_feature *f)
{
  double top = -INFINITY, most = -INFINITY;
  for (int i = 0; i < k->points; i++) top = fmax(top, vvi_dot3(n, k->p[i]));
  for (int i = 0; i < (k->points == 2 ? 1 : 3); i++) {
    const double *x = k->p[i], *y = k->p[(i + 1) % 3 % k->points];
    double d[3];
    vvi_sub3(y, x, d);
    const double hx = vvi_dot3(n, x), hy = vvi_dot3(n, y), low = LEVEL * vvi_norm3(d);
    if (k->points == 3 && (top - hx > low || top - hy > low || hx + hy <= most)) continue;
    most = hx + hy;
    f->points = 2;
    f->id[0] = k->id[i], f->id[1] = k->id[(i + 1) % k->points];
    for (int j = 0; j < 3; j++) f->x[0][j] = x[j], f->x[1][j] = y[j];
  }
}

void vvi_core_segment(const vvi_core *k, const double n[3], vvi_core_feature *f)
{
  f->points = 0;
  if (k->type == VVI_CORE_BLOCK)
    block_segment(k, n, f);
  else if (k->type == VVI_CORE_POLYHEDRON)
    polyhedron_segment(k, n, f);
  else if (k->type == VVI_CORE_CYLINDER)
    cylinder_segment(k, n, f);
  else if (k->points > 1)
    points_segment(k, n, f);
}
