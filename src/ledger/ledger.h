/* ledger/ledger.h  Posting and closing.  The ledger never changes a state. */
#pragma once
#include "base/base.h"
#include "visviva/book.h"

#include <math.h>

/* Neumaier's sum: value + carry is the sum to twice the working precision. */
static inline void vvi_sum_add(vv_sum *s, double x)
{
  const double t = s->value + x;
  const double big = s->value < 0 ? -s->value : s->value, small = x < 0 ? -x : x;
  s->carry += big >= small ? (s->value - t) + x : (x - t) + s->value;
  s->value = t;
}

/* What was summed up apart, from zero. */
void vvi_posted_add(vv_posted *to, const vv_posted *own);

/* The larger one of two overlaps: that which is more of the smaller body.  A size that is not known counts for nothing. */
static inline void vvi_overlap_take(vv_overlap *to, double depth, double size)
{
  if (depth > 0.0 && depth * to->size >= to->depth * size) *to = (vv_overlap){.depth = depth, .size = size};
}

/* An external impulse acting at a point. */
static inline void vvi_post_impulse(vv_posted *post, const double x[3], const double j[3])
{
  const double m[3] = {x[1] * j[2] - x[2] * j[1], x[2] * j[0] - x[0] * j[2], x[0] * j[1] - x[1] * j[0]};
  for (int c = 0; c < 3; c++) vvi_sum_add(&post->impulse[c], j[c]);
  for (int c = 0; c < 3; c++) vvi_sum_add(&post->moment[c], m[c]);
  post->single[0] += sqrt(j[0] * j[0] + j[1] * j[1] + j[2] * j[2]);
  post->single[1] += sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
}

/* Opens the book with the totals at the start: `balanced` in the method's energy, `nodal` plain.  rounding: J, the strain
 * energy that the rounding of places makes of nothing; reach: m, the farthest place from the origin. */
void vvi_ledger_open(vv_ledger *l, const vv_totals *balanced, double nodal, double rounding, double reach);
/* Closes it after so many drifts of the bodies (steps times stages): closure, drifts, maxima. */
void vvi_ledger_close(vv_ledger *l, const vv_totals *balanced, double nodal, int64_t drifts);
/* After every step: losses only grow, since one that shrinks by what the energy grows leaves no gap, and a contact that brings
 * energy would hide so [ledger 14]; and what was exchanged without leaving a momentum is a scale of it all the same [ledger 2a]. */
void vvi_ledger_note_step(vv_ledger *l);
/* The energy that the step keeps to fourth order, at the time of `nodal_now`; once when the book is opened.  [ledger 16] */
void vvi_ledger_open_shadow(vv_ledger *l, double h2, double off);
/* ahead: J, what the coming step will say that contacts found in the last one. */
void vvi_ledger_note_shadow(vv_ledger *l, double h2, double off, double ahead);
double vvi_ledger_shadow_error(const vv_ledger *l); /* its largest gap over the energy scale; 0: rounding alone */
double vvi_ledger_relative(const vv_ledger *l,
                           double gap); /* over that scale; J where nothing moves, 0 where it is rounding */
/* Only the energy of a slab inside a step. */
void vvi_ledger_note(vv_ledger *l, double energy);
