/* contact/broad/search.c  Which pairs may meet in the coming drift.
 *
 * With the displacements of a cluster in a drift inside a box with centre C and half edges r, two points of clusters A and B
 * approach by
 *   sqrt(sum over axes (|C_A - C_B| + r_A + r_B)^2)                                                          [sheets 4]
 * at most (measure.c); before it is known what the answers will add, inside balls about C.  The sum over drifts is the travel
 * of a candidate pair.  A pair at distance d when the travel was T need not be looked at before T + d; how long lists hold is in
 * life.c.
 *
 * Numbers that were tried out on spheres and cubes (bench_sheets): a list begins with 0.3 of the largest skin, is shortened
 * above MANY pairs a vertex and lengthened below FEW (4 and 2 build more lists of crowds than they save
 * looks at pairs); BLOCK budgets are tested at once. */
#include "contact/broad/search.h"
#include "base/sort.h"
#include "contact/broad/away.h"
#include "contact/broad/ranks.h"

#include "math/math.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 256, TOGETHER = 4, BLOCK = VVI_SHEET_BLOCK, PAIRS = 64, SHRINKS = 6, MANY = 6, FEW = 3 };
/* PAIRS an element: where there are more all skins are halved for good.  With room for 24 a crowd of 64 cubes that flew to their
 * middle built 13.5 lists a step in the end, with 64 it builds 6.4. */
/* Where skins of nothing but the coming drift need more than PAIRS an element, there is more room, up to this: bodies then move
 * by an edge in a step, each element past some 24 times 64 others. */
enum { MOST_PAIRS = 24 * PAIRS };
/* Pairs there is room for at first, and on the bench of a thread; bodies that threads share are more than this; vertices of a
 * piece. */
enum { FIRST = 65536, BENCH = 16384, SHARED = 8, PIECE = 4096 };
static const double OPENING = 0.3;
static const double OVERLAP =
    1e-6; /* ends of pieces that wake deeper in a thickness, over an edge, wait until they are out */

/* ---- room ---- */

static vv_status make_benches(vvi_sheet_search *w, vvi_arena *arena)
{
  w->bench = VVI_ARENA_NEW(arena, vvi_sheet_bench, w->threads + 1);
  if (w->bench == NULL) return VV_NOMEM;
  for (int i = 0; w->threads > 1 && i < w->threads; i++) {
    vvi_sheet_bench *k = &w->bench[i];
    *k = (vvi_sheet_bench){.room = BENCH, .pair = VVI_ARENA_NEW(arena, vvi_sheet_pair, BENCH)};
    k->safe = VVI_ARENA_NEW(arena, float, BENCH);
    if (k->pair == NULL || k->safe == NULL) return VV_NOMEM;
  }
  return VV_OK;
}

/* Room for so many pairs, chunks of all lists included. */
static bool make_room(vvi_sheet_search *w, int64_t room)
{
  const int64_t chunks = room / CHUNK + w->list_room + 1;
  if (room > w->room) {
    const int64_t had = w->room;
    if (!VVI_SHEET_GROW(w, pair, had, w->used, room) || !VVI_SHEET_GROW(w, safe, had, w->used, room)) return false;
    if (!VVI_SHEET_GROW(w, block, had / BLOCK, w->used / BLOCK, room / BLOCK)) return false;
    if (!VVI_SHEET_GROW(w, slot, had, 0, room)) return false;
    w->room = room;
  }
  if (chunks > w->chunk_room) {
    if (!VVI_SHEET_GROW(w, chunk, w->chunk_room, 0, 2 * chunks)) return false;
    w->chunk_room = 2 * chunks;
  }
  return true;
}

bool vvi_sheet_pairs_fit(vvi_sheet_search *w, int64_t room)
{
  return room <= w->most_room && make_room(w, room > w->room ? room : w->room);
}

static bool make_near(vvi_sheet_search *w, int64_t room)
{
  if (room > INT32_MAX || !VVI_SHEET_GROW(w, near, w->near_room, w->n_near, room)) return false;
  w->near_room = (int32_t)room;
  return true;
}

bool vvi_sheet_near_fit(vvi_sheet_search *w, int64_t room)
{
  return room <= w->near_room || make_near(w, 2 * room);
}

