/* sim/compile.c  Makes a frozen model and its first state from a scene: bodies, contact pairs, stepper, stable step. */
#include "contact/joints.h"
#include "contact/shapes/solids.h"
#include "math/math.h"
#include "model/bind.h"
#include "model/material.h"
#include "model/probe.h"
#include "model/traction.h"
#include "sim/sim.h"
#include "sim/stop.h"
#include "step/contact.h"
#include "step/energy_momentum/frames.h"
#include "visviva/net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const vv_stepper_kind *stepper_find(const vv_catalog *c, const char *name)
{
  for (const vv_stepper_kind *const *k = c->stepper; *k != NULL; k++)
    if (strcmp((*k)->name, name) == 0) return *k;
  return NULL;
}

/* Something is held or driven: a vector of ones would not pass. */
static vv_status find_supports(const vv_model *m, bool *held)
{
  double *one = malloc(sizeof *one * (size_t)(m->np + 1));
  if (one == NULL) return vvi_fail(m->ctx, VV_NOMEM, "out of memory");
  for (int64_t i = 0; i < m->np; i++) one[i] = 1.0;
  *held = false;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    *held |= b->driven;
    for (int32_t k = 0; k < b->patches; k++) *held |= b->patch[k].held && b->patch[k].node >= 0;
    if (b->kind->vary != NULL && b->kind->vary->hold != NULL) b->kind->vary->hold(b, one + b->p0);
  }
  for (int64_t i = 0; i < m->np; i++) *held |= one[i] != 1.0;
  free(one);
  return VV_OK;
}

static bool touches(const vv_model *m)
{
  return m->pairs->n > 0 || m->solids != NULL || m->sheets != NULL;
}

static bool names_a_jump(const vv_group *method)
{
  return vv_given(method, "jump") && !vv_is(method, "jump", "auto");
}

/* Everything that can touch has a form in which contacts act within the step. */
static bool touches_implicitly(const vv_model *m)
{
  for (int32_t i = 0; m->solids != NULL && i < m->solids->n; i++) {
    const vvi_object *o = &m->solids->object[i];
    if (o->soft && vvi_em_parts_of(o->block) == NULL) return false;
  }
  for (int32_t i = 0; m->sheets != NULL && i < m->sheets->n_body; i++) {
    const vvi_sheet_body *b = &m->sheets->body[i];
    if (b->carrier != VVI_CARRY_NONE && !b->rigid && vvi_em_parts_of(b->block) == NULL) return false;
  }
  return m->pairs->n == 0;
}

/* Rigid bodies and surfaces that meet something. */
static bool needs_leapfrog(const vv_model *m)
{
  return m->solids != NULL || m->sheets != NULL;
}

static bool has_form(const vv_block *b)
{
  const vv_implicit_table *form = b->kind->implicit;
  return vvi_em_parts_of(b) != NULL || (form != NULL && (form->step != NULL || form->frames != NULL));
}

/* An implicit stepper takes its bodies through their discrete-gradient form; the contacts in it are those of rigid ones and of
 * those whose form has parts. */
static vv_status check_implicit(const vv_model *m, const vv_group *g)
{
  vv_status status = VV_OK;
  for (int i = 0; i < m->n_block; i++)
    if (m->block[i].nodes > 0 && !has_form(&m->block[i]))
      status = vv_complain(g, "step", "bodies of kind %s have no %s form; use %s", m->block[i].kind->name,
                           m->stepper->name, needs_leapfrog(m) ? "leapfrog" : "leapfrog or event");
  for (int i = 0; i < m->n_block; i++)
    if (m->block[i].n_load > 0 && m->block[i].kind->implicit != NULL && m->block[i].kind->implicit->frames != NULL)
      status = vv_complain(g, "step", "%s has no loads on rigid bodies; use leapfrog", m->stepper->name);
  if (touches(m) && !touches_implicitly(m))
    status = vv_complain(g, "step", "%s has no contact but that of rigid bodies, bars, beams and shells; use %s",
                         m->stepper->name, needs_leapfrog(m) ? "leapfrog" : "event");
  if (status == VV_OK) status = vvi_em_refuse(m);
  if (m->order != 2) status = vv_complain(g, "order", "%s is of order 2 only", m->stepper->name);
  if (!vv_is(g, "start", "half-kick"))
    status = vv_complain(g, "start", "belongs to the explicit steps; %s needs no start", m->stepper->name);
  return status;
}

