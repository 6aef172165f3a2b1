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

/* ---- groups with internal variables ---- */

/* What a tile does with its groups: after a drift they flow, and the gradient is taken. */
typedef struct task {
  const shell_body *k;
  const shell_tile *t;
  const shell_drifted *d; /* NULL: nothing flows */
  bool force;             /* the gradient is wanted */
  int64_t column;
  double *q;
  const double *x;    /* nodes of the tile */
  double *slot;       /* forces on them */
  double *before;     /* nodes before the drift, where some group needs them */
  bool noted;         /* they are there */
  int lanes_of_group; /* SHELL_GROUP: compilers that know it unroll the longest loop */
  lanes lost[SHELL_LOSSES][2];
} task;
/* A group that has flowed, begins to (begins), or has branches: a function of its own for each instruction set. */
typedef void sheet_fn(task *w, int i, bool begins, four f[2]);

/* Lanes that are elements. */
INLINE void lanes_real(const shell_group *g, int64_t real[SHELL_GROUP])
{
  for (int l = 0; l < SHELL_GROUP; l++) real[l] = g->count == SHELL_GROUP || shell_lane_element(g, l) >= 0 ? -1 : 0;
}

/* Places before the drift. */
INLINE void gather_before(task *w)
{
  const shell_tile *t = w->t;
  if (w->noted) return;
  for (int64_t i = 0; i < t->own + t->halo; i++) {
    const int64_t node = t->node0 + shell_tile_node(t, i);
    for (int c = 0; c < 3; c++)
      w->before[4 * i + c] = w->x[4 * i + c] - w->d->h * (w->d->minv[node] * w->d->p[c * w->column + node]);
    w->before[4 * i + 3] = 0.0;
  }
  if (t->ghosts > 0) shell_ghosts_make(t, w->before);
  w->noted = true;
}

/* HELD: nothing flows.  ELASTIC: after a drift in which probably nothing flows; returns 1 where something should.  FLOWING: returns
 * whether some point flowed. */
typedef enum sheet_way { HELD, ELASTIC, FLOWING } sheet_way;

/* One vector of lanes of a group: flow and stress.  f0: the sums before the drift; NULL: metric and curvature are noted in z. */
#define SHEET_GROUP(name, REAL, MASK, TAKE)                                                                \
  INLINE int name(task *w, int from, sheet_way way, bool flowed, const shell_group *g, const four *f0,     \
                  const int64_t *real, double *z, four f[2], double lost[SHELL_LOSSES][SHELL_GROUP])       \
  {                                                                                                        \
    int flows = 0;                                                                                         \
    REAL S[SUMS][3], R[SHELL_REFERENCE], G[3], B[3], n[3], inverse, N[3], M[3], s1[3], s2[3], b[3];        \
    for (int i = 0; i < SUMS; i++)                                                                         \
      for (int c = 0; c < 3; c++) S[i][c] = TAKE(f, sum[i][c], from);                                      \
    for (int c = 0; c < SHELL_REFERENCE; c++) R[c] = *(const REAL *)(g->rest + SHELL_GROUP * c + from);    \
    measure_##REAL(S[0], S[1], S[2], S[3], S[4], G, B, n, &inverse);                                       \
    if (way == HELD)                                                                                       \
      sheet_stress_##REAL(w->k, flowed, R, G, B, z + from, N, M, NULL);                                    \
    else if (way == ELASTIC) {                                                                             \
      if (sheet_look_##REAL(w->k, R, G, B, (const MASK *)(real + from), z + from, N, M)) return 1;         \
    } else {                                                                                               \
      REAL old[2][3], loss[SHELL_LOSSES] = {{0}};                                                          \
      if (f0 != NULL) {                                                                                    \
        REAL S0[SUMS][3], n0[3], inverse0;                                                                 \
        for (int i = 0; i < SUMS; i++)                                                                     \
          for (int c = 0; c < 3; c++) S0[i][c] = TAKE(f0, sum[i][c], from);                                \
        measure_##REAL(S0[0], S0[1], S0[2], S0[3], S0[4], old[0], old[1], n0, &inverse0);                  \
      }                                                                                                    \
      flows = sheet_flow_##REAL(w->k, w->d->h, flowed, R, G, B, f0 != NULL ? (const REAL(*)[3])old : NULL, \
                                (const MASK *)(real + from), z + from, N, M, loss);                        \
      for (int i = 0; i < SHELL_LOSSES; i++) *(REAL *)(lost[i] + from) = loss[i];                          \
    }                                                                                                      \
    if (!w->force) return flows;                                                                           \
    respond_##REAL(S[0], S[1], S[2], S[3], S[4], G, n, &inverse, N, M, s1, s2, b);                         \
    for (int c = 0; c < 3; c++) {                                                                          \
      PUT_##REAL(f, s1[c], s1[c], from), PUT_##REAL(f, s2[c], s2[c], from);                                \
      PUT_##REAL(f, n[c], n[c], from), PUT_##REAL(f, b[c], b[c], from);                                    \
    }                                                                                                      \
    return flows;                                                                                          \
  }
