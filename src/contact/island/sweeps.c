/* contact/island/sweeps.c  Contacts one after the other, each solved as if it were alone.
 *
 * Normal first: j_n := max(0, j_n - u_n/a_nn).  Then the tangential part: if what stops the sliding, j_t - A_tt^-1 u_t, is
 * allowed beside j_n, the contact sticks; else j_t := cut(j_t - u_t/lambda), lambda the largest eigenvalue of A_tt.  A cut of
 * the first trial would give friction that is not opposite to the sliding.                                     [island 7] */
#include "contact/island/work.h"

/* Of what moves: sweeps before the first look, and between the last two.  30 stored islands of a heap that moves, of 3,500
 * contacts each, take 1.9 s with Newton's method from the 24th sweep on, 1.4 s with LAST = 128 or 256, 1.8 s with 512. */
enum { FIRST = 8, LAST = 128 };

/* Most laws only choose mu: no call for Coulomb's cone. */
static VVI_INLINE bool cut(const vvi_friction_law *law, const vvi_friction *f, double n, double t[2])
{
  return law->cut == vvi_cone_cut ? vvi_cone_cut_inline(f, n, t) : law->cut(f, n, t);
}

/* Does one without an impulse part?  Its normal row tells. */
static VVI_INLINE bool opens(const vvi_island_work *w, const vvi_island_row *r)
{
  double u[3] = {r->c[0]};
  for (int32_t e = r->first; e < r->first + r->parts; e++) {
    const double *b = w->b + w->part[e].b, *s = w->s + w->at[w->part[e].mover];
    w->dim[w->part[e].mover] == 6 ? vvi_part_see_(1, 6, b, s, u) : vvi_part_see_(1, 3, b, s, u);
  }
  return u[0] >= 0.0;
}

/* Returns the largest change of a relative velocity that this contact made at itself. */
static VVI_INLINE double relax(const vvi_island_work *w, vvi_island_row *r)
{
  double u[3] = {r->c[0], r->c[1], r->c[2]}, d[3] = {0, 0, 0};
  if (r->j[0] == 0.0 && !r->pulls && opens(w, r)) return 0.0;
  vvi_row_see(w, r, w->s, u);
  const double to = r->j[0] - u[0] * r->inverse[0], n = r->pulls ? to : vvi_larger(to, 0.0);
  d[0] = n - r->j[0];
  double change = fabs(d[0]) * r->a[0];
  if (r->rows == 3) {
    u[1] += r->a[5] * d[0], u[2] += r->a[4] * d[0];
    const vvi_friction_law *law = r->friction.law;
    double t[2] = {r->j[1] - (r->inverse[1] * u[1] + r->inverse[3] * u[2]),
                   r->j[2] - (r->inverse[3] * u[1] + r->inverse[2] * u[2])};
    if (cut(law, &r->friction, n, t)) {
      t[0] = r->j[1] - u[1] * r->soft, t[1] = r->j[2] - u[2] * r->soft;
      cut(law, &r->friction, n, t);
    }
    d[1] = t[0] - r->j[1], d[2] = t[1] - r->j[2];
    r->j[1] = t[0], r->j[2] = t[1];
    if (r->soft > 0.0) change = vvi_larger(vvi_larger(fabs(d[1]), fabs(d[2])) / r->soft, change);
  }
  r->j[0] = n;
  vvi_row_push(w, r, d, w->s);
  return change;
}

VVI_HOT_LOCAL static double sweep(vvi_island_work *w, bool back)
{
  double change = 0.0;
  for (int32_t i = 0; i < w->rows; i++) change = vvi_larger(relax(w, &w->row[back ? w->rows - 1 - i : i]), change);
  return change;
}

/* How far the impulses are from the law, with s as the last sweep left it. */
VVI_HOT_LOCAL static vvi_island_left left_over(const vvi_island_work *w)
{
  vvi_island_left l = {0};
  for (int32_t i = 0; i < w->rows; i++) {
    const vvi_island_row *r = &w->row[i];
    double u[3] = {r->c[0], r->c[1], r->c[2]};
    vvi_row_see(w, r, w->s, u);
    l.fastest = vvi_larger(vvi_speed_of(u, r->asked), l.fastest);
    vvi_left_add(&l, vvi_law_residual(&r->friction, r->mean, r->j, u), r->strict);
  }
  return l;
}

/* A look costs what a sweep does: twice as many sweeps before each as before the last.  Of impulses
 * that are no better than those given these stay. */
int32_t vvi_island_sweep_loose(vvi_island_work *w, bool *accepted)
{
  int32_t n = 0;
  *accepted = false;
  vvi_island_gather(w);
  w->best = INFINITY;
  vvi_newton_keep(w, left_over(w).most);
  for (int32_t some = FIRST; some <= LAST && !*accepted; some *= 2) {
    for (int32_t k = 0; k < some; k++) sweep(w, n++ % 2 == 1);
    const vvi_island_left left = left_over(w);
    *accepted = vvi_left_loose(&left, w->loose, w->slow);
    vvi_newton_keep(w, left.most);
  }
  if (!*accepted && w->best < INFINITY) vvi_newton_best(w);
  return n;
}

int32_t vvi_island_sweep(vvi_island_work *w, int32_t most, double *change)
{
  int32_t n = 0;
  *change = INFINITY;
  vvi_island_gather(w);
  while (n<most && * change> vvi_island_tolerance(w)) *change = sweep(w, n++ % 2 == 1);
  return n;
}
