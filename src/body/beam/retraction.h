/* body/beam/retraction.h  The free flight of one node in Lie algebra variables, for three retractions of SE(3) at once.
 *
 * A step moves (Lambda, x) to (Lambda F, x + Lambda H) with (F, H) = tau(w, g) = (R(w), T(w) g); w = h omega and
 * g = h gamma are the unknowns.  The derivative of R is dR R^T = (D(w) dw)^.  Both matrices have the form
 * a 1 + b w^ + k w w^T, a, b, k being functions of t = |w|^2, c = 4/(4 + t), and c_j those of [beam 10]:      [beam 15]
 *
 *   lavi-cayley   R = cay   D: c, c/2, 0          T: c, c/2, c/4     (tau is the Cayley map of SE(3))
 *   lavi-cay      R = cay   D: c, c/2, 0          T = D
 *   lavi-exp      R = exp   D: c_1, c_2, c_3      T = D              (tau is the exponential of SE(3))
 *
 * The discrete momentum mu = (Pi, Lambda^T P) = (s, u) of the node is (d tau^-1)^* (J omega, m gamma), with the right
 * trivialised derivative.  Turned round, with < , > the pairing, that is
 *
 *   <(J omega, m gamma), (dw, dg)> = <(s, u), d tau(dw, dg) tau^-1>                                           [beam 16]
 *   d tau(dw, dg) tau^-1 = (D dw,  T dg + d_w(T g) dw - (D dw) x (T g)).
 *
 * dg gives m gamma = T^T u, so g = (h/m) T^T u is eliminated, H = T g = (h/m) T T^T u, and, since the matrices of one w
 * commute, T T^T = A 1 + B w w^T with A = a^2 + b^2 t, B = 2 a k + k^2 t - b^2:                               [beam 17]
 *
 *   lavi-cayley  A = c, B = c/4     lavi-cay  A = c, B = -c^2/4     lavi-exp  A = 2 c_2, B = 2 c_4
 *
 * dw gives J omega = D^T (s - H x u) + grad_w(u.T g), and the last term is (h/2m) grad_w |T^T u|^2.  All times h, with
 * e = h^2/m, y = w.u and ' = d/dt:
 *
 *   J w = D^T (h s - e B y w x u) + e [(A' |u|^2 + B' y^2) w + B y u]                                         [beam 18]
 *
 * Nothing is divided by h.  Near w = 0 the matrix J - d(right side)/dw has a positive definite symmetric part, whatever
 * the speed: J + e (|u|^2 1 - u u^T)/4, J + e (|u|^2 1 + u u^T)/4, J + e (|u|^2 1 - u u^T)/12.
 *
 * Accelerators compile the same text, as OpenCL C. */
#ifndef VVI_BEAM_RETRACTION_H
#define VVI_BEAM_RETRACTION_H
#ifndef __OPENCL_VERSION__
#include "body/beam/beam.h"
#include "math/so3.h"
#endif

/* The functions of t above; d: derivative by t, dd: second. */
typedef struct beam_retraction {
  double a, b, k, da, db, dk;    /* of D */
  double A, B, dA, dB, ddA, ddB; /* of T T^T */
} beam_retraction;

static inline beam_retraction beam_retraction_exp(double t)
{
  double c[9];
  vvi_stumpff(t, 1, 8, c + 1);
  const double d2 = c[4] - 0.5 * c[3], d4 = 2.0 * c[6] - 0.5 * c[5]; /* c_2', c_4' */
  return (beam_retraction){.a = c[1],
                           .b = c[2],
                           .k = c[3],
                           .da = 0.5 * (c[3] - c[2]),
                           .db = d2,
                           .dk = 0.5 * (3.0 * c[5] - c[4]),
                           .A = 2.0 * c[2],
                           .dA = 2.0 * d2,
                           .ddA = 0.5 * c[4] - 2.5 * c[5] + 4.0 * c[6],
                           .B = 2.0 * c[4],
                           .dB = 2.0 * d4,
                           .ddB = 0.5 * c[6] - 4.5 * c[7] + 12.0 * c[8]};
}

