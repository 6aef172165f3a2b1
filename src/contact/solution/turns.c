/* contact/solution/turns.c  Crowds: contacts that are resolved one after the other, in an order in which most need not wait.
 *
 * Each contact has a name that no list, thread or rank decides, and a hash of the names is their order, or that of the meshes
 * where nothing is lost.  R are the movers that a look at a contact reads, W those of them that it may push.  It waits for those
 * before it that push what it reads, or read what it pushes:
 *   level(i) = 1 + max level(j),   j before i,   W_j and R_i, or R_j and W_i, have a mover in common.          [contact 26e]
 * Contacts of a level have nothing in common: they answer side by side, and leave what they would leave one after the other.  In a
 * random order such chains are short, however large the crowd: the longest of n contacts with a bounded number of neighbours grows
 * as log n/log log n (Jones and Plassmann, SIAM J. Sci. Comput. 14, 1993). */
#include "base/sort.h"
#include "contact/contact.h"
#include "contact/rows/feature.h"
#include "math/math.h"

#include <string.h>

/* Contacts of a level, and looks, that a team shares: an answer takes some microseconds, and so does waking a team. */
enum { TEAM_FROM = 8, PIECE = 16 };

vv_status vvi_turns_create(struct vvi_contact_step *w)
{
  const int64_t n = w->threads, parts = n * VVI_ROW_PARTS;
  vvi_turner *t = w->turner = VVI_ARENA_NEW(w->arena, vvi_turner, n);
  vvi_island_contact *problem = VVI_ARENA_NEW(w->arena, vvi_island_contact, n);
  vvi_leg *leg = VVI_ARENA_NEW(w->arena, vvi_leg, parts);
  int32_t *who = VVI_ARENA_NEW(w->arena, int32_t, parts);
  double *reals = VVI_ARENA_NEW(w->arena, double, 18 * parts);
  if (t == NULL || problem == NULL || leg == NULL || who == NULL || reals == NULL) return VV_NOMEM;
  for (int64_t i = 0; i < n; i++, reals += 18 * VVI_ROW_PARTS)
    t[i] = (vvi_turner){.problem = problem + i,
                        .leg = leg + i * VVI_ROW_PARTS,
                        .who = who + i * VVI_ROW_PARTS,
                        .inverse = (double(*)[12])reals,
                        .change = (double(*)[6])(reals + 12 * VVI_ROW_PARTS)};
  return VV_OK;
}

/* ---- of the step ---- */

static bool fit(struct vvi_contact_step *w, int64_t reads)
{
  const int64_t had = w->turns_room, room = w->room;
  if (room > had) {
    w->turn = vvi_arena_grow(w->arena, w->turn, sizeof *w->turn, had, 0, room);
    w->by_name = vvi_arena_grow(w->arena, w->by_name, sizeof *w->by_name, had, 0, room);
    w->queue = vvi_arena_grow(w->arena, w->queue, sizeof *w->queue, had, 0, room);
    w->level_end = vvi_arena_grow(w->arena, w->level_end, sizeof *w->level_end, had, 0, room);
    if (!w->turn || !w->by_name || !w->queue || !w->level_end) return false;
    w->turns_room = room;
  }
  if (reads > w->reads_room) {
    const int64_t most = reads + reads / 2;
    w->reads = vvi_arena_grow(w->arena, w->reads, sizeof *w->reads, w->reads_room, 0, most);
    if (w->reads == NULL) return false;
    w->reads_room = most;
  }
  return true;
}

static int by_names(const void *x, const void *y)
{
  const vvi_turn_name *a = x, *b = y;
  if (a->name != b->name) return a->name < b->name ? -1 : 1;
  return a->contact < b->contact ? -1 : a->contact > b->contact;
}

/* Its slice of an array of all contacts. */
static int64_t slice(const struct vvi_contact_step *w, const vvi_contact_group *g)
{
  return g->member - w->list;
}

/* Takes a mover, if it moves and this contact has not taken it. */
static void take(struct vvi_contact_step *w, vvi_in_turn *t, int32_t mark, int32_t mover)
{
  vvi_working *m = &w->work[mover];
  if (!m->moves || m->seen == mark) return;
  m->seen = mark;
  w->reads[t->read + t->reads++] = mover;
}