static vv_status check_jump(const vv_model *m, const vv_group *g)
{
  const bool slab = vv_is(g, "jump", "slab"), modified = vv_is(g, "jump", "modified");
  vv_status status = VV_OK;
  if (vv_is(g, "on_off", "printed") && !slab)
    status = vv_complain(g, "on_off", "printed belongs to 'jump: slab'; nodal has no impulse there anyway");
  if (m->stepper != &vv_event_stepper && names_a_jump(g))
    status = vv_complain(g, "jump", "belongs to 'step: event'; %s has no jump at the contact time", m->stepper->name);
  if (modified && m->order != 2)
    status = vv_complain(g, "jump", "modified needs order 2; orders 4 and 6 need 'nodal' or 'slab'");
  if ((slab || modified) && vvi_sys_loaded(m))
    status = vv_complain(g, "jump", "%s cannot be used with loads or driven ends; use 'nodal'", vv_text(g, "jump"));
  for (int i = 0; slab && m->pairs->pair != NULL && i < m->pairs->n; i++)
    if (m->pairs->pair[i].friction > 0.0 || (m->pairs->pair[i].curved && m->pairs->pair[i].restitution < 1.0)) {
      status = vv_complain(g, "jump", "slab has no friction, and for beams no restitution below 1; use 'nodal'");
      break;
    }
  if (modified && (vvi_sys_claims(m) & VV_LINEAR) == 0)
    status = vv_complain(g, "jump", "needs linear bodies; use 'nodal' or 'slab'");
  for (int i = 0; slab && i < m->n_block; i++)
    if ((m->block[i].claims & VV_LINEAR) == 0 && m->block[i].kind->drift_node == NULL)
      status = vv_complain(g, "jump", "slab needs linear bodies or beams; use 'nodal'");
  return status;
}

/* Some contact is answered after the drift, as in 2005; least: VVI_UNTOUCHED, or the first that moves positions. */
static bool projects(const vv_model *m, vvi_projection least)
{
  for (int i = 0; m->pairs->pair != NULL && i < m->pairs->n; i++)
    if (m->pairs->pair[i].compliance <= 0.0 && m->pairs->pair[i].projection >= least) return true;
  return m->sheets != NULL && m->sheets->projection >= least;
}

/* What materials dissipate has no way back, and no energy that a step keeps by itself knows of it.            [mat 1] */
static vv_status check_dissipation(const vv_model *m, const vv_group *g)
{
  static const char what[] = "bodies that flow, damp or break";
  vv_status status = VV_OK;
  if (m->order != 2) status = vv_complain(g, "order", "%s are of order 2 only: higher orders step back in time", what);
  if (vv_is(g, "jump", "slab") || vv_is(g, "jump", "modified"))
    status = vv_complain(g, "jump", "%s is not for %s; use 'nodal'", vv_text(g, "jump"), what);
  if (vvi_model_implicit(m)) status = vv_complain(g, "step", "%s is not for %s; use leapfrog", m->stepper->name, what);
  if (projects(m, VVI_KEPT))
    status = vv_complain(vv_item(m->root, "contacts", 0), "projection",
                         "moves positions without a drift, which %s cannot follow; use 'anticipate'", what);
  if (vv_boolean(vv_sub(m->root, "record"), "modified"))
    status = vv_complain(vv_sub(m->root, "record"), "modified", "is not known for %s", what);
  return status;
}

/* Rigid bodies that meet something. */
static vv_status check_solids(const vv_model *m, const vv_group *g)
{
  vv_status status = VV_OK;
  if (m->stepper == &vv_event_stepper)
    status = vv_complain(g, "step", "rigid bodies are not for event; use leapfrog, with 'halvings' to locate impacts");
  if (vv_is(g, "locate", "exact") && vvi_locatable(m) != NULL)
    status = vv_complain(g, "locate", "%s", vvi_locatable(m));
  if (m->order != 2)
    status = vv_complain(
        g, "order",
        "contacts at whole steps are of order 2 only; beams on obstacles have higher orders with 'step: event'");
  return status;
}

static bool is_variational(const vv_model *m)
{
  const vv_group *step = vv_sub(vv_sub(m->root, "time"), "step");
  return step != NULL && vv_has(step, "variational");
}

/* What steps that the grid of time knows more than one length of have in common; word: of `time.step`. */
static vv_status check_lengths(const vv_model *m, const vv_group *g, const char *word)
{
  const vv_group *step = vv_sub(vv_sub(m->root, "time"), "step");
  vv_status status = VV_OK;
  if (!vv_is(g, "step", "leapfrog"))
    status =
        vv_complain(g, "step", "%s has one length of step for all; '%s' is for leapfrog", vv_text(g, "step"), word);
  for (int i = 0; i < m->n_block; i++)
    if (m->block[i].nodes > 0 && m->block[i].kind->apart == NULL)
      status = vv_complain(step, word, "is for bars and beams, not for bodies of kind %s", m->block[i].kind->name);
  if (m->pairs->n_hard > 0 || m->solids != NULL || m->sheets != NULL)
    status =
        vv_complain(step, word,
                    "has contact by massless tips of bars alone: a hard contact has its own time; use 'tips: cell' "
                    "or 'split', or one step for all");
  if (m->joints != NULL) status = vv_complain(step, word, "cannot be used with joints");
  if (m->order != 2) status = vv_complain(g, "order", "'%s' is of order 2 only", word);
  if (vvi_sys_dissipates(m)) status = vv_complain(step, word, "is not for bodies that flow, damp or break");
  if (vv_boolean(step, "adapt")) status = vv_complain(step, "adapt", "'%s' chooses the steps already", word);
  if (vv_boolean(vv_sub(m->root, "record"), "modified"))
    status = vv_complain(vv_sub(m->root, "record"), "modified", "is known for steps of one length only");
  return status;
}

