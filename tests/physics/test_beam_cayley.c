/* tests/physics/test_beam_cayley.c  The Cayley map of SE(3) in space and time: strain cayley, drift cayley.
 *
 * The strain is the gradient of its energy, blind to rigid motions and of order 2; eight nodes at once fly as one does; and
 * kick, drift, kick are the discrete Euler-Lagrange equations of the multisymplectic papers, checked on places alone. */
#include "check.h"
#include "run.h"

#include "body/beam/retraction.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096 };

static double draw(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return 2.0 * (double)(*seed >> 11) / 9007199254740992.0 - 1.0;
}

static double *copy(int64_t n, const double *x)
{
  double *y = malloc((size_t)n * sizeof *y);
  if (y == NULL) fail_msg("no memory");
  memcpy(y, x, (size_t)n * sizeof *y);
  return y;
}

static const vv_block *beam(const run_record *r)
{
  return &r->model->block[0];
}

static double place(const run_record *r, int64_t node, int c)
{
  return r->state->q[c * beam(r)->column + node];
}

/* ---- the strain ---- */

typedef struct strain_case {
  const char *section, *shape;
} strain_case;
static const strain_case strains[] = {
    {"square: {side: 0.3}", "shape: {arc: {angle: 2}}"},
    {"rectangle: {width: 0.3, height: 0.2}", "shape: {bump: {curvature: [1, 2, 3], strain: [0.2, 0.1, -0.3]}}"},
    {"rectangle: {width: 0.2, height: 0.3}", "rest: shape, shape: {helix: {radius: 0.3, pitch: 0.4}}"},
    {"circle: {radius: 0.2}",
     "rest: shape, shape: {uniform: {curvature: [1, -2, 2], strain: [0.1, -0.2, 1.3]}}, masses: [{at: 0.4, mass: 1, "
     "inertia: [0.1, 0.2, 0.25]}]"},
    {"rectangle: {width: 0.3, height: 0.2}", "closed: true, rest: shape, shape: {arc: {angle: 6.283185307179586}}"},
};

static run_record prepare(const strain_case *s, const char *drift)
{
  char text[TEXT];
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 1}\nmethod: {step: leapfrog}\nbodies:\n"
           "  beam: {kind: beam, length: 2, elements: 10, material: {young: 3, poisson: 0.35, density: 1},\n"
           "    section: {%s}, strain: cayley, drift: %s, %s}\n",
           s->section, drift, s->shape);
  return run_prepare(text, NULL);
}

/* Momenta that move and turn every node at a speed of about `speed`. */
static double *random_momenta(const vv_block *b, uint64_t *seed, double speed)
{
  double *p = calloc((size_t)(BEAM_NODE_P * b->column), sizeof *p);
  if (p == NULL) fail_msg("no memory");
  for (int64_t i = 0; i < b->nodes; i++) {
    double J[3];
    beam_inertia(b, beam_of(b, 0), i, J);
    for (int c = 0; c < 3; c++) {
      p[(BEAM_P + c) * b->column + i] = speed * beam_node(b, BEAM_MASS)[i] * draw(seed);
      p[(BEAM_S + c) * b->column + i] = speed * J[c] * draw(seed);
    }
  }
  return p;
}

/* The state of the scene, scattered. */
static double *random_place(const run_record *r, uint64_t *seed)
{
  const vv_block *b = beam(r);
  double *q = copy(BEAM_Q * b->column, r->state->q), *p = random_momenta(b, seed, 0.3);
  b->kind->drift(b, 0.3, q, p);
  free(p);
  return q;
}

static double strain_energy(const vv_block *b, const double *q, const double *p)
{
  vv_totals sum = {0};
  b->kind->audit(b, q, p, &sum);
  return sum.strain;
}

/* dV along a drift with momenta u, by differences of fourth order */
static double slope(const vv_block *b, const double *q, const double *u, double h)
{
  static const double at[] = {1.0, -1.0, 0.5, -0.5};
  double v[4];
  for (int k = 0; k < 4; k++) {
    double *q1 = copy(BEAM_Q * b->column, q), *p1 = copy(BEAM_NODE_P * b->column, u);
    b->kind->drift(b, at[k] * h, q1, p1);
    v[k] = strain_energy(b, q1, p1);
    free(q1), free(p1);
  }
  return (8.0 * (v[2] - v[3]) - (v[0] - v[1])) / (6.0 * h);
}

