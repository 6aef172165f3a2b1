/* examples/c/first_impact.c  The shortest whole program: read a scene, run it, ask bodies and ledger.
 *
 *   cc first_impact.c $(pkg-config --cflags --libs visviva) -lm -o first_impact
 *   ./first_impact [SCENE.yaml]
 *
 * Ownership: what a function hands out through its last argument is the caller's, and is given back in the reverse order.
 * A model wants its context, a simulation its model and its state. */
#include <math.h>
#include <stdio.h>
#include <visviva/visviva.h>

#ifndef VV_EXAMPLES_DIR
#define VV_EXAMPLES_DIR "examples"
#endif

/* One row for each body: its name, its kind, and how high its lowest node is. */
static vv_status print_bodies(const vv_model *model, const vv_state *state)
{
  enum { MOST = 1000 };
  double x[MOST][3];
  for (int i = 0; i < vv_model_bodies(model); i++) {
    const int64_t n = vv_model_field_size(model, i, "position", NULL);
    if (n < 1 || n > MOST) continue;
    const vv_status status = vv_model_output(model, state, i, "position", x[0]);
    if (status != VV_OK) return status;
    double lowest = x[0][2];
    for (int64_t k = 1; k < n; k++) lowest = fmin(lowest, x[k][2]);
    printf("  %-10s %-8s lowest node at z = %.4f\n", vv_model_body_name(model, i), vv_model_body_kind(model, i),
           lowest);
  }
  return VV_OK;
}

static vv_status run(vv_sim *sim, const vv_model *model, const vv_state *state)
{
  vv_report report;
  const double end = vv_model_step(model) * (double)vv_model_steps(model);
  for (int k = 1; k <= 4; k++) {
    const vv_status status = vv_sim_until(sim, 0.25 * k * end, &report);
    if (status != VV_OK) return status;
    if (report.reason != VV_REASON_DONE) {
      printf("stopped: %s %s\n", vv_reason_text(report.reason), report.message);
      return VV_STOPPED;
    }
    printf("t = %.4g after %lld steps, %lld impacts since\n", state->t, (long long)state->step,
           (long long)report.events);
  }
  return print_bodies(model, state);
}

static int kept(vv_sim *sim)
{
  const vv_ledger *book = vv_sim_ledger(sim);
  const vv_claim *claim;
  int broken = 0;
  printf("energy %.9g -> %.9g, lost %.3g, not explained %.1e\n", vv_ledger_get(book, VV_LEDGER_INITIAL_TOTAL),
         vv_ledger_get(book, VV_LEDGER_TOTAL),
         vv_ledger_get(book, VV_LEDGER_FRICTION_LOSS) + vv_ledger_get(book, VV_LEDGER_RESTITUTION_LOSS),
         vv_ledger_get(book, VV_LEDGER_MAX_CLOSURE));
  for (int i = 0, n = vv_sim_claims(sim, &claim); i < n; i++) {
    printf("  %-18s %s  worst %.1e, bound %.1e\n", claim[i].name, claim[i].kept ? "kept  " : "BROKEN", claim[i].worst,
           claim[i].bound);
    broken += !claim[i].kept;
  }
  return broken == 0;
}

int main(int argc, char **argv)
{
  const char *path = argc > 1 ? argv[1] : VV_EXAMPLES_DIR "/newcomer/two-beams-colliding.yaml";
  vv_ctx *ctx = NULL;
  vv_spec *spec = NULL;
  vv_model *model = NULL;
  vv_state *state = NULL;
  vv_sim *sim = NULL;
  const vv_ctx_def ctx_def = vv_ctx_default();
  const vv_sim_def sim_def = vv_sim_default();
  vv_status status = vv_ctx_create(&ctx_def, &ctx);
  if (status == VV_OK) status = vv_scene_read(ctx, path, &spec);
  if (status == VV_OK) status = vv_compile(ctx, spec, &model, &state);
  if (status == VV_OK) status = vv_sim_create(model, state, &sim_def, &sim);
  if (status == VV_OK) status = run(sim, model, state);
  int good = status == VV_OK && kept(sim);
  if (ctx != NULL) vv_ctx_report(ctx, stderr); /* what was wrong, with file, line and remedy */
  vv_sim_destroy(sim);
  vv_state_destroy(state);
  vv_model_destroy(model);
  vv_spec_destroy(spec);
  vv_ctx_destroy(ctx);
  return good ? 0 : 1;
}