static inline beam_retraction beam_retraction_at(beam_drift_rule rule, double t)
{
  if (rule == BEAM_LAVI_EXP) return beam_retraction_exp(t);
  const double c = 4.0 / (4.0 + t), d = -0.25 * c * c, dd = 0.125 * c * c * c; /* c, c', c'' */
  beam_retraction r = {.a = c, .b = 0.5 * c, .da = d, .db = 0.5 * d, .A = c, .dA = d, .ddA = dd};
  if (rule == BEAM_LAVI_CAYLEY)
    r.B = 0.25 * c, r.dB = 0.25 * d, r.ddB = 0.25 * dd;
  else
    r.B = d, r.dB = dd, r.ddB = -0.09375 * c * c * c * c;
  return r;
}

/* The data of [beam 18] that stay fixed while w is sought. */
typedef struct beam_flight {
  double inertia[3]; /* J */
  double s[3];       /* h Pi */
  double u[3];       /* Lambda^T P */
  double e;          /* h^2/m */
} beam_flight;

static inline void beam_axpy(double a, const double x[3], double y[3])
{
  for (int i = 0; i < 3; i++) y[i] += a * x[i];
}

/* m += a x y^T */
static inline void beam_rank1(double a, const double x[3], const double y[3], double m[9])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) m[3 * i + j] += a * x[i] * y[j];
}

/* Right side of [beam 18] and its derivative by w.  With v = h s - e B y w x u:
 *   dv = -e (w x u) (B u + 2 B' y w)^T + e B y u^
 *   d(D^T v) = 2 (a' v - b' w x v + k' (w.v) w) w^T + b v^ + k ((w.v) 1 + w v^T) + D^T dv                  [beam 19] */
static inline void beam_flight_side(const beam_flight *f, const beam_retraction *r, const double w[3], double side[3],
                                    double slope[9])
{
  const double y = vvi_dot3(w, f->u), uu = vvi_dot3(f->u, f->u), e = f->e;
  double wu[3], v[3], wv[3], turn[9], dv[9], grow[3];
  vvi_cross3(w, f->u, wu);
  for (int i = 0; i < 3; i++) v[i] = f->s[i] - e * r->B * y * wu[i];
  vvi_cross3(w, v, wv);
  const double z = vvi_dot3(w, v), push = r->dA * uu + r->dB * y * y;
  for (int i = 0; i < 3; i++) {
    side[i] = r->a * v[i] - r->b * wv[i] + r->k * z * w[i] + e * (push * w[i] + r->B * y * f->u[i]);
    grow[i] = r->B * f->u[i] + 2.0 * r->dB * y * w[i];
  }
  vvi_axial33(0.0, e * r->B * y, 0.0, f->u, dv);
  beam_rank1(-e, wu, grow, dv);
  vvi_axial33(r->a, -r->b, r->k, w, turn);
  vvi_mul33(turn, dv, slope);
  double lead[3], hat[9], tail[3];
  for (int i = 0; i < 3; i++) {
    lead[i] = 2.0 * (r->da * v[i] - r->db * wv[i] + r->dk * z * w[i]);
    tail[i] = 2.0 * e * ((r->ddA * uu + r->ddB * y * y) * w[i] + r->dB * y * f->u[i]);
  }
  vvi_axial33(r->k * z + e * push, r->b, 0.0, v, hat);
  for (int i = 0; i < 9; i++) slope[i] += hat[i];
  beam_rank1(1.0, lead, w, slope);
  beam_rank1(r->k, w, v, slope);
  beam_rank1(1.0, w, tail, slope);
  beam_rank1(e, f->u, grow, slope);
}

/* ---- one node ---- */

/* A step that turns a node by more than a right angle, |w| > 2, is not resolved: the scheme has no root there, or the
 * wrong one. */
#define BEAM_MOST_TURN 2.0
enum { BEAM_MOST_ITERATIONS = 24 };

/* lgvi: F J_d - J_d F^T = (h Pi)^ with F = cay(w) and J = tr(J_d) 1 - J_d is                                  [beam 20]
 *
 *   J w = s - w x s/2 + w (w.s)/4,   d(right side)/dw = s^/2 + ((w.s) 1 + w s^T)/4,   s = h Pi. */
static inline void beam_group_side(const beam_flight *f, const double w[3], double side[3], double slope[9])
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
static inline void beam_first_guess(const beam_flight *f, beam_drift_rule rule, double w[3])
{
  const double pace = rule == BEAM_LGVI ? 0.0 : rule == BEAM_LAVI_EXP ? f->e / 12.0 : f->e / 4.0;
  const double uu = vvi_dot3(f->u, f->u), sign = rule == BEAM_LAVI_CAY ? 1.0 : -1.0;
  for (int i = 0; i < 3; i++) w[i] = f->s[i] / (f->inertia[i] + pace * (uu + sign * f->u[i] * f->u[i]));
}

