/* tests/physics/test_joints.c  Joints against exact motions: the pendulum by elliptic functions, mechanisms of one freedom by
 * their own equation, falls along sliders and planes; order, momenta, energy, impacts, bits, refusals. */
#include "check.h"
#include "elliptic.h"
#include "run.h"

#include "math/math.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 32768 };

static double place(const run_record *r, const char *body, int axis)
{
  const vv_body *b = &r->model->body[vvi_model_body_find(r->model, body)];
  const vv_block *k = &r->model->block[b->block];
  return r->state->q[k->q0 + axis * k->column + b->node0];
}

static double spread(double a, double b)
{
  return fabs(a - b);
}

/* What a run must always keep. */
static void check_books(const run_record *r)
{
  const vv_ledger *l = run_ledger(r);
  assert_int_equal(r->report.reason, VV_REASON_DONE);
  check_most(l->max_p_drift, 1e-12);
  check_most(l->max_L_drift, 1e-12);
  check_most(l->posted.joint_gap, 1e-13);
  check_most(l->max_closure, 1e-12);
}

/* ---- A01: a point mass of 1 kg on a bar of 1 m, released from the horizontal ---- */

static double pendulum_error(const char *method, double step)
{
  char text[TEXT];
  const double end = 10.0, k = sqrt(0.5), omega = sqrt(9.81);
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: %g, step: %g}\nmethod: {step: %s}\ngravity: [0, -9.81, 0]\nbodies:\n"
           "  bob: {kind: rigid, shape: {ball: {radius: 0.1}}, density: %.17g, position: [-1, 0, 0]}\n"
           "joints: [{kind: distance, bodies: [ground, bob], at: [0, 0, 0], to: [-1, 0, 0]}]\n",
           end * (1.0 + 1e-9), step, method, 750.0 / VV_PI);
  run_record r = run_scene(text, &(run_options){0});
  const double half = k * elliptic_sn(elliptic_quarter(k) - omega * end, k), x = -2.0 * half * sqrt(1.0 - half * half);
  const double off = spread(place(&r, "bob", 0), x);
  check_books(&r);
  run_free(&r);
  return off;
}

static void pendulum_by_elliptic_functions(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    const char *method = i == 0 ? "leapfrog" : "energy-momentum";
    const double a = pendulum_error(method, 4e-3), b = pendulum_error(method, 2e-3);
    check_most(b, 1e-3);
    check_near(log2(a / b), 2.0, 0.1);
  }
  const double c = pendulum_error("leapfrog, order: 4", 8e-3), d = pendulum_error("leapfrog, order: 4", 4e-3);
  check_near(log2(c / d), 4.0, 0.3);
}

/* ---- the double pendulum ---- */

/* Two rods of length 1 and mass m with moments J about their middles; angles from the vertical. */
typedef struct rods {
  double m, j;
} rods;

static void accelerate(const rods *k, const double y[4], double out[4])
{
  const double g = 9.81, a = k->j + 1.25 * k->m, b = 0.5 * k->m, c = k->j + 0.25 * k->m, d = y[0] - y[1];
  const double m12 = b * cos(d), f1 = -b * y[3] * y[3] * sin(d) - 1.5 * k->m * g * sin(y[0]),
               f2 = b * y[2] * y[2] * sin(d) - 0.5 * k->m * g * sin(y[1]), det = a * c - m12 * m12;
  out[0] = y[2], out[1] = y[3];
  out[2] = (c * f1 - m12 * f2) / det, out[3] = (a * f2 - m12 * f1) / det;
}

static void integrate(const rods *k, double end, int n, double y[4])
{
  const double h = end / n;
  for (int i = 0; i < n; i++) {
    double s[4][4], z[4];
    for (int q = 0; q < 4; q++) {
      const double by = q == 0 ? 0.0 : q == 3 ? h : 0.5 * h;
      for (int c = 0; c < 4; c++) z[c] = y[c] + (q > 0 ? by * s[q - 1][c] : 0.0);
      accelerate(k, z, s[q]);
    }
    for (int c = 0; c < 4; c++) y[c] += h / 6.0 * (s[0][c] + 2.0 * s[1][c] + 2.0 * s[2][c] + s[3][c]);
  }
}

static double double_error(const char *method, const char *joint, double step)
{
  char text[TEXT];
  const double end = 2.0, w = 0.1, mass = 1.0, density = mass / (w * w);
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: %g, step: %g}\nmethod: {step: %s}\ngravity: [0, 0, -9.81]\n"
           "contacts: [{response: none}]\nbodies:\n"
           "  one: {kind: rigid, shape: {box: {size: [1, %g, %g]}}, density: %.17g, position: [0.5, 0, 0]}\n"
           "  two: {kind: rigid, shape: {box: {size: [1, %g, %g]}}, density: %.17g, position: [1.5, 0, 0]}\n"
           "joints:\n  - {kind: hinge, bodies: [ground, one], at: [0, 0, 0], axis: [0, 1, 0]}\n"
           "  - {kind: %s, bodies: [one, two], at: [1, 0, 0]}\n",
           end * (1.0 + 1e-9), step, method, w, w, density, w, w, density, joint);
  run_record r = run_scene(text, &(run_options){0});
  const rods k = {mass, mass * (1.0 + w * w) / 12.0};
  double y[4] = {0.5 * VV_PI, 0.5 * VV_PI, 0.0, 0.0};
  integrate(&k, end, 20000, y);
  const double x = sin(y[0]) + 0.5 * sin(y[1]), z = -cos(y[0]) - 0.5 * cos(y[1]);
  const double off = hypot(place(&r, "two", 0) - x, place(&r, "two", 2) - z);
  check_books(&r);
  run_free(&r);
  return off;
}

