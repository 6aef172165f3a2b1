/* contact/shapes/keep.c  Surfaces that can meet, in a prepared file.  Rules are made again; what the search of the start has found
 * is not kept: a run looks for itself. */
#include "contact/shapes/meets.h"
#include "model/model.h"

#include <stdlib.h>

/* One list, two uses: writing and reading. */
#define NUMBERS(X) \
  X(n_body)        \
  X(n_vertex)      \
  X(n_edge)        \
  X(n_element)     \
  X(n_mover)       \
  X(n_tree)        \
  X(n_cluster)     \
  X(n_strip)       \
  X(edge_length)   \
  X(closest)       \
  X(n_apart)       \
  X(rigid)         \
  X(turns)

static vv_status keep_numbers(vv_ctx *ctx, struct vvi_sheets *s)
{
#define KEEP(name) VV_TRY(vvi_keep_value(ctx, &s->name, sizeof s->name, "sheets." #name));
  NUMBERS(KEEP)
#undef KEEP
  return VV_OK;
}

/* Addresses are no part of a file: where a body is in the model follows from its patch. */
static void name_body(const vv_model *m, vvi_sheet_body *b)
{
  int32_t local;
  const vv_block *block = vvi_model_patch_block(m, b->patch, &local);
  const vvi_sheet_shape shape = vvi_sheet_shape_of(&block->patch[local]);
  b->block = block;
  b->obstacle = shape == VVI_SHAPE_OBSTACLE && !b->form ? &block->patch[local] : NULL;
  b->tip = shape == VVI_SHAPE_TIP ? &block->patch[local] : NULL;
}

static vv_status keep_bodies(const vv_model *m, struct vvi_sheets *s)
{
  const bool reads = vvi_is_prepared(m->ctx);
  vvi_sheet_body *body = reads ? NULL : calloc((size_t)s->n_body + 1, sizeof *body), *copy = body;
  if (!reads && body == NULL) return VV_NOMEM;
  for (int32_t i = 0; !reads && i < s->n_body; i++) {
    body[i] = s->body[i];
    body[i].block = NULL, body[i].obstacle = body[i].tip = NULL;
  }
  const vv_status status = vvi_keep(m->ctx, &body, sizeof *body, s->n_body, "sheets.body");
  for (int32_t i = 0; status == VV_OK && reads && i < s->n_body; i++) name_body(m, &body[i]);
  if (reads) s->body = body;
  free(copy);
  return status;
}

vv_status vvi_sheets_keep(const vv_model *m, struct vvi_sheets *s)
{
  vv_ctx *ctx = m->ctx;
  if (vvi_ctx_prepared(ctx) == NULL) return VV_OK;
#define KEEP(name, n) VV_TRY(vvi_keep(ctx, &s->name, sizeof *s->name, (n), "sheets." #name))
  VV_TRY(keep_numbers(ctx, s));
  VV_TRY(keep_bodies(m, s));
  const int64_t v = s->n_vertex, e = s->n_element, edges = 2 * (int64_t)s->n_edge;
  KEEP(cluster, s->n_cluster);
  const vvi_sheet_cluster none = {0}, *last = s->n_cluster > 0 ? &s->cluster[s->n_cluster - 1] : &none;
  const int64_t strips = (int64_t)last->strip0 + last->strips;
  KEEP(cluster_of, v);
  KEEP(cluster_vertex, (int64_t)last->vertex0 + last->vertices);
  KEEP(cluster_strip, strips);
  KEEP(strip_cluster0, s->n_strip + 1);
  KEEP(strip_cluster, strips);
  KEEP(strip_body, s->n_strip);
  KEEP(body_of, v);
  KEEP(mover, v);
  KEEP(body_of_mover, s->n_mover);
  KEEP(element, 3 * e);
  KEEP(element_edge, 3 * e);
  KEEP(own, e);
  KEEP(vertex_of, v);
  KEEP(vertex0, e + 1);
  KEEP(edge0, e + 1);
  KEEP(edge, edges);
  KEEP(side, edges);
  KEEP(side_element, edges);
  KEEP(ring0, v + 1);
  KEEP(ring, edges);
  KEEP(tree, s->n_tree);
  KEEP(fixed, 3 * v);
  KEEP(arm, 3 * v);
  KEEP(inverse, s->n_mover);
  KEEP(held, s->n_mover);
  KEEP(stencil0, v + 1);
  KEEP(stencil, s->stencil0[v]);
  KEEP(weight, s->stencil0[v]);
  KEEP(apart, s->n_apart);
#undef KEEP
  return VV_OK;
}
