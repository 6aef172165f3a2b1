/* tests/physics/test_feem.c  Beams with the energy-momentum step: the free-beam benchmark of 2015 to nine digits, books that
 * close with every support and load, statics against exact curves, the same bits for any number of threads. */
#include "check.h"
#include "run.h"

#include "body/beam/director.h"
#include "math/math.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096 };

/* ---- the benchmark ---- */

#define PULSE "history: {pulse: {amplitude: 200, duration: 0.1}}"

/* Free beam with three masses; `jump`: factors of the velocity right of the middle, as printed (-2, 6) or continuous. */
static void benchmark(char *text, int elements, double dt, double end, bool printed)
{
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: %.17g, step: %.17g}\nmethod: {step: energy-momentum}\nbodies:\n"
           "  beam: {kind: beam, length: 2, elements: %d, material: {young: 1e7, poisson: 0.35, density: 1000},\n"
           "    section: {square: {side: 0.05}}, masses: [{at: 0, mass: 10}, {at: 1, mass: 10}, {at: 0.5, mass: 1}],\n"
           "    velocity_profile: [{at: [0, 0.5, 0.5, 1], factor: [4, -4, %s], direction: [0.05, 0.1, 0.15]}],\n"
           "    loads: [{at: 0, force: [-1, 1.6, -1.2], " PULSE "}, {at: 0.5, force: [1, -1.6, 1.2], " PULSE "},\n"
           "            {at: 1, force: [-1, 1.6, -1.2], " PULSE "}]}\n",
           end, dt, elements, printed ? "-2, 6" : "-4, 4");
}

typedef struct frame_row {
  double t, x[15];
} frame_row;

/* Largest distance of a coordinate of the five nodes (at 0, 5/22, 1/2, 17/22, 1 of the length) from the reference. */
static double distance(const run_record *r, int elements, const double x[15])
{
  const vv_block *b = &r->model->block[0];
  const int64_t node[] = {0, elements * 5 / 22, elements / 2, elements * 17 / 22, elements};
  double worst = 0.0;
  for (int i = 0; i < 5; i++)
    for (int c = 0; c < 3; c++) worst = fmax(worst, fabs(r->state->q[c * b->column + node[i]] - x[3 * i + c]));
  return worst;
}

static void check_benchmark(int elements, double dt, bool printed, int n, const frame_row *row)
{
  char text[TEXT];
  vv_report report;
  benchmark(text, elements, dt, row[n - 1].t, printed);
  run_record r = run_prepare(text, NULL);
  double p[3] = {0}, energy = 0.0, L[3] = {0};
  for (int i = 0; i < n; i++) {
    assert_int_equal(vv_sim_steps(r.sim, llround(row[i].t / dt) - r.state->step, &report), VV_OK);
    assert_int_equal(report.reason, VV_REASON_DONE);
    check_most(distance(&r, elements, row[i].x), 1e-8);
    const vv_ledger *l = run_ledger(&r);
    check_most(fabs(l->closure), 1e-12);
    check_most(l->max_p_drift, 1e-13);
    check_most(l->max_L_drift, 1e-13);
    if (row[i].t < 0.11)
      energy = vv_totals_energy(&l->now), memcpy(p, l->now.p, sizeof p), memcpy(L, l->now.L, sizeof L);
    if (row[i].t < 0.11 || row[0].t > 0.11) continue;
    check_near(vv_totals_energy(&l->now), energy, 1e-12 * energy);
    for (int c = 0; c < 3; c++) check_near(l->now.p[c], p[c], 1e-12 * vvi_norm3(p));
    for (int c = 0; c < 3; c++) check_near(l->now.L[c], L[c], 1e-12 * vvi_norm3(L));
  }
  run_free(&r);
}

static void test_benchmark_coarse(void **unused)
{
  (void)unused;
  static const frame_row printed[] = {
      {0.1,
       {-0.027598250, 0.107346188, 0.096958413, 0.068736157, -0.086248641, 0.500374713, 0.127415113, -0.206410672,
        1.034443337, 0.063635397, -0.071126058, 1.566145707, -0.018198291, 0.132945661, 1.974044376}},
      {0.5,
       {-0.159026442, 0.476454539, 1.132849939, 0.027479357, 0.213256012, 0.823246211, 0.309827524, 0.033279517,
        1.164721051, 0.097182118, 0.391585045, 1.342622865, -0.118181426, 0.609543867, 1.013210712}},
      {0.9,
       {-0.332172890, 0.734847489, 1.913000746, -0.177680175, 0.784211775, 1.493270379, 0.214716036, 0.775620556,
        1.125757306, -0.103538467, 0.908559471, 0.762325968, -0.056317034, 1.037226255, 0.353545963}}};
  static const frame_row continuous[] = {
      {0.9,
       {-0.227621533, 0.716956573, 1.630138491, -0.052691521, 0.314412774, 1.510910791, 0.142826304, 0.330472426,
        1.006689442, -0.202166352, 1.327545515, 0.430072513, -0.228266233, 0.875747313, 0.394608168}}};
  check_benchmark(22, 1e-4, true, 3, printed);
  check_benchmark(22, 1e-4, false, 1, continuous);
}