static void double_pendulum(void **state)
{
  (void)state;
  static const char *const method[] = {"leapfrog", "energy-momentum"};
  for (int i = 0; i < 2; i++) {
    const double a = double_error(method[i], "ball", 2e-3), b = double_error(method[i], "ball", 1e-3);
    check_most(b, 1e-3);
    check_near(log2(a / b), 2.0, 0.15);
    check_near(double_error(method[i], "hinge, axis: [0, 1, 0]", 1e-3), b,
               1e-9); /* a row that others make superfluous */
  }
  const double c = double_error("leapfrog, order: 4", "ball", 4e-3),
               d = double_error("leapfrog, order: 4", "ball", 2e-3);
  check_near(log2(c / d), 4.0, 0.4);
}

/* ---- A02: N windows of four bars, 1 m and 1 kg each; the top moves off with 1 m/s and the bars fall flat ---- */

/* One angle from the vertical: N + 1 bars turn, N only move. */
static double window_angle(int n, double j, double end, int steps)
{
  const double inertia = (n + 1) * (j + 0.25) + n, weight = 9.81 * (0.5 * (n + 1) + n), h = end / steps;
  double a = 0.0, w = 1.0;
  for (int i = 0; i < steps; i++) {
    const double k1 = weight / inertia * sin(a), l1 = w;
    const double k2 = weight / inertia * sin(a + 0.5 * h * l1), l2 = w + 0.5 * h * k1;
    const double k3 = weight / inertia * sin(a + 0.5 * h * l2), l3 = w + 0.5 * h * k2;
    const double k4 = weight / inertia * sin(a + h * l3), l4 = w + h * k3;
    a += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4), w += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return a;
}

static double window_error(const char *method, int n, double end, double step)
{
  char text[TEXT], *t = text;
  const double w = 0.1, density = 1.0 / (w * w);
  t += sprintf(t,
               "visviva: 1\ntime: {end: %g, step: %g}\nmethod: {step: %s}\ngravity: [0, -9.81, 0]\n"
               "contacts: [{response: none}]\nbodies:\n",
               end * (1.0 + 1e-9), step, method);
  for (int i = 0; i <= n; i++)
    t += sprintf(t,
                 "  up%d: {kind: rigid, shape: {box: {size: [%g, 1, %g]}}, density: %g, position: [%d, 0.5, 0], "
                 "velocity: [0.5, 0, 0], spin: [0, 0, -1]}\n",
                 i, w, w, density, i);
  for (int i = 0; i < n; i++)
    t += sprintf(t,
                 "  on%d: {kind: rigid, shape: {box: {size: [1, %g, %g]}}, density: %g, position: [%g, 1, 0], "
                 "velocity: [1, 0, 0]}\n",
                 i, w, w, density, i + 0.5);
  t += sprintf(t, "joints:\n");
  for (int i = 0; i <= n; i++)
    t += sprintf(t, "  - {kind: hinge, bodies: [ground, up%d], at: [%d, 0, 0], axis: [0, 0, 1]}\n", i, i);
  for (int i = 0; i < n; i++)
    t += sprintf(t,
                 "  - {kind: hinge, bodies: [up%d, on%d], at: [%d, 1, 0], axis: [0, 0, 1]}\n"
                 "  - {kind: hinge, bodies: [on%d, up%d], at: [%d, 1, 0], axis: [0, 0, 1]}\n",
                 i, i, i, i, i + 1, i + 1);
  run_record r = run_scene(text, &(run_options){0});
  const double a = window_angle(n, (1.0 + w * w) / 12.0, end, 20000);
  const double off = hypot(place(&r, "up0", 0) - 0.5 * sin(a), place(&r, "up0", 1) - 0.5 * cos(a));
  check_books(&r);
  run_free(&r);
  return off;
}

static void windows_of_four_bars(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) { /* to 80 degrees or so */
    const char *method = i == 0 ? "leapfrog" : "energy-momentum";
    const double a = window_error(method, 2, 0.6, 2e-3), b = window_error(method, 2, 0.6, 1e-3);
    check_most(b, 1e-5);
    check_near(log2(a / b), 2.0, 0.2);
  }
  check_most(window_error("leapfrog", 10, 0.6, 1e-3), 1e-5);
}

/* All of the benchmark: ten times the bars lie flat, where they have n + 1 freedoms for an instant, and impulses grow as one over
 * the angle; the step goes across by the derivative of the joints at its end, with superfluous rows left out. */
static void windows_lie_flat(void **state)
{
  (void)state;
  for (int i = 0; i < 4; i++) {
    const char *method = i % 2 == 0 ? "leapfrog" : "energy-momentum";
    const int n = i < 2 ? 2 : 10;
    const double a = window_error(method, n, 10.0, 2e-3), b = window_error(method, n, 10.0, 1e-3);
    check_most(b, 2e-5);
    check_near(log2(a / b), 2.0, 0.15);
  }
}

/* ---- A04: Bricard's mechanism, five rods and six hinges: more equations than freedoms, and one freedom ---- */

