/* body/beam/nodes.cl  What acts on beams from outside, as loads.c does; totals, as audit.c does. */

/* Gravity, loads and supports in a kick of length h.  load: [loads][LOAD_COLUMNS]; value: [loads][6]; size: [loads], of the
 * histories now; first: [bodies + 1], loads of a body. */
__kernel void outside(int nodes, __global const int *body_of, __global const double *body, __global const int *span,
                      __global const double *real, int stride, int column, double4 gravity, double h,
                      __global const int *first, __global const int *load, __global const double *value,
                      __global const double *size, __global const double *q, __global double *p)
{
  const int i = (int)get_global_id(0);
  if (i >= nodes) return;
  const int j = body_of[i];
  const double g[3] = {gravity.x, gravity.y, gravity.z}, m = real[BEAM_MASS * stride + i];
  beam_body k = *(__global const beam_body *)(body + BODY_COLUMNS * j);
  double P[3], S[3];
  for (int c = 0; c < 3; c++) P[c] = p[c * column + i], S[c] = p[(3 + c) * column + i];
  for (int c = 0; c < 3; c++)
    if (g[c] != 0.0) P[c] += h * (m * g[c]);
  for (int l = first[j]; l < first[j + 1]; l++) {
    __global const int *w = load + LOAD_COLUMNS * l;
    if (w[LOAD_NODE] >= 0 && w[LOAD_NODE] != i) continue;
    const double scale = size[l] * (w[LOAD_NODE] < 0 ? real[BEAM_WEIGHT * stride + i] : 1.0);
    double f[3], t[3];
    for (int c = 0; c < 3; c++) f[c] = value[6 * l + c], t[c] = value[6 * l + 3 + c];
    for (int c = 0; c < 3; c++) {
      double row[3], force = f[c], moment = t[c];
      if (w[LOAD_FOLLOWER]) {
        for (int d = 0; d < 3; d++) row[d] = q[(3 + 3 * c + d) * column + i];
        force = vvi_dot3(row, f), moment = vvi_dot3(row, t);
      }
      P[c] += h * (scale * force);
      S[c] += h * (scale * moment);
    }
  }
  for (int e = 0; e < 2; e++) { /* span: first and last node of the bodies */
    const int hold = (int)k.hold[e], end = span[2 * j + e], neighbour = e == 0 ? end + 1 : end - 1;
    for (int c = 0; c < 3; c++) {
      if (i == end && (hold & BEAM_HOLD_PLACE)) P[c] = 0.0;
      if (i == end && (hold & BEAM_HOLD_FRAME)) S[c] = 0.0;
    }
    if (i != neighbour || (hold & BEAM_HOLD_SLOPE) == 0) continue;
    double along = 0.0;
    for (int c = 0; c < 3; c++) along += k.slope[e][c] * P[c];
    for (int c = 0; c < 3; c++) P[c] = along * k.slope[e][c];
  }
  for (int c = 0; c < 3; c++) p[c * column + i] = P[c], p[(3 + c) * column + i] = S[c];
}

/* ---- totals ---- */

/* The terms of BEAM_BRANCH items in local memory, [BEAM_SUMS][BEAM_BRANCH], become one. */
static void fold_terms(int lid, int items, __local const double *term, __local double *lane, __global double *out)
{
  for (int t = lid; t < BEAM_SUMS * BEAM_SUM_LANES; t += items) {
    double sum = 0.0;
    for (int i = t % BEAM_SUM_LANES; i < BEAM_BRANCH; i += BEAM_SUM_LANES)
      sum += term[BEAM_BRANCH * (t / BEAM_SUM_LANES) + i];
    lane[t] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = lid; s < BEAM_SUMS; s += items) out[s] = BEAM_LANES_SUM(lane + BEAM_SUM_LANES * s);
}

