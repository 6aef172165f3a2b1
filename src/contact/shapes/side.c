/* contact/shapes/side.c  Bars touch with their ends alone.  What lies across one at the start is refused, what would come upon its
 * side in free flight is told before the run, and what is inside a bar in a step breaks the claim `penetration`.
 *
 * A bar is the segment between its tips; it moves along itself, so that only others can come upon its side.  Of each the way is
 * that of its middle, x + v t + g t^2/2, without a turn.  A point of it is never faster than u = |v| + |g| T relative to the bar,
 * so nothing is met within d/u where d is the distance now: time goes on by that until d is small.           [contact 31] */
#include "contact/shapes/side.h"
#include "contact/narrow/closest.h"
#include "contact/narrow/obstacle.h"
#include "contact/pairs/layers.h"
#include "contact/shapes/rules.h"
#include "geom/mesh.h"
#include "geom/solid.h"
#include "math/math.h"

#include <stdlib.h>
#include <string.h>

/* Distances that are looked at exactly before a way is taken as one that passes by; spots of two solids. */
enum { LOOKS = 256, SPOTS = 16 };

/* Parts of a bar's length: nearer than NEAR is met; closer to an end than END is the end. */
static const double NEAR = 1e-4, END = 1e-6;
/* Sine of an angle, and parts of a length, that are rounding. */
static const double PARALLEL = 1e-9;

typedef struct bar {
  const vv_body *body;
  double end[2][3], middle[3], axis[3], length, velocity[3];
} bar;

/* What may come: a patch, its nodes, and how it flies. */
typedef struct flyer {
  const vv_block *block;
  const vv_patch *patch;
  const vv_mover *mover; /* of its first node */
  double middle[3], reach, velocity[3];
  double skin;               /* of a surface: how far from it others are kept */
  const unsigned char *gone; /* [elements of the block] broken; NULL: none is */
  const double *gravity;
} flyer;

/* The nearest that was found: distance, and whether it is on the side. */
typedef struct nearest {
  double d;
  bool side;
} nearest;

static void take(nearest *k, double d, bool side)
{
  if (d < k->d) k->d = d, k->side = side;
}

static double from_axis(const bar *b, const double x[3])
{
  double d[3] = {x[0] - b->middle[0], x[1] - b->middle[1], x[2] - b->middle[2]};
  const double s = vvi_dot3(d, b->axis), t = fmax(-0.5 * b->length, fmin(0.5 * b->length, s));
  for (int c = 0; c < 3; c++) d[c] -= t * b->axis[c];
  return vvi_norm3(d);
}

static bool is_side(const bar *b, const double x[3])
{
  const double d[3] = {x[0] - b->middle[0], x[1] - b->middle[1], x[2] - b->middle[2]};
  return fabs(vvi_dot3(d, b->axis)) < (0.5 - END) * b->length;
}

/* ---- distances: the bar is moved by -way, not the other by way ---- */

static void near_segment(const bar *b, const double *x, const double *y, double radius, nearest *out)
{
  double at[4][3];
  vvi_closest c;
  memcpy(at[0], b->end, sizeof b->end);
  memcpy(at[2], x, sizeof at[2]), memcpy(at[3], y, sizeof at[3]);
  vvi_closest_at(VVI_EDGE_EDGE, (const double(*)[3])at, &c);
  take(out, c.d - radius, c.on[0] == 0);
}

static void near_triangle(const bar *b, const double *const x[3], double radius, nearest *out)
{
  const double *line[3] = {b->end[0], b->end[1], b->end[1]};
  double at[4][3];
  vvi_closest c;
  for (int e = 0; e < 2; e++) {
    memcpy(at[0], b->end[e], sizeof at[0]);
    for (int k = 0; k < 3; k++) memcpy(at[1 + k], x[k], sizeof at[0]);
    vvi_closest_at(VVI_VERTEX_FACE, (const double(*)[3])at, &c);
    take(out, c.d - radius, false);
  }
  for (int k = 0; k < 3; k++) near_segment(b, x[k], x[(k + 1) % 3], radius, out);
  if (vvi_triangles_intersect(line, x, 0.0)) take(out, -radius - NEAR * b->length, true);
}

