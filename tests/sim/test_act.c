/* tests/sim/test_act.c  What the caller does to a run is booked: pushes, velocities, forces, prescribed motion, raw writes. */
#include "check.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

static const double g = 9.81;
static const char ball[] = "visviva: 1\ntime: {end: 2, step: 1e-3}\ngravity: [0, 0, -9.81]\nbodies:\n"
                           "  ball: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 2, position: [0, 0, 5]}\n"
                           "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: -100}}}\n";

static double column(const run_record *r, int c)
{
  return vv_ledger_get(vv_sim_ledger(r->sim), c);
}

static void steps(run_record *r, int64_t n)
{
  vv_report report;
  assert_int_equal(vv_sim_steps(r->sim, n, &report), VV_OK);
  assert_int_equal(report.reason, VV_REASON_DONE);
}

static void read(const run_record *r, int body, const char *field, double out[3])
{
  assert_int_equal(vv_model_output(r->model, r->state, body, field, out), VV_OK);
}

/* 1: kept, 0: broken, -1: not made */
static int keeps_motion(const run_record *r)
{
  const vv_claim *claim;
  const int n = vv_sim_claims(r->sim, &claim);
  for (int i = 0; i < n; i++)
    if (strcmp(claim[i].name, "motion") == 0) return claim[i].kept;
  return -1;
}

/* An impulse j on a ball of mass m that moves with v brings j.v + j^2/(2m). */
static void test_push(void **unused)
{
  (void)unused;
  run_record r = run_prepare(ball, NULL);
  assert_int_equal(vv_model_body(r.model, "ball"), 0);
  assert_int_equal(vv_model_body(r.model, "bal"), -1);
  steps(&r, 100);
  double v[3];
  read(&r, 0, "velocity", v);
  const double j[3] = {3, 0, 1}, w[3] = {0, 0.1, 0};
  assert_int_equal(vv_sim_push(r.sim, 0, -1, j, w), VV_OK);
  const double i = 0.4 * 2 * 0.01, work = j[2] * v[2] + (9 + 1) / (2.0 * 2) + 0.01 / (2 * i);
  check_near(column(&r, VV_LEDGER_EXTERNAL_WORK), work, 1e-13);
  check_near(column(&r, VV_LEDGER_IMPULSE_X), 3, 1e-15);
  check_near(column(&r, VV_LEDGER_IMPULSE_Z), 1 - 2 * g * 0.1, 1e-12);
  steps(&r, 500);
  check_near(column(&r, VV_LEDGER_EXTERNAL_WORK), work, 1e-13);
  check_most(column(&r, VV_LEDGER_MAX_CLOSURE), 1e-13);
  check_most(column(&r, VV_LEDGER_MAX_P_DRIFT), 1e-13);
  check_most(column(&r, VV_LEDGER_MAX_L_DRIFT), 1e-13);
  run_free(&r);
}

/* A constant force f for a time T along a ball that starts at rest brings f^2 T^2/(2m): halves before and after a step make
 * the leapfrog exact. */
static void test_force(void **unused)
{
  (void)unused;
  run_record r = run_prepare(ball, NULL);
  const double f[3] = {4, 0, 2 * 9.81};
  assert_int_equal(vv_sim_force(r.sim, 0, 0, f, NULL), VV_OK);
  steps(&r, 1000);
  double x[3], v[3];
  read(&r, 0, "position", x);
  read(&r, 0, "velocity", v);
  check_near(x[0], 0.5 * (4.0 / 2), 1e-12);
  check_near(x[2], 5, 1e-12); /* it carries the weight */
  check_near(v[0], 2, 1e-12);
  check_near(column(&r, VV_LEDGER_EXTERNAL_WORK), 4, 1e-11);
  check_near(column(&r, VV_LEDGER_MOMENT_Y), 5 * 4, 1e-10);
  assert_int_equal(vv_sim_force(r.sim, 0, 0, NULL, NULL), VV_OK);
  steps(&r, 500);
  check_near(column(&r, VV_LEDGER_EXTERNAL_WORK), 4, 1e-11);
  check_most(column(&r, VV_LEDGER_MAX_CLOSURE), 1e-13);
  run_free(&r);
}

