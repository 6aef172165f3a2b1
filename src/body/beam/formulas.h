/* body/beam/formulas.h  One element and one node, written once and compiled twice: for REAL = double and for eight
 * neighbours at once.  No header guard: sweep.c includes it with REAL, FN(name) and a few small words set: ROOT(x), and
 * for what belongs to single lanes MASK, CHOOSE(mask, yes, no) and ALL(mask).
 *
 * Accelerators compile the same text, as OpenCL C, for elastic beams.
 *
 * A, B: frames of the left and right node, by rows; D = x_b - x_a.  Everything leaves in space axes. */

/* psi = cay^-1(Lambda_a^T Lambda_b) */
static inline __attribute__((always_inline)) void FN(bend)(const REAL A[9], const REAL B[9], REAL psi[3])
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
  for (int c = 0; c < 3; c++) psi[c] = scale * v[c];
}

/* What an element feels beside its body's constants: rest strains that have moved, and a factor of its stiffness. */
typedef struct FN(felt) {
  REAL rest[3], rest_psi[3], scale;
} FN(felt);

/* n = C1 (G - G0), G = per g */
static inline __attribute__((always_inline)) void FN(body_force)(const beam_body *k, const FN(felt) * felt, double per,
                                                                 const REAL g[3], REAL n[3])
{
  for (int c = 0; c < 3; c++)
    if (felt == NULL)
      n[c] = (g[c] * per - k->rest[c]) * k->c1[c];
    else
      n[c] = (g[c] * per - felt->rest[c]) * (k->c1[c] * felt->scale);
}

/* u = m + psi x m/2 + psi (psi.m)/4, m = C2 (psi - psi0)/l */
static inline __attribute__((always_inline)) void FN(body_moment)(const beam_body *k, const FN(felt) * felt,
                                                                  const REAL psi[3], REAL u[3])
{
  REAL m[3];
  for (int c = 0; c < 3; c++)
    if (felt == NULL)
      m[c] = (psi[c] - k->rest_psi[c]) * (k->c2[c] / k->l);
    else
      m[c] = (psi[c] - felt->rest_psi[c]) * (k->c2[c] / k->l * felt->scale);
  const REAL quarter = 0.25 * (psi[0] * m[0] + psi[1] * m[1] + psi[2] * m[2]);
  u[0] = m[0] + 0.5 * (psi[1] * m[2] - psi[2] * m[1]) + quarter * psi[0];
  u[1] = m[1] + 0.5 * (psi[2] * m[0] - psi[0] * m[2]) + quarter * psi[1];
  u[2] = m[2] + 0.5 * (psi[0] * m[1] - psi[1] * m[0]) + quarter * psi[2];
}

/* Moment between the sections: mu = Lambda_a (m + psi x m/2 + psi (psi.m)/4), m = C2 (psi - psi0)/l.  The left node feels mu,
 * the right one -mu: Lambda_b (m - psi x m/2 + psi (psi.m)/4) is the same vector, because Lambda_b = Lambda_a cay(psi).
 *                                                                                                              [beam 3] */
