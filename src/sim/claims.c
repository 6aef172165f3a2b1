/* sim/claims.c  What a method promises for a scene, and whether the run kept it.
 *
 * Exact promises are bounded by rounding.  The energy of a leapfrog of order 2 is not exact but bounded: on a linear system
 * it conserves I = K + V - (h^2/8) f.M^-1 f, so H stays within [I, I/(1 - y)], y = (h/h_stable)^2:               [ledger 4]
 *   |closure| <= y/(1 - y).
 * Of nonlinear bodies no such number is known beforehand: a beam that is bent or stretched hard rings higher than its rest
 * shape, which h_stable belongs to.  Where the energy H2 of fourth order is known it is what is judged, and the bound is made
 * of what the run itself shows [ledger 16]:
 *   |closure of H2 - found| <= 3 y max|H2 - H| + 3 stray + (4/5) y/(1 - y) held,
 * the next term of the series, the random walk of what is not known of impacts, and the next order of what contacts that hold have
 * for half a step; `found` is what forces and trial flights tell of what contact brought beside its work.  Elsewhere (order 4 and
 * 6, steps that are cut, loads, damping) the bound is h/h_stable, which leaves room for a frequency sqrt(h_stable/h) times as high; it catches what
 * blows up.  Such a bound, and one above a tenth of the energy, is called a guard: a run within it did not blow up, and that is
 * all that is said. */
#include "sim/sim.h"

#include "contact/contact.h"
#include "contact/shapes/solids.h"
#include "contact/sheets.h"
#include "math/math.h"
#include "step/contact.h"
#include "step/variation.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* Of the energy: what is farther off than this did not blow up, and that is all that can be said of it. */
#define VVI_GUARD 0.1

static void add(vv_sim *sim, const char *name, const char *nature, double bound)
{
  VV_ASSERT(sim->n_claim < VVI_MAX_CLAIMS);
  sim->base[sim->n_claim] = bound;
  sim->claim[sim->n_claim++] = (vv_claim){.name = name, .nature = nature, .bound = bound, .kept = true};
}

/* The 2005 paper's projections add energy: nothing is promised for them. */
static bool uses_projection(const vv_model *m)
{
  if (m->stepper != &vv_dcr2005_stepper) return false;
  if (m->sheets != NULL && m->sheets->projection > VVI_UNTOUCHED) return true;
  for (int i = 0; i < m->pairs->n; i++)
    if (m->pairs->pair[i].compliance <= 0.0 && m->pairs->pair[i].projection > VVI_UNTOUCHED) return true;
  return false;
}

static bool loses(const vv_model *m)
{
  if (vvi_sys_dissipates(m)) return true;
  for (int i = 0; i < m->pairs->n; i++)
    if (m->pairs->pair[i].restitution < 1.0 || m->pairs->pair[i].friction > 0.0) return true;
  if (m->solids != NULL && (m->solids->loses || m->solids->rough)) return true;
  if (m->sheets != NULL && (m->sheets->loses || m->sheets->rough)) return true;
  return false;
}

/* Exact means exact to rounding, and rounding adds up: as the square root of the steps, and with the distance travelled,
 * because a displacement of many lengths leaves fewer digits for the strain.  The latter costs a pass over the state: unless it
 * is asked for, nothing has gone far. */
static double rounding_growth(const vv_sim *sim, bool far_too)
{
  double far = 0.0;
  for (int64_t i = 0; far_too && i < sim->model->nx; i++) far = fmax(far, fabs(sim->state->q[i]));
  const double lengths = far / sim->model->length_scale;
  return sqrt(1.0 + (double)llabs(sim->state->step) / 1e4) * (1.0 + lengths / 1e3);
}

static double energy_bound(const vv_model *m, double ratio)
{
  if (!isfinite(m->stable_step)) return 1e-12;
  if ((vvi_sys_claims(m) & VV_LINEAR) == 0) return ratio;
  const double y = ratio * ratio;
  return y < 1.0 ? y / (1.0 - y) + 1e-12 : INFINITY;
}

