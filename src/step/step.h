/* step/step.h  What every stepper sees of the world: a model, a state, a ledger, a log, and its own scratch. */
#pragma once
#include "contact/pairs.h"
#include "ledger/episodes.h"
#include "model/columns.h"
#include "model/traction.h"

/* The modified energy is singular at the stable step: the rule stays below this part of it. */
#define VVI_MODIFIED_LIMIT 0.98
/* Of the smaller of two bodies: an overlap that is seen.  Steps that let contacts sink are claimed to stay above it. [ledger 19] */
#define VVI_SEEN_DEPTH     1e-2

typedef enum vvi_jump { VVI_SLAB, VVI_NODAL, VVI_MODIFIED } vvi_jump;

/* Events of the steps since they were last drained: the log grows where many fall into one batch, so that none is lost.  A step
 * of the event stepper has at most VVI_MAX_EVENTS. */
enum { VVI_MAX_EVENTS = 512, VVI_LOG_EVENTS = 64 * VVI_MAX_EVENTS, VVI_BATCH_STEPS = 64 };
typedef struct vvi_log {
  vv_event *event; /* [room] */
  int64_t n, room;
} vvi_log;

/* Symmetric composition of second-order steps: lengths gamma_i h.  (step/compose/) */
typedef struct vvi_composition {
  int order, stages;
  const double *gamma; /* [stages] */
} vvi_composition;
const vvi_composition *vvi_composition_find(int order);
/* Largest omega h of a harmonic oscillator below which the composed step is stable: 2 for a single leapfrog. */
double vvi_composition_limit(const vvi_composition *c); /* NULL: none */

/* Positions at contacts, kept until the observers were told: where a contact begins, and while some last at the start of each
 * large cell of steps; one for each small cell.  Which steps these are depends on their numbers alone. */
typedef struct vvi_keys {
  vv_key *key; /* [room] */
  double *q;   /* [room][nq] */
  int64_t n, room;
  int64_t begun;       /* episodes that had begun at the end of the last step */
  int64_t cell;        /* the small cell that has its key */
  double small, large; /* steps */
} vvi_keys;

/* A node whose motion is given for the coming step: whatever its forces are, drives make them this.                [rigid 19] */
typedef struct vvi_led {
  int32_t block;
  int64_t node;
  double rate[3], force[3]; /* m/s^2; N: mass times that */
} vvi_led;

struct vvi_variation; /* step/variation.h */

struct vv_step {
  const vv_model *model;
  vv_state *state;
  vv_ledger *ledger;
  vvi_arena *arena; /* for prepare only: after the first step nothing is allocated */
  vvi_log *log;
  vvi_keys *keys; /* NULL: none are kept */
  double h;       /* signed step */
  vvi_jump jump;
  bool on_off_printed; /* massless tips open and close without an impulse (jump slab) */
  const vvi_composition *composition;
  struct vvi_contact_step *contact;    /* contact/contact.h; NULL: nothing it answers can meet */
  struct vvi_locate *locate;           /* step/contact.h: impacts of balls at their own times; NULL: before the drift */
  struct vvi_sides *sides;             /* contact/shapes/side.h; NULL: nothing comes upon the side of a bar */
  struct vvi_joint_step *joints;       /* contact/joints.h; NULL: none, or they belong to an implicit step */
  struct vvi_variation *vary;          /* NULL: none propagated */
  struct vvi_accelerator *accelerator; /* step/accelerate.h; NULL: the processor does everything */
  const char *energy;        /* which energy the method balances: nodal, slab, modified, director; set by prepare */
  bool exact;                /* it keeps that energy to rounding; set by prepare */
  bool lends;                /* pairs of tips are lent what a step brings them [bars 17b, 19a, 19b]; set by prepare */
  double *h2;                /* [nq + 2 np] scratch of the energy of fourth order; NULL: not wanted */
  const double *noted_force; /* force at the end of the step, for who looks at its contacts; NULL: none */
  vvi_traction traction;     /* of the state; no nodes: not asked for */
  double *layers;            /* [np] scratch of what layers give the nodes; NULL: not asked for, or there are none */
  bool bears;                /* it gives rigid bodies that are led the forces of their drives; set by prepare */
  const vvi_led *led;        /* [n_led] where it does */
  int64_t n_led;
  double *drive; /* [np] N: what drives add to the forces of what is led; NULL: the stepper needs none */
  void *own;     /* the stepper's scratch */
};

/* ---- stages shared by the steppers ---- */

/* Plain energy H(q, p) and momenta of the state, contact springs included. */
void vvi_audit_nodal(struct vv_step *s, vv_totals *sum);
/* One side of what is logged. */
typedef struct vvi_log_side {
  const vv_patch *patch;
  int64_t node; /* within its body, or which copy of it; -1: none */
} vvi_log_side;
/* An entry of the log like this one, with the names of its sides, counted as an impact: all that is ever logged is written here.
 * NULL: out of memory. */
