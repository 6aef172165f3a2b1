/* validation/falls.c  Scenes and runs of the falling beam. */
#include "falls.h"

#include "book.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SCENE_TEXT = 4096 };

/* ---- scenes ---- */

static size_t add_pose(const falls_def *d, char *text, size_t room)
{
  if (d->pose == FALLS_STANDING)
    return (size_t)snprintf(text, room, "position: [0, 0, %.17g], axis: [0, 0, 1], normal: [1, 0, 0]}\n", d->lift);
  if (d->pose == FALLS_LYING) return (size_t)snprintf(text, room, "axis: [0.8, 0.6, 0], normal: [0, 0, 1]}\n");
  return (size_t)snprintf(text, room,
                          "position: [0, 0, %.17g], axis: [0, -0.479425538604203, 0.8775825618903728], normal: [1, 0, "
                          "0], shape: {uniform: {strain: [0, 0, 1], curvature: [1, 4.5, 1], steps: cayley}}, toward: "
                          "{position: [0, -9.58851077208406e-06, %.17g], strain: [-0.004, 0, 1], curvature: [1.004, "
                          "4.522, 0.996], time: %.17g}}\n",
                          d->lift, d->lift + 1.7551651237807457e-05, d->over);
}

static void scene_of(const falls_def *d, char *text)
{
  const char *gravity = d->pose == FALLS_LYING ? "3, 0, -9.5" : NULL;
  char plain[64], masses[320] = "";
  const double half = 0.25 / d->elements; /* m: of half an element */
  if (d->triangles) /* each node carries all of the element behind it: the ends twice what they have by halves */
    snprintf(
        masses, sizeof masses,
        ", masses: [{at: 0, mass: %.17g, inertia: [%.17g, %.17g, %.17g]}, {at: 1, mass: %.17g, inertia: [%.17g, %.17g, "
        "%.17g]}]",
        2.5 * half, 5.208333333333334e-4 * half, 5.208333333333334e-4 * half, 1.0416666666666668e-3 * half, 2.5 * half,
        5.208333333333334e-4 * half, 5.208333333333334e-4 * half, 1.0416666666666668e-3 * half);
  snprintf(plain, sizeof plain, "0, 0, %.17g", -10.0 * (d->gravity > 0 ? d->gravity : 1));
  size_t n =
      (size_t)snprintf(text, SCENE_TEXT,
                       "visviva: 1\ntime: {end: %.17g, step: %.17g}\nmethod: {step: event, jump: %s, order: %d%s}\n"
                       "gravity: [%s]\ncontacts: [{friction: %.17g, restitution: %d}]\nbodies:\n",
                       d->end, d->step, d->jump != NULL ? d->jump : "nodal", d->order > 0 ? d->order : 2,
                       d->pose == FALLS_THROWN ? ", start: drift" : "", gravity != NULL ? gravity : plain, d->friction,
                       d->pose != FALLS_LYING);
  n += (size_t)snprintf(
      text + n, SCENE_TEXT - n,
      "  beam: {kind: beam, length: %.17g, elements: %d%s, material: {young: 1e3, poisson: 0.35, density: "
      "1e3}, section: {%s}, strain: cayley, drift: cayley, touch: %s, ",
      0.5 * (d->elements - d->triangles) / d->elements, d->elements - d->triangles, masses,
      d->printed_moments ? "general: {area: 0.0025, bending: [5.208333333333334e-4, 5.208333333333334e-4], "
                           "rotary: [5.208333333333334e-7, 5.208333333333334e-7, 1.0416666666666668e-6]}"
                         : "square: {side: 0.05}",
      d->touch != NULL ? d->touch : "centroid");
  n += add_pose(d, text + n, SCENE_TEXT - n);
  snprintf(text + n, SCENE_TEXT - n, "  ground: {kind: obstacle, shape: {%s}}\n",
           d->obstacle != NULL ? d->obstacle : "plane: {normal: [0, 0, 1]}");
}

typedef struct fall {
  vv_model *model;
  vv_state *state;
  vv_sim *sim;
  int64_t nodes;
  int64_t watched; /* node; -1: the last */
} fall;

static void close_fall(fall *f)
{
  vv_sim_destroy(f->sim);
  vv_state_destroy(f->state);
  vv_model_destroy(f->model);
  *f = (fall){0};
}

