/* tests/physics/test_beam_drift.c  Free flight of single nodes: the four drifts of a beam. */
#include "check.h"

#include "body/beam/retraction.h"

#include <string.h>

static const beam_drift_rule every[4] = {BEAM_LGVI, BEAM_LAVI_CAYLEY, BEAM_LAVI_CAY, BEAM_LAVI_EXP};

/* A block of 17 nodes without elements; strides differ so that a mixed-up one shows. */
enum { NODES = 17, STRIDE = 24, COLUMN = 40 };
typedef struct flock {
  vv_block block;
  vv_body body;
  const vv_body *list[1];
  beam_body constants;
  double node[BEAM_NODE_COLUMNS * STRIDE];
  double q[BEAM_Q * COLUMN], p[BEAM_NODE_P * COLUMN];
} flock;

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return 2.0 * (double)(*seed >> 11) / 9007199254740992.0 - 1.0;
}

/* j1, j2: rho int xi1^2, rho int xi2^2 of a plane section. */
static void make(flock *f, beam_drift_rule rule, double j1, double j2)
{
  memset(f, 0, sizeof *f);
  f->constants = (beam_body){.l = 0.5, .rho_a = 2.0, .inertia = {j2, j1, j1 + j2}, .spread = {j1, j2}, .drift = rule};
  f->body = (vv_body){.n_node = NODES};
  f->list[0] = &f->body;
  f->block = (vv_block){.n_body = 1,
                        .body = f->list,
                        .nodes = NODES,
                        .stride = STRIDE,
                        .column = COLUMN,
                        .node_real = f->node,
                        .body_real = &f->constants.l,
                        .threads = 1};
  for (int64_t i = 0; i < NODES; i++) {
    const double weight = i % 2 == 0 ? 0.5 : 0.25, mass = 2.0 * weight;
    f->node[BEAM_WEIGHT * STRIDE + i] = weight;
    f->node[BEAM_INVERSE_WEIGHT * STRIDE + i] = 1.0 / weight;
    f->node[BEAM_MASS * STRIDE + i] = mass;
    f->node[BEAM_INVERSE_MASS * STRIDE + i] = 1.0 / mass;
  }
}

/* Random places, frames and momenta; the angular velocity is about `speed`, the velocity about `pace`. */
static void scatter(flock *f, uint64_t *seed, double speed, double pace)
{
  for (int64_t i = 0; i < NODES; i++) {
    double x[3], w[3], frame[9], inertia[3], spin[3], out[3];
    for (int c = 0; c < 3; c++) x[c] = uniform(seed), w[c] = 2.0 * uniform(seed);
    vvi_exp(w, frame);
    beam_put(&f->block, f->q, i, x, frame);
    beam_inertia(&f->block, &f->constants, i, inertia);
    for (int c = 0; c < 3; c++) spin[c] = uniform(seed);
    const double scale = speed / vvi_norm3(spin);
    for (int c = 0; c < 3; c++) spin[c] *= inertia[c] * scale;
    vvi_apply33(frame, spin, out);
    for (int c = 0; c < 3; c++) {
      f->p[(BEAM_S + c) * COLUMN + i] = out[c];
      f->p[(BEAM_P + c) * COLUMN + i] = pace * f->node[BEAM_MASS * STRIDE + i] * uniform(seed);
    }
  }
}

static int drift(flock *f, double h)
{
  int most = 0;
  for (int64_t i = 0; i < NODES; i++) {
    const int n = beam_drift_node(&f->block, &f->constants, i, h, f->q, f->p);
    if (n > most) most = n;
  }
  return most;
}

static double difference(int n, const double *a, const double *b)
{
  double most = 0.0;
  for (int i = 0; i < n; i++) most = isnan(a[i]) || isnan(b[i]) ? NAN : fmax(most, fabs(a[i] - b[i]));
  return most;
}

/* ---- lgvi ---- */