static run_record bricard(const char *method, double step, double end)
{
  static const double p[6][3] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  static const char *const axis[6] = {"[0, 1, 0]", "[0, 0, 1]", "[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]", "[1, 0, 0]"};
  char text[TEXT], *t = text;
  t += sprintf(t,
               "visviva: 1\ntime: {end: %g, step: %g}\nmethod: {step: %s}\ngravity: [0, -9.81, 0]\n"
               "contacts: [{response: none}]\nbodies:\n",
               end * (1.0 + 1e-9), step, method);
  for (int i = 0; i < 5; i++) {
    t += sprintf(t, "  r%d: {kind: rigid, shape: {box: {size: [", i);
    for (int c = 0; c < 3; c++) t += sprintf(t, "%g%s", p[i + 1][c] != p[i][c] ? 1.0 : 0.1, c < 2 ? ", " : "]}}");
    t += sprintf(t, ", density: 100, position: [%g, %g, %g]}\n", 0.5 * (p[i][0] + p[i + 1][0]),
                 0.5 * (p[i][1] + p[i + 1][1]), 0.5 * (p[i][2] + p[i + 1][2]));
  }
  t += sprintf(t, "joints:\n  - {kind: hinge, bodies: [ground, r0], at: [0, 0, 0], axis: %s}\n", axis[0]);
  for (int i = 1; i < 5; i++)
    t += sprintf(t, "  - {kind: hinge, bodies: [r%d, r%d], at: [%g, %g, %g], axis: %s}\n", i - 1, i, p[i][0], p[i][1],
                 p[i][2], axis[i]);
  sprintf(t, "  - {kind: hinge, bodies: [r4, ground], at: [0, 0, 1], axis: %s}\n", axis[5]);
  return run_scene(text, &(run_options){0});
}

/* The same without joints: angles of the first five hinges, each body carried by the one before, the sixth hinge closes the
 * loop.  One freedom, the first angle t: T = M(t) t'^2/2, V(t), t'' = -(M' t'^2/2 + V')/M. */
typedef struct loop {
  double turn[5][9], centre[5][3], end[3];
} loop;

static const double corner[6][3] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
static const int axis_of[6] = {1, 2, 0, 1, 2, 0};

static void turn_about(int axis, double angle, double r[9])
{
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  memset(r, 0, 9 * sizeof *r);
  r[4 * axis] = 1.0, r[4 * j] = r[4 * k] = cos(angle);
  r[3 * j + k] = -sin(angle), r[3 * k + j] = sin(angle);
}

static void lay_out(const double a[5], loop *out)
{
  double r[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, at[3] = {0, 0, 0};
  for (int i = 0; i < 5; i++) {
    double by[9], next[9] = {0};
    turn_about(axis_of[i], a[i], by);
    for (int x = 0; x < 9; x++)
      for (int k = 0; k < 3; k++) next[x] += r[x / 3 * 3 + k] * by[3 * k + x % 3];
    memcpy(r, next, sizeof r), memcpy(out->turn[i], r, sizeof r);
    for (int c = 0; c < 3; c++) {
      double d = 0.0;
      for (int k = 0; k < 3; k++) d += r[3 * c + k] * (corner[i + 1][k] - corner[i][k]);
      out->centre[i][c] = at[c] + 0.5 * d, at[c] += d;
    }
  }
  memcpy(out->end, at, sizeof at);
}

/* Where the end should be, and the axis of the last hinge along x. */
static void open_by(const double a[5], double g[5])
{
  loop l;
  lay_out(a, &l);
  for (int c = 0; c < 3; c++) g[c] = l.end[c] - corner[5][c];
  g[3] = l.turn[4][3], g[4] = l.turn[4][6];
}

/* x of the least squares of J x = -g, J the derivatives by the last four angles; d: the column of the first. */
static void least(const double a[5], const double *g, double x[4], double d[5])
{
  double j[5][5], m[4][5] = {{0}};
  for (int k = 0; k < 5; k++) {
    double b[5], up[5], low[5];
    memcpy(b, a, sizeof b);
    b[k] += 1e-5, open_by(b, up);
    b[k] -= 2e-5, open_by(b, low);
    for (int i = 0; i < 5; i++) j[i][k] = (up[i] - low[i]) / 2e-5;
  }
  for (int i = 0; i < 5; i++) d[i] = j[i][0];
  for (int r = 0; r < 4; r++)
    for (int i = 0; i < 5; i++) {
      for (int k = 0; k < 4; k++) m[r][k] += j[i][1 + r] * j[i][1 + k];
      m[r][4] -= j[i][1 + r] * (g != NULL ? g[i] : d[i]);
    }
  for (int r = 0; r < 4; r++)
    for (int k = r + 1; k < 4; k++) {
      const double by = m[k][r] / m[r][r];
      for (int c = r; c < 5; c++) m[k][c] -= by * m[r][c];
    }
  for (int r = 3; r >= 0; r--) {
    x[r] = m[r][4];
    for (int k = r + 1; k < 4; k++) x[r] -= m[r][k] * x[k];
    x[r] /= m[r][r];
  }
}

static void close_loop(double first, double a[5])
{
  a[0] = first;
  for (int n = 0; n < 8; n++) {
    double g[5], x[4], d[5];
    open_by(a, g);
    least(a, g, x, d);
    for (int k = 0; k < 4; k++) a[1 + k] += x[k];
  }
}

static void energies(double first, double a[5], double *mass, double *height)
{
  double x[4], d[5], up[5], low[5];
  loop p, m, l;
  close_loop(first, a);
  least(a, NULL, x, d);
  up[0] = a[0] + 1e-5, low[0] = a[0] - 1e-5;
  for (int k = 0; k < 4; k++) up[1 + k] = a[1 + k] + 1e-5 * x[k], low[1 + k] = a[1 + k] - 1e-5 * x[k];
  lay_out(up, &p), lay_out(low, &m), lay_out(a, &l);
  *mass = *height = 0.0;
  for (int i = 0; i < 5; i++) {
    double w[9] = {0}; /* R^T R' */
    for (int e = 0; e < 9; e++)
      for (int k = 0; k < 3; k++)
        w[e] += l.turn[i][3 * k + e / 3] * (p.turn[i][3 * k + e % 3] - m.turn[i][3 * k + e % 3]) / 2e-5;
    const double spin[3] = {w[7], w[2], w[3]};
    for (int c = 0; c < 3; c++) {
      const double v = (p.centre[i][c] - m.centre[i][c]) / 2e-5;
      const bool along = corner[i + 1][c] != corner[i][c];
      *mass += v * v + (along ? 0.02 : 1.01) / 12.0 * spin[c] * spin[c]; /* 1 kg, 1 x 0.1 x 0.1 m */
    }
    *height += l.centre[i][1];
  }
}

/* M' and V' by differences of fourth order: M has rounding over 1e-5. */
static double accelerate_loop(double t, double v, double a[5])
{
  static const double by[4] = {1.0, -8.0, 8.0, -1.0}, at[4] = {-2.0, -1.0, 1.0, 2.0};
  const double d = 5e-3;
  double mass, height, rise[2] = {0, 0};
  for (int i = 0; i < 4; i++) {
    double b[5];
    memcpy(b, a, sizeof b);
    energies(t + d * at[i], b, &mass, &height);
    rise[0] += by[i] * mass / (12.0 * d), rise[1] += by[i] * height / (12.0 * d);
  }
  energies(t, a, &mass, &height);
  return -(0.5 * rise[0] * v * v + 9.81 * rise[1]) / mass;
}

/* y of the middle rod after a time. */
static double bricard_exactly(double end, int n)
{
  const double h = end / n;
  double t = 0.0, v = 0.0, a[5] = {0};
  loop l;
  for (int i = 0; i < n; i++) {
    const double k1 = accelerate_loop(t, v, a), k2 = accelerate_loop(t + 0.5 * h * v, v + 0.5 * h * k1, a),
                 k3 = accelerate_loop(t + 0.5 * h * (v + 0.5 * h * k1), v + 0.5 * h * k2, a),
                 k4 = accelerate_loop(t + h * (v + 0.5 * h * k2), v + h * k3, a);
    t += h * (v + h * (k1 + k2 + k3) / 6.0), v += h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0;
  }
  close_loop(t, a);
  lay_out(a, &l);
  return l.centre[2][1];
}

static void bricards_mechanism(void **state)
{
  (void)state;
  const double exact = bricard_exactly(3.0, 300);
  double off[2][2];
  check_near(bricard_exactly(3.0, 150), exact, 1e-8);
  assert_true(spread(exact, -1.0) > 0.01); /* it moves */
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 2; i++) {
      run_record r = bricard(k == 0 ? "leapfrog" : "energy-momentum", 4e-3 / (1 << i), 3.0);
      check_books(&r);
      off[k][i] = spread(place(&r, "r2", 1), exact);
      run_free(&r);
    }
  for (int k = 0; k < 2; k++) {
    check_most(off[k][1], 2e-6);
    check_near(log2(off[k][0] / off[k][1]), 2.0, 0.1);
  }
}

