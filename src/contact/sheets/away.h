/* contact/sheets/away.h  The search while an accelerator keeps the points of some bodies.
 *
 * Here are: bounds of the displacements of all strips, which come in every step, boxes, candidate pairs, lists, and the movers of
 * clusters that are looked at, which come when they are asked for.  What comes is what the accelerator has, bit for bit, and where
 * it is not looked at nothing of it is needed: the same pairs are near.  Momenta that contacts have changed go back. */
#pragma once
#include "contact/sheets/reads.h"

typedef struct vvi_sheet_away {
  vvi_sheet_reads reads; /* owner 0: it is away */
  void *user;
  /* [n_strip][6] extents of the displacements h (p + h/2 f)/m, of the strips whose points are away. */
  void (*extents)(void *user, double h, double *strip);
  /* Places, momenta and forces of these nodes of a block arrive where the motion of the search reads them, if they are not there
   * already (node NULL: of all, n of them); then momenta go back. */
  void (*bring)(void *user, int block, int64_t n, const int32_t *node);
  void (*give)(void *user, int block, int64_t n, const int32_t *node);
  const vv_model *model;
  int64_t *asked, clock; /* [n_cluster] in which look; counts looks, from 1 on */
  int32_t *node;         /* [n_mover] of one block */
  int64_t n;             /* movers in reads.listed that are asked for */
} vvi_sheet_away;

/* stays[block]: an accelerator keeps its points.  The caller sets user and the three functions. */
vv_status vvi_sheet_away_create(vvi_sheet_search *w, const vv_model *m, const unsigned char *stays);
static inline bool vvi_sheet_is_away(const vvi_sheet_search *w, const vvi_sheet_body *b)
{
  return w->away != NULL && b->movers > 0 && w->away->reads.owner[b->mover0] >= 0;
}
/* A look at this cluster comes; then all that were named arrive. */
void vvi_sheet_away_need(vvi_sheet_search *w, int32_t cluster);
void vvi_sheet_away_fetch(vvi_sheet_search *w);
/* The momenta of these movers, of which some are away, have changed here. */
void vvi_sheet_away_give(vvi_sheet_search *w, int32_t n, const int32_t *mover);
