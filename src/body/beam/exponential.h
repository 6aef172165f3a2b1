/* body/beam/exponential.h  An element whose sections are joined by the exponential, written once and compiled twice: for
 * REAL = double and for complex numbers, whose imaginary part carries a variation.  No header guard: exponential.c sets REAL,
 * FN(name) and RATIO(x) = atan(x^(1/2))/x^(1/2).
 *
 * psi = cay^-1(R) and the rotation vector phi = log(R) are parallel, |psi| = 2 tan(|phi|/2).  With x = |psi|^2/4 and
 * T = RATIO(x),                                                                                                  [beam 80]
 *
 *   phi = T psi,   dphi = T dpsi + T'/2 psi (psi.dpsi),   2 x T' = 1/(1 + x) - T
 *   (d exp)^-1 = 1 - phi^/2 + ...  =  1 - T psi^/2 + Y psi^ psi^,   Y = (1 - T)/(4 x). */

/* T, T' = dT/dx, Y, dY/dx */
static inline void FN(ratios)(REAL x, REAL t[4])
{
  t[0] = RATIO(x);
  if (SIZE(x) < 0.05) { /* T = sum (-x)^k/(2k + 1) and what follows from it */
    t[1] = t[2] = t[3] = 0.0;
    for (int k = 13; k >= 0; k--) {
      t[3] = (k + 1) / (4.0 * (2 * k + 5)) - x * t[3]; /* -dY/dx, unsigned so far */
      t[2] = 1.0 / (4.0 * (2 * k + 3)) - x * t[2];
      t[1] = (k + 1) / (2.0 * k + 3.0) - x * t[1];
    }
    t[1] = -t[1], t[3] = -t[3];
    return;
  }
  t[1] = (1.0 / (1.0 + x) - t[0]) / (2.0 * x);
  t[2] = (1.0 - t[0]) / (4.0 * x);
  t[3] = -(0.25 * t[1] + t[2]) / x;
}

