/* body/beam/sweep.c  Kick, drift and both in one pass, over strips of nodes.
 *
 * A strip is short enough to stay in the first cache: first its elements write forces and torques to a buffer, then its
 * nodes take them.  Strips never cross the border between two beams.  Eight neighbours are worked on at once; the last few
 * of a strip go one by one through the same formulas, so every node gets the same bits wherever it stands. */
#include "body/beam/beam.h"
#include "body/beam/retraction.h"
#include "body/beam/twice.h"

#include "ledger/ledger.h"
#include "math/math.h"

enum { STRIP = 128, PARALLEL_FROM = 2048, FLOW_FROM = 256, PARTS = 9, SEGMENTS = 64 };

/* What the elements of a strip do to their nodes: part[c][1 + j] belongs to the element behind node j of the strip,
 * part[c][0] to the one before it.  c: force on the left node (0-2), torque on the left (3-5), on the right (6-8). */
typedef struct strip {
  double part[PARTS][STRIP + LANES];
} strip;

typedef struct border {
  double part[PARTS];
} border;

/* The elements before and behind the parts of the first and of the last body in a range of nodes. */
typedef struct edges {
  border before[2], behind[2];
} edges;

/* ---- elements ---- */

static inline __attribute__((always_inline)) void elements(const beam_body *k, beam_strain rule, int64_t n,
                                                           int64_t column, const double *q, strip *out)
{
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    lanes D[3], A[9], B[9], f[3], left[3], right[3];
    for (int c = 0; c < 3; c++) D[c] = LOAD(q + c * column + i + 1) - LOAD(q + c * column + i);
    for (int c = 0; c < 9; c++) A[c] = LOAD(q + (3 + c) * column + i), B[c] = LOAD(q + (3 + c) * column + i + 1);
    element_lanes(k, rule, D, A, B, f, left, right);
    for (int c = 0; c < 3; c++) {
      STORE(&out->part[c][1 + i], f[c]);
      STORE(&out->part[3 + c][1 + i], left[c]);
      STORE(&out->part[6 + c][1 + i], right[c]);
    }
  }
  for (; i < n; i++) {
    double D[3], A[9], B[9], part[PARTS];
    for (int c = 0; c < 3; c++) D[c] = q[c * column + i + 1] - q[c * column + i];
    for (int c = 0; c < 9; c++) A[c] = q[(3 + c) * column + i], B[c] = q[(3 + c) * column + i + 1];
    element_double(k, rule, D, A, B, part, part + 3, part + 6);
    for (int c = 0; c < PARTS; c++) out->part[c][1 + i] = part[c];
  }
}

/* Elements of different lengths, one by one.                                                                 [grids 10] */
static void elements_graded(const vv_block *b, int32_t j, int64_t first, int64_t n, const double *q, strip *out)
{
  for (int64_t i = 0; i < n; i++) {
    double part[PARTS];
    beam_element_force(b, j, first + i, q, part, part + 3, part + 6);
    for (int c = 0; c < PARTS; c++) out->part[c][1 + i] = part[c];
  }
}

VV_HOT static void elements_one_point(const beam_body *k, int64_t n, int64_t column, const double *q, strip *out)
{
  elements(k, BEAM_ONE_POINT, n, column, q, out);
}

VV_HOT static void elements_trapezoid(const beam_body *k, int64_t n, int64_t column, const double *q, strip *out)
{
  elements(k, BEAM_TRAPEZOID, n, column, q, out);
}

VV_HOT static void elements_cayley(const beam_body *k, int64_t n, int64_t column, const double *q, strip *out)
{
  elements(k, BEAM_CAYLEY_STRAIN, n, column, q, out);
}

/* ---- elements with internal variables ---- */

/* HOLD: forces as they are.  FLOW: internal variables follow, no forces.  BOTH: one after the other. */
typedef enum task { HOLD, FLOW, BOTH } task;

/* After a drift: eight elements from e on flow if they must. */
static inline __attribute__((always_inline)) void flow_lanes(const beam_run *x, beam_strain rule, int64_t e, double h,
                                                             const lanes g[3], const lanes psi[3],
                                                             double lost[3][LANES])
{
  lanes e6[6];
  masks over = {0};
  strains_lanes(x->k, rule, g, psi, e6);
  if (x->law->fibres > 0.0) beyond_lanes(x, e, e6, &over);
  if (h != 0.0 && (x->law->damping.branches > 0.0 || any_lane(&over))) {
    double now[6][LANES];
    int64_t asked[LANES];
    for (int c = 0; c < 6; c++) STORE(now[c], e6[c]);
    *(masks *)asked = over;
    beam_flow_eight(x, e, LANES, h, (const double(*)[LANES])now, asked, lost);
    return;
  }
  for (int c = 0; c < 6; c++) STORE(x->z + (BEAM_Z_STRAIN + c) * x->n + e, e6[c]);
}

