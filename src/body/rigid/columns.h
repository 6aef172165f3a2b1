/* body/rigid/columns.h  Columns of the tables of rigid bodies.  Accelerators compile the same text, as OpenCL C: no header of the
 * C library, no guard by pragma. */
#ifndef VVI_RIGID_COLUMNS_H
#define VVI_RIGID_COLUMNS_H

/* q: x[3], quaternion[4] (w, x, y, z), carries of both.  p: p[3], then h[3]. */
enum { RIGID_X = 0, RIGID_TURN = 3, RIGID_CARRY = 7, RIGID_Q = 14, RIGID_P = 0, RIGID_H = 3, RIGID_NODE_P = 6 };

/* All zero where a body is fixed; an inverse moment is zero too where there is no inertia about its axis (a line). */
enum rigid_node_column {
  RIGID_MASS,
  RIGID_INVERSE_MASS,
  RIGID_INERTIA,
  RIGID_INVERSE_INERTIA = RIGID_INERTIA + 3,
  RIGID_NODE_COLUMNS = RIGID_INVERSE_INERTIA + 3
};

/* How it turns: not at all, as a ball, as a top (the first two moments are equal), or as it likes. */
typedef enum rigid_class { RIGID_HELD, RIGID_EVEN, RIGID_TOP, RIGID_UNEVEN } rigid_class;

/* A load as a device sees it: body and node it acts on (-1: all of the body), whether it follows; then force, moment and the
 * point where it acts. */
enum { RIGID_LOAD_BODY, RIGID_LOAD_NODE, RIGID_LOAD_FOLLOWER, RIGID_LOAD_INTS, RIGID_LOAD_REALS = 9 };
#endif