/* Prescribed: it is where it should be, whatever gravity does, and all impulses are booked. */
static void test_prescribe(void **unused)
{
  (void)unused;
  run_record r = run_prepare(ball, NULL);
  const double v[3] = {0.5, 0, 0.25}, w[3] = {0, 0, 2}, u[3] = {0, 0, -1};
  double x[3], now[3];
  assert_int_equal(vv_sim_prescribe(r.sim, 0, -1, v, w), VV_OK);
  steps(&r, 1000);
  read(&r, 0, "position", x);
  read(&r, 0, "velocity", now);
  check_near(x[0], 0.5, 1e-12);
  check_near(x[2], 5.25, 1e-12);
  check_near(now[2], 0.25, 1e-15);
  read(&r, 0, "angular_velocity", now);
  check_near(now[2], 2, 1e-13);
  assert_int_equal(vv_sim_prescribe(r.sim, 0, -1, u, NULL), VV_OK);
  steps(&r, 250);
  read(&r, 0, "position", x);
  check_near(x[0], 0.5, 1e-12);
  check_near(x[2], 5, 1e-12);
  check_near(column(&r, VV_LEDGER_IMPULSE_Z), column(&r, VV_LEDGER_P_Z) - 0.5, 1e-11); /* it began with 2 kg 0.25 m/s */
  check_most(column(&r, VV_LEDGER_MAX_CLOSURE), 1e-12);
  assert_int_equal(vv_sim_prescribe(r.sim, 0, -1, NULL, NULL), VV_OK);
  steps(&r, 100); /* falls from here */
  read(&r, 0, "position", x);
  check_near(x[2], 5 - 0.1 - 0.5 * g * 0.01, 1e-12);
  run_free(&r);
}

/* What lies on a driven table goes with it: it neither sinks nor lags, whatever the step, and its weight, with what the table's
 * acceleration adds, is the impulse that holds it.  The table yields by h^2 (g + a) m/M in a step; books close. */
typedef struct ride {
  const char *motion;
  double start, steady, far, omega; /* m/s: the passenger's; of the motion; -far (cos(omega t) - 1) */
} ride;

static double speed_of(const ride *k, double t)
{
  return k->steady + k->far * k->omega * sin(k->omega * t);
}

static double way_of(const ride *k, double t)
{
  return k->steady * t + k->far * (1.0 - cos(k->omega * t));
}

static void go_along(const ride *k, const char *step, double e, double h)
{
  char text[900];
  const double mass = 1000.0, most = g + k->far * k->omega * k->omega, t = 0.5;
  snprintf(
      text, sizeof text,
      "visviva: 1\ntime: {end: 0.5, step: %.9g}\ngravity: [0, 0, -9.81]\ncontacts: [{restitution: %g, friction: 0.3}]\n"
      "bodies:\n  box: {kind: rigid, shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 1, position: [0, 0, 0.1], "
      "velocity: [0, 0, %g]}\n"
      "  table: {kind: rigid, shape: {box: {size: [2, 2, 0.2]}}, mass: 1000, position: [0, 0, -0.1], motion: {%s}}\n"
      "method: {step: %s}\n",
      h, e, k->start, k->motion, step);
  run_record r = run_scene(text, NULL);
  double box[3], table[3];
  read(&r, 0, "position", box);
  read(&r, 1, "position", table);
  /* the curved way is followed to second order: a h/2 is what the first step begins with, and rests are kept up to h^2 a/4 */
  const double bend = k->far * pow(k->omega * h, 2.0);
  check_near(table[2], -0.1 + way_of(k, t), 2.0 * h * h * most / mass + 1e-12);
  check_near(box[2] - table[2], 0.2, h * h * most / mass + 2.0 * bend);
  const double shown = column(&r, VV_LEDGER_P_Z) - mass * speed_of(k, t);
  check_near(shown, speed_of(k, t), h * most / mass + pow(k->omega * h, 2.0) * k->far * k->omega + 1e-12);
  check_most(column(&r, VV_LEDGER_MAX_CLOSURE), 1e-12);
  check_most(column(&r, VV_LEDGER_MAX_P_DRIFT), 1e-12);
  run_free(&r);
}

static void test_passengers(void **unused)
{
  (void)unused;
  static const ride rides[] = {{"velocity: [0, 0, 0]", 0, 0, 0, 0},
                               {"velocity: [0, 0, 1]", 1, 1, 0, 0},
                               {"velocity: [0, 0, -0.7]", -0.7, -0.7, 0, 0},
                               {"displacement: [0, 0, -0.02], history: {harmonic: {frequency: 2*pi*2, phase: pi/2}}", 0,
                                0, 0.02, 12.566370614359172}};
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 8; k++)
      go_along(&rides[i], k & 1 ? "leapfrog" : "energy-momentum", k & 2 ? 0.5 : 0.0, k & 4 ? 5e-4 : 1e-3);
}

