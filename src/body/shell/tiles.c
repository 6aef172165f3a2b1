/* body/shell/tiles.c  One mesh cut into tiles: classes of triangles, pairs, groups of eight, local nodes, slots.
 *
 * The triangles of a mesh come in the order of recursive bisection, so `size` of them in a row are a tile, and the nodes
 * that a tile owns follow each other.  Regular triangles that share an edge make pairs (geom/mesh/pairs.c), which tiles do not part, four pairs make a
 * group; the others are grouped by class.  All lists are fixed here, once: the sweep only follows them. */
#include "body/shell/shell.h"

#include "geom/mesh.h"
#include "math/math.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A triangle turned so that its class has the largest valences first. */
typedef struct shell_turned {
  int corner[3], valence[3];
  int cls;
} shell_turned;

typedef struct cutter {
  vvi_arena *arena, scratch; /* what stays, what goes */
  const shell_net *net;
  int size, pieces, threads;
  shell_cut *cut;
  int room; /* classes */
  char *why;
} cutter;

/* What a thread needs to make the tiles that it gets, which follow each other. */
typedef struct knife {
  const shell_net *net;
  shell_cut *cut;
  vvi_arena *arena, own, scratch; /* what stays: in the model's, or its own; what goes */
  int *local;                     /* [nodes + ghosts] within the tile that is made, from 1; 0: not there */
  int *list, listed;              /* halo nodes and ghosts of this tile, as found */
  shell_turned *turned;           /* [size] */
  int *mate;                      /* [size] partner in a pair; -1: none */
  shell_group *group;             /* [size] of this tile, as they come */
  vv_status status;
  char why[VVI_MESH_WHY];
} knife;

static vv_status no_memory(int triangles, char *why)
{
  snprintf(why, VVI_MESH_WHY, "out of memory for %d triangles", triangles);
  return VV_NOMEM;
}

static vv_status out_of_memory(const cutter *w)
{
  return no_memory(w->net->triangles, w->why);
}

static vv_status knife_memory(knife *w)
{
  return no_memory(w->net->triangles, w->why);
}

/* ---- classes ---- */

static int ring_size(const shell_net *net, int node)
{
  return net->first[node + 1] - net->first[node];
}

double shell_irregular_share(const shell_net *net)
{
  int64_t odd = 0;
#pragma omp parallel for schedule(static) reduction(+ : odd) if (net->triangles > SHELL_MANY)
  for (int t = 0; t < net->triangles; t++) {
    const int *v = net->triangle + 3 * (int64_t)t;
    odd += ring_size(net, v[0]) != 6 || ring_size(net, v[1]) != 6 || ring_size(net, v[2]) != 6;
  }
  return (double)odd / net->triangles;
}

static shell_turned turn_by(const shell_net *net, int triangle, int by)
{
  shell_turned t = {.cls = -1};
  for (int i = 0; i < 3; i++) {
    t.corner[i] = net->triangle[3 * (int64_t)triangle + (i + by) % 3];
    t.valence[i] = ring_size(net, t.corner[i]);
  }
  return t;
}

static bool is_larger(const int a[3], const int b[3])
{
  for (int i = 0; i < 3; i++)
    if (a[i] != b[i]) return a[i] > b[i];
  return false;
}

static bool is_regular(const shell_turned *t)
{
  return t->valence[0] == 6 && t->valence[1] == 6 && t->valence[2] == 6;
}

static int class_find(const shell_cut *cut, const int valence[3])
{
  for (int i = 0; i < cut->classes; i++)
    if (memcmp(cut->cls[i].valence, valence, sizeof cut->cls[i].valence) == 0) return i;
  return -1;
}