#define TAKE_pair(f, what, from)    (((const pair *)&(f)[(from) / WIDTH].what)[(from) % WIDTH / 2])
#define TAKE_lanes(f, what, from)   ((f)[(from) / WIDTH].what)
#define TAKE_wide(f, what, from)    JOIN((f)[0].what, (f)[1].what)
#define PUT_pair(f, what, x, from)  (((pair *)&(f)[(from) / WIDTH].what)[(from) % WIDTH / 2] = (x))
#define PUT_lanes(f, what, x, from) ((f)[(from) / WIDTH].what = (x))
#define PUT_wide(f, what, x, from)  ((f)[0].what = LOWER(x), (f)[1].what = UPPER(x))
SHEET_GROUP(sheet_pair, pair, pair_mask, TAKE_pair)
SHEET_GROUP(sheet_lanes, lanes, lanes_mask, TAKE_lanes)
SHEET_GROUP(sheet_wide, wide, wide_mask, TAKE_wide)

/* Forces of lanes that were cut are added here, and they and broken ones have none that the others would add. */
static void torn_out(const task *w, const shell_group *g, four f[2])
{
  for (int lane = 0; lane < SHELL_GROUP; lane++) {
    const int e = shell_lane_element(g, lane), at = lane % WIDTH;
    shell_patch p;
    if (e < 0 || shell_record(w->k, w->t, e, w->q)[0] == SHELL_WHOLE) continue;
    four *a = &f[lane / WIDTH];
    if (shell_patch_torn(w->k, w->t, g, lane, w->q, &p))
      for (int j = 0; j < p.nodes; j++) {
        const double *v = p.weight[j];
        const double bend = v[W_11] * a->b[0][at] + v[W_22] * a->b[1][at] + v[W_33] * a->b[2][at];
        for (int c = 0; c < 3; c++)
          w->slot[p.at[j] + c] += bend * a->n[c][at] + (v[W_1] * a->s1[c][at] + v[W_2] * a->s2[c][at]);
      }
    for (int c = 0; c < 3; c++) a->s1[c][at] = a->s2[c][at] = a->n[c][at] = a->b[c][at] = 0.0;
  }
}

/* All lanes of a group, in one of the ways. */
INLINE int sheet_lanes_all(task *w, reach how, sheet_way way, bool flowed, const shell_group *g, const four *f0,
                           const int64_t *real, double *z, four f[2])
{
  double lost[SHELL_LOSSES][SHELL_GROUP];
  int flows = 0;
  for (int from = 0; from < w->lanes_of_group; from += (int)how) {
    if (how == EIGHT)
      flows |= sheet_wide(w, from, way, flowed, g, f0, real, z, f, lost);
    else if (how == FOUR)
      flows |= sheet_lanes(w, from, way, flowed, g, f0, real, z, f, lost);
    else
      flows |= sheet_pair(w, from, way, flowed, g, f0, real, z, f, lost);
  }
  for (int c = 0; way == FLOWING && c < SHELL_LOSSES; c++)
    for (int half = 0; half < 2; half++) w->lost[c][half] += LOAD(lost[c] + WIDTH * half);
  return flows;
}

/* Groups that flowed in the last step have their metric noted, torn ones, and those with branches; for others it is taken from
 * the places before the drift. */
