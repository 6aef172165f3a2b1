/* step/variation.h  First variations carried along a run, and the sums that must vanish on them.
 *
 * Two variations V, W of the initial state are propagated through every slab and every jump, contact times and impulses
 * included.  w(a, b) = a_V.b_W - a_W.b_V.  Checked at every whole step:
 *   symplectic       w(p, q) is what it was at the start                                                       [bars 50]
 *   multisymplectic  on sub-domains of elements, with the flux through their borders and the horizontal terms of
 *                    events                                                                                     [bars 51]
 *   Noether          momentum of a sub-domain against the impulse through its border                           [bars 53]
 * dq has as many numbers as dp; where the configuration space is not flat it is a tangent vector, and w has one term more
 * (vv_vary_table.twist).                                                                                      [beam 71]
 * A third variation, U, is the response to a unit of impulse at the last event: the slab rule fixes the impulse by the
 * energy of the slab after the event, so its variation is known only when that slab is done. */
#pragma once
#include "step/grid.h"
#include "step/step.h"

enum { VARY_V, VARY_W, VARY_U, VARY_ALL, VARY_DOMAINS = 4 };

typedef struct vvi_domain {
  vv_block *block;                    /* [n_block] restricted to the elements inside */
  double *share;                      /* [np] part of each node's mass that is inside */
  unsigned char *border;              /* [np] nodes whose balance involves the outside */
  bool *spring;                       /* [pairs] the contact spring is inside */
  double *p_last[VARY_U], *base_last; /* [np] end momenta of the last slab: varied and plain */
  double E_last[VARY_U];
  bool started;
  double sum, scale; /* of the two-form */
  double noether[3], noether_scale;
  double noether_L[3], noether_L_scale; /* of angular momentum */
  vv_sum weight[3], weight_L[3];        /* what gravity gave: equal amounts many times, so the sum keeps its rounding */
} vvi_domain;

struct vvi_variation {
  const vv_model *model;
  double *dq[VARY_ALL], *dp[VARY_ALL];   /* [np], [np] at the present level */
  double *dq0[VARY_ALL], *dph[VARY_ALL]; /* at the start of the slab; half-kicked */
  double *dp1[VARY_ALL];                 /* after its drift, before the second kick */
  double *q0, *f0;                       /* configuration and force at the start of the slab */
  double *closed0;                       /* [pairs] contact springs closed then */
  double *p0, *ph;                       /* momentum at the start of the slab; before its drift, after the kick */
  double *rate;                          /* [np] flat: M^-1 ph; else 1 */
  double *dk[VARY_ALL];                  /* [np] rate.dk: variation of the kinetic energy of the slab */
  double *df, *x, *y, *z;                /* [np] scratch */
  double *f0d, *f1d;                     /* [np] forces of a sub-domain */
  double *begin[VARY_U], *end[VARY_U];   /* [np] momenta of a sub-domain, varied */
  double dh[VARY_ALL];                   /* variation of the slab's length */
  double dt[VARY_ALL];                   /* of the time at the present level: zero at whole steps */
  double dE[VARY_ALL];                   /* of the energy of the last slab */
  double dE_target[VARY_U];              /* of the energy that the coming slab must have */
  double dE_pair[VARY_ALL];              /* of the mean energy of two slabs */
  bool pending;                          /* the coming slab fixes the impulse, or its own length */
  double kick0, kick1; /* of the two kicks of a slab, over its length: 1/2 each, unless said otherwise */
  bool timed;     /* the energy equation chooses the lengths: times vary too, and the form is that of (q, p, t, E) */
  double largest; /* sum of the sizes of its terms so far */
  bool trial;     /* slabs are only tried: the sums do not see them */
  double *kept;   /* [4 np] dq and dp of V and W before the trial */
  double start, start_scale;                   /* w(p, q) at the start */
  double symplectic, multisymplectic, noether; /* largest residuals so far */
  unsigned char *struck;                       /* [np] nodes that had an impulse since the last slab */
  bool flat;                                   /* every block is */
  bool spins;    /* no guide keeps nodes on a line: angular momentum is a Noether sum too */
  bool clamped;  /* momentum comes in without a flux: no Noether sum */
  bool by_slabs; /* sub-domain sums make sense: every step is made of slabs */
  bool over;     /* simultaneous events: no derivative exists, the check ends here */
  double over_time;
  vvi_grid *grid; /* configurational forces; NULL: no body has them, or steps are not made of slabs */
  vvi_domain domain[VARY_DOMAINS];
  int n_domain;
};

/* Allocates and starts V and W.  Fails where a body kind offers no variations. */
vv_status vvi_variation_create(struct vv_step *s, vvi_arena *arena);

/* out = D(force)(q) dq, with the contact springs that are closed. */
void vvi_variation_force(struct vv_step *s, const double *closed, const double *q, const double *dq, double *out);
/* The slab of length h that starts now: before its first kick, after its second. */
void vvi_variation_slab_begin(struct vv_step *s, const double *f0);
void vvi_variation_slab_end(struct vv_step *s, double h, const double *ph, const double *f1);
/* Whether an impulse of c can be varied: between tips, and of centroids (or round sections) on planes. */
bool vvi_variation_knows(const vvi_pair *c);
/* The coming slab, of length h and with force f at its start, ends when the gap of c closes. */
void vvi_variation_cut(struct vv_step *s, const vvi_pair *c, double h, const double *f);
/* The coming slab ends at a whole step. */
void vvi_variation_to_grid(struct vv_step *s);
/* Slabs come in pairs of equal length, whose mean energy, with that of the time grid, is that of the first pair: their length
 * varies with it.  The pair is tried first: V and W at its length, U with a unit of it; `stiff` per length is the grid's. [grids 9]
 */
void vvi_variation_try_pair(struct vv_step *s, double stiff);
void vvi_variation_take_pair(struct vv_step *s);
/* The first pair, of given length, was taken: all others will have its energy. */
void vvi_variation_first_pair(struct vv_step *s);
/* Momentum jumps by an impulse along the normal of c with known variations. */
void vvi_variation_jump(struct vv_step *s, const vvi_pair *c, const double d_impulse[VARY_U]);
/* The impulse will be fixed by the energy of the coming slab. */
void vvi_variation_jump_open(struct vv_step *s, const vvi_pair *c);
/* Whole step done: look at the sums. */
void vvi_variation_step_end(struct vv_step *s);
/* No derivative from here on. */
void vvi_variation_stop(struct vv_step *s, double t);
