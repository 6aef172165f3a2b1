/* tests/physics/test_shell.c  The element of a thin shell: force and energy, rigid motions, materials, a plain twin, the same
 * bits for every number of threads and instruction set, what contact and files see. */
#include "check.h"
#include "run.h"
#include "statics.h"

#include "body/shell/shell.h"
#include "math/so3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096 };

static uint64_t seed = 1;
static double draw(void)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) * 0x1p-53 - 0.5;
}

/* ---- scenes ---- */

typedef struct shape {
  const char *mesh, *rest; /* rest: more words */
  double size;             /* m, of an edge */
  bool free;               /* nothing holds it */
} shape;

static const shape shapes[] = {
    {"{sphere: {radius: 1, level: 2}}", "", 0.35, true},
    {"{sphere: {radius: 1, base: icosahedron, frequency: 3}}", "", 0.35, true},
    {"{cube: {edge: 1, pieces: 3}}", "", 0.33, true},
    {"{torus: {ring: 1, tube: 0.4, around: 12, across: 8}}", "", 0.3, true},
    {"{disc: {radius: 1, rings: 4}}", "", 0.25, true},
    {"{rectangle: {size: [1, 1.3], pieces: [4, 5]}}", "", 0.25, true},
    {"{rectangle: {size: [1, 1.3], pieces: [4, 5]}}", "edges: [{hold: supported}], ", 0.25, false},
    {"{rectangle: {size: [1, 1.3], pieces: [4, 5]}}", "edges: [{hold: clamped, high: [-0.49, 9, 9]}], ", 0.25, false},
    {"{cylinder: {radius: 1, height: 2, around: 14, along: 6}}", "edges: [{hold: clamped, loop: 1}], ", 0.4, false},
    {"{sphere: {radius: 1, frequency: 12}}", "", 0.13, true}, /* more than one tile */
};
static const char *const laws[] = {"stvk", "neo-hookean"};

static run_record open_shell(const shape *s, const char *law, int threads)
{
  char text[TEXT];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1, step: 1e-4}\nmethod: {step: leapfrog}\ncontacts: [{response: none}]\nbodies:\n"
           "  s: {kind: shell, mesh: %s, thickness: 0.04, %srotation: [0.3, -0.2, 0.5], centre: [0.2, 0.1, -0.3],\n"
           "    material: {young: 1000, poisson: 0.3, density: 2, law: %s}}\n",
           s->mesh, s->rest, law);
  const run_options options = {.threads = threads};
  return run_prepare(text, &options);
}

static const vv_block *block(const run_record *r)
{
  return &r->model->block[0];
}

static double *vector(const vv_block *b)
{
  return calloc(3 * (size_t)b->column, sizeof(double));
}

static double *random_vector(const vv_block *b, double size)
{
  double *x = vector(b);
  for (int c = 0; c < 3; c++)
    for (int64_t i = 0; i < b->nodes; i++)
      if (shell_node(b, SHELL_INVERSE_MASS)[i] > 0.0) x[c * b->column + i] = size * draw();
  return x;
}

/* The first places, moved at random by a part of an edge. */
static double *moved(const run_record *r, double size)
{
  const vv_block *b = block(r);
  double *q = random_vector(b, size);
  for (int64_t i = 0; i < 3 * b->column; i++) q[i] += r->initial->q[i];
  return q;
}

static double strain_energy(const vv_block *b, const double *q)
{
  vv_totals sum = {0};
  double *p = vector(b);
  b->kind->audit(b, q, p, &sum);
  free(p);
  return sum.strain;
}

static double dot(const vv_block *b, const double *x, const double *y)
{
  double s = 0.0;
  for (int64_t i = 0; i < 3 * b->column; i++) s += x[i] * y[i];
  return s;
}

/* ---- the element ---- */

/* Differences of fourth order along random directions. */
static void check_gradient(const run_record *r, double size)
{
  const vv_block *b = block(r);
  double *q = moved(r, 0.1 * size), *f = vector(b), *x = vector(b);
  static const double at[] = {1.0, -1.0, 0.5, -0.5};
  b->kind->kick(b, 0.0, 1.0, q, f);
  for (int k = 0; k < 3; k++) {
    double *u = random_vector(b, 1.0), v[4];
    const double h = 2e-3 * size;
    for (int j = 0; j < 4; j++) {
      for (int64_t i = 0; i < 3 * b->column; i++) x[i] = q[i] + at[j] * h * u[i];
      v[j] = strain_energy(b, x);
    }
    const double slope = (8.0 * (v[2] - v[3]) - (v[0] - v[1])) / (6.0 * h);
    check_near(slope, -dot(b, f, u), 1e-9 * sqrt(dot(b, f, f) * dot(b, u, u)));
    free(u);
  }
  free(q), free(f), free(x);
}

