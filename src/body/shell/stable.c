/* body/shell/stable.c  The longest stable step, 2/omega_max of the shells at rest.
 *
 * Lanczos' iteration on M^-1/2 K M^-1/2, K z being a difference of the gradient to that at rest, where nothing is stressed:
 * what it neglects is SHIFT of K z, far below the margin.  The largest value of the small matrix grows towards omega_max^2 from below.  [shell 17] */
#include "body/shell/shell.h"

#include "math/math.h"

#include <stdlib.h>

enum { STEPS = 120, LOOK = 8, CHUNK = 1 << 16, MOST_CHUNKS = 1024 };
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

/* Chunks that follow from n alone, whose sums are added in their order: the same for any number of threads. */
static int64_t chunk_of(int64_t n)
{
  return n / MOST_CHUNKS + 1 > CHUNK ? n / MOST_CHUNKS + 1 : CHUNK;
}

static double dot(int64_t n, const double *x, const double *y, int threads)
{
  const int64_t size = chunk_of(n), chunks = (n + size - 1) / size;
  double part[MOST_CHUNKS], sum = 0.0;
#pragma omp parallel for schedule(static) num_threads(threads) if (n > SHELL_MANY)
  for (int64_t k = 0; k < chunks; k++) {
    const int64_t end = (k + 1) * size < n ? (k + 1) * size : n;
    double s = 0.0;
    for (int64_t i = k * size; i < end; i++) s += x[i] * y[i];
    part[k] = s;
  }
  for (int64_t k = 0; k < chunks; k++) sum += part[k];
  return sum;
}

/* r -= a v + b old; its square. */
static double orthogonal(int64_t n, double a, const double *v, double b, const double *old, double *r, int threads)
{
  const int64_t size = chunk_of(n), chunks = (n + size - 1) / size;
  double part[MOST_CHUNKS], sum = 0.0;
#pragma omp parallel for schedule(static) num_threads(threads) if (n > SHELL_MANY)
  for (int64_t k = 0; k < chunks; k++) {
    const int64_t end = (k + 1) * size < n ? (k + 1) * size : n;
    double s = 0.0;
    for (int64_t i = k * size; i < end; i++) {
      r[i] -= a * v[i] + b * old[i];
      s += r[i] * r[i];
    }
    part[k] = s;
  }
  for (int64_t k = 0; k < chunks; k++) sum += part[k];
  return sum;
}

/* v /= size; the largest displacement of v. */
static double scale(const lanczos *w, double size, double *v)
{
  const int64_t nodes = w->b->nodes;
  double most = 0.0;
#pragma omp parallel for schedule(static) num_threads(w->b->threads) reduction(max : most) if (nodes > SHELL_MANY)
  for (int64_t i = 0; i < nodes; i++)
    for (int c = 0; c < 3; c++) {
      const double x = v[c * nodes + i] / size, far = fabs(w->root[i] * x);
      v[c * nodes + i] = x;
      most = far > most ? far : most;
    }
  return most;
}

/* out = (grad W(X + s z) over the roots of masses - rest) / t, in the order [3][nodes] */
static void gradient(const lanczos *w, double s, const double *v, double t, double *out)
{
  const vv_block *b = w->b;
  const shell_plan *plan = b->plan;
  const double *rest = shell_node(b, SHELL_REST);
#pragma omp parallel for schedule(static) num_threads(b->threads) if (b->nodes > SHELL_MANY)
  for (int64_t i = 0; i < b->nodes; i++)
    for (int c = 0; c < 3; c++)
      w->q[c * b->column + i] = rest[c * b->stride + i] + s * w->root[i] * v[c * b->nodes + i];
  shell_gradient(b, w->q, w->slot);
#pragma omp parallel for schedule(static) num_threads(b->threads) if (b->nodes > SHELL_MANY)
  for (int64_t j = 0; j < plan->tiles; j++) {
    const shell_tile *tile = &plan->tile[j];
    const double *grad = w->slot + 4 * (tile->slot0 + tile->slot);
    const int64_t first = tile->node0 + tile->own0;
    for (int c = 0; c < 3; c++)
      for (int64_t k = 0, i = c * b->nodes + first; k < tile->own; k++, i++)
        out[i] = (w->root[first + k] * grad[4 * k + c] - w->rest[i]) / t;
  }
}

