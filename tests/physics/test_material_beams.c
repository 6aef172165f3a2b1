/* tests/physics/test_material_beams.c  Beams that flow by fibres and damp, rigid bodies in a medium.  docs/theory/mat.md */
#include "check.h"
#include "losses.h"
#include "plastic.h"

#include "body/beam/beam.h"
#include "contact/contact.h"
#include "math/math.h"
#include "model/model.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096 };

/* ---- sections ---- */

/* Two nodes bent by hand: moment over curvature, or torque over twist. */
typedef struct section {
  run_record r;
  const vv_block *b;
} section;

static section section_make(const char *shape, const char *fibres)
{
  char text[TEXT];
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 1e-5}\nbodies:\n"
           "  beam: {kind: beam, length: 1, elements: 1, section: {%s},\n"
           "         material: {young: 200e9, poisson: 0.3, density: 7800, law: j2, yield: 200e6%s}}\n",
           shape, fibres);
  section s = {.r = run_prepare(text, NULL)};
  s.b = &s.r.model->block[0];
  return s;
}

/* Bends about d2 or twists about d3 by turning the second node, and lets the material follow. */
static void turn(const section *s, bool twist, double curvature)
{
  const double angle = 2.0 * atan(0.5 * curvature); /* the beam measures 2 tan(angle/2) */
  double x[3], frame[9], c = cos(angle), n = sin(angle);
  double bent[9] = {c, 0, n, 0, 1, 0, -n, 0, c}, twisted[9] = {c, -n, 0, n, c, 0, 0, 0, 1};
  /* the middle of the element keeps its strain: the chord lies along the mean of both directors */
  beam_get(s->b, s->r.state->q, 0, x, frame);
  const double half = 0.5 * angle, chord = 1.0 / cos(half); /* (Lambda_a + Lambda_b)^T D/2 = (0, 0, 1) */
  double end[3] = {x[0] + (twist ? 0.0 : chord * sin(half)), x[1], x[2] + (twist ? 1.0 : chord * cos(half))};
  beam_put(s->b, s->r.state->q, 1, end, twist ? twisted : bent);
  vv_posted post = {0};
  s->b->kind->flow(s->b, 1.0, s->r.state->q, s->r.state->p, &post);
}

/* Moment (or torque) over its fully plastic value at `times` the yield curvature. */
static double moment_at(const char *shape, const char *fibres, bool twist, double yield_curvature, double times)
{
  enum { STEPS = 400 };
  section s = section_make(shape, fibres);
  double m[3];
  for (int i = 1; i <= STEPS; i++) turn(&s, twist, times * yield_curvature * i / STEPS);
  assert_int_equal(vv_model_output(s.r.model, s.r.state, 0, "m", m), VV_OK);
  run_free(&s.r);
  return twist ? m[2] : m[1];
}

/* Bending of a rectangle: M/M_y = 3/2 - (k_y/k)^2/2; twist of a circle: T/T_y = 4/3 - (k_y/k)^3/3. */
static void test_sections(void **unused)
{
  (void)unused;
  const double E = 200e9, Y = 200e6, a = 0.01, ky = Y / (E * 0.5 * a), My = Y * a * a * a / 6.0;
  const double R = 0.005, G = E / 2.6, tau = Y / sqrt(3.0), kt = tau / (G * R), Ty = 0.5 * VV_PI * R * R * R * tau;
  static const double times[] = {0.9, 1.2, 2.0, 5.0, 10.0};
  for (int i = 0; i < VV_COUNT(times); i++) {
    const double t = times[i], bend = t > 1.0 ? 1.5 - 0.5 / (t * t) : t,
                 twist = t > 1.0 ? (4.0 - 1.0 / (t * t * t)) / 3.0 : t;
    check_near(moment_at("square: {side: 0.01}", "", false, ky, t) / My, bend, 0.055 * bend);
    check_near(moment_at("square: {side: 0.01}", ", fibres: [1, 20]", false, ky, 0.5) / My, 0.5, 1e-6);
    check_near(moment_at("square: {side: 0.01}", ", fibres: [20, 2]", false, ky, t) / My, bend, 0.02 * bend);
    check_near(moment_at("circle: {radius: 0.005}", "", true, kt, t) / Ty, twist, 0.055 * twist);
    check_near(moment_at("circle: {radius: 0.005}", ", fibres: [12, 16]", true, kt, t) / Ty, twist, 0.01 * twist);
  }
}

