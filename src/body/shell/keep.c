/* body/shell/keep.c  Writes the tiles of a shell to a prepared file, and reads them back.
 *
 * Lists of tiles follow each other in the order of the tiles.  Whoever runs a prepared scene has the tiles themselves and their
 * lists of nodes as parts of the file; groups and references of a tile, most of what a step reads, are copied when it is opened, by the
 * rank that moves it. */
#include "body/shell/shell.h"

#include <string.h>

/* Where the lists of a tile begin. */
typedef struct start {
  int64_t group, at, shared, slot, halo, ghost;
} start;

struct shell_kept {
  start *first; /* [tiles + 1] */
  shell_group *group;
  uint16_t *at;
  double *rest;
  shell_shared *shared;
  int64_t *slot;
  int32_t *halo;
  shell_ghost *ghost;
  shell_tile *tile;
};

enum { REST = SHELL_REFERENCE * SHELL_GROUP };

static int64_t group_nodes(const shell_cut *cut, const shell_group *g)
{
  return g->pair ? SHELL_HALF * SHELL_PAIR : SHELL_GROUP * (int64_t)cut->cls[g->cls].nodes;
}

/* ---- writing: all lists of all tiles ---- */

static void find_starts(const shell_cut *cut, start *first)
{
  for (int i = 0; i < cut->tiles; i++) {
    const shell_tile *t = &cut->tile[i];
    start s = first[i];
    for (int g = 0; g < t->groups; g++) s.at += group_nodes(cut, &t->group[g]);
    for (int k = 0; k < t->shareds; k++) s.slot += t->shared[k].others;
    s.group += t->groups, s.shared += t->shareds, s.halo += t->halo, s.ghost += t->ghosts;
    first[i + 1] = s;
  }
}

/* Addresses are no part of it. */
static void copy_lists(const shell_cut *cut, struct shell_kept *k)
{
  for (int i = 0; i < cut->tiles; i++) {
    const shell_tile *t = &cut->tile[i];
    start s = k->first[i];
    for (int g = 0; g < t->groups; g++, s.group++) {
      const int64_t nodes = group_nodes(cut, &t->group[g]);
      k->group[s.group] = t->group[g];
      k->group[s.group].at = NULL, k->group[s.group].rest = NULL;
      memcpy(k->rest + REST * s.group, t->group[g].rest, REST * sizeof *k->rest);
      memcpy(k->at + s.at, t->group[g].at, sizeof *k->at * (size_t)nodes);
      s.at += nodes;
    }
    const int64_t slots = k->first[i + 1].slot - s.slot;
    if (t->shareds > 0) memcpy(k->shared + s.shared, t->shared, sizeof *k->shared * (size_t)t->shareds);
    if (slots > 0) memcpy(k->slot + s.slot, t->other_slot, sizeof *k->slot * (size_t)slots);
    if (t->halo > 0) memcpy(k->halo + s.halo, t->halo_node, sizeof *k->halo * (size_t)t->halo);
    if (t->ghosts > 0) memcpy(k->ghost + s.ghost, t->ghost, sizeof *k->ghost * (size_t)t->ghosts);
    k->tile[i] = *t;
    k->tile[i].halo_node = NULL, k->tile[i].ghost = NULL, k->tile[i].group = NULL, k->tile[i].cls = NULL,
    k->tile[i].shared = NULL, k->tile[i].other_slot = NULL;
  }
}

static vv_status list_tiles(vvi_arena *arena, const shell_cut *cut, struct shell_kept *k)
{
  if ((k->first = VVI_ARENA_NEW(arena, start, cut->tiles + 1)) == NULL) return VV_NOMEM;
  find_starts(cut, k->first);
  const start *n = &k->first[cut->tiles];
  k->group = VVI_ARENA_NEW(arena, shell_group, n->group), k->rest = VVI_ARENA_NEW(arena, double, REST * n->group);
  k->at = VVI_ARENA_NEW(arena, uint16_t, n->at), k->shared = VVI_ARENA_NEW(arena, shell_shared, n->shared);
  k->slot = VVI_ARENA_NEW(arena, int64_t, n->slot), k->halo = VVI_ARENA_NEW(arena, int32_t, n->halo);
  k->ghost = VVI_ARENA_NEW(arena, shell_ghost, n->ghost), k->tile = VVI_ARENA_NEW(arena, shell_tile, cut->tiles);
  if (!k->group || !k->rest || !k->at || !k->shared || !k->slot || !k->halo || !k->ghost || !k->tile) return VV_NOMEM;
  copy_lists(cut, k);
  return VV_OK;
}

/* ---- both ways ---- */

static vv_status keep_lists(vv_ctx *ctx, int body, const shell_cut *cut, struct shell_kept *k)
{
  VV_TRY(vvi_keep(ctx, &k->first, sizeof *k->first, cut->tiles + 1, "shell%d.first", body));
  const start n = k->first[cut->tiles];
  VV_TRY(vvi_keep(ctx, &k->tile, sizeof *k->tile, cut->tiles, "shell%d.tile", body));
  VV_TRY(vvi_keep(ctx, &k->group, sizeof *k->group, n.group, "shell%d.group", body));
  VV_TRY(vvi_keep(ctx, &k->rest, sizeof *k->rest, REST * n.group, "shell%d.rest", body));
  VV_TRY(vvi_keep(ctx, &k->at, sizeof *k->at, n.at, "shell%d.at", body));
  VV_TRY(vvi_keep(ctx, &k->shared, sizeof *k->shared, n.shared, "shell%d.shared", body));
  VV_TRY(vvi_keep(ctx, &k->slot, sizeof *k->slot, n.slot, "shell%d.slot", body));
  VV_TRY(vvi_keep(ctx, &k->halo, sizeof *k->halo, n.halo, "shell%d.halo", body));
  return vvi_keep(ctx, &k->ghost, sizeof *k->ghost, n.ghost, "shell%d.ghost", body);
}

