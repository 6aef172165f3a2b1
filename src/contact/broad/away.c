/* contact/broad/away.c  The search for contacts while an accelerator keeps the points of some bodies. */
#include "contact/broad/away.h"

#include "contact/broad/search.h"

#include <string.h>

/* Measures for which a cluster stays known that is not asked for: what comes to rest and wakes again costs no wait.  A row takes some
 * 0.06 us to be sent and read, a wait 15: where more than so many are known they stay no longer than they are asked for. */
enum { STAYS = 16, STAY = 256 };

/* Steps at once, at first and at the least; drifts for which it is not tried where lists did not sleep, or where so many steps in a row
 * were asked for one by one.  Budgets are to last for
 * a quarter more, since speeds change: where one is used up all the same the steps are taken twice.  [sheets 27] */
enum { CRUISE = 16, LEAST_CRUISE = 4, PAUSE = 16, SINGLES = 4 };

static vv_status list_clusters(vvi_sheet_search *w, vvi_sheet_away *k)
{
  const int32_t n = w->sheets->n_cluster;
  int32_t **const list[] = {&k->block_of, &k->number, &k->cluster, &k->known, &k->asks, &k->which, &k->hot};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if ((*list[i] = VVI_ARENA_NEW(w->arena, int32_t, n + 1)) == NULL) return VV_NOMEM;
  k->first = VVI_ARENA_NEW(w->arena, int32_t, k->model->n_block + 1);
  k->known_in = VVI_ARENA_NEW(w->arena, int64_t, n + 1), k->used_in = VVI_ARENA_NEW(w->arena, int64_t, n + 1);
  k->budget = VVI_ARENA_NEW(w->arena, vv_motion_budget, n + 1), k->row = VVI_ARENA_NEW(w->arena, vv_motion_row, n + 1);
  k->past = VVI_ARENA_NEW(w->arena, unsigned char, n + 1);
  k->seen = VVI_ARENA_NEW(w->arena, unsigned char, n + 1), k->referred = VVI_ARENA_NEW(w->arena, int64_t, n + 1);
  if (!k->first || !k->known_in || !k->used_in || !k->budget || !k->row || !k->past) return VV_NOMEM;
  if (!k->seen || !k->referred) return VV_NOMEM;
  int32_t at = 0;
  for (int block = -1; block < k->model->n_block; block++) {
    const int32_t first = at;
    for (int32_t i = 0; i < n; i++) {
      const vvi_sheet_body *b = &w->sheets->body[w->sheets->cluster[i].body];
      if ((vvi_sheet_is_away(w, b) ? (int)(b->block - k->model->block) : -1) != block) continue;
      k->block_of[i] = block;
      if (block < 0)
        k->known[k->home++] = i;
      else
        k->cluster[at] = i, k->number[i] = at++ - first, k->seen[i] = !b->loose;
    }
    k->first[block + 1] = at;
  }
  k->n_known = k->home;
  return VV_OK;
}

vv_status vvi_sheet_away_create(vvi_sheet_search *w, const vv_model *m, const unsigned char *stays)
{
  const struct vvi_sheets *s = w->sheets;
  vvi_sheet_away *k = VVI_ARENA_NEW(w->arena, vvi_sheet_away, 1);
  if (k == NULL || !vvi_sheet_reads_create(s, w->arena, &k->reads)) return VV_NOMEM;
  k->model = m, k->clock = 1, k->cruise_steps = CRUISE;
  k->asked = VVI_ARENA_NEW(w->arena, int64_t, s->n_cluster + 1),
  k->node = VVI_ARENA_NEW(w->arena, int32_t, s->n_mover + 1);
  if (k->asked == NULL || k->node == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < s->n_mover; i++) {
    const vvi_sheet_body *b = &s->body[s->body_of_mover[i]];
    k->reads.owner[i] = b->carrier == VVI_CARRY_POINTS && stays[b->block - m->block] ? 0 : -1;
  }
  w->away = k;
  VV_TRY(vvi_sheet_reads_list(s, w->arena, &k->reads));
  return list_clusters(w, k);
}

