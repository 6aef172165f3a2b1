/* contact/broad/sleep.c  Lists of pairs that need not be looked at for some drifts.
 *
 * Most candidate pairs neither use up their list nor come near in many drifts.  Bodies fly, and what their clusters do beside that is
 * little: with a displacement V of each body, any that is kept for some drifts, two points of clusters a and b of bodies A and B
 * come closer in a drift by at most
 *   |V_A - V_B| + s_a + s_b,   s: the largest |d - V| of a cluster                                           [sheets 26]
 * A list that holds, and has no pair to look at, for R more than nothing is given R in three parts: for the strays s of its two
 * clusters, and for so many drifts.  It sleeps until one of them is used up.  For a cluster the least of its parts, a nap, is one
 * comparison a drift, whatever the number of its lists; of what waits for a drift the soonest of some lists side by side is known.  What
 * has happened meanwhile is added when it wakes.  When to sleep is a matter of time alone: near pairs are those of a search that always looks. */
#include "contact/broad/away.h"
#include "contact/broad/search.h"

#include "base/sort.h"
#include "math/math.h"

#include <math.h>
#include <string.h>

/* Drifts that are worth a nap; of what a list has, the least that each of the three gets, in eighths; drifts of the longest. */
enum { WORTH = 8, LONGEST = 1 << 20 };
static const double LEAST = 0.125;
static const int64_t NEVER = INT64_MAX;
/* Where a part of all lists wakes or goes to sleep at once they are run through, in so many fixed pieces, and not found one by one. */
enum { MUCH = 8, PIECES = 64 };

vv_status vvi_sheet_sleep_create(vvi_sheet_search *w, vvi_arena *arena)
{
  const struct vvi_sheets *s = w->sheets;
  w->carry = vvi_arena_alloc(arena, sizeof *w->carry * ((size_t)s->n_body + 1));
  w->head = VVI_ARENA_NEW(arena, int32_t, s->n_cluster + 1);
  w->naps = VVI_ARENA_NEW(arena, double, (int64_t)w->threads *(s->n_cluster + 1));
  w->past = VVI_ARENA_NEW(arena, unsigned char, s->n_cluster + 1);
  w->woken = VVI_ARENA_NEW(arena, int32_t, s->n_body + 1), w->roused = VVI_ARENA_NEW(arena, int32_t, s->n_body + 1);
  const bool good = w->carry && w->head && w->naps && w->past && w->woken && w->roused;
  return good ? VV_OK : VV_NOMEM;
}

/* ---- the lists of a cluster: links are twice the slot, and one more where it is the second ---- */

static int32_t sides(const vvi_sheet_list *l)
{
  return l->a == l->b ? 1 : 2;
}

static int32_t cluster_of(const vvi_sheet_list *l, int side)
{
  return side == 0 ? l->a : l->b;
}

static int32_t *prev_of(vvi_sheet_search *w, int32_t link)
{
  return &w->list[link / 2].prev[link % 2];
}

static int32_t *next_of(vvi_sheet_search *w, int32_t link)
{
  return &w->list[link / 2].next[link % 2];
}

static void add_link(vvi_sheet_search *w, int32_t *head, int32_t link)
{
  *prev_of(w, link) = -1, *next_of(w, link) = *head;
  if (*head >= 0) *prev_of(w, *head) = link;
  *head = link;
}

static void drop_link(vvi_sheet_search *w, int32_t *head, int32_t link)
{
  const int32_t before = *prev_of(w, link), behind = *next_of(w, link);
  *(before >= 0 ? next_of(w, before) : head) = behind;
  if (behind >= 0) *prev_of(w, behind) = before;
}

/* ---- those that wait for a drift ---- */

/* Slots of a watch: the end. */
static int32_t end_of(const vvi_sheet_search *w, int32_t watch)
{
  const int32_t end = (watch + 1) * VVI_SHEET_WATCH;
  return end < w->n_slot ? end : w->n_slot;
}

