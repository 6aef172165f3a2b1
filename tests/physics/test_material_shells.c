/* tests/physics/test_material_shells.c  Shells that flow and damp: the elastic limit, a sphere under a pulse against its
 * equation, spring-back of a bent strip, closure of second order, bits for any number of threads.  docs/theory/mat.md */
#include "check.h"
#include "losses.h"

#include "body/shell/shell.h"
#include "contact/contact.h"
#include "math/math.h"
#include "model/model.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096 };
#define ALUMINIUM "young: 70e9, poisson: 0.33, density: 2700"

static void ball_scene(char *text, double safety, int frequency, double end, const char *law)
{
  snprintf(
      text, TEXT,
      "visviva: 1\ntime: {end: %.17g, step: {safety: %.17g}}\nbodies:\n"
      "  ball: {kind: shell, mesh: {sphere: {radius: 0.05, frequency: %d}}, thickness: 1e-3, centre: [0, 0, 0.0501],\n"
      "         velocity: [0, 0, -10], material: {" ALUMINIUM ", %s}}\n"
      "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n",
      end, safety, frequency, law);
}

/* Yield out of reach: the elastic law, through many impacts. */
static void test_never_yields(void **unused)
{
  (void)unused;
  static const char *const law[2] = {"law: stvk", "law: j2, yield: 1e30"};
  run_record r[2];
  for (int i = 0; i < 2; i++) {
    char text[TEXT];
    ball_scene(text, 0.4, 8, 1e-3, law[i]);
    r[i] = run_prepare(text, NULL);
    r[i].sim->step.contact->scaling = NULL; /* bodies that may flow bounce by momenta alone [shadow 5] */
    assert_int_equal(vv_sim_run(r[i].sim, &r[i].report), VV_OK);
  }
  assert_true(run_ledger(&r[0])->impacts > 20);
  for (int64_t k = 0; k < r[0].model->nx; k++) check_near(r[1].state->q[k], r[0].state->q[k], 1e-11 * 0.05);
  run_free(&r[0]), run_free(&r[1]);
}

typedef struct steady {
  losses lost;
  double h, first, worst; /* largest closure of the energy that the step keeps, J */
} steady;

static vv_status look_steadily(const vv_view *v, void *user)
{
  steady *w = user;
  const double swing = losses_swing(v, w->h);
  losses_look(v, &w->lost);
  if (v->first) w->first = swing;
  w->worst = fmax(w->worst, fabs(v->ledger->closure * v->ledger->energy_scale - (swing - w->first)));
  return VV_OK;
}

/* A ball that dents: the books close with the square of the step, momenta to rounding, no posting is negative.  What the ledger
 * shows is twenty times that: energy at whole steps swings with the vibrations of the dented ball [mat 3]. */
static void test_ball(void **unused)
{
  (void)unused;
  double gap[3], own[3];
  for (int i = 0; i < 3; i++) {
    char text[TEXT];
    vv_report report;
    ball_scene(text, 0.4 / (1 << i), 8, 4e-4, "law: j2, yield: 150e6, hardening: 200e6");
    run_record r = run_prepare(text, NULL);
    steady w = {.h = r.sim->step.h};
    assert_int_equal(vv_sim_observe(r.sim, 1, look_steadily, &w), VV_OK);
    assert_int_equal(vv_sim_run(r.sim, &report), VV_OK);
    const vv_ledger *l = run_ledger(&r);
    gap[i] = l->max_closure, own[i] = w.worst / w.lost.plastic;
    print_message("ball: closure %.3g, of the energy that the step keeps %.3g of the plastic work\n", gap[i], own[i]);
    check_most(l->max_p_drift, 1e-13);
    check_most(l->max_L_drift, 1e-12);
    check_least(w.lost.least, -1e-15 * l->energy_scale);
    check_least(w.lost.plastic / l->energy_scale, 0.5);
    run_free(&r);
  }
  check_most(gap[0], 2e-3);
  check_most(gap[2], gap[0] / 8.0);
  check_most(own[1], 1e-4); /* safety 0.2 */
  check_most(own[2], own[0] / 8.0);
}

/* ---- a sphere that is blown up ---- */

