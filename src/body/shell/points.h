/* body/shell/points.h  Sheets that flow, damp and break: the points through the thickness and the branches of LANES elements.  No
 * header guard: it is included behind formulas.h with the same REAL, LANES, FN(name), ROOT(x), and MASK, integers as wide as REAL.
 *
 * At the lever z the sheet has the metric C = G - z B.  A point keeps D, what the metric P = G0 + D of the unloaded sheet has
 * gained by flowing, and alpha.  With X = (G - G0) - z (B - B0) - D, m = P^-1 X/2, tau = tr m, dev = m - tau/2 and
 * kappa = -det dev,                                                                                            [mat 16]
 *
 *   W = E tau^2/(4 (1 - nu)) + 2 mu kappa,   s = 2 mu nu/(1 - nu) tau + 2 mu m,   S = s P^-1,
 *
 * which is the elastic law where D = 0.  Kinematic hardening is a second, incompressible sheet in parallel, whose strain is the
 * plastic one: with n = G0^-1 D, d = tr n + det n,                                                              [mat 23]
 *
 *   W_k = H_k/6 (tr n - d/(1 + d)),   beta = H_k/3 (n + d/(1 + d)).
 *
 * Flow by theta [mat 4] scales the mean of xi = s - beta by x and its deviator by y:                             [mat 17]
 *
 *   de = theta (x mean/2 + 3/2 y dev xi),   m* = m - de,   D += 2 P de (1 + 2 m*)^-1.
 *
 * Internal variables lie in columns of eight lanes: z[column][SHELL_GROUP]. */

#define INLINE         static inline __attribute__((always_inline))
#define AT(column)     (*(REAL *)(z + (int64_t)SHELL_GROUP * (column)))
#define KEPT(column)   (*(const REAL *)(z + (int64_t)SHELL_GROUP * (column)))
#define PICK           VVI_PICK
#define CONTRACT(a, b) ((a)[0] * (b)[0] + (a)[1] * (b)[1] + 2.0 * ((a)[2] * (b)[2]))

#include "model/return_lanes.h"

typedef struct FN(point) {
  REAL X[3], P[3], I[3]; /* I = P^-1 */
  REAL m11, m12, m21, m22, tau, kappa;
} FN(point);

/* m, tau, kappa of X and P^-1. */
INLINE void FN(point_mixed)(FN(point) * p)
{
  const REAL h0 = 0.5 * p->I[0], h1 = 0.5 * p->I[1], h2 = 0.5 * p->I[2];
  p->m11 = h0 * p->X[0] + h2 * p->X[2], p->m12 = h0 * p->X[2] + h2 * p->X[1];
  p->m21 = h2 * p->X[0] + h1 * p->X[2], p->m22 = h2 * p->X[2] + h1 * p->X[1];
  p->tau = p->m11 + p->m22;
  const REAL d = 0.5 * (p->m11 - p->m22);
  p->kappa = d * d + p->m12 * p->m21;
}

INLINE void FN(point_strain)(const REAL E[3], const REAL K[3], const REAL rest[3], const REAL D[3], double level,
                             FN(point) * p)
{
  for (int c = 0; c < 3; c++) p->X[c] = (E[c] - level * K[c]) - D[c], p->P[c] = rest[c] + D[c];
  const REAL over = 1.0 / (p->P[0] * p->P[1] - p->P[2] * p->P[2]);
  p->I[0] = over * p->P[1], p->I[1] = over * p->P[0], p->I[2] = -over * p->P[2];
  FN(point_mixed)(p);
}

INLINE void FN(point_stress)(const shell_body *k, const FN(point) * p, REAL S[3])
{
  const double two_mu = 2.0 * k->mu, trace = two_mu * k->poisson / (1.0 - k->poisson);
  const REAL a = trace * p->tau, s11 = a + two_mu * p->m11, s22 = a + two_mu * p->m22;
  const REAL s12 = two_mu * p->m12, s21 = two_mu * p->m21;
  S[0] = s11 * p->I[0] + s12 * p->I[2];
  S[1] = s21 * p->I[2] + s22 * p->I[1];
  S[2] = s11 * p->I[2] + s12 * p->I[1];
}

INLINE void FN(point_energy)(const shell_body *k, const FN(point) * p, REAL *W)
{
  *W = (k->young / (4.0 * (1.0 - k->poisson))) * (p->tau * p->tau) + (2.0 * k->mu) * p->kappa;
}