static void watch_anew(vvi_sheet_search *w, int32_t watch)
{
  int64_t soonest = NEVER;
  for (int32_t i = watch * VVI_SHEET_WATCH; i < end_of(w, watch); i++)
    if (w->list[i].asleep && w->list[i].until < soonest) soonest = w->list[i].until;
  w->soonest[watch] = soonest;
}

/* Does it wait for a drift before this one? */
static bool is_over(const vvi_sheet_list *l, int64_t end)
{
  return l->asleep && l->until < end;
}

/* ---- to sleep, and to wake ---- */

static double way_of_bodies(const vvi_sheet_search *w, const vvi_sheet_list *l)
{
  const struct vvi_sheets *s = w->sheets;
  const double *a = w->carry[s->cluster[l->a].body], *b = w->carry[s->cluster[l->b].body];
  const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return vvi_norm3(d);
}

/* By how much two points may come closer before it has to be looked at; the better of what ways and paths tell. */
static double room_of(const vvi_sheet_search *w, const vvi_sheet_list *l)
{
  const double paths = w->life[l->a].path + w->life[l->b].path;
  const double lives = fmax(l->left * (1.0 - 1e-9) - l->way, l->wake * (1.0 - 1e-9) - paths);
  return l->n > 0 ? fmin(lives, (double)l->safe * (1.0 - 2e-6) - l->travel) : lives;
}

/* Is what it has worth a nap?  This alone reads nothing that others change. */
static void look_at(const vvi_sheet_search *w, vvi_sheet_list *l)
{
  const double rate = way_of_bodies(w, l) + w->life[l->a].stride + w->life[l->b].stride, room = room_of(w, l);
  l->idle = room > WORTH * rate && room > 0.0 && !l->stale && !vvi_sheet_is_whole(w, l);
}

/* This changes nothing but the list. */
static bool sleeps(const vvi_sheet_search *w, vvi_sheet_list *l)
{
  if (!l->idle) return false;
  const double stray[2] = {w->life[l->a].stride, w->life[l->b].stride}, way = way_of_bodies(w, l);
  const double rate = way + stray[0] + stray[1], room = room_of(w, l);
  const double each = LEAST * room, rest = rate > 0.0 ? (1.0 - 3.0 * LEAST) * room / rate : 0.0;
  const double drifts = way > 0.0 ? fmin((each + rest * way) / way, LONGEST) : LONGEST;
  if (drifts < WORTH) return false;
  l->asleep = true, l->between = way, l->slept = w->drifts;
  l->until = way > 0.0 ? w->drifts + (int64_t)drifts - 1 : NEVER;
  for (int side = 0; side < 2; side++) {
    const int32_t cluster = cluster_of(l, side);
    l->since[side] = w->life[cluster].stray, l->nap[side] = l->since[side] + each + rest * stray[side];
  }
  return true;
}

/* What has happened meanwhile. */
static void awakes(const vvi_sheet_search *w, vvi_sheet_list *l)
{
  const double strays = w->life[l->a].stray - l->since[0] + w->life[l->b].stray - l->since[1];
  const double more = (1.0 + 1e-9) * (strays + l->between * (double)(w->drifts - l->slept));
  l->asleep = false, l->until = NEVER;
  l->way += more, l->travel += more;
}

void vvi_sheet_list_wakes(vvi_sheet_search *w, int32_t slot)
{
  vvi_sheet_list *l = &w->list[slot];
  if (!l->asleep || l->off || !l->mine) return;
  awakes(w, l);
  w->awake[w->n_awake++] = (vvi_sheet_awake){.list = slot};
  w->unsorted = true;
}

static int by_place(const void *x, const void *y)
{
  const vvi_sheet_awake *a = x, *b = y;
  return a->place < b->place ? -1 : a->place > b->place;
}