/* A rigid motion costs nothing: less than 1e-20 of the energy of a strain of one. */
static void check_rigid(const run_record *r)
{
  const vv_block *b = block(r);
  double *q = vector(b), turn[9], area = 0.0;
  const double w[3] = {1.1, -0.4, 2.0}, shift[3] = {0.7, -0.3, 0.9};
  vvi_exp(w, turn);
  for (int64_t i = 0; i < b->nodes; i++) {
    double x[3], y[3];
    for (int c = 0; c < 3; c++) x[c] = r->initial->q[c * b->column + i];
    vvi_apply33(turn, x, y);
    for (int c = 0; c < 3; c++) q[c * b->column + i] = y[c] + shift[c];
    area += shell_node(b, SHELL_MASS)[i] / (2.0 * 0.04);
  }
  check_most(strain_energy(b, q), 1e-20 * 1000.0 * 0.04 * area);
  free(q);
}

static void check_balance(const run_record *r, double size)
{
  const vv_block *b = block(r);
  double *q = moved(r, 0.1 * size), *f = vector(b);
  vv_totals sum = {0};
  b->kind->kick(b, 0.0, 1.0, q, f);
  b->kind->audit(b, q, f, &sum);
  check_least(sum.p_abs, 1e-3);
  for (int c = 0; c < 3; c++) {
    check_most(fabs(sum.p[c]), 1e-14 * sum.p_abs);
    check_most(fabs(sum.L[c]), 1e-14 * sum.L_abs);
  }
  free(q), free(f);
}

/* The tangent is the derivative of the force, and symmetric. */
static void check_tangent(const run_record *r, double size)
{
  const vv_block *b = block(r);
  double *q = moved(r, 0.1 * size), *u = random_vector(b, 1.0), *v = random_vector(b, 1.0);
  double *Ku = vector(b), *Kv = vector(b), *difference = vector(b), most = 0.0;
  shell_vary_kick(b, -1.0, q, u, Ku);
  shell_vary_kick(b, -1.0, q, v, Kv);
  statics_apply(b, q, u, 1e-4 * size, difference);
  for (int64_t i = 0; i < 3 * b->column; i++) most = fmax(most, fabs(Ku[i]));
  for (int64_t i = 0; i < 3 * b->column; i++) check_near(Ku[i], difference[i], 1e-5 * most);
  check_near(dot(b, v, Ku), dot(b, u, Kv), 1e-12 * sqrt(dot(b, u, u) * dot(b, Kv, Kv)));
  free(q), free(u), free(v), free(Ku), free(Kv), free(difference);
}

static void test_element(void **unused)
{
  (void)unused;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int l = 0; l < 2; l++) {
      run_record r = open_shell(&shapes[i], laws[l], 1);
      check_gradient(&r, shapes[i].size);
      if (shapes[i].free) check_rigid(&r);
      if (shapes[i].free) check_balance(&r, shapes[i].size);
      check_tangent(&r, shapes[i].size);
      run_free(&r);
    }
}

/* ---- the plain twin: the formulas as in the literature, one element after the other, all weights from the tables ---- */

/* Force of a St Venant-Kirchhoff element by Christoffel symbols, in metres: a_a = x,_a, a_ab = x,_ab.
 *   n = D e, m = h^2/12 D kappa, q_g = m^ab Gamma^g_ab
 *   f_I = -(N_I,1 (n11 a_1 + n12 a_2 - q_1 n) + N_I,2 (n22 a_2 + n12 a_1 - q_2 n) + m^ab N_I,ab n) */
