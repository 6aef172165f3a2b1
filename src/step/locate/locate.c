/* step/locate/locate.c  Impacts of balls at their own times.
 *
 * The flight of a ball is known exactly, so an impact at t* inside the step is applied to the pair alone: both fly to t*,
 * bounce, and fly back to the start with their new momenta,
 *   X(t*),  reflect,  X <- X(t*) - t* v+.                                                                         [many 7]
 * The common drift of the step then gives the exact broken line.  Momentum and energy are exact; angular momentum too,
 * because X x p and the spin do not change along a drift, and what weight turns on the way is booked.  Events are taken in the order of time; those of one instant
 * together, pass by pass. */
#include "contact/sheets.h"
#include "math/math.h"
#include "step/contact.h"

#include <stdio.h>
#include <string.h>

/* What a located step needs of every near pair: near->meet[i]. */
typedef struct vvi_locate {
  int64_t room; /* of near->meet when its arrays were made */
  double now;   /* of the last event */
  double same;  /* s: times nearer than this are one instant */
  int64_t n;
  double *time;   /* [meet_room] of its coming event; INFINITY: none in this step */
  int32_t *head;  /* [objects] its pairs as a list: 2 i + side */
  int32_t *link;  /* [2 meet_room] */
  vvi_meet *meet; /* [meet_room] of one instant */
  int32_t *moved; /* [objects] that take part in an event */
  int32_t n_moved;
  unsigned char *in; /* [objects] */
} vvi_locate;

const char *vvi_locatable(const vv_model *m)
{
  const struct vvi_solids *solids = m->solids;
  const bool weight = vvi_norm3(m->gravity) > 0.0;
  if (m->sheets != NULL)
    return "beside shells, tips and beams with corners nothing is met at exact times; leave it out";
  if (!solids->balls) return "only balls, planes, rooms and hollow spheres are located exactly";
  if (solids->loses && vvi_sys_booked(m)) return "contacts at rest cannot be located; use restitution 1, or no gravity";
  for (int32_t i = 0; i < solids->n; i++) {
    const vvi_object *o = &solids->object[i];
    if (o->block->n_load > 0) return "balls with loads do not fly along parabolas";
    if (weight && o->mover[0] < 0 && o->solid->part[0].type != VVI_PART_HALF_SPACE)
      return "under gravity only planes and rooms are met at exact times";
  }
  return NULL;
}

/* Arrays as long as the list of places where shapes are near. */
static bool fit(struct vv_step *s)
{
  vvi_locate *k = s->locate;
  if (k->room == s->contact->near->meet_room) return true;
  k->room = s->contact->near->meet_room;
  k->time = VVI_ARENA_NEW(s->arena, double, k->room);
  k->link = VVI_ARENA_NEW(s->arena, int32_t, 2 * k->room);
  k->meet = VVI_ARENA_NEW(s->arena, vvi_meet, k->room);
  return k->time != NULL && k->link != NULL && k->meet != NULL;
}

vv_status vvi_locate_prepare(struct vv_step *s)
{
  vvi_locate *k = s->locate = VVI_ARENA_NEW(s->arena, vvi_locate, 1);
  const int64_t n = s->model->solids->n;
  if (k == NULL) return VV_NOMEM;
  k->head = VVI_ARENA_NEW(s->arena, int32_t, 2 * n);
  k->in = VVI_ARENA_NEW(s->arena, unsigned char, n);
  if (k->head == NULL || k->in == NULL) return VV_NOMEM;
  k->moved = k->head + n;
  s->contact->located = true;
  return fit(s) ? VV_OK : VV_NOMEM;
}

/* ---- when ---- */

