/* geom/mesh.h  Surfaces of triangles: made, read from the bytes of a file, checked, numbered, intersected.  No bodies, no
 * files: a body kind reads the bytes (vvi_beside_read) and hands them over.
 *
 * Functions that return a vv_status write one message with a remedy to `why` when it is not VV_OK: VV_ARG for sizes that
 * make no mesh, VV_SCENE for bytes or surfaces that are refused, VV_NOMEM.  Memory comes from the arena. */
#pragma once
#include "base/base.h"

enum { VVI_MESH_WHY = 400, VVI_MESH_MOST = 1 << 28 }; /* bytes of a message; nodes or triangles at most */

typedef struct vvi_mesh {
  int nodes, triangles;
  double *x;     /* [nodes][3] m */
  int *triangle; /* [triangles][3] nodes, counterclockwise seen from outside */
  int *face;     /* [triangles] number of its face in the file, from 1; NULL: made here */
  int *line;     /* [triangles] line of the file where the face stands; NULL: no text file */
} vvi_mesh;

/* ---- making: about the origin, outward normals ---- */

typedef enum vvi_mesh_base { VVI_MESH_OCTAHEDRON, VVI_MESH_ICOSAHEDRON } vvi_mesh_base;

/* Every edge of the base cut into `frequency` pieces, every triangle `level` times into four; all nodes on the sphere.
 * 8 or 20 times frequency^2 4^level triangles. */
vv_status vvi_mesh_sphere(vvi_arena *arena, vvi_mesh_base base, int frequency, int level, double radius, vvi_mesh *out,
                          char why[VVI_MESH_WHY]);
/* In the plane z = 0, normal +z; 6 rings^2 triangles, six at every inner node. */
vv_status vvi_mesh_disc(vvi_arena *arena, double radius, int rings, vvi_mesh *out, char why[VVI_MESH_WHY]);
/* In the plane z = 0, normal +z; 2 n[0] n[1] triangles. */
vv_status vvi_mesh_rectangle(vvi_arena *arena, const double size[2], const int n[2], vvi_mesh *out,
                             char why[VVI_MESH_WHY]);
/* Faces cut into n pieces along x, y, z: 12 n^2 triangles for a cube.  The diagonals of the faces are the edges of a
 * tetrahedron, so that a cube with its mass lumped at the nodes is centred and turns alike about all axes. */
vv_status vvi_mesh_box(vvi_arena *arena, const double size[3], const int n[3], vvi_mesh *out, char why[VVI_MESH_WHY]);
/* Along z; 2 around along triangles, rows staggered by half a piece; closed: a disc of rings at either end. */
vv_status vvi_mesh_cylinder(vvi_arena *arena, double radius, double height, int around, int along, bool closed,
                            vvi_mesh *out, char why[VVI_MESH_WHY]);
/* About z: `around` pieces along the ring of radius `ring`, an even number `across` around the tube; 2 around across
 * triangles. */
vv_status vvi_mesh_torus(vvi_arena *arena, double ring, double tube, int around, int across, vvi_mesh *out,
                         char why[VVI_MESH_WHY]);
/* Every triangle cut into four at the middles of its edges; nodes of the old mesh keep their numbers. */
vv_status vvi_mesh_refine(vvi_arena *arena, const vvi_mesh *in, vvi_mesh *out, char why[VVI_MESH_WHY]);

/* ---- reading ---- */

/* The format is known by the content, failing that by the extension of `name`.  Polygons are cut: quadrilaterals along
 * the shorter diagonal, others as a fan from their first corner.  Nodes stay as listed, but those of an STL file are
 * merged where they are equal, and those of a Gmsh file which no surface element uses are dropped. */
vv_status vvi_mesh_parse(vvi_arena *arena, const char *name, const void *bytes, size_t size, vvi_mesh *out,
                         char why[VVI_MESH_WHY]);
typedef vv_status vvi_mesh_parser(vvi_arena *arena, const char *name, const void *bytes, size_t size, vvi_mesh *out,
                                  char why[VVI_MESH_WHY]);
vvi_mesh_parser vvi_mesh_parse_obj, vvi_mesh_parse_stl, vvi_mesh_parse_ply, vvi_mesh_parse_gmsh;

