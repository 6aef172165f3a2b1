/* contact/broad/solid_near.c  Near shapes, by a grid of bounding spheres with a skin, and the points where shapes touch. */
#include "base/sort.h"
#include "contact/shapes/solids.h"
#include "math/math.h"

#include <stdlib.h>
#include <string.h>

/* Room for each object at the start: couples, spots. */
enum { ROOM = 48, SPOTS = 12, MOST_SPOTS = 64, PARALLEL_FROM = 8192 };

/* Objects this many times larger than the middle one are not in the grid: everything is held against them. */
static const double LARGE = 4.0;

/* Ends of pieces that overlap something when they wake do not meet it until they have parted: over the smaller of the two. */
static const double OVERLAP = 1e-6;

static bool can_break(const vvi_object *o)
{
  return o->block->breaks && o->soft;
}

static vv_status make_broken(const vv_model *m, vvi_arena *arena, vvi_solid_near *w)
{
  const struct vvi_solids *s = w->solids;
  bool any = false;
  for (int32_t i = 0; i < s->n; i++) any |= can_break(&s->object[i]);
  if (!any) return VV_OK;
  w->asleep = VVI_ARENA_NEW(arena, unsigned char, s->n), w->cracks = VVI_ARENA_NEW(arena, int32_t, s->n);
  w->broken = VVI_ARENA_NEW(arena, unsigned char *, m->n_block);
  if (!w->asleep || !w->cracks || !w->broken) return VV_NOMEM;
  for (int32_t i = 0; i < s->n; i++) {
    unsigned char **broken = &w->broken[s->object[i].block - m->block];
    if (!can_break(&s->object[i]) || *broken != NULL) continue;
    if ((*broken = VVI_ARENA_NEW(arena, unsigned char, s->object[i].block->elements + 1)) == NULL) return VV_NOMEM;
  }
  return VV_OK;
}

