/* step/dcr2005/dcr2005.c  The step of Cirak and West (2005), for comparison: kick, drift until bodies overlap, project, respond.
 *
 * Chosen by the word `projection` of a contact.  What is projected, when, and by which force the next kick is made is not said in
 * the paper: the words name its readings.  Contacts that are not projected are answered as in the leapfrog. */
#include "step/dcr2005/dcr2005.h"

#include "math/math.h"
#include "step/contact.h"

#include <stdio.h>
#include <string.h>

typedef struct dcr_work {
  vvi_kdk kdk;
  vvi_dcr_surfaces *surfaces; /* NULL: none */
  double *force;              /* [np] where a projection is to give its work back; else NULL */
} dcr_work;

static bool projected(const vvi_pair *c)
{
  return c->compliance <= 0.0 && c->projection != VVI_ANTICIPATE;
}

/* Projections move positions, and so change the energy. */
static bool moves_places(const vv_model *m)
{
  for (int i = 0; i < m->pairs->n; i++)
    if (projected(&m->pairs->pair[i]) && m->pairs->pair[i].projection > VVI_UNTOUCHED) return true;
  return m->sheets != NULL && m->sheets->projection > VVI_UNTOUCHED;
}

static bool corrects_tips(const vv_model *m)
{
  for (int i = 0; i < m->pairs->n; i++)
    if (m->pairs->pair[i].correction & VVI_CORRECT_ENERGY) return true;
  return false;
}

static vv_status prepare(struct vv_step *s)
{
  dcr_work *w = s->own = VVI_ARENA_NEW(s->arena, dcr_work, 1);
  if (w == NULL) return VV_NOMEM;
  VV_TRY(vvi_kdk_prepare(s, &w->kdk));
  s->exact &= !moves_places(s->model);
  if (corrects_tips(s->model) && (w->force = VVI_ARENA_NEW(s->arena, double, s->state->np)) == NULL) return VV_NOMEM;
  return vvi_dcr_surfaces_create(s, &w->surfaces);
}

/* Moves both tips by dq = M^-1 n r to the common point g = 0, the mass-weighted mean.                            [bars 16] */
static void project(struct vv_step *s, const vvi_pair *c, double gap)
{
  dcr_work *w = s->own;
  const double a = vvi_pair_inverse_mass(c, s->state->q);
  if (a <= 0.0) return;
  w->kdk.known = false;
  memset(w->kdk.z, 0, sizeof(double) * (size_t)s->state->np);
  vvi_pair_pull(c, s->state->q, -gap / a, w->kdk.z);
  vvi_sys_drift(s->model, 1.0, s->state->q, w->kdk.z);
}

/* n.M^-1 f at the present places. */
static double force_along(struct vv_step *s, const vvi_pair *c, double t)
{
  const dcr_work *w = s->own;
  memset(w->force, 0, sizeof *w->force * (size_t)s->state->np);
  vvi_sys_kick(s->model, t, 1.0, s->state->q, w->force);
  return vvi_pair_rate(c, s->state->q, w->force);
}

/* The projection of a gap g < 0 moves by dq = -M^-1 n g/a against the force f and so does the work -f.dq = g (n.M^-1 f)/a, by
 * the mean of the forces before and after; the next response of the pair takes it back: it is lent to it.      [bars 16a] */
static void project_back(struct vv_step *s, const vvi_pair *c, double t, double gap)
{
  const double a = vvi_pair_inverse_mass(c, s->state->q);
  const bool lends = (c->correction & VVI_CORRECT_ENERGY) && a > 0.0;
  const double before = lends ? force_along(s, c, t) : 0.0;
  project(s, c, gap);
  if (lends) *vvi_pair_debt(s, c) -= 0.5 * gap / a * (before + force_along(s, c, t));
}