/* n = G0^-1 D (11, 12, 21, 22) and d/(1 + d). */
INLINE void FN(back_strain)(const REAL rest[3], const REAL D[3], REAL n[4], REAL *grown)
{
  const REAL over = 1.0 / (rest[0] * rest[1] - rest[2] * rest[2]);
  n[0] = over * (rest[1] * D[0] - rest[2] * D[2]), n[1] = over * (rest[1] * D[2] - rest[2] * D[1]);
  n[2] = over * (rest[0] * D[2] - rest[2] * D[0]), n[3] = over * (rest[0] * D[1] - rest[2] * D[2]);
  const REAL d = (n[0] + n[3]) + (n[0] * n[3] - n[1] * n[2]);
  *grown = d / (1.0 + d);
}

INLINE void FN(back_energy)(const shell_body *k, const REAL rest[3], const REAL D[3], REAL *W)
{
  REAL n[4], grown;
  FN(back_strain)(rest, D, n, &grown);
  *W += (k->plastic.kinematic / 6.0) * ((n[0] + n[3]) - grown);
}

/* xi: mean, then the deviator 11, 12, 21. */
INLINE void FN(point_over)(const shell_body *k, const FN(point) * p, const REAL rest[3], const REAL D[3], REAL xi[4])
{
  const double two_mu = 2.0 * k->mu, one = k->young / (2.0 * (1.0 - k->poisson));
  xi[0] = one * p->tau, xi[1] = (0.5 * two_mu) * (p->m11 - p->m22), xi[2] = two_mu * p->m12, xi[3] = two_mu * p->m21;
  if (!(k->plastic.kinematic > 0.0)) return;
  REAL n[4], grown;
  const double third = k->plastic.kinematic / 3.0;
  FN(back_strain)(rest, D, n, &grown);
  xi[0] -= third * (0.5 * (n[0] + n[3]) + grown), xi[1] -= (0.5 * third) * (n[0] - n[3]);
  xi[2] -= third * n[1], xi[3] -= third * n[2];
}

/* Squares of the two parts of the equivalent stress. */
INLINE void FN(point_parts)(const REAL xi[4], REAL *A, REAL *B)
{
  *A = xi[0] * xi[0];
  *B = 3.0 * (xi[1] * xi[1] + xi[2] * xi[3]);
}

/* D += 2 P de (1 + 2 m*)^-1, of which the symmetric part.                                                       [mat 17] */
INLINE void FN(point_grow)(const FN(point) * p, const REAL xi[4], const REAL *theta, const REAL *x, const REAL *y,
                           REAL D[3])
{
  const REAL mean = 0.5 * *theta * *x * xi[0], dev = 1.5 * *theta * *y;
  const REAL d11 = mean + dev * xi[1], d22 = mean - dev * xi[1], d12 = dev * xi[2], d21 = dev * xi[3];
  const REAL u11 = 2.0 * (p->P[0] * d11 + p->P[2] * d21), u22 = 2.0 * (p->P[2] * d12 + p->P[1] * d22);
  const REAL u12 = 2.0 * (p->P[0] * d12 + p->P[2] * d22);
  const REAL v11 = 1.0 + 2.0 * (p->m11 - d11), v22 = 1.0 + 2.0 * (p->m22 - d22);
  const REAL v12 = 2.0 * (p->m12 - d12), v21 = 2.0 * (p->m21 - d21), over = 1.0 / (v11 * v22 - v12 * v21);
  D[0] += over * (u11 * v22 - u12 * v21);
  D[1] += over * (u22 * v11 - u12 * v12);
  D[2] += 0.5 * over * ((u12 * v11 - u11 * v12) + (u12 * v22 - u22 * v21));
}

/* h A0: from rest[6] = det^(-3/2). */
INLINE void FN(volume)(const shell_body *k, const REAL rest[7], REAL *v)
{
  const REAL det = rest[0] * rest[1] - rest[2] * rest[2];
  *v = (0.5 * k->thickness / (SHELL_A * SHELL_A)) * ((det * det) * rest[6]);
}

