/* geom/mesh/make.c  Spheres, discs, rectangles, boxes, cylinders, tori.
 *
 * Pieces that share an edge compute its nodes by the same expressions, so that merging by equality joins them. */
#include "geom/mesh/inside.h"

#include <string.h>

static bool is_size(double v)
{
  return v > 0.0 && isfinite(v);
}

static void put(vvi_mesh *m, int *at, int a, int b, int c)
{
  int *t = m->triangle + 3 * (*at)++;
  t[0] = a, t[1] = b, t[2] = c;
}

/* Raw pieces live in `scratch`; what is left after merging in the arena. */
static vv_status joined(vvi_arena *arena, vvi_arena *scratch, vv_status status, const vvi_mesh *raw, vvi_mesh *out,
                        char why[VVI_MESH_WHY])
{
  if (status == VV_OK) status = vvi_mesh_merge(arena, raw, 0.0, out, why);
  vvi_arena_free(scratch);
  return status;
}

/* ---- sphere ---- */

typedef struct base_solid {
  int vertices, faces;
  double vertex[12][3];
  int face[20][3];
} base_solid;

/* The faces are the triples of vertices at the least distance from each other, turned outwards. */
static void find_faces(base_solid *s, double edge2)
{
  for (int a = 0; a < s->vertices; a++)
    for (int b = a + 1; b < s->vertices; b++)
      for (int c = b + 1; c < s->vertices; c++) {
        const double *p[3] = {s->vertex[a], s->vertex[b], s->vertex[c]};
        double d[3], n[3];
        bool near = true;
        for (int i = 0; i < 3; i++) {
          vvi_sub3(p[(i + 1) % 3], p[i], d);
          near = near && vvi_dot3(d, d) < 1.1 * edge2;
        }
        if (!near) continue;
        vvi_triangle_normal(p[0], p[1], p[2], n);
        const bool outward = vvi_dot3(n, p[0]) > 0.0;
        int *f = s->face[s->faces++];
        f[0] = a, f[1] = outward ? b : c, f[2] = outward ? c : b;
      }
}

static void octahedron(base_solid *s)
{
  for (int i = 0; i < 6; i++) s->vertex[s->vertices++][i / 2] = i % 2 == 0 ? 1.0 : -1.0;
  find_faces(s, 2.0);
}

/* The corners of three golden rectangles, in the coordinate planes. */
static void icosahedron(base_solid *s)
{
  const double golden = 0.5 * (1.0 + sqrt(5.0));
  for (int i = 0; i < 12; i++) {
    double *v = s->vertex[s->vertices++];
    v[i / 4] = i % 2 == 0 ? 1.0 : -1.0;
    v[(i / 4 + 1) % 3] = i / 2 % 2 == 0 ? golden : -golden;
  }
  find_faces(s, 4.0);
}

static void onto_sphere(vvi_mesh *m, double radius)
{
#pragma omp parallel for schedule(static) if (m->nodes > VVI_MESH_MANY)
  for (int i = 0; i < m->nodes; i++) {
    double *x = m->x + 3 * (int64_t)i;
    const double s = radius / vvi_norm3(x);
    for (int c = 0; c < 3; c++) x[c] *= s;
  }
}

/* One face as a triangular grid: node (i, j) is (n - i - j) A + i B + j C.  Before row j there are rows of n + 1, n, ... nodes, and
 * of 2 n - 1, 2 n - 3, ... triangles. */
static void cut_face(const base_solid *s, const int face[3], int n, vvi_mesh *m, int node0, int triangle0)
{
  const double *A = s->vertex[face[0]], *B = s->vertex[face[1]], *C = s->vertex[face[2]];
#pragma omp parallel for schedule(dynamic, 16) if (m->triangles > VVI_MESH_MANY)
  for (int j = 0; j <= n; j++) {
    const int row = node0 + (int)(j * (int64_t)(2 * n + 3 - j) / 2), above = row + n - j + 1; /* their first nodes */
    int triangle = triangle0 + j * (2 * n - j);
    for (int i = 0; i + j <= n; i++) {
      double *x = m->x + 3 * (int64_t)(row + i);
      for (int c = 0; c < 3; c++) x[c] = (n - i - j) * A[c] + i * B[c] + j * C[c];
      if (i + j < n) put(m, &triangle, row + i, row + i + 1, above + i);
      if (i + j < n - 1) put(m, &triangle, row + i + 1, above + i + 1, above + i);
    }
  }
}