/* ---- nodes ---- */

/* A node nearer than `distance` to one before it becomes that one; 0: only where they are equal.  Triangles stay. */
vv_status vvi_mesh_merge(vvi_arena *arena, const vvi_mesh *in, double distance, vvi_mesh *out, char why[VVI_MESH_WHY]);
/* Leaves out nodes that no triangle uses. */
vv_status vvi_mesh_drop_unused(vvi_arena *arena, const vvi_mesh *in, vvi_mesh *out, char why[VVI_MESH_WHY]);

/* ---- topology: of a mesh whose triangles have three different nodes each, all of them there ---- */

typedef struct vvi_mesh_topology {
  int edges;
  int *edge;          /* [edges][2] nodes, ascending; sorted */
  int *edge_triangle; /* [edges][2] the first two triangles that share it; -1: none */
  int *edge_uses;     /* [edges] triangles that share it */
  int *side;          /* [triangles][3] edge opposite to corner i */
  int *neighbour;     /* [triangles][3] across it; -1: none, or more than one */
  int *valence;       /* [nodes] edges that meet in it */
  int *first;         /* [nodes + 1] into around */
  int *around;        /* [3 triangles] of each node: counterclockwise, from the border if there is one */
  int *fans;          /* [nodes] rows of neighbouring triangles around it: 1 on a manifold, 0: unused */
  int *part;          /* [triangles] connected piece, from 0 */
  int parts;
  int loops;       /* border curves; 0 unless oriented and every edge has at most two triangles */
  int *loop_first; /* [loops + 1] into loop */
  int *loop;       /* nodes, the surface on the left */
  bool closed;     /* every edge has two triangles */
  bool manifold;   /* at most two triangles at an edge, one fan at a node */
  bool oriented;   /* neighbours go through their edge in opposite directions */
} vvi_mesh_topology;

vv_status vvi_mesh_topology_of(vvi_arena *arena, const vvi_mesh *mesh, vvi_mesh_topology *out, char why[VVI_MESH_WHY]);
/* Edges, sides, fans and pieces are not asked for any more: their memory goes back. */
void vvi_mesh_topology_shed(const vvi_mesh *mesh, vvi_mesh_topology *topology);
/* The same of a manifold whose triangles and nodes have got other numbers (orders as vvi_mesh_bisect gives them), `mesh` being as it is
 * now; edges, sides, fans and pieces are left out. */
vv_status vvi_mesh_topology_renumber(vvi_arena *arena, const vvi_mesh *mesh, const vvi_mesh_topology *before,
                                     const int *triangle_order, const int *node_order, vvi_mesh_topology *out,
                                     char why[VVI_MESH_WHY]);
/* Nodes around one with a single fan, counterclockwise; returns how many (valence of them).  Closed if it is not
 * on the border: then the last is a neighbour of the first. */
int vvi_mesh_ring(const vvi_mesh *mesh, const vvi_mesh_topology *topology, int node, int *ring);
/* Turns triangles until neighbours agree (with the first of each piece), then closed pieces outwards: also cavities.
 * VV_SCENE: a piece has only one side. */
vv_status vvi_mesh_orient(vvi_mesh *mesh, int *turned, char why[VVI_MESH_WHY]);
/* Area; volume by the divergence theorem: of a closed mesh, negative if inside out. */
double vvi_mesh_area(const vvi_mesh *mesh);
double vvi_mesh_volume(const vvi_mesh *mesh);
/* A closed mesh that encloses nothing, to the rounding of its nodes. */
bool vvi_mesh_flat(const vvi_mesh *mesh);

/* ---- checks ---- */

typedef enum vvi_mesh_fault {
  VVI_MESH_EMPTY,          /* no triangles */
  VVI_MESH_NOT_FINITE,     /* a coordinate that is no number */
  VVI_MESH_BAD_NODE,       /* a triangle names a node that is not there */
  VVI_MESH_COLLAPSED,      /* a triangle names a node twice */
  VVI_MESH_REPEATED,       /* two triangles with the same nodes */
  VVI_MESH_DUPLICATE_NODE, /* two nodes at one place */
  VVI_MESH_BRANCHED,       /* three or more triangles at an edge */
  VVI_MESH_TURNED,         /* neighbours with opposite sides up */
  VVI_MESH_OPEN,           /* an edge with one triangle */
  VVI_MESH_PINCHED,        /* two fans that touch in one node only */
  VVI_MESH_INSIDE_OUT,     /* a closed piece whose volume is negative (a cavity is one) */
  VVI_MESH_SLIVER,         /* a triangle almost without area */
  VVI_MESH_UNUSED_NODE,    /* a node of no triangle */
  VVI_MESH_FAULTS
} vvi_mesh_fault;

