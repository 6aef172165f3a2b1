/* sim/sim.c  The loop: step, close the ledger, tell the observers. */
#include "sim/sim.h"

#include "contact/joints.h"
#include "math/math.h"
#include "step/accelerate.h"
#include "step/contact.h"
#include "step/variation.h"
#include "visviva/net.h"

#include <stdio.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <string.h>

enum { COOKIE = 0x73696d30 };
static const double patience = 0.05; /* s between two polls */

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

/* Bodies that keep their energy in flight, and loads on them. */
static bool flies_under_loads(const vv_model *m)
{
  bool loads = false;
  for (int i = 0; i < m->n_block; i++) {
    if (m->block[i].nodes > 0 && (m->block[i].claims & VV_KEEPS_ENERGY) == 0) return false;
    loads = loads || m->block[i].n_load > 0;
  }
  return loads;
}

/* Then a step of order 2 keeps the energy less that of the kick, exactly, and it is that which is balanced; at higher orders
 * it bounds the error.                                                                                    [ledger 11] */
static vv_status balance_kicks(vv_sim *sim)
{
  const vv_model *m = sim->model;
  if (m->stepper != &vv_leapfrog_stepper || !flies_under_loads(m)) return VV_OK;
  sim->half_kick = VVI_ARENA_NEW(&sim->arena, double, m->np);
  if (sim->half_kick == NULL) return VV_NOMEM;
  if (sim->step.composition->stages > 1 || m->joints != NULL) return VV_OK;
  sim->step.exact = true;
  sim->step.energy = "modified";
  return VV_OK;
}

/* Whole steps of bodies that are not linear, of their own forces, gravity and contact alone: there the energy of fourth order is
 * what is judged.  Springs of massless tips are not in it.                                                  [ledger 16] */
static bool judges_shadow(const vv_sim *sim)
{
  const vv_model *m = sim->model;
  return m->stepper == &vv_leapfrog_stepper && m->joints == NULL && m->order == 2 && isfinite(m->stable_step) &&
         !sim->step.exact && (vvi_sys_claims(m) & VV_LINEAR) == 0 && vvi_sys_steady(m) && !vvi_sys_dissipates(m) &&
         m->pairs->n_soft == 0 && vv_integer(vv_sub(m->root, "method"), "halvings") == 0 &&
         vvi_h2_unknown(m, sim->state->q, sim->state->p) == NULL;
}

/* s: what an element of a body needs to answer a blow. */
static double answer_time(const vv_block *b, int32_t body, double stable)
{
  const double t = b->kind->answer_time != NULL ? b->kind->answer_time(b, body) : stable;
  return isfinite(t) ? t : 0.0;
}

/* Sixteen times that: until then a body that was hit and comes back chatters.                              [ledger 15] */
static vv_status keep_histories(vv_sim *sim)
{
  enum { NEIGHBOURS = 8, MOST_BODIES = 2048 }; /* that a body touches; with room for them from the start */
  const vv_model *m = sim->model;
  const vv_group *record = vv_sub(m->root, "record");
  const double most = 16.0, given = vv_has(record, "pause") ? vv_number(record, "pause") : 0.0;
  vvi_episodes *e = sim->ledger.episodes = vvi_episodes_create(m->n_body, sim->step.h);
  if (e == NULL) return VV_NOMEM;
  const int64_t bodies = m->n_body + (m->solids != NULL ? m->solids->n : 0);
  vvi_episodes_reserve(e, NEIGHBOURS * (bodies < MOST_BODIES ? bodies : MOST_BODIES));
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    const bool asks = b->nodes > 0 && b->kind->answer_time == NULL && b->kind->stable_step != NULL;
    const double stable = asks ? b->kind->stable_step(b) : 0.0;
    for (int j = 0; b->nodes > 0 && j < b->n_body; j++) {
      const int32_t body = b->body[j]->index;
      e->pause[body] = fmax(e->pause[body], most * answer_time(b, body, stable));
    }
  }
  for (int i = 0; given > 0.0 && i < m->n_body; i++) e->pause[i] = given;
  return VV_OK;
}

