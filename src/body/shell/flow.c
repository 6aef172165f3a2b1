/* body/shell/flow.c  Shells whose material flows or damps: points through the thickness, Maxwell branches.
 *
 * At the lever z the sheet has the metric C = G - z B.  A point keeps D, what the metric P = G0 + D of the unloaded sheet has
 * gained by flowing, and alpha.  With X = (G - G0) - z (B - B0) - D, m = P^-1 X/2, tau = tr m, dev = m - tau/2 and
 * kappa = -det dev,                                                                                            [mat 16]
 *
 *   W = E tau^2/(4 (1 - nu)) + 2 mu kappa,   S = (2 mu nu/(1 - nu) tau + 2 mu m) P^-1,
 *
 * which is the elastic law where D = 0.  Flow scales tau by x and dev by y [mat 4]:
 *
 *   D += ((1 - y) X - (x - y) tau P) (1 + 2 m*)^-1,   m* = x tau/2 + y dev.                                      [mat 17]
 *
 * Groups that have never flowed have no internal variables to read but one flag; whether they begin to is seen at the outer
 * points, because the equivalent stress squared is convex in z.  Loops run over the eight lanes of a group. */
#include "body/shell/lanes.h"
#include "visviva/net.h"

#include "ledger/ledger.h"

#include <string.h>

enum { EIGHT_LANES = SHELL_GROUP };
#define LANEWISE _Pragma("omp simd") for (int l = 0; l < EIGHT_LANES; l++)

/* ---- between the state and eight lanes ---- */

/* Place of a lane in the columns of its group; -1: the lane is empty. */
static inline int place_of(const shell_group *g, int lane)
{
  const int e = shell_lane_element(g, lane);
  return e < 0 ? -1 : e - g->element;
}

static inline void load(const shell_group *g, const double *z, int column, double out[SHELL_GROUP])
{
  const double *from = z + (int64_t)column * g->count;
  if (g->count == SHELL_GROUP) {
    memcpy(out, from, sizeof(shell_eight));
    return;
  }
  for (int l = 0; l < SHELL_GROUP; l++) out[l] = place_of(g, l) >= 0 ? from[place_of(g, l)] : 0.0;
}

static inline void store(const shell_group *g, double *z, int column, const double in[SHELL_GROUP])
{
  double *to = z + (int64_t)column * g->count;
  if (g->count == SHELL_GROUP) {
    memcpy(to, in, sizeof(shell_eight));
    return;
  }
  for (int l = 0; l < SHELL_GROUP; l++)
    if (place_of(g, l) >= 0) to[place_of(g, l)] = in[l];
}

static int branch_column(const shell_body *k, int branch)
{
  return SHELL_Z_POINTS + SHELL_Z_POINT * (int)k->points + SHELL_Z_BRANCH * branch;
}

static bool has_flowed(const shell_group *g, const double *z)
{
  double sum = 0.0;
  for (int i = 0; i < g->count; i++) sum += z[i];
  return sum != 0.0;
}

bool shell_group_flowed(const shell_body *k, const shell_group *g, const double *z)
{
  return k->damping.branches > 0.0 || has_flowed(g, z);
}

/* ---- one point of eight elements ---- */

typedef struct point {
  shell_eight X[3], P[3], inverse[3]; /* P^-1 */
  shell_eight m11, m12, m21, m22, tau, kappa;
} point;

static inline __attribute__((always_inline)) void strain(const shell_eight E[3], const shell_eight K[3],
                                                         const shell_eight rest[3], const shell_eight D[3], double z,
                                                         point *p)
{
  LANEWISE
  {
    for (int c = 0; c < 3; c++) {
      p->X[c][l] = (E[c][l] - z * K[c][l]) - D[c][l];
      p->P[c][l] = rest[c][l] + D[c][l];
    }
    const double over = 1.0 / (p->P[0][l] * p->P[1][l] - p->P[2][l] * p->P[2][l]);
    p->inverse[0][l] = over * p->P[1][l], p->inverse[1][l] = over * p->P[0][l], p->inverse[2][l] = -over * p->P[2][l];
    p->m11[l] = 0.5 * (p->inverse[0][l] * p->X[0][l] + p->inverse[2][l] * p->X[2][l]);
    p->m12[l] = 0.5 * (p->inverse[0][l] * p->X[2][l] + p->inverse[2][l] * p->X[1][l]);
    p->m21[l] = 0.5 * (p->inverse[2][l] * p->X[0][l] + p->inverse[1][l] * p->X[2][l]);
    p->m22[l] = 0.5 * (p->inverse[2][l] * p->X[2][l] + p->inverse[1][l] * p->X[1][l]);
    p->tau[l] = p->m11[l] + p->m22[l];
    const double d = 0.5 * (p->m11[l] - p->m22[l]);
    p->kappa[l] = d * d + p->m12[l] * p->m21[l];
  }
}

