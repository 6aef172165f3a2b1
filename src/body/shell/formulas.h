/* body/shell/formulas.h  Strain and stress of one element, written once and compiled for REAL = double and for
 * two, four and eight elements at once.  No header guard: it is included with REAL, FN(name) and ROOT(x) (x becomes its square
 * root) set; energies are there where LANES and LANE(x, i) are set too.  Accelerators compile the same text, as OpenCL C.
 *
 * Everything is in the units of the tables: A_a = 162 x,_a, D_ab = 9 x,_ab, D33 = D11 + D22 - 2 D12.  Triples of symmetric
 * matrices are 11, 22, 12.                                                                                    [shell 6] */

#define INLINE    static inline __attribute__((always_inline))

#define DOT(a, b) ((a)[0] * (b)[0] + (a)[1] * (b)[1] + (a)[2] * (b)[2])

/* A1 A2 D11 D22 D33 of a regular triangle, one component: the whole numbers of [shell 4].  p: of a pair; the second triangle
 * is the first after half a turn, its node i is node 13 - i (from 13, step -1). */
INLINE void FN(regular)(const REAL *p, int from, int step, REAL sum[5])
{
#define P(i) p[from + step * (i)]
  const REAL L = 4.0 * (P(2) + P(4) + P(10)) - 2.0 * (P(3) + P(6) + P(7));
  sum[0] = 78.0 * (P(6) - P(3)) + 30.0 * (P(10) - P(4)) + 4.0 * (P(5) - P(0)) + 5.0 * (P(9) - P(1)) + (P(11) - P(8));
  sum[1] = 78.0 * (P(7) - P(3)) + 30.0 * (P(10) - P(2)) + 4.0 * (P(8) - P(1)) + 5.0 * (P(11) - P(0)) + (P(9) - P(5));
  sum[2] = L - 6.0 * (P(7) + P(2)) + 2.0 * (P(1) + P(9)) + (P(0) + P(5));
  sum[3] = L - 6.0 * (P(6) + P(4)) + 2.0 * (P(0) + P(11)) + (P(1) + P(8));
  sum[4] = L - 6.0 * (P(3) + P(10)) + 2.0 * (P(5) + P(8)) + (P(9) + P(11));
#undef P
}

/* Metric G_ab = A_a.A_b, curvature B_ab = D_ab.n, normal n and 1/|A_1 x A_2|.                                   [shell 2] */
INLINE void FN(measure)(const REAL A1[3], const REAL A2[3], const REAL D11[3], const REAL D22[3], const REAL D33[3],
                        REAL G[3], REAL B[3], REAL n[3], REAL *inverse)
{
  n[0] = A1[1] * A2[2] - A1[2] * A2[1];
  n[1] = A1[2] * A2[0] - A1[0] * A2[2];
  n[2] = A1[0] * A2[1] - A1[1] * A2[0];
  REAL size = DOT(n, n);
  ROOT(size);
  *inverse = 1.0 / size;
  for (int c = 0; c < 3; c++) n[c] *= *inverse;
  G[0] = DOT(A1, A1), G[1] = DOT(A2, A2), G[2] = DOT(A1, A2);
  B[0] = DOT(D11, n), B[1] = DOT(D22, n);
  B[2] = 0.5 * ((B[0] + B[1]) - DOT(D33, n));
}

/* S(E) = nu g (g:E) + (1 - nu) g E g with g = adj(G0): the plane stress law without its scales.                 [shell 7] */
INLINE void FN(plane)(double nu, const REAL g[3], const REAL E[3], REAL S[3])
{
  const REAL t1 = g[0] * E[0] + g[2] * E[2], t2 = g[2] * E[0] + g[1] * E[2];
  const REAL u1 = g[0] * E[2] + g[2] * E[1], u2 = g[2] * E[2] + g[1] * E[1];
  const REAL trace = nu * (t1 + u2);
  S[0] = trace * g[0] + (1.0 - nu) * (t1 * g[0] + u1 * g[2]);
  S[1] = trace * g[1] + (1.0 - nu) * (t2 * g[2] + u2 * g[1]);
  S[2] = trace * g[2] + (1.0 - nu) * (t1 * g[2] + u1 * g[1]);
}

