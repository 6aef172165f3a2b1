/* geom/hull.c  The convex hull of points: triangles grown outwards, then joined to flat faces.
 *
 * The hull starts from a tetrahedron of far points.  The point farthest outside of any triangle is added: the triangles it
 * sees, and those in one plane with it, are taken away, and the border of the hole is joined to the point.  Points within
 * rounding of the hull are inside.  At the end neighbouring triangles in one plane become one face, and vertices that are
 * not corners of three faces disappear. */
#include "geom/touch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct hull_triangle {
  int v[3], next[3]; /* corners counterclockwise from outside; the neighbour across (v[i], v[i + 1]) */
  double n[3], offset;
  int face;
  bool used, seen;
} hull_triangle;

typedef struct hull {
  int points, room, used;
  const double *x;
  double size, eps;
  hull_triangle *t; /* [room] */
  int *stack;       /* [room] */
  int *start;       /* [points] new triangle whose border edge starts here */
} hull;

static double above(const hull *h, const hull_triangle *t, int p)
{
  return vvi_dot3(t->n, h->x + 3 * p) - t->offset;
}

/* False: the corners are in line. */
static bool set_triangle(hull *h, hull_triangle *t, int a, int b, int c)
{
  double u[3], v[3];
  t->v[0] = a, t->v[1] = b, t->v[2] = c;
  t->used = true, t->seen = false, t->face = -1;
  vvi_sub3(h->x + 3 * b, h->x + 3 * a, u);
  vvi_sub3(h->x + 3 * c, h->x + 3 * a, v);
  vvi_cross3(u, v, t->n);
  const double length = vvi_norm3(t->n);
  if (!(length > 0.0)) return false;
  for (int i = 0; i < 3; i++) t->n[i] /= length;
  t->offset = fmax(vvi_dot3(t->n, h->x + 3 * a), fmax(vvi_dot3(t->n, h->x + 3 * b), vvi_dot3(t->n, h->x + 3 * c)));
  return true;
}

/* The point farthest from p (line NULL), from the line p + t d, or from the plane through p with normal d. */
static int farthest(const hull *h, const double p[3], const double *line, const double *plane)
{
  int best = -1;
  double most = 1e-9 * h->size;
  for (int k = 0; k < h->points; k++) {
    double d[3], c[3];
    vvi_sub3(h->x + 3 * k, p, d);
    if (line) vvi_cross3(d, line, c);
    const double far = plane ? fabs(vvi_dot3(d, plane)) : line ? vvi_norm3(c) : vvi_norm3(d);
    if (far > most) most = far, best = k;
  }
  return best;
}

static const char *first_tetrahedron(hull *h)
{
  int v[4] = {0};
  double u[3], w[3], n[3];
  for (int k = 1; k < h->points; k++)
    if (h->x[3 * k] < h->x[3 * v[0]]) v[0] = k;
  const double *p = h->x + 3 * v[0];
  v[1] = farthest(h, p, NULL, NULL);
  if (v[1] < 0) return "all points are one point";
  vvi_sub3(h->x + 3 * v[1], p, u);
  const double length = vvi_norm3(u);
  for (int i = 0; i < 3; i++) u[i] /= length;
  v[2] = farthest(h, p, u, NULL);
  if (v[2] < 0) return "all points lie on a line";
  vvi_sub3(h->x + 3 * v[2], p, w);
  vvi_cross3(u, w, n);
  const double area = vvi_norm3(n);
  for (int i = 0; i < 3; i++) n[i] /= area;
  v[3] = farthest(h, p, NULL, n);
  if (v[3] < 0) return "all points lie in a plane";
  double d[3];
  vvi_sub3(h->x + 3 * v[3], p, d);
  if (vvi_dot3(d, n) > 0.0) { /* the fourth below the first three */
    const int hold = v[1];
    v[1] = v[2], v[2] = hold;
  }
  static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  static const int next[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
  for (int f = 0; f < 4; f++) {
    if (!set_triangle(h, &h->t[f], v[corner[f][0]], v[corner[f][1]], v[corner[f][2]])) return "points are degenerate";
    for (int i = 0; i < 3; i++) h->t[f].next[i] = next[f][i];
  }
  h->used = 4;
  return NULL;
}

static int new_triangle(hull *h)
{
  for (int i = 0; i < h->used; i++)
    if (!h->t[i].used) return i;
  return h->used < h->room ? h->used++ : -1;
}

/* Marks what p sees, starting from triangle f, with what is in one plane with it; returns how many (listed in stack). */
static int see(hull *h, int p, int f)
{
  int n = 0;
  h->stack[n++] = f;
  h->t[f].seen = true;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 3; i++) {
      const int g = h->t[h->stack[k]].next[i];
      if (h->t[g].seen || above(h, &h->t[g], p) < -h->eps) continue;
      h->t[g].seen = true;
      h->stack[n++] = g;
    }
  return n;
}