static vv_status refine_sphere(vvi_arena *arena, int level, double radius, vvi_mesh *m, char why[VVI_MESH_WHY])
{
  for (int l = 0; l < level; l++) {
    vvi_mesh coarse = *m;
    VV_TRY(vvi_mesh_refine(arena, &coarse, m, why));
    onto_sphere(m, radius);
  }
  return VV_OK;
}

vv_status vvi_mesh_sphere(vvi_arena *arena, vvi_mesh_base base, int frequency, int level, double radius, vvi_mesh *out,
                          char why[VVI_MESH_WHY])
{
  if (!is_size(radius)) return vvi_mesh_fail(why, VV_ARG, "the radius of a sphere must be positive, not %g", radius);
  if (frequency < 1 || level < 0 || level > 14 || frequency > 10000)
    return vvi_mesh_fail(why, VV_ARG,
                         "a sphere needs a frequency from 1 to 10000 and a level from 0 to 14, not %d and %d",
                         frequency, level);
  base_solid s = {0};
  (base == VVI_MESH_OCTAHEDRON ? octahedron : icosahedron)(&s);
  const int64_t n = frequency, most = s.faces * n * n << 2 * level;
  if (most > VVI_MESH_MOST)
    return vvi_mesh_fail(why, VV_ARG, "a sphere of %lld triangles is too fine; use a smaller level", (long long)most);
  VV_TRY(vvi_mesh_fits(most, why));
  vvi_arena scratch = {.dense = true};
  vvi_mesh raw = {0};
  vv_status status = vvi_mesh_new(&scratch, s.faces * (n + 1) * (n + 2) / 2, s.faces * n * n, &raw, why);
  for (int f = 0; status == VV_OK && f < s.faces; f++)
    cut_face(&s, s.face[f], frequency, &raw, f * ((frequency + 1) * (frequency + 2) / 2), f * frequency * frequency);
  if (status == VV_OK) onto_sphere(&raw, radius);
  vvi_arena *room = level > 0 ? &scratch : arena;
  if (status == VV_OK) status = vvi_mesh_merge(room, &raw, 0.0, out, why);
  if (status == VV_OK) status = refine_sphere(&scratch, level - 1, radius, out, why);
  if (status == VV_OK && level > 0) status = refine_sphere(arena, 1, radius, out, why);
  vvi_arena_free(&scratch);
  return status;
}

/* ---- flat grids ---- */

/* Node (i, j) of a grid that starts at `first` in rows of `row` nodes; up: the diagonal from (0, 0) to (1, 1). */
static void put_cells(vvi_mesh *m, int *triangle, int first, const int n[2], bool up, bool flip)
{
  const int row = n[0] + 1;
  for (int j = 0; j < n[1]; j++)
    for (int i = 0; i < n[0]; i++) {
      const int a = first + j * row + i, b = a + 1, c = b + row, d = a + row;
      const int lower[3] = {a, b, up ? c : d}, upper[3] = {up ? a : b, c, d};
      put(m, triangle, lower[0], lower[flip ? 2 : 1], lower[flip ? 1 : 2]);
      put(m, triangle, upper[0], upper[flip ? 2 : 1], upper[flip ? 1 : 2]);
    }
}

/* The middle of the grid is exactly 0 and both halves mirror each other. */
static double along(double size, int i, int n)
{
  return size * ((2.0 * i - n) / (2.0 * n));
}

