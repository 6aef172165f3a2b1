/* contact/sheets/regions.c  Bodies cut into regions, and who may meet whom. */
#include "contact/sheets.h"

#include <stdlib.h>
#include <string.h>

/* ---- branches of a tree with at most `size` elements ---- */

/* The first node behind all that was planted below i: children of the left child come before those of the right one. */
static int32_t behind(const struct vvi_sheets *s, int32_t i)
{
  if (s->tree[i].child == 0) return i + 1;
  const int32_t left = behind(s, s->tree[i].child), right = behind(s, s->tree[i].child + 1);
  return left > right ? left : right;
}

static void cut(struct vvi_sheets *s, int32_t body, int32_t i, int32_t size)
{
  const vvi_box_node *n = &s->tree[i];
  if (n->child > 0 && n->n > size) {
    cut(s, body, n->child, size);
    cut(s, body, n->child + 1, size);
    return;
  }
  vvi_sheet_region *r = &s->region[s->n_region++];
  *r = (vvi_sheet_region){.body = body, .root = i, .first = n->child, .last = n->child > 0 ? behind(s, i) : 0};
}

/* ---- vertices and strips of a region ---- */

typedef struct notes {
  int32_t *vertex, *strip; /* the region that counted it last, plus one */
} notes;

static int32_t strip_of(const struct vvi_sheets *s, int32_t body, int32_t mover)
{
  return s->body[body].strip0 + (mover - s->body[body].mover0) / VVI_SHEET_STRIP;
}

static void note_strip(struct vvi_sheets *s, const notes *k, int32_t region, int32_t strip, int64_t *n, bool write)
{
  if (k->strip[strip] == region + 1) return;
  k->strip[strip] = region + 1;
  if (write) s->region_strip[*n] = strip;
  ++*n;
}

/* Counts first; then writes. */
static void list_parts(struct vvi_sheets *s, const notes *k, bool write, int64_t *vertices, int64_t *strips)
{
  *vertices = *strips = 0;
  memset(k->vertex, 0, sizeof(int32_t) * (size_t)(s->n_vertex + 1));
  memset(k->strip, 0, sizeof(int32_t) * (size_t)(s->n_strip + 1));
  for (int32_t i = 0; i < s->n_region; i++) {
    vvi_sheet_region *r = &s->region[i];
    const vvi_sheet_body *b = &s->body[r->body];
    r->vertex0 = (int32_t)*vertices, r->strip0 = (int32_t)*strips;
    const vvi_box_node none = {.n = 0}, *root = b->obstacle == NULL ? &s->tree[r->root] : &none;
    for (int32_t e = root->first; write && e < root->first + root->n; e++)
      for (int c = 0; c < 3; c++)
        if ((s->own[e] >> c & 1) != 0) s->region_of[s->element[3 * (int64_t)e + c]] = i;
    for (int64_t e = 3 * (int64_t)root->first; e < 3 * (int64_t)(root->first + root->n); e++) {
      const int32_t v = s->element[e];
      if (v < 0 || k->vertex[v] == i + 1) continue;
      k->vertex[v] = i + 1;
      if (write) s->region_vertex[*vertices] = v;
      ++*vertices;
      if (b->carrier == VVI_CARRY_NONE) continue;
      if (!b->loose) note_strip(s, k, i, strip_of(s, r->body, s->mover[v]), strips, write);
      for (int32_t j = s->stencil0[v]; b->loose && j < s->stencil0[v + 1]; j++)
        note_strip(s, k, i, strip_of(s, r->body, s->stencil[j]), strips, write);
    }
    r->vertices = (int32_t)*vertices - r->vertex0, r->strips = (int32_t)*strips - r->strip0;
  }
}

