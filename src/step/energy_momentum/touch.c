/* step/energy_momentum/touch.c  The contacts of a step: new ones found, springs remembered, how long nothing can touch. */
#include "step/energy_momentum/frames.h"

#include <string.h>

bool vvi_em_fit(vvi_em_rigid *w, int32_t contacts)
{
  if (contacts <= w->room) return true;
  int32_t room = w->room > 0 ? w->room : 64;
  while (room < contacts) room *= 2;
  vvi_em_contact *more = VVI_ARENA_NEW(w->arena, vvi_em_contact, room);
  w->rows = VVI_ARENA_NEW(w->arena, vvi_em_row, 3 * (int64_t)room);
  w->own = VVI_ARENA_NEW(w->arena, double, 18 * (int64_t)room);
  if (more == NULL || w->rows == NULL || w->own == NULL) return !(w->full = true);
  w->move = w->own + 9 * (int64_t)room, w->swept = w->move + 3 * (int64_t)room;
  if (w->n_contact > 0) memcpy(more, w->contact, sizeof *more * (size_t)w->n_contact);
  w->contact = more, w->room = room;
  return true;
}

static bool bends(const vvi_em_feature *f)
{
  return f->soft[0] > 0 || f->soft[1] > 0;
}

/* The last contact with this slave. */
static int32_t *last_of(const vvi_em_rigid *w, const vvi_em_feature *f)
{
  return f->soft[0] > 0 ? &w->soft[f->soft[0] - 1].slaves : &w->frame[f->slave].slaves;
}

static vvi_em_contact *add(vvi_em_rigid *w, const vvi_em_feature *f)
{
  if (!vvi_em_fit(w, w->n_contact + 1)) return NULL;
  int32_t *last = last_of(w, f);
  vvi_em_contact *c = &w->contact[w->n_contact];
  *c = (vvi_em_contact){.f = *f, .before = *last, .slot = -1, .least = -1};
  c->law = &w->law[f->law];
  if (bends(f) && !vvi_em_stand(w, c)) return NULL;
  *last = w->n_contact++;
  return c;
}

static vvi_em_contact *known(const vvi_em_rigid *w, const vvi_em_feature *f)
{
  for (int32_t i = *last_of(w, f); i >= 0; i = w->contact[i].before) {
    const vvi_em_feature *g = &w->contact[i].f;
    if (g->sheet == f->sheet && g->a == f->a && g->b == f->b && g->key == f->key) return &w->contact[i];
  }
  return NULL;
}

/* ---- springs ---- */

static vvi_em_feature feature_of(const vvi_em_slot *s)
{
  vvi_em_feature f = {.key = (uint32_t)s->key, .sign = s->sign, .radius = s->radius, .own = s->own};
  f.a = (int32_t)s->a, f.b = (int32_t)s->b, f.law = (int32_t)s->law;
  f.slave = (int32_t)s->slave, f.master = (int32_t)s->master, f.a_slave = s->a_slave != 0.0;
  for (int k = 0; k < 2; k++) f.soft[k] = (int32_t)s->soft[k], f.foot[k] = s->foot[k];
  for (int k = 0; k < 3; k++) f.point[k] = s->point[k], f.place[k] = s->place[k], f.normal[k] = s->normal[k];
  return f;
}

static void keep(const vvi_em_contact *c, vvi_em_slot *s)
{
  const vvi_em_feature *f = &c->f;
  *s = (vvi_em_slot){.used = 1.0,
                     .gap = c->spring1,
                     .deep = vvi_em_spring_deep(c),
                     .sign = f->sign,
                     .radius = f->radius,
                     .own = f->own};
  s->a = (double)f->a, s->b = (double)f->b, s->law = (double)f->law, s->key = (double)f->key,
  s->slave = (double)f->slave, s->master = (double)f->master, s->a_slave = f->a_slave;
  for (int k = 0; k < 2; k++) s->soft[k] = (double)f->soft[k], s->foot[k] = f->foot[k];
  s->sheet = f->sheet, s->offset = f->offset;
  for (int k = 0; k < 3; k++) s->point[k] = f->point[k], s->place[k] = f->place[k], s->normal[k] = f->normal[k];
}

