/* tests/physics/test_beam_shape.c  Initial places, frames and motion of beams: shapes, files of nodes, profiles, and
 * the scenes that are refused. */
#include "check.h"

#include "body/beam/beam.h"
#include "math/so3.h"
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096 };

/* One beam whose words are `words`, behind those that every beam needs. */
static void scene(char out[TEXT], const char *words)
{
  const int n = snprintf(out, TEXT,
                         "visviva: 1\n"
                         "time: {end: 1e-3, step: 1e-5}\n"
                         "method: {step: leapfrog}\n"
                         "bodies:\n"
                         "  rod: {kind: beam, material: {young: 5e7, poisson: 0.35, density: 1000}, "
                         "section: {square: {side: 0.05}}, %s}\n",
                         words);
  assert_in_range(n, 1, TEXT - 1);
}

typedef struct rod {
  run_record run;
  const vv_block *block;
  const double *q, *p;
  int64_t n;
} rod;

static rod build(const char *words)
{
  char text[TEXT];
  scene(text, words);
  rod r = {.run = run_prepare(text, NULL)};
  r.block = &r.run.model->block[0];
  r.q = r.run.state->q + r.block->q0;
  r.p = r.run.state->p + r.block->p0;
  r.n = r.block->nodes;
  return r;
}

static void node(const rod *r, int64_t i, double x[3], double frame[9])
{
  beam_get(r->block, r->q, i, x, frame);
}

static void director(const double frame[9], int c, double d[3])
{
  for (int k = 0; k < 3; k++) d[k] = frame[3 * k + c];
}

static double distance(int n, const double *a, const double *b)
{
  double most = 0.0;
  for (int i = 0; i < n; i++) most = isnan(a[i] - b[i]) ? NAN : fmax(most, fabs(a[i] - b[i]));
  return most;
}

static void check_frame(const double f[9])
{
  double one[9];
  vvi_tmul33(f, f, one);
  check_most(distance(9, one, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}), 5e-16 * 3);
  check_least(f[0] * (f[4] * f[8] - f[5] * f[7]) - f[1] * (f[3] * f[8] - f[5] * f[6]) +
                  f[2] * (f[3] * f[7] - f[4] * f[6]),
              0.9);
}

/* ---- shapes ---- */

static void test_straight(void **unused)
{
  (void)unused;
  rod r = build("length: 2, elements: 7, position: [1, 2, 3], axis: [0, 3, 4], normal: [5, 0, 1], "
                "shape: {straight: {stretch: 0.5}}");
  for (int64_t i = 0; i <= 7; i++) {
    const double s = (double)i / 7.0, want[3] = {1, 2 + 0.6 * s, 3 + 0.8 * s};
    double x[3], f[9], d3[3], d1[3];
    node(&r, i, x, f);
    check_frame(f);
    director(f, 2, d3);
    director(f, 0, d1);
    check_most(distance(3, x, want), 1e-15);
    check_most(distance(3, d3, (const double[3]){0, 0.6, 0.8}), 2e-16);
    check_near(d1[1] * 0.8 - d1[2] * 0.6, (0.0 * 0.8 - 1.0 * 0.6) / sqrt(25 + 0.36),
               1e-15); /* in the plane of the two */
  }
  run_free(&r.run);
}

/* The arc of the free beam: theta = (2 pi/3)(S/L - 1/2), x = r (cos(pi/3) - cos(theta), 0, sin(theta) + sin(pi/3)). */
static void test_arc(void **unused)
{
  (void)unused;
  const double third = VV_PI / 3.0, radius = 1.5 / (2.0 * third);
  char words[512];
  snprintf(words, sizeof words,
           "length: 2, elements: 64, axis: [%.17g, 0, %.17g], normal: [%.17g, 0, %.17g], "
           "shape: {arc: {angle: %.17g, stretch: 0.75}}",
           -sin(third), cos(third), cos(third), sin(third), 2.0 * third);
  rod r = build(words);
  for (int64_t i = 0; i <= 64; i++) {
    const double a = 2.0 * third * ((double)i / 64.0 - 0.5);
    const double want[3] = {radius * (cos(third) - cos(a)), 0.0, radius * (sin(a) + sin(third))};
    const double frame[9] = {cos(a), 0, sin(a), 0, 1, 0, -sin(a), 0, cos(a)};
    double x[3], f[9];
    node(&r, i, x, f);
    check_most(distance(3, x, want), 1e-15);
    check_most(distance(9, f, frame), 5e-16);
  }
  run_free(&r.run);
}

