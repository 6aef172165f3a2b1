/* geom/draw.c  Closed surfaces of triangles for pictures. */
#include "geom/touch.h"

/* Points and triangles written so far; NULL arrays: only counted. */
typedef struct picture {
  int points, triangles;
  double *point;
  int *triangle;
} picture;

static int add_point(picture *d, const double x[3])
{
  if (d->point)
    for (int i = 0; i < 3; i++) d->point[3 * d->points + i] = x[i];
  return d->points++;
}

static void add_triangle(picture *d, int a, int b, int c)
{
  if (d->triangle) {
    int *t = d->triangle + 3 * d->triangles;
    t[0] = a, t[1] = b, t[2] = c;
  }
  d->triangles++;
}

static int add_ring_point(picture *d, const vvi_part *p, double r, double z, int k, int around)
{
  const double t = 2.0 * VV_PI * k / around, y[3] = {r * cos(t), r * sin(t), z};
  double x[3];
  for (int i = 0; i < 3; i++)
    x[i] = p->centre[i] + y[0] * p->frame[i] + y[1] * p->frame[3 + i] + y[2] * p->frame[6 + i];
  return add_point(d, x);
}

/* A surface of revolution about the third axis: a pole, rings (r, z) from below to above, a pole. */
static void draw_round(picture *d, const vvi_part *p, int rings, const double (*ring)[2], double bottom, double top,
                       int around)
{
  const int south = add_ring_point(d, p, 0.0, bottom, 0, around), first = south + 1;
  for (int j = 0; j < rings; j++)
    for (int k = 0; k < around; k++) add_ring_point(d, p, ring[j][0], ring[j][1], k, around);
  const int north = add_ring_point(d, p, 0.0, top, 0, around), last = first + (rings - 1) * around;
  for (int k = 0; k < around; k++) {
    const int m = (k + 1) % around;
    add_triangle(d, south, first + m, first + k);
    add_triangle(d, north, last + k, last + m);
    for (int j = 0; j + 1 < rings; j++) {
      const int a = first + j * around, b = a + around;
      add_triangle(d, a + k, a + m, b + m);
      add_triangle(d, a + k, b + m, b + k);
    }
  }
}

enum { MOST_AROUND = 256 };

/* Ball and capsule: two half balls of radius r, their centres 2 h apart (one ring at the equator where h = 0). */
static void draw_capsule(picture *d, const vvi_part *p, double r, double h, int around)
{
  const int half = around / 4 > 1 ? around / 4 : 1; /* rings of a half ball with its equator */
  double ring[MOST_AROUND][2];
  int n = 0;
  for (int j = 1; j <= half; j++) {
    const double t = 0.5 * VV_PI * (1.0 - (double)j / half);
    ring[n][0] = j == half ? r : r * cos(t), ring[n++][1] = j == half ? -h : -h - r * sin(t);
  }
  for (int j = half - (h > 0.0 ? 0 : 1); j >= 1; j--) {
    const double t = 0.5 * VV_PI * (1.0 - (double)j / half);
    ring[n][0] = j == half ? r : r * cos(t), ring[n++][1] = j == half ? h : h + r * sin(t);
  }
  draw_round(d, p, n, (const double(*)[2])ring, -h - r, h + r, around);
}

static void draw_polyhedron(picture *d, const vvi_polyhedron *p)
{
  const int base = d->points;
  for (int v = 0; v < p->vertices; v++) add_point(d, p->vertex + 3 * v);
  for (int f = 0; f < p->faces; f++) {
    const int *v = p->loop + p->first[f], n = p->first[f + 1] - p->first[f];
    for (int i = 1; i + 1 < n; i++) add_triangle(d, base + v[0], base + v[i], base + v[i + 1]);
  }
}

static void draw_part(picture *d, const vvi_part *p, int around)
{
  const double r = p->radius, h = p->half[2];
  const int base = d->points;
  switch (p->type) {
  case VVI_PART_BALL:
    draw_capsule(d, p, r, 0.0, around);
    break;
  case VVI_PART_CAPSULE: /* a needle gets a hair's width, so that it can be seen */
    draw_capsule(d, p, r > 0.0 ? r : 1e-3 * h, h, around);
    break;
  case VVI_PART_CYLINDER: {
    const double ring[2][2] = {{r, -h}, {r, h}};
    draw_round(d, p, 2, ring, -h, h, around);
    break;
  }
  case VVI_PART_BLOCK:
  case VVI_PART_HULL:
    draw_polyhedron(d, p->polyhedron);
    break;
  case VVI_PART_MESH:
    for (int v = 0; v < p->surface->vertices; v++) add_point(d, p->surface->vertex + 3 * v);
    for (int t = 0; t < p->surface->triangles; t++) {
      const int *v = p->surface->triangle + 3 * t;
      add_triangle(d, base + v[0], base + v[1], base + v[2]);
    }
    break;
  default:
    break; /* endless */
  }
}

void vvi_solid_draw(const vv_solid *s, int around, int *points, double *point, int *triangles, int *triangle)
{
  picture d = {.point = point, .triangle = point ? triangle : NULL};
  around = around < 4 ? 4 : around > MOST_AROUND ? MOST_AROUND : around;
  for (int k = 0; k < s->parts; k++) draw_part(&d, &s->part[k], around);
  *points = d.points, *triangles = d.triangles;
}
