/* body/shell/some.c  Kick and drift of some nodes: of the groups of elements that touch them alone, with the bits of the whole
 * sweep: forces on a node are added up in the order of the groups, and those that do not touch it add nothing. */
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

/* Of an owned node that other tiles hold too; NULL: none does. */
static const shell_shared *shared_of(const shell_tile *t, int32_t local)
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

void shell_tiles_of(const shell_plan *plan, int64_t node, shell_holds_fn *fn, void *user)
{
  const int64_t tile = shell_tile_at(plan, node, false);
  const shell_tile *t = &plan->tile[tile];
  const int32_t local = (int32_t)(node - t->node0 - t->own0);
  const shell_shared *s = shared_of(t, local);
  fn(user, tile, local);
  for (int k = 0; s != NULL && k < s->others; k++) {
    const int64_t slot = shell_others(t, s)[k], other = shell_tile_at(plan, t->slot0 + slot, true);
    fn(user, other, (int32_t)(slot - plan->tile[other].slot));
  }
}

/* Tiles that hold some nodes, which of their groups touch them, and where the forces on each node are: found once for all kicks of
 * these nodes. */
enum { WORDS = 8, MOST = 64 * WORDS }; /* groups, one bit each: tiles with more of them are taken whole */

typedef struct tiles {
  int64_t n;
  int32_t *tile;            /* [tiles] the first n */
  uint64_t (*group)[WORDS]; /* [tiles] of these: which groups touch a node */
  unsigned char *listed;    /* [tiles] */
  unsigned char *wanted;    /* [slots] the force on its node is; of tiles that are listed */
  int32_t *first,
      *slot; /* [nodes + 1], [slots] of the nodes in their order: that of the owner, then others as they are added */
} tiles;

static void *open_set(const vv_block *b, struct vvi_arena *arena)
{
  const shell_plan *plan = b->plan;
  tiles *w = VVI_ARENA_NEW(arena, tiles, 1);
  if (w == NULL || plan->tiles > INT32_MAX || plan->slots > INT32_MAX) return NULL;
  w->tile = VVI_ARENA_NEW(arena, int32_t, plan->tiles);
  w->group = vvi_arena_alloc(arena, sizeof *w->group * (size_t)plan->tiles);
  w->listed = VVI_ARENA_NEW(arena, unsigned char, plan->tiles);
  w->wanted = VVI_ARENA_NEW(arena, unsigned char, plan->slots);
  w->first = VVI_ARENA_NEW(arena, int32_t, b->nodes + 1);
  w->slot = VVI_ARENA_NEW(arena, int32_t, plan->slots);
  if (w->first == NULL || w->slot == NULL) return NULL;
  return w->tile != NULL && w->group != NULL && w->listed != NULL && w->wanted != NULL ? w : NULL;
}

typedef struct taking {
  tiles *w;
  const shell_plan *plan;
  int32_t slots; /* so far */
} taking;

/* And the slot of a node there. */
static void take_tile(void *user, int64_t tile, int32_t local)
{
  taking *k = user;
  tiles *w = k->w;
  const shell_tile *t = &k->plan->tile[tile];
  unsigned char *wanted = w->wanted + t->slot0 + t->slot;
  if (!w->listed[tile]) {
    w->listed[tile] = 1, w->tile[w->n++] = (int32_t)tile;
    memset(wanted, 0, (size_t)shell_tile_nodes(t));
  }
  wanted[local] = 1, w->slot[k->slots++] = (int32_t)(t->slot0 + t->slot + local);
}

/* All that hold one of the nodes. */
static void take_tiles(tiles *w, const shell_plan *plan, int64_t n, const int32_t *node)
{
  for (int64_t i = 0; i < w->n; i++) w->listed[w->tile[i]] = 0;
  w->n = 0;
  taking k = {.w = w, .plan = plan};
  for (int64_t i = 0; i < n; i++) {
    w->first[i] = k.slots;
    shell_tiles_of(plan, node[i], take_tile, &k);
  }
  w->first[n] = k.slots;
}

/* Numbers in g->at that belong to triangles. */
static int32_t places_of(const shell_tile *t, const shell_group *g)
{
  return g->pair ? SHELL_PAIR * (g->count / 2) : t->cls[g->cls].nodes * g->count;
}

/* Forces on ghosts go to many, and which nodes groups of tiles of other ranks hold is not known here. */
static bool is_whole(const shell_plan *plan, const shell_tile *t)
{
  return t->ghosts > 0 || plan->share != NULL;
}

