/* step/solids/newton.c  All contacts of an island together: an augmented Lagrangian in the velocities, minimised by a
 * semismooth Newton method with a sparse factor.
 *
 * With the lift mu |u_t| added to the normal velocity Coulomb's law says that j and u + mu |u_t| n are orthogonal members of
 * the friction cone and of its dual [many 24].  For a lift held fixed that is a convex problem:
 *   phi(s) = |s|^2/2 + sum |P(j - K u)|^2/(2 K),    u = c + lift n + B s,    P: nearest point of the cone,      [many 25]
 *   gradient  s - B^T p,  p = P(j - K u),           matrix  H = 1 + B^T (K P') B.                              [many 26]
 * Then j := p, lift := mu |u_t|, and again.  Where nothing slides the lift is zero and the answer that of Coulomb; where
 * something slides a wrong lift costs energy and cannot bring any: E1 - E0 <= -sum j_n lift [many 27].
 *
 * The unknown is the difference to s0 = B^T j, so that p - j = -K u is small where j is good, and rounding stays that of s. */
#include "math/math.h"
#include "step/solids/rest_work.h"

#include <string.h>

/* kappa: K over the mean inverse mass of the contact; a pass that takes more than PATIENCE iterations is made softer, the
 * next after one that took no more than QUICK, or that gained little, is made stiffer. */
enum { SEARCH = 12, PATIENCE = 8, QUICK = 2 };
static const double KAPPA = 30.0, KAPPA_MOST = 1e10, STIFFER = 30.0;

enum { FREE, STICKS, SLIDES };

/* ---- the cone ---- */

/* p: the nearest point to q of the cone |p_t| <= mu p_n. */
static int nearest(double mu, const double q[3], double p[3])
{
  const double tau = sqrt(q[1] * q[1] + q[2] * q[2]);
  if (mu > 0.0 && tau <= mu * q[0]) {
    memcpy(p, q, 3 * sizeof *p);
    return STICKS;
  }
  if (q[0] < -mu * tau) {
    p[0] = p[1] = p[2] = 0.0;
    return FREE;
  }
  p[0] = (q[0] + mu * tau) / (1.0 + mu * mu);
  const double t = tau > 0.0 ? mu * p[0] / tau : 0.0;
  p[1] = t * q[1], p[2] = t * q[2];
  return SLIDES;
}

/* K P'(q): K e e^T + K (mu p_n/tau) (1 - d d^T) on the mantle, e its direction, d = q_t/tau.                  [many 28] */
static void slope(const vvi_rest_row *r, vvi_rest_trial *t, const double q[3])
{
  const double K = t->stiff, mu = r->friction;
  memset(t->d, 0, sizeof t->d);
  if (t->state == STICKS) t->d[0] = t->d[1] = t->d[2] = K;
  if (t->state != SLIDES) return;
  const double tau = sqrt(q[1] * q[1] + q[2] * q[2]), h = K / (1.0 + mu * mu);
  const double d1 = tau > 0.0 ? q[1] / tau : 1.0, d2 = tau > 0.0 ? q[2] / tau : 0.0;
  const double round = tau > 0.0 ? K * mu * t->p[0] / tau : 0.0, along = h * mu * mu;
  t->d[0] = h;
  t->d[1] = along * d1 * d1 + round * d2 * d2;
  t->d[2] = along * d2 * d2 + round * d1 * d1;
  t->d[3] = (along - round) * d1 * d2;
  t->d[4] = h * mu * d2;
  t->d[5] = h * mu * d1;
}

static void trial_impulse(const vvi_rest_row *r, const vvi_rest_trial *t, double alpha, double q[3])
{
  for (int i = 0; i < 3; i++) q[i] = r->j[i] - t->stiff * (t->u[i] + alpha * t->du[i]);
}

/* ---- sums over contacts ---- */

/* u = c + lift n + B s at s = B^T j; the step starts at zero. */
static void base(vvi_isle *isle)
{
  vvi_rest_gather(isle);
  memset(isle->step, 0, sizeof *isle->step * (size_t)(isle->movers + 1));
  for (int32_t i = 0; i < isle->contacts; i++) {
    const vvi_rest_row *r = &isle->row[i];
    vvi_rest_trial *t = &isle->trial[i];
    const double *sa = isle->s[r->side[0]], *sb = isle->s[r->side[1]];
    for (int k = 0; k < 3; k++) {
      double u = 0.0;
      for (int c = 0; c < 6; c++) u += r->b[0][k][c] * sa[c] + r->b[1][k][c] * sb[c];
      t->u[k] = r->c[k] + u;
    }
    t->u[0] += t->lift[0];
  }
}

