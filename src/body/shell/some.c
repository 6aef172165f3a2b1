/* body/shell/some.c  Kick and drift of some nodes: of the groups of elements that touch them alone, with the bits of the whole
 * sweep: forces on a node are added up in the order of the groups, and those that do not touch it add nothing. */
#include "base/trade.h"
#include "body/shell/moves.h"
#include "body/shell/shell.h"
#include "math/math.h"

#include <string.h>

/* Of a thread, at least: a team meets in as much time as it takes for them. */
enum { TILES = 1, NODES = 256 };

int64_t shell_tile_at(const shell_plan *plan, int64_t index, bool slots)
{
  int64_t from = 0, to = plan->tiles;
  while (to - from > 1) {
    const int64_t mid = (from + to) / 2;
    const shell_tile *t = &plan->tile[mid];
    if ((slots ? t->slot0 + t->slot : t->node0 + t->own0) <= index)
      from = mid;
    else
      to = mid;
  }
  return from;
}

const shell_shared *vvi_shell_shared_of(const shell_tile *t, int32_t local)
{
  int32_t from = 0, to = t->shareds;
  while (from < to) {
    const int32_t mid = (from + to) / 2;
    if (t->shared[mid].local < local)
      from = mid + 1;
    else
      to = mid;
  }
  return from < t->shareds && t->shared[from].local == local ? &t->shared[from] : NULL;
}

/* Tiles that hold some nodes, the elements in them that touch these, and where the forces on each node are: found once for all kicks
 * of these nodes. */
typedef struct tiles {
  vvi_arena *arena;
  int64_t n;
  int32_t *tile;         /* [tiles] the first n */
  int64_t *first_group;  /* [tiles + 1] of these: from where on their groups stand in group[] */
  unsigned char *listed; /* [tiles] */
  unsigned char *wanted; /* [slots] the force on its node is; of tiles that are listed */
  int32_t *first,
      *slot; /* [nodes + 1], [slots] of the nodes in their order: that of the owner, then others as they are added */
  shell_group *group; /* [room] elements that are asked for, in the order of their tile: pairs without */
  uint16_t (*at)[SHELL_HALF * SHELL_PAIR];       /* [room] gaps between them, with tables of their own */
  double (*rest)[SHELL_REFERENCE * SHELL_GROUP]; /* [room] */
  int64_t room;
  /* over ranks: places that these tiles read, forces that they have for others; out of this rank, and in */
  vvi_trade *trade; /* NULL: one rank has all */
  vvi_route places[2], forces[2];
  bool places_travel, forces_travel; /* between some ranks */
} tiles;
enum { OUT, IN };

/* ---- what ranks tell each other ---- */

/* A row that its owner sends and another rank gets. */
static bool add_row(const tiles *w, vvi_route k[2], int32_t me, int32_t from, int32_t to, int64_t rows, int64_t row)
{
  return (from != me || vvi_route_add(w->arena, &k[OUT], to * rows + row)) &&
         (to != me || vvi_route_add(w->arena, &k[IN], from * rows + row));
}

/* What a tile reads of other ranks, and has for them.  False: no memory. */
static bool list_tile(const vv_block *b, tiles *w, int64_t tile, bool all)
{
  const shell_plan *plan = b->plan;
  const shell_share *s = plan->share;
  const shell_tile *t = &plan->tile[tile];
  const int32_t mine = s->rank[tile];
  bool good = true;
  for (int32_t k = 0; k < t->halo; k++) {
    const int64_t node = t->node0 + t->halo_node[k], slot = t->slot0 + t->slot + t->own + k;
    const int32_t owner = shell_owner(b, node);
    if (owner == mine) continue;
    w->places_travel = true;
    good &= add_row(w, w->places, s->me, owner, mine, b->nodes, node);
    if (!all && !w->wanted[slot]) continue;
    w->forces_travel = true;
    good &= add_row(w, w->forces, s->me, mine, owner, plan->slots, slot);
  }
  return good;
}