/* f.M^-1 u: the power of the forces f at the momenta u */
static double power(const vv_block *b, const double *q, const double *f, const double *u)
{
  double sum = 0.0;
  for (int64_t i = 0; i < b->nodes; i++) {
    double x[3], frame[9], J[3], t[3], s[3], body[2][3];
    beam_get(b, q, i, x, frame);
    beam_inertia(b, beam_of(b, 0), i, J);
    for (int c = 0; c < 3; c++) {
      t[c] = f[(BEAM_S + c) * b->column + i], s[c] = u[(BEAM_S + c) * b->column + i];
      sum += f[c * b->column + i] * u[c * b->column + i] / beam_node(b, BEAM_MASS)[i];
    }
    vvi_tapply33(frame, t, body[0]);
    vvi_tapply33(frame, s, body[1]);
    for (int c = 0; c < 3; c++) sum += body[0][c] * body[1][c] / J[c];
  }
  return sum;
}

static void test_gradient(void **unused)
{
  (void)unused;
  uint64_t seed = 31;
  for (int k = 0; k < VV_COUNT(strains); k++) {
    run_record r = prepare(&strains[k], k % 2 == 0 ? "lgvi" : "cayley");
    const vv_block *b = beam(&r);
    double *q = random_place(&r, &seed), *f = calloc((size_t)(BEAM_NODE_P * b->column), sizeof *f);
    b->kind->kick(b, 0.0, 1.0, q, f);
    for (int n = 0; n < 20; n++) {
      double *u = random_momenta(b, &seed, 1.0);
      const double size = sqrt(power(b, q, f, f) * power(b, q, u, u));
      check_least(size, 1e-3);
      check_near(slope(b, q, u, 1e-3), -power(b, q, f, u), 3e-10 * size);
      free(u);
    }
    free(q), free(f);
    run_free(&r);
  }
}

/* No resultant and no moment. */
static void test_balance(void **unused)
{
  (void)unused;
  uint64_t seed = 32;
  for (int k = 0; k < VV_COUNT(strains); k++) {
    run_record r = prepare(&strains[k], "cayley");
    const vv_block *b = beam(&r);
    double *q = random_place(&r, &seed), *f = calloc((size_t)(BEAM_NODE_P * b->column), sizeof *f);
    vv_totals sum = {0};
    b->kind->kick(b, 0.0, 1.0, q, f);
    b->kind->audit(b, q, f, &sum);
    for (int c = 0; c < 3; c++) {
      check_most(fabs(sum.p[c]), 1e-15 * sum.p_abs);
      check_most(fabs(sum.L[c]), 1e-14 * (sum.L_abs + sum.p_abs));
    }
    free(q), free(f);
    run_free(&r);
  }
}

static void turn_all(const vv_block *b, const double R[9], const double shift[3], const double *from, double *to)
{
  for (int64_t i = 0; i < b->nodes; i++) {
    double x[3], frame[9], y[3], turned[9];
    beam_get(b, from, i, x, frame);
    vvi_apply33(R, x, y);
    vvi_mul33(R, frame, turned);
    for (int c = 0; c < 3; c++) y[c] += shift[c];
    beam_put(b, to, i, y, turned);
  }
}

/* Turned and moved, the beam has the same energy and turned forces. */
static void test_rigid_motion(void **unused)
{
  (void)unused;
  static const double R[9] = {2. / 3, -1. / 3, 2. / 3, 2. / 3, 2. / 3, -1. / 3, -1. / 3, 2. / 3, 2. / 3};
  static const double shift[3] = {1, -2, 0.5};
  uint64_t seed = 33;
  for (int k = 0; k < VV_COUNT(strains); k++) {
    run_record r = prepare(&strains[k], "cayley");
    const vv_block *b = beam(&r);
    const int64_t n = BEAM_NODE_P * b->column;
    double *q = random_place(&r, &seed), *q1 = copy(BEAM_Q * b->column, q), most = 0.0, worst = 0.0;
    double *f = calloc((size_t)n, sizeof *f), *f1 = calloc((size_t)n, sizeof *f1);
    turn_all(b, R, shift, q, q1);
    check_near(strain_energy(b, q1, f), strain_energy(b, q, f), 1e-14 * strain_energy(b, q, f));
    b->kind->kick(b, 0.0, 1.0, q, f);
    b->kind->kick(b, 0.0, 1.0, q1, f1);
    for (int64_t i = 0; i < b->nodes; i++)
      for (int part = 0; part < 6; part += 3) {
        double force[3], turned[3];
        for (int c = 0; c < 3; c++) force[c] = f[(part + c) * b->column + i];
        vvi_apply33(R, force, turned);
        for (int c = 0; c < 3; c++) {
          most = fmax(most, fabs(force[c]));
          worst = fmax(worst, fabs(turned[c] - f1[(part + c) * b->column + i]));
        }
      }
    check_most(worst, 2e-14 * most);
    free(q), free(q1), free(f), free(f1);
    run_free(&r);
  }
}

