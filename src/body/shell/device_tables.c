/* body/shell/device_tables.c  The plan of a block of shells as tables for the kernels.
 *
 * A tile is worked on by one group of work-items.  What a triangle gives to a node is an entry; every node has the list of its
 * entries in the order in which force.c adds them, in slices of 32 nodes, padded to even lengths with the entry that is zero.
 * (A sum that began at zero is never -0, so that adding zero changes nothing.) */
#include "body/shell/device_inside.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ENTRIES = 65534 };

/* ---- lists that grow ---- */

static void *more(shell_tables *w, shell_series *c, size_t size, size_t n)
{
  if (c->n + n >= c->room) {
    const size_t room = 2 * (c->n + n) + 64;
    char *bigger = room < INT32_MAX ? realloc(c->at, size * room) : NULL;
    if (bigger == NULL) {
      w->full = true;
      return NULL;
    }
    c->at = bigger, c->room = room;
  }
  c->size = size;
  void *out = c->at + size * c->n;
  memset(out, 0, size * n);
  c->n += n;
  return out;
}

void shell_tables_free(shell_tables *w)
{
  shell_series *c[] = {&w->tile,   &w->table, &w->halo,     &w->at,        &w->rest,       &w->one,
                       &w->weight, &w->slice, &w->list,     &w->ghost_int, &w->ghost_real, &w->give,
                       &w->shared, &w->other, &w->own_slot, &w->group,     &w->halo_row};
  for (int i = 0; i < VV_COUNT(c); i++) free(c[i]->at);
  free(w->count), free(w->entry);
}

/* ---- tables ---- */

typedef struct tally {
  int pairs, singles, entries, cells;
} tally;

/* row: places that pairs have in each of their rows. */
static tally tally_of(const shell_tile *t, int row)
{
  tally a = {.entries = SHELL_PAIR * row, .cells = SHELL_GROUP * t->groups};
  for (int i = 0; i < t->groups; i++) {
    const shell_group *g = &t->group[i];
    if (g->pair)
      a.pairs += g->count / 2;
    else
      a.singles += g->count, a.entries += g->count * t->cls[g->cls].nodes;
  }
  return a;
}

/* Calls `give` for every entry of a tile in the order in which force.c adds them. */
typedef void entry_fn(shell_tables *w, int local, int entry);
static void each_entry(shell_tables *w, const shell_tile *t, const tally *a, entry_fn *give)
{
  int pair = 0, entry = SHELL_PAIR * w->pairs;
  (void)a;
  for (int i = 0; i < t->groups; i++) {
    const shell_group *g = &t->group[i];
    const int n = t->cls[g->cls].nodes;
    for (int k = 0; g->pair && k < g->count / 2; k++, pair++)
      for (int j = 0; j < SHELL_PAIR; j++) give(w, g->at[SHELL_PAIR * k + j] / 4, j * w->pairs + pair);
    if (g->pair) continue;
    for (int half = 0; half < 2; half++)
      for (int j = 0; j < n; j++)
        for (int lane = SHELL_HALF * half; lane < SHELL_HALF * (half + 1) && lane < g->count; lane++)
          give(w, g->at[lane * n + j] / 4, entry + lane * n + j);
    entry += g->count * n;
  }
}

static void count_entry(shell_tables *w, int local, int entry)
{
  (void)entry;
  w->count[local]++;
}

static void put_entry(shell_tables *w, int local, int entry)
{
  w->entry[w->first[local] + w->count[local]++] = entry;
}