/* ---- exact falls ---- */

static run_record one(const char *method, const char *body, const char *joint)
{
  char text[TEXT];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1.0000001, step: 0.01}\nmethod: {step: %s}\ngravity: [0, 0, -10]\nbodies:\n"
           "  a: {kind: rigid, shape: {box: {size: [0.3, 0.2, 0.1]}}, density: 100, %s}\njoints: [%s]\n",
           method, body, joint);
  return run_scene(text, &(run_options){0});
}

static void falls_along_joints(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    const char *method = i == 0 ? "leapfrog" : "energy-momentum";
    run_record r =
        one(method, "position: [1, 2, 3]",
            "{kind: slider, bodies: [ground, a], at: [1.2, 2, 3], axis: [0, 3, 4]}"); /* g along it: 8 m/s^2 */
    check_near(place(&r, "a", 0), 1.0, 1e-13);
    check_near(place(&r, "a", 1), 2.0 - 0.5 * 8.0 * 0.6, 1e-12);
    check_near(place(&r, "a", 2), 3.0 - 0.5 * 8.0 * 0.8, 1e-12);
    check_books(&r);
    run_free(&r);
    r = one(method, "position: [0, 0, 3], spin: [0, 0, 7]",
            "{kind: cylinder, bodies: [ground, a], at: [0, 0, 3], axis: [0, 0, 1]}");
    check_near(place(&r, "a", 2), 3.0 - 5.0, 1e-12);
    check_near(run_ledger(&r)->now.L[2], run_ledger(&r)->initial.L[2], 1e-12);
    check_books(&r);
    run_free(&r);
    r = one(method, "position: [0, 0, 3]", "{kind: plane, bodies: [ground, a], at: [0, 0, 3], axis: [3, 0, 4]}");
    check_near(place(&r, "a", 0), 0.5 * 6.0 * 0.8, 1e-12);
    check_near(place(&r, "a", 2), 3.0 - 0.5 * 6.0 * 0.6, 1e-12);
    check_books(&r);
    run_free(&r);
    r = one(method, "position: [0.3, 0, 3]", "{kind: weld, bodies: [ground, a], at: [0, 0, 3]}");
    check_near(place(&r, "a", 0), 0.3, 1e-13);
    check_near(place(&r, "a", 2), 3.0, 1e-13);
    check_near(run_ledger(&r)->now.kinetic, 0.0, 1e-20);
    check_books(&r);
    run_free(&r);
  }
}

