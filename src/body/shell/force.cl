/* body/shell/force.cl  The gradient of one tile by one group of work-items; inner nodes are moved at once.
 *
 * Compiled several times: for the law LAW (or that of the body), with ENERGY or without.  NEAR: places and forces
 * of the tile are in local memory, and an item keeps its pair in registers; otherwise they are in a piece of `scratch`, and an
 * item works on several pairs.  No barrier stands behind a condition, though all items of a group would agree on it: not
 * every compiler of OpenCL follows that.
 *
 *   1  places of the nodes of the tile, ghosts made from them
 *   2  pairs and other triangles: sums, strain, stress                                        [shell 2, 6, 7, 9]
 *   3  what each triangle gives to its nodes, an entry each, for x, y, z at once (ROUNDS 1) or one after the other (ROUNDS 3)
 *      where local memory has no room for all; then every node adds its entries in the order of the groups
 *
 * PAIRS: rows of what pairs have are so long, whatever a tile has; known beforehand, so that places in them cost no arithmetic.
 * GHOSTS: some tile has ghosts.  What comes from far is asked for one phase before it is needed.
 *
 * LATE: nodes that tiles share have not been moved in the stride before, of length h_late.  Every tile moves those that it holds by the
 * slots of then, as `join` does, its owner for all: two launches become one, and what they read comes from one set of columns and
 * what they write goes to another. */

#if NEAR
#define SPACE __local
#define FENCE CLK_LOCAL_MEM_FENCE
#else
#define SPACE __global
#define FENCE CLK_GLOBAL_MEM_FENCE
#endif

#if LATE
#define LATE_ARGUMENTS                                                                                                   \
  __global const int *restrict halo_row, __global const int4 *restrict shared, __global const int *restrict other,       \
      double h_late, __global const double *restrict slot_before, __global double *restrict q_out,                       \
      __global double *restrict p_out,
#else
#define LATE_ARGUMENTS
#define q_out q
#define p_out p
#endif

#define WIDTH (3 / ROUNDS)
#define AHEAD 8 /* words of a list that are asked for beforehand: a node between regular triangles has 14 entries, two in a word */

/* Where the list of node i begins and ends; its words are SLICE apart. */
static int2 list_at(__global const int *slice, int i)
{
  return (int2)(slice[i / SLICE] + i % SLICE, slice[i / SLICE + 1]);
}

/* Response of one triangle: what its nodes need. */
typedef struct answer {
  double s1[3], s2[3], n[3], b[3];
} answer;

/* Bodies with internal variables: stresses and energies are those that flow.cl has kept, of this cell. */
#if SHEET
#define SHEET_ARGUMENT , __global const double *kept, int all, int cell
#define SHEET_AT(cell) , kept, all, cell
#else
#define SHEET_ARGUMENT
#define SHEET_AT(cell)
#endif

/* From the sums to the response; E: the energy of the triangle, where it is asked for. */
static void respond_to(const shell_body *k, shell_law law, double S[5][3], const double R[7],
                             answer *out, double *E SHEET_ARGUMENT)
{
  double G[3], B[3], inverse, N[3], M[3];
  measure(S[0], S[1], S[2], S[3], S[4], G, B, out->n, &inverse);
#if SHEET
  for (int c = 0; c < 3; c++) N[c] = kept[c * all + cell], M[c] = kept[(3 + c) * all + cell];
  respond(S[0], S[1], S[2], S[3], S[4], G, out->n, &inverse, N, M, out->s1, out->s2, out->b);
  *E = kept[6 * all + cell];
#else
  if (law == SHELL_STVK)
    stress_stvk(k, R, G, B, N, M);
  else
    stress_neo(k, R, G, B, N, M);
  respond(S[0], S[1], S[2], S[3], S[4], G, out->n, &inverse, N, M, out->s1, out->s2, out->b);
#if ENERGY
  if (law == SHELL_STVK)
    energy_stvk(R, G, B, N, M, E);
  else
    energy_neo(k, R, G, B, E);
#endif
#endif
}

/* What a pair needs: places of its nodes in the tile, two in a word, and references. */
typedef struct pair_data {
  uint node[SHELL_PAIR / 2];
  SPACE const double *rest; /* [7][2][PAIRS] of both triangles; NEAR: where forces will lie, so that it takes no registers */
} pair_data;

