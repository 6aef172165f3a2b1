/* sim/transfer.c  A run goes on with other grids: state and book of one model become those of another.        [grids 16-19] */
#include "contact/pairs.h"
#include "math/math.h"
#include "model/bind.h"
#include "sim/sim.h"

#include <string.h>

static int32_t in_block(const vv_block *b, const vv_body *body)
{
  for (int32_t j = 0; j < b->n_body; j++)
    if (b->body[j] == body) return j;
  return -1;
}

static vv_status body_to(const vv_model *from, const vv_state *x, const vv_model *to, const vv_body *body, vv_state *y)
{
  const int at = vvi_model_body_find(from, body->name);
  const vv_block *b = &to->block[body->block];
  if (at < 0) return vvi_fail(to->ctx, VV_ARG, "%s: '%s' is not in the run that it comes from", to->source, body->name);
  const vv_body *old = &from->body[at];
  const vv_block *a = &from->block[old->block];
  if (body->n_node == 0 && old->n_node == 0) return VV_OK;
  if (strcmp(a->kind->name, b->kind->name) != 0)
    return vvi_fail(to->ctx, VV_ARG, "%s: '%s' was a %s", to->source, body->name, a->kind->name);
  const char *why = b->kind->transfer == NULL ? "is neither a bar nor a beam"
                                              : b->kind->transfer(a, in_block(a, old), x->q + a->q0, x->p + a->p0, b,
                                                                  in_block(b, body), y->q + b->q0, y->p + b->p0);
  if (why == NULL) return VV_OK;
  return vvi_fail(to->ctx, VV_UNSUPPORTED, "%s: '%s' cannot get another grid: it %s", to->source, body->name, why);
}

/* The same bodies under the same gravity, in the same units: what differs beside the grid would be booked as its error. */
static vv_status check_same(const vv_model *from, const vv_model *to)
{
  static const char *const part[] = {"units", "gravity"}, *const grid[] = {"elements", "grading", "spacing", NULL};
  for (int i = 0; i < VV_COUNT(part); i++)
    if (vvi_part_hash(from->root, part[i]) != vvi_part_hash(to->root, part[i]))
      return vvi_fail(to->ctx, VV_ARG, "%s: has another '%s' than the run that it comes from; only grids may differ",
                      to->source, part[i]);
  for (int i = 0; i < to->n_body; i++) {
    const int at = vvi_model_body_find(from, to->body[i].name);
    const bool alike = at >= 0 && from->body[at].kind == to->body[i].kind; /* other kinds are told by body_to */
    const char *other = !alike ? NULL : vvi_group_other(from->body[at].group, to->body[i].group, grid);
    if (other != NULL)
      return vvi_fail(to->ctx, VV_ARG,
                      "%s: '%s' of '%s' is another one than in the run that it comes from; only 'elements', 'grading' "
                      "and 'spacing' may differ",
                      to->source, other, to->body[i].name);
  }
  return VV_OK;
}

vv_status vv_sim_transfer(const vv_model *from, const vv_state *state, const vv_model *to, vv_state *out)
{
  if (from->n_body != to->n_body)
    return vvi_fail(to->ctx, VV_ARG, "%s: has %d bodies, and the run that it comes from %d", to->source, to->n_body,
                    from->n_body);
  if (from->joints != NULL || to->joints != NULL)
    return vvi_fail(to->ctx, VV_UNSUPPORTED, "%s: other grids are not for bodies with joints", to->source);
  if (vvi_model_implicit(from) || vvi_model_implicit(to))
    return vvi_fail(to->ctx, VV_UNSUPPORTED, "%s: other grids are for the explicit steps", to->source);
  VV_TRY(check_same(from, to));
  for (int i = 0; i < to->n_body; i++) VV_TRY(body_to(from, state, to, &to->body[i], out));
  for (int i = 0; i < to->pairs->n; i++) /* massless tips that are pressed together */
    if (to->pairs->pair[i].compliance > 0.0) out->memory[i] = vvi_pair_gap(&to->pairs->pair[i], out->q) < 0.0;
  out->step = (int64_t)floor(state->t / to->step + 0.5);
  out->t = (double)out->step * to->step;
  if (out->step > to->steps)
    return vvi_fail(to->ctx, VV_ARG,
                    "%s: ends at t = %.9g, before the run that it comes from at %.9g; give a later end", to->source,
                    (double)to->steps * to->step, state->t);
  if (fabs(out->t - state->t) <= 1e-9 * to->step) return VV_OK;
  return vvi_fail(to->ctx, VV_ARG, "%s: the step %.17g does not divide the time %.17g of the run that it comes from",
                  to->source, to->step, state->t);
}

/* What the new grid has less of the energy is lost to the step, what it has more came from outside; what supports hold may have
 * changed momenta.                                                                                           [grids 19] */
vv_status vv_sim_adopt(vv_sim *sim, const vv_ledger *ledger, double *lost)
{
  vv_totals now;
  double nodal;
  sim->shadow = false; /* the energy of fourth order was that of the old grid */
  VV_TRY(vv_sim_restore(sim, ledger));
  vv_ledger *l = &sim->ledger;
  l->anchor_events = -1; /* the energy of the jump rule is audited in full */
  vvi_sim_audit(sim, &now, &nodal);
  *lost = vv_totals_energy(&l->now) - vv_totals_energy(&now);
  if (*lost >= 0.0)
    vvi_sum_add(&l->posted.step_loss, *lost);
  else
    vvi_sum_add(&l->posted.external_work, -*lost);
  for (int c = 0; vvi_sys_booked(sim->model) && c < 3; c++) {
    vvi_sum_add(&l->posted.impulse[c], now.p[c] - l->now.p[c]);
    vvi_sum_add(&l->posted.moment[c], now.L[c] - l->now.L[c]);
  }
  l->rounding = fmax(l->rounding, vvi_sys_energy_floor(sim->model, sim->state->q));
  l->shadow_initial = NAN;
  vvi_sim_close(sim, &now, nodal);
  return VV_OK;
}
