/* body/bar/law.h  Columns of the nodes of bars, and what a spring does.  Accelerators compile the same text, as OpenCL C: no
 * header of the C library, no guard by pragma. */
#ifndef VVI_BAR_LAW_H
#define VVI_BAR_LAW_H

/* span: length of the spring behind the node; law: 0 linear, 1 neo-Hookean (read only where a block is not linear) */
enum bar_node_column { BAR_MASS, BAR_INVERSE_MASS, BAR_STIFFNESS, BAR_X, BAR_SPAN, BAR_LAW, BAR_NODE_COLUMNS };

/* Force of a spring of stiffness k and length l that is longer by du; law 0: linear.                             [bars 1a] */
static inline double bar_spring(double law, double k, double l, double du)
{
  if (law == 0.0) return k * du;
  const double s = 1.0 + du / l;
  return k * l / 3.0 * (s - 1.0 / (s * s));
}
#endif
