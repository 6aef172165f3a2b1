/* body/shell/device.c  Shells on an accelerator: tables of the plan for its kernels, and when these are queued.
 *
 * A tile is worked on by one group of work-items.  What a triangle gives to a node is an entry; every node has the list of its
 * entries in the order in which force.c adds them, in slices of 32 nodes, padded to even lengths with the entry that is zero.
 * (A sum that began at zero is never -0, so that adding zero changes nothing.)  The kernels are in common.cl, force.cl and
 * nodes.cl; columns.h, formulas.h, moves.h and far.h are compiled as they are. */
#include "device/device.h"
#include "body/shell/columns.h"
#include "body/shell/shell.h"
#include "math/exact.h"
#include "math/math.h"

#include <stdlib.h>
#include <string.h>

extern const char vvi_text_shell_common[], vvi_text_shell_move[], vvi_text_shell_force[], vvi_text_shell_nodes[],
    vvi_text_shell_loads[], vvi_text_shell_columns[], vvi_text_shell_formulas[], vvi_text_shell_moves[],
    vvi_text_shell_far[], vvi_text_shell_some[], vvi_text_shell_exact[], vvi_text_shell_exact_add[],
    vvi_text_shell_flow[], vvi_text_shell_inner[], vvi_text_shell_points[], vvi_text_shell_laws[],
    vvi_text_shell_return_lanes[];

/* Items of a group: one for each pair of a tile, at most.  Registers of an item; measured. */
enum { REGISTERS = 128 };
enum { ITEMS = 256, SLICE = 32, MOST_ENTRIES = 65534 };

enum { BODY_REALS = 9, GHOST_REALS = 6 + 2 * SHELL_SOURCES, GHOST_INTS = 1 + SHELL_SOURCES };
enum { SHEET_REALS = 7 }; /* of a triangle that flows: stresses, energy */
enum { LOSS_ROWS = 64 };  /* flows whose losses wait on the device */
enum { NOTHING, KICK, STRIDE };
enum { SHARED_OTHERS = 4 }; /* slots in the row of a node that tiles share */
enum { OF_GRAVITY, OF_SUPPORTS, OF_LOADS };
enum { EXACT_ROW = VVI_EXACT_DIGITS + 3 }; /* digits of a sum; terms that are not finite */
enum { NODE_ROW = 9, STRIP = 64 };         /* reals of a node: place, momentum, force; items of a strip */

/* ---- lists that grow ---- */

typedef struct series {
  char *at;
  size_t size, n, room; /* bytes of one, how many */
} series;

typedef struct writer {
  series tile, table, halo, at, rest, one, weight, slice, list, ghost_int, ghost_real, give, shared, other, own_slot,
      group;
  int pairs;              /* rows of what pairs have are so long */
  bool ghosts;            /* some tile has some */
  bool full;              /* out of memory, or too large for 32 bits */
  int32_t *count, *first; /* [SHELL_MOST_LOCAL + 1] entries of the nodes of a tile */
  int32_t *entry;         /* they, by node */
  size_t entry_room;
} writer;

static void *more(writer *w, series *c, size_t size, size_t n)
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

static void writer_free(writer *w)
{
  series *c[] = {&w->tile, &w->table,     &w->halo,       &w->at,   &w->rest,   &w->one,   &w->weight,   &w->slice,
                 &w->list, &w->ghost_int, &w->ghost_real, &w->give, &w->shared, &w->other, &w->own_slot, &w->group};
  for (int i = 0; i < VV_COUNT(c); i++) free(c[i]->at);
  free(w->count), free(w->entry);
}

/* ---- tables ---- */

static int64_t larger(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

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
typedef void entry_fn(writer *w, int local, int entry);
static void each_entry(writer *w, const shell_tile *t, const tally *a, entry_fn *give)
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

static void count_entry(writer *w, int local, int entry)
{
  (void)entry;
  w->count[local]++;
}

static void put_entry(writer *w, int local, int entry)
{
  w->entry[w->first[local] + w->count[local]++] = entry;
}

static void write_lists(writer *w, const shell_tile *t, const tally *a)
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

static void write_pairs(writer *w, const shell_tile *t, const tally *a, int32_t *T)
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
static void write_singles(writer *w, const shell_tile *t, const tally *a, const int32_t *weight0, int32_t *T)
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
static void write_ghosts(writer *w, const shell_tile *t, int32_t *T)
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

static void write_table(writer *w, const shell_tile *t, const int32_t *weight0)
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

/* The tables of a mesh: where the first of them is. */
static int32_t write_cut(writer *w, const shell_cut *cut)
{
  const int32_t first = (int32_t)(w->table.n / T_COLUMNS);
  int32_t *weight0 = calloc((size_t)cut->classes + 1, sizeof *weight0);
  w->full = w->full || weight0 == NULL;
  for (int i = 0; !w->full && i < cut->classes; i++) {
    weight0[i] = (int32_t)w->weight.n;
    double *out = more(w, &w->weight, sizeof *out, (size_t)(SHELL_WEIGHTS * cut->cls[i].nodes));
    if (out != NULL) memcpy(out, cut->cls[i].weight, sizeof *out * (size_t)(SHELL_WEIGHTS * cut->cls[i].nodes));
  }
  for (int i = 0; !w->full && i < cut->tiles; i++) write_table(w, &cut->tile[i], weight0);
  free(weight0);
  return first;
}

static void write_shared(writer *w, const shell_tile *t)
{
  const int64_t slot = t->slot0 + t->slot;
  int at = 0;
  for (int k = 0; k < t->own; k++) {
    int32_t *own = more(w, &w->own_slot, sizeof *own, 1);
    if (own == NULL) return;
    *own = (int32_t)(slot + k);
    if (k < t->inner) continue;
    const shell_shared *s = at < t->shareds && t->shared[at].local == k ? &t->shared[at++] : NULL;
    const int others = s != NULL ? s->others : 0;
    const int beyond = others > SHARED_OTHERS ? others - SHARED_OTHERS : 0;
    int32_t *one = more(w, &w->shared, sizeof *one, 4 + SHARED_OTHERS);
    int32_t *other = more(w, &w->other, sizeof *other, (size_t)beyond);
    if (w->full) return;
    one[0] = (int32_t)(t->node0 + t->own0 + k), one[1] = (int32_t)(slot + k);
    one[2] = others, one[3] = (int32_t)(w->other.n - (size_t)beyond);
    for (int i = 0; i < others; i++)
      *(i < SHARED_OTHERS ? &one[4 + i] : &other[i - SHARED_OTHERS]) = (int32_t)(t->slot0 + s->slot[i]);
  }
}

/* Doubles that a tile needs while it is worked on; at_once: x, y and z together.  pairs: length of their rows. */
static int64_t tile_room(const int32_t *T, int pairs, bool at_once)
{
  const int64_t places = T[T_OWN] + T[T_HALO] + T[T_GHOSTS], gap = T[T_ENTRIES] + 1, S = 12 * (int64_t)T[T_SINGLES];
  const int64_t rest = 2 * SHELL_REFERENCE * (int64_t)pairs;
  return at_once ? S + T[T_CELLS] + larger(3 * places + rest, 3 * gap)
                 : S + 3 * places + larger(gap, rest + T[T_CELLS]);
}

static void write_tile(writer *w, const shell_tile *t, int32_t table)
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
  out[TILE_SHARED] = (int32_t)(w->shared.n / (4 + SHARED_OTHERS));
  write_shared(w, t);
}