/* p and its slope at u; way = minus the gradient = B^T (p - j) - step.  True: the matrix is another than before. */
static bool look(vvi_isle *isle)
{
  bool changed = false;
  for (int32_t m = 0; m <= isle->movers; m++) {
    for (int c = 0; c < 6; c++) isle->way[m][c] = -isle->step[m][c];
  }
  for (int32_t i = 0; i < isle->contacts; i++) {
    const vvi_rest_row *r = &isle->row[i];
    vvi_rest_trial *t = &isle->trial[i];
    double q[3];
    const int32_t before = t->state;
    t->du[0] = t->du[1] = t->du[2] = 0.0;
    trial_impulse(r, t, 0.0, q);
    t->state = nearest(r->friction, q, t->p);
    slope(r, t, q);
    changed |= t->state != before || t->state == SLIDES;
    for (int e = 0; e < 2; e++) {
      double *y = isle->way[r->side[e]];
      for (int c = 0; c < 6; c++) {
        for (int k = 0; k < 3; k++) y[c] += r->b[e][k][c] * (t->p[k] - r->j[k]);
      }
    }
  }
  return changed;
}

/* way = -B^T D u, the slopes held: what Newton's method would do if nothing changed its state.  New lifts and multipliers
 * start with this, for at their jump of K times a velocity the states say nothing. */
static void carry_on(vvi_isle *isle)
{
  memset(isle->way, 0, sizeof *isle->way * (size_t)(isle->movers + 1));
  for (int32_t i = 0; i < isle->contacts; i++) {
    const vvi_rest_row *r = &isle->row[i];
    const vvi_rest_trial *t = &isle->trial[i];
    const double *d = t->d, *u = t->u;
    const double f[3] = {d[0] * u[0] + d[5] * u[1] + d[4] * u[2], d[5] * u[0] + d[1] * u[1] + d[3] * u[2],
                         d[4] * u[0] + d[3] * u[1] + d[2] * u[2]};
    for (int e = 0; e < 2; e++) {
      double *y = isle->way[r->side[e]];
      for (int c = 0; c < 6; c++) y[c] -= r->b[e][0][c] * f[0] + r->b[e][1][c] * f[1] + r->b[e][2][c] * f[2];
    }
  }
}

/* Adds b[0]^T D b[1], by columns. */
static inline void join(const double b0[3][6], const double d[6], const double b1[3][6], double *restrict block)
{
  double y[3][6];
  for (int r = 0; r < 6; r++) {
    y[0][r] = d[0] * b0[0][r] + d[5] * b0[1][r] + d[4] * b0[2][r];
    y[1][r] = d[5] * b0[0][r] + d[1] * b0[1][r] + d[3] * b0[2][r];
    y[2][r] = d[4] * b0[0][r] + d[3] * b0[1][r] + d[2] * b0[2][r];
  }
  for (int c = 0; c < 6; c++) {
    for (int r = 0; r < 6; r++) block[6 * c + r] += y[0][r] * b1[0][c] + y[1][r] * b1[1][c] + y[2][r] * b1[2][c];
  }
}

VVI_HOT_LOCAL static void assemble(vvi_isle *isle)
{
  vvi_factor *f = &isle->factor;
  vvi_factor_clear(f);
  for (int32_t k = 0; k < f->n; k++) {
    for (int c = 0; c < 6; c++) f->diag[k][7 * c] = 1.0;
  }
  for (int32_t i = 0; i < isle->contacts; i++) {
    const vvi_rest_row *r = &isle->row[i];
    const vvi_rest_trial *t = &isle->trial[i];
    if (t->state == FREE) continue;
    for (int e = 0; e < 2; e++) {
      if (r->side[e] < isle->movers) join(r->b[e], t->d, r->b[e], f->diag[f->place[r->side[e]]]);
    }
    if (t->block >= 0) join(r->b[t->turned], t->d, r->b[!t->turned], f->below[t->block]);
  }
}

/* du = B way; returns the largest. */
static double direction(vvi_isle *isle)
{
  double most = 0.0;
  for (int32_t i = 0; i < isle->contacts; i++) {
    const vvi_rest_row *r = &isle->row[i];
    vvi_rest_trial *t = &isle->trial[i];
    const double *sa = isle->way[r->side[0]], *sb = isle->way[r->side[1]];
    for (int k = 0; k < 3; k++) {
      double u = 0.0;
      for (int c = 0; c < 6; c++) u += r->b[0][k][c] * sa[c] + r->b[1][k][c] * sb[c];
      t->du[k] = u;
      most = fmax(most, fabs(u));
    }
  }
  return most;
}

/* ---- the search along the direction ---- */

