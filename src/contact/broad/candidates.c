/* contact/broad/candidates.c  The broad phase of surfaces: clusters so near that they need a list of their pairs.
 *
 * Each cluster has a box with some room about it.  With the path that its points have gone, drift by drift, since the box was
 * made, and what the coming drift adds at most, r = |C| + allowed (measure.c),
 *   path + r <= room   =>   all points stay inside, whatever is answered                                      [sheets 25]
 * and boxes are wider than the points by half of what a pair needs: half the thickness and half of the layer.  Two clusters whose
 * boxes do not overlap are then farther apart than [sheets 4] and the layer together: none of their pairs is near.  So the near
 * pairs do not depend on when boxes were made, and how much room they have is a matter of time alone: large boxes are made
 * seldom and overlap often.
 *
 * A cluster that has used up its budget is looked at: what swings to and fro is still inside and gets the budget that is left.
 * The others get new boxes; only their candidate pairs change. */
#include "base/sort.h"
#include "contact/broad/away.h"
#include "contact/broad/ranks.h"
#include "contact/broad/search.h"
#include "contact/narrow/obstacle.h"
#include "math/math.h"

#include <stdlib.h>
#include <string.h>

/* The room of a box: a part of its diagonal, or some steps of the present speed as long as that is not too large a part. */
static const double PART = 0.05, MOST_PART = 0.25;
enum { STEPS = 200, FEWEST = 4, FIRST = 256 };

/* ---- growing arrays ---- */

static bool grow_lists(vvi_sheet_search *w)
{
  const int64_t had = w->list_room, room = 2 * had;
  if (room > INT32_MAX || !VVI_SHEET_GROW(w, list, had, had, room) || !VVI_SHEET_GROW(w, order, had, had, room))
    return false;
  if (!VVI_SHEET_GROW(w, spare, had, had, room) || !VVI_SHEET_GROW(w, due, had, had, room)) return false;
  if (!VVI_SHEET_GROW(w, spot, had, 0, room) || !VVI_SHEET_GROW(w, parted, had, had, room)) return false;
  if (!VVI_SHEET_GROW(w, awake, had, w->n_awake, room) || !VVI_SHEET_GROW(w, key, had, had, room)) return false;
  if (!VVI_SHEET_GROW(w, soonest, had / VVI_SHEET_WATCH, w->watches, room / VVI_SHEET_WATCH)) return false;
  w->list_room = (int32_t)room;
  return true;
}

bool vvi_sheet_lists_fit(vvi_sheet_search *w, int64_t room)
{
  while (room > w->list_room)
    if (!grow_lists(w)) return false;
  return true;
}

vv_status vvi_sheet_candidates_create(vvi_sheet_search *w, vvi_arena *arena)
{
  const struct vvi_sheets *s = w->sheets;
  w->list_room = FIRST, w->found_room = FIRST;
  w->list = VVI_ARENA_NEW(arena, vvi_sheet_list, FIRST), w->found = VVI_ARENA_NEW(arena, vvi_sheet_found, FIRST);
  w->order = VVI_ARENA_NEW(arena, int32_t, FIRST), w->spare = VVI_ARENA_NEW(arena, int32_t, FIRST);
  w->due = VVI_ARENA_NEW(arena, int32_t, FIRST), w->spot = VVI_ARENA_NEW(arena, vvi_sheet_spot, FIRST);
  w->left = VVI_ARENA_NEW(arena, int32_t, s->n_cluster + 1), w->obstacle = VVI_ARENA_NEW(arena, int32_t, s->n_body + 1);
  w->moved = VVI_ARENA_NEW(arena, unsigned char, s->n_cluster + 1);
  w->asked = VVI_ARENA_NEW(arena, int32_t, s->n_cluster + 1);
  w->parted = VVI_ARENA_NEW(arena, unsigned char, FIRST), w->awake = VVI_ARENA_NEW(arena, vvi_sheet_awake, FIRST);
  w->key = VVI_ARENA_NEW(arena, vvi_sheet_key, FIRST);
  if (w->parted == NULL || w->awake == NULL || w->key == NULL) return VV_NOMEM;
  w->soonest = VVI_ARENA_NEW(arena, int64_t, FIRST / VVI_SHEET_WATCH);
  w->was = vvi_arena_alloc(arena, sizeof *w->was * ((size_t)s->n_cluster + 1));
  w->at = vvi_arena_alloc(arena, sizeof *w->at * ((size_t)s->n_cluster + 1));
  if (w->asked == NULL || w->at == NULL || w->was == NULL || w->soonest == NULL) return VV_NOMEM;
  if (w->list == NULL || w->found == NULL || w->order == NULL || w->spare == NULL || w->due == NULL) return VV_NOMEM;
  if (w->spot == NULL || w->left == NULL || w->obstacle == NULL || w->moved == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < s->n_body; i++)
    if (s->body[i].obstacle != NULL) w->obstacle[w->n_obstacle++] = s->body[i].cluster0;
  return vvi_broad_create(arena, s->n_cluster, &w->broad);
}

