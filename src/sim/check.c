/* sim/check.c  What ends a run: numbers that are not finite, energy from nothing, steps too long, conditions of the scene. */
#include "sim/sim.h"

#include "contact/contact.h"
#include "math/math.h"
#include "step/accelerate.h"
#include "visviva/net.h"

#include <stdio.h>
#include <stdlib.h>

static void check_finite(vv_sim *sim, vv_report *r)
{
  if (isfinite(vv_totals_energy(&sim->ledger.now))) return; /* every position and momentum is in it */
  vvi_bring_down(&sim->step);
  vvi_sys_gather(sim->model, sim->state);
  const vv_body *lost = vvi_lost_body(sim->model, sim->state->q, sim->state->p);
  r->reason = VV_REASON_UNSTABLE;
  if (lost == NULL)
    snprintf(r->message, sizeof r->message, "the energy is no longer finite at step %lld, t = %.9g; check the units",
             (long long)sim->state->step, sim->state->t);
  else
    snprintf(
        r->message, sizeof r->message,
        "'%.60s' is no longer finite at step %lld, t = %.9g: it moved, turned or stretched too far in one step; use "
        "a shorter step or a finer mesh",
        lost->name, (long long)sim->state->step, sim->state->t);
}

/* The body with the most motion: where it went. */
static const vv_body *richest_body(const vv_sim *sim)
{
  const vv_model *m = sim->model;
  const vv_body *rich = &m->body[0];
  double most = -1.0;
  for (int i = 0; i < m->n_body; i++) {
    const vv_body *body = &m->body[i];
    const vv_block *b = &m->block[body->block];
    double sum = 0.0;
    for (int c = 0; c < b->kind->node_p; c++) {
      const double *p = sim->state->p + b->p0 + c * b->column + body->node0;
      for (int64_t j = 0; j < body->n_node; j++) sum += p[j] * p[j];
    }
    if (sum > most) most = sum, rich = body;
  }
  return rich;
}

/* The middle of the nodes of a body, for a message; empty where its kind has no places in space. */
static void tell_place(const vv_sim *sim, const vv_body *body, char *out, size_t size)
{
  const vv_block *b = &sim->model->block[body->block];
  double x[3] = {0};
  out[0] = '\0';
  if (b->kind->mover == NULL || body->n_node == 0) return;
  for (int64_t i = 0; i < body->n_node; i++) {
    vv_mover at;
    b->kind->mover(b, body->node0 + i, sim->state->q + b->q0, sim->state->p + b->p0, &at);
    for (int c = 0; c < 3; c++) x[c] += at.place[c] / (double)body->n_node;
  }
  snprintf(out, size, " near (%.3g, %.3g, %.3g)", x[0], x[1], x[2]);
}

/* Who has most of the motion, and where. */
static void tell_richest(const vv_sim *sim, char *out, size_t size)
{
  const vv_body *rich = richest_body(sim);
  char place[48];
  tell_place(sim, rich, place, sizeof place);
  snprintf(out, size, "'%.30s'%s", rich->name, place);
}

/* (h^2/4) g.M^-1 g of gravity, J; infinite where other loads act, which may be as large as they like. */
static double kick_of_loads(const vv_sim *sim)
{
  const vv_model *m = sim->model;
  double sum = 0.0;
  if (sim->n_act > 0 || sim->n_controller > 0) return INFINITY;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    const double g2 = vvi_dot3(b->gravity, b->gravity);
    if (b->nodes == 0) continue;
    if (b->n_load > 0 || b->kind->mover == NULL) return INFINITY;
    for (int64_t k = 0; g2 > 0.0 && k < b->nodes; k++) {
      vv_mover at;
      b->kind->mover(b, k, sim->state->q + b->q0, sim->state->p + b->p0, &at);
      const double light = fmax(fmax(at.inverse_mass[0], at.inverse_mass[1]), at.inverse_mass[2]);
      if (light > 0.0) sum += g2 / light;
    }
  }
  return 0.25 * sim->step.h * sim->step.h * sum;
}

/* The half kick of what lies still, which is no motion: it stands in the kinetic energy, so it excuses no more than is there, and it
 * is no more than loads and what bodies have stored can press with.                                       [ledger 13a, 13b] */
static double excused(const vv_sim *sim)
{
  const vv_ledger *l = &sim->ledger;
  const double still = sim->step.contact != NULL ? vvi_contact_still(sim->step.contact) : 0.0;
  if (!(still > 0.0)) return 0.0;
  const double most = 2.0 * fmax(l->now.strain, 0.0) + l->posted.joint_half + kick_of_loads(sim);
  return fmin(fmin(still, l->now.kinetic), most);
}

