/* model/columns.c  Reads nodes, bounds and copies of a state for contact, wherever its columns are. */
#include "model/columns.h"
#include "math/math.h"

#include <string.h>

/* ---- one node ---- */

void vvi_node_sets_out(const vv_block *b, int64_t node, double h, const double *q, const double *p, const double *f,
                       double *to_q, double *to_p)
{
  for (int c = 0; c < b->kind->node_q; c++) {
    const int64_t k = b->q0 + c * b->column + node;
    to_q[k] = q[k];
  }
  for (int c = 0; c < b->kind->node_p; c++) {
    const int64_t k = b->p0 + c * b->column + node;
    to_p[k] = f != NULL ? p[k] + h * f[k] : p[k];
  }
}

/* ---- some nodes ---- */

/* Listed nodes from which on a team shares them: fewer are done in less time than it needs to meet. */
enum { LISTED_FROM = 4096 };

static bool shares_listed(const vv_block *b, int64_t n)
{
  return b->threads > 1 && n >= LISTED_FROM;
}

static inline void copy_node(const vv_block *b, int columns, int64_t at, const double *from, double *to)
{
  for (int c = 0; c < columns; c++) to[at + c * b->column] = from[at + c * b->column];
}

static void copy_listed(const vv_block *b, int columns, int64_t first, int64_t n, const int32_t *node,
                        const double *from, double *to)
{
#pragma omp parallel for schedule(static) num_threads(b->threads)
  for (int64_t i = 0; i < n; i++) copy_node(b, columns, first + node[i], from, to);
}

static void axpy_listed(const vv_block *b, int64_t n, const int32_t *node, double a, const double *x, double *y)
{
#pragma omp parallel for schedule(static) num_threads(b->threads)
  for (int64_t i = 0; i < n; i++)
    for (int c = 0; c < b->kind->node_p; c++) {
      const int64_t at = b->p0 + c * b->column + node[i];
      y[at] += a * x[at];
    }
}

void vvi_nodes_copy(const vv_block *b, vvi_columns which, int64_t n, const int32_t *node, const double *from,
                    double *to)
{
  const int columns = which == VVI_PLACES ? b->kind->node_q : b->kind->node_p;
  const int64_t first = which == VVI_PLACES ? b->q0 : b->p0;
  if (node == NULL && b->spans == 0) memcpy(to + first, from + first, sizeof *to * (size_t)vvi_block_reals(b, which));
  if (node != NULL && shares_listed(b, n)) {
    copy_listed(b, columns, first, n, node, from, to);
    return;
  }
  for (int c = 0; c < columns; c++) {
    const int64_t at = first + c * b->column;
    for (int64_t i = 0; node == NULL && i < b->spans; i++)
      memcpy(to + at + b->span[i].first, from + at + b->span[i].first, sizeof *to * (size_t)b->span[i].n);
    for (int64_t i = 0; node != NULL && i < n; i++) to[at + node[i]] = from[at + node[i]];
  }
}

/* Nodes of a piece; reals from which on a team shares them: fewer are done in less time than it needs to meet. */
enum { NODES = 1024, TEAM_FROM = 65536 };

/* n nodes from `first` on: y += a x, or 0 where x is NULL. */
static void add_run(const vv_block *b, int64_t first, int64_t n, double a, const double *x, double *y)
{
  for (int c = 0; c < b->kind->node_p; c++) {
    const int64_t at = b->p0 + c * b->column + first;
    if (x != NULL)
      vvi_axpy(n, a, x + at, y + at);
    else
      memset(y + at, 0, sizeof *y * (size_t)n);
  }
}

