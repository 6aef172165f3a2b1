/* body/bar/transfer.c  Another mesh of the same bar, between two steps.                                        [grids 16-18] */
#include "body/bar/bar.h"

#include "math/math.h"
#include "model/grid_line.h"

typedef struct mixture {
  const double *p, *inverse;
  double v;
} mixture;

static void add(void *user, int64_t i, double weight)
{
  mixture *m = user;
  m->v += weight * m->inverse[i] * m->p[i];
}

static bool is_held(const vv_block *b, int32_t j)
{
  return bar_body(b, j)[BAR_HELD_FIRST] != 0.0 || bar_body(b, j)[BAR_HELD_LAST] != 0.0;
}

/* Places between those of the old nodes, and beyond the last one moved along with it; then a velocity of the whole bar that gives
 * back its momentum. */
const char *bar_transfer(const vv_block *from, int32_t i, const double *u, const double *p, const vv_block *to,
                         int32_t j, double *u_to, double *p_to)
{
  const vv_body *a = from->body[i], *b = to->body[j];
  const double *x = bar_node(from, BAR_X), *y = bar_node(to, BAR_X), *m = bar_node(to, BAR_MASS);
  const vvi_grid_line old = {a->n_node, x + a->node0, bar_node(from, BAR_MASS) + a->node0};
  const vvi_grid_line new = {b->n_node, y + b->node0, m + b->node0};
  const double shift = x[a->node0 + a->n_node - 1] - y[b->node0 + b->n_node - 1];
  double before = 0.0, after = 0.0, mass = 0.0;
  if (!bar_is_elastic(from, i) || !bar_is_elastic(to, j)) return "flows, damps or breaks";
  if (fabs(shift) > 0.51 * (bar_node(from, BAR_SPAN)[a->node0] + bar_node(to, BAR_SPAN)[b->node0]))
    return "has another length";
  for (int64_t k = 0; k < a->n_node; k++) before += p[a->node0 + k];
  for (int64_t k = 0; k < b->n_node; k++) {
    double part;
    const int64_t e = vvi_grid_find(&old, new.at[k], &part), at = a->node0 + e;
    mixture mix = {p + a->node0, bar_node(from, BAR_INVERSE_MASS) + a->node0, 0.0};
    vvi_grid_mix(&old, &new, k, add, &mix);
    u_to[b->node0 + k] = part > 0.0 ? u[at] + part * (u[at + 1] - u[at]) : u[at];
    p_to[b->node0 + k] = new.mass[k] * mix.v;
    after += p_to[b->node0 + k], mass += new.mass[k];
  }
  const double more = is_held(to, j) ? 0.0 : (before - after) / mass;
  for (int64_t k = 0; k < b->n_node; k++) p_to[b->node0 + k] += new.mass[k] * more;
  if (bar_body(to, j)[BAR_HELD_FIRST] != 0.0) p_to[b->node0] = 0.0;
  if (bar_body(to, j)[BAR_HELD_LAST] != 0.0) p_to[b->node0 + b->n_node - 1] = 0.0;
  return NULL;
}
