/* contact/friction/joint.c  Rows of joints among those of contacts: any impulse is allowed, and the one that is sought makes the
 * velocity what is asked for.                                                                                  [joint 10] */
#include "contact/friction/law.h"

#include <string.h>

static vvi_touch nearest(const vvi_friction *f, const double q[3], double p[3])
{
  (void)f;
  memcpy(p, q, 3 * sizeof *p);
  return VVI_STICKS;
}

static void slope(const vvi_friction *f, vvi_touch touch, const double q[3], const double p[3], double d[6])
{
  (void)f, (void)touch, (void)q, (void)p;
  d[0] = d[1] = d[2] = 1.0, d[3] = d[4] = d[5] = 0.0;
}

static void answer_slope(const vvi_friction *f, vvi_touch touch, const double q[3], const double p[3], double d[9])
{
  (void)f, (void)touch, (void)q, (void)p;
  for (int k = 0; k < 9; k++) d[k] = k % 4 == 0 ? 1.0 : 0.0;
}

static bool cut(const vvi_friction *f, double n, double t[2])
{
  (void)f, (void)n, (void)t;
  return false;
}

double vvi_law_no_shift(const vvi_friction *f, const double u[3])
{
  (void)f, (void)u;
  return 0.0;
}

bool vvi_law_no_slide(const vvi_friction *f, const double a[6], const double c[3], double tolerance, double j[3])
{
  (void)f, (void)a, (void)c, (void)tolerance, (void)j;
  return false;
}

static const vvi_friction_law joint = {"joint",          nearest,          slope, nearest, answer_slope, cut,
                                       vvi_law_no_shift, vvi_law_no_slide, NULL};

vvi_friction vvi_friction_joint(void)
{
  return (vvi_friction){.law = &joint};
}