/* Those that woke stand behind those that are awake, which are in order: a few of them are put between these. */
static void merge(vvi_sheet_search *w)
{
  enum { FEW = 64 };
  vvi_sheet_awake late[FEW];
  int32_t n = 1;
  vvi_sheet_number(w, w->n_awake);
  for (int32_t i = 0; i < w->n_awake; i++) w->awake[i].place = vvi_sheet_list_place(w, &w->list[w->awake[i].list]);
  while (n < w->n_awake && w->awake[n - 1].place <= w->awake[n].place) n++;
  int32_t left = w->n_awake - n;
  if (left <= 0) return;
  if (left > FEW) {
    vvi_sort(w->awake, (size_t)w->n_awake, sizeof *w->awake, by_place);
    return;
  }
  memcpy(late, w->awake + n, sizeof *late * (size_t)left);
  vvi_sort(late, (size_t)left, sizeof *late, by_place);
  for (int32_t to = w->n_awake - 1; left > 0; to--) {
    const bool behind = n == 0 || w->awake[n - 1].place <= late[left - 1].place;
    w->awake[to] = behind ? late[--left] : w->awake[--n];
  }
}

/* In the order of the meshes. */
void vvi_sheet_sort_awake(vvi_sheet_search *w)
{
  if (!w->unsorted) return;
  w->unsorted = false;
  if (8 * (int64_t)w->n_awake < w->n_list) {
    if (w->n_awake > 1) merge(w);
    return;
  }
  w->n_awake = 0;
  for (int32_t i = 0; i < w->n_list; i++)
    if (!w->list[w->order[i]].asleep) w->awake[w->n_awake++] = (vvi_sheet_awake){.list = w->order[i]};
}

/* Those of a cluster, all of them or whose nap is over. */
static void wake_cluster(vvi_sheet_search *w, int32_t cluster, bool all)
{
  vvi_sheet_life *k = &w->life[cluster];
  k->nap = INFINITY;
  for (int32_t link = w->head[cluster]; link >= 0; link = *next_of(w, link)) {
    const vvi_sheet_list *l = &w->list[link / 2];
    if (!l->asleep) continue;
    if (all || k->stray_ahead > l->nap[link % 2])
      vvi_sheet_list_wakes(w, link / 2);
    else
      k->nap = fmin(k->nap, l->nap[link % 2]);
  }
}

/* What two clusters do is asked for, where an accelerator has their points. */
static void ask_for(vvi_sheet_search *w, const vvi_sheet_list *l)
{
  vvi_sheet_away_ask(w, l->a);
  vvi_sheet_away_ask(w, l->b);
}

/* Before some of a cluster wake, or all. */
static void ask_for_cluster(vvi_sheet_search *w, int32_t cluster, bool all)
{
  vvi_sheet_away_ask(w, cluster);
  for (int32_t link = w->head[cluster]; link >= 0; link = *next_of(w, link)) {
    const vvi_sheet_list *l = &w->list[link / 2];
    if (l->asleep && (all || w->life[cluster].stray_ahead > l->nap[link % 2])) ask_for(w, l);
  }
}

void vvi_sheet_wake_all(vvi_sheet_search *w)
{
  if (w->away != NULL) vvi_sheet_away_ask_all(w);
  for (int32_t i = 0; i < w->sheets->n_cluster; i++) wake_cluster(w, i, true);
}

/* ---- how bodies fly ---- */

/* The middle of what its clusters do; of those that woke, or of all. */
static void carry_body(vvi_sheet_search *w, int32_t body, bool all)
{
  const vvi_sheet_body *b = &w->sheets->body[body];
  double sum[3] = {0, 0, 0};
  int32_t n = 0;
  for (int32_t i = b->cluster0; i < b->cluster0 + b->clusters; i++) {
    if (!all && (w->past[i] & VVI_SHEET_NAP) == 0) continue;
    for (int c = 0; c < 3; c++) sum[c] += w->speed[i].centre[c];
    n++;
  }
  for (int c = 0; c < 3; c++) w->carry[body][c] = n > 0 ? sum[c] / n : 0.0;
}

void vvi_sheet_carry_all(vvi_sheet_search *w)
{
  for (int32_t i = 0; i < w->sheets->n_body; i++) carry_body(w, i, true);
}

