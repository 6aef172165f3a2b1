/* tests/contact/test_sparse.c  Factors of matrices of blocks, for points and frames, against the matrices themselves. */
#include "check.h"

#include "contact/island/sparse.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 40 };

typedef struct matrix {
  vvi_arena arena;
  vvi_sparse f;
  uint8_t dim[MOST];
  int32_t at[MOST + 1];
  double a[6 * MOST][6 * MOST];
} matrix;

static uint64_t seed;

static double chance(void) /* in (-1, 1) */
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(seed >> 11) / (double)((int64_t)1 << 52) - 1.0;
}

/* every: each so many rows of blocks is a point (0: none). */
static matrix *open_matrix(int n, int every)
{
  matrix *m = calloc(1, sizeof *m);
  assert_non_null(m);
  m->f = (vvi_sparse){.arena = &m->arena, .block_limit = 10000};
  assert_true(vvi_sparse_reserve(&m->f, n));
  for (int i = 0; i < n; i++) {
    m->dim[i] = every > 0 && i % every == 0 ? 3 : 6;
    m->at[i + 1] = m->at[i] + m->dim[i];
  }
  m->f.n = n, m->f.dim = m->dim, m->f.at = m->at;
  vvi_sparse_begin(&m->f);
  return m;
}

static void close_matrix(matrix *m)
{
  vvi_arena_free(&m->arena);
  free(m);
}

/* Entry (r, c) of the block of rows a and b, in the dense matrix and in the sparse one. */
static void add(matrix *m, int a, int b, int r, int c, double value, bool both)
{
  vvi_sparse *f = &m->f;
  m->a[m->at[a] + r][m->at[b] + c] += value;
  if (a == b) {
    f->diag[f->place[a]][m->dim[a] * c + r] += value;
    return;
  }
  bool turned;
  const int32_t at = vvi_sparse_find(f, a, b, &turned);
  if (!turned) {
    f->below[f->value[at] + m->dim[a] * c + r] += value;
  } else if (both) { /* right of the diagonal, kept turned */
    f->right[f->value[at] + m->dim[b] * r + c] += value;
  }
}

/* The sum of g^T h over the pairs, both random, h = g where it is symmetric; and `own` on the diagonal. */
static void fill(matrix *m, int pairs, int pair[][2], bool both, double own)
{
  both ? vvi_sparse_clear_both(&m->f) : vvi_sparse_clear(&m->f);
  for (int i = 0; i < m->f.n; i++) {
    for (int c = 0; c < m->dim[i]; c++) add(m, i, i, c, c, own, both);
  }
  for (int e = 0; e < pairs; e++) {
    double g[2][6], h[2][6];
    for (int i = 0; i < 12; i++) g[i / 6][i % 6] = chance(), h[i / 6][i % 6] = both ? chance() : g[i / 6][i % 6];
    for (int i = 0; i < 2; i++) {
      for (int k = 0; k < 2; k++) {
        for (int r = 0; r < m->dim[pair[e][i]]; r++) {
          for (int c = 0; c < m->dim[pair[e][k]]; c++) add(m, pair[e][i], pair[e][k], r, c, g[i][r] * h[k][c], both);
        }
      }
    }
  }
}

static void check_solve(matrix *m, bool both, double tolerance)
{
  double b[6 * MOST], x[6 * MOST];
  const int n = m->at[m->f.n];
  for (int i = 0; i < n; i++) b[i] = x[i] = chance();
  assert_true(both ? vvi_sparse_make_both(&m->f) : vvi_sparse_make(&m->f));
  both ? vvi_sparse_solve_both(&m->f, x, x) : vvi_sparse_solve(&m->f, x, x);
  for (int i = 0; i < n; i++) {
    double r = -b[i], size = fabs(b[i]);
    for (int k = 0; k < n; k++) r += m->a[i][k] * x[k], size += fabs(m->a[i][k] * x[k]);
    check_most(fabs(r), tolerance * n * size);
  }
}

/* Frames alone, points alone, both; symmetric or not.  Without symmetry pivots stay in their blocks: the diagonal is heavier,
 * as the unit matrix of the island solver makes it, and rounding is allowed to be worse. */
static void random_matrices(void **unused)
{
  (void)unused;
  for (int s = 0; s < 90; s++) {
    int pair[3 * MOST][2];
    const int n = 2 + s % (MOST - 1), pairs = 1 + s * 4 % (3 * MOST);
    const bool both = s % 2 == 1;
    seed = (uint64_t)s + 3;
    matrix *m = open_matrix(n, s % 3);
    for (int e = 0; e < pairs; e++) {
      pair[e][0] = (int)(0.5 * (1.0 + chance()) * n), pair[e][1] = (pair[e][0] + 1 + e % (n - 1)) % n;
      vvi_sparse_pair(&m->f, pair[e][0], pair[e][1]);
    }
    assert_true(vvi_sparse_plan(&m->f));
    fill(m, pairs, pair, both, both ? 20.0 : 0.1);
    check_solve(m, both, both ? 1e-13 : 1e-14);
    close_matrix(m);
  }
}