/* The energy equation knows bodies, gravity and the springs of massless tips.                                 [grids 7] */
static vv_status check_variational(const vv_model *m, const vv_group *g)
{
  const vv_group *step = vv_sub(vv_sub(m->root, "time"), "step");
  vv_status status = check_lengths(m, g, "variational");
  if (vvi_sys_loaded(m)) status = vv_complain(step, "variational", "cannot be used with loads or driven ends");
  if (vv_integer(g, "halvings") > 0) status = vv_complain(g, "halvings", "is for rigid bodies");
  return status;
}

/* A method of the textbook, for bodies that fly: nothing is met, nothing is held.                             [beam 82] */
static vv_status check_rkmk(const vv_model *m, const vv_group *g)
{
  vv_status status = VV_OK;
  bool held = false;
  VV_TRY(find_supports(m, &held));
  for (int i = 0; i < m->n_block; i++) {
    const vv_body_kind *k = m->block[i].kind;
    if (m->block[i].nodes > 0 && k->lie == NULL && (m->block[i].claims & VV_FLAT) == 0)
      status = vv_complain(g, "step", "rkmk is for bars, beams and shells, not for bodies of kind %s", k->name);
  }
  if (touches(m) || m->joints != NULL)
    status = vv_complain(g, "step", "rkmk has no contact and no joints; use leapfrog, or set 'response: none'");
  if (held) status = vv_complain(g, "step", "rkmk is for bodies that nothing holds or drives; use leapfrog");
  if (vvi_sys_dissipates(m)) status = vv_complain(g, "step", "rkmk is not for bodies that flow, damp or break");
  if (m->order != 2) status = vv_complain(g, "order", "rkmk is of order 4 as it is; leave it out");
  if (!vv_is(g, "start", "half-kick")) status = vv_complain(g, "start", "belongs to leapfrog and event");
  return status;
}

static bool is_asynchronous(const vv_model *m)
{
  const vv_group *step = vv_sub(vv_sub(m->root, "time"), "step");
  return step != NULL && vv_boolean(step, "asynchronous");
}

/* Elements of bars and beams and the springs of massless tips have times of their own.                       [grids 20] */
static vv_status check_asynchronous(const vv_model *m, const vv_group *g)
{
  const vv_group *step = vv_sub(vv_sub(m->root, "time"), "step");
  vv_status status = check_lengths(m, g, "asynchronous");
  bool held = false;
  VV_TRY(find_supports(m, &held));
  if (m->pairs->n_layer > 0) status = vv_complain(step, "asynchronous", "has no layers; use one step for all");
  if (held || vvi_sys_loaded(m)) status = vv_complain(step, "asynchronous", "is for bodies without loads and supports");
  if (vv_has(step, "variational"))
    status = vv_complain(step, "asynchronous", "has steps that are given: leave 'variational' out");
  return status;
}

/* Elastic, and not linear: whole steps keep the energy of such a body through any number of impacts, steps that are cut at the
 * contact times do not.                                                                                     [shadow 1] */
static bool has_rubber(const vv_model *m)
{
  for (int i = 0; i < m->n_block; i++)
    if (m->block[i].nodes > 0 && m->block[i].z_reals == 0 && !(m->block[i].claims & VV_LINEAR)) return true;
  return false;
}

/* Springs where they touch, and nothing where they do not: not linear, whatever the bars are.               [bars 17a] */
static bool has_massless_tips(const vv_model *m)
{
  return m->pairs->n_soft > m->pairs->n_layer;
}

/* Whole steps of the leapfrog keep the energy through any number of impacts, and steps that are cut do not: rubber with lumped tips, and
 * linear bars whose loads, drives, damping, flow or cracks keep them from `modified`, with any tips.  [shadow 1, bars 17b, 19b] */
static bool whole_is_better(const vv_model *m)
{
  if (vv_integer(vv_sub(m->root, "method"), "order") != 2) return false;
  const bool linear = (vvi_sys_claims(m) & VV_LINEAR) != 0;
  return linear ? vvi_sys_loaded(m) || vvi_sys_dissipates(m)
                : (has_rubber(m) || vvi_sys_loaded(m)) && !has_massless_tips(m);
}