vv_status vvi_mesh_rectangle(vvi_arena *arena, const double size[2], const int n[2], vvi_mesh *out,
                             char why[VVI_MESH_WHY])
{
  if (!is_size(size[0]) || !is_size(size[1]))
    return vvi_mesh_fail(why, VV_ARG, "the sides of a rectangle must be positive, not %g and %g", size[0], size[1]);
  if (n[0] < 1 || n[1] < 1)
    return vvi_mesh_fail(why, VV_ARG, "a rectangle needs at least one piece along a side, not %d and %d", n[0], n[1]);
  VV_TRY(vvi_mesh_new(arena, ((int64_t)n[0] + 1) * ((int64_t)n[1] + 1), 2 * (int64_t)n[0] * n[1], out, why));
  double *x = out->x;
  for (int j = 0; j <= n[1]; j++)
    for (int i = 0; i <= n[0]; i++, x += 3) x[0] = along(size[0], i, n[0]), x[1] = along(size[1], j, n[1]);
  int triangle = 0;
  put_cells(out, &triangle, 0, n, true, false);
  return VV_OK;
}

/* The face with normal +-e_a spans e_{a+1}, e_{a+2}.  Its diagonal joins the corners whose three indices (0 or 1) have an
 * even sum: on the lower face (0, 0) and (1, 1), on the upper one the others. */
static void put_face(const double size[3], const int n[3], int a, bool upper, vvi_mesh *m, int *node, int *triangle)
{
  const int b = (a + 1) % 3, c = (a + 2) % 3, cells[2] = {n[b], n[c]};
  put_cells(m, triangle, *node, cells, !upper, !upper);
  for (int j = 0; j <= n[c]; j++)
    for (int i = 0; i <= n[b]; i++) {
      double *x = m->x + 3 * (int64_t)(*node)++;
      x[a] = along(size[a], upper ? n[a] : 0, n[a]);
      x[b] = along(size[b], i, n[b]);
      x[c] = along(size[c], j, n[c]);
    }
}

vv_status vvi_mesh_box(vvi_arena *arena, const double size[3], const int n[3], vvi_mesh *out, char why[VVI_MESH_WHY])
{
  int64_t nodes = 0, triangles = 0;
  for (int a = 0; a < 3; a++) {
    if (!is_size(size[a])) return vvi_mesh_fail(why, VV_ARG, "the edges of a box must be positive, not %g", size[a]);
    if (n[a] < 1 || n[a] > 10000)
      return vvi_mesh_fail(why, VV_ARG, "a box needs from 1 to 10000 pieces along an edge, not %d", n[a]);
    const int64_t b = n[(a + 1) % 3], c = n[(a + 2) % 3];
    nodes += 2 * (b + 1) * (c + 1), triangles += 4 * b * c;
  }
  vvi_arena scratch = {0};
  vvi_mesh raw = {0};
  const vv_status status = vvi_mesh_new(&scratch, nodes, triangles, &raw, why);
  int node = 0, triangle = 0;
  for (int f = 0; status == VV_OK && f < 6; f++) put_face(size, n, f / 2, f % 2 == 1, &raw, &node, &triangle);
  return joined(arena, &scratch, status, &raw, out, why);
}

/* ---- rings ---- */

/* Node i of n on a circle, `phase` of a piece on. */
static void put_ring(vvi_mesh *m, int *node, double radius, double z, int n, double phase)
{
  for (int i = 0; i < n; i++) {
    const double angle = 2.0 * VV_PI * (i + phase) / n;
    double *x = m->x + 3 * (int64_t)(*node)++;
    x[0] = radius * cos(angle), x[1] = radius * sin(angle), x[2] = z;
  }
}

/* The band between two rings in one plane, `in` inside `out`: step by step round both, the one whose next middle comes
 * first.  With 6 (k - 1) and 6 k nodes, six triangles meet at every node. */