static void write_plan(writer *w, const shell_plan *plan)
{
  const shell_cut *cut = NULL;
  int32_t table = 0;
  w->count = malloc(2 * sizeof *w->count * (SHELL_MOST_LOCAL + 2));
  w->full = w->count == NULL || plan->slots > INT32_MAX / 4;
  if (w->full) return;
  w->first = w->count + SHELL_MOST_LOCAL + 2, w->first[0] = 0;
  for (int64_t i = 0; i < plan->tiles; i++) {
    w->pairs = (int)larger(w->pairs, tally_of(&plan->tile[i], 0).pairs);
    w->ghosts = w->ghosts || plan->tile[i].ghosts > 0;
  }
  w->pairs = (w->pairs + SLICE - 1) / SLICE * SLICE;
  for (int64_t j = 0, i = 0; j < plan->components && !w->full; j++) {
    if (plan->component[j].cut != cut)
      table = write_cut(w, cut = plan->component[j].cut); /* copies follow each other */
    for (int k = 0; k < cut->tiles; k++) write_tile(w, &plan->tile[i++], table + k);
  }
}

/* ---- a block on a device ---- */

/* Tiles are sorted by the kernel that works on them: two laws, and what flows, with x, y and z at once in local memory, the same one
 * after the other, and those that do not fit there.  Then the same with energies. */
enum { STVK, NEO, SHEET, STVK_ROUNDS, NEO_ROUNDS, SHEET_ROUNDS, FAR, SHEET_FAR, SORTS, KERNELS = 2 * SORTS };

typedef struct vector4 {
  double x[4];
} vector4;

typedef struct shell_device {
  const vv_block *b;
  vvi_device *d;
  vvi_kernel *force[KERNELS], *join, *kick, *drift, *close, *exact;
  vvi_buffer *tile, *table, *halo, *at, *rest, *one, *weight, *slice, *list, *ghost_int, *ghost_real, *give, *shared,
      *other, *own_slot, *body, *mass, *q, *p, *slot, *total, *booked, *scratch, *sums;
  vvi_buffer *row[SORTS]; /* tiles by sort, with their tables */
  int64_t tiles[SORTS];
  size_t local[SORTS]; /* bytes of local memory */
  int items[SORTS];    /* of a group */
  int32_t shareds, nodes, stride, column, slots;
  int pairs;     /* in a row of what pairs have */
  char told[64]; /* what kernels are told of the tables */
  vector4 gravity;
  /* what acts from outside */
  vvi_kernel *book, *limits, *clear_forces, *point_load, *pressure, *give_loads, *kick_loads;
  vvi_buffer *lim_first, *lim_node, *lim_weight, *give_first, *give_node, *give_weight, *around_first, *around, *corner,
      *y, *F, *f;
  bool loaded; /* f holds the loads at the present places and at the time loaded_at */
  double loaded_at;
  double *part; /* [tiles][SHELL_SUMS] as they come down */
  /* what flows and damps */
  vvi_kernel *sheet, *fade;
  vvi_buffer *z, *kept, *loss, *group, *whole, *keep, *room; /* loss: [LOSS_ROWS][tiles][SHELL_LOSSES] */
  int64_t kept_reals, room_reals;
  double *lost;  /* loss as it comes down */
  int losses;    /* rows of it that wait */
  bool stressed; /* `kept` holds the stresses of the present places and internal variables */
  bool weighed;  /* and their energies */
  /* what stays while the processor answers contacts */
  vvi_kernel *push, *extents, *bring_some, *give_some;
  vvi_buffer *pull, *strip, *box, *some, *rows; /* pull: forces; rows: of the nodes in `some` */
  int32_t strips;
  int64_t most_some; /* nodes there is room for */
  double *down;      /* [NODE_ROW][most_some] as they come down */
  vvi_buffer *notes, *slots_of_sums,
      *aside; /* totals of tiles that were noted; of all tiles; q and p that are set aside */
  int64_t noted[VV_DEVICE_SLOTS][SHELL_SUMS][EXACT_ROW];
  bool
      waits; /* a kick waits for what comes next: totals, the other half of it and the drift are done in one pass with it */
  double waits_h; /* its length */
  int waits_note; /* -1, or where the totals behind it go */
  bool known;     /* the slots of owned nodes hold the gradient of the present places */
  bool counted;   /* and `total` their strain energies */
} shell_device;

static vvi_buffer *send(vvi_device *d, const series *c)
{
  return vvi_buffer_new(d, c->size * c->n, c->at);
}

/* A group has an item for each pair of its largest tile; whole warps. */
static int items_for(const shell_device *s, int64_t pairs)
{
  const int most = vvi_device_most_items(s->d) < ITEMS ? vvi_device_most_items(s->d) : ITEMS;
  const int64_t need = (larger(pairs, 1) + SLICE - 1) / SLICE * SLICE;
  return need < most ? (int)need : most;
}

/* Which kernel works on a tile: does it fit into local memory? */
static int sort_of(const shell_device *s, const int32_t *t, const int32_t *T)
{
  const int64_t most = vvi_device_local_bytes(s->d) / (int64_t)sizeof(double) - 16;
  const shell_body *k = shell_of(s->b, t[TILE_BODY]);
  const int items = items_for(s, ITEMS), law = k->columns > 0.0 ? SHEET : k->law == SHELL_STVK ? STVK : NEO;
  const int far = law == SHEET ? SHEET_FAR : FAR;
  if (T[T_PAIRS] > items || T[T_SINGLES] > items) return far;
  if (tile_room(T, s->pairs, true) <= most) return law;
  return tile_room(T, s->pairs, false) <= most ? STVK_ROUNDS + law : far;
}

/* Where the internal variables of tile i are, its stresses, and its room while it flows. */
static void place_sheet(shell_device *s, int64_t i, const int32_t *T, int32_t *t)
{
  const int64_t z = shell_plan_of(s->b)->tile[i].z - s->b->z0;
  t[TILE_Z] = (int32_t)z, t[TILE_CELL] = (int32_t)(s->kept_reals / SHEET_REALS), t[TILE_SHEET] = (int32_t)s->room_reals;
  s->kept_reals += SHEET_REALS * (int64_t)T[T_CELLS];
  s->room_reals += 6 * ((int64_t)T[T_OWN] + T[T_HALO] + T[T_GHOSTS]) + (2 + SHELL_LOSSES) * (int64_t)T[T_CELLS];
  if (larger(z, larger(s->kept_reals, s->room_reals)) > INT32_MAX - (1 << 24))
    vvi_device_fail(s->d, "the mesh is too large for it");
}

