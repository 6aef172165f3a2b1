/* step/event/event.c  The loop of slabs and events. */
#include "step/event/event.h"

#include "math/math.h"
#include "step/variation.h"

#include <stdio.h>
#include <string.h>

bool vvi_event_varies(const struct vv_step *s)
{
  return s->vary != NULL && !s->vary->over;
}

/* The coming slab ends at an event of one pair: how its length varies.  Simultaneous events have no derivative. */
static void vary_cut(struct vv_step *s, double t, double cut)
{
  const vvi_event_work *w = s->own;
  const vvi_pair *c = &s->model->pairs->pair[w->set[0]];
  if (!vvi_event_varies(s)) return;
  if (w->n_set > 1 || c->restitution < 1.0 || !vvi_variation_knows(c)) {
    vvi_variation_stop(s, t);
    return;
  }
  vvi_variation_cut(s, c, cut, w->f);
}

/* Slabs are tried before they are taken. */
static bool flies(const struct vv_step *s)
{
  return s->model->pairs->n_curved > 0;
}

/* At order 2, of bars, where `modified` cannot be: elastic linear bars without loads have that, and `nodal` runs back as it came. */
static bool lends(const struct vv_step *s)
{
  const vv_model *m = s->model;
  const bool choice = (vvi_sys_claims(m) & VV_LINEAR) != 0 && !vvi_sys_dissipates(m) && !vvi_sys_loaded(m);
  return s->jump == VVI_NODAL && s->composition->stages == 1 && m->pairs->n_curved == 0 && !choice;
}

static vv_status prepare(struct vv_step *s)
{
  vvi_event_work *w = VVI_ARENA_NEW(s->arena, vvi_event_work, 1);
  if (w == NULL) return VV_NOMEM;
  const int64_t nq = s->state->nq, np = s->state->np, n = s->model->pairs->n;
  double *real = VVI_ARENA_NEW(s->arena, double, 6 * np + nq + 2 * n);
  double *trial = VVI_ARENA_NEW(s->arena, double, flies(s) ? 2 * (nq + np) : 0);
  w->rest = VVI_ARENA_NEW(s->arena, vvi_event_contact, 2 * n);
  w->set = VVI_ARENA_NEW(s->arena, int, 3 * n);
  w->touch = VVI_ARENA_NEW(s->arena, unsigned char, n);
  if (real == NULL || trial == NULL || w->rest == NULL || w->set == NULL || w->touch == NULL) return VV_NOMEM;
  w->now = w->rest + n, w->below = w->set + n, w->timed = w->below + n;
  w->trial_q = trial, w->trial_p = trial + nq, w->node_q = w->trial_p + np, w->node_p = w->node_q + nq;
  w->f = real, w->d = real + np, w->x = real + 2 * np, w->k = real + 3 * np, w->p1 = real + 4 * np;
  w->f1 = real + 5 * np, w->q1 = real + 6 * np, w->when = real + 6 * np + nq, w->fast = w->when + n;
  for (int64_t i = 0; i < n; i++) w->when[i] = INFINITY;
  w->first_open = -1;
  w->steady = vvi_sys_steady(s->model);
  s->own = w;
  static const char *const energy[] = {"slab", "nodal", "modified"};
  s->lends = lends(s);
  w->keeps = s->lends && (vvi_sys_claims(s->model) & VV_LINEAR) != 0;
  s->energy = w->keeps ? "modified" : energy[s->jump];
  s->exact = s->jump == VVI_MODIFIED || w->keeps;
  return s->jump == VVI_MODIFIED ? vvi_event_modified_prepare(s) : VV_OK;
}

void vvi_event_force(struct vv_step *s, double t, const double *q, double *f)
{
  memset(f, 0, sizeof(double) * (size_t)s->state->np);
  vvi_sys_kick(s->model, t, 1.0, q, f);
  vvi_springs_kick(s->model, s->state->memory, 1.0, q, f);
}

/* The event before this slab promised an energy: write what became of it into the log. */
static void judge(struct vv_step *s, double energy)
{
  vvi_event_work *w = s->own;
  if (w->first_open < 0) return;
  const double miss = energy - w->target;
  const double residual = s->ledger->energy_scale > 0.0 ? fabs(miss) / s->ledger->energy_scale : fabs(miss);
  for (int64_t i = w->first_open; i < s->log->n; i++) {
    s->log->event[i].residual = residual;
    s->log->event[i].energy_jump += miss;
  }
  if (w->solved) s->ledger->max_event_residual = fmax(s->ledger->max_event_residual, residual);
  w->first_open = -1;
}