bool vvi_em_recall(vvi_em_rigid *w)
{
  w->n_contact = w->n_leg = 0;
  for (int32_t i = 0; i <= w->n; i++) w->frame[i].slaves = -1;
  for (int32_t i = 0; i < w->n_soft; i++) w->soft[i].slaves = -1;
  for (int32_t i = 0; w->sprung && i < w->slots; i++) {
    if (w->slot[i].used == 0.0) continue;
    vvi_em_feature f = feature_of(&w->slot[i]);
    if (w->slot[i].sheet != 0.0) vvi_em_sheet_feature(w, f.a, f.b, f.law, w->slot[i].offset, 0.5, &f);
    vvi_em_contact *c = add(w, &f);
    if (c == NULL) return false;
    c->slot = i;
    c->spring0 = w->slot[i].gap, c->deep = w->slot[i].deep;
  }
  return true;
}

/* ---- search ---- */

/* No gap of the pair falls faster than this while nothing pushes: its derivative is the relative velocity, along a unit
 * vector, of two material points of the surfaces.                                                                [em 15] */
static double speed_bound(const vvi_em_rigid *w, const vvi_candidate *k)
{
  const vvi_em_frame *a = &w->frame[w->frame_of[k->a]], *b = &w->frame[w->frame_of[k->b]];
  double d[3];
  for (int i = 0; i < 3; i++) d[i] = (a->held ? 0.0 : a->p1[i] / a->mass) - (b->held ? 0.0 : b->p1[i] / b->mass);
  double bound = vvi_norm3(d);
  if (!a->held) bound += vvi_em_spin_bound(a) * w->solids->object[k->a].turns;
  if (!b->held) bound += vvi_em_spin_bound(b) * w->solids->object[k->b].turns;
  return bound;
}

/* Time in which a gap cannot close: speed t + weight t^2/2 < gap. */
static double time_to_close(double gap, double speed, double weight)
{
  if (!(gap > 0.0)) return 0.0;
  const double root = speed + sqrt(speed * speed + 2.0 * weight * gap);
  return root > 0.0 ? (1.0 - 1e-9) * 2.0 * gap / root : INFINITY;
}

/* Distance of the spheres about two shapes of which none is hollow or endless: a lower bound of the gap. */
static double far_apart(const vvi_em_rigid *w, const vvi_candidate *k, const vvi_pose *a, const vvi_pose *b)
{
  const vv_solid *x = vvi_solids_seen(w->solids, k->a, k->b), *y = vvi_solids_seen(w->solids, k->b, k->a);
  if (x->hollow || y->hollow || !(x->reach < INFINITY) || !(y->reach < INFINITY)) return -INFINITY;
  double d[3];
  for (int i = 0; i < 3; i++) d[i] = a->place[i] - b->place[i];
  return vvi_norm3(d) - x->reach - y->reach;
}

typedef struct search {
  vvi_em_rigid *w;
  double dt, least; /* least: gap of the pair, or a lower bound */
  int found;
  bool only_known; /* springs of before are looked for, before new contacts are */
} search;

/* Objects that are the same, or segments beside each other. */
static bool objects_beside(const vvi_em_rigid *w, int32_t a, int32_t b)
{
  const vvi_object *x = &w->solids->object[a], *y = &w->solids->object[b];
  if (a == b || x->patch != y->patch || !x->soft) return a == b;
  const int64_t d = x->copy > y->copy ? x->copy - y->copy : y->copy - x->copy;
  return d == 1 || (x->patch->closed && d == x->patch->nodes - 1);
}

