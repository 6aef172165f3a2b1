/* step/event/together.c  Impulses of coupled contacts: corners of one section, walls with a common edge, friction.
 *
 * Normal parts: with u the approach rates and D = G M^-1 G^T, find x >= 0 with u + D x >= 0 and x.(u + D x) = 0; the
 * impulses are (1 + e) x.  For e = 1 that is the reflection of p at the cone of admissible velocities, and
 * H+ - H- = 2 x.(u + D x) = 0: one energy, any number of multipliers.                                        [contact 6]
 *
 * Friction: the tangential impulse that would stop the sliding, cut to the disc |j| <= mu r; where it makes a pair approach
 * again the normal part grows.  Every loss is j.(w- + w+)/2, which is exact at a frozen configuration.        [contact 7] */
#include "contact/friction/law.h"
#include "math/math.h"
#include "step/event/event.h"

#include <string.h>

enum { SWEEPS = 400 };

static bool acts(const struct vv_step *s, int k)
{
  const vvi_event_work *w = s->own;
  return vvi_event_pair(s, k)->compliance <= 0.0 && w->touch[w->now[k].pair] != HELD && w->now[k].inverse > 0.0;
}

/* x_k of all pairs by projected Gauss-Seidel; y carries p + G^T x. */
static void solve_normals(struct vv_step *s, double *y)
{
  vvi_event_work *w = s->own;
  const double *q = s->state->q, direction = w->direction;
  double scale = 0.0;
  for (int k = 0; k < w->n_now; k++) scale = fmax(scale, fabs(w->now[k].speed));
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double moved = 0.0;
    for (int k = 0; k < w->n_now; k++) {
      if (!acts(s, k)) continue;
      vvi_event_contact *b = &w->now[k];
      const double u = direction * vvi_pair_rate(vvi_event_pair(s, k), q, y),
                   x = fmax(0.0, b->impulse - u / b->inverse);
      const double dx = x - b->impulse;
      if (dx == 0.0) continue;
      vvi_pair_pull(vvi_event_pair(s, k), q, direction * dx, y);
      b->impulse = x;
      moved = fmax(moved, fabs(dx) * b->inverse);
    }
    if (moved <= 2e-16 * scale) break;
  }
}

void vvi_event_rub(struct vv_step *s, const vvi_pair *c, const double *p, double limit, double slide[3], bool *sticks)
{
  double n[3], a[6], v[3], t[2][3], u[2], j[2];
  vvi_pair_normal(c, s->state->q, n);
  vvi_pair_inverse_masses(c, s->state->q, a);
  vvi_pair_velocity(c, s->state->q, p, v);
  vvi_across(n, t);
  const double k[3] = {vvi_form6(a, t[0], t[0]), vvi_form6(a, t[0], t[1]), vvi_form6(a, t[1], t[1])};
  for (int i = 0; i < 2; i++) u[i] = vvi_dot3(t[i], v), j[i] = vvi_dot3(t[i], slide);
  *sticks = vvi_disc_answer(k, u, limit, j);
  for (int i = 0; i < 3; i++) slide[i] = j[0] * t[0][i] + j[1] * t[1][i];
}

/* One pair: friction within its disc, then more normal impulse if it approaches. */
static double rub_pair(struct vv_step *s, int k, double *y)
{
  vvi_event_work *w = s->own;
  const vvi_pair *c = vvi_event_pair(s, k);
  vvi_event_contact *b = &w->now[k];
  double before[3], change[3];
  bool sticks;
  memcpy(before, b->slide, sizeof before);
  vvi_event_rub(s, c, y, c->friction * fabs(b->impulse), b->slide, &sticks);
  for (int i = 0; i < 3; i++) change[i] = b->slide[i] - before[i];
  vvi_pair_pull3(c, s->state->q, change, y);
  double moved = sqrt(vvi_dot3(change, change)) * b->inverse;
  const double u = w->direction * vvi_pair_rate(c, s->state->q, y), more = u < 0.0 ? -u / b->inverse : 0.0;
  if (more * b->inverse > 1e-15 * fabs(b->speed)) {
    vvi_pair_pull(c, s->state->q, w->direction * more, y);
    b->impulse += w->direction * more;
    moved = fmax(moved, more * b->inverse);
  }
  return moved;
}

static void solve_friction(struct vv_step *s, double *y)
{
  vvi_event_work *w = s->own;
  double scale = 0.0;
  for (int k = 0; k < w->n_now; k++) scale = fmax(scale, fabs(w->now[k].speed));
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double moved = 0.0;
    for (int k = 0; k < w->n_now; k++)
      if (acts(s, k) && w->now[k].impulse != 0.0 && vvi_event_pair(s, k)->friction > 0.0)
        moved = fmax(moved, rub_pair(s, k, y));
    if (moved <= 2e-16 * scale) break;
  }
}

/* What each pair took: with e = 1 all of it is friction's. */
static void count_losses(struct vv_step *s, const double *y)
{
  vvi_event_work *w = s->own;
  const double *q = s->state->q, *p = s->state->p;
  for (int k = 0; k < w->n_now; k++) {
    const vvi_pair *c = vvi_event_pair(s, k);
    vvi_event_contact *b = &w->now[k];
    double before[3], after[3], n[3];
    if (!acts(s, k)) continue;
    vvi_pair_velocity(c, q, p, before);
    memcpy(b->velocity, before, sizeof before);
    vvi_pair_velocity(c, q, y, after);
    vvi_pair_normal(c, q, n);
    for (int i = 0; i < 3; i++) before[i] = 0.5 * (before[i] + after[i]);
    const double normal = -b->impulse * vvi_dot3(n, before);
    b->rubbed = c->friction > 0.0 ? -vvi_dot3(b->slide, before) + (c->restitution == 1.0 ? normal : 0.0) : 0.0;
    b->loss = c->restitution < 1.0 ? normal : 0.0;
  }
}

void vvi_event_together(struct vv_step *s)
{
  vvi_event_work *w = s->own;
  bool rough = false;
  double *y = w->trial_p;
  w->trial = 0.0;
  memcpy(y, s->state->p, sizeof(double) * (size_t)s->state->np);
  for (int k = 0; k < w->n_now; k++)
    if (acts(s, k)) w->now[k].impulse = 0.0, rough |= vvi_event_pair(s, k)->friction > 0.0;
  solve_normals(s, y);
  for (int k = 0; k < w->n_now; k++) {
    const double e = vvi_event_pair(s, k)->restitution, x = w->now[k].impulse;
    if (!acts(s, k)) continue;
    vvi_pair_pull(vvi_event_pair(s, k), s->state->q, w->direction * e * x, y);
    w->now[k].impulse = w->direction * (1.0 + e) * x;
  }
  if (rough) solve_friction(s, y);
  count_losses(s, y);
}