vv_status vvi_sheet_search_create(const struct vvi_sheets *s, vvi_arena *arena, int threads, double skin,
                                  vvi_sheet_search **out)
{
  vvi_sheet_search *w = *out = VVI_ARENA_NEW(arena, vvi_sheet_search, 1);
  if (w == NULL) return VV_NOMEM;
  w->sheets = s, w->arena = arena, w->threads = threads, w->skin = w->outset = skin;
  w->opening = OPENING;
  w->motion.sheets = s;
  w->most_room = (PAIRS * (int64_t)s->n_element + 4 * (int64_t)s->n_vertex + FIRST) / BLOCK * BLOCK;
  w->motion.at = VVI_ARENA_NEW(arena, vvi_points, s->n_body + 1);
  w->motion.frame = VVI_ARENA_NEW(arena, vvi_sheet_frame, s->n_mover + 1);
  w->margin = VVI_ARENA_NEW(arena, double, s->n_rule + 1);
  w->speed = VVI_ARENA_NEW(arena, vvi_sheet_speed, s->n_cluster + 1);
  w->strip = VVI_ARENA_NEW(arena, double, 6 * (int64_t)s->n_strip + 1);
  w->ready = VVI_ARENA_NEW(arena, int64_t, s->n_tree + 1);
  w->span = VVI_ARENA_NEW(arena, float, 6 * ((int64_t)s->n_edge + VVI_SHEET_LANES));
  w->plane = VVI_ARENA_NEW(arena, float, 16 * ((int64_t)s->n_element + VVI_SHEET_LEAF));
  w->tree = VVI_ARENA_NEW(arena, vvi_sheet_branch, s->n_tree + 1);
  w->box = VVI_ARENA_NEW(arena, double, 6 * (int64_t)s->n_element + 1);
  w->x = VVI_ARENA_NEW(arena, double, 3 * (int64_t)s->n_vertex + 1);
  w->y = VVI_ARENA_NEW(arena, double, 3 * (int64_t)s->n_vertex + 1);
  w->fresh = VVI_ARENA_NEW(arena, unsigned char, s->n_cluster + 1);
  w->wanted = VVI_ARENA_NEW(arena, unsigned char, s->n_cluster + 1);
  w->wants = VVI_ARENA_NEW(arena, int32_t, s->n_cluster + 1);
  w->active_clusters = VVI_ARENA_NEW(arena, int32_t, s->n_body + 1);
  w->active = VVI_ARENA_NEW(arena, int32_t, s->n_body + 1);
  if (w->motion.at == NULL || w->motion.frame == NULL || w->margin == NULL || w->speed == NULL || w->tree == NULL)
    return VV_NOMEM;
  if (w->wanted == NULL || w->wants == NULL || w->active_clusters == NULL || w->active == NULL || w->span == NULL ||
      w->plane == NULL || w->y == NULL)
    return VV_NOMEM;
  if (w->ready == NULL || w->strip == NULL || w->box == NULL || w->x == NULL || w->fresh == NULL) return VV_NOMEM;
  w->round = 1, w->drifts_ahead = 1.0;
  VV_TRY(make_benches(w, arena));
  VV_TRY(vvi_sheet_life_create(w, arena));
  VV_TRY(vvi_sheet_candidates_create(w, arena));
  VV_TRY(vvi_sheet_sleep_create(w, arena));
  VV_TRY(vvi_sheet_gone_create(w, arena));
  if (!make_room(w, FIRST) || !make_near(w, FIRST / 4)) return VV_NOMEM;
  vvi_sheet_forget(w);
  return VV_OK;
}

/* ---- lists ---- */

static double drifts_apart(const vvi_sheet_search *w, const vvi_sheet_list *l)
{
  const double *a = w->speed[l->a].centre, *b = w->speed[l->b].centre;
  const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return vvi_norm3(d);
}

static int by_place(const void *x, const void *y)
{
  const vvi_sheet_spot *a = x, *b = y;
  return a->first < b->first ? -1 : a->first > b->first;
}

/* Lists in the order of their places, without holes. */
void vvi_sheet_compact(vvi_sheet_search *w)
{
  int32_t n = 0;
  for (int32_t i = 0; i < w->n_list; i++) {
    vvi_sheet_list *l = &w->list[w->order[i]];
    l->room = 0;
    if (l->n > 0 && !l->stale) w->spot[n++] = (vvi_sheet_spot){.first = l->first, .list = w->order[i]};
  }
  vvi_sort(w->spot, (size_t)n, sizeof *w->spot, by_place);
  w->used = 0;
  for (int32_t i = 0; i < n; i++) {
    vvi_sheet_list *l = &w->list[w->spot[i].list];
    const int64_t to = w->used;
    memmove(w->pair + to, w->pair + l->first, sizeof *w->pair * (size_t)l->n);
    memmove(w->safe + to, w->safe + l->first, sizeof *w->safe * (size_t)vvi_sheet_blocks(l->n));
    memmove(w->block + to / BLOCK, w->block + l->first / BLOCK,
            sizeof *w->block * (size_t)(vvi_sheet_blocks(l->n) / BLOCK));
    l->first = to, l->room = vvi_sheet_blocks(l->n), w->used = to + l->room;
  }
}

static const double *box_of(const vvi_sheet_search *w, int32_t cluster)
{
  return vvi_sheet_sees(w, cluster) ? w->life[cluster].at : w->tree[w->sheets->cluster[cluster].root].box;
}

/* How far two clusters are apart at least, by their boxes; an obstacle: not known without looking at the vertices. */
static double apart(const vvi_sheet_search *w, const vvi_sheet_list *l)
{
  if (l->a == l->b || w->sheets->body[w->sheets->cluster[l->b].body].obstacle != NULL) return 0.0;
  return vvi_sheet_box_distance(box_of(w, l->a), box_of(w, l->b));
}

/* Many pairs: they cost more than new lists; none at all: the next list may look farther. */
static void adapt_skin(const vvi_sheet_search *w, vvi_sheet_list *l)
{
  const struct vvi_sheets *s = w->sheets;
  const int64_t size = s->cluster[l->a].vertices + s->cluster[l->b].vertices;
  if (l->n > MANY * size) l->skin = fmax(0.7 * l->skin, 0.1 * w->skin);
  if (l->n < FEW * size) l->skin = fmin(1.4 * l->skin, (l->n == 0 ? 1.6 : 1.0) * w->skin);
}

static double skin_of(const vvi_sheet_list *l)
{
  return l->offset + fmax(l->skin, 2.0 * (l->step + l->margin));
}

/* Room for n pairs: where the last ones were, or behind all others; false: there is none. */
static bool take_room(vvi_sheet_search *w, vvi_sheet_list *l, int64_t n)
{
  const int64_t room = vvi_sheet_blocks(n);
  if (room <= l->room) return true;
  if (w->used > w->room - room) return false;
  l->first = w->used, l->room = room;
  w->used += room;
  return true;
}

/* Its pairs lie in their place: n of them, found below skin. */
static void has_list(vvi_sheet_search *w, vvi_sheet_list *l, int64_t n, double closest)
{
  const int64_t first = l->first;
  const double far = apart(w, l), skin = skin_of(l);
  const bool obstacle = w->sheets->body[w->sheets->cluster[l->b].body].obstacle != NULL;
  l->n = n, l->safe = -INFINITY;
  for (int64_t k = first + n; k < first + vvi_sheet_blocks(n); k++) w->safe[k] = INFINITY;
  for (int64_t k = first / BLOCK; k < (first + vvi_sheet_blocks(n)) / BLOCK; k++) w->block[k] = -INFINITY;
  l->limit = far > skin ? far : obstacle ? fmax(skin, closest) : skin;
  l->travel = 0.0, l->stale = false;
}