static inline __attribute__((always_inline)) void stress(const shell_body *k, const point *p, shell_eight S[3],
                                                         shell_eight W)
{
  const double two_mu = 2.0 * k->mu, trace = two_mu * k->poisson / (1.0 - k->poisson);
  const double stretch = k->young / (4.0 * (1.0 - k->poisson));
  LANEWISE
  {
    const double a = trace * p->tau[l], i11 = p->inverse[0][l], i22 = p->inverse[1][l], i12 = p->inverse[2][l];
    S[0][l] = a * i11 + two_mu * (p->m11[l] * i11 + p->m12[l] * i12);
    S[1][l] = a * i22 + two_mu * (p->m21[l] * i12 + p->m22[l] * i22);
    S[2][l] = a * i12 + two_mu * (p->m11[l] * i12 + p->m12[l] * i22);
    W[l] = stretch * (p->tau[l] * p->tau[l]) + two_mu * p->kappa[l];
  }
}

/* Squares of the two parts of the equivalent stress. */
static inline __attribute__((always_inline)) void parts(const shell_body *k, const point *p, shell_eight A,
                                                        shell_eight B)
{
  const double one = k->young / (2.0 * (1.0 - k->poisson)), two_mu = 2.0 * k->mu;
  LANEWISE
  {
    A[l] = (one * p->tau[l]) * (one * p->tau[l]);
    B[l] = 3.0 * (two_mu * two_mu) * p->kappa[l];
  }
}

/* Strains of a group against its rest. */
static inline __attribute__((always_inline)) void strains(const shell_group *g, const shell_eight G[3],
                                                          const shell_eight B[3], shell_eight E[3], shell_eight K[3])
{
  const double *r = g->rest;
  for (int c = 0; c < 3; c++)
    LANEWISE E[c][l] = G[c][l] - r[SHELL_GROUP * c + l], K[c][l] = B[c][l] - r[SHELL_GROUP * (3 + c) + l];
}

/* h A0 of the lanes. */
static inline __attribute__((always_inline)) void volumes(const shell_body *k, const shell_group *g, shell_eight v)
{
  const double *r = g->rest, factor = 0.5 * k->thickness / (SHELL_A * SHELL_A);
  LANEWISE v[l] = factor * sqrt(r[l] * r[SHELL_GROUP + l] - r[2 * SHELL_GROUP + l] * r[2 * SHELL_GROUP + l]);
}

/* The elastic law of strains E, K: what branches feel.                                                          [shell 7] */
static inline __attribute__((always_inline)) void elastic(const shell_body *k, const shell_group *g,
                                                          const shell_eight E[3], const shell_eight K[3],
                                                          shell_eight N[3], shell_eight M[3])
{
  const double *r = g->rest, nu = k->poisson;
  for (int which = 0; which < 2; which++) {
    const shell_eight *in = which == 0 ? E : K;
    shell_eight *out = which == 0 ? N : M;
    const double scale = which == 0 ? k->membrane : k->bend;
    LANEWISE
    {
      const double g0 = r[SHELL_GROUP + l], g1 = r[l], g2 = -r[2 * SHELL_GROUP + l];
      const double f = scale * r[6 * SHELL_GROUP + l];
      const double t1 = g0 * in[0][l] + g2 * in[2][l], t2 = g2 * in[0][l] + g1 * in[2][l];
      const double u1 = g0 * in[2][l] + g2 * in[1][l], u2 = g2 * in[2][l] + g1 * in[1][l];
      const double trace = nu * (t1 + u2);
      out[0][l] = f * (trace * g0 + (1.0 - nu) * (t1 * g0 + u1 * g2));
      out[1][l] = f * (trace * g1 + (1.0 - nu) * (t2 * g2 + u2 * g1));
      out[2][l] = f * (trace * g2 + (1.0 - nu) * (t1 * g2 + u1 * g1));
    }
  }
}

