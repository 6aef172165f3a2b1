/* contact/shapes/stencil.c  Vertices that are sums of nodes: the surface of a kind, asked node by node. */
#include "contact/shapes/stencil.h"

#include "math/math.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 400 }; /* nodes asked for one vertex */

typedef struct asker {
  const vv_block *block;
  const vv_patch *patch;
  int32_t local;
  vv_point *corner;      /* [nodes] a point of the surface where the vertex is */
  int32_t *ring0, *ring; /* triangles at a node, by their first corners: elements */
  double *q;             /* of the block, zero but for the node that is asked; of the caller */
} asker;

static vv_status open_asker(asker *k)
{
  const vv_patch *p = k->patch;
  const int32_t *corner = k->block->element_node + 3 * p->element;
  k->corner = calloc((size_t)p->nodes + 1, sizeof *k->corner);
  k->ring0 = calloc((size_t)p->nodes + 2, sizeof *k->ring0);
  k->ring = calloc((size_t)(3 * p->elements) + 1, sizeof *k->ring);
  if (k->corner == NULL || k->ring0 == NULL || k->ring == NULL) return VV_NOMEM;
  for (int64_t i = 0; i < 3 * p->elements; i++) k->ring0[corner[i] - p->node + 2]++;
  for (int64_t i = 0; i < p->nodes; i++) k->ring0[i + 2] += k->ring0[i + 1];
  for (int64_t i = 0; i < 3 * p->elements; i++) {
    const int64_t v = corner[i] - p->node;
    k->ring[k->ring0[v + 1]++] = (int32_t)(i / 3);
    k->corner[v] = (vv_point){.patch = k->local, .element = (int32_t)(i / 3), .xi = {i % 3 == 1, i % 3 == 2}};
  }
  return VV_OK;
}

static void close_asker(asker *k)
{
  free(k->corner), free(k->ring0), free(k->ring);
}

/* Adds the corners of the triangles at node v to a set. */
static int add_ring(const asker *k, int64_t v, int32_t *set, int n)
{
  const int32_t *corner = k->block->element_node + 3 * k->patch->element;
  for (int32_t i = k->ring0[v]; i < k->ring0[v + 1]; i++)
    for (int c = 0; c < 3 && n < MOST; c++) {
      const int32_t node = (int32_t)(corner[3 * k->ring[i] + c] - k->patch->node);
      int j = 0;
      while (j < n && set[j] != node) j++;
      if (j == n) set[n++] = node;
    }
  return n;
}

static double weight_of(asker *k, const vv_point *pt, int32_t node)
{
  double x[3];
  vvi_place_put(k->block, k->patch->node + node, (const double[3]){1.0, 0.0, 0.0}, k->q);
  k->block->kind->surface(k->block, k->q, 1, pt, x);
  vvi_place_put(k->block, k->patch->node + node, (const double[3]){0.0, 0.0, 0.0}, k->q);
  return x[0];
}

/* Weights of a point on the nodes up to three rings away; false: others have a part in it too.  All of them are asked: at
 * a border some weights are negative, and a sum of 1 does not mean that the rest is zero. */
static bool ask(asker *k, const vv_point *pt, int32_t *node, double *weight, int *n)
{
  const int32_t *corner = k->block->element_node + 3 * (k->patch->element + pt->element);
  int32_t set[MOST];
  double sum = 0.0;
  int many = 0;
  for (int c = 0; c < 3; c++) /* of a corner its own triangles alone */
    if (pt->xi[0] + pt->xi[1] == 0.0 ? c == 0 : pt->xi[0] == 1.0 ? c == 1 : pt->xi[1] == 1.0 ? c == 2 : true)
      many = add_ring(k, corner[c] - k->patch->node, set, many);
  for (int ring = 0, done = 0; ring < 2; ring++)
    for (const int end = many; done < end; done++) many = add_ring(k, set[done], set, many);
  *n = 0;
  for (int i = 0; i < many; i++) {
    const double w = weight_of(k, pt, set[i]);
    if (w == 0.0) continue;
    node[*n] = set[i], weight[*n] = w;
    ++*n, sum += w;
  }
  return fabs(sum - 1.0) <= 1e-12;
}

