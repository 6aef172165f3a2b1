/* body/shell/stable.c  The longest stable step, 2/omega_max of the shells at rest.
 *
 * Lanczos' iteration on M^-1/2 K M^-1/2, K z being a difference of the gradient to that at rest, where nothing is stressed:
 * what it neglects is SHIFT of K z, far below the margin.  The largest value of the small matrix grows towards omega_max^2 from below.  [shell 17] */
#include "body/shell/shell.h"

#include "math/math.h"

#include <stdlib.h>

enum { STEPS = 120, LOOK = 8 };
enum { MANY = 20000 };              /* loops over more are shared by the threads; sums keep their order */
static const double SHIFT = 1e-6;   /* of the shortest side: the largest displacement of the differences */
static const double settled = 1e-5; /* relative growth over LOOK steps that ends the iteration */

typedef struct lanczos {
  const vv_block *b;
  int64_t n;    /* 3 nodes */
  double shift; /* m */
  double *rest; /* [n] the gradient at rest: rounding */
  double *root; /* [nodes] 1/sqrt(m), 0 where held */
  double *q, *slot;
} lanczos;

static double dot(int64_t n, const double *x, const double *y)
{
  double s = 0.0;
  for (int64_t i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}

/* out = grad W(X + s z) over the roots of masses, in the order [3][nodes] */
static void gradient(lanczos *w, double s, const double *v, double *out)
{
  const vv_block *b = w->b;
  const shell_plan *plan = b->plan;
  const double *rest = shell_node(b, SHELL_REST);
#pragma omp parallel for collapse(2) schedule(static) num_threads(b->threads) if (b->nodes > MANY)
  for (int c = 0; c < 3; c++)
    for (int64_t i = 0; i < b->nodes; i++)
      w->q[c * b->column + i] = rest[c * b->stride + i] + s * w->root[i] * v[c * b->nodes + i];
  shell_gradient(b, w->q, w->slot);
#pragma omp parallel for schedule(static) num_threads(b->threads) if (b->nodes > MANY)
  for (int64_t j = 0; j < plan->tiles; j++) {
    const shell_tile *t = &plan->tile[j];
    const double *grad = w->slot + 4 * (t->slot0 + t->slot);
    for (int64_t k = 0; k < t->own; k++) {
      const int64_t node = t->node0 + t->own0 + k;
      for (int c = 0; c < 3; c++) out[c * b->nodes + node] = w->root[node] * grad[4 * k + c];
    }
  }
}

static void apply(lanczos *w, const double *v, double *out)
{
  double most = 0.0;
#pragma omp parallel for collapse(2) schedule(static) num_threads(w->b->threads) reduction(max : most) if (w->n > MANY)
  for (int c = 0; c < 3; c++)
    for (int64_t i = 0; i < w->b->nodes; i++) most = fmax(most, fabs(w->root[i] * v[c * w->b->nodes + i]));
  const double s = most > 0.0 ? w->shift / most : 1.0;
  gradient(w, s, v, out);
#pragma omp parallel for schedule(static) num_threads(w->b->threads) if (w->n > MANY)
  for (int64_t i = 0; i < w->n; i++) out[i] = (out[i] - w->rest[i]) / s;
}

static double iterate(lanczos *w, double *v, double *old, double *r)
{
  double alpha[STEPS], beta[STEPS], largest = 0.0, tail = 0.0;
  uint64_t seed = 88172645463325252u;
  for (int64_t i = 0; i < w->n; i++) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    v[i] = w->root[i % w->b->nodes] > 0.0 ? (double)(seed >> 11) * 0x1p-53 - 0.5 : 0.0;
  }
  const double size = sqrt(dot(w->n, v, v));
  for (int64_t i = 0; i < w->n; i++) v[i] /= size, old[i] = 0.0;
  for (int k = 0; k < STEPS; k++) {
    apply(w, v, r);
    alpha[k] = dot(w->n, v, r);
    const double a = alpha[k], before_tail = tail;
#pragma omp parallel for schedule(static) num_threads(w->b->threads) if (w->n > MANY)
    for (int64_t i = 0; i < w->n; i++) r[i] -= a * v[i] + before_tail * old[i];
    beta[k] = tail = sqrt(dot(w->n, r, r));
    const double before = largest;
    if (k % LOOK == LOOK - 1 || k + 1 == STEPS || tail == 0.0) largest = vvi_tridiagonal_largest(k + 1, alpha, beta);
    if (tail <= 1e-12 * largest || (k % LOOK == LOOK - 1 && largest - before <= settled * largest)) break;
    const double size_of_r = tail;
#pragma omp parallel for schedule(static) num_threads(w->b->threads) if (w->n > MANY)
    for (int64_t i = 0; i < w->n; i++) old[i] = v[i], v[i] = r[i] / size_of_r;
  }
  return largest;
}