/* ---- boxes ---- */

/* Where a cluster is; over ranks: the part of it that this one moves. */
static void cover(const vvi_sheet_search *w, int32_t cluster, double box[6])
{
  const struct vvi_sheets *s = w->sheets;
  const vvi_sheet_cluster *r = &s->cluster[cluster];
  if (vvi_sheet_sees(w, cluster)) {
    memcpy(box, w->life[cluster].at, sizeof w->life[cluster].at);
    return;
  }
  for (int c = 0; c < 3; c++) box[c] = INFINITY, box[3 + c] = -INFINITY;
  for (int32_t i = r->vertex0; i < r->vertex0 + r->vertices; i++) {
    double x[3];
    if (!vvi_sheet_owns(w, s->mover[s->cluster_vertex[i]])) continue;
    vvi_sheet_place(&w->motion, s->cluster_vertex[i], false, x);
    for (int c = 0; c < 3; c++) {
      box[c] = x[c] < box[c] ? x[c] : box[c];
      box[3 + c] = x[c] > box[3 + c] ? x[c] : box[3 + c];
    }
  }
}

/* By what a box is wider than its points in any case; the last term is what sums of coordinates may be wrong by. */
static double pad_of(const vvi_sheet_search *w, int32_t cluster, const double box[6])
{
  double size = 0.0;
  for (int c = 0; c < 6; c++) size = fmax(size, fabs(box[c]));
  return (1.0 + 1e-8) * (w->sheets->body[w->sheets->cluster[cluster].body].half + 0.5 * w->widest) + 1e-14 * size;
}

/* The room that is left of a box: negative if the cluster has left it. */
static double room_left(const vvi_sheet_search *w, int32_t cluster, const double at[6])
{
  const double *box = w->broad->box[cluster];
  double room = INFINITY;
  for (int c = 0; c < 3; c++) room = fmin(room, fmin(at[c] - box[c], box[3 + c] - at[3 + c]));
  return room - pad_of(w, cluster, at);
}

static void make_box(vvi_sheet_search *w, int32_t cluster, const double at[6], double step)
{
  memcpy(w->was[cluster], w->broad->box[cluster], sizeof w->was[cluster]);
  const double d[3] = {at[3] - at[0], at[4] - at[1], at[5] - at[2]}, size = vvi_norm3(d);
  const double room = fmax(fmax(w->outset, PART * size), fmax(fmin(STEPS * step, MOST_PART * size), FEWEST * step));
  const double wide = room + pad_of(w, cluster, at);
  for (int c = 0; c < 3; c++)
    w->broad->box[cluster][c] = at[c] - wide, w->broad->box[cluster][3 + c] = at[3 + c] + wide;
  w->life[cluster].wake = w->life[cluster].path + room;
  w->moved[cluster] = 1;
}

/* Those whose budget is used up.  What is fixed in space has none. */
static int32_t find_asked(vvi_sheet_search *w)
{
  int32_t n = 0;
  const int32_t pasts = vvi_sheet_pasts(w);
  for (int32_t j = 0; j < pasts; j++) {
    const int32_t i = vvi_sheet_past_at(w, j);
    if ((w->past[i] & VVI_SHEET_BOX) == 0) continue;
    if (w->sheets->body[w->sheets->cluster[i].body].obstacle != NULL)
      w->life[i].wake = INFINITY;
    else
      w->asked[n++] = i;
  }
  return n;
}

