/* step/compose/compose.c  Compositions as data: each row is a symmetric sequence of second-order steps.            [bars 13] */
#include "step/step.h"

#include <math.h>
#include <stddef.h>

static const double order2[] = {1.0};

/* M. Suzuki (1990): five stages, gamma = 1/(4 - 4^(1/3)). */
static const double order4[] = {0.41449077179437573714, 0.41449077179437573714, -0.65796308717750294857,
                                0.41449077179437573714, 0.41449077179437573714};

/* W. Kahan and R.-C. Li (1997): nine stages, order 6. */
static const double order6[] = {0.39216144400731413928,  0.33259913678935943860, -0.70624617255763935981,
                                0.08221359629355080023,  0.79854399093482996340, 0.08221359629355080023,
                                -0.70624617255763935981, 0.33259913678935943860, 0.39216144400731413928};

static const vvi_composition table[] = {
    {2, VV_COUNT(order2), order2}, {4, VV_COUNT(order4), order4}, {6, VV_COUNT(order6), order6}};

const vvi_composition *vvi_composition_find(int order)
{
  for (int i = 0; i < VV_COUNT(table); i++)
    if (table[i].order == order) return &table[i];
  return NULL;
}

/* Half the trace of the step's matrix on q' = p, p' = -q; within [-1, 1] the step is stable.  A stage of length x is
 *   [1 - x^2/2, x; -x (1 - x^2/4), 1 - x^2/2].                                                              [bars 13a] */
static double half_trace(const vvi_composition *k, double h)
{
  double a = 1.0, b = 0.0, c = 0.0, d = 1.0;
  for (int i = 0; i < k->stages; i++) {
    const double x = k->gamma[i] * h, s = 1.0 - 0.5 * x * x, t = -x * (1.0 - 0.25 * x * x);
    const double a1 = s * a + x * c, b1 = s * b + x * d;
    c = t * a + s * c, d = t * b + s * d;
    a = a1, b = b1;
  }
  return 0.5 * (a + d);
}

/* The trace touches -1 or 1 where frequencies meet and may turn back: only where it leaves the interval by more than rounding
 * the step is lost.  Compositions are of even order, so the first such place is found by small steps and then halved. */
double vvi_composition_limit(const vvi_composition *k)
{
  const double fine = 1e-3, slack = 1e-9;
  double h = fine;
  while (h < 10.0 && fabs(half_trace(k, h)) <= 1.0 + slack) h += fine;
  double lo = h - fine, hi = h;
  for (int i = 0; i < 50; i++) {
    const double mid = 0.5 * (lo + hi);
    if (fabs(half_trace(k, mid)) <= 1.0 + slack)
      lo = mid;
    else
      hi = mid;
  }
  return lo;
}