static void near_solid(const bar *b, const flyer *o, int64_t copy, nearest *out)
{
  vvi_part part = {.type = VVI_PART_CAPSULE,
                   .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                   .half = {0, 0, 0.5 * b->length},
                   .reach = 0.5 * b->length};
  const vv_solid line = {.parts = 1, .part = &part, .reach = part.reach};
  vvi_pose here, there;
  vvi_spot spot[SPOTS];
  double t[2][3], gap;
  vvi_across(b->axis, t);
  memcpy(here.place, b->middle, sizeof here.place);
  for (int c = 0; c < 3; c++)
    here.turn[3 * c] = t[0][c], here.turn[3 * c + 1] = t[1][c], here.turn[3 * c + 2] = b->axis[c];
  memcpy(there.place, o->mover[copy].place, sizeof there.place);
  memcpy(there.turn, o->mover[copy].turn, sizeof there.turn);
  const int n = vvi_solids_touch(&line, &here, o->patch->solid, &there, 4.0 * (b->length + o->patch->solid->reach),
                                 SPOTS, spot, &gap);
  for (int i = 0; i < n; i++) take(out, spot[i].gap, is_side(b, spot[i].x));
  if (n == 0) take(out, gap, false);
}

/* Convex about what is round or a box: thirds of an interval that hold the least. */
static void near_obstacle(const bar *b, const vv_patch *o, nearest *out)
{
  double low = -0.5, high = 0.5, n[3], x[3], d[2];
  for (int i = 0; i < 100; i++) {
    const double at[2] = {low + (high - low) / 3.0, high - (high - low) / 3.0};
    for (int k = 0; k < 2; k++) {
      for (int c = 0; c < 3; c++) x[c] = b->middle[c] + at[k] * b->length * b->axis[c];
      d[k] = vvi_obstacle_distance(o, x, n);
    }
    if (d[0] < d[1])
      high = at[1];
    else
      low = at[0];
  }
  take(out, fmin(d[0], d[1]), is_side(b, x));
}

/* Element i of a curve or surface has broken: nothing meets it any more. */
static bool is_gone(const flyer *o, int64_t i)
{
  const vv_patch *p = o->patch;
  if (o->gone == NULL) return false;
  for (int32_t k = 0; p->type == VV_PATCH_CURVE && k < o->block->n_body; k++)
    if (o->block->body[k]->index == p->body) return o->gone[o->block->body[k]->element0 + i];
  return o->gone[p->element + i];
}

static nearest look(const bar *b, const flyer *o)
{
  nearest out = {.d = INFINITY};
  const vv_patch *p = o->patch;
  if (p->type == VV_PATCH_SOLID)
    for (int64_t i = 0; i < p->nodes; i++) near_solid(b, o, i, &out);
  if (p->type == VV_PATCH_CURVE) {
    const double radius = p->corners == 4 ? fmin(p->half[0], p->half[1]) : p->radius;
    for (int64_t i = 0; i < p->nodes - !p->closed; i++)
      if (!is_gone(o, i)) near_segment(b, o->mover[i].place, o->mover[(i + 1) % p->nodes].place, radius, &out);
  }
  for (int64_t i = 0; p->type == VV_PATCH_SURFACE && i < p->elements; i++) {
    const int32_t *node = o->block->element_node + 3 * (p->element + i);
    const double *x[3];
    if (is_gone(o, i)) continue;
    for (int k = 0; k < 3; k++) x[k] = o->mover[node[k] - p->node].place;
    near_triangle(b, x, o->skin, &out);
  }
  return out;
}

/* ---- flights ---- */