vv_status vvi_solid_near_create(const vv_model *m, vvi_arena *arena, vvi_solid_near **out)
{
  const struct vvi_solids *s = m->solids;
  const int64_t n = s->n;
  vvi_solid_near *w = *out = VVI_ARENA_NEW(arena, vvi_solid_near, 1);
  if (w == NULL) return VV_NOMEM;
  w->solids = s;
  w->arena = arena;
  w->threads = vv_ctx_threads(m->ctx);
  w->room = ROOM * n + 4096;
  w->meet_room = SPOTS * n + 4096;
  for (w->buckets = 64; w->buckets < 2 * n; w->buckets *= 2) {
  }
  w->mover = VVI_ARENA_NEW(arena, vv_mover, s->movers);
  w->pose = VVI_ARENA_NEW(arena, vvi_pose, n);
  w->thread = VVI_ARENA_NEW(arena, vv_solid, n);
  w->fibre = VVI_ARENA_NEW(arena, vvi_part, n);
  w->reach = VVI_ARENA_NEW(arena, double, 3 * n);
  w->ref_pose = VVI_ARENA_NEW(arena, vvi_pose, n);
  w->ref_reach = VVI_ARENA_NEW(arena, double, n);
  w->list = VVI_ARENA_NEW(arena, vvi_candidate, w->room);
  w->meet = VVI_ARENA_NEW(arena, vvi_meet, w->meet_room);
  w->cell = VVI_ARENA_NEW(arena, int64_t, 3 * n);
  w->head = VVI_ARENA_NEW(arena, int32_t, w->buckets + n);
  if (!w->mover || !w->pose || !w->thread || !w->fibre || !w->reach || !w->list || !w->meet || !w->cell || !w->head ||
      !w->ref_pose || !w->ref_reach)
    return VV_NOMEM;
  w->bound = w->reach + n, w->path = w->bound + n;
  w->next = w->head + w->buckets;
  for (int64_t i = 0; i < n; i++) {
    const vvi_object *o = &s->object[i];
    w->pose[i] = (vvi_pose){.turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    w->reach[i] = o->reach;
    if (!o->soft) continue;
    w->fibre[i] = (vvi_part){.type = VVI_PART_CAPSULE, .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .radius = o->reach};
    w->thread[i] = (vv_solid){.parts = 1, .part = &w->fibre[i]};
  }
  return make_broken(m, arena, w);
}

/* ---- places ---- */

/* A segment between two nodes, or a tip: a capsule, or a ball. */
void vvi_solid_segment(const vvi_object *o, const double *x, const double *y, vvi_pose *pose, vvi_part *part,
                       vv_solid *solid)
{
  double d[3] = {0, 0, 0}, n[3] = {0, 0, 1};
  for (int c = 0; c < 3; c++) {
    if (y != NULL) d[c] = y[c] - x[c];
    pose->place[c] = y != NULL ? 0.5 * (x[c] + y[c]) : x[c];
    if (o->patch->type == VV_PATCH_TIP) pose->place[c] = x[c] + o->patch->reach * o->patch->direction[c];
  }
  const double length = vvi_norm3(d);
  for (int c = 0; c < 3 && length > 0.0; c++) n[c] = d[c] / length;
  part->type = y != NULL ? VVI_PART_CAPSULE : VVI_PART_BALL;
  part->half[2] = 0.5 * length;
  part->reach = solid->reach = part->half[2] + part->radius;
  double t[2][3];
  vvi_across(n, t);
  for (int c = 0; c < 3; c++)
    pose->turn[3 * c] = t[0][c], pose->turn[3 * c + 1] = t[1][c], pose->turn[3 * c + 2] = n[c];
}

static void place_soft(vvi_solid_near *w, int32_t i)
{
  const vvi_object *o = &w->solids->object[i];
  vvi_solid_segment(o, w->mover[o->mover[0]].place, o->mover[1] >= 0 ? w->mover[o->mover[1]].place : NULL, &w->pose[i],
                    &w->fibre[i], &w->thread[i]);
  w->reach[i] = w->thread[i].reach;
}

double vvi_object_speed(const vvi_solid_near *w, int32_t i)
{
  const vvi_object *o = &w->solids->object[i];
  double most = 0.0;
  for (int k = 0; k < 2 && o->mover[k] >= 0; k++) {
    const vv_mover *m = &w->mover[o->mover[k]];
    const double v = vvi_dot3(m->velocity, m->velocity), s = vvi_dot3(m->spin, m->spin);
    const double speed = sqrt(v) + (o->turns > 0.0 && s > 0.0 ? o->turns * sqrt(s) : 0.0);
    if (speed > most) most = speed;
  }
  return most;
}

/* A broken segment sleeps; a node inside of a bar wakes when an element beside it is broken. */
static bool sleeps(const vv_model *m, const unsigned char *broken, const vvi_object *o)
{
  const vv_body *body = &m->body[o->body];
  if (o->patch->type == VV_PATCH_TIP && !vvi_patch_sleeps(o->patch)) return false;
  const int64_t behind = body->element0 + (o->patch->node + o->copy - body->node0);
  return o->patch->type == VV_PATCH_TIP ? !broken[behind - 1] && !broken[behind] : broken[behind];
}

static void find_broken(const vv_model *m, vvi_solid_near *w, const double *q)
{
  const struct vvi_solids *s = w->solids;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    for (int32_t j = 0; w->broken[i] != NULL && j < b->n_body; j++)
      b->kind->broken(b, q + b->q0, j, w->broken[i] + b->body[j]->element0);
  }
  for (int32_t i = 0; i < s->n; i++) {
    const vvi_object *o = &s->object[i];
    if (!can_break(o)) continue;
    w->asleep[i] = sleeps(m, w->broken[o->block - m->block], o);
    w->cracks[i] = o->copy > 0 ? w->cracks[i - 1] + w->asleep[i - 1] : 0;
  }
}

void vvi_solid_near_place(const vv_model *m, vvi_solid_near *w, const double *q, const double *p)
{
  const struct vvi_solids *s = w->solids;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (s->first[i] >= 0) b->kind->movers(b, q + b->q0, p + b->p0, w->mover + s->first[i]);
  }
  for (int32_t i = 0; i < s->n; i++) {
    const vvi_object *o = &s->object[i];
    if (o->mover[0] < 0) continue;
    if (o->soft) {
      place_soft(w, i);
      continue;
    }
    memcpy(w->pose[i].place, w->mover[o->mover[0]].place, sizeof w->pose[i].place);
    memcpy(w->pose[i].turn, w->mover[o->mover[0]].turn, sizeof w->pose[i].turn);
  }
  if (w->asleep != NULL) find_broken(m, w, q);
}