/* The equivalent stress that is shown: of the outermost place while elastic, the yield stress once all flows. */
static void test_mises(void **unused)
{
  (void)unused;
  const double E = 200e9, Y = 200e6, R = 0.005, G = E / 2.6, kb = Y / (E * R), kt = Y / sqrt(3.0) / (G * R);
  double mises;
  for (int i = 0; i < 6; i++) {
    const bool twist = i % 2 == 1, flows = i >= 4;
    char text[TEXT];
    snprintf(text, TEXT,
             "visviva: 1\ntime: {end: 1e-5}\nbodies:\n"
             "  beam: {kind: beam, length: 1, elements: 1, section: {circle: {radius: 0.005}},\n"
             "         material: {young: 200e9, poisson: 0.3, density: 7800%s}}\n",
             i < 2 ? "" : ", law: j2, yield: 200e6");
    section s = {.r = run_prepare(text, NULL)};
    s.b = &s.r.model->block[0];
    const double times = flows ? 5.0 : 0.5;
    if (i < 2) { /* no flow: by hand */
      section f = section_make("circle: {radius: 0.005}", "");
      turn(&f, twist, times * (twist ? kt : kb));
      for (int c = 0; c < 12; c++) s.r.state->q[c * s.b->column + 1] = f.r.state->q[c * f.b->column + 1];
      run_free(&f.r);
    } else
      for (int k = 1; k <= 100; k++) turn(&s, twist, times * (twist ? kt : kb) * k / 100);
    assert_int_equal(vv_model_output(s.r.model, s.r.state, 0, "mises", &mises), VV_OK);
    const double ring = sqrt(0.5 * (1.0 + 2.0 / 3.0)); /* where the outermost of three rings of equal area lies */
    check_near(mises, flows ? Y : 0.5 * Y * (i < 2 ? 1.0 : ring), flows ? 1e-6 * Y : 1e-4 * Y);
    run_free(&s.r);
  }
}

/* ---- motion ---- */

static void bounce_scene(char *text, double safety, const char *material, const char *more)
{
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 1.2e-3, step: {safety: %.17g}}\nmethod: {step: leapfrog}\nbodies:\n"
           "  beam: {kind: beam, length: 0.4, elements: 20, section: {circle: {radius: 0.005}}, axis: [1, 0, 0.2], "
           "normal: [0, 0, 1],\n"
           "         position: [0, 0, 0.0052], velocity: [0, 0, -20], spin: [0, 20, 0]%s,\n"
           "         material: {young: 70e9, poisson: 0.33, density: 2700%s}}\n"
           "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n",
           safety, more, material);
}

static void test_bounce(void **unused)
{
  (void)unused;
  static const char *const law[] = {", law: j2, yield: 100e6, hardening: 500e6",
                                    ", law: j2, yield: 100e6, hardening: {kinematic: 1e9}",
                                    ", law: j2, yield: 100e6, rate: {cowper-symonds: {rate: 6500, exponent: 4}}"};
  for (int m = 0; m < VV_COUNT(law); m++) {
    double gap[2];
    for (int i = 0; i < 2; i++) {
      char text[TEXT];
      losses w = {0};
      bounce_scene(text, 0.2 / (1 << (2 * i)), law[m], "");
      run_record r = run_scene(text, &(run_options){.observe = losses_look, .user = &w});
      const vv_ledger *l = run_ledger(&r);
      gap[i] = l->max_closure;
      check_most(l->max_p_drift, 1e-12);
      check_most(l->max_L_drift, 1e-12);
      check_least(w.least, -1e-15 * l->energy_scale);
      check_least(w.plastic / l->energy_scale, 0.05);
      run_free(&r);
    }
    check_most(gap[0], 1e-2);
    check_most(gap[1], gap[0] / 8.0);
  }
}

static void test_never_yields(void **unused)
{
  (void)unused;
  static const char *const law[2] = {"", ", law: j2, yield: 1e30"};
  run_record r[2];
  for (int i = 0; i < 2; i++) {
    char text[TEXT];
    bounce_scene(text, 0.2, law[i], "");
    r[i] = run_prepare(text, NULL);
    r[i].sim->step.contact->scaling = NULL; /* bodies that may flow bounce by momenta alone [shadow 5] */
    assert_int_equal(vv_sim_run(r[i].sim, &r[i].report), VV_OK);
  }
  for (int64_t k = 0; k < r[0].model->nx; k++) check_near(r[1].state->q[k], r[0].state->q[k], 1e-9);
  run_free(&r[0]), run_free(&r[1]);
}

