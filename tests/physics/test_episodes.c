/* tests/physics/test_episodes.c  Contact histories: what touched when, for how long and with which force, against known
 * solutions; what is booked is what the bodies exchange. */
#include "check.h"
#include "ledger/episodes.h"
#include "model/model.h"
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 2048 };

/* ---- what a run tells ---- */

typedef struct told {
  vv_episode episode[256];
  vv_force_sample sample[256][130];
  int64_t n;
} told;
static told heard; /* too large for the stack */

static vv_status listen(const vv_view *view, void *user)
{
  told *t = user;
  for (int64_t i = 0; i < view->n_episode; i++) {
    const vv_episode *e = &view->episode[i];
    assert_true(t->n < VV_COUNT(t->episode));
    memcpy(t->sample[t->n], view->sample + e->first, sizeof *view->sample * (size_t)e->samples);
    t->episode[t->n++] = *e;
  }
  return VV_OK;
}

static run_record run_told(const char *text)
{
  heard.n = 0;
  return run_scene(text, &(run_options){.observe = listen, .user = &heard});
}

static vv_contact_total total_of(const run_record *r, int64_t pair)
{
  vv_contact_total c;
  assert_int_equal(vv_ledger_pair(run_ledger(r), pair, &c), VV_OK);
  return c;
}

static const double nothing[3] = {0, 0, 0};

/* What bodies got from walls, and from what else pulls them, is what their momentum changed by, up to rounding of the sum. */
static void check_exchange(const run_record *r, const double pull[3], double scale)
{
  const vv_ledger *l = run_ledger(r);
  double given[3] = {pull[0], pull[1], pull[2]};
  for (int64_t i = 0; i < vv_ledger_pairs(l); i++) {
    const vv_contact_total c = total_of(r, i);
    const bool outside[2] = {r->model->body[c.body[0]].n_node == 0, r->model->body[c.body[1]].n_node == 0};
    for (int k = 0; outside[0] != outside[1] && k < 3; k++) given[k] += (outside[0] ? 1.0 : -1.0) * c.impulse[k];
  }
  for (int k = 0; k < 3; k++) check_near(given[k], l->now.p[k] - l->initial.p[k], 1e-13 * scale);
}

/* ---- a bar on a wall: 2 L/c, rho c v A ---- */

static const double bar_c = 5172.19; /* sqrt(2.1e11/7850) */

static void bar_scene(char *text, const char *method, const char *tips, int elements)
{
  snprintf(
      text, TEXT,
      "visviva: 1\ntime: {end: 7e-4, step: {safety: 0.5}}\nmethod: {step: %s}\nbodies:\n"
      "  rod: {kind: bar, length: 1, elements: %d, section: {area: 1e-4}, material: {young: 2.1e11, density: 7850},"
      " tips: {first: %s, last: %s}, position: 0.001, velocity: -5}\n"
      "  wall: {kind: obstacle, shape: {plane: {normal: [1, 0, 0], offset: 0}}}\n",
      method, elements, tips, tips);
}

static void a_bar_touches_a_wall_once(void **unused)
{
  (void)unused;
  static const char *const method[] = {"event", "leapfrog"}, *const tips[] = {"lumped", "split", "cell"};
  const double duration = 2.0 / bar_c, force = 7850 * bar_c * 5 * 1e-4;
  char text[TEXT];
  for (int m = 0; m < 2; m++)
    for (int k = 0; k < 3; k++) {
      double error[2][2];
      for (int fine = 0; fine < 2; fine++) {
        bar_scene(text, method[m], tips[k], fine ? 200 : 50);
        run_record r = run_told(text);
        assert_int_equal(heard.n, 1);
        const vv_episode *e = &heard.episode[0];
        check_near(e->touch, 2e-4, 2e-6);
        check_near(e->speed, -5.0, 1e-9);
        check_near(e->normal, -e->impulse[0], 1e-12);
        check_near(e->release - e->touch, duration, (fine ? 0.005 : 0.015) * duration);
        check_near(e->peak_force, force, 0.012 * force); /* a window holds a whole number of blows */
        error[fine][0] = fabs(e->mean_force - force) / force;
        error[fine][1] = fabs(e->normal - force * duration) / (force * duration);
        check_exchange(&r, nothing, 2 * 7850e-4 * 5);
        double sum = 0.0;
        for (int64_t i = 0; i < e->samples; i++) sum += heard.sample[0][i].normal * e->window;
        check_near(sum, e->normal, 1e-12 * e->normal); /* the curve holds the whole impulse */
        run_free(&r);
      }
      check_most(error[1][0], 0.01);
      check_most(error[1][0], 0.85 * error[0][0]);
      check_most(error[1][1], 0.5 * error[0][1]);
    }
}

