/* math/exact.h  Sums of doubles without rounding, so that no order of the terms, no thread and no rank can change a bit.
 *
 * A double is an integer of 53 bits times a power of two between 2^-1074 and 2^971.  All of them fit on one long number of
 * digits of 32 bits, each kept in 64 so that carries may wait.  Adding is three additions of integers (7 ns), and integers
 * have no order.  The value is rounded once, to nearest, ties to even, when it is asked for. */
#pragma once
#include "base/base.h"

enum { VVI_EXACT_DIGITS = 68 };

/* Every member is an int64_t, and the sum of two accumulators is the sum of their members: that is how ranks join theirs. */
typedef struct vvi_exact {
  int64_t digit[VVI_EXACT_DIGITS]; /* times 2^(32 i - 1074) */
  int64_t plus, minus, nan;        /* terms that are infinite, or no numbers */
  int64_t waiting;                 /* additions since carries were last moved on */
} vvi_exact;

void vvi_exact_add(vvi_exact *sum, double x);
void vvi_exact_join(vvi_exact *sum, const vvi_exact *other);
void vvi_exact_carry(vvi_exact *sum); /* all digits but the last in [0, 2^32): one form for one value */
double vvi_exact_value(const vvi_exact *sum);
