/* validation/second_feem.c  See second.h: directors and multipliers.
 *
 * A node has q = (phi, d_1, d_2, d_3), twelve numbers.  The strains of an element between two nodes are
 *   G_k = s_k.(phi_b - phi_a)/l - G0_k,   K_k = (d_j.d_i' - d_i.d_j')/2 with means and differences, (i, j, k) cyclic,
 * quadratic in q: e = q.B q/2 - e0 with a matrix B.  So e_{n+1} - e_n = (B q).(q_{n+1} - q_n) with the mean q, and
 *   (2/h^2) M (dq - h v) + l sum_k C_k (mean e_k) B_k q - F(t + h/2) + Phi'(q)^T lambda = 0,   Phi(q_{n+1}) = 0
 * keeps the energy.  All unknowns of a node, q_{n+1} and six multipliers, are solved for by Newton's method with a tangent
 * that serves several steps, in a banded matrix with row exchanges. */
#include "second.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { Q = 12, BOUND = 6, UNKNOWN = Q + BOUND, BAND = 2 * UNKNOWN - 1, WIDE = 3 * BAND + 1, STRAINS = 6, REUSE = 5 };

struct second_feem {
  second_beam beam;
  int nodes, n; /* n: unknowns */
  double b[STRAINS][2 * Q][2 * Q], e0[STRAINS], stiff[STRAINS], l;
  double line, plane;    /* mass, second moment of it */
  double *q, *v;         /* [nodes][Q] */
  double *next, *lambda; /* [nodes][Q], [nodes][BOUND] */
  double *matrix;        /* [n][WIDE]: row i holds columns i - BAND ... i + 2 BAND */
  double *right;         /* [n] */
  int *pivot;            /* [n] */
  int used;              /* steps that this tangent has served */
};

/* ---- strains ---- */

static int at(int node, int vector, int c)
{
  return Q * node + 3 * vector + c;
}

static void couple(double b[2 * Q][2 * Q], int i, int j, double by)
{
  b[i][j] += by, b[j][i] += by;
}

static void strains(second_feem *f)
{
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    for (int c = 0; c < 3; c++) {
      for (int node = 0; node < 2; node++) {
        couple(f->b[k], at(node, 1 + k, c), at(1, 0, c), 0.5 / f->l);
        couple(f->b[k], at(node, 1 + k, c), at(0, 0, c), -0.5 / f->l);
      }
      couple(f->b[3 + k], at(0, 1 + j, c), at(1, 1 + i, c), 0.5 / f->l);
      couple(f->b[3 + k], at(0, 1 + i, c), at(1, 1 + j, c), -0.5 / f->l);
    }
  }
  f->e0[2] = 1;
}

static double times(const double b[2 * Q], const double q[2 * Q])
{
  double sum = 0;
  for (int i = 0; i < 2 * Q; i++) sum += b[i] * q[i];
  return sum;
}

static double strain(const second_feem *f, int k, const double q[2 * Q])
{
  double sum = 0;
  for (int i = 0; i < 2 * Q; i++) sum += 0.5 * q[i] * times(f->b[k][i], q);
  return sum - f->e0[k];
}

/* ---- the equations, times h^2/2 ---- */

static double *entry(second_feem *f, int row, int column)
{
  return &f->matrix[(size_t)WIDE * (size_t)row + (size_t)(column - row + BAND)];
}

static int unknown(int k) /* of an element's 2 Q coordinates: which unknown, from that of its left node on */
{
  return k < Q ? k : UNKNOWN + k - Q;
}