static const char *energy_nature(const vv_sim *sim, double bound)
{
  const vv_model *m = sim->model;
  const bool walks = m->pairs->n > 0 && (m->stepper == &vv_event_stepper || m->pairs->n_soft > 0); /* [bars 17a, 19b] */
  const bool linear = (vvi_sys_claims(m) & VV_LINEAR) != 0 && !walks;
  const bool guard = isfinite(m->stable_step) && ((!linear && !sim->shadow) || bound > VVI_GUARD);
  if (guard) return loses(m) ? "guard, losses booked" : "guard";
  return loses(m) ? "bounded, losses booked" : "bounded";
}

/* A half kick rounds a momentum p by eps/2 of it, and its energy by eps of it.  Under a steady force p + c falls between the same two
 * neighbours for many steps, and is rounded to the same side: in n steps eps n of the momenta, 2 eps n of the energy, and of the
 * angular momentum reach times that of the momenta.  Of the sum of the momenta that is true only where something acts from outside:
 * inner forces are turned by every wave.                                                                      [ledger 12] */
static double steps_rounding(const vv_sim *sim, const char *name)
{
  const vv_ledger *l = &sim->ledger;
  const double each = DBL_EPSILON * fabs((double)sim->state->step);
  if (strcmp(name, "energy") == 0 || strcmp(name, "losses") == 0) return 2.0 * each;
  bool acts = l->posted.impulse_abs > 0.0 || l->posted.single[0] > 0.0;
  for (int c = 0; c < 3; c++) acts = acts || vv_sum_value(&l->posted.impulse[c]) != 0.0;
  if (!acts) return 0.0;
  if (strcmp(name, "momentum") == 0) return each;
  if (strcmp(name, "angular_momentum") != 0 || !(l->L_scale > 0.0)) return 0.0;
  return each * fmax(1.0, l->reach * l->p_scale / l->L_scale);
}

/* Rounding of places that makes the energy R of nothing changes a strain energy V by up to 2 sqrt(R V) in a step (of stiff
 * bodies that hardly stretch it is most of the error), and adds up as a random walk.                        [ledger 10] */
static double strain_rounding(const vv_ledger *l, int64_t steps)
{
  const double strain = fmax(fabs(l->now.strain), fabs(l->initial.strain));
  return l->energy_scale > 0.0 ? 2.0 * sqrt(l->rounding * strain * (1.0 + fabs((double)steps))) / l->energy_scale : 0.0;
}

/* The work P.(v + v+)/2 of what holds is a difference of terms of the size P.M^-1 P/2, four times what it has at whole steps; two of them
 * are rounded in each step.  Contacts of energy-momentum steps end eight roundings from their law at the most, and while the same is
 * pressed, on the same side of it in every step.                                                         [ledger 10a, 10b] */
static double pressed_rounding(const vv_sim *sim)
{
  const vv_ledger *l = &sim->ledger;
  const double scale =
      l->energy_scale > l->energy_floor ? l->energy_scale : 1.0; /* as gaps are told: J where nothing moves */
  const double held = sim->step.contact != NULL ? vvi_contact_still(sim->step.contact) : l->posted.held;
  const double walk = 8.0 * sqrt(1.0 + fabs((double)sim->state->step)) * held, drift = 32.0 * l->posted.pressed;
  return DBL_EPSILON * (walk + drift) / scale;
}

/* Energy-momentum steps push along the plane of a contact, and with e < 1 let it sink by (1 - e)/2 of a step's way, which is cut in
 * parts: a hundredth of a body, as in heaps, where it travels 0.16/(1 - e) of itself in a step at the most [em 13b].  Springs yield by as much as they are soft; by more than half a body, and they push it out on the other side. */
