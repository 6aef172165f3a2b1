/* math/math.h  Small mathematics: vectors, first roots, ordered sums. */
#pragma once
#include "base/base.h"

#include <math.h>

#define VV_PI 3.14159265358979323846

/* Hot loops are compiled for several instruction sets and chosen at load time.  Contraction is off in the build, so all
 * versions give the same bits. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(VV_NO_CLONES)
#define VV_HOT __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define VV_HOT
#endif

/* Size and rank of the team of threads inside a parallel region (1 and 0 outside). */
int vvi_team_size(void);
int vvi_team_rank(void);

static inline double vvi_dot3(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double vvi_norm3(const double a[3])
{
  return sqrt(vvi_dot3(a, a));
}

static inline void vvi_cross3(const double a[3], const double b[3], double c[3])
{
  const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
  c[0] = x, c[1] = y, c[2] = z;
}

/* Smallest s > 0 with c0 + c1 s + c2 s^2 = 0 where the parabola passes from positive to negative; INFINITY if none.
 * touching: c0 is zero up to rounding and s = 0 is a known root, which is divided out. */
double vvi_first_crossing(double c0, double c1, double c2, bool touching);

/* Roots of a r^2 + b r + c = 0, a > 0: false if not real.  small is the root of smaller magnitude, both without
 * cancellation. */
bool vvi_quadratic(double a, double b, double c, double *small, double *large);

/* First x in (0, length] with f(x) = 0, given f(length) < 0, from the side where f is not negative: Illinois steps and
 * bisection.  at_zero: f(0); where it is not positive, or `touching`, the root 0 is divided out, and 0 is returned if f does
 * not become positive at all. */
typedef double vvi_function(void *user, double x);
double vvi_root_from_above(vvi_function *f, void *user, double length, double at_zero, bool touching);

/* Largest eigenvalue, not below zero, of the symmetric tridiagonal matrix with diagonal a[n] and b[n - 1] beside it. */
double vvi_tridiagonal_largest(int n, const double *a, const double *b);
