/* math/team.c  The only place that asks the OpenMP runtime who we are. */
#include "math/math.h"

#include <omp.h>

int vvi_team_size(void)
{
  return omp_get_num_threads();
}

int vvi_team_rank(void)
{
  return omp_get_thread_num();
}
