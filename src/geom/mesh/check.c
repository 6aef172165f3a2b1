/* geom/mesh/check.c  What is wrong with a mesh, and where. */
#include "geom/mesh/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void found(vvi_mesh_report *r, vvi_mesh_fault fault, int t, int other, int a, int b)
{
  if (r->count[fault]++ > 0) return;
  r->triangle[fault][0] = t, r->triangle[fault][1] = other;
  r->node[fault][0] = a, r->node[fault][1] = b;
}

static const double *place(const vvi_mesh *m, int node)
{
  return m->x + 3 * (int64_t)node;
}

/* ---- nodes and triangles by themselves ---- */

static bool is_finite(const double x[3])
{
  return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

/* Most meshes have no such fault: all threads look whether there is one. */
static bool lists_are_good(const vvi_mesh *m)
{
  bool good = m->triangles > 0;
#pragma omp parallel if (m->triangles > VVI_MESH_MANY)
  {
#pragma omp for schedule(static) reduction(&& : good)
    for (int t = 0; t < m->triangles; t++) {
      const int *v = m->triangle + 3 * t;
      for (int c = 0; c < 3; c++) good = good && v[c] >= 0 && v[c] < m->nodes && v[c] != v[(c + 1) % 3];
    }
#pragma omp for schedule(static) reduction(&& : good)
    for (int i = 0; i < m->nodes; i++) good = good && is_finite(place(m, i));
  }
  return good;
}

static void check_lists(const vvi_mesh *m, vvi_mesh_report *r)
{
  if (lists_are_good(m)) return;
  if (m->triangles < 1) found(r, VVI_MESH_EMPTY, -1, -1, -1, -1);
  for (int t = 0; t < m->triangles; t++) {
    const int *v = m->triangle + 3 * t;
    for (int c = 0; c < 3; c++) {
      if (v[c] < 0 || v[c] >= m->nodes)
        found(r, VVI_MESH_BAD_NODE, t, -1, v[c], -1);
      else if (!is_finite(place(m, v[c])))
        found(r, VVI_MESH_NOT_FINITE, t, -1, v[c], -1);
    }
    for (int c = 0; c < 3; c++)
      if (v[c] == v[(c + 1) % 3]) {
        found(r, VVI_MESH_COLLAPSED, t, -1, v[c], -1);
        break;
      }
  }
  for (int i = 0; i < m->nodes; i++) /* also nodes of no triangle */
    if (!is_finite(place(m, i)) && r->count[VVI_MESH_NOT_FINITE] == 0) found(r, VVI_MESH_NOT_FINITE, -1, -1, i, -1);
}

/* q = 4 sqrt(3) A / (a^2 + b^2 + c^2), which is 1 for equal edges.  Edges are first scaled, so that no square overflows. */
static double quality(const vvi_mesh *m, const int v[3], double *shortest, double *longest)
{
  double edge[3][3], size = 0.0, n[3], sum = 0.0;
  for (int c = 0; c < 3; c++) {
    vvi_sub3(place(m, v[(c + 1) % 3]), place(m, v[c]), edge[c]);
    for (int i = 0; i < 3; i++) size = fabs(edge[c][i]) > size ? fabs(edge[c][i]) : size;
  }
  if (!(size > 0.0) || !isfinite(size)) {
    *shortest = size < *shortest ? size : *shortest;
    return 0.0;
  }
  for (int c = 0; c < 3; c++) {
    for (int i = 0; i < 3; i++) edge[c][i] /= size;
    const double length2 = vvi_dot3(edge[c], edge[c]), length = size * sqrt(length2);
    *shortest = length < *shortest ? length : *shortest;
    *longest = length > *longest ? length : *longest;
    sum += length2;
  }
  vvi_cross3(edge[0], edge[1], n);
  return 2.0 * sqrt(3.0) * vvi_norm3(n) / sum;
}

static void check_shapes(const vvi_mesh *m, double sliver, vvi_mesh_report *r)
{
  double shortest = INFINITY, longest = 0.0, least = INFINITY;
#pragma omp parallel for schedule(static) reduction(min                \
                                                    : shortest, least) \
    reduction(max                                                      \
              : longest) if (m->triangles > VVI_MESH_MANY)
  for (int t = 0; t < m->triangles; t++) {
    const double q = quality(m, m->triangle + 3 * t, &shortest, &longest);
    least = q < least ? q : least;
  }
  r->shortest = shortest, r->longest = longest, r->least_quality = least;
  int worst = -1;
  for (int t = 0; !(least >= sliver) && t < m->triangles; t++) {
    const double q = quality(m, m->triangle + 3 * t, &shortest, &longest);
    if (q >= sliver) continue;
    found(r, VVI_MESH_SLIVER, t, -1, -1, -1);
    if (q == least && worst < 0) worst = t;
  }
  if (worst >= 0) r->triangle[VVI_MESH_SLIVER][0] = worst;
}

