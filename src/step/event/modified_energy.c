/* step/event/modified_energy.c  Polynomials of Z by Chebyshev's recursion, and the modified energy. */
#include "step/event/modified.h"

#include "math/math.h"

#include <string.h>

/* G(y) = sum_k g_k y^k, g_0 = 1, g_k = g_{k-1} 2k/(2k + 1);  gamma(y) = - sum_k g_k y^k/(2k + 3).  Small y by series: the
 * closed forms cancel there.                                                                                   [bars 26] */
static long double kinetic_function(long double y)
{
  if (y > 0.1L) return asinl(sqrtl(y)) / sqrtl(y * (1.0L - y)) - 1.0L;
  long double sum = 0.0L, term = 1.0L;
  for (int k = 1; k < 24; k++) term *= y * 2.0L * k / (2.0L * k + 1.0L), sum += term;
  return sum;
}

static long double strain_function(long double y)
{
  if (y > 0.1L) return ((1.0L - y) * asinl(sqrtl(y)) / sqrtl(y * (1.0L - y)) - 1.0L) / y;
  long double sum = -1.0L / 3.0L, term = 1.0L;
  for (int k = 1; k < 24; k++) term *= y * 2.0L * k / (2.0L * k + 1.0L), sum -= term / (2.0L * k + 3.0L);
  return sum;
}

long double vvi_modified_c(double a, long double y, long double theta)
{
  const long double half = sinl(0.5L * a * theta);
  return 2.0L * half * half / y;
}

long double vvi_modified_s(double a, long double theta)
{
  return sinl(a * theta) / sinl(theta);
}

/* Coefficients of a function from its values at the points.  Long double: a bias of one rounding per event would add up
 * over ten thousand of them. */
void vvi_modified_coefficients(const vvi_modified_work *w, const long double *value, double *c)
{
  for (int k = 0; k < w->n; k++) {
    long double sum = 0.0L;
    for (int j = 0; j < w->n; j++) sum += w->basis[k * w->n + j] * value[j];
    c[k] = (double)sum;
  }
}

static void tabulate(vvi_modified_work *w)
{
  const long double pi = acosl(-1.0L);
  for (int j = 0; j < w->n; j++) {
    const long double half = cosl(0.5L * pi * (j + 0.5L) / w->n);
    w->y[j] = w->y_max * half * half;
    w->theta[j] = 2.0L * asinl(sqrtl(w->y[j]));
  }
  for (int k = 0; k < w->n; k++)
    for (int j = 0; j < w->n; j++)
      w->basis[k * w->n + j] = (k == 0 ? 1.0L : 2.0L) / w->n * cosl(k * pi * (j + 0.5L) / w->n);
  for (int j = 0; j < w->n; j++) w->value[j] = kinetic_function(w->y[j]);
  vvi_modified_coefficients(w, w->value, w->kinetic);
  for (int j = 0; j < w->n; j++) w->value[j] = strain_function(w->y[j]);
  vvi_modified_coefficients(w, w->value, w->strain);
}

/* A polynomial of degree 37/ln(rho) is exact to rounding; rho of the largest ellipse around [0, y_max] that keeps clear of
 * the branch point y = 1.                                                                                       [bars 27] */
static int points_needed(double y_max)
{
  const double z = 2.0 / y_max - 1.0, rho = z + sqrt(z * z - 1.0);
  return (int)ceil(37.0 / log(rho)) + 4;
}

vv_status vvi_event_modified_prepare(struct vv_step *s)
{
  vvi_event_work *e = s->own;
  vvi_modified_work *w = VVI_ARENA_NEW(s->arena, vvi_modified_work, 1);
  if (w == NULL) return VV_NOMEM;
  const double ratio = isfinite(s->model->stable_step) ? s->h / s->model->stable_step : 1e-3;
  w->y_max = fmax(ratio * ratio * 1.001, 1e-12);
  if (w->y_max > 0.97) /* a sim may be given a longer step than its scene */
    return vvi_fail(s->model->ctx, VV_ARG, "step %g is too near the stable step %g for the modified jump", s->h,
                    s->model->stable_step);
  w->n = points_needed(w->y_max);
  const int64_t n = w->n, pairs = s->model->pairs->n, np = s->state->np;
  double *small = VVI_ARENA_NEW(s->arena, double, 5 * n + 2 * pairs * n + pairs);
  double *large = VVI_ARENA_NEW(s->arena, double, 7 * np);
  w->basis = VVI_ARENA_NEW(s->arena, long double, n *(n + 3));
  w->near = VVI_ARENA_NEW(s->arena, bool, pairs);
  if (small == NULL || large == NULL || w->basis == NULL || w->near == NULL) return VV_NOMEM;
  w->y = w->basis + n * n, w->theta = w->y + n, w->value = w->theta + n;
  double **part[] = {&w->kinetic, &w->strain, &w->c, &w->s, &w->r};
  for (int i = 0; i < VV_COUNT(part); i++) *part[i] = small + i * n;
  w->mu = small + 5 * n, w->nu = w->mu + pairs * n, w->gap = w->nu + pairs * n;
  double **vector[] = {&w->t0, &w->t1, &w->x, &w->cf, &w->sf, &w->cp, &w->sp};
  for (int i = 0; i < VV_COUNT(vector); i++) *vector[i] = large + i * np;
  tabulate(w);
  e->modified = w;
  return VV_OK;
}

