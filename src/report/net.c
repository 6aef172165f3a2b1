/* report/net.c  Edges of a triangle mesh, and which of them are visible. */
#include "report/net.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_EDGES = 4000 }; /* drawn of outlines and borders, and as many between them: more fill the panel */

/* ---- edges ---- */

typedef struct side {
  int64_t a, b, corner, place; /* place: in the list of triangles, so that the order does not depend on the sort */
} side;

static int64_t low(const side *s)
{
  return s->a < s->b ? s->a : s->b;
}

static int64_t high(const side *s)
{
  return s->a < s->b ? s->b : s->a;
}

static bool same_ends(const side *s, const side *t)
{
  return low(s) == low(t) && high(s) == high(t);
}

static int by_ends(const void *a, const void *b)
{
  const side *s = a, *t = b;
  if (low(s) != low(t)) return low(s) < low(t) ? -1 : 1;
  if (high(s) != high(t)) return high(s) < high(t) ? -1 : 1;
  return s->place < t->place ? -1 : s->place > t->place;
}

static int64_t list_sides(int64_t nodes, int64_t triangles, const int64_t *triangle, side *out)
{
  int64_t n = 0;
  for (int64_t i = 0; i < triangles; i++) {
    const int64_t *v = triangle + 3 * i;
    bool there = true;
    for (int k = 0; k < 3; k++) there = there && v[k] >= 0 && v[k] < nodes;
    for (int k = 0; there && k < 3; k++, n++) out[n] = (side){v[k], v[(k + 1) % 3], v[(k + 2) % 3], n};
  }
  return n;
}

vv_status vvi_net_make(vvi_arena *arena, int64_t nodes, int64_t triangles, const int64_t *triangle, vvi_net *out)
{
  side *s = VVI_ARENA_NEW(arena, side, 3 * triangles);
  *out = (vvi_net){.edge = vvi_arena_alloc(arena, sizeof *out->edge * (size_t)(3 * triangles)), .closed = true};
  if (s == NULL || out->edge == NULL) return VV_NOMEM;
  const int64_t n = list_sides(nodes, triangles, triangle, s);
  qsort(s, (size_t)n, sizeof *s, by_ends);
  for (int64_t i = 0, uses; i < n; i += uses, out->edges++) {
    int64_t *e = out->edge[out->edges];
    for (uses = 1; i + uses < n && same_ends(&s[i], &s[i + uses]);) uses++;
    out->closed = out->closed && uses == 2 && s[i].a == s[i + 1].b;
    e[0] = s[i].a, e[1] = s[i].b, e[2] = s[i].corner, e[3] = uses > 1 ? s[i + 1].corner : -1;
  }
  return VV_OK;
}

/* ---- what is seen ---- */

typedef struct view {
  const double *x;
  int across, up;
} view;

/* Twice the area of the triangle a b c on the page; positive: it looks at the reader. */
static double facing(const view *v, int64_t a, int64_t b, int64_t c)
{
  const double *p = v->x + 3 * a, *q = v->x + 3 * b, *r = v->x + 3 * c;
  return (q[v->across] - p[v->across]) * (r[v->up] - p[v->up]) - (q[v->up] - p[v->up]) * (r[v->across] - p[v->across]);
}

/* An edge lies on the outline where one of its triangles looks at the reader and the other away, or where it has one only;
 * between two triangles that look away from the reader it is behind a closed surface. */
typedef enum sight { HIDDEN, INNER, OUTLINE, SIGHTS } sight;

static sight sight_of(const vvi_net *net, const view *v, const int64_t e[4])
{
  if (e[3] < 0) return OUTLINE;
  const bool first = facing(v, e[0], e[1], e[2]) > 0.0, second = facing(v, e[1], e[0], e[3]) > 0.0;
  if (first != second) return OUTLINE;
  return first || !net->closed ? INNER : HIDDEN;
}

vv_status vvi_net_draw(vvi_arena *arena, const vvi_net *net, const double *x, int across, int up, int64_t *n,
                       double **xy)
{
  const view v = {x, across, up};
  int64_t count[SIGHTS] = {0}, every[SIGHTS], met[SIGHTS] = {0}, room = 0;
  for (int64_t i = 0; i < net->edges; i++) count[sight_of(net, &v, net->edge[i])]++;
  for (int k = INNER; k < SIGHTS; k++) {
    every[k] = 1 + (count[k] - 1) / MOST_EDGES;
    room += 2 * (count[k] / every[k] + 1);
  }
  double *points = VVI_ARENA_NEW(arena, double, 2 * room), *y = points + room;
  *n = 0;
  if (points == NULL) return VV_NOMEM;
  for (int64_t i = 0; i < net->edges; i++) {
    const sight seen = sight_of(net, &v, net->edge[i]);
    if (seen == HIDDEN || met[seen]++ % every[seen] != 0) continue;
    for (int k = 0; k < 2; k++, ++*n) points[*n] = x[3 * net->edge[i][k] + across], y[*n] = x[3 * net->edge[i][k] + up];
  }
  memmove(points + *n, y, sizeof *y * (size_t)*n);
  *xy = points;
  return VV_OK;
}
