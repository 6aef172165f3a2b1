/* tests/physics/test_material_pieces.c  What is left of bodies that broke: its new ends and edges meet what comes, and each
 * other.  Distances are measured here, from places and damage alone.  docs/theory/mat.md */
#include "check.h"
#include "losses.h"

#include "body/bar/bar.h"
#include "math/math.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096, FIRST = 0, BALL = 1, RUBBLE = 128 };

/* ---- distances ---- */

static double clamp(double t)
{
  return t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
}

static double point_segment(const double p[3], const double a[3], const double b[3])
{
  double d[3], w[3];
  for (int c = 0; c < 3; c++) d[c] = b[c] - a[c], w[c] = p[c] - a[c];
  const double t = clamp(vvi_dot3(d, w) / fmax(vvi_dot3(d, d), 1e-300));
  for (int c = 0; c < 3; c++) w[c] -= t * d[c];
  return vvi_norm3(w);
}

/* Over its face where the foot is inside, else over its sides. */
static double point_triangle(const double p[3], const double x[3][3])
{
  double n[3], u[3], v[3], w[3], side[3], inside = INFINITY;
  for (int c = 0; c < 3; c++) u[c] = x[1][c] - x[0][c], v[c] = x[2][c] - x[0][c], w[c] = p[c] - x[0][c];
  vvi_cross3(u, v, n);
  for (int k = 0; k < 3; k++) {
    for (int c = 0; c < 3; c++) u[c] = x[(k + 1) % 3][c] - x[k][c], v[c] = p[c] - x[k][c];
    vvi_cross3(u, v, side);
    inside = fmin(inside, vvi_dot3(side, n));
  }
  if (inside >= 0.0) return fabs(vvi_dot3(w, n)) / vvi_norm3(n);
  double least = INFINITY;
  for (int k = 0; k < 3; k++) least = fmin(least, point_segment(p, x[k], x[(k + 1) % 3]));
  return least;
}

/* From a piece of a beam along x that has stayed straight. */
static double point_prism(const double p[3], double x[3][3], double half, bool is_round)
{
  const double along = fmax(0.0, fmax(x[0][0] - p[0], p[0] - x[1][0]));
  const double y = fmax(0.0, fabs(p[1] - 0.5 * (x[0][1] + x[1][1])) - half);
  const double z = fmax(0.0, fabs(p[2] - 0.5 * (x[0][2] + x[1][2])) - half);
  return is_round ? point_segment(p, x[0], x[1]) - half : sqrt(along * along + y * y + z * z);
}

/* ---- what is watched ---- */

typedef struct watch {
  losses lost;
  double *position, *damage, *along; /* along: d3 of the nodes of beams */
  double least;                      /* m: of the ball's centre from what is left */
  double across; /* m: of the two nodes of a broken element along x, of beams along the normal of an end, the least */
  double parted; /* m: the most */
  double half;   /* m: beams: half the section; 0: another body */
  bool round;
} watch;

static void watch_open(const run_record *r, watch *w)
{
  const vv_body *body = &r->model->body[FIRST];
  w->position = calloc((size_t)(3 * body->n_node), sizeof(double));
  w->along = calloc((size_t)(3 * body->n_node), sizeof(double));
  w->damage = calloc((size_t)body->n_element, sizeof(double));
  for (int64_t i = 0; i < body->n_node; i++) w->along[3 * i] = 1.0;
  w->least = w->across = INFINITY;
}

static void watch_close(watch *w)
{
  free(w->position), free(w->damage), free(w->along);
}

