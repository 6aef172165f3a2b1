/* body/shell/share.c  Shares the tiles of shells among ranks: who owns which, and what they exchange in a step.
 *
 * A tile belongs to one rank, with the nodes that it owns.  Tiles come in the order of a bisection of space, so a rank gets a
 * run of them, cut where the triangles are half, a third, ... , or where the work was measured to be (`ends` of the net).
 * A step is two exchanges:
 *
 *   places   of nodes that tiles of this rank touch and others own           before forces
 *   forces   that tiles of others have for nodes of this rank ("slots")      before they are added, in the order of the tiles
 *
 * Nothing is added on the way, and what is added is added by the owner in the order that the mesh has: the bits are those of
 * one process.  Every rank has built the whole mesh, so all of them know all lists without asking.
 *
 * When a run is made each rank gives back what tiles of others need.  Nodes and elements keep their numbers: arrays have room
 * for all of them, of which only what is written to takes memory.  What rank 0 shows or writes comes to it tile by tile. */
#include "body/shell/limits.h"
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
  const double *ends = w->net->ends;
  int64_t before = 0, all = 0;
  int32_t rank = 0;
  for (int64_t i = 0; i < w->plan->tiles; i++) all += w->plan->tile[i].elements;
  for (int64_t i = 0; i < w->plan->tiles; i++) {
    const shell_tile *t = &w->plan->tile[i];
    w->tile_rank[i] = (int32_t)((before + t->elements / 2) * w->net->ranks / all);
    while (ends != NULL && rank + 1 < w->net->ranks &&
           (double)(before + t->elements / 2) >= ends[rank + 1] * (double)all)
      rank++;
    if (ends != NULL) w->tile_rank[i] = rank;
    if (shuffle != 0) w->tile_rank[i] = (int32_t)(chance(shuffle + (uint64_t)i) % (uint64_t)w->net->ranks);
    before += t->elements;
    for (int64_t k = 0; k < t->own; k++) w->node_rank[t->node0 + t->own0 + k] = w->tile_rank[i];
    for (int64_t k = 0; k < shell_tile_nodes(t); k++) w->slot_rank[t->slot0 + t->slot + k] = w->tile_rank[i];
  }
}

