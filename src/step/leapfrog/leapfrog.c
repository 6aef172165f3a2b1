/* step/leapfrog/leapfrog.c  Kick, drift, kick on a fixed grid of times.
 *
 * Soft pairs (massless tips) are one-sided springs.  Hard pairs answer at whole steps by the decomposition response: the
 * normal part of the momentum is turned around, everything else is left alone, at a frozen configuration:
 *
 *   p+ = p- - (1 + e) (n.v)/(n.M^-1 n) n   if the pair approaches.                                            [bars 15]
 *
 * Where the response stands relative to drift and kick is the projection word of the contact. */
#include "math/math.h"
#include "step/contact.h"
#include "step/sheets.h"
#include "step/step.h"
#include "step/variation.h"

#include <string.h>

typedef struct leapfrog_work {
  double *f;          /* [np] force, for anticipation */
  double *z;          /* [np] scratch momentum of projections */
  bool keep;          /* f is used for both kicks beside it: one force a step */
  bool known, steady; /* it belongs to the present configuration; at any time */
  double known_at;    /* s: the time it belongs to */
  bool fast;          /* whole strides: nothing to touch, book or observe between steps */
  bool modified;      /* linear bodies, hard pairs: the step keeps an energy exactly */
  int halvings;       /* levels of half steps around an impact of rigid bodies */
} leapfrog_work;

static bool every_kind_strides(const vv_model *m)
{
  for (int i = 0; i < m->n_block; i++)
    if (m->block[i].kind->stride == NULL) return false;
  return true;
}

/* The paper's projections move positions, and so change the energy. */
static bool projects(const vv_model *m)
{
  for (int i = 0; i < m->pairs->n; i++)
    if (m->pairs->pair[i].projection > VVI_UNTOUCHED) return true;
  return false;
}

/* Bodies whose flight keeps their energy, under constant forces alone: so does the whole step. */
static bool flies_exactly(const vv_model *m)
{
  for (int i = 0; i < m->n_block; i++)
    if (m->block[i].nodes > 0 && ((m->block[i].claims & VV_KEEPS_ENERGY) == 0 || m->block[i].n_load > 0)) return false;
  return true;
}

static vv_status prepare(struct vv_step *s)
{
  leapfrog_work *w = VVI_ARENA_NEW(s->arena, leapfrog_work, 1);
  if (w == NULL) return VV_NOMEM;
  w->fast = s->model->pairs->n == 0 && s->contact == NULL && s->sheets == NULL && !vvi_sys_booked(s->model) &&
            !vvi_sys_damped(s->model) && s->composition->stages == 1 && every_kind_strides(s->model);
  w->f = VVI_ARENA_NEW(s->arena, double, s->state->np);
  w->z = VVI_ARENA_NEW(s->arena, double, s->state->np);
  if (w->f == NULL || w->z == NULL) return VV_NOMEM;
  w->keep = s->sheets != NULL || (s->contact != NULL && s->contact->forced), w->steady = vvi_sys_steady(s->model);
  w->modified =
      s->composition->stages == 1 && s->model->pairs->n_soft == 0 && (vvi_sys_claims(s->model) & VV_LINEAR) != 0;
  s->energy = w->modified ? "modified" : "nodal";
  s->exact = (w->modified && !projects(s->model)) || flies_exactly(s->model);
  w->halvings = (int)vv_integer(vv_sub(s->model->root, "method"), "halvings");
  s->own = w;
  return VV_OK;
}

/* ---- decomposition response of hard pairs ---- */

static double *bank_of(struct vv_step *s, const vvi_pair *c)
{
  return &s->state->memory[s->model->pairs->n + (c - s->model->pairs->pair)];
}

