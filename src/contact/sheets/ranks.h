/* contact/sheets/ranks.h  The search over ranks.
 *
 * Ranks share nodes of shells; everything else moves on all of them.  What all ranks know: bounds of the displacements of all
 * clusters, their boxes, candidate pairs.  A candidate pair has an owner, a rank that has one of its clusters, and the owner
 * alone keeps its list and looks at its pairs.  Of clusters of others that it has to look at it gets the nodes: it subscribes
 * to them when a list first asks for them, and gives them up when none has asked for a while.
 * Who owns a pair, and when it subscribes, decides no bit: a list has the same near pairs on any rank. */
#pragma once
#include "contact/sheets.h"
#include "visviva/net.h"

/* Nodes of a strip that one rank has. */
typedef struct vvi_sheet_run {
  int32_t strip, first, n; /* first: mover */
} vvi_sheet_run;

enum { VVI_SHEET_ROW = 9 }; /* reals of a node: place, momentum, force */

typedef struct vvi_sheet_ranks {
  const vv_net *net;
  int32_t *owner;         /* [n_mover] the rank that moves it; -1: all do */
  int32_t *home;          /* [n_cluster] the rank that has most of it; -1: all have it */
  int32_t *first, *mover; /* [n_cluster + 1], movers with owners that a look at a cluster reads */
  unsigned char *strange; /* [n_cluster] some of them belong to others */
  int64_t *runs;          /* [ranks] */
  vvi_sheet_run *run;     /* of all ranks, one behind the other */
  int64_t n_run, mine;    /* mine: the first of this rank */
  double *extent;         /* [n_run][6] */
  /* subscriptions */
  unsigned char *have;    /* [n_cluster] */
  int64_t *used, clock;   /* [n_cluster] when it was last asked for; counts looks */
  int32_t *wanted;        /* [n_cluster] list of clusters on their way to the others */
  int64_t *stamp, stamps; /* [n_mover] marks of lists that are made; the present one */
  int32_t *row;           /* [n_mover] */
  int64_t *wishes, *wish; /* [ranks]; clusters that ranks want, one rank behind the other */
  int64_t n_wish, wish_room;
  vv_place *place; /* [place_room] */
  int64_t place_room;
  int64_t *ones;        /* [ranks] rows of each */
  int32_t *rows;        /* [ranks] */
  int32_t *listed;      /* [n_mover] */
  vv_star *star;        /* NULL: nobody wants anything */
  int32_t *root, *leaf; /* [n_mover] movers */
  int32_t roots, leaves;
  double *out, *in; /* [room][VVI_SHEET_ROW] */
  int64_t out_room, in_room;
  int64_t rebuilt, fetched; /* counts: subscriptions made; rows that came */
} vvi_sheet_ranks;

/* All ranks of the net call it; bodies whose blocks are shared.  NULL stays where there are none. */
vv_status vvi_sheet_share(vvi_sheet_search *w, const vv_net *net);
void vvi_sheet_unshare(vvi_sheet_search *w);
/* Has this rank the list of two clusters? */
bool vvi_sheet_is_mine(const vvi_sheet_search *w, int32_t a, int32_t b);
static inline bool vvi_sheet_owns(const vvi_sheet_search *w, int32_t mover)
{
  return w->ranks == NULL || mover < 0 || w->ranks->owner[mover] < 0 || w->ranks->owner[mover] == w->ranks->net->rank;
}
/* Boxes n of which every rank has covered its own vertices: now all of them. */
void vvi_sheet_boxes_agree(const vvi_sheet_search *w, int64_t n, double (*box)[6]);
/* A list is to be looked at that has this cluster; then places, momenta and forces of all that were named arrive.
 * False: no memory. */
void vvi_sheet_need(vvi_sheet_search *w, int32_t cluster);
bool vvi_sheet_fetch(vvi_sheet_search *w);
/* Places, momenta and forces of all that pairs read, the same pairs on all ranks, to all of them. */
bool vvi_sheet_spread_pairs(vvi_sheet_search *w, int32_t n, const vvi_sheet_near *near);
/* Rows of `width` reals of owners to all: row i belongs to who owns mover[i] (< 0: everybody has it). */
bool vvi_sheet_spread_rows(vvi_sheet_search *w, int32_t n, const int32_t *mover, int width, double *row);
