/* step/solids/rest.h  Contacts at rest: impulses of one step so that nothing sinks, stacks stand, friction sticks or slides
 * as Coulomb says, and energy never grows.
 *
 * Bodies with velocities v0 at the start of the step; vf = v0 + dt M^-1 f are those without contact.  Sought: impulses j and
 * v1 = vf + M^-1 G^T j with                                                                        [many 20]
 *   0 <= j_n  _|_  u_n(v1) + max(gap, 0)/dt - rise >= 0,   |j_t| <= mu j_n,  j_t opposite to u_t(v1) where it slides.
 * The bodies touched then move by dt v1, and E1 - E0 = j.u1 - |v1 - v0|_M^2/2 <= 0 [many 21]. */
#pragma once
#include "base/base.h"
#include "visviva/ext.h"

typedef struct vvi_rest_contact {
  int32_t a, b;              /* movers; -1: fixed in space */
  double arm_a[3], arm_b[3]; /* from their places to the common point */
  double n[3];               /* unit, from a to b */
  double gap, friction;
  double rise;     /* m/s: what it must open by, because turning and sliding will close it by as much */
  double j[3];     /* impulse on b, space axes: the warm start in, the answer out */
  double first[3]; /* the answer before anything had to rise */
  bool wedged;     /* it cannot rise */
} vvi_rest_contact;

typedef struct vvi_rest_problem {
  double dt;
  int32_t movers;
  const vv_mover *mover;  /* [movers] places, inverse masses and inertias */
  const double *before;   /* [movers][6] v0: velocity, spin */
  const double *pushed;   /* [movers][6] dt f: impulse and moment of gravity and loads; vf = v0 + M^-1 pushed */
  double *velocity;       /* [movers][6] out: v1.  In: vf */
  double *scale;          /* [movers] out: 1, or the factor of the energy guard on the momenta of its grounded island */
  unsigned char *touched; /* [movers] out: has an impulse */
  int32_t n;
  vvi_rest_contact *contact; /* [n] sorted: the order decides nothing but rounding */
  int32_t threads;           /* islands are shared among them; the same bits for any number */
} vvi_rest_problem;

typedef struct vvi_rest_stats {
  int32_t islands, newton, sweeps; /* Newton iterations and Gauss-Seidel sweeps, the largest of all islands */
  int32_t failed;                  /* islands that Newton left to Gauss-Seidel */
  int32_t guarded;                 /* islands whose energy would have grown */
  double residual;                 /* m/s, the largest left */
} vvi_rest_stats;

typedef struct vvi_rest_work vvi_rest_work;
/* All memory for problems up to this size; nothing is allocated later but by vvi_rest_room, for more contacts. */
vv_status vvi_rest_create(vvi_arena *arena, int32_t movers, int32_t contacts, vvi_rest_work **out);
vv_status vvi_rest_room(vvi_arena *arena, int32_t contacts, vvi_rest_work *w);
void vvi_rest_solve(vvi_rest_work *w, vvi_rest_problem *p, vvi_rest_stats *stats);