static vv_status class_add(cutter *w, const shell_turned *t)
{
  const int n = shell_patch_size(t->valence);
  if (n == 0) {
    snprintf(
        w->why, VVI_MESH_WHY,
        "the triangle between nodes %d, %d and %d has corners with %d, %d and %d neighbours; a shell takes at least 3 "
        "(not three times) and up to %d together: cut long fans, or use a finer mesh",
        t->corner[0], t->corner[1], t->corner[2], t->valence[0], t->valence[1], t->valence[2], SHELL_MOST_NODES + 6);
    return VV_SCENE;
  }
  if (w->cut->classes == w->room) {
    const int room = 2 * w->room + 32;
    shell_class *more = VVI_ARENA_NEW(w->arena, shell_class, room);
    if (more == NULL) return out_of_memory(w);
    if (w->room > 0) memcpy(more, w->cut->cls, sizeof *more * (size_t)w->room);
    w->cut->cls = more, w->room = room;
  }
  shell_class *c = &w->cut->cls[w->cut->classes++];
  memcpy(c->valence, t->valence, sizeof c->valence);
  c->nodes = n;
  c->weight = vvi_arena_alloc(w->arena, sizeof *c->weight * (size_t)n);
  if (c->weight == NULL) return out_of_memory(w);
  shell_weights(c->valence, c->weight);
  return VV_OK;
}

static shell_turned largest_first(const shell_net *net, int triangle)
{
  shell_turned out = turn_by(net, triangle, 0);
  for (int by = 1; by < 3; by++) {
    const shell_turned t = turn_by(net, triangle, by);
    if (is_larger(t.valence, out.valence)) out = t;
  }
  return out;
}

/* In the order in which triangles show them. */
static vv_status find_classes(cutter *w)
{
  bool regular = false;
  for (int i = 0; i < w->net->triangles; i++) {
    const shell_turned t = turn_by(w->net, i, 0);
    if (regular && is_regular(&t)) continue;
    const shell_turned turned = largest_first(w->net, i);
    if (class_find(w->cut, turned.valence) < 0) VV_TRY(class_add(w, &turned));
    regular = regular || is_regular(&t);
  }
  return VV_OK;
}

/* The patch of a triangle: nodes and ghosts of the net in the order of its class. */
static void patch_of(const shell_net *net, const shell_turned *t, int *out)
{
  int ring[3][SHELL_MOST_NODES + 6], corner[3];
  const int *list[3];
  for (int i = 0; i < 3; i++) {
    const int *around = net->ring + net->first[t->corner[i]], n = t->valence[i];
    int start = 0;
    corner[i] = net->stand[t->corner[i]];
    while (start < n && around[start] != net->stand[t->corner[(i + 1) % 3]]) start++;
    VV_ASSERT(start < n);
    for (int k = 0; k < n; k++) ring[i][k] = around[(start + k) % n];
    list[i] = ring[i];
  }
  shell_patch_nodes(t->valence, list, corner, out);
}

/* ---- pairs ---- */

/* Those of the mesh whose triangles are both in this tile, which starts at t0, and regular. */
static void match(knife *w, int t0, int n)
{
  for (int i = 0; i < n; i++) {
    const int j = w->net->mate[t0 + i] - t0;
    w->mate[i] = j >= 0 && j < n && is_regular(&w->turned[i]) && is_regular(&w->turned[j]) ? j : -1;
  }
}

/* Turns a triangle so that its side shared with `mate` is opposite to its first corner. */
static shell_turned turn_to(const knife *w, int triangle, int mate)
{
  int k = 0;
  while (w->net->neighbour[3 * (int64_t)triangle + k] != mate) k++;
  return turn_by(w->net, triangle, k);
}

/* ---- local nodes ---- */

static bool owns(const shell_tile *t, int node)
{
  return node >= t->own0 && node < t->own0 + t->own;
}

static void name_local(knife *w, const shell_tile *t, int node)
{
  if (owns(t, node) || w->local[node] > 0) return;
  w->local[node] = 1;
  w->list[w->listed++] = node;
}