/* N = h A0 sum w S, M = -1/2 h A0 sum w z S.                                                                    [mat 18] */
INLINE void FN(add_point)(const shell_body *k, int i, const REAL *volume, const REAL S[3], REAL N[3], REAL M[3])
{
  const double lever = -0.5 * k->level[i];
  const REAL w = k->weight[i] * *volume;
  for (int c = 0; c < 3; c++) {
    const REAL s = w * S[c];
    N[c] += s, M[c] += lever * s;
  }
}

/* Stress and energy of the points as they are; energy may be NULL. */
INLINE void FN(points_stress)(const shell_body *k, const REAL rest[7], const REAL E[3], const REAL K[3],
                              const double *z, REAL N[3], REAL M[3], REAL *energy)
{
  const REAL none = {0};
  REAL volume;
  FN(volume)(k, rest, &volume);
  for (int c = 0; c < 3; c++) N[c] = M[c] = none;
  if (energy != NULL) *energy = none;
  for (int i = 0; i < (int)k->points; i++) {
    const int column = SHELL_Z_POINTS + SHELL_Z_POINT * i;
    const REAL D[3] = {KEPT(column), KEPT(column + 1), KEPT(column + 2)};
    REAL S[3], W;
    FN(point) p;
    FN(point_strain)(E, K, rest, D, k->level[i], &p);
    FN(point_stress)(k, &p, S);
    FN(add_point)(k, i, &volume, S, N, M);
    if (energy == NULL) continue;
    FN(point_energy)(k, &p, &W);
    if (k->plastic.kinematic > 0.0) FN(back_energy)(k, rest, D, &W);
    *energy += (k->weight[i] * volume) * W;
  }
}

/* The same, and the lanes in which a point would leave its elastic domain. */
INLINE void FN(points_look)(const shell_body *k, const REAL rest[7], const REAL E[3], const REAL K[3], const double *z,
                            REAL N[3], REAL M[3], MASK *over)
{
  const REAL none = {0}, limit = k->plastic.yield * k->plastic.yield + none;
  REAL volume, square[SHELL_MOST_POINTS];
  MASK first = {0};
  FN(volume)(k, rest, &volume);
  for (int c = 0; c < 3; c++) N[c] = M[c] = none;
  for (int i = 0; i < (int)k->points; i++) {
    const int column = SHELL_Z_POINTS + SHELL_Z_POINT * i;
    const REAL D[3] = {KEPT(column), KEPT(column + 1), KEPT(column + 2)};
    REAL S[3], xi[4], A, B;
    FN(point) p;
    FN(point_strain)(E, K, rest, D, k->level[i], &p);
    FN(point_stress)(k, &p, S);
    FN(add_point)(k, i, &volume, S, N, M);
    FN(point_over)(k, &p, rest, D, xi);
    FN(point_parts)(xi, &A, &B);
    square[i] = A + B, first |= (MASK)(square[i] > limit);
  }
  *over = (MASK)(none > limit);
  if (!FN(any)(&first)) return; /* below the first yield stress, and it never falls */
  for (int i = 0; i < (int)k->points; i++) {
    REAL Y, H;
    FN(plastic_yield)(&k->plastic, &KEPT(SHELL_Z_POINTS + SHELL_Z_POINT * i + 3), &Y, &H);
    *over |= (MASK)(square[i] > Y * Y);
  }
}

/* What is known of the points of LANES elements while they flow. */
typedef struct FN(flowing) {
  FN(point) p[SHELL_MOST_POINTS];
  REAL D[SHELL_MOST_POINTS][3], xi[SHELL_MOST_POINTS][4], alpha[SHELL_MOST_POINTS];
  REAL A[SHELL_MOST_POINTS], B[SHELL_MOST_POINTS], Y[SHELL_MOST_POINTS], H[SHELL_MOST_POINTS];
  REAL theta[SHELL_MOST_POINTS], x[SHELL_MOST_POINTS], y[SHELL_MOST_POINTS], grown[SHELL_MOST_POINTS];
  MASK on[SHELL_MOST_POINTS];
} FN(flowing);

