/* step/leapfrog/leapfrog.c  Kick, drift, kick; contacts are answered before the drift that would close them. */
#include "contact/joints.h"
#include "math/math.h"
#include "step/accelerate.h"
#include "step/contact.h"
#include "step/kdk.h"
#include "step/variation.h"

#include <stdio.h>

typedef struct leapfrog_work {
  vvi_kdk kdk;
  bool fast;    /* whole strides: nothing to touch, book or observe between steps */
  int halvings; /* levels of half steps around an impact of rigid bodies */
} leapfrog_work;

static bool every_kind_strides(const vv_model *m)
{
  for (int i = 0; i < m->n_block; i++)
    if (m->block[i].kind->stride == NULL) return false;
  return true;
}

static vv_status prepare(struct vv_step *s)
{
  leapfrog_work *w = VVI_ARENA_NEW(s->arena, leapfrog_work, 1);
  if (w == NULL) return VV_NOMEM;
  w->fast = s->model->pairs->n == 0 && s->contact == NULL && s->joints == NULL && !vvi_sys_booked(s->model) &&
            !s->model->viscous && s->composition->stages == 1 && every_kind_strides(s->model);
  w->halvings = (int)vv_integer(vv_sub(s->model->root, "method"), "halvings");
  s->own = w;
  VV_TRY(vvi_kdk_prepare(s, &w->kdk));
  if (s->joints != NULL) s->joints->by_places = !s->exact;
  return VV_OK;
}

static vv_status substep(struct vv_step *s, double t, double h, vv_report *r);

static vv_status halves(struct vv_step *s, double t, double h, vv_report *r)
{
  leapfrog_work *w = s->own;
  w->halvings--;
  vv_status status = substep(s, t, 0.5 * h, r);
  if (status == VV_OK && r->reason == VV_REASON_DONE) status = substep(s, t + 0.5 * h, 0.5 * h, r);
  w->halvings++;
  return status;
}

/* Before the drift; false: told why. */
static bool hold_joints(struct vv_step *s, double t, double h, vv_report *r)
{
  const double *f = s->joints != NULL ? vvi_kdk_force(s, &((leapfrog_work *)s->own)->kdk, t) : NULL;
  if (f == NULL || vvi_joints_hold(s->joints, h, s->state->q, f, s->state->p, &s->ledger->posted)) return true;
  r->reason = VV_REASON_NOT_CONVERGED;
  snprintf(
      r->message, sizeof r->message,
      "no impulses of the joints were found that keep them in the step from t = %.9g: a body turns by more than half a "
      "radian in it; use a shorter 'time.step'",
      t);
  return false;
}

static void project_joints(struct vv_step *s)
{
  if (s->joints != NULL) vvi_joints_project(s->joints, s->state->q, s->state->p, &s->ledger->posted);
}

static vv_status substep(struct vv_step *s, double t, double h, vv_report *r)
{
  leapfrog_work *w = s->own;
  vvi_kdk *k = &w->kdk;
  bool halve;
  if (s->joints != NULL) vvi_joints_mend(s->joints, s->state->q, s->state->p, &s->ledger->posted);
  vvi_kdk_drive(s, k, t, h);
  if (s->contact != NULL) s->contact->rest.may_stay = s->vary == NULL && s->composition->stages == 1 && s->n_led == 0;
  VV_TRY(vvi_kdk_answer(s, k, t, h, w->halvings > 0, &halve, r));
  if (r->reason != VV_REASON_DONE) return VV_OK;
  if (halve) return halves(s, t, h, r);
  if (s->contact != NULL && vvi_contact_stays(s->contact)) {
    vvi_kdk_book_again(s, k);
    return VV_OK;
  }
  if (s->vary != NULL) {
    vvi_variation_slab_begin(s, vvi_kdk_force(s, k, t));
    vvi_variation_to_grid(s);
  }
  if (!hold_joints(s, t, h, r)) return VV_OK;
  const bool kicked = vvi_kdk_leap(s, k, t, h);
  vvi_kdk_book_half(s, k, 1, t + h, 0.5 * h);
  if (s->vary != NULL) vvi_variation_slab_end(s, h, s->state->p, vvi_kdk_force(s, k, t + h));
  if (!kicked) vvi_kdk_kick(s, k, t + h, 0.5 * h);
  vvi_kdk_settle(s, k, t + h);
  project_joints(s);
  return VV_OK;
}

/* n steps in n + 1 passes over memory: the end of one step and the start of the next share a force. */
static void stride_steps(struct vv_step *s, int64_t n)
{
  const vv_model *m = s->model;
  vv_state *x = s->state;
  vvi_sys_kick(m, x->t, 0.5 * s->h, x->q, x->p);
  vvi_sys_drift(m, s->h, x->q, x->p);
  for (int64_t k = 1; k < n; k++) vvi_sys_flow_stride(m, s->h, x->q, x->p, &s->ledger->posted);
  vvi_sys_flow(m, s->h, x->q, x->p, &s->ledger->posted);
  vvi_sys_kick(m, x->t, 0.5 * s->h, x->q, x->p);
  x->step += s->h > 0.0 ? n - 1 : 1 - n;
  vvi_step_done(s);
}

static vv_status step(struct vv_step *s, int64_t n, vv_report *r)
{
  const leapfrog_work *w = s->own;
  if (s->accelerator != NULL && s->accelerator->resident) return vvi_resident_steps(s, n, r);
  if (w->fast && s->vary == NULL) {
    stride_steps(s, n);
    return VV_OK;
  }
  for (int64_t k = 0; k < n && r->reason == VV_REASON_DONE; k++) {
    const int64_t many = vvi_kdk_cruise(s, &w->kdk, n - k);
    if (many == 0) VV_TRY(vvi_kdk_compose(s, &((leapfrog_work *)s->own)->kdk, substep, r));
    if (many > 0) k += many - 1;
    vvi_device_lost(s, r);
  }
  return VV_OK;
}

static void audit(struct vv_step *s, vv_totals *sum)
{
  vvi_kdk_audit(s, &((leapfrog_work *)s->own)->kdk, sum);
}

static void forget(struct vv_step *s)
{
  vvi_kdk_forget(s, &((leapfrog_work *)s->own)->kdk);
}

const vv_stepper_kind vv_leapfrog_stepper = {
    .name = "leapfrog",
    .doc = "kick, drift, kick; contact at whole steps",
    .claims = VV_EXPLICIT | VV_SYMPLECTIC | VV_KEEPS_MOMENTUM | VV_REVERSIBLE,
    .prepare = prepare,
    .audit = audit,
    .step = step,
    .forget = forget,
};
