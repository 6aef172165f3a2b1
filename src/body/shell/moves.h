/* body/shell/moves.h  How one coordinate of a node is moved; grad: of the strain energy, g: gravity.  Accelerators compile the
 * same text, as OpenCL C: no header of the C library, no guard by pragma. */
#ifndef VVI_SHELL_MOVES_H
#define VVI_SHELL_MOVES_H

/* p - h grad + h m g */
static inline double shell_kicked(double h, double g, double m, double grad, double p)
{
  p -= h * grad;
  if (g != 0.0) p += h * (m * g);
  return p;
}

/* The same twice, with half the step. */
static inline double shell_kicked_twice(double h, double g, double m, double grad, double p)
{
  const double f = 0.5 * h * grad, w = 0.5 * h * (m * g);
  return g != 0.0 ? (((p - f) + w) - f) + w : (p - f) - f;
}

/* q + h p/m */
static inline double shell_place_after(double h, double minv, double p, double q)
{
  return q + h * (minv * p);
}
#endif