/* rho h R^2 s'' = p s^2 R - h dW/ds with the plastic metric as one number; many small steps.                   [mat 16] */
static double sphere_alpha(double R, double h, double Y0, double H, double most, double duration, double end)
{
  const double E = 70e9, nu = 0.33, rho = 2700.0, a = E / (2.0 * (1.0 - nu));
  double s = 1.0, v = 0.0, P = 1.0, alpha = 0.0;
  const int n = 400000;
  const double dt = end / n;
  for (int i = 0; i < n; i++) {
    const double t = (i + 0.5) * dt,
                 p = t < duration ? most * sin(VV_PI * t / duration) * sin(VV_PI * t / duration) : 0.0;
    s += 0.5 * dt * v;
    double m = 0.5 * (s * s / P - 1.0);
    const double trial = 2.0 * a * m, Y = Y0 + H * alpha;
    if (fabs(trial) > Y) { /* one modulus: theta from (1 + a theta) Y = (1 - H theta) |trial| */
      const double theta = (fabs(trial) - Y) / (a * Y + H * fabs(trial)), x = 1.0 / (1.0 + a * theta);
      P = s * s / (1.0 + 2.0 * x * m), alpha += theta * x * fabs(trial);
      m *= x;
    }
    v += dt * (p * s * s * R - h * 2.0 * E * m / (1.0 - nu) * s / P) / (rho * h * R * R);
    s += 0.5 * dt * v;
  }
  return alpha;
}

static double sphere_run(int frequency, double *wanted, double *closure)
{
  char text[TEXT];
  const double end = 1.2e-4;
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: %.17g, step: {safety: 0.4}}\nbodies:\n"
           "  ball: {kind: shell, mesh: {sphere: {radius: 0.1, base: icosahedron, frequency: %d}}, thickness: 1e-3,\n"
           "         material: {" ALUMINIUM ", law: j2, yield: 200e6, hardening: 500e6},\n"
           "         pressure: [{value: 12e6, history: {pulse: {duration: 5e-5}}}]}\n",
           end, frequency);
  run_record r = run_scene(text, NULL);
  const int64_t n = vv_model_field_size(r.model, 0, "plastic_strain", NULL), nodes = r.model->block[0].nodes;
  double *alpha = calloc((size_t)n, sizeof *alpha), *limit = calloc((size_t)nodes, 3 * sizeof *limit), sum = 0.0,
         R = 0.0;
  assert_int_equal(vv_model_output(r.model, r.state, 0, "plastic_strain", alpha), VV_OK);
  assert_int_equal(vv_model_output(r.model, r.initial, 0, "limit", limit), VV_OK);
  for (int64_t i = 0; i < n; i++) sum += alpha[i] / (double)n;
  for (int64_t i = 0; i < nodes; i++) R += vvi_norm3(limit + 3 * i) / (double)nodes;
  *wanted = sphere_alpha(0.1, 1e-3, 200e6, 500e6, 12e6, 5e-5, end);
  (void)R;
  *closure = run_ledger(&r)->max_closure;
  free(alpha), free(limit), run_free(&r);
  return sum;
}

static void test_sphere(void **unused)
{
  (void)unused;
  double wanted, closure, error[3];
  for (int i = 0; i < 3; i++) {
    error[i] = sphere_run(4 << i, &wanted, &closure) / wanted - 1.0;
    check_most(closure, 3.2e-3 / (1 << (2 * i)));
  }
  print_message("sphere: alpha %.4g, errors %.3g %.3g %.3g\n", wanted, error[0], error[1], error[2]);
  check_most(fabs(error[2]), 0.008);
  check_least(log2(fabs(error[1] / error[2])), 1.8);
}

/* ---- spring-back ---- */

typedef struct strip {
  run_record r;
  const vv_block *b;
  double *q;
} strip;

/* z = k x^2/2 - k y^2/4: bent, and as much the other way across as nu = 1/2 wants, so that stresses are uniaxial. */
static void bend(strip *s, double k)
{
  const double *rest = shell_node(s->b, SHELL_REST);
  for (int64_t i = 0; i < s->b->nodes; i++) {
    const double x = rest[i], y = rest[s->b->stride + i];
    s->q[2 * s->b->column + i] = 0.5 * k * x * x - 0.25 * k * y * y;
  }
}