/* Trial states; true: some point of some element would leave its elastic domain.  real: lanes that are elements. */
INLINE int FN(points_try)(const shell_body *k, const REAL rest[7], const REAL E[3], const REAL K[3], const double *z,
                          const MASK *real, FN(flowing) * f)
{
  MASK any = {0}, first = {0};
  const REAL none = {0}, limit = k->plastic.yield * k->plastic.yield + none;
  const int points = (int)k->points;
  for (int i = 0; i < points; i++) {
    const int column = SHELL_Z_POINTS + SHELL_Z_POINT * i;
    for (int c = 0; c < 3; c++) f->D[i][c] = KEPT(column + c);
    FN(point_strain)(E, K, rest, f->D[i], k->level[i], &f->p[i]);
    FN(point_over)(k, &f->p[i], rest, f->D[i], f->xi[i]);
    FN(point_parts)(f->xi[i], &f->A[i], &f->B[i]);
    first |= (MASK)(f->A[i] + f->B[i] > limit);
  }
  first &= *real;
  if (!FN(any)(&first)) return 0; /* below the first yield stress, and it never falls */
  for (int i = 0; i < points; i++) {
    f->alpha[i] = KEPT(SHELL_Z_POINTS + SHELL_Z_POINT * i + 3);
    FN(plastic_yield)(&k->plastic, &f->alpha[i], &f->Y[i], &f->H[i]);
    f->on[i] = *real & (MASK)(f->A[i] + f->B[i] > f->Y[i] * f->Y[i]);
    any |= f->on[i];
  }
  return FN(any)(&any);
}

/* Sums over the points for the damage: half the work of the drift by the stresses before and after, energies, largest alpha, trace
 * of the strain. */
typedef struct FN(breaking) {
  REAL work[2], energy[2], alpha, tension;
} FN(breaking);

/* Damage of an element grows with the plastic strain of its worst point, while it is pulled; what the mean work of the stresses
 * leaves over after storing and flowing is its loss.                                                          [mat 14, 24] */
INLINE void FN(breaks)(const shell_body *k, const REAL rest[7], const FN(breaking) * all, const REAL *before,
                       REAL *damage, REAL lost[SHELL_LOSSES])
{
  const REAL none = {0}, one = none + 1.0, more = all->alpha - k->failure.strain, keep = 1.0 - *before;
  REAL size;
  FN(volume)(k, rest, &size);
  size *= sqrt(3.0) / k->thickness;
  ROOT(size);
  REAL wanted = PICK((MASK)(more > none) & (MASK)(all->tension > none), more * size * k->softening, none);
  wanted = PICK((MASK)(wanted < one), wanted, one);
  const MASK grows = (MASK)(wanted > *before);
  *damage = PICK(grows, wanted, *before);
  const REAL left = 1.0 - *damage;
  lost[0] *= 0.5 * (keep + left); /* then the rest is the mean energy times the growth */
  const REAL total = (keep * all->work[0] + left * all->work[1]) - (left * all->energy[1] - keep * all->energy[0]);
  lost[2] = PICK(grows, total - lost[0], none);
}

/* What is left of an element; nothing of a broken one. */
INLINE void FN(weaken)(const shell_body *k, const double *z, REAL N[3], REAL M[3], REAL *energy)
{
  const REAL none = {0}, left = 1.0 - KEPT(shell_damage_column(k));
  const MASK some = (MASK)(left > none);
  for (int c = 0; c < 3; c++) N[c] = PICK(some, left * N[c], none), M[c] = PICK(some, left * M[c], none);
  if (energy != NULL) *energy = PICK(some, left * *energy, none);
}

/* Points flow; E0, K0: strains before the drift.  work: [mat 2] in the form 1/4 (S0 + S1):(C1 - C0) - (W1 - W0), taken only
 * where a point flows.  N, M: of the stresses after it.  all: filled where the body can break. */
