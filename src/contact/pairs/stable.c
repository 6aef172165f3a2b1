/* contact/pairs/stable.c  The stable step of a whole model, contact springs included. */
#include "contact/pairs/layers.h"

#include "math/math.h"

#include <stdlib.h>
#include <string.h>

/* x.y over the state in fixed order */
static double dot(int64_t n, const double *x, const double *y)
{
  double s = 0.0;
  for (int64_t i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}

/* Lanczos on the operator A = M^-1 K, symmetric in the M inner product (momenta: z = M x, so <x, y>_M = x.z_y).
 *   r = K x - beta z_old;  alpha = x.r;  r -= alpha z;  y = M^-1 r;  beta = sqrt(y.r)
 * The largest Ritz value plus the last beta bounds the largest eigenvalue well once the iteration has settled. */
static double lanczos(const vv_model *m, const double *q, const double *closed, int steps, double *work, double *alpha,
                      double *beta)
{
  const int64_t n = m->np;
  double *x = work, *z = work + n, *z_old = work + 2 * n, *r = work + 3 * n;
  uint64_t seed = 88172645463325252u;
  for (int64_t i = 0; i < n; i++) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    z[i] = (double)(seed >> 11) * 0x1p-53 - 0.5;
  }
  memset(x, 0, sizeof(double) * (size_t)n);
  vvi_sys_vary_drift(m, 1.0, q, z, x, z);
  double scale = sqrt(dot(n, x, z));
  for (int64_t i = 0; i < n; i++) x[i] /= scale, z[i] /= scale, z_old[i] = 0.0;
  double tail = 0.0, largest = 0.0;
  int k = 0;
  for (; k < steps; k++) {
    memset(r, 0, sizeof(double) * (size_t)n);
    vvi_sys_vary_kick(m, -1.0, q, x, r);
    vvi_springs_vary(m, closed, -1.0, q, x, r);
    for (int64_t i = 0; i < n; i++) r[i] -= tail * z_old[i];
    alpha[k] = dot(n, x, r);
    for (int64_t i = 0; i < n; i++) r[i] -= alpha[k] * z[i], z_old[i] = z[i];
    memset(x, 0, sizeof(double) * (size_t)n);
    vvi_sys_vary_drift(m, 1.0, q, r, x, r);
    tail = sqrt(fmax(dot(n, x, r), 0.0));
    beta[k] = tail;
    const double before = largest;
    if (k % 8 == 7 || k + 1 == steps) largest = vvi_tridiagonal_largest(k + 1, alpha, beta);
    if (tail <= 1e-14 * largest || (k % 8 == 7 && largest - before <= 1e-13 * largest)) {
      k++;
      break;
    }
    for (int64_t i = 0; i < n; i++) x[i] /= tail, z[i] = r[i] / tail;
  }
  return vvi_tridiagonal_largest(k, alpha, beta);
}

vv_status vvi_stable_step(const vv_model *m, const double *q, double *out)
{
  double step = INFINITY;
  for (int i = 0; i < m->n_block; i++) step = fmin(step, m->block[i].kind->stable_step(&m->block[i]));
  *out = step;
  if (m->pairs->n_layer > 0) {
    double *zero = calloc((size_t)m->np + 1, sizeof *zero);
    if (zero == NULL) return vvi_fail(m->ctx, VV_NOMEM, "out of memory for the stable step");
    *out = step = vvi_layer_stable(m, q, zero, step);
    free(zero);
  }
  if (m->pairs->n_soft == m->pairs->n_layer || m->np == 0) return VV_OK;
  enum { STEPS = 400 };
  double *work = calloc((size_t)(4 * m->np + 2 * STEPS + m->pairs->n), sizeof(double));
  if (work == NULL) return vvi_fail(m->ctx, VV_NOMEM, "out of memory for the stable step");
  double *alpha = work + 4 * m->np, *beta = alpha + STEPS, *closed = beta + STEPS;
  for (int i = 0; i < m->pairs->n; i++) closed[i] = m->pairs->pair[i].layer ? 0.0 : 1.0;
  const double lambda = lanczos(m, q, closed, STEPS, work, alpha, beta);
  if (lambda > 0.0) *out = fmin(step, 2.0 / sqrt(lambda));
  free(work);
  return VV_OK;
}
