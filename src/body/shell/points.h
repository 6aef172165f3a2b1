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
 * Internal variables lie in columns of eight lanes: z[column][SHELL_GROUP].  Accelerators compile the same text, as OpenCL C, with
 * VVI_ONE_LANE. */

#define INLINE static inline __attribute__((always_inline))
#ifndef VVI_ONE_LANE /* kernels set these: they know how many points there are, and hold the columns of one element */
#undef POINTS
#undef POINT_ROOM
#undef STEP
#define POINTS(k)  ((int)(k)->points)
#define POINT_ROOM SHELL_MOST_POINTS
#define STEP       SHELL_GROUP
#endif
#define AT(column)     (*(REAL *)(z + (int64_t)STEP * (column)))
#define KEPT(column)   (*(const REAL *)(z + (int64_t)STEP * (column)))
#define PICK           VVI_PICK
#define CONTRACT(a, b) ((a)[0] * (b)[0] + (a)[1] * (b)[1] + 2.0 * ((a)[2] * (b)[2]))

#ifndef VVI_ONE_LANE
#include "model/return_lanes.h"
#endif

/* What the points of LANES elements know of themselves.  With J = det(P) P^-1, T = J X and o = 1/det P it is m = o T/2. */
typedef struct FN(points) {
  REAL P[POINT_ROOM][3], T[POINT_ROOM][4], o[POINT_ROOM]; /* T: 11, 12, 21, 22 */
} FN(points);

INLINE void FN(points_measure)(SHELL_SPACE const shell_body *k, const REAL rest[3], const REAL E[3], const REAL K[3],
                               const double *z, FN(points) * f)
{
  const int points = POINTS(k);
  for (int i = 0; i < points; i++) {
    const int column = shell_point_column(i);
    const double level = k->level[i];
    REAL X[3], P[3], *T = f->T[i];
    for (int c = 0; c < 3; c++) {
      const REAL D = KEPT(column + c);
      X[c] = (E[c] - level * K[c]) - D, P[c] = rest[c] + D;
      f->P[i][c] = P[c];
    }
    f->o[i] = P[0] * P[1] - P[2] * P[2];
    T[0] = P[1] * X[0] - P[2] * X[2], T[1] = P[1] * X[2] - P[2] * X[1];
    T[2] = P[0] * X[2] - P[2] * X[0], T[3] = P[0] * X[1] - P[2] * X[2];
  }
  FN(invert)(points, f->o);
}

