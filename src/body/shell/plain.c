/* body/shell/plain.c  One element at a time, without lanes: what audits, outputs and tangents ask for. */
#include "body/shell/shell.h"

#include "math/math.h"

#include <string.h>

#define REAL     double
#define FN(name) name##_double
#define ROOT(x)  (x) = sqrt(x)
#include "body/shell/formulas.h"

/* ---- nodes and elements of a tile ---- */

void shell_tile_places(const shell_tile *t, int64_t column, const double *q, double *x)
{
  for (int64_t i = 0; i < t->own + t->halo; i++) {
    const int64_t node = t->node0 + shell_tile_node(t, i);
    for (int c = 0; c < 3; c++) x[4 * i + c] = q[c * column + node];
    x[4 * i + 3] = 0.0;
  }
  shell_ghosts_make(t, x);
}

int shell_lane_element(const shell_group *g, int lane)
{
  if (!g->pair) return lane < g->count ? g->element + lane : -1;
  const int half = g->count / 2, in_half = lane % SHELL_HALF;
  return in_half < half ? g->element + (lane < SHELL_HALF ? 0 : half) + in_half : -1;
}

void shell_patch_of(const shell_tile *t, const shell_group *g, int lane, shell_patch *out)
{
  const shell_class *c = &t->cls[g->cls];
  out->nodes = c->nodes;
  out->weight = (const double(*)[SHELL_WEIGHTS])c->weight;
  for (int i = 0; i < c->nodes; i++) {
    const int node = lane < SHELL_HALF ? shell_lattice[i % SHELL_REGULAR] : 13 - shell_lattice[i % SHELL_REGULAR];
    out->at[i] = g->pair ? g->at[SHELL_PAIR * (lane % SHELL_HALF) + node] : g->at[lane * c->nodes + i];
  }
  for (int i = 0; i < SHELL_REFERENCE; i++) out->rest[i] = g->rest[SHELL_GROUP * i + lane];
}

/* ---- strain, stress, energy ---- */

static void sums(const shell_patch *p, const double *x, double A1[3], double A2[3], double D[3][3])
{
  for (int c = 0; c < 3; c++) {
    double s[SHELL_WEIGHTS] = {0};
    for (int i = 0; i < p->nodes; i++)
      for (int w = W_1; w < SHELL_WEIGHTS; w++) s[w] += p->weight[i][w] * x[p->at[i] + c];
    A1[c] = s[W_1], A2[c] = s[W_2], D[0][c] = s[W_11], D[1][c] = s[W_22], D[2][c] = s[W_33];
  }
}

/* sum over a, b of a symmetric pair of triples */
static double contract(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + 2.0 * a[2] * b[2];
}

static double energy_stvk(const shell_patch *p, const shell_element *e)
{
  double E[3], K[3];
  for (int c = 0; c < 3; c++) E[c] = e->G[c] - p->rest[c], K[c] = e->B[c] - p->rest[3 + c];
  return 0.25 * contract(e->N, E) + 0.5 * contract(e->M, K);
}

/* x - ln(1 + x), to all digits also where x is small. */
static double excess(double x)
{
  if (fabs(x) > 0.01) return x - log1p(x);
  double sum = 0.0;
  for (int n = 9; n >= 2; n--) sum = 1.0 / n - x * sum;
  return x * x * sum;
}

/* h A0/2 times mu/2 (tr C + C33 - 3 - 2 ln J) + lambda/4 (J^2 - 1 - 2 ln J) at the two points.  With D = C - C0 and
 * m = det C/det C0 - 1 = C0^-1:D + det(C0^-1 D) the terms of first order are taken out by hand, so that small strains keep
 * their digits: C33 = 1 - f m, J^2 = (1 + m)(1 - f m), f = lambda/(2 mu + lambda (1 + m)).                      [shell 8] */
static double energy_neo(const shell_body *k, const shell_patch *p, const shell_element *e)
{
  const double area = 0.5 * sqrt(p->rest[0] * p->rest[1] - p->rest[2] * p->rest[2]) / (SHELL_A * SHELL_A);
  double sum = 0.0;
  for (int side = -1; side <= 1; side += 2) {
    double C[3], R[3], V[3], D[3], ratio, thick;
    const double z = side * k->lever;
    neo_point_double(k, z, p->rest, e->G, e->B, C, R, V, &ratio, &thick);
    for (int c = 0; c < 3; c++) D[c] = (e->G[c] - p->rest[c]) - z * (e->B[c] - p->rest[3 + c]);
    const double det = (D[0] * D[1] - D[2] * D[2]) * (R[0] * R[1] - R[2] * R[2]), m = contract(R, D) + det;
    const double f = k->lambda / (2.0 * k->mu + k->lambda * (1.0 + m)), over = excess(m - f * m * (1.0 + m));
    sum += 0.5 * k->mu * (f * m * m - det + over) + 0.25 * k->lambda * over;
  }
  return 0.5 * k->thickness * area * sum;
}

void shell_element_at(const shell_body *k, const shell_patch *p, const double *x, shell_element *e)
{
  sums(p, x, e->A1, e->A2, e->D);
  measure_double(e->A1, e->A2, e->D[0], e->D[1], e->D[2], e->G, e->B, e->n, &e->inverse);
  if (k->law == SHELL_STVK) {
    stress_stvk_double(k, p->rest, e->G, e->B, e->N, e->M);
    e->energy = energy_stvk(p, e);
  } else {
    stress_neo_double(k, p->rest, e->G, e->B, e->N, e->M);
    e->energy = energy_neo(k, p, e);
  }
}
