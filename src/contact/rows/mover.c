/* contact/rows/mover.c  The nodes that contact can move: velocities of the coming drift, impulses, flights. */
#include "contact/contact.h"
#include "math/math.h"

#include <string.h>

/* ---- gather ---- */

/* Accelerations of all movers: M^-1 f, as if f were momenta. */
static void gather_forces(struct vvi_contact_step *w)
{
  const struct vvi_solids *solids = w->near->solids;
  double most = 0.0;
  w->acceleration = 0.0;
  if (w->joints != NULL) vvi_joints_look(w->joints, w->q);
  if (!w->forced) return;
  if (w->f == NULL) { /* not known yet */
    memset(w->force, 0, sizeof *w->force * (size_t)solids->movers);
    return;
  }
  for (int i = 0; i < w->model->n_block; i++) {
    const vv_block *b = &w->model->block[i];
    if (solids->first[i] >= 0) b->kind->movers(b, w->q + b->q0, w->f + b->p0, w->force + solids->first[i]);
  }
  if (w->joints != NULL) vvi_linked_forces(w);
  for (int32_t i = 0; i < solids->movers; i++) most = fmax(most, vvi_dot3(w->force[i].velocity, w->force[i].velocity));
  w->acceleration = sqrt(most);
}

static double acceleration_of(const struct vvi_contact_step *w, const vvi_object *o)
{
  double most = 0.0;
  for (int k = 0; w->forced && k < 2 && o->mover[k] >= 0; k++) {
    const vv_mover *m = &w->force[o->mover[k]];
    most = vvi_larger(vvi_norm3(m->velocity) + o->turns * vvi_norm3(m->spin), most);
  }
  return most;
}

/* No point of an object will be faster in the step, unless contact makes it so: then all is asked again with wider bounds.
 * Located impacts may make anything as fast as the fastest. */
void vvi_movers_bound(struct vvi_contact_step *w)
{
  const struct vvi_solids *solids = w->near->solids;
  const double caution = vvi_movers_caution(w);
  w->speed = 0.0;
  for (int32_t i = 0; i < solids->n; i++) {
    if (solids->object[i].mover[0] < 0) continue;
    w->near->bound[i] = vvi_object_speed(w->near, i);
    if (w->near->bound[i] > w->speed) w->speed = w->near->bound[i];
  }
  for (int32_t i = 0; i < solids->n; i++) {
    const vvi_object *o = &solids->object[i];
    if (o->mover[0] < 0) continue;
    w->near->bound[i] =
        w->located
            ? caution * (w->speed + w->h * w->acceleration)
            : caution * (w->near->bound[i] + w->h * acceleration_of(w, o)) +
                  3.0 * (vvi_linked_speed(w, o->mover[0], o->turns) + vvi_linked_speed(w, o->mover[1], o->turns));
  }
}

bool vvi_movers_look(struct vvi_contact_step *w, const vvi_flight_plan *plan)
{
  w->h = fabs(plan->h), w->sign = plan->h < 0.0 ? -1.0 : 1.0, w->t = plan->t;
  w->q = plan->q, w->p = plan->p, w->f = plan->f, w->post = plan->post;
  vvi_solid_near_place(w->model, w->near, w->q, w->p);
  gather_forces(w);
  vvi_movers_bound(w);
  return vvi_solid_near_collect(w->near, w->h);
}

/* Contacts made some faster than the bounds: more may be near. */
bool vvi_movers_raise(struct vvi_contact_step *w)
{
  const struct vvi_solids *solids = w->near->solids;
  bool raised = false;
  for (int32_t i = 0; i < solids->n; i++) {
    const vvi_object *o = &solids->object[i];
    double most = 0.0;
    for (int k = 0; k < 2 && o->mover[k] >= 0; k++) {
      const vvi_working *m = &w->work[o->mover[k]];
      if (vvi_mover_loaded(w, o->mover[k]) && m->touched)
        most = vvi_larger(vvi_norm3(m->now) + o->turns * vvi_norm3(m->now + 3), most);
    }
    if (!(most > w->near->bound[i])) continue;
    w->near->bound[i] = 1.1 * most;
    raised = true;
  }
  return raised;
}

/* ---- one mover in the step ---- */

bool vvi_movers_fit(struct vvi_contact_step *w, int32_t movers)
{
  const int64_t n = movers, old = w->movers;
  w->work = vvi_arena_grow(w->arena, w->work, sizeof *w->work, old, old, n);
  w->force = vvi_arena_grow(w->arena, w->force, sizeof *w->force, old, old, n);
  w->near->mover = vvi_arena_grow(w->arena, w->near->mover, sizeof *w->near->mover, old, old, n);
  w->shown_at = vvi_arena_grow(w->arena, w->shown_at, sizeof *w->shown_at, old, w->shown, n);
  w->root = vvi_arena_grow(w->arena, w->root, sizeof *w->root, 4 * old, 0, 4 * n);
  w->inverse = vvi_arena_grow(w->arena, w->inverse, sizeof *w->inverse, old, 0, n);
  w->change = vvi_arena_grow(w->arena, w->change, sizeof *w->change, old, 0, n);
  if (!w->work || !w->force || !w->near->mover || !w->shown_at || !w->root || !w->inverse || !w->change) return false;
  if (!vvi_touches_fit(w, old, n)) return false;
  w->group_of = w->root + n, w->who = w->group_of + n, w->mover_list = w->who + n;
  w->movers = movers;
  return true;
}

