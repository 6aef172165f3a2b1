/* tests/sanitizers/race.c  A planted race: the same loops without the barrier.  The thread sanitizer must find it. */
#include <stdio.h>

enum { N = 4096 };

int main(void)
{
  static double a[N], b[N];
  double sum = 0.0;
  for (int repeat = 0; repeat < 20; repeat++) {
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
      for (int i = 0; i < N; i++) a[i] = i + repeat;
#pragma omp for schedule(static)
      for (int i = 0; i < N; i++) b[i] = a[N - 1 - i];
    }
    sum += b[repeat];
  }
  printf("%g\n", sum);
  return 0;
}
