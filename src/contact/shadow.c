/* contact/shadow.c  The velocity that belongs to the energy which kick-drift-kick keeps.
 *
 * At frozen places the shadow energy H~ is quadratic in the momenta, and its derivative is the velocity of the smooth curve
 * through the places of whole steps, found by flying there and back without contact:
 *
 *   z(p) = sum over j of c_j (x(j) - x(-j))/h,    x(j): after j steps                                           [shadow 3] */
#include "contact/shadow.h"

#include <math.h>
#include <string.h>

/* Of the stable step: up to FINE one force each way is enough; below NONE rounding of places is more than what it brings. */
static const double FINE = 0.15, NONE = 1e-3;

/* Relative error of sin x - 4 (1 - cos x) sum of d_j sin(j x) against x: what d_j multiplies, and what it is to cancel. */
static double angle_terms(double x, int n, double phi[VVI_SHADOW_TRIALS])
{
  for (int j = 0; j < n; j++) phi[j] = -4.0 * (1.0 - cos(x)) * sin((j + 1) * x) / x;
  return 1.0 - sin(x) / x;
}

/* d_j by least squares over all angles of a step that the body has, with a tenth to spare; c_j of places from d_j of forces;
 * returns the largest relative error.                                                                         [shadow 4] */
static double fit(double ratio, int n, double c[VVI_SHADOW_TRIALS + 2])
{
  enum { SAMPLES = 400 };
  const double most = 2.0 * asin(fmin(1.1 * ratio, 1.0));
  double a[3] = {0}, r[VVI_SHADOW_TRIALS] = {0}, d[VVI_SHADOW_TRIALS + 4] = {0}, phi[VVI_SHADOW_TRIALS] = {0},
         worst = 0.0;
  for (int i = 1; i <= SAMPLES; i++) {
    const double y = angle_terms(most * i / SAMPLES, n, phi);
    a[0] += phi[0] * phi[0], a[1] += phi[0] * phi[1], a[2] += phi[1] * phi[1];
    r[0] += phi[0] * y, r[1] += phi[1] * y;
  }
  const double det = n == 1 ? a[0] : a[0] * a[2] - a[1] * a[1];
  d[1] = (n == 1 ? r[0] : r[0] * a[2] - r[1] * a[1]) / det;
  d[2] = n == 1 ? 0.0 : (r[1] * a[0] - r[0] * a[1]) / det;
  for (int j = 1; j <= n + 1; j++) c[j] = (j == 1 ? 0.5 : d[j - 1]) - 2.0 * d[j] + d[j + 1];
  for (int i = 1; i <= SAMPLES; i++) {
    const double y = angle_terms(most * i / SAMPLES, n, phi);
    worst = fmax(worst, fabs(phi[0] * d[1] + phi[1] * d[2] - y));
  }
  return worst;
}

/* Classes a quarter apart: a body far away that shortens the stable step a little must not change a bit here.  The fit has room
 * for the twentieth. */
static double class_of(double ratio)
{
  double class = 1.0;
  while (ratio <= 1.05 * 0.8 * class) class *= 0.8;
  return class;
}

vv_status vvi_shadow_create(const vv_model *m, vvi_arena *arena, double ratio, vvi_shadow **out)
{
  const bool linear = (vvi_sys_claims(m) & VV_LINEAR) != 0; /* all is: a reflection keeps what such a step keeps */
  bool any = false;
  unsigned char *bends = VVI_ARENA_NEW(arena, unsigned char, m->n_block);
  *out = NULL;
  if (bends == NULL) return VV_NOMEM;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    bends[i] = !linear && b->nodes > 0 && b->z_reals == 0 && (b->claims & VV_KEEPS_ENERGY) == 0;
    any |= bends[i] != 0;
  }
  if (!any || ratio < NONE) return VV_OK;
  vvi_shadow *k = VVI_ARENA_NEW(arena, vvi_shadow, 1);
  double *q = VVI_ARENA_NEW(arena, double, m->nq + 2 * m->np);
  if (k == NULL || q == NULL) return VV_NOMEM;
  *k = (vvi_shadow){.model = m, .y = ratio * ratio, .bends = bends, .q = q, .p = q + m->nq, .start = q + m->nq + m->np};
  k->trials = class_of(ratio) <= FINE ? 1 : VVI_SHADOW_TRIALS;
  k->error = fit(class_of(ratio), k->trials, k->c);
  *out = k;
  return VV_OK;
}

static void one_way(const vvi_shadow *k, const vvi_shadow_flight *from, double h, vvi_shadow_fn *fn, void *user)
{
  const vv_model *m = k->model;
  memcpy(k->q, from->q, sizeof *k->q * (size_t)m->nq);
  memcpy(k->p, from->p, sizeof *k->p * (size_t)m->np);
  for (int j = 1; j <= k->trials + 1; j++) {
    for (int i = 0; i < m->n_block; i++) {
      const vv_block *b = &m->block[i];
      if (!k->bends[i]) continue;
      if (j == 1)
        for (int64_t n = 0; n < b->kind->node_p * b->column; n++) k->p[b->p0 + n] += 0.5 * h * from->f[b->p0 + n];
      else
        b->kind->kick(b, from->t, h, k->q + b->q0, k->p + b->p0);
      b->kind->drift(b, h, k->q + b->q0, k->p + b->p0);
    }
    fn(user, j, k->c[j] / h, k->q, k->p);
  }
}

void vvi_shadow_fly(const vvi_shadow *k, const vvi_shadow_flight *from, vvi_shadow_fn *fn, void *user)
{
  one_way(k, from, from->h, fn, user);
  one_way(k, from, -from->h, fn, user);
}