INLINE void FN(points_flow)(const shell_body *k, double h, const REAL rest[7], const REAL E0[3], const REAL K0[3],
                            const REAL E[3], const REAL K[3], double *z, FN(flowing) * f, REAL N[3], REAL M[3],
                            REAL *work, FN(breaking) * all)
{
  const int points = (int)k->points;
  const REAL none = {0};
  REAL volume;
  FN(volume)(k, rest, &volume);
  for (int c = 0; c < 3; c++) N[c] = M[c] = none;
  const double a = k->young / (2.0 * (1.0 - k->poisson)) + k->plastic.kinematic, b = 3.0 * k->mu + k->plastic.kinematic;
  if (k->plastic.rate_law == VVI_NO_RATE)
    FN(plastic_rounds)(a, b, points, f->A, f->B, f->Y, f->H, f->on, f->theta, f->x, f->y, f->grown);
  else
    FN(plastic_rounds_rate)(&k->plastic, a, b, points, h, f->A, f->B, f->alpha, f->on, f->theta, f->x, f->y, f->grown);
  for (int i = 0; i < points; i++) {
    const int column = SHELL_Z_POINTS + SHELL_Z_POINT * i;
    const double level = k->level[i];
    FN(point) before = f->p[i], after;
    REAL S0[3], S1[3], W0, W1, D[3], dC[3];
    for (int c = 0; c < 3; c++) {
      before.X[c] = (E0[c] - level * K0[c]) - f->D[i][c];
      dC[c] = (E[c] - E0[c]) - level * (K[c] - K0[c]);
      D[c] = f->D[i][c];
    }
    FN(point_mixed)(&before);
    FN(point_stress)(k, &before, S0);
    FN(point_energy)(k, &before, &W0);
    FN(point_grow)(&f->p[i], f->xi[i], &f->theta[i], &f->x[i], &f->y[i], D);
    const MASK flows = (MASK)(f->grown[i] > none);
    for (int c = 0; c < 3; c++) D[c] = PICK(flows, D[c], f->D[i][c]);
    FN(point_strain)(E, K, rest, D, level, &after); /* as whoever comes later finds it, to the bit */
    FN(point_stress)(k, &after, S1);
    FN(point_energy)(k, &after, &W1);
    if (k->plastic.kinematic > 0.0) FN(back_energy)(k, rest, f->D[i], &W0), FN(back_energy)(k, rest, D, &W1);
    FN(add_point)(k, i, &volume, S1, N, M);
    const REAL w = k->weight[i] * volume, alpha = f->alpha[i] + f->grown[i];
    if (shell_can_break(k)) {
      all->work[0] += (0.25 * w) * CONTRACT(S0, dC), all->work[1] += (0.25 * w) * CONTRACT(S1, dC);
      all->energy[0] += w * W0, all->energy[1] += w * W1, all->tension += w * after.tau;
      all->alpha = PICK((MASK)(alpha > all->alpha), alpha, all->alpha);
    }
    for (int c = 0; c < 3; c++) S0[c] += S1[c], AT(column + c) = D[c];
    AT(column + 3) = alpha;
    const REAL posted = w * (0.25 * CONTRACT(S0, dC) - (W1 - W0));
    *work += PICK(flows, posted, none);
  }
}

/* The points stay as they are. */
INLINE void FN(points_hold)(const shell_body *k, const REAL rest[7], const FN(flowing) * f, REAL N[3], REAL M[3])
{
  const REAL none = {0};
  REAL volume;
  FN(volume)(k, rest, &volume);
  for (int c = 0; c < 3; c++) N[c] = M[c] = none;
  for (int i = 0; i < (int)k->points; i++) {
    REAL S[3];
    FN(point_stress)(k, &f->p[i], S);
    FN(add_point)(k, i, &volume, S, N, M);
  }
}

/* ---- branches ---- */

INLINE void FN(elastic)(const shell_body *k, const REAL rest[7], const REAL E[3], const REAL K[3], REAL N[3], REAL M[3])
{
  const REAL g[3] = {rest[1], rest[0], -rest[2]}, membrane = k->membrane * rest[6], bend = k->bend * rest[6];
  FN(plane)(k->poisson, g, E, N);
  FN(plane)(k->poisson, g, K, M);
  for (int c = 0; c < 3; c++) N[c] *= membrane, M[c] *= bend;
}

/* Stress of sum_k g_k (strain - e_k), energy of each. */
INLINE void FN(branches_stress)(const shell_body *k, const REAL rest[7], const REAL E[3], const REAL K[3],
                                const double *z, REAL N[3], REAL M[3], REAL *energy)
{
  for (int b = 0; b < (int)k->damping.branches; b++) {
    const int column = shell_branch_column(k, b);
    const double part = k->damping.part[b];
    REAL e[3], f[3], n[3], m[3];
    for (int c = 0; c < 3; c++) e[c] = E[c] - KEPT(column + c), f[c] = K[c] - KEPT(column + 3 + c);
    FN(elastic)(k, rest, e, f, n, m);
    for (int c = 0; c < 3; c++) N[c] += part * n[c], M[c] += part * m[c];
    if (energy != NULL) *energy += part * (0.25 * CONTRACT(n, e) + 0.5 * CONTRACT(m, f));
  }
}