/* Pieces are nodes, as those of drifts and forces: a thread meets what it had before. */
static void add_runs(const vv_block *b, int64_t first, int64_t n, double a, const double *x, double *y)
{
  if (b->threads < 2 || b->kind->node_p * n < TEAM_FROM) {
    add_run(b, first, n, a, x, y);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(b->threads)
  for (int64_t i = 0; i < n; i += NODES) add_run(b, first + i, n - i < NODES ? n - i : NODES, a, x, y);
}

static void add_all(const vv_block *b, double a, const double *x, double *y)
{
  if (b->spans == 0) add_runs(b, 0, b->nodes, a, x, y);
  for (int64_t i = 0; i < b->spans; i++) add_runs(b, b->span[i].first, b->span[i].n, a, x, y);
}

void vvi_nodes_axpy(const vv_block *b, int64_t n, const int32_t *node, double a, const double *x, double *y)
{
  if (node == NULL) add_all(b, a, x, y);
  if (node != NULL && shares_listed(b, n)) {
    axpy_listed(b, n, node, a, x, y);
    return;
  }
  for (int c = 0; node != NULL && c < b->kind->node_p; c++) {
    const int64_t at = b->p0 + c * b->column;
    for (int64_t i = 0; i < n; i++) y[at + node[i]] += a * x[at + node[i]];
  }
}

void vvi_momenta_axpy(const vv_model *m, double a, const double *x, double *y)
{
  for (int i = 0; i < m->n_block; i++) add_all(&m->block[i], a, x, y);
}

void vvi_momenta_zero(const vv_model *m, double *x)
{
  for (int i = 0; i < m->n_block; i++) add_all(&m->block[i], 0.0, NULL, x);
}

/* ---- a whole state ---- */

/* Reals of a piece, and how many pieces are shared. */
enum { PIECE = 1024, SHARED_FROM = 32 };

static bool equal_piece(int n, const vvi_twin *twin, int64_t first)
{
  bool equal = true;
  for (int k = 0; equal && k < n; k++) {
    const int64_t left = twin[k].n - first < PIECE ? twin[k].n - first : PIECE;
    equal = left <= 0 || memcmp(twin[k].a + first, twin[k].b + first, sizeof(double) * (size_t)left) == 0;
  }
  return equal;
}

bool vvi_twins_equal(int threads, int n, const vvi_twin *twin)
{
  int64_t most = 0;
  for (int k = 0; k < n; k++) most = twin[k].n > most ? twin[k].n : most;
  bool equal = equal_piece(n, twin, 0); /* what moves mostly differs at once */
  if (!equal || threads < 2 || most < SHARED_FROM * PIECE) {
    for (int64_t i = PIECE; equal && i < most; i += PIECE) equal = equal_piece(n, twin, i);
    return equal;
  }
#pragma omp parallel for schedule(static) reduction(&& : equal) num_threads(threads)
  for (int64_t i = PIECE; i < most; i += PIECE) equal = equal && equal_piece(n, twin, i);
  return equal;
}

/* ---- points ---- */

vvi_points vvi_points_of(const vv_block *b, int64_t first, const double *q, double *p, const double *f)
{
  return (vvi_points){.q = q + b->q0 + first,
                      .p = p != NULL ? p + b->p0 + first : NULL,
                      .f = f != NULL ? f + b->p0 + first : NULL,
                      .column = b->column};
}

/* All axes at once, since n is small. */
VV_HOT static void bounds(int64_t n, int64_t column, double h, const double *restrict inverse, const double *restrict p,
                          const double *restrict f, double *restrict box)
{
  const double *restrict py = p + column, *restrict pz = py + column, *restrict fy = f + column,
                         *restrict fz = fy + column;
  double x = INFINITY, y = INFINITY, z = INFINITY, u = -INFINITY, v = -INFINITY, w = -INFINITY;
#pragma omp simd reduction(min : x, y, z) reduction(max : u, v, w)
  for (int64_t i = 0; i < n; i++) {
    const double k = h * inverse[i];
    const double a = k * (p[i] + 0.5 * h * f[i]), b = k * (py[i] + 0.5 * h * fy[i]), c = k * (pz[i] + 0.5 * h * fz[i]);
    x = a < x ? a : x, y = b < y ? b : y, z = c < z ? c : z;
    u = a > u ? a : u, v = b > v ? b : v, w = c > w ? c : w;
  }
  box[0] = x, box[1] = y, box[2] = z, box[3] = u, box[4] = v, box[5] = w;
}

void vvi_points_bounds(const vvi_points *k, int64_t first, int64_t n, double h, const double *inverse, double box[6])
{
  bounds(n, k->column, h, inverse, k->p + first, k->f + first, box);
}

/* As vvi_point_fly; all axes at once, so that x and y are written one behind the other. */
VV_HOT static void gather(int64_t n, int64_t column, double h, const double *restrict inverse, const double *restrict q,
                          const double *restrict p, const double *restrict f, double *restrict x, double *restrict y)
{
  for (int64_t i = 0; i < n; i++)
    for (int64_t c = 0, at = i; c < 3; c++, at += column) {
      x[3 * i + c] = q[at];
      y[3 * i + c] = q[at] + h * inverse[i] * (p[at] + 0.5 * h * f[at]);
    }
}

void vvi_points_gather(const vvi_points *k, int64_t first, int64_t n, double h, const double *inverse, double *x,
                       double *y)
{
  gather(n, k->column, h, inverse, k->q + first, k->p + first, k->f + first, x, y);
}

void vvi_point_flight(const vvi_points *k, int64_t i, double h, double row[VVI_POINT_FLIGHT])
{
  for (int c = 0; c < 3; c++) {
    const int64_t at = c * k->column + i;
    row[c] = k->q[at], row[3 + c] = k->p[at] + 0.5 * h * k->f[at];
  }
}

void vvi_point_take_flight(const vvi_points *k, int64_t i, const double row[VVI_POINT_FLIGHT])
{
  for (int c = 0; c < 3; c++) {
    const int64_t at = c * k->column + i;
    ((double *)k->q)[at] = row[c], k->p[at] = row[3 + c], ((double *)k->f)[at] = 0.0;
  }
}

void vvi_point_read(const vvi_points *k, int64_t i, double row[VVI_POINT_ROW])
{
  for (int c = 0; c < 3; c++) {
    const int64_t at = c * k->column + i;
    row[c] = k->q[at], row[3 + c] = k->p[at], row[6 + c] = k->f[at];
  }
}

/* Of others: what is read of them is written here. */
void vvi_point_write(const vvi_points *k, int64_t i, const double row[VVI_POINT_ROW])
{
  for (int c = 0; c < 3; c++) {
    const int64_t at = c * k->column + i;
    ((double *)k->q)[at] = row[c], k->p[at] = row[3 + c], ((double *)k->f)[at] = row[6 + c];
  }
}
