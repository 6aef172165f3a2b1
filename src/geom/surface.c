/* geom/surface.c  Closed meshes: what is wrong with one is said by name before it is used. */
#include "geom/mesh.h"
#include "geom/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One side of a triangle: from a to b, opposite to its corner. */
typedef struct side {
  int a, b, triangle, corner;
} side;

static bool refuse(char why[VVI_WHY], const char *format, ...) VV_PRINTF(2, 3);
static bool refuse(char why[VVI_WHY], const char *format, ...)
{
  va_list args;
  va_start(args, format);
  const int n = snprintf(why, VVI_WHY, "mesh: ");
  vsnprintf(why + n, VVI_WHY - (size_t)n, format, args);
  va_end(args);
  return false;
}

static int by_ends(const void *x, const void *y)
{
  const side *s = x, *t = y;
  const int s0 = s->a < s->b ? s->a : s->b, s1 = s->a < s->b ? s->b : s->a;
  const int t0 = t->a < t->b ? t->a : t->b, t1 = t->a < t->b ? t->b : t->a;
  if (s0 != t0) return s0 < t0 ? -1 : 1;
  if (s1 != t1) return s1 < t1 ? -1 : 1;
  return s->triangle - t->triangle;
}

static bool check_numbers(int vertices, const double *vertex, int triangles, const int *triangle, char why[VVI_WHY])
{
  if (vertices < 4 || triangles < 4)
    return refuse(why, "%d vertices and %d triangles cannot close", vertices, triangles);
  for (int i = 0; i < 3 * vertices; i++)
    if (!isfinite(vertex[i])) return refuse(why, "vertex %d is not a number", i / 3 + 1);
  for (int t = 0; t < triangles; t++) {
    const int *v = triangle + 3 * t;
    for (int k = 0; k < 3; k++)
      if (v[k] < 0 || v[k] >= vertices)
        return refuse(why, "triangle %d names vertex %d of %d", t + 1, v[k] + 1, vertices);
    double a[3], b[3], n[3];
    vvi_sub3(vertex + 3 * v[1], vertex + 3 * v[0], a);
    vvi_sub3(vertex + 3 * v[2], vertex + 3 * v[0], b);
    vvi_cross3(a, b, n);
    if (!(vvi_norm3(n) > 1e-12 * (vvi_dot3(a, a) + vvi_dot3(b, b))))
      return refuse(why, "triangle %d is degenerate (vertices %d, %d, %d)", t + 1, v[0] + 1, v[1] + 1, v[2] + 1);
  }
  return true;
}

/* Fills the neighbours from the sorted sides. */
static bool join_sides(int n, const side *s, const int *triangle, int *neighbour, char why[VVI_WHY])
{
  for (int i = 0; i < n;) {
    int m = i + 1;
    while (m < n && ((s[m].a == s[i].a && s[m].b == s[i].b) || (s[m].a == s[i].b && s[m].b == s[i].a))) m++;
    const int a = s[i].a + 1, b = s[i].b + 1, t = s[i].triangle, u = m > i + 1 ? s[i + 1].triangle : -1;
    if (m - i == 1) return refuse(why, "open at the edge of vertices %d and %d (triangle %d)", a, b, t + 1);
    for (int j = i; j < m; j++)
      for (int k = i; k < j; k++)
        if (triangle[3 * s[j].triangle + s[j].corner] == triangle[3 * s[k].triangle + s[k].corner])
          return refuse(why, "triangles %d and %d are the same", s[k].triangle + 1, s[j].triangle + 1);
    if (m - i > 2)
      return refuse(why, "%d triangles share the edge of vertices %d and %d (triangles %d, %d, %d)", m - i, a, b, t + 1,
                    u + 1, s[i + 2].triangle + 1);
    if (s[i].a == s[i + 1].a)
      return refuse(why, "triangles %d and %d are oriented against each other at vertices %d and %d", t + 1, u + 1, a,
                    b);
    neighbour[3 * t + s[i].corner] = u;
    neighbour[3 * u + s[i + 1].corner] = t;
    i = m;
  }
  return true;
}

/* Only vertices that are used, numbered anew in their order. */
static void keep_used(vvi_surface *f, int vertices, const double *vertex, const int *triangle, int *number)
{
  for (int v = 0; v < vertices; v++) number[v] = -1;
  for (int i = 0; i < 3 * f->triangles; i++) number[triangle[i]] = 0;
  for (int v = 0; v < vertices; v++) {
    if (number[v] < 0) continue;
    number[v] = f->vertices;
    memcpy(f->vertex + 3 * f->vertices++, vertex + 3 * v, 3 * sizeof(double));
  }
  for (int i = 0; i < 3 * f->triangles; i++) f->triangle[i] = number[triangle[i]];
}

static bool check_volume(const vvi_surface *f, char why[VVI_WHY])
{
  const vvi_mesh m = {.nodes = f->vertices, .triangles = f->triangles, .x = f->vertex, .triangle = f->triangle};
  if (vvi_mesh_flat(&m)) return refuse(why, "flat: the triangles enclose no volume; give it a thickness");
  return vvi_mesh_volume(&m) > 0.0 || refuse(why, "inside out: the triangles look inwards");
}

static bool check_closed(vvi_surface *f, const int *triangle, char why[VVI_WHY])
{
  side *s = malloc(sizeof *s * 3 * (size_t)f->triangles);
  if (!s) return refuse(why, "out of memory");
  for (int t = 0; t < f->triangles; t++)
    for (int k = 0; k < 3; k++)
      s[3 * t + k] = (side){triangle[3 * t + (k + 1) % 3], triangle[3 * t + (k + 2) % 3], t, k};
  qsort(s, 3 * (size_t)f->triangles, sizeof *s, by_ends);
  const bool good = join_sides(3 * f->triangles, s, triangle, f->neighbour, why);
  free(s);
  return good;
}

bool vvi_part_mesh(vvi_arena *arena, vvi_part *part, int vertices, const double *vertex, int triangles,
                   const int *triangle, char why[VVI_WHY])
{
  why[0] = '\0';
  if (!check_numbers(vertices, vertex, triangles, triangle, why)) return false;
  vvi_surface *f = VVI_ARENA_NEW(arena, vvi_surface, 1);
  if (!f) return refuse(why, "out of memory");
  f->triangles = triangles;
  f->vertex = VVI_ARENA_NEW(arena, double, 3 * vertices);
  f->triangle = VVI_ARENA_NEW(arena, int, 3 * triangles);
  f->neighbour = VVI_ARENA_NEW(arena, int, 3 * triangles);
  int *number = malloc(sizeof(int) * (size_t)vertices);
  if (!f->vertex || !f->triangle || !f->neighbour || !number) {
    free(number);
    return refuse(why, "out of memory");
  }
  keep_used(f, vertices, vertex, triangle, number);
  free(number);
  if (!check_closed(f, triangle, why)) return false;
  if (!vvi_tree_build(arena, f)) return refuse(why, "out of memory");
  const vvi_box_node *box = f->tree->node;
  for (int i = 0; i < 3; i++) part->centre[i] = 0.5 * (box->low[i] + box->high[i]);
  if (!check_volume(f, why)) return false;
  part->type = VVI_PART_MESH;
  part->surface = f;
  for (int i = 0; i < 9; i++) part->frame[i] = i % 4 ? 0.0 : 1.0;
  return vvi_part_finish(arena, part, why);
}