static void clear_rows(tiles *w)
{
  w->places[OUT].n = w->places[IN].n = w->forces[OUT].n = w->forces[IN].n = 0;
  w->places_travel = w->forces_travel = false;
}

/* What these tiles and the nodes that are wanted need of other ranks: all ranks know it of all of them. */
static void list_rows(const vv_block *b, tiles *w)
{
  clear_rows(w);
  for (int64_t i = 0; w->trade != NULL && i < w->n; i++) (void)list_tile(b, w, w->tile[i], false); /* there is room */
  for (int i = 0; i < 2; i++) vvi_route_order(&w->places[i]), vvi_route_order(&w->forces[i]);
}

/* Room for all that tiles may ever tell: a rank that has no memory later on would leave the others waiting. */
static bool open_rows(const vv_block *b, tiles *w)
{
  const shell_plan *plan = b->plan;
  w->trade = VVI_ARENA_NEW(w->arena, vvi_trade, 1);
  if (w->trade == NULL || vvi_trade_open(w->trade, plan->share->net, w->arena) != VV_OK) return false;
  for (int64_t i = 0; i < plan->tiles; i++)
    if (!list_tile(b, w, i, true)) return false;
  const int64_t x = w->places[OUT].n, f = w->forces[OUT].n;
  clear_rows(w);
  return vvi_trade_fit(w->trade, 3 * VV_DEVICE_FLIGHTS * (x > f ? x : f) + 1);
}

static void *open_set(const vv_block *b, struct vvi_arena *arena)
{
  const shell_plan *plan = b->plan;
  tiles *w = VVI_ARENA_NEW(arena, tiles, 1);
  if (w == NULL || plan->tiles > INT32_MAX || plan->slots > INT32_MAX) return NULL;
  w->arena = arena;
  w->tile = VVI_ARENA_NEW(arena, int32_t, plan->tiles);
  w->first_group = VVI_ARENA_NEW(arena, int64_t, plan->tiles + 1);
  w->listed = VVI_ARENA_NEW(arena, unsigned char, plan->tiles);
  w->wanted = VVI_ARENA_NEW(arena, unsigned char, plan->slots);
  w->first = VVI_ARENA_NEW(arena, int32_t, b->nodes + 1);
  w->slot = VVI_ARENA_NEW(arena, int32_t, plan->slots);
  if (w->first == NULL || w->slot == NULL) return NULL;
  if (plan->share != NULL && !open_rows(b, w)) return NULL;
  return w->tile != NULL && w->first_group != NULL && w->listed != NULL && w->wanted != NULL ? w : NULL;
}

/* And the slot of a node there, the k-th of all. */
static void take_tile(tiles *w, const shell_plan *plan, int64_t tile, int32_t local, int32_t k)
{
  const shell_tile *t = &plan->tile[tile];
  unsigned char *wanted = w->wanted + t->slot0 + t->slot;
  if (!w->listed[tile]) {
    w->listed[tile] = 1, w->tile[w->n++] = (int32_t)tile;
    memset(wanted, 0, (size_t)shell_tile_nodes(t));
  }
  wanted[local] = 1, w->slot[k] = (int32_t)(t->slot0 + t->slot + local);
}

/* All that hold one of the nodes. */
static void take_tiles(tiles *w, const shell_plan *plan, int64_t n, const int32_t *node)
{
  for (int64_t i = 0; i < w->n; i++) w->listed[w->tile[i]] = 0;
  w->n = 0;
  int32_t slots = 0;
  for (int64_t i = 0; i < n; i++) {
    const int64_t tile = shell_tile_at(plan, node[i], false);
    const shell_tile *t = &plan->tile[tile];
    const int32_t local = (int32_t)(node[i] - t->node0 - t->own0);
    const shell_shared *s = vvi_shell_shared_of(t, local);
    w->first[i] = slots;
    take_tile(w, plan, tile, local, slots++);
    for (int k = 0; s != NULL && k < s->others; k++) {
      const int64_t slot = shell_others(t, s)[k], other = shell_tile_at(plan, t->slot0 + slot, true);
      take_tile(w, plan, other, (int32_t)(slot - plan->tile[other].slot), slots++);
    }
  }
  w->first[n] = slots;
}