static inline __attribute__((always_inline)) double contract(const shell_eight a[3], const shell_eight b[3], int l)
{
  return a[0][l] * b[0][l] + a[1][l] * b[1][l] + 2.0 * (a[2][l] * b[2][l]);
}

/* ---- stress ---- */

/* N = h A0 sum w S, M = -1/2 h A0 sum w z S.                                                                    [mat 18] */
VV_HOT static void stress_points(const shell_body *k, const shell_group *g, const double *z, const shell_eight E[3],
                                 const shell_eight K[3], shell_eight N[3], shell_eight M[3], double *energy)
{
  shell_eight volume;
  volumes(k, g, volume);
  for (int c = 0; c < 3; c++) LANEWISE N[c][l] = M[c][l] = 0.0;
  if (energy != NULL) LANEWISE energy[l] = 0.0;
  for (int i = 0; i < (int)k->points; i++) {
    shell_eight D[3], S[3], W;
    point p;
    for (int c = 0; c < 3; c++) load(g, z, SHELL_Z_POINTS + SHELL_Z_POINT * i + c, D[c]);
    strain(E, K, (const shell_eight *)(const void *)g->rest, (const shell_eight *)D, k->level[i], &p);
    stress(k, &p, S, W);
    const double lever = -0.5 * k->level[i], w = k->weight[i];
    for (int c = 0; c < 3; c++) LANEWISE
      {
        const double s = w * volume[l] * S[c][l];
        N[c][l] += s, M[c][l] += lever * s;
      }
    if (energy != NULL) LANEWISE energy[l] += w * volume[l] * W[l];
  }
}

/* Branches: stress of sum_k g_k (strain - e_k), energy of each. */
VV_HOT static void stress_branches(const shell_body *k, const shell_group *g, const double *z, const shell_eight E[3],
                                   const shell_eight K[3], shell_eight N[3], shell_eight M[3], double *energy)
{
  for (int b = 0; b < (int)k->damping.branches; b++) {
    shell_eight e[3], f[3], n[3], m[3];
    for (int c = 0; c < 3; c++) {
      load(g, z, branch_column(k, b) + c, e[c]), load(g, z, branch_column(k, b) + 3 + c, f[c]);
      LANEWISE e[c][l] = E[c][l] - e[c][l], f[c][l] = K[c][l] - f[c][l];
    }
    elastic(k, g, (const shell_eight *)e, (const shell_eight *)f, n, m);
    for (int c = 0; c < 3; c++)
      LANEWISE N[c][l] += k->damping.part[b] * n[c][l], M[c][l] += k->damping.part[b] * m[c][l];
    if (energy != NULL)
      LANEWISE energy[l] += k->damping.part[b] * (0.25 * contract((const shell_eight *)n, (const shell_eight *)e, l) +
                                                  0.5 * contract((const shell_eight *)m, (const shell_eight *)f, l));
  }
}

void shell_group_stress(const shell_body *k, const shell_group *g, const double *z, const shell_eight G[3],
                        const shell_eight B[3], shell_eight N[3], shell_eight M[3], double *energy)
{
  shell_eight E[3], K[3];
  strains(g, G, B, E, K);
  if (k->points > 0.0 && has_flowed(g, z)) {
    stress_points(k, g, z, (const shell_eight *)E, (const shell_eight *)K, N, M, energy);
  } else {
    elastic(k, g, (const shell_eight *)E, (const shell_eight *)K, N, M);
    if (energy != NULL)
      LANEWISE energy[l] = 0.25 * contract((const shell_eight *)N, (const shell_eight *)E, l) +
                           0.5 * contract((const shell_eight *)M, (const shell_eight *)K, l);
  }
  if (k->damping.branches > 0.0) stress_branches(k, g, z, (const shell_eight *)E, (const shell_eight *)K, N, M, energy);
}

