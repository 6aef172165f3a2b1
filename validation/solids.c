/* validation/solids.c  See solids.h. */
#include "solids.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void solids_head(char text[SOLIDS_TEXT], double step, const char *gravity, const char *method, const char *contact)
{
  snprintf(text, SOLIDS_TEXT,
           "visviva: 1\ntime: {end: %.17g, step: %.17g}\ngravity: %s\nmethod: {%s}\ncontacts: [{%s}]\nrecord: {every: "
           "%.17g}\nbodies:\n",
           1e9 * step, step, gravity, method, contact, 1e6 * step);
}

void solids_body(char text[SOLIDS_TEXT], const char *format, ...)
{
  const size_t used = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, SOLIDS_TEXT - used, format, args);
  va_end(args);
}

static vv_status watch(const vv_view *view, void *user)
{
  solids_run *run = user;
  const vv_totals *now = &view->ledger->now;
  const double energy = vv_totals_energy(now);
  if (run->looks++ == 0) run->kinetic_first = now->kinetic, run->energy = energy;
  run->kinetic_error = fmax(run->kinetic_error, fabs(now->kinetic - run->kinetic_first) / run->kinetic_first);
  run->rise = fmax(run->rise, energy - run->energy);
  run->scale = fmax(run->scale, fabs(now->kinetic) + fabs(now->strain) + fabs(now->potential));
  run->energy = energy;
  return VV_OK;
}

/* The spec is destroyed. */
static vv_status open_spec(vv_ctx *ctx, vv_spec *spec, vv_status status, int64_t every, solids_run *run)
{
  const vv_sim_def def = vv_sim_default();
  *run = (solids_run){0};
  if (status == VV_OK) status = vv_compile(ctx, spec, &run->model, &run->state);
  if (status == VV_OK) status = vv_sim_create(run->model, run->state, &def, &run->sim);
  if (status == VV_OK) status = vv_sim_observe(run->sim, every, watch, run);
  vv_spec_destroy(spec);
  if (status != VV_OK) solids_close(run);
  return status;
}

vv_status solids_open(vv_ctx *ctx, const char *text, int64_t every, solids_run *run)
{
  vv_spec *spec = NULL;
  const vv_status status = vv_scene_parse(ctx, "solids", text, strlen(text), &spec);
  return open_spec(ctx, spec, status, every, run);
}

vv_status solids_open_set(vv_ctx *ctx, const char *name, const char *const *set, int64_t every, solids_run *run)
{
  vv_spec *spec = NULL;
  char path[1024];
  snprintf(path, sizeof path, "%s/../validation/scenes/%s.yaml", VV_EXAMPLES_DIR, name);
  vv_status status = vv_scene_read(ctx, path, &spec);
  for (; status == VV_OK && *set != NULL; set += 2) status = vv_spec_set(spec, set[0], set[1]);
  return open_spec(ctx, spec, status, every, run);
}

vv_status solids_open_shipped(vv_ctx *ctx, const char *name, const char *step, int64_t every, solids_run *run)
{
  return solids_open_set(ctx, name, (const char *const[]){"method.step", step, NULL}, every, run);
}

void solids_close(solids_run *run)
{
  vv_sim_destroy(run->sim);
  vv_state_destroy(run->state);
  vv_model_destroy(run->model);
  run->sim = NULL, run->state = NULL, run->model = NULL;
}

vv_status solids_steps(solids_run *run, int64_t n)
{
  vv_report report;
  const clock_t from = clock();
  BOOK_TRY(vv_sim_steps(run->sim, n, &report));
  run->seconds += (double)(clock() - from) / CLOCKS_PER_SEC;
  if (report.reason == VV_REASON_DONE) return VV_OK;
  fprintf(stderr, "%s: %s\n", vv_reason_text(report.reason), report.message);
  return VV_ARG;
}

const vv_ledger *solids_ledger(const solids_run *run)
{
  return vv_sim_ledger(run->sim);
}

vv_status solids_field(const solids_run *run, const char *body, const char *field, double *out)
{
  for (int i = 0; i < vv_model_bodies(run->model); i++)
    if (strcmp(vv_model_body_name(run->model, i), body) == 0)
      return vv_model_output(run->model, run->state, i, field, out);
  return VV_ARG;
}

vv_status solids_most(const solids_run *run, const char *body, const char *field, int64_t n, double *most)
{
  double *v = malloc(sizeof(double) * 3 * (size_t)n);
  const vv_status status = v != NULL ? solids_field(run, body, field, v) : VV_NOMEM;
  *most = 0;
  for (int64_t i = 0; status == VV_OK && i < n; i++)
    *most = fmax(*most, hypot(hypot(v[3 * i], v[3 * i + 1]), v[3 * i + 2]));
  free(v);
  return status;
}
