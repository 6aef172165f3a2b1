/* contact/island/sparse.c  Factors of a sparse matrix of blocks, one row for each mover of an island.
 *
 * Order: minimum degree.  The row with fewest neighbours left is eliminated first; its neighbours become neighbours of each
 * other.  Neighbours are bits, so that this is an "or" of two rows of bits, and the ones left are the column of the factor.
 * Numbers: right-looking.  For each column k in order, with L_k the Cholesky factor of its diagonal block,
 *   L_ik = A_ik L_k^-T,    A_ij -= L_ik L_jk^T   for i >= j in the column.                                    [island 13]
 * Without symmetry, D_k the diagonal block: L_ik = A_ik D_k^-1, A_ij -= L_ik A_kj for i and j in the column; blocks right of
 * the diagonal are kept turned, so that A_kj^T and L_jk are of one shape and both products are the same function. */
#include "contact/island/sparse.h"

#include <string.h>

/* ---- room ---- */

bool vvi_sparse_reserve(vvi_sparse *f, int32_t n)
{
  if (n <= f->most) return true;
  const int32_t most = n < 32 ? 64 : 2 * n, had = f->most;
  f->most = 0;
  f->place = vvi_arena_grow(f->arena, f->place, sizeof *f->place, had, 0, most);
  f->node = vvi_arena_grow(f->arena, f->node, sizeof *f->node, had, 0, most);
  f->first = vvi_arena_grow(f->arena, f->first, sizeof *f->first, had + 1, 0, most + 1);
  f->start = vvi_arena_grow(f->arena, f->start, sizeof *f->start, had + 1, 0, most + 1);
  f->bits = vvi_arena_grow(f->arena, f->bits, sizeof *f->bits, (int64_t)had * vvi_sparse_words(had), 0,
                           (int64_t)most * vvi_sparse_words(most));
  f->diag = vvi_arena_grow(f->arena, f->diag, sizeof *f->diag, had, 0, most);
  f->scratch = vvi_arena_grow(f->arena, f->scratch, sizeof *f->scratch, 6 * had, 0, 6 * most);
  if (!f->place || !f->node || !f->first || !f->start || !f->bits || !f->diag || !f->scratch) return false;
  f->most = most;
  return true;
}

static bool more_blocks(vvi_sparse *f, int64_t blocks, int64_t filled)
{
  if (blocks > f->block_limit) return false;
  if (blocks <= f->room) return true;
  const int64_t room = blocks < 128 ? 256 : 2 * blocks;
  f->row = vvi_arena_grow(f->arena, f->row, sizeof *f->row, f->room, filled, room);
  f->value = vvi_arena_grow(f->arena, f->value, sizeof *f->value, f->room, 0, room);
  f->room = f->row != NULL && f->value != NULL ? (int32_t)room : 0;
  return f->room > 0;
}

