/* body/rigid/vary.c  First variations of rigid bodies.
 *
 * A variation of a body is (dX, t, dp, dh) with dR = t^ R, all in space, as that of a node of a beam [beam 70, 71].  A flight
 * keeps p and h, so that only places vary: dX by the length of the flight and dp, and t by                        [rigid 17]
 *
 *   R1 = exp(a) R:             t1 = exp(a) t + D(a) da,                a = dt h/I
 *   R1 = exp(a) R exp(b e3):   t1 = exp(a) (t + R e3 db) + D(a) da,    a = dt h/I1,  b = dt (1/I3 - 1/I1) H3
 *   R1 = R exp(Theta):         t1 = t + R D(Theta) dTheta,             D(w) = 1 + b w^ + c w^ w^
 *
 * with b, c as in [rigid 7].  For three different moments dTheta is that of the equation which Theta solves,
 *
 *   (2 I/dt - H1^ D(-Theta)) dTheta = (2 ddt/dt^2) I Theta + dH + exp(-Theta^) dH,   dH = R^T (dh - t x h)       [rigid 18]
 *
 * The first two are flows of the exact motion and symplectic; the third keeps energy and both momenta and cannot be symplectic
 * as well (Ge and Marsden 1988): the structure check of such a body shows by how much. */
#include "body/rigid/rigid.h"
#include "body/rigid/single.h"

/* One body before a piece of its flight, with its variation. */
typedef struct flying {
  rigid_class kind;
  double h, dh;
  double I[3], u[3], Q[RIGID_Q], P[RIGID_NODE_P]; /* moments and their inverses, places, momenta */
  double t[3], d_spin[3];
} flying;

/* D(w) */
static void tangent(const double w[3], double out[9])
{
  double c[3];
  vvi_turn(vvi_dot3(w, w), c);
  vvi_axial33(c[0], c[1], c[2], w, out);
}

static void add_turned(const double m[9], const double v[3], double out[3])
{
  double w[3];
  vvi_apply33(m, v, w);
  for (int c = 0; c < 3; c++) out[c] += w[c];
}

/* dH = R^T (dh - t x h) */
static void vary_body_spin(const flying *f, const double R[9], double dH[3])
{
  double turn[3], d[3];
  vvi_cross3(f->t, f->P + RIGID_H, turn);
  for (int c = 0; c < 3; c++) d[c] = f->d_spin[c] - turn[c];
  vvi_tapply33(R, d, dH);
}

/* Balls and tops. */
static void vary_closed(flying *f, const double R[9])
{
  double a[3], da[3], dH[3], H[3], E[9], D[9], t[3];
  const double u = f->u[0], more = f->kind == RIGID_TOP ? f->u[2] - u : 0.0;
  vary_body_spin(f, R, dH);
  vvi_tapply33(R, f->P + RIGID_H, H);
  for (int c = 0; c < 3; c++) {
    a[c] = f->h * u * f->P[RIGID_H + c], da[c] = u * (f->h * f->d_spin[c] + f->dh * f->P[RIGID_H + c]);
    t[c] = f->t[c] + R[3 * c + 2] * more * (f->h * dH[2] + f->dh * H[2]);
  }
  vvi_exp(a, E);
  tangent(a, D);
  vvi_apply33(E, t, f->t);
  add_turned(D, da, f->t);
}

/* The vector of the rotation from q0 to q1, in the frame of q0. */
static void turn_between(const double q0[4], const double q1[4], double w[3])
{
  const double back[4] = {q0[0], -q0[1], -q0[2], -q0[3]};
  double e[4];
  vvi_quaternion_times(back, q1, e);
  const double s = sqrt(e[1] * e[1] + e[2] * e[2] + e[3] * e[3]), angle = 2.0 * atan2(s, e[0]);
  for (int c = 0; c < 3; c++) w[c] = s > 0.0 ? angle / s * e[1 + c] : 0.0;
}