INLINE void sheet_middle(task *w, reach how, int i, bool begins, four f[2])
{
  const shell_tile *t = w->t;
  shell_group torn = t->group[i];
  const shell_group *g = &t->group[i];
  const shell_body *k = w->k;
  double *mark = w->q + t->z + i, rest[SHELL_REFERENCE * SHELL_GROUP];
  const bool flowed = begins || *mark != SHELL_VIRGIN, noted = *mark >= SHELL_FLOWING || k->damping.branches > 0.0;
  int64_t real[SHELL_GROUP];
  double room[SHELL_Z_MOST * SHELL_GROUP], *state = (double *)shell_group_z(k, t, g, w->q), *z = state;
  if (*mark == SHELL_TORN) {
    torn_in(k, t, g, w->q, w->x, f, rest);
    torn.rest = rest, g = &torn;
  }
  if (g->count < SHELL_GROUP) z = (double *)shell_columns(k, g, state, room);
  lanes_real(g, real);
  const bool moved = w->d != NULL && w->d->h != 0.0; /* else what is noted is taken anew, and nothing more */
  if (w->d == NULL || (!moved && !noted)) {
    sheet_lanes_all(w, how, HELD, flowed, g, NULL, real, z, f);
    if (*mark == SHELL_TORN && w->force) torn_out(w, g, f);
    return;
  }
  if (!begins && !noted && sheet_lanes_all(w, how, ELASTIC, true, g, NULL, real, z, f) == 0) return;
  four f0[2];
  if (!noted) {
    gather_before(w);
    gather_group(how, t, g, w->before, f0);
  }
  const int flows = sheet_lanes_all(w, how, FLOWING, flowed, g, noted ? NULL : f0, real, z, f);
  if (flowed && moved && *mark != SHELL_TORN) *mark = flows ? SHELL_FLOWING : SHELL_FLOWED;
  if (*mark == SHELL_TORN && w->force) torn_out(w, g, f);
  if (z == room) shell_columns_back(k, g, room, state);
}

/* A group that never flowed and has no branches: the elastic law; over: marks of lanes that begin to flow after the drift are
 * added.  real: lanes that are elements; NULL: all. */
#define VIRGIN_GROUP(name, REAL, MASK, TAKE)                                                                         \
  INLINE void name(const shell_body *k, int from, const double *rest, four f[2], const int64_t *real, int64_t *over) \
  {                                                                                                                  \
    REAL S[SUMS][3], R[SHELL_REFERENCE], s1[3], s2[3], n[3], b[3];                                                   \
    MASK begin;                                                                                                      \
    for (int i = 0; i < SUMS; i++)                                                                                   \
      for (int c = 0; c < 3; c++) S[i][c] = TAKE(f, sum[i][c], from);                                                \
    for (int c = 0; c < SHELL_REFERENCE; c++) R[c] = *(const REAL *)(rest + SHELL_GROUP * c + from);                 \
    virgin_##REAL(k, (const REAL(*)[3])S, R, s1, s2, n, b, &begin);                                                  \
    for (int c = 0; c < 3; c++) {                                                                                    \
      PUT_##REAL(f, s1[c], s1[c], from), PUT_##REAL(f, s2[c], s2[c], from);                                          \
      PUT_##REAL(f, n[c], n[c], from), PUT_##REAL(f, b[c], b[c], from);                                              \
    }                                                                                                                \
    if (real != NULL) begin &= *(const MASK *)(real + from);                                                         \
    *(MASK *)(over + from) |= begin;                                                                                 \
  }
VIRGIN_GROUP(virgin_group_pair, pair, pair_mask, TAKE_pair)
VIRGIN_GROUP(virgin_group_lanes, lanes, lanes_mask, TAKE_lanes)
VIRGIN_GROUP(virgin_group_wide, wide, wide_mask, TAKE_wide)

INLINE void virgin_middle(const shell_body *k, reach how, const shell_group *g, four f[2], int64_t *over)
{
  int64_t room[SHELL_GROUP], *real = NULL;
  if (g->count < SHELL_GROUP) lanes_real(g, real = room);
  for (int from = 0; from < SHELL_GROUP; from += (int)how)
    if (how == EIGHT)
      virgin_group_wide(k, from, g->rest, f, real, over);
    else if (how == FOUR)
      virgin_group_lanes(k, from, g->rest, f, real, over);
    else
      virgin_group_pair(k, from, g->rest, f, real, over);
}

