/* validation/record.c  The observer of the book, and what can be read off its record. */
#include "record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct recorder {
  const record_plan *plan;
  record *out;
} recorder;

/* ---- the observer ---- */

static vv_status grow(record *r)
{
  double **column[] = {&r->t,        &r->u[0],     &r->u[1], &r->v[0], &r->v[1],    &r->at[0], &r->at[1],
                       &r->speed[0], &r->speed[1], &r->p[0], &r->p[1], &r->closure, &r->nodal, &r->force};
  const int64_t room = r->room > 0 ? 2 * r->room : 4096;
  for (size_t i = 0; i < sizeof column / sizeof column[0]; i++) {
    double *more = realloc(*column[i], sizeof(double) * (size_t)room);
    if (more == NULL) return VV_NOMEM;
    *column[i] = more;
  }
  r->room = room;
  return VV_OK;
}

static vv_status keep_events(record *r, const vv_view *view)
{
  for (int64_t i = 0; i < view->n_event; i++) {
    if (r->n_event == r->event_room) {
      const int64_t room = r->event_room > 0 ? 2 * r->event_room : 256;
      record_event *more = realloc(r->event, sizeof *more * (size_t)room);
      if (more == NULL) return VV_NOMEM;
      r->event = more, r->event_room = room;
    }
    const vv_event *e = &view->event[i];
    r->event[r->n_event++] = (record_event){.time = e->time,
                                            .speed = e->normal_speed,
                                            .impulse = e->normal_impulse,
                                            .energy_jump = e->energy_jump,
                                            .opens = strcmp(e->kind, "off") == 0};
  }
  return VV_OK;
}

/* Closed massless parts share a force F; the tip moves by -F compliance from its node.                      [bars 17] */
static void keep_tips(const record_plan *plan, const vv_state *s, record *r)
{
  const int64_t k = r->n;
  double compliance = 0;
  for (int i = 0; i < 2; i++) {
    const record_tip *tip = &plan->tip[i];
    const bool moves = i < plan->n_tip;
    r->u[i][k] = moves ? s->q[tip->node] : 0;
    r->v[i][k] = moves ? s->p[tip->node] / tip->mass : 0;
    r->p[i][k] = 0;
    for (int64_t j = 0; moves && j < tip->nodes; j++) r->p[i][k] += s->p[tip->first + j];
    compliance += moves ? tip->compliance : 0;
  }
  r->soft = compliance > 0;
  const double gap = plan->gap + r->u[1][k] - r->u[0][k], rate = r->v[1][k] - r->v[0][k];
  r->force[k] = r->soft ? fmax(0, -gap / compliance) : 0;
  for (int i = 0; i < 2; i++) {
    r->at[i][k] = r->u[i][k];
    r->speed[i][k] = r->v[i][k];
    if (r->force[k] <= 0) continue;
    const double share = (i < plan->n_tip ? plan->tip[i].compliance : 0) / compliance, sign = i == 0 ? 1 : -1;
    r->at[i][k] += sign * share * gap;
    r->speed[i][k] += sign * share * rate;
  }
}

static vv_status observe(const vv_view *view, void *user)
{
  recorder *me = user;
  record *r = me->out;
  const vv_status status = keep_events(r, view);
  if (status != VV_OK || (me->plan->every > 0 && view->state->step % me->plan->every != 0)) return status;
  if (r->n == r->room && grow(r) != VV_OK) return VV_NOMEM;
  r->t[r->n] = view->state->t;
  r->closure[r->n] = view->ledger->closure;
  r->nodal[r->n] = (view->ledger->nodal_now - view->ledger->nodal_initial) / view->ledger->energy_scale;
  keep_tips(me->plan, view->state, r);
  r->n++;
  return VV_OK;
}

/* ---- runs ---- */

static double draw(uint64_t *x)
{
  *x ^= *x << 13, *x ^= *x >> 7, *x ^= *x << 17;
  return (double)(*x >> 11) * 0x1p-53 - 0.5;
}