/* Both sides of an impulse: the bodies' momenta, the books for what is held, and what is lost by design. */
static void apply(struct vv_step *s, const vvi_pair *c, double t, double r, double loss)
{
  vvi_tell_pair(s, c, t, r, NULL, loss);
  vvi_pair_post(c, s->state->q, s->state->p, r, &s->ledger->posted);
  vvi_pair_pull(c, s->state->q, r, s->state->p);
  if (loss != 0.0) vvi_sum_add(&s->ledger->posted.restitution_loss, loss);
}

/* An approaching pair gets the impulse of its response; in a run backwards "approaching" is the other way round.  A pair
 * with e = 1 that has borrowed energy (below) pays it back: a r^2/2 + u r = bank. */
static void respond(struct vv_step *s, const vvi_pair *c, double t, double direction)
{
  const double *q = s->state->q, inverse = vvi_pair_inverse_mass(c, q);
  const double speed = vvi_pair_rate(c, q, s->state->p), approach = direction * speed;
  double impulse, loss, small, large, *bank = bank_of(s, c);
  c->response->solve(1, &approach, &inverse, &c->restitution, &impulse, &loss);
  if (impulse == 0.0) return;
  if (*bank != 0.0 && vvi_quadratic(0.5 * inverse, approach, -*bank, &small, &large))
    impulse = large, *bank = 0.0;
  else if (*bank != 0.0)
    impulse = -approach / inverse, *bank += 0.5 * approach * approach / inverse;
  apply(s, c, t, direction * impulse, loss);
  vv_event *e = vvi_log_add(s, c, "bounce", t, speed, direction * impulse);
  if (e != NULL) e->energy_jump = -loss;
}

/* The pair would still meet within the drift, pressed together by the half kick: it gets the smallest impulse that keeps
 * the gap.  At rest that is the weight of the step and changes no energy over two steps; what it gains is booked against
 * restitution for e < 1, and borrowed for e = 1.                                                        [bars 19, 19a] */
static void keep_apart(struct vv_step *s, const vvi_pair *c, double t, double h, double gap_ahead)
{
  const double *q = s->state->q, inverse = vvi_pair_inverse_mass(c, q), speed = vvi_pair_rate(c, q, s->state->p);
  if (inverse <= 0.0) return;
  const double r = -gap_ahead / (h * inverse), gained = r * (speed + 0.5 * inverse * r);
  if (c->restitution == 1.0) *bank_of(s, c) -= gained;
  apply(s, c, t, r, c->restitution < 1.0 ? -gained : 0.0);
  if (s->ledger->held++ == 0) vvi_log_add(s, c, "hold", t, speed, r); /* later ones are only counted */
}

/* Moves both tips by dq = M^-1 n r to the common point g = 0, the mass-weighted mean.                            [bars 16] */
static void project(struct vv_step *s, const vvi_pair *c, double gap)
{
  leapfrog_work *w = s->own;
  const double a = vvi_pair_inverse_mass(c, s->state->q);
  if (a <= 0.0) return;
  memset(w->z, 0, sizeof(double) * (size_t)s->state->np);
  vvi_pair_pull(c, s->state->q, -gap / a, w->z);
  vvi_sys_drift(s->model, 1.0, s->state->q, w->z);
}

static bool hard(const vvi_pair *c, vvi_projection projection)
{
  return c->compliance <= 0.0 && c->projection == projection;
}

static const double *force(struct vv_step *s, double t)
{
  leapfrog_work *w = s->own;
  if (w->keep && w->known && (w->steady || w->known_at == t)) return w->f;
  memset(w->f, 0, sizeof(double) * (size_t)s->state->np);
  vvi_sys_kick(s->model, t, 1.0, s->state->q, w->f);
  vvi_springs_kick(s->model, s->state->memory, 1.0, s->state->q, w->f);
  w->known = true, w->known_at = t;
  return w->f;
}

/* Gap of a pair of tips after the coming drift: a parabola. */
static double gap_ahead(struct vv_step *s, const vvi_pair *c, double h, double pressed)
{
  const vv_state *x = s->state;
  return vvi_pair_gap(c, x->q) + h * (vvi_pair_rate(c, x->q, x->p) + pressed);
}