static int ascending(const void *a, const void *b)
{
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static void touch(knife *w, shell_tile *t, int node)
{
  name_local(w, t, node);
  if (node < w->net->nodes) return;
  const shell_ghost *g = &w->net->ghost[node - w->net->nodes];
  for (int i = 0; i < g->count; i++) name_local(w, t, g->source[i]);
}

/* Halo nodes in ascending order, then the ghosts; their places in w->local. */
static vv_status number_locals(knife *w, shell_tile *t)
{
  qsort(w->list, (size_t)w->listed, sizeof *w->list, ascending);
  int32_t *halo = VVI_ARENA_NEW(&w->scratch, int32_t, w->listed + 1);
  if (halo == NULL) return knife_memory(w);
  for (int i = 0; i < w->listed; i++) {
    w->local[w->list[i]] = t->own + i + 1;
    if (w->list[i] < w->net->nodes) halo[t->halo++] = w->list[i];
  }
  t->halo_node = halo;
  t->ghosts = w->listed - t->halo;
  if (t->ghosts == 0) return VV_OK;
  shell_ghost *ghost = VVI_ARENA_NEW(w->arena, shell_ghost, t->ghosts);
  if (ghost == NULL) return knife_memory(w);
  for (int i = 0; i < t->ghosts; i++) ghost[i] = w->net->ghost[w->list[t->halo + i] - w->net->nodes];
  t->ghost = ghost;
  return VV_OK;
}

static int place_in(const knife *w, const shell_tile *t, int node)
{
  return owns(t, node) ? node - t->own0 : w->local[node] - 1;
}

/* ---- groups ---- */

typedef struct group_list {
  shell_group *group;
  int n;
  int elements; /* so far */
} group_list;

static shell_group *group_add(knife *w, group_list *l, int cls, int nodes, bool pair)
{
  shell_group *g = &l->group[l->n++];
  *g = (shell_group){.cls = cls, .pair = pair, .element = l->elements};
  g->at = VVI_ARENA_NEW(w->arena, uint16_t, pair ? SHELL_HALF * SHELL_PAIR : SHELL_GROUP * nodes);
  g->rest = VVI_ARENA_NEW(w->arena, double, SHELL_REFERENCE *SHELL_GROUP);
  return g->at == NULL || g->rest == NULL ? NULL : g;
}

static void put_corners(const knife *w, int64_t element, const shell_turned *t)
{
  memcpy(w->cut->triangle + 3 * element, t->corner, sizeof t->corner);
}

/* The 14 nodes of a pair: the patch of the first triangle, whose node i is node 13 - i of the second.          [shell 4] */
static void pair_nodes(const knife *w, const shell_tile *t, const shell_turned *one, const shell_turned *two,
                       uint16_t *at)
{
  int a[SHELL_MOST_NODES], b[SHELL_MOST_NODES], node[SHELL_PAIR];
  patch_of(w->net, one, a), patch_of(w->net, two, b);
  for (int i = 0; i < SHELL_REGULAR; i++) node[13 - shell_lattice[i]] = b[i];
  for (int i = 0; i < SHELL_REGULAR; i++) {
    VV_ASSERT(shell_lattice[i] < 2 || node[shell_lattice[i]] == a[i]);
    node[shell_lattice[i]] = a[i];
  }
  for (int i = 0; i < SHELL_PAIR; i++) at[i] = (uint16_t)(4 * place_in(w, t, node[i]));
}

static vv_status add_pairs(knife *w, const shell_tile *t, int t0, int n, group_list *l)
{
  for (int i = 0, k; i < n; i = k) {
    shell_turned two[SHELL_HALF];
    shell_group *g = NULL;
    int count = 0;
    for (k = i; k < n && count < SHELL_HALF; k++) {
      if (w->mate[k] < k) continue; /* none, or taken with its mate */
      if (g == NULL) g = group_add(w, l, w->turned[k].cls, SHELL_REGULAR, true);
      if (g == NULL) return knife_memory(w);
      const shell_turned one = turn_to(w, t0 + k, t0 + w->mate[k]);
      two[count] = turn_to(w, t0 + w->mate[k], t0 + k);
      pair_nodes(w, t, &one, &two[count], (uint16_t *)g->at + SHELL_PAIR * count);
      put_corners(w, t->element0 + l->elements + count, &one);
      count++;
    }
    for (int c = 0; c < count; c++) put_corners(w, t->element0 + l->elements + count + c, &two[c]);
    for (int c = count; g != NULL && c < SHELL_HALF; c++) /* empty lanes repeat the first pair */
      memcpy((uint16_t *)g->at + SHELL_PAIR * c, g->at, SHELL_PAIR * sizeof *g->at);
    if (g != NULL) g->count = (int16_t)(2 * count);
    l->elements += 2 * count;
  }
  return VV_OK;
}

static vv_status add_class(knife *w, const shell_tile *t, int cls, int n, group_list *l)
{
  const int nodes = w->cut->cls[cls].nodes;
  shell_group *g = NULL;
  for (int i = 0; i < n; i++) {
    if (w->mate[i] >= 0 || w->turned[i].cls != cls) continue;
    if (g == NULL) g = group_add(w, l, cls, nodes, false);
    if (g == NULL) return knife_memory(w);
    int patch[SHELL_MOST_NODES];
    patch_of(w->net, &w->turned[i], patch);
    for (int lane = g->count; lane < SHELL_GROUP; lane++) /* this one, and the empty lanes behind it */
      for (int k = 0; k < nodes; k++) ((uint16_t *)g->at)[lane * nodes + k] = (uint16_t)(4 * place_in(w, t, patch[k]));
    put_corners(w, t->element0 + l->elements++, &w->turned[i]);
    if (++g->count == SHELL_GROUP) g = NULL;
  }
  return VV_OK;
}

/* ---- one tile ---- */

/* Its nodes and elements are known. */
static vv_status make_tile(knife *w, shell_tile *t)
{
  const int t0 = (int)t->element0, n = t->elements;
  w->listed = 0;
  for (int i = 0; i < n; i++) {
    int patch[SHELL_MOST_NODES];
    w->turned[i] = largest_first(w->net, t0 + i);
    w->turned[i].cls = class_find(w->cut, w->turned[i].valence);
    patch_of(w->net, &w->turned[i], patch);
    for (int k = 0; k < w->cut->cls[w->turned[i].cls].nodes; k++) touch(w, t, patch[k]);
  }
  VV_TRY(number_locals(w, t));
  group_list l = {.group = w->group};
  match(w, t0, n);
  VV_TRY(add_pairs(w, t, t0, n, &l));
  for (int c = 0; c < w->cut->classes; c++) VV_TRY(add_class(w, t, c, n, &l));
  VV_ASSERT(l.elements == n);
  shell_ghost *ghost = (shell_ghost *)t->ghost;
  for (int i = 0; i < t->ghosts; i++)
    for (int k = 0; k < ghost[i].count; k++) ghost[i].source[k] = place_in(w, t, ghost[i].source[k]);
  for (int i = 0; i < w->listed; i++) w->local[w->list[i]] = 0;
  shell_group *group = VVI_ARENA_NEW(w->arena, shell_group, l.n);
  if (group == NULL) return knife_memory(w);
  memcpy(group, l.group, sizeof *group * (size_t)l.n);
  t->group = group, t->groups = l.n;
  if (shell_tile_nodes(t) <= SHELL_MOST_LOCAL) return VV_OK;
  snprintf(w->why, VVI_MESH_WHY, "%d triangles touch %d nodes: the mesh has too long fans", n, shell_tile_nodes(t));
  return VV_SCENE;
}

/* ---- nodes in several tiles ---- */

/* The halos of all tiles in one list, so that the tables of a tile follow those of the one before. */
static vv_status keep_halos(cutter *w)
{
  const int tiles = w->cut->tiles;
  int64_t *first = VVI_ARENA_NEW(&w->scratch, int64_t, tiles + 1);
  if (first == NULL) return out_of_memory(w);
  for (int i = 0; i < tiles; i++) first[i + 1] = first[i] + w->cut->tile[i].halo;
  int32_t *halo = VVI_ARENA_NEW(w->arena, int32_t, first[tiles] + 1);
  if (halo == NULL) return out_of_memory(w);
#pragma omp parallel for schedule(static) if (w->cut->nodes > SHELL_MANY)
  for (int i = 0; i < tiles; i++) {
    shell_tile *t = &w->cut->tile[i];
    t->halo_node = memcpy(halo + first[i], t->halo_node, sizeof *halo * (size_t)t->halo);
  }
  return VV_OK;
}

/* While it is found who shares what. */
typedef struct sharers {
  int *count;           /* [nodes] tiles that have it in their halo */
  int64_t *at;          /* [nodes] its next place in slot[] */
  int64_t *first, *row; /* [tiles + 1] of slot[], and of shared[], where those of a tile begin */
  int64_t *slot;
  shell_shared *shared;
} sharers;

static void count_sharers(const cutter *w, const sharers *s)
{
  const shell_cut *cut = w->cut;
#pragma omp parallel if (cut->nodes > SHELL_MANY)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < cut->tiles; i++)
      for (int k = 0; k < cut->tile[i].halo; k++) {
        const int node = cut->tile[i].halo_node[k];
#pragma omp atomic
        s->count[node]++;
      }
#pragma omp for schedule(static)
    for (int i = 0; i < cut->tiles; i++)
      for (int k = cut->tile[i].own0; k < cut->tile[i].own0 + cut->tile[i].own; k++)
        s->first[i + 1] += s->count[k], s->row[i + 1] += s->count[k] > 0;
  }
  for (int i = 0; i < cut->tiles; i++) s->first[i + 1] += s->first[i], s->row[i + 1] += s->row[i];
}

