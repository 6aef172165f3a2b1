/* body/beam/vary.c  First variations and sub-domains of beams: what the structure checks need.
 *
 * A variation of a node is (dx, t, dP, dS) with dLambda = t^ Lambda, all in space.  Then, for a fixed vector c,  [beam 70]
 *
 *   d(Lambda c) = t x Lambda c,   d(Lambda^T c) = -Lambda^T (t x c)
 *
 * and with Theta = sum P.dx + S.t the two-form that kick and drift keep is                                      [beam 71]
 *
 *   dTheta(V, W) = sum dP_V.dx_W - dP_W.dx_V + dS_V.t_W - dS_W.t_V + S.(t_V x t_W). */
#include "body/beam/retraction.h"
#include "body/beam/wrench.h"

/* ---- vectors with their variations ---- */

static pair3 add(const pair3 *a, double s, const pair3 *b) /* a + s b */
{
  pair3 c;
  for (int i = 0; i < 3; i++) c.v[i] = a->v[i] + s * b->v[i], c.d[i] = a->d[i] + s * b->d[i];
  return c;
}

static pair3 cross(const pair3 *a, const pair3 *b)
{
  pair3 c;
  double left[3], right[3];
  vvi_cross3(a->v, b->v, c.v);
  vvi_cross3(a->d, b->v, left);
  vvi_cross3(a->v, b->d, right);
  for (int i = 0; i < 3; i++) c.d[i] = left[i] + right[i];
  return c;
}

static pair3 to_space(const turning *f, const pair3 *a) /* Lambda a */
{
  pair3 c;
  double turn[3];
  vvi_apply33(f->at, a->v, c.v);
  vvi_apply33(f->at, a->d, c.d);
  vvi_cross3(f->t, c.v, turn);
  for (int i = 0; i < 3; i++) c.d[i] += turn[i];
  return c;
}

static pair3 to_frame(const turning *f, const pair3 *a) /* Lambda^T a */
{
  pair3 c;
  double still[3];
  vvi_cross3(f->t, a->v, still);
  for (int i = 0; i < 3; i++) still[i] = a->d[i] - still[i];
  vvi_tapply33(f->at, a->v, c.v);
  vvi_tapply33(f->at, still, c.d);
  return c;
}

/* n = C (g/l - g0) */
static pair3 stress(const double stiffness[3], double l, const pair3 *g, const double rest[3])
{
  pair3 n;
  for (int i = 0; i < 3; i++) n.v[i] = stiffness[i] * (g->v[i] / l - rest[i]), n.d[i] = stiffness[i] * g->d[i] / l;
  return n;
}

/* ---- one element ---- */

/* psi = cay^-1(Lambda_a^T Lambda_b); with o = Lambda_a^T (t_b - t_a):  dpsi = o - psi x o/2 + psi (psi.o)/4      [beam 72] */
static pair3 bend(const turning *a, const turning *b)
{
  pair3 psi;
  double R[9], o[3], between[3], turn[3];
  vvi_tmul33(a->at, b->at, R);
  vvi_cay_inverse(R, psi.v);
  for (int i = 0; i < 3; i++) between[i] = b->t[i] - a->t[i];
  vvi_tapply33(a->at, between, o);
  vvi_cross3(psi.v, o, turn);
  const double along = 0.25 * vvi_dot3(psi.v, o);
  for (int i = 0; i < 3; i++) psi.d[i] = o[i] - 0.5 * turn[i] + along * psi.v[i];
  return psi;
}

/* m + psi x m/2 + psi (psi.m)/4, m = C2 (psi - psi0)/l                                                          [beam 3] */
static pair3 moment_in_frame(const beam_body *k, const pair3 *psi)
{
  pair3 m;
  for (int i = 0; i < 3; i++)
    m.v[i] = k->c2[i] / k->l * (psi->v[i] - k->rest_psi[i]), m.d[i] = k->c2[i] / k->l * psi->d[i];
  const pair3 turn = cross(psi, &m);
  pair3 u = add(&m, 0.5, &turn);
  const double along = 0.25 * vvi_dot3(psi->v, m.v);
  const double d_along = 0.25 * (vvi_dot3(psi->d, m.v) + vvi_dot3(psi->v, m.d));
  for (int i = 0; i < 3; i++) {
    u.v[i] += along * psi->v[i];
    u.d[i] += along * psi->d[i] + d_along * psi->v[i];
  }
  return u;
}

