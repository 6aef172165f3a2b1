/* tests/physics/test_beam_impact.c  Beams against obstacles: the eight published runs, round and flat obstacles, corners,
 * friction, rest. */
#include "check.h"
#include "run.h"

#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096 };

static double place(const vv_model *m, const vv_state *x, int64_t node, int c)
{
  return x->q[m->block[0].q0 + c * m->block[0].column + node];
}

/* ---- the published runs ---- */

typedef struct published {
  const char *name;
  int elements;
  double step, end, time[3], speed[3], nodal_error, slab_error, slab_energy, L3, p1, p2;
  double tip[3][3]; /* at 0.0053, 0.01 and 0.015 s; 0: not given */
} published;

/* Impact times (s) and speeds, energies and momenta of the slab at t = 0, largest energy errors, tip: an independent
 * program.  Momenta are given for dt = 4e-5 (fast A = 20: 1e-5). */
/* clang-format off */
static const published run[] = {
  {"fast-A5-dt4e-5", 5, 4e-5, 0.5, {5.033670872e-3, 11.387436860e-3, 32.987171e-3}, {-29.32645, -15.64695, -5.13822}, 3.8e-5, 8.9e-5, 153.612855644, -1.804861022, -10.296844921, -4.715539423,
   {{0.273871118091, -0.103073928890, 0.007810070055}, {0.201829069941, -0.117092759218, 0.145393320085}, {0.124619934253, -0.131981997677, 0.291064974961}}},
  {"fast-A10-dt4e-5", 10, 4e-5, 0.5, {4.662631948e-3, 6.977544817e-3, 10.734484884e-3}, {-30.81492, -23.40966, -16.42714}, 3.5e-5, 5.5e-5, 147.208535133, -1.709240543, -9.615195999, -4.699035895,
   {{0.280828863517, -0.096071536428, 0.019637907598}, {0.210385283858, -0.105612989972, 0.163874308315}, {0.134814869793, -0.115883035517, 0.316238356710}}},
  {"fast-A20-dt1e-5", 20, 1e-5, 0.5, {4.563312635e-3, 5.578666173e-3, 6.844414989e-3}, {-31.25084, -27.48733, -23.75171}, 2.4e-6, 3.5e-6, 145.611088407, -1.678298308, -9.410637386, -4.681375816,
   {{0.283048997822, -0.093937585480, 0.023014349071}, {0.212945913797, -0.101937673728, 0.168642524466}, {0.137638306026, -0.110812616082, 0.321779614086}}},
  {"slow-A10-dt4e-5", 10, 4e-5, 2.5, {9.295848957e-3, 13.884363203e-3, 0}, {-15.47955, -11.76711, 0}, 5.3e-5, 4.7e-5, 38.045071068, -0.852744735, -4.800635857, -2.345056590,
   {{0.320444237832, -0.090539103516, 0.061814300227}, {0.285515592618, -0.095285219390, 0.010898073139}, {0.247957301612, -0.100204421509, 0.087762404637}}},
  {"slow-A10-dt2e-5", 10, 2e-5, 2.5, {9.290802726e-3, 13.877753433e-3, 0}, {-15.48782, -11.77263, 0}, 2.7e-6, 9.5e-6, 38.045501945, 0, 0, 0, {{0}}},
  {"slow-A16-dt2e-5", 16, 2e-5, 2.5, {9.143888988e-3, 11.740840302e-3, 0}, {-15.63358, -13.28326, 0}, 3.1e-6, 8.6e-6, 37.723228650, 0, 0, 0, {{0}}},
  {"slowest-A10-dt4e-5", 10, 4e-5, 5, {17.776918508e-3, 22.898842543e-3, 0}, {-0.08734, -6.34803, 0}, 5.7e-5, 4.4e-5, 7.479577777, -0.340647685, -1.918583429, -0.936951910,
   {{0.344045738015, -0.087301377857, 0.110780109078}, {0.330122341354, -0.089167971053, 0.081438588615}, {0.315227443877, -0.091136212728, 0.050003363680}}},
  {"slowest-A10-dt2e-5", 10, 2e-5, 5, {17.756158697e-3, 22.893827384e-3, 0}, {-0.08724, -6.34933, 0}, 4.2e-6, 1.4e-5, 7.479750460, 0, 0, 0, {{0}}},
};
/* clang-format on */
enum { RUNS = sizeof run / sizeof *run };

