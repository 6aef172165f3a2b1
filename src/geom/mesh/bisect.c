/* geom/mesh/bisect.c  Recursive coordinate bisection: triangles of a block, and nodes of a block, side by side. */
#include "geom/halve.h"
#include "geom/mesh/inside.h"

#include <stdatomic.h>

/* Halves of whole blocks: only the last block of all can be small.  The depth is the binary logarithm of the blocks.  Threads that
 * are free take the left halves. */
static void bisect(const double *centre, int *list, int n, int block)
{
  if (n <= block) return;
  const int64_t blocks = ((int64_t)n + block - 1) / block;
  const int left = (int)((blocks + 1) / 2 * block);
  if (left < n) vvi_halve(centre, 3, list, n, left);
#pragma omp task if (n > VVI_MESH_MANY)
  bisect(centre, list, left < n ? left : n, block);
  if (left < n) bisect(centre, list + left, n - left, block);
}

static void bisect_all(const double *centre, int *list, int n, int block)
{
#pragma omp parallel if (n > VVI_MESH_MANY)
#pragma omp single
  bisect(centre, list, n, block);
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

/* Threads meet at nodes between their triangles: the lowest of what they bring stays, whoever comes first. */
static void lower(atomic_int *at, int v)
{
  int old = atomic_load_explicit(at, memory_order_relaxed);
  while (v < old && !atomic_compare_exchange_weak_explicit(at, &old, v, memory_order_relaxed, memory_order_relaxed)) {
  }
}

/* The lowest block that touches each node, and the negative of the highest; wide: through the nodes around it. */
typedef struct touched {
  atomic_int low, high, wide_low, wide_high;
} touched;

static void find_touch(const vvi_mesh *m, const int *order, int block, int rings, touched *node)
{
#pragma omp parallel if (m->triangles > VVI_MESH_MANY)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < m->nodes; i++) atomic_init(&node[i].low, INT32_MAX), atomic_init(&node[i].high, INT32_MAX);
#pragma omp for schedule(static)
    for (int k = 0; k < m->triangles; k++)
      for (int c = 0; c < 3; c++) {
        const int v = m->triangle[3 * order[k] + c];
        lower(&node[v].low, k / block), lower(&node[v].high, -(k / block));
      }
#pragma omp for schedule(static)
    for (int i = 0; i < m->nodes; i++)
      atomic_init(&node[i].wide_low, node[i].low), atomic_init(&node[i].wide_high, node[i].high);
#pragma omp for schedule(static)
    for (int t = 0; t < (rings > 0 ? m->triangles : 0); t++)
      for (int c = 0; c < 6; c++) {
        const int v = m->triangle[3 * t + c % 3], u = m->triangle[3 * t + (c + 1 + c / 3) % 3];
        lower(&node[v].wide_low, atomic_load_explicit(&node[u].low, memory_order_relaxed));
        lower(&node[v].wide_high, atomic_load_explicit(&node[u].high, memory_order_relaxed));
      }
  }
}