/* rest: shape has no energy and no force, though curved, twisted, sheared and stretched. */
static void test_rest_shape(void **unused)
{
  (void)unused;
  for (int k = 2; k < VV_COUNT(strains); k++) {
    run_record r = prepare(&strains[k], "cayley");
    const vv_block *b = beam(&r);
    double *f = calloc((size_t)(BEAM_NODE_P * b->column), sizeof *f);
    check_most(strain_energy(b, r.state->q, f), 1e-28);
    b->kind->kick(b, 0.0, 1.0, r.state->q, f);
    for (int64_t i = 0; i < BEAM_NODE_P * b->column; i++) check_most(fabs(f[i]), 1e-14);
    free(f);
    run_free(&r);
  }
}

/* ---- the largest frequency ---- */

/* One step of the power method for K M^-1 about q; the stretch of |u| is the square of a frequency. */
static double power_step(const vv_block *b, const double *q, double *u)
{
  const int64_t n = BEAM_NODE_P * b->column;
  double *f = calloc((size_t)n, sizeof *f), size = 0.0, grown = 0.0;
  const double h = 1e-5 / sqrt(power(b, q, u, u)), sign[] = {-1.0, 1.0};
  for (int k = 0; k < 2; k++) {
    double *q1 = copy(BEAM_Q * b->column, q), *p1 = copy(n, u);
    b->kind->drift(b, sign[k] * h, q1, p1);
    b->kind->kick(b, 0.0, -0.5 * sign[k] / h, q1, f);
    free(q1), free(p1);
  }
  size = power(b, q, u, u), grown = power(b, q, f, f);
  for (int64_t i = 0; i < n; i++) u[i] = f[i] / sqrt(grown);
  free(f);
  return sqrt(grown / size);
}

/* Largest square of a frequency of a beam about its unstressed shape, over the one the stable step is made of. */
static double frequency_ratio(const char *strain, const char *section, const char *shape, int elements, double length)
{
  char text[2 * TEXT];
  uint64_t seed = 34;
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1}\nmethod: {step: leapfrog}\nbodies:\n"
           "  beam: {kind: beam, length: %g, elements: %d, material: {young: 3, density: 1}, section: {%s}, strain: "
           "%s%s}\n",
           length, elements, section, strain, shape);
  run_record r = run_prepare(text, NULL);
  const vv_block *b = beam(&r);
  double *u = random_momenta(b, &seed, 1.0), most = 0.0;
  for (int n = 0; n < 300; n++) most = fmax(n < 10 ? 0.0 : most, power_step(b, r.state->q, u));
  const double bound = 2.0 / b->kind->stable_step(b);
  free(u);
  run_free(&r);
  return most / (bound * bound);
}

/* The bound is that of one free straight element, and no beam exceeds it, however its rest shape turns from node to node:
 * by a tenth, or by half a right angle. */
