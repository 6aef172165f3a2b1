/* A program outside the project, in the common part of C and C++: parses a scene from a string, takes ten steps and
 * prints the energy.  Uses the installed headers only. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <visviva/visviva.h>

static const char scene[] = "visviva: 1\n"
                            "title: A bar meets a wall\n"
                            "time: {end: 1, step: 0.05}\n"
                            "bodies:\n"
                            "  bar: {kind: bar, length: 10, elements: 20, material: {young: 1, density: 1},\n"
                            "        section: {area: 1}, position: 0.01, velocity: -0.1}\n"
                            "  wall: {kind: obstacle, shape: {plane: {normal: [1, 0, 0], offset: 0}}}\n"
                            "contacts:\n"
                            "  - {between: [bar, wall], restitution: 1}\n";

static int outside(void)
{
  vv_ctx *ctx = NULL;
  vv_spec *spec = NULL;
  vv_model *model = NULL;
  vv_state *state = NULL;
  vv_sim *sim = NULL;
  vv_report report;
  int bad = 1;
  const vv_ctx_def ctx_def = vv_ctx_default();
  const vv_sim_def sim_def = vv_sim_default();
  if (vv_ctx_create(&ctx_def, &ctx) == VV_OK && vv_scene_parse(ctx, "outside", scene, strlen(scene), &spec) == VV_OK &&
      vv_compile(ctx, spec, &model, &state) == VV_OK && vv_sim_create(model, state, &sim_def, &sim) == VV_OK &&
      vv_sim_steps(sim, 10, &report) == VV_OK) {
    const vv_ledger *book = vv_sim_ledger(sim);
    const double energy = vv_ledger_get(book, VV_LEDGER_TOTAL);
    printf("visviva %s: %d steps, energy %.12g J, closure %.1e\n", vv_version(), (int)state->step, energy,
           vv_ledger_get(book, VV_LEDGER_CLOSURE));
    bad = state->step != 10 || fabs(energy - 0.05) > 1e-3; /* rho S l v^2 / 2, here to the accuracy of any method */
  }
  if (ctx != NULL) vv_ctx_report(ctx, stderr);
  vv_sim_destroy(sim);
  vv_state_destroy(state);
  vv_model_destroy(model);
  vv_spec_destroy(spec);
  vv_ctx_destroy(ctx);
  return bad;
}
