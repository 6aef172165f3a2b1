/* body/shell/nodes.cl  Nodes that several tiles touch; kick and drift of all nodes; totals. */

/* Nodes behind the inner ones of their tiles: adds the segments of other tiles, in ascending order, and moves them.
 * shared: node, own slot, how many others, where the rest of these is in `other`; then the first four. */
__kernel void join(int n, __global const int4 *restrict shared, __global const int *restrict other, __global const double *restrict mass,
                   int stride, int column, int slots, double4 gravity, double h, int move, __global double *restrict q,
                   __global double *restrict p, __global double *restrict slot)
{
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  const int4 s = shared[2 * i], o = shared[2 * i + 1];
  const double g[3] = {gravity.x, gravity.y, gravity.z};
  const double m = mass[s.x], minv = mass[stride + s.x];
  double sum[3], Q[3], P[3];
  for (int c = 0; c < 3; c++) {
    sum[c] = slot[c * slots + s.y];
    if (move != NOTHING) Q[c] = q[c * column + s.x], P[c] = p[c * column + s.x];
  }
  for (int k = 0; k < s.z; k++) {
    const int at = k == 0 ? o.x : k == 1 ? o.y : k == 2 ? o.z : k == 3 ? o.w : other[s.w + k - 4];
    for (int c = 0; c < 3; c++) sum[c] += slot[c * slots + at];
  }
  for (int c = 0; c < 3; c++)
    if (move == NOTHING)
      slot[c * slots + s.y] = sum[c];
    else
      move_from(move, h, g[c], m, minv, sum[c], Q[c], P[c], q + c * column + s.x, p + c * column + s.x);
}