static void test_stable_step(void **unused)
{
  (void)unused;
  static const char *const section[] = {"square: {side: 0.3}", "rectangle: {width: 0.3, height: 0.1}",
                                        "tube: {radius: 0.3, inner: 0.25}"};
  static const char *const strain[] = {"cayley", "one-point", "trapezoid"};
  for (int s = 0; s < VV_COUNT(section); s++)
    for (int k = 0; k < 9; k++) {
      const char *rule = strain[k / 3];
      const double l = k % 3 == 0 ? 0.05 : k % 3 == 1 ? 0.3 : 2.0;
      const double alone = frequency_ratio(rule, section[s], "", 1, l);
      check_most(alone, 1.0 + 3e-4); /* of differences */
      check_least(alone, 0.99);      /* the power method comes from below */
      check_most(frequency_ratio(rule, section[s], "", 12, 12 * l), 1.0 + 1e-6);
      for (int turn = 0; turn < 2; turn++) {
        char shape[TEXT];
        const double bend = (turn == 0 ? 0.1 : 0.8) / l;
        snprintf(shape, TEXT, ", rest: shape, shape: {uniform: {curvature: [%g, %g, %g], strain: [0.1, 0.2, 1.1]}}",
                 0.6 * bend, 0.64 * bend, 0.48 * bend);
        const double one = frequency_ratio(rule, section[s], shape, 1, l),
                     many = frequency_ratio(rule, section[s], shape, 12, 12 * l);
        check_most(fmax(one, many), 1.0 + 1e-6);
        check_least(one, k < 6 ? 0.6 : 0.4);
      }
    }
}

/* ---- eight nodes at once ---- */

/* Nodes without elements. */
enum { NODES = 43, STRIDE = 48, COLUMN = 64 };
typedef struct flock {
  vv_block block;
  vv_body body;
  const vv_body *list[1];
  beam_body constants;
  double node[BEAM_NODE_COLUMNS * STRIDE];
  double q[BEAM_Q * COLUMN], p[BEAM_NODE_P * COLUMN];
} flock;

static void link_flock(flock *f)
{
  f->list[0] = &f->body;
  f->block.body = f->list, f->block.node_real = f->node, f->block.body_real = &f->constants.l;
}

/* Angular velocities of about `speed`, velocities of about `pace`; every fifth node has inertia of its own if `solid`. */
static void make_flock(flock *f, uint64_t *seed, bool solid, double speed, double pace)
{
  memset(f, 0, sizeof *f);
  f->constants = (beam_body){.l = 0.5,
                             .rho_a = 2.0,
                             .inertia = {0.003, 0.01, 0.013},
                             .spread = {0.01, 0.003},
                             .drift = BEAM_LAVI_CAYLEY,
                             .solid = solid};
  f->body = (vv_body){.n_node = NODES};
  f->block = (vv_block){.n_body = 1, .nodes = NODES, .stride = STRIDE, .column = COLUMN, .threads = 1};
  link_flock(f);
  for (int64_t i = 0; i < NODES; i++) {
    const double weight = i % 2 == 0 ? 0.5 : 0.25, own = solid && i % 5 == 0 ? 0.01 : 0.0;
    double x[3], w[3], frame[9], J[3], spin[3], out[3];
    f->node[BEAM_WEIGHT * STRIDE + i] = weight;
    f->node[BEAM_MASS * STRIDE + i] = 2.0 * weight, f->node[BEAM_INVERSE_MASS * STRIDE + i] = 0.5 / weight;
    for (int c = 0; c < 3; c++) f->node[(BEAM_POINT_INERTIA + c) * STRIDE + i] = own;
    for (int c = 0; c < 3; c++) x[c] = draw(seed), w[c] = 2.0 * draw(seed), spin[c] = draw(seed);
    vvi_exp(w, frame);
    beam_put(&f->block, f->q, i, x, frame);
    beam_inertia(&f->block, &f->constants, i, J);
    const double scale = speed / vvi_norm3(spin);
    for (int c = 0; c < 3; c++) spin[c] *= J[c] * scale;
    vvi_apply33(frame, spin, out);
    for (int c = 0; c < 3; c++) {
      f->p[(BEAM_S + c) * COLUMN + i] = out[c];
      f->p[(BEAM_P + c) * COLUMN + i] = pace * f->node[BEAM_MASS * STRIDE + i] * draw(seed);
    }
  }
}

static double difference(int n, const double *a, const double *b)
{
  double most = 0.0;
  for (int i = 0; i < n; i++) {
    if (isnan(a[i]) != isnan(b[i])) return INFINITY;
    if (!isnan(a[i])) most = fmax(most, fabs(a[i] - b[i]));
  }
  return most;
}

