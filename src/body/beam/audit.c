/* body/beam/audit.c  Energies and momenta of beams, and the fields that are written to files. */
#include "body/beam/director.h"
#include "body/beam/twice.h"

#include "math/math.h"

#include <float.h>
#include <string.h>

enum { PARALLEL_FROM = 2048 };

/* Of an element: a at the left node, b at the right one (the same where its rule has but one), and psi; all less those at rest. */
typedef struct beam_element_strains {
  double a[3], b[3], psi[3];
} beam_element_strains;

static beam_element_strains strain_by_exp(const beam_body *k, const double x[3], const double A[9], const double y[3],
                                          const double B[9])
{
  beam_element_strains e;
  double r[3], psi[3], v[3];
  for (int c = 0; c < 3; c++) v[c] = (y[c] - x[c]) / k->l;
  for (int c = 0; c < 3; c++) {
    r[c] = A[c] * v[0] + A[3 + c] * v[1] + A[6 + c] * v[2];
    e.b[c] = B[c] * v[0] + B[3 + c] * v[1] + B[6 + c] * v[2] - k->rest_b[c];
  }
  beam_bend(A, B, psi);
  beam_exp_strain(k->strain == BEAM_EXP_SE3, r, psi, e.a, e.psi);
  for (int c = 0; c < 3; c++) {
    e.psi[c] -= k->rest_psi[c];
    if (k->strain == BEAM_EXP_SE3)
      e.a[c] = e.b[c] = e.a[c] - k->rest[c]; /* [beam 81] */
    else
      e.a[c] -= k->rest_a[c];
  }
  return e;
}

static beam_element_strains strain_of(const vv_block *b, const beam_body *k, const double *q, int64_t left,
                                      int64_t right)
{
  beam_element_strains e;
  double x[3], D[3], A[9], B[9];
  beam_get(b, q, left, x, A);
  beam_get(b, q, right, D, B);
  if (beam_by_exp(k->strain)) return strain_by_exp(k, x, A, D, B);
  for (int c = 0; c < 3; c++) D[c] -= x[c];
  strained_double(k, (beam_strain)k->strain, D, A, B, e.a, e.b, e.psi);
  return e;
}

static double stored(const beam_body *k, const beam_element_strains *e)
{
  double energy;
  energy_double(k, e->a, e->b, e->psi, &energy);
  return energy;
}

void beam_element_strain(const vv_block *b, int32_t j, const double *q, int64_t left, int64_t right, double e6[6])
{
  beam_body own;
  const beam_body *k = beam_element_of(b, j, left, &own);
  const beam_element_strains e = strain_of(b, k, q, left, right);
  for (int c = 0; c < 3; c++) e6[c] = e.a[c], e6[3 + c] = e.psi[c] / k->l;
}

/* The rotation of neighbouring sections against each other has no name any more at 180 degrees, where the Cayley map ends; the
 * beam is folded long before.  1 at 150 degrees, by 1 - cos with tr(Lambda_a^T Lambda_b) = 1 + 2 cos. */
double beam_distortion(const vv_block *b, const double *q)
{
  const double folded = 1.0 + 0.86602540378443865; /* 1 - cos 150 degrees */
  double worst = 0.0;
  for (int64_t e = 0; e < b->elements; e++) {
    const int32_t *node = b->element_node + 2 * e;
    double x[3], A[9], B[9], trace = 0.0;
    beam_get(b, q, node[0], x, A);
    beam_get(b, q, node[1], x, B);
    for (int c = 0; c < 9; c++) trace += A[c] * B[c];
    worst = fmax(worst, (1.0 - 0.5 * (trace - 1.0)) / folded);
  }
  return worst;
}

/* The rms strain of a section: its energy over that of a stretch of 1.  What has cracked has none, and what flows may do so as far as
 * it likes.                                                                                                  [ledger 20] */
double beam_stretch(const vv_block *b, const double *q)
{
  double worst = 0.0;
  for (int32_t j = 0; j < b->n_body; j++) {
    if (!beam_is_elastic(b, j) && beam_law_of(b, j)->fibres > 0.0) continue;
    for (int64_t e = 0; e < b->body[j]->n_element; e++) {
      const int32_t *node = b->element_node + 2 * (b->body[j]->element0 + e);
      beam_body own;
      const beam_body *k = beam_element_of(b, j, node[0], &own);
      const beam_element_strains s = strain_of(b, k, q, node[0], node[1]);
      const double square = 2.0 * stored(k, &s) / (k->l * k->c1[2]);
      if (square > worst && (beam_is_elastic(b, j) || !(beam_flow_damage(b, j, e, q) > 0.0))) worst = square;
    }
  }
  return sqrt(worst);
}