/* All 90000 steps. */
static void test_benchmark_fine(void **unused)
{
  (void)unused;
  static const frame_row printed[] = {
      {0.1,
       {-0.027605253, 0.107382707, 0.097400666, 0.069322200, -0.086089836, 0.500544060, 0.126952651, -0.204778431,
        1.035131029, 0.064270840, -0.072009593, 1.566855445, -0.018235619, 0.132976653, 1.973559229}},
      {0.5,
       {-0.159264087, 0.476864090, 1.126446734, 0.031356736, 0.215430869, 0.836852544, 0.310453643, 0.031359725,
        1.166999143, 0.098251806, 0.383114654, 1.344844468, -0.118378171, 0.610556494, 1.019312070}},
      {0.9,
       {-0.344740068, 0.731024950, 1.890974863, -0.153958638, 0.761195951, 1.490407154, 0.238153950, 0.771313890,
        1.127758782, -0.075875586, 0.911471894, 0.768992818, -0.053755236, 1.044670374, 0.376164297}}};
  check_benchmark(66, 1e-5, true, 3, printed);
}

/* ---- any beam ---- */

#define HEAD(gravity, dt) \
  "visviva: 1\ntime: {end: 100, step: " dt "}\nmethod: {step: energy-momentum}\ngravity: " gravity "\n"
#define BEAM                                                                                                    \
  "kind: beam, length: 2, elements: 9, material: {young: 3e4, density: 20}, section: {rectangle: {width: 0.3, " \
  "height: 0.2}}"
#define MOTION                                                                                                   \
  ", axis: [1, 2, -2], position: [0.3, -1, 2], velocity: [0.2, 0.1, -0.3], spin: [0.5, -1, 0.7], spin_profile: " \
  "[{at: [0, 1], factor: [1, -2], direction: [0.7, 0.3, 2]}]"
#define BENT ", shape: {uniform: {strain: [0.02, 0.01, 0.95], curvature: [0.3, 0.5, -0.4]}}"

static const char *const scene[] = {
    /* free, bent, flying */
    HEAD("[0, 0, 0]", "0.004") "bodies: {a: {" BEAM MOTION BENT "}}",
    /* gravity, point masses with and without rotary inertia */
    HEAD("[0, 1, -9.81]", "0.004") "bodies: {a: {" BEAM MOTION BENT
                                   ", masses: [{at: 0, mass: 1, inertia: [0.1, 0.2, 0.25]}, {at: 1, mass: 2}]}}",
    /* a section whose d3 has a mass */
    HEAD("[0, 0, 0]",
         "0.004") "bodies: {a: {kind: beam, length: 2, elements: 9, material: {young: 3e4, density: 20}, "
                  "section: {general: {area: 0.06, bending: [2e-4, 4.5e-4], rotary: [3e-4, 5e-4, 6e-4]}}" MOTION "}}",
    /* clamped, under its weight, pulled and twisted by dead and by following loads */
    HEAD("[0, 0, -9.81]", "0.005") "bodies: {a: {" BEAM BENT ", ends: {first: clamped}, loads: [{at: 1, force: [3, 4, "
                                   "5], moment: [1, -2, 3], history: {ramp: {duration: 0.5}}}, {at: 1, follower: true, "
                                   "force: [1, 2, 0], moment: [0, 1, 2]}]}}",
    /* pinned at both ends, distributed loads of both sorts */
    HEAD("[0, 0, 0]", "0.005") "bodies: {a: {" BEAM ", axis: [1, 0, 0], normal: [0, 1, 0], ends: {first: pinned, last: "
                               "pinned}, distributed: [{force: [0, 5, 3], moment: [1, 0, 0]}, {follower: true, force: "
                               "[2, 0, 1], moment: [0, 0, 0.5], history: {harmonic: {frequency: 7}}}]}}",
    /* slope at one end, clamped at the other, aslant */
    HEAD("[1, -2, -9.81]", "0.005") "bodies: {a: {" BEAM
                                    ", axis: [1, 2, -2], ends: {first: slope, last: clamped}, loads: "
                                    "[{at: 0.3333333333333333, force: [9, 0, 20], moment: [0, 2, 0]}]}}",
    /* a ring under gravity that turns and is pinched */
    HEAD("[0, 0, -9.81]",
         "0.005") "bodies: {a: {" BEAM ", closed: true, shape: {arc: {angle: 6.283185307179586}}, rest: "
                  "shape, position: [1, 2, 3], spin: [1, 2, -3], loads: [{at: 0, force: [20, 0, 10]}]}}",
    /* a spring of a helix, unstressed at first */
    HEAD("[0, 0, -9.81]", "0.005") "bodies: {a: {" BEAM
                                   ", shape: {helix: {radius: 0.4, pitch: 0.3}}, rest: shape, ends: "
                                   "{first: clamped}, masses: [{at: 1, mass: 3, inertia: [0.2, 0.2, 0.1]}]}}",
};

