/* sim/observe.c  Calls observers, and hands them events and contact histories. */
#include "sim/sim.h"

#include "step/accelerate.h"
#include "visviva/net.h"

#include <stdlib.h>
#include <string.h>

/* Steps allocate nothing: between them half of what histories and the log have is kept free.  Only where more happens in one
 * stretch than in all before does a step ask for memory, once. */
void vvi_sim_make_room(vv_sim *sim)
{
  vvi_log *log = &sim->log;
  vvi_episodes_settle(sim->ledger.episodes);
  vvi_episodes_reserve(sim->ledger.episodes, 0);
  if (2 * log->n <= log->room) return;
  vv_event *bigger = realloc(log->event, 2 * (size_t)log->room * sizeof *bigger);
  if (bigger != NULL) log->event = bigger, log->room *= 2;
}

/* Forgets the events that every observer has been told; all of them are when the log is a quarter full. */
void vvi_sim_trim_log(vv_sim *sim)
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

void vvi_sim_trim_episodes(vv_sim *sim)
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
  if (sim->model->served != NULL && k->n > 0) /* places of all bodies, on one rank of many */
    vvi_forget(k->q, sizeof *k->q * (size_t)(k->n * sim->model->nq));
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
  vvi_sim_trim_log(sim);
  vvi_sim_trim_episodes(sim);
  trim_keys(sim);
  return VV_OK;
}

/* Over ranks the state is whole on rank 0 while observers look, and what they ask for comes there. */
vv_status vvi_sim_tell(vv_sim *sim, bool first, bool last, bool all, bool hopeless)
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
int64_t vvi_sim_until_next(const vv_sim *sim, int64_t n)
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
  const int64_t look = sim->ledger.next_look - sim->state->step;
  if (watched(m) && look > 0 && look < n) n = look;
  return n < whole ? n : whole;
}

bool vvi_sim_due(const vv_sim *sim)
{
  for (int i = 0; i < sim->n_observer; i++)
    if (is_due(sim, &sim->observer[i])) return true;
  return false;
}

/* Events wait, and the log is a quarter full.  Asked at whole batches only: the clock, which cuts stretches, must not decide
 * when the books are closed. */
bool vvi_sim_waiting(const vv_sim *sim)
{
  return sim->n_observer > 0 && sim->state->step % VVI_BATCH_STEPS == 0 && sim->log.n > VVI_LOG_EVENTS / 4;
}
