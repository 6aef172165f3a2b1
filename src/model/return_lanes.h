/* model/return_lanes.h  The return map of material.h for LANES elements at once, written once for all kinds of bodies.  No header
 * guard: it is included with REAL, a vector of LANES doubles; MASK, integers as wide; FN(name); and ROOT(x), x = sqrt(x).
 *
 * Several points of every element are taken in step, so that divisions and roots of different points overlap.  With VVI_ONE_LANE,
 * REAL is a double and MASK an int, and VVI_PICK and VVI_RETURN_MOST are set: so accelerators compile the same text, as OpenCL C. */

#ifndef VVI_RETURN_LANES
#define VVI_RETURN_LANES
#define VVI_INLINE static inline __attribute__((always_inline))
#ifndef VVI_ONE_LANE
enum { VVI_RETURN_MOST = 9 }; /* points in step */
typedef int64_t vvi_two_masks __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));
#define VVI_PICK(mask, a, b) ((REAL)(((mask) & (MASK)(a)) | (~(mask) & (MASK)(b))))
#endif
#endif

VVI_INLINE int FN(any)(const MASK *m)
{
#ifdef VVI_ONE_LANE
  return *m != 0;
#else
  const vvi_two_masks *two = (const vvi_two_masks *)m;
  vvi_two_masks all = two[0];
  for (int l = 1; l < LANES / 2; l++) all |= two[l];
  return (all[0] | all[1]) != 0;
#endif
}

/* Yield stress and its slope at alpha, without the rate. */
VVI_INLINE void FN(plastic_yield)(VVI_LAW_SPACE const vvi_plastic *p, const REAL *alpha, REAL *Y, REAL *H)
{
  const REAL none = {0};
  REAL y = p->yield + none, sum = none;
  if (p->pieces <= 1.0) { /* a straight line from alpha = 0 on */
    *Y = y + p->slope[0] * *alpha, *H = p->slope[0] + none;
    return;
  }
  for (int i = 0; i < (int)p->pieces; i++) {
    const REAL slope = p->slope[i] + none, on = VVI_PICK((MASK)(*alpha >= p->at[i] + none), slope, none);
    y += on * (*alpha - p->at[i]), sum += on;
  }
  *Y = y, *H = sum;
}

/* Damage of an element of length l whose plastic strain is alpha: what it carries one way falls linearly from f->begin at
 * f->strain to nothing, however it hardens.                                                                      [mat 14b] */
VVI_INLINE void FN(plastic_damage)(VVI_LAW_SPACE const vvi_plastic *p, VVI_LAW_SPACE const vvi_failure *f,
                                   const REAL *l, const REAL *alpha, REAL *damage)
{
  const REAL none = {0}, one = none + 1.0, more = *alpha - f->strain;
  REAL stress, slope;
  FN(plastic_yield)(p, alpha, &stress, &slope);
  stress += p->kinematic * *alpha;
  const REAL wanted = 1.0 - (1.0 - more * (*l * f->softening)) * (f->begin / stress);
  *damage = VVI_PICK((MASK)(more > none), VVI_PICK((MASK)(wanted < one), wanted, one), none);
}

/* x[i] <- 1/x[i] of up to VVI_RETURN_MOST points: one division for three, by products. */
VVI_INLINE void FN(invert)(int points, REAL *x)
{
  int i = 0;
  for (; i + 3 <= points; i += 3) {
    const REAL a = x[i], b = x[i + 1], c = x[i + 2], ab = a * b, all = 1.0 / (ab * c), two = all * c;
    x[i] = two * b, x[i + 1] = two * a, x[i + 2] = all * ab;
  }
  if (i + 2 == points) {
    const REAL a = x[i], b = x[i + 1], both = 1.0 / (a * b);
    x[i] = both * b, x[i + 1] = both * a;
  } else if (i < points)
    x[i] = 1.0 / x[i];
}

/* Lanes that flow.  What has been returned, which is to 1e-7 of the yield stress, stays where it is. */
VVI_INLINE void FN(plastic_on)(const REAL *A, const REAL *B, const REAL *Y, MASK *on)
{
  *on = (MASK)(*A + *B > (1.0 + 4e-7) * (*Y * *Y));
}

/* The first theta of all points, from theta = 0.  There 1/s(theta) is 1/s (1 + p theta - 3/2 v theta^2 + (3/2 p v + 2 w) theta^3
 * + ...), where p, v and w = v (a + b - 2 p) are mean, variance and third moment of the moduli by A and B.  Newton's step solves
 * the linear part; where the next terms are small they are taken along.  on: lanes that get one.                 [mat 5a] */