/* A vertex slides from face to face. */
static bool beside(const vvi_em_rigid *w, const vvi_em_feature *f, const vvi_em_feature *g)
{
  if (f->sheet || g->sheet) return f->sheet && g->sheet && f->a >= 0 && f->a == g->a && f->b >= 0 && g->b >= 0;
  return objects_beside(w, f->a, g->a) && objects_beside(w, f->b, g->b);
}

/* A spring whose segments are no longer near each other, but others beside them are: it slides along.  NULL: none. */
static vvi_em_contact *left_by(const vvi_em_rigid *w, const vvi_em_feature *f)
{
  for (int32_t i = *last_of(w, f); w->sprung && bends(f) && i >= 0; i = w->contact[i].before) {
    vvi_em_contact *old = &w->contact[i];
    if (old->slot >= 0 && !old->seen && beside(w, &old->f, f)) return old;
  }
  return NULL;
}

/* What a spring between bodies that bend remembers is its own gap, not where it stood. */
static bool stand_anew(vvi_em_rigid *w, vvi_em_contact *c, const vvi_em_feature *f)
{
  if (!bends(f) || c->slot < 0 || c->seen) return true;
  c->f = *f, c->seen = true;
  return vvi_em_stand(w, c);
}

static bool found(search *k, const vvi_em_feature *f, double gap1)
{
  vvi_pose slave, master;
  vvi_em_contact *c = known(k->w, f);
  if (c != NULL) return stand_anew(k->w, c, f);
  if (gap1 >= 0.0 || k->only_known) return true;
  if ((c = left_by(k->w, f)) != NULL) return stand_anew(k->w, c, f);
  if ((c = add(k->w, f)) == NULL) return false;
  vvi_em_pose(&k->w->frame[f->slave], false, &slave);
  vvi_em_pose(&k->w->frame[f->master], false, &master);
  c->gap0 = bends(f) ? vvi_em_soft_gap(k->w, c, false) : vvi_em_gap(f, &slave, &master);
  c->gap1 = gap1;
  c->spring0 = fmax(c->gap0, 0.0); /* a new spring has no energy */
  k->found++;
  return true;
}

typedef struct glance {
  search *k;
  const vvi_candidate *pair;
  const vvi_pose *a, *b;
} glance;

static bool look_at_feature(void *user, const vvi_em_feature *f)
{
  const glance *g = user;
  const double gap = f->slave == g->k->w->frame_of[g->pair->a] ? vvi_em_gap(f, g->a, g->b) : vvi_em_gap(f, g->b, g->a);
  g->k->least = fmin(g->k->least, gap);
  return gap >= 0.0 || found(g->k, f, gap);
}

static const vv_solid *shape_of(const vvi_em_rigid *w, int32_t object, int32_t other)
{
  return w->soft_of[object] > 0 ? &w->near->thread[object] : vvi_solids_seen(w->solids, object, other);
}

/* Springs stand where the two are nearest in the middle of the step, so that the sum of what their gaps change by follows the true
 * gap to second order, however they slide; multipliers where they are nearest at its end: that gap never shrinks.      [em 18] */
static void stand_in_the_middle(const vvi_em_rigid *w, const vvi_candidate *c, vvi_em_feature *f)
{
  vvi_em_shape a, b;
  vvi_spot spot[VVI_EM_SPOTS];
  double gap;
  vvi_em_shape_of(w, c->a, c->b, 0.5, &a);
  vvi_em_shape_of(w, c->b, c->a, 0.5, &b);
  const double margin = 16.0 * fmax(w->near->reach[c->a], w->near->reach[c->b]);
  const int n = vvi_solids_touch(a.solid, &a.pose, b.solid, &b.pose, fmin(margin, 1e300), VVI_EM_SPOTS, spot, &gap);
  for (int i = 0; i < n; i++)
    if (spot[i].key == f->key) {
      vvi_em_soft_spot(w, c, &spot[i], 0.5, f);
      return;
    }
}