static bool springs(const vv_model *m)
{
  for (int i = 0; i < m->solids->rules.n; i++)
    if (vv_is(m->solids->rule[i].group, "response", "penalty")) return true;
  return false;
}

/* m: how deep two bodies may be in each other, of which the smaller has this size (edge of a shell, radius of a beam).  Bodies are
 * answered before they overlap, but the feature that is nearest may change within a step: a thousandth.  Bodies that bounce for ever
 * under gravity dip by its way in one step, and in heaps nothing pushes out again what was pressed together while it slid: a
 * hundredth, which is seen.                                                                                   [ledger 19] */
static double overlap_bound(const vv_sim *sim, double size)
{
  const vv_model *m = sim->model;
  const bool rests = m->solids != NULL && m->solids->rests;
  if (vvi_model_implicit(m)) return (springs(m) ? 0.5 : VVI_SEEN_DEPTH) * size;
  const double h = sim->step.h, dip = h * h * vvi_norm3(m->gravity);
  return fmax((rests ? VVI_SEEN_DEPTH : 1e-3) * size, fmin(dip, VVI_SEEN_DEPTH * size));
}

/* m: of the smallest that can meet. */
static double smallest(const vv_model *m)
{
  const double edge = m->sheets != NULL ? m->sheets->edge_length : INFINITY,
               size = m->solids != NULL ? fmin(m->solids->smallest, edge) : edge;
  return isfinite(size) ? size : m->length_scale;
}

/* What contacts brought and did not pay back yet, or took where nothing may be lost, at the most, beside what those that hold have:
 * reflections of the plain energy where those of the shadow energy would meet again, gaps that turn.  And what pairs of tips owe.
 * [contact 30, bars 19c] */
static double debt(const vv_sim *sim)
{
  const double off = sim->step.contact != NULL ? vvi_contact_off(sim->step.contact) : 0.0;
  return vvi_ledger_relative(&sim->ledger, off + (sim->step.lends ? sim->ledger.max_pair_debt : 0.0));
}

/* Three deviations of a random walk of all that was ever lent, of each loan no more than theory lets it be: loans that are paid back
 * stay below it, ten that pile up do not, nor does one that is too large.  Beside it what the forces of contacts that last did while
 * their gaps opened, which is owed until they close again [contact 30b, 30c].  Pairs of tips: what a step may lend each of them, the
 * walk of what they were lifted by, and never a tenth of the energy.                                           [bars 19c] */
static double debt_bound(const vv_sim *sim, double rounding, bool far_too)
{
  const vv_ledger *l = &sim->ledger;
  const double pairs = (1.0 + sqrt((double)sim->model->pairs->n)) * l->most_lent + 3.0 * sqrt(l->lifted);
  double bound = rounding * rounding_growth(sim, far_too);
  if (sim->step.lends) bound += fmin(VVI_GUARD, vvi_ledger_relative(l, pairs));
  if (sim->step.contact == NULL) return bound;
  return bound + pressed_rounding(sim) +
         vvi_ledger_relative(l, 3.0 * sqrt(l->posted.lent) + vvi_contact_opening(sim->step.contact));
}

/* What restitution, friction and materials take never shrinks; and energy with losses never rises, where the method keeps it exactly.
 * Where it is bounded the claim `energy` bounds its rise.                                                  [ledger 14] */
static double losses(const vv_sim *sim)
{
  const vv_ledger *l = &sim->ledger;
  return vvi_ledger_relative(l, fmax(l->max_shrink, sim->step.exact ? l->max_rise : 0.0));
}

static double joint_work(const vv_sim *sim)
{
  return vvi_ledger_relative(&sim->ledger, sim->ledger.max_joint_work);
}

/* What joints do to the energy is a third of how the kinetic energy of half an impulse of theirs changes, two thirds where both
 * impulses of a place are booked together, four thirds where loads act on rigid bodies; half again for higher orders.  Impacts
 * leave such an amount each, of either sign; media what they change of it.  Where nothing moves both are told in J.  [joint 8a, 8c, 9] */