/* The column `strain` is less the square of half a kick, which grows where a load that presses lets go, and is no energy. [ledger 11] */
static bool half_kicks(const vv_sim *sim)
{
  return sim->half_kick != NULL && sim->step.exact;
}

/* Nothing that a step may do wrong and still mean anything makes energy ten times what the run was given.  What contacts have
 * lent does not excuse it, but for half kicks.  A load that begins moves its body before it has done work: that is over in a few
 * steps.                                                                                                [ledger 13] */
static void check_energy(vv_sim *sim, vv_report *r)
{
  enum { STEPS = 8 };
  const double most = 10.0;
  vv_ledger *l = &sim->ledger;
  const vv_totals *now = &l->now;
  const double held = now->kinetic + now->potential + (half_kicks(sim) ? l->initial.strain : now->strain);
  const double grown = held - vv_totals_energy(&l->initial) - vv_sum_value(&l->posted.external_work);
  const double limit = fmax(most * l->energy_scale, 1e6 * l->energy_floor);
  if (grown <= limit || grown - excused(sim) <= limit) l->sane = sim->state->step;
  if (llabs(sim->state->step - l->sane) < STEPS) return;
  vvi_bring_down(&sim->step);
  char who[90];
  tell_richest(sim, who, sizeof who);
  r->reason = VV_REASON_UNSTABLE;
  snprintf(
      r->message, sizeof r->message,
      "step %lld, t = %.9g: the energy is %.3g above what was given, %.3g times the scale of the scene, most of it in "
      "%s; use a shorter step",
      (long long)sim->state->step, sim->state->t, grown, grown / l->energy_scale, who);
}

typedef struct way {
  const double *from, *to;
  int64_t places;
  double most;
} way;

static void longest(void *user, int64_t first, int64_t n)
{
  way *w = user;
  for (int64_t i = first; first < w->places && i < first + n; i++) w->most = fmax(w->most, fabs(w->to[i] - w->from[i]));
}

/* How far anything has moved from there, over all ranks. */
static double moved_since(const vv_sim *sim, const double *q)
{
  const vv_net *net = vvi_ctx_net(sim->model->ctx);
  way w = {.from = q, .to = sim->state->q, .places = sim->model->nx};
  vvi_sys_places(sim->model, longest, &w);
  w.most = -w.most;
  if (net != NULL) net->least(net, 1, &w.most);
  return -w.most;
}

/* Impacts in every step, much motion in the momenta, and places that stay where they are: bodies hold each other in the air.
 * Looked at rarely, and said when it was so three times. */
static void check_frozen(vv_sim *sim, vv_report *r)
{
  vv_ledger *l = &sim->ledger;
  const vv_state *x = sim->state;
  vvi_frozen *z = &sim->frozen;
  const int64_t steps = llabs(x->step - z->step), impacts = l->impacts - z->impacts;
  if (z->q == NULL || steps < VVI_FROZEN_STEPS) return;
  const double moved = moved_since(sim, z->q);
  const double speed = l->now.p_abs > 0.0 ? 2.0 * l->now.kinetic / l->now.p_abs : 0.0;
  const bool still =
      impacts >= steps && moved < 1e-9 * speed * fabs(x->t - z->t) && l->now.kinetic > 0.1 * l->energy_scale;
  l->still = still ? l->still + 1 : 0;
  z->step = x->step, z->t = x->t, z->impacts = l->impacts;
  vvi_sys_copy(sim->model, x->q, NULL, z->q, NULL);
  if (l->still < 3) return;
  char who[90];
  tell_richest(sim, who, sizeof who);
  r->reason = VV_REASON_UNSTABLE;
  snprintf(r->message, sizeof r->message,
           "step %lld, t = %.9g: nothing has moved for %lld steps and %lld impacts; %s has most of the motion; use a "
           "shorter step",
           (long long)x->step, x->t, (long long)(3 * steps), (long long)impacts, who);
}

/* A prescribed motion that contact does not let go on: the body is thrown off by each step and led back by the next one, with work
 * that means nothing.  Farther away than the scene is wide it does not follow any more. */
static void check_motions(vv_sim *sim, vv_report *r)
{
  double by;
  const vv_body *body = vvi_act_astray(sim, &by);
  if (body == NULL || !(by > sim->model->length_scale)) return;
  r->reason = VV_REASON_UNSTABLE;
  snprintf(r->message, sizeof r->message,
           "step %lld, t = %.9g: '%.30s' was thrown %.3g m off its prescribed motion: what it runs into is heavier, or "
           "cannot "
           "yield; give it more 'mass', or leave room",
           (long long)sim->state->step, sim->state->t, body->name, by);
}