/* Two halves of a box that are welded tumble as the box does. */
static void halves_are_one(void **state)
{
  (void)state;
  double x[2], y[2];
  for (int i = 0; i < 2; i++) {
    char text[TEXT];
    const double step = i == 0 ? 2e-3 : 1e-3;
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 3.0000001, step: %g}\ncontacts: [{response: none}]\nbodies:\n"
             "  box: {kind: rigid, shape: {box: {size: [0.4, 0.2, 0.1]}}, density: 100, position: [0, 0, 0], spin: [1, "
             "2, 3]}\n"
             "  left: {kind: rigid, shape: {box: {size: [0.2, 0.2, 0.1]}}, density: 100, position: [-0.1, 0, 0], spin: "
             "[1, 2, 3], velocity: [0, -0.3, 0.2]}\n"
             "  right: {kind: rigid, shape: {box: {size: [0.2, 0.2, 0.1]}}, density: 100, position: [0.1, 0, 0], spin: "
             "[1, 2, 3], velocity: [0, 0.3, -0.2]}\n"
             "joints: [{kind: weld, bodies: [left, right], at: [0, 0, 0]}]\n",
             step);
    run_record r = run_scene(text, &(run_options){0});
    const vv_body *b = &r.model->body[0];
    const vv_block *k = &r.model->block[b->block];
    const double *q = r.state->q + k->q0, w = q[3 * k->column], u = q[4 * k->column], v = q[5 * k->column],
                 z = q[6 * k->column], s = 0.2 / (w * w + u * u + v * v + z * z);
    x[i] = hypot(place(&r, "right", 0) - (0.1 - s * (v * v + z * z)), place(&r, "right", 1) - s * (u * v + w * z));
    y[i] = fabs(place(&r, "right", 0) + place(&r, "left", 0));
    check_books(&r);
    run_free(&r);
  }
  check_most(x[1], 1e-4);
  check_near(log2(x[0] / x[1]), 2.0, 0.3);
  check_most(y[1], 1e-13); /* the middle stays */
}

/* ---- momenta ---- */

static const char tumbling[] =
    "visviva: 1\ntime: {end: 2, step: 1e-3}\ncontacts: [{response: none}]\nmethod: {step: %s}\nbodies:\n"
    "  a: {kind: rigid, shape: {box: {size: [0.3, 0.2, 0.1]}}, density: 100, position: [0, 0, 0], spin: [0, 0, 5]}\n"
    "  b: {kind: rigid, shape: {ball: {radius: 0.1}}, density: 300, position: [0.3, 0, 0], velocity: [0, 1.5, 0], "
    "spin: "
    "[0, 0, 5]}\n"
    "  c: {kind: rigid, shape: {box: {size: [0.1, 0.2, 0.3]}}, density: 100, position: [0.6, 0, 0], velocity: [0, 3, "
    "0], spin: [0, 0, 5]}\n"
    "  d: {kind: rigid, shape: {box: {size: [0.2, 0.2, 0.3]}}, density: 100, position: [0.9, 0, 0], velocity: [0, 4.5, "
    "0], spin: [0, 0, 5]}\n"
    "  e: {kind: rigid, shape: {box: {size: [0.2, 0.1, 0.3]}}, density: 100, position: [0.9, 0.5, 0], velocity: [-2.5, "
    "4.5, 0], spin: [0, 0, 5]}\n"
    "joints:\n"
    "  - {kind: ball, bodies: [a, b], at: [0.15, 0.02, 0.01]}\n"
    "  - {kind: hinge, bodies: [b, c], at: [0.45, 0, 0], axis: [0, 1, 1]}\n"
    "  - {kind: slider, bodies: [c, d], at: [0.75, 0, 0], axis: [1, 0, 0.5]}\n"
    "  - {kind: distance, bodies: [d, e], at: [0.9, 0.1, 0], to: [0.9, 0.4, 0.1]}\n"
    "  - {kind: plane, bodies: [a, e], at: [0, 0.1, 0], to: [0.9, 0.1, 0.1], axis: [0, 1, 0]}\n";

static void momenta_are_exact(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    char text[TEXT];
    snprintf(text, sizeof text, tumbling, i == 0 ? "leapfrog" : "energy-momentum");
    run_record r = run_scene(text, &(run_options){0});
    const vv_ledger *l = run_ledger(&r);
    check_books(&r);
    check_most(l->max_p_drift, 1e-13);
    check_most(l->max_L_drift, 1e-13);
    if (i == 1) check_most(fabs(vv_totals_energy(&l->now) - vv_totals_energy(&l->initial)), 1e-12 * l->energy_scale);
    check_most(fabs(vv_sum_value(&l->posted.joint_work)), 1e-2 * l->energy_scale);
    run_free(&r);
  }
}

/* A step and the step back. */
static void way_back(void **state)
{
  (void)state;
  char text[TEXT];
  snprintf(text, sizeof text, tumbling, "leapfrog");
  run_record r = run_scene(text, &(run_options){.steps = 500});
  vv_sim *back;
  vv_sim_def def = vv_sim_default();
  vv_report report;
  def.step = -1e-3;
  assert_int_equal(vv_sim_create(r.model, r.state, &def, &back), VV_OK);
  assert_int_equal(vv_sim_steps(back, 500, &report), VV_OK);
  assert_int_equal(report.reason, VV_REASON_DONE);
  check_most(run_difference_q(r.state, r.initial), 1e-11);
  vv_sim_destroy(back);
  run_free(&r);
}

/* ---- bodies that bend ---- */