static vv_status keep_limit(vv_ctx *ctx, int body, const char *name, int64_t rows, shell_limit *l)
{
  VV_TRY(vvi_keep(ctx, &l->first, sizeof *l->first, rows + 1, "shell%d.%s.first", body, name));
  const int32_t n = l->first[rows];
  VV_TRY(vvi_keep(ctx, &l->node, sizeof *l->node, n, "shell%d.%s.node", body, name));
  return vvi_keep(ctx, &l->weight, sizeof *l->weight, n, "shell%d.%s.weight", body, name);
}

static vv_status keep_numbers(vv_ctx *ctx, int body, shell_cut *cut)
{
  int64_t n[] = {cut->tiles, cut->nodes, cut->elements, cut->classes, cut->slots, cut->pieces};
  VV_TRY(vvi_keep_value(ctx, n, sizeof n, "shell%d.numbers", body));
  cut->tiles = (int)n[0], cut->nodes = (int)n[1], cut->elements = (int)n[2], cut->classes = (int)n[3];
  cut->slots = n[4], cut->pieces = (int)n[5];
  return VV_OK;
}

/* Weights follow from the valences. */
static vv_status keep_classes(vv_ctx *ctx, int body, vvi_arena *arena, shell_cut *cut)
{
  const bool reads = vvi_is_prepared(ctx);
  if (reads && (cut->cls = VVI_ARENA_NEW(arena, shell_class, cut->classes)) == NULL) return VV_NOMEM;
  for (int i = 0; i < cut->classes; i++) {
    shell_class *c = &cut->cls[i];
    VV_TRY(vvi_keep_value(ctx, c->valence, sizeof c->valence, "shell%d.class%d", body, i));
    if (!reads) continue;
    c->nodes = shell_patch_size(c->valence);
    if ((c->weight = vvi_arena_alloc(arena, sizeof *c->weight * (size_t)c->nodes)) == NULL) return VV_NOMEM;
    shell_weights(c->valence, c->weight);
  }
  return VV_OK;
}

static void close_tiles(shell_cut *cut, struct shell_kept *k)
{
  cut->tile = k->tile;
  for (int i = 0; i < cut->tiles; i++) {
    shell_tile *t = &cut->tile[i];
    t->cls = cut->cls, t->halo_node = k->halo + k->first[i].halo, t->ghost = k->ghost + k->first[i].ghost;
    t->shared = k->shared + k->first[i].shared, t->other_slot = k->slot + k->first[i].slot;
  }
}

vv_status shell_cut_keep(vv_ctx *ctx, int body, vvi_arena *arena, shell_cut *cut)
{
  const bool reads = vvi_is_prepared(ctx);
  struct shell_kept *k = VVI_ARENA_NEW(arena, struct shell_kept, 1);
  vvi_arena scratch = {0};
  if (k == NULL) return VV_NOMEM;
  VV_TRY(keep_numbers(ctx, body, cut));
  VV_TRY(keep_classes(ctx, body, arena, cut));
  vv_status status = reads ? VV_OK : list_tiles(&scratch, cut, k);
  if (status == VV_OK) status = keep_lists(ctx, body, cut, k);
  vvi_arena_free(&scratch);
  VV_TRY(status);
  const int64_t points = (int64_t)(cut->pieces + 1) * (cut->pieces + 2) / 2;
  VV_TRY(keep_limit(ctx, body, "limit", cut->nodes, &cut->limit));
  if (cut->pieces > 1) VV_TRY(keep_limit(ctx, body, "smooth", points * cut->elements, &cut->smooth));
  if (reads) close_tiles(cut, k), cut->kept = k;
  return VV_OK;
}

/* ---- opening ---- */

/* The tables of tile i of a cut; nothing happens where they are there. */
static vv_status open_tile(vvi_arena *arena, const shell_cut *cut, int i)
{
  const struct shell_kept *k = cut->kept;
  shell_tile *t = &cut->tile[i];
  if (k == NULL || t->group != NULL) return VV_OK;
  const start *s = &k->first[i];
  const int64_t places = s[1].at - s->at;
  shell_group *group = VVI_ARENA_NEW(arena, shell_group, t->groups);
  uint16_t *at = VVI_ARENA_NEW(arena, uint16_t, places);
  double *rest = VVI_ARENA_NEW(arena, double, REST *(int64_t)t->groups);
  if (!group || !at || !rest) return VV_NOMEM;
  memcpy(group, k->group + s->group, sizeof *group * (size_t)t->groups);
  memcpy(at, k->at + s->at, sizeof *at * (size_t)places);
  memcpy(rest, k->rest + REST * s->group, sizeof *rest * REST * (size_t)t->groups);
  for (int g = 0; g < t->groups; g++) {
    group[g].at = at, group[g].rest = rest + REST * (int64_t)g;
    at += group_nodes(cut, &group[g]);
  }
  t->group = group;
  return VV_OK;
}

vv_status shell_tiles_open(vvi_arena *arena, const shell_plan *plan, const int32_t *rank, int32_t me)
{
  int64_t i = 0;
  for (int64_t c = 0; c < plan->components; c++) {
    const shell_cut *cut = plan->component[c].cut;
    for (int k = 0; cut->kept != NULL && k < cut->tiles; k++) {
      if (rank != NULL && rank[i + k] != me) continue;
      VV_TRY(open_tile(arena, cut, k));
      plan->tile[i + k].group = cut->tile[k].group;
    }
    i += cut->tiles;
  }
  return VV_OK;
}
