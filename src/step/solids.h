/* step/solids.h  Contacts of rigid bodies with each other, with obstacles, beams and bars, answered before the drift that
 * would make them overlap: an impact is a step of length zero.                                                  [many 1]
 *
 * At a frozen configuration, with one common point for both sides of a contact, momentum and angular momentum are exchanged
 * exactly whatever the impulse, and the kinetic energy changes by J.u + J.A J/2. */
#pragma once
#include "contact/solids.h"
#include "step/step.h"

/* One node under a contact: the velocity of the point is the sum of weight (v + spin x arm), a weighs negative. */
typedef struct vvi_leg {
  int32_t mover;
  double weight, arm[3];
} vvi_leg;

/* What a unit impulse along the normal does to velocity and spin under each leg; and the friction of a pass. */
typedef struct vvi_lever {
  double lift[4][3], twist[4][3];
  double taken;                          /* J by restitution */
  double before[3], slide[3], change[3]; /* m/s without friction; N s of friction; what a round would add to it */
  double was;                            /* change.u before it */
} vvi_lever;

typedef struct vvi_solid_row {
  int32_t a, b, rule; /* objects */
  uint32_t key;
  int32_t legs;
  bool soft;  /* one side bends */
  bool rests; /* left to the solver of contacts at rest */
  vvi_leg leg[4];
  double x[3], n[3]; /* common point; from a to b */
  double gap, curl;  /* curl: how much nearer than straight lines the turning of both may bring them in the step */
  double restitution, friction;
  double press;   /* m/s^2 relative acceleration along n without contact */
  double k;       /* inverse mass along n; 0: not asked yet */
  double u;       /* m/s along n before the pass */
  double impulse; /* N s, of this pass */
} vvi_solid_row;

typedef struct vvi_hit {
  int32_t row, island;
} vvi_hit;

struct vvi_rest_work;
struct vvi_rest_problem;

struct vvi_solids_step {
  vvi_solid_near *near;
  struct vvi_locate *locate;  /* impacts at their own times; NULL: before the drift */
  vv_mover *force;            /* [movers] accelerations: M^-1 f as velocity and spin; NULL: no forces at all */
  double *f;                  /* [np] forces of the present state */
  bool forced;                /* there are any: gravity, loads, bodies that bend */
  bool soft;                  /* some contacts are with bodies that bend */
  bool fresh;                 /* near->meet belongs to the present state and the coming step */
  double speed, acceleration; /* the largest of all: scales */
  int64_t n, room;
  vvi_solid_row *row; /* [room = near->meet_room] in the order of near->meet */
  vvi_lever *lever;   /* [room] of the rows that an impulse was asked of */
  vvi_hit *hit;       /* [room] rows of a pass */
  int32_t n_hit;
  int32_t *root;      /* [movers] of the components of a pass */
  bool block;         /* simultaneous impacts by complementarity instead of generalised reflections */
  double (*start)[6]; /* [movers] velocities before a pass */
  /* contacts at rest */
  struct vvi_rest_work *rest;
  struct vvi_rest_problem *problem;
  int32_t *rest_row;     /* [room] rows of the problem */
  double *rest_velocity; /* [movers][6] of the momenta with their impulses */
  int32_t n_touched;
  int32_t *touched;               /* [movers] movers whose momenta are settled */
  double (*settled)[6];           /* [movers] */
  int32_t *touch_of;              /* [movers] its number in touched; -1: none */
  int32_t n_lent;                 /* the first so many have been lent to what pushes them (lend.c) */
  double (*first)[6], (*owed)[6]; /* [movers] of these: momentum when first settled; h f that it had had */
};

vv_status vvi_solids_prepare(struct vv_step *s);
/* Why impacts cannot be located exactly; NULL: they can. */
const char *vvi_solids_locatable(const vv_model *m);
/* Reals in state.memory: the bank of contacts pressed apart, and the impulses of contacts at rest. */
int64_t vvi_solids_memory(const vv_model *m);
double *vvi_solids_bank(const struct vv_step *s);
/* Changes the momenta of the state so that nothing overlaps in the coming drift.  halve: an impact would be answered early by up to h; nothing was changed, take two half steps instead. */
vv_status vvi_solids_act(struct vv_step *s, double t, double h, bool may_halve, bool *halve, vv_report *r);
/* Between, others push rigid bodies (lend.c).  Lend: the momenta of bodies at rest are those of the coming drift, no force
 * acts on them in f.  Again: what was pushed answers, *acted: some did.  Take: the momenta are what is settled. */
void vvi_solids_lend(struct vv_step *s, double h, double *f);
vv_status vvi_solids_again(struct vv_step *s, double t, double h, double *f, bool *acted, vv_report *r);
void vvi_solids_take(struct vv_step *s, double h);
/* After a kick: bodies with contacts at rest have had the kick of the whole step. */
void vvi_solids_settle(struct vv_step *s);
/* After the drift. */
void vvi_solids_moved(struct vv_step *s, double h);
/* The state was changed from outside. */
void vvi_solids_forget(struct vvi_solids_step *w);
void vvi_solids_note(struct vv_step *s, double *deepest, int64_t *contacts);