/* The rules one-point and trapezoid differ in the strain alone.                                          [beam 2, 2a, 4] */
static element_wrench two_frames(const beam_body *k, const pair3 *D, const turning *a, const turning *b)
{
  const bool trapezoid = k->strain == BEAM_TRAPEZOID;
  const pair3 psi = bend(a, b), u = moment_in_frame(k, &psi), mu = to_space(a, &u);
  pair3 ga = to_frame(a, D), gb = to_frame(b, D);
  for (int i = 0; !trapezoid && i < 3; i++) {
    ga.v[i] = gb.v[i] = 0.5 * (ga.v[i] + gb.v[i]);
    ga.d[i] = gb.d[i] = 0.5 * (ga.d[i] + gb.d[i]);
  }
  const pair3 na = stress(k->c1, k->l, &ga, trapezoid ? k->rest_a : k->rest);
  const pair3 nb = stress(k->c1, k->l, &gb, trapezoid ? k->rest_b : k->rest);
  const pair3 Na = to_space(a, &na), Nb = to_space(b, &nb), Ma = cross(&Na, D), Mb = cross(&Nb, D);
  element_wrench w = {.force = add(&Na, 1.0, &Nb), .left = add(&mu, -0.5, &Ma)};
  for (int i = 0; i < 3; i++) {
    w.force.v[i] *= 0.5, w.force.d[i] *= 0.5;
    w.right.v[i] = -mu.v[i] - 0.5 * Mb.v[i], w.right.d[i] = -mu.d[i] - 0.5 * Mb.d[i];
  }
  return w;
}

/* The rule cayley.                                                                                        [beam 50, 51] */
static element_wrench cayley(const beam_body *k, const pair3 *D, const turning *a, const turning *b)
{
  const pair3 psi = bend(a, b), r = to_frame(a, D), aside = cross(&psi, &r), g = add(&r, -0.5, &aside);
  const pair3 n = stress(k->c1, k->l, &g, k->rest), turn = cross(&psi, &n), lin = add(&n, 0.5, &turn);
  const pair3 u = moment_in_frame(k, &psi), arm = cross(&g, &lin), ang = add(&u, 0.5, &arm);
  element_wrench w = {.force = to_space(a, &lin), .left = to_space(a, &ang)};
  const pair3 couple = cross(D, &w.force);
  w.right = add(&couple, -1.0, &w.left);
  return w;
}

element_wrench beam_wrench(const beam_body *k, const pair3 *D, const turning *a, const turning *b)
{
  if (beam_by_exp(k->strain)) return beam_exp_wrench(k, D, a, b);
  return k->strain == BEAM_CAYLEY_STRAIN ? cayley(k, D, a, b) : two_frames(k, D, a, b);
}

static void get(const vv_block *b, const double *q, const double *dq, int64_t i, pair3 *x, turning *f)
{
  beam_get(b, q, i, x->v, f->at);
  for (int c = 0; c < 3; c++) x->d[c] = dq[c * b->column + i], f->t[c] = dq[(3 + c) * b->column + i];
}

static element_wrench element(const vv_block *b, const beam_body *k, const double *q, const double *dq, int64_t left,
                              int64_t right)
{
  pair3 xa, xb;
  turning a, c;
  get(b, q, dq, left, &xa, &a);
  get(b, q, dq, right, &xb, &c);
  const pair3 D = add(&xb, -1.0, &xa);
  return beam_wrench(k, &D, &a, &c);
}

/* The element behind node i of body j: dp += h (variation of its force). */
static void kick_element(const vv_block *b, int32_t j, int64_t i, double h, const double *q, const double *dq,
                         double *dp)
{
  const int64_t next = beam_next(b, j, i);
  if (next < 0) return;
  beam_body own;
  const element_wrench w = element(b, beam_element_of(b, j, i, &own), q, dq, i, next);
  for (int c = 0; c < 3; c++) {
    dp[(BEAM_P + c) * b->column + i] += h * w.force.d[c];
    dp[(BEAM_P + c) * b->column + next] -= h * w.force.d[c];
    dp[(BEAM_S + c) * b->column + i] += h * w.left.d[c];
    dp[(BEAM_S + c) * b->column + next] += h * w.right.d[c];
  }
}

