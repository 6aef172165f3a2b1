/* contact/broad/ranks.h  The search over ranks.
 *
 * Ranks share nodes of shells; everything else moves on all of them.  What all ranks know: boxes of clusters, candidate pairs.
 * A candidate pair has an owner, a rank that has one of its clusters, and the owner alone keeps its list and looks at its pairs.
 * Of clusters of others that it has to look at it gets the nodes: in every step each rank tells which clusters its lists ask for, and
 * their owners send them.
 * What a cluster does in a drift, bounds of its displacements, is known to its home, the rank that has most of it, which gets what others
 * measure of its nodes, and to the owners of its candidate pairs, whom the home tells: all ranks know all candidate pairs, so nobody
 * asks.  The home says when a cluster may have left its box, and then all look at it.
 * Who owns a pair decides no bit: a list has the same near pairs on any rank. */
#pragma once
#include "base/trade.h"
#include "contact/broad/reads.h"
#include "visviva/net.h"

/* Nodes of a strip that one rank has. */
typedef struct vvi_sheet_run {
  int32_t strip, first, n; /* first: mover */
} vvi_sheet_run;

enum { VVI_SHEET_ROW = 9 }; /* reals of a node: place, momentum, force */

typedef struct vvi_sheet_ranks {
  const vv_net *net;
  vvi_sheet_reads reads;  /* owners: ranks; -1: all move it */
  int32_t *home;          /* [n_cluster] the rank that has most of it; -1: all have it */
  unsigned char *strange; /* [n_cluster] bits: some of what a look at it reads belongs to others; to this rank */
  int64_t *runs;          /* [ranks] */
  vvi_sheet_run *run;     /* of all ranks, one behind the other */
  int64_t n_run, mine;    /* mine: the first of this rank */
  double *extent;         /* [n_run][6] */
  /* what clusters do */
  int32_t *known, n_known, n_home; /* [n_cluster] whose speeds and paths are here; the first n_home always */
  unsigned char *knows;            /* [n_cluster] it is one of these */
  double *step;                    /* [n_cluster] of those that are asked for: how far the coming drift may take them */
  /* Clusters that this rank tells another one, and gets from it: rank * n_cluster + cluster, in ascending order; the same of
   * runs, of which homes of others want some. */
  vvi_route tells, gets, gives, takes;
  vvi_trade trade;
  bool failed;      /* there was no memory for any of this */
  bool parts, told; /* some cluster is measured by several ranks; is told to one that has none of it: on any rank */
  /* clusters that are asked for */
  int64_t *asked, clock;     /* [n_cluster] in which look; counts looks, from 1 on */
  int32_t *wanted, n_wanted; /* [n_cluster] by this rank */
  int64_t *wishes, *wish;    /* [ranks]; clusters that ranks want, one rank behind the other */
  int64_t n_wish, wish_room;
  int64_t *ones;        /* [ranks] rows of each */
  int *to, *from;       /* [ranks] packages: where they go; from whom which one came */
  const void **data;    /* [ranks] */
  int64_t *size, *done; /* [ranks] bytes; rows that were read */
  double *out, *in;     /* [out_room], [in_room] rows */
  int64_t out_room, in_room;
  int64_t tidied; /* builds of lists when scratch was last given back */
} vvi_sheet_ranks;

/* All ranks of the net call it; bodies whose blocks are shared.  NULL stays where there are none. */
vv_status vvi_sheet_share(vvi_sheet_search *w, const vv_net *net);
/* A look begins: gives back boxes, planes and spans of elements, and rows on their way, which last for one look, when many lists
 * were built with them. */
void vvi_sheet_tidy(vvi_sheet_search *w);
/* Has this rank the list of two clusters? */
bool vvi_sheet_is_mine(const vvi_sheet_search *w, int32_t a, int32_t b);
static inline bool vvi_sheet_owns(const vvi_sheet_search *w, int32_t mover)
{
  return w->ranks == NULL || mover < 0 || w->ranks->reads.owner[mover] < 0 ||
         w->ranks->reads.owner[mover] == w->ranks->net->rank;
}
/* Clusters whose speeds this rank has to find: measures what it moves, and what its homes want of others arrives. */
void vvi_sheet_extents(vvi_sheet_search *w);
/* All clusters are known where nothing is known of lists; else speeds go to who has candidate pairs of them. */
void vvi_sheet_tell_speeds(vvi_sheet_search *w);
void vvi_sheet_know_all(vvi_sheet_search *w);
/* Candidate pairs have changed: who is to be told what, and he is.  False: no memory. */
bool vvi_sheet_subscribe(vvi_sheet_search *w);
static inline bool vvi_sheet_knows(const vvi_sheet_search *w, int32_t cluster)
{
  return w->ranks == NULL || w->ranks->knows[cluster];
}
/* Clusters that may have left their boxes, as their homes say, and how far they go.  False: no memory. */
bool vvi_sheet_asked_agree(vvi_sheet_search *w);
/* Boxes n of which every rank has covered its own vertices: now all of them. */
void vvi_sheet_boxes_agree(const vvi_sheet_search *w, int64_t n, double (*box)[6]);
/* A list is to be looked at that has this cluster; then places of all that were named arrive, now and behind the drift: their momenta
 * and forces here are not theirs before vvi_sheet_spread_pairs.  False: no memory. */
void vvi_sheet_need(vvi_sheet_search *w, int32_t cluster);
bool vvi_sheet_fetch(vvi_sheet_search *w);
/* Places, momenta and forces of all that pairs read, the same pairs on all ranks, to all of them. */
bool vvi_sheet_spread_pairs(vvi_sheet_search *w, int32_t n, const vvi_sheet_near *near);
/* Rows of `width` reals of owners to all: row i belongs to who owns mover[i] (< 0: everybody has it). */
bool vvi_sheet_spread_rows(vvi_sheet_search *w, int32_t n, const int32_t *mover, int width, double *row);
/* Reals of all ranks, one rank behind the other: those of this one begin at `mine`, and are written before all are told.
 * False: no memory. */
typedef struct vvi_sheet_runs {
  double *first, *mine, *end;
} vvi_sheet_runs;
bool vvi_sheet_runs_open(vvi_sheet_search *w, int64_t reals, vvi_sheet_runs *out);
void vvi_sheet_runs_tell(vvi_sheet_search *w);