static bool look_soft(search *k, const vvi_candidate *c, double margin)
{
  vvi_em_rigid *w = k->w;
  const vvi_pose *a = &w->near->pose[c->a], *b = &w->near->pose[c->b];
  const int n = vvi_solids_touch(shape_of(w, c->a, c->b), a, shape_of(w, c->b, c->a), b, margin, VVI_EM_SPOTS, w->spot,
                                 &k->least);
  for (int i = 0; i < n; i++) {
    vvi_em_feature f;
    const double gap = w->spot[i].gap;
    vvi_em_soft_spot(w, c, &w->spot[i], 1.0, &f);
    if (vvi_em_soft_left(w, &f)) continue;
    if (w->law[c->rule].stiffness > 0.0) stand_in_the_middle(w, c, &f);
    if (!found(k, &f, gap)) return false;
  }
  return true;
}

static bool look(search *k, const vvi_candidate *c, double margin)
{
  vvi_em_rigid *w = k->w;
  glance g = {.k = k, .pair = c, .a = &w->frame[w->frame_of[c->a]].after, .b = &w->frame[w->frame_of[c->b]].after};
  int64_t features;
  k->least = INFINITY;
  if (!vvi_em_features(w, c, look_at_feature, &g, &features)) return false;
  if (features > 0) return true;
  const int n = vvi_solids_touch(vvi_solids_seen(w->solids, c->a, c->b), g.a, vvi_solids_seen(w->solids, c->b, c->a),
                                 g.b, margin, VVI_EM_SPOTS, w->spot, &k->least);
  for (int i = 0; i < n; i++) {
    vvi_em_feature f;
    if (w->spot[i].gap >= 0.0) continue;
    vvi_em_of_spot(w, c, &w->spot[i], g.a, g.b, &f);
    if (!found(k, &f, w->spot[i].gap)) return false;
  }
  return true;
}

/* No surface point of an object is faster while nothing pushes. */
static double fastest_point(const vvi_em_rigid *w, int32_t object)
{
  const vvi_em_frame *f = &w->frame[w->frame_of[object]];
  if (f->held) return 0.0;
  return fmax(vvi_norm3(f->p), vvi_norm3(f->p1)) / f->mass + vvi_em_spin_bound(f) * w->solids->object[object].turns;
}

/* Candidate pairs where the step leads.  Those that are not listed cannot touch while nothing has moved by more than half the
 * skin: that bounds the time in which nothing can. */
static bool refresh(vvi_em_rigid *w, double dt)
{
  vvi_solid_near *near = w->near;
  vvi_em_soft_place(w, dt);
  for (int32_t i = 0; i < w->solids->n; i++) {
    if (w->solids->object[i].mover[0] < 0 || (w->n_soft > 0 && w->soft_of[i] > 0)) continue;
    near->pose[i] = w->frame[w->frame_of[i]].after;
    near->bound[i] = fastest_point(w, i);
  }
  if (!vvi_solid_near_refresh(near, dt)) return !(w->full = true);
  for (int32_t i = 0; i < w->solids->n; i++) {
    const vvi_em_frame *f = &w->frame[w->frame_of[i]];
    if (near->bound[i] > 0.0 || vvi_norm3(f->gravity) > 0.0)
      w->clear = fmin(w->clear, time_to_close(vvi_solid_near_room(near, i), near->bound[i], vvi_norm3(f->gravity)));
  }
  return true;
}

static void note_depth(vvi_em_rigid *w, double depth, double size)
{
  w->deepest = fmax(w->deepest, depth);
  vvi_overlap_take(&w->overlap, depth, size);
}

static bool touches_soft(const vvi_em_rigid *w, const vvi_candidate *c)
{
  return w->n_soft > 0 && (w->soft_of[c->a] > 0 || w->soft_of[c->b] > 0);
}

static bool find_soft(search *k, const vvi_candidate *list, int64_t n)
{
  vvi_em_rigid *w = k->w;
  for (int64_t i = 0; i < n; i++) {
    if (!touches_soft(w, &list[i])) continue;
    const vvi_candidate *c = &list[i];
    w->looked++;
    if (!look_soft(k, c, 16.0 * fabs(k->dt) * (w->near->bound[c->a] + w->near->bound[c->b]))) return false;
    if (!k->only_known) vvi_em_look_back(w, c, k->least, k->dt);
    note_depth(w, -k->least, vvi_solids_smaller(w->solids, c->a, c->b));
  }
  return true;
}