static double joint_bound(const vv_sim *sim)
{
  const vv_ledger *l = &sim->ledger;
  const double part = sim->half_kick != NULL ? 1.5 : sim->step.exact ? 0.5 : 1.0;
  const double half = (1.0 + sqrt((double)l->impacts)) * l->posted.joint_half + 4.0 * l->posted.joint_faded;
  return 1e-12 + vvi_ledger_relative(l, part * half + l->energy_floor);
}

/* m: how far a body may be off its `motion`.  An impact throws it off by h times the speed that it takes, and the next step leads it
 * back; what stays in its way holds it off for as long as that lasts.  As an overlap that is seen.          [rigid 19a] */
static double motion_bound(const vv_sim *sim)
{
  return VVI_SEEN_DEPTH * smallest(sim->model);
}

/* Behind all others: bodies may be led from some time on. */
void vvi_claims_lead(vv_sim *sim)
{
  for (int i = 0; i < sim->n_claim; i++)
    if (strcmp(sim->claim[i].name, "motion") == 0) return;
  add(sim, "motion", "bounded", motion_bound(sim));
}

/* Arms as printed in the paper on rigid contact turn what they push. */
static bool turns(const vv_model *m)
{
  for (int i = 0; i < vv_count(m->root, "contacts"); i++)
    if (vv_is(vv_item(m->root, "contacts", i), "arms", "printed")) return true;
  return false;
}

static void claim_structure(vv_sim *sim, bool event)
{
  if (sim->step.vary == NULL) return;
  const bool symplectic = (vvi_sys_claims(sim->model) & VV_SYMPLECTIC) != 0;
  if (symplectic && (!event || sim->step.jump != VVI_NODAL)) add(sim, "symplectic", "exact", 1e-13);
  if (symplectic && sim->step.vary->by_slabs) add(sim, "multisymplectic", "exact", 1e-13);
  if (sim->step.vary->by_slabs && !sim->step.vary->clamped) add(sim, "noether", "exact", 1e-13);
}

void vvi_claims_make(vv_sim *sim)
{
  const vv_model *m = sim->model;
  const bool event = m->stepper == &vv_event_stepper, dcr = !event && !vvi_model_implicit(m) &&
                                                            (m->pairs->n_hard > 0 || m->sheets != NULL) &&
                                                            !uses_projection(m);
  const double ratio = fabs(sim->step.h) / m->stable_step;
  sim->n_claim = 0;
  if (sim->step.exact)
    add(sim, "energy", loses(m) ? "exact, losses booked" : "exact", 1e-12);
  else if (!uses_projection(m))
    add(sim, "energy", energy_nature(sim, sim->shadow ? 0.0 : energy_bound(m, ratio)), energy_bound(m, ratio));
  if (loses(m) && !uses_projection(m)) add(sim, "losses", "exact", 1e-12);
  if (m->joints != NULL) add(sim, "joints", "exact", 1e-12 * fmax(m->length_scale, m->reach));
  if (m->joints != NULL && !vvi_model_implicit(m)) add(sim, "joint_work", "bounded", 0.0);
  add(sim, "momentum", "exact", 1e-12);
  if ((m->sheets == NULL || !uses_projection(m)) && !turns(m) && m->stepper != &vv_rkmk_stepper)
    add(sim, "angular_momentum", "exact", 1e-12);
  /* pairs at rest are thrown and caught: neighbours disturb each other's return a little; the leapfrog looks ahead along
   * straight lines, and a node that turns leaves them by h^3 */
  const bool loose = loses(m) || (dcr && m->pairs->n_curved > 0);
  const bool penetrates = m->sheets != NULL && m->sheets->projection != VVI_ANTICIPATE;
  const bool solids = sim->step.contact != NULL && sim->step.locate == NULL; /* as well */
  const bool layers = m->pairs->n_layer > 0 && !penetrates;
  sim->by_size = vvi_model_implicit(m) ? m->solids != NULL : (solids && !penetrates) || layers;
  const double least = (dcr && m->pairs->n_curved > 0 ? 1e-6 : loose ? 1e-9 : 1e-12) * m->length_scale;
  const bool hard = m->pairs->n_hard > 0; /* massless tips cannot overlap */
  if ((event && hard) || (dcr && !penetrates))
    add(sim, "penetration", loose || solids ? "bounded" : "exact", least);
  else if (sim->step.contact != NULL && !penetrates)
    add(sim, "penetration", sim->step.locate != NULL ? "exact" : "bounded", 1e-12 * m->length_scale);
  else if ((vvi_model_implicit(m) && m->solids != NULL) || layers)
    add(sim, "penetration", "bounded", 0.0);
  else if ((sim->step.sides != NULL || sim->may_fold) && !penetrates)
    add(sim, "penetration", "exact", 1e-12 * m->length_scale);
  if ((solids && !penetrates) || sim->step.lends) add(sim, "debt", "bounded", 1e-12);
  if (event && m->pairs->n_hard + m->pairs->n_soft > 0 && !sim->step.on_off_printed)
    add(sim, "event_balance", "exact", 1e-13);
  claim_structure(sim, event);
  if (vvi_act_leads(sim)) vvi_claims_lead(sim);
}