/* The shortest side vector of any element, for the size of the differences. */
static double smallest_size(const vv_block *b)
{
  const shell_plan *plan = b->plan;
  double least = INFINITY;
  for (int64_t i = 0; i < plan->tiles; i++)
    for (int j = 0; j < plan->tile[i].groups; j++)
      for (int l = 0; l < 2 * SHELL_GROUP; l++) least = fmin(least, plan->tile[i].group[j].rest[l]);
  return sqrt(least) / SHELL_A;
}

/* A node that was hit swings against its neighbours by bending, l^2 sqrt(rho t/D), or where the shell is thick by stretching,
 * l/c; l: between nodes of the same mass in a net of equal triangles. */
double shell_answer_time(const vv_block *b, int32_t body)
{
  int32_t j = 0;
  while (b->body[j]->index != body) j++;
  if (shell_plan_of(b)->pace != NULL) return shell_plan_of(b)->pace[j].answer;
  const shell_body *k = shell_of(b, j);
  double mass = 0.0;
  int64_t free_nodes = 0;
  for (int64_t i = b->body[j]->node0; i < b->body[j]->node0 + b->body[j]->n_node; i++) {
    const double inverse = shell_node(b, SHELL_INVERSE_MASS)[i];
    if (inverse > 0.0) mass += 1.0 / inverse, free_nodes++;
  }
  if (free_nodes == 0) return 0.0;
  const double area = mass / ((double)free_nodes * k->density * k->thickness), square = 2.0 / sqrt(3.0) * area;
  const double slowness = sqrt(k->density * (1.0 - k->poisson * k->poisson) / k->young);
  return slowness * fmax(sqrt(square), sqrt(12.0) * square / k->thickness);
}

double shell_stable_step(const vv_block *b)
{
  const shell_plan *plan = b->plan;
  lanczos w = {.b = b, .n = 3 * b->nodes, .shift = SHIFT * smallest_size(b)};
  /* internal variables are zero: nothing has flowed, branches are as stiff as they get */
  const int64_t places = b->z_reals > 0 ? b->z0 + b->z_reals : 3 * b->column;
  double *work = calloc((size_t)(b->nodes + places + 4 * plan->slots + 4 * w.n), sizeof *work);
  if (work == NULL) return 0.0;
  w.root = work, w.q = w.root + b->nodes, w.slot = w.q + places;
  double *v = w.slot + 4 * plan->slots;
  for (int64_t i = 0; i < b->nodes; i++) w.root[i] = sqrt(shell_node(b, SHELL_INVERSE_MASS)[i]);
  w.rest = v + 3 * w.n;
  gradient(&w, 0.0, v, w.rest);
  const double most = iterate(&w, v, v + w.n, v + 2 * w.n);
  free(work);
  return most > 0.0 ? 2.0 / sqrt(most * (1.0 + 1e-3)) : INFINITY;
}

/* ---- each body alone ---- */

/* One copy of a body: Lanczos' iteration on its own tiles, the same whatever else is in the block. */
typedef struct copy {
  const vv_block *b;
  int64_t node0, nodes, tile0, tiles;
  double shift;
  double *q, *slot; /* of the block */
} copy;

static copy copy_of(const vv_block *b, int32_t body, double *q, double *slot)
{
  const shell_plan *plan = b->plan;
  copy k = {.b = b, .q = q, .slot = slot};
  int64_t i = 0;
  while (plan->component[i].body != body) i++;
  k.node0 = plan->component[i].node0, k.nodes = plan->component[i].cut->nodes, k.tiles = plan->component[i].cut->tiles;
  while (plan->tile[k.tile0].node0 != k.node0) k.tile0++;
  double least = INFINITY;
  for (int64_t t = k.tile0; t < k.tile0 + k.tiles; t++)
    for (int j = 0; j < plan->tile[t].groups; j++)
      for (int l = 0; l < 2 * SHELL_GROUP; l++) least = fmin(least, plan->tile[t].group[j].rest[l]);
  k.shift = SHIFT * sqrt(least) / SHELL_A;
  return k;
}