/* A raw write is booked when announced. */
static void test_edit(void **unused)
{
  (void)unused;
  run_record r = run_prepare(ball, NULL);
  vv_state *s;
  vv_slice at;
  assert_true(vv_model_slice(r.model, 0, &at));
  assert_false(vv_model_slice(r.model, 1, &at));
  assert_true(vv_model_slice(r.model, 0, &at));
  assert_int_equal(at.nodes, 1);
  assert_int_equal(at.node_p, 6);
  steps(&r, 10);
  assert_int_equal(vv_sim_edit(r.sim, &s), VV_OK);
  s->q[at.q0 + 2 * at.column] += 3; /* lifted */
  check_near(column(&r, VV_LEDGER_EXTERNAL_WORK), 2 * g * 3, 1e-11);
  steps(&r, 10);
  check_most(column(&r, VV_LEDGER_MAX_CLOSURE), 1e-13);
  run_free(&r);
}

static void refused(run_record *r, vv_status status, const char *words)
{
  assert_int_not_equal(status, VV_OK);
  assert_non_null(strstr(vv_ctx_message(r->ctx, vv_ctx_message_count(r->ctx) - 1), words));
}

static void test_refusals(void **unused)
{
  (void)unused;
  run_record r = run_prepare(ball, NULL);
  const double one[3] = {1, 1, 1}, bad[3] = {NAN, 0, 0};
  vv_report report;
  refused(&r, vv_sim_push(r.sim, 2, 0, one, NULL), "there is no body 2");
  refused(&r, vv_sim_push(r.sim, 1, 0, one, NULL), "obstacle");
  refused(&r, vv_sim_push(r.sim, 0, 1, one, NULL), "no node 1");
  refused(&r, vv_sim_push(r.sim, 0, 0, bad, NULL), "not finite");
  refused(&r, vv_sim_until(r.sim, NAN, &report), "no time");
  refused(&r, vv_sim_control(r.sim, 0, NULL, NULL), "every >= 1");
  run_record joined = run_prepare("visviva: 1\ntime: {end: 1, step: 0.01}\nbodies:\n"
                                  "  a: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1}\n"
                                  "  b: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, position: [1, 0, 0]}\n"
                                  "joints: [{kind: ball, bodies: [a, ground], at: [0, 0, 0]}]\n",
                                  NULL);
  refused(&joined, vv_sim_prescribe(joined.sim, 0, -1, one, NULL), "'a' is joined there");
  assert_int_equal(vv_sim_prescribe(joined.sim, 1, -1, one, NULL), VV_OK);
  run_free(&joined);
  FILE *nowhere = tmpfile();
  assert_non_null(nowhere);
  assert_int_equal(vv_ctx_report(r.ctx, nowhere), 6);
  check_least((double)ftell(nowhere), 100);
  assert_int_equal(vv_ctx_message_count(r.ctx), 0);
  fclose(nowhere);
  run_free(&r);
}

/* Every kind of body and every energy: a run that is pushed about at random keeps its books as well as one left alone. */
static const char *const many[] = {
    /* bar, energy `modified` */
    "visviva: 1\ntime: {end: 1, step: 0.02}\nmethod: {step: event, jump: modified}\nbodies:\n"
    "  a: {kind: bar, tips: {first: lumped}, length: 1, elements: 10, section: {area: 1}, material: {young: 1, "
    "density: 1}, position: -1.01}\n"
    "  b: {kind: bar, tips: {first: lumped}, length: 1, elements: 10, section: {area: 1}, material: {young: 1, "
    "density: 1}, position: 0, "
    "velocity: -0.1}\n",
    /* bar held at one end, obliquely, energy `nodal` */
    "visviva: 1\ntime: {end: 1, step: {safety: 0.02}}\nmethod: {step: leapfrog}\nbodies:\n"
    "  a: {kind: bar, length: 1, elements: 4, axis: [0.6, 0.8, 0], section: {area: 1}, material: {young: 1, density: "
    "1}, "
    "ends: {first: fixed}}\n",
    /* beam */
    "visviva: 1\ntime: {end: 1, step: {safety: 0.02}}\nbodies:\n"
    "  a: {kind: beam, length: 1, elements: 6, section: {circle: {radius: 0.05}}, material: {young: 1e5, density: "
    "1000}}\n",
    /* shell */
    "visviva: 1\ntime: {end: 1, step: {safety: 0.02}}\nbodies:\n"
    "  a: {kind: shell, mesh: {sphere: {radius: 0.1, level: 1}}, thickness: 0.005, material: {young: 1e5, poisson: "
    "0.3, "
    "density: 1000}}\n",
    /* rigid, energy-momentum */
    ("visviva: 1\ntime: {end: 1, step: 1e-3}\nmethod: {step: energy-momentum}\nbodies:\n"
     "  a: {kind: rigid, shape: {box: {size: [1, 2, 3]}}, density: 1, spin: [0.1, 2, 0.2]}\n"),
};