static bool more_values(vvi_sparse *f)
{
  if (f->values <= f->value_room) return true;
  const int64_t room = f->values + f->values / 2;
  f->below = vvi_arena_grow(f->arena, f->below, sizeof *f->below, f->value_room, 0, room);
  f->right = vvi_arena_grow(f->arena, f->right, sizeof *f->right, f->value_room, 0, room);
  f->value_room = f->below != NULL && f->right != NULL ? room : 0;
  return f->value_room > 0;
}

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
static void eliminate(vvi_sparse *f, int32_t k, int32_t *degree, int32_t begin)
{
  const int32_t words = vvi_sparse_words(f->n);
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

void vvi_sparse_begin(vvi_sparse *f)
{
  memset(f->bits, 0, sizeof *f->bits * (size_t)f->n * (size_t)vvi_sparse_words(f->n));
}

void vvi_sparse_pair(vvi_sparse *f, int32_t a, int32_t b)
{
  const int32_t words = vvi_sparse_words(f->n);
  put(f->bits + (int64_t)a * words, b), put(f->bits + (int64_t)b * words, a);
}

static bool order(vvi_sparse *f)
{
  const int32_t n = f->n, words = vvi_sparse_words(n);
  int32_t *degree = f->place; /* until the places are known */
  for (int32_t i = 0; i < n; i++) degree[i] = count(f->bits + (int64_t)i * words, words);
  f->first[0] = 0;
  for (int32_t k = 0; k < n; k++) {
    int32_t least = -1;
    for (int32_t i = 0; i < n; i++) {
      if (degree[i] >= 0 && (least < 0 || degree[i] < degree[least])) least = i;
    }
    f->first[k + 1] = f->first[k] + degree[least];
    if (!more_blocks(f, f->first[k + 1], f->first[k])) return false;
    f->node[k] = least;
    eliminate(f, least, degree, f->first[k]);
  }
  f->blocks = f->first[n];
  return true;
}

bool vvi_sparse_plan(vvi_sparse *f)
{
  const int32_t n = f->n;
  if (!order(f)) return false;
  f->start[0] = 0;
  for (int32_t k = 0; k < n; k++) {
    f->place[f->node[k]] = k;
    f->start[k + 1] = f->start[k] + f->dim[f->node[k]];
  }
  f->values = 0;
  for (int32_t k = 0; k < n; k++) {
    for (int32_t e = f->first[k]; e < f->first[k + 1]; e++) f->row[e] = f->place[f->row[e]];
    sort(f->first[k + 1] - f->first[k], f->row + f->first[k]);
    for (int32_t e = f->first[k]; e < f->first[k + 1]; e++) {
      f->value[e] = f->values;
      f->values += f->dim[f->node[k]] * f->dim[f->node[f->row[e]]];
    }
  }
  return more_values(f);
}

int32_t vvi_sparse_find(const vvi_sparse *f, int32_t a, int32_t b, bool *turned)
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

void vvi_sparse_clear(vvi_sparse *f)
{
  memset(f->diag, 0, sizeof *f->diag * (size_t)f->n);
  if (f->values > 0) memset(f->below, 0, sizeof *f->below * (size_t)f->values);
}

/* ---- numbers: blocks by columns, x[rows c + r].  Sizes are 3 or 6 and known where these are inlined ---- */

/* a := the inverse of its lower Cholesky factor; false: not positive.  least [n]: pivots that are taken for zero. */
VVI_INLINE static bool root(int n, double *a, const double *least)
{
  double l[36] = {0};
  for (int c = 0; c < n; c++) {
    double d = a[(n + 1) * c];
    for (int k = 0; k < c; k++) d -= l[n * k + c] * l[n * k + c];
    if (!(d > (least != NULL ? least[c] : 0.0))) {
      if (least == NULL) return false;
      continue; /* its column of the factor, and of the inverse, is zero */
    }
    const double inverse = 1.0 / sqrt(d);
    l[(n + 1) * c] = inverse; /* the diagonal holds 1 / l_cc */
    for (int r = c + 1; r < n; r++) {
      double x = a[n * c + r];
      for (int k = 0; k < c; k++) x -= l[n * k + r] * l[n * k + c];
      l[n * c + r] = x * inverse;
    }
  }
  for (int i = 0; i < n * n; i++) a[i] = 0.0;
  for (int c = 0; c < n; c++) {
    a[(n + 1) * c] = l[(n + 1) * c];
    for (int r = c + 1; r < n; r++) {
      double x = 0.0;
      for (int k = c; k < r; k++) x -= l[n * k + r] * a[n * c + k];
      a[n * c + r] = x * l[(n + 1) * r];
    }
  }
  return true;
}

/* x (m rows) := x l^T, l lower of size n: column c of the product needs columns 0..c of x. */
VVI_INLINE static void times_turned(int m, int n, double *x, const double *l)
{
  for (int c = n - 1; c >= 0; c--) {
    double y[6] = {0};
    for (int k = 0; k <= c; k++) {
      for (int r = 0; r < m; r++) y[r] += x[m * k + r] * l[n * k + c];
    }
    for (int r = 0; r < m; r++) x[m * c + r] = y[r];
  }
}

/* c -= a b^T;  a: m x n, b: o x n */
VVI_INLINE static void less_product(int m, int o, int n, double *restrict c, const double *restrict a,
                                    const double *restrict b)
{
  for (int j = 0; j < o; j++) {
    double y[6];
    for (int r = 0; r < m; r++) y[r] = c[m * j + r];
    for (int k = 0; k < n; k++) {
      for (int r = 0; r < m; r++) y[r] -= a[m * k + r] * b[o * k + j];
    }
    for (int r = 0; r < m; r++) c[m * j + r] = y[r];
  }
}

VVI_INLINE static int dim_of(const vvi_sparse *f, int32_t place)
{
  return f->start[place + 1] - f->start[place];
}

/* What column k takes from those that follow: its rows from e on, out of column j = row[e]; n, o: sizes of k and j. */
VVI_INLINE static void spread(vvi_sparse *f, int o, int n, int32_t e, int32_t end)
{
  const int32_t j = f->row[e];
  const double *b = f->below + f->value[e];
  less_product(o, o, n, f->diag[j], b, b);
  int32_t at = f->first[j];
  for (int32_t i = e + 1; i < end; i++) {
    while (f->row[at] != f->row[i]) at++;
    if (dim_of(f, f->row[i]) == 6) {
      less_product(6, o, n, f->below + f->value[at], f->below + f->value[i], b);
    } else {
      less_product(3, o, n, f->below + f->value[at], f->below + f->value[i], b);
    }
  }
}

VVI_INLINE static bool column(vvi_sparse *f, int n, int32_t k)
{
  const int32_t begin = f->first[k], end = f->first[k + 1];
  if (!root(n, f->diag[k], f->redundant > 0.0 ? f->scratch + f->start[k] : NULL)) return false;
  for (int32_t e = begin; e < end; e++) {
    if (dim_of(f, f->row[e]) == 6) {
      times_turned(6, n, f->below + f->value[e], f->diag[k]);
    } else {
      times_turned(3, n, f->below + f->value[e], f->diag[k]);
    }
  }
  for (int32_t e = begin; e < end; e++) {
    if (dim_of(f, f->row[e]) == 6) {
      spread(f, 6, n, e, end);
    } else {
      spread(f, 3, n, e, end);
    }
  }
  return true;
}

VVI_HOT_LOCAL static bool make(vvi_sparse *f)
{
  for (int32_t k = 0; k < f->n; k++) {
    if (!(dim_of(f, k) == 6 ? column(f, 6, k) : column(f, 3, k))) return false;
  }
  return true;
}

bool vvi_sparse_make(vvi_sparse *f)
{
  for (int32_t k = 0; f->redundant > 0.0 && k < f->n; k++)
    for (int c = 0, n = dim_of(f, k); c < n; c++) f->scratch[f->start[k] + c] = f->redundant * f->diag[k][(n + 1) * c];
  return make(f);
}

/* y_k := L_k^-1 y_k, and what it takes from those below. */
VVI_INLINE static void forward(const vvi_sparse *f, int n, int32_t k, double *y)
{
  double *yk = y + f->start[k], z[6] = {0};
  for (int c = 0; c < n; c++) {
    for (int r = c; r < n; r++) z[r] += f->diag[k][n * c + r] * yk[c];
  }
  for (int c = 0; c < n; c++) yk[c] = z[c];
  for (int32_t e = f->first[k]; e < f->first[k + 1]; e++) {
    double *yi = y + f->start[f->row[e]];
    const double *b = f->below + f->value[e];
    const int m = dim_of(f, f->row[e]);
    for (int c = 0; c < n; c++) {
      for (int r = 0; r < m; r++) yi[r] -= b[m * c + r] * z[c];
    }
  }
}

VVI_INLINE static void back(const vvi_sparse *f, int n, int32_t k, double *y)
{
  double *yk = y + f->start[k], z[6] = {0};
  for (int32_t e = f->first[k]; e < f->first[k + 1]; e++) {
    const double *yi = y + f->start[f->row[e]], *b = f->below + f->value[e];
    const int m = dim_of(f, f->row[e]);
    for (int c = 0; c < n; c++) {
      for (int r = 0; r < m; r++) yk[c] -= b[m * c + r] * yi[r];
    }
  }
  for (int c = 0; c < n; c++) {
    for (int r = c; r < n; r++) z[c] += f->diag[k][n * c + r] * yk[r];
  }
  for (int c = 0; c < n; c++) yk[c] = z[c];
}

VVI_HOT_LOCAL static void solve(const vvi_sparse *f, const double *b, double *x)
{
  double *y = f->scratch;
  for (int32_t k = 0; k < f->n; k++) {
    for (int c = 0; c < dim_of(f, k); c++) y[f->start[k] + c] = b[f->at[f->node[k]] + c];
  }
  for (int32_t k = 0; k < f->n; k++) {
    if (dim_of(f, k) == 6) {
      forward(f, 6, k, y);
    } else {
      forward(f, 3, k, y);
    }
  }
  for (int32_t k = f->n - 1; k >= 0; k--) {
    if (dim_of(f, k) == 6) {
      back(f, 6, k, y);
    } else {
      back(f, 3, k, y);
    }
  }
  for (int32_t k = 0; k < f->n; k++) {
    for (int c = 0; c < dim_of(f, k); c++) x[f->at[f->node[k]] + c] = y[f->start[k] + c];
  }
}

void vvi_sparse_solve(const vvi_sparse *f, const double *b, double *x)
{
  solve(f, b, x);
}

/* ---- numbers, without symmetry ---- */

void vvi_sparse_clear_both(vvi_sparse *f)
{
  vvi_sparse_clear(f);
  if (f->values > 0) memset(f->right, 0, sizeof *f->right * (size_t)f->values);
}

/* a := its inverse, by Gauss and Jordan with pivots; false: singular. */
VVI_INLINE static bool invert(int n, double *a)
{
  int row[6];
  for (int k = 0; k < n; k++) {
    int at = k;
    for (int r = k + 1; r < n; r++) {
      if (fabs(a[n * k + r]) > fabs(a[n * k + at])) at = r;
    }
    row[k] = at;
    if (!(fabs(a[n * k + at]) > 0.0)) return false;
    for (int c = 0; c < n && at != k; c++) {
      const double swap = a[n * c + k];
      a[n * c + k] = a[n * c + at], a[n * c + at] = swap;
    }
    const double inverse = 1.0 / a[n * k + k];
    a[n * k + k] = 1.0;
    for (int c = 0; c < n; c++) a[n * c + k] *= inverse;
    for (int r = 0; r < n; r++) {
      if (r == k) continue;
      const double x = a[n * k + r];
      a[n * k + r] = 0.0;
      for (int c = 0; c < n; c++) a[n * c + r] -= x * a[n * c + k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int r = 0; r < n && row[k] != k; r++) {
      const double swap = a[n * k + r];
      a[n * k + r] = a[n * row[k] + r], a[n * row[k] + r] = swap;
    }
  }
  return true;
}

/* x (m rows) := x a, a of size n */
VVI_INLINE static void times(int m, int n, double *x, const double *a)
{
  double y[36] = {0};
  for (int c = 0; c < n; c++) {
    for (int k = 0; k < n; k++) {
      for (int r = 0; r < m; r++) y[m * c + r] += x[m * k + r] * a[n * c + k];
    }
  }
  for (int i = 0; i < m * n; i++) x[i] = y[i];
}

VVI_INLINE static void spread_both(vvi_sparse *f, int o, int n, int32_t e, int32_t end)
{
  const int32_t j = f->row[e];
  const double *l = f->below + f->value[e], *u = f->right + f->value[e];
  less_product(o, o, n, f->diag[j], l, u);
  int32_t at = f->first[j];
  for (int32_t i = e + 1; i < end; i++) {
    while (f->row[at] != f->row[i]) at++;
    if (dim_of(f, f->row[i]) == 6) {
      less_product(6, o, n, f->below + f->value[at], f->below + f->value[i], u);
      less_product(6, o, n, f->right + f->value[at], f->right + f->value[i], l);
    } else {
      less_product(3, o, n, f->below + f->value[at], f->below + f->value[i], u);
      less_product(3, o, n, f->right + f->value[at], f->right + f->value[i], l);
    }
  }
}

VVI_INLINE static bool column_both(vvi_sparse *f, int n, int32_t k)
{
  const int32_t begin = f->first[k], end = f->first[k + 1];
  if (!invert(n, f->diag[k])) return false;
  for (int32_t e = begin; e < end; e++) {
    if (dim_of(f, f->row[e]) == 6) {
      times(6, n, f->below + f->value[e], f->diag[k]);
    } else {
      times(3, n, f->below + f->value[e], f->diag[k]);
    }
  }
  for (int32_t e = begin; e < end; e++) {
    if (dim_of(f, f->row[e]) == 6) {
      spread_both(f, 6, n, e, end);
    } else {
      spread_both(f, 3, n, e, end);
    }
  }
  return true;
}

VVI_HOT_LOCAL static bool make_both(vvi_sparse *f)
{
  for (int32_t k = 0; k < f->n; k++) {
    if (!(dim_of(f, k) == 6 ? column_both(f, 6, k) : column_both(f, 3, k))) return false;
  }
  return true;
}

bool vvi_sparse_make_both(vvi_sparse *f)
{
  return make_both(f);
}

VVI_HOT_LOCAL static void solve_both(const vvi_sparse *f, const double *b, double *x)
{
  double *y = f->scratch;
  for (int32_t k = 0; k < f->n; k++) {
    for (int c = 0; c < dim_of(f, k); c++) y[f->start[k] + c] = b[f->at[f->node[k]] + c];
  }
  for (int32_t k = 0; k < f->n; k++) {
    const double *yk = y + f->start[k];
    const int n = dim_of(f, k);
    for (int32_t e = f->first[k]; e < f->first[k + 1]; e++) {
      double *yi = y + f->start[f->row[e]];
      const double *l = f->below + f->value[e];
      const int m = dim_of(f, f->row[e]);
      for (int c = 0; c < n; c++) {
        for (int r = 0; r < m; r++) yi[r] -= l[m * c + r] * yk[c];
      }
    }
  }
  for (int32_t k = f->n - 1; k >= 0; k--) {
    double *yk = y + f->start[k], z[6] = {0};
    const int n = dim_of(f, k);
    for (int32_t e = f->first[k]; e < f->first[k + 1]; e++) {
      const double *yi = y + f->start[f->row[e]], *u = f->right + f->value[e];
      const int m = dim_of(f, f->row[e]);
      for (int c = 0; c < n; c++) {
        for (int r = 0; r < m; r++) yk[c] -= u[m * c + r] * yi[r];
      }
    }
    for (int c = 0; c < n; c++) {
      for (int r = 0; r < n; r++) z[r] += f->diag[k][n * c + r] * yk[c];
    }
    for (int c = 0; c < n; c++) yk[c] = z[c];
  }
  for (int32_t k = 0; k < f->n; k++) {
    for (int c = 0; c < dim_of(f, k); c++) x[f->at[f->node[k]] + c] = y[f->start[k] + c];
  }
}

void vvi_sparse_solve_both(const vvi_sparse *f, const double *b, double *x)
{
  solve_both(f, b, x);
}