vv_event *vvi_log_write(struct vv_step *s, const vv_event *like, vvi_log_side a, vvi_log_side b);
/* The node of a curved pair, which has set out (vvi_node_sets_out), flies for h alone; the gap of the pair there. */
double vvi_node_fly(const vvi_pair *c, double h, double *q1, double *p1);
/* The same of a pair, filled with what geometry knows. */
vv_event *vvi_log_add(struct vv_step *s, const vvi_pair *c, const char *kind, double time, double speed,
                      double impulse);
/* Tells the contact histories an impulse r along the normal of a pair, and `slide` across it on b (NULL: none); before p is
 * changed. */
void vvi_tell_pair(struct vv_step *s, const vvi_pair *c, double t, double r, const double slide[3], double lost);
/* The springs of closed soft pairs, for a time h at the places q. */
void vvi_tell_springs(struct vv_step *s, double t, double h, const double *q);
/* Which copy of its body a node is, or a surface where each copy has its own; -1: the body has none. */
static inline int32_t vvi_copy_of(const vv_body *b, int64_t node)
{
  return b->n_element == 0 && b->n_node > 1 ? (int32_t)node : -1;
}
static inline int32_t vvi_copy_of_patch(const vv_model *m, const vv_patch *p)
{
  const vv_body *b = &m->body[p->body];
  const int64_t at = p - m->block[b->block].patch - b->patch0;
  return p->type == VV_PATCH_SURFACE && b->n_patch > 1 && at >= 0 && at < b->n_patch ? (int32_t)at : -1;
}
/* J: what is lent to a pair of tips, negative where it owes; of the state. */
double *vvi_pair_debt(const struct vv_step *s, const vvi_pair *c);
double vvi_pairs_lent(const struct vv_step *s); /* all of them */
/* Notes what one step may lend a pair, and what it was lent by being lifted (0: nothing).                   [bars 19c] */
void vvi_note_loan(struct vv_step *s, double most, double lifted);
/* A pair lost energy to a sum of the ledger, or brought some (negative): that is lent to it, and its losses pay it back first,
 * so that the losses that are booked only grow.                                                            [contact 30] */
void vvi_pair_lose(struct vv_step *s, const vvi_pair *c, double lost, vv_sum *to);
/* Whether a hard pair is held, of the state: apart; where the step has an energy of fourth order and restitution is below 1, closed by
 * the last drift, or held in it, so that its rate is that of half a kick; elsewhere, kept apart in it. */
enum { VVI_PAIR_APART, VVI_PAIR_CLOSED, VVI_PAIR_HELD, VVI_PAIR_KEPT };
double *vvi_pair_hold(const struct vv_step *s, const vvi_pair *c);
/* J: what the energy of fourth order takes off for a force that a held pair takes; pressed: m/s, the rate of half a kick.
 * [shadow 8a] */
double vvi_held_energy(double pressed, double inverse);
/* After a step: smallest gap of hard pairs, number of closed or touching pairs. */
void vvi_note_gaps(struct vv_step *s);
/* The step ended at this time; t is a multiple of h, never a sum of steps. */
void vvi_step_done(struct vv_step *s);
/* It ended at time t, in a grid of times that is found and not given. */
void vvi_step_done_at(struct vv_step *s, double t);
/* f.M^-1 f/8: what half a kick of a step of length 1 moves alone, where configurations are flat; z: [np] scratch.  [bars 4c] */
double vvi_half_kick_energy(const struct vv_step *s, double *f, double *z);
/* Kinetic energy of the drift of length h from (q, p).                                                    [bars 4, beam 61] */
double vvi_drift_energy(const vv_model *m, double h, const double *q, const double *p);
/* The energy that kick-drift-kick keeps to fourth order, with what pairs of tips were lent; `energy` is the plain one, *off: J, what
 * the fourth order adds to it.  (step/modified.c) */
/* The kind that does not know what its drift keeps; NULL: all do. */
const vv_body_kind *vvi_h2_unknown(const vv_model *m, const double *q, const double *p);
vv_status vvi_h2_prepare(struct vv_step *s);
double vvi_h2(struct vv_step *s, double energy, double *off);
extern const vv_stepper_kind vv_leapfrog_stepper;
extern const vv_stepper_kind vv_dcr2005_stepper;
extern const vv_stepper_kind vv_event_stepper;
/* Not in the catalog: `time: {step: {variational: ...}}` makes it of the leapfrog. */
extern const vv_stepper_kind vv_variational_stepper;
/* 1: of the Lagrangian of its time grid, over energy and the square of the step. */
double vvi_variational_weight(const vv_model *m);
/* s: shortest and longest slab so far, and how many there were.  false: steps have a length that is given. */
bool vvi_variational_lengths(const vv_model *m, const vv_state *x, double *shortest, double *longest, int64_t *slabs);
/* Not in the catalog: `time: {step: {asynchronous: true}}` makes it of the leapfrog.  longest, shortest: own stable steps of
 * elements, the longest being at most 64 times the shortest. */
extern const vv_stepper_kind vv_asynchronous_stepper;
vv_status vvi_asynchronous_step(const vv_model *m, double *longest, double *shortest);
extern const vv_stepper_kind vv_energy_momentum_stepper;
extern const vv_stepper_kind vv_rkmk_stepper; /* not in the catalog either: nothing is composed of it */
