/* contact/sheets/search.c  Which pairs may meet in the coming drift.
 *
 * With the displacements of a region in a drift inside a box with centre C and half edges r, two points of regions A and B
 * approach by
 *   sqrt(sum over axes (|C_A - C_B| + r_A + r_B)^2)                                                          [sheets 4]
 * at most (measure.c); before it is known what the answers will add, inside balls about C.  The sum over drifts is the travel
 * of a couple.  A pair at distance d when the travel was T need not be looked at before T + d; how long lists hold is in
 * life.c.
 *
 * Numbers that were tried out on spheres and cubes (bench_sheets): a list begins with 0.3 of the largest skin, is shortened
 * above MANY pairs a vertex and lengthened below FEW; BLOCK budgets are tested at once. */
#include "contact/sheets/search.h"

#include "math/math.h"

#include <string.h>

enum { CHUNK = 256, BLOCK = 16, PAIRS = 24, SHRINKS = 6, MANY = 4, FEW = 2 };

/* Curves, balls and capsules are round about their axes; surfaces have a thickness where the scene says so, though not for
 * themselves. */
static double offset_of(const struct vvi_sheets *s, const vvi_sheet_couple *c)
{
  const vvi_sheet_body *a = &s->body[s->region[c->a].body], *b = &s->body[s->region[c->b].body];
  const bool thick = s->rule[c->rule].thick && a != b;
  return (a->carrier == VVI_CARRY_FRAMES || thick ? a->half : 0.0) +
         (b->carrier == VVI_CARRY_FRAMES || thick ? b->half : 0.0);
}

vv_status vvi_sheet_search_create(const struct vvi_sheets *s, vvi_arena *arena, int threads, double skin,
                                  vvi_sheet_search **out)
{
  vvi_sheet_search *w = *out = VVI_ARENA_NEW(arena, vvi_sheet_search, 1);
  if (w == NULL) return VV_NOMEM;
  w->sheets = s, w->threads = threads, w->skin = skin, w->slack = 1e-6 * s->edge_length;
  w->motion.sheets = s;
  w->room = (PAIRS * (int64_t)s->n_element + 4 * (int64_t)s->n_vertex + 65536) / BLOCK * BLOCK;
  w->near_room = w->room < INT32_MAX ? (int32_t)w->room : INT32_MAX; /* faces may meet all at once */
  w->chunk_room = w->room / CHUNK + s->n_couple + 1;
  w->motion.at = VVI_ARENA_NEW(arena, vvi_sheet_columns, s->n_body + 1);
  w->motion.frame = VVI_ARENA_NEW(arena, vvi_sheet_frame, s->n_mover + 1);
  w->list = VVI_ARENA_NEW(arena, vvi_sheet_list, s->n_couple + 1);
  w->speed = VVI_ARENA_NEW(arena, vvi_sheet_speed, s->n_region + 1);
  w->strip = VVI_ARENA_NEW(arena, double, 6 * (int64_t)s->n_strip + 1);
  w->ready = VVI_ARENA_NEW(arena, int64_t, s->n_tree + 1);
  w->span = VVI_ARENA_NEW(arena, float, 6 * ((int64_t)s->n_edge + VVI_SHEET_LANES));
  w->plane = VVI_ARENA_NEW(arena, float, 16 * ((int64_t)s->n_element + VVI_SHEET_LEAF));
  w->tree = VVI_ARENA_NEW(arena, vvi_box_node, s->n_tree + 1);
  w->box = VVI_ARENA_NEW(arena, double, 6 * (int64_t)s->n_element + 1);
  w->x = VVI_ARENA_NEW(arena, double, 3 * (int64_t)s->n_vertex + 1);
  w->y = VVI_ARENA_NEW(arena, double, 3 * (int64_t)s->n_vertex + 1);
  w->fresh = VVI_ARENA_NEW(arena, unsigned char, s->n_region + 1);
  w->placed = VVI_ARENA_NEW(arena, unsigned char, s->n_body + 1);
  w->pair = VVI_ARENA_NEW(arena, vvi_sheet_pair, w->room);
  w->safe = VVI_ARENA_NEW(arena, float, w->room);
  w->block = VVI_ARENA_NEW(arena, float, w->room / BLOCK);
  w->slot = VVI_ARENA_NEW(arena, vvi_sheet_slot, w->room);
  w->near = VVI_ARENA_NEW(arena, vvi_sheet_near, w->near_room);
  w->chunk = VVI_ARENA_NEW(arena, vvi_sheet_chunk, w->chunk_room);
  if (w->motion.at == NULL || w->motion.frame == NULL || w->list == NULL || w->speed == NULL || w->tree == NULL)
    return VV_NOMEM;
  if (w->safe == NULL || w->block == NULL) return VV_NOMEM;
  w->round = 1;
  if (w->placed == NULL || w->ready == NULL || w->span == NULL || w->plane == NULL || w->y == NULL) return VV_NOMEM;
  if (w->strip == NULL || w->box == NULL || w->x == NULL || w->fresh == NULL || w->pair == NULL || w->slot == NULL ||
      w->near == NULL || w->chunk == NULL)
    return VV_NOMEM;
  VV_TRY(vvi_sheet_life_create(w, arena));
  memcpy(w->tree, s->tree, sizeof *w->tree * (size_t)s->n_tree);
  for (int32_t i = 0; i < s->n_couple; i++) {
    const vvi_sheet_couple *c = &s->couple[i];
    w->list[i].stale = true;
    w->list[i].offset = offset_of(s, c);
    w->list[i].skin = 0.3 * skin;
  }
  return VV_OK;
}

