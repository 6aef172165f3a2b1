/* body/shell/flow.cl  Internal variables of one tile after a drift, and the stresses of its triangles, by one group of work-items;
 * as any_middle and sheet_middle of force.c, group by group of eight triangles.  force.cl takes the stresses from there.
 *
 *   1  places of the nodes of the tile and where they were before the drift, ghosts made from them
 *   2  metric and curvature of every triangle; does it begin to flow, or flow again?
 *   3  what some triangle of a group does all of its group are asked for: flow, stress
 *   4  marks of the groups, losses of the tile
 *
 * kept: [SHEET_REALS][cells] for every tile: metric and curvature, then the stresses N, M; energy.  cell: lane of a group. */

/* One triangle: where it is in the tables, in its group and in the internal variables. */
typedef struct sheet_at {
  int cell, group, place, count, element; /* lane of all groups; its group: where in it, of how many, the first of them */
  int nodes, from, step;                  /* pairs: the first triangle from 0 up, the second from 13 down */
  __global const ushort *at;
  int at_step; /* pairs: nodes are two by two, so far apart */
  __global const double *rest;
  int rest_step;
  __global const double *weight; /* NULL: of a pair */
} sheet_at;

static void pair_at(int i, int side, int pairs, __global const ushort *at, __global const double *rest, sheet_at *s)
{
  const int in = min(4, pairs - i / 4 * 4);
  s->cell = 8 * (i / 4) + 4 * side + i % 4, s->group = i / 4;
  s->place = side * in + i % 4, s->count = 2 * in, s->element = 8 * (i / 4);
  s->nodes = 12, s->from = side ? 13 : 0, s->step = side ? -1 : 1;
  s->at = at + 2 * i, s->at_step = 2 * PAIRS;
  s->rest = rest + side * PAIRS + i, s->rest_step = 2 * PAIRS;
  s->weight = 0;
}

static void single_at(int i, int singles, __global const int *one, __global const ushort *at, __global const double *rest,
                      __global const double *weight, __global const int *group, sheet_at *s)
{
  s->cell = one[ONE_CELL], s->group = s->cell / 8;
  s->place = s->cell % 8, s->count = group[2 * s->group + 1], s->element = group[2 * s->group];
  s->nodes = one[ONE_NODES], s->from = 0, s->step = 1;
  s->at = at + one[ONE_AT], s->at_step = 1;
  s->rest = rest + i, s->rest_step = singles;
  s->weight = weight + one[ONE_WEIGHT];
}

/* Metric, curvature from places X. */
static void sheet_measure(const sheet_at *s, int places, __global const double *X, double G[3], double B[3])
{
  double S[5][3] = {{0}}, n[3], inverse;
  if (s->weight == 0) {
    for (int c = 0; c < 3; c++) {
      double p[SHELL_PAIR], sum[5];
      for (int j = 0; j < SHELL_PAIR; j++) p[j] = X[c * places + s->at[j / 2 * s->at_step + j % 2]];
      regular_one(p, s->from, s->step, sum);
      for (int i = 0; i < 5; i++) S[i][c] = sum[i];
    }
  } else {
    for (int j = 0; j < s->nodes; j++) {
      __global const double *w = s->weight + 6 * j + 1;
      const int node = s->at[j];
      for (int i = 0; i < 5; i++)
        for (int c = 0; c < 3; c++) S[i][c] += w[i] * X[c * places + node];
    }
  }
  measure_one(S[0], S[1], S[2], S[3], S[4], G, B, n, &inverse);
}

/* Columns of a triangle: in and out. */
static void columns_in(const sheet_at *s, int columns, __global const double *z, double *own)
{
  __global const double *from = z + columns * s->element + s->place;
  for (int c = 0; c < columns; c++) own[c] = from[c * s->count];
}

static void columns_out(const sheet_at *s, int columns, const double *own, __global double *z)
{
  __global double *to = z + columns * s->element + s->place;
  for (int c = 0; c < columns; c++) to[c * s->count] = own[c];
}