static inline void beam_side_at(const beam_flight *f, beam_drift_rule rule, const double w[3], double side[3],
                                double slope[9])
{
  if (rule == BEAM_LGVI) {
    beam_group_side(f, w, side, slope);
    return;
  }
  const beam_retraction r = beam_retraction_at(rule, vvi_dot3(w, w));
  beam_flight_side(f, &r, w, side, slope);
}

/* The root w of J w = right side.  A last correction below 1e-9 leaves an error of its square: rounding.  Returns
 * iterations; w is not a number when there is no root within reach. */
static inline int beam_find_turn(const beam_flight *f, beam_drift_rule rule, double w[3])
{
  beam_first_guess(f, rule, w);
  for (int n = 1; n <= BEAM_MOST_ITERATIONS; n++) {
    double side[3], slope[9], step[3];
    beam_side_at(f, rule, w, side, slope);
    for (int i = 0; i < 3; i++) { /* over J, so that no unit makes the determinant overflow */
      side[i] = (side[i] - f->inertia[i] * w[i]) / f->inertia[i];
      for (int j = 0; j < 3; j++) slope[3 * i + j] = (i == j ? 1.0 : 0.0) - slope[3 * i + j] / f->inertia[i];
    }
    vvi_solve33(slope, side, step);
    beam_axpy(1.0, step, w);
    const double size = vvi_norm3(w);
    if (vvi_norm3(step) <= 1e-9 * size + 1e-300 && size <= BEAM_MOST_TURN) return n;
    if (!(size <= 2.0 * BEAM_MOST_TURN)) break;
  }
  w[0] = w[1] = w[2] = NAN;
  return BEAM_MOST_ITERATIONS;
}

/* x += (h/m)(A P + B (Lambda w)(w.u)): Lambda H of [beam 17], with nothing to round off where B is 0.         [beam 21]
 * S -= (x_new - x_old) x P, which is Pi <- F^T (Pi - H x u); the part along P drops out. */
static inline void beam_glide(const beam_flight *f, const beam_retraction *r, double h_m, const double turned[3],
                              const double w[3], double x[3], const double p[3], double s[3])
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
static inline void beam_turn_frame(beam_drift_rule rule, const double w[3], double frame[9])
{
  double turn[9], turned[9], c[3];
  if (rule == BEAM_LAVI_EXP) { /* vvi_exp by the series at every angle of a step: no sine of a library */
    const double t = vvi_dot3(w, w);
    vvi_stumpff(t, 1, 3, c);
    vvi_axial33(1.0 - c[1] * t, c[0], c[1], w, turn);
  } else {
    vvi_cay(w, turn);
  }
  vvi_mul33(frame, turn, turned);
  for (int i = 0; i < 9; i++) frame[i] = turned[i];
}

/* The drift of one node by the rule, for a time h; h_m: h/m.  move false: an lgvi drift without its move, for a node that has
 * moved already.  Returns iterations. */
static inline int beam_fly(beam_drift_rule rule, const double inertia[3], double h, double h_m, bool move, double x[3],
                           double frame[9], const double momentum[3], double spin[3])
{
  double w[3];
  beam_flight f;
  f.e = h * h_m;
  vvi_tapply33(frame, momentum, f.u);
  vvi_tapply33(frame, spin, f.s);
  for (int c = 0; c < 3; c++) f.inertia[c] = inertia[c], f.s[c] *= h;
  const int n = beam_find_turn(&f, rule, w);
  if (rule != BEAM_LGVI) {
    const beam_retraction r = beam_retraction_at(rule, vvi_dot3(w, w));
    double axis[3];
    vvi_apply33(frame, w, axis);
    beam_glide(&f, &r, h_m, axis, w, x, momentum, spin);
  } else if (move) {
    for (int c = 0; c < 3; c++) x[c] += h_m * momentum[c];
  }
  beam_turn_frame(rule, w, frame);
  return n;
}

#ifndef __OPENCL_VERSION__
/* The root w of J w = right side by the rule, and the matrix J - d(right side)/dw there; not a number where there is none. */
void beam_flight_root(const beam_flight *f, beam_drift_rule rule, double w[3], double matrix[9]);
#endif
#endif
