/* contact/sheets/away.c  See away.h. */
#include "contact/sheets/away.h"

vv_status vvi_sheet_away_create(vvi_sheet_search *w, const vv_model *m, const unsigned char *stays)
{
  const struct vvi_sheets *s = w->sheets;
  vvi_sheet_away *k = VVI_ARENA_NEW(w->arena, vvi_sheet_away, 1);
  if (k == NULL || !vvi_sheet_reads_create(s, w->arena, &k->reads)) return VV_NOMEM;
  k->model = m, k->clock = 1;
  k->asked = VVI_ARENA_NEW(w->arena, int64_t, s->n_cluster + 1),
  k->node = VVI_ARENA_NEW(w->arena, int32_t, s->n_mover + 1);
  if (k->asked == NULL || k->node == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < s->n_mover; i++) {
    const vvi_sheet_body *b = &s->body[s->body_of_mover[i]];
    k->reads.owner[i] = b->carrier == VVI_CARRY_POINTS && stays[b->block - m->block] ? 0 : -1;
  }
  w->away = k;
  return vvi_sheet_reads_list(s, w->arena, &k->reads);
}

void vvi_sheet_away_need(vvi_sheet_search *w, int32_t cluster)
{
  vvi_sheet_away *k = w->away;
  vvi_sheet_reads *r = &k->reads;
  if (k->asked[cluster] == k->clock) return;
  k->asked[cluster] = k->clock;
  if (k->n == 0) r->stamps++;
  for (int32_t i = r->first[cluster]; i < r->first[cluster + 1]; i++) {
    if (r->stamp[r->mover[i]] == r->stamps) continue;
    r->stamp[r->mover[i]] = r->stamps;
    r->listed[k->n++] = r->mover[i];
  }
}

/* Movers that are away, block by block. */
static void each_block(vvi_sheet_search *w, int64_t n, const int32_t *mover,
                       void (*fn)(void *user, int block, int64_t n, const int32_t *node))
{
  vvi_sheet_away *k = w->away;
  const struct vvi_sheets *s = w->sheets;
  for (int i = 0; n > 0 && i < k->model->n_block; i++) {
    int64_t some = 0;
    for (int64_t j = 0; j < n; j++) {
      const vvi_sheet_body *b = &s->body[s->body_of_mover[mover[j]]];
      if (k->reads.owner[mover[j]] < 0 || b->block != &k->model->block[i]) continue;
      k->node[some++] = (int32_t)(b->node0 + (mover[j] - b->mover0));
    }
    if (some > 0) fn(k->user, i, some, k->node);
  }
}

void vvi_sheet_away_fetch(vvi_sheet_search *w)
{
  vvi_sheet_away *k = w->away;
  each_block(w, k->n, k->reads.listed, k->bring);
  k->clock++, k->n = 0;
}

void vvi_sheet_away_give(vvi_sheet_search *w, int32_t n, const int32_t *mover)
{
  each_block(w, n, mover, w->away->give);
}
