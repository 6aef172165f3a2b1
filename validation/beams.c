/* validation/beams.c  Scenes and runs of the 2015 paper, and the error it measures. */
#include "beams.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCENE_TEXT = 4096 };

const char *const beams_scheme_name[BEAMS_SCHEMES] = {"lgvi", "lavi (SE(3) Cayley)", "lavi (Cayley and tangent)",
                                                      "lavi (exponential)", "feem"};
static const char *const drift_word[BEAMS_SCHEMES] = {"lgvi", "lavi-cayley", "lavi-cay", "lavi-exp", "lgvi"};

/* ---- scenes ---- */

static const char masses_text[] = ", masses: [{at: 0, mass: 10}, {at: 0.5, mass: 1}, {at: 1, mass: 10}]";
static const char loads_text[] =
    ", loads: [{at: 0, force: [-1, 1.6, -1.2], history: {pulse: {amplitude: 200, duration: 0.1}}}, "
    "{at: 0.5, force: [1, -1.6, 1.2], history: {pulse: {amplitude: 200, duration: 0.1}}}, "
    "{at: 1, force: [-1, 1.6, -1.2], history: {pulse: {amplitude: 200, duration: 0.1}}}]";
static const char *const profile_text[2] = {
    ", velocity_profile: [{at: [0, 0.5, 0.5, 1], factor: [4, -4, -2, 6], direction: [0.05, 0.1, 0.15]}]",
    ", velocity_profile: [{at: [0, 0.5, 1], factor: [4, -4, 4], direction: [0.05, 0.1, 0.15]}]"};
static const char *const shape_text[] = {
    [BEAMS_MASSES] = "",
    [BEAMS_ARC] = ", shape: {arc: {angle: 2.0943951023931953, stretch: 0.75}}, axis: [-0.8660254037844386, 0, 0.5], "
                  "normal: [0.5, 0, 0.8660254037844386]",
    [BEAMS_SMOOTH] = ", shape: {bump: {curvature: [0, 2.0943951023931953, 0], strain: [0, 0, -0.25]}}, axis: "
                     "[-0.8660254037844386, 0, 0.5], normal: [0.5, 0, 0.8660254037844386]",
    [BEAMS_FLIGHT] = ""};

static void scene_of(const beams_def *d, char *text)
{
  const bool masses = d->shape == BEAMS_MASSES, feem = d->scheme == BEAMS_FEEM;
  size_t n = (size_t)snprintf(text, SCENE_TEXT, "visviva: 1\ntime: {end: 1e6, step: %.17g}\nmethod: {step: %s", d->step,
                              feem ? "energy-momentum" : "leapfrog");
  n += (size_t)snprintf(text + n, SCENE_TEXT - n, ", order: %d%s}\nrecord: {modified: %s}\n",
                        d->order > 0 ? d->order : 2, d->drift ? ", start: drift" : "", d->modified ? "true" : "false");
  n += (size_t)snprintf(text + n, SCENE_TEXT - n,
                        "bodies:\n  beam: {kind: beam, length: 2, elements: %d, material: {young: %s, poisson: 0.35, "
                        "density: 1000}, section: {square: {side: 0.05}}, strain: %s, drift: %s",
                        d->elements, masses || d->shape == BEAMS_FLIGHT ? "1e7" : "1e4",
                        d->one_point || feem ? "one-point" : "trapezoid", drift_word[d->scheme]);
  n += (size_t)snprintf(text + n, SCENE_TEXT - n, "%s%s%s%s", shape_text[d->shape], masses ? masses_text : "",
                        masses ? profile_text[d->twelve] : "", masses && !d->unloaded ? loads_text : "");
  snprintf(text + n, SCENE_TEXT - n, ", velocity: [%.17g, %.17g, %.17g]}\n", d->boost[0], d->boost[1], d->boost[2]);
}

/* ---- runs ---- */

vv_status beams_open(vv_ctx *ctx, const beams_def *def, beams_run *run)
{
  char text[SCENE_TEXT];
  vv_spec *spec = NULL;
  const vv_sim_def sim = vv_sim_default();
  *run = (beams_run){.def = *def};
  scene_of(def, text);
  vv_status status = vv_scene_parse(ctx, "beam", text, strlen(text), &spec);
  if (status == VV_OK) status = vv_compile(ctx, spec, &run->model, &run->state);
  if (status == VV_OK) status = vv_sim_create(run->model, run->state, &sim, &run->sim);
  vv_spec_destroy(spec);
  if (status != VV_OK) beams_close(run);
  return status;
}

void beams_close(beams_run *run)
{
  vv_sim_destroy(run->sim);
  vv_state_destroy(run->state);
  vv_model_destroy(run->model);
  run->sim = NULL, run->state = NULL, run->model = NULL;
}

vv_status beams_steps(beams_run *run, int64_t n)
{
  vv_report report;
  const vv_status status = vv_sim_steps(run->sim, n, &report);
  run->wall += report.wall_seconds;
  return status != VV_OK ? status : report.reason == VV_REASON_DONE ? VV_OK : VV_ARG;
}

vv_status beams_unload(vv_ctx *ctx, beams_run *run)
{
  beams_run free_run;
  beams_def def = run->def;
  def.unloaded = true;
  vv_status status = beams_open(ctx, &def, &free_run);
  if (status != VV_OK) return status;
  status = vv_state_copy(free_run.state, run->state);
  free_run.wall = run->wall;
  beams_close(run);
  *run = free_run;
  return status;
}

/* ---- what is read off ---- */

