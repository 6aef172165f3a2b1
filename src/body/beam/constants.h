/* body/beam/constants.h  Columns of the tables of beams, and the constants of a body.  Accelerators compile the same text, as
 * OpenCL C: no header of the C library, no guard by pragma. */
#ifndef VVI_BEAM_CONSTANTS_H
#define VVI_BEAM_CONSTANTS_H

/* q: x[3], then Lambda[3][3] by rows.  p: P[3], then S[3]. */
enum { BEAM_X = 0, BEAM_FRAME = 3, BEAM_Q = 12, BEAM_P = 0, BEAM_S = 3, BEAM_NODE_P = 6 };

/* weight: length of beam that belongs to the node (l, or l/2 at a free end).
 * inverse weight: 0 where the closed form of the drift does not hold (a point mass with rotary inertia of its own).
 * point mass and its moments of inertia about d1, d2, d3: included in mass, not in weight.
 * span: length of the element behind the node. */
enum beam_node_column {
  BEAM_MASS,
  BEAM_INVERSE_MASS,
  BEAM_WEIGHT,
  BEAM_INVERSE_WEIGHT,
  BEAM_POINT_MASS,
  BEAM_POINT_INERTIA,
  BEAM_SPAN = BEAM_POINT_INERTIA + 3,
  BEAM_NODE_COLUMNS
};

typedef enum beam_strain { BEAM_ONE_POINT, BEAM_TRAPEZOID, BEAM_CAYLEY_STRAIN, BEAM_EXP, BEAM_EXP_SE3 } beam_strain;
/* Strains at both nodes. */
static inline int beam_at_nodes(double strain)
{
  return strain == BEAM_TRAPEZOID || strain == BEAM_EXP;
}
/* Sections joined by the exponential (exponential.c). */
static inline int beam_by_exp(double strain)
{
  return strain == BEAM_EXP || strain == BEAM_EXP_SE3;
}
typedef enum beam_drift_rule { BEAM_LGVI, BEAM_LAVI_CAYLEY, BEAM_LAVI_CAY, BEAM_LAVI_EXP } beam_drift_rule;

/* What holds an end: its place, its frame, and (slope) its neighbour on the line through d3. */
enum beam_hold { BEAM_HOLD_PLACE = 1, BEAM_HOLD_FRAME = 2, BEAM_HOLD_SLOPE = 4 };

/* The constants of a body: all doubles, so that they live in body_real. */
typedef struct beam_body {
  double l;          /* length of an element; graded: of the shortest */
  double c1[3];      /* N: shear, shear, stretch */
  double c2[3];      /* N m^2: bending about d1, d2, twist */
  double rho_a;      /* kg/m */
  double inertia[3]; /* kg m: J about d1, d2, d3, per length */
  double spread[2];  /* kg m: rho int xi1^2, rho int xi2^2: J_d of a plane section, per length */
  double rest_a[3];  /* G0 at the left node, at the right node (trapezoid), their mean or Cayley's strain */
  double rest_b[3];
  double rest[3];
  double rest_psi[3];                       /* psi0 */
  double rest_curvature[3], rest_strain[3]; /* K0 (1/m) and G0 of the director form */
  double strain, drift;                     /* beam_strain, beam_drift_rule */
  double closed;                            /* 1: the last node is joined to the first */
  double graded;                            /* 1: elements have lengths of their own (BEAM_SPAN) */
  double solid;                             /* 1: some node has inverse weight 0 */
  double hold[2];                           /* bits of beam_hold at the first and last node */
  double slope[2][3];                       /* direction of the slope condition at the two ends */
} beam_body;

/* psi = cay^-1(A^T B) of two frames; formulas.h has it for eight at once.                                      [beam 1] */
static inline void beam_bend(const double A[9], const double B[9], double psi[3])
{
  double one_tr = 1.0, v[3] = {0, 0, 0};
  for (int c = 0; c < 9; c++) one_tr += A[c] * B[c];
  for (int i = 0; i < 9; i += 3) {
    v[0] += A[i + 2] * B[i + 1] - A[i + 1] * B[i + 2];
    v[1] += A[i] * B[i + 2] - A[i + 2] * B[i];
    v[2] += A[i + 1] * B[i] - A[i] * B[i + 1];
  }
  for (int c = 0; c < 3; c++) psi[c] = 2.0 * v[c] / one_tr;
}

/* J_d = tr(J)/2 - J of three moments of inertia about the directors; what is only rounding counts as zero. */
static inline double beam_spread(const double j[3], int i)
{
  const double sum = j[0] + j[1] + j[2], d = 0.5 * sum - j[i];
  return (d < 0.0 ? -d : d) <= 1e-13 * sum ? 0.0 : d;
}
#endif