static inline REAL FN(dot)(const REAL a[3], const REAL b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void FN(cross)(const REAL a[3], const REAL b[3], REAL c[3])
{
  c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void FN(to_frame)(const REAL A[9], const REAL v[3], REAL out[3])
{
  for (int c = 0; c < 3; c++) out[c] = A[c] * v[0] + A[3 + c] * v[1] + A[6 + c] * v[2];
}

static inline void FN(to_space)(const REAL A[9], const REAL v[3], REAL out[3])
{
  for (int c = 0; c < 3; c++) out[c] = A[3 * c] * v[0] + A[3 * c + 1] * v[1] + A[3 * c + 2] * v[2];
}

/* cay^-1(A^T B) */
static inline void FN(bend)(const REAL A[9], const REAL B[9], REAL psi[3])
{
  REAL trace = 1.0, v[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < 9; i += 3) {
    trace += A[i] * B[i] + A[i + 1] * B[i + 1] + A[i + 2] * B[i + 2];
    v[0] += A[i + 2] * B[i + 1] - A[i + 1] * B[i + 2];
    v[1] += A[i] * B[i + 2] - A[i + 2] * B[i];
    v[2] += A[i + 1] * B[i] - A[i] * B[i + 1];
  }
  for (int c = 0; c < 3; c++) psi[c] = 2.0 / trace * v[c];
}

/* m + psi x m/2 + psi (psi.m)/4: what psi's conjugate does to a turn of the right section, in the frame of the left.  [beam 3] */
static inline void FN(on_frame)(const REAL psi[3], const REAL m[3], REAL u[3])
{
  const REAL along = 0.25 * FN(dot)(psi, m);
  FN(cross)(psi, m, u);
  for (int c = 0; c < 3; c++) u[c] = m[c] + 0.5 * u[c] + along * psi[c];
}

/* Conjugate to psi where m is conjugate to phi: T m + T'/2 psi (psi.m). */
static inline void FN(bend_moment)(const beam_body *k, const REAL psi[3], const REAL t[4], REAL m[3])
{
  for (int c = 0; c < 3; c++) m[c] = k->c2[c] / k->l * (t[0] * psi[c] - k->rest_psi[c]);
  const REAL along = 0.5 * t[1] * FN(dot)(psi, m);
  for (int c = 0; c < 3; c++) m[c] = t[0] * m[c] + along * psi[c];
}

/* The exponential of SO(3), strains at both nodes: (16)-(23) of 2015.                                        [beam 2a, 80] */
static inline void FN(nodes)(const beam_body *k, const REAL D[3], const REAL A[9], const REAL B[9], REAL f[3],
                             REAL left[3], REAL right[3])
{
  REAL a[3], b[3], na[3], nb[3], psi[3], t[4], m[3], u[3], mu[3], ma[3], mb[3];
  FN(to_frame)(A, D, a);
  FN(to_frame)(B, D, b);
  for (int c = 0; c < 3; c++)
    a[c] = k->c1[c] * (a[c] / k->l - k->rest_a[c]), b[c] = k->c1[c] * (b[c] / k->l - k->rest_b[c]);
  FN(to_space)(A, a, na);
  FN(to_space)(B, b, nb);
  FN(bend)(A, B, psi);
  FN(ratios)(0.25 * FN(dot)(psi, psi), t);
  FN(bend_moment)(k, psi, t, m);
  FN(on_frame)(psi, m, u);
  FN(to_space)(A, u, mu);
  FN(cross)(na, D, ma);
  FN(cross)(nb, D, mb);
  for (int c = 0; c < 3; c++)
    f[c] = 0.5 * (na[c] + nb[c]), left[c] = mu[c] - 0.5 * ma[c], right[c] = -mu[c] - 0.5 * mb[c];
}

/* c = r - T psi x r/2 + Y psi x (psi x r): the way of the exponential of SE(3). */
static inline void FN(way)(const REAL psi[3], const REAL t[4], const REAL r[3], REAL c[3])
{
  REAL one[3], two[3];
  FN(cross)(psi, r, one);
  FN(cross)(psi, one, two);
  for (int i = 0; i < 3; i++) c[i] = r[i] - 0.5 * t[0] * one[i] + t[2] * two[i];
}

/* The exponential of SE(3): a piece of a helix with constant strains.  With n conjugate to c, lin to r and M to psi:    [beam 81]
 *
 *   lin = n + T psi x n/2 + Y psi x (psi x n)
 *   M = M_bend - T/2 r x n - T'/4 psi (psi.(r x n)) + Y (r (psi.n) + n (psi.r) - 2 psi (r.n))
 *       + Y'/2 psi ((psi.r)(psi.n) - |psi|^2 r.n)
 *   f = Lambda_a lin,  right = -Lambda_a (M + psi x M/2 + psi (psi.M)/4),  left = D x f - right */
static inline void FN(helix)(const beam_body *k, const REAL D[3], const REAL A[9], const REAL B[9], REAL f[3],
                             REAL left[3], REAL right[3])
{
  REAL r[3], psi[3], t[4], c[3], n[3], lin[3], m[3], u[3], turn[3], rn[3], two[3], couple[3];
  FN(to_frame)(A, D, r);
  FN(bend)(A, B, psi);
  const REAL s = FN(dot)(psi, psi);
  FN(ratios)(0.25 * s, t);
  FN(way)(psi, t, r, c);
  for (int i = 0; i < 3; i++) n[i] = k->c1[i] * (c[i] / k->l - k->rest[i]);
  FN(cross)(psi, n, turn);
  FN(cross)(psi, turn, two);
  for (int i = 0; i < 3; i++) lin[i] = n[i] + 0.5 * t[0] * turn[i] + t[2] * two[i];
  FN(bend_moment)(k, psi, t, m);
  FN(cross)(r, n, rn);
  const REAL pn = FN(dot)(psi, n), pr = FN(dot)(psi, r), nr = FN(dot)(n, r);
  const REAL along = -0.25 * t[1] * FN(dot)(psi, rn) - 2.0 * t[2] * nr + 0.5 * t[3] * (pr * pn - s * nr);
  for (int i = 0; i < 3; i++) m[i] += -0.5 * t[0] * rn[i] + t[2] * (r[i] * pn + n[i] * pr) + along * psi[i];
  FN(on_frame)(psi, m, u);
  FN(to_space)(A, lin, f);
  FN(to_space)(A, u, right);
  FN(cross)(D, f, couple);
  for (int i = 0; i < 3; i++) right[i] = -right[i], left[i] = couple[i] - right[i];
}
