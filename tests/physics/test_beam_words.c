/* tests/physics/test_beam_words.c  Every word of a beam against a plain program of its own.
 *
 * The oracle below knows docs/theory/beam.md and nothing of src: energies of an element from places and frames
 * [beam 1, 30, 50], forces by differences of fourth order, lumped and consistent masses, the drift by iteration [beam 20].
 * Each row of the table is one scene, run by the library and by the oracle. */
#include "check.h"
#include "run.h"

#include "math/math.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096, ELEMENTS = 10, MOST = ELEMENTS + 1, LISTED = 3, STEPS = 20 };

static const double LENGTH = 2.0, YOUNG = 1000.0, SHEAR = 400.0, DENSITY = 7.0, STEP = 1e-3;

typedef enum strain_rule { ONE_POINT, TRAPEZOID, CAYLEY, DIRECTOR } strain_rule;
static const char *const rule_word[] = {"one-point", "trapezoid", "cayley", "one-point"};

/* ---- rows ---- */

enum { FREE, PINNED, CLAMPED, SLOPE };

typedef struct point_mass {
  int node;
  double mass, inertia[3];
} point_mass;

/* A load on a node, or (node -1) per length. */
typedef struct push {
  int node;
  double force[3], moment[3];
  bool follower;
  double (*history)(double t); /* NULL: constant */
} push;

typedef struct word_case {
  const char *name, *words; /* of the body */
  double area, bending[2];
  double torsion, rotary[3], shear[2]; /* 0: those of a plane section, and 1 */
  bool rest, closed;
  double gravity[3];
  int end[2];
  point_mass mass[LISTED];
  push load[LISTED];
} word_case;

static double ramp(double t)
{
  return t < 0.01 ? t / 0.01 : 1.0;
}

static double harmonic(double t)
{
  return sin(30.0 * t);
}

static double table(double t)
{
  return t < 0.01 ? t / 0.01 : 1.0 - 25.0 * (t - 0.01);
}

#define RECTANGLE "section: {rectangle: {width: 0.3, height: 0.2}}"
#define MOMENTS   .area = 0.06, .bending = {0.3 * 0.008 / 12.0, 0.2 * 0.027 / 12.0}
#define MOTION    ", axis: [1, 2, -2], spin: [1, 2, 3], velocity: [0.1, 0, 0]"
#define BENT      MOTION ", shape: {uniform: {strain: [0.02, 0.01, 0.95], curvature: [0.3, 0.5, -0.4]}}"
#define ROUND(r)  (VV_PI * (r) * (r) * (r) * (r) / 4.0)