/* A strip of nodes; at_slot: where the sums of this slot begin. */
__kernel void strips(__global const int *strip, __global const double *body, __global const double *real, int stride,
                     int column, double4 gravity, __global const double *q, __global const double *p, int at_slot,
                     __global double *sums, __local double *term)
{
  const int lid = (int)get_local_id(0), items = (int)get_local_size(0);
  __global const int *r = strip + STRIP_COLUMNS * get_group_id(0);
  const double g[3] = {gravity.x, gravity.y, gravity.z};
  const beam_body kept = *(__global const beam_body *)(body + BODY_COLUMNS * r[STRIP_BODY]), *k = &kept;
  for (int t = lid; t < BEAM_BRANCH; t += items) {
    double out[BEAM_SUMS], x[3], L[9], P[3], S[3], inertia[3];
    for (int s = 0; s < BEAM_SUMS; s++) out[s] = 0.0; /* no element: no strain energy */
    if (t < r[STRIP_COUNT]) {
      const int at = r[STRIP_START] + t, n = r[STRIP_NODES], i = r[STRIP_NODE0] + at;
      for (int c = 0; c < 3; c++) {
        x[c] = q[c * column + i], P[c] = p[c * column + i], S[c] = p[(3 + c) * column + i];
        inertia[c] = real[BEAM_WEIGHT * stride + i] * k->inertia[c] + real[(BEAM_POINT_INERTIA + c) * stride + i];
      }
      for (int c = 0; c < 9; c++) L[c] = q[(3 + c) * column + i];
      node_sums_double(real[BEAM_MASS * stride + i], real[BEAM_INVERSE_MASS * stride + i], inertia, g, x, L, P, S, out);
      if (at + 1 < n || r[STRIP_CLOSED]) {
        const int next = at + 1 < n ? i + 1 : r[STRIP_NODE0];
        double D[3], B[9], left[3], right[3], turn[3];
        for (int c = 0; c < 3; c++) D[c] = q[c * column + next] - x[c];
        for (int c = 0; c < 9; c++) B[c] = q[(3 + c) * column + next];
        beam_body own = kept;
        if (GRADED) own.l = real[BEAM_SPAN * stride + i];
        strained_double(&own, STRAIN, D, L, B, left, right, turn);
        energy_double(&own, left, right, turn, &out[BEAM_STRAINED]);
      }
    }
    for (int s = 0; s < BEAM_SUMS; s++) term[BEAM_BRANCH * s + t] = out[s];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  fold_terms(lid, items, term, term + BEAM_SUMS * BEAM_BRANCH, sums + (size_t)BEAM_SUMS * (at_slot + r[STRIP_OUT]));
}

/* Sums of sums, of the slots from `slot` on, which have `places` each. */
__kernel void fold(int rows, __global const int *row, int slot, int places, __global double *all, __local double *term)
{
  const int lid = (int)get_local_id(0), items = (int)get_local_size(0), group = (int)get_group_id(0);
  __global const int *r = row + FOLD_COLUMNS * (group % rows);
  __global double *sums = all + (size_t)BEAM_SUMS * ((size_t)(slot + group / rows) * places);
  for (int t = lid; t < BEAM_BRANCH; t += items)
    for (int s = 0; s < BEAM_SUMS; s++)
      term[BEAM_BRANCH * s + t] = t < r[FOLD_COUNT] ? sums[BEAM_SUMS * (r[FOLD_FIRST] + t) + s] : 0.0;
  barrier(CLK_LOCAL_MEM_FENCE);
  fold_terms(lid, items, term, term + BEAM_SUMS * BEAM_BRANCH, sums + BEAM_SUMS * r[FOLD_OUT]);
}

/* The first n sums of every slot, side by side. */
__kernel void collect(int n, int slots, int places, __global const double *sums, __global double *out)
{
  const int i = (int)get_global_id(0);
  if (i < n * slots) out[i] = sums[(size_t)BEAM_SUMS * ((size_t)(i / n) * places) + i % n];
}
