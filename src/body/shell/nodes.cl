/* body/shell/nodes.cl  Nodes that several tiles touch; kick and drift of all nodes; totals. */

/* Nodes behind the inner ones of their tiles: adds the segments of other tiles, in ascending order, and moves them.
 * shared: node, own slot, its first other slot, how many. */
__kernel void join(int n, __global const int4 *shared, __global const int *other, __global const double *mass,
                   int stride, int column, int slots, double4 gravity, double h, int move, __global double *q,
                   __global double *p, __global double *slot)
{
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  const int4 s = shared[i];
  const double g[3] = {gravity.x, gravity.y, gravity.z};
  const double m = mass[s.x], minv = mass[stride + s.x];
  for (int c = 0; c < 3; c++) {
    double sum = slot[c * slots + s.y];
    for (int k = 0; k < s.w; k++) sum += slot[c * slots + other[s.z + k]];
    if (move == NOTHING)
      slot[c * slots + s.y] = sum;
    else
      move_one(move, h, g[c], m, minv, sum, q + c * column + s.x, p + c * column + s.x);
  }
}

/* All nodes by the gradient in their slots: a kick of length h, or from nothing; then a drift, where `drift` is not 0. */
__kernel void kick_nodes(int n, __global const int *own_slot, __global const double *mass, int stride, int column,
                         int slots, double4 gravity, double h, double drift, int from_nothing, __global double *q,
                         __global double *p, __global const double *slot)
{
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  const double g[3] = {gravity.x, gravity.y, gravity.z};
  const double m = mass[i], minv = mass[stride + i];
  for (int c = 0; c < 3; c++) {
    double P = from_nothing ? 0.0 : p[c * column + i];
    P = shell_kicked(h, g[c], m, slot[c * slots + own_slot[i]], P);
    P = minv > 0.0 ? P : 0.0;
    p[c * column + i] = P;
    if (drift != 0.0) q[c * column + i] = shell_place_after(drift, minv, P, q[c * column + i]);
  }
}

__kernel void drift_nodes(int n, __global const double *mass, int stride, int column, double h, __global double *q,
                          __global const double *p)
{
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  const double minv = mass[stride + i];
  for (int c = 0; c < 3; c++) q[c * column + i] = shell_place_after(h, minv, p[c * column + i], q[c * column + i]);
}

/* ---- totals ---- */

/* Of the nodes that a tile owns: 10 sums, each in 4 lanes that are added in the end; as energy.c does.  Terms of CHUNK nodes
 * at a time lie in local memory, [10][CHUNK + 1].  total: [tiles][11]; the strain is there, force.cl has written it. */
__kernel void totals(__global const int *tile, __global const int *table, __global const double *mass,
                     int stride, int column, double4 gravity, __global const double *q, __global const double *p,
                     __global double *total, __local double *term)
{
  const int me = (int)get_group_id(0), lid = (int)get_local_id(0), items = (int)get_local_size(0);
  const int what = lid / 4, lane = lid % 4;
  __global const int *t = tile + TILE_COLUMNS * me, *T = table + T_COLUMNS * t[TILE_TABLE];
  const int first = t[TILE_NODE0] + T[T_OWN0], own = T[T_OWN];
  const int place[10] = {0, 2, 5, 6, 7, 8, 9, 10, 3, 4}; /* behind the strain, which is at 1 */
  __local double *sums = term + 10 * (CHUNK + 1);
  double sum = 0.0;
  for (int from = 0; from < own; from += CHUNK) {
    const int n = min(own - from, CHUNK);
    for (int k = lid; k < n; k += items) {
      const int i = first + from + k;
      double x[3], P[3];
      for (int c = 0; c < 3; c++) x[c] = q[c * column + i], P[c] = p[c * column + i];
      const double square = P[0] * P[0] + P[1] * P[1] + P[2] * P[2], size = sqrt(square);
      __local double *to = term + k;
      to[0] = 0.5 * mass[stride + i] * square;
      to[CHUNK + 1] = -(mass[i] * (gravity.x * x[0] + gravity.y * x[1] + gravity.z * x[2]));
      to[2 * (CHUNK + 1)] = P[0], to[3 * (CHUNK + 1)] = P[1], to[4 * (CHUNK + 1)] = P[2];
      to[5 * (CHUNK + 1)] = x[1] * P[2] - x[2] * P[1];
      to[6 * (CHUNK + 1)] = x[2] * P[0] - x[0] * P[2];
      to[7 * (CHUNK + 1)] = x[0] * P[1] - x[1] * P[0];
      to[8 * (CHUNK + 1)] = size;
      to[9 * (CHUNK + 1)] = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) * size;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = lane; what < 10 && k < n; k += 4) sum += term[what * (CHUNK + 1) + k];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (what < 10) sums[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane == 0 && what < 10) total[SHELL_SUMS * me + place[what]] = ((sums[lid] + sums[lid + 1]) + sums[lid + 2]) + sums[lid + 3];
}
