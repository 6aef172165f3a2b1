/* body/beam/totals.h  Strains and energies of one element, and what one node adds to the totals.  Accelerators compile the same
 * text, as OpenCL C: no header of the C library, no guard by pragma. */
#ifndef VVI_BEAM_TOTALS_H
#define VVI_BEAM_TOTALS_H

/* Sums over nodes are taken in strips of BEAM_BRANCH, sums over strips again, and so on to one number: a tree that follows from
 * the length of the body alone.  Inside a strip in eight lanes. */
enum { BEAM_BRANCH = 64, BEAM_SUM_LANES = 8 };
/* p and L have three components each. */
enum {
  BEAM_KINETIC,
  BEAM_STRAINED,
  BEAM_POTENTIAL,
  BEAM_P_ABS,
  BEAM_L_ABS,
  BEAM_P_SUM,
  BEAM_L_SUM = 8,
  BEAM_SUMS = 11
};

/* Strains of an element as its rule measures them: G at the middle (one point), or at both nodes (trapezoid), or by the
 * Cayley map of SE(3), and psi; all less those at rest. */
typedef struct beam_element_strains {
  double a[3], b[3], psi[3];
} beam_element_strains;

/* Of the element between x, frame A and y, frame B. */
static inline beam_element_strains beam_strains_of(const beam_body *k, const double x[3], const double A[9],
                                                   const double y[3], const double B[9])
{
  beam_element_strains e;
  double D[3], v[3];
  for (int c = 0; c < 3; c++) D[c] = (y[c] - x[c]) / k->l;
  for (int c = 0; c < 3; c++) {
    e.a[c] = A[c] * D[0] + A[3 + c] * D[1] + A[6 + c] * D[2];
    e.b[c] = B[c] * D[0] + B[3 + c] * D[1] + B[6 + c] * D[2];
  }
  beam_bend(A, B, e.psi);
  vvi_cross3(e.psi, e.a, v);
  for (int c = 0; c < 3; c++) {
    if (k->strain == BEAM_CAYLEY_STRAIN)
      e.a[c] = e.b[c] = e.a[c] - 0.5 * v[c] - k->rest[c]; /* [beam 50] */
    else if (k->strain == BEAM_ONE_POINT)
      e.a[c] = e.b[c] = 0.5 * (e.a[c] + e.b[c]) - k->rest[c];
    else
      e.a[c] -= k->rest_a[c], e.b[c] -= k->rest_b[c];
    e.psi[c] -= k->rest_psi[c];
  }
  return e;
}

/* [beam 1] */
static inline double beam_element_energy(const beam_body *k, const beam_element_strains *e)
{
  double v = 0.0;
  for (int c = 0; c < 3; c++)
    v += 0.25 * k->l * k->c1[c] * (e->a[c] * e->a[c] + e->b[c] * e->b[c]) +
         0.5 / k->l * k->c2[c] * e->psi[c] * e->psi[c];
  return v;
}

/* Angular velocity in the frame of the node: J^-1 Lambda^T S. */
static inline void beam_body_rate(const double inertia[3], const double frame[9], const double S[3], double omega[3])
{
  for (int c = 0; c < 3; c++) omega[c] = (frame[c] * S[0] + frame[3 + c] * S[1] + frame[6 + c] * S[2]) / inertia[c];
}

/* All but the strain energy, which is 0. */
static inline void beam_node_sums(double m, double minv, const double inertia[3], const double gravity[3],
                                  const double x[3], const double frame[9], const double P[3], const double S[3],
                                  double out[BEAM_SUMS])
{
  double omega[3], arm[3];
  beam_body_rate(inertia, frame, S, omega);
  vvi_cross3(x, P, arm);
  out[BEAM_KINETIC] = 0.5 * minv * vvi_dot3(P, P);
  for (int c = 0; c < 3; c++) {
    out[BEAM_KINETIC] += 0.5 * inertia[c] * omega[c] * omega[c];
    out[BEAM_P_SUM + c] = P[c];
    out[BEAM_L_SUM + c] = arm[c] + S[c];
  }
  out[BEAM_STRAINED] = 0.0;
  out[BEAM_POTENTIAL] = -(m * vvi_dot3(gravity, x));
  out[BEAM_P_ABS] = vvi_norm3(P);
  out[BEAM_L_ABS] =
      vvi_norm3(x) * vvi_norm3(P) + vvi_norm3(S); /* what x x P rounds by, also where the two are parallel */
}

/* The lanes of a sum. */
#define BEAM_LANES_SUM(s) ((((s)[0] + (s)[1]) + ((s)[2] + (s)[3])) + (((s)[4] + (s)[5]) + ((s)[6] + (s)[7])))
#endif