/* ---- flow ---- */

/* Yield stress and its slope at alpha, without the rate. */
static inline __attribute__((always_inline)) void yield(const vvi_plastic *p, const shell_eight alpha, shell_eight Y,
                                                        shell_eight H)
{
  LANEWISE Y[l] = p->yield, H[l] = 0.0;
  for (int i = 0; i < (int)p->pieces; i++) {
    const double at = p->at[i], slope = p->slope[i];
    LANEWISE
    {
      const double on = alpha[l] >= at ? slope : 0.0;
      Y[l] += on * (alpha[l] - at), H[l] += on;
    }
  }
}

/* Three rounds leave 1e-7 of the yield stress for any overshoot; lanes that stay elastic keep x = y = 1.        [mat 5] */
static inline __attribute__((always_inline)) void rounds(double a, double b, const shell_eight A, const shell_eight B,
                                                         const shell_eight Y, const shell_eight H, shell_eight x,
                                                         shell_eight y, shell_eight grown)
{
  enum { ROUNDS = 3 };
  LANEWISE
  {
    const double on = A[l] + B[l] > Y[l] * Y[l] ? 1.0 : 0.0;
    double theta = 0.0, u = 1.0, v = 1.0, s = sqrt(A[l] + B[l]);
    s = on > 0.0 ? s : Y[l];
    const double aA = on > 0.0 ? A[l] : 0.0, bB = on > 0.0 ? B[l] : Y[l] * Y[l];
    for (int i = 0; i < ROUNDS; i++) {
      const double miss = s * (1.0 - H[l] * theta) / Y[l] - 1.0;
      theta += miss * (s * s) / (a * aA * (u * u * u) + b * bB * (v * v * v) + H[l] * (s * s * s) / Y[l]);
      u = 1.0 / (1.0 + a * theta), v = 1.0 / (1.0 + b * theta);
      s = sqrt(aA * (u * u) + bB * (v * v));
    }
    theta = on > 0.0 && theta > 0.0 ? theta : 0.0;
    x[l] = theta > 0.0 ? u : 1.0, y[l] = theta > 0.0 ? v : 1.0, grown[l] = theta * s;
  }
}

/* D += ((1 - y) X - (x - y) tau P) (1 + 2 m*)^-1                                                               [mat 17] */
static inline __attribute__((always_inline)) void grow(const point *p, const shell_eight x, const shell_eight y,
                                                       shell_eight D[3])
{
  LANEWISE
  {
    const double mean = 0.5 * p->tau[l], d = 0.5 * (p->m11[l] - p->m22[l]);
    const double v11 = 1.0 + 2.0 * (x[l] * mean + y[l] * d), v22 = 1.0 + 2.0 * (x[l] * mean - y[l] * d);
    const double v12 = 2.0 * y[l] * p->m12[l], v21 = 2.0 * y[l] * p->m21[l], over = 1.0 / (v11 * v22 - v12 * v21);
    const double one = 1.0 - y[l], two = (x[l] - y[l]) * p->tau[l];
    const double u11 = one * p->X[0][l] - two * p->P[0][l], u22 = one * p->X[1][l] - two * p->P[1][l];
    const double u12 = one * p->X[2][l] - two * p->P[2][l];
    D[0][l] += over * (u11 * v22 - u12 * v21);
    D[1][l] += over * (u22 * v11 - u12 * v12);
    D[2][l] += 0.5 * over * ((u12 * v11 - u11 * v12) + (u12 * v22 - u22 * v21));
  }
}

/* E0, K0: strains before the drift.  Returns the plastic work of the lanes that are elements; [mat 2] in the form
 * 1/4 (S0 + S1):(C1 - C0) - (W1 - W0), taken only where a point flows. */
