/* math/math.h  Small mathematics: vectors, first roots, ordered sums. */
#pragma once
#include "base/base.h"
#include "math/vec3.h"

#include <math.h>

#define VV_PI 3.14159265358979323846

/* Hot loops are compiled for several instruction sets and chosen at load time.  Contraction is off in the build, so all
 * versions give the same bits. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(VV_NO_CLONES)
#define VV_HOT __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define VV_HOT
#endif

/* y += a x */
void vvi_axpy(int64_t n, double a, const double *x, double *y);

/* Size and rank of the team of threads inside a parallel region (1 and 0 outside). */
int vvi_team_size(void);
int vvi_team_rank(void);
/* Parallel regions of the calling thread take one thread, or as many as they ask for; returns what was before, to be given
 * back in the end. */
int vvi_team_restrict(bool one);
void vvi_team_restore(int before);
/* Parallel regions of the calling thread that do not say how many threads they want take so many; returns what was before. */
int vvi_team_usual(int threads);

/* Of NaN in x and a number the number, as fmax and fmin, but no call. */
static inline double vvi_larger(double x, double most)
{
  return x > most ? x : most;
}
static inline double vvi_smaller(double x, double least)
{
  return x < least ? x : least;
}

/* Symmetric matrices of three rows: xx yy zz yz xz xy.  y = A x */
static inline void vvi_times6(const double a[6], const double x[3], double y[3])
{
  y[0] = a[0] * x[0] + a[5] * x[1] + a[4] * x[2];
  y[1] = a[5] * x[0] + a[1] * x[1] + a[3] * x[2];
  y[2] = a[4] * x[0] + a[3] * x[1] + a[2] * x[2];
}

/* x.A y */
static inline double vvi_form6(const double a[6], const double x[3], const double y[3])
{
  return a[0] * x[0] * y[0] + a[1] * x[1] * y[1] + a[2] * x[2] * y[2] + a[3] * (x[1] * y[2] + x[2] * y[1]) +
         a[4] * (x[0] * y[2] + x[2] * y[0]) + a[5] * (x[0] * y[1] + x[1] * y[0]);
}

/* The adjoint of A: A adj A = det A; returns det A. */
static inline double vvi_adjoint6(const double a[6], double out[6])
{
  out[0] = a[1] * a[2] - a[3] * a[3], out[1] = a[0] * a[2] - a[4] * a[4], out[2] = a[0] * a[1] - a[5] * a[5];
  out[3] = a[4] * a[5] - a[0] * a[3], out[4] = a[3] * a[5] - a[1] * a[4], out[5] = a[3] * a[4] - a[2] * a[5];
  return a[0] * out[0] + a[5] * out[5] + a[4] * out[4];
}

/* A x = b, A positive, by the adjoint and one correction; false: it is singular. */
bool vvi_solve6(const double a[6], const double b[3], double x[3]);

/* Two unit vectors across the unit vector n: n, t[0], t[1] are right-handed. */
static inline void vvi_across(const double n[3], double t[2][3])
{
  const int least = fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2) : (fabs(n[1]) < fabs(n[2]) ? 1 : 2);
  for (int c = 0; c < 3; c++) t[0][c] = (c == least) - n[least] * n[c];
  const double size = vvi_norm3(t[0]);
  for (int c = 0; c < 3; c++) t[0][c] /= size;
  vvi_cross3(n, t[0], t[1]);
}

/* Groups of numbers that are joined one by one, each named after its smallest: group[i] = i at first. */
static inline int32_t vvi_group_of(int32_t *group, int32_t i)
{
  while (group[i] != i) i = group[i] = group[group[i]];
  return i;
}

static inline void vvi_group_join(int32_t *group, int32_t a, int32_t b)
{
  a = vvi_group_of(group, a), b = vvi_group_of(group, b);
  if (a < b) group[b] = a;
  if (b < a) group[a] = b;
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
