/* body/shell/vary.c  First variations and sub-domains.
 *
 * Variations by the complex step: the formulas of an element at x + i s dx have the derivative along dx in their imaginary part,
 * over s, with no difference of nearby numbers; s is so small that its square is nothing. */
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

/* Adds the gradient of one element, or its variation, to the slots of its nodes. */
static void add_element(const shell_body *k, const shell_patch *p, const double *x, const double *dx, bool varied,
                        double *slot)
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
    for (int c = 0; c < 3; c++) {
      const double complex g = w[W_1] * s1[c] + w[W_2] * s2[c] + bend * n[c];
      slot[p->at[i] + c] += varied ? cimag(g) / tiny : creal(g);
    }
  }
}

/* The gradient of a tile at q, or where dq is given its variation along dq, into slots; elements outside a sub-domain are left
 * out. */
static void tile_slots(const vv_block *b, const shell_tile *t, const double *q, const double *dq, double *slot)
{
  double x[4 * SHELL_MOST_LOCAL], dx[4 * SHELL_MOST_LOCAL];
  shell_tile_places(t, b->column, q, x);
  if (dq != NULL)
    tile_variation(b, t, dq, dx);
  else
    memset(dx, 0, sizeof *dx * 4 * (size_t)shell_tile_nodes(t));
  memset(slot, 0, sizeof *slot * 4 * (size_t)shell_tile_nodes(t));
  for (int i = 0; i < t->groups; i++)
    for (int lane = 0; lane < SHELL_GROUP; lane++) {
      shell_patch p;
      const int e = shell_lane_element(&t->group[i], lane);
      if (e < 0 || (b->inside != NULL && !b->inside[t->element0 + e])) continue;
      shell_patch_of(t, &t->group[i], lane, &p);
      add_element(shell_of(b, t->body), &p, x, dx, dq != NULL, slot);
    }
  shell_ghosts_give(t, slot);
}

/* p -= h gradient; held: also where a border holds. */
static void kick_by_elements(const vv_block *b, double h, const double *q, const double *dq, bool held, double *p)
{
  const shell_plan *plan = b->plan;
  const double *minv = shell_node(b, SHELL_INVERSE_MASS);
  for (int64_t k = 0; k < plan->tiles; k++) {
    const shell_tile *t = &plan->tile[k];
    double slot[4 * SHELL_MOST_LOCAL];
    tile_slots(b, t, q, dq, slot);
    for (int64_t i = 0; i < t->own + t->halo; i++) {
      const int64_t node = t->node0 + shell_tile_node(t, i);
      for (int c = 0; c < 3 && (held || minv[node] > 0.0); c++) p[c * b->column + node] -= h * slot[4 * i + c];
    }
  }
}

void shell_vary_kick(const vv_block *b, double h, const double *q, const double *dq, double *dp)
{
  kick_by_elements(b, h, q, dq, false, dp);
}

/* ---- what the structure checks need beside it ---- */

static void vary_drift(const vv_block *b, double h, const double *q, const double *p, double *dq, double *dp)
{
  const double *minv = shell_node(b, SHELL_INVERSE_MASS);
  (void)q, (void)p;
  for (int c = 0; c < SHELL_P; c++)
    for (int64_t i = 0; i < b->nodes; i++) dq[c * b->column + i] += h * minv[i] * dp[c * b->column + i];
}

/* Points are sums of nodes. */
static void vary_surface(const vv_block *b, const double *q, const double *dq, int n, const vv_point *pt, double *dx)
{
  (void)q;
  shell_surface(b, dq, n, pt, dx);
}

static void weigh(const vv_block *b, double h, double *p)
{
  const double *m = shell_node(b, SHELL_MASS);
  for (int c = 0; c < SHELL_P; c++)
    for (int64_t i = 0; b->gravity[c] != 0.0 && i < b->nodes; i++) p[c * b->column + i] += h * (m[i] * b->gravity[c]);
}

/* Part of a shell: all its forces, those on held nodes too, so that what borders take is seen. */
static void part_kick(const vv_block *b, double t, double h, const double *q, double *p)
{
  (void)t;
  kick_by_elements(b, h, q, NULL, true, p);
  weigh(b, h, p);
}

static const vv_body_kind part_kind = {
    .name = "shell", .node_q = SHELL_Q, .node_p = SHELL_P, .kick = part_kick, .vary = &shell_vary};

/* A triangle reaches as far as its patch: nodes around a sub-domain have a part of their mass in it too.         [shell 15] */
static void restrict_to(const vv_block *b, const unsigned char *inside, vv_block *sub, double *share)
{
  const shell_plan *plan = b->plan;
  double *node_real = sub->node_real;
  *sub = *b;
  sub->kind = &part_kind, sub->node_real = node_real, sub->inside = inside;
  memcpy(node_real, b->node_real, sizeof *node_real * (size_t)(SHELL_NODE_COLUMNS * b->stride));
  memset(share, 0, sizeof *share * (size_t)(SHELL_P * b->column));
  for (int64_t i = 0; i < plan->tiles; i++) {
    const shell_tile *t = &plan->tile[i];
    const shell_body *k = shell_of(b, t->body);
    shell_tile_mass(t, inside, shell_node(b, SHELL_INVERSE_MASS) + t->node0, k->density * k->thickness,
                    share + t->node0);
  }
  for (int64_t i = 0; i < b->nodes; i++) {
    const double m = shell_node(b, SHELL_MASS)[i];
    share[i] = m != 0.0 ? share[i] / m : 0.0;
    for (int c = 1; c < SHELL_P; c++) share[c * b->column + i] = share[i];
    node_real[SHELL_MASS * b->stride + i] *= share[i];
  }
}

static void hold(const vv_block *b, double *d)
{
  const double *minv = shell_node(b, SHELL_INVERSE_MASS);
  for (int c = 0; c < SHELL_P; c++)
    for (int64_t i = 0; i < b->nodes; i++)
      if (minv[i] == 0.0) d[c * b->column + i] = 0.0;
}

const vv_vary_table shell_vary = {.kick = shell_vary_kick,
                                  .drift = vary_drift,
                                  .surface = vary_surface,
                                  .restrict_to = restrict_to,
                                  .weigh = weigh,
                                  .hold = hold};
