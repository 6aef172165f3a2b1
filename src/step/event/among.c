/* step/event/among.c  Beams that meet each other: answered at the beginning of a slab that would make them overlap. */
#include "step/crowd.h"
#include "step/event/event.h"
#include "step/variation.h"

#include <math.h>
#include <stdio.h>

enum { TURNS = 200 };

/* Bounces between obstacles and beams that others press on them accumulate: after so many events in a step the rest of it
 * is answered at once, obstacles and all, if these beams are all that can touch anything. */
enum { CHATTER = 16 };
bool event_hurries(const struct vv_step *s)
{
  const event_work *w = s->own;
  if (s->crowd == NULL || w->events <= CHATTER) return false;
  for (int i = 0; i < s->model->pairs->n; i++)
    if (!vvi_crowd_has(s, &s->model->pairs->pair[i])) return false;
  return true;
}

vv_status event_hurry(struct vv_step *s, double t, double rest, vv_report *r)
{
  event_work *w = s->own;
  bool acted;
  if (w->trial != rest) event_try_slab(s, rest);
  vvi_flight f = {.t = t, .h = rest, .f = w->f, .q = w->trial_q, .p = w->trial_p, .flown = true, .obstacles = true};
  f.settle = rest_solve_at;
  VV_TRY(vvi_crowd_act(s, &f, &acted, r));
  if (acted && event_varies(s)) vvi_variation_stop(s, t);
  if (r->reason == VV_REASON_DONE) event_slab(s, t, rest); /* the trial is up to date */
  return VV_OK;
}

vv_status event_among(struct vv_step *s, double t, double rest, double *next, vv_report *r)
{
  event_work *w = s->own;
  for (int turn = 0; turn < TURNS; turn++) {
    const double length = *next == INFINITY ? rest : copysign(*next, rest);
    bool acted;
    if (length == 0.0) return VV_OK;
    if (w->trial != length) event_try_slab(s, length);
    vvi_flight f = {.t = t, .h = length, .f = w->f, .q = w->trial_q, .p = w->trial_p, .flown = true};
    f.settle = rest_solve_at;
    VV_TRY(vvi_crowd_act(s, &f, &acted, r));
    if (!acted || r->reason != VV_REASON_DONE) return VV_OK;
    if (event_varies(s)) vvi_variation_stop(s, t);
    w->trial = 0.0;
    *next = event_next(s, rest); /* other momenta, other contact times */
  }
  r->reason = VV_REASON_TOO_MANY_EVENTS;
  snprintf(r->message, sizeof r->message,
           "beams and obstacles pass impulses to and fro at t = %.9g without an end; use a shorter step", t);
  return VV_OK;
}
