/* step/event/modified.c  Momentum across a contact by the rule `modified`, and its step (see modified.h). */
#include "step/event/modified.h"

#include "math/math.h"

#include <string.h>

/* A pair alone, in the metric of Ht: speed n.M^-1 G p, inverse mass n.M^-1 G n. */
static void measure_pair(struct vv_step *s, int k)
{
  vvi_event_work *e = s->own;
  vvi_modified_work *w = e->modified;
  const vvi_pair *c = vvi_event_pair(s, k);
  memset(e->d, 0, sizeof(double) * (size_t)s->state->np);
  vvi_pair_pull(c, s->state->q, 1.0, e->d);
  vvi_modified_polynomial(s, e->d, w->kinetic, w->cf, NULL, NULL);
  vvi_axpy(s->state->np, 1.0, e->d, w->cf); /* G n */
  vvi_event_set_bounce(s, k, vvi_modified_inner(s, s->state->p, w->cf), vvi_modified_inner(s, e->d, w->cf));
}

static void measure(struct vv_step *s)
{
  const vvi_event_work *e = s->own;
  for (int k = 0; k < e->n_now; k++) measure_pair(s, k);
}

/* One coefficient of restitution for the whole set, from the energy of the approach: e itself when all agree. */
static double common_restitution(struct vv_step *s)
{
  const vvi_event_work *e = s->own;
  double all = 0.0, kept = 0.0;
  for (int k = 0; k < e->n_now; k++) {
    const double restitution = vvi_event_pair(s, k)->restitution;
    if (e->now[k].impulse == 0.0) continue;
    const double energy = e->now[k].speed * e->now[k].speed / e->now[k].inverse;
    all += energy, kept += energy * restitution * restitution;
  }
  return all > 0.0 ? sqrt(kept / all) : 1.0;
}

/* p+ = p- + r d with Ht(p+) = Ht(p-) - loss:  r = -(1 + e) B/A, B = d.M^-1 G p, A = d.M^-1 G d.                [bars 28]
 * Massless tips: the stiffness has changed, so Ht has; the small root of A r^2/2 + B r + (Ht' - Ht) = 0. */
static double solve_bounce(struct vv_step *s, double *loss)
{
  vvi_event_work *e = s->own;
  vvi_modified_work *w = e->modified;
  const double restitution = common_restitution(s), owed = restitution == 1.0 ? -vvi_event_withdraw(s) : 0.0;
  vvi_modified_polynomial(s, e->d, w->kinetic, w->cf, NULL, NULL);
  vvi_axpy(s->state->np, 1.0, e->d, w->cf); /* G d */
  const double b = vvi_modified_inner(s, s->state->p, w->cf), a = vvi_modified_inner(s, e->d, w->cf);
  if (restitution == 1.0) return vvi_event_pay(s, a, b, owed);
  const double r = -(1.0 + restitution) * b / a;
  *loss = -r * (b + 0.5 * a * r);
  return r;
}

static bool solve_soft(struct vv_step *s, double change, double *r)
{
  vvi_event_work *e = s->own;
  vvi_modified_work *w = e->modified;
  double large;
  vvi_modified_polynomial(s, e->d, w->kinetic, w->cf, NULL, NULL);
  vvi_axpy(s->state->np, 1.0, e->d, w->cf); /* G d */
  return vvi_quadratic(0.5 * vvi_modified_inner(s, e->d, w->cf), vvi_modified_inner(s, s->state->p, w->cf), change, r,
                       &large);
}

static void judge(struct vv_step *s, int64_t first, double target)
{
  const double miss = vvi_modified_energy(s) - target;
  const double residual = s->ledger->energy_scale > 0.0 ? fabs(miss) / s->ledger->energy_scale : fabs(miss);
  for (int64_t i = first; i < s->log->n; i++) {
    s->log->event[i].residual = residual;
    s->log->event[i].energy_jump += miss;
  }
  s->ledger->max_event_residual = fmax(s->ledger->max_event_residual, residual);
}

/* Gap of pair k after the fraction `until` if nothing else happens, its present gap taken as zero; leaves the polynomials of
 * that fraction in w->s. */
