/* contact/island/direct.c  Newton's method for the law itself, not for the convex problem of given cone shifts.
 *
 * Sought is the step from s0 = B^T j with
 *   F(step) = B^T (p - j) - step = 0,   p = answer(j - K u),   u = c + B (s0 + step),                       [island 12]
 * then j := p.  The matrix 1 + B^T K answer' B is not symmetric where something slides, and F is not the gradient of anything:
 * steps are halved until |F| falls.  Near an answer this converges as Newton's method does, and shifts are not needed; far from
 * it it may fail, and the convex problem brings it nearer. */
#include "contact/island/work.h"

#include <string.h>

/* LOOSE_FROM: iterations after which an island of many contacts need not be nearer than `loose`.  IN_VAIN: passes that brought
 * nothing, after which what is left is taken for rounding of gaps that more contacts share than there are motions. */
enum { HALVINGS = 5, LOOSE_FROM = 40, QUICK = 4, PATIENCE = 10, IN_VAIN = 4, SMOOTH = 5 };
static const double STIFF_MOST = 1e6, SOFT_MOST = 0.1;
/* A step that leaves so little of |F|^2 has found the touches: the next would only polish a pass. */
static const double SOLVED = 1e-4;

/* p at u + alpha du, and off = B^T (p - j) - step - alpha way; returns |off|^2. */
VVI_HOT_LOCAL static double look_direct(vvi_island_work *w, double alpha)
{
  double sum = 0.0;
  const int32_t n = w->at[w->movers];
  for (int32_t m = 0; m < n; m++) w->off[m] = alpha == 0.0 ? -w->step[m] : -w->step[m] - alpha * w->way[m];
  for (int32_t i = 0; i < w->rows; i++) {
    const vvi_island_row *r = &w->row[i];
    vvi_island_trial *t = &w->trial[i];
    double q[3], d[3];
    for (int k = 0; k < 3; k++) q[k] = r->j[k] - t->stiff * (t->u[k] + alpha * t->du[k]);
    r->friction.law->answer(&r->friction, q, t->p);
    for (int k = 0; k < 3; k++) d[k] = t->p[k] - r->j[k];
    vvi_row_push(w, r, d, w->off);
  }
  for (int32_t m = 0; m < n; m++) sum += w->off[m] * w->off[m];
  return sum;
}

/* Slopes at u; true: the matrix is another than before. */
static bool slopes(vvi_island_work *w)
{
  bool changed = false;
  for (int32_t i = 0; i < w->rows; i++) {
    const vvi_island_row *r = &w->row[i];
    vvi_island_trial *t = &w->trial[i];
    const int32_t before = t->felt;
    double q[3];
    for (int k = 0; k < 3; k++) q[k] = r->j[k] - t->stiff * t->u[k];
    t->felt = (int32_t)r->friction.law->answer(&r->friction, q, t->p);
    if (t->felt == before && t->felt != VVI_SLIDES) continue;
    r->friction.law->answer_slope(&r->friction, (vvi_touch)t->felt, q, t->p, t->full);
    for (int k = 0; k < 9; k++) t->full[k] *= t->stiff;
    changed = true;
  }
  return changed;
}

/* block += b0^T D b1 and turned += b0^T D^T b1, by columns; rows 1 or 3, sizes m and n. */
VVI_INLINE static void join(int rows, int m, int n, const double *restrict b0, const double d[9],
                            const double *restrict b1, double *restrict block, double *restrict turned)
{
  double y[3][6], z[3][6];
  for (int r = 0; r < m; r++) {
    for (int k = 0; k < rows; k++) {
      double a = 0.0, b = 0.0;
      for (int i = 0; i < rows; i++) a += b0[m * i + r] * d[3 * i + k], b += b0[m * i + r] * d[3 * k + i];
      y[k][r] = a, z[k][r] = b;
    }
  }
  for (int c = 0; c < n; c++) {
    for (int r = 0; r < m; r++) {
      double a = 0.0, b = 0.0;
      for (int k = 0; k < rows; k++) a += y[k][r] * b1[n * k + c], b += z[k][r] * b1[n * k + c];
      block[m * c + r] += a;
      if (turned != NULL) turned[m * c + r] += b;
    }
  }
}