/* First t >= from at which |d + w (t - from)| = r from outside (sign 1), or from inside (sign -1). */
static double meeting_time(const double d[3], const double w[3], double r, double sign, double from)
{
  const double ww = vvi_dot3(w, w), dw = vvi_dot3(d, w), distance = vvi_norm3(d);
  const double c = sign * (distance - r) * (distance + r); /* >= 0: apart */
  if (sign > 0.0) {
    const double root = dw * dw - ww * c;
    if (!(dw < 0.0) || root < 0.0) return INFINITY;
    return c <= 0.0 ? from : from + c / (-dw + sqrt(root));
  }
  if (ww == 0.0) return INFINITY;
  if (c <= 0.0) return dw > 0.0 ? from : INFINITY;
  const double root = sqrt(dw * dw + ww * c);
  return from + (dw > 0.0 ? c / (dw + root) : (root - dw) / ww);
}

/* Place and velocity of an object at a time of the step; fixed ones stay. */
static void at_time(const struct vvi_contact_step *w, int32_t object, double t, double x[3], double v[3])
{
  const vvi_object *o = &w->near->solids->object[object];
  if (o->mover[0] < 0) {
    for (int c = 0; c < 3; c++) x[c] = o->solid->part[0].centre[c], v[c] = 0.0;
    return;
  }
  const vv_mover *m = &w->near->mover[o->mover[0]];
  for (int c = 0; c < 3; c++) {
    const double a = w->forced ? w->force[o->mover[0]].velocity[c] : 0.0;
    x[c] = m->place[c] + t * (m->velocity[c] + 0.5 * t * a);
    v[c] = m->velocity[c] + t * a;
  }
}

/* The ball that one object is for another one. */
static const vvi_part *ball_of(const struct vvi_contact_step *w, int32_t object, int32_t other)
{
  return &vvi_solids_seen(w->near->solids, object, other)->part[0];
}

/* A half space, and its free side. */
static const vvi_part *plane_of(const struct vvi_contact_step *w, int32_t object)
{
  const vvi_object *o = &w->near->solids->object[object];
  return o->solid->part[0].type == VVI_PART_HALF_SPACE ? &o->solid->part[0] : NULL;
}

static double event_time(const struct vvi_contact_step *w, const vvi_meet *m, double from)
{
  const struct vvi_solids *solids = w->near->solids;
  const vvi_part *plane = plane_of(w, m->a) != NULL ? plane_of(w, m->a) : plane_of(w, m->b);
  const int32_t ball = plane_of(w, m->a) != NULL ? m->b : m->a, wall = ball == m->a ? m->b : m->a;
  double x[3], v[3], y[3], u[3];
  at_time(w, ball, from, x, v);
  if (plane != NULL) {
    const double *n = plane->frame + 6, r = ball_of(w, ball, wall)->radius;
    const int32_t mover = solids->object[ball].mover[0];
    double d[3];
    for (int c = 0; c < 3; c++) d[c] = x[c] - plane->centre[c];
    const double a = w->forced ? vvi_dot3(n, w->force[mover].velocity) : 0.0, gap = vvi_dot3(n, d) - r,
                 rate = vvi_dot3(n, v);
    if (gap <= 0.0 && rate < 0.0) return from;
    return from + vvi_first_crossing(fmax(gap, 0.0), rate, 0.5 * a, gap <= 0.0);
  }
  at_time(w, m->b, from, y, u);
  for (int c = 0; c < 3; c++) y[c] -= x[c], u[c] -= v[c];
  const vvi_part *a = ball_of(w, m->a, m->b), *b = ball_of(w, m->b, m->a);
  if (a->hollow || b->hollow) return meeting_time(y, u, fabs(a->radius - b->radius), -1.0, from);
  return meeting_time(y, u, a->radius + b->radius, 1.0, from);
}

static void foresee(const struct vvi_contact_step *w, vvi_locate *k, double h)
{
  k->n = w->near->meets;
  for (int32_t i = 0; i < w->near->solids->n; i++) k->head[i] = -1;
  for (int64_t i = 0; i < k->n; i++) {
    const vvi_meet *m = &w->near->meet[i];
    k->link[2 * i] = k->head[m->a], k->head[m->a] = (int32_t)(2 * i);
    k->link[2 * i + 1] = k->head[m->b], k->head[m->b] = (int32_t)(2 * i + 1);
    const double t = event_time(w, m, k->now);
    k->time[i] = t < h ? t : INFINITY;
  }
}

