/* contact/shapes/side.c  Bars touch with their ends alone.  What lies across one at the start is refused, and what would come upon its
 * side in free flight is told.
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

static nearest look(const bar *b, const flyer *o)
{
  nearest out = {.d = INFINITY};
  const vv_patch *p = o->patch;
  if (p->type == VV_PATCH_SOLID)
    for (int64_t i = 0; i < p->nodes; i++) near_solid(b, o, i, &out);
  if (p->type == VV_PATCH_CURVE) {
    const double radius = p->corners == 4 ? fmin(p->half[0], p->half[1]) : p->radius;
    for (int64_t i = 0; i < p->nodes - !p->closed; i++)
      near_segment(b, o->mover[i].place, o->mover[(i + 1) % p->nodes].place, radius, &out);
  }
  for (int64_t i = 0; p->type == VV_PATCH_SURFACE && i < p->elements; i++) {
    const int32_t *node = o->block->element_node + 3 * (p->element + i);
    const double *x[3];
    for (int k = 0; k < 3; k++) x[k] = o->mover[node[k] - p->node].place;
    near_triangle(b, x, 0.5 * p->thickness, &out);
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

static vv_status judge(const vv_model *m, const vvi_rules *rules, const bar *b, const flyer *o, double end)
{
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
static vv_status judge_bars(const vv_model *m, const vvi_rules *rules, const bar *a, const bar *b)
{
  double n[3];
  vvi_cross3(a->axis, b->axis, n);
  if (vvi_norm3(n) < 1e-9 || !may_meet(rules, a->body->index, b->body->index)) return VV_OK;
  nearest now = {.d = INFINITY};
  near_segment(a, b->end[0], b->end[1], 0.0, &now);
  return now.d < 1e-9 * a->length && now.side ? across(m, a, b->body->index) : VV_OK;
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
    for (int32_t k = 0; k < i; k++) VV_TRY(judge_bars(m, rules, &list[i], &list[k]));
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
