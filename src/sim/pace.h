/* sim/pace.h  How many threads, and how many steps at a time.  The bits are the same for any number, so the clock may choose.
 *
 * Small scenes, and machines that do other work, are faster on one thread: threads wait for each other at every join.  Where
 * the caller left the number open, a few steps are timed on all threads and a few on one; the faster way runs on for a while,
 * then both are tried again; at once where threads turn out to be much slower than one was (other work has come). */
#pragma once
#include "visviva/base.h"

typedef enum vvi_trial { VVI_TRY_ALL, VVI_TRY_ONE, VVI_HOLD } vvi_trial;

typedef struct vvi_pace {
  bool chooses; /* else: all threads, always */
  vvi_trial trial;
  bool all;             /* the choice that holds */
  double each;          /* s per step of the last stretch */
  double seconds, cost; /* of this trial so far; s per step of the trial before */
  double one;           /* s per step on one thread, when both were tried last */
  int64_t steps;        /* of this trial so far */
  double hold, held;    /* s: how long the choice holds, and has held */
  int64_t done_all;     /* steps on all threads */
} vvi_pace;

void vvi_pace_start(vvi_pace *p, const vv_ctx *ctx);
/* Steps to take now, of n; they run on all threads if vvi_pace_all. */
int64_t vvi_pace_steps(const vvi_pace *p, int64_t n);
bool vvi_pace_all(const vvi_pace *p);
void vvi_pace_done(vvi_pace *p, int64_t steps, double seconds);
