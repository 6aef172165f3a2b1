/* math/newton.h  When Newton's iteration of an implicit step ends: corrections are told one by one, over the size of an element.
 *
 * A tangent serves as long as it converges fast.  The iteration ends where the next correction would be too small to matter, or
 * where corrections by new tangents no longer shrink: then only rounding is left, which grows with the distance from the origin and
 * with the condition of the body.  That a single one hardly shrinks says little, for tangents of folded shells are solved for in part
 * alone: a step of which 1e-7 was missing gained 1e-8 of its energy.  So it is asked of two together, unless 1e-12 of the whole is all
 * that is left, as much as claims bear.                                                                            [em 20b] */
#pragma once
#include <math.h>
#include <stdbool.h>

typedef struct vvi_newton {
  int corrections;
  bool stale;       /* the next tangent is to be a new one; the first always is */
  double before[2]; /* the last correction, and that before it */
} vvi_newton;

/* Is a new tangent due? */
static inline bool vvi_newton_fresh(const vvi_newton *n)
{
  return n->corrections == 0 || n->stale;
}

/* Is this correction, of the whole, the last?  rest: of the whole, what need not be corrected. */
static inline bool vvi_newton_ends(vvi_newton *n, double added, double whole, double rest)
{
  const bool fresh = vvi_newton_fresh(n), second = n->corrections > 0, third = n->corrections > 1;
  const double rate = second ? added / n->before[0] : 1.0;
  const bool still = third && added > 0.8 * n->before[1], little = second && added <= 1e-12 * whole && rate > 0.3;
  n->stale = second && rate > 1e-2;
  n->before[1] = n->before[0], n->before[0] = added;
  n->corrections++;
  return added * fmin(rate, 1.0) <= rest * whole || (fresh && (little || (still && added < 1e-7)));
}