/* Holes are closed, if that gives half of the room; else there will be more of it.  False: this is all. */
static bool find_room(vvi_sheet_search *w)
{
  if (w->used > 0) vvi_sheet_compact(w);
  if (2 * w->used < w->room && !w->tight) return w->tight = true; /* unless that has been tried for this list */
  const int64_t room = 2 * w->room < w->most_room ? 2 * w->room : w->most_room;
  return room > w->room && make_room(w, room);
}

/* Found pairs go to the place of their list. */
static void put_pairs(vvi_sheet_search *w, const vvi_sheet_list *l, const vvi_sheet_bench *from)
{
  if (from->n == 0 || from->pair == w->pair + l->first) return;
  memcpy(w->pair + l->first, from->pair, sizeof *from->pair * (size_t)from->n);
  memcpy(w->safe + l->first, from->safe, sizeof *from->safe * (size_t)from->n);
}

/* Behind all others, and from there to its place. */
static bool build(vvi_sheet_search *w, vvi_sheet_list *l)
{
  double closest = INFINITY;
  bool done = apart(w, l) > skin_of(l);
  vvi_sheet_bench end = {.n = 0};
  w->tight = false;
  while (!done) {
    end = (vvi_sheet_bench){.pair = w->pair + w->used, .safe = w->safe + w->used, .room = w->room - w->used};
    done = vvi_sheet_list_pairs(w, l, skin_of(l), &end, &closest);
    if (!done && !find_room(w)) return false;
  }
  if (!take_room(w, l, end.n)) return false; /* it was written there */
  put_pairs(w, l, &end);
  has_list(w, l, end.n, closest);
  return true;
}

/* By many threads: each lists on a bench of its own, then takes room.  Where lists lie is left to chance, what is in them not.
 * One that finds no room stays stale. */
static void build_aside(vvi_sheet_search *w, vvi_sheet_list *l, vvi_sheet_bench *bench)
{
  double closest = INFINITY;
  bool room;
  bench->n = 0;
  if (apart(w, l) <= skin_of(l) && !vvi_sheet_list_pairs(w, l, skin_of(l), bench, &closest)) return;
#pragma omp critical(vvi_sheet_room)
  room = take_room(w, l, bench->n);
  if (!room) return;
  put_pairs(w, l, bench);
  has_list(w, l, bench->n, closest);
}

static void build_together(vvi_sheet_search *w, int32_t n)
{
  int team = 0;
#pragma omp parallel num_threads(w->threads)
  {
    int me;
#pragma omp atomic capture
    me = team++;
#pragma omp for schedule(dynamic, 1)
    for (int32_t i = 0; i < n; i++) build_aside(w, &w->list[w->due[i]], &w->bench[me]);
  }
}

static void freshen(vvi_sheet_search *w, int32_t cluster, unsigned char how)
{
  if (w->fresh[cluster] == 0) vvi_sheet_fit_cluster(w, cluster);
  if (how == 2) vvi_sheet_ready_cluster(w, cluster), vvi_sheet_refer(w, cluster); /* which its new lists ask for */
  w->fresh[cluster] = how;
}

static void want(vvi_sheet_search *w, int32_t cluster)
{
  const int32_t body = w->sheets->cluster[cluster].body;
  if (w->wanted[cluster]) return;
  w->wanted[cluster] = 1, w->wants[w->n_wants++] = cluster;
  if (w->active_clusters[body]++ == 0) w->active[w->n_active++] = body;
}

/* Clusters of one body share vertices: a thread has all that are wanted of it. */
static void place_wanted(vvi_sheet_search *w)
{
#pragma omp parallel for schedule(dynamic, 4) num_threads(w->threads)
  for (int32_t k = 0; k < w->n_active; k++) {
    const vvi_sheet_body *b = &w->sheets->body[w->active[k]];
    for (int32_t i = b->cluster0; i < b->cluster0 + b->clusters; i++) {
      if (w->wanted[i]) vvi_sheet_place_cluster(w, i);
      w->wanted[i] = 0;
    }
    w->active_clusters[w->active[k]] = 0;
  }
  w->n_active = w->n_wants = 0;
}

/* Places and boxes of the clusters of lists to build; leaves, which else wait until they are needed, if threads are to read
 * them. */
static void freshen_clusters(vvi_sheet_search *w, int32_t n, unsigned char how)
{
  int32_t m = 0;
  for (int32_t i = 0; i < 2 * n; i++) {
    const vvi_sheet_list *l = &w->list[w->due[i / 2]];
    const int32_t cluster = i % 2 == 0 ? l->a : l->b;
    if (w->fresh[cluster] >= how || w->moved[cluster]) continue;
    if (w->fresh[cluster] == 0) {
      if (how == 2)
        want(w, cluster);
      else
        vvi_sheet_place_cluster(w, cluster);
    }
    w->left[m++] = cluster, w->moved[cluster] = 1;
  }
  if (how == 2) {
    place_wanted(w);
#pragma omp parallel for schedule(dynamic, 4) num_threads(w->threads)
    for (int32_t i = 0; i < m; i++) freshen(w, w->left[i], how);
  }
  for (int32_t i = 0; how != 2 && i < m; i++) freshen(w, w->left[i], how);
  for (int32_t i = 0; i < m; i++) w->moved[w->left[i]] = 0;
}

/* Is it known without a node that it has no pairs? */
static bool is_far(const vvi_sheet_search *w, const vvi_sheet_list *l)
{
  return vvi_sheet_sees(w, l->a) && vvi_sheet_sees(w, l->b) && apart(w, l) > skin_of(l);
}