/* Mean energy per area of the elements away from the border. */
static double energy_of(const strip *s)
{
  const double *rest = shell_node(s->b, SHELL_REST);
  double *density = calloc((size_t)s->b->elements, sizeof *density), sum = 0.0;
  int n = 0;
  assert_int_equal(vv_model_output(s->r.model, s->r.state, 0, "energy_density", density), VV_OK);
  for (int64_t e = 0; e < s->b->elements; e++) {
    bool inside = true;
    for (int i = 0; i < 3; i++)
      for (int c = 0; c < 2; c++) inside &= fabs(rest[c * s->b->stride + s->b->element_node[3 * e + i]]) < 5.1e-4;
    if (inside) sum += density[e], n++;
  }
  free(density);
  assert_true(n > 0);
  return sum / n;
}

/* Curvature left over that was imposed, at x = k_y/k. */
static double spring_back(int points, double x)
{
  char text[TEXT];
  const double E = 70e9, yield = 100e6, h = 1e-3, ky = yield / (E * 0.5 * h), k = ky / x;
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 1e-3}\nbodies:\n"
           "  strip: {kind: shell, mesh: {rectangle: {size: [2e-3, 2e-3], pieces: [12, 12]}}, thickness: %g,\n"
           "          material: {young: 70e9, poisson: 0.4999, density: 2700, law: j2, yield: 100e6, points: %d}}\n",
           h, points);
  strip s = {.r = run_prepare(text, NULL)};
  s.b = &s.r.model->block[0], s.q = s.r.state->q;
  enum { STEPS = 400 };
  vv_posted post = {0};
  for (int i = 1; i <= STEPS; i++) {
    bend(&s, k * i / STEPS);
    s.b->kind->flow(s.b, 1.0, s.q, s.r.state->p, &post);
  }
  const double d = 1e-3 * ky;
  bend(&s, k + d);
  const double up = energy_of(&s);
  bend(&s, k - d);
  const double down = energy_of(&s), moment = (up - down) / (2.0 * d);
  memset(s.q + s.b->z0, 0, sizeof(double) * (size_t)s.b->z_reals); /* stiffness of the virgin strip */
  bend(&s, d);
  const double stiffness = 2.0 * energy_of(&s) / (d * d);
  run_free(&s.r);
  return 1.0 - moment / (stiffness * k);
}

static void test_spring_back(void **unused)
{
  (void)unused;
  static const double x[] = {0.9, 0.7, 0.5, 0.35, 0.2};
  for (int i = 0; i < VV_COUNT(x); i++) {
    const double wanted = 1.0 - 1.5 * x[i] + 0.5 * x[i] * x[i] * x[i];
    check_near(spring_back(5, x[i]), wanted, 0.035);
    check_near(spring_back(7, x[i]), wanted, 0.016);
  }
}

/* ---- tension ---- */

/* A sheet pulled to half as long again: nominal stress against logarithmic theory, within 2 sigma/E and the increments. */
static void test_tension(void **unused)
{
  (void)unused;
  char text[TEXT];
  const double E = 70e9, yield = 200e6, H = 300e6;
  snprintf(
      text, TEXT,
      "visviva: 1\ntime: {end: 1e-3}\nbodies:\n"
      "  sheet: {kind: shell, mesh: {rectangle: {size: [2e-3, 2e-3], pieces: [8, 8]}}, thickness: 1e-3,\n"
      "          material: {young: 70e9, poisson: 0.4999, density: 2700, law: j2, yield: 200e6, hardening: 300e6}}\n");
  strip s = {.r = run_prepare(text, NULL)};
  s.b = &s.r.model->block[0], s.q = s.r.state->q;
  enum { STEPS = 1000 };
  const double *rest = shell_node(s.b, SHELL_REST), last = 1.5;
  vv_posted post = {0};
  double energy[3];
  for (int i = 1; i <= STEPS + 2; i++) {
    const double stretch = i <= STEPS ? 1.0 + (last - 1.0) * i / STEPS : i == STEPS + 1 ? last + 1e-6 : last - 1e-6;
    for (int64_t k = 0; k < s.b->nodes; k++) {
      s.q[k] = stretch * rest[k], s.q[s.b->column + k] = rest[s.b->stride + k] / sqrt(stretch);
    }
    if (i <= STEPS) s.b->kind->flow(s.b, 1.0, s.q, s.r.state->p, &post);
    if (i > STEPS) energy[i - STEPS] = energy_of(&s);
  }
  /* work conjugate of the stretch along a path of constant volume: 3/2 nominal stress at nu = 1/2 needs no transverse part */
  const double nominal = (energy[1] - energy[2]) / 2e-6 / 1e-3, sigma = (yield + H * log(last));
  check_near(nominal * last / sigma, 1.0, 2.0 * sigma / E + 2e-3);
  run_free(&s.r);
}