static void test_books_close(void **unused)
{
  (void)unused;
  for (int i = 0; i < VV_COUNT(scene); i++) {
    const run_options options = {.steps = 400};
    run_record r = run_scene(scene[i], &options);
    const vv_ledger *l = run_ledger(&r);
    print_message("scene %d: closure %.2g, momentum %.2g, angular momentum %.2g\n", i, l->max_closure, l->max_p_drift,
                  l->max_L_drift);
    check_most(l->max_closure, 1e-12);
    check_most(l->max_p_drift, 1e-12);
    check_most(l->max_L_drift, 1e-12);
    check_least(run_difference_q(r.state, r.initial), 1e-2); /* something happened */
    const vv_claim *claim;
    const int claims = vv_sim_claims(r.sim, &claim);
    for (int k = 0; k < claims; k++) assert_true(claim[k].kept);
    assert_string_equal(vv_sim_energy_kind(r.sim), "director");
    run_free(&r);
  }
}

static void test_order_in_time(void **unused)
{
  (void)unused;
  enum { LEVELS = 4 };
  run_record r[LEVELS];
  for (int i = 0; i < LEVELS; i++) {
    char text[TEXT];
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 0.2, step: %.17g}\nmethod: {step: energy-momentum}\nbodies: {a: {" BEAM
             ", shape: {bump: {curvature: [0.5, 1, 0.3], strain: [0.01, 0.02, 0.05]}}, spin: [1, 2, 3]}}",
             5e-4 / (1 << i));
    r[i] = run_scene(text, NULL);
  }
  const double coarse = run_difference_q(r[0].state, r[1].state), middle = run_difference_q(r[1].state, r[2].state);
  const double fine = run_difference_q(r[2].state, r[3].state);
  print_message("orders %.4f %.4f\n", log2(coarse / middle), log2(middle / fine));
  check_near(log2(coarse / middle), 2.0, 0.1);
  check_near(log2(middle / fine), 2.0, 0.05);
  for (int i = 0; i < LEVELS; i++) run_free(&r[i]);
}

/* Frames stay frames. */
static void test_frames_stay_orthonormal(void **unused)
{
  (void)unused;
  const run_options options = {.steps = 2000};
  run_record r = run_scene(scene[0], &options);
  const vv_block *b = &r.model->block[0];
  double worst = 0.0;
  for (int64_t i = 0; i < b->nodes; i++)
    for (int a = 0; a < 3; a++)
      for (int d = 0; d <= a; d++) {
        double dot = a == d ? -1.0 : 0.0;
        for (int c = 0; c < 3; c++)
          dot += r.state->q[(3 + 3 * c + a) * b->column + i] * r.state->q[(3 + 3 * c + d) * b->column + i];
        worst = fmax(worst, fabs(dot));
      }
  check_most(worst, 1e-13);
  run_free(&r);
}

static void test_held_ends_stay(void **unused)
{
  (void)unused;
  const run_options options = {.steps = 200};
  run_record r = run_scene(scene[5], &options);
  const vv_block *b = &r.model->block[0];
  double D[3], axis[3] = {1.0 / 3.0, 2.0 / 3.0, -2.0 / 3.0}, across[3];
  for (int c = 0; c < 12; c++)
    for (int e = 0; e < 2; e++) {
      const int64_t at = c * b->column + (e == 0 ? 0 : b->nodes - 1);
      assert_true(r.state->q[at] == r.initial->q[at]);
    }
  for (int c = 0; c < 3; c++) D[c] = r.state->q[c * b->column + 1] - r.state->q[c * b->column];
  vvi_cross3(D, axis, across);
  check_most(vvi_norm3(across), 1e-14);
  check_least(fabs(vvi_dot3(D, axis) - 2.0 / 9.0), 1e-8); /* along the line it does move */
  run_free(&r);
}

/* ---- forces are the gradient of the audited energy ---- */