/* Of the lists to build those that have none are; the others: how many. */
static int32_t build_far(vvi_sheet_search *w, int32_t n)
{
  int32_t left = 0;
  for (int32_t i = 0; i < n; i++) {
    vvi_sheet_list *l = &w->list[w->due[i]];
    if (!is_far(w, l)) {
      w->due[left++] = w->due[i];
      continue;
    }
    has_list(w, l, 0, INFINITY);
    vvi_sheet_list_begins(w, l);
    w->builds++;
  }
  return left;
}

/* False: no room. */
static bool rebuild(vvi_sheet_search *w, int32_t all)
{
  const int32_t n = w->away != NULL ? build_far(w, all) : all;
  const bool together = n > 1 && w->threads > 1;
  freshen_clusters(w, n, together ? 2 : 1);
  for (int32_t i = 0; i < n; i++) w->list[w->due[i]].stale = true, w->list[w->due[i]].n = 0;
  if (together) build_together(w, n);
  for (int32_t i = 0; i < n; i++) {
    vvi_sheet_list *l = &w->list[w->due[i]];
    if (l->stale && !build(w, l)) return false;
    vvi_sheet_list_begins(w, l);
    if (apart(w, l) <= skin_of(l)) adapt_skin(w, l);
    w->builds++;
  }
  return true;
}

/* What the coming drift adds; does the list ask to be looked at, because paths alone do not tell that it holds? */
static void look_ahead(vvi_sheet_search *w, vvi_sheet_list *l)
{
  const bool off = l->off || !l->mine || vvi_sheet_is_whole(w, l);
  l->asks = !off && (l->stale || !vvi_sheet_list_sleeps(w, l));
  if (!off && (l->n > 0 || l->asks)) l->step = drifts_apart(w, l) + w->speed[l->a].allowed + w->speed[l->b].allowed;
  l->asks = l->asks && (l->stale || !vvi_sheet_list_flies(w, l));
}

/* A list of which it is known without a node that there is nothing in it is made anew before it has to be. */
static void is_due(vvi_sheet_search *w, vvi_sheet_list *l)
{
  l->asks = l->asks && (l->stale || !vvi_sheet_list_holds(w, l) || (!vvi_sheet_list_lasts(w, l) && is_far(w, l)));
}

/* The clusters of those, each once. */
static int32_t clusters_asked_for(vvi_sheet_search *w)
{
  int32_t n = 0;
  for (int32_t i = 0; i < w->n_awake; i++) {
    const vvi_sheet_list *l = vvi_sheet_list_at(w, i);
    for (int side = 0; l->asks && !l->stale && side < 2; side++) {
      const int32_t cluster = side == 0 ? l->a : l->b;
      if (!w->moved[cluster]) w->left[n++] = cluster, w->moved[cluster] = 1;
    }
  }
  for (int32_t i = 0; i < n; i++) w->moved[w->left[i]] = 0;
  return n;
}

static void look_together(vvi_sheet_search *w)
{
  int32_t n = 0;
#pragma omp parallel num_threads(w->threads)
  {
#pragma omp for schedule(static)
    for (int32_t i = 0; i < w->n_awake; i++) look_ahead(w, vvi_sheet_list_at(w, i));
#pragma omp single
    n = clusters_asked_for(w);
#pragma omp for schedule(dynamic, 4)
    for (int32_t i = 0; i < n; i++) vvi_sheet_look_at(w, w->left[i]);
#pragma omp for schedule(static)
    for (int32_t i = 0; i < w->n_awake; i++) is_due(w, vvi_sheet_list_at(w, i));
  }
}

static float bound_of(const vvi_sheet_search *w, const vvi_sheet_list *l)
{
  return (float)((l->travel + w->drifts_ahead * l->step) * (1.0 + 1e-6));
}

/* ---- lists that something is true of, in their order: found in PARTS fixed pieces, then put together ---- */

enum { PARTS = 64 };
typedef bool pick_fn(const vvi_sheet_search *w, const vvi_sheet_list *l);

static int32_t pick_part(vvi_sheet_search *w, pick_fn *takes, int32_t from, int32_t to)
{
  int32_t n = 0;
  for (int32_t i = from; i < to; i++) {
    const vvi_sheet_list *l = vvi_sheet_list_at(w, i);
    if (takes(w, l)) w->due[from + n++] = (int32_t)(l - w->list);
  }
  return n;
}

static int32_t pick(vvi_sheet_search *w, pick_fn *takes)
{
  const int32_t n = w->n_awake, size = n / PARTS + 1;
  int32_t count[PARTS], sum = 0;
  if (!vvi_sheet_shares(w, n)) return pick_part(w, takes, 0, n);
#pragma omp parallel for schedule(static) num_threads(w->threads)
  for (int32_t k = 0; k < PARTS; k++) {
    const int32_t from = k * size < n ? k * size : n, to = n - from < size ? n : from + size;
    count[k] = pick_part(w, takes, from, to);
  }
  for (int32_t k = 0; k < PARTS; k++) {
    if (count[k] > 0) memmove(w->due + sum, w->due + (int64_t)k * size, sizeof *w->due * (size_t)count[k]);
    sum += count[k];
  }
  return sum;
}

static bool has_past(const vvi_sheet_search *w, const vvi_sheet_list *l)
{
  return l->n > 0 && !(l->safe > bound_of(w, l));
}

/* It asks, or has pairs to look at. */
static bool reads(const vvi_sheet_search *w, const vvi_sheet_list *l)
{
  return l->asks || has_past(w, l);
}

/* Movers of both clusters. */
static void need(vvi_sheet_search *w, const vvi_sheet_list *l)
{
  void (*const wanted)(vvi_sheet_search *, int32_t) = w->away != NULL ? vvi_sheet_away_need : vvi_sheet_need;
  wanted(w, l->a);
  wanted(w, l->b);
}