/* ---- sums ---- */

static void momentum_of(const vv_block *b, const double *p, int64_t i, double P[3], double S[3])
{
  for (int c = 0; c < 3; c++) P[c] = p[(BEAM_P + c) * b->column + i], S[c] = p[(BEAM_S + c) * b->column + i];
}

/* Of the element behind node i; 0 where there is none. */
static double element_energy(const vv_block *b, int32_t j, int64_t i, const double *q)
{
  const int64_t next = beam_next(b, j, i);
  if (next < 0) return 0.0;
  beam_body own;
  const beam_body *at = beam_element_of(b, j, i, &own);
  const beam_element_strains e = strain_of(b, at, q, i, next);
  if (beam_is_elastic(b, j)) return stored(at, &e);
  double e6[6];
  for (int c = 0; c < 3; c++) e6[c] = e.a[c], e6[3 + c] = e.psi[c] / at->l;
  return beam_flow_energy(b, j, i - b->body[j]->node0, q, e6);
}

/* What node i and the element behind it add. */
static void node_sums(const vv_block *b, int32_t j, int64_t i, const double *q, const double *p, double out[BEAM_SUMS])
{
  double x[3], frame[9], P[3], S[3], inertia[3];
  beam_get(b, q, i, x, frame);
  momentum_of(b, p, i, P, S);
  beam_inertia(b, beam_of(b, j), i, inertia);
  node_sums_double(beam_node(b, BEAM_MASS)[i], beam_node(b, BEAM_INVERSE_MASS)[i], inertia, b->gravity, x, frame, P, S,
                   out);
  out[BEAM_STRAINED] = element_energy(b, j, i, q);
}

/* What eight nodes from i on and the elements behind them add to the lanes of a sum; strained: energies of these elements, NULL:
 * all are as *k says, and the next node is the next in the columns. */
static inline __attribute__((always_inline)) void eight_sums(const vv_block *b, const beam_body *k, beam_strain rule,
                                                             int64_t i, const double *q, const double *p,
                                                             const double *strained, double sum[BEAM_SUMS][LANES])
{
  const int64_t column = b->column;
  lanes x[3], L[9], P[3], S[3], inertia[3], out[BEAM_SUMS];
  for (int c = 0; c < 3; c++) {
    x[c] = LOAD(q + c * column + i), P[c] = LOAD(p + c * column + i), S[c] = LOAD(p + (3 + c) * column + i);
    inertia[c] = LOAD(beam_node(b, BEAM_WEIGHT) + i) * k->inertia[c] + LOAD(beam_node(b, BEAM_POINT_INERTIA + c) + i);
  }
  for (int c = 0; c < 9; c++) L[c] = LOAD(q + (3 + c) * column + i);
  node_sums_lanes(LOAD(beam_node(b, BEAM_MASS) + i), LOAD(beam_node(b, BEAM_INVERSE_MASS) + i), inertia, b->gravity, x,
                  L, P, S, out);
  if (strained != NULL) {
    out[BEAM_STRAINED] = LOAD(strained);
  } else {
    lanes D[3], B[9], left[3], right[3], turn[3];
    for (int c = 0; c < 3; c++) D[c] = LOAD(q + c * column + i + 1) - x[c];
    for (int c = 0; c < 9; c++) B[c] = LOAD(q + (3 + c) * column + i + 1);
    strained_lanes(k, rule, D, L, B, left, right, turn);
    energy_lanes(k, left, right, turn, &out[BEAM_STRAINED]);
  }
  for (int s = 0; s < BEAM_SUMS; s++) STORE(sum[s], LOAD(sum[s]) + out[s]);
}

#define EIGHTS(name, rule)                                                                              \
  VV_HOT static void name(const vv_block *b, const beam_body *k, int64_t i, int64_t n, const double *q, \
                          const double *p, double sum[BEAM_SUMS][LANES])                                \
  {                                                                                                     \
    for (int64_t at = i; at < i + n; at += LANES) eight_sums(b, k, rule, at, q, p, NULL, sum);          \
  }