/* The drift of the whole against that of each node by the iteration of lavi.c. */
static void test_eight_is_one(void **unused)
{
  (void)unused;
  static const double turn[] = {0.0, 1e-8, 1e-4, 1e-2, 0.1, 0.3, 0.8, 1.3}, pace[] = {0.0, 0.1, 2.0};
  static const int most[] = {1, 1, 1, 2, 3, 3, 5, 24};
  uint64_t seed = 35;
  for (int k = 0; k < VV_COUNT(turn); k++)
    for (int v = 0; v < VV_COUNT(pace); v++)
      for (int n = 0; n < 20; n++) {
        const double h = n % 2 == 0 ? 0.1 : -0.1;
        flock one, eight;
        make_flock(&one, &seed, n % 3 == 0, turn[k] / 0.1, pace[v]);
        eight = one;
        link_flock(&one), link_flock(&eight);
        for (int64_t i = 0; i < NODES; i++) beam_drift_node(&one.block, &one.constants, i, h, one.q, one.p);
        assert_in_range(beam_drift(&eight.block, h, eight.q, eight.p), 1, most[k]);
        /* two roundings of a turn near 1 and of places below 2 */
        check_most(difference(BEAM_Q * COLUMN, one.q, eight.q), turn[k] < 0.2 ? 1e-15 : 2e-15);
        check_most(difference(BEAM_NODE_P * COLUMN, one.p, eight.p), 1e-15);
      }
}

/* A node flies by the same bits wherever it stands and whoever flies beside it, hopeless ones included. */
static void test_any_company(void **unused)
{
  (void)unused;
  uint64_t seed = 36;
  for (int n = 0; n < 100; n++) {
    flock all, part;
    make_flock(&all, &seed, n % 2 == 0, pow(10.0, 2.0 * draw(&seed)), 1.0);
    for (int64_t i = 0; i < NODES; i += 1 + n % 11) { /* neighbours of all speeds; some turn too far */
      const double factor = pow(10.0, 2.0 * draw(&seed));
      for (int c = 0; c < BEAM_NODE_P; c++) all.p[c * COLUMN + i] *= factor;
    }
    part = all;
    link_flock(&all), link_flock(&part);
    beam_drift(&all.block, 0.1, all.q, all.p);
    for (int64_t first = 0; first < NODES;) { /* in pieces */
      const int64_t size = 1 + (int64_t)(5.0 * (1.0 + draw(&seed))), left = NODES - first;
      vv_block piece = part.block;
      vv_body body = part.body;
      const vv_body *list[1] = {&body};
      piece.nodes = body.n_node = size < left ? size : left;
      piece.body = list, piece.node_real += first;
      beam_drift(&piece, 0.1, part.q + first, part.p + first);
      first += piece.nodes;
    }
    assert_memory_equal(all.q, part.q, sizeof all.q);
    assert_memory_equal(all.p, part.p, sizeof all.p);
  }
}

/* No momentum or no time: not a bit moves.  Too far a turn: no number. */
static void test_rest_and_ruin(void **unused)
{
  (void)unused;
  uint64_t seed = 37;
  flock f, before;
  make_flock(&f, &seed, true, 5.0, 5.0);
  before = f;
  beam_drift(&f.block, 0.0, f.q, f.p);
  assert_memory_equal(f.q, before.q, sizeof f.q);
  assert_memory_equal(f.p, before.p, sizeof f.p);
  memset(f.p, 0, sizeof f.p);
  assert_in_range(beam_drift(&f.block, 0.3, f.q, f.p), 1, 1);
  assert_memory_equal(f.q, before.q, sizeof f.q);
  for (int c = 0; c < BEAM_NODE_P; c++) f.p[c * COLUMN + 3] = 1e3; /* alone among nodes at rest */
  beam_drift(&f.block, 0.3, f.q, f.p);
  for (int64_t i = 0; i < NODES; i++) assert_true(isnan(f.q[BEAM_FRAME * COLUMN + i]) == (i == 3));
}

/* ---- the scheme ---- */

typedef struct bump_def {
  int elements, order;
  double step, end;
} bump_def;

/* Smooth data without stress at the free ends, bending and twisting. */
static void bump_scene(const bump_def *d, char text[TEXT])
{
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: %g, step: %.17g}\nmethod: {step: leapfrog, order: %d}\nbodies:\n"
           "  beam: {kind: beam, length: 2, elements: %d, material: {young: 1e4, poisson: 0.35, density: 1000},\n"
           "    section: {rectangle: {width: 0.3, height: 0.2}}, strain: cayley, drift: cayley,\n"
           "    velocity: [0.1, 0, 0], spin: [1, 2, 0], shape: {bump: {curvature: [0.5, 1, 1], strain: [0.05, 0, "
           "-0.2]}}}\n",
           d->end, d->step, d->order, d->elements);
}

