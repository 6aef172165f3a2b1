/* tests/physics/test_rigid_em.c  Rigid bodies in energy-momentum steps: the identities behind them, the two examples of the
 * 1999 paper, and what its two methods promise beyond them. */
#include "check.h"
#include "run.h"

#include "sim/sim.h"
#include "step/energy_momentum/frames.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 2048 };

/* ---- identities on bodies made by hand ---- */

static double draw(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

static void draw_frame(uint64_t *seed, vvi_em_frame *f)
{
  *f = (vvi_em_frame){.mass = 1.5 + draw(seed), .least = 0.1};
  for (int k = 0; k < 3; k++) {
    f->inertia[k] = 0.25 + 0.15 * draw(seed);
    f->x[k] = 2.0 * draw(seed), f->p[k] = draw(seed), f->h[k] = draw(seed);
  }
  for (int k = 0; k < 4; k++) f->q[k] = draw(seed);
  vvi_quaternion_matrix(f->q, f->r);
}

/* A contact anywhere. */
static void draw_contact(uint64_t *seed, const vvi_rule *law, int key, vvi_em_contact *c)
{
  *c = (vvi_em_contact){.law = law, .slot = -1, .least = -1};
  c->f = (vvi_em_feature){.key = (uint32_t)key, .slave = 0, .master = 1, .sign = key % 2 == 0 ? 0.0 : 1.0};
  for (int k = 0; k < 3; k++) {
    c->f.point[k] = draw(seed);
    c->f.place[k] = draw(seed);
    c->f.normal[k] = draw(seed);
  }
  const double size = vvi_norm3(c->f.normal);
  for (int k = 0; k < 3; k++) c->f.normal[k] /= size;
  c->spring0 = -0.01; /* a spring that is closed, and was deeper before, or is as deep as ever */
  c->deep = law->restitution < 1.0 ? (key % 2 == 0 ? 0.013 : 0.01) : 0.0;
}

typedef struct totals {
  double energy, p[3], h[3];
} totals;

static void add_up(const vvi_em_frame *f, totals *t)
{
  double body[3], turn[3];
  vvi_tapply33(f->r, f->h, body);
  vvi_cross3(f->x, f->p, turn);
  for (int k = 0; k < 3; k++) {
    t->energy += 0.5 * f->p[k] * f->p[k] / f->mass + 0.5 * body[k] * body[k] / f->inertia[k];
    t->p[k] += f->p[k];
    t->h[k] += f->h[k] + turn[k];
  }
}

static double stored(const vvi_em_contact *c, double g)
{
  return vvi_em_spring_stored(c->law, g, g == c->spring0 ? c->deep : vvi_em_spring_deep(c));
}

/* Energy, momentum and angular momentum before and after a step with contacts between two random bodies: multipliers by both
 * kinds of arms, and springs.  Nothing about the geometry enters the identities: it may be anything.  False: the contacts
 * are such a wedge that there is no answer, for which a stepper would halve the step. */
static bool check_kept(uint64_t *seed, const vvi_rule *law, int contacts, double dt)
{
  vvi_em_frame frame[3] = {0};
  vvi_em_contact contact[4];
  vvi_em_row rows[12];
  double swept[24], own[36], move[12];
  vvi_arena arena = {0};
  vvi_em_rigid w = {.n = 2, .frame = frame, .contact = contact, .rows = rows, .own = own, .move = move, .swept = swept};
  w.arena = &arena;
  vv_posted post = {0};
  totals before = {0}, after = {0};
  w.rough = law->friction > 0.0;
  draw_frame(seed, &frame[0]);
  draw_frame(seed, &frame[1]);
  frame[2].held = true;
  for (int i = 0; i < contacts; i++) draw_contact(seed, law, i, &contact[i]);
  w.n_contact = contacts;
  for (int i = 0; i < 2; i++) {
    add_up(&frame[i], &before);
    vvi_em_move(&frame[i], dt);
    assert_true(vvi_em_turn(&frame[i], dt));
  }
  const bool found = vvi_em_answer(&w, dt);
  vvi_arena_free(&arena);
  if (!found) return false;
  double lost = 0.0, pressed = 0.0;
  for (int i = 0; i < contacts; i++) {
    const vvi_em_contact *c = &contact[i];
    const double rub = c->j[1] * c->u[1] + c->j[2] * c->u[2];
    lost += stored(c, c->spring1) - stored(c, c->spring0) + vvi_em_spring_lost(c) - (c->j[0] * c->aim + rub);
    pressed += c->j[0];
    check_least(c->j[0], 0.0);
    check_most(rub, 1e-14);
    check_most(c->j[0] * c->aim, 0.0);
    /* a point of the modified configuration moves by theta x R: [em 7] */
    if (!law->early && c->f.sign == 0.0) {
      double turn[9], r[3], r1[3], moved[3];
      vvi_exp(frame[0].theta, turn);
      vvi_apply33(frame[0].r, c->f.point, r);
      vvi_apply33(turn, r, r1);
      vvi_cross3(frame[0].theta, c->arm_s, moved);
      for (int k = 0; k < 3; k++) check_near(moved[k], r1[k] - r[k], 1e-12); /* theta may be one iterate younger */
    }
  }
  for (int i = 0; i < 2; i++) {
    vvi_em_take(&frame[i], dt, &post);
    add_up(&frame[i], &after);
  }
  check_near(after.energy + lost, before.energy, 1e-13 * before.energy);
  for (int k = 0; k < 3; k++) check_near(after.p[k], before.p[k], 1e-15 * (1.0 + pressed));
  for (int k = 0; k < 3; k++) check_near(after.h[k], before.h[k], 1e-14 * (1.0 + pressed));
  return true;
}

static void test_identities(void **unused)
{
  (void)unused;
  uint64_t seed = 11;
  const vvi_rule d = {.restitution = 1.0}, c = {.restitution = 1.0, .early = true}, soft = {.restitution = 0.4},
                 rough = {.restitution = 0.7, .friction = 0.3}, spring = {.restitution = 1.0, .stiffness = 5.0},
                 rubs = {.restitution = 1.0, .stiffness = 5.0, .friction = 0.4},
                 yields = {.restitution = 0.6, .stiffness = 5.0},
                 both = {.restitution = 0.2, .stiffness = 5.0, .friction = 0.4};
  const vvi_rule *const list[] = {&d, &c, &soft, &rough, &spring, &rubs, &yields, &both};
  int answers = 0;
  for (int k = 0; k < 200; k++)
    for (int i = 0; i < VV_COUNT(list); i++) answers += check_kept(&seed, list[i], 1 + k % 3, k % 2 == 0 ? 1e-3 : 0.02);
  assert_in_range(answers, 1568, 1600);
}

/* Random inverse masses and velocities: the law of Coulomb, stick and slide, whatever the coefficient. */
static void test_grip(void **unused)
{
  (void)unused;
  uint64_t seed = 5;
  int sticks = 0, slides = 0;
  for (int n = 0; n < 3000; n++) {
    double b[9], a[9] = {0}, v[3], j[3], u[3];
    const double mu = pow(10.0, draw(&seed));
    for (int k = 0; k < 9; k++) b[k] = draw(&seed);
    vvi_tmul33(b, b, a);
    for (int k = 0; k < 3; k++) v[k] = draw(&seed), a[4 * k] += 0.05;
    vvi_em_grip(v, a, mu, j);
    vvi_apply33(a, j, u);
    for (int k = 0; k < 3; k++) u[k] += v[k];
    const double force = sqrt(j[1] * j[1] + j[2] * j[2]), speed = sqrt(u[1] * u[1] + u[2] * u[2]);
    check_least(u[0], -1e-13);
    if (v[0] >= 0.0) {
      check_near(vvi_norm3(j), 0.0, 0.0);
      continue;
    }
    check_least(j[0], 1e-300);
    check_near(u[0], 0.0, 1e-13 * (1.0 + j[0]));
    check_most(force, mu * j[0] * (1.0 + 1e-14));
    sticks += speed < 1e-12, slides += speed >= 1e-12;
    if (speed < 1e-12) continue;
    check_near(force, mu * j[0], 1e-13 * force);
    check_near(j[1] * u[1] + j[2] * u[2], -force * speed, 1e-12 * (1.0 + force) * (1.0 + speed));
  }
  check_least(sticks, 300);
  check_least(slides, 300);
}

/* A spring whose own gap is still closed is kept, though the bodies are apart: it holds energy. */
static void test_spring_is_kept(void **unused)
{
  (void)unused;
  vvi_em_frame frame[2] = {{.held = true, .x = {0, 0, 1}}, {.held = true}};
  vv_body body = {.name = "body"};
  const vv_patch patch = {.feature = "surface"};
  enum { SLOTS = 4 };
  vvi_object object[2] = {{.patch = &patch}, {.patch = &patch, .body = 1}};
  vvi_rule law = {.restitution = 1.0, .stiffness = 8.0};
  int32_t frame_of[2] = {0, 1};
  const struct vvi_solids solids = {.n = 2, .object = object};
  vvi_em_contact contact = {.law = &law, .slot = 2, .spring0 = -0.2, .spring1 = -0.1};
  vvi_em_slot slot[SLOTS] = {[2] = {.used = 1.0, .gap = -0.2}};
  vvi_em_rigid w = {.n = 1, .frame = frame, .solids = &solids, .law = &law, .frame_of = frame_of, .n_contact = 1};
  double own[9] = {0};
  w.contact = &contact, w.slot = slot, w.slots = SLOTS, w.own = own;
  vv_event event[4];
  vv_model model = {.body = &body};
  vv_ledger ledger = {0};
  vv_state state = {0};
  vvi_log log = {.event = event, .room = 4};
  struct vv_step s = {.model = &model, .ledger = &ledger, .state = &state, .log = &log, .h = 0.1};
  for (int i = 0; i < 2; i++) frame[i].r[0] = frame[i].r[4] = frame[i].r[8] = 1.0;
  contact.f = (vvi_em_feature){.master = 1, .normal = {0, 0, 1}};
  assert_true(vvi_em_remember(&s, &w, 0.1));
  assert_true(w.sprung);
  check_near(vvi_em_spring_energy(&w), 0.5 * 8.0 * 0.01, 1e-16);
  contact.spring1 = 0.1; /* now both are open: it goes, and an event says so */
  assert_true(vvi_em_remember(&s, &w, 0.1));
  assert_false(w.sprung);
  assert_string_equal(event[0].kind, "off");
  frame[0].x[2] = -1.0; /* closed again by the true gap alone: kept, without energy */
  contact.slot = -1;
  assert_true(vvi_em_remember(&s, &w, 0.1));
  assert_true(w.sprung);
  check_near(vvi_em_spring_energy(&w), 0.0, 0.0);
}

/* ---- scenes ---- */

#define BALL_IN_SHELL                                                                                          \
  "  ball: {kind: rigid, shape: {ball: {radius: 1}}, mass: 0.274, position: [0, 0, 2], velocity: [0, 1, 0]}\n" \
  "  shell: {kind: rigid, shape: {shell: {radius: 9}}, mass: 0.743, position: [0, 0, 10]}\n"
#define ROD                                                                                                        \
  "  rod: {kind: rigid, shape: {capsule: {length: 1, radius: 0, axis: [1, 0, 0]}}, mass: 7e-6, velocity: [50, 2, " \
  "0],\n"                                                                                                          \
  "    inertia: [1.1666666666666667e-8, 5.891666666666667e-7, 5.891666666666667e-7], spin: [0, 40, 0]}\n"
#define BLOCK_ROD \
  "  rod: {kind: rigid, shape: {box: {size: [1, 0.1, 0.1]}}, mass: 7e-6, velocity: [50, 2, 0], spin: [0, 40, 0]}\n"
#define CUBE                                                                \
  "  box: {kind: rigid, shape: {room: {size: [2, 2, 2]}}, mass: 1.68e-3,\n" \
  "    inertia: [1.8666666666666667e-3, 1.8666666666666667e-3, 1.8666666666666667e-3]}\n"

static void scene(char *text, const char *bodies, const char *method, const char *contacts, double dt, double end)
{
  snprintf(
      text, TEXT,
      "visviva: 1\ntime: {end: %.17g, step: %.17g}\nmethod: {step: energy-momentum%s}\nbodies:\n%scontacts: [{%s}]\n",
      end, dt, method, bodies, contacts);
}

/* The worst of every step: components of momenta over their sizes at the start, and the largest rise of energy. */
typedef struct watch {
  double energy, p, h, rise, kinetic;
  double last;
} watch;

static vv_status look(const vv_view *view, void *user)
{
  watch *w = user;
  const vv_ledger *l = view->ledger;
  double p = 0.0, h = 0.0;
  for (int k = 0; k < 3; k++) p += l->initial.p[k] * l->initial.p[k], h += l->initial.L[k] * l->initial.L[k];
  for (int k = 0; k < 3; k++) {
    w->p = fmax(w->p, fabs(l->now.p[k] - l->initial.p[k]) / sqrt(p));
    w->h = fmax(w->h, fabs(l->now.L[k] - l->initial.L[k]) / sqrt(h));
  }
  const double e0 = vv_totals_energy(&l->initial), e = vv_totals_energy(&l->now);
  w->energy = fmax(w->energy, fabs(l->closure));
  w->kinetic = fmax(w->kinetic, fabs(l->now.kinetic / l->initial.kinetic - 1.0));
  if (!view->first) w->rise = fmax(w->rise, (e - w->last) / e0);
  w->last = e;
  return VV_OK;
}

static run_record run_watched(const char *text, watch *w)
{
  *w = (watch){0};
  const run_options options = {.observe = look, .user = w};
  return run_scene(text, &options);
}

/* The centres circle each other at 1/8 rad/s about a centre of mass that flies straight; a spring is pressed by
 * g = mu v^2/(8 k) on average, and L = mu d^2 omega stays, so that omega falls by 2 g/8 of itself. */
static void ball_at(double t, double k, double x[3])
{
  const double m = 0.274, n = 0.743, part = n / (m + n), g = m * part / (8.0 * k);
  const double d = 8.0 + g, angle = t / 8.0 * (1.0 - 0.25 * g);
  x[0] = 0.0;
  x[1] = m / (m + n) * t + part * d * sin(angle);
  x[2] = (2.0 * m + 10.0 * n) / (m + n) - part * d * cos(angle);
}

static void test_ball_in_shell(void **unused)
{
  (void)unused;
  char text[TEXT];
  double x[6], wanted[3];
  watch w;
  ball_at(60.0, 1e4, wanted);
  check_near(wanted[1], 21.64746, 1e-5);
  check_near(wanted[2], 5.81866, 1e-5);
  static const double dt[3] = {1.0, 0.1, 0.01};
  for (int i = 0; i < 3; i++) {
    scene(text, BALL_IN_SHELL, "", "response: penalty, stiffness: 1e4", dt[i], 60.0);
    run_record r = run_watched(text, &w);
    check_most(w.energy, 1e-13);
    check_most(w.p, 1e-13);
    check_most(w.h, 1e-12);
    /* what the spring holds: 2 (mu v^2/8)^2/(k T0), mu the reduced mass */
    const double mu = 0.274 * 0.743 / 1.017, most = 2.0 * (mu / 8.0) * (mu / 8.0) / (1e4 * 0.137);
    check_near(w.kinetic / most, 1.0, dt[i] < 1.0 ? 0.05 : 0.3);
    assert_int_equal(vv_model_output(r.model, r.state, 0, "position", x), VV_OK);
    /* a midpoint rule is late by (dt/8)^2/12 of the angle of 7.5, which moves the ball by up to 5.5 m per radian; the
     * spring swings by as much as it is pressed, 2.5e-6 m */
    for (int k = 0; k < 3; k++) check_near(x[k], wanted[k], 0.055 * dt[i] * dt[i] + 2.5e-6);
    run_free(&r);
  }
}

static double apart(const run_record *a, const run_record *b)
{
  double x[3], y[3], d = 0.0;
  assert_int_equal(vv_model_output(a->model, a->state, 0, "position", x), VV_OK);
  assert_int_equal(vv_model_output(b->model, b->state, 0, "position", y), VV_OK);
  for (int k = 0; k < 3; k++) d = fmax(d, fabs(x[k] - y[k]));
  return d;
}

/* Smooth motion: a ball off its centre on a soft spring in a shell, turning as it goes.  Differences fall fourfold. */
static void test_order_two(void **unused)
{
  (void)unused;
  static const char bodies[] =
      "  ball: {kind: rigid, shape: {box: {size: [1, 0.8, 0.6]}}, mass: 1, position: [0.1, 0, 1.6], velocity: [0, 1, "
      "-0.1], spin: [0.2, 0.3, 0.4]}\n"
      "  shell: {kind: rigid, shape: {shell: {radius: 2.5}}, mass: 3}\n";
  char text[TEXT];
  run_record r[3];
  for (int i = 0; i < 3; i++) {
    scene(text, bodies, "", "response: none", 0.02 / (1 << i), 4.0);
    r[i] = run_scene(text, NULL);
  }
  double q[3][4];
  for (int i = 0; i < 3; i++) assert_int_equal(vv_model_output(r[i].model, r[i].state, 0, "orientation", q[i]), VV_OK);
  double coarse = 0.0, fine = 0.0;
  for (int k = 0; k < 4; k++)
    coarse = fmax(coarse, fabs(q[0][k] - q[1][k])), fine = fmax(fine, fabs(q[1][k] - q[2][k]));
  check_near(log2(coarse / fine), 2.0, 0.05);
  for (int i = 0; i < 3; i++) run_free(&r[i]);
  for (int i = 0; i < 3; i++) {
    scene(text, BALL_IN_SHELL, "", "response: penalty, stiffness: 1", 0.02 / (1 << i), 1.5);
    r[i] = run_scene(text, NULL);
  }
  check_near(log2(apart(&r[0], &r[1]) / apart(&r[1], &r[2])), 2.0, 0.05);
  for (int i = 0; i < 3; i++) run_free(&r[i]);
}

static void check_rod(const char *rod, const char *method, const char *contacts, double dt, double end, double bound)
{
  char text[TEXT], bodies[TEXT / 2];
  watch w;
  snprintf(bodies, sizeof bodies, "%s%s", rod, CUBE);
  scene(text, bodies, method, contacts, dt, end);
  run_record r = run_watched(text, &w);
  check_most(w.energy, bound);
  check_most(w.p, bound);
  check_most(w.h, bound);
  check_least((double)r.n_event, 20);
  run_free(&r);
}

/* 1e5 steps of the rod in its box: everything to rounding, by both kinds of arms, with one end or four corners at a time. */
static void test_rod_in_box(void **unused)
{
  (void)unused;
  check_rod(ROD, "", "", 1e-5, 1.0, 1e-13);
  check_rod(ROD, "", "arms: C", 1e-5, 1.0, 1e-13);
  check_rod(BLOCK_ROD, "", "", 1e-5, 1.0, 1e-13);
  check_rod(BLOCK_ROD, "", "arms: C", 1e-4, 1.0, 1e-13);
  check_rod(ROD, ", halvings: 20", "", 1e-3, 1.0, 1e-13);
}

static void test_penalty_of_general_bodies(void **unused)
{
  (void)unused;
  check_rod(ROD, "", "response: penalty, stiffness: 100", 1e-4, 1.0, 1e-13);
  check_rod(BLOCK_ROD, "", "response: penalty, stiffness: 100", 1e-4, 1.0, 1e-13);
  check_rod(ROD, "", "response: penalty, stiffness: 100", 2e-3, 2.0, 1e-13);
}

/* The exact list, by an event solver of several hundred digits (docs/theory/em.md). */
static const double exact[6] = {0.010942753715568, 0.273357296328094, 0.294185228748542,
                                0.318794937468386, 0.324164184841920, 0.328701830492113};

static void test_first_impacts(void **unused)
{
  (void)unused;
  char text[TEXT];
  scene(text, ROD CUBE, ", halvings: 24", "", 1e-5, 0.3);
  run_record r = run_scene(text, NULL);
  assert_true(r.n_event >= 3);
  /* pieces of 1e-5/2^24 s; each impact makes some three times the error of the one before it */
  for (int i = 0; i < 3; i++) check_near(r.event[i].time, exact[i], 1e-10);
  run_free(&r);
  scene(text, ROD CUBE, ", halvings: 30", "", 1e-3, 0.33);
  r = run_scene(text, NULL);
  assert_true(r.n_event >= 6);
  for (int i = 0; i < 6; i++) check_near(r.event[i].time, exact[i], 1e-7);
  run_free(&r);
}

/* What restitution and friction take is booked; no step gives anything back. */
static void test_losses(void **unused)
{
  (void)unused;
  static const char *const law[] = {"restitution: 0.9",
                                    "restitution: 0.5",
                                    "restitution: 0",
                                    "friction: 0.1",
                                    "friction: 0.5",
                                    "restitution: 0.6, friction: 0.3",
                                    "restitution: 0.5, friction: 5",
                                    "response: penalty, stiffness: 100, friction: 0.3",
                                    "response: penalty, stiffness: 100, friction: 2",
                                    "response: penalty, stiffness: 100, restitution: 0.9",
                                    "response: penalty, stiffness: 100, restitution: 0.1",
                                    "response: penalty, stiffness: 100, restitution: 0.5, friction: 0.3"};
  char text[TEXT];
  for (int i = 0; i < VV_COUNT(law); i++) {
    watch w;
    scene(text, ROD CUBE, "", law[i], 1e-4, 2.0);
    run_record r = run_watched(text, &w);
    check_most(w.rise, 1e-14);
    check_most(w.energy, 1e-14);
    check_most(w.h, 1e-13);
    check_most(vv_totals_energy(&run_ledger(&r)->now) / vv_totals_energy(&run_ledger(&r)->initial), 0.95);
    run_free(&r);
  }
}

/* A block that slides on springs: they swing with w^2 = k/m about its weight, N = m g (1 - cos w t), so that it slows down as
 *   v = v0 - mu g (t - sin(w t)/w)   and comes by   v0 T - mu g (T^2/2 - (1 - cos w T)/w^2)
 * until v(T) = 0, which is v0^2/(2 mu g) but for 2 mu g/w^2 at the most; there it stays, and all that it had is lost.  (It cannot roll:
 * its moments are those of a mountain.)  Of second order in the step. */
static double slid(double mu, double k, double dt, double *lost)
{
  char text[TEXT];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 0.8, step: %g}\nmethod: {step: energy-momentum}\ngravity: [0, 0, -9.81]\n"
           "contacts: [{response: penalty, stiffness: %g, friction: %g}]\nbodies:\n"
           "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
           "  ball: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, inertia: [1e9, 1e9, 1e9], position: [0, 0, "
           "0.1], velocity: [0.6, 0.8, 0]}\n",
           dt, k, mu);
  watch w;
  double x[3];
  run_record r = run_watched(text, &w);
  assert_int_equal(r.report.reason, VV_REASON_DONE);
  check_most(w.energy, 1e-13);
  assert_int_equal(vv_model_output(r.model, r.state, 1, "position", x), VV_OK);
  check_near(x[1] / x[0], 0.8 / 0.6, 1e-12);
  *lost = vv_sum_value(&run_ledger(&r)->posted.friction_loss);
  run_free(&r);
  return hypot(x[0], x[1]);
}