static const word_case row[] = {
    {.name = "rectangle", .words = RECTANGLE BENT, MOMENTS},
    {.name = "square",
     .words = "section: {square: {side: 0.2}}" BENT,
     .area = 0.04,
     .bending = {0.0016 / 12.0, 0.0016 / 12.0}},
    {.name = "circle",
     .words = "section: {circle: {radius: 0.1}}" BENT,
     .area = VV_PI * 0.01,
     .bending = {ROUND(0.1), ROUND(0.1)}},
    {.name = "tube",
     .words = "section: {tube: {radius: 0.1, inner: 0.06}}" BENT,
     .area = VV_PI * (0.01 - 0.0036),
     .bending = {ROUND(0.1) - ROUND(0.06), ROUND(0.1) - ROUND(0.06)}},
    {.name = "general",
     .words = "section: {general: {area: 0.06, bending: [2e-4, 4.5e-4], rotary: [3e-4, 5e-4, 6e-4]}}" BENT,
     .area = 0.06,
     .bending = {2e-4, 4.5e-4},
     .rotary = {3e-4, 5e-4, 6e-4}},
    {.name = "stiffness",
     .words = RECTANGLE ", stiffness: {shear: [0.8, 0.5], torsion: 1e-4}" BENT,
     MOMENTS,
     .torsion = 1e-4,
     .shear = {0.8, 0.5}},
    {.name = "rest", .words = RECTANGLE ", rest: shape" BENT, MOMENTS, .rest = true},
    {.name = "masses",
     .words = RECTANGLE ", masses: [{at: 0, mass: 1}, {at: 0.5, mass: 2, inertia: [0.1, 0.2, 0.25]}, {at: 0.5, mass: "
                        "0.5, inertia: [0.02, 0.01, 0.02]}]" BENT,
     MOMENTS,
     .gravity = {0, 1, -9.8},
     .mass = {{0, 1.0, {0}}, {5, 2.0, {0.1, 0.2, 0.25}}, {5, 0.5, {0.02, 0.01, 0.02}}}},
    {.name = "follower",
     .words = RECTANGLE ", loads: [{at: 1, follower: true, force: [5, 3, -2], moment: [1, -2, 3]}]" BENT,
     MOMENTS,
     .load = {{.node = 10, .force = {5, 3, -2}, .moment = {1, -2, 3}, .follower = true}}},
    {.name = "dead",
     .words = RECTANGLE ", loads: [{at: 0.5, force: [5, 3, -2], history: {ramp: {duration: 0.01}}}, {at: 1, moment: "
                        "[1, -2, 3], history: {harmonic: {frequency: 30}}}]" BENT,
     MOMENTS,
     .load = {{.node = 5, .force = {5, 3, -2}, .history = ramp},
              {.node = 10, .moment = {1, -2, 3}, .history = harmonic}}},
    {.name = "distributed",
     .words = RECTANGLE ", distributed: [{force: [5, 3, -2], moment: [1, -2, 3], follower: true, history: {table: "
                        "{time: [0, 0.01, 0.03], value: [0, 1, 0.5]}}}, {force: [1, 2, 3]}]" BENT,
     MOMENTS,
     .load = {{.node = -1, .force = {5, 3, -2}, .moment = {1, -2, 3}, .follower = true, .history = table},
              {.node = -1, .force = {1, 2, 3}}}},
    {.name = "clamped and pinned",
     .words = RECTANGLE ", ends: {first: clamped, last: pinned}" BENT,
     MOMENTS,
     .gravity = {0, 1, -9.8},
     .end = {CLAMPED, PINNED}},
    {.name = "slope at the first end",
     .words = RECTANGLE ", ends: {first: slope, last: clamped}" MOTION,
     MOMENTS,
     .gravity = {0, 1, -9.8},
     .end = {SLOPE, CLAMPED}},
    {.name = "slope at the last end",
     .words = RECTANGLE ", ends: {first: pinned, last: slope}" MOTION,
     MOMENTS,
     .gravity = {0, 1, -9.8},
     .end = {PINNED, SLOPE}},
    {.name = "ring, load and mass at 1",
     .words = RECTANGLE ", closed: true, rest: shape, shape: {arc: {angle: 6.283185307179586}}, loads: [{at: 1, force: "
                        "[3, 1, 0]}], masses: [{at: 1, mass: 2, inertia: [0.1, 0.2, 0.25]}]" MOTION,
     MOMENTS,
     .rest = true,
     .closed = true,
     .mass = {{0, 2.0, {0.1, 0.2, 0.25}}},
     .load = {{.node = 0, .force = {3, 1, 0}}}},
};

static run_record prepare(const word_case *w, strain_rule rule)
{
  char text[2 * TEXT];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: %.17g, step: %.17g}\nmethod: {step: %s}\ngravity: [%g, %g, %g]\nbodies:\n"
           "  a: {kind: beam, length: %g, elements: %d, material: {young: %g, poisson: 0.25, density: %g}, "
           "strain: %s, %s}\n",
           STEPS * STEP, STEP, rule == DIRECTOR ? "energy-momentum" : "leapfrog", w->gravity[0], w->gravity[1],
           w->gravity[2], LENGTH, ELEMENTS, YOUNG, DENSITY, rule_word[rule], w->words);
  return run_prepare(text, NULL);
}

/* ---- the oracle ---- */

typedef struct place {
  double x[3], L[9]; /* rows of the frame */
} place;

/* G at the left and at the right node (the same but for the trapezoid rule), and the curvature. */
typedef struct strains {
  double a[3], b[3], k[3];
} strains;

typedef struct oracle {
  const word_case *w;
  strain_rule rule;
  int nodes;
  double l, c1[3], c2[3], rho_a, j[3]; /* j: per length */
  double weight[MOST], mass[MOST], inertia[MOST][3];
  strains rest;
  bool held_place[MOST], held_frame[MOST];
  int on_line[2]; /* nodes on a line; -1: none */
  double line[2][3];
  place at[MOST];
  double P[MOST][3], S[MOST][3];
} oracle;

/* y = m v, and y = m^T v */
static void apply(const double m[9], const double v[3], double y[3])
{
  for (int c = 0; c < 3; c++) y[c] = m[3 * c] * v[0] + m[3 * c + 1] * v[1] + m[3 * c + 2] * v[2];
}

static void apply_back(const double m[9], const double v[3], double y[3])
{
  for (int c = 0; c < 3; c++) y[c] = m[c] * v[0] + m[3 + c] * v[1] + m[6 + c] * v[2];
}

static double columns(const double A[9], int i, const double B[9], int j)
{
  return A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
}

/* L <- cay(w) L for a turn in space. */
static void turn(double L[9], const double w[3])
{
  const double c = 4.0 / (4.0 + vvi_dot3(w, w));
  for (int k = 0; k < 3; k++) {
    const double d[3] = {L[k], L[3 + k], L[6 + k]};
    double once[3], twice[3];
    vvi_cross3(w, d, once);
    vvi_cross3(w, once, twice);
    for (int i = 0; i < 3; i++) L[3 * i + k] = d[i] + c * (once[i] + 0.5 * twice[i]);
  }
}

