/* body/beam/sweep.cl  Kicks and drifts of beams; as sweep.c does.
 *
 * STRAIN, DRIFT, EVEN, SOLID and GRADED are numbers where all bodies are alike, and otherwise ask the body *k.
 *
 * An item has a node, whose places, frame and momenta it keeps in registers for several steps; what neighbours need is in local
 * memory.  In every step the nodes at both ends of a group lose their neighbours, so that groups overlap by the number of steps,
 * and what is worked on comes from one set of columns and goes to another. */

typedef struct beam_node_data {
  double x[3], L[9], P[3], S[3];
} beam_node_data;

static void load_node(int column, __global const double *q, __global const double *p, int i, beam_node_data *out)
{
  for (int c = 0; c < 3; c++) out->x[c] = q[c * column + i], out->P[c] = p[c * column + i];
  for (int c = 0; c < 9; c++) out->L[c] = q[(3 + c) * column + i];
  for (int c = 0; c < 3; c++) out->S[c] = p[(3 + c) * column + i];
}

static void load_body(__global const double *body, int j, beam_body *k)
{
  *k = *(__global const beam_body *)(body + BODY_COLUMNS * j);
}

/* Moments of inertia of node i. */
static void inertia_of(const beam_body *k, __global const double *real, int stride, int i, double out[3])
{
  for (int c = 0; c < 3; c++)
    out[c] = real[BEAM_WEIGHT * stride + i] * k->inertia[c] + real[(BEAM_POINT_INERTIA + c) * stride + i];
}

/* The drift of node i by the rule of its body. */
static void drift_node(const beam_body *k, __global const double *real, int stride, int i, double h, double minv,
                       double winv, beam_node_data *a)
{
  const beam_drift_rule rule = DRIFT;
  double inertia[3];
  bool again = rule != BEAM_LGVI; /* what has no closed form */
  if (rule == BEAM_LGVI) {
    const double c = h * winv;
    for (int j = 0; j < 3; j++) a->x[j] += h * (minv * a->P[j]);
    turn_double(k, EVEN, &c, a->L, a->S);
    again = SOLID && winv == 0.0;
  }
  if (rule != BEAM_LGVI || again) inertia_of(k, real, stride, i, inertia);
  if (rule == BEAM_LAVI_CAYLEY) {
    const double h_m = h * minv;
    again = fly_double(h, &h_m, inertia, a->P, a->x, a->L, a->S) == 0;
  }
  if (again) beam_fly(rule, inertia, h, h * minv, rule != BEAM_LGVI, a->x, a->L, a->P, a->S);
}

/* What is noted in the steps of a pass: totals after the first kick of each (lead: but the first step, which has one kick only).  stops: the
 * last step ends there.  slot: the first; a slot has `places` sums. */
typedef struct beam_noting {
  int lead, stops, slot, places, strips;
  double g[3];
  __global double *sums;
  __local double *term; /* [strips][BEAM_SUMS][NOTED_ROW], of the nodes that the group owns */
  __local double *lane; /* [strips][BEAM_SUMS][BEAM_SUM_LANES] */
} beam_noting;

/* Sums of the strips of a group, in the order of fold_terms, in three parts with a barrier between them: terms of the nodes, lanes, and
 * their sums.  The barriers are those of the step behind it, so that sums cost none of their own. */
static void note_terms(const beam_noting *w, int at, int own, const double out[BEAM_SUMS])
{
  for (int s = 0; at >= 0 && at < BEAM_BRANCH * w->strips && s < BEAM_SUMS; s++)
    w->term[NOTED_ROW * (BEAM_SUMS * (at / BEAM_BRANCH) + s) + at % BEAM_BRANCH] = at < own ? out[s] : 0.0;
}