INLINE bool any_lane(const int64_t over[SHELL_GROUP])
{
  int64_t all = 0;
  for (int l = 0; l < SHELL_GROUP; l++) all |= over[l];
  return all != 0;
}

/* One group, gathered: its formulas, whatever it is. */
INLINE void any_middle(task *w, reach how, sheet_fn *sheet, int i, four f[2])
{
  const shell_body *k = w->k;
  const shell_group *g = &w->t->group[i];
  const bool virgin = !shell_group_flowed(w->t, i, w->q), branches = k->damping.branches > 0.0;
  const bool looks = virgin && k->points > 0.0 && w->d != NULL && w->d->h != 0.0;
  if (virgin && !branches && !looks) {
    middle_both(k, SHELL_STVK, how, g->rest, f);
    return;
  }
  int64_t over[SHELL_GROUP] = {0};
  if (looks) virgin_middle(k, how, g, f, over);
  const bool begins = any_lane(over);
  if (!virgin || branches || begins) sheet(w, i, begins, f);
}

/* The next RUN groups have never flowed, and may begin to. */
INLINE bool plain_run(const task *w, int i)
{
  const double *mark = w->q + w->t->z + i;
  double sum = 0.0;
  for (int j = 0; j < RUN; j++) sum += mark[j];
  return sum == 0.0 && w->d != NULL && w->d->h != 0.0 && w->k->damping.branches == 0.0;
}

INLINE void scatter_group(reach how, const shell_tile *t, const shell_group *g, const four f[2], double *slot)
{
  const shell_class *c = &t->cls[g->cls];
  if (g->pair) {
    scatter_pairs(how, g, f, slot);
    return;
  }
  scatter_class(how, c, g->at, g->count < WIDTH ? g->count : WIDTH, &f[0], slot);
  if (g->count > WIDTH) scatter_class(how, c, g->at + WIDTH * c->nodes, g->count - WIDTH, &f[1], slot);
}

/* Internal variables of a group that has flowed: those of the next but one come while this one is worked on. */
INLINE void ask_internal(const task *w, int i)
{
  enum { LINE = 64 / sizeof(double) };
  const double *mark = w->q + w->t->z + i;
  if (i >= w->t->groups || *mark == SHELL_VIRGIN) return;
  const shell_group *g = &w->t->group[i];
  const double *z = shell_group_z(w->k, w->t, g, w->q);
  const bool elastic = *mark == SHELL_FLOWED; /* now, and probably again */
  const int from = elastic ? shell_point_column(0) : 0;
  const int to = elastic ? shell_alpha_column(w->k, 0) : (int)w->k->lane_columns;
  for (int c = from * g->count; c < to * g->count; c += LINE) __builtin_prefetch(z + c);
}

/* RUN groups of pairs, as in tile_gradient. */
INLINE void run_of_pairs(task *w, reach how, sheet_fn *sheet, const shell_tile *next, int i)
{
  const shell_tile *t = w->t;
  four f[RUN][2];
  for (int j = 0; j < RUN; j++) {
    if (next != NULL) ask_ahead(t, next, i + j);
    gather_pairs(how, &t->group[i + j], w->x, f[j]);
  }
  if (plain_run(w, i)) {
    int64_t over[SHELL_GROUP] = {0};
    for (int j = 0; j < RUN; j++) virgin_middle(w->k, how, &t->group[i + j], f[j], over);
    if (any_lane(over)) /* which? */
      for (int j = 0; j < RUN; j++) any_middle(w, how, sheet, i + j, f[j]);
  } else
    for (int j = 0; j < RUN; j++) {
      ask_internal(w, i + j + 2);
      any_middle(w, how, sheet, i + j, f[j]);
    }
  for (int j = 0; j < RUN; j++) {
    if (next != NULL) ask_nodes(next, i + j, w->column, w->q);
    if (w->force) scatter_pairs(how, &t->group[i + j], f[j], w->slot);
  }
}