static vv_status ask_all(asker *k, vvi_arena *arena, int64_t n, const vv_point *pt, vvi_sheet_part *part)
{
  int64_t used = 0;
  int32_t *first = VVI_ARENA_NEW(arena, int32_t, n + 1), *node = VVI_ARENA_NEW(arena, int32_t, 24 * n + MOST);
  double *weight = VVI_ARENA_NEW(arena, double, 24 * n + MOST);
  if (first == NULL || node == NULL || weight == NULL) return VV_NOMEM;
  for (int64_t v = 0; v < n; v++) {
    int many;
    if (!ask(k, &pt[v], node + used, weight + used, &many) || many > VVI_SHEET_STENCIL || used + many > 24 * n)
      return VV_UNSUPPORTED;
    first[v + 1] = (int32_t)(used += many);
  }
  part->body.loose = true;
  part->stencil0 = first, part->stencil = node, part->weight = weight;
  return VV_OK;
}

vv_status vvi_sheet_stencils(vvi_arena *arena, const vv_block *b, int32_t local, const double *q, double *zero,
                             double *x, vvi_sheet_part *part)
{
  asker k = {.block = b, .patch = &b->patch[local], .local = local, .q = zero};
  const int64_t n = k.patch->nodes;
  bool loose = false;
  vv_status status = open_asker(&k);
  for (int64_t v = 0; status == VV_OK && v < n; v++) {
    b->kind->surface(b, q, 1, &k.corner[v], x + 3 * v);
    loose |= weight_of(&k, &k.corner[v], (int32_t)v) != 1.0;
  }
  if (status == VV_OK && loose) status = ask_all(&k, arena, n, k.corner, part);
  close_asker(&k);
  return status;
}

/* ---- triangles cut into pieces ---- */

/* One side of a triangle, from its smaller node to its larger one. */
typedef struct half_edge {
  int32_t low, high, place; /* place: 3 element + side; side s lies between corners s and s + 1 */
} half_edge;

static int by_nodes(const void *x, const void *y)
{
  const half_edge *a = x, *b = y;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  if (a->high != b->high) return a->high < b->high ? -1 : 1;
  return (a->place > b->place) - (a->place < b->place);
}

/* of[3 elements]: the number of each side; returns how many there are, -1: no memory. */
static int32_t number_sides(const vv_block *b, const vv_patch *p, int32_t *of)
{
  const int64_t n = 3 * p->elements;
  half_edge *e = calloc((size_t)n + 1, sizeof *e);
  int32_t count = 0;
  if (e == NULL) return -1;
  for (int64_t i = 0; i < n; i++) {
    const int32_t *c = b->element_node + 3 * (p->element + i / 3);
    const int32_t u = c[i % 3], v = c[(i + 1) % 3];
    e[i] = (half_edge){.low = u < v ? u : v, .high = u < v ? v : u, .place = (int32_t)i};
  }
  qsort(e, (size_t)n, sizeof *e, by_nodes);
  for (int64_t i = 0; i < n; i++) {
    if (i > 0 && (e[i].low != e[i - 1].low || e[i].high != e[i - 1].high)) count++;
    of[e[i].place] = count;
  }
  free(e);
  return n > 0 ? count + 1 : 0;
}

/* The vertex at point i, j of an element cut into m pieces: its corners are nodes, then come the sides, from their smaller node
 * on, then what is inside. */
typedef struct cut_mesh {
  const vv_block *block;
  const vv_patch *patch;
  const int32_t *side;
  int32_t sides;
  int m;
} cut_mesh;

