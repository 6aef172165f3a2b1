/* contact/rows/row.c  Contacts of the present configuration: axes, legs over movers, what supports take; gaps after the drift. */
#include "contact/contact.h"
#include "math/math.h"
#include "math/so3.h"

#include <string.h>

/* Where contacts that hold lie, over the smaller of the two, at least and at most: it pays for what solves leave, nothing else
 * depends on it. */
static const double KEEP = 1e-6, KEEP_MOST = 1e-4;

/* ---- legs ---- */

static double trace(const double a[6])
{
  return a[0] + a[1] + a[2];
}

/* One node under a contact: unit impulses along the axes act on it with this weight at the end of an arm.  What is held, and
 * what a guide takes, does not arrive: the rest goes outside. */
static void add_leg(const struct vvi_contact_step *w, vvi_contact *c, int32_t mover, const vv_patch *patch,
                    double weight, const double arm[3])
{
  const vv_mover *m = &w->near->mover[mover];
  const bool place = trace(m->inverse_mass) > 0.0, frame = trace(m->inverse_inertia) > 0.0;
  vvi_leg *g = &w->leg[c->first + c->legs];
  const double *axis[3] = {c->n, c->t[0], c->t[1]};
  if (!place) {
    for (int i = 0; i < 3; i++) c->given[i] += w->sign * weight * vvi_dot3(axis[i], m->velocity);
    c->open = true;
  }
  if (!place && !frame) return;
  c->open |= !frame || patch->guided;
  g->mover = mover;
  for (int i = 0; i < 3; i++) {
    double moment[3];
    vvi_cross3(arm, axis[i], moment);
    const double along = patch->guided ? vvi_dot3(patch->direction, axis[i]) : 0.0;
    for (int k = 0; k < 3; k++) {
      g->force[i][k] = place ? weight * (patch->guided ? along * patch->direction[k] : axis[i][k]) : 0.0;
      g->moment[i][k] = frame ? weight * moment[k] : 0.0;
    }
  }
  c->legs++;
}

/* Where along a segment its foot is: the weight of the second node. */
static double foot_of(const struct vvi_contact_step *w, const vvi_object *o, const double x[3])
{
  const double *y = w->near->mover[o->mover[0]].place, *z = w->near->mover[o->mover[1]].place;
  double d[3], e[3];
  for (int i = 0; i < 3; i++) d[i] = z[i] - y[i], e[i] = x[i] - y[i];
  const double dd = vvi_dot3(d, d), at = dd > 0.0 ? vvi_dot3(d, e) / dd : 0.0;
  return at < 0.0 ? 0.0 : at > 1.0 ? 1.0 : at;
}

/* The legs of one side.  On a segment the arms of both nodes lead from its foot: an impulse there is shared by the weights
 * and turns both. */
static void stand(const struct vvi_contact_step *w, vvi_contact *c, int32_t object, double sign)
{
  const vvi_object *o = &w->near->solids->object[object];
  double arm[3] = {0, 0, 0};
  if (o->mover[0] < 0) {
    c->open = true;
    return;
  }
  const double *x = w->near->mover[o->mover[0]].place;
  if (o->mover[1] < 0) {
    for (int i = 0; i < 3 && o->patch->type != VV_PATCH_TIP; i++) arm[i] = c->x[i] - x[i];
    add_leg(w, c, o->mover[0], o->patch, sign, arm);
    return;
  }
  const double t = foot_of(w, o, c->x), *y = w->near->mover[o->mover[1]].place;
  for (int i = 0; i < 3; i++) arm[i] = c->x[i] - (1.0 - t) * x[i] - t * y[i];
  if (t < 1.0) add_leg(w, c, o->mover[0], o->patch, sign * (1.0 - t), arm);
  if (t > 0.0) add_leg(w, c, o->mover[1], o->patch, sign * t, arm);
}

/* What arrives at all movers comes from outside. */
static void add_outside(const struct vvi_contact_step *w, vvi_contact *c)
{
  memset(c->outside, 0, sizeof c->outside);
  for (int l = 0; c->open && l < c->legs; l++) {
    const vvi_leg *g = &w->leg[c->first + l];
    for (int i = 0; i < 3; i++) {
      double turn[3];
      vvi_cross3(w->near->mover[g->mover].place, g->force[i], turn);
      for (int k = 0; k < 3; k++) c->outside[i][k] += g->force[i][k], c->outside[i][3 + k] += turn[k] + g->moment[i][k];
    }
  }
}

