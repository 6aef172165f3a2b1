/* contact/broad/reads.c  Fetches movers that another rank or an accelerator holds, when the search reads them. */
#include "contact/broad/reads.h"

#include <string.h>

bool vvi_sheet_reads_create(const struct vvi_sheets *s, vvi_arena *arena, vvi_sheet_reads *k)
{
  k->owner = VVI_ARENA_NEW(arena, int32_t, s->n_mover + 1), k->first = VVI_ARENA_NEW(arena, int32_t, s->n_cluster + 2);
  k->stamp = VVI_ARENA_NEW(arena, int64_t, s->n_mover + 1), k->listed = VVI_ARENA_NEW(arena, int32_t, s->n_mover + 1);
  return k->owner != NULL && k->first != NULL && k->stamp != NULL && k->listed != NULL;
}

/* Movers that the place of a vertex hangs on: told one by one. */
static void movers_of(const struct vvi_sheets *s, int32_t vertex, vvi_sheet_mover_fn *fn, void *user)
{
  const vvi_sheet_body *b = &s->body[s->body_of[vertex]];
  if (s->mover[vertex] >= 0) fn(user, s->mover[vertex]);
  for (int32_t i = b->loose ? s->stencil0[vertex] : 0; b->loose && i < s->stencil0[vertex + 1]; i++)
    fn(user, s->stencil[i]);
}

typedef struct lister {
  vvi_sheet_reads *k;
  int32_t *out;
  int64_t n;
} lister;

static void list_mover(void *user, int32_t mover)
{
  lister *w = user;
  if (w->k->owner[mover] < 0 || w->k->stamp[mover] == w->k->stamps) return;
  w->k->stamp[mover] = w->k->stamps;
  if (w->out != NULL) w->out[w->n] = mover;
  w->n++;
}

void vvi_sheet_around(const struct vvi_sheets *s, int32_t vertex, vvi_sheet_mover_fn *fn, void *user)
{
  movers_of(s, vertex, fn, user);
  for (int32_t i = s->ring0[vertex]; i < s->ring0[vertex + 1]; i++) movers_of(s, s->ring[i], fn, user);
}

static void list_cluster(const struct vvi_sheets *s, int32_t cluster, lister *w)
{
  const vvi_sheet_cluster *r = &s->cluster[cluster];
  w->k->stamps++;
  for (int32_t i = r->vertex0; i < r->vertex0 + r->vertices; i++)
    vvi_sheet_around(s, s->cluster_vertex[i], list_mover, w);
}

vv_status vvi_sheet_reads_drop(const struct vvi_sheets *s, vvi_arena *arena, vvi_sheet_reads *k)
{
  if ((k->absent = VVI_ARENA_NEW(arena, unsigned char, s->n_cluster + 1)) == NULL) return VV_NOMEM;
  memset(k->absent, 1, (size_t)s->n_cluster);
  vvi_forget(k->mover, sizeof *k->mover * (size_t)k->first[s->n_cluster]);
  vvi_forget(k->stamp, sizeof *k->stamp * (size_t)s->n_mover); /* none is the present one */
  return VV_OK;
}

void vvi_sheet_reads_need(const struct vvi_sheets *s, vvi_sheet_reads *k, int32_t cluster)
{
  if (k->absent == NULL || !k->absent[cluster]) return;
  lister w = {.k = k, .out = k->mover, .n = k->first[cluster]};
  list_cluster(s, cluster, &w);
  k->absent[cluster] = 0;
}

/* Counted, then written. */
vv_status vvi_sheet_reads_list(const struct vvi_sheets *s, vvi_arena *arena, vvi_sheet_reads *k)
{
  for (int pass = 0; pass < 2; pass++) {
    lister w = {.k = k, .out = pass == 1 ? k->mover : NULL};
    for (int32_t c = 0; c < s->n_cluster; c++) {
      k->first[c] = (int32_t)w.n;
      list_cluster(s, c, &w);
    }
    k->first[s->n_cluster] = (int32_t)w.n;
    if (pass == 0 && (k->mover = VVI_ARENA_NEW(arena, int32_t, w.n + 1)) == NULL) return VV_NOMEM;
  }
  return VV_OK;
}

int32_t vvi_sheet_reads_pairs(const struct vvi_sheets *s, vvi_sheet_reads *k, int32_t n, const vvi_sheet_near *near)
{
  lister list = {.k = k, .out = k->listed};
  k->stamps += 2;
  for (int32_t i = 0; i < n; i++) {
    int32_t vertex[4];
    const int m = vvi_sheet_vertices(s, near[i].a, near[i].b, vertex);
    for (int v = 0; v < m; v++) vvi_sheet_around(s, vertex[v], list_mover, &list);
  }
  return (int32_t)list.n;
}