/* t = T11 + T22 and -det of the deviator of T. */
INLINE void FN(point_invariants)(const REAL T[4], REAL *t, REAL *kappa)
{
  const REAL d = 0.5 * (T[0] - T[3]);
  *t = T[0] + T[3], *kappa = d * d + T[1] * T[2];
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

/* xi: mean, then the deviator 11, 12, 21. */
INLINE void FN(point_over)(SHELL_SPACE const shell_body *k, const FN(points) * f, int i, const REAL rest[3],
                           const double *z, REAL xi[4])
{
  const REAL *T = f->T[i], shear = k->mu * f->o[i];
  xi[0] = (k->mean * f->o[i]) * (T[0] + T[3]), xi[1] = (0.5 * shear) * (T[0] - T[3]);
  xi[2] = shear * T[1], xi[3] = shear * T[2];
  if (!(k->plastic.kinematic > 0.0)) return;
  const int column = shell_point_column(i);
  const REAL D[3] = {KEPT(column), KEPT(column + 1), KEPT(column + 2)};
  REAL n[4], grown;
  const double third = k->plastic.kinematic / 3.0;
  FN(back_strain)(rest, D, n, &grown);
  xi[0] -= third * (0.5 * (n[0] + n[3]) + grown), xi[1] -= (0.5 * third) * (n[0] - n[3]);
  xi[2] -= third * n[1], xi[3] -= third * n[2];
}

/* Squares of the two parts of the equivalent stress. */
INLINE void FN(point_parts)(SHELL_SPACE const shell_body *k, const FN(points) * f, int i, const REAL rest[3],
                            const double *z, REAL *A, REAL *B)
{
  if (k->plastic.kinematic > 0.0) {
    REAL xi[4];
    FN(point_over)(k, f, i, rest, z, xi);
    *A = xi[0] * xi[0], *B = 3.0 * (xi[1] * xi[1] + xi[2] * xi[3]);
    return;
  }
  REAL t, kappa;
  FN(point_invariants)(f->T[i], &t, &kappa);
  const REAL square = f->o[i] * f->o[i];
  *A = (k->mean * k->mean) * (square * (t * t)), *B = (3.0 * (k->mu * k->mu)) * (square * kappa);
}

/* h A0: from rest[6] = det^(-3/2). */
INLINE void FN(volume)(SHELL_SPACE const shell_body *k, const REAL rest[7], REAL *v)
{
  const REAL det = rest[0] * rest[1] - rest[2] * rest[2];
  *v = (0.5 * k->thickness / (SHELL_A * SHELL_A)) * ((det * det) * rest[6]);
}

/* N = h A0 sum w S, M = -1/2 h A0 sum w z S, S = mu o^2 (nu/(1 - nu) t + T) J.                                     [mat 18] */
INLINE void FN(points_sum)(SHELL_SPACE const shell_body *k, const FN(points) * f, const REAL *volume, REAL N[3],
                           REAL M[3])
{
  const REAL none = {0}, whole = k->mu * *volume;
  REAL n[3] = {none, none, none}, m[3] = {none, none, none};
  for (int i = 0; i < POINTS(k); i++) {
    const double lever = -0.5 * k->level[i];
    const REAL *T = f->T[i], *P = f->P[i], a = k->trace * (T[0] + T[3]), s11 = a + T[0], s22 = a + T[3];
    const REAL w = (k->weight[i] * whole) * (f->o[i] * f->o[i]);
    const REAL S[3] = {s11 * P[1] - T[1] * P[2], s22 * P[0] - T[2] * P[2], T[1] * P[0] - s11 * P[2]};
    for (int c = 0; c < 3; c++) {
      const REAL s = w * S[c];
      n[c] += s, m[c] += lever * s;
    }
  }
  for (int c = 0; c < 3; c++) N[c] = n[c], M[c] = m[c];
}

/* What kinematic hardening stores at a point. */
INLINE void FN(back_energy)(SHELL_SPACE const shell_body *k, int i, const REAL rest[3], const double *z, REAL *W)
{
  const int column = shell_point_column(i);
  const REAL D[3] = {KEPT(column), KEPT(column + 1), KEPT(column + 2)};
  REAL n[4], grown;
  FN(back_strain)(rest, D, n, &grown);
  *W += (k->plastic.kinematic / 6.0) * ((n[0] + n[3]) - grown);
}

/* What is stored. */
INLINE void FN(points_energy)(SHELL_SPACE const shell_body *k, const FN(points) * f, const REAL rest[3],
                              const double *z, const REAL *volume, REAL *energy)
{
  const double one = 0.25 * k->mean, two = 0.5 * k->mu;
  REAL sum = {0};
  for (int i = 0; i < POINTS(k); i++) {
    REAL t, kappa;
    FN(point_invariants)(f->T[i], &t, &kappa);
    REAL W = (f->o[i] * f->o[i]) * (one * (t * t) + two * kappa);
    if (k->plastic.kinematic > 0.0) FN(back_energy)(k, i, rest, z, &W);
    sum += k->weight[i] * W;
  }
  *energy = *volume * sum;
}

/* Stress and energy of the points as they are; energy may be NULL. */
INLINE void FN(points_stress)(SHELL_SPACE const shell_body *k, const REAL rest[7], const REAL E[3], const REAL K[3],
                              const double *z, REAL N[3], REAL M[3], REAL *energy)
{
  FN(points) f;
  REAL volume;
  FN(volume)(k, rest, &volume);
  FN(points_measure)(k, rest, E, K, z, &f);
  FN(points_sum)(k, &f, &volume, N, M);
  if (energy != NULL) FN(points_energy)(k, &f, rest, z, &volume, energy);
}

/* What is known of the points of LANES elements while they flow. */
typedef struct FN(flowing) {
  FN(points) p;
  REAL alpha[POINT_ROOM];
  REAL A[POINT_ROOM], B[POINT_ROOM], Y[POINT_ROOM], H[POINT_ROOM];
  REAL theta[POINT_ROOM], x[POINT_ROOM], y[POINT_ROOM], grown[POINT_ROOM];
  MASK on[POINT_ROOM];
} FN(flowing);

/* Has a layer more left of its area at rest than what is flat?  det C = det P det(1 + 2 m), and both factors of the second have
 * its sign only where their sum is above zero.                                                                [mat 17a] */
INLINE void FN(point_stands)(const FN(points) * f, int i, const REAL rest[3], MASK *out)
{
  const REAL none = {0}, *T = f->T[i], o = f->o[i], u = 1.0 + o * T[0], v = 1.0 + o * T[3];
  const REAL flat = (SHELL_FLAT * SHELL_FLAT) * (o * (rest[0] * rest[1] - rest[2] * rest[2]));
  *out = (MASK)(u * v - (o * o) * (T[1] * T[2]) > flat) & (MASK)(u + v > none);
}

/* Which points of which elements would leave their elastic domain, and may; true: some.  real: lanes that are elements. */
INLINE int FN(points_look)(SHELL_SPACE const shell_body *k, const REAL rest[7], const double *z, const MASK *real,
                           FN(flowing) * f)
{
  MASK any = {0}, first = {0};
  const REAL none = {0}, limit = k->plastic.yield * k->plastic.yield + none;
  const int points = POINTS(k);
  for (int i = 0; i < points; i++) {
    FN(point_parts)(k, &f->p, i, rest, z, &f->A[i], &f->B[i]);
    first |= (MASK)(f->A[i] + f->B[i] > limit);
  }
  first &= *real;
  if (!FN(any)(&first)) return 0; /* below the first yield stress, and it never falls */
  for (int i = 0; i < points; i++) {
    f->alpha[i] = KEPT(shell_alpha_column(k, i));
    FN(plastic_yield)(&k->plastic, &f->alpha[i], &f->Y[i], &f->H[i]);
    MASK stands;
    FN(plastic_on)(&f->A[i], &f->B[i], &f->Y[i], &f->on[i]);
    FN(point_stands)(&f->p, i, rest, &stands);
    f->on[i] &= *real & stands, any |= f->on[i];
  }
  return FN(any)(&any);
}

/* D += 2 P de (1 + 2 m*)^-1, of which the symmetric part, and alpha.                                            [mat 17] */
INLINE void FN(points_grow)(SHELL_SPACE const shell_body *k, const FN(flowing) * f, const REAL rest[3], double *z)
{
  const REAL none = {0}, one = none + 1.0;
  REAL more[POINT_ROOM][3], over[POINT_ROOM];
  for (int i = 0; i < POINTS(k); i++) {
    const REAL *P = f->p.P[i], *T = f->p.T[i], o = f->p.o[i];
    REAL xi[4];
    FN(point_over)(k, &f->p, i, rest, z, xi);
    const REAL mean = f->theta[i] * f->x[i] * xi[0], dev = 3.0 * (f->theta[i] * f->y[i]), d = dev * xi[1];
    const REAL d11 = mean + d, d22 = mean - d, d12 = dev * xi[2], d21 = dev * xi[3]; /* 2 de */
    const REAL u11 = P[0] * d11 + P[2] * d21, u22 = P[2] * d12 + P[1] * d22, u12 = P[0] * d12 + P[2] * d22;
    const REAL v11 = 1.0 + (o * T[0] - d11), v22 = 1.0 + (o * T[3] - d22), v12 = o * T[1] - d12, v21 = o * T[2] - d21;
    more[i][0] = u11 * v22 - u12 * v21, more[i][1] = u22 * v11 - u12 * v12;
    more[i][2] = 0.5 * ((u12 * v11 - u11 * v12) + (u12 * v22 - u22 * v21));
    over[i] = PICK((MASK)(f->grown[i] > none), v11 * v22 - v12 * v21, one);
  }
  FN(invert)(POINTS(k), over);
  for (int i = 0; i < POINTS(k); i++) {
    const int column = shell_point_column(i);
    const MASK flows = (MASK)(f->grown[i] > none);
    for (int c = 0; c < 3; c++) AT(column + c) += PICK(flows, over[i] * more[i][c], none);
    AT(shell_alpha_column(k, i)) = f->alpha[i] + f->grown[i];
  }
}

/* Sums over the points: what the damage asks for. */
typedef struct FN(breaking) {
  REAL free[2];        /* J: energy less half the work of the drift, before and after the flow */
  REAL alpha, tension; /* the largest; trace of the strain */
  MASK flows;          /* lanes in which some point does */
} FN(breaking);

/* Half the work of a drift by the stresses N, M. */
INLINE void FN(half_work)(const REAL N[3], const REAL M[3], const REAL dE[3], const REAL dK[3], REAL *work)
{
  *work = 0.25 * CONTRACT(N, dE) + 0.5 * CONTRACT(M, dK);
}

/* Energies per volume before the flow, and after it where nothing hardens kinematically: the parts shrink by x and y. */
INLINE void FN(points_dropped)(SHELL_SPACE const shell_body *k, const FN(flowing) * f, const REAL rest[3],
                               const double *z, REAL energy[2])
{
  const double one = 0.25 / k->mean, two = 1.0 / (6.0 * k->mu);
  energy[0] = energy[1] = (REAL){0};
  if (k->plastic.kinematic > 0.0) {
    const REAL whole = energy[0] + 1.0;
    FN(points_energy)(k, &f->p, rest, z, &whole, &energy[0]);
    return;
  }
  for (int i = 0; i < POINTS(k); i++) {
    const REAL A = one * f->A[i], B = two * f->B[i], x = f->x[i], y = f->y[i];
    energy[0] += k->weight[i] * (A + B), energy[1] += k->weight[i] * (A * (x * x) + B * (y * y));
  }
}

/* Lanes that do not flow after all: their points are what they were. */
INLINE void FN(points_take_back)(SHELL_SPACE const shell_body *k, const MASK *lane, REAL was[][3], double *z,
                                 FN(flowing) * f)
{
  const REAL none = {0};
  for (int i = 0; i < POINTS(k); i++) {
    const int column = shell_point_column(i), alpha = shell_alpha_column(k, i);
    for (int c = 0; c < 3; c++) AT(column + c) = PICK(*lane, was[i][c], AT(column + c));
    AT(alpha) = PICK(*lane, f->alpha[i], AT(alpha));
    f->grown[i] = PICK(*lane, none, f->grown[i]);
  }
}

/* Points flow; dE, dK: what the drift has added to the strains.  As long as no point flows the mean work of the stresses is what is
 * stored, exactly, because energies are quadratic.  So the mean work of S0 and S1 less what is stored, [mat 2], is            [mat 18a]
 *
 *   (U - 1/4 N:dE - 1/2 M:dK) before the flow, at the end of the drift, less the same after it,
 *
 * and nothing need be known of the beginning.  An element for which that is below zero, because its stress has turned round within
 * the step, flows a step later.  N, M: after the flow. */
INLINE void FN(points_flow)(SHELL_SPACE const shell_body *k, double h, const REAL rest[7], const REAL E[3],
                            const REAL K[3], const REAL dE[3], const REAL dK[3], double *z, FN(flowing) * f, REAL N[3],
                            REAL M[3], REAL *work, FN(breaking) * all)
{
  const int points = POINTS(k);
  const REAL none = {0}, one = none + 1.0;
  const double a = 2.0 * k->mean + k->plastic.kinematic, b = 3.0 * k->mu + k->plastic.kinematic;
  REAL volume, energy[2], worked, before[2][3], was[POINT_ROOM][3];
  MASK flows = {0}, gives;
  FN(volume)(k, rest, &volume);
  for (int i = 0; i < points; i++)
    for (int c = 0; c < 3; c++) was[i][c] = KEPT(shell_point_column(i) + c);
  if (k->plastic.rate_law == VVI_NO_RATE)
    FN(plastic_rounds)(a, b, points, f->A, f->B, f->Y, f->H, f->on, f->theta, f->x, f->y, f->grown);
  else
    FN(plastic_rounds_rate)
  (&k->plastic, a, b, points, h, f->A, f->B, f->Y, f->H, f->on, f->theta, f->x, f->y, f->grown);
  FN(points_sum)(k, &f->p, &volume, before[0], before[1]); /* while roots and quotients are on their way */
  FN(half_work)(before[0], before[1], dE, dK, &worked);
  FN(points_dropped)(k, f, rest, z, energy);
  all->free[0] = volume * energy[0] - worked;
  FN(points_grow)(k, f, rest, z);
  FN(points_measure)(k, rest, E, K, z, &f->p); /* as whoever comes later finds it, to the bit */
  FN(points_sum)(k, &f->p, &volume, N, M);
  FN(half_work)(N, M, dE, dK, &worked);
  if (k->plastic.kinematic > 0.0) FN(points_energy)(k, &f->p, rest, z, &one, &energy[1]);
  all->free[1] = volume * energy[1] - worked;
  for (int i = 0; i < points; i++) flows |= (MASK)(f->grown[i] > none);
  *work = PICK(flows, all->free[0] - all->free[1], none);
  gives = (MASK)(*work < none);
  if (FN(any)(&gives)) {
    FN(points_take_back)(k, &gives, was, z, f);
    for (int c = 0; c < 3; c++) N[c] = PICK(gives, before[0][c], N[c]), M[c] = PICK(gives, before[1][c], M[c]);
    *work = PICK(gives, none, *work), flows &= ~gives;
  }
  all->flows = flows;
  for (int i = 0; shell_can_break(k) && i < points; i++) {
    const REAL alpha = f->alpha[i] + f->grown[i];
    all->alpha = PICK((MASK)(alpha > all->alpha), alpha, all->alpha);
    all->tension += k->weight[i] * (f->p.o[i] * (f->p.T[i][0] + f->p.T[i][3]));
  }
}

/* Damage of an element grows with the plastic strain of its worst point, while it is pulled; what the mean work of the stresses
 * leaves over after storing and flowing is its loss.                                                     [mat 14, 14b, 24] */
INLINE void FN(breaks)(SHELL_SPACE const shell_body *k, const REAL rest[7], const FN(breaking) * all,
                       const REAL *before, REAL *damage, REAL lost[SHELL_LOSSES])
{
  const REAL none = {0}, keep = 1.0 - *before;
  REAL size, worst;
  FN(volume)(k, rest, &size);
  size *= sqrt(3.0) / k->thickness;
  ROOT(size);
  FN(plastic_damage)(&k->plastic, &k->failure, &size, &all->alpha, &worst);
  const REAL wanted = PICK((MASK)(all->tension > none), worst, none);
  const MASK grows = all->flows & (MASK)(wanted > *before); /* whatever the elements beside it do */
  *damage = PICK(grows, wanted, *before);
  const REAL left = 1.0 - *damage;
  lost[0] *= 0.5 * (keep + left); /* then the rest is the mean energy times the growth */
  lost[2] = PICK(grows, (keep * all->free[0] - left * all->free[1]) - lost[0], none);
}

/* What is left of an element; nothing of a broken one. */
INLINE void FN(weaken)(SHELL_SPACE const shell_body *k, const double *z, REAL N[3], REAL M[3], REAL *energy)
{
  const REAL none = {0}, left = 1.0 - KEPT(shell_damage_column(k));
  const MASK some = (MASK)(left > none);
  for (int c = 0; c < 3; c++) N[c] = PICK(some, left * N[c], none), M[c] = PICK(some, left * M[c], none);
  if (energy != NULL) *energy = PICK(some, left * *energy, none);
}

/* ---- branches ---- */

INLINE void FN(elastic)(SHELL_SPACE const shell_body *k, const REAL rest[7], const REAL E[3], const REAL K[3],
                        REAL N[3], REAL M[3])
{
  const REAL g[3] = {rest[1], rest[0], -rest[2]}, membrane = k->membrane * rest[6], bend = k->bend * rest[6];
  FN(plane)(k->poisson, g, E, N);
  FN(plane)(k->poisson, g, K, M);
  for (int c = 0; c < 3; c++) N[c] *= membrane, M[c] *= bend;
}

/* Stress of sum_k g_k (strain - e_k), energy of each. */
INLINE void FN(branches_stress)(SHELL_SPACE const shell_body *k, const REAL rest[7], const REAL E[3], const REAL K[3],
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
INLINE void FN(branches_flow)(SHELL_SPACE const shell_body *k, double h, const REAL rest[7], const REAL E0[3],
                              const REAL K0[3], const REAL E[3], const REAL K[3], double *z, REAL *loss)
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
INLINE void FN(begins)(SHELL_SPACE const shell_body *k, const REAL rest[7], const REAL G[3], const REAL B[3], MASK *out)
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
  const REAL larger = PICK((MASK)(one_side > other), one_side, other);
  *out = (MASK)(larger > limit); /* one comparison: compilers take two apart into lanes */
}

/* Stress and response of elements of a group that never flowed, and whether some of them begin to. */
INLINE void FN(virgin)(SHELL_SPACE const shell_body *k, const REAL S[5][3], const REAL rest[7], REAL s1[3], REAL s2[3],
                       REAL n[3], REAL b[3], MASK *begin)
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
INLINE void FN(sheet_stress)(SHELL_SPACE const shell_body *k, bool flowed, const REAL rest[7], const REAL G[3],
                             const REAL B[3], const double *z, REAL N[3], REAL M[3], REAL *energy)
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

/* After a drift in which no point of a group that has flowed may flow: N and M; over: some lane for which it is wrong. */
INLINE int FN(sheet_look)(SHELL_SPACE const shell_body *k, const REAL rest[7], const REAL G[3], const REAL B[3],
                          const MASK *real, const double *z, REAL N[3], REAL M[3])
{
  REAL E[3], K[3], volume;
  FN(flowing) f;
  FN(strains)(rest, G, B, E, K);
  FN(points_measure)(k, rest, E, K, z, &f.p);
  if (FN(points_look)(k, rest, z, real, &f)) return 1;
  FN(volume)(k, rest, &volume);
  FN(points_sum)(k, &f.p, &volume, N, M);
  if (shell_can_break(k)) FN(weaken)(k, z, N, M, NULL);
  return 0;
}

/* After a drift of length h: internal variables follow, then N and M.  old: G and B before the drift; NULL: those noted.  loss:
 * what was lost is added.  Returns whether some point flowed. */
INLINE int FN(sheet_flow)(SHELL_SPACE const shell_body *k, double h, bool flowed, const REAL rest[7], const REAL G[3],
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
    FN(points_measure)(k, rest, E, K, z, &f.p);
    flows = FN(points_look)(k, rest, z, &live, &f);
    if (flows) {
      REAL dE[3], dK[3];
      for (int c = 0; c < 3; c++) dE[c] = E[c] - E0[c], dK[c] = K[c] - K0[c];
      FN(points_flow)(k, h, rest, E, K, dE, dK, z, &f, N, M, &lost[0], &all);
    } else {
      REAL volume;
      FN(volume)(k, rest, &volume);
      FN(points_sum)(k, &f.p, &volume, N, M);
    }
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