static inline __attribute__((always_inline)) void take_element(int64_t column, const double *q, int64_t i, int64_t next,
                                                               double D[3], double A[9], double B[9])
{
  for (int c = 0; c < 3; c++) D[c] = q[c * column + next] - q[c * column + i];
  for (int c = 0; c < 9; c++) A[c] = q[(3 + c) * column + i], B[c] = q[(3 + c) * column + next];
}

/* The same of fewer than eight; q from the first node of the body on, next: the node behind the last of them. */
static inline __attribute__((always_inline)) void flow_few(const beam_run *x, beam_strain rule, int64_t e, int count,
                                                           int64_t next, double h, int64_t column, const double *q,
                                                           double lost[3][LANES])
{
  double now[6][LANES] = {0}, D[3], A[9], B[9], g[3], psi[3], e6[6];
  int64_t asked[LANES] = {0};
  for (int l = 0; l < count; l++) {
    int over = 0;
    take_element(column, q, e + l, l + 1 < count ? e + l + 1 : next, D, A, B);
    measure_double(rule, D, A, B, g, psi);
    strains_double(x->k, rule, g, psi, e6);
    if (x->law->fibres > 0.0) beyond_double(x, e + l, e6, &over);
    asked[l] = over ? -1 : 0;
    for (int c = 0; c < 6; c++) now[c][l] = e6[c];
    for (int c = 0; h == 0.0 && c < 6; c++) x->z[(BEAM_Z_STRAIN + c) * x->n + e + l] = e6[c];
  }
  if (h != 0.0 && count > 0) beam_flow_eight(x, e, count, h, (const double(*)[LANES])now, asked, lost);
}

/* n elements from e on, q from their first node on. */
static inline __attribute__((always_inline)) void elements_flowing(const beam_run *x, beam_strain rule, task what,
                                                                   int64_t e, int64_t n, double h, int64_t column,
                                                                   const double *q, strip *out, double lost[3][LANES])
{
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    lanes D[3], A[9], B[9], g[3], psi[3], f[3], left[3], right[3];
    felt_lanes felt;
    for (int c = 0; c < 3; c++) D[c] = LOAD(q + c * column + i + 1) - LOAD(q + c * column + i);
    for (int c = 0; c < 9; c++) A[c] = LOAD(q + (3 + c) * column + i), B[c] = LOAD(q + (3 + c) * column + i + 1);
    measure_lanes(rule, D, A, B, g, psi);
    if (what != HOLD) flow_lanes(x, rule, e + i, h, g, psi, lost);
    if (what == FLOW) continue;
    feel_lanes(x, e + i, &felt);
    respond_lanes(x->k, rule, &felt, D, A, B, g, psi, f, left, right);
    for (int c = 0; c < 3; c++) {
      STORE(&out->part[c][1 + i], f[c]);
      STORE(&out->part[3 + c][1 + i], left[c]);
      STORE(&out->part[6 + c][1 + i], right[c]);
    }
  }
  if (what != HOLD) flow_few(x, rule, e + i, (int)(n - i), e + n, h, column, q - e, lost);
  for (; what != FLOW && i < n; i++) {
    double D[3], A[9], B[9], g[3], psi[3], part[PARTS];
    felt_double felt;
    take_element(column, q, i, i + 1, D, A, B);
    measure_double(rule, D, A, B, g, psi);
    feel_double(x, e + i, &felt);
    respond_double(x->k, rule, &felt, D, A, B, g, psi, part, part + 3, part + 6);
    for (int c = 0; c < PARTS; c++) out->part[c][1 + i] = part[c];
  }
}

#define ELEMENTS_FLOWING(name, rule, what)                                                                    \
  VV_HOT static void name(const beam_run *x, int64_t e, int64_t n, double h, int64_t column, const double *q, \
                          strip *out, double lost[3][LANES])                                                  \
  {                                                                                                           \
    elements_flowing(x, rule, what, e, n, h, column, q, out, lost);                                           \
  }