static run_record run_bump(const bump_def *d, const run_options *options)
{
  char text[TEXT];
  bump_scene(d, text);
  return run_scene(text, options);
}

static void test_order_in_time(void **unused)
{
  (void)unused;
  run_record exact = run_bump(&(bump_def){16, 6, 5e-4, 0.2}, NULL);
  for (int order = 2; order <= 6; order += 2) {
    const double step = order == 2 ? 1e-3 : order == 4 ? 4e-3 : 8e-3;
    double error[2];
    for (int i = 0; i < 2; i++) {
      run_record r = run_bump(&(bump_def){16, order, i == 0 ? step : 0.5 * step, 0.2}, NULL);
      error[i] = run_difference_q(r.state, exact.state);
      run_free(&r);
    }
    check_near(log2(error[0] / error[1]), order, order == 2 ? 0.02 : order == 4 ? 0.1 : 0.2);
  }
  run_free(&exact);
}

/* Every ratio-th node of the finer mesh against the coarser one. */
static double coarse_difference(const run_record *a, const run_record *b, int ratio)
{
  double sum = 0.0;
  const int64_t n = beam(a)->nodes;
  for (int c = 0; c < 12; c++)
    for (int64_t i = 0; i < n; i++) {
      const double d = place(a, i, c) - place(b, i * ratio, c);
      sum += d * d;
    }
  return sqrt(sum / (double)n);
}

static void test_order_in_space(void **unused)
{
  (void)unused;
  run_record exact = run_bump(&(bump_def){512, 4, 2.5e-4, 0.2}, NULL);
  double error[2];
  for (int i = 0; i < 2; i++) {
    run_record r = run_bump(&(bump_def){32 << i, 4, 2.5e-4, 0.2}, NULL);
    error[i] = coarse_difference(&r, &exact, 16 >> i);
    run_free(&r);
  }
  check_near(log2(error[0] / error[1]), 2.0, 0.1);
  run_free(&exact);
}

static vv_status watch(const vv_view *v, void *user)
{
  double *range = user;
  const double e = vv_totals_energy(&v->ledger->now);
  range[0] = fmin(range[0], e), range[1] = fmax(range[1], e);
  return VV_OK;
}

/* Momenta to rounding; the energy stays in a band of order 2 in the step. */
static void test_invariants(void **unused)
{
  (void)unused;
  double band[2];
  for (int i = 0; i < 2; i++) {
    double range[2] = {INFINITY, -INFINITY};
    run_record r =
        run_bump(&(bump_def){16, 2, i == 0 ? 4e-3 : 2e-3, 20.0}, &(run_options){.observe = watch, .user = range});
    band[i] = (range[1] - range[0]) / range[1];
    check_most(run_ledger(&r)->max_p_drift, 1e-13);
    check_most(run_ledger(&r)->max_L_drift, 1e-13);
    run_free(&r);
  }
  check_most(band[1], 1e-4);
  check_near(log2(band[0] / band[1]), 2.0, 0.3);
}

/* Both words are one rule. */
static void test_words(void **unused)
{
  (void)unused;
  char text[TEXT], other[TEXT];
  bump_scene(&(bump_def){16, 2, 4e-3, 1.0}, text);
  const char *cut = strstr(text, "drift: cayley");
  snprintf(other, TEXT, "%.*sdrift: lavi-cayley%s", (int)(cut - text), text, cut + strlen("drift: cayley"));
  run_record a = run_scene(text, NULL), b = run_scene(other, NULL);
  assert_memory_equal(a.state->q, b.state->q, sizeof(double) * (size_t)a.state->nq);
  assert_memory_equal(a.state->p, b.state->p, sizeof(double) * (size_t)a.state->np);
  run_free(&a), run_free(&b);
}

/* ---- discrete Euler-Lagrange equations, from places alone ---- */

/* Momenta in space of the node that flew from a to b in time h: mu = (d tau^-1_{h xi})^* J xi with
 * xi = tau^-1(g_a^-1 g_b)/h, at the start of the flight; at its end with -h xi.                              [beam 52, 53] */
