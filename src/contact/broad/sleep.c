/* contact/broad/sleep.c  Lists of pairs that need not be looked at for some drifts.
 *
 * Most candidate pairs neither use up their list nor come near in many drifts.  Bodies fly, and what their clusters do beside that is
 * little: with a displacement V of each body, any that is kept for some drifts, two points of clusters a and b of bodies A and B
 * come closer in a drift by at most
 *   |V_A - V_B| + s_a + s_b,   s: the largest |d - V| of a cluster                                           [sheets 26]
 * A list that holds, and has no pair to look at, for R more than nothing is given R in three parts: for the strays s of its two
 * clusters, and for so many drifts.  It sleeps until one of them is used up.  For a cluster the least of its parts, a nap, is one
 * comparison a drift, whatever the number of its lists; drifts stand in a ring.  What has happened meanwhile is added when it
 * wakes.  When to sleep is a matter of time alone: near pairs are those of a search that always looks. */
#include "contact/broad/away.h"
#include "contact/broad/search.h"

#include "base/sort.h"
#include "math/math.h"

#include <math.h>
#include <string.h>

/* Drifts that are worth a nap; of what a list has, the least that each of the three gets, in eighths; drifts of the ring. */
enum { WORTH = 8, RING = 1024 };
static const double LEAST = 0.125;