static bool has_elements(const vv_model *m)
{
  for (int i = 0; i < m->n_block; i++)
    if (m->block[i].nodes > 0 && m->block[i].elements > 0) return true;
  return false;
}

/* Between two frames there are at most 4 keys of contacts that last and 32 of those that begin.  Rigid bodies need none: events
 * have their poses. */
static vv_status keep_keys(vv_sim *sim)
{
  enum { ROOM = 64, BYTES = 1 << 24, FRAMES = 200 };
  const vv_model *m = sim->model;
  const vv_group *record = vv_sub(m->root, "record");
  vvi_keys *k = &sim->keys;
  if (!has_elements(m)) return VV_OK;
  const double frame =
      vv_has(record, "every") ? vv_number(record, "every") / sim->step.h : (double)m->steps / (double)FRAMES;
  const int64_t fit = BYTES / ((int64_t)sizeof(double) * (m->nq + 1));
  k->room = fit < 2 ? 2 : fit < ROOM ? fit : ROOM;
  k->small = fmax(1.0, frame / 32.0), k->large = fmax(1.0, frame / 4.0), k->cell = -1;
  k->key = calloc((size_t)k->room, sizeof *k->key);
  k->q = calloc((size_t)(k->room * m->nq), sizeof *k->q); /* not the arena, which would touch it */
  if (k->key == NULL || k->q == NULL) return VV_NOMEM;
  sim->step.keys = k;
  return VV_OK;
}

static vv_status build(vv_sim *sim, const vv_sim_def *def)
{
  const vv_model *m = sim->model;
  sim->log.event = calloc(VVI_LOG_EVENTS, sizeof(vv_event)); /* not the arena, which would touch its 6 MB */
  if (sim->log.event == NULL) return VV_NOMEM;
  sim->log.room = VVI_LOG_EVENTS;
  sim->step = (struct vv_step){.model = m,
                               .state = sim->state,
                               .ledger = &sim->ledger,
                               .arena = &sim->arena,
                               .log = &sim->log,
                               .h = def->step != 0.0 ? def->step : m->step,
                               .jump = vvi_jump_chosen(m),
                               .on_off_printed = vv_is(vv_sub(m->root, "method"), "on_off", "printed"),
                               .composition = vvi_composition_find(m->order)};
  if ((m->stepper->claims & VV_EXPLICIT) != 0 && !(fabs(sim->step.h) <= m->stable_step))
    return vvi_fail(m->ctx, VV_ARG, "step %g is longer than the stable step %g", sim->step.h, m->stable_step);
  if (vvi_ctx_net(m->ctx) != NULL && vvi_ctx_net(m->ctx)->ranks > 1 && def->check_structure)
    return vvi_fail(m->ctx, VV_UNSUPPORTED, "the structure is not checked over ranks; use one process");
  if (vvi_sys_dissipates(m) && (sim->step.h < 0.0 || def->check_structure))
    return vvi_fail(m->ctx, VV_UNSUPPORTED, "bodies that flow, damp or break have no way back in time%s",
                    def->check_structure ? ", and no symplectic structure to check" : "");
  if (m->joints != NULL && !vvi_model_implicit(m))
    VV_TRY(vvi_joint_create(m, &sim->arena, sim->state->memory + m->nh - vvi_joints_memory(m), &sim->step.joints));
  if (m->joints != NULL && def->check_structure)
    return vvi_fail(m->ctx, VV_UNSUPPORTED, "the structure is not checked where there are joints; leave it out");
  if (m->solids != NULL && !vvi_model_implicit(m)) VV_TRY(vvi_contact_prepare(&sim->step));
  vvi_pace_start(&sim->pace, m->ctx);
  VV_TRY(m->stepper->prepare(&sim->step));
  VV_TRY(vvi_accelerate(&sim->step, def->check_structure));
  VV_TRY(balance_kicks(sim));
  const bool meets = m->pairs->n > 0 || m->solids != NULL || m->sheets != NULL;
  if (meets) VV_TRY(keep_histories(sim));
  if (sim->ledger.episodes != NULL) VV_TRY(keep_keys(sim));
  if (meets) sim->frozen.q = VVI_ARENA_NEW(&sim->arena, double, m->nq);
  if (meets && sim->frozen.q == NULL) return VV_NOMEM;
  const bool keeps =
      m->solids != NULL || m->sheets != NULL || m->joints != NULL || m->stepper == &vv_variational_stepper;
  if ((m->stepper->forget != NULL && keeps) || vvi_sys_flows(m)) VV_TRY(vv_state_clone(sim->state, &sim->left));
  sim->shadow = judges_shadow(sim);
  if (sim->shadow || vv_boolean(vv_sub(m->root, "record"), "modified")) VV_TRY(vvi_h2_prepare(&sim->step));
  return def->check_structure ? vvi_variation_create(&sim->step, &sim->arena) : VV_OK;
}

