/* ledger/ledger.c  Closes the ledger: compares posted work and impulses with the totals of the state. */
#include "ledger/episodes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME(name, text, unit) text,
#define UNIT(name, text, unit) unit,
static const char *const column_name[] = {VV_LEDGER_LIST(NAME)}, *const column_unit[] = {VV_LEDGER_LIST(UNIT)};
#undef NAME
#undef UNIT

int vv_ledger_columns(void)
{
  return VV_LEDGER_COLUMNS;
}

const char *vv_ledger_name(int column)
{
  return column >= 0 && column < VV_LEDGER_COLUMNS ? column_name[column] : NULL;
}

const char *vv_ledger_unit(int column)
{
  return column >= 0 && column < VV_LEDGER_COLUMNS ? column_unit[column] : NULL;
}

int vv_ledger_find(const char *name)
{
  for (int i = 0; name != NULL && i < VV_LEDGER_COLUMNS; i++)
    if (strcmp(column_name[i], name) == 0) return i;
  return -1;
}

static void fill_row(const vv_ledger *l, double out[VV_LEDGER_COLUMNS])
{
  const vv_totals *now = &l->now;
  const vv_posted *b = &l->posted;
  out[VV_LEDGER_KINETIC] = now->kinetic, out[VV_LEDGER_STRAIN] = now->strain;
  out[VV_LEDGER_POTENTIAL] = now->potential, out[VV_LEDGER_CONTACT] = now->contact;
  out[VV_LEDGER_EXTERNAL_WORK] = vv_sum_value(&b->external_work);
  out[VV_LEDGER_FRICTION_LOSS] = vv_sum_value(&b->friction_loss);
  out[VV_LEDGER_RESTITUTION_LOSS] = vv_sum_value(&b->restitution_loss);
  out[VV_LEDGER_STEP_LOSS] = vv_sum_value(&b->step_loss);
  out[VV_LEDGER_JOINT_WORK] = vv_sum_value(&b->joint_work);
  out[VV_LEDGER_PLASTIC_WORK] = vv_sum_value(&b->plastic_work);
  out[VV_LEDGER_VISCOUS_LOSS] = vv_sum_value(&b->viscous_loss);
  out[VV_LEDGER_DAMAGE_LOSS] = vv_sum_value(&b->damage_loss);
  out[VV_LEDGER_TOTAL] = vv_totals_energy(now), out[VV_LEDGER_INITIAL_TOTAL] = vv_totals_energy(&l->initial);
  out[VV_LEDGER_NODAL_TOTAL] = l->nodal_now, out[VV_LEDGER_ENERGY_H2] = l->modified_now;
  out[VV_LEDGER_MAX_DISTORTION] = l->max_distortion, out[VV_LEDGER_DISTORTION_WHEN] = l->distortion_when;
  out[VV_LEDGER_MAX_STRETCH] = l->max_stretch, out[VV_LEDGER_STRETCH_WHEN] = l->stretch_when;
  out[VV_LEDGER_CLOSURE] = l->closure, out[VV_LEDGER_MAX_CLOSURE] = l->max_closure;
  out[VV_LEDGER_ENERGY_SCALE] = l->energy_scale;
  out[VV_LEDGER_P_DRIFT] = l->p_drift, out[VV_LEDGER_MAX_P_DRIFT] = l->max_p_drift;
  out[VV_LEDGER_L_DRIFT] = l->L_drift, out[VV_LEDGER_MAX_L_DRIFT] = l->max_L_drift;
  out[VV_LEDGER_PENETRATION] = l->penetration, out[VV_LEDGER_MAX_PENETRATION] = l->max_penetration;
  out[VV_LEDGER_CONTACTS] = (double)l->contacts, out[VV_LEDGER_IMPACTS] = (double)l->impacts;
  out[VV_LEDGER_HELD] = (double)l->held, out[VV_LEDGER_FALLBACKS] = (double)l->fallbacks;
  for (int c = 0; c < 3; c++) {
    out[VV_LEDGER_P_X + c] = now->p[c], out[VV_LEDGER_L_X + c] = now->L[c];
    out[VV_LEDGER_IMPULSE_X + c] = vv_sum_value(&b->impulse[c]);
    out[VV_LEDGER_MOMENT_X + c] = vv_sum_value(&b->moment[c]);
  }
}

