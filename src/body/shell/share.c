/* body/shell/share.c  Tiles over ranks: who has which, and what they tell each other.
 *
 * A tile belongs to one rank, with the nodes that it owns.  Tiles come in the order of a bisection of space, so a rank gets a
 * run of them, cut where the triangles are half, a third, ... .  A step is two exchanges:
 *
 *   places   of nodes that tiles of this rank touch and others own           before forces
 *   forces   that tiles of others have for nodes of this rank ("slots")      before they are added, in the order of the tiles
 *
 * Nothing is added on the way, and what is added is added by the owner in the order that the mesh has: the bits are those of
 * one process.  Every rank has the whole mesh, so all of them know all lists without asking. */
#include "body/shell/shell.h"

#include "visviva/net.h"

#include <stdlib.h>
#include <string.h>

typedef struct sharing {
  const vv_block *b;
  const shell_plan *plan;
  const vv_net *net;
  vvi_arena *arena;
  int32_t *tile_rank; /* [tiles] */
  int32_t *node_rank; /* [nodes] */
  int32_t *slot_rank; /* [slots] */
} sharing;

/* ---- who has what ---- */

/* A number that looks like chance (splitmix64). */
static uint64_t chance(uint64_t x)
{
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static void deal_tiles(sharing *w)
{
  const uint64_t shuffle = w->net->shuffle;
  int64_t before = 0, all = 0;
  for (int64_t i = 0; i < w->plan->tiles; i++) all += w->plan->tile[i].elements;
  for (int64_t i = 0; i < w->plan->tiles; i++) {
    const shell_tile *t = &w->plan->tile[i];
    w->tile_rank[i] = (int32_t)((before + t->elements / 2) * w->net->ranks / all);
    if (shuffle != 0) w->tile_rank[i] = (int32_t)(chance(shuffle + (uint64_t)i) % (uint64_t)w->net->ranks);
    before += t->elements;
    for (int64_t k = 0; k < t->own; k++) w->node_rank[t->node0 + t->own0 + k] = w->tile_rank[i];
    for (int64_t k = 0; k < shell_tile_nodes(t); k++) w->slot_rank[t->slot0 + t->slot + k] = w->tile_rank[i];
  }
}

/* ---- rows that travel ---- */

/* wanted[i]: somebody else wants row i.  Rows are numbered with their owner, in ascending order: at[i]. */
static void number_rows(const sharing *w, int64_t n, const int32_t *rank, const bool *wanted, int32_t *at,
                        int32_t *count)
{
  memset(count, 0, sizeof *count * (size_t)w->net->ranks);
  for (int64_t i = 0; i < n; i++)
    if (wanted[i]) at[i] = count[rank[i]]++;
}

/* mine[i]: this rank wants row i of somebody else. */
static vv_status make_exchange(const sharing *w, int64_t n, const int32_t *rank, const bool *wanted, const bool *mine,
                               shell_exchange *out)
{
  const int me = w->net->rank;
  int32_t *at = calloc((size_t)n + 1, sizeof *at), *count = calloc((size_t)w->net->ranks, sizeof *count);
  for (int64_t i = 0; i < n; i++) out->leaves += mine[i];
  vv_place *place = calloc((size_t)out->leaves + 1, sizeof *place);
  out->leaf = VVI_ARENA_NEW(w->arena, int64_t, out->leaves + 1);
  vv_status status = at != NULL && count != NULL && place != NULL && out->leaf != NULL ? VV_OK : VV_NOMEM;
  if (status == VV_OK) {
    int32_t k = 0, r = 0;
    number_rows(w, n, rank, wanted, at, count);
    out->roots = count[me];
    out->root = VVI_ARENA_NEW(w->arena, int64_t, out->roots + 1);
    if (out->root == NULL) status = VV_NOMEM;
    for (int64_t i = 0; status == VV_OK && i < n; i++) {
      if (wanted[i] && rank[i] == me) out->root[r++] = i;
      if (mine[i]) place[k] = (vv_place){rank[i], at[i]}, out->leaf[k++] = i;
    }
  }
  if (status == VV_OK) status = w->net->star(w->net, out->roots, out->leaves, place, &out->star);
  free(at), free(count), free(place);
  return status;
}

/* Places: halo nodes of tiles, of others and of this rank. */
static void mark_places(const sharing *w, bool *wanted, bool *mine)
{
  for (int64_t i = 0; i < w->plan->tiles; i++) {
    const shell_tile *t = &w->plan->tile[i];
    for (int32_t k = 0; k < t->halo; k++) {
      const int64_t node = t->node0 + t->halo_node[k];
      if (w->node_rank[node] == w->tile_rank[i]) continue;
      wanted[node] = true;
      if (w->tile_rank[i] == w->net->rank) mine[node] = true;
    }
  }
}

/* Forces: slots of strange tiles for nodes of a tile. */
static void mark_forces(const sharing *w, bool *wanted, bool *mine)
{
  for (int64_t i = 0; i < w->plan->tiles; i++) {
    const shell_tile *t = &w->plan->tile[i];
    for (int32_t j = 0; j < t->shareds; j++)
      for (int32_t k = 0; k < t->shared[j].others; k++) {
        const int64_t slot = t->slot0 + t->shared[j].slot[k];
        if (w->slot_rank[slot] == w->tile_rank[i]) continue;
        wanted[slot] = true;
        if (w->tile_rank[i] == w->net->rank) mine[slot] = true;
      }
  }
}

/* Everybody wants all. */
static void mark_all(const sharing *w, int64_t n, const int32_t *rank, bool *wanted, bool *mine)
{
  for (int64_t i = 0; i < n; i++) wanted[i] = true, mine[i] = rank[i] != w->net->rank;
}

static int64_t most_of(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

static vv_status make_exchanges(const sharing *w, shell_share *out)
{
  const vv_block *b = w->b;
  const int64_t most = most_of(most_of(b->nodes, w->plan->slots), b->z_reals);
  bool *wanted = calloc((size_t)most + 1, 1), *mine = calloc((size_t)most + 1, 1);
  int32_t *z_rank = calloc((size_t)b->z_reals + 1, sizeof *z_rank);
  vv_status status = wanted != NULL && mine != NULL && z_rank != NULL ? VV_OK : VV_NOMEM;
  if (status == VV_OK) {
    mark_places(w, wanted, mine);
    status = make_exchange(w, b->nodes, w->node_rank, wanted, mine, &out->places);
    memset(wanted, 0, (size_t)most), memset(mine, 0, (size_t)most);
  }
  if (status == VV_OK) {
    mark_forces(w, wanted, mine);
    status = make_exchange(w, w->plan->slots, w->slot_rank, wanted, mine, &out->forces);
  }
  if (status == VV_OK) {
    mark_all(w, b->nodes, w->node_rank, wanted, mine);
    status = make_exchange(w, b->nodes, w->node_rank, wanted, mine, &out->nodes);
  }
  if (status == VV_OK && b->z_reals > 0) {
    for (int64_t i = 0; i < w->plan->tiles; i++) {
      const shell_tile *t = &w->plan->tile[i];
      const int64_t n = (int64_t)shell_of(b, t->body)->columns * t->elements;
      for (int64_t k = 0; k < n; k++) z_rank[t->z - b->z0 + k] = w->tile_rank[i];
    }
    mark_all(w, b->z_reals, z_rank, wanted, mine);
    status = make_exchange(w, b->z_reals, z_rank, wanted, mine, &out->internal);
  }
  free(wanted), free(mine), free(z_rank);
  return status;
}

static vv_status make_share(sharing *w, shell_share *out)
{
  int64_t n = 0;
  deal_tiles(w);
  for (int64_t i = 0; i < w->plan->tiles; i++) n += w->tile_rank[i] == w->net->rank;
  out->tile = VVI_ARENA_NEW(w->arena, int64_t, n + 1);
  if (out->tile == NULL) return VV_NOMEM;
  for (int64_t i = 0; i < w->plan->tiles; i++)
    if (w->tile_rank[i] == w->net->rank) out->tile[out->tiles++] = i;
  VV_TRY(make_exchanges(w, out));
  const shell_exchange *all[] = {&out->places, &out->forces, &out->nodes, &out->internal};
  int64_t roots = 0, leaves = 0;
  for (int i = 0; i < VV_COUNT(all); i++)
    roots = most_of(roots, all[i]->roots), leaves = most_of(leaves, all[i]->leaves);
  out->root = VVI_ARENA_NEW(w->arena, double, 6 * roots + 1);
  out->leaf = VVI_ARENA_NEW(w->arena, double, 6 * leaves + 1);
  return out->root != NULL && out->leaf != NULL ? VV_OK : VV_NOMEM;
}

vv_status shell_share_tiles(vv_block *b, const vv_net *net, vvi_arena *arena)
{
  shell_plan *plan = b->plan;
  if (plan == NULL || plan->tiles == 0) return VV_OK;
  VV_ASSERT(!b->breaks || net->ranks == 1); /* what breaks cuts elements of other tiles */
  sharing w = {.b = b, .plan = plan, .net = net, .arena = arena};
  shell_share *share = VVI_ARENA_NEW(arena, shell_share, 1);
  w.tile_rank = VVI_ARENA_NEW(arena, int32_t, plan->tiles);
  w.node_rank = calloc((size_t)b->nodes, sizeof *w.node_rank);
  w.slot_rank = calloc((size_t)plan->slots + 1, sizeof *w.slot_rank);
  vv_status status = share && w.tile_rank && w.node_rank && w.slot_rank ? VV_OK : VV_NOMEM;
  if (status == VV_OK) {
    share->net = net, share->rank = w.tile_rank;
    status = make_share(&w, share);
    plan->share = share;
  }
  free(w.node_rank), free(w.slot_rank);
  return status;
}

void shell_share_end(vv_block *b)
{
  shell_plan *plan = b->plan;
  if (plan == NULL || plan->share == NULL) return;
  const shell_share *s = plan->share;
  const shell_exchange *all[] = {&s->places, &s->forces, &s->nodes, &s->internal};
  for (int i = 0; i < VV_COUNT(all); i++)
    if (all[i]->star != NULL) s->net->star_free(all[i]->star);
  plan->share = NULL;
}

int shell_owner(const vv_block *b, int64_t node)
{
  const shell_plan *plan = b->plan;
  return plan->share->rank[shell_tile_at(plan, node, false)];
}

int64_t shell_pieces(const vv_block *b)
{
  return b->plan != NULL ? shell_plan_of(b)->tiles : 0;
}

/* ---- what travels ---- */

/* Rows of `width` numbers: number c of row i is x[i * by_row + c * by_number]. */
typedef struct rows {
  double *x;
  int64_t by_row, by_number;
  int width;
} rows;

static void pack(const rows *r, int64_t n, const int64_t *row, int stride, double *out)
{
  for (int64_t i = 0; i < n; i++)
    for (int c = 0; c < r->width; c++) out[stride * i + c] = r->x[row[i] * r->by_row + c * r->by_number];
}

static void unpack(const rows *r, int64_t n, const int64_t *row, int stride, const double *in)
{
  for (int64_t i = 0; i < n; i++)
    for (int c = 0; c < r->width; c++) r->x[row[i] * r->by_row + c * r->by_number] = in[stride * i + c];
}

/* Two lists of rows in one message; the second may have no width. */
static void travel(const shell_share *s, const shell_exchange *e, const rows *a, const rows *b)
{
  const int stride = a->width + b->width, bytes = stride * (int)sizeof(double);
  pack(a, e->roots, e->root, stride, s->root);
  pack(b, e->roots, e->root, stride, s->root + a->width);
  s->net->begin(e->star, bytes, s->root, s->leaf);
  s->net->end(e->star, bytes, s->root, s->leaf);
  unpack(a, e->leaves, e->leaf, stride, s->leaf);
  unpack(b, e->leaves, e->leaf, stride, s->leaf + a->width);
}

static const rows nothing;

void shell_fetch_places(const vv_block *b, const double *q)
{
  const shell_plan *plan = b->plan;
  const rows x = {.x = (double *)q, .by_row = 1, .by_number = b->column, .width = 3}; /* those of others are written */
  if (plan->share != NULL) travel(plan->share, &plan->share->places, &x, &nothing);
}

void shell_fetch_forces(const vv_block *b, double *slot)
{
  const shell_plan *plan = b->plan;
  const rows f = {.x = slot, .by_row = 4, .by_number = 1, .width = 3};
  if (plan->share != NULL) travel(plan->share, &plan->share->forces, &f, &nothing);
}

void shell_fetch_nodes(const vv_block *b, const double *q, const double *p)
{
  const shell_plan *plan = b->plan;
  const rows x = {.x = (double *)q, .by_row = 1, .by_number = b->column, .width = 3};
  const rows m = {.x = (double *)p, .by_row = 1, .by_number = b->column, .width = 3};
  if (plan->share != NULL) travel(plan->share, &plan->share->nodes, &x, p != NULL ? &m : &nothing);
}

void shell_gather(const vv_block *b, double *q, double *p)
{
  const shell_plan *plan = b->plan;
  shell_fetch_nodes(b, q, p);
  if (plan->share == NULL || b->z_reals == 0) return;
  const rows z = {.x = q + b->z0, .by_row = 1, .by_number = 1, .width = 1};
  travel(plan->share, &plan->share->internal, &z, &nothing);
}