static inline __attribute__((always_inline)) void FN(moment)(const beam_body *k, const FN(felt) * felt, const REAL A[9],
                                                             const REAL psi[3], REAL mu[3])
{
  REAL u[3];
  FN(body_moment)(k, felt, psi, u);
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

/* g of one point, (Lambda_a + Lambda_b)^T D, or of the Cayley map of SE(3), (1 - psi^/2) Lambda_a^T D, and psi.  The strain is
 * g/(2 l), or g/l.                                                                                          [beam 1, 50] */
static inline __attribute__((always_inline)) void FN(measure)(beam_strain rule, const REAL D[3], const REAL A[9],
                                                              const REAL B[9], REAL g[3], REAL psi[3])
{
  REAL r[3];
  FN(bend)(A, B, psi);
  if (rule == BEAM_CAYLEY_STRAIN) {
    for (int c = 0; c < 3; c++) r[c] = A[c] * D[0] + A[3 + c] * D[1] + A[6 + c] * D[2];
    g[0] = r[0] - 0.5 * (psi[1] * r[2] - psi[2] * r[1]);
    g[1] = r[1] - 0.5 * (psi[2] * r[0] - psi[0] * r[2]);
    g[2] = r[2] - 0.5 * (psi[0] * r[1] - psi[1] * r[0]);
    return;
  }
  for (int c = 0; c < 3; c++) g[c] = (A[c] + B[c]) * D[0] + (A[3 + c] + B[3 + c]) * D[1] + (A[6 + c] + B[6 + c]) * D[2];
}

/* One point: n = C1 (G - G0), f = (Lambda_a + Lambda_b) n/2.                                                     [beam 2] */
static inline __attribute__((always_inline)) void
FN(respond_one_point)(const beam_body *k, const FN(felt) * felt, const REAL D[3], const REAL A[9], const REAL B[9],
                      const REAL g[3], const REAL psi[3], REAL f[3], REAL left[3], REAL right[3])
{
  REAL n[3], na[3], nb[3], mu[3];
  FN(body_force)(k, felt, 0.5 / k->l, g, n);
  for (int c = 0; c < 3; c++) {
    f[c] = 0.5 *
           ((A[3 * c] + B[3 * c]) * n[0] + (A[3 * c + 1] + B[3 * c + 1]) * n[1] + (A[3 * c + 2] + B[3 * c + 2]) * n[2]);
    na[c] = A[3 * c] * n[0] + A[3 * c + 1] * n[1] + A[3 * c + 2] * n[2];
    nb[c] = 2.0 * f[c] - na[c];
  }
  FN(moment)(k, felt, A, psi, mu);
  FN(torques)(na, nb, D, mu, left, right);
}

/* Trapezoid: n_a = C1 (Lambda_a^T D/l - G0), n_b likewise, f = (Lambda_a n_a + Lambda_b n_b)/2.                  [beam 2a] */
static inline __attribute__((always_inline)) void FN(element_trapezoid)(const beam_body *k, const REAL D[3],
                                                                        const REAL A[9], const REAL B[9], REAL f[3],
                                                                        REAL left[3], REAL right[3])
{
  const double inverse = 1.0 / k->l;
  REAL a[3], b[3], na[3], nb[3], psi[3], mu[3];
  for (int c = 0; c < 3; c++) {
    a[c] = ((A[c] * D[0] + A[3 + c] * D[1] + A[6 + c] * D[2]) * inverse - k->rest_a[c]) * k->c1[c];
    b[c] = ((B[c] * D[0] + B[3 + c] * D[1] + B[6 + c] * D[2]) * inverse - k->rest_b[c]) * k->c1[c];
  }
  for (int c = 0; c < 3; c++) {
    na[c] = A[3 * c] * a[0] + A[3 * c + 1] * a[1] + A[3 * c + 2] * a[2];
    nb[c] = B[3 * c] * b[0] + B[3 * c + 1] * b[1] + B[3 * c + 2] * b[2];
    f[c] = 0.5 * (na[c] + nb[c]);
  }
  FN(bend)(A, B, psi);
  FN(moment)(k, NULL, A, psi, mu);
  FN(torques)(na, nb, D, mu, left, right);
}

/* Cayley map of SE(3): (psi, c) = tau^-1(g_a^-1 g_b), c = (1 - psi^/2) Lambda_a^T D, n = C1 (c/l - G0), and the wrench
 * of the left node is (d tau^-1)^* (m, n), seen from its frame:                                              [beam 50, 51]
 *
 *   lin = n + psi x n/2,  ang = m + psi x m/2 + psi (psi.m)/4 + c x lin/2
 *   f = Lambda_a lin,  left = Lambda_a ang,  right = D x f - left */
static inline __attribute__((always_inline)) void FN(respond_cayley)(const beam_body *k, const FN(felt) * felt,
                                                                     const REAL D[3], const REAL A[9], const REAL g[3],
                                                                     const REAL psi[3], REAL f[3], REAL left[3],
                                                                     REAL right[3])
{
  REAL n[3], lin[3], ang[3];
  FN(body_moment)(k, felt, psi, ang);
  FN(body_force)(k, felt, 1.0 / k->l, g, n);
  lin[0] = n[0] + 0.5 * (psi[1] * n[2] - psi[2] * n[1]);
  lin[1] = n[1] + 0.5 * (psi[2] * n[0] - psi[0] * n[2]);
  lin[2] = n[2] + 0.5 * (psi[0] * n[1] - psi[1] * n[0]);
  ang[0] += 0.5 * (g[1] * lin[2] - g[2] * lin[1]);
  ang[1] += 0.5 * (g[2] * lin[0] - g[0] * lin[2]);
  ang[2] += 0.5 * (g[0] * lin[1] - g[1] * lin[0]);
  for (int c = 0; c < 3; c++) {
    f[c] = A[3 * c] * lin[0] + A[3 * c + 1] * lin[1] + A[3 * c + 2] * lin[2];
    left[c] = A[3 * c] * ang[0] + A[3 * c + 1] * ang[1] + A[3 * c + 2] * ang[2];
  }
  right[0] = (D[1] * f[2] - D[2] * f[1]) - left[0];
  right[1] = (D[2] * f[0] - D[0] * f[2]) - left[1];
  right[2] = (D[0] * f[1] - D[1] * f[0]) - left[2];
}

/* Force on the left node and torques on both, of an element that measures g and psi; felt NULL: an elastic one. */
static inline __attribute__((always_inline)) void FN(respond)(const beam_body *k, beam_strain rule,
                                                              const FN(felt) * felt, const REAL D[3], const REAL A[9],
                                                              const REAL B[9], const REAL g[3], const REAL psi[3],
                                                              REAL f[3], REAL left[3], REAL right[3])
{
  if (rule == BEAM_CAYLEY_STRAIN)
    FN(respond_cayley)(k, felt, D, A, g, psi, f, left, right);
  else
    FN(respond_one_point)(k, felt, D, A, B, g, psi, f, left, right);
}

static inline __attribute__((always_inline)) void FN(element)(const beam_body *k, beam_strain rule, const REAL D[3],
                                                              const REAL A[9], const REAL B[9], REAL f[3], REAL left[3],
                                                              REAL right[3])
{
  REAL g[3], psi[3];
  if (rule == BEAM_TRAPEZOID) {
    FN(element_trapezoid)(k, D, A, B, f, left, right);
    return;
  }
  FN(measure)(rule, D, A, B, g, psi);
  FN(respond)(k, rule, NULL, D, A, B, g, psi, f, left, right);
}

#ifndef __OPENCL_VERSION__
/* ---- elements with internal variables ---- */

/* Strains less those at rest: G - G0, K - K0. */
static inline __attribute__((always_inline)) void FN(strains)(const beam_body *k, beam_strain rule, const REAL g[3],
                                                              const REAL psi[3], REAL e6[6])
{
  const double per = (rule == BEAM_CAYLEY_STRAIN ? 1.0 : 0.5) / k->l, inverse = 1.0 / k->l;
  for (int c = 0; c < 3; c++) e6[c] = g[c] * per - k->rest[c], e6[3 + c] = (psi[c] - k->rest_psi[c]) * inverse;
}

/* Has some fibre of element e perhaps left its elastic domain since they were looked at?  A bound of the equivalent stress of
 * what the strains have changed, by the farthest fibres.                                                        [mat 21a] */
static inline __attribute__((always_inline)) void FN(beyond)(const beam_run *x, int64_t e, const REAL e6[6], MASK *out)
{
  const double *seen = x->z + BEAM_Z_SEEN * x->n + e, *margin = x->z + BEAM_Z_MARGIN * x->n + e;
  const double tension = x->law->young * x->law->young, shear = 3.0 * (x->law->shear * x->law->shear);
  REAL d[6];
  for (int c = 0; c < 6; c++) {
    d[c] = e6[c] - *(const REAL *)(seen + c * x->n);
    d[c] = CHOOSE(d[c] < 0.0, -d[c], d[c]);
  }
  const REAL along = d[2] + (d[3] * x->reach[1] + d[4] * x->reach[0]);
  const REAL one = d[0] + d[5] * x->reach[1], two = d[1] + d[5] * x->reach[0];
  *out = tension * (along * along) + shear * (one * one + two * two) > *(const REAL *)margin;
}

/* The elastic element that feels as element e does: stiffer by its branches, weaker by its damage, its rest moved by what has
 * flowed. */
static inline __attribute__((always_inline)) void FN(feel)(const beam_run *x, int64_t e, FN(felt) * out)
{
  const vvi_damping *d = &x->law->damping;
  const double glass = 1.0 + x->law->glass, over = 1.0 / glass;
  const REAL whole = {0};
  out->scale = whole + glass;
  if (x->damage != NULL) out->scale *= 1.0 - *(const REAL *)(x->damage + e);
  for (int c = 0; c < 6; c++) {
    REAL moved = *(const REAL *)(x->z + (BEAM_Z_PLASTIC + c) * x->n + e) * x->soft[c];
    if (d->branches > 0.0) {
      for (int i = 0; i < (int)d->branches; i++)
        moved += d->part[i] * *(const REAL *)(x->z + (BEAM_Z_COLUMNS + BEAM_Z_BRANCH * i + c) * x->n + e);
      moved *= over;
    }
    if (c < 3)
      out->rest[c] = x->k->rest[c] + moved;
    else
      out->rest_psi[c - 3] = x->k->rest_psi[c - 3] + x->k->l * moved;
  }
}

#endif

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

/* ---- free flight with the Cayley map of SE(3) ----
 *
 * [beam 18] of lavi-cayley times D^-T, in z = w/2 and with c = 1/(1 + |z|^2), y = z.u, e = h^2/(4m), v = u - z x u:
 *
 *   J z + z x J z + z (z.J z) + c e (|u|^2 z - y v) = h Pi/2                                                    [beam 54]
 *   x += (h/m) c (P + y Lambda z),  S -= (h/m) c y (Lambda z) x P,  row r of Lambda: r += 2 c (p + p x z), p = r x z
 *                                                                                                              [beam 56] */

/* What stays fixed while z is sought. */
typedef struct FN(flight) {
  REAL J[3], d[3]; /* d: J3 - J2, J1 - J3, J2 - J1 */
  REAL u[3], uu, e;
  REAL s[3]; /* h Pi/2 */
} FN(flight);

/* The parts of the left side that its derivative needs again; e: what the flight adds, c e (...). */
typedef struct FN(flight_side) {
  REAL a[3], za, c, ce, y, v[3], e[3], side[3];
} FN(flight_side);

static inline __attribute__((always_inline)) void FN(fly_side)(const FN(flight) * f, const REAL z[3],
                                                               FN(flight_side) * o)
{
  const REAL *u = f->u;
  for (int i = 0; i < 3; i++) o->a[i] = f->J[i] * z[i];
  o->za = z[0] * o->a[0] + z[1] * o->a[1] + z[2] * o->a[2];
  o->c = 1.0 / (1.0 + (z[0] * z[0] + z[1] * z[1] + z[2] * z[2]));
  o->ce = o->c * f->e;
  o->y = z[0] * u[0] + z[1] * u[1] + z[2] * u[2];
  o->v[0] = u[0] - (z[1] * u[2] - z[2] * u[1]);
  o->v[1] = u[1] - (z[2] * u[0] - z[0] * u[2]);
  o->v[2] = u[2] - (z[0] * u[1] - z[1] * u[0]);
  for (int i = 0; i < 3; i++) {
    o->e[i] = o->ce * (f->uu * z[i] - o->y * o->v[i]);
    o->side[i] = o->a[i] + z[(i + 1) % 3] * z[(i + 2) % 3] * f->d[i] + o->za * z[i] + o->e[i] - f->s[i];
  }
}

/* Columns of the derivative:                                                                                   [beam 55]
 *   J + z^ J - (J z)^ + (z.J z) 1 + 2 z (J z)^T + c e (|u|^2 1 - v u^T - y u^) - 2 c [c e (|u|^2 z - y v)] z^T */
static inline __attribute__((always_inline)) void FN(fly_slope)(const FN(flight) * f, const FN(flight_side) * o,
                                                                const REAL z[3], REAL m[3][3])
{
  const REAL *u = f->u, turn = o->ce * o->y, more = o->za + o->ce * f->uu, twice = 2.0 * o->c;
  REAL v[3], e[3];
  for (int i = 0; i < 3; i++) v[i] = o->ce * o->v[i], e[i] = twice * o->e[i];
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) m[j][i] = 2.0 * o->a[j] * z[i] - u[j] * v[i] - z[j] * e[i];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    m[i][i] += f->J[i] + more;
    m[j][i] += z[k] * f->d[i] + turn * u[k];
    m[k][i] += z[j] * f->d[i] - turn * u[j];
  }
}