void vv_ledger_row(const vv_ledger *l, int n, double *out)
{
  double row[VV_LEDGER_COLUMNS];
  fill_row(l, row);
  for (int i = 0; i < n; i++) out[i] = i < VV_LEDGER_COLUMNS ? row[i] : NAN;
}

double vv_ledger_get(const vv_ledger *l, int column)
{
  double row[VV_LEDGER_COLUMNS];
  if (column < 0 || column >= VV_LEDGER_COLUMNS) return NAN;
  fill_row(l, row);
  return row[column];
}

vv_status vv_ledger_create(vv_ledger **out)
{
  *out = calloc(1, sizeof **out);
  return *out != NULL ? VV_OK : VV_NOMEM;
}

vv_status vv_ledger_copy(vv_ledger *to, const vv_ledger *from)
{
  if (to == NULL || from == NULL) return VV_ARG;
  if (to == from) return VV_OK;
  vvi_episodes *kept = to->episodes;
  *to = *from;
  to->episodes = kept;
  return vvi_ledger_adopt(to, from->episodes);
}

vv_status vvi_ledger_adopt(vv_ledger *l, const vvi_episodes *from)
{
  if (from == NULL) {
    vvi_episodes_clear(l->episodes);
    return VV_OK;
  }
  if (l->episodes == NULL || l->episodes->bodies != from->bodies) {
    vvi_episodes_destroy(l->episodes);
    l->episodes = vvi_episodes_create(from->bodies, from->way * from->h);
    if (l->episodes == NULL) return VV_NOMEM;
    memcpy(l->episodes->pause, from->pause, sizeof(double) * (size_t)from->bodies);
  }
  return vvi_episodes_copy(l->episodes, from) ? VV_OK : VV_NOMEM;
}

void vv_ledger_destroy(vv_ledger *ledger)
{
  if (ledger != NULL) vvi_episodes_destroy(ledger->episodes);
  free(ledger);
}

double vv_sum_value(const vv_sum *s)
{
  return s->value + s->carry;
}

double vv_posted_losses(const vv_posted *b)
{
  const double contact =
      vv_sum_value(&b->friction_loss) + (vv_sum_value(&b->restitution_loss) + vv_sum_value(&b->step_loss));
  return contact + (vv_sum_value(&b->plastic_work) + vv_sum_value(&b->viscous_loss) + vv_sum_value(&b->damage_loss));
}

static void add_sum(vv_sum *to, const vv_sum *own)
{
  if (own->value == 0.0 && own->carry == 0.0) return; /* mostly */
  vvi_sum_add(to, own->value);
  vvi_sum_add(to, own->carry);
}

void vvi_posted_add(vv_posted *to, const vv_posted *own)
{
  add_sum(&to->external_work, &own->external_work);
  add_sum(&to->friction_loss, &own->friction_loss);
  add_sum(&to->restitution_loss, &own->restitution_loss);
  add_sum(&to->step_loss, &own->step_loss);
  add_sum(&to->joint_work, &own->joint_work);
  add_sum(&to->plastic_work, &own->plastic_work);
  add_sum(&to->viscous_loss, &own->viscous_loss);
  add_sum(&to->damage_loss, &own->damage_loss);
  for (int c = 0; c < 3; c++) add_sum(&to->impulse[c], &own->impulse[c]), add_sum(&to->moment[c], &own->moment[c]);
  to->impulse_abs += own->impulse_abs, to->moment_abs += own->moment_abs;
  for (int k = 0; k < 2; k++) to->single[k] += own->single[k];
  add_sum(&to->found, &own->found);
  to->pressed += own->pressed;
  to->stray += own->stray, to->findable += own->findable, to->lent += own->lent, to->cuts += own->cuts;
  to->joint_faded += own->joint_faded;
  if (own->held > to->held) to->held = own->held;
  if (own->joint_half > to->joint_half) to->joint_half = own->joint_half;
  if (own->joint_gap > to->joint_gap) to->joint_gap = own->joint_gap;
}

