/* step/solids/solids.c  One step of the contacts of rigid bodies: detect, impacts of length zero, contacts at rest.  [many 2] */
#include "step/solids.h"

#include "step/sheets.h"
#include "step/solids/rest.h"
#include "step/solids/rows.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 20 };

/* As many rows as the list of meetings has room for. */
static bool make_rows(struct vv_step *s)
{
  struct vvi_solids_step *w = s->solids;
  w->room = w->near->meet_room;
  w->row = VVI_ARENA_NEW(s->arena, vvi_solid_row, w->room);
  w->lever = VVI_ARENA_NEW(s->arena, vvi_lever, w->room);
  w->hit = VVI_ARENA_NEW(s->arena, vvi_hit, w->room);
  return w->row != NULL && w->lever != NULL && w->hit != NULL;
}

bool vvi_solids_fit(struct vv_step *s)
{
  struct vvi_solids_step *w = s->solids;
  if (w->room == w->near->meet_room) return true;
  return make_rows(s) && (w->locate == NULL || vvi_locate_rows(s) == VV_OK) &&
         (w->rest == NULL ||
          (vvi_rest_rows(s) == VV_OK && vvi_rest_room(s->arena, (int32_t)w->room, w->rest) == VV_OK));
}

vv_status vvi_solids_prepare(struct vv_step *s)
{
  const vv_model *m = s->model;
  struct vvi_solids_step *w = s->solids = VVI_ARENA_NEW(s->arena, struct vvi_solids_step, 1);
  if (w == NULL) return VV_NOMEM;
  VV_TRY(vvi_solid_near_create(m, s->arena, &w->near));
  const int64_t movers = m->solids->movers;
  if (!make_rows(s)) return VV_NOMEM;
  w->root = VVI_ARENA_NEW(s->arena, int32_t, 3 * movers);
  w->force = VVI_ARENA_NEW(s->arena, vv_mover, movers);
  w->start = vvi_arena_alloc(s->arena, sizeof(double[6]) * (size_t)(4 * movers));
  if (!w->root || !w->force || !w->start) return VV_NOMEM;
  for (int32_t i = 0; i < m->solids->n; i++) w->soft |= m->solids->object[i].soft;
  w->forced = w->soft || vvi_sys_booked(m);
  w->f = VVI_ARENA_NEW(s->arena, double, w->forced ? s->state->np : 1);
  if (w->f == NULL) return VV_NOMEM;
  w->touched = w->root + movers, w->touch_of = w->touched + movers;
  w->settled = w->start + movers, w->first = w->settled + movers, w->owed = w->first + movers;
  w->block = vv_is(vv_sub(m->root, "method"), "simultaneous", "complementarity");
  const vv_group *method = vv_sub(m->root, "method");
  const bool exact = vv_is(method, "locate", "exact") || (vv_is(method, "locate", "auto") && !m->solids->loses);
  if (exact && vv_integer(method, "halvings") == 0 && vvi_solids_locatable(m) == NULL) VV_TRY(vvi_locate_prepare(s));
  return m->solids->rests && w->locate == NULL ? vvi_rest_prepare(s) : VV_OK;
}