/* ---- what clusters do ---- */

static bool is_known(const vvi_sheet_search *w, int32_t cluster)
{
  return w->away->block_of[cluster] < 0 || w->away->known_in[cluster] == w->away->measures;
}

void vvi_sheet_away_ask(vvi_sheet_search *w, int32_t cluster)
{
  vvi_sheet_away *k = w->away;
  k->used_in[cluster] = k->measures;
  if (is_known(w, cluster)) return;
  k->known_in[cluster] = k->measures, k->asks[k->n_asks++] = cluster;
}

void vvi_sheet_away_ask_all(vvi_sheet_search *w)
{
  for (int32_t i = 0; i < w->sheets->n_cluster; i++) vvi_sheet_away_ask(w, i);
  vvi_sheet_away_learn(w);
}

void vvi_sheet_away_ask_mover(vvi_sheet_search *w, int32_t mover)
{
  const struct vvi_sheets *s = w->sheets;
  const vvi_sheet_body *b = &s->body[s->body_of_mover[mover]];
  const int32_t strip = b->strip0 + (mover - b->mover0) / VVI_SHEET_STRIP;
  for (int32_t i = s->strip_cluster0[strip]; i < s->strip_cluster0[strip + 1]; i++)
    vvi_sheet_away_ask(w, s->strip_cluster[i]);
}

static void take_row(vvi_sheet_search *w, int32_t cluster, const vv_motion_row *row)
{
  vvi_sheet_life *k = &w->life[cluster];
  k->path = row->path, k->stray = row->stray;
  vvi_sheet_speed_of(w, cluster, row->box);
  if (!w->away->seen[cluster]) return;
  memcpy(k->at, row->at, sizeof k->at), memcpy(k->box, row->off, sizeof k->box);
  k->round = w->round;
}

/* Rows of n clusters of a block have come. */
static void take_rows(vvi_sheet_search *w, int block, int32_t n)
{
  const vvi_sheet_away *k = w->away;
#pragma omp parallel for schedule(static) num_threads(w->threads) if (vvi_sheet_shares(w, n))
  for (int32_t i = 0; i < n; i++) take_row(w, k->cluster[k->first[block] + k->which[i]], &k->row[i]);
}

void vvi_sheet_away_learn(vvi_sheet_search *w)
{
  vvi_sheet_away *k = w->away;
  for (int i = 0; k->n_asks > 0 && i < k->model->n_block; i++) {
    int32_t n = 0;
    for (int32_t j = 0; j < k->n_asks; j++)
      if (k->block_of[k->asks[j]] == i) k->which[n++] = k->number[k->asks[j]];
    if (n > 0) k->rows(k->user, i, n, k->which, k->row);
    take_rows(w, i, n);
  }
  memcpy(k->known + k->n_known, k->asks, sizeof *k->known * (size_t)k->n_asks);
  k->n_known += k->n_asks;
#pragma omp parallel for schedule(static) num_threads(w->threads) if (vvi_sheet_shares(w, k->n_asks))
  for (int32_t j = 0; j < k->n_asks; j++) vvi_sheet_path_ahead(w, k->asks[j]);
  k->n_asks = 0;
}

static vv_motion_budget budget_of(const vvi_sheet_search *w, int32_t cluster)
{
  const vvi_sheet_life *l = &w->life[cluster];
  const double *fly = w->carry[w->sheets->cluster[cluster].body];
  return (vv_motion_budget){
      .path = l->path, .stray = l->stray, .wake = l->wake, .nap = l->nap, .fly = {fly[0], fly[1], fly[2]}};
}

/* Of the clusters of a block those with something in `past`, which are few: eight are looked at at once. */
static void find_hot(vvi_sheet_search *w, int32_t first, int32_t n)
{
  vvi_sheet_away *k = w->away;
  for (int32_t i = 0; i < n; i += 8) {
    uint64_t eight = 0;
    memcpy(&eight, k->past + i, n - i < 8 ? (size_t)(n - i) : 8);
    for (int32_t j = i; eight != 0 && j < n && j < i + 8; j++)
      if (k->past[j] != 0) w->past[k->cluster[first + j]] = k->past[j], k->hot[k->n_hot++] = k->cluster[first + j];
  }
}