static void perturb(const record_plan *plan, vv_state *s)
{
  uint64_t seed = 88172645463325252u;
  for (int i = 0; plan->perturb != 0 && i < plan->n_tip; i++) {
    const record_tip *tip = &plan->tip[i];
    for (int64_t j = tip->first; j < tip->first + tip->nodes; j++) {
      s->q[j] += plan->perturb * draw(&seed);
      s->p[j] += plan->perturb * draw(&seed) * tip->mass;
    }
  }
}

static vv_status run_model(const vv_model *model, vv_state *state, const record_plan *plan, record *out)
{
  vv_sim *sim = NULL;
  vv_sim_def def = vv_sim_default();
  recorder me = {plan, out};
  def.check_structure = plan->structure;
  perturb(plan, state);
  vv_status status = vv_sim_create(model, state, &def, &sim);
  if (status == VV_OK) status = vv_sim_observe(sim, 1, observe, &me);
  if (status == VV_OK) status = vv_sim_run(sim, &out->report);
  if (status == VV_OK) {
    out->ledger = *vv_sim_ledger(sim);
    vv_sim_structure(sim, &out->structure);
    out->stable_step = vv_model_stable_step(model);
    out->step = vv_model_step(model);
    status = vv_state_clone(state, &out->end);
  }
  vv_sim_destroy(sim);
  return status;
}

vv_status record_run(vv_ctx *ctx, const vv_spec *spec, const record_plan *plan, record *out)
{
  vv_model *model = NULL;
  vv_state *state = NULL;
  *out = (record){0};
  vv_status status = vv_compile(ctx, spec, &model, &state);
  if (status == VV_OK) status = run_model(model, state, plan, out);
  vv_state_destroy(state);
  vv_model_destroy(model);
  return status;
}

void record_free(record *r)
{
  free(r->t);
  for (int i = 0; i < 2; i++) free(r->u[i]), free(r->v[i]), free(r->at[i]), free(r->speed[i]), free(r->p[i]);
  free(r->closure);
  free(r->force);
  free(r->nodal);
  free(r->event);
  vv_state_destroy(r->end);
  *r = (record){0};
}

/* ---- the published cases ---- */

record_plan record_case_plan(const cases_def *def)
{
  const cases_row *row = cases_row_of(def->number);
  const char *tips = def->tips != NULL ? def->tips : "lumped";
  const bool cell = strcmp(tips, "cell") == 0, split = strcmp(tips, "split") == 0;
  record_plan plan = {.n_tip = 2, .gap = cases_gap(def)};
  int64_t first = 0;
  for (int i = 0; i < 2; i++) {
    const int n = def->elements[i] > 0 ? def->elements[i] : cases_elements(def->number, i);
    const double l = row->length[i] / n;
    record_tip *tip = &plan.tip[i];
    tip->first = first, tip->nodes = cell ? n : n + 1;
    tip->node = i == 0 ? first + tip->nodes - 1 : first;
    tip->mass = row->density[i] * l * (cell ? 1 : 0.5);
    tip->bar_mass = row->density[i] * row->length[i];
    tip->compliance = (cell ? 0.5 : split ? 0.25 : 0) * l / row->young[i];
    first += tip->nodes;
  }
  return plan;
}

vv_status record_case(vv_ctx *ctx, const cases_def *def, const record_plan *plan, record *out)
{
  char text[CASES_TEXT_SZ];
  vv_spec *spec = NULL;
  const record_plan usual = record_case_plan(def);
  *out = (record){0};
  if (!cases_scene(def, text, sizeof text)) return VV_ARG;
  vv_status status = vv_scene_parse(ctx, "case", text, strlen(text), &spec);
  if (status == VV_OK) status = record_run(ctx, spec, plan != NULL ? plan : &usual, out);
  vv_spec_destroy(spec);
  return status;
}

/* ---- what the tables show ---- */