/* Adds point p that is outside of triangle f. */
static const char *add_point(hull *h, int p, int f)
{
  const int seen = see(h, p, f);
  int border = 0;
  for (int i = 0; i < h->points; i++) h->start[i] = -1;
  for (int k = 0; k < seen; k++) {
    const hull_triangle t = h->t[h->stack[k]];
    for (int i = 0; i < 3; i++) {
      const int g = t.next[i], a = t.v[i], b = t.v[(i + 1) % 3];
      if (h->t[g].seen) continue;
      const int m = new_triangle(h);
      if (m < 0 || h->start[a] >= 0 || !set_triangle(h, &h->t[m], a, b, p)) return "points are too near to each other";
      h->start[a] = m;
      h->t[m].next[0] = g;
      for (int j = 0; j < 3; j++)
        if (h->t[g].v[j] == b && h->t[g].v[(j + 1) % 3] == a) h->t[g].next[j] = m;
      border++;
    }
  }
  for (int k = 0; k < seen; k++) h->t[h->stack[k]].used = h->t[h->stack[k]].seen = false;
  for (int i = 0; i < h->points; i++) { /* around p: the triangle on (a, b) meets the one that starts at b */
    if (h->start[i] < 0) continue;
    hull_triangle *t = &h->t[h->start[i]];
    const int after = h->start[t->v[1]];
    if (after < 0) return "points are too near to each other";
    t->next[1] = after;
    h->t[after].next[2] = h->start[i];
  }
  return border >= 3 ? NULL : "points are too near to each other";
}

static const char *grow(hull *h)
{
  for (int round = 0; round < h->points; round++) {
    int point = -1, from = -1;
    double most = h->eps;
    for (int f = 0; f < h->used; f++) {
      if (!h->t[f].used) continue;
      for (int p = 0; p < h->points; p++) {
        const double d = above(h, &h->t[f], p);
        if (d > most) most = d, point = p, from = f;
      }
    }
    if (point < 0) return NULL;
    const char *wrong = add_point(h, point, from);
    if (wrong) return wrong;
  }
  return NULL;
}

/* Triangles in one plane get the same face; returns the number of faces. */
static int join_faces(hull *h)
{
  int faces = 0;
  const double flat = 10.0 * h->eps;
  for (int f = 0; f < h->used; f++) {
    if (!h->t[f].used || h->t[f].face >= 0) continue;
    int n = 0;
    h->stack[n++] = f;
    h->t[f].face = faces;
    for (int k = 0; k < n; k++)
      for (int i = 0; i < 3; i++) {
        const int g = h->t[h->stack[k]].next[i];
        hull_triangle *t = &h->t[g];
        if (t->face >= 0 || vvi_dot3(t->n, h->t[f].n) < 0.999) continue;
        bool same = true;
        for (int j = 0; j < 3; j++) same &= fabs(above(h, &h->t[f], t->v[j])) <= flat;
        if (!same) continue;
        t->face = faces;
        h->stack[n++] = g;
      }
    faces++;
  }
  return faces;
}

