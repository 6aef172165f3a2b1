/* body/beam/space.c  Evolution in space: from what a node did at all times to what its neighbour did.
 *
 * The balance of momenta at node a and level j [beam 53], read the other way round, gives the wrench of the element behind it:
 *
 *   f = m (x^{j+1} - 2 x^j + x^{j-1})/h^2 - m g - force of the element before
 *   left = (S^{j+1/2} - S^{j-1/2})/h - torque of the element before                                            [grids 14]
 *   S^{j+1/2} = (1/h) vee(B - B^T),   B = Lambda^{j+1} J_d (Lambda^j)^T
 *
 * and six equations for the place and frame of the next node: its wrench, by Newton's method with the tangent of vary.c. */
#include "body/beam/wrench.h"
#include "math/so3.h"

#include <string.h>

enum { ITERATIONS = 50 };

/* Node a at three levels, and what is given there. */
typedef struct stand {
  const beam_body *k;
  double mass, spread[3], gravity[3], h;
} stand;

static const double *row(const double *x, int64_t level, int width)
{
  return x + level * width;
}

/* vee(B - B^T) of B = L1 J_d L0^T, and its variation for L' = t^ L. */
static void spin(const stand *s, const double *L0, const double *L1, const double *t0, const double *t1, double S[3],
                 double dS[3])
{
  double B[9], left[9], right[9], dB[9], hat0[9], hat1[9];
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      B[3 * r + c] = 0.0;
      for (int i = 0; i < 3; i++) B[3 * r + c] += L1[3 * r + i] * s->spread[i] * L0[3 * c + i];
    }
  vvi_axial33(0.0, 1.0, 0.0, t0, hat0);
  vvi_axial33(0.0, 1.0, 0.0, t1, hat1);
  vvi_mul33(hat1, B, left);
  vvi_mul33(B, hat0, right);
  for (int i = 0; i < 9; i++) dB[i] = left[i] - right[i];
  const double per = 1.0 / s->h;
  S[0] = per * (B[7] - B[5]), S[1] = per * (B[2] - B[6]), S[2] = per * (B[3] - B[1]);
  dS[0] = per * (dB[7] - dB[5]), dS[1] = per * (dB[2] - dB[6]), dS[2] = per * (dB[3] - dB[1]);
}

/* What the element behind must do to node a at level j, with the variation v of the line (-1: none). */
static void demand(const stand *s, const vv_space_line *from, int64_t j, int v, pair3 *force, pair3 *left)
{
  static const double still[BEAM_NODE_P] = {0};
  const double *q[3], *d[3];
  double S[2][3], dS[2][3];
  for (int i = 0; i < 3; i++) {
    q[i] = row(from->q, j - 1 + i, BEAM_Q);
    d[i] = v < 0 ? still : row(from->dq[v], j - 1 + i, BEAM_NODE_P);
  }
  const double *flux = row(from->flux, j, BEAM_NODE_P), *dflux = v < 0 ? still : row(from->dflux[v], j, BEAM_NODE_P);
  for (int i = 0; i < 2; i++)
    spin(s, q[i] + BEAM_FRAME, q[i + 1] + BEAM_FRAME, d[i] + BEAM_S, d[i + 1] + BEAM_S, S[i], dS[i]);
  const double per = s->mass / (s->h * s->h);
  for (int c = 0; c < 3; c++) {
    force->v[c] = per * ((q[2][c] - q[1][c]) - (q[1][c] - q[0][c])) - s->mass * s->gravity[c] - flux[c];
    force->d[c] = per * ((d[2][c] - d[1][c]) - (d[1][c] - d[0][c])) - dflux[c];
    left->v[c] = (S[1][c] - S[0][c]) / s->h - flux[BEAM_S + c];
    left->d[c] = (dS[1][c] - dS[0][c]) / s->h - dflux[BEAM_S + c];
  }
}