/* 2: is there a reason to flow?  Groups that never flowed look at their outer points, those that are elastic now at all. */
static int sheet_asks(__global const shell_body *k, const sheet_at *s, double mark, const double rest[7], const double G[3],
                      const double B[3], __global const double *z)
{
  const int real = 1;
  int over = 0;
  if (!(k->points > 0.0)) return 0;
  if (mark == SHELL_VIRGIN) {
    begins_one(k, rest, G, B, &over);
    return over;
  }
  if (mark != SHELL_FLOWED || k->damping.branches > 0.0) return 0; /* they flow in any case */
  double own[Z_ROOM], E[3], K[3];
  flowing_one f;
  columns_in(s, (int)k->lane_columns, z, own);
  strains_one(rest, G, B, E, K);
  points_measure_one(k, rest, E, K, own, &f.p);
  return points_look_one(k, rest, own, &real, &f);
}

/* 3: stress of a triangle; goes: its group flows.  Returns whether a point flowed. */
static int sheet_does(__global const shell_body *k, const sheet_at *s, double h, double mark, int goes, int places,
                      __global const double *X0, const double rest[7], const double G[3], const double B[3],
                      __global double *z, double N[3], double M[3], double loss[3])
{
  const int branches = k->damping.branches > 0.0, noted = mark >= SHELL_FLOWING || branches, columns = (int)k->lane_columns;
  const int flowed = mark != SHELL_VIRGIN || (goes && k->points > 0.0), real = 1;
  double own[Z_ROOM], old[2][3];
  if (!goes && !noted && !flowed) {
    stress_stvk_one(k, rest, G, B, N, M);
    return 0;
  }
  columns_in(s, columns, z, own);
  if (!goes && !noted) {
    sheet_stress_one(k, flowed, rest, G, B, own, N, M, 0);
    return 0;
  }
  if (!noted) sheet_measure(s, places, X0, old[0], old[1]);
  const double (*was)[3] = noted ? 0 : (const double (*)[3])old;
  const int flows = sheet_flow_one(k, h, flowed, rest, G, B, was, &real, own, N, M, loss);
  columns_out(s, columns, own, z);
  return flows;
}

static void ghosts_of(int lid, int items, int n, int ghosts, int places, __global const int *ghost_int,
                      __global const double *ghost_real, __global double *X)
{
  for (int i = lid; i < ghosts; i += items) {
    __global const int *gi = ghost_int + GHOST_INTS * i;
    __global const double *g = ghost_real + GHOST_REALS * i, *w = g + 6, *v = w + SHELL_SOURCES;
    double sum[3] = {g[3], g[4], g[5]}, even[3] = {0.0, 0.0, 0.0};
    for (int s = 0; s < gi[0]; s++)
      for (int c = 0; c < 3; c++) {
        sum[c] += w[s] * X[c * places + gi[1 + s]];
        even[c] += v[s] * X[c * places + gi[1 + s]];
      }
    const double along = g[0] * even[0] + g[1] * even[1] + g[2] * even[2];
    for (int c = 0; c < 3; c++) X[c * places + n + i] = sum[c] + along * g[c];
  }
}

