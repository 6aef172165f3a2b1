/* contact/island/island.c  From warm impulses to the answer: one contact alone, the look at what is given, and the choice of
 * a method. */
#include "contact/island/island.h"

#include "contact/island/work.h"

#include <string.h>

/* Contacts that are swept to the end, sweeps for them; iterations of Newton's method; of one contact in place. */
enum { FEW = 3, SWEEPS_FEW = 60, NEWTON = 100, ALONE = 400 };
enum { GRADIENT = 1000 }; /* iterations of that method */
/* Solves with new limits of what resists rolling; they contract by the part of j_n that such moments make. */
enum { ROLLS = 20 };

/* ---- legs ---- */

/* y = M^-1 (force, moment)^T j of one leg; returns j.A j of it. */
static inline double answer_of(const vvi_leg *leg, const double a[12], const double j[3], double y[6])
{
  double f[3], g[3], sum = 0.0;
  for (int c = 0; c < 3; c++) f[c] = leg->force[0][c] * j[0] + leg->force[1][c] * j[1] + leg->force[2][c] * j[2];
  vvi_times6(a, f, y);
  sum = vvi_dot3(f, y);
  if (a[6] + a[7] + a[8] > 0.0) {
    for (int c = 0; c < 3; c++) g[c] = leg->moment[0][c] * j[0] + leg->moment[1][c] * j[1] + leg->moment[2][c] * j[2];
    vvi_times6(a + 6, g, y + 3);
    sum += vvi_dot3(g, y + 3);
  } else {
    y[3] = y[4] = y[5] = 0.0;
  }
  return sum;
}

/* u += G change */
static inline void see(const vvi_island_problem *p, const vvi_island_contact *c, double u[3])
{
  for (int32_t e = c->first; e < c->first + c->legs; e++) {
    const vvi_leg *leg = &p->leg[e];
    const double *v = p->change[leg->mover];
    for (int k = 0; k < 3; k++) u[k] += vvi_dot3(leg->force[k], v) + vvi_dot3(leg->moment[k], v + 3);
  }
}

/* ---- the look ---- */

double vvi_law_residual(const vvi_friction *f, double mean, const double j[3], const double u[3])
{
  double p[3];
  const double q[3] = {j[0] - u[0] / mean, j[1] - u[1] / mean, j[2] - u[2] / mean};
  f->law->answer(f, q, p);
  return mean * fmax(fabs(j[0] - p[0]), fmax(fabs(j[1] - p[1]), fabs(j[2] - p[2])));
}

/* Impulses whose square is zero are none. */
static inline bool acts(const vvi_island_contact *c)
{
  return vvi_dot3(c->j, c->j) > 0.0;
}

/* change = M^-1 G^T J, and A of each contact along its impulse; returns the largest A |J|. */
VVI_HOT_LOCAL static double deliver(vvi_island_work *w, const vvi_island_problem *p)
{
  double most = 0.0;
  memset(p->change, 0, sizeof *p->change * (size_t)p->movers);
  for (int32_t i = 0; i < p->contacts; i++) {
    const vvi_island_contact *c = &p->contact[i];
    if (!acts(c)) continue;
    double sum = 0.0, y[6];
    for (int32_t e = c->first; e < c->first + c->legs; e++) {
      const vvi_leg *leg = &p->leg[e];
      double *v = p->change[leg->mover];
      sum += answer_of(leg, p->inverse[leg->mover], c->j, y);
      for (int k = 0; k < 6; k++) v[k] += y[k];
    }
    const double size = vvi_dot3(c->j, c->j);
    w->mean[i] = sum / size;
    most = fmax(most, sum / sqrt(size));
  }
  return most;
}

/* U+ of all contacts, and how far they are from the law; ends early where that is more than `most`.  Impulses that move
 * nothing are no answer: they are taken off, and what closes there is left over. */