/* a x = x, six rows; false: singular. */
static bool solve6(double a[6][6], double x[6])
{
  for (int c = 0; c < 6; c++) {
    int best = c;
    for (int r = c + 1; r < 6; r++)
      if (fabs(a[r][c]) > fabs(a[best][c])) best = r;
    if (!(fabs(a[best][c]) > 0.0)) return false;
    for (int i = 0; i < 6; i++) {
      const double keep = a[c][i];
      a[c][i] = a[best][i], a[best][i] = keep;
    }
    const double keep = x[c];
    x[c] = x[best], x[best] = keep;
    for (int r = c + 1; r < 6; r++) {
      const double f = a[r][c] / a[c][c];
      for (int i = c; i < 6; i++) a[r][i] -= f * a[c][i];
      x[r] -= f * x[c];
    }
  }
  for (int c = 5; c >= 0; c--) {
    for (int i = c + 1; i < 6; i++) x[c] -= a[c][i] * x[i];
    x[c] /= a[c][c];
  }
  return true;
}

/* The wrench between two nodes, varied by da of the left and db of the right one. */
static element_wrench wrench(const beam_body *k, const double *a, const double *b, const double *da, const double *db)
{
  pair3 D;
  turning left, right;
  memcpy(left.at, a + BEAM_FRAME, sizeof left.at), memcpy(right.at, b + BEAM_FRAME, sizeof right.at);
  for (int c = 0; c < 3; c++) {
    D.v[c] = b[c] - a[c], D.d[c] = db[c] - da[c];
    left.t[c] = da[BEAM_S + c], right.t[c] = db[BEAM_S + c];
  }
  return beam_wrench(k, &D, &left, &right);
}

static void tangent(const beam_body *k, const double *a, const double *b, double m[6][6])
{
  static const double still[BEAM_NODE_P] = {0};
  for (int i = 0; i < 6; i++) {
    double unit[BEAM_NODE_P] = {0};
    unit[i] = 1.0;
    const element_wrench w = wrench(k, a, b, still, unit);
    for (int c = 0; c < 3; c++) m[c][i] = w.force.d[c], m[3 + c][i] = w.left.d[c];
  }
}

static void move(double *b, const double x[6])
{
  double R[9], frame[9];
  vvi_cay(x + 3, R);
  vvi_mul33(R, b + BEAM_FRAME, frame);
  memcpy(b + BEAM_FRAME, frame, sizeof frame);
  for (int c = 0; c < 3; c++) b[c] += x[c];
}

/* Newton's method for the next node from the guess in b; stops where corrections no longer shrink. */
static bool find(const beam_body *k, const double *a, const pair3 *force, const pair3 *left, double *b)
{
  static const double still[BEAM_NODE_P] = {0};
  double last = INFINITY;
  for (int i = 0; i < ITERATIONS; i++) {
    double m[6][6], x[6], size = 0.0;
    const element_wrench w = wrench(k, a, b, still, still);
    tangent(k, a, b, m);
    for (int c = 0; c < 3; c++) x[c] = force->v[c] - w.force.v[c], x[3 + c] = left->v[c] - w.left.v[c];
    if (!solve6(m, x)) return false;
    for (int c = 0; c < 6; c++) size = fmax(size, fabs(x[c]) / (c < 3 ? k->l : 1.0));
    if (!(size < 1e3)) return false;
    if (size >= last && size < 1e-10) return true;
    move(b, x);
    if (size == 0.0) return true;
    last = size;
  }
  return last < 1e-9;
}

/* The next node stands to a as it did at the level before. */
static void guess(const double *a, const double *a_before, const double *b_before, double *b)
{
  double R[9], d[3], r[3];
  vvi_tmul33(a_before + BEAM_FRAME, b_before + BEAM_FRAME, R);
  for (int c = 0; c < 3; c++) d[c] = b_before[c] - a_before[c];
  vvi_tapply33(a_before + BEAM_FRAME, d, r);
  vvi_apply33(a + BEAM_FRAME, r, d);
  vvi_mul33(a + BEAM_FRAME, R, b + BEAM_FRAME);
  for (int c = 0; c < 3; c++) b[c] = a[c] + d[c];
}

static void at_rest(const beam_body *k, const double *a, double *b)
{
  double R[9], d[3], r[3];
  for (int c = 0; c < 3; c++) r[c] = k->l * k->rest_a[c];
  vvi_cay(k->rest_psi, R);
  vvi_apply33(a + BEAM_FRAME, r, d);
  vvi_mul33(a + BEAM_FRAME, R, b + BEAM_FRAME);
  for (int c = 0; c < 3; c++) b[c] = a[c] + d[c];
}

