/* sim/sim.c  The loop: step, close the ledger, tell the observers. */
#include "sim/sim.h"

#include "math/math.h"
#include "step/crowd.h"
#include "step/sheets.h"
#include "step/solids.h"
#include "step/variation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COOKIE = 0x73696d30 };

const char *vv_reason_text(vv_reason reason)
{
#define TEXT(name, text) text,
  static const char *const text[] = {VV_REASON_LIST(TEXT)};
#undef TEXT
  return reason < VV_REASON_COUNT ? text[reason] : "unknown reason";
}

vv_sim_def vv_sim_default(void)
{
  return (vv_sim_def){.step = 0.0, .check_structure = false, .cookie = COOKIE};
}

static vv_status build(vv_sim *sim, const vv_sim_def *def)
{
  const vv_model *m = sim->model;
  sim->log.event = VVI_ARENA_NEW(&sim->arena, vv_event, VVI_LOG_EVENTS);
  if (sim->log.event == NULL) return VV_NOMEM;
  sim->step = (struct vv_step){.model = m,
                               .state = sim->state,
                               .ledger = &sim->ledger,
                               .arena = &sim->arena,
                               .log = &sim->log,
                               .h = def->step != 0.0 ? def->step : m->step,
                               .jump = vvi_jump_chosen(m),
                               .composition = vvi_composition_find(m->order)};
  if ((m->stepper->claims & VV_EXPLICIT) != 0 && !(fabs(sim->step.h) <= m->stable_step))
    return vvi_fail(m->ctx, VV_ARG, "step %g is longer than the stable step %g", sim->step.h, m->stable_step);
  if (vvi_sys_dissipates(m) && (sim->step.h < 0.0 || def->check_structure))
    return vvi_fail(m->ctx, VV_UNSUPPORTED, "bodies that flow, damp or break have no way back in time%s",
                    def->check_structure ? ", and no symplectic structure to check" : "");
  if (m->crowd != NULL) VV_TRY(vvi_crowd_prepare(&sim->step));
  if (m->solids != NULL && !vvi_model_implicit(m)) VV_TRY(vvi_solids_prepare(&sim->step));
  if (m->sheets != NULL) VV_TRY(vvi_sheets_prepare(&sim->step));
  vvi_pace_start(&sim->pace, m->ctx);
  VV_TRY(m->stepper->prepare(&sim->step));
  if ((m->stepper->forget != NULL && (m->solids != NULL || m->sheets != NULL)) || vvi_sys_flows(m))
    VV_TRY(vv_state_clone(sim->state, &sim->left));
  if (vv_boolean(vv_sub(m->root, "record"), "modified")) VV_TRY(vvi_h2_prepare(&sim->step));
  return def->check_structure ? vvi_variation_create(&sim->step, &sim->arena) : VV_OK;
}

vv_status vv_sim_create(const vv_model *model, vv_state *state, const vv_sim_def *def, vv_sim **out)
{
  *out = NULL;
  if (def == NULL || def->cookie != COOKIE) return vvi_fail(model->ctx, VV_ARG, "use vv_sim_default()");
  if (state->nq != model->nq || state->np != model->np || state->nh != model->nh)
    return vvi_fail(model->ctx, VV_ARG, "the state belongs to another model");
  vv_sim *sim = calloc(1, sizeof *sim);
  if (sim == NULL) return VV_NOMEM;
  sim->model = model;
  sim->state = state;
  const vv_status status = build(sim, def);
  if (status != VV_OK) {
    vv_sim_destroy(sim);
    return status;
  }
  *out = sim;
  return VV_OK;
}

void vv_sim_destroy(vv_sim *sim)
{
  if (sim == NULL) return;
  vv_state_destroy(sim->left);
  vvi_arena_free(&sim->arena);
  free(sim);
}

