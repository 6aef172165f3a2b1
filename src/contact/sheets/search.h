/* contact/sheets/search.h  Inside the search. */
#pragma once
#include "contact/sheets.h"

/* A budget as a float, never more than the number. */
static inline float vvi_sheet_safe(double x)
{
  return (float)(x - 1e-6 * (x < 0.0 ? -x : x));
}

double vvi_sheet_box_distance(const double a[6], const double b[6]);
/* Appends the pairs of a couple nearer than skin (thickness included); closest: the smallest distance met.  False: full. */
bool vvi_sheet_list_couple(vvi_sheet_search *w, int32_t couple, double skin, double *closest);
