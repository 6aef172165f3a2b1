/* body/shell/some.c  Kick and drift of some nodes: of the groups of elements that touch them alone, with the bits of the whole
 * sweep: forces on a node are added up in the order of the groups, and those that do not touch it add nothing. */
#include "body/shell/moves.h"
#include "body/shell/shell.h"
#include "math/math.h"

#include <string.h>

enum { PARALLEL_FROM = 4 }; /* tiles */

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

/* Tiles in use: marks and a list, where sweeps keep their sums. */
typedef struct tiles {
  const vv_block *b;
  double *slot, *part; /* part[tiles][SHELL_SUMS]: is it listed?  number i of the list */
  int64_t n;
} tiles;

static int64_t number(const tiles *w, int64_t i)
{
  return (int64_t)w->part[SHELL_SUMS * i + 1];
}

/* The fourth number of a slot tells whether the force on its node is wanted. */
static double *wanted_at(const tiles *w, const shell_tile *t, int32_t local)
{
  return &w->slot[4 * (t->slot0 + t->slot + local) + 3];
}

static void take_tile(tiles *w, int64_t tile, int32_t local)
{
  const shell_tile *t = &((const shell_plan *)w->b->plan)->tile[tile];
  if (w->part[SHELL_SUMS * tile] == 0.0) {
    w->part[SHELL_SUMS * tile] = 1.0;
    w->part[SHELL_SUMS * w->n++ + 1] = (double)tile;
    for (int32_t i = 0; i < shell_tile_nodes(t); i++) *wanted_at(w, t, i) = 0.0;
  }
  *wanted_at(w, t, local) = 1.0;
}

/* All that hold one of the nodes. */
static void take_tiles(tiles *w, int64_t n, const int32_t *node)
{
  const shell_plan *plan = w->b->plan;
  memset(w->part, 0, sizeof *w->part * (size_t)(SHELL_SUMS * plan->tiles));
  w->n = 0;
  for (int64_t i = 0; i < n; i++) {
    const int64_t tile = shell_tile_at(plan, node[i], false);
    const shell_tile *t = &plan->tile[tile];
    const int32_t local = (int32_t)(node[i] - t->node0 - t->own0);
    const shell_shared *s = shared_of(t, local);
    take_tile(w, tile, local);
    for (int k = 0; s != NULL && k < s->others; k++) {
      const int64_t slot = shell_others(t, s)[k], other = shell_tile_at(plan, t->slot0 + slot, true);
      take_tile(w, other, (int32_t)(slot - plan->tile[other].slot));
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
  const double *wanted = wanted_at(w, t, 0);
  bool any = is_whole(w->b->plan, t);
  for (int32_t i = 0, n = places_of(t, g); i < n && !any; i++) any = wanted[g->at[i]] != 0.0;
  return any;
}

static void reach(const shell_tile *t, int64_t local, unsigned char *mark, int32_t *out, int64_t *found)
{
  const int64_t at = t->node0 + shell_tile_node(t, local);
  if (mark[at]) return;
  mark[at] = 1, out[(*found)++] = (int32_t)at;
}

static int64_t around(const vv_block *b, int64_t n, const int32_t *node, unsigned char *mark, int32_t *out)
{
  const shell_plan *plan = b->plan;
  if (b->n_load > 0 || b->z_reals > 0) return -1;
  bool mine;
  tiles w = {.b = b, .slot = shell_scratch(b, &mine)};
  int64_t found = 0;
  w.part = shell_parts(b, w.slot);
  take_tiles(&w, n, node);
  for (int64_t i = 0; i < w.n; i++) {
    const shell_tile *t = &plan->tile[number(&w, i)];
    for (int64_t k = 0; is_whole(plan, t) && k < t->own + t->halo; k++) reach(t, k, mark, out, &found);
    for (int32_t j = 0; !is_whole(plan, t) && j < t->groups; j++) {
      const shell_group *g = &t->group[j];
      for (int32_t k = 0, m = touches(&w, t, g) ? places_of(t, g) : 0; k < m; k++)
        reach(t, g->at[k] / 4, mark, out, &found);
    }
  }
  shell_scratch_done(b, w.slot, mine);
  return found;
}

/* A tile with those of its groups alone that are asked for. */
static void force_of(const tiles *w, const shell_tile *t, const double *q)
{
  enum { MOST = 512 }; /* groups: tiles with more of them are taken whole */
  const shell_plan *plan = w->b->plan;
  shell_group group[MOST];
  shell_tile some = *t;
  if (t->groups <= MOST) {
    some.group = group, some.groups = 0;
    for (int32_t j = 0; j < t->groups; j++)
      if (touches(w, t, &t->group[j])) group[some.groups++] = t->group[j];
  }
  plan->force(shell_of(w->b, t->body), &some, NULL, w->b->column, q, w->slot + 4 * (t->slot0 + t->slot));
}

/* As the sweep does it: the segment of the owner, then those of others in their order. */
static void kick_node(const tiles *w, double h, int64_t node, double *p)
{
  const vv_block *b = w->b;
  const shell_plan *plan = b->plan;
  const shell_tile *t = &plan->tile[shell_tile_at(plan, node, false)];
  const int32_t local = (int32_t)(node - t->node0 - t->own0);
  const shell_shared *s = shared_of(t, local);
  const bool held = shell_node(b, SHELL_INVERSE_MASS)[node] == 0.0;
  for (int c = 0; c < 3; c++) {
    double grad = w->slot[4 * (t->slot0 + t->slot + local) + c], *at = &p[c * b->column + node];
    for (int k = 0; s != NULL && k < s->others; k++) grad += w->slot[4 * (t->slot0 + shell_others(t, s)[k]) + c];
    *at = held ? 0.0 : shell_kicked(h, b->gravity[c], shell_node(b, SHELL_MASS)[node], grad, *at);
  }
}

/* Over ranks: forces of the tiles of this rank, on the nodes that it moves; all ranks are asked for the same nodes. */
static void kick(const vv_block *b, double h, int64_t n, const int32_t *node, const double *q, double *p)
{
  const shell_plan *plan = b->plan;
  bool mine;
  tiles w = {.b = b, .slot = shell_scratch(b, &mine)};
  w.part = shell_parts(b, w.slot);
  take_tiles(&w, n, node);
  shell_fetch_places(b, q);
#pragma omp parallel for schedule(static) num_threads(b->threads) if (b->threads > 1 && w.n >= PARALLEL_FROM)
  for (int64_t i = 0; i < w.n; i++) {
    if (shell_is_here(plan, number(&w, i))) force_of(&w, &plan->tile[number(&w, i)], q);
  }
  shell_fetch_forces(b, w.slot);
  for (int64_t i = 0; i < n; i++)
    if (shell_is_here(plan, shell_tile_at(plan, node[i], false))) kick_node(&w, h, node[i], p);
  shell_scratch_done(b, w.slot, mine);
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

const vv_some_table shell_some_table = {.around = around, .kick = kick, .drift = drift};
