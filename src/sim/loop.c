/* sim/loop.c  The loop: step, close the ledger, tell the observers. */
#include "sim/sim.h"

#include "math/math.h"
#include "step/accelerate.h"
#include "visviva/net.h"

#include <stdlib.h>
#include <string.h>

static const double patience = 0.05; /* s between two polls */

/* A request is answered once: the next call goes on. */
static bool asked_to_stop(vv_sim *sim, bool more)
{
  const bool asks = more && sim->poll != NULL;
  const double now = asks ? vvi_clock() : 0.0;
  if (asks && now - sim->polled > patience) {
    sim->polled = now;
    if (sim->poll(sim->poll_user)) sim->interrupted = 1;
  }
  const bool stop = sim->interrupted != 0;
  sim->interrupted = 0;
  return stop;
}

/* Steps are counted and told as they were, and taken in parts: step number times length stays the time, to the bit. */
static vv_status take_steps(vv_sim *sim, int64_t n, vv_report *r)
{
  const double whole = sim->step.h;
  const int64_t parts = (int64_t)vvi_sim_parts(sim);
  sim->step.h = whole / (double)parts, sim->state->step *= parts;
  const vv_status status = sim->model->stepper->step(&sim->step, n * parts, r);
  sim->step.h = whole, sim->state->step /= parts;
  return status;
}

/* Ranks look at the same step: the fewest steps that any of them would take; a flag that any of them has; trouble of one is
 * that of all. */
static int64_t agree_on_steps(const vv_sim *sim, int64_t n)
{
  const vv_net *net = vvi_ctx_net(sim->model->ctx);
  double x = (double)n;
  if (net == NULL) return n;
  net->least(net, 1, &x);
  return (int64_t)x;
}

static void agree_on_flags(const vv_sim *sim, bool *a, bool *b)
{
  const vv_net *net = vvi_ctx_net(sim->model->ctx);
  double x[2] = {-(double)*a, -(double)*b};
  if (net == NULL) return;
  net->least(net, 2, x);
  *a = x[0] < 0.0, *b = x[1] < 0.0;
}

static vv_status agree_on_status(const vv_sim *sim, vv_status status)
{
  bool failed = status != VV_OK, none = false;
  agree_on_flags(sim, &failed, &none);
  return status != VV_OK || !failed ? status
                                    : vvi_fail(sim->model->ctx, VV_IO, "another rank could not write its files");
}

/* The ranks ask to be cut anew: all of them say the same.  The run then ends here without a last look: who takes it up goes on with
 * the same tables. */
static bool is_uneven(const vv_sim *sim)
{
  const vv_net *net = vvi_ctx_net(sim->model->ctx);
  const bool shared = vv_model_tiles(sim->model) > 1; /* else there is nothing that could move */
  return net != NULL && shared && net->uneven != NULL && net->uneven(net, sim->state->step);
}

/* What devices of ranks have comes down first, on all of them. */
static void gather(vv_sim *sim)
{
  if (vvi_ctx_net(sim->model->ctx) != NULL) vvi_bring_down(&sim->step);
  vvi_sys_gather(sim->model, sim->state);
}

/* One stretch until somebody looks: step, close the ledger, tell.  Returns the steps taken. */
static vv_status stretch(vv_sim *sim, int64_t n, int64_t *done, vv_report *r)
{
  if (sim->n_act > 0 || sim->n_controller > 0) vvi_host_writes(&sim->step);
  VV_TRY(vvi_act_before(sim));
  const int64_t batch = agree_on_steps(sim, vvi_pace_steps(&sim->pace, vvi_sim_until_next(sim, n - *done)));
  sim->fresh = false;
  vvi_sys_release(sim->model, sim->state); /* which rank 0 had been given to look at */
  const double clock = vvi_clock();
  const vv_status status = take_steps(sim, batch, r);
  vvi_sim_make_room(sim);
  VV_TRY(status);
  const double spent = vvi_clock() - clock;
  vvi_pace_done(&sim->pace, batch, spent);
  r->step_seconds += spent;
  *done += batch;
  if (sim->n_act > 0) vvi_host_writes(&sim->step);
  vvi_act_after(sim);
  if (r->reason == VV_REASON_DONE) vvi_sim_check_step(sim, r);
  const bool all = vvi_sim_waiting(sim);
  bool asked = r->reason == VV_REASON_DONE && asked_to_stop(sim, *done < n), looked = all || vvi_sim_due(sim);
  agree_on_flags(sim, &asked, &looked);
  /* where observers are told in any case: tables do not show it */
  const bool moves = looked && !asked && *done < n && r->reason == VV_REASON_DONE && is_uneven(sim);
  if ((asked && *done < n) || moves) r->reason = VV_REASON_INTERRUPTED;
  const bool shown = looked || *done == n || r->reason != VV_REASON_DONE;
  if (shown || (sim->stops.n > 0 && vvi_stops_due(sim->model, sim->state->step))) gather(sim);
  if (r->reason == VV_REASON_DONE) vvi_sim_check_stops(sim, r);
  const bool last = *done == n || (r->reason != VV_REASON_DONE && !moves);
  if (!looked && !last) {
    vvi_sim_trim_log(sim);
    vvi_sim_trim_episodes(sim);
    return VV_OK;
  }
  vvi_sim_close_now(sim);
  if (last) {
    vvi_bring_down(&sim->step);
    vvi_claims_judge(sim, true);
  }
  if (vvi_device_lost(&sim->step, r)) { /* the books of the state that is left */
    sim->fresh = false;
    vvi_sim_close_now(sim);
  }
  if (r->reason == VV_REASON_DONE || r->reason == VV_REASON_STOPPED) vvi_sim_check(sim, r);
  return agree_on_status(sim, vvi_sim_tell(sim, false, last || (r->reason != VV_REASON_DONE && !moves), all,
                                           r->reason == VV_REASON_UNSTABLE));
}