/* Internal variables of a tile. */
static int64_t tile_z(const vv_block *b, const shell_tile *t)
{
  return (int64_t)shell_of(b, t->body)->columns * t->elements;
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

/* Forces: slots of a tile for nodes of others; who has such a node wants its slot. */
static void mark_forces(const sharing *w, bool *wanted, bool *mine)
{
  for (int64_t i = 0; i < w->plan->tiles; i++) {
    const shell_tile *t = &w->plan->tile[i];
    for (int32_t k = 0; k < t->halo; k++) {
      const int32_t owner = w->node_rank[t->node0 + t->halo_node[k]];
      const int64_t slot = t->slot0 + t->slot + t->own + k;
      if (owner == w->tile_rank[i]) continue;
      wanted[slot] = true;
      if (owner == w->net->rank) mine[slot] = true;
    }
  }
}

static int64_t most_of(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

static vv_status make_exchanges(const sharing *w, shell_share *out)
{
  const vv_block *b = w->b;
  const int64_t most = most_of(b->nodes, w->plan->slots);
  bool *wanted = calloc((size_t)most + 1, 1), *mine = calloc((size_t)most + 1, 1);
  vv_status status = wanted != NULL && mine != NULL ? VV_OK : VV_NOMEM;
  if (status == VV_OK) {
    mark_places(w, wanted, mine);
    status = make_exchange(w, b->nodes, w->node_rank, wanted, mine, &out->places);
    memset(wanted, 0, (size_t)most), memset(mine, 0, (size_t)most);
  }
  if (status == VV_OK) {
    mark_forces(w, wanted, mine);
    status = make_exchange(w, w->plan->slots, w->slot_rank, wanted, mine, &out->forces);
  }
  free(wanted), free(mine);
  return status;
}

/* What goes to rank 0, a state or three numbers of each element, goes in pieces that follow each other: rank 0 then never holds more
 * of it than a piece beside the array where it belongs, and no message is larger than MPI can count. */
enum { PIECE = 1 << 17 }; /* reals of all ranks together: a megabyte stays in the cache of a core */

static vv_status cut_gathering(const sharing *w, shell_share *out)
{
  const shell_plan *plan = w->plan;
  int64_t reals = 1, most = 0, *tiles = calloc((size_t)w->net->ranks, sizeof *tiles);
  if (tiles == NULL) return VV_NOMEM;
  for (int64_t i = 0; i < plan->tiles; i++) {
    const shell_tile *t = &plan->tile[i];
    reals = most_of(reals, most_of(6 * (int64_t)t->own + tile_z(w->b, t), most_of(3 * t->elements, SHELL_SUMS)));
    most = most_of(most, ++tiles[w->tile_rank[i]]);
  }
  free(tiles);
  out->at_once = most_of(1, PIECE / (reals * w->net->ranks));
  out->rounds = (most + out->at_once - 1) / out->at_once;
  if (out->me > 0 && (out->out = VVI_ARENA_NEW(w->arena, double, reals * out->at_once + 1)) == NULL) return VV_NOMEM;
  return VV_OK;
}

/* Held nodes of this rank; nodes of each rank. */
static vv_status list_own(const sharing *w, shell_share *out)
{
  const vv_block *b = w->b;
  const shell_plan *plan = w->plan;
  for (int64_t i = 0; i < plan->held; i++) out->held += w->node_rank[plan->held_node[i]] == out->me;
  out->held_node = VVI_ARENA_NEW(w->arena, int32_t, out->held + 1);
  out->nodes = VVI_ARENA_NEW(w->arena, int64_t, w->net->ranks),
  out->next = VVI_ARENA_NEW(w->arena, int64_t, w->net->ranks);
  if (out->held_node == NULL || out->nodes == NULL || out->next == NULL) return VV_NOMEM;
  for (int64_t i = 0, n = 0; i < plan->held; i++)
    if (w->node_rank[plan->held_node[i]] == out->me) out->held_node[n++] = plan->held_node[i];
  for (int64_t i = 0; i < plan->tiles; i++) out->nodes[w->tile_rank[i]] += plan->tile[i].own;
  if (b->n_load > 0 && (out->whole = VVI_ARENA_NEW(w->arena, double, 3 * b->nodes)) == NULL) return VV_NOMEM;
  return VV_OK;
}

static vv_status make_share(sharing *w, shell_share *out)
{
  int64_t n = 0;
  deal_tiles(w);
  VV_TRY(shell_tiles_open(w->arena, w->plan, w->tile_rank, w->net->rank));
  for (int64_t i = 0; i < w->plan->tiles; i++) n += w->tile_rank[i] == w->net->rank;
  out->tile = VVI_ARENA_NEW(w->arena, int64_t, n + 1);
  if (out->tile == NULL) return VV_NOMEM;
  for (int64_t i = 0; i < w->plan->tiles; i++)
    if (w->tile_rank[i] == w->net->rank) out->tile[out->tiles++] = i;
  VV_TRY(make_exchanges(w, out));
  VV_TRY(list_own(w, out));
  VV_TRY(cut_gathering(w, out));
  out->root = VVI_ARENA_NEW(w->arena, double, 6 * most_of(out->places.roots, out->forces.roots) + 1);
  out->leaf = VVI_ARENA_NEW(w->arena, double, 6 * most_of(out->places.leaves, out->forces.leaves) + 1);
  return out->root != NULL && out->leaf != NULL ? VV_OK : VV_NOMEM;
}

vv_status shell_share_tiles(vv_block *b, const vv_net *net, vvi_arena *arena)
{
  shell_plan *plan = b->plan;
  if (plan == NULL || plan->tiles == 0) return VV_OK;
  VV_ASSERT(!b->breaks); /* what breaks cuts elements of other tiles */
  sharing w = {.b = b, .plan = plan, .net = net, .arena = arena};
  shell_share *share = VVI_ARENA_NEW(arena, shell_share, 1);
  w.tile_rank = VVI_ARENA_NEW(arena, int32_t, plan->tiles);
  w.node_rank = calloc((size_t)b->nodes, sizeof *w.node_rank);
  w.slot_rank = calloc((size_t)plan->slots + 1, sizeof *w.slot_rank);
  vv_status status = share && w.tile_rank && w.node_rank && w.slot_rank ? VV_OK : VV_NOMEM;
  if (status == VV_OK) {
    share->net = net, share->me = net->rank, share->rank = w.tile_rank;
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
  const shell_exchange *all[] = {&s->places, &s->forces};
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

void shell_travel(const shell_share *s, const shell_exchange *e, int width)
{
  const int bytes = width * (int)sizeof(double);
  s->net->begin(e->star, bytes, s->root, s->leaf);
  s->net->end(e->star, bytes, s->root, s->leaf);
}

/* Two lists of rows in one message; the second may have no width. */
static void travel(const shell_share *s, const shell_exchange *e, const rows *a, const rows *b)
{
  const int stride = a->width + b->width;
  pack(a, e->roots, e->root, stride, s->root);
  pack(b, e->roots, e->root, stride, s->root + a->width);
  shell_travel(s, e, stride);
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

void shell_fetch_halo(const vv_block *b, const double *q, const double *p)
{
  const shell_plan *plan = b->plan;
  const rows x = {.x = (double *)q, .by_row = 1, .by_number = b->column, .width = 3};
  const rows m = {.x = (double *)p, .by_row = 1, .by_number = b->column, .width = 3};
  if (plan->share != NULL) travel(plan->share, &plan->share->places, &x, &m);
}

/* Rows of all nodes, by ranks and tiles: those of this rank are written there, or all of them read. */
static void walk_all(const vv_block *b, bool write, double *q)
{
  const shell_plan *plan = b->plan;
  const shell_share *s = plan->share;
  double *row = s->whole;
  for (int r = 0; r < s->net->ranks; row += 3 * s->nodes[r++]) {
    double *at = row;
    for (int64_t i = 0; write == (r == s->me) && i < plan->tiles; i++) {
      const shell_tile *t = &plan->tile[i];
      double *x = q + t->node0 + t->own0;
      if (s->rank[i] != r) continue;
      for (int64_t k = 0; k < t->own; k++, at += 3)
        for (int c = 0; c < 3; c++) *(write ? &at[c] : &x[c * b->column + k]) = write ? x[c * b->column + k] : at[c];
    }
  }
}

void shell_fetch_all(const vv_block *b, const double *q)
{
  const shell_plan *plan = b->plan;
  const shell_share *s = plan->share;
  if (s == NULL) return;
  walk_all(b, true, (double *)q);
  s->net->all(s->net, s->nodes, 3 * (int)sizeof(double), s->whole);
  walk_all(b, false, (double *)q);
}

/* ---- to rank 0 ---- */

/* Copies what a tile has to `at`, or from there; returns how many numbers that is. */
typedef struct carried {
  const vv_block *b;
  double *q, *p, *x;
  int n;
  bool elements;
} carried;
typedef int64_t carry_fn(const carried *w, int64_t tile, bool in, double *at);

static int64_t carry(double *x, int64_t n, bool in, double *at)
{
  memcpy(in ? x : at, in ? at : x, sizeof *x * (size_t)n);
  return n;
}

static int64_t carry_state(const carried *w, int64_t tile, bool in, double *at)
{
  const shell_tile *t = &shell_plan_of(w->b)->tile[tile];
  int64_t n = 0;
  for (int c = 0; c < 6; c++)
    n += carry((c < 3 ? w->q : w->p) + c % 3 * w->b->column + t->node0 + t->own0, t->own, in, at + n);
  return n + carry(w->q + t->z, tile_z(w->b, t), in, at + n);
}

static int64_t carry_rows(const carried *w, int64_t tile, bool in, double *at)
{
  const shell_tile *t = &shell_plan_of(w->b)->tile[tile];
  const int64_t first = w->elements ? t->element0 : t->node0 + t->own0, n = w->elements ? t->elements : t->own;
  return carry(w->x + w->n * first, w->n * n, in, at);
}

static int64_t carry_sums(const carried *w, int64_t tile, bool in, double *at)
{
  return carry(w->x + w->n * tile, w->n, in, at);
}

/* One package of each rank, of its tiles `from` to `to` - 1.  at: [ranks] where rank 0 goes on in the list of all tiles. */
static bool send_piece(const carried *w, carry_fn *fn, int64_t from, int64_t to, int64_t *at)
{
  const shell_plan *plan = w->b->plan;
  const shell_share *s = plan->share;
  const int rank0 = 0;
  int64_t n = 0, bytes, *sizes;
  int got;
  void **in;
  for (int64_t k = from; s->me > 0 && k < to && k < s->tiles; k++) n += fn(w, s->tile[k], false, s->out + n);
  bytes = n * (int64_t)sizeof(double);
  if (s->net->deal(s->net, s->me > 0, &rank0, (const void *const *)&s->out, &bytes, &got, &in, &sizes) != VV_OK)
    return false;
  for (int r = 1; s->me == 0 && r <= got; r++) {
    int64_t i = at[r], tiles = 0;
    for (n = 0; i < plan->tiles && tiles < to - from; i++)
      if (s->rank[i] == r) n += fn(w, i, true, (double *)in[r - 1] + n), tiles++;
    at[r] = i;
  }
  return true;
}

static void send(const carried *w, carry_fn *fn)
{
  const shell_share *s = shell_plan_of(w->b)->share;
  if (s == NULL) return;
  memset(s->next, 0, sizeof *s->next * (size_t)s->net->ranks);
  for (int64_t k = 0; k < s->rounds; k++)
    if (!send_piece(w, fn, k * s->at_once, (k + 1) * s->at_once, s->next)) return;
}

void shell_gather(const vv_block *b, double *q, double *p)
{
  send(&(carried){.b = b, .q = q, .p = p}, carry_state);
}

void shell_gather_rows(const vv_block *b, int n, bool elements, double *x)
{
  send(&(carried){.b = b, .x = x, .n = n, .elements = elements}, carry_rows);
}

void shell_gather_tiles(const vv_block *b, int n, double *x)
{
  send(&(carried){.b = b, .x = x, .n = n}, carry_sums);
}

/* ---- what others need ---- */

/* Pieces of memory that follow each other are given back at once. */
typedef struct run {
  char *from, *to;
} run;

static void flush(run *r)
{
  if (r->from < r->to) vvi_forget(r->from, (size_t)(r->to - r->from));
  r->from = r->to = NULL;
}

static void forget(run *r, const void *piece, size_t bytes)
{
  char *from = (char *)piece;
  if (from != r->to) flush(r), r->from = from;
  r->to = from + bytes;
}

/* A piece of an arena, with the room up to the next. */
static void forget_piece(run *r, const void *piece, size_t bytes)
{
  enum { ALIGN = 64 };
  forget(r, piece, (bytes + ALIGN - 1) / ALIGN * ALIGN);
}

/* The tables of a tile, in the order in which they were made. */
static void forget_tile(run *r, const shell_tile *t)
{
  if (t->group == NULL) return; /* it was never opened */
  for (int i = 0; i < t->groups; i++) {
    const shell_group *g = &t->group[i];
    const size_t nodes = g->pair ? SHELL_HALF * SHELL_PAIR : SHELL_GROUP * (size_t)t->cls[g->cls].nodes;
    forget_piece(r, g->at, sizeof *g->at * nodes);
    forget_piece(r, g->rest, sizeof *g->rest * SHELL_REFERENCE * SHELL_GROUP);
  }
  forget_piece(r, t->group, sizeof *t->group * (size_t)t->groups);
}

/* Limits of nodes: the rows of a tile. */
static void forget_limits(run r[2], const shell_limit *l, const shell_tile *t)
{
  const int64_t first = l->first[t->own0], n = l->first[t->own0 + t->own] - first;
  forget(&r[0], l->node + first, sizeof *l->node * (size_t)n);
  forget(&r[1], l->weight + first, sizeof *l->weight * (size_t)n);
}

/* Tiles of a mesh that has copies are given back where this rank has none of the copies. */
static void settle_cuts(const vv_block *b)
{
  const shell_plan *plan = b->plan;
  const bool limits = !shell_keeps_limits(b);
  for (int64_t c = 0, i0 = 0, next; c < plan->components; c = next) {
    const shell_cut *cut = plan->component[c].cut;
    int64_t copies = 0;
    run table = {0}, limit[2] = {{0}};
    while (c + copies < plan->components && plan->component[c + copies].cut == cut) copies++;
    for (int64_t i = 0; i < cut->tiles; i++) {
      bool here = false;
      for (int64_t k = 0; k < copies; k++) here |= shell_is_here(plan, i0 + k * cut->tiles + i);
      if (here) continue;
      forget_tile(&table, &cut->tile[i]);
      if (limits) forget_limits(limit, &cut->limit, &cut->tile[i]);
    }
    flush(&table), flush(&limit[0]), flush(&limit[1]);
    next = c + copies, i0 += copies * cut->tiles;
  }
}

/* n columns of the nodes that others have. */
static void forget_nodes(const vv_block *b, int n, int64_t column, double *x)
{
  const shell_plan *plan = b->plan;
  for (int c = 0; c < n; c++) {
    run r = {0};
    for (int64_t i = 0; i < plan->tiles; i++) {
      const shell_tile *t = &plan->tile[i];
      if (!shell_is_here(plan, i)) forget(&r, x + c * column + t->node0 + t->own0, sizeof *x * (size_t)t->own);
    }
    flush(&r);
  }
}

/* Masses stay: contact asks for those of all nodes that meet. */
void shell_settle(vv_block *b)
{
  const shell_plan *plan = b->plan;
  if (plan == NULL || plan->share == NULL || plan->share->settled) return;
  settle_cuts(b);
  forget_nodes(b, SHELL_NODE_COLUMNS - SHELL_REST, b->stride, b->node_real + SHELL_REST * b->stride);
  vvi_forget(plan->slot, sizeof *plan->slot * (size_t)plan->reals);
  plan->share->settled = true;
}

void shell_release(const vv_block *b, double *q, double *p)
{
  const shell_plan *plan = b->plan;
  run r = {0};
  if (plan == NULL || plan->share == NULL) return;
  forget_nodes(b, SHELL_Q, b->column, q);
  forget_nodes(b, SHELL_P, b->column, p);
  for (int64_t i = 0; b->z_reals > 0 && i < plan->tiles; i++)
    if (!shell_is_here(plan, i)) forget(&r, q + plan->tile[i].z, sizeof *q * (size_t)tile_z(b, &plan->tile[i]));
  flush(&r);
}
