/* geom/mesh/pairs.c  Triangles two by two: neighbours that go together.
 *
 * First those with a single possible partner, which leaves few over; then every one that is left looks for another along a path whose
 * sides are in turn free and taken, and the path changes hands (Berge).  Meshes that are closed and regular have a partner for
 * every triangle (Petersen: the triangles around a closed surface are the nodes of a cubic graph without bridges). */
#include "geom/mesh/inside.h"

/* Triangles that one search looks at, at most: it costs no more than the cut does where partners are far away. */
enum { MOST_SEARCHED = 4096 };

typedef struct pairing {
  int triangles;
  const int *neighbour;
  const unsigned char *sort; /* partners are of one sort; NULL: all are */
  int *mate;                 /* -1: none */
  int *stack;                /* [3 triangles] */
  int *parent, *seen;        /* [triangles] of a search; which one came here last */
} pairing;

static bool can_pair(const pairing *w, int t, int other)
{
  return other >= 0 && (w->sort == NULL || w->sort[t] == w->sort[other]);
}

/* Neighbours that are still free. */
static int free_mates(const pairing *w, int t, int out[3])
{
  int count = 0;
  for (int k = 0; k < 3; k++) {
    const int other = w->neighbour[3 * (int64_t)t + k];
    if (can_pair(w, t, other) && w->mate[other] < 0) out[count++] = other;
  }
  return count;
}

static int count_mates(const pairing *w, int t)
{
  int out[3];
  return free_mates(w, t, out);
}

/* Of the free neighbours the one that has the fewest itself. */
static int choose(const pairing *w, int count, const int mates[3])
{
  int best = mates[0], least = count_mates(w, mates[0]);
  for (int k = 1; k < count; k++) {
    const int m = count_mates(w, mates[k]);
    if (m < least) best = mates[k], least = m;
  }
  return best;
}

static void pair_greedily(const pairing *w)
{
  int depth = 0, next = 0, mates[3];
  for (int t = w->triangles - 1; t >= 0; t--)
    if (w->mate[t] < 0 && count_mates(w, t) == 1) w->stack[depth++] = t;
  while (depth > 0 || next < w->triangles) {
    const int t = depth > 0 ? w->stack[--depth] : next++;
    const int count = w->mate[t] < 0 ? free_mates(w, t, mates) : 0;
    if (count == 0) continue;
    const int both[2] = {t, choose(w, count, mates)};
    w->mate[both[0]] = both[1], w->mate[both[1]] = both[0];
    for (int side = 0; side < 2; side++) {
      const int m = free_mates(w, both[side], mates);
      for (int k = 0; k < m; k++)
        if (depth < 3 * w->triangles && count_mates(w, mates[k]) == 1) w->stack[depth++] = mates[k];
    }
  }
}

/* The path from the free triangle `end` beside `t` back to where the search began. */
static void change_hands(const pairing *w, int from, int t, int end)
{
  for (;;) {
    const int before = w->mate[t];
    w->mate[t] = end, w->mate[end] = t;
    if (t == from) return;
    end = before, t = w->parent[t];
  }
}

/* A pair is entered once, through either of its triangles, so that a path never meets itself. */
static void look_for_mate(const pairing *w, int from)
{
  int head = 0, tail = 0;
  w->stack[tail++] = from, w->seen[from] = from;
  while (head < tail && tail < MOST_SEARCHED) {
    const int t = w->stack[head++];
    for (int k = 0; k < 3; k++) {
      const int other = w->neighbour[3 * (int64_t)t + k];
      if (!can_pair(w, t, other) || w->seen[other] == from) continue;
      if (w->mate[other] < 0) {
        change_hands(w, from, t, other);
        return;
      }
      const int next = w->mate[other];
      w->seen[other] = w->seen[next] = from;
      w->parent[next] = t, w->stack[tail++] = next;
    }
  }
}

/* Six triangles around every corner, three where the border goes through it. */
static void sort_triangles(const vvi_mesh *m, const vvi_mesh_topology *top, unsigned char *sort)
{
#pragma omp parallel for schedule(static) if (m->triangles > VVI_MESH_MANY)
  for (int t = 0; t < m->triangles; t++) {
    sort[t] = 1;
    for (int c = 0; c < 3; c++) {
      const int v = m->triangle[3 * (int64_t)t + c], around = top->first[v + 1] - top->first[v];
      if (around != 6 && (around != 3 || top->valence[v] != 4)) sort[t] = 0;
    }
  }
}

vv_status vvi_mesh_pair(const vvi_mesh *m, const vvi_mesh_topology *top, int *mate, int *beside, char why[VVI_MESH_WHY])
{
  vvi_arena scratch = {.dense = true};
  const int n = m->triangles;
  vv_status status = VV_OK;
  unsigned char *sort = VVI_ARENA_NEW(&scratch, unsigned char, n);
  int *room = VVI_ARENA_NEW(&scratch, int, 5 * (int64_t)n + MOST_SEARCHED);
  if (sort == NULL || room == NULL) status = vvi_mesh_no_memory(why);
  if (status == VV_OK) {
    pairing w = {.triangles = n, .neighbour = top->neighbour, .sort = sort, .mate = mate, .stack = room};
    w.seen = room + 3 * (int64_t)n + MOST_SEARCHED, w.parent = w.seen + n;
    sort_triangles(m, top, sort);
#pragma omp parallel for schedule(static) if (n > VVI_MESH_MANY)
    for (int t = 0; t < n; t++) mate[t] = w.seen[t] = -1;
    pair_greedily(&w);
    for (int t = 0; t < n; t++)
      if (mate[t] < 0 && sort[t] == 1) look_for_mate(&w, t);
#pragma omp parallel for schedule(static) if (n > VVI_MESH_MANY)
    for (int t = 0; t < n; t++) {
      beside[t] = mate[t];
      if (sort[t] == 0) mate[t] = -1;
    }
    w.mate = beside, w.sort = NULL;
    pair_greedily(&w);
  }
  vvi_arena_free(&scratch);
  return status;
}
