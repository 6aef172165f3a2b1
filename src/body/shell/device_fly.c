/* body/shell/device_fly.c  Trial flights of shells on an accelerator.  An impact asks where a few nodes would be after some steps without
 * contact, there and back, with several momenta; the tiles about these nodes fly, as copies, and nothing else comes down.
 *
 * Which tiles: forces on some nodes depend on those of all elements that touch them.  Of every tile is found once, when it is first asked
 * for, which tiles have a part in where its own nodes are, and how many kicks before the end they have their last one: its cone. */
#include "body/shell/device_inside.h"

#include <stdlib.h>
#include <string.h>

/* Cones of SPARE tiles side by side are some 80 tiles: six states of them fill a large device once. */
enum { SPARE = 16 };
enum { STATES = 2 * VV_DEVICE_FLIGHTS, ROW = TILE_COLUMNS + T_COLUMNS, NO_CONE = -1 };

/* A tile of a cone: forces of its elements are asked for in the last `level` kicks, 1, 2, ...; one more: only that it moves. */
typedef struct member {
  int32_t tile, level;
} member;

struct shell_flight {
  vvi_kernel *rows, *begin, *pushed, *mark, *move;
  vvi_buffer *q, *p, *slot;              /* [3][states][column], [3][states][slots] */
  vvi_buffer *asked;                     /* [nodes] which of those that are asked for it is, from 1 on; 0: none */
  vvi_buffer *which[SORTS], *row[SORTS]; /* [tiles of the sort] those that fly; [..][states] their rows */
  vvi_buffer *node, *given_node, *given, *report;
  int64_t room[4];       /* bytes of these */
  int32_t *level, *base; /* [tiles] of the set that flies, 0: not in it; whether its cone is in it */
  int32_t *in[SORTS];    /* [tiles of the sort] by level */
  int32_t count[SORTS][VV_DEVICE_KICKS + 2]; /* of these: up to a level */
  int32_t bases, states, kicks;              /* what the set is for */
  int32_t *now;                              /* [tiles] that are asked for */
  int64_t *first; /* [tiles] where the cone begins in `cone`, NO_CONE: not known; and its members */
  int32_t *members;
  member *cone;
  int64_t cones, cone_room;
  /* for who looks for a cone */
  int64_t *node_seen, *tile_seen, looks; /* [nodes], [tiles] in which look, and at which level */
  int32_t *queue, *held;                 /* [nodes], [tiles] */
};

/* ---- cones ---- */

typedef struct look {
  const shell_plan *plan;
  struct shell_flight *f;
  int64_t stamp; /* of this look and level */
  int64_t n;     /* nodes in the queue */
  int32_t helds; /* tiles that hold nodes of this level */
} look;

/* A look is told from others by its number, and so are its levels. */
static int64_t stamp_of(const struct shell_flight *f, int level)
{
  return f->looks * (VV_DEVICE_KICKS + 2) + level;
}

static void reach(look *k, int64_t node)
{
  if (k->f->node_seen[node] >= stamp_of(k->f, 0)) return;
  k->f->node_seen[node] = k->stamp, k->f->queue[k->n++] = (int32_t)node;
}

static bool hold(look *k, int64_t tile)
{
  if (k->f->tile_seen[tile] == k->stamp) return true;
  const bool fresh = k->f->tile_seen[tile] < stamp_of(k->f, 0);
  k->f->tile_seen[tile] = k->stamp, k->f->held[k->helds++] = (int32_t)tile;
  if (!fresh) return true;
  if (k->f->cones == k->f->cone_room) {
    const int64_t room = 2 * k->f->cone_room + 1024;
    member *more = realloc(k->f->cone, sizeof *more * (size_t)room);
    if (more == NULL) return false;
    k->f->cone = more, k->f->cone_room = room;
  }
  k->f->cone[k->f->cones++] = (member){.tile = (int32_t)tile, .level = (int32_t)(k->stamp - stamp_of(k->f, 0))};
  return true;
}