static void twin_element(const shell_body *k, const shell_patch *p, const double *x, double *force)
{
  double a[2][3] = {{0}}, d[3][3] = {{0}}; /* d: 11, 22, 12 */
  double dN[SHELL_MOST_NODES][2], ddN[SHELL_MOST_NODES][3];
  for (int i = 0; i < p->nodes; i++) {
    const double *w = p->weight[i];
    dN[i][0] = w[W_1] / SHELL_A, dN[i][1] = w[W_2] / SHELL_A;
    ddN[i][0] = w[W_11] / SHELL_D, ddN[i][1] = w[W_22] / SHELL_D;
    ddN[i][2] = 0.5 * (w[W_11] + w[W_22] - w[W_33]) / SHELL_D;
    for (int c = 0; c < 3; c++) {
      for (int e = 0; e < 2; e++) a[e][c] += dN[i][e] * x[p->at[i] + c];
      for (int e = 0; e < 3; e++) d[e][c] += ddN[i][e] * x[p->at[i] + c];
    }
  }
  double n[3], g[3], up[2][3];
  vvi_cross3(a[0], a[1], n);
  const double J = vvi_norm3(n);
  for (int c = 0; c < 3; c++) n[c] /= J;
  g[0] = vvi_dot3(a[0], a[0]), g[1] = vvi_dot3(a[1], a[1]), g[2] = vvi_dot3(a[0], a[1]);
  for (int c = 0; c < 3; c++) {
    up[0][c] = (g[1] * a[0][c] - g[2] * a[1][c]) / (J * J);
    up[1][c] = (g[0] * a[1][c] - g[2] * a[0][c]) / (J * J);
  }
  const double A = SHELL_A * SHELL_A, R[3] = {p->rest[0] / A, p->rest[1] / A, p->rest[2] / A};
  const double det = R[0] * R[1] - R[2] * R[2], G11 = R[1] / det, G22 = R[0] / det, G12 = -R[2] / det;
  const double nu = k->poisson, E = k->young * k->thickness / (1.0 - nu * nu) * 0.5 * sqrt(det);
  const double H = nu * G11 * G22 + (1.0 - nu) * G12 * G12,
               S = nu * G12 * G12 + 0.5 * (1.0 - nu) * (G11 * G22 + G12 * G12);
  const double D[3][3] = {{E * G11 * G11, E * H, E * G11 * G12},
                          {E * H, E * G22 * G22, E * G22 * G12},
                          {E * G11 * G12, E * G22 * G12, E * S}};
  const double e[3] = {0.5 * (g[0] - R[0]), 0.5 * (g[1] - R[1]), g[2] - R[2]};
  const double kappa[3] = {vvi_dot3(d[0], n) - p->rest[3] / SHELL_D, vvi_dot3(d[1], n) - p->rest[4] / SHELL_D,
                           2.0 * (vvi_dot3(d[2], n) - p->rest[5] / SHELL_D)};
  double N[3] = {0}, M[3] = {0}, q[2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      N[i] += D[i][j] * e[j];
      M[i] += k->thickness * k->thickness / 12.0 * D[i][j] * kappa[j];
    }
  for (int i = 0; i < 2; i++)
    q[i] = M[0] * vvi_dot3(d[0], up[i]) + M[1] * vvi_dot3(d[1], up[i]) + 2.0 * M[2] * vvi_dot3(d[2], up[i]);
  for (int i = 0; i < p->nodes; i++)
    for (int c = 0; c < 3; c++)
      force[p->at[i] + c] -= dN[i][0] * (N[0] * a[0][c] + N[2] * a[1][c] - q[0] * n[c]) +
                             dN[i][1] * (N[1] * a[1][c] + N[2] * a[0][c] - q[1] * n[c]) +
                             (M[0] * ddN[i][0] + M[1] * ddN[i][1] + 2.0 * M[2] * ddN[i][2]) * n[c];
}

static void twin_force(const vv_block *b, const double *q, double *f)
{
  const shell_plan *plan = b->plan;
  static double x[4 * SHELL_MOST_LOCAL], force[4 * SHELL_MOST_LOCAL];
  for (int64_t t = 0; t < plan->tiles; t++) {
    const shell_tile *tile = &plan->tile[t];
    shell_tile_places(tile, b->column, q, x);
    memset(force, 0, sizeof force);
    for (int i = 0; i < tile->groups; i++)
      for (int lane = 0; lane < SHELL_GROUP; lane++) {
        shell_patch p;
        if (shell_lane_element(&tile->group[i], lane) < 0) continue;
        shell_patch_of(tile, &tile->group[i], lane, &p);
        twin_element(shell_of(b, 0), &p, x, force);
      }
    shell_ghosts_give(tile, force);
    for (int i = 0; i < tile->own + tile->halo; i++) {
      const int64_t node = tile->node0 + shell_tile_node(tile, i);
      for (int c = 0; c < 3 && shell_node(b, SHELL_INVERSE_MASS)[node] > 0.0; c++)
        f[c * b->column + node] += force[4 * i + c];
    }
  }
}