static void sort_tiles(shell_device *s, writer *w)
{
  enum { ROW = TILE_COLUMNS + T_COLUMNS };
  const int64_t n = (int64_t)w->tile.n / TILE_COLUMNS;
  int32_t *row = malloc(sizeof *row * (size_t)(ROW * n + 1)), *sort = malloc(sizeof *sort * (size_t)(n + 1));
  int64_t scratch = 0;
  if (row == NULL || sort == NULL) vvi_device_fail(s->d, "out of memory");
  for (int64_t i = 0; vvi_device_trouble(s->d) == NULL && i < n; i++) {
    int32_t *t = (int32_t *)(void *)w->tile.at + TILE_COLUMNS * i;
    const int32_t *T = (const int32_t *)(const void *)w->table.at + (int64_t)T_COLUMNS * t[TILE_TABLE];
    const int k = sort[i] = sort_of(s, t, T);
    t[TILE_NUMBER] = (int32_t)i;
    if (k % STVK_ROUNDS == SHEET || k == SHEET_FAR) place_sheet(s, i, T, t);
    s->tiles[k]++;
    s->items[k] = (int)larger(s->items[k], items_for(s, larger(T[T_PAIRS], T[T_SINGLES])));
    if (k < FAR) s->local[k] = (size_t)larger((int64_t)s->local[k], 8 * (tile_room(T, s->pairs, k < STVK_ROUNDS) + 1));
    if (k < FAR) continue;
    t[TILE_SCRATCH] = (int32_t)scratch;
    scratch += tile_room(T, s->pairs, false) + 24 * (int64_t)T[T_PAIRS];
    if (scratch > INT32_MAX) vvi_device_fail(s->d, "the mesh is too large for it");
  }
  for (int k = 0; k < SORTS && vvi_device_trouble(s->d) == NULL; k++) {
    int32_t *to = row;
    for (int64_t i = 0; i < n; i++) {
      if (sort[i] != k) continue;
      const int32_t *t = (const int32_t *)(const void *)w->tile.at + TILE_COLUMNS * i;
      memcpy(to, t, sizeof *to * TILE_COLUMNS);
      memcpy(to + TILE_COLUMNS, (const int32_t *)(const void *)w->table.at + (int64_t)T_COLUMNS * t[TILE_TABLE],
             sizeof *to * T_COLUMNS);
      to += ROW;
    }
    s->row[k] = vvi_buffer_new(s->d, sizeof *row * (size_t)(to - row), row);
  }
  s->scratch = vvi_buffer_new(s->d, sizeof(double) * (size_t)scratch, NULL);
  free(row), free(sort);
}

static void send_bodies(shell_device *s)
{
  const vv_block *b = s->b;
  double *real = malloc(sizeof *real * (size_t)(BODY_REALS * b->n_body));
  for (int i = 0; real != NULL && i < b->n_body; i++) {
    const shell_body *k = shell_of(b, i);
    const double all[BODY_REALS] = {k->poisson, k->membrane, k->bend,      k->mu, k->lambda,
                                    k->neo,     k->lever,    k->thickness, k->law};
    memcpy(real + BODY_REALS * i, all, sizeof all);
  }
  s->body = vvi_buffer_new(s->d, sizeof *real * (size_t)(BODY_REALS * b->n_body), real);
  free(real);
}

/* Stencils of the limits, their transpose, and the triangles around each node; lists of [n] rows from their lengths. */
static void run_up(int64_t n, int32_t *first)
{
  for (int64_t i = 0; i < n; i++) first[i + 1] += first[i];
}

static void send_loads(shell_device *s)
{
  const vv_block *b = s->b;
  const shell_plan *plan = b->plan;
  const int64_t n = b->nodes, corners = SHELL_CORNERS * b->elements;
  int64_t entries = 0, at = 0;
  for (int64_t j = 0; j < plan->components; j++)
    entries += plan->component[j].cut->limit.first[plan->component[j].cut->nodes];
  const bool fits = entries < INT32_MAX && corners < INT32_MAX;
  int32_t *first = calloc((size_t)(3 * n + 3), sizeof *first), *give = first + n + 1, *round = give + n + 1;
  int32_t *node = malloc(sizeof *node * (size_t)(2 * entries + corners + 1)), *from = node + entries,
          *around = from + entries;
  double *weight = malloc(sizeof *weight * (size_t)(2 * entries + 1)), *share = weight + entries;
  if (!fits || first == NULL || node == NULL || weight == NULL) vvi_device_fail(s->d, "out of memory for the loads");
  for (int64_t j = 0; vvi_device_trouble(s->d) == NULL && j < plan->components; j++) {
    const shell_component *part = &plan->component[j];
    const shell_limit *l = &part->cut->limit;
    for (int64_t i = 0; i < part->cut->nodes; i++)
      for (int32_t k = l->first[i]; k < l->first[i + 1]; k++, at++) {
        node[at] = (int32_t)part->node0 + l->node[k], weight[at] = l->weight[k];
        first[part->node0 + i + 1]++, give[node[at] + 1]++;
      }
  }
  for (int64_t i = 0; vvi_device_trouble(s->d) == NULL && i < corners; i++) round[b->element_node[i] + 1]++;
  if (vvi_device_trouble(s->d) == NULL) {
    int32_t *next = malloc(sizeof *next * (size_t)(n + 1));
    if (next == NULL) vvi_device_fail(s->d, "out of memory for the loads");
    run_up(n, first), run_up(n, give), run_up(n, round);
    for (int64_t i = 0; next != NULL && i < n; i++) next[i] = give[i];
    for (int64_t i = 0; next != NULL && i < n; i++)
      for (int32_t k = first[i]; k < first[i + 1]; k++) {
        const int32_t to = next[node[k]]++;
        from[to] = (int32_t)i, share[to] = weight[k];
      }
    for (int64_t i = 0; next != NULL && i < n; i++) next[i] = round[i];
    for (int64_t i = 0; next != NULL && i < corners; i++)
      around[next[b->element_node[i]]++] = (int32_t)(i / SHELL_CORNERS);
    free(next);
    const size_t rows = sizeof(int32_t) * (size_t)(n + 1), list = (size_t)entries;
    s->lim_first = vvi_buffer_new(s->d, rows, first), s->give_first = vvi_buffer_new(s->d, rows, give);
    s->around_first = vvi_buffer_new(s->d, rows, round);
    s->lim_node = vvi_buffer_new(s->d, sizeof *node * list, node);
    s->lim_weight = vvi_buffer_new(s->d, sizeof *weight * list, weight);
    s->give_node = vvi_buffer_new(s->d, sizeof *from * list, from);
    s->give_weight = vvi_buffer_new(s->d, sizeof *share * list, share);
    s->around = vvi_buffer_new(s->d, sizeof *around * (size_t)corners, around);
    s->corner = vvi_buffer_new(s->d, sizeof(int32_t) * (size_t)corners, b->element_node);
    s->y = vvi_buffer_new(s->d, sizeof(double) * (size_t)(3 * n), NULL);
    s->F = vvi_buffer_new(s->d, sizeof(double) * (size_t)(3 * n), NULL);
  }
  free(first), free(node), free(weight);
}

/* What flows: its internal variables, all constants of the bodies, room; what damps. */
static void send_sheets(shell_device *s, const writer *w)
{
  const vv_block *b = s->b;
  const size_t row = sizeof(double) * (size_t)(SHELL_LOSSES * shell_plan_of(b)->tiles);
  s->z = vvi_buffer_new(s->d, sizeof(double) * (size_t)b->z_reals, NULL);
  s->kept = vvi_buffer_new(s->d, sizeof(double) * (size_t)s->kept_reals, NULL);
  if (b->z_reals == 0 && !b->viscous) return;
  s->room = vvi_buffer_new(s->d, sizeof(double) * (size_t)s->room_reals, NULL);
  s->loss = vvi_buffer_new(s->d, LOSS_ROWS * row, NULL);
  s->lost = calloc(LOSS_ROWS, row);
  if (s->lost == NULL) vvi_device_fail(s->d, "out of memory");
  s->group = send(s->d, &w->group);
  s->whole = vvi_buffer_new(s->d, sizeof(shell_body) * (size_t)b->n_body, b->body_real);
  s->keep = vvi_buffer_new(s->d, sizeof(double) * (size_t)b->n_body, NULL);
}