/* The budget is used up.  */
static void look_at(vvi_sheet_search *w, int32_t cluster, const double at[6])
{
  vvi_sheet_life *k = &w->life[cluster];
  const double step = w->ranks != NULL ? w->ranks->step[cluster] : k->pace, room = room_left(w, cluster, at);
  if (room >= (1.0 + w->drifts_ahead) * step && k->wake >= 0.0)
    k->wake = k->path + room;
  else
    make_box(w, cluster, at, step);
}

/* ---- candidates ---- */

int vvi_sheet_by_meshes(const void *x, const void *y)
{
  const vvi_sheet_found *p = x, *q = y;
  if (p->low != q->low) return p->low < q->low ? -1 : 1;
  if (p->high != q->high) return p->high < q->high ? -1 : 1;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  return p->b < q->b ? -1 : p->b > q->b;
}

vvi_sheet_found vvi_sheet_found_of(const struct vvi_sheets *s, int32_t a, int32_t b, int32_t rule)
{
  const int32_t x = s->cluster[a].body, y = s->cluster[b].body;
  return (vvi_sheet_found){.low = x < y ? x : y, .high = x < y ? y : x, .a = a, .b = b, .rule = rule};
}

/* What somebody who looks about has seen: handed over now and then, since others look at the same time. */
enum { SIGHT = 256, PIECES = 64 };
typedef struct sight {
  vvi_sheet_search *w;
  int32_t cluster; /* that looks around */
  int32_t n, lost; /* found; lists that are over: */
  vvi_sheet_found found[SIGHT];
  int32_t slot[SIGHT];
} sight;

static bool fit_found(vvi_sheet_search *w, int64_t n)
{
  while (n > w->found_room && !w->full) {
    w->full = !VVI_SHEET_GROW(w, found, w->found_room, w->n_found, 2 * w->found_room);
    if (!w->full) w->found_room *= 2;
  }
  return !w->full;
}

static void hand_over(sight *k)
{
  vvi_sheet_search *w = k->w;
  if (k->n + k->lost == 0) return;
#pragma omp critical(vvi_sheet_room)
  {
    if (fit_found(w, w->n_found + k->n)) {
      memcpy(w->found + w->n_found, k->found, sizeof *w->found * (size_t)k->n);
      w->n_found += k->n;
    }
    memcpy(w->due + w->n_due, k->slot, sizeof *w->due * (size_t)k->lost);
    w->n_due += k->lost;
  }
  k->n = k->lost = 0;
}

/* Bodies in order, an obstacle second. */
static void add(sight *k, int32_t j)
{
  const struct vvi_sheets *s = k->w->sheets;
  const int32_t i = k->cluster;
  const bool turned = i > j && s->body[s->cluster[j].body].obstacle == NULL;
  const int32_t a = turned ? j : i, b = turned ? i : j, x = s->cluster[a].body, y = s->cluster[b].body;
  const int32_t rule = s->rule_of(s->meets, x < y ? x : y, x < y ? y : x);
  if (rule < 0) return;
  if (k->n == SIGHT) hand_over(k);
  k->found[k->n++] = vvi_sheet_found_of(s, a, b, rule);
}

static bool overlap(const double a[6], const double b[6])
{
  return a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] && a[2] <= b[5] && b[2] <= a[5];
}

/* One whose box overlaps now: is that new?  Two that both moved find each other twice. */
static void tell(void *user, int32_t other)
{
  sight *k = user;
  const vvi_sheet_search *w = k->w;
  if (w->moved[other] && other < k->cluster) return;
  if (!overlap(w->was[k->cluster], w->moved[other] ? w->was[other] : w->broad->box[other])) add(k, other);
}

/* The distance from an obstacle changes by no more than the way to the middle of the box. */
static bool reaches(const vvi_sheet_search *w, int32_t cluster, const double box[6], int32_t obstacle)
{
  const vv_patch *o = w->sheets->body[w->sheets->cluster[obstacle].body].obstacle;
  double middle[3], half[3], n[3];
  if (!(box[0] <= box[3])) return false;
  for (int c = 0; c < 3; c++) middle[c] = 0.5 * (box[c] + box[3 + c]), half[c] = 0.5 * (box[3 + c] - box[c]);
  const double d = vvi_obstacle_distance(o, middle, n);
  for (int c = 0; c < 3; c++) n[c] = fabs(n[c]);
  return d <= (o->type == VV_PATCH_PLANE ? vvi_dot3(n, half) : vvi_norm3(half)) + pad_of(w, cluster, box);
}

