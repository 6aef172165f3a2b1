/* geom/mesh/topology.c  Edges, neighbours, fans, pieces and borders of a mesh; which side of it is out.
 *
 * Half-edge h = 3 t + c is the edge of triangle t opposite to its corner c. */
#include "base/sort.h"
#include "geom/mesh/inside.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

typedef struct maker {
  const vvi_mesh *mesh;
  vvi_mesh_topology *top;
  vvi_arena scratch;
  int half;    /* half-edges */
  int *corner; /* [half] of each node: from top->first on */
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

/* ---- corners ---- */

enum { FEW = 32 }; /* corners of a node that are sorted where they stand */

static int ascending(const void *a, const void *b)
{
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static void sort_ascending(int *list, int n)
{
  if (n > FEW) {
    vvi_sort(list, (size_t)n, sizeof *list, ascending);
    return;
  }
  for (int i = 1; i < n; i++) {
    const int v = list[i];
    int j = i;
    for (; j > 0 && list[j - 1] > v; j--) list[j] = list[j - 1];
    list[j] = v;
  }
}

/* The corners 3 t + c at each node, ascending, from first[node] on.  Threads put them down as they come; then they are sorted. */
static bool list_corners(maker *k)
{
  const vvi_mesh *m = k->mesh;
  int *first = k->top->first, *at = VVI_ARENA_NEW(&k->scratch, int, m->nodes);
  k->corner = VVI_ARENA_NEW(&k->scratch, int, k->half);
  if (at == NULL || k->corner == NULL) return false;
#pragma omp parallel for schedule(static) if (k->half > VVI_MESH_MANY)
  for (int h = 0; h < k->half; h++)
#pragma omp atomic
    first[m->triangle[h] + 1]++;
  for (int i = 0; i < m->nodes; i++) at[i] = first[i], first[i + 1] += first[i];
#pragma omp parallel if (k->half > VVI_MESH_MANY)
  {
#pragma omp for schedule(static)
    for (int h = 0; h < k->half; h++) {
      int to;
#pragma omp atomic capture
      to = at[m->triangle[h]]++;
      k->corner[to] = h;
    }
#pragma omp for schedule(static)
    for (int i = 0; i < m->nodes; i++) sort_ascending(k->corner + first[i], first[i + 1] - first[i]);
  }
  return true;
}

/* ---- edges ---- */

/* A half-edge and the node at its other end. */
typedef struct spoke {
  int to, half;
} spoke;

static int by_end(const void *a, const void *b)
{
  const spoke *p = a, *q = b;
  return p->to != q->to ? (p->to > q->to) - (p->to < q->to) : (p->half > q->half) - (p->half < q->half);
}

static void sort_spokes(spoke *list, int n)
{
  if (n > 2 * FEW) {
    vvi_sort(list, (size_t)n, sizeof *list, by_end);
    return;
  }
  for (int i = 1; i < n; i++) {
    const spoke v = list[i];
    int j = i;
    for (; j > 0 && by_end(&list[j - 1], &v) > 0; j--) list[j] = list[j - 1];
    list[j] = v;
  }
}

/* The half-edges at a node by their other ends, those of one edge side by side, triangles ascending; two of each corner, of which
 * those to lower nodes may be left out.  Returns how many there are. */
static int list_spokes(const maker *k, int node, bool lower, spoke *out)
{
  int n = 0;
  for (int i = k->top->first[node]; i < k->top->first[node + 1]; i++) {
    const int t3 = k->corner[i] / 3 * 3, c = k->corner[i] % 3, next = (c + 1) % 3, last = (c + 2) % 3;
    const spoke on = {k->mesh->triangle[t3 + next], t3 + last}, back = {k->mesh->triangle[t3 + last], t3 + next};
    if (lower || on.to > node) out[n++] = on;
    if (lower || back.to > node) out[n++] = back;
  }
  sort_spokes(out, n);
  return n;
}

/* Room for the spokes of a node: `few`, or where there are many their place in `all`, most of which is never touched. */
static spoke *spoke_room(const maker *k, int node, spoke few[2 * FEW], spoke *all)
{
  const int first = k->top->first[node], n = k->top->first[node + 1] - first;
  return n <= FEW ? few : all + 2 * (int64_t)first;
}

/* Half-edges of one edge of so many triangles; a: its lower end. */
static void put_edge(const maker *k, int e, int a, const spoke *one, int uses)
{
  vvi_mesh_topology *top = k->top;
  top->edge[2 * e] = a, top->edge[2 * e + 1] = one->to;
  top->edge_uses[e] = uses;
  top->edge_triangle[2 * e] = one[0].half / 3;
  top->edge_triangle[2 * e + 1] = uses > 1 ? one[1].half / 3 : -1;
  for (int i = 0; i < uses; i++) {
    top->side[one[i].half] = e;
    top->neighbour[one[i].half] = uses == 2 ? one[1 - i].half / 3 : -1;
  }
}

/* How many spokes go to one end. */
static int same_end(const spoke *list, int i, int n)
{
  int uses = 1;
  while (i + uses < n && list[i + uses].to == list[i].to) uses++;
  return uses;
}

/* Edges of a node to higher ones, counted into from[node + 1]; its valence. */
static void count_edges(maker *k, spoke *all, int *from)
{
#pragma omp parallel for schedule(static) if (k->half > VVI_MESH_MANY)
  for (int a = 0; a < k->mesh->nodes; a++) {
    spoke few[2 * FEW], *list = spoke_room(k, a, few, all);
    const int n = list_spokes(k, a, true, list);
    for (int i = 0; i < n; i += same_end(list, i, n)) k->top->valence[a]++, from[a + 1] += list[i].to > a;
  }
  for (int i = 0; i < k->mesh->nodes; i++) from[i + 1] += from[i];
}

static void put_edges(maker *k, spoke *all, const int *from)
{
  bool closed = true, manifold = true, oriented = true;
#pragma omp parallel for schedule(static) reduction(&& : closed, manifold, oriented) if (k->half > VVI_MESH_MANY)
  for (int a = 0; a < k->mesh->nodes; a++) {
    spoke few[2 * FEW], *list = spoke_room(k, a, few, all);
    const int n = list_spokes(k, a, false, list);
    int e = from[a];
    for (int i = 0, uses; i < n; i += uses) {
      uses = same_end(list, i, n);
      put_edge(k, e++, a, list + i, uses);
      closed = closed && uses == 2, manifold = manifold && uses <= 2;
      if (uses == 2) oriented = oriented && from_of(k->mesh, list[i].half) != from_of(k->mesh, list[i + 1].half);
    }
  }
  k->top->closed = closed, k->top->manifold = manifold, k->top->oriented = oriented;
}

static bool find_edges(maker *k, vvi_arena *arena)
{
  vvi_mesh_topology *top = k->top;
  spoke *all = VVI_ARENA_NEW(&k->scratch, spoke, 2 * (int64_t)k->half);
  int *from = VVI_ARENA_NEW(&k->scratch, int, k->mesh->nodes + 1);
  if (all == NULL || from == NULL) return false;
  count_edges(k, all, from);
  top->edges = from[k->mesh->nodes];
  top->edge = VVI_ARENA_NEW(arena, int, 2 * (int64_t)top->edges);
  top->edge_triangle = VVI_ARENA_NEW(arena, int, 2 * (int64_t)top->edges);
  top->edge_uses = VVI_ARENA_NEW(arena, int, top->edges);
  if (top->edge == NULL || top->edge_triangle == NULL || top->edge_uses == NULL) return false;
  put_edges(k, all, from);
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

/* The triangles around one node, fan by fan, of its n corners.  Turning clockwise from any triangle ends at the
 * border or where it began; from there they are listed counterclockwise, as the first one sees it. */
static int order_fans(const maker *k, int node, bool *seen, const int *corner, int n, int *ordered)
{
  const vvi_mesh *m = k->mesh;
  int fans = 0, done = 0;
  for (int i = 0; i < n; i++) {
    const int start = corner[i] / 3;
    int t = start, out = (corner[i] + 2) % 3, in = 0;
    if (seen[corner[i]]) continue;
    for (int s = 1; s < n; s++) {
      const int next = step_round(k, t, out, &in);
      if (next < 0 || next == start) break;
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
  return fans;
}

static bool find_fans(maker *k)
{
  vvi_mesh_topology *top = k->top;
  bool *seen = VVI_ARENA_NEW(&k->scratch, bool, k->half), manifold = top->manifold;
  if (seen == NULL) return false;
#pragma omp parallel for schedule(static) reduction(&& : manifold) if (k->half > VVI_MESH_MANY)
  for (int i = 0; i < k->mesh->nodes; i++) {
    const int first = top->first[i];
    top->fans[i] = order_fans(k, i, seen, k->corner + first, top->first[i + 1] - first, top->around + first);
    manifold = manifold && top->fans[i] <= 1;
  }
  top->manifold = manifold;
  return true;
}

/* ---- pieces ---- */

/* Every triangle points to a lower one of its piece, or to itself.  Whoever comes first: a link only ever goes down, and ends at the
 * lowest of the piece when all sides are joined. */
static int lowest_of(atomic_int *up, int t)
{
  for (;;) {
    int one = atomic_load_explicit(&up[t], memory_order_relaxed);
    if (one == t) return t;
    const int two = atomic_load_explicit(&up[one], memory_order_relaxed);
    if (two != one)
      atomic_compare_exchange_weak_explicit(&up[t], &one, two, memory_order_relaxed, memory_order_relaxed);
    t = two;
  }
}

static void join_parts(atomic_int *up, int a, int b)
{
  for (;;) {
    a = lowest_of(up, a), b = lowest_of(up, b);
    if (a == b) return;
    int high = a > b ? a : b;
    const int low = a > b ? b : a, top = high;
    if (atomic_compare_exchange_strong_explicit(&up[top], &high, low, memory_order_relaxed, memory_order_relaxed))
      return;
  }
}

static bool find_parts(maker *k)
{
  const int n = k->mesh->triangles, *neighbour = k->top->neighbour;
  int *part = k->top->part;
  atomic_int *up = VVI_ARENA_NEW(&k->scratch, atomic_int, n);
  if (up == NULL) return false;
#pragma omp parallel if (n > VVI_MESH_MANY)
  {
#pragma omp for schedule(static)
    for (int t = 0; t < n; t++) atomic_init(&up[t], t);
#pragma omp for schedule(static)
    for (int t = 0; t < n; t++)
      for (int c = 0; c < 3; c++)
        if (neighbour[3 * t + c] >= 0 && neighbour[3 * t + c] < t) join_parts(up, t, neighbour[3 * t + c]);
#pragma omp for schedule(static)
    for (int t = 0; t < n; t++) part[t] = lowest_of(up, t);
  }
  for (int t = 0; t < n; t++) part[t] = part[t] == t ? k->top->parts++ : part[part[t]];
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

/* border: half-edges without a neighbour, all of which are followed. */
static bool trace_loops(maker *k, vvi_arena *arena, int border)
{
  vvi_mesh_topology *top = k->top;
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

static bool find_loops(maker *k, vvi_arena *arena)
{
  const vvi_mesh_topology *top = k->top;
  int border = 0;
  bool branched = false;
#pragma omp parallel for schedule(static) reduction(+ : border) reduction(|| : branched) if (k->half > VVI_MESH_MANY)
  for (int e = 0; e < top->edges; e++) border += top->edge_uses[e] == 1, branched = branched || top->edge_uses[e] > 2;
  return trace_loops(k, arena, top->oriented && !branched ? border : 0);
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
                  out->fans != NULL && out->first != NULL && out->part != NULL && list_corners(&k) &&
                  find_edges(&k, arena) && find_fans(&k) && find_loops(&k, arena) && find_parts(&k);
  vvi_arena_free(&k.scratch);
  return ok ? VV_OK : vvi_mesh_no_memory(why);
}

static void shed(int **array, int64_t n)
{
  if (*array != NULL) vvi_forget(*array, sizeof **array * (size_t)n);
  *array = NULL;
}

void vvi_mesh_topology_shed(const vvi_mesh *mesh, vvi_mesh_topology *top)
{
  shed(&top->edge, 2 * (int64_t)top->edges), shed(&top->edge_triangle, 2 * (int64_t)top->edges);
  shed(&top->edge_uses, top->edges), shed(&top->side, 3 * (int64_t)mesh->triangles);
  shed(&top->fans, mesh->nodes), shed(&top->part, mesh->triangles);
}

/* Around a node that is not on the border the lowest triangle comes last, as order_fans leaves it. */
static void renumber_fan(const int *now, int n, bool open, const int *in, int *out)
{
  int lowest = 0;
  for (int i = 0; i < n; i++)
    if (now[in[i]] < now[in[lowest]]) lowest = i;
  for (int i = 0; i < n; i++) out[i] = now[in[open ? i : (lowest + 1 + i) % n]];
}

vv_status vvi_mesh_topology_renumber(vvi_arena *arena, const vvi_mesh *mesh, const vvi_mesh_topology *in,
                                     const int *triangle_order, const int *node_order, vvi_mesh_topology *out,
                                     char why[VVI_MESH_WHY])
{
  *out = (vvi_mesh_topology){.closed = in->closed, .manifold = in->manifold, .oriented = in->oriented};
  maker k = {.mesh = mesh, .top = out, .half = 3 * mesh->triangles};
  int border = 0, *now = VVI_ARENA_NEW(&k.scratch, int, mesh->triangles);
  out->neighbour = VVI_ARENA_NEW(arena, int, k.half);
  out->around = VVI_ARENA_NEW(arena, int, k.half);
  out->valence = VVI_ARENA_NEW(arena, int, mesh->nodes);
  out->first = VVI_ARENA_NEW(arena, int, mesh->nodes + 1);
  bool ok = now != NULL && out->neighbour != NULL && out->around != NULL && out->valence != NULL && out->first != NULL;
  if (ok) {
#pragma omp parallel for schedule(static) if (k.half > VVI_MESH_MANY)
    for (int i = 0; i < mesh->nodes; i++) out->first[i + 1] = in->first[node_order[i] + 1] - in->first[node_order[i]];
    for (int i = 0; i < mesh->nodes; i++) out->first[i + 1] += out->first[i];
#pragma omp parallel if (k.half > VVI_MESH_MANY)
    {
#pragma omp for schedule(static)
      for (int t = 0; t < mesh->triangles; t++) now[triangle_order[t]] = t;
#pragma omp for schedule(static) reduction(+ : border)
      for (int h = 0; h < k.half; h++) {
        const int other = in->neighbour[3 * triangle_order[h / 3] + h % 3];
        out->neighbour[h] = other >= 0 ? now[other] : -1;
        border += other < 0;
      }
#pragma omp for schedule(static)
      for (int i = 0; i < mesh->nodes; i++) {
        const int old = node_order[i], n = out->first[i + 1] - out->first[i];
        out->valence[i] = in->valence[old];
        renumber_fan(now, n, in->valence[old] > n, in->around + in->first[old], out->around + out->first[i]);
      }
    }
    ok = trace_loops(&k, arena, in->loops > 0 ? border : 0);
  }
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
