/* geom/mesh/topology.c  Edges, neighbours, fans, pieces and borders of a mesh; which side of it is out.
 *
 * Half-edge h = 3 t + c is the edge of triangle t opposite to its corner c. */
#include "geom/mesh/inside.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct maker {
  const vvi_mesh *mesh;
  vvi_mesh_topology *top;
  vvi_arena scratch;
  int half; /* half-edges */
} maker;

static int from_of(const vvi_mesh *m, int h)
{
  return m->triangle[h / 3 * 3 + (h + 1) % 3];
}

static int to_of(const vvi_mesh *m, int h)
{
  return m->triangle[h / 3 * 3 + (h + 2) % 3];
}

_Static_assert(VVI_MESH_MOST <= INT32_MAX / 6, "half-edges, and indices of edges, are counted by int");

static int corner_of(const vvi_mesh *m, int t, int node)
{
  const int *v = m->triangle + 3 * t;
  return v[0] == node ? 0 : v[1] == node ? 1 : 2;
}

/* ---- edges ---- */

/* One stable pass of counting sort by the larger (or the smaller) node of each half-edge. */
static void sort_pass(const vvi_mesh *m, bool larger, int half, const int *in, int *out, int *count)
{
  memset(count, 0, sizeof(int) * ((size_t)m->nodes + 1));
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < half; k++) {
      const int h = in != NULL ? in[k] : k, a = from_of(m, h), b = to_of(m, h);
      const int key = (a > b) == larger ? a : b;
      if (pass == 0)
        count[key + 1]++;
      else
        out[count[key]++] = h;
    }
    for (int i = 0; pass == 0 && i < m->nodes; i++) count[i + 1] += count[i];
  }
}

static bool same_edge(const vvi_mesh *m, int g, int h)
{
  const int a = from_of(m, g), b = to_of(m, g), c = from_of(m, h), d = to_of(m, h);
  return (a == c && b == d) || (a == d && b == c);
}

/* Half-edges of one edge stand side by side in `sorted`, triangles ascending. */
static void put_edge(maker *k, const int *sorted, int uses)
{
  vvi_mesh_topology *top = k->top;
  const int e = top->edges++, h = sorted[0], a = from_of(k->mesh, h), b = to_of(k->mesh, h);
  top->edge[2 * e] = a < b ? a : b;
  top->edge[2 * e + 1] = a < b ? b : a;
  top->edge_uses[e] = uses;
  top->edge_triangle[2 * e] = h / 3;
  top->edge_triangle[2 * e + 1] = uses > 1 ? sorted[1] / 3 : -1;
  for (int i = 0; i < uses; i++) top->side[sorted[i]] = e, top->neighbour[sorted[i]] = -1;
  if (uses == 2) {
    top->neighbour[sorted[0]] = sorted[1] / 3;
    top->neighbour[sorted[1]] = sorted[0] / 3;
    if (from_of(k->mesh, sorted[0]) == from_of(k->mesh, sorted[1])) top->oriented = false;
  }
  if (uses > 2) top->manifold = false;
  if (uses != 2) top->closed = false;
  top->valence[a]++;
  top->valence[b]++;
}

static bool find_edges(maker *k, vvi_arena *arena)
{
  const vvi_mesh *m = k->mesh;
  vvi_mesh_topology *top = k->top;
  int *one = VVI_ARENA_NEW(&k->scratch, int, k->half), *two = VVI_ARENA_NEW(&k->scratch, int, k->half);
  int *count = VVI_ARENA_NEW(&k->scratch, int, m->nodes + 1);
  if (one == NULL || two == NULL || count == NULL) return false;
  sort_pass(m, true, k->half, NULL, one, count);
  sort_pass(m, false, k->half, one, two, count);
  int edges = 0;
  for (int i = 0; i < k->half; i++) edges += i == 0 || !same_edge(m, two[i - 1], two[i]);
  top->edge = VVI_ARENA_NEW(arena, int, 2 * (int64_t)edges);
  top->edge_triangle = VVI_ARENA_NEW(arena, int, 2 * (int64_t)edges);
  top->edge_uses = VVI_ARENA_NEW(arena, int, edges);
  if (top->edge == NULL || top->edge_triangle == NULL || top->edge_uses == NULL) return false;
  for (int i = 0, n; i < k->half; i += n) {
    for (n = 1; i + n < k->half && same_edge(m, two[i], two[i + n]);) n++;
    put_edge(k, two + i, n);
  }
  return true;
}