/* Where many clusters of a body wake at once it flies in another way. */
static bool many_woke(const vvi_sheet_search *w, int32_t body)
{
  return 4 * w->woken[body] >= w->sheets->body[body].clusters;
}

/* awake: all of their lists are. */
static void carry_anew(vvi_sheet_search *w, int32_t n, bool awake)
{
  for (int32_t i = 0; i < n; i++) {
    const vvi_sheet_body *b = &w->sheets->body[w->roused[i]];
    const bool many = many_woke(w, w->roused[i]);
    w->woken[w->roused[i]] = 0;
    if (!many) continue;
    for (int32_t k = b->cluster0; !awake && k < b->cluster0 + b->clusters; k++) wake_cluster(w, k, true);
    carry_body(w, w->roused[i], false);
  }
}

/* ---- a drift ---- */

/* What waking reads, where an accelerator has it: of lists that are awake, that wait for this drift, of clusters past their naps. */
static void ask_before(vvi_sheet_search *w, int32_t bodies, int32_t pasts, int64_t drift)
{
  for (int32_t i = 0; i < w->n_awake; i++) ask_for(w, vvi_sheet_list_at(w, i));
  for (int32_t k = 0; k < w->watches; k++)
    for (int32_t i = k * VVI_SHEET_WATCH; w->soonest[k] < drift && i < end_of(w, k); i++)
      if (is_over(&w->list[i], drift)) ask_for(w, &w->list[i]);
  for (int32_t i = 0; i < bodies; i++) {
    const vvi_sheet_body *b = &w->sheets->body[w->roused[i]];
    const int32_t end = many_woke(w, w->roused[i]) ? b->cluster0 + b->clusters : b->cluster0;
    for (int32_t k = b->cluster0; k < end; k++) ask_for_cluster(w, k, true);
  }
  for (int32_t i = 0; i < pasts; i++) {
    const int32_t k = vvi_sheet_past_at(w, i);
    if ((w->past[k] & VVI_SHEET_NAP) != 0) ask_for_cluster(w, k, false);
  }
  vvi_sheet_away_learn(w);
}

/* ---- many at once ---- */

static void note_naps(const vvi_sheet_list *l, double *naps)
{
  naps[l->a] = fmin(naps[l->a], l->nap[0]), naps[l->b] = fmin(naps[l->b], l->nap[1]);
}

/* The naps that threads have noted, beside those that clusters have. */
static void join_naps(vvi_sheet_search *w)
{
#pragma omp parallel for schedule(static) num_threads(w->threads)
  for (int32_t i = 0; i < w->sheets->n_cluster; i++)
    for (int t = 0; t < w->threads; t++)
      w->life[i].nap = fmin(w->life[i].nap, w->naps[(int64_t)t * w->sheets->n_cluster + i]);
}

static double *naps_of_thread(const vvi_sheet_search *w)
{
  return w->naps + (int64_t)vvi_team_rank() * w->sheets->n_cluster;
}

static void forget_naps(vvi_sheet_search *w)
{
  const int64_t n = (int64_t)w->threads * w->sheets->n_cluster;
#pragma omp parallel for schedule(static) num_threads(w->threads)
  for (int64_t i = 0; i < n; i++) w->naps[i] = INFINITY;
}

/* Pieces of n, in whole watches. */
static int32_t piece_of(int32_t n, int32_t piece)
{
  const int32_t size = (n / PIECES / VVI_SHEET_WATCH + 1) * VVI_SHEET_WATCH;
  return piece < n / size + 1 ? piece * size : n;
}

static bool is_done(const vvi_sheet_search *w, int32_t cluster, double nap)
{
  return w->life[cluster].stray_ahead > nap || many_woke(w, w->sheets->cluster[cluster].body);
}