static void hold(const vv_block *b, double *d)
{
  for (int32_t j = 0; j < b->n_body; j++) beam_hold(b, j, d);
}

/* Gravity does not vary; what supports take does not either. */
static void vary_kick(const vv_block *b, double h, const double *q, const double *dq, double *dp)
{
  for (int32_t j = 0; j < b->n_body; j++)
    for (int64_t i = b->body[j]->node0; i < b->body[j]->node0 + b->body[j]->n_node; i++)
      kick_element(b, j, i, h, q, dq, dp);
  hold(b, dp);
}

/* ---- free flight of a node ---- */

/* o = w/h solves J o = R(o; Pi, u, h) := (right side of [beam 18] or [beam 20])/h, which knows no division by h. */
typedef struct flying {
  beam_drift_rule rule;
  double h, dh, per_mass, inertia[3];
  pair3 pi, u, o;
} flying;

/* dR at fixed o, lgvi:  R = Pi - (h/2) o x Pi + (h^2/4) o (o.Pi)                                                [beam 73] */
static void group_change(const flying *f, double change[3])
{
  const double *o = f->o.v, h = f->h;
  double turn[3], d_turn[3];
  vvi_cross3(o, f->pi.v, turn);
  vvi_cross3(o, f->pi.d, d_turn);
  const double along = 0.25 * (2.0 * h * f->dh * vvi_dot3(o, f->pi.v) + h * h * vvi_dot3(o, f->pi.d));
  for (int i = 0; i < 3; i++) change[i] = f->pi.d[i] - 0.5 * (f->dh * turn[i] + h * d_turn[i]) + along * o[i];
}

/* dR at fixed o, lavi, with n = o.u, t = h^2 |o|^2:                                                             [beam 74]
 *   v = Pi - (h^3/m) B n o x u
 *   R = a v - b h o x v + k h^2 (o.v) o + (h^2/m) [(A' |u|^2 + B' h^2 n^2) o + B n u] */
static void algebra_change(const flying *f, const beam_retraction *r, double change[3])
{
  const double *o = f->o.v, *u = f->u.v, *du = f->u.d, h = f->h, dh = f->dh, n = vvi_dot3(o, u), dn = vvi_dot3(o, du);
  const double dt = 2.0 * h * dh * vvi_dot3(o, o), cube = h * h * h * f->per_mass, e = h * h * f->per_mass;
  const double d_cube = 3.0 * h * h * dh * f->per_mass, de = 2.0 * h * dh * f->per_mass;
  double ou[3], d_ou[3], v[3], dv[3], ov[3], d_ov[3];
  vvi_cross3(o, u, ou);
  vvi_cross3(o, du, d_ou);
  const double aside = cube * r->B * n, d_aside = d_cube * r->B * n + cube * (r->dB * dt * n + r->B * dn);
  for (int i = 0; i < 3; i++) v[i] = f->pi.v[i] - aside * ou[i], dv[i] = f->pi.d[i] - d_aside * ou[i] - aside * d_ou[i];
  vvi_cross3(o, v, ov);
  vvi_cross3(o, dv, d_ov);
  const double z = vvi_dot3(o, v), dz = vvi_dot3(o, dv), uu = vvi_dot3(u, u), hn = h * n;
  const double push = r->dA * uu + r->dB * hn * hn;
  const double d_push =
      r->ddA * dt * uu + 2.0 * r->dA * vvi_dot3(u, du) + r->ddB * dt * hn * hn + 2.0 * r->dB * hn * (dh * n + h * dn);
  for (int i = 0; i < 3; i++)
    change[i] = r->da * dt * v[i] + r->a * dv[i] - (r->db * dt * h + r->b * dh) * ov[i] - r->b * h * d_ov[i] +
                ((r->dk * dt * h + 2.0 * r->k * dh) * h * z + r->k * h * h * dz) * o[i] +
                de * (push * o[i] + r->B * n * u[i]) +
                e * (d_push * o[i] + (r->dB * dt * n + r->B * dn) * u[i] + r->B * n * du[i]);
}