/* ---- lists ---- */

static double drifts_apart(const vvi_sheet_search *w, const vvi_sheet_couple *c)
{
  const double *a = w->speed[c->a].centre, *b = w->speed[c->b].centre;
  const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return vvi_norm3(d);
}

/* Lists begin at whole blocks. */
static int64_t full(int64_t n)
{
  return (n + BLOCK - 1) / BLOCK * BLOCK;
}

static void compact(vvi_sheet_search *w)
{
  int64_t to = 0;
  for (;;) { /* lists in the order of their places */
    vvi_sheet_list *next = NULL;
    for (int32_t i = 0; i < w->sheets->n_couple; i++) {
      vvi_sheet_list *l = &w->list[i];
      if (l->n > 0 && !l->stale && l->first >= to && (next == NULL || l->first < next->first)) next = l;
    }
    if (next == NULL) break;
    memmove(w->pair + to, w->pair + next->first, sizeof *w->pair * (size_t)next->n);
    memmove(w->safe + to, w->safe + next->first, sizeof *w->safe * (size_t)full(next->n));
    memmove(w->block + to / BLOCK, w->block + next->first / BLOCK, sizeof *w->block * (size_t)(full(next->n) / BLOCK));
    next->first = to, to += full(next->n);
  }
  w->used = to;
}

static void refresh_region(vvi_sheet_search *w, int32_t region)
{
  if (w->fresh[region]) return;
  vvi_sheet_refit(w, region);
  w->fresh[region] = 1;
}

/* How far two regions are apart at least, by their boxes; an obstacle: not known without looking at the vertices. */
static double apart(const vvi_sheet_search *w, const vvi_sheet_couple *c)
{
  const vvi_sheet_region *a = &w->sheets->region[c->a], *b = &w->sheets->region[c->b];
  if (c->a == c->b || w->sheets->body[b->body].obstacle != NULL) return 0.0;
  return vvi_sheet_box_distance(w->tree[a->root].box, w->tree[b->root].box);
}

/* Many pairs: they cost more than new lists; none at all: the next list may look farther. */
static void adapt_skin(const vvi_sheet_search *w, const vvi_sheet_couple *c, vvi_sheet_list *l)
{
  const struct vvi_sheets *s = w->sheets;
  const int64_t size = s->region[c->a].vertices + s->region[c->b].vertices;
  if (l->n > MANY * size) l->skin = fmax(0.7 * l->skin, 0.1 * w->skin);
  if (l->n < FEW * size) l->skin = fmin(1.4 * l->skin, (l->n == 0 ? 1.6 : 1.0) * w->skin);
}