/* Those of a piece of the slots that wake, listed in `due`; what those that do not have to wait for. */
static int32_t wake_piece(vvi_sheet_search *w, int32_t from, int32_t to, int64_t end)
{
  double *naps = naps_of_thread(w);
  int32_t n = 0;
  for (int32_t i = from; i < to; i++) {
    vvi_sheet_list *l = &w->list[i];
    if (!l->asleep || l->off || !l->mine) continue;
    if (is_over(l, end) || is_done(w, l->a, l->nap[0]) || is_done(w, l->b, l->nap[1])) {
      awakes(w, l);
      w->due[from + n++] = i;
    } else {
      note_naps(l, naps);
    }
  }
  for (int32_t k = from / VVI_SHEET_WATCH; k * VVI_SHEET_WATCH < to; k++) watch_anew(w, k);
  return n;
}

static void wake_many(vvi_sheet_search *w, int64_t end)
{
  int32_t count[PIECES];
  forget_naps(w);
  for (int32_t i = 0; i < w->sheets->n_cluster; i++) w->life[i].nap = INFINITY;
#pragma omp parallel for schedule(static) num_threads(w->threads)
  for (int32_t k = 0; k < PIECES; k++)
    count[k] = wake_piece(w, piece_of(w->n_slot, k), piece_of(w->n_slot, k + 1), end);
  join_naps(w);
  for (int32_t k = 0; k < PIECES; k++)
    for (int32_t i = 0; i < count[k]; i++)
      w->awake[w->n_awake++] = (vvi_sheet_awake){.list = w->due[piece_of(w->n_slot, k) + i]};
  w->unsorted = true;
}

static void sleep_many(vvi_sheet_search *w)
{
  const int32_t n = w->n_awake;
  int32_t count[PIECES], sum = 0;
  forget_naps(w);
#pragma omp parallel for schedule(static) num_threads(w->threads)
  for (int32_t k = 0; k < PIECES; k++) {
    const int32_t from = piece_of(n, k), to = piece_of(n, k + 1);
    count[k] = 0;
    for (int32_t i = from; i < to; i++) {
      look_at(w, vvi_sheet_list_at(w, i));
      if (sleeps(w, vvi_sheet_list_at(w, i)))
        note_naps(vvi_sheet_list_at(w, i), naps_of_thread(w));
      else
        w->awake[from + count[k]++] = w->awake[i];
    }
  }
  join_naps(w);
#pragma omp parallel for schedule(static) num_threads(w->threads)
  for (int32_t k = 0; k < w->watches; k++) watch_anew(w, k);
  for (int32_t k = 0; k < PIECES; k++) {
    memmove(w->awake + sum, w->awake + piece_of(n, k), sizeof *w->awake * (size_t)count[k]);
    sum += count[k];
  }
  w->n_awake = sum;
}

/* ---- those of a drift ---- */

/* Are the clusters whose lists are looked at since one of them woke, or the watches with lists that wait for a drift before `end`, a
 * large part of all? */
static bool many_wake(const vvi_sheet_search *w, int32_t bodies, int64_t end)
{
  int64_t clusters = 0, watches = 0;
  if (!vvi_sheet_shares(w, w->n_list)) return false;
  for (int32_t i = 0; i < bodies; i++)
    clusters += many_woke(w, w->roused[i]) ? w->sheets->body[w->roused[i]].clusters : w->woken[w->roused[i]];
  for (int32_t k = 0; k < w->watches; k++) watches += w->soonest[k] < end;
  return MUCH * clusters >= w->sheets->n_cluster || MUCH * watches >= w->watches;
}

static void wake_some(vvi_sheet_search *w, int32_t pasts, int64_t end)
{
  for (int32_t k = 0; k < w->watches; k++) {
    if (w->soonest[k] >= end) continue;
    for (int32_t i = k * VVI_SHEET_WATCH; i < end_of(w, k); i++)
      if (is_over(&w->list[i], end)) vvi_sheet_list_wakes(w, i);
    watch_anew(w, k);
  }
  for (int32_t i = 0; i < pasts; i++) {
    const int32_t k = vvi_sheet_past_at(w, i);
    if ((w->past[k] & VVI_SHEET_NAP) != 0) wake_cluster(w, k, false);
  }
}