/* x = M^-1 r, M by columns, by Cramer's rule */
static inline __attribute__((always_inline)) void FN(fly_solve)(const REAL m[3][3], const REAL r[3], REAL x[3])
{
  REAL n[3][3];
  for (int j = 0; j < 3; j++) {
    const REAL *a = m[(j + 1) % 3], *b = m[(j + 2) % 3];
    n[j][0] = a[1] * b[2] - a[2] * b[1];
    n[j][1] = a[2] * b[0] - a[0] * b[2];
    n[j][2] = a[0] * b[1] - a[1] * b[0];
  }
  const REAL inverse = 1.0 / (m[0][0] * n[0][0] + m[0][1] * n[0][1] + m[0][2] * n[0][2]);
  for (int j = 0; j < 3; j++) x[j] = inverse * (n[j][0] * r[0] + n[j][1] * r[1] + n[j][2] * r[2]);
}

/* The linear part of the equation at z = 0, J + e (|u|^2 1 - u u^T), gives the first z and, kept, a second one that is
 * wrong by |z|^3 alone. */
static inline __attribute__((always_inline)) void FN(fly_start)(const FN(flight) * f, REAL z[3])
{
  const REAL *u = f->u;
  REAL d[3], o[3], n[3], q[3];
  FN(flight_side) side;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    d[i] = f->J[i] + f->e * (u[j] * u[j] + u[k] * u[k]);
    o[i] = -f->e * (u[j] * u[k]);
  }
  for (int i = 0; i < 3; i++) { /* cofactors: n on the diagonal, q off it */
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    n[i] = d[j] * d[k] - o[i] * o[i];
    q[i] = o[j] * o[k] - d[i] * o[i];
  }
  const REAL inverse = 1.0 / (d[0] * n[0] + o[2] * q[2] + o[1] * q[1]);
  for (int i = 0; i < 3; i++) n[i] *= inverse, q[i] *= inverse;
  for (int i = 0; i < 3; i++)
    z[i] = n[i] * f->s[i] + q[(i + 2) % 3] * f->s[(i + 1) % 3] + q[(i + 1) % 3] * f->s[(i + 2) % 3];
  FN(fly_side)(f, z, &side);
  for (int i = 0; i < 3; i++)
    z[i] -= n[i] * side.side[i] + q[(i + 2) % 3] * side.side[(i + 1) % 3] + q[(i + 1) % 3] * side.side[(i + 2) % 3];
}