static double noise(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

static vv_status open_fall(vv_ctx *ctx, const falls_def *def, double step, fall *f)
{
  char text[SCENE_TEXT];
  vv_spec *spec = NULL;
  vv_sim_def sim = vv_sim_default();
  uint64_t seed = 1000003u * (uint64_t)(def->seed + 1);
  *f = (fall){.nodes = def->elements + 1 - def->triangles, .watched = def->watch > 0 ? def->watch : -1};
  scene_of(def, text);
  vv_status status = def->data_2016 ? vv_scene_read(ctx, VV_EXAMPLES_DIR "/demoures2016/beam-A20.yaml", &spec)
                                    : vv_scene_parse(ctx, "fall", text, strlen(text), &spec);
  if (status == VV_OK && def->data_2016) status = vv_spec_set(spec, "method.jump", def->jump ? def->jump : "nodal");
  if (status == VV_OK) status = vv_compile(ctx, spec, &f->model, &f->state);
  sim.step = step;
  sim.check_structure = def->structure;
  if (status == VV_OK) status = vv_sim_create(f->model, f->state, &sim, &f->sim);
  for (int64_t i = 0; status == VV_OK && def->perturb != 0 && i < f->state->np; i++)
    f->state->p[i] *= 1 + def->perturb * noise(&seed);
  vv_spec_destroy(spec);
  if (status != VV_OK) close_fall(f);
  return status;
}

/* ---- a run ---- */

typedef struct watch {
  falls_record *out;
  int64_t step, every; /* of the series */
} watch;

static void watch_events(const vv_view *v, falls_record *out, int64_t *seen)
{
  for (int64_t i = 0; i < v->n_event; i++) {
    const vv_event *e = &v->event[i];
    if (*seen < FALLS_FIRST) out->time[*seen] = e->time, out->speed[*seen] = e->normal_speed;
    (*seen)++;
    out->jump = fmax(out->jump, fabs(e->energy_jump));
  }
}

static void momenta(const vv_ledger *l, double m[FALLS_MOMENTA])
{
  m[FALLS_J3] = l->now.L[2] - vv_sum_value(&l->posted.moment[2]);
  for (int c = 0; c < 2; c++) m[FALLS_P1 + c] = l->now.p[c] - vv_sum_value(&l->posted.impulse[c]);
}

static vv_status look(const vv_view *v, void *user)
{
  watch *w = user;
  falls_record *out = w->out;
  double m[FALLS_MOMENTA];
  momenta(v->ledger, m);
  if (v->first) {
    out->start = vv_totals_energy(&v->ledger->now);
    memcpy(out->momentum, m, sizeof m);
  }
  watch_events(v, out, &w->step);
  for (int k = 0; k < FALLS_MOMENTA; k++)
    out->drift[k] = fmax(out->drift[k], fabs((m[k] - out->momentum[k]) / out->momentum[k]));
  if (w->every > 0 && v->state->step % w->every == 0 && out->n < FALLS_SAMPLES) {
    out->t[out->n] = v->state->t;
    out->closure[out->n] = fabs(v->ledger->closure) * v->ledger->energy_scale / out->start;
    out->J3[out->n++] = m[FALLS_J3] / out->momentum[FALLS_J3] - 1;
  }
  return VV_OK;
}

static void read_off(const fall *f, const vv_report *report, falls_record *out)
{
  const vv_ledger *l = vv_sim_ledger(f->sim);
  out->impacts = l->impacts, out->fallbacks = l->fallbacks, out->held = l->held;
  out->end = vv_totals_energy(&l->now);
  out->error = l->max_gap / fabs(out->start);
  out->residual = l->max_event_residual;
  out->jump /= fabs(out->start);
  out->rubbed = vv_sum_value(&l->posted.friction_loss);
  out->penetration = l->max_penetration;
  out->stopped = report->reason != VV_REASON_DONE;
  vv_structure s;
  vv_sim_structure(f->sim, &s);
  out->symplectic = s.symplectic, out->multisymplectic = s.multisymplectic, out->noether = s.noether;
  out->configurational = s.configurational;
}

vv_status falls_run(vv_ctx *ctx, const falls_def *def, falls_record *out)
{
  fall f;
  vv_state *before = NULL;
  vv_report report = {.reason = VV_REASON_DONE};
  *out = (falls_record){0};
  BOOK_TRY(open_fall(ctx, def, 0, &f));
  watch w = {.out = out, .every = def->series ? 1 + vv_model_steps(f.model) / FALLS_SAMPLES : 0};
  vv_status status = vv_state_clone(f.state, &before);
  if (status == VV_OK) status = vv_sim_observe(f.sim, def->every > 0 ? def->every : 1, look, &w);
  if (status == VV_OK) status = vv_sim_run(f.sim, &report);
  if (status == VV_OK) {
    read_off(&f, &report, out);
    for (int64_t i = 0; i < f.state->nq; i++) out->slip = fmax(out->slip, fabs(f.state->q[i] - before->q[i]));
  }
  vv_state_destroy(before);
  close_fall(&f);
  return status;
}

/* ---- the tip ---- */

static vv_status tip_of(const fall *f, const vv_state *state, double tip[3])
{
  double *x = malloc(sizeof(double) * 3 * (size_t)f->nodes);
  if (x == NULL) return VV_NOMEM;
  const vv_status status = vv_model_output(f->model, state, 0, "position", x);
  for (int c = 0; c < 3; c++) tip[c] = x[3 * (f->watched >= 0 ? f->watched : f->nodes - 1) + c];
  free(x);
  return status;
}

static vv_status tip_within(const fall *f, double part, double tip[3])
{
  vv_state *copy = NULL;
  vv_sim *sim = NULL;
  vv_report report;
  vv_sim_def def = vv_sim_default();
  def.step = part;
  vv_status status = vv_state_clone(f->state, &copy);
  if (status == VV_OK) status = vv_sim_create(f->model, copy, &def, &sim);
  if (status == VV_OK) status = vv_sim_steps(sim, 1, &report);
  if (status == VV_OK) status = tip_of(f, copy, tip);
  vv_sim_destroy(sim);
  vv_state_destroy(copy);
  return status;
}

vv_status falls_tip(vv_ctx *ctx, const falls_def *def, int n, const double when[], double tip[][3])
{
  fall f;
  vv_report report;
  BOOK_TRY(open_fall(ctx, def, 0, &f));
  vv_status status = VV_OK;
  for (int i = 0; i < n && status == VV_OK; i++) {
    const int64_t whole = (int64_t)floor(when[i] / def->step * (1 + 1e-12));
    const double part = when[i] - (double)whole * def->step;
    status = vv_sim_steps(f.sim, whole - f.state->step, &report);
    if (status == VV_OK) status = part > 1e-6 * def->step ? tip_within(&f, part, tip[i]) : tip_of(&f, f.state, tip[i]);
  }
  close_fall(&f);
  return status;
}

/* ---- chaos ---- */

static double apart(const fall *a, const fall *b)
{
  double most = 0; /* the first three columns of q are places; the others are numbers of size 1 */
  for (int64_t i = 0; i < a->state->nq; i++) most = fmax(most, fabs(a->state->q[i] - b->state->q[i]));
  return most;
}

vv_status falls_horizon(vv_ctx *ctx, const falls_def *def, double perturb, int n, const double far[], double when[])
{
  fall a, b;
  vv_report report;
  falls_def other = *def;
  other.perturb = perturb;
  BOOK_TRY(open_fall(ctx, def, 0, &a));
  vv_status status = open_fall(ctx, &other, 0, &b);
  if (status != VV_OK) close_fall(&a);
  BOOK_TRY(status);
  const int64_t block = llround(0.005 / def->step);
  for (int i = 0; i < n; i++) when[i] = def->end + 1;
  while (status == VV_OK && a.state->t < def->end - 0.5 * def->step) {
    status = vv_sim_steps(a.sim, block, &report);
    if (status == VV_OK) status = vv_sim_steps(b.sim, block, &report);
    for (int i = 0; i < n; i++)
      if (when[i] > def->end && apart(&a, &b) >= far[i]) when[i] = a.state->t;
  }
  close_fall(&a);
  close_fall(&b);
  return status;
}

static int by_size(const void *x, const void *y)
{
  const double a = *(const double *)x, b = *(const double *)y;
  return a < b ? -1 : a > b;
}

enum { MOST_MEMBERS = 64 };
vv_status falls_ensemble(vv_ctx *ctx, const falls_def *def, int n, falls_crowd *out)
{
  falls_record *r = malloc(sizeof *r);
  double sum = 0, square = 0, error[MOST_MEMBERS];
  vv_status status = r == NULL ? VV_NOMEM : n <= MOST_MEMBERS ? VV_OK : VV_ARG;
  *out = (falls_crowd){.least = INT64_MAX};
  for (int i = 0; i < n && status == VV_OK; i++) {
    falls_def member = *def;
    member.perturb = i == 0 ? 0 : 1e-9, member.seed = i;
    status = falls_run(ctx, &member, r);
    if (status != VV_OK) break;
    sum += (double)r->impacts, square += (double)r->impacts * (double)r->impacts;
    error[i] = r->error;
    out->least = r->impacts < out->least ? r->impacts : out->least;
    out->most = r->impacts > out->most ? r->impacts : out->most;
  }
  free(r);
  if (status != VV_OK) return status;
  qsort(error, (size_t)n, sizeof *error, by_size);
  out->error = 0.5 * (error[(n - 1) / 2] + error[n / 2]);
  out->mean = sum / n;
  out->deviation = sqrt(fmax(0, (square - sum * sum / n) / (n - 1)));
  return VV_OK;
}