/* ---- the list ---- */

/* Can this pair be nearer than the skin while both spheres stay where they are? */
static bool spheres_near(const vvi_solid_near *w, int32_t a, int32_t b)
{
  const double *x = w->pose[a].place, *y = w->pose[b].place;
  const double d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]}, far = w->reach[a] + w->reach[b] + w->skin;
  return vvi_dot3(d, d) <= far * far;
}

/* The shape of an object as another one meets it. */
static const vv_solid *shape_of(const vvi_solid_near *w, int32_t i, int32_t other)
{
  return w->solids->object[i].soft ? &w->thread[i] : vvi_solids_seen(w->solids, i, other);
}

/* Against what is large: the distance of the small one's centre from it. */
static bool large_near(const vvi_solid_near *w, int32_t large, int32_t i)
{
  double n[3];
  if (!isfinite(w->reach[i])) return true;
  return vvi_solid_distance(shape_of(w, large, i), &w->pose[large], w->pose[i].place, n) <= w->reach[i] + w->skin;
}

static bool is_large(const vvi_solid_near *w, int32_t i)
{
  const vvi_object *o = &w->solids->object[i];
  return o->mover[0] < 0 || !(w->reach[i] <= LARGE * w->solids->size) || (!o->soft && o->solid->hollow);
}

static bool add_couple(vvi_solid_near *w, int32_t i, int32_t j)
{
  const int32_t a = i < j ? i : j, b = i < j ? j : i, rule = vvi_solids_rule(w->solids, a, b);
  if (rule < 0) return true;
  if (w->n == w->room) {
    vvi_candidate *more = VVI_ARENA_NEW(w->arena, vvi_candidate, 2 * w->room);
    if (more == NULL) return false;
    memcpy(more, w->list, sizeof *more * (size_t)w->n);
    w->list = more, w->room *= 2;
  }
  w->list[w->n++] = (vvi_candidate){.a = a, .b = b, .rule = rule, .safe = -1.0};
  return true;
}

static uint64_t bucket_of(const vvi_solid_near *w, const int64_t c[3])
{
  const uint64_t h = (uint64_t)c[0] * 0x9e3779b97f4a7c15u ^ (uint64_t)c[1] * 0xc2b2ae3d27d4eb4fu ^
                     (uint64_t)c[2] * 0x165667b19e3779f9u;
  return (h ^ (h >> 29)) & (uint64_t)(w->buckets - 1);
}

static bool pair_cell(vvi_solid_near *w, int32_t i, const int64_t cell[3])
{
  for (int32_t j = w->head[bucket_of(w, cell)]; j >= 0; j = w->next[j]) {
    const int64_t *c = w->cell + 3 * (int64_t)j;
    if (j >= i || c[0] != cell[0] || c[1] != cell[1] || c[2] != cell[2]) continue;
    if (spheres_near(w, i, j) && !add_couple(w, i, j)) return false;
  }
  return true;
}

static bool pair_small(vvi_solid_near *w, double size)
{
  const int32_t n = w->solids->n;
  for (int64_t k = 0; k < w->buckets; k++) w->head[k] = -1;
  for (int32_t i = 0; i < n; i++) {
    if (is_large(w, i)) continue;
    int64_t *c = w->cell + 3 * (int64_t)i;
    for (int k = 0; k < 3; k++) {
      const double place = floor(w->pose[i].place[k] / size);
      c[k] = fabs(place) < 1e15 ? (int64_t)place : 0;
    }
    int32_t *head = &w->head[bucket_of(w, c)];
    w->next[i] = *head, *head = i;
  }
  for (int32_t i = 0; i < n; i++) {
    if (is_large(w, i)) continue;
    const int64_t *c = w->cell + 3 * (int64_t)i;
    for (int k = 0; k < 27; k++) {
      const int64_t cell[3] = {c[0] + k % 3 - 1, c[1] + k / 3 % 3 - 1, c[2] + k / 9 - 1};
      if (!pair_cell(w, i, cell)) return false;
    }
  }
  return true;
}