static double weight_of(const vvi_em_feature *f, int vertex)
{
  for (int i = 0; i < f->vertices; i++)
    if (f->vertex[i] == vertex) return f->weight[i];
  return 0.0;
}

/* Edges that end in a vertex, and faces about it, meet another by the same two points: one contact is enough. */
static bool stands_there(const vvi_em_rigid *w, const vvi_em_feature *f)
{
  for (int32_t i = *last_of(w, f); i >= 0; i = w->contact[i].before) {
    const vvi_em_feature *g = &w->contact[i].f;
    double most = 0.0;
    if (!g->sheet || (g->b < 0 && g->a >= 0) || (f->b < 0 && f->a >= 0) || (g->a == f->a && g->b == f->b)) continue;
    for (int k = 0; k < f->vertices; k++) most = fmax(most, fabs(f->weight[k] - weight_of(g, f->vertex[k])));
    for (int k = 0; k < g->vertices; k++) most = fmax(most, fabs(g->weight[k] - weight_of(f, g->vertex[k])));
    if (most < 1e-6) return true;
  }
  return false;
}

/* What an overlap of two surfaces is judged by: the smaller edge, and what holds the two apart.  Deeper than that which side they
 * are on is lost, unless one is an obstacle. */
static double size_of_pair(const vvi_em_rigid *w, const vvi_sheet_list *list, const vvi_em_feature *f)
{
  const double edge = isfinite(list->edge) ? list->edge : w->solids->size;
  return f->vertices > 2 ? fmin(edge, list->offset) : edge;
}

/* Surfaces: those that overlap where the step leads, and are local minima of the distance. */
static bool find_sheets(search *k)
{
  vvi_em_rigid *w = k->w;
  for (int32_t i = 0; i < w->search->n_near; i++) {
    const vvi_sheet_near *near = &w->search->near[i];
    const vvi_sheet_list *list = &w->search->list[near->couple];
    vvi_em_feature f;
    const double gap = vvi_em_sheet_feature(w, near->a, near->b, list->rule, list->offset, 1.0, &f);
    const bool spring = w->law[list->rule].stiffness > 0.0;
    if (!k->only_known) vvi_em_look_back_sheet(w, near, gap, k->dt);
    if (gap >= 0.0 && !(spring && known(w, &f) != NULL)) continue;
    if (!vvi_em_sheet_is_local(w, near->a, near->b)) continue;
    note_depth(w, -gap, size_of_pair(w, list, &f));
    if (spring) vvi_em_sheet_feature(w, near->a, near->b, list->rule, list->offset, 0.5, &f);
    if (stands_there(w, &f)) continue;
    if (!found(k, &f, gap)) return false;
  }
  return true;
}