/* The bar where it stands at a time, seen from the other. */
static bar seen_at(const bar *b, const flyer *o, double t)
{
  bar out = *b;
  for (int c = 0; c < 3; c++) {
    const double way = (b->velocity[c] - o->velocity[c]) * t - 0.5 * o->gravity[c] * t * t;
    out.end[0][c] += way, out.end[1][c] += way, out.middle[c] += way;
  }
  return out;
}

/* The time at which the side is met first; < 0: never, or an end is met before. */
static double meets_at(const bar *b, const flyer *o, double end)
{
  double v[3], t = 0.0;
  for (int c = 0; c < 3; c++) v[c] = b->velocity[c] - o->velocity[c];
  const double u = vvi_norm3(v) + vvi_norm3(o->gravity) * end;
  if (!(u > 0.0)) return -1.0;
  for (int i = 0; i < LOOKS && t <= end; i++) {
    const bar now = seen_at(b, o, t);
    const double far = from_axis(&now, o->middle) - o->reach;
    const nearest k = far > NEAR * b->length ? (nearest){.d = far} : look(&now, o);
    if (k.d <= NEAR * b->length) return k.side ? t : -1.0;
    t += k.d / u;
  }
  return -1.0;
}

static bool may_meet(const vvi_rules *rules, int32_t a, int32_t b)
{
  return a != b && vvi_rule_acts(vvi_rules_find(rules, a, b));
}

static vv_status across(const vv_model *m, const bar *b, int32_t other)
{
  return vv_complain(b->body->group, NULL,
                     "'%s' lies across '%s' at the start, which touches with its ends alone: make it a beam, move one "
                     "of them, or set 'response: none' between the two",
                     m->body[other].name, b->body->name);
}

/* m: of the line that speaks for the two. */
static double skin_of(const vvi_rules *rules, const bar *b, const vv_patch *p)
{
  const vvi_rule *r = vvi_rules_find(rules, b->body->index, p->body);
  return r != NULL && r->thick && p->type == VV_PATCH_SURFACE ? 0.5 * p->thickness : 0.0;
}

static vv_status judge(const vv_model *m, const vvi_rules *rules, const bar *b, flyer *o, double end)
{
  o->skin = skin_of(rules, b, o->patch);
  const double far = from_axis(b, o->middle) - o->reach;
  const nearest now = far > 0.0 ? (nearest){.d = far} : look(b, o);
  const bool lies = now.d < 0.0 && now.side;
  const double t = lies ? 0.0 : meets_at(b, o, end);
  if (t < 0.0 || !may_meet(rules, b->body->index, o->patch->body)) return VV_OK; /* words are slower than distances */
  if (lies) return across(m, b, o->patch->body);
  if (t >= 0.0)
    vvi_warn(
        b->body->group, NULL,
        "'%s' comes upon the side of '%s' at %.3g s, if nothing is in its way, and passes through it: a bar touches "
        "with its ends alone; what is hit from the side is a beam",
        m->body[o->patch->body].name, b->body->name, t);
  return VV_OK;
}

/* ---- bars and others ---- */

static bool is_bar(const vv_model *m, const vv_body *body)
{
  return body->n_patch >= 2 && m->block[body->block].patch[body->patch0].type == VV_PATCH_TIP;
}

static void take_bar(const vv_model *m, const vv_body *body, const double *q, const double *p, bar *out)
{
  const vv_block *b = &m->block[body->block];
  double v[2][3];
  out->body = body;
  for (int e = 0; e < 2; e++) {
    const vv_point pt = {.patch = body->patch0 + e};
    b->kind->surface(b, q + b->q0, 1, &pt, out->end[e]);
    b->kind->push(b, q + b->q0, p + b->p0, 1, &pt, v[e]);
  }
  for (int c = 0; c < 3; c++) {
    out->middle[c] = 0.5 * (out->end[0][c] + out->end[1][c]);
    out->axis[c] = out->end[1][c] - out->end[0][c];
    out->velocity[c] = 0.5 * (v[0][c] + v[1][c]);
  }
  out->length = vvi_norm3(out->axis);
  for (int c = 0; c < 3; c++) out->axis[c] /= out->length > 0.0 ? out->length : 1.0;
}