vv_status vvi_sheet_sleep_create(vvi_sheet_search *w, vvi_arena *arena)
{
  const struct vvi_sheets *s = w->sheets;
  w->carry = vvi_arena_alloc(arena, sizeof *w->carry * ((size_t)s->n_body + 1));
  w->head = VVI_ARENA_NEW(arena, int32_t, s->n_cluster + 1);
  w->ring = VVI_ARENA_NEW(arena, int32_t, RING);
  w->past = VVI_ARENA_NEW(arena, unsigned char, s->n_cluster + 1);
  w->woken = VVI_ARENA_NEW(arena, int32_t, s->n_body + 1), w->roused = VVI_ARENA_NEW(arena, int32_t, s->n_body + 1);
  const bool good = w->carry && w->head && w->ring && w->past && w->woken && w->roused;
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

/* ---- the ring of those that wait for a drift ---- */

static void wait_for(vvi_sheet_search *w, int32_t slot, int64_t drift)
{
  vvi_sheet_list *l = &w->list[slot];
  int32_t *head = &w->ring[drift % RING];
  l->until = drift, l->sooner = -1, l->later = *head;
  if (*head >= 0) w->list[*head].sooner = slot;
  *head = slot;
}

static void wait_no_more(vvi_sheet_search *w, const vvi_sheet_list *l)
{
  if (l->until < 0) return;
  *(l->sooner >= 0 ? &w->list[l->sooner].later : &w->ring[l->until % RING]) = l->later;
  if (l->later >= 0) w->list[l->later].sooner = l->sooner;
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

static bool sleeps(vvi_sheet_search *w, int32_t slot)
{
  vvi_sheet_list *l = &w->list[slot];
  if (!l->idle) return false;
  const double stray[2] = {w->life[l->a].stride, w->life[l->b].stride}, way = way_of_bodies(w, l);
  const double rate = way + stray[0] + stray[1], room = room_of(w, l);
  const double each = LEAST * room, rest = rate > 0.0 ? (1.0 - 3.0 * LEAST) * room / rate : 0.0;
  const double drifts = way > 0.0 ? fmin((each + rest * way) / way, RING) : RING;
  if (drifts < WORTH) return false;
  l->asleep = true, l->between = way, l->slept = w->drifts, l->until = -1;
  if (way > 0.0) wait_for(w, slot, w->drifts + (int64_t)drifts - 1);
  for (int side = 0; side < 2; side++) {
    vvi_sheet_life *k = &w->life[cluster_of(l, side)];
    l->since[side] = k->stray, l->nap[side] = k->stray + each + rest * stray[side];
    k->nap = fmin(k->nap, l->nap[side]);
  }
  return true;
}

void vvi_sheet_list_wakes(vvi_sheet_search *w, int32_t slot)
{
  vvi_sheet_list *l = &w->list[slot];
  if (!l->asleep || l->off || !l->mine) return;
  wait_no_more(w, l);
  l->asleep = false;
  const double strays = w->life[l->a].stray - l->since[0] + w->life[l->b].stray - l->since[1];
  const double more = (1.0 + 1e-9) * (strays + l->between * (double)(w->drifts - l->slept));
  l->way += more, l->travel += more;
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
static void sort(vvi_sheet_search *w)
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
  for (int32_t i = 0; w->away != NULL && i < w->sheets->n_cluster; i++) vvi_sheet_away_ask(w, i);
  if (w->away != NULL) vvi_sheet_away_learn(w);
  for (int32_t i = 0; i < w->sheets->n_cluster; i++) wake_cluster(w, i, true);
  sort(w);
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

static void carry_anew(vvi_sheet_search *w, int32_t n)
{
  for (int32_t i = 0; i < n; i++) {
    const vvi_sheet_body *b = &w->sheets->body[w->roused[i]];
    const bool many = many_woke(w, w->roused[i]);
    w->woken[w->roused[i]] = 0;
    if (!many) continue;
    for (int32_t k = b->cluster0; k < b->cluster0 + b->clusters; k++) wake_cluster(w, k, true);
    carry_body(w, w->roused[i], false);
  }
}

/* ---- a drift ---- */

/* What waking reads, where an accelerator has it: of lists that are awake, that wait for this drift, of clusters past their naps. */
static void ask_before(vvi_sheet_search *w, int32_t bodies, int32_t pasts)
{
  for (int32_t i = 0; i < w->n_awake; i++) ask_for(w, vvi_sheet_list_at(w, i));
  for (int64_t r = w->rung; r <= w->drifts; r++)
    for (int32_t slot = w->ring[r % RING]; slot >= 0; slot = w->list[slot].later) ask_for(w, &w->list[slot]);
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

void vvi_sheet_wake(vvi_sheet_search *w)
{
  int32_t bodies = 0;
  const int32_t pasts = vvi_sheet_pasts(w);
  for (int32_t j = 0; j < pasts; j++) {
    const int32_t i = vvi_sheet_past_at(w, j);
    if ((w->past[i] & VVI_SHEET_NAP) == 0) continue;
    const int32_t body = w->sheets->cluster[i].body;
    if (w->woken[body]++ == 0) w->roused[bodies++] = body;
  }
  if (w->away != NULL) ask_before(w, bodies, pasts);
  for (; w->rung <= w->drifts; w->rung++) {
    for (int32_t slot = w->ring[w->rung % RING], next; slot >= 0; slot = next) {
      next = w->list[slot].later;
      vvi_sheet_list_wakes(w, slot);
    }
  }
  for (int32_t i = 0; i < pasts; i++) {
    const int32_t k = vvi_sheet_past_at(w, i);
    if ((w->past[k] & VVI_SHEET_NAP) != 0) wake_cluster(w, k, false);
  }
  carry_anew(w, bodies);
  sort(w);
}

void vvi_sheet_sleep(vvi_sheet_search *w)
{
  int32_t n = 0;
  w->drifts++;
  if (vvi_sheet_shares(w, w->n_awake)) {
#pragma omp parallel for schedule(static) num_threads(w->threads)
    for (int32_t i = 0; i < w->n_awake; i++) look_at(w, vvi_sheet_list_at(w, i));
  } else {
    for (int32_t i = 0; i < w->n_awake; i++) look_at(w, vvi_sheet_list_at(w, i));
  }
  for (int32_t i = 0; i < w->n_awake; i++)
    if (!sleeps(w, w->awake[i].list)) w->awake[n++] = w->awake[i];
  w->n_awake = n;
}

/* ---- candidate pairs come and go ---- */

void vvi_sheet_list_enters(vvi_sheet_search *w, int32_t slot)
{
  vvi_sheet_list *l = &w->list[slot];
  for (int side = 0; side < sides(l); side++) add_link(w, &w->head[cluster_of(l, side)], 2 * slot + side);
  l->asleep = l->off || !l->mine, l->until = -1;
  l->nap[0] = l->nap[1] = INFINITY;
  if (l->asleep) return;
  w->awake[w->n_awake++] = (vvi_sheet_awake){.list = slot};
  w->unsorted = true;
}

void vvi_sheet_list_leaves(vvi_sheet_search *w, int32_t slot)
{
  vvi_sheet_list *l = &w->list[slot];
  for (int side = 0; side < sides(l); side++) drop_link(w, &w->head[cluster_of(l, side)], 2 * slot + side);
  if (l->asleep) wait_no_more(w, l);
  w->parted[slot] = 1;
}

void vvi_sheet_sleep_forget(vvi_sheet_search *w)
{
  for (int32_t i = 0; i < w->sheets->n_cluster; i++) w->head[i] = -1, w->life[i].nap = INFINITY;
  for (int32_t i = 0; i < RING; i++) w->ring[i] = -1;
  w->n_awake = 0, w->rung = w->drifts;
}
