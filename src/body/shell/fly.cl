/* body/shell/fly.cl  Trial flights of some tiles, several at once: flight and direction make a state, and every state has columns of its
 * own, one behind the other; of n states the first half fly ahead, the others back.  Nodes that only tiles which do not fly would move
 * rightly are wrong; nobody asks for them. */

enum { ROW = TILE_COLUMNS + T_COLUMNS };

/* Rows of tiles that fly: of a tile for each of its states. */
__kernel void fly_rows(int n, int states, __global const int *which, int column, int slots, __global const int *row,
                       __global int *out)
{
  const int i = (int)get_global_id(0);
  if (i >= n * states * ROW) return;
  const int c = i % ROW, state = i / ROW % states, value = row[ROW * which[i / ROW / states] + c];
  out[i] = value + (c == TILE_NODE0 ? state * column : c == TILE_SLOT ? state * slots : 0);
}

static double way_of(int state, int states)
{
  return 2 * state < states ? 1.0 : -1.0;
}

/* Half a kick by forces that are known, then the drift, of node i in one state; P: the momentum that it begins with. */
static void set_out(int i, int state, int states, double way, __global const double *mass, int stride, int column,
                    double push, double h, __global const double *q, const double P[3], __global const double *f,
                    __global double *flown, __global double *momenta)
{
  const double minv = mass[stride + i];
  for (int c = 0; c < 3; c++) {
    const double now = P[c] + way * push * f[c * column + i];
    const int at = (c * states + state) * column + i;
    momenta[at] = now, flown[at] = shell_place_after(way * h, minv, now, q[c * column + i]);
  }
}

/* All nodes of tiles that fly, */
__kernel void fly_begin(__global const int *row, int states, __global const double *mass, int stride, int column,
                        double push, double h, __global const double *q, __global const double *p,
                        __global const double *f, __global double *flown, __global double *momenta)
{
  __global const int *t = row + ROW * get_group_id(0), *T = t + TILE_COLUMNS;
  const int state = (int)get_group_id(0) % states, first = t[TILE_NODE0] + T[T_OWN0] - state * column;
  for (int k = (int)get_local_id(0); k < T[T_OWN]; k += (int)get_local_size(0)) {
    const int i = first + k;
    const double P[3] = {p[i], p[column + i], p[2 * column + i]};
    set_out(i, state, states, way_of(state, states), mass, stride, column, push, h, q, P, f, flown, momenta);
  }
}

/* and those that begin with other momenta: begun[states/2][3][n]. */
__kernel void fly_pushed(int n, __global const int *node, int states, __global const double *mass, int stride, int column,
                         double push, double h, __global const double *q, __global const double *begun,
                         __global const double *f, __global double *flown, __global double *momenta)
{
  const int k = (int)get_global_id(0), state = k / max(n, 1), flight = state % (states / 2);
  if (k >= n * states) return;
  double P[3];
  for (int c = 0; c < 3; c++) P[c] = begun[(3 * flight + c) * n + k % n];
  set_out(node[k % n], state, states, way_of(state, states), mass, stride, column, push, h, q, P, f, flown, momenta);
}

/* Where the places of the k-th node go: [2][drifts][states/2][3][n]. */
static ulong report_at(int k, int n, int drift, int drifts, int state, int states)
{
  const int flights = states / 2;
  return (ulong)(((state / flights * drifts + drift) * flights + state % flights) * 3) * n + k;
}

/* Nodes that are asked for, from now on (on) or no longer; and where they are after the first drift. */
__kernel void fly_mark(int n, __global const int *node, int on, int states, int drifts, int column,
                       __global const double *flown, __global int *asked, __global double *report)
{
  const int k = (int)get_global_id(0), state = k / max(n, 1), at = k % max(n, 1);
  if (k >= n * states) return;
  if (state == 0) asked[node[at]] = on ? at + 1 : 0;
  for (int c = 0; on && c < 3; c++)
    report[report_at(at, n, 0, drifts, state, states) + (ulong)c * n] = flown[(c * states + state) * column + node[at]];
}

/* Kick and drift of all nodes of tiles whose forces are in the slots. */
__kernel void fly_move(__global const int *row, int states, __global const int4 *shared, __global const int *other,
                       __global const double *mass, int stride, int column, int slots, double4 gravity, double h, int n,
                       int drift, int drifts, __global const int *asked, __global const double *slot,
                       __global double *flown, __global double *momenta, __global double *report)
{
  __global const int *t = row + ROW * get_group_id(0), *T = t + TILE_COLUMNS;
  const int state = (int)get_group_id(0) % states, first = t[TILE_NODE0] + T[T_OWN0] - state * column;
  const double g[3] = {gravity.x, gravity.y, gravity.z}, step = way_of(state, states) * h;
  for (int k = (int)get_local_id(0); k < T[T_OWN]; k += (int)get_local_size(0)) {
    const int i = first + k, wanted = asked[i];
    const double m = mass[i], minv = mass[stride + i];
    double grad[3], Q[3], P[3]; /* all are asked for before one is written */
    for (int c = 0; c < 3; c++)
      Q[c] = flown[(c * states + state) * column + i], P[c] = momenta[(c * states + state) * column + i];
    gradient_of(k, T[T_INNER], t[TILE_SLOT], shared + 2 * t[TILE_SHARED], other, states * slots, state * slots, slot, grad);
    for (int c = 0; c < 3; c++) {
      const int at = (c * states + state) * column + i;
      const double kicked = shell_kicked(step, g[c], m, grad[c], P[c]), now = minv > 0.0 ? kicked : 0.0;
      const double to = shell_place_after(step, minv, now, Q[c]);
      momenta[at] = now, flown[at] = to;
      if (wanted > 0) report[report_at(wanted - 1, n, drift, drifts, state, states) + (ulong)c * n] = to;
    }
  }
}