static char *scene_text(const published *d, const char *jump, int order)
{
  char path[512];
  snprintf(path, sizeof path, "%s/demoures2017/beam-%s.yaml", VV_EXAMPLES_DIR, d->name);
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  char *text = calloc(TEXT, 1), *out = calloc(2 * TEXT, 1);
  assert_true(fread(text, 1, TEXT - 1, f) > 100);
  fclose(f);
  char *at = strstr(text, "jump: nodal");
  assert_non_null(at);
  *at = '\0';
  snprintf(out, 2 * TEXT, "%sjump: %s, order: %d%s", text, jump, order, at + strlen("jump: nodal"));
  free(text);
  return out;
}

/* The tip at a time that may lie inside a step: a partial step from the last whole one, on a copy. */
static void check_tip(const run_record *r, const published *d, const double want[3], double time)
{
  const double part = time - r->state->t;
  vv_state *copy = NULL;
  assert_int_equal(vv_state_clone(r->state, &copy), VV_OK);
  if (part > 1e-12) {
    vv_sim *sim = NULL;
    vv_report report;
    vv_sim_def def = vv_sim_default();
    def.step = part;
    assert_int_equal(vv_sim_create(r->model, copy, &def, &sim), VV_OK);
    assert_int_equal(vv_sim_steps(sim, 1, &report), VV_OK);
    vv_sim_destroy(sim);
  }
  for (int c = 0; c < 3; c++) check_near(place(r->model, copy, d->elements, c), want[c], 1e-9);
  vv_state_destroy(copy);
}

static void test_published_beginnings(void **unused)
{
  (void)unused;
  static const double when[3] = {0.0053, 0.01, 0.015};
  for (int i = 0; i < RUNS; i++) {
    const published *d = &run[i];
    char *text = scene_text(d, "nodal", 2);
    run_record r = run_prepare(text, NULL);
    vv_report report;
    for (int k = 0; k < 3 && d->tip[0][0] != 0.0; k++) {
      const int64_t steps = (int64_t)floor(when[k] / d->step * (1.0 + 1e-12));
      assert_int_equal(vv_sim_steps(r.sim, steps - r.state->step, &report), VV_OK);
      check_tip(&r, d, d->tip[k], when[k]);
    }
    run_free(&r);
    free(text);
  }
}

static void test_published_runs(void **unused)
{
  (void)unused;
  for (int i = 0; i < RUNS; i++) {
    const published *d = &run[i];
    char *text = scene_text(d, "nodal", 2);
    run_record r = run_scene(text, NULL);
    const vv_ledger *l = run_ledger(&r);
    for (int k = 0; k < 3 && d->time[k] > 0.0; k++) { /* printed with 7 to 10 digits */
      const bool short_print = i == 0 && k == 2;
      check_near(r.event[k].time, d->time[k], short_print ? 5e-10 : 1e-9 * d->time[k]);
      check_near(r.event[k].normal_speed, d->speed[k], 6e-6);
    }
    if (d->end == 5) {
      check_least((double)l->impacts, 185);
      check_most((double)l->impacts, 240);
    }
    check_most(l->max_closure, d->nodal_error);
    check_most(l->max_event_residual, 1e-15);
    assert_true(l->max_penetration == 0.0);
    /* what the floor and gravity cannot change: the horizontal momenta and the angular momentum about the vertical */
    check_near(l->now.p[0], l->initial.p[0], 1e-12 * fabs(l->initial.p[0]));
    check_near(l->now.p[1], l->initial.p[1], 1e-12 * fabs(l->initial.p[1]));
    check_near(l->now.L[2], l->initial.L[2], 1e-12 * fabs(l->initial.L[2]));
    if (d->L3 != 0.0) {
      check_near(l->initial.L[2], d->L3, 6e-10);
      check_near(l->initial.p[0], d->p1, 6e-10);
      check_near(l->initial.p[1], d->p2, 6e-10);
    }
    run_free(&r);
    free(text);
  }
}