/* After one of the first four faults the others are not looked for. */
typedef struct vvi_mesh_report {
  int count[VVI_MESH_FAULTS];
  int triangle[VVI_MESH_FAULTS][2]; /* the first found, and its partner; -1: none */
  int node[VVI_MESH_FAULTS][2];     /* ends of its edge, or the nodes; -1: none */
  int edges, parts, loops;
  double shortest, longest; /* m, edges */
  double least_quality;     /* 4 sqrt(3) area / sum of squared edges: 1 for equal edges, 0 without area */
} vvi_mesh_report;

/* sliver: least quality that is no fault (VVI_MESH_SLIVER_QUALITY); near: m, nodes closer than this are one (0: equal). */
#define VVI_MESH_SLIVER_QUALITY 0.01
vv_status vvi_mesh_check(const vvi_mesh *mesh, double sliver, double near, vvi_mesh_report *report,
                         char why[VVI_MESH_WHY]);
/* The same; the topology stays, in the arena (zero after one of the first four faults). */
vv_status vvi_mesh_check_topology(vvi_arena *arena, const vvi_mesh *mesh, double sliver, double near,
                                  vvi_mesh_report *report, vvi_mesh_topology *topology, char why[VVI_MESH_WHY]);
/* The first fault among `refused` (bits 1 << fault) in words, naming face, place, number and remedy: VV_SCENE. */
vv_status vvi_mesh_refuse(const vvi_mesh *mesh, const vvi_mesh_report *report, unsigned refused,
                          char why[VVI_MESH_WHY]);

/* ---- numbering ---- */

/* Neighbouring triangles two by two: mate[], partners between corners with six triangles around them each (three on the border), as
 * many as there are; beside[], the same and those that are left, as far as they are neighbours.  -1: none. */
vv_status vvi_mesh_pair(const vvi_mesh *mesh, const vvi_mesh_topology *topology, int *mate, int *beside,
                        char why[VVI_MESH_WHY]);
/* Triangles in blocks of `block` (the last may be smaller) by recursive coordinate bisection of their centres.  beside: those that
 * are not parted, where blocks and the mesh have even numbers; NULL: none.  Nodes
 * belong to the lowest block with a triangle at them; within it first those that no other block touches.  rings: 0, a
 * triangle touches its corners; 1, also the nodes around these (subdivision).  Orders hold old numbers by new ones. */
vv_status vvi_mesh_bisect(const vvi_mesh *mesh, int block, int rings, const int *beside, int *triangle_order,
                          int *node_order, char why[VVI_MESH_WHY]);
vv_status vvi_mesh_renumber(vvi_arena *arena, const vvi_mesh *in, const int *triangle_order, const int *node_order,
                            vvi_mesh *out, char why[VVI_MESH_WHY]);

/* ---- intersections ---- */

/* Sign of (b - a) x (c - a) . (d - a), exact: positive if a, b, c go counterclockwise seen from d. */
int vvi_side_of(const double a[3], const double b[3], const double c[3], const double d[3]);
/* An edge of one triangle, its ends on either side of the plane of the other and farther than `slack` (m) from it, meets
 * that triangle or its rim.  With slack 0 the answer is exact, up to coordinates whose products leave the range of
 * doubles. */
bool vvi_triangles_intersect(const double *const a[3], const double *const b[3], double slack);
/* Pairs of triangles that intersect, all against all; those that share a node are left out.  body: [triangles], pairs of
 * one body count only if `within`; NULL: one body.  pair: the first two, if any.  -1: out of memory. */
int64_t vvi_mesh_intersections(const double *x, int triangles, const int *triangle, const int *body, bool within,
                               double slack, int pair[2]);
