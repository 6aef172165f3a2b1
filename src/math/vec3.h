/* math/vec3.h  Vectors of three.  Accelerators compile the same text, as OpenCL C: no guard by pragma. */
#ifndef VVI_VEC3_H
#define VVI_VEC3_H
#ifndef __OPENCL_VERSION__
#include <math.h>
#endif

static inline double vvi_dot3(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double vvi_norm3(const double a[3])
{
  return sqrt(vvi_dot3(a, a));
}

static inline void vvi_cross3(const double a[3], const double b[3], double c[3])
{
  const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
  c[0] = x, c[1] = y, c[2] = z;
}
#endif
