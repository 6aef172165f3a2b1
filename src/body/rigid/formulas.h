/* body/rigid/formulas.h  The flight of one body, written once and compiled twice: for REAL = double and for eight bodies at
 * once.  No header guard: flight.c includes it with REAL and FN(name) set, MASK, CHOOSE(mask, yes, no) and ALL(mask) for what
 * belongs to single lanes, and HALF_TURN(t, sine, versed), which says whether it could.
 *
 * u: inverse moments about the principal axes; q: quaternion; h: spin in space.  A turn changes q by dq, which the caller
 * adds to the sum that keeps its rounding. */

/* x <- x + d, what rounding leaves out kept                                                                  [rigid 6] */
static inline __attribute__((always_inline)) void FN(carry)(const REAL *d, REAL *x, REAL *lost)
{
  const REAL y = *d + *lost, sum = *x + y;
  *lost = y - (sum - *x);
  *x = sum;
}

/* c = a b of quaternions */
static inline __attribute__((always_inline)) void FN(times)(const REAL a[4], const REAL b[4], REAL c[4])
{
  c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* sin|a|/|a| and cos|a| - 1 of t = |a|^2 <= 1, to rounding: no root, no branch. */
static inline __attribute__((always_inline)) void FN(half_series)(const REAL *square, REAL *sine, REAL *versed)
{
  const REAL t = *square;
  REAL s = t * (1.0 / 355687428096000.0) - 1.0 / 1307674368000.0;   /* 17!, 15! */
  REAL v = t * (1.0 / 6402373705728000.0) - 1.0 / 20922789888000.0; /* 18!, 16! */
  s = s * t + 1.0 / 6227020800.0, v = v * t + 1.0 / 87178291200.0;
  s = s * t - 1.0 / 39916800.0, v = v * t - 1.0 / 479001600.0;
  s = s * t + 1.0 / 362880.0, v = v * t + 1.0 / 3628800.0;
  s = s * t - 1.0 / 5040.0, v = v * t - 1.0 / 40320.0;
  s = s * t + 1.0 / 120.0, v = v * t + 1.0 / 720.0;
  s = s * t - 1.0 / 6.0, v = v * t - 1.0 / 24.0;
  *sine = s * t + 1.0;
  *versed = -t * (v * t + 0.5);
}

/* e - 1 of the quaternion e = (cos |a|, sin |a| a/|a|) of the rotation vector 2 a = scale v.                     [rigid 5] */
static inline __attribute__((always_inline)) bool FN(small_turn)(const REAL *scale, const REAL v[3], REAL e[4])
{
  const REAL s = 0.5 * *scale, a[3] = {s * v[0], s * v[1], s * v[2]};
  const REAL t = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
  REAL sine, versed;
  const bool easy = HALF_TURN(t, sine, versed);
  e[0] = versed, e[1] = sine * a[0], e[2] = sine * a[1], e[3] = sine * a[2];
  return easy;
}

/* All moments equal: q <- exp(dt h/I) q.                                                                     [rigid 2] */
static inline __attribute__((always_inline)) bool FN(turn_even)(double dt, const REAL u[3], const REAL q[4],
                                                                const REAL h[3], REAL dq[4])
{
  REAL e[4];
  const REAL scale = dt * u[0];
  const bool easy = FN(small_turn)(&scale, h, e);
  FN(times)(e, q, dq);
  return easy;
}

/* H = R(q)^T h: the spin in body axes, with 2/|q|^2 as in vvi_quaternion_matrix */
static inline __attribute__((always_inline)) void FN(body_spin)(const REAL q[4], const REAL h[3], REAL H[3])
{
  const REAL w = q[0], x = q[1], y = q[2], z = q[3], s = 2.0 / (w * w + x * x + y * y + z * z);
  H[0] = h[0] + s * ((x * y + w * z) * h[1] + (x * z - w * y) * h[2] - (y * y + z * z) * h[0]);
  H[1] = h[1] + s * ((x * y - w * z) * h[0] + (y * z + w * x) * h[2] - (x * x + z * z) * h[1]);
  H[2] = h[2] + s * ((x * z + w * y) * h[0] + (y * z - w * x) * h[1] - (x * x + y * y) * h[2]);
}

/* Two equal moments: q <- exp(dt h/I1) q exp(dt (1/I3 - 1/I1) H3 e3).                                        [rigid 3]
 * With exp = 1 + e on both sides, dq = e q + (q + e q) f: nothing is lost to the ones. */
static inline __attribute__((always_inline)) bool FN(turn_top)(double dt, const REAL u[3], const REAL q[4],
                                                               const REAL h[3], REAL dq[4])
{
  REAL e[4], H[3], sine, versed, left[4], all[4];
  const REAL scale = dt * u[0];
  FN(body_spin)(q, h, H);
  bool easy = FN(small_turn)(&scale, h, e);
  const REAL a = 0.5 * dt * (u[2] - u[0]) * H[2], t = a * a;
  easy = HALF_TURN(t, sine, versed) && easy;
  const REAL f = sine * a;
  FN(times)(e, q, left);
  for (int c = 0; c < 4; c++) all[c] = q[c] + left[c];
  dq[0] = left[0] + (all[0] * versed - all[3] * f);
  dq[1] = left[1] + (all[1] * versed + all[2] * f);
  dq[2] = left[2] + (all[2] * versed - all[1] * f);
  dq[3] = left[3] + (all[3] * versed + all[0] * f);
  return easy;
}

static inline __attribute__((always_inline)) void FN(cross)(const REAL a[3], const REAL b[3], REAL c[3])
{
  c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

/* b = (1 - cos)/t, c = (theta - sin)/(theta t) and a = sin/theta = 1 - t c of theta = sqrt(t) <= 1.2, as in so3.h */
static inline __attribute__((always_inline)) void FN(stumpff)(const REAL *square, REAL *a, REAL *b, REAL *c)
{
  const REAL t = *square;
  REAL u = t * (1.0 / 6402373705728000.0) - 1.0 / 20922789888000.0;    /* 18!, 16! */
  REAL v = t * (1.0 / 121645100408832000.0) - 1.0 / 355687428096000.0; /* 19!, 17! */
  u = u * t + 1.0 / 87178291200.0, v = v * t + 1.0 / 1307674368000.0;
  u = u * t - 1.0 / 479001600.0, v = v * t - 1.0 / 6227020800.0;
  u = u * t + 1.0 / 3628800.0, v = v * t + 1.0 / 39916800.0;
  u = u * t - 1.0 / 40320.0, v = v * t - 1.0 / 362880.0;
  u = u * t + 1.0 / 720.0, v = v * t + 1.0 / 5040.0;
  u = u * t - 1.0 / 24.0, v = v * t - 1.0 / 120.0;
  *b = u * t + 0.5;
  *c = v * t + 1.0 / 6.0;
  *a = 1.0 - t * *c;
}

/* A dy = r by Cramer's rule; A by columns */
static inline __attribute__((always_inline)) void FN(solve)(REAL A[3][3], const REAL r[3], REAL dy[3])
{
  REAL m[3][3];
  FN(cross)(A[1], A[2], m[0]);
  FN(cross)(A[2], A[0], m[1]);
  FN(cross)(A[0], A[1], m[2]);
  const REAL d = 1.0 / (A[0][0] * m[0][0] + A[0][1] * m[0][1] + A[0][2] * m[0][2]);
  for (int c = 0; c < 3; c++) dy[c] = d * (r[0] * m[c][0] + r[1] * m[c][1] + r[2] * m[c][2]);
}

/* One Newton step for y = (W1 - W)/2 with Theta = dt (W + y):                                            [rigid 1, 7]
 *
 *   r = 2 I y + a Theta x H - b Theta x (Theta x H),   H1 = exp(-Theta) H = H - a Theta x H + b Theta x (Theta x H)
 *   dr/dy = 2 I - dt H1^ (1 - b Theta^ + c Theta^ Theta^)
 *         = 2 I - dt ((1 - c t) H1^ - b (Theta H1^T - (H1.Theta) 1) + c (H1 x Theta) Theta^T) */
static inline __attribute__((always_inline)) void FN(newton)(double dt, const REAL I[3], const REAL W[3],
                                                             const REAL H[3], const REAL y[3], REAL dy[3])
{
  REAL th[3], a, b, c, v[3], w[3], r[3], H1[3], A[3][3];
  for (int k = 0; k < 3; k++) th[k] = dt * (W[k] + y[k]);
  const REAL t = th[0] * th[0] + th[1] * th[1] + th[2] * th[2];
  FN(stumpff)(&t, &a, &b, &c);
  FN(cross)(th, H, v);
  FN(cross)(th, v, w);
  for (int k = 0; k < 3; k++) {
    const REAL change = b * w[k] - a * v[k];
    r[k] = 2.0 * I[k] * y[k] - change;
    H1[k] = H[k] + change;
  }
  FN(cross)(H1, th, v);
  const REAL s = dt * (1.0 - c * t), d = dt * b, f = dt * c;
  const REAL along = d * (H1[0] * th[0] + H1[1] * th[1] + H1[2] * th[2]);
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) A[j][i] = d * th[i] * H1[j] - f * v[i] * th[j];
  for (int j = 0; j < 3; j++) A[j][j] += 2.0 * I[j] - along;
  A[1][0] += s * H1[2], A[2][0] -= s * H1[1];
  A[0][1] -= s * H1[2], A[2][1] += s * H1[0];
  A[0][2] += s * H1[1], A[1][2] -= s * H1[0];
  FN(solve)(A, r, dy);
}

/* Any moments: Simo and Wong's step in body axes, q <- q exp(Theta).  Returns Newton steps; 0: not easy, because the body
 * turns by more than 1 or the iteration did not end.  The largest angular velocity that a free body reaches follows from
 * what it keeps,                                                                                           [rigid 1, 8]
 *
 *   omega^2 <= 2 T (1/I_min + 1/I_max) - h^2/(I_min I_max),
 *
 * so that the way back is cut as the way there.  low, high: the extreme inverse moments. */
static inline __attribute__((always_inline)) int FN(turn_uneven)(double dt, const REAL I[3], const REAL u[3],
                                                                 const REAL *low, const REAL *high, const REAL q[4],
                                                                 const REAL h[3], REAL dq[4])
{
  enum { MOST = 12 };
  REAL H[3], W[3], y[3], v[3], w[3], e[4];
  FN(body_spin)(q, h, H);
  for (int c = 0; c < 3; c++) W[c] = u[c] * H[c];
  const REAL size = H[0] * H[0] + H[1] * H[1] + H[2] * H[2], twice = W[0] * H[0] + W[1] * H[1] + W[2] * H[2];
  const REAL fast = (twice * (*low + *high) - size * *low * *high) * (dt * dt);
  const MASK slow = fast <= 1.0;
  if (!ALL(slow)) return 0;
  FN(cross)(H, W, v); /* Euler's equations by the middle of the step: y to third order */
  for (int c = 0; c < 3; c++) w[c] = W[c] + 0.5 * dt * u[c] * v[c], y[c] = I[c] * w[c];
  FN(cross)(y, w, v);
  for (int c = 0; c < 3; c++) y[c] = 0.5 * dt * u[c] * v[c];
  MASK done = size < 0.0;
  for (int n = 1; n <= MOST; n++) {
    REAL dy[3], left = 0.0 * size;
    FN(newton)(dt, I, W, H, y, dy);
    for (int c = 0; c < 3; c++) {
      y[c] = CHOOSE(done, y[c], y[c] - dy[c]);
      left += I[c] * dy[c] * (I[c] * dy[c]);
    }
    done |= left <= 1e-18 * size; /* the next step would be of the size of its square */
    if (!ALL(done)) continue;
    for (int c = 0; c < 3; c++) v[c] = W[c] + y[c];
    const REAL length = dt + 0.0 * size;
    if (!FN(small_turn)(&length, v, e)) return 0;
    FN(times)(q, e, dq);
    return n;
  }
  return 0;
}

/* One body: x <- x + dt p/m and the turn of its class, cut into `pieces`.  Returns iterations (1 for a closed form); 0: not
 * easy, and then q is as it was. */
static inline __attribute__((always_inline)) int FN(fly)(rigid_class kind, double dt, int pieces,
                                                         const REAL *inverse_mass, const REAL I[3], const REAL u[3],
                                                         const REAL *low, const REAL *high, const REAL p[6], REAL q[14])
{
  REAL turn[4], lost[4], dq[4];
  int most = 1;
  for (int c = 0; c < 4; c++) turn[c] = q[RIGID_TURN + c], lost[c] = q[RIGID_CARRY + 3 + c];
  for (int k = 0; k < pieces; k++) {
    int n = 1;
    if (kind == RIGID_EVEN)
      n = FN(turn_even)(dt, u, turn, p + RIGID_H, dq);
    else if (kind == RIGID_TOP)
      n = FN(turn_top)(dt, u, turn, p + RIGID_H, dq);
    else
      n = FN(turn_uneven)(dt / pieces, I, u, low, high, turn, p + RIGID_H, dq);
    if (n == 0) return 0;
    if (n > most) most = n;
    for (int c = 0; c < 4; c++) FN(carry)(&dq[c], &turn[c], &lost[c]);
  }
  for (int c = 0; c < 4; c++) q[RIGID_TURN + c] = turn[c], q[RIGID_CARRY + 3 + c] = lost[c];
  for (int c = 0; c < 3; c++) {
    const REAL way = dt * (*inverse_mass * p[RIGID_P + c]);
    FN(carry)(&way, &q[RIGID_X + c], &q[RIGID_CARRY + c]);
  }
  return most;
}