EIGHTS(beam_eights_one_point, BEAM_ONE_POINT)
EIGHTS(beam_eights_trapezoid, BEAM_TRAPEZOID)
EIGHTS(beam_eights_cayley, BEAM_CAYLEY_STRAIN)

/* Elements of all kinds, one by one. */
VV_HOT static void beam_eights_any(const vv_block *b, int32_t j, int64_t i, int64_t n, const double *q, const double *p,
                                   double sum[BEAM_SUMS][LANES])
{
  for (int64_t at = i; at < i + n; at += LANES) {
    double strained[LANES];
    for (int l = 0; l < LANES; l++) strained[l] = element_energy(b, j, at + l, q);
    eight_sums(b, beam_of(b, j), BEAM_ONE_POINT, at, q, p, strained, sum);
  }
}

/* So many nodes from i on, a multiple of eight, none of which is the last of its body. */
static void eights(const vv_block *b, int32_t j, int64_t i, int64_t n, const double *q, const double *p,
                   double sum[BEAM_SUMS][LANES])
{
  const beam_body *k = beam_of(b, j);
  if (beam_by_exp(k->strain) || k->graded != 0.0 || !beam_is_elastic(b, j))
    beam_eights_any(b, j, i, n, q, p, sum);
  else if (k->strain == BEAM_ONE_POINT)
    beam_eights_one_point(b, k, i, n, q, p, sum);
  else if (k->strain == BEAM_TRAPEZOID)
    beam_eights_trapezoid(b, k, i, n, q, p, sum);
  else
    beam_eights_cayley(b, k, i, n, q, p, sum);
}

/* A strip of n nodes, at most BEAM_BRANCH: node t is in lane t % 8. */
static void sum_strip(const vv_block *b, int32_t j, int64_t i, int64_t n, const double *q, const double *p,
                      double out[BEAM_SUMS])
{
  const int64_t last = b->body[j]->node0 + b->body[j]->n_node - 1;
  const int64_t whole = (i + n <= last ? n : last - i) / LANES * LANES;
  double lane[BEAM_SUMS][LANES] = {{0}}, one[BEAM_SUMS];
  eights(b, j, i, whole, q, p, lane);
  for (int64_t t = whole; t < n; t++) {
    node_sums(b, j, i + t, q, p, one);
    for (int s = 0; s < BEAM_SUMS; s++) lane[s][t % LANES] += one[s];
  }
  for (int s = 0; s < BEAM_SUMS; s++) out[s] = BEAM_LANES_SUM(lane[s]);
}
_Static_assert((int)LANES == (int)BEAM_SUM_LANES, "lanes of a strip");

/* The sum of n sums, at most BEAM_BRANCH, in lanes. */
static void fold(int64_t n, double (*term)[BEAM_SUMS], double out[BEAM_SUMS])
{
  for (int k = 0; k < BEAM_SUMS; k++) {
    double lane[BEAM_SUM_LANES] = {0};
    for (int64_t i = 0; i < n; i++) lane[i % BEAM_SUM_LANES] += term[i][k];
    out[k] = BEAM_LANES_SUM(lane);
  }
}

/* Nodes [i, i + n) of body j, at most BEAM_BRANCH times `branch` of them: branches of that many nodes; 1: a strip.  Threads share the
 * first level that has work for all of them; a region within a region, even within one of a single thread, would have to start them
 * anew. */
static void sum_nodes(const vv_block *b, int32_t j, int64_t i, int64_t n, int64_t branch, int threads, const double *q,
                      const double *p, double out[BEAM_SUMS])
{
  if (branch == 1) {
    sum_strip(b, j, i, n, q, p, out);
    return;
  }
  const int64_t parts = (n + branch - 1) / branch, next = branch / BEAM_BRANCH;
  double part[BEAM_BRANCH][BEAM_SUMS];
  if (threads > 1 && n >= PARALLEL_FROM && (parts >= threads || next == 1)) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t k = 0; k < parts; k++)
      sum_nodes(b, j, i + k * branch, k + 1 < parts ? branch : n - k * branch, next, 1, q, p, part[k]);
  } else {
    for (int64_t k = 0; k < parts; k++)
      sum_nodes(b, j, i + k * branch, k + 1 < parts ? branch : n - k * branch, next, threads, q, p, part[k]);
  }
  fold(parts, part, out);
}