/* [rigid 18]; theta: the turn of the piece. */
static void vary_uneven(flying *f, const double R[9], const double theta[3])
{
  const double back[3] = {-theta[0], -theta[1], -theta[2]};
  double H[3], H1[3], dH[3], dH1[3], E[9], D[9], spin[9], A[9], rhs[3], d_theta[3], turn[3];
  vvi_tapply33(R, f->P + RIGID_H, H);
  vary_body_spin(f, R, dH);
  vvi_exp(back, E);
  vvi_apply33(E, H, H1);
  vvi_apply33(E, dH, dH1);
  tangent(back, D);
  vvi_axial33(0.0, 1.0, 0.0, H1, spin);
  vvi_mul33(spin, D, A);
  for (int i = 0; i < 9; i++) A[i] = -A[i];
  for (int c = 0; c < 3; c++) {
    A[4 * c] += 2.0 * f->I[c] / f->h;
    rhs[c] = 2.0 * f->dh / (f->h * f->h) * f->I[c] * theta[c] + dH[c] + dH1[c];
  }
  vvi_solve33(A, rhs, d_theta);
  tangent(theta, D);
  vvi_apply33(D, d_theta, turn);
  add_turned(R, turn, f->t);
}

/* The turn of the whole flight, in the pieces that it is made of. */
static void vary_turn(flying *f)
{
  const int pieces = f->kind == RIGID_UNEVEN ? rigid_pieces(f->h, f->u, f->Q + RIGID_TURN, f->P + RIGID_H) : 1;
  double R[9];
  vvi_quaternion_matrix(f->Q + RIGID_TURN, R);
  if (f->kind != RIGID_UNEVEN) {
    vary_closed(f, R);
    return;
  }
  f->h /= pieces, f->dh /= pieces;
  for (int k = 0; k < pieces && f->h != 0.0; k++) {
    double theta[3], before[4];
    for (int c = 0; c < 4; c++) before[c] = f->Q[RIGID_TURN + c];
    rigid_fly(f->kind, f->h, 0.0, f->I, f->u, f->P, f->Q);
    turn_between(before, f->Q + RIGID_TURN, theta);
    vary_uneven(f, R, theta);
    vvi_quaternion_matrix(f->Q + RIGID_TURN, R);
  }
}

/* Returns the variation of the kinetic energy. */
static double fly_node(const vv_block *b, rigid_class kind, int64_t i, double h, double dh, const double *q,
                       const double *p, double *dq, double *dp)
{
  const double minv = rigid_node(b, RIGID_INVERSE_MASS)[i];
  flying f = {.kind = kind, .h = h, .dh = dh};
  double energy = 0.0, R[9], H[3], dH[3];
  rigid_take(b->column, q, i, 0, RIGID_Q, f.Q);
  rigid_take(b->column, p, i, 0, RIGID_NODE_P, f.P);
  rigid_take(b->column, dq, i, 3, 3, f.t);
  rigid_take(b->column, dp, i, RIGID_H, 3, f.d_spin);
  rigid_take(b->stride, rigid_node(b, RIGID_INERTIA), i, 0, 3, f.I);
  rigid_take(b->stride, rigid_node(b, RIGID_INVERSE_INERTIA), i, 0, 3, f.u);
  vvi_quaternion_matrix(f.Q + RIGID_TURN, R);
  vvi_tapply33(R, f.P + RIGID_H, H);
  vary_body_spin(&f, R, dH);
  for (int c = 0; c < 3; c++) {
    const double d = dp[(RIGID_P + c) * b->column + i];
    energy += minv * f.P[RIGID_P + c] * d + f.u[c] * H[c] * dH[c];
    dq[c * b->column + i] += minv * (h * d + dh * f.P[RIGID_P + c]);
  }
  vary_turn(&f);
  for (int c = 0; c < 3; c++) dq[(3 + c) * b->column + i] = f.t[c];
  return energy;
}

