/* contact/shapes/assemble.c  Edges, neighbours, owners and trees of the meshes that can touch. */
#include "contact/sheets.h"

#include "geom/halve.h"
#include "math/math.h"

#include <stdlib.h>
#include <string.h>

enum { LEAF = VVI_SHEET_LEAF };

/* ---- trees: elements halved by the longest extent of their middles ---- */

typedef struct planter {
  const double *middle;   /* [elements][3] */
  int32_t *order;         /* elements, rearranged */
  vvi_sheet_branch *node; /* NULL: only counting */
  int32_t n;
} planter;

static void plant(planter *p, int32_t at, int32_t lo, int32_t hi)
{
  p->node[at] = (vvi_sheet_branch){.first = lo, .n = hi - lo};
  if (hi - lo <= LEAF) return;
  const int32_t mid = lo + (hi - lo) / 2, child = p->n;
  vvi_halve(p->middle, 1, p->order + lo, hi - lo, mid - lo);
  p->node[at].child = child;
  p->n += 2;
  plant(p, child, lo, mid);
  plant(p, child + 1, mid, hi);
}

/* Nodes of a tree over n elements. */
static int32_t tree_size(int32_t n)
{
  return n <= LEAF ? 1 : 1 + tree_size(n / 2) + tree_size(n - n / 2);
}

/* ---- edges ---- */

typedef struct use {
  int32_t a, b, element, corner; /* a < b; opposite corner */
} use;

static int by_ends(const void *x, const void *y)
{
  const use *u = x, *v = y;
  if (u->a != v->a) return u->a < v->a ? -1 : 1;
  if (u->b != v->b) return u->b < v->b ? -1 : 1;
  if (u->element != v->element) return u->element < v->element ? -1 : 1;
  return u->corner - v->corner;
}

static int64_t list_uses(const struct vvi_sheets *s, const vvi_sheet_body *b, use *out)
{
  int64_t n = 0;
  for (int32_t e = b->element0; e < b->element0 + b->elements; e++)
    for (int i = 0; i < 3; i++) {
      const int32_t u = s->element[3 * (int64_t)e + (i + 1) % 3], v = s->element[3 * (int64_t)e + (i + 2) % 3];
      if (u < 0 || v < 0) continue;
      out[n++] = (use){u < v ? u : v, u < v ? v : u, e, i};
    }
  return n;
}

static void number_edges(struct vvi_sheets *s, const use *u, int64_t n)
{
  for (int64_t k = 0; k < n; k++) {
    if (k == 0 || u[k].a != u[k - 1].a || u[k].b != u[k - 1].b) {
      const int32_t e = s->n_edge++;
      s->edge[2 * e] = u[k].a, s->edge[2 * e + 1] = u[k].b;
      s->side[2 * e] = s->side[2 * e + 1] = -1;
      s->side_element[2 * e] = s->side_element[2 * e + 1] = -1;
      s->own[u[k].element] |= (unsigned char)(8 << u[k].corner);
    }
    const int32_t e = s->n_edge - 1, opposite = s->element[3 * u[k].element + u[k].corner];
    s->element_edge[3 * u[k].element + u[k].corner] = e;
    if (opposite < 0) continue;
    const int32_t side = 2 * e + (s->side[2 * e] >= 0);
    if (s->side[side] < 0) s->side[side] = opposite, s->side_element[side] = u[k].element;
  }
}

/* Edges of a body get new numbers in the order of the elements that list them; old: 7 numbers for each. */
static void sort_edges(struct vvi_sheets *s, const vvi_sheet_body *b, int32_t first, int32_t *old)
{
  const int32_t n = s->n_edge - first;
  int32_t *to = old + 6 * (int64_t)n, count = first;
  memcpy(old, s->edge + 2 * (int64_t)first, sizeof *old * 2 * (size_t)n);
  memcpy(old + 2 * (int64_t)n, s->side + 2 * (int64_t)first, sizeof *old * 2 * (size_t)n);
  memcpy(old + 4 * (int64_t)n, s->side_element + 2 * (int64_t)first, sizeof *old * 2 * (size_t)n);
  for (int32_t e = b->element0; e < b->element0 + b->elements; e++) {
    s->edge0[e] = count;
    for (int i = 0; i < 3; i++)
      if ((s->own[e] >> (3 + i) & 1) != 0) to[s->element_edge[3 * (int64_t)e + i] - first] = count++;
  }
  for (int64_t k = 0; k < 2 * (int64_t)n; k++) {
    const int64_t at = 2 * (int64_t)to[k / 2] + k % 2;
    s->edge[at] = old[k], s->side[at] = old[2 * (int64_t)n + k], s->side_element[at] = old[4 * (int64_t)n + k];
  }
  for (int64_t i = 3 * (int64_t)b->element0; i < 3 * (int64_t)(b->element0 + b->elements); i++)
    if (s->element_edge[i] >= 0) s->element_edge[i] = to[s->element_edge[i] - first];
}

