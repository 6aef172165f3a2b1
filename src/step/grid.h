/* step/grid.h  The horizontal half of the structure checks: configurational forces on sub-domains, energy of single elements.
 *
 * An element of length l has the discrete Lagrangian L; C = dL/dl per time is its configurational force, P the momentum that
 * belongs to shifts of the body along itself.  In the middle half of every long enough body
 *   P(t) - P(0) = sum over slabs of h (C at the right border - C at the left one) + what impacts changed          [bars 56]
 * holds up to the order of mesh and step: a mesh does not know shifts by less than an element.  And every element has
 *   E(t) - E(0) = sum over slabs of the work of its neighbours + what impacts changed                                [bars 59]
 * up to h^2/8 times the square of accelerations, the swing of the energy at whole steps. */
#pragma once
#include "step/step.h"

typedef struct vvi_grid vvi_grid;

/* *out: NULL where no body offers the fields. */
vv_status vvi_grid_create(const vv_model *m, vvi_arena *arena, vvi_grid **out);
void vvi_grid_begin(vvi_grid *g, const double *q, const double *p);
/* The slab of length h from q0 to q1, with momentum ph at the start of its drift, ph1 at its end, and p1 after it. */
void vvi_grid_end(vvi_grid *g, double h, const double *q0, const double *ph, const double *q1, const double *ph1,
                  const double *p1);
/* Largest relative residual so far: of shifts; of the energy of an element, over the largest change of one.  NAN: no body has it. */
double vvi_grid_residual(const vvi_grid *g);
double vvi_grid_energy(const vvi_grid *g);