vv_status vv_sim_create(const vv_model *model, vv_state *state, const vv_sim_def *def, vv_sim **out)
{
  *out = NULL;
  if (def == NULL || def->cookie != COOKIE) return vvi_fail(model->ctx, VV_ARG, "use vv_sim_default()");
  if (state->nq != model->nq || state->np != model->np || state->nh != model->nh)
    return vvi_fail(model->ctx, VV_ARG, "the state belongs to another model");
  if (model->settled != NULL && *model->settled)
    return vvi_fail(model->ctx, VV_ARG,
                    "a model that ranks share makes one run, and this one has made it: each rank has given back what "
                    "the tiles of others need; compile the scene again for another run");
  vv_sim *sim = calloc(1, sizeof *sim);
  if (sim == NULL) return VV_NOMEM;
  sim->model = model;
  sim->state = state;
  const vv_net *net = vvi_ctx_net(model->ctx);
  sim->arena.sparse = net != NULL && net->ranks > 1;
  vv_status status = build(sim, def);
  if (status == VV_OK) vvi_sys_settle(model, state);
#ifdef __GLIBC__
  if (sim->arena.sparse) (void)malloc_trim(0); /* what the set-up has freed, and the C library kept */
#endif
  if (status == VV_OK) status = vvi_stops_open(model, &sim->stops);
  if (status == VV_OK) status = vvi_act_scene(sim);
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
  vvi_accelerator_close(sim->step.accelerator, sim->model);
  vvi_contact_destroy(sim->step.contact);
  vvi_episodes_destroy(sim->ledger.episodes);
  free(sim->log.event);
  free(sim->keys.key), free(sim->keys.q);
  vvi_stops_free(&sim->stops);
  free(sim->act);
  free(sim->mover);
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

void vv_sim_dismiss(vv_sim *sim, const void *user)
{
  int n = 0, k = 0;
  for (int i = 0; i < sim->n_observer; i++)
    if (sim->observer[i].user != user) sim->observer[n++] = sim->observer[i];
  for (int i = 0; i < sim->n_controller; i++)
    if (sim->controller[i].user != user) sim->controller[k++] = sim->controller[i];
  sim->n_observer = n;
  sim->n_controller = k;
}

void vv_sim_interrupt(vv_sim *sim)
{
  sim->interrupted = 1;
}

void vv_sim_poll(vv_sim *sim, vv_poll_fn *fn, void *user)
{
  sim->poll = fn;
  sim->poll_user = user;
}

const vv_model *vv_sim_model(const vv_sim *sim)
{
  return sim->model;
}

const vv_state *vv_sim_state(const vv_sim *sim)
{
  return sim->state;
}

/* What the caller did since is booked first: the simulation is never a constant object. */
const vv_ledger *vv_sim_ledger(const vv_sim *sim)
{
  vvi_act_settle((vv_sim *)sim);
  return &sim->ledger;
}

bool vv_sim_lengths(const vv_sim *sim, double *shortest, double *longest, int64_t *taken)
{
  return vvi_variational_lengths(sim->model, sim->state, shortest, longest, taken);
}

const char *vv_sim_device(const vv_sim *sim)
{
  return sim->step.accelerator != NULL ? vvi_device_about(sim->step.accelerator->device)->name : NULL;
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
                        .noether = v->clamped ? NAN : v->noether,
                        .configurational = v->grid != NULL ? vvi_grid_residual(v->grid) : NAN,
                        .local_energy = v->grid != NULL ? vvi_grid_energy(v->grid) : NAN,
                        .sub_domains = v->by_slabs,
                        .ended = v->over,
                        .ended_at = v->over_time};
  return true;
}