ELEMENTS_FLOWING(beam_hold_one_point, BEAM_ONE_POINT, HOLD)
ELEMENTS_FLOWING(beam_hold_cayley, BEAM_CAYLEY_STRAIN, HOLD)
ELEMENTS_FLOWING(beam_flow_one_point, BEAM_ONE_POINT, FLOW)
ELEMENTS_FLOWING(beam_flow_cayley, BEAM_CAYLEY_STRAIN, FLOW)
ELEMENTS_FLOWING(beam_both_one_point, BEAM_ONE_POINT, BOTH)
ELEMENTS_FLOWING(beam_both_cayley, BEAM_CAYLEY_STRAIN, BOTH)

static void any_elements(const beam_run *x, task what, int64_t e, int64_t n, double h, int64_t column, const double *q,
                         strip *out, double lost[3][LANES])
{
  const bool cayley = x->k->strain == BEAM_CAYLEY_STRAIN;
  if (what == HOLD)
    (cayley ? beam_hold_cayley : beam_hold_one_point)(x, e, n, h, column, q, out, lost);
  else if (what == FLOW)
    (cayley ? beam_flow_cayley : beam_flow_one_point)(x, e, n, h, column, q, out, lost);
  else
    (cayley ? beam_both_cayley : beam_both_one_point)(x, e, n, h, column, q, out, lost);
}

int64_t beam_next(const vv_block *b, int32_t j, int64_t i)
{
  const int64_t first = b->body[j]->node0, last = first + b->body[j]->n_node - 1;
  if (i < last) return i + 1;
  return beam_of(b, j)->closed != 0.0 ? first : -1;
}

void beam_element_force(const vv_block *b, int32_t j, int64_t i, const double *q, double force[3], double left[3],
                        double right[3])
{
  beam_body own;
  const beam_body *k = beam_element_of(b, j, i, &own);
  const int64_t next = beam_next(b, j, i);
  double D[3], A[9], B[9], xa[3], part[PARTS] = {0};
  if (next >= 0) {
    beam_get(b, q, i, xa, A);
    beam_get(b, q, next, D, B);
    for (int c = 0; c < 3; c++) D[c] -= xa[c];
    if (beam_by_exp(k->strain)) {
      beam_exp_force(k, D, A, B, part, part + 3, part + 6);
    } else if (beam_is_elastic(b, j)) {
      element_double(k, (beam_strain)k->strain, D, A, B, part, part + 3, part + 6);
    } else {
      const beam_run x = beam_run_of(b, j, q);
      const beam_strain rule = (beam_strain)k->strain;
      double g[3], psi[3];
      felt_double felt;
      measure_double(rule, D, A, B, g, psi);
      feel_double(&x, i - b->body[j]->node0, &felt);
      respond_double(k, rule, &felt, D, A, B, g, psi, part, part + 3, part + 6);
    }
  }
  for (int c = 0; c < 3; c++) force[c] = part[c], left[c] = part[3 + c], right[c] = part[6 + c];
}

/* ---- nodes ---- */

/* P += h F, S += h T with F_a = f_a - f_{a-1}, T_a = left_a + right_{a-1}                                       [beam 5] */
VV_HOT static void kick_nodes(int64_t n, double h, int64_t column, const strip *in, double *p)
{
  for (int c = 0; c < 3; c++) {
    const double *f = in->part[c], *left = in->part[3 + c], *right = in->part[6 + c];
    double *restrict P = p + c * column, *restrict S = p + (3 + c) * column;
    for (int64_t i = 0; i < n; i++) {
      P[i] += h * (f[1 + i] - f[i]);
      S[i] += h * (left[1 + i] + right[i]);
    }
  }
}

/* One pass over nodes: with `kick` two half kicks of h/2 first, one after the other as two calls would; then
 * x += h P/m, Lambda <- Lambda F.  P and S are kept by the drift, being momenta in space.                    [beam 6, 7] */
static inline __attribute__((always_inline)) void move_lanes(const beam_body *k, bool even, bool kick, double h,
                                                             int64_t column, const double *minv, const double *winv,
                                                             const strip *in, int64_t i, double *q, double *p)
{
  lanes L[9], S[3];
  const lanes m = LOAD(minv + i), c = h * LOAD(winv + i);
  const double half = 0.5 * h;
  for (int a = 0; a < 3; a++) {
    lanes P = LOAD(p + a * column + i);
    S[a] = LOAD(p + (3 + a) * column + i);
    if (kick) {
      const lanes f = half * (LOAD(&in->part[a][1 + i]) - LOAD(&in->part[a][i]));
      const lanes t = half * (LOAD(&in->part[3 + a][1 + i]) + LOAD(&in->part[6 + a][i]));
      P = (P + f) + f, S[a] = (S[a] + t) + t;
      STORE(p + a * column + i, P);
      STORE(p + (3 + a) * column + i, S[a]);
    }
    STORE(q + a * column + i, LOAD(q + a * column + i) + h * (m * P));
  }
  for (int a = 0; a < 9; a++) L[a] = LOAD(q + (3 + a) * column + i);
  turn_lanes(k, even, &c, L, S);
  for (int a = 0; a < 9; a++) STORE(q + (3 + a) * column + i, L[a]);
}