/* All tiles that hold a node. */
static bool hold_node(look *k, int64_t node)
{
  const int64_t tile = shell_tile_at(k->plan, node, false);
  const shell_tile *t = &k->plan->tile[tile];
  const shell_shared *s = vvi_shell_shared_of(t, (int32_t)(node - t->node0 - t->own0));
  bool good = hold(k, tile);
  for (int i = 0; good && s != NULL && i < s->others; i++)
    good = hold(k, shell_tile_at(k->plan, t->slot0 + shell_others(t, s)[i], true));
  return good;
}

/* Nodes of the elements of a tile that touch nodes of the level before; with ghosts, whose forces go to many, of all of them. */
static void reach_from(look *k, const shell_tile *t)
{
  for (int32_t i = 0; t->ghosts > 0 && i < t->own + t->halo; i++) reach(k, t->node0 + shell_tile_node(t, i));
  for (int32_t j = 0; t->ghosts == 0 && j < t->groups; j++) {
    const shell_group *g = &t->group[j];
    const int size = g->pair ? SHELL_PAIR : t->cls[g->cls].nodes * g->count, n = g->pair ? g->count / 2 : 1;
    for (int e = 0; e < n; e++) {
      const uint16_t *at = g->at + size * e;
      bool touches = false;
      for (int i = 0; i < size && !touches; i++)
        touches = k->f->node_seen[t->node0 + shell_tile_node(t, at[i] / 4)] == k->stamp - 1;
      for (int i = 0; touches && i < size; i++) reach(k, t->node0 + shell_tile_node(t, at[i] / 4));
    }
  }
}

/* The cone of a tile, behind those that are known. */
static bool find_cone(shell_device *s, int32_t tile)
{
  struct shell_flight *f = s->flight;
  const shell_plan *plan = s->b->plan;
  const shell_tile *t = &plan->tile[tile];
  const int64_t first = f->cones;
  look k = {.plan = plan, .f = f};
  f->looks++;
  k.stamp = stamp_of(f, 0);
  for (int32_t i = 0; i < t->own; i++) reach(&k, t->node0 + t->own0 + i);
  for (int64_t from = 0, level = 1; level <= VV_DEVICE_KICKS + 1; level++) {
    const int64_t to = k.n;
    k.stamp = stamp_of(f, (int)level), k.helds = 0;
    for (; from < to; from++)
      if (!hold_node(&k, f->queue[from])) return false;
    for (int32_t i = 0; level <= VV_DEVICE_KICKS && i < k.helds; i++) reach_from(&k, &plan->tile[f->held[i]]);
  }
  f->first[tile] = first, f->members[tile] = (int32_t)(f->cones - first);
  return true;
}

/* ---- the set that flies ---- */

/* Tiles that own the nodes which are asked for, in `now`. */
static int32_t list_bases(shell_device *s, const vv_device_flights *w)
{
  struct shell_flight *f = s->flight;
  int32_t n = 0, last = -1;
  f->looks++;
  for (int64_t i = 0; i < w->n; i++) {
    const int32_t tile = (int32_t)shell_tile_at(s->b->plan, w->node[i], false);
    if (tile == last || f->tile_seen[tile] == stamp_of(f, 0)) continue;
    f->tile_seen[tile] = stamp_of(f, 0), f->now[n++] = last = tile;
  }
  return n;
}

/* Does the set of the last time hold all of them, and not many more? */
static bool is_set(const struct shell_flight *f, int32_t n, int32_t states, int32_t kicks)
{
  bool all = f->states == states && f->kicks == kicks && f->bases <= 2 * n + SPARE;
  for (int32_t i = 0; all && i < n; i++) all = f->base[f->now[i]] != 0;
  return all;
}

/* What is hit now was hit before and will be again: tiles of the last set stay, as long as they are few. */
static int32_t keep_bases(const shell_device *s, int32_t n)
{
  const struct shell_flight *f = s->flight;
  int32_t all = n;
  if (f->bases > n + SPARE) return n;
  for (int64_t i = 0; i < shell_plan_of(s->b)->tiles; i++)
    if (f->base[i] != 0 && f->tile_seen[i] != stamp_of(f, 0)) f->now[all++] = (int32_t)i;
  return all;
}