bool vvi_em_find(vvi_em_rigid *w, double dt, int *new_ones)
{
  search k = {.w = w, .dt = dt};
  w->clear = w->n_soft > 0 || w->joints != NULL ? 0.0 : INFINITY;
  w->deepest = 0.0, w->overlap = (vv_overlap){0};
  w->passed.seen = false;
  *new_ones = 0;
  if (w->solids == NULL) return true;
  for (int32_t i = 0; i <= w->n; i++) vvi_em_pose(&w->frame[i], true, &w->frame[i].after);
  if (w->near != NULL && !refresh(w, dt)) return false;
  const vvi_candidate *list = w->near != NULL ? w->near->list : w->few;
  const int64_t n = w->near != NULL ? w->near->n : w->n_few;
  if ((k.only_known = w->n_soft > 0 && w->sprung) && !find_soft(&k, list, n)) return false;
  k.only_known = false;
  if (w->n_soft > 0 && !find_soft(&k, list, n)) return false;
  if (w->search != NULL) {
    if (!vvi_em_sheet_collect(w, w->state, dt)) return false;
    if ((k.only_known = w->sprung) && !find_sheets(&k)) return false;
    k.only_known = false;
    if (!find_sheets(&k)) return false;
  }
  for (int64_t i = 0; i < n; i++) {
    if (touches_soft(w, &list[i])) continue;
    const vvi_candidate *c = &list[i];
    const vvi_em_frame *a = &w->frame[w->frame_of[c->a]], *b = &w->frame[w->frame_of[c->b]];
    const double speed = speed_bound(w, c), margin = 16.0 * speed * fabs(dt),
                 weight = w->weighs ? vvi_norm3(a->gravity) + vvi_norm3(b->gravity) : 0.0;
    w->looked++;
    k.least = far_apart(w, c, &a->after, &b->after);
    if (!(k.least > margin) && !look(&k, c, margin)) return false;
    vvi_em_look_back(w, c, k.least, dt);
    w->clear = fmin(w->clear, time_to_close(k.least, speed, weight));
    note_depth(w, -k.least, vvi_solids_smaller(w->solids, c->a, c->b));
  }
  *new_ones = k.found;
  return true;
}

/* ---- after the step ---- */

/* One of the two of a contact. */
typedef struct party {
  vvi_log_side at;
  int32_t copy; /* -1: none */
} party;

static party party_of(const vv_model *m, const vvi_em_rigid *w, const vvi_em_contact *c, bool first)
{
  const int side = first == c->f.a_slave ? 0 : 1;
  if (c->f.sheet) {
    const struct vvi_sheets *s = w->search->sheets;
    const vvi_sheet_body *b = &s->body[c->f.name[side]];
    party out = {.at = {vvi_model_patch(m, b->patch), -1}, .copy = -1};
    for (int i = 0; i < c->f.vertices; i++)
      if ((side == 0) == (c->f.weight[i] > 0.0) && c->f.weight[i] != 0.0 && b->carrier == VVI_CARRY_POINTS)
        out.at.node = b->node0 + s->mover[c->f.vertex[i]] - b->mover0 - m->body[b->body].node0;
    if (b->rigid) out.copy = vvi_copy_of(&m->body[b->body], b->node0 - m->body[b->body].node0);
    if (!b->rigid && b->obstacle == NULL) out.copy = vvi_copy_of_patch(m, out.at.patch);
    return out;
  }
  const int32_t object = first ? c->f.a : c->f.b;
  const vvi_object *o = &w->solids->object[object];
  const bool frame = w->frame_of[object] < w->n;
  return (party){.at = {o->patch, frame || o->soft ? o->copy : -1},
                 .copy = frame ? vvi_copy_of(&m->body[o->body], o->copy) : -1};
}

/* J: by its law, along the normal and across. */
static double lost_by(const vvi_em_contact *c)
{
  return vvi_em_spring_lost(c) - (c->j[0] * c->aim + c->j[1] * c->u[1] + c->j[2] * c->u[2]);
}

static void log_contact(struct vv_step *s, const vvi_em_rigid *w, const vvi_em_contact *c, const char *kind,
                        double time)
{
  const party a = party_of(s->model, w, c, true), b = party_of(s->model, w, c, false);
  vv_event e = {.time = time,
                .kind = kind,
                .normal_speed = c->approach,
                .normal_impulse = c->j[0],
                .tangential_impulse = sqrt(c->j[1] * c->j[1] + c->j[2] * c->j[2]),
                .energy_jump = -lost_by(c)};
  for (int i = 0; i < 3; i++) e.x[i] = c->x[i], e.n[i] = c->f.a_slave ? -c->nu[i] : c->nu[i];
  vvi_log_write(s, &e, a.at, b.at);
}

