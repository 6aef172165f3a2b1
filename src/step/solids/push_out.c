/* step/solids/push_out.c  Overlaps of an island taken out, paid by what the island lost in the same step.
 *
 * A displacement x = M^-1 G_n^T l of all movers, with l found contact by contact:
 *   0 <= l  _|_  n.x - want >= 0,   want = share (-gap - slop) where they overlap more than slop, else -max(gap, 0).  [many 32]
 * It lifts weights: -f.x of the loads f.  The whole displacement is shortened until that is no more than the energy that the
 * island lost in this step, so that the step as a whole brings none. */
#include "math/math.h"
#include "step/solids/rest_work.h"

#include <string.h>

enum { SWEEPS = 20 };

static double want(const vvi_rest_contact *c, double slop, double share)
{
  return c->gap < -slop ? share * (-c->gap - slop) : -fmax(c->gap, 0.0);
}

static void relax(vvi_rest_row *r, double target, double *l, vvi_six *s)
{
  double *sa = s[r->side[0]], *sb = s[r->side[1]], y = -target;
  for (int k = 0; k < 6; k++) y += r->b[0][0][k] * sa[k] + r->b[1][0][k] * sb[k];
  const double next = fmax(*l - y * r->inverse[0], 0.0), d = next - *l;
  *l = next;
  for (int k = 0; k < 6; k++) sa[k] += r->b[0][0][k] * d, sb[k] += r->b[1][0][k] * d;
}

/* y = l x, l lower. */
static void root_times(const double l[6], const double x[3], double y[3])
{
  y[0] = l[0] * x[0];
  y[1] = l[1] * x[0] + l[2] * x[1];
  y[2] = l[3] * x[0] + l[4] * x[1] + l[5] * x[2];
}

static void push(vvi_rest_work *w, const vvi_rest_problem *p, int32_t k, double slop, double share, double *shift)
{
  const int32_t c0 = w->first_contact[k], c1 = w->first_contact[k + 1], m0 = w->first_mover[k],
                m1 = w->first_mover[k + 1];
  vvi_six *s = w->s + m0 + k;
  bool any = false;
  for (int32_t i = c0; i < c1; i++) any |= p->contact[w->contact[i]].gap < -slop, w->trial[i].lift[0] = 0.0;
  if (!any) return;
  memset(s, 0, sizeof *s * (size_t)(m1 - m0 + 1));
  for (int n = 0; n < SWEEPS; n++) {
    for (int32_t i = c0; i < c1; i++) {
      relax(&w->row[i], want(&p->contact[w->contact[i]], slop, share), &w->trial[i].lift[0], s);
    }
  }
  double lifted = 0.0;
  for (int32_t i = m0; i < m1; i++) {
    const int32_t m = w->mover[i];
    double *x = shift + 6 * m;
    root_times(w->root[m], s[i - m0], x);
    root_times(w->root[m] + 6, s[i - m0] + 3, x + 3);
    for (int c = 0; c < 6; c++) lifted -= p->pushed[6 * m + c] * x[c];
  }
  lifted /= p->dt;
  const double factor = lifted > w->end[k].spent ? w->end[k].spent / lifted : 1.0;
  for (int32_t i = m0; i < m1; i++) {
    for (int c = 0; c < 6; c++) shift[6 * w->mover[i] + c] *= factor;
  }
}

void vvi_rest_push_out(vvi_rest_work *w, const vvi_rest_problem *p, double slop, double share, double *shift)
{
  memset(shift, 0, sizeof *shift * 6 * (size_t)p->movers);
  for (int32_t k = 0; k < w->islands; k++) {
    if (w->end[k].leans && w->end[k].spent > 0.0) push(w, p, k, slop, share, shift);
  }
}