/* Finds o and, by the implicit function theorem, its variation; r: coefficients of the retraction (lgvi: A = 1, B = 0). */
static void find_rate(flying *f, beam_retraction *r)
{
  beam_flight data = {.e = f->h * f->h * f->per_mass};
  double w[3], matrix[9], change[3];
  for (int i = 0; i < 3; i++) data.inertia[i] = f->inertia[i], data.s[i] = f->h * f->pi.v[i], data.u[i] = f->u.v[i];
  beam_flight_root(&data, f->rule, w, matrix);
  for (int i = 0; i < 3; i++) f->o.v[i] = f->h != 0.0 ? w[i] / f->h : f->pi.v[i] / f->inertia[i];
  *r = beam_retraction_at(f->rule, vvi_dot3(w, w));
  if (f->rule == BEAM_LGVI) {
    r->A = 1.0, r->dA = r->ddA = r->B = r->dB = r->ddB = 0.0;
    group_change(f, change);
  } else {
    algebra_change(f, r, change);
  }
  vvi_solve33(matrix, change, f->o.d);
}

/* The kinetic energy -dK_d/dh of the drift is                                                                   [beam 75]
 *   lgvi  (c/2) o.J o + |P|^2/(2m),  c = 4/(4 + h^2 |o|^2)      lavi  1/2 o.J o + (A |u|^2 + B h^2 n^2)/(2m) */
static double vary_energy(const flying *f, const beam_retraction *r, double dt)
{
  const double *o = f->o.v, hn = f->h * vvi_dot3(o, f->u.v);
  const double d_hn = f->dh * vvi_dot3(o, f->u.v) + f->h * (vvi_dot3(f->o.d, f->u.v) + vvi_dot3(o, f->u.d));
  const bool group = f->rule == BEAM_LGVI;
  double sum = 0.0;
  for (int i = 0; i < 3; i++)
    sum += f->inertia[i] * o[i] * (group ? r->a * f->o.d[i] + 0.5 * r->da * dt * o[i] : f->o.d[i]);
  return sum + f->per_mass * (0.5 * r->dA * dt * vvi_dot3(f->u.v, f->u.v) + r->A * vvi_dot3(f->u.v, f->u.d) +
                              0.5 * r->dB * dt * hn * hn + r->B * hn * d_hn);
}

/* x += (h/m) A P + y Lambda o,  S -= y (Lambda o) x P,  y = (h^3/m) B n                                         [beam 21] */
static void vary_glide(const flying *f, const beam_retraction *r, double dt, const turning *frame, const pair3 *P,
                       pair3 *x, pair3 *S)
{
  const double h = f->h, n = vvi_dot3(f->o.v, f->u.v), dn = vvi_dot3(f->o.d, f->u.v) + vvi_dot3(f->o.v, f->u.d);
  const double cube = h * h * h * f->per_mass, y = cube * r->B * n;
  const double dy = 3.0 * h * h * f->dh * f->per_mass * r->B * n + cube * (r->dB * dt * n + r->B * dn);
  const pair3 axis = to_space(frame, &f->o), moment = cross(&axis, P);
  for (int i = 0; i < 3; i++) {
    x->d[i] +=
        f->per_mass * ((f->dh * r->A + h * r->dA * dt) * P->v[i] + h * r->A * P->d[i]) + y * axis.d[i] + dy * axis.v[i];
    S->d[i] -= y * moment.d[i] + dy * moment.v[i];
  }
}

/* t += Lambda D(w) dw, w = h o */
static void vary_turn(const flying *f, const beam_retraction *r, turning *frame)
{
  double tangent[9], w[3], dw[3], turn[3], more[3];
  for (int i = 0; i < 3; i++) w[i] = f->h * f->o.v[i], dw[i] = f->h * f->o.d[i] + f->dh * f->o.v[i];
  vvi_axial33(r->a, r->b, r->k, w, tangent);
  vvi_apply33(tangent, dw, turn);
  vvi_apply33(frame->at, turn, more);
  for (int i = 0; i < 3; i++) frame->t[i] += more[i];
}

/* Node i before its drift; P, S: its momenta. */
static flying start_flight(const vv_block *b, const beam_body *k, int64_t i, double h, double dh, const turning *frame,
                           const pair3 *P, const pair3 *S)
{
  flying f = {.rule = (beam_drift_rule)k->drift,
              .h = h,
              .dh = dh,
              .per_mass = beam_node(b, BEAM_INVERSE_MASS)[i],
              .pi = to_frame(frame, S),
              .u = to_frame(frame, P)};
  beam_inertia(b, k, i, f.inertia);
  return f;
}