/* Clusters and obstacles that the box of one overlaps, and did not before. */
static void look_around(sight *k)
{
  const vvi_sheet_search *w = k->w;
  const double *now = w->broad->box[k->cluster], *was = w->was[k->cluster];
  vvi_broad_query(w->broad, now, tell, k);
  for (int32_t i = 0; i < w->n_obstacle; i++)
    if (reaches(w, k->cluster, now, w->obstacle[i]) && !reaches(w, k->cluster, was, w->obstacle[i]))
      add(k, w->obstacle[i]);
}

/* Of the lists of one those are over whose boxes do not overlap any more; where both moved the first says so. */
static void look_back(sight *k)
{
  const vvi_sheet_search *w = k->w;
  const double *now = w->broad->box[k->cluster];
  for (int32_t link = w->head[k->cluster]; link >= 0; link = w->list[link / 2].next[link % 2]) {
    const vvi_sheet_list *l = &w->list[link / 2];
    const int32_t other = link % 2 == 0 ? l->b : l->a;
    const bool fixed = w->sheets->body[w->sheets->cluster[other].body].obstacle != NULL;
    if (link % 2 == 1 && w->moved[l->a]) continue;
    if (fixed ? reaches(w, k->cluster, now, other) : overlap(now, w->broad->box[other])) continue;
    if (k->lost == SIGHT) hand_over(k);
    k->slot[k->lost++] = link / 2;
  }
}

/* Boxes are these now.  What is near changes for those that moved alone. */
static void look_about(vvi_sheet_search *w)
{
  const bool share = w->n_left >= VVI_SHEET_SHARED && w->threads > 1;
  const int32_t pieces = share ? PIECES : 1, size = (w->n_left + pieces - 1) / pieces;
  w->n_due = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(w->threads) if (share)
  for (int32_t i = 0; i < pieces; i++) {
    sight k = {.w = w};
    for (int32_t j = i * size; j < w->n_left && j < (i + 1) * size; j++) {
      k.cluster = w->left[j];
      look_around(&k);
      look_back(&k);
    }
    hand_over(&k);
  }
}

/* Curves, balls and capsules, and obstacles like these, are round about their axes; surfaces have a thickness where the scene says so, for themselves only
 * in energy-momentum steps. */
double vvi_sheets_offset(const struct vvi_sheets *s, int32_t i, int32_t j, int32_t rule)
{
  const vvi_sheet_body *a = &s->body[i], *b = &s->body[j];
  const bool thick = s->rule[rule].thick;
  if (i == j && a->carrier != VVI_CARRY_FRAMES) return thick ? a->self : 0.0;
  return (a->carrier == VVI_CARRY_FRAMES || a->form || thick ? a->half : 0.0) +
         (b->carrier == VVI_CARRY_FRAMES || b->form || thick ? b->half : 0.0);
}

static double closest_of(const struct vvi_sheets *s, int32_t low, int32_t high)
{
  int64_t from = 0, to = s->n_apart;
  while (from < to) {
    const int64_t mid = (from + to) / 2;
    const vvi_sheet_apart *k = &s->apart[mid];
    if (k->a < low || (k->a == low && k->b < high))
      from = mid + 1;
    else
      to = mid;
  }
  const bool known = from < s->n_apart && s->apart[from].a == low && s->apart[from].b == high;
  return known ? s->apart[from].d : INFINITY;
}

void vvi_sheet_list_rules(const vvi_sheet_search *w, vvi_sheet_list *l)
{
  const vvi_sheet_found f = vvi_sheet_found_of(w->sheets, l->a, l->b, l->rule);
  l->closest = closest_of(w->sheets, f.low, f.high);
  l->margin = w->margin[l->rule];
  l->mine = vvi_sheet_is_mine(w, l->a, l->b);
  l->off = w->anticipates && w->sheets->rule[l->rule].projection != VVI_ANTICIPATE;
}