static void load_pair(int i, __global const uint *at, SPACE const double *rest, pair_data *out)
{
#pragma unroll
  for (int j = 0; j < SHELL_PAIR / 2; j++) out->node[j] = at[j * PAIRS + i];
  out->rest = rest + i;
}

/* Both triangles of a pair. */
static void both(const shell_body *k, shell_law law, const pair_data *pair, SPACE const double *X,
                 answer *one, answer *two, double E[2] SHEET_ARGUMENT)
{
  double S[2][5][3];
#pragma unroll
  for (int c = 0; c < 3; c++) {
    double p[SHELL_PAIR], sum[5];
    for (int j = 0; j < SHELL_PAIR; j++) p[j] = X[3 * (pair->node[j / 2] >> (16 * (j % 2)) & 0xffff) + c];
    regular(p, 0, 1, sum);
    for (int s = 0; s < 5; s++) S[0][s][c] = sum[s];
    regular(p, 13, -1, sum);
    for (int s = 0; s < 5; s++) S[1][s][c] = sum[s];
  }
  double R[7];
#pragma unroll
  for (int c = 0; c < 7; c++) R[c] = pair->rest[2 * c * PAIRS];
  respond_to(k, law, S[0], R, one, &E[0] SHEET_AT(cell));
#pragma unroll
  for (int c = 0; c < 7; c++) R[c] = pair->rest[(2 * c + 1) * PAIRS];
  respond_to(k, law, S[1], R, two, &E[1] SHEET_AT(cell + 4));
}

/* Both triangles of a pair give to its 14 nodes. */
static void put_pair(double s1, double s2, double n, const double b[3], double t1, double t2, double m,
                           const double d[3], int i, SPACE double *F)
{
  double bend[12], one[12], two[12];
  bend_regular(b, bend);
  regular_force(&s1, &s2, &n, bend, 1, one);
  bend_regular(d, bend);
  regular_force(&t1, &t2, &m, bend, 1, two);
  F[i] = one[0], F[PAIRS + i] = one[1];
#pragma unroll
  for (int j = 2; j < 12; j++) F[j * PAIRS + i] = one[j] + two[13 - j];
  F[12 * PAIRS + i] = two[1], F[13 * PAIRS + i] = two[0];
}

/* A triangle that is in no pair: response to S[12][singles]. */
static void single(const shell_body *k, shell_law law, __global const int *one, int i, int singles,
                         __global const ushort *at, __global const double *rest, __global const double *weight,
                         SPACE const double *X, SPACE double *S, double *E SHEET_ARGUMENT)
{
  double sum[5][3] = {{0}}, R[7];
  answer a;
  for (int c = 0; c < 7; c++) R[c] = rest[c * singles + i];
  for (int j = 0; j < one[ONE_NODES]; j++) {
    __global const double *w = weight + one[ONE_WEIGHT] + 6 * j + 1;
    const int node = at[one[ONE_AT] + j];
    for (int s = 0; s < 5; s++)
      for (int c = 0; c < 3; c++) sum[s][c] += w[s] * X[3 * node + c];
  }
  respond_to(k, law, sum, R, &a, E SHEET_AT(cell));
  for (int c = 0; c < 3; c++) {
    S[c * singles + i] = a.s1[c], S[(3 + c) * singles + i] = a.s2[c];
    S[(6 + c) * singles + i] = a.n[c], S[(9 + c) * singles + i] = a.b[c];
  }
}

/* Adds the entries that words [e, end) of a list name. */
static void add_entries(__global const uint *list, int e, int end, SPACE const double *F, int gap, double *sum)
{
  for (; e < end; e += SLICE) {
    const uint two = list[e];
    for (int w = 0; w < WIDTH; w++) {
      sum[w] += F[w * gap + (two & 0xffff)];
      sum[w] += F[w * gap + (two >> 16)];
    }
  }
}

#if LATE
/* A node that tiles share, as it is behind the stride before. */
typedef struct late_node {
  int4 s, o; /* its row: see join */
  double m, minv, Q[3], P[3], sum[3];
} late_node;

static void ask_late(int row, __global const int4 *shared, late_node *a)
{
  a->s = shared[2 * row], a->o = shared[2 * row + 1];
}

static void ask_columns(__global const double *mass, int stride, int column, int slots, __global const double *q,
                        __global const double *p, __global const double *slot, late_node *a)
{
  a->m = mass[a->s.x], a->minv = mass[stride + a->s.x];
  for (int c = 0; c < 3; c++) {
    a->Q[c] = q[c * column + a->s.x], a->P[c] = p[c * column + a->s.x];
    a->sum[c] = slot[c * slots + a->s.y];
  }
}

