/* body/shell/move.cl  Moves one node of a shell on a device. */

/* One coordinate of a node by its gradient; Q, P: what it is before. */
static void move_from(int move, double h, double g, double m, double minv, double grad, double Q, double P,
                      __global double *q, __global double *p)
{
  if (move == KICK) {
    P = shell_kicked(h, g, m, grad, P);
  } else {
    P = shell_kicked_twice(h, g, m, grad, P);
    *q = shell_place_after(h, minv, P, Q);
  }
  *p = minv > 0.0 ? P : 0.0;
}

/* The same, from one set of columns to another, or in place. */
static void move_one(int move, double h, double g, double m, double minv, double grad, __global const double *q,
                     __global const double *p, __global double *q_out, __global double *p_out)
{
  move_from(move, h, g, m, minv, grad, *q, *p, q_out, p_out);
}

/* Gradient of node k of a tile; shared: rows of those behind the inner ones, as join has them, whose slots lie `by` further on. */
static void gradient_of(int k, int inner, int slot0, __global const int4 *shared, __global const int *other, int slots,
                        int by, __global const double *slot, double grad[3])
{
  for (int c = 0; c < 3; c++) grad[c] = slot[c * slots + slot0 + k];
  if (k < inner) return;
  const int4 s = shared[2 * (k - inner)], o = shared[2 * (k - inner) + 1];
  for (int j = 0; j < s.z; j++) {
    const int at = by + (j == 0 ? o.x : j == 1 ? o.y : j == 2 ? o.z : j == 3 ? o.w : other[s.w + j - 4]);
    for (int c = 0; c < 3; c++) grad[c] += slot[c * slots + at];
  }
}
