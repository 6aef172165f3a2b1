/* contact/island/newton.c  All contacts of an island together: an augmented Lagrangian in the velocities, minimised by a
 * semismooth Newton method with a sparse factor.
 *
 * With the cone shift mu |u_t| added to the normal velocity Coulomb's law says that j and u + mu |u_t| n are orthogonal members
 * of the friction cone and of its dual [island 2].  For a shift held fixed that is a convex problem:
 *   phi(s) = |s|^2/2 + sum |P(j - K u)|^2/(2 K),    u = c + shift n + B s,    P: nearest point of the cone,     [island 8]
 *   gradient  s - B^T p,  p = P(j - K u),           matrix  H = 1 + B^T (K P') B.                              [island 9]
 * Then j := p, shift := mu |u_t|, and again.  Where nothing slides the shift is zero and the answer that of Coulomb.
 *
 * The unknown is the difference to s0 = B^T j, so that p - j = -K u is small where j is good, and rounding stays that of s. */
#include "contact/island/work.h"

#include <string.h>

/* kappa: K over the mean inverse mass of the contact; a pass that takes more than PATIENCE iterations is made softer, the
 * next after one that took no more than QUICK, or that gained little, is made stiffer. */
enum { SEARCH = 12, PATIENCE = 8, QUICK = 2, SMOOTH = 10, SMOOTH_MANY = 20, FIRST = 50 };
static const double KAPPA = 30.0, KAPPA_MOST = 1e10, STIFFER = 30.0;
enum { SHIFTS = 12 }; /* passes after which an island of many contacts is left with shifts that have not converged */

static inline void trial_impulse(const vvi_island_row *r, const vvi_island_trial *t, double alpha, double q[3])
{
  for (int k = 0; k < 3; k++) q[k] = r->j[k] - t->stiff * (t->u[k] + alpha * t->du[k]);
}

/* ---- sums over contacts ---- */

/* u = c + B s at s = B^T j; the step starts at zero. */
VVI_HOT_LOCAL static void base(vvi_island_work *w)
{
  vvi_island_gather(w);
  memset(w->step, 0, sizeof *w->step * (size_t)w->at[w->movers]);
  for (int32_t i = 0; i < w->rows; i++) {
    const vvi_island_row *r = &w->row[i];
    vvi_island_trial *t = &w->trial[i];
    double u[3] = {0, 0, 0};
    vvi_row_see(w, r, w->s, u);
    for (int k = 0; k < 3; k++) t->u[k] = r->c[k] + u[k];
  }
}

void vvi_newton_base(vvi_island_work *w)
{
  base(w);
}

static void add_shifts(vvi_island_work *w)
{
  for (int32_t i = 0; i < w->rows; i++) w->trial[i].u[0] += w->trial[i].shift[0];
}

/* p and its slope at u; way = minus the gradient = B^T (p - j) - step.  True: the matrix is another than before. */
VVI_HOT_LOCAL static bool look_convex(vvi_island_work *w)
{
  bool changed = false;
  for (int32_t m = 0; m < w->at[w->movers]; m++) w->way[m] = -w->step[m];
  for (int32_t i = 0; i < w->rows; i++) {
    const vvi_island_row *r = &w->row[i];
    vvi_island_trial *t = &w->trial[i];
    double q[3], d[3];
    const int32_t before = t->touch;
    trial_impulse(r, t, 0.0, q);
    t->touch = (int32_t)r->friction.law->nearest(&r->friction, q, t->p);
    if (t->touch != before || t->touch == VVI_SLIDES) {
      r->friction.law->slope(&r->friction, (vvi_touch)t->touch, q, t->p, t->d);
      for (int k = 0; k < 6; k++) t->d[k] *= t->stiff;
      changed = true;
    }
    for (int k = 0; k < 3; k++) d[k] = t->p[k] - r->j[k];
    vvi_row_push(w, r, d, w->way);
  }
  return changed;
}

/* way = -B^T D u, the slopes held: what Newton's method would do if no contact changed its touch.  New shifts and multipliers
 * start with this, for at their jump of K times a velocity the touches say nothing. */