static void test_every_kind(void **unused)
{
  (void)unused;
  for (size_t k = 0; k < sizeof many / sizeof many[0]; k++) {
    run_record r = run_prepare(many[k], NULL);
    vv_slice at;
    int components;
    assert_true(vv_model_slice(r.model, 0, &at));
    const bool frames = at.node_p == 6;
    double v[600][3];
    assert_true(at.nodes <= 600);
    steps(&r, 5);
    const double speed[3] = {0.3, 0.4, frames ? -0.2 : 0}, spin[3] = {0.3, -0.1, 0.2};
    assert_int_equal(vv_sim_set_velocity(r.sim, 0, at.nodes - 1, speed, frames ? spin : NULL), VV_OK);
    assert_int_equal(vv_model_field_size(r.model, 0, "velocity", &components), at.nodes);
    read(&r, 0, "velocity", v[0]);
    for (int c = 0; c < 3; c++) { /* a bar takes the part along its line */
      const double axis[2][3] = {{1, 0, 0}, {0.6, 0.8, 0}}, *a = axis[k < 2 ? k : 0];
      const double wanted = k < 2 ? a[c] * (a[0] * speed[0] + a[1] * speed[1]) : speed[c];
      check_near(v[at.nodes - 1][c], wanted, 1e-14);
    }
    if (frames) {
      read(&r, 0, "angular_velocity", v[0]);
      for (int c = 0; c < 3; c++) check_near(v[at.nodes - 1][c], spin[c], 1e-13);
    }
    const double kinetic = column(&r, VV_LEDGER_KINETIC), scale = fmax(kinetic, 1e-12);
    const double j[3] = {1e-3 * scale, 2e-3 * scale, 0};
    for (int i = 0; i < 20; i++) {
      assert_int_equal(vv_sim_push(r.sim, 0, i % at.nodes, j, NULL), VV_OK);
      steps(&r, 1);
    }
    check_most(column(&r, VV_LEDGER_MAX_CLOSURE), k == 0 || k == 4 ? 1e-13 : 2e-3); /* exact; others of second order */
    check_most(column(&r, VV_LEDGER_MAX_P_DRIFT), 1e-13);
    check_most(column(&r, VV_LEDGER_MAX_L_DRIFT), 1e-12);
    assert_true(column(&r, VV_LEDGER_EXTERNAL_WORK) != 0);
    run_free(&r);
  }
  run_record r = run_prepare("visviva: 1\ntime: {end: 1, step: 1e-3}\nmethod: {step: energy-momentum}\nbodies:\n"
                             "  a: {kind: beam, length: 1, elements: 6, section: {circle: {radius: 0.05}}, material: "
                             "{young: 1e5, density: 1000}}\n",
                             NULL);
  const double one[3] = {1, 1, 1};
  assert_int_equal(vv_sim_push(r.sim, 0, 0, one, NULL), VV_UNSUPPORTED);
  assert_int_equal(vv_sim_edit(r.sim, NULL), VV_UNSUPPORTED);
  run_free(&r);
}

/* ---- until, controllers, poll, rows ---- */

typedef struct counter {
  int64_t calls, every;
  bool stop;
} counter;

static vv_status count_control(vv_sim *sim, void *user)
{
  counter *c = user;
  c->calls++;
  assert_int_equal(vv_sim_state(sim)->step % c->every, 0);
  const double j[3] = {1e-3, 0, 0};
  return vv_sim_push(sim, 0, 0, j, NULL);
}

static bool count_poll(void *user)
{
  counter *c = user;
  c->calls++;
  return c->stop;
}