/* `auto` becomes event where bars and planes can touch or a jump is named, else leapfrog; rigid bodies and surfaces that meet
 * something need the leapfrog, and others are better off there.  The scene that is written down says which. */
static vv_status choose_method(vv_model *m)
{
  const vv_group *g = vv_sub(m->root, "method");
  if (vv_is(g, "step", "auto")) {
    const bool cut =
        !is_variational(m) && !is_asynchronous(m) && (names_a_jump(g) || (touches(m) && !whole_is_better(m)));
    vvi_group_resolve(g, "step", cut && !needs_leapfrog(m) && m->joints == NULL ? "event" : "leapfrog");
  }
  const bool paper = projects(m, VVI_UNTOUCHED);
  if (paper && vv_is(g, "step", "leapfrog")) vvi_group_resolve(g, "step", "dcr2005");
  m->scene_hash = vvi_group_hash(m->root);
  m->order = (int)vv_integer(g, "order");
  m->stepper = vv_is(g, "step", "rkmk") ? &vv_rkmk_stepper : stepper_find(vvi_ctx_catalog(m->ctx), vv_text(g, "step"));
  if (m->stepper == NULL) return vv_complain(g, "step", "this catalog has no stepper '%s'", vv_text(g, "step"));
  vv_status status = check_jump(m, g);
  const vv_group *pace = vv_sub(vv_sub(m->root, "time"), "step");
  if (!is_variational(m) && pace != NULL && vv_is(pace, "kicks", "plain"))
    status = vv_complain(pace, "kicks", "belongs to 'variational'");
  if (is_variational(m) && check_variational(m, g) != VV_OK) status = VV_SCENE;
  if (m->stepper == &vv_dcr2005_stepper && touches(m) && !paper)
    status = vv_complain(g, "step", "dcr2005 needs a contact with a 'projection'; use leapfrog");
  if (m->stepper == &vv_dcr2005_stepper && vv_integer(g, "halvings") > 0)
    status = vv_complain(g, "halvings", "belongs to leapfrog; a 'projection' answers after the drift");
  if (m->solids != NULL && check_solids(m, g) != VV_OK) status = VV_SCENE;
  if (m->solids == NULL && touches(m) && vv_is(g, "locate", "exact"))
    status = vv_complain(g, "locate", "exact is for balls that meet balls, planes and rooms; leave it out%s",
                         m->sheets != NULL ? ", and take shorter steps for the times of surfaces" : "");
  if (m->sheets != NULL && m->stepper == &vv_event_stepper)
    status = vv_complain(g, "step", "surfaces meet at whole steps; use leapfrog");
  if (vvi_sys_dissipates(m) && check_dissipation(m, g) != VV_OK) status = VV_SCENE;
  if (vvi_composition_find(m->order) == NULL) status = vv_complain(g, "order", "must be 2, 4 or 6, not %d", m->order);
  if (vvi_model_implicit(m) && check_implicit(m, g) != VV_OK) status = VV_SCENE;
  if (m->stepper == &vv_rkmk_stepper && check_rkmk(m, g) != VV_OK) status = VV_SCENE;
  if (is_asynchronous(m) && check_asynchronous(m, g) != VV_OK) status = VV_SCENE;
  if (is_variational(m) && status == VV_OK) m->stepper = &vv_variational_stepper;
  if (is_asynchronous(m) && status == VV_OK) m->stepper = &vv_asynchronous_stepper;
  return status;
}

/* Joints belong to whole steps, explicit or implicit. */
static vv_status check_joints(const vv_model *m)
{
  const vv_group *g = vv_sub(m->root, "method"), *record = vv_sub(m->root, "record");
  if (m->joints == NULL) return VV_OK;
  if (m->stepper != &vv_leapfrog_stepper && m->stepper != &vv_energy_momentum_stepper)
    return vv_complain(g, "step", "%s has no joints; use leapfrog or energy-momentum", m->stepper->name);
  if (vvi_model_implicit(m)) VV_TRY(vvi_em_refuse_joints(m));
  if (!vv_is(g, "start", "half-kick")) return vv_complain(g, "start", "joints need velocities of the start");
  if (vv_is(g, "locate", "exact")) return vv_complain(g, "locate", "exact is for balls that no joint holds");
  if (vv_boolean(record, "modified")) return vv_complain(record, "modified", "is not known for joints; leave it out");
  return VV_OK;
}

/* The energy of rigid bodies is exact as it is. */
static vv_status check_modified_needed(const vv_model *m)
{
  const vv_group *g = vv_sub(m->root, "record");
  if (!vv_boolean(g, "modified") || isfinite(m->stable_step)) return VV_OK;
  return vv_complain(g, "modified", "nothing here vibrates, and what flies freely keeps its energy; leave it out");
}