double vv_totals_energy(const vv_totals *t)
{
  return t->kinetic + t->strain + t->potential + t->contact;
}

/* The scale of energies is what the run was given: the initial energy, and what loads and gravity put in.  Energy that
 * appears from nowhere does not count, so an error cannot hide itself by growing. */
static void grow_scales(vv_ledger *l, const vv_totals *t)
{
  const double given =
      l->initial.kinetic + fmax(l->initial.strain, 0.0) + l->initial.contact; /* [ledger 11] is below zero */
  const double fed = fabs(vv_sum_value(&l->posted.external_work)) + fabs(t->potential - l->initial.potential);
  l->energy_scale = fmax(l->energy_scale, given + fed);
  /* a bar that is pulled slowly holds little momentum, but loads and supports pass much through it */
  l->p_scale = fmax(l->p_scale, t->p_abs + l->posted.impulse_abs);
  l->L_scale = fmax(l->L_scale, t->L_abs + l->posted.moment_abs);
}

void vvi_ledger_open(vv_ledger *l, const vv_totals *balanced, double nodal, double rounding, double reach)
{
  *l = (vv_ledger){.initial = *balanced,
                   .now = *balanced,
                   .nodal_initial = nodal,
                   .nodal_now = nodal,
                   .rounding = rounding,
                   .reach = reach,
                   .distortion_when = -1.0,
                   .stretch_when = -1.0,
                   .shadow_initial = NAN,
                   .energy_floor = rounding,
                   .anchor_events = -1};
  grow_scales(l, balanced);
}

/* J: what the state has and the books do not.                                                               [ledger 1] */
static double energy_gap(const vv_ledger *l, double energy, double initial)
{
  const vv_posted *b = &l->posted;
  return energy - initial - vv_sum_value(&b->external_work) - vv_sum_value(&b->joint_work) + vv_posted_losses(b);
}

double vvi_ledger_relative(const vv_ledger *l, double gap)
{
  if (fabs(gap) <= l->energy_floor) return 0.0;
  return l->energy_scale > l->energy_floor ? gap / l->energy_scale : gap;
}

/* [ledger 2] */
static double drift(const double now[3], const double initial[3], const vv_sum posted[3], double scale, double floor)
{
  double worst = 0.0;
  for (int c = 0; c < 3; c++) worst = fmax(worst, fabs(now[c] - initial[c] - vv_sum_value(&posted[c])));
  if (worst <= floor) return 0.0;
  return scale > 0.0 ? worst / scale : worst;
}

void vvi_ledger_note(vv_ledger *l, double energy)
{
  l->max_gap = fmax(l->max_gap, fabs(energy_gap(l, energy, vv_totals_energy(&l->initial))));
  l->max_closure = vvi_ledger_relative(l, l->max_gap);
}

void vvi_ledger_open_shadow(vv_ledger *l, double h2, double off)
{
  l->shadow_initial = h2;
  vvi_ledger_note_shadow(l, h2, off, 0.0);
}

/* What was found counts as far as theory lets it be.                                                       [ledger 16] */
void vvi_ledger_note_shadow(vv_ledger *l, double h2, double off, double ahead)
{
  const double most = 3.0 * sqrt(l->posted.findable) + l->posted.held,
               found = fmax(-most, fmin(most, vv_sum_value(&l->posted.found) + ahead));
  l->max_shadow_gap = fmax(l->max_shadow_gap, fabs(energy_gap(l, h2, l->shadow_initial) - found));
  l->max_shadow_off = fmax(l->max_shadow_off, fabs(off));
}

double vvi_ledger_shadow_error(const vv_ledger *l)
{
  return vvi_ledger_relative(l, l->max_shadow_gap);
}