/* Of the energy of fourth order, by what the run has shown so far; never above the guard.                   [ledger 16] */
static double shadow_bound(const vv_sim *sim, double guard, bool far_too)
{
  const vv_ledger *l = &sim->ledger;
  const double ratio = sim->step.h / sim->model->stable_step, y = ratio * ratio;
  if (!(l->energy_scale > 0.0)) return guard;
  const double joules =
      3.0 * (y * l->max_shadow_off + sqrt(l->posted.stray)) + vvi_contact_next_order(y) * l->posted.held;
  return fmin(guard, 1e-12 * rounding_growth(sim, far_too) + steps_rounding(sim, "energy") +
                         strain_rounding(l, sim->state->step) + joules / l->energy_scale);
}

/* Of two bodies, or of a beam and itself. */
static vv_overlap deepest(const vv_sim *sim)
{
  const vv_ledger *l = &sim->ledger;
  vv_overlap out = l->overlap;
  if (!sim->by_size) out = (vv_overlap){.depth = l->max_penetration, .size = sim->model->length_scale};
  vvi_overlap_take(&out, l->folded.depth, l->folded.size);
  return out;
}

static double worst_of(const vv_sim *sim, const char *name)
{
  const vv_ledger *l = &sim->ledger;
  if (strcmp(name, "energy") == 0) return sim->shadow ? vvi_ledger_shadow_error(l) : l->max_closure;
  if (strcmp(name, "losses") == 0) return losses(sim);
  if (strcmp(name, "joints") == 0) return l->posted.joint_gap; /* m */
  if (strcmp(name, "joint_work") == 0) return joint_work(sim);
  if (strcmp(name, "motion") == 0) return vvi_act_off(sim); /* m */
  if (strcmp(name, "momentum") == 0) return l->max_p_drift;
  if (strcmp(name, "angular_momentum") == 0) return l->max_L_drift;
  if (strcmp(name, "penetration") == 0) return deepest(sim).depth; /* m */
  if (strcmp(name, "debt") == 0) return debt(sim);
  if (strcmp(name, "event_balance") == 0) return l->max_event_residual;
  const struct vvi_variation *v = sim->step.vary;
  return strcmp(name, "symplectic") == 0 ? v->symplectic
         : strcmp(name, "noether") == 0  ? v->noether
                                         : v->multisymplectic;
}