/* Over ranks, and where an accelerator has the points: what lists read that ask, or have pairs to look at, comes from the others.
 * False: no memory. */
static bool look_ahead_of_others(vvi_sheet_search *w)
{
  const int32_t all = w->n_awake;
  bool room = true;
  if (vvi_sheet_shares(w, all)) {
#pragma omp parallel for schedule(static) num_threads(w->threads)
    for (int32_t i = 0; i < all; i++) look_ahead(w, vvi_sheet_list_at(w, i));
  } else {
    for (int32_t i = 0; i < all; i++) look_ahead(w, vvi_sheet_list_at(w, i));
  }
  const int32_t n = pick(w, reads);
  for (int32_t i = 0; i < n; i++) {
    const vvi_sheet_list *l = &w->list[w->due[i]];
    if (!vvi_sheet_sees(w, l->a) || !vvi_sheet_sees(w, l->b) || has_past(w, l)) need(w, l);
  }
  if (w->away != NULL)
    vvi_sheet_away_fetch(w);
  else
    room = vvi_sheet_fetch(w);
  const int32_t looks = clusters_asked_for(w);
#pragma omp parallel for schedule(dynamic, 4) num_threads(w->threads) if (looks >= VVI_SHEET_SHARED && w->threads > 1)
  for (int32_t i = 0; i < looks; i++) vvi_sheet_look_at(w, w->left[i]);
#pragma omp parallel for schedule(static) num_threads(w->threads) if (looks >= VVI_SHEET_SHARED && w->threads > 1)
  for (int32_t i = 0; i < n; i++) is_due(w, &w->list[w->due[i]]);
  for (int32_t i = 0; w->away != NULL && i < n; i++)
    if (w->list[w->due[i]].asks && !is_far(w, &w->list[w->due[i]])) need(w, &w->list[w->due[i]]);
  if (w->away != NULL) vvi_sheet_away_fetch(w);
  return room;
}

static bool asks(const vvi_sheet_search *w, const vvi_sheet_list *l)
{
  (void)w;
  return l->asks;
}

/* It has pairs past their budgets. */
static bool has_due(const vvi_sheet_search *w, const vvi_sheet_list *l)
{
  return has_past(w, l) && !vvi_sheet_is_whole(w, l);
}

/* Lists that the coming drift may use up. */
static int32_t find_due(vvi_sheet_search *w, bool *room)
{
  const bool others = w->ranks != NULL || w->away != NULL, share = others || vvi_sheet_shares(w, w->n_awake);
  if (others)
    *room &= look_ahead_of_others(w);
  else if (share)
    look_together(w);
  for (int32_t i = 0; !share && i < w->n_awake; i++) {
    vvi_sheet_list *l = vvi_sheet_list_at(w, i);
    look_ahead(w, l), is_due(w, l);
  }
  return pick(w, asks);
}

/* All lists are built anew, with skins of at most this. */
static void limit_skins(vvi_sheet_search *w, double skin)
{
  w->skin = skin, w->used = 0;
  vvi_sheet_wake_all(w);
  for (int32_t i = 0; i < w->n_list; i++) {
    vvi_sheet_list *l = &w->list[w->order[i]];
    l->stale = true, l->n = l->room = 0;
    l->skin = fmin(l->skin, w->skin);
  }
}

static bool refresh(vvi_sheet_search *w)
{
  const int64_t most = MOST_PAIRS * (int64_t)w->sheets->n_element;
  bool room = vvi_sheet_candidates(w);
  if (!room && w->ranks == NULL) return false;
  vvi_sheet_wake(w);
  for (int shrinks = 0; !rebuild(w, find_due(w, &room)); shrinks++) {
    if (w->ranks != NULL || w->most_room > most) return false; /* of ranks the others would not look again */
    if (shrinks >= SHRINKS) w->most_room *= 2;
    limit_skins(w, shrinks < SHRINKS ? 0.5 * w->skin : w->skin);
  }
  if (w->away != NULL) vvi_sheet_away_refer(w);
  return room && make_room(w, w->room);
}

/* ---- the pairs of the coming drift ---- */

/* Places of a vertex, now and after the drift. */
static void place_vertex(vvi_sheet_search *w, int32_t v)
{
  vvi_sheet_place(&w->motion, v, false, w->x + 3 * (int64_t)v);
  vvi_sheet_place(&w->motion, v, w->motion.h != 0.0, w->y + 3 * (int64_t)v);
}

/* Some vertices of a body. */
static void place_piece(vvi_sheet_search *w, int32_t body, int32_t first)
{
  const vvi_sheet_body *b = &w->sheets->body[body];
  const int32_t n = b->vertices - first < PIECE ? b->vertices - first : PIECE;
  const int64_t v = b->vertex0 + first;
  if (w->motion.h != 0.0 && b->carrier == VVI_CARRY_POINTS && b->movers == b->vertices && !b->loose)
    vvi_points_gather(&w->motion.at[body], first, n, w->motion.h, w->sheets->inverse + b->mover0 + first, w->x + 3 * v,
                      w->y + 3 * v);
  else
    for (int32_t i = 0; i < n; i++) place_vertex(w, (int32_t)v + i);
}

/* A large body; then some small ones.  Where threads do not share them, no parallel region is entered at all. */
static void place_pieces(vvi_sheet_search *w, int32_t body)
{
  const int32_t n = w->sheets->body[body].vertices;
  if (w->threads > 1) {
#pragma omp parallel for schedule(static) num_threads(w->threads)
    for (int32_t first = 0; first < n; first += PIECE) place_piece(w, body, first);
  }
  for (int32_t first = 0; w->threads == 1 && first < n; first += PIECE) place_piece(w, body, first);
}

