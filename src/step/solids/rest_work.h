/* step/solids/rest_work.h  Inside the solver of contacts at rest: one island, its contacts in scaled velocities.
 *
 * With M^-1 = W W^T for each mover (W lower), v = vf + W s and s = (G W)^T j: the kinetic energy of what the contacts did is
 * |s|^2/2, and movers that do not turn, or move along some axes only, need no special care.                    [many 22] */
#pragma once
#include "step/solids/factor.h"
#include "step/solids/rest.h"

typedef double vvi_six[6];
enum { VVI_LIFTS = 4 };

/* One contact in its own frame (n, t, t'): u = c + b[0] s[side[0]] + b[1] s[side[1]]. */
typedef struct vvi_rest_row {
  double b[2][3][6];
  double c[3];       /* velocity without impulses, the first with gap/dt */
  double j[3];       /* impulse */
  double a[6];       /* own block b b^T: nn, tt, t't', tt', nt', nt */
  double inverse[4]; /* 1/nn; of the tangential block: tt, t't', tt' */
  double soft;       /* 1/largest eigenvalue of the tangential block */
  double friction;
  int32_t side[2]; /* movers of the island; where fixed: one behind the last, which never moves */
} vvi_rest_row;

/* One contact while Newton looks at it. */
typedef struct vvi_rest_trial {
  double axis[3][3];  /* frame by rows, space axes */
  double u[3], du[3]; /* at the iterate, along the direction; u with the lift */
  double p[3];        /* answer of the augmented law to u */
  double d[6];        /* -dp/du: nn, tt, t't', tt', nt', nt */
  double stiff;       /* K */
  /* mu |u_t| that makes the law associated, of this pass and those before, and what it was off after each pass */
  double lift[VVI_LIFTS + 1], miss[VVI_LIFTS + 1];
  int32_t block, state; /* between its two movers, -1: none; 0 free, 1 sticks, 2 slides */
  bool turned;
} vvi_rest_trial;

typedef struct vvi_isle {
  int32_t contacts, movers;
  vvi_rest_row *row;     /* [contacts] */
  vvi_rest_trial *trial; /* [contacts] */
  vvi_six *s;            /* [movers + 1] and so the next three */
  vvi_six *step, *way, *scratch;
  vvi_factor factor;
  double tolerance; /* m/s */
  double load;      /* m/s, what the loads of a step give */
} vvi_isle;

typedef struct vvi_isle_end {
  int32_t newton, sweeps;
  bool failed, guarded;
  double residual; /* m/s */
} vvi_isle_end;

/* Sweeps until a sweep changes no velocity by more than the tolerance; returns how many, *change is that of the last. */
int32_t vvi_gauss_seidel(vvi_isle *isle, int32_t most, double *change);
/* s = sum b^T j */
void vvi_rest_gather(vvi_isle *isle);
/* Newton's iterations made, at most `most`; *done: converged to the tolerance. */
int32_t vvi_rest_newton(vvi_isle *isle, int32_t most, bool *done);

struct vvi_rest_work {
  int32_t movers, contacts; /* room */
  int32_t newton, sweeps;   /* limits, per island and step */
  int32_t islands;
  int32_t *parent, *isle_of_root, *local; /* [movers] */
  unsigned char *moves;                   /* [movers] not fixed */
  int32_t *first_contact, *first_mover;   /* [movers + 1] */
  int32_t *contact, *mover;               /* sorted by island */
  vvi_six *impulse, *velocity;            /* [movers] */
  double (*root)[12];                     /* [movers] W: translation, rotation; lower by rows xx yx yy zx zy zz */
  vvi_isle_end *end;                      /* [movers] of each island */
  vvi_rest_row *row;
  vvi_rest_trial *trial;
  vvi_six *s, *step, *way, *scratch; /* [2 movers] */
  vvi_factor pool;                   /* its arrays are cut among the islands */
};
