/* body/shell/move.cl  A node that is moved on a device. */

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
