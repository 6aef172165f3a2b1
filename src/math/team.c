/* math/team.c  The only file that calls the OpenMP runtime: number and index of threads. */
#include "math/math.h"

#ifdef VV_NO_OPENMP

int vvi_team_size(void)
{
  return 1;
}

int vvi_team_rank(void)
{
  return 0;
}

int vvi_team_restrict(bool one)
{
  (void)one;
  return 0;
}

void vvi_team_restore(int before)
{
  (void)before;
}

int vvi_team_usual(int threads)
{
  return threads;
}

#else
#include <omp.h>

int vvi_team_size(void)
{
  return omp_get_num_threads();
}

int vvi_team_rank(void)
{
  return omp_get_thread_num();
}

int vvi_team_restrict(bool one)
{
  const int before = omp_get_max_active_levels();
  if (one) omp_set_max_active_levels(0);
  return before;
}

void vvi_team_restore(int before)
{
  omp_set_max_active_levels(before);
}

int vvi_team_usual(int threads)
{
  const int before = omp_get_max_threads();
  omp_set_num_threads(threads);
  return before;
}

#endif
