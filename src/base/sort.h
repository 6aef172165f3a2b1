/* base/sort.h  Sorting inside a step: in place, where the C library's own may allocate. */
#pragma once
#include <stddef.h>

/* As qsort; entries that compare equal may change places, in a way that depends on their order alone. */
void vvi_sort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *));