/* Duration, peak force and impulse all go to those of the waves. */
static void a_fine_bar_tells_the_waves(void **unused)
{
  (void)unused;
  static const char *const method[] = {"event", "leapfrog"}, *const tips[] = {"cell", "lumped"};
  const double duration = 2.0 / bar_c, force = 7850 * bar_c * 5 * 1e-4;
  char text[TEXT];
  for (int k = 0; k < 2; k++) {
    bar_scene(text, method[k], tips[k], 800);
    run_record r = run_told(text);
    assert_int_equal(heard.n, 1);
    const vv_episode *e = &heard.episode[0];
    check_near(e->release - e->touch, duration, 0.002 * duration);
    check_near(e->peak_force, force, 0.002 * force);
    check_near(e->normal, force * duration, 0.002 * force * duration);
    run_free(&r);
  }
}

/* ---- two spheres ---- */

static void balls_scene(char *text, const char *method, const char *law, double step)
{
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 0.2, step: %g}\nmethod: {%s}\ncontacts: [{%s}]\nbodies:\n"
           "  a: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 2, position: [-0.15, 0, 0], velocity: [2, 0, 0]}\n"
           "  b: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 3, position: [0.15, 0, 0], velocity: [-1, 0, 0]}\n",
           step, method, law);
}

static void rigid_spheres_exchange_one_impulse(void **unused)
{
  (void)unused;
  static const char *const method[] = {"step: leapfrog", "step: energy-momentum"};
  char text[TEXT];
  for (int m = 0; m < 2; m++) {
    balls_scene(text, method[m], "restitution: 0.5", 1e-3);
    run_record r = run_told(text);
    const double reduced = 2.0 * 3.0 / 5.0, impulse = 1.5 * reduced * 3.0;
    assert_int_equal(heard.n, 1);
    const vv_episode *e = &heard.episode[0];
    check_near(e->impulse[0], impulse, 1e-12);
    check_near(e->normal, impulse, 1e-12);
    check_near(e->energy_lost, 0.5 * reduced * 9.0 * 0.75, 1e-12);
    check_near(e->speed, -3.0, 1e-12);
    check_near(e->touch, 0.1 / 3.0, 1.1e-3);
    assert_true(isnan(e->peak_force)); /* an impulse at one instant has no force */
    run_free(&r);
  }
}

/* A spring between them: half a swing, pi sqrt(m/k), and v sqrt(k m). */
static void sprung_spheres_push_for_half_a_swing(void **unused)
{
  (void)unused;
  const double reduced = 1.2, k = 3e4, duration = 3.14159265358979 * sqrt(reduced / k), force = 3.0 * sqrt(k * reduced);
  char text[TEXT];
  double last[3] = {1, 1, 1};
  for (int fine = 0; fine < 3; fine++) {
    balls_scene(text, "step: energy-momentum", "response: penalty, stiffness: 3e4", 4e-4 / (1 << (2 * fine)));
    run_record r = run_told(text);
    assert_int_equal(heard.n, 1);
    const vv_episode *e = &heard.episode[0];
    const double error[3] = {fabs(e->release - e->touch - duration) / duration, fabs(e->peak_force - force) / force,
                             fabs(e->normal - 2 * reduced * 3.0) / (2 * reduced * 3.0)};
    for (int i = 0; i < 2; i++) {
      check_most(error[i], fmax(0.6 * last[i], 1e-3));
      last[i] = error[i];
    }
    check_most(error[2], 1e-10);
    run_free(&r);
  }
  check_most(last[0], 0.01);
  check_most(last[1], 0.01);
}

/* ---- a ball on a plate that has no end: Zener's M v' = -Z v, Z = 8 sqrt(D rho h) ---- */