static vv_status advance(vv_sim *sim, int64_t n, vv_report *r)
{
  const int64_t start = sim->state->step, events = sim->ledger.impacts, shared = sim->pace.done_all;
  vv_status status = VV_OK;
  for (int64_t done = 0; status == VV_OK && done < n && r->reason == VV_REASON_DONE;) {
    const int team = vvi_team_restrict(!vvi_pace_all(&sim->pace));
    status = stretch(sim, n, &done, r);
    vvi_team_restore(team);
  }
  r->steps = llabs(sim->state->step - start);
  r->shared_steps = sim->pace.done_all - shared;
  r->events = sim->ledger.impacts - events;
  return status;
}

typedef struct comparison {
  const double *a, *b;
  bool same;
} comparison;

static void compare(void *user, int64_t first, int64_t n)
{
  comparison *w = user;
  w->same = w->same && memcmp(w->a + first, w->b + first, sizeof(double) * (size_t)n) == 0;
}

/* Of the nodes that this rank moves. */
static void keep_left(vv_sim *sim)
{
  vv_state *y = sim->left;
  const vv_state *x = sim->state;
  if (y == NULL) return;
  y->t = x->t, y->step = x->step;
  if (sim->model->served == NULL) {
    vvi_reals_copy(y->q, x->q, (size_t)(x->nq + x->np + x->nh)); /* one behind the other */
    return;
  }
  vvi_sys_copy(sim->model, x->q, x->p, y->q, y->p);
  vvi_reals_copy(y->memory, x->memory, (size_t)x->nh);
}

/* Who holds the state may change it between calls: lists and forces of the old one are then void. */
static void notice_change(vv_sim *sim)
{
  const vv_state *x = sim->state, *y = sim->left;
  if (y == NULL) return;
  comparison c = {.a = x->q, .b = y->q, .same = x->t == y->t};
  vvi_sys_places(sim->model, compare, &c);
  c.a = x->p, c.b = y->p;
  vvi_sys_momenta(sim->model, compare, &c);
  c.a = x->memory, c.b = y->memory;
  compare(&c, 0, x->nh);
  bool changed = !c.same, none = false;
  agree_on_flags(sim, &changed, &none);
  if (!changed) return;
  if (sim->model->stepper->forget != NULL) sim->model->stepper->forget(&sim->step);
  vvi_sys_flow(sim->model, 0.0, sim->state->q, sim->state->p, NULL);
}

vv_status vv_sim_steps(vv_sim *sim, int64_t n, vv_report *report)
{
  *report = (vv_report){.reason = VV_REASON_DONE};
  const double clock = vvi_clock();
  vv_status status = VV_OK;
  if (!sim->started) vvi_sim_open(sim);
  if (!sim->started || sim->ledger.sane > sim->state->step) sim->ledger.sane = sim->state->step;
  sim->started = true;
  vvi_act_settle(sim);
  notice_change(sim);
  vvi_host_writes(&sim->step);
  sim->polled = clock;
  vvi_sys_gather(sim->model, sim->state);
  if (sim->restored && n > 0) vvi_sim_check_stops(sim, report); /* a run that had stopped makes no step more */
  if (report->reason == VV_REASON_DONE && sim->state->step != 0 && n > 0) vvi_sim_check_step(sim, report);
  sim->restored = false;
  if (report->reason != VV_REASON_DONE) n = 0;
  status = agree_on_status(sim, vvi_sim_tell(sim, true, n <= 0, true, false));
  if (status == VV_OK && n > 0) status = advance(sim, n, report);
  vvi_bring_down(&sim->step);
  keep_left(sim);
  if (sim->started && !sim->fresh) vvi_sim_close_now(sim); /* an observer or a controller failed on the way */
  if (status != VV_OK && report->reason == VV_REASON_DONE) report->reason = VV_REASON_OBSERVER;
  report->wall_seconds = vvi_clock() - clock;
  return status;
}

vv_status vv_sim_run(vv_sim *sim, vv_report *report)
{
  return vv_sim_steps(sim, sim->model->steps - sim->state->step, report);
}

/* Steps are counted from time 0 and t = step |h|; a time that rounding puts just behind a step belongs to it. */
vv_status vv_sim_until(vv_sim *sim, double t, vv_report *report)
{
  const double h = fabs(sim->step.h), at = t / h, slack = 1e-9;
  if (!(fabs(at) < 9e15)) return vvi_fail(sim->model->ctx, VV_ARG, "vv_sim_until: %g is no time to reach", t);
  const int64_t now = sim->state->step;
  const int64_t n = sim->step.h > 0.0 ? (int64_t)ceil(at - slack) - now : now - (int64_t)floor(at + slack);
  return vv_sim_steps(sim, n > 0 ? n : 0, report);
}
