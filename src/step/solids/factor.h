/* step/solids/factor.h  Cholesky factor of a symmetric positive matrix of 6 x 6 blocks with few of them filled: one row of
 * blocks for each mover of an island, one block for each pair that touches. */
#pragma once
#include "math/math.h"

/* VV_HOT for static functions.  gcc 12 takes a static clone for a function that knows its callers, which then need not align
 * the stack for its vectors (a crash); `used` says that there may be others.  clang 14 clones static functions only, and
 * without `used`. */
#ifdef __clang__
#define VVI_HOT_LOCAL VV_HOT
#else
#define VVI_HOT_LOCAL VV_HOT __attribute__((used))
#endif

enum { VVI_FACTOR_MOST = 4096 }; /* rows of blocks */

/* Arrays of the caller: [n] unless said; `room` blocks. */
typedef struct vvi_factor {
  int32_t n, blocks, room;
  int32_t *place;      /* where a row stands in the order of elimination */
  int32_t *node;       /* the inverse of place */
  int32_t *first;      /* [n + 1] of each column, below its diagonal, into row */
  int32_t *row;        /* [room] ascending, in places */
  uint64_t *bits;      /* [n][vvi_factor_words(n)] scratch of the plan */
  double (*diag)[36];  /* diagonal blocks, and after factorising the inverses of their factors */
  double (*below)[36]; /* [room] blocks below, each by columns */
} vvi_factor;

static inline int32_t vvi_factor_words(int32_t n)
{
  return (n + 63) / 64;
}

/* Order of elimination and fill: begin, every pair of rows that has a block, plan.  False: more than `room` blocks. */
void vvi_factor_begin(vvi_factor *f);
void vvi_factor_pair(vvi_factor *f, int32_t a, int32_t b);
bool vvi_factor_plan(vvi_factor *f);
/* Index into `below` of the block of rows a != b; *turned: it stands there as (b, a). */
int32_t vvi_factor_find(const vvi_factor *f, int32_t a, int32_t b, bool *turned);
void vvi_factor_clear(vvi_factor *f);
bool vvi_factor_make(vvi_factor *f); /* L L^T = the matrix in diag and below; false: not positive */
void vvi_factor_solve(const vvi_factor *f, const double *b, double *x, double *scratch); /* [n][6] each; b may be x */