/* Every node lies on the cylinder; three turns advance by three pitches. */
static void test_helix(void **unused)
{
  (void)unused;
  const double radius = 0.3, pitch = -0.2, c = pitch / (2.0 * VV_PI), size = hypot(radius, c);
  char words[256];
  snprintf(words, sizeof words,
           "length: %.17g, elements: 90, axis: [1, 1, 0], normal: [0, 0, 1], "
           "shape: {helix: {radius: 0.3, pitch: -0.2}}",
           3.0 * 2.0 * VV_PI * size);
  rod r = build(words);
  double x0[3], f0[9], along[3], x[3], f[9], d2[3], d3[3], centre[3];
  node(&r, 0, x0, f0);
  director(f0, 1, d2);
  director(f0, 2, d3);
  for (int k = 0; k < 3; k++) {
    along[k] = (radius * d2[k] + c * d3[k]) / size; /* K/|K| in space */
    centre[k] = x0[k] + radius * f0[3 * k];
  }
  for (int64_t i = 0; i < r.n; i++) {
    double arm[3], off[3];
    node(&r, i, x, f);
    check_frame(f);
    for (int k = 0; k < 3; k++) arm[k] = x[k] - centre[k];
    vvi_cross3(arm, along, off);
    check_near(vvi_norm3(off), radius, 3e-15);
  }
  for (int k = 0; k < 3; k++) check_near(x[k] - x0[k], 3.0 * pitch * along[k], 1e-14);
  check_most(distance(9, f, f0), 1e-14);
  run_free(&r.run);
}

static void test_uniform(void **unused)
{
  (void)unused;
  rod r = build("length: 2, elements: 50, shape: {uniform: {strain: [0.1, -0.2, 0.9], curvature: [1, 2, -1.5]}}");
  const double l = 2.0 / 50, w[3] = {l, 2 * l, -1.5 * l}, u[3] = {0.1 * l, -0.2 * l, 0.9 * l};
  double turn[9], way[3];
  vvi_exp_se3(w, u, turn, way);
  for (int64_t i = 0; i < 50; i++) { /* every element is the same motion */
    double x[2][3], f[2][9], between[9], d[3], step[3];
    for (int k = 0; k < 2; k++) node(&r, i + k, x[k], f[k]);
    for (int k = 0; k < 3; k++) d[k] = x[1][k] - x[0][k];
    vvi_tapply33(f[0], d, step);
    vvi_tmul33(f[0], f[1], between);
    check_most(distance(3, step, way), 2e-15);
    check_most(distance(9, between, turn), 2e-15);
  }
  run_free(&r.run);
}

/* x' = Lambda G, Lambda' = Lambda K^ by Runge and Kutta: a twin that knows nothing of the closed form. */
static void bump_rate(double s, const double f[9], const double g[3], const double k[3], double dx[3], double df[9])
{
  const double wave = pow(sin(VV_PI * s / 2.0), 2); /* L = 2 */
  const double w[3] = {wave * k[0], wave * k[1], wave * k[2]}, e[3] = {wave * g[0], wave * g[1], 1.0 + wave * g[2]};
  double hat[9];
  vvi_axial33(0.0, 1.0, 0.0, w, hat);
  vvi_apply33(f, e, dx);
  vvi_mul33(f, hat, df);
}

