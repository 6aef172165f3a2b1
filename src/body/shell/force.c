/* body/shell/force.c  The gradient of the strain energy of one tile.
 *
 * The nodes of a tile lie as (x y z z) in a small array; four elements at a time turn them into lanes, one element each, go
 * through the formulas together, and add their forces to the segment of the tile.  Vectors have four doubles on purpose:
 * compilers make scalars of types that are wider than the machine's.  The formulas also exist for eight, for machines that
 * have such registers: half as many instructions for the longest chain; the sums also for two, for machines that have no
 * wider ones.  One source, compiled for three instruction sets; without contraction all give the same bits. */
#include "body/shell/shell.h"

#include "math/math.h"

#include <string.h>

/* Doubles in a vector; groups that go through a phase together; how many groups before their turn tables are asked for. */
enum { WIDTH = 4, RUN = 4, AHEAD = 8 };

/* Doubles in a register of the machine. */
typedef enum reach { TWO = 2, FOUR = 4, EIGHT = 8 } reach;

typedef double pair __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef double lanes __attribute__((vector_size(WIDTH * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef double wide __attribute__((vector_size(2 * WIDTH * sizeof(double)), aligned(sizeof(double)), may_alias));

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

#define REAL          pair
#define FN(name)      name##_pair
#define ROOT(x) \
  for (int l_ = 0; l_ < 2; l_++) (x)[l_] = sqrt((x)[l_])
#include "body/shell/formulas.h"
#undef REAL
#undef FN
#undef ROOT
#define REAL     lanes
#define FN(name) name##_lanes
#define ROOT(x) \
  for (int l_ = 0; l_ < WIDTH; l_++) (x)[l_] = sqrt((x)[l_])
#include "body/shell/formulas.h"
#undef REAL
#undef FN
#undef ROOT
#define REAL     wide
#define FN(name) name##_wide
#define ROOT(x) \
  for (int l_ = 0; l_ < 2 * WIDTH; l_++) (x)[l_] = sqrt((x)[l_])
#include "body/shell/formulas.h"
#undef REAL
#undef FN
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

INLINE void middle(const shell_body *k, shell_law law, const double *rest, four *f)
{
  lanes S[SUMS][3], R[SHELL_REFERENCE], s1[3], s2[3], n[3], b[3];
  for (int i = 0; i < SUMS; i++)
    for (int c = 0; c < 3; c++) S[i][c] = f->sum[i][c];
  for (int c = 0; c < SHELL_REFERENCE; c++) R[c] = LOAD(rest + SHELL_GROUP * c);
  element_lanes(k, law, (const lanes(*)[3])S, R, s1, s2, n, b);
  for (int c = 0; c < 3; c++) f->s1[c] = s1[c], f->s2[c] = s2[c], f->n[c] = n[c], f->b[c] = b[c];
}

/* Two at a time. */
INLINE void middle_pair(const shell_body *k, shell_law law, const double *rest, four *f)
{
  for (int h = 0; h < 2; h++) {
    pair S[SUMS][3], R[SHELL_REFERENCE], s1[3], s2[3], n[3], b[3];
    for (int i = 0; i < SUMS; i++)
      for (int c = 0; c < 3; c++) S[i][c] = ((const pair *)&f->sum[i][c])[h];
    for (int c = 0; c < SHELL_REFERENCE; c++) R[c] = ((const pair *)(rest + SHELL_GROUP * c))[h];
    element_pair(k, law, (const pair(*)[3])S, R, s1, s2, n, b);
    for (int c = 0; c < 3; c++)
      ((pair *)&f->s1[c])[h] = s1[c], ((pair *)&f->s2[c])[h] = s2[c], ((pair *)&f->n[c])[h] = n[c],
             ((pair *)&f->b[c])[h] = b[c];
  }
}

/* The same for eight elements, for machines with registers that wide. */
INLINE void middle_wide(const shell_body *k, shell_law law, const double *rest, four f[2])
{
  wide S[SUMS][3], R[SHELL_REFERENCE], s1[3], s2[3], n[3], b[3];
  for (int i = 0; i < SUMS; i++)
    for (int c = 0; c < 3; c++) S[i][c] = JOIN(f[0].sum[i][c], f[1].sum[i][c]);
  for (int c = 0; c < SHELL_REFERENCE; c++) R[c] = *(const wide *)(rest + SHELL_GROUP * c);
  element_wide(k, law, (const wide(*)[3])S, R, s1, s2, n, b);
  for (int c = 0; c < 3; c++) {
    f[0].s1[c] = LOWER(s1[c]), f[0].s2[c] = LOWER(s2[c]), f[0].n[c] = LOWER(n[c]), f[0].b[c] = LOWER(b[c]);
    f[1].s1[c] = UPPER(s1[c]), f[1].s2[c] = UPPER(s2[c]), f[1].n[c] = UPPER(n[c]), f[1].b[c] = UPPER(b[c]);
  }
}

/* Metric and curvature of four elements: the reference, taken by the operations that the force repeats. */
INLINE void middle_rest(shell_law law, double *rest, const four *f)
{
  lanes G[3], B[3], n[3], inverse, scale;
  measure_lanes(f->sum[0], f->sum[1], f->sum[2], f->sum[3], f->sum[4], G, B, n, &inverse);
  scale_lanes(law, G, &scale);
  for (int c = 0; c < 3; c++) STORE(rest + SHELL_GROUP * c, G[c]), STORE(rest + SHELL_GROUP * (3 + c), B[c]);
  STORE(rest + SHELL_GROUP * 6, scale);
}

/* ---- pairs of regular triangles ---- */

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

/* What the bending moments of four elements do to their 12 nodes along the normal: b1 W_11 + b2 W_22 + b3 W_33. */
INLINE void bend_regular(const lanes b[3], double (*out)[WIDTH])
{
  const lanes sum = b[0] + b[1] + b[2], two = 2.0 * sum, four_sums = 4.0 * sum;
  STORE(out[0], b[0] + 2.0 * b[1]);
  STORE(out[1], 2.0 * b[0] + b[1]);
  STORE(out[2], four_sums - 6.0 * b[0]);
  STORE(out[3], -two - 6.0 * b[2]);
  STORE(out[4], four_sums - 6.0 * b[1]);
  STORE(out[5], b[0] + 2.0 * b[2]);
  STORE(out[6], -two - 6.0 * b[1]);
  STORE(out[7], -two - 6.0 * b[0]);
  STORE(out[8], b[1] + 2.0 * b[2]);
  STORE(out[9], 2.0 * b[0] + b[2]);
  STORE(out[10], four_sums - 6.0 * b[2]);
  STORE(out[11], 2.0 * b[1] + b[2]);
}

/* Force on the 12 nodes of a regular triangle. */
INLINE void regular_force(const lanes f[3][WIDTH], int element, double (*bend)[WIDTH], lanes F[SHELL_REGULAR])
{
  const lanes s1 = f[0][element], s2 = f[1][element], n = f[2][element];
  const lanes a1 = 78.0 * s1, a2 = 78.0 * s2, c1 = 30.0 * s1, c2 = 30.0 * s2, e1 = 4.0 * s1, e2 = 4.0 * s2;
  const lanes g1 = 5.0 * s1, g2 = 5.0 * s2;
#define BEND(i) (bend[i][element] * n)
  F[0] = BEND(0) - (e1 + g2);
  F[1] = BEND(1) - (g1 + e2);
  F[2] = BEND(2) - c2;
  F[3] = BEND(3) - (a1 + a2);
  F[4] = BEND(4) - c1;
  F[5] = BEND(5) + (e1 - s2);
  F[6] = BEND(6) + a1;
  F[7] = BEND(7) + a2;
  F[8] = BEND(8) + (e2 - s1);
  F[9] = BEND(9) + (g1 + s2);
  F[10] = BEND(10) + (c1 + c2);
  F[11] = BEND(11) + (s1 + g2);
#undef BEND
}

INLINE void scatter_pairs(reach how, const shell_group *g, const four f[2], double *slot)
{
  double bend[2][SHELL_REGULAR][WIDTH];
  lanes single[2][3][WIDTH]; /* s1, s2, n of one element each, with x y z as lanes */
  for (int k = 0; k < 2; k++) {
    bend_regular(f[k].b, bend[k]);
    turn_out(how, f[k].s1, single[k][0]), turn_out(how, f[k].s2, single[k][1]), turn_out(how, f[k].n, single[k][2]);
  }
  for (int i = 0; i < g->count / 2; i++) {
    const uint16_t *at = g->at + SHELL_PAIR * i;
    lanes one[SHELL_REGULAR], two[SHELL_REGULAR];
    regular_force((const lanes(*)[WIDTH])single[0], i, bend[0], one);
    regular_force((const lanes(*)[WIDTH])single[1], i, bend[1], two);
    for (int j = 0; j < SHELL_PAIR; j++) {
      lanes sum = LOAD(slot + at[j]);
      if (j < 2)
        sum += one[j];
      else if (j < SHELL_REGULAR)
        sum += one[j] + two[13 - j];
      else
        sum += two[13 - j];
      STORE(slot + at[j], sum);
    }
  }
}

/* ---- any other triangle ---- */

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

INLINE void scatter_class(reach how, const shell_class *c, const uint16_t *at, int count, const four *f, double *slot)
{
  for (int j = 0; j < c->nodes; j++) {
    const double *w = c->weight[j];
    const lanes bend = w[W_11] * f->b[0] + w[W_22] * f->b[1] + w[W_33] * f->b[2];
    lanes force[3], out[4];
    for (int d = 0; d < 3; d++) force[d] = bend * f->n[d] + (w[W_1] * f->s1[d] + w[W_2] * f->s2[d]);
    turn_out(how, force, out);
    for (int i = 0; i < WIDTH; i++) {
      double *to = slot + at[i * c->nodes + j];
      if (i < count) STORE(to, LOAD(to) + out[i]);
    }
  }
}

/* ---- one tile ---- */

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

void shell_ghosts_make(const shell_tile *t, double *x)
{
  for (int i = 0; i < t->ghosts; i++) {
    const shell_ghost *g = &t->ghost[i];
    double sum[3] = {g->offset[0], g->offset[1], g->offset[2]}, even[3] = {0, 0, 0};
    for (int k = 0; k < g->count; k++)
      for (int c = 0; c < 3; c++) {
        sum[c] += g->w[k] * x[4 * g->source[k] + c];
        even[c] += g->v[k] * x[4 * g->source[k] + c];
      }
    const double along = vvi_dot3(g->normal, even);
    double *to = x + 4 * (int64_t)(t->own + t->halo + i);
    for (int c = 0; c < 3; c++) to[c] = sum[c] + along * g->normal[c];
    to[3] = 0.0;
  }
}

/* The transpose.                                                                                              [shell 12] */
void shell_ghosts_give(const shell_tile *t, double *slot)
{
  for (int i = 0; i < t->ghosts; i++) {
    const shell_ghost *g = &t->ghost[i];
    const double *f = slot + 4 * (int64_t)(t->own + t->halo + i), along = vvi_dot3(g->normal, f);
    for (int k = 0; k < g->count; k++)
      for (int c = 0; c < 3; c++) slot[4 * g->source[k] + c] += g->w[k] * f[c] + g->v[k] * along * g->normal[c];
  }
}

INLINE void middle_both(const shell_body *k, shell_law law, reach how, const double *rest, four f[2])
{
  if (how == EIGHT) {
    middle_wide(k, law, rest, f);
    return;
  }
  if (how == TWO) {
    middle_pair(k, law, rest, &f[0]);
    middle_pair(k, law, rest + WIDTH, &f[1]);
    return;
  }
  middle(k, law, rest, &f[0]);
  middle(k, law, rest + WIDTH, &f[1]);
}

/* All lanes of a group: gather, formulas, scatter. */
INLINE void pair_gradient(const shell_body *k, shell_law law, reach how, const shell_group *g, const double *x,
                          double *slot)
{
  four f[2];
  gather_pairs(how, g, x, f);
  middle_both(k, law, how, g->rest, f);
  scatter_pairs(how, g, f, slot);
}

INLINE void class_gradient(const shell_body *k, shell_law law, reach how, const shell_class *c, const shell_group *g,
                           const double *x, double *slot)
{
  const uint16_t *behind = g->at + WIDTH * c->nodes;
  const int count = g->count;
  four f[2];
  gather_class(how, c, g->at, x, &f[0]);
  if (count <= WIDTH) {
    middle(k, law, g->rest, &f[0]);
    scatter_class(how, c, g->at, count, &f[0], slot);
    return;
  }
  gather_class(how, c, behind, x, &f[1]);
  middle_both(k, law, how, g->rest, f);
  scatter_class(how, c, g->at, WIDTH, &f[0], slot);
  scatter_class(how, c, behind, count - WIDTH, &f[1], slot);
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

/* Gradient of the strain energy of a tile, into its slots. */
INLINE void tile_gradient(const shell_body *k, shell_law law, reach how, const shell_tile *t, const shell_tile *next,
                          int64_t column, const double *q, double *slot)
{
  _Alignas(64) double x[4 * SHELL_MOST_LOCAL];
  gather_nodes(how, t, column, q, x);
  memset(slot, 0, sizeof(double) * 4 * (size_t)shell_tile_nodes(t));
  int i = 0; /* pairs come first; the formulas have long chains, which several groups in a row fill */
  for (; i + RUN <= t->groups && t->group[i + RUN - 1].pair; i += RUN) {
    four f[RUN][2];
    for (int j = 0; j < RUN; j++) {
      if (next != NULL) ask_ahead(t, next, i + j);
      gather_pairs(how, &t->group[i + j], x, f[j]);
    }
    for (int j = 0; j < RUN; j++) middle_both(k, law, how, t->group[i + j].rest, f[j]);
    for (int j = 0; j < RUN; j++) {
      if (next != NULL) ask_nodes(next, i + j, column, q);
      scatter_pairs(how, &t->group[i + j], f[j], slot);
    }
  }
  for (; i < t->groups; i++) {
    const shell_group *g = &t->group[i];
    if (g->pair)
      pair_gradient(k, law, how, g, x, slot);
    else
      class_gradient(k, law, how, &t->cls[g->cls], g, x, slot);
  }
  if (t->ghosts > 0) shell_ghosts_give(t, slot);
}

void shell_tile_rest(shell_law law, const shell_tile *t, int64_t column, const double *q)
{
  const reach how = TWO; /* built for the plainest machine */
  _Alignas(64) double x[4 * SHELL_MOST_LOCAL];
  gather_nodes(how, t, column, q, x);
  for (int i = 0; i < t->groups; i++) {
    const shell_group *g = &t->group[i];
    four f[2];
    if (g->pair)
      gather_pairs(how, g, x, f);
    else
      for (int half = 0; half < 2; half++)
        gather_class(how, &t->cls[g->cls], g->at + WIDTH * half * t->cls[g->cls].nodes, x, &f[half]);
    middle_rest(law, g->rest, &f[0]);
    middle_rest(law, g->rest + WIDTH, &f[1]);
  }
}

/* ---- instruction sets ---- */

INLINE void tile_any_law(const shell_body *k, reach how, const shell_tile *t, const shell_tile *next, int64_t column,
                         const double *q, double *slot)
{
  if (k->law == SHELL_STVK)
    tile_gradient(k, SHELL_STVK, how, t, next, column, q, slot);
  else
    tile_gradient(k, SHELL_NEO_HOOKE, how, t, next, column, q, slot);
}

static void tile_plain(const shell_body *k, const shell_tile *t, const shell_tile *next, int64_t column,
                       const double *q, double *slot)
{
  tile_any_law(k, TWO, t, next, column, q, slot);
}

#if defined(__x86_64__) && !defined(VV_NO_CLONES)
__attribute__((target("avx2,fma"))) static void tile_avx2(const shell_body *k, const shell_tile *t,
                                                          const shell_tile *next, int64_t column, const double *q,
                                                          double *slot)
{
  tile_any_law(k, FOUR, t, next, column, q, slot);
}

/* Twice the registers; the vectors stay as wide as they are. */
__attribute__((target("avx2,fma,avx512f,avx512vl,avx512dq"))) static void
tile_avx512(const shell_body *k, const shell_tile *t, const shell_tile *next, int64_t column, const double *q,
            double *slot)
{
  tile_any_law(k, EIGHT, t, next, column, q, slot);
}

shell_tile_fn *shell_tile_force(int set)
{
  const bool avx2 = __builtin_cpu_supports("avx2") != 0;
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq");
  if (avx512 && set >= 2) return tile_avx512;
  return avx2 && set >= 1 ? tile_avx2 : tile_plain;
}
#else
shell_tile_fn *shell_tile_force(int set)
{
  (void)set;
  return tile_plain;
}
#endif