static void carry_on(vvi_island_work *w)
{
  memset(w->way, 0, sizeof *w->way * (size_t)w->at[w->movers]);
  for (int32_t i = 0; i < w->rows; i++) {
    double f[3];
    vvi_times6(w->trial[i].d, w->trial[i].u, f);
    for (int k = 0; k < 3; k++) f[k] = -f[k];
    vvi_row_push(w, &w->row[i], f, w->way);
  }
}

/* ---- the matrix ---- */

/* block += b0^T D b1, by columns; rows 1 or 3, sizes m and n. */
VVI_INLINE static void join(int rows, int m, int n, const double *restrict b0, const double d[6],
                            const double *restrict b1, double *restrict block)
{
  double y[3][6];
  for (int r = 0; r < m; r++) {
    if (rows == 1) {
      y[0][r] = d[0] * b0[r];
    } else {
      const double x[3] = {b0[r], b0[m + r], b0[2 * m + r]};
      double z[3];
      vvi_times6(d, x, z);
      y[0][r] = z[0], y[1][r] = z[1], y[2][r] = z[2];
    }
  }
  for (int c = 0; c < n; c++) {
    for (int r = 0; r < m; r++) {
      double sum = y[0][r] * b1[c];
      if (rows == 3) sum += y[1][r] * b1[n + c] + y[2][r] * b1[2 * n + c];
      block[m * c + r] += sum;
    }
  }
}

VVI_INLINE static void join_any(int rows, int m, int n, const double *b0, const double d[6], const double *b1,
                                double *block)
{
  if (rows == 3) {
    if (m == 6) {
      n == 6 ? join(3, 6, 6, b0, d, b1, block) : join(3, 6, 3, b0, d, b1, block);
    } else {
      n == 6 ? join(3, 3, 6, b0, d, b1, block) : join(3, 3, 3, b0, d, b1, block);
    }
  } else if (m == 6) {
    n == 6 ? join(1, 6, 6, b0, d, b1, block) : join(1, 6, 3, b0, d, b1, block);
  } else {
    n == 6 ? join(1, 3, 6, b0, d, b1, block) : join(1, 3, 3, b0, d, b1, block);
  }
}

VVI_HOT_LOCAL static void assemble_convex(vvi_island_work *w)
{
  vvi_sparse *f = &w->sparse;
  vvi_sparse_clear(f);
  for (int32_t m = 0; m < f->n; m++) {
    for (int c = 0; c < f->dim[m]; c++) f->diag[f->place[m]][(f->dim[m] + 1) * c] = 1.0;
  }
  for (int32_t i = 0; i < w->rows; i++) {
    const vvi_island_row *r = &w->row[i];
    const vvi_island_trial *t = &w->trial[i];
    if (t->touch == VVI_FREE) continue;
    const int32_t *pair = w->pair + r->pair;
    for (int32_t e = 0; e < r->parts; e++) {
      const vvi_part *pe = &w->part[r->first + e];
      const int m = w->dim[pe->mover];
      const double *be = w->b + pe->b;
      join_any(r->rows, m, m, be, t->d, be, f->diag[f->place[pe->mover]]);
      for (int32_t g = 0; g < e; g++, pair++) {
        const vvi_part *pg = &w->part[r->first + g];
        const int n = w->dim[pg->mover];
        const double *bg = w->b + pg->b;
        if (*pair >= 0) {
          join_any(r->rows, m, n, be, t->d, bg, f->below + f->value[*pair]);
        } else {
          join_any(r->rows, n, m, bg, t->d, be, f->below + f->value[~*pair]);
        }
      }
    }
  }
}

static bool room_for_pairs(vvi_island_work *w)
{
  w->pairs = 0;
  for (int32_t i = 0; i < w->rows; i++) {
    const int64_t n = w->row[i].parts;
    w->row[i].pair = (int32_t)w->pairs;
    w->pairs += n * (n - 1) / 2;
  }
  if (w->pairs <= w->most_pairs) return true;
  if (w->pairs > INT32_MAX / 2) return false;
  w->pair = vvi_arena_grow(w->arena, w->pair, sizeof *w->pair, w->most_pairs, 0, 2 * w->pairs);
  w->most_pairs = w->pair != NULL ? 2 * w->pairs : 0;
  return w->pair != NULL;
}

