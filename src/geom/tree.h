/* geom/tree.h  A tree of boxes over the triangles of a surface; for the files of this room. */
#pragma once
#include "geom/touch.h"

/* A binary tree in one array: node 0 is the root; a node holds the triangles order[first .. first + count), a leaf at most
 * VVI_LEAF of them; children are the next node and right. */
enum { VVI_LEAF = 4, VVI_TREE_DEPTH = 64 };
typedef struct vvi_box_node {
  double low[3], high[3];
  int first, count, right; /* right 0: a leaf */
} vvi_box_node;
/* Normals with which the triangles of a node can touch something that is apart from them: axis, and the largest angle to it;
 * at edges and vertices they lie between those of the triangles around. */
typedef struct vvi_cone {
  double axis[3], angle; /* rad; pi and more: any */
} vvi_cone;
typedef struct vvi_box_tree {
  int nodes;
  vvi_box_node *node;
  vvi_cone *cone; /* [nodes] */
  int *order;
} vvi_box_tree;

bool vvi_tree_build(vvi_arena *arena, vvi_surface *f);
void vvi_tree_moved(vvi_surface *f, const double turn[9]); /* the vertices were moved, and turned by turn^T */

/* The point y of a triangle nearest to x, and its barycentric parts. */
void vvi_triangle_near(const double *p, const double *q, const double *r, const double x[3], double y[3],
                       double part[3]);
void vvi_surface_normal(const vvi_surface *f, int t, double n[3]);
/* Around a vertex: from triangle *t, where it is `corner`, to the next triangle; returns its corner there. */
int vvi_surface_turn(const vvi_surface *f, int *t, int corner);

/* Signed distance of a point from a mesh (negative inside), and the normal outwards. */
double vvi_mesh_distance(const vvi_placed *p, const double x[3], double n[3]);