static double fly_node(const vv_block *b, const beam_body *k, int64_t i, double h, double dh, const double *q,
                       const double *p, double *dq, double *dp)
{
  pair3 x, P, S;
  turning frame;
  beam_retraction r;
  get(b, q, dq, i, &x, &frame);
  for (int c = 0; c < 3; c++) {
    P.v[c] = p[(BEAM_P + c) * b->column + i], P.d[c] = dp[(BEAM_P + c) * b->column + i];
    S.v[c] = p[(BEAM_S + c) * b->column + i], S.d[c] = dp[(BEAM_S + c) * b->column + i];
  }
  flying f = start_flight(b, k, i, h, dh, &frame, &P, &S);
  find_rate(&f, &r);
  const double dt = 2.0 * h * (dh * vvi_dot3(f.o.v, f.o.v) + h * vvi_dot3(f.o.v, f.o.d));
  vary_glide(&f, &r, dt, &frame, &P, &x, &S);
  vary_turn(&f, &r, &frame);
  for (int c = 0; c < 3; c++) {
    dq[(BEAM_X + c) * b->column + i] = x.d[c], dq[(3 + c) * b->column + i] = frame.t[c];
    dp[(BEAM_S + c) * b->column + i] = S.d[c];
  }
  return vary_energy(&f, &r, dt);
}

static void flight(const vv_block *b, double h, double dh, const double *q, const double *p, double *dq, double *dp,
                   double *d_energy)
{
  for (int32_t j = 0; j < b->n_body; j++)
    for (int64_t i = b->body[j]->node0; i < b->body[j]->node0 + b->body[j]->n_node; i++)
      d_energy[i] = fly_node(b, beam_of(b, j), i, h, dh, q, p, dq, dp);
}

/* ---- the two-form, points, sub-domains ---- */

/* Turns of order one, moves as far as they swing a section: both halves of the form are then of one size. */
static void sizes(const vv_block *b, double *dq, double *mass)
{
  for (int32_t j = 0; j < b->n_body; j++)
    for (int64_t i = b->body[j]->node0; i < b->body[j]->node0 + b->body[j]->n_node; i++) {
      double inertia[3];
      beam_inertia(b, beam_of(b, j), i, inertia);
      const double mean = (inertia[0] + inertia[1] + inertia[2]) / 3.0, m = beam_node(b, BEAM_MASS)[i];
      for (int c = 0; c < 3; c++) {
        dq[c * b->column + i] = sqrt(mean / m), mass[c * b->column + i] = m;
        dq[(3 + c) * b->column + i] = 1.0, mass[(3 + c) * b->column + i] = mean;
      }
    }
}

/* Points move with their segment; corners of a section turn with its first node as in beam_surface. */
static void vary_surface(const vv_block *b, const double *q, const double *dq, int n, const vv_point *pt, double *dx)
{
  for (int i = 0; i < n; i++) {
    const vv_patch *t = &b->patch[pt[i].patch];
    const double at = floor(pt[i].xi[0]), xi = pt[i].xi[0] - at;
    const int64_t first = t->node + (int64_t)at, next = (int64_t)at + 1 < t->nodes ? first + 1 : t->node;
    const vv_point corner = {.patch = pt[i].patch, .xi = {at, pt[i].xi[1]}};
    double place[3], turn[3], around[3], end[3];
    beam_surface(b, q, 1, &corner, end);
    for (int c = 0; c < 3; c++) place[c] = end[c] - q[c * b->column + first], turn[c] = dq[(3 + c) * b->column + first];
    vvi_cross3(turn, place, around);
    for (int c = 0; c < 3; c++) {
      dx[3 * i + c] = dq[c * b->column + first] + around[c];
      if (xi != 0.0) dx[3 * i + c] += xi * (dq[c * b->column + next] - dq[c * b->column + first]);
    }
  }
}

/* In a sub-domain the column of inverse weights, which no kick reads, says whether the element behind a node is inside. */
static bool is_inside(const vv_block *b, int64_t i)
{
  return beam_node(b, BEAM_INVERSE_WEIGHT)[i] != 0.0;
}

static void weigh(const vv_block *b, double h, double *p)
{
  const double *m = beam_node(b, BEAM_MASS);
  for (int c = 0; c < 3; c++)
    for (int64_t i = 0; b->gravity[c] != 0.0 && i < b->nodes; i++) p[c * b->column + i] += h * (m[i] * b->gravity[c]);
}

