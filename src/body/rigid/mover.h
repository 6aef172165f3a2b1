/* body/rigid/mover.h  A body as a mover, for REAL = double and for eight at once.  No header guard: movers.c includes it with
 * REAL and FN(name) set.
 *
 * r: R(q) by rows, with 2/|q|^2; omega = R u R^T h; a = R u R^T, xx yy zz yz xz xy, u the inverse moments.         [rigid 9] */
static inline __attribute__((always_inline)) void FN(mover)(const REAL q[4], const REAL h[3], const REAL u[3],
                                                            REAL r[9], REAL omega[3], REAL a[6])
{
  static const int row[6] = {0, 1, 2, 1, 0, 0}, column[6] = {0, 1, 2, 2, 2, 1};
  const REAL w = q[0], x = q[1], y = q[2], z = q[3], s = 2.0 / (w * w + x * x + y * y + z * z);
  r[0] = 1.0 - s * (y * y + z * z), r[1] = s * (x * y - w * z), r[2] = s * (x * z + w * y);
  r[3] = s * (x * y + w * z), r[4] = 1.0 - s * (x * x + z * z), r[5] = s * (y * z - w * x);
  r[6] = s * (x * z - w * y), r[7] = s * (y * z + w * x), r[8] = 1.0 - s * (x * x + y * y);
  REAL along[3];
  for (int c = 0; c < 3; c++) along[c] = u[c] * (r[c] * h[0] + r[3 + c] * h[1] + r[6 + c] * h[2]);
  for (int c = 0; c < 3; c++) omega[c] = r[3 * c] * along[0] + r[3 * c + 1] * along[1] + r[3 * c + 2] * along[2];
  for (int c = 0; c < 6; c++) {
    const REAL *m = r + 3 * row[c], *n = r + 3 * column[c];
    a[c] = u[0] * m[0] * n[0] + u[1] * m[1] * n[1] + u[2] * m[2] * n[2];
  }
}
