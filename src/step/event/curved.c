/* step/event/curved.c  Contact times of pairs whose gap is no quadratic of the time: nodes that turn as they fly, round
 * obstacles.
 *
 * A trial slab to the end shows which pairs would overlap; the time of each is a bracketed root, for which its own node
 * alone is flown.  A slab cut at the first of them may show others that had dipped and come back: they are roots in turn.
 * Roots are taken from the side where the gap is not negative, so nothing ever penetrates.                   [contact 5] */
#include "step/event/event.h"

#include "math/math.h"

#include <string.h>

/* Gap of a pair after a slab of length tau from the present state with momentum p: only its node is flown. */
double vvi_event_gap_after(struct vv_step *s, const vvi_pair *c, const double *p, double tau)
{
  vvi_event_work *w = s->own;
  vvi_node_sets_out(c->block_a, vvi_pair_node(c), 0.5 * tau, s->state->q, p, w->f, w->trial_q, w->trial_p);
  if (w->n_rest > 0) vvi_event_rest_solve_node(s, c, tau, w->trial_p);
  w->trial = 0.0; /* what was tried is overwritten */
  return vvi_node_fly(c, tau, w->trial_q, w->trial_p);
}

void vvi_event_try_slab(struct vv_step *s, double h)
{
  vvi_event_work *w = s->own;
  const vv_state *x = s->state;
  memcpy(w->trial_q, x->q, sizeof(double) * (size_t)x->nq);
  memcpy(w->trial_p, x->p, sizeof(double) * (size_t)x->np);
  vvi_axpy(x->np, 0.5 * h, w->f, w->trial_p);
  vvi_event_rest_solve(s, h, w->trial_p);
  if (s->jump == VVI_SLAB) w->drift_energy = vvi_drift_energy(s->model, h, w->trial_q, w->trial_p);
  vvi_sys_drift(s->model, h, w->trial_q, w->trial_p);
  w->trial = h;
}

/* The gap of one pair as a function of the length of the slab. */
typedef struct flight {
  struct vv_step *s;
  const vvi_pair *c;
  double sign;
} flight;

static double gap_in_flight(void *user, double tau)
{
  const flight *f = user;
  return vvi_event_gap_after(f->s, f->c, f->s->state->p, f->sign * tau);
}

static double root(struct vv_step *s, int i, double length, double sign)
{
  const vvi_event_work *w = s->own;
  flight f = {s, &s->model->pairs->pair[i], sign};
  return vvi_root_from_above(gap_in_flight, &f, length, vvi_pair_gap(f.c, s->state->q), w->touch[i] == TOUCHING);
}

/* A pair that would overlap and whose time is not known yet. */
static void overlaps(void *user, int i, double gap)
{
  struct vv_step *s = user;
  vvi_event_work *w = s->own;
  const bool rests = s->state->memory[i] != 0.0;
  if (gap < 0.0 && w->touch[i] != HELD && w->when[i] == INFINITY && !rests) w->below[w->n_below++] = i;
}

double vvi_event_curved(struct vv_step *s, double length, double sign)
{
  vvi_event_work *w = s->own;
  double first = INFINITY, at = length;
  for (bool again = true; again;) {
    again = false;
    vvi_event_try_slab(s, sign * at);
    w->n_below = 0;
    vvi_pairs_near(s->model, w->trial_q, 0.0, overlaps, s);
    for (int k = 0; k < w->n_below; k++) {
      const int i = w->below[k];
      vvi_event_set_time(w, i, root(s, i, at, sign));
      if (w->when[i] < first) first = w->when[i];
    }
    if (w->n_below > 0 && first > 0.0) at = first, again = true; /* others may have dipped and come back */
  }
  return first;
}
