/* step/event/modified.c  The jump rule `modified`: events conserve the energy that the step itself conserves.
 *
 * On a linear system one step of length h is the exact flow over time h of a modified energy Ht.  With y = (w h/2)^2 =
 * sin^2(theta/2) for a mode of frequency w, and Z = (h^2/4) K M^-1 acting on momenta, the fraction a of a step is  [bars 22]
 *
 *   q(a) = q + M^-1 [ (h^2/4) c_a(Z) f + h S_a(Z) p ],      c_a(y) = (1 - cos(a theta))/y
 *   p(a) = p + h S_a(Z) f - Z [ c_a(Z) p + h S_a(Z) f ],    S_a(y) = sin(a theta)/sin(theta)
 *
 *   Ht = H(q, p) + 1/2 p.M^-1 (G(Z) - 1) p + (h^2/8) f.M^-1 gamma(Z) f,                                        [bars 24]
 *   G = theta/sin(theta),  gamma = ((1 - y) G - 1)/y.
 *
 * All four functions are analytic on [0, 1): Chebyshev polynomials of low degree on [0, (h/h_stable)^2] evaluate them to
 * rounding with forces only.  No eigenmodes, cost linear in the mesh, and momentum is exact because every term but S_a f is
 * an image of K. */
#include "step/event/event.h"

#include "math/math.h"
#include "step/variation.h"

#include <string.h>

typedef struct modified_work {
  int n; /* Chebyshev points */
  double y_max;
  long double *y, *theta;    /* [n] the points, and the turn of a mode in one step */
  long double *basis;        /* [n][n] coefficient k of a function from its value at point j */
  long double *value;        /* [n] values at the points */
  double *kinetic, *strain;  /* [n] coefficients of G - 1 and gamma */
  double *c, *s, *r;         /* [n] coefficients of c_a, S_a and S_a - R_a */
  double *mu, *nu;           /* [pairs][n] gap(a) = gap + sum_j mu_j c_a(y_j) + nu_j S_a(y_j) */
  double *gap;               /* [pairs] gap at the start of the fraction */
  bool *near;                /* [pairs] could meet within this step */
  double *t0, *t1, *x;       /* [np] two polynomials of a vector, scratch */
  double *cf, *sf, *cp, *sp; /* [np] c_a(Z) f, S_a(Z) f, c_a(Z) p, S_a(Z) p */
} modified_work;

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

static long double c_function(double a, long double y, long double theta)
{
  const long double half = sinl(0.5L * a * theta);
  return 2.0L * half * half / y;
}

static long double s_function(double a, long double theta)
{
  return sinl(a * theta) / sinl(theta);
}

/* Coefficients of a function from its values at the points.  Long double: a bias of one rounding per event would add up
 * over ten thousand of them. */
static void to_coefficients(const modified_work *w, const long double *value, double *c)
{
  for (int k = 0; k < w->n; k++) {
    long double sum = 0.0L;
    for (int j = 0; j < w->n; j++) sum += w->basis[k * w->n + j] * value[j];
    c[k] = (double)sum;
  }
}