double record_first(const record *r)
{
  return r->n_event > 0 ? r->event[0].time : NAN;
}

double record_last(const record *r)
{
  return r->n_event > 0 ? r->event[r->n_event - 1].time : NAN;
}

int64_t record_contacts(const record *r)
{
  int64_t n = 0;
  for (int64_t i = 0; i < r->n_event; i++) n += !r->event[i].opens;
  return n;
}

int64_t record_level(const record *r, double t)
{
  int64_t lo = 0, hi = r->n - 1;
  while (lo < hi) {
    const int64_t mid = (lo + hi + 1) / 2;
    if (r->t[mid] <= t)
      lo = mid;
    else
      hi = mid - 1;
  }
  return lo;
}

double record_mean_velocity(const record *r, const record_plan *plan, int side)
{
  return r->p[side][r->n - 1] / plan->tip[side].bar_mass;
}

double record_force(const record *r, double from, double to)
{
  const int64_t i = record_level(r, from), j = record_level(r, to);
  return (r->p[0][i] - r->p[0][j]) / (r->t[j] - r->t[i]);
}

static double deviation(const record *r, const wave_bars *w, int side, int64_t i)
{
  return r->v[side][i] - wave_tip_velocity(w, side == 0 ? WAVE_A : WAVE_B, r->t[i]);
}

double record_oscillation(const record *r, const wave_bars *w, double from, double to)
{
  double sum = 0;
  int64_t n = 0;
  for (int64_t i = 0; i < r->n; i++) {
    if (r->t[i] < from || r->t[i] > to) continue;
    for (int k = 0; k < (w->wall ? 1 : 2); k++, n++) sum += deviation(r, w, k, i) * deviation(r, w, k, i);
  }
  return n > 0 ? sqrt(sum / (double)n) : NAN;
}

double record_oscillation_max(const record *r, const wave_bars *w, double from, double to)
{
  double worst = 0;
  for (int64_t i = 0; i < r->n; i++)
    for (int k = 0; k < (w->wall ? 1 : 2); k++)
      if (r->t[i] >= from && r->t[i] <= to) worst = fmax(worst, fabs(deviation(r, w, k, i)));
  return worst;
}

static bool touches(const record *r, int64_t i, double from, double to)
{
  return r->t[i] >= from && r->t[i] <= to && (!r->soft || r->force[i] > 0);
}

double record_tip_speed(const record *r, double from, double to)
{
  double worst = 0;
  for (int64_t i = 0; i < r->n; i++)
    for (int k = 0; k < 2; k++)
      if (touches(r, i, from, to)) worst = fmax(worst, fabs(r->speed[k][i]));
  return worst;
}

double record_tip_deviation(const record *r, const wave_bars *w, double from, double to)
{
  double worst = 0;
  for (int64_t i = 0; i < r->n; i++)
    for (int k = 0; k < (w->wall ? 1 : 2); k++)
      if (touches(r, i, from, to))
        worst = fmax(worst, fabs(r->speed[k][i] - wave_tip_velocity(w, k == 0 ? WAVE_A : WAVE_B, r->t[i])));
  return worst;
}

double record_tip_oscillation(const record *r, const wave_bars *w, double from, double to)
{
  double sum = 0;
  int64_t n = 0;
  for (int64_t i = 0; i < r->n; i++)
    for (int k = 0; k < (w->wall ? 1 : 2); k++)
      if (touches(r, i, from, to)) {
        const double d = r->speed[k][i] - wave_tip_velocity(w, k == 0 ? WAVE_A : WAVE_B, r->t[i]);
        sum += d * d, n++;
      }
  return n > 0 ? sqrt(sum / (double)n) : NAN;
}

double record_growth(const record *a, const record *b, double size)
{
  double worst = 0;
  for (int64_t i = 0; i < a->end->nq; i++) worst = fmax(worst, fabs(a->end->q[i] - b->end->q[i]));
  return worst / (0.5 * size);
}