/* The ball and the triangles that are left, or the nodes of what broke. */
static vv_status watch_look(const vv_view *v, void *user)
{
  watch *w = user;
  const vv_body *body = &v->model->body[FIRST];
  const vv_block *b = &v->model->block[body->block];
  const int corners = b->kind->element_nodes;
  double ball[3] = {0};
  losses_look(v, &w->lost);
  assert_int_equal(vv_model_output(v->model, v->state, FIRST, "position", w->position), VV_OK);
  assert_int_equal(vv_model_output(v->model, v->state, FIRST, "damage", w->damage), VV_OK);
  if (strcmp(b->kind->name, "beam") == 0)
    assert_int_equal(vv_model_output(v->model, v->state, FIRST, "d3", w->along), VV_OK);
  if (v->model->n_body > BALL && strcmp(v->model->body[BALL].name, "ball") == 0)
    assert_int_equal(vv_model_output(v->model, v->state, BALL, "position", ball), VV_OK);
  else
    ball[0] = INFINITY;
  for (int64_t e = 0; e < body->n_element; e++) {
    double x[3][3] = {{0}};
    for (int k = 0; k < corners; k++)
      memcpy(x[k], w->position + 3 * (b->element_node[corners * (body->element0 + e) + k] - body->node0), sizeof x[k]);
    if (w->damage[e] < 1.0 && corners == 3) w->least = fmin(w->least, point_triangle(ball, (const double(*)[3])x));
    if (w->damage[e] < 1.0 && w->half > 0.0) w->least = fmin(w->least, point_prism(ball, x, w->half, w->round));
    if (w->damage[e] < 1.0 || corners == 3) continue;
    const double gap[3] = {x[1][0] - x[0][0], x[1][1] - x[0][1], x[1][2] - x[0][2]};
    const double *d3 = w->along + 3 * (b->element_node[corners * (body->element0 + e)] - body->node0);
    w->across = fmin(w->across, vvi_dot3(gap, d3)), w->parted = fmax(w->parted, vvi_dot3(gap, d3));
    for (int k = 0; k < 2 && w->half == 0.0; k++) w->least = fmin(w->least, point_segment(ball, x[k], x[k]));
  }
  return VV_OK;
}

/* ---- shells ---- */

/* A strip is torn in two; a ball comes into the gap from the side, in its plane, and runs into the torn edge of one half: it is
 * held off by its radius and half the thickness, and that half gets what it loses. */
static void test_torn_edge(void **unused)
{
  (void)unused;
  static const char *const rule[2] = {"contacts: [{restitution: 0}]", "contacts: [{response: none}]"};
  double least[2], speed[2][3];
  for (int i = 0; i < 2; i++) {
    char text[TEXT];
    watch w = {0};
    vv_report report;
    snprintf(text, TEXT,
             "visviva: 1\ntime: {end: 5e-4, step: {safety: 0.4}}\nbodies:\n"
             "  strip: {kind: shell, mesh: {rectangle: {size: [0.1, 0.02], pieces: [40, 8]}}, thickness: 1e-3,\n"
             "    material: {young: 70e9, poisson: 0.33, density: 2700, law: j2, yield: 150e6, hardening: 200e6,\n"
             "               failure: {strain: 0.1, energy: 2e4}},\n"
             "    velocities: [{velocity: [-60, 0, 0], high: [0, 1, 1]}, {velocity: [60, 0, 0], low: [0, -1, -1]}]}\n"
             "  ball: {kind: rigid, shape: {ball: {radius: 0.003}}, mass: 0.001, position: [-0.03, -0.03, 0.0001], "
             "velocity: [150, 100, 0]}\n%s\n",
             rule[i]);
    run_record r = run_prepare(text, NULL);
    watch_open(&r, &w);
    assert_int_equal(vv_sim_observe(r.sim, 1, watch_look, &w), VV_OK);
    assert_int_equal(vv_sim_run(r.sim, &report), VV_OK);
    assert_int_equal(vv_model_output(r.model, r.state, BALL, "velocity", speed[i]), VV_OK);
    const vv_ledger *l = run_ledger(&r);
    print_message("torn edge: nearest %.6g m, speed (%.4g, %.4g, %.4g), closure %.3g\n", w.least, speed[i][0],
                  speed[i][1], speed[i][2], l->max_closure);
    check_most(l->max_p_drift, 1e-12);
    check_most(l->max_L_drift, 1e-12);
    check_most(l->max_closure, 1e-4);
    least[i] = w.least;
    watch_close(&w), run_free(&r);
  }
  check_least(least[0], 0.003 * (1.0 - 1e-9));
  check_most(least[1], 0.001); /* without contact the same ball goes through: the test can fail */
  check_most(speed[0][0], 120.0);
}

