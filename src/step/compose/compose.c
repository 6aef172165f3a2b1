/* step/compose/compose.c  Compositions as data: each row is a symmetric sequence of second-order steps.            [bars 13] */
#include "step/step.h"

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