VVI_INLINE void FN(plastic_start)(double a, double b, int points, const REAL *A, const REAL *B, const REAL *Y,
                                  const REAL *H, const MASK *on, REAL *theta)
{
  const REAL none = {0}, one = none + 1.0;
  REAL s[VVI_RETURN_MOST], over[VVI_RETURN_MOST];
  for (int i = 0; i < points; i++) {
    const REAL s2 = A[i] + B[i];
    s[i] = s2;
    ROOT(s[i]);
    over[i] = VVI_PICK(on[i], (a * A[i] + b * B[i]) * Y[i] + H[i] * (s2 * s[i]), one);
  }
  FN(invert)(points, over);
  for (int i = 0; i < points; i++) {
    const REAL s2 = A[i] + B[i], p = a * A[i] + b * B[i], r = (a * a) * A[i] + (b * b) * B[i];
    const REAL step = (s[i] - Y[i]) * over[i], first = step * s2;
    const REAL more = 1.5 * (r * s2 - p * p) * (Y[i] * over[i]) * step;
    const REAL next = 1.0 + (2.0 * more + ((5.0 / 3.0) * (p * step) - (4.0 / 3.0 * (a + b)) * first));
    const REAL terms = more * VVI_PICK((MASK)(next > none + 0.5), next, one);
    theta[i] = VVI_PICK(on[i], first + VVI_PICK((MASK)(more < none + 0.25), first * terms, none), none);
  }
}

/* One step of Newton for lanes that move. */
VVI_INLINE void FN(plastic_newton)(double a, double b, const REAL *A, const REAL *B, const REAL *Y, const REAL *H,
                                   const REAL *x, const REAL *y, const MASK *moves, REAL *theta)
{
  const REAL none = {0}, one = none + 1.0, u = *x, v = *y;
  const REAL s2 = VVI_PICK(*moves, *A * (u * u) + *B * (v * v), one);
  REAL s = s2;
  ROOT(s);
  const REAL miss = s * (1.0 - *H * *theta) - *Y;
  const REAL below = (a * *A * (u * u * u) + b * *B * (v * v * v)) * *Y + *H * (s2 * s);
  const REAL to = *theta + VVI_PICK(*moves, miss * s2 / VVI_PICK(*moves, below, one), none);
  *theta = VVI_PICK((MASK)(to > none), to, none);
}

/* A, B: squares of the two parts of the trial stress, a and b their moduli; on: lanes that flow, the others get theta = 0.  A lane
 * stands still once it is at its yield stress Y/(1 - H theta) to 1e-7, which takes no round after the start of ordinary steps, and
 * three for any overshoot.  Squares are compared, so that only lanes that go on need a root.                      [mat 5] */
VVI_INLINE void FN(plastic_rounds)(double a, double b, int points, const REAL *A, const REAL *B, const REAL *Y,
                                   const REAL *H, const MASK *on, REAL *theta, REAL *x, REAL *y, REAL *grown)
{
  enum { ROUNDS = 4 };
  const double close = 2e-7; /* of squares */
  const REAL none = {0}, one = none + 1.0, least = none + 1e-9;
  REAL left[VVI_RETURN_MOST], over[VVI_RETURN_MOST];
  MASK moves[VVI_RETURN_MOST], busy;
  FN(plastic_start)(a, b, points, A, B, Y, H, on, theta);
  for (int i = 0; i < points; i++) moves[i] = on[i];
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < points; i++) {
      const REAL rest = 1.0 - H[i] * theta[i];
      left[i] = VVI_PICK((MASK)(rest > least), rest, least);
      over[i] = ((1.0 + a * theta[i]) * (1.0 + b * theta[i])) * left[i];
    }
    FN(invert)(points, over);
    busy = (MASK)(none > one);
    for (int i = 0; i < points; i++) {
      const REAL one_a = 1.0 + a * theta[i], one_b = 1.0 + b * theta[i], u = left[i] * over[i];
      x[i] = one_b * u, y[i] = one_a * u;
      const REAL yields = Y[i] * ((one_a * one_b) * over[i]), s2 = A[i] * (x[i] * x[i]) + B[i] * (y[i] * y[i]);
      const REAL square = yields * yields, miss = s2 - square, most = close * square;
      grown[i] = theta[i] * yields;
      moves[i] &= (MASK)(miss * miss > most * most); /* one comparison: compilers take two apart into lanes */
      busy |= moves[i];
    }
    if (round == ROUNDS - 1 || !FN(any)(&busy)) return;
    for (int i = 0; i < points; i++)
      FN(plastic_newton)(a, b, &A[i], &B[i], &Y[i], &H[i], &x[i], &y[i], &moves[i], &theta[i]);
  }
}