static bool rebuild(vvi_sheet_search *w, int32_t i)
{
  const vvi_sheet_couple *c = &w->sheets->couple[i];
  vvi_sheet_list *l = &w->list[i];
  const double skin = l->offset + fmax(l->skin, 2.0 * (l->step + l->guard));
  refresh_region(w, c->a);
  refresh_region(w, c->b);
  l->stale = true, l->n = 0;
  const double far = apart(w, c);
  double closest = INFINITY;
  int64_t first = w->used;
  if (far <= skin && !vvi_sheet_list_couple(w, i, skin, &closest)) {
    w->used = first;
    compact(w);
    first = w->used;
    if (!vvi_sheet_list_couple(w, i, skin, &closest)) return w->used = first, false;
  }
  const bool obstacle = w->sheets->body[w->sheets->region[c->b].body].obstacle != NULL;
  l->first = first, l->n = w->used - first, l->safe = -INFINITY;
  for (; w->used % BLOCK != 0; w->used++) w->safe[w->used] = INFINITY;
  for (int64_t k = first / BLOCK; k < w->used / BLOCK; k++) w->block[k] = -INFINITY;
  l->limit = far > skin ? far : obstacle ? fmax(skin, closest) : skin;
  l->travel = 0.0, l->stale = false;
  vvi_sheet_list_begins(w, i);
  if (far <= skin) adapt_skin(w, c, l);
  w->builds++;
  return true;
}

/* Lists that the coming drift may use up are built anew. */
static bool refresh(vvi_sheet_search *w)
{
  vvi_sheet_paths_ahead(w);
  for (int shrink = 0; shrink <= SHRINKS; shrink++) {
    bool room = true;
    for (int32_t i = 0; i < w->sheets->n_couple && room; i++) {
      const vvi_sheet_couple *c = &w->sheets->couple[i];
      vvi_sheet_list *l = &w->list[i];
      if (l->off || (l->n == 0 && !l->stale && vvi_sheet_list_sleeps(w, i))) continue;
      l->step = drifts_apart(w, c) + w->speed[c->a].allowed + w->speed[c->b].allowed;
      if (l->stale || !vvi_sheet_list_holds(w, i)) room = rebuild(w, i);
    }
    if (room) return true;
    w->skin *= 0.5, w->used = 0;
    for (int32_t i = 0; i < w->sheets->n_couple; i++) {
      w->list[i].stale = true, w->list[i].n = 0;
      w->list[i].skin = fmin(w->list[i].skin, w->skin);
    }
  }
  return false;
}

/* ---- the pairs of the coming drift ---- */

/* Nodes that only move, one vertex each in the same order: as vvi_sheet_node. */
VV_HOT static void place_points(int64_t n, int64_t column, double h, const double *restrict inverse,
                                const vvi_sheet_columns *k, double *restrict x, double *restrict y)
{
  for (int c = 0; c < 3; c++) {
    const double *q = k->q + c * column, *p = k->p + c * column, *f = k->f + c * column;
    for (int64_t i = 0; i < n; i++) {
      x[3 * i + c] = q[i];
      y[3 * i + c] = q[i] + h * inverse[i] * (p[i] + 0.5 * h * f[i]);
    }
  }
}

/* Places of the vertices of a body, now and after the drift, where they have not been found already. */
static void place_body(vvi_sheet_search *w, int32_t body)
{
  const struct vvi_sheets *s = w->sheets;
  const vvi_sheet_body *b = &s->body[body];
  const bool moves = w->motion.h != 0.0;
  double *x = w->x + 3 * (int64_t)b->vertex0, *y = w->y + 3 * (int64_t)b->vertex0;
  if (w->placed[body]) return;
  w->placed[body] = 1;
  if (moves && b->carrier == VVI_CARRY_POINTS && b->movers == b->vertices && !b->loose)
    place_points(b->vertices, w->motion.at[body].column, w->motion.h, s->inverse + b->mover0, &w->motion.at[body], x,
                 y);
  else
    for (int32_t i = 0; i < b->vertices; i++) {
      vvi_sheet_place(&w->motion, b->vertex0 + i, false, x + 3 * (int64_t)i);
      vvi_sheet_place(&w->motion, b->vertex0 + i, moves, y + 3 * (int64_t)i);
    }
}