static vv_status find_rings(vvi_arena *arena, struct vvi_sheets *s)
{
  s->ring = VVI_ARENA_NEW(arena, int32_t, 2 * (int64_t)s->n_edge + 1);
  if (s->ring == NULL) return VV_NOMEM;
  for (int32_t k = 0; k < 2 * s->n_edge; k++) s->ring0[s->edge[k] + 1]++;
  for (int32_t v = 0; v < s->n_vertex; v++) s->ring0[v + 1] += s->ring0[v];
  for (int32_t k = 0; k < 2 * s->n_edge; k++) s->ring[s->ring0[s->edge[k]]++] = s->edge[k ^ 1];
  for (int32_t v = s->n_vertex; v > 0; v--) s->ring0[v] = s->ring0[v - 1];
  s->ring0[0] = 0;
  return VV_OK;
}

/* Body by body: none shares a vertex with another. */
static vv_status join_edges(struct vvi_sheets *s)
{
  int64_t most = 0;
  for (int32_t i = 0; i < s->n_body; i++) most = s->body[i].elements > most ? s->body[i].elements : most;
  use *u = malloc(sizeof(use) * (size_t)(3 * most + 1));
  int32_t *old = malloc(sizeof *old * (size_t)(21 * most + 1));
  for (int32_t i = 0; u != NULL && old != NULL && i < s->n_body; i++) {
    const vvi_sheet_body *b = &s->body[i];
    const int32_t first = s->n_edge;
    const int64_t n = list_uses(s, b, u);
    qsort(u, (size_t)n, sizeof *u, by_ends);
    number_edges(s, u, n);
    sort_edges(s, b, first, old);
  }
  s->edge0[s->n_element] = s->n_edge;
  const vv_status status = u == NULL || old == NULL ? VV_NOMEM : VV_OK;
  free(u);
  free(old);
  return status;
}

/* ---- slices ---- */

static void count(struct vvi_sheets *s, int32_t n, const vvi_sheet_part *part, int64_t *stencils)
{
  for (int32_t i = 0; i < n; i++) {
    s->body[i] = part[i].body;
    vvi_sheet_body *b = &s->body[i];
    b->vertex0 = s->n_vertex, b->vertices = part[i].vertices;
    b->element0 = s->n_element, b->elements = part[i].elements;
    b->mover0 = b->shares > 0 ? s->body[i - b->shares].mover0 : s->n_mover;
    s->rigid |= b->rigid, s->turns |= b->turns;
    b->tree0 = s->n_tree, b->trees = part[i].elements > 0 ? tree_size(part[i].elements) : 0;
    s->n_vertex += b->vertices, s->n_element += b->elements, s->n_tree += b->trees;
    if (b->shares == 0) s->n_mover += b->movers;
    if (b->loose) *stencils += part[i].stencil0[part[i].vertices];
  }
}