static void place_whole(vvi_sheet_search *w, int32_t n)
{
  const bool share = n > SHARED && w->threads > 1;
  if (share) {
#pragma omp parallel for schedule(static) num_threads(w->threads)
    for (int32_t k = 0; k < n; k++) place_piece(w, w->active[k], 0);
  }
  for (int32_t k = 0; !share && k < n; k++) place_piece(w, w->active[k], 0);
}

static bool some_active(const vvi_sheet_search *w, int32_t body)
{
  return 2 * w->active_clusters[body] < w->sheets->body[body].clusters;
}

/* Of bodies of which only some clusters are active: these.  They share vertices, so one thread does it. */
static void place_some(vvi_sheet_search *w)
{
  for (int32_t i = 0; i < w->n_wants; i++) {
    const vvi_sheet_cluster *r = &w->sheets->cluster[w->wants[i]];
    for (int32_t k = r->vertex0; some_active(w, r->body) && k < r->vertex0 + r->vertices; k++)
      place_vertex(w, w->sheets->cluster_vertex[k]);
  }
}

/* Momenta may have changed since the last time: everything that is active. */
static void place_active(vvi_sheet_search *w)
{
  int32_t whole = 0;
  place_some(w);
  for (int32_t i = 0; i < w->n_wants; i++) w->wanted[w->wants[i]] = 0;
  for (int32_t k = 0; k < w->n_active; k++) {
    const int32_t body = w->active[k];
    if (!some_active(w, body) && w->sheets->body[body].vertices > PIECE) {
      place_pieces(w, body);
    } else if (!some_active(w, body)) {
      w->active[whole++] = body;
    }
    w->active_clusters[body] = 0;
  }
  place_whole(w, whole);
  w->n_active = w->n_wants = 0;
}

static inline double along(const double *x, int32_t v, const float n[3])
{
  x += 3 * (int64_t)v;
  return (double)n[0] * x[0] + (double)n[1] * x[1] + (double)n[2] * x[2];
}

/* Not against an obstacle, and not two tips, whose distance has a sign. */
static inline bool has_planes(const vvi_sheet_pair *p)
{
  return p->v[3] >= 0;
}

/* By how much a plane across the last direction of a pair holds it apart; floats are not quite of unit length. */
static inline double parted_by(const vvi_sheet_pair *p, const double *x)
{
  const double a = along(x, p->v[0], p->n), b = along(x, p->v[1], p->n), c = along(x, p->v[2], p->n),
               d = along(x, p->v[3], p->n), cd = vvi_larger(c, d);
  const bool edges = p->a < 0;
  return (1.0 - 1e-6) * ((edges ? vvi_smaller(a, b) : a) - (edges ? cd : vvi_larger(b, cd)));
}

/* The distance of a pair that its plane does not hold apart.  True: it may meet. */
static bool measure(const vvi_sheet_search *w, const vvi_sheet_list *l, vvi_sheet_pair *p, float *safe,
                    vvi_sheet_slot *out)
{
  double x[4][3];
  vvi_closest at;
  if (has_planes(p)) {
    for (int k = 0; k < 4; k++) memcpy(x[k], w->x + 3 * (int64_t)p->v[k], sizeof x[k]);
    vvi_closest_at(p->a < 0 ? VVI_EDGE_EDGE : VVI_VERTEX_FACE, (const double(*)[3])x, &at);
  } else {
    vvi_sheet_closest(&w->motion, p->a, p->b, false, &at);
  }
  *out = (vvi_sheet_slot){.d = at.d - l->offset, .n = {at.n[0], at.n[1], at.n[2]}};
  for (int c = 0; c < 3; c++) p->n[c] = (float)at.n[c];
  *safe = vvi_sheet_safe(l->travel + at.d - (l->offset + l->margin));
  return at.d - l->step < (l->offset + l->margin) * (1.0 + 1e-9);
}

static float least_of(const float *x, int32_t n)
{
  float least = INFINITY;
  for (int32_t i = 0; i < n; i++) least = x[i] < least ? x[i] : least;
  return least;
}

static float least_of_block(const float *x)
{
  float least = INFINITY;
#pragma omp simd reduction(min : least)
  for (int32_t i = 0; i < BLOCK; i++) least = x[i] < least ? x[i] : least;
  return least;
}

/* A bit for each of a block that is not above a bound. */
static inline uint32_t past(float bound, const float x[BLOCK])
{
  uint32_t bits = 0;
#pragma omp simd reduction(| : bits)
  for (uint32_t i = 0; i < BLOCK; i++) bits |= (x[i] > bound ? 0U : 1U) << i;
  return bits;
}

/* What is looked at of a chunk: what it asks of memory is on its way while others are looked at. */
typedef struct glance {
  int16_t due[CHUNK];  /* numbers of the pairs past their budget */
  double apart[CHUNK]; /* by how much their planes hold them apart now */
} glance;

/* Pairs past their budget, in the blocks that have some. */
VV_HOT static int32_t list_past(float bound, uint32_t blocks, const float *safe, const vvi_sheet_pair *pair,
                                int16_t due[CHUNK])
{
  int32_t m = 0;
  for (; blocks != 0; blocks &= blocks - 1) {
    const int32_t first = BLOCK * __builtin_ctz(blocks);
    for (uint32_t bits = past(bound, safe + first); bits != 0; bits &= bits - 1) {
      const int32_t i = first + __builtin_ctz(bits);
      __builtin_prefetch(&pair[i].a); /* they lie far apart, and may be on two lines of the cache */
      __builtin_prefetch(&pair[i].n[2]);
      due[m++] = (int16_t)i;
    }
  }
  return m;
}

/* A pair of one piece of a beam with corners, too near along it to meet. */
static bool is_within(const vvi_sheet_search *w, const vvi_sheet_pair *p)
{
  const int32_t n = p->a < 0 ? 2 : 1;
  return vvi_sheet_one_piece(w, p->v[0], p->v[n]) && vvi_sheet_neighbours(w->sheets, n, p->v, 4 - n, p->v + n);
}