void vvi_sheet_wake(vvi_sheet_search *w)
{
  int32_t bodies = 0;
  const int32_t pasts = vvi_sheet_pasts(w);
  const int64_t end = w->drifts + (int64_t)w->drifts_ahead;
  for (int32_t j = 0; j < pasts; j++) {
    const int32_t i = vvi_sheet_past_at(w, j);
    if ((w->past[i] & VVI_SHEET_NAP) == 0) continue;
    const int32_t body = w->sheets->cluster[i].body;
    if (w->woken[body]++ == 0) w->roused[bodies++] = body;
  }
  const bool many = many_wake(w, bodies, end);
  if (many) {
    if (w->away != NULL) vvi_sheet_away_ask_all(w);
    wake_many(w, end);
  } else {
    if (w->away != NULL) ask_before(w, bodies, pasts, end);
    wake_some(w, pasts, end);
  }
  carry_anew(w, bodies, many);
  if (w->ranks != NULL) vvi_sheet_sort_awake(w);
}

void vvi_sheet_sleep(vvi_sheet_search *w)
{
  int32_t n = 0;
  w->drifts++;
  if (vvi_sheet_shares(w, w->n_awake) && MUCH * (int64_t)w->n_awake >= w->n_list) {
    sleep_many(w);
    return;
  }
  for (int32_t i = 0; i < w->n_awake; i++) {
    vvi_sheet_list *l = vvi_sheet_list_at(w, i);
    int64_t *soonest = &w->soonest[w->awake[i].list / VVI_SHEET_WATCH];
    look_at(w, l);
    if (!sleeps(w, l)) {
      w->awake[n++] = w->awake[i];
      continue;
    }
    *soonest = l->until < *soonest ? l->until : *soonest;
    for (int side = 0; side < 2; side++) {
      vvi_sheet_life *k = &w->life[cluster_of(l, side)];
      k->nap = fmin(k->nap, l->nap[side]);
    }
  }
  w->n_awake = n;
}

int64_t vvi_sheet_drifts_asleep(vvi_sheet_search *w, int64_t most)
{
  int64_t n = w->n_awake > 0 ? 0 : most;
  for (int32_t k = 0; k < w->watches; k++) {
    if (w->soonest[k] < w->drifts + n) watch_anew(w, k);
    if (w->soonest[k] < w->drifts + n) n = w->soonest[k] - w->drifts;
  }
  return n > 0 ? n : 0;
}

/* ---- candidate pairs come and go ---- */

void vvi_sheet_list_enters(vvi_sheet_search *w, int32_t slot)
{
  vvi_sheet_list *l = &w->list[slot];
  for (int side = 0; side < sides(l); side++) add_link(w, &w->head[cluster_of(l, side)], 2 * slot + side);
  for (; w->watches <= slot / VVI_SHEET_WATCH; w->watches++) w->soonest[w->watches] = NEVER;
  l->asleep = l->off || !l->mine, l->until = NEVER;
  l->nap[0] = l->nap[1] = INFINITY;
  if (l->asleep) return;
  w->awake[w->n_awake++] = (vvi_sheet_awake){.list = slot};
  w->unsorted = true;
}

void vvi_sheet_list_leaves(vvi_sheet_search *w, int32_t slot)
{
  vvi_sheet_list *l = &w->list[slot];
  for (int side = 0; side < sides(l); side++) drop_link(w, &w->head[cluster_of(l, side)], 2 * slot + side);
  l->asleep = true, l->mine = false, l->until = NEVER; /* nobody wakes a slot that is not in use */
  w->parted[slot] = 1;
}

void vvi_sheet_sleep_forget(vvi_sheet_search *w)
{
  for (int32_t i = 0; i < w->sheets->n_cluster; i++) w->head[i] = -1, w->life[i].nap = INFINITY;
  w->n_awake = w->watches = 0;
}
