/* tests/sanitizers/clean.c  A correct OpenMP program: the thread sanitizer must have nothing to say. */
#include <stdio.h>

enum { N = 4096 };

int main(void)
{
  static double a[N], b[N];
  double sum = 0.0;
  for (int repeat = 0; repeat < 20; repeat++) {
#pragma omp parallel
    {
#pragma omp for schedule(static)
      for (int i = 0; i < N; i++) a[i] = i + repeat;
        /* the barrier at the end of the loop above orders these reads after those writes */
#pragma omp for schedule(static)
      for (int i = 0; i < N; i++) b[i] = a[N - 1 - i];
    }
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < N; i++) sum += b[i];
  }
  printf("%g\n", sum);
  return 0;
}
