/* step/crowd.c  Who would overlap in the coming drift, round by round, until nobody would.
 *
 *   fly the drift;  for all near segments that would overlap: answer now, fly their nodes again;  repeat      [contact 11]
 *
 * Contacts are visited in the order of their segments.  What they do is in step/crowd_answer.c. */
#include "step/crowd.h"

#include "contact/friction.h"
#include "contact/gap.h"
#include "math/math.h"
#include "step/crowd_answer.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 400, CONTACTS = 16 };

vv_status vvi_crowd_prepare(struct vv_step *s)
{
  const struct vvi_crowd *c = s->model->crowd;
  const int64_t n = s->model->pairs->n, nodes = c->n_node;
  struct vvi_crowd_step *w = s->crowd = VVI_ARENA_NEW(s->arena, struct vvi_crowd_step, 1);
  if (w == NULL) return VV_NOMEM;
  VV_TRY(vvi_near_create(s->model, s->arena, &w->near));
  const int64_t room = CONTACTS * (int64_t)c->n_segment + n + 256;
  w->room = room < INT32_MAX ? (int32_t)room : INT32_MAX;
  w->contact = VVI_ARENA_NEW(s->arena, vvi_contact, w->room);
  w->bad = VVI_ARENA_NEW(s->arena, int32_t, w->room);
  w->rest = VVI_ARENA_NEW(s->arena, int32_t, 2 * n + 1);
  w->changed = VVI_ARENA_NEW(s->arena, int32_t, 2 * nodes);
  w->couplings = 16 * (int64_t)w->room;
  w->coupling = VVI_ARENA_NEW(s->arena, vvi_coupling, w->couplings);
  w->first = VVI_ARENA_NEW(s->arena, int64_t, w->room + 1);
  w->row = VVI_ARENA_NEW(s->arena, int32_t, 6 * (int64_t)w->room + nodes);
  w->q = VVI_ARENA_NEW(s->arena, double, s->state->nq + 2 * s->state->np);
  if (w->contact == NULL || w->bad == NULL || w->rest == NULL || w->changed == NULL || w->q == NULL) return VV_NOMEM;
  if (w->coupling == NULL || w->first == NULL || w->row == NULL) return VV_NOMEM;
  w->seen = w->row + w->room, w->link = w->seen + w->room, w->head = w->link + 4 * (int64_t)w->room;
  w->contact_of = w->rest + n, w->dirty = w->changed + nodes;
  w->p = w->q + s->state->nq, w->y = w->p + s->state->np;
  for (int64_t i = 0; i < n; i++) w->contact_of[i] = -1;
  return VV_OK;
}

double *vvi_crowd_bank(const struct vv_step *s)
{
  return &s->state->memory[s->state->nh - 1];
}

/* ---- flights ---- */

static void fly_all(struct vv_step *s, vvi_flight *f)
{
  const vv_state *x = s->state;
  memcpy(f->q, x->q, sizeof(double) * (size_t)x->nq);
  memcpy(f->p, x->p, sizeof(double) * (size_t)x->np);
  vvi_axpy(x->np, 0.5 * f->h, f->f, f->p);
  vvi_sys_drift(s->model, f->h, f->q, f->p);
  f->flown = true;
}

void vvi_crowd_fly(struct vv_step *s, vvi_flight *f, int32_t node)
{
  vvi_near *w = s->crowd->near;
  const vvi_curve *k = &w->crowd->curve[w->crowd->curve_of_node[node]];
  const vv_block *b = k->block;
  const int64_t i = k->shape->node + (node - k->node0);
  for (int c = 0; c < b->kind->node_q; c++) f->q[b->q0 + c * b->column + i] = s->state->q[b->q0 + c * b->column + i];
  for (int c = 0; c < b->kind->node_p; c++) {
    const int64_t j = b->p0 + c * b->column + i;
    f->p[j] = s->state->p[j] + 0.5 * f->h * f->f[j];
  }
  if (f->settle != NULL) f->settle(s, b, i, f->h, f->p);
  b->kind->drift_node(b, i, f->h, f->q + b->q0, f->p + b->p0);
  b->kind->surface(b, f->q + b->q0, 1, &w->point[node], w->end + 3 * (int64_t)node);
  vvi_near_measure_node(w, node);
}

