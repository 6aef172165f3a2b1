/* step/solids/gauss_seidel.c  Contacts one after the other, each solved as if it were alone.
 *
 * Normal first: j_n := max(0, j_n - u_n/a_nn).  Then the tangential part: if what stops the sliding, j_t - A_tt^-1 u_t, lies in
 * the disc of radius mu j_n, the contact sticks; else j_t := cut(j_t - u_t/lambda), lambda the largest eigenvalue of A_tt.  A
 * cut of the first trial would give friction that is not opposite to the sliding.                              [many 23] */
#include "math/math.h"
#include "step/solids/rest_work.h"

#include <string.h>

static inline double dot6(const double *restrict a, const double *restrict b)
{
  return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

/* Returns the largest change of a relative velocity that this contact made at itself. */
static inline double relax(vvi_rest_row *r, vvi_six *s)
{
  double *sa = s[r->side[0]], *sb = s[r->side[1]], u[3], d[3];
  for (int i = 0; i < 3; i++) u[i] = r->c[i] + (dot6(r->b[0][i], sa) + dot6(r->b[1][i], sb));
  const double n = fmax(r->j[0] - u[0] * r->inverse[0], 0.0);
  if (n == 0.0 && r->j[0] == 0.0) return 0.0;
  d[0] = n - r->j[0];
  u[1] += r->a[5] * d[0], u[2] += r->a[4] * d[0];
  double t1 = r->j[1] - (r->inverse[1] * u[1] + r->inverse[3] * u[2]);
  double t2 = r->j[2] - (r->inverse[3] * u[1] + r->inverse[2] * u[2]);
  const double limit = r->friction * n;
  if (t1 * t1 + t2 * t2 > limit * limit) {
    t1 = r->j[1] - u[1] * r->soft, t2 = r->j[2] - u[2] * r->soft;
    const double size = sqrt(t1 * t1 + t2 * t2);
    if (size > limit) t1 *= limit / size, t2 *= limit / size;
  }
  d[1] = t1 - r->j[1], d[2] = t2 - r->j[2];
  r->j[0] = n, r->j[1] = t1, r->j[2] = t2;
  for (int k = 0; k < 6; k++) {
    sa[k] += r->b[0][0][k] * d[0] + r->b[0][1][k] * d[1] + r->b[0][2][k] * d[2];
    sb[k] += r->b[1][0][k] * d[0] + r->b[1][1][k] * d[1] + r->b[1][2][k] * d[2];
  }
  return fmax(fabs(d[0]) * r->a[0], fmax(fabs(d[1]), fabs(d[2])) / r->soft);
}

VVI_HOT_LOCAL static double sweep(vvi_isle *isle, bool back)
{
  double change = 0.0;
  for (int32_t i = 0; i < isle->contacts; i++) {
    change = fmax(change, relax(&isle->row[back ? isle->contacts - 1 - i : i], isle->s));
  }
  return change;
}

VVI_HOT_LOCAL static void gather(vvi_isle *isle)
{
  memset(isle->s, 0, sizeof *isle->s * (size_t)(isle->movers + 1));
  for (int32_t i = 0; i < isle->contacts; i++) {
    const vvi_rest_row *r = &isle->row[i];
    for (int e = 0; e < 2; e++) {
      double *s = isle->s[r->side[e]];
      for (int k = 0; k < 6; k++) s[k] += r->b[e][0][k] * r->j[0] + r->b[e][1][k] * r->j[1] + r->b[e][2][k] * r->j[2];
    }
  }
}

void vvi_rest_gather(vvi_isle *isle)
{
  gather(isle);
}

int32_t vvi_gauss_seidel(vvi_isle *isle, int32_t most, double *change)
{
  int32_t n = 0;
  *change = INFINITY;
  vvi_rest_gather(isle);
  while (n<most && * change> isle->tolerance) *change = sweep(isle, n++ % 2 == 1);
  return n;
}