/* Where the matrix is symmetric both factors give the same answer. */
static void both_agree(void **unused)
{
  (void)unused;
  static int pair[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {1, 4}};
  double x[2][6 * MOST];
  for (int both = 0; both < 2; both++) {
    matrix *m = open_matrix(5, 2);
    for (int e = 0; e < 5; e++) vvi_sparse_pair(&m->f, pair[e][0], pair[e][1]);
    assert_true(vvi_sparse_plan(&m->f));
    seed = 11;
    both ? vvi_sparse_clear_both(&m->f) : vvi_sparse_clear(&m->f);
    for (int i = 0; i < 5; i++) {
      for (int c = 0; c < m->dim[i]; c++) add(m, i, i, c, c, 1.0, both);
    }
    for (int e = 0; e < 5; e++) {
      double g[12];
      for (int i = 0; i < 12; i++) g[i] = chance();
      for (int i = 0; i < 12; i++) {
        for (int k = 0; k < 12; k++) {
          const int a = pair[e][i / 6], b = pair[e][k / 6];
          if (i % 6 < m->dim[a] && k % 6 < m->dim[b]) add(m, a, b, i % 6, k % 6, g[i] * g[k], both);
        }
      }
    }
    for (int i = 0; i < m->at[5]; i++) x[both][i] = chance();
    assert_true(both ? vvi_sparse_make_both(&m->f) : vvi_sparse_make(&m->f));
    both ? vvi_sparse_solve_both(&m->f, x[both], x[both]) : vvi_sparse_solve(&m->f, x[both], x[both]);
    for (int i = 0; both == 1 && i < m->at[5]; i++) check_near(x[1][i], x[0][i], 1e-13);
    close_matrix(m);
  }
}

static void ring(matrix *m)
{
  vvi_sparse_begin(&m->f);
  for (int i = 0; i < m->f.n; i++) vvi_sparse_pair(&m->f, i, (i + 1) % m->f.n);
}

/* Of a tree the least degree makes no fill, in whatever order its rows come; a ring of n has n blocks and n - 3 of fill; a
 * matrix with more blocks than allowed is refused. */
static void fill_in(void **unused)
{
  (void)unused;
  const int n = 31;
  matrix *m = open_matrix(n, 0);
  for (int i = 1; i < n; i++) vvi_sparse_pair(&m->f, (i * 7) % n, ((i - 1) / 2 * 7) % n);
  assert_true(vvi_sparse_plan(&m->f));
  assert_int_equal(m->f.blocks, n - 1);
  ring(m);
  assert_true(vvi_sparse_plan(&m->f));
  assert_int_equal(m->f.blocks, n + n - 3);
  close_matrix(m);
  m = open_matrix(n, 0);
  m->f.block_limit = 2 * n - 4; /* one too few */
  ring(m);
  assert_false(vvi_sparse_plan(&m->f));
  close_matrix(m);
}

/* An arrow, many points between two frames: points go first, and nothing is filled beyond the block of the two. */
static void arrow(void **unused)
{
  (void)unused;
  matrix *m = open_matrix(MOST, 0);
  for (int i = 2; i < MOST; i++) m->dim[i] = 3;
  for (int i = 0; i < MOST; i++) m->at[i + 1] = m->at[i] + m->dim[i];
  for (int i = 2; i < MOST; i++) vvi_sparse_pair(&m->f, i, 0), vvi_sparse_pair(&m->f, i, 1);
  assert_true(vvi_sparse_plan(&m->f));
  assert_int_equal(m->f.blocks, 2 * (MOST - 2) + 1);
  close_matrix(m);
}

static void refused(void **unused)
{
  (void)unused;
  static int pair[][2] = {{0, 1}, {1, 2}};
  for (int both = 0; both < 2; both++) {
    matrix *m = open_matrix(3, 0);
    for (int e = 0; e < 2; e++) vvi_sparse_pair(&m->f, pair[e][0], pair[e][1]);
    assert_true(vvi_sparse_plan(&m->f));
    fill(m, 0, pair, both, 1.0);
    if (both) { /* singular */
      for (int c = 0; c < 6; c++) add(m, 1, 1, c, c, -1.0, true);
      assert_false(vvi_sparse_make_both(&m->f));
    } else { /* not positive */
      add(m, 1, 1, 3, 3, -5.0, false);
      assert_false(vvi_sparse_make(&m->f));
    }
    close_matrix(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_matrices), cmocka_unit_test(both_agree),
                                     cmocka_unit_test(fill_in), cmocka_unit_test(arrow), cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
