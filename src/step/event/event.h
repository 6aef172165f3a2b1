/* step/event/event.h  The event stepper: a step is cut at the contact times, momentum jumps there, the rest follows.
 *
 * A slab is a kick-drift-kick of any length h started at (q, p) with force f = f(q):
 *   ph = p + (h/2) f,  q1 = q + h M^-1 ph,  p1 = ph + (h/2) f(q1)                                            [bars 2]
 *   E_d = 1/2 ph.M^-1 ph + (V(q) + V(q1))/2 = -dL_d/dh                                                        [bars 4]  */
#pragma once
#include "step/step.h"

#include <math.h>

enum event_touch { APART, TOUCHING, HELD };
enum { EVENT_CHATTER = 64 }; /* events in one step after which pressing pairs are lifted */

/* A pair that acts: at an event, or at rest (then impulses are those of the half slab last solved). */
typedef struct vvi_event_contact {
  int pair;
  double impulse;        /* along the normal; at rest >= 0 */
  double slide[3];       /* tangential impulse of friction, on b */
  double speed, inverse; /* approach speed and inverse mass along the normal, in the metric of the jump */
  double rate;           /* of the gap, before */
  double velocity[3];    /* of b relative to a before (friction) */
  double loss, rubbed;   /* what restitution takes; what friction takes */
  bool turned;           /* a soft pair that turns back instead of opening or closing */
  bool sticks;           /* at rest: it does not slide */
} vvi_event_contact;

/* How a pair rests: state.memory of it. */
enum { REST_SLIDES = 1, REST_STICKS = 2 };

typedef struct vvi_event_work {
  double *f;                 /* [np] force at the present q; written by vvi_event_force */
  double *d, *x, *k;         /* [np] the jump: direction d, M^-1 d, K M^-1 d */
  double *q1, *p1, *f1;      /* [nq], [np], [np] a slab tried without being taken */
  double *trial_q, *trial_p; /* [nq], [np] a slab tried for contact times (curved pairs) */
  double trial;              /* its length; 0: none there */
  vv_posted posted;          /* the books before the slab that is tried (composed steps) */
  int *below, n_below;       /* [pairs] that the trial shows to overlap */
  int *timed, n_timed;       /* [pairs] curved, whose `when` is not INFINITY */
  bool steady;               /* the force does not depend on time: f stays right from step to step */
  bool keeps;                /* H - (h^2/8) f.M^-1 f with what is lent is kept to rounding */
  bool fresh;                /* but somebody else may have changed the state since the last slab */
  double *node_q, *node_p;   /* [nq], [np] scratch for single nodes */
  vvi_event_contact *rest;   /* [pairs] the first n_rest are resting, sorted by node */
  int n_rest;
  double *when; /* [pairs] time to the next event of each pair; written by vvi_event_next */
  unsigned char
      *touch;   /* [pairs] TOUCHING: its gap is zero and that root is divided out; HELD: none before the next slab */
  double *fast; /* [pairs] approach speed of the pair's last event: scale of "does not move" */
  int *set;     /* [pairs] pairs of the coming event */
  vvi_event_contact *now; /* [pairs] of the event being answered */
  int n_set, n_now;
  double direction;                   /* of time in this substep: +1 or -1 */
  int events;                         /* in this step */
  int64_t first_open;                 /* first log entry whose balance the coming slab will judge; -1: none */
  double target;                      /* the energy that the coming slab must have */
  bool solved;                        /* the energy equation of the open event had a root */
  double brought, kick, kick_first;   /* J; J/s^2: event/cut.c */
  double drift_energy;                /* kinetic energy of the slab flown last (jump slab) */
  vv_totals slab;                     /* energy of the last slab */
  double last;                        /* its length */
  struct vvi_modified_work *modified; /* event/modified.h */
} vvi_event_work;

static inline const vvi_pair *vvi_event_pair(const struct vv_step *s, int k)
{
  const vvi_event_work *w = s->own;
  return &s->model->pairs->pair[w->now[k].pair];
}

/* The pairs of the coming event are answered now. */
static inline void vvi_event_take_set(vvi_event_work *w)
{
  for (w->n_now = 0; w->n_now < w->n_set; w->n_now++) w->now[w->n_now] = (vvi_event_contact){.pair = w->set[w->n_now]};
}

/* ---- event/event.c ---- */

/* First variations are being propagated. */
bool vvi_event_varies(const struct vv_step *s);
/* f = force at q with the springs that are closed now. */
void vvi_event_force(struct vv_step *s, double t, const double *q, double *f);
/* Books loads, gravity and supports of a kick of length h of the present state. */
void vvi_event_book(struct vv_step *s, double t, double h);
/* A step of order 2, cut at its events. */
vv_status vvi_event_substep(struct vv_step *s, double t, double h, vv_report *r);
/* One slab of length h from the present state, time t at its start.  Books its work and judges the open event. */
void vvi_event_slab(struct vv_step *s, double t, double h);
/* The speed u of a touching pair with what is only rounding of its last approach set to zero. */
double vvi_event_speed(const struct vv_step *s, int pair, double u);
double vvi_event_rounding(const struct vv_step *s, int pair);
/* Depth below which a gap is only rounding. */
double vvi_event_shallow(const struct vv_step *s);
/* Smallest value of c0 + c1 x + c2 x^2 on [0, h]. */
double vvi_event_lowest(double c0, double c1, double c2, double h);
/* Earliest event in (0, |h|] of the coming slab; the pairs are in w->set.  INFINITY: none. */
double vvi_event_next(struct vv_step *s, double h);