/* h: of the drift; 0: stresses and energies as they are. */
__kernel void sheet(__global const int *row, __global const int *halo, __global const ushort *at, __global const double *rest,
                    __global const int *one, __global const double *weight, __global const int *ghost_int,
                    __global const double *ghost_real, __global const int *group, __global const shell_body *body,
                    __global const double *mass, int stride, int column, double h, __global const double *q,
                    __global const double *p, __global double *inner, __global double *kept_all, int loss0,
                    __global double *loss, __global double *room)
{
  const int lid = (int)get_local_id(0), items = (int)get_local_size(0);
  __global const int *t = row + (TILE_COLUMNS + T_COLUMNS) * get_group_id(0), *T = t + TILE_COLUMNS;
  const int own = T[T_OWN], halos = T[T_HALO], ghosts = T[T_GHOSTS], pairs = T[T_PAIRS], singles = T[T_SINGLES];
  const int places = own + halos + ghosts, cells = T[T_CELLS], first = t[TILE_NODE0] + T[T_OWN0];
  __global double *X = room + t[TILE_SHEET], *X0 = X + 3 * places, *asks = X0 + 3 * places, *flows = asks + cells,
                  *lost = flows + cells;
  __global double *kept = kept_all + SHEET_REALS * t[TILE_CELL], *marks = inner + t[TILE_Z], *z = marks + 2 * pairs + singles;
  __global const shell_body *k = body + t[TILE_BODY];
  __global const int *groups = group + T[T_GROUP];
  __global const ushort *pair_nodes = at + T[T_AT];
  __global const double *pair_rest = rest + T[T_REST], *single_rest = pair_rest + 14 * PAIRS;
  __global const int *ones = one + ONE_COLUMNS * T[T_SINGLE0];
  const int branches = k->damping.branches > 0.0;

  /* 1 */
  for (int i = lid; i < own + halos; i += items) {
    const int node = i < own ? first + i : t[TILE_NODE0] + halo[T[T_HALO0] + i - own];
    for (int c = 0; c < 3; c++) {
      const double x = q[c * column + node];
      X[c * places + i] = x;
      X0[c * places + i] = x - h * (mass[stride + node] * p[c * column + node]);
    }
  }
  for (int i = lid; i < cells; i += items) {
    asks[i] = flows[i] = 0.0;
    for (int c = 0; c < 3; c++) lost[c * cells + i] = 0.0;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  ghosts_of(lid, items, own + halos, ghosts, places, ghost_int + GHOST_INTS * T[T_GHOST0],
            ghost_real + GHOST_REALS * t[TILE_GHOST], X);
  ghosts_of(lid, items, own + halos, ghosts, places, ghost_int + GHOST_INTS * T[T_GHOST0],
            ghost_real + GHOST_REALS * t[TILE_GHOST], X0);
  barrier(CLK_GLOBAL_MEM_FENCE);

  /* 2 */
  for (int i = lid; i < 2 * pairs + singles; i += items) {
    sheet_at s;
    double R[7], G[3], B[3];
    if (i < 2 * pairs)
      pair_at(i / 2, i % 2, pairs, pair_nodes, pair_rest, &s);
    else
      single_at(i - 2 * pairs, singles, ones + ONE_COLUMNS * (i - 2 * pairs), at, single_rest, weight, groups, &s);
    for (int c = 0; c < 7; c++) R[c] = s.rest[c * s.rest_step];
    sheet_measure(&s, places, X, G, B);
    for (int c = 0; c < 3; c++) kept[c * cells + s.cell] = G[c], kept[(3 + c) * cells + s.cell] = B[c];
    if (h != 0.0) asks[s.cell] = sheet_asks(k, &s, marks[s.group], R, G, B, z) ? 1.0 : 0.0;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);

  /* 3 */
  for (int i = lid; i < 2 * pairs + singles; i += items) {
    sheet_at s;
    double R[7], G[3], B[3], N[3], M[3], some = 0.0;
    if (i < 2 * pairs)
      pair_at(i / 2, i % 2, pairs, pair_nodes, pair_rest, &s);
    else
      single_at(i - 2 * pairs, singles, ones + ONE_COLUMNS * (i - 2 * pairs), at, single_rest, weight, groups, &s);
    const double mark = marks[s.group];
    for (int c = 0; c < 7; c++) R[c] = s.rest[c * s.rest_step];
    for (int c = 0; c < 3; c++) G[c] = kept[c * cells + s.cell], B[c] = kept[(3 + c) * cells + s.cell];
    if (h != 0.0) {
      double what[3] = {0.0, 0.0, 0.0};
      for (int l = 0; l < 8; l++) some += asks[8 * s.group + l];
      flows[s.cell] = sheet_does(k, &s, h, mark, some > 0.0, places, X0, R, G, B, z, N, M, what) ? 1.0 : 0.0;
      for (int c = 0; c < 3; c++) lost[c * cells + s.cell] = what[c];
    } else {
      double E;
      if (mark == SHELL_VIRGIN && !branches) {
        stress_stvk_one(k, R, G, B, N, M);
        energy_stvk_one(R, G, B, N, M, &E);
      } else {
        double columns[Z_ROOM];
        columns_in(&s, (int)k->lane_columns, z, columns);
        sheet_stress_one(k, mark != SHELL_VIRGIN, R, G, B, columns, N, M, &E);
      }
      kept[6 * cells + s.cell] = E;
    }
    for (int c = 0; c < 3; c++) kept[c * cells + s.cell] = N[c], kept[(3 + c) * cells + s.cell] = M[c];
  }
  barrier(CLK_GLOBAL_MEM_FENCE);

  /* 4: lane by lane over the groups, then the lanes */
  for (int g = lid; h != 0.0 && g < cells / 8; g += items) {
    double some = 0.0, any = 0.0;
    for (int l = 0; l < 8; l++) some += asks[8 * g + l], any += flows[8 * g + l];
    const double mark = marks[g];
    const int noted = mark >= SHELL_FLOWING || branches, begun = mark != SHELL_VIRGIN || some > 0.0;
    if (begun && (noted || some > 0.0)) marks[g] = any > 0.0 ? SHELL_FLOWING : SHELL_FLOWED;
  }
  double sum = 0.0;
  for (int i = lid % 8; h != 0.0 && lid < 24 && i < cells; i += 8) sum += lost[lid / 8 * cells + i];
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (h != 0.0 && lid < 24) lost[lid] = sum;
  barrier(CLK_GLOBAL_MEM_FENCE);
  double all = 0.0;
  for (int l = 0; h != 0.0 && lid < 3 && l < 8; l++) all += lost[8 * lid + l];
  if (h != 0.0 && lid < 3) loss[loss0 + 3 * t[TILE_NUMBER] + lid] = all;
}

/* Momenta of the nodes that a tile owns fade by keep[body]; sums of what the medium takes, one after the other, as fade of flow.c. */
__kernel void fade(__global const int *tile, __global const int *table, __global const double *keep,
                   __global const double *mass, int stride, int column, __global const double *q, __global double *p,
                   __global double *total)
{
  const int me = (int)get_group_id(0), lid = (int)get_local_id(0), items = (int)get_local_size(0);
  __global const int *t = tile + TILE_COLUMNS * me, *T = table + T_COLUMNS * t[TILE_TABLE];
  const int first = t[TILE_NODE0] + T[T_OWN0];
  const double by = keep[t[TILE_BODY]];
  double sum = 0.0;
  for (int i = first; lid < 9 && by != 1.0 && i < first + T[T_OWN]; i++) {
    double x[3], j[3], turn[3];
    for (int c = 0; c < 3; c++) {
      const double before = p[c * column + i], after = before * by;
      x[c] = q[c * column + i], j[c] = after - before;
      if (lid == 0) sum += 0.5 * mass[stride + i] * (before - after) * (before + after);
      if (lid == 1 + c) sum += j[c];
    }
    turn[0] = x[1] * j[2] - x[2] * j[1], turn[1] = x[2] * j[0] - x[0] * j[2], turn[2] = x[0] * j[1] - x[1] * j[0];
    for (int c = 0; c < 3; c++)
      if (lid == 4 + c) sum += turn[c];
    if (lid == 7) sum += sqrt(j[0] * j[0] + j[1] * j[1] + j[2] * j[2]);
    if (lid == 8) sum += sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
  }
  if (lid < 9) total[SHELL_SUMS * me + lid] = sum;
  barrier(CLK_GLOBAL_MEM_FENCE);
  for (int i = first + lid; by != 1.0 && i < first + T[T_OWN]; i += items)
    for (int c = 0; c < 3; c++) p[c * column + i] *= by;
}
