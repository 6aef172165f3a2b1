/* body/rigid/rigid.cl  Flight and kicks of rigid bodies; as flight.c and loads.c do. */

__kernel void drift(int nodes, __global const int *kind, __global const double *real, int stride, int column, double dt,
                    __global double *q, __global const double *p)
{
  const int i = (int)get_global_id(0);
  if (i >= nodes || kind[i] == RIGID_HELD) return;
  double Q[RIGID_Q], P[RIGID_NODE_P], I[3], u[3];
  for (int c = 0; c < RIGID_Q; c++) Q[c] = q[c * column + i];
  for (int c = 0; c < RIGID_NODE_P; c++) P[c] = p[c * column + i];
  for (int c = 0; c < 3; c++) {
    I[c] = real[(RIGID_INERTIA + c) * stride + i];
    u[c] = real[(RIGID_INVERSE_INERTIA + c) * stride + i];
  }
  rigid_fly((rigid_class)kind[i], dt, real[RIGID_INVERSE_MASS * stride + i], I, u, P, Q);
  for (int c = 0; c < RIGID_Q; c++) q[c * column + i] = Q[c];
}

/* Gravity, then loads in their order.  size: of the histories now.  from_nothing: momenta begin at 0. */
__kernel void kick(int nodes, __global const int *body_of, __global const double *real, int stride, int column,
                   double4 gravity, double h, int loads, __global const int *load, __global const double *value,
                   __global const double *size, int from_nothing, __global const double *q, __global double *p)
{
  const int i = (int)get_global_id(0);
  if (i >= nodes) return;
  const double g[3] = {gravity.x, gravity.y, gravity.z}, m = real[RIGID_MASS * stride + i];
  double P[RIGID_NODE_P], turn[4], r[9];
  for (int c = 0; c < RIGID_NODE_P; c++) P[c] = from_nothing ? 0.0 : p[c * column + i];
  for (int c = 0; c < 3; c++)
    if (g[c] != 0.0) P[c] += h * (m * g[c]);
  for (int c = 0; c < 4; c++) turn[c] = q[(RIGID_TURN + c) * column + i];
  vvi_quaternion_matrix(turn, r);
  for (int l = 0; l < loads; l++) {
    __global const int *w = load + RIGID_LOAD_INTS * l;
    if (w[RIGID_LOAD_NODE] >= 0 ? w[RIGID_LOAD_NODE] != i : w[RIGID_LOAD_BODY] != body_of[i]) continue;
    double all[RIGID_LOAD_REALS], force[3], moment[3];
    for (int c = 0; c < RIGID_LOAD_REALS; c++) all[c] = value[RIGID_LOAD_REALS * l + c];
    rigid_load_on(size[l], w[RIGID_LOAD_FOLLOWER], all, all + 6, r, force, moment);
    for (int c = 0; c < 3; c++) P[RIGID_P + c] += h * force[c], P[RIGID_H + c] += h * moment[c];
  }
  for (int c = 0; c < RIGID_NODE_P; c++) p[c * column + i] = P[c];
}