bool vvi_mover_moves(const vv_mover *m)
{
  const double *a = m->inverse_mass, *b = m->inverse_inertia;
  return a[0] + a[1] + a[2] > 0.0 || b[0] + b[1] + b[2] > 0.0;
}

/* As the step begins, and no impulse yet. */
static void begin(struct vvi_contact_step *w, int32_t i)
{
  vvi_working *m = &w->work[i];
  const vv_mover *at = &w->near->mover[i];
  m->touched = m->flown = false, m->frozen = 0;
  m->moves = vvi_mover_moves(at);
  vvi_touch_clear(w, i);
  for (int c = 0; c < 6; c++) m->kick[c] = m->impulse[c] = m->held[c] = 0.0;
  for (int c = 0; w->forced && c < 3; c++)
    m->kick[c] = w->h * w->force[i].velocity[c], m->kick[3 + c] = w->h * w->force[i].spin[c];
  for (int c = 0; c < 3; c++) {
    m->now[c] = w->sign * at->velocity[c] + 0.5 * m->kick[c];
    m->now[3 + c] = w->sign * at->spin[c] + 0.5 * m->kick[3 + c];
  }
}

void vvi_mover_load(struct vvi_contact_step *w, int32_t i)
{
  vvi_working *m = &w->work[i];
  const vv_block *b = &w->model->block[m->block];
  begin(w, i);
  m->loaded = w->looks, m->group = -1;
  vvi_node_momenta(b, m->node, w->p, m->saved);
}

/* As if contact had not yet acted. */
void vvi_mover_reset(struct vvi_contact_step *w, int32_t i)
{
  vvi_working *m = &w->work[i];
  const vv_block *b = &w->model->block[m->block];
  if (!m->touched) return;
  vvi_node_put(b, m->node, m->saved, w->p);
  begin(w, i);
  m->changes++;
  if (w->features != NULL) vvi_features_changed(w, i);
}

/* impulse and change are those of velocities turned by `sign`. */
void vvi_mover_push(struct vvi_contact_step *w, int32_t i, const double impulse[6], const double change[6])
{
  vvi_working *m = &w->work[i];
  const vv_block *b = &w->model->block[m->block];
  double j[6];
  for (int c = 0; c < 6; c++) {
    j[c] = w->sign * impulse[c];
    m->impulse[c] += impulse[c], m->now[c] += change[c];
  }
  b->kind->scatter(b, m->node, w->q + b->q0, j, w->p + b->p0);
  vvi_mover_changed(w, i);
}

void vvi_mover_changed(struct vvi_contact_step *w, int32_t i)
{
  w->work[i].touched = true, w->work[i].flown = false;
  w->work[i].changes++;
  if (w->features != NULL) vvi_features_changed(w, i);
}

bool vvi_mover_still(const vvi_working *m)
{
  for (int c = 0; c < 6; c++)
    if (m->now[c] != 0.0) return false;
  return true;
}

/* The place of a node after half kick and drift: it flies alone. */
void vvi_mover_fly(struct vvi_contact_step *w, int32_t i, const double extra[6])
{
  vvi_working *m = &w->work[i];
  const vv_mover *at = &w->near->mover[i];
  const vv_block *b = &w->model->block[m->block];
  if (vvi_linked(w, i) >= 0 && extra == NULL) {
    vvi_linked_fly(w, vvi_linked(w, i), NULL);
    return;
  }
  m->flown = true;
  if (b->kind->drift_node == NULL || (extra == NULL && vvi_mover_still(m))) {
    memcpy(m->turn, at->turn, sizeof m->turn);
    for (int c = 0; c < 3; c++) m->place[c] = at->place[c] + w->h * m->now[c];
    double more[3] = {0, 0, 0};
    if (extra != NULL) vvi_times6(at->inverse_mass, extra, more);
    for (int c = 0; c < 3 && extra != NULL; c++) m->place[c] += w->h * more[c];
    return;
  }
  double j[6];
  vv_mover out;
  const double h = w->sign * w->h;
  vvi_node_sets_out(b, m->node, 0.5 * h, w->q, w->p, w->f, w->fly_q, w->fly_p);
  for (int c = 0; c < 6 && extra != NULL; c++) j[c] = w->sign * extra[c];
  if (extra != NULL) b->kind->scatter(b, m->node, w->q + b->q0, j, w->fly_p + b->p0);
  b->kind->drift_node(b, m->node, h, w->fly_q + b->q0, w->fly_p + b->p0);
  b->kind->mover(b, m->node, w->fly_q + b->q0, w->fly_p + b->p0, &out);
  memcpy(m->place, out.place, sizeof m->place);
  memcpy(m->turn, out.turn, sizeof m->turn);
}
