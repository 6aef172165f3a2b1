/* body/bar/space.c  Evolution in space: from what a node did at all times to what its neighbour did.
 *
 *   N_i^j = m_i (u_i^{j+1} - 2 u_i^j + u_i^{j-1})/h^2 - m_i g - force of the spring before,
 *   u_{i+1}^j = u_i^j + the stretch that N_i^j makes                                                            [grids 12] */
#include "body/bar/bar.h"

#include "math/math.h"

/* How much longer the spring behind node i is under the force n.  Neo-Hookean: (k l/3)(L - 1/L^2) grows with L > 0 and its root
 * is found from above, where it is concave for any start that is long enough. */
static double stretch(const vv_block *b, int64_t i, double n)
{
  enum { ITERATIONS = 100 };
  const double k = bar_node(b, BAR_STIFFNESS)[i], l = bar_node(b, BAR_SPAN)[i];
  if (bar_is_linear(b) || bar_node(b, BAR_LAW)[i] == 0.0) return n / k;
  const double c = 3.0 * n / (k * l);
  double s = c > 0.0 ? 1.0 + c : 1.0 / sqrt(1.0 - c), last = INFINITY;
  for (int it = 0; it < ITERATIONS; it++) {
    const double step = (s - 1.0 / (s * s) - c) / (1.0 + 2.0 / (s * s * s));
    if (fabs(step) >= last && fabs(step) < 1e-12 * s) break;
    s -= step, last = fabs(step);
    if (!(s > 0.0)) return NAN;
    if (step == 0.0) break;
  }
  return l * (s - 1.0);
}

static int64_t march(const vv_block *b, int64_t i, int64_t first, int64_t last, double h, const vv_space_line *from,
                     vv_space_line *to)
{
  const double per = bar_node(b, BAR_MASS)[i] / (h * h);
  const double weight = bar_node(b, BAR_MASS)[i] * bar_body(b, vv_body_of_node(b, i))[BAR_GRAVITY];
  for (int64_t j = first + 1; j < last; j++) {
    const double *u = from->q + j;
    const double n = per * ((u[1] - u[0]) - (u[0] - u[-1])) - weight - from->flux[j], du = stretch(b, i, n);
    if (!isfinite(du)) return j;
    to->q[j] = u[0] + du, to->flux[j] = -n;
    for (int v = 0; from->dq[0] != NULL && v < 2; v++) {
      const double *d = from->dq[v] + j;
      const double dn = per * ((d[1] - d[0]) - (d[0] - d[-1])) - from->dflux[v][j];
      to->dq[v][j] = d[0] + dn / bar_stiffness(b, i, du), to->dflux[v][j] = -dn;
    }
  }
  return -1;
}

static double form(const vv_block *b, int64_t first, int64_t last, double h, const vv_space_line *at, double *magnitude)
{
  double sum = 0.0;
  (void)b;
  for (int64_t j = first; j <= last; j++) {
    const double x = h * at->dflux[0][j] * at->dq[1][j], y = h * at->dflux[1][j] * at->dq[0][j];
    sum += x - y;
    *magnitude += fabs(x) + fabs(y);
  }
  return sum;
}

static const char *refuse(const vv_block *b, int32_t j)
{
  const double *r = bar_body(b, j);
  if (r[BAR_HELD_FIRST] != 0.0 || r[BAR_HELD_LAST] != 0.0) return "needs free ends";
  if (b->body[j]->n_load > 0) return "has no loads";
  return bar_is_elastic(b, j) ? NULL : "needs an elastic bar";
}

const vv_space_table bar_space = {.refuse = refuse, .march = march, .form = form};
