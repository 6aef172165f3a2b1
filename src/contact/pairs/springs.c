/* contact/pairs/springs.c  Soft pairs: massless tips are springs while they touch.
 *
 *   V_c = 1/2 k g^2, k = 1/(c_a + c_b), while closed; the impulse of a kick is r = -h k g along the normal.     [bars 9] */
#include "contact/pairs.h"

#include "math/math.h"

static bool acts(const vvi_pair *c, const double *closed, int i)
{
  return c->compliance > 0.0 && closed[i] != 0.0;
}

void vvi_springs_kick(const vv_model *m, const double *closed, double h, const double *q, double *p)
{
  for (int i = 0; m->pairs->n_soft > 0 && i < m->pairs->n; i++) {
    const vvi_pair *c = &m->pairs->pair[i];
    if (acts(c, closed, i)) vvi_pair_pull(c, q, -h * vvi_pair_gap(c, q) / c->compliance, p);
  }
}

void vvi_springs_post(const vv_model *m, const double *closed, double h, const double *q, const double *p,
                      vv_posted *post)
{
  for (int i = 0; m->pairs->n_soft > 0 && i < m->pairs->n; i++) {
    const vvi_pair *c = &m->pairs->pair[i];
    if (acts(c, closed, i)) vvi_pair_post(c, q, p, -h * vvi_pair_gap(c, q) / c->compliance, post);
  }
}

double vvi_springs_energy(const vv_model *m, const double *closed, const double *q)
{
  double sum = 0.0;
  for (int i = 0; m->pairs->n_soft > 0 && i < m->pairs->n; i++) {
    const vvi_pair *c = &m->pairs->pair[i];
    if (!acts(c, closed, i)) continue;
    const double g = vvi_pair_gap(c, q);
    sum += 0.5 * g * g / c->compliance;
  }
  return sum;
}

void vvi_springs_vary(const vv_model *m, const double *closed, double h, const double *q, const double *dq, double *dp)
{
  for (int i = 0; m->pairs->n_soft > 0 && i < m->pairs->n; i++) {
    const vvi_pair *c = &m->pairs->pair[i];
    if (acts(c, closed, i)) vvi_pair_pull(c, q, -h * vvi_pair_vary_gap(c, q, dq) / c->compliance, dp);
  }
}
