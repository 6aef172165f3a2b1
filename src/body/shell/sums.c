/* body/shell/sums.c  Sums over tiles.  Inside a tile the order is that of its nodes or elements; over tiles sums are exact. */
#include "body/shell/shell.h"

#include "math/exact.h"

void shell_sum_tiles(const vv_block *b, int n, const double *part, double *out)
{
  const shell_plan *plan = b->plan;
  vvi_exact sum[SHELL_SUMS] = {{{0}, 0, 0, 0, 0}};
  for (int64_t i = 0; i < plan->tiles; i++)
    for (int k = 0; k < n; k++)
      if (part[SHELL_SUMS * i + k] != 0.0) vvi_exact_add(&sum[k], part[SHELL_SUMS * i + k]);
  for (int k = 0; k < n; k++) out[k] = vvi_exact_value(&sum[k]);
}