static int32_t vertex_at(const cut_mesh *k, int64_t element, int i, int j)
{
  const int32_t *c = k->block->element_node + 3 * (k->patch->element + element);
  const int m = k->m, at[3] = {m - i - j, i, j};
  for (int s = 0; s < 3; s++) {
    const int a = s, b = (s + 1) % 3;
    if (at[a] == m) return (int32_t)(c[a] - k->patch->node);
    if (at[(s + 2) % 3] != 0 || at[b] == m) continue;
    const int from = c[a] < c[b] ? at[b] : at[a]; /* steps from the smaller node */
    return (int32_t)k->patch->nodes + k->side[3 * element + s] * (m - 1) + from - 1;
  }
  const int inner = (m - 1) * (m - 2) / 2, row = j - 1;
  return (int32_t)(k->patch->nodes + (int64_t)k->sides * (m - 1) + element * inner) + row * (m - 2) -
         row * (row - 1) / 2 + i - 1;
}

static void cut_element(const cut_mesh *k, int64_t e, int32_t local, int32_t *triangle, vv_point *pt, int32_t *mover)
{
  const int32_t *c = k->block->element_node + 3 * (k->patch->element + e);
  int n = 0;
  for (int j = 0; j <= k->m; j++)
    for (int i = 0; i + j <= k->m; i++) {
      const int32_t v = vertex_at(k, e, i, j);
      const int nearest = 2 * i > k->m ? 1 : 2 * j > k->m ? 2 : 0;
      pt[v] = (vv_point){.patch = local, .element = (int32_t)e, .xi = {(double)i / k->m, (double)j / k->m}};
      mover[v] = (int32_t)(c[nearest] - k->patch->node);
      if (i + j == k->m) continue;
      int32_t *t = triangle + 3 * n++;
      t[0] = v, t[1] = vertex_at(k, e, i + 1, j), t[2] = vertex_at(k, e, i, j + 1);
      if (i + j + 1 == k->m) continue;
      t = triangle + 3 * n++;
      t[0] = vertex_at(k, e, i + 1, j), t[1] = vertex_at(k, e, i + 1, j + 1), t[2] = vertex_at(k, e, i, j + 1);
    }
}

vv_status vvi_sheet_cut(vvi_arena *arena, const vv_block *b, int32_t local, const double *q, double *zero,
                        vvi_sheet_part *part)
{
  const vv_patch *p = &b->patch[local];
  const int m = p->pieces;
  asker a = {.block = b, .patch = p, .local = local, .q = zero};
  int32_t *side = VVI_ARENA_NEW(arena, int32_t, 3 * p->elements + 1);
  cut_mesh k = {.block = b, .patch = p, .side = side, .m = m};
  if (side == NULL || (k.sides = number_sides(b, p, side)) < 0) return VV_NOMEM;
  const int64_t n = p->nodes + (int64_t)k.sides * (m - 1) + p->elements * ((m - 1) * (m - 2) / 2);
  if (n > INT32_MAX / 64) return VV_UNSUPPORTED;
  int32_t *triangle = VVI_ARENA_NEW(arena, int32_t, 3 * m * m * p->elements),
          *mover = VVI_ARENA_NEW(arena, int32_t, n + 1);
  vv_point *pt = VVI_ARENA_NEW(arena, vv_point, n + 1);
  double *x = VVI_ARENA_NEW(arena, double, 3 * n + 1);
  if (triangle == NULL || mover == NULL || pt == NULL || x == NULL) return VV_NOMEM;
  for (int64_t e = 0; e < p->elements; e++) cut_element(&k, e, local, triangle + 3 * m * m * e, pt, mover);
  vv_status status = open_asker(&a);
  for (int64_t v = 0; status == VV_OK && v < n; v++) b->kind->surface(b, q, 1, &pt[v], x + 3 * v);
  if (status == VV_OK) status = ask_all(&a, arena, n, pt, part);
  close_asker(&a);
  part->vertices = (int32_t)n, part->elements = (int32_t)(m * m * p->elements);
  part->element = triangle, part->x = x, part->mover = mover;
  return status;
}