static void test_twin(void **unused)
{
  (void)unused;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    run_record r = open_shell(&shapes[i], "stvk", 1);
    const vv_block *b = block(&r);
    double *q = moved(&r, 0.1 * shapes[i].size), *f = vector(b), *g = vector(b), most = 0.0;
    b->kind->kick(b, 0.0, 1.0, q, f);
    twin_force(b, q, g);
    for (int64_t k = 0; k < 3 * b->column; k++) most = fmax(most, fabs(g[k]));
    for (int64_t k = 0; k < 3 * b->column; k++) check_near(f[k], g[k], 1e-13 * most);
    free(q), free(f), free(g);
    run_free(&r);
  }
}

/* Energy of an element from its metric and curvature, as the laws are written down and with more digits: the reference to
 * what the audit adds up by lanes. */
static long double twin_stvk(const shell_body *k, const double *rest, const shell_element *e)
{
  const long double A = SHELL_A * SHELL_A, R[3] = {rest[0] / A, rest[1] / A, rest[2] / A};
  const long double det = R[0] * R[1] - R[2] * R[2], g[3] = {R[1] / det, R[0] / det, -R[2] / det}, nu = k->poisson;
  const long double h = k->thickness, E = k->young * h / (1.0L - nu * nu) * 0.5L * sqrtl(det);
  long double W = 0.0L;
  for (int bending = 0; bending < 2; bending++) {
    long double v[3];
    for (int c = 0; c < 3; c++)
      v[c] = bending ? ((long double)e->B[c] - rest[3 + c]) / SHELL_D : 0.5L * ((long double)e->G[c] - rest[c]) / A;
    const long double m11 = g[0] * v[0] + g[2] * v[2], m12 = g[0] * v[2] + g[2] * v[1]; /* mixed components */
    const long double m21 = g[2] * v[0] + g[1] * v[2], m22 = g[2] * v[2] + g[1] * v[1];
    const long double trace = m11 + m22, square = m11 * m11 + 2.0L * m12 * m21 + m22 * m22;
    W += 0.5L * E * (bending ? h * h / 12.0L : 1.0L) * (nu * trace * trace + (1.0L - nu) * square);
  }
  return W;
}

static long double twin_neo(const shell_body *k, const double *rest, const shell_element *e)
{
  const long double mu = k->mu, lambda = k->lambda, A = SHELL_A * SHELL_A;
  const long double area = 0.5L * sqrtl((long double)rest[0] * rest[1] - (long double)rest[2] * rest[2]) / A;
  long double W = 0.0L;
  for (int side = -1; side <= 1; side += 2) {
    const long double z = side * (long double)k->lever;
    long double C[3], R[3];
    for (int c = 0; c < 3; c++) C[c] = e->G[c] - z * e->B[c], R[c] = rest[c] - z * rest[3 + c];
    const long double det = R[0] * R[1] - R[2] * R[2], ratio = (C[0] * C[1] - C[2] * C[2]) / det;
    const long double trace = (R[1] * C[0] + R[0] * C[1] - 2.0L * R[2] * C[2]) / det;
    const long double C33 = (2.0L * mu + lambda) / (2.0L * mu + lambda * ratio), J2 = ratio * C33;
    W += 0.5L * mu * (trace + C33 - 3.0L - logl(J2)) + 0.25L * lambda * (J2 - 1.0L - logl(J2));
  }
  return 0.5L * k->thickness * area * W;
}