/* The same for two frames and three rows, the most frequent: six numbers as four and two. */
typedef struct six {
  vvi_four_ a;
  vvi_two_ b;
} six;

VVI_INLINE static six get6(const double *x)
{
  return (six){*(const vvi_four_ *)x, *(const vvi_two_ *)(x + 4)};
}

VVI_INLINE static six combine6(const six x[3], double p, double q, double r)
{
  return (six){x[0].a * p + x[1].a * q + x[2].a * r, x[0].b * p + x[1].b * q + x[2].b * r};
}

VVI_INLINE static void add6(double *x, six y)
{
  *(vvi_four_ *)x += y.a, *(vvi_two_ *)(x + 4) += y.b;
}

VVI_INLINE static void join_frames(const double *restrict b0, const double d[9], const double *restrict b1,
                                   double *restrict block, double *restrict turned)
{
  const six b[3] = {get6(b0), get6(b0 + 6), get6(b0 + 12)};
  const six y[3] = {combine6(b, d[0], d[3], d[6]), combine6(b, d[1], d[4], d[7]), combine6(b, d[2], d[5], d[8])};
  for (int c = 0; c < 6; c++) add6(block + 6 * c, combine6(y, b1[c], b1[6 + c], b1[12 + c]));
  if (turned == NULL) return;
  const six z[3] = {combine6(b, d[0], d[1], d[2]), combine6(b, d[3], d[4], d[5]), combine6(b, d[6], d[7], d[8])};
  for (int c = 0; c < 6; c++) add6(turned + 6 * c, combine6(z, b1[c], b1[6 + c], b1[12 + c]));
}

VVI_INLINE static void join_any(int rows, int m, int n, const double *b0, const double d[9], const double *b1,
                                double *block, double *turned)
{
  if (rows == 3) {
    if (m == 6) {
      n == 6 ? join_frames(b0, d, b1, block, turned) : join(3, 6, 3, b0, d, b1, block, turned);
    } else {
      n == 6 ? join(3, 3, 6, b0, d, b1, block, turned) : join(3, 3, 3, b0, d, b1, block, turned);
    }
  } else if (m == 6) {
    n == 6 ? join(1, 6, 6, b0, d, b1, block, turned) : join(1, 6, 3, b0, d, b1, block, turned);
  } else {
    n == 6 ? join(1, 3, 6, b0, d, b1, block, turned) : join(1, 3, 3, b0, d, b1, block, turned);
  }
}

VVI_HOT_LOCAL static void assemble_direct(vvi_island_work *w)
{
  vvi_sparse *f = &w->sparse;
  vvi_sparse_clear_both(f);
  for (int32_t m = 0; m < f->n; m++) {
    for (int c = 0; c < f->dim[m]; c++) f->diag[f->place[m]][(f->dim[m] + 1) * c] = 1.0;
  }
  for (int32_t i = 0; i < w->rows; i++) {
    const vvi_island_row *r = &w->row[i];
    const double *d = w->trial[i].full;
    if (w->trial[i].felt == VVI_FREE) continue;
    const int32_t *pair = w->pair + r->pair;
    for (int32_t e = 0; e < r->parts; e++) {
      const vvi_part *pe = &w->part[r->first + e];
      const int m = w->dim[pe->mover];
      const double *be = w->b + pe->b;
      join_any(r->rows, m, m, be, d, be, f->diag[f->place[pe->mover]], NULL);
      for (int32_t g = 0; g < e; g++, pair++) {
        const vvi_part *pg = &w->part[r->first + g];
        const int n = w->dim[pg->mover];
        const double *bg = w->b + pg->b;
        const int64_t at = f->value[*pair >= 0 ? *pair : ~*pair];
        if (*pair >= 0) {
          join_any(r->rows, m, n, be, d, bg, f->below + at, f->right + at);
        } else {
          join_any(r->rows, n, m, bg, d, be, f->below + at, f->right + at);
        }
      }
    }
  }
}