/* Newton's iteration.  A step d leaves an error of about d^2, so d^4 <= 1e-34 |z|^2 is the end; a lane that has got there
 * stands still, whatever its neighbours do.  Returns iterations; 0: some lane did not, or turned by more than a right
 * angle. */
static inline __attribute__((always_inline)) int FN(fly_turn)(const FN(flight) * f, REAL z[3])
{
  MASK done = {0};
  FN(fly_start)(f, z);
  for (int n = 1; n <= 5; n++) {
    FN(flight_side) side;
    REAL m[3][3], step[3];
    FN(fly_side)(f, z, &side);
    FN(fly_slope)(f, &side, z, m);
    FN(fly_solve)((const REAL(*)[3])m, side.side, step);
    const REAL dd = step[0] * step[0] + step[1] * step[1] + step[2] * step[2];
    const MASK before = done;
    for (int i = 0; i < 3; i++) step[i] = z[i] - step[i];
    for (int i = 0; i < 3; i++) z[i] = CHOOSE(before, z[i], step[i]);
    const REAL zz = z[0] * z[0] + z[1] * z[1] + z[2] * z[2];
    done |= (dd * dd <= 1e-34 * zz) & (zz <= 1.0);
    if (ALL(done)) return n;
  }
  return 0;
}

/* h_m: h/m.  Returns iterations; 0: everything stays as it was. */
static inline __attribute__((always_inline)) int FN(fly)(double h, const REAL *h_m, const REAL J[3], const REAL P[3],
                                                         REAL x[3], REAL L[9], REAL S[3])
{
  FN(flight) f;
  REAL z[3], t[3];
  for (int i = 0; i < 3; i++) {
    f.J[i] = J[i], f.d[i] = J[(i + 2) % 3] - J[(i + 1) % 3];
    f.u[i] = L[i] * P[0] + L[3 + i] * P[1] + L[6 + i] * P[2];
    f.s[i] = 0.5 * h * (L[i] * S[0] + L[3 + i] * S[1] + L[6 + i] * S[2]);
  }
  f.uu = f.u[0] * f.u[0] + f.u[1] * f.u[1] + f.u[2] * f.u[2];
  f.e = 0.25 * h * *h_m;
  const int iterations = FN(fly_turn)(&f, z);
  if (iterations == 0) return 0;
  const REAL c = 1.0 / (1.0 + (z[0] * z[0] + z[1] * z[1] + z[2] * z[2])), way = c * *h_m;
  const REAL aside = way * (z[0] * f.u[0] + z[1] * f.u[1] + z[2] * f.u[2]), twice = 2.0 * c;
  for (int i = 0; i < 3; i++) {
    t[i] = aside * (L[3 * i] * z[0] + L[3 * i + 1] * z[1] + L[3 * i + 2] * z[2]);
    x[i] += way * P[i] + t[i];
  }
  S[0] -= t[1] * P[2] - t[2] * P[1];
  S[1] -= t[2] * P[0] - t[0] * P[2];
  S[2] -= t[0] * P[1] - t[1] * P[0];
  for (int i = 0; i < 9; i += 3) {
    const REAL a = L[i + 1] * z[2] - L[i + 2] * z[1], b = L[i + 2] * z[0] - L[i] * z[2],
               d = L[i] * z[1] - L[i + 1] * z[0];
    L[i] += twice * (a + (b * z[2] - d * z[1]));
    L[i + 1] += twice * (b + (d * z[0] - a * z[2]));
    L[i + 2] += twice * (d + (a * z[1] - b * z[0]));
  }
  return iterations;
}