/* rad/s: by which a segment between two nodes turns; none: another shape. */
static double segment_spin(const struct vvi_contact_step *w, const vvi_object *o)
{
  if (!o->soft || o->mover[0] < 0 || o->mover[1] < 0) return 0.0;
  const vv_mover *a = &w->near->mover[o->mover[0]], *b = &w->near->mover[o->mover[1]];
  const double d[3] = {b->place[0] - a->place[0], b->place[1] - a->place[1], b->place[2] - a->place[2]};
  const double v[3] = {b->velocity[0] - a->velocity[0], b->velocity[1] - a->velocity[1],
                       b->velocity[2] - a->velocity[2]};
  double turn[3];
  vvi_cross3(d, v, turn);
  return vvi_norm3(turn) / fmax(vvi_dot3(d, d), 1e-300);
}

/* The normal of two segments turns with them, by their spins, while they slide past each other with u: their gap leaves its
 * straight line by h^2 spin u, and a half more.  Where e < 1 such gaps are corrected [contact 28]. */
static double segments_curl(const struct vvi_contact_step *w, const vvi_contact *c)
{
  const vvi_object *o[2] = {&w->near->solids->object[c->a], &w->near->solids->object[c->b]};
  const double spin = segment_spin(w, o[0]) + segment_spin(w, o[1]);
  double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY}, slide[3];
  if (spin == 0.0 || c->restitution < 1.0) return 0.0;
  for (int k = 0; k < 4; k++) {
    static const double none[3] = {0};
    const int32_t n = o[k / 2]->mover[k % 2];
    const double *v = n >= 0 ? w->near->mover[n].velocity : none;
    for (int i = 0; i < 3; i++) least[i] = fmin(least[i], v[i]), most[i] = fmax(most[i], v[i]);
  }
  for (int i = 0; i < 3; i++) slide[i] = most[i] - least[i];
  return 1.5 * w->h * w->h * spin * vvi_norm3(slide);
}

/* A point at distance r of a body that turns with spin w leaves its straight line by w^2 r h^2/2 in a step; a half more for
 * the change of the feature that is nearest.  A ball keeps its surface.                                          [many 3] */
static double curl_by(const struct vvi_contact_step *w, const vvi_contact *c, bool now)
{
  double sum = 0.0;
  for (int side = 0; side < 2; side++) {
    const vvi_object *o = &w->near->solids->object[side == 0 ? c->a : c->b];
    if (o->soft || o->turns == 0.0 || o->mover[0] < 0) continue;
    const vv_mover *m = &w->near->mover[o->mover[0]];
    const double *spin = now ? w->work[o->mover[0]].now + 3 : m->spin;
    const double arm[3] = {c->x[0] - m->place[0], c->x[1] - m->place[1], c->x[2] - m->place[2]};
    sum += 0.75 * w->h * w->h * vvi_dot3(spin, spin) * vvi_norm3(arm);
  }
  return sum;
}

/* What joints turn: by twice what they did last. */
static double linked_curl(const struct vvi_contact_step *w, const vvi_contact *c)
{
  double sum = 0.0;
  for (int l = 0; w->joints != NULL && l < c->legs; l++) {
    const int32_t m = w->leg[c->first + l].mover;
    const double *x = w->near->mover[m].place;
    sum += vvi_linked_speed(w, m, vvi_norm3((const double[3]){c->x[0] - x[0], c->x[1] - x[1], c->x[2] - x[2]}));
  }
  return 2.0 * w->h * sum;
}

static double curl_of(const struct vvi_contact_step *w, const vvi_contact *c)
{
  return segments_curl(w, c) + curl_by(w, c, false) + linked_curl(w, c);
}

double vvi_contact_curl(const struct vvi_contact_step *w, const vvi_contact *c)
{
  return c->near < 0 ? fmax(c->curl, curl_by(w, c, true)) : c->curl;
}

bool vvi_pair_rigid(const struct vvi_contact_step *w, int32_t a, int32_t b)
{
  return !w->near->solids->object[a].soft && !w->near->solids->object[b].soft;
}

/* m: how far the forces on a rigid body move it in a step. */
static double fall_of(const struct vvi_contact_step *w, int32_t object)
{
  const vvi_object *o = &w->near->solids->object[object];
  if (!w->forced || o->mover[0] < 0) return 0.0;
  return w->h * w->h * vvi_norm3(w->force[o->mover[0]].velocity);
}