static void test_springs_slide(void **unused)
{
  (void)unused;
  static const double friction[] = {0.2, 0.5};
  const double g = 9.81, k = 1e4, omega = 100.0;
  for (int i = 0; i < 2; i++) {
    const double mu = friction[i], whole = 1.0 / (2.0 * mu * g);
    double low = 0.0, high = 2.0 / (mu * g), error[3], lost;
    for (int n = 0; n < 100; n++) {
      const double t = 0.5 * (low + high);
      *(1.0 - mu * g * (t - sin(omega * t) / omega) > 0.0 ? &low : &high) = t;
    }
    const double way = low - mu * g * (0.5 * low * low - (1.0 - cos(omega * low)) / (omega * omega));
    check_near(way, whole, 2.0 * mu * g / (omega * omega));
    for (int n = 0; n < 3; n++) error[n] = fabs(slid(mu, k, 1e-3 / (1 << n), &lost) - way);
    check_near(lost, 0.5, 1e-4);
    check_most(error[0], 1e-4);
    check_least(0.5 * log2(error[0] / error[2]), 1.5); /* it stops within a step, now early and now late */
  }
}

/* ---- springs that lose ---- */

#define SPRUNG "response: penalty, stiffness: 2e4, restitution: %g"
#define DROPPED(z, v)                                                                                                \
  "  ball: {kind: rigid, shape: {ball: {radius: 0.5}}, mass: 2, position: [0, 0, " z "], velocity: [0, 0, " v "]}\n" \
  "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"

