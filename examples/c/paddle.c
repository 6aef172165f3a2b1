/* examples/c/paddle.c  A controller in C: a paddle keeps a ball bouncing, and its work is in the books.
 *
 *   cc paddle.c $(pkg-config --cflags --libs visviva) -lm -o paddle
 *
 * The ball loses energy at every impact (restitution 0.8).  The controller prescribes the motion of the paddle: it swings up
 * when the ball comes down, as fast as the ball needs to come back to its height, and sinks back while the ball flies. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <visviva/visviva.h>

static const char scene[] =
    "visviva: 1\n"
    "title: A paddle keeps a ball bouncing\n"
    "time: {end: 20, step: 1e-3}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ball: {kind: rigid, shape: {ball: {radius: 0.02}}, mass: 0.01, position: [0, 0, 0.5]}\n"
    "  paddle: {kind: rigid, shape: {box: {size: [0.2, 0.2, 0.02]}}, mass: 50, position: [0, 0, -0.01]}\n"
    "contacts: [{restitution: 0.8}]\n";

typedef struct paddle {
  int ball, paddle;
  double height; /* m: where the ball should come back to */
} paddle;

static double field(const vv_sim *sim, int body, const char *name)
{
  double value[3];
  return vv_model_output(vv_sim_model(sim), vv_sim_state(sim), body, name, value) == VV_OK ? value[2] : NAN;
}

/* A ball that arrives with speed v and is hit with speed u by something heavy leaves with e v + (1 + e) u. */
static vv_status control(vv_sim *sim, void *user)
{
  const paddle *p = user;
  const double e = 0.8, g = 9.81;
  const double z = field(sim, p->ball, "position"), v = field(sim, p->ball, "velocity");
  const double here = field(sim, p->paddle, "position") + 0.01;
  const double arrives = sqrt(fmax(0.0, v * v + 2.0 * g * (z - 0.02 - here))),
               wanted = sqrt(2.0 * g * (p->height - 0.02));
  const double swing = (wanted - e * arrives) / (1.0 + e);
  const double up[3] = {0, 0, v < 0.0 && z - 0.02 - here < 0.1 ? swing : fmax(-0.5, -2.0 * here)};
  return vv_sim_prescribe(sim, p->paddle, 0, up, NULL);
}

/* The height that the ball reaches from here. */
static double top(const vv_sim *sim, int ball)
{
  const double z = field(sim, ball, "position"), v = field(sim, ball, "velocity");
  return z + 0.5 * v * v / 9.81;
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
  paddle p = {.height = 0.5};
  int bad = 1;
  if (vv_ctx_create(&ctx_def, &ctx) == VV_OK && vv_scene_parse(ctx, "paddle", scene, strlen(scene), &spec) == VV_OK &&
      vv_compile(ctx, spec, &model, &state) == VV_OK && vv_sim_create(model, state, &sim_def, &sim) == VV_OK) {
    p.ball = vv_model_body(model, "ball");
    p.paddle = vv_model_body(model, "paddle");
    if (vv_sim_control(sim, 1, control, &p) == VV_OK && vv_sim_run(sim, &report) == VV_OK &&
        report.reason == VV_REASON_DONE) {
      const vv_ledger *book = vv_sim_ledger(sim);
      const double work = vv_ledger_get(book, VV_LEDGER_EXTERNAL_WORK);
      const double closure = vv_ledger_get(book, VV_LEDGER_MAX_CLOSURE),
                   drift = vv_ledger_get(book, VV_LEDGER_MAX_P_DRIFT);
      printf("%.0f impacts in 20 s; the ball still rises to %.3f m\n", vv_ledger_get(book, VV_LEDGER_IMPACTS),
             top(sim, p.ball));
      printf("work of the paddle %.6g J, lost at impacts %.6g J, not explained %.1e of the energy\n", work,
             vv_ledger_get(book, VV_LEDGER_RESTITUTION_LOSS), closure);
      bad = !(closure < 1e-12 && drift < 1e-12 && fabs(top(sim, p.ball) - p.height) < 0.05);
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