/* [mat 9] with the elastic law for the product of mean and increment. */
INLINE void FN(branches_flow)(const shell_body *k, double h, const REAL rest[7], const REAL E0[3], const REAL K0[3],
                              const REAL E[3], const REAL K[3], double *z, REAL *loss)
{
  for (int b = 0; b < (int)k->damping.branches; b++) {
    const double r = 0.5 * h / k->damping.time[b], keep = 1.0 - r, over = 1.0 / (1.0 + r);
    const int column = shell_branch_column(k, b);
    REAL e[3], f[3], de[3], df[3], n[3], m[3];
    for (int c = 0; c < 3; c++) {
      const REAL e0 = AT(column + c), f0 = AT(column + 3 + c);
      const REAL e1 = (keep * e0 + r * (E0[c] + E[c])) * over, f1 = (keep * f0 + r * (K0[c] + K[c])) * over;
      AT(column + c) = e1, AT(column + 3 + c) = f1;
      de[c] = e1 - e0, df[c] = f1 - f0;
      e[c] = 0.5 * ((E0[c] - e0) + (E[c] - e1)), f[c] = 0.5 * ((K0[c] - f0) + (K[c] - f1));
    }
    FN(elastic)(k, rest, e, f, n, m);
    *loss += k->damping.part[b] * (0.5 * CONTRACT(n, de) + CONTRACT(m, df));
  }
}

/* ---- a group that never flowed ---- */

/* Does it begin to?  Only the outer points can be first, because the equivalent stress squared is convex in z.  Both sides times
 * det^2; the products are those of the stress. */
INLINE void FN(begins)(const shell_body *k, const REAL rest[7], const REAL G[3], const REAL B[3], MASK *out)
{
  const REAL g[3] = {rest[1], rest[0], -rest[2]};
  const REAL E[3] = {G[0] - rest[0], G[1] - rest[1], G[2] - rest[2]};
  const REAL K[3] = {B[0] - rest[3], B[1] - rest[4], B[2] - rest[5]};
  const REAL e11 = g[0] * E[0] + g[2] * E[2], e21 = g[2] * E[0] + g[1] * E[2];
  const REAL e12 = g[0] * E[2] + g[2] * E[1], e22 = g[2] * E[2] + g[1] * E[1];
  const REAL k11 = g[0] * K[0] + g[2] * K[2], k21 = g[2] * K[0] + g[1] * K[2];
  const REAL k12 = g[0] * K[2] + g[2] * K[1], k22 = g[2] * K[2] + g[1] * K[1];
  const double one = 0.25 * k->young / (1.0 - k->poisson), a = one * one, b = 3.0 * (k->mu * k->mu);
  const REAL det = rest[0] * rest[1] - rest[2] * rest[2], limit = (k->plastic.yield * det) * (k->plastic.yield * det);
  const double level = k->level[0];
  const REAL t = e11 + e22, tk = level * (k11 + k22), d = 0.5 * (e11 - e22), dk = (0.5 * level) * (k11 - k22);
  const REAL o = level * k12, u = level * k21, t1 = t - tk, t2 = t + tk, d1 = d - dk, d2 = d + dk;
  const REAL one_side = a * (t1 * t1) + b * (d1 * d1 + (e12 - o) * (e21 - u));
  const REAL other = a * (t2 * t2) + b * (d2 * d2 + (e12 + o) * (e21 + u));
  *out = (MASK)(one_side > limit) | (MASK)(other > limit);
}

/* Stress and response of elements of a group that never flowed, and whether some of them begin to. */
INLINE void FN(virgin)(const shell_body *k, const REAL S[5][3], const REAL rest[7], REAL s1[3], REAL s2[3], REAL n[3],
                       REAL b[3], MASK *begin)
{
  REAL G[3], B[3], inverse, N[3], M[3];
  FN(measure)(S[0], S[1], S[2], S[3], S[4], G, B, n, &inverse);
  FN(begins)(k, rest, G, B, begin);
  FN(stress_stvk)(k, rest, G, B, N, M);
  FN(respond)(S[0], S[1], S[2], S[3], S[4], G, n, &inverse, N, M, s1, s2, b);
}

/* ---- all of it ---- */