/* The sphere about all its nodes, and their mean velocity; single copies of a rigid body fly each for itself. */
static void take_flyer(const vv_model *m, const vv_patch *p, const vv_mover *mover, int64_t n, flyer *o)
{
  const vv_block *b = &m->block[m->body[p->body].block];
  *o = (flyer){.block = b, .patch = p, .mover = mover, .gravity = m->gravity};
  for (int64_t i = 0; i < n; i++)
    for (int c = 0; c < 3; c++) {
      o->middle[c] += mover[i].place[c] / (double)n;
      o->velocity[c] += mover[i].velocity[c] / (double)n;
    }
  for (int64_t i = 0; i < n; i++) {
    const double d[3] = {mover[i].place[0] - o->middle[0], mover[i].place[1] - o->middle[1],
                         mover[i].place[2] - o->middle[2]};
    o->reach = fmax(o->reach, vvi_norm3(d));
  }
  o->reach += p->type == VV_PATCH_SOLID ? p->solid->reach : fmax(p->radius, 0.5 * p->thickness);
}

/* Two bars move along their lines: where these do not cross nothing ever meets. */
static bool are_across(const vvi_rules *rules, const bar *a, const bar *b)
{
  double n[3];
  vvi_cross3(a->axis, b->axis, n);
  if (vvi_norm3(n) < PARALLEL || !may_meet(rules, a->body->index, b->body->index)) return false;
  nearest now = {.d = INFINITY};
  near_segment(a, b->end[0], b->end[1], 0.0, &now);
  return now.d < PARALLEL * a->length && now.side;
}

static vv_status judge_patch(const vv_model *m, const vvi_rules *rules, const bar *list, int32_t n, const vv_patch *p,
                             const vv_mover *mover, double end)
{
  const int64_t copies = p->type == VV_PATCH_SOLID ? p->nodes : 1;
  vv_patch one = *p; /* a copy of a rigid body alone */
  if (p->type == VV_PATCH_SOLID) one.nodes = 1;
  for (int64_t i = 0; i < copies; i++) {
    flyer o;
    take_flyer(m, &one, mover + i, one.nodes, &o);
    for (int32_t k = 0; k < n; k++) VV_TRY(judge(m, rules, &list[k], &o, end));
  }
  return VV_OK;
}

static vv_status judge_all(const vv_model *m, const vvi_rules *rules, const bar *list, int32_t n, const double *q,
                           const double *p, vv_mover *mover)
{
  const double end = vv_number(vv_sub(m->root, "time"), "end");
  for (int32_t i = 0; i < n; i++)
    for (int32_t k = 0; k < i; k++)
      if (are_across(rules, &list[i], &list[k])) return across(m, &list[i], list[k].body->index);
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    bool known = false;
    for (int32_t k = 0; k < b->patches; k++) {
      const vv_patch *t = &b->patch[k];
      if (t->node < 0 && t->type != VV_PATCH_PLANE && !t->inside) {
        for (int32_t j = 0; j < n; j++) {
          nearest now = {.d = INFINITY};
          near_obstacle(&list[j], t, &now);
          if (now.d < 0.0 && now.side && may_meet(rules, list[j].body->index, t->body))
            return across(m, &list[j], t->body);
        }
      }
      if (t->node < 0 || t->type == VV_PATCH_TIP || b->kind->movers == NULL) continue;
      if (!known) b->kind->movers(b, q + b->q0, p + b->p0, mover);
      known = true;
      VV_TRY(judge_patch(m, rules, list, n, t, mover + t->node, end));
    }
  }
  return VV_OK;
}