static void test_bump(void **unused)
{
  (void)unused;
  enum { ELEMENTS = 10, PARTS = 1000 };
  const double g[3] = {0.1, 0, -0.2}, k[3] = {1, -3, 2}, h = 2.0 / (ELEMENTS * PARTS);
  rod r = build("length: 2, elements: 10, shape: {bump: {strain: [0.1, 0, -0.2], curvature: [1, -3, 2]}}");
  double x[3] = {0, 0, 0}, f[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, xn[3], fn[9];
  for (int64_t i = 0; i <= ELEMENTS; i++) {
    node(&r, i, xn, fn);
    check_frame(fn);
    check_most(distance(3, xn, x), 1e-13); /* the twin's error */
    check_most(distance(9, fn, f), 2e-13);
    for (int j = 0; j < PARTS; j++) {
      const double s = h * (double)(i * PARTS + j);
      double dx[4][3], df[4][9], at[9];
      for (int stage = 0; stage < 4; stage++) {
        const double part = stage == 0 ? 0.0 : stage == 3 ? 1.0 : 0.5;
        for (int c = 0; c < 9; c++) at[c] = f[c] + (stage > 0 ? part * h * df[stage - 1][c] : 0.0);
        bump_rate(s + part * h, at, g, k, dx[stage], df[stage]);
      }
      for (int c = 0; c < 3; c++) x[c] += h / 6 * (dx[0][c] + 2 * dx[1][c] + 2 * dx[2][c] + dx[3][c]);
      for (int c = 0; c < 9; c++) f[c] += h / 6 * (df[0][c] + 2 * df[1][c] + 2 * df[2][c] + df[3][c]);
    }
  }
  run_free(&r.run);
}

/* Nothing pulls at the ends: the strain of the end elements falls with l^2. */
static void test_bump_ends(void **unused)
{
  (void)unused;
  const int elements[2] = {20, 40};
  double strain[2];
  for (int k = 0; k < 2; k++) {
    char words[256];
    snprintf(words, sizeof words,
             "length: 2, elements: %d, shape: {bump: {strain: [0.1, 0, -0.2], curvature: [1, -3, 2]}}", elements[k]);
    rod r = build(words);
    strain[k] = 0.0;
    for (int end = 0; end < 2; end++) {
      const int64_t i = end == 0 ? 0 : r.n - 2;
      double x[2][3], f[2][9], between[9], turn[3];
      for (int j = 0; j < 2; j++) node(&r, i + j, x[j], f[j]);
      vvi_tmul33(f[0], f[1], between);
      vvi_cay_inverse(between, turn);
      strain[k] += vvi_norm3(turn) * elements[k] / 2.0;
    }
    run_free(&r.run);
  }
  check_near(log2(strain[0] / strain[1]), 2.0, 0.05);
  check_most(strain[1], 0.02); /* largest curvature: 3.7 */
}

static void test_ring(void **unused)
{
  (void)unused;
  rod r = build("length: 3, elements: 40, closed: true, shape: {arc: {angle: 6.283185307179586}}");
  assert_int_equal(r.n, 40);
  double x[2][3], f[2][9], first[9], between[9];
  for (int64_t i = 0; i < 40; i++) {
    node(&r, i, x[0], f[0]);
    node(&r, (i + 1) % 40, x[1], f[1]);
    vvi_tmul33(f[0], f[1], between);
    if (i == 0) memcpy(first, between, sizeof first);
    check_most(distance(9, between, first), 2e-15);
    const double d[3] = {x[1][0] - x[0][0], x[1][1] - x[0][1], x[1][2] - x[0][2]};
    check_near(vvi_norm3(d), 3.0 / VV_PI * sin(VV_PI / 40.0), 2e-15);
  }
  run_free(&r.run);
}

/* ---- files ---- */

static void write_file(const char *name, const char *text)
{
  FILE *f = fopen(name, "wb");
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0);
  assert_int_equal(fclose(f), 0);
}

/* The nodes of a beam as a table; with frames or without. */
static void write_nodes(const rod *r, const char *name, bool frames)
{
  FILE *out = fopen(name, "wb");
  assert_non_null(out);
  fprintf(out, "x, y, z%s\n", frames ? ", d3x, d3y, d3z, d1x, d1y, d1z, wx, wy, wz, vx, vy, vz" : "");
  for (int64_t i = 0; i < r->n; i++) {
    double x[3], f[9];
    node(r, i, x, f);
    fprintf(out, "%.17g,%.17g,%.17g", x[0], x[1], x[2]);
    for (int k = 0; frames && k < 3; k++) fprintf(out, ",%.17g", 2.0 * f[3 * k + 2]); /* any length */
    for (int k = 0; frames && k < 3; k++) fprintf(out, ",%.17g", f[3 * k] + 0.3 * f[3 * k + 2]);
    if (frames) fprintf(out, ",1,2,3,%lld,5,6", (long long)i);
    fputc('\n', out);
  }
  assert_int_equal(fclose(out), 0);
}