/* ---- event/curved.c ---- */

static inline void vvi_event_set_time(vvi_event_work *w, int pair, double when)
{
  if (w->when[pair] == INFINITY) w->timed[w->n_timed++] = pair;
  w->when[pair] = when;
}

/* Earliest event of the curved pairs in a slab of the given length (> 0) in the direction of time `sign`; fills w->when. */
double vvi_event_curved(struct vv_step *s, double length, double sign);
double vvi_event_gap_after(struct vv_step *s, const vvi_pair *c, const double *p, double tau);
/* The whole slab of length h, not taken: w->trial_q, w->trial_p. */
void vvi_event_try_slab(struct vv_step *s, double h);

/* ---- event/composed.c: orders 4 and 6 for curved pairs, while none rests ---- */

bool vvi_event_composed_serves(const struct vv_step *s);
vv_status vvi_event_composed_step(struct vv_step *s, double t, double h, vv_report *r);

/* ---- event/rest.c ---- */

void vvi_event_rest_gather(struct vv_step *s);
/* Impulses of all resting pairs on the half-kicked momentum p before a drift of length h; h = 0: on a velocity. */
void vvi_event_rest_solve(struct vv_step *s, double h, double *p);
void vvi_event_rest_solve_node(struct vv_step *s, const vvi_pair *c, double h,
                               double *p); /* only those of the node of c */
void vvi_event_rest_solve_at(struct vv_step *s, const vv_block *b, int64_t node, double h, double *p);
void vvi_event_rest_settle(struct vv_step *s, const double *p);
void vvi_event_rest_book(struct vv_step *s, double t, const double *v);
void vvi_event_rest_release(struct vv_step *s, double t);
void vvi_event_rest_capture(struct vv_step *s, int i, double t);

/* ---- event/together.c ---- */

/* Adds to the tangential impulse `slide` (on b) what stops the sliding of momentum p, cut to the disc of radius limit. */
void vvi_event_rub(struct vv_step *s, const vvi_pair *c, const double *p, double limit, double slide[3], bool *sticks);

/* Impulses of all hard pairs of the event together: complementarity of the normal parts, then friction. */
void vvi_event_together(struct vv_step *s);

/* Stops the run: the bound of events in one step is reached. */
vv_status vvi_event_too_many(struct vv_step *s, double t, vv_report *r);

/* ---- event/jump.c: momentum across the contacts of w->now ---- */

/* Opens or closes the soft pairs of the event; returns how many. */
int vvi_event_toggle(struct vv_step *s);
/* What pair k of the event would do alone, from its speed and inverse mass in the metric of the jump rule. */
void vvi_event_set_bounce(struct vv_step *s, int k, double speed, double inverse);
/* d = sum of the bounces' impulses; massless tips alone: a unit of speed each.  > 0: so many bounce; < 0: so many soft. */
int vvi_event_direction(struct vv_step *s);
/* Pair k was lifted by this impulse, which gained this energy: lent to it. */
void vvi_event_lifted(struct vv_step *s, int k, double t, double impulse, double gain);
/* Debts of all hard pairs; emptying those of the bouncing pairs; paying with the bounce. */
double vvi_event_debt(const struct vv_step *s);
double vvi_event_withdraw(struct vv_step *s);
double vvi_event_pay(struct vv_step *s, double a, double b, double owed);
/* Applies scale*d, posts losses and external impulses, fills the log. */
void vvi_event_apply(struct vv_step *s, double t, double scale, double loss);
double vvi_event_coming_slab(struct vv_step *s);
/* The jump rules `nodal` and `slab`; `rest` is what remains of the step. */
void vvi_event_jump(struct vv_step *s, double t, double rest);

/* ---- event/cut.c: what cutting a step brings, and who pays it back ---- */

/* Where s->lends.  Before and after a slab of this length that ends at an event or, behind one, at the end of the step; when the step ends. */
void vvi_event_cut_before(struct vv_step *s);
void vvi_event_cut_after(struct vv_step *s, double length);
void vvi_event_cut_end(struct vv_step *s, double h);

/* ---- event/modified.c: the jump rule `modified` ---- */

vv_status vvi_event_modified_prepare(struct vv_step *s);
vv_status vvi_event_modified_substep(struct vv_step *s, double t, double h, vv_report *r);
void vvi_event_modified_audit(struct vv_step *s, vv_totals *sum);