static strains strains_of(const oracle *o, const place *a, const place *b)
{
  strains s;
  double D[3], aside[3], psi[3], tr = 1.0;
  for (int c = 0; c < 3; c++) D[c] = (b->x[c] - a->x[c]) / o->l, tr += columns(a->L, c, b->L, c);
  apply_back(a->L, D, s.a);
  apply_back(b->L, D, s.b);
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3; /* R_ji - R_ij, R = A^T B */
    psi[k] = columns(a->L, j, b->L, i) - columns(a->L, i, b->L, j);
    s.k[k] = o->rule == DIRECTOR ? psi[k] / (2.0 * o->l) : 2.0 / tr * psi[k] / o->l;
  }
  for (int c = 0; c < 3; c++) psi[c] = s.k[c] * o->l;
  vvi_cross3(psi, s.a, aside);
  for (int c = 0; c < 3 && o->rule != TRAPEZOID; c++)
    s.a[c] = s.b[c] = o->rule == CAYLEY ? s.a[c] - 0.5 * aside[c] : 0.5 * (s.a[c] + s.b[c]);
  return s;
}

static strains less_rest(const oracle *o, const place *a, const place *b)
{
  strains s = strains_of(o, a, b);
  for (int c = 0; c < 3; c++) s.a[c] -= o->rest.a[c], s.b[c] -= o->rest.b[c], s.k[c] -= o->rest.k[c];
  return s;
}

static double element_energy(const oracle *o, const place *a, const place *b)
{
  const strains s = less_rest(o, a, b);
  double sum = 0.0;
  for (int c = 0; c < 3; c++)
    sum += 0.25 * o->l * o->c1[c] * (s.a[c] * s.a[c] + s.b[c] * s.b[c]) + 0.5 * o->l * o->c2[c] * s.k[c] * s.k[c];
  return sum;
}

static double strain_energy(const oracle *o)
{
  double sum = 0.0;
  for (int e = 0; e < ELEMENTS; e++) sum += element_energy(o, &o->at[e], &o->at[(e + 1) % o->nodes]);
  return sum;
}

/* Minus the derivative of an element's energy when its node `which` moves (c < 3) or turns (c - 3), all in space. */
static double element_force(const oracle *o, int e, int which, int c)
{
  static const double far[] = {1, -1, 2, -2}, part[] = {8, -8, -1, 1}, small = 1e-4;
  double slope = 0.0;
  for (int k = 0; k < 4; k++) {
    place end[2] = {o->at[e], o->at[(e + 1) % o->nodes]};
    double w[3] = {0, 0, 0};
    if (c < 3)
      end[which].x[c] += far[k] * small;
    else
      w[c - 3] = far[k] * small, turn(end[which].L, w);
    slope += part[k] / (12.0 * small) * element_energy(o, &end[0], &end[1]);
  }
  return -slope;
}

static void add_loads(const oracle *o, double t, double F[MOST][6])
{
  for (const push *l = o->w->load; l < o->w->load + LISTED; l++)
    for (int i = 0; i < o->nodes; i++) {
      const double size = (l->history != NULL ? l->history(t) : 1.0) * (l->node < 0 ? o->weight[i] : 1.0);
      double force[3], moment[3];
      if (l->node >= 0 && l->node != i) continue;
      apply(o->at[i].L, l->force, force);
      apply(o->at[i].L, l->moment, moment);
      for (int c = 0; c < 3; c++) {
        F[i][c] += size * (l->follower ? force[c] : l->force[c]);
        F[i][3 + c] += size * (l->follower ? moment[c] : l->moment[c]);
      }
    }
}

static void forces(const oracle *o, double t, double F[MOST][6])
{
  memset(F, 0, sizeof(double) * 6 * MOST);
  for (int i = 0; i < o->nodes; i++)
    for (int c = 0; c < 3; c++) F[i][c] = o->mass[i] * o->w->gravity[c];
  for (int e = 0; e < ELEMENTS; e++)
    for (int c = 0; c < 6; c++)
      F[e][c] += element_force(o, e, 0, c), F[(e + 1) % o->nodes][c] += element_force(o, e, 1, c);
  add_loads(o, t, F);
}

/* Leaves of a force or velocity (moving, turning) of node i what its support allows. */
static void release(const oracle *o, int i, double moving[3], double turning[3])
{
  for (int c = 0; c < 3; c++) {
    if (o->held_place[i]) moving[c] = 0.0;
    if (o->held_frame[i]) turning[c] = 0.0;
  }
  for (int e = 0; e < 2; e++) {
    if (o->on_line[e] != i) continue;
    const double along = vvi_dot3(moving, o->line[e]);
    for (int c = 0; c < 3; c++) moving[c] = along * o->line[e][c];
  }
}

