/* step/event/composed.c  Orders 4 and 6 through contacts: the whole composed step is cut, not one of its stages.
 *
 * A cut stage would be of order 2 in what follows.  So the composition is taken as one map of any length: where it ends in
 * an overlap its length is shortened to the contact time, momentum jumps there, and a composed step covers the rest.  What
 * the stages do on the way does not matter: only the ends are states.                                          [contact 5] */
#include "step/event/event.h"

#include "math/math.h"

#include <string.h>

/* One composed step of length h on (q, p); f: the force there, then at its end.  Booked. */
static void composed(struct vv_step *s, double t, double h, double *q, double *p, double *f)
{
  const double *gamma = s->composition->gamma;
  for (int i = 0; i < s->composition->stages; i++) {
    const double stage = gamma[i] * h;
    vvi_axpy(s->state->np, 0.5 * stage, f, p);
    vvi_sys_post(s->model, t, 0.5 * stage, q, p, &s->ledger->posted);
    vvi_sys_drift(s->model, stage, q, p);
    t += stage;
    vvi_event_force(s, t, q, f);
    vvi_sys_post(s->model, t, 0.5 * stage, q, p, &s->ledger->posted);
    vvi_axpy(s->state->np, 0.5 * stage, f, p);
  }
}

/* The step of length h, not taken; w->posted: the books before it. */
static void attempt(struct vv_step *s, double t, double h)
{
  vvi_event_work *w = s->own;
  memcpy(w->trial_q, s->state->q, sizeof(double) * (size_t)s->state->nq);
  memcpy(w->trial_p, s->state->p, sizeof(double) * (size_t)s->state->np);
  memcpy(w->f1, w->f, sizeof(double) * (size_t)s->state->np);
  s->ledger->posted = w->posted;
  composed(s, t, h, w->trial_q, w->trial_p, w->f1);
  w->trial = h;
}

/* Takes the step of length h, if it is not the one last tried by trying it again. */
static void take(struct vv_step *s, double t, double h)
{
  vvi_event_work *w = s->own;
  if (h == 0.0 || w->trial != h) attempt(s, t, h);
  memcpy(s->state->q, w->trial_q, sizeof(double) * (size_t)s->state->nq);
  memcpy(s->state->p, w->trial_p, sizeof(double) * (size_t)s->state->np);
  memcpy(w->f, w->f1, sizeof(double) * (size_t)s->state->np);
  w->trial = 0.0;
}

/* The gap of one pair as a function of the length of the step. */
typedef struct path {
  struct vv_step *s;
  const vvi_pair *c;
  double t, sign;
} path;

static double gap_at(void *user, double length)
{
  const path *p = user;
  const vvi_event_work *w = p->s->own;
  attempt(p->s, p->t, p->sign * length);
  return vvi_pair_gap(p->c, w->trial_q);
}

typedef struct overlap {
  const vvi_event_work *w;
  int first; /* -1: none */
} overlap;

static void note_overlap(void *user, int i, double gap)
{
  overlap *o = user;
  if (o->first < 0 && gap < 0.0 && o->w->touch[i] != HELD) o->first = i;
}

/* First pair that overlaps after the trial; -1: none. */
static int overlapping(const struct vv_step *s)
{
  overlap o = {.w = s->own, .first = -1};
  vvi_pairs_near(s->model, o.w->trial_q, 0.0, note_overlap, &o);
  return o.first;
}

static double root(struct vv_step *s, int i, double t, double length)
{
  const vvi_event_work *w = s->own;
  path p = {s, &s->model->pairs->pair[i], t, length < 0.0 ? -1.0 : 1.0};
  const double now = vvi_pair_gap(p.c, s->state->q);
  return p.sign * vvi_root_from_above(gap_at, &p, fabs(length), now, w->touch[i] == TOUCHING);
}

/* Pairs that touch after the step of length h, with the tolerance of simultaneous events in time. */
static void gather(struct vv_step *s, int hit, double t, double cut, double length)
{
  vvi_event_work *w = s->own;
  w->n_now = 0;
  attempt(s, t, cut + copysign(1e-13 * fabs(length), length));
  for (int i = 0; i < s->model->pairs->n; i++)
    if (i == hit || (w->touch[i] != HELD && vvi_pair_gap(&s->model->pairs->pair[i], w->trial_q) < 0.0))
      vvi_event_set_time(w, i, fabs(cut)), w->now[w->n_now++] = (vvi_event_contact){.pair = i};
}

vv_status vvi_event_composed_step(struct vv_step *s, double t, double h, vv_report *r)
{
  vvi_event_work *w = s->own;
  w->direction = h < 0.0 ? -1.0 : 1.0;
  memset(w->touch, APART, (size_t)s->model->pairs->n);
  for (double rest = h;;) {
    double cut = rest;
    int hit = -1, below;
    if (w->fresh || !w->steady) vvi_event_force(s, t, s->state->q, w->f);
    w->fresh = false;
    w->posted = s->ledger->posted;
    for (attempt(s, t, cut); (below = overlapping(s)) >= 0 && cut != 0.0; attempt(s, t, cut))
      hit = below, cut = root(s, below, t, cut);
    if (hit >= 0) gather(s, hit, t, cut, h);
    take(s, t, cut);
    t += cut;
    memset(w->touch, APART, (size_t)s->model->pairs->n);
    if (hit < 0) return VV_OK;
    if (++w->events > VVI_MAX_EVENTS) {
      w->set[0] = hit;
      return vvi_event_too_many(s, t, r);
    }
    rest = fabs(rest) > fabs(cut) ? rest - cut : 0.0;
    vvi_event_jump(s, t, rest);
    if (rest == 0.0) return VV_OK;
    vvi_event_rest_gather(s);
    if (w->n_rest > 0) return vvi_event_substep(s, t, rest, r); /* contacts at rest are of order 2 */
  }
}

bool vvi_event_composed_serves(const struct vv_step *s)
{
  const struct vvi_pairs *list = s->model->pairs;
  if (s->composition->stages == 1 || list->n_curved == 0 || list->n_curved < list->n || s->jump != VVI_NODAL)
    return false;
  for (int i = 0; i < list->n; i++)
    if (s->state->memory[i] != 0.0) return false;
  return true;
}
