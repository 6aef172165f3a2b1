/* step/solids/factor.c  See factor.h.
 *
 * Order: minimum degree.  The row with fewest neighbours left is eliminated first; its neighbours become neighbours of each
 * other.  Neighbours are bits, so that this is an "or" of two rows of bits, and the ones left are the column of the factor.
 * Numbers: right-looking.  For each column k in order, with L_k the Cholesky factor of its diagonal block,
 *   L_ik = A_ik L_k^-T,    A_ij -= L_ik L_jk^T   for i >= j in the column.                                    [many 29] */
#include "step/solids/factor.h"

#include "math/math.h"

#include <string.h>

/* ---- plan ---- */

static void put(uint64_t *bits, int32_t i)
{
  bits[i / 64] |= (uint64_t)1 << (i % 64);
}

static void take(uint64_t *bits, int32_t i)
{
  bits[i / 64] &= ~((uint64_t)1 << (i % 64));
}

static int32_t count(const uint64_t *bits, int32_t words)
{
  int32_t n = 0;
  for (int32_t w = 0; w < words; w++) n += __builtin_popcountll(bits[w]);
  return n;
}

static int32_t first_bit(const uint64_t *bits, int32_t words, int32_t from)
{
  for (int32_t w = from / 64; w < words; w++) {
    const uint64_t left = w == from / 64 ? bits[w] & ~(uint64_t)0 << (from % 64) : bits[w];
    if (left != 0) return 64 * w + __builtin_ctzll(left);
  }
  return -1;
}

/* Takes node k out: its neighbours, listed in `row`, meet each other.  degree is kept for those left, -1 for those gone. */
static void eliminate(vvi_factor *f, int32_t k, int32_t *degree, int32_t begin)
{
  const int32_t words = vvi_factor_words(f->n);
  uint64_t *bk = f->bits + (int64_t)k * words;
  for (int32_t i = first_bit(bk, words, 0), e = begin; i >= 0; i = first_bit(bk, words, i + 1), e++) {
    uint64_t *bi = f->bits + (int64_t)i * words;
    f->row[e] = i;
    for (int32_t w = 0; w < words; w++) bi[w] |= bk[w];
    take(bi, k), take(bi, i);
    degree[i] = count(bi, words);
  }
  degree[k] = -1;
}

static void sort(int32_t n, int32_t *a)
{
  for (int32_t i = 1; i < n; i++) {
    const int32_t x = a[i];
    int32_t k = i;
    for (; k > 0 && a[k - 1] > x; k--) a[k] = a[k - 1];
    a[k] = x;
  }
}

void vvi_factor_begin(vvi_factor *f)
{
  memset(f->bits, 0, sizeof *f->bits * (size_t)f->n * (size_t)vvi_factor_words(f->n));
}

void vvi_factor_pair(vvi_factor *f, int32_t a, int32_t b)
{
  const int32_t words = vvi_factor_words(f->n);
  put(f->bits + (int64_t)a * words, b), put(f->bits + (int64_t)b * words, a);
}

bool vvi_factor_plan(vvi_factor *f)
{
  const int32_t n = f->n, words = vvi_factor_words(n);
  int32_t *degree = f->place; /* until the places are known */
  for (int32_t i = 0; i < n; i++) degree[i] = count(f->bits + (int64_t)i * words, words);
  f->first[0] = 0;
  for (int32_t k = 0; k < n; k++) {
    int32_t least = -1;
    for (int32_t i = 0; i < n; i++) {
      if (degree[i] >= 0 && (least < 0 || degree[i] < degree[least])) least = i;
    }
    f->first[k + 1] = f->first[k] + degree[least];
    if (f->first[k + 1] > f->room) return false;
    f->node[k] = least;
    eliminate(f, least, degree, f->first[k]);
  }
  f->blocks = f->first[n];
  for (int32_t k = 0; k < n; k++) f->place[f->node[k]] = k;
  for (int32_t e = 0; e < f->blocks; e++) f->row[e] = f->place[f->row[e]];
  for (int32_t k = 0; k < n; k++) sort(f->first[k + 1] - f->first[k], f->row + f->first[k]);
  return true;
}