static void flight_momenta(const vv_block *b, int64_t i, double h, const double *qa, const double *qb, bool end,
                           double P[3], double S[3])
{
  double x[2][3], L[2][9], F[9], d[3], H[3], w[3], g[3], J[3], a[3], m[3], wa[3], wm[3], gm[3], mu[2][3];
  const double sign = end ? -1.0 : 1.0;
  beam_get(b, qa, i, x[0], L[0]);
  beam_get(b, qb, i, x[1], L[1]);
  beam_inertia(b, beam_of(b, 0), i, J);
  for (int c = 0; c < 3; c++) d[c] = x[1][c] - x[0][c];
  vvi_tmul33(L[0], L[1], F);
  vvi_tapply33(L[0], d, H);
  vvi_cay_se3_inverse(F, H, w, g);
  for (int c = 0; c < 3; c++) {
    a[c] = J[c] * w[c] / h, m[c] = beam_node(b, BEAM_MASS)[i] * g[c] / h;
    w[c] *= sign, g[c] *= sign;
  }
  vvi_cross3(w, m, wm);
  vvi_cross3(w, a, wa);
  for (int c = 0; c < 3; c++) mu[1][c] = m[c] + 0.5 * wm[c];
  vvi_cross3(g, mu[1], gm);
  for (int c = 0; c < 3; c++) mu[0][c] = a[c] + 0.5 * wa[c] + 0.25 * w[c] * vvi_dot3(w, a) + 0.5 * gm[c];
  vvi_apply33(L[end ? 1 : 0], mu[0], S);
  vvi_apply33(L[end ? 1 : 0], mu[1], P);
}

/* Steps of a run and the places between them: the momenta of the flights before and behind every place differ by h times
 * the force there, and their mean is the momentum of the state. */
static void test_euler_lagrange(void **unused)
{
  (void)unused;
  const double h = 4e-3;
  char text[TEXT];
  bump_scene(&(bump_def){21, 2, h, 1.0}, text);
  run_record r = run_prepare(text, NULL);
  const vv_block *b = beam(&r);
  const int64_t nq = BEAM_Q * b->column, np = BEAM_NODE_P * b->column;
  double *q[3] = {copy(nq, r.state->q), copy(nq, r.state->q), copy(nq, r.state->q)}, *p = copy(np, r.state->p);
  for (int n = 0; n < 250; n++) {
    double *f = calloc((size_t)np, sizeof *f), size[2] = {0}, worst[2] = {0}, mean[2] = {0};
    memcpy(q[0], q[1], (size_t)nq * sizeof(double)), memcpy(q[1], q[2], (size_t)nq * sizeof(double));
    memcpy(p, r.state->p, (size_t)np * sizeof(double));
    assert_int_equal(vv_sim_steps(r.sim, 1, &r.report), VV_OK);
    memcpy(q[2], r.state->q, (size_t)nq * sizeof(double));
    b->kind->kick(b, 0.0, h, q[1], f);
    for (int64_t i = 0; n > 0 && i < b->nodes; i++) {
      double before[6], behind[6];
      flight_momenta(b, i, h, q[0], q[1], true, before, before + 3);
      flight_momenta(b, i, h, q[1], q[2], false, behind, behind + 3);
      for (int c = 0; c < 6; c++) {
        const double now = p[c * b->column + i];
        size[c / 3] = fmax(size[c / 3], fabs(now));
        worst[c / 3] = fmax(worst[c / 3], fabs(behind[c] - before[c] - f[c * b->column + i]));
        mean[c / 3] = fmax(mean[c / 3], fabs(0.5 * (behind[c] + before[c]) - now));
      }
    }
    for (int k = 0; k < 2; k++) {
      check_most(worst[k], 1e-12 * size[k]);
      check_most(mean[k], 1e-12 * size[k]);
    }
    free(f);
  }
  for (int k = 0; k < 3; k++) free(q[k]);
  free(p);
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gradient),       cmocka_unit_test(test_balance),       cmocka_unit_test(test_rigid_motion),
      cmocka_unit_test(test_rest_shape),     cmocka_unit_test(test_stable_step),   cmocka_unit_test(test_eight_is_one),
      cmocka_unit_test(test_any_company),    cmocka_unit_test(test_rest_and_ruin), cmocka_unit_test(test_order_in_time),
      cmocka_unit_test(test_order_in_space), cmocka_unit_test(test_invariants),    cmocka_unit_test(test_words),
      cmocka_unit_test(test_euler_lagrange),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