static bool vary(const stand *s, const vv_space_line *from, int64_t j, int v, const double *b, vv_space_line *to)
{
  static const double still[BEAM_NODE_P] = {0};
  const double *a = row(from->q, j, BEAM_Q), *da = row(from->dq[v], j, BEAM_NODE_P);
  double m[6][6], *db = to->dq[v] + j * BEAM_NODE_P, *dflux = to->dflux[v] + j * BEAM_NODE_P;
  pair3 force, left;
  demand(s, from, j, v, &force, &left);
  const element_wrench here = wrench(s->k, a, b, da, still);
  tangent(s->k, a, b, m);
  for (int c = 0; c < 3; c++) db[c] = force.d[c] - here.force.d[c], db[3 + c] = left.d[c] - here.left.d[c];
  if (!solve6(m, db)) return false;
  const element_wrench w = wrench(s->k, a, b, da, db);
  for (int c = 0; c < 3; c++) dflux[c] = -w.force.d[c], dflux[BEAM_S + c] = w.right.d[c];
  return true;
}

static int64_t march(const vv_block *b, int64_t node, int64_t first, int64_t last, double h, const vv_space_line *from,
                     vv_space_line *to)
{
  static const double still[BEAM_NODE_P] = {0};
  const int32_t body = vv_body_of_node(b, node);
  beam_body own;
  stand s = {.k = beam_element_of(b, body, node, &own), .mass = beam_node(b, BEAM_MASS)[node], .h = h};
  double inertia[3];
  beam_inertia(b, s.k, node, inertia);
  for (int c = 0; c < 3; c++) s.spread[c] = beam_spread(inertia, c), s.gravity[c] = b->gravity[c];
  for (int64_t j = first + 1; j < last; j++) {
    const double *a = row(from->q, j, BEAM_Q);
    double *next = to->q + j * BEAM_Q, *flux = to->flux + j * BEAM_NODE_P;
    pair3 force, left;
    demand(&s, from, j, -1, &force, &left);
    if (j == first + 1)
      at_rest(s.k, a, next);
    else
      guess(a, row(from->q, j - 1, BEAM_Q), row(to->q, j - 1, BEAM_Q), next);
    if (!find(s.k, a, &force, &left, next)) return j;
    const element_wrench w = wrench(s.k, a, next, still, still);
    for (int c = 0; c < 3; c++) flux[c] = -force.v[c], flux[BEAM_S + c] = w.right.v[c];
    for (int v = 0; from->dq[0] != NULL && v < 2; v++)
      if (!vary(&s, from, j, v, next, to)) return j;
  }
  return -1;
}

/* As [beam 71], with fluxes for momenta and levels for nodes. */
static double form(const vv_block *b, int64_t first, int64_t last, double h, const vv_space_line *at, double *magnitude)
{
  double sum = 0.0;
  (void)b;
  for (int64_t j = first; j <= last; j++) {
    const double *v = row(at->dq[0], j, BEAM_NODE_P), *w = row(at->dq[1], j, BEAM_NODE_P);
    const double *fv = row(at->dflux[0], j, BEAM_NODE_P), *fw = row(at->dflux[1], j, BEAM_NODE_P);
    const double *torque = row(at->flux, j, BEAM_NODE_P) + BEAM_S;
    double turn[3];
    vvi_cross3(v + BEAM_S, w + BEAM_S, turn);
    for (int c = 0; c < BEAM_NODE_P; c++) {
      sum += h * (fv[c] * w[c] - fw[c] * v[c]);
      *magnitude += h * (fabs(fv[c] * w[c]) + fabs(fw[c] * v[c]));
    }
    sum += h * vvi_dot3(torque, turn);
  }
  return sum;
}

static const char *refuse(const vv_block *b, int32_t j)
{
  const beam_body *k = beam_of(b, j);
  if (k->drift != BEAM_LGVI) return "needs 'drift: lgvi'";
  if (k->closed != 0.0) return "needs an open beam";
  if (k->hold[0] != 0.0 || k->hold[1] != 0.0) return "needs free ends";
  if (b->body[j]->n_load > 0) return "has no loads";
  return beam_is_elastic(b, j) ? NULL : "needs an elastic beam";
}

const vv_space_table beam_space = {.refuse = refuse, .march = march, .form = form};