static void put_band(vvi_mesh *m, int *triangle, int in, int n_in, int out, int n_out, bool flip)
{
  for (int i = 0, j = 0; i < n_in || j < n_out;) {
    const bool outer = (int64_t)(2 * j + 1) * n_in <= (int64_t)(2 * i + 1) * n_out;
    const int a = in + i % n_in, b = out + j % n_out, next = outer ? out + (j + 1) % n_out : in + (i + 1) % n_in;
    put(m, triangle, a, flip ? next : b, flip ? b : next);
    *(outer ? &j : &i) += 1;
  }
}

/* Nodes of ring k of a disc with n rings whose last has `around`. */
static int on_ring(int around, int rings, int k)
{
  return (int)(((int64_t)2 * around * k + rings) / (2 * (int64_t)rings));
}

/* Everything within the last ring, which is there already as nodes `rim`.  flip: normal -z. */
static void fill_disc(vvi_mesh *m, int *node, int *triangle, int rim, int around, int rings, double radius, double z,
                      double phase, bool flip)
{
  const int centre = (*node)++;
  m->x[3 * (int64_t)centre + 2] = z;
  int before = centre, n_before = 0;
  for (int k = 1; k <= rings; k++) {
    const int n = on_ring(around, rings, k), ring = k < rings ? *node : rim;
    if (k < rings) put_ring(m, node, radius * k / rings, z, n, phase * n / around);
    if (k > 1) put_band(m, triangle, before, n_before, ring, n, flip);
    for (int i = 0; k == 1 && i < n; i++) {
      const int a = ring + i, b = ring + (i + 1) % n;
      put(m, triangle, centre, flip ? b : a, flip ? a : b);
    }
    before = ring, n_before = n;
  }
}

/* What fill_disc adds. */
static void count_disc(int around, int rings, int64_t *nodes, int64_t *triangles)
{
  *nodes += 1;
  for (int k = 1; k <= rings; k++) {
    if (k < rings) *nodes += on_ring(around, rings, k);
    *triangles += on_ring(around, rings, k) + (k > 1 ? on_ring(around, rings, k - 1) : 0);
  }
}

vv_status vvi_mesh_disc(vvi_arena *arena, double radius, int rings, vvi_mesh *out, char why[VVI_MESH_WHY])
{
  if (!is_size(radius)) return vvi_mesh_fail(why, VV_ARG, "the radius of a disc must be positive, not %g", radius);
  if (rings < 1 || rings > 10000)
    return vvi_mesh_fail(why, VV_ARG, "a disc needs from 1 to 10000 rings, not %d", rings);
  int64_t nodes = 6 * (int64_t)rings, triangles = 0;
  count_disc(6 * rings, rings, &nodes, &triangles);
  VV_TRY(vvi_mesh_new(arena, nodes, triangles, out, why));
  int node = 0, triangle = 0;
  put_ring(out, &node, radius, 0.0, 6 * rings, 0.0);
  fill_disc(out, &node, &triangle, 0, 6 * rings, rings, radius, 0.0, 0.0, false);
  return VV_OK;
}

/* The band between a ring and the next one, equally many nodes, one of them half a piece on: `late`, the lower one. */
static void put_row(vvi_mesh *m, int *triangle, int lower, int upper, int n, bool late)
{
  for (int i = 0; i < n; i++) {
    const int next = (i + 1) % n;
    put(m, triangle, lower + i, late ? upper + next : lower + next, upper + i);
    if (late)
      put(m, triangle, lower + i, lower + next, upper + next);
    else
      put(m, triangle, lower + next, upper + next, upper + i);
  }
}