/* ---- rates ---- */

/* ln x of x > 0, not subnormal.  x = 2^k m, 1/sqrt 2 <= m < sqrt 2; with s = (m - 1)/(m + 1) it is k ln 2 + 2 (s + s^3/3 + ...):
 * |s| < 0.172, and eleven terms leave less than 2e-18.  By operations that round alike everywhere, as all of this. */
VVI_INLINE void FN(log)(const REAL *x, REAL *out)
{
  const double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33; /* the first has zeros behind it */
  const REAL none = {0};
  REAL m, k;
#ifdef VVI_ONE_LANE
  int two;
  m = 2.0 * frexp(*x, &two), k = two - 1;
#else
  const MASK bits = (MASK)*x;
  m = (REAL)((bits & 0xfffffffffffff) | 0x3ff0000000000000);
  k = (REAL)(((bits >> 52) - 1023) + 0x4338000000000000) - 0x1.8p52;
#endif
  const REAL large = VVI_PICK((MASK)(m >= none + 1.41421356237309504), none + 1.0, none);
  m = (1.0 - 0.5 * large) * m, k = k + large;
  const REAL s = (m - 1.0) / (m + 1.0), t = s * s;
  /* clang-format off */
  REAL sum = 1.0 / 21.0 + t * (1.0 / 23.0);
  sum = 1.0 / 15.0 + t * (1.0 / 17.0 + t * (1.0 / 19.0 + t * sum));
  sum = 1.0 / 9.0 + t * (1.0 / 11.0 + t * (1.0 / 13.0 + t * sum));
  sum = 1.0 / 3.0 + t * (1.0 / 5.0 + t * (1.0 / 7.0 + t * sum));
  /* clang-format on */
  *out = k * ln2_high + (2.0 * s + (2.0 * s * (t * sum) + k * ln2_low));
}

/* exp x for |x| < 700: 2^k times the series of what is left, |r| < 0.35, of which 14 terms leave less than 1e-18. */
VVI_INLINE void FN(exp)(const REAL *x, REAL *out)
{
  const double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
  const REAL t = *x * 1.4426950408889634 + 0x1.8p52, k = t - 0x1.8p52, r = (*x - k * ln2_high) - k * ln2_low;
  /* clang-format off */
  REAL sum = 1.0 / 6227020800.0 + r * (1.0 / 87178291200.0);
  sum = 1.0 / 3628800.0 + r * (1.0 / 39916800.0 + r * (1.0 / 479001600.0 + r * sum));
  sum = 1.0 / 5040.0 + r * (1.0 / 40320.0 + r * (1.0 / 362880.0 + r * sum));
  sum = 1.0 / 24.0 + r * (1.0 / 120.0 + r * (1.0 / 720.0 + r * sum));
  sum = 1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * sum)));
  /* clang-format on */
#ifdef VVI_ONE_LANE
  *out = ldexp(sum, (int)k);
#else
  *out = sum * (REAL)((((MASK)t - 0x4338000000000000) << 52) + 0x3ff0000000000000);
#endif
}

VVI_INLINE void FN(clip)(double low, double high, REAL *x)
{
  const REAL none = {0};
  *x = VVI_PICK((MASK)(*x > none + low), *x, none + low);
  *x = VVI_PICK((MASK)(*x < none + high), *x, none + high);
}

/* w^q: whole q up to 16 by products. */
VVI_INLINE void FN(power)(const REAL *w, double q, REAL *out)
{
  const REAL none = {0};
  const int n = (int)q;
  if (q != n || n > 16) {
    REAL l, all = *w;
    FN(clip)(1e-300, 1e300, &all);
    FN(log)(&all, &l);
    l = q * l;
    FN(clip)(-690.0, 690.0, &l);
    FN(exp)(&l, out);
    return;
  }
  REAL all = none + 1.0, base = *w;
  for (int bit = n; bit > 0; bit /= 2) {
    if (bit % 2 == 1) all = all * base;
    base = base * base;
  }
  *out = all;
}