static void bodies_that_bend(void **state)
{
  (void)state;
  static const char text[] =
      "visviva: 1\ntime: {end: 0.2, step: 2e-5}\ncontacts: [{response: none}]\nbodies:\n"
      "  rod: {kind: beam, length: 1, elements: 20, material: {young: 1e8, density: 1000}, section: {circle: {radius: "
      "0.01}}, axis: [1, 0, 0], normal: [0, 0, 1], position: [0, 0, 0]}\n"
      "  bob: {kind: rigid, shape: {box: {size: [0.2, 0.1, 0.1]}}, density: 1000, position: [1.1, 0, 0], spin: [10, 0, "
      "0]}\n"
      "  far: {kind: rigid, shape: {box: {size: [0.2, 0.1, 0.1]}}, density: 1000, position: [0, 0, 0.3], velocity: [1, "
      "0, 0]}\n"
      "joints:\n"
      "  - {kind: hinge, bodies: [rod, bob], at: [1, 0, 0], axis: [1, 0, 0]}\n"
      "  - {kind: distance, bodies: [far, rod], at: [0, 0, 0.3], to: [0, 0, 0]}\n";
  run_record r = run_scene(text, &(run_options){0});
  const vv_ledger *l = run_ledger(&r);
  check_most(l->max_p_drift, 1e-12);
  check_most(l->max_L_drift, 1e-12);
  check_most(l->posted.joint_gap, 1e-14);
  check_most(l->max_closure, 1e-8);
  run_free(&r);
}

/* A strip slides down a wedge that slides on the ground: m g sin a cos a/(M + m sin^2 a) is the acceleration of the wedge, and the
 * interface never opens. */
static void interface_on_a_wedge(void **state)
{
  (void)state;
  static const char text[] =
      "visviva: 1\ntime: {end: 0.1000001, step: 2e-5}\ngravity: [0, 0, -9.81]\ncontacts: [{response: none}]\nbodies:\n"
      "  strip: {kind: beam, length: 1, elements: 8, material: {young: 1e7, density: 1000}, section: {circle: {radius: "
      "0.02}}, axis: [0.8, 0, 0.6], normal: [0.6, 0, -0.8], position: [0, 0, 0]}\n"
      "  wedge: {kind: rigid, shape: {box: {size: [1, 0.5, 0.5]}}, density: 10, position: [0.4, 0, 0]}\n"
      "joints:\n"
      "  - {kind: plane, bodies: [wedge, strip], at: [0, 0, 0], axis: [0.6, 0, -0.8], nodes: all}\n"
      "  - {kind: slider, bodies: [ground, wedge], at: [0.4, 0, 0], axis: [1, 0, 0]}\n";
  run_record r = run_scene(text, &(run_options){0});
  const double m = VV_PI * 0.4, a = m * 9.81 * 0.48 / (2.5 + 0.36 * m);
  check_near(place(&r, "wedge", 0), 0.4 + 0.5 * a * 0.01, 1e-10);
  check_near(place(&r, "wedge", 2), 0.0, 1e-15);
  check_most(run_ledger(&r)->posted.joint_gap, 1e-14);
  check_most(run_ledger(&r)->max_p_drift, 1e-12);
  run_free(&r);
}

/* ---- impacts ---- */

/* A chain of n boxes that falls on a floor, held at its first end or not. */
static void write_chain(char *text, int n, double e, double mu, bool held, const char *kind)
{
  char *t = text;
  t += sprintf(
      t,
      "visviva: 1\ntime: {end: 1.5, step: 1e-3}\ngravity: [0, 0, -9.81]\ncontacts: [{restitution: %g, friction: "
      "%g}]\nbodies:\n  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n",
      e, mu);
  for (int i = 0; i < n; i++)
    t += sprintf(
        t, "  b%d: {kind: rigid, shape: {box: {size: [0.16, 0.05, 0.05]}}, density: 1000, position: [%g, 0, %g]}\n", i,
        0.2 * i + 0.1, 0.5 + (held ? 0.0 : 0.02 * i));
  t += sprintf(t, "joints:\n");
  if (held) t += sprintf(t, "  - {kind: %s, bodies: [ground, b0], at: [0, 0, 0.5]}\n", kind);
  for (int i = 0; i + 1 < n; i++)
    t += sprintf(t, "  - {kind: %s, bodies: [b%d, b%d], at: [%g, 0, %g]}\n", kind, i, i + 1, 0.2 * i + 0.2,
                 0.5 + (held ? 0.0 : 0.02 * i + 0.01));
}

/* Energy, less what joints did, never rises; losses never shrink. */
typedef struct watch {
  double energy, lost;
} watch;

static vv_status watch_energy(const vv_view *v, void *user)
{
  watch *k = user;
  const vv_ledger *l = v->ledger;
  const double energy = vv_totals_energy(&l->now) - vv_sum_value(&l->posted.joint_work),
               lost = vv_posted_losses(&l->posted);
  check_most(energy, k->energy + 1e-12 * fabs(l->initial.potential));
  check_least(lost, k->lost);
  k->energy = energy, k->lost = lost;
  return VV_OK;
}

static void chains_on_a_floor(void **state)
{
  (void)state;
  static const struct {
    int n;
    double e, mu;
    bool held;
  } k[] = {{6, 1, 0, false}, {6, 0.5, 0.3, false}, {6, 0, 0, true}, {8, 0.3, 0.5, true}, {4, 1, 0, true}};
  for (size_t i = 0; i < sizeof k / sizeof *k; i++) {
    char text[TEXT];
    watch w = {INFINITY, 0.0};
    write_chain(text, k[i].n, k[i].e, k[i].mu, k[i].held, "ball");
    run_record r = run_scene(text, &(run_options){.observe = watch_energy, .user = &w});
    const vv_ledger *l = run_ledger(&r);
    check_books(&r);
    assert_true(l->impacts > 5);
    check_most(l->max_penetration, 1e-5);
    if (k[i].e == 1.0) check_most(w.lost, 0.0);
    if (k[i].e < 1.0) check_least(w.lost, 0.3 * l->energy_scale);
    run_free(&r);
  }
}