static double ball_on_plate(int rings, double *force)
{
  const double m = 0.5, end = 1e-3, stiff = 2e11 * 8e-9 / (12 * 0.91), z = 8 * sqrt(stiff * 7800 * 0.002);
  char text[TEXT];
  snprintf(
      text, TEXT,
      "visviva: 1\ntime: {end: %g, step: {safety: 0.5}}\nbodies:\n"
      "  plate: {kind: shell, mesh: {disc: {radius: 0.4, rings: %d}}, thickness: 0.002, material: {young: 2e11,"
      " poisson: 0.3, density: 7800}}\n"
      "  ball: {kind: rigid, shape: {ball: {radius: 0.01}}, mass: %g, position: [0, 0, 0.010001], velocity: [0, 0, "
      "-1]}\n",
      end, rings, m);
  run_record r = run_told(text);
  assert_int_equal(vv_ledger_pairs(run_ledger(&r)), 1);
  const vv_contact_total c = total_of(&r, 0);
  assert_int_equal(c.episodes, 1); /* one contact, not dozens of impacts */
  check_least((double)c.impulses, 10);
  check_least(z, c.peak_force); /* the first instant has the largest force */
  double ball[VV_BODY_TOTALS];
  assert_int_equal(vv_model_totals(r.model, r.state, 1, ball), VV_OK);
  for (int k = 0; k < 3; k++) check_near(ball[3 + k] - (k == 2 ? -m : 0.0), c.impulse[k], 1e-14);
  *force = c.peak_force / z - 1.0;
  run_free(&r);
  return c.normal / (m * (1.0 - exp(-z * end / m))) - 1.0;
}

static void a_ball_on_a_plate_feels_its_impedance(void **unused)
{
  (void)unused;
  double force[2];
  const double coarse = fabs(ball_on_plate(8, &force[0])), fine = fabs(ball_on_plate(32, &force[1]));
  check_most(fine, 0.05);
  check_most(fine, 0.25 * coarse);
  check_most(fabs(force[1]), 0.6 * fabs(force[0])); /* towards Z v, that of the first instant */
}

/* Where they touch is a point of the ball: its radius away from its centre, against the normal that leads to it. */
static void events_name_the_surface_of_a_ball(void **unused)
{
  (void)unused;
  run_record r =
      run_told("visviva: 1\ntime: {end: 2e-4, step: {safety: 0.5}}\nbodies:\n"
               "  plate: {kind: shell, mesh: {disc: {radius: 0.4, rings: 8}}, thickness: 0.002, material: {young: 2e11,"
               " poisson: 0.3, density: 7800}}\n"
               "  ball: {kind: rigid, shape: {ball: {radius: 0.01}}, mass: 0.5, position: [0, 0, 0.010001], velocity: "
               "[0, 0, -1]}\n");
  check_least((double)r.n_event, 1);
  for (int64_t i = 0; i < r.n_event; i++) {
    const vv_event *e = &r.event[i];
    const bool second = strcmp(e->body_b, "ball") == 0;
    for (int k = 0; k < 3; k++) { /* the ball moves along z by 1 m/s at most */
      const double centre = e->x[k] + (second ? 0.01 : -0.01) * e->n[k], start = k == 2 ? 0.010001 : 0.0;
      check_near(centre, start, k == 2 ? e->time + 1e-9 : 1e-9);
    }
  }
  run_free(&r);
}

/* ---- a ball on a beam without end: v = v0 exp(a^2 t) erfc(a sqrt t), a = 2 sqrt(2) (EI)^(1/4) (rho A)^(3/4)/M ---- */

static double ball_on_beam(int elements)
{
  const double pi = 3.14159265358979, radius = 0.004, m = 0.1, end = 1e-3;
  const double bend = 2e11 * pi * radius * radius * radius * radius / 4, line = 7800 * pi * radius * radius;
  const double a = 2 * sqrt(2.0) * pow(bend, 0.25) * pow(line, 0.75) / m, y = a * sqrt(end);
  char text[TEXT];
  snprintf(
      text, TEXT,
      "visviva: 1\ntime: {end: %g, step: {safety: 0.3}}\nbodies:\n"
      "  ball: {kind: rigid, shape: {ball: {radius: 0.02}}, mass: %g, position: [0, 0, 0.024001], velocity: [0, 0, "
      "-1]}\n"
      "  beam: {kind: beam, length: 2, elements: %d, material: {young: 2e11, density: 7800, poisson: 0.3}, section: "
      "{circle: {radius: %g}}, position: [-1, 0, 0], axis: [1, 0, 0], normal: [0, 1, 0]}\n",
      end, m, elements, radius);
  run_record r = run_told(text);
  const vv_contact_total c = total_of(&r, 0);
  assert_int_equal(c.episodes, 1);
  double ball[VV_BODY_TOTALS];
  assert_int_equal(vv_model_totals(r.model, r.state, 0, ball), VV_OK);
  for (int k = 0; k < 3; k++) check_near(ball[3 + k] - (k == 2 ? -m : 0.0), -c.impulse[k], 1e-14); /* b is the beam */
  run_free(&r);
  return c.normal / (m * (1.0 - exp(y * y) * erfc(y))) - 1.0;
}