/* d phi/d alpha = ww alpha + sw - sum du.(p - j), with ww = way.way, sw = step.way. */
static double rise(const vvi_isle *isle, double ww, double sw, double alpha)
{
  double sum = ww * alpha + sw;
  for (int32_t i = 0; i < isle->contacts; i++) {
    const vvi_rest_row *r = &isle->row[i];
    const vvi_rest_trial *t = &isle->trial[i];
    double q[3], p[3];
    trial_impulse(r, t, alpha, q);
    nearest(r->friction, q, p);
    for (int k = 0; k < 3; k++) sum -= t->du[k] * (p[k] - r->j[k]);
  }
  return sum;
}

/* phi is convex: its slope along the way grows from a negative value.  The whole step unless it goes far beyond the least. */
static double length(const vvi_isle *isle)
{
  double ww = 0.0, sw = 0.0;
  for (int32_t m = 0; m < isle->movers; m++) {
    for (int c = 0; c < 6; c++) ww += isle->way[m][c] * isle->way[m][c], sw += isle->step[m][c] * isle->way[m][c];
  }
  const double at_zero = rise(isle, ww, sw, 0.0);
  double low = 0.0, high = 1.0, f_low = at_zero, f_high = rise(isle, ww, sw, 1.0), x = 1.0, f = f_high;
  if (!(at_zero < 0.0)) return 1.0; /* rounding */
  for (int k = 0; k < SEARCH && fabs(f) > 0.1 * -at_zero && (k > 0 || f > 0.0); k++) {
    x = (low * f_high - high * f_low) / (f_high - f_low);
    if (!(x > low && x < high)) x = 0.5 * (low + high);
    f = rise(isle, ww, sw, x);
    if (f > 0.0) {
      high = x, f_high = f, f_low *= 0.5;
    } else {
      low = x, f_low = f, f_high *= 0.5;
    }
  }
  return x;
}

static void advance(vvi_isle *isle, double alpha)
{
  for (int32_t m = 0; m < isle->movers; m++) {
    for (int c = 0; c < 6; c++) isle->step[m][c] += alpha * isle->way[m][c];
  }
  for (int32_t i = 0; i < isle->contacts; i++) {
    vvi_rest_trial *t = &isle->trial[i];
    for (int k = 0; k < 3; k++) t->u[k] += alpha * t->du[k];
  }
}

/* ---- multipliers ---- */

/* How far the answers are from the multipliers, as a velocity. */
static double distance(const vvi_isle *isle)
{
  double most = 0.0;
  for (int32_t i = 0; i < isle->contacts; i++) {
    const vvi_rest_row *r = &isle->row[i];
    const vvi_rest_trial *t = &isle->trial[i];
    for (int k = 0; k < 3; k++) most = fmax(most, fabs(t->p[k] - r->j[k]) / t->stiff);
  }
  return most;
}

/* Lifts are a fixed point of their own, lift = g(lift), where g contracts about as mu^2.  Of the last passes the combination is
 * taken whose misses g - lift, combined likewise, are smallest (Anderson).                                     [many 33]
 * weight[i]: of the difference to the pass i + 1 before; from the normal equations, without pivots, for they are symmetric
 * and positive up to rounding; a pass that adds nothing new gets no weight. */
static void mix(const vvi_isle *isle, int passes, double weight[VVI_LIFTS])
{
  double a[VVI_LIFTS][VVI_LIFTS + 1] = {{0}};
  for (int32_t i = 0; i < isle->contacts; i++) {
    const double *miss = isle->trial[i].miss;
    for (int r = 0; r < passes; r++) {
      const double dr = miss[0] - miss[r + 1];
      for (int c = 0; c < passes; c++) a[r][c] += dr * (miss[0] - miss[c + 1]);
      a[r][VVI_LIFTS] += dr * miss[0];
    }
  }
  double least[VVI_LIFTS];
  for (int r = 0; r < passes; r++) least[r] = 1e-12 * a[r][r];
  for (int k = 0; k < passes; k++) {
    for (int r = k + 1; r < passes && a[k][k] > least[k]; r++) {
      const double f = a[r][k] / a[k][k];
      for (int c = k; c <= VVI_LIFTS; c++) a[r][c] -= f * a[k][c];
    }
  }
  for (int k = passes - 1; k >= 0; k--) {
    double x = a[k][VVI_LIFTS];
    for (int c = k + 1; c < passes; c++) x -= a[k][c] * weight[c];
    weight[k] = a[k][k] > least[k] ? x / a[k][k] : 0.0;
  }
}

