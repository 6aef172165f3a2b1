/* tests/step/test_factor.c  The factor of a matrix of 6 x 6 blocks against the matrix itself. */
#include "check.h"

#include "step/solids/factor.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 40, ROOM = MOST * (MOST - 1) / 2 };

typedef struct matrix {
  vvi_arena arena;
  vvi_factor f;
  double a[6 * MOST][6 * MOST];
} matrix;

static uint64_t seed;

static double chance(void) /* in (-1, 1) */
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(seed >> 11) / (double)((int64_t)1 << 52) - 1.0;
}

static matrix *open_matrix(int n)
{
  matrix *m = calloc(1, sizeof *m);
  assert_non_null(m);
  m->f = (vvi_factor){.n = n, .room = ROOM};
  m->f.place = VVI_ARENA_NEW(&m->arena, int32_t, n), m->f.node = VVI_ARENA_NEW(&m->arena, int32_t, n);
  m->f.first = VVI_ARENA_NEW(&m->arena, int32_t, n + 1), m->f.row = VVI_ARENA_NEW(&m->arena, int32_t, ROOM);
  m->f.bits = VVI_ARENA_NEW(&m->arena, uint64_t, n * vvi_factor_words(n));
  m->f.diag = vvi_arena_alloc(&m->arena, sizeof *m->f.diag * (size_t)n);
  m->f.below = vvi_arena_alloc(&m->arena, sizeof *m->f.below * ROOM);
  vvi_factor_begin(&m->f);
  return m;
}

static void close_matrix(matrix *m)
{
  vvi_arena_free(&m->arena);
  free(m);
}

/* Entry (r, c) of the block of rows a and b, both in the dense matrix and in the factor. */
static void add(matrix *m, int a, int b, int r, int c, double value)
{
  m->a[6 * a + r][6 * b + c] += value;
  if (a == b) {
    m->f.diag[m->f.place[a]][6 * c + r] += value;
  } else {
    bool turned;
    const int32_t at = vvi_factor_find(&m->f, a, b, &turned);
    if (!turned) m->f.below[at][6 * c + r] += value; /* the other half, (b, a), comes on its own */
  }
}

/* The sum of g^T g over the pairs, g random on both, and of 0.1 on the diagonal. */
static void fill(matrix *m, int pairs, int pair[][2])
{
  vvi_factor_clear(&m->f);
  for (int i = 0; i < 6 * m->f.n; i++) add(m, i / 6, i / 6, i % 6, i % 6, 0.1);
  for (int e = 0; e < pairs; e++) {
    double g[12];
    for (int i = 0; i < 12; i++) g[i] = chance();
    for (int i = 0; i < 12; i++) {
      for (int k = 0; k < 12; k++) add(m, pair[e][i / 6], pair[e][k / 6], i % 6, k % 6, g[i] * g[k]);
    }
  }
}

static void check_solve(matrix *m)
{
  double b[6 * MOST], x[6 * MOST], scratch[6 * MOST];
  const int n = 6 * m->f.n;
  for (int i = 0; i < n; i++) b[i] = x[i] = chance();
  assert_true(vvi_factor_make(&m->f));
  vvi_factor_solve(&m->f, x, x, scratch);
  for (int i = 0; i < n; i++) {
    double r = -b[i], size = fabs(b[i]);
    for (int k = 0; k < n; k++) r += m->a[i][k] * x[k], size += fabs(m->a[i][k] * x[k]);
    check_most(fabs(r), 1e-14 * n * size);
  }
}

static void test_random(void **unused)
{
  (void)unused;
  for (int s = 0; s < 30; s++) {
    int pair[3 * MOST][2];
    const int n = 2 + s % (MOST - 1), pairs = 1 + s * 4 % (3 * MOST);
    seed = (uint64_t)s + 3;
    matrix *m = open_matrix(n);
    for (int e = 0; e < pairs; e++) {
      pair[e][0] = (int)(0.5 * (1.0 + chance()) * n), pair[e][1] = (pair[e][0] + 1 + e % (n - 1)) % n;
      vvi_factor_pair(&m->f, pair[e][0], pair[e][1]);
    }
    assert_true(vvi_factor_plan(&m->f));
    fill(m, pairs, pair);
    check_solve(m);
    close_matrix(m);
  }
}

/* Of a tree the least degree makes no fill, in whatever order its nodes come; a ring of n has n blocks and n - 3 of fill. */
static void test_fill(void **unused)
{
  (void)unused;
  const int n = 31;
  matrix *m = open_matrix(n);
  for (int i = 1; i < n; i++) vvi_factor_pair(&m->f, (i * 7) % n, ((i - 1) / 2 * 7) % n);
  assert_true(vvi_factor_plan(&m->f));
  assert_int_equal(m->f.blocks, n - 1);
  vvi_factor_begin(&m->f);
  for (int i = 0; i < n; i++) vvi_factor_pair(&m->f, i, (i + 1) % n);
  assert_true(vvi_factor_plan(&m->f));
  assert_int_equal(m->f.blocks, n + n - 3);
  m->f.room = 2 * n - 4; /* one too few */
  vvi_factor_begin(&m->f);
  for (int i = 0; i < n; i++) vvi_factor_pair(&m->f, i, (i + 1) % n);
  assert_false(vvi_factor_plan(&m->f));
  close_matrix(m);
}

static void test_not_positive(void **unused)
{
  (void)unused;
  static int pair[][2] = {{0, 1}, {1, 2}};
  matrix *m = open_matrix(3);
  for (int e = 0; e < 2; e++) vvi_factor_pair(&m->f, pair[e][0], pair[e][1]);
  assert_true(vvi_factor_plan(&m->f));
  fill(m, 2, pair);
  add(m, 1, 1, 3, 3, -5.0);
  assert_false(vvi_factor_make(&m->f));
  close_matrix(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_fill),
                                     cmocka_unit_test(test_not_positive)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
