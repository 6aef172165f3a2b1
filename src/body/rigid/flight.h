/* body/rigid/flight.h  The flight of one body through the formulas for one double; formulas.h is in front of it.  Accelerators
 * compile the same text, as OpenCL C: no header of the C library, no guard by pragma. */
#ifndef VVI_RIGID_FLIGHT_H
#define VVI_RIGID_FLIGHT_H

enum { RIGID_MOST_PIECES = 1 << 16 };

static inline double rigid_extreme(const double u[3], bool high)
{
  const double a = high ? fmax(u[0], u[1]) : fmin(u[0], u[1]);
  return high ? fmax(a, u[2]) : fmin(a, u[2]);
}

/* [rigid 8] */
static inline int rigid_pieces(double dt, const double u[3], const double q[4], const double h[3])
{
  double H[3], twice = 0.0;
  body_spin_double(q, h, H);
  for (int c = 0; c < 3; c++) twice += u[c] * H[c] * H[c];
  const double low = rigid_extreme(u, false), high = rigid_extreme(u, true);
  const double size = H[0] * H[0] + H[1] * H[1] + H[2] * H[2];
  const double fast = fabs(dt) * sqrt(fmax(0.0, twice * (low + high) - size * low * high));
  if (fast <= 1.0) return 1;
  return fast < 0.7 * RIGID_MOST_PIECES ? (int)ceil(fast / 0.7) : RIGID_MOST_PIECES;
}

/* I, u: moments and their inverses; Q and P: columns of one node.  Returns iterations; 0: Q is no number any more. */
static inline int rigid_fly(rigid_class kind, double dt, double inverse_mass, const double I[3], const double u[3],
                            const double P[6], double Q[14])
{
  const double low = rigid_extreme(u, false), high = rigid_extreme(u, true);
  int pieces = kind == RIGID_UNEVEN ? rigid_pieces(dt, u, Q + RIGID_TURN, P + RIGID_H) : 1;
  int n = fly_double(kind, dt, pieces, &inverse_mass, I, u, &low, &high, P, Q);
  while (n == 0 && pieces < RIGID_MOST_PIECES) { /* was not easy: shorter pieces are */
    pieces *= 2;
    n = fly_double(kind, dt, pieces, &inverse_mass, I, u, &low, &high, P, Q);
  }
  for (int c = 0; n == 0 && c < RIGID_Q; c++) Q[c] = NAN; /* only of what is no number already */
  return n;
}
#endif