static void test_file_with_frames(void **unused)
{
  (void)unused;
  rod a =
      build("length: 2, elements: 30, axis: [1, 2, 3], normal: [0, 1, 0], shape: {helix: {radius: 0.3, pitch: 0.4}}");
  write_nodes(&a, "helix.csv", true);
  rod b = build("length: 2, elements: 30, position: [0, 0, 5], velocity: [0, 1, 0], shape: {nodes: {file: helix.csv}}");
  for (int64_t i = 0; i < a.n; i++) {
    double xa[3], fa[9], xb[3], fb[9];
    node(&a, i, xa, fa);
    node(&b, i, xb, fb);
    xa[2] += 5.0;
    check_most(distance(3, xa, xb), 1e-15);
    check_most(distance(9, fa, fb), 1e-15);
    const double m = beam_node(b.block, BEAM_MASS)[i];
    check_near(b.p[BEAM_P * b.block->column + i] / m, (double)i, 1e-14);
    check_near(b.p[(BEAM_P + 1) * b.block->column + i] / m, 6.0, 1e-14);
    double S[3], body[3], J[3], w[3]; /* Lambda^T S = J Lambda^T w */
    for (int c = 0; c < 3; c++) S[c] = b.p[(BEAM_S + c) * b.block->column + i];
    vvi_tapply33(fb, S, body);
    beam_inertia(b.block, beam_of(b.block, 0), i, J);
    for (int c = 0; c < 3; c++) body[c] /= J[c];
    vvi_apply33(fb, body, w);
    check_most(distance(3, w, (const double[3]){1, 2, 3}), 1e-14);
  }
  run_free(&a.run);
  run_free(&b.run);
}

/* Without frames: on a circle tangents and transport are exact, at the ends too. */
static void test_file_of_arc(void **unused)
{
  (void)unused;
  rod a = build("length: 2, elements: 12, normal: [1, 1, 0], shape: {arc: {angle: 2}}");
  write_nodes(&a, "arc.csv", false);
  rod b = build("length: 2, elements: 12, normal: [1, 1, 0], shape: {nodes: {file: arc.csv}}");
  for (int64_t i = 0; i < a.n; i++) {
    double xa[3], fa[9], xb[3], fb[9];
    node(&a, i, xa, fa);
    node(&b, i, xb, fb);
    check_most(distance(9, fa, fb), 1e-14);
  }
  run_free(&a.run);
  run_free(&b.run);
}

/* A closed curve in space: transport misses itself by an angle, and each element takes its share. */
static void test_file_closed(void **unused)
{
  (void)unused;
  enum { N = 60 };
  FILE *out = fopen("knot.csv", "wb");
  assert_non_null(out);
  fputs("x y z\n", out);
  for (int i = 0; i < N; i++) {
    const double a = 2.0 * VV_PI * i / N;
    fprintf(out, "%.17g %.17g %.17g\n", sin(a) + 2 * sin(2 * a), cos(a) - 2 * cos(2 * a), -sin(3 * a)); /* trefoil */
  }
  assert_int_equal(fclose(out), 0);
  rod r = build("length: 30, elements: 60, closed: true, normal: [0, 0, 1], shape: {nodes: {file: knot.csv}}");
  assert_int_equal(r.n, N);
  double least = 10.0, most = -10.0;
  for (int64_t i = 0; i < N; i++) {
    double x[3], f[2][9], between[9], psi[3];
    node(&r, i, x, f[0]);
    node(&r, (i + 1) % N, x, f[1]);
    check_frame(f[0]);
    vvi_tmul33(f[0], f[1], between);
    vvi_cay_inverse(between, psi);
    least = fmin(least, psi[2]), most = fmax(most, psi[2]);
  }
  check_most(most - least, 0.02);
  check_most(fabs(most), 0.2);
  run_free(&r.run);
}

/* ---- motion ---- */

static void velocity(const rod *r, int64_t i, double v[3])
{
  for (int c = 0; c < 3; c++) v[c] = r->p[(BEAM_P + c) * r->block->column + i] / beam_node(r->block, BEAM_MASS)[i];
}