/* One pair that the coming drift would make penetrate answers now.  f: the force here. */
static void look_ahead(struct vv_step *s, const vvi_pair *c, double t, double h, const double *f)
{
  const vv_state *x = s->state;
  const double pressed = 0.5 * h * vvi_pair_rate(c, x->q, f);
  if (gap_ahead(s, c, h, pressed) >= 0.0) return;
  const double slow = c->restitution < 1.0 ? fabs(2.0 * pressed) : 0.0; /* too slow to bounce: it only rests */
  if (fabs(vvi_pair_rate(c, x->q, x->p)) > slow) respond(s, c, t, h < 0.0 ? -1.0 : 1.0);
  const double ahead = gap_ahead(s, c, h, pressed);
  if (ahead < 0.0) keep_apart(s, c, t, h, ahead);
}

/* Before the drift: it is known exactly, so tips that it would make penetrate answer at the synchronous state.  Positions are
 * never moved: potential energy is untouched and, for e = 1, so is the kinetic one. */
static void anticipate(struct vv_step *s, double t, double h)
{
  const struct vvi_pairs *list = s->model->pairs;
  const double *f = NULL;
  for (int i = 0; i < list->n; i++) {
    if (!hard(&list->pair[i], VVI_ANTICIPATE)) continue;
    if (f == NULL) f = force(s, t);
    look_ahead(s, &list->pair[i], t, h, f);
  }
}

/* Soft pairs: the springs of this configuration, and an event where one opened or closed. */
static void close_springs(struct vv_step *s, double t)
{
  const struct vvi_pairs *list = s->model->pairs;
  for (int i = 0; list->n_soft > 0 && i < list->n; i++) {
    const vvi_pair *c = &list->pair[i];
    if (c->compliance <= 0.0) continue;
    const double now = vvi_pair_gap(c, s->state->q) < 0.0;
    if (now != s->state->memory[i])
      vvi_log_add(s, c, now != 0.0 ? "on" : "off", t, vvi_pair_rate(c, s->state->q, s->state->p), 0.0);
    s->state->memory[i] = now;
  }
}

static void kick(struct vv_step *s, double t, double h)
{
  const leapfrog_work *w = s->own;
  if (w->keep) {
    vvi_axpy(s->state->np, h, force(s, t), s->state->p);
    return;
  }
  vvi_sys_kick(s->model, t, h, s->state->q, s->state->p);
  vvi_springs_kick(s->model, s->state->memory, h, s->state->q, s->state->p);
}

static void book(struct vv_step *s, double t, double h)
{
  vvi_sys_post(s->model, t, h, s->state->q, s->state->p, &s->ledger->posted);
  vvi_springs_post(s->model, s->state->memory, h, s->state->q, s->state->p, &s->ledger->posted);
  vvi_tell_springs(s, t, h, s->state->q);
}

/* After the drift: the paper's ways.  `stage` 0: before the second kick, 1: after it. */
static void resolve(struct vv_step *s, double t, double direction, int stage)
{
  const struct vvi_pairs *list = s->model->pairs;
  if (s->sheets != NULL) vvi_sheets_resolve(s, t, direction, stage);
  for (int i = 0; i < list->n; i++) {
    const vvi_pair *c = &list->pair[i];
    if (c->compliance > 0.0 || c->projection == VVI_ANTICIPATE) continue;
    const double g = vvi_pair_gap(c, s->state->q);
    const bool open = g >= 0.0;
    if (stage == 0) {
      s->state->memory[i] = open ? 0.0 : g; /* the gap to answer after the kick */
      if (open) continue;
      if (c->projection == VVI_PREDICTOR || c->projection == VVI_HALF_STEP) project(s, c, g);
      if (c->projection == VVI_HALF_STEP) respond(s, c, t, direction);
    } else if (s->state->memory[i] != 0.0) {
      if (c->projection == VVI_KEPT || c->projection == VVI_RECOMPUTED) project(s, c, g);
      if (c->projection != VVI_HALF_STEP) respond(s, c, t, direction);
      if (c->projection != VVI_KEPT) s->state->memory[i] = 0.0;
    }
  }
}