/* A ball of 2 kg flies onto a spring of 20 kN/m, w = 100/s: it is pressed in for a quarter of a swing, pi/(2 w), and out for one of the
 * steeper spring, e pi/(2 w), which lets it go where the dent is, (1 - e^2) v/w deep.  Returns how far it is off that at the end. */
static double off_the_spring(double e, double h)
{
  const double omega = 100.0, end = 0.2, gap = 0.0123, press = 0.5 * VV_PI / omega;
  char text[TEXT], law[96];
  double x[3], v[3];
  watch w;
  snprintf(law, sizeof law, SPRUNG, e);
  scene(text, DROPPED("0.5123", "-1"), "", law, h, end);
  run_record r = run_watched(text, &w);
  assert_int_equal(r.report.reason, VV_REASON_DONE);
  assert_int_equal(r.n_event, 2); /* on and off */
  check_most(w.energy, 1e-14);
  check_most(w.rise, 1e-14);
  assert_int_equal(vv_model_output(r.model, r.state, 0, "position", x), VV_OK);
  assert_int_equal(vv_model_output(r.model, r.state, 0, "velocity", v), VV_OK);
  /* what moves where it turns is not lost, and moves with h w^2 D/2 at the most [em 31] */
  check_least(v[2], e * (1.0 - 1e-13));
  check_most(v[2] * v[2], e * e + (1.0 - e * e) * 0.25 * h * h * omega * omega);
  check_near(vv_sum_value(&run_ledger(&r)->posted.restitution_loss), 1.0 - v[2] * v[2], 1e-13); /* J, of 1 J */
  run_free(&r);
  return fabs(x[2] - (0.5 - (1.0 - e * e) / omega + e * (end - gap - press * (1.0 + e))));
}