/* The velocity of the free beam's first example: a jump in the middle, and the node there takes the first value. */
static void test_profile(void **unused)
{
  (void)unused;
  rod r = build("length: 2, elements: 22, velocity: [0, 0, 1], velocity_profile: ["
                "{at: [0, 0.5, 0.5, 1], factor: [4, -4, -2, 6], direction: [0, 1, 0]}, "
                "{at: [0.3333333333333333], factor: [2], direction: [1, 0, 0]}], "
                "spin_profile: [{at: [0.25, 0.75], factor: [0, 1], direction: [0, 0, 3]}]");
  for (int64_t i = 0; i <= 22; i++) {
    const double s = (double)i / 22.0;
    const double want[3] = {2.0, i <= 11 ? 4.0 - 16.0 * s : -10.0 + 16.0 * s, 1.0};
    const double turn = s < 0.25 ? 0.0 : s > 0.75 ? 3.0 : 3.0 * (s - 0.25) / 0.5;
    double v[3], J[3];
    velocity(&r, i, v);
    check_most(distance(3, v, want), 4e-15);
    beam_inertia(r.block, beam_of(r.block, 0), i, J);
    check_near(r.p[(BEAM_S + 2) * r.block->column + i] / J[2], turn, 4e-15);
  }
  run_free(&r.run);
}

/* About the centre of mass, which a point mass shifts: no linear momentum. */
static void test_spin(void **unused)
{
  (void)unused;
  rod r = build("length: 2, elements: 8, position: [5, 6, 7], spin: [3, 0.5, 0], masses: [{at: 0, mass: 10}]");
  double sum[3] = {0, 0, 0}, x[2][3], f[9], v[2][3];
  for (int64_t i = 0; i < r.n; i++)
    for (int c = 0; c < 3; c++) sum[c] += r.p[(BEAM_P + c) * r.block->column + i];
  check_most(vvi_norm3(sum), 1e-13);
  for (int k = 0; k < 2; k++) {
    node(&r, 8 * k, x[k], f);
    velocity(&r, 8 * k, v[k]);
  }
  check_most(distance(3, (const double[3]){v[1][0] - v[0][0], v[1][1] - v[0][1], v[1][2] - v[0][2]},
                      (const double[3]){1.0, -6.0, 0.0}),
             1e-14); /* spin x (0, 0, 2) */
  run_free(&r.run);
}

/* ---- refused ---- */

static void refused(const char *words, const char *part)
{
  char text[TEXT], message[TEXT];
  scene(text, words);
  const vv_status status = run_refused(text, message, sizeof message);
  if (status != VV_SCENE || strstr(message, part) == NULL)
    fail_msg("%s: status %d, wanted '%s', got: %s", words, status, part, message);
}

static void test_refused_words(void **unused)
{
  (void)unused;
  static const char *const row[][2] = {
      {"length: 2, elements: 4, axis: [0, 0, 0]", "bodies.rod.axis: must not be zero"},
      {"length: 2, elements: 4, normal: [0, 0, 0]", "bodies.rod.normal: must not be zero"},
      {"length: 2, elements: 4, axis: [2, 0, 0], normal: [-3, 0, 0]",
       "bodies.rod.normal: must not be parallel to 'axis'; say [0, 1, 0]"},
      {"length: 2, elements: 4, normal: [0, 0, -1e200]", "normal: must not be parallel"},
      {"length: 2, elements: 4, closed: true", "bodies.rod.closed: the shape straight does not close"},
      {"length: 2, elements: 4, closed: true, shape: {arc: {angle: 6.28}}", "6.283185307179586"},
      {"length: 2, elements: 4, closed: true, shape: {bump: {curvature: [0, 1, 0]}}", "the shape bump does not close"},
      {"length: 2, elements: 2, shape: {arc: {angle: 6.2}}", "bodies.rod.elements: each would turn by 3.1 rad"},
      {"length: 2, elements: 2, shape: {helix: {radius: 1e-9, pitch: 0}}", "elements: each would turn"},
      {"length: 2, elements: 2, shape: {bump: {curvature: [0, 0, 1e300]}}", "elements: each would turn"},
      {"length: 2, elements: 2, shape: {uniform: {strain: [0, 0, 0]}}", "shape.uniform.strain: all nodes would lie"},
      {"length: 2, elements: 4, velocity_profile: [{at: [0, 1], factor: [1], direction: [1, 0, 0]}]",
       "velocity_profile[0].factor: has 1 numbers for the 2 of 'at'"},
      {"length: 2, elements: 4, spin_profile: [{at: [0, 1, 0.5], factor: [1, 1, 1], direction: [1, 0, 0]}]",
       "spin_profile[0].at: 0.5 follows 1"},
  };
  for (int i = 0; i < (int)VV_COUNT(row); i++) refused(row[i][0], row[i][1]);
}