static inline __attribute__((always_inline)) void move_double(const beam_body *k, bool even, bool kick, double h,
                                                              int64_t column, const double *minv, const double *winv,
                                                              const strip *in, int64_t i, double *q, double *p)
{
  double L[9], S[3];
  const double half = 0.5 * h, c = h * winv[i];
  for (int a = 0; a < 3; a++) {
    double P = p[a * column + i];
    S[a] = p[(3 + a) * column + i];
    if (kick) {
      const double f = half * (in->part[a][1 + i] - in->part[a][i]);
      const double t = half * (in->part[3 + a][1 + i] + in->part[6 + a][i]);
      p[a * column + i] = P = (P + f) + f;
      p[(3 + a) * column + i] = S[a] = (S[a] + t) + t;
    }
    q[a * column + i] += h * (minv[i] * P);
  }
  for (int a = 0; a < 9; a++) L[a] = q[(3 + a) * column + i];
  turn_double(k, even, &c, L, S);
  for (int a = 0; a < 9; a++) q[(3 + a) * column + i] = L[a];
}

static inline __attribute__((always_inline)) void move_nodes(const beam_body *k, bool even, bool kick, int64_t n,
                                                             double h, int64_t column, const double *minv,
                                                             const double *winv, const strip *in, double *q, double *p)
{
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) move_lanes(k, even, kick, h, column, minv, winv, in, i, q, p);
  for (; i < n; i++) move_double(k, even, kick, h, column, minv, winv, in, i, q, p);
}

/* in NULL: drift alone. */
VV_HOT static void move_even(const beam_body *k, int64_t n, double h, int64_t column, const double *minv,
                             const double *winv, const strip *in, double *q, double *p)
{
  if (in != NULL)
    move_nodes(k, true, true, n, h, column, minv, winv, in, q, p);
  else
    move_nodes(k, true, false, n, h, column, minv, winv, in, q, p);
}

VV_HOT static void move_uneven(const beam_body *k, int64_t n, double h, int64_t column, const double *minv,
                               const double *winv, const strip *in, double *q, double *p)
{
  if (in != NULL)
    move_nodes(k, false, true, n, h, column, minv, winv, in, q, p);
  else
    move_nodes(k, false, false, n, h, column, minv, winv, in, q, p);
}

/* ---- nodes that fly with the Cayley map: x, Lambda and S in one equation ---- */

/* The nodes of a strip and what their flight reads; own: moments of inertia beside the section's, NULL if there are none.
 * q and p below start at `first`. */
typedef struct flyers {
  const vv_block *b;
  const beam_body *k;
  int64_t first, stride, column;
  const double *minv, *weight, *own;
} flyers;

/* in not NULL: two half kicks before, as in move_lanes.  Returns iterations; 0: some of the eight have no easy way, and all
 * are left where they were, but kicked. */
static inline __attribute__((always_inline)) int fly_eight(const flyers *a, int64_t i, double h, const strip *in,
                                                           double *q, double *p)
{
  lanes x[3], L[9], P[3], S[3], J[3];
  const lanes h_m = h * LOAD(a->minv + i), weight = LOAD(a->weight + i);
  const double half = 0.5 * h;
  for (int c = 0; c < 3; c++) {
    P[c] = LOAD(p + c * a->column + i), S[c] = LOAD(p + (3 + c) * a->column + i);
    x[c] = LOAD(q + c * a->column + i), J[c] = weight * a->k->inertia[c];
    if (a->own != NULL) J[c] += LOAD(a->own + c * a->stride + i);
    if (in != NULL) {
      const lanes f = half * (LOAD(&in->part[c][1 + i]) - LOAD(&in->part[c][i]));
      const lanes t = half * (LOAD(&in->part[3 + c][1 + i]) + LOAD(&in->part[6 + c][i]));
      P[c] = (P[c] + f) + f, S[c] = (S[c] + t) + t;
      STORE(p + c * a->column + i, P[c]);
      STORE(p + (3 + c) * a->column + i, S[c]);
    }
  }
  for (int c = 0; c < 9; c++) L[c] = LOAD(q + (3 + c) * a->column + i);
  const int iterations = fly_lanes(h, &h_m, J, P, x, L, S);
  if (iterations == 0) return 0;
  for (int c = 0; c < 3; c++) {
    STORE(q + c * a->column + i, x[c]);
    STORE(p + (3 + c) * a->column + i, S[c]);
  }
  for (int c = 0; c < 9; c++) STORE(q + (3 + c) * a->column + i, L[c]);
  return iterations;
}

