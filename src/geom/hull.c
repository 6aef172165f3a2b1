#include "geom/solid.h"
#include <stdio.h>
bool vvi_part_hull(vvi_arena *arena, vvi_part *part, int n, const double *point, char why[VVI_WHY])
{
  (void)arena, (void)part, (void)n, (void)point;
  snprintf(why, VVI_WHY, "hull: not yet");
  return false;
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
