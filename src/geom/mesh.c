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
