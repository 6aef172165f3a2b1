/* body/shell/energy.c  The strain energy of one tile, and kinetic energy and momenta of the nodes that it owns.
 *
 * Elements are gathered as for the force and go through the same formulas.  Sums are taken lane by lane, in the order of the
 * groups and of the nodes, and the lanes are added in the end: nothing depends on the width of registers. */
#include "body/shell/lanes.h"

/* ---- elements ---- */

/* Energies of the elements of a group. */
INLINE void energy_both(const shell_body *k, shell_law law, reach how, const double *rest, const four f[2],
                        lanes out[2])
{
  if (how == EIGHT) {
    wide S[SUMS][3], R[SHELL_REFERENCE], energy;
    for (int i = 0; i < SUMS; i++)
      for (int c = 0; c < 3; c++) S[i][c] = JOIN(f[0].sum[i][c], f[1].sum[i][c]);
    for (int c = 0; c < SHELL_REFERENCE; c++) R[c] = *(const wide *)(rest + SHELL_GROUP * c);
    energy_wide(k, law, (const wide(*)[3])S, R, &energy);
    out[0] = LOWER(energy), out[1] = UPPER(energy);
    return;
  }
  for (int half = 0; half < 2 && how == FOUR; half++) {
    lanes R[SHELL_REFERENCE];
    for (int c = 0; c < SHELL_REFERENCE; c++) R[c] = LOAD(rest + SHELL_GROUP * c + WIDTH * half);
    energy_lanes(k, law, f[half].sum, R, &out[half]);
  }
  for (int two = 0; two < 4 && how == TWO; two++) {
    pair S[SUMS][3], R[SHELL_REFERENCE], energy;
    for (int i = 0; i < SUMS; i++)
      for (int c = 0; c < 3; c++) S[i][c] = ((const pair *)&f[two / 2].sum[i][c])[two % 2];
    for (int c = 0; c < SHELL_REFERENCE; c++) R[c] = ((const pair *)(rest + SHELL_GROUP * c))[two];
    energy_pair(k, law, (const pair(*)[3])S, R, &energy);
    ((pair *)&out[two / 2])[two % 2] = energy;
  }
}

/* The same of a group that has flowed or has branches. */
INLINE void energy_flowed(const shell_body *k, bool flowed, const shell_group *g, const double *rest, const double *z,
                          const four f[2], lanes out[2])
{
  double room[SHELL_Z_MOST * SHELL_GROUP];
  const double *columns = shell_columns(k, g, z, room);
  for (int half = 0; half < 2; half++) {
    lanes R[SHELL_REFERENCE], G[3], B[3], n[3], inverse, N[3], M[3];
    const four *a = &f[half];
    for (int c = 0; c < SHELL_REFERENCE; c++) R[c] = LOAD(rest + SHELL_GROUP * c + WIDTH * half);
    measure_lanes(a->sum[0], a->sum[1], a->sum[2], a->sum[3], a->sum[4], G, B, n, &inverse);
    sheet_stress_lanes(k, flowed, R, G, B, columns + WIDTH * half, N, M, &out[half]);
  }
}

/* Empty lanes hold copies of others, or nothing. */
static void clear_empty(const shell_group *g, lanes energy[2])
{
  for (int lane = 0; lane < SHELL_GROUP; lane++)
    if (shell_lane_element(g, lane) < 0) energy[lane / WIDTH][lane % WIDTH] = 0.0;
}

INLINE double strain_energy(const shell_body *k, shell_law law, reach how, const shell_tile *t, const shell_tile *next,
                            int64_t column, const double *q)
{
  _Alignas(64) double x[4 * SHELL_MOST_LOCAL];
  lanes sum[2] = {{0}};
  double all = 0.0;
  gather_nodes(how, t, column, q, x);
  for (int i = 0; i < t->groups; i++) {
    const shell_group *g = &t->group[i];
    four f[2];
    lanes energy[2];
    if (next != NULL) ask_ahead(t, next, i), ask_nodes(next, i, column, q);
    gather_group(how, t, g, x, f);
    double torn[SHELL_REFERENCE * SHELL_GROUP];
    const bool flowed = k->columns > 0.0 && shell_group_flowed(t, i, q);
    const bool is_torn = flowed && q[t->z + i] == SHELL_TORN;
    if (is_torn) torn_in(k, t, g, q, x, f, torn);
    if (flowed || k->damping.branches > 0.0)
      energy_flowed(k, flowed, g, is_torn ? torn : g->rest, shell_group_z(k, t, g, q), f, energy);
    else
      energy_both(k, law, how, g->rest, f, energy);
    if (g->count < SHELL_GROUP) clear_empty(g, energy);
    sum[0] += energy[0], sum[1] += energy[1];
  }
  for (int lane = 0; lane < SHELL_GROUP; lane++) all += sum[lane / WIDTH][lane % WIDTH];
  return all;
}

/* ---- nodes ---- */

