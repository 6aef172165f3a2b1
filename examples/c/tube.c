/* examples/c/tube.c  Two codes, one motion: sound in a tube, computed here, and a bar that closes it, computed by visviva.
 *
 *   cc tube.c $(pkg-config --cflags --libs visviva) -lm -o tube
 *
 * A pulse of pressure runs along the tube, meets the end of the bar, and part of it goes on there as a wave.  Every step the gas
 * is told how far the end of the bar has moved, and the bar gets the impulse of the gas; what it brings is in the ledger as
 * external work.  Gas: p' = -rho c^2 du/dx, rho u' = -dp/dx on a staggered grid, a wall on the left. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <visviva/visviva.h>

enum { CELLS = 200, NODES = 101 };

static const char scene[] =
    "visviva: 1\n"
    "title: a bar at the end of a tube\n"
    "time: {end: 1.6, step: 2e-3}\n"
    "method: {step: leapfrog}\n"
    "bodies:\n"
    "  bar: {kind: bar, length: 1, elements: 100, material: {young: 4, density: 4}, section: {area: 1}, "
    "tips: {first: lumped, last: lumped}, position: 1}\n";

typedef struct gas {
  int bar;
  double dx, h, end;             /* m, s; where the bar ends */
  double p[CELLS], u[CELLS + 1]; /* Pa at the middles, m/s at the faces, half a step later */
  double given;                  /* N s */
} gas;

static double end_of(const vv_sim *sim, int bar)
{
  double x[NODES][3];
  return vv_model_output(vv_sim_model(sim), vv_sim_state(sim), bar, "position", &x[0][0]) == VV_OK ? x[0][0] : NAN;
}

/* Energy per area; rho = c = 1. */
static double energy(const gas *g)
{
  double sum = 0.0;
  for (int i = 0; i < CELLS; i++) sum += 0.5 * g->dx * (g->p[i] * g->p[i] + g->u[i] * g->u[i]);
  return sum;
}

/* Before each step: the gas catches up with the bar, and pushes it for the step that comes. */
static vv_status couple(vv_sim *sim, void *user)
{
  gas *g = user;
  const double end = end_of(sim, g->bar);
  g->u[CELLS] = (end - g->end) / g->h;
  g->end = end;
  for (int i = 0; i < CELLS; i++) g->p[i] -= g->h / g->dx * (g->u[i + 1] - g->u[i]);
  for (int i = 1; i < CELLS; i++) g->u[i] -= g->h / g->dx * (g->p[i] - g->p[i - 1]);
  const double push[3] = {g->h * g->p[CELLS - 1], 0, 0};
  g->given += push[0];
  return vv_sim_push(sim, g->bar, 0, push, NULL);
}

int main(void)
{
  vv_ctx *ctx = NULL;
  vv_spec *spec = NULL;
  vv_model *model = NULL;
  vv_state *state = NULL;
  vv_sim *sim = NULL;
  vv_report report;
  const vv_ctx_def ctx_def = vv_ctx_default();
  const vv_sim_def sim_def = vv_sim_default();
  gas g = {.dx = 1.0 / CELLS, .end = 1.0};
  int bad = 1;
  for (int i = 0; i < CELLS; i++) g.p[i] = g.u[i] = 0.01 * exp(-pow(((i + 0.5) * g.dx - 0.5) / 0.08, 2.0));
  const double before = energy(&g);
  if (vv_ctx_create(&ctx_def, &ctx) == VV_OK && vv_scene_parse(ctx, "tube", scene, strlen(scene), &spec) == VV_OK &&
      vv_compile(ctx, spec, &model, &state) == VV_OK && vv_sim_create(model, state, &sim_def, &sim) == VV_OK) {
    g.bar = vv_model_body(model, "bar"), g.h = vv_model_step(model);
    if (vv_sim_control(sim, 1, couple, &g) == VV_OK && vv_sim_run(sim, &report) == VV_OK &&
        report.reason == VV_REASON_DONE) {
      const vv_ledger *book = vv_sim_ledger(sim);
      const double lost = before - energy(&g), work = vv_ledger_get(book, VV_LEDGER_EXTERNAL_WORK),
                   closure = vv_ledger_get(book, VV_LEDGER_MAX_CLOSURE), momentum = vv_ledger_get(book, VV_LEDGER_P_X);
      /* impedances 1 and 4: 4 Z1 Z2/(Z1 + Z2)^2 = 16/25 of the energy goes on in the bar */
      printf("%.4f of the energy of the pulse is in the bar (theory: 0.64)\n", work / before);
      printf("lost by the gas %.6g J, booked %.6g J; impulse given less momentum %.1e; books off by %.1e\n", lost, work,
             g.given - momentum, closure);
      bad = !(closure < 1e-10 && fabs(g.given - momentum) < 1e-15 && fabs(work / lost - 1.0) < 0.01 &&
              fabs(work / before - 0.64) < 0.02);
    }
  }
  if (ctx != NULL) vv_ctx_report(ctx, stderr);
  vv_sim_destroy(sim);
  vv_state_destroy(state);
  vv_model_destroy(model);
  vv_spec_destroy(spec);
  vv_ctx_destroy(ctx);
  return bad;
}
