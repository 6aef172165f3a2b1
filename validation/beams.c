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
    [BEAMS_CHORD] = ", shape: {arc: {angle: 2.0943951023931953, stretch: 0.9068996821171089}}, axis: "
                    "[-0.8660254037844386, 0, 0.5], normal: [0.5, 0, 0.8660254037844386]",
    [BEAMS_SMOOTH] = ", shape: {bump: {curvature: [0, 2.0943951023931953, 0], strain: [0, 0, -0.25]}}, axis: "
                     "[-0.8660254037844386, 0, 0.5], normal: [0.5, 0, 0.8660254037844386]",
    [BEAMS_FLIGHT] = ""};

static void scene_of(const beams_def *d, char *text)
{
  const bool masses = d->shape == BEAMS_MASSES, feem = d->scheme == BEAMS_FEEM;
  size_t n = (size_t)snprintf(text, SCENE_TEXT, "visviva: 1\ntime: {end: %.17g, step: %.17g}\nmethod: {step: %s",
                              1e9 * d->step, d->step,
                              feem      ? "energy-momentum"
                              : d->rkmk ? "rkmk"
                                        : "leapfrog");
  n += (size_t)snprintf(text + n, SCENE_TEXT - n, ", order: %d%s}\nrecord: {modified: %s}\n",
                        d->order > 0 ? d->order : 2, d->drift ? ", start: drift" : "", d->modified ? "true" : "false");
  n += (size_t)snprintf(text + n, SCENE_TEXT - n,
                        "bodies:\n  beam: {kind: beam, length: 2, elements: %d, material: {young: %s, poisson: 0.35, "
                        "density: 1000}, section: {square: {side: 0.05}}, strain: %s, drift: %s",
                        d->elements, masses || d->shape == BEAMS_FLIGHT ? "1e7" : "1e4",
                        d->one_point || feem ? "one-point"
                        : d->exponential     ? "exp"
                                             : "trapezoid",
                        drift_word[d->scheme]);
  n += (size_t)snprintf(text + n, SCENE_TEXT - n, "%s%s%s%s", shape_text[d->shape], masses ? masses_text : "",
                        masses ? profile_text[d->twelve] : "", masses && !d->unloaded ? loads_text : "");
  snprintf(text + n, SCENE_TEXT - n, ", velocity: [%.17g, %.17g, %.17g]}\n", d->boost[0], d->boost[1], d->boost[2]);
}

/* ---- runs ---- */

static int64_t nodes_of(const beams_run *run)
{
  return run->def.elements + 1;
}

vv_status beams_open(vv_ctx *ctx, const beams_def *def, beams_run *run)
{
  char text[SCENE_TEXT];
  vv_spec *spec = NULL;
  const vv_sim_def sim = vv_sim_default();
  *run = (beams_run){.def = *def, .stale = true};
  scene_of(def, text);
  run->seen = malloc(sizeof(double) * 12 * (size_t)nodes_of(run));
  vv_status status = run->seen != NULL ? vv_scene_parse(ctx, "beam", text, strlen(text), &spec) : VV_NOMEM;
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
  free(run->seen);
  run->sim = NULL, run->state = NULL, run->model = NULL, run->seen = NULL;
}

