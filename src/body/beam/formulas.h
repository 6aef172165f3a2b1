/* body/beam/formulas.h  One element and one node, written once and compiled twice: for REAL = double and for eight
 * neighbours at once.  No header guard: sweep.c includes it with REAL and FN(name) set.
 *
 * A, B: frames of the left and right node, by rows; D = x_b - x_a.  Everything leaves in space axes. */

/* Moment between the sections: mu = Lambda_a (m + psi x m/2 + psi (psi.m)/4), m = C2 (psi - psi0)/l.  The left node feels mu,
 * the right one -mu: Lambda_b (m - psi x m/2 + psi (psi.m)/4) is the same vector, because Lambda_b = Lambda_a cay(psi).
 *                                                                                                              [beam 3] */
static inline __attribute__((always_inline)) void FN(moment)(const beam_body *k, const REAL A[9], const REAL B[9],
                                                             REAL mu[3])
{
  REAL one_tr = A[0] * B[0] + 1.0,
       v[3] = {A[2] * B[1] - A[1] * B[2], A[0] * B[2] - A[2] * B[0], A[1] * B[0] - A[0] * B[1]};
  for (int c = 1; c < 9; c++) one_tr += A[c] * B[c];
  for (int i = 3; i < 9; i += 3) {
    v[0] += A[i + 2] * B[i + 1] - A[i + 1] * B[i + 2];
    v[1] += A[i] * B[i + 2] - A[i + 2] * B[i];
    v[2] += A[i + 1] * B[i] - A[i] * B[i + 1];
  }
  const REAL scale = 2.0 / one_tr;
  REAL psi[3], m[3], u[3];
  for (int c = 0; c < 3; c++) psi[c] = scale * v[c];
  for (int c = 0; c < 3; c++) m[c] = (psi[c] - k->rest_psi[c]) * (k->c2[c] / k->l);
  const REAL quarter = 0.25 * (psi[0] * m[0] + psi[1] * m[1] + psi[2] * m[2]);
  u[0] = m[0] + 0.5 * (psi[1] * m[2] - psi[2] * m[1]) + quarter * psi[0];
  u[1] = m[1] + 0.5 * (psi[2] * m[0] - psi[0] * m[2]) + quarter * psi[1];
  u[2] = m[2] + 0.5 * (psi[0] * m[1] - psi[1] * m[0]) + quarter * psi[2];
  for (int c = 0; c < 3; c++) mu[c] = A[3 * c] * u[0] + A[3 * c + 1] * u[1] + A[3 * c + 2] * u[2];
}

/* left = mu - N_a x D/2, right = -mu - N_b x D/2                                                                 [beam 4] */
static inline __attribute__((always_inline)) void FN(torques)(const REAL na[3], const REAL nb[3], const REAL D[3],
                                                              const REAL mu[3], REAL left[3], REAL right[3])
{
  const REAL h[3] = {0.5 * D[0], 0.5 * D[1], 0.5 * D[2]};
  left[0] = mu[0] - (na[1] * h[2] - na[2] * h[1]);
  left[1] = mu[1] - (na[2] * h[0] - na[0] * h[2]);
  left[2] = mu[2] - (na[0] * h[1] - na[1] * h[0]);
  right[0] = (nb[2] * h[1] - nb[1] * h[2]) - mu[0];
  right[1] = (nb[0] * h[2] - nb[2] * h[0]) - mu[1];
  right[2] = (nb[1] * h[0] - nb[0] * h[1]) - mu[2];
}

/* One point: n = C1 ((Lambda_a + Lambda_b)^T D/(2l) - G0), f = (Lambda_a + Lambda_b) n/2.                        [beam 2] */
static inline __attribute__((always_inline)) void FN(element_one_point)(const beam_body *k, const REAL D[3],
                                                                        const REAL A[9], const REAL B[9], REAL f[3],
                                                                        REAL left[3], REAL right[3])
{
  const double half = 0.5 / k->l;
  REAL S[9], n[3], na[3], nb[3], mu[3];
  for (int c = 0; c < 9; c++) S[c] = A[c] + B[c];
  for (int c = 0; c < 3; c++) n[c] = ((S[c] * D[0] + S[3 + c] * D[1] + S[6 + c] * D[2]) * half - k->rest[c]) * k->c1[c];
  for (int c = 0; c < 3; c++) {
    f[c] = 0.5 * (S[3 * c] * n[0] + S[3 * c + 1] * n[1] + S[3 * c + 2] * n[2]);
    na[c] = A[3 * c] * n[0] + A[3 * c + 1] * n[1] + A[3 * c + 2] * n[2];
    nb[c] = 2.0 * f[c] - na[c];
  }
  FN(moment)(k, A, B, mu);
  FN(torques)(na, nb, D, mu, left, right);
}