/* The nodes of a tile that others share, and where their slots will stand. */
static void list_shared(const sharers *s, int i, shell_tile *t)
{
  shell_shared *shared = s->shared + s->row[i];
  t->shared = shared, t->other_slot = s->slot + s->first[i], t->inner = t->own;
  int64_t at = 0;
  for (int k = 0; k < t->own; k++) {
    const int node = t->own0 + k, others = s->count[node];
    if (others == 0) continue;
    if (t->shareds == 0) t->inner = k;
    shared[t->shareds++] = (shell_shared){.local = k, .first = (int32_t)at, .others = others};
    s->at[node] = s->first[i] + at, at += others;
  }
}

/* A few. */
static void sort_slots(int64_t *list, int n)
{
  for (int i = 1; i < n; i++) {
    const int64_t v = list[i];
    int j = i;
    for (; j > 0 && list[j - 1] > v; j--) list[j] = list[j - 1];
    list[j] = v;
  }
}

/* Threads put slots down as they come; then those of a node are sorted, by tiles. */
static void put_slots(const cutter *w, const sharers *s)
{
  const shell_cut *cut = w->cut;
#pragma omp parallel if (cut->nodes > SHELL_MANY)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < cut->tiles; i++) list_shared(s, i, &cut->tile[i]);
#pragma omp for schedule(static)
    for (int i = 0; i < cut->tiles; i++)
      for (int k = 0; k < cut->tile[i].halo; k++) {
        const int node = cut->tile[i].halo_node[k];
        int64_t to;
#pragma omp atomic capture
        to = s->at[node]++;
        s->slot[to] = cut->tile[i].slot + cut->tile[i].own + k;
      }
#pragma omp for schedule(static)
    for (int i = 0; i < cut->tiles; i++)
      for (int64_t k = s->row[i]; k < s->row[i + 1]; k++)
        sort_slots(s->slot + s->first[i] + s->shared[k].first, s->shared[k].others);
  }
}

