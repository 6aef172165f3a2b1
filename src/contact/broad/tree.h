/* contact/broad/tree.h  Which of many boxes overlap: a binary tree over boxes that change now and then.
 *
 * Whoever moves gives its box some room, and comes back only when it has left it: what is far apart costs nothing.  The tree is
 * refitted along the way to its root for each box that changed, or as a whole, and built anew once as many have changed as there are. */
#pragma once
#include "base/base.h"

typedef struct vvi_broad_node {
  double box[6];    /* low, high */
  int32_t first, n; /* of order */
  int32_t child;    /* its two children are child, child + 1; 0: a leaf */
  int32_t parent;
} vvi_broad_node;

typedef struct vvi_broad {
  int32_t n;
  double (*box)[6];       /* [n] low, high; empty (low > high): overlaps nothing */
  double *middle;         /* [n][3] of the boxes, when it was built */
  int32_t *order, *leaf;  /* [n] by leaves; of each box */
  vvi_broad_node *node;   /* [2 n] */
  int32_t nodes, changed; /* changed: since it was built */
} vvi_broad;

vv_status vvi_broad_create(vvi_arena *arena, int32_t n, vvi_broad **out);
/* Some boxes were changed by the caller. */
void vvi_broad_update(vvi_broad *t, int32_t n, const int32_t *which);
/* Tells every box that overlaps this one, in no order that matters. */
typedef void vvi_broad_fn(void *user, int32_t box);
void vvi_broad_query(const vvi_broad *t, const double box[6], vvi_broad_fn *tell, void *user);