static inline double along(const double *x, int32_t v, const float n[3])
{
  x += 3 * (int64_t)v;
  return (double)n[0] * x[0] + (double)n[1] * x[1] + (double)n[2] * x[2];
}

static inline double smaller(double a, double b)
{
  return a < b ? a : b;
}

static inline double larger(double a, double b)
{
  return a > b ? a : b;
}

/* Not against an obstacle, and not two tips, whose distance has a sign. */
static inline bool has_planes(const vvi_sheet_pair *p)
{
  return p->v[3] >= 0;
}

/* By how much a plane across the last direction of a pair holds it apart; floats are not quite of unit length. */
static inline double parted_by(const vvi_sheet_pair *p, const double *x)
{
  const double a = along(x, p->v[0], p->n), b = along(x, p->v[1], p->n), c = along(x, p->v[2], p->n),
               d = along(x, p->v[3], p->n), cd = larger(c, d);
  const double edges = smaller(a, b) - cd, face = a - larger(b, cd);
  return (1.0 - 1e-6) * (p->a < 0 ? edges : face);
}

static bool is_near(const vvi_sheet_list *l, double d)
{
  return d - l->step < (l->offset + l->guard) * (1.0 + 1e-9);
}

/* The distance of a pair that its plane does not hold apart.  True: it may meet. */
static bool measure(const vvi_sheet_search *w, const vvi_sheet_list *l, vvi_sheet_pair *p, float *safe,
                    vvi_sheet_slot *out)
{
  double x[4][3];
  vvi_closest at;
  if (has_planes(p)) {
    for (int k = 0; k < 4; k++) memcpy(x[k], w->x + 3 * (int64_t)p->v[k], sizeof x[k]);
    vvi_closest_at(p->a < 0 ? VVI_EDGE_EDGE : VVI_VERTEX_FACE, (const double(*)[3])x, &at);
  } else {
    vvi_sheet_closest(&w->motion, p->a, p->b, false, &at);
  }
  *out = (vvi_sheet_slot){.d = at.d - l->offset, .n = {at.n[0], at.n[1], at.n[2]}};
  for (int c = 0; c < 3; c++) p->n[c] = (float)at.n[c];
  *safe = vvi_sheet_safe(l->travel + at.d - (l->offset + l->guard));
  return is_near(l, at.d);
}

/* One pair past its budget whose plane holds it apart by z.  True: it may meet. */
static bool look(const vvi_sheet_search *w, const vvi_sheet_list *l, vvi_sheet_pair *p, double z, float *safe,
                 vvi_sheet_slot *out)
{
  const double reach = l->offset + l->guard;
  if (z < reach || parted_by(p, w->y) < reach) return measure(w, l, p, safe, out);
  *out = (vvi_sheet_slot){.parted = true, .d = z - l->offset, .n = {(double)p->n[0], (double)p->n[1], (double)p->n[2]}};
  return true;
}

static float bound_of(const vvi_sheet_list *l)
{
  return (float)((l->travel + l->step) * (1.0 + 1e-6));
}

static float least_of(const float *x, int32_t n)
{
  float least = INFINITY;
  for (int32_t i = 0; i < n; i++) least = x[i] < least ? x[i] : least;
  return least;
}

static float least_of_block(const float *x)
{
  float least = INFINITY;
#pragma omp simd reduction(min : least)
  for (int32_t i = 0; i < BLOCK; i++) least = x[i] < least ? x[i] : least;
  return least;
}

/* Numbers of the pairs past their budget, in the blocks that have some. */
static int32_t list_due(const vvi_sheet_search *w, const vvi_sheet_chunk *k, float bound, int32_t due[CHUNK])
{
  const float *safe = w->safe + k->first, *block = w->block + k->first / BLOCK;
  int32_t m = 0;
  for (int32_t first = 0; first < k->n; first += BLOCK) {
    if (block[first / BLOCK] > bound) continue;
    for (int32_t i = first; i < first + BLOCK; i++)
      due[m] = i, m += !(safe[i] > bound); /* branches would not be foreseen */
  }
  return m;
}

