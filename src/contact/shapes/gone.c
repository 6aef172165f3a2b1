/* contact/shapes/gone.c  Elements that have broken touch nothing any more; nor do edges and vertices of which nothing is left.
 * Nodes inside of a bar meet nothing until they are ends of pieces. */
#include "contact/broad/search.h"

#include <stdlib.h>
#include <string.h>

static bool can_break(const vvi_sheet_body *b)
{
  return b->block != NULL && b->block->breaks && !b->rigid && (b->tip == NULL || vvi_patch_sleeps(b->tip));
}

static const vv_body *body_of(const vvi_sheet_body *b)
{
  int32_t j = 0;
  while (b->block->body[j]->index != b->body) j++;
  return b->block->body[j];
}

/* Nodes of its block that an element hangs on, each once. */
static int nodes_of(const struct vvi_sheets *s, const vvi_sheet_body *b, int32_t element, int64_t node[3])
{
  int n = 0;
  for (int i = 0; i < 3; i++) {
    const int32_t v = s->element[3 * (int64_t)element + i];
    if (v < 0 || s->mover[v] < 0) continue;
    const int64_t at = b->node0 + s->mover[v] - b->mover0;
    bool known = false;
    for (int k = 0; k < n; k++) known |= node[k] == at;
    if (!known) node[n++] = at;
  }
  return n;
}

/* The element of the block with these nodes; -1: none.  first, list: elements around a node. */
static int32_t element_with(const vv_block *b, int n, const int64_t node[3], const int32_t *first, const int32_t *list)
{
  const int corners = b->kind->element_nodes;
  for (int32_t i = first[node[0]]; n > 1 && i < first[node[0] + 1]; i++) {
    const int32_t *at = b->element_node + (int64_t)corners * list[i];
    int found = 0;
    for (int k = 0; k < n; k++)
      for (int c = 0; c < corners; c++) found += at[c] == node[k];
    if (found == n) return list[i];
  }
  return -1;
}

/* [nodes + 2], [corners of all elements] */
static vv_status list_around(const vv_block *b, int32_t **first, int32_t **list)
{
  const int64_t n = b->kind->element_nodes * b->elements;
  *first = calloc((size_t)b->nodes + 2, sizeof **first), *list = calloc((size_t)n + 1, sizeof **list);
  if (*first == NULL || *list == NULL) return VV_NOMEM;
  for (int64_t i = 0; i < n; i++) (*first)[b->element_node[i] + 2]++;
  for (int64_t i = 2; i <= b->nodes + 1; i++) (*first)[i] += (*first)[i - 1];
  for (int64_t i = 0; i < n; i++) (*list)[(*first)[b->element_node[i] + 1]++] = (int32_t)(i / b->kind->element_nodes);
  return VV_OK;
}

/* A beam with corners; its nodes are its movers. */
static bool is_prism(const vvi_sheet_body *b)
{
  return b->turns && !b->rigid;
}

static vv_status find_origins(const struct vvi_sheets *s, const vvi_sheet_body *b, int32_t *origin)
{
  int32_t *first, *list;
  vv_status status = list_around(b->block, &first, &list);
  for (int32_t i = b->element0; status == VV_OK && i < b->element0 + b->elements; i++) {
    int64_t node[3];
    const int n = nodes_of(s, b, i, node);
    origin[i] = n > 0 ? element_with(b->block, n, node, first, list) : -1;
    const int32_t at = (int32_t)(node[0] - b->node0);
    if (n == 1 && (b->ring || (at > 0 && at + 1 < b->movers))) origin[i] = -2 - at;
  }
  free(first), free(list);
  return status;
}

static void name_ring_edges(const struct vvi_sheets *s, vvi_sheet_gone *g)
{
  for (int32_t k = 0; k < 2 * s->n_edge; k++)
    for (int32_t i = s->ring0[s->edge[k]]; i < s->ring0[s->edge[k] + 1]; i++)
      if (s->ring[i] == s->edge[k ^ 1]) g->ring_edge[i] = k / 2;
}