/* ---- kinematic hardening ---- */

/* Nominal stress of a sheet at a small stretch along a path of constant volume, as the energy tells it. */
static double stress_at(strip *s, double stretch)
{
  double energy[2];
  const double *rest = shell_node(s->b, SHELL_REST);
  for (int i = 0; i < 2; i++) {
    const double l = stretch + (i == 0 ? 1e-7 : -1e-7);
    for (int64_t k = 0; k < s->b->nodes; k++)
      s->q[k] = l * rest[k], s->q[s->b->column + k] = rest[s->b->stride + k] / sqrt(l);
    energy[i] = energy_of(s);
  }
  return (energy[0] - energy[1]) / 2e-7 / 1e-3;
}

/* Pulled, pushed as far, and again: the elastic domain moves and keeps its size (Bauschinger).  Small strains: exact is
 * sigma = +-Y + H e with e = (E eps -+ Y)/(E + H).                                                             [mat 23] */
static void test_kinematic(void **unused)
{
  (void)unused;
  char text[TEXT];
  const double E = 70e9, Y = 100e6, H = 5e9, most = 0.01;
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 1e-3}\nbodies:\n"
           "  sheet: {kind: shell, mesh: {rectangle: {size: [2e-3, 2e-3], pieces: [8, 8]}}, thickness: 1e-3,\n"
           "          material: {young: 70e9, poisson: 0.4999, density: 2700, law: j2, yield: 100e6, hardening: "
           "{kinematic: 5e9}}}\n");
  strip s = {.r = run_prepare(text, NULL)};
  s.b = &s.r.model->block[0], s.q = s.r.state->q;
  const double *rest = shell_node(s.b, SHELL_REST);
  vv_posted post = {0};
  enum { STEPS = 200 };
  double at = 0.0;
  for (int turn = 0; turn < 4; turn++) {
    const double from = at, to = turn % 2 == 0 ? most : -most, sign = turn % 2 == 0 ? 1.0 : -1.0;
    for (int i = 1; i <= STEPS; i++) {
      at = from + (to - from) * i / STEPS;
      for (int64_t k = 0; k < s.b->nodes; k++)
        s.q[k] = exp(at) * rest[k], s.q[s.b->column + k] = exp(-0.5 * at) * rest[s.b->stride + k];
      s.b->kind->flow(s.b, 1.0, s.q, s.r.state->p, &post);
    }
    const double e = (E * to - sign * Y) / (E + H), wanted = sign * Y + H * e;
    check_near(stress_at(&s, exp(at)) * exp(at) / wanted, 1.0, 0.02); /* strains of 1 % */
  }
  run_free(&s.r);
}

/* The energy that moved domains store comes back: no posting is negative, and books close as without it. */
static void test_kinematic_ball(void **unused)
{
  (void)unused;
  double gap[2];
  for (int i = 0; i < 2; i++) {
    char text[TEXT];
    losses w = {0};
    ball_scene(text, 0.4 / (1 << i), 8, 3e-4, "law: j2, yield: 100e6, hardening: {isotropic: 500e6, kinematic: 5e9}");
    run_record r = run_scene(text, &(run_options){.observe = losses_look, .user = &w});
    const vv_ledger *l = run_ledger(&r);
    gap[i] = l->max_closure;
    check_most(l->max_p_drift, 1e-13);
    check_least(w.least, -1e-12 * l->energy_scale);
    check_least(w.plastic / l->energy_scale, 0.3);
    run_free(&r);
  }
  check_most(gap[0], 2e-3);
  check_most(gap[1], gap[0] / 2.5);
}

/* ---- a clamped disc ---- */

/* All of it is thrown at once, V R sqrt(rho/yield)/h = 10.  Returns the mean deflection of its centre when it swings about its new
 * shape, over 10 h. */
