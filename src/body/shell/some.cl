/* body/shell/some.cl  What stays on a device while the processor answers contacts: pushes, bounds of strips, columns of some nodes. */

/* As vvi_axpy. */
__kernel void push_nodes(int n, int column, double h, __global const double *f, __global double *p)
{
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  for (int c = 0; c < 3; c++) p[c * column + i] += h * f[c * column + i];
}

/* And the drift behind it, of length h. */
__kernel void push_and_drift(int n, int column, __global const double *restrict mass, int stride, double push, double h,
                             __global const double *restrict f, __global double *restrict q, __global double *restrict p)
{
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  const double minv = mass[stride + i];
  double P[3], Q[3];
  for (int c = 0; c < 3; c++) P[c] = p[c * column + i] + push * f[c * column + i], Q[c] = q[c * column + i];
  for (int c = 0; c < 3; c++) p[c * column + i] = P[c], q[c * column + i] = shell_place_after(h, minv, P[c], Q[c]);
}

/* A box of which each item has seen some, [6][items]: that of all is with the first.  Least and largest numbers have no order. */
static void nothing_seen(__local double *most)
{
  const int lid = (int)get_local_id(0), items = (int)get_local_size(0);
  for (int c = 0; c < 3; c++) most[c * items + lid] = INFINITY, most[(3 + c) * items + lid] = -INFINITY;
}

static void see(__local double *most, int c, double a)
{
  const int lid = (int)get_local_id(0), items = (int)get_local_size(0);
  __local double *low = most + c * items + lid, *high = low + 3 * items;
  *low = a < *low ? a : *low, *high = a > *high ? a : *high;
}

