/* body/beam/lavi.c  Drift of single nodes by iteration: Lie algebra variables, or inertia unlike a plane section's.
 *
 * The momenta are in space: P is kept, and so is x x P + S, by the form of the update and not by the accuracy of the
 * iteration.  S about the moving centroid therefore loses (x_new - x) x P. */
#include "body/beam/retraction.h"

#include <string.h>

/* A step that turns a node by more than a right angle, |w| > 2, is not resolved: the scheme has no root there, or the
 * wrong one. */
enum { MOST = 24 };
static const double most_turn = 2.0;

/* lgvi: F J_d - J_d F^T = (h Pi)^ with F = cay(w) and J = tr(J_d) 1 - J_d is                                  [beam 20]
 *
 *   J w = s - w x s/2 + w (w.s)/4,   d(right side)/dw = s^/2 + ((w.s) 1 + w s^T)/4,   s = h Pi. */
static void group_side(const beam_flight *f, const double w[3], double side[3], double slope[9])
{
  const double ws = vvi_dot3(w, f->s);
  double cross[3];
  vvi_cross3(w, f->s, cross);
  for (int i = 0; i < 3; i++) side[i] = f->s[i] - 0.5 * cross[i] + 0.25 * ws * w[i];
  vvi_axial33(0.25 * ws, 0.5, 0.0, f->s, slope);
  beam_rank1(0.25, w, f->s, slope);
}

/* Where the iteration starts: the linear part of the equation at w = 0, without what is off its diagonal.  There
 * A' = -1/4, B = 1/4 (lavi-cayley), -1/4, -1/4 (lavi-cay), -1/12, 1/12 (lavi-exp). */
static void first_guess(const beam_flight *f, beam_drift_rule rule, double w[3])
{
  const double pace = rule == BEAM_LGVI ? 0.0 : rule == BEAM_LAVI_EXP ? f->e / 12.0 : f->e / 4.0;
  const double uu = vvi_dot3(f->u, f->u), sign = rule == BEAM_LAVI_CAY ? 1.0 : -1.0;
  for (int i = 0; i < 3; i++) w[i] = f->s[i] / (f->inertia[i] + pace * (uu + sign * f->u[i] * f->u[i]));
}

static void side_at(const beam_flight *f, beam_drift_rule rule, const double w[3], double side[3], double slope[9])
{
  if (rule == BEAM_LGVI) {
    group_side(f, w, side, slope);
    return;
  }
  const beam_retraction r = beam_retraction_at(rule, vvi_dot3(w, w));
  beam_flight_side(f, &r, w, side, slope);
}

/* The root w of J w = right side.  A last correction below 1e-9 leaves an error of its square: rounding.  Returns
 * iterations; w is not a number when there is no root within reach. */
static int find_turn(const beam_flight *f, beam_drift_rule rule, double w[3])
{
  first_guess(f, rule, w);
  for (int n = 1; n <= MOST; n++) {
    double side[3], slope[9], step[3];
    side_at(f, rule, w, side, slope);
    for (int i = 0; i < 3; i++) { /* over J, so that no unit makes the determinant overflow */
      side[i] = (side[i] - f->inertia[i] * w[i]) / f->inertia[i];
      for (int j = 0; j < 3; j++) slope[3 * i + j] = (i == j ? 1.0 : 0.0) - slope[3 * i + j] / f->inertia[i];
    }
    vvi_solve33(slope, side, step);
    beam_axpy(1.0, step, w);
    const double size = vvi_norm3(w);
    if (vvi_norm3(step) <= 1e-9 * size + 1e-300 && size <= most_turn) return n;
    if (!(size <= 2.0 * most_turn)) break;
  }
  w[0] = w[1] = w[2] = NAN;
  return MOST;
}

void beam_flight_root(const beam_flight *f, beam_drift_rule rule, double w[3], double matrix[9])
{
  double side[3];
  find_turn(f, rule, w);
  side_at(f, rule, w, side, matrix);
  for (int i = 0; i < 9; i++) matrix[i] = (i % 4 == 0 ? f->inertia[i / 4] : 0.0) - matrix[i];
}

/* x += (h/m)(A P + B (Lambda w)(w.u)): Lambda H of [beam 17], with nothing to round off where B is 0.         [beam 21]
 * S -= (x_new - x_old) x P, which is Pi <- F^T (Pi - H x u); the part along P drops out. */
static void glide(const beam_flight *f, const beam_retraction *r, double h_m, const double turned[3], const double w[3],
                  double x[3], const double p[3], double s[3])
{
  const double aside = h_m * r->B * vvi_dot3(w, f->u);
  double moment[3];
  vvi_cross3(turned, p, moment);
  for (int c = 0; c < 3; c++) {
    x[c] += h_m * r->A * p[c] + aside * turned[c];
    s[c] -= aside * moment[c];
  }
}

/* Lambda <- Lambda R(w); what all rules share. */
static void turn_frame(beam_drift_rule rule, const double w[3], double frame[9])
{
  double turn[9], turned[9];
  if (rule == BEAM_LAVI_EXP)
    vvi_exp(w, turn);
  else
    vvi_cay(w, turn);
  vvi_mul33(frame, turn, turned);
  memcpy(frame, turned, sizeof turned);
}

static int fly(const vv_block *b, const beam_body *k, int64_t i, double h, bool move, double *q, double *p)
{
  const beam_drift_rule rule = (beam_drift_rule)k->drift;
  const double h_m = h * beam_node(b, BEAM_INVERSE_MASS)[i];
  double x[3], frame[9], momentum[3], spin[3], w[3];
  beam_flight f = {.e = h * h_m};
  beam_get(b, q, i, x, frame);
  beam_inertia(b, k, i, f.inertia);
  for (int c = 0; c < 3; c++) momentum[c] = p[(BEAM_P + c) * b->column + i], spin[c] = p[(BEAM_S + c) * b->column + i];
  vvi_tapply33(frame, momentum, f.u);
  vvi_tapply33(frame, spin, f.s);
  for (int c = 0; c < 3; c++) f.s[c] *= h;
  const int n = find_turn(&f, rule, w);
  if (rule != BEAM_LGVI) {
    const beam_retraction r = beam_retraction_at(rule, vvi_dot3(w, w));
    double axis[3];
    vvi_apply33(frame, w, axis);
    glide(&f, &r, h_m, axis, w, x, momentum, spin);
    for (int c = 0; c < 3; c++) p[(BEAM_S + c) * b->column + i] = spin[c];
  } else if (move) {
    for (int c = 0; c < 3; c++) x[c] += h_m * momentum[c];
  }
  turn_frame(rule, w, frame);
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
  find_turn(&f, rule, w);
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