/* ---- fans ---- */

/* From a triangle round `node` across its edge `out` (local); *in becomes the local edge of the next that was crossed. */
static int step_round(const maker *k, int t, int out, int *in)
{
  const int next = k->top->neighbour[3 * t + out], edge = k->top->side[3 * t + out];
  for (int c = 0; next >= 0 && c < 3; c++)
    if (k->top->side[3 * next + c] == edge) *in = c;
  return next;
}

/* The triangles around one node, fan by fan, written over its list.  Turning clockwise from any triangle ends at the
 * border or where it began; from there they are listed counterclockwise, as the first one sees it. */
static int order_fans(const maker *k, int node, bool *seen, int *list, int n, int *ordered)
{
  const vvi_mesh *m = k->mesh;
  int fans = 0, done = 0;
  for (int i = 0; i < n; i++) {
    int t = list[i], c = corner_of(m, t, node), out = (c + 2) % 3, in = 0;
    if (seen[3 * t + c]) continue;
    for (int s = 1; s < n; s++) {
      const int next = step_round(k, t, out, &in);
      if (next < 0 || next == list[i]) break;
      t = next, out = 3 - in - corner_of(m, next, node);
    }
    /* from the last one the other way round: out through the edge that is not `out` */
    for (out = 3 - out - corner_of(m, t, node); t >= 0 && !seen[3 * t + corner_of(m, t, node)];) {
      seen[3 * t + corner_of(m, t, node)] = true;
      ordered[done++] = t;
      t = step_round(k, t, out, &in);
      if (t >= 0) out = 3 - in - corner_of(m, t, node);
    }
    fans++;
  }
  memcpy(list, ordered, sizeof(int) * (size_t)n);
  return fans;
}

static bool find_fans(maker *k)
{
  const vvi_mesh *m = k->mesh;
  vvi_mesh_topology *top = k->top;
  bool *seen = VVI_ARENA_NEW(&k->scratch, bool, k->half);
  int *at = VVI_ARENA_NEW(&k->scratch, int, m->nodes), *ordered = VVI_ARENA_NEW(&k->scratch, int, k->half);
  if (seen == NULL || at == NULL || ordered == NULL) return false;
  for (int h = 0; h < k->half; h++) top->first[m->triangle[h] + 1]++;
  for (int i = 0; i < m->nodes; i++) top->first[i + 1] += top->first[i], at[i] = top->first[i];
  for (int h = 0; h < k->half; h++) top->around[at[m->triangle[h]]++] = h / 3;
  for (int i = 0; i < m->nodes; i++) {
    top->fans[i] = order_fans(k, i, seen, top->around + top->first[i], top->first[i + 1] - top->first[i], ordered);
    if (top->fans[i] > 1) top->manifold = false;
  }
  return true;
}

/* ---- pieces ---- */

static bool find_parts(maker *k)
{
  vvi_mesh_topology *top = k->top;
  int *stack = VVI_ARENA_NEW(&k->scratch, int, k->mesh->triangles);
  if (stack == NULL) return false;
  for (int t = 0; t < k->mesh->triangles; t++) top->part[t] = -1;
  for (int start = 0; start < k->mesh->triangles; start++) {
    if (top->part[start] >= 0) continue;
    int n = 0;
    stack[n++] = start;
    top->part[start] = top->parts;
    while (n > 0) {
      const int t = stack[--n];
      for (int c = 0; c < 3; c++) {
        const int next = top->neighbour[3 * t + c];
        if (next < 0 || top->part[next] >= 0) continue;
        top->part[next] = top->parts;
        stack[n++] = next;
      }
    }
    top->parts++;
  }
  return true;
}

/* ---- borders ---- */

/* The border half-edge that starts where h ends: clockwise round that node. */
static int next_on_border(const maker *k, int h)
{
  const int node = to_of(k->mesh, h);
  int t = h / 3, out = (corner_of(k->mesh, t, node) + 2) % 3;
  while (k->top->neighbour[3 * t + out] >= 0) {
    t = k->top->neighbour[3 * t + out];
    out = (corner_of(k->mesh, t, node) + 2) % 3;
  }
  return 3 * t + out;
}