/* Normal of a loop by its area, so that many thin triangles do not spoil it. */
static void loop_plane(const double *x, const int *loop, int n, double plane[4])
{
  double sum[3] = {0.0, 0.0, 0.0};
  for (int i = 1; i + 1 < n; i++) {
    double u[3], v[3], c[3];
    vvi_sub3(x + 3 * loop[i], x + 3 * loop[0], u);
    vvi_sub3(x + 3 * loop[i + 1], x + 3 * loop[0], v);
    vvi_cross3(u, v, c);
    for (int k = 0; k < 3; k++) sum[k] += c[k];
  }
  const double length = vvi_norm3(sum);
  for (int k = 0; k < 3; k++) plane[k] = sum[k] / length;
  plane[3] = -INFINITY;
  for (int i = 0; i < n; i++) plane[3] = fmax(plane[3], vvi_dot3(plane, x + 3 * loop[i]));
}

/* Border of face f, corners only (start: the vertex after each on the border). */
static int face_loop(hull *h, int f, const int *corners, int *loop)
{
  int first = -1, n = 0;
  for (int i = 0; i < h->points; i++) h->start[i] = -1;
  for (int k = 0; k < h->used; k++) {
    const hull_triangle *t = &h->t[k];
    if (!t->used || t->face != f) continue;
    for (int i = 0; i < 3; i++)
      if (h->t[t->next[i]].face != f) h->start[t->v[i]] = t->v[(i + 1) % 3], first = t->v[i];
  }
  int v = first;
  for (int guard = 0; guard <= h->points; guard++) {
    if (v < 0) return 0;
    if (corners[v] >= 3) loop[n++] = v;
    v = h->start[v];
    if (v == first) return n;
  }
  return 0;
}

/* In how many faces each vertex is. */
static void count_faces(const hull *h, int faces, int *corners, int *last)
{
  for (int v = 0; v < h->points; v++) corners[v] = 0, last[v] = -1;
  for (int f = 0; f < faces; f++)
    for (int k = 0; k < h->used; k++)
      for (int i = 0; i < 3 && h->t[k].used && h->t[k].face == f; i++) {
        const int v = h->t[k].v[i];
        if (last[v] != f) corners[v]++, last[v] = f;
      }
}

static bool find_edges(vvi_polyhedron *p)
{
  p->edges = 0;
  for (int f = 0; f < p->faces; f++)
    for (int i = p->first[f]; i < p->first[f + 1]; i++) {
      const int a = p->loop[i], b = p->loop[i + 1 < p->first[f + 1] ? i + 1 : p->first[f]];
      if (a > b) continue;
      int found = -1;
      for (int g = 0; g < p->faces && found < 0; g++)
        for (int j = p->first[g]; j < p->first[g + 1]; j++)
          if (p->loop[j] == b && p->loop[j + 1 < p->first[g + 1] ? j + 1 : p->first[g]] == a) found = g;
      if (found < 0) return false;
      int *e = p->edge + 4 * p->edges++;
      e[0] = a, e[1] = b, e[2] = f, e[3] = found;
    }
  return p->vertices - p->edges + p->faces == 2;
}

