/* body/shell/plain.c  One element at a time, without lanes: what outputs, stable steps and tests ask for. */
#include "body/shell/shell.h"

#include "math/math.h"
#include "visviva/net.h"

#include <math.h>
#include <string.h>

#include "body/shell/far.h"

#define REAL       double
#define FN(name)   name##_double
#define ROOT(x)    (x) = sqrt(x)
#define LANES      1
#define LANE(x, i) (x)
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

void shell_patch_rest(const shell_patch *p, const double *x, double rest[SHELL_REFERENCE])
{
  double A1[3], A2[3], D[3][3], n[3], inverse;
  sums(p, x, A1, A2, D);
  measure_double(A1, A2, D[0], D[1], D[2], rest, rest + 3, n, &inverse);
  scale_double(SHELL_STVK, rest, rest + 6);
}

void shell_excess_far(int n, const double *x, double *out)
{
  shell_excess_some(n, x, out);
}

void shell_element_at(const shell_body *k, const shell_patch *p, const double *x, shell_element *e)
{
  sums(p, x, e->A1, e->A2, e->D);
  measure_double(e->A1, e->A2, e->D[0], e->D[1], e->D[2], e->G, e->B, e->n, &e->inverse);
  if (k->law == SHELL_STVK) {
    stress_stvk_double(k, p->rest, e->G, e->B, e->N, e->M);
    energy_stvk_double(p->rest, e->G, e->B, e->N, e->M, &e->energy);
  } else {
    stress_neo_double(k, p->rest, e->G, e->B, e->N, e->M);
    energy_neo_double(k, p->rest, e->G, e->B, &e->energy);
  }
}

/* ---- flat points ---- */

/* Of its area at rest a sheet with the metric C has J^2 = det C/det G0; nothing of it where C is none. */
static double area_left(const double g[3], const double C[3])
{
  const double det = C[0] * C[1] - C[2] * C[2];
  return det > 0.0 && C[0] + C[1] > 0.0 ? sqrt(det / (g[0] * g[1] - g[2] * g[2])) : 0.0;
}

/* At J = 0 the normal, and with it bending, is not defined, and below a tenth one step moves energies by more than impacts do:
 * (1 - J)/0.9 is 1 there.  Where it flows its outer layers count, too: their stress is that of their own metric.
 *                                                                                                   [shell 2a, mat 17a] */
static double patch_distortion(const shell_body *k, const shell_patch *p, const double *x)
{
  double now[SHELL_REFERENCE], least;
  shell_patch_rest(p, x, now);
  least = area_left(p->rest, now);
  for (int side = 0; side < 2 && k->points > 0.0; side++) {
    const double level = k->level[side == 0 ? 0 : (int)k->points - 1];
    double C[3];
    for (int c = 0; c < 3; c++) C[c] = now[c] - level * (now[3 + c] - p->rest[3 + c]);
    least = fmin(least, area_left(p->rest, C));
  }
  return (1.0 - least) / (1.0 - SHELL_FLAT);
}

/* The largest principal Green strain: of G0^-1 (G - G0)/2, whose trace and determinant are t and d.             [ledger 20] */
static double patch_stretch(const shell_body *k, const shell_patch *p, const double *x)
{
  (void)k;
  const double *g = p->rest, det = g[0] * g[1] - g[2] * g[2];
  double now[SHELL_REFERENCE], E[3];
  shell_patch_rest(p, x, now);
  for (int c = 0; c < 3; c++) E[c] = 0.5 * (now[c] - g[c]);
  const double t = (g[1] * E[0] + g[0] * E[1] - 2.0 * g[2] * E[2]) / det, d = (E[0] * E[1] - E[2] * E[2]) / det;
  return 0.5 * (t + sqrt(fmax(t * t - 4.0 * d, 0.0)));
}

typedef double patch_fn(const shell_body *k, const shell_patch *p, const double *x);

/* What has torn is cut from its neighbours, and no longer has the patch that it had. */
static double tile_worst(const shell_body *k, const shell_tile *t, int64_t column, const double *q, patch_fn *of)
{
  _Alignas(64) double x[4 * SHELL_MOST_LOCAL];
  double worst = 0.0;
  shell_tile_places(t, column, q, x);
  for (int i = 0; i < t->groups; i++) {
    const shell_group *g = &t->group[i];
    if (k->columns > 0.0 && shell_group_flowed(t, i, q) && q[t->z + i] == SHELL_TORN) continue;
    for (int lane = 0; lane < SHELL_GROUP; lane++) {
      shell_patch p;
      if (shell_lane_element(g, lane) < 0) continue;
      shell_patch_of(t, g, lane, &p);
      worst = fmax(worst, of(k, &p, x));
    }
  }
  return worst;
}

/* linear: of shells alone whose law is linear in the strain; what flows may do so as far as it likes. */
static double block_worst(const vv_block *b, const double *q, patch_fn *of, bool linear)
{
  const shell_plan *plan = b->plan;
  const int64_t n = shell_tiles_here(plan);
  double worst = 0.0;
  shell_fetch_places(b, q);
#pragma omp parallel for schedule(static) num_threads(b->threads) reduction(max : worst) if (n >= SHELL_SHARED_FROM)
  for (int64_t i = 0; i < n; i++) {
    const shell_tile *t = &plan->tile[shell_tile_here(plan, i)];
    const shell_body *k = shell_of(b, t->body);
    if (!linear || (k->law == SHELL_STVK && k->points == 0.0)) worst = fmax(worst, tile_worst(k, t, b->column, q, of));
  }
  if (plan->share == NULL) return worst;
  worst = -worst;
  plan->share->net->least(plan->share->net, 1, &worst);
  return -worst;
}

double shell_distortion(const vv_block *b, const double *q)
{
  return block_worst(b, q, patch_distortion, false);
}

double shell_stretch(const vv_block *b, const double *q)
{
  return block_worst(b, q, patch_stretch, true);
}