static void tabulate(modified_work *w)
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
  to_coefficients(w, w->value, w->kinetic);
  for (int j = 0; j < w->n; j++) w->value[j] = strain_function(w->y[j]);
  to_coefficients(w, w->value, w->strain);
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
  event_work *e = s->own;
  modified_work *w = VVI_ARENA_NEW(s->arena, modified_work, 1);
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
static void chebyshev_next(struct vv_step *s, const double *t, double *z, bool first)
{
  modified_work *w = ((event_work *)s->own)->modified;
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
static void polynomial(struct vv_step *s, const double *v, const double *c1, double *out1, const double *c2,
                       double *out2)
{
  modified_work *w = ((event_work *)s->own)->modified;
  const int64_t n = s->state->np;
  double *now = w->t0, *old = w->t1;
  memcpy(now, v, sizeof(double) * (size_t)n);
  for (int64_t i = 0; i < n; i++) out1[i] = c1[0] * v[i];
  for (int64_t i = 0; c2 != NULL && i < n; i++) out2[i] = c2[0] * v[i];
  for (int k = 1; k < w->n; k++) {
    chebyshev_next(s, now, old, k == 1);
    double *swap = now;
    now = old, old = swap;
    vvi_axpy(n, c1[k], now, out1);
    if (c2 != NULL) vvi_axpy(n, c2[k], now, out2);
  }
}

/* v.M^-1 z */
static double inner(struct vv_step *s, const double *v, const double *z)
{
  modified_work *w = ((event_work *)s->own)->modified;
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
  event_work *e = s->own;
  modified_work *w = e->modified;
  polynomial(s, s->state->p, w->kinetic, w->cf, NULL, NULL);
  *kinetic = 0.5 * inner(s, s->state->p, w->cf);
  vvi_event_force(s, s->state->t, s->state->q, e->f1);
  polynomial(s, e->f1, w->strain, w->cf, NULL, NULL);
  *strain = 0.125 * s->h * s->h * inner(s, e->f1, w->cf);
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
  event_work *e = s->own;
  vvi_event_force(s, s->state->t, s->state->q, e->f1);
  return nodal - 0.125 * s->h * s->h * inner(s, e->f1, e->f1);
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

static double modified_energy(struct vv_step *s)
{
  vv_totals sum;
  vvi_audit_nodal(s, &sum);
  full_audit(s, &sum);
  return vv_totals_energy(&sum);
}

/* ---- flow over a fraction of a step ---- */

/* With R_a = (S_a - a)/y every term of p(a) is an image of a force, and the fraction is a kick of length a h at a
 * configuration q' beside q, with a drift of its own:                                                          [bars 22a]
 *
 *   p(a) = p + a h f(q'),   q' = q + (h/(4 a)) M^-1 [ c_a(Z) p + h (S_a(Z) - R_a(Z)) f ]
 *
 * Supports and walls are booked as for any kick, and momentum is exact pair by pair.
 * Here: cf = M (q(a) - q) and sp = M (q' - q), from the polynomials in w->c, w->s and w->r; linear, so it serves variations
 * too. */
static void displacements(struct vv_step *s, double a, const double *f, const double *p)
{
  modified_work *w = ((event_work *)s->own)->modified;
  const double h = s->h;
  polynomial(s, f, w->c, w->cf, w->r, w->sf);
  polynomial(s, p, w->c, w->cp, w->s, w->sp);
  for (int64_t i = 0; i < s->state->np; i++) {
    w->cf[i] = 0.25 * h * h * w->cf[i] + h * w->sp[i];
    w->sp[i] = 0.25 * h / a * (w->cp[i] + h * w->sf[i]);
  }
}

static void flow_coefficients(modified_work *w, double a)
{
  for (int j = 0; j < w->n; j++) w->value[j] = c_function(a, w->y[j], w->theta[j]);
  to_coefficients(w, w->value, w->c);
  for (int j = 0; j < w->n; j++) w->value[j] = s_function(a, w->theta[j]);
  to_coefficients(w, w->value, w->s);
  for (int j = 0; j < w->n; j++) w->value[j] -= (w->value[j] - a) / w->y[j];
  to_coefficients(w, w->value, w->r);
}

static void flow_variation(struct vv_step *s, double a, int k)
{
  event_work *e = s->own;
  modified_work *w = e->modified;
  struct vvi_variation *v = s->vary;
  vvi_variation_force(s, s->state->memory, s->state->q, v->dq[k], e->f1);
  displacements(s, a, e->f1, v->dp[k]);
  memcpy(e->q1, v->dq[k], sizeof(double) * (size_t)s->state->nq);
  vvi_sys_vary_drift(s->model, 1.0, s->state->q, w->sp, e->q1, w->sp);
  vvi_variation_force(s, s->state->memory, s->state->q, e->q1, e->f1);
  vvi_axpy(s->state->np, a * s->h, e->f1, v->dp[k]);
  vvi_sys_vary_drift(s->model, 1.0, s->state->q, w->cf, v->dq[k], w->cf);
}

/* The fraction a of a step that ends at time t; e->f is refreshed. */
static void flow(struct vv_step *s, double t, double a)
{
  event_work *e = s->own;
  modified_work *w = e->modified;
  vv_state *x = s->state;
  if (a == 0.0) return;
  flow_coefficients(w, a);
  for (int k = 0; vvi_event_varies(s) && k < VARY_U; k++) flow_variation(s, a, k);
  displacements(s, a, e->f, x->p);
  memcpy(e->q1, x->q, sizeof(double) * (size_t)x->nq);
  vvi_sys_drift(s->model, 1.0, e->q1, w->sp);
  vvi_event_force(s, t, e->q1, e->f);
  vvi_sys_post(s->model, t, a * s->h, e->q1, x->p, &s->ledger->posted);
  vvi_springs_post(s->model, x->memory, a * s->h, e->q1, x->p, &s->ledger->posted);
  vvi_tell_springs(s, t, a * s->h, e->q1);
  vvi_axpy(x->np, a * s->h, e->f, x->p);
  vvi_sys_drift(s->model, 1.0, x->q, w->cf);
  vvi_event_force(s, t, x->q, e->f);
}

/* ---- variations: the length of a fraction varies by da, along the field of Ht ---- */

/* velocity = G p and force = (1 - Z) G f: dq/da = h M^-1 velocity, dp/da = h force, at the present state. */
static void field(struct vv_step *s, double *velocity, double *force)
{
  event_work *e = s->own;
  modified_work *w = e->modified;
  const int64_t n = s->state->np;
  polynomial(s, e->f, w->kinetic, force, NULL, NULL);
  vvi_axpy(n, 1.0, e->f, force);
  memset(w->x, 0, sizeof(double) * (size_t)n);
  vvi_sys_vary_drift(s->model, 1.0, s->state->q, force, w->x, force);
  vvi_sys_vary_kick(s->model, 0.25 * s->h * s->h, s->state->q, w->x, force);
  vvi_springs_vary(s->model, s->state->memory, 0.25 * s->h * s->h, s->state->q, w->x, force);
  polynomial(s, s->state->p, w->kinetic, velocity, NULL, NULL);
  vvi_axpy(n, 1.0, s->state->p, velocity);
}

/* c: the fraction ended when this gap closed; NULL: at the whole step. */
static void vary_length(struct vv_step *s, const vvi_pair *c)
{
  struct vvi_variation *v = s->vary;
  modified_work *w = ((event_work *)s->own)->modified;
  if (!vvi_event_varies(s)) return;
  field(s, w->cp, w->sp);
  for (int k = 0; k < VARY_U; k++) {
    const double da =
        c == NULL ? -v->dt[k]
                  : -vvi_pair_vary_gap(c, s->state->q, v->dq[k]) / (s->h * vvi_pair_rate(c, s->state->q, w->cp));
    vvi_sys_vary_drift(s->model, da * s->h, s->state->q, w->cp, v->dq[k], w->cp);
    vvi_axpy(s->state->np, da * s->h, w->sp, v->dp[k]);
    v->dt[k] += da;
  }
}

/* dHt = dp.M^-1 G p - dq.(1 - Z) G f with the springs that act now. */
static void vary_energy(struct vv_step *s, double d[VARY_U])
{
  modified_work *w = ((event_work *)s->own)->modified;
  field(s, w->cp, w->sp);
  for (int k = 0; k < VARY_U; k++) {
    d[k] = inner(s, s->vary->dp[k], w->cp);
    for (int64_t i = 0; i < s->state->np; i++) d[k] -= s->vary->dq[k][i] * w->sp[i];
  }
}

/* Bounce: R = -(1 + e) n.M^-1 G p/(n.M^-1 G n) is linear in p.  Massless tips: A R^2/2 + B R + C = 0 gives
 * (A R + B) dR = -(R dB + dC). */
static void vary_jump(struct vv_step *s, const vvi_pair *c, bool bounce, double impulse, const double change[VARY_U])
{
  event_work *e = s->own;
  modified_work *w = e->modified;
  double dr[VARY_U];
  memset(e->k, 0, sizeof(double) * (size_t)s->state->np);
  vvi_pair_pull(c, s->state->q, 1.0, e->k);
  polynomial(s, e->k, w->kinetic, w->cf, NULL, NULL);
  vvi_axpy(s->state->np, 1.0, e->k, w->cf); /* G n */
  const double a = inner(s, e->k, w->cf), b = inner(s, s->state->p, w->cf);
  for (int k = 0; k < VARY_U; k++) {
    const double db = inner(s, s->vary->dp[k], w->cf);
    dr[k] = bounce ? -2.0 * db / a : -(impulse * db + change[k]) / (a * impulse + b);
  }
  vvi_variation_jump(s, c, dr);
}

/* ---- gap along the flow ---- */

/* Chebyshev moments of the rate of a pair, turned into weights at the points: then gap(a) costs n sines. */
static void add_weights(struct vv_step *s, const double *v, double factor, double *weight)
{
  modified_work *w = ((event_work *)s->own)->modified;
  const struct vvi_pairs *list = s->model->pairs;
  double *now = w->t0, *old = w->t1;
  memset(weight, 0, sizeof(double) * (size_t)(list->n * w->n));
  memcpy(now, v, sizeof(double) * (size_t)s->state->np);
  for (int k = 0; k < w->n; k++) {
    if (k > 0) {
      chebyshev_next(s, now, old, k == 1);
      double *swap = now;
      now = old, old = swap;
    }
    for (int i = 0; i < list->n; i++) {
      if (!w->near[i]) continue;
      const double moment = factor * vvi_pair_rate(&list->pair[i], s->state->q, now);
      for (int j = 0; j < w->n; j++) weight[i * w->n + j] += (double)w->basis[k * w->n + j] * moment;
    }
  }
}

/* Gap (start: its value at a = 0) and its slope. */
static double gap_at(const modified_work *w, int pair, double start, double a, double *slope)
{
  const double *mu = w->mu + pair * w->n, *nu = w->nu + pair * w->n;
  double g = start, dg = 0.0;
  for (int j = 0; j < w->n; j++) {
    const double th = (double)w->theta[j], y = (double)w->y[j], sn = sin(th), turn = sin(a * th),
                 half = sin(0.5 * a * th);
    g += mu[j] * 2.0 * half * half / y + nu[j] * turn / sn;
    dg += mu[j] * th * turn / y + nu[j] * th * cos(a * th) / sn;
  }
  *slope = dg;
  return g;
}

typedef struct gap_curve {
  const modified_work *w;
  int pair;
  double start, sign;
  bool divided; /* by a: the root at zero is known */
} gap_curve;

static double curve(const gap_curve *c, double a)
{
  double slope;
  const double g = c->sign * gap_at(c->w, c->pair, c->start, a, &slope);
  if (!c->divided) return g;
  return a > 0.0 ? g / a : c->sign * slope;
}

/* Bracketed root, curve(lo) > 0 >= curve(hi): Illinois with bisection, from the side where the gap is not negative. */
static double curve_root(const gap_curve *c, double lo, double hi)
{
  double f_lo = curve(c, lo), f_hi = curve(c, hi);
  for (int it = 0; it < 200 && hi - lo > 4e-16 * hi; it++) {
    double mid = it % 4 == 3 ? 0.5 * (lo + hi) : lo + (hi - lo) * f_lo / (f_lo - f_hi);
    if (!(mid > lo && mid < hi)) mid = 0.5 * (lo + hi);
    if (!(mid > lo && mid < hi)) break;
    const double f = curve(c, mid);
    if (f > 0.0)
      lo = mid, f_lo = f, f_hi *= 0.5;
    else
      hi = mid, f_hi = f, f_lo *= 0.5;
  }
  return lo;
}

/* Where the slope turns from falling to rising between lo and hi. */
static double lowest(const gap_curve *c, double lo, double hi)
{
  for (int it = 0; it < 60; it++) {
    const double mid = 0.5 * (lo + hi);
    double slope;
    gap_at(c->w, c->pair, c->start, mid, &slope);
    if (c->sign * slope < 0.0)
      lo = mid;
    else
      hi = mid;
  }
  return 0.5 * (lo + hi);
}

typedef struct crossing_def {
  double start, sign, rest; /* gap at a = 0; -1 for a closed soft pair; how far to look */
  bool touching;
  double rounding, shallow; /* slope that is zero, depth that is zero */
} crossing_def;

/* First fraction in (0, rest] where the gap falls through zero, and then below the rounding depth.  The modes turn by less
 * than half a circle in a step, so 16 samples and the dips between them see every crossing. */
static double first_crossing(const modified_work *w, int pair, const crossing_def *d)
{
  enum { SAMPLES = 16 };
  const double sign = d->sign;
  gap_curve c = {.w = w, .pair = pair, .start = d->touching ? 0.0 : d->start, .sign = sign, .divided = d->touching};
  double slope, before = 0.0, slope_before;
  const double g0 = sign * gap_at(w, pair, c.start, 0.0, &slope_before);
  const double left = d->shallow + fmin(d->sign * d->start, 0.0); /* what is left of the rounding depth */
  const double shallow = fmax(left, 0.1 * d->shallow);            /* a pair that is too deep may always come out */
  if (!d->touching && g0 <= 0.0) c.divided = true, c.start = 0.0;
  const bool still = fabs(slope_before) <= d->rounding, falls = !still && sign * slope_before < 0.0;
  for (int i = 1; i <= SAMPLES; i++) {
    const double a = d->rest * i / SAMPLES, g = sign * gap_at(w, pair, c.start, a, &slope);
    double low = a, deepest = g;
    if (g >= -shallow && sign * slope_before < 0.0 && sign * slope > 0.0) {
      low = lowest(&c, before, a);
      deepest = sign * gap_at(w, pair, c.start, low, &slope);
    }
    if (deepest < -shallow) {
      const double soon = 1e-3 * d->rest; /* a pair that does not move: does it press, or does it rise first? */
      if (c.divided && i == 1 && (falls || (still && curve(&c, soon) <= 0.0))) return 0.0;
      return curve_root(&c, c.divided && i == 1 && still ? soon : before, low);
    }
    gap_at(w, pair, c.start, a, &slope);
    before = a, slope_before = slope;
  }
  return INFINITY;
}

/* Which pairs need a close look.  At the end of a plain step the gap is the quadratic of [bars 5] exactly, so no pair can be
 * missed there; inside the step it is near it, and a pair whose quadratic keeps a quarter of its path away from zero is left
 * out. */
static bool look_around(struct vv_step *s, double rest)
{
  event_work *e = s->own;
  modified_work *w = e->modified;
  const struct vvi_pairs *list = s->model->pairs;
  const double h = fabs(s->h);
  bool any = false;
  for (int i = 0; i < list->n; i++) {
    const vvi_pair *c = &list->pair[i];
    const double sign = c->compliance > 0.0 && s->state->memory[i] != 0.0 ? -1.0 : 1.0;
    const double c1 = e->direction * vvi_pair_rate(c, s->state->q, s->state->p);
    const double c2 = 0.5 * vvi_pair_rate(c, s->state->q, e->f), path = h * (fabs(c1) + h * fabs(c2));
    w->gap[i] = vvi_pair_gap(c, s->state->q);
    w->near[i] = rest < 1.0 || e->touch[i] == TOUCHING ||
                 vvi_event_lowest(sign * w->gap[i], sign * c1, sign * c2, h) < 0.25 * path;
    any |= w->near[i];
  }
  return any;
}

/* Earliest event in the fraction `rest` of the step. */
static double next(struct vv_step *s, double rest)
{
  event_work *e = s->own;
  modified_work *w = e->modified;
  const struct vvi_pairs *list = s->model->pairs;
  double first = INFINITY;
  e->n_set = 0;
  if (!look_around(s, rest)) return INFINITY;
  add_weights(s, e->f, 0.25 * s->h * s->h, w->mu);
  add_weights(s, s->state->p, s->h, w->nu);
  for (int i = 0; i < list->n; i++) {
    const bool closed = list->pair[i].compliance > 0.0 && s->state->memory[i] != 0.0;
    const bool skip = !w->near[i] || e->touch[i] == HELD;
    const crossing_def d = {.start = w->gap[i],
                            .sign = closed ? -1.0 : 1.0,
                            .rest = rest,
                            .touching = e->touch[i] == TOUCHING,
                            .rounding = vvi_event_rounding(s, i) * fabs(s->h),
                            .shallow = vvi_event_shallow(s)};
    e->when[i] = skip ? INFINITY : first_crossing(w, i, &d);
    first = fmin(first, e->when[i]);
  }
  for (int i = 0; i < list->n; i++)
    if (e->when[i] <= first + 1e-13) e->set[e->n_set++] = i;
  return first;
}

/* ---- the jump ---- */

/* A pair alone, in the metric of Ht: speed n.M^-1 G p, inverse mass n.M^-1 G n. */
static void measure_pair(struct vv_step *s, int k)
{
  event_work *e = s->own;
  modified_work *w = e->modified;
  const vvi_pair *c = &s->model->pairs->pair[e->now[k]];
  memset(e->d, 0, sizeof(double) * (size_t)s->state->np);
  vvi_pair_pull(c, s->state->q, 1.0, e->d);
  polynomial(s, e->d, w->kinetic, w->cf, NULL, NULL);
  vvi_axpy(s->state->np, 1.0, e->d, w->cf); /* G n */
  vvi_event_set_bounce(s, k, inner(s, s->state->p, w->cf), inner(s, e->d, w->cf));
}

static void measure(struct vv_step *s)
{
  const event_work *e = s->own;
  for (int k = 0; k < e->n_now; k++) measure_pair(s, k);
}

/* One coefficient of restitution for the whole set, from the energy of the approach: e itself when all agree. */
static double common_restitution(struct vv_step *s)
{
  const event_work *e = s->own;
  double all = 0.0, kept = 0.0;
  for (int k = 0; k < e->n_now; k++) {
    const double restitution = s->model->pairs->pair[e->now[k]].restitution;
    if (e->bounce[k].impulse == 0.0) continue;
    const double energy = e->bounce[k].speed * e->bounce[k].speed / e->bounce[k].inverse;
    all += energy, kept += energy * restitution * restitution;
  }
  return all > 0.0 ? sqrt(kept / all) : 1.0;
}

/* p+ = p- + r d with Ht(p+) = Ht(p-) - loss:  r = -(1 + e) B/A, B = d.M^-1 G p, A = d.M^-1 G d.                [bars 28]
 * Massless tips: the stiffness has changed, so Ht has; the small root of A r^2/2 + B r + (Ht' - Ht) = 0. */
static double solve_bounce(struct vv_step *s, double *loss)
{
  event_work *e = s->own;
  modified_work *w = e->modified;
  const double restitution = common_restitution(s), owed = restitution == 1.0 ? -vvi_event_withdraw(s) : 0.0;
  polynomial(s, e->d, w->kinetic, w->cf, NULL, NULL);
  vvi_axpy(s->state->np, 1.0, e->d, w->cf); /* G d */
  const double b = inner(s, s->state->p, w->cf), a = inner(s, e->d, w->cf);
  if (restitution == 1.0) return vvi_event_pay(s, a, b, owed);
  const double r = -(1.0 + restitution) * b / a;
  *loss = -r * (b + 0.5 * a * r);
  return r;
}

static bool solve_soft(struct vv_step *s, double change, double *r)
{
  event_work *e = s->own;
  modified_work *w = e->modified;
  double large;
  polynomial(s, e->d, w->kinetic, w->cf, NULL, NULL);
  vvi_axpy(s->state->np, 1.0, e->d, w->cf); /* G d */
  return vvi_quadratic(0.5 * inner(s, e->d, w->cf), inner(s, s->state->p, w->cf), change, r, &large);
}

static void judge(struct vv_step *s, int64_t first, double target)
{
  const double miss = modified_energy(s) - target;
  const double residual = s->ledger->energy_scale > 0.0 ? fabs(miss) / s->ledger->energy_scale : fabs(miss);
  for (int64_t i = first; i < s->log->n; i++) {
    s->log->event[i].residual = residual;
    s->log->event[i].energy_jump += miss;
  }
  s->ledger->max_event_residual = fmax(s->ledger->max_event_residual, residual);
}

/* Gap of pair k after the fraction `until` if nothing else happens, its present gap taken as zero; leaves the polynomials of
 * that fraction in w->s. */
static double gap_ahead(struct vv_step *s, int k, double until)
{
  event_work *e = s->own;
  modified_work *w = e->modified;
  flow_coefficients(w, until);
  displacements(s, until, e->f, s->state->p);
  return vvi_pair_rate(&s->model->pairs->pair[e->now[k]], s->state->q, w->cf);
}

/* The impulse that takes this gap to zero at the fraction last looked at. */
static void close_gap(struct vv_step *s, double t, int k, double gap)
{
  event_work *e = s->own;
  modified_work *w = e->modified;
  const vvi_pair *c = &s->model->pairs->pair[e->now[k]];
  measure_pair(s, k);
  memset(e->d, 0, sizeof(double) * (size_t)s->state->np);
  vvi_pair_pull(c, s->state->q, 1.0, e->d);
  polynomial(s, e->d, w->s, w->cf, NULL, NULL);
  const double r = -gap / (s->h * vvi_pair_rate(c, s->state->q, w->cf));
  vvi_event_lifted(s, k, t, r, r * (e->bounce[k].speed + 0.5 * r * e->bounce[k].inverse));
}

/* A pair that presses and hardly bounces is thrown just high enough to come back at the end of the step; the gap there is
 * linear in the impulse,   gap(rest) + r h n.M^-1 S_rest(Z) n = 0.                                        [bars 19, 19a]
 * The flow keeps Ht, so what the throw takes is exactly what it gains, and that is lent to the pair.  sign: -1 for a closed soft pair, which is kept closed.  False: it turns back by itself. */
static bool throw_pair(struct vv_step *s, double t, double rest, int k, double sign)
{
  event_work *e = s->own;
  double gap = 0.0, until = rest;
  bool presses = false;
  for (int i = 0; i < 12 && !presses;
       i++, until *= presses ? 1.0 : 0.5) { /* it may press now and part later in the step */
    gap = gap_ahead(s, k, until);
    presses = sign * gap < 0.0;
  }
  if (!presses) return false;
  if (vvi_event_varies(s)) vvi_variation_stop(s, t);
  close_gap(s, t, k, gap);
  if (until < rest) e->touch[e->now[k]] = TOUCHING; /* it comes back before the end: look for that */
  return true;
}

/* Pairs that were thrown at one instant disturb each other's return a little: a few sweeps bring all gaps to zero. */
static void settle_thrown(struct vv_step *s, double t, double rest)
{
  const event_work *e = s->own;
  double worst = INFINITY;
  for (int sweep = 0; sweep < 8 && worst > vvi_event_shallow(s); sweep++) {
    worst = 0.0;
    for (int k = 0; k < e->n_now; k++) {
      if (e->touch[e->now[k]] != HELD) continue;
      const double gap = gap_ahead(s, k, rest);
      if (fabs(gap) > vvi_event_shallow(s)) close_gap(s, t, k, gap);
      worst = fmax(worst, fabs(gap));
    }
  }
}

/* Hard pairs that press: too slow to bounce, or bouncing too often. */
static void lift(struct vv_step *s, double t, double rest, int k)
{
  const event_work *e = s->own;
  measure_pair(s, k); /* a pair lifted before may have changed it */
  const vvi_pair *c = &s->model->pairs->pair[e->now[k]];
  const double speed = e->direction * e->bounce[k].speed, rounding = vvi_event_rounding(s, e->now[k]);
  const double a = vvi_pair_rate(c, s->state->q, e->f);
  const double slow = fabs(a * s->h) * (c->restitution < 1.0 ? 1.0 : 1e-9) + rounding;
  const bool chatters = c->restitution == 1.0 && e->events > EVENT_CHATTER;
  if (c->compliance > 0.0 || e->bounce[k].inverse <= 0.0 || speed > rounding) return;
  if (speed < -rounding && a >= 0.0) return; /* it comes back by itself: an ordinary bounce */
  if (-speed <= slow || chatters) throw_pair(s, t, rest, k, 1.0);
}

/* Grazing at massless tips: no momentum balances the change of Ht that opening or closing makes.  So the pair does neither:
 * it turns back with its speed reversed, which keeps Ht and the gap on its side; a pair that does so too often is thrown.
 *                                                                                                              [bars 31a] */
static int turn_back(struct vv_step *s, double t, double rest)
{
  event_work *e = s->own;
  s->ledger->fallbacks++;
  vvi_event_toggle(s);
  vvi_event_force(s, t, s->state->q, e->f);
  for (int k = 0; rest > 0.0 && e->events > EVENT_CHATTER && k < e->n_now; k++) {
    measure_pair(s, k);
    throw_pair(s, t, rest, k, s->state->memory[e->now[k]] != 0.0 ? -1.0 : 1.0);
  }
  measure(s);
  for (int k = 0; k < e->n_now; k++) {
    if (e->touch[e->now[k]] != APART) continue; /* thrown */
    e->bounce[k].impulse = -2.0 * e->bounce[k].speed / e->bounce[k].inverse;
    e->bounce[k].turned = true;
  }
  return vvi_event_direction(s);
}

/* What pairs have lost along their normals, in bounces and by being lifted. */
static double lost_so_far(const struct vv_step *s)
{
  const vv_posted *post = &s->ledger->posted;
  return vv_sum_value(&post->restitution_loss) + vv_sum_value(&post->step_loss);
}

static void jump(struct vv_step *s, double t, double rest)
{
  event_work *e = s->own;
  const int64_t first = s->log->n;
  const double before = modified_energy(s), debt = vvi_event_debt(s), lost = lost_so_far(s);
  double after = before, loss = 0.0, d_before[VARY_U] = {0.0, 0.0}, d_after[VARY_U] = {0.0, 0.0};
  if (vvi_event_varies(s)) vary_energy(s, d_before);
  if (vvi_event_toggle(s) > 0) {
    vvi_event_force(s, t, s->state->q, e->f);
    after = modified_energy(s);
    if (vvi_event_varies(s)) vary_energy(s, d_after);
  }
  for (int k = 0; rest > 0.0 && k < e->n_now; k++) lift(s, t, rest, k);
  measure(s);
  int n = vvi_event_direction(s);
  double r = 0.0;
  if (n < 0 && !solve_soft(s, after - before, &r)) n = turn_back(s, t, rest);
  if (n > 0) r = solve_bounce(s, &loss);
  if (n != 0) {
    for (int k = 0; vvi_event_varies(s) && k < VARY_U; k++) d_after[k] -= d_before[k];
    if (vvi_event_varies(s)) vary_jump(s, &s->model->pairs->pair[e->now[0]], n > 0, r * e->bounce[0].impulse, d_after);
    vvi_event_apply(s, t, r, loss);
  }
  for (int k = 0; k < e->n_now; k++)
    if (e->touch[e->now[k]] != HELD) e->touch[e->now[k]] = TOUCHING;
  settle_thrown(s, t, rest);
  judge(s, first, before - (lost_so_far(s) - lost) + debt - vvi_event_debt(s));
}

vv_status vvi_event_modified_substep(struct vv_step *s, double t, double h, vv_report *r)
{
  event_work *e = s->own;
  memset(e->touch, APART, (size_t)s->model->pairs->n);
  vvi_event_force(s, t, s->state->q, e->f);
  for (double rest = 1.0;;) {
    const double cut = next(s, rest);
    if (cut == INFINITY && rest == 1.0) { /* a whole step without an event is a plain slab */
      if (vvi_event_varies(s)) vvi_variation_to_grid(s);
      vvi_event_slab(s, t, h);
      return VV_OK;
    }
    if (cut == INFINITY) {
      flow(s, t + rest * h, rest);
      vary_length(s, NULL);
      return VV_OK;
    }
    if (++e->events > VVI_MAX_EVENTS) return vvi_event_too_many(s, t, r);
    e->n_now = e->n_set;
    memcpy(e->now, e->set, sizeof(int) * (size_t)e->n_set);
    const vvi_pair *c = &s->model->pairs->pair[e->now[0]];
    if (vvi_event_varies(s) && (e->n_now > 1 || c->restitution < 1.0)) vvi_variation_stop(s, t);
    t += cut * h;
    flow(s, t, cut);
    vary_length(s, c);
    memset(e->touch, APART, (size_t)s->model->pairs->n);
    rest = rest > cut ? rest - cut : 0.0;
    jump(s, t, rest);
    if (rest == 0.0) return VV_OK;
  }
}