INLINE void FN(strains)(const REAL rest[7], const REAL G[3], const REAL B[3], REAL E[3], REAL K[3])
{
  for (int c = 0; c < 3; c++) E[c] = G[c] - rest[c], K[c] = B[c] - rest[3 + c];
}

/* Stress and energy of a group that has flowed, or has branches; energy may be NULL. */
INLINE void FN(sheet_stress)(const shell_body *k, bool flowed, const REAL rest[7], const REAL G[3], const REAL B[3],
                             const double *z, REAL N[3], REAL M[3], REAL *energy)
{
  REAL E[3], K[3];
  FN(strains)(rest, G, B, E, K);
  if (flowed)
    FN(points_stress)(k, rest, E, K, z, N, M, energy);
  else {
    FN(elastic)(k, rest, E, K, N, M);
    if (energy != NULL) *energy = 0.25 * CONTRACT(N, E) + 0.5 * CONTRACT(M, K);
  }
  if (k->damping.branches > 0.0) FN(branches_stress)(k, rest, E, K, z, N, M, energy);
  if (flowed && shell_can_break(k)) FN(weaken)(k, z, N, M, energy);
}

/* After a drift in which no point of a group that has flowed may flow: N and M; over: lanes that it is wrong for. */
INLINE void FN(sheet_look)(const shell_body *k, const REAL rest[7], const REAL G[3], const REAL B[3], const double *z,
                           REAL N[3], REAL M[3], MASK *over)
{
  REAL E[3], K[3];
  FN(strains)(rest, G, B, E, K);
  FN(points_look)(k, rest, E, K, z, N, M, over);
  if (shell_can_break(k)) FN(weaken)(k, z, N, M, NULL);
}

/* After a drift of length h: internal variables follow, then N and M.  old: G and B before the drift; NULL: those noted.  loss:
 * what was lost is added.  Returns whether some point flowed. */
INLINE int FN(sheet_flow)(const shell_body *k, double h, bool flowed, const REAL rest[7], const REAL G[3],
                          const REAL B[3], const REAL (*old)[3], const MASK *real, double *z, REAL N[3], REAL M[3],
                          REAL loss[SHELL_LOSSES])
{
  const REAL none = {0};
  const bool can_break = flowed && shell_can_break(k);
  REAL E[3], K[3], E0[3], K0[3], lost[SHELL_LOSSES] = {none, none, none};
  FN(breaking) all = {.alpha = none};
  MASK live = *real;
  int flows = 0;
  if (h == 0.0) live = (MASK)(none > none);
  if (can_break) live &= (MASK)(KEPT(shell_damage_column(k)) < none + 1.0);
  FN(strains)(rest, G, B, E, K);
  for (int c = 0; c < 3; c++) {
    E0[c] = (old != NULL ? old[0][c] : KEPT(SHELL_Z_METRIC + c)) - rest[c];
    K0[c] = (old != NULL ? old[1][c] : KEPT(SHELL_Z_CURVATURE + c)) - rest[3 + c];
  }
  if (flowed) {
    FN(flowing) f;
    flows = FN(points_try)(k, rest, E, K, z, &live, &f);
    if (flows)
      FN(points_flow)(k, h, rest, E0, K0, E, K, z, &f, N, M, &lost[0], &all);
    else
      FN(points_hold)(k, rest, &f, N, M);
  } else
    FN(elastic)(k, rest, E, K, N, M);
  if (k->damping.branches > 0.0) {
    FN(branches_flow)(k, h, rest, E0, K0, E, K, z, &lost[1]);
    FN(branches_stress)(k, rest, E, K, z, N, M, NULL);
  }
  if (can_break && flows) {
    const REAL before = KEPT(shell_damage_column(k));
    REAL after;
    FN(breaks)(k, rest, &all, &before, &after, lost);
    AT(shell_damage_column(k)) = PICK(live, after, before);
  }
  if (can_break) FN(weaken)(k, z, N, M, NULL);
  for (int i = 0; i < SHELL_LOSSES; i++) loss[i] += PICK(live, lost[i], none);
  AT(SHELL_Z_LOST) += PICK(live, (lost[0] + lost[1]) + lost[2], none);
  for (int c = 0; c < 3; c++) AT(SHELL_Z_METRIC + c) = G[c], AT(SHELL_Z_CURVATURE + c) = B[c];
  return flows;
}

#undef INLINE
#undef AT
#undef KEPT
#undef PICK
#undef CONTRACT