vv_status vvi_sides_check(const vv_model *m, const vvi_rules *rules, const double *q, const double *p)
{
  int32_t n = 0;
  int64_t most = 0;
  bool others = false; /* bars on parallel lines have no side to each other */
  bar *list = calloc((size_t)m->n_body + 1, sizeof *list);
  if (list == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < m->n_body; i++) {
    if (is_bar(m, &m->body[i]))
      take_bar(m, &m->body[i], q, p, &list[n++]);
    else
      others = true;
    others |= n > 0 && fabs(vvi_dot3(list[n - 1].axis, list[0].axis)) < 1.0 - 1e-12;
  }
  for (int i = 0; i < m->n_block; i++) most = m->block[i].nodes > most ? m->block[i].nodes : most;
  vv_mover *mover = n > 0 && others ? malloc(sizeof *mover * (size_t)(most + 1)) : NULL;
  vv_status status = mover != NULL ? judge_all(m, rules, list, n, q, p, mover) : n > 0 && others ? VV_NOMEM : VV_OK;
  free(mover);
  free(list);
  return status;
}

/* ---- during the run ----
 *
 * Others fly anew after every impact, so that nothing but a look tells.  Room is the least distance between bars and the sphere about
 * a body when it was looked at; while what all have moved since is less than that it needs no other look.  What is near is looked
 * at in every step: is it inside, and has a line of it crossed the bar since the step before?  So what is found does not depend on
 * when there was a look before.
 *
 * What is in contact with an end may be near the side: only the bar without ENDS of its length counts, which is as much as the
 * claim lets an end be inside of something.  What bends and is far away is looked at in every STRIDEth step: in a stable step no
 * wave passes more than an element.  Solids that fly far in a step are looked at PARTS times on their way. */
enum { STRIDE = 16, PARTS = 16 };
static const double ENDS = 1e-2;

typedef double point[3];

typedef struct watched {
  vv_patch patch;
  int64_t mover;           /* of its first node, within its block */
  point *before;           /* [nodes] a step ago, while it is near */
  double middle[3], reach; /* when it was looked at last */
  double room, way;        /* then: to the nearest bar, and the way of the bars */
  bool near;
} watched;

typedef struct crossing {
  int32_t a, b;
} crossing;

struct vvi_sides {
  const vv_model *model;
  bar *bar, *before; /* [bars] now, and a step ago, without ends */
  double way;        /* m: the sum over steps of that of the fastest of them */
  watched *other;
  point *place;
  int64_t places;
  int32_t bars, others, *first; /* [blocks + 1] others by blocks */
  int32_t crossings;
  crossing *crossing; /* bars whose lines cross */
  vv_mover *mover;
  unsigned char *gone; /* [elements of any block] broken */
};

/* Pieces of a bar have gaps between them. */
static bool is_whole(const vv_model *m, const vv_body *body)
{
  return is_bar(m, body) && !m->block[body->block].breaks;
}

/* A line of the scene lets it touch some bar. */
static bool meets_some_bar(const vv_model *m, const vv_patch *p)
{
  for (int32_t i = 0; i < m->n_body; i++)
    if (is_whole(m, &m->body[i]) && may_meet(m->rules, i, p->body)) return true;
  return false;
}

static bool can_come(const vv_model *m, const vv_block *b, const vv_patch *p)
{
  const bool shared = vvi_ctx_net(m->ctx) != NULL && p->type == VV_PATCH_SURFACE; /* a rank has some of its nodes */
  return p->node >= 0 && p->type != VV_PATCH_TIP && b->kind->movers != NULL && p->pieces <= 1 && !shared &&
         meets_some_bar(m, p);
}

