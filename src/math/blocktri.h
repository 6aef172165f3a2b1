/* math/blocktri.h  Systems whose matrix has 6x6 blocks on three diagonals, open or closed to a ring.
 *
 *   lower_i x_{i-1} + diagonal_i x_i + upper_i x_{i+1} = b_i,   i = 0 .. n - 1
 *
 * Blocks are stored by columns, a column padded to eight reals: entry (i, j) is block[8 j + i]; what lies in the padding is
 * never used.  In a ring lower_0 reaches x_{n-1} and upper_{n-1} reaches x_0; otherwise these two are not looked at.
 * Rows are exchanged inside a block, never between blocks: meant for matrices whose diagonal blocks lead. */
#pragma once
#include "base/base.h"

enum { VVI_BLOCK = 6, VVI_BLOCK_COLUMN = 8, VVI_BLOCK_REALS = VVI_BLOCK * VVI_BLOCK_COLUMN };

/* All storage is the caller's. */
typedef struct vvi_blocktri {
  int64_t n;
  bool ring;                        /* n >= 2 then */
  double *lower, *diagonal, *upper; /* [n][VVI_BLOCK_REALS] */
  double *border;                   /* [n][VVI_BLOCK_REALS], rings only */
} vvi_blocktri;

/* Replaces the blocks by factors that any number of right-hand sides can use.  false: a pivot was zero or not finite. */
bool vvi_blocktri_factor(const vvi_blocktri *t);
/* x: right-hand sides in, solution out, [n][VVI_BLOCK_COLUMN]. */
void vvi_blocktri_solve(const vvi_blocktri *t, double *x);