static double iterate(const lanczos *w, double *v, double *old, double *r)
{
  double alpha[STEPS], beta[STEPS], largest = 0.0, tail = 0.0;
  uint64_t seed = 88172645463325252u;
  for (int c = 0; c < 3; c++)
    for (int64_t i = 0; i < w->b->nodes; i++) {
      seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
      v[c * w->b->nodes + i] = w->root[i] > 0.0 ? (double)(seed >> 11) * 0x1p-53 - 0.5 : 0.0;
    }
  double size = sqrt(dot(w->n, v, v, w->b->threads));
  for (int k = 0; k < STEPS; k++) {
    const double most = scale(w, size, v), s = most > 0.0 ? w->shift / most : 1.0;
    gradient(w, s, v, s, r);
    alpha[k] = dot(w->n, v, r, w->b->threads);
    beta[k] = size = sqrt(orthogonal(w->n, alpha[k], v, tail, old, r, w->b->threads));
    const double before = largest;
    if (k % LOOK == LOOK - 1 || k + 1 == STEPS || size == 0.0) largest = vvi_tridiagonal_largest(k + 1, alpha, beta);
    if (size <= 1e-12 * largest || (k % LOOK == LOOK - 1 && largest - before <= settled * largest)) break;
    double *const free = old;
    old = v, v = r, r = free, tail = size;
  }
  return largest;
}

/* The shortest side vector of any element, for the size of the differences. */
static double smallest_size(const vv_block *b)
{
  const shell_plan *plan = b->plan;
  double least = INFINITY;
#pragma omp parallel for schedule(static) num_threads(b->threads) reduction(min : least) if (b->nodes > SHELL_MANY)
  for (int64_t i = 0; i < plan->tiles; i++)
    for (int j = 0; j < plan->tile[i].groups; j++)
      for (int l = 0; l < 2 * SHELL_GROUP; l++) {
        const double r = plan->tile[i].group[j].rest[l];
        least = r < least ? r : least;
      }
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
  lanczos w = {.b = b, .n = 3 * b->nodes, .shift = SHIFT * smallest_size(b)};
  /* internal variables are zero: nothing has flowed, branches are as stiff as they get */
  const int64_t places = b->z_reals > 0 ? b->z0 + b->z_reals : 3 * b->column;
  vvi_arena scratch = {.dense = true};
  double *work = VVI_ARENA_NEW(&scratch, double, b->nodes + places + 4 * w.n);
  bool mine;
  if (work == NULL) return 0.0;
  w.root = work, w.q = w.root + b->nodes, w.rest = w.q + places;
  w.slot = shell_scratch(b, &mine);
  double *v = w.rest + w.n;
#pragma omp parallel for schedule(static) num_threads(b->threads) if (b->nodes > SHELL_MANY)
  for (int64_t i = 0; i < b->nodes; i++) {
    w.root[i] = sqrt(shell_node(b, SHELL_INVERSE_MASS)[i]);
    for (int c = 0; c < 3; c++) v[c * b->nodes + i] = 0.0; /* its pages: one thread will fill it */
  }
  gradient(&w, 0.0, v, 1.0, w.rest);
  const double most = iterate(&w, v, v + w.n, v + 2 * w.n);
  shell_scratch_done(b, w.slot, mine);
  vvi_arena_free(&scratch);
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
#pragma omp parallel for schedule(static) num_threads(b->threads) if (3 * k->nodes > SHELL_MANY)
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
  const double size = sqrt(dot(n, v, v, k->b->threads));
  for (int64_t i = 0; i < n && size > 0.0; i++) v[i] /= size;
  while (size > 0.0 && steps < FEW_STEPS) {
    double most = 0.0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, sqrt(minv[i % k->nodes]) * fabs(v[i]));
    const double s = k->shift / most;
    gradient_of(k, s, v, r);
    for (int64_t i = 0; i < n; i++) r[i] = (r[i] - rest[i]) / s;
    alpha[steps] = dot(n, v, r, k->b->threads);
    for (int64_t i = 0; i < n; i++) r[i] -= alpha[steps] * v[i] + tail * old[i];
    beta[steps] = tail = sqrt(dot(n, r, r, k->b->threads));
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