/* "kept": the first kick still uses the force at the positions before they were projected; memory holds that gap. */
static void unproject(struct vv_step *s, double sign)
{
  const struct vvi_pairs *list = s->model->pairs;
  for (int i = 0; i < list->n; i++) {
    const vvi_pair *c = &list->pair[i];
    if (hard(c, VVI_KEPT) && s->state->memory[i] != 0.0) project(s, c, -sign * s->state->memory[i]);
  }
}

/* ---- first variations, for scenes without hard pairs ---- */

static void vary_begin(struct vv_step *s, double t)
{
  vvi_variation_slab_begin(s, force(s, t));
  vvi_variation_to_grid(s);
}

static void vary_end(struct vv_step *s, double t, double h)
{
  vvi_variation_slab_end(s, h, s->state->p, force(s, t));
}

static vv_status substep(struct vv_step *s, double t, double h, vv_report *r);

/* Rigid bodies, round beams, tips, obstacles.  *done: an impact was halved into, the step is taken already. */
static vv_status answer_contacts(struct vv_step *s, double t, double h, bool *done, vv_report *r)
{
  leapfrog_work *w = s->own;
  const double *f = s->contact->forced ? force(s, t) : NULL;
  VV_TRY(vvi_contact_answer(s, t, h, f, w->halvings > 0, done, r));
  if (!*done) return VV_OK;
  w->halvings--;
  vv_status status = substep(s, t, 0.5 * h, r);
  if (status == VV_OK && r->reason == VV_REASON_DONE) status = substep(s, t + 0.5 * h, 0.5 * h, r);
  w->halvings++;
  return status;
}

/* Surfaces beside rigid bodies, round beams and tips: one answer for all. */
static bool answered_together(const struct vv_step *s)
{
  return s->contact != NULL && s->contact->features != NULL;
}

static vv_status anticipate_sheets(struct vv_step *s, double t, double h, vv_report *r)
{
  leapfrog_work *w = s->own;
  force(s, t);
  return vvi_sheets_act(s, t, h, w->f, r);
}

static vv_status substep(struct vv_step *s, double t, double h, vv_report *r)
{
  leapfrog_work *w = s->own;
  vv_state *x = s->state;
  bool done = false;
  vvi_sys_drive(s->model, t, h, x->q, x->p, &s->ledger->posted);
  anticipate(s, t, h);
  if (s->contact != NULL) VV_TRY(answer_contacts(s, t, h, &done, r));
  if (r->reason != VV_REASON_DONE || done) return VV_OK;
  if (s->sheets != NULL && !answered_together(s)) VV_TRY(anticipate_sheets(s, t, h, r));
  if (r->reason != VV_REASON_DONE) return VV_OK;
  if (s->vary != NULL) vary_begin(s, t);
  unproject(s, 1.0);
  kick(s, t, 0.5 * h);
  book(s, t, 0.5 * h);
  unproject(s, -1.0);
  vvi_sys_drift(s->model, h, x->q, x->p);
  vvi_sys_flow(s->model, h, x->q, x->p, &s->ledger->posted);
  if (s->contact != NULL) vvi_contact_drifted(s, h);
  w->known = false;
  close_springs(s, t + h);
  resolve(s, t + h, h < 0.0 ? -1.0 : 1.0, 0);
  book(s, t + h, 0.5 * h);
  if (s->vary != NULL) vary_end(s, t + h, h);
  kick(s, t + h, 0.5 * h);
  s->noted_force = w->keep ? w->f : NULL;
  resolve(s, t + h, h < 0.0 ? -1.0 : 1.0, 1);
  return VV_OK;
}