static void send_all(shell_device *s, writer *w)
{
  const vv_block *b = s->b;
  const shell_plan *plan = b->plan;
  vvi_device *d = s->d;
  sort_tiles(s, w);
  s->tile = send(d, &w->tile), s->table = send(d, &w->table), s->halo = send(d, &w->halo), s->at = send(d, &w->at);
  s->rest = send(d, &w->rest), s->one = send(d, &w->one), s->weight = send(d, &w->weight);
  s->slice = send(d, &w->slice), s->list = send(d, &w->list), s->ghost_int = send(d, &w->ghost_int);
  s->ghost_real = send(d, &w->ghost_real), s->give = send(d, &w->give), s->shared = send(d, &w->shared);
  s->other = send(d, &w->other), s->own_slot = send(d, &w->own_slot);
  s->shareds = (int32_t)(w->shared.n / (4 + SHARED_OTHERS));
  send_bodies(s);
  s->mass = vvi_buffer_new(d, sizeof(double) * (size_t)(2 * b->stride), shell_node(b, SHELL_MASS));
  s->q = vvi_buffer_new(d, sizeof(double) * (size_t)(3 * b->column), NULL);
  s->p = vvi_buffer_new(d, sizeof(double) * (size_t)(3 * b->column), NULL);
  s->slot = vvi_buffer_new(d, sizeof(double) * (size_t)(3 * plan->slots), NULL);
  s->total = vvi_buffer_new(d, sizeof(double) * (size_t)(SHELL_SUMS * plan->tiles), NULL);
  s->booked = vvi_buffer_new(d, b->booked ? sizeof(double) * (size_t)(SHELL_SUMS * plan->tiles) : 0, NULL);
  s->part = calloc((size_t)(SHELL_SUMS * plan->tiles), sizeof *s->part);
  if (s->part == NULL) vvi_device_fail(d, "out of memory");
  s->f = vvi_buffer_new(d, b->n_load > 0 ? sizeof(double) * (size_t)(3 * b->nodes) : 0, NULL);
  if (b->n_load > 0) send_loads(s);
  send_sheets(s, w);
}
_Static_assert(SHELL_PAIR == 2 * SHELL_REFERENCE, "references of pairs lie where their entries will");
_Static_assert(SHELL_INVERSE_MASS == SHELL_MASS + 1, "both are sent in one piece");

/* The kernel of a tile, with everything it is compiled for written before it. */
#define OF_SHEETS "#define LAW SHELL_STVK\n#define SHEET 1\n#define SHEET_REALS 7\n"
static const char *const before[SORTS] = {"\n#define NEAR 1\n#define ROUNDS 1\n#define LAW SHELL_STVK\n",
                                          "\n#define NEAR 1\n#define ROUNDS 1\n#define LAW SHELL_NEO_HOOKE\n",
                                          "\n#define NEAR 1\n#define ROUNDS 1\n" OF_SHEETS,
                                          "\n#define NEAR 1\n#define ROUNDS 3\n#define LAW SHELL_STVK\n",
                                          "\n#define NEAR 1\n#define ROUNDS 3\n#define LAW SHELL_NEO_HOOKE\n",
                                          "\n#define NEAR 1\n#define ROUNDS 3\n" OF_SHEETS,
                                          "\n#define NEAR 0\n#define ROUNDS 3\n",
                                          "\n#define NEAR 0\n#define ROUNDS 3\n" OF_SHEETS};
_Static_assert(SHEET_REALS == 7, "OF_SHEETS");
static const char excess_far[] = "\nstatic void shell_excess_far(int n, const double *x, double *out)\n"
                                 "{\n  shell_excess_some(n, x, out);\n}\n";

/* A program of its own for each kernel that is needed: compilers of devices are slow. */
static void build(shell_device *s, const char *first, const char *second, const char *body_text)
{
  const char *const text[] = {s->told,
                              vvi_text_shell_columns,
                              vvi_text_shell_common,
                              vvi_text_shell_far,
                              excess_far,
                              vvi_text_shell_formulas,
                              vvi_text_shell_moves,
                              vvi_text_shell_move,
                              first,
                              second,
                              body_text};
  vvi_device_build(s->d, REGISTERS, VV_COUNT(text), text);
}

/* The program of what flows: sizes are known, so that compilers can keep points in registers. */
static void build_sheets(shell_device *s)
{
  const vv_block *b = s->b;
  int most = 0, least = SHELL_MOST_POINTS, columns = 1;
  for (int i = 0; i < b->n_body; i++) {
    const shell_body *k = shell_of(b, i);
    if (k->columns == 0.0) continue;
    most = (int)larger(most, (int64_t)k->points), columns = (int)larger(columns, (int64_t)k->lane_columns);
    if ((int)k->points < least) least = (int)k->points;
  }
  char head[640], points[32] = "((int)(k)->points)";
  if (most == least) snprintf(points, sizeof points, "%d", most);
  snprintf(head, sizeof head,
           "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL FP_CONTRACT OFF\n#define SHEET_REALS %d\n"
           "#define VVI_ONE_LANE\n#define VVI_PICK(mask, a, b) ((mask) ? (a) : (b))\n"
           "#define VVI_RETURN_MOST %d\n#define POINT_ROOM %d\n#define POINTS(k) %s\n"
           "#define Z_ROOM %d\n#define STEP 1\n#define MASK int\n#define FN(name) name##_one\n"
           "#define SHELL_SPACE __global\n#define VVI_LAW_SPACE __global\ntypedef long int64_t;\n"
           "#ifndef NULL\n#define NULL 0\n#endif\n",
           SHEET_REALS, most > 0 ? most : 1, most > 0 ? most : 1, points, columns);
  const char *const text[] = {head,
                              s->told,
                              vvi_text_shell_laws,
                              vvi_text_shell_columns,
                              vvi_text_shell_inner,
                              vvi_text_shell_common,
                              vvi_text_shell_far,
                              excess_far,
                              vvi_text_shell_formulas,
                              vvi_text_shell_return_lanes,
                              vvi_text_shell_points,
                              vvi_text_shell_flow};
  vvi_device_build(s->d, 0, VV_COUNT(text), text);
  s->sheet = vvi_device_kernel(s->d, "sheet"), s->fade = vvi_device_kernel(s->d, "fade");
}

static void build_exact(shell_device *s)
{
  static const char head[] = "typedef long int64_t;\ntypedef ulong uint64_t;\n#define VVI_EXACT_SPACE __local\n";
  const char *const text[] = {vvi_text_shell_columns, vvi_text_shell_common, head, vvi_text_shell_exact_add,
                              vvi_text_shell_exact};
  vvi_device_build(s->d, 0, VV_COUNT(text), text);
  s->exact = vvi_device_kernel(s->d, "exact");
  s->sums = vvi_buffer_new(s->d, sizeof(int64_t) * SHELL_SUMS * EXACT_ROW, NULL);
  s->slots_of_sums = vvi_buffer_new(s->d, sizeof s->noted, NULL);
  s->notes =
      vvi_buffer_new(s->d, sizeof(double) * VV_DEVICE_SLOTS * SHELL_SUMS * (size_t)shell_plan_of(s->b)->tiles, NULL);
}