static void test_until(void **unused)
{
  (void)unused;
  run_record r = run_prepare(ball, NULL);
  vv_report report;
  counter c = {.every = 10}, p = {.stop = true};
  double row[40][VV_LEDGER_COLUMNS + 2];
  vv_rows rows = {.row = row[0], .capacity = 40, .columns = VV_LEDGER_COLUMNS + 2};
  assert_int_equal(vv_sim_control(r.sim, c.every, count_control, &c), VV_OK);
  assert_int_equal(vv_sim_observe(r.sim, 25, vv_rows_observe, &rows), VV_OK);
  assert_int_equal(vv_sim_until(r.sim, 0.1, &report), VV_OK);
  assert_int_equal(r.state->step, 100);
  assert_int_equal(vv_sim_until(r.sim, 0.1, &report), VV_OK);
  assert_int_equal(report.steps, 0);
  assert_int_equal(vv_sim_until(r.sim, 0.1001, &report), VV_OK);
  assert_int_equal(r.state->step, 101);
  assert_int_equal(c.calls, 11);
  check_near(column(&r, VV_LEDGER_IMPULSE_X), 11e-3, 1e-15);
  assert_int_equal(rows.n, 6); /* 0, 25, 50, 75, 100, 101, each once */
  assert_int_equal(rows.missed, 0);
  check_near(row[2][0], 50, 0);
  check_near(row[5][2 + VV_LEDGER_KINETIC], column(&r, VV_LEDGER_KINETIC), 0);
  vv_sim_poll(r.sim, count_poll, &p);
  assert_int_equal(vv_sim_steps(r.sim, 100000000, &report), VV_OK);
  assert_int_equal(report.reason, VV_REASON_INTERRUPTED);
  assert_int_equal(p.calls, 1);
  check_most(report.wall_seconds, 5);
  p.stop = false;
  assert_int_equal(vv_sim_steps(r.sim, 10, &report), VV_OK); /* a request is answered once */
  assert_int_equal(report.reason, VV_REASON_DONE);
  run_free(&r);
}

static vv_status count_look(const vv_view *view, void *user)
{
  (void)view;
  ((counter *)user)->calls++;
  return VV_OK;
}

/* Who is sent away is not called any more, as an observer or as a controller; the others are. */
static void test_dismiss(void **unused)
{
  (void)unused;
  run_record r = run_prepare(ball, NULL);
  counter gone = {.every = 10}, stays = {.every = 10}, seen = {0}, sees = {0};
  assert_int_equal(vv_sim_control(r.sim, 10, count_control, &gone), VV_OK);
  assert_int_equal(vv_sim_control(r.sim, 10, count_control, &stays), VV_OK);
  assert_int_equal(vv_sim_observe(r.sim, 10, count_look, &seen), VV_OK);
  assert_int_equal(vv_sim_observe(r.sim, 10, count_look, &sees), VV_OK);
  steps(&r, 20);
  const int64_t once = gone.calls, looks = seen.calls;
  assert_int_equal(stays.calls, once);
  vv_sim_dismiss(r.sim, &gone);
  vv_sim_dismiss(r.sim, &seen);
  steps(&r, 20);
  assert_int_equal(gone.calls, once);
  assert_int_equal(seen.calls, looks);
  check_least((double)stays.calls, (double)once + 2.0);
  check_least((double)sees.calls, (double)looks + 2.0);
  run_free(&r);
}

/* Two rhythms: each observer is told at its own steps and at the end, which is told once; and each gets all positions at contacts, in
 * their order. */
typedef struct rhythm {
  int64_t calls, lasts, keys, step, every;
} rhythm;

static vv_status keep_rhythm(const vv_view *view, void *user)
{
  rhythm *w = user;
  assert_true(view->first || view->last || view->state->step % w->every == 0);
  w->calls++, w->lasts += view->last;
  for (int64_t i = 0; i < view->n_key; i++) {
    assert_true(view->key[i].step > w->step && view->key[i].step <= view->state->step);
    w->keys++, w->step = view->key[i].step;
  }
  return VV_OK;
}

static void test_rhythms(void **unused)
{
  (void)unused;
  run_record r =
      run_prepare("visviva: 1\ntime: {end: 0.1, step: {safety: 0.3}}\ncontacts: [{restitution: 0.5}]\nbodies:\n"
                  "  rod: {kind: beam, length: 0.5, elements: 4, material: {young: 1e7, density: 1100}, "
                  "section: {circle: {radius: 0.02}}, position: [0, 0, 0.03], axis: [1, 0, 0.1], velocity: "
                  "[0, 0, -2]}\n  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n",
                  NULL);
  rhythm a = {.every = 20, .step = -1}, b = {.every = 30, .step = -1};
  assert_int_equal(vv_sim_observe(r.sim, a.every, keep_rhythm, &a), VV_OK);
  assert_int_equal(vv_sim_observe(r.sim, b.every, keep_rhythm, &b), VV_OK);
  steps(&r, 400);
  assert_int_equal(a.calls, 1 + 20);
  assert_int_equal(b.calls, 1 + 14); /* 30, 60, ..., 390, and the last */
  assert_int_equal(a.lasts, 1);
  assert_int_equal(b.lasts, 1);
  check_least((double)a.keys, 3);
  assert_int_equal(b.keys, a.keys);
  run_free(&r);
}