/* Half of what single impulses were in a step beyond their sum went in and out again, and no momentum shows it: that of a box at rest,
 * which its weight pushes down and the floor up, would be compared with its own rounding.                   [ledger 2a] */
static double passed_through(const vv_sum posted[3], double single, double told[4])
{
  const double now[4] = {vv_sum_value(&posted[0]), vv_sum_value(&posted[1]), vv_sum_value(&posted[2]), single};
  double of_step[4];
  for (int c = 0; c < 4; c++) of_step[c] = now[c] - told[c], told[c] = now[c];
  return 0.5 * (of_step[3] - sqrt(of_step[0] * of_step[0] + of_step[1] * of_step[1] + of_step[2] * of_step[2]));
}

static void note_exchanged(vv_ledger *l)
{
  const double p = passed_through(l->posted.impulse, l->posted.single[0], l->told),
               L = passed_through(l->posted.moment, l->posted.single[1], l->told + 4);
  if (p > l->p_scale) l->p_scale = p;
  if (L > l->L_scale) l->L_scale = L;
}

static void note_losses(vv_ledger *l)
{
  const double lost[] = {vv_sum_value(&l->posted.restitution_loss), vv_sum_value(&l->posted.friction_loss),
                         vv_sum_value(&l->posted.step_loss),        vv_sum_value(&l->posted.viscous_loss),
                         vv_sum_value(&l->posted.plastic_work),     vv_sum_value(&l->posted.damage_loss)};
  for (int i = 0; i < VV_COUNT(lost); i++) { /* in every step: no calls */
    const double shrink = l->most_lost[i] - lost[i];
    if (shrink < 0.0) l->most_lost[i] = lost[i];
    if (shrink > l->max_shrink) l->max_shrink = shrink;
  }
}

void vvi_ledger_note_step(vv_ledger *l)
{
  note_losses(l);
  note_exchanged(l);
}

/* Every drift rounds the places anew and independently, so that the energies of rounding add up. */
void vvi_ledger_close(vv_ledger *l, const vv_totals *balanced, double nodal, int64_t drifts)
{
  l->now = *balanced;
  const double digits =
      16.0 * DBL_EPSILON * (fabs(l->initial.potential) + fabs(balanced->potential)); /* of a large offset */
  const double joints = 16.0 * DBL_EPSILON * l->posted.joint_half; /* taken and given again in every step */
  l->energy_floor = (l->rounding + joints) * (1.0 + fabs((double)drifts)) + digits;
  l->nodal_now = nodal;
  grow_scales(l, balanced);
  const double gap = energy_gap(l, vv_totals_energy(balanced), vv_totals_energy(&l->initial));
  l->closure = vvi_ledger_relative(l, gap);
  /* what moves through the origin has x x p of rounding alone */
  const double round = 16.0 * DBL_EPSILON * l->reach * l->p_scale * (1.0 + 1e-2 * sqrt(fabs((double)drifts)));
  l->p_drift = drift(balanced->p, l->initial.p, l->posted.impulse, l->p_scale, 0.0);
  l->L_drift = drift(balanced->L, l->initial.L, l->posted.moment, l->L_scale, round);
  l->least_sum = fmin(l->least_sum, gap);
  l->max_rise = fmax(l->max_rise, gap - l->least_sum);
  l->max_gap = fmax(l->max_gap, fabs(gap));
  l->max_joint_work = fmax(l->max_joint_work, fabs(vv_sum_value(&l->posted.joint_work)));
  l->max_nodal_gap = fmax(l->max_nodal_gap, fabs(energy_gap(l, nodal, l->nodal_initial)));
  l->max_closure = vvi_ledger_relative(l, l->max_gap);
  l->max_nodal_closure = vvi_ledger_relative(l, l->max_nodal_gap);
  l->max_p_drift = fmax(l->max_p_drift, l->p_drift);
  l->max_L_drift = fmax(l->max_L_drift, l->L_drift);
  l->max_penetration = fmax(l->max_penetration, l->penetration);
}
