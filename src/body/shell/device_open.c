/* body/shell/device_open.c  Shells on an accelerator: what is sent there, and the kernels that are compiled for it.  They are in common.cl,
 * force.cl, nodes.cl, flow.cl, loads.cl, some.cl and exact.cl; columns.h, formulas.h, moves.h and far.h are compiled as they are. */
#include "body/shell/device_inside.h"

#include <stdlib.h>
#include <string.h>

extern const char vvi_text_shell_common[], vvi_text_shell_move[], vvi_text_shell_force[], vvi_text_shell_nodes[],
    vvi_text_shell_loads[], vvi_text_shell_columns[], vvi_text_shell_formulas[], vvi_text_shell_moves[],
    vvi_text_shell_far[], vvi_text_shell_some[], vvi_text_shell_exact[], vvi_text_shell_exact_add[],
    vvi_text_shell_flow[], vvi_text_shell_inner[], vvi_text_shell_points[], vvi_text_shell_laws[],
    vvi_text_shell_return_lanes[];

/* Items of a group: one for each pair of a tile, at most.  Registers of an item; measured. */
enum { REGISTERS = 128, ITEMS = 256 };

/* Up to so many tiles one launch a step is better than two.  On the H200 it saves 4 us of 392 tiles and loses 11 of 3,916, since every
 * tile moves its halo, too: a straight line between the two is 0 at 1,400. */
enum { LATE_TILES = 1400 };

static vvi_buffer *send(vvi_device *d, const shell_series *c)
{
  return vvi_buffer_new(d, c->size * c->n, c->at);
}

int shell_device_items(const shell_device *s, int64_t pairs)
{
  const int most = vvi_device_most_items(s->d) < ITEMS ? vvi_device_most_items(s->d) : ITEMS;
  const int64_t need = (shell_larger(pairs, 1) + SLICE - 1) / SLICE * SLICE;
  return need < most ? (int)need : most;
}

/* Which kernel works on a tile: does it fit into local memory? */
static int sort_of(const shell_device *s, const int32_t *t, const int32_t *T)
{
  const int64_t most = vvi_device_local_bytes(s->d) / (int64_t)sizeof(double) - 16;
  const shell_body *k = shell_of(s->b, t[TILE_BODY]);
  const int items = shell_device_items(s, ITEMS), law = k->columns > 0.0 ? SHEET : k->law == SHELL_STVK ? STVK : NEO;
  const int far = law == SHEET ? SHEET_FAR : FAR;
  if (T[T_PAIRS] > items || T[T_SINGLES] > items) return far;
  if (shell_tile_room(T, s->pairs, true) <= most) return law;
  return shell_tile_room(T, s->pairs, false) <= most ? STVK_ROUNDS + law : far;
}

/* Where the internal variables of tile i are, its stresses, and its room while it flows. */
static void place_sheet(shell_device *s, int64_t i, const int32_t *T, int32_t *t)
{
  const int64_t z = shell_plan_of(s->b)->tile[i].z - s->b->z0;
  t[TILE_Z] = (int32_t)z, t[TILE_CELL] = (int32_t)(s->kept_reals / SHEET_REALS), t[TILE_SHEET] = (int32_t)s->room_reals;
  s->kept_reals += SHEET_REALS * (int64_t)T[T_CELLS];
  s->room_reals += 6 * ((int64_t)T[T_OWN] + T[T_HALO] + T[T_GHOSTS]) + (2 + SHELL_LOSSES) * (int64_t)T[T_CELLS];
  if (shell_larger(z, shell_larger(s->kept_reals, s->room_reals)) > INT32_MAX - (1 << 24))
    vvi_device_fail(s->d, "the mesh is too large for it");
}

