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