/* Counting sort by block, own before shared; within these in the order of first use.  Unused nodes come last. */
static bool order_nodes(const vvi_mesh *m, const int *order, int block, int rings, int *node_order)
{
  const int blocks = m->triangles / block + 2;
  vvi_arena scratch = {.dense = true};
  touched *touch = VVI_ARENA_NEW(&scratch, touched, m->nodes);
  int *low = VVI_ARENA_NEW(&scratch, int, m->nodes);
  int *count = VVI_ARENA_NEW(&scratch, int, 2 * (int64_t)blocks + 1);
  bool *seen = VVI_ARENA_NEW(&scratch, bool, m->nodes);
  const bool ok = touch != NULL && low != NULL && count != NULL && seen != NULL;
  if (ok) {
    const int n = m->nodes;
    find_touch(m, order, block, rings, touch);
    for (int i = 0; i < n; i++) {
      const int first = touch[i].low == INT32_MAX ? blocks - 1 : touch[i].low;
      low[i] = 2 * first + (touch[i].wide_low != -touch[i].wide_high);
      count[low[i] + 1]++;
    }
    for (int b = 0; b < 2 * blocks; b++) count[b + 1] += count[b];
#pragma omp parallel for schedule(static) if (m->triangles > VVI_MESH_MANY)
    for (int b = 0; b < blocks - 1; b++) { /* every node in its lowest block, where it is first used */
      const int64_t end = (b + 1) * (int64_t)block < m->triangles ? (b + 1) * (int64_t)block : m->triangles;
      for (int64_t k = 3 * (int64_t)b * block; k < 3 * end; k++) {
        const int v = m->triangle[3 * order[k / 3] + k % 3];
        if (low[v] / 2 != b || seen[v]) continue;
        node_order[count[low[v]]++] = v;
        seen[v] = true;
      }
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
  vvi_arena scratch = {.dense = true};
  int *unit = VVI_ARENA_NEW(&scratch, int, n), *other = VVI_ARENA_NEW(&scratch, int, n);
  int units = 0, alone = 0;
  if (unit != NULL && other != NULL) {
#pragma omp parallel for schedule(static) if (n > VVI_MESH_MANY)
    for (int t = 0; t < n; t++) other[t] = beside[t];
    for (int t = 0; t < n; t++)
      if (other[t] < 0) order[alone++] = t;
    bisect_all(centre, order, alone, 2);
    for (int k = 0; k < alone; k++) other[order[k]] = order[k ^ 1];
    for (int t = 0; t < n; t++)
      if (other[t] > t) unit[units++] = t;
#pragma omp parallel for schedule(static) if (units > VVI_MESH_MANY)
    for (int k = 0; k < units; k++) {
      double *one = centre + 3 * (int64_t)unit[k];
      const double *two = centre + 3 * (int64_t)other[unit[k]];
      for (int c = 0; c < 3; c++) one[c] = 0.5 * (one[c] + two[c]);
    }
    bisect_all(centre, unit, units, block / 2);
#pragma omp parallel for schedule(static) if (units > VVI_MESH_MANY)
    for (int k = 0; k < units; k++) order[2 * k] = unit[k], order[2 * k + 1] = other[unit[k]];
  }
  vvi_arena_free(&scratch);
  return unit != NULL && other != NULL;
}

vv_status vvi_mesh_bisect(const vvi_mesh *m, int block, int rings, const int *beside, int *triangle_order,
                          int *node_order, char why[VVI_MESH_WHY])
{
  if (block < 1) return vvi_mesh_fail(why, VV_ARG, "a block needs at least one triangle, not %d", block);
  vvi_arena scratch = {.dense = true};
  double *centre = VVI_ARENA_NEW(&scratch, double, 3 * (int64_t)m->triangles);
  if (centre == NULL) return vvi_mesh_no_memory(why);
#pragma omp parallel for schedule(static) if (m->triangles > VVI_MESH_MANY)
  for (int t = 0; t < m->triangles; t++) {
    triangle_order[t] = t;
    for (int k = 0; k < 9; k++) centre[3 * (int64_t)t + k % 3] += m->x[3 * (int64_t)m->triangle[3 * t + k / 3] + k % 3];
  }
  bool done = true;
  if (beside != NULL && block % 2 == 0 && m->triangles % 2 == 0)
    done = bisect_pairs(centre, m->triangles, block, beside, triangle_order);
  else
    bisect_all(centre, triangle_order, m->triangles, block);
  vvi_arena_free(&scratch);
  if (!done) return vvi_mesh_no_memory(why);
#pragma omp parallel for schedule(static) if (m->triangles > VVI_MESH_MANY)
  for (int64_t k = 0; k < m->triangles; k += block)
    sort_block(triangle_order + k, (int)(m->triangles - k < block ? m->triangles - k : block));
  return order_nodes(m, triangle_order, block, rings, node_order) ? VV_OK : vvi_mesh_no_memory(why);
}