static inline __attribute__((always_inline)) int fly_one(const flyers *a, int64_t i, double h, const strip *in,
                                                         double *q, double *p)
{
  double x[3], L[9], P[3], S[3], J[3];
  const double h_m = h * a->minv[i], half = 0.5 * h;
  for (int c = 0; c < 3; c++) {
    P[c] = p[c * a->column + i], S[c] = p[(3 + c) * a->column + i];
    x[c] = q[c * a->column + i], J[c] = a->weight[i] * a->k->inertia[c];
    if (a->own != NULL) J[c] += a->own[c * a->stride + i];
    if (in != NULL) {
      const double f = half * (in->part[c][1 + i] - in->part[c][i]);
      const double t = half * (in->part[3 + c][1 + i] + in->part[6 + c][i]);
      p[c * a->column + i] = P[c] = (P[c] + f) + f;
      p[(3 + c) * a->column + i] = S[c] = (S[c] + t) + t;
    }
  }
  for (int c = 0; c < 9; c++) L[c] = q[(3 + c) * a->column + i];
  const int iterations = fly_double(h, &h_m, J, P, x, L, S);
  if (iterations == 0) return 0;
  for (int c = 0; c < 3; c++) q[c * a->column + i] = x[c], p[(3 + c) * a->column + i] = S[c];
  for (int c = 0; c < 9; c++) q[(3 + c) * a->column + i] = L[c];
  return iterations;
}

/* The nodes [i, n) one by one; where the few steps of fly_one do not do, those of lavi.c must. */
VV_HOT static int fly_singly(const flyers *a, int64_t i, int64_t n, double h, const strip *in, double *q, double *p)
{
  int most = 0;
  for (; i < n; i++) {
    int iterations = fly_one(a, i, h, in, q, p);
    if (iterations == 0) iterations = beam_drift_node(a->b, a->k, a->first + i, h, q - a->first, p - a->first);
    if (iterations > most) most = iterations;
  }
  return most;
}

VV_HOT static int fly_nodes(const flyers *a, int64_t n, double h, const strip *in, double *q, double *p)
{
  int64_t i = 0;
  int most = 0;
  for (; i + LANES <= n; i += LANES) {
    int iterations = fly_eight(a, i, h, in, q, p);
    if (iterations == 0) iterations = fly_singly(a, i, i + LANES, h, NULL, q, p);
    if (iterations > most) most = iterations;
  }
  const int iterations = fly_singly(a, i, n, h, in, q, p);
  return iterations > most ? iterations : most;
}

static int fly_strip(const vv_block *b, const beam_body *k, int64_t i, int64_t n, double h, const strip *in, double *q,
                     double *p)
{
  const flyers a = {.b = b,
                    .k = k,
                    .first = i,
                    .stride = b->stride,
                    .column = b->column,
                    .minv = beam_node(b, BEAM_INVERSE_MASS) + i,
                    .weight = beam_node(b, BEAM_WEIGHT) + i,
                    .own = k->solid != 0.0 ? beam_node(b, BEAM_POINT_INERTIA) + i : NULL};
  return fly_nodes(&a, n, h, in, q + i, p + i);
}

/* The nodes [i, i + n) of body j; with `in` kicked twice by h/2 before.  Returns iterations. */
static int move_strip(const vv_block *b, int32_t j, int64_t i, int64_t n, double h, const strip *in, double *q,
                      double *p)
{
  const beam_body *k = beam_of(b, j);
  int most = 0;
  if (k->drift == BEAM_LGVI) {
    const double *minv = beam_node(b, BEAM_INVERSE_MASS) + i, *winv = beam_node(b, BEAM_INVERSE_WEIGHT) + i;
    if (k->spread[0] == k->spread[1])
      move_even(k, n, h, b->column, minv, winv, in, q + i, p + i);
    else
      move_uneven(k, n, h, b->column, minv, winv, in, q + i, p + i);
    if (k->solid == 0.0) return 0;
  } else if (k->drift == BEAM_LAVI_CAYLEY) {
    return fly_strip(b, k, i, n, h, in, q, p);
  } else if (in != NULL) {
    kick_nodes(n, 0.5 * h, b->column, in, p + i);
    kick_nodes(n, 0.5 * h, b->column, in, p + i);
  }
  for (int64_t a = i; a < i + n; a++) { /* what has no closed form */
    int iterations = 0;
    if (k->drift != BEAM_LGVI)
      iterations = beam_drift_node(b, k, a, h, q, p);
    else if (beam_node(b, BEAM_INVERSE_WEIGHT)[a] == 0.0) /* has moved already, but not turned */
      iterations = beam_turn_node(b, k, a, h, q, p);
    if (iterations > most) most = iterations;
  }
  return most;
}

