/* contact/island/island.h  The contacts of one island: impulses J, one law for impact, rest, pressing and friction.
 *
 *   K contains J  _|_  (U+ - b) + mu |(U+ - b)_t| n  in K*,     U+ = Uf + D J,   D = G M^-1 G^T                  [island 1, 2]
 *
 * Data in, data out: no model, no body, no state.  A contact is three rows (n, t, t'), each a list of legs: what a unit impulse
 * along it does to the movers of the island.  Points have no moment.  n leads from a to b; an impulse is what b gets. */
#pragma once
#include "base/base.h"
#include "visviva/ext.h"

/* More contacts than these that hang together are a heap: what moves there need not be solved as far as in small groups, and may
 * be left within `loose`. */
enum { VVI_HEAP = 32 };
/* Movers from which the gradient method comes in place of Newton's. */
enum { VVI_HUGE = 1000 };

/* Force and moment on one mover of unit impulses along n, t, t' (by rows); what is held has been taken out. */
typedef struct vvi_leg {
  int32_t mover; /* of the island */
  double force[3][3], moment[3][3];
} vvi_leg;

typedef struct vvi_island_contact {
  int32_t first, legs; /* into leg[] */
  double friction;
  double kinetic; /* friction while it slides, where that is less; 0: as friction */
  int rows;       /* of a joint: 1 or 3, which pull as well as push; 0: a contact */
  int32_t joint;  /* and which: of the caller */
  double
      rolls; /* of rows that resist rolling (`rows` 3, the first without legs): their impulse is at most so many times j_n of */
  int32_t mate;    /* this contact, */
  double limit;    /* in the last solve */
  bool slides;     /* in: it slid in the last step; out: it slides.  Only where `kinetic` is given */
  double free[3];  /* Uf: row velocities without impulses, given parts (drives) included */
  double b[3];     /* the velocities asked for: U+_n >= b_n, slip measured from b_t */
  double j[3];     /* impulse along n, t, t': the warm start in, the answer out */
  double after[3]; /* out: U+ */
  double strict;   /* it may be off by `loose` over this; 0: as 1 */
} vvi_island_contact;

typedef struct vvi_island_problem {
  int32_t movers, contacts;
  const double (
      *inverse)[12]; /* [movers] inverse mass, inverse inertia: xx yy zz yz xz xy each; inertia zero for points */
  const vvi_leg *leg;
  vvi_island_contact *contact; /* [contacts] in an order that depends on nothing but the scene */
  double speed;                /* m/s: scale of the velocities, for the tolerance 1e-13 speed */
  double loose;                /* m/s: what contacts of an island that moves may be off, a part of keep/h */
  double slow;                 /* m/s: of a heap of rigid bodies, what moves slower is taken to rest; 0: no heap */
  double
      far; /* m/s: contacts that contradict each other by more are answered far along what moves nothing [island 12a], and the
                 caller judges the size of that; 0: none are */
  int32_t newton;      /* iterations of Newton's method at most, and nothing after it; 0: whatever it takes */
  double (*change)[6]; /* [movers] out: V+ - Vf = M^-1 G^T J */
} vvi_island_problem;

typedef struct vvi_island_stats {
  int32_t newton, sweeps, gradient; /* iterations */
  bool warm;                        /* the warm start obeyed the law already */
  bool converged;                   /* within the tolerance */
  bool accepted;                    /* within `loose`: more than 32 contacts, cone shifts not converged */
  double residual;                  /* m/s left */
} vvi_island_stats;

/* Memory of one thread; grows by doubling in its arena where an island is larger than any before (false: out of memory). */
typedef struct vvi_island_work vvi_island_work;
vv_status vvi_island_create(vvi_arena *arena, int32_t movers, int32_t contacts, vvi_island_work **out);
/* threads: for the gradient method of huge islands; the same bits for any number.  False: no memory, or no answer that is a number. */
bool vvi_island_solve(vvi_island_work *w, vvi_island_problem *p, int threads, vvi_island_stats *stats);