/* What falls for a step without being held falls by a h^2: contacts lie so far apart, and what a solve leaves is of the order of
 * the method, too.  With e = 1 nothing may be left.                                                      [contact 24a] */
double vvi_pair_keep(const struct vvi_contact_step *w, int32_t a, int32_t b, int32_t law)
{
  const bool exact = w->near->solids->rule[law].restitution == 1.0 || !vvi_pair_rigid(w, a, b);
  const double size = vvi_solids_smaller(w->near->solids, a, b),
               fall = exact ? 0.0 : fmax(fall_of(w, a), fall_of(w, b));
  return fmax(KEEP * size, fmin(fall, KEEP_MOST * size));
}

static bool is_flat(const vvi_object *o)
{
  return o->solid != NULL && o->solid->parts == 1 && o->solid->part[0].type == VVI_PART_HALF_SPACE;
}

/* Axes, legs and all that follows from a common point and a normal. */
static void finish(struct vvi_contact_step *w, vvi_contact *c)
{
  const struct vvi_solids *solids = w->near->solids;
  const vvi_object *a = &solids->object[c->a], *b = &solids->object[c->b];
  vvi_across(c->n, c->t);
  c->restitution = solids->rule[c->law].restitution, c->friction = solids->rule[c->law].friction;
  c->body[0] = a->body, c->body[1] = b->body;
  c->patch[0] = a->patch, c->patch[1] = b->patch;
  c->legs = 0, c->open = false;
  c->given[0] = c->given[1] = c->given[2] = 0.0;
  stand(w, c, c->a, -1.0);
  stand(w, c, c->b, 1.0);
  add_outside(w, c);
  c->size = vvi_solids_smaller(solids, c->a, c->b);
  c->keep = vvi_pair_keep(w, c->a, c->b, c->law);
  /* what is to be met at its own time and never rests is met where it touches, not where contacts lie */
  c->target = w->halves && c->restitution == 1.0 ? 0.0 : fmin(fmax(c->gap, 0.0), c->keep);
  c->curl = curl_of(w, c);
  const bool flat = (a->turns == 0.0 || a->mover[0] < 0) && (b->turns == 0.0 || b->mover[0] < 0);
  c->turns = !flat, c->linked = false;
  c->rounds = flat && !is_flat(a) && !is_flat(b);
  for (int l = 0; l < c->legs; l++) c->linked |= vvi_linked(w, w->leg[c->first + l].mover) >= 0;
  c->turns |= c->linked;
}

static void make(struct vvi_contact_step *w, const vvi_meet *m, vvi_contact *c)
{
  memset(c->warm, 0, sizeof c->warm);
  memset(c->last, 0, sizeof c->last);
  memset(c->lasting, 0, sizeof c->lasting);
  c->near = -1;
  c->a = m->a, c->b = m->b, c->law = m->rule, c->key = m->spot.key;
  memcpy(c->x, m->spot.x, sizeof c->x);
  memcpy(c->n, m->spot.n, sizeof c->n);
  c->gap = m->spot.gap;
  c->resting = c->late = c->acts = false;
  c->looked = -1;
  finish(w, c);
}

/* A segment that is followed by another leaves its last node to that one. */
static bool left_to_the_next(const struct vvi_contact_step *w, int32_t object, const double x[3])
{
  const vvi_object *o = &w->near->solids->object[object];
  if (o->mover[1] < 0 || foot_of(w, o, x) < 1.0) return false;
  if (!o->patch->closed && o->copy + 2 >= o->patch->nodes) return false;
  const int32_t next = object - o->copy + (o->copy + 1) % (int32_t)o->patch->nodes;
  return w->near->asleep == NULL || !w->near->asleep[next];
}

/* A room of one and a half times as much, or what is needed where that is more. */
static int64_t room_for(int64_t need, int64_t room)
{
  return need > room + room / 2 ? need : room + room / 2;
}

