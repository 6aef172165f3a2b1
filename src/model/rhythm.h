/* model/rhythm.h  When frames and the like are written.  It depends on the step number only, so a resumed run falls into the same
 * rhythm, and what is gathered from one frame to the next knows where a frame was. */
#pragma once
#include "model/model.h"

#include <math.h>

enum { VVI_FRAMES = 200 }; /* in a run, where the scene does not say */

/* The steps between two multiples of `word` seconds of `record`, not whole in general; at least one. */
static inline double vvi_rhythm_every(const vv_model *m, const char *word, int parts)
{
  const vv_group *record = vv_sub(m->root, "record");
  const double n = vv_has(record, word) ? vv_number(record, word) / m->step : (double)m->steps / parts;
  return n > 1 ? n : 1;
}

static inline bool vvi_rhythm_due(int64_t step, double every)
{
  return (double)step == round(round((double)step / every) * every);
}

/* The first step after `step` that is nearest to a multiple of `every`. */
static inline int64_t vvi_rhythm_next(int64_t step, double every)
{
  double k = floor((double)step / every);
  while (!(round(k * every) > (double)step)) k += 1.0;
  return (int64_t)round(k * every);
}

/* The last one before it. */
static inline int64_t vvi_rhythm_last(int64_t step, double every)
{
  double k = ceil((double)step / every);
  while (!(round(k * every) < (double)step)) k -= 1.0;
  return (int64_t)round(k * every);
}