/* Trapezoid: n_a = C1 (Lambda_a^T D/l - G0), n_b likewise, f = (Lambda_a n_a + Lambda_b n_b)/2.                  [beam 2a] */
static inline __attribute__((always_inline)) void FN(element_trapezoid)(const beam_body *k, const REAL D[3],
                                                                        const REAL A[9], const REAL B[9], REAL f[3],
                                                                        REAL left[3], REAL right[3])
{
  const double inverse = 1.0 / k->l;
  REAL a[3], b[3], na[3], nb[3], mu[3];
  for (int c = 0; c < 3; c++) {
    a[c] = ((A[c] * D[0] + A[3 + c] * D[1] + A[6 + c] * D[2]) * inverse - k->rest_a[c]) * k->c1[c];
    b[c] = ((B[c] * D[0] + B[3 + c] * D[1] + B[6 + c] * D[2]) * inverse - k->rest_b[c]) * k->c1[c];
  }
  for (int c = 0; c < 3; c++) {
    na[c] = A[3 * c] * a[0] + A[3 * c + 1] * a[1] + A[3 * c + 2] * a[2];
    nb[c] = B[3 * c] * b[0] + B[3 * c + 1] * b[1] + B[3 * c + 2] * b[2];
    f[c] = 0.5 * (na[c] + nb[c]);
  }
  FN(moment)(k, A, B, mu);
  FN(torques)(na, nb, D, mu, left, right);
}

/* The closed form of the rotation F with F J_d - J_d F^T = hat(s), s = (h/w) Lambda^T S, for a plane section
 * J_d = diag(j1, j2, 0): its third row is explicit, the rest is a turn by alpha about d3.                        [beam 6]
 *
 *   r1 = -s2/j1, r2 = s1/j2, r3 = sqrt(1 - r1^2 - r2^2), k = 1/(1 + r3)
 *   F = Rz(alpha) G,  third row of G = r,  Ac cos(alpha) + Bc sin(alpha) = s3
 *
 * Lambda F is written out: b1, b2 are the first directors turned by alpha, u = r1 b1 + r2 b2, then
 *   d1 = b1 + r1 (d3 - k u),  d2 = b2 + r2 (d3 - k u),  d3' = r3 d3 - u. */
static inline __attribute__((always_inline)) void FN(turn)(const beam_body *k, bool even, const REAL *c, REAL L[9],
                                                           const REAL S[3])
{
  REAL s[3], sine, cosine;
  for (int i = 0; i < 3; i++) s[i] = *c * (L[i] * S[0] + L[3 + i] * S[1] + L[6 + i] * S[2]);
  const REAL r1 = -s[1] * (1.0 / k->spread[0]), r2 = s[0] * (1.0 / k->spread[1]);
  const REAL r11 = r1 * r1, r22 = r2 * r2;
  REAL r3 = 1.0 - r11 - r22;
  ROOT(r3);
  const REAL kk = 1.0 / (1.0 + r3);
  if (even) {
    sine = s[2] * kk * (1.0 / k->spread[0]);
    cosine = 1.0 - sine * sine;
    ROOT(cosine);
  } else {
    const REAL ac = (k->spread[1] - k->spread[0]) * kk * r1 * r2;
    const REAL bc = k->spread[0] * (1.0 - kk * r11) + k->spread[1] * (1.0 - kk * r22);
    const REAL size = ac * ac + bc * bc, inverse = 1.0 / size;
    REAL t = size - s[2] * s[2];
    ROOT(t);
    sine = (s[2] * bc - ac * t) * inverse;
    cosine = (s[2] * ac + bc * t) * inverse;
  }
  for (int i = 0; i < 9; i += 3) {
    const REAL b1 = cosine * L[i] + sine * L[i + 1], b2 = cosine * L[i + 1] - sine * L[i];
    const REAL u = r1 * b1 + r2 * b2, g = L[i + 2] - kk * u;
    L[i] = b1 + r1 * g;
    L[i + 1] = b2 + r2 * g;
    L[i + 2] = r3 * L[i + 2] - u;
  }
}
