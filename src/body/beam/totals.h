/* body/beam/totals.h  The sums that totals of beams are made of, and their order.  Accelerators compile the same text, as OpenCL C:
 * no header of the C library, no guard by pragma. */
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

/* Angular velocity in the frame of the node: J^-1 Lambda^T S. */
static inline void beam_body_rate(const double inertia[3], const double frame[9], const double S[3], double omega[3])
{
  for (int c = 0; c < 3; c++) omega[c] = (frame[c] * S[0] + frame[3 + c] * S[1] + frame[6 + c] * S[2]) / inertia[c];
}

/* The lanes of a sum. */
#define BEAM_LANES_SUM(s) ((((s)[0] + (s)[1]) + ((s)[2] + (s)[3])) + (((s)[4] + (s)[5]) + ((s)[6] + (s)[7])))
#endif
