/* sim/pace.c  Chooses by the clock how many threads and how many steps at a time. */
#include "sim/pace.h"

#include "base/base.h"

#include <math.h>

static const double trial = 0.01;              /* s: a trial is at least so long */
static const double hold = 0.5, longest = 5.0; /* s: a choice holds, twice as long each time it is confirmed */
static const double margin = 0.95;             /* threads that save less are better left to others */
static const double patience = 0.25;           /* s: who interrupts a run waits so long */
static const double slow = 2.0;                /* times the cost on one thread: threads are in each other's way */
enum { PIECE = 4 };                            /* steps between two looks at the clock in a trial */

void vvi_pace_start(vvi_pace *p, const vv_ctx *ctx)
{
  *p = (vvi_pace){.chooses = vvi_ctx_open_team(ctx) && vv_ctx_threads(ctx) > 1, .all = true, .hold = hold};
}

int64_t vvi_pace_steps(const vvi_pace *p, int64_t n)
{
  const bool tries = p->chooses && p->trial != VVI_HOLD;
  int64_t most = p->each > 0.0 ? 1 + (int64_t)((tries ? trial : patience) / p->each) : 1;
  if (tries && most > PIECE) most = PIECE; /* the other way may be slower by far */
  return n < most ? n : most;
}

bool vvi_pace_all(const vvi_pace *p)
{
  return !p->chooses || p->trial == VVI_TRY_ALL || (p->trial == VVI_HOLD && p->all);
}

/* Both were tried. */
static void choose(vvi_pace *p, double one)
{
  const bool all = p->cost < margin * one;
  p->hold = all != p->all ? hold : fmin(2.0 * p->hold, longest);
  p->all = all;
  p->one = one;
  p->held = 0.0;
}

static bool regrets(const vvi_pace *p)
{
  return p->all && p->seconds > trial && p->seconds > slow * p->one * (double)p->steps;
}

void vvi_pace_done(vvi_pace *p, int64_t steps, double seconds)
{
  p->each = seconds / (double)steps;
  if (vvi_pace_all(p)) p->done_all += steps;
  if (!p->chooses) return;
  p->seconds += seconds, p->steps += steps, p->held += seconds;
  if (p->trial == VVI_HOLD ? p->held < p->hold && !regrets(p) : p->seconds < trial) return;
  const double cost = p->seconds / (double)p->steps;
  if (p->trial == VVI_TRY_ONE) choose(p, cost);
  p->trial = p->trial == VVI_HOLD ? VVI_TRY_ALL : p->trial + 1;
  p->cost = cost, p->seconds = 0.0, p->steps = 0;
}