static void part_kick(const vv_block *b, double t, double h, const double *q, double *p)
{
  (void)t;
  for (int32_t j = 0; j < b->n_body; j++) {
    for (int64_t i = b->body[j]->node0; i < b->body[j]->node0 + b->body[j]->n_node; i++) {
      double f[3], left[3], right[3];
      const int64_t next = beam_next(b, j, i);
      if (!is_inside(b, i) || next < 0) continue;
      beam_element_force(b, j, i, q, f, left, right);
      for (int c = 0; c < 3; c++) {
        p[(BEAM_P + c) * b->column + i] += h * f[c], p[(BEAM_P + c) * b->column + next] -= h * f[c];
        p[(BEAM_S + c) * b->column + i] += h * left[c], p[(BEAM_S + c) * b->column + next] += h * right[c];
      }
    }
  }
  weigh(b, h, p);
}

static void part_vary_kick(const vv_block *b, double h, const double *q, const double *dq, double *dp)
{
  for (int32_t j = 0; j < b->n_body; j++)
    for (int64_t i = b->body[j]->node0; i < b->body[j]->node0 + b->body[j]->n_node; i++)
      if (is_inside(b, i)) kick_element(b, j, i, h, q, dq, dp);
}

/* Part of a beam: all its forces, those on held nodes too, so that what supports take is seen at the border. */
static const vv_vary_table part_vary = {.kick = part_vary_kick};
static const vv_body_kind part_kind = {
    .name = "beam", .node_q = BEAM_Q, .node_p = BEAM_NODE_P, .kick = part_kick, .vary = &part_vary};

/* An element gives half its length to each of its nodes; a point mass is shared in the same proportion. */
static void restrict_to(const vv_block *b, const unsigned char *inside, vv_block *sub, double *share)
{
  double *node_real = sub->node_real;
  *sub = *b;
  sub->node_real = node_real;
  sub->kind = &part_kind;
  for (int64_t i = 0; i < BEAM_NODE_COLUMNS * b->stride; i++) node_real[i] = b->node_real[i];
  double *mark = node_real + BEAM_INVERSE_WEIGHT * b->stride;
  for (int64_t i = 0; i < b->nodes; i++) mark[i] = 0.0;
  for (int64_t i = 0; i < BEAM_NODE_P * b->column; i++) share[i] = 0.0;
  for (int32_t j = 0; j < b->n_body; j++)
    for (int64_t e = b->body[j]->element0; e < b->body[j]->element0 + b->body[j]->n_element; e++) {
      if (!inside[e]) continue;
      mark[b->element_node[2 * e]] = 1.0;
      for (int c = 0; c < 2; c++) {
        const int64_t i = b->element_node[2 * e + c];
        share[i] += 0.5 * beam_node(b, BEAM_SPAN)[b->element_node[2 * e]] / beam_node(b, BEAM_WEIGHT)[i];
      }
    }
  for (int64_t i = 0; i < b->nodes; i++) {
    for (int c = 1; c < BEAM_NODE_P; c++) share[c * b->column + i] = share[i];
    node_real[BEAM_MASS * b->stride + i] *= share[i];
  }
}

/* The way, and the turn t with Lambda' = cay(t) Lambda. */
static bool between(const vv_block *b, const double *q, const vv_block *to, const double *q_to, double *d)
{
  for (int64_t i = 0; i < b->nodes; i++) {
    double x[3], y[3], A[9], B[9], R[9], t[3];
    beam_get(b, q, i, x, A);
    beam_get(to, q_to, i, y, B);
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) R[3 * r + c] = vvi_dot3(B + 3 * r, A + 3 * c);
    vvi_cay_inverse(R, t);
    for (int c = 0; c < 3; c++) d[c * b->column + i] = y[c] - x[c], d[(3 + c) * b->column + i] = t[c];
  }
  return true;
}

const vv_vary_table beam_vary = {.kick = vary_kick,
                                 .surface = vary_surface,
                                 .restrict_to = restrict_to,
                                 .weigh = weigh,
                                 .flight = flight,
                                 .twist = vvi_frames_twist,
                                 .sizes = sizes,
                                 .hold = hold,
                                 .between = between};