/* n steps in n + 1 passes over memory: the end of one step and the start of the next share a force. */
static void stride_steps(struct vv_step *s, int64_t n)
{
  const vv_model *m = s->model;
  vv_state *x = s->state;
  vvi_sys_kick(m, x->t, 0.5 * s->h, x->q, x->p);
  vvi_sys_drift(m, s->h, x->q, x->p);
  vvi_sys_flow(m, s->h, x->q, x->p, &s->ledger->posted);
  for (int64_t k = 1; k < n; k++) {
    for (int i = 0; i < m->n_block; i++) {
      const vv_block *b = &m->block[i];
      b->kind->stride(b, s->h, x->q + b->q0, x->p + b->p0);
    }
    vvi_sys_flow(m, s->h, x->q, x->p, &s->ledger->posted);
  }
  vvi_sys_kick(m, x->t, 0.5 * s->h, x->q, x->p);
  x->step += s->h > 0.0 ? n - 1 : 1 - n;
  vvi_step_done(s);
}

static vv_status step(struct vv_step *s, int64_t n, vv_report *r)
{
  const leapfrog_work *w = s->own;
  if (w->fast && s->vary == NULL) {
    stride_steps(s, n);
    return VV_OK;
  }
  for (int64_t k = 0; k < n && r->reason == VV_REASON_DONE; k++) {
    double t = s->state->t;
    for (int i = 0; i < s->composition->stages && r->reason == VV_REASON_DONE; i++) {
      vvi_sys_viscous(s->model, s->composition->gamma[i] * s->h, s->state->q, s->state->p, &s->ledger->posted);
      VV_TRY(substep(s, t, s->composition->gamma[i] * s->h, r));
      t += s->composition->gamma[i] * s->h;
    }
    if (r->reason == VV_REASON_DONE) vvi_step_done(s);
    if (s->vary != NULL) vvi_variation_step_end(s);
    vvi_note_gaps(s);
  }
  return VV_OK;
}

/* a.b in a fixed order: 8 lanes, then the rest. */
VV_HOT static double inner(int64_t n, const double *restrict a, const double *restrict b)
{
  enum { LANES = 8 };
  double lane[LANES] = {0}, sum = 0.0;
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES)
#pragma omp simd
    for (int l = 0; l < LANES; l++) lane[l] += a[i + l] * b[i + l];
  for (; i < n; i++) sum += a[i] * b[i];
  for (int l = 0; l < LANES; l++) sum += lane[l];
  return sum;
}

/* On linear bodies kick-drift-kick keeps H - (h^2/8) F.M^-1 F to rounding, with F all forces; a response at a frozen
 * configuration keeps it too, because it changes neither F nor (for e = 1) the kinetic energy.          [bars 4c, ledger 5] */
static void audit(struct vv_step *s, vv_totals *sum)
{
  const leapfrog_work *w = s->own;
  const int64_t n = s->state->np;
  for (int i = 0; i < s->model->pairs->n; i++) sum->contact += *bank_of(s, &s->model->pairs->pair[i]);
  if (s->sheets != NULL) sum->contact += vvi_sheets_bank(s);
  if (!w->modified) return;
  memset(w->f, 0, sizeof(double) * (size_t)n);
  vvi_sys_kick(s->model, s->state->t, 1.0, s->state->q, w->f);
  memset(w->z, 0, sizeof(double) * (size_t)n);
  vvi_sys_drift(s->model, 1.0, w->z, w->f); /* z = M^-1 F: the configuration space is flat */
  sum->strain -= 0.125 * s->h * s->h * inner(n, w->f, w->z);
}

static void forget(struct vv_step *s)
{
  ((leapfrog_work *)s->own)->known = false;
  if (s->contact != NULL) vvi_contact_forget(s->contact);
  if (s->sheets != NULL) vvi_sheets_forget(s->sheets);
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