static void note_lanes(const beam_noting *w)
{
  const int lanes = w->strips * BEAM_SUMS * BEAM_SUM_LANES;
  for (int t = (int)get_local_id(0); t < lanes; t += (int)get_local_size(0)) {
    __local const double *term = w->term + NOTED_ROW * (t / BEAM_SUM_LANES);
    double sum = 0.0;
#pragma unroll
    for (int i = 0; i < BEAM_BRANCH; i += BEAM_SUM_LANES) sum += term[t % BEAM_SUM_LANES + i];
    w->lane[t] = sum;
  }
}

/* row: of the slot, from the first strip of the group on. */
static void note_sums(const beam_noting *w, int slot, int row, int own)
{
  __global double *to = w->sums + (size_t)BEAM_SUMS * ((size_t)slot * w->places + row);
  for (int t = (int)get_local_id(0); t < w->strips * BEAM_SUMS; t += (int)get_local_size(0))
    if (BEAM_BRANCH * (t / BEAM_SUMS) < own) to[t] = BEAM_LANES_SUM(w->lane + BEAM_SUM_LANES * t);
}

/* steps times: `kicks` kicks of length h_kick, then a drift of length h (0: none).  from_nothing: momenta begin at 0.  w: NULL, nothing
 * is noted; otherwise kicks are as it says. */
static inline void sweep_steps(__global const int *r, __global const double *body, __global const double *real, int stride,
                               int column, double h_kick, int kicks, double h, int steps, int from_nothing,
                               const beam_noting *w, __global const double *q, __global const double *p,
                               __global double *q_out, __global double *p_out, __local double *room)
{
  const int lid = (int)get_local_id(0), items = (int)get_local_size(0);
  const int n = r[ROW_NODES], closed = r[ROW_CLOSED];
  int place = r[ROW_START] + lid;
  const int at = place - r[ROW_FROM], owned = r[ROW_TO] - r[ROW_FROM];
  const bool mine = at >= 0 && at < owned;
  if (closed) place = (place % n + n) % n;
  const bool here = place >= 0 && place < n, joined = here && (closed || place + 1 < n) && lid + 1 < items;
  const int next = lid + 1 < items ? lid + 1 : lid;
  const int i = r[ROW_NODE0] + (here ? place : 0);
  __local double *Q = room, *F = room + 12 * items; /* x and frames; force and right torque of the element behind */
  beam_body own;
  const beam_body *k = &own;
  beam_node_data a;
  load_body(body, r[ROW_BODY], &own);
  load_node(column, q, p, i, &a);
  for (int c = 0; from_nothing && c < 3; c++) a.P[c] = a.S[c] = 0.0;
  const double minv = real[BEAM_INVERSE_MASS * stride + i], winv = real[BEAM_INVERSE_WEIGHT * stride + i];
  if (GRADED) own.l = real[BEAM_SPAN * stride + i];
  own.strain = STRAIN;
  int due = -1; /* the slot whose terms wait to be summed */
  for (int step = 0; step < steps; step++) {
    double D[3], B[9], f[3], left[3], right[3], force[3], torque[3], strained = 0.0;
    for (int c = 0; c < 3; c++) Q[c * items + lid] = a.x[c];
    for (int c = 0; c < 9; c++) Q[(3 + c) * items + lid] = a.L[c];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (w != 0 && due >= 0) note_lanes(w);
    for (int c = 0; c < 3; c++) D[c] = Q[c * items + next] - a.x[c];
    for (int c = 0; c < 9; c++) B[c] = Q[(3 + c) * items + next];
    if (w != 0) {
      double here_a[3], here_b[3], turn[3]; /* of what the force measures, too */
      strained_double(k, STRAIN, D, a.L, B, here_a, here_b, turn);
      energy_double(k, here_a, here_b, turn, &strained);
      strained = joined ? strained : 0.0;
    }
    element_double(k, STRAIN, D, a.L, B, f, left, right); /* by all, and thrown away where there is none */
    for (int c = 0; c < 3; c++) {
      f[c] = joined ? f[c] : 0.0;
      left[c] = joined ? left[c] : 0.0;
      right[c] = joined ? right[c] : 0.0;
    }
    for (int c = 0; c < 3; c++) F[c * items + lid] = f[c], F[(3 + c) * items + lid] = right[c];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (w != 0 && due >= 0) note_sums(w, due, r[ROW_OUT], owned);
    for (int c = 0; c < 3; c++) {
      const double before = lid > 0 ? F[c * items + lid - 1] : 0.0;
      const double right_before = lid > 0 ? F[(3 + c) * items + lid - 1] : 0.0;
      force[c] = h_kick * (f[c] - before), torque[c] = h_kick * (left[c] + right_before);
      a.P[c] += force[c], a.S[c] += torque[c];
    }
    const bool notes = w != 0 && (step > 0 || !w->lead), ends = w != 0 && w->stops && step + 1 == steps;
    if (notes) {
      double inertia[3], out[BEAM_SUMS];
      inertia_of(k, real, stride, i, inertia);
      node_sums_double(real[BEAM_MASS * stride + i], minv, inertia, w->g, a.x, a.L, a.P, a.S, out);
      out[BEAM_STRAINED] = strained;
      note_terms(w, at, owned, out);
      due = w->slot + step - w->lead;
    }
    if (ends) break;
    for (int c = 0; (w != 0 ? notes : kicks == 2) && c < 3; c++) a.P[c] += force[c], a.S[c] += torque[c];
    if (h != 0.0) drift_node(k, real, stride, i, h, minv, winv, &a);
  }
  if (w != 0) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (due >= 0) note_lanes(w);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (due >= 0) note_sums(w, due, r[ROW_OUT], owned);
  }
  if (!mine) return;
  const bool moved = h != 0.0 && (w == 0 || steps > w->stops);
  for (int c = 0; c < 3; c++) p_out[c * column + i] = a.P[c], p_out[(3 + c) * column + i] = a.S[c];
  for (int c = 0; moved && c < 3; c++) q_out[c * column + i] = a.x[c];
  for (int c = 0; moved && c < 9; c++) q_out[(3 + c) * column + i] = a.L[c];
}