static void sort_tiles(shell_device *s, shell_tables *w)
{
  enum { ROW = TILE_COLUMNS + T_COLUMNS };
  const int64_t n = (int64_t)w->tile.n / TILE_COLUMNS;
  int32_t *row = malloc(sizeof *row * (size_t)(ROW * n + 1)), *sort = malloc(2 * sizeof *sort * (size_t)(n + 1));
  int64_t scratch = 0;
  if (row == NULL || sort == NULL) vvi_device_fail(s->d, "out of memory");
  s->sort_of = sort, s->place_of = sort != NULL ? sort + n : NULL;
  for (int64_t i = 0; vvi_device_trouble(s->d) == NULL && i < n; i++) {
    int32_t *t = (int32_t *)(void *)w->tile.at + TILE_COLUMNS * i;
    const int32_t *T = (const int32_t *)(const void *)w->table.at + (int64_t)T_COLUMNS * t[TILE_TABLE];
    const int k = sort[i] = sort_of(s, t, T);
    t[TILE_NUMBER] = (int32_t)i, s->place_of[i] = (int32_t)s->tiles[k];
    if (k % STVK_ROUNDS == SHEET || k == SHEET_FAR) place_sheet(s, shell_tile_here(shell_plan_of(s->b), i), T, t);
    s->tiles[k]++;
    s->items[k] = (int)shell_larger(s->items[k], shell_device_items(s, shell_larger(T[T_PAIRS], T[T_SINGLES])));
    if (k < FAR)
      s->local[k] = (size_t)shell_larger((int64_t)s->local[k], 8 * (shell_tile_room(T, s->pairs, k < STVK_ROUNDS) + 1));
    if (k < FAR) continue;
    t[TILE_SCRATCH] = (int32_t)scratch;
    scratch += shell_tile_room(T, s->pairs, false) + 24 * (int64_t)T[T_PAIRS];
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
  free(row);
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
static void send_sheets(shell_device *s, const shell_tables *w)
{
  const vv_block *b = s->b;
  const size_t row = sizeof(double) * (size_t)(SHELL_LOSSES * s->all_tiles);
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

/* Strides that move shared nodes late go from one set of columns to another. */
static void send_late(shell_device *s)
{
  /* what flows looks at the places behind every stride, and so do other ranks; of many tiles a launch is a small part */
  if (s->b->z_reals > 0 || s->share != NULL || s->all_tiles > LATE_TILES) return;
  s->next_q = vvi_buffer_new(s->d, sizeof(double) * (size_t)(3 * s->b->column), NULL);
  s->next_p = vvi_buffer_new(s->d, sizeof(double) * (size_t)(3 * s->b->column), NULL);
  s->next_slot = vvi_buffer_new(s->d, sizeof(double) * (size_t)(3 * shell_plan_of(s->b)->slots), NULL);
}

/* Rows that travel between ranks, and room for them. */
static void send_exchange(shell_device *s, const shell_exchange *e, shell_halo *out)
{
  const int64_t n = e->roots + e->leaves;
  int32_t *row = malloc(sizeof *row * (size_t)(n + 1)), *leaf = row + e->roots;
  if (row == NULL) vvi_device_fail(s->d, "out of memory");
  for (int32_t i = 0; row != NULL && i < e->roots; i++) row[i] = (int32_t)e->root[i];
  for (int32_t i = 0; row != NULL && i < e->leaves; i++) leaf[i] = (int32_t)e->leaf[i];
  out->exchange = e;
  out->root = vvi_buffer_new(s->d, sizeof *row * (size_t)e->roots, row);
  out->leaf = vvi_buffer_new(s->d, sizeof *row * (size_t)e->leaves, leaf);
  free(row);
}

static void send_exchanges(shell_device *s)
{
  const shell_exchange *x = &s->share->places, *f = &s->share->forces;
  const int64_t most = shell_larger(shell_larger(x->roots, x->leaves), shell_larger(f->roots, f->leaves));
  send_exchange(s, x, &s->places), send_exchange(s, f, &s->forces);
  s->travels = vvi_buffer_new(s->d, 6 * sizeof(double) * (size_t)most, NULL);
  if (s->b->n_load > 0 && (s->whole_q = calloc((size_t)(3 * s->b->column), sizeof(double))) == NULL)
    vvi_device_fail(s->d, "out of memory");
}

static void send_all(shell_device *s, shell_tables *w)
{
  const vv_block *b = s->b;
  const shell_plan *plan = b->plan;
  vvi_device *d = s->d;
  sort_tiles(s, w);
  s->tile = send(d, &w->tile), s->table = send(d, &w->table), s->halo = send(d, &w->halo), s->at = send(d, &w->at);
  s->rest = send(d, &w->rest), s->one = send(d, &w->one), s->weight = send(d, &w->weight);
  s->slice = send(d, &w->slice), s->list = send(d, &w->list), s->ghost_int = send(d, &w->ghost_int);
  s->ghost_real = send(d, &w->ghost_real), s->give = send(d, &w->give), s->shared = send(d, &w->shared);
  s->other = send(d, &w->other), s->own_slot = send(d, &w->own_slot), s->halo_row = send(d, &w->halo_row);
  s->shareds = (int32_t)(w->shared.n / (4 + SHARED_OTHERS));
  send_bodies(s);
  s->mass = vvi_buffer_new(d, sizeof(double) * (size_t)(2 * b->stride), shell_node(b, SHELL_MASS));
  s->q = vvi_buffer_new(d, sizeof(double) * (size_t)(3 * b->column), NULL);
  s->p = vvi_buffer_new(d, sizeof(double) * (size_t)(3 * b->column), NULL);
  s->slot = vvi_buffer_new(d, sizeof(double) * (size_t)(3 * plan->slots), NULL);
  send_late(s);
  if (s->share != NULL) send_exchanges(s);
  s->total = vvi_buffer_new(d, sizeof(double) * (size_t)(SHELL_SUMS * s->all_tiles), NULL);
  s->booked = vvi_buffer_new(d, b->booked ? sizeof(double) * (size_t)(SHELL_SUMS * s->all_tiles) : 0, NULL);
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

void shell_device_build(shell_device *s, const char *first, const char *second, const char *body_text)
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
    most = (int)shell_larger(most, (int64_t)k->points), columns = (int)shell_larger(columns, (int64_t)k->lane_columns);
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
  s->notes = vvi_buffer_new(s->d, sizeof(double) * VV_DEVICE_SLOTS * SHELL_SUMS * (size_t)s->all_tiles, NULL);
}

static void build_all(shell_device *s)
{
  if (s->b->z_reals > 0 || s->b->viscous) build_sheets(s);
  for (int i = 0; i < KERNELS; i++) {
    if (s->tiles[i % SORTS] == 0) continue;
    shell_device_build(s, before[i % SORTS], i < SORTS ? "#define ENERGY 0\n" : "#define ENERGY 1\n",
                       vvi_text_shell_force);
    s->force[i] = vvi_device_kernel(s->d, "force");
    if (i < FAR) s->fly_force[i] = vvi_device_kernel(s->d, "force");
    if (i >= SORTS || s->next_q == NULL) continue;
    shell_device_build(s, before[i], "#define ENERGY 0\n#define LATE 1\n", vvi_text_shell_force);
    s->late[i] = vvi_device_kernel(s->d, "force");
  }
  shell_device_build(s, "\n", "", vvi_text_shell_nodes);
  s->join = vvi_device_kernel(s->d, "join"), s->kick = vvi_device_kernel(s->d, "kick_nodes");
  s->drift = vvi_device_kernel(s->d, "drift_nodes"), s->close = vvi_device_kernel(s->d, "close_step");
  s->press = vvi_device_kernel(s->d, "press_nodes");
  s->pack = vvi_device_kernel(s->d, "pack_rows"), s->unpack = vvi_device_kernel(s->d, "unpack_rows");
  build_exact(s);
  if (!s->b->booked) return;
  shell_device_build(s, "\n", "", vvi_text_shell_loads);
  s->book = vvi_device_kernel(s->d, "book");
  if (s->b->n_load == 0) return;
  s->limits = vvi_device_kernel(s->d, "limits"), s->clear_forces = vvi_device_kernel(s->d, "clear_forces");
  s->point_load = vvi_device_kernel(s->d, "point_load"), s->pressure = vvi_device_kernel(s->d, "pressure");
  s->give_loads = vvi_device_kernel(s->d, "give_loads"), s->kick_loads = vvi_device_kernel(s->d, "kick_loads");
}

/* Nodes of this rank, from the first to the last; the same of internal variables. */
static void find_range(shell_device *s)
{
  const vv_block *b = s->b;
  const shell_plan *plan = b->plan;
  s->nodes = (int32_t)b->nodes, s->z_reals = b->z_reals;
  if (s->share == NULL) return;
  const vv_span *last = &b->span[b->spans - 1];
  s->node0 = (int32_t)b->span[0].first, s->nodes = (int32_t)(last->first + last->n), s->z_reals = 0;
  if (b->z_reals == 0 || s->all_tiles == 0) return;
  const shell_tile *t = &plan->tile[s->share->tile[0]];
  const int64_t next = s->share->tile[s->all_tiles - 1] + 1;
  s->z0 = t->z - b->z0;
  s->z_reals = (next < plan->tiles ? plan->tile[next].z - b->z0 : b->z_reals) - s->z0;
}

void *shell_device_open(const vv_block *b, struct vvi_device *d)
{
  shell_device *s = calloc(1, sizeof *s);
  shell_tables w = {.full = false};
  if (s == NULL) return NULL;
  *s = (shell_device){.b = b,
                      .d = d,
                      .share = shell_plan_of(b)->share,
                      .all_tiles = (int32_t)shell_tiles_here(shell_plan_of(b)),
                      .stride = (int32_t)b->stride,
                      .column = (int32_t)b->column,
                      .slots = (int32_t)shell_plan_of(b)->slots,
                      .gravity = vvi_double4_of(b->gravity)};
  vvi_device_addresses(d, b->stride), vvi_device_addresses(d, b->column);
  find_range(s);
  shell_tables_write(&w, b->plan);
  if (w.full)
    vvi_device_fail(d, "the tables of the mesh are too large");
  else {
    s->pairs = w.pairs;
    snprintf(s->told, sizeof s->told, "#define PAIRS %d\n#define GHOSTS %d\n", w.pairs, w.ghosts);
    send_all(s, &w), build_all(s);
  }
  shell_tables_free(&w);
  return s;
}

void shell_device_close(void *own)
{
  shell_device *s = own;
  shell_fly_free(s);
  free(s->part), free(s->lost), free(s->whole_q), free(s->down), free(s->named), free(s->told_back), free(s->sort_of),
      free(s->spots), free(s->referred), free(s->guessed);
  free(s); /* buffers go with the device */
}

const char *shell_device_refuse(const vv_block *b)
{
  for (int i = 0; i < b->n_body; i++)
    if (shell_can_break(shell_of(b, i))) return "shells that break";
  return NULL;
}