/* The closed form for a plane section, written plainly. */
static void closed_form(const double j[2], const double s[3], double F[9])
{
  const double r1 = -s[1] / j[0], r2 = s[0] / j[1], r3 = sqrt(1 - r1 * r1 - r2 * r2), k = 1 / (1 + r3);
  const double G[9] = {1 - k * r1 * r1, -k * r1 * r2, -r1, -k * r1 * r2, 1 - k * r2 * r2, -r2, r1, r2, r3};
  const double A = (j[0] - j[1]) * G[1], B = j[0] * G[0] + j[1] * G[4], t = sqrt(A * A + B * B - s[2] * s[2]);
  const double sine = (s[2] * B - A * t) / (A * A + B * B), cosine = (s[2] * A + B * t) / (A * A + B * B);
  const double Rz[9] = {cosine, -sine, 0, sine, cosine, 0, 0, 0, 1};
  vvi_mul33(Rz, G, F);
}

static void test_closed_form(void **unused)
{
  (void)unused;
  uint64_t seed = 11;
  const double height[2] = {1.0, 0.3}; /* of a rectangle of width 1 */
  for (int shape = 0; shape < 2; shape++)
    for (int n = 0; n < 200; n++) {
      flock f, whole;
      const double b = height[shape], j[2] = {b / 12.0, b * b * b / 12.0}, h = 0.1;
      make(&f, BEAM_LGVI, j[0], j[1]);
      scatter(&f, &seed, pow(10.0, 1.5 * uniform(&seed) - 0.5), 3.0); /* |h omega| from 1e-3 to 1 */
      whole = f;
      whole.block.node_real = whole.node, whole.block.body_real = &whole.constants.l, whole.list[0] = &whole.body;
      whole.block.body = whole.list;
      double worst = 0.0;
      for (int64_t i = 0; i < NODES; i++) {
        double x[3], frame[9], S[3], s[3], F[9], twin[9], place[3], turned[9];
        beam_get(&f.block, f.q, i, x, frame);
        for (int c = 0; c < 3; c++) S[c] = f.p[(BEAM_S + c) * COLUMN + i];
        vvi_tapply33(frame, S, s);
        for (int c = 0; c < 3; c++) s[c] *= h / f.node[BEAM_WEIGHT * STRIDE + i];
        closed_form(j, s, F);
        vvi_mul33(frame, F, twin);
        beam_drift_node(&f.block, &f.constants, i, h, f.q, f.p);
        beam_get(&f.block, f.q, i, place, turned);
        worst = fmax(worst, difference(9, turned, twin));
      }
      check_most(worst, 1e-14);
      beam_drift(&whole.block, h, whole.q, whole.p);
      check_most(difference(BEAM_Q * COLUMN, whole.q, f.q), 1e-14);
      check_near(difference(BEAM_NODE_P * COLUMN, whole.p, f.p), 0.0, 0.0);
    }
}

/* A point mass with rotary inertia of its own among plane sections: F J_d - J_d F^T = hat(h Pi), J_d = tr(J)/2 - J. */
static void test_solid_node(void **unused)
{
  (void)unused;
  uint64_t seed = 12;
  flock f, whole;
  const double h = 0.1, own[3] = {0.3, 0.2, 0.25};
  make(&f, BEAM_LGVI, 0.1, 0.05);
  for (int c = 0; c < 3; c++) f.node[(BEAM_POINT_INERTIA + c) * STRIDE + 5] = own[c];
  f.node[BEAM_INVERSE_WEIGHT * STRIDE + 5] = 0.0;
  f.constants.solid = 1.0;
  scatter(&f, &seed, 5.0, 3.0);
  whole = f;
  whole.block.node_real = whole.node, whole.block.body_real = &whole.constants.l;
  whole.list[0] = &whole.body, whole.block.body = whole.list;
  double x[3], frame[9], after[9], F[9], S[3], s[3], J[3], d[3];
  beam_get(&f.block, f.q, 5, x, frame);
  drift(&f, h);
  beam_get(&f.block, f.q, 5, x, after);
  vvi_tmul33(frame, after, F);
  for (int c = 0; c < 3; c++) S[c] = f.p[(BEAM_S + c) * COLUMN + 5];
  vvi_tapply33(frame, S, s);
  beam_inertia(&f.block, &f.constants, 5, J);
  for (int c = 0; c < 3; c++) d[c] = 0.5 * (J[0] + J[1] + J[2]) - J[c];
  for (int a = 0; a < 3; a++) { /* vee: (2,1), (0,2), (1,0) */
    const int r = (a + 2) % 3, c = (a + 1) % 3;
    check_near(F[3 * r + c] * d[c] - d[r] * F[3 * c + r], h * s[a], 1e-15);
  }
  double turned[BEAM_Q * COLUMN]; /* the turn alone */
  memcpy(turned, whole.q, sizeof turned);
  beam_turn_node(&whole.block, &whole.constants, 5, h, turned, whole.p);
  for (int c = 0; c < BEAM_Q; c++)
    assert_true(turned[c * COLUMN + 5] == (c < BEAM_FRAME ? whole.q : f.q)[c * COLUMN + 5]);
  beam_drift(&whole.block, h, whole.q, whole.p);
  check_most(difference(BEAM_Q * COLUMN, whole.q, f.q), 1e-14);
}