static double distance(const vvi_island_work *w)
{
  double most = 0.0;
  for (int32_t i = 0; i < w->rows; i++) {
    const vvi_island_trial *t = &w->trial[i];
    for (int k = 0; k < 3; k++) most = vvi_larger(fabs(t->p[k] - w->row[i].j[k]) / t->stiff, most);
  }
  return most;
}

static vvi_island_left left_over(const vvi_island_work *w)
{
  vvi_island_left l = {0};
  for (int32_t i = 0; i < w->rows; i++) {
    const vvi_island_row *r = &w->row[i];
    l.fastest = vvi_larger(vvi_speed_of(w->trial[i].u, r->asked), l.fastest);
    vvi_left_add(&l, vvi_law_residual(&r->friction, r->mean, r->j, w->trial[i].u), r->strict);
  }
  return l;
}

static void set_stiffness(vvi_island_work *w, double kappa)
{
  for (int32_t i = 0; i < w->rows; i++) w->trial[i].stiff = kappa / w->row[i].mean, w->trial[i].felt = -1;
}

/* Halves the step until |F| falls; 0: it does not. */
static double length(vvi_island_work *w, double before)
{
  double alpha = 1.0;
  for (int k = 0; k <= HALVINGS; k++, alpha *= 0.5) {
    if (look_direct(w, alpha) < (1.0 - 0.2 * alpha) * before) return alpha;
  }
  return 0.0;
}

/* off = -B^T D u, the slopes held: the first step of a new pass, for at the jump of K times a velocity touches say nothing. */
static void carry_on(vvi_island_work *w, double times)
{
  memset(w->off, 0, sizeof *w->off * (size_t)w->at[w->movers]);
  for (int32_t i = 0; i < w->rows; i++) {
    vvi_island_trial *t = &w->trial[i];
    double f[3];
    for (int k = 0; k < 9; k++) t->full[k] *= times;
    t->stiff *= times;
    for (int k = 0; k < 3; k++) {
      f[k] = -(t->full[3 * k] * t->u[0] + t->full[3 * k + 1] * t->u[1] + t->full[3 * k + 2] * t->u[2]);
    }
    vvi_row_push(w, &w->row[i], f, w->off);
  }
}

/* How many times p - j can be added to j before a contact opens, or one that holds comes to the edge of its cone. */
static double reach(const vvi_island_work *w)
{
  double most = INFINITY;
  for (int32_t i = 0; i < w->rows; i++) {
    const vvi_island_row *r = &w->row[i];
    const vvi_island_trial *t = &w->trial[i];
    const double *j = r->j, d[3] = {t->p[0] - j[0], t->p[1] - j[1], t->p[2] - j[2]}, mu = r->friction.mu;
    if (r->pulls || t->felt == VVI_FREE) continue;
    if (d[0] < 0.0) most = fmin(most, -j[0] / d[0]);
    if (t->felt != VVI_STICKS || !(mu > 0.0)) continue;
    const double a = d[1] * d[1] + d[2] * d[2] - mu * mu * d[0] * d[0],
                 b = j[1] * d[1] + j[2] * d[2] - mu * mu * j[0] * d[0],
                 c = fmin(j[1] * j[1] + j[2] * j[2] - mu * mu * j[0] * j[0], 0.0),
                 root = sqrt(fmax(b * b - a * c, 0.0));
    const double x = b > 0.0 ? -c / (b + root) : a > 0.0 ? (root - b) / a : INFINITY; /* the smaller one ahead */
    most = fmin(most, x);
  }
  return most;
}

/* Rows that contradict each other move their impulses along a direction that moves nothing else, by K times the contradiction in a
 * pass, until one of them lets go: an answer that may be far away.  It is gone to at once; false: nothing ever lets go.  [island 12a] */