/* Impulses are gathered where the leapfrog gives them, by one process. */
static vv_status check_traction(vv_model *m)
{
  const vv_group *g = vv_sub(m->root, "record");
  const vv_net *net = vvi_ctx_net(m->ctx);
  if (!vvi_traction_asked(m)) return VV_OK;
  if (m->stepper != &vv_leapfrog_stepper)
    return vv_complain(g, "traction", "is gathered by 'method.step: leapfrog', not by '%s'; leave one of them out",
                       m->stepper->name);
  if (net != NULL && net->ranks > 1)
    return vv_complain(g, "traction", "is not gathered over ranks: use one process, or leave it out");
  if (m->solids == NULL && m->pairs->n_layer == 0)
    return vv_complain(g, "traction", "nothing here can touch: leave it out");
  return vvi_traction_offer(m);
}

/* The energy of fourth order is known for whole explicit steps of order 2, where every kind knows its drift. */
static vv_status check_modified(const vv_model *m, const double *q, const double *p)
{
  const vv_group *g = vv_sub(m->root, "record");
  if (!vv_boolean(g, "modified")) return VV_OK;
  if (vvi_model_implicit(m))
    return vv_complain(g, "modified", "belongs to the explicit steps; this one keeps its energy exactly");
  if (m->order != 2) return vv_complain(g, "modified", "is worked out for order 2 only");
  if (touches(m) && m->stepper != &vv_leapfrog_stepper)
    return vv_complain(g, "modified", "can be combined with contact only where steps are whole; use 'step: leapfrog'");
  const vv_body_kind *unknown = vvi_h2_unknown(m, q, p);
  if (unknown == NULL) return VV_OK;
  return vv_complain(g, "modified", "is not known for the drift of some %s; use 'drift: lgvi'", unknown->name);
}

vvi_jump vvi_jump_chosen(const vv_model *m)
{
  const vv_group *g = vv_sub(m->root, "method");
  if (vv_is(g, "jump", "slab")) return VVI_SLAB;
  if (vv_is(g, "jump", "nodal")) return VVI_NODAL;
  if (vv_is(g, "jump", "modified")) return VVI_MODIFIED;
  const bool can = (vvi_sys_claims(m) & VV_LINEAR) != 0 && !vvi_sys_dissipates(m) && m->order == 2 &&
                   !vvi_sys_loaded(m) && m->step <= VVI_MODIFIED_LIMIT * m->stable_step;
  return can ? VVI_MODIFIED : VVI_NODAL;
}

/* The first kind here whose forces are not linear, and which limits the step; NULL: none. */
static const vv_body_kind *nonlinear(const vv_model *m)
{
  for (int i = 0; i < m->n_block; i++)
    if (m->block[i].kind->stable_step != NULL && (m->block[i].claims & VV_LINEAR) == 0) return m->block[i].kind;
  return NULL;
}

/* Impacts that cut steps and that no rule makes good within the step: all but `modified`, which `auto` takes for linear bars without
 * loads and losses at order 2.                                                                               [bars 19b] */
static bool cuts_openly(const vv_model *m)
{
  const vv_group *g = vv_sub(m->root, "method");
  if (m->stepper != &vv_event_stepper || !touches(m) || vv_is(g, "jump", "modified")) return false;
  return names_a_jump(g) || m->order != 2 || vvi_sys_loaded(m) || vvi_sys_dissipates(m);
}

/* Linear bars keep a quadratic form at any stable step, and their waves are best near the limit; but not where impacts cut
 * steps and no rule of impact keeps it, nor where massless tips come and go in whole steps, of which near the
 * stable step not all can pay for it at once [bars 17b].  The stable step of what is not linear is
 * that at rest: it needs room, and more of it where impacts excite the highest frequencies. */
static double default_safety(vv_model *m)
{
  const vv_body_kind *k = nonlinear(m);
  const bool meets = k != NULL && touches(m) && !vvi_model_implicit(m), cut = k == NULL && cuts_openly(m);
  const bool springs = k == NULL && has_massless_tips(m) && m->stepper != &vv_event_stepper;
  const double safety = meets || cut || springs ? 0.3 : k == NULL ? 0.8 : 0.5;
  const char *why = cut         ? "impacts cut its steps, and no rule makes that good at once"
                    : springs   ? "massless tips are springs that come and go"
                    : k == NULL ? "all that vibrates here is linear"
                                : "its forces are not linear";
  snprintf(m->step_reason, sizeof m->step_reason, "%s%s%s%s", k != NULL ? k->name : "", k != NULL ? ": " : "", why,
           meets ? ", and it may touch something" : "");
  return safety;
}