/* A slot for a new pair. */
static int32_t begin(vvi_sheet_search *w, const vvi_sheet_found *f)
{
  const int32_t slot = w->n_spare > 0 ? w->spare[--w->n_spare] : w->n_slot++;
  vvi_sheet_list *l = &w->list[slot];
  *l = (vvi_sheet_list){.a = f->a, .b = f->b, .rule = f->rule, .stale = true, .skin = w->opening * w->skin};
  l->offset = vvi_sheets_offset(w->sheets, f->low, f->high, f->rule);
  l->edge = vvi_sheets_edge(w->sheets, f->low, f->high);
  vvi_sheet_list_rules(w, l);
  vvi_sheet_list_enters(w, slot);
  return slot;
}

/* The first of n that stand in the order of the meshes and do not come before one. */
static int32_t place_of(const vvi_sheet_search *w, const vvi_sheet_found *f, int32_t n)
{
  int32_t from = 0;
  while (from < n) {
    const int32_t mid = from + (n - from) / 2;
    const vvi_sheet_found other = vvi_sheet_found_of(w->sheets, w->key[mid].a, w->key[mid].b, f->rule);
    if (vvi_sheet_by_meshes(&other, f) < 0)
      from = mid + 1;
    else
      n = mid;
  }
  return from;
}

static int by_number(const void *x, const void *y)
{
  const int32_t a = *(const int32_t *)x, b = *(const int32_t *)y;
  return (a > b) - (a < b);
}

/* Those n leave the order: what is between two of them moves as one. */
static void drop_from_order(vvi_sheet_search *w, int32_t n)
{
  for (int32_t i = 0; i < n; i++) {
    const vvi_sheet_list *l = &w->list[w->due[i]];
    const vvi_sheet_found f = vvi_sheet_found_of(w->sheets, l->a, l->b, l->rule);
    w->due[i] = place_of(w, &f, w->n_list);
  }
  vvi_sort(w->due, (size_t)n, sizeof *w->due, by_number);
  int32_t to = w->due[0];
  for (int32_t i = 0; i < n; i++) {
    const int32_t from = w->due[i] + 1, end = i + 1 < n ? w->due[i + 1] : w->n_list;
    memmove(w->order + to, w->order + from, sizeof *w->order * (size_t)(end - from));
    memmove(w->key + to, w->key + from, sizeof *w->key * (size_t)(end - from));
    to += end - from;
  }
  w->n_list = to;
}

/* Those of `due`: the rest stays in order. */
static void drop_parted(vvi_sheet_search *w)
{
  int32_t n = 0;
  if (w->n_due == 0) return;
  vvi_sort(w->due, (size_t)w->n_due, sizeof *w->due, by_number);
  for (int32_t i = 0; i < w->n_due; i++) vvi_sheet_list_leaves(w, w->due[i]), w->spare[w->n_spare++] = w->due[i];
  for (int32_t i = 0; i < w->n_awake; i++)
    if (!w->parted[w->awake[i].list]) w->awake[n++] = w->awake[i];
  w->n_awake = n;
  for (int32_t i = 0; i < w->n_due; i++) w->parted[w->due[i]] = 0;
  drop_from_order(w, w->n_due);
}

static bool is_at(const vvi_sheet_search *w, const vvi_sheet_found *f, int32_t at)
{
  return at < w->n_list && w->key[at].a == f->a && w->key[at].b == f->b;
}

/* Lists of the start have not been found by boxes, and may be found now. */
static void drop_known(vvi_sheet_search *w)
{
  int64_t n = 0;
  for (int64_t k = 0; k < w->n_found; k++)
    if (!is_at(w, &w->found[k], place_of(w, &w->found[k], w->n_list))) w->found[n++] = w->found[k];
  w->n_found = n;
}

/* Those that are new get slots, and their places in the order, from the last to the first. */
static bool take_new(vvi_sheet_search *w)
{
  if (!vvi_sheet_lists_fit(w, w->n_list + w->n_found)) return false;
  const int32_t n = (int32_t)w->n_found;
  int32_t end = w->n_list;
  for (int32_t k = n - 1; k >= 0; k--) {
    const int32_t at = place_of(w, &w->found[k], end);
    memmove(w->order + at + k + 1, w->order + at, sizeof *w->order * (size_t)(end - at));
    memmove(w->key + at + k + 1, w->key + at, sizeof *w->key * (size_t)(end - at));
    w->order[at + k] = begin(w, &w->found[k]);
    w->key[at + k] = (vvi_sheet_key){.a = w->found[k].a, .b = w->found[k].b};
    end = at;
  }
  w->n_list += n;
  return true;
}