/* Counts, or lists where there is room. */
static void list_others(const vv_model *m, vvi_sides *w)
{
  w->others = 0, w->places = 0;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (w->first != NULL) w->first[i] = w->others;
    for (int32_t k = 0; k < b->patches; k++) {
      const vv_patch *p = &b->patch[k];
      const bool each = p->type == VV_PATCH_SOLID;
      const int64_t nodes = each ? 1 : p->nodes, n = !can_come(m, b, p) ? 0 : each ? p->nodes : 1;
      for (int64_t j = 0; j < n; j++, w->others++, w->places += nodes) {
        if (w->other == NULL) continue;
        watched *o = &w->other[w->others];
        *o = (watched){.mover = p->node + j, .patch = *p, .before = w->place + w->places, .near = true};
        o->patch.nodes = nodes;
      }
    }
  }
  if (w->first != NULL) w->first[m->n_block] = w->others;
}

/* Lines of bars stay where they are. */
static bool lines_cross(const bar *a, const bar *b)
{
  double n[3], d[3];
  vvi_cross3(a->axis, b->axis, n);
  for (int c = 0; c < 3; c++) d[c] = a->middle[c] - b->middle[c];
  return vvi_norm3(n) >= PARALLEL && fabs(vvi_dot3(n, d)) < PARALLEL * (a->length + b->length);
}

/* Counts, or lists where there is room. */
static void list_crossings(vvi_sides *w)
{
  w->crossings = 0;
  for (int32_t i = 0; i < w->bars; i++)
    for (int32_t k = 0; k < i; k++) {
      const bar *a = &w->bar[i], *b = &w->bar[k];
      if (!lines_cross(a, b) || !may_meet(w->model->rules, a->body->index, b->body->index)) continue;
      if (w->crossing != NULL) w->crossing[w->crossings] = (crossing){i, k};
      w->crossings++;
    }
}

/* A bar without its ends. */
static void take_inner(const vv_model *m, const vv_body *body, const double *q, const double *p, bar *out)
{
  take_bar(m, body, q, p, out);
  out->length *= 1.0 - 2.0 * ENDS;
  for (int c = 0; c < 3; c++) {
    const double half = 0.5 * out->length * out->axis[c];
    out->end[0][c] = out->middle[c] - half, out->end[1][c] = out->middle[c] + half;
  }
}

static void move_bars(vvi_sides *w, const double *q, const double *p)
{
  double most = 0.0;
  for (int32_t i = 0; i < w->bars; i++) {
    bar *now = &w->bar[i], *before = &w->before[i];
    *before = *now;
    take_inner(w->model, before->body, q, p, now);
    for (int e = 0; e < 2; e++) most = fmax(most, vvi_apart3(now->end[e], before->end[e]));
  }
  w->way += most;
}

static void keep_places(watched *o, const vv_mover *mover)
{
  for (int64_t i = 0; i < o->patch.nodes; i++) memcpy(o->before[i], mover[i].place, sizeof *o->before);
}

vv_status vvi_sides_create(const vv_model *m, const double *q, const double *p, vvi_arena *arena, vvi_sides **out)
{
  vvi_sides *w = *out = NULL, count = {.model = m};
  int64_t most = 0, elements = 0;
  for (int32_t i = 0; i < m->n_body; i++) count.bars += is_whole(m, &m->body[i]);
  if (count.bars == 0 || m->rules == NULL) return VV_OK;
  list_others(m, &count);
  for (int i = 0; i < m->n_block; i++) {
    if (m->block[i].nodes > most) most = m->block[i].nodes;
    if (m->block[i].elements > elements) elements = m->block[i].elements;
  }
  if ((w = VVI_ARENA_NEW(arena, vvi_sides, 1)) == NULL) return VV_NOMEM;
  w->model = m;
  w->bar = VVI_ARENA_NEW(arena, bar, count.bars), w->before = VVI_ARENA_NEW(arena, bar, count.bars);
  w->place = VVI_ARENA_NEW(arena, point, count.places + 1);
  w->other = VVI_ARENA_NEW(arena, watched, count.others + 1), w->first = VVI_ARENA_NEW(arena, int32_t, m->n_block + 1);
  w->mover = VVI_ARENA_NEW(arena, vv_mover, most + 1);
  w->gone = VVI_ARENA_NEW(arena, unsigned char, elements + 1);
  if (!w->bar || !w->before || !w->place || !w->other || !w->first || !w->mover || !w->gone) return VV_NOMEM;
  list_others(m, w);
  for (int32_t i = 0; i < m->n_body; i++)
    if (is_whole(m, &m->body[i])) take_inner(m, &m->body[i], q, p, &w->bar[w->bars++]);
  list_crossings(w);
  if ((w->crossing = VVI_ARENA_NEW(arena, crossing, w->crossings + 1)) == NULL) return VV_NOMEM;
  list_crossings(w);
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (w->first[i] < w->first[i + 1]) b->kind->movers(b, q + b->q0, p + b->p0, w->mover);
    for (int32_t k = w->first[i]; k < w->first[i + 1]; k++) keep_places(&w->other[k], w->mover + w->other[k].mover);
  }
  if (w->others > 0 || w->crossings > 0) *out = w;
  return VV_OK;
}