/* Finds an order of elimination and where each contact stands in the matrix; false: too large or too full. */
static bool plan(vvi_island_work *w)
{
  vvi_sparse *f = &w->sparse;
  if (!vvi_sparse_reserve(f, w->movers) || !room_for_pairs(w)) return false;
  f->n = w->movers, f->dim = w->dim, f->at = w->at;
  vvi_sparse_begin(f);
  for (int32_t i = 0; i < w->rows; i++) {
    const vvi_part *part = w->part + w->row[i].first;
    for (int32_t e = 1; e < w->row[i].parts; e++) {
      for (int32_t g = 0; g < e; g++) vvi_sparse_pair(f, part[e].mover, part[g].mover);
    }
  }
  if (!vvi_sparse_plan(f)) return false;
  for (int32_t i = 0; i < w->rows; i++) {
    const vvi_part *part = w->part + w->row[i].first;
    int32_t *pair = w->pair + w->row[i].pair;
    for (int32_t e = 1; e < w->row[i].parts; e++) {
      for (int32_t g = 0; g < e; g++, pair++) {
        bool turned;
        const int32_t block = vvi_sparse_find(f, part[e].mover, part[g].mover, &turned);
        *pair = turned ? ~block : block;
      }
    }
  }
  return true;
}

/* ---- the search along the direction ---- */

/* du = B way; returns the largest. */
VVI_HOT_LOCAL static double direct(vvi_island_work *w)
{
  double most = 0.0;
  for (int32_t i = 0; i < w->rows; i++) {
    double *du = w->trial[i].du;
    du[0] = du[1] = du[2] = 0.0;
    vvi_row_see(w, &w->row[i], w->way, du);
    for (int k = 0; k < 3; k++) most = vvi_larger(fabs(du[k]), most);
  }
  return most;
}

double vvi_newton_direction(vvi_island_work *w)
{
  return direct(w);
}

/* d phi/d alpha = ww alpha + sw - sum du.(p - j), with ww = way.way, sw = step.way. */
static double rise(const vvi_island_work *w, double ww, double sw, double alpha)
{
  double sum = ww * alpha + sw;
  for (int32_t i = 0; i < w->rows; i++) {
    const vvi_island_row *r = &w->row[i];
    const vvi_island_trial *t = &w->trial[i];
    double q[3], p[3];
    trial_impulse(r, t, alpha, q);
    r->friction.law->nearest(&r->friction, q, p);
    for (int k = 0; k < 3; k++) sum -= t->du[k] * (p[k] - r->j[k]);
  }
  return sum;
}

/* phi is convex: its slope along the way grows from a negative value.  The whole step unless it goes far beyond the least. */
static double length(const vvi_island_work *w)
{
  double ww = 0.0, sw = 0.0;
  for (int32_t m = 0; m < w->at[w->movers]; m++) ww += w->way[m] * w->way[m], sw += w->step[m] * w->way[m];
  const double at_zero = rise(w, ww, sw, 0.0);
  double low = 0.0, high = 1.0, f_low = at_zero, f_high = rise(w, ww, sw, 1.0), x = 1.0, f = f_high;
  if (!(at_zero < 0.0)) return 1.0; /* rounding */
  for (int k = 0; k < SEARCH && fabs(f) > 0.1 * -at_zero && (k > 0 || f > 0.0); k++) {
    x = (low * f_high - high * f_low) / (f_high - f_low);
    if (!(x > low && x < high)) x = 0.5 * (low + high);
    f = rise(w, ww, sw, x);
    if (f > 0.0) {
      high = x, f_high = f, f_low *= 0.5;
    } else {
      low = x, f_low = f, f_high *= 0.5;
    }
  }
  return x;
}

void vvi_newton_advance(vvi_island_work *w, double alpha)
{
  for (int32_t m = 0; m < w->at[w->movers]; m++) w->step[m] += alpha * w->way[m];
  for (int32_t i = 0; i < w->rows; i++) {
    vvi_island_trial *t = &w->trial[i];
    for (int k = 0; k < 3; k++) t->u[k] += alpha * t->du[k];
  }
}