/* ---- every rule ---- */

static void test_momentum_maps(void **unused)
{
  (void)unused;
  uint64_t seed = 13;
  for (int r = 0; r < 4; r++)
    for (int n = 0; n < 50; n++) {
      flock f, before;
      make(&f, every[r], 0.01, 0.003);
      scatter(&f, &seed, 8.0, 1.0);
      before = f;
      drift(&f, 0.1);
      for (int64_t i = 0; i < NODES; i++) {
        double x[2][3], frame[9], P[2][3], L[2][3];
        for (int k = 0; k < 2; k++) {
          const flock *at = k == 0 ? &before : &f;
          beam_get(&at->block, at->q, i, x[k], frame);
          for (int c = 0; c < 3; c++) P[k][c] = at->p[(BEAM_P + c) * COLUMN + i];
          vvi_cross3(x[k], P[k], L[k]);
          for (int c = 0; c < 3; c++) L[k][c] += at->p[(BEAM_S + c) * COLUMN + i];
        }
        check_near(difference(3, P[0], P[1]), 0.0, 0.0);
        check_most(difference(3, L[0], L[1]), 1e-15);
      }
    }
}

static void test_reversible(void **unused)
{
  (void)unused;
  uint64_t seed = 14;
  for (int r = 0; r < 4; r++)
    for (int n = 0; n < 50; n++) {
      flock f, before;
      make(&f, every[r], 0.01, 0.003);
      scatter(&f, &seed, 5.0 + 3.0 * uniform(&seed), 0.5);
      before = f;
      assert_in_range(drift(&f, 0.1), 1, 7);
      drift(&f, -0.1);
      check_most(difference(BEAM_Q * COLUMN, f.q, before.q), 2e-14);
      check_most(difference(BEAM_NODE_P * COLUMN, f.p, before.p), 1e-15);
    }
}

/* A held node has no momentum and must not move by a bit; nor does any in no time. */
static void test_rest(void **unused)
{
  (void)unused;
  uint64_t seed = 15;
  for (int r = 0; r < 4; r++) {
    flock f, before;
    make(&f, every[r], 0.01, 0.003);
    scatter(&f, &seed, 5.0, 5.0);
    before = f;
    drift(&f, 0.0);
    assert_memory_equal(f.q, before.q, sizeof f.q);
    assert_memory_equal(f.p, before.p, sizeof f.p);
    memset(f.p, 0, sizeof f.p);
    assert_in_range(drift(&f, 0.3), 1, 1);
    assert_memory_equal(f.q, before.q, sizeof f.q);
  }
}

/* Few iterations while a step turns by less than a radian (lgvi: s/J = 0.8 is |w| = 1); beyond a right angle the state
 * is no number. */
static void test_iterations(void **unused)
{
  (void)unused;
  uint64_t seed = 16;
  const struct {
    double turn;
    int most;
  } row[] = {{1e-3, 3}, {1e-2, 3}, {0.1, 4}, {0.5, 4}, {0.8, 5}};
  for (int r = 0; r < 4; r++) {
    flock f;
    for (int k = 0; k < VV_COUNT(row); k++)
      for (int n = 0; n < 50; n++) {
        make(&f, every[r], 0.01, 0.01);
        scatter(&f, &seed, row[k].turn / 0.1, 0.1);
        const int iterations = drift(&f, 0.1);
        if (iterations > row[k].most) fail_msg("rule %d, turn %g: %d iterations", r, row[k].turn, iterations);
      }
    make(&f, every[r], 0.01, 0.01);
    scatter(&f, &seed, 300.0, 0.1);
    drift(&f, 0.1);
    assert_true(isnan(f.q[BEAM_FRAME * COLUMN]));
  }
}

