/* model/grid_line.h  From one grid of a line to another: bars and beams whose mesh is changed between two steps. */
#pragma once
#include "base/base.h"

/* Nodes of a line, in the order of their coordinates; mass: what each carries. */
typedef struct vvi_grid_line {
  int64_t n;
  const double *at, *mass; /* [n] */
} vvi_grid_line;

/* The interval [i, i + 1] of the grid that x lies in, the nearest where it lies outside, and how far into it (0 to 1). */
static inline int64_t vvi_grid_find(const vvi_grid_line *g, double x, double *part)
{
  int64_t lo = 0, hi = g->n - 1;
  while (hi - lo > 1) {
    const int64_t mid = (lo + hi) / 2;
    if (g->at[mid] <= x)
      lo = mid;
    else
      hi = mid;
  }
  const double s = hi > lo ? (x - g->at[lo]) / (g->at[hi] - g->at[lo]) : 0.0;
  *part = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
  return lo;
}

/* The hat of node j of a grid at x. */
static inline double vvi_grid_hat(const vvi_grid_line *g, int64_t j, double x)
{
  double part;
  const int64_t i = vvi_grid_find(g, x, &part);
  return i == j ? 1.0 - part : i + 1 == j ? part : 0.0;
}

/* How node j of the grid `to` takes its velocity from the grid `from`: calls add(user, i, weight) for the nodes it takes it from,
 * weights adding up to one.  Where several old nodes lie under its hat, their mean by mass, which keeps momentum on nested grids;
 * else what lies between the two beside it.                                                                  [grids 17] */
static inline void vvi_grid_mix(const vvi_grid_line *from, const vvi_grid_line *to, int64_t j,
                                void (*add)(void *user, int64_t i, double weight), void *user)
{
  double part, sum = 0.0;
  const double left = to->at[j > 0 ? j - 1 : 0], right = to->at[j + 1 < to->n ? j + 1 : to->n - 1];
  int64_t i = vvi_grid_find(from, left, &part), under = 0;
  const int64_t first = i;
  for (; i < from->n && from->at[i] <= right; i++) {
    const double hat = vvi_grid_hat(to, j, from->at[i]);
    under += hat > 1e-9, sum += hat * from->mass[i];
  }
  if (under < 2) {
    i = vvi_grid_find(from, to->at[j], &part);
    add(user, i, 1.0 - part);
    if (part > 0.0) add(user, i + 1, part);
    return;
  }
  for (i = first; i < from->n && from->at[i] <= right; i++) {
    const double hat = vvi_grid_hat(to, j, from->at[i]);
    if (hat > 1e-9) add(user, i, hat * from->mass[i] / sum);
  }
}