/* The seventh number of a reference: what stress times area needs of the area at rest.                        [shell 7, 9] */
INLINE void FN(scale)(shell_law law, const REAL rest[3], REAL *scale)
{
  REAL root = rest[0] * rest[1] - rest[2] * rest[2];
  ROOT(root);
  const REAL y = 1.0 / root;
  *scale = root;
  if (law == SHELL_STVK) *scale = y * y * y;
}

/* N: dW = N^ab A_a.dA_b of the strain, M: dW = M^ab dB_ab.                                                     [shell 6, 7] */
INLINE void FN(stress_stvk)(SHELL_SPACE const shell_body *k, const REAL rest[7], const REAL G[3], const REAL B[3],
                            REAL N[3], REAL M[3])
{
  const REAL g[3] = {rest[1], rest[0], -rest[2]};
  const REAL E[3] = {G[0] - rest[0], G[1] - rest[1], G[2] - rest[2]};
  const REAL K[3] = {B[0] - rest[3], B[1] - rest[4], B[2] - rest[5]};
  FN(plane)(k->poisson, g, E, N);
  FN(plane)(k->poisson, g, K, M);
  const REAL membrane = k->membrane * rest[6], bend = k->bend * rest[6];
  for (int c = 0; c < 3; c++) N[c] *= membrane, M[c] *= bend;
}

/* Metrics at one of the two points of the thickness, now and at rest: C = G - z B.  thick: C33 of plane stress;
 * R = adj(C0)/det(C0) and V = adj(C)/det(C), the inverses.                                                     [shell 8] */
INLINE void FN(neo_point)(SHELL_SPACE const shell_body *k, double z, const REAL rest[6], const REAL G[3],
                          const REAL B[3], REAL C[3], REAL R[3], REAL V[3], REAL *ratio, REAL *thick)
{
  REAL C0[3];
  for (int c = 0; c < 3; c++) C[c] = G[c] - z * B[c], C0[c] = rest[c] - z * rest[3 + c];
  const REAL det = C[0] * C[1] - C[2] * C[2], det0 = C0[0] * C0[1] - C0[2] * C0[2];
  const REAL inverse = 1.0 / (det * det0), a = det * inverse, b = det0 * inverse;
  R[0] = C0[1] * a, R[1] = C0[0] * a, R[2] = -C0[2] * a;
  V[0] = C[1] * b, V[1] = C[0] * b, V[2] = -C[2] * b;
  *ratio = det * a;
  *thick = (2.0 * k->mu + k->lambda) / (2.0 * k->mu + k->lambda * *ratio);
}

/* S = mu (C0^-1 - C33 C^-1) at both points.                                                                    [shell 9] */
INLINE void FN(stress_neo)(SHELL_SPACE const shell_body *k, const REAL rest[7], const REAL G[3], const REAL B[3],
                           REAL N[3], REAL M[3])
{
  REAL C[3], R[3], V[3], ratio, thick, up[3];
  const REAL one = k->neo * rest[6], lever = (-0.5 * k->lever) * one; /* of one of the two */
  FN(neo_point)(k, k->lever, rest, G, B, C, R, V, &ratio, &thick);
  for (int c = 0; c < 3; c++) up[c] = R[c] - thick * V[c];
  FN(neo_point)(k, -k->lever, rest, G, B, C, R, V, &ratio, &thick);
  for (int c = 0; c < 3; c++) {
    const REAL down = R[c] - thick * V[c];
    N[c] = one * (up[c] + down);
    M[c] = lever * (up[c] - down);
  }
}