static vv_status allocate(vvi_arena *arena, struct vvi_sheets *s, int64_t stencils)
{
  const int64_t v = s->n_vertex, e = s->n_element;
  s->body_of = VVI_ARENA_NEW(arena, int32_t, v + 1), s->mover = VVI_ARENA_NEW(arena, int32_t, v + 1);
  s->element = VVI_ARENA_NEW(arena, int32_t, 3 * e + 1), s->element_edge = VVI_ARENA_NEW(arena, int32_t, 3 * e + 1);
  s->own = VVI_ARENA_NEW(arena, unsigned char, e + 1);
  s->edge = VVI_ARENA_NEW(arena, int32_t, 6 * e + 1), s->side = VVI_ARENA_NEW(arena, int32_t, 6 * e + 1);
  s->vertex_of = VVI_ARENA_NEW(arena, int32_t, v + 1), s->vertex0 = VVI_ARENA_NEW(arena, int32_t, e + 2);
  s->edge0 = VVI_ARENA_NEW(arena, int32_t, e + 2);
  if (s->vertex_of == NULL || s->vertex0 == NULL || s->edge0 == NULL) return VV_NOMEM;
  s->side_element = VVI_ARENA_NEW(arena, int32_t, 6 * e + 1);
  s->ring0 = VVI_ARENA_NEW(arena, int32_t, v + 2), s->tree = VVI_ARENA_NEW(arena, vvi_sheet_branch, s->n_tree + 1);
  s->fixed = VVI_ARENA_NEW(arena, double, 3 * v + 1), s->arm = VVI_ARENA_NEW(arena, double, 3 * v + 1);
  s->inverse = VVI_ARENA_NEW(arena, double, s->n_mover + 1);
  s->held = VVI_ARENA_NEW(arena, unsigned char, s->n_mover + 1);
  s->body_of_mover = VVI_ARENA_NEW(arena, int32_t, s->n_mover + 1);
  s->stencil0 = VVI_ARENA_NEW(arena, int32_t, v + 2), s->stencil = VVI_ARENA_NEW(arena, int32_t, stencils + 1);
  s->weight = VVI_ARENA_NEW(arena, double, stencils + 1);
  if (s->body_of == NULL || s->mover == NULL || s->element == NULL || s->element_edge == NULL) return VV_NOMEM;
  if (s->own == NULL || s->edge == NULL || s->side == NULL || s->ring0 == NULL || s->tree == NULL) return VV_NOMEM;
  if (s->fixed == NULL || s->arm == NULL || s->inverse == NULL || s->held == NULL) return VV_NOMEM;
  if (s->body_of_mover == NULL || s->side_element == NULL) return VV_NOMEM;
  return s->stencil0 == NULL || s->stencil == NULL || s->weight == NULL ? VV_NOMEM : VV_OK;
}

static void fill_vertices(struct vvi_sheets *s, int32_t i, const vvi_sheet_part *part)
{
  vvi_sheet_body *b = &s->body[i];
  b->swing = 1.0;
  for (int32_t k = 0; k < b->vertices; k++) {
    const int32_t v = b->vertex0 + k;
    double sizes = 0.0;
    s->body_of[v] = i;
    s->mover[v] = b->carrier == VVI_CARRY_NONE ? -1 : b->mover0 + (part->mover != NULL ? part->mover[k] : k);
    for (int c = 0; c < 3; c++) s->fixed[3 * (int64_t)v + c] = part->x[3 * (int64_t)k + c];
    for (int c = 0; part->arm != NULL && c < 3; c++) s->arm[3 * (int64_t)v + c] = part->arm[3 * (int64_t)k + c];
    s->stencil0[v + 1] = s->stencil0[v];
    for (int32_t j = b->loose ? part->stencil0[k] : 0; b->loose && j < part->stencil0[k + 1]; j++) {
      s->stencil[s->stencil0[v + 1]] = b->mover0 + part->stencil[j];
      s->weight[s->stencil0[v + 1]++] = part->weight[j];
      sizes += fabs(part->weight[j]);
    }
    b->swing = fmax(b->swing, sizes);
  }
  for (int32_t k = 0; b->shares == 0 && k < b->movers; k++) {
    s->inverse[b->mover0 + k] = part->inverse != NULL ? part->inverse[k] : 0.0;
    s->held[b->mover0 + k] = part->held != NULL ? part->held[k] : 0;
    s->body_of_mover[b->mover0 + k] = i;
  }
}