/* ---- multipliers ---- */

/* How far the answers are from the multipliers, as a velocity. */
static double distance(const vvi_island_work *w)
{
  double most = 0.0;
  for (int32_t i = 0; i < w->rows; i++) {
    const vvi_island_row *r = &w->row[i];
    const vvi_island_trial *t = &w->trial[i];
    for (int k = 0; k < 3; k++) most = fmax(most, fabs(t->p[k] - r->j[k]) / t->stiff);
  }
  return most;
}

/* How far the multipliers are from the law: what base() found, not what the step promised. */
static vvi_island_left left_over(const vvi_island_work *w, double *convex)
{
  vvi_island_left l = {0};
  *convex = 0.0;
  for (int32_t i = 0; i < w->rows; i++) {
    const vvi_island_row *r = &w->row[i];
    l.fastest = vvi_larger(vvi_speed_of(w->trial[i].u, r->asked), l.fastest);
    const double *j = r->j, *u = w->trial[i].u, K = 1.0 / r->mean;
    double p[3], q[3] = {j[0] - K * (u[0] + w->trial[i].shift[0]), j[1] - K * u[1], j[2] - K * u[2]};
    r->friction.law->nearest(&r->friction, q, p);
    for (int k = 0; k < 3; k++) *convex = fmax(*convex, r->strict * r->mean * fabs(p[k] - j[k]));
    vvi_left_add(&l, vvi_law_residual(&r->friction, r->mean, j, u), r->strict);
  }
  return l;
}

/* j := p and new shifts; returns how far the largest shift was off. */
static double accept(vvi_island_work *w, int passes)
{
  for (int32_t i = 0; i < w->rows; i++) memcpy(w->row[i].j, w->trial[i].p, sizeof w->row[i].j);
  return vvi_shift_renew(w, passes);
}

static void begin(vvi_island_work *w)
{
  vvi_shift_forget(w);
  for (int32_t i = 0; i < w->rows; i++) {
    vvi_island_trial *t = &w->trial[i];
    t->stiff = KAPPA / w->row[i].mean;
    t->du[0] = t->du[1] = t->du[2] = 0.0;
    t->touch = -1;
  }
}

/* First shifts: where the impulses given slide faster than the loads of a step can start or stop, and where they are zero and
 * nothing approaches. */
static void shift_off(vvi_island_work *w)
{
  for (int32_t i = 0; i < w->rows; i++) {
    const vvi_island_row *r = &w->row[i];
    vvi_island_trial *t = &w->trial[i];
    const double rub = sqrt(r->j[1] * r->j[1] + r->j[2] * r->j[2]);
    const double slip = sqrt(t->u[1] * t->u[1] + t->u[2] * t->u[2]);
    const bool slides = slip > w->load && rub > 0.0 && rub >= 0.999 * r->friction.mu * r->j[0];
    if (slides || (r->j[0] == 0.0 && t->u[0] > 0.0)) t->shift[0] = r->friction.law->shift(&r->friction, t->u);
    t->u[0] += t->shift[0];
  }
}

static void stiffen_to(vvi_island_work *w, double kappa)
{
  for (int32_t i = 0; i < w->rows; i++) w->trial[i].stiff = kappa / w->row[i].mean;
}

static void stiffen(vvi_island_work *w, double times)
{
  for (int32_t i = 0; i < w->rows; i++) {
    w->trial[i].stiff *= times;
    for (int k = 0; k < 6; k++) w->trial[i].d[k] *= times;
  }
}

void vvi_newton_keep(vvi_island_work *w, double left)
{
  if (!(left < w->best)) return;
  w->best = left;
  for (int32_t i = 0; i < w->rows; i++) memcpy(w->trial[i].kept, w->row[i].j, sizeof w->row[i].j);
}

void vvi_newton_best(vvi_island_work *w)
{
  for (int32_t i = 0; i < w->rows; i++) memcpy(w->row[i].j, w->trial[i].kept, sizeof w->row[i].j);
}

/* A pass is over when its last step was small against what multipliers and shifts lack, or whole with nothing changed by it.
 * After the first the law itself is tried where something slides. */
