/* body/beam/sums.h  What an element and a node add to the totals, written once and compiled as formulas.h is, behind it: for one,
 * for eight neighbours at once, and by accelerators. */

/* Strains less those at rest: a at the left node and b at the right one, the same where the rule has but one; turn = psi - psi0.
 *                                                                                                          [beam 1, 50] */
static inline __attribute__((always_inline)) void FN(strained)(const beam_body *k, beam_strain rule, const REAL D[3],
                                                               const REAL A[9], const REAL B[9], REAL a[3], REAL b[3],
                                                               REAL turn[3])
{
  const double inverse = 1.0 / k->l, per = (rule == BEAM_CAYLEY_STRAIN ? 1.0 : 0.5) / k->l;
  REAL g[3], psi[3];
  if (rule == BEAM_TRAPEZOID) {
    for (int c = 0; c < 3; c++) {
      a[c] = (A[c] * D[0] + A[3 + c] * D[1] + A[6 + c] * D[2]) * inverse - k->rest_a[c];
      b[c] = (B[c] * D[0] + B[3 + c] * D[1] + B[6 + c] * D[2]) * inverse - k->rest_b[c];
    }
    FN(bend)(A, B, psi);
  } else {
    FN(measure)(rule, D, A, B, g, psi);
    for (int c = 0; c < 3; c++) a[c] = b[c] = g[c] * per - k->rest[c];
  }
  for (int c = 0; c < 3; c++) turn[c] = psi[c] - k->rest_psi[c];
}

/* Of the strains above.                                                                                         [beam 1] */
static inline __attribute__((always_inline)) void FN(energy)(const beam_body *k, const REAL a[3], const REAL b[3],
                                                             const REAL turn[3], REAL *out)
{
  REAL v[3];
  for (int c = 0; c < 3; c++)
    v[c] = (a[c] * a[c] + b[c] * b[c]) * (0.25 * k->l * k->c1[c]) + turn[c] * turn[c] * (0.5 / k->l * k->c2[c]);
  *out = v[0] + v[1] + v[2];
}

static inline __attribute__((always_inline)) void FN(length)(const REAL a[3], REAL *out)
{
  *out = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
  ROOT(*out);
}

/* All but the strain energy, which is another's.  T = P^2/2m + sum s_c^2/2J_c, s = Lambda^T S. */
static inline __attribute__((always_inline)) void FN(node_sums)(REAL m, REAL minv, const REAL inertia[3],
                                                                const double gravity[3], const REAL x[3],
                                                                const REAL L[9], const REAL P[3], const REAL S[3],
                                                                REAL out[BEAM_SUMS])
{
  REAL far, spin, twice = minv * (P[0] * P[0] + P[1] * P[1] + P[2] * P[2]);
  for (int c = 0; c < 3; c++) {
    const REAL s = L[c] * S[0] + L[3 + c] * S[1] + L[6 + c] * S[2];
    twice += s * s / inertia[c];
    out[BEAM_P_SUM + c] = P[c];
  }
  out[BEAM_KINETIC] = 0.5 * twice;
  out[BEAM_POTENTIAL] = -(m * (gravity[0] * x[0] + gravity[1] * x[1] + gravity[2] * x[2]));
  out[BEAM_L_SUM] = (x[1] * P[2] - x[2] * P[1]) + S[0];
  out[BEAM_L_SUM + 1] = (x[2] * P[0] - x[0] * P[2]) + S[1];
  out[BEAM_L_SUM + 2] = (x[0] * P[1] - x[1] * P[0]) + S[2];
  FN(length)(P, &out[BEAM_P_ABS]);
  FN(length)(x, &far), FN(length)(S, &spin);
  out[BEAM_L_ABS] = far * out[BEAM_P_ABS] + spin; /* what x x P rounds by, also where the two are parallel */
}