/* A controller that does nothing changes no bit, and one that pushes and takes back only rounding. */
static vv_status nothing(vv_sim *sim, void *user)
{
  (void)sim, (void)user;
  return VV_OK;
}

static void test_same_bits(void **unused)
{
  (void)unused;
  static const char scene[] =
      "visviva: 1\ntime: {end: 2, step: 1e-3}\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  box: {kind: rigid, shape: {box: {size: [0.1, 0.2, 0.3]}}, mass: 2, position: [0, 0, 0.5], spin: "
      "[1, 2, 3]}\n  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\ncontacts: [{restitution: 0.7, "
      "friction: 0.2}]\n";
  run_record a = run_prepare(scene, NULL), b = run_prepare(scene, NULL);
  assert_int_equal(vv_sim_control(b.sim, 1, nothing, NULL), VV_OK);
  steps(&a, 1500);
  steps(&b, 1500);
  assert_int_equal(vv_state_hash(a.state), vv_state_hash(b.state));
  run_free(&a);
  run_free(&b);
}

static void test_columns(void **unused)
{
  (void)unused;
  run_record r = run_prepare(ball, NULL);
  steps(&r, 1);
  assert_int_equal(vv_ledger_columns(), VV_LEDGER_COLUMNS);
  for (int i = 0; i < vv_ledger_columns(); i++) {
    assert_int_equal(vv_ledger_find(vv_ledger_name(i)), i);
    assert_non_null(vv_ledger_unit(i));
  }
  assert_int_equal(vv_ledger_find("nothing"), -1);
  assert_null(vv_ledger_name(VV_LEDGER_COLUMNS));
  assert_true(isnan(vv_ledger_get(vv_sim_ledger(r.sim), -1)));
  check_near(column(&r, VV_LEDGER_TOTAL),
             column(&r, VV_LEDGER_KINETIC) + column(&r, VV_LEDGER_STRAIN) + column(&r, VV_LEDGER_POTENTIAL) +
                 column(&r, VV_LEDGER_CONTACT),
             1e-13);
  vv_ledger *copy;
  assert_int_equal(vv_ledger_create(&copy), VV_OK);
  assert_int_equal(vv_ledger_copy(copy, vv_sim_ledger(r.sim)), VV_OK);
  check_near(vv_ledger_get(copy, VV_LEDGER_POTENTIAL), column(&r, VV_LEDGER_POTENTIAL), 0);
  vv_ledger_destroy(copy);
  run_free(&r);
}

/* What is led into a floor stays where it is, and that is told; in the air it is where it is led. */
static void test_prescribe_blocked(void **unused)
{
  (void)unused;
  const double down[3] = {0, 0, -1}, up[3] = {0, 0, 1};
  run_record r = run_prepare("visviva: 1\ntime: {end: 2, step: 1e-3}\ncontacts: [{restitution: 0}]\nbodies:\n"
                             "  ball: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 2, position: [0, 0, 0.2]}\n"
                             "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n",
                             NULL);
  assert_int_equal(keeps_motion(&r), -1);
  assert_int_equal(vv_sim_prescribe(r.sim, 0, -1, up, NULL), VV_OK);
  steps(&r, 100);
  assert_int_equal(vv_sim_prescribe(r.sim, 0, -1, down, NULL), VV_OK);
  steps(&r, 199);
  assert_int_equal(keeps_motion(&r), 1);
  steps(&r, 20);
  assert_int_equal(keeps_motion(&r), 0);
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_push),       cmocka_unit_test(test_force),
      cmocka_unit_test(test_prescribe),  cmocka_unit_test(test_prescribe_blocked),
      cmocka_unit_test(test_edit),       cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_every_kind), cmocka_unit_test(test_until),
      cmocka_unit_test(test_dismiss),    cmocka_unit_test(test_rhythms),
      cmocka_unit_test(test_same_bits),  cmocka_unit_test(test_columns),
      cmocka_unit_test(test_passengers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
