/* contact/pairs.h  Who can touch whom, and what a pair looks like from outside: gap, rate, inverse mass, impulse.
 *
 * A pair joins two patches a and b of different bodies.  Its normal n points from a to b; the gap is
 *   g = (x_b - x_a).n,  its rate  n.(w_b - w_a);  an impulse r >= 0 pushes b along +n and a along -n,              [contact 1]
 * both at one common point, so that momentum is exchanged bit for bit.  Bodies are seen only through their tables.
 * A pair is hard (compliance 0: momentum bounces) or soft (massless tips: a spring 1/compliance while closed). */
#pragma once
#include "ledger/ledger.h"
#include "model/model.h"

typedef enum vvi_projection {
  VVI_ANTICIPATE, /* respond before the drift that would penetrate */
  VVI_UNTOUCHED,  /* respond after it, positions untouched */
  VVI_KEPT,       /* project, keep the force of the unprojected positions */
  VVI_RECOMPUTED, /* project, then compute the force */
  VVI_PREDICTOR,  /* project before the force of the new positions is computed */
  VVI_HALF_STEP   /* as predictor, and respond to the half-step momentum */
} vvi_projection;

/* What a projection is to give back. */
enum { VVI_CORRECT_ENERGY = 1, VVI_CORRECT_ANGULAR = 2 };

typedef struct vvi_pair {
  int32_t a, b; /* patches, in the model's numbering */
  const vv_block *block_a, *block_b;
  vv_point point_a, point_b;
  const vv_patch *patch_a, *patch_b;
  double n[3]; /* unit normal from a to b: constant for tips and planes */
  bool curved; /* normal and points depend on q (contact/pairs/pair.c); gap0 and n are not used */
  bool layer;  /* curved and soft, see contact/pairs/layers.h */
  bool flat;   /* both surfaces move linearly with q: the gap is gap0 plus displacements, free of cancellation */
  double gap0; /* gap at q = 0, for flat pairs */
  double skin; /* of a layer: how far from the node its surface is */
  double
      size; /* m, of a layer: half of what is thinner of the two, or the length of surface that a node owns if that is less */
  double restitution, friction;
  double compliance; /* of both tips in series; 0: hard */
  vvi_projection projection;
  unsigned correction;
} vvi_pair;

/* Of a curved pair: the node that touches, within its block. */
static inline int64_t vvi_pair_node(const vvi_pair *c)
{
  return c->patch_a->node + (int64_t)c->point_a.xi[0];
}

/* What the state remembers of contacts: memory[i] is 1 while soft pair i is closed, and how a hard one
 * is held (step/step.h); memory[n + i] is the energy that pair i
 * was lent, negative, or is kept for it. */
enum { VVI_PAIR_MEMORY = 2 };

/* Pairs of consecutive nodes of one curve, all corners of each, with one obstacle. */
typedef struct vvi_run {
  int first, corners; /* its first pair */
  int64_t nodes;
  const vv_block *block;
  int64_t node; /* the first, within the block */
  double reach; /* of the section from its middle */
  const vv_patch *obstacle;
} vvi_run;

struct vvi_pairs {
  int n, n_soft, n_hard, n_curved, n_layer; /* layers are soft, and not counted as curved */
  vvi_pair *pair;                           /* [n] sorted by (a, b) */
  int n_run;
  vvi_run *run; /* [n_run] the curved pairs */
};

vv_status vvi_runs_build(vv_model *m);
/* Tells all curved pairs whose gap is not above the limit, in the order of the list.  (contact/pairs/near.c) */
typedef void vvi_near_fn(void *user, int pair, double gap);
void vvi_pairs_near(const vv_model *m, const double *q, double limit, vvi_near_fn *found, void *user);

double vvi_pair_gap0(const vvi_pair *c, const double *q); /* of a flat pair at q = 0 */
double vvi_pair_gap(const vvi_pair *c, const double *q);
double vvi_pair_rate(const vvi_pair *c, const double *q, const double *p); /* also of a force: then the acceleration */
double vvi_pair_inverse_mass(const vvi_pair *c, const double *q);          /* n.(A_a + A_b) n */
void vvi_pair_pull(const vvi_pair *c, const double *q, double r, double *p);
/* All three directions: velocity of b relative to a at the common point, inverse mass there, impulse j on b, -j on a. */
void vvi_pair_velocity(const vvi_pair *c, const double *q, const double *p, double w[3]);
void vvi_pair_inverse_masses(const vvi_pair *c, const double *q, double a[6]);
void vvi_pair_pull3(const vvi_pair *c, const double *q, const double j[3], double *p);
void vvi_pair_normal(const vvi_pair *c, const double *q, double n[3]);
void vvi_pair_point(const vvi_pair *c, const double *q, double x[3]); /* the common point */
double vvi_pair_vary_gap(const vvi_pair *c, const double *q, const double *dq);
/* Reflection of the normal momentum in the kinetic metric: r = -(1 + e) u/a turns the approach speed u into -e u, and
 * (1 - e^2) u^2/(2 a) is lost.  A pair that separates gets nothing.                                                [bars 15] */
void vvi_reflect(double u, double a, double e, double *impulse, double *loss);
/* Books what an impulse exchanged with the outside: momentum that went into held nodes and obstacles, and the work of held
 * tips that move (p: the momenta that tell their velocity). */
void vvi_pair_post(const vvi_pair *c, const double *q, const double *p, double r, vv_posted *post);
void vvi_pair_post3(const vvi_pair *c, const double *q, const double *p, const double j[3], vv_posted *post);

/* ---- soft pairs: V = 1/2 g^2/compliance while closed ---- */

/* closed[i] != 0 for the pairs whose spring acts. */
void vvi_springs_kick(const vv_model *m, const double *closed, double h, const double *q, double *p);
void vvi_springs_post(const vv_model *m, const double *closed, double h, const double *q, const double *p,
                      vv_posted *post);
double vvi_springs_energy(const vv_model *m, const double *closed, const double *q);
void vvi_springs_vary(const vv_model *m, const double *closed, double h, const double *q, const double *dq, double *dp);
/* 2/omega_max of the whole model with every soft pair closed, by Lanczos iteration on M^-1 K. */
vv_status vvi_stable_step(const vv_model *m, const double *q, double *out);