static void inside_by(vv_overlap *deepest, int32_t who[2], const bar *b, int32_t other, double depth, double size)
{
  const double old = deepest->depth;
  vvi_overlap_take(deepest, fmin(depth, size), size);
  if (deepest->depth != old) who[0] = b->body->index, who[1] = other;
}

/* Has the line between two nodes crossed the bar since the step before? */
static bool line_crossed(const bar *now, const bar *before, const watched *o, const vv_mover *mover, int64_t i,
                         int64_t k)
{
  const int64_t node[2] = {i, k};
  double x[4][3], y[4][3], time;
  vvi_closest at;
  const double longest = vvi_apart3(mover[i].place, mover[k].place) + vvi_apart3(mover[i].place, o->before[i]) +
                         vvi_apart3(now->middle, before->middle);
  if (from_axis(now, mover[i].place) > 2.0 * longest) return false;
  memcpy(x, before->end, sizeof before->end), memcpy(y, now->end, sizeof now->end);
  for (int j = 0; j < 2; j++)
    memcpy(x[2 + j], o->before[node[j]], sizeof x[0]), memcpy(y[2 + j], mover[node[j]].place, sizeof y[0]);
  return vvi_crossing(VVI_EDGE_EDGE, (const double(*)[3])x, (const double(*)[3])y, PARALLEL * now->length, &time, &at);
}

static bool has_crossed(const bar *now, const bar *before, const watched *o, const flyer *f)
{
  const vv_patch *p = f->patch;
  for (int64_t i = 0; p->type == VV_PATCH_CURVE && i < p->nodes - !p->closed; i++)
    if (!is_gone(f, i) && line_crossed(now, before, o, f->mover, i, (i + 1) % p->nodes)) return true;
  for (int64_t i = 0; p->type == VV_PATCH_SURFACE && i < p->elements; i++) {
    const int32_t *node = f->block->element_node + 3 * (p->element + i);
    for (int k = 0; k < 3 && !is_gone(f, i); k++)
      if (line_crossed(now, before, o, f->mover, node[k] - p->node, node[(k + 1) % 3] - p->node)) return true;
  }
  return false;
}

/* A solid on its way through the step, turned as it is at the end. */
static nearest look_on_the_way(const bar *b, const watched *o, const flyer *f)
{
  nearest least = {.d = INFINITY};
  const double *now = f->mover->place, *before = o->before[0];
  const int parts = vvi_apart3(now, before) > f->reach / PARTS ? PARTS : 1;
  for (int i = 1; i <= parts; i++) {
    vv_mover mover = *f->mover;
    flyer there = *f;
    there.mover = &mover;
    for (int c = 0; c < 3; c++) mover.place[c] += (1.0 - (double)i / parts) * (before[c] - now[c]);
    const nearest n = look(b, &there);
    if (n.d < least.d) least = n;
  }
  return least;
}

