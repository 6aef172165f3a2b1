/* step/event/modified_flow.c  The flow over a fraction of a step, and how it varies with the length of the fraction. */
#include "step/event/modified.h"

#include "math/math.h"

#include <string.h>

/* With R_a = (S_a - a)/y every term of p(a) is an image of a force, and the fraction is a kick of length a h at a
 * configuration q' beside q, with a drift of its own:                                                          [bars 22a]
 *
 *   p(a) = p + a h f(q'),   q' = q + (h/(4 a)) M^-1 [ c_a(Z) p + h (S_a(Z) - R_a(Z)) f ]
 *
 * Supports and walls are booked as for any kick, and momentum is exact pair by pair.
 * Here: cf = M (q(a) - q) and sp = M (q' - q), from the polynomials in w->c, w->s and w->r; linear, so it serves variations
 * too. */
void vvi_modified_displacements(struct vv_step *s, double a, const double *f, const double *p)
{
  vvi_modified_work *w = ((vvi_event_work *)s->own)->modified;
  const double h = s->h;
  vvi_modified_polynomial(s, f, w->c, w->cf, w->r, w->sf);
  vvi_modified_polynomial(s, p, w->c, w->cp, w->s, w->sp);
  for (int64_t i = 0; i < s->state->np; i++) {
    w->cf[i] = 0.25 * h * h * w->cf[i] + h * w->sp[i];
    w->sp[i] = 0.25 * h / a * (w->cp[i] + h * w->sf[i]);
  }
}

void vvi_modified_flow_coefficients(vvi_modified_work *w, double a)
{
  for (int j = 0; j < w->n; j++) w->value[j] = vvi_modified_c(a, w->y[j], w->theta[j]);
  vvi_modified_coefficients(w, w->value, w->c);
  for (int j = 0; j < w->n; j++) w->value[j] = vvi_modified_s(a, w->theta[j]);
  vvi_modified_coefficients(w, w->value, w->s);
  for (int j = 0; j < w->n; j++) w->value[j] -= (w->value[j] - a) / w->y[j];
  vvi_modified_coefficients(w, w->value, w->r);
}

static void flow_variation(struct vv_step *s, double a, int k)
{
  vvi_event_work *e = s->own;
  vvi_modified_work *w = e->modified;
  struct vvi_variation *v = s->vary;
  vvi_variation_force(s, s->state->memory, s->state->q, v->dq[k], e->f1);
  vvi_modified_displacements(s, a, e->f1, v->dp[k]);
  memcpy(e->q1, v->dq[k], sizeof(double) * (size_t)s->state->nq);
  vvi_sys_vary_drift(s->model, 1.0, s->state->q, w->sp, e->q1, w->sp);
  vvi_variation_force(s, s->state->memory, s->state->q, e->q1, e->f1);
  vvi_axpy(s->state->np, a * s->h, e->f1, v->dp[k]);
  vvi_sys_vary_drift(s->model, 1.0, s->state->q, w->cf, v->dq[k], w->cf);
}

/* The fraction a of a step that ends at time t; e->f is refreshed. */
void vvi_modified_flow(struct vv_step *s, double t, double a)
{
  vvi_event_work *e = s->own;
  vvi_modified_work *w = e->modified;
  vv_state *x = s->state;
  if (a == 0.0) return;
  vvi_modified_flow_coefficients(w, a);
  for (int k = 0; vvi_event_varies(s) && k < VARY_U; k++) flow_variation(s, a, k);
  vvi_modified_displacements(s, a, e->f, x->p);
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
  vvi_event_work *e = s->own;
  vvi_modified_work *w = e->modified;
  const int64_t n = s->state->np;
  vvi_modified_polynomial(s, e->f, w->kinetic, force, NULL, NULL);
  vvi_axpy(n, 1.0, e->f, force);
  memset(w->x, 0, sizeof(double) * (size_t)n);
  vvi_sys_vary_drift(s->model, 1.0, s->state->q, force, w->x, force);
  vvi_sys_vary_kick(s->model, 0.25 * s->h * s->h, s->state->q, w->x, force);
  vvi_springs_vary(s->model, s->state->memory, 0.25 * s->h * s->h, s->state->q, w->x, force);
  vvi_modified_polynomial(s, s->state->p, w->kinetic, velocity, NULL, NULL);
  vvi_axpy(n, 1.0, s->state->p, velocity);
}

/* c: the fraction ended when this gap closed; NULL: at the whole step. */
void vvi_modified_vary_length(struct vv_step *s, const vvi_pair *c)
{
  struct vvi_variation *v = s->vary;
  vvi_modified_work *w = ((vvi_event_work *)s->own)->modified;
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
void vvi_modified_vary_energy(struct vv_step *s, double d[VARY_U])
{
  vvi_modified_work *w = ((vvi_event_work *)s->own)->modified;
  field(s, w->cp, w->sp);
  for (int k = 0; k < VARY_U; k++) {
    d[k] = vvi_modified_inner(s, s->vary->dp[k], w->cp);
    for (int64_t i = 0; i < s->state->np; i++) d[k] -= s->vary->dq[k][i] * w->sp[i];
  }
}

/* Bounce: R = -(1 + e) n.M^-1 G p/(n.M^-1 G n) is linear in p.  Massless tips: A R^2/2 + B R + C = 0 gives
 * (A R + B) dR = -(R dB + dC). */
void vvi_modified_vary_jump(struct vv_step *s, const vvi_pair *c, bool bounce, double impulse,
                            const double change[VARY_U])
{
  vvi_event_work *e = s->own;
  vvi_modified_work *w = e->modified;
  double dr[VARY_U];
  memset(e->k, 0, sizeof(double) * (size_t)s->state->np);
  vvi_pair_pull(c, s->state->q, 1.0, e->k);
  vvi_modified_polynomial(s, e->k, w->kinetic, w->cf, NULL, NULL);
  vvi_axpy(s->state->np, 1.0, e->k, w->cf); /* G n */
  const double a = vvi_modified_inner(s, e->k, w->cf), b = vvi_modified_inner(s, s->state->p, w->cf);
  for (int k = 0; k < VARY_U; k++) {
    const double db = vvi_modified_inner(s, s->vary->dp[k], w->cf);
    dr[k] = bounce ? -2.0 * db / a : -(impulse * db + change[k]) / (a * impulse + b);
  }
  vvi_variation_jump(s, c, dr);
}