static void write_lists(shell_tables *w, const shell_tile *t, const tally *a)
{
  const int n = shell_tile_nodes(t), slices = (n + SLICE - 1) / SLICE;
  if ((size_t)a->entries > w->entry_room) {
    free(w->entry);
    w->entry_room = 2 * (size_t)a->entries;
    w->entry = malloc(sizeof *w->entry * w->entry_room);
    w->full = w->full || w->entry == NULL;
  }
  if (w->full) return;
  memset(w->count, 0, sizeof *w->count * (size_t)n);
  each_entry(w, t, a, count_entry);
  for (int i = 0; i < n; i++) w->first[i + 1] = w->first[i] + w->count[i], w->count[i] = 0;
  each_entry(w, t, a, put_entry);
  for (int s = 0; s < slices; s++) {
    int most = 0;
    for (int i = SLICE * s; i < n && i < SLICE * (s + 1); i++) most = w->count[i] > most ? w->count[i] : most;
    const int words = (most + 1) / 2;
    int32_t *start = more(w, &w->slice, sizeof(int32_t), 1);
    if (start != NULL) *start = (int32_t)w->list.n;
    uint32_t *out = more(w, &w->list, sizeof(uint32_t), (size_t)(SLICE * words));
    for (int k = 0; out != NULL && k < words; k++)
      for (int lane = 0; lane < SLICE; lane++) {
        const int i = SLICE * s + lane, have = i < n ? w->count[i] : 0;
        const uint32_t low = (uint32_t)(2 * k < have ? w->entry[w->first[i] + 2 * k] : a->entries);
        const uint32_t high = (uint32_t)(2 * k + 1 < have ? w->entry[w->first[i] + 2 * k + 1] : a->entries);
        out[SLICE * k + lane] = low | high << 16;
      }
  }
  int32_t *end = more(w, &w->slice, sizeof(int32_t), 1);
  if (end != NULL) *end = (int32_t)w->list.n;
}

static void write_pairs(shell_tables *w, const shell_tile *t, const tally *a, int32_t *T)
{
  if (w->at.n % 2 != 0) more(w, &w->at, sizeof(uint16_t), 1); /* two in a word of 32 bits */
  T[T_AT] = (int32_t)w->at.n, T[T_REST] = (int32_t)w->rest.n;
  uint16_t *at = more(w, &w->at, sizeof *at, (size_t)(SHELL_PAIR * w->pairs));
  double *rest =
      more(w, &w->rest, sizeof *rest, (size_t)(2 * SHELL_REFERENCE * w->pairs + SHELL_REFERENCE * a->singles));
  if (w->full) return;
  int pair = 0;
  for (int i = 0; i < t->groups && t->group[i].pair; i++)
    for (int k = 0; k < t->group[i].count / 2; k++, pair++) {
      const shell_group *g = &t->group[i];
      for (int j = 0; j < SHELL_PAIR; j++) at[2 * (j / 2 * w->pairs + pair) + j % 2] = g->at[SHELL_PAIR * k + j] / 4;
      for (int c = 0; c < SHELL_REFERENCE; c++)
        for (int side = 0; side < 2; side++)
          rest[(2 * c + side) * w->pairs + pair] = g->rest[SHELL_GROUP * c + SHELL_HALF * side + k];
    }
}

/* weight0[class]: where its weights are. */
static void write_singles(shell_tables *w, const shell_tile *t, const tally *a, const int32_t *weight0, int32_t *T)
{
  double *rest = (double *)(void *)w->rest.at + T[T_REST] + 2 * SHELL_REFERENCE * w->pairs;
  int single = 0, entry = SHELL_PAIR * w->pairs;
  T[T_SINGLE0] = (int32_t)(w->one.n / ONE_COLUMNS);
  for (int i = 0; i < t->groups; i++) {
    const shell_group *g = &t->group[i];
    const int n = t->cls[g->cls].nodes;
    for (int lane = 0; !g->pair && lane < g->count; lane++, single++, entry += n) {
      int32_t *one = more(w, &w->one, sizeof *one, ONE_COLUMNS);
      uint16_t *at = more(w, &w->at, sizeof *at, (size_t)n);
      if (w->full) return;
      one[ONE_NODES] = n, one[ONE_WEIGHT] = weight0[g->cls], one[ONE_AT] = (int32_t)(w->at.n - (size_t)n);
      one[ONE_CELL] = SHELL_GROUP * i + lane, one[ONE_ENTRY] = entry;
      for (int j = 0; j < n; j++) at[j] = g->at[lane * n + j] / 4;
      for (int c = 0; c < SHELL_REFERENCE; c++) rest[c * a->singles + single] = g->rest[SHELL_GROUP * c + lane];
    }
  }
  T[T_OF_ENTRY] = (int32_t)w->at.n;
  single = 0;
  for (int i = 0; i < t->groups; i++)
    for (int lane = 0; !t->group[i].pair && lane < t->group[i].count; lane++, single++) {
      const int n = t->cls[t->group[i].cls].nodes;
      uint16_t *of = more(w, &w->at, sizeof *of, (size_t)n);
      for (int j = 0; of != NULL && j < n; j++) of[j] = (uint16_t)single;
    }
}

