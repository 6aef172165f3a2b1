/* sim/audit.c  The ledger of a run: opened, closed, and what is noted beside the totals. */
#include "sim/sim.h"

#include "contact/contact.h"
#include "contact/shapes/fold.h"
#include "math/math.h"
#include "step/accelerate.h"

#include <stdlib.h>

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

void vvi_sim_open(vv_sim *sim)
{
  vv_totals balanced;
  double nodal;
  sim->ledger.anchor_events = -1;
  vvi_sim_audit(sim, &balanced, &nodal);
  vvi_episodes *kept = sim->ledger.episodes;
  vvi_ledger_open(&sim->ledger, &balanced, nodal, vvi_sys_energy_floor(sim->model, sim->state->q), sim->model->reach);
  sim->ledger.episodes = kept;
  vvi_episodes_clear(kept);
  double off = 0.0;
  const double h2 = sim->step.h2 != NULL ? vvi_h2(&sim->step, nodal, &off) : NAN;
  sim->ledger.modified_now = vv_boolean(vv_sub(sim->model->root, "record"), "modified") ? h2 : NAN;
  if (sim->shadow) vvi_ledger_open_shadow(&sim->ledger, h2, off);
  if (sim->half_kick != NULL) sim->ledger.kick_energy = kick_energy(sim);
  vvi_note_gaps(&sim->step);
  vvi_claims_make(sim);
  sim->fresh = true;
}

/* What costs more than a row does is looked at by the number of the step alone: where something has touched in every row, or, of
 * what gets rarer after `most` looks, at every 2nd, 4th, ... step of long runs; where nothing can touch, or nothing has since the
 * start, there is no impact to judge, and one step in FREE is enough, or one in AWAY of a state that must come down from a device
 * for it.  The 1st, 2nd, 4th, 8th, ... always are. */
enum { ALL_LOOKS = 4096 };
static bool looks_at(const vv_sim *sim, int64_t most, bool touched)
{
  enum { FREE = 64, AWAY = 4096 };
  const int64_t step = llabs(sim->state->step);
  const bool away = sim->step.accelerator != NULL && sim->step.accelerator->resident;
  int64_t every = away ? AWAY : touched ? 1 : FREE;
  while (every < step / most) every *= 2;
  return step % every == 0 || (step & (step - 1)) == 0;
}

static bool looks_closely(const vv_sim *sim, int64_t most)
{
  return looks_at(sim, most, sim->ledger.impacts > 0 || sim->ledger.held > 0);
}

/* Elements that are crushed flat, inside out, folded or overstretched: told, since energies may close all the same.  Many of them cost as much as an
 * audit, and are looked at as rarely as what costs four forces. */
static void note_distortion(vv_sim *sim)
{
  enum { FEW = 64 };
  vv_ledger *l = &sim->ledger;
  if (!looks_closely(sim, INT64_MAX)) return;
  vvi_bring_down(&sim->step);
  for (int i = 0; i < sim->model->n_block; i++) {
    const vv_block *b = &sim->model->block[i];
    if (b->elements > FEW && !looks_closely(sim, ALL_LOOKS)) continue;
    if (b->kind->distortion != NULL)
      l->max_distortion = fmax(l->max_distortion, b->kind->distortion(b, sim->state->q + b->q0));
    if (b->kind->stretch != NULL) l->max_stretch = fmax(l->max_stretch, b->kind->stretch(b, sim->state->q + b->q0));
  }
  if (l->max_distortion >= 1.0 && l->distortion_when < 0.0) l->distortion_when = sim->state->t;
  if (l->max_stretch >= 1.0 && l->stretch_when < 0.0) l->stretch_when = sim->state->t;
}

/* Beams that do not meet themselves.  A walk along all that has folded costs some forces. */
static void note_folds(vv_sim *sim)
{
  vv_ledger *l = &sim->ledger;
  vv_overlap inside = {0};
  int32_t who;
  if (!sim->may_fold || !looks_at(sim, ALL_LOOKS, true)) return; /* what nobody asked for leaves no impacts */
  vvi_bring_down(&sim->step);
  if (!vvi_folds_look(sim->model, sim->state->q, sim->state->p, sim->mover, &inside, &who)) return;
  if (inside.depth > l->folded.depth) l->folded = inside, l->folded_body = who;
}

static bool is_seen(const vv_overlap *o)
{
  return o->depth > VVI_SEEN_DEPTH * o->size;
}

/* Once, with the names: the claim `penetration` has none. */
static void tell_unmet(vv_sim *sim)
{
  const vv_ledger *l = &sim->ledger;
  const vv_body *body = sim->model->body;
  if (!sim->fold_told && is_seen(&l->folded)) {
    sim->fold_told = true;
    vvi_warn(body[l->folded_body].group, NULL,
             "'%s' went into itself by t = %.6g: beams touch themselves where 'contacts' ask for it "
             "('self: true'); what may pass says 'self: false'",
             body[l->folded_body].name, sim->state->t);
  }
  if (!sim->side_told && is_seen(&l->side)) {
    sim->side_told = true;
    vvi_warn(body[l->side_of[0]].group, NULL,
             "'%s' went into the side of '%s' by t = %.6g, and passes through it: a bar touches with its ends alone; "
             "what is hit from the side is a beam; what may pass says 'response: none'",
             body[l->side_of[1]].name, body[l->side_of[0]].name, sim->state->t);
  }
}

/* It costs four forces. */
static void note_h2(vv_sim *sim, double nodal)
{
  const bool shown = vv_boolean(vv_sub(sim->model->root, "record"), "modified");
  if (sim->step.h2 == NULL || !(shown || (sim->shadow && looks_closely(sim, ALL_LOOKS)))) return;
  vvi_bring_down(&sim->step);
  double off;
  const double h2 = vvi_h2(&sim->step, nodal, &off);
  if (shown) sim->ledger.modified_now = h2;
  const double ahead = sim->step.contact != NULL ? vvi_contact_ahead(sim->step.contact) : 0.0;
  if (sim->shadow) vvi_ledger_note_shadow(&sim->ledger, h2, off, ahead);
}

void vvi_sim_close(vv_sim *sim, const vv_totals *balanced, double nodal)
{
  vvi_ledger_close(&sim->ledger, balanced, nodal, sim->state->step * sim->step.composition->stages);
  note_h2(sim, nodal);
  note_distortion(sim);
  note_folds(sim);
  tell_unmet(sim);
  vvi_claims_judge(sim, false);
  sim->fresh = true;
}

void vvi_sim_close_now(vv_sim *sim)
{
  vv_totals balanced;
  double nodal;
  vvi_act_settle(sim);
  if (sim->fresh) return;
  vvi_sim_audit(sim, &balanced, &nodal);
  vvi_sim_close(sim, &balanced, nodal);
}