static int32_t iterate(vvi_island_work *w, int32_t most, bool *done, bool *accepted)
{
  double kappa = KAPPA, ceiling = KAPPA_MOST, last = INFINITY, missed = 0.0, moved = INFINITY, alpha = 0.0;
  double tolerance = vvi_island_tolerance(w);
  bool stale = true; /* the factor */
  int32_t n = 0, since = 0, passes = 0;
  begin(w);
  base(w);
  shift_off(w);
  for (;;) {
    const bool changed = look_convex(w);
    const double off = distance(w);
    const bool pass = (alpha > 0.5 && moved <= 0.1 * fmax(fmax(off, 0.1 * missed), tolerance)) ||
                      (!changed && alpha == 1.0) || n >= most;
    double times = 1.0;
    if (pass) {
      double convex;
      missed = accept(w, passes < VVI_SHIFTS ? passes : VVI_SHIFTS);
      passes++;
      base(w);
      tolerance = vvi_island_tolerance(w);
      const vvi_island_left found = left_over(w, &convex);
      vvi_newton_keep(w, found.most);
      *done = found.most <= tolerance;
      *accepted = vvi_left_loose(&found, w->loose, w->slow) ||
                  (w->rows > VVI_HEAP && convex <= w->loose && (passes > SHIFTS || n >= most));
      if (*done || *accepted || n >= most) return n;
      if (missed > tolerance && passes == 1) {
        n += vvi_island_direct(w, most - n, KAPPA, STIFFER, done, accepted);
        if (*done || *accepted || n >= most) return n;
        vvi_newton_best(w);
        stiffen_to(w, kappa);
        base(w);
        stale = true;
      }
      add_shifts(w);
      if (off <= tolerance && missed <= tolerance && kappa > KAPPA) { /* what is left is rounding, K times the slip */
        times = KAPPA / kappa, ceiling = KAPPA;
      } else if ((off > 0.25 * last || since <= QUICK) && off > fmax(1e-3 * missed, tolerance) && kappa < ceiling) {
        times = STIFFER;
      }
      last = off, since = 0;
    } else if (since > PATIENCE && kappa >= KAPPA) {
      times = 1.0 / STIFFER, ceiling = kappa / STIFFER, since = 0;
    }
    if (n >= most) return n;
    stale |= changed || times != 1.0;
    kappa *= times;
    if (times != 1.0) stiffen(w, times);
    if (pass) {
      carry_on(w);
    } else if (times != 1.0) {
      look_convex(w);
    }
    if (stale) {
      assemble_convex(w);
      if (!vvi_sparse_make(&w->sparse)) return n;
      stale = false;
    }
    vvi_sparse_solve(&w->sparse, w->way, w->way);
    moved = vvi_newton_direction(w);
    alpha = pass ? 1.0 : length(w);
    vvi_newton_advance(w, alpha);
    n++, since++;
  }
}

/* From impulses of the last step the law itself comes first, after a few sweeps, which find most touches: it needs half the
 * iterations there.  What it does not solve in its share of them is brought nearer by convex problems; not where there are
 * many, of which these leave more than it does.  Those want more sweeps and small steps of stiffness: of 95 islands of 1,600
 * contacts in a heap 100 iterations leave 30 unsolved with steps of 10, and 25 so. */
int32_t vvi_island_newton(vvi_island_work *w, int32_t most, bool *done, bool *accepted)
{
  int32_t n = 0;
  double change;
  *done = *accepted = false;
  if (!plan(w)) return 0;
  w->best = INFINITY;
  if (w->rubs && (w->rows <= VVI_HEAP || vvi_island_warm(w))) {
    const bool many = w->rows > VVI_HEAP;
    vvi_island_sweep(w, many ? SMOOTH_MANY : SMOOTH, &change);
    n = vvi_island_direct(w, many || most < FIRST ? most : FIRST, KAPPA, many ? 3.0 : 10.0, done, accepted);
    if (*done || *accepted) return n;
    if (w->best < INFINITY) vvi_newton_best(w);
  }
  if (n < most) n += iterate(w, most - n, done, accepted);
  if (!*done && w->best < INFINITY && !*accepted) vvi_newton_best(w);
  return n;
}
