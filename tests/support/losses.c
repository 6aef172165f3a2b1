/* tests/support/losses.c  See losses.h. */
#include "losses.h"

#include "check.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

vv_status losses_look(const vv_view *v, void *user)
{
  losses *w = user;
  const vv_posted *b = &v->ledger->posted;
  const double plastic = vv_sum_value(&b->plastic_work), viscous = vv_sum_value(&b->viscous_loss);
  if (!v->first) w->least = fmin(w->least, fmin(plastic - w->plastic, viscous - w->viscous));
  if (!v->first) w->healed = fmin(w->healed, vv_sum_value(&b->damage_loss) - w->damage);
  w->plastic = plastic, w->viscous = viscous, w->damage = vv_sum_value(&b->damage_loss);
  return VV_OK;
}

/* A mover of the force has the velocity M^-1 F. */
static double block_swing(const vv_block *b, const vv_state *x)
{
  double *f = calloc((size_t)(b->kind->node_p * b->column) + 1, sizeof *f), sum = 0.0;
  vv_mover *m = calloc((size_t)b->nodes + 1, sizeof *m);
  assert_non_null(f), assert_non_null(m);
  b->kind->kick(b, x->t, 1.0, x->q + b->q0, f);
  b->kind->movers(b, x->q + b->q0, f, m);
  for (int64_t i = 0; i < b->nodes; i++) {
    const double *v = m[i].velocity, inverse = m[i].inverse_mass[0] + m[i].inverse_mass[1] + m[i].inverse_mass[2];
    if (inverse > 0.0) sum += b->kind->node_p * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / inverse;
  }
  free(f), free(m);
  return sum;
}

double losses_swing(const vv_view *v, double h)
{
  double sum = 0.0;
  for (int i = 0; i < v->model->n_block; i++)
    if (v->model->block[i].elements > 0) sum += block_swing(&v->model->block[i], v->state);
  return h * h / 8.0 * sum;
}

double *losses_field(const run_record *r, const char *field, int64_t *n)
{
  *n = vv_model_field_size(r->model, 0, field, NULL);
  double *out = calloc((size_t)*n + 1, sizeof *out);
  assert_non_null(out);
  assert_int_equal(vv_model_output(r->model, r->state, 0, field, out), VV_OK);
  return out;
}

double losses_mean(const run_record *r, const char *field)
{
  int64_t n;
  double *out = losses_field(r, field, &n), sum = 0.0;
  for (int64_t i = 0; i < n; i++) sum += out[i];
  free(out);
  return sum / (double)n;
}

uint64_t losses_hash(const run_record *r)
{
  return vv_state_hash(r->state) ^ vvi_hash(VVI_HASH_SEED, &run_ledger(r)->posted, sizeof(vv_posted));
}
