/* body/beam/lavi.c  Drift of single nodes by iteration: Lie algebra variables, or inertia unlike a plane section's.
 *
 * The momenta are in space: P is kept, and so is x x P + S, by the form of the update and not by the accuracy of the
 * iteration.  S about the moving centroid therefore loses (x_new - x) x P.  The drift itself is in retraction.h. */
#include "body/beam/retraction.h"

#include <string.h>

void beam_flight_root(const beam_flight *f, beam_drift_rule rule, double w[3], double matrix[9])
{
  double side[3];
  beam_find_turn(f, rule, w);
  beam_side_at(f, rule, w, side, matrix);
  for (int i = 0; i < 9; i++) matrix[i] = (i % 4 == 0 ? f->inertia[i / 4] : 0.0) - matrix[i];
}

static int fly(const vv_block *b, const beam_body *k, int64_t i, double h, bool move, double *q, double *p)
{
  const beam_drift_rule rule = (beam_drift_rule)k->drift;
  double x[3], frame[9], momentum[3], spin[3], inertia[3];
  beam_get(b, q, i, x, frame);
  beam_inertia(b, k, i, inertia);
  for (int c = 0; c < 3; c++) momentum[c] = p[(BEAM_P + c) * b->column + i], spin[c] = p[(BEAM_S + c) * b->column + i];
  const int n = beam_fly(rule, inertia, h, h * beam_node(b, BEAM_INVERSE_MASS)[i], move, x, frame, momentum, spin);
  for (int c = 0; rule != BEAM_LGVI && c < 3; c++) p[(BEAM_S + c) * b->column + i] = spin[c];
  beam_put(b, q, i, x, frame);
  return n;
}

int beam_drift_node(const vv_block *b, const beam_body *k, int64_t i, double h, double *q, double *p)
{
  return fly(b, k, i, h, true, q, p);
}

int beam_turn_node(const vv_block *b, const beam_body *k, int64_t i, double h, double *q, double *p)
{
  VV_ASSERT(k->drift == BEAM_LGVI);
  return fly(b, k, i, h, false, q, p);
}

/* ---- what the drift is made of ---- */

static void flight_of(const vv_block *b, const beam_body *k, int64_t i, double h, const double *q, const double *p,
                      beam_flight *f)
{
  double x[3], frame[9], momentum[3], spin[3];
  beam_get(b, q, i, x, frame);
  beam_inertia(b, k, i, f->inertia);
  for (int c = 0; c < 3; c++) momentum[c] = p[(BEAM_P + c) * b->column + i], spin[c] = p[(BEAM_S + c) * b->column + i];
  vvi_tapply33(frame, momentum, f->u);
  vvi_tapply33(frame, spin, f->s);
  for (int c = 0; c < 3; c++) f->s[c] *= h;
  f->e = h * h * beam_node(b, BEAM_INVERSE_MASS)[i];
}

/* lavi: K(xi) = omega.J omega/2 + (A |u|^2 + B (w.u)^2)/(2m), because m gamma = T^T u.  lgvi: with F = cay(w) the action
 * (w/h) tr((1 - F) J_d) gives c omega.J omega/2, c = 4/(4 + |w|^2), omega = w/h, beside |P|^2/(2m).               [beam 61] */
static double node_energy(const vv_block *b, const beam_body *k, int64_t i, double h, const double *q, const double *p)
{
  const beam_drift_rule rule = (beam_drift_rule)k->drift;
  const double minv = beam_node(b, BEAM_INVERSE_MASS)[i];
  double w[3] = {0, 0, 0}, energy = 0.0;
  beam_flight f;
  flight_of(b, k, i, h != 0.0 ? h : 1.0, q, p, &f);
  const double uu = vvi_dot3(f.u, f.u);
  if (h == 0.0) { /* no turn: the plain energy */
    for (int c = 0; c < 3; c++) energy += 0.5 * f.s[c] * f.s[c] / f.inertia[c];
    return energy + 0.5 * minv * uu;
  }
  beam_find_turn(&f, rule, w);
  for (int c = 0; c < 3; c++) energy += 0.5 * f.inertia[c] * (w[c] / h) * (w[c] / h);
  if (rule == BEAM_LGVI) return energy * 4.0 / (4.0 + vvi_dot3(w, w)) + 0.5 * minv * uu;
  const beam_retraction r = beam_retraction_at(rule, vvi_dot3(w, w));
  const double y = vvi_dot3(w, f.u);
  return energy + 0.5 * minv * (r.A * uu + r.B * y * y);
}

double beam_drift_energy(const vv_block *b, double h, const double *q, const double *p)
{
  double sum = 0.0;
  for (int32_t j = 0; j < b->n_body; j++)
    for (int64_t i = b->body[j]->node0; i < b->body[j]->node0 + b->body[j]->n_node; i++)
      sum += node_energy(b, beam_of(b, j), i, h, q, p);
  return sum;
}

/* The discrete Legendre transform [beam 16] read forwards: from w = h omega and m gamma to u and s,             [beam 62]
 *   u = T^-T m gamma,   D^T (s - H x u) = J omega - (1/h) grad_w(...),   everything divided by h. */
static void launch_node(const vv_block *b, const beam_body *k, int64_t i, double h, const double *q, double *p)
{
  const double h_m = h * beam_node(b, BEAM_INVERSE_MASS)[i];
  double x[3], frame[9], T[9], D[9], momentum[3], w[3], side[3], s[3], wu[3], out[3];
  beam_flight f;
  flight_of(b, k, i, 1.0, q, p, &f); /* u = m gamma, s = J omega */
  for (int c = 0; c < 3; c++) w[c] = h * f.s[c] / f.inertia[c];
  const beam_retraction r = beam_retraction_at((beam_drift_rule)k->drift, vvi_dot3(w, w));
  const double extra = k->drift == BEAM_LAVI_CAYLEY ? 0.25 * r.a : r.k; /* T has c/4 there, D has 0 */
  vvi_axial33(r.a, -r.b, extra, w, T);                                  /* T^T */
  vvi_axial33(r.a, -r.b, r.k, w, D);                                    /* D^T */
  memcpy(momentum, f.u, sizeof momentum);
  vvi_solve33(T, momentum, f.u);
  const double y = vvi_dot3(w, f.u), uu = vvi_dot3(f.u, f.u), push = r.dA * uu + r.dB * y * y;
  for (int c = 0; c < 3; c++) side[c] = f.s[c] - h_m * (push * w[c] + r.B * y * f.u[c]);
  vvi_solve33(D, side, s);
  vvi_cross3(w, f.u, wu);
  for (int c = 0; c < 3; c++) s[c] += h_m * r.B * y * wu[c];
  beam_get(b, q, i, x, frame);
  vvi_apply33(frame, f.u, out);
  for (int c = 0; c < 3; c++) p[(BEAM_P + c) * b->column + i] = out[c];
  vvi_apply33(frame, s, out);
  for (int c = 0; c < 3; c++) p[(BEAM_S + c) * b->column + i] = out[c];
}

void beam_launch(const vv_block *b, double h, const double *q, double *p)
{
  for (int32_t j = 0; j < b->n_body; j++) {
    if (beam_of(b, j)->drift == BEAM_LGVI) continue;
    for (int64_t i = b->body[j]->node0; i < b->body[j]->node0 + b->body[j]->n_node; i++)
      launch_node(b, beam_of(b, j), i, h, q, p);
    beam_hold(b, j, p);
  }
}
