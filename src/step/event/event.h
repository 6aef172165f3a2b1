/* step/event/event.h  The event stepper: a step is cut at the contact times, momentum jumps there, the rest follows.
 *
 * A slab is a kick-drift-kick of any length h started at (q, p) with force f = f(q):
 *   ph = p + (h/2) f,  q1 = q + h M^-1 ph,  p1 = ph + (h/2) f(q1)                                            [bars 2]
 *   E_d = 1/2 ph.M^-1 ph + (V(q) + V(q1))/2 = -dL_d/dh                                                        [bars 4]  */
#pragma once
#include "step/step.h"

enum event_touch { APART, TOUCHING, HELD };

typedef struct event_work {
  double *f;            /* [np] force at the present q; written by event_force */
  double *d, *x, *k;    /* [np] the jump: direction d, M^-1 d, K M^-1 d */
  double *q1, *p1, *f1; /* [nq], [np], [np] a slab tried without being taken */
  double *when;         /* [pairs] time to the next event of each pair; written by event_next */
  unsigned char
      *touch;     /* [pairs] TOUCHING: its gap is zero and that root is divided out; HELD: none before the next slab */
  int *set, *now; /* [pairs] pairs of the coming event; of the event being answered */
  int n_set, n_now;
  int events;                     /* in this step */
  int64_t first_open;             /* first log entry whose balance the coming slab will judge; -1: none */
  double target;                  /* the energy that the coming slab must have */
  bool solved;                    /* the energy equation of the open event had a root */
  vv_totals slab;                 /* energy of the last slab */
  double last;                    /* its length */
  struct modified_work *modified; /* event/modified.c */
} event_work;

/* ---- event/event.c ---- */

/* First variations are being propagated. */
bool event_varies(const struct vv_step *s);
/* f = force at q with the springs that are closed now. */
void event_force(struct vv_step *s, double t, const double *q, double *f);
/* One slab of length h from the present state, time t at its start.  Books its work and judges the open event. */
void event_slab(struct vv_step *s, double t, double h);
/* Earliest event in (0, |h|] of the coming slab; the pairs are in w->set.  INFINITY: none. */
double event_next(struct vv_step *s, double h);

/* Stops the run: the bound of events in one step is reached. */
vv_status event_too_many(struct vv_step *s, double t, vv_report *r);

/* ---- event/jump.c: momentum across the contacts of w->now ---- */

/* Opens or closes the soft pairs of the event; returns how many. */
int event_toggle(struct vv_step *s);
/* The impulses that an instantaneous bounce would give: d = sum r0_i n_i.  Returns how many pairs take part. */
int event_direction(struct vv_step *s);
/* Restitution impulse and loss of one hard pair. */
double event_bounce_impulse(const struct vv_step *s, const vvi_pair *c, double *speed, double *loss);
/* Pairs that press against each other too slowly to bounce stay together for the rest of the step. */
int event_hold(struct vv_step *s, double t, double rest);
/* Applies scale*d, posts losses and external impulses, fills the log. */
void event_apply(struct vv_step *s, double t, double scale, double loss);
/* The jump rules `nodal` and `slab`; `rest` is what remains of the step. */
void event_jump(struct vv_step *s, double t, double rest);

/* ---- event/modified.c: the jump rule `modified` ---- */

vv_status modified_prepare(struct vv_step *s);
vv_status modified_substep(struct vv_step *s, double t, double h, vv_report *r);
void modified_audit(struct vv_step *s, vv_totals *sum);