/* For every node of another tile in a halo: that its owner has to add this slot. */
static vv_status share(cutter *w)
{
  const shell_cut *cut = w->cut;
  sharers s = {.count = VVI_ARENA_NEW(&w->scratch, int, cut->nodes + 1)};
  s.at = VVI_ARENA_NEW(&w->scratch, int64_t, cut->nodes + 1);
  s.first = VVI_ARENA_NEW(&w->scratch, int64_t, cut->tiles + 1);
  s.row = VVI_ARENA_NEW(&w->scratch, int64_t, cut->tiles + 1);
  if (s.count == NULL || s.at == NULL || s.first == NULL || s.row == NULL) return out_of_memory(w);
  count_sharers(w, &s);
  s.slot = VVI_ARENA_NEW(w->arena, int64_t, s.first[cut->tiles] + 1);
  s.shared = VVI_ARENA_NEW(w->arena, shell_shared, s.row[cut->tiles] + 1);
  if (s.slot == NULL || s.shared == NULL) return out_of_memory(w);
  put_slots(w, &s);
  return VV_OK;
}

/* ---- limit stencils ---- */

typedef struct stencil {
  int n, node[SHELL_SOURCES * (SHELL_MOST_NODES + 8)];
  double weight[SHELL_SOURCES * (SHELL_MOST_NODES + 8)];
} stencil;

static void stencil_add(const shell_net *net, stencil *s, int node, double weight)
{
  if (node >= net->nodes) { /* a ghost: what makes it, without the even part of clamped edges */
    const shell_ghost *g = &net->ghost[node - net->nodes];
    for (int i = 0; i < g->count; i++)
      if (g->w[i] != 0.0) stencil_add(net, s, g->source[i], weight * g->w[i]);
    return;
  }
  int k = 0;
  while (k < s->n && s->node[k] != node) k++;
  if (k == s->n) s->node[s->n++] = node, s->weight[k] = 0.0;
  s->weight[k] += weight;
}