/* What it pushes first, then what its look reads beside that. */
static void list_reads(struct vvi_contact_step *w, int32_t group, int32_t i, int32_t mark, vvi_in_turn *t)
{
  const vvi_contact *c = &w->contact[i];
  for (int32_t k = 0; k < c->nodes; k++) take(w, t, mark, w->node[c->node0 + k]);
  t->writes = t->reads;
  int32_t *around =
      w->reads + t->read + c->nodes; /* behind what is taken: it is never more than what was read so far */
  const int64_t n = vvi_feature_reads(w, group, c, around);
  for (int64_t k = 0; k < n; k++) take(w, t, mark, around[k]);
}

static void make_turns(struct vvi_contact_step *w, vvi_contact_group *g)
{
  const int32_t group = (int32_t)(g - w->group);
  vvi_turn_name *name = w->by_name + slice(w, g);
  for (int32_t i = 0; i < g->movers; i++) w->work[g->mover[i]].seen = -1;
  for (int32_t i = 0; i < g->n; i++) {
    const int32_t at = g->member[i];
    vvi_in_turn *t = &w->turn[at];
    *t = (vvi_in_turn){.level = -1, .read = w->n_reads};
    if (w->contact[at].near >= 0) {
      t->name = vvi_feature_name(w, &w->contact[at]);
      list_reads(w, group, at, i, t);
      w->n_reads += t->reads;
    }
    name[i] = (vvi_turn_name){t->name, at};
  }
  vvi_sort(name, (size_t)g->n, sizeof *name, by_names);
}

static bool is_soft(const vvi_contact *c)
{
  return c->near >= 0 && !c->linked && !c->turns;
}

bool vvi_turns_make(struct vvi_contact_step *w)
{
  int64_t reads = 0;
  bool any = false;
  for (int32_t k = 0; k < w->groups; k++) {
    vvi_contact_group *g = &w->group[k];
    int32_t features = 0;
    for (int32_t i = 0; i < g->n && g->n >= VVI_CROWD; i++) features += w->contact[g->member[i]].near >= 0;
    g->crowd = features >= VVI_CROWD, any |= g->crowd;
    g->soft = g->crowd;
    for (int32_t i = 0; i < g->n && g->soft; i++) g->soft = is_soft(&w->contact[g->member[i]]);
    for (int32_t i = 0; i < g->n && g->crowd; i++) {
      const vvi_contact *c = &w->contact[g->member[i]];
      if (c->near >= 0) reads += c->nodes + vvi_feature_reads(w, k, c, NULL);
    }
  }
  if (!any) return true;
  if (!fit(w, reads)) return false;
  w->n_reads = 0;
  for (int32_t k = 0; k < w->groups; k++)
    if (w->group[k].crowd) make_turns(w, &w->group[k]);
  return true;
}

static void clear_sums(vvi_in_turn *t)
{
  memset(t->outside, 0, sizeof t->outside);
  memset(t->pending, 0, sizeof t->pending);
  t->given = t->lost = 0.0;
}

void vvi_turns_clear(struct vvi_contact_step *w, const vvi_contact_group *g)
{
  for (int32_t i = 0; g->crowd && i < g->known; i++) clear_sums(&w->turn[g->member[i]]);
}

void vvi_turns_close(struct vvi_contact_step *w, vvi_contact_group *g)
{
  for (int32_t i = 0; g->crowd && i < g->known; i++) {
    vvi_in_turn *t = &w->turn[g->member[i]];
    for (int k = 0; k < 6; k++) g->outside[k] += t->outside[k], g->pending[k] += t->pending[k];
    g->given += t->given, g->lost += t->lost;
    g->count.turns += t->turns, g->count.solves += t->solves;
    g->count.closed += t->closed, g->count.looked += t->looked;
    clear_sums(t);
    t->turns = t->solves = t->closed = t->looked = 0;
  }
}

/* ---- looks ---- */

static void look(struct vvi_contact_step *w, const vvi_contact_group *g, int32_t i)
{
  vvi_contact *c = &w->contact[i];
  if (c->near >= 0 && vvi_contact_is_mine(w, g, i))
    vvi_feature_look(w, (int32_t)(g - w->group), c), vvi_feature_recall(w, c);
}

