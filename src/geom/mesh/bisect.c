/* geom/mesh/bisect.c  Recursive coordinate bisection: triangles of a block, and nodes of a block, side by side. */
#include "geom/halve.h"
#include "geom/mesh/inside.h"

#include <string.h>

/* Halves of whole blocks: only the last block of all can be small.  The depth is the binary logarithm of the blocks. */
static void bisect(const double *centre, int *list, int n, int block)
{
  if (n <= block) return;
  const int64_t blocks = ((int64_t)n + block - 1) / block;
  const int left = (int)((blocks + 1) / 2 * block);
  if (left < n) vvi_halve(centre, 3, list, n, left);
  bisect(centre, list, left < n ? left : n, block);
  if (left < n) bisect(centre, list + left, n - left, block);
}

/* Within a block triangles keep the order they had: shell sort, as blocks are small. */
static void sort_block(int *list, int n)
{
  static const int gaps[] = {10001, 4001, 1750, 701, 301, 132, 57, 23, 10, 4, 1};
  for (int g = 0; g < VV_COUNT(gaps); g++)
    for (int i = gaps[g]; i < n; i++) {
      const int v = list[i];
      int j = i;
      for (; j >= gaps[g] && list[j - gaps[g]] > v; j -= gaps[g]) list[j] = list[j - gaps[g]];
      list[j] = v;
    }
}

/* ---- nodes ---- */

/* The lowest and the highest block that touches each node; wide: through the nodes around it. */
static void find_touch(const vvi_mesh *m, const int *order, int block, int rings, int *low, int *high, int *wide_low,
                       int *wide_high)
{
  for (int i = 0; i < m->nodes; i++) low[i] = INT32_MAX, high[i] = -1;
  for (int k = 0; k < m->triangles; k++)
    for (int c = 0; c < 3; c++) {
      const int v = m->triangle[3 * order[k] + c], b = k / block;
      if (b < low[v]) low[v] = b;
      if (b > high[v]) high[v] = b;
    }
  memcpy(wide_low, low, sizeof(int) * (size_t)m->nodes);
  memcpy(wide_high, high, sizeof(int) * (size_t)m->nodes);
  for (int t = 0; rings > 0 && t < m->triangles; t++)
    for (int c = 0; c < 6; c++) {
      const int v = m->triangle[3 * t + c % 3], u = m->triangle[3 * t + (c + 1 + c / 3) % 3];
      if (low[u] < wide_low[v]) wide_low[v] = low[u];
      if (high[u] > wide_high[v]) wide_high[v] = high[u];
    }
}

/* Counting sort by block, own before shared; within these in the order of first use.  Unused nodes come last. */
static bool order_nodes(const vvi_mesh *m, const int *order, int block, int rings, int *node_order)
{
  const int blocks = m->triangles / block + 2;
  vvi_arena scratch = {0};
  int *touch = VVI_ARENA_NEW(&scratch, int, 4 * (int64_t)m->nodes);
  int *count = VVI_ARENA_NEW(&scratch, int, 2 * (int64_t)blocks + 1);
  bool *seen = VVI_ARENA_NEW(&scratch, bool, m->nodes);
  const bool ok = touch != NULL && count != NULL && seen != NULL;
  if (ok) {
    const int n = m->nodes;
    int *low = touch, *wide_low = touch + 2 * (int64_t)n, *wide_high = touch + 3 * (int64_t)n;
    find_touch(m, order, block, rings, low, touch + n, wide_low, wide_high);
    for (int i = 0; i < n; i++) {
      if (low[i] == INT32_MAX) low[i] = blocks - 1;
      low[i] = 2 * low[i] + (wide_low[i] != wide_high[i]);
      count[low[i] + 1]++;
    }
    for (int b = 0; b < 2 * blocks; b++) count[b + 1] += count[b];
    for (int64_t k = 0; k < 3 * (int64_t)m->triangles; k++) {
      const int v = m->triangle[3 * order[k / 3] + k % 3];
      if (!seen[v]) node_order[count[low[v]]++] = v;
      seen[v] = true;
    }
    for (int i = 0; i < n; i++)
      if (!seen[i]) node_order[count[low[i]]++] = i;
  }
  vvi_arena_free(&scratch);
  return ok;
}

/* Triangles are cut two by two: beside[] those that stay together, -1: alone.  Who is alone goes with another one that is near, and
 * the units of two are cut.  Their centres are written over those of their first triangles. */
static bool bisect_pairs(double *centre, int n, int block, const int *beside, int *order)
{
  vvi_arena scratch = {0};
  int *unit = VVI_ARENA_NEW(&scratch, int, n), *other = VVI_ARENA_NEW(&scratch, int, n);
  int units = 0, alone = 0;
  if (unit != NULL && other != NULL) {
    for (int t = 0; t < n; t++)
      if (beside[t] < 0) order[alone++] = t;
    bisect(centre, order, alone, 2);
    for (int k = 0; k < alone; k++) other[order[k]] = order[k ^ 1];
    for (int t = 0; t < n; t++) {
      if (beside[t] >= 0) other[t] = beside[t];
      if (other[t] < t) continue;
      unit[units++] = t;
      for (int c = 0; c < 3; c++)
        centre[3 * (int64_t)t + c] = 0.5 * (centre[3 * (int64_t)t + c] + centre[3 * (int64_t)other[t] + c]);
    }
    bisect(centre, unit, units, block / 2);
    for (int k = 0; k < units; k++) order[2 * k] = unit[k], order[2 * k + 1] = other[unit[k]];
  }
  vvi_arena_free(&scratch);
  return unit != NULL && other != NULL;
}

vv_status vvi_mesh_bisect(const vvi_mesh *m, int block, int rings, const int *beside, int *triangle_order,
                          int *node_order, char why[VVI_MESH_WHY])
{
  if (block < 1) return vvi_mesh_fail(why, VV_ARG, "a block needs at least one triangle, not %d", block);
  vvi_arena scratch = {0};
  double *centre = VVI_ARENA_NEW(&scratch, double, 3 * (int64_t)m->triangles);
  if (centre == NULL) return vvi_mesh_no_memory(why);
  for (int t = 0; t < m->triangles; t++) {
    triangle_order[t] = t;
    for (int k = 0; k < 9; k++) centre[3 * (int64_t)t + k % 3] += m->x[3 * (int64_t)m->triangle[3 * t + k / 3] + k % 3];
  }
  bool done = true;
  if (beside != NULL && block % 2 == 0 && m->triangles % 2 == 0)
    done = bisect_pairs(centre, m->triangles, block, beside, triangle_order);
  else
    bisect(centre, triangle_order, m->triangles, block);
  vvi_arena_free(&scratch);
  if (!done) return vvi_mesh_no_memory(why);
  for (int64_t k = 0; k < m->triangles; k += block)
    sort_block(triangle_order + k, (int)(m->triangles - k < block ? m->triangles - k : block));
  return order_nodes(m, triangle_order, block, rings, node_order) ? VV_OK : vvi_mesh_no_memory(why);
}