void beam_audit_body(const vv_block *b, int32_t j, const double *q, const double *p, vv_totals *sum)
{
  const int64_t i0 = b->body[j]->node0, n = b->body[j]->n_node;
  int64_t branch = 1;
  double all[BEAM_SUMS];
  while (branch * BEAM_BRANCH < n) branch *= BEAM_BRANCH;
  sum_nodes(b, j, i0, n, branch, b->threads, q, p, all);
  beam_add_sums(all, sum);
}

void beam_add_sums(const double all[BEAM_SUMS], vv_totals *sum)
{
  sum->kinetic += all[BEAM_KINETIC], sum->strain += all[BEAM_STRAINED], sum->potential += all[BEAM_POTENTIAL];
  sum->p_abs += all[BEAM_P_ABS], sum->L_abs += all[BEAM_L_ABS];
  for (int c = 0; c < 3; c++) sum->p[c] += all[BEAM_P_SUM + c], sum->L[c] += all[BEAM_L_SUM + c];
}

void beam_audit(const vv_block *b, const double *q, const double *p, vv_totals *sum)
{
  for (int32_t j = 0; j < b->n_body; j++) beam_audit_body(b, j, q, p, sum);
}

/* Places are multiples of their rounding, so an unstressed element shows strains up to eps |x|/l, and its frames add eps to
 * strain and l K: V of those strains is what rounding makes of nothing.                                     [ledger 10] */
double beam_energy_floor(const vv_block *b, const double *q)
{
  double sum = 0.0;
  for (int32_t j = 0; j < b->n_body; j++) {
    const beam_body *k = beam_of(b, j);
    const int64_t i0 = b->body[j]->node0, n = b->body[j]->n_node;
    double far = 0.0, element = 0.0;
    for (int c = 0; c < 3; c++)
      for (int64_t i = i0; i < i0 + n; i++) far = fmax(far, fabs(q[(BEAM_X + c) * b->column + i]));
    const double turn = DBL_EPSILON, strain = turn * (1.0 + far / k->l);
    for (int c = 0; c < 3; c++) element += 0.5 * (k->l * k->c1[c] * strain * strain + k->c2[c] / k->l * turn * turn);
    sum += (double)b->body[j]->n_element * element;
  }
  return sum;
}

/* The closed form keeps T + h^2 sum |omega|^2 omega.J omega/24 to fourth order; the other drifts were not worked out.
 *                                                                                                             [beam 9] */
double beam_drift_excess(const vv_block *b, const double *q, const double *p)
{
  double sum = 0.0;
  for (int32_t j = 0; j < b->n_body; j++) {
    const beam_body *k = beam_of(b, j);
    if (k->drift != BEAM_LGVI) return NAN;
    for (int64_t i = b->body[j]->node0; i < b->body[j]->node0 + b->body[j]->n_node; i++) {
      double x[3], frame[9], P[3], S[3], inertia[3], omega[3], twice = 0.0;
      beam_get(b, q, i, x, frame);
      momentum_of(b, p, i, P, S);
      beam_inertia(b, k, i, inertia);
      beam_body_rate(inertia, frame, S, omega);
      for (int c = 0; c < 3; c++) twice += inertia[c] * omega[c] * omega[c];
      sum += vvi_dot3(omega, omega) * twice / 24.0;
    }
  }
  return sum;
}

/* ---- output ---- */

enum beam_output_word {
  OUT_POSITION,
  OUT_D1,
  OUT_D2,
  OUT_D3,
  OUT_VELOCITY,
  OUT_RATE,
  OUT_MOMENTUM,
  OUT_SPIN,
  OUT_STRAIN,
  OUT_CURVATURE,
  OUT_FORCE,
  OUT_MOMENT,
  OUT_PLASTIC,
  OUT_DAMAGE,
  OUT_ENERGY,
  OUT_DISSIPATED,
  OUT_MISES,
  OUT_CONFIGURATIONAL,
  OUT_PSEUDO,
  OUT_WHOLE,
  OUT_POWER
};
const vv_output_field beam_output_field[] = {
    {"position", "m", 3, false},
    {"d1", "1", 3, false},
    {"d2", "1", 3, false},
    {"d3", "1", 3, false},
    {"velocity", "m/s", 3, false},
    {"angular_velocity", "rad/s", 3, false},
    {"momentum", "kg m/s", 3, false},
    {"angular_momentum", "kg m^2/s", 3, false},
    {"strain", "1", 3, true},
    {"curvature", "1/m", 3, true},
    {"n", "N", 3, true},
    {"m", "N m", 3, true},
    {"plastic_strain", "1", 1, true},
    {"damage", "1", 1, true},
    {"energy_density", "J/m", 1, true},
    {"dissipated_density", "J/m", 1, true},
    {"mises", "Pa", 1, true},
    {"configurational_force", "N", 1, true},
    {"pseudomomentum", "kg m/s", 1, true},
    {"energy", "J", 1, true},
    {"power", "W", 1, true},
};
_Static_assert(sizeof beam_output_field / sizeof *beam_output_field == BEAM_OUTPUTS, "one row each");