static bool take_cones(shell_device *s, int32_t n)
{
  struct shell_flight *f = s->flight;
  const size_t tiles = (size_t)shell_plan_of(s->b)->tiles;
  memset(f->level, 0, sizeof *f->level * tiles), memset(f->base, 0, sizeof *f->base * tiles);
  f->bases = 0;
  for (int32_t i = 0; i < n; i++) {
    const int32_t tile = f->now[i];
    if (f->first[tile] == NO_CONE && !find_cone(s, tile)) return false;
    for (int64_t j = f->first[tile]; j < f->first[tile] + f->members[tile]; j++) {
      int32_t *level = &f->level[f->cone[j].tile];
      if (*level == 0 || f->cone[j].level < *level) *level = f->cone[j].level;
    }
    f->base[tile] = 1, f->bases++;
  }
  return true;
}

/* Tiles of each sort by level: those of the last kicks come first. */
static void sort_set(shell_device *s, int32_t kicks)
{
  struct shell_flight *f = s->flight;
  memset(f->count, 0, sizeof f->count);
  for (int level = 1; level <= kicks + 1; level++) {
    for (int k = 0; k < SORTS; k++) f->count[k][level] = f->count[k][level - 1];
    for (int64_t i = 0; i < shell_plan_of(s->b)->tiles; i++)
      if (f->level[i] == level) f->in[s->sort_of[i]][f->count[s->sort_of[i]][level]++] = s->place_of[i];
  }
}

static void send_set(shell_device *s, int32_t states, int32_t kicks)
{
  struct shell_flight *f = s->flight;
  for (int k = 0; k < SORTS; k++) {
    const int32_t n = f->count[k][kicks + 1];
    if (n == 0) continue;
    vvi_buffer_write(s->d, f->which[k], 0, sizeof(int32_t) * (size_t)n, f->in[k]);
    vvi_device_each(s->d, f->rows, (int64_t)n * states * ROW,
                    VVI_ARGUMENTS(VVI_NUMBER(n), VVI_NUMBER(states), VVI_BUFFER(f->which[k]), VVI_NUMBER(s->column),
                                  VVI_NUMBER(s->slots), VVI_BUFFER(s->row[k]), VVI_BUFFER(f->row[k])));
  }
  f->states = states, f->kicks = kicks;
}

static bool choose_tiles(shell_device *s, const vv_device_flights *w)
{
  struct shell_flight *f = s->flight;
  const int32_t n = list_bases(s, w), states = 2 * w->flights;
  if (is_set(f, n, states, w->kicks)) return true;
  f->states = 0;
  if (!take_cones(s, keep_bases(s, n))) return false;
  sort_set(s, w->kicks);
  send_set(s, states, w->kicks);
  return true;
}

/* ---- flights ---- */

static void launch_forces(shell_device *s, int level)
{
  struct shell_flight *f = s->flight;
  const int32_t column = f->states * s->column, slots = f->states * s->slots, move = NOTHING;
  const double h = 0.0;
  for (int k = 0; k < FAR; k++)
    if (f->count[k][level] > 0)
      vvi_device_launch(s->d, s->fly_force[k], (int64_t)f->count[k][level] * f->states, s->items[k],
                        VVI_ARGUMENTS(SHELL_TILE_ARGUMENTS(s, f->row[k], column, slots, h, move, f->q, f->p, f->slot),
                                      shell_tile_local(s, k)));
}

/* Items of a group that goes over the nodes of a tile. */
static int node_items(const shell_device *s)
{
  return vvi_device_most_items(s->d) < CHUNK ? vvi_device_most_items(s->d) : CHUNK;
}