static void mean_energy(vv_totals *sum, const vv_totals *before, const vv_totals *after)
{
  *sum = *after;
  sum->strain = 0.5 * (before->strain + after->strain);
  sum->potential = 0.5 * (before->potential + after->potential);
  sum->contact = 0.5 * (before->contact + after->contact);
}

void vvi_event_book(struct vv_step *s, double t, double h)
{
  vvi_sys_post(s->model, t, h, s->state->q, s->state->p, &s->ledger->posted);
  vvi_springs_post(s->model, s->state->memory, h, s->state->q, s->state->p, &s->ledger->posted);
  vvi_tell_springs(s, t, h, s->state->q);
}

/* Half kick, contacts at rest, drift: flown already where the search for contacts has tried this very slab. */
static void fly(struct vv_step *s, double t, double h)
{
  vvi_event_work *w = s->own;
  vv_state *x = s->state;
  const bool tried = w->trial == h && h != 0.0;
  if (!tried && flies(s)) {
    memcpy(w->trial_p, x->p, sizeof(double) * (size_t)x->np);
    vvi_axpy(x->np, 0.5 * h, w->f, w->trial_p);
    vvi_event_rest_solve(s, h, w->trial_p);
  }
  if (w->n_rest > 0) vvi_event_rest_settle(s, x->p);
  if (flies(s))
    memcpy(x->p, w->trial_p, sizeof(double) * (size_t)x->np);
  else
    vvi_axpy(x->np, 0.5 * h, w->f, x->p);
  vvi_event_book(s, t, 0.5 * h);
  if (w->n_rest > 0) vvi_event_rest_book(s, t, x->p);
  if (s->jump == VVI_SLAB && !tried) w->drift_energy = vvi_drift_energy(s->model, h, x->q, x->p);
  if (tried)
    memcpy(x->q, w->trial_q, sizeof(double) * (size_t)x->nq);
  else
    vvi_sys_drift(s->model, h, x->q, x->p);
  vvi_sys_flow(s->model, h, x->q, x->p, &s->ledger->posted);
  w->trial = 0.0;
}

void vvi_event_slab(struct vv_step *s, double t, double h)
{
  vvi_event_work *w = s->own;
  vv_state *x = s->state;
  vv_totals before = {0}, after;
  if (s->jump == VVI_SLAB) vvi_audit_nodal(s, &before);
  if (vvi_event_varies(s)) vvi_variation_slab_begin(s, w->f);
  fly(s, t, h);
  vvi_event_force(s, t + h, x->q, w->f);
  if (s->jump == VVI_SLAB) {
    vvi_audit_nodal(s, &after);
    mean_energy(&w->slab, &before, &after);
    w->slab.kinetic = w->drift_energy;
    vvi_ledger_note(s->ledger, vv_totals_energy(&w->slab) + vvi_event_debt(s));
    judge(s, vv_totals_energy(&w->slab));
  }
  vvi_event_book(s, t + h, 0.5 * h);
  if (vvi_event_varies(s)) vvi_variation_slab_end(s, h, x->p, w->f);
  if (w->n_rest > 0) memcpy(w->p1, x->p, sizeof(double) * (size_t)x->np); /* momentum of the drift */
  vvi_axpy(x->np, 0.5 * h, w->f, x->p);
  if (w->n_rest > 0 && h != 0.0) {
    vvi_event_rest_release(s, t + h);
    vvi_event_rest_gather(s);
    vvi_event_rest_solve(s, 0.0, x->p);
    vvi_event_rest_book(s, t + h, w->p1);
  }
  w->last = h;
  memset(w->touch, APART, (size_t)s->model->pairs->n);
}

/* A speed that is only rounding: of the pair's last approach, of what presses it together, or of the fastest that its tips
 * could move with all the energy of the start (never one that depends on when the books were audited). */
