/* body/shell/lanes.h  What the kernels of a tile share: vectors, formulas for several elements at once, from nodes to lanes.
 *
 * The nodes of a tile lie as (x y z z) in a small array; four elements at a time turn them into lanes, one element each.
 * Vectors have four doubles on purpose: compilers make scalars of types that are wider than the machine's.  The formulas also
 * exist for eight, for machines that have such registers: half as many instructions for the longest chain; the sums also for
 * two, for machines that have no wider ones.  One source, compiled for three instruction sets; without contraction all give
 * the same bits.  For the kernels only: force.c, energy.c. */
#pragma once
#include "body/shell/shell.h"

#include "math/math.h"

/* Doubles in a vector; groups that go through a phase together; how many groups before their turn tables are asked for. */
enum { WIDTH = 4, RUN = 4, AHEAD = 8 };

/* Doubles in a register of the machine. */
typedef enum reach { TWO = 2, FOUR = 4, EIGHT = 8 } reach;

typedef double pair __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef double lanes __attribute__((vector_size(WIDTH * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef double wide __attribute__((vector_size(2 * WIDTH * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef int64_t pair_mask __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef int64_t lanes_mask __attribute__((vector_size(WIDTH * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef int64_t wide_mask __attribute__((vector_size(2 * WIDTH * sizeof(double)), aligned(sizeof(double)), may_alias));

#if __has_builtin(__builtin_shufflevector)
#define MIX(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#define JOIN(a, b)            __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
#define LOWER(a)              __builtin_shufflevector(a, a, 0, 1, 2, 3)
#define UPPER(a)              __builtin_shufflevector(a, a, 4, 5, 6, 7)
#else
typedef int64_t places __attribute__((vector_size(WIDTH * sizeof(int64_t))));
#define MIX(a, b, i, j, k, l) __builtin_shuffle(a, b, (places){i, j, k, l})
#define JOIN(a, b)            ((wide){(a)[0], (a)[1], (a)[2], (a)[3], (b)[0], (b)[1], (b)[2], (b)[3]})
#define LOWER(a)              ((lanes){(a)[0], (a)[1], (a)[2], (a)[3]})
#define UPPER(a)              ((lanes){(a)[4], (a)[5], (a)[6], (a)[7]})
#endif
#define FIRSTS(a, b)  ((pair){(a)[0], (b)[0]})
#define SECONDS(a, b) ((pair){(a)[1], (b)[1]})

#define LANE(x, i)    ((x)[i])
#define ROOT(x) \
  for (int l_ = 0; l_ < LANES; l_++) (x)[l_] = sqrt((x)[l_])
#define REAL     pair
#define MASK     pair_mask
#define LANES    2
#define FN(name) name##_pair
#include "body/shell/formulas.h"
#include "body/shell/points.h"
#undef MASK
#undef REAL
#undef LANES
#undef FN
#define REAL     lanes
#define MASK     lanes_mask
#define LANES    4
#define FN(name) name##_lanes
#include "body/shell/formulas.h"
#include "body/shell/points.h"
#undef MASK
#undef REAL
#undef LANES
#undef FN
#define REAL     wide
#define MASK     wide_mask
#define LANES    8
#define FN(name) name##_wide
#include "body/shell/formulas.h"
#include "body/shell/points.h"
#undef MASK
#undef REAL
#undef LANES
#undef FN
#undef LANE
#undef ROOT
#define INLINE static inline __attribute__((always_inline))

/* ---- between x y z and four elements ---- */

/* in[4]: (x y z -) of four elements; out[3]: x, y, z of all four. */
INLINE void turn_in_lanes(const lanes in[4], lanes out[3])
{
  const lanes a = MIX(in[0], in[1], 0, 4, 2, 6), b = MIX(in[2], in[3], 0, 4, 2, 6); /* x0 x1 z0 z1, x2 x3 z2 z3 */
  const lanes c = MIX(in[0], in[1], 1, 5, 3, 7), d = MIX(in[2], in[3], 1, 5, 3, 7); /* y0 y1 - -, y2 y3 - - */
  out[0] = MIX(a, b, 0, 1, 4, 5);
  out[1] = MIX(c, d, 0, 1, 4, 5);
  out[2] = MIX(a, b, 2, 3, 6, 7);
}

/* in[3]: x, y, z of four elements; out[4]: (x y z z) of each. */
INLINE void turn_out_lanes(const lanes in[3], lanes out[4])
{
  const lanes a = MIX(in[0], in[1], 0, 4, 2, 6), b = MIX(in[0], in[1], 1, 5, 3, 7); /* x0 y0 x2 y2, x1 y1 x3 y3 */
  const lanes z0 = MIX(in[2], in[2], 0, 0, 2, 2), z1 = MIX(in[2], in[2], 1, 1, 3, 3);
  out[0] = MIX(a, z0, 0, 1, 4, 5);
  out[1] = MIX(b, z1, 0, 1, 4, 5);
  out[2] = MIX(a, z0, 2, 3, 6, 7);
  out[3] = MIX(b, z1, 2, 3, 6, 7);
}

/* Where registers hold two doubles, compilers split sums and products of four well, but move the numbers of a shuffle one by
 * one through memory, and who reads them back as a vector waits long.  There the same is done by halves. */
typedef union halves {
  lanes whole;
  pair half[2];
} halves;

INLINE void turn_in_pairs(const lanes in[4], lanes out[3])
{
  const halves a = {in[0]}, b = {in[1]}, c = {in[2]}, d = {in[3]};
  const halves x = {.half = {FIRSTS(a.half[0], b.half[0]), FIRSTS(c.half[0], d.half[0])}};
  const halves y = {.half = {SECONDS(a.half[0], b.half[0]), SECONDS(c.half[0], d.half[0])}};
  const halves z = {.half = {FIRSTS(a.half[1], b.half[1]), FIRSTS(c.half[1], d.half[1])}};
  out[0] = x.whole, out[1] = y.whole, out[2] = z.whole;
}

INLINE void turn_out_pairs(const lanes in[3], lanes out[4])
{
  const halves x = {in[0]}, y = {in[1]}, z = {in[2]};
  for (int i = 0; i < 2; i++) {
    const pair a = x.half[i], b = y.half[i], c = z.half[i];
    const halves one = {.half = {FIRSTS(a, b), FIRSTS(c, c)}}, two = {.half = {SECONDS(a, b), SECONDS(c, c)}};
    out[2 * i] = one.whole, out[2 * i + 1] = two.whole;
  }
}

INLINE void turn_in(reach how, const lanes in[4], lanes out[3])
{
  if (how == TWO)
    turn_in_pairs(in, out);
  else
    turn_in_lanes(in, out);
}

INLINE void turn_out(reach how, const lanes in[3], lanes out[4])
{
  if (how == TWO)
    turn_out_pairs(in, out);
  else
    turn_out_lanes(in, out);
}

#define LOAD(p)     (*(const lanes *)(p))
#define STORE(p, x) (*(lanes *)(p) = (x))

/* Four elements, which are the lanes: the sums A1 A2 D11 D22 D33 in, the response out. */
enum { SUMS = 5 };
typedef struct four {
  lanes sum[SUMS][3];
  lanes s1[3], s2[3], n[3], b[3];
} four;

/* ---- the sums of pairs of regular triangles ---- */

/* Four pairs: their first triangles to f[0], their second ones to f[1]. */
INLINE void gather_pairs_four(const shell_group *g, const double *x, four f[2])
{
  const uint16_t *at = g->at;
  lanes node[SHELL_PAIR][3];
  for (int j = 0; j < SHELL_PAIR; j++) {
    const lanes in[4] = {LOAD(x + at[j]), LOAD(x + at[SHELL_PAIR + j]), LOAD(x + at[2 * SHELL_PAIR + j]),
                         LOAD(x + at[3 * SHELL_PAIR + j])};
    turn_in_lanes(in, node[j]);
  }
  for (int c = 0; c < 3; c++) {
    lanes p[SHELL_PAIR], one[SUMS], two[SUMS];
    for (int j = 0; j < SHELL_PAIR; j++) p[j] = node[j][c];
    regular_lanes(p, 0, 1, one);
    regular_lanes(p, 13, -1, two);
    for (int i = 0; i < SUMS; i++) f[0].sum[i][c] = one[i], f[1].sum[i][c] = two[i];
  }
}

/* The same, two pairs at a time: 14 numbers fit into 16 registers of two, 28 do not. */
INLINE void gather_pairs_two(const shell_group *g, const double *x, four f[2])
{
  for (int half = 0; half < 2; half++)
    for (int c = 0; c < 3; c++) {
      const uint16_t *a = g->at + 2 * SHELL_PAIR * half, *b = a + SHELL_PAIR;
      pair p[SHELL_PAIR], one[SUMS], two[SUMS];
      for (int j = 0; j < SHELL_PAIR; j++) p[j] = (pair){x[a[j] + c], x[b[j] + c]};
      regular_pair(p, 0, 1, one);
      regular_pair(p, 13, -1, two);
      for (int i = 0; i < SUMS; i++) ((pair *)&f[0].sum[i][c])[half] = one[i], ((pair *)&f[1].sum[i][c])[half] = two[i];
    }
}

INLINE void gather_pairs(reach how, const shell_group *g, const double *x, four f[2])
{
  if (how == TWO)
    gather_pairs_two(g, x, f);
  else
    gather_pairs_four(g, x, f);
}

/* ---- of any other triangle ---- */

INLINE void gather_class(reach how, const shell_class *c, const uint16_t *at, const double *x, four *f)
{
  lanes sum[SUMS][3] = {{{0}}};
  for (int j = 0; j < c->nodes; j++) {
    const lanes in[4] = {LOAD(x + at[j]), LOAD(x + at[c->nodes + j]), LOAD(x + at[2 * c->nodes + j]),
                         LOAD(x + at[3 * c->nodes + j])};
    const double *w = c->weight[j];
    lanes p[3];
    turn_in(how, in, p);
    for (int k = 0; k < SUMS; k++)
      for (int d = 0; d < 3; d++) sum[k][d] += w[W_1 + k] * p[d];
  }
  for (int k = 0; k < SUMS; k++)
    for (int d = 0; d < 3; d++) f->sum[k][d] = sum[k][d];
}

/* All lanes of a group. */
INLINE void gather_group(reach how, const shell_tile *t, const shell_group *g, const double *x, four f[2])
{
  const shell_class *c = &t->cls[g->cls];
  if (g->pair) {
    gather_pairs(how, g, x, f);
    return;
  }
  gather_class(how, c, g->at, x, &f[0]);
  if (g->count > WIDTH)
    gather_class(how, c, g->at + WIDTH * c->nodes, x, &f[1]);
  else
    f[1] = f[0];
}

/* Sums and references of a torn group, sums of whole lanes gathered before: lanes that were cut have weights of their own. */
static inline void torn_in(const shell_body *k, const shell_tile *t, const shell_group *g, const double *q,
                           const double *x, four f[2], double *rest)
{
  for (int i = 0; i < SHELL_REFERENCE * SHELL_GROUP; i++) rest[i] = g->rest[i];
  for (int lane = 0; lane < SHELL_GROUP; lane++) {
    shell_patch p;
    if (!shell_patch_torn(k, t, g, lane, q, &p)) continue;
    for (int i = 0; i < SUMS; i++)
      for (int c = 0; c < 3; c++) {
        double sum = 0.0;
        for (int j = 0; j < p.nodes; j++) sum += p.weight[j][W_1 + i] * x[p.at[j] + c];
        f[lane / WIDTH].sum[i][c][lane % WIDTH] = sum;
      }
    for (int i = 0; i < SHELL_REFERENCE; i++) rest[SHELL_GROUP * i + lane] = p.rest[i];
  }
}

/* ---- nodes ---- */

/* Local nodes as (x y z z): those owned, the halo, the ghosts.  The fourth number only has to be one. */
INLINE void gather_nodes(reach how, const shell_tile *t, int64_t column, const double *q, double *x)
{
  const double *own = q + t->node0 + t->own0, *all = q + t->node0;
  int64_t i = 0;
  for (; i + WIDTH <= t->own; i += WIDTH) {
    const lanes in[3] = {LOAD(own + i), LOAD(own + column + i), LOAD(own + 2 * column + i)};
    lanes out[4];
    turn_out(how, in, out);
    for (int k = 0; k < 4; k++) STORE(x + 4 * (i + k), out[k]);
  }
  for (; i < t->own; i++) {
    const lanes one = {own[i], own[column + i], own[2 * column + i], 0.0};
    STORE(x + 4 * i, one);
  }
  for (int k = 0; k < t->halo; k++) {
    const double *from = all + t->halo_node[k];
    const lanes one = {from[0], from[column], from[2 * column], 0.0};
    STORE(x + 4 * (i + k), one);
  }
  if (t->ghosts > 0) shell_ghosts_make(t, x);
}

/* ---- asking ahead ---- */

/* A large mesh comes from memory in every step.  Its tables lie in the order of use, but in many short pieces, which the
 * machine does not guess in time.  A few lines with each group: many at once would fill the queue of the cache, and all other
 * loads would wait behind them. */
INLINE void ask_table(const shell_group *g)
{
  enum {
    LINE = 64,
    AT = sizeof(uint16_t) * SHELL_HALF * SHELL_PAIR,
    REST = sizeof(double) * SHELL_REFERENCE * SHELL_GROUP
  };
  for (int k = 0; k < AT; k += LINE) __builtin_prefetch((const char *)g->at + k);
  for (int k = 0; k < REST; k += LINE) __builtin_prefetch((const char *)g->rest + k);
}

/* What group i of a tile will need AHEAD groups later, at its end the first groups of the next one. */
INLINE void ask_ahead(const shell_tile *t, const shell_tile *next, int i)
{
  if (i + AHEAD < t->groups)
    ask_table(&t->group[i + AHEAD]);
  else if (i + AHEAD - t->groups < next->groups)
    ask_table(&next->group[i + AHEAD - t->groups]);
}

/* The nodes that the next tile owns, eight of them with each group. */
INLINE void ask_nodes(const shell_tile *next, int i, int64_t column, const double *q)
{
  const double *own = q + next->node0 + next->own0;
  if (8 * i < next->own)
    for (int c = 0; c < 3; c++) __builtin_prefetch(own + c * column + 8 * i);
}

/* ---- instruction sets ---- */

/* What this machine has, up to set: 0: plain, 1: AVX2 at most, 2: any. */
INLINE reach machine_reach(int set)
{
#if defined(__x86_64__) && !defined(VV_NO_CLONES)
  const bool avx2 = __builtin_cpu_supports("avx2") != 0;
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq");
  if (avx512 && set >= 2) return EIGHT;
  return avx2 && set >= 1 ? FOUR : TWO;
#else
  (void)set;
  return TWO;
#endif
}

#define AVX2   __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx2,fma,avx512f,avx512vl,avx512dq"))) /* twice the registers */