static void test_threads(void **unused)
{
  (void)unused;
  static const int threads[] = {1, 2, 4, 16};
  uint64_t hash[VV_COUNT(threads)];
  for (int i = 0; i < VV_COUNT(threads); i++) {
    char text[TEXT];
    snprintf(text, TEXT,
             "visviva: 1\ntime: {end: 2e-5, step: {safety: 0.3}}\nbodies:\n"
             "  beam: {kind: beam, length: 4, elements: 4000, section: {circle: {radius: 0.005}}, shape: {arc: {angle: "
             "6}},\n"
             "         material: {young: 70e9, density: 2700, law: j2, yield: 100e6, hardening: 1e8}, damping: {ratio: "
             "{value: 0.02, from: 100, to: 1e4}}}\n");
    run_record r = run_scene(text, &(run_options){.threads = threads[i]});
    hash[i] = losses_hash(&r);
    check_least(vv_sum_value(&run_ledger(&r)->posted.plastic_work), 1e-6);
    run_free(&r);
  }
  for (int i = 1; i < VV_COUNT(threads); i++) assert_true(hash[i] == hash[0]);
}

/* ---- breaking ---- */

/* A rod whose ends fly apart stretches and breaks: books, momenta, one sign of the losses; the element that broke carries
 * nothing.  Damped, what its branches hold of the energy is freed with it. */
static void check_break(const char *damping)
{
  char text[TEXT];
  losses w = {0};
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 4e-4, step: {safety: 0.2}}\nbodies:\n"
           "  rod: {kind: beam, length: 0.1, elements: 20, section: {square: {side: 0.01}}, axis: [1, 0, 0]%s,\n"
           "        velocity_profile: [{at: [0, 1], factor: [-1, 1], direction: [120, 0, 0]}],\n"
           "        material: {young: 70e9, poisson: 0.33, density: 2700, law: j2, yield: 100e6, hardening: 200e6, "
           "fibres: [2, 2],\n"
           "                   failure: {strain: 0.02, energy: 1e4}}}\n",
           damping);
  run_record r = run_scene(text, &(run_options){.observe = losses_look, .user = &w});
  const vv_ledger *l = run_ledger(&r);
  double damage[20], n[60];
  int broken = 0;
  assert_int_equal(vv_model_output(r.model, r.state, 0, "damage", damage), VV_OK);
  assert_int_equal(vv_model_output(r.model, r.state, 0, "n", n), VV_OK);
  for (int i = 0; i < 20; i++) {
    broken += damage[i] == 1.0;
    if (damage[i] == 1.0) check_most(fabs(n[3 * i + 2]), 0.0);
  }
  assert_true(broken >= 1);
  print_message("  a rod%s: %d broken, closure %.2g, least %.2g J\n", damping, broken, l->max_closure, w.least);
  check_most(l->max_closure, 2e-4);
  check_most(l->max_p_drift, 1e-12);
  check_most(l->max_L_drift, 1e-12);
  check_least(vv_sum_value(&l->posted.damage_loss), 0.0);
  check_least(w.least, -1e-15 * l->energy_scale);
  run_free(&r);
}

static void test_breaks(void **unused)
{
  (void)unused;
  check_break("");
  check_break(", damping: {ratio: {value: 0.05, from: 2e3, to: 2e5}}");
}

/* A rod that breaks at once falls to pieces between a floor and a roof: each loss only grows, though stresses turn round within a
 * step near the stable one, and pieces never gain energy (but for the swing of the energy at whole steps). */
static void test_rubble(void **unused)
{
  (void)unused;
  for (int i = 0; i < 4; i++) {
    char text[TEXT];
    losses w = {0};
    snprintf(text, TEXT,
             "visviva: 1\ntime: {end: 6e-3, step: {safety: %g}}\nbodies:\n"
             "  rod: {kind: beam, length: 0.4, elements: 24, section: {circle: {radius: 0.004}}, axis: [1, 0, 0.1], "
             "normal: [0, 0, 1],\n        position: [0, 0, 0.06], velocity: [0, 0, -60], spin: [0, 150, 40],\n"
             "        material: {law: j2, young: 70e9, poisson: 0.33, density: 2700, yield: 100e6, hardening: 1e9, "
             "failure: {strain: 0.003}}}\n"
             "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
             "  roof: {kind: obstacle, shape: {plane: {normal: [0, 0, -1], offset: -0.15}}}\n"
             "contacts: [{restitution: %d}]\n",
             i < 2 ? 0.8 : 0.5, i % 2);
    run_record r = run_scene(text, &(run_options){.observe = losses_look, .user = &w});
    const vv_ledger *l = run_ledger(&r);
    const double left = vv_totals_energy(&l->now) / vv_totals_energy(&l->initial);
    print_message("rubble of a beam: %d broken, %.4f of the energy left, closure %.2g; losses of a step at least %.2g, "
                  "%.2g J\n",
                  (int)vv_model_broken(r.model, r.state, 0), left, l->max_closure, w.least, w.healed);
    assert_true(vv_model_broken(r.model, r.state, 0) > 12);
    check_least(w.least, -1e-15 * l->energy_scale);
    check_least(w.healed, -1e-15 * l->energy_scale);
    check_most(left, 1.0);
    check_most(l->max_closure, 1e-3);
    run_free(&r);
  }
}

