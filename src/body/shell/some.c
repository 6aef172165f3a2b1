/* body/shell/some.c  Kick and drift of some nodes: of the groups of elements that touch them alone, with the bits of the whole
 * sweep: forces on a node are added up in the order of the groups, and those that do not touch it add nothing. */
#include "body/shell/moves.h"
#include "body/shell/shell.h"
#include "math/math.h"

#include <string.h>

enum { TILES = 4 }; /* of a thread, at least: a team meets in as much time as it takes for some of them */

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

/* Tiles that hold some nodes, and which of their groups touch them: found once for all kicks of these nodes. */
enum { WORDS = 8, MOST = 64 * WORDS }; /* groups, one bit each: tiles with more of them are taken whole */

typedef struct tiles {
  int64_t n;
  int32_t *tile;            /* [tiles] the first n */
  uint64_t (*group)[WORDS]; /* [tiles] of these: which groups touch a node */
  unsigned char *listed;    /* [tiles] */
  unsigned char *wanted;    /* [slots] the force on its node is; of tiles that are listed */
} tiles;

static void *open_set(const vv_block *b, struct vvi_arena *arena)
{
  const shell_plan *plan = b->plan;
  tiles *w = VVI_ARENA_NEW(arena, tiles, 1);
  if (w == NULL || plan->tiles > INT32_MAX) return NULL;
  w->tile = VVI_ARENA_NEW(arena, int32_t, plan->tiles);
  w->group = vvi_arena_alloc(arena, sizeof *w->group * (size_t)plan->tiles);
  w->listed = VVI_ARENA_NEW(arena, unsigned char, plan->tiles);
  w->wanted = VVI_ARENA_NEW(arena, unsigned char, plan->slots);
  return w->tile != NULL && w->group != NULL && w->listed != NULL && w->wanted != NULL ? w : NULL;
}

static void take_tile(tiles *w, const shell_plan *plan, int64_t tile, int32_t local)
{
  const shell_tile *t = &plan->tile[tile];
  unsigned char *wanted = w->wanted + t->slot0 + t->slot;
  if (!w->listed[tile]) {
    w->listed[tile] = 1, w->tile[w->n++] = (int32_t)tile;
    memset(wanted, 0, (size_t)shell_tile_nodes(t));
  }
  wanted[local] = 1;
}

/* All that hold one of the nodes. */
static void take_tiles(tiles *w, const shell_plan *plan, int64_t n, const int32_t *node)
{
  for (int64_t i = 0; i < w->n; i++) w->listed[w->tile[i]] = 0;
  w->n = 0;
  for (int64_t i = 0; i < n; i++) {
    const int64_t tile = shell_tile_at(plan, node[i], false);
    const shell_tile *t = &plan->tile[tile];
    const int32_t local = (int32_t)(node[i] - t->node0 - t->own0);
    const shell_shared *s = shared_of(t, local);
    take_tile(w, plan, tile, local);
    for (int k = 0; s != NULL && k < s->others; k++) {
      const int64_t slot = shell_others(t, s)[k], other = shell_tile_at(plan, t->slot0 + slot, true);
      take_tile(w, plan, other, (int32_t)(slot - plan->tile[other].slot));
    }
  }
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

/* As the sweep does it: the segment of the owner, then those of others in their order. */
static void kick_node(const vv_block *b, double h, int64_t node, const double *slot, double *p)
{
  const shell_plan *plan = b->plan;
  const shell_tile *t = &plan->tile[shell_tile_at(plan, node, false)];
  const int32_t local = (int32_t)(node - t->node0 - t->own0);
  const shell_shared *s = shared_of(t, local);
  const bool held = shell_node(b, SHELL_INVERSE_MASS)[node] == 0.0;
  for (int c = 0; c < 3; c++) {
    double grad = slot[4 * (t->slot0 + t->slot + local) + c], *at = &p[c * b->column + node];
    for (int k = 0; s != NULL && k < s->others; k++) grad += slot[4 * (t->slot0 + shell_others(t, s)[k]) + c];
    *at = held ? 0.0 : shell_kicked(h, b->gravity[c], shell_node(b, SHELL_MASS)[node], grad, *at);
  }
}

static int64_t reals(const vv_block *b)
{
  return 4 * shell_plan_of(b)->slots;
}

/* Over ranks: forces of the tiles of this rank, on the nodes that it moves; all ranks are asked for the same nodes. */
static void kick(const vv_block *b, double h, int64_t n, const int32_t *node, const void *set, double *scratch,
                 const double *q, double *p)
{
  const shell_plan *plan = b->plan;
  const tiles *w = set;
  shell_fetch_places(b, q);
  const int64_t share = w->n / TILES + 1;
  const int team = share < b->threads ? (int)share : b->threads;
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
  for (int64_t i = 0; i < w->n; i++) {
    if (shell_is_here(plan, w->tile[i])) force_of(b, w, i, q, scratch);
  }
  shell_fetch_forces(b, scratch);
  for (int64_t i = 0; i < n; i++)
    if (shell_is_here(plan, shell_tile_at(plan, node[i], false))) kick_node(b, h, node[i], scratch, p);
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
