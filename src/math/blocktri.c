/* math/blocktri.c  Block elimination with explicit inverses of the 6x6 pivots.
 *
 *   Forward   G_i = lower_{i+1} D_i^-1,   W_i = D_i^-1 upper_i,   D_{i+1} = diagonal_{i+1} - G_i upper_i
 *   Solve     b_{i+1} -= G_i b_i,   x_i = D_i^-1 b_i - W_i x_{i+1}
 *
 * so that the chain from node to node is one product with a block, each way.  lower_{i+1} becomes G_i, diagonal_i becomes
 * D_i^-1, upper_i becomes W_i.  A ring is cut at its last node: its column is a border of six right-hand sides E, and
 *
 *   x_last = S^-1 (b_last - upper_last y_0 - lower_last y_{n-2}),   x = y - E x_last
 *
 * with y, E the solutions of the open chain.  A column of a block is one vector of eight lanes. */
#include "math/blocktri.h"

#include "math/math.h"

#include <string.h>

typedef double lanes
    __attribute__((vector_size(VVI_BLOCK_COLUMN * sizeof(double)), aligned(sizeof(double)), may_alias));

static inline double *at(double *blocks, int64_t i)
{
  return blocks + i * VVI_BLOCK_REALS;
}

/* c += sign a b */
static inline void multiply_add(double sign, const double *a, const double *b, double *c)
{
  lanes left[VVI_BLOCK];
  for (int k = 0; k < VVI_BLOCK; k++) left[k] = *(const lanes *)(a + VVI_BLOCK_COLUMN * k);
  for (int j = 0; j < VVI_BLOCK; j++) {
    const double *f = b + VVI_BLOCK_COLUMN * j;
    const lanes one = left[0] * f[0] + left[1] * f[1], two = left[2] * f[2] + left[3] * f[3];
    const lanes three = left[4] * f[4] + left[5] * f[5];
    lanes *out = (lanes *)(c + VVI_BLOCK_COLUMN * j);
    *out = *out + sign * ((one + two) + three);
  }
}

static inline void multiply(const double *a, const double *b, double *c)
{
  memset(c, 0, sizeof(double) * VVI_BLOCK_REALS);
  multiply_add(1.0, a, b, c);
}

/* y -= a x */
static inline void subtract_product(const double *a, const double *x, double *y)
{
  const lanes *col = (const lanes *)a;
  const lanes one = col[0] * x[0] + col[1] * x[1], two = col[2] * x[2] + col[3] * x[3];
  const lanes three = col[4] * x[4] + col[5] * x[5];
  *(lanes *)y = *(const lanes *)y - ((one + two) + three);
}

static inline void product(const double *a, const double *x, double *y)
{
  lanes zero = {0};
  double in[VVI_BLOCK];
  memcpy(in, x, sizeof in);
  *(lanes *)y = zero;
  subtract_product(a, in, y);
  *(lanes *)y = -*(const lanes *)y;
}

/* a <- a^-1 by Gauss and Jordan with exchanges; columns take the part that rows play in textbooks. */
static bool invert_carefully(double *a)
{
  int swap[VVI_BLOCK];
  lanes *col = (lanes *)a;
  for (int k = 0; k < VVI_BLOCK; k++) {
    int best = k;
    for (int j = k + 1; j < VVI_BLOCK; j++)
      if (fabs(a[VVI_BLOCK_COLUMN * j + k]) > fabs(a[VVI_BLOCK_COLUMN * best + k])) best = j;
    const lanes top = col[best];
    swap[k] = best;
    col[best] = col[k], col[k] = top;
    const double pivot = a[VVI_BLOCK_COLUMN * k + k], inverse = 1.0 / pivot;
    if (!(fabs(pivot) > 0.0) || !isfinite(inverse)) return false;
    a[VVI_BLOCK_COLUMN * k + k] = 1.0;
    const lanes scaled = col[k] * inverse;
    col[k] = scaled;
    for (int j = 0; j < VVI_BLOCK; j++) {
      if (j == k) continue;
      const double f = a[VVI_BLOCK_COLUMN * j + k];
      a[VVI_BLOCK_COLUMN * j + k] = 0.0;
      col[j] = col[j] - f * scaled;
    }
  }
  for (int k = VVI_BLOCK - 1; k >= 0; k--)
    for (int j = 0; swap[k] != k && j < VVI_BLOCK; j++) {
      double *c = a + VVI_BLOCK_COLUMN * j, hold = c[k];
      c[k] = c[swap[k]], c[swap[k]] = hold;
    }
  return true;
}

/* Elimination with the k-th diagonal entry as it stands; false if cancellation has left little of it.  k is a constant
 * everywhere, so that the six columns stay in registers. */
static inline bool eliminate(lanes c[VVI_BLOCK], const int k, double original)
{
  const double pivot = c[k][k], inverse = 1.0 / pivot;
  const double f0 = c[0][k], f1 = c[1][k], f2 = c[2][k], f3 = c[3][k], f4 = c[4][k], f5 = c[5][k];
  c[0][k] = c[1][k] = c[2][k] = c[3][k] = c[4][k] = c[5][k] = 0.0;
  c[k][k] = 1.0;
  const lanes line = c[k] * inverse;
  c[0] = c[0] - f0 * line, c[1] = c[1] - f1 * line, c[2] = c[2] - f2 * line;
  c[3] = c[3] - f3 * line, c[4] = c[4] - f4 * line, c[5] = c[5] - f5 * line;
  c[k] = line;
  return fabs(pivot) >= 1e-3 * fabs(original) && fabs(pivot) > 0.0 && isfinite(inverse);
}