static void test_springs_yield(void **unused)
{
  (void)unused;
  static const double e[] = {0.9, 0.5, 0.1};
  for (int i = 0; i < VV_COUNT(e); i++) {
    const double coarse = off_the_spring(e[i], 1e-3), fine = off_the_spring(e[i], 1.25e-4);
    check_most(fine, 1e-4);
    check_least(log2(coarse / fine) / 3.0, 1.6); /* where in a step it meets is an accident */
  }
}

/* Under gravity every bounce loses, also those within the dent that the first one left, until the ball no longer leaves the spring:
 * then the force is between 0 and 2 m g, and what swings is at most (m g)^2 e^2/(2 k).  It lies no deeper than it fell. */
static void test_springs_rest(void **unused)
{
  (void)unused;
  static const double e[] = {0.8, 0.5, 0.2};
  const double weight = 2.0 * 9.81, k = 2e4;
  for (int i = 0; i < VV_COUNT(e); i++) {
    char text[TEXT], with[TEXT + 64], law[96];
    watch w;
    double x[3], v[3];
    snprintf(law, sizeof law, SPRUNG, e[i]);
    scene(text, DROPPED("0.6", "0"), "", law, 2e-3, 8.0);
    snprintf(with, sizeof with, "%sgravity: [0, 0, -9.81]\n", text);
    run_record r = run_watched(with, &w);
    assert_int_equal(r.report.reason, VV_REASON_DONE);
    check_most(w.energy, 1e-13);
    check_most(run_ledger(&r)->max_shrink, 0.0);
    assert_int_equal(vv_model_output(r.model, r.state, 0, "position", x), VV_OK);
    assert_int_equal(vv_model_output(r.model, r.state, 0, "velocity", v), VV_OK);
    check_most(v[2] * v[2], 1.01 * weight * weight * e[i] * e[i] / (2.0 * k));
    /* m g (x + D) = k D^2/2 from x = 0.1 m */
    check_most(0.5 - x[2], (weight + sqrt(weight * weight + 2.0 * k * weight * 0.1)) / k);
    check_least(0.5 - x[2], 0.0);
    run_free(&r);
  }
}