vv_status vvi_sheet_gone_create(vvi_sheet_search *w, vvi_arena *arena)
{
  const struct vvi_sheets *s = w->sheets;
  int64_t most = 0;
  for (int32_t k = 0; k < s->n_body; k++)
    if (can_break(&s->body[k]) && s->body[k].block->elements > most) most = s->body[k].block->elements;
  if (most == 0) return VV_OK;
  vvi_sheet_gone *g = w->gone = VVI_ARENA_NEW(arena, vvi_sheet_gone, 1);
  if (g == NULL) return VV_NOMEM;
  g->origin = VVI_ARENA_NEW(arena, int32_t, s->n_element + 1);
  g->element = VVI_ARENA_NEW(arena, unsigned char, s->n_element + 1);
  g->edge = VVI_ARENA_NEW(arena, unsigned char, s->n_edge + 1);
  g->vertex = VVI_ARENA_NEW(arena, unsigned char, s->n_vertex + 1);
  g->broken = VVI_ARENA_NEW(arena, unsigned char, most);
  g->ring_edge = VVI_ARENA_NEW(arena, int32_t, 2 * (int64_t)s->n_edge + 1);
  g->whole = VVI_ARENA_NEW(arena, unsigned char, s->n_body + 1);
  g->piece = VVI_ARENA_NEW(arena, int32_t, s->n_vertex + 1), g->before = VVI_ARENA_NEW(arena, int32_t, most + 1);
  if (g->origin == NULL || g->element == NULL || g->edge == NULL || g->vertex == NULL || g->broken == NULL ||
      g->ring_edge == NULL || g->piece == NULL || g->before == NULL || g->whole == NULL)
    return VV_NOMEM;
  for (int32_t i = 0; i < s->n_vertex; i++) g->piece[i] = -1;
  w->motion.gone = g;
  name_ring_edges(s, g);
  for (int32_t k = 0; k < s->n_body; k++)
    if (can_break(&s->body[k]) && s->body[k].tip == NULL) VV_TRY(find_origins(s, &s->body[k], g->origin));
  return VV_OK;
}

/* Vertex, segment and edge of a tip are one. */
static void wake_tips(vvi_sheet_search *w, const vvi_sheet_body *b, const vv_body *body)
{
  vvi_sheet_gone *g = w->gone;
  const struct vvi_sheets *s = w->sheets;
  for (int32_t i = b->element0; i < b->element0 + b->elements; i++) {
    const int32_t v = s->element[3 * (int64_t)i];
    const int64_t behind = b->node0 + s->mover[v] - b->mover0 - body->node0;
    const unsigned char asleep = !g->broken[behind - 1] && !g->broken[behind];
    g->vertex[v] = g->element[i] = asleep;
    for (int c = 0; c < 3; c++) {
      const int32_t edge = s->element_edge[3 * (int64_t)i + c];
      if (edge >= 0) g->edge[edge] = asleep;
    }
  }
}

/* Node i of a chain or a ring. */
static bool beside_broken(const vvi_sheet_gone *g, const vv_body *body, int32_t i)
{
  return g->broken[i] || g->broken[i > 0 ? i - 1 : body->n_element - 1];
}

/* What lies between two broken elements is a piece; in a ring the last and the first may be one. */
static void count_pieces(vvi_sheet_search *w, const vvi_sheet_body *b, const vv_body *body)
{
  vvi_sheet_gone *g = w->gone;
  const bool joined = b->ring && !g->broken[body->n_element - 1];
  g->before[0] = 0;
  for (int64_t i = 0; i < body->n_element; i++) g->before[i + 1] = g->before[i] + g->broken[i];
  g->whole[b - w->sheets->body] = g->before[body->n_element] == 0;
  for (int32_t v = b->vertex0; v < b->vertex0 + b->vertices; v++) {
    const int32_t piece = g->before[w->sheets->mover[v] - b->mover0];
    g->piece[v] = joined && piece == g->before[body->n_element] ? 0 : piece;
  }
}