void vvi_turns_look(struct vvi_contact_step *w, vvi_contact_group *g)
{
  if (!g->crowd || w->team < 2) {
    for (int32_t i = 0; i < g->n; i++) look(w, g, g->member[i]);
    return;
  }
#pragma omp parallel for schedule(dynamic, PIECE) num_threads(w->team)
  for (int32_t i = 0; i < g->n; i++) look(w, g, g->member[i]);
}

/* A look reads what is there and writes to its own contact alone; asked again, it says the same. */
void vvi_turns_collect(struct vvi_contact_step *w, vvi_contact_group *g, int pass)
{
  if (!g->crowd || w->team < 2 || g->pieces > 0) return;
  vvi_features_refresh(w);
#pragma omp parallel for schedule(dynamic, PIECE) num_threads(w->team)
  for (int32_t i = 0; i < g->n; i++) {
    vvi_contact *c = &w->contact[g->member[i]];
    if (c->near >= 0 && vvi_contact_is_mine(w, g, g->member[i]) && !(pass == 1 && c->block))
      (void)vvi_feature_closes(w, (int32_t)(g - w->group), c);
  }
}

/* ---- levels ---- */

static int32_t larger(int32_t a, int32_t b)
{
  return a > b ? a : b;
}

static int32_t level_of(const struct vvi_contact_step *w, const vvi_in_turn *t)
{
  const int32_t *mover = w->reads + t->read;
  int32_t level = 0;
  for (int32_t k = 0; k < t->reads; k++) level = larger(level, w->work[mover[k]].wrote);
  for (int32_t k = 0; k < t->writes; k++) level = larger(level, w->work[mover[k]].seen);
  return level + 1;
}

static void take_level(struct vvi_contact_step *w, vvi_in_turn *t)
{
  const int32_t *mover = w->reads + t->read;
  t->level = level_of(w, t);
  for (int32_t k = 0; k < t->writes; k++) w->work[mover[k]].wrote = t->level;
  for (int32_t k = 0; k < t->reads; k++) w->work[mover[k]].seen = larger(w->work[mover[k]].seen, t->level);
}

/* Reflections go in the order of the meshes: cubes that meet face to face bounce in a quarter of the passes then. */
static int32_t in_order(const struct vvi_contact_step *w, const vvi_contact_group *g, bool light, int32_t i)
{
  return light ? g->member[i] : w->by_name[slice(w, g) + i].contact;
}

/* The island by levels, each in its order; returns how many.                                                [contact 26e] */
static int32_t put_in_levels(struct vvi_contact_step *w, const vvi_contact_group *g, int32_t n, const int32_t *act,
                             bool light)
{
  int32_t *queue = w->queue + slice(w, g), *end = w->level_end + slice(w, g), levels = 0;
  for (int32_t i = 0; i < n; i++) {
    vvi_in_turn *t = &w->turn[act[i]];
    t->level = 0;
    for (int32_t k = 0; k < t->reads; k++)
      w->work[w->reads[t->read + k]].wrote = w->work[w->reads[t->read + k]].seen = 0;
  }
  for (int32_t i = 0; i < g->known; i++) {
    vvi_in_turn *t = &w->turn[in_order(w, g, light, i)];
    if (t->level < 0) continue;
    take_level(w, t);
    while (levels < t->level) end[levels++] = 0;
    end[t->level - 1]++;
  }
  for (int32_t k = 0, sum = 0; k < levels; k++) sum += end[k], end[k] = sum - end[k]; /* where it begins */
  for (int32_t i = 0; i < g->known; i++) {
    vvi_in_turn *t = &w->turn[in_order(w, g, light, i)];
    if (t->level < 0) continue;
    queue[end[t->level - 1]++] = in_order(w, g, light, i);
    t->level = -1;
  }
  return levels;
}

/* ---- answers ---- */

static void add_sums(vvi_in_turn *t, const vvi_contact_group *one)
{
  for (int k = 0; k < 6; k++) t->outside[k] += one->outside[k], t->pending[k] += one->pending[k];
  t->given += one->given, t->lost += one->lost;
  t->turns++, t->solves += one->count.solves, t->closed += one->count.closed, t->looked += one->count.looked;
}