static int32_t list_due(const vvi_sheet_search *w, const vvi_sheet_chunk *k, glance *g)
{
  const vvi_sheet_list *l = &w->list[k->couple];
  const vvi_sheet_pair *pair = w->pair + k->first;
  const int32_t m = list_past(bound_of(w, l), k->past, w->safe + k->first, pair, g->due);
  if (w->gone == NULL || w->sheets->cluster[l->a].body != w->sheets->cluster[l->b].body) return m;
  int32_t n = 0;
  for (int32_t j = 0; j < m; j++)
    if (!is_within(w, &pair[g->due[j]])) g->due[n++] = g->due[j];
  return n;
}

/* First for all of them: nothing waits for what is made of it. */
VV_HOT static void part_due(const vvi_sheet_search *w, const vvi_sheet_list *l, const vvi_sheet_chunk *k, glance *g)
{
  const double travel = l->travel - (l->offset + l->margin);
  const vvi_sheet_pair *pair = w->pair + k->first;
  float *safe = w->safe + k->first;
  for (int32_t j = 0; j < k->checked; j++) {
    const vvi_sheet_pair *p = &pair[g->due[j]];
    g->apart[j] = has_planes(p) ? parted_by(p, w->x) : -INFINITY;
    safe[g->due[j]] = vvi_sheet_safe(travel + g->apart[j]);
  }
}

/* Those that a plane holds apart by the margin, now and after the drift, stand behind the others, from the last place on. */
VV_HOT static void look_at_due(const vvi_sheet_search *w, const vvi_sheet_list *l, vvi_sheet_chunk *k, const glance *g)
{
  const double reach = l->offset + l->margin, far = reach + l->step;
  vvi_sheet_pair *pair = w->pair + k->first;
  vvi_sheet_slot *slot = w->slot + k->slot;
  float *safe = w->safe + k->first;
  k->hits = k->asides = 0;
  for (int32_t j = 0; j < k->checked; j++) {
    const int32_t i = g->due[j];
    const double z = g->apart[j];
    vvi_sheet_pair *p = &pair[i];
    vvi_sheet_slot *out = &slot[k->hits];
    if (z >= far) continue;
    if (z < reach || parted_by(p, w->y) < reach) {
      if (!measure(w, l, p, &safe[i], out)) continue;
    } else if (w->parts) {
      slot[k->n - 1 - k->asides++].pair = i;
      continue;
    } else {
      *out = (vvi_sheet_slot){
          .parted = true, .d = z - l->offset, .n = {(double)p->n[0], (double)p->n[1], (double)p->n[2]}};
    }
    out->pair = i, k->hits++;
  }
}

static void look_at_chunk(vvi_sheet_search *w, vvi_sheet_chunk *k, glance *g)
{
  const vvi_sheet_list *l = &w->list[k->couple];
  const float *safe = w->safe + k->first;
  float *block = w->block + k->first / BLOCK;
  part_due(w, l, k, g);
  look_at_due(w, l, k, g);
  for (uint32_t bits = k->past; bits != 0; bits &= bits - 1) {
    const int32_t i = __builtin_ctz(bits);
    block[i] = least_of_block(safe + BLOCK * i);
  }
  k->safe = least_of(block, (int32_t)(vvi_sheet_blocks(k->n) / BLOCK));
}

/* Some chunks: while one is looked at the pairs of the others are on their way from memory. */
static void look_at_chunks(vvi_sheet_search *w, int32_t first, int32_t n)
{
  glance g[TOGETHER];
  vvi_sheet_chunk *k = w->chunk + first;
  for (int32_t i = 0; i < n; i++)
    for (uint32_t bits = k[i].past; bits != 0; bits &= bits - 1)
      __builtin_prefetch(w->safe + k[i].first + BLOCK * __builtin_ctz(bits));
  for (int32_t i = 0; i < n; i++) k[i].checked = list_due(w, &k[i], &g[i]);
  for (int32_t i = 0; i < n; i++) look_at_chunk(w, &k[i], &g[i]);
}

/* The blocks of a chunk with pairs past their budget; the least budget of all.  A list may end before the last of them. */
VV_HOT static uint32_t blocks_past(float bound, int32_t n, const float *block, float *least)
{
  float x[CHUNK / BLOCK];
  for (int32_t i = 0; i < CHUNK / BLOCK; i++) x[i] = i < n ? block[i] : INFINITY;
  *least = least_of_block(x);
  return past(bound, x);
}

/* Chunks of a list with pairs to look at; the least budget of the others. */
static void find_chunks(vvi_sheet_search *w, int32_t couple)
{
  _Static_assert(CHUNK / BLOCK == BLOCK, "a bit for each block of a chunk");
  vvi_sheet_list *l = &w->list[couple];
  const float bound = bound_of(w, l);
  l->safe = INFINITY, l->chunks = 0;
  for (int64_t k = l->first; k < l->first + l->n; k += CHUNK) {
    const int64_t left = l->first + l->n - k, size = left < CHUNK ? left : CHUNK;
    float safe;
    const uint32_t blocks = blocks_past(bound, (int32_t)(vvi_sheet_blocks(size) / BLOCK), w->block + k / BLOCK, &safe);
    if (blocks != 0)
      w->chunk[l->chunk0 + l->chunks++] = (vvi_sheet_chunk){.couple = couple, .first = k, .n = size, .past = blocks};
    else if (safe < l->safe)
      l->safe = safe;
  }
}