VV_HOT static double flow_points(const shell_body *k, const shell_group *g, double h, double *z,
                                 const shell_eight E0[3], const shell_eight K0[3], const shell_eight E[3],
                                 const shell_eight K[3])
{
  const shell_eight *rest = (const shell_eight *)(const void *)g->rest;
  const double a = k->young / (2.0 * (1.0 - k->poisson)), b = 3.0 * k->mu;
  shell_eight volume, work, flowed;
  volumes(k, g, volume);
  load(g, z, SHELL_Z_FLOWED, flowed);
  LANEWISE work[l] = 0.0;
  for (int i = 0; i < (int)k->points; i++) {
    const int column = SHELL_Z_POINTS + SHELL_Z_POINT * i;
    shell_eight D[3], alpha, A, B, Y, H, x, y, grown, S0[3], S1[3], W0, W1;
    point now, before;
    for (int c = 0; c < 3; c++) load(g, z, column + c, D[c]);
    load(g, z, column + 3, alpha);
    strain(E, K, rest, (const shell_eight *)D, k->level[i], &now);
    parts(k, &now, A, B);
    yield(&k->plastic, alpha, Y, H);
    int any = 0;
    for (int l = 0; l < EIGHT_LANES; l++) any |= A[l] + B[l] > Y[l] * Y[l] && place_of(g, l) >= 0;
    if (!any) continue;
    if (k->plastic.rate_law == VVI_NO_RATE)
      rounds(a, b, A, B, Y, H, x, y, grown);
    else
      for (int l = 0; l < EIGHT_LANES; l++) {
        vvi_returned r = {.x = 1.0, .y = 1.0};
        if (place_of(g, l) >= 0) r = vvi_plastic_return(&k->plastic, A[l], a, B[l], b, alpha[l], h);
        x[l] = r.x, y[l] = r.y, grown[l] = r.dalpha;
      }
    strain(E0, K0, rest, (const shell_eight *)D, k->level[i], &before);
    stress(k, &before, S0, W0);
    grow(&now, x, y, D);
    strain(E, K, rest, (const shell_eight *)D, k->level[i], &now);
    stress(k, &now, S1, W1);
    LANEWISE
    {
      const double zi = k->level[i];
      const double c0 = (E[0][l] - E0[0][l]) - zi * (K[0][l] - K0[0][l]);
      const double c1 = (E[1][l] - E0[1][l]) - zi * (K[1][l] - K0[1][l]);
      const double c2 = (E[2][l] - E0[2][l]) - zi * (K[2][l] - K0[2][l]);
      const double mean = (S0[0][l] + S1[0][l]) * c0 + (S0[1][l] + S1[1][l]) * c1 + 2.0 * (S0[2][l] + S1[2][l]) * c2;
      const double posted = k->weight[i] * volume[l] * (0.25 * mean - (W1[l] - W0[l]));
      work[l] += grown[l] > 0.0 ? posted : 0.0;
      alpha[l] += grown[l];
      flowed[l] = grown[l] > 0.0 ? 1.0 : flowed[l];
    }
    for (int c = 0; c < 3; c++) store(g, z, column + c, D[c]);
    store(g, z, column + 3, alpha);
  }
  store(g, z, SHELL_Z_FLOWED, flowed);
  double sum = 0.0;
  for (int l = 0; l < EIGHT_LANES; l++) sum += place_of(g, l) >= 0 ? work[l] : 0.0;
  return sum;
}

/* A group that never flowed: does it begin to?  Only the outer points can be first. */
VV_HOT static bool begins(const shell_body *k, const shell_group *g, const shell_eight E[3], const shell_eight K[3])
{
  const shell_eight *rest = (const shell_eight *)(const void *)g->rest;
  static const shell_eight none[3];
  const double limit = k->plastic.yield * k->plastic.yield;
  int any = 0;
  for (int side = 0; side < 2; side++) {
    shell_eight A, B;
    point p;
    strain(E, K, rest, none, k->level[side == 0 ? 0 : (int)k->points - 1], &p);
    parts(k, &p, A, B);
    for (int l = 0; l < EIGHT_LANES; l++) any |= A[l] + B[l] > limit;
  }
  return any != 0;
}