/* The polyhedron, with vertices numbered anew. */
static const char *build(hull *h, vvi_arena *arena, vvi_polyhedron *p)
{
  const char *broken = "points are too near to each other";
  const int faces = join_faces(h);
  int *corners = malloc(sizeof(int) * 2 * (size_t)h->points), *number = corners ? corners + h->points : NULL;
  if (!corners) return "out of memory";
  count_faces(h, faces, corners, number);
  int sides = 0;
  for (int k = 0; k < h->used; k++) sides += h->t[k].used ? 3 : 0;
  p->faces = faces;
  p->vertex = VVI_ARENA_NEW(arena, double, 3 * h->points);
  p->plane = VVI_ARENA_NEW(arena, double, 4 * faces);
  p->first = VVI_ARENA_NEW(arena, int, faces + 1);
  p->loop = VVI_ARENA_NEW(arena, int, sides);
  p->edge = VVI_ARENA_NEW(arena, int, 2 * sides);
  if (!p->vertex || !p->plane || !p->first || !p->loop || !p->edge) broken = "out of memory";
  bool good = p->vertex && p->plane && p->first && p->loop && p->edge;
  for (int f = 0; f < faces && good; f++) {
    const int n = face_loop(h, f, corners, p->loop + p->first[f]);
    good = n >= 3;
    p->first[f + 1] = p->first[f] + n;
    if (good) loop_plane(h->x, p->loop + p->first[f], n, p->plane + 4 * f);
  }
  for (int v = 0; v < h->points; v++) number[v] = -1;
  p->vertices = 0;
  for (int i = 0; good && i < p->first[faces]; i++) {
    const int v = p->loop[i];
    if (number[v] < 0) {
      number[v] = p->vertices;
      memcpy(p->vertex + 3 * p->vertices++, h->x + 3 * v, 3 * sizeof(double));
    }
    p->loop[i] = number[v];
  }
  good = good && find_edges(p);
  for (int f = 0; f < faces && good; f++) /* a face joined from triangles must still hold every point */
    for (int v = 0; v < h->points; v++)
      good &= vvi_dot3(p->plane + 4 * f, h->x + 3 * v) - p->plane[4 * f + 3] <= 100.0 * h->eps;
  free(corners);
  return good ? NULL : broken;
}

static const char *measure(hull *h, double centre[3])
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, d[3];
  for (int p = 0; p < h->points; p++)
    for (int i = 0; i < 3; i++) low[i] = fmin(low[i], h->x[3 * p + i]), high[i] = fmax(high[i], h->x[3 * p + i]);
  vvi_sub3(high, low, d);
  h->size = vvi_norm3(d);
  const double far = fmax(vvi_norm3(low), vvi_norm3(high));
  h->eps = 1e-13 * h->size + 4e-16 * far;
  for (int i = 0; i < 3; i++) centre[i] = 0.5 * (low[i] + high[i]);
  return h->size > 0.0 ? NULL : "all points are one point";
}

bool vvi_part_hull(vvi_arena *arena, vvi_part *part, int n, const double *point, char why[VVI_WHY])
{
  why[0] = '\0';
  if (n < 4) {
    snprintf(why, VVI_WHY, "hull: %d points, at least 4 are needed", n);
    return false;
  }
  for (int i = 0; i < 3 * n; i++)
    if (!isfinite(point[i])) {
      snprintf(why, VVI_WHY, "hull: point %d is not a number", i / 3 + 1);
      return false;
    }
  hull h = {.points = n, .room = 6 * n + 64, .x = point};
  h.t = calloc((size_t)h.room, sizeof *h.t);
  h.stack = malloc(sizeof(int) * (size_t)h.room);
  h.start = malloc(sizeof(int) * (size_t)n);
  vvi_polyhedron *p = VVI_ARENA_NEW(arena, vvi_polyhedron, 1);
  const char *wrong = h.t && h.stack && h.start && p ? NULL : "out of memory";
  if (!wrong) wrong = measure(&h, part->centre);
  if (!wrong) wrong = first_tetrahedron(&h);
  if (!wrong) wrong = grow(&h);
  if (!wrong) wrong = build(&h, arena, p);
  free(h.t), free(h.stack), free(h.start);
  if (wrong) {
    snprintf(why, VVI_WHY, "hull: %s", wrong);
    return false;
  }
  part->type = VVI_PART_HULL;
  part->polyhedron = p;
  for (int i = 0; i < 9; i++) part->frame[i] = i % 4 ? 0.0 : 1.0;
  return vvi_part_finish(arena, part, why);
}