/* Groups make twice as many of their contacts, and RESERVE, for what is found at the end; one more is tried out of any group. */
bool vvi_contacts_fit(struct vvi_contact_step *w, int64_t n, int64_t groups)
{
  const int64_t had = w->room, first = 1024 + 16 * (int64_t)(w->near->solids->n < 4096 ? w->near->solids->n : 4096);
  const int64_t need = 2 * n + VVI_LATE_RESERVE * groups + 1, room = had > 0 ? room_for(need, had) : first;
  const int problems = 1 + w->rolls;
  if (need <= had) return true;
  const double each = sizeof(vvi_contact) + sizeof(vvi_island_contact) + 4.0 * sizeof(vvi_leg); /* what is written to */
  if (room > INT32_MAX / 16 || each * (double)n > vvi_memory()) return false;
  w->contact = vvi_arena_grow(w->arena, w->contact, sizeof *w->contact, had, w->n, room);
  w->list = vvi_arena_grow(w->arena, w->list, sizeof *w->list, 3 * had, 0, 3 * room);
  w->problem = vvi_arena_grow(w->arena, w->problem, sizeof *w->problem, problems * had + w->links, 0,
                              problems * room + w->links);
  w->group = vvi_arena_grow(w->arena, w->group, sizeof *w->group, had, w->groups, room);
  w->room = (int32_t)room;
  if (!w->contact || !w->list || !w->problem || !w->group) return false;
  w->act = w->list + room, w->island = w->act + room;
  return vvi_contacts_legs(w, w->n_leg + 4 * (room - w->n));
}

/* Room for so many legs, and nodes. */
bool vvi_contacts_legs(struct vvi_contact_step *w, int64_t legs)
{
  const int64_t had = w->leg_room, room = room_for(legs, had), problems = 1 + w->rolls, links = 2 * (int64_t)w->links;
  if (legs <= had) return true;
  w->leg = vvi_arena_grow(w->arena, w->leg, sizeof *w->leg, had, w->n_leg, room);
  w->node = vvi_arena_grow(w->arena, w->node, sizeof *w->node, had, w->n_node, room);
  w->solve_leg =
      vvi_arena_grow(w->arena, w->solve_leg, sizeof *w->leg, problems * had + links, 0, problems * room + links);
  w->leg_room = room;
  return w->leg != NULL && w->node != NULL && w->solve_leg != NULL;
}

/* All nodes that the two shapes hang on: a segment has two, even where it touches at the end of one. */
static void list_nodes(struct vvi_contact_step *w, vvi_contact *c)
{
  c->node0 = (int32_t)w->n_node, c->nodes = 0;
  for (int side = 0; side < 2; side++) {
    const vvi_object *o = &w->near->solids->object[side == 0 ? c->a : c->b];
    for (int k = 0; k < 2 && o->mover[k] >= 0; k++) w->node[c->node0 + c->nodes++] = o->mover[k];
  }
  w->n_node += c->nodes;
}

static int32_t nodes_of(const struct vvi_contact_step *w, int32_t object)
{
  const int32_t *mover = w->near->solids->object[object].mover;
  return (mover[0] >= 0) + (mover[0] >= 0 && mover[1] >= 0);
}

bool vvi_contacts_make(struct vvi_contact_step *w)
{
  w->n = w->groups = 0, w->n_leg = w->n_node = 0;
  if (!vvi_contacts_fit(w, w->near->meets + (w->features != NULL ? w->features->actives : 0), 1)) return false;
  for (int64_t i = 0; i < w->near->meets; i++) {
    const vvi_meet *m = &w->near->meet[i];
    vvi_contact *c = &w->contact[w->n];
    if (left_to_the_next(w, m->a, m->spot.x) || left_to_the_next(w, m->b, m->spot.x)) continue;
    c->first = (int32_t)w->n_leg, c->room = nodes_of(w, m->a) + nodes_of(w, m->b);
    make(w, m, c);
    if (c->legs == 0) continue;
    list_nodes(w, c);
    w->n++, w->n_leg += c->room;
  }
  return w->features == NULL || vvi_features_make(w);
}

vvi_contact *vvi_contact_try(struct vvi_contact_step *w, const vvi_meet *m)
{
  vvi_contact *c = &w->contact[w->room - 1];
  if (left_to_the_next(w, m->a, m->spot.x) || left_to_the_next(w, m->b, m->spot.x)) return NULL;
  c->first = (int32_t)(w->late_leg + 4 * (int64_t)(w->room - 1));
  make(w, m, c);
  c->hits = 0, c->node0 = 0, c->nodes = 0;
  for (int side = 0; side < 2; side++) {
    const vvi_object *o = &w->near->solids->object[side == 0 ? c->a : c->b];
    for (int k = 0; k < 2 && o->mover[k] >= 0; k++)
      if (!vvi_mover_loaded(w, o->mover[k])) vvi_mover_load(w, o->mover[k]);
  }
  return c->legs > 0 ? c : NULL;
}