__kernel void sweep(__global const int *row, __global const double *body, __global const double *real, int stride,
                    int column, double h_kick, int kicks, double h, int steps, int from_nothing,
                    __global const double *q, __global const double *p, __global double *q_out, __global double *p_out, __local double *room)
{
  sweep_steps(row + ROW_COLUMNS * get_group_id(0), body, real, stride, column, h_kick, kicks, h, steps, from_nothing, 0, q, p,
              q_out, p_out, room);
}

__kernel void sweep_noted(__global const int *row, __global const double *body, __global const double *real, int stride,
                          int column, double4 gravity, double h_kick, double h, int steps, int lead, int stops, int slot,
                          int places, int strips, __global const double *q, __global const double *p,
                          __global double *q_out, __global double *p_out, __global double *sums, __local double *room,
                          __local double *term, __local double *lane)
{
  beam_noting w = {lead, stops, slot, places, strips, {gravity.x, gravity.y, gravity.z}, sums, term, lane};
  sweep_steps(row + ROW_COLUMNS * get_group_id(0), body, real, stride, column, h_kick, 2, h, steps, 0, &w, q, p, q_out, p_out,
              room);
}

__kernel void drift(int nodes, __global const int *body_of, __global const double *body, __global const double *real,
                    int stride, int column, double h, __global double *q, __global double *p)
{
  const int i = (int)get_global_id(0);
  if (i >= nodes) return;
  beam_body own;
  beam_node_data a;
  load_body(body, body_of[i], &own);
  load_node(column, q, p, i, &a);
  drift_node(&own, real, stride, i, h, real[BEAM_INVERSE_MASS * stride + i], real[BEAM_INVERSE_WEIGHT * stride + i], &a);
  for (int c = 0; c < 3; c++) q[c * column + i] = a.x[c], p[(3 + c) * column + i] = a.S[c];
  for (int c = 0; c < 9; c++) q[(3 + c) * column + i] = a.L[c];
}
