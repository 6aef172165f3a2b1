/* net/mpi.h  Ranks of an MPI job.  In visviva-mpi alone. */
#pragma once
#include "visviva/net.h"

/* Starts MPI, and PETSc where the build has it; *out lives until vvi_net_mpi_end. */
vv_status vvi_net_mpi_begin(const vv_net **out);
void vvi_net_mpi_end(void);
const char *vvi_net_mpi_about(void); /* who carries rows: "PETSc", "MPI" */

/* A run ended because its work was uneven: the net has other ends, and it goes on with them.  All ranks say the same. */
bool vvi_net_mpi_recut(void);
/* Work of the busiest rank over the mean since the last look; move: the ends are for models that are made from now on. */
double vvi_net_mpi_busiest(const vv_net *n, bool move);
void vvi_net_mpi_waited(double since); /* MPI_Wtime() then: this rank was not busy */

/* An exchange in which this rank gets so many bytes of others; all of them since MPI was started. */
void vvi_net_mpi_moved(int64_t bytes);
void vvi_net_mpi_traffic(int64_t *bytes, int64_t *times);

/* petsc.c, where the build has PETSc: rows travel by its star forests. */
vv_status vvi_net_petsc_begin(vv_net *net);
void vvi_net_petsc_end(void);