/* ---- bars ---- */

static void bar_scene(char *text, double safety, const char *contacts)
{
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 0.3, step: {safety: %.17g}}\nbodies:\n"
           "  bar: {kind: bar, length: 1, elements: 21, section: {area: 0.01}, position: -0.5,\n"
           "    material: {law: j2, young: 1e4, density: 1, yield: 250, hardening: 500,\n"
           "               failure: {strain: 0.005, energy: 0.2}},\n"
           "    vibration: [{mode: 1, velocity: -4}]}\n"
           "  ball: {kind: rigid, shape: {ball: {radius: 0.03}}, mass: 0.001, position: [-1.2, -0.1155, 0], "
           "velocity: [12, 1, 0]}\n%s\n",
           safety, contacts);
}

/* A bar breaks and a ball flies into the gap: it meets the end of a piece, and takes from the bar along its line what it
 * gives.  Pieces keep their order.  Books close with the square of the step: rigid bodies are in the scene. */
static void test_ball_and_bar(void **unused)
{
  (void)unused;
  static const char *const rule[3] = {"contacts: [{restitution: 0.5}]", "contacts: [{restitution: 0.5}]",
                                      "contacts: [{response: none}]"};
  double closure[3], least[3];
  for (int i = 0; i < 3; i++) {
    char text[TEXT];
    watch w = {0};
    vv_report report;
    bar_scene(text, i == 1 ? 0.2 : 0.4, rule[i]);
    run_record r = run_prepare(text, NULL);
    watch_open(&r, &w);
    assert_int_equal(vv_sim_observe(r.sim, 1, watch_look, &w), VV_OK);
    assert_int_equal(vv_sim_run(r.sim, &report), VV_OK);
    const vv_ledger *l = run_ledger(&r);
    print_message("bar and ball: nearest %.6g m, across %.4g to %.4g m, closure %.3g\n", w.least, w.across, w.parted,
                  l->max_closure);
    closure[i] = l->max_closure, least[i] = w.least;
    check_most(l->max_p_drift, 1e-12);
    check_least(w.lost.least, -1e-12 * l->energy_scale);
    check_least(w.across, 0.5 / 21.0);
    check_least(w.parted, 0.1);
    watch_close(&w), run_free(&r);
  }
  check_least(fmin(least[0], least[1]), 0.03 * (1.0 - 1e-9));
  check_most(least[2], 0.025); /* without contact it goes through */
  check_most(closure[0], 5e-3);
  check_most(closure[1], closure[0] / 2.5);
}

/* What breaks books to round-off: plastic strain acts on the stress that damage leaves. */
static void test_books_of_a_bar(void **unused)
{
  (void)unused;
  static const char *const hardening[3] = {"500", "{kinematic: 400}", "{isotropic: 200, kinematic: 200}"};
  for (int i = 0; i < 6; i++) {
    char text[TEXT];
    losses w = {0};
    snprintf(text, TEXT,
             "visviva: 1\ntime: {end: 0.2, step: {safety: %g}}\nmethod: {step: leapfrog}\nbodies:\n"
             "  bar: {kind: bar, length: 1, elements: 21, section: {area: 0.01},\n"
             "    material: {law: j2, young: 1e4, density: 1, yield: 100, hardening: %s,\n"
             "               failure: {strain: 0.05, energy: %g}}, vibration: [{mode: 1, velocity: -4}]}\n",
             i < 3 ? 0.5 : 0.95, hardening[i % 3], i < 3 ? 0.1 : 0.0);
    run_record r = run_scene(text, &(run_options){.observe = losses_look, .user = &w});
    const vv_ledger *l = run_ledger(&r);
    assert_true(vv_model_broken(r.model, r.state, 0) > 0);
    check_most(l->max_closure, 1e-13);
    check_most(l->max_p_drift, 1e-13);
    check_least(w.least, 0.0);
    check_least(w.damage / l->energy_scale, 1e-3);
    run_free(&r);
  }
}

