/* contact/broad/start.c  A run takes over the lists that the model made when it looked for contacts at the start.
 *
 * A model looks once for what meets where it begins.  Lists of that look hold for every run as long as its places are near those
 * of the start, which [sheets 24] tells from the places alone: a run takes the lists and the places they belong to, and builds
 * anew those that do not hold.  Of budgets nothing is kept: how far a state has moved since the start is known as a bound for
 * two clusters, not for their pairs. */
#include "contact/broad/away.h"
#include "contact/broad/search.h"

#include <math.h>
#include <string.h>

typedef struct vvi_sheet_start {
  int32_t n_list;
  int64_t n_pair;
  vvi_sheet_list *list; /* [n_list] in the order of the meshes */
  vvi_sheet_pair *pair; /* [n_pair] each list begins at a whole block */
  double *reference;    /* as that of the search; */
  unsigned char *known; /* [n_cluster] where there is one */
} vvi_sheet_start;

static int64_t references(const struct vvi_sheets *s)
{
  const vvi_sheet_cluster *last = s->n_cluster > 0 ? &s->cluster[s->n_cluster - 1] : NULL;
  return last == NULL ? 0 : 3 * ((int64_t)last->vertex0 + last->vertices);
}

vv_status vvi_sheet_start_keep(vvi_sheet_search *w, vvi_arena *arena, struct vvi_sheets *s)
{
  vvi_sheet_start *k = VVI_ARENA_NEW(arena, vvi_sheet_start, 1);
  if (k == NULL) return VV_NOMEM;
  if (w->used > 0) vvi_sheet_compact(w);
  k->n_list = w->n_list, k->n_pair = w->used;
  k->list = VVI_ARENA_NEW(arena, vvi_sheet_list, k->n_list + 1);
  k->pair = VVI_ARENA_NEW(arena, vvi_sheet_pair, k->n_pair + 1);
  k->reference = VVI_ARENA_NEW(arena, double, references(s) + 1);
  k->known = VVI_ARENA_NEW(arena, unsigned char, s->n_cluster + 1);
  if (k->list == NULL || k->pair == NULL || k->reference == NULL || k->known == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < k->n_list; i++) k->list[i] = w->list[w->order[i]];
  memcpy(k->pair, w->pair, sizeof *k->pair * (size_t)k->n_pair);
  memcpy(k->reference, w->reference, sizeof *k->reference * (size_t)references(s));
  for (int32_t i = 0; i < s->n_cluster; i++) k->known[i] = w->life[i].refer > 0;
  s->start = k;
  return VV_OK;
}

void vvi_sheet_start_drop(const struct vvi_sheets *s)
{
  struct vvi_sheet_start *k = s->start;
  if (k == NULL) return;
  vvi_forget(k->list, sizeof *k->list * (size_t)k->n_list);
  vvi_forget(k->pair, sizeof *k->pair * (size_t)k->n_pair);
  vvi_forget(k->reference, sizeof *k->reference * (size_t)references(s));
  k->n_list = 0, k->n_pair = 0;
}

/* Until it has been looked at neither paths nor ways tell that it holds, and all of its pairs are past their budgets. */
static void take_list(vvi_sheet_search *w, vvi_sheet_list *l)
{
  vvi_sheet_list_rules(w, l);
  if (!l->mine) l->stale = true, l->n = 0;
  l->travel = l->way = 0.0;
  l->wake = l->left = -1.0, l->safe = -INFINITY;
  memset(l->base, 0, sizeof l->base);
  for (int64_t i = l->first; i < l->first + vvi_sheet_blocks(l->n); i++)
    w->safe[i] = i < l->first + l->n ? -INFINITY : INFINITY;
  for (int64_t i = l->first; i < l->first + l->n; i += VVI_SHEET_BLOCK) w->block[i / VVI_SHEET_BLOCK] = -INFINITY;
}

bool vvi_sheet_start_take(vvi_sheet_search *w)
{
  const struct vvi_sheets *s = w->sheets;
  const vvi_sheet_start *k = s->start;
  w->anew = false;
  if (k == NULL || k->n_list == 0) return true;
  if (!vvi_sheet_lists_fit(w, k->n_list) || !vvi_sheet_pairs_fit(w, k->n_pair)) return false;
  memcpy(w->list, k->list, sizeof *w->list * (size_t)k->n_list);
  memcpy(w->pair, k->pair, sizeof *w->pair * (size_t)k->n_pair);
  memcpy(w->reference, k->reference, sizeof *w->reference * (size_t)references(s));
  w->used = k->n_pair, w->n_list = w->n_slot = k->n_list;
  w->round++; /* looks at other references are over */
  for (int32_t i = 0; i < s->n_cluster; i++) {
    memset(w->life[i].sum, 0, sizeof w->life[i].sum);
    w->life[i].refer = k->known[i];
  }
  for (int32_t i = 0; i < w->n_list; i++) {
    w->order[i] = i, take_list(w, &w->list[i]);
    w->key[i] = (vvi_sheet_key){.a = w->list[i].a, .b = w->list[i].b};
    vvi_sheet_list_enters(w, i);
  }
  if (w->away != NULL) vvi_sheet_away_start(w);
  return true;
}