/* ---- ranges of nodes, cut into bodies and strips ---- */

static int64_t body_end(const vv_block *b, int32_t j)
{
  return b->body[j]->node0 + b->body[j]->n_node;
}

static border border_behind(const vv_block *b, int32_t j, int64_t i, const double *q)
{
  border e;
  beam_element_force(b, j, i, q, e.part, e.part + 3, e.part + 6);
  return e;
}

/* The element before node i. */
static border border_before(const vv_block *b, int32_t j, int64_t i, const double *q)
{
  if (i > b->body[j]->node0) return border_behind(b, j, i - 1, q);
  return border_behind(b, j, body_end(b, j) - 1, q); /* the joint of a closed body, nothing at a free end */
}

/* Fills the elements of the strip of n nodes from node i on; `after` is the one behind its last node if that node is the
 * last of the range.  x: the body, where it has internal variables; NULL: it has not. */
static void strip_elements(const vv_block *b, int32_t j, const beam_run *x, int64_t i, int64_t n, const double *q,
                           const border *after, strip *s)
{
  const beam_body *k = beam_of(b, j);
  const int64_t inside = after != NULL ? n - 1 : n;
  if (x != NULL)
    any_elements(x, HOLD, i - b->body[j]->node0, inside, 0.0, b->column, q + i, s, NULL);
  else if (k->graded != 0.0 || beam_by_exp(k->strain))
    elements_graded(b, j, i, inside, q, s);
  else if (k->strain == BEAM_TRAPEZOID)
    elements_trapezoid(k, inside, b->column, q + i, s);
  else if (k->strain == BEAM_CAYLEY_STRAIN)
    elements_cayley(k, inside, b->column, q + i, s);
  else
    elements_one_point(k, inside, b->column, q + i, s);
  for (int c = 0; after != NULL && c < PARTS; c++) s->part[c][n] = after->part[c];
}

/* Kick of the nodes [i0, i1) of one body, or with `drift` two half kicks and a drift; before and after: elements at the
 * borders of the range, taken before anything moved. */
static void sweep_body(const vv_block *b, int32_t j, int64_t i0, int64_t i1, double h, const border *before,
                       const border *after, bool drift, double *q, double *p)
{
  strip s;
  const bool elastic = beam_is_elastic(b, j);
  const beam_run x = elastic ? (beam_run){0} : beam_run_of(b, j, q);
  for (int c = 0; c < PARTS; c++) s.part[c][0] = before->part[c];
  for (int64_t i = i0; i < i1; i += STRIP) {
    const int64_t n = i1 - i < STRIP ? i1 - i : STRIP;
    strip_elements(b, j, elastic ? NULL : &x, i, n, q, i + n == i1 ? after : NULL, &s);
    if (drift)
      move_strip(b, j, i, n, h, &s, q, p);
    else
      kick_nodes(n, h, b->column, &s, p + i);
    for (int c = 0; c < PARTS; c++) s.part[c][0] = s.part[c][n];
  }
}

/* The nodes [i0, i1) of the block.  edge: taken before anything moved. */
static void sweep_range(const vv_block *b, int64_t i0, int64_t i1, double h, const edges *edge, bool drift, double *q,
                        double *p)
{
  const int32_t first = vv_body_of_node(b, i0), last = vv_body_of_node(b, i1 - 1);
  for (int32_t j = first; j <= last; j++) {
    const int64_t from = j == first ? i0 : b->body[j]->node0, to = j == last ? i1 : body_end(b, j);
    const border before = j == first ? edge->before[0] : j == last ? edge->before[1] : border_before(b, j, from, q);
    const border after = j == last ? edge->behind[1] : j == first ? edge->behind[0] : border_behind(b, j, to - 1, q);
    sweep_body(b, j, from, to, h, &before, &after, drift, q, p);
  }
}