/* a <- a^-1: without exchanges where the diagonal leads, as in a stiff beam with mass, and with them otherwise. */
static inline bool invert(double *a)
{
  const lanes *in = (const lanes *)a;
  lanes c[VVI_BLOCK] = {in[0], in[1], in[2], in[3], in[4], in[5]}, *out = (lanes *)a;
  const bool good = eliminate(c, 0, a[0]) && eliminate(c, 1, a[9]) && eliminate(c, 2, a[18]) &&
                    eliminate(c, 3, a[27]) && eliminate(c, 4, a[36]) && eliminate(c, 5, a[45]);
  if (!good) return invert_carefully(a);
  out[0] = c[0], out[1] = c[1], out[2] = c[2], out[3] = c[3], out[4] = c[4], out[5] = c[5];
  return true;
}

/* The open chain of the first n blocks. */
VV_HOT static bool factor_chain(int64_t n, double *lower, double *diagonal, double *upper)
{
  double keep[VVI_BLOCK_REALS];
  for (int64_t i = 0; i < n; i++) {
    double *pivot = at(diagonal, i);
    if (!invert(pivot)) return false;
    if (i + 1 == n) break;
    double *g = at(lower, i + 1), *w = at(upper, i);
    memcpy(keep, g, sizeof keep);
    multiply(keep, pivot, g);
    multiply_add(-1.0, g, w, at(diagonal, i + 1));
    memcpy(keep, w, sizeof keep);
    multiply(pivot, keep, w);
  }
  return true;
}

VV_HOT static void solve_chain(int64_t n, double *lower, double *diagonal, double *upper, double *x)
{
  for (int64_t i = 0; i + 1 < n; i++)
    subtract_product(at(lower, i + 1), x + VVI_BLOCK_COLUMN * i, x + VVI_BLOCK_COLUMN * (i + 1));
  for (int64_t i = n - 1; i >= 0; i--) {
    double *here = x + VVI_BLOCK_COLUMN * i;
    product(at(diagonal, i), here, here);
    if (i + 1 < n) subtract_product(at(upper, i), here + VVI_BLOCK_COLUMN, here);
  }
}

/* E: the open chain solved for the six columns that reach the last node, and S^-1 in its diagonal. */
VV_HOT static bool factor_border(const vvi_blocktri *t)
{
  const int64_t n = t->n - 1;
  double keep[VVI_BLOCK_REALS], *last = at(t->diagonal, n);
  for (int64_t i = 0; i + 1 < n; i++) multiply_add(-1.0, at(t->lower, i + 1), at(t->border, i), at(t->border, i + 1));
  for (int64_t i = n - 1; i >= 0; i--) {
    memcpy(keep, at(t->border, i), sizeof keep);
    multiply(at(t->diagonal, i), keep, at(t->border, i));
    if (i + 1 < n) multiply_add(-1.0, at(t->upper, i), at(t->border, i + 1), at(t->border, i));
  }
  multiply_add(-1.0, at(t->upper, n), at(t->border, 0), last);
  multiply_add(-1.0, at(t->lower, n), at(t->border, n - 1), last);
  return invert(last);
}

/* Right-hand sides of the border: lower_0 and, at the other end of the chain, upper_{n-2}. */
static void start_border(const vvi_blocktri *t)
{
  memset(t->border, 0, sizeof(double) * VVI_BLOCK_REALS * (size_t)(t->n - 1));
  memcpy(t->border, t->lower, sizeof(double) * VVI_BLOCK_REALS);
  const double *other = at(t->upper, t->n - 2);
  double *end = at(t->border, t->n - 2);
  for (int i = 0; i < VVI_BLOCK_REALS; i++) end[i] += other[i];
}

bool vvi_blocktri_factor(const vvi_blocktri *t)
{
  if (!t->ring) return factor_chain(t->n, t->lower, t->diagonal, t->upper);
  start_border(t);
  return factor_chain(t->n - 1, t->lower, t->diagonal, t->upper) && factor_border(t);
}

VV_HOT static void solve_border(const vvi_blocktri *t, double *x)
{
  const int64_t n = t->n - 1;
  double *last = x + VVI_BLOCK_COLUMN * n;
  subtract_product(at(t->upper, n), x, last);
  subtract_product(at(t->lower, n), x + VVI_BLOCK_COLUMN * (n - 1), last);
  product(at(t->diagonal, n), last, last);
  for (int64_t i = 0; i < n; i++) subtract_product(at(t->border, i), last, x + VVI_BLOCK_COLUMN * i);
}

void vvi_blocktri_solve(const vvi_blocktri *t, double *x)
{
  solve_chain(t->ring ? t->n - 1 : t->n, t->lower, t->diagonal, t->upper, x);
  if (t->ring) solve_border(t, x);
}