/* Fast flight: the step carries the node by many section heights, and the equation still has its root. */
static void test_fast(void **unused)
{
  (void)unused;
  uint64_t seed = 17;
  for (int r = 1; r < 4; r++) {
    flock f, before;
    make(&f, every[r], 1e-4, 1e-4);
    scatter(&f, &seed, 2.0, 10.0);
    before = f;
    assert_in_range(drift(&f, 0.1), 1, 12);
    drift(&f, -0.1);
    check_most(difference(BEAM_Q * COLUMN, f.q, before.q), 1e-12);
  }
}

/* ---- lavi: the drift solves the discrete equations as the papers write them ---- */

/* mu = (d tau^-1)^* (a, b) at (w, g), Cayley map of SE(3). */
static void dual_cayley(const double w[3], const double g[3], const double a[3], const double b[3], double mu[2][3])
{
  double wa[3], wb[3], gm[3];
  vvi_cross3(w, b, wb);
  vvi_cross3(w, a, wa);
  for (int c = 0; c < 3; c++) mu[1][c] = b[c] + 0.5 * wb[c];
  vvi_cross3(g, mu[1], gm);
  for (int c = 0; c < 3; c++) mu[0][c] = a[c] + 0.5 * wa[c] + 0.25 * w[c] * vvi_dot3(w, a) + 0.5 * gm[c];
}

/* tau = (cay(w), dcay(w) g): mu_g = D^-T b, mu_w = D^-T (a - Q^T mu_g),
 * Q = -(c^2/2) (g + w x g/2) w^T - (c/2) g^ + (dcay g)^ dcay. */
static void dual_cay(const double w[3], const double g[3], const double a[3], const double b[3], double mu[2][3])
{
  const double c = 4.0 / (4.0 + vvi_dot3(w, w));
  double inverse[9], D[9], Dg[3], hat[9], product[9], g_hat[9], Q[9], wg[3], back[3];
  vvi_axial33(1.0, 0.5, 0.25, w, inverse); /* D^-T */
  vvi_axial33(c, 0.5 * c, 0.0, w, D);
  vvi_apply33(D, g, Dg);
  vvi_axial33(0.0, 1.0, 0.0, Dg, hat);
  vvi_axial33(0.0, 1.0, 0.0, g, g_hat);
  vvi_mul33(hat, D, product);
  vvi_cross3(w, g, wg);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      Q[3 * i + j] = product[3 * i + j] - 0.5 * c * g_hat[3 * i + j] - 0.5 * c * c * (g[i] + 0.5 * wg[i]) * w[j];
  vvi_apply33(inverse, b, mu[1]);
  vvi_tapply33(Q, mu[1], back);
  for (int i = 0; i < 3; i++) back[i] = a[i] - back[i];
  vvi_apply33(inverse, back, mu[0]);
}

/* mu = sum_k B_k/k! (ad^T)^k (a, b), ad^T (m, n) = (-w x m - g x n, -w x n). */
static void dual_exp(const double w[3], const double g[3], const double a[3], const double b[3], double mu[2][3])
{
  static const double bernoulli[13] = {1,         -0.5, 1.0 / 6,  0, -1.0 / 30,    0, 1.0 / 42, 0,
                                       -1.0 / 30, 0,    5.0 / 66, 0, -691.0 / 2730};
  double m[3], n[3], factor = 1.0;
  memcpy(m, a, sizeof m), memcpy(n, b, sizeof n);
  memset(mu, 0, 6 * sizeof(double));
  for (int k = 0; k < 13; k++) {
    double wm[3], gn[3], wn[3];
    if (k > 0) factor /= k;
    for (int c = 0; c < 3; c++) mu[0][c] += bernoulli[k] * factor * m[c], mu[1][c] += bernoulli[k] * factor * n[c];
    vvi_cross3(w, m, wm);
    vvi_cross3(g, n, gn);
    vvi_cross3(w, n, wn);
    for (int c = 0; c < 3; c++) m[c] = -wm[c] - gn[c], n[c] = -wn[c];
  }
}