static vv_status transpose_strips(vvi_arena *arena, struct vvi_sheets *s, int64_t n)
{
  s->strip_region0 = VVI_ARENA_NEW(arena, int32_t, s->n_strip + 2);
  s->strip_region = VVI_ARENA_NEW(arena, int32_t, n + 1);
  if (s->strip_region0 == NULL || s->strip_region == NULL) return VV_NOMEM;
  for (int64_t i = 0; i < n; i++) s->strip_region0[s->region_strip[i] + 2]++;
  for (int32_t i = 0; i < s->n_strip; i++) s->strip_region0[i + 2] += s->strip_region0[i + 1];
  for (int32_t r = 0; r < s->n_region; r++)
    for (int32_t i = s->region[r].strip0; i < s->region[r].strip0 + s->region[r].strips; i++)
      s->strip_region[s->strip_region0[s->region_strip[i] + 1]++] = r;
  return VV_OK;
}

vv_status vvi_sheets_divide(vvi_arena *arena, struct vvi_sheets *s, int32_t size)
{
  int64_t vertices, strips;
  s->region = VVI_ARENA_NEW(arena, vvi_sheet_region, s->n_tree + s->n_body + 1);
  s->region_of = VVI_ARENA_NEW(arena, int32_t, s->n_vertex + 1);
  if (s->region == NULL || s->region_of == NULL) return VV_NOMEM;
  for (int32_t b = 0; b < s->n_body; b++) {
    vvi_sheet_body *k = &s->body[b];
    k->region0 = s->n_region, k->strip0 = s->n_strip;
    s->n_strip += (k->movers + VVI_SHEET_STRIP - 1) / VVI_SHEET_STRIP;
    if (k->trees > 0)
      cut(s, b, k->tree0, size);
    else
      s->region[s->n_region++] = (vvi_sheet_region){.body = b};
    k->regions = s->n_region - k->region0;
  }
  const notes k = {.vertex = malloc(sizeof(int32_t) * (size_t)(s->n_vertex + 1)),
                   .strip = malloc(sizeof(int32_t) * (size_t)(s->n_strip + 1))};
  vv_status status = k.vertex == NULL || k.strip == NULL ? VV_NOMEM : VV_OK;
  if (status == VV_OK) {
    list_parts(s, &k, false, &vertices, &strips);
    s->region_vertex = VVI_ARENA_NEW(arena, int32_t, vertices + 1);
    s->region_strip = VVI_ARENA_NEW(arena, int32_t, strips + 1);
    status = s->region_vertex == NULL || s->region_strip == NULL ? VV_NOMEM : VV_OK;
  }
  if (status == VV_OK) list_parts(s, &k, true, &vertices, &strips);
  free(k.vertex);
  free(k.strip);
  return status == VV_OK ? transpose_strips(arena, s, strips) : status;
}

/* ---- couples ---- */

static void pair_up(struct vvi_sheets *s, int32_t a, int32_t b, int32_t rule)
{
  const vvi_sheet_body *x = &s->body[a], *y = &s->body[b];
  for (int32_t i = x->region0; i < x->region0 + x->regions; i++)
    for (int32_t j = a == b ? i : y->region0; j < y->region0 + y->regions; j++) {
      if (s->couple != NULL) s->couple[s->n_couple] = (vvi_sheet_couple){.a = i, .b = j, .rule = rule};
      s->n_couple++;
    }
}

vv_status vvi_sheets_couple(vvi_arena *arena, struct vvi_sheets *s, vvi_sheet_rule_fn *rule, void *user)
{
  for (int pass = 0; pass < 2; pass++) {
    s->n_couple = 0;
    for (int32_t a = 0; a < s->n_body; a++)
      for (int32_t b = a; b < s->n_body; b++) {
        const bool turned = s->body[a].obstacle != NULL;
        const int32_t r = rule(user, a, b);
        if (r >= 0) pair_up(s, turned ? b : a, turned ? a : b, r);
      }
    if (pass == 0 && (s->couple = VVI_ARENA_NEW(arena, vvi_sheet_couple, s->n_couple + 1)) == NULL) return VV_NOMEM;
  }
  for (int32_t i = 0; i < s->n_couple; i++) {
    const vvi_sheet_rule *k = &s->rule[s->couple[i].rule];
    if (k->restitution < 1.0) s->loses = true;
    if (k->friction > 0.0) s->rough = true;
    if (k->projection > s->projection) s->projection = k->projection;
  }
  return VV_OK;
}
