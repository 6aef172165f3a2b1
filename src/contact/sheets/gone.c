/* contact/sheets/gone.c  Elements that have broken meet nothing any more; nor do edges and vertices of which nothing is left. */
#include "contact/sheets/search.h"

#include <stdlib.h>
#include <string.h>

static bool can_break(const vvi_sheet_body *b)
{
  return b->block != NULL && b->block->breaks && !b->rigid && b->tip == NULL;
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

static vv_status find_origins(const struct vvi_sheets *s, const vvi_sheet_body *b, int32_t *origin)
{
  int32_t *first, *list;
  vv_status status = list_around(b->block, &first, &list);
  for (int32_t i = b->element0; status == VV_OK && i < b->element0 + b->elements; i++) {
    int64_t node[3];
    const int n = nodes_of(s, b, i, node);
    origin[i] = n > 0 ? element_with(b->block, n, node, first, list) : -1;
  }
  free(first), free(list);
  return status;
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
  if (g->origin == NULL || g->element == NULL || g->edge == NULL || g->vertex == NULL || g->broken == NULL)
    return VV_NOMEM;
  for (int32_t k = 0; k < s->n_body; k++)
    if (can_break(&s->body[k])) VV_TRY(find_origins(s, &s->body[k], g->origin));
  return VV_OK;
}

/* Of a body: which of its elements are left, and what they have. */
static void look_at(vvi_sheet_search *w, int32_t k)
{
  const struct vvi_sheets *s = w->sheets;
  const vvi_sheet_body *b = &s->body[k];
  vvi_sheet_gone *g = w->gone;
  int32_t j = 0;
  while (b->block->body[j]->index != b->body) j++;
  const int64_t first = b->block->body[j]->element0;
  b->block->kind->broken(b->block, w->motion.at[k].q - b->node0, j, g->broken);
  memset(g->vertex + b->vertex0, 1, (size_t)b->vertices);
  for (int32_t i = b->element0; i < b->element0 + b->elements; i++) {
    g->element[i] = g->origin[i] >= 0 && g->broken[g->origin[i] - first];
    for (int c = 0; c < 3; c++) {
      const int32_t edge = s->element_edge[3 * (int64_t)i + c];
      if (edge >= 0) g->edge[edge] = 1;
    }
  }
  for (int32_t i = b->element0; i < b->element0 + b->elements; i++)
    for (int c = 0; c < 3 && !g->element[i]; c++) {
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

bool vvi_sheet_is_gone(const vvi_sheet_search *w, int32_t a, int32_t b)
{
  const vvi_sheet_gone *g = w->gone;
  if (a < 0) return g->edge[-1 - a] || g->edge[b];
  return g->vertex[a] || (b >= 0 && g->element[b]);
}