/* (w, g) with (F, H) = tau(w, g). */
static void retraction_inverse(beam_drift_rule rule, const double F[9], const double H[3], double w[3], double g[3])
{
  double tangent[9];
  vvi_cay_inverse(F, w);
  if (rule == BEAM_LAVI_EXP) {
    const double size = vvi_norm3(w), angle = 2.0 * atan(0.5 * size), t = angle * angle;
    for (int c = 0; c < 3; c++) w[c] *= angle / size;
    vvi_axial33(sin(angle) / angle, (1.0 - cos(angle)) / t, (1.0 - sin(angle) / angle) / t, w, tangent);
  } else {
    const double c = 4.0 / (4.0 + vvi_dot3(w, w));
    vvi_axial33(c, 0.5 * c, rule == BEAM_LAVI_CAYLEY ? 0.25 * c : 0.0, w, tangent);
  }
  vvi_solve33(tangent, H, g);
}

static void test_equations(void **unused)
{
  (void)unused;
  uint64_t seed = 20;
  for (int r = 1; r < 4; r++)
    for (int n = 0; n < 50; n++) {
      flock f, before;
      const double h = 0.1;
      make(&f, every[r], 0.01, 0.003);
      scatter(&f, &seed, 3.0, 2.0);
      before = f;
      drift(&f, h);
      for (int64_t i = 0; i < NODES; i++) {
        double x[2][3], frame[2][9], F[9], H[3], d[3], w[3], g[3], a[3], b[3], J[3], mu[2][3], P[3], S[3], Pi[3], u[3];
        beam_get(&before.block, before.q, i, x[0], frame[0]);
        beam_get(&f.block, f.q, i, x[1], frame[1]);
        for (int c = 0; c < 3; c++) d[c] = x[1][c] - x[0][c];
        vvi_tmul33(frame[0], frame[1], F);
        vvi_tapply33(frame[0], d, H);
        retraction_inverse(every[r], F, H, w, g);
        beam_inertia(&f.block, &f.constants, i, J);
        for (int c = 0; c < 3; c++) {
          a[c] = J[c] * w[c] / h;
          b[c] = f.node[BEAM_MASS * STRIDE + i] * g[c] / h;
          P[c] = before.p[(BEAM_P + c) * COLUMN + i], S[c] = before.p[(BEAM_S + c) * COLUMN + i];
        }
        vvi_tapply33(frame[0], S, Pi);
        vvi_tapply33(frame[0], P, u);
        (every[r] == BEAM_LAVI_CAYLEY ? dual_cayley : every[r] == BEAM_LAVI_CAY ? dual_cay : dual_exp)(w, g, a, b, mu);
        check_most(difference(3, mu[0], Pi), 1e-14);
        check_most(difference(3, mu[1], u), 3e-14);
        /* and the momentum that comes out is Ad^*: Pi_new = F^T (Pi - H x u) */
        double Hu[3], out[3], now[3];
        vvi_cross3(H, u, Hu);
        for (int c = 0; c < 3; c++) Pi[c] -= Hu[c], S[c] = f.p[(BEAM_S + c) * COLUMN + i];
        vvi_tapply33(F, Pi, out);
        vvi_tapply33(frame[1], S, now);
        check_most(difference(3, out, now), 1e-15);
      }
    }
}

/* ---- order ---- */

static void rate(const double frame[9], const double S[3], const double J[3], double out[9])
{
  double w[3], hat[9];
  vvi_tapply33(frame, S, w);
  for (int c = 0; c < 3; c++) w[c] /= J[c];
  vvi_axial33(0.0, 1.0, 0.0, w, hat);
  vvi_mul33(frame, hat, out);
}