static bool pair_large(vvi_solid_near *w)
{
  const int32_t n = w->solids->n;
  for (int32_t l = 0; l < n; l++)
    for (int32_t i = 0; is_large(w, l) && i < n; i++) {
      if (i == l || (is_large(w, i) && i < l)) continue;
      if ((is_large(w, i) || large_near(w, l, i)) && !add_couple(w, l, i)) return false;
    }
  return true;
}

static int by_pair(const void *x, const void *y)
{
  const vvi_candidate *a = x, *b = y;
  return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

static bool build(vvi_solid_near *w, double travel)
{
  const int32_t n = w->solids->n;
  double widest = 0.0;
  w->skin = fmax(0.2 * w->solids->size, 8.0 * travel);
  for (int32_t i = 0; i < n; i++) {
    if (!is_large(w, i)) widest = fmax(widest, w->reach[i]);
    w->ref_pose[i] = w->pose[i], w->ref_reach[i] = w->reach[i];
    w->path[i] = 0.0;
  }
  w->n = 0;
  w->built = true;
  w->builds++;
  if (!pair_small(w, 2.0 * widest + w->skin + 1e-300) || !pair_large(w)) return false;
  vvi_sort(w->list, (size_t)w->n, sizeof *w->list, by_pair);
  return true;
}

/* How far its sphere has moved since the list was built; of what is large its surface: a turn by an angle c moves a point at
 * distance r by 2 r sin(c/2), and 4 sin(c/2)^2 = 3 - trace of the turn. */
static double moved_by(const vvi_solid_near *w, int32_t i)
{
  const vvi_object *o = &w->solids->object[i];
  const vvi_pose *x = &w->pose[i], *y = &w->ref_pose[i];
  const double d[3] = {x->place[0] - y->place[0], x->place[1] - y->place[1], x->place[2] - y->place[2]};
  double by = vvi_norm3(d) + (o->soft ? fmax(0.0, w->reach[i] - w->ref_reach[i]) : 0.0), trace = 0.0;
  if (!is_large(w, i)) return by;
  for (int k = 0; k < 9; k++) trace += x->turn[k] * y->turn[k];
  return by + (o->soft ? w->reach[i] : o->turns) * sqrt(vvi_larger(3.0 - trace, 0.0));
}

double vvi_solid_near_room(const vvi_solid_near *w, int32_t i)
{
  return 0.5 * w->skin - moved_by(w, i);
}

/* The list is complete while nothing has moved, or is about to move, by more than half the skin. */
bool vvi_solid_near_refresh(vvi_solid_near *w, double h)
{
  double travel = 0.0;
  bool good = w->built;
  for (int32_t i = 0; i < w->solids->n; i++) {
    const double go = fabs(h) * w->bound[i];
    if (w->solids->object[i].mover[0] < 0) continue;
    if (go > travel) travel = go;
    good = good && go <= vvi_solid_near_room(w, i);
  }
  return good || build(w, travel);
}

/* ---- places where shapes touch ---- */

/* What was found in a part of the list. */
typedef struct found {
  vvi_meet *meet; /* [room] */
  int64_t n, room;
  double least;
  vv_overlap overlap;
} found;

/* Gaps below this belong to shapes that have overlapped ever since they woke. */
static double deepest(const vvi_solid_near *w, const vvi_candidate *k)
{
  const double a = w->reach[k->a], b = w->reach[k->b];
  return vvi_solids_new(w, k) ? -OVERLAP * fmin(a > 0.0 ? a : INFINITY, b > 0.0 ? b : INFINITY) : -INFINITY;
}

/* m: what is nearer is near, at any speed. */
static double tiny(const vvi_solid_near *w)
{
  return 1e-9 * w->solids->size;
}

static bool look(const vvi_solid_near *w, vvi_candidate *k, double h, found *f)
{
  vvi_spot spot[MOST_SPOTS];
  double gap = 0.0;
  const double margin = fabs(h) * (w->bound[k->a] + w->bound[k->b]) + tiny(w), path = w->path[k->a] + w->path[k->b];
  if (k->safe > path + margin || !vvi_solids_awake(w, k)) return true;
  const double least = deepest(w, k);
  const int n = vvi_solids_touch(shape_of(w, k->a, k->b), &w->pose[k->a], shape_of(w, k->b, k->a), &w->pose[k->b],
                                 margin, MOST_SPOTS, spot, &gap);
  if (f->n + n > f->room) return false;
  k->safe = path + gap;
  for (int i = 0; i < n; i++) {
    if (spot[i].gap < least) continue;
    f->meet[f->n++] = (vvi_meet){.a = k->a, .b = k->b, .rule = k->rule, .spot = spot[i]};
    f->least = vvi_smaller(spot[i].gap, f->least);
    if (spot[i].gap < 0.0) vvi_overlap_take(&f->overlap, -spot[i].gap, vvi_solids_smaller(w->solids, k->a, k->b));
  }
  return true;
}

static bool more_room(vvi_solid_near *w, found *f)
{
  vvi_meet *more = VVI_ARENA_NEW(w->arena, vvi_meet, 2 * w->meet_room);
  if (more == NULL) return false;
  memcpy(more, f->meet, sizeof *more * (size_t)f->n);
  w->meet = f->meet = more, w->meet_room = f->room = 2 * w->meet_room;
  return true;
}

static bool look_alone(vvi_solid_near *w, double h)
{
  found f = {.meet = w->meet, .room = w->meet_room};
  bool room = true;
  for (int64_t i = 0; room && i < w->n; i++)
    while (!look(w, &w->list[i], h, &f) && (room = more_room(w, &f))) {
    }
  w->meets = f.n, w->least = f.least, w->overlap = f.overlap;
  return room;
}

/* The list in pieces, each with a part of the room; then the parts are closed up in their order, so that the result is that of
 * one thread.  False: a part was too small. */
static bool look_together(vvi_solid_near *w, double h)
{
  enum { PIECES = 16 };
  found f[PIECES];
  bool room = true;
#pragma omp parallel for schedule(dynamic) num_threads(w->threads) reduction(&& : room)
  for (int k = 0; k < PIECES; k++) {
    const int64_t first = w->meet_room * k / PIECES, end = w->n * (k + 1) / PIECES;
    f[k] = (found){.meet = w->meet + first, .room = w->meet_room * (k + 1) / PIECES - first};
    for (int64_t i = w->n * k / PIECES; room && i < end; i++) room = look(w, &w->list[i], h, &f[k]);
  }
  w->meets = 0, w->least = 0.0, w->overlap = (vv_overlap){0};
  for (int k = 0; k < PIECES; k++) {
    memmove(w->meet + w->meets, f[k].meet, sizeof *w->meet * (size_t)f[k].n);
    w->meets += f[k].n;
    w->least = fmin(w->least, f[k].least);
    vvi_overlap_take(&w->overlap, f[k].overlap.depth, f[k].overlap.size);
  }
  return room;
}

bool vvi_solid_near_collect(vvi_solid_near *w, double h)
{
  if (!vvi_solid_near_refresh(w, h)) return false;
  return (w->threads > 1 && w->n >= PARALLEL_FROM && look_together(w, h)) || look_alone(w, h);
}

double vvi_solid_near_clearance(const vvi_solid_near *w, double least)
{
  const vvi_object *o = w->solids->object;
  double room = INFINITY;
  for (int64_t i = 0; i < w->n && room > least; i++) {
    const vvi_candidate *k = &w->list[i];
    const int moving = (o[k->a].mover[0] >= 0) + (o[k->b].mover[0] >= 0);
    const double gap = k->safe - (w->path[k->a] + w->path[k->b]) - tiny(w);
    if (moving > 0 && gap < moving * room) room = gap / moving;
  }
  for (int32_t i = 0; i < w->solids->n && room > least; i++)
    if (o[i].mover[0] >= 0) room = vvi_smaller(vvi_solid_near_room(w, i), room);
  return room;
}

void vvi_solid_near_moved(vvi_solid_near *w, double h)
{
  for (int32_t i = 0; i < w->solids->n; i++) w->path[i] += fabs(h) * w->bound[i];
}