/* out[3][nodes] = M^-1/2 grad W(X + s M^-1/2 v) */
static void gradient_of(const copy *k, double s, const double *v, double *out)
{
  const vv_block *b = k->b;
  const shell_plan *plan = b->plan;
  const double *rest = shell_node(b, SHELL_REST) + k->node0, *minv = shell_node(b, SHELL_INVERSE_MASS) + k->node0;
  for (int c = 0; c < 3; c++)
    for (int64_t i = 0; i < k->nodes; i++)
      k->q[c * b->column + k->node0 + i] = rest[c * b->stride + i] + s * sqrt(minv[i]) * v[c * k->nodes + i];
#pragma omp parallel for schedule(static) num_threads(b->threads) if (3 * k->nodes > MANY)
  for (int64_t j = k->tile0; j < k->tile0 + k->tiles; j++) {
    const shell_tile *t = &plan->tile[j];
    plan->force(shell_of(b, t->body), t, NULL, b->column, k->q, k->slot + 4 * (t->slot0 + t->slot));
  }
  for (int64_t j = k->tile0; j < k->tile0 + k->tiles; j++) {
    const shell_tile *t = &plan->tile[j];
    double *own = k->slot + 4 * (t->slot0 + t->slot);
    for (int i = 0; i < t->shareds; i++)
      for (int o = 0; o < t->shared[i].others; o++)
        for (int c = 0; c < 3; c++)
          own[4 * t->shared[i].local + c] += k->slot[4 * (t->slot0 + shell_others(t, &t->shared[i])[o]) + c];
    for (int64_t i = 0; i < t->own; i++)
      for (int c = 0; c < 3; c++) out[c * k->nodes + t->own0 + i] = sqrt(minv[t->own0 + i]) * own[4 * i + c];
  }
}

/* [shell 17], for so many steps: a percent is enough.  v: [4][3 nodes] of room. */
static double largest_of(const copy *k, double *v)
{
  enum { FEW_STEPS = 32 };
  const int64_t n = 3 * k->nodes;
  const double *minv = shell_node(k->b, SHELL_INVERSE_MASS) + k->node0;
  double *old = v + n, *r = old + n, *rest = r + n, alpha[FEW_STEPS], beta[FEW_STEPS], tail = 0.0;
  uint64_t seed = 88172645463325252u;
  int steps = 0;
  for (int64_t i = 0; i < n; i++) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    v[i] = minv[i % k->nodes] > 0.0 ? (double)(seed >> 11) * 0x1p-53 - 0.5 : 0.0, old[i] = 0.0;
  }
  gradient_of(k, 0.0, v, rest);
  const double size = sqrt(dot(n, v, v));
  for (int64_t i = 0; i < n && size > 0.0; i++) v[i] /= size;
  while (size > 0.0 && steps < FEW_STEPS) {
    double most = 0.0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, sqrt(minv[i % k->nodes]) * fabs(v[i]));
    const double s = k->shift / most;
    gradient_of(k, s, v, r);
    for (int64_t i = 0; i < n; i++) r[i] = (r[i] - rest[i]) / s;
    alpha[steps] = dot(n, v, r);
    for (int64_t i = 0; i < n; i++) r[i] -= alpha[steps] * v[i] + tail * old[i];
    beta[steps] = tail = sqrt(dot(n, r, r));
    if (!(beta[steps++] > 1e-12 * alpha[0])) break;
    for (int64_t i = 0; i < n; i++) old[i] = v[i], v[i] = r[i] / tail;
  }
  return steps > 0 ? vvi_tridiagonal_largest(steps, alpha, beta) : 0.0;
}

void shell_stable_steps(const vv_block *b, double *out)
{
  const shell_plan *plan = b->plan;
  int64_t nodes = 0;
  for (int32_t j = 0; plan->pace != NULL && j < b->n_body; j++) out[j] = plan->pace[j].step;
  if (plan->pace != NULL) return;
  for (int64_t i = 0; i < plan->components; i++)
    if (plan->component[i].cut->nodes > nodes) nodes = plan->component[i].cut->nodes;
  const int64_t places = b->z_reals > 0 ? b->z0 + b->z_reals : 3 * b->column;
  double *work = calloc((size_t)(places + 4 * plan->slots + 12 * nodes), sizeof *work);
  const double whole = work == NULL ? shell_stable_step(b) : 0.0;
  for (int32_t j = 0; j < b->n_body; j++) {
    out[j] = whole;
    if (work == NULL) continue;
    const copy k = copy_of(b, j, work, work + places);
    const double most = largest_of(&k, work + places + 4 * plan->slots);
    out[j] = most > 0.0 ? 2.0 / sqrt(most) : INFINITY;
  }
  free(work);
}

vv_status shell_pace_keep(vv_ctx *ctx, vv_block *b, vvi_arena *arena)
{
  shell_plan *plan = b->plan;
  if (vvi_ctx_prepared(ctx) == NULL) return VV_OK;
  shell_pace *pace = VVI_ARENA_NEW(arena, shell_pace, b->n_body);
  double *step = VVI_ARENA_NEW(arena, double, b->n_body);
  if (pace == NULL || step == NULL) return VV_NOMEM;
  if (!vvi_is_prepared(ctx)) shell_stable_steps(b, step);
  for (int32_t j = 0; !vvi_is_prepared(ctx) && j < b->n_body; j++)
    pace[j] = (shell_pace){.step = step[j], .answer = shell_answer_time(b, b->body[j]->index)};
  VV_TRY(vvi_keep_value(ctx, pace, sizeof *pace * (size_t)b->n_body, "shells.pace"));
  plan->pace = pace;
  return VV_OK;
}