static void oracle_kick(oracle *o, double t, double h)
{
  double F[MOST][6] = {{0}};
  forces(o, t, F);
  for (int i = 0; i < o->nodes; i++) {
    for (int c = 0; c < 3; c++) o->P[i][c] += h * F[i][c], o->S[i][c] += h * F[i][3 + c];
    release(o, i, o->P[i], o->S[i]);
  }
}

/* J w = s - w x s/2 + w (w.s)/4, s = h L^T S                                                                    [beam 20] */
static void oracle_drift(oracle *o, double h)
{
  for (int i = 0; i < o->nodes; i++) {
    double s[3], w[3] = {0, 0, 0}, side[3], space[3];
    apply_back(o->at[i].L, o->S[i], s);
    for (int k = 0; k < 60; k++) {
      const double along = 0.25 * h * vvi_dot3(w, s);
      vvi_cross3(w, s, side);
      for (int c = 0; c < 3; c++) space[c] = (h * s[c] - 0.5 * h * side[c] + along * w[c]) / o->inertia[i][c];
      memcpy(w, space, sizeof w);
    }
    apply(o->at[i].L, w, space); /* L cay(w) = cay(L w) L */
    turn(o->at[i].L, space);
    for (int c = 0; c < 3; c++) o->at[i].x[c] += h * o->P[i][c] / o->mass[i];
  }
}

/* ---- from a row and a state to an oracle ---- */

static void take_places(oracle *o, const run_record *r)
{
  const vv_block *b = &r->model->block[0];
  for (int i = 0; i < o->nodes; i++) {
    for (int c = 0; c < 3; c++) o->at[i].x[c] = r->state->q[c * b->column + i];
    for (int c = 0; c < 9; c++) o->at[i].L[c] = r->state->q[(3 + c) * b->column + i];
  }
}

static void oracle_masses(oracle *o)
{
  const word_case *w = o->w;
  for (int i = 0; i < o->nodes; i++) {
    o->weight[i] = w->closed || (i > 0 && i < ELEMENTS) ? o->l : 0.5 * o->l;
    o->mass[i] = o->rho_a * o->weight[i];
    for (int c = 0; c < 3; c++) o->inertia[i][c] = o->j[c] * o->weight[i];
  }
  for (int k = 0; k < LISTED; k++) {
    o->mass[w->mass[k].node] += w->mass[k].mass;
    for (int c = 0; c < 3; c++) o->inertia[w->mass[k].node][c] += w->mass[k].inertia[c];
  }
}

static void oracle_supports(oracle *o)
{
  for (int e = 0; e < 2; e++) {
    const int node = e == 0 ? 0 : ELEMENTS, next = e == 0 ? 1 : ELEMENTS - 1, end = o->w->end[e];
    o->on_line[e] = end == SLOPE ? next : -1;
    for (int c = 0; c < 3 && end != FREE; c++) o->line[e][c] = o->at[node].L[3 * c + 2];
    if (end != FREE) o->held_place[node] = true, o->held_frame[node] = end != PINNED;
  }
}

/* Velocity and spin of MOTION: about the centre of mass, then what the supports allow. */
static void oracle_motion(oracle *o, double v[MOST][3], double w[MOST][3])
{
  static const double velocity[3] = {0.1, 0, 0}, spin[3] = {1, 2, 3};
  double centre[3] = {0, 0, 0}, mass = 0.0;
  for (int i = 0; i < o->nodes; i++) {
    mass += o->mass[i];
    for (int c = 0; c < 3; c++) centre[c] += o->mass[i] * o->at[i].x[c];
  }
  for (int i = 0; i < o->nodes; i++) {
    double arm[3];
    for (int c = 0; c < 3; c++) arm[c] = o->at[i].x[c] - centre[c] / mass;
    vvi_cross3(spin, arm, v[i]);
    for (int c = 0; c < 3; c++) v[i][c] += velocity[c], w[i][c] = spin[c];
    release(o, i, v[i], w[i]);
  }
}