static void element(second_feem *f, int e, double h, bool tangent)
{
  double from[2 * Q], to[2 * Q], mean[2 * Q];
  memcpy(from, f->q + Q * e, sizeof from);
  memcpy(to, f->next + Q * e, sizeof to);
  for (int i = 0; i < 2 * Q; i++) mean[i] = 0.5 * (from[i] + to[i]);
  for (int k = 0; k < STRAINS; k++) {
    const double w = 0.5 * h * h * f->l * f->stiff[k], stress = 0.5 * (strain(f, k, from) + strain(f, k, to));
    double grad[2 * Q], later[2 * Q];
    for (int i = 0; i < 2 * Q; i++) grad[i] = times(f->b[k][i], mean), later[i] = times(f->b[k][i], to);
    for (int i = 0; i < 2 * Q; i++) {
      f->right[UNKNOWN * e + unknown(i)] -= w * stress * grad[i];
      for (int j = 0; tangent && j < 2 * Q; j++)
        *entry(f, UNKNOWN * e + unknown(i), UNKNOWN * e + unknown(j)) +=
            0.5 * w * (grad[i] * later[j] + stress * f->b[k][i][j]);
    }
  }
  for (int i = 0; i < 2 * Q; i++)
    for (int side = 0; side < 2; side++) { /* consistent mass, (l/6) [2 1; 1 2]; d_3 of a plane section has none */
      const int j = i % Q + Q * side, vector = i % Q / 3;
      const double m = f->l / 6 * (i / Q == side ? 2 : 1) * (vector == 0 ? f->line : vector < 3 ? f->plane : 0);
      f->right[UNKNOWN * e + unknown(i)] -= m * (to[j] - from[j] - h * f->v[Q * e + j]);
      if (tangent) *entry(f, UNKNOWN * e + unknown(i), UNKNOWN * e + unknown(j)) += m;
    }
}

/* Point masses and loads. */
static void points(second_feem *f, int node, double t, double h, bool tangent)
{
  const double m = second_point_mass(&f->beam, node),
               force = second_load_sign(&f->beam, node) * second_pulse(t + h / 2);
  for (int c = 0; c < 3; c++) {
    const int i = UNKNOWN * node + c, k = Q * node + c;
    f->right[i] += 0.5 * h * h * force * second_load_way[c] - m * (f->next[k] - f->q[k] - h * f->v[k]);
    if (tangent) *entry(f, i, i) += m;
  }
}

/* d_i.d_j = 1 or 0, i <= j; their forces along the gradient at the mean. */
static void constraints(second_feem *f, int node, bool tangent)
{
  const double *q = f->q + Q * node, *to = f->next + Q * node, *lambda = f->lambda + BOUND * node;
  int row = 0;
  for (int i = 1; i < 4; i++)
    for (int j = i; j < 4; j++, row++) {
      const int own = UNKNOWN * node + Q + row;
      f->right[own] += i == j;
      for (int c = 0; c < 3; c++) {
        const int a = 3 * i + c, b = 3 * j + c, at_a = UNKNOWN * node + a, at_b = UNKNOWN * node + b;
        const double mean_a = 0.5 * (q[a] + to[a]), mean_b = 0.5 * (q[b] + to[b]);
        f->right[own] -= to[a] * to[b];
        f->right[at_a] -= lambda[row] * mean_b, f->right[at_b] -= lambda[row] * mean_a;
        if (!tangent) continue;
        *entry(f, own, at_a) += to[b], *entry(f, own, at_b) += to[a];
        *entry(f, at_a, own) += mean_b, *entry(f, at_b, own) += mean_a;
        *entry(f, at_a, at_b) += 0.5 * lambda[row], *entry(f, at_b, at_a) += 0.5 * lambda[row];
      }
    }
}

/* ---- banded elimination with row exchanges ---- */

static void factor(second_feem *f)
{
  for (int k = 0; k < f->n; k++) {
    const int last = k + BAND < f->n ? k + BAND : f->n - 1, far = k + 2 * BAND < f->n ? k + 2 * BAND : f->n - 1;
    int best = k;
    for (int i = k + 1; i <= last; i++)
      if (fabs(*entry(f, i, k)) > fabs(*entry(f, best, k))) best = i;
    f->pivot[k] = best;
    for (int j = k; best != k && j <= far; j++) {
      const double keep = *entry(f, k, j);
      *entry(f, k, j) = *entry(f, best, j), *entry(f, best, j) = keep;
    }
    for (int i = k + 1; i <= last; i++) {
      const double by = *entry(f, i, k) / *entry(f, k, k);
      *entry(f, i, k) = by;
      if (by == 0) continue;
      for (int j = k + 1; j <= far; j++) *entry(f, i, j) -= by * *entry(f, k, j);
    }
  }
}

static void solve(second_feem *f)
{
  double *x = f->right;
  for (int k = 0; k < f->n; k++) {
    const double keep = x[k];
    x[k] = x[f->pivot[k]], x[f->pivot[k]] = keep;
    for (int i = k + 1; i <= k + BAND && i < f->n; i++) x[i] -= *entry(f, i, k) * x[k];
  }
  for (int k = f->n - 1; k >= 0; k--) {
    for (int j = k + 1; j <= k + 2 * BAND && j < f->n; j++) x[k] -= *entry(f, k, j) * x[j];
    x[k] /= *entry(f, k, k);
  }
}