/* Loads on bodies that fly exactly, at orders 4 and 6: the kicks of a stage, of which the longest counts.     [ledger 11] */
static double kick_bound(const vv_sim *sim)
{
  const vvi_composition *k = sim->step.composition;
  double longest = 0.0;
  for (int i = 0; i < k->stages; i++) longest = fmax(longest, fabs(k->gamma[i]));
  const double scale = sim->ledger.energy_scale;
  return scale > 0.0 ? longest * longest * sim->ledger.kick_energy / scale : 0.0;
}

/* The worst values live in the ledger, so that a resumed run remembers them. */
/* The bound of claim i, as far as the run has come. */
static double bound_of(vv_sim *sim, int i, bool far_too)
{
  const vv_ledger *l = &sim->ledger;
  vv_claim *c = &sim->claim[i];
  const bool energy = strcmp(c->name, "energy") == 0, joules = energy || strcmp(c->name, "losses") == 0;
  double bound = energy && sim->half_kick != NULL && !sim->step.exact ? sim->base[i] + kick_bound(sim) : sim->base[i];
  if (strcmp(c->name, "joint_work") == 0) bound = joint_bound(sim);
  if (strcmp(c->name, "debt") == 0) bound = debt_bound(sim, bound, far_too);
  if (strcmp(c->name, "penetration") == 0 && sim->by_size)
    bound = fmax(bound, overlap_bound(sim, deepest(sim).depth > 0.0 ? deepest(sim).size : smallest(sim->model)));
  if (energy && sim->shadow) bound = shadow_bound(sim, sim->base[i], far_too), c->nature = energy_nature(sim, bound);
  if (strncmp(c->nature, "exact", 5) == 0 && c->worst > bound)
    bound = fmax(fmax(bound, c->bound), /* what came back was far away */
                 sim->base[i] * rounding_growth(sim, far_too) +
                     (joules ? strain_rounding(l, sim->state->step) + pressed_rounding(sim) : 0.0) +
                     steps_rounding(sim, c->name));
  return bound;
}

/* precise: bounds are as they will be told; otherwise only where a claim that was kept would break. */
void vvi_claims_judge(vv_sim *sim, bool precise)
{
  vv_ledger *l = &sim->ledger;
  for (int i = 0; i < sim->n_claim; i++) {
    vv_claim *c = &sim->claim[i];
    const double worst = worst_of(sim, c->name);
    if (strcmp(c->name, "energy") ==
        0) { /* its scale may have grown since: a beam at rest that is pushed has none at first */
      const double gap = sim->shadow ? l->max_shadow_gap : l->max_gap;
      if (gap > l->claim_gap) l->claim_gap = gap, l->claim_when[i] = sim->state->t;
      l->claim_worst[i] = worst;
    } else if (strcmp(c->name, "joint_work") == 0 || strcmp(c->name, "debt") == 0 ||
               strcmp(c->name, "losses") == 0) { /* the same scale */
      if (worst > l->claim_worst[i]) l->claim_when[i] = sim->state->t;
      l->claim_worst[i] = worst;
    } else if (strcmp(c->name, "penetration") == 0 && sim->by_size) { /* of two others, perhaps */
      if (worst != l->claim_worst[i]) l->claim_when[i] = sim->state->t;
      l->claim_worst[i] = worst;
    } else if (worst > l->claim_worst[i]) {
      l->claim_worst[i] = worst, l->claim_when[i] = sim->state->t;
    }
    c->worst = l->claim_worst[i], c->when = l->claim_when[i];
    /* an event without a root keeps its residual, and no claim is made of it; the modified rule turns it back instead */
    if (strcmp(c->name, "event_balance") == 0 && l->fallbacks > 0 && sim->step.jump != VVI_MODIFIED)
      c->nature = "exact where solved";
    c->bound = bound_of(sim, i, precise);
    if (!precise && c->kept && c->worst > c->bound) c->bound = bound_of(sim, i, true);
    c->kept = c->worst <= c->bound;
  }
}

int vv_sim_claims(const vv_sim *sim, const vv_claim **claims)
{
  *claims = sim->claim;
  return sim->n_claim;
}
