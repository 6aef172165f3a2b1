/* contact/broad/search.h  Structs and functions shared by the files of the search for contacts of surfaces. */
#pragma once
#include "contact/sheets.h"

#include <string.h>

/* A budget as a float, never more than the number. */
static inline float vvi_sheet_safe(double x)
{
  return (float)(x - 1e-6 * (x < 0.0 ? -x : x));
}

double vvi_sheet_box_distance(const double a[6], const double b[6]);
/* Appends the pairs of a candidate pair nearer than skin (thickness included) to `out`; closest: the smallest distance met.
 * Boxes of both clusters are fresh; where several threads are at it, their leaves are ready.  False: full. */
bool vvi_sheet_list_pairs(const vvi_sheet_search *w, const vvi_sheet_list *l, double skin, vvi_sheet_bench *out,
                          double *closest);
/* x of a cluster; then its boxes; spans and planes of all its leaves. */
void vvi_sheet_place_cluster(vvi_sheet_search *w, int32_t cluster);
void vvi_sheet_fit_cluster(vvi_sheet_search *w, int32_t cluster);
void vvi_sheet_ready_cluster(const vvi_sheet_search *w, int32_t cluster);

/* Lists that are awake, in the order of the meshes; over ranks those that this one has. */
static inline vvi_sheet_list *vvi_sheet_list_at(const vvi_sheet_search *w, int32_t i)
{
  return &w->list[w->awake[i].list];
}

/* The order of the meshes (candidates.c), of these or of what begins with one. */
int vvi_sheet_by_meshes(const void *x, const void *y);
/* Places of n lists are asked for: where these are many all are numbered.  The place of one. */
void vvi_sheet_number(vvi_sheet_search *w, int64_t n);
int32_t vvi_sheet_list_place(const vvi_sheet_search *w, const vvi_sheet_list *l);
vvi_sheet_found vvi_sheet_found_of(const struct vvi_sheets *s, int32_t a, int32_t b, int32_t rule);

/* More room for an array of the search, which stays as it is where there is no memory: false. */
static inline bool vvi_sheet_grown(void *more, void *array)
{
  if (more != NULL) memcpy(array, &more, sizeof more);
  return more != NULL;
}
#define VVI_SHEET_GROW(w, what, had, kept, room) \
  vvi_sheet_grown(vvi_arena_grow((w)->arena, (w)->what, sizeof *(w)->what, had, kept, room), &(w)->what)
vv_status vvi_sheet_candidates_create(vvi_sheet_search *w, vvi_arena *arena);
bool vvi_sheet_lists_fit(vvi_sheet_search *w, int64_t room); /* room for so many candidate pairs */
bool vvi_sheet_pairs_fit(vvi_sheet_search *w, int64_t room); /* and for so many pairs */
/* Lists begin at whole blocks of budgets. */
enum { VVI_SHEET_BLOCK = 16 };
static inline int64_t vvi_sheet_blocks(int64_t n)
{
  return (n + VVI_SHEET_BLOCK - 1) / VVI_SHEET_BLOCK * VVI_SHEET_BLOCK;
}
void vvi_sheet_compact(vvi_sheet_search *w); /* lists lie without holes */

/* ---- the search of the start (start.c) ---- */

vv_status vvi_sheet_start_keep(vvi_sheet_search *w, vvi_arena *arena, struct vvi_sheets *s);
bool vvi_sheet_start_take(vvi_sheet_search *w);        /* false: no memory */
void vvi_sheet_start_drop(const struct vvi_sheets *s); /* over ranks, which have some of the lists each */
/* Margin, gap of the start and owner of a candidate pair. */
void vvi_sheet_list_rules(const vvi_sheet_search *w, vvi_sheet_list *l);

/* ---- bounds of distances from below, many at a time (gaps.c) ---- */

/* Middles and halves of the edges of a leaf, planes of its elements, if they do not belong to the present places. */
void vvi_sheet_ready(const vvi_sheet_search *w, int32_t leaf);
/* Distances, at least, and the normals of planes that hold so far apart. */
typedef struct vvi_sheet_gaps {
  float gap[VVI_SHEET_LANES], n[3][VVI_SHEET_LANES];
} vvi_sheet_gaps;
/* Of an edge and n from first on, at most 16.  False: all are farther apart than skin. */
bool vvi_sheet_edges_near(const vvi_sheet_search *w, int32_t edge, int32_t first, int32_t n, float skin,
                          vvi_sheet_gaps *out);