static void look_about(vvi_sides *w, watched *o, flyer *f, vv_overlap *deepest, int32_t who[2])
{
  const bool solid = f->patch->type == VV_PATCH_SOLID, surface = f->patch->type == VV_PATCH_SURFACE;
  const double way = vvi_apart3(f->middle, o->middle) + fabs(f->reach - o->reach);
  const bool stepped = o->near; /* places of the step before are known */
  o->room = INFINITY;
  for (int32_t k = 0; k < w->bars; k++) {
    const bar *b = &w->bar[k];
    const double far = from_axis(b, f->middle) - f->reach - 2.0 * way;
    o->room = fmin(o->room, far);
    if (far > 0.0 || !may_meet(w->model->rules, b->body->index, f->patch->body)) continue;
    f->skin = skin_of(w->model->rules, b, f->patch);
    const nearest n = solid && stepped ? look_on_the_way(b, o, f) : look(b, f);
    const double size = f->patch->type == VV_PATCH_CURVE
                            ? fmax(f->patch->radius, fmin(f->patch->half[0], f->patch->half[1]))
                            : f->reach;
    const bool cut = n.side && surface && n.d < -f->skin;
    if (cut || (stepped && !solid && has_crossed(b, &w->before[k], o, f))) /* then all of it is inside */
      inside_by(deepest, who, b, f->patch->body, size, size);
    else if (n.side && n.d < 0.0)
      inside_by(deepest, who, b, f->patch->body, -n.d, size);
  }
  memcpy(o->middle, f->middle, sizeof o->middle);
  o->reach = f->reach, o->way = w->way, o->near = !(o->room > 0.0);
  if (o->near) keep_places(o, f->mover);
}

static void look_at_block(vvi_sides *w, int block, const double *q, const double *p, vv_overlap *deepest,
                          int32_t who[2])
{
  const vv_block *b = &w->model->block[block];
  b->kind->movers(b, q + b->q0, p + b->p0, w->mover);
  for (int32_t j = 0; b->breaks && j < b->n_body; j++) b->kind->broken(b, q + b->q0, j, w->gone + b->body[j]->element0);
  for (int32_t i = w->first[block]; i < w->first[block + 1]; i++) {
    watched *o = &w->other[i];
    flyer f;
    take_flyer(w->model, &o->patch, w->mover + o->mover, o->patch.nodes, &f);
    f.gone = b->breaks ? w->gone : NULL;
    const double used = vvi_apart3(f.middle, o->middle) + fabs(f.reach - o->reach) + w->way - o->way;
    if (o->near || !(used < o->room)) look_about(w, o, &f, deepest, who);
  }
}

/* Something of the block is near, or solid. */
static bool is_due(const vvi_sides *w, int block)
{
  for (int32_t i = w->first[block]; i < w->first[block + 1]; i++)
    if (w->other[i].near || w->other[i].patch.type == VV_PATCH_SOLID) return true;
  return false;
}

bool vvi_sides_look(vvi_sides *w, int64_t step, const double *q, const double *p, vv_overlap *deepest, int32_t who[2])
{
  const vv_model *m = w->model;
  const bool all = step % STRIDE == 0 || vvi_model_implicit(m);
  bool moved = false;
  *deepest = (vv_overlap){0};
  for (int i = 0; i < m->n_block; i++) {
    if (w->first[i] == w->first[i + 1] || !(all || is_due(w, i))) continue;
    if (!moved) move_bars(w, q, p);
    moved = true;
    look_at_block(w, i, q, p, deepest, who);
  }
  if (all && !moved) move_bars(w, q, p);
  for (int32_t i = 0; all && i < w->crossings; i++) {
    const bar *a = &w->bar[w->crossing[i].a], *b = &w->bar[w->crossing[i].b];
    const double size = fmin(a->length, b->length);
    if (are_across(m->rules, a, b)) inside_by(deepest, who, a, b->body->index, size, size);
  }
  return deepest->depth > 0.0;
}
