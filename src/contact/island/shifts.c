/* contact/island/shifts.c  Cone shifts mu |u_t| n, with which the law of friction becomes a complementarity on cones.
 *
 * Shifts are a fixed point of their own, shift = g(shift), where g contracts about as mu^2.  Of the last passes the combination
 * is taken whose misses g - shift, combined likewise, are smallest (Anderson).                                 [island 11] */
#include "contact/island/work.h"

#include <string.h>

void vvi_shift_forget(vvi_island_work *w)
{
  for (int32_t i = 0; i < w->rows; i++) {
    memset(w->trial[i].shift, 0, sizeof w->trial[i].shift);
    memset(w->trial[i].miss, 0, sizeof w->trial[i].miss);
  }
}

/* weight[i]: of the difference to the pass i + 1 before; from the normal equations, without pivots, for they are symmetric
 * and positive up to rounding; a pass that adds nothing new gets no weight. */
static void mix(const vvi_island_work *w, int passes, double weight[VVI_SHIFTS])
{
  double a[VVI_SHIFTS][VVI_SHIFTS + 1] = {{0}}, least[VVI_SHIFTS];
  for (int32_t i = 0; i < w->rows; i++) {
    const double *miss = w->trial[i].miss;
    for (int r = 0; r < passes; r++) {
      const double dr = miss[0] - miss[r + 1];
      for (int c = 0; c < passes; c++) a[r][c] += dr * (miss[0] - miss[c + 1]);
      a[r][VVI_SHIFTS] += dr * miss[0];
    }
  }
  for (int r = 0; r < passes; r++) least[r] = 1e-12 * a[r][r];
  for (int k = 0; k < passes; k++) {
    for (int r = k + 1; r < passes && a[k][k] > least[k]; r++) {
      const double f = a[r][k] / a[k][k];
      for (int c = k; c <= VVI_SHIFTS; c++) a[r][c] -= f * a[k][c];
    }
  }
  for (int k = passes - 1; k >= 0; k--) {
    double x = a[k][VVI_SHIFTS];
    for (int c = k + 1; c < passes; c++) x -= a[k][c] * weight[c];
    weight[k] = a[k][k] > least[k] ? x / a[k][k] : 0.0;
  }
}

double vvi_shift_renew(vvi_island_work *w, int passes)
{
  double most = 0.0, weight[VVI_SHIFTS];
  for (int32_t i = 0; i < w->rows; i++) {
    const vvi_friction *f = &w->row[i].friction;
    vvi_island_trial *t = &w->trial[i];
    memmove(t->miss + 1, t->miss, sizeof *t->miss * VVI_SHIFTS);
    t->miss[0] = f->law->shift(f, t->u) - t->shift[0];
    most = fmax(most, fabs(t->miss[0]));
  }
  if (!w->rubs) return 0.0;
  mix(w, passes, weight);
  for (int32_t i = 0; i < w->rows; i++) {
    vvi_island_trial *t = &w->trial[i];
    const double now = t->shift[0] + t->miss[0];
    double next = now;
    for (int k = 0; k < passes; k++) next -= weight[k] * (now - (t->shift[k + 1] + t->miss[k + 1]));
    memmove(t->shift + 1, t->shift, sizeof *t->shift * VVI_SHIFTS);
    t->shift[0] = fmax(next, 0.0);
  }
  return most;
}
