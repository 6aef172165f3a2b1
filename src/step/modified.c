/* step/modified.c  The energy that kick-drift-kick keeps to fourth order in the step.
 *
 *   H2 = H + h^2 [ {T,{T,V}}/12 - dV.M^-1 dV/24 + e ],                                                       [ledger 9]
 *
 * {T,{T,V}} is the second derivative of V along the free drift, taken as a difference over +-h; dV.M^-1 dV is twice the
 * kinetic energy that the force would have as a momentum; h^2 e is what the drift itself keeps besides T (rotations). */
#include "step/step.h"

#include <math.h>
#include <string.h>

const vv_body_kind *vvi_h2_unknown(const vv_model *m, const double *q, const double *p)
{
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->kind->drift_excess == NULL ? (b->claims & VV_FLAT) == 0
                                      : !isfinite(b->kind->drift_excess(b, q + b->q0, p + b->p0)))
      return b->kind;
  }
  return NULL;
}

vv_status vvi_h2_prepare(struct vv_step *s)
{
  const int momenta = s->model->pairs->n_hard > 0 ? 3 : 2; /* those without the kicks of what is held, too */
  s->h2 = VVI_ARENA_NEW(s->arena, double, s->state->nq + momenta * s->state->np);
  return s->h2 != NULL ? VV_OK : VV_NOMEM;
}

static double potential_after(struct vv_step *s, double h, const double *momenta)
{
  const vv_state *x = s->state;
  double *q = s->h2, *p = q + x->nq;
  vv_totals sum;
  vvi_sys_copy(s->model, x->q, momenta, q, p);
  if (h != 0.0) vvi_sys_drift(s->model, h, q, p);
  vvi_sys_audit(s->model, q, p, &sum);
  return sum.strain + sum.potential;
}

static double drift_excess(const vv_model *m, const vv_state *x)
{
  double sum = 0.0;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->kind->drift_excess != NULL) sum += b->kind->drift_excess(b, x->q + b->q0, x->p + b->p0);
  }
  return sum;
}

/* Pairs of tips that are held: their half kicks are no motion, and the forces that press them move nothing.  p: [np] momenta
 * without the half kicks; *kinetic: what that takes off; returns what such forces do not take off.             [shadow 8a] */
static double without_held(struct vv_step *s, const double *f, double *p, double *kinetic)
{
  const struct vvi_pairs *list = s->model->pairs;
  const double *q = s->state->q;
  double sum = 0.0;
  memcpy(p, s->state->p, sizeof *p * (size_t)s->state->np);
  for (int i = 0; i < list->n; i++) {
    const vvi_pair *c = &list->pair[i];
    if (c->compliance > 0.0 || *vvi_pair_hold(s, c) != VVI_PAIR_HELD) continue;
    const double inverse = vvi_pair_inverse_mass(c, q), pressed = 0.5 * s->h * vvi_pair_rate(c, q, f),
                 r = pressed / inverse;
    *kinetic += r * (vvi_pair_rate(c, q, p) - 0.5 * inverse * r);
    sum += vvi_held_energy(pressed, inverse);
    vvi_pair_pull(c, q, -r, p);
  }
  return sum;
}

double vvi_h2(struct vv_step *s, double energy, double *off)
{
  const vv_state *x = s->state;
  const bool pairs = s->model->pairs->n_hard > 0;
  double *f = s->h2 + x->nq + x->np, h = s->h, kicks = 0.0;
  vv_totals force;
  vvi_momenta_zero(s->model, f);
  vvi_sys_kick(s->model, x->t, 1.0, x->q, f);
  vvi_sys_audit(s->model, x->q, f, &force);
  const double held = pairs ? without_held(s, f, f + x->np, &kicks) : 0.0, *p = pairs ? f + x->np : x->p,
               bend = potential_after(s, h, p) - 2.0 * potential_after(s, 0.0, p) + potential_after(s, -h, p);
  if (s->model->served != NULL) /* a rank has little memory, and three potentials take longer than new pages */
    vvi_forget(s->h2, sizeof *s->h2 * (size_t)(x->nq + 2 * x->np));
  *off = held + bend / 12.0 - h * h * force.kinetic / 12.0 + h * h * drift_excess(s->model, x);
  return energy - kicks + vvi_pairs_lent(s) + *off;
}