/* ---- polynomials of Z ---- */

/* z <- 2 (2 Z/y_max - 1) t - z: the Chebyshev recurrence; first = true gives (2 Z/y_max - 1) t. */
void vvi_modified_chebyshev_next(struct vv_step *s, const double *t, double *z, bool first)
{
  vvi_modified_work *w = ((vvi_event_work *)s->own)->modified;
  const int64_t n = s->state->np;
  const double factor = first ? 1.0 : 2.0;
  memset(w->x, 0, sizeof(double) * (size_t)n);
  for (int64_t i = 0; i < n; i++) z[i] = first ? -t[i] : -2.0 * t[i] - z[i];
  vvi_sys_vary_drift(s->model, 1.0, s->state->q, t, w->x, (double *)t); /* flat: the momentum is not touched */
  const double scale = -factor * 2.0 / w->y_max * 0.25 * s->h * s->h;
  vvi_sys_vary_kick(s->model, scale, s->state->q, w->x, z);
  vvi_springs_vary(s->model, s->state->memory, scale, s->state->q, w->x, z);
}

/* out1 = sum_k c1_k T_k v, and out2 with c2 if given.  v is not changed; out1, out2 may not be v. */
void vvi_modified_polynomial(struct vv_step *s, const double *v, const double *c1, double *out1, const double *c2,
                             double *out2)
{
  vvi_modified_work *w = ((vvi_event_work *)s->own)->modified;
  const int64_t n = s->state->np;
  double *now = w->t0, *old = w->t1;
  memcpy(now, v, sizeof(double) * (size_t)n);
  for (int64_t i = 0; i < n; i++) out1[i] = c1[0] * v[i];
  for (int64_t i = 0; c2 != NULL && i < n; i++) out2[i] = c2[0] * v[i];
  for (int k = 1; k < w->n; k++) {
    vvi_modified_chebyshev_next(s, now, old, k == 1);
    double *swap = now;
    now = old, old = swap;
    vvi_axpy(n, c1[k], now, out1);
    if (c2 != NULL) vvi_axpy(n, c2[k], now, out2);
  }
}

/* v.M^-1 z */
double vvi_modified_inner(struct vv_step *s, const double *v, const double *z)
{
  vvi_modified_work *w = ((vvi_event_work *)s->own)->modified;
  const int64_t n = s->state->np;
  memset(w->x, 0, sizeof(double) * (size_t)n);
  vvi_sys_vary_drift(s->model, 1.0, s->state->q, z, w->x, (double *)z);
  double sum = 0.0;
  for (int64_t i = 0; i < n; i++) sum += v[i] * w->x[i];
  return sum;
}

/* The two corrections that make H into Ht.                                                                     [bars 24] */
static void corrections(struct vv_step *s, double *kinetic, double *strain)
{
  vvi_event_work *e = s->own;
  vvi_modified_work *w = e->modified;
  vvi_modified_polynomial(s, s->state->p, w->kinetic, w->cf, NULL, NULL);
  *kinetic = 0.5 * vvi_modified_inner(s, s->state->p, w->cf);
  vvi_event_force(s, s->state->t, s->state->q, e->f1);
  vvi_modified_polynomial(s, e->f1, w->strain, w->cf, NULL, NULL);
  *strain = 0.125 * s->h * s->h * vvi_modified_inner(s, e->f1, w->cf);
}

static void full_audit(struct vv_step *s, vv_totals *sum)
{
  double kinetic, strain;
  corrections(s, &kinetic, &strain);
  sum->kinetic += kinetic;
  sum->strain += strain;
}

/* H - (h^2/8) f.M^-1 f, which whole steps keep to rounding as they keep Ht.                                   [bars 4c] */
static double invariant(struct vv_step *s, double nodal)
{
  vvi_event_work *e = s->own;
  vvi_event_force(s, s->state->t, s->state->q, e->f1);
  return nodal - 0.125 * s->h * s->h * vvi_modified_inner(s, e->f1, e->f1);
}

/* The polynomials cost many forces.  Between events both Ht and the invariant above are kept by the step, so the change of
 * the one is audited by the change of the other; after an event, and at the start, Ht itself is. */
void vvi_event_modified_audit(struct vv_step *s, vv_totals *sum)
{
  vv_ledger *l = s->ledger;
  const double nodal = vv_totals_energy(sum), now = invariant(s, nodal);
  const int64_t events = l->impacts + l->held;
  if (l->anchor_events == events) {
    sum->strain += l->anchor_energy + (now - l->anchor_invariant) - nodal;
    return;
  }
  full_audit(s, sum);
  l->anchor_events = events;
  l->anchor_energy = vv_totals_energy(sum);
  l->anchor_invariant = now;
}

double vvi_modified_energy(struct vv_step *s)
{
  vv_totals sum;
  vvi_audit_nodal(s, &sum);
  full_audit(s, &sum);
  return vv_totals_energy(&sum);
}