/* One, if it still closes, as a group of its own: `allowed` is what it may bring. */
static void answer_one(struct vvi_contact_step *w, const vvi_contact_group *g, int32_t i, bool light, double allowed,
                       const vvi_turner *own, vvi_island_work *solver)
{
  vvi_in_turn *t = &w->turn[i];
  if (!vvi_contact_is_mine(w, g, i)) return;
  t->taken = 0.0, t->answered = false;
  if (!vvi_feature_closes(w, (int32_t)(g - w->group), &w->contact[i])) return;
  vvi_contact_group one = *g;
  one.problem = own->problem, one.leg = own->leg, one.who = own->who, one.inverse = own->inverse,
  one.change = own->change;
  one.turns = true, one.taken = allowed;
  one.given = one.lost = 0.0;
  memset(one.outside, 0, sizeof one.outside);
  memset(one.pending, 0, sizeof one.pending);
  memset(&one.count, 0, sizeof one.count);
  if (!light || !vvi_island_answer(w, &one, 1, &i, solver)) vvi_turn_answer(w, &one, i, solver);
  t->taken = one.taken - allowed, t->answered = true;
  add_sums(t, &one);
}

/* For tests: nothing depends on the order within a level. */
static int32_t place_of(const struct vvi_contact_step *w, int32_t i, int32_t n)
{
  if (w->shuffle == 0) return i;
  return w->shuffle % 2 == 1 ? n - 1 - i : (int32_t)((w->shuffle / 2 + (uint64_t)i) % (uint64_t)n);
}

/* What belongs to the thread whose solver it is.  Its number in the team would not do: whoever calls the library may be a thread of a
 * team of their own. */
static const vvi_turner *turner_of(const struct vvi_contact_step *w, const vvi_island_work *solver)
{
  int k = 0;
  while (w->island_work[k] != solver) k++;
  return &w->turner[k];
}

static void answer_level(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, const int32_t *queue, bool light,
                         double allowed, vvi_island_work *solver)
{
  if (w->team < 2 || n < TEAM_FROM) {
    const vvi_turner *own = turner_of(w, solver);
    for (int32_t i = 0; i < n; i++) answer_one(w, g, queue[place_of(w, i, n)], light, allowed, own, solver);
    return;
  }
#pragma omp parallel for schedule(dynamic, 1) num_threads(w->team)
  for (int32_t i = 0; i < n; i++) {
    const int k = vvi_team_rank();
    answer_one(w, g, queue[i], light, allowed, &w->turner[k], w->island_work[k]);
  }
}

/* Only what was answered before in this step, or rubs, may bring something: they share what may be brought.  [contact 26c] */
static double share_of(const struct vvi_contact_step *w, const vvi_contact_group *g, int32_t n, const int32_t *queue)
{
  int32_t takers = 0;
  for (int32_t i = 0; i < n; i++) {
    const vvi_contact *c = &w->contact[queue[i]];
    takers += c->hits > 0 || w->near->solids->rule[c->law].friction > 0.0;
  }
  return takers > 0 ? fmax(0.0, g->taken) / takers : 0.0;
}

void vvi_turns_answer(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, const int32_t *act, bool light,
                      vvi_island_work *solver)
{
  const int32_t levels = put_in_levels(w, g, n, act, light);
  const int32_t *queue = w->queue + slice(w, g), *end = w->level_end + slice(w, g);
  for (int32_t i = 0; i < n; i++) w->contact[act[i]].turn = !light;
  if (!light && !g->turns) g->turns = true, g->taken = vvi_group_allowance(w, g);
  for (int32_t k = 0, from = 0; k < levels; from = end[k++]) {
    answer_level(w, g, end[k] - from, queue + from, light, share_of(w, g, end[k] - from, queue + from), solver);
    if (g->shared) vvi_shared_push(w, end[k] - from, queue + from);
    for (int32_t i = from; i < end[k]; i++) {
      g->taken += w->turn[queue[i]].taken;
      g->own_turns += vvi_contact_is_mine(w, g, queue[i]) && w->turn[queue[i]].answered;
    }
  }
  g->jams = false;
  g->count.levels += levels;
}