/* Growth d of alpha in a step, where the stress falls as s - c d: (s - c d) = (Y + H d) times the factor of the rate d/h.  What is
 * solved for is, of Cowper and Symonds, w = (d/(h D))^(1/q), the factor less 1; of Johnson and Cook l = ln(d/(h reference)).  In
 * both the left side less the right one falls, ever faster, so that Newton's steps from above do not pass the root; above is the
 * growth without a rate.                                                                                       [mat 7] */
VVI_INLINE void FN(rate_growth)(VVI_LAW_SPACE const vvi_plastic *p, double h, const REAL *s, const REAL *c,
                                const REAL *Y, const REAL *H, REAL *d)
{
  enum { ROUNDS = 40 };
  const REAL none = {0}, one = none + 1.0;
  const double unit = p->rate * h, q = p->exponent;
  const int cowper = p->rate_law == VVI_COWPER_SYMONDS;
  const REAL most = (*s - *Y) / (*c + *H);
  REAL ratio = most / unit, x, grown = most;
  FN(clip)(1e-300, 1e300, &ratio);
  FN(log)(&ratio, &x);
  const MASK slow = (MASK)(ratio <= one); /* Johnson and Cook: no effect below the reference */
  if (cowper) {
    const REAL root = (1.0 / q) * x, bound = *s / *Y - 1.0;
    REAL w;
    FN(exp)(&root, &w);
    x = VVI_PICK((MASK)(w < bound), w, bound);
  }
  for (int round = 0; round < ROUNDS; round++) {
    REAL factor, slope, to;
    if (cowper) {
      FN(power)(&x, q, &grown);
      grown = unit * grown;
      factor = 1.0 + x, slope = (*Y + *H * grown) + (factor * *H + *c) * (q * grown) / x;
    } else {
      REAL l = VVI_PICK(slow, none, x);
      FN(clip)(0.0, 690.0, &l);
      FN(exp)(&l, &grown);
      grown = VVI_PICK(slow, most, unit * grown);
      factor = 1.0 + VVI_PICK(slow, none, q * x);
      slope = q * (*Y + *H * grown) + (factor * *H + *c) * grown;
    }
    const REAL over = (factor * (*Y + *H * grown) + *c * grown) - *s;
    to = x - over / slope;
    if (cowper) FN(clip)(1e-300, 1e300, &to);
    const REAL close = 1e-9 * *s;
    const MASK busy = (MASK)(over * over > close * close);
    if (!FN(any)(&busy)) break;
    x = VVI_PICK(busy, to, x);
  }
  *d = grown;
}

/* With a rate law: the stress after growing by d is s - c d with a modulus c between a and b, which a return by such a d tells.
 * Backward Euler.                                                                                              [mat 7] */
VVI_INLINE void FN(plastic_rounds_rate)(VVI_LAW_SPACE const vvi_plastic *p, double a, double b, int points, double h,
                                        const REAL *in_A, const REAL *in_B, const REAL *in_Y, const REAL *in_H,
                                        const MASK *on, REAL *theta, REAL *x, REAL *y, REAL *grown)
{
  enum { ROUNDS = 5 };
  const REAL none = {0}, one = none + 1.0;
  for (int i = 0; i < points; i++) {
    const REAL A = VVI_PICK(on[i], in_A[i], one + 3.0), B = VVI_PICK(on[i], in_B[i], none);
    const REAL Y = VVI_PICK(on[i], in_Y[i], one), H = in_H[i], s2 = A + B;
    REAL s = s2, c = (a * A + b * B) / s2, d, u, v, left, th = none;
    ROOT(s);
    u = v = one, left = s;
    for (int round = 0; round < ROUNDS; round++) {
      FN(rate_growth)(p, h, &s, &c, &Y, &H, &d);
      th = d / (s - c * d);
      u = 1.0 / (1.0 + a * th), v = 1.0 / (1.0 + b * th);
      left = A * (u * u) + B * (v * v);
      ROOT(left);
      const REAL miss = left - (s - c * d), close = 1e-8 * s;
      const MASK busy = (MASK)(miss * miss > close * close);
      if (!FN(any)(&busy)) break;
      const REAL fall = th * left;
      c = VVI_PICK(busy, (s - left) / VVI_PICK((MASK)(fall > none), fall, one), c);
    }
    const REAL flow = th * left;
    theta[i] = VVI_PICK(on[i], th, none), x[i] = VVI_PICK(on[i], u, one), y[i] = VVI_PICK(on[i], v, one);
    grown[i] = VVI_PICK(on[i], flow, none);
  }
}
