/* contact/sheets/stencil.c  Vertices that are sums of nodes: the surface of a kind, asked node by node. */
#include "contact/sheets/stencil.h"

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

static double weight_of(asker *k, int64_t v, int32_t node)
{
  double x[3];
  k->q[k->patch->node + node] = 1.0;
  k->block->kind->surface(k->block, k->q, 1, &k->corner[v], x);
  k->q[k->patch->node + node] = 0.0;
  return x[0];
}

/* Weights of vertex v on the nodes up to three rings away; false: others have a part in it too.  All of them are asked: at
 * a border some weights are negative, and a sum of 1 does not mean that the rest is zero. */
static bool ask(asker *k, int64_t v, int32_t *node, double *weight, int *n)
{
  int32_t set[MOST];
  double sum = 0.0;
  int many = add_ring(k, v, set, 0);
  for (int ring = 0, done = 0; ring < 2; ring++)
    for (const int end = many; done < end; done++) many = add_ring(k, set[done], set, many);
  *n = 0;
  for (int i = 0; i < many; i++) {
    const double w = weight_of(k, v, set[i]);
    if (w == 0.0) continue;
    node[*n] = set[i], weight[*n] = w;
    ++*n, sum += w;
  }
  return fabs(sum - 1.0) <= 1e-12;
}

static vv_status ask_all(asker *k, vvi_arena *arena, vvi_sheet_part *part)
{
  const int64_t n = k->patch->nodes;
  int64_t used = 0;
  int32_t *first = VVI_ARENA_NEW(arena, int32_t, n + 1), *node = VVI_ARENA_NEW(arena, int32_t, 24 * n + MOST);
  double *weight = VVI_ARENA_NEW(arena, double, 24 * n + MOST);
  if (first == NULL || node == NULL || weight == NULL) return VV_NOMEM;
  for (int64_t v = 0; v < n; v++) {
    int many;
    if (!ask(k, v, node + used, weight + used, &many) || many > VVI_SHEET_STENCIL || used + many > 24 * n)
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
    loose |= weight_of(&k, v, (int32_t)v) != 1.0;
  }
  if (status == VV_OK && loose) status = ask_all(&k, arena, part);
  close_asker(&k);
  return status;
}