static oracle oracle_of(const word_case *w, strain_rule rule, const run_record *r)
{
  const double polar = w->bending[0] + w->bending[1], *k = w->shear;
  oracle o = {.w = w, .rule = rule, .nodes = w->closed ? ELEMENTS : MOST, .l = LENGTH / ELEMENTS};
  for (int c = 0; c < 2; c++) {
    o.c1[c] = SHEAR * w->area * (k[c] > 0.0 ? k[c] : 1.0);
    o.c2[c] = YOUNG * w->bending[c];
    o.j[c] = DENSITY * w->bending[c];
  }
  o.c1[2] = YOUNG * w->area, o.c2[2] = SHEAR * (w->torsion > 0.0 ? w->torsion : polar);
  o.rho_a = DENSITY * w->area, o.j[2] = DENSITY * polar;
  for (int c = 0; c < 3 && w->rotary[0] > 0.0; c++) o.j[c] = DENSITY * w->rotary[c];
  assert_int_equal(r->model->block[0].nodes, o.nodes);
  take_places(&o, r);
  oracle_masses(&o);
  oracle_supports(&o);
  o.rest = (strains){{0, 0, 1}, {0, 0, 1}, {0, 0, 0}};
  if (w->rest) o.rest = strains_of(&o, &o.at[0], &o.at[1]);
  double v[MOST][3] = {{0}}, omega[MOST][3] = {{0}};
  oracle_motion(&o, v, omega);
  for (int i = 0; i < o.nodes; i++) {
    double body[3];
    apply_back(o.at[i].L, omega[i], body);
    for (int c = 0; c < 3; c++) o.P[i][c] = o.mass[i] * v[i][c], body[c] *= o.inertia[i][c];
    apply(o.at[i].L, body, o.S[i]);
  }
  return o;
}

/* ---- comparisons ---- */

/* Fails with the name of the row when `got` is off by more than part of the largest `want`. */
static void compare(const word_case *w, const char *what, int n, const double *got, const double *want, double part)
{
  double worst = 0.0, scale = 0.0;
  for (int i = 0; i < n; i++) {
    worst = fmax(worst, isfinite(got[i]) ? fabs(got[i] - want[i]) : INFINITY);
    scale = fmax(scale, fabs(want[i]));
  }
  if (!(worst <= part * scale + 1e-300))
    fail_msg("%s: %s is off by %.3g of %.3g (allowed %.3g)", w->name, what, worst, scale, part * scale);
}

/* Rows c0 .. c0 + 2 of a table [..][column] as [nodes][3]. */
static void gather(const oracle *o, const double *column, int64_t stride, int c0, double out[MOST][3])
{
  for (int i = 0; i < o->nodes; i++)
    for (int c = 0; c < 3; c++) out[i][c] = column[(c0 + c) * stride + i];
}

static void compare_state(const oracle *o, const run_record *r, double part)
{
  const int64_t column = r->model->block[0].column;
  double got[MOST][3] = {{0}}, want[MOST][3] = {{0}};
  for (int k = 0; k < 4; k++) { /* place, rows of the frame */
    gather(o, r->state->q, column, 3 * k, got);
    for (int i = 0; i < o->nodes; i++) memcpy(want[i], k == 0 ? o->at[i].x : o->at[i].L + 3 * (k - 1), sizeof want[i]);
    compare(o->w, k == 0 ? "a place" : "a frame", 3 * o->nodes, got[0], want[0], part);
  }
  gather(o, r->state->p, column, 0, got);
  compare(o->w, "P", 3 * o->nodes, got[0], o->P[0], part);
  gather(o, r->state->p, column, 3, got);
  compare(o->w, "S", 3 * o->nodes, got[0], o->S[0], part);
}

static void compare_output(const oracle *o, const run_record *r, const char *field, int n, double want[][3])
{
  double got[MOST][3] = {{0}};
  assert_int_equal(vv_model_output(r->model, r->state, 0, field, got[0]), VV_OK);
  compare(o->w, field, 3 * n, got[0], want[0], 1e-8);
}

static void check_node_outputs(const oracle *o, const run_record *r)
{
  double v[MOST][3] = {{0}}, w[MOST][3] = {{0}}, d[3][MOST][3] = {{{0}}}, x[MOST][3] = {{0}};
  for (int i = 0; i < o->nodes; i++) {
    double body[3];
    apply_back(o->at[i].L, o->S[i], body);
    for (int c = 0; c < 3; c++) body[c] /= o->inertia[i][c], v[i][c] = o->P[i][c] / o->mass[i];
    apply(o->at[i].L, body, w[i]);
    memcpy(x[i], o->at[i].x, sizeof x[i]);
    for (int k = 0; k < 3; k++)
      for (int c = 0; c < 3; c++) d[k][i][c] = o->at[i].L[3 * c + k];
  }
  compare_output(o, r, "position", o->nodes, x);
  compare_output(o, r, "d1", o->nodes, d[0]);
  compare_output(o, r, "d2", o->nodes, d[1]);
  compare_output(o, r, "d3", o->nodes, d[2]);
  compare_output(o, r, "velocity", o->nodes, v);
  compare_output(o, r, "angular_velocity", o->nodes, w);
}

static void check_element_outputs(const oracle *o, const run_record *r)
{
  double strain[MOST][3] = {{0}}, curvature[MOST][3] = {{0}}, n[MOST][3] = {{0}}, m[MOST][3] = {{0}};
  for (int e = 0; e < ELEMENTS; e++) {
    const strains s = less_rest(o, &o->at[e], &o->at[(e + 1) % o->nodes]);
    for (int c = 0; c < 3; c++) {
      strain[e][c] = 0.5 * (s.a[c] + s.b[c]), curvature[e][c] = s.k[c];
      n[e][c] = o->c1[c] * strain[e][c], m[e][c] = o->c2[c] * s.k[c];
    }
  }
  compare_output(o, r, "strain", ELEMENTS, strain);
  compare_output(o, r, "curvature", ELEMENTS, curvature);
  compare_output(o, r, "n", ELEMENTS, n);
  compare_output(o, r, "m", ELEMENTS, m);
}