/* A ball on a wall leaves with e times its speed, and e = 0 leaves none; a spinning ball that slides all the way loses
 * mu j of its tangential momentum. */
static void test_restitution_and_friction(void **unused)
{
  (void)unused;
  static const double e[3] = {1.0, 0.6, 0.0};
  char text[TEXT], law[64];
  double v[3];
  for (int i = 0; i < 3; i++) {
    snprintf(law, sizeof law, "restitution: %g", e[i]);
    scene(text,
          "  ball: {kind: rigid, shape: {ball: {radius: 0.5}}, mass: 2, position: [0, 0, 1], velocity: [0, 0, -1]}\n"
          "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n",
          "", law, 0.003, 1.5);
    run_record r = run_scene(text, NULL);
    assert_int_equal(vv_model_output(r.model, r.state, 0, "velocity", v), VV_OK);
    check_near(v[2], e[i], 1e-14);
    run_free(&r);
  }
  scene(text,
        "  ball: {kind: rigid, shape: {ball: {radius: 0.5}}, mass: 2, position: [0, 0, 1], velocity: [3, 0, -1]}\n"
        "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n",
        "", "friction: 0.2", 1e-3, 1.0);
  run_record r = run_scene(text, NULL);
  assert_int_equal(r.n_event, 1);
  check_near(r.event[0].normal_impulse, 4.0, 1e-13);
  check_near(r.event[0].tangential_impulse, 0.8, 1e-13);
  assert_int_equal(vv_model_output(r.model, r.state, 0, "velocity", v), VV_OK);
  check_near(v[0], 3.0 - 0.4, 1e-13);
  run_free(&r);
}

/* Under gravity, on a fixed floor: energy to rounding, and the floor's impulses in the book of momentum. */
static void test_gravity(void **unused)
{
  (void)unused;
  char text[TEXT], with[TEXT + 64];
  scene(text,
        "  box: {kind: rigid, shape: {box: {size: [0.5, 0.3, 0.2]}}, mass: 2, position: [0, 0, 1], velocity: [0.3, 0, "
        "0],\n"
        "    spin: [1, 2, 3]}\n"
        "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n",
        "", "", 1e-3, 4.0);
  snprintf(with, sizeof with, "%sgravity: [0, 0, -9.81]\n", text);
  run_record r = run_scene(with, NULL);
  check_least((double)r.n_event, 4);
  check_most(run_ledger(&r)->max_closure, 1e-13);
  check_most(run_ledger(&r)->max_p_drift, 1e-13);
  check_most(run_ledger(&r)->max_L_drift, 1e-13);
  check_most(run_ledger(&r)->max_penetration, 1e-4);
  run_free(&r);
}

/* Shapes that meet by whatever is nearest: a block, a cube and a ball in a free room. */
static void test_bodies_among_themselves(void **unused)
{
  (void)unused;
  static const char bodies[] =
      "  a: {kind: rigid, shape: {box: {size: [0.5, 0.35, 0.25]}}, mass: 1, position: [-0.5, 0.05, 0.02], velocity: "
      "[1, "
      "0.1, -0.05], spin: [1, 2, 3]}\n"
      "  b: {kind: rigid, shape: {box: {size: [0.4, 0.4, 0.4]}}, mass: 2, position: [0.5, 0, 0], velocity: [-1, 0.2, "
      "0.1], spin: [-2, 1, 0.5]}\n"
      "  c: {kind: rigid, shape: {ball: {radius: 0.25}}, mass: 0.7, position: [0, 0.7, 0.1], velocity: [0, -1.5, "
      "0.1]}\n"
      "  room: {kind: rigid, shape: {room: {size: [2, 2, 2]}}, mass: 8}\n";
  static const char *const law[] = {"", "arms: C", "response: penalty, stiffness: 1e4",
                                    "restitution: 0.5, friction: 0.4"};
  char text[TEXT];
  for (int i = 0; i < VV_COUNT(law); i++) {
    watch w;
    scene(text, bodies, "", law[i], 1e-3, 3.0);
    run_record r = run_watched(text, &w);
    check_least((double)r.n_event, 6);
    check_most(w.energy, 1e-13);
    check_most(w.p, 1e-13);
    check_most(w.h, 1e-13);
    if (i == 3) check_most(w.rise, 1e-14);
    run_free(&r);
  }
}

