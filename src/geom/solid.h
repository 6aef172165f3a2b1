/* geom/solid.h  Rigid shapes: their surfaces, masses and inertias, and how two of them touch.  No bodies.
 *
 * A solid is a union of parts in one frame, fixed once it is built.  A convex part is a core and a radius about it: a ball is
 * a point and its radius, a capsule a segment and its radius, a block, a hull and a cylinder have radius 0.  A hollow part is
 * free inside: a container; its walls may have an outside, another solid.  Endless parts (half space, pipe) belong to fixed obstacles and have no mass. */
#pragma once
#include "base/base.h"

typedef enum vvi_part_type {
  VVI_PART_BALL,
  VVI_PART_CAPSULE,
  VVI_PART_BLOCK,
  VVI_PART_CYLINDER,
  VVI_PART_HULL,
  VVI_PART_MESH,       /* closed surface of triangles, oriented outwards; hollow: seen from inside */
  VVI_PART_HALF_SPACE, /* frame[6..8].(x - centre) >= 0 is free */
  VVI_PART_PIPE,       /* round, endless, about the line through centre along frame[6..8] */
  VVI_PART_TYPES
} vvi_part_type;

/* A convex polyhedron (block, hull): faces as loops counterclockwise from outside, edges once. */
typedef struct vvi_polyhedron {
  int vertices, faces, edges;
  double *vertex; /* [vertices][3] */
  double *plane;  /* [faces][4]  outward unit normal, offset */
  int *first;     /* [faces + 1] into loop */
  int *loop;      /* [first[faces]] vertices */
  int *edge;      /* [edges][4]  two vertices, two faces */
} vvi_polyhedron;

/* A surface of triangles with a tree of boxes. */
typedef struct vvi_surface {
  int vertices, triangles;
  double *vertex;            /* [vertices][3] */
  int *triangle;             /* [triangles][3] */
  int *neighbour;            /* [triangles][3] across the edge opposite to corner i */
  struct vvi_box_tree *tree; /* of the triangles */
} vvi_surface;

typedef struct vvi_part {
  vvi_part_type type;
  bool hollow;      /* the inside is free: ball, block, cylinder, pipe, mesh */
  double centre[3]; /* m, in the frame of the solid */
  double frame[9];  /* its axes, by rows; capsule, cylinder and pipe lie along the third */
  double half[3];   /* block: half its edges; capsule: half[2] of the segment; cylinder: half[2] of the height */
  double radius;    /* ball, capsule, cylinder, pipe */
  vvi_polyhedron *polyhedron; /* block, hull: vertices in the frame of the solid */
  vvi_surface *surface;       /* mesh: likewise */
  double density;             /* relative to the solid's */
  bool plain;                 /* centre and frame are those of the solid */
  double reach; /* radius of a sphere about `centre` that holds it; hollow: of its inside; INFINITY: endless */
} vvi_part;

struct vv_solid {
  int parts;
  vvi_part *part;
  double reach;             /* radius of a sphere about the origin of its frame that holds all parts */
  bool balls;               /* one ball about the origin, not hollow */
  bool hollow;              /* all parts are: a container */
  struct vv_solid *outside; /* of a container: what bodies outside of it meet; NULL: nothing is there */
};
typedef struct vv_solid vv_solid;

/* Where a solid is: x = place + turn X, turn by rows. */
typedef struct vvi_pose {
  double place[3], turn[9];
} vvi_pose;

/* ---- building: memory from the arena; NULL or false with the reason in `why` (what is wrong, which vertex or face) ---- */

enum { VVI_WHY = 200 };
vv_solid *vvi_solid_new(vvi_arena *arena, int parts);
/* These complete one part whose type, centre, frame, half, radius, hollow are set (block: makes its polyhedron). */
bool vvi_part_finish(vvi_arena *arena, vvi_part *part, char why[VVI_WHY]);
/* The convex hull of n points, in the frame of the solid. */
bool vvi_part_hull(vvi_arena *arena, vvi_part *part, int n, const double *point, char why[VVI_WHY]);
/* A closed oriented surface; refuses open, inverted, non-manifold and degenerate ones by name.  hollow is kept. */
bool vvi_part_mesh(vvi_arena *arena, vvi_part *part, int vertices, const double *vertex, int triangles,
                   const int *triangle, char why[VVI_WHY]);
void vvi_solid_finish(vv_solid *s); /* reach, balls, hollow: after all parts are done, and again after a move */
/* Re-expresses all parts: X_new = turn^T (X - place). */
void vvi_solid_move(vv_solid *s, const double place[3], const double turn[9]);

/* ---- weighing: exact integrals for density 1 (times part->density); a hollow part weighs nothing ---- */

typedef struct vvi_weight {
  double volume;     /* m^3 */
  double centre[3];  /* m */
  double inertia[9]; /* m^5, about the centre */
} vvi_weight;
void vvi_solid_weigh(const vv_solid *s, vvi_weight *w);
/* A thin uniform skin of a hollow or closed shape, per unit of area density: ball, block, cylinder, mesh. */
bool vvi_solid_weigh_skin(const vv_solid *s, vvi_weight *w); /* volume holds the area */
/* Principal moments (ascending pairs kept equal when equal up to 1e-13) and axes, by columns of turn, right-handed; the axes
 * of the frame are kept where the tensor is diagonal already. */
void vvi_principal(const double inertia[9], double moment[3], double turn[9]);

/* m: how thin a solid is; INFINITY: free inside, or endless.  Of round and box-shaped parts the least width, of others a bound:
 * a convex body of volume V and area A has an inscribed ball of radius V/A or more, and is 2 V/A wide or more everywhere; of a
 * plate of any outline that is its thickness.  Of several parts the least. */
double vvi_solid_width(const vv_solid *s);

/* ---- drawing: a surface of triangles in the frame of the solid ---- */

/* Counts first (point NULL); round parts with about `around` segments. */
void vvi_solid_draw(const vv_solid *s, int around, int *points, double *point, int *triangles, int *triangle);

/* ---- touching ---- */

/* One place where two solids are nearer than a margin. */
typedef struct vvi_spot {
  double x[3];  /* the common point: midway between the surfaces */
  double n[3];  /* unit, from a to b */
  double gap;   /* m, negative where they overlap */
  uint32_t key; /* which features meet: the same while they do, different for different spots of a pair */
} vvi_spot;

/* All spots with gap < margin, at most `room` (the ones with least gap are kept), sorted by key.  Returns how many; *gap is
 * the least gap known of the pair: exact where a spot is returned, else a lower bound that is at least the margin.
 * The normal is a separating direction: along it the solids do not overlap by more than -gap. */
int vvi_solids_touch(const vv_solid *a, const vvi_pose *pa, const vv_solid *b, const vvi_pose *pb, double margin,
                     int room, vvi_spot *out, double *gap);
/* Signed distance of a point from a solid's surface, positive where it is free; unit normal to the free side. */
double vvi_solid_distance(const vv_solid *s, const vvi_pose *pose, const double x[3], double n[3]);