vv_status vv_sim_restore(vv_sim *sim, const vv_ledger *ledger)
{
  vvi_episodes *kept = sim->ledger.episodes;
  sim->ledger = *ledger;
  sim->ledger.episodes = kept;
  if (kept != NULL) VV_TRY(vvi_ledger_adopt(&sim->ledger, ledger->episodes));
  if (kept != NULL) sim->keys.begun = kept->begun;
  /* the energy that all slabs have is in the state: it is not changed from outside */
  if (sim->model->stepper == &vv_variational_stepper) VV_TRY(vv_state_copy(sim->left, sim->state));
  sim->started = sim->fresh = sim->restored = true;
  sim->touched = false;
  sim->frozen.step = sim->state->step, sim->frozen.t = sim->state->t, sim->frozen.impacts = ledger->impacts;
  if (sim->frozen.q != NULL) vvi_sys_copy(sim->model, sim->state->q, NULL, sim->frozen.q, NULL);
  vvi_claims_make(sim);
  vvi_claims_judge(sim, true);
  return VV_OK;
}

/* ---- room ---- */

/* Steps allocate nothing: between them half of what histories and the log have is kept free.  Only where more happens in one
 * stretch than in all before does a step ask for memory, once. */
static void make_room(vv_sim *sim)
{
  vvi_log *log = &sim->log;
  vvi_episodes_settle(sim->ledger.episodes);
  vvi_episodes_reserve(sim->ledger.episodes, 0);
  if (2 * log->n <= log->room) return;
  vv_event *bigger = realloc(log->event, 2 * (size_t)log->room * sizeof *bigger);
  if (bigger != NULL) log->event = bigger, log->room *= 2;
}

/* ---- audit and observers ---- */

/* (h^2/8) f.M^-1 f: the kinetic energy of half a kick alone.                                               [ledger 11] */
static double kick_energy(const vv_sim *sim)
{
  const vv_state *x = sim->state;
  vv_totals sum;
  vvi_momenta_zero(sim->model, sim->half_kick);
  vvi_sys_kick(sim->model, x->t, 0.5 * sim->step.h, x->q, sim->half_kick);
  vvi_sys_audit(sim->model, x->q, sim->half_kick, &sum);
  return sum.kinetic;
}

void vvi_sim_audit(vv_sim *sim, vv_totals *balanced, double *nodal)
{
  vvi_audit_nodal(&sim->step, balanced);
  *nodal = vv_totals_energy(balanced);
  sim->model->stepper->audit(&sim->step, balanced);
  if (sim->half_kick == NULL) return;
  vvi_bring_down(&sim->step);
  const double kick = kick_energy(sim);
  sim->ledger.kick_energy = fmax(sim->ledger.kick_energy, kick);
  if (sim->step.exact) balanced->strain -= kick;
}

static void open_ledger(vv_sim *sim)
{
  vv_totals balanced;
  double nodal;
  sim->ledger.anchor_events = -1;
  vvi_sim_audit(sim, &balanced, &nodal);
  vvi_episodes *kept = sim->ledger.episodes;
  vvi_ledger_open(&sim->ledger, &balanced, nodal, vvi_sys_energy_floor(sim->model, sim->state->q), sim->model->reach);
  sim->ledger.episodes = kept;
  vvi_episodes_clear(kept);
  const double h2 = sim->step.h2 != NULL ? vvi_h2(&sim->step, nodal) : NAN;
  sim->ledger.modified_now = vv_boolean(vv_sub(sim->model->root, "record"), "modified") ? h2 : NAN;
  if (sim->shadow) vvi_ledger_open_shadow(&sim->ledger, h2);
  if (sim->half_kick != NULL) sim->ledger.kick_energy = kick_energy(sim);
  vvi_note_gaps(&sim->step);
  vvi_claims_make(sim);
  sim->fresh = true;
}