/* Chunks with pairs to look at, in order. */
static int32_t find_active(vvi_sheet_search *w)
{
  int32_t active = pick(w, has_due);
  if (active > 1 && w->unsorted) vvi_sheet_sort_awake(w), active = pick(w, has_due);
  int32_t n = 0, room = 0;
  int64_t slot = 0;
  vvi_sheet_number(w, active);
  for (int32_t i = 0; i < active; i++) {
    vvi_sheet_list *l = &w->list[w->due[i]];
    l->place = vvi_sheet_list_place(w, l);
    want(w, l->a);
    want(w, l->b);
    l->chunk0 = room, room += (int32_t)((l->n + CHUNK - 1) / CHUNK);
  }
  if (vvi_sheet_shares(w, room)) {
#pragma omp parallel for schedule(static) num_threads(w->threads)
    for (int32_t i = 0; i < active; i++) find_chunks(w, w->due[i]);
  } else {
    for (int32_t i = 0; i < active; i++) find_chunks(w, w->due[i]);
  }
  for (int32_t i = 0; i < active; i++) { /* those that are not to be looked at left holes */
    const vvi_sheet_list *l = &w->list[w->due[i]];
    for (int32_t k = 0; k < l->chunks; k++) {
      w->chunk[n] = w->chunk[l->chunk0 + k];
      w->chunk[n].slot = slot, slot += w->chunk[n++].n;
    }
  }
  return n;
}

vvi_sheet_near vvi_sheet_near_of(const vvi_sheet_search *w, int32_t list, int64_t at)
{
  const vvi_sheet_list *l = &w->list[list];
  const vvi_sheet_pair *p = &w->pair[at];
  return (vvi_sheet_near){.a = p->a,
                          .b = p->b,
                          .couple = list,
                          .place = (int32_t)(at - l->first),
                          .order = l->place,
                          .v = {p->v[0], p->v[1], p->v[2], p->v[3]},
                          .parted = true};
}

/* Hits of a chunk, where they stand among all. */
static void write_near(vvi_sheet_search *w, const vvi_sheet_chunk *k)
{
  for (int32_t j = 0; j < k->hits; j++) {
    const vvi_sheet_slot *s = &w->slot[k->slot + j];
    vvi_sheet_near *near = &w->near[k->near + j];
    *near = vvi_sheet_near_of(w, k->couple, k->first + s->pair);
    near->parted = s->parted, near->d = s->d;
    memcpy(near->n, s->n, sizeof near->n);
  }
  for (int32_t j = 0; j < k->asides; j++)
    w->aside[k->aside + j] = (vvi_sheet_aside){k->couple, k->first + w->slot[k->slot + k->n - 1 - j].pair};
}

bool vvi_sheet_is_pushed_slow(const struct vvi_sheets *s, const vvi_sheet_pair *p, const unsigned char *pushed)
{
  int32_t v[4];
  const int n = vvi_sheet_vertices(s, p->a, p->b, v);
  for (int i = 0; i < n; i++) {
    const vvi_sheet_body *b = &s->body[s->body_of[v[i]]];
    if (!b->loose && pushed[s->mover[v[i]]]) return true;
    for (int32_t j = s->stencil0[v[i]]; j < s->stencil0[v[i] + 1]; j++) /* of loose ones alone */
      if (pushed[s->stencil[j]]) return true;
  }
  return false;
}

/* Hits of what is gone are none. */
static void drop_gone(const vvi_sheet_search *w, vvi_sheet_chunk *k)
{
  const vvi_sheet_list *l = &w->list[k->couple];
  int32_t n = 0;
  for (int32_t j = 0; j < k->hits; j++) {
    const vvi_sheet_slot *s = &w->slot[k->slot + j];
    const vvi_sheet_pair *p = &w->pair[k->first + s->pair];
    if (!vvi_sheet_is_gone(w, p->a, p->b, s->parted ? 0.0 : -s->d - OVERLAP * l->edge)) w->slot[k->slot + n++] = *s;
  }
  k->hits = n;
}

static bool fit_aside(vvi_sheet_search *w, int64_t room)
{
  if (room <= w->aside_room) return true;
  if (!VVI_SHEET_GROW(w, aside, w->aside_room, 0, 2 * room)) return false;
  w->aside_room = 2 * room;
  return true;
}

/* What n chunks have found, one behind the other.  False: no memory. */
static bool take_hits(vvi_sheet_search *w, int32_t n)
{
  int64_t sum = 0, asides = 0;
  for (int32_t i = 0; i < n; i++) {
    vvi_sheet_chunk *k = &w->chunk[i];
    vvi_sheet_list *l = &w->list[k->couple];
    if (k->safe < l->safe) l->safe = k->safe;
    w->checked += k->checked;
    if (w->gone != NULL) drop_gone(w, k);
    k->near = sum, sum += k->hits;
    k->aside = asides, asides += k->asides;
  }
  w->n_near = 0, w->n_aside = 0;
  if (!vvi_sheet_near_fit(w, sum + asides) || !fit_aside(w, asides))
    return false; /* those set aside may join the others */
  w->n_near = (int32_t)sum, w->n_aside = asides;
  const bool share = vvi_sheet_shares(w, sum + asides);
  if (share) {
#pragma omp parallel for schedule(static) num_threads(w->threads)
    for (int32_t i = 0; i < n; i++) write_near(w, &w->chunk[i]);
  }
  for (int32_t i = 0; !share && i < n; i++) write_near(w, &w->chunk[i]);
  return true;
}

bool vvi_sheet_collect(vvi_sheet_search *w)
{
  vvi_sheet_gone_find(w);
  if (!refresh(w)) return false;
  const int32_t n = find_active(w);
  place_active(w);
  if (n > 16 && w->threads > 1) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(w->threads)
    for (int32_t i = 0; i < n; i += TOGETHER) look_at_chunks(w, i, n - i < TOGETHER ? n - i : TOGETHER);
  } else {
    for (int32_t i = 0; i < n; i += TOGETHER) look_at_chunks(w, i, n - i < TOGETHER ? n - i : TOGETHER);
  }
  return take_hits(w, n);
}
