/* body/shell/surface.c  What contact sees of a shell: triangles between its nodes, or between the limits of its nodes.
 *
 * A point of triangle ijk with weights w is x = w_i y_i + w_j y_j + w_k y_k, where y is a node of the control mesh or its
 * limit, y_i = sum_l S_il x_l.  So x = sum_l c_l x_l with c = S^T w, an impulse j there gives node l the share c_l j, and
 * the point feels the inverse mass sum_l c_l^2/m_l in every direction.                                        [shell 14] */
#include "body/shell/shell.h"

#include "math/math.h"

#include <string.h>

enum { MOST_SHARES = 3 * SHELL_SOURCES * (SHELL_MOST_NODES + 8) };

const shell_component *shell_component_of(const vv_block *b, int32_t patch)
{
  return &shell_plan_of(b)->component[patch]; /* one patch each */
}

static int add_row(const shell_component *part, int64_t row, double share, int64_t *node, double *weight, int n)
{
  const shell_limit *l = &part->cut->smooth;
  for (int32_t k = l->first[row]; share != 0.0 && k < l->first[row + 1]; k++) {
    const int64_t to = part->node0 + l->node[k];
    int j = 0;
    while (j < n && node[j] != to) j++;
    if (j == n) node[n] = to, weight[n++] = 0.0;
    weight[j] += share * l->weight[k];
  }
  return n;
}

/* Of the point i, j of a triangle in so many pieces. */
static int64_t row_of(int pieces, int64_t element, int i, int j)
{
  return element * ((pieces + 1) * (pieces + 2) / 2) + j * (pieces + 1) - j * (j - 1) / 2 + i;
}

/* Flat between the points of the limit surface that a triangle is cut at.                                        [shell 14a] */
static int smooth_shares(const shell_component *part, const vv_point *pt, int64_t *node, double *weight)
{
  const int pieces = part->cut->pieces;
  const double x = pt->xi[0] * pieces, y = pt->xi[1] * pieces;
  int i = (int)floor(x), j = (int)floor(y), n = 0;
  i = i < 0 ? 0 : i > pieces ? pieces : i, j = j < 0 ? 0 : j > pieces - i ? pieces - i : j;
  const double fx = x - i, fy = y - j;
  if (i + j == pieces) return add_row(part, row_of(pieces, pt->element, i, j), 1.0, node, weight, 0);
  const bool over = fx + fy > 1.0 && i + j + 2 <= pieces;
  n = add_row(part, row_of(pieces, pt->element, i + over, j + over), over ? fx + fy - 1.0 : 1.0 - fx - fy, node, weight,
              n);
  n = add_row(part, row_of(pieces, pt->element, i + 1, j), over ? 1.0 - fy : fx, node, weight, n);
  return add_row(part, row_of(pieces, pt->element, i, j + 1), over ? 1.0 - fx : fy, node, weight, n);
}

/* Nodes of the block and their weights; returns how many.  A node may be listed more than once. */
static int shares(const vv_block *b, const vv_point *pt, int64_t *node, double *weight)
{
  const shell_component *part = shell_component_of(b, pt->patch);
  const int32_t *corner = b->element_node + SHELL_CORNERS * (part->element0 + pt->element);
  const double w[3] = {1.0 - pt->xi[0] - pt->xi[1], pt->xi[0], pt->xi[1]};
  const shell_limit *l = &part->cut->limit;
  const bool limit = shell_of(b, part->body)->limit != 0.0;
  int n = 0;
  if (part->cut->pieces > 1) return smooth_shares(part, pt, node, weight);
  for (int i = 0; i < 3; i++) {
    if (w[i] == 0.0) continue;
    const int64_t at = corner[i] - part->node0;
    if (!limit) {
      node[n] = corner[i], weight[n++] = w[i];
      continue;
    }
    for (int32_t k = l->first[at]; k < l->first[at + 1]; k++) {
      const int64_t to = part->node0 + l->node[k];
      int j = 0;
      while (j < n && node[j] != to) j++;
      if (j == n) node[n] = to, weight[n++] = 0.0;
      weight[j] += w[i] * l->weight[k];
    }
  }
  return n;
}

