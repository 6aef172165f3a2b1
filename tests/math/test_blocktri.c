/* tests/math/test_blocktri.c  Block tridiagonal systems against a dense solver: open, ring, many right-hand sides. */
#include "check.h"

#include "math/blocktri.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 40, N = VVI_BLOCK, C = VVI_BLOCK_COLUMN };

static double noise(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

/* Gauss with exchange of rows; a [m][m] and b [m] are overwritten, b with the solution. */
static void dense_solve(int m, double *a, double *b)
{
  for (int k = 0; k < m; k++) {
    int best = k;
    for (int i = k + 1; i < m; i++)
      if (fabs(a[i * m + k]) > fabs(a[best * m + k])) best = i;
    for (int j = 0; j < m; j++) {
      const double hold = a[k * m + j];
      a[k * m + j] = a[best * m + j], a[best * m + j] = hold;
    }
    const double hold = b[k];
    b[k] = b[best], b[best] = hold;
    for (int i = k + 1; i < m; i++) {
      const double f = a[i * m + k] / a[k * m + k];
      for (int j = k; j < m; j++) a[i * m + j] -= f * a[k * m + j];
      b[i] -= f * b[k];
    }
  }
  for (int i = m - 1; i >= 0; i--) {
    for (int j = i + 1; j < m; j++) b[i] -= a[i * m + j] * b[j];
    b[i] /= a[i * m + i];
  }
}

typedef struct problem {
  vvi_blocktri t;
  double store[4][MOST * VVI_BLOCK_REALS];
  double dense[MOST * N * MOST * N], copy[MOST * N * MOST * N];
} problem;

static void add_dense(problem *p, int64_t row, int64_t col, const double *block)
{
  const int64_t m = N * p->t.n;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) p->dense[(N * row + i) * m + N * col + j] += block[C * j + i];
}

/* Random blocks with large entries on the diagonal, or `away` from it, over zeros: then rows must be exchanged. */
static problem *random_problem(int n, bool ring, int away, uint64_t *seed)
{
  problem *p = calloc(1, sizeof *p);
  assert_non_null(p);
  p->t = (vvi_blocktri){
      .n = n, .ring = ring, .lower = p->store[0], .diagonal = p->store[1], .upper = p->store[2], .border = p->store[3]};
  for (int s = 0; s < 4; s++)
    for (int i = 0; i < n * VVI_BLOCK_REALS; i++) p->store[s][i] = noise(seed);
  for (int i = 0; i < n; i++) {
    double *d = p->t.diagonal + i * VVI_BLOCK_REALS;
    for (int k = 0; away > 0 && k < N; k++) d[C * k + k] = 0.0;
    for (int k = 0; k < N; k++) d[C * k + (k + away) % N] += 9.0;
    add_dense(p, i, i, p->t.diagonal + i * VVI_BLOCK_REALS);
    if (ring || i > 0) add_dense(p, i, (i + n - 1) % n, p->t.lower + i * VVI_BLOCK_REALS);
    if (ring || i + 1 < n) add_dense(p, i, (i + 1) % n, p->t.upper + i * VVI_BLOCK_REALS);
  }
  return p;
}

static double worst_error(problem *p, uint64_t *seed)
{
  const int n = (int)p->t.n, m = N * n;
  double x[MOST * C] = {0}, b[MOST * N], worst = 0.0;
  for (int i = 0; i < m; i++) x[C * (i / N) + i % N] = b[i] = noise(seed);
  memcpy(p->copy, p->dense, sizeof p->copy);
  dense_solve(m, p->copy, b);
  vvi_blocktri_solve(&p->t, x);
  for (int i = 0; i < m; i++) worst = fmax(worst, fabs(x[C * (i / N) + i % N] - b[i]));
  return worst;
}

static void test_random_systems(void **unused)
{
  (void)unused;
  uint64_t seed = 7;
  static const int size[] = {1, 2, 3, 4, 9, MOST};
  for (int k = 0; k < 6; k++)
    for (int way = 0; way < 4; way++) {
      const bool ring = way % 2 == 1;
      if (ring && size[k] < 2) continue;
      problem *p = random_problem(size[k], ring, way, &seed);
      assert_true(vvi_blocktri_factor(&p->t));
      for (int again = 0; again < 3; again++) check_most(worst_error(p, &seed), 1e-12); /* factors are not used up */
      free(p);
    }
}

/* Rows k and k + 1 of the first block agree in the columns k and k + 1, all but a little, and are empty before: the pivot of
 * row k + 1 is what cancellation leaves, 1e-10 of what stood there, though the block is well conditioned. */
static problem *cancelling_problem(int n, bool ring, int k, uint64_t *seed)
{
  problem *p = random_problem(n, ring, 0, seed);
  double *d = p->t.diagonal;
  for (int j = 0; j < k; j++) d[C * j + k] = d[C * j + k + 1] = 0.0;
  d[C * (k + 1) + k] = 2.0;
  d[C * k + k + 1] = d[C * k + k], d[C * (k + 1) + k + 1] = 2.0 + 2e-10;
  for (int j = k + 2; j < N; j++) d[C * j + k] = 3.0, d[C * j + k + 1] = -3.0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) p->dense[i * N * n + j] = d[C * j + i];
  return p;
}

static void test_cancelling_pivots(void **unused)
{
  (void)unused;
  uint64_t seed = 13;
  for (int k = 0; k < N - 2; k++)
    for (int way = 0; way < 6; way++) {
      problem *p = cancelling_problem(way < 2 ? 1 : 3 + way, way == 5, k, &seed);
      assert_true(vvi_blocktri_factor(&p->t));
      for (int again = 0; again < 3; again++) check_most(worst_error(p, &seed), 1e-10);
      free(p);
    }
}

static void test_singular_is_said(void **unused)
{
  (void)unused;
  uint64_t seed = 11;
  problem *p = random_problem(5, false, 0, &seed);
  for (int j = 0; j < N; j++) p->t.diagonal[3 * VVI_BLOCK_REALS + C * j + 4] = 0.0;
  for (int j = 0; j < N; j++) p->t.lower[3 * VVI_BLOCK_REALS + C * j + 4] = 0.0; /* row 4 of node 3 is empty */
  assert_false(vvi_blocktri_factor(&p->t));
  free(p);
  p = random_problem(5, true, 0, &seed);
  p->t.diagonal[2 * VVI_BLOCK_REALS] = NAN;
  assert_false(vvi_blocktri_factor(&p->t));
  free(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_systems), cmocka_unit_test(test_cancelling_pivots),
                                     cmocka_unit_test(test_singular_is_said)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