/* Forces on ghosts go to many, and which nodes groups of tiles of other ranks hold is not known here. */
static bool is_whole(const shell_plan *plan, const shell_tile *t)
{
  return t->ghosts > 0 || plan->share != NULL;
}

/* Room for all groups of the tiles that are not taken whole. */
static bool fit_groups(tiles *w, const shell_plan *plan)
{
  int64_t n = 0;
  for (int64_t i = 0; i < w->n; i++) {
    const shell_tile *t = &plan->tile[w->tile[i]];
    n += is_whole(plan, t) ? 0 : t->groups;
  }
  if (n <= w->room) return true;
  const int64_t room = 2 * n;
  w->group = vvi_arena_grow(w->arena, w->group, sizeof *w->group, w->room, 0, room);
  w->at = vvi_arena_grow(w->arena, w->at, sizeof *w->at, w->room, 0, room);
  w->rest = vvi_arena_grow(w->arena, w->rest, sizeof *w->rest, w->room, 0, room);
  w->room = w->group != NULL && w->at != NULL && w->rest != NULL ? room : 0;
  return w->room > 0;
}

/* Is one of n local nodes wanted? */
static bool touches(const unsigned char *wanted, int32_t n, const uint16_t *at)
{
  for (int32_t i = 0; i < n; i++)
    if (wanted[at[i] / 4]) return true;
  return false;
}

/* Pair `from` of a group, behind the others of group k.  Empty lanes repeat the first pair. */
static void add_pair(tiles *w, int64_t k, const shell_group *g, int from)
{
  shell_group *to = &w->group[k];
  const int lane = to->count / 2, end = lane == 0 ? SHELL_HALF : lane + 1;
  for (int l = lane; l < end; l++) {
    memcpy(w->at[k] + SHELL_PAIR * l, g->at + SHELL_PAIR * from, SHELL_PAIR * sizeof *g->at);
    for (int c = 0; c < SHELL_REFERENCE; c++)
      for (int half = 0; half < SHELL_GROUP; half += SHELL_HALF)
        w->rest[k][SHELL_GROUP * c + half + l] = g->rest[SHELL_GROUP * c + half + from];
  }
  to->count = (int16_t)(to->count + 2);
}

/* The elements of tile i that touch nodes which are wanted, behind the n groups of others: pairs add their forces one after the other,
 * so that these may stand in other groups; other elements add them group by group. */
static int64_t find_groups(tiles *w, const shell_plan *plan, int64_t i, int64_t n)
{
  const shell_tile *t = &plan->tile[w->tile[i]];
  const unsigned char *wanted = w->wanted + t->slot0 + t->slot;
  bool open = false; /* the last group has room for pairs */
  for (int32_t j = 0; !is_whole(plan, t) && j < t->groups; j++) {
    const shell_group *g = &t->group[j];
    if (!g->pair) {
      if (touches(wanted, t->cls[g->cls].nodes * g->count, g->at)) w->group[n++] = *g, open = false;
      continue;
    }
    for (int pair = 0; pair < g->count / 2; pair++) {
      if (!touches(wanted, SHELL_PAIR, g->at + SHELL_PAIR * pair)) continue;
      if (!open) w->group[n] = (shell_group){.pair = 1, .cls = g->cls, .at = w->at[n], .rest = w->rest[n]}, n++;
      add_pair(w, n - 1, g, pair);
      open = w->group[n - 1].count < SHELL_GROUP;
    }
  }
  return n;
}

static void reach(const shell_tile *t, int64_t local, unsigned char *mark, int32_t *out, int64_t *found)
{
  const int64_t at = t->node0 + shell_tile_node(t, local);
  if (mark[at]) return;
  mark[at] = 1, out[(*found)++] = (int32_t)at;
}