static void number_lists(const vvi_sheet_search *w)
{
  if (vvi_sheet_shares(w, w->n_list)) {
#pragma omp parallel for schedule(static) num_threads(w->threads)
    for (int32_t i = 0; i < w->n_list; i++) w->list[w->order[i]].place = i;
    return;
  }
  for (int32_t i = 0; i < w->n_list; i++) w->list[w->order[i]].place = i;
}

void vvi_sheet_number(vvi_sheet_search *w, int64_t n)
{
  enum { LOOKS = 16 }; /* of one that is looked for */
  if (w->numbered || LOOKS * n < w->n_list) return;
  number_lists(w);
  w->numbered = true;
}

int32_t vvi_sheet_list_place(const vvi_sheet_search *w, const vvi_sheet_list *l)
{
  const vvi_sheet_found f = vvi_sheet_found_of(w->sheets, l->a, l->b, l->rule);
  return w->numbered ? l->place : place_of(w, &f, w->n_list);
}

/* Boxes of which nothing is known overlap nothing. */
static void forget_boxes(vvi_sheet_search *w)
{
  for (int32_t i = 0; i < w->sheets->n_cluster; i++)
    for (int c = 0; c < 3; c++) w->broad->box[i][c] = INFINITY, w->broad->box[i][3 + c] = -INFINITY;
}

bool vvi_sheet_candidates(vvi_sheet_search *w)
{
  w->n_left = 0, w->n_found = 0, w->full = false;
  const bool anew = w->anew;
  vvi_sheet_paths_ahead(w);
  if (w->anew) vvi_sheet_carry_all(w);
  if (w->anew && !vvi_sheet_start_take(w)) return false;
  if (w->ranks != NULL && !vvi_sheet_asked_agree(w)) return false;
  const int32_t asked = find_asked(w);
  for (int32_t i = 0; w->away != NULL && i < asked; i++)
    if (!vvi_sheet_sees(w, w->asked[i])) vvi_sheet_away_need(w, w->asked[i]);
  if (w->away != NULL) vvi_sheet_away_fetch(w);
  const bool share = asked >= VVI_SHEET_SHARED && w->threads > 1;
#pragma omp parallel for schedule(static) num_threads(w->threads) if (share)
  for (int32_t i = 0; i < asked; i++) cover(w, w->asked[i], w->at[i]);
  vvi_sheet_boxes_agree(w, asked, w->at);
#pragma omp parallel for schedule(static) num_threads(w->threads) if (share)
  for (int32_t i = 0; i < asked; i++) look_at(w, w->asked[i], (const double *)w->at[i]);
  for (int32_t i = 0; i < asked; i++)
    if (w->moved[w->asked[i]]) w->left[w->n_left++] = w->asked[i];
  if (w->n_left == 0) return !anew || w->ranks == NULL || vvi_sheet_subscribe(w);
  w->moves += w->n_left;
  vvi_broad_update(w->broad, w->n_left, w->left);
  look_about(w);
  vvi_sort(w->found, (size_t)w->n_found, sizeof *w->found, vvi_sheet_by_meshes);
  drop_parted(w);
  if (anew) drop_known(w);
  bool room = take_new(w) && !w->full;
  if (w->ranks != NULL) room &= vvi_sheet_subscribe(w);
  w->numbered = false;
  for (int32_t k = 0; k < w->n_left; k++) w->moved[w->left[k]] = 0;
  return room;
}

void vvi_sheet_forget(vvi_sheet_search *w)
{
  w->widest = 0.0;
  for (int32_t i = 0; i < w->sheets->n_rule; i++) w->widest = fmax(w->widest, w->margin[i]);
  for (int32_t i = 0; i < w->sheets->n_cluster; i++) w->life[i].wake = -1.0;
  w->n_list = w->n_slot = w->n_spare = 0;
  vvi_sheet_sleep_forget(w);
  forget_boxes(w);
  w->used = 0;
  w->anew = true;
}
