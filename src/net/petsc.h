/* net/petsc.h  Ranks of an MPI job.  In visviva-mpi alone. */
#pragma once
#include "visviva/net.h"

/* Starts MPI and PETSc; *out lives until vvi_net_petsc_end. */
vv_status vvi_net_petsc_begin(const vv_net **out);
void vvi_net_petsc_end(void);