vv_status vvi_mesh_cylinder(vvi_arena *arena, double radius, double height, int around, int along_axis, bool closed,
                            vvi_mesh *out, char why[VVI_MESH_WHY])
{
  if (!is_size(radius) || !is_size(height))
    return vvi_mesh_fail(why, VV_ARG, "radius and height of a cylinder must be positive, not %g and %g", radius,
                         height);
  if (around < 3 || along_axis < 1 || around > 60000)
    return vvi_mesh_fail(why, VV_ARG,
                         "a cylinder needs from 3 to 60000 pieces around and one or more along, not %d and %d", around,
                         along_axis);
  const int rings = around < 9 ? 1 : (around + 3) / 6;
  int64_t nodes = around * ((int64_t)along_axis + 1), triangles = 2 * (int64_t)around * along_axis;
  for (int end = 0; closed && end < 2; end++) count_disc(around, rings, &nodes, &triangles);
  VV_TRY(vvi_mesh_new(arena, nodes, triangles, out, why));
  int node = 0, triangle = 0;
  for (int j = 0; j <= along_axis; j++) {
    put_ring(out, &node, radius, along(height, j, along_axis), around, 0.5 * (j % 2));
    if (j > 0) put_row(out, &triangle, node - 2 * around, node - around, around, j % 2 == 0);
  }
  const int top = node - around;
  for (int end = 0; closed && end < 2; end++)
    fill_disc(out, &node, &triangle, end == 0 ? 0 : top, around, rings, radius, end == 0 ? -0.5 * height : 0.5 * height,
              end == 0 ? 0.0 : 0.5 * (along_axis % 2), end == 0);
  return VV_OK;
}

vv_status vvi_mesh_torus(vvi_arena *arena, double ring, double tube, int around, int across, vvi_mesh *out,
                         char why[VVI_MESH_WHY])
{
  if (!is_size(ring) || !is_size(tube) || tube >= ring)
    return vvi_mesh_fail(why, VV_ARG, "a torus needs a tube (%g) thinner than its ring (%g), both positive", tube,
                         ring);
  if (around < 3 || across < 4 || across % 2 != 0)
    return vvi_mesh_fail(why, VV_ARG,
                         "a torus needs at least 3 pieces around and an even number from 4 across, not %d and %d",
                         around, across);
  VV_TRY(vvi_mesh_new(arena, (int64_t)around * across, 2 * (int64_t)around * across, out, why));
  int node = 0, triangle = 0;
  for (int j = 0; j < across; j++) {
    const double angle = 2.0 * VV_PI * j / across;
    put_ring(out, &node, ring + tube * cos(angle), tube * sin(angle), around, 0.5 * (j % 2));
    put_row(out, &triangle, j * around, (j + 1) % across * around, around, j % 2 == 1);
  }
  return VV_OK;
}

/* ---- refinement ---- */

vv_status vvi_mesh_refine(vvi_arena *arena, const vvi_mesh *in, vvi_mesh *out, char why[VVI_MESH_WHY])
{
  vvi_arena scratch = {0};
  vvi_mesh_topology top;
  vv_status status = vvi_mesh_topology_of(&scratch, in, &top, why);
  if (status == VV_OK)
    status = vvi_mesh_new(arena, (int64_t)in->nodes + top.edges, 4 * (int64_t)in->triangles, out, why);
  if (status != VV_OK) {
    vvi_arena_free(&scratch);
    return status;
  }
  memcpy(out->x, in->x, sizeof(double) * 3 * (size_t)in->nodes);
  for (int e = 0; e < top.edges; e++)
    for (int c = 0; c < 3; c++)
      out->x[3 * ((int64_t)in->nodes + e) + c] =
          0.5 * (in->x[3 * (int64_t)top.edge[2 * e] + c] + in->x[3 * (int64_t)top.edge[2 * e + 1] + c]);
  int at = 0;
  for (int t = 0; t < in->triangles; t++) {
    const int *v = in->triangle + 3 * t, *side = top.side + 3 * t;
    const int m[3] = {in->nodes + side[0], in->nodes + side[1], in->nodes + side[2]};
    for (int i = 0; i < 3; i++) put(out, &at, v[i], m[(i + 2) % 3], m[(i + 1) % 3]);
    put(out, &at, m[0], m[1], m[2]);
  }
  vvi_arena_free(&scratch);
  return VV_OK;
}