/* ---- rows ---- */

static void add_nodes(vvi_contact *c, const struct vvi_crowd *crowd, int32_t segment)
{
  c->node[c->nodes++] = crowd->end[2 * segment];
  c->node[c->nodes++] = crowd->end[2 * segment + 1];
}

static void measure_row(const struct vv_step *s, const vvi_flight *f, vvi_contact *c)
{
  double b[6], w[3];
  c->block[0]->kind->inverse_mass(c->block[0], s->state->q + c->block[0]->q0, 1, &c->point[0], c->inverse);
  c->block[1]->kind->inverse_mass(c->block[1], s->state->q + c->block[1]->q0, 1, &c->point[1], b);
  for (int i = 0; i < 6; i++) c->inverse[i] += b[i];
  c->along = vvi_form(c->inverse, c->n, c->n);
  vvi_contact_velocity(s, c, s->state->p, w);
  c->speed = vvi_dot3(c->n, w);
  vvi_contact_velocity(s, c, f->f, w);
  c->acceleration = vvi_dot3(c->n, w);
}

/* Places and normal of the first touch, impulses at the present places: the common point divides the line between them as
 * the radii do, so that both momenta are exchanged exactly, friction included.                             [contact 13] */
static void set_row(const struct vv_step *s, const vvi_flight *f, vvi_contact *c, const vvi_meeting *m)
{
  const struct vvi_crowd *crowd = s->crowd->near->crowd;
  const int32_t segment[2] = {c->a, c->b};
  const double place[2] = {m->s, m->t};
  double x[2][3], radius[2];
  for (int e = 0; e < 2; e++) {
    const vvi_curve *k = vvi_crowd_curve(crowd, segment[e]);
    c->block[e] = k->block, radius[e] = k->shape->radius;
    c->point[e] = vvi_crowd_point(crowd, segment[e], place[e]);
    k->block->kind->surface(k->block, s->state->q + k->block->q0, 1, &c->point[e], x[e]);
  }
  for (int i = 0; i < 3; i++) {
    const double d = x[1][i] - x[0][i];
    c->n[i] = m->n[i];
    c->point[0].arm[i] = d * radius[0] / (radius[0] + radius[1]);
    c->point[1].arm[i] = c->point[0].arm[i] - d;
  }
  c->time = m->late, c->gap = m->gap;
  measure_row(s, f, c);
}

static void set_pair_row(const struct vv_step *s, const vvi_flight *f, vvi_contact *c, double gap)
{
  const vvi_pair *pair = &s->model->pairs->pair[c->pair];
  vvi_touch t;
  vvi_touch_at(pair, s->state->q, &t);
  c->block[0] = pair->block_a, c->block[1] = pair->block_b;
  c->point[0] = t.a, c->point[1] = t.b;
  memcpy(c->n, t.n, sizeof c->n);
  c->time = 1.0, c->gap = gap;
  measure_row(s, f, c);
}

bool vvi_crowd_again(struct vv_step *s, const vvi_flight *f, vvi_contact *c)
{
  vvi_meeting m;
  if (c->pair >= 0) {
    const double gap = vvi_pair_gap(&s->model->pairs->pair[c->pair], f->q);
    if (!(gap < 0.0)) return false;
    set_pair_row(s, f, c, gap);
    return true;
  }
  if (!vvi_near_meets(s->crowd->near, c->a, c->b, &m)) return false;
  set_row(s, f, c, &m);
  return true;
}

/* ---- who would overlap ---- */

static vvi_contact *open_contact(struct vvi_crowd_step *w)
{
  if (w->n == w->room) return NULL;
  vvi_contact *c = &w->contact[w->n++];
  *c = (vvi_contact){.a = -1, .b = -1, .pair = -1};
  return c;
}

static bool was_changed(const struct vvi_crowd_step *w, const int32_t *node, int n)
{
  if (w->round == 0) return true;
  for (int i = 0; i < n; i++)
    if (w->changed[node[i]] == w->round - 1) return true;
  return false;
}

/* Both segments have moved too little since the list was built. */
static bool far_apart(const vvi_near *w, const vvi_candidate *k)
{
  const int32_t *a = w->crowd->end + 2 * k->a, *b = w->crowd->end + 2 * k->b;
  return k->gap > fmax(w->moved[a[0]], w->moved[a[1]]) + fmax(w->moved[b[0]], w->moved[b[1]]) + 1e-3 * w->skin;
}

