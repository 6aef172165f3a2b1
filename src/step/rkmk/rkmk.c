/* step/rkmk/rkmk.c  Runge-Kutta-Munthe-Kaas of order 4: the method in time that section 3.6.4 of the 2015 paper allows beside its
 * own.
 *
 * Places are moved by tangent vectors, q = move(q0, u): x0 + u, and exp(u^) Lambda0 where a node turns.  u obeys an equation in a
 * flat space, to which the classical method applies:                                                            [beam 82]
 *
 *   u' = (d exp_u)^-1 w = w - u x w/2 + u x (u x w)/12 + O(u^4),   p' = f(q)
 *
 * w the velocities of momenta p at q.  Four forces a step; of fourth order; neither symplectic nor reversible: energy and
 * angular momentum drift by h^4 or h^5 t, momentum alone is exact. */
#include "math/math.h"
#include "step/step.h"

#include <string.h>

enum { STAGES = 4 };

typedef struct rkmk_work {
  double *q0, *p0, *u, *k[STAGES], *f[STAGES];
} rkmk_work;

static vv_status prepare(struct vv_step *s)
{
  rkmk_work *w = VVI_ARENA_NEW(s->arena, rkmk_work, 1);
  if (w == NULL) return VV_NOMEM;
  w->q0 = VVI_ARENA_NEW(s->arena, double, s->state->nq);
  w->p0 = VVI_ARENA_NEW(s->arena, double, s->state->np);
  w->u = VVI_ARENA_NEW(s->arena, double, s->state->np);
  if (w->q0 == NULL || w->p0 == NULL || w->u == NULL) return VV_NOMEM;
  for (int i = 0; i < STAGES; i++) {
    w->k[i] = VVI_ARENA_NEW(s->arena, double, s->state->np);
    w->f[i] = VVI_ARENA_NEW(s->arena, double, s->state->np);
    if (w->k[i] == NULL || w->f[i] == NULL) return VV_NOMEM;
  }
  s->own = w;
  s->energy = "nodal";
  s->exact = false;
  return VV_OK;
}

/* q = move(q0, u) */
static void move(struct vv_step *s)
{
  const rkmk_work *w = s->own;
  for (int i = 0; i < s->model->n_block; i++) {
    const vv_block *b = &s->model->block[i];
    if (b->kind->lie != NULL) {
      b->kind->lie->move(b, w->q0 + b->q0, w->u + b->p0, s->state->q + b->q0);
      continue;
    }
    for (int64_t c = 0; c < b->kind->node_q * b->column; c++)
      s->state->q[b->q0 + c] = w->q0[b->q0 + c] + w->u[b->p0 + c];
  }
}

static void rate(struct vv_step *s, double *k)
{
  const rkmk_work *w = s->own;
  memset(k, 0, sizeof *k * (size_t)s->state->np);
  for (int i = 0; i < s->model->n_block; i++) {
    const vv_block *b = &s->model->block[i];
    if (b->kind->lie != NULL)
      b->kind->lie->rate(b, w->u + b->p0, s->state->q + b->q0, s->state->p + b->p0, k + b->p0);
    else if (b->nodes > 0)
      b->kind->drift(b, 1.0, k + b->p0, s->state->p + b->p0);
  }
}

/* u = h sum a k, p = p0 + h sum a f, and q. */
static void stand(struct vv_step *s, const double a[STAGES], double h)
{
  const rkmk_work *w = s->own;
  for (int64_t i = 0; i < s->state->np; i++) {
    double u = 0.0, p = 0.0;
    for (int j = 0; j < STAGES; j++)
      if (a[j] != 0.0) u += a[j] * w->k[j][i], p += a[j] * w->f[j][i];
    w->u[i] = h * u, s->state->p[i] = w->p0[i] + h * p;
  }
  move(s);
}

static vv_status step(struct vv_step *s, int64_t n, vv_report *r)
{
  static const double a[STAGES][STAGES] = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}},
                      b[STAGES] = {1 / 6., 1 / 3., 1 / 3., 1 / 6.};
  static const double c[STAGES] = {0, 0.5, 0.5, 1};
  rkmk_work *w = s->own;
  const bool booked = vvi_sys_booked(s->model);
  for (int64_t k = 0; k < n && r->reason == VV_REASON_DONE; k++) {
    memcpy(w->q0, s->state->q, sizeof(double) * (size_t)s->state->nq);
    memcpy(w->p0, s->state->p, sizeof(double) * (size_t)s->state->np);
    for (int i = 0; i < STAGES; i++) {
      stand(s, a[i], s->h);
      rate(s, w->k[i]);
      memset(w->f[i], 0, sizeof(double) * (size_t)s->state->np);
      vvi_sys_kick(s->model, s->state->t + c[i] * s->h, 1.0, s->state->q, w->f[i]);
      /* the last momenta are sums of the stages, and so is what came from outside */
      if (booked)
        vvi_sys_post(s->model, s->state->t + c[i] * s->h, b[i] * s->h, s->state->q, s->state->p, &s->ledger->posted);
    }
    stand(s, b, s->h);
    vvi_step_done(s);
  }
  return VV_OK;
}

static void audit(struct vv_step *s, vv_totals *sum) /* the plain energy */
{
  (void)s, (void)sum;
}

const vv_stepper_kind vv_rkmk_stepper = {
    .name = "rkmk",
    .doc = "Runge-Kutta-Munthe-Kaas of order 4, for flight; for comparison",
    .claims = VV_EXPLICIT,
    .prepare = prepare,
    .audit = audit,
    .step = step,
};