double vvi_event_rounding(const struct vv_step *s, int pair)
{
  const vvi_event_work *w = s->own;
  const vvi_pair *c = &s->model->pairs->pair[pair];
  const double a = vvi_pair_rate(c, s->state->q, w->f);
  const vv_totals *start = &s->ledger->initial;
  const double given = fabs(start->kinetic) + fabs(start->strain) + fabs(start->contact);
  const double fastest = sqrt(2.0 * given * vvi_pair_inverse_mass(c, s->state->q));
  return 1e-12 * w->fast[pair] + 1e-13 * fabs(a * s->h) + 1e-15 * fastest;
}

double vvi_event_speed(const struct vv_step *s, int pair, double u)
{
  const vvi_event_work *w = s->own;
  return w->touch[pair] == TOUCHING && fabs(u) <= vvi_event_rounding(s, pair) ? 0.0 : u;
}

/* A gap that never sinks below this is no event: it is rounding of bodies that touch and do not move. */
double vvi_event_shallow(const struct vv_step *s)
{
  return 1e-15 * s->model->length_scale;
}

/* Smallest value of c0 + c1 x + c2 x^2 on [0, h]. */
double vvi_event_lowest(double c0, double c1, double c2, double h)
{
  const double vertex = c2 > 0.0 ? -0.5 * c1 / c2 : -1.0, end = c0 + h * (c1 + h * c2);
  const double low = fmin(c0, end);
  return vertex > 0.0 && vertex < h ? fmin(low, c0 - 0.25 * c1 * c1 / c2) : low;
}

/* In a slab started at (q, p) the gap is an exact quadratic of its length (tips and planes):                    [bars 5]
 *   g(s) = g + s n.M^-1 p + (s^2/2) n.M^-1 f.
 * An open pair waits for g to fall to zero, a closed soft pair for it to rise. */
double vvi_event_next(struct vv_step *s, double h)
{
  vvi_event_work *w = s->own;
  const vv_state *x = s->state;
  const struct vvi_pairs *list = s->model->pairs;
  const double direction = h < 0.0 ? -1.0 : 1.0, longest = fabs(h), shallow = vvi_event_shallow(s);
  double first = INFINITY;
  w->n_set = 0;
  for (; w->n_timed > 0; w->n_timed--) w->when[w->timed[w->n_timed - 1]] = INFINITY;
  for (int i = 0; list->n_curved < list->n && i < list->n; i++) {
    const vvi_pair *c = &list->pair[i];
    if (c->curved) continue;
    const double sign = c->compliance > 0.0 && x->memory[i] != 0.0 ? -1.0 : 1.0;
    const double c0 = sign * vvi_pair_gap(c, x->q), c2 = sign * 0.5 * vvi_pair_rate(c, x->q, w->f);
    const double c1 = sign * vvi_event_speed(s, i, direction * vvi_pair_rate(c, x->q, x->p));
    const bool skip =
        w->touch[i] == HELD || vvi_event_lowest(c0, c1, c2, longest) > fmin(c0, 0.0) - (c0 < 0.0 ? 0.1 : 1.0) * shallow;
    w->when[i] = skip ? INFINITY : vvi_first_crossing(c0, c1, c2, w->touch[i] == TOUCHING);
    first = fmin(first, w->when[i]);
  }
  if (list->n_curved > 0) first = fmin(first, vvi_event_curved(s, fmin(first, longest), direction));
  if (!(first <= longest)) return INFINITY;
  for (int i = 0; i < list->n; i++)
    if (w->when[i] <= first + 1e-13 * longest) w->set[w->n_set++] = i;
  return first;
}

vv_status vvi_event_too_many(struct vv_step *s, double t, vv_report *r)
{
  const vvi_event_work *w = s->own;
  const vvi_pair *c = &s->model->pairs->pair[w->set[0]];
  r->reason = VV_REASON_TOO_MANY_EVENTS;
  snprintf(r->message, sizeof r->message,
           "more than %d events in the step at t = %.9g between '%.40s' and '%.40s'; use a shorter step",
           VVI_MAX_EVENTS, t, s->model->body[c->patch_a->body].name, s->model->body[c->patch_b->body].name);
  return VV_OK;
}