/* Sources of the ghosts, and for each node what it gets of them: number of the ghost and of the source, in order. */
static void write_ghosts(shell_tables *w, const shell_tile *t, int32_t *T)
{
  const int n = t->own + t->halo;
  T[T_GHOST0] = (int32_t)(w->ghost_int.n / GHOST_INTS), T[T_GIVE] = (int32_t)w->give.n;
  if (t->ghosts == 0) return;
  for (int i = 0; i < t->ghosts; i++) {
    int32_t *out = more(w, &w->ghost_int, sizeof *out, GHOST_INTS);
    if (out == NULL) return;
    out[0] = t->ghost[i].count;
    memcpy(out + 1, t->ghost[i].source, sizeof t->ghost[i].source);
  }
  int total = 0;
  memset(w->count, 0, sizeof *w->count * (size_t)n);
  for (int i = 0; i < t->ghosts; i++)
    for (int k = 0; k < t->ghost[i].count; k++) w->count[t->ghost[i].source[k]]++, total++;
  int32_t *give = more(w, &w->give, sizeof *give, (size_t)(n + 1 + total));
  if (give == NULL) return;
  give[0] = T[T_GIVE] + n + 1;
  for (int i = 0; i < n; i++) give[i + 1] = give[i] + w->count[i], w->count[i] = 0;
  for (int i = 0; i < t->ghosts; i++)
    for (int k = 0; k < t->ghost[i].count; k++) {
      const int to = t->ghost[i].source[k];
      give[give[to] - T[T_GIVE] + w->count[to]++] = SHELL_SOURCES * i + k;
    }
}

static void write_table(shell_tables *w, const shell_tile *t, const int32_t *weight0)
{
  const tally a = tally_of(t, w->pairs);
  int32_t T[T_COLUMNS] = {[T_OWN] = t->own,        [T_INNER] = t->inner, [T_HALO] = t->halo,
                          [T_GHOSTS] = t->ghosts,  [T_PAIRS] = a.pairs,  [T_SINGLES] = a.singles,
                          [T_ENTRIES] = a.entries, [T_CELLS] = a.cells,  [T_OWN0] = t->own0};
  if (a.entries > MOST_ENTRIES) w->full = true;
  T[T_HALO0] = (int32_t)w->halo.n, T[T_SLICE] = (int32_t)w->slice.n;
  int32_t *halo = more(w, &w->halo, sizeof *halo, (size_t)t->halo);
  if (w->full) return;
  memcpy(halo, t->halo_node, sizeof *halo * (size_t)t->halo);
  write_pairs(w, t, &a, T);
  if (!w->full) write_singles(w, t, &a, weight0, T);
  if (!w->full) write_lists(w, t, &a);
  if (!w->full) write_ghosts(w, t, T);
  T[T_GROUP] = (int32_t)w->group.n;
  for (int i = 0; !w->full && i < t->groups; i++) {
    int32_t *g = more(w, &w->group, sizeof *g, 2);
    if (g != NULL) g[0] = t->group[i].element, g[1] = t->group[i].count;
  }
  int32_t *out = more(w, &w->table, sizeof *out, T_COLUMNS);
  if (out != NULL) memcpy(out, T, sizeof T);
}