static double twin_energy(const vv_block *b, const double *q)
{
  const shell_plan *plan = b->plan;
  static double x[4 * SHELL_MOST_LOCAL];
  long double sum = 0.0L;
  for (int64_t t = 0; t < plan->tiles; t++) {
    const shell_tile *tile = &plan->tile[t];
    const shell_body *k = shell_of(b, tile->body);
    shell_tile_places(tile, b->column, q, x);
    for (int i = 0; i < tile->groups; i++)
      for (int lane = 0; lane < SHELL_GROUP; lane++) {
        shell_patch p;
        shell_element e;
        if (shell_lane_element(&tile->group[i], lane) < 0) continue;
        shell_patch_of(tile, &tile->group[i], lane, &p);
        shell_element_at(k, &p, x, &e);
        const long double W = k->law == SHELL_STVK ? twin_stvk(k, p.rest, &e) : twin_neo(k, p.rest, &e);
        check_near(e.energy, (double)W, 1e-13 * (double)W);
        sum += W;
      }
  }
  return (double)sum;
}

static void check_nodes(const vv_block *b, const double *q, const double *p, const vv_totals *sum)
{
  const double *minv = shell_node(b, SHELL_INVERSE_MASS);
  long double kinetic = 0.0L, total[3] = {0}, turn[3] = {0}, p_abs = 0.0L, L_abs = 0.0L;
  for (int64_t i = 0; i < b->nodes; i++) {
    double x[3], P[3];
    for (int c = 0; c < 3; c++) x[c] = q[c * b->column + i], P[c] = p[c * b->column + i];
    kinetic += 0.5L * minv[i] * vvi_dot3(P, P);
    for (int c = 0; c < 3; c++) {
      const int d = (c + 1) % 3, e = (c + 2) % 3;
      total[c] += P[c], turn[c] += (long double)x[d] * P[e] - (long double)x[e] * P[d];
    }
    p_abs += vvi_norm3(P), L_abs += vvi_norm3(x) * vvi_norm3(P);
  }
  check_near(sum->kinetic, (double)kinetic, 1e-14 * (double)kinetic);
  check_near(sum->p_abs, (double)p_abs, 1e-14 * (double)p_abs);
  check_near(sum->L_abs, (double)L_abs, 1e-14 * (double)L_abs);
  for (int c = 0; c < 3; c++) {
    check_near(sum->p[c], (double)total[c], 1e-15 * (double)p_abs);
    check_near(sum->L[c], (double)turn[c], 1e-15 * (double)L_abs);
  }
}

/* Strains of a tenth, and about stretches at which the logarithm of the neo-Hookean law leaves its series. */
static void test_audit(void **unused)
{
  (void)unused;
  static const double scale[] = {1.0, 1.6, 0.7};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int l = 0; l < 2; l++) {
      run_record r = open_shell(&shapes[i], laws[l], 1);
      const vv_block *b = block(&r);
      double *q = moved(&r, 0.1 * shapes[i].size), *x = vector(b), *p = random_vector(b, 1.0);
      for (int k = 0; k < 3; k++) {
        for (int64_t j = 0; j < 3 * b->column; j++) x[j] = scale[k] * q[j];
        const double energy = twin_energy(b, x);
        for (int set = 0; set < 3; set++) {
          vv_totals sum = {0};
          ((shell_plan *)b->plan)->audit = shell_tile_audit(set);
          b->kind->audit(b, x, p, &sum);
          check_near(sum.strain, energy, 1e-13 * energy);
          check_nodes(b, x, p, &sum);
        }
      }
      free(q), free(x), free(p);
      run_free(&r);
    }
}

/* Weights: of one sum to 1, of derivatives to 0, whatever the valences; the middle child of a regular patch has the whole
 * numbers of the direct one. */
static void test_weights(void **unused)
{
  (void)unused;
  for (int a = 3; a < 12; a++)
    for (int b = 3; b < 12; b++)
      for (int c = 4; c < 12; c++) {
        const int valence[3] = {a, b, c}, n = shell_patch_size(valence);
        double weight[SHELL_MOST_NODES][SHELL_WEIGHTS], sum[SHELL_WEIGHTS] = {0}, size = 0.0;
        assert_int_equal(n, a + b + c - 6);
        shell_weights(valence, weight);
        for (int i = 0; i < n; i++)
          for (int w = 0; w < SHELL_WEIGHTS; w++) sum[w] += weight[i][w], size += fabs(weight[i][w]);
        for (int w = 0; w < SHELL_WEIGHTS; w++) check_near(sum[w], w == W_N ? 1.0 : 0.0, 1e-15 * size);
      }
}

/* ---- bits ---- */

