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

/* ---- bounds of distances from below, many at a time (gaps.c) ---- */

/* Middles and halves of the edges of a leaf, planes of its elements, if they do not belong to the present places. */
void vvi_sheet_ready(vvi_sheet_search *w, int32_t leaf);
/* An edge and the next 16 from first on; excess[i] > 0: farther apart than skin.  False: all are. */
bool vvi_sheet_edges_near(const vvi_sheet_search *w, int32_t edge, int32_t first, float skin,
                          float excess[VVI_SHEET_LANES]);
/* A point and the next four elements. */
void vvi_sheet_faces_near(const vvi_sheet_search *w, const double x[3], int32_t first, float skin,
                          float excess[VVI_SHEET_LEAF]);
/* What floats may be wrong by: to be added to a skin. */
double vvi_sheet_rounding(const double a[6], const double b[6]);

/* ---- how long lists live (life.c) ---- */

vv_status vvi_sheet_life_create(vvi_sheet_search *w, vvi_arena *arena);
/* Paths of the regions: what the coming drift adds at most; what it added. */
void vvi_sheet_paths_ahead(vvi_sheet_search *w);
void vvi_sheet_paths_done(vvi_sheet_search *w);
/* A list was built now. */
void vvi_sheet_list_begins(vvi_sheet_search *w, int32_t couple);
/* Is it complete for the coming drift?  Its `step` is known. */
bool vvi_sheet_list_holds(vvi_sheet_search *w, int32_t couple);
/* It is, without looking any closer. */
static inline bool vvi_sheet_list_sleeps(const vvi_sheet_search *w, int32_t couple)
{
  const vvi_sheet_couple *c = &w->sheets->couple[couple];
  return w->life[c->a].ahead + w->life[c->b].ahead <= w->list[couple].wake;
}