/* The tile of a mesh that owns a node. */
static int owner_of(const shell_cut *cut, int32_t node)
{
  int from = 0, to = cut->tiles;
  while (to - from > 1) {
    const int mid = (from + to) / 2;
    *(cut->tile[mid].own0 <= node ? &from : &to) = mid;
  }
  return from;
}

/* Rows of `shared` that the halos of the tiles of a mesh have, counted from the first of the mesh. */
static void write_halo_rows(shell_tables *w, const shell_cut *cut)
{
  int32_t *row0 = malloc(sizeof *row0 * (size_t)(cut->tiles + 1));
  w->full = w->full || row0 == NULL;
  if (w->full) return;
  row0[0] = 0;
  for (int i = 0; i < cut->tiles; i++) row0[i + 1] = row0[i] + cut->tile[i].own - cut->tile[i].inner;
  for (int i = 0; i < cut->tiles && !w->full; i++) {
    const shell_tile *t = &cut->tile[i];
    int32_t *out = more(w, &w->halo_row, sizeof *out, (size_t)t->halo);
    for (int32_t k = 0; out != NULL && k < t->halo; k++) {
      const int j = owner_of(cut, t->halo_node[k]);
      out[k] = row0[j] + t->halo_node[k] - cut->tile[j].own0 - cut->tile[j].inner;
    }
  }
  free(row0);
}

/* Has this rank one of the copies of tile k of the mesh of component j?  tile0: the first tile of this component. */
static bool is_used(const shell_plan *plan, int64_t j, int64_t tile0, int k)
{
  const shell_cut *cut = plan->component[j].cut;
  for (; j < plan->components && plan->component[j].cut == cut; j++, tile0 += cut->tiles)
    if (shell_is_here(plan, tile0 + k)) return true;
  return false;
}

/* The tables of the mesh of component j: where the first of them is.  Those of tiles that others have are empty. */
static int32_t write_cut(shell_tables *w, const shell_plan *plan, int64_t j, int64_t tile0)
{
  const shell_cut *cut = plan->component[j].cut;
  const int32_t first = (int32_t)(w->table.n / T_COLUMNS);
  int32_t *weight0 = calloc((size_t)cut->classes + 1, sizeof *weight0);
  w->full = w->full || weight0 == NULL;
  for (int i = 0; !w->full && i < cut->classes; i++) {
    weight0[i] = (int32_t)w->weight.n;
    double *out = more(w, &w->weight, sizeof *out, (size_t)(SHELL_WEIGHTS * cut->cls[i].nodes));
    if (out != NULL) memcpy(out, cut->cls[i].weight, sizeof *out * (size_t)(SHELL_WEIGHTS * cut->cls[i].nodes));
  }
  for (int i = 0; !w->full && i < cut->tiles; i++)
    if (is_used(plan, j, tile0, i))
      write_table(w, &cut->tile[i], weight0);
    else
      more(w, &w->table, sizeof(int32_t), T_COLUMNS);
  free(weight0);
  if (!w->full && plan->share == NULL) write_halo_rows(w, cut);
  return first;
}

/* here: this rank moves its nodes. */
static void write_shared(shell_tables *w, const shell_tile *t, bool here)
{
  const int64_t slot = t->slot0 + t->slot;
  int at = 0;
  for (int k = 0; k < t->own; k++) {
    int32_t *own = more(w, &w->own_slot, sizeof *own, 1);
    if (own == NULL) return;
    *own = (int32_t)(slot + k);
    if (k < t->inner || !here) continue;
    const shell_shared *s = at < t->shareds && t->shared[at].local == k ? &t->shared[at++] : NULL;
    const int others = s != NULL ? s->others : 0;
    const int beyond = others > SHARED_OTHERS ? others - SHARED_OTHERS : 0;
    int32_t *one = more(w, &w->shared, sizeof *one, 4 + SHARED_OTHERS);
    int32_t *other = more(w, &w->other, sizeof *other, (size_t)beyond);
    if (w->full) return;
    one[0] = (int32_t)(t->node0 + t->own0 + k), one[1] = (int32_t)(slot + k);
    one[2] = others, one[3] = (int32_t)(w->other.n - (size_t)beyond);
    for (int i = 0; i < others; i++)
      *(i < SHARED_OTHERS ? &one[4 + i] : &other[i - SHARED_OTHERS]) = (int32_t)(t->slot0 + shell_others(t, s)[i]);
  }
}

