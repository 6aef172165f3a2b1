/* tests/support/statics.c  See statics.h. */
#include "statics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double dot(int64_t n, const double *x, const double *y)
{
  double s = 0.0;
  for (int64_t i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}

void statics_apply(const vv_block *b, const double *q, const double *z, double size, double *out)
{
  const int64_t n = b->kind->node_q * b->column;
  double *x = calloc((size_t)n, sizeof *x), most = 0.0;
  memset(out, 0, sizeof *out * (size_t)n);
  for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(z[i]));
  const double s = most > 0.0 ? size / most : 0.0;
  for (int sign = -1; sign <= 1 && most > 0.0; sign += 2) {
    for (int64_t i = 0; i < n; i++) x[i] = q[i] + sign * s * z[i];
    b->kind->kick(b, 0.0, -sign * 0.5 / s, x, out);
  }
  free(x);
}

int statics_solve(const vv_block *b, const double *q, const double *f, double size, double tolerance, int most,
                  double *u)
{
  const int64_t n = b->kind->node_q * b->column;
  double *r = calloc(4 * (size_t)n, sizeof *r), *z = r + n, *d = z + n, *Kd = d + n;
  int it = 0;
  memset(u, 0, sizeof *u * (size_t)n);
  memcpy(r, f, sizeof *r * (size_t)n);
  memcpy(d, r, sizeof *r * (size_t)n);
  const double wanted = tolerance * tolerance * dot(n, r, r);
  double rr = dot(n, r, r);
  for (; it < most && rr > wanted; it++) {
    statics_apply(b, q, d, size, Kd);
    const double alpha = rr / dot(n, d, Kd);
    for (int64_t i = 0; i < n; i++) u[i] += alpha * d[i], r[i] -= alpha * Kd[i];
    const double next = dot(n, r, r), beta = next / rr;
    rr = next;
    for (int64_t i = 0; i < n; i++) d[i] = r[i] + beta * d[i];
  }
  free(r);
  return rr <= wanted ? it : -1;
}