/* The most energy a run had, in that which its step balances, over what it began with; the least distance of neighbours; the least
 * that a crack which was pressed for a whole step was closed, and the most that all of them have borrowed, over the same.
 * left: the energy now, without what cracks keep; kept: the most of that; shrinks: the most that damage_loss fell from row to row. */
typedef struct rubble {
  double most, nearest, closed, borrowed, left, kept, lost, shrinks;
  double d[RUBBLE]; /* elongations beyond the plastic ones a step before */
} rubble;

static vv_status look_rubble(const vv_view *v, void *user)
{
  rubble *w = user;
  const vv_body *body = &v->model->body[FIRST];
  const vv_block *b = &v->model->block[body->block];
  const bar_inelastic *law = bar_law_of(b, 0);
  const double *u = v->state->q + b->q0, *damage = bar_flow_column(b, 0, (int)law->damage, u),
               *closed = bar_flow_column(b, 0, (int)law->damage + 1, u),
               *owed = bar_flow_column(b, 0, (int)law->damage + 2, u);
  const double *e = law->plastic.yield > 0.0 ? bar_flow_column(b, 0, BAR_Z_PLASTIC, u) : NULL;
  const double all = vv_totals_energy(&v->ledger->initial), lost = vv_sum_value(&v->ledger->posted.damage_loss) / all;
  double borrowed = 0.0, kept = 0.0;
  assert_true(body->n_element <= RUBBLE);
  for (int64_t i = 0; i < body->n_element; i++) {
    const double du = u[i + 1] - u[i], d = e != NULL ? du - e[i] : du;
    w->nearest = fmin(w->nearest, 1.0 / (double)body->n_element + du);
    if (damage[i] >= 1.0 && d < 0.0 && w->d[i] < 0.0) w->closed = fmin(w->closed, closed[i]);
    borrowed += fmax(0.0, -owed[i]), kept += owed[i];
    w->d[i] = d;
  }
  w->borrowed = fmax(w->borrowed, borrowed / all);
  w->left = (vv_totals_energy(&v->ledger->now) - kept) / all, w->most = fmax(w->most, w->left);
  w->kept = fmax(w->kept, kept / all), w->shrinks = fmax(w->shrinks, w->lost - lost), w->lost = lost;
  return VV_OK;
}

/* A bar that breaks at once falls to single elements, which rattle between two walls: cracks give back what they took and no
 * more, however long the step, and take less the shorter it is; and nothing passes through one, however it is struck.  [mat 14a] */
static double rubble_run(double safety, int elements, double velocity, double hardest, const char *law, rubble *w)
{
  char text[TEXT];
  *w = (rubble){.nearest = INFINITY, .closed = 1.0};
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 2, step: {safety: %g}}\nmethod: {step: leapfrog}\nbodies:\n"
           "  bar: {kind: bar, length: 1, elements: %d, section: {area: 0.01}, position: 0.05, velocity: %g,\n"
           "    material: {young: 1e4, density: 1, %s}, vibration: [{mode: 1, velocity: %g}]}\n"
           "  left: {kind: obstacle, shape: {plane: {normal: [1, 0, 0]}}}\n"
           "  right: {kind: obstacle, shape: {plane: {normal: [-1, 0, 0], offset: -1.1}}}\n",
           safety, elements, velocity, law, hardest);
  run_record r = run_scene(text, &(run_options){.observe = look_rubble, .user = w});
  const vv_ledger *l = run_ledger(&r);
  print_message(
      "rubble at %g of the stable step: %d broken, at most %.9f of the energy, %.3f in the end, nearest %.4f m; "
      "closed by %.3f, kept up to %.2g, borrowed %.2g\n",
      safety, (int)vv_model_broken(r.model, r.state, 0), w->most, w->left, w->nearest, w->closed, w->kept, w->borrowed);
  assert_true(vv_model_broken(r.model, r.state, 0) > elements / 2);
  check_most(w->most, 1.0 + 1e-12);
  check_least(w->closed, 1.0);
  check_most(w->shrinks, 1e-15);
  check_most(l->max_shrink, 1e-15 * vv_totals_energy(&l->initial));
  assert_true(w->kept > 0.0); /* what cracks took and gave back is seen */
  check_most(l->max_closure, 1e-12);
  check_most(l->max_p_drift, 1e-13);
  run_free(&r);
  return w->left;
}

