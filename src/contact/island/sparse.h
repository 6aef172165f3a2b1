/* contact/island/sparse.h  Factors of a matrix with few of its blocks filled: a row of blocks for each mover of an island,
 * 3 numbers for a point and 6 for a frame, and a block for each pair that a contact joins.  Symmetric and positive, or not
 * symmetric and with pivots in diagonal blocks only. */
#pragma once
#include "math/math.h"

/* VV_HOT for static functions.  gcc 12 takes a static clone for a function that knows its callers, which then need not align
 * the stack for its vectors (a crash); `used` says that there may be others.  clang 14 clones static functions only, and
 * without `used`. */
#ifndef VVI_HOT_LOCAL
#ifdef __clang__
#define VVI_HOT_LOCAL VV_HOT
#else
#define VVI_HOT_LOCAL VV_HOT __attribute__((used))
#endif
#endif

/* What hot loops call becomes part of them: else it would be compiled for the oldest machine alone. */
#define VVI_INLINE inline __attribute__((always_inline))

typedef struct vvi_sparse {
  vvi_arena *arena;
  int32_t n, most;      /* rows of blocks; room for them */
  int32_t blocks, room; /* below the diagonal; room for them */
  int64_t values, value_room;
  int64_t block_limit; /* a matrix with more blocks is refused */
  const uint8_t *dim;  /* [n] 3 or 6, by rows; of the caller */
  const int32_t *at;   /* [n + 1] where a row begins in a vector; of the caller */
  int32_t *place;      /* [n] where a row stands in the order of elimination */
  int32_t *node;       /* [n] the inverse of place */
  int32_t *first;      /* [n + 1] of each column, below its diagonal, into row */
  int32_t *start;      /* [n + 1] where a place begins in a vector in the order of elimination */
  int32_t *row;        /* [room] ascending, in places */
  int64_t *value;      /* [room] where a block begins in below */
  uint64_t *bits;      /* [n][vvi_sparse_words(n)] scratch of the plan */
  double (*diag)[36];  /* [n] diagonal blocks, and after factorising the inverses of their factors; by columns */
  double *below;       /* [value_room] blocks below, each by columns */
  double *right;       /* [value_room] and their partners right of the diagonal, turned: of the same shape */
  double *scratch;     /* [6 n] */
  double redundant; /* symmetric: pivots below this part of their diagonal are taken for zero, and what is sought there
                          is zero; 0: they are refused */
} vvi_sparse;

static inline int32_t vvi_sparse_words(int32_t n)
{
  return (n + 63) / 64;
}

/* Room for n rows; false: out of memory. */
bool vvi_sparse_reserve(vvi_sparse *f, int32_t n);
/* Order of elimination and fill: begin, every pair of rows that has a block, plan.  False: too many blocks. */
void vvi_sparse_begin(vvi_sparse *f);
void vvi_sparse_pair(vvi_sparse *f, int32_t a, int32_t b);
bool vvi_sparse_plan(vvi_sparse *f);
/* Number of the block of rows a != b; *turned: it stands there as (b, a). */
int32_t vvi_sparse_find(const vvi_sparse *f, int32_t a, int32_t b, bool *turned);
/* Symmetric: diag and below hold the matrix, then L with L L^T = the matrix; false: not positive. */
void vvi_sparse_clear(vvi_sparse *f);
bool vvi_sparse_make(vvi_sparse *f);
void vvi_sparse_solve(const vvi_sparse *f, const double *b, double *x); /* vectors by rows; b may be x */
/* Not symmetric: `right` holds the blocks right of the diagonal, turned; false: a diagonal block is singular. */
void vvi_sparse_clear_both(vvi_sparse *f);
bool vvi_sparse_make_both(vvi_sparse *f);
void vvi_sparse_solve_both(const vvi_sparse *f, const double *b, double *x);