static void build_all(shell_device *s)
{
  if (s->b->z_reals > 0 || s->b->viscous) build_sheets(s);
  for (int i = 0; i < KERNELS; i++) {
    if (s->tiles[i % SORTS] == 0) continue;
    build(s, before[i % SORTS], i < SORTS ? "#define ENERGY 0\n" : "#define ENERGY 1\n", vvi_text_shell_force);
    s->force[i] = vvi_device_kernel(s->d, "force");
  }
  build(s, "\n", "", vvi_text_shell_nodes);
  s->join = vvi_device_kernel(s->d, "join"), s->kick = vvi_device_kernel(s->d, "kick_nodes");
  s->drift = vvi_device_kernel(s->d, "drift_nodes"), s->close = vvi_device_kernel(s->d, "close_step");
  build_exact(s);
  if (!s->b->booked) return;
  build(s, "\n", "", vvi_text_shell_loads);
  s->book = vvi_device_kernel(s->d, "book");
  if (s->b->n_load == 0) return;
  s->limits = vvi_device_kernel(s->d, "limits"), s->clear_forces = vvi_device_kernel(s->d, "clear_forces");
  s->point_load = vvi_device_kernel(s->d, "point_load"), s->pressure = vvi_device_kernel(s->d, "pressure");
  s->give_loads = vvi_device_kernel(s->d, "give_loads"), s->kick_loads = vvi_device_kernel(s->d, "kick_loads");
}

static void *device_open(const vv_block *b, struct vvi_device *d)
{
  shell_device *s = calloc(1, sizeof *s);
  writer w = {.full = false};
  if (s == NULL) return NULL;
  *s = (shell_device){.b = b,
                      .d = d,
                      .nodes = (int32_t)b->nodes,
                      .stride = (int32_t)b->stride,
                      .column = (int32_t)b->column,
                      .slots = (int32_t)shell_plan_of(b)->slots,
                      .gravity = {{b->gravity[0], b->gravity[1], b->gravity[2], 0.0}}};
  write_plan(&w, b->plan);
  if (w.full)
    vvi_device_fail(d, "the tables of the mesh are too large");
  else {
    s->pairs = w.pairs;
    snprintf(s->told, sizeof s->told, "#define PAIRS %d\n#define GHOSTS %d\n", w.pairs, w.ghosts);
    send_all(s, &w), build_all(s);
  }
  writer_free(&w);
  return s;
}

static void device_close(void *own)
{
  free(((shell_device *)own)->part), free(((shell_device *)own)->lost), free(((shell_device *)own)->down);
  free(own); /* buffers go with the device */
}

static const char *device_refuse(const vv_block *b)
{
  for (int i = 0; i < b->n_body; i++)
    if (shell_can_break(shell_of(b, i))) return "shells that break";
  return NULL;
}

/* ---- what is queued ---- */

/* The places are others. */
static void forget(shell_device *s)
{
  s->known = s->counted = s->loaded = s->stressed = s->weighed = false;
}

static void launch_force(shell_device *s, double h, int32_t move, bool energy)
{
  for (int k = 0; k < SORTS; k++) {
    vvi_kernel *kernel = s->force[energy ? SORTS + k : k];
    vvi_device_launch(s->d, kernel, s->tiles[k], s->items[k],
                      VVI_ARGUMENTS(VVI_BUFFER(s->row[k]), VVI_BUFFER(s->halo), VVI_BUFFER(s->at), VVI_BUFFER(s->rest),
                                    VVI_BUFFER(s->one), VVI_BUFFER(s->weight), VVI_BUFFER(s->slice),
                                    VVI_BUFFER(s->list), VVI_BUFFER(s->ghost_int), VVI_BUFFER(s->ghost_real),
                                    VVI_BUFFER(s->give), VVI_BUFFER(s->body), VVI_BUFFER(s->mass),
                                    VVI_NUMBER(s->stride), VVI_NUMBER(s->column), VVI_NUMBER(s->slots),
                                    VVI_NUMBER(s->gravity), VVI_NUMBER(h), VVI_NUMBER(move), VVI_BUFFER(s->q),
                                    VVI_BUFFER(s->p), VVI_BUFFER(s->slot), VVI_BUFFER(s->total), VVI_BUFFER(s->kept),
                                    k >= FAR ? VVI_BUFFER(s->scratch) : VVI_LOCAL(s->local[k])));
  }
  s->counted = energy;
}

static int64_t groups_for(int64_t n, int items)
{
  return (n + items - 1) / items;
}

static void launch_join(shell_device *s, double h, int32_t move)
{
  vvi_device_launch(s->d, s->join, groups_for(s->shareds, 128), 128,
                    VVI_ARGUMENTS(VVI_NUMBER(s->shareds), VVI_BUFFER(s->shared), VVI_BUFFER(s->other),
                                  VVI_BUFFER(s->mass), VVI_NUMBER(s->stride), VVI_NUMBER(s->column),
                                  VVI_NUMBER(s->slots), VVI_NUMBER(s->gravity), VVI_NUMBER(h), VVI_NUMBER(move),
                                  VVI_BUFFER(s->q), VVI_BUFFER(s->p), VVI_BUFFER(s->slot)));
}

/* After a drift of length h internal variables follow; 0: nothing flows.  Then the stresses; energies where nothing flows. */
static void launch_sheets(shell_device *s, double h)
{
  const int32_t loss0 = (int32_t)(s->losses * SHELL_LOSSES * shell_plan_of(s->b)->tiles);
  for (int k = 0; k < SORTS; k++) {
    if (s->tiles[k] == 0 || (k % STVK_ROUNDS != SHEET && k != SHEET_FAR)) continue;
    vvi_device_launch(s->d, s->sheet, s->tiles[k], items_for(s, 128),
                      VVI_ARGUMENTS(VVI_BUFFER(s->row[k]), VVI_BUFFER(s->halo), VVI_BUFFER(s->at), VVI_BUFFER(s->rest),
                                    VVI_BUFFER(s->one), VVI_BUFFER(s->weight), VVI_BUFFER(s->ghost_int),
                                    VVI_BUFFER(s->ghost_real), VVI_BUFFER(s->group), VVI_BUFFER(s->whole),
                                    VVI_BUFFER(s->mass), VVI_NUMBER(s->stride), VVI_NUMBER(s->column), VVI_NUMBER(h),
                                    VVI_BUFFER(s->q), VVI_BUFFER(s->p), VVI_BUFFER(s->z), VVI_BUFFER(s->kept),
                                    VVI_NUMBER(loss0), VVI_BUFFER(s->loss), VVI_BUFFER(s->room)));
  }
  s->stressed = true, s->weighed = h == 0.0;
}

/* The gradient of the present places, in the slots of owned nodes. */
static void gradient(shell_device *s, bool energy)
{
  if (s->known) return;
  if (s->b->z_reals > 0 && !(energy ? s->weighed : s->stressed)) launch_sheets(s, 0.0);
  launch_force(s, 0.0, NOTHING, energy);
  launch_join(s, 0.0, NOTHING);
  s->known = true;
}

static void launch_kick(shell_device *s, double h, double drift, int32_t from_nothing, vvi_buffer *p)
{
  vvi_device_launch(s->d, s->kick, groups_for(s->nodes, 128), 128,
                    VVI_ARGUMENTS(VVI_NUMBER(s->nodes), VVI_BUFFER(s->own_slot), VVI_BUFFER(s->mass),
                                  VVI_NUMBER(s->stride), VVI_NUMBER(s->column), VVI_NUMBER(s->slots),
                                  VVI_NUMBER(s->gravity), VVI_NUMBER(h), VVI_NUMBER(drift), VVI_NUMBER(from_nothing),
                                  VVI_BUFFER(s->q), VVI_BUFFER(p), VVI_BUFFER(s->slot)));
}