int32_t vvi_factor_find(const vvi_factor *f, int32_t a, int32_t b, bool *turned)
{
  const int32_t pa = f->place[a], pb = f->place[b], column = pa < pb ? pa : pb, row = pa < pb ? pb : pa;
  int32_t low = f->first[column], high = f->first[column + 1];
  *turned = pa < pb;
  while (high - low > 1) {
    const int32_t middle = (low + high) / 2;
    if (f->row[middle] <= row) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

void vvi_factor_clear(vvi_factor *f)
{
  memset(f->diag, 0, sizeof *f->diag * (size_t)f->n);
  memset(f->below, 0, sizeof *f->below * (size_t)f->blocks);
}

/* ---- numbers: blocks by columns, x[6 c + r] ---- */

/* a := the inverse of its lower Cholesky factor; false: not positive. */
static bool root(double a[36])
{
  double l[36] = {0};
  for (int c = 0; c < 6; c++) {
    double d = a[7 * c];
    for (int k = 0; k < c; k++) d -= l[6 * k + c] * l[6 * k + c];
    if (!(d > 0.0)) return false;
    const double inverse = 1.0 / sqrt(d);
    l[7 * c] = inverse; /* the diagonal holds 1 / l_cc */
    for (int r = c + 1; r < 6; r++) {
      double x = a[6 * c + r];
      for (int k = 0; k < c; k++) x -= l[6 * k + r] * l[6 * k + c];
      l[6 * c + r] = x * inverse;
    }
  }
  memset(a, 0, 36 * sizeof *a);
  for (int c = 0; c < 6; c++) {
    a[7 * c] = l[7 * c];
    for (int r = c + 1; r < 6; r++) {
      double x = 0.0;
      for (int k = c; k < r; k++) x -= l[6 * k + r] * a[6 * c + k];
      a[6 * c + r] = x * l[7 * r];
    }
  }
  return true;
}

/* x := x l^T, l lower: column c of the product needs columns 0..c of x. */
static void times_turned(double x[36], const double l[36])
{
  for (int c = 5; c >= 0; c--) {
    double y[6] = {0};
    for (int k = 0; k <= c; k++) {
      for (int r = 0; r < 6; r++) y[r] += x[6 * k + r] * l[6 * k + c];
    }
    memcpy(x + 6 * c, y, sizeof y);
  }
}

/* c -= a b^T */
static inline void less_product(double *restrict c, const double *restrict a, const double *restrict b)
{
  for (int j = 0; j < 6; j++) {
    double y[6];
    for (int r = 0; r < 6; r++) y[r] = c[6 * j + r];
    for (int k = 0; k < 6; k++) {
      for (int r = 0; r < 6; r++) y[r] -= a[6 * k + r] * b[6 * k + j];
    }
    for (int r = 0; r < 6; r++) c[6 * j + r] = y[r];
  }
}

/* What column k takes from those that follow: its rows from e on, out of column j = row[e]. */
static inline void spread(vvi_factor *f, int32_t e, int32_t end)
{
  const int32_t j = f->row[e];
  const double *b = f->below[e];
  less_product(f->diag[j], b, b);
  int32_t at = f->first[j];
  for (int32_t i = e + 1; i < end; i++) {
    while (f->row[at] != f->row[i]) at++;
    less_product(f->below[at], f->below[i], b);
  }
}

VVI_HOT_LOCAL static bool make(vvi_factor *f)
{
  for (int32_t k = 0; k < f->n; k++) {
    const int32_t begin = f->first[k], end = f->first[k + 1];
    if (!root(f->diag[k])) return false;
    for (int32_t e = begin; e < end; e++) times_turned(f->below[e], f->diag[k]);
    for (int32_t e = begin; e < end; e++) spread(f, e, end);
  }
  return true;
}

bool vvi_factor_make(vvi_factor *f)
{
  return make(f);
}

VVI_HOT_LOCAL static void solve(const vvi_factor *f, const double *b, double *x, double *y)
{
  for (int32_t k = 0; k < f->n; k++) memcpy(y + 6 * k, b + 6 * f->node[k], 6 * sizeof *y);
  for (int32_t k = 0; k < f->n; k++) {
    double *yk = y + 6 * k, z[6] = {0};
    for (int c = 0; c < 6; c++) {
      for (int r = c; r < 6; r++) z[r] += f->diag[k][6 * c + r] * yk[c];
    }
    memcpy(yk, z, sizeof z);
    for (int32_t e = f->first[k]; e < f->first[k + 1]; e++) {
      double *yi = y + 6 * f->row[e];
      for (int c = 0; c < 6; c++) {
        for (int r = 0; r < 6; r++) yi[r] -= f->below[e][6 * c + r] * z[c];
      }
    }
  }
  for (int32_t k = f->n - 1; k >= 0; k--) {
    double *yk = y + 6 * k, z[6] = {0};
    for (int32_t e = f->first[k]; e < f->first[k + 1]; e++) {
      const double *yi = y + 6 * f->row[e];
      for (int c = 0; c < 6; c++) {
        for (int r = 0; r < 6; r++) yk[c] -= f->below[e][6 * c + r] * yi[r];
      }
    }
    for (int c = 0; c < 6; c++) {
      for (int r = c; r < 6; r++) z[c] += f->diag[k][6 * c + r] * yk[r];
    }
    memcpy(yk, z, sizeof z);
  }
  for (int32_t k = 0; k < f->n; k++) memcpy(x + 6 * f->node[k], y + 6 * k, 6 * sizeof *x);
}

void vvi_factor_solve(const vvi_factor *f, const double *b, double *x, double *scratch)
{
  solve(f, b, x, scratch);
}
