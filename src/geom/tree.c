/* geom/tree.c  Boxes about triangles, and the distance of a point from a mesh. */
#include "geom/tree.h"

#include "geom/halve.h"

static void grow_box(const vvi_surface *f, int t, double low[3], double high[3])
{
  for (int k = 0; k < 3; k++) {
    const double *x = f->vertex + 3 * f->triangle[3 * t + k];
    for (int i = 0; i < 3; i++) low[i] = fmin(low[i], x[i]), high[i] = fmax(high[i], x[i]);
  }
}

static void build_node(vvi_box_tree *tree, const double *middle, int at, int first, int count)
{
  vvi_box_node *n = &tree->node[at];
  *n = (vvi_box_node){.first = first, .count = count};
  if (count <= VVI_LEAF) return;
  const int left = count / 2;
  vvi_halve(middle, 1, tree->order + first, count, left);
  build_node(tree, middle, tree->nodes++, first, left);
  n->right = tree->nodes++;
  build_node(tree, middle, n->right, first + left, count - left);
}

/* Children stand behind their parents. */
static void fit_boxes(vvi_surface *f)
{
  for (int k = f->tree->nodes - 1; k >= 0; k--) {
    vvi_box_node *n = &f->tree->node[k];
    const vvi_box_node *a = n + 1, *b = &f->tree->node[n->right];
    for (int i = 0; i < 3; i++) {
      n->low[i] = n->right ? fmin(a->low[i], b->low[i]) : INFINITY;
      n->high[i] = n->right ? fmax(a->high[i], b->high[i]) : -INFINITY;
    }
    for (int i = 0; !n->right && i < n->count; i++) grow_box(f, f->tree->order[n->first + i], n->low, n->high);
  }
}

/* ---- normals ---- */

static double angle_between(const double a[3], const double b[3])
{
  double c[3];
  vvi_cross3(a, b, c);
  return atan2(vvi_norm3(c), vvi_dot3(a, b));
}

/* Room for what rounding, and hollows between the triangles of a vertex, add to the normals that these have. */
static double loosened(double angle)
{
  return 1.25 * angle + 0.05;
}

/* The normals around the three corners of a triangle; normal: [triangles][3]. */
static void triangle_cone(const vvi_surface *f, const double *normal, int t, vvi_cone *c)
{
  const double *own = normal + 3 * (int64_t)t;
  double least = 1.0;
  for (int k = 0; k < 3; k++) {
    int s = t, corner = k;
    c->axis[k] = own[k];
    for (int guard = 0; guard < 1000; guard++) {
      corner = vvi_surface_turn(f, &s, corner);
      if (s == t) break;
      const double facing = vvi_dot3(own, normal + 3 * (int64_t)s);
      if (facing < least) least = facing;
    }
  }
  c->angle = loosened(acos(fmax(-1.0, least)));
}

/* A cone about both. */
static void join(const vvi_cone *a, const vvi_cone *b, vvi_cone *c)
{
  vvi_cone all = {.angle = VV_PI};
  for (int i = 0; i < 3; i++) all.axis[i] = a->axis[i] + b->axis[i];
  const double length = vvi_norm3(all.axis);
  for (int i = 0; i < 3; i++) all.axis[i] = length > 0.0 ? all.axis[i] / length : a->axis[i];
  if (length > 0.0)
    all.angle = fmax(angle_between(all.axis, a->axis) + a->angle, angle_between(all.axis, b->axis) + b->angle);
  *c = all;
}

static void fit_cones(vvi_surface *f, const double *normal)
{
  for (int k = f->tree->nodes - 1; k >= 0; k--) {
    const vvi_box_node *n = &f->tree->node[k];
    vvi_cone *c = &f->tree->cone[k], one;
    if (n->right) {
      join(c + 1, &f->tree->cone[n->right], c);
      continue;
    }
    triangle_cone(f, normal, f->tree->order[n->first], c);
    for (int i = 1; i < n->count; i++) {
      triangle_cone(f, normal, f->tree->order[n->first + i], &one);
      join(c, &one, c);
    }
  }
}