vv_status beams_steps(beams_run *run, int64_t n)
{
  vv_report report;
  const vv_status status = vv_sim_steps(run->sim, n, &report);
  run->wall += report.wall_seconds;
  run->stale = true;
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

/* Nothing here can fail: the kind has these fields, and not a number is what a failure would show. */
static void look(beams_run *run)
{
  static const char *const field[4] = {"position", "d1", "d2", "d3"};
  if (!run->stale) return;
  for (int i = 0; i < 4; i++) {
    double *out = run->seen + 3 * nodes_of(run) * i;
    if (vv_model_output(run->model, run->state, 0, field[i], out) != VV_OK) out[0] = NAN;
  }
  run->stale = false;
}

void beams_node(beams_run *run, int64_t node, double g[12])
{
  look(run);
  for (int i = 0; i < 12; i++) g[i] = run->seen[3 * (nodes_of(run) * (i / 3) + node) + i % 3];
}

void beams_at(beams_run *run, int k, int n, double x[3])
{
  double g[12];
  beams_node(run, (int64_t)run->def.elements * k / n, g);
  memcpy(x, g, sizeof(double) * 3);
}

void beams_stress(beams_run *run, int element, double n[3], double m[3])
{
  const size_t room = sizeof(double) * 3 * (size_t)run->def.elements;
  double *all = malloc(room);
  for (int c = 0; c < 3; c++) n[c] = m[c] = NAN;
  if (all != NULL && vv_model_output(run->model, run->state, 0, "n", all) == VV_OK)
    memcpy(n, all + 3 * element, sizeof(double) * 3);
  if (all != NULL && vv_model_output(run->model, run->state, 0, "m", all) == VV_OK)
    memcpy(m, all + 3 * element, sizeof(double) * 3);
  free(all);
}

double beams_energy(const beams_run *run)
{
  return vv_totals_energy(&vv_sim_ledger(run->sim)->now);
}

/* Half of momentum times velocity, of places and of frames. */
static vv_status kinetic_of(const beams_run *run, double *out)
{
  static const char *const field[4] = {"momentum", "velocity", "angular_momentum", "angular_velocity"};
  const int64_t n = 3 * nodes_of(run);
  double *all = malloc(sizeof(double) * 4 * (size_t)n);
  vv_status status = all != NULL ? VV_OK : VV_NOMEM;
  for (int i = 0; i < 4 && status == VV_OK; i++)
    status = vv_model_output(run->model, run->state, 0, field[i], all + n * i);
  *out = 0;
  for (int64_t k = 0; k < n && status == VV_OK; k++)
    *out += 0.5 * (all[k] * all[n + k] + all[2 * n + k] * all[3 * n + k]);
  free(all);
  return status;
}

/* The state holds momenta after half of the kick at its time: that half is taken back. */
vv_status beams_energy_before(const beams_run *run, beams_run *twin, double *energy)
{
  const vv_state *s = run->state;
  vv_state *t = twin->state;
  const double back = 0.5 * run->def.step / twin->def.step;
  double kinetic;
  vv_status status = vv_state_copy(t, s);
  if (status == VV_OK) status = beams_steps(twin, 1);
  if (status != VV_OK) return status;
  for (int64_t i = 0; i < s->np; i++) t->p[i] = s->p[i] - back * (t->p[i] - s->p[i]);
  memcpy(t->q, s->q, sizeof(double) * (size_t)s->nq);
  status = kinetic_of(twin, &kinetic);
  *energy = kinetic + vv_sim_ledger(run->sim)->now.strain;
  return status;
}

double beams_frame_defect(beams_run *run)
{
  double most = 0;
  for (int64_t i = 0; i < nodes_of(run); i++) {
    double g[12];
    beams_node(run, i, g);
    for (int a = 3; a < 12; a += 3)
      for (int b = 3; b < 12; b += 3)
        most = fmax(most, fabs(g[a] * g[b] + g[a + 1] * g[b + 1] + g[a + 2] * g[b + 2] - (a == b)));
  }
  return most;
}

/* ---- errors ---- */

/* Sum over the nodes that both share of |g - g_ref|^2/|g_ref|^2, g the twelve entries of (Lambda, x). */
static double relative_square(beams_run *run, beams_run *ref)
{
  const int a = run->def.elements, b = ref->def.elements;
  const int most = a > b ? a : b, least = a < b ? a : b;
  double sum = 0;
  for (int i = 0; i <= least && most % least == 0; i++) {
    double g[12], r[12], top = 0, bottom = 0;
    beams_node(run, (int64_t)i * (a / least), g);
    beams_node(ref, (int64_t)i * (b / least), r);
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