static void test_published_slab(void **unused)
{
  (void)unused;
  for (int i = 0; i < RUNS; i += 3) {
    const published *d = &run[i];
    char *text = scene_text(d, "slab", 2);
    run_record r = run_scene(text, NULL);
    const vv_ledger *l = run_ledger(&r);
    check_near(vv_totals_energy(&l->initial), d->slab_energy, 6e-10);
    /* the figure is that of one run; beyond about 1 s the motion is chaotic, and the largest error that of another member of
     * an ensemble (median of twelve: 1.4 times the figure of the slowest run) */
    check_most(l->max_closure, d->end > 1 ? 3.0 * d->slab_error : d->slab_error);
    check_most(l->max_event_residual, 1e-15);
    assert_int_equal(l->fallbacks, 0);
    run_free(&r);
    free(text);
  }
}

/* Order 6 by composition, events inside the substeps. */
static void test_order_six(void **unused)
{
  (void)unused;
  char *text = scene_text(&run[6], "nodal", 6);
  const run_options options = {.steps = 25000}; /* 1 s of 5, about 40 impacts */
  run_record r = run_scene(text, &options);
  check_least((double)r.n_event, 20);
  check_most(run_ledger(&r)->max_closure, 2e-12);
  run_free(&r);
  free(text);
}

/* ---- one beam, many obstacles ---- */

#define STIFF "material: {young: 1e6, poisson: 0.3, density: 1000}"

static run_record drop(const char *head, const char *beam, const char *obstacles, int64_t steps)
{
  char text[3 * TEXT];
  snprintf(
      text, sizeof text,
      "visviva: 1\ntime: {end: 100, step: 1e-4}\n%s\nbodies:\n  beam: {kind: beam, length: 1, elements: 10, %s}\n%s\n",
      head, beam, obstacles);
  const run_options options = {.steps = steps};
  return run_scene(text, &options);
}

/* The same with the method named; both meet obstacles, at their own times and at whole steps. */
static run_record drop_by(const char *step, const char *head, const char *beam, const char *obstacles, int64_t steps)
{
  char more[TEXT];
  snprintf(more, sizeof more, "method: {step: %s}\n%s", step, head);
  return drop(more, beam, obstacles, steps);
}

static void check_kept(const run_record *r, double energy, int64_t impacts)
{
  const vv_ledger *l = run_ledger(r);
  check_most(l->max_closure, energy);
  check_most(l->max_p_drift, 1e-13);
  check_most(l->max_L_drift, 1e-13);
  check_most(l->max_event_residual, 1e-15);
  assert_true(l->max_penetration == 0.0);
  check_least((double)l->impacts, (double)impacts);
}