/* Backwards in time through two impacts to where it came from. */
static void test_reversible(void **unused)
{
  (void)unused;
  char text[TEXT];
  scene(text, ROD CUBE, "", "", 1e-4, 0.3);
  run_record r = run_scene(text, NULL);
  assert_true(r.n_event >= 1);
  vv_sim_def def = vv_sim_default();
  def.step = -1e-4;
  vv_sim *back = NULL;
  vv_report report;
  assert_int_equal(vv_sim_create(r.model, r.state, &def, &back), VV_OK);
  assert_int_equal(vv_sim_steps(back, r.state->step, &report), VV_OK);
  assert_int_equal(r.state->step, 0);
  check_most(run_difference_q(r.state, r.initial), 1e-9);
  check_most(run_difference_p(r.state, r.initial), 1e-9);
  vv_sim_destroy(back);
  run_free(&r);
}

/* Fresh scratch every few steps changes no bit, with springs that are pressed, and with impacts. */
static void test_same_bits(void **unused)
{
  (void)unused;
  static const char *const law[] = {"", "response: penalty, stiffness: 100", "friction: 0.3"};
  char text[TEXT];
  for (int i = 0; i < VV_COUNT(law); i++) {
    vv_report report;
    scene(text, BLOCK_ROD CUBE, i == 0 ? ", halvings: 8" : "", law[i], 1e-4, 0.4);
    run_record whole = run_scene(text, NULL), r = run_prepare(text, NULL);
    const int64_t steps = vv_model_steps(r.model);
    const vv_sim_def def = vv_sim_default();
    vv_state *state = NULL;
    assert_int_equal(vv_state_clone(r.state, &state), VV_OK);
    for (int64_t n = 1; state->step < steps; n = n % 97 + 1) {
      vv_sim *sim = NULL;
      assert_int_equal(vv_sim_create(r.model, state, &def, &sim), VV_OK);
      assert_int_equal(vv_sim_steps(sim, n < steps - state->step ? n : steps - state->step, &report), VV_OK);
      vv_sim_destroy(sim);
    }
    assert_true(vv_state_hash(state) == vv_state_hash(whole.state));
    vv_state_destroy(state);
    run_free(&r);
    run_free(&whole);
  }
}

/* With e < 1 a contact sinks by (1 - e)/2 of its way in a step: here a quarter of the ball, or half of it.  Pieces of the step let it sink
 * by half of what is claimed at the most, and the speeds are the same as with any step.                           [em 13a] */
static void test_long_steps_sink_little(void **unused)
{
  (void)unused;
  for (int i = 0; i < 3; i++) {
    const double e = 0.5 * i, way = 0.05;
    char text[TEXT];
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 1, step: %g}\nmethod: {step: energy-momentum}\ncontacts: [{restitution: "
             "%g}]\nbodies:\n"
             "  wall: {kind: obstacle, shape: {plane: {normal: [-1, 0, 0], offset: -0.513}}}\n"
             "  ball: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, velocity: [1, 0, 0]}\n",
             way, e);
    run_record r = run_scene(text, NULL);
    const vv_overlap deep = run_ledger(&r)->overlap;
    assert_int_equal(r.n_event, 1);
    check_near(r.state->p[0], -e, 1e-14);
    check_most(deep.depth, 0.5e-2 * 0.1);
    run_free(&r);
  }
}

static void test_words(void **unused)
{
  (void)unused;
  static const struct {
    const char *step, *law, *says;
  } row[] = {
      {"energy-momentum", "response: penalty", "penalty needs one"},
      {"energy-momentum", "stiffness: 3", "belongs to 'response: penalty'"},
      {"energy-momentum", "response: penalty, stiffness: 1, restitution: 0", "gives nothing back"},
      {"energy-momentum", "response: penalty, stiffness: 1, restitution: 9e-4", "0.001 or more"},
      {"energy-momentum", "response: penalty, stiffness: 1, arms: C", "belongs to 'response: multiplier'"},
      {"energy-momentum", "response: dcr", "use multiplier or penalty"},
      {"leapfrog", "response: multiplier", "belongs to 'method.step: energy-momentum'"},
      {"leapfrog", "arms: C", "belongs to 'response: multiplier'"},
  };
  char text[TEXT], message[TEXT];
  for (int i = 0; i < VV_COUNT(row); i++) {
    snprintf(text, TEXT, "visviva: 1\ntime: {end: 1, step: 0.01}\nmethod: {step: %s}\nbodies:\n%scontacts: [{%s}]\n",
             row[i].step, BALL_IN_SHELL, row[i].law);
    assert_int_not_equal(run_refused(text, message, sizeof message), VV_OK);
    if (strstr(message, row[i].says) == NULL) fail_msg("'%s' does not say '%s'", message, row[i].says);
  }
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 1, step: 0.01}\nmethod: {step: energy-momentum}\nbodies:\n"
           "  ball: {kind: rigid, shape: {ball: {radius: 1}}, mass: 1, loads: [{force: [1, 0, 0]}]}\n");
  assert_int_not_equal(run_refused(text, message, sizeof message), VV_OK);
  assert_non_null(strstr(message, "no loads on rigid bodies"));
}

/* ---- many ---- */

enum { LONG = 1 << 18 };

/* n bodies of one shape, bodies[i] written by a format for place and velocity. */
static char *many(const char *contacts, const char *gravity, double dt, double end)
{
  char *text = malloc(LONG);
  assert_non_null(text);
  snprintf(text, LONG,
           "visviva: 1\ntime: {end: %.17g, step: %.17g}\nmethod: {step: energy-momentum}\ngravity: %s\ncontacts: "
           "[{%s}]\nbodies:\n",
           end, dt, gravity, contacts);
  return text;
}

static void put(char *text, const char *format, ...)
{
  const size_t used = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, LONG - used, format, args);
  va_end(args);
}

/* A hundred boxes arrive flat at the same time: 400 contacts in one step, energy and momenta exact, every box thrown back with
 * its own speed; and with losses each loses (1 - e^2) of what it had. */