static bool collect_segments(struct vv_step *s, const vvi_flight *f)
{
  struct vvi_crowd_step *w = s->crowd;
  const struct vvi_crowd *crowd = w->near->crowd;
  for (int64_t i = 0; i < w->near->n; i++) {
    vvi_candidate *k = &w->near->list[i];
    vvi_meeting m;
    if (far_apart(w->near, k)) continue;
    if (!was_changed(w, crowd->end + 2 * k->a, 2) && !was_changed(w, crowd->end + 2 * k->b, 2)) continue;
    if (!vvi_near_meets(w->near, k->a, k->b, &m)) continue;
    if (k->contact < 0) {
      vvi_contact *fresh = open_contact(w);
      if (fresh == NULL) return false;
      fresh->a = k->a, fresh->b = k->b;
      fresh->restitution = crowd->rule[k->rule].restitution, fresh->friction = crowd->rule[k->rule].friction;
      add_nodes(fresh, crowd, k->a);
      add_nodes(fresh, crowd, k->b);
      k->contact = w->n - 1;
    }
    set_row(s, f, &w->contact[k->contact], &m);
    w->bad[w->n_bad++] = k->contact;
  }
  return true;
}

/* Node of a pair in the numbering of the crowd; -1: its curve is not in it. */
static int32_t node_of_pair(const struct vv_step *s, const vvi_pair *c)
{
  const struct vvi_crowd *crowd = s->model->crowd;
  const int32_t curve = c->curved ? crowd->curve_of_patch[c->a] : -1;
  return curve < 0 ? -1 : crowd->curve[curve].node0 + (int32_t)c->point_a.xi[0];
}

bool vvi_crowd_has(const struct vv_step *s, const vvi_pair *c)
{
  return s->crowd != NULL && c->compliance <= 0.0 && c->projection == VVI_ANTICIPATE && node_of_pair(s, c) >= 0;
}

static vvi_contact *contact_of_pair(struct vv_step *s, int32_t pair)
{
  struct vvi_crowd_step *w = s->crowd;
  const vvi_pair *c = &s->model->pairs->pair[pair];
  if (w->contact_of[pair] >= 0) return &w->contact[w->contact_of[pair]];
  vvi_contact *fresh = open_contact(w);
  if (fresh == NULL) return NULL;
  fresh->pair = pair;
  fresh->restitution = c->restitution, fresh->friction = c->friction;
  fresh->node[fresh->nodes++] = node_of_pair(s, c);
  w->contact_of[pair] = w->n - 1;
  return fresh;
}

static bool collect_obstacles(struct vv_step *s, const vvi_flight *f)
{
  struct vvi_crowd_step *w = s->crowd;
  const struct vvi_pairs *list = s->model->pairs;
  for (int32_t i = 0; f->obstacles && i < list->n; i++) {
    const int32_t node = vvi_crowd_has(s, &list->pair[i]) ? node_of_pair(s, &list->pair[i]) : -1;
    if (node < 0 || s->state->memory[i] != 0.0 || !was_changed(w, &node, 1)) continue;
    const double gap = vvi_pair_gap(&list->pair[i], f->q);
    if (!(gap < 0.0)) continue;
    vvi_contact *c = contact_of_pair(s, i);
    if (c == NULL) return false;
    set_pair_row(s, f, c, gap);
    w->bad[w->n_bad++] = w->contact_of[i];
  }
  return true;
}

/* Contacts at rest on obstacles (the event step): they answer when a neighbour pushes them. */
static bool collect_resting(struct vv_step *s, const vvi_flight *f)
{
  struct vvi_crowd_step *w = s->crowd;
  const struct vvi_pairs *list = s->model->pairs;
  w->n_rest = 0;
  for (int32_t i = 0; i < list->n; i++) {
    if (s->state->memory[i] == 0.0 || !vvi_crowd_has(s, &list->pair[i])) continue;
    vvi_contact *c = contact_of_pair(s, i);
    if (c == NULL) return false;
    c->rests = true;
    set_pair_row(s, f, c, 0.0);
    w->rest[w->n_rest++] = w->contact_of[i];
  }
  return true;
}