static void test_rubble(void **unused)
{
  (void)unused;
  static const double safety[] = {0.95, 0.7, 0.5, 0.125};
  double left = 0.0;
  rubble w;
  for (int i = 0; i < VV_COUNT(safety); i++) {
    left = rubble_run(safety[i], 40, 0.0, -4.0, "failure: {stress: 100}", &w);
    check_least(w.nearest, 0.8 / 40.0); /* all the energy in one whole element: 0.82 */
    rubble_run(safety[i], 40, 0.0, -4.0, "law: j2, yield: 80, hardening: 100, failure: {strain: 1e-3}", &w);
  }
  check_least(left, 0.8);                    /* steps of an eighth: breaking itself takes 0.1 */
  for (int i = 1; i < VV_COUNT(safety); i++) /* at 0.95 plastic work shrinks, and the claim `losses` says so */
    rubble_run(safety[i], 40, 0.0, -4.0, "law: j2, yield: 80, hardening: {kinematic: 100}, failure: {strain: 1e-3}",
               &w);
  rubble_run(0.7, 120, 10.0, 6.0, "failure: {stress: 100}", &w);
  rubble_run(0.99, 120, -20.0, 6.0, "failure: {stress: 100, energy: 0.2}", &w);
}

/* ---- beams ---- */

#define BREAKING                                                                                                      \
  "material: {law: j2, young: 1e7, poisson: 0.3, density: 1000, yield: 2e5, hardening: 3e6, failure: {strain: 0.06, " \
  "energy: 500}}"

static void beam_scene(char *text, const char *section, double end, const char *others, const char *contacts)
{
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: %.17g, step: {safety: 0.4}}\nbodies:\n"
           "  beam: {kind: beam, length: 1, elements: 20, section: {%s}, axis: [1, 0, 0], position: [-0.5, 0, 0],\n"
           "    " BREAKING ",\n"
           "    velocity_profile: [{at: [0, 0.475, 0.5, 1], factor: [-1, -1, 1, 1], direction: [5, 0, 0]}]}\n%s"
           "contacts: [%s]\n",
           end, section, others, contacts);
}

static const char *const beam_section[2] = {"circle: {radius: 0.01}", "square: {side: 0.02}"};

/* A beam is pulled in two; the halves come back from two walls and meet with their new ends: round ones with balls about their
 * last nodes, prisms with the planes there. */
static void test_halves_meet(void **unused)
{
  (void)unused;
  static const double apart[2] = {0.02, 0.0};
  for (int i = 0; i < 4; i++) {
    char text[TEXT];
    watch w = {0};
    vv_report report;
    beam_scene(text, beam_section[i % 2], 0.3,
               "  left: {kind: obstacle, shape: {plane: {normal: [1, 0, 0], offset: -0.8}}}\n"
               "  right: {kind: obstacle, shape: {plane: {normal: [-1, 0, 0], offset: -0.8}}}\n",
               i < 2 ? "{restitution: 0.5}" : "{restitution: 0.5, self: false}");
    run_record r = run_prepare(text, NULL);
    watch_open(&r, &w);
    assert_int_equal(vv_sim_observe(r.sim, 1, watch_look, &w), VV_OK);
    assert_int_equal(vv_sim_run(r.sim, &report), VV_OK);
    const vv_ledger *l = run_ledger(&r);
    print_message("halves: from %.6g to %.4g m apart, closure %.3g\n", w.across, w.parted, l->max_closure);
    assert_int_equal(vv_model_broken(r.model, r.state, 0), 1);
    check_least(w.parted, 0.3);
    if (i < 2)
      check_least(w.across, apart[i] * (1.0 - 1e-6) - 1e-9);
    else
      check_most(w.across, -0.01); /* if told so they pass through each other */
    check_most(l->max_p_drift, 1e-12);
    check_most(l->max_closure, 3e-3);
    watch_close(&w), run_free(&r);
  }
}