/* ---- edges, fans, pieces ---- */

typedef struct triple {
  int node[3], triangle;
} triple;

static int by_nodes(const void *a, const void *b)
{
  const triple *p = a, *q = b;
  for (int c = 0; c < 3; c++)
    if (p->node[c] != q->node[c]) return p->node[c] < q->node[c] ? -1 : 1;
  return (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

static void swap_if(int *a, int *b)
{
  const int low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
  *a = low, *b = high;
}

/* Triangles with the same nodes share three edges: those have more than two triangles, or the other one is across two of them. */
static bool may_repeat(const vvi_mesh *m, const vvi_mesh_topology *top)
{
  bool may = false;
#pragma omp parallel if (m->triangles > VVI_MESH_MANY)
  {
#pragma omp for schedule(static) reduction(|| : may)
    for (int e = 0; e < top->edges; e++) may = may || top->edge_uses[e] > 2;
#pragma omp for schedule(static) reduction(|| : may)
    for (int t = 0; t < m->triangles; t++) {
      const int *n = top->neighbour + 3 * t;
      may = may || (n[0] >= 0 && (n[0] == n[1] || n[0] == n[2])) || (n[1] >= 0 && n[1] == n[2]);
    }
  }
  return may;
}

static bool check_repeated(const vvi_mesh *m, const vvi_mesh_topology *top, vvi_arena *scratch, vvi_mesh_report *r)
{
  if (!may_repeat(m, top)) return true;
  triple *list = VVI_ARENA_NEW(scratch, triple, m->triangles);
  if (list == NULL) return false;
  for (int t = 0; t < m->triangles; t++) {
    int *v = list[t].node;
    memcpy(v, m->triangle + 3 * t, sizeof list[t].node);
    swap_if(v, v + 1);
    swap_if(v + 1, v + 2);
    swap_if(v, v + 1);
    list[t].triangle = t;
  }
  qsort(list, (size_t)m->triangles, sizeof *list, by_nodes);
  for (int t = 1; t < m->triangles; t++)
    if (memcmp(list[t].node, list[t - 1].node, sizeof list[t].node) == 0)
      found(r, VVI_MESH_REPEATED, list[t].triangle, list[t - 1].triangle, -1, -1);
  return true;
}

static bool is_turned(const vvi_mesh *m, const vvi_mesh_topology *top, int e)
{
  int from[2] = {-1, -1};
  for (int i = 0; i < 2; i++) {
    const int t = top->edge_triangle[2 * e + i];
    for (int c = 0; c < 3; c++)
      if (top->side[3 * t + c] == e) from[i] = m->triangle[3 * t + (c + 1) % 3];
  }
  return from[0] == from[1];
}

static bool uses_all(const vvi_mesh *m, const vvi_mesh_topology *top)
{
  bool all = true;
#pragma omp parallel for schedule(static) reduction(&& : all) if (m->nodes > VVI_MESH_MANY)
  for (int i = 0; i < m->nodes; i++) all = all && top->first[i + 1] > top->first[i];
  return all;
}

static void check_edges(const vvi_mesh *m, const vvi_mesh_topology *top, bool *branched, vvi_mesh_report *r)
{
  if (top->closed && top->oriented && top->manifold && uses_all(m, top)) return;
  for (int e = 0; e < top->edges; e++) {
    const int *t = top->edge_triangle + 2 * e, *v = top->edge + 2 * e;
    if (top->edge_uses[e] == 1) found(r, VVI_MESH_OPEN, t[0], -1, v[0], v[1]);
    if (top->edge_uses[e] == 2 && is_turned(m, top, e)) found(r, VVI_MESH_TURNED, t[0], t[1], v[0], v[1]);
    if (top->edge_uses[e] <= 2) continue;
    found(r, VVI_MESH_BRANCHED, t[0], t[1], v[0], v[1]);
    branched[v[0]] = branched[v[1]] = true;
  }
  for (int i = 0; i < m->nodes; i++) { /* a branched edge cuts the fans at its ends: that is told already */
    const int *around = top->around + top->first[i], n = top->first[i + 1] - top->first[i];
    if (top->fans[i] > 1 && !branched[i]) found(r, VVI_MESH_PINCHED, around[0], around[n - 1], i, -1);
    if (n == 0) found(r, VVI_MESH_UNUSED_NODE, -1, -1, i, -1);
  }
}

/* Only pieces that are closed and whose triangles agree have a volume. */
static void check_sides(const vvi_mesh *m, const vvi_mesh_topology *top, double *volume, int *first, vvi_mesh_report *r)
{
  const bool good = top->closed && top->oriented;
  for (int t = m->triangles - 1; t >= 0; t--) first[top->part[t]] = t;
  for (int t = 0; t < m->triangles; t++) {
    const int p = top->part[t], *v = m->triangle + 3 * t;
    double a[3], n[3];
    vvi_sub3(place(m, v[0]), place(m, m->triangle[3 * first[p]]), a);
    vvi_triangle_normal(place(m, v[0]), place(m, v[1]), place(m, v[2]), n);
    volume[p] += vvi_dot3(a, n);
    for (int c = 0; !good && c < 3; c++) {
      const int e = top->side[3 * t + c];
      if (top->edge_uses[e] != 2 || is_turned(m, top, e)) volume[p] = INFINITY;
    }
  }
  for (int p = 0; p < top->parts; p++)
    if (volume[p] < 0.0) found(r, VVI_MESH_INSIDE_OUT, first[p], -1, -1, -1);
}

static bool check_places(const vvi_mesh *m, double near, vvi_arena *scratch, vvi_mesh_report *r)
{
  int *to = VVI_ARENA_NEW(scratch, int, m->nodes);
  if (to == NULL || vvi_mesh_match(m->nodes, m->x, near, to) < 0) return false;
  for (int i = 0; i < m->nodes; i++)
    if (to[i] != i) found(r, VVI_MESH_DUPLICATE_NODE, -1, -1, i, to[i]);
  if (r->count[VVI_MESH_DUPLICATE_NODE] == 0) return true;
  for (int k = 0; k < 2; k++) /* faces that use them */
    for (int t = m->triangles - 1; t >= 0; t--)
      for (int c = 0; c < 3; c++)
        if (m->triangle[3 * t + c] == r->node[VVI_MESH_DUPLICATE_NODE][k]) r->triangle[VVI_MESH_DUPLICATE_NODE][k] = t;
  return true;
}

static vv_status check_all(vvi_arena *arena, vvi_arena *scratch, const vvi_mesh *m, double sliver, double near,
                           vvi_mesh_report *r, vvi_mesh_topology *top, char why[VVI_MESH_WHY])
{
  VV_TRY(vvi_mesh_topology_of(arena, m, top, why));
  int *part = VVI_ARENA_NEW(scratch, int, top->parts);
  double *volume = VVI_ARENA_NEW(scratch, double, top->parts);
  bool *branched = VVI_ARENA_NEW(scratch, bool, m->nodes);
  if (part == NULL || volume == NULL || branched == NULL || !check_places(m, near, scratch, r) ||
      !check_repeated(m, top, scratch, r))
    return vvi_mesh_no_memory(why);
  check_shapes(m, sliver, r);
  check_edges(m, top, branched, r);
  check_sides(m, top, volume, part, r);
  r->edges = top->edges, r->parts = top->parts, r->loops = top->loops;
  return VV_OK;
}

vv_status vvi_mesh_check_topology(vvi_arena *arena, const vvi_mesh *m, double sliver, double near,
                                  vvi_mesh_report *report, vvi_mesh_topology *topology, char why[VVI_MESH_WHY])
{
  vvi_mesh_report *r = report;
  *r = (vvi_mesh_report){0};
  *topology = (vvi_mesh_topology){0};
  memset(r->triangle, -1, sizeof r->triangle);
  memset(r->node, -1, sizeof r->node);
  check_lists(m, r);
  for (int f = 0; f <= VVI_MESH_COLLAPSED; f++)
    if (r->count[f] > 0) return VV_OK;
  vvi_arena scratch = {0};
  const vv_status status = check_all(arena, &scratch, m, sliver, near, r, topology, why);
  vvi_arena_free(&scratch);
  return status;
}

vv_status vvi_mesh_check(const vvi_mesh *m, double sliver, double near, vvi_mesh_report *report, char why[VVI_MESH_WHY])
{
  vvi_arena scratch = {0};
  vvi_mesh_topology top;
  const vv_status status = vvi_mesh_check_topology(&scratch, m, sliver, near, report, &top, why);
  vvi_arena_free(&scratch);
  return status;
}

/* ---- words ---- */

static const char *const remedy[VVI_MESH_FAULTS] = {
    [VVI_MESH_EMPTY] = "the mesh has no triangles; give it some",
    [VVI_MESH_NOT_FINITE] = "a coordinate is not a finite number; repair or leave out the node",
    [VVI_MESH_BAD_NODE] = "it names a node that is not there; check the list of nodes",
    [VVI_MESH_COLLAPSED] = "it has the same node twice; leave it out",
    [VVI_MESH_REPEATED] = "it has the same nodes as another one; leave one of them out",
    [VVI_MESH_BRANCHED] = "three or more faces meet at this edge; leave out walls inside the body, or split the mesh",
    [VVI_MESH_PINCHED] = "parts of the surface touch in one node only; give each a node of its own",
    [VVI_MESH_TURNED] = "it and its neighbour have opposite sides up; reverse the nodes of one of them",
    [VVI_MESH_OPEN] = "the surface is open at this edge; close it, or merge nodes that lie at one place",
    [VVI_MESH_INSIDE_OUT] = "the surface it belongs to is inside out; reverse the nodes of its faces",
    [VVI_MESH_SLIVER] = "it has almost no area; remesh there, or merge nodes that lie close together",
    [VVI_MESH_DUPLICATE_NODE] = "two nodes lie at one place; merge them",
    [VVI_MESH_UNUSED_NODE] = "a node belongs to no face; leave it out",
};

/* "face 12 (line 40): "; files know their faces by number or line, made meshes by the order of their triangles. */
static int say_face(const vvi_mesh *m, int t, char *out, int room)
{
  const int face = m->face != NULL ? m->face[t] : t + 1;
  if (m->line != NULL) return snprintf(out, (size_t)room, "face %d (line %d)", face, m->line[t]);
  return snprintf(out, (size_t)room, "face %d", face);
}

static int say_place(const vvi_mesh *m, int node, char *out, int room)
{
  const double *x = place(m, node);
  return snprintf(out, (size_t)room, "(%.6g, %.6g, %.6g)", x[0], x[1], x[2]);
}

vv_status vvi_mesh_refuse(const vvi_mesh *m, const vvi_mesh_report *r, unsigned refused, char why[VVI_MESH_WHY])
{
  int f = 0;
  while (f < VVI_MESH_FAULTS && (r->count[f] == 0 || (refused >> f & 1u) == 0)) f++;
  if (f == VVI_MESH_FAULTS) return VV_OK;
  enum { ROOM = 80 };
  char face[ROOM] = "", other[ROOM] = "", at[2 * ROOM] = "", more[ROOM] = "";
  if (r->triangle[f][0] >= 0) say_face(m, r->triangle[f][0], face, ROOM);
  if (r->triangle[f][1] >= 0) {
    memcpy(other, " and ", 6);
    say_face(m, r->triangle[f][1], other + 5, ROOM - 5);
  }
  int n = 0;
  for (int i = 0; i < 2; i++) {
    const int node = r->node[f][i];
    if (node < 0 || node >= m->nodes) continue;
    n += snprintf(at + n, sizeof at - (size_t)n, "%s", i == 0 ? " at " : " to ");
    n += say_place(m, node, at + n, (int)sizeof at - n);
  }
  if (r->count[f] > 1) snprintf(more, sizeof more, " (one of %d)", r->count[f]);
  return vvi_mesh_fail(why, VV_SCENE, "%s%s%s%s%s%s", face, other, at, more, face[0] != '\0' || n > 0 ? ": " : "",
                       remedy[f]);
}