static void node_output(const vv_block *b, const beam_body *k, int field, int64_t i, const double *q, const double *p,
                        double out[3])
{
  double x[3], frame[9], P[3], S[3], inertia[3], omega[3];
  beam_get(b, q, i, x, frame);
  momentum_of(b, p, i, P, S);
  beam_inertia(b, k, i, inertia);
  beam_body_rate(inertia, frame, S, omega);
  for (int c = 0; c < 3; c++) {
    const double all[] = {[OUT_POSITION] = x[c],
                          [OUT_D1] = frame[3 * c],
                          [OUT_D2] = frame[3 * c + 1],
                          [OUT_D3] = frame[3 * c + 2],
                          [OUT_VELOCITY] = beam_node(b, BEAM_INVERSE_MASS)[i] * P[c],
                          [OUT_RATE] = vvi_dot3(frame + 3 * c, omega),
                          [OUT_MOMENTUM] = P[c],
                          [OUT_SPIN] = S[c]};
    out[c] = all[field];
  }
}

/* Strain G - G0 and curvature K - K0 of an element, in the frame of the section: as the rule of the body measures them,
 * with K = psi/l and, for the trapezoid rule, the mean of the two nodes; or as the energy-momentum form does.
 *                                                                                                         [beam 1, 30] */
static void measure(const vv_block *b, const beam_body *k, bool director, const double *q, int64_t left, int64_t right,
                    double strain[3], double curvature[3])
{
  double xa[3], xb[3], da[9], db[9], e[6];
  if (director) {
    get_node(b, q, left, xa, da);
    get_node(b, q, right, xb, db);
    beam_director_strain(k, xa, da, xb, db, e);
    memcpy(strain, e, 3 * sizeof *e), memcpy(curvature, e + 3, 3 * sizeof *e);
    return;
  }
  const beam_element_strains s = strain_of(b, k, q, left, right);
  for (int c = 0; c < 3; c++) strain[c] = 0.5 * (s.a[c] + s.b[c]), curvature[c] = s.psi[c] / k->l;
}

/* Resultants: n = C1 (G - G0), m = C2 (K - K0). */
static void element_output(const beam_body *k, int field, const double strain[3], const double curvature[3],
                           double out[3])
{
  for (int c = 0; c < 3; c++)
    out[c] = field == OUT_STRAIN      ? strain[c]
             : field == OUT_CURVATURE ? curvature[c]
             : field == OUT_FORCE     ? k->c1[c] * strain[c]
                                      : k->c2[c] * curvature[c];
}

/* What an element has gone through. */
static double history_output(const vv_block *b, int32_t j, int field, int64_t e, const double *q)
{
  if (beam_is_elastic(b, j)) return 0.0;
  return field == OUT_PLASTIC  ? beam_flow_alpha(b, j, e, q)
         : field == OUT_DAMAGE ? beam_flow_damage(b, j, e, q)
                               : beam_flow_lost(b, j, e, q) / beam_of(b, j)->l;
}

/* J/m, with the strains e6. */
static double stored_density(const vv_block *b, int32_t j, int64_t e, const double *q, const double e6[6])
{
  const beam_body *k = beam_of(b, j);
  double sum = 0.0;
  if (!beam_is_elastic(b, j)) return beam_flow_energy(b, j, e, q, e6) / k->l;
  for (int c = 0; c < 3; c++) sum += 0.5 * (k->c1[c] * e6[c] * e6[c] + k->c2[c] * e6[3 + c] * e6[3 + c]);
  return sum;
}