void vvi_sim_check(vv_sim *sim, vv_report *r)
{
  check_finite(sim, r);
  if (r->reason == VV_REASON_DONE) check_energy(sim, r);
  if (r->reason == VV_REASON_DONE) check_frozen(sim, r);
  if (r->reason == VV_REASON_DONE) check_motions(sim, r);
}

/* The scene lets the step shrink. */
static bool adapts(const vv_model *m)
{
  const vv_group *step = vv_sub(vv_sub(m->root, "time"), "step");
  return step != NULL && vv_boolean(step, "adapt");
}

double vvi_sim_parts(const vv_sim *sim)
{
  return fmax(sim->ledger.step_parts, 1.0);
}

/* Bodies that are crushed or thinned ring higher than at rest: steps are taken in more parts, or the run ends, before they are too
 * long.  h: of a part.  Returns what is left of the stable step, s.                                                [mat 22] */
static double look_at_shape(vv_sim *sim, const vv_block *b, double h, vv_report *r)
{
  enum { MOST_PARTS = 64 };
  const double near = 0.75; /* of the bound: there they shrink */
  const vv_model *m = sim->model;
  int64_t element;
  if (b->z_reals > 0) vvi_bring_down(&sim->step); /* others are not watched */
  const double left = b->kind->step_left(b, sim->state->q + b->q0, &element) * m->stable_step;
  while (adapts(m) && h > near * left && vvi_sim_parts(sim) < MOST_PARTS)
    sim->ledger.step_parts = 2.0 * vvi_sim_parts(sim), h *= 0.5;
  if (h <= left) return left;
  int32_t body = 0;
  while (body + 1 < b->n_body && b->body[body + 1]->element0 <= element) body++;
  r->reason = VV_REASON_STEP_TOO_LONG;
  snprintf(
      r->message, sizeof r->message,
      "'%.40s' is crushed at its element %lld: the step %.3g is longer than the %.3g that is stable there, at step "
      "%lld, t = %.9g; use 'step: {safety: %.2g}'%s",
      b->body[body]->name, (long long)(element - b->body[body]->element0), h, left, (long long)sim->state->step,
      sim->state->t, 0.5 * fabs(sim->step.h) / m->stable_step, adapts(m) ? "" : " or 'adapt: true'");
  return left;
}

/* What is left of the stable step is a height over the speed c of waves; nothing closes faster than c/16, which is 300 m/s in
 * metals, so that a look is due before it is as short as the step is.  At VVI_BATCH_STEPS at the latest.           [mat 22a] */
void vvi_sim_check_step(vv_sim *sim, vv_report *r)
{
  const double slower = 8.0;
  const vv_model *m = sim->model;
  vv_ledger *l = &sim->ledger;
  const double whole = fabs(sim->step.h);
  double left = INFINITY;
  if (adapts(m) ? sim->state->step < l->next_look : sim->state->step % VVI_BATCH_STEPS != 0) return;
  for (int i = 0; (m->stepper->claims & VV_EXPLICIT) != 0 && i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->kind->step_left != NULL) left = fmin(left, look_at_shape(sim, b, whole / vvi_sim_parts(sim), r));
  }
  if (r->reason != VV_REASON_DONE) return; /* who goes on looks at once */
  const double spare = slower * (left - whole / vvi_sim_parts(sim)) / whole;
  l->next_look = sim->state->step + (int64_t)fmin(fmax(spare, 1.0), VVI_BATCH_STEPS);
}

/* The condition that holds, -1: none; over ranks rank 0 looks. */
static int look_at_stops(vv_sim *sim)
{
  const vv_net *net = vvi_ctx_net(sim->model->ctx);
  double stop = 0.0;
  vvi_sys_serve(sim->model, sim->state);
  if (net == NULL || net->rank == 0) stop = -vvi_stops_look(sim->model, &sim->stops, sim->state, &sim->ledger);
  vvi_sys_served(sim->model);
  if (net == NULL) return -(int)stop;
  if (net->rank > 0) stop = INFINITY;
  net->least(net, 1, &stop);
  return -(int)stop;
}

/* Conditions of the scene, at their own steps. */
void vvi_sim_check_stops(vv_sim *sim, vv_report *r)
{
  vvi_stops *s = &sim->stops;
  if (s->n == 0 || sim->step.h < 0.0) return;
  vvi_stops_note(sim->model, sim->log.event + s->seen, sim->log.n - s->seen, &sim->ledger);
  s->seen = sim->log.n;
  if (!vvi_stops_due(sim->model, sim->state->step)) return;
  vvi_bring_down(&sim->step);
  const int stop = look_at_stops(sim);
  if (stop < 0) return;
  r->reason = VV_REASON_STOPPED;
  vvi_stops_tell(sim->model, stop, sim->state->t, r->message, sizeof r->message);
}