/* A pendulum that hits a wall square at the bottom turns round: the impact sees the inertia about the hinge, for any e. */
static void impact_of_a_pendulum(void **state)
{
  (void)state;
  for (int i = 0; i < 3; i++) {
    char text[TEXT];
    const double e = 0.5 * i;
    snprintf(
        text, sizeof text,
        "visviva: 1\ntime: {end: 0.3, step: 1e-3}\ncontacts: [{restitution: %g}]\nbodies:\n"
        "  wall: {kind: obstacle, shape: {plane: {normal: [1, 0, 0], offset: -0.4}}}\n"
        "  bob: {kind: rigid, shape: {ball: {radius: 0.2}}, density: 100, position: [0, 0, 0], velocity: [-2, 0, 0], "
        "spin: [0, 2, 0]}\n"
        "joints: [{kind: hinge, bodies: [ground, bob], at: [0, 0, 1], axis: [0, 1, 0]}]\n",
        e);
    run_record r = run_scene(text, &(run_options){0});
    const vv_ledger *l = run_ledger(&r);
    check_books(&r);
    check_near(l->now.kinetic - vv_sum_value(&l->posted.joint_work), e * e * l->initial.kinetic, 1e-9);
    run_free(&r);
  }
}

/* ---- in a medium ---- */

/* A box on a pin, of which a medium takes the velocity of the middle at one rate and the spin at another: (I + m l^2) w' =
 * -m g l sin a - (m k l^2 + I c) w, whose second part is all that is lost.  Runge-Kutta of order 4 in a tenth of the step. */
static double swing_in_a_medium(double k, double c, double end, double *lost)
{
  const double l = 0.3, m = 2.0, g = 9.81, inertia = m * (0.1 * 0.1 + 0.4 * 0.4) / 12.0, h = 1e-4;
  const double drag = m * k * l * l + inertia * c, whole = inertia + m * l * l;
  double y[3] = {0.5 * acos(-1.0), 0.0, 0.0}; /* angle from the lowest place, its rate, what is lost */
  for (int64_t i = 0; i < llround(end / h); i++) {
    static const double part[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double rate[3] = {0}, sum[3] = {0};
    for (int s = 0; s < 4; s++) {
      const double a = y[0] + part[s] * h * rate[0], w = y[1] + part[s] * h * rate[1];
      rate[0] = w, rate[1] = (-m * g * l * sin(a) - drag * w) / whole, rate[2] = drag * w * w;
      for (int n = 0; n < 3; n++) sum[n] += weight[s] * rate[n];
    }
    for (int n = 0; n < 3; n++) y[n] += h * sum[n];
  }
  *lost = y[2];
  return y[0];
}

/* What a medium takes of one body alone, joints take on to what they join; both are the medium's.  With and without a load that turns
 * and varies, along the pin, which changes nothing and leaves the books exact.                       [joint 8b, ledger 11] */
static void fades_on_a_pin(void **state)
{
  (void)state;
  static const double rate[4][2] = {{1, 1}, {1, 0}, {0, 3}, {0.5, 5}};
  for (int i = 0; i < 8; i++) {
    char text[TEXT];
    const double *k = rate[i / 2];
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 2, step: 1e-3}\ngravity: [0, 0, -9.81]\nbodies:\n"
             "  b: {kind: rigid, shape: {box: {size: [0.1, 0.1, 0.4]}}, mass: 2, orientation: {axis: [0, 1, 0], angle: "
             "%.17g}, "
             "damping: {linear: %g, angular: %g}%s}\n"
             "joints: [{kind: hinge, bodies: [b, ground], at: [-0.3, 0, 0], axis: [0, 1, 0]}]\n",
             0.5 * acos(-1.0), k[0], k[1],
             i % 2 == 1 ? ", loads: [{force: [0, 3, 0], follower: true, history: {harmonic: {frequency: 9}}}]" : "");
    run_record r = run_scene(text, &(run_options){0});
    double lost;
    const double a = swing_in_a_medium(k[0], k[1], 2.0, &lost);
    check_near(run_ledger(&r)->now.potential / (2.0 * 9.81), -0.3 * cos(a), 3e-4);
    check_near(vv_sum_value(&run_ledger(&r)->posted.viscous_loss), lost, 1e-3 * lost);
    const vv_claim *claim;
    const int n = vv_sim_claims(r.sim, &claim);
    for (int c = 0; c < n; c++)
      if (!claim[c].kept) fail_msg("%s: %g of %g", claim[c].name, claim[c].worst, claim[c].bound);
    check_books(&r);
    run_free(&r);
  }
}

/* A ball on a pin at its middle bears a load that swings, and does not move: joints do -(h^2/8) g.M^-1 g, whatever g, and nothing is
 * wrong.                                                                                                          [joint 9] */
static void bears_a_load(void **state)
{
  (void)state;
  run_record r =
      run_scene("visviva: 1\ntime: {end: 1, step: 1e-3}\nbodies:\n"
                "  b: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 2, loads: [{force: [40, 0, 0], history: "
                "{harmonic: {frequency: 10}}}]}\n"
                "joints: [{kind: ball, bodies: [b, ground], at: [0, 0, 0]}]\n",
                &(run_options){0});
  const vv_claim *claim;
  const int n = vv_sim_claims(r.sim, &claim);
  for (int c = 0; c < n; c++)
    if (!claim[c].kept) fail_msg("%s: %g of %g", claim[c].name, claim[c].worst, claim[c].bound);
  check_books(&r);
  const double g = 40.0 * sin(10.0), half = 1e-6 / 8.0 * g * g / 2.0;
  check_near(vv_sum_value(&run_ledger(&r)->posted.joint_work), -half, 1e-6 * half);
  check_near(run_ledger(&r)->nodal_now, 0.0, 1e-18);
  run_free(&r);
}

/* ---- bits ---- */