/* What the nodes need: dW = s1.dA_1 + s2.dA_2 + n.(b1 dD11 + b2 dD22 + b3 dD33).                               [shell 2] */
INLINE void FN(respond)(const REAL A1[3], const REAL A2[3], const REAL D11[3], const REAL D22[3], const REAL D33[3],
                        const REAL G[3], const REAL n[3], const REAL *inverse, const REAL N[3], const REAL M[3],
                        REAL s1[3], REAL s2[3], REAL b[3])
{
  const REAL square = *inverse * *inverse;
  REAL w[3];
  b[0] = M[0] + M[2], b[1] = M[1] + M[2], b[2] = -M[2];
  for (int c = 0; c < 3; c++) w[c] = b[0] * D11[c] + b[1] * D22[c] + b[2] * D33[c];
  const REAL w1 = square * DOT(w, A1), w2 = square * DOT(w, A2);
  const REAL q1 = G[1] * w1 - G[2] * w2, q2 = G[0] * w2 - G[2] * w1;
  for (int c = 0; c < 3; c++) {
    s1[c] = N[0] * A1[c] + N[2] * A2[c] - q1 * n[c];
    s2[c] = N[2] * A1[c] + N[1] * A2[c] - q2 * n[c];
  }
}

/* All of it: S holds A1, A2, D11, D22, D33. */
INLINE void FN(element)(SHELL_SPACE const shell_body *k, shell_law law, const REAL S[5][3], const REAL rest[7],
                        REAL s1[3], REAL s2[3], REAL n[3], REAL b[3])
{
  REAL G[3], B[3], inverse, N[3], M[3];
  FN(measure)(S[0], S[1], S[2], S[3], S[4], G, B, n, &inverse);
  if (law == SHELL_STVK)
    FN(stress_stvk)(k, rest, G, B, N, M);
  else
    FN(stress_neo)(k, rest, G, B, N, M);
  FN(respond)(S[0], S[1], S[2], S[3], S[4], G, n, &inverse, N, M, s1, s2, b);
}

/* ---- nodes ---- */

/* What the bending moments of a regular triangle do to its 12 nodes along the normal: b1 W_11 + b2 W_22 + b3 W_33. */
INLINE void FN(bend_regular)(const REAL b[3], REAL out[12])
{
  const REAL sum = b[0] + b[1] + b[2], two = 2.0 * sum, four_sums = 4.0 * sum;
  out[0] = b[0] + 2.0 * b[1];
  out[1] = 2.0 * b[0] + b[1];
  out[2] = four_sums - 6.0 * b[0];
  out[3] = -two - 6.0 * b[2];
  out[4] = four_sums - 6.0 * b[1];
  out[5] = b[0] + 2.0 * b[2];
  out[6] = -two - 6.0 * b[1];
  out[7] = -two - 6.0 * b[0];
  out[8] = b[1] + 2.0 * b[2];
  out[9] = 2.0 * b[0] + b[2];
  out[10] = four_sums - 6.0 * b[2];
  out[11] = 2.0 * b[1] + b[2];
}

/* Force on the 12 nodes of a regular triangle; bend: of node i at bend[step i]. */
INLINE void FN(regular_force)(const REAL *in1, const REAL *in2, const REAL *normal, const double *bend, int step,
                              REAL F[12])
{
  const REAL s1 = *in1, s2 = *in2, n = *normal;
  const REAL a1 = 78.0 * s1, a2 = 78.0 * s2, c1 = 30.0 * s1, c2 = 30.0 * s2, e1 = 4.0 * s1, e2 = 4.0 * s2;
  const REAL g1 = 5.0 * s1, g2 = 5.0 * s2;
#define BEND(i) (bend[step * (i)] * n)
  F[0] = BEND(0) - (e1 + g2);
  F[1] = BEND(1) - (g1 + e2);
  F[2] = BEND(2) - c2;
  F[3] = BEND(3) - (a1 + a2);
  F[4] = BEND(4) - c1;
  F[5] = BEND(5) + (e1 - s2);
  F[6] = BEND(6) + a1;
  F[7] = BEND(7) + a2;
  F[8] = BEND(8) + (e2 - s1);
  F[9] = BEND(9) + (g1 + s2);
  F[10] = BEND(10) + (c1 + c2);
  F[11] = BEND(11) + (s1 + g2);
#undef BEND
}

/* Force on a node of any triangle, one component; w: its weights from W_1 on. */
INLINE void FN(class_force)(const double *w, const REAL *s1, const REAL *s2, const REAL *n, const REAL b[3], REAL *F)
{
  const REAL bend = w[2] * b[0] + w[3] * b[1] + w[4] * b[2];
  *F = bend * *n + (w[0] * *s1 + w[1] * *s2);
}