/* ---- rounds ---- */

static void relink(struct vvi_crowd_step *w, bool forget)
{
  for (int32_t i = 0; i < w->n; i++) {
    const vvi_contact *c = &w->contact[i];
    vvi_candidate *k = c->a >= 0 ? vvi_near_find(w->near, c->a, c->b) : NULL;
    if (k != NULL) k->contact = forget ? -1 : i;
    if (c->pair >= 0 && forget) w->contact_of[c->pair] = -1;
  }
  if (forget) w->n = 0;
}

static vv_status no_room(const struct vv_step *s, double t, vv_report *r)
{
  r->reason = VV_REASON_CROWDED;
  snprintf(r->message, sizeof r->message,
           "more contacts between beams than the run has room for at t = %.9g (%d segments); use longer elements", t,
           s->model->crowd->n_segment);
  return VV_OK;
}

static vv_status unsettled(const struct vv_step *s, double t, double deepest, vv_report *r)
{
  const struct vvi_crowd_step *w = s->crowd;
  const vvi_contact *c = &w->contact[w->bad[0]];
  const struct vvi_crowd *crowd = s->model->crowd;
  const char *name = "an obstacle";
  if (c->pair < 0) name = s->model->body[vvi_crowd_curve(crowd, c->b)->shape->body].name;
  const int32_t body = crowd->curve[crowd->curve_of_node[c->node[0]]].shape->body;
  r->reason = VV_REASON_NOT_CONVERGED;
  snprintf(r->message, sizeof r->message,
           "%d contacts would not come apart at t = %.9g (by %.3g; '%.40s' and '%.40s'); use a shorter step", w->n_bad,
           t, deepest, s->model->body[body].name, name);
  return VV_OK;
}

static double deepest_of(const struct vvi_crowd_step *w)
{
  double most = 0.0;
  for (int32_t i = 0; i < w->n_bad; i++) most = fmax(most, -w->contact[w->bad[i]].gap);
  return most;
}

static bool collect(struct vv_step *s, const vvi_flight *f)
{
  struct vvi_crowd_step *w = s->crowd;
  const int64_t builds = w->near->builds;
  w->n_bad = 0;
  if (!vvi_near_refresh(w->near)) return false;
  if (w->near->builds != builds) relink(w, false);
  return collect_segments(s, f) && collect_obstacles(s, f);
}

vv_status vvi_crowd_act(struct vv_step *s, vvi_flight *f, bool *acted, vv_report *r)
{
  struct vvi_crowd_step *w = s->crowd;
  *acted = false;
  if (!f->flown) fly_all(s, f);
  vvi_near_place(w->near, s->state->q, w->near->x);
  vvi_near_place(w->near, f->q, w->near->end);
  vvi_near_measure(w->near);
  memset(w->changed, 0xff, sizeof(int32_t) * (size_t)w->near->crowd->n_node);
  bool room = true;
  for (w->round = 0;; w->round++) {
    room = collect(s, f);
    if (!room || w->n_bad == 0) break;
    if (w->round == ROUNDS) {
      const double deepest = deepest_of(w);
      if (deepest > 1e-6 * w->near->crowd->radius) VV_TRY(unsettled(s, f->t, deepest, r));
      break;
    }
    if (w->round == 0) room = collect_resting(s, f);
    if (!room) break;
    vvi_crowd_answer(s, f);
    *acted = true;
  }
  relink(w, true);
  return room ? VV_OK : no_room(s, f->t, r);
}

/* Deepest overlap and number of touching segments; depends on the state alone. */
void vvi_crowd_note(struct vv_step *s, double *deepest, int64_t *contacts)
{
  vvi_near *w = s->crowd->near;
  vvi_near_place(w, s->state->q, w->x);
  memcpy(w->end, w->x, sizeof(double) * 3 * (size_t)w->crowd->n_node);
  vvi_near_measure(w);
  if (!vvi_near_refresh(w)) return; /* the next step says so */
  const double touch = 1e-4 * w->crowd->radius;
  for (int64_t i = 0; i < w->n; i++) {
    if (far_apart(w, &w->list[i])) continue;
    const double gap = vvi_near_gap(w, w->list[i].a, w->list[i].b);
    *contacts += gap <= touch;
    *deepest = fmax(*deepest, -gap);
  }
}