/* The pass over all nodes at the end of a step: the kick that waits, totals (note >= 0), the kick again and a drift. */
static void launch_close(shell_device *s, bool kick, double h, int32_t note, double drift)
{
  const int32_t tiles = (int32_t)shell_plan_of(s->b)->tiles, kicks = kick, joined = s->known;
  const int items = vvi_device_most_items(s->d) < CHUNK ? vvi_device_most_items(s->d) : CHUNK;
  vvi_device_launch(
      s->d, s->close, tiles, items,
      VVI_ARGUMENTS(VVI_BUFFER(s->tile), VVI_BUFFER(s->table), VVI_BUFFER(s->shared), VVI_BUFFER(s->other),
                    VVI_BUFFER(s->mass), VVI_NUMBER(s->stride), VVI_NUMBER(s->column), VVI_NUMBER(s->slots),
                    VVI_NUMBER(s->gravity), VVI_NUMBER(kicks), VVI_NUMBER(joined), VVI_NUMBER(h), VVI_NUMBER(note),
                    VVI_NUMBER(drift), VVI_BUFFER(s->q), VVI_BUFFER(s->p), VVI_BUFFER(s->slot), VVI_BUFFER(s->total),
                    VVI_BUFFER(s->notes), VVI_LOCAL(sizeof(double) * (10 * (CHUNK + 1) + 40))));
}

/* What waits is done, and with it a drift behind the same kick again, where drift is not 0. */
static void flush_into(shell_device *s, double drift)
{
  if (!s->waits) return;
  s->waits = false;
  if (s->waits_note < 0 && drift == 0.0) {
    gradient(s, true);
    launch_kick(s, s->waits_h, 0.0, 0, s->p);
    return;
  }
  if (s->waits_note >= 0 && !s->counted) s->known = false;
  if (!s->known) launch_force(s, 0.0, NOTHING, true);
  launch_close(s, true, s->waits_h, s->waits_note, drift);
  s->known = true;
  if (drift != 0.0) forget(s);
}

static void flush(shell_device *s)
{
  flush_into(s, 0.0);
}

/* ---- loads ---- */

/* f: forces of all loads on the nodes at time t. */
static void loads_at(shell_device *s, double t)
{
  const vv_block *b = s->b;
  const int32_t n = s->nodes, reals = 3 * n;
  bool pressed = false;
  if (s->loaded && s->loaded_at == t) return;
  for (int32_t i = 0; i < b->n_load; i++) pressed = pressed || b->load[i].node < 0;
  vvi_device_launch(s->d, s->clear_forces, groups_for(reals, 128), 128,
                    VVI_ARGUMENTS(VVI_NUMBER(reals), VVI_BUFFER(s->F)));
  if (pressed)
    vvi_device_launch(s->d, s->limits, groups_for(n, 128), 128,
                      VVI_ARGUMENTS(VVI_NUMBER(n), VVI_BUFFER(s->lim_first), VVI_BUFFER(s->lim_node),
                                    VVI_BUFFER(s->lim_weight), VVI_NUMBER(s->column), VVI_BUFFER(s->q),
                                    VVI_BUFFER(s->y)));
  for (int32_t i = 0; i < b->n_load; i++) {
    const vv_load *l = &b->load[i];
    const double size = vv_history_at(&l->history, t), P = size * l->value[0];
    if (l->node >= 0) {
      const int32_t node = l->node;
      const vector4 force = {{size * l->value[0], size * l->value[1], size * l->value[2], 0.0}};
      vvi_device_launch(s->d, s->point_load, 1, 1,
                        VVI_ARGUMENTS(VVI_NUMBER(node), VVI_NUMBER(force), VVI_BUFFER(s->F)));
      continue;
    }
    const shell_component *part = &shell_plan_of(b)->component[(int64_t)l->value[LOAD_COMPONENT]];
    const int32_t from = (int32_t)part->node0, count = part->cut->nodes;
    vvi_device_launch(s->d, s->pressure, groups_for(count, 128), 128,
                      VVI_ARGUMENTS(VVI_NUMBER(from), VVI_NUMBER(count), VVI_NUMBER(P), VVI_BUFFER(s->around_first),
                                    VVI_BUFFER(s->around), VVI_BUFFER(s->corner), VVI_BUFFER(s->y), VVI_BUFFER(s->F)));
  }
  vvi_device_launch(s->d, s->give_loads, groups_for(n, 128), 128,
                    VVI_ARGUMENTS(VVI_NUMBER(n), VVI_BUFFER(s->give_first), VVI_BUFFER(s->give_node),
                                  VVI_BUFFER(s->give_weight), VVI_BUFFER(s->mass), VVI_NUMBER(s->stride),
                                  VVI_BUFFER(s->F), VVI_BUFFER(s->f)));
  s->loaded = true, s->loaded_at = t;
}

static void launch_loads(shell_device *s, double t, double h, vvi_buffer *p)
{
  loads_at(s, t);
  vvi_device_launch(s->d, s->kick_loads, groups_for(s->nodes, 128), 128,
                    VVI_ARGUMENTS(VVI_NUMBER(s->nodes), VVI_BUFFER(s->mass), VVI_NUMBER(s->stride),
                                  VVI_NUMBER(s->column), VVI_NUMBER(h), VVI_BUFFER(s->f), VVI_BUFFER(p)));
}

/* ---- what the table asks for ---- */

static void device_up(void *own, const double *q, const double *p)
{
  shell_device *s = own;
  flush(s);
  const size_t bytes = sizeof(double) * (size_t)(3 * s->b->column);
  if (q != NULL) {
    vvi_buffer_write(s->d, s->q, 0, bytes, q);
    if (s->b->z_reals > 0) vvi_buffer_write(s->d, s->z, 0, sizeof(double) * (size_t)s->b->z_reals, q + s->b->z0);
    forget(s);
  }
  if (p != NULL) vvi_buffer_write(s->d, s->p, 0, bytes, p);
}

static void device_down(void *own, double *q, double *p)
{
  shell_device *s = own;
  flush(s);
  const size_t bytes = sizeof(double) * (size_t)(3 * s->b->column);
  if (q != NULL) vvi_buffer_read(s->d, s->q, 0, bytes, q);
  if (q != NULL && s->b->z_reals > 0)
    vvi_buffer_read(s->d, s->z, 0, sizeof(double) * (size_t)s->b->z_reals, q + s->b->z0);
  if (p != NULL) vvi_buffer_read(s->d, s->p, 0, bytes, p);
}

static void device_kick(void *own, double t, double h)
{
  shell_device *s = own;
  flush(s);
  if (s->b->n_load == 0 && s->b->z_reals == 0) {
    s->waits = true, s->waits_h = h, s->waits_note = -1;
    return;
  }
  gradient(s, true);
  launch_kick(s, h, 0.0, 0, s->p);
  if (s->b->n_load > 0) launch_loads(s, t, h, s->p);
}