static void stencil_of(const shell_net *net, int node, stencil *s)
{
  const int n = ring_size(net, node);
  const double w = shell_limit_weight(n);
  s->n = 0;
  stencil_add(net, s, node, 1.0 - n * w);
  for (int i = net->first[node]; i < net->first[node + 1]; i++) stencil_add(net, s, net->ring[i], w);
}

static vv_status list_limits(cutter *w)
{
  const shell_net *net = w->net;
  shell_limit *l = &w->cut->limit;
  l->first = VVI_ARENA_NEW(w->arena, int32_t, net->nodes + 1);
  if (l->first == NULL) return out_of_memory(w);
#pragma omp parallel for schedule(static) if (net->nodes > SHELL_MANY)
  for (int i = 0; i < net->nodes; i++) {
    stencil s;
    stencil_of(net, i, &s);
    l->first[i + 1] = s.n;
  }
  for (int i = 0; i < net->nodes; i++) l->first[i + 1] += l->first[i];
  l->node = VVI_ARENA_NEW(w->arena, int32_t, l->first[net->nodes]);
  l->weight = VVI_ARENA_NEW(w->arena, double, l->first[net->nodes]);
  if (l->node == NULL || l->weight == NULL) return out_of_memory(w);
#pragma omp parallel for schedule(static) if (net->nodes > SHELL_MANY)
  for (int i = 0; i < net->nodes; i++) {
    stencil s;
    stencil_of(net, i, &s);
    for (int k = 0; k < s.n; k++) l->node[l->first[i] + k] = s.node[k], l->weight[l->first[i] + k] = s.weight[k];
  }
  return VV_OK;
}

/* ---- points between the nodes ---- */

/* Of an element: the triangles of a tile are in the order of their classes, and turned. */
static shell_turned turned_as(const cutter *w, int element)
{
  shell_turned t = {0};
  for (int i = 0; i < 3; i++) {
    t.corner[i] = w->cut->triangle[3 * (int64_t)element + i];
    t.valence[i] = ring_size(w->net, t.corner[i]);
  }
  return t;
}

static void smooth_point(const shell_net *net, const shell_turned *t, const int *patch, int pieces, int i, int j,
                         stencil *s)
{
  const double at[3] = {(double)(pieces - i - j) / pieces, (double)i / pieces, (double)j / pieces};
  double row[SHELL_MOST_NODES];
  shell_limit_row(t->valence, at, row);
  s->n = 0;
  for (int k = 0; k < shell_patch_size(t->valence); k++)
    if (row[k] != 0.0) stencil_add(net, s, patch[k], row[k]);
}

static vv_status list_smooth(cutter *w)
{
  const shell_net *net = w->net;
  shell_limit *l = &w->cut->smooth;
  const int pieces = w->cut->pieces, points = (pieces + 1) * (pieces + 2) / 2;
  stencil *s = VVI_ARENA_NEW(&w->scratch, stencil, 1);
  if (pieces < 2) return VV_OK;
  l->first = VVI_ARENA_NEW(w->arena, int32_t, (int64_t)points * net->triangles + 1);
  if (l->first == NULL || s == NULL) return out_of_memory(w);
  for (int pass = 0; pass < 2; pass++) {
    int64_t at = 0;
    for (int e = 0; e < net->triangles; e++) {
      int patch[SHELL_MOST_NODES];
      const shell_turned t = turned_as(w, e);
      patch_of(net, &t, patch);
      for (int j = 0; j <= pieces; j++)
        for (int i = 0; i + j <= pieces; i++, at++) {
          smooth_point(net, &t, patch, pieces, i, j, s);
          l->first[at + 1] = l->first[at] + s->n;
          for (int k = 0; pass == 1 && k < s->n; k++)
            l->node[l->first[at] + k] = s->node[k], l->weight[l->first[at] + k] = s->weight[k];
        }
    }
    if (pass == 1) break;
    l->node = VVI_ARENA_NEW(w->arena, int32_t, l->first[at]);
    l->weight = VVI_ARENA_NEW(w->arena, double, l->first[at]);
    if (l->node == NULL || l->weight == NULL) return out_of_memory(w);
  }
  return VV_OK;
}

/* ---- all together ---- */

/* Nodes are in the order of the lowest tiles that have a triangle at them, so that those of a tile end behind the highest corner of all
 * tiles so far. */
