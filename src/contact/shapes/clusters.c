/* contact/shapes/clusters.c  Cuts bodies into clusters, and says which of these may touch. */
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
  const vvi_sheet_branch *n = &s->tree[i];
  if (n->child > 0 && n->n > size) {
    cut(s, body, n->child, size);
    cut(s, body, n->child + 1, size);
    return;
  }
  vvi_sheet_cluster *r = &s->cluster[s->n_cluster++];
  *r = (vvi_sheet_cluster){.body = body, .root = i, .first = n->child, .last = n->child > 0 ? behind(s, i) : 0};
}

/* ---- vertices and strips of a cluster ---- */

typedef struct notes {
  int32_t *vertex, *strip; /* the cluster that counted it last, plus one */
} notes;

static int32_t strip_of(const struct vvi_sheets *s, int32_t body, int32_t mover)
{
  return s->body[body].strip0 + (mover - s->body[body].mover0) / VVI_SHEET_STRIP;
}

static int32_t strips_of(const vvi_sheet_body *b)
{
  return (b->movers + VVI_SHEET_STRIP - 1) / VVI_SHEET_STRIP;
}

static void note_strip(struct vvi_sheets *s, const notes *k, int32_t cluster, int32_t strip, int64_t *n, bool write)
{
  if (k->strip[strip] == cluster + 1) return;
  k->strip[strip] = cluster + 1;
  if (write) s->cluster_strip[*n] = strip;
  ++*n;
}

/* Counts first; then writes. */
static void list_parts(struct vvi_sheets *s, const notes *k, bool write, int64_t *vertices, int64_t *strips)
{
  *vertices = *strips = 0;
  memset(k->vertex, 0, sizeof(int32_t) * (size_t)(s->n_vertex + 1));
  memset(k->strip, 0, sizeof(int32_t) * (size_t)(s->n_strip + 1));
  for (int32_t i = 0; i < s->n_cluster; i++) {
    vvi_sheet_cluster *r = &s->cluster[i];
    const vvi_sheet_body *b = &s->body[r->body];
    r->vertex0 = (int32_t)*vertices, r->strip0 = (int32_t)*strips;
    const vvi_sheet_branch none = {.n = 0}, *root = b->obstacle == NULL ? &s->tree[r->root] : &none;
    for (int32_t e = root->first; write && e < root->first + root->n; e++)
      for (int c = 0; c < 3; c++)
        if ((s->own[e] >> c & 1) != 0) s->cluster_of[s->element[3 * (int64_t)e + c]] = i;
    for (int64_t e = 3 * (int64_t)root->first; e < 3 * (int64_t)(root->first + root->n); e++) {
      const int32_t v = s->element[e];
      if (v < 0 || k->vertex[v] == i + 1) continue;
      k->vertex[v] = i + 1;
      if (write) s->cluster_vertex[*vertices] = v;
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
  s->strip_body = VVI_ARENA_NEW(arena, int32_t, s->n_strip + 1);
  s->strip_cluster0 = VVI_ARENA_NEW(arena, int32_t, s->n_strip + 2);
  s->strip_cluster = VVI_ARENA_NEW(arena, int32_t, n + 1);
  if (s->strip_body == NULL || s->strip_cluster0 == NULL || s->strip_cluster == NULL) return VV_NOMEM;
  for (int32_t b = 0; b < s->n_body; b++)
    for (int32_t i = 0; i < strips_of(&s->body[b]); i++) s->strip_body[s->body[b].strip0 + i] = b;
  for (int64_t i = 0; i < n; i++) s->strip_cluster0[s->cluster_strip[i] + 2]++;
  for (int32_t i = 0; i < s->n_strip; i++) s->strip_cluster0[i + 2] += s->strip_cluster0[i + 1];
  for (int32_t r = 0; r < s->n_cluster; r++)
    for (int32_t i = s->cluster[r].strip0; i < s->cluster[r].strip0 + s->cluster[r].strips; i++)
      s->strip_cluster[s->strip_cluster0[s->cluster_strip[i] + 1]++] = r;
  return VV_OK;
}

vv_status vvi_sheets_divide(vvi_arena *arena, struct vvi_sheets *s, int32_t size)
{
  int64_t vertices, strips;
  s->cluster = VVI_ARENA_NEW(arena, vvi_sheet_cluster, s->n_tree + s->n_body + 1);
  s->cluster_of = VVI_ARENA_NEW(arena, int32_t, s->n_vertex + 1);
  if (s->cluster == NULL || s->cluster_of == NULL) return VV_NOMEM;
  for (int32_t b = 0; b < s->n_body; b++) {
    vvi_sheet_body *k = &s->body[b];
    k->cluster0 = s->n_cluster, k->strip0 = s->n_strip;
    s->n_strip += strips_of(k);
    if (k->trees > 0)
      cut(s, b, k->tree0, size);
    else
      s->cluster[s->n_cluster++] = (vvi_sheet_cluster){.body = b};
    k->clusters = s->n_cluster - k->cluster0;
  }
  const notes k = {.vertex = malloc(sizeof(int32_t) * (size_t)(s->n_vertex + 1)),
                   .strip = malloc(sizeof(int32_t) * (size_t)(s->n_strip + 1))};
  vv_status status = k.vertex == NULL || k.strip == NULL ? VV_NOMEM : VV_OK;
  if (status == VV_OK) {
    list_parts(s, &k, false, &vertices, &strips);
    s->cluster_vertex = VVI_ARENA_NEW(arena, int32_t, vertices + 1);
    s->cluster_strip = VVI_ARENA_NEW(arena, int32_t, strips + 1);
    status = s->cluster_vertex == NULL || s->cluster_strip == NULL ? VV_NOMEM : VV_OK;
  }
  if (status == VV_OK) list_parts(s, &k, true, &vertices, &strips);
  free(k.vertex);
  free(k.strip);
  return status == VV_OK ? transpose_strips(arena, s, strips) : status;
}

void vvi_sheets_use(struct vvi_sheets *s, int32_t rule)
{
  const vvi_rule *k = &s->rule[rule];
  if (k->restitution < 1.0) s->loses = true;
  if (k->friction > 0.0) s->rough = true;
  if (k->projection > s->projection) s->projection = k->projection;
}