/* ---- one instant ---- */

/* Half a kick of weight.  There and back its impulses cancel, but not its moments: the way back is another one. */
static void weigh_down(struct vv_step *s, const vvi_object *o, double t)
{
  const struct vvi_contact_step *w = s->contact;
  const vv_block *b = o->block;
  const int64_t node = o->patch->node + o->copy;
  const vv_point at = {.patch = o->local, .xi = {(double)o->copy}};
  double x[3], j[3];
  if (!w->forced) return;
  for (int c = 0; c < 3; c++) {
    j[c] = 0.5 * t * w->f[b->p0 + c * b->column + node];
    s->state->p[b->p0 + c * b->column + node] += j[c];
  }
  b->kind->surface(b, s->state->q + b->q0, 1, &at, x);
  vvi_post_impulse(&s->ledger->posted, x, j);
}

/* Flies one body with its momenta as they are: from the start of the step to t, or back with -t. */
static void fly(struct vv_step *s, int32_t object, double t)
{
  const vvi_object *o = &s->contact->near->solids->object[object];
  const vv_block *b = o->block;
  weigh_down(s, o, t);
  b->kind->drift_node(b, o->patch->node + o->copy, t, s->state->q + b->q0, s->state->p + b->p0);
  weigh_down(s, o, t);
}

/* Its working copy, from the state. */
static void refresh(struct vv_step *s, int32_t object)
{
  struct vvi_contact_step *w = s->contact;
  const vvi_object *o = &w->near->solids->object[object];
  const vv_block *b = o->block;
  const int64_t node = o->patch->node + o->copy;
  vv_mover *m = &w->near->mover[o->mover[0]];
  const vv_point at = {.patch = o->local, .xi = {(double)o->copy}};
  b->kind->surface(b, s->state->q + b->q0, 1, &at, m->place);
  for (int c = 0; c < 3; c++) { /* a ball: inverse masses are multiples of 1 */
    m->velocity[c] = m->inverse_mass[0] * s->state->p[b->p0 + c * b->column + node];
    m->spin[c] = m->inverse_inertia[0] * s->state->p[b->p0 + (3 + c) * b->column + node];
  }
}

static void take_part(struct vv_step *s, int32_t object, double t)
{
  vvi_locate *k = s->locate;
  const vvi_object *o = &s->contact->near->solids->object[object];
  if (k->in[object] || o->held || o->mover[0] < 0) return;
  k->in[object] = 1;
  k->moved[k->n_moved++] = object;
  fly(s, object, t);
  refresh(s, object);
}

/* The spot of a pair that touches now. */
static void touch(const struct vvi_contact_step *w, vvi_meet *m)
{
  const vvi_part *plane = plane_of(w, m->a) != NULL ? plane_of(w, m->a) : plane_of(w, m->b);
  const vvi_part *a = ball_of(w, m->a, m->b), *b = ball_of(w, m->b, m->a);
  double x[3], y[3], v[3];
  at_time(w, m->a, 0.0, x, v);
  at_time(w, m->b, 0.0, y, v);
  const double r = a->radius, sign = plane_of(w, m->b) != NULL ? -1.0 : 1.0;
  if (plane != NULL) { /* from a to b */
    const double *ball = plane_of(w, m->a) != NULL ? y : x;
    const double radius = plane_of(w, m->a) != NULL ? b->radius : a->radius;
    for (int c = 0; c < 3; c++)
      m->spot.n[c] = sign * plane->frame[6 + c], m->spot.x[c] = ball[c] - radius * plane->frame[6 + c];
  } else {
    double d[3];
    const double inside = a->hollow || b->hollow ? -1.0 : 1.0;
    for (int c = 0; c < 3; c++) d[c] = y[c] - x[c];
    const double size = vvi_norm3(d);
    for (int c = 0; c < 3; c++) {
      const double n = size > 0.0 ? d[c] / size : (double)(c == 2);
      m->spot.n[c] = inside * n;
      m->spot.x[c] = b->hollow ? x[c] - r * n : x[c] + r * n;
    }
  }
  m->spot.gap = 0.0;
}