/* What may use up a budget is known, or was hot. */
static void forget_past(vvi_sheet_search *w)
{
  vvi_sheet_away *k = w->away;
  for (int32_t i = 0; i < k->n_known; i++) w->past[k->known[i]] = 0;
  for (int32_t i = 0; i < k->n_hot; i++) w->past[k->hot[i]] = 0;
  k->n_hot = 0;
}

/* Of what is known of a block, from a place of `which` and `budget` on: how many. */
static int32_t list_budgets(const vvi_sheet_search *w, int block, int32_t at)
{
  const vvi_sheet_away *k = w->away;
  int32_t n = at;
  for (int32_t i = k->home; i < k->n_known; i++) {
    if (k->block_of[k->known[i]] != block) continue;
    k->which[n] = k->number[k->known[i]], k->budget[n++] = budget_of(w, k->known[i]);
  }
  return n - at;
}

static void measure_block(vvi_sheet_search *w, int block)
{
  vvi_sheet_away *k = w->away;
  const int32_t first = k->first[block], all = k->first[block + 1] - first, n = list_budgets(w, block, 0);
  if (all > 0)
    k->bounds(k->user, block, w->motion.h, k->drifted, w->drifts_ahead, n, k->which, k->budget, k->past, k->row);
  find_hot(w, first, all);
  take_rows(w, block, n);
}

/* ---- steps in which nothing can touch ---- */

/* For how many drifts budgets are to last. */
static double plan_drifts(const vvi_sheet_search *w)
{
  const vvi_sheet_away *k = w->away;
  return k->calm && k->home == 0 && !w->anew ? 2.0 + (double)(5 * k->cruise_steps / 4) : 1.0;
}

void vvi_sheet_away_drifted(vvi_sheet_search *w)
{
  vvi_sheet_away *k = w->away;
  const bool quiet = w->n_awake == 0 && w->n_near == 0;
  k->drifted = true;
  if (!quiet && w->drifts_ahead > 1.0) k->pause = PAUSE;
  if (k->pause > 0) k->pause--;
  k->calm = quiet && k->pause == 0;
}

static void forget_known(vvi_sheet_search *w)
{
  vvi_sheet_away *k = w->away;
  for (int32_t i = k->home; i < k->n_known; i++) w->past[k->known[i]] = 0;
  k->n_known = k->home;
}

int64_t vvi_sheet_away_cruise(vvi_sheet_search *w, double h, int64_t most)
{
  vvi_sheet_away *k = w->away;
  const int64_t room = most < k->cruise_steps ? most : k->cruise_steps;
  const int64_t n = k->calm && w->drifts_ahead > 1.0 ? vvi_sheet_drifts_asleep(w, room) : 0;
  int32_t at = 0;
  k->singles = room < 2 ? k->singles + 1 : 0;
  if (k->singles == SINGLES) k->singles = 0, k->pause = PAUSE;
  if (n < 2) return 0; /* a look costs no more than what is set aside */
  for (int i = 0; i < k->model->n_block; i++) {
    if (k->first[i + 1] == k->first[i]) continue;
    const int32_t told = list_budgets(w, i, at);
    k->cruise(k->user, i, h, k->drifted, n, told, k->which + at, k->budget + at);
    at += told;
  }
  const int64_t done = k->cruised(k->user);
  w->drifts += done, w->drifts_ahead = 1.0;
  k->taken += done, k->taken_back += done < n;
  if (done > 0) forget_known(w);
  if (done == k->cruise_steps)
    k->cruise_steps = 2 * done < VV_DEVICE_CRUISE ? (int32_t)(2 * done) : VV_DEVICE_CRUISE;
  else if (done < n)
    k->cruise_steps = k->cruise_steps / 2 > LEAST_CRUISE ? k->cruise_steps / 2 : LEAST_CRUISE;
  return done;
}