/* Four nodes, which are the lanes: places, momenta, mass and its inverse. */
typedef struct four_nodes {
  lanes x[3], P[3], m, minv;
} four_nodes;

typedef struct node_sums {
  lanes kinetic, potential, p[3], L[3], p_abs, L_abs;
} node_sums;

INLINE void add_nodes(const double gravity[3], const four_nodes *n, node_sums *s)
{
  const lanes *x = n->x, *P = n->P, square = P[0] * P[0] + P[1] * P[1] + P[2] * P[2];
  lanes size = square, arm = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
  for (int i = 0; i < WIDTH; i++) size[i] = sqrt(size[i]);
  for (int i = 0; i < WIDTH; i++) arm[i] = sqrt(arm[i]);
  s->kinetic += 0.5 * n->minv * square;
  s->potential -= n->m * (gravity[0] * x[0] + gravity[1] * x[1] + gravity[2] * x[2]);
  for (int c = 0; c < 3; c++) {
    const int d = (c + 1) % 3, e = (c + 2) % 3;
    s->p[c] += P[c];
    s->L[c] += x[d] * P[e] - x[e] * P[d];
  }
  s->p_abs += size;
  s->L_abs += arm * size;
}

INLINE void load_nodes(const double *x, const double *p, const double *m, const double *minv, int64_t column,
                       four_nodes *n)
{
  for (int c = 0; c < 3; c++) n->x[c] = LOAD(x + c * column), n->P[c] = LOAD(p + c * column);
  n->m = LOAD(m), n->minv = LOAD(minv);
}

/* The last ones, fewer than four: the others are nowhere and weigh nothing. */
INLINE void load_last(int64_t count, const double *x, const double *p, const double *m, const double *minv,
                      int64_t column, four_nodes *n)
{
  *n = (four_nodes){.m = {0}};
  for (int64_t i = 0; i < count; i++) {
    for (int c = 0; c < 3; c++) n->x[c][i] = x[c * column + i], n->P[c][i] = p[c * column + i];
    n->m[i] = m[i], n->minv[i] = minv[i];
  }
}

INLINE double total(const lanes *a)
{
  return (((*a)[0] + (*a)[1]) + (*a)[2]) + (*a)[3];
}

INLINE void node_totals(const vv_block *b, const shell_tile *t, const double *q, const double *p, vv_totals *sum)
{
  const int64_t first = t->node0 + t->own0, column = b->column;
  const double *x = q + first, *P = p + first;
  const double *m = shell_node(b, SHELL_MASS) + first, *minv = shell_node(b, SHELL_INVERSE_MASS) + first;
  const double gravity[3] = {b->gravity[0], b->gravity[1], b->gravity[2]};
  node_sums s = {.kinetic = {0}};
  four_nodes n;
  int64_t i = 0;
  for (; i + WIDTH <= t->own; i += WIDTH) {
    load_nodes(x + i, P + i, m + i, minv + i, column, &n);
    add_nodes(gravity, &n, &s);
  }
  if (i < t->own) {
    load_last(t->own - i, x + i, P + i, m + i, minv + i, column, &n);
    add_nodes(gravity, &n, &s);
  }
  sum->kinetic += total(&s.kinetic), sum->potential += total(&s.potential);
  for (int c = 0; c < 3; c++) sum->p[c] += total(&s.p[c]), sum->L[c] += total(&s.L[c]);
  sum->p_abs += total(&s.p_abs), sum->L_abs += total(&s.L_abs);
}

/* ---- one tile ---- */

INLINE void tile_audit(reach how, const vv_block *b, const shell_tile *t, const shell_tile *next, const double *q,
                       const double *p, vv_totals *sum)
{
  const shell_body *k = shell_of(b, t->body);
  sum->strain += k->law == SHELL_STVK ? strain_energy(k, SHELL_STVK, how, t, next, b->column, q)
                                      : strain_energy(k, SHELL_NEO_HOOKE, how, t, next, b->column, q);
  node_totals(b, t, q, p, sum);
}

static void audit_plain(const vv_block *b, const shell_tile *t, const shell_tile *next, const double *q,
                        const double *p, vv_totals *sum)
{
  tile_audit(TWO, b, t, next, q, p, sum);
}

#if defined(__x86_64__) && !defined(VV_NO_CLONES)
AVX2 static void audit_avx2(const vv_block *b, const shell_tile *t, const shell_tile *next, const double *q,
                            const double *p, vv_totals *sum)
{
  tile_audit(FOUR, b, t, next, q, p, sum);
}

AVX512 static void audit_avx512(const vv_block *b, const shell_tile *t, const shell_tile *next, const double *q,
                                const double *p, vv_totals *sum)
{
  tile_audit(EIGHT, b, t, next, q, p, sum);
}

shell_audit_fn *shell_tile_audit(int set)
{
  const reach how = machine_reach(set);
  return how == EIGHT ? audit_avx512 : how == FOUR ? audit_avx2 : audit_plain;
}
#else
shell_audit_fn *shell_tile_audit(int set)
{
  (void)set;
  return audit_plain;
}
#endif