vv_status vv_sim_observe(vv_sim *sim, int64_t every, vv_observe_fn *fn, void *user)
{
  if (every < 0 || fn == NULL || sim->n_observer == VVI_MAX_OBSERVERS)
    return vvi_fail(sim->model->ctx, VV_ARG, "at most %d observers, every >= 0", VVI_MAX_OBSERVERS);
  sim->observer[sim->n_observer++] = (vvi_observer){.every = every, .fn = fn, .user = user};
  return VV_OK;
}

vv_status vv_sim_observe_when(vv_sim *sim, vv_next_fn *next, vv_observe_fn *fn, void *user)
{
  if (next == NULL) return vvi_fail(sim->model->ctx, VV_ARG, "vv_sim_observe_when: no rhythm");
  VV_TRY(vv_sim_observe(sim, 1, fn, user));
  sim->observer[sim->n_observer - 1].next = next;
  return VV_OK;
}

void vv_sim_interrupt(vv_sim *sim)
{
  sim->interrupted = 1;
}

const vv_ledger *vv_sim_ledger(const vv_sim *sim)
{
  return &sim->ledger;
}

const char *vv_sim_energy_kind(const vv_sim *sim)
{
  return sim->step.energy;
}

bool vv_sim_structure(const vv_sim *sim, vv_structure *out)
{
  const struct vvi_variation *v = sim->step.vary;
  if (v == NULL) return false;
  *out = (vv_structure){.symplectic = v->symplectic,
                        .multisymplectic = v->multisymplectic,
                        .noether = v->noether,
                        .sub_domains = v->by_slabs,
                        .ended = v->over,
                        .ended_at = v->over_time};
  return true;
}

vv_status vv_sim_restore(vv_sim *sim, const vv_ledger *ledger)
{
  sim->ledger = *ledger;
  sim->started = true;
  vvi_claims_make(sim);
  vvi_claims_judge(sim);
  return VV_OK;
}

/* ---- audit and observers ---- */

static void audit(vv_sim *sim, vv_totals *balanced, double *nodal)
{
  vvi_audit_nodal(&sim->step, balanced);
  *nodal = vv_totals_energy(balanced);
  sim->model->stepper->audit(&sim->step, balanced);
}

static void open_ledger(vv_sim *sim)
{
  vv_totals balanced;
  double nodal;
  sim->ledger.anchor_events = -1;
  audit(sim, &balanced, &nodal);
  vvi_ledger_open(&sim->ledger, &balanced, nodal, vvi_sys_energy_floor(sim->model, sim->state->q));
  sim->ledger.modified_now = sim->step.h2 != NULL ? vvi_h2(&sim->step, nodal) : NAN;
  vvi_note_gaps(&sim->step);
  vvi_claims_make(sim);
}

static void close_ledger(vv_sim *sim)
{
  vv_totals balanced;
  double nodal;
  audit(sim, &balanced, &nodal);
  vvi_ledger_close(&sim->ledger, &balanced, nodal, sim->state->step * sim->step.composition->stages);
  if (sim->step.h2 != NULL) sim->ledger.modified_now = vvi_h2(&sim->step, nodal);
  vvi_claims_judge(sim);
}

/* Forgets the events that every observer has been told.  An observer that comes so rarely that the log would fill up loses
 * the oldest ones. */
static void trim_log(vv_sim *sim)
{
  int64_t told = sim->log.n;
  for (int i = 0; i < sim->n_observer; i++)
    if (sim->observer[i].seen < told) told = sim->observer[i].seen;
  const int64_t room = VVI_LOG_EVENTS - VVI_BATCH_STEPS * VVI_MAX_EVENTS / 2;
  if (sim->log.n - told > room) told = sim->log.n - room;
  memmove(sim->log.event, sim->log.event + told, sizeof(vv_event) * (size_t)(sim->log.n - told));
  sim->log.n -= told;
  for (int i = 0; i < sim->n_observer; i++)
    sim->observer[i].seen = sim->observer[i].seen > told ? sim->observer[i].seen - told : 0;
}

/* Is an observer due now?  Multiples of a rhythm count from step 0, so that a resumed run keeps it; backwards, observers
 * with a rhythm of their own are told every step. */
