/* model/return_lanes.h  The return map of material.h for LANES elements at once, written once for all kinds of bodies.  No header
 * guard: it is included with REAL, a vector of LANES doubles; MASK, integers as wide; FN(name); and ROOT(x), x = sqrt(x).
 *
 * Several points of every element are taken in step, so that divisions and roots of different points overlap. */

#ifndef VVI_RETURN_LANES
#define VVI_RETURN_LANES
#define VVI_INLINE static inline __attribute__((always_inline))
#ifndef VVI_ONE_LANE          /* accelerators: REAL is a double, MASK an int, and these are set */
enum { VVI_RETURN_MOST = 9 }; /* points in step */
typedef int64_t vvi_two_masks __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));
#define VVI_PICK(mask, a, b) ((REAL)(((mask) & (MASK)(a)) | (~(mask) & (MASK)(b))))
#define VVI_LANE(x, l)       ((x)[l])
#define VVI_RETURN_ONE       vvi_plastic_return
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

/* With a rate law lane by lane: only those that flow pay for it. */
VVI_INLINE void FN(plastic_rounds_rate)(VVI_LAW_SPACE const vvi_plastic *p, double a, double b, int points, double h,
                                        const REAL *A, const REAL *B, const REAL *alpha, const MASK *on, REAL *theta,
                                        REAL *x, REAL *y, REAL *grown)
{
  for (int i = 0; i < points; i++)
    for (int l = 0; l < LANES; l++) {
      vvi_returned r = {.x = 1.0, .y = 1.0};
      if (VVI_LANE(on[i], l) != 0)
        r = VVI_RETURN_ONE(p, VVI_LANE(A[i], l), a, VVI_LANE(B[i], l), b, VVI_LANE(alpha[i], l), h);
      VVI_LANE(x[i], l) = r.x, VVI_LANE(y[i], l) = r.y, VVI_LANE(theta[i], l) = r.theta;
      VVI_LANE(grown[i], l) = r.dalpha;
    }
}