static double gap_ahead(struct vv_step *s, int k, double until)
{
  vvi_event_work *e = s->own;
  vvi_modified_work *w = e->modified;
  vvi_modified_flow_coefficients(w, until);
  vvi_modified_displacements(s, until, e->f, s->state->p);
  return vvi_pair_rate(vvi_event_pair(s, k), s->state->q, w->cf);
}

/* The impulse that takes this gap to zero at the fraction last looked at. */
static void close_gap(struct vv_step *s, double t, int k, double gap)
{
  vvi_event_work *e = s->own;
  vvi_modified_work *w = e->modified;
  const vvi_pair *c = vvi_event_pair(s, k);
  measure_pair(s, k);
  memset(e->d, 0, sizeof(double) * (size_t)s->state->np);
  vvi_pair_pull(c, s->state->q, 1.0, e->d);
  vvi_modified_polynomial(s, e->d, w->s, w->cf, NULL, NULL);
  const double r = -gap / (s->h * vvi_pair_rate(c, s->state->q, w->cf));
  vvi_event_lifted(s, k, t, r, r * (e->now[k].speed + 0.5 * r * e->now[k].inverse));
}

/* A pair that presses and hardly bounces is thrown just high enough to come back at the end of the step; the gap there is
 * linear in the impulse,   gap(rest) + r h n.M^-1 S_rest(Z) n = 0.                                        [bars 19, 19a]
 * The flow keeps Ht, so what the throw takes is exactly what it gains, and that is lent to the pair.  sign: -1 for a closed soft pair, which is kept closed.  False: it turns back by itself. */
static bool throw_pair(struct vv_step *s, double t, double rest, int k, double sign)
{
  vvi_event_work *e = s->own;
  double gap = 0.0, until = rest;
  bool presses = false;
  for (int i = 0; i < 12 && !presses;
       i++, until *= presses ? 1.0 : 0.5) { /* it may press now and part later in the step */
    gap = gap_ahead(s, k, until);
    presses = sign * gap < 0.0;
  }
  if (!presses) return false;
  if (vvi_event_varies(s)) vvi_variation_stop(s, t);
  close_gap(s, t, k, gap);
  if (until < rest) e->touch[e->now[k].pair] = TOUCHING; /* it comes back before the end: look for that */
  return true;
}

/* Pairs that were thrown at one instant disturb each other's return a little: a few sweeps bring all gaps to zero. */
static void settle_thrown(struct vv_step *s, double t, double rest)
{
  const vvi_event_work *e = s->own;
  double worst = INFINITY;
  for (int sweep = 0; sweep < 8 && worst > vvi_event_shallow(s); sweep++) {
    worst = 0.0;
    for (int k = 0; k < e->n_now; k++) {
      if (e->touch[e->now[k].pair] != HELD) continue;
      const double gap = gap_ahead(s, k, rest);
      if (fabs(gap) > vvi_event_shallow(s)) close_gap(s, t, k, gap);
      worst = fmax(worst, fabs(gap));
    }
  }
}

/* Hard pairs that press: too slow to bounce, or bouncing too often. */
static void lift(struct vv_step *s, double t, double rest, int k)
{
  const vvi_event_work *e = s->own;
  measure_pair(s, k); /* a pair lifted before may have changed it */
  const vvi_pair *c = vvi_event_pair(s, k);
  const double speed = e->direction * e->now[k].speed, rounding = vvi_event_rounding(s, e->now[k].pair);
  const double a = vvi_pair_rate(c, s->state->q, e->f);
  const double slow = fabs(a * s->h) * (c->restitution < 1.0 ? 1.0 : 1e-9) + rounding;
  const bool chatters = c->restitution == 1.0 && e->events > EVENT_CHATTER;
  if (c->compliance > 0.0 || e->now[k].inverse <= 0.0 || speed > rounding) return;
  if (speed < -rounding && a >= 0.0) return; /* it comes back by itself: an ordinary bounce */
  if (-speed <= slow || chatters) throw_pair(s, t, rest, k, 1.0);
}

/* Grazing at massless tips: no momentum balances the change of Ht that opening or closing makes.  So the pair does neither:
 * it turns back with its speed reversed, which keeps Ht and the gap on its side; a pair that does so too often is thrown.
 *                                                                                                              [bars 31a] */