const char *vvi_solids_locatable(const vv_model *m)
{
  const struct vvi_solids *solids = m->solids;
  const bool weight = vvi_norm3(m->gravity) > 0.0;
  if (m->sheets != NULL && m->sheets->rigid) return "balls that meet shells are not met at exact times";
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

/* ---- speeds ---- */

/* Accelerations of all movers: M^-1 f, as if f were momenta. */
static void measure_forces(struct vv_step *s, double t)
{
  struct vvi_solids_step *w = s->solids;
  const struct vvi_solids *solids = w->near->solids;
  w->acceleration = 0.0;
  if (!w->forced) return;
  memset(w->f, 0, sizeof(double) * (size_t)s->state->np);
  vvi_sys_kick(s->model, t, 1.0, s->state->q, w->f);
  vvi_springs_kick(s->model, s->state->memory, 1.0, s->state->q, w->f);
  for (int i = 0; i < s->model->n_block; i++) {
    const vv_block *b = &s->model->block[i];
    if (solids->first[i] >= 0) b->kind->movers(b, s->state->q + b->q0, w->f + b->p0, w->force + solids->first[i]);
  }
  double most = 0.0;
  for (int32_t i = 0; i < solids->movers; i++) most = fmax(most, vvi_dot3(w->force[i].velocity, w->force[i].velocity));
  w->acceleration = sqrt(most);
}

static double acceleration_of(const struct vvi_solids_step *w, const vvi_object *o)
{
  double most = 0.0;
  for (int k = 0; w->forced && k < 2 && o->mover[k] >= 0; k++) {
    const vv_mover *m = &w->force[o->mover[k]];
    most = fmax(most, vvi_norm3(m->velocity) + o->turns * vvi_norm3(m->spin));
  }
  return most;
}

/* No point of an object will be faster in the step, unless a contact makes it so. */
static void bound_speeds(struct vvi_solids_step *w, double h)
{
  w->speed = 0.0;
  for (int32_t i = 0; i < w->near->solids->n; i++) {
    const vvi_object *o = &w->near->solids->object[i];
    if (o->mover[0] < 0) continue;
    const double speed = vvi_object_speed(w->near, i);
    w->speed = fmax(w->speed, speed);
    w->near->bound[i] = 1.05 * (speed + fabs(h) * acceleration_of(w, o));
  }
}

bool vvi_solids_raise(struct vvi_solids_step *w, double h)
{
  bool raised = false;
  for (int32_t i = 0; i < w->near->solids->n; i++) {
    const vvi_object *o = &w->near->solids->object[i];
    if (o->mover[0] < 0) continue;
    const double need = vvi_object_speed(w->near, i) + fabs(h) * acceleration_of(w, o);
    if (!(need > w->near->bound[i])) continue;
    w->near->bound[i] = 1.05 * need;
    raised = true;
  }
  return raised;
}

/* ---- the stages ---- */

static bool look(struct vv_step *s, double t, double h)
{
  struct vvi_solids_step *w = s->solids;
  vvi_solid_near_place(s->model, w->near, s->state->q, s->state->p);
  measure_forces(s, t);
  if (w->locate != NULL)
    vvi_locate_bounds(w, h);
  else
    bound_speeds(w, h);
  return vvi_solid_near_collect(w->near, h);
}

vv_status vvi_solids_no_room(const struct vv_step *s, double t, vv_report *r)
{
  r->reason = VV_REASON_CROWDED;
  snprintf(r->message, sizeof r->message,
           "out of memory for the contacts of %d rigid shapes at t = %.9g; use a shorter step", s->model->solids->n, t);
  return VV_OK;
}

vv_status vvi_solids_endless(const struct vv_step *s, double t, vv_report *r)
{
  const struct vvi_solids_step *w = s->solids;
  const vvi_solid_row *c = &w->row[w->hit[0].row];
  r->reason = VV_REASON_NOT_CONVERGED;
  snprintf(r->message, sizeof r->message,
           "%d impacts do not end at t = %.9g ('%.40s' and '%.40s'); use a shorter step or restitution below 1",
           w->n_hit, t, s->model->body[s->model->solids->object[c->a].body].name,
           s->model->body[s->model->solids->object[c->b].body].name);
  return VV_OK;
}

static void forget_touched(struct vvi_solids_step *w)
{
  for (int32_t k = 0; k < w->n_touched; k++) w->touch_of[w->touched[k]] = -1;
  w->n_touched = w->n_lent = 0;
}

vv_status vvi_solids_act(struct vv_step *s, double t, double h, bool may_halve, bool *halve, vv_report *r)
{
  struct vvi_solids_step *w = s->solids;
  *halve = false;
  forget_touched(w);
  bool room = true, again = true;
  if (!w->fresh) room = look(s, t, h);
  w->fresh = false;
  if (room && w->locate != NULL && h > 0.0) return vvi_locate_act(s, t, h, r);
  for (int k = 0; room && again && k < ROUNDS; k++) {
    if (k > 0) room = vvi_solid_near_collect(w->near, h);
    if (!room || !(room = vvi_rows_make(s, h))) break;
    if (k == 0 && may_halve && vvi_rows_hit(s, h)) {
      *halve = w->fresh = true;
      return VV_OK;
    }
    if (!vvi_impacts(s, t, h)) return vvi_solids_endless(s, t, r);
    vvi_holds(s, t, h);
    again = vvi_solids_raise(w, h);
  }
  if (!room) return vvi_solids_no_room(s, t, r);
  if (w->rest != NULL && h > 0.0) vvi_settle_rest(s, h, false);
  vvi_solids_raise(w, h);
  return VV_OK;
}

void vvi_solids_moved(struct vv_step *s, double h)
{
  /* located impacts: there, back and there again */
  vvi_solid_near_moved(s->solids->near, s->solids->locate != NULL ? 3.0 * h : h);
}

void vvi_solids_forget(struct vvi_solids_step *w)
{
  w->fresh = w->near->built = false;
}

/* What touches, and how deep; the next step starts from what was found here. */
void vvi_solids_note(struct vv_step *s, double *deepest, int64_t *contacts)
{
  struct vvi_solids_step *w = s->solids;
  w->fresh = false;
  if (!look(s, s->state->t, s->h)) return; /* the next step says so */
  w->fresh = !w->soft;                     /* what bends may be kicked before the next step asks */
  const double touch = 1e-9 * w->near->solids->size;
  for (int64_t i = 0; i < w->near->meets; i++) *contacts += w->near->meet[i].spot.gap <= touch;
  *deepest = fmax(*deepest, -w->near->least);
}

/* ---- memory ---- */

double *vvi_solids_bank(const struct vv_step *s)
{
  return &s->state->memory[s->state->nh - (s->model->crowd != NULL) -
                           (s->model->sheets != NULL ? VVI_SHEET_MEMORY : 0) - vvi_solids_memory(s->model)];
}