/* ---- a run, step by step ---- */

static void check_run(const word_case *w, strain_rule rule)
{
  vv_report report;
  run_record r = prepare(w, rule);
  oracle o = oracle_of(w, rule, &r);
  const place first = o.at[ELEMENTS / 2];
  compare_state(&o, &r, 1e-13);
  for (int k = 0; k < STEPS; k++) {
    oracle_kick(&o, k * STEP, 0.5 * STEP);
    oracle_drift(&o, STEP);
    oracle_kick(&o, (k + 1) * STEP, 0.5 * STEP);
  }
  assert_int_equal(vv_sim_steps(r.sim, STEPS, &report), VV_OK);
  assert_int_equal(report.reason, VV_REASON_DONE);
  compare_state(&o, &r, 1e-9);
  check_least(fabs(o.at[ELEMENTS / 2].x[0] - first.x[0]), 1e-4); /* something happened */
  check_node_outputs(&o, &r);
  check_element_outputs(&o, &r);
  run_free(&r);
}

static void test_runs(void **unused)
{
  (void)unused;
  for (int i = 0; i < VV_COUNT(row); i++)
    for (strain_rule k = ONE_POINT; k <= CAYLEY; k++) check_run(&row[i], k);
}

/* ---- energy and force at a moment, somewhere ---- */