/* All pairs of one instant bounce together. */
static void bounce(struct vv_step *s, double t, double at)
{
  struct vvi_contact_step *w = s->contact;
  vvi_locate *k = s->locate;
  int64_t n = 0;
  k->n_moved = 0;
  for (int64_t i = 0; i < k->n; i++) {
    if (!(k->time[i] <= at + k->same)) continue;
    take_part(s, w->near->meet[i].a, at);
    take_part(s, w->near->meet[i].b, at);
  }
  for (int64_t i = 0; i < k->n; i++) {
    if (!(k->time[i] <= at + k->same)) continue;
    k->meet[n] = w->near->meet[i];
    touch(w, &k->meet[n++]);
  }
  vvi_contact_bounce(w, t + at, n, k->meet);
  for (int32_t i = 0; i < k->n_moved; i++) {
    k->in[k->moved[i]] = 0;
    fly(s, k->moved[i], -at);
    refresh(s, k->moved[i]);
  }
}

/* The pairs of the bodies that bounced get new times, not before now. */
static void foresee_again(const struct vvi_contact_step *w, vvi_locate *k, double h)
{
  for (int32_t i = 0; i < k->n_moved; i++)
    for (int32_t l = k->head[k->moved[i]]; l >= 0; l = k->link[l]) {
      const double t = event_time(w, &w->near->meet[l / 2], k->now);
      k->time[l / 2] = t < h ? t : INFINITY;
    }
}

static bool too_fast(const struct vvi_contact_step *w, const vvi_locate *k, double h)
{
  for (int32_t i = 0; i < k->n_moved; i++)
    if (vvi_object_speed(w->near, k->moved[i]) + h * w->acceleration > w->near->bound[k->moved[i]]) return true;
  return false;
}

static double soonest(const vvi_locate *k)
{
  double t = INFINITY;
  for (int64_t i = 0; i < k->n; i++) t = fmin(t, k->time[i]);
  return t;
}

vv_status vvi_locate_act(struct vv_step *s, double t, double h, const double *f, vv_report *r)
{
  struct vvi_contact_step *w = s->contact;
  vvi_locate *k = s->locate;
  const int64_t most = 10000 + 1000 * (int64_t)w->near->solids->n;
  const vvi_flight_plan plan = {.t = t, .h = h, .q = s->state->q, .p = s->state->p, .f = f, .post = &s->ledger->posted};
  if (vvi_contact_sleeps(w, h)) return VV_OK;
  bool room = vvi_contact_ready(w, &plan) && fit(s);
  k->now = 0.0;
  k->same = w->speed > 0.0 ? 1e-13 * w->near->solids->size / w->speed : 0.0;
  if (room) foresee(w, k, h);
  for (int64_t n = 0; room; n++) {
    const double at = soonest(k);
    if (!(at < h)) return VV_OK;
    if (n == most) break;
    k->now = at;
    bounce(s, t, at);
    if (too_fast(w, k, h)) {
      vvi_movers_bound(w);
      room = vvi_solid_near_collect(w->near, h) && fit(s);
      if (room) foresee(w, k, h);
    } else {
      foresee_again(w, k, h);
    }
  }
  r->reason = room ? VV_REASON_TOO_MANY_EVENTS : VV_REASON_CROWDED;
  snprintf(r->message, sizeof r->message,
           room ? "impacts of balls do not end at t = %.9g; use 'locate: none'"
                : "out of memory for the contacts of balls at t = %.9g; use a shorter step",
           t + k->now);
  return VV_OK;
}