/* n.G + m.K with the whole strains, as the rule of the body measures them, and the whole curvature. */
static double strain_work(const vv_block *b, int32_t j, bool director, const double *q, int64_t e, const double e6[6],
                          double curvature[3])
{
  const int32_t *node = b->element_node + 2 * (b->body[j]->element0 + e);
  beam_body own;
  const beam_body *k = beam_element_of(b, j, node[0], &own);
  double sum = 0.0, felt[6];
  for (int c = 0; c < 3; c++)
    curvature[c] = e6[3 + c] + (director ? k->rest_curvature[c] : k->rest_psi[c] / k->l), felt[c] = k->c1[c] * e6[c],
    felt[3 + c] = k->c2[c] * e6[3 + c];
  if (!beam_is_elastic(b, j)) beam_flow_resultants(b, j, e, q, e6, felt);
  for (int c = 0; c < 3; c++) sum += felt[3 + c] * curvature[c];
  if (!director && beam_at_nodes(k->strain)) {
    const beam_element_strains s = strain_of(b, k, q, node[0], node[1]);
    for (int c = 0; c < 3; c++)
      sum += 0.5 * k->c1[c] * (s.a[c] * (s.a[c] + k->rest_a[c]) + s.b[c] * (s.b[c] + k->rest_b[c]));
    return sum;
  }
  for (int c = 0; c < 3; c++) sum += felt[c] * (e6[c] + (director ? k->rest_strain[c] : k->rest[c]));
  return sum;
}

/* What the trapezoid rule stores, per length, from the strains at both nodes. */
static double element_density(const vv_block *b, int32_t j, bool director, const double *q, int64_t e,
                              const double e6[6])
{
  const int32_t *node = b->element_node + 2 * (b->body[j]->element0 + e);
  beam_body own;
  const beam_body *k = beam_element_of(b, j, node[0], &own);
  if (director || !beam_at_nodes(k->strain) || !beam_is_elastic(b, j)) return stored_density(b, j, e, q, e6);
  const beam_element_strains s = strain_of(b, k, q, node[0], node[1]);
  return stored(k, &s) / k->l;
}

/* How the Lagrangian of an element changes with its length, and the momentum of shifts of the beam along itself: momentum
 * times x', spin times curvature.                                                                           [beam 78, 79] */
static double shift_output(const vv_block *b, int32_t j, bool director, int field, const double *q, const double *p,
                           int64_t e, const double e6[6])
{
  const int32_t *node = b->element_node + 2 * (b->body[j]->element0 + e);
  beam_body own;
  const beam_body *k = beam_element_of(b, j, node[0], &own);
  double curvature[3], x[2][3], frame[9], P[3], S[3], inertia[3], omega[3], kinetic = 0.0, momentum = 0.0;
  const double work = strain_work(b, j, director, q, e, e6, curvature);
  for (int i = 0; i < 2; i++) beam_get(b, q, node[i], x[i], frame);
  for (int i = 0; i < 2; i++) {
    const double part = 0.5 * k->rho_a, inverse = beam_node(b, BEAM_INVERSE_MASS)[node[i]];
    beam_get(b, q, node[i], x[i], frame);
    momentum_of(b, p, node[i], P, S);
    beam_inertia(b, k, node[i], inertia);
    beam_body_rate(inertia, frame, S, omega);
    for (int c = 0; c < 3; c++) {
      const double v = inverse * P[c], spin = 0.5 * k->inertia[c] * omega[c];
      kinetic += 0.5 * (part * v * v + spin * omega[c]) + part * b->gravity[c] * x[i][c];
      momentum += part * v * (x[1][c] - x[0][c]) + k->l * spin * curvature[c];
    }
  }
  return field == OUT_PSEUDO ? momentum : kinetic - element_density(b, j, director, q, e, e6) + work;
}

/* Force on the left node of an element of body j and moments on both; nothing where there is none. */
typedef struct element_push {
  double force[3], left[3], right[3];
} element_push;

static element_push push_of(const vv_block *b, int32_t j, int64_t e, const double *q)
{
  element_push w = {0};
  if (e >= 0) beam_element_force(b, j, b->element_node[2 * (b->body[j]->element0 + e)], q, w.force, w.left, w.right);
  return w;
}

/* The element of body j that ends (side 1) or begins (side 0) at a node; -1: none. */
static int64_t neighbour(const vv_block *b, int32_t j, int64_t e, int side)
{
  const vv_body *body = b->body[j];
  const int64_t n = body->n_element, to = side == 1 ? (e + n - 1) % n : (e + 1) % n;
  const int32_t *here = b->element_node + 2 * (body->element0 + e),
                *there = b->element_node + 2 * (body->element0 + to);
  return there[side] == here[1 - side] ? to : -1;
}