static void test_hundreds_at_once(void **unused)
{
  (void)unused;
  for (int k = 0; k < 3; k++) {
    static const char *const law[] = {"response: multiplier", "response: multiplier, restitution: 0.5, friction: 0.3",
                                      "response: penalty, stiffness: 1e4"};
    char *text = many(law[k], "[0, 0, 0]", 1e-3, k == 2 ? 0.06 : 0.02);
    double start = 0.0;
    for (int i = 0; i < 100; i++) {
      const double mass = 1.0 + 0.01 * i;
      start += 0.5 * mass;
      put(text,
          "  box%d: {kind: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: %g, position: [%g, %g, 0.0612], "
          "velocity: "
          "[0, 0, -1]}\n",
          i, mass, 0.3 * (i % 10), 0.3 * (i / 10));
    }
    put(text, "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n");
    run_record r = run_scene(text, NULL);
    const vv_ledger *l = run_ledger(&r);
    assert_int_equal(r.report.reason, VV_REASON_DONE);
    check_least((double)r.n_event,
                k == 2 ? 800 : 100); /* springs: on and off; of four corners some may have nothing to do */
    check_most(l->max_closure, 1e-13);
    check_most(l->max_p_drift, 1e-13);
    check_most(l->max_shrink, 1e-15 * start);
    const double back = k == 1 ? 0.25 * start : start;
    check_near(l->now.kinetic, back, 1e-13 * start);
    run_free(&r);
    free(text);
  }
}

/* A thousand balls far apart: each is looked at with its neighbours alone, and that now and then. */
static void test_a_thousand_apart(void **unused)
{
  (void)unused;
  uint64_t seed = 9;
  char *text = many("response: multiplier", "[0, 0, 0]", 1e-3, 0.2);
  for (int i = 0; i < 1000; i++)
    put(text,
        "  b%d: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, position: [%d, %d, %d], velocity: [%g, %g, %g]}\n",
        i, 2 * (i % 10), 2 * (i / 10 % 10), 2 * (i / 100), draw(&seed), draw(&seed), draw(&seed));
  run_record r = run_scene(text, NULL);
  const vvi_em_rigid *w = vvi_em_rigid_of(&r.sim->step);
  print_message("  %ld pairs looked at in 200 steps, of %d each\n", (long)w->looked, 1000 * 999 / 2);
  assert_int_equal(r.n_event, 0);
  check_most((double)w->looked, 1000.0);
  check_most(run_ledger(&r)->max_closure, 1e-13);
  run_free(&r);
  free(text);
}

/* 64 balls in a room meet each other and the walls: nothing overlaps by more than a step's way, all is kept. */
static void test_gas(void **unused)
{
  (void)unused;
  uint64_t seed = 4;
  char *text = many("response: multiplier", "[0, 0, 0]", 1e-3, 1.0);
  for (int i = 0; i < 64; i++)
    put(text,
        "  b%d: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, position: [%g, %g, %g], velocity: [%g, %g, %g]}\n",
        i, 0.4 * (i % 4) - 0.6, 0.4 * (i / 4 % 4) - 0.6, 0.4 * (i / 16) - 0.6, draw(&seed), draw(&seed), draw(&seed));
  put(text, "  room: {kind: obstacle, shape: {room: {size: [1.8, 1.8, 1.8]}}}\n");
  run_record r = run_scene(text, NULL);
  check_least((double)r.n_event, 50);
  check_most(run_ledger(&r)->max_closure, 1e-13);
  check_most(run_ledger(&r)->max_p_drift, 1e-13);
  check_most(run_ledger(&r)->max_penetration, 4e-3);
  run_free(&r);
  free(text);
}

/* A stack with friction falls by a centimetre: contacts that hold each other in many ways.  Sweeps crawl there, and rounding is
 * relative to the impulses, not to speeds that are zero; it converges, and its books close. */
static void test_stack_with_friction(void **state)
{
  (void)state;
  run_record r = run_scene(
      "visviva: 1\ntime: {end: 0.3, step: 2e-3}\ngravity: [0, 0, -9.81]\nmethod: {step: energy-momentum}\nbodies:\n"
      "  a: {kind: rigid, shape: {box: {size: [0.4, 0.3, 0.2]}}, density: 1000, position: [0, 0, 0.11]}\n"
      "  b: {kind: rigid, shape: {box: {size: [0.3, 0.3, 0.2]}}, density: 1000, position: [0.02, 0, 0.32]}\n"
      "  c: {kind: rigid, shape: {box: {size: [0.2, 0.2, 0.2]}}, density: 1000, position: [0, 0.02, 0.53], velocity: "
      "[0.3, 0, "
      "0]}\n  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
      "contacts: [{restitution: 0, friction: 0.5}]\n",
      NULL);
  assert_int_equal(r.report.reason, VV_REASON_DONE);
  check_most(run_ledger(&r)->max_closure, 1e-12);
  check_most(run_ledger(&r)->max_p_drift, 1e-12);
  check_most(run_ledger(&r)->max_L_drift, 1e-12);
  run_free(&r);
}

/* A plate of 240 corners that falls flat on springs: 120 of them close at once, and give back what they took. */
static void test_as_many_springs_as_corners(void **state)
{
  (void)state;
  char text[32768];
  int n = snprintf(
      text, sizeof text,
      "visviva: 1\ntime: {end: 0.1, step: 1e-3}\nmethod: {step: energy-momentum}\n"
      "contacts: [{response: penalty, stiffness: 1e3}]\nbodies:\n"
      "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
      "  plate: {kind: rigid, mass: 1, position: [0, 0, 0.06], velocity: [0, 0, -1], shape: {hull: {points: [");
  for (int i = 0; i < 240; i++)
    n += snprintf(text + n, sizeof text - (size_t)n, "%s[%.17g, %.17g, %g]", i > 0 ? ", " : "",
                  cos(0.052359877 * (i / 2)), sin(0.052359877 * (i / 2)), i % 2 == 0 ? -0.05 : 0.05);
  snprintf(text + n, sizeof text - (size_t)n, "]}}}\n");
  run_record r = run_scene(text, NULL);
  assert_int_equal(r.report.reason, VV_REASON_DONE);
  int on = 0;
  for (int64_t i = 0; i < r.n_event; i++) on += strcmp(r.event[i].kind, "on") == 0;
  assert_int_equal(on, 120);
  assert_true(run_ledger(&r)->max_closure < 1e-12);
  assert_true(fabs(run_ledger(&r)->now.p[2] - 1.0) < 1e-6); /* it has left as it came: a spring alone, half a period */
  run_free(&r);
}

