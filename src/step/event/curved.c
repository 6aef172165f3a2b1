/* step/event/curved.c  Contact times of pairs whose gap is no quadratic of the time: nodes that turn as they fly, round
 * obstacles.
 *
 * A trial slab to the end shows which pairs would overlap; the time of each is a bracketed root, for which its own node
 * alone is flown.  A slab cut at the first of them may show others that had dipped and come back: they are roots in turn.
 * Roots are taken from the side where the gap is not negative, so nothing ever penetrates.                   [contact 5] */
#include "step/event/event.h"

#include <math.h>
#include <string.h>

/* Gap of a pair after a slab of length tau from the present state with momentum p: only its node is flown. */
double event_gap_after(struct vv_step *s, const vvi_pair *c, const double *p, double tau)
{
  event_work *w = s->own;
  const vv_block *b = c->block_a;
  const int64_t node = c->patch_a->node + (int64_t)c->point_a.xi[0];
  for (int k = 0; k < b->kind->node_q; k++) {
    const int64_t i = b->q0 + k * b->column + node;
    w->trial_q[i] = s->state->q[i];
  }
  for (int k = 0; k < b->kind->node_p; k++) {
    const int64_t i = b->p0 + k * b->column + node;
    w->trial_p[i] = p[i] + 0.5 * tau * w->f[i];
  }
  if (w->n_rest > 0) rest_solve_node(s, c, tau, w->trial_p);
  b->kind->drift_node(b, node, tau, w->trial_q + b->q0, w->trial_p + b->p0);
  w->trial = 0.0; /* what was tried is overwritten */
  return vvi_pair_gap(c, w->trial_q);
}

void event_try_slab(struct vv_step *s, double h)
{
  event_work *w = s->own;
  const vv_state *x = s->state;
  memcpy(w->trial_q, x->q, sizeof(double) * (size_t)x->nq);
  memcpy(w->trial_p, x->p, sizeof(double) * (size_t)x->np);
  vvi_axpy(x->np, 0.5 * h, w->f, w->trial_p);
  rest_solve(s, h, w->trial_p);
  if (s->jump == VVI_SLAB) w->drift_energy = event_drift_energy(s, h, w->trial_q, w->trial_p);
  vvi_sys_drift(s->model, h, w->trial_q, w->trial_p);
  w->trial = h;
}

/* First tau in (0, length] with gap(tau) = 0, given gap(length) < 0: Illinois steps and bisection between a side where the
 * gap is not negative and one where it is.  A pair that touches now has the root 0 divided out. */
static double root(struct vv_step *s, int i, double length, double sign)
{
  const event_work *w = s->own;
  const vvi_pair *c = &s->model->pairs->pair[i];
  const bool touching = w->touch[i] == TOUCHING;
  double lo = 0.0, hi = length, glo = vvi_pair_gap(c, s->state->q), ghi = event_gap_after(s, c, s->state->p, sign * hi);
  if (touching || glo <= 0.0) { /* where has it come off? */
    lo = length;
    for (int it = 0; it < 22; it++) { /* down to 1e-13 of it */
      lo *= it == 0 ? 0.5 : 0.25;
      glo = event_gap_after(s, c, s->state->p, sign * lo);
      if (glo > 0.0) break;
      hi = lo, ghi = glo;
    }
    if (!(glo > 0.0)) return 0.0; /* it presses and does not come off at all */
  }
  int side = 0;
  for (int it = 0; it < 200 && hi - lo > 2e-16 * length && glo > 0.0; it++) {
    double mid = lo + (hi - lo) * glo / (glo - ghi);
    if (!(mid > lo && mid < hi) || it % 8 == 7) mid = 0.5 * (lo + hi);
    if (!(mid > lo && mid < hi)) break;
    const double g = event_gap_after(s, c, s->state->p, sign * mid);
    if (g >= 0.0) {
      if (side == 1) ghi *= 0.5;
      lo = mid, glo = g, side = 1;
    } else {
      if (side == -1) glo *= 0.5;
      hi = mid, ghi = g, side = -1;
    }
  }
  return lo;
}

/* A pair that would overlap and whose time is not known yet. */
static void overlaps(void *user, int i, double gap)
{
  struct vv_step *s = user;
  event_work *w = s->own;
  const bool rests = s->state->memory[i] != 0.0;
  if (gap < 0.0 && w->touch[i] != HELD && w->when[i] == INFINITY && !rests) w->below[w->n_below++] = i;
}

double event_curved(struct vv_step *s, double length, double sign)
{
  event_work *w = s->own;
  double first = INFINITY, at = length;
  for (bool again = true; again;) {
    again = false;
    event_try_slab(s, sign * at);
    w->n_below = 0;
    vvi_pairs_near(s->model, w->trial_q, 0.0, overlaps, s);
    for (int k = 0; k < w->n_below; k++) {
      const int i = w->below[k];
      event_set_time(w, i, root(s, i, at, sign));
      if (w->when[i] < first) first = w->when[i];
    }
    if (w->n_below > 0 && first > 0.0) at = first, again = true; /* others may have dipped and come back */
  }
  return first;
}