#define FILE_OF(n) "length: 2, elements: " #n ", shape: {nodes: {file: bad.csv}}"

static void test_refused_files(void **unused)
{
  (void)unused;
  static const char *const row[][3] = {
      {"x y z\n0 0 0\n0 0 1\n", FILE_OF(2), "shape.nodes.file: 'bad.csv' lists 2 nodes, but 2 elements have 3"},
      {"x y z\n0 0 0\n0 0 1\n", FILE_OF(1) ", axis: [0, 1, 1]", "bodies.rod.axis: the file of the nodes"},
      {"x y\n0 0\n0 0\n", FILE_OF(1), "needs the three columns x y z"},
      {"x y z vx vz\n0 0 0 1 1\n0 0 1 1 1\n", FILE_OF(1), "needs the three columns vx vy vz"},
      {"x y z d3x d3y d3z\n0 0 0 0 0 1\n0 0 1 0 0 1\n", FILE_OF(1), "has d3 without d1"},
      {"x y z\n0 0 0\n0 0 0\n", FILE_OF(1), "line 3: this node lies on the one above"},
      {"x y z\n0 0 0\n0 0 1\n0 0 2\n0 0 1\n", FILE_OF(3), "line 4: the polygon folds back"},
      {"x y z\n0 0 0\n0 0 1\n0 1 1\n0 1 0\n0 0 0\n", FILE_OF(5) ", closed: true", "line 6: repeats the first node"},
      {"x y z\n0 0 0\n0 0 1\n0 0 2\n0 0 3\n0 0 4\n0 0 5\n0 0 6\n0 0 7\n0 0 8\n0 0 9\n0 0 10\n0 0 11\n",
       FILE_OF(12) ", closed: true", "bodies.rod.closed: the element from the last node"},
      {"x y z d1x d1y d1z d3x d3y d3z\n0 0 0 1 0 0 0 0 1\n0 0 1 1 0 0 0 0 0\n", FILE_OF(1), "line 3: d3 is zero"},
      {"x y z d1x d1y d1z d3x d3y d3z\n0 0 0 1 0 0 0 0 1\n0 0 1 0 0 0 0 0 1\n", FILE_OF(1), "line 3: d1 is zero"},
      {"x y z d1x d1y d1z d3x d3y d3z\n0 0 0 0 0 2 0 0 1\n0 0 1 1 0 0 0 0 1\n", FILE_OF(1), "line 2: d1 is parallel"},
      {"x y z d1x d1y d1z d3x d3y d3z\n0 0 0 1 0 0 0 0 1\n0 0 1 -1 0 0 0 0 1\n", FILE_OF(1), "almost half a turn"},
      {"x y z d1x d1y d1z d3x d3y d3z\n0 0 0 1 0 0 0 0 1\n0 0 1 1 0 0 0 0 1\n", FILE_OF(1) ", normal: [1, 1, 0]",
       "bodies.rod.normal: the file of the nodes has frames"},
      {"x y z\n0 0 0\n1 0 0\n", FILE_OF(1), "bodies.rod.normal: must not be zero or along the first segment"},
      {"x y z\n0 0 0\n1 0 zero\n", FILE_OF(1), "'bad.csv' line 3: column 5: not a number"},
  };
  for (int i = 0; i < (int)VV_COUNT(row); i++) {
    write_file("bad.csv", row[i][0]);
    refused(row[i][1], row[i][2]);
  }
  refused("length: 2, elements: 1, shape: {nodes: {file: none.csv}}", "'none.csv' cannot be opened");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_straight),      cmocka_unit_test(test_arc),
      cmocka_unit_test(test_helix),         cmocka_unit_test(test_uniform),
      cmocka_unit_test(test_bump),          cmocka_unit_test(test_bump_ends),
      cmocka_unit_test(test_ring),          cmocka_unit_test(test_file_with_frames),
      cmocka_unit_test(test_file_of_arc),   cmocka_unit_test(test_file_closed),
      cmocka_unit_test(test_profile),       cmocka_unit_test(test_spin),
      cmocka_unit_test(test_refused_words), cmocka_unit_test(test_refused_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