static double noise(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

/* Moves node i by s u and turns it by cay(s theta). */
static void move_node(const vv_block *b, double *q, int64_t i, double s, const double z[6])
{
  const double t[3] = {s * z[3], s * z[4], s * z[5]}, scale = 1.0 / (1.0 + 0.25 * vvi_dot3(t, t));
  for (int c = 0; c < 3; c++) q[c * b->column + i] += s * z[c];
  for (int a = 0; a < 3; a++) {
    double d[3], mean[3], turn[3];
    for (int c = 0; c < 3; c++) d[c] = q[(3 + 3 * c + a) * b->column + i];
    vvi_cross3(t, d, turn);
    for (int c = 0; c < 3; c++) mean[c] = scale * (d[c] + 0.5 * turn[c] + 0.25 * t[c] * vvi_dot3(t, d));
    vvi_cross3(t, mean, turn);
    for (int c = 0; c < 3; c++) q[(3 + 3 * c + a) * b->column + i] = d[c] + turn[c];
  }
}

static double strain_energy(const vv_block *b, const double *q, const double *v)
{
  vv_totals sum = {0};
  b->kind->implicit->audit(b, q, v, &sum);
  return sum.strain;
}

/* A short step from rest: the momentum it gives is the force times its length. */
static void check_gradient(const char *text, uint64_t seed)
{
  run_record r = run_prepare(text, NULL);
  const vv_block *b = &r.model->block[0];
  const vv_implicit_table *table = b->kind->implicit;
  const int64_t n = b->nodes;
  double *work = malloc(sizeof(double) * (size_t)table->work(b)), *move = malloc(sizeof(double) * 6 * (size_t)n);
  const double s = 1e-4, h = 1e-7;
  vv_posted post = {0};
  vv_state *other;
  memset(r.state->memory, 0, sizeof(double) * (size_t)r.state->nh);
  for (int64_t i = 0; i < 6 * n; i++) move[i] = noise(&seed);
  for (int64_t i = 0; i < n; i++) move_node(b, r.state->q, i, 0.02, move + 6 * i); /* out of the ordinary */
  for (int64_t i = 0; i < 6 * n; i++) move[i] = noise(&seed);
  double slope = 0.0;
  static const double weight[] = {8.0 / 12.0, -1.0 / 12.0};
  for (int k = 0; k < 4; k++) {
    const double side = k % 2 == 0 ? 1.0 : -1.0, far = k < 2 ? 1.0 : 2.0;
    assert_int_equal(vv_state_clone(r.state, &other), VV_OK);
    for (int64_t i = 0; i < n; i++) move_node(b, other->q, i, side * far * s, move + 6 * i);
    slope += side * weight[k / 2] * strain_energy(b, other->q, other->memory) / s;
    vv_state_destroy(other);
  }
  assert_true(table->step(b, 0.0, h, r.state->q, r.state->p, r.state->memory, work, &post) > 0);
  double force = 0.0, size = 0.0;
  for (int64_t i = 0; i < n; i++)
    for (int c = 0; c < 6; c++) {
      const double part = r.state->p[c * b->column + i] / h * move[6 * i + c];
      force += part, size += fabs(part);
    }
  check_near(force, -slope, 1e-8 * size);
  free(work), free(move);
  run_free(&r);
}

static void test_force_is_gradient(void **unused)
{
  (void)unused;
  for (uint64_t seed = 1; seed < 6; seed++) {
    check_gradient(HEAD("[0, 0, 0]", "0.01") "bodies: {a: {" BEAM BENT "}}", seed);
    check_gradient(HEAD("[0, 0, 0]", "0.01") "bodies: {a: {" BEAM BENT ", rest: shape}}", seed);
    check_gradient(HEAD("[0, 0, 0]", "0.01") "bodies: {a: {" BEAM ", closed: true, shape: {arc: {angle: "
                                             "6.283185307179586}}}}",
                   seed);
  }
}

/* ---- the tangent is the derivative of the residual ---- */

/* A body in the middle of a step, far from its solution: all that a residual reads, with masses of no particular beam. */
static director_body *strange_step(const run_record *r, uint64_t *seed)
{
  const vv_block *b = &r->model->block[0];
  const size_t n = (size_t)b->nodes, blocks = sizeof(double) * VVI_BLOCK_REALS * n;
  director_body *w = calloc(1, sizeof *w);
  assert_non_null(w);
  *w = (director_body){.b = b, .k = beam_of(b, 0), .n = b->nodes, .elements = b->body[0]->n_element, .massive = 3};
  w->h = 0.1, w->f = 2.0 / (w->h * w->h), w->half = 0.7, w->follower = b->body[0]->n_load > 0;
  w->t = (vvi_blocktri){.n = w->n, .ring = w->k->closed != 0.0};
  w->t.lower = malloc(blocks), w->t.diagonal = malloc(blocks), w->t.upper = malloc(blocks);
  w->node = calloc(n, sizeof *w->node), w->r = calloc(n * ROW, sizeof(double));
  w->strain = calloc(6 * n, sizeof(double)), w->stress = calloc(6 * n, sizeof(double));
  for (int c = 0; c < 4; c++) w->mass[c] = 0.1 * (2.0 + noise(seed));
  for (int64_t i = 0; i < w->n; i++) {
    director_node *a = &w->node[i];
    get_node(b, r->state->q, i, a->x0, a->d0);
    for (int c = 0; c < 4; c++) a->mass[c] = 0.3 * (2.0 + noise(seed));
    for (int c = 0; c < VELOCITIES; c++) a->hv[c] = 0.3 * noise(seed);
    for (int c = 0; c < 6; c++) a->load[c] = noise(seed);
    for (int c = 0; c < 3; c++) a->u[c] = 0.05 * noise(seed), a->theta[c] = noise(seed);
  }
  for (int64_t e = 0; e < w->elements; e++) {
    const director_node *a = &w->node[e], *c = &w->node[(e + 1) % w->n];
    beam_director_strain(w->k, a->x0, a->d0, c->x0, c->d0, w->strain + 6 * e);
  }
  return w;
}

static void free_step(director_body *w)
{
  free(w->t.lower), free(w->t.diagonal), free(w->t.upper);
  free(w->node), free(w->r), free(w->strain), free(w->stress), free(w);
}

/* The residual when every node is moved by s u and turned by s omega at the end of the step: theta changes by the inverse
 * of the differential of the Cayley map [beam 38]. */
static void moved_residual(director_body *w, double s, const double *z, double *out)
{
  double before[3], side[3];
  for (int64_t i = 0; i < w->n; i++) {
    director_node *a = &w->node[i];
    const double *omega = z + ROW * i + 3, along = 0.25 * vvi_dot3(a->theta, omega);
    memcpy(before, a->theta, sizeof before);
    vvi_cross3(before, omega, side);
    for (int c = 0; c < 3; c++) a->u[c] += s * z[ROW * i + c];
    for (int c = 0; c < 3; c++) a->theta[c] += s * (omega[c] - 0.5 * side[c] + along * before[c]);
  }
  beam_director_residual(w);
  memcpy(out, w->r, sizeof(double) * ROW * (size_t)w->n);
}

/* Fourth-order differences along z. */
static void residual_slope(director_body *w, const double *z, double *slope)
{
  static const double far[] = {1, -1, 2, -2}, part[] = {8, -8, -1, 1}, s = 1e-3;
  const size_t n = (size_t)w->n;
  director_node *keep = malloc(n * sizeof *keep);
  double *r = malloc(sizeof(double) * ROW * n);
  memcpy(keep, w->node, n * sizeof *keep);
  memset(slope, 0, sizeof(double) * ROW * n);
  for (int k = 0; k < 4; k++) {
    moved_residual(w, far[k] * s, z, r);
    for (size_t i = 0; i < ROW * n; i++) slope[i] += part[k] / (12.0 * s) * r[i];
    memcpy(w->node, keep, n * sizeof *keep);
  }
  free(keep), free(r);
}

/* y += block z; magnitude: the same without signs */
static void add_product(const double *block, const double *z, double *y, double *magnitude)
{
  for (int j = 0; j < 6; j++)
    for (int i = 0; i < 6; i++) y[i] += block[ROW * j + i] * z[j], magnitude[i] += fabs(block[ROW * j + i] * z[j]);
}

static void check_tangent(const char *text, uint64_t seed)
{
  run_record r = run_prepare(text, NULL);
  director_body *w = strange_step(&r, &seed);
  const int64_t n = w->n;
  double *z = calloc(ROW * (size_t)n, sizeof(double)), *slope = calloc(ROW * (size_t)n, sizeof(double));
  for (int64_t i = 0; i < n * ROW; i++) z[i] = i % ROW < 6 ? noise(&seed) : 0.0;
  beam_director_residual(w);
  beam_director_tangent(w);
  residual_slope(w, z, slope);
  for (int64_t i = 0; i < n; i++) {
    double y[6] = {0}, size[6] = {0};
    add_product(w->t.diagonal + VVI_BLOCK_REALS * i, z + ROW * i, y, size);
    if (i > 0 || w->t.ring) add_product(w->t.lower + VVI_BLOCK_REALS * i, z + ROW * ((i + n - 1) % n), y, size);
    if (i + 1 < n || w->t.ring) add_product(w->t.upper + VVI_BLOCK_REALS * i, z + ROW * ((i + 1) % n), y, size);
    for (int c = 0; c < 6; c++) check_near(y[c], slope[ROW * i + c], 1e-9 * size[c]);
  }
  free(z), free(slope);
  free_step(w);
  run_free(&r);
}

#define FOLLOWERS                                                                                                  \
  ", loads: [{at: 1, follower: true, force: [30, 20, 10], moment: [10, 20, 30]}], distributed: [{follower: true, " \
  "force: [20, 0, 10], moment: [0, 5, 5]}]"

static void test_tangent_is_derivative(void **unused)
{
  (void)unused;
  for (uint64_t seed = 1; seed < 6; seed++) {
    check_tangent(HEAD("[0, 0, 0]", "0.01") "bodies: {a: {" BEAM BENT "}}", seed);
    check_tangent(HEAD("[0, 0, 0]", "0.01") "bodies: {a: {" BEAM BENT FOLLOWERS "}}", seed);
    check_tangent(HEAD("[0, 0, 0]", "0.01") "bodies: {a: {" BEAM BENT ", rest: shape}}", seed);
    check_tangent(HEAD("[0, 0, 0]", "0.01") "bodies: {a: {" BEAM ", closed: true, shape: {arc: {angle: "
                                            "6.283185307179586}}}}",
                  seed);
  }
}

/* ---- there and back, restart, threads, trouble ---- */

static void test_there_and_back(void **unused)
{
  (void)unused;
  for (int i = 0; i < 4; i++) {
    vv_report report;
    run_record r = run_prepare(scene[i], NULL);
    assert_int_equal(vv_sim_steps(r.sim, 100, &report), VV_OK);
    vv_sim *back;
    vv_sim_def def = vv_sim_default();
    def.step = -r.model->step;
    assert_int_equal(vv_sim_create(r.model, r.state, &def, &back), VV_OK);
    assert_int_equal(vv_sim_steps(back, 100, &report), VV_OK);
    check_most(run_difference_q(r.state, r.initial), 1e-9);
    if (i < 3) check_most(run_difference_p(r.state, r.initial), 1e-9); /* the others start at rest */
    vv_sim_destroy(back);
    run_free(&r);
  }
}

/* What a step needs is in the state and nowhere else. */
static void test_restart(void **unused)
{
  (void)unused;
  vv_report report;
  vv_state *copy;
  vv_sim *again;
  const vv_sim_def def = vv_sim_default();
  run_record r = run_prepare(scene[1], NULL);
  assert_int_equal(vv_sim_steps(r.sim, 50, &report), VV_OK);
  assert_int_equal(vv_state_clone(r.state, &copy), VV_OK);
  assert_int_equal(vv_sim_steps(r.sim, 50, &report), VV_OK);
  assert_int_equal(vv_sim_create(r.model, copy, &def, &again), VV_OK);
  assert_int_equal(vv_sim_steps(again, 20, &report), VV_OK);
  assert_int_equal(vv_sim_steps(again, 30, &report), VV_OK);
  assert_true(vv_state_hash(copy) == vv_state_hash(r.state));
  vv_sim_destroy(again);
  vv_state_destroy(copy);
  run_free(&r);
}

static void test_same_bits_for_any_threads(void **unused)
{
  (void)unused;
  static const char text[] =
      HEAD("[0, 0, -9.81]", "0.005") "contacts: [{response: none}]\nbodies:\n  a: {" BEAM MOTION BENT
                                     "}\n  b: {" BEAM BENT ", ends: {first: clamped}}\n  c: {" BEAM
                                     ", closed: true, shape: {arc: {angle: 6.283185307179586}}}\n  d: {" BEAM
                                     ", ends: {last: pinned}, distributed: [{force: [1, 2, 3]}]}\n  e: {kind: beam, "
                                     "length: 1, elements: 30, material: "
                                     "{young: 1e5, density: 10}, section: {circle: {radius: 0.05}}, spin: [1, 2, 3]}\n";
  uint64_t hash = 0;
  vv_posted posted = {0};
  for (int threads = 1; threads <= 4; threads++) {
    const run_options options = {.threads = threads, .steps = 60};
    run_record r = run_scene(text, &options);
    if (threads == 1) hash = vv_state_hash(r.state), posted = run_ledger(&r)->posted;
    assert_true(vv_state_hash(r.state) == hash);
    assert_memory_equal(&run_ledger(&r)->posted, &posted, sizeof posted);
    run_free(&r);
  }
}

/* A step that asks too much ends the run with a reason, and leaves the state of the last good step. */
static void test_not_converged_is_said(void **unused)
{
  (void)unused;
  static const char text[] =
      HEAD("[0, 0, 0]", "50") "bodies: {a: {" BEAM BENT ", spin: [3, 4, 5], velocity: [0, 0, 1]}}";
  vv_report report = {0};
  run_record r = run_prepare(text, NULL);
  uint64_t hash = 0;
  for (int k = 0; k < 50 && report.reason == VV_REASON_DONE; k++) {
    hash = vv_state_hash(r.state);
    assert_int_equal(vv_sim_steps(r.sim, 1, &report), VV_OK);
  }
  print_message("%s\n", report.message);
  assert_int_equal(report.reason, VV_REASON_NOT_CONVERGED);
  assert_non_null(strstr(report.message, "time.step"));
  assert_true(vv_state_hash(r.state) == hash);
  run_free(&r);
}

static void test_refusals(void **unused)
{
  (void)unused;
  char message[1024];
  static const char bar[] =
      "bar: {kind: bar, length: 1, elements: 4, material: {young: 1, density: 1, law: j2, yield: 1}, section: "
      "{area: 1}}";
  char text[TEXT];
  snprintf(text, sizeof text, HEAD("[0, 0, 0]", "0.01") "bodies:\n  %s\n", bar);
  assert_int_not_equal(run_refused(text, message, sizeof message), VV_OK);
  assert_non_null(strstr(message, "energy-momentum"));
  assert_int_not_equal(run_refused("visviva: 1\ntime: {end: 1, step: 0.01}\nmethod: {step: energy-momentum, order: 4}\n"
                                   "bodies: {a: {" BEAM "}}",
                                   message, sizeof message),
                       VV_OK);
  assert_non_null(strstr(message, "order"));
}

/* ---- statics: steps from rest, of lengths that calm one range of frequencies after the other ---- */

/* One step from rest with q far from equilibrium by a mode of frequency w leaves (4 - (h w)^2)/(4 + (h w)^2) of it, so a
 * sequence of lengths from the shortest period to the longest leaves nothing.  Loads are ramps in time from 0 to 1: time is
 * the part of the load. */
static void relax(run_record *r, double load, double shortest, double longest, int sweeps)
{
  enum { LENGTHS = 24 };
  const vv_block *b = &r->model->block[0];
  const vv_implicit_table *table = b->kind->implicit;
  double *work = malloc(sizeof(double) * (size_t)table->work(b));
  vv_posted post = {0};
  int failed = 0;
  for (int k = 0; k < sweeps * LENGTHS; k++) {
    const double h = shortest * pow(longest / shortest, (double)(k % LENGTHS) / (LENGTHS - 1));
    memset(r->state->memory, 0, sizeof(double) * (size_t)r->state->nh);
    failed += table->step(b, load - 0.5 * h, h, r->state->q, r->state->p, r->state->memory, work, &post) < 0;
  }
  if (failed > 0) print_message("load %g: %d of %d steps refused\n", load, failed, sweeps * LENGTHS);
  free(work);
}

typedef struct tip {
  double x, z, angle;
} tip;

static tip tip_of(const run_record *r)
{
  const vv_block *b = &r->model->block[0];
  const double *q = r->state->q;
  const int64_t i = b->nodes - 1;
  return (tip){q[i], q[2 * b->column + i], atan2(q[5 * b->column + i], q[11 * b->column + i])};
}

enum { CURVE_STEPS = 4000 };

/* Cantilever along z under a dead force P along x at its tip, by Runge and Kutta from the clamp with the moment m there:
 *   EI angle' = m,   m' = -P z',   r' = (P cos/GA) d1 + (1 + P sin/EA) d3. */
static double shoot(double P, double EI, double GA, double EA, double m0, tip *end)
{
  double y[4] = {0, 0, 0, m0}; /* x, z, angle, m */
  const double ds = 1.0 / CURVE_STEPS;
  for (int k = 0; k < CURVE_STEPS; k++) {
    double slope[4][4], at[4], sum[4] = {0};
    static const double part[] = {0.0, 0.5, 0.5, 1.0}, weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    for (int s = 0; s < 4; s++) {
      for (int c = 0; c < 4; c++) at[c] = y[c] + (s > 0 ? part[s] * ds * slope[s - 1][c] : 0.0);
      const double si = sin(at[2]), co = cos(at[2]), G1 = P * co / GA, G3 = 1.0 + P * si / EA;
      slope[s][0] = G1 * co + G3 * si, slope[s][1] = -G1 * si + G3 * co;
      slope[s][2] = at[3] / EI, slope[s][3] = -P * slope[s][1];
      for (int c = 0; c < 4; c++) sum[c] += weight[s] * slope[s][c];
    }
    for (int c = 0; c < 4; c++) y[c] += ds * sum[c];
  }
  *end = (tip){y[0], y[1], y[2]};
  return y[3];
}

/* guess: of the height of the tip */
static tip elastica(double P, double EI, double GA, double EA, double guess)
{
  tip end = {0};
  double a = P * guess, b = 1.001 * a, fa = shoot(P, EI, GA, EA, a, &end), fb = shoot(P, EI, GA, EA, b, &end);
  for (int k = 0; k < 60 && fabs(b - a) > 1e-15 * P; k++) {
    const double c = b - fb * (b - a) / (fb - fa);
    a = b, fa = fb, b = c, fb = shoot(P, EI, GA, EA, b, &end);
    if (fb == fa) break;
  }
  return end;
}

/* P L^2/EI = 1 .. 10 on a beam with some shear: the error falls with the square of the element. */
static void test_elastica(void **unused)
{
  (void)unused;
  const double young = 1.2e6, side = 0.05, poisson = 0.3, area = side * side, EI = young * area * area / 12.0;
  const double GA = young / (2.0 * (1.0 + poisson)) * area, EA = young * area;
  static const double part[] = {1.0, 2.0, 5.0, 10.0};
  tip got[2][4];
  for (int level = 0; level < 2; level++) {
    char text[TEXT];
    snprintf(
        text, sizeof text,
        HEAD("[0, 0, 0]", "1") "bodies: {a: {kind: beam, length: 1, elements: %d, material: {young: %g, poisson: %g, "
                               "density: 1000}, section: {square: {side: %g}}, ends: {first: clamped}, loads: [{at: "
                               "1, force: [%.17g, 0, 0], history: {ramp: {duration: 10}}}]}}",
        32 << level, young, poisson, side, 10.0 * EI);
    run_record r = run_prepare(text, NULL);
    for (int i = 0; i < 4; i++) relax(&r, part[i], 5e-4, 3.0, 6), got[level][i] = tip_of(&r);
    run_free(&r);
  }
  for (int i = 0; i < 4; i++) {
    const tip exact = elastica(part[i] * EI, EI, GA, EA, got[1][i].z), *a = &got[0][i], *b = &got[1][i];
    print_message("P L^2/EI = %g: tip %.8f %.8f angle %.8f, off by %.1e %.1e %.1e with 64 elements\n", part[i], b->x,
                  b->z, b->angle, b->x - exact.x, b->z - exact.z, b->angle - exact.angle);
    check_near(b->x, exact.x, 1e-3);
    check_near(b->z, exact.z, 1e-3);
    check_near(b->angle, exact.angle, 1e-3);
    /* extrapolated to elements of no length */
    check_near((4.0 * b->x - a->x) / 3.0, exact.x, 1e-5);
    check_near((4.0 * b->z - a->z) / 3.0, exact.z, 1e-5);
    check_near((4.0 * b->angle - a->angle) / 3.0, exact.angle, 1e-5);
  }
}

/* An end moment 2 pi EI/L bends the beam to a circle.  The discrete beam knows its own: every element turns by the angle a
 * with curvature sin(a)/l, so that sin(2 a) = 2 M l/EI, and is l/cos(a/2) long, because the mean of two directors is shorter
 * than one. */
static void test_roll_up(void **unused)
{
  (void)unused;
  const double young = 1.2e6, side = 0.05, EI = young * side * side * side * side / 12.0, M = 2.0 * VV_PI * EI;
  double miss[2];
  for (int level = 0; level < 2; level++) {
    char text[TEXT];
    const int n = 32 << level;
    snprintf(
        text, sizeof text,
        HEAD("[0, 0, 0]", "1") "bodies: {a: {kind: beam, length: 1, elements: %d, material: {young: %g, density: "
                               "1000}, section: {square: {side: %g}}, ends: {first: clamped}, loads: [{at: 1, moment: "
                               "[0, %.17g, 0], history: {ramp: {duration: 8}}}]}}",
        n, young, side, M);
    run_record r = run_prepare(text, NULL);
    for (int part = 1; part <= 32; part++) relax(&r, 0.25 * part, 5e-4, 3.0, part < 32 ? 2 : 20);
    const double a = 0.5 * asin(2.0 * M / EI / n), l = 1.0 / n / cos(0.5 * a);
    double x = 0.0, z = 0.0;
    for (int i = 0; i < n; i++) x += l * sin((i + 0.5) * a), z += l * cos((i + 0.5) * a);
    const tip got = tip_of(&r);
    check_near(got.x, x, 1e-9);
    check_near(got.z, z, 1e-9);
    check_near(sin(got.angle - n * a), 0.0, 1e-9);
    miss[level] = sqrt(got.x * got.x + got.z * got.z); /* of the clamp */
    vv_totals sum = {0};
    r.model->block[0].kind->implicit->audit(&r.model->block[0], r.state->q, r.state->memory, &sum);
    check_near(sum.strain, 0.5 * EI * n * n * sin(a) * sin(a), 1e-9 * sum.strain);
    run_free(&r);
  }
  check_near(log2(miss[0] / miss[1]), 2.0, 0.1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_benchmark_coarse),
      cmocka_unit_test(test_benchmark_fine),
      cmocka_unit_test(test_order_in_time),
      cmocka_unit_test(test_books_close),
      cmocka_unit_test(test_frames_stay_orthonormal),
      cmocka_unit_test(test_held_ends_stay),
      cmocka_unit_test(test_force_is_gradient),
      cmocka_unit_test(test_tangent_is_derivative),
      cmocka_unit_test(test_there_and_back),
      cmocka_unit_test(test_restart),
      cmocka_unit_test(test_same_bits_for_any_threads),
      cmocka_unit_test(test_not_converged_is_said),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_elastica),
      cmocka_unit_test(test_roll_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
