/* step/event/among.c  Beams that meet each other: answered at the beginning of a slab that would make them overlap. */
#include "step/crowd.h"
#include "step/event/event.h"

#include <math.h>
#include <stdio.h>

enum { TURNS = 200 };

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
    w->trial = 0.0;
    *next = event_next(s, rest); /* other momenta, other contact times */
  }
  r->reason = VV_REASON_TOO_MANY_EVENTS;
  snprintf(r->message, sizeof r->message,
           "beams and obstacles pass impulses to and fro at t = %.9g without an end; use a shorter step", t);
  return VV_OK;
}
