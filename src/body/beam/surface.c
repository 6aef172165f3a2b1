/* body/beam/surface.c  The contact shapes of a beam: one curve through its nodes.
 *
 * The point at s = i + xi lies between node i and the next with weights 1 - xi and xi.  An impulse j there, at the end of
 * an arm r (corner of the section, or the arm of a round one), gives node k its share                            [beam 60]
 *   P_k += w_k j,   S_k += w_k r_k x j,   and in return   v = sum_k w_k (P_k/m_k + omega_k x r_k). */
#include "body/beam/beam.h"

#include "math/so3.h"

/* One of the two nodes of a point: its weight, arm, inverse mass and inverse inertia in space. */
typedef struct share {
  int64_t node;
  double weight, arm[3], inverse_mass, inverse_inertia[9];
  bool place, frame; /* held */
} share;

static void arm_of(const vv_block *b, const vv_patch *t, const vv_point *pt, const double frame[9], double arm[3])
{
  static const double sign[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  const int corner = (int)pt->xi[1];
  (void)b;
  for (int c = 0; c < 3; c++) {
    arm[c] = pt->arm[c];
    if (t->corners == 4)
      arm[c] += sign[corner][0] * t->half[0] * frame[3 * c] + sign[corner][1] * t->half[1] * frame[3 * c + 1];
  }
}

/* Bits of beam_hold of a node: only ends are held. */
static int hold_of(const vv_block *b, const vv_patch *t, int64_t node)
{
  const beam_body *k = beam_of(b, (int32_t)(t - b->patch)); /* one patch a body */
  if (node == t->node) return (int)k->hold[0];
  return node == t->node + t->nodes - 1 ? (int)k->hold[1] : 0;
}

/* Lambda J^-1 Lambda^T */
static void inverse_inertia(const vv_block *b, const beam_body *k, int64_t node, const double frame[9], double a[9])
{
  double inertia[3];
  beam_inertia(b, k, node, inertia);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      a[3 * i + j] = 0.0;
      for (int c = 0; c < 3; c++) a[3 * i + j] += frame[3 * i + c] * frame[3 * j + c] / inertia[c];
    }
}

static void share_at(const vv_block *b, const vv_patch *t, const vv_point *pt, int64_t node, double weight,
                     const double *q, share *s)
{
  const beam_body *k = beam_of(b, (int32_t)(t - b->patch));
  const int hold = hold_of(b, t, node);
  double x[3], frame[9];
  *s = (share){.node = node, .weight = weight, .place = hold & BEAM_HOLD_PLACE, .frame = hold & BEAM_HOLD_FRAME};
  beam_get(b, q, node, x, frame);
  arm_of(b, t, pt, frame, s->arm);
  s->inverse_mass = s->place ? 0.0 : beam_node(b, BEAM_INVERSE_MASS)[node];
  if (!s->frame) inverse_inertia(b, k, node, frame, s->inverse_inertia);
}

/* The one or two nodes of a point. */
static int shares(const vv_block *b, const vv_point *pt, const double *q, share s[2])
{
  const vv_patch *t = &b->patch[pt->patch];
  const double at = floor(pt->xi[0]), xi = pt->xi[0] - at;
  const int64_t first = t->node + (int64_t)at, next = (int64_t)at + 1 < t->nodes ? first + 1 : t->node;
  share_at(b, t, pt, first, 1.0 - xi, q, &s[0]);
  if (xi == 0.0) return 1;
  share_at(b, t, pt, next, xi, q, &s[1]);
  return 2;
}

void beam_surface(const vv_block *b, const double *q, int n, const vv_point *pt, double *x)
{
  for (int i = 0; i < n; i++) {
    const vv_patch *t = &b->patch[pt[i].patch];
    const double at = floor(pt[i].xi[0]), xi = pt[i].xi[0] - at;
    const int64_t first = t->node + (int64_t)at, next = (int64_t)at + 1 < t->nodes ? first + 1 : t->node;
    const vv_point bare = {.patch = pt[i].patch, .xi = {pt[i].xi[0], pt[i].xi[1]}};
    double place[3], frame[9], arm[3];
    beam_get(b, q, first, place, frame);
    arm_of(b, t, &bare, frame, arm);
    for (int c = 0; c < 3; c++) {
      x[3 * i + c] = place[c] + arm[c];
      if (xi != 0.0) x[3 * i + c] = (1.0 - xi) * place[c] + xi * q[c * b->column + next] + arm[c];
    }
  }
}