/* Of a point and the next four elements. */
void vvi_sheet_faces_near(const vvi_sheet_search *w, const double x[3], int32_t first, vvi_sheet_gaps *out);
/* What floats may be wrong by: to be added to a skin. */
double vvi_sheet_rounding(const double a[6], const double b[6]);

/* ---- what has broken (gone.c) ---- */

vv_status vvi_sheet_gone_create(vvi_sheet_search *w, vvi_arena *arena);
void vvi_sheet_gone_find(vvi_sheet_search *w);
/* Two vertices of one piece of a beam with corners; a list of such a beam and itself while it is whole. */
bool vvi_sheet_one_piece(const vvi_sheet_search *w, int32_t a, int32_t b);
bool vvi_sheet_is_whole(const vvi_sheet_search *w, const vvi_sheet_list *l);
/* A pair of which one feature is gone, or woke with this overlap (more than rounding: positive); something can break. */
bool vvi_sheet_is_gone(const vvi_sheet_search *w, int32_t a, int32_t b, double depth);

/* ---- what clusters do in a drift (measure.c) ---- */

/* From the box of what their nodes do. */
void vvi_sheet_speed_of(vvi_sheet_search *w, int32_t cluster, const double box[6]);

/* ---- lists that sleep (sleep.c) ---- */

vv_status vvi_sheet_sleep_create(vvi_sheet_search *w, vvi_arena *arena);
void vvi_sheet_sleep_forget(vvi_sheet_search *w); /* there are no lists */
void vvi_sheet_list_enters(vvi_sheet_search *w, int32_t slot);
void vvi_sheet_list_leaves(vvi_sheet_search *w, int32_t slot); /* and is parted */
void vvi_sheet_list_wakes(vvi_sheet_search *w, int32_t slot);
void vvi_sheet_wake_all(vvi_sheet_search *w);
void vvi_sheet_carry_all(vvi_sheet_search *w); /* how bodies fly, from what clusters do */
void vvi_sheet_sort_awake(
    vvi_sheet_search *w); /* in the order of the meshes, which nobody needs but who lists their pairs */
/* Before a drift: those that it may concern.  Behind it: those that no drift will concern soon. */
void vvi_sheet_wake(vvi_sheet_search *w);
void vvi_sheet_sleep(vvi_sheet_search *w);
/* So many drifts no list waits for, while all sleep; `most` at the most. */
int64_t vvi_sheet_drifts_asleep(vvi_sheet_search *w, int64_t most);

/* ---- how long lists live (life.c) ---- */

vv_status vvi_sheet_life_create(vvi_sheet_search *w, vvi_arena *arena);
/* Paths of the clusters: what the coming drift adds at most, and what budgets it may use up; what it added. */
void vvi_sheet_path_ahead(vvi_sheet_search *w, int32_t cluster);
void vvi_sheet_paths_ahead(vvi_sheet_search *w);
void vvi_sheet_paths_done(vvi_sheet_search *w);
/* A list was built now. */
void vvi_sheet_list_begins(vvi_sheet_search *w, vvi_sheet_list *l);
/* Is it complete for the coming drift?  Its `step` is known. */
bool vvi_sheet_list_holds(vvi_sheet_search *w, vvi_sheet_list *l);
/* One that holds: for the drifts ahead, too?  What has half of its budget does not become better. */
bool vvi_sheet_list_lasts(const vvi_sheet_search *w, const vvi_sheet_list *l);
/* Where the points of a cluster are: what lists that share it need to know. */
void vvi_sheet_look_at(vvi_sheet_search *w, int32_t cluster);
/* x_ref <- x, once in a round: other clusters are not concerned. */
void vvi_sheet_refer(vvi_sheet_search *w, int32_t cluster);
enum { VVI_SHEET_SHARED = 64 }; /* clusters whose points are looked at: from so many on a team shares them */
/* Does a team run through n clusters or lists?  Entering a region costs as much as some hundred of them. */
static inline bool vvi_sheet_shares(const vvi_sheet_search *w, int64_t n)
{
  enum { FROM = 1024 };
  return w->threads > 1 && n >= FROM;
}
/* It is, without looking any closer; by paths, or by ways where its `step` is known. */
static inline bool vvi_sheet_list_flies(const vvi_sheet_search *w, const vvi_sheet_list *l)
{
  return (l->way + w->drifts_ahead * l->step) * (1.0 + 1e-9) <= l->left;
}
static inline bool vvi_sheet_list_sleeps(const vvi_sheet_search *w, const vvi_sheet_list *l)
{
  return w->life[l->a].ahead + w->life[l->b].ahead <= l->wake;
}
