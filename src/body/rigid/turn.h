/* body/rigid/turn.h  Half angles of turns.  Accelerators compile the same text, as OpenCL C: no header of the C
 * library, no guard by pragma. */
#ifndef VVI_RIGID_TURN_H
#define VVI_RIGID_TURN_H

static inline __attribute__((always_inline)) void half_series_double(const double *t, double *sine, double *versed);

/* sin|a|/|a| and cos|a| - 1 of t = |a|^2, any angle.  Far ones without a library: what is left of |a| after whole turns, in a
 * sum of three parts of 2 pi (the first two of 33 bits, so that up to 2^20 turns are exact), then the series at a quarter of
 * it and twice sin 2x = 2 sin x cos x, cos 2x - 1 = -2 sin^2 x. */
static inline __attribute__((always_inline)) bool half_turn_double(const double *square, double *sine, double *versed)
{
  const double t = *square;
  if (t <= 1.0) {
    half_series_double(square, sine, versed);
    return true;
  }
  const double a = sqrt(t), turns = rint(a * 0.15915494309189535);
  const double rest =
      ((a - turns * 6.2831853069365025) - turns * 2.4308402025215864e-10) - turns * 8.089064995183803e-21;
  const double x = 0.25 * rest, xx = x * x;
  double s, v;
  half_series_double(&xx, &s, &v);
  const double once = 2.0 * (s * x) * (1.0 + v), cosine = -2.0 * (s * x) * (s * x);
  *sine = 2.0 * once * (1.0 + cosine) / a;
  *versed = -2.0 * once * once;
  return true;
}
#endif