/* A tile with internal variables: flow where d is there, gradient where slot is. */
INLINE void tile_flowing(const shell_body *k, reach how, sheet_fn *sheet, const shell_tile *t, const shell_tile *next,
                         int64_t column, const shell_drifted *d, double *q, double *slot, double *loss)
{
  _Alignas(64) double x[4 * SHELL_MOST_LOCAL], before[4 * SHELL_MOST_LOCAL];
  task w = {.k = k,
            .t = t,
            .d = d,
            .force = slot != NULL,
            .column = column,
            .q = q,
            .x = x,
            .slot = slot,
            .before = before,
            .lanes_of_group = SHELL_GROUP};
  gather_nodes(how, t, column, q, x);
  if (slot != NULL) memset(slot, 0, sizeof(double) * 4 * (size_t)shell_tile_nodes(t));
  int i = 0;
  for (; i + RUN <= t->groups && t->group[i + RUN - 1].pair; i += RUN) run_of_pairs(&w, how, sheet, next, i);
  for (; i < t->groups; i++) {
    four f[2];
    gather_group(how, t, &t->group[i], x, f);
    any_middle(&w, how, sheet, i, f);
    if (slot != NULL) scatter_group(how, t, &t->group[i], f, slot);
  }
  for (int c = 0; d != NULL && c < SHELL_LOSSES; c++)
    for (int lane = 0; lane < SHELL_GROUP; lane++) loss[c] += w.lost[c][lane / WIDTH][lane % WIDTH];
  if (slot != NULL && t->ghosts > 0) shell_ghosts_give(t, slot);
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

INLINE void tile_any_law(const shell_body *k, reach how, sheet_fn *sheet, const shell_tile *t, const shell_tile *next,
                         int64_t column, const double *q, double *slot)
{
  if (k->columns > 0.0)
    tile_flowing(k, how, sheet, t, next, column, NULL, (double *)q, slot, NULL); /* q is only read */
  else if (k->law == SHELL_STVK)
    tile_gradient(k, SHELL_STVK, how, t, next, column, q, slot);
  else
    tile_gradient(k, SHELL_NEO_HOOKE, how, t, next, column, q, slot);
}

/* Flow alone, or flow and gradient: two copies of the code. */
INLINE void tile_any_flow(const shell_body *k, reach how, sheet_fn *sheet, const shell_tile *t, const shell_tile *next,
                          int64_t column, const shell_drifted *d, double *q, double *slot, double *loss)
{
  if (k->columns == 0.0)
    tile_any_law(k, how, sheet, t, next, column, q, slot);
  else if (slot == NULL)
    tile_flowing(k, how, sheet, t, next, column, d, q, NULL, loss);
  else
    tile_flowing(k, how, sheet, t, next, column, d, q, slot, loss);
}

#define INSTRUCTION_SET(name, attribute, how)                                                                         \
  attribute static __attribute__((noinline)) void sheet_of_##name(task *w, int i, bool begins, four f[2])             \
  {                                                                                                                   \
    sheet_middle(w, how, i, begins, f);                                                                               \
  }                                                                                                                   \
  attribute static void tile_##name(const shell_body *k, const shell_tile *t, const shell_tile *next, int64_t column, \
                                    const double *q, double *slot)                                                    \
  {                                                                                                                   \
    tile_any_law(k, how, sheet_of_##name, t, next, column, q, slot);                                                  \
  }                                                                                                                   \
  attribute static void flow_##name(const shell_body *k, const shell_tile *t, const shell_tile *next, int64_t column, \
                                    const shell_drifted *d, double *q, double *slot, double loss[SHELL_LOSSES])       \
  {                                                                                                                   \
    tile_any_flow(k, how, sheet_of_##name, t, next, column, d, q, slot, loss);                                        \
  }

INSTRUCTION_SET(plain, , TWO)
#if defined(__x86_64__) && !defined(VV_NO_CLONES)
INSTRUCTION_SET(avx2, AVX2, FOUR)
INSTRUCTION_SET(avx512, AVX512, EIGHT)

shell_tile_fn *shell_tile_force(int set)
{
  const reach how = machine_reach(set);
  return how == EIGHT ? tile_avx512 : how == FOUR ? tile_avx2 : tile_plain;
}
shell_flow_fn *shell_tile_flow(int set)
{
  const reach how = machine_reach(set);
  return how == EIGHT ? flow_avx512 : how == FOUR ? flow_avx2 : flow_plain;
}
#else
shell_tile_fn *shell_tile_force(int set)
{
  (void)set;
  return tile_plain;
}
shell_flow_fn *shell_tile_flow(int set)
{
  (void)set;
  return flow_plain;
}
#endif