/* Where nothing is known of lists, all are. */
void vvi_sheet_away_measure(vvi_sheet_search *w)
{
  vvi_sheet_away *k = w->away;
  forget_past(w);
  w->drifts_ahead = plan_drifts(w);
  if (w->anew) {
    k->n_known = k->home;
    for (int32_t i = 0; i < k->first[k->model->n_block]; i++) k->known[k->n_known++] = k->cluster[i];
  }
  for (int i = 0; i < k->model->n_block; i++) measure_block(w, i);
  k->drifted = false, k->measures++;
  const int64_t stays = k->n_known - k->home > STAY ? 1 : STAYS;
  int32_t n = k->home;
  for (int32_t i = k->home; i < k->n_known; i++) {
    const int32_t cluster = k->known[i];
    if (!w->anew && k->used_in[cluster] + stays < k->measures) continue;
    k->known[n++] = cluster, k->known_in[cluster] = k->measures;
  }
  k->n_known = n;
}

/* ---- where clusters are ---- */

int64_t vvi_sheet_away_spots(const vvi_sheet_search *w, int block, int32_t *spot0, int32_t *spot)
{
  const struct vvi_sheets *s = w->sheets;
  const vvi_sheet_away *k = w->away;
  int64_t n = 0;
  for (int32_t i = k->first[block]; i < k->first[block + 1]; i++) {
    const vvi_sheet_cluster *r = &s->cluster[k->cluster[i]];
    const vvi_sheet_body *b = &s->body[r->body];
    if (spot0 != NULL) spot0[i - k->first[block]] = (int32_t)n;
    for (int32_t j = r->vertex0; k->seen[k->cluster[i]] && j < r->vertex0 + r->vertices; j++, n++)
      if (spot != NULL) spot[n] = (int32_t)(b->node0 + (s->mover[s->cluster_vertex[j]] - b->mover0));
  }
  if (spot0 != NULL) spot0[k->first[block + 1] - k->first[block]] = (int32_t)n;
  return n;
}

/* References of clusters from `from` on that follow each other here as they do there: of how many. */
static int32_t send_run(vvi_sheet_search *w, int block, int32_t from, int32_t all)
{
  const vvi_sheet_away *k = w->away;
  const int32_t *cluster = k->cluster + k->first[block] + from;
  int32_t n = 1;
  if (!k->seen[cluster[0]]) return 1;
  while (from + n < all && cluster[n] == cluster[0] + n && k->seen[cluster[n]]) n++;
  k->references(k->user, block, from, n, w->reference + 3 * (int64_t)w->sheets->cluster[cluster[0]].vertex0);
  return n;
}

void vvi_sheet_away_start(vvi_sheet_search *w)
{
  vvi_sheet_away *k = w->away;
  for (int block = 0; block < k->model->n_block; block++) {
    const int32_t first = k->first[block], all = k->first[block + 1] - first;
    if (all == 0) continue;
    for (int32_t i = 0, n; i < all; i += n) n = send_run(w, block, i, all);
    for (int32_t i = 0; i < all; i++) k->which[i] = i;
    k->rows(k->user, block, all, k->which, k->row);
    for (int32_t i = 0; i < all; i++) take_row(w, k->cluster[first + i], &k->row[i]);
  }
}

void vvi_sheet_away_refer(vvi_sheet_search *w)
{
  vvi_sheet_away *k = w->away;
  for (int block = 0; block < k->model->n_block; block++) {
    int32_t n = 0;
    for (int32_t i = k->home; i < k->n_known; i++) {
      const int32_t cluster = k->known[i];
      if (k->block_of[cluster] != block || !k->seen[cluster] || w->life[cluster].refer != w->round) continue;
      if (k->referred[cluster] == w->round) continue;
      k->referred[cluster] = w->round, k->which[n++] = k->number[cluster];
    }
    if (n > 0) k->refer(k->user, block, n, k->which);
  }
}

/* ---- movers ---- */

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
