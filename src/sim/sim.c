/* sim/sim.c  A run: made, restored, and what may be asked of it. */
#include "sim/sim.h"

#include "contact/joints.h"
#include "contact/shapes/fold.h"
#include "contact/shapes/side.h"
#include "contact/solution/shadow.h"
#include "math/math.h"
#include "step/accelerate.h"
#include "step/contact.h"
#include "step/variation.h"
#include "visviva/net.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
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
  if (sim->step.composition->stages > 1) return VV_OK;
  sim->step.exact = true;
  if (sim->step.joints != NULL) sim->step.joints->by_places = false; /* [joint 8] adds to [ledger 11] */
  sim->step.energy = "modified";
  return VV_OK;
}

/* Whole steps of bodies that are not linear, of their own forces, gravity and contact alone: there the energy of fourth order is
 * what is judged.                                                                                           [ledger 16] */
static bool judges_shadow(const vv_sim *sim)
{
  const vv_model *m = sim->model;
  return m->stepper == &vv_leapfrog_stepper && m->order == 2 && isfinite(m->stable_step) && !sim->step.exact &&
         vvi_shadow_is_kept(m) && vvi_h2_unknown(m, sim->state->q, sim->state->p) == NULL;
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
  vvi_traction_of(m, sim->state->memory, &sim->step.traction);
  if (m->traction > 0 && m->pairs->n_layer > 0) {
    sim->step.layers = VVI_ARENA_NEW(&sim->arena, double, m->np);
    if (sim->step.layers == NULL) return VV_NOMEM;
  }
  if (m->joints != NULL && !vvi_model_implicit(m))
    VV_TRY(vvi_joint_create(m, &sim->arena, sim->state->memory + m->nh - vvi_joints_memory(m), &sim->step.joints));
  if (m->joints != NULL && def->check_structure)
    return vvi_fail(m->ctx, VV_UNSUPPORTED, "the structure is not checked where there are joints; leave it out");
  if (m->solids != NULL && !vvi_model_implicit(m)) VV_TRY(vvi_contact_prepare(&sim->step));
  VV_TRY(vvi_sides_create(m, sim->state->q, sim->state->p, &sim->arena, &sim->step.sides));
  if (vvi_folds_can(m)) {
    for (int i = 0; i < m->n_block; i++)
      sim->mover_room = sim->mover_room > m->block[i].nodes ? sim->mover_room : m->block[i].nodes;
    if ((sim->mover = malloc(sizeof *sim->mover * (size_t)sim->mover_room)) == NULL) return VV_NOMEM;
    sim->may_fold = true;
  }
  vvi_pace_start(&sim->pace, m->ctx);
  VV_TRY(m->stepper->prepare(&sim->step));
  VV_TRY(vvi_accelerate(&sim->step, def->check_structure));
  if (sim->step.accelerator != NULL) sim->pace.chooses = false; /* trials would cut short what is queued at once */
  VV_TRY(balance_kicks(sim));
  const bool meets = m->pairs->n > 0 || m->solids != NULL || m->sheets != NULL;
  if (meets) VV_TRY(keep_histories(sim));
  if (sim->ledger.episodes != NULL) VV_TRY(keep_keys(sim));
  if (meets) sim->frozen.q = VVI_ARENA_NEW(&sim->arena, double, m->nq);
  if (meets && sim->frozen.q == NULL) return VV_NOMEM;
  const bool keeps =
      m->solids != NULL || m->sheets != NULL || m->joints != NULL || m->stepper == &vv_variational_stepper;
  if ((m->stepper->forget != NULL && keeps) || m->flows) VV_TRY(vv_state_clone(sim->state, &sim->left));
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
  free(sim->led);
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