/* Of a body: which of its elements are left, and what they have. */
static void look_at(vvi_sheet_search *w, int32_t k)
{
  const struct vvi_sheets *s = w->sheets;
  const vvi_sheet_body *b = &s->body[k];
  const vv_body *body = body_of(b);
  vvi_sheet_gone *g = w->gone;
  b->block->kind->broken(b->block, w->motion.at[k].q - b->node0, vv_body_of_node(b->block, body->node0), g->broken);
  if (b->tip != NULL) {
    wake_tips(w, b, body);
    return;
  }
  if (is_prism(b)) count_pieces(w, b, body);
  memset(g->vertex + b->vertex0, 1, (size_t)b->vertices);
  for (int32_t i = b->element0; i < b->element0 + b->elements; i++) {
    g->element[i] = g->origin[i] >= 0   ? g->broken[g->origin[i] - body->element0]
                    : g->origin[i] < -1 ? !beside_broken(g, body, -2 - g->origin[i])
                                        : 0;
    for (int c = 0; c < 3; c++) {
      const int32_t edge = s->element_edge[3 * (int64_t)i + c];
      if (edge >= 0) g->edge[edge] = 1;
    }
  }
  for (int32_t i = b->element0; i < b->element0 + b->elements; i++)
    for (int c = 0; c < 3 && !g->element[i] && g->origin[i] >= -1; c++) {
      const int32_t edge = s->element_edge[3 * (int64_t)i + c], v = s->element[3 * (int64_t)i + c];
      if (edge >= 0) g->edge[edge] = 0;
      if (v >= 0) g->vertex[v] = 0;
    }
}

void vvi_sheet_gone_find(vvi_sheet_search *w)
{
  const struct vvi_sheets *s = w->sheets;
  for (int32_t k = 0; w->gone != NULL && k < s->n_body; k++)
    if (can_break(&s->body[k])) look_at(w, k);
}

/* The end of a piece that lies in a thickness when it wakes meets nothing of it until it has come out. */
static bool overlaps(const struct vvi_sheets *s, int32_t vertex, double depth)
{
  const vvi_sheet_body *b = &s->body[s->body_of[vertex]];
  return b->tip != NULL && vvi_patch_sleeps(b->tip) && depth > 0.0;
}

bool vvi_sheet_one_piece(const vvi_sheet_search *w, int32_t a, int32_t b)
{
  const vvi_sheet_gone *g = w->gone;
  return g->piece[a] >= 0 && g->piece[a] == g->piece[b] && w->sheets->body_of[a] == w->sheets->body_of[b];
}

bool vvi_sheet_is_whole(const vvi_sheet_search *w, const vvi_sheet_list *l)
{
  const struct vvi_sheets *s = w->sheets;
  const int32_t body = s->cluster[l->a].body;
  return w->gone != NULL && body == s->cluster[l->b].body && w->gone->whole[body] && s->body[body].apart == INT32_MAX;
}

bool vvi_sheet_is_gone(const vvi_sheet_search *w, int32_t a, int32_t b, double depth)
{
  const vvi_sheet_gone *g = w->gone;
  const struct vvi_sheets *s = w->sheets;
  const int32_t v = a < 0 ? s->edge[2 * (-1 - a)] : a;
  const int32_t u = b < 0 ? -1 : a < 0 ? s->edge[2 * b] : s->element[3 * (int64_t)b];
  if (overlaps(s, v, depth) || (u >= 0 && overlaps(s, u, depth))) return true;
  if (a < 0) return g->edge[-1 - a] || g->edge[b];
  return g->vertex[a] || (b >= 0 && g->element[b]);
}
