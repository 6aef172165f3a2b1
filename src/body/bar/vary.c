/* body/bar/vary.c  First variations and sub-domains of bars: the maps are linear, so they are their own tangents. */
#include "body/bar/bar.h"

#include "math/math.h"

static bool held(const vv_block *b, int32_t j, int end)
{
  return bar_body(b, j)[BAR_HELD_FIRST + end] != 0.0;
}

/* dp += h (dN_i - dN_{i-1}); held ends do not vary */
static void vary_kick(const vv_block *b, double h, const double *u, const double *du, double *dp)
{
  (void)u;
  const double *k = bar_node(b, BAR_STIFFNESS);
  for (int32_t j = 0; j < b->n_body; j++) {
    const vv_body *body = b->body[j];
    const int64_t first = body->node0, last = first + body->n_node - 1;
    double left = 0.0;
    for (int64_t i = first; i <= last; i++) {
      const double right = i < last ? k[i] * (du[i + 1] - du[i]) : 0.0;
      const bool fixed = (i == first && held(b, j, 0)) || (i == last && held(b, j, 1));
      if (!fixed) dp[i] += h * (right - left);
      left = right;
    }
  }
}

static void vary_drift(const vv_block *b, double h, const double *u, const double *p, double *du, double *dp)
{
  (void)u, (void)p;
  const double *minv = bar_node(b, BAR_INVERSE_MASS);
  for (int64_t i = 0; i < b->nodes; i++) du[i] += h * (minv[i] * dp[i]);
}

static void vary_surface(const vv_block *b, const double *u, const double *du, int n, const vv_point *pt, double *dx)
{
  (void)u;
  for (int i = 0; i < n; i++) {
    const double *axis = bar_body(b, pt[i].patch / 2) + BAR_AXIS;
    for (int c = 0; c < 3; c++) dx[3 * i + c] = du[b->patch[pt[i].patch].node] * axis[c];
  }
}

/* Springs outside get no stiffness; a node keeps the part of its mass that the springs inside gave it. */
static void restrict_to(const vv_block *b, const unsigned char *inside, vv_block *sub, double *share)
{
  double *node_real = sub->node_real;
  *sub = *b;
  sub->node_real = node_real;
  for (int64_t i = 0; i < BAR_NODE_COLUMNS * b->stride; i++) node_real[i] = b->node_real[i];
  for (int64_t i = 0; i < b->nodes; i++) share[i] = 0.0;
  const double *m = bar_node(b, BAR_MASS), *left = bar_element(b, BAR_MASS_LEFT),
               *right = bar_element(b, BAR_MASS_RIGHT);
  for (int64_t e = 0; e < b->elements; e++) {
    const int32_t *node = b->element_node + 2 * e;
    if (inside[e]) {
      share[node[0]] += left[e] / m[node[0]];
      share[node[1]] += right[e] / m[node[1]];
    } else {
      node_real[BAR_STIFFNESS * b->stride + node[0]] = 0.0;
    }
  }
  for (int64_t i = 0; i < b->nodes; i++) node_real[BAR_MASS * b->stride + i] *= share[i];
}

const vv_vary_table bar_vary = {
    .kick = vary_kick, .drift = vary_drift, .surface = vary_surface, .restrict_to = restrict_to};