/* Middles are taken three times. */
static void build(vvi_surface *f, double *middle, double *normal)
{
  vvi_box_tree *tree = f->tree;
  for (int t = 0; t < f->triangles; t++) {
    const int *v = f->triangle + 3 * t;
    const double *x = f->vertex;
    for (int i = 0; i < 3; i++) middle[3 * (int64_t)t + i] = x[3 * v[0] + i] + x[3 * v[1] + i] + x[3 * v[2] + i];
    tree->order[t] = t;
    vvi_surface_normal(f, t, normal + 3 * (int64_t)t);
  }
  tree->nodes = 1;
  build_node(tree, middle, 0, 0, f->triangles);
  fit_boxes(f);
  fit_cones(f, normal);
}

bool vvi_tree_build(vvi_arena *arena, vvi_surface *f)
{
  vvi_box_tree *tree = VVI_ARENA_NEW(arena, vvi_box_tree, 1);
  if (!tree) return false;
  tree->node = VVI_ARENA_NEW(arena, vvi_box_node, f->triangles);
  tree->cone = VVI_ARENA_NEW(arena, vvi_cone, f->triangles);
  tree->order = VVI_ARENA_NEW(arena, int, f->triangles);
  vvi_arena scratch = {0};
  double *middle = VVI_ARENA_NEW(&scratch, double, 3 * (int64_t)f->triangles);
  double *normal = VVI_ARENA_NEW(&scratch, double, 3 * (int64_t)f->triangles);
  f->tree = tree;
  const bool room = tree->node && tree->cone && tree->order && middle && normal;
  if (room) build(f, middle, normal);
  vvi_arena_free(&scratch);
  return room;
}

void vvi_tree_moved(vvi_surface *f, const double turn[9])
{
  fit_boxes(f);
  for (int k = 0; k < f->tree->nodes; k++) {
    double axis[3];
    vvi_tapply33(turn, f->tree->cone[k].axis, axis);
    for (int i = 0; i < 3; i++) f->tree->cone[k].axis[i] = axis[i];
  }
}

/* ---- the nearest triangle ---- */

void vvi_triangle_near(const double *p, const double *q, const double *r, const double x[3], double y[3],
                       double part[3])
{
  double u[3], v[3], d[3], n[3], c[3];
  vvi_sub3(q, p, u);
  vvi_sub3(r, p, v);
  vvi_sub3(x, p, d);
  vvi_cross3(u, v, n);
  const double nn = vvi_dot3(n, n);
  vvi_cross3(u, d, c);
  part[2] = vvi_dot3(c, n) / nn;
  vvi_cross3(d, v, c);
  part[1] = vvi_dot3(c, n) / nn;
  part[0] = 1.0 - part[1] - part[2];
  if (part[0] > 0.0 && part[1] > 0.0 && part[2] > 0.0) {
    vvi_mad3(x, -vvi_dot3(d, n) / nn, n, y);
    return;
  }
  const double *corner[3] = {p, q, r};
  double least = INFINITY;
  for (int k = 0; k < 3; k++) {
    const double *a = corner[k], *b = corner[(k + 1) % 3];
    double e[3], f[3], z[3];
    vvi_sub3(b, a, e);
    vvi_sub3(x, a, f);
    const double t = vvi_clamp(vvi_dot3(e, f) / vvi_dot3(e, e), 0.0, 1.0);
    vvi_mad3(a, t, e, z);
    vvi_sub3(x, z, f);
    const double dd = vvi_dot3(f, f);
    if (dd >= least) continue;
    least = dd;
    part[k] = 1.0 - t, part[(k + 1) % 3] = t, part[(k + 2) % 3] = 0.0;
    for (int i = 0; i < 3; i++) y[i] = z[i];
  }
}

static double box_distance(const vvi_box_node *n, const double x[3])
{
  double dd = 0.0;
  for (int i = 0; i < 3; i++) {
    const double d = fmax(0.0, fmax(n->low[i] - x[i], x[i] - n->high[i]));
    dd += d * d;
  }
  return dd;
}

