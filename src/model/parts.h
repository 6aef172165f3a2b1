/* model/parts.h  Rigid and shape parts of a motion, with the locked inertia.
 *
 * A system of nodes with masses m at x, inertia J and velocities v, omega moves rigidly by V + W x (x - X) about its centre X as
 * far as its momentum and its angular momentum say; the rest is a change of shape, and the two do not know each other in the
 * kinetic energy:                                                                                             [ledger 18]
 *
 *   I = sum m (|r|^2 1 - r r^T) + J,  r = x - X,   I W = L,   T = T_rigid + T_shape,   T_rigid = P.V/2 + L.W/2
 *
 * (Cirak and West 2005, (90) to (97), for all nodes that are free to move.) */
#pragma once
#include "model/model.h"

typedef struct vvi_parts {
  double mass, centre[3]; /* kg, m */
  double inertia[6];      /* kg m^2, locked, about the centre: xx yy zz yz xz xy */
  double velocity[3];     /* V, m/s */
  double spin[3];         /* W, rad/s; none about the line of nodes that lie on one */
  double rigid, shape;    /* J */
} vvi_parts;

void vvi_parts_of(const vv_model *m, const vv_state *x, vvi_parts *out);