vv_status vvi_event_substep(struct vv_step *s, double t, double h, vv_report *r)
{
  vvi_event_work *w = s->own;
  memset(w->touch, APART, (size_t)s->model->pairs->n);
  if (w->fresh || !w->steady) vvi_event_force(s, t, s->state->q, w->f);
  if (w->fresh || w->n_rest > 0) vvi_event_rest_gather(s);
  w->fresh = false;
  for (double rest = h;;) {
    const double next = vvi_event_next(s, rest);
    if (next == INFINITY) {
      if (vvi_event_varies(s)) vvi_variation_to_grid(s);
      vvi_event_slab(s, t, rest);
      vvi_event_cut_after(s, rest), vvi_event_cut_end(s, h);
      return VV_OK;
    }
    if (++w->events > VVI_MAX_EVENTS) return vvi_event_too_many(s, t, r);
    const double cut = copysign(next, h);
    vvi_event_take_set(w);
    vary_cut(s, t, cut);
    vvi_event_cut_before(s);
    vvi_event_slab(s, t, cut);
    vvi_event_cut_after(s, cut);
    t += cut;
    rest = fabs(rest) > fabs(cut) ? rest - cut : 0.0;
    vvi_event_jump(s, t, rest);
    if (rest == 0.0) {
      vvi_event_cut_end(s, h);
      return VV_OK;
    }
  }
}

/* Half of what a medium takes, on either side of a stage.                                                           [mat 11] */
static void damp(struct vv_step *s, double h)
{
  vvi_sys_viscous(s->model, h, s->state->q, s->state->p, &s->ledger->posted);
}

static vv_status step(struct vv_step *s, int64_t n, vv_report *r)
{
  vvi_event_work *w = s->own;
  w->fresh = true;
  for (int64_t k = 0; k < n && r->reason == VV_REASON_DONE; k++) {
    double t = s->state->t;
    if (k == 0 || w->events > 0) memset(w->fast, 0, sizeof(double) * (size_t)s->model->pairs->n);
    w->events = 0;
    const bool whole = vvi_event_composed_serves(s);
    if (whole) VV_TRY(vvi_event_composed_step(s, t, s->h, r));
    for (int i = 0; !whole && i < s->composition->stages && r->reason == VV_REASON_DONE; i++) {
      const double h = s->composition->gamma[i] * s->h;
      w->direction = h < 0.0 ? -1.0 : 1.0;
      vvi_sys_drive(s->model, t, h, s->state->q, s->state->p, &s->ledger->posted);
      damp(s, 0.5 * h);
      VV_TRY(s->jump == VVI_MODIFIED ? vvi_event_modified_substep(s, t, h, r) : vvi_event_substep(s, t, h, r));
      if (r->reason == VV_REASON_DONE) damp(s, 0.5 * h);
      t += h;
    }
    if (r->reason == VV_REASON_DONE) vvi_step_done(s);
    if (vvi_event_varies(s)) vvi_variation_step_end(s);
    vvi_note_gaps(s);
  }
  return VV_OK;
}

static void audit(struct vv_step *s, vv_totals *sum)
{
  const vvi_event_work *w = s->own;
  if (s->jump == VVI_MODIFIED) vvi_event_modified_audit(s, sum);
  /* before the first step a beam opens its book with the energy of the first slab; bars use the nodal one, see [bars 4c] */
  if (s->jump == VVI_SLAB && w->last == 0.0 && s->state->step == 0 && (vvi_sys_claims(s->model) & VV_LINEAR) == 0)
    sum->kinetic += vvi_event_coming_slab(s) - vv_totals_energy(sum);
  sum->contact += vvi_event_debt(s);
  if (w->keeps) {
    vvi_event_force(s, s->state->t, s->state->q, w->f);
    sum->strain -= s->h * s->h * vvi_half_kick_energy(s, w->f, w->x);
  }
  if (s->jump == VVI_SLAB && w->last != 0.0) {
    sum->kinetic = w->slab.kinetic, sum->strain = w->slab.strain;
    sum->potential = w->slab.potential, sum->contact = w->slab.contact + vvi_event_debt(s);
  }
}

const vv_stepper_kind vv_event_stepper = {
    .name = "event",
    .doc = "kick, drift, kick, cut at the contact times",
    .claims = VV_EXPLICIT | VV_SYMPLECTIC | VV_KEEPS_MOMENTUM | VV_REVERSIBLE | VV_NO_PENETRATION,
    .prepare = prepare,
    .audit = audit,
    .step = step,
};
