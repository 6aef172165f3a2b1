/* tests/support/statics.h  Small displacements at rest, K u = f, of a block at its first configuration: conjugate gradients,
 * with K z from differences of kicks.  Only for flat kinds. */
#pragma once
#include "model/model.h"

/* u[3][column] on return; f: forces on the nodes.  size: m, largest displacement of the differences.  Returns iterations,
 * -1 where `most` were not enough for a residual of `tolerance` times |f|. */
int statics_solve(const vv_block *b, const double *q, const double *f, double size, double tolerance, int most,
                  double *u);
/* K z alone. */
void statics_apply(const vv_block *b, const double *q, const double *z, double size, double *out);