static void test_obstacles(void **unused)
{
  (void)unused;
  static const struct {
    const char *beam, *obstacle;
    bool about_origin; /* the obstacle is round about the origin: angular momentum is kept */
  } row[] = {
      {"section: {circle: {radius: 0.05}}, axis: [0.6, 0, 0.8], normal: [0, 1, 0], position: [0, 0, 0.3], velocity: "
       "[1, 0, -3]",
       "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}", false},
      {"section: {square: {side: 0.08}}, axis: [0.6, 0, 0.8], normal: [0, 1, 0], position: [0, 0, 0.3], velocity: [1, "
       "0, -3], spin: [1, 2, 3]",
       "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}", false},
      {"section: {circle: {radius: 0.05}}, axis: [0, 1, 0], normal: [1, 0, 0], position: [0.1, -0.5, 1.5], velocity: "
       "[0.2, 0, -3]",
       "  ball: {kind: obstacle, shape: {sphere: {radius: 1}}}", true},
      {"section: {square: {side: 0.08}}, axis: [0, 1, 0], normal: [1, 0, 0], position: [0.1, -0.5, 0], velocity: [2, "
       "1, -3], spin: [0, 1, 2]",
       "  shell: {kind: obstacle, shape: {sphere: {radius: 1, inside: true}}}", true},
      {"section: {circle: {radius: 0.05}}, axis: [0, 1, 0], normal: [1, 0, 0], position: [0.1, -0.5, 1.5], velocity: "
       "[0.2, 0, -3]",
       "  rod: {kind: obstacle, shape: {cylinder: {axis: [1, 0.2, 0], radius: 0.5}}}", false},
      {"section: {circle: {radius: 0.05}}, axis: [0, 1, 0], normal: [1, 0, 0], position: [0.1, -0.5, 0], velocity: [2, "
       "0.2, -3], spin: [0, 1, 2]",
       "  pipe: {kind: obstacle, shape: {cylinder: {axis: [0, 1, 0], radius: 0.6, inside: true}}}", false},
      {"section: {circle: {radius: 0.05}}, axis: [0, 1, 0], normal: [1, 0, 0], position: [0.3, -0.5, 1], velocity: "
       "[0.2, 0, -3]",
       "  block: {kind: obstacle, shape: {box: {size: [1, 0.6, 0.8], axis: [0.1, 0, 1]}}}", false},
      {"section: {square: {side: 0.08}}, axis: [0, 1, 0], normal: [1, 0, 0], position: [0, -0.5, 0], velocity: [2, 3, "
       "-4], spin: [1, 1, 2]",
       "  box: {kind: obstacle, shape: {room: {size: [1.5, 1.6, 1.7]}}}", false},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    char beam[TEXT];
    snprintf(beam, sizeof beam, "%s, %s", STIFF, row[i].beam);
    run_record r = drop("method: {step: event}", beam, row[i].obstacle, 6000);
    check_kept(&r, 2e-3, 3);
    const vv_ledger *l = run_ledger(&r);
    for (int c = 0; c < 3 && row[i].about_origin; c++) check_near(l->now.L[c], l->initial.L[c], 1e-12 * l->L_scale);
    run_free(&r);
  }
}

/* A straight beam that falls flat stays straight: every node bounces at the same time, exactly. */
static void test_flat_fall(void **unused)
{
  (void)unused;
  static const char *const section[] = {"circle: {radius: 0.05}", "square: {side: 0.1}"};
  static const double restitution[] = {1.0, 0.6};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      char head[256], beam[TEXT];
      snprintf(head, sizeof head, "method: {step: event}\ncontacts: [{restitution: %g}]", restitution[k]);
      snprintf(beam, sizeof beam,
               STIFF
               ", section: {%s}, axis: [1, 0, 0], normal: [0, 0, 1], position: [0, 0, 0.0555], velocity: [0, 0, -1]",
               section[i]);
      run_record r = drop(head, beam, "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}", 100);
      const vv_ledger *l = run_ledger(&r);
      check_near(l->now.kinetic, restitution[k] * restitution[k] * l->initial.kinetic, 1e-13 * l->initial.kinetic);
      check_most(l->max_closure, 1e-13);
      for (int64_t a = 0; a <= 10; a++) /* the gap of 0.0055 closes after 5.5 ms */
        check_near(place(r.model, r.state, a, 2), 0.05 + restitution[k] * (0.01 - 0.0055), 1e-13);
      run_free(&r);
    }
}

/* ---- friction and rest ---- */

#define LYING STIFF ", section: {square: {side: 0.05}}, touch: centroid, axis: [0.8, 0.6, 0], normal: [0, 0, 1]"
#define FLOOR "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}"

/* Not a bit of any place has changed. */
static void assert_same_places(const vv_model *m, const vv_state *a, const vv_state *b)
{
  for (int64_t i = 0; i < m->block[0].nodes; i++)
    for (int c = 0; c < 3; c++) assert_true(place(m, a, i, c) == place(m, b, i, c));
}

/* The same on an oblique plane, with gravity 0.3 off its normal: nothing slides, and the books close. */
static void check_no_creep_aslant(const char *step)
{
  run_record r =
      drop_by(step, "gravity: [-1.5, -5.5, -7.9]\ncontacts: [{restitution: 0, friction: 0.4}]",
              STIFF ", section: {square: {side: 0.05}}, touch: centroid, axis: [3, 0, -1], normal: [1, 2, 3]",
              "  floor: {kind: obstacle, shape: {plane: {normal: [1, 2, 3]}}}", 3000);
  const vv_ledger *l = run_ledger(&r);
  for (int64_t i = 0; i <= 10; i++)
    for (int c = 0; c < 3; c++) check_near(place(r.model, r.state, i, c), place(r.model, r.initial, i, c), 1e-14);
  check_most(l->max_p_drift, 1e-13);
  check_most(l->max_L_drift, 1e-13);
  check_most(l->max_penetration, 0.0);
  run_free(&r);
}