/* What costs more than a row does is looked at by the number of the step alone: where something has touched in every row, or, of
 * what gets rarer after `most` looks, at every 2nd, 4th, ... step of long runs; where nothing can touch, or nothing has since the
 * start, there is no impact to judge, and one step in FREE is enough, or one in AWAY of a state that must come down from a device
 * for it.  The 1st, 2nd, 4th, 8th, ... always are. */
static bool looks_closely(const vv_sim *sim, int64_t most)
{
  enum { FREE = 64, AWAY = 4096 };
  const int64_t step = llabs(sim->state->step);
  const bool away = sim->step.accelerator != NULL && sim->step.accelerator->resident;
  const bool touched = sim->ledger.impacts > 0 || sim->ledger.held > 0;
  int64_t every = away ? AWAY : touched ? 1 : FREE;
  while (every < step / most) every *= 2;
  return step % every == 0 || (step & (step - 1)) == 0;
}

/* Elements that are crushed flat, inside out or folded: told, since energies may close all the same. */
static void note_distortion(vv_sim *sim)
{
  vv_ledger *l = &sim->ledger;
  if (!looks_closely(sim, INT64_MAX)) return;
  vvi_bring_down(&sim->step);
  for (int i = 0; i < sim->model->n_block; i++) {
    const vv_block *b = &sim->model->block[i];
    if (b->kind->distortion != NULL)
      l->max_distortion = fmax(l->max_distortion, b->kind->distortion(b, sim->state->q + b->q0));
  }
  if (l->max_distortion >= 1.0 && l->distortion_when < 0.0) l->distortion_when = sim->state->t;
}

/* It costs four forces. */
static void note_h2(vv_sim *sim, double nodal)
{
  enum { ALL = 4096 };
  const bool shown = vv_boolean(vv_sub(sim->model->root, "record"), "modified");
  if (sim->step.h2 == NULL || !(shown || (sim->shadow && looks_closely(sim, ALL)))) return;
  vvi_bring_down(&sim->step);
  const double h2 = vvi_h2(&sim->step, nodal);
  if (shown) sim->ledger.modified_now = h2;
  if (sim->shadow) vvi_ledger_note_shadow(&sim->ledger, h2);
}

void vvi_sim_close(vv_sim *sim, const vv_totals *balanced, double nodal)
{
  vvi_ledger_close(&sim->ledger, balanced, nodal, sim->state->step * sim->step.composition->stages);
  note_h2(sim, nodal);
  note_distortion(sim);
  vvi_claims_judge(sim, false);
  sim->fresh = true;
}

static void close_ledger(vv_sim *sim)
{
  vv_totals balanced;
  double nodal;
  vvi_act_settle(sim);
  if (sim->fresh) return;
  vvi_sim_audit(sim, &balanced, &nodal);
  vvi_sim_close(sim, &balanced, nodal);
}

/* Forgets the events that every observer has been told; all of them are when the log is a quarter full. */
static void trim_log(vv_sim *sim)
{
  int64_t told = sim->log.n;
  for (int i = 0; i < sim->n_observer; i++)
    if (sim->observer[i].seen < told) told = sim->observer[i].seen;
  if (sim->stops.n > 0 && sim->step.h > 0.0 && sim->stops.seen < told) told = sim->stops.seen;
  memmove(sim->log.event, sim->log.event + told, sizeof(vv_event) * (size_t)(sim->log.n - told));
  sim->log.n -= told;
  for (int i = 0; i < sim->n_observer; i++) sim->observer[i].seen -= told;
  if (sim->stops.n > 0 && sim->step.h > 0.0) sim->stops.seen -= told;
}

static void trim_episodes(vv_sim *sim)
{
  vvi_episodes *e = sim->ledger.episodes;
  int64_t told = e != NULL ? e->n_done : 0;
  for (int i = 0; i < sim->n_observer; i++)
    if (sim->observer[i].told < told) told = sim->observer[i].told;
  vvi_episodes_drop(e, told);
  for (int i = 0; i < sim->n_observer; i++) sim->observer[i].told -= told;
}

