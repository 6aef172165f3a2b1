/* body/shell/force.c  The gradient of the strain energy of one tile.
 *
 * Four elements at a time are gathered from the nodes of the tile into lanes, go through the formulas together, and add their
 * forces to the segment of the tile. */
#include "body/shell/lanes.h"

#include <string.h>

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

INLINE void scatter_pairs(reach how, const shell_group *g, const four f[2], double *slot)
{
  double bend[2][SHELL_REGULAR][WIDTH];
  lanes single[2][3][WIDTH], all[SHELL_REGULAR]; /* s1, s2, n of one element each, with x y z as lanes */
  for (int k = 0; k < 2; k++) {
    bend_regular_lanes(f[k].b, all);
    for (int j = 0; j < SHELL_REGULAR; j++) STORE(bend[k][j], all[j]);
    turn_out(how, f[k].s1, single[k][0]), turn_out(how, f[k].s2, single[k][1]), turn_out(how, f[k].n, single[k][2]);
  }
  for (int i = 0; i < g->count / 2; i++) {
    const uint16_t *at = g->at + SHELL_PAIR * i;
    lanes one[SHELL_REGULAR], two[SHELL_REGULAR];
    regular_force_lanes(&single[0][0][i], &single[0][1][i], &single[0][2][i], &bend[0][0][i], WIDTH, one);
    regular_force_lanes(&single[1][0][i], &single[1][1][i], &single[1][2][i], &bend[1][0][i], WIDTH, two);
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

INLINE void scatter_class(reach how, const shell_class *c, const uint16_t *at, int count, const four *f, double *slot)
{
  for (int j = 0; j < c->nodes; j++) {
    const double *w = c->weight[j];
    lanes force[3], out[4];
    for (int d = 0; d < 3; d++) class_force_lanes(w + W_1, &f->s1[d], &f->s2[d], &f->n[d], f->b, &force[d]);
    turn_out(how, force, out);
    for (int i = 0; i < WIDTH; i++) {
      double *to = slot + at[i * c->nodes + j];
      if (i < count) STORE(to, LOAD(to) + out[i]);
    }
  }
}

/* ---- one tile ---- */

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

/* A group that has flowed or has branches: stresses come from its internal variables. */
INLINE void flowed_gradient(const shell_body *k, reach how, const shell_tile *t, const shell_group *g, const double *z,
                            const double *x, double *slot)
{
  const shell_class *c = &t->cls[g->cls];
  four f[2];
  lanes G[2][3], B[2][3], inverse[2];
  shell_eight metric[3], curve[3], N[3], M[3];
  gather_group(how, t, g, x, f);
  for (int half = 0; half < 2; half++) {
    four *a = &f[half];
    measure_lanes(a->sum[0], a->sum[1], a->sum[2], a->sum[3], a->sum[4], G[half], B[half], a->n, &inverse[half]);
    for (int i = 0; i < 3; i++) STORE(metric[i] + WIDTH * half, G[half][i]), STORE(curve[i] + WIDTH * half, B[half][i]);
  }
  shell_group_stress(k, g, z, (const shell_eight *)metric, (const shell_eight *)curve, N, M, NULL);
  for (int half = 0; half < 2; half++) {
    four *a = &f[half];
    lanes n[3], m[3];
    for (int i = 0; i < 3; i++) n[i] = LOAD(N[i] + WIDTH * half), m[i] = LOAD(M[i] + WIDTH * half);
    respond_lanes(a->sum[0], a->sum[1], a->sum[2], a->sum[3], a->sum[4], G[half], a->n, &inverse[half], n, m, a->s1,
                  a->s2, a->b);
  }
  if (g->pair) {
    scatter_pairs(how, g, f, slot);
    return;
  }
  scatter_class(how, c, g->at, g->count < WIDTH ? g->count : WIDTH, &f[0], slot);
  if (g->count > WIDTH) scatter_class(how, c, g->at + WIDTH * c->nodes, g->count - WIDTH, &f[1], slot);
}

/* The gradient of a tile with internal variables. */
INLINE void tile_flowing(const shell_body *k, reach how, const shell_tile *t, const shell_tile *next, int64_t column,
                         const double *q, double *slot)
{
  _Alignas(64) double x[4 * SHELL_MOST_LOCAL];
  gather_nodes(how, t, column, q, x);
  memset(slot, 0, sizeof(double) * 4 * (size_t)shell_tile_nodes(t));
  for (int i = 0; i < t->groups; i++) {
    const shell_group *g = &t->group[i];
    const double *z = shell_group_z(k, t, g, q);
    if (next != NULL) ask_ahead(t, next, i), ask_nodes(next, i, column, q);
    if (shell_group_flowed(k, g, z))
      flowed_gradient(k, how, t, g, z, x, slot);
    else if (g->pair)
      pair_gradient(k, SHELL_STVK, how, g, x, slot);
    else
      class_gradient(k, SHELL_STVK, how, &t->cls[g->cls], g, x, slot);
  }
  if (t->ghosts > 0) shell_ghosts_give(t, slot);
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
  if (k->columns > 0.0)
    tile_flowing(k, how, t, next, column, q, slot);
  else if (k->law == SHELL_STVK)
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
AVX2 static void tile_avx2(const shell_body *k, const shell_tile *t, const shell_tile *next, int64_t column,
                           const double *q, double *slot)
{
  tile_any_law(k, FOUR, t, next, column, q, slot);
}

AVX512 static void tile_avx512(const shell_body *k, const shell_tile *t, const shell_tile *next, int64_t column,
                               const double *q, double *slot)
{
  tile_any_law(k, EIGHT, t, next, column, q, slot);
}

shell_tile_fn *shell_tile_force(int set)
{
  const reach how = machine_reach(set);
  return how == EIGHT ? tile_avx512 : how == FOUR ? tile_avx2 : tile_plain;
}
#else
shell_tile_fn *shell_tile_force(int set)
{
  (void)set;
  return tile_plain;
}
#endif
