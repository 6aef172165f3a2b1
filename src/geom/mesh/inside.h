/* geom/mesh/inside.h  Declarations shared by the files that make, read and check meshes. */
#pragma once
#include "geom/mesh.h"
#include "math/math.h"

enum { VVI_MESH_MANY = 20000 }; /* loops over more are shared by the threads of the caller's team */

vv_status vvi_mesh_fail(char why[VVI_MESH_WHY], vv_status status, const char *format, ...) VV_PRINTF(3, 4);
vv_status vvi_mesh_no_memory(char why[VVI_MESH_WHY]);
vv_status vvi_mesh_fits(int64_t triangles, char why[VVI_MESH_WHY]); /* this machine */
/* Arrays of the mesh, zero. */
vv_status vvi_mesh_new(vvi_arena *arena, int64_t nodes, int64_t triangles, vvi_mesh *out, char why[VVI_MESH_WHY]);
/* Where each node goes: the one it is merged with has the lowest number.  Returns how many stay; -1: out of memory. */
int vvi_mesh_match(int nodes, const double *x, double distance, int *to);

static inline void vvi_sub3(const double a[3], const double b[3], double c[3])
{
  for (int i = 0; i < 3; i++) c[i] = a[i] - b[i];
}

/* (b - a) x (c - a): twice the area, along the normal. */
static inline void vvi_triangle_normal(const double a[3], const double b[3], const double c[3], double n[3])
{
  double u[3], v[3];
  vvi_sub3(b, a, u);
  vvi_sub3(c, a, v);
  vvi_cross3(u, v, n);
}
