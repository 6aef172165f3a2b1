/* model/return_lanes.h  The return map of material.h for LANES elements at once, written once for all kinds of bodies.  No header
 * guard: it is included with REAL, a vector of LANES doubles; MASK, integers as wide; FN(name); and ROOT(x), x = sqrt(x).
 *
 * Several points of every element are taken in step, so that divisions and roots of different points overlap. */

#ifndef VVI_RETURN_LANES
#define VVI_RETURN_LANES
enum { VVI_RETURN_MOST = 9 }; /* points in step */
typedef int64_t vvi_two_masks __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));
#define VVI_PICK(mask, a, b) ((REAL)(((mask) & (MASK)(a)) | (~(mask) & (MASK)(b))))
#define VVI_INLINE           static inline __attribute__((always_inline))
#endif

VVI_INLINE int FN(any)(const MASK *m)
{
  const vvi_two_masks *two = (const vvi_two_masks *)m;
  vvi_two_masks all = two[0];
  for (int l = 1; l < LANES / 2; l++) all |= two[l];
  return (all[0] | all[1]) != 0;
}

/* Yield stress and its slope at alpha, without the rate. */
VVI_INLINE void FN(plastic_yield)(const vvi_plastic *p, const REAL *alpha, REAL *Y, REAL *H)
{
  const REAL none = {0};
  REAL y = p->yield + none, sum = none;
  for (int i = 0; i < (int)p->pieces; i++) {
    const REAL slope = p->slope[i] + none, on = VVI_PICK((MASK)(*alpha >= p->at[i] + none), slope, none);
    y += on * (*alpha - p->at[i]), sum += on;
  }
  *Y = y, *H = sum;
}

/* The first theta, from theta = 0.  There 1/s(theta) is 1/s (1 + p theta + 3/2 (p^2 - r) theta^2 + ...), p = (a A + b B)/s^2,
 * r = (a^2 A + b^2 B)/s^2; Newton's step solves the linear part, and where the next one is small it is taken as well.
 *                                                                                                              [mat 5a] */
VVI_INLINE void FN(plastic_start)(double a, double b, const REAL *A, const REAL *B, const REAL *Y, const REAL *H,
                                  const REAL *s, REAL *theta)
{
  const REAL none = {0}, s2 = *s * *s, p = a * *A + b * *B, r = (a * a) * *A + (b * b) * *B;
  const REAL over = 1.0 / (p * *Y + *H * (s2 * *s)), step = (*s - *Y) * over, first = step * s2;
  const REAL more = 1.5 * (r * s2 - p * p) * (*Y * over) * step;
  *theta = first + VVI_PICK((MASK)(more < none + 0.25), first * more, none);
}

/* A, B: squares of the two parts of the trial stress, a and b their moduli; on: lanes that flow, the others get theta = 0.  A lane
 * stands still once it is at its yield stress to 1e-7, which takes no round after the start of ordinary steps, and three for any
 * overshoot.                                                                                                     [mat 5] */
VVI_INLINE void FN(plastic_rounds)(double a, double b, int points, const REAL *A, const REAL *B, const REAL *Y,
                                   const REAL *H, const MASK *on, REAL *theta, REAL *x, REAL *y, REAL *grown)
{
  enum { ROUNDS = 4 };
  const double close = 1e-7;
  const REAL none = {0}, one = none + 1.0;
  REAL s[VVI_RETURN_MOST];
  MASK moves[VVI_RETURN_MOST], busy = {0};
  for (int i = 0; i < points; i++) {
    s[i] = VVI_PICK(on[i], A[i] + B[i], one);
    ROOT(s[i]);
    FN(plastic_start)(a, b, &A[i], &B[i], &Y[i], &H[i], &s[i], &theta[i]);
    moves[i] = on[i] & (MASK)(s[i] - Y[i] > 2.0 * close * Y[i]); /* what has been returned stays where it is */
    theta[i] = VVI_PICK(moves[i], theta[i], none), busy |= moves[i];
    x[i] = y[i] = one;
  }
  for (int round = 0; round < ROUNDS && FN(any)(&busy); round++) {
    busy = (MASK)(none > one);
    for (int i = 0; i < points; i++) {
      const REAL one_a = 1.0 + a * theta[i], one_b = 1.0 + b * theta[i], both = 1.0 / (one_a * one_b);
      REAL size = A[i] * (one_b * one_b) + B[i] * (one_a * one_a);
      ROOT(size);
      s[i] = VVI_PICK(moves[i], size * both, s[i]);
      x[i] = VVI_PICK(moves[i], one_b * both, x[i]), y[i] = VVI_PICK(moves[i], one_a * both, y[i]);
      const REAL miss = s[i] * (1.0 - H[i] * theta[i]) - Y[i];
      moves[i] &= (MASK)(miss > close * Y[i]) | (MASK)(miss < -close * Y[i]);
      busy |= moves[i];
    }
    if (round == ROUNDS - 1 || !FN(any)(&busy)) break;
    for (int i = 0; i < points; i++) {
      const REAL s2 = s[i] * s[i], u = x[i], v = y[i], miss = s[i] * (1.0 - H[i] * theta[i]) - Y[i];
      const REAL below = (a * A[i] * (u * u * u) + b * B[i] * (v * v * v)) * Y[i] + H[i] * (s2 * s[i]);
      theta[i] += VVI_PICK(moves[i], miss * s2 / VVI_PICK(moves[i], below, one), none);
    }
  }
  for (int i = 0; i < points; i++) {
    const MASK flows = on[i] & (MASK)(theta[i] > none);
    theta[i] = VVI_PICK(flows, theta[i], none);
    x[i] = VVI_PICK(flows, x[i], one), y[i] = VVI_PICK(flows, y[i], one);
    grown[i] = theta[i] * s[i];
  }
}

/* With a rate law lane by lane: only those that flow pay for it. */
VVI_INLINE void FN(plastic_rounds_rate)(const vvi_plastic *p, double a, double b, int points, double h, const REAL *A,
                                        const REAL *B, const REAL *alpha, const MASK *on, REAL *theta, REAL *x, REAL *y,
                                        REAL *grown)
{
  for (int i = 0; i < points; i++)
    for (int l = 0; l < LANES; l++) {
      vvi_returned r = {.x = 1.0, .y = 1.0};
      if (on[i][l] != 0) r = vvi_plastic_return(p, A[i][l], a, B[i][l], b, alpha[i][l], h);
      x[i][l] = r.x, y[i][l] = r.y, theta[i][l] = r.theta, grown[i][l] = r.dalpha;
    }
}