/* [mat 9] with the elastic law for the product of mean and increment. */
VV_HOT static double flow_branches(const shell_body *k, const shell_group *g, double h, double *z,
                                   const shell_eight E0[3], const shell_eight K0[3], const shell_eight E[3],
                                   const shell_eight K[3])
{
  double sum = 0.0;
  for (int b = 0; b < (int)k->damping.branches; b++) {
    const double r = 0.5 * h / k->damping.time[b];
    shell_eight e[3], f[3], de[3], df[3], n[3], m[3];
    for (int c = 0; c < 3; c++) {
      shell_eight old, bent;
      const int column = branch_column(k, b) + c;
      load(g, z, column, old), load(g, z, column + 3, bent);
      LANEWISE
      {
        e[c][l] = vvi_branch(r, old[l], E0[c][l], E[c][l]), f[c][l] = vvi_branch(r, bent[l], K0[c][l], K[c][l]);
        de[c][l] = e[c][l] - old[l], df[c][l] = f[c][l] - bent[l];
      }
      store(g, z, column, e[c]), store(g, z, column + 3, f[c]);
      LANEWISE
      {
        e[c][l] = 0.5 * ((E0[c][l] - old[l]) + (E[c][l] - e[c][l]));
        f[c][l] = 0.5 * ((K0[c][l] - bent[l]) + (K[c][l] - f[c][l]));
      }
    }
    elastic(k, g, (const shell_eight *)e, (const shell_eight *)f, n, m);
    for (int l = 0; l < EIGHT_LANES; l++)
      if (place_of(g, l) >= 0)
        sum += k->damping.part[b] * (0.5 * contract((const shell_eight *)n, (const shell_eight *)de, l) +
                                     contract((const shell_eight *)m, (const shell_eight *)df, l));
  }
  return sum;
}

/* Strains before the drift, from what the last flow has noted. */
static void strains_noted(const shell_group *g, const double *z, shell_eight E[3], shell_eight K[3])
{
  shell_eight G[3], B[3];
  for (int c = 0; c < 3; c++) load(g, z, SHELL_Z_METRIC + c, G[c]), load(g, z, SHELL_Z_CURVATURE + c, B[c]);
  strains(g, (const shell_eight *)G, (const shell_eight *)B, E, K);
}

static void flow_group(const shell_body *k, const shell_group *g, double h, double *z, const shell_eight G[3],
                       const shell_eight B[3], double loss[2])
{
  shell_eight E0[3], K0[3], E[3], K[3];
  strains(g, G, B, E, K);
  const shell_eight *e0 = (const shell_eight *)E0, *k0 = (const shell_eight *)K0;
  const shell_eight *e1 = (const shell_eight *)E, *k1 = (const shell_eight *)K;
  const bool flows = h != 0.0 && k->points > 0.0 && (has_flowed(g, z) || begins(k, g, e1, k1));
  const bool damps = h != 0.0 && k->damping.branches > 0.0;
  if (flows || damps) strains_noted(g, z, E0, K0);
  if (flows) loss[0] += flow_points(k, g, h, z, e0, k0, e1, k1);
  if (damps) loss[1] += flow_branches(k, g, h, z, e0, k0, e1, k1);
  for (int c = 0; c < 3; c++) store(g, z, SHELL_Z_METRIC + c, G[c]), store(g, z, SHELL_Z_CURVATURE + c, B[c]);
}

INLINE void tile_flow(const shell_body *k, reach how, const shell_tile *t, double h, int64_t column, double *q,
                      double loss[2])
{
  _Alignas(64) double x[4 * SHELL_MOST_LOCAL];
  gather_nodes(how, t, column, q, x);
  for (int i = 0; i < t->groups; i++) {
    const shell_group *g = &t->group[i];
    four f[2];
    shell_eight G[3], B[3];
    gather_group(how, t, g, x, f);
    for (int half = 0; half < 2; half++) {
      lanes metric[3], curve[3], n[3], inverse;
      const four *a = &f[half];
      measure_lanes(a->sum[0], a->sum[1], a->sum[2], a->sum[3], a->sum[4], metric, curve, n, &inverse);
      for (int c = 0; c < 3; c++) STORE(G[c] + WIDTH * half, metric[c]), STORE(B[c] + WIDTH * half, curve[c]);
    }
    flow_group(k, g, h, (double *)shell_group_z(k, t, g, q), (const shell_eight *)G, (const shell_eight *)B, loss);
  }
}