/* Nodes of a group's elements. */
static int64_t reach_group(const shell_tile *t, const shell_group *g, unsigned char *mark, int32_t *out, int64_t found)
{
  const int32_t n = g->pair ? SHELL_PAIR * (g->count / 2) : t->cls[g->cls].nodes * g->count;
  for (int32_t k = 0; k < n; k++) reach(t, g->at[k] / 4, mark, out, &found);
  return found;
}

static int64_t around(const vv_block *b, int64_t n, const int32_t *node, void *set, unsigned char *mark, int32_t *out)
{
  const shell_plan *plan = b->plan;
  tiles *w = set;
  int64_t found = 0;
  if (b->n_load > 0 || b->z_reals > 0) return -1;
  take_tiles(w, plan, n, node);
  list_rows(b, w);
  if (!fit_groups(w, plan)) return -1;
  w->first_group[0] = 0;
  for (int64_t i = 0; i < w->n; i++) {
    const shell_tile *t = &plan->tile[w->tile[i]];
    w->first_group[i + 1] = find_groups(w, plan, i, w->first_group[i]);
    for (int64_t k = 0; is_whole(plan, t) && k < t->own + t->halo; k++) reach(t, k, mark, out, &found);
    for (int64_t j = w->first_group[i]; j < w->first_group[i + 1]; j++)
      found = reach_group(t, &w->group[j], mark, out, found);
  }
  return found;
}

/* A tile with those of its elements alone that are asked for. */
static void force_of(const vv_block *b, const tiles *w, int64_t i, const double *q, double *slot)
{
  const shell_plan *plan = b->plan;
  const shell_tile *t = &plan->tile[w->tile[i]];
  shell_tile some = *t;
  if (!is_whole(plan, t)) {
    some.group = w->group + w->first_group[i];
    some.groups = (int32_t)(w->first_group[i + 1] - w->first_group[i]);
  }
  plan->force(shell_of(b, t->body), &some, NULL, b->column, q, slot + 4 * (t->slot0 + t->slot));
}

/* Node i of a set, as the sweep does it: the segment of the owner, then those of others in their order. */
static void move_node(const vv_block *b, const tiles *w, int64_t i, int64_t node, double h, double drift,
                      const double *slot, double *q, double *p)
{
  const shell_plan *plan = b->plan;
  const bool here = plan->share == NULL || shell_is_here(plan, shell_tile_at(plan, node, false));
  const double mass = shell_node(b, SHELL_MASS)[node], minv = shell_node(b, SHELL_INVERSE_MASS)[node];
  for (int c = 0; c < 3; c++) {
    double grad = slot[4 * (int64_t)w->slot[w->first[i]] + c], *P = &p[c * b->column + node],
           *Q = &q[c * b->column + node];
    for (int32_t k = w->first[i] + 1; k < w->first[i + 1]; k++) grad += slot[4 * (int64_t)w->slot[k] + c];
    if (here) *P = minv == 0.0 ? 0.0 : shell_kicked(h, b->gravity[c], mass, grad, *P);
    if (drift != 0.0) *Q = shell_place_after(drift, minv, *P, *Q);
  }
}

static int64_t reals(const vv_block *b)
{
  return 4 * shell_plan_of(b)->slots;
}

/* Threads for n pieces of which one should have `least`. */
static int team_of(const vv_block *b, int64_t n, int least)
{
  const int64_t share = n / least + 1;
  return share < b->threads ? (int)share : b->threads;
}

/* Columns of all states, side by side in a row. */
typedef struct columns {
  double *const *x;
  int states;
  int64_t by_row, by_number;
} columns;

static void put_row(void *user, int64_t number, double *row)
{
  const columns *w = user;
  for (int k = 0; k < w->states; k++)
    for (int c = 0; c < 3; c++) row[3 * k + c] = w->x[k][w->by_row * number + w->by_number * c];
}

