/* geom/mesh.c  Surfaces of triangles against everything. */
#include "geom/mesh.h"
#include "geom/tree.h"
#include <stdio.h>
void vvi_touch_mesh(const vvi_placed *a, const vvi_placed *b, vvi_spots *s)
{
  (void)a, (void)b, (void)s;
}
void vvi_tree_refit(vvi_surface *surface)
{
  (void)surface;
}
double vvi_mesh_distance(const vvi_placed *p, const double x[3], double n[3])
{
  (void)p;
  (void)x;
  (void)n;
  return 0.0;
}

bool vvi_part_mesh(vvi_arena *arena, vvi_part *part, int vertices, const double *vertex, int triangles,
                   const int *triangle, char why[VVI_WHY])
{
  (void)arena, (void)part, (void)vertices, (void)vertex, (void)triangles, (void)triangle;
  snprintf(why, VVI_WHY, "mesh: not yet");
  return false;
}
void vvi_solid_draw(const vv_solid *s, int around, int *points, double *point, int *triangles, int *triangle)
{
  (void)s, (void)around, (void)point, (void)triangle;
  *points = *triangles = 0;
}