static void trim_keys(vv_sim *sim)
{
  vvi_keys *k = &sim->keys;
  for (int i = 0; i < sim->n_observer; i++) { /* who is told at the start and at the end only gets the last of them */
    const vvi_observer *o = &sim->observer[i];
    if ((o->next != NULL || o->every > 0) && o->keyed < k->n) return;
  }
  k->n = 0;
  for (int i = 0; i < sim->n_observer; i++) sim->observer[i].keyed = 0;
}

/* Is an observer due now?  Multiples of a rhythm count from step 0, so that a resumed run keeps it; backwards, observers
 * with a rhythm of their own are told every step. */
static bool is_due(const vv_sim *sim, const vvi_observer *o)
{
  if (o->next != NULL) return sim->step.h < 0.0 || sim->state->step >= o->at;
  return o->every > 0 && sim->state->step % o->every == 0;
}

/* It never looks at the state: what is on a device may stay there. */
static bool reads_books_only(const vvi_observer *o)
{
  return o->fn == vv_rows_observe || o->fn == vv_events_observe;
}

static vv_status tell(vv_sim *sim, bool first, bool last, bool all, bool hopeless)
{
  for (int i = 0; i < sim->n_observer; i++) {
    vvi_observer *o = &sim->observer[i];
    if (!first && !last && !all && !is_due(sim, o)) continue;
    if (!reads_books_only(o)) vvi_bring_down(&sim->step);
    const vvi_episodes *e = sim->ledger.episodes;
    const vv_view view = {.model = sim->model,
                          .state = sim->state,
                          .ledger = &sim->ledger,
                          .event = sim->log.event != NULL ? sim->log.event + o->seen : NULL,
                          .n_event = sim->log.n - o->seen,
                          .first = first,
                          .last = last,
                          .hopeless = hopeless,
                          .episode = e != NULL && e->n_done > o->told ? e->done + o->told : NULL,
                          .n_episode = e != NULL ? e->n_done - o->told : 0,
                          .sample = e != NULL ? e->sample : NULL,
                          .key = sim->keys.key != NULL ? sim->keys.key + o->keyed : NULL,
                          .n_key = sim->keys.n - o->keyed};
    VV_TRY(o->fn(&view, o->user));
    o->seen = sim->log.n;
    o->told = e != NULL ? e->n_done : 0;
    o->keyed = sim->keys.n;
    if (o->next != NULL) o->at = o->next(sim->state->step, o->user);
  }
  trim_log(sim);
  trim_episodes(sim);
  trim_keys(sim);
  return VV_OK;
}