static void device_drift(void *own, double h)
{
  shell_device *s = own;
  flush(s);
  vvi_device_launch(s->d, s->drift, groups_for(s->nodes, 128), 128,
                    VVI_ARGUMENTS(VVI_NUMBER(s->nodes), VVI_BUFFER(s->mass), VVI_NUMBER(s->stride),
                                  VVI_NUMBER(s->column), VVI_NUMBER(h), VVI_BUFFER(s->q), VVI_BUFFER(s->p)));
  forget(s);
}

/* kick(h/2), then drift(h), in one pass over the nodes where the gradient is known. */
static void device_leap(void *own, double t, double h)
{
  shell_device *s = own;
  (void)t;
  if (s->waits && s->waits_h == 0.5 * h) {
    flush_into(s, h);
    return;
  }
  flush(s);
  gradient(s, false);
  launch_kick(s, 0.5 * h, h, 0, s->p);
  forget(s);
}

static void device_stride(void *own, double h)
{
  shell_device *s = own;
  flush(s);
  launch_force(s, h, STRIDE, false);
  launch_join(s, h, STRIDE);
  forget(s);
}

static void force_to(shell_device *s, double t, vvi_buffer *f)
{
  gradient(s, false);
  launch_kick(s, 1.0, 0.0, 1, f);
  if (s->b->n_load > 0) launch_loads(s, t, 1.0, f);
}

/* q: NULL, as it is there. */
static void device_force(void *own, double t, const double *q, double *f)
{
  shell_device *s = own;
  flush(s);
  if (q != NULL) device_up(s, q, NULL);
  force_to(s, t, s->p);
  device_down(s, NULL, f);
}

/* Losses of the flows that wait come down, and are booked one after the other. */
static void device_settle(void *own, vv_posted *post)
{
  shell_device *s = own;
  const int64_t n = SHELL_LOSSES * shell_plan_of(s->b)->tiles;
  if (s->losses == 0) return;
  vvi_buffer_read(s->d, s->loss, 0, sizeof(double) * (size_t)(n * s->losses), s->lost);
  for (int i = 0; i < s->losses; i++) {
    for (int64_t t = 0; t < shell_plan_of(s->b)->tiles; t++)
      memcpy(s->part + SHELL_SUMS * t, s->lost + n * i + SHELL_LOSSES * t, SHELL_LOSSES * sizeof *s->part);
    shell_losses_post(s->b, s->part, post);
  }
  s->losses = 0;
}

static void device_flow(void *own, double h, vv_posted *post)
{
  shell_device *s = own;
  flush(s);
  launch_sheets(s, h);
  if (++s->losses == LOSS_ROWS) device_settle(s, post);
}

/* Sums over all tiles, as shell_sum_tiles, of so many rows: without rounding, so that it does not matter who adds them. */
static void launch_exact(shell_device *s, vvi_buffer *total, int rows, int32_t n, vvi_buffer *sums)
{
  const int32_t tiles = (int32_t)shell_plan_of(s->b)->tiles;
  int items = 64; /* each with an accumulator in local memory */
  while (items > 1 && 8 * EXACT_ROW * items > vvi_device_local_bytes(s->d) - 64) items /= 2;
  vvi_device_launch(s->d, s->exact, (int64_t)rows * n, items,
                    VVI_ARGUMENTS(VVI_NUMBER(tiles), VVI_NUMBER(n), VVI_BUFFER(total), VVI_BUFFER(sums),
                                  VVI_LOCAL(sizeof(int64_t) * (size_t)(EXACT_ROW * items))));
}

static void round_sums(const int64_t (*digit)[EXACT_ROW], int n, double *out)
{
  for (int k = 0; k < n; k++) {
    vvi_exact sum = {.plus = digit[k][VVI_EXACT_DIGITS],
                     .minus = digit[k][VVI_EXACT_DIGITS + 1],
                     .nan = digit[k][VVI_EXACT_DIGITS + 2],
                     .waiting = 1};
    memcpy(sum.digit, digit[k], sizeof sum.digit);
    out[k] = vvi_exact_value(&sum);
  }
}

static void add_tiles(shell_device *s, vvi_buffer *total, int n, double *out)
{
  int64_t digit[SHELL_SUMS][EXACT_ROW] = {{0}};
  launch_exact(s, total, 1, n, s->sums);
  vvi_buffer_read(s->d, s->sums, 0, sizeof *digit * (size_t)n, digit);
  round_sums((const int64_t(*)[EXACT_ROW])digit, n, out);
}

/* As shell_viscous; what was booked goes the same way. */
static void device_viscous(void *own, double h, vv_posted *post)
{
  shell_device *s = own;
  flush(s);
  const vv_block *b = s->b;
  const int32_t tiles = (int32_t)shell_plan_of(b)->tiles;
  double sum[SHELL_FADED];
  device_settle(s, post); /* branches book in the same column: in the order of time */
  for (int i = 0; i < b->n_body; i++) {
    const double keep = exp(-shell_of(b, i)->damping.mass * h);
    vvi_buffer_write(s->d, s->keep, sizeof keep * (size_t)i, sizeof keep, &keep);
  }
  vvi_device_launch(s->d, s->fade, tiles, 64,
                    VVI_ARGUMENTS(VVI_BUFFER(s->tile), VVI_BUFFER(s->table), VVI_BUFFER(s->keep), VVI_BUFFER(s->mass),
                                  VVI_NUMBER(s->stride), VVI_NUMBER(s->column), VVI_BUFFER(s->q), VVI_BUFFER(s->p),
                                  VVI_BUFFER(s->total)));
  add_tiles(s, s->total, SHELL_FADED, sum);
  s->counted = false; /* strain energies were there */
  shell_faded(sum, post);
}

static void device_note(void *own, int slot)
{
  shell_device *s = own;
  if (s->waits && s->waits_note < 0) {
    s->waits_note = slot;
    return;
  }
  flush(s);
  if (!s->counted) s->known = false;
  gradient(s, true);
  launch_close(s, false, 0.0, slot, 0.0);
}

static void device_noted(void *own, int n)
{
  shell_device *s = own;
  flush(s);
  launch_exact(s, s->notes, n, SHELL_SUMS, s->slots_of_sums);
  memset(s->noted, 0, sizeof s->noted);
  vvi_buffer_read(s->d, s->slots_of_sums, 0, sizeof *s->noted * (size_t)n, s->noted);
}

static void device_totals(const void *own, int slot, vv_totals *sum)
{
  const shell_device *s = own;
  double all[SHELL_SUMS];
  round_sums((const int64_t(*)[EXACT_ROW])s->noted[slot], SHELL_SUMS, all);
  sum->kinetic += all[0], sum->strain += all[1], sum->potential += all[2];
  sum->p_abs += all[3], sum->L_abs += all[4];
  for (int c = 0; c < 3; c++) sum->p[c] += all[5 + c], sum->L[c] += all[8 + c];
}

static void device_keep(void *own)
{
  shell_device *s = own;
  flush(s);
  const size_t bytes = sizeof(double) * (size_t)(3 * s->b->column);
  if (s->aside == NULL) s->aside = vvi_buffer_new(s->d, 2 * bytes, NULL);
  if (vvi_device_trouble(s->d) != NULL) return;
  vvi_buffer_copy(s->d, s->q, 0, s->aside, 0, bytes), vvi_buffer_copy(s->d, s->p, 0, s->aside, bytes, bytes);
}

static void device_back(void *own)
{
  shell_device *s = own;
  flush(s);
  const size_t bytes = sizeof(double) * (size_t)(3 * s->b->column);
  vvi_buffer_copy(s->d, s->aside, 0, s->q, 0, bytes), vvi_buffer_copy(s->d, s->aside, bytes, s->p, 0, bytes);
  forget(s);
}