/* Elements in the order of the tree. */
static vv_status fill_elements(struct vvi_sheets *s, int32_t i, const vvi_sheet_part *part)
{
  const vvi_sheet_body *b = &s->body[i];
  if (b->elements == 0) return VV_OK;
  double *middle = calloc((size_t)(3 * (int64_t)b->elements), sizeof *middle);
  int32_t *order = calloc((size_t)b->elements, sizeof *order);
  if (middle != NULL && order != NULL) {
    for (int32_t e = 0; e < b->elements; e++) {
      int corners = 0;
      order[e] = e;
      for (int k = 0; k < 3; k++) corners += part->element[3 * (int64_t)e + k] >= 0;
      for (int k = 0; k < corners; k++)
        for (int c = 0; c < 3; c++)
          middle[3 * (int64_t)e + c] += part->x[3 * (int64_t)part->element[3 * (int64_t)e + k] + c] / corners;
    }
    planter p = {.middle = middle, .order = order, .node = s->tree + b->tree0, .n = 1};
    plant(&p, 0, 0, b->elements);
    for (int32_t k = 0; k < b->trees; k++) {
      s->tree[b->tree0 + k].first += b->element0;
      if (s->tree[b->tree0 + k].child > 0) s->tree[b->tree0 + k].child += b->tree0;
    }
    for (int32_t e = 0; e < b->elements; e++)
      for (int k = 0; k < 3; k++) {
        const int32_t v = part->element[3 * (int64_t)order[e] + k];
        s->element[3 * (int64_t)(b->element0 + e) + k] = v < 0 ? -1 : b->vertex0 + v;
        s->element_edge[3 * (int64_t)(b->element0 + e) + k] = -1;
      }
  }
  const vv_status status = middle == NULL || order == NULL ? VV_NOMEM : VV_OK;
  free(middle);
  free(order);
  return status;
}

/* Each vertex and each edge is listed from the first element that has it. */
static vv_status own_vertices(struct vvi_sheets *s)
{
  unsigned char *seen = calloc((size_t)s->n_vertex + 1, 1);
  if (seen == NULL) return VV_NOMEM;
  int32_t count = 0;
  for (int32_t e = 0; e < s->n_element; e++) {
    s->vertex0[e] = count;
    for (int k = 0; k < 3; k++) {
      const int32_t v = s->element[3 * (int64_t)e + k];
      if (v < 0 || seen[v]) continue;
      seen[v] = 1;
      s->own[e] |= (unsigned char)(1 << k);
      s->vertex_of[count++] = v;
    }
  }
  s->vertex0[s->n_element] = count;
  free(seen);
  return VV_OK;
}

/* The smallest mean edge of a body; rigid ones have edges of any length, tips none: theirs counts where there is no other. */
static void measure_edges(struct vvi_sheets *s)
{
  s->edge_length = INFINITY;
  for (int32_t i = 0; i < s->n_body; i++) s->body[i].edge = INFINITY;
  for (int32_t e = 0; e < s->n_edge;) {
    const int32_t b = s->body_of[s->edge[2 * e]];
    double sum = 0.0;
    int32_t n = 0;
    for (; e < s->n_edge && s->body_of[s->edge[2 * e]] == b; e++, n++) {
      const double *x = s->fixed + 3 * (int64_t)s->edge[2 * e], *y = s->fixed + 3 * (int64_t)s->edge[2 * e + 1];
      const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
      sum += vvi_norm3(d);
    }
    if (!s->body[b].rigid && !s->body[b].form && s->body[b].tip == NULL) s->body[b].edge = sum / n;
    s->edge_length = fmin(s->edge_length, s->body[b].edge);
  }
  const bool alone = !(s->edge_length < INFINITY);
  for (int32_t i = 0; alone && i < s->n_body; i++)
    if (s->body[i].tip != NULL) s->edge_length = fmin(s->edge_length, s->body[i].length);
}

double vvi_sheets_edge(const struct vvi_sheets *s, int32_t a, int32_t b)
{
  const vvi_sheet_body *k[2] = {&s->body[a], &s->body[b]};
  double edge = fmin(k[0]->edge, k[1]->edge);
  for (int i = 0; i < 2 && !(fmin(k[0]->edge, k[1]->edge) < INFINITY); i++)
    if (k[i]->tip != NULL) edge = fmin(edge, k[i]->length);
  return edge < INFINITY ? edge : s->edge_length;
}

vv_status vvi_sheets_assemble(vvi_arena *arena, int32_t n, const vvi_sheet_part *part, struct vvi_sheets *out)
{
  int64_t stencils = 0;
  struct vvi_sheets *s = out;
  *s = (struct vvi_sheets){.n_body = n, .closest = INFINITY};
  if ((s->body = VVI_ARENA_NEW(arena, vvi_sheet_body, n + 1)) == NULL) return VV_NOMEM;
  count(s, n, part, &stencils);
  VV_TRY(allocate(arena, s, stencils));
  for (int32_t i = 0; i < n; i++) {
    fill_vertices(s, i, &part[i]);
    VV_TRY(fill_elements(s, i, &part[i]));
  }
  VV_TRY(own_vertices(s));
  VV_TRY(join_edges(s));
  VV_TRY(find_rings(arena, s));
  measure_edges(s);
  return VV_OK;
}