static void look_at_chunk(vvi_sheet_search *w, vvi_sheet_chunk *k)
{
  const vvi_sheet_list *l = &w->list[k->couple];
  const double reach = l->offset + l->guard;
  const float bound = bound_of(l);
  vvi_sheet_pair *pair = w->pair + k->first;
  vvi_sheet_slot *slot = w->slot + k->first;
  float *safe = w->safe + k->first, *block = w->block + k->first / BLOCK;
  int32_t due[CHUNK + 1];
  k->hits = 0, k->checked = list_due(w, k, bound, due);
  for (int32_t j = 0; j < k->checked; j++) __builtin_prefetch(&pair[due[j]]); /* they lie far apart */
  for (int32_t j = 0; j < k->checked; j++) {
    const int32_t i = due[j];
    const double z = has_planes(&pair[i]) ? parted_by(&pair[i], w->x) : -INFINITY;
    safe[i] = vvi_sheet_safe(l->travel + z - reach);
    if (z - l->step >= reach) continue;
    if (look(w, l, &pair[i], z, &safe[i], &slot[k->hits])) slot[k->hits++].pair = i;
  }
  for (int32_t first = 0; first < k->n; first += BLOCK)
    if (!(block[first / BLOCK] > bound)) block[first / BLOCK] = least_of_block(safe + first);
  k->safe = least_of(block, (int32_t)(full(k->n) / BLOCK));
}

/* Chunks with pairs to look at, in order; the least budget of the others. */
static int32_t find_active(vvi_sheet_search *w)
{
  int32_t n = 0;
  for (int32_t i = 0; i < w->sheets->n_couple; i++) {
    vvi_sheet_list *l = &w->list[i];
    const float bound = bound_of(l);
    if (l->n == 0 || l->safe > bound) continue;
    l->safe = INFINITY;
    place_body(w, w->sheets->region[w->sheets->couple[i].a].body);
    place_body(w, w->sheets->region[w->sheets->couple[i].b].body);
    for (int64_t k = l->first; k < l->first + l->n; k += CHUNK) {
      const int64_t left = l->first + l->n - k, size = left < CHUNK ? left : CHUNK;
      const float safe = least_of(w->block + k / BLOCK, (int32_t)(full(size) / BLOCK));
      if (!(safe > bound))
        w->chunk[n++] = (vvi_sheet_chunk){.couple = i, .first = k, .n = size};
      else if (safe < l->safe)
        l->safe = safe;
    }
  }
  return n;
}

static bool take_hits(vvi_sheet_search *w, const vvi_sheet_chunk *k)
{
  vvi_sheet_list *l = &w->list[k->couple];
  if (k->safe < l->safe) l->safe = k->safe;
  w->checked += k->checked;
  if (k->hits > w->near_room - w->n_near) return false;
  double least = INFINITY;
  for (int32_t j = 0; j < k->hits; j++) {
    const vvi_sheet_slot *s = &w->slot[k->first + j];
    least = smaller(s->d, least);
    const vvi_sheet_pair *p = &w->pair[k->first + s->pair];
    w->near[w->n_near++] = (vvi_sheet_near){.a = p->a,
                                            .b = p->b,
                                            .couple = k->couple,
                                            .looked = s->parted ? 0 : -1,
                                            .parted = s->parted,
                                            .d = s->d,
                                            .n = {s->n[0], s->n[1], s->n[2]}};
  }
  w->nearest = smaller(least / l->guard, w->nearest);
  return true;
}

bool vvi_sheet_collect(vvi_sheet_search *w)
{
  memset(w->placed, 0, (size_t)w->sheets->n_body); /* momenta may have changed */
  if (!refresh(w)) return false;
  bool room = true;
  const int32_t n = find_active(w);
#pragma omp parallel for schedule(dynamic, 4) num_threads(w->threads) if (n > 16 && w->threads > 1)
  for (int32_t i = 0; i < n; i++) look_at_chunk(w, &w->chunk[i]);
  w->n_near = 0, w->nearest = INFINITY;
  for (int32_t i = 0; i < n && room; i++) room = take_hits(w, &w->chunk[i]);
  return room;
}