static void launch_begin(shell_device *s, const vv_device_flights *w)
{
  struct shell_flight *f = s->flight;
  const double push = 0.5 * w->h;
  const int32_t n = (int32_t)w->pushed;
  for (int k = 0; k < FAR; k++)
    if (f->count[k][w->kicks + 1] > 0)
      vvi_device_launch(s->d, f->begin, (int64_t)f->count[k][w->kicks + 1] * f->states, node_items(s),
                        VVI_ARGUMENTS(VVI_BUFFER(f->row[k]), VVI_NUMBER(f->states), VVI_BUFFER(s->mass),
                                      VVI_NUMBER(s->stride), VVI_NUMBER(s->column), VVI_NUMBER(push), VVI_NUMBER(w->h),
                                      VVI_BUFFER(s->q), VVI_BUFFER(s->p), VVI_BUFFER(s->pull), VVI_BUFFER(f->q),
                                      VVI_BUFFER(f->p)));
  vvi_device_each(s->d, f->pushed, (int64_t)n * f->states,
                  VVI_ARGUMENTS(VVI_NUMBER(n), VVI_BUFFER(f->given_node), VVI_NUMBER(f->states), VVI_BUFFER(s->mass),
                                VVI_NUMBER(s->stride), VVI_NUMBER(s->column), VVI_NUMBER(push), VVI_NUMBER(w->h),
                                VVI_BUFFER(s->q), VVI_BUFFER(f->given), VVI_BUFFER(s->pull), VVI_BUFFER(f->q),
                                VVI_BUFFER(f->p)));
}

static void launch_mark(shell_device *s, const vv_device_flights *w, int32_t on)
{
  struct shell_flight *f = s->flight;
  const int32_t n = (int32_t)w->n, drifts = w->kicks + 1;
  vvi_device_each(s->d, f->mark, (int64_t)n * f->states,
                  VVI_ARGUMENTS(VVI_NUMBER(n), VVI_BUFFER(f->node), VVI_NUMBER(on), VVI_NUMBER(f->states),
                                VVI_NUMBER(drifts), VVI_NUMBER(s->column), VVI_BUFFER(f->q), VVI_BUFFER(f->asked),
                                VVI_BUFFER(f->report)));
}

static void launch_move(shell_device *s, const vv_device_flights *w, int32_t kick, int level)
{
  struct shell_flight *f = s->flight;
  const int32_t n = (int32_t)w->n, drifts = w->kicks + 1;
  for (int k = 0; k < FAR; k++)
    if (f->count[k][level] > 0)
      vvi_device_launch(s->d, f->move, (int64_t)f->count[k][level] * f->states, node_items(s),
                        VVI_ARGUMENTS(VVI_BUFFER(f->row[k]), VVI_NUMBER(f->states), VVI_BUFFER(s->shared),
                                      VVI_BUFFER(s->other), VVI_BUFFER(s->mass), VVI_NUMBER(s->stride),
                                      VVI_NUMBER(s->column), VVI_NUMBER(s->slots), VVI_NUMBER(s->gravity),
                                      VVI_NUMBER(w->h), VVI_NUMBER(n), VVI_NUMBER(kick), VVI_NUMBER(drifts),
                                      VVI_BUFFER(f->asked), VVI_BUFFER(f->slot), VVI_BUFFER(f->q), VVI_BUFFER(f->p),
                                      VVI_BUFFER(f->report)));
}

/* Room that grows by doubling. */
static void fit(shell_device *s, vvi_buffer **b, int64_t *room, size_t bytes)
{
  if ((int64_t)bytes <= *room) return;
  vvi_buffer_free(s->d, *b);
  *b = vvi_buffer_new(s->d, 2 * bytes, NULL);
  *room = 2 * (int64_t)bytes;
}

void shell_fly(shell_device *s, const vv_device_flights *w)
{
  struct shell_flight *f = s->flight;
  const size_t name = sizeof(int32_t), report = sizeof *w->q * (size_t)(6 * (w->kicks + 1) * w->flights * w->n),
               given = sizeof *w->p * (size_t)(3 * w->flights * w->pushed);
  fit(s, &f->node, &f->room[0], name * (size_t)w->n), fit(s, &f->given_node, &f->room[1], name * (size_t)w->pushed);
  fit(s, &f->given, &f->room[2], given), fit(s, &f->report, &f->room[3], report);
  if (!choose_tiles(s, w)) vvi_device_fail(s->d, "out of memory");
  vvi_buffer_send(s->d, f->node, 0, name * (size_t)w->n, w->node);
  vvi_buffer_send(s->d, f->given_node, 0, name * (size_t)w->pushed, w->pushed_node);
  vvi_buffer_send(s->d, f->given, 0, given, w->p);
  launch_begin(s, w);
  launch_mark(s, w, 1);
  for (int kick = 1; kick <= w->kicks; kick++) {
    launch_forces(s, w->kicks + 1 - kick);
    launch_move(s, w, kick, w->kicks + 1 - kick);
  }
  vvi_buffer_read(s->d, f->report, 0, report, w->q);
  launch_mark(s, w, 0);
  if (vvi_device_trouble(s->d) != NULL) memset(w->q, 0, report);
}