static void flow_plain(const shell_body *k, const shell_tile *t, double h, int64_t column, double *q, double loss[2])
{
  tile_flow(k, TWO, t, h, column, q, loss);
}

#if defined(__x86_64__) && !defined(VV_NO_CLONES)
AVX2 static void flow_avx2(const shell_body *k, const shell_tile *t, double h, int64_t column, double *q,
                           double loss[2])
{
  tile_flow(k, FOUR, t, h, column, q, loss);
}

AVX512 static void flow_avx512(const shell_body *k, const shell_tile *t, double h, int64_t column, double *q,
                               double loss[2])
{
  tile_flow(k, EIGHT, t, h, column, q, loss);
}

shell_flow_fn *shell_tile_flow(int set)
{
  const reach how = machine_reach(set);
  return how == EIGHT ? flow_avx512 : how == FOUR ? flow_avx2 : flow_plain;
}
#else
shell_flow_fn *shell_tile_flow(int set)
{
  (void)set;
  return flow_plain;
}
#endif

/* ---- the whole block ---- */

void shell_flow(const vv_block *b, double h, double *q, const double *p, vv_posted *post)
{
  (void)p;
  const shell_plan *plan = b->plan;
  bool mine;
  double *scratch = shell_scratch(b, &mine), *loss = shell_parts(b, scratch), all[2];
  const int64_t n = shell_tiles_here(plan);
  shell_fetch_places(b, q);
#pragma omp parallel for schedule(static) num_threads(b->threads) if (b->threads > 1 && n >= 4)
  for (int64_t j = 0; j < n; j++) {
    const int64_t i = shell_tile_here(plan, j);
    const shell_tile *t = &plan->tile[i];
    const shell_body *k = shell_of(b, t->body);
    loss[SHELL_SUMS * i] = loss[SHELL_SUMS * i + 1] = 0.0;
    if (k->columns > 0.0) plan->flow(k, t, h, b->column, q, loss + SHELL_SUMS * i);
  }
  if (post != NULL) shell_sum_tiles(b, 2, loss, all);
  shell_scratch_done(b, scratch, mine);
  if (post == NULL) return;
  if (all[0] != 0.0) vvi_sum_add(&post->plastic_work, all[0]);
  if (all[1] != 0.0) vvi_sum_add(&post->viscous_loss, all[1]);
}

/* Momenta fade: what the medium takes is external.                                                             [mat 11] */
static void fade(const vv_block *b, const shell_tile *t, double keep, const double *q, double *p, double sum[9])
{
  const double *minv = shell_node(b, SHELL_INVERSE_MASS);
  for (int64_t i = t->node0 + t->own0; i < t->node0 + t->own0 + t->own; i++) {
    double x[3], j[3], turn[3];
    for (int c = 0; c < 3; c++) {
      double *at = p + c * b->column + i;
      const double before = *at;
      *at *= keep;
      x[c] = q[c * b->column + i], j[c] = *at - before;
      sum[0] += 0.5 * minv[i] * (before - *at) * (before + *at);
      sum[1 + c] += j[c];
    }
    vvi_cross3(x, j, turn);
    for (int c = 0; c < 3; c++) sum[4 + c] += turn[c];
    sum[7] += vvi_norm3(j), sum[8] += vvi_norm3(turn);
  }
}

void shell_viscous(const vv_block *b, double h, const double *q, double *p, vv_posted *post)
{
  enum { FADED = 9 };
  const shell_plan *plan = b->plan;
  bool mine;
  double *scratch = shell_scratch(b, &mine), *part = shell_parts(b, scratch), all[FADED];
  for (int64_t j = 0; j < shell_tiles_here(plan); j++) {
    const int64_t i = shell_tile_here(plan, j);
    const double rate = shell_of(b, plan->tile[i].body)->damping.mass;
    memset(part + SHELL_SUMS * i, 0, FADED * sizeof *part);
    if (rate > 0.0) fade(b, &plan->tile[i], exp(-rate * h), q, p, part + SHELL_SUMS * i);
  }
  shell_sum_tiles(b, FADED, part, all);
  shell_scratch_done(b, scratch, mine);
  vvi_sum_add(&post->viscous_loss, all[0]);
  for (int c = 0; c < 3; c++) vvi_sum_add(&post->impulse[c], all[1 + c]), vvi_sum_add(&post->moment[c], all[4 + c]);
  post->impulse_abs += all[7], post->moment_abs += all[8];
}