static void test_bits(void **unused)
{
  (void)unused;
  const shape big = {"{sphere: {radius: 1, frequency: 18}}", "velocity: [1, 2, 3], spin: [5, 6, 7], ", 0.1, true};
  for (int l = 0; l < 2; l++) {
    run_record first = open_shell(&big, laws[l], 1);
    for (int k = 0; k < 20; k++) block(&first)->kind->stride(block(&first), 1e-4, first.state->q, first.state->p);
    vv_totals total = {0};
    block(&first)->kind->audit(block(&first), first.state->q, first.state->p, &total);
    for (int threads = 1; threads <= 3; threads++)
      for (int set = 0; set < 3; set++) {
        run_record r = open_shell(&big, laws[l], threads);
        const vv_block *b = block(&r);
        shell_plan *plan = b->plan;
        vv_totals sum = {0};
        plan->force = shell_tile_force(set), plan->audit = shell_tile_audit(set);
        for (int k = 0; k < 20; k++) {
          if (set == 1) {
            b->kind->stride(b, 1e-4, r.state->q, r.state->p);
            continue;
          }
          b->kind->kick(b, 0.0, 0.5e-4, r.state->q, r.state->p);
          b->kind->kick(b, 0.0, 0.5e-4, r.state->q, r.state->p);
          b->kind->drift(b, 1e-4, r.state->q, r.state->p);
        }
        assert_true(vv_state_hash(r.state) == vv_state_hash(first.state));
        b->kind->audit(b, r.state->q, r.state->p, &sum);
        assert_memory_equal(&sum, &total, sizeof sum);
        run_free(&r);
      }
    assert_true(vv_state_hash(first.state) != vv_state_hash(first.initial));
    run_free(&first);
  }
}

/* A shell that is large enough for its making to be shared by threads, closed and with a border, is made the same. */
static void test_large_bits(void **unused)
{
  (void)unused;
  const shape large[2] = {{"{sphere: {radius: 1, frequency: 54}}", "spin: [5, 6, 7], ", 0.05, true},
                          {"{disc: {radius: 1, rings: 60}}", "velocity: [1, 2, 3], ", 0.02, false}};
  for (int k = 0; k < 2; k++) {
    run_record first = open_shell(&large[k], laws[0], 1);
    for (int threads = 2; threads <= 7; threads += 5) {
      run_record r = open_shell(&large[k], laws[0], threads);
      const vv_block *a = block(&first), *b = block(&r);
      assert_memory_equal(a->node_real, b->node_real, sizeof(double) * (size_t)(a->kind->node_reals * a->stride));
      assert_memory_equal(a->element_node, b->element_node, 3 * sizeof(int32_t) * (size_t)a->elements);
      assert_true(vv_state_hash(r.state) == vv_state_hash(first.state));
      assert_true(vv_model_stable_step(r.model) == vv_model_stable_step(first.model));
      const shell_limit *x = &((const shell_plan *)a->plan)->component[0].cut->limit;
      const shell_limit *y = &((const shell_plan *)b->plan)->component[0].cut->limit;
      assert_memory_equal(x->first, y->first, sizeof *x->first * (size_t)(a->nodes + 1));
      assert_memory_equal(x->weight, y->weight, sizeof *x->weight * (size_t)x->first[a->nodes]);
      double energy[2] = {0}; /* of the references, by a place that is not at rest */
      for (int i = 0; i < 2; i++) {
        vv_totals sum = {0};
        const run_record *one = i == 0 ? &first : &r;
        memcpy(r.state->q, first.state->q, sizeof(double) * (size_t)(3 * a->column));
        for (int64_t n = 0; n < a->nodes; n++) r.state->q[n] *= 1.001;
        block(one)->kind->audit(block(one), r.state->q, r.state->p, &sum);
        energy[i] = sum.strain;
      }
      assert_true(energy[0] > 0.0 && energy[0] == energy[1]);
      run_free(&r);
    }
    run_free(&first);
  }
}

/* ---- materials ---- */