typedef struct centre {
  double sum;
  int64_t node, n;
} centre;

static vv_status look_at_centre(const vv_view *v, void *user)
{
  centre *w = user;
  const vv_block *b = &v->model->block[0];
  if (v->state->t > 4e-4) w->sum += v->state->q[b->q0 + 2 * b->column + w->node], w->n++;
  return VV_OK;
}

static double disc_deflection(int rings, double safety, double *closure)
{
  char text[TEXT];
  centre w = {0};
  vv_report report;
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 7e-4, step: {safety: %.17g}}\nbodies:\n"
           "  disc: {kind: shell, mesh: {disc: {radius: 0.1, rings: %d}}, thickness: 5e-3, edges: [{hold: clamped}], "
           "velocity: [0, 0, 136.083],\n         material: {" ALUMINIUM ", law: j2, yield: 200e6}}\n",
           safety, rings);
  run_record r = run_prepare(text, NULL);
  const vv_block *b = &r.model->block[0];
  const double *rest = shell_node(b, SHELL_REST);
  for (int64_t i = 0; i < b->nodes; i++)
    if (hypot(rest[i], rest[b->stride + i]) < hypot(rest[w.node], rest[b->stride + w.node])) w.node = i;
  assert_int_equal(vv_sim_observe(r.sim, 1, look_at_centre, &w), VV_OK);
  assert_int_equal(vv_sim_run(r.sim, &report), VV_OK);
  *closure = run_ledger(&r)->max_closure;
  run_free(&r);
  return w.sum / (double)w.n / 0.05;
}

/* A conical mode with biaxial membrane forces ends at sqrt(2/3); meshes come up from below. */
static void test_disc(void **unused)
{
  (void)unused;
  double closure[3];
  const double coarse = disc_deflection(8, 0.4, &closure[0]), fine = disc_deflection(16, 0.4, &closure[1]);
  disc_deflection(8, 0.2, &closure[2]);
  print_message("disc: W/(10 h) %.4f, %.4f; closure %.3g, %.3g at half the step\n", coarse, fine, closure[0],
                closure[2]);
  check_near(fine, sqrt(2.0 / 3.0), 0.04);
  check_least(fine, coarse);
  check_most(closure[0], 2e-4);
  check_least(log2(closure[0] / closure[2]), 1.7);
}

/* ---- damping ---- */

/* Breathing of a sphere: when its radial momentum changes its sign, and the energy then. */
typedef struct breath {
  losses lost;
  double before, first, last; /* radial momentum; energies at the first and at the last turn that count */
  int turns;
} breath;

static vv_status breathe(const vv_view *v, void *user)
{
  breath *w = user;
  const vv_block *b = &v->model->block[0];
  double sum = 0.0;
  losses_look(v, &w->lost);
  for (int c = 0; c < 3; c++)
    for (int64_t i = 0; i < b->nodes; i++)
      sum += v->state->p[b->p0 + c * b->column + i] * v->state->q[b->q0 + c * b->column + i];
  enum { FIRST = 4, LAST = 24 }; /* the pulse is over; ten periods */
  if (sum * w->before < 0.0) {
    if (w->turns == FIRST) w->first = v->ledger->nodal_now;
    if (w->turns == LAST) w->last = v->ledger->nodal_now;
    w->turns++;
  }
  w->before = sum;
  return VV_OK;
}

/* Breathing, all in the membrane, omega^2 = 2 E/((1 - nu) rho R^2), damped with 2 % in a band that begins, ends or lies about its
 * frequency. */
static double breath_ratio(double from, double to)
{
  char text[TEXT];
  breath w = {0};
  const double omega = sqrt(2.0 * 70e9 / (0.67 * 2700.0)) / 0.1, period = 2.0 * VV_PI / omega;
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: %.17g, step: {safety: 0.05}}\nbodies:\n"
           "  ball: {kind: shell, mesh: {sphere: {radius: 0.1, base: icosahedron, frequency: 4}}, thickness: 1e-3,\n"
           "         material: {" ALUMINIUM "}, damping: {ratio: {value: 0.02, from: %.17g, to: %.17g}},\n"
           "         pressure: [{value: 1e4, history: {pulse: {duration: %.17g}}}]}\n",
           14.0 * period, from / period, to / period, 0.7 * period);
  run_record r = run_scene(text, &(run_options){.observe = breathe, .user = &w});
  assert_true(w.turns > 24);
  check_most(run_ledger(&r)->max_closure, 1e-3);
  check_least(w.lost.least, 0.0);
  check_most(run_ledger(&r)->max_p_drift, 1e-11);
  run_free(&r);
  return log(w.first / w.last) / (4.0 * VV_PI * 10.0);
}

