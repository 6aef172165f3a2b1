/* body/bar/vary.c  First variations and sub-domains of bars: the maps are linear, so they are their own tangents. */
#include "body/bar/bar.h"

#include "math/math.h"

static void kick_tangent(const vv_block *b, int64_t i0, int64_t n, double h, const double *u, const double *du,
                         double *dp)
{
  double left = 0.0;
  for (int64_t i = i0; i < i0 + n; i++) {
    const double right = i + 1 < i0 + n ? bar_stiffness(b, i, u[i + 1] - u[i]) * (du[i + 1] - du[i]) : 0.0;
    dp[i] += h * (right - left);
    left = right;
  }
}

/* dp += h (dN_i - dN_{i-1}); held ends do not vary */
static void vary_kick(const vv_block *b, double h, const double *u, const double *du, double *dp)
{
  for (int32_t j = 0; j < b->n_body; j++) {
    const double *r = bar_body(b, j);
    const int64_t first = b->body[j]->node0, n = b->body[j]->n_node, last = first + n - 1;
    const double p_first = dp[first], p_last = dp[last];
    if (bar_is_linear(b)) /* at fixed internal variables, as stiff as it is when it is fast */
      bar_kick_slice(b, first, n, (1.0 + vvi_damping_glass(&bar_law_of(b, j)->damping)) * h, du, dp);
    else
      kick_tangent(b, first, n, h, u, du, dp);
    if (r[BAR_HELD_FIRST] != 0.0) dp[first] = p_first;
    if (r[BAR_HELD_LAST] != 0.0) dp[last] = p_last;
  }
}

static void vary_drift(const vv_block *b, double h, const double *u, const double *p, double *du, double *dp)
{
  (void)u, (void)p;
  bar_drift(b, h, du, dp);
}

static void vary_surface(const vv_block *b, const double *u, const double *du, int n, const vv_point *pt, double *dx)
{
  (void)u;
  for (int i = 0; i < n; i++) {
    const int64_t node = b->patch[pt[i].patch].node + (int64_t)pt[i].xi[0];
    const double *axis = bar_body(b, vv_body_of_node(b, node)) + BAR_AXIS;
    for (int c = 0; c < 3; c++) dx[3 * i + c] = du[node] * axis[c];
  }
}

static void weigh(const vv_block *b, double h, double *p)
{
  const double *m = bar_node(b, BAR_MASS);
  for (int32_t j = 0; j < b->n_body; j++) {
    const double g = bar_body(b, j)[BAR_GRAVITY];
    for (int64_t i = b->body[j]->node0; g != 0.0 && i < b->body[j]->node0 + b->body[j]->n_node; i++)
      p[i] += h * (m[i] * g);
  }
}

/* Part of a bar: all its forces, those on held ends too, so that what supports take is seen at the border. */
static void part_kick(const vv_block *b, double t, double h, const double *u, double *p)
{
  (void)t;
  if (!b->booked)
    bar_kick_slice(b, 0, b->nodes, h, u, p);
  else
    for (int32_t j = 0; j < b->n_body; j++) bar_kick_slice(b, b->body[j]->node0, b->body[j]->n_node, h, u, p);
  weigh(b, h, p);
}

static const vv_body_kind part_kind = {.name = "bar", .node_q = 1, .node_p = 1, .kick = part_kick, .vary = &bar_vary};

/* Springs outside get no stiffness; a node keeps the part of its mass that the springs inside gave it. */
static void restrict_to(const vv_block *b, const unsigned char *inside, vv_block *sub, double *share)
{
  double *node_real = sub->node_real;
  *sub = *b;
  sub->kind = &part_kind;
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

/* Whether two bars lie on one line and point the same way; *shift: where the origin of the second is on the first. */
static bool on_one_line(const double *r, const double *other, double length, double *shift)
{
  double gap = 0.0, off[3];
  for (int c = 0; c < 3; c++) off[c] = other[BAR_ORIGIN + c] - r[BAR_ORIGIN + c];
  *shift = vvi_dot3(off, r + BAR_AXIS);
  for (int c = 0; c < 3; c++) {
    gap = fmax(gap, fabs(off[c] - *shift * r[BAR_AXIS + c]));
    gap = fmax(gap, length * fabs(other[BAR_AXIS + c] - r[BAR_AXIS + c]));
  }
  return gap <= 1e-9 * length;
}

/* u is counted from where a node is unstressed, and that is another place in another scene: d = X' + u' - (X + u). */
static bool between(const vv_block *b, const double *u, const vv_block *to, const double *u_to, double *d)
{
  const double *x = bar_node(b, BAR_X), *x_to = bar_node(to, BAR_X);
  bool reached = true;
  for (int32_t j = 0; j < b->n_body; j++) {
    const int64_t first = b->body[j]->node0, last = first + b->body[j]->n_node - 1;
    double shift = 0.0;
    if (!on_one_line(bar_body(b, j), bar_body(to, j), x[last] - x[first], &shift)) reached = false;
    for (int64_t i = first; i <= last; i++) d[i] = x_to[i] + u_to[i] + shift - (x[i] + u[i]);
  }
  return reached;
}

const vv_vary_table bar_vary = {.kick = vary_kick,
                                .drift = vary_drift,
                                .surface = vary_surface,
                                .restrict_to = restrict_to,
                                .weigh = weigh,
                                .between = between};