/* ---- damping ---- */

/* A cantilever plucked in its first mode: the ratio asked for, over the band.                                [mat 9, 10] */
static double cantilever_ratio(const char *damping)
{
  char text[TEXT];
  const double period = plastic_cantilever_period();
  losses w = {0};
  plastic_cantilever_scene(damping, text, sizeof text);
  run_record r = run_prepare(text, NULL);
  vv_report report;
  double energy[2];
  assert_int_equal(vv_sim_observe(r.sim, 1, losses_look, &w), VV_OK);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(vv_sim_steps(r.sim, (int64_t)((i == 0 ? 2.0 : 10.0) * period / vv_model_step(r.model)), &report),
                     VV_OK);
    energy[i] = run_ledger(&r)->nodal_now;
  }
  check_least(w.least, 0.0);
  check_most(run_ledger(&r)->max_closure, 1e-4);
  check_most(run_ledger(&r)->max_L_drift, 1e-11);
  run_free(&r);
  return -log(energy[1] / energy[0]) / (4.0 * VV_PI * 10.0);
}

static void test_cantilever(void **unused)
{
  (void)unused;
  /* its first frequency is 178 cycles: near both ends and in the middle of the band; the stiffer material fits a few
   * more vibrations into the same time */
  check_near(cantilever_ratio("ratio: {value: 0.02, from: 160, to: 16000}"), 0.02, 0.002);
  check_near(cantilever_ratio("ratio: {value: 0.02, from: 16, to: 1600}"), 0.02, 0.002);
  check_near(cantilever_ratio("ratio: {value: 0.01, from: 2, to: 200}"), 0.01, 0.001);
  /* mass: ratio = a/(2 omega) */
  const double omega = 1.8751 * 1.8751 * sqrt(70e9 * 0.25 * 4e-4 / 2700.0) / 0.16;
  check_near(cantilever_ratio("mass: 40"), 40.0 / (2.0 * omega), 0.02 * 40.0 / (2.0 * omega));
}

/* ---- rigid bodies in a medium ---- */

static void test_drag(void **unused)
{
  (void)unused;
  run_record r = run_scene("visviva: 1\ntime: {end: 3, step: 0.01}\nbodies:\n"
                           "  box: {kind: rigid, shape: {box: {size: [0.5, 0.3, 0.2]}}, mass: 2, position: [1, 2, 3],\n"
                           "        velocity: [1, -2, 3], spin: [4, 5, -6], damping: {linear: 0.5, angular: 0.25}}\n",
                           NULL);
  const vv_ledger *l = run_ledger(&r);
  check_near(l->now.p[2] / l->initial.p[2], exp(-1.5), 1e-12);
  check_most(l->max_closure, 1e-12);
  check_most(l->max_p_drift, 1e-12);
  check_most(l->max_L_drift, 1e-12);
  double spin[2] = {0, 0};
  for (int c = 3; c < 6; c++) {
    const int64_t at = c * r.model->block[0].column;
    spin[0] += r.initial->p[at] * r.initial->p[at], spin[1] += r.state->p[at] * r.state->p[at];
  }
  check_near(sqrt(spin[1] / spin[0]), exp(-0.75), 1e-12);
  run_free(&r);
  /* steps that are halved around an impact fade once */
  r = run_scene(
      "visviva: 1\ntime: {end: 1, step: 0.01}\nmethod: {halvings: 6}\nbodies:\n"
      "  a: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, mass: 2, velocity: [4, 0, 0], damping: {linear: 0.5}}\n"
      "  b: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, mass: 2, position: [2.003, 0, 0], damping: {linear: 0.5}}\n",
      NULL);
  assert_true(r.n_event > 0);
  check_near(run_ledger(&r)->now.p[0], 8.0 * exp(-0.5), 1e-12);
  check_most(run_ledger(&r)->max_closure, 1e-12);
  run_free(&r);
  /* a ball that falls through it reaches m g/(m a) */
  r = run_scene("visviva: 1\ntime: {end: 20, step: 0.01}\ngravity: [0, 0, -10]\nbodies:\n"
                "  ball: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, damping: {linear: 2}}\n",
                NULL);
  check_near(run_ledger(&r)->now.p[2], -5.0, 5.0 * 0.02 * 0.02 / 24.0);
  check_most(run_ledger(&r)->max_closure, 1e-12);
  run_free(&r);
}