static bool is_due(const vv_sim *sim, const vvi_observer *o)
{
  if (o->next != NULL) return sim->step.h < 0.0 || sim->state->step >= o->at;
  return o->every > 0 && sim->state->step % o->every == 0;
}

static vv_status tell(vv_sim *sim, bool first, bool last, bool all)
{
  for (int i = 0; i < sim->n_observer; i++) {
    vvi_observer *o = &sim->observer[i];
    if (!first && !last && !all && !is_due(sim, o)) continue;
    const vv_view view = {.model = sim->model,
                          .state = sim->state,
                          .ledger = &sim->ledger,
                          .event = sim->log.event + o->seen,
                          .n_event = sim->log.n - o->seen,
                          .first = first,
                          .last = last};
    VV_TRY(o->fn(&view, o->user));
    o->seen = sim->log.n;
    if (o->next != NULL) o->at = o->next(sim->state->step, o->user);
  }
  trim_log(sim);
  return VV_OK;
}

/* Some kind tells what is left of the stable step. */
static bool watched(const vv_model *m)
{
  for (int i = 0; i < m->n_block; i++)
    if (m->block[i].kind->step_left != NULL && m->block[i].z_reals > 0) return true;
  return false;
}

/* Steps until the next observer is due: nothing is looked at before. */
static int64_t until_next(const vv_sim *sim, int64_t n)
{
  for (int i = 0; i < sim->n_observer; i++) {
    const vvi_observer *o = &sim->observer[i];
    if (o->next == NULL && o->every <= 0) continue;
    const int64_t wait = o->next == NULL            ? o->every - sim->state->step % o->every
                         : sim->step.h < 0.0        ? 1
                         : o->at > sim->state->step ? o->at - sim->state->step
                                                    : 1;
    if (wait < n) n = wait;
  }
  const vv_model *m = sim->model;
  if (m->pairs->n == 0 && m->crowd == NULL && m->solids == NULL && m->sheets == NULL && !watched(m)) return n;
  const int64_t whole = VVI_BATCH_STEPS - llabs(sim->state->step) % VVI_BATCH_STEPS;
  return n < whole ? n : whole;
}

static bool due(const vv_sim *sim)
{
  for (int i = 0; i < sim->n_observer; i++)
    if (is_due(sim, &sim->observer[i])) return true;
  return false;
}

/* Events wait, and the log is a quarter full.  Asked at whole batches only: the clock, which cuts stretches, must not decide
 * when the books are closed. */
static bool waiting(const vv_sim *sim)
{
  return sim->n_observer > 0 && sim->state->step % VVI_BATCH_STEPS == 0 && sim->log.n > VVI_LOG_EVENTS / 4;
}

/* Name of the first body with a value that is not finite. */
static const char *lost_body(const vv_sim *sim)
{
  for (int i = 0; i < sim->model->n_body; i++) {
    const vv_body *body = &sim->model->body[i];
    const vv_block *b = &sim->model->block[body->block];
    double sum = 0.0;
    for (int c = 0; c < b->kind->node_q; c++)
      for (int64_t j = 0; j < body->n_node; j++) sum += 0.0 * sim->state->q[b->q0 + c * b->column + body->node0 + j];
    for (int c = 0; c < b->kind->node_p; c++)
      for (int64_t j = 0; j < body->n_node; j++) sum += 0.0 * sim->state->p[b->p0 + c * b->column + body->node0 + j];
    if (sum != 0.0) return body->name;
  }
  return "energy";
}

static void check_broken(vv_sim *sim, vv_report *r)
{
  const double energy = vv_totals_energy(&sim->ledger.now);
  if (isfinite(energy)) return; /* every position and momentum is in it */
  r->reason = VV_REASON_UNSTABLE;
  snprintf(
      r->message, sizeof r->message,
      "'%.60s' is no longer finite at step %lld, t = %.9g: it moved, turned or stretched too far in one step; use a "
      "shorter step or a finer mesh",
      lost_body(sim), (long long)sim->state->step, sim->state->t);
}