/* A rectangle stretched by l1 and l2: inside, the surface is stretched alike, and the law can be written down. */
static void test_stretch(void **unused)
{
  (void)unused;
  const double l1 = 1.4, l2 = 0.9, E = 1000.0, nu = 0.3, h = 0.04;
  const double mu = E / (2.0 * (1.0 + nu)), lambda = E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
  for (int l = 0; l < 2; l++) {
    run_record r =
        run_prepare("visviva: 1\ntime: {end: 1, step: 1e-4}\nbodies:\n  s: {kind: shell, thickness: 0.04, "
                    "mesh: {rectangle: {size: [1, 1], pieces: [6, 6]}}, material: {young: 1000, density: 1}}\n",
                    NULL);
    const vv_block *b = block(&r);
    shell_body *k = (shell_body *)(void *)b->body_real;
    run_record neo = run_prepare(
        "visviva: 1\ntime: {end: 1, step: 1e-4}\nbodies:\n  s: {kind: shell, thickness: 0.04, mesh: {rectangle: {size: "
        "[1, 1], pieces: [6, 6]}}, material: {young: 1000, density: 1, law: neo-hookean}}\n",
        NULL);
    if (l == 1) b = block(&neo), k = (shell_body *)(void *)b->body_real;
    assert_int_equal((int)k->law, l);
    double *q = vector(b), *p = vector(b), *out = calloc(3 * (size_t)b->elements, sizeof *out);
    for (int64_t i = 0; i < b->nodes; i++)
      q[i] = l1 * r.initial->q[i], q[b->column + i] = l2 * r.initial->q[b->column + i];
    const double e1 = 0.5 * (l1 * l1 - 1.0), e2 = 0.5 * (l2 * l2 - 1.0), ratio = l1 * l1 * l2 * l2;
    const double c33 = (2.0 * mu + lambda) / (2.0 * mu + lambda * ratio), J = sqrt(ratio * c33);
    const double stvk = 0.5 * E / (1.0 - nu * nu) * (e1 * e1 + e2 * e2 + 2.0 * nu * e1 * e2);
    const double hooke =
        0.5 * mu * (l1 * l1 + l2 * l2 + c33 - 3.0 - 2.0 * log(J)) + 0.25 * lambda * (J * J - 1.0 - 2.0 * log(J));
    const double s1 = l == 0 ? E / (1.0 - nu * nu) * (e1 + nu * e2) : mu * (1.0 - c33 / (l1 * l1));
    const double s2 = l == 0 ? E / (1.0 - nu * nu) * (e2 + nu * e1) : mu * (1.0 - c33 / (l2 * l2));
    const double thick = l == 0 ? h * (1.0 - nu / (1.0 - nu) * (e1 + e2)) : h * sqrt(c33);
    b->kind->output(b, 10, q, p, out);
    for (int64_t i = 0; i < b->elements; i++) check_near(out[i], h * (l == 0 ? stvk : hooke), 1e-11 * E * h);
    b->kind->output(b, 9, q, p, out);
    for (int64_t i = 0; i < b->elements; i++) check_near(out[i], thick, 1e-12 * h);
    b->kind->output(b, 7, q, p, out); /* trace and size do not depend on the frame */
    for (int64_t i = 0; i < b->elements; i++) {
      const double *s = out + 3 * i;
      check_near(s[0] + s[1], s1 + s2, 1e-10 * E);
      check_near(s[0] * s[0] + s[1] * s[1] + 2.0 * s[2] * s[2], s1 * s1 + s2 * s2, 1e-10 * E * E);
    }
    free(q), free(p), free(out);
    run_free(&r), run_free(&neo);
  }
}

/* For small strains both laws are the same, up to the thickness over the radius of curvature. */
static void test_small_strains(void **unused)
{
  (void)unused;
  run_record a = open_shell(&shapes[6], "stvk", 1), c = open_shell(&shapes[6], "neo-hookean", 1);
  const vv_block *b = block(&a);
  double *u = random_vector(b, 1e-6), *f = vector(b), *g = vector(b), most = 0.0;
  for (int64_t i = 0; i < 3 * b->column; i++) u[i] += a.initial->q[i];
  b->kind->kick(b, 0.0, 1.0, u, f);
  b->kind->kick(block(&c), 0.0, 1.0, u, g);
  for (int64_t i = 0; i < 3 * b->column; i++) most = fmax(most, fabs(f[i]));
  for (int64_t i = 0; i < 3 * b->column; i++) check_near(f[i], g[i], 1e-3 * most);
  free(u), free(f), free(g);
  run_free(&a), run_free(&c);
}

/* ---- what contact sees ---- */

