/* tests/support/run.c  See run.h. */
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>

static void must(vv_ctx *ctx, vv_status status, const char *what)
{
  if (status == VV_OK) return;
  for (int i = 0; i < vv_ctx_message_count(ctx); i++) print_error("%s\n", vv_ctx_message(ctx, i));
  fail_msg("%s: %s", what, vv_status_text(status));
}

static vv_status keep_events(const vv_view *view, void *user)
{
  run_record *r = user;
  for (int64_t i = 0; i < view->n_event; i++) {
    if (r->n_event == r->room) {
      r->room = r->room > 0 ? 2 * r->room : 256;
      r->event = realloc(r->event, (size_t)r->room * sizeof *r->event);
      assert_non_null(r->event);
    }
    r->event[r->n_event++] = view->event[i];
  }
  return VV_OK;
}

run_record run_prepare(const char *text, const run_options *options)
{
  run_record r = {0};
  vv_spec *spec = NULL;
  vv_ctx_def def = vv_ctx_default();
  def.threads = options != NULL && options->threads > 0 ? options->threads : 1;
  must(NULL, vv_ctx_create(&def, &r.ctx), "context");
  must(r.ctx, vv_scene_parse(r.ctx, "test.yaml", text, strlen(text), &spec), "scene");
  must(r.ctx, vv_compile(r.ctx, spec, &r.model, &r.state), "compile");
  vv_spec_destroy(spec);
  must(r.ctx, vv_state_clone(r.state, &r.initial), "clone");
  vv_sim_def sim = vv_sim_default();
  if (options != NULL) sim.step = options->step, sim.check_structure = options->check_structure;
  must(r.ctx, vv_sim_create(r.model, r.state, &sim, &r.sim), "sim");
  return r;
}

run_record run_scene(const char *text, const run_options *options)
{
  run_record r = run_prepare(text, options);
  must(r.ctx, vv_sim_observe(r.sim, 1, keep_events, &r), "observe");
  if (options != NULL && options->observe != NULL)
    must(r.ctx, vv_sim_observe(r.sim, 1, options->observe, options->user), "observe");
  const int64_t steps = options != NULL && options->steps > 0 ? options->steps : vv_model_steps(r.model);
  must(r.ctx, vv_sim_steps(r.sim, steps, &r.report), "run");
  if (r.report.reason != VV_REASON_DONE) fail_msg("stopped: %s", r.report.message);
  return r;
}

vv_status run_refused(const char *text, char *message, size_t size)
{
  vv_ctx *ctx = NULL;
  vv_spec *spec = NULL;
  vv_model *model = NULL;
  vv_state *state = NULL;
  const vv_ctx_def def = vv_ctx_default();
  must(NULL, vv_ctx_create(&def, &ctx), "context");
  vv_status status = vv_scene_parse(ctx, "test.yaml", text, strlen(text), &spec);
  if (status == VV_OK) status = vv_compile(ctx, spec, &model, &state);
  size_t used = 0;
  message[0] = '\0';
  for (int i = 0; i < vv_ctx_message_count(ctx) && used < size; i++)
    used += (size_t)snprintf(message + used, size - used, "%s\n", vv_ctx_message(ctx, i));
  vv_state_destroy(state);
  vv_model_destroy(model);
  vv_spec_destroy(spec);
  vv_ctx_destroy(ctx);
  return status;
}

void run_free(run_record *r)
{
  free(r->event);
  vv_sim_destroy(r->sim);
  vv_state_destroy(r->state);
  vv_state_destroy(r->initial);
  vv_model_destroy(r->model);
  vv_ctx_destroy(r->ctx);
  *r = (run_record){0};
}

const vv_ledger *run_ledger(const run_record *r)
{
  return vv_sim_ledger(r->sim);
}

double run_difference_q(const vv_state *a, const vv_state *b)
{
  double worst = 0.0;
  for (int64_t i = 0; i < a->nq; i++) worst = fmax(worst, fabs(a->q[i] - b->q[i]));
  return worst;
}

double run_difference_p(const vv_state *a, const vv_state *b)
{
  double worst = 0.0, scale = 0.0;
  for (int64_t i = 0; i < a->np; i++) {
    worst = fmax(worst, fabs(a->p[i] - b->p[i]));
    scale = fmax(scale, fmax(fabs(a->p[i]), fabs(b->p[i])));
  }
  return scale > 0.0 ? worst / scale : worst;
}