static void test_ratio(void **unused)
{
  (void)unused;
  static const double band[][2] = {{0.9, 90.0}, {0.3, 30.0}, {0.1, 10.0}, {0.03, 3.0}, {0.011, 1.1}};
  for (int i = 0; i < VV_COUNT(band); i++) {
    const double ratio = breath_ratio(band[i][0], band[i][1]);
    print_message("sphere: ratio %.4f in a band from %g to %g of its frequency\n", ratio, band[i][0], band[i][1]);
    check_near(ratio, 0.02, 0.002);
  }
}

/* ---- bits ---- */

static void test_threads(void **unused)
{
  (void)unused;
  uint64_t hash[3];
  for (int i = 0; i < 3; i++) {
    char text[TEXT];
    ball_scene(text, 0.4, 24, 1.5e-5, "law: j2, yield: 50e6, hardening: {power: {strength: 100e6, exponent: 0.3}}");
    run_record r = run_scene(text, &(run_options){.threads = 1 + 2 * i});
    hash[i] = losses_hash(&r);
    check_least(vv_sum_value(&run_ledger(&r)->posted.plastic_work), 1e-9);
    run_free(&r);
  }
  assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

/* However many steps are taken at once: what a flow leaves is what the next force finds. */
static void test_batches(void **unused)
{
  (void)unused;
  uint64_t hash[3];
  for (int i = 0; i < 3; i++) {
    char text[TEXT];
    vv_report report;
    snprintf(text, TEXT,
             "visviva: 1\ntime: {end: 1e-4, step: {safety: 0.4}}\nbodies:\n"
             "  ball: {kind: shell, mesh: {sphere: {radius: 0.05, frequency: 6}}, thickness: 1e-3, velocities: "
             "[{velocity: [0, 0, 80], low: [-1, -1, 0.02]}],\n"
             "         material: {" ALUMINIUM ", law: j2, yield: 50e6, hardening: 100e6}}\n");
    run_record r = run_prepare(text, NULL);
    for (int k = 0; k < 120; k += i == 0 ? 1 : i == 1 ? 7 : 120)
      assert_int_equal(vv_sim_steps(r.sim, i == 0 ? 1 : i == 1 ? (120 - k < 7 ? 120 - k : 7) : 120, &report), VV_OK);
    check_least(vv_sum_value(&run_ledger(&r)->posted.plastic_work), 1e-3);
    hash[i] = vv_state_hash(r.state);
    run_free(&r);
  }
  assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

/* One state for all widths of registers. */
static void test_widths(void **unused)
{
  (void)unused;
  uint64_t hash[3];
  for (int set = 0; set < 3; set++) {
    char text[TEXT];
    ball_scene(text, 0.4, 8, 5e-5, "law: j2, yield: 50e6, hardening: 100e6");
    run_record r = run_prepare(text, NULL);
    shell_plan *plan = r.model->block[0].plan;
    vv_report report;
    plan->force = shell_tile_force(set), plan->audit = shell_tile_audit(set), plan->flow = shell_tile_flow(set);
    assert_int_equal(vv_sim_run(r.sim, &report), VV_OK);
    hash[set] = vv_state_hash(r.state);
    run_free(&r);
  }
  assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

int main(void)
{
  const struct CMUnitTest test[] = {
      cmocka_unit_test(test_never_yields), cmocka_unit_test(test_ball),           cmocka_unit_test(test_sphere),
      cmocka_unit_test(test_spring_back),  cmocka_unit_test(test_tension),        cmocka_unit_test(test_ratio),
      cmocka_unit_test(test_kinematic),    cmocka_unit_test(test_kinematic_ball), cmocka_unit_test(test_batches),
      cmocka_unit_test(test_disc),         cmocka_unit_test(test_threads),        cmocka_unit_test(test_widths),
  };
  return cmocka_run_group_tests(test, NULL, NULL);
}
