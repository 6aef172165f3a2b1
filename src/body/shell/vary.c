/* body/shell/vary.c  First variations, by the complex step: the formulas of an element at x + i s dx have the derivative along
 * dx in their imaginary part, over s, with no difference of nearby numbers; s is so small that its square is nothing. */
#include "body/shell/shell.h"

#include "math/math.h"

#include <complex.h>
#include <string.h>

#define REAL     double complex
#define FN(name) name##_complex
#define ROOT(x)  (x) = csqrt(x)
#include "body/shell/formulas.h"

static const double tiny = 1e-40;

/* The ghosts of a variation: [shell 12] without its constant. */
static void vary_ghosts(const shell_tile *t, double *dx)
{
  shell_ghosts_make(t, dx);
  for (int i = 0; i < t->ghosts; i++)
    for (int c = 0; c < 3; c++) dx[4 * (t->own + t->halo + i) + c] -= t->ghost[i].offset[c];
}

static void tile_variation(const vv_block *b, const shell_tile *t, const double *dq, double *dx)
{
  for (int64_t i = 0; i < t->own + t->halo; i++) {
    const int64_t node = t->node0 + shell_tile_node(t, i);
    for (int c = 0; c < 3; c++) dx[4 * i + c] = dq[c * b->column + node];
  }
  vary_ghosts(t, dx);
}

/* Adds the variation of the gradient of one element to the slots of its nodes. */
static void vary_element(const shell_body *k, const shell_patch *p, const double *x, const double *dx, double *slot)
{
  double complex S[SHELL_WEIGHTS][3], rest[SHELL_REFERENCE], n[3], s1[3], s2[3], m[3];
  memset(S, 0, sizeof S);
  for (int i = 0; i < p->nodes; i++)
    for (int c = 0; c < 3; c++) {
      const double complex z = x[p->at[i] + c] + I * (tiny * dx[p->at[i] + c]);
      for (int w = W_1; w < SHELL_WEIGHTS; w++) S[w][c] += p->weight[i][w] * z;
    }
  for (int i = 0; i < SHELL_REFERENCE; i++) rest[i] = p->rest[i];
  element_complex(k, (shell_law)k->law, (const double complex(*)[3])S + W_1, rest, s1, s2, n, m);
  for (int i = 0; i < p->nodes; i++) {
    const double *w = p->weight[i];
    const double complex bend = w[W_11] * m[0] + w[W_22] * m[1] + w[W_33] * m[2];
    for (int c = 0; c < 3; c++) slot[p->at[i] + c] += cimag(w[W_1] * s1[c] + w[W_2] * s2[c] + bend * n[c]) / tiny;
  }
}

static void vary_tile(const vv_block *b, const shell_tile *t, double h, const double *q, const double *dq, double *dp)
{
  double x[4 * SHELL_MOST_LOCAL], dx[4 * SHELL_MOST_LOCAL], slot[4 * SHELL_MOST_LOCAL];
  const double *minv = shell_node(b, SHELL_INVERSE_MASS);
  shell_tile_places(t, b->column, q, x);
  tile_variation(b, t, dq, dx);
  memset(slot, 0, sizeof *slot * 4 * (size_t)shell_tile_nodes(t));
  for (int i = 0; i < t->groups; i++)
    for (int lane = 0; lane < SHELL_GROUP; lane++) {
      shell_patch p;
      if (shell_lane_element(&t->group[i], lane) < 0) continue;
      shell_patch_of(t, &t->group[i], lane, &p);
      vary_element(shell_of(b, t->body), &p, x, dx, slot);
    }
  shell_ghosts_give(t, slot);
  for (int64_t i = 0; i < t->own + t->halo; i++) {
    const int64_t node = t->node0 + shell_tile_node(t, i);
    for (int c = 0; c < 3 && minv[node] > 0.0; c++) dp[c * b->column + node] -= h * slot[4 * i + c];
  }
}

void shell_vary_kick(const vv_block *b, double h, const double *q, const double *dq, double *dp)
{
  const shell_plan *plan = b->plan;
  for (int64_t i = 0; i < plan->tiles; i++) vary_tile(b, &plan->tile[i], h, q, dq, dp);
}