static vv_status choose_step(vv_model *m, const double *q)
{
  const vv_group *time = vv_sub(m->root, "time");
  const vv_group *safety = vv_sub(time, "step");
  m->end = vv_number(time, "end");
  if (!vvi_is_prepared(m->ctx)) VV_TRY(vvi_stable_step(m, q, &m->stable_step));
  VV_TRY(vvi_keep_value(m->ctx, &m->stable_step, sizeof m->stable_step, "stable_step"));
  if (is_asynchronous(m)) { /* of the largest element */
    double shortest;
    VV_TRY(vvi_asynchronous_step(m, &m->stable_step, &shortest));
  }
  /* an implicit step may be longer: for it this is only a unit */
  if (m->order != 2) m->stable_step *= 0.5 * vvi_composition_limit(vvi_composition_find(m->order));
  if (safety != NULL || !vv_given(time, "step")) {
    if (!isfinite(m->stable_step)) return vv_complain(time, "step", "nothing here limits the step: give a number");
    m->step = (safety != NULL ? vv_number(safety, "safety") : default_safety(m)) * m->stable_step;
  } else {
    m->step = vv_number(time, "step");
  }
  if (m->step > m->stable_step && !vvi_model_implicit(m))
    return vv_complain(time, "step", "%.9g is longer than the stable step %.9g; use a shorter one, or leave it out",
                       m->step, m->stable_step);
  const vv_group *method = vv_sub(m->root, "method");
  if (vv_is(method, "jump", "modified") && m->step > VVI_MODIFIED_LIMIT * m->stable_step)
    return vv_complain(time, "step", "%.9g is too near the stable step %.9g for 'jump: modified'; stay below %g of it",
                       m->step, m->stable_step, VVI_MODIFIED_LIMIT);
  const double steps = floor(m->end / m->step * (1.0 + 1e-12));
  if (steps < 1.0) return vv_complain(time, "step", "%.6g is longer than the whole run of %.6g", m->step, m->end);
  if (steps > 1e15) return vv_complain(time, "end", "would take %.3g steps; no machine finishes that", steps);
  m->steps = (int64_t)steps;
  return VV_OK;
}

/* Not a mistake, but worth saying: a message without a failure. */
static void warn(const vv_model *m)
{
  if (vv_model_nodes(m) == 0) vvi_warn(m->root, "bodies", "nothing here moves: all bodies are obstacles");
  vvi_history_warn(m->root, m->step);
  vvi_material_warn(m, touches(m));
  if (m->stepper != &vv_event_stepper || !touches(m) || vvi_jump_chosen(m) == VVI_MODIFIED ||
      m->step <= 0.5 * m->stable_step)
    return;
  vvi_fail(m->ctx, VV_OK,
           "%s: 'jump: %s' cuts steps at events and gains energy near the stable step; take {safety: 0.3} or less",
           m->source, vvi_jump_chosen(m) == VVI_SLAB ? "slab" : "nodal");
}

/* ---- a first step, for numbers that no double holds ---- */

enum { PIECE = 1 << 15 }; /* threads share more reals than that */

/* 0, or not a number where a square is not finite: one pass without branches. */
static double overflow(int threads, int64_t n, const double *x)
{
  double sum = 0.0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : sum) if (n > PIECE)
  for (int64_t i = 0; i < n; i++) sum += 0.0 * (x[i] * x[i]);
  return sum;
}

/* The first body with a value whose square is not finite; NULL: none. */
const vv_body *vvi_lost_body(const vv_model *m, const double *q, const double *p)
{
  for (int i = 0; i < m->n_body; i++) {
    const vv_body *body = &m->body[i];
    const vv_block *b = &m->block[body->block];
    double sum = 0.0;
    for (int c = 0; c < b->kind->node_q; c++)
      sum += overflow(b->threads, body->n_node, q + b->q0 + c * b->column + body->node0);
    for (int c = 0; c < b->kind->node_p; c++)
      sum += overflow(b->threads, body->n_node, p + b->p0 + c * b->column + body->node0);
    if (sum != 0.0) return body;
  }
  return NULL;
}

/* Finite words can still be such that the first step overflows: kick, drift, kick without contacts, on a copy.  An implicit
 * step may be far longer than these could be: there the start alone is looked at. */
static vv_status move_copy(const vv_model *m, double *q, double *p)
{
  vv_totals sum;
  vvi_sys_audit(m, q, p, &sum);
  const bool sane = isfinite(vv_totals_energy(&sum));
  if (!vvi_model_implicit(m)) {
    vvi_sys_kick(m, 0.0, 0.5 * m->step, q, p);
    vvi_sys_drift(m, m->step, q, p);
    vvi_sys_kick(m, m->step, 0.5 * m->step, q, p);
  }
  const vv_body *lost = vvi_lost_body(m, q, p);
  if (lost == NULL && sane) {
    vvi_sys_audit(m, q, p, &sum);
    if (isfinite(vv_totals_energy(&sum))) return VV_OK;
  }
  return vv_complain(lost != NULL ? lost->group : m->root, lost != NULL ? NULL : "bodies",
                     "the first step of %.3g leaves the range of numbers; check the units of %s", m->step,
                     lost != NULL ? "its position, velocity, spin and loads"
                                  : "positions, velocities, loads and gravity");
}

