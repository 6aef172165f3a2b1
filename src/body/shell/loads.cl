/* body/shell/loads.cl  Loads and pressure on the limit surface, and what comes from outside in a kick; as loads.c does. */

/* Limits of the nodes: y[nodes][3].  first, node, weight: their stencils. */
__kernel void limits(int n, __global const int *first, __global const int *node, __global const double *weight,
                     int column, __global const double *q, __global double *y)
{
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  for (int c = 0; c < 3; c++) {
    double sum = 0.0;
    for (int k = first[i]; k < first[i + 1]; k++) sum += weight[k] * q[c * column + node[k]];
    y[3 * i + c] = sum;
  }
}

__kernel void clear_forces(int n, __global double *F)
{
  const int i = (int)get_global_id(0);
  if (i < n) F[i] = 0.0;
}

/* A force on the limit of one node. */
__kernel void point_load(int node, double4 force, __global double *F)
{
  if (get_global_id(0) > 0) return;
  F[3 * node] += force.x, F[3 * node + 1] += force.y, F[3 * node + 2] += force.z;
}

/* Pressure on nodes [from, from + n).  around: the triangles of a node, in ascending order.  [shell 16] */
__kernel void pressure(int from, int n, double P, __global const int *around_first, __global const int *around,
                       __global const int *corner, __global const double *y, __global double *F)
{
  const int i = from + (int)get_global_id(0);
  if (i >= from + n) return;
  for (int k = around_first[i]; k < around_first[i + 1]; k++) {
    __global const int *v = corner + 3 * around[k];
    double a[3], d[3];
    for (int c = 0; c < 3; c++) a[c] = y[3 * v[1] + c] - y[3 * v[0] + c], d[c] = y[3 * v[2] + c] - y[3 * v[0] + c];
    F[3 * i] += P / 6.0 * (a[1] * d[2] - a[2] * d[1]);
    F[3 * i + 1] += P / 6.0 * (a[2] * d[0] - a[0] * d[2]);
    F[3 * i + 2] += P / 6.0 * (a[0] * d[1] - a[1] * d[0]);
  }
}

/* f = S^T F: what a node gets of the limits whose stencils hold it, in ascending order. */
__kernel void give_loads(int n, __global const int *first, __global const int *limit, __global const double *weight,
                         __global const double *mass, int stride, __global const double *F, __global double *f)
{
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  double sum[3] = {0.0, 0.0, 0.0};
  for (int k = first[i]; mass[stride + i] > 0.0 && k < first[i + 1]; k++) {
    __global const double *on = F + 3 * limit[k];
    if (on[0] == 0.0 && on[1] == 0.0 && on[2] == 0.0) continue;
    for (int c = 0; c < 3; c++) sum[c] += weight[k] * on[c];
  }
  for (int c = 0; c < 3; c++) f[3 * i + c] = sum[c];
}

__kernel void kick_loads(int n, __global const double *mass, int stride, int column, double h, __global const double *f,
                         __global double *p)
{
  const int i = (int)get_global_id(0);
  if (i >= n || !(mass[stride + i] > 0.0)) return;
  for (int c = 0; c < 3; c++) p[c * column + i] += h * f[3 * i + c];
}

/* Sums over the nodes that a tile owns, in 4 lanes: work, impulse, moment, sizes of both.  of: 0: gravity, 1: supports,
 * 2: loads.  total: [tiles][SHELL_SUMS]. */
__kernel void book(int of, double h, __global const int *tile, __global const int *table,
                   __global const double *mass, int stride, int column, int slots, double4 gravity,
                   __global const double *slot, __global const double *load, __global const double *q,
                   __global const double *p, __global double *total, __local double *sums)
{
  const int me = (int)get_group_id(0), lid = (int)get_local_id(0), what = lid / 4, lane = lid % 4;
  __global const int *t = tile + TILE_COLUMNS * me, *T = table + T_COLUMNS * t[TILE_TABLE];
  const int first = t[TILE_NODE0] + T[T_OWN0];
  double sum = 0.0;
  for (int k = lane; what < 9 && k < T[T_OWN]; k += 4) {
    const int i = first + k;
    const double m = mass[i], minv = mass[stride + i];
    double x[3], P[3], f[3], arm[3];
    if (!(minv > 0.0)) continue;
    for (int c = 0; c < 3; c++) {
      x[c] = q[c * column + i], P[c] = p[c * column + i];
      if (of == 1) f[c] = -slot[c * slots + t[TILE_SLOT] + k];
      if (of == 2) f[c] = load[3 * i + c];
    }
    if (of == 0) f[0] = m * gravity.x, f[1] = m * gravity.y, f[2] = m * gravity.z;
    arm[0] = x[1] * f[2] - x[2] * f[1], arm[1] = x[2] * f[0] - x[0] * f[2], arm[2] = x[0] * f[1] - x[1] * f[0];
    if (what == 0) sum += h * minv * (f[0] * P[0] + f[1] * P[1] + f[2] * P[2]);
    for (int c = 0; c < 3; c++) {
      if (what == 1 + c) sum += h * f[c];
      if (what == 4 + c) sum += h * arm[c];
    }
    const double size = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    if (what == 7) sum += fabs(h) * size;
    if (what == 8) sum += fabs(h) * sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) * size;
  }
  if (what < 9) sums[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane == 0 && what < 9) total[SHELL_SUMS * me + what] = ((sums[lid] + sums[lid + 1]) + sums[lid + 2]) + sums[lid + 3];
}