static VVI_INLINE double look_at(const vvi_island_work *w, const vvi_island_problem *p, int32_t i, vvi_island_left *l)
{
  vvi_island_contact *c = &p->contact[i];
  double off = 0.0;
  memcpy(c->after, c->free, sizeof c->after);
  see(p, c, c->after);
  const double u[3] = {c->after[0] - c->b[0], c->after[1] - c->b[1], c->after[2] - c->b[2]};
  l->fastest = fmax(l->fastest, vvi_speed_of(u, c->b[0]));
  if (acts(c) && !(w->mean[i] > 0.0)) memset(c->j, 0, sizeof c->j);
  if (c->rolls > 0.0 && !acts(c)) return c->limit > 0.0 ? fmax(fabs(u[1]), fabs(u[2])) : 0.0;
  if (c->rows > 0 && c->rolls == 0.0) {
    for (int k = 0; k < c->rows; k++) off = fmax(off, fabs(u[k]));
    return off;
  }
  if (!acts(c)) return fmax(0.0, -u[0]);
  const vvi_friction f = vvi_friction_of(c);
  return vvi_law_residual(&f, w->mean[i], c->j, u);
}

static inline double strict_of(const vvi_island_contact *c)
{
  return c->strict > 0.0 ? c->strict : 1.0;
}

VVI_HOT_LOCAL static void look(const vvi_island_work *w, const vvi_island_problem *p, double most, vvi_island_left *l)
{
  *l = (vvi_island_left){0};
  for (int32_t i = 0; i < p->contacts && (l->most <= most || l->strict <= p->loose); i++)
    vvi_left_add(l, look_at(w, p, i, l), strict_of(&p->contact[i]));
}

/* [island 5] */
static double tolerance(const vvi_island_problem *p, double largest)
{
  return fmax(1e-13 * p->speed, 4e-15 * largest);
}

/* ---- one contact alone ---- */

/* Own block of a contact, row by row: what unit impulses do to its movers, seen by it.  A mover may come twice. */
static void block_of(const vvi_island_problem *p, const vvi_island_contact *c, int rows, double a[6])
{
  double full[3][3] = {{0}};
  for (int k = 0; k < rows; k++) {
    const double j[3] = {k == 0, k == 1, k == 2};
    double y[6];
    for (int32_t e = c->first; e < c->first + c->legs; e++) memset(p->change[p->leg[e].mover], 0, sizeof *p->change);
    for (int32_t e = c->first; e < c->first + c->legs; e++) {
      double *v = p->change[p->leg[e].mover];
      answer_of(&p->leg[e], p->inverse[p->leg[e].mover], j, y);
      for (int i = 0; i < 6; i++) v[i] += y[i];
    }
    see(p, c, full[k]);
  }
  a[0] = full[0][0], a[1] = full[1][1], a[2] = full[2][2], a[3] = full[1][2], a[4] = full[0][2], a[5] = full[0][1];
}

/* Solves A j = -c; false: A is as good as singular. */
static bool solve3(const double a[6], const double c[3], double j[3])
{
  const double m0 = a[1] * a[2] - a[3] * a[3], m1 = a[3] * a[4] - a[5] * a[2], m2 = a[5] * a[3] - a[1] * a[4];
  const double det = a[0] * m0 + a[5] * m1 + a[4] * m2, mean = (a[0] + a[1] + a[2]) / 3.0;
  if (!(det > 1e-12 * mean * mean * mean)) return false;
  const double inverse[6] = {m0, a[0] * a[2] - a[4] * a[4], a[0] * a[1] - a[5] * a[5], a[5] * a[4] - a[0] * a[3], m2,
                             m1};
  vvi_times6(inverse, c, j);
  for (int k = 0; k < 3; k++) j[k] /= -det;
  return true;
}

