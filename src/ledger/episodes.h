/* ledger/episodes.h  Contact histories: impulses as the steppers book them, gathered into episodes of two bodies.
 *
 * Every pair of bodies that has touched has one entry, every open episode one curve of its force; nothing else grows with the
 * run.  What is finished waits in a queue until the observers have been told. */
#pragma once
#include "ledger/ledger.h"

/* One impulse at one point.  The normal leads from the first body to the second, which gets normal n + slide. */
typedef struct vvi_blow {
  double t;
  int32_t body[2], copy[2];
  double x[3], n[3];
  double normal, slide[3];
  double aside[3]; /* N s: what b got beside these, where single nodes are pushed aside of the normal */
  double speed;    /* m/s: along n before; negative: approaching */
  double change;   /* m/s: of that speed; 0: what it lost tells */
  double lost;     /* J */
  bool back;       /* taken back at the start of a run in contact: it is no impulse of its own */
} vvi_blow;

/* Normal and tangential impulse in bins of 2^level steps.  Bin k of level 0 is about step k. */
enum { VVI_CURVE_BINS = 128 };
typedef struct vvi_curve {
  int64_t first, level, used; /* level 0: number of the first bin */
  double sum[VVI_CURVE_BINS][2];
} vvi_curve;

/* What two bodies exchanged at one time. */
typedef struct vvi_instant {
  double normal, across, lost; /* N s, N s, J */
  double j[3], moment[3];      /* N s: what b got; N s m: normal impulse times place */
  int64_t impulses;
} vvi_instant;

/* Two bodies.  Plain numbers without gaps between them: a checkpoint keeps them as they are.
 * What rests on something tells the same at every step.  Instants of that kind are counted, and added up as count times value
 * when they end [ledger 15a]; the last instant stays open, since more points of the pair may come. */
typedef struct vvi_touch_pair {
  vv_episode now; /* the present episode, or the last one; its sums, and those below, without alike and last */
  vv_contact_total all;
  vv_sum impulse[3];
  double moment[3]; /* N s m: sum of normal impulse times place, of the present episode */
  vvi_instant last; /* the last one, */
  double last_x[3]; /* where, */
  int64_t bin;      /* and its bin; */
  vvi_instant same; /* before it there were */
  int64_t alike;    /* so many of these, one bin after the other */
  int64_t begun;    /* episodes of the run that began before this one */
  int64_t curve;    /* of the present one; -1: none is open */
} vvi_touch_pair;

/* Backwards in time everything is gathered by the clock -t, and turned round where it is told. */
typedef struct vvi_episodes {
  double h;
  double way; /* 1, or -1: backwards */
  int32_t bodies;
  double *pause; /* [bodies] s: the longest that is chatter in any case */
  vvi_touch_pair *pair;
  int64_t n, room;
  int64_t last;  /* the pair that was told last */
  int64_t *slot; /* [slots] open addressing: a pair; -1: free */
  int64_t slots;
  vvi_curve *curve;
  int64_t curves, curve_room, *spare, spares; /* spare: those that are free */
  int64_t *live, n_live;                      /* [room] open episodes, by their beginning */
  double told;                                /* s: when impulses came last */
  int64_t again;                              /* so many bins behind it all that was told then came again, */
  double until;                               /* s: the last time, */
  double deadline;                            /* and when the first of those that did not come again ends */
  int64_t begun;
  int64_t missed; /* impulses for which there was no memory */
  vv_episode *done;
  int64_t n_done, done_room, all_done;
  vv_force_sample *sample;
  int64_t n_sample, sample_room;
} vvi_episodes;

vvi_episodes *vvi_episodes_create(int32_t bodies, double h); /* h < 0: backwards.  NULL: out of memory */
void vvi_episodes_destroy(vvi_episodes *e);
/* Makes room between steps, so that none is made within one: for so many pairs, and as much again as there is.  Where there is
 * no memory the step asks once more, and counts what it misses. */
void vvi_episodes_reserve(vvi_episodes *e, int64_t pairs);
void vvi_episodes_clear(vvi_episodes *e);
/* As `from`, in the rhythm of `e`; nothing waits in its queue. */
bool vvi_episodes_copy(vvi_episodes *e, const vvi_episodes *from);
/* e NULL: nothing is kept. */
void vvi_episodes_add(vvi_episodes *e, const vvi_blow *b);
/* All impulses that were told last come again at t.  False: t is not one step later, they must be told one by one. */
bool vvi_episodes_again(vvi_episodes *e, double t);
/* What came again is entered: before anybody looks at pairs. */
void vvi_episodes_settle(vvi_episodes *e);
/* The time is t: ends what has paused for too long. */
void vvi_episodes_step(vvi_episodes *e, double t);
/* A pair with all its sums. */
vvi_touch_pair vvi_episodes_sum(const vvi_touch_pair *k);
/* The present episode of a pair as if it ended here, and its force: at most VVI_CURVE_BINS + 2 samples. */
void vvi_episode_finish(const vvi_episodes *e, const vvi_touch_pair *k, vv_episode *out, vv_force_sample *sample);
/* Where b was last pushed and the mean force on it in the window about t; false: none. */
bool vvi_episode_force(const vvi_episodes *e, const vvi_touch_pair *k, double t, double x[3], double force[3]);
/* The first episodes of the queue were told to everybody. */
void vvi_episodes_drop(vvi_episodes *e, int64_t episodes);
/* At most n pairs with the largest normal impulse, the largest first. */
int64_t vvi_episodes_strongest(const vvi_episodes *e, int64_t n, int64_t *pair);
/* The contact histories of another ledger; those of its own keep their rhythm. */
vv_status vvi_ledger_adopt(vv_ledger *l, const vvi_episodes *from);
/* Arrays of a checkpoint: pairs and the curves of open ones, in the order of the pairs. */
int64_t vvi_episodes_open(const vvi_episodes *e);
bool vvi_episodes_load(vvi_episodes *e, int64_t pairs, const vvi_touch_pair *pair, int64_t curves,
                       const vvi_curve *curve);