/* What comes from outside in one kick; as shell_post. */
static void post_some(shell_device *s, int32_t of, double h, vv_posted *post)
{
  const int32_t tiles = (int32_t)shell_plan_of(s->b)->tiles;
  double sum[SHELL_BOOKED];
  vvi_device_launch(s->d, s->book, tiles, 64,
                    VVI_ARGUMENTS(VVI_NUMBER(of), VVI_NUMBER(h), VVI_BUFFER(s->tile), VVI_BUFFER(s->table),
                                  VVI_BUFFER(s->mass), VVI_NUMBER(s->stride), VVI_NUMBER(s->column),
                                  VVI_NUMBER(s->slots), VVI_NUMBER(s->gravity), VVI_BUFFER(s->slot), VVI_BUFFER(s->f),
                                  VVI_BUFFER(s->q), VVI_BUFFER(s->p), VVI_BUFFER(s->booked),
                                  VVI_LOCAL(64 * sizeof(double))));
  add_tiles(s, s->booked, SHELL_BOOKED, sum);
  shell_book(sum, of == OF_LOADS, post);
}

static void device_post(void *own, double t, double h, vv_posted *post)
{
  shell_device *s = own;
  flush(s);
  if (vvi_norm3(s->b->gravity) > 0.0) post_some(s, OF_GRAVITY, h, post);
  if (shell_plan_of(s->b)->held > 0) {
    gradient(s, false);
    post_some(s, OF_SUPPORTS, h, post);
  }
  if (s->b->n_load > 0) {
    loads_at(s, t);
    post_some(s, OF_LOADS, h, post);
  }
}

/* ---- what stays while the processor answers contacts ---- */

static void device_strips(void *own, int64_t n, const int32_t *strip)
{
  shell_device *s = own;
  build(s, "\n", "", vvi_text_shell_some);
  s->push = vvi_device_kernel(s->d, "push_nodes"), s->extents = vvi_device_kernel(s->d, "extents");
  s->bring_some = vvi_device_kernel(s->d, "bring_nodes"), s->give_some = vvi_device_kernel(s->d, "give_nodes");
  s->pull = vvi_buffer_new(s->d, sizeof(double) * (size_t)(3 * s->b->column), NULL);
  s->strips = (int32_t)n;
  s->strip = vvi_buffer_new(s->d, sizeof *strip * (size_t)(2 * n), strip);
  s->box = vvi_buffer_new(s->d, sizeof(double) * (size_t)(6 * n), NULL);
}

static void device_press(void *own, double t)
{
  shell_device *s = own;
  flush(s);
  force_to(s, t, s->pull);
}

static void device_push(void *own, double h)
{
  shell_device *s = own;
  flush(s);
  vvi_device_launch(
      s->d, s->push, groups_for(s->nodes, 128), 128,
      VVI_ARGUMENTS(VVI_NUMBER(s->nodes), VVI_NUMBER(s->column), VVI_NUMBER(h), VVI_BUFFER(s->pull), VVI_BUFFER(s->p)));
}

static void device_extents(void *own, double h, double *box)
{
  shell_device *s = own;
  flush(s);
  vvi_device_launch(s->d, s->extents, s->strips, STRIP,
                    VVI_ARGUMENTS(VVI_BUFFER(s->strip), VVI_BUFFER(s->mass), VVI_NUMBER(s->stride),
                                  VVI_NUMBER(s->column), VVI_NUMBER(h), VVI_BUFFER(s->p), VVI_BUFFER(s->pull),
                                  VVI_BUFFER(s->box), VVI_LOCAL(6 * STRIP * sizeof(double))));
  vvi_buffer_read(s->d, s->box, 0, 6 * sizeof *box * (size_t)s->strips, box);
}

/* Room for rows of n nodes, which are named.  Grows by doubling; never more than all of them. */
static bool name_some(shell_device *s, int64_t n, const int32_t *node)
{
  if (n > s->most_some) {
    const int64_t room = 2 * n + 1024 < s->nodes ? 2 * n + 1024 : larger(n, s->nodes);
    vvi_buffer_free(s->d, s->some), vvi_buffer_free(s->d, s->rows);
    free(s->down);
    s->some = vvi_buffer_new(s->d, sizeof *node * (size_t)room, NULL);
    s->rows = vvi_buffer_new(s->d, NODE_ROW * sizeof(double) * (size_t)room, NULL);
    s->down = malloc(NODE_ROW * sizeof(double) * (size_t)room);
    s->most_some = s->down != NULL ? room : 0;
    if (s->down == NULL) vvi_device_fail(s->d, "out of memory");
  }
  vvi_buffer_write(s->d, s->some, 0, sizeof *node * (size_t)n, node);
  return vvi_device_trouble(s->d) == NULL;
}

static void device_bring(void *own, int64_t n, const int32_t *node, double *q, double *p, double *f)
{
  shell_device *s = own;
  flush(s);
  const int32_t count = (int32_t)n;
  double *const to[3] = {q, p, f};
  if (n == 0 || !name_some(s, n, node)) return;
  vvi_device_launch(s->d, s->bring_some, groups_for(n, 128), 128,
                    VVI_ARGUMENTS(VVI_NUMBER(count), VVI_BUFFER(s->some), VVI_NUMBER(s->column), VVI_BUFFER(s->q),
                                  VVI_BUFFER(s->p), VVI_BUFFER(s->pull), VVI_BUFFER(s->rows)));
  vvi_buffer_read(s->d, s->rows, 0, NODE_ROW * sizeof(double) * (size_t)n, s->down);
  for (int c = 0; c < NODE_ROW && vvi_device_trouble(s->d) == NULL; c++)
    for (int64_t i = 0; i < n; i++) to[c / 3][c % 3 * s->b->column + node[i]] = s->down[c * n + i];
}

static void device_give(void *own, int64_t n, const int32_t *node, const double *p)
{
  shell_device *s = own;
  flush(s);
  const int32_t count = (int32_t)n;
  if (n == 0 || !name_some(s, n, node)) return;
  for (int c = 0; c < 3; c++)
    for (int64_t i = 0; i < n; i++) s->down[c * n + i] = p[c * s->b->column + node[i]];
  vvi_buffer_write(s->d, s->rows, 0, 3 * sizeof(double) * (size_t)n, s->down);
  vvi_device_launch(s->d, s->give_some, groups_for(n, 128), 128,
                    VVI_ARGUMENTS(VVI_NUMBER(count), VVI_BUFFER(s->some), VVI_NUMBER(s->column), VVI_BUFFER(s->rows),
                                  VVI_BUFFER(s->p)));
}

const vv_device_table shell_device_table = {
    .refuse = device_refuse,
    .open = device_open,
    .close = device_close,
    .up = device_up,
    .down = device_down,
    .kick = device_kick,
    .drift = device_drift,
    .leap = device_leap,
    .stride = device_stride,
    .post = device_post,
    .force = device_force,
    .note = device_note,
    .noted = device_noted,
    .totals = device_totals,
    .keep = device_keep,
    .back = device_back,
    .flow = device_flow,
    .settle = device_settle,
    .viscous = device_viscous,
    .strips = device_strips,
    .press = device_press,
    .push = device_push,
    .extents = device_extents,
    .bring = device_bring,
    .give = device_give,
};