static void find_edges(const vv_block *b, int64_t i0, int64_t i1, const double *q, edges *edge)
{
  const int32_t first = vv_body_of_node(b, i0), last = vv_body_of_node(b, i1 - 1);
  edge->before[0] = border_before(b, first, i0, q);
  edge->behind[0] = border_behind(b, first, (first == last ? i1 : body_end(b, first)) - 1, q);
  edge->before[1] = first == last ? edge->before[0] : border_before(b, last, b->body[last]->node0, q);
  edge->behind[1] = border_behind(b, last, i1 - 1, q);
}

static void sweep(const vv_block *b, double h, bool drift, double *q, double *p)
{
  const int64_t n = b->nodes;
  if (n < PARALLEL_FROM || b->threads < 2) {
    edges edge;
    find_edges(b, 0, n, q, &edge);
    sweep_range(b, 0, n, h, &edge, drift, q, p);
    return;
  }
#pragma omp parallel num_threads(b->threads)
  {
    const int64_t team = vvi_team_size(), me = vvi_team_rank();
    const int64_t i0 = n * me / team, i1 = n * (me + 1) / team;
    edges edge;
    find_edges(b, i0, i1, q, &edge);
#pragma omp barrier
    sweep_range(b, i0, i1, h, &edge, drift, q, p);
  }
}

/* ---- the columns of the table ---- */

void beam_kick(const vv_block *b, double t, double h, const double *q, double *p)
{
  sweep(b, h, false, (double *)q, p); /* without drift q is only read */
  for (int32_t j = 0; b->booked && j < b->n_body; j++) {
    beam_kick_outside(b, j, t, h, q, p);
    beam_hold(b, j, p);
  }
}

static int drift_range(const vv_block *b, int64_t i0, int64_t i1, double h, double *q, double *p)
{
  int most = 0;
  for (int64_t i = i0; i < i1;) {
    const int32_t j = vv_body_of_node(b, i);
    const int64_t to = body_end(b, j) < i1 ? body_end(b, j) : i1;
    const int iterations = move_strip(b, j, i, to - i, h, NULL, q, p);
    if (iterations > most) most = iterations;
    i = to;
  }
  return most;
}

int beam_drift(const vv_block *b, double h, double *q, double *p)
{
  const int64_t n = b->nodes;
  int most = 0;
  if (n < PARALLEL_FROM || b->threads < 2) return drift_range(b, 0, n, h, q, p);
#pragma omp parallel num_threads(b->threads) reduction(max : most)
  {
    const int64_t team = vvi_team_size(), me = vvi_team_rank();
    most = drift_range(b, n * me / team, n * (me + 1) / team, h, q, p);
  }
  return most;
}

void beam_drift_one(const vv_block *b, int64_t node, double h, double *q, double *p)
{
  move_strip(b, vv_body_of_node(b, node), node, 1, h, NULL, q, p);
}

void beam_stride(const vv_block *b, double h, double *q, double *p)
{
  sweep(b, h, true, q, p);
}

/* ---- flow ---- */

/* Sums over strips, in segments that follow from the length of the body: the same for any number of threads. */
typedef struct losses {
  double plastic, viscous, damage;
} losses;

static void add_losses(const double lost[3][LANES], losses *sum)
{
  losses own = {0};
  for (int l = 0; l < LANES; l++) own.plastic += lost[0][l], own.viscous += lost[1][l], own.damage += lost[2][l];
  sum->plastic += own.plastic, sum->viscous += own.viscous, sum->damage += own.damage;
}

static int64_t strips_of(int64_t elements)
{
  return (elements + STRIP - 1) / STRIP;
}

static int segments_of(int64_t elements)
{
  return strips_of(elements) < SEGMENTS ? (int)strips_of(elements) : SEGMENTS;
}

static void post_losses(int segments, const losses *part, vv_posted *post)
{
  for (int s = 0; post != NULL && s < segments; s++) {
    if (part[s].plastic != 0.0) vvi_sum_add(&post->plastic_work, part[s].plastic);
    if (part[s].viscous != 0.0) vvi_sum_add(&post->viscous_loss, part[s].viscous);
    if (part[s].damage != 0.0) vvi_sum_add(&post->damage_loss, part[s].damage);
  }
}