void beam_push(const vv_block *b, const double *q, const double *p, int n, const vv_point *pt, double *w)
{
  for (int i = 0; i < n; i++) {
    share s[2];
    const int m = shares(b, &pt[i], q, s);
    for (int c = 0; c < 3; c++) w[3 * i + c] = 0.0;
    for (int k = 0; k < m; k++) {
      double spin[3], omega[3], turn[3];
      for (int c = 0; c < 3; c++) spin[c] = p[(BEAM_S + c) * b->column + s[k].node];
      vvi_apply33(s[k].inverse_inertia, spin, omega);
      vvi_cross3(omega, s[k].arm, turn);
      for (int c = 0; c < 3; c++)
        w[3 * i + c] += s[k].weight * (s[k].inverse_mass * p[(BEAM_P + c) * b->column + s[k].node] + turn[c]);
    }
  }
}

void beam_pull(const vv_block *b, const double *q, int n, const vv_point *pt, const double *r, double *p)
{
  for (int i = 0; i < n; i++) {
    share s[2];
    const int m = shares(b, &pt[i], q, s);
    for (int k = 0; k < m; k++) {
      double torque[3];
      vvi_cross3(s[k].arm, r + 3 * i, torque);
      for (int c = 0; c < 3; c++) {
        if (!s[k].place) p[(BEAM_P + c) * b->column + s[k].node] += s[k].weight * r[3 * i + c];
        if (!s[k].frame) p[(BEAM_S + c) * b->column + s[k].node] += s[k].weight * torque[c];
      }
    }
  }
}

/* A = sum_k w_k^2 (1/m_k - r^ J_k^-1 r^) */
void beam_inverse_mass(const vv_block *b, const double *q, int n, const vv_point *pt, double *a)
{
  static const int row[6] = {0, 1, 2, 1, 0, 0}, column[6] = {0, 1, 2, 2, 2, 1};
  for (int i = 0; i < n; i++) {
    share s[2];
    const int m = shares(b, &pt[i], q, s);
    for (int c = 0; c < 6; c++) a[6 * i + c] = 0.0;
    for (int k = 0; k < m; k++) {
      double hat[9], half[9], full[9];
      vvi_axial33(0.0, 1.0, 0.0, s[k].arm, hat);
      vvi_mul33(s[k].inverse_inertia, hat, half);
      vvi_tmul33(hat, half, full); /* r^^T J^-1 r^ */
      for (int c = 0; c < 6; c++)
        a[6 * i + c] += s[k].weight * s[k].weight *
                        (full[3 * row[c] + column[c]] + (row[c] == column[c] ? s[k].inverse_mass : 0.0));
    }
  }
}

/* Every node as a rigid frame: what a solid meets. */
static void mover_at(const vv_block *b, const beam_body *k, int hold, int64_t node, const double *q, const double *p,
                     vv_mover *m)
{
  double spin[3], a[9] = {0};
  *m = (vv_mover){0};
  beam_get(b, q, node, m->place, m->turn);
  if ((hold & BEAM_HOLD_FRAME) == 0) inverse_inertia(b, k, node, m->turn, a);
  const double inverse_mass = hold & BEAM_HOLD_PLACE ? 0.0 : beam_node(b, BEAM_INVERSE_MASS)[node];
  for (int c = 0; c < 3; c++) {
    m->inverse_mass[c] = inverse_mass;
    m->velocity[c] = inverse_mass * p[(BEAM_P + c) * b->column + node];
    spin[c] = p[(BEAM_S + c) * b->column + node];
  }
  vvi_apply33(a, spin, m->spin);
  const double packed[6] = {a[0], a[4], a[8], a[5], a[2], a[1]};
  for (int c = 0; c < 6; c++) m->inverse_inertia[c] = packed[c];
}

void beam_movers(const vv_block *b, const double *q, const double *p, vv_mover *out)
{
  for (int32_t j = 0; j < b->n_body; j++) {
    const vv_patch *t = &b->patch[j];
    for (int64_t i = t->node; i < t->node + t->nodes; i++)
      mover_at(b, beam_of(b, j), hold_of(b, t, i), i, q, p, &out[i]);
  }
}

void beam_mover(const vv_block *b, int64_t node, const double *q, const double *p, vv_mover *out)
{
  const int32_t j = vv_body_of_node(b, node);
  mover_at(b, beam_of(b, j), hold_of(b, &b->patch[j], node), node, q, p, out);
}

void beam_scatter(const vv_block *b, int64_t node, const double *q, const double j[6], double *p)
{
  (void)q;
  for (int c = 0; c < 3; c++) {
    p[(BEAM_P + c) * b->column + node] += j[c];
    p[(BEAM_S + c) * b->column + node] += j[3 + c];
  }
}
