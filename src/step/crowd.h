/* step/crowd.h  Contacts of curves with each other and with themselves, answered before the drift that would make them
 * overlap: positions are never moved, so that the potential energy is untouched and, for e = 1, so is the kinetic one. */
#pragma once
#include "contact/crowd.h"
#include "step/step.h"

/* The coming half kick and drift. */
typedef struct vvi_flight {
  double t, h;     /* its start and length */
  const double *f; /* [np] force at the present configuration */
  double *q, *p;   /* [nq], [np] after it */
  bool flown;      /* they are there already */
  bool obstacles;  /* these curves against obstacles are answered here too */
  /* contacts at rest: what they do to the half-kicked momentum of one node before it drifts; NULL: there are none */
  void (*settle)(struct vv_step *s, const vv_block *b, int64_t node, double h, double *p);
} vvi_flight;

/* One contact of the coming drift. */
typedef struct vvi_contact {
  int32_t a, b;           /* segments; -1: a pair with an obstacle */
  int32_t pair;           /* that pair; -1: none */
  int32_t node[4], nodes; /* of the crowd, that it moves */
  bool rests, bounces, holds;
  const vv_block *block[2];
  vv_point point[2];              /* with arms to one common point */
  double n[3], inverse[6], along; /* from a to b; inverse mass there, and along n */
  double restitution, friction;
  double time, gap;           /* 0..1: when it overlaps, and by how much */
  double speed, acceleration; /* along n */
  double before[3];           /* relative velocity before the bounce */
  double impulse;             /* along n: multiplier, then impulse of this round */
  double bias;                /* speed that the impulses of a round must make up for */
  double press, slide[3];     /* sums of the drift: normal (>= 0), tangential on b */
  double lost;                /* by the bounce of this round */
} vvi_contact;

typedef struct vvi_coupling {
  int32_t row;
  double value;
} vvi_coupling;

struct vvi_crowd_step {
  vvi_near *near;
  vvi_contact *contact; /* [room] of the coming drift */
  int32_t n, room;
  int32_t *bad, n_bad;     /* [room] contacts that would overlap */
  int32_t *rest, n_rest;   /* [pairs] pairs at rest on obstacles */
  int32_t *contact_of;     /* [pairs] */
  int32_t *changed;        /* [nodes] the round that changed its momentum last; -1: none */
  int32_t *dirty, n_dirty; /* [nodes] to be flown again */
  double *q, *p, *y;       /* [nq], [np], [np] scratch */
  int32_t round;
  /* the rows of a round: contacts that feel each other, and the matrix D between them */
  int32_t *row, n_row;    /* [room] */
  int32_t *head, *link;   /* [nodes], [room][4] rows of a node, as lists */
  int32_t *seen;          /* [room] */
  int64_t *first;         /* [room + 1] */
  vvi_coupling *coupling; /* [couplings] */
  int64_t couplings;
};

vv_status vvi_crowd_prepare(struct vv_step *s);
/* Changes the momenta of the state so that nothing overlaps in the drift; *acted: it changed some. */
vv_status vvi_crowd_act(struct vv_step *s, vvi_flight *f, bool *acted, vv_report *r);
/* Energy lent to contacts pressed apart, or owed by them. */
double *vvi_crowd_bank(const struct vv_step *s);
void vvi_crowd_note(struct vv_step *s, double *deepest, int64_t *contacts);