/* Strip s of a body; the joint of a closed one is the last of its last eight. */
static losses flow_strip(const vv_block *b, int32_t j, const beam_run *x, int64_t s, double h, const double *q)
{
  const int64_t e0 = STRIP * s, e1 = STRIP * (s + 1) < x->n ? STRIP * (s + 1) : x->n, first = b->body[j]->node0;
  double lost[3][LANES] = {0};
  losses sum = {0};
  if (x->k->closed == 0.0 || e1 < x->n)
    any_elements(x, FLOW, e0, e1 - e0, h, b->column, q + first + e0, NULL, lost);
  else {
    const int64_t tail = (e1 - 1) / LANES * LANES;
    any_elements(x, FLOW, e0, tail - e0, h, b->column, q + first + e0, NULL, lost);
    flow_few(x, (beam_strain)x->k->strain, tail, (int)(e1 - tail), 0, h, b->column, q + first, lost);
  }
  add_losses((const double(*)[LANES])lost, &sum);
  return sum;
}

static void flow_body(const vv_block *b, int32_t j, double h, const double *q, vv_posted *post)
{
  const beam_run x = beam_run_of(b, j, q);
  const int64_t strips = strips_of(x.n);
  const int segments = segments_of(x.n);
  losses part[SEGMENTS] = {0};
#pragma omp parallel for schedule(static) num_threads(b->threads) if (b->threads > 1 && x.n >= FLOW_FROM)
  for (int i = 0; i < segments; i++)
    for (int64_t s = strips * i / segments; s < strips * (i + 1) / segments; s++) {
      const losses own = flow_strip(b, j, &x, s, h, q);
      part[i].plastic += own.plastic, part[i].viscous += own.viscous, part[i].damage += own.damage;
    }
  post_losses(segments, part, post);
}

void beam_flow(const vv_block *b, double h, double *q, const double *p, vv_posted *post)
{
  (void)p;
  for (int32_t j = 0; j < b->n_body; j++)
    if (!beam_is_elastic(b, j)) flow_body(b, j, h, q, post);
}

/* Flow, two half kicks and a drift of an open body in one pass over its nodes. */
static void flow_stride_body(const vv_block *b, int32_t j, double h, double *q, double *p, vv_posted *post)
{
  const beam_run x = beam_run_of(b, j, q);
  const int64_t first = b->body[j]->node0, strips = strips_of(x.n);
  const int segments = segments_of(x.n);
  losses part[SEGMENTS] = {0};
  strip s;
  for (int c = 0; c < PARTS; c++) s.part[c][0] = 0.0;
  for (int i = 0; i < segments; i++)
    for (int64_t k = strips * i / segments; k < strips * (i + 1) / segments; k++) {
      const int64_t e = STRIP * k, n = x.n - e < STRIP ? x.n - e : STRIP, nodes = k + 1 < strips ? n : n + 1;
      double lost[3][LANES] = {0};
      any_elements(&x, BOTH, e, n, h, b->column, q + first + e, &s, lost);
      add_losses((const double(*)[LANES])lost, &part[i]);
      for (int c = 0; nodes > n && c < PARTS; c++) s.part[c][1 + n] = 0.0; /* nothing behind the last node */
      move_strip(b, j, first + e, nodes, h, &s, q, p);
      for (int c = 0; c < PARTS; c++) s.part[c][0] = s.part[c][n];
    }
  post_losses(segments, part, post);
}

void beam_flow_stride(const vv_block *b, double h, double *q, double *p, vv_posted *post)
{
  if (b->threads > 1 && b->nodes >= PARALLEL_FROM) {
    beam_flow(b, h, q, p, post);
    beam_stride(b, h, q, p);
    return;
  }
  for (int32_t j = 0; j < b->n_body; j++) {
    const int64_t first = b->body[j]->node0, to = body_end(b, j);
    if (!beam_is_elastic(b, j) && beam_of(b, j)->closed == 0.0) {
      flow_stride_body(b, j, h, q, p, post);
      continue;
    }
    if (!beam_is_elastic(b, j)) flow_body(b, j, h, q, post);
    const border before = border_before(b, j, first, q), behind = border_behind(b, j, to - 1, q);
    sweep_body(b, j, first, to, h, &before, &behind, true, q, p);
  }
}

/* ---- single elements ---- */

static void element_kick(const vv_block *b, int64_t element, double h, const double *q, double *p)
{
  const int64_t i = b->element_node[2 * element], next = b->element_node[2 * element + 1];
  double f[3], left[3], right[3];
  beam_element_force(b, vv_body_of_node(b, i), i, q, f, left, right);
  for (int c = 0; c < 3; c++) {
    p[(BEAM_P + c) * b->column + i] += h * f[c], p[(BEAM_P + c) * b->column + next] -= h * f[c];
    p[(BEAM_S + c) * b->column + i] += h * left[c], p[(BEAM_S + c) * b->column + next] += h * right[c];
  }
}

const vv_apart_table beam_apart = {beam_element_steps, element_kick, beam_drift_one};