/* ---- the step ---- */

/* How fast a triangle rings, but for a factor: its least height t against waves in the plane, and (pi h)^2/(12 t^2) beside 1
 * for bending.  G in the units of the tables.                                                                  [mat 22] */
static double square_of(const shell_body *k, double g11, double g22, double g12)
{
  const double longest = fmax(fmax(g11, g22), g11 + g22 - 2.0 * g12);
  const double height = (g11 * g22 - g12 * g12) / longest / (SHELL_A * SHELL_A);
  return (1.0 + 0.822 * k->thickness * k->thickness / height) / height;
}

/* The fastest of all ranks, and the first element that is. */
static void agree_on_fastest(const vv_net *net, double *rest, double *now, int64_t *element)
{
  const double mine = *now;
  double most[2] = {-*rest, -*now}, first = INFINITY;
  net->least(net, 2, most);
  *rest = -most[0], *now = -most[1];
  if (mine == *now) first = (double)*element;
  net->least(net, 1, &first);
  *element = isfinite(first) ? (int64_t)first : 0;
}

/* Metrics were noted by the last flow.  Shells without internal variables are not watched. */
double shell_step_left(const vv_block *b, const double *q, int64_t *element)
{
  const shell_plan *plan = b->plan;
  double rest = 0.0, now = 0.0;
  *element = 0;
  for (int64_t i = 0; b->z_reals > 0 && i < shell_tiles_here(plan); i++) {
    const shell_tile *t = &plan->tile[shell_tile_here(plan, i)];
    const shell_body *k = shell_of(b, t->body);
    for (int j = 0; k->columns > 0.0 && j < t->groups; j++) {
      const shell_group *g = &t->group[j];
      const double *z = shell_group_z(k, t, g, q) + SHELL_Z_METRIC * (int64_t)g->count, *r = g->rest;
      for (int l = 0; l < SHELL_GROUP; l++) {
        const int at = place_of(g, l);
        if (at < 0) continue;
        const double fast = square_of(k, z[at], z[g->count + at], z[2 * g->count + at]);
        rest = fmax(rest, square_of(k, r[l], r[SHELL_GROUP + l], r[2 * SHELL_GROUP + l]));
        if (!(fast <= now)) now = fast, *element = t->element0 + g->element + at;
      }
    }
  }
  if (plan->share != NULL) agree_on_fastest(plan->share->net, &rest, &now, element);
  return now > 0.0 ? sqrt(rest / now) : 1.0;
}

/* ---- what is shown ---- */

double shell_lane_alpha(const shell_body *k, const shell_group *g, int lane, const double *z)
{
  double most = 0.0;
  for (int i = 0; i < (int)k->points; i++)
    most = fmax(most, z[(SHELL_Z_POINTS + SHELL_Z_POINT * i + 3) * (int64_t)g->count + place_of(g, lane)]);
  return most;
}

double shell_lane_mises(const shell_body *k, const shell_group *g, int lane, const double *z, const double G[3],
                        const double B[3])
{
  shell_eight metric[3], curve[3], E[3], K[3];
  double most = 0.0;
  for (int c = 0; c < 3; c++) LANEWISE metric[c][l] = G[c], curve[c][l] = B[c];
  strains(g, (const shell_eight *)metric, (const shell_eight *)curve, E, K);
  for (int i = 0; i < (int)k->points; i++) {
    shell_eight D[3], A, S;
    point p;
    for (int c = 0; c < 3; c++) load(g, z, SHELL_Z_POINTS + SHELL_Z_POINT * i + c, D[c]);
    strain((const shell_eight *)E, (const shell_eight *)K, (const shell_eight *)(const void *)g->rest,
           (const shell_eight *)D, k->level[i], &p);
    parts(k, &p, A, S);
    most = fmax(most, A[lane] + S[lane]);
  }
  return sqrt(most);
}