/* j := p and new lifts; passes: how many came before and count.  Returns how far the largest lift was off. */
static double accept(vvi_isle *isle, int passes)
{
  double most = 0.0, weight[VVI_LIFTS];
  for (int32_t i = 0; i < isle->contacts; i++) {
    vvi_rest_row *r = &isle->row[i];
    vvi_rest_trial *t = &isle->trial[i];
    memcpy(r->j, t->p, sizeof r->j);
    memmove(t->miss + 1, t->miss, sizeof *t->miss * VVI_LIFTS);
    t->miss[0] = r->friction * sqrt(t->u[1] * t->u[1] + t->u[2] * t->u[2]) - t->lift[0];
    most = fmax(most, fabs(t->miss[0]));
  }
  mix(isle, passes, weight);
  for (int32_t i = 0; i < isle->contacts; i++) {
    vvi_rest_trial *t = &isle->trial[i];
    const double now = t->lift[0] + t->miss[0];
    double next = now;
    for (int k = 0; k < passes; k++) next -= weight[k] * (now - (t->lift[k + 1] + t->miss[k + 1]));
    memmove(t->lift + 1, t->lift, sizeof *t->lift * VVI_LIFTS);
    t->lift[0] = fmax(next, 0.0);
  }
  return most;
}

static void begin(vvi_isle *isle)
{
  for (int32_t i = 0; i < isle->contacts; i++) {
    const vvi_rest_row *r = &isle->row[i];
    vvi_rest_trial *t = &isle->trial[i];
    t->stiff = KAPPA * 3.0 / (r->a[0] + r->a[1] + r->a[2]);
    memset(t->lift, 0, sizeof t->lift);
    memset(t->miss, 0, sizeof t->miss);
    t->state = -1;
  }
}

/* First lifts: where the impulses given slide faster than the loads of a step can start or stop, and where they are zero and
 * nothing approaches. */
static void lift_off(vvi_isle *isle)
{
  for (int32_t i = 0; i < isle->contacts; i++) {
    const vvi_rest_row *r = &isle->row[i];
    vvi_rest_trial *t = &isle->trial[i];
    const double rub = sqrt(r->j[1] * r->j[1] + r->j[2] * r->j[2]);
    const double slip = sqrt(t->u[1] * t->u[1] + t->u[2] * t->u[2]);
    const bool slides = slip > isle->load && rub > 0.0 && rub >= 0.999 * r->friction * r->j[0];
    if (slides || (r->j[0] == 0.0 && t->u[0] > 0.0)) t->lift[0] = r->friction * slip;
    t->u[0] += t->lift[0];
  }
}

static void stiffen(vvi_isle *isle, double times)
{
  for (int32_t i = 0; i < isle->contacts; i++) {
    isle->trial[i].stiff *= times;
    for (int k = 0; k < 6; k++) isle->trial[i].d[k] *= times;
  }
}

/* A pass is over when its last step was small against what multipliers and lifts lack, or whole with nothing changed by it. */
int32_t vvi_rest_newton(vvi_isle *isle, int32_t most, bool *done)
{
  double kappa = KAPPA, ceiling = KAPPA_MOST, last = INFINITY, lifted = 0.0, moved = INFINITY, alpha = 0.0;
  bool stale = true; /* the factor */
  int32_t n = 0, since = 0, passes = 0;
  *done = false;
  begin(isle);
  base(isle);
  lift_off(isle);
  for (;;) {
    const bool changed = look(isle);
    const double off = distance(isle);
    const bool pass =
        (alpha > 0.5 && moved <= 0.1 * fmax(fmax(off, 0.1 * lifted), isle->tolerance)) || (!changed && alpha == 1.0);
    double times = 1.0;
    if (pass) {
      lifted = accept(isle, passes);
      passes = passes < VVI_LIFTS ? passes + 1 : VVI_LIFTS;
      base(isle);
      *done = off <= isle->tolerance && lifted <= isle->tolerance;
      if (*done) return n;
      if ((off > 0.25 * last || since <= QUICK) && off > fmax(1e-3 * lifted, isle->tolerance) && kappa < ceiling)
        times = STIFFER;
      last = off, since = 0;
    } else if (since > PATIENCE && kappa >= KAPPA) {
      times = 1.0 / STIFFER, ceiling = kappa / STIFFER, since = 0;
    }
    if (n == most) return n;
    stale |= changed || times != 1.0;
    kappa *= times;
    if (times != 1.0) stiffen(isle, times);
    if (pass) {
      carry_on(isle);
    } else if (times != 1.0) {
      look(isle);
    }
    if (stale) {
      assemble(isle);
      if (!vvi_factor_make(&isle->factor)) return n;
      stale = false;
    }
    vvi_factor_solve(&isle->factor, isle->way[0], isle->way[0], isle->scratch[0]);
    moved = direction(isle);
    alpha = pass ? 1.0 : length(isle);
    advance(isle, alpha);
    n++, since++;
  }
}