/* A body that is thrown up in a medium has v = v0 e^(-ct) - g/c (1 - e^(-ct)) after a time t, whatever it is made of, and falls
 * v0/c (1 - e^(-ct)) - g/c (t - (1 - e^(-ct))/c): steps are of second order in both, and books close. */
static void in_a_medium(const char *body, const char *step, double h, double error[2])
{
  const double c = 2.0, g = 10.0, t = 0.96, e = exp(-c * t), speed = e - g / c * (1.0 - e);
  const double way = (1.0 - e) / c - g / c * (t - (1.0 - e) / c);
  char text[600];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 0.96, step: %.9g}\ngravity: [0, 0, -10]\nbodies:\n  b: {%s}\nmethod: {step: %s}\n",
           h, body, step);
  run_record r = run_scene(text, NULL);
  const vv_ledger *l = run_ledger(&r);
  const double mass = l->initial.p[2];
  error[0] = fabs(l->now.p[2] / mass - speed);
  error[1] = fabs((l->now.potential - l->initial.potential) / (mass * g) - way);
  check_near(l->now.kinetic, 0.5 * mass * speed * speed, 4.0 * mass * fabs(speed) * error[0]);
  check_most(l->max_closure, 1e-11);
  check_most(l->max_p_drift, 1e-12);
  run_free(&r);
}

static void test_medium(void **unused)
{
  (void)unused;
  static const char ball[] =
      "kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1.5, velocity: [0, 0, 1], damping: {linear: 2}";
  static const char bar[] = "kind: bar, axis: [0, 0, 1], length: 1, elements: 4, section: {area: 1e-3}, "
                            "material: {young: 1e5, density: 1000}, velocity: 1, damping: {mass: 2}";
  static const char beam[] =
      "kind: beam, length: 1, elements: 4, section: {circle: {radius: 0.02}}, "
      "material: {young: 5e3, poisson: 0.3, density: 1000}, velocity: [0, 0, 1], damping: {mass: 2}";
  static const char shell[] =
      "kind: shell, mesh: {sphere: {radius: 1, level: 1}}, thickness: 1 cm, "
      "material: {young: 1e5, poisson: 0.3, density: 1000}, velocity: [0, 0, 1], damping: {mass: 2}";
  static const char *const scene[][2] = {{ball, "leapfrog"}, {ball, "dcr2005"}, {bar, "leapfrog"},  {bar, "event"},
                                         {beam, "leapfrog"}, {beam, "event"},   {shell, "leapfrog"}};
  for (size_t i = 0; i < sizeof scene / sizeof *scene; i++) {
    double coarse[2], fine[2];
    in_a_medium(scene[i][0], scene[i][1], 0.008, coarse);
    in_a_medium(scene[i][0], scene[i][1], 0.004, fine);
    for (int k = 0; k < 2; k++) check_near(log2(coarse[k] / fine[k]), 2.0, 0.02);
  }
}

/* A box slides in a medium, v' = -c v - mu g, stops at t = ln(1 + c v0/(mu g))/c after x = (v0 - mu g t)/c, and rests: what friction
 * and the medium took are of second order, and what rests loses nothing, owes nothing and weighs what it weighs.     [mat 11a] */
static double slide(double h, double v0)
{
  const double c = 2.0, mu = 0.3, g = 10.0, t = log(1.0 + c * v0 / (mu * g)) / c, x = (v0 - mu * g * t) / c;
  char text[600];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1, step: %.9g}\ngravity: [0, 0, -10]\ncontacts: [{restitution: 0, friction: "
           "0.3}]\nbodies:\n"
           "  b: {kind: rigid, shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 1, position: [0, 0, 0.1], velocity: [%.9g, "
           "0, 0],\n"
           "      damping: {linear: 2, angular: 1}}\n  f: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n",
           h, v0);
  run_record r = run_scene(text, NULL);
  const vv_ledger *l = run_ledger(&r);
  check_most(l->max_closure, 1e-12);
  check_near(l->now.kinetic, 0.0, 1e-25);
  check_near(l->now.p[2], 0.0, 1e-13);
  check_near(vv_sum_value(&l->posted.friction_loss), mu * g * x, 4.0 * h * h);
  const double off = fabs(vv_sum_value(&l->posted.viscous_loss) - (0.5 * v0 * v0 - mu * g * x));
  run_free(&r);
  return off;
}