static bool find_loops(maker *k, vvi_arena *arena)
{
  vvi_mesh_topology *top = k->top;
  int border = 0;
  bool branched = false;
  for (int e = 0; e < top->edges; e++) border += top->edge_uses[e] == 1, branched |= top->edge_uses[e] > 2;
  if (!top->oriented || branched) border = 0;
  bool *seen = VVI_ARENA_NEW(&k->scratch, bool, k->half);
  top->loop = VVI_ARENA_NEW(arena, int, border);
  top->loop_first = VVI_ARENA_NEW(arena, int, border + 1);
  if (seen == NULL || top->loop == NULL || top->loop_first == NULL) return false;
  int n = 0;
  for (int start = 0; border > 0 && start < k->half; start++) {
    if (top->neighbour[start] >= 0 || seen[start]) continue;
    for (int h = start; !seen[h]; h = next_on_border(k, h)) {
      seen[h] = true;
      top->loop[n++] = from_of(k->mesh, h);
    }
    top->loop_first[++top->loops] = n;
  }
  return true;
}

/* ---- the door ---- */

vv_status vvi_mesh_topology_of(vvi_arena *arena, const vvi_mesh *mesh, vvi_mesh_topology *out, char why[VVI_MESH_WHY])
{
  *out = (vvi_mesh_topology){.closed = true, .manifold = true, .oriented = true};
  if (mesh->triangles > VVI_MESH_MOST || mesh->nodes > VVI_MESH_MOST)
    return vvi_mesh_fail(why, VV_ARG, "a mesh may have %d triangles; use a coarser one", VVI_MESH_MOST);
  maker k = {.mesh = mesh, .top = out, .half = 3 * mesh->triangles};
  out->side = VVI_ARENA_NEW(arena, int, k.half);
  out->neighbour = VVI_ARENA_NEW(arena, int, k.half);
  out->around = VVI_ARENA_NEW(arena, int, k.half);
  out->valence = VVI_ARENA_NEW(arena, int, mesh->nodes);
  out->fans = VVI_ARENA_NEW(arena, int, mesh->nodes);
  out->first = VVI_ARENA_NEW(arena, int, mesh->nodes + 1);
  out->part = VVI_ARENA_NEW(arena, int, mesh->triangles);
  const bool ok = out->side != NULL && out->neighbour != NULL && out->around != NULL && out->valence != NULL &&
                  out->fans != NULL && out->first != NULL && out->part != NULL && find_edges(&k, arena) &&
                  find_fans(&k) && find_parts(&k) && find_loops(&k, arena);
  vvi_arena_free(&k.scratch);
  return ok ? VV_OK : vvi_mesh_no_memory(why);
}

int vvi_mesh_ring(const vvi_mesh *mesh, const vvi_mesh_topology *top, int node, int *ring)
{
  const int first = top->first[node], n = top->first[node + 1] - first;
  for (int i = 0; i < n; i++) {
    const int t = top->around[first + i], c = corner_of(mesh, t, node);
    ring[i] = mesh->triangle[3 * t + (c + 1) % 3];
    if (i == n - 1 && top->valence[node] > n) ring[n] = mesh->triangle[3 * t + (c + 2) % 3];
  }
  return top->valence[node];
}

/* ---- area, volume, sides ---- */

double vvi_mesh_area(const vvi_mesh *m)
{
  double sum = 0.0;
  for (int t = 0; t < m->triangles; t++) {
    const int *v = m->triangle + 3 * t;
    double n[3];
    vvi_triangle_normal(m->x + 3 * (int64_t)v[0], m->x + 3 * (int64_t)v[1], m->x + 3 * (int64_t)v[2], n);
    sum += 0.5 * vvi_norm3(n);
  }
  return sum;
}

/* Six times the tetrahedron of a triangle and `from`. */
static double tetrahedron(const vvi_mesh *m, int t, const double from[3])
{
  const int *v = m->triangle + 3 * t;
  double a[3], n[3];
  vvi_triangle_normal(m->x + 3 * (int64_t)v[0], m->x + 3 * (int64_t)v[1], m->x + 3 * (int64_t)v[2], n);
  vvi_sub3(m->x + 3 * (int64_t)v[0], from, a);
  return vvi_dot3(a, n);
}

double vvi_mesh_volume(const vvi_mesh *m)
{
  double sum = 0.0; /* from a node of the mesh: no cancellation far from the origin */
  for (int t = 0; t < m->triangles; t++) sum += tetrahedron(m, t, m->x + 3 * (int64_t)m->triangle[0]);
  return sum / 6.0;
}