/* Any point of any triangle, on the control mesh and on the limit surface: pull is the transpose of push, inverse_mass is
 * push after pull, and surface moves as push says. */
/* A surface that is shrunk by s everywhere has s^2 of every area: one that is turned has lost nothing, a tenth is 1.    [shell 2a] */
static void test_distortion(void **unused)
{
  (void)unused;
  static const double factor[] = {1.0, 0.9, 0.316227766016837933, 0.1};
  for (int i = 0; i < VV_COUNT(shapes); i++) {
    if (!shapes[i].free) continue;
    run_record r = open_shell(&shapes[i], laws[i % 2], 1 + i % 3);
    const vv_block *b = block(&r);
    double *q = malloc((size_t)r.state->nq * sizeof *q);
    for (int k = 0; k < VV_COUNT(factor); k++) {
      const double s = factor[k];
      for (int64_t j = 0; j < r.state->nq; j++) q[j] = s * r.state->q[j];
      check_near(b->kind->distortion(b, q), (1.0 - s * s) / 0.9, 1e-12);
      check_near(b->kind->stretch(b, q), 0.0, 1e-13);
      for (int64_t j = 0; j < r.state->nq; j++) q[j] = r.state->q[j] / s; /* a Green strain of (1/s^2 - 1)/2 */
      check_near(b->kind->stretch(b, q), i % 2 == 0 ? 0.5 * (1.0 / (s * s) - 1.0) : 0.0,
                 1e-7 / (s * s)); /* a double root */
    }
    free(q);
    run_free(&r);
  }
}

static void test_surface(void **unused)
{
  (void)unused;
  for (int limit = 0; limit < 2; limit++) {
    const shape s = {
        "{disc: {radius: 1, rings: 4}}",
        limit ? "contact: limit, edges: [{hold: clamped, high: [-0.5, 9, 9]}], copies: [{centre: [0, 0, 0]}, "
                "{centre: [0, 0, 3]}], "
              : "copies: [{centre: [0, 0, 0]}, {centre: [0, 0, 3]}], ",
        0.25, true};
    run_record r = open_shell(&s, "stvk", 1);
    const vv_block *b = block(&r);
    assert_int_equal(b->patches, 2);
    for (int k = 0; k < 200; k++) {
      const double u = draw() + 0.5, v = (draw() + 0.5) * (1.0 - u);
      const vv_point pt = {.patch = k % 2, .element = (int32_t)((draw() + 0.5) * 96), .xi = {u, v}};
      double *q = moved(&r, 0.02), *p = random_vector(b, 1.0), *jr = vector(b), *q1 = vector(b);
      double w[3], x0[3], x1[3], f[3] = {draw(), draw(), draw()}, a[6], back[3], sum = 0.0;
      b->kind->push(b, q, p, 1, &pt, w);
      b->kind->pull(b, q, 1, &pt, f, jr);
      for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < b->nodes; i++)
          sum += shell_node(b, SHELL_INVERSE_MASS)[i] * p[c * b->column + i] * jr[c * b->column + i];
      check_near(vvi_dot3(w, f), sum, 1e-13 * (1.0 + fabs(sum)));
      b->kind->push(b, q, jr, 1, &pt, back);
      b->kind->inverse_mass(b, q, 1, &pt, a);
      for (int c = 0; c < 3; c++) check_near(back[c], a[c] * f[c], 1e-13 * (1.0 + fabs(back[c])));
      memcpy(q1, q, sizeof *q * 3 * (size_t)b->column);
      b->kind->drift(b, 1e-3, q1, p);
      b->kind->surface(b, q, 1, &pt, x0);
      b->kind->surface(b, q1, 1, &pt, x1);
      for (int c = 0; c < 3; c++) check_near(x1[c] - x0[c], 1e-3 * w[c], 1e-14 * (1.0 + fabs(w[c])));
      free(q), free(p), free(jr), free(q1);
    }
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_element),       cmocka_unit_test(test_twin),       cmocka_unit_test(test_weights),
      cmocka_unit_test(test_bits),          cmocka_unit_test(test_large_bits), cmocka_unit_test(test_stretch),
      cmocka_unit_test(test_small_strains), cmocka_unit_test(test_distortion), cmocka_unit_test(test_surface),
      cmocka_unit_test(test_audit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
