/* body/shell/some.cl  What stays on a device while the processor answers contacts: pushes, bounds of strips, columns of some nodes. */

/* As vvi_axpy. */
__kernel void push_nodes(int n, int column, double h, __global const double *f, __global double *p)
{
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  for (int c = 0; c < 3; c++) p[c * column + i] += h * f[c * column + i];
}

/* Extents of h (p + h/2 f)/m over a strip, by a group of as many items: least and largest numbers have no order. */
__kernel void extents(__global const int *strip, __global const double *mass, int stride, int column, double h,
                      __global const double *p, __global const double *f, __global double *box, __local double *most)
{
  const int me = (int)get_group_id(0), lid = (int)get_local_id(0), items = (int)get_local_size(0);
  const int first = strip[2 * me], n = strip[2 * me + 1];
  for (int c = 0; c < 3; c++) most[c * items + lid] = INFINITY, most[(3 + c) * items + lid] = -INFINITY;
  for (int i = lid; i < n; i += items) {
    const double k = h * mass[stride + first + i];
    for (int c = 0; c < 3; c++) {
      const double a = k * (p[c * column + first + i] + 0.5 * h * f[c * column + first + i]);
      __local double *low = most + c * items + lid, *high = low + 3 * items;
      *low = a < *low ? a : *low, *high = a > *high ? a : *high;
    }
  }
  for (int half_items = items / 2; half_items > 0; half_items /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int c = 0; lid < half_items && c < 3; c++) {
      __local double *low = most + c * items + lid, *high = low + 3 * items;
      *low = low[half_items] < *low ? low[half_items] : *low;
      *high = high[half_items] > *high ? high[half_items] : *high;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int c = lid; c < 6; c += items) box[6 * me + c] = most[c * items];
}

/* Places, momenta and forces of some nodes: rows[9][n]. */
__kernel void bring_nodes(int n, __global const int *node, int column, __global const double *q, __global const double *p,
                          __global const double *f, __global double *rows)
{
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  for (int c = 0; c < 3; c++) {
    const int at = c * column + node[i];
    rows[c * n + i] = q[at], rows[(3 + c) * n + i] = p[at], rows[(6 + c) * n + i] = f[at];
  }
}

/* Momenta of some nodes: rows[3][n]. */
__kernel void give_nodes(int n, __global const int *node, int column, __global const double *rows, __global double *p)
{
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  for (int c = 0; c < 3; c++) p[c * column + node[i]] = rows[c * n + i];
}