static void a_ball_on_a_beam_sheds_waves(void **unused)
{
  (void)unused;
  const double coarse = fabs(ball_on_beam(40)), fine = fabs(ball_on_beam(160));
  check_most(fine, 0.03);
  check_most(fine, 0.5 * coarse);
}

/* ---- two shells: rows that take no moment push nodes aside, and b still gets what the history says ---- */

static void shells_exchange_what_is_told(void **unused)
{
  (void)unused;
  run_record r = run_told(
      "visviva: 1\ntime: {end: 4e-3, step: {safety: 0.3}}\ncontacts: [{restitution: 1, friction: 0.2}]\nbodies:\n"
      "  a: {kind: shell, mesh: {sphere: {radius: 0.1, level: 2}}, thickness: 2 mm, material: {young: 1e7, poisson: "
      "0.3, "
      "density: 1000}, velocity: [5, 0.3, 0], centre: [-0.11, 0, 0]}\n"
      "  b: {kind: shell, mesh: {sphere: {radius: 0.1, level: 2}}, thickness: 2 mm, material: {young: 1e7, poisson: "
      "0.3, "
      "density: 1000}, velocity: [-5, 0, 0], centre: [0.11, 0.05, 0], rotation: [0.3, 0.2, 0.1]}\n");
  double before[VV_BODY_TOTALS], after[VV_BODY_TOTALS];
  run_record start =
      run_prepare("visviva: 1\ntime: {end: 4e-3, step: {safety: 0.3}}\nbodies:\n"
                  "  b: {kind: shell, mesh: {sphere: {radius: 0.1, level: 2}}, thickness: 2 mm, material: {young: 1e7, "
                  "poisson: 0.3, "
                  "density: 1000}, velocity: [-5, 0, 0], centre: [0.11, 0.05, 0], rotation: [0.3, 0.2, 0.1]}\n",
                  NULL);
  assert_int_equal(vv_model_totals(start.model, start.state, 0, before), VV_OK);
  assert_int_equal(vv_model_totals(r.model, r.state, 1, after), VV_OK);
  for (int64_t i = 0; i < vv_ledger_pairs(run_ledger(&r)); i++) {
    const vv_contact_total c = total_of(&r, i);
    if (c.body[0] == c.body[1]) continue;
    check_least(c.tangential, 1e-3);
    for (int k = 0; k < 3; k++) check_near(c.impulse[k], after[3 + k] - before[3 + k], 1e-14);
  }
  run_free(&r), run_free(&start);
}

/* ---- backwards ---- */

/* The run back tells the same contact, at the same time, with the same impulse and speed. */
static void check_back(const char *text, double late, double off)
{
  run_record r = run_told(text);
  const vv_episode there = heard.episode[0];
  assert_int_equal(heard.n, 1);
  vv_sim_def def = vv_sim_default();
  vv_sim *back;
  vv_report report;
  def.step = -vv_model_step(r.model);
  heard.n = 0;
  assert_int_equal(vv_sim_create(r.model, r.state, &def, &back), VV_OK);
  assert_int_equal(vv_sim_observe(back, 1, listen, &heard), VV_OK);
  assert_int_equal(vv_sim_steps(back, r.state->step, &report), VV_OK);
  assert_int_equal(heard.n, 1);
  check_near(heard.episode[0].touch, there.touch, late);
  check_near(heard.episode[0].normal, there.normal, off);
  check_near(heard.episode[0].speed, there.speed, off);
  for (int k = 0; k < 3; k++) check_near(heard.episode[0].impulse[k], there.impulse[k], off);
  vv_contact_total c;
  assert_int_equal(vv_ledger_pair(vv_sim_ledger(back), 0, &c), VV_OK);
  check_near(c.touch, there.touch, late);
  vv_sim_destroy(back);
  run_free(&r);
}

static void a_run_back_tells_the_same(void **unused)
{
  (void)unused;
  char text[TEXT];
  balls_scene(text, "step: leapfrog", "restitution: 1", 1e-3);
  check_back(text, 1.1e-3, 1e-12);
  bar_scene(text, "event", "lumped", 50); /* hundreds of impulses, each of them found again */
  check_back(text, 2e-6, 1e-6);
}

/* ---- rest, friction, copies ---- */