static void copy_reals(const vv_model *m, double *to, const double *from, int64_t n)
{
#pragma omp parallel for schedule(static) num_threads(vv_ctx_threads(m->ctx)) if (n > PIECE)
  for (int64_t i = 0; i < n; i += PIECE) memcpy(to + i, from + i, sizeof *to * (size_t)(n - i < PIECE ? n - i : PIECE));
}

static vv_status try_step(const vv_model *m, const double *q, const double *p)
{
  vv_state *copy = NULL;
  if (!(vvi_norm3(m->gravity) < 1e100))
    return vv_complain(m->root, "gravity", "%.3g is no acceleration; check the units", vvi_norm3(m->gravity));
  if (vvi_state_create(m->nq, m->np, 0, &copy) != VV_OK)
    return vvi_fail(m->ctx, VV_NOMEM, "out of memory for the first step");
  copy_reals(m, copy->q, q, m->nq);
  copy_reals(m, copy->p, p, m->np);
  const vv_status status = move_copy(m, copy->q, copy->p);
  vv_state_destroy(copy);
  return status;
}

/* Velocities that belong to the first drift: momenta that move by them, and the kick before it taken back. */
static void start_by_drift(const vv_model *m, const double *q, double *p)
{
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->kind->launch != NULL) b->kind->launch(b, m->step, q + b->q0, p + b->p0);
  }
  vvi_sys_kick(m, 0.0, -0.5 * m->step, q, p);
}

/* From what bodies have filled in to the first state of a run. */
static vv_status start(const vv_model *m, double *q, double *p, vv_state *initial)
{
  copy_reals(m, initial->q, q, m->nq);
  copy_reals(m, initial->p, p, m->np);
  vvi_forget(q, sizeof *q * (size_t)m->nq);
  vvi_forget(p, sizeof *p * (size_t)m->np);
  if (m->stepper->start != NULL) m->stepper->start(m, initial);
  vvi_sys_flow(m, 0.0, initial->q, initial->p, NULL);
  VV_TRY(vvi_model_start(m, &initial->q, &initial->p));
  return vvi_keep(m->ctx, &initial->memory, sizeof *initial->memory, m->nh, "state.memory");
}

static vv_status build(vv_ctx *ctx, const vv_spec *spec, vv_model *m, vv_state **initial)
{
  double *q, *p;
  VV_TRY(vvi_model_build(ctx, spec, m, &q, &p));
  VV_TRY(vvi_joints_build(m, q, p));
  vv_status status = vvi_contact_build(m, q, p);
  if (m->pairs == NULL) return status;
  const vv_status method = choose_method(m);
  if (status == VV_OK) status = method;
  if (status != VV_OK) return status;
  VV_TRY(check_joints(m));
  VV_TRY(vvi_joints_settle(m));
  VV_TRY(check_modified(m, q, p));
  VV_TRY(choose_step(m, q));
  VV_TRY(check_modified_needed(m));
  VV_TRY(check_traction(m));
  if (!vvi_is_prepared(ctx)) {
    VV_TRY(try_step(m, q, p));
    if (vv_is(vv_sub(m->root, "method"), "start", "drift")) start_by_drift(m, q, p);
  }
  VV_TRY(vvi_probes_make(m, q, p));
  VV_TRY(vvi_stops_check(m));
  m->nh = VVI_PAIR_MEMORY * m->pairs->n + (m->stepper->memory != NULL ? m->stepper->memory(m) : 0);
  if (m->solids != NULL && !vvi_model_implicit(m)) {
    m->nh += vvi_contact_memory(m);
    m->shown = m->nh - m->np; /* the last section of that memory */
  }
  if (vvi_traction_asked(m)) {
    m->traction = m->nh;
    m->nh += vvi_traction_reals(m);
  }
  m->nh += vvi_joints_memory(m);
  if (vvi_state_create(m->nq, m->np, m->nh, initial) != VV_OK)
    return vvi_fail(ctx, VV_NOMEM, "out of memory for the state");
  if (!vvi_is_prepared(ctx)) VV_TRY(start(m, q, p, *initial));
  warn(m);
  return VV_OK;
}