/* The energy of an element with half of what its nodes carry, and the power of the forces and moments that the rest of the beam
 * has on it.                                                                                                 [bars 58, 59] */
static double balance_output(const vv_block *b, int32_t j, int field, const double *q, const double *p, int64_t e,
                             double stored)
{
  const int32_t *node = b->element_node + 2 * (b->body[j]->element0 + e);
  const element_push own = push_of(b, j, e, q),
                     other[2] = {push_of(b, j, neighbour(b, j, e, 1), q), push_of(b, j, neighbour(b, j, e, 0), q)};
  double energy = stored, power = 0.0;
  for (int i = 0; i < 2; i++) {
    const double share = 0.5 * beam_node(b, BEAM_SPAN)[node[0]] / beam_node(b, BEAM_WEIGHT)[node[i]];
    const double sign = i == 0 ? 1.0 : -1.0, *moment = i == 0 ? own.left : own.right;
    const double *beside = i == 0 ? other[0].right : other[1].left;
    double v[3], omega[3], x[3], frame[9], P[3], S[3];
    beam_get(b, q, node[i], x, frame);
    momentum_of(b, p, node[i], P, S);
    node_output(b, beam_of(b, j), OUT_VELOCITY, node[i], q, p, v);
    node_output(b, beam_of(b, j), OUT_RATE, node[i], q, p, omega);
    for (int c = 0; c < 3; c++) {
      const double force = sign * own.force[c], all = force - sign * other[i].force[c];
      energy +=
          share * (0.5 * (P[c] * v[c] + S[c] * omega[c]) - beam_node(b, BEAM_MASS)[node[i]] * b->gravity[c] * x[c]);
      power += (share * all - force) * v[c] + (share * (moment[c] + beside[c]) - moment[c]) * omega[c];
    }
  }
  return field == OUT_WHOLE ? energy : power;
}

static void write_output(const vv_block *b, bool director, int field, const double *q, const double *p, double *out)
{
  for (int32_t j = 0; j < b->n_body; j++) {
    const vv_body *body = b->body[j];
    const beam_body *k = beam_of(b, j);
    for (int64_t i = body->node0; field < OUT_STRAIN && i < body->node0 + body->n_node; i++)
      node_output(b, k, field, i, q, p, out + 3 * i);
    for (int64_t e = body->element0; field >= OUT_STRAIN && e < body->element0 + body->n_element; e++) {
      double strain[3], curvature[3], felt[6];
      if (field == OUT_PLASTIC || field == OUT_DAMAGE || field == OUT_DISSIPATED) {
        out[e] = history_output(b, j, field, e - body->element0, q);
        continue;
      }
      beam_body own;
      const beam_body *at = beam_element_of(b, j, b->element_node[2 * e], &own);
      measure(b, at, director, q, b->element_node[2 * e], b->element_node[2 * e + 1], strain, curvature);
      const double e6[6] = {strain[0], strain[1], strain[2], curvature[0], curvature[1], curvature[2]};
      if (field >= OUT_WHOLE) {
        const double own_energy = at->l * element_density(b, j, director, q, e - body->element0, e6);
        out[e] = balance_output(b, j, field, q, p, e - body->element0, own_energy);
        continue;
      }
      if (field >= OUT_CONFIGURATIONAL) {
        out[e] = shift_output(b, j, director, field, q, p, e - body->element0, e6);
        continue;
      }
      if (field == OUT_ENERGY || field == OUT_MISES) {
        out[e] = (field == OUT_ENERGY ? stored_density : beam_mises)(b, j, e - body->element0, q, e6);
        continue;
      }
      element_output(k, field, strain, curvature, out + 3 * e);
      if (beam_is_elastic(b, j) || field < OUT_FORCE) continue;
      beam_flow_resultants(b, j, e - body->element0, q, e6, felt);
      for (int c = 0; c < 3; c++) out[3 * e + c] = felt[field == OUT_FORCE ? c : 3 + c];
    }
  }
}

void beam_extent(const vv_block *b, double *out)
{
  memcpy(out, beam_node(b, BEAM_WEIGHT), sizeof *out * (size_t)b->nodes);
}

void beam_output(const vv_block *b, int field, const double *q, const double *p, double *out)
{
  write_output(b, false, field, q, p, out);
}

void beam_director_output(const vv_block *b, int field, const double *q, const double *p, double *out)
{
  write_output(b, true, field, q, p, out);
}