/* Of a state that goes on in a run of its own, as one from a file does. */
static uint64_t gone_on(const char *text, int64_t before, int64_t after)
{
  run_record half = run_scene(text, &(run_options){.steps = before});
  vv_state *copy;
  vv_sim *again;
  vv_report report;
  const vv_sim_def def = vv_sim_default();
  assert_int_equal(vv_state_clone(half.state, &copy), VV_OK);
  assert_int_equal(vv_sim_create(half.model, copy, &def, &again), VV_OK);
  assert_int_equal(vv_sim_restore(again, run_ledger(&half)), VV_OK);
  assert_int_equal(vv_sim_steps(again, after, &report), VV_OK);
  const uint64_t hash = vv_state_hash(copy);
  vv_sim_destroy(again);
  vv_state_destroy(copy);
  run_free(&half);
  return hash;
}

static void same_bits(void **state)
{
  (void)state;
  char text[TEXT];
  write_chain(text, 6, 0.5, 0.3, true, "ball");
  run_record one_thread = run_scene(text, &(run_options){.threads = 1, .steps = 600});
  run_record two_threads = run_scene(text, &(run_options){.threads = 2, .steps = 600});
  assert_int_equal(vv_state_hash(one_thread.state), vv_state_hash(two_threads.state));
  assert_int_equal(gone_on(text, 300, 300), vv_state_hash(one_thread.state));
  run_free(&one_thread), run_free(&two_threads);
}

/* A ball held at its centre moves by rounding alone, which is no reason to mend its momenta where a run goes on. */
static void same_bits_at_rest(void **state)
{
  (void)state;
  const char *text = "visviva: 1\ntime: {end: 1, step: 2.126e-4}\ngravity: [0, 0, -3.9057]\nbodies:\n"
                     "  b: {kind: rigid, shape: {ball: {radius: 0.00776}}, density: 292.76, position: [-0.0248314, "
                     "-0.0248314, 0.0248314]}\n"
                     "joints: [{kind: ball, bodies: [b, ground], at: [-0.0248314, -0.0248314, 0.0248314]}]\n";
  for (int64_t n = 10; n < 40; n++) {
    run_record whole = run_scene(text, &(run_options){.steps = n + 1});
    assert_int_equal(gone_on(text, n, 1), vv_state_hash(whole.state));
    run_free(&whole);
  }
}

/* ---- refusals ---- */

static void refuse(const char *body, const char *joint, const char *word)
{
  char text[TEXT], message[4096];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1, step: 0.01}\nbodies:\n"
           "  a: {kind: rigid, shape: {ball: {radius: 0.1}}, density: 100, position: [0, 0, 0]%s}\n"
           "  b: {kind: rigid, shape: {ball: {radius: 0.1}}, density: 100, position: [1, 0, 0]}\n"
           "joints:\n  - {%s}\n",
           body, joint);
  assert_int_equal(run_refused(text, message, sizeof message), VV_SCENE);
  if (strstr(message, word) == NULL) fail_msg("'%s' is not in: %s", word, message);
}

static void refusals(void **state)
{
  (void)state;
  refuse("", "kind: ball, bodies: [a, c], at: [0, 0, 0]", "unknown body");
  refuse("", "kind: ball, bodies: [a], at: [0, 0, 0]", "ground");
  refuse("", "kind: bolt, bodies: [a, b], at: [0, 0, 0]", "ball");
  refuse("", "kind: hinge, bodies: [a, b], at: [0, 0, 0]", "needs one");
  refuse("", "kind: ball, bodies: [a, b], at: [0, 0, 0], axis: [0, 0, 1]", "has none");
  refuse("", "kind: hinge, bodies: [a, b], at: [0, 0, 0], axis: [0, 0, 0]", "no direction");
  refuse("", "kind: distance, bodies: [a, b], at: [0, 0, 0]", "second");
  refuse("", "kind: distance, bodies: [a, b], at: [0, 0, 0], to: [1, 0, 0], length: 2", "1 apart");
  refuse("", "kind: ball, bodies: [a, b], at: [0, 0, 0], to: [1, 0, 0]", "from where");
  refuse("", "kind: ball, bodies: [a, b], at: [0, 0, 0], length: 2", "distance");
  refuse(", velocity: [0, 0.3, 0]", "kind: ball, bodies: [a, b], at: [0.5, 0, 0]", "0.3 m/s");
  refuse(", spin: [0, 0, 2]", "kind: hinge, bodies: [a, ground], at: [0, 0, 0], axis: [1, 0, 0]", "2 rad/s");
  refuse(", motion: {spin: [0, 0, 3]}", "kind: ball, bodies: [a, b], at: [0.5, 0, 0]", "'a' has a given motion");
  refuse("", "kind: ball, bodies: [ground, ground], at: [0, 0, 0]", "twice");
  refuse("", "kind: ball, bodies: [a, b], at: [0, 0, 0], nodes: all", "plane");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum_by_elliptic_functions),
      cmocka_unit_test(double_pendulum),
      cmocka_unit_test(windows_of_four_bars),
      cmocka_unit_test(windows_lie_flat),
      cmocka_unit_test(bricards_mechanism),
      cmocka_unit_test(falls_along_joints),
      cmocka_unit_test(halves_are_one),
      cmocka_unit_test(momenta_are_exact),
      cmocka_unit_test(way_back),
      cmocka_unit_test(bodies_that_bend),
      cmocka_unit_test(interface_on_a_wedge),
      cmocka_unit_test(chains_on_a_floor),
      cmocka_unit_test(impact_of_a_pendulum),
      cmocka_unit_test(fades_on_a_pin),
      cmocka_unit_test(bears_a_load),
      cmocka_unit_test(same_bits),
      cmocka_unit_test(same_bits_at_rest),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