/* Does a group touch a node that is wanted? */
static bool touches(const tiles *w, const shell_tile *t, const shell_group *g)
{
  const unsigned char *wanted = w->wanted + t->slot0 + t->slot;
  for (int32_t i = 0, n = places_of(t, g); i < n; i++)
    if (wanted[g->at[i] / 4]) return true;
  return false;
}

static void find_groups(tiles *w, const shell_plan *plan, int64_t i)
{
  const shell_tile *t = &plan->tile[w->tile[i]];
  const bool whole = is_whole(plan, t) || t->groups > MOST;
  memset(w->group[i], whole ? 0xff : 0, sizeof w->group[i]);
  for (int32_t j = 0; !whole && j < t->groups; j++)
    if (touches(w, t, &t->group[j])) w->group[i][j / 64] |= (uint64_t)1 << j % 64;
}

static bool has_group(const tiles *w, int64_t i, int32_t j)
{
  return j >= MOST || (w->group[i][j / 64] >> j % 64 & 1) != 0;
}

static void reach(const shell_tile *t, int64_t local, unsigned char *mark, int32_t *out, int64_t *found)
{
  const int64_t at = t->node0 + shell_tile_node(t, local);
  if (mark[at]) return;
  mark[at] = 1, out[(*found)++] = (int32_t)at;
}

static int64_t around(const vv_block *b, int64_t n, const int32_t *node, void *set, unsigned char *mark, int32_t *out)
{
  const shell_plan *plan = b->plan;
  tiles *w = set;
  int64_t found = 0;
  if (b->n_load > 0 || b->z_reals > 0) return -1;
  take_tiles(w, plan, n, node);
  for (int64_t i = 0; i < w->n; i++) {
    const shell_tile *t = &plan->tile[w->tile[i]];
    find_groups(w, plan, i);
    for (int64_t k = 0; is_whole(plan, t) && k < t->own + t->halo; k++) reach(t, k, mark, out, &found);
    for (int32_t j = 0; !is_whole(plan, t) && j < t->groups; j++) {
      const shell_group *g = &t->group[j];
      for (int32_t k = 0, m = has_group(w, i, j) ? places_of(t, g) : 0; k < m; k++)
        reach(t, g->at[k] / 4, mark, out, &found);
    }
  }
  return found;
}

/* A tile with those of its groups alone that are asked for. */
static void force_of(const vv_block *b, const tiles *w, int64_t i, const double *q, double *slot)
{
  const shell_plan *plan = b->plan;
  const shell_tile *t = &plan->tile[w->tile[i]];
  shell_group group[MOST];
  shell_tile some = *t;
  if (t->groups <= MOST) {
    some.group = group, some.groups = 0;
    for (int32_t j = 0; j < t->groups; j++)
      if (has_group(w, i, j)) group[some.groups++] = t->group[j];
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

/* Over ranks: forces of the tiles of this rank, on the nodes that it moves; all ranks are asked for the same nodes. */
static void kick(const vv_block *b, double h, double drift, int64_t n, const int32_t *node, const void *set, int states,
                 double *const scratch[], double *const q[], double *const p[])
{
  const shell_plan *plan = b->plan;
  const tiles *w = set;
  const int team = team_of(b, states * w->n, TILES), movers = team_of(b, states * n, NODES);
  for (int k = 0; k < states; k++) shell_fetch_places(b, q[k]);
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
  for (int64_t i = 0; i < states * w->n; i++) {
    if (shell_is_here(plan, w->tile[i / states])) force_of(b, w, i / states, q[i % states], scratch[i % states]);
  }
  for (int k = 0; k < states; k++) shell_fetch_forces(b, scratch[k]);
#pragma omp parallel for schedule(static) num_threads(movers) if (movers > 1)
  for (int64_t i = 0; i < states * n; i++) {
    const int k = (int)(i / n);
    move_node(b, w, i % n, node[i % n], h, drift, scratch[k], q[k], p[k]);
  }
}

static void drift(const vv_block *b, double h, int64_t n, const int32_t *node, double *q, const double *p)
{
  const double *minv = shell_node(b, SHELL_INVERSE_MASS);
  for (int c = 0; c < 3; c++)
    for (int64_t i = 0; i < n; i++) {
      const int64_t at = c * b->column + node[i];
      q[at] = shell_place_after(h, minv[node[i]], p[at], q[at]);
    }
}

const vv_some_table shell_some_table = {
    .set = open_set, .around = around, .reals = reals, .kick = kick, .drift = drift};