/* ---- speeds ---- */

void vvi_contact_velocity(const struct vvi_contact_step *w, const vvi_contact *c, bool before, double u[3])
{
  const int axes = c->friction > 0.0 ? 3 : 1;
  for (int i = 0; i < 3; i++) u[i] = i < axes ? c->given[i] : 0.0;
  for (int l = 0; l < c->legs; l++) {
    const vvi_leg *g = &w->leg[c->first + l];
    const vvi_working *m = &w->work[g->mover];
    double v[6];
    for (int k = 0; k < 6; k++) v[k] = before ? m->now[k] - m->kick[k] : m->now[k];
    for (int i = 0; i < axes; i++) u[i] += vvi_dot3(g->force[i], v) + vvi_dot3(g->moment[i], v + 3);
  }
}

/* ---- after the drift ---- */

/* Shape and pose of an object at the flown places, as another one meets it. */
typedef struct ahead {
  vv_solid solid;
  vvi_part part;
  vvi_pose pose;
  const vv_solid *shape;
} ahead;

static void pose_ahead(const struct vvi_contact_step *w, int32_t object, int32_t other, ahead *out)
{
  const vvi_object *o = &w->near->solids->object[object];
  out->shape = vvi_solids_seen(w->near->solids, object, other);
  out->pose = w->near->pose[object];
  if (o->mover[0] < 0) return;
  const vvi_working *m = &w->work[o->mover[0]];
  if (!o->soft) {
    memcpy(out->pose.place, m->place, sizeof out->pose.place);
    memcpy(out->pose.turn, m->turn, sizeof out->pose.turn);
    return;
  }
  const double *y = o->mover[1] >= 0 ? w->work[o->mover[1]].place : NULL;
  out->part = w->near->fibre[object], out->solid = w->near->thread[object];
  out->solid.part = &out->part, out->shape = &out->solid;
  vvi_solid_segment(o, m->place, y, &out->pose, &out->part, &out->solid);
}

static void fly_object(struct vvi_contact_step *w, int32_t object)
{
  const vvi_object *o = &w->near->solids->object[object];
  for (int k = 0; k < 2 && o->mover[k] >= 0; k++)
    if (!w->work[o->mover[k]].flown) vvi_mover_fly(w, o->mover[k], NULL);
}

void vvi_pair_fly(struct vvi_contact_step *w, const vvi_contact *c)
{
  for (int k = 0; c->near >= 0 && k < c->nodes; k++)
    if (!w->work[w->node[c->node0 + k]].flown) vvi_mover_fly(w, w->node[c->node0 + k], NULL);
  if (c->near >= 0) return;
  fly_object(w, c->a);
  fly_object(w, c->b);
}

int64_t vvi_contact_version(const struct vvi_contact_step *w, const vvi_contact *c)
{
  int64_t sum = 0;
  for (int32_t k = 0; k < c->nodes; k++) sum += w->work[w->node[c->node0 + k]].changes;
  return sum;
}

/* Its own straight way stays open: if it meets all the same, the row of the end must answer. */
static bool opens(const struct vvi_contact_step *w, const vvi_contact *c)
{
  double u[3];
  vvi_contact_velocity(w, c, false, u);
  return c->gap + w->h * u[0] - vvi_contact_curl(w, c) >= vvi_contact_goal(c);
}

/* Do the axes of two segments pass through each other in the drift?  Behind each other their gap is that of another side. */
static bool axes_cross(const struct vvi_contact_step *w, const vvi_contact *c)
{
  const vvi_object *o[2] = {&w->near->solids->object[c->a], &w->near->solids->object[c->b]};
  double x[4][3], y[4][3], time;
  vvi_closest at;
  for (int k = 0; k < 4; k++) {
    const vvi_object *one = o[k / 2];
    if (!one->soft || one->mover[1] < 0) return false;
    memcpy(x[k], w->near->mover[one->mover[k % 2]].place, sizeof x[k]);
    memcpy(y[k], w->work[one->mover[k % 2]].place, sizeof y[k]);
  }
  return vvi_crossing(VVI_EDGE_EDGE, (const double(*)[3])x, (const double(*)[3])y, 0.0, &time, &at);
}