static int turn_back(struct vv_step *s, double t, double rest)
{
  vvi_event_work *e = s->own;
  s->ledger->fallbacks++;
  vvi_event_toggle(s);
  vvi_event_force(s, t, s->state->q, e->f);
  for (int k = 0; rest > 0.0 && e->events > EVENT_CHATTER && k < e->n_now; k++) {
    measure_pair(s, k);
    throw_pair(s, t, rest, k, s->state->memory[e->now[k].pair] != 0.0 ? -1.0 : 1.0);
  }
  measure(s);
  for (int k = 0; k < e->n_now; k++) {
    if (e->touch[e->now[k].pair] != APART) continue; /* thrown */
    e->now[k].impulse = -2.0 * e->now[k].speed / e->now[k].inverse;
    e->now[k].turned = true;
  }
  return vvi_event_direction(s);
}

/* What pairs have lost along their normals, in bounces and by being lifted. */
static double lost_so_far(const struct vv_step *s)
{
  const vv_posted *post = &s->ledger->posted;
  return vv_sum_value(&post->restitution_loss) + vv_sum_value(&post->step_loss);
}

static void jump(struct vv_step *s, double t, double rest)
{
  vvi_event_work *e = s->own;
  const int64_t first = s->log->n;
  const double before = vvi_modified_energy(s), debt = vvi_event_debt(s), lost = lost_so_far(s);
  double after = before, loss = 0.0, d_before[VARY_U] = {0.0, 0.0}, d_after[VARY_U] = {0.0, 0.0};
  if (vvi_event_varies(s)) vvi_modified_vary_energy(s, d_before);
  if (vvi_event_toggle(s) > 0) {
    vvi_event_force(s, t, s->state->q, e->f);
    after = vvi_modified_energy(s);
    if (vvi_event_varies(s)) vvi_modified_vary_energy(s, d_after);
  }
  for (int k = 0; rest > 0.0 && k < e->n_now; k++) lift(s, t, rest, k);
  measure(s);
  int n = vvi_event_direction(s);
  double r = 0.0;
  if (n < 0 && !solve_soft(s, after - before, &r)) n = turn_back(s, t, rest);
  if (n > 0) r = solve_bounce(s, &loss);
  if (n != 0) {
    for (int k = 0; vvi_event_varies(s) && k < VARY_U; k++) d_after[k] -= d_before[k];
    if (vvi_event_varies(s)) vvi_modified_vary_jump(s, vvi_event_pair(s, 0), n > 0, r * e->now[0].impulse, d_after);
    vvi_event_apply(s, t, r, loss);
  }
  for (int k = 0; k < e->n_now; k++)
    if (e->touch[e->now[k].pair] != HELD) e->touch[e->now[k].pair] = TOUCHING;
  settle_thrown(s, t, rest);
  judge(s, first, before - (lost_so_far(s) - lost) + debt - vvi_event_debt(s));
}

vv_status vvi_event_modified_substep(struct vv_step *s, double t, double h, vv_report *r)
{
  vvi_event_work *e = s->own;
  memset(e->touch, APART, (size_t)s->model->pairs->n);
  vvi_event_force(s, t, s->state->q, e->f);
  for (double rest = 1.0;;) {
    const double cut = vvi_modified_next(s, rest);
    if (cut == INFINITY && rest == 1.0) { /* a whole step without an event is a plain slab */
      if (vvi_event_varies(s)) vvi_variation_to_grid(s);
      vvi_event_slab(s, t, h);
      return VV_OK;
    }
    if (cut == INFINITY) {
      vvi_modified_flow(s, t + rest * h, rest);
      vvi_modified_vary_length(s, NULL);
      return VV_OK;
    }
    if (++e->events > VVI_MAX_EVENTS) return vvi_event_too_many(s, t, r);
    vvi_event_take_set(e);
    const vvi_pair *c = vvi_event_pair(s, 0);
    if (vvi_event_varies(s) && (e->n_now > 1 || c->restitution < 1.0)) vvi_variation_stop(s, t);
    t += cut * h;
    vvi_modified_flow(s, t, cut);
    vvi_modified_vary_length(s, c);
    memset(e->touch, APART, (size_t)s->model->pairs->n);
    rest = rest > cut ? rest - cut : 0.0;
    jump(s, t, rest);
    if (rest == 0.0) return VV_OK;
  }
}
