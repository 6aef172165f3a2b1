/* step/event/jump.c  Momentum across a contact: the jump rules `nodal` and `slab`, restitution, holding. */
#include "step/event/event.h"

#include "math/math.h"
#include "step/variation.h"

#include <string.h>

static const vvi_pair *pair_of(const struct vv_step *s, int k)
{
  const event_work *w = s->own;
  return &s->model->pairs->pair[w->now[k]];
}

static bool soft(const vvi_pair *c)
{
  return c->compliance > 0.0;
}

/* x.y */
static double dot(int64_t n, const double *x, const double *y)
{
  double sum = 0.0;
  for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

int event_toggle(struct vv_step *s)
{
  event_work *w = s->own;
  int n = 0;
  for (int k = 0; k < w->n_now; k++) {
    if (!soft(pair_of(s, k))) continue;
    double *closed = &s->state->memory[w->now[k]];
    *closed = *closed == 0.0 ? 1.0 : 0.0;
    n++;
  }
  return n;
}

/* r0 = -(1 + e) u/a turns the approach speed u into -e u; (1 - e^2) u^2/(2 a) is lost.                         [bars 8] */
double event_bounce_impulse(const struct vv_step *s, const vvi_pair *c, double *speed, double *loss)
{
  const double direction = s->h < 0.0 ? -1.0 : 1.0, e = c->restitution;
  const double u = vvi_pair_rate(c, s->state->q, s->state->p), a = vvi_pair_inverse_mass(c, s->state->q);
  *speed = u;
  *loss = 0.0;
  if (u * direction >= 0.0 || a <= 0.0) return 0.0;
  *loss = 0.5 * (1.0 - e * e) * u * u / a;
  return -(1.0 + e) * u / a;
}

int event_direction(struct vv_step *s)
{
  event_work *w = s->own;
  memset(w->d, 0, sizeof(double) * (size_t)s->state->np);
  int n_hard = 0, n_soft = 0;
  double speed, loss;
  for (int k = 0; k < w->n_now; k++) {
    const vvi_pair *c = pair_of(s, k);
    if (soft(c) || w->touch[w->now[k]] == HELD) continue;
    const double r = event_bounce_impulse(s, c, &speed, &loss);
    vvi_pair_pull(c, s->state->q, r, w->d);
    n_hard += r != 0.0;
  }
  /* massless tips alone: a unit of speed each, of which only a small root will be taken */
  for (int k = 0; n_hard == 0 && k < w->n_now; k++) {
    const vvi_pair *c = pair_of(s, k);
    if (!soft(c)) continue;
    vvi_pair_pull(c, s->state->q, 1.0 / vvi_pair_inverse_mass(c, s->state->q), w->d);
    n_soft++;
  }
  return n_hard > 0 ? n_hard : -n_soft;
}

/* A pair that presses (acceleration a < 0) and approaches more slowly than one step of that acceleration gives would
 * bounce ever faster and lower.  It gets the impulse that brings the gap back to zero at the end of the step:
 *   u+ = -a rest/2,   r = (u+ - u)/inverse mass.                                                               [bars 14]
 * At rest this is the weight of the step and changes no energy.  With e = 1 bounces never accumulate: only a pair that
 * does not move at all is held. */
int event_hold(struct vv_step *s, double t, double rest)
{
  event_work *w = s->own;
  const double direction = s->h < 0.0 ? -1.0 : 1.0;
  int n = 0;
  for (int k = 0; k < w->n_now; k++) {
    const vvi_pair *c = pair_of(s, k);
    const double inverse = vvi_pair_inverse_mass(c, s->state->q);
    if (soft(c) || inverse <= 0.0) continue;
    const double u = direction * vvi_pair_rate(c, s->state->q, s->state->p), a = vvi_pair_rate(c, s->state->q, w->f);
    const double slow = (c->restitution < 1.0 ? 1.0 : 1e-9) * fabs(a * s->h);
    if (!(a < 0.0 && u <= 0.0 && -u <= slow)) continue;
    const double r = direction * (-0.5 * a * fabs(rest) - u) / inverse, speed = direction * u;
    const double loss = -r * (speed + 0.5 * inverse * r);
    vvi_pair_pull(c, s->state->q, r, s->state->p);
    vvi_pair_post(c, s->state->q, r, &s->ledger->posted);
    vvi_sum_add(&s->ledger->posted.restitution_loss, loss);
    if (w->events == 1 &&
        s->ledger->held++ == 0) { /* the first of a long rest is an event; the others are only counted */
      vv_event *e = vvi_log_add(s, c, "hold", t, speed, r);
      if (e != NULL) e->energy_jump = -loss;
    }
    w->touch[w->now[k]] = HELD;
    n++;
  }
  return n;
}

static void log_pair(struct vv_step *s, int k, double t, double impulse, double speed, double loss)
{
  const vvi_pair *c = pair_of(s, k);
  const event_work *w = s->own;
  const char *kind = !soft(c) ? "bounce" : s->state->memory[w->now[k]] != 0.0 ? "on" : "off";
  vv_event *e = vvi_log_add(s, c, kind, t, speed, impulse);
  if (e != NULL) e->energy_jump = -loss;
}

void event_apply(struct vv_step *s, double t, double scale, double loss)
{
  event_work *w = s->own;
  const bool bounce = event_direction(s) > 0;
  for (int k = 0; k < w->n_now; k++) {
    const vvi_pair *c = pair_of(s, k);
    if (w->touch[w->now[k]] == HELD) continue;
    double speed, own_loss, r = event_bounce_impulse(s, c, &speed, &own_loss);
    if (soft(c)) r = bounce ? 0.0 : 1.0 / vvi_pair_inverse_mass(c, s->state->q);
    vvi_pair_post(c, s->state->q, scale * r, &s->ledger->posted);
    log_pair(s, k, t, scale * r, speed, soft(c) ? 0.0 : own_loss);
    w->touch[w->now[k]] = TOUCHING;
  }
  vvi_axpy(s->state->np, scale, w->d, s->state->p);
  if (loss != 0.0) vvi_sum_add(&s->ledger->posted.restitution_loss, loss);
}

/* ---- slab: E_d of the coming slab equals E_d of the last one ---- */

/* The direction's fixed parts: x = M^-1 d and k = K x with the springs that act after the event. */
static void prepare_direction(struct vv_step *s)
{
  event_work *w = s->own;
  const vv_state *st = s->state;
  memset(w->x, 0, sizeof(double) * (size_t)st->np);
  memset(w->k, 0, sizeof(double) * (size_t)st->np);
  vvi_sys_vary_drift(s->model, 1.0, st->q, w->d, w->x, w->d);
  vvi_sys_vary_kick(s->model, -1.0, st->q, w->x, w->k);
  vvi_springs_vary(s->model, st->memory, -1.0, st->q, w->x, w->k);
}

/* With p+ = p- + r d the energy of a slab of length h is the quadratic A r^2 + B r + E_d(r = 0):                [bars 10]
 *   A = 1/2 d.M^-1 d + (h^2/4) x.K x,   B = x.b0 - (h/2) x.f(q1),   b0 = p- + (h/2) f,  q1 = q + h M^-1 b0.
 * large: the bounce; small: the correction at massless tips. */
static bool solve_slab(struct vv_step *s, const double *p_minus, double t, double h, bool bounce, double *r)
{
  event_work *w = s->own;
  const vv_state *st = s->state;
  const int64_t n = st->np;
  vv_totals at_q, at_q1;
  double *b0 = w->f1; /* p- + (h/2) f, then the force at q1 */
  for (int64_t i = 0; i < n; i++) b0[i] = p_minus[i] + 0.5 * h * w->f[i];
  memcpy(w->q1, st->q, sizeof(double) * (size_t)st->nq);
  vvi_sys_drift(s->model, h, w->q1, b0);
  vvi_sys_audit(s->model, st->q, b0, &at_q);
  vvi_sys_audit(s->model, w->q1, b0, &at_q1);
  at_q.contact = vvi_springs_energy(s->model, st->memory, st->q);
  at_q1.contact = vvi_springs_energy(s->model, st->memory, w->q1);
  const double v_mean =
      0.5 * (at_q.strain + at_q.potential + at_q.contact + at_q1.strain + at_q1.potential + at_q1.contact);
  double b = dot(n, w->x, b0);
  event_force(s, t + h, w->q1, w->f1);
  b -= 0.5 * h * dot(n, w->x, w->f1);
  const double a = 0.5 * dot(n, w->d, w->x) + 0.25 * h * h * dot(n, w->x, w->k);
  double small, large;
  if (!vvi_quadratic(a, b, at_q.kinetic + v_mean - w->target, &small, &large)) return false;
  *r = bounce ? large : small;
  return true;
}

/* Another event may cut the coming slab short; then its length and r depend on each other.  The length hardly changes r,
 * so plain iteration converges; the bound is reached only where the next event appears and disappears with r. */
static bool solve_coupled(struct vv_step *s, double t, double rest, bool bounce, double *r)
{
  event_work *w = s->own;
  vv_state *st = s->state;
  double *p_minus = w->p1, length = rest;
  memcpy(p_minus, st->p, sizeof(double) * (size_t)st->np);
  bool solved = false;
  for (int it = 0; it < 60; it++) {
    solved = solve_slab(s, p_minus, t, length, bounce, r);
    if (!solved) break;
    for (int64_t i = 0; i < st->np; i++) st->p[i] = p_minus[i] + *r * w->d[i];
    for (int k = 0; k < w->n_now; k++)
      if (w->touch[w->now[k]] != HELD) w->touch[w->now[k]] = TOUCHING;
    const double next = event_next(s, rest), cut = next == INFINITY ? rest : copysign(next, rest);
    if (fabs(cut - length) <= 1e-15 * fabs(s->h)) break;
    length = cut;
  }
  memcpy(st->p, p_minus, sizeof(double) * (size_t)st->np);
  return solved;
}

/* Sum of the losses that restitution asks for. */
static double wanted_loss(const struct vv_step *s, bool *elastic)
{
  const event_work *w = s->own;
  double sum = 0.0, speed, loss;
  *elastic = true;
  for (int k = 0; k < w->n_now; k++) {
    const vvi_pair *c = pair_of(s, k);
    if (soft(c) || w->touch[w->now[k]] == HELD) continue;
    event_bounce_impulse(s, c, &speed, &loss);
    sum += loss;
    if (c->restitution == 0.0) *elastic = false;
  }
  return sum;
}

/* Variation of the impulse: fixed by the coming slab where its energy equation was solved; else that of the bounce,
 * dr = -(1 + e) du/a, and none at massless tips. */
static void vary_jump(struct vv_step *s, bool open)
{
  event_work *w = s->own;
  const vvi_pair *c = pair_of(s, 0);
  if (!event_varies(s)) return;
  if (open) {
    vvi_variation_jump_open(s, c);
    return;
  }
  double dr[VARY_U] = {0.0, 0.0};
  const double a = vvi_pair_inverse_mass(c, s->state->q);
  for (int k = 0; k < VARY_U && !soft(c); k++)
    dr[k] = -(1.0 + c->restitution) * vvi_pair_rate(c, s->state->q, s->vary->dp[k]) / a;
  if (w->touch[w->now[0]] != HELD) vvi_variation_jump(s, c, dr);
}

void event_jump(struct vv_step *s, double t, double rest)
{
  event_work *w = s->own;
  if (event_toggle(s) > 0) event_force(s, t, s->state->q, w->f);
  event_hold(s, t, rest);
  bool has_root;
  const double loss = wanted_loss(s, &has_root);
  const int n = event_direction(s);
  double r = n > 0 ? 1.0 : 0.0; /* nodal: the bounce of one instant; a soft pair just opens or closes */
  const int64_t first = s->log->n;
  bool open = false;
  if (s->jump == VVI_SLAB && n != 0 && has_root) {
    w->target = vv_totals_energy(&w->slab) - loss;
    prepare_direction(s);
    w->solved = solve_coupled(s, t, rest, n > 0, &r);
    if (!w->solved) { /* grazing: no momentum balances the slabs; the structure ends here */
      s->ledger->fallbacks++, r = n > 0 ? 1.0 : 0.0;
      if (event_varies(s)) vvi_variation_stop(s, t);
    }
    w->first_open = first;
    open = w->solved;
  }
  if (n != 0) vary_jump(s, open);
  if (n != 0)
    event_apply(s, t, r, loss);
  else
    for (int k = 0; k < w->n_now; k++) w->touch[w->now[k]] = w->touch[w->now[k]] == HELD ? HELD : TOUCHING;
}