static int32_t rows_of_shared(const shell_tables *w)
{
  return (int32_t)(w->shared.n / (4 + SHARED_OTHERS));
}

int64_t shell_tile_room(const int32_t *T, int pairs, bool at_once)
{
  const int64_t places = T[T_OWN] + T[T_HALO] + T[T_GHOSTS], gap = T[T_ENTRIES] + 1, S = 12 * (int64_t)T[T_SINGLES];
  const int64_t rest = 2 * SHELL_REFERENCE * (int64_t)pairs;
  return at_once ? S + T[T_CELLS] + shell_larger(3 * places + rest, 3 * gap)
                 : S + 3 * places + shell_larger(gap, rest + T[T_CELLS]);
}

/* row0: of the rows of shared nodes, the first of its mesh. */
static void write_tile(shell_tables *w, const shell_tile *t, int32_t table, int32_t row0)
{
  int32_t *out = more(w, &w->tile, sizeof *out, TILE_COLUMNS);
  if (out == NULL) return;
  out[TILE_TABLE] = table, out[TILE_NODE0] = (int32_t)t->node0, out[TILE_SLOT] = (int32_t)(t->slot0 + t->slot);
  out[TILE_BODY] = t->body, out[TILE_GHOST] = (int32_t)(w->ghost_real.n / GHOST_REALS);
  for (int i = 0; i < t->ghosts; i++) {
    double *g = more(w, &w->ghost_real, sizeof *g, GHOST_REALS);
    if (g == NULL) return;
    memcpy(g, t->ghost[i].normal, sizeof t->ghost[i].normal),
        memcpy(g + 3, t->ghost[i].offset, sizeof t->ghost[i].offset);
    memcpy(g + 6, t->ghost[i].w, sizeof t->ghost[i].w),
        memcpy(g + 6 + SHELL_SOURCES, t->ghost[i].v, sizeof t->ghost[i].v);
  }
  out[TILE_SHARED] = rows_of_shared(w), out[TILE_ROW0] = row0;
  write_shared(w, t, true);
}

void shell_tables_write(shell_tables *w, const shell_plan *plan)
{
  const shell_cut *cut = NULL;
  int32_t table = 0;
  w->count = malloc(2 * sizeof *w->count * (SHELL_MOST_LOCAL + 2));
  w->full = w->count == NULL || plan->slots > INT32_MAX / 4;
  if (w->full) return;
  w->first = w->count + SHELL_MOST_LOCAL + 2, w->first[0] = 0;
  for (int64_t i = 0; i < plan->tiles; i++) {
    if (shell_is_here(plan, i)) w->pairs = (int)shell_larger(w->pairs, tally_of(&plan->tile[i], 0).pairs);
    w->ghosts = w->ghosts || plan->tile[i].ghosts > 0;
  }
  w->pairs = (w->pairs + SLICE - 1) / SLICE * SLICE;
  for (int64_t j = 0, i = 0; j < plan->components && !w->full; j++) {
    if (plan->component[j].cut != cut)
      table = write_cut(w, plan, j, i), cut = plan->component[j].cut; /* copies follow each other */
    const int32_t row0 = rows_of_shared(w);
    for (int k = 0; k < cut->tiles; k++, i++)
      if (shell_is_here(plan, i))
        write_tile(w, &plan->tile[i], table + k, row0);
      else
        write_shared(w, &plan->tile[i], false);
  }
}