static vv_status lay_out(cutter *w)
{
  const shell_net *net = w->net;
  const int tiles = (net->triangles + w->size - 1) / w->size;
  *w->cut = (shell_cut){.nodes = net->nodes, .elements = net->triangles, .pieces = w->pieces, .tiles = tiles};
  w->cut->tile = VVI_ARENA_NEW(w->arena, shell_tile, tiles);
  w->cut->triangle = VVI_ARENA_NEW(w->arena, int, 3 * (int64_t)net->triangles);
  if (!w->cut->tile || !w->cut->triangle) return out_of_memory(w);
#pragma omp parallel for schedule(static) if (net->triangles > SHELL_MANY)
  for (int i = 0; i < tiles; i++) {
    const int t0 = i * w->size, n = net->triangles - t0 < w->size ? net->triangles - t0 : w->size;
    int end = 0;
    for (int64_t k = 3 * (int64_t)t0; k < 3 * (int64_t)(t0 + n); k++)
      if (net->triangle[k] >= end) end = net->triangle[k] + 1;
    w->cut->tile[i] = (shell_tile){.own = end, .element0 = t0, .elements = n};
  }
  int own0 = 0;
  for (int i = 0; i < tiles; i++) {
    shell_tile *t = &w->cut->tile[i];
    t->own0 = own0, t->own = t->own > own0 ? t->own - own0 : 0;
    own0 += t->own;
  }
  VV_ASSERT(own0 == net->nodes);
  return VV_OK;
}

static void make_tiles(knife *w, int size, int from, int to)
{
  const int most = w->net->nodes + w->net->ghosts;
  w->scratch.sparse = true;
  w->local = VVI_ARENA_NEW(&w->scratch, int, most), w->list = VVI_ARENA_NEW(&w->scratch, int, most);
  w->turned = VVI_ARENA_NEW(&w->scratch, shell_turned, size);
  w->mate = VVI_ARENA_NEW(&w->scratch, int, size), w->group = VVI_ARENA_NEW(&w->scratch, shell_group, size);
  if (!w->local || !w->list || !w->turned || !w->mate || !w->group) w->status = knife_memory(w);
  for (int i = from; w->status == VV_OK && i < to; i++) w->status = make_tile(w, &w->cut->tile[i]);
}

/* Every thread has tiles in a row; the first complaint counts. */
static vv_status cut_tiles(cutter *w)
{
  const int tiles = w->cut->tiles, knives = w->net->triangles > SHELL_MANY ? w->threads : 1;
  knife *all = VVI_ARENA_NEW(&w->scratch, knife, knives);
  if (all == NULL) return out_of_memory(w);
#pragma omp parallel for schedule(static) if (knives > 1)
  for (int k = 0; k < knives; k++) {
    all[k].net = w->net, all[k].cut = w->cut, all[k].arena = knives > 1 ? &all[k].own : w->arena;
    make_tiles(&all[k], w->size, (int)((int64_t)tiles * k / knives), (int)((int64_t)tiles * (k + 1) / knives));
  }
  vv_status status = VV_OK;
  for (int k = 0; k < knives; k++) {
    if (all[k].status != VV_OK && status == VV_OK) {
      status = all[k].status;
      memcpy(w->why, all[k].why, sizeof all[k].why);
    }
    vvi_arena_join(w->arena, &all[k].own), vvi_arena_join(&w->scratch, &all[k].scratch);
  }
  for (int i = 0; status == VV_OK && i < tiles; i++) {
    w->cut->tile[i].slot = w->cut->slots;
    w->cut->slots += shell_tile_nodes(&w->cut->tile[i]);
  }
  return status;
}

static vv_status cut_all(cutter *w)
{
  VV_TRY(lay_out(w));
  VV_TRY(find_classes(w));
  VV_TRY(cut_tiles(w));
  VV_TRY(keep_halos(w));
  VV_TRY(share(w));
  VV_TRY(list_limits(w));
  return list_smooth(w);
}

vv_status shell_cut_make(vvi_arena *arena, const shell_net *net, int size, int pieces, int threads, shell_cut *out,
                         char *why)
{
  cutter w = {.arena = arena, .net = net, .size = size, .pieces = pieces, .threads = threads, .cut = out, .why = why};
  const vv_status status = cut_all(&w);
  vvi_arena_free(&w.scratch);
  return status;
}