/* A flat oblique fall: every node slides through the impact, so that friction takes mu times the normal impulse, against
 * the motion, whatever its direction: v_t <- v_t (1 - mu (1 + e) v_n/|v_t|).  At orders 2 and 6, all nodes at once. */
static void test_sliding_impact(void **unused)
{
  (void)unused;
  for (int order = 2; order <= 6; order += 4) {
    char head[256];
    snprintf(head, sizeof head, "method: {step: event, order: %d}\ncontacts: [{restitution: 0.5, friction: 0.2}]",
             order);
    run_record r =
        drop(head,
             STIFF ", section: {square: {side: 0.1}}, touch: centroid, axis: [1, 0, 0], normal: [0, 0, 1], position: "
                   "[0, 0, 0.0055], velocity: [3, 4, -1]",
             FLOOR, 100);
    const double left = 1.0 - 0.2 * 1.5 / 5.0, t = 0.0055, rest = 0.01 - 0.0055;
    for (int64_t i = 0; i <= 10; i++) {
      check_near(place(r.model, r.state, i, 0), 0.1 * (double)i + 3.0 * (t + left * rest), 1e-12);
      check_near(place(r.model, r.state, i, 1), 4.0 * (t + left * rest), 1e-12);
      check_near(place(r.model, r.state, i, 2), 0.5 * rest, 1e-12);
    }
    const double mass = 10.0, lost = 0.5 * mass * 25.0 * (1.0 - left * left);
    check_near(vv_sum_value(&run_ledger(&r)->posted.friction_loss), lost, 1e-12 * lost);
    check_near(vv_sum_value(&run_ledger(&r)->posted.restitution_loss), 0.5 * mass * 0.75, 1e-12 * mass);
    run_free(&r);
  }
}

/* A body that starts at rest has no energy before it falls: its first impacts are judged by what they exchange. */
static void test_late_audit(void **unused)
{
  (void)unused;
  run_record r = drop_by("event", "gravity: [0, 0, -10]\ncontacts: [{restitution: 0.5, friction: 0.4}]",
                         LYING ", position: [0, 0, 1e-4]", FLOOR, 1000);
  check_most(run_ledger(&r)->max_event_residual, 1e-13);
  run_free(&r);
}

static void check_no_creep(const char *step)
{
  run_record r =
      drop_by(step, "gravity: [3, 0, -9.5]\ncontacts: [{restitution: 0, friction: 0.4}]", LYING, FLOOR, 5000);
  assert_same_places(r.model, r.state, r.initial);
  assert_true(run_ledger(&r)->max_closure == 0.0);
  check_most(run_ledger(&r)->max_p_drift, 1e-13);
  run_free(&r);
}

/* Steeper than the angle of friction it slides: x = (g_x - mu g_z) t^2/2, and friction takes mu m g_z x. */
static void check_sliding(const char *step)
{
  run_record r =
      drop_by(step, "gravity: [6, 0, -9.5]\ncontacts: [{restitution: 0, friction: 0.4}]", LYING, FLOOR, 5000);
  const double t = 0.5, a = 6.0 - 0.4 * 9.5, mass = 2.5, way = 0.5 * a * t * t;
  for (int64_t i = 0; i <= 10; i++) {
    check_near(place(r.model, r.state, i, 0) - place(r.model, r.initial, i, 0), way, 1e-5);
    /* speeds are solved to 1e-13 of the fastest: 1e-17 m in a step, 5e-14 in 5000 at the most */
    check_near(place(r.model, r.state, i, 2), 0.0, 5e-14);
  }
  /* in the leapfrog half of the friction of the coming step is still in the column contact */
  const double taken = vv_sum_value(&run_ledger(&r)->posted.friction_loss) + run_ledger(&r)->now.contact;
  check_near(taken, 0.4 * mass * 9.5 * way, 1e-4);
  check_most(run_ledger(&r)->max_closure, 1e-5);
  check_most(run_ledger(&r)->max_p_drift, 1e-13);
  run_free(&r);
}

