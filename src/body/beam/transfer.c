/* body/beam/transfer.c  Another grid of the same beam, between two steps.                                      [grids 16-18] */
#include "body/beam/beam.h"
#include "math/so3.h"
#include "model/grid_line.h"

#include <stdlib.h>
#include <string.h>

/* One of the two grids: coordinates of its nodes along the beam. */
typedef struct side {
  const vv_block *b;
  const beam_body *k;
  const vv_body *body;
  double *at; /* [nodes] */
  vvi_grid_line line;
} side;

static bool open_side(const vv_block *b, int32_t j, side *s)
{
  *s = (side){.b = b, .k = beam_of(b, j), .body = b->body[j]};
  s->at = calloc((size_t)s->body->n_node, sizeof(double));
  if (s->at == NULL) return false;
  for (int64_t i = 1; i < s->body->n_node; i++)
    s->at[i] = s->at[i - 1] + beam_node(b, BEAM_SPAN)[s->body->node0 + i - 1];
  s->line = (vvi_grid_line){s->body->n_node, s->at, beam_node(b, BEAM_MASS) + s->body->node0};
  return true;
}

/* The place and frame at the part of the way between two nodes, with constant strain and curvature: along the exponential of
 * SE(3).                                                                                                      [grids 16] */
static void between(const double *xa, const double *A, const double *xb, const double *B, double part, double *x,
                    double *L)
{
  double R[9], D[3], r[3], w[3], u[3], V[9], c[3], turn[9], way[3];
  vvi_tmul33(A, B, R);
  for (int i = 0; i < 3; i++) D[i] = xb[i] - xa[i];
  vvi_tapply33(A, D, r);
  vvi_cay_inverse(R, w);
  const double size = vvi_norm3(w), angle = size > 0.0 ? 2.0 * atan(0.5 * size) / size : 1.0;
  for (int i = 0; i < 3; i++) w[i] *= angle;
  vvi_stumpff(vvi_dot3(w, w), 1, 3, c);
  vvi_axial33(c[0], c[1], c[2], w, V);
  vvi_solve33(V, r, u);
  for (int i = 0; i < 3; i++) w[i] *= part, u[i] *= part;
  vvi_exp_se3(w, u, turn, way);
  vvi_mul33(A, turn, L);
  vvi_apply33(A, way, r);
  for (int i = 0; i < 3; i++) x[i] = xa[i] + r[i];
}

static void place(const side *from, const double *q, const side *to, int64_t k, double *x, double *L)
{
  double part, xa[3], xb[3], A[9], B[9];
  const int64_t e = from->body->node0 + vvi_grid_find(&from->line, to->at[k], &part);
  beam_get(from->b, q, e, xa, A);
  if (part <= 0.0) {
    memcpy(x, xa, sizeof xa), memcpy(L, A, sizeof A);
    return;
  }
  beam_get(from->b, q, e + 1, xb, B);
  if (part >= 1.0)
    memcpy(x, xb, sizeof xb), memcpy(L, B, sizeof B);
  else
    between(xa, A, xb, B, part, x, L);
}

/* Velocity and angular velocity of a node, in space. */
static void rates(const side *s, int64_t i, const double *q, const double *p, double v[3], double o[3])
{
  const int64_t n = s->body->node0 + i;
  double x[3], L[9], J[3], S[3], body[3];
  beam_get(s->b, q, n, x, L);
  beam_inertia(s->b, s->k, n, J);
  for (int c = 0; c < 3; c++) {
    v[c] = beam_node(s->b, BEAM_INVERSE_MASS)[n] * p[(BEAM_P + c) * s->b->column + n];
    S[c] = p[(BEAM_S + c) * s->b->column + n];
  }
  vvi_tapply33(L, S, body);
  for (int c = 0; c < 3; c++) body[c] /= J[c];
  vvi_apply33(L, body, o);
}

typedef struct mixture {
  const side *from;
  const double *q, *p;
  double v[3], o[3];
} mixture;

static void add(void *user, int64_t i, double weight)
{
  mixture *m = user;
  double v[3], o[3];
  rates(m->from, i, m->q, m->p, v, o);
  for (int c = 0; c < 3; c++) m->v[c] += weight * v[c], m->o[c] += weight * o[c];
}

/* p += m v, S += Lambda J Lambda^T o of a node of the new grid. */
static void push(const side *s, int64_t i, const double *q, const double v[3], const double o[3], double *p)
{
  const int64_t n = s->body->node0 + i;
  double x[3], L[9], J[3], body[3], S[3];
  beam_get(s->b, q, n, x, L);
  beam_inertia(s->b, s->k, n, J);
  vvi_tapply33(L, o, body);
  for (int c = 0; c < 3; c++) body[c] *= J[c];
  vvi_apply33(L, body, S);
  for (int c = 0; c < 3; c++) {
    p[(BEAM_P + c) * s->b->column + n] += beam_node(s->b, BEAM_MASS)[n] * v[c];
    p[(BEAM_S + c) * s->b->column + n] += S[c];
  }
}

