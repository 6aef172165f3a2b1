/* contact/broad/away.h  The search while an accelerator keeps the points of some bodies.
 *
 * Here are: boxes, candidate pairs, lists, and the movers of clusters that are looked at, which come when they are asked for.  The
 * budgets of all clusters are there: in every drift comes which of them may use up one (candidates.c, sleep.c).  What clusters do in a
 * drift, and how far they have moved, is here of those that are known: of lists that are awake, of those past a budget, and of all that
 * were so some drifts ago.  Of these it is told back before the next drift; of all others it is counted there.  With it comes where they
 * are and how far from their references (life.c), where their vertices are nodes: new boxes, and lists of what is far apart, need no
 * node.  What comes is what the accelerator has, bit for bit, and where it is not looked at nothing of it is needed: the same pairs are
 * near.  Momenta that contacts have changed go back. */
#pragma once
#include "contact/broad/ranks.h"
#include "contact/broad/reads.h"
#include "visviva/ext.h"

typedef struct vvi_sheet_away {
  vvi_sheet_reads reads; /* owner 0: it is away */
  void *user;
  /* Of the clusters of a block, as in vv_device_table, by their numbers there. */
  void (*bounds)(void *user, int block, double h, bool drifted, double drifts, int64_t n, const int32_t *cluster,
                 const vv_motion_budget *budget, unsigned char *past, vv_motion_row *row);
  void (*cruise)(void *user, int block, double h, bool drifted, int64_t steps, int64_t n, const int32_t *cluster,
                 const vv_motion_budget *budget);
  int64_t (*cruised)(void *user); /* of all blocks the least; then all have taken so many */
  void (*rows)(void *user, int block, int64_t n, const int32_t *cluster, vv_motion_row *row);
  void (*references)(void *user, int block, int32_t first, int64_t n, const double *reference);
  void (*refer)(void *user, int block, int64_t n, const int32_t *cluster);
  /* Places, momenta and forces of these nodes of a block arrive where the motion of the search reads them, if they are not there
   * already (node NULL: of all, n of them); then momenta go back. */
  void (*bring)(void *user, int block, int64_t n, const int32_t *node);
  void (*give)(void *user, int block, int64_t n, const int32_t *node);
  bool (*flies)(void *user, int block); /* can trial flights of it be flown there?  As in vv_device_table */
  void (*fly)(void *user, int block, const vv_device_flights *w);
  const vv_model *model;
  int64_t *asked, clock;         /* [n_cluster] in which look; counts looks, from 1 on */
  int32_t *node;                 /* [n_mover] of one block */
  int64_t n;                     /* movers in reads.listed that are asked for */
  int32_t *block_of, *number;    /* [n_cluster] where it is; -1: its points are here; and its number there */
  int32_t *cluster, *first;      /* [n_cluster] those of each block, one behind the other; [n_block + 1] */
  unsigned char *seen;           /* [n_cluster] its vertices are nodes that are away */
  int64_t *referred;             /* [n_cluster] the round in which its reference was last taken there */
  int32_t *known, n_known, home; /* [n_cluster] whose speeds and paths are here; the first `home` always */
  int64_t *known_in, *used_in;   /* [n_cluster] the last measure in which it was known, and asked for */
  int64_t measures;
  int32_t *asks, n_asks; /* [n_cluster] that are to be known */
  int32_t *hot,
      n_hot;    /* [n_cluster] that may use up a budget, as the accelerator says: all are asked for, and then known */
  bool drifted; /* since the last measure */
  bool calm;    /* nothing was near in the last drift, and all lists sleep */
  int32_t cruise_steps;      /* that are to be taken at once; */
  int64_t taken, taken_back; /* steps that were; how often some of them were taken back */
  int32_t singles, pause;    /* steps that were asked for one by one; drifts for which that is not tried */
  int32_t *which;            /* [n_cluster] numbers that go to the accelerator; with them, and back from there: */
  vv_motion_budget *budget;
  vv_motion_row *row;
  unsigned char *past;
} vvi_sheet_away;

/* stays[block]: an accelerator keeps its points.  The caller sets user and the functions. */
vv_status vvi_sheet_away_create(vvi_sheet_search *w, const vv_model *m, const unsigned char *stays);
static inline bool vvi_sheet_is_away(const vvi_sheet_search *w, const vvi_sheet_body *b)
{
  return w->away != NULL && b->movers > 0 && w->away->reads.owner[b->mover0] >= 0;
}
/* Bounds of the coming drift: of clusters that are known, and whether any other may use up a budget. */
void vvi_sheet_away_measure(vvi_sheet_search *w);
/* Behind a drift in which nothing was near: steps of length h, `most` at the most, in which no list wakes and no budget is used up are
 * taken there, without a look.  How many. */
int64_t vvi_sheet_away_cruise(vvi_sheet_search *w, double h, int64_t most);
void vvi_sheet_away_drifted(vvi_sheet_search *w);
/* What a cluster does is asked for; then all that were named are known. */
void vvi_sheet_away_ask(vvi_sheet_search *w, int32_t cluster);
void vvi_sheet_away_ask_all(vvi_sheet_search *w);
void vvi_sheet_away_ask_mover(vvi_sheet_search *w, int32_t mover); /* all that it may belong to */
void vvi_sheet_away_learn(vvi_sheet_search *w);
/* Is it known from there where a cluster is that was asked for?  Then its points are not needed for that. */
static inline bool vvi_sheet_sees(const vvi_sheet_search *w, int32_t cluster)
{
  return w->away != NULL && w->away->seen[cluster];
}
/* The accelerator takes over the references of the search; takes those anew that the search has taken so in this round. */
void vvi_sheet_away_start(vvi_sheet_search *w);
void vvi_sheet_away_refer(vvi_sheet_search *w);
/* Spots of the clusters of a block: how many; spot0[clusters + 1], spot: written where they are not NULL. */
int64_t vvi_sheet_away_spots(const vvi_sheet_search *w, int block, int32_t *spot0, int32_t *spot);
/* Clusters among which are all that may use up a budget, once the hot ones are known. */
static inline int32_t vvi_sheet_pasts(const vvi_sheet_search *w)
{
  return w->away != NULL ? w->away->n_known : w->sheets->n_cluster;
}
static inline int32_t vvi_sheet_past_at(const vvi_sheet_search *w, int32_t i)
{
  return w->away != NULL ? w->away->known[i] : i;
}
/* Clusters whose speeds and paths are here. */
static inline int32_t vvi_sheet_known(const vvi_sheet_search *w)
{
  return w->away != NULL ? w->away->n_known : w->ranks != NULL ? w->ranks->n_known : w->sheets->n_cluster;
}
static inline int32_t vvi_sheet_known_at(const vvi_sheet_search *w, int32_t i)
{
  return w->away != NULL ? w->away->known[i] : w->ranks != NULL ? w->ranks->known[i] : i;
}
/* A look at this cluster comes; then all that were named arrive. */
void vvi_sheet_away_need(vvi_sheet_search *w, int32_t cluster);
void vvi_sheet_away_fetch(vvi_sheet_search *w);
/* The momenta of these movers, of which some are away, have changed here. */
void vvi_sheet_away_give(vvi_sheet_search *w, int32_t n, const int32_t *mover);