/* Nodes that are rounded by eps times their largest coordinate sweep that times the area. */
bool vvi_mesh_flat(const vvi_mesh *m)
{
  double reach = 0.0;
  for (int64_t i = 0; i < 3 * (int64_t)m->nodes; i++) reach = fmax(reach, fabs(m->x[i]));
  return fabs(vvi_mesh_volume(m)) <= 16.0 * DBL_EPSILON * reach * vvi_mesh_area(m);
}

static void turn(vvi_mesh *m, int t)
{
  int *v = m->triangle + 3 * t;
  const int keep = v[1];
  v[1] = v[2], v[2] = keep;
}

/* Neighbours agree when one of them goes through the edge from its lower node to its higher, and the other back. */
static bool agrees(const vvi_mesh *m, const vvi_mesh_topology *top, const signed char *flip, int t, int c, int next)
{
  int back = 0;
  for (int i = 0; i < 3; i++)
    if (top->side[3 * next + i] == top->side[3 * t + c]) back = 3 * next + i;
  const bool same = from_of(m, 3 * t + c) == from_of(m, back);
  return same == (flip[t] != flip[next]);
}

/* flip[t]: 1 to be turned, 0 to stay, -1 not known yet.  Returns a triangle that cannot agree with its neighbours, or -1. */
static int decide(const vvi_mesh *m, const vvi_mesh_topology *top, signed char *flip, int *stack)
{
  memset(flip, -1, (size_t)m->triangles);
  for (int start = 0; start < m->triangles; start++) {
    if (flip[start] >= 0) continue;
    int n = 0;
    stack[n++] = start;
    flip[start] = 0;
    while (n > 0) {
      const int t = stack[--n];
      for (int c = 0; c < 3; c++) {
        const int next = top->neighbour[3 * t + c];
        if (next < 0) continue;
        if (flip[next] >= 0) {
          if (!agrees(m, top, flip, t, c, next)) return t;
          continue;
        }
        flip[next] = flip[t];
        if (!agrees(m, top, flip, t, c, next)) flip[next] = !flip[t];
        stack[n++] = next;
      }
    }
  }
  return -1;
}

static void turn_outwards(vvi_mesh *m, const vvi_mesh_topology *top, double *volume, bool *open, signed char *flip)
{
  for (int t = 0; t < m->triangles; t++) {
    volume[top->part[t]] += tetrahedron(m, t, m->x + 3 * (int64_t)m->triangle[0]);
    for (int c = 0; c < 3; c++) open[top->part[t]] |= top->neighbour[3 * t + c] < 0;
  }
  for (int t = 0; t < m->triangles; t++) {
    if (open[top->part[t]] || volume[top->part[t]] >= 0.0) continue;
    turn(m, t);
    flip[t] = !flip[t];
  }
}

vv_status vvi_mesh_orient(vvi_mesh *m, int *turned, char why[VVI_MESH_WHY])
{
  vvi_arena scratch = {0};
  vvi_mesh_topology top;
  *turned = 0;
  vv_status status = vvi_mesh_topology_of(&scratch, m, &top, why);
  signed char *flip = VVI_ARENA_NEW(&scratch, signed char, m->triangles);
  int *stack = VVI_ARENA_NEW(&scratch, int, m->triangles);
  double *volume = VVI_ARENA_NEW(&scratch, double, m->triangles);
  bool *open = VVI_ARENA_NEW(&scratch, bool, m->triangles);
  if (status == VV_OK && (flip == NULL || stack == NULL || volume == NULL || open == NULL))
    status = vvi_mesh_no_memory(why);
  if (status == VV_OK) {
    const int bad = decide(m, &top, flip, stack);
    if (bad >= 0)
      status = vvi_mesh_fail(why, VV_SCENE, "face %d: the surface has only one side, like a Moebius strip; cut it open",
                             m->face != NULL ? m->face[bad] : bad + 1);
  }
  if (status == VV_OK) {
    for (int t = 0; t < m->triangles; t++)
      if (flip[t] == 1) turn(m, t);
    turn_outwards(m, &top, volume, open, flip);
    for (int t = 0; t < m->triangles; t++) *turned += flip[t];
  }
  vvi_arena_free(&scratch);
  return status;
}