/* A box at rest presses with its weight from the first step to the last, and never lets go. */
static void what_rests_presses_with_its_weight(void **unused)
{
  (void)unused;
  run_record r =
      run_told("visviva: 1\ntime: {end: 1, step: 0.01}\ngravity: [0, 0, -10]\ncontacts: [{restitution: 0}]\n"
               "bodies:\n  box: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, mass: 2, position: [0, 0, 0.5]}\n"
               "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n");
  const vv_contact_total c = total_of(&r, 0);
  assert_int_equal(c.episodes, 1);
  assert_int_equal(c.open, 1);
  check_near(c.peak_force, 20.0, 1e-9);
  check_near(c.normal, 20.0, 0.1 + 1e-9); /* half an impulse of a step is taken back at the start */
  check_near(-c.impulse[2], c.normal, 1e-12);
  run_free(&r);
}

/* Copies of one body are told apart. */
static void copies_have_histories_of_their_own(void **unused)
{
  (void)unused;
  run_record r = run_told(
      "visviva: 1\ntime: {end: 0.3, step: 1e-3}\ncontacts: [{restitution: 1}]\nbodies:\n"
      "  ball: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, position: [0, 0, 0],\n"
      "    copies: {grid: {count: [3, 1, 1], spacing: [0.3, 0, 0]}}}\n"
      "  hammer: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, position: [-0.3, 0, 0], velocity: [4, 0, 0]}\n");
  const vv_ledger *l = run_ledger(&r);
  assert_int_equal(vv_ledger_pairs(l), 3);
  for (int64_t i = 0; i < 3; i++) {
    const vv_contact_total c = total_of(&r, i);
    assert_int_equal(c.impulses, 1);
    check_near(c.normal, 4.0, 1e-12);
    if (i == 0) assert_true(c.copy[0] == 0 && c.copy[1] == -1);
    if (i > 0) assert_true(c.copy[0] == (int32_t)i - 1 && c.copy[1] == (int32_t)i && c.body[0] == c.body[1]);
  }
  run_free(&r);
}

/* The book of losses is the sum of the histories, where nothing is borrowed. */
static void losses_are_those_of_the_ledger(void **unused)
{
  (void)unused;
  run_record r = run_told(
      "visviva: 1\ntime: {end: 0.5, step: 1e-3}\ngravity: [0, 0, -10]\n"
      "contacts: [{restitution: 0.6, friction: 0.3}]\nbodies:\n"
      "  ball: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, position: [0, 0, 0.3], velocity: [1, 0, 0]}\n"
      "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n");
  const vv_ledger *l = run_ledger(&r);
  const vv_contact_total c = total_of(&r, 0);
  check_least((double)c.episodes, 2);
  check_least(c.tangential, 0.1);
  check_near(c.energy_lost, vv_sum_value(&l->posted.friction_loss) + vv_sum_value(&l->posted.restitution_loss), 1e-12);
  check_exchange(&r, (const double[3]){0, 0, -5}, 10.0);
  run_free(&r);
}

/* ---- threads, checkpoints ---- */

static const char crowd[] =
    "visviva: 1\ntime: {end: 0.6, step: 2e-3}\ngravity: [0, 0, -10]\ncontacts: [{restitution: 0.6, friction: 0.3}]\n"
    "bodies:\n  box: {kind: rigid, shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 1, position: [0, 0, 0.4],\n"
    "    spin: [5, 3, 1], copies: {grid: {count: [3, 3, 2], spacing: [0.25, 0.25, 0.3]}}}\n"
    "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n";

static void same_histories(const vv_ledger *a, const vv_ledger *b)
{
  assert_int_equal(vv_ledger_pairs(a), vv_ledger_pairs(b));
  for (int64_t i = 0; i < vv_ledger_pairs(a); i++) {
    vv_contact_total x, y;
    assert_int_equal(vv_ledger_pair(a, i, &x), VV_OK);
    assert_int_equal(vv_ledger_pair(b, i, &y), VV_OK);
    assert_memory_equal(&x, &y, sizeof x);
  }
}

static void told_the_same(const told *a, const told *b)
{
  assert_int_equal(a->n, b->n);
  for (int64_t i = 0; i < a->n; i++) {
    assert_memory_equal(&a->episode[i].body, &b->episode[i].body, offsetof(vv_episode, first));
    assert_memory_equal(a->sample[i], b->sample[i], sizeof(vv_force_sample) * (size_t)a->episode[i].samples);
  }
}