static bool go_along(vvi_island_work *w)
{
  const double by = reach(w);
  if (!(by < INFINITY)) return false;
  for (int32_t i = 0; i < w->rows; i++) {
    vvi_island_row *r = &w->row[i];
    for (int k = 0; k < 3; k++) r->j[k] += fmax(by, 1.0) * (w->trial[i].p[k] - r->j[k]);
    r->j[0] = r->pulls ? r->j[0] : fmax(r->j[0], 0.0);
    if (r->rows == 3 && !r->pulls) r->friction.law->cut(&r->friction, r->j[0], r->j + 1);
  }
  vvi_newton_base(w);
  return true;
}

int32_t vvi_island_direct(vvi_island_work *w, int32_t most, double kappa, double stiffer, bool *done, bool *accepted)
{
  double alpha = 0.0, least = 1.0, moved = INFINITY, tolerance = vvi_island_tolerance(w), ceiling = STIFF_MOST;
  double lowest = INFINITY, before = 0.0, change;
  int32_t n = 0, since = 0, vain = 0, rays = 0;
  bool stale = true;
  *done = *accepted = false;
  set_stiffness(w, kappa);
  vvi_newton_base(w);
  for (;;) {
    const bool changed = slopes(w);
    const double size = look_direct(w, 0.0), off = distance(w);
    const bool pass =
        alpha == 1.0 && (moved <= fmax(0.5 * off, 0.1 * tolerance) || !changed || size <= SOLVED * before);
    before = size;
    stale |= changed;
    if (pass) {
      for (int32_t i = 0; i < w->rows; i++) memcpy(w->row[i].j, w->trial[i].p, sizeof w->row[i].j);
      vvi_newton_base(w);
      tolerance = vvi_island_tolerance(w);
      const vvi_island_left found = left_over(w);
      const double left = found.most;
      vain = left < 0.9 * lowest ? 0 : vain + 1, lowest = fmin(lowest, left);
      if (vain == 0) vvi_newton_keep(w, left); /* of impulses that are as good the smaller ones */
      *done = left <= tolerance;
      *accepted = vvi_left_loose(&found, w->loose, w->slow) ||
                  (found.strict <= w->loose && w->rows > VVI_HEAP && n >= LOOSE_FROM);
      *accepted |= vain >= IN_VAIN && found.strict <= w->loose;
      if (*done || *accepted) return n;
      const bool far = w->far > 0.0 && left > fmax(w->far, w->loose),
                 stiff = kappa >= STIFF_MOST; /* what is soft moves heavy things little in a pass */
      if ((vain >= 1 && moved <= tolerance && stiff) || (vain >= IN_VAIN && left <= w->far)) {
        /* the velocities are found, and the rows contradict each other by `left` */
        if (far) slopes(w);
        if (!far || rays++ >= w->rows || !go_along(w)) {
          vvi_newton_best(w);
          *done = true;
          return n;
        }
        vain = 0, lowest = INFINITY;
      }
      const bool quick = least == 1.0 && since <= QUICK && kappa < ceiling && off > tolerance;
      const double times = quick ? stiffer : 1.0;
      kappa *= times, stale |= times != 1.0;
      carry_on(w, times);
      since = 0, least = 1.0;
    }
    if (n >= most) return n;
    if (stale) {
      assemble_direct(w);
      if (!vvi_sparse_make_both(&w->sparse)) return n;
      stale = false;
    }
    vvi_sparse_solve_both(&w->sparse, w->off, w->way);
    moved = vvi_newton_direction(w);
    alpha = pass || moved <= tolerance ? 1.0 : length(w, size);
    n++, since++;
    least = fmin(least, alpha);
    if (alpha == 0.0 || since > PATIENCE) {
      if (kappa < SOFT_MOST) return n;
      kappa /= stiffer;
      ceiling = fmax(kappa, 1e3);
      set_stiffness(w, kappa);
      vvi_island_sweep(w, SMOOTH, &change);
      vvi_newton_base(w);
      since = 0, alpha = 0.0, stale = true;
      continue;
    }
    vvi_newton_advance(w, alpha);
  }
}