static void flight(const vv_block *b, double h, double dh, const double *q, const double *p, double *dq, double *dp,
                   double *d_energy)
{
  for (int32_t j = 0; j < b->n_body; j++) {
    const rigid_class kind = (rigid_class)rigid_of(b, j)->kind;
    for (int64_t i = b->body[j]->node0; i < b->body[j]->node0 + b->body[j]->n_node; i++)
      d_energy[i] = kind == RIGID_HELD ? 0.0 : fly_node(b, kind, i, h, dh, q, p, dq, dp);
  }
}

/* Forces do not depend on places: gravity, and loads are refused. */
static void vary_kick(const vv_block *b, double h, const double *q, const double *dq, double *dp)
{
  (void)b, (void)h, (void)q, (void)dq, (void)dp;
}

static void vary_surface(const vv_block *b, const double *q, const double *dq, int n, const vv_point *pt, double *dx)
{
  (void)q;
  for (int i = 0; i < n; i++) {
    const int64_t node = b->patch[pt[i].patch].node + (int64_t)pt[i].xi[0];
    double t[3], turn[3];
    rigid_take(b->column, dq, node, 3, 3, t);
    vvi_cross3(t, pt[i].arm, turn);
    for (int c = 0; c < 3; c++) dx[3 * i + c] = dq[c * b->column + node] + turn[c];
  }
}

static void sizes(const vv_block *b, double *dq, double *mass)
{
  for (int64_t i = 0; i < b->nodes; i++) {
    const double m = rigid_node(b, RIGID_MASS)[i];
    double I[3];
    rigid_take(b->stride, rigid_node(b, RIGID_INERTIA), i, 0, 3, I);
    const double mean = (I[0] + I[1] + I[2]) / 3.0;
    for (int c = 0; c < 3; c++) {
      dq[c * b->column + i] = m > 0.0 ? sqrt(mean / m) : 0.0, mass[c * b->column + i] = m;
      dq[(3 + c) * b->column + i] = 1.0, mass[(3 + c) * b->column + i] = mean;
    }
  }
}

static void hold(const vv_block *b, double *d)
{
  for (int64_t i = 0; i < b->nodes; i++)
    for (int c = 0; c < RIGID_NODE_P && rigid_node(b, RIGID_INVERSE_MASS)[i] == 0.0; c++) d[c * b->column + i] = 0.0;
}

static void weigh(const vv_block *b, double h, double *p)
{
  for (int c = 0; c < 3; c++)
    for (int64_t i = 0; b->gravity[c] != 0.0 && i < b->nodes; i++)
      p[(RIGID_P + c) * b->column + i] += h * (rigid_node(b, RIGID_MASS)[i] * b->gravity[c]);
}

static void part_kick(const vv_block *b, double t, double h, const double *q, double *p)
{
  (void)t, (void)q;
  weigh(b, h, p);
}

static const vv_body_kind part_kind = {
    .name = "rigid", .node_q = RIGID_Q, .node_p = RIGID_NODE_P, .kick = part_kick, .vary = &rigid_vary};

/* Whole bodies are inside, or not. */
static void restrict_to(const vv_block *b, const unsigned char *inside, vv_block *sub, double *share)
{
  double *node_real = sub->node_real;
  *sub = *b;
  sub->kind = &part_kind, sub->node_real = node_real, sub->inside = inside;
  for (int64_t i = 0; i < RIGID_NODE_COLUMNS * b->stride; i++) node_real[i] = b->node_real[i];
  for (int64_t i = 0; i < b->nodes; i++) {
    node_real[RIGID_MASS * b->stride + i] *= inside[i];
    for (int c = 0; c < RIGID_NODE_P; c++) share[c * b->column + i] = inside[i];
  }
}

const vv_vary_table rigid_vary = {.kick = vary_kick,
                                  .surface = vary_surface,
                                  .restrict_to = restrict_to,
                                  .weigh = weigh,
                                  .flight = flight,
                                  .twist = vvi_frames_twist,
                                  .sizes = sizes,
                                  .hold = hold};
