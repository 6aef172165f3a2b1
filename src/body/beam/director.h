/* body/beam/director.h  One body during an energy-momentum step: what director.c and director_form.c share.
 *
 * A node is q = (phi, d1, d2, d3) in R^12, the directors being the columns of its frame.  An element joins the nodes a, b;
 * with D = phi_b - phi_a, s_i = (d_ia + d_ib)/2 and (i, j, k) cyclic its strains are quadratic in q:            [beam 30]
 *
 *   G_k = s_k.D/l - G0_k,   K_k = (d_ja.d_ib - d_ia.d_jb)/(2l) - K0_k,   V = l/2 (G.C1 G + K.C2 K)
 *
 * A step finds u and theta of every node, q_{n+1} - q_n = (u, theta x d_i), the directors being means of old and new: then
 * d_{n+1} = cay(theta) d_n exactly, forces do the work F.u and moments M.theta.                                 [beam 31]
 * Quantities without a prime are such means; a prime marks the end of the step. */
#pragma once
#include "body/beam/beam.h"
#include "math/blocktri.h"

/* The memory of a node between steps: its velocities, and what rounding of q leaves out of the strains of the element behind it.
 * A step moves by so much per node: u, theta, increments of these strains. */
enum { VELOCITIES = 12, STRAINS = 6, MOVED = 12, MOST_HOLDS = 4, ROW = VVI_BLOCK_COLUMN };

/* One node during a step.  Directors: d[3 i + c] is component c of d_{i+1}.  mass: of phi, d1, d2, d3. */
typedef struct director_node {
  double x0[3], d0[9], hv[VELOCITIES]; /* start of the step; h v */
  double mass[4], load[6];             /* own row of M; dead loads and weight */
  double u[3], theta[3];
  double x[3], d[9], turn[9]; /* means, and theta x d */
  double w[VELOCITIES];       /* dq - h v */
  double y[9];                /* inertia forces on the directors */
  double spare[6];            /* whole cache lines */
} director_node;

typedef struct director_hold {
  int64_t node; /* within the body */
  bool place, frame;
  const double *slope; /* NULL: none */
} director_hold;

/* One body during a step. */
typedef struct director_body {
  const vv_block *b;
  const beam_body *k;
  int32_t j;
  int64_t first, n, elements;
  double h, f, half; /* f = 2/h^2; half: t + h/2 */
  double mass[4];    /* coupling of neighbours in M */
  int massive;       /* directors with mass: 2, or 3 */
  bool follower;
  int n_hold;
  director_hold hold[MOST_HOLDS];
  director_node *node; /* [n] */
  double *strain;      /* [elements][6] at the start */
  double *stress;      /* [elements][6] means */
  double *r;           /* [n][ROW] */
  const double *push;  /* [n][ROW] force and moment of contacts; NULL: none */
  vvi_blocktri t;
} director_body;

static inline void get_node(const vv_block *b, const double *q, int64_t i, double x[3], double d[9])
{
  double frame[9];
  beam_get(b, q, i, x, frame);
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 3; k++) d[3 * k + c] = frame[3 * c + k];
}

static inline void frame_of(const double d[9], double frame[9])
{
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 3; k++) frame[3 * c + k] = d[3 * k + c];
}

/* ---- director_form.c ---- */

/* Strains of an element. */
void beam_director_strain(const beam_body *k, const double xa[3], const double da[9], const double xb[3],
                          const double db[9], double e[6]);
/* What the step adds to them, without cancellation. */
void beam_director_increment(const beam_body *k, const director_node *a, const director_node *b, double de[6]);
/* Means of a node from u and theta, and dq - h v. */
void beam_director_place(director_node *a);
/* Places all nodes and fills r, without regard to supports. */
void beam_director_residual(const director_body *w);
/* Fills the blocks of t, at the places of the last residual. */
void beam_director_tangent(const director_body *w);
/* Force and moment of a load on node i: a follower acts along the mean directors, or (prime) along those of the end. */
void beam_director_load(const director_body *w, const vv_load *load, int64_t i, bool prime, double out[6]);
