/* geom/halve.h  Things in space are halved by the longest extent of their middles: how trees and blocks are made. */
#pragma once
#include "base/base.h"

/* Rearranges order[0..n), numbers of middles [][3], so that the k smallest along the longest extent stand first (quickselect).
 * Ties: by number; `axes` 3: by the other axes before that.  One order for one set, so trees are the same everywhere. */
void vvi_halve(const double *middle, int axes, int32_t *order, int32_t n, int32_t k);