/* ---- energies ---- */

#ifdef LANE
#define CONTRACT(a, b) ((a)[0] * (b)[0] + (a)[1] * (b)[1] + 2.0 * ((a)[2] * (b)[2]))

/* x - ln(1 + x), to all digits also where x is small: with s = x/(2 + x) the logarithm is 2 (s + s^3/3 + s^5/5 + ...), and
 * x - 2 s = x s.  For |s| < 1/5 eleven terms leave less than 4e-18 of the value; others are rare. */
INLINE void FN(excess)(const REAL *x, REAL *out)
{
  const REAL s = *x / (2.0 + *x), t = s * s;
  REAL sum = {0};
  int far = 0;
  for (int n = 10; n >= 0; n--) sum = 1.0 / (2 * n + 3) + t * sum;
  REAL value = *x * s - 2.0 * s * (t * sum);
  for (int i = 0; i < LANES; i++) far |= LANE(t, i) > 0.04;
  if (far) {
    REAL in = *x, all = value;
    shell_excess_far(LANES, (const double *)&in, (double *)&all);
    value = all;
  }
  *out = value;
}

INLINE void FN(energy_stvk)(const REAL rest[6], const REAL G[3], const REAL B[3], const REAL N[3], const REAL M[3],
                            REAL *energy)
{
  const REAL E[3] = {G[0] - rest[0], G[1] - rest[1], G[2] - rest[2]};
  const REAL K[3] = {B[0] - rest[3], B[1] - rest[4], B[2] - rest[5]};
  *energy = 0.25 * CONTRACT(N, E) + 0.5 * CONTRACT(M, K);
}

/* h A0/2 times mu/2 (tr C + C33 - 3 - 2 ln J) + lambda/4 (J^2 - 1 - 2 ln J) at the two points.  With D = C - C0 and
 * m = det C/det C0 - 1 = C0^-1:D + det(C0^-1 D) the terms of first order are taken out by hand, so that small strains keep
 * their digits: C33 = 1 - f m, J^2 = (1 + m)(1 - f m), f = lambda/(2 mu + lambda (1 + m)).                      [shell 8] */
INLINE void FN(energy_neo)(SHELL_SPACE const shell_body *k, const REAL rest[7], const REAL G[3], const REAL B[3],
                           REAL *energy)
{
  REAL sum = {0};
  for (int side = -1; side <= 1; side += 2) {
    REAL C[3], R[3], V[3], D[3], ratio, thick, over;
    const double z = side * k->lever;
    FN(neo_point)(k, z, rest, G, B, C, R, V, &ratio, &thick);
    for (int c = 0; c < 3; c++) D[c] = (G[c] - rest[c]) - z * (B[c] - rest[3 + c]);
    const REAL det = (D[0] * D[1] - D[2] * D[2]) * (R[0] * R[1] - R[2] * R[2]), m = CONTRACT(R, D) + det;
    const REAL f = k->lambda / (2.0 * k->mu + k->lambda * (1.0 + m)), grown = m - f * m * (1.0 + m);
    FN(excess)(&grown, &over);
    sum += 0.5 * k->mu * (f * m * m - det + over) + 0.25 * k->lambda * over;
  }
  *energy = (0.25 * k->thickness / (SHELL_A * SHELL_A)) * rest[6] * sum;
}

/* From the sums A1, A2, D11, D22, D33 to the energy. */
INLINE void FN(energy)(SHELL_SPACE const shell_body *k, shell_law law, const REAL S[5][3], const REAL rest[7],
                       REAL *energy)
{
  REAL G[3], B[3], n[3], inverse, N[3], M[3];
  FN(measure)(S[0], S[1], S[2], S[3], S[4], G, B, n, &inverse);
  if (law == SHELL_NEO_HOOKE) {
    FN(energy_neo)(k, rest, G, B, energy);
    return;
  }
  FN(stress_stvk)(k, rest, G, B, N, M);
  FN(energy_stvk)(rest, G, B, N, M, energy);
}
#undef CONTRACT
#endif

#undef INLINE
#undef DOT