/* Free rigid body: S and P kept, Lambda' = Lambda (J^-1 Lambda^T S)^, by Runge and Kutta with small steps. */
static void reference(double t, const double S[3], const double J[3], double frame[9])
{
  enum { STEPS = 4000 };
  const double h = t / STEPS;
  for (int n = 0; n < STEPS; n++) {
    double k[4][9], at[9];
    static const double part[4] = {0.0, 0.5, 0.5, 1.0};
    for (int s = 0; s < 4; s++) {
      for (int c = 0; c < 9; c++) at[c] = frame[c] + (s > 0 ? part[s] * h * k[s - 1][c] : 0.0);
      rate(at, S, J, k[s]);
    }
    for (int c = 0; c < 9; c++) frame[c] += h / 6.0 * (k[0][c] + 2.0 * k[1][c] + 2.0 * k[2][c] + k[3][c]);
  }
}

static void test_order(void **unused)
{
  (void)unused;
  for (int r = 0; r < 4; r++) {
    double error[3];
    for (int k = 0; k < 3; k++) {
      uint64_t seed = 18;
      flock f;
      const int steps = 50 << k;
      make(&f, every[r], 0.01, 0.003);
      scatter(&f, &seed, 3.0, 0.4);
      double exact[BEAM_Q * COLUMN];
      memcpy(exact, f.q, sizeof exact);
      for (int64_t i = 0; i < NODES; i++) {
        double x[3], frame[9], S[3], J[3];
        beam_get(&f.block, f.q, i, x, frame);
        for (int c = 0; c < 3; c++) {
          S[c] = f.p[(BEAM_S + c) * COLUMN + i];
          x[c] += f.p[(BEAM_P + c) * COLUMN + i] / f.node[BEAM_MASS * STRIDE + i];
        }
        beam_inertia(&f.block, &f.constants, i, J);
        reference(1.0, S, J, frame);
        beam_put(&f.block, exact, i, x, frame);
      }
      for (int s = 0; s < steps; s++) drift(&f, 1.0 / steps);
      error[k] = difference(BEAM_Q * COLUMN, f.q, exact);
    }
    check_near(log2(error[1] / error[2]), 2.0, 0.02);
    check_least(error[0], 1e-6);
  }
}

/* ---- Galileo ---- */

/* Largest difference of frames between a flight and the same flight seen from a moving observer. */
static double boost_defect(beam_drift_rule rule, int steps, double *places)
{
  uint64_t seed = 19;
  flock f, g;
  const double boost[3] = {10.0, -4.0, 7.0};
  make(&f, rule, 0.1, 0.03);
  scatter(&f, &seed, 2.0, 0.4);
  g = f;
  g.block.node_real = g.node, g.block.body_real = &g.constants.l;
  for (int64_t i = 0; i < NODES; i++)
    for (int c = 0; c < 3; c++) g.p[(BEAM_P + c) * COLUMN + i] += g.node[BEAM_MASS * STRIDE + i] * boost[c];
  for (int s = 0; s < steps; s++) drift(&f, 0.05 / steps), drift(&g, 0.05 / steps);
  *places = 0.0;
  for (int c = 0; c < 3; c++)
    for (int64_t i = 0; i < NODES; i++)
      *places = fmax(*places, fabs(g.q[c * COLUMN + i] - f.q[c * COLUMN + i] - 0.05 * boost[c]));
  return difference(9 * COLUMN, f.q + BEAM_FRAME * COLUMN, g.q + BEAM_FRAME * COLUMN);
}

static void test_galileo(void **unused)
{
  (void)unused;
  double places;
  check_near(boost_defect(BEAM_LGVI, 20, &places), 0.0, 0.0);
  check_most(places, 1e-14);
  for (int r = 1; r < 4; r++) {
    const double a = boost_defect(every[r], 20, &places), b = boost_defect(every[r], 40, &places);
    check_least(b, 1e-8);
    check_near(log2(a / b), 2.0, 0.05);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_closed_form), cmocka_unit_test(test_solid_node), cmocka_unit_test(test_momentum_maps),
      cmocka_unit_test(test_reversible),  cmocka_unit_test(test_rest),       cmocka_unit_test(test_iterations),
      cmocka_unit_test(test_fast),        cmocka_unit_test(test_equations),  cmocka_unit_test(test_order),
      cmocka_unit_test(test_galileo),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