/* Sweeps of one contact in place, where neither sticking nor sliding was found in closed form. */
static void relax(const vvi_friction *f, const double a[6], const double c[3], double tol, double j[3])
{
  const double det = a[1] * a[2] - a[3] * a[3], half = 0.5 * (a[1] - a[2]);
  const double most = 0.5 * (a[1] + a[2]) + sqrt(half * half + a[3] * a[3]);
  double change = INFINITY;
  for (int n = 0; n < ALONE && change > 0.1 * tol; n++) {
    const double before[3] = {j[0], j[1], j[2]};
    double u[3];
    vvi_times6(a, j, u);
    j[0] = fmax(j[0] - (c[0] + u[0]) / a[0], 0.0);
    vvi_times6(a, j, u);
    const double u1 = c[1] + u[1], u2 = c[2] + u[2];
    const bool flat = !(det > 1e-14 * most * most);
    if (!flat) j[1] -= (a[2] * u1 - a[3] * u2) / det, j[2] -= (a[1] * u2 - a[3] * u1) / det;
    if ((flat || f->law->cut(f, j[0], j + 1)) && most > 0.0) {
      j[1] = before[1] - u1 / most, j[2] = before[2] - u2 / most;
      f->law->cut(f, j[0], j + 1);
    }
    change = fmax(fabs(j[0] - before[0]) * a[0], fmax(fabs(j[1] - before[1]), fabs(j[2] - before[2])) * most);
  }
}

static void alone(const vvi_island_problem *p, vvi_island_contact *c)
{
  const vvi_friction f = vvi_friction_of(c);
  const double u[3] = {c->free[0] - c->b[0], c->free[1] - c->b[1], c->free[2] - c->b[2]};
  double a[6], j[3] = {0, 0, 0};
  if (u[0] < 0.0) {
    block_of(p, c, f.mu > 0.0 ? 3 : 1, a);
    if (a[0] > 0.0) {
      j[0] = -u[0] / a[0];
      if (f.mu > 0.0) {
        const double tol = fmax(0.5e-13 * p->speed, -2e-15 * u[0]);
        double stick[3] = {0, 0, 0};
        const bool regular = solve3(a, u, stick);
        if (regular && stick[0] > 0.0 && !f.law->cut(&f, stick[0], stick + 1)) {
          memcpy(j, stick, sizeof j);
        } else if (!f.law->slide(&f, a, u, tol, j)) {
          relax(&f, a, u, tol, j);
        }
      }
    }
  }
  memcpy(c->j, j, sizeof j);
}

/* ---- all ---- */

static void take_answer(const vvi_island_work *w, vvi_island_problem *p)
{
  for (int32_t i = 0; i < p->contacts; i++) memset(p->contact[i].j, 0, sizeof p->contact[i].j);
  for (int32_t i = 0; i < w->rows; i++) memcpy(p->contact[w->row[i].contact].j, w->row[i].j, sizeof w->row[i].j);
}

static double check(vvi_island_work *w, vvi_island_problem *p, vvi_island_stats *stats)
{
  const double tol = tolerance(p, deliver(w, p));
  vvi_island_left left;
  look(w, p, INFINITY, &left);
  stats->residual = left.most;
  stats->accepted |= vvi_left_loose(&left, p->loose, p->slow);
  return tol;
}

/* All contacts; false: out of memory. */
static bool together(vvi_island_work *w, vvi_island_problem *p, int threads, vvi_island_stats *stats)
{
  double change;
  if (!vvi_island_fill(w, p)) return false;
  w->best = INFINITY;
  if (p->slow > 0.0 && p->loose > 0.0 && p->contacts > FEW) {
    stats->sweeps += vvi_island_sweep_loose(w, &stats->accepted);
    if (stats->accepted) {
      take_answer(w, p);
      check(w, p, stats);
      return true;
    }
  }
  if (p->contacts <= FEW) {
    stats->sweeps = vvi_island_sweep(w, SWEEPS_FEW, &change);
    take_answer(w, p);
    stats->converged = check(w, p, stats) >= stats->residual;
    if (stats->converged || stats->accepted) return true;
  }
  const int32_t most = p->newton > 0 ? p->newton : NEWTON;
  if (w->movers < VVI_HUGE) stats->newton += vvi_island_newton(w, most, &stats->converged, &stats->accepted);
  if (p->newton == 0 && !stats->converged && !stats->accepted && !(w->best <= 1e3 * p->loose))
    stats->gradient = vvi_island_gradient(w, GRADIENT, threads, &stats->converged, &stats->accepted);
  take_answer(w, p);
  const double tol = check(w, p, stats);
  stats->accepted &= w->stuck <= p->loose;
  stats->converged = (stats->converged && w->stuck <= tol) || stats->residual <= tol;
  return true;
}