void vvi_pair_ahead(struct vvi_contact_step *w, int32_t n, const int32_t *contact, vvi_late_fn *late, void *user)
{
  enum { MOST = 64 };
  vvi_contact *first = &w->contact[contact[0]];
  vvi_spot spot[MOST];
  ahead a, b;
  double gap = 0.0;
  for (int32_t k = 0; first->near >= 0 && k < n; k++)
    w->contact[contact[k]].ahead = vvi_feature_ahead(w, &w->contact[contact[k]]), w->contact[contact[k]].known = true;
  if (first->near >= 0) return;
  pose_ahead(w, first->a, first->b, &a);
  pose_ahead(w, first->b, first->a, &b);
  double margin = 4.0 * first->keep; /* what holds, and what turning may open */
  for (int32_t k = 0; k < n; k++) margin = fmax(margin, 4.0 * (first->keep + w->contact[contact[k]].curl));
  const int spots = vvi_solids_touch(a.shape, &a.pose, b.shape, &b.pose, margin, MOST, spot, &gap);
  const bool through = axes_cross(w, first);
  for (int32_t k = 0; k < n; k++) {
    vvi_contact *c = &w->contact[contact[k]];
    double u[3];
    c->looked = vvi_contact_version(w, c);
    c->ahead = gap, c->known = false; /* features that do not look at each other any more */
    for (int i = 0; i < spots; i++)
      if (spot[i].key == c->key) c->ahead = spot[i].gap, c->known = true;
    if (!through) continue;
    vvi_contact_velocity(w, c, false, u);
    c->ahead = fmin(c->ahead, c->gap + w->h * u[0]), c->known = true;
  }
  for (int i = 0; late != NULL && i < spots; i++) {
    bool known = spot[i].gap >= -vvi_contact_slack(first);
    for (int32_t k = 0; k < n && !known; k++) {
      const vvi_contact *c = &w->contact[contact[k]];
      known = c->key == spot[i].key && (c->late || c->linked || !opens(w, c));
    }
    if (!known) late(user, first, &spot[i]);
  }
}

/* Where a point of an object that is at x after the drift is now. */
static void back_to_now(const struct vvi_contact_step *w, int32_t object, const double x[3], double y[3])
{
  const vvi_object *o = &w->near->solids->object[object];
  double d[3], local[3];
  memcpy(y, x, 3 * sizeof *y);
  if (o->mover[0] < 0) return;
  if (o->soft) { /* by the way of its foot */
    const double t = o->mover[1] >= 0 ? foot_of(w, o, x) : 0.0;
    for (int c = 0; c < 3; c++)
      for (int k = 0; k < 2 && o->mover[k] >= 0; k++)
        y[c] += (k == 0 ? 1.0 - t : t) * (w->near->mover[o->mover[k]].place[c] - w->work[o->mover[k]].place[c]);
    return;
  }
  const vvi_working *m = &w->work[o->mover[0]];
  for (int c = 0; c < 3; c++) d[c] = x[c] - m->place[c];
  for (int c = 0; c < 3; c++) local[c] = m->turn[c] * d[0] + m->turn[3 + c] * d[1] + m->turn[6 + c] * d[2];
  vvi_apply33(w->near->mover[o->mover[0]].turn, local, y);
  for (int c = 0; c < 3; c++) y[c] += w->near->mover[o->mover[0]].place[c];
}

/* A contact that shows only at the end of the drift: normal of the end, arms of now. */
bool vvi_contact_late(struct vvi_contact_step *w, const vvi_contact *like, const vvi_spot *spot, vvi_contact *c)
{
  double xa[3], xb[3], d[3];
  const int32_t first = c->first;
  *c = (vvi_contact){.a = like->a,
                     .b = like->b,
                     .near = -1,
                     .law = like->law,
                     .key = spot->key,
                     .first = first,
                     .room = 4,
                     .node0 = like->node0,
                     .nodes = like->nodes,
                     .looked = -1,
                     .late = true};
  back_to_now(w, c->a, spot->x, xa);
  back_to_now(w, c->b, spot->x, xb);
  for (int k = 0; k < 3; k++) c->x[k] = 0.5 * (xa[k] + xb[k]), c->n[k] = spot->n[k], d[k] = xb[k] - xa[k];
  c->gap = spot->gap + vvi_dot3(d, c->n);
  finish(w, c);
  c->turns = true, c->curl = 0.0;
  return c->legs > 0;
}
