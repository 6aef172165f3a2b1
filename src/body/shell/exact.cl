/* body/shell/exact.cl  Sums over tiles without rounding, as sums.c has them: a group for each sum of each row of them, an accumulator for
 * each item.  Integers have no order. */
enum { DIGITS = 68, SPECIAL = 3 }; /* of math/exact.h: digits; terms that are infinite, -infinite, or no numbers */

/* part: [rows][tiles][SHELL_SUMS], the first n of each; sum: [rows][n][DIGITS + SPECIAL]. */
__kernel void exact(int tiles, int n, __global const double *part, __global int64_t *sum, __local int64_t *digit)
{
  const int me = (int)get_group_id(0), k = me % n, lid = (int)get_local_id(0), items = (int)get_local_size(0);
  part += SHELL_SUMS * tiles * (me / n);
  for (int i = 0; i < DIGITS + SPECIAL; i++) digit[items * i + lid] = 0;
  for (int i = lid; i < tiles; i += items) {
    const double x = part[SHELL_SUMS * i + k];
    const uint64_t bits = as_ulong(x);
    if ((bits >> 52 & 0x7ff) != 0x7ff)
      vvi_exact_put(digit + lid, items, bits);
    else
      digit[items * (DIGITS + (isnan(x) ? 2 : x > 0.0 ? 0 : 1)) + lid]++;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = lid; i < DIGITS + SPECIAL; i += items) {
    int64_t all = 0;
    for (int l = 0; l < items; l++) all += digit[items * i + l];
    sum[(DIGITS + SPECIAL) * me + i] = all;
  }
}