static void threads_change_nothing(void **unused)
{
  (void)unused;
  static told one, many;
  one.n = many.n = 0;
  run_record a = run_scene(crowd, &(run_options){.observe = listen, .user = &one});
  run_record b = run_scene(crowd, &(run_options){.threads = 3, .observe = listen, .user = &many});
  check_least((double)one.n, 20);
  same_histories(run_ledger(&a), run_ledger(&b));
  told_the_same(&one, &many);
  run_free(&a);
  run_free(&b);
}

/* A run that goes on from a checkpoint tells the rest, in the middle of contacts too. */
static void a_checkpoint_keeps_what_is_open(void **unused)
{
  (void)unused;
  static told whole, parts;
  vv_report report;
  whole.n = parts.n = 0;
  run_record a = run_scene(crowd, &(run_options){.observe = listen, .user = &whole});
  run_record b = run_prepare(crowd, NULL);
  assert_int_equal(vv_sim_observe(b.sim, 1, listen, &parts), VV_OK);
  assert_int_equal(vv_sim_steps(b.sim, 137, &report), VV_OK);
  assert_int_equal(vv_checkpoint_save(b.sim, "episodes.h5"), VV_OK);
  run_free(&b);
  run_record c = run_prepare(crowd, NULL);
  assert_int_equal(vv_sim_observe(c.sim, 1, listen, &parts), VV_OK);
  vv_ledger *ledger;
  assert_int_equal(vv_ledger_create(&ledger), VV_OK);
  assert_int_equal(vv_checkpoint_load(c.model, "episodes.h5", c.state, ledger), VV_OK);
  assert_int_equal(vv_sim_restore(c.sim, ledger), VV_OK);
  vv_ledger_destroy(ledger);
  assert_int_equal(vv_sim_run(c.sim, &report), VV_OK);
  check_least((double)whole.n, 20);
  same_histories(run_ledger(&a), run_ledger(&c));
  told_the_same(&whole, &parts);
  remove("episodes.h5");
  run_free(&a);
  run_free(&c);
}

/* From the arrays of a checkpoint everything goes on as it would have: what began, in which order, and what is open. */
static void test_load(void **unused)
{
  (void)unused;
  enum { BODIES = 4 };
  vvi_episodes *e = vvi_episodes_create(BODIES, 0.1), *again = vvi_episodes_create(BODIES, 0.1);
  for (int i = 0; i < 40; i++) {
    const int32_t other = 1 + i / 4 % 3; /* in turn, with pauses that end episodes */
    const vvi_blow b = {
        .t = 3.0 * i, .body = {0, other}, .copy = {-1, -1}, .n = {0, 0, 1}, .normal = 1.0, .speed = -1.0};
    vvi_episodes_add(e, &b);
    vvi_episodes_step(e, b.t);
  }
  vvi_curve *curve = calloc((size_t)e->n, sizeof *curve);
  int64_t curves = 0;
  for (int64_t i = 0; i < e->n; i++)
    if (e->pair[i].curve >= 0) curve[curves++] = e->curve[e->pair[i].curve];
  assert_int_equal(curves, vvi_episodes_open(e));
  check_least((double)e->begun, (double)e->n + 1.0); /* some began anew */
  assert_true(vvi_episodes_load(again, e->n, e->pair, curves, curve));
  assert_int_equal(again->begun, e->begun);
  assert_int_equal(again->all_done, e->all_done);
  assert_int_equal(again->n_live, e->n_live);
  for (int64_t i = 0; i < e->n_live; i++) assert_int_equal(again->live[i], e->live[i]);
  free(curve);
  vvi_episodes_destroy(e), vvi_episodes_destroy(again);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_load),
      cmocka_unit_test(a_bar_touches_a_wall_once),
      cmocka_unit_test(a_fine_bar_tells_the_waves),
      cmocka_unit_test(rigid_spheres_exchange_one_impulse),
      cmocka_unit_test(sprung_spheres_push_for_half_a_swing),
      cmocka_unit_test(a_ball_on_a_plate_feels_its_impedance),
      cmocka_unit_test(events_name_the_surface_of_a_ball),
      cmocka_unit_test(a_ball_on_a_beam_sheds_waves),
      cmocka_unit_test(shells_exchange_what_is_told),
      cmocka_unit_test(a_run_back_tells_the_same),
      cmocka_unit_test(what_rests_presses_with_its_weight),
      cmocka_unit_test(copies_have_histories_of_their_own),
      cmocka_unit_test(losses_are_those_of_the_ledger),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(a_checkpoint_keeps_what_is_open),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