/* Thrown along the floor it stops after v^2/(2 mu g), and then does not move a bit. */
static void check_stopping(const char *step)
{
  run_record r = drop_by(step, "gravity: [0, 0, -10]\ncontacts: [{restitution: 0, friction: 0.3}]",
                         LYING ", velocity: [0, 0.6, 0]", FLOOR, 4000);
  vv_report report;
  check_near(place(r.model, r.state, 5, 1) - place(r.model, r.initial, 5, 1), 0.36 / 6.0, 1e-4);
  vv_state *then = NULL;
  assert_int_equal(vv_state_clone(r.state, &then), VV_OK);
  assert_int_equal(vv_sim_steps(r.sim, 1000, &report), VV_OK);
  assert_same_places(r.model, r.state, then);
  check_near(vv_sum_value(&run_ledger(&r)->posted.friction_loss), 0.5 * 2.5 * 0.36, 1e-6);
  vv_state_destroy(then);
  run_free(&r);
}

/* Oblique impacts with friction: what is lost is what was booked, for every pair of coefficients. */
static void check_friction_is_booked(const char *step)
{
  static const double e[] = {1.0, 0.7, 0.0}, mu[] = {0.0, 0.1, 0.5};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      char head[256];
      snprintf(head, sizeof head, "gravity: [0, 0, -10]\ncontacts: [{restitution: %g, friction: %g}]", e[i], mu[k]);
      run_record r = drop_by(
          step, head,
          STIFF ", section: {square: {side: 0.1}}, axis: [0.6, 0, 0.8], normal: [0, 1, 0], position: [0, 0, 0.3], "
                "velocity: [3, 1, -3], spin: [1, 2, 3]",
          FLOOR, 3000);
      const vv_ledger *l = run_ledger(&r);
      check_most(l->max_closure, 2e-3);
      check_most(l->max_event_residual, 1e-15);
      check_most(l->max_p_drift, 1e-13);
      check_most(l->max_L_drift, 1e-13);
      assert_true(l->max_penetration == 0.0);
      const double rubbed = vv_sum_value(&l->posted.friction_loss), lost = vv_sum_value(&l->posted.restitution_loss);
      assert_true((rubbed > 0.0) == (mu[k] > 0.0) && (lost > 0.0) == (e[i] < 1.0));
      run_free(&r);
    }
}

/* A soft beam standing on the floor under gravity: thousands of weak impacts, no energy from nowhere. */
static void check_standing(const char *step)
{
  run_record r = drop_by(step, "gravity: [0, 0, -10]",
                         "material: {young: 1e5, density: 1000}, section: {circle: {radius: 0.1}}, touch: centroid, "
                         "position: [0, 0, 0.002]",
                         FLOOR, 10000);
  check_kept(&r, 2e-3, 10);
  run_free(&r);
}

/* ---- the same bits: threads, and a new start in the middle of a rest ---- */

static void check_same_bits(const char *step)
{
  char head[3 * TEXT];
  snprintf(head, sizeof head,
           "visviva: 1\ntime: {end: 100, step: 1e-4}\nmethod: {step: %s}\ngravity: [0, 0, -10]\ncontacts: "
           "[{restitution: 0.3, friction: "
           "0.3}]\nbodies:\n  beam: {kind: beam, length: 1, elements: 10, " STIFF
           ", section: {circle: {radius: 0.05}}, axis: [0.8, 0, 0.6], normal: [0, 1, 0], position: [0, 0, 0.2]}\n" FLOOR
           "\n",
           step);
  uint64_t first = 0;
  for (int threads = 1; threads <= 3; threads++) {
    const run_options options = {.threads = threads, .steps = 8000};
    run_record r = run_scene(head, &options);
    if (threads == 1) first = vv_state_hash(r.state);
    assert_true(first == vv_state_hash(r.state));
    check_least((double)run_ledger(&r)->held, 1);
    run_free(&r);
  }
  const run_options half = {.steps = 6000};
  run_record r = run_scene(head, &half);
  vv_state *copy = NULL;
  vv_sim *sim = NULL;
  vv_report report;
  const vv_sim_def def = vv_sim_default();
  assert_int_equal(vv_state_clone(r.state, &copy), VV_OK);
  assert_int_equal(vv_sim_create(r.model, copy, &def, &sim), VV_OK);
  assert_int_equal(vv_sim_restore(sim, run_ledger(&r)), VV_OK);
  assert_int_equal(vv_sim_steps(sim, 2000, &report), VV_OK);
  assert_true(first == vv_state_hash(copy));
  vv_sim_destroy(sim);
  vv_state_destroy(copy);
  run_free(&r);
}

