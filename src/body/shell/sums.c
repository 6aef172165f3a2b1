/* body/shell/sums.c  Sums over tiles.  Inside a tile the order is that of its nodes or elements; over tiles sums are exact. */
#include "body/shell/shell.h"

#include "math/exact.h"
#include "visviva/net.h"

enum { SUMS_SHARED_FROM = 256 }; /* tiles: an addition takes 7 ns, so that from some 20 us on threads take a sum each */

void shell_sum_tiles(const vv_block *b, int n, const double *part, double *out)
{
  const shell_plan *plan = b->plan;
  if (plan->tiles == 1 && plan->share == NULL) { /* a sum of one number is that number */
    for (int k = 0; k < n; k++) out[k] = part[k] + 0.0;
    return;
  }
  vvi_exact sum[SHELL_SUMS] = {{{0}, 0, 0, 0, 0}};
  const int64_t tiles = shell_tiles_here(plan);
#pragma omp parallel for schedule(static, 1) num_threads(b->threads) if (tiles >= SUMS_SHARED_FROM)
  for (int k = 0; k < n; k++)
    for (int64_t i = 0; i < tiles; i++) {
      const double x = part[SHELL_SUMS * shell_tile_here(plan, i) + k];
      if (x != 0.0) vvi_exact_add(&sum[k], x);
    }
  if (plan->share != NULL) {
    for (int k = 0; k < n; k++) vvi_exact_carry(&sum[k]);
    plan->share->net->sum(plan->share->net, n * (int)(sizeof *sum / sizeof(int64_t)), sum[0].digit);
  }
  for (int k = 0; k < n; k++) out[k] = vvi_exact_value(&sum[k]);
}