/* Stage 0: after the drift, before the second kick; 1: after it. */
static void resolve_tips(struct vv_step *s, double t, double direction, int stage)
{
  const struct vvi_pairs *list = s->model->pairs;
  for (int i = 0; i < list->n; i++) {
    const vvi_pair *c = &list->pair[i];
    if (!projected(c)) continue;
    const double g = vvi_pair_gap(c, s->state->q);
    const bool open = g >= 0.0;
    if (stage == 0) {
      s->state->memory[i] = open ? 0.0 : g; /* the gap to answer after the kick */
      if (open) continue;
      if (c->projection == VVI_PREDICTOR || c->projection == VVI_HALF_STEP) project_back(s, c, t, g);
      if (c->projection == VVI_HALF_STEP) vvi_kdk_respond(s, c, t, direction);
    } else if (s->state->memory[i] != 0.0) {
      if (c->projection == VVI_KEPT || c->projection == VVI_RECOMPUTED) project_back(s, c, t, g);
      if (c->projection != VVI_HALF_STEP) vvi_kdk_respond(s, c, t, direction);
      if (c->projection != VVI_KEPT) s->state->memory[i] = 0.0;
    }
    if (stage == 1 && (c->correction & VVI_CORRECT_ENERGY)) *vvi_pair_debt(s, c) = 0.0; /* (15) is of one impact */
  }
}

static vv_status no_room(double t, vv_report *r)
{
  r->reason = VV_REASON_CROWDED;
  snprintf(r->message, sizeof r->message, "out of memory for triangles that overlap at t = %.9g; use a shorter step",
           t);
  return VV_OK;
}

static vv_status resolve(struct vv_step *s, double t, double h, int stage, vv_report *r)
{
  const dcr_work *w = s->own;
  resolve_tips(s, t, h < 0.0 ? -1.0 : 1.0, stage);
  if (w->surfaces != NULL && !vvi_dcr_surfaces_resolve(s, w->surfaces, t, h, stage)) return no_room(t, r);
  return VV_OK;
}

/* "kept": the first kick still uses the force at the positions before they were projected; memory holds that gap. */
static void unproject(struct vv_step *s, double sign)
{
  const struct vvi_pairs *list = s->model->pairs;
  for (int i = 0; i < list->n; i++) {
    const vvi_pair *c = &list->pair[i];
    if (projected(c) && c->projection == VVI_KEPT && s->state->memory[i] != 0.0)
      project(s, c, -sign * s->state->memory[i]);
  }
}

static vv_status substep(struct vv_step *s, double t, double h, vv_report *r)
{
  vvi_kdk *k = &((dcr_work *)s->own)->kdk;
  bool halve;
  vvi_sys_drive(s->model, t, h, s->state->q, s->state->p, &s->ledger->posted);
  if (s->model->driven) k->known = false; /* as vvi_kdk_drive */
  VV_TRY(vvi_kdk_answer(s, k, t, h, false, &halve, r));
  if (r->reason != VV_REASON_DONE) return VV_OK;
  unproject(s, 1.0);
  vvi_kdk_kick(s, k, t, 0.5 * h);
  vvi_kdk_book(s, t, 0.5 * h);
  unproject(s, -1.0);
  vvi_kdk_drift(s, k, t, h);
  VV_TRY(resolve(s, t + h, h, 0, r));
  vvi_kdk_book(s, t + h, 0.5 * h);
  vvi_kdk_kick(s, k, t + h, 0.5 * h);
  return resolve(s, t + h, h, 1, r);
}

static vv_status step(struct vv_step *s, int64_t n, vv_report *r)
{
  const dcr_work *w = s->own;
  for (int64_t i = 0; i < n && r->reason == VV_REASON_DONE; i++) {
    VV_TRY(vvi_kdk_compose(s, &((dcr_work *)s->own)->kdk, substep, r));
    if (w->surfaces == NULL) continue;
    vvi_dcr_surfaces_note(w->surfaces, &s->ledger->penetration, &s->ledger->contacts);
    s->ledger->max_penetration = fmax(s->ledger->max_penetration, s->ledger->penetration);
  }
  return VV_OK;
}

static void audit(struct vv_step *s, vv_totals *sum)
{
  vvi_kdk_audit(s, &((dcr_work *)s->own)->kdk, sum);
}

static void forget(struct vv_step *s)
{
  vvi_kdk_forget(s, &((dcr_work *)s->own)->kdk);
}

const vv_stepper_kind vv_dcr2005_stepper = {
    .name = "dcr2005",
    .doc = "kick, drift, kick; overlap, push back, respond, as in 2005",
    .claims = VV_EXPLICIT | VV_KEEPS_MOMENTUM | VV_REVERSIBLE,
    .prepare = prepare,
    .audit = audit,
    .step = step,
    .forget = forget,
};