/* What a held body took goes to the ground. */
static void post_held(const vvi_em_rigid *w, const vvi_em_contact *c, vv_posted *post)
{
  const bool slave = c->f.soft[0] == 0 && w->frame[c->f.slave].held,
             master = c->f.soft[1] == 0 && w->frame[c->f.master].held;
  double j[3];
  if (slave == master) return;
  for (int i = 0; i < 3; i++)
    j[i] = (slave ? -1.0 : 1.0) * (c->j[0] * c->nu[i] + c->j[1] * c->t[0][i] + c->j[2] * c->t[1][i]);
  vvi_post_impulse(post, c->x, j);
}

/* A guide takes what is not along it: the body got (f.e) e at its point where f at x was meant.                      [em 21] */
static void post_guides(const vvi_em_rigid *w, const vvi_em_contact *c, vv_posted *post)
{
  for (int side = 0; side < 2; side++) {
    const vvi_em_soft *s = c->foot[side].soft > 0 ? &w->soft[c->foot[side].soft - 1] : NULL;
    double e[3], f[3], along[3], x[3];
    if (s == NULL || s->parts->guide == NULL) continue;
    s->parts->guide(s->work, e);
    vvi_em_foot_place(w, &c->foot[side], 0.5, x);
    for (int k = 0; k < 3; k++)
      f[k] = (side == 0 ? -1.0 : 1.0) * (c->j[0] * c->nu[k] + c->j[1] * c->t[0][k] + c->j[2] * c->t[1][k]);
    const double part = -vvi_dot3(e, f);
    for (int k = 0; k < 3; k++) along[k] = part * e[k];
    vvi_post_impulse(post, c->x, f);
    vvi_post_impulse(post, x, along);
  }
}

/* The slave gets what the master gives. */
static void tell(struct vv_step *s, const vvi_em_rigid *w, const vvi_em_contact *c, double time)
{
  const double sign = c->f.a_slave ? -1.0 : 1.0;
  if (s->ledger->episodes == NULL || (c->j[0] == 0.0 && c->j[1] == 0.0 && c->j[2] == 0.0)) return;
  const party a = party_of(s->model, w, c, true), b = party_of(s->model, w, c, false);
  vvi_blow blow = {.t = time,
                   .body = {a.at.patch->body, b.at.patch->body},
                   .copy = {a.copy, b.copy},
                   .normal = c->j[0],
                   .speed = c->approach,
                   .lost = lost_by(c)};
  for (int i = 0; i < 3; i++) {
    blow.x[i] = c->x[i], blow.n[i] = sign * c->nu[i];
    blow.slide[i] = sign * (c->j[1] * c->t[0][i] + c->j[2] * c->t[1][i]);
  }
  vvi_episodes_add(s->ledger->episodes, &blow);
}

/* The gap of a contact now, the step being taken: of what bends the step is still at hand. */
static double gap_now(const vvi_em_rigid *w, const vvi_em_contact *c)
{
  const vvi_em_feature *f = &c->f;
  vvi_pose slave, master;
  if (bends(f)) return vvi_em_soft_gap(w, c, true);
  vvi_em_pose(&w->frame[f->slave], false, &slave);
  vvi_em_pose(&w->frame[f->master], false, &master);
  return vvi_em_gap(f, &slave, &master);
}

/* A spring is kept until both its own gap and the true one are open: then its energy is zero, and it can go. */
static bool remember_spring(struct vv_step *s, vvi_em_rigid *w, const vvi_em_contact *c, double time)
{
  const bool open = c->spring1 > 0.0 && gap_now(w, c) > 0.0;
  int slot = c->slot;
  if (slot < 0 && open) return true;
  if (slot < 0) {
    for (slot = 0; slot < w->slots && w->slot[slot].used != 0.0;) slot++;
    if (slot == w->slots) return !(w->full = true);
    log_contact(s, w, c, "on", time);
  } else if (open) {
    log_contact(s, w, c, "off", time);
  }
  if (open)
    w->slot[slot] = (vvi_em_slot){0};
  else
    keep(c, &w->slot[slot]);
  return true;
}