void beams_node(const beams_run *run, int64_t node, double x[3], double frame[9])
{
  const vv_block *b = &run->model->block[0];
  beam_get(b, run->state->q + b->q0, node, x, frame);
}

void beams_at(const beams_run *run, int k, int n, double x[3])
{
  double frame[9];
  beams_node(run, (int64_t)run->def.elements * k / n, x, frame);
}

vv_totals beams_totals(const beams_run *run)
{
  vv_totals sum;
  vvi_sys_audit(run->model, run->state->q, run->state->p, &sum);
  return sum;
}

double beams_energy(const beams_run *run)
{
  return vv_totals_energy(&vv_sim_ledger(run->sim)->now);
}

/* The state holds momenta after half of the kick at its time: that half is taken back. */
double beams_energy_before(const beams_run *run)
{
  const vv_state *s = run->state;
  vv_totals sum;
  double *p = malloc(sizeof(double) * (size_t)s->np);
  if (p == NULL) return NAN;
  memcpy(p, s->p, sizeof(double) * (size_t)s->np);
  vvi_sys_kick(run->model, s->t, -0.5 * run->def.step, s->q, p);
  vvi_sys_audit(run->model, s->q, p, &sum);
  free(p);
  return vv_totals_energy(&sum);
}

double beams_frame_defect(const beams_run *run)
{
  double most = 0;
  for (int64_t i = 0; i <= run->def.elements; i++) {
    double x[3], f[9];
    beams_node(run, i, x, f);
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++)
        most = fmax(most, fabs(f[a] * f[b] + f[3 + a] * f[3 + b] + f[6 + a] * f[6 + b] - (a == b)));
  }
  return most;
}

double beams_distance(const beams_run *a, const beams_run *b)
{
  double most = 0;
  for (int64_t i = 0; i <= a->def.elements; i++) {
    double x[3], y[3], frame[9];
    beams_node(a, i, x, frame);
    beams_node(b, i, y, frame);
    for (int c = 0; c < 3; c++) most = fmax(most, fabs(x[c] - y[c]));
  }
  return most;
}

/* ---- errors ---- */

/* Sum over the nodes that both share of |g - g_ref|^2/|g_ref|^2, g the twelve entries of (Lambda, x). */
static double relative_square(const beams_run *run, const beams_run *ref)
{
  const int a = run->def.elements, b = ref->def.elements;
  const int most = a > b ? a : b, least = a < b ? a : b;
  double sum = 0;
  for (int i = 0; i <= least && most % least == 0; i++) {
    double g[12], r[12], top = 0, bottom = 0;
    beams_node(run, (int64_t)i * (a / least), g, g + 3);
    beams_node(ref, (int64_t)i * (b / least), r, r + 3);
    for (int c = 0; c < 12; c++) top += (g[c] - r[c]) * (g[c] - r[c]), bottom += r[c] * r[c];
    sum += top / bottom;
  }
  return sum;
}

/* Side by side: run 0 is the reference; ratio: ticks per step. */
typedef struct group {
  int n;
  beams_run run[BEAMS_GROUP + 1];
  int64_t ratio[BEAMS_GROUP + 1];
  double sum[BEAMS_GROUP + 1];
} group;

static vv_status group_open(vv_ctx *ctx, group *g, const beams_def *reference, int n, const beams_def member[],
                            double *tick)
{
  *tick = reference->step;
  for (int i = 0; i < n; i++) *tick = fmin(*tick, member[i].step);
  for (g->n = 0; g->n <= n; g->n++) {
    const beams_def *def = g->n == 0 ? reference : &member[g->n - 1];
    const vv_status status = beams_open(ctx, def, &g->run[g->n]);
    if (status != VV_OK) return status;
    g->ratio[g->n] = llround(def->step / *tick);
    g->sum[g->n] = 0;
  }
  return VV_OK;
}

static vv_status group_run(group *g, int64_t ticks)
{
  for (int64_t k = 1; k <= ticks; k++) {
    for (int i = 0; i < g->n; i++) {
      if (k % g->ratio[i] != 0) continue;
      const vv_status status = beams_steps(&g->run[i], 1);
      if (status != VV_OK) return status;
    }
    for (int i = 1; i < g->n; i++)
      if (k % g->ratio[i] == 0 && k % g->ratio[0] == 0) g->sum[i] += relative_square(&g->run[i], &g->run[0]);
  }
  return VV_OK;
}

vv_status beams_errors(vv_ctx *ctx, const beams_def *reference, int n, const beams_def member[], double end,
                       double error[])
{
  group *g = calloc(1, sizeof *g);
  double tick;
  if (g == NULL || n > BEAMS_GROUP) {
    free(g);
    return VV_NOMEM;
  }
  vv_status status = group_open(ctx, g, reference, n, member, &tick);
  if (status == VV_OK) status = group_run(g, llround(end / tick));
  for (int i = 1; status == VV_OK && i < g->n; i++) {
    const double dt = tick * (double)(g->ratio[i] > g->ratio[0] ? g->ratio[i] : g->ratio[0]);
    const int least = member[i - 1].elements < reference->elements ? member[i - 1].elements : reference->elements;
    error[i - 1] = sqrt(g->sum[i] * dt * 2.0 / least);
  }
  for (int i = 0; i < g->n; i++) beams_close(&g->run[i]);
  free(g);
  return status;
}

double beams_fit(int n, const double h[], const double error[])
{
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < n; i++) {
    const double x = log(h[i]), y = log(error[i]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

double beams_last(int n, const double h[], const double error[])
{
  return log(error[n - 2] / error[n - 1]) / log(h[n - 2] / h[n - 1]);
}
