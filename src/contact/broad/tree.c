/* contact/broad/tree.c  A binary tree over boxes that change now and then: insert, refit, overlapping pairs. */
#include "contact/broad/tree.h"

#include "geom/halve.h"

#include <math.h>
#include <string.h>

/* Boxes of a leaf; halvings of 2^31 boxes, twice over; a way to the root is some ten nodes: where so large a part of all has changed it
 * is refitted as a whole. */
enum { LEAF = 4, DEPTH = 64, MANY = 10 };

vv_status vvi_broad_create(vvi_arena *arena, int32_t n, vvi_broad **out)
{
  vvi_broad *t = *out = VVI_ARENA_NEW(arena, vvi_broad, 1);
  if (t == NULL) return VV_NOMEM;
  t->n = n;
  t->box = vvi_arena_alloc(arena, sizeof *t->box * (size_t)(n + 1));
  t->order = VVI_ARENA_NEW(arena, int32_t, n + 1), t->leaf = VVI_ARENA_NEW(arena, int32_t, n + 1);
  t->node = VVI_ARENA_NEW(arena, vvi_broad_node, 2 * (int64_t)n + 1);
  t->middle = VVI_ARENA_NEW(arena, double, 3 * (int64_t)n + 1);
  if (t->middle == NULL || t->box == NULL || t->order == NULL || t->leaf == NULL || t->node == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < n; i++) {
    t->order[i] = i;
    for (int c = 0; c < 3; c++) t->box[i][c] = INFINITY, t->box[i][3 + c] = -INFINITY;
  }
  return VV_OK;
}

/* ---- building ---- */

static void find_middles(vvi_broad *t)
{
  for (int32_t i = 0; i < t->n; i++)
    for (int c = 0; c < 3; c++) {
      const double low = t->box[i][c], high = t->box[i][3 + c];
      t->middle[3 * (int64_t)i + c] = low <= high ? low + high : 0.0;
    }
}

static void join(double box[6], const double other[6])
{
  for (int c = 0; c < 3; c++) {
    box[c] = other[c] < box[c] ? other[c] : box[c];
    box[3 + c] = other[3 + c] > box[3 + c] ? other[3 + c] : box[3 + c];
  }
}

static void fit(vvi_broad *t, vvi_broad_node *n)
{
  memcpy(n->box, n->child > 0 ? t->node[n->child].box : t->box[t->order[n->first]], sizeof n->box);
  if (n->child > 0) join(n->box, t->node[n->child + 1].box);
  for (int32_t k = n->first + 1; n->child == 0 && k < n->first + n->n; k++) join(n->box, t->box[t->order[k]]);
}

static void plant(vvi_broad *t, int32_t at, int32_t parent, int32_t lo, int32_t hi)
{
  vvi_broad_node *n = &t->node[at];
  *n = (vvi_broad_node){.first = lo, .n = hi - lo, .parent = parent};
  if (hi - lo > LEAF) {
    const int32_t mid = lo + (hi - lo) / 2;
    vvi_halve(t->middle, 1, t->order + lo, hi - lo, mid - lo);
    n->child = t->nodes, t->nodes += 2;
    plant(t, n->child, at, lo, mid);
    plant(t, n->child + 1, at, mid, hi);
  }
  for (int32_t k = lo; n->child == 0 && k < hi; k++) t->leaf[t->order[k]] = at;
  fit(t, n);
}

/* ---- changes ---- */

static void refit(vvi_broad *t, int32_t box)
{
  for (int32_t at = t->leaf[box]; at >= 0; at = t->node[at].parent) {
    double old[6];
    memcpy(old, t->node[at].box, sizeof old);
    fit(t, &t->node[at]);
    if (memcmp(old, t->node[at].box, sizeof old) == 0) return;
  }
}

void vvi_broad_update(vvi_broad *t, int32_t n, const int32_t *which)
{
  if (t->n == 0 || n == 0) return;
  t->changed += n;
  if (t->nodes == 0 || t->changed >= t->n) {
    t->nodes = 1, t->changed = 0;
    find_middles(t);
    plant(t, 0, -1, 0, t->n);
    return;
  }
  if (MANY * (int64_t)n >= t->n) { /* children stand behind their parents */
    for (int32_t at = t->nodes - 1; at >= 0; at--) fit(t, &t->node[at]);
    return;
  }
  for (int32_t k = 0; k < n; k++) refit(t, which[k]);
}

static bool overlap(const double a[6], const double b[6])
{
  return a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] && a[2] <= b[5] && b[2] <= a[5];
}

void vvi_broad_query(const vvi_broad *t, const double box[6], vvi_broad_fn *tell, void *user)
{
  int32_t stack[DEPTH], top = 0;
  if (t->nodes > 0) stack[top++] = 0;
  while (top > 0) {
    const vvi_broad_node *n = &t->node[stack[--top]];
    if (!overlap(n->box, box)) continue;
    if (n->child > 0) {
      stack[top++] = n->child;
      stack[top++] = n->child + 1;
      continue;
    }
    for (int32_t k = n->first; k < n->first + n->n; k++)
      if (overlap(t->box[t->order[k]], box)) tell(user, t->order[k]);
  }
}