static void all_seen(__local double *most)
{
  const int lid = (int)get_local_id(0), items = (int)get_local_size(0);
  for (int half_items = items / 2; half_items > 0; half_items /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int c = 0; lid < half_items && c < 3; c++) {
      __local double *low = most + c * items + lid, *high = low + 3 * items;
      *low = low[half_items] < *low ? low[half_items] : *low;
      *high = high[half_items] > *high ? high[half_items] : *high;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/* Extents of h (p + h/2 f)/m over a strip, by a group of as many items. */
__kernel void extents(__global const int *strip, __global const double *mass, int stride, int column, double h,
                      __global const double *p, __global const double *f, __global double *box, __local double *most)
{
  const int me = (int)get_group_id(0), lid = (int)get_local_id(0), items = (int)get_local_size(0);
  const int first = strip[2 * me], n = strip[2 * me + 1];
  nothing_seen(most);
  for (int i = lid; i < n; i += items) {
    const double k = h * mass[stride + first + i];
    for (int c = 0; c < 3; c++) see(most, c, k * (p[c * column + first + i] + 0.5 * h * f[c * column + first + i]));
  }
  all_seen(most);
  for (int c = lid; c < 6; c += items) box[6 * me + c] = most[c * items];
}

/* Rows of vv_motion_budget; of vv_motion_row, and how many of its reals are kept from drift to drift. */
enum { BUDGET = 7, MOTION_ROW = 20, MOTION = 8 };

static double length_of(double x, double y, double z)
{
  return sqrt(x * x + y * y + z * z);
}

/* Budgets from the processor, and how far these clusters have moved. */
__kernel void take_budgets(int n, __global const int *which, __global const double *news, __global double *budget,
                           __global double *motion, __global int *fixed_now)
{
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  for (int c = 0; c < BUDGET; c++) budget[BUDGET * which[i] + c] = news[BUDGET * i + c];
  for (int c = 0; c < 2; c++) motion[MOTION * which[i] + c] = news[BUDGET * i + c];
  fixed_now[which[i]] = 1;
}

/* The drift of the last call is added to path and stray, where the processor has not done so; then the box of the coming one, and
 * whether so many like it may use up a budget: as path_ahead and path_done of contact/broad/life.c.  any[to]: one of them does. */
__kernel void bounds(int n, __global const int *first, __global const int *strip, __global const double *half_of,
                     __global const double *box, int drifted, double drifts, __global const double *budget,
                     __global double *motion, __global int *fixed_now, __global uchar *past, __global int *any, int to)
{
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  __global const double *b = budget + BUDGET * i;
  __global double *m = motion + MOTION * i;
  double path = m[0], stray = m[1], low[3], high[3], c[3], r[3];
  if (drifted && !fixed_now[i]) {
    for (int a = 0; a < 3; a++) c[a] = 0.5 * (m[2 + a] + m[5 + a]), r[a] = half_of[i] * (m[5 + a] - m[2 + a]);
    path += length_of(fabs(c[0]) + r[0], fabs(c[1]) + r[1], fabs(c[2]) + r[2]);
    stray += length_of(fabs(c[0] - b[4]) + r[0], fabs(c[1] - b[5]) + r[1], fabs(c[2] - b[6]) + r[2]);
  }
  fixed_now[i] = 0;
  for (int a = 0; a < 3; a++) low[a] = first[i] < first[i + 1] ? INFINITY : 0.0, high[a] = -low[a];
  for (int k = first[i]; k < first[i + 1]; k++) {
    __global const double *other = box + 6 * strip[k];
    for (int a = 0; a < 3; a++) {
      low[a] = other[a] < low[a] ? other[a] : low[a];
      high[a] = other[3 + a] > high[a] ? other[3 + a] : high[a];
    }
  }
  for (int a = 0; a < 3; a++) c[a] = 0.5 * (low[a] + high[a]), r[a] = half_of[i] * (high[a] - low[a]);
  const double allowed = 1.5 * length_of(r[0], r[1], r[2]);
  m[0] = path, m[1] = stray;
  for (int a = 0; a < 3; a++) m[2 + a] = low[a], m[5 + a] = high[a];
  const int over = (path + drifts * (length_of(c[0], c[1], c[2]) + allowed) > b[2] ? 1 : 0) |
                   (stray + drifts * (length_of(c[0] - b[4], c[1] - b[5], c[2] - b[6]) + allowed) > b[3] ? 2 : 0);
  past[i] = (uchar)over;
  if (over != 0) any[to] = 1; /* whoever writes writes the same */
}

/* Rows of some clusters, behind what the report begins with, by a group each: where their spots are, and how far from their
 * references. */
__kernel void bring_rows(__global const int *which, __global const double *motion, __global const int *spot0,
                         __global const int *spot, int column, __global const double *q,
                         __global const double *reference, int first, __global double *report, __local double *most)
{
  const int i = (int)get_group_id(0), lid = (int)get_local_id(0), items = (int)get_local_size(0), me = which[i];
  __global double *out = report + first + MOTION_ROW * i;
  __local double *off = most + 6 * items;
  nothing_seen(most), nothing_seen(off);
  for (int k = spot0[me] + lid; k < spot0[me + 1]; k += items)
    for (int c = 0; c < 3; c++) {
      const double x = q[c * column + spot[k]];
      see(most, c, x), see(off, c, x - reference[3 * k + c]);
    }
  all_seen(most), all_seen(off);
  for (int c = lid; c < MOTION_ROW; c += items)
    out[c] = c < MOTION ? motion[MOTION * me + c] : c < MOTION + 6 ? most[(c - MOTION) * items] : off[(c - MOTION - 6) * items];
}

/* References of the spots of some clusters are where these are. */
__kernel void refer(__global const int *which, __global const int *spot0, __global const int *spot, int column,
                    __global const double *q, __global double *reference)
{
  const int lid = (int)get_local_id(0), items = (int)get_local_size(0), me = which[get_group_id(0)];
  for (int k = spot0[me] + lid; k < spot0[me + 1]; k += items)
    for (int c = 0; c < 3; c++) reference[3 * k + c] = q[c * column + spot[k]];
}

/* Places, momenta and forces of some nodes: rows[9][n], from a first place on. */
__kernel void bring_nodes(int n, __global const int *node, int column, __global const double *q, __global const double *p,
                          __global const double *f, int first, __global double *rows)
{
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  for (int c = 0; c < 3; c++) {
    const int at = c * column + node[i];
    rows[first + c * n + i] = q[at], rows[first + (3 + c) * n + i] = p[at], rows[first + (6 + c) * n + i] = f[at];
  }
}

/* Momenta of some nodes: rows[3][n]. */
__kernel void give_nodes(int n, __global const int *node, int column, __global const double *rows, __global double *p)
{
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  for (int c = 0; c < 3; c++) p[c * column + node[i]] = rows[c * n + i];
}