/* ---- open and close ---- */

/* Bytes of all columns of flights there. */
static double bytes_of(const shell_device *s)
{
  return STATES * 3.0 * sizeof(double) * (2.0 * s->column + s->slots) + sizeof(int32_t) * (double)s->nodes;
}

/* Loads and supports that move know the time; what flows is not flown.  Tiles that work in pieces of one common room cannot do so several
 * times at once.  Flights are not worth the last memory. */
static bool can_fly(const shell_device *s)
{
  return s->b->n_load == 0 && s->b->z_reals == 0 && s->tiles[FAR] == 0 && s->tiles[SHEET_FAR] == 0 &&
         3 * STATES * shell_larger(s->column, s->slots) < INT32_MAX &&
         2.0 * ((double)vvi_device_used(s->d) + bytes_of(s)) < (double)vvi_device_about(s->d)->memory;
}

static bool make_lists(shell_device *s)
{
  struct shell_flight *f = s->flight;
  const size_t tiles = (size_t)shell_plan_of(s->b)->tiles, nodes = (size_t)s->nodes;
  f->level = calloc(4 * tiles + 1, sizeof *f->level), f->members = calloc(2 * tiles + 1, sizeof *f->members);
  f->first = malloc(sizeof *f->first * (tiles + 1));
  f->node_seen = calloc(nodes + tiles + 1, sizeof *f->node_seen), f->queue = malloc(sizeof *f->queue * (nodes + 1));
  if (!f->level || !f->members || !f->first || !f->node_seen || !f->queue) return false;
  f->base = f->level + tiles, f->now = f->base + tiles, f->held = f->now + tiles;
  f->tile_seen = f->node_seen + nodes;
  for (size_t i = 0; i < tiles; i++) f->first[i] = NO_CONE;
  int32_t *in = f->members + tiles;
  for (int k = 0; k < SORTS; in += s->tiles[k++]) f->in[k] = in;
  return true;
}

bool shell_fly_create(shell_device *s)
{
  if (!can_fly(s) || (s->flight = calloc(1, sizeof *s->flight)) == NULL) return false;
  struct shell_flight *f = s->flight;
  const size_t columns = STATES * 3 * sizeof(double);
  if (!make_lists(s)) return false;
  f->rows = vvi_device_kernel(s->d, "fly_rows"), f->begin = vvi_device_kernel(s->d, "fly_begin");
  f->pushed = vvi_device_kernel(s->d, "fly_pushed"), f->mark = vvi_device_kernel(s->d, "fly_mark");
  f->move = vvi_device_kernel(s->d, "fly_move");
  f->q = vvi_buffer_new(s->d, columns * (size_t)s->column, NULL);
  f->p = vvi_buffer_new(s->d, columns * (size_t)s->column, NULL);
  f->slot = vvi_buffer_new(s->d, columns * (size_t)s->slots, NULL);
  f->asked = vvi_buffer_new(s->d, sizeof(int32_t) * (size_t)s->nodes, NULL);
  for (int k = 0; k < FAR; k++) {
    f->which[k] = vvi_buffer_new(s->d, sizeof(int32_t) * (size_t)s->tiles[k], NULL);
    f->row[k] = vvi_buffer_new(s->d, sizeof(int32_t) * (size_t)(STATES * ROW * s->tiles[k]), NULL);
  }
  return true;
}

void shell_fly_free(shell_device *s)
{
  struct shell_flight *f = s->flight;
  if (f == NULL) return;
  free(f->level), free(f->members), free(f->first), free(f->node_seen), free(f->queue), free(f->cone);
  free(f);
}