/* ---- steps ---- */

static double correct(second_feem *f, double t, double h, bool tangent)
{
  double most = 0;
  memset(f->right, 0, sizeof(double) * (size_t)f->n);
  if (tangent) memset(f->matrix, 0, sizeof(double) * WIDE * (size_t)f->n);
  for (int e = 0; e + 1 < f->nodes; e++) element(f, e, h, tangent);
  for (int i = 0; i < f->nodes; i++) {
    points(f, i, t, h, tangent);
    constraints(f, i, tangent);
  }
  if (tangent) factor(f);
  solve(f);
  for (int i = 0; i < f->nodes; i++) {
    for (int c = 0; c < Q; c++) {
      const double by = f->right[UNKNOWN * i + c];
      f->next[Q * i + c] += by, most = fmax(most, fabs(by));
    }
    for (int c = 0; c < BOUND; c++) f->lambda[BOUND * i + c] += f->right[UNKNOWN * i + Q + c];
  }
  return most;
}

bool second_feem_step(second_feem *f, double t, double h)
{
  double before = INFINITY, size = INFINITY;
  const size_t room = sizeof(double) * Q * (size_t)f->nodes;
  memcpy(f->next, f->q, room);
  for (int i = 0; i < f->nodes * Q; i++)
    if (i % Q < 9) f->next[i] += h * f->v[i];
  for (int again = 0; again < 40; again++) {
    const bool tangent = (again == 0 && f->used++ % REUSE == 0) || size > 0.3 * before;
    before = size;
    size = correct(f, t, h, tangent);
    if (size < 1e-15 || (size < 1e-12 && size >= before)) break;
  }
  if (!(size < 1e-12)) return false;
  for (int i = 0; i < f->nodes * Q; i++) f->v[i] = 2 / h * (f->next[i] - f->q[i]) - f->v[i];
  memcpy(f->q, f->next, room);
  return true;
}

second_feem *second_feem_open(const second_beam *b, const second_node *n)
{
  second_feem *f = calloc(1, sizeof *f);
  if (f == NULL) return NULL;
  const double area = b->side * b->side, moment = area * area / 12, g = b->young / (2 * (1 + b->poisson));
  const double stiff[STRAINS] = {g * area,          g * area,          b->young * area,
                                 b->young * moment, b->young * moment, 2 * g * moment};
  f->beam = *b, f->nodes = b->elements + 1, f->n = UNKNOWN * f->nodes, f->l = b->length / b->elements;
  f->line = b->density * area, f->plane = b->density * moment;
  memcpy(f->stiff, stiff, sizeof stiff);
  strains(f);
  f->q = calloc((size_t)(Q * f->nodes), sizeof *f->q), f->v = calloc((size_t)(Q * f->nodes), sizeof *f->v);
  f->next = calloc((size_t)(Q * f->nodes), sizeof *f->next);
  f->lambda = calloc((size_t)(BOUND * f->nodes), sizeof *f->lambda);
  f->matrix = calloc((size_t)WIDE * (size_t)f->n, sizeof *f->matrix);
  f->right = calloc((size_t)f->n, sizeof *f->right), f->pivot = calloc((size_t)f->n, sizeof *f->pivot);
  if (!f->q || !f->v || !f->next || !f->lambda || !f->matrix || !f->right || !f->pivot) {
    second_feem_close(f);
    return NULL;
  }
  for (int i = 0; i < f->nodes; i++) {
    const double l = f->l * (i == 0 || i == b->elements ? 0.5 : 1), mass = f->line * l + second_point_mass(b, i);
    for (int c = 0; c < 3; c++) {
      f->q[Q * i + c] = n[i].x[c], f->v[Q * i + c] = n[i].p[c] / mass;
      for (int d = 0; d < 3; d++) f->q[Q * i + 3 + 3 * d + c] = n[i].r[c][d];
    }
  }
  return f;
}

void second_feem_close(second_feem *f)
{
  if (f == NULL) return;
  free(f->q), free(f->v), free(f->next), free(f->lambda), free(f->matrix), free(f->right), free(f->pivot);
  free(f);
}

void second_feem_look(const second_feem *f, second_node *n)
{
  for (int i = 0; i < f->nodes; i++)
    for (int c = 0; c < 3; c++) {
      n[i].x[c] = f->q[Q * i + c];
      for (int d = 0; d < 3; d++) n[i].r[c][d] = f->q[Q * i + 3 + 3 * d + c];
    }
}
