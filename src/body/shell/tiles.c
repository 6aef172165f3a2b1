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
  int size, pieces;
  shell_cut *cut;
  int room;             /* classes */
  int *owner;           /* [nodes] tile */
  int *local;           /* [nodes + ghosts] within the tile that is made; -1: not there */
  int *list, listed;    /* halo nodes and ghosts of this tile, as found */
  shell_turned *turned; /* [size] */
  int *mate;            /* [size] partner in a pair; -1: none */
  shell_group *group;   /* [size] of this tile, as they come */
  char *why;
} cutter;

static vv_status out_of_memory(const cutter *w)
{
  snprintf(w->why, VVI_MESH_WHY, "out of memory for %d triangles", w->net->triangles);
  return VV_NOMEM;
}

/* ---- classes ---- */

static int ring_size(const shell_net *net, int node)
{
  return net->first[node + 1] - net->first[node];
}

double shell_irregular_share(const shell_net *net)
{
  int64_t odd = 0;
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

static vv_status classify(cutter *w, int triangle, shell_turned *out)
{
  *out = turn_by(w->net, triangle, 0);
  for (int by = 1; by < 3; by++) {
    const shell_turned t = turn_by(w->net, triangle, by);
    if (is_larger(t.valence, out->valence)) *out = t;
  }
  if (class_find(w->cut, out->valence) < 0) VV_TRY(class_add(w, out));
  out->cls = class_find(w->cut, out->valence);
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
static void match(cutter *w, int t0, int n)
{
  for (int i = 0; i < n; i++) {
    const int j = w->net->mate[t0 + i] - t0;
    w->mate[i] = j >= 0 && j < n && is_regular(&w->turned[i]) && is_regular(&w->turned[j]) ? j : -1;
  }
}

/* Turns a triangle so that its side shared with `mate` is opposite to its first corner. */
static shell_turned turn_to(const cutter *w, int triangle, int mate)
{
  int k = 0;
  while (w->net->neighbour[3 * (int64_t)triangle + k] != mate) k++;
  return turn_by(w->net, triangle, k);
}

/* ---- local nodes ---- */

static int local_of(cutter *w, const shell_tile *t, int node)
{
  if (node < w->net->nodes && w->owner[node] == w->cut->tiles) return node - t->own0;
  if (w->local[node] < 0) {
    w->local[node] = 0;
    w->list[w->listed++] = node;
  }
  return -1;
}

static int ascending(const void *a, const void *b)
{
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static void touch(cutter *w, shell_tile *t, int node)
{
  local_of(w, t, node);
  if (node < w->net->nodes) return;
  const shell_ghost *g = &w->net->ghost[node - w->net->nodes];
  for (int i = 0; i < g->count; i++) local_of(w, t, g->source[i]);
}

/* Halo nodes in ascending order, then the ghosts; their places in w->local. */
static vv_status number_locals(cutter *w, shell_tile *t)
{
  qsort(w->list, (size_t)w->listed, sizeof *w->list, ascending);
  int32_t *halo = VVI_ARENA_NEW(&w->scratch, int32_t, w->listed + 1);
  if (halo == NULL) return out_of_memory(w);
  for (int i = 0; i < w->listed; i++) {
    w->local[w->list[i]] = t->own + i;
    if (w->list[i] < w->net->nodes) halo[t->halo++] = w->list[i];
  }
  t->halo_node = halo;
  t->ghosts = w->listed - t->halo;
  if (t->ghosts == 0) return VV_OK;
  shell_ghost *ghost = VVI_ARENA_NEW(w->arena, shell_ghost, t->ghosts);
  if (ghost == NULL) return out_of_memory(w);
  for (int i = 0; i < t->ghosts; i++) ghost[i] = w->net->ghost[w->list[t->halo + i] - w->net->nodes];
  t->ghost = ghost;
  return VV_OK;
}

static int place_in(const cutter *w, const shell_tile *t, int node)
{
  return node < w->net->nodes && w->owner[node] == w->cut->tiles ? node - t->own0 : w->local[node];
}

/* ---- groups ---- */

typedef struct group_list {
  shell_group *group;
  int n;
  int elements; /* so far */
} group_list;

static shell_group *group_add(cutter *w, group_list *l, int cls, int nodes, bool pair)
{
  shell_group *g = &l->group[l->n++];
  *g = (shell_group){.cls = cls, .pair = pair, .element = l->elements};
  g->at = VVI_ARENA_NEW(w->arena, uint16_t, pair ? SHELL_HALF * SHELL_PAIR : SHELL_GROUP * nodes);
  g->rest = VVI_ARENA_NEW(w->arena, double, SHELL_REFERENCE *SHELL_GROUP);
  return g->at == NULL || g->rest == NULL ? NULL : g;
}

static void put_corners(const cutter *w, int64_t element, const shell_turned *t)
{
  memcpy(w->cut->triangle + 3 * element, t->corner, sizeof t->corner);
}

/* The 14 nodes of a pair: the patch of the first triangle, whose node i is node 13 - i of the second.          [shell 4] */
static void pair_nodes(const cutter *w, const shell_tile *t, const shell_turned *one, const shell_turned *two,
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

static vv_status add_pairs(cutter *w, const shell_tile *t, int t0, int n, group_list *l)
{
  for (int i = 0, k; i < n; i = k) {
    shell_turned two[SHELL_HALF];
    shell_group *g = NULL;
    int count = 0;
    for (k = i; k < n && count < SHELL_HALF; k++) {
      if (w->mate[k] < k) continue; /* none, or taken with its mate */
      if (g == NULL) g = group_add(w, l, w->turned[k].cls, SHELL_REGULAR, true);
      if (g == NULL) return out_of_memory(w);
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

static vv_status add_class(cutter *w, const shell_tile *t, int cls, int n, group_list *l)
{
  const int nodes = w->cut->cls[cls].nodes;
  shell_group *g = NULL;
  for (int i = 0; i < n; i++) {
    if (w->mate[i] >= 0 || w->turned[i].cls != cls) continue;
    if (g == NULL) g = group_add(w, l, cls, nodes, false);
    if (g == NULL) return out_of_memory(w);
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

static vv_status make_tile(cutter *w, int t0, int n, int own0, int own)
{
  shell_tile *t = &w->cut->tile[w->cut->tiles];
  *t = (shell_tile){.own0 = own0, .own = own, .element0 = t0, .elements = n, .slot = w->cut->slots};
  w->listed = 0;
  for (int i = 0; i < n; i++) {
    int patch[SHELL_MOST_NODES];
    VV_TRY(classify(w, t0 + i, &w->turned[i]));
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
  for (int i = 0; i < w->listed; i++) w->local[w->list[i]] = -1;
  shell_group *group = VVI_ARENA_NEW(w->arena, shell_group, l.n);
  if (group == NULL) return out_of_memory(w);
  memcpy(group, l.group, sizeof *group * (size_t)l.n);
  t->group = group, t->groups = l.n;
  w->cut->slots += shell_tile_nodes(t);
  if (shell_tile_nodes(t) <= SHELL_MOST_LOCAL) return VV_OK;
  snprintf(w->why, VVI_MESH_WHY, "%d triangles touch %d nodes: the mesh has too long fans", n, shell_tile_nodes(t));
  return VV_SCENE;
}

/* ---- nodes in several tiles ---- */

/* The halos of all tiles in one list, so that the tables of a tile follow those of the one before. */
static vv_status keep_halos(cutter *w)
{
  int64_t n = 0;
  for (int i = 0; i < w->cut->tiles; i++) n += w->cut->tile[i].halo;
  int32_t *halo = VVI_ARENA_NEW(w->arena, int32_t, n + 1);
  if (halo == NULL) return out_of_memory(w);
  for (int i = 0; i < w->cut->tiles; i++) {
    shell_tile *t = &w->cut->tile[i];
    t->halo_node = memcpy(halo, t->halo_node, sizeof *halo * (size_t)t->halo);
    halo += t->halo;
  }
  return VV_OK;
}

/* For every node of another tile in a halo: that its owner has to add this slot. */
static vv_status share(cutter *w)
{
  shell_cut *cut = w->cut;
  int *count = VVI_ARENA_NEW(&w->scratch, int, cut->nodes + 1);
  int64_t all = 0, entries = 0;
  if (count == NULL) return out_of_memory(w);
  for (int i = 0; i < cut->tiles; i++)
    for (int k = 0; k < cut->tile[i].halo; k++) all++, entries += count[cut->tile[i].halo_node[k]]++ == 0;
  int64_t *slot = VVI_ARENA_NEW(w->arena, int64_t, all + 1),
          **at = VVI_ARENA_NEW(&w->scratch, int64_t *, cut->nodes + 1);
  shell_shared *shared = VVI_ARENA_NEW(w->arena, shell_shared, entries + 1);
  if (slot == NULL || at == NULL || shared == NULL) return out_of_memory(w);
  for (int i = 0; i < cut->tiles; i++) {
    shell_tile *t = &cut->tile[i];
    t->shared = shared, t->other_slot = slot, t->inner = t->own;
    for (int k = 0; k < t->own; k++) {
      const int node = t->own0 + k;
      if (count[node] == 0) continue;
      if (t->shareds == 0) t->inner = k;
      *shared++ = (shell_shared){.local = k, .first = (int32_t)(slot - t->other_slot), .others = count[node]};
      at[node] = slot, slot += count[node], t->shareds++;
    }
  }
  for (int i = 0; i < cut->tiles; i++)
    for (int k = 0; k < cut->tile[i].halo; k++)
      *at[cut->tile[i].halo_node[k]]++ = cut->tile[i].slot + cut->tile[i].own + k;
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
  stencil *s = VVI_ARENA_NEW(&w->scratch, stencil, 1);
  l->first = VVI_ARENA_NEW(w->arena, int32_t, net->nodes + 1);
  if (l->first == NULL || s == NULL) return out_of_memory(w);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < net->nodes; i++) {
      stencil_of(net, i, s);
      l->first[i + 1] = l->first[i] + s->n;
      for (int k = 0; pass == 1 && k < s->n; k++)
        l->node[l->first[i] + k] = s->node[k], l->weight[l->first[i] + k] = s->weight[k];
    }
    if (pass == 1) break;
    l->node = VVI_ARENA_NEW(w->arena, int32_t, l->first[net->nodes]);
    l->weight = VVI_ARENA_NEW(w->arena, double, l->first[net->nodes]);
    if (l->node == NULL || l->weight == NULL) return out_of_memory(w);
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

static vv_status prepare(cutter *w)
{
  const shell_net *net = w->net;
  const int tiles = (net->triangles + w->size - 1) / w->size;
  *w->cut = (shell_cut){.nodes = net->nodes, .elements = net->triangles, .pieces = w->pieces};
  w->cut->tile = VVI_ARENA_NEW(w->arena, shell_tile, tiles);
  w->cut->triangle = VVI_ARENA_NEW(w->arena, int, 3 * (int64_t)net->triangles);
  w->owner = VVI_ARENA_NEW(&w->scratch, int, net->nodes);
  w->local = VVI_ARENA_NEW(&w->scratch, int, net->nodes + net->ghosts);
  w->list = VVI_ARENA_NEW(&w->scratch, int, net->nodes + net->ghosts);
  w->turned = VVI_ARENA_NEW(&w->scratch, shell_turned, w->size);
  w->mate = VVI_ARENA_NEW(&w->scratch, int, w->size);
  w->group = VVI_ARENA_NEW(&w->scratch, shell_group, w->size);
  if (!w->cut->tile || !w->cut->triangle || !w->owner || !w->local || !w->list || !w->turned || !w->mate || !w->group)
    return out_of_memory(w);
  for (int i = 0; i < net->nodes; i++) w->owner[i] = -1;
  for (int i = 0; i < net->nodes + net->ghosts; i++) w->local[i] = -1;
  for (int64_t i = 0; i < 3 * (int64_t)net->triangles; i++)
    if (w->owner[net->triangle[i]] < 0) w->owner[net->triangle[i]] = (int)(i / 3 / w->size);
  return VV_OK;
}

static vv_status cut_all(cutter *w)
{
  const shell_net *net = w->net;
  VV_TRY(prepare(w));
  int own0 = 0;
  for (int t0 = 0; t0 < net->triangles; t0 += w->size, w->cut->tiles++) {
    const int n = net->triangles - t0 < w->size ? net->triangles - t0 : w->size;
    int own = 0;
    while (own0 + own < net->nodes && w->owner[own0 + own] == w->cut->tiles) own++;
    VV_TRY(make_tile(w, t0, n, own0, own));
    own0 += own;
  }
  VV_ASSERT(own0 == net->nodes); /* the nodes came in the order of their tiles */
  VV_TRY(keep_halos(w));
  VV_TRY(share(w));
  VV_TRY(list_limits(w));
  return list_smooth(w);
}

vv_status shell_cut_make(vvi_arena *arena, const shell_net *net, int size, int pieces, shell_cut *out, char *why)
{
  cutter w = {.arena = arena, .net = net, .size = size, .pieces = pieces, .cut = out, .why = why};
  const vv_status status = cut_all(&w);
  vvi_arena_free(&w.scratch);
  return status;
}