/* Over ranks the state is whole on rank 0 while observers look, and what they ask for comes there. */
static vv_status tell_all(vv_sim *sim, bool first, bool last, bool all, bool hopeless)
{
  const vv_net *net = vvi_ctx_net(sim->model->ctx);
  const bool serves = net != NULL && net->rank > 0;
  if (!serves) vvi_sys_serve(sim->model, sim->state);
  const vv_status status = tell(sim, first, last, all, hopeless);
  if (serves) vvi_sys_serve(sim->model, sim->state);
  vvi_sys_served(sim->model);
  return status;
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
  n = vvi_act_until(sim, n);
  if (sim->stops.n > 0 && sim->step.h > 0.0) {
    const int64_t wait = vvi_stops_wait(sim->model, sim->state->step);
    if (wait < n) n = wait;
  }
  const vv_model *m = sim->model;
  if (m->pairs->n == 0 && m->solids == NULL && m->sheets == NULL && !watched(m)) return n;
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

/* Nothing that a step may do wrong and still mean anything makes energy ten times what the run was given.  What contacts have
 * lent does not excuse it, but for the half kick of what lies still: that is no motion.  A load that begins moves its body before it has done work: that is over in a few steps. [ledger 13] */
static void check_energy(vv_sim *sim, vv_report *r)
{
  enum { STEPS = 8 };
  const double most = 10.0;
  vv_ledger *l = &sim->ledger;
  const vv_totals *now = &l->now;
  const double held = now->kinetic + now->strain + now->potential;
  const double grown = held - vv_totals_energy(&l->initial) - vv_sum_value(&l->posted.external_work);
  const double still = sim->step.contact != NULL ? vvi_contact_still(sim->step.contact) : 0.0;
  if (!(grown - still > most * l->energy_scale && grown > 1e6 * l->energy_floor)) l->sane = sim->state->step;
  if (llabs(sim->state->step - l->sane) < STEPS) return;
  vvi_bring_down(&sim->step);
  const vv_body *rich = richest_body(sim);
  char place[48];
  tell_place(sim, rich, place, sizeof place);
  r->reason = VV_REASON_UNSTABLE;
  snprintf(
      r->message, sizeof r->message,
      "step %lld, t = %.9g: the energy is %.3g above what was given, %.3g times the scale of the scene, most of it in "
      "'%.30s'%s; use a shorter step",
      (long long)sim->state->step, sim->state->t, grown, grown / l->energy_scale, rich->name, place);
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
  const vv_body *rich = richest_body(sim);
  char place[48];
  tell_place(sim, rich, place, sizeof place);
  r->reason = VV_REASON_UNSTABLE;
  snprintf(
      r->message, sizeof r->message,
      "step %lld, t = %.9g: nothing has moved for %lld steps and %lld impacts; '%.30s'%s has most of the motion; use a "
      "shorter step",
      (long long)x->step, x->t, (long long)(3 * steps), (long long)impacts, rich->name, place);
}

static void check_broken(vv_sim *sim, vv_report *r)
{
  check_finite(sim, r);
  if (r->reason == VV_REASON_DONE) check_energy(sim, r);
  if (r->reason == VV_REASON_DONE) check_frozen(sim, r);
}

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

/* The scene lets the step shrink. */
static bool adapts(const vv_model *m)
{
  const vv_group *step = vv_sub(vv_sub(m->root, "time"), "step");
  return step != NULL && vv_boolean(step, "adapt");
}

static double parts_of(const vv_sim *sim)
{
  return fmax(sim->ledger.step_parts, 1.0);
}

/* Steps are counted and told as they were, and taken in parts: step number times length stays the time, to the bit. */
static vv_status take_steps(vv_sim *sim, int64_t n, vv_report *r)
{
  const double whole = sim->step.h;
  const int64_t parts = (int64_t)parts_of(sim);
  sim->step.h = whole / (double)parts, sim->state->step *= parts;
  const vv_status status = sim->model->stepper->step(&sim->step, n * parts, r);
  sim->step.h = whole, sim->state->step /= parts;
  return status;
}

/* Bodies that are crushed or thinned ring higher than at rest: steps are taken in more parts, or the run ends, before they are too
 * long.  Every VVI_BATCH_STEPS, and where a run goes on there, too: one that ended by it takes no step more. */
static void check_step(vv_sim *sim, vv_report *r)
{
  if (sim->state->step % VVI_BATCH_STEPS != 0) return;
  enum { MOST_PARTS = 64 };
  const double near = 0.75; /* of the bound: there they shrink */
  const vv_model *m = sim->model;
  for (int i = 0; (m->stepper->claims & VV_EXPLICIT) != 0 && i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    int64_t element;
    if (b->kind->step_left == NULL) continue;
    if (b->z_reals > 0) vvi_bring_down(&sim->step); /* others are not watched */
    const double left = b->kind->step_left(b, sim->state->q + b->q0, &element);
    double h = fabs(sim->step.h) / parts_of(sim);
    while (adapts(m) && h > near * left * m->stable_step && parts_of(sim) < MOST_PARTS)
      sim->ledger.step_parts = 2.0 * parts_of(sim), h *= 0.5;
    if (h <= left * m->stable_step) continue;
    int32_t body = 0;
    while (body + 1 < b->n_body && b->body[body + 1]->element0 <= element) body++;
    r->reason = VV_REASON_STEP_TOO_LONG;
    snprintf(
        r->message, sizeof r->message,
        "'%.40s' is crushed at its element %lld: the step %.3g is longer than the %.3g that is stable there, at step "
        "%lld, t = %.9g; use 'step: {safety: %.2g}' or 'adapt: true'",
        b->body[body]->name, (long long)(element - b->body[body]->element0), h, left * m->stable_step,
        (long long)sim->state->step, sim->state->t, 0.5 * fabs(sim->step.h) / m->stable_step);
  }
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
static void check_stops(vv_sim *sim, vv_report *r)
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

/* The ranks ask to be cut anew: all of them say the same. */
static bool is_uneven(const vv_sim *sim)
{
  const vv_net *net = vvi_ctx_net(sim->model->ctx);
  return net != NULL && net->uneven != NULL && net->uneven(net, sim->state->step);
}

/* One stretch until somebody looks: step, close the ledger, tell.  Returns the steps taken. */
static vv_status stretch(vv_sim *sim, int64_t n, int64_t *done, vv_report *r)
{
  if (sim->n_act > 0 || sim->n_controller > 0) vvi_host_writes(&sim->step);
  VV_TRY(vvi_act_before(sim));
  const int64_t batch = agree_on_steps(sim, vvi_pace_steps(&sim->pace, until_next(sim, n - *done)));
  const double clock = vvi_clock();
  sim->fresh = false;
  vvi_sys_release(sim->model, sim->state); /* which rank 0 had been given to look at */
  const vv_status status = take_steps(sim, batch, r);
  make_room(sim);
  VV_TRY(status);
  const double spent = vvi_clock() - clock;
  vvi_pace_done(&sim->pace, batch, spent);
  r->step_seconds += spent;
  *done += batch;
  if (sim->n_act > 0) vvi_host_writes(&sim->step);
  vvi_act_after(sim);
  if (r->reason == VV_REASON_DONE) check_step(sim, r);
  const bool all = waiting(sim);
  bool asked = r->reason == VV_REASON_DONE && asked_to_stop(sim, *done < n), looked = all || due(sim);
  asked |= is_uneven(sim);
  agree_on_flags(sim, &asked, &looked);
  if (asked && *done < n) r->reason = VV_REASON_INTERRUPTED;
  const bool shown = looked || *done == n || r->reason != VV_REASON_DONE;
  if (shown || (sim->stops.n > 0 && vvi_stops_due(sim->model, sim->state->step)))
    vvi_sys_gather(sim->model, sim->state);
  if (r->reason == VV_REASON_DONE) check_stops(sim, r);
  const bool last = *done == n || r->reason != VV_REASON_DONE;
  if (!looked && !last) {
    trim_log(sim);
    trim_episodes(sim);
    return VV_OK;
  }
  close_ledger(sim);
  if (last) {
    vvi_bring_down(&sim->step);
    vvi_claims_judge(sim, true);
  }
  if (vvi_device_lost(&sim->step, r)) { /* the books of the state that is left */
    sim->fresh = false;
    close_ledger(sim);
  }
  if (r->reason == VV_REASON_DONE || r->reason == VV_REASON_STOPPED) check_broken(sim, r);
  return agree_on_status(
      sim, tell_all(sim, false, last || r->reason != VV_REASON_DONE, all, r->reason == VV_REASON_UNSTABLE));
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
  if (!sim->started) open_ledger(sim);
  if (!sim->started || sim->ledger.sane > sim->state->step) sim->ledger.sane = sim->state->step;
  sim->started = true;
  vvi_act_settle(sim);
  notice_change(sim);
  vvi_host_writes(&sim->step);
  sim->polled = clock;
  vvi_sys_gather(sim->model, sim->state);
  if (sim->restored && n > 0) check_stops(sim, report); /* a run that had stopped makes no step more */
  if (report->reason == VV_REASON_DONE && sim->state->step != 0 && n > 0) check_step(sim, report);
  sim->restored = false;
  if (report->reason != VV_REASON_DONE) n = 0;
  status = agree_on_status(sim, tell_all(sim, true, n <= 0, true, false));
  if (status == VV_OK && n > 0) status = advance(sim, n, report);
  vvi_bring_down(&sim->step);
  keep_left(sim);
  if (sim->started && !sim->fresh) close_ledger(sim); /* an observer or a controller failed on the way */
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