/* Momentum, and angular momentum about a point. */
static void momenta(const side *s, const double *q, const double *p, const double about[3], double P[3], double M[3])
{
  for (int c = 0; c < 3; c++) P[c] = M[c] = 0.0;
  for (int64_t i = s->body->node0; i < s->body->node0 + s->body->n_node; i++) {
    double x[3], L[9], own[3], arm[3];
    beam_get(s->b, q, i, x, L);
    for (int c = 0; c < 3; c++) x[c] -= about[c], own[c] = p[(BEAM_P + c) * s->b->column + i];
    vvi_cross3(x, own, arm);
    for (int c = 0; c < 3; c++) P[c] += own[c], M[c] += arm[c] + p[(BEAM_S + c) * s->b->column + i];
  }
}

/* Mass, centre, and inertia about it of the new grid. */
static double weigh(const side *s, const double *q, double centre[3], double inertia[9])
{
  double mass = 0.0, x[3], L[9], J[3];
  for (int c = 0; c < 3; c++) centre[c] = 0.0;
  for (int pass = 0; pass < 2; pass++) {
    for (int c = 0; c < 9; c++) inertia[c] = 0.0;
    for (int64_t i = s->body->node0; i < s->body->node0 + s->body->n_node; i++) {
      const double m = beam_node(s->b, BEAM_MASS)[i];
      beam_get(s->b, q, i, x, L);
      beam_inertia(s->b, s->k, i, J);
      if (pass == 0) mass += m;
      for (int c = 0; c < 3; c++) x[c] -= pass == 0 ? 0.0 : centre[c];
      const double square = vvi_dot3(x, x);
      for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
          double own = 0.0;
          for (int d = 0; d < 3; d++) own += L[3 * r + d] * J[d] * L[3 * c + d];
          inertia[3 * r + c] += own + m * ((r == c ? square : 0.0) - x[r] * x[c]);
        }
      for (int c = 0; pass == 0 && c < 3; c++) centre[c] += m * x[c];
    }
    for (int c = 0; pass == 0 && c < 3; c++) centre[c] /= mass;
  }
  return mass;
}

/* A rigid motion of the whole that gives back both momenta; twice, for the rounding of the first.             [grids 18] */
static void give_back(const side *from, const double *q, const double *p, const side *to, const double *q_to,
                      double *p_to)
{
  double centre[3], inertia[9], P[3], M[3], now_P[3], now_M[3];
  const double mass = weigh(to, q_to, centre, inertia);
  momenta(from, q, p, centre, P, M);
  for (int pass = 0; pass < 2; pass++) {
    double v[3], o[3], dM[3];
    momenta(to, q_to, p_to, centre, now_P, now_M);
    for (int c = 0; c < 3; c++) dM[c] = M[c] - now_M[c];
    vvi_solve33(inertia, dM, o);
    for (int64_t i = 0; i < to->body->n_node; i++) {
      double x[3], L[9];
      beam_get(to->b, q_to, to->body->node0 + i, x, L);
      for (int c = 0; c < 3; c++) x[c] -= centre[c];
      vvi_cross3(o, x, v);
      for (int c = 0; c < 3; c++) v[c] += (P[c] - now_P[c]) / mass;
      push(to, i, q_to, v, o, p_to);
    }
  }
}

static void carry(const side *from, const double *q, const double *p, const side *to, double *q_to, double *p_to)
{
  const vv_block *b = to->b;
  for (int64_t k = 0; k < to->body->n_node; k++) {
    double x[3], L[9];
    place(from, q, to, k, x, L);
    beam_put(b, q_to, to->body->node0 + k, x, L);
    for (int c = 0; c < BEAM_NODE_P; c++) p_to[c * b->column + to->body->node0 + k] = 0.0;
  }
  for (int64_t k = 0; k < to->body->n_node; k++) {
    mixture mix = {.from = from, .q = q, .p = p};
    vvi_grid_mix(&from->line, &to->line, k, add, &mix);
    push(to, k, q_to, mix.v, mix.o, p_to);
  }
}

const char *beam_transfer(const vv_block *from, int32_t i, const double *q, const double *p, const vv_block *to,
                          int32_t j, double *q_to, double *p_to)
{
  side a, b = {0};
  const char *why = NULL;
  const beam_body *k = beam_of(from, i), *n = beam_of(to, j);
  if (!beam_is_elastic(from, i) || !beam_is_elastic(to, j)) return "flows, damps or breaks";
  if (k->closed != 0.0 || n->closed != 0.0) return "is closed";
  if (!open_side(from, i, &a)) return "needs more memory";
  if (!open_side(to, j, &b))
    why = "needs more memory";
  else if (fabs(a.at[a.line.n - 1] - b.at[b.line.n - 1]) > 1e-9 * a.at[a.line.n - 1])
    why = "has another length";
  if (why == NULL) {
    carry(&a, q, p, &b, q_to, p_to);
    if (n->hold[0] == 0.0 && n->hold[1] == 0.0) give_back(&a, q, p, &b, q_to, p_to);
    beam_hold(to, j, p_to);
  }
  free(a.at), free(b.at);
  return why;
}
