/* body/rigid/audit.c  Energies and momenta of rigid bodies, and the fields that are written to files. */
#include "body/rigid/rigid.h"
#include "ledger/ledger.h"

enum { SEGMENT = 512, SEGMENTS = 64, PARALLEL_FROM = 2048 };

/* Sums of a segment.  Heights of many bodies add up to far more than what one step changes: energies carry what rounds. */
typedef struct totals {
  vv_totals sum;
  vv_sum kinetic, potential;
} totals;

/* T = p.p/(2 m) + h.omega/2; L = (x + carry) x p + h                                                      [rigid 9, 10] */
static void add_node(const vv_block *b, int64_t i, const double *q, const double *p, totals *part)
{
  vv_totals *s = &part->sum;
  double x[3], turn[4], carry[3], P[3], h[3], r[9], omega[3], arm[3], more[3];
  rigid_take(b->column, q, i, RIGID_X, 3, x);
  rigid_take(b->column, q, i, RIGID_TURN, 4, turn);
  rigid_take(b->column, q, i, RIGID_CARRY, 3, carry);
  rigid_take(b->column, p, i, RIGID_P, 3, P);
  rigid_take(b->column, p, i, RIGID_H, 3, h);
  vvi_quaternion_matrix(turn, r);
  rigid_spin(b, i, r, h, omega);
  vvi_cross3(x, P, arm);
  vvi_cross3(carry, P, more);
  vvi_sum_add(&part->kinetic, 0.5 * (rigid_node(b, RIGID_INVERSE_MASS)[i] * vvi_dot3(P, P) + vvi_dot3(h, omega)));
  vvi_sum_add(&part->potential,
              -rigid_node(b, RIGID_MASS)[i] * (vvi_dot3(b->gravity, x) + vvi_dot3(b->gravity, carry)));
  for (int c = 0; c < 3; c++) {
    s->p[c] += P[c];
    s->L[c] += arm[c] + (more[c] + h[c]);
  }
  s->p_abs += vvi_norm3(P);
  s->L_abs += vvi_norm3(x) * vvi_norm3(P) + vvi_norm3(h); /* what x x p rounds by, also where the two are parallel */
}

static totals sum_segment(const vv_block *b, int64_t i0, int64_t i1, const double *q, const double *p)
{
  totals s = {0};
  for (int64_t i = i0; i < i1; i++) add_node(b, i, q, p, &s);
  return s;
}

static void add(vv_totals *sum, const vv_totals *part)
{
  sum->p_abs += part->p_abs, sum->L_abs += part->L_abs;
  for (int c = 0; c < 3; c++) sum->p[c] += part->p[c], sum->L[c] += part->L[c];
}

/* Segments follow from the number of bodies, so the order of the sum does not depend on the number of threads. */
void rigid_audit(const vv_block *b, const double *q, const double *p, vv_totals *sum)
{
  const int64_t n = b->nodes;
  const int64_t segments = n < 2 * SEGMENT ? 1 : n < SEGMENTS * SEGMENT ? n / SEGMENT : SEGMENTS;
  totals part[SEGMENTS];
  vv_sum kinetic = {0}, potential = {0};
  if (n < PARALLEL_FROM || b->threads < 2) {
    for (int64_t s = 0; s < segments; s++) part[s] = sum_segment(b, n * s / segments, n * (s + 1) / segments, q, p);
  } else {
#pragma omp parallel for schedule(static) num_threads(b->threads)
    for (int64_t s = 0; s < segments; s++) part[s] = sum_segment(b, n * s / segments, n * (s + 1) / segments, q, p);
  }
  for (int64_t s = 0; s < segments; s++) {
    add(sum, &part[s].sum);
    vvi_sum_add(&kinetic, vv_sum_value(&part[s].kinetic));
    vvi_sum_add(&potential, vv_sum_value(&part[s].potential));
  }
  sum->kinetic += vv_sum_value(&kinetic), sum->potential += vv_sum_value(&potential);
}

void rigid_audit_body(const vv_block *b, int32_t j, const double *q, const double *p, vv_totals *sum)
{
  const vv_body *body = b->body[j];
  const totals part = sum_segment(b, body->node0, body->node0 + body->n_node, q, p);
  add(sum, &part.sum);
  sum->kinetic += vv_sum_value(&part.kinetic), sum->potential += vv_sum_value(&part.potential);
}

/* ---- output ---- */

enum rigid_output_word {
  OUT_POSITION,
  OUT_ORIENTATION,
  OUT_VELOCITY,
  OUT_SPIN,
  OUT_MOMENTUM,
  OUT_ANGULAR_MOMENTUM,
  OUT_KINETIC
};
const vv_output_field rigid_output_field[] = {
    {"position", "m", 3, false},       {"orientation", "1", 4, false}, /* of the axes of the shape: w, x, y, z */
    {"velocity", "m/s", 3, false},     {"angular_velocity", "rad/s", 3, false},
    {"momentum", "kg m/s", 3, false},  {"angular_momentum", "kg m^2/s", 3, false}, /* about the centre of mass */
    {"kinetic_energy", "J", 1, false},
};
_Static_assert(sizeof rigid_output_field / sizeof *rigid_output_field == RIGID_OUTPUTS, "one row each");

/* The axes of the shape are turned by q turn^-1, brought to length 1. */
static void orientation(const rigid_body *k, const double q[4], double out[4])
{
  const double back[4] = {k->turn[0], -k->turn[1], -k->turn[2], -k->turn[3]};
  vvi_quaternion_times(q, back, out);
  const double size = 1.0 / sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
  for (int c = 0; c < 4; c++) out[c] *= size;
}

static void node_output(const vv_block *b, const rigid_body *k, int field, int64_t i, const double *q, const double *p,
                        double *out)
{
  double x[3], turn[4], P[3], h[3], r[9], omega[3];
  rigid_take(b->column, q, i, RIGID_X, 3, x);
  rigid_take(b->column, q, i, RIGID_TURN, 4, turn);
  rigid_take(b->column, p, i, RIGID_P, 3, P);
  rigid_take(b->column, p, i, RIGID_H, 3, h);
  vvi_quaternion_matrix(turn, r);
  rigid_spin(b, i, r, h, omega);
  const double minv = rigid_node(b, RIGID_INVERSE_MASS)[i];
  if (field == OUT_ORIENTATION) {
    orientation(k, turn, out);
  } else if (field == OUT_KINETIC) {
    *out = 0.5 * (minv * vvi_dot3(P, P) + vvi_dot3(h, omega));
  } else {
    for (int c = 0; c < 3; c++)
      out[c] = field == OUT_POSITION   ? x[c]
               : field == OUT_VELOCITY ? minv * P[c]
               : field == OUT_SPIN     ? omega[c]
               : field == OUT_MOMENTUM ? P[c]
                                       : h[c];
  }
}

void rigid_output(const vv_block *b, int field, const double *q, const double *p, double *out)
{
  const int components = rigid_output_field[field].components;
  for (int32_t j = 0; j < b->n_body; j++)
    for (int64_t i = b->body[j]->node0; i < b->body[j]->node0 + b->body[j]->n_node; i++)
      node_output(b, rigid_of(b, j), field, i, q, p, out + components * i);
}