/* All nodes by the gradient in their slots: a kick of length h, or from nothing; then a drift, where `drift` is not 0. */
__kernel void kick_nodes(int n, __global const int *restrict own_slot, __global const double *restrict mass, int stride, int column,
                         int slots, double4 gravity, double h, double drift, int from_nothing, __global double *restrict q,
                         __global double *restrict p, __global const double *restrict slot)
{
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  const double g[3] = {gravity.x, gravity.y, gravity.z};
  const double m = mass[i], minv = mass[stride + i];
  const int at = own_slot[i];
  double grad[3], Q[3], P[3]; /* all are asked for before one is written */
  for (int c = 0; c < 3; c++) {
    grad[c] = slot[c * slots + at], P[c] = from_nothing ? 0.0 : p[c * column + i];
    Q[c] = drift != 0.0 ? q[c * column + i] : 0.0;
  }
  for (int c = 0; c < 3; c++) {
    const double kicked = shell_kicked(h, g[c], m, grad[c], P[c]), now = minv > 0.0 ? kicked : 0.0;
    p[c * column + i] = now;
    if (drift != 0.0) q[c * column + i] = shell_place_after(drift, minv, now, Q[c]);
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

/* ---- between ranks ---- */

/* Three columns of some rows of x, one row behind the other: numbers `from` to from + 2 of the `width` that a row has in `rows`. */
__kernel void pack_rows(int n, __global const int *row, int from, int width, int stride, __global const double *x,
                        __global double *rows)
{
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  for (int c = 0; c < 3; c++) rows[width * i + from + c] = x[c * stride + row[i]];
}

__kernel void unpack_rows(int n, __global const int *row, int from, int width, int stride, __global const double *rows,
                          __global double *x)
{
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  for (int c = 0; c < 3; c++) x[c * stride + row[i]] = rows[width * i + from + c];
}

/* ---- the end of a step ---- */

/* f: forces on the nodes that a tile owns, as kick_nodes from nothing; then, where push is not 0, p += push f.  joined: as below. */
__kernel void press_nodes(__global const int *tile, __global const int *table, __global const int4 *shared,
                          __global const int *other, __global const double *mass, int stride, int column, int slots,
                          double4 gravity, int joined, double push, __global double *p, __global double *f,
                          __global double *slot)
{
  const int lid = (int)get_local_id(0), items = (int)get_local_size(0);
  __global const int *t = tile + TILE_COLUMNS * get_group_id(0), *T = table + T_COLUMNS * t[TILE_TABLE];
  const int first = t[TILE_NODE0] + T[T_OWN0], own = T[T_OWN], slot0 = t[TILE_SLOT], inner = joined ? own : T[T_INNER];
  const double g[3] = {gravity.x, gravity.y, gravity.z};
  for (int k = lid; k < own; k += items) {
    const int i = first + k;
    const double m = mass[i], minv = mass[stride + i];
    double grad[3], P[3];
    for (int c = 0; push != 0.0 && c < 3; c++) P[c] = p[c * column + i];
    gradient_of(k, inner, slot0, shared + 2 * t[TILE_SHARED], other, slots, 0, slot, grad);
    for (int c = 0; c < 3; c++) {
      const double kicked = shell_kicked(1.0, g[c], m, grad[c], 0.0), force = minv > 0.0 ? kicked : 0.0;
      f[c * column + i] = force;
      if (push != 0.0) p[c * column + i] = P[c] + push * force;
      if (k >= inner) slot[c * slots + slot0 + k] = grad[c];
    }
  }
}

/* Of the nodes that a tile owns: a kick of length h (kick), their totals (note >= 0: where they go), the same kick again and a drift
 * (drift not 0), in one pass.  joined: slots hold what other tiles give, too; otherwise it is added here, and left there where
 * places stay.
 *
 * Totals: 10 sums, each in 4 lanes that are added in the end; as energy.c does.  Terms of CHUNK nodes at a time lie in local memory,
 * [10][CHUNK + 1].  strain: [tiles][11], force.cl has written it at 1; sums: [notes][tiles][11]. */
__kernel void close_step(__global const int *tile, __global const int *table, __global const int4 *shared,
                         __global const int *other, __global const double *mass, int stride, int column, int slots,
                         double4 gravity, int kick, int joined, double h, int note, double drift, __global double *q,
                         __global double *p, __global double *slot, __global const double *strain,
                         __global double *sums, __local double *term)
{
  const int me = (int)get_group_id(0), lid = (int)get_local_id(0), items = (int)get_local_size(0);
  const int what = lid / 4, lane = lid % 4;
  __global const int *t = tile + TILE_COLUMNS * me, *T = table + T_COLUMNS * t[TILE_TABLE];
  const int first = t[TILE_NODE0] + T[T_OWN0], own = T[T_OWN], slot0 = t[TILE_SLOT], inner = joined ? own : T[T_INNER];
  const int place[10] = {0, 2, 5, 6, 7, 8, 9, 10, 3, 4}; /* behind the strain, which is at 1 */
  const double g[3] = {gravity.x, gravity.y, gravity.z};
  __global const int4 *rows = shared + 2 * t[TILE_SHARED];
  __local double *lanes = term + 10 * (CHUNK + 1);
  double sum = 0.0;
  for (int from = 0; from < own; from += CHUNK) {
    const int n = min(own - from, CHUNK);
    for (int k = lid; k < n; k += items) {
      const int i = first + from + k;
      const double m = mass[i], minv = mass[stride + i];
      double x[3], P[3], grad[3] = {0.0, 0.0, 0.0};
      for (int c = 0; c < 3; c++) x[c] = q[c * column + i], P[c] = p[c * column + i];
      if (kick) gradient_of(from + k, inner, slot0, rows, other, slots, 0, slot, grad);
      for (int c = 0; kick && c < 3; c++) {
        const double kicked = shell_kicked(h, g[c], m, grad[c], P[c]);
        P[c] = minv > 0.0 ? kicked : 0.0;
      }
      const double square = P[0] * P[0] + P[1] * P[1] + P[2] * P[2], size = sqrt(square);
      __local double *to = term + k;
      to[0] = 0.5 * minv * square;
      to[CHUNK + 1] = -(m * (gravity.x * x[0] + gravity.y * x[1] + gravity.z * x[2]));
      to[2 * (CHUNK + 1)] = P[0], to[3 * (CHUNK + 1)] = P[1], to[4 * (CHUNK + 1)] = P[2];
      to[5 * (CHUNK + 1)] = x[1] * P[2] - x[2] * P[1];
      to[6 * (CHUNK + 1)] = x[2] * P[0] - x[0] * P[2];
      to[7 * (CHUNK + 1)] = x[0] * P[1] - x[1] * P[0];
      to[8 * (CHUNK + 1)] = size;
      to[9 * (CHUNK + 1)] = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) * size;
      for (int c = 0; drift != 0.0 && c < 3; c++) {
        const double kicked = shell_kicked(h, g[c], m, grad[c], P[c]);
        P[c] = minv > 0.0 ? kicked : 0.0;
        q[c * column + i] = shell_place_after(drift, minv, P[c], x[c]);
      }
      for (int c = 0; kick && c < 3; c++) p[c * column + i] = P[c];
      for (int c = 0; kick && drift == 0.0 && from + k >= inner && c < 3; c++)
        slot[c * slots + slot0 + from + k] = grad[c];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = lane; what < 10 && k < n; k += 4) sum += term[what * (CHUNK + 1) + k];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (what < 10) lanes[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  __global double *out = sums + SHELL_SUMS * ((int)get_num_groups(0) * max(note, 0) + me);
  if (lane == 0 && what < 10 && note >= 0)
    out[place[what]] = ((lanes[lid] + lanes[lid + 1]) + lanes[lid + 2]) + lanes[lid + 3];
  if (lid == 0 && note >= 0) out[1] = strain[SHELL_SUMS * me + 1];
}