static double noise(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

/* Strains and curvatures of some percent, everywhere different. */
static void shake(const run_record *r, uint64_t seed)
{
  const vv_block *b = &r->model->block[0];
  for (int64_t i = 0; i < b->nodes; i++) {
    double L[9], w[3];
    for (int c = 0; c < 3; c++) w[c] = 0.05 * noise(&seed), r->state->q[c * b->column + i] += 0.01 * noise(&seed);
    for (int c = 0; c < 9; c++) L[c] = r->state->q[(3 + c) * b->column + i];
    turn(L, w);
    for (int c = 0; c < 9; c++) r->state->q[(3 + c) * b->column + i] = L[c];
  }
}

/* Momenta given from rest by the forces at time t, over the time: one kick, or one short step. */
static void push_from_rest(const run_record *r, strain_rule rule, double t)
{
  const vv_block *b = &r->model->block[0];
  vv_state *s = r->state;
  memset(s->p, 0, sizeof(double) * (size_t)s->np);
  if (rule != DIRECTOR) {
    b->kind->kick(b, t, 1.0, s->q, s->p);
    return;
  }
  const double h = 1e-7;
  double *work = malloc(sizeof(double) * (size_t)b->kind->implicit->work(b));
  vv_posted post = {0};
  memset(s->memory, 0, sizeof(double) * (size_t)s->nh);
  assert_true(b->kind->implicit->step(b, t - 0.5 * h, h, s->q, s->p, s->memory, work, &post) > 0);
  for (int64_t i = 0; i < s->np; i++) s->p[i] /= h;
  free(work);
}

/* Held parts of a node have no velocity; in the others the momenta are the forces.  A held node of the director form has
 * momenta of its neighbours' motion, which belong to the support. */
static void compare_forces(const oracle *o, const run_record *r, double t)
{
  const vv_block *b = &r->model->block[0];
  double F[MOST][6] = {{0}}, got[2][MOST][3] = {{{0}}}, want[2][MOST][3] = {{{0}}}, stays[4][MOST][3] = {{{0}}};
  forces(o, t, F);
  gather(o, r->state->p, b->column, 0, got[0]);
  gather(o, r->state->p, b->column, 3, got[1]);
  for (int i = 0; i < o->nodes; i++) {
    for (int k = 0; k < 2; k++) memcpy(want[k][i], F[i] + 3 * k, sizeof want[k][i]);
    release(o, i, want[0][i], want[1][i]);
    if (o->rule == DIRECTOR) release(o, i, got[0][i], got[1][i]);
  }
  compare(o->w, "a force", 3 * o->nodes, got[0][0], want[0][0], 1e-8);
  compare(o->w, "a moment", 3 * o->nodes, got[1][0], want[1][0], 1e-8);
  if (o->rule != DIRECTOR) return;
  for (int k = 0; k < 4; k++) gather(o, r->state->memory, b->nodes, 3 * k, stays[k]);
  for (int i = 0; i < o->nodes; i++) {
    double free[3], none[3] = {0, 0, 0};
    memcpy(free, stays[0][i], sizeof free);
    release(o, i, free, none);
    for (int c = 0; c < 3; c++) check_near(stays[0][i][c], free[c], 1e-14 * vvi_norm3(free));
    for (int k = 1; k < 3; k++)
      for (int c = 0; c < 3 && o->held_frame[i]; c++) assert_true(stays[k][i][c] == 0.0);
  }
}

static vv_totals audit(const run_record *r, strain_rule rule)
{
  const vv_block *b = &r->model->block[0];
  vv_totals sum = {0};
  if (rule == DIRECTOR)
    b->kind->implicit->audit(b, r->state->q, r->state->memory, &sum);
  else
    b->kind->audit(b, r->state->q, r->state->p, &sum);
  return sum;
}

static void check_force(const word_case *w, strain_rule rule, uint64_t seed)
{
  run_record r = prepare(w, rule);
  oracle o = oracle_of(w, rule, &r);
  shake(&r, seed);
  take_places(&o, &r);
  const vv_totals sum = audit(&r, rule);
  check_near(sum.strain, strain_energy(&o), 1e-12 * strain_energy(&o));
  check_least(sum.strain, 1e-3);
  push_from_rest(&r, rule, 0.007);
  compare_forces(&o, &r, 0.007);
  run_free(&r);
}

static void test_forces(void **unused)
{
  (void)unused;
  for (int i = 0; i < VV_COUNT(row); i++)
    for (strain_rule k = ONE_POINT; k <= DIRECTOR; k++)
      for (uint64_t seed = 1; seed < 4; seed++) check_force(&row[i], k, seed);
}

/* ---- rest: shape has neither energy nor forces ---- */

static void test_rest_is_rest(void **unused)
{
  (void)unused;
  static const char *const shape[] = {"uniform: {strain: [0.02, 0.01, 0.95], curvature: [0.3, 0.5, -0.4]}",
                                      "arc: {angle: 5, stretch: 1.2}", "helix: {radius: 0.4, pitch: 0.3}",
                                      "straight: {stretch: 0.9}", "arc: {angle: 6.283185307179586}"};
  for (int i = 0; i < VV_COUNT(shape); i++)
    for (strain_rule k = ONE_POINT; k <= DIRECTOR; k++) {
      char words[TEXT];
      const bool closed = i == VV_COUNT(shape) - 1;
      snprintf(words, TEXT, RECTANGLE ", rest: shape, axis: [1, 2, -2]%s, shape: {%s}", closed ? ", closed: true" : "",
               shape[i]);
      const word_case w = {.name = shape[i], .words = words, MOMENTS, .rest = true, .closed = closed};
      run_record r = prepare(&w, k);
      check_most(audit(&r, k).strain, 1e-25); /* strains of rounding, times 60 N */
      push_from_rest(&r, k, 0.0);
      for (int64_t a = 0; a < r.state->np; a++) check_most(fabs(r.state->p[a]), 1e-12);
      run_free(&r);
    }
}

/* ---- the energy-momentum step begins with the motion that is written ---- */

/* Consistent masses of the initial velocities [beam 32, 33]; d3 of a plane section has none. */
static void consistent_momenta(const oracle *o, double v[MOST][12], double P[MOST][3], double S[MOST][3])
{
  double mass[MOST][4] = {{0}}, row_of[MOST][12] = {{0}}, per[4] = {o->rho_a};
  for (int k = 0; k < 3; k++) per[1 + k] = 0.5 * (o->j[0] + o->j[1] + o->j[2]) - o->j[k];
  for (int k = 0; k < LISTED; k++) {
    const point_mass *m = &o->w->mass[k];
    mass[m->node][0] += m->mass;
    for (int c = 0; c < 3; c++)
      mass[m->node][1 + c] += 0.5 * (m->inertia[0] + m->inertia[1] + m->inertia[2]) - m->inertia[c];
  }
  for (int e = 0; e < ELEMENTS; e++)
    for (int c = 0; c < 12; c++) {
      const int b = (e + 1) % o->nodes;
      row_of[e][c] += o->l / 6.0 * per[c / 3] * (2.0 * v[e][c] + v[b][c]);
      row_of[b][c] += o->l / 6.0 * per[c / 3] * (2.0 * v[b][c] + v[e][c]);
    }
  memset(S, 0, sizeof(double) * 3 * MOST);
  for (int i = 0; i < o->nodes; i++) {
    for (int c = 0; c < 12; c++) row_of[i][c] += mass[i][c / 3] * v[i][c];
    memcpy(P[i], row_of[i], sizeof P[i]);
    for (int k = 0; k < 3; k++) {
      const double d[3] = {o->at[i].L[k], o->at[i].L[3 + k], o->at[i].L[6 + k]};
      double part[3];
      vvi_cross3(d, row_of[i] + 3 + 3 * k, part);
      for (int c = 0; c < 3; c++) S[i][c] += part[c];
    }
  }
}

static void check_start(const word_case *w)
{
  run_record r = prepare(w, DIRECTOR);
  const vv_block *b = &r.model->block[0];
  oracle o = oracle_of(w, DIRECTOR, &r);
  double x[MOST][3] = {{0}}, omega[MOST][3] = {{0}}, v[MOST][12] = {{0}}, P[MOST][3] = {{0}}, S[MOST][3] = {{0}},
         got[MOST][3] = {{0}}, want[MOST][3] = {{0}};
  oracle_motion(&o, x, omega);
  for (int i = 0; i < o.nodes; i++) {
    memcpy(v[i], x[i], sizeof x[i]);
    for (int k = 0; k < 3; k++) {
      const double d[3] = {o.at[i].L[k], o.at[i].L[3 + k], o.at[i].L[6 + k]};
      vvi_cross3(omega[i], d, v[i] + 3 + 3 * k);
    }
  }
  for (int k = 0; k < 3; k++) { /* phi, d1, d2 */
    gather(&o, r.state->memory, b->nodes, 3 * k, got);
    for (int i = 0; i < o.nodes; i++) memcpy(want[i], v[i] + 3 * k, sizeof want[i]);
    compare(w, k == 0 ? "a velocity" : "the velocity of a director", 3 * o.nodes, got[0], want[0], 1e-13);
  }
  consistent_momenta(&o, v, P, S);
  gather(&o, r.state->p, b->column, 0, got);
  compare(w, "P", 3 * o.nodes, got[0], P[0], 1e-13);
  gather(&o, r.state->p, b->column, 3, got);
  compare(w, "S", 3 * o.nodes, got[0], S[0], 1e-13);
  run_free(&r);
}

static void test_director_start(void **unused)
{
  (void)unused;
  for (int i = 0; i < VV_COUNT(row); i++) check_start(&row[i]);
}

/* ---- numbers that need no program ---- */

/* A straight beam of length 2, stretched by 0.1 and twisted by 0.3 per length, that flies and turns about its axis. */
static void check_section(const char *section, double area, double polar, double torsion)
{
  char text[TEXT];
  double n[MOST][3] = {{0}}, m[MOST][3] = {{0}};
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 1, step: 1e-3}\nmethod: {step: leapfrog}\nbodies:\n"
           "  a: {kind: beam, length: 2, elements: 10, material: {young: 1000, poisson: 0.25, density: 7}, %s,\n"
           "    shape: {uniform: {strain: [0, 0, 1.1], curvature: [0, 0, 0.3]}}, velocity: [2, 0, 0], spin: [0, 0, "
           "5]}\n",
           section);
  run_record r = run_prepare(text, NULL);
  const double twist = tan(0.03) / 0.1; /* 2 tan(0.3 l/2)/l */
  const vv_totals now = audit(&r, ONE_POINT);
  assert_int_equal(vv_model_output(r.model, r.state, 0, "n", n[0]), VV_OK);
  assert_int_equal(vv_model_output(r.model, r.state, 0, "m", m[0]), VV_OK);
  for (int e = 0; e < 10; e++) {
    check_near(n[e][2], 100.0 * area, 1e-10 * area);
    check_near(m[e][2], 400.0 * torsion * twist, 1e-10 * torsion);
  }
  check_near(now.strain, 10.0 * area + 400.0 * torsion * twist * twist, 1e-10 * area);
  check_near(now.p[0], 28.0 * area, 1e-13 * area);
  check_near(now.kinetic, 28.0 * area + 0.5 * 14.0 * polar * 25.0, 1e-12 * area);
  run_free(&r);
}

static void test_sections(void **unused)
{
  (void)unused;
  const double round = VV_PI * (0.0001 - 0.00001296) / 2.0;
  check_section("section: {square: {side: 0.2}}", 0.04, 0.0016 / 6.0, 0.0016 / 6.0);
  check_section(RECTANGLE, 0.06, 0.06 * 0.13 / 12.0, 0.06 * 0.13 / 12.0);
  check_section("section: {circle: {radius: 0.1}}", VV_PI * 0.01, VV_PI * 1e-4 / 2.0, VV_PI * 1e-4 / 2.0);
  check_section("section: {tube: {radius: 0.1, inner: 0.06}}", VV_PI * 0.0064, round, round);
  check_section("section: {square: {side: 0.2}}, stiffness: {torsion: 2e-4}", 0.04, 0.0016 / 6.0, 2e-4);
  check_section("section: {general: {area: 0.05, bending: [2e-4, 3e-4], rotary: [3e-4, 4e-4, 6e-4]}}", 0.05, 6e-4,
                5e-4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sections),     cmocka_unit_test(test_runs),           cmocka_unit_test(test_forces),
      cmocka_unit_test(test_rest_is_rest), cmocka_unit_test(test_director_start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