/* Bodies that are crushed or thinned ring higher than at rest: the run ends before the step is too long for them. */
static void check_step(const vv_sim *sim, vv_report *r)
{
  const vv_model *m = sim->model;
  for (int i = 0; (m->stepper->claims & VV_EXPLICIT) != 0 && i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    int64_t element;
    if (b->kind->step_left == NULL) continue;
    const double left = b->kind->step_left(b, sim->state->q + b->q0, &element);
    if (fabs(sim->step.h) <= left * m->stable_step) continue;
    int32_t body = 0;
    while (body + 1 < b->n_body && b->body[body + 1]->element0 <= element) body++;
    r->reason = VV_REASON_STEP_TOO_LONG;
    snprintf(
        r->message, sizeof r->message,
        "'%.60s' is crushed at its element %lld: the step %.3g is longer than the %.3g that is stable there at step "
        "%lld, t = %.9g; use 'step: {safety: %.2g}' or a coarser mesh",
        b->body[body]->name, (long long)(element - b->body[body]->element0), fabs(sim->step.h), left * m->stable_step,
        (long long)sim->state->step, sim->state->t, 0.5 * fabs(sim->step.h) / m->stable_step);
  }
}

/* One stretch until somebody looks: step, close the ledger, tell.  Returns the steps taken. */
static vv_status stretch(vv_sim *sim, int64_t n, int64_t *done, vv_report *r)
{
  const int64_t batch = vvi_pace_steps(&sim->pace, until_next(sim, n - *done));
  const double clock = vvi_clock();
  VV_TRY(sim->model->stepper->step(&sim->step, batch, r));
  vvi_pace_done(&sim->pace, batch, vvi_clock() - clock);
  *done += batch;
  if (r->reason == VV_REASON_DONE && sim->state->step % VVI_BATCH_STEPS == 0) check_step(sim, r);
  if (r->reason == VV_REASON_DONE && sim->interrupted && *done < n) r->reason = VV_REASON_INTERRUPTED;
  const bool last = *done == n || r->reason != VV_REASON_DONE;
  const bool all = waiting(sim);
  if (!due(sim) && !last && !all) {
    trim_log(sim);
    return VV_OK;
  }
  close_ledger(sim);
  if (r->reason == VV_REASON_DONE) check_broken(sim, r);
  return tell(sim, false, last || r->reason != VV_REASON_DONE, all);
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

/* Who holds the state may change it between calls: lists and forces of the old one are then void. */
static void notice_change(vv_sim *sim)
{
  const vv_state *x = sim->state, *y = sim->left;
  const size_t size = sizeof(double) * (size_t)(x->nq + x->np + x->nh);
  if (y == NULL || (x->t == y->t && memcmp(x->q, y->q, size) == 0)) return;
  if (sim->model->stepper->forget != NULL) sim->model->stepper->forget(&sim->step);
  vvi_sys_flow(sim->model, 0.0, sim->state->q, sim->state->p, NULL);
}

vv_status vv_sim_steps(vv_sim *sim, int64_t n, vv_report *report)
{
  *report = (vv_report){.reason = VV_REASON_DONE};
  const double clock = vvi_clock();
  vv_status status = VV_OK;
  if (!sim->started) open_ledger(sim);
  sim->started = true;
  notice_change(sim);
  status = tell(sim, true, n <= 0, true);
  if (status == VV_OK && n > 0) status = advance(sim, n, report);
  if (sim->left != NULL && vv_state_copy(sim->left, sim->state) != VV_OK) status = VV_ARG;
  if (status != VV_OK && report->reason == VV_REASON_DONE) report->reason = VV_REASON_OBSERVER;
  report->wall_seconds = vvi_clock() - clock;
  return status;
}

vv_status vv_sim_run(vv_sim *sim, vv_report *report)
{
  return vv_sim_steps(sim, sim->model->steps - sim->state->step, report);
}