static bool solve(vvi_island_work *w, vvi_island_problem *p, int threads, vvi_island_stats *stats)
{
  if (p->contacts == 1) {
    alone(p, &p->contact[0]);
    stats->converged = check(w, p, stats) >= stats->residual;
    return true;
  }
  for (int32_t i = 0; i < p->contacts; i++) {
    vvi_island_contact *c = &p->contact[i];
    if (!(c->friction > 0.0) && c->rows == 0) c->j[1] = c->j[2] = 0.0;
  }
  vvi_island_left left;
  const double tol = tolerance(p, deliver(w, p));
  look(w, p, tol, &left);
  stats->residual = left.most;
  stats->converged = stats->residual <= tol;
  stats->accepted = vvi_left_loose(&left, p->loose, p->slow);
  stats->warm = stats->converged || stats->accepted;
  if (stats->warm) return true;
  return together(w, p, threads, stats);
}

/* Does it slide, by more than what the solve left, with all the friction it has?  The rest of the law is the cone's. */
static bool slips(const vvi_island_contact *c, double slow)
{
  const vvi_friction f = vvi_friction_of(c);
  const double u[2] = {c->after[1] - c->b[1], c->after[2] - c->b[2]}, most = f.mu * c->j[0];
  return u[0] * u[0] + u[1] * u[1] > slow * slow && c->j[1] * c->j[1] + c->j[2] * c->j[2] > 0.99 * most * most;
}

/* Contacts that held and slide in the answer let go; true: some did.                                            [island 15] */
static bool let_go(const vvi_island_problem *p, double slow)
{
  bool any = false;
  for (int32_t i = 0; i < p->contacts; i++) {
    vvi_island_contact *c = &p->contact[i];
    vvi_friction f = vvi_friction_of(c);
    if (f.law->lets_go == NULL || c->slides || !slips(c, slow) || !f.law->lets_go(&f)) continue;
    c->slides = any = true;
  }
  return any;
}

/* Rows that resist rolling get the normal impulses of their contacts; true: some are others than before.        [island 17] */
static bool roll_on(const vvi_island_problem *p)
{
  bool any = false;
  for (int32_t i = 0; i < p->contacts; i++) {
    vvi_island_contact *c = &p->contact[i];
    const double limit = c->rolls > 0.0 ? c->rolls * fmax(p->contact[c->mate].j[0], 0.0) : 0.0;
    any |= fabs(limit - c->limit) > 1e-13 * limit;
    c->limit = limit;
  }
  return any;
}

static bool is_number(const vvi_island_problem *p)
{
  double sum = 0.0;
  for (int32_t i = 0; i < p->contacts; i++) {
    const vvi_island_contact *c = &p->contact[i];
    for (int k = 0; k < 3; k++) sum += fabs(c->j[k]) + fabs(c->after[k]);
  }
  return isfinite(sum);
}

bool vvi_island_solve(vvi_island_work *w, vvi_island_problem *p, int threads, vvi_island_stats *stats)
{
  vvi_island_stats sum = {0};
  int rolls = 0;
  double slow;
  if (!vvi_island_room(w, p)) return false;
  roll_on(p);
  do {
    *stats = (vvi_island_stats){.newton = sum.newton, .sweeps = sum.sweeps, .gradient = sum.gradient};
    sum = (vvi_island_stats){0};
    if (!solve(w, p, threads, &sum)) return false;
    sum.newton += stats->newton, sum.sweeps += stats->sweeps, sum.gradient += stats->gradient;
    *stats = sum;
    slow = fmax(1e-12 * p->speed, 10.0 * stats->residual);
  } while (let_go(p, slow) || (roll_on(p) && rolls++ < ROLLS));
  for (int32_t i = 0; i < p->contacts; i++) {
    vvi_island_contact *c = &p->contact[i];
    if (c->kinetic > 0.0) c->slides = slips(c, slow);
  }
  return is_number(p);
}