/* ---- what both methods keep ---- */

static void test_no_creep(void **unused)
{
  (void)unused;
  check_no_creep("event");
  check_no_creep("leapfrog");
}

static void test_no_creep_aslant(void **unused)
{
  (void)unused;
  check_no_creep_aslant("event");
  check_no_creep_aslant("leapfrog");
}

static void test_sliding(void **unused)
{
  (void)unused;
  check_sliding("event");
  check_sliding("leapfrog");
}

static void test_stopping(void **unused)
{
  (void)unused;
  check_stopping("event");
  check_stopping("leapfrog");
}

static void test_friction_is_booked(void **unused)
{
  (void)unused;
  check_friction_is_booked("event");
  check_friction_is_booked("leapfrog");
}

static void test_standing(void **unused)
{
  (void)unused;
  check_standing("event");
  check_standing("leapfrog");
}

static void test_same_bits(void **unused)
{
  (void)unused;
  check_same_bits("event");
  check_same_bits("leapfrog");
}

/* Within one step a node goes through the edge of a ball and on behind a wall that stands in the ball: at the end of the step only the
 * wall is overlapped, at the time of the wall the ball is.  The ball comes first. */
static void test_dip_and_return(void **unused)
{
  (void)unused;
  const double radius = 0.001, ball = 0.05, half = 0.02, height = sqrt((ball + radius) * (ball + radius) - half * half);
  char text[TEXT];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 0.1, step: 0.1}\nmethod: {step: event}\nbodies:\n"
           "  rod: {kind: beam, length: 0.1, elements: 1, material: {young: 0.1, density: 1000}, section: {circle: "
           "{radius: %.17g}}, "
           "position: [-0.15, 0, %.17g], axis: [0, 1, 0], velocity: [2, 0, 0]}\n"
           "  ball: {kind: obstacle, shape: {sphere: {radius: %.17g, centre: [0, 0, 0]}}}\n"
           "  wall: {kind: obstacle, shape: {plane: {normal: [-1, 0, 0], offset: %.17g}}}\n",
           radius, height, ball, -(0.01 + radius));
  run_record r = run_scene(text, &(run_options){.threads = 1});
  assert_true(r.n_event >= 1);
  print_message("  first at %.9g s, x = %.6g, due %.9g s\n", r.event[0].time, r.event[0].x[0], (0.15 - half) / 2.0);
  assert_true(strcmp(r.event[0].body_a, "ball") == 0 || strcmp(r.event[0].body_b, "ball") == 0);
  check_near(r.event[0].time, (0.15 - half) / 2.0, 1e-6);
  check_most(run_ledger(&r)->max_penetration, 1e-12);
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_published_beginnings),
      cmocka_unit_test(test_published_runs),
      cmocka_unit_test(test_published_slab),
      cmocka_unit_test(test_order_six),
      cmocka_unit_test(test_obstacles),
      cmocka_unit_test(test_flat_fall),
      cmocka_unit_test(test_sliding_impact),
      cmocka_unit_test(test_late_audit),
      cmocka_unit_test(test_no_creep),
      cmocka_unit_test(test_dip_and_return),
      cmocka_unit_test(test_no_creep_aslant),
      cmocka_unit_test(test_sliding),
      cmocka_unit_test(test_stopping),
      cmocka_unit_test(test_friction_is_booked),
      cmocka_unit_test(test_standing),
      cmocka_unit_test(test_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