static void move_late(int slots, __global const int *other, __global const double *slot, double4 gravity, double h,
                      late_node *a)
{
  const double g[3] = {gravity.x, gravity.y, gravity.z};
  for (int k = 0; k < a->s.z; k++) {
    const int at = k == 0 ? a->o.x : k == 1 ? a->o.y : k == 2 ? a->o.z : k == 3 ? a->o.w : other[a->s.w + k - 4];
    for (int c = 0; c < 3; c++) a->sum[c] += slot[c * slots + at];
  }
  for (int c = 0; c < 3; c++) {
    const double P = shell_kicked_twice(h, g[c], a->m, a->sum[c], a->P[c]);
    a->Q[c] = shell_place_after(h, a->minv, P, a->Q[c]), a->P[c] = a->minv > 0.0 ? P : 0.0;
  }
}
#endif

/* row: of the tiles that are worked on, each with its table. */
__kernel void force(__global const int *restrict row, __global const int *restrict halo, __global const ushort *restrict at,
                    __global const double *restrict rest, __global const int *restrict one,
                    __global const double *restrict weight, __global const int *restrict slice,
                    __global const uint *restrict list, __global const int *restrict ghost_int,
                    __global const double *restrict ghost_real, __global const int *restrict give,
                    __global const double *restrict body, __global const double *restrict mass, int stride, int column,
                    int slots, double4 gravity, double h, int move, __global double *restrict q,
                    __global double *restrict p, __global double *restrict slot, __global double *restrict total,
                    __global const double *restrict sheet, LATE_ARGUMENTS SPACE double *room)
{
  const int lid = (int)get_local_id(0), items = (int)get_local_size(0);
  __global const int *t = row + (TILE_COLUMNS + T_COLUMNS) * get_group_id(0), *T = t + TILE_COLUMNS;
  const int own = T[T_OWN], halos = T[T_HALO], ghosts = T[T_GHOSTS], pairs = T[T_PAIRS], singles = T[T_SINGLES];
  const int places = own + halos + ghosts, entries = T[T_ENTRIES];
  const int first = t[TILE_NODE0] + T[T_OWN0], slot0 = t[TILE_SLOT];
#if NEAR
  SPACE double *base = room;
#else
  SPACE double *base = room + t[TILE_SCRATCH];
#endif
#if ROUNDS == 1 /* entries lie where places and references were, which nobody needs any more by then */
  SPACE double *S = base, *cells = S + 12 * singles, *F = cells + (ENERGY ? T[T_CELLS] : 0), *X = F;
#if NEAR
  SPACE double *rests = X + 3 * places;
#endif
#elif NEAR
  SPACE double *X = base, *S = X + 3 * places, *F = S + 12 * singles, *rests = F, *cells = F + SHELL_PAIR * PAIRS;
#else
  SPACE double *X = base, *S = X + 3 * places, *F = S + 12 * singles, *cells = F;
#endif
#if SHEET
  const int all = T[T_CELLS];
  __global const double *kept = sheet + SHEET_REALS * t[TILE_CELL];
#endif
  shell_body k;
  {
    __global const double *from = body + BODY_REALS * t[TILE_BODY];
    k.poisson = from[0], k.membrane = from[1], k.bend = from[2], k.mu = from[3], k.lambda = from[4], k.neo = from[5];
    k.lever = from[6], k.thickness = from[7], k.law = from[8];
  }
#ifdef LAW
  const shell_law law = LAW;
#else
  const shell_law law = k.law == 0.0 ? SHELL_STVK : SHELL_NEO_HOOKE;
#endif

  __global const uint *pair_at = (__global const uint *)(at + T[T_AT]);
  __global const double *pair_rest = rest + T[T_REST], *single_rest = pair_rest + 14 * PAIRS;
  __global const int *ones = one + ONE_COLUMNS * T[T_SINGLE0];
#if NEAR
  int2 list_of[2]; /* of the first two nodes of an item */
#pragma unroll
  for (int n = 0; n < 2; n++)
    list_of[n] = lid + n * items < places ? list_at(slice + T[T_SLICE], lid + n * items) : (int2)(0, 0);
  pair_data mine; /* asked for before all wait for each other */
  if (lid < pairs) {
    load_pair(lid, pair_at, rests, &mine);
#pragma unroll
    for (int c = 0; c < 14; c++) rests[c * PAIRS + lid] = pair_rest[c * PAIRS + lid];
  }
#endif
#if LATE
  const int inner = T[T_INNER], row_own = t[TILE_SHARED] - inner, row_halo = T[T_HALO0] - own;
  for (int i0 = lid; i0 < own + halos; i0 += 2 * items) { /* both of an item are on their way before one is written */
    late_node a[2];
    double inside[2][3];
#pragma unroll
    for (int n = 0; n < 2; n++) {
      const int i = i0 + n * items;
      if (i >= inner && i < own + halos)
        ask_late(i < own ? row_own + i : t[TILE_ROW0] + halo_row[row_halo + i], shared, &a[n]);
      for (int c = 0; i < inner && c < 3; c++) inside[n][c] = q[c * column + first + i];
    }
#pragma unroll
    for (int n = 0; n < 2; n++)
      if (i0 + n * items >= inner && i0 + n * items < own + halos)
        ask_columns(mass, stride, column, slots, q, p, slot_before, &a[n]);
#pragma unroll
    for (int n = 0; n < 2; n++) {
      const int i = i0 + n * items;
      if (i >= inner && i < own + halos) {
        move_late(slots, other, slot_before, gravity, h_late, &a[n]);
        for (int c = 0; c < 3; c++) X[3 * i + c] = a[n].Q[c];
        for (int c = 0; i < own && c < 3; c++)
          q_out[c * column + first + i] = a[n].Q[c], p_out[c * column + first + i] = a[n].P[c];
      }
      for (int c = 0; i < inner && c < 3; c++) X[3 * i + c] = inside[n][c];
    }
  }
#else
  int from_node[2]; /* both are on their way before one is written */
  double from[2][3];
#pragma unroll
  for (int n = 0; n < 2; n++) {
    const int i = lid + n * items;
    from_node[n] = i < own ? first + i : t[TILE_NODE0] + (i < own + halos ? halo[T[T_HALO0] + i - own] : 0);
  }
#pragma unroll
  for (int n = 0; n < 2; n++)
    for (int c = 0; c < 3; c++) from[n][c] = q[c * column + from_node[n]];
#pragma unroll
  for (int n = 0; n < 2; n++)
    for (int c = 0; lid + n * items < own + halos && c < 3; c++) X[3 * (lid + n * items) + c] = from[n][c];
  for (int i = lid + 2 * items; i < own + halos; i += items) {
    const int node = i < own ? first + i : t[TILE_NODE0] + halo[T[T_HALO0] + i - own];
    for (int c = 0; c < 3; c++) X[3 * i + c] = q[c * column + node];
  }
#endif
#if GHOSTS
  barrier(FENCE);
  for (int i = lid; i < ghosts; i += items) {
    __global const int *gi = ghost_int + GHOST_INTS * (T[T_GHOST0] + i);
    __global const double *g = ghost_real + GHOST_REALS * (t[TILE_GHOST] + i), *w = g + 6, *v = w + SHELL_SOURCES;
    double sum[3] = {g[3], g[4], g[5]}, even[3] = {0.0, 0.0, 0.0};
    for (int s = 0; s < gi[0]; s++)
      for (int c = 0; c < 3; c++) {
        sum[c] += w[s] * X[3 * gi[1 + s] + c];
        even[c] += v[s] * X[3 * gi[1 + s] + c];
      }
    const double along = g[0] * even[0] + g[1] * even[1] + g[2] * even[2];
    for (int c = 0; c < 3; c++) X[3 * (own + halos + i) + c] = sum[c] + along * g[c];
  }
#endif
#if ENERGY
  for (int i = lid; i < T[T_CELLS]; i += items) cells[i] = 0.0;
#endif
  barrier(FENCE);

  /* 2 */
  double E[2];
#if ENERGY
#define KEEP(cell, side) cells[cell] = E[side]
#else
#define KEEP(cell, side)
#endif
#if NEAR
  answer a, d;
  if (lid < pairs) {
    both(&k, law, &mine, X, &a, &d, E SHEET_AT(8 * (lid / 4) + lid % 4));
    KEEP(8 * (lid / 4) + lid % 4, 0);
    KEEP(8 * (lid / 4) + 4 + lid % 4, 1);
  }
  for (int i = items - 1 - lid; i < singles; i += items) { /* the last items have the fewest pairs */
#else
  SPACE double *P = F + max(entries + 1, T[T_CELLS]); /* [24][pairs] */
  for (int i = lid; i < pairs; i += items) {
    pair_data mine;
    answer a[2];
    load_pair(i, pair_at, pair_rest, &mine);
    both(&k, law, &mine, X, &a[0], &a[1], E SHEET_AT(8 * (i / 4) + i % 4));
    KEEP(8 * (i / 4) + i % 4, 0);
    KEEP(8 * (i / 4) + 4 + i % 4, 1);
    for (int side = 0; side < 2; side++)
      for (int c = 0; c < 3; c++) {
        P[(12 * side + c) * pairs + i] = a[side].s1[c], P[(12 * side + 3 + c) * pairs + i] = a[side].s2[c];
        P[(12 * side + 6 + c) * pairs + i] = a[side].n[c], P[(12 * side + 9 + c) * pairs + i] = a[side].b[c];
      }
  }
  for (int i = lid; i < singles; i += items) {
#endif
    single(&k, law, ones + ONE_COLUMNS * i, i, singles, at, single_rest, weight, X, S,
           E SHEET_AT(ones[ONE_COLUMNS * i + ONE_CELL]));
    KEEP(ones[ONE_COLUMNS * i + ONE_CELL], 0);
  }

#if ENERGY
  /* Lane by lane over the groups, then the lanes: as energy.c does. */
  barrier(FENCE);
  double sum_of_lane = 0.0;
  for (int i = lid; lid < 8 && i < T[T_CELLS]; i += 8) sum_of_lane += cells[i];
  barrier(FENCE);
  if (lid < 8) cells[lid] = sum_of_lane;
  barrier(FENCE);
  double energy = 0.0;
  for (int i = 0; lid == 0 && i < 8; i++) energy += cells[i];
  if (lid == 0) total[SHELL_SUMS * t[TILE_NUMBER] + 1] = energy;
#endif
#undef KEEP

  /* 3 */
  const double g[3] = {gravity.x, gravity.y, gravity.z};
  const int now = ghosts == 0 && move != NOTHING ? T[T_INNER] : 0; /* nodes that are moved at once */
  const int gap = entries + 1;
#if NEAR /* what the first nodes of an item need is asked for before all wait for each other */
  uint word[2][AHEAD];
  double m = 0.0, minv = 0.0, Q[WIDTH], P[WIDTH];
#pragma unroll
  for (int n = 0; n < 2; n++)
#pragma unroll
    for (int k = 0; k < AHEAD; k++)
      word[n][k] = list_of[n].x + k * SLICE < list_of[n].y ? list[list_of[n].x + k * SLICE] : 0;
  if (lid < now) m = mass[first + lid], minv = mass[stride + first + lid];
#endif
#pragma unroll
  for (int r = 0; r < ROUNDS; r++) {
    barrier(FENCE);
#pragma unroll
    for (int w = 0; w < WIDTH; w++) {
      const int c = WIDTH * r + w;
      SPACE double *to = F + w * gap;
#if NEAR
      if (lid < pairs)
        put_pair(a.s1[c], a.s2[c], a.n[c], a.b, d.s1[c], d.s2[c], d.n[c], d.b, lid, to);
#else
      for (int i = lid; i < pairs; i += items) {
        double b[2][3];
        for (int j = 0; j < 6; j++) b[j / 3][j % 3] = P[(12 * (j / 3) + 9 + j % 3) * pairs + i];
        put_pair(P[c * pairs + i], P[(3 + c) * pairs + i], P[(6 + c) * pairs + i], b[0], P[(12 + c) * pairs + i],
                       P[(15 + c) * pairs + i], P[(18 + c) * pairs + i], b[1], i, to);
      }
#endif
      if (lid == 0) to[entries] = 0.0; /* lists of uneven length end there */
    }
    for (int e = SHELL_PAIR * PAIRS + lid; e < entries; e += items) {
      const int i = at[T[T_OF_ENTRY] + e - SHELL_PAIR * PAIRS];
      __global const int *o = ones + ONE_COLUMNS * i;
      double weights[5], b[3], out;
      for (int j = 0; j < 5; j++) weights[j] = weight[o[ONE_WEIGHT] + 6 * (e - o[ONE_ENTRY]) + 1 + j];
      for (int j = 0; j < 3; j++) b[j] = S[(9 + j) * singles + i];
      for (int w = 0; w < WIDTH; w++) {
        const int c = WIDTH * r + w;
        const double s1 = S[c * singles + i], s2 = S[(3 + c) * singles + i], n = S[(6 + c) * singles + i];
        class_force(weights, &s1, &s2, &n, b, &out);
        F[w * gap + e] = out;
      }
    }
#if NEAR
    for (int w = 0; lid < now && w < WIDTH; w++)
      Q[w] = q[(WIDTH * r + w) * column + first + lid], P[w] = p[(WIDTH * r + w) * column + first + lid];
#endif
    barrier(FENCE);
#if NEAR
    double sums[2][WIDTH];
    for (int n = 0; n < 2; n++)
      for (int w = 0; w < WIDTH; w++) sums[n][w] = 0.0;
#pragma unroll
    for (int k = 0; k < AHEAD; k++)
#pragma unroll
      for (int n = 0; n < 2; n++) {
        if (list_of[n].x + k * SLICE >= list_of[n].y) continue;
        for (int w = 0; w < WIDTH; w++) {
          sums[n][w] += F[w * gap + (word[n][k] & 0xffff)];
          sums[n][w] += F[w * gap + (word[n][k] >> 16)];
        }
      }
    for (int n = 0; n < 2; n++)
      if (list_of[n].x + AHEAD * SLICE < list_of[n].y)
        add_entries(list, list_of[n].x + AHEAD * SLICE, list_of[n].y, F, gap, sums[n]);
    for (int w = 0; w < WIDTH; w++) {
      const int c = WIDTH * r + w, second = lid + items;
      if (lid < now)
        move_from(move, h, g[c], m, minv, sums[0][w], Q[w], P[w], q_out + c * column + first + lid,
                  p_out + c * column + first + lid);
      else if (lid < places)
        slot[c * slots + slot0 + lid] = sums[0][w];
      if (second >= now && second < places) slot[c * slots + slot0 + second] = sums[1][w];
      if (second < now)
        move_one(move, h, g[c], mass[first + second], mass[stride + first + second], sums[1][w],
                 q + c * column + first + second, p + c * column + first + second,
                 q_out + c * column + first + second, p_out + c * column + first + second);
    }
    for (int i = lid + 2 * items; i < places; i += items) {
#else
    for (int i = lid; i < places; i += items) {
#endif
      const int2 from = list_at(slice + T[T_SLICE], i);
      double sum[WIDTH];
      for (int w = 0; w < WIDTH; w++) sum[w] = 0.0;
      add_entries(list, from.x, from.y, F, gap, sum);
      for (int w = 0; w < WIDTH; w++) {
        const int c = WIDTH * r + w;
        if (i >= now)
          slot[c * slots + slot0 + i] = sum[w];
        else
          move_one(move, h, g[c], mass[first + i], mass[stride + first + i], sum[w], q + c * column + first + i,
                   p + c * column + first + i, q_out + c * column + first + i, p_out + c * column + first + i);
      }
    }
  }

#if GHOSTS
  /* What acts on ghosts goes back to the nodes that made them, ghost by ghost.  [shell 12] */
  const int givers = ghosts > 0 ? own + halos : 0;
  barrier(CLK_GLOBAL_MEM_FENCE);
  for (int i = lid; i < givers; i += items) {
    __global const int *from = give + T[T_GIVE] + i;
    for (int e = from[0]; e < from[1]; e++) {
      const int which = give[e] / SHELL_SOURCES, s = give[e] % SHELL_SOURCES;
      __global const double *gr = ghost_real + GHOST_REALS * (t[TILE_GHOST] + which);
      double f[3];
      for (int c = 0; c < 3; c++) f[c] = slot[c * slots + slot0 + own + halos + which];
      const double along = gr[0] * f[0] + gr[1] * f[1] + gr[2] * f[2];
      for (int c = 0; c < 3; c++)
        slot[c * slots + slot0 + i] += gr[6 + s] * f[c] + gr[6 + SHELL_SOURCES + s] * along * gr[c];
    }
    for (int c = 0; move != NOTHING && i < T[T_INNER] && c < 3; c++)
      move_one(move, h, g[c], mass[first + i], mass[stride + first + i], slot[c * slots + slot0 + i],
               q + c * column + first + i, p + c * column + first + i, q_out + c * column + first + i,
               p_out + c * column + first + i);
  }
#endif
}
#undef LATE_ARGUMENTS
#undef q_out
#undef p_out
#undef SPACE
#undef FENCE
#undef WIDTH
#undef AHEAD