void shell_surface(const vv_block *b, const double *q, int n, const vv_point *pt, double *x)
{
  for (int i = 0; i < n; i++) {
    int64_t node[MOST_SHARES];
    double w[MOST_SHARES];
    const int m = shares(b, &pt[i], node, w);
    for (int c = 0; c < 3; c++) {
      x[3 * i + c] = 0.0;
      for (int k = 0; k < m; k++) x[3 * i + c] += w[k] * q[c * b->column + node[k]];
    }
  }
}

void shell_push(const vv_block *b, const double *q, const double *p, int n, const vv_point *pt, double *w)
{
  const double *minv = shell_node(b, SHELL_INVERSE_MASS);
  (void)q;
  for (int i = 0; i < n; i++) {
    int64_t node[MOST_SHARES];
    double s[MOST_SHARES];
    const int m = shares(b, &pt[i], node, s);
    for (int c = 0; c < 3; c++) {
      w[3 * i + c] = 0.0;
      for (int k = 0; k < m; k++) w[3 * i + c] += s[k] * (minv[node[k]] * p[c * b->column + node[k]]);
    }
  }
}

void shell_pull(const vv_block *b, const double *q, int n, const vv_point *pt, const double *r, double *p)
{
  const double *minv = shell_node(b, SHELL_INVERSE_MASS);
  (void)q;
  for (int i = 0; i < n; i++) {
    int64_t node[MOST_SHARES];
    double s[MOST_SHARES];
    const int m = shares(b, &pt[i], node, s);
    for (int k = 0; k < m; k++)
      for (int c = 0; c < 3 && minv[node[k]] > 0.0; c++) p[c * b->column + node[k]] += s[k] * r[3 * i + c];
  }
}

void shell_inverse_mass(const vv_block *b, const double *q, int n, const vv_point *pt, double *a)
{
  const double *minv = shell_node(b, SHELL_INVERSE_MASS);
  (void)q;
  for (int i = 0; i < n; i++) {
    int64_t node[MOST_SHARES];
    double s[MOST_SHARES], sum = 0.0;
    const int m = shares(b, &pt[i], node, s);
    for (int k = 0; k < m; k++) sum += s[k] * s[k] * minv[node[k]];
    for (int c = 0; c < 6; c++) a[6 * i + c] = c < 3 ? sum : 0.0;
  }
}

void shell_mover(const vv_block *b, int64_t i, const double *q, const double *p, vv_mover *out)
{
  const double minv = shell_node(b, SHELL_INVERSE_MASS)[i];
  *out = (vv_mover){.turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .inverse_mass = {minv, minv, minv, 0, 0, 0}};
  for (int c = 0; c < 3; c++) {
    out->place[c] = q[c * b->column + i];
    out->velocity[c] = minv * p[c * b->column + i];
  }
}

void shell_movers(const vv_block *b, const double *q, const double *p, vv_mover *out)
{
  for (int64_t i = 0; i < b->nodes; i++) shell_mover(b, i, q, p, &out[i]);
}

void shell_scatter(const vv_block *b, int64_t node, const double *q, const double j[6], double *p)
{
  (void)q;
  for (int c = 0; c < 3; c++) p[c * b->column + node] += j[c];
}

void shell_limits(const vv_block *b, bool own, const double *q, double *out)
{
  const shell_plan *plan = b->plan;
  for (int64_t k = 0, j = 0; k < plan->tiles; k++) {
    const shell_tile *t = &plan->tile[k];
    while (plan->component[j].node0 != t->node0) j++;
    const shell_limit *l = &plan->component[j].cut->limit;
    for (int64_t i = t->own0; (!own || shell_is_here(plan, k)) && i < t->own0 + t->own; i++)
      for (int c = 0; c < 3; c++) {
        double sum = 0.0;
        for (int32_t n = l->first[i]; n < l->first[i + 1]; n++)
          sum += l->weight[n] * q[c * b->column + t->node0 + l->node[n]];
        out[3 * (t->node0 + i) + c] = sum;
      }
  }
}