/* What presses a contact at rest: gravity, and the turning of its bodies. */
static double pressing(const vvi_em_rigid *w, const vvi_em_contact *c, int side, bool turns)
{
  const int32_t soft = c->f.soft[side], frame = side == 0 ? c->f.slave : c->f.master;
  const vvi_em_frame *f = &w->frame[frame];
  const double g = vvi_em_weight_of(w, frame, soft);
  return turns && soft == 0 ? g + vvi_dot3(f->omega, f->omega) * vvi_norm3(side == 0 ? c->arm_s : c->arm_m) : g;
}

/* Slower than what two steps of that make is rest, and no event; without losses only gravity lets anything rest. */
static bool is_impact(const struct vv_step *s, const vvi_em_rigid *w, const vvi_em_contact *c)
{
  const bool turns = c->law->restitution < 1.0;
  const double g = pressing(w, c, 0, turns) + pressing(w, c, 1, turns);
  return c->j[0] > 0.0 && -c->approach > 2.0 * g * fabs(s->h);
}

/* The work f.u of a contact is the difference of what it would be without impulses and what they make of it, f.A f: both are rounded.
 * A heavy body that stands on a light one makes far more of its speed than it ever has.  A quarter of it, of all contacts and of those
 * that press without a blow.                                                                         [ledger 10a, 10b] */
static void post_pressed(const struct vv_step *s, const vvi_em_rigid *w, vv_posted *post)
{
  double sum = 0.0, rest = 0.0;
  for (int32_t i = 0; i < w->n_contact; i++) {
    const vvi_em_contact *c = &w->contact[i];
    const double *j = c->j, *own = w->own + 9 * (int64_t)i;
    double part = 0.0;
    for (int d = 0; d < (w->rough ? 3 : 1); d++) part += own[4 * d] * j[d] * j[d];
    sum += part, rest += is_impact(s, w, c) ? 0.0 : part;
  }
  post->held = fmax(post->held, 0.25 * sum), post->pressed += 0.25 * rest;
}

bool vvi_em_remember(struct vv_step *s, vvi_em_rigid *w, double dt)
{
  const double start = s->state->t + w->clock;
  vv_posted *post = &s->ledger->posted;
  double lost = 0.0; /* by contacts that are off their law, in all: what is left may have any sign in one of them */
  bool struck = false;
  s->ledger->fallbacks += w->off;
  post_pressed(s, w, post);
  for (int i = 0; i < w->n_contact; i++) {
    vvi_em_contact *c = &w->contact[i];
    const double part = c->gap0 > 0.0 && c->gap1 < 0.0 ? c->gap0 / (c->gap0 - c->gap1) : 0.0;
    post_held(w, c, post);
    post_guides(w, c, post);
    tell(s, w, c, start + part * dt);
    const bool spring = c->law->stiffness > 0.0, impact = !spring && is_impact(s, w, c);
    if (spring && !remember_spring(s, w, c, start + part * dt)) return false;
    vv_sum *along = impact ? &post->restitution_loss : &post->step_loss;
    const double rub = -(c->j[1] * c->u[1] + c->j[2] * c->u[2]);
    if (spring && c->law->restitution < 1.0) vvi_sum_add(&post->restitution_loss, vvi_em_spring_lost(c));
    if (w->off)
      lost -= vvi_em_gain(c), struck |= impact;
    else if (!spring && c->law->restitution < 1.0)
      vvi_sum_add(along, -c->j[0] * c->aim);
    if (c->law->friction > 0.0) vvi_sum_add(&post->friction_loss, w->off ? fmax(rub, 0.0) : rub);
    if (impact) log_contact(s, w, c, "bounce", start + part * dt);
  }
  if (w->off) vvi_sum_add(struck ? &post->restitution_loss : &post->step_loss, lost);
  w->sprung = false;
  for (int i = 0; w->slot != NULL && i < w->slots; i++) w->sprung |= w->slot[i].used != 0.0;
  return true;
}
