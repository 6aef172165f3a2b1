/* body/shell/inner.h  The constants of a shell and the layout of its internal variables.  Accelerators compile the same text, as
 * OpenCL C, behind model/laws.h: no header of the C library, no guard by pragma. */
#ifndef VVI_SHELL_INNER_H
#define VVI_SHELL_INNER_H
#ifndef __OPENCL_C_VERSION__
#include "model/laws.h"

#include <stdbool.h>
#endif

/* Where kernels keep a body; nothing in C. */
#ifndef SHELL_SPACE
#define SHELL_SPACE
#endif

/* Tables hold SHELL_A x,_a and SHELL_D x,_ab (33: along the third side): whole numbers in the regular case.    [shell 4] */
#define SHELL_A    162.0
/* Of its area at rest: with less a point, or a layer of what flows, is flat.                                [shell 2a, mat 17a] */
#define SHELL_FLAT 0.1
enum { SHELL_MOST_POINTS = 9, SHELL_GROUP = 8 };
enum { SHELL_REFERENCE = 7 }; /* G11 G22 G12 B11 B22 B12 at rest, and a power of det G */
enum { SHELL_LOSSES = 3 };    /* plastic work, viscous loss, damage */

typedef enum shell_law { SHELL_STVK, SHELL_NEO_HOOKE } shell_law;

/* The constants of a body: all doubles, so that they live in body_real.  Scaled for the units of the tables [shell 6]. */
typedef struct shell_body {
  double young, poisson, density, thickness;
  double law;            /* shell_law */
  double membrane, bend; /* St Venant-Kirchhoff: factors of S(E) and S(K) */
  double mu, lambda;     /* Pa: Lame's constants */
  double neo;            /* neo-Hooke: mu thickness/(4 SHELL_A^2) */
  double lever;          /* neo-Hooke: of B in the metric of the two points, up to sign */
  double limit;          /* 1: contact sees the limit surface, 0: the control mesh */
  double closed;         /* 1: no border */
  double columns;        /* reals of an element in the state; 0: none, the shell is elastic */
  double lane_columns;   /* of these in the columns of its group */
  double points;         /* through the thickness; 0: never flows */
  double mean, trace;    /* of the stress at them: E/(4 (1 - nu)), nu/(1 - nu) */
  double level[SHELL_MOST_POINTS],
      weight[SHELL_MOST_POINTS]; /* levers of B in the metric at the points; their sum is 1 */
  vvi_plastic plastic;
  vvi_damping damping;
  vvi_failure failure;
} shell_body;

/* Internal variables of a tile: a mark for each group (room for one an element); then those of its groups, columns
 * [columns][count]: metric and curvature after the last drift, of groups that flowed in it, are torn or have branches; J dissipated; for every
 * point what the metric of the unloaded sheet has gained; alpha of every point; for every branch its strains; damage.  Groups that never
 * flowed are not read or written beyond their mark. */
enum shell_mark {
  SHELL_VIRGIN,
  SHELL_FLOWED,
  SHELL_FLOWING,
  SHELL_TORN
}; /* FLOWING: in the last step; TORN: some element of it is broken or cut */
enum shell_internal { SHELL_Z_METRIC, SHELL_Z_CURVATURE = 3, SHELL_Z_LOST = 6, SHELL_Z_POINTS = 7 };
enum { SHELL_Z_POINT = 4, SHELL_Z_BRANCH = 6 }; /* reals of each */
enum { SHELL_Z_MOST = SHELL_Z_POINTS + SHELL_Z_POINT * SHELL_MOST_POINTS + SHELL_Z_BRANCH * VVI_BRANCHES + 1 };

/* D of point i, its first column; alpha of it.  All D lie together: a group that is elastic now reads nothing else. */
static inline int shell_point_column(int i)
{
  return SHELL_Z_POINTS + 3 * i;
}
static inline int shell_alpha_column(SHELL_SPACE const shell_body *k, int i)
{
  return shell_point_column((int)k->points) + i;
}
static inline int shell_branch_column(SHELL_SPACE const shell_body *k, int branch)
{
  return SHELL_Z_POINTS + SHELL_Z_POINT * (int)k->points + SHELL_Z_BRANCH * branch;
}
static inline bool shell_can_break(SHELL_SPACE const shell_body *k)
{
  return k->failure.strain > 0.0;
}
/* Damage: the last column of a group, where it can break. */
static inline int shell_damage_column(SHELL_SPACE const shell_body *k)
{
  return (int)k->lane_columns - 1;
}
#endif