static void take_row(void *user, int64_t number, double *row)
{
  const columns *w = user;
  for (int k = 0; k < w->states; k++)
    for (int c = 0; c < 3; c++) w->x[k][w->by_row * number + w->by_number * c] = row[3 * k + c];
}

/* Nothing is said where all that these tiles read is on one rank. */
static void fetch_places(const vv_block *b, const tiles *w, int states, double *const q[])
{
  columns x = {.x = q, .states = states, .by_row = 1, .by_number = b->column};
  if (w->places_travel)
    vvi_trade_rows(w->trade, b->nodes, 3 * states, &w->places[OUT], &w->places[IN], put_row, take_row, &x);
}

static void fetch_forces(const vv_block *b, const tiles *w, int states, double *const slot[])
{
  columns f = {.x = slot, .states = states, .by_row = 4, .by_number = 1};
  if (w->forces_travel)
    vvi_trade_rows(w->trade, shell_plan_of(b)->slots, 3 * states, &w->forces[OUT], &w->forces[IN], put_row, take_row,
                   &f);
}

/* Over ranks: forces of the tiles of this rank, on the nodes that it moves; all ranks are asked for the same nodes. */
static void kick(const vv_block *b, double h, double drift, int64_t n, const int32_t *node, const void *set, int states,
                 double *const scratch[], double *const q[], double *const p[])
{
  const shell_plan *plan = b->plan;
  const tiles *w = set;
  const int team = team_of(b, states * w->n, TILES), movers = team_of(b, states * n, NODES);
  fetch_places(b, w, states, q);
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
  for (int64_t i = 0; i < states * w->n; i++) {
    if (shell_is_here(plan, w->tile[i / states])) force_of(b, w, i / states, q[i % states], scratch[i % states]);
  }
  fetch_forces(b, w, states, scratch);
#pragma omp parallel for schedule(static) num_threads(movers) if (movers > 1)
  for (int64_t i = 0; i < states * n; i++) {
    const int k = (int)(i / n);
    move_node(b, w, i % n, node[i % n], h, drift, scratch[k], q[k], p[k]);
  }
}

/* What states have in common is read once. */
static inline void set_out_some(const vv_block *b, double kick, double h, int64_t from, int64_t to, const int32_t *node,
                                const double *q0, const double *f, int states, double *const q[], double *const p[])
{
  const double *minv = shell_node(b, SHELL_INVERSE_MASS);
  for (int64_t i = from; i < to; i++)
    for (int c = 0; c < 3; c++) {
      const int64_t at = c * b->column + node[i];
      const double push = kick * f[at], x = q0[at], inverse = minv[node[i]];
      for (int k = 0; k < states; k++) {
        p[k][at] += push;
        q[k][at] = shell_place_after(h, inverse, p[k][at], x);
      }
    }
}

static void set_out_piece(const vv_block *b, double kick, double h, int64_t from, int64_t to, const int32_t *node,
                          const double *q0, const double *f, int states, double *const q[], double *const p[])
{
  if (states == 3) /* as most do: the loop over them is written out */
    set_out_some(b, kick, h, from, to, node, q0, f, 3, q, p);
  else
    set_out_some(b, kick, h, from, to, node, q0, f, states, q, p);
}

static void set_out(const vv_block *b, double kick, double h, int64_t n, const int32_t *node, const double *q0,
                    const double *f, int states, double *const q[], double *const p[])
{
  enum { PIECE = 1024 };
  const int team = team_of(b, n, PIECE);
  if (team < 2) {
    set_out_piece(b, kick, h, 0, n, node, q0, f, states, q, p);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(team)
  for (int64_t i = 0; i < n; i += PIECE)
    set_out_piece(b, kick, h, i, n - i < PIECE ? n : i + PIECE, node, q0, f, states, q, p);
}

const vv_some_table shell_some_table = {
    .set = open_set, .around = around, .reals = reals, .kick = kick, .set_out = set_out};