/* A ball flies into the gap and onto the new end of a half, in its middle: it is smaller than the section.  Before that, it
 * passes where the broken element was. */
static void test_ball_and_beam(void **unused)
{
  (void)unused;
  for (int i = 0; i < 4; i++) {
    char text[TEXT];
    watch w = {.half = 0.01, .round = i % 2 == 0};
    vv_report report;
    double ball[3];
    beam_scene(
        text, beam_section[i % 2], 0.06,
        "  ball: {kind: rigid, shape: {ball: {radius: 0.004}}, mass: 1e-3, position: [-1.27, -0.487, 0], velocity: "
        "[30, 10, 0]}\n",
        i < 2 ? "{restitution: 0}" : "{response: none}");
    run_record r = run_prepare(text, NULL);
    watch_open(&r, &w);
    assert_int_equal(vv_sim_observe(r.sim, 1, watch_look, &w), VV_OK);
    assert_int_equal(vv_sim_run(r.sim, &report), VV_OK);
    assert_int_equal(vv_model_output(r.model, r.state, FIRST, "position", w.position), VV_OK);
    assert_int_equal(vv_model_output(r.model, r.state, BALL, "position", ball), VV_OK);
    const vv_ledger *l = run_ledger(&r);
    print_message("ball on a half: nearest %.6g m, %d impacts, closure %.3g\n", w.least, (int)l->impacts,
                  l->max_closure);
    if (i < 2)
      check_least(w.least, 0.9 * 0.004); /* the end turns a little when it is hit */
    else
      check_most(w.least, 0.0);
    check_most(l->max_p_drift, 1e-12);
    check_most(l->max_penetration, 1e-9);
    check_most(l->max_closure, 3e-3);
    watch_close(&w), run_free(&r);
  }
}

/* Threads, and a run that is put down and taken up again while pieces meet. */
static void test_bits(void **unused)
{
  (void)unused;
  for (int k = 0; k < 3; k++) {
    uint64_t hash[3];
    for (int i = 0; i < 3; i++) {
      char text[TEXT];
      vv_report report;
      if (k < 2)
        beam_scene(text, beam_section[k], 0.08,
                   "  ball: {kind: rigid, shape: {ball: {radius: 0.02}}, mass: 1e-2, position: [-1.27, -0.5, 0], "
                   "velocity: [30, 10, 0]}\n",
                   "{restitution: 0.5}");
      else
        bar_scene(text, 0.4, "contacts: [{restitution: 0.5}]");
      run_record r = run_prepare(text, &(run_options){.threads = 1 + i});
      assert_int_equal(vv_sim_run(r.sim, &report), VV_OK);
      assert_true(vv_model_broken(r.model, r.state, 0) > 0);
      hash[i] = losses_hash(&r);
      run_free(&r);
    }
    for (int i = 1; i < 3; i++) assert_true(hash[i] == hash[0]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_torn_edge), cmocka_unit_test(test_ball_and_bar), cmocka_unit_test(test_books_of_a_bar),
      cmocka_unit_test(test_rubble),    cmocka_unit_test(test_halves_meet),  cmocka_unit_test(test_ball_and_beam),
      cmocka_unit_test(test_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