static void test_slides(void **unused)
{
  (void)unused;
  check_most(slide(0.002, 0.0), 1e-25);
  check_near(log2(slide(0.004, 2.0) / slide(0.002, 2.0)), 2.0, 0.2);
}

/* A ball breaks a rod and goes through: a broken element meets nothing, and its neighbours have ends. */
static void test_goes_through(void **unused)
{
  (void)unused;
  losses w = {0};
  enum { BALL = 1 };
  double position[3];
  run_record r = run_scene(
      "visviva: 1\ntime: {end: 6e-4, step: {safety: 0.3}}\nbodies:\n"
      "  rod: {kind: beam, length: 0.2, elements: 20, section: {circle: {radius: 0.003}}, axis: [1, 0, 0], position: "
      "[-0.1, 0, 0], ends: {first: clamped, last: clamped},\n"
      "        material: {law: j2, young: 70e9, density: 2700, yield: 100e6, hardening: 100e6, failure: {strain: 0.1, "
      "energy: 2e4}}}\n"
      "  ball: {kind: rigid, shape: {ball: {radius: 0.008}}, mass: 0.05, position: [0.005, 0, 0.0115], velocity: [0, "
      "0, "
      "-120]}\n"
      "contacts: [{restitution: 0}]\n",
      &(run_options){.observe = losses_look, .user = &w});
  const vv_ledger *l = run_ledger(&r);
  assert_int_equal(vv_model_output(r.model, r.state, BALL, "position", position), VV_OK);
  check_most(position[2], -0.04);
  check_most(l->max_closure, 1e-4);
  check_most(l->max_p_drift, 1e-12);
  check_most(l->max_penetration, 1e-9);
  check_least(w.damage, 0.0);
  check_least(losses_mean(&r, "damage"), 0.9 / 20.0);
  run_free(&r);
}

static void test_refused(void **unused)
{
  (void)unused;
  static const char *const row[][2] = {
      {"section: {general: {area: 1e-4, bending: [1e-9, 1e-9]}}, material: {young: 1e9, density: 1e3, law: j2, yield: "
       "1e6}",
       "shape of the section"},
      {"section: {circle: {radius: 0.01}}, strain: trapezoid, material: {young: 1e9, density: 1e3, law: j2, yield: "
       "1e6}",
       "is for elastic beams"},
      {"section: {circle: {radius: 0.01}}, damping: {bulk: 0.06}, material: {young: 1e9, density: 1e3}", "is for bars"},
      {"section: {circle: {radius: 0.01}}, material: {young: 1e9, density: 1e3, fibres: [3, 3]}",
       "belongs to 'law: j2'"},
      {"section: {circle: {radius: 0.01}}, material: {young: 1e9, density: 1e3, law: j2, yield: 1e6, fibres: [30, 30]}",
       "more than 400"},
  };
  for (int i = 0; i < VV_COUNT(row); i++) {
    char text[TEXT], message[TEXT];
    snprintf(text, TEXT, "visviva: 1\ntime: {end: 1e-3}\nbodies:\n  beam: {kind: beam, length: 1, elements: 4, %s}\n",
             row[i][0]);
    assert_int_equal(run_refused(text, message, sizeof message), VV_SCENE);
    if (strstr(message, row[i][1]) == NULL) fail_msg("'%s' does not say '%s'", message, row[i][1]);
  }
}

int main(void)
{
  const struct CMUnitTest test[] = {
      cmocka_unit_test(test_mises),        cmocka_unit_test(test_sections), cmocka_unit_test(test_bounce),
      cmocka_unit_test(test_never_yields), cmocka_unit_test(test_threads),  cmocka_unit_test(test_cantilever),
      cmocka_unit_test(test_drag),         cmocka_unit_test(test_medium),   cmocka_unit_test(test_slides),
      cmocka_unit_test(test_goes_through), cmocka_unit_test(test_refused),  cmocka_unit_test(test_breaks),
      cmocka_unit_test(test_rubble),
  };
  return cmocka_run_group_tests(test, NULL, NULL);
}