/* A prepared start: of what ranks share each takes its own. */
static vv_status take_start(const vv_model *m, vv_state *initial)
{
  double *q, *p, *memory;
  VV_TRY(vvi_model_start(m, &q, &p));
  VV_TRY(vvi_keep(m->ctx, &memory, sizeof *memory, m->nh, "state.memory"));
  vvi_sys_copy(m, q, p, initial->q, initial->p);
  vvi_reals_copy(initial->memory, memory, (size_t)m->nh);
  vvi_forget(q, sizeof *q * (size_t)m->nq), vvi_forget(p, sizeof *p * (size_t)m->np);
  vvi_forget(memory, sizeof *memory * (size_t)m->nh);
  return VV_OK;
}

/* The first block that ranks would share; NULL: each of them moves everything. */
static const vv_block *shared_block(const vv_model *m)
{
  for (int i = 0; i < m->n_block; i++)
    if (m->block[i].kind->share != NULL && m->block[i].nodes > 0) return &m->block[i];
  return NULL;
}

/* Ranks share what the leapfrog moves. */
static vv_status share(vv_model *m, const vv_net *net)
{
  const vv_block *b = shared_block(m);
  if (net->ranks > 1 && b != NULL && m->stepper != &vv_leapfrog_stepper)
    return vvi_fail(
        m->ctx, VV_UNSUPPORTED,
        "%s: bodies of kind '%s' are shared over ranks by the leapfrog alone, not by '%s'; use one process, or "
        "'method: {step: leapfrog}'",
        m->source, b->kind->name, m->stepper->name);
  for (int i = 0; net->ranks > 1 && i < m->n_block; i++)
    if (m->block[i].kind->share != NULL && m->block[i].breaks)
      return vvi_fail(
          m->ctx, VV_UNSUPPORTED,
          "%s: bodies of kind '%s' that may break (material.failure) are not shared over ranks; use one process",
          m->source, m->block[i].kind->name);
  if (net->ranks > 1 && m->joints != NULL)
    return vvi_fail(m->ctx, VV_UNSUPPORTED, "%s: joints are not shared over ranks yet: use one process", m->source);
  return vvi_sys_share(m, net);
}

/* Ranks talk when they share a model: all of them have one, or none. */
static vv_status agree(vv_ctx *ctx, vv_status status)
{
  const vv_net *net = vvi_ctx_net(ctx);
  double good = status == VV_OK ? 1.0 : 0.0;
  if (net == NULL) return status;
  net->least(net, 1, &good);
  if (status != VV_OK || good > 0.0) return status;
  return vvi_fail(ctx, VV_NOMEM, "another rank could not set up this scene: is there memory for it?");
}

/* Ranks that read an older copy of a file, or were given other values, would wait for each other for ever, or compute nonsense.
 * The scene with its files, and what its hash leaves out. */
static vv_status check_same(const vv_model *m, const vv_net *net)
{
  const uint64_t part[] = {m->scene_hash, (uint64_t)m->steps, vvi_part_hash(m->root, "stop"),
                           vvi_part_hash(m->root, "record")};
  const uint64_t h = vvi_hash(VVI_HASH_SEED, part, sizeof part);
  const double low = (double)(uint32_t)h, high = (double)(h >> 32);
  double x[] = {low, -low, high, -high};
  net->least(net, VV_COUNT(x), x);
  if (x[0] == -x[1] && x[2] == -x[3]) return VV_OK;
  return vvi_fail(
      m->ctx, VV_SCENE,
      "%s: the ranks have read scenes that differ, or files of them that do; is it the same on all machines?",
      m->source);
}

vv_status vv_compile(vv_ctx *ctx, const vv_spec *spec, vv_model **model, vv_state **initial)
{
  *model = NULL;
  *initial = NULL;
  vvi_arena arena = {0};
  vv_model *m = VVI_ARENA_NEW(&arena, vv_model, 1);
  if (m == NULL) return vvi_fail(ctx, VV_NOMEM, "out of memory");
  m->arena = arena;
  vv_status status = agree(ctx, build(ctx, spec, m, initial));
  if (status == VV_OK && vvi_ctx_net(ctx) != NULL) status = check_same(m, vvi_ctx_net(ctx));
  if (status == VV_OK && vvi_ctx_net(ctx) != NULL) status = share(m, vvi_ctx_net(ctx));
  if (status == VV_OK && vvi_is_prepared(ctx)) status = take_start(m, *initial);
  if (status != VV_OK) {
    vv_model_destroy(m);
    return status;
  }
  *model = m;
  return VV_OK;
}

int64_t vv_model_tiles(const vv_model *m)
{
  int64_t n = 0;
  for (int i = 0; m->stepper == &vv_leapfrog_stepper && m->joints == NULL && i < m->n_block; i++)
    if (m->block[i].kind->pieces != NULL && !m->block[i].breaks) n += m->block[i].kind->pieces(&m->block[i]);
  return n;
}

int64_t vv_model_hard_pairs(const vv_model *m)
{
  return m->pairs->n_hard;
}