void vvi_surface_normal(const vvi_surface *f, int t, double n[3])
{
  const int *v = f->triangle + 3 * t;
  double a[3], b[3];
  vvi_sub3(f->vertex + 3 * v[1], f->vertex + 3 * v[0], a);
  vvi_sub3(f->vertex + 3 * v[2], f->vertex + 3 * v[0], b);
  vvi_cross3(a, b, n);
  const double length = vvi_norm3(n);
  for (int i = 0; i < 3; i++) n[i] /= length;
}

int vvi_surface_turn(const vvi_surface *f, int *t, int corner)
{
  const int v = f->triangle[3 * *t + corner], u = f->neighbour[3 * *t + (corner + 1) % 3];
  *t = u;
  for (int k = 0; k < 3; k++)
    if (f->triangle[3 * u + k] == v) return k;
  return 0;
}

/* The mean normal where the nearest point is: of the face, of both faces at an edge, of all by their angles at a vertex.
 * Its side is the side of the surface. */
static void mean_normal(const vvi_surface *f, int t, const double part[3], double n[3])
{
  int zero = 0, at = 0, away = 0;
  for (int k = 0; k < 3; k++) {
    if (part[k] <= 1e-12)
      zero++, away = k;
    else
      at = k;
  }
  vvi_surface_normal(f, t, n);
  if (zero == 1) {
    double m[3];
    vvi_surface_normal(f, f->neighbour[3 * t + away], m);
    for (int i = 0; i < 3; i++) n[i] += m[i];
  }
  if (zero < 2) return;
  for (int i = 0; i < 3; i++) n[i] = 0.0;
  int s = t, c = at;
  for (int guard = 0; guard < 1000; guard++) {
    const double *x = f->vertex + 3 * f->triangle[3 * s + c];
    double u[3], v[3], w[3], m[3];
    vvi_sub3(f->vertex + 3 * f->triangle[3 * s + (c + 1) % 3], x, u);
    vvi_sub3(f->vertex + 3 * f->triangle[3 * s + (c + 2) % 3], x, v);
    vvi_cross3(u, v, w);
    const double angle = atan2(vvi_norm3(w), vvi_dot3(u, v));
    vvi_surface_normal(f, s, m);
    for (int i = 0; i < 3; i++) n[i] += angle * m[i];
    c = vvi_surface_turn(f, &s, c);
    if (s == t) return;
  }
}

double vvi_mesh_distance(const vvi_placed *p, const double x[3], double n[3])
{
  const vvi_surface *f = p->part->surface;
  double d[3], local[3], best[3] = {0.0, 0.0, 0.0}, part[3] = {1.0, 0.0, 0.0}, least = INFINITY;
  int stack[VVI_TREE_DEPTH], top = 0, nearest = 0;
  vvi_sub3(x, p->pose->place, d);
  vvi_tapply33(p->pose->turn, d, local);
  stack[top++] = 0;
  while (top > 0) {
    const int at = stack[--top];
    const vvi_box_node *node = &f->tree->node[at];
    if (box_distance(node, local) >= least) continue;
    if (node->right) {
      const bool left = box_distance(node + 1, local) <= box_distance(&f->tree->node[node->right], local);
      stack[top++] = left ? node->right : at + 1;
      stack[top++] = left ? at + 1 : node->right;
      continue;
    }
    for (int i = 0; i < node->count; i++) {
      const int t = f->tree->order[node->first + i], *v = f->triangle + 3 * t;
      double y[3], w[3], e[3];
      vvi_triangle_near(f->vertex + 3 * v[0], f->vertex + 3 * v[1], f->vertex + 3 * v[2], local, y, w);
      vvi_sub3(local, y, e);
      const double dd = vvi_dot3(e, e);
      if (!(dd < least)) continue;
      least = dd, nearest = t;
      for (int k = 0; k < 3; k++) best[k] = e[k], part[k] = w[k];
    }
  }
  double side[3];
  mean_normal(f, nearest, part, side);
  const double length = sqrt(least), sign = vvi_dot3(side, best) < 0.0 ? -1.0 : 1.0;
  const double l = vvi_norm3(side);
  for (int k = 0; k < 3; k++) best[k] = length > 0.0 ? sign * best[k] / length : side[k] / l;
  vvi_apply33(p->pose->turn, best, n);
  return sign * length;
}