static void check_claims(const run_record *r, const char *text)
{
  const vv_claim *claim;
  const int n = vv_sim_claims(r->sim, &claim);
  for (int i = 0; i < n; i++)
    if (!claim[i].kept) fail_msg("%s: %g, bound %g, in\n%s", claim[i].name, claim[i].worst, claim[i].bound, text);
}

/* A box on one a hundred and a thousand times as light: it lies there, and the light one carries it (with e = 1 nothing lies still); or it
 * drops on it, and what the light one is pushed by would make it a thousand times as fast as anything ever is.  Every claim is kept.
 *                                                                                                           [ledger 10a] */
static void test_heavy_on_light(void **unused)
{
  (void)unused;
  static const double restitution[] = {0.0, 0.5, 1.0};
  for (int i = 0; i < 24; i++) {
    const bool drops = i >= 12;
    const double ratio = i / 6 % 2 == 0 ? 100.0 : 1000.0, e = restitution[i % 3], mu = i / 3 % 2 == 0 ? 0.0 : 0.5;
    char text[2048];
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 0.2, step: 1e-3}\nmethod: {step: energy-momentum}\ngravity: [0, 0, -9.81]\n"
             "contacts: [{restitution: %g, friction: %g}]\nbodies:\n"
             "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
             "  light: {kind: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, density: %g, position: [0, 0, %g]}\n"
             "  heavy: {kind: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, density: 1000, position: [%g, 0.006, %g], "
             "velocity: %s}\n",
             e, mu, 1000.0 / ratio, drops ? 0.06 : 0.05, drops ? 0.012 : 0.003, drops ? 0.2 : 0.15,
             drops ? "[0.1, 0.05, -1]" : "[0, 0, 0]");
    run_record r = run_scene(text, NULL);
    if (r.report.reason != VV_REASON_DONE) fail_msg("%s in\n%s", r.report.message, text);
    check_claims(&r, text);
    for (int k = 0; k < r.model->n_body && !drops; k++) {
      const vv_body *body = &r.model->body[k];
      const vv_block *b = &r.model->block[body->block];
      if (body->n_node > 0 && e < 1.0)
        check_near(r.state->q[b->q0 + 2 * b->column + body->node0], body->name[0] == 'l' ? 0.05 : 0.15, 1e-10);
    }
    if (drops) check_least(run_ledger(&r)->impacts, 1);
    run_free(&r);
  }
}

/* The same at rest with 3,000 and 10,000 times the mass: nothing moves, and what the heavy one presses is rounded to the same side of its
 * law in every step, by more than all the energy there is.                                                 [ledger 10b] */
static void test_heavier_on_light(void **unused)
{
  (void)unused;
  static const double ratio[] = {3000.0, 3000.0, 10000.0}, e[] = {0.0, 0.5, 0.0}, mu[] = {0.0, 0.0, 0.5};
  for (int i = 0; i < 3; i++) {
    char text[2048];
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 0.2, step: 1e-3}\nmethod: {step: energy-momentum}\ngravity: [0, 0, -9.81]\n"
             "contacts: [{restitution: %g, friction: %g}]\nbodies:\n"
             "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
             "  light: {kind: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, density: %.17g, position: [0, 0, 0.05]}\n"
             "  heavy: {kind: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, density: 1000, position: [0.003, 0.006, "
             "0.15]}\n",
             e[i], mu[i], 1000.0 / ratio[i]);
    run_record r = run_scene(text, NULL);
    if (r.report.reason != VV_REASON_DONE) fail_msg("%s in\n%s", r.report.message, text);
    check_claims(&r, text);
    check_most(fabs(run_ledger(&r)->max_gap), 1e-12); /* J: of 1.5 J of weight over its height */
    run_free(&r);
  }
}

/* Boxes on boxes and a ball that falls on them, from lossless to dead and from smooth to rough: four corners of a face say three
 * things, and what is asked of them does not agree where some part and some approach.                            [island 12a] */
static void test_stacks_end(void **unused)
{
  (void)unused;
  static const double restitution[] = {0.3, 0.5, 0.8}, friction[] = {0.0, 0.3, 0.6};
  for (int i = 0; i < 9; i++) {
    char text[2048];
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 0.12, step: 1e-3}\nmethod: {step: energy-momentum}\ngravity: [0, 0, -9.81]\n"
             "contacts: [{restitution: %g, friction: %g}]\nbodies:\n"
             "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
             "  low: {kind: rigid, shape: {box: {size: [0.2, 0.18, 0.1]}}, density: 1000, position: [0, 0, 0.052]}\n"
             "  high: {kind: rigid, shape: {box: {size: [0.17, 0.153, 0.1]}}, density: 1000, position: [0.01, -0.007, "
             "0.154]}\n"
             "  ball: {kind: rigid, shape: {ball: {radius: 0.05}}, density: 1000, position: [0.02, 0.013, 0.354], "
             "velocity: [0.1, 0, -1]}\n",
             restitution[i % 3], friction[i / 3]);
    run_record r = run_scene(text, NULL);
    assert_int_equal(r.report.reason, VV_REASON_DONE);
    check_most(fabs(run_ledger(&r)->closure), 1e-13);
    check_least(run_ledger(&r)->impacts, 1);
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stack_with_friction),
      cmocka_unit_test(test_stacks_end),
      cmocka_unit_test(test_heavy_on_light),
      cmocka_unit_test(test_heavier_on_light),
      cmocka_unit_test(test_identities),
      cmocka_unit_test(test_grip),
      cmocka_unit_test(test_spring_is_kept),
      cmocka_unit_test(test_as_many_springs_as_corners),
      cmocka_unit_test(test_ball_in_shell),
      cmocka_unit_test(test_order_two),
      cmocka_unit_test(test_rod_in_box),
      cmocka_unit_test(test_penalty_of_general_bodies),
      cmocka_unit_test(test_first_impacts),
      cmocka_unit_test(test_losses),
      cmocka_unit_test(test_springs_slide),
      cmocka_unit_test(test_springs_yield),
      cmocka_unit_test(test_springs_rest),
      cmocka_unit_test(test_restitution_and_friction),
      cmocka_unit_test(test_gravity),
      cmocka_unit_test(test_bodies_among_themselves),
      cmocka_unit_test(test_reversible),
      cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_long_steps_sink_little),
      cmocka_unit_test(test_words),
      cmocka_unit_test(test_hundreds_at_once),
      cmocka_unit_test(test_a_thousand_apart),
      cmocka_unit_test(test_gas),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
