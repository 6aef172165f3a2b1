/* step/event/jump.c  Momentum across a contact: the jump rules `nodal` and `slab`, restitution, holding. */
#include "step/event/event.h"

#include "math/math.h"
#include "step/variation.h"

#include <string.h>

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

static double *debt_of(const struct vv_step *s, int pair)
{
  return vvi_pair_debt(s, &s->model->pairs->pair[pair]);
}

int vvi_event_toggle(struct vv_step *s)
{
  vvi_event_work *w = s->own;
  int n = 0;
  for (int k = 0; k < w->n_now; k++) {
    if (!soft(vvi_event_pair(s, k))) continue;
    double *closed = &s->state->memory[w->now[k].pair];
    *closed = *closed == 0.0 ? 1.0 : 0.0;
    n++;
  }
  return n;
}

void vvi_event_set_bounce(struct vv_step *s, int k, double speed, double inverse)
{
  vvi_event_work *w = s->own;
  const vvi_pair *c = vvi_event_pair(s, k);
  const double direction = w->direction, approach = direction * speed;
  w->now[k] = (vvi_event_contact){
      .pair = w->now[k].pair, .speed = speed, .inverse = inverse, .rate = vvi_pair_rate(c, s->state->q, s->state->p)};
  if (soft(c) || w->touch[w->now[k].pair] == HELD) return;
  vvi_reflect(approach, inverse, c->restitution, &w->now[k].impulse, &w->now[k].loss);
  w->now[k].impulse *= direction;
}

/* Pairs that share a node or rub cannot be answered one by one. */
static bool feel_each_other(const struct vv_step *s)
{
  const vvi_event_work *w = s->own;
  int curved = 0;
  for (int k = 0; k < w->n_now; k++) {
    const vvi_pair *c = vvi_event_pair(s, k);
    if (c->friction > 0.0) return true;
    curved += c->curved;
  }
  return curved > 1;
}

static void measure(struct vv_step *s)
{
  const vvi_event_work *w = s->own;
  for (int k = 0; k < w->n_now; k++) {
    const vvi_pair *c = vvi_event_pair(s, k);
    vvi_event_set_bounce(s, k, vvi_pair_rate(c, s->state->q, s->state->p), vvi_pair_inverse_mass(c, s->state->q));
  }
  if (feel_each_other(s)) vvi_event_together(s);
}

int vvi_event_direction(struct vv_step *s)
{
  vvi_event_work *w = s->own;
  int n_hard = 0, n_soft = 0;
  for (int k = 0; k < w->n_now; k++) n_hard += w->now[k].impulse != 0.0;
  /* massless tips alone: a unit of speed each, of which only a small root will be taken */
  for (int k = 0; n_hard == 0 && k < w->n_now; k++) {
    if (!soft(vvi_event_pair(s, k))) continue;
    w->now[k].impulse = 1.0 / w->now[k].inverse;
    n_soft++;
  }
  memset(w->d, 0, sizeof(double) * (size_t)s->state->np);
  for (int k = 0; k < w->n_now; k++) {
    vvi_pair_pull(vvi_event_pair(s, k), s->state->q, w->now[k].impulse, w->d);
    if (vvi_event_pair(s, k)->friction > 0.0) vvi_pair_pull3(vvi_event_pair(s, k), s->state->q, w->now[k].slide, w->d);
  }
  return n_hard > 0 ? n_hard : -n_soft;
}

/* ---- pairs that press and hardly bounce ---- */

/* How a pair approaches and presses: speed u and acceleration a along the direction of time. */
static bool presses(const struct vv_step *s, const vvi_pair *c, double *u, double *a, double *inverse)
{
  const vvi_event_work *w = s->own;
  const double rounding = vvi_event_rounding(s, (int)(c - s->model->pairs->pair));
  const double direction = w->direction;
  *inverse = vvi_pair_inverse_mass(c, s->state->q);
  *u = direction * vvi_pair_rate(c, s->state->q, s->state->p);
  *a = vvi_pair_rate(c, s->state->q, w->f);
  return !soft(c) && *inverse > 0.0 && *a < 0.0 && *u <= rounding;
}

/* With e < 1 a pair that presses and approaches more slowly than one step of that acceleration gives would bounce ever
 * faster and lower.  With e = 1 bounces do not accumulate, but a pair that presses hard and hardly moves bounces thousands
 * of times in a step.  Both are lifted: thrown just high enough to come back at the end of the step,
 *   u+ = -a rest/2,   r = (u+ - u)/inverse mass.                                                              [bars 19]
 * At rest this is the weight of the step and changes no energy.  What it gains is borrowed: it stands as the pair's debt
 * (contact energy, negative) until its next bounces, for e < 1 its next losses, pay it back.                    [bars 19a] */
static bool lifts(const struct vv_step *s, const vvi_pair *c, double u, double a)
{
  const vvi_event_work *w = s->own;
  const double slow =
      fabs(a * s->h) * (c->restitution < 1.0 ? 1.0 : 1e-9) + vvi_event_rounding(s, (int)(c - s->model->pairs->pair));
  return -u <= slow || (c->restitution == 1.0 && w->events > EVENT_CHATTER);
}

void vvi_event_lifted(struct vv_step *s, int k, double t, double impulse, double gain)
{
  vvi_event_work *w = s->own;
  const vvi_pair *c = vvi_event_pair(s, k);
  const double speed = vvi_pair_rate(c, s->state->q, s->state->p);
  if (s->lends) vvi_note_loan(s, 0.0, gain);
  if (c->restitution == 1.0)
    *debt_of(s, w->now[k].pair) -= gain;
  else
    vvi_pair_lose(s, c, -gain, &s->ledger->posted.step_loss);
  vvi_tell_pair(s, c, t, impulse, NULL, c->restitution < 1.0 ? -gain : 0.0);
  vvi_pair_pull(c, s->state->q, impulse, s->state->p);
  vvi_pair_post(c, s->state->q, s->state->p, impulse, &s->ledger->posted);
  if (s->ledger->held++ == 0) vvi_log_add(s, c, "hold", t, speed, impulse); /* later ones are only counted */
  w->touch[w->now[k].pair] = HELD;
}

/* A curved pair that approaches so slowly that it only rests, or bounces for ever.  Its acceleration is that of its flight,
 * turning included: gap(rest) = gap + u rest + a rest^2/2. */
static bool settles(struct vv_step *s, int i, double rest)
{
  const vvi_event_work *w = s->own;
  const vvi_pair *c = &s->model->pairs->pair[i];
  const double u = w->direction * vvi_pair_rate(c, s->state->q, s->state->p), length = fabs(rest);
  if (vvi_pair_inverse_mass(c, s->state->q) <= 0.0) return false;
  const int many = c->restitution < 1.0 ? EVENT_CHATTER / 4 : EVENT_CHATTER;
  if ((w->when[i] == 0.0 && w->events > 2) || w->events > many) return true; /* it does not come off */
  if (u > vvi_event_rounding(s, i)) return false;
  const double now = vvi_pair_gap(c, s->state->q), then = vvi_event_gap_after(s, c, s->state->p, rest);
  const double a = (then - now - u * length) / (0.5 * length * length);
  return a < 0.0 && lifts(s, c, u, a);
}

static void lift(struct vv_step *s, double t, double rest)
{
  vvi_event_work *w = s->own;
  const double direction = w->direction;
  for (int k = 0; rest != 0.0 && k < w->n_now; k++) {
    const vvi_pair *c = vvi_event_pair(s, k);
    double u, a, inverse;
    if (c->curved) { /* held instead of lifted, see rest.c */
      if (!settles(s, w->now[k].pair, rest)) continue;
      if (vvi_event_varies(s)) vvi_variation_stop(s, t);
      vvi_event_rest_capture(s, w->now[k].pair, t);
      w->touch[w->now[k].pair] = HELD;
      continue;
    }
    if (!presses(s, c, &u, &a, &inverse) || !lifts(s, c, u, a)) continue;
    const double r = direction * (-0.5 * a * fabs(rest) - u) / inverse;
    if (vvi_event_varies(s)) vvi_variation_stop(s, t);
    vvi_event_lifted(s, k, t, r, r * (direction * u + 0.5 * inverse * r));
  }
}

double vvi_event_debt(const struct vv_step *s)
{
  double sum = 0.0;
  for (int i = 0; i < s->model->pairs->n; i++) sum += *debt_of(s, i);
  return sum;
}

/* Pair k bounces, and pays with that: with e = 1, or where cuts may lend more than its losses are. */
static bool pays_by_bounces(const struct vv_step *s, int k)
{
  const vvi_event_work *w = s->own;
  return w->now[k].impulse != 0.0 && (vvi_event_pair(s, k)->restitution == 1.0 || s->lends);
}

/* Empties the debts of the pairs that pay by bounces; returns what they were. */
double vvi_event_withdraw(struct vv_step *s)
{
  vvi_event_work *w = s->own;
  double sum = 0.0;
  for (int k = 0; k < w->n_now; k++) {
    if (!pays_by_bounces(s, k)) continue;
    sum += *debt_of(s, w->now[k].pair);
    *debt_of(s, w->now[k].pair) = 0.0;
  }
  return sum;
}

/* r of a bounce along d that also settles a debt: a r^2/2 + b r = -owed; what cannot be paid stays a debt.
 * Without debt r = -2 b/a. */
double vvi_event_pay(struct vv_step *s, double a, double b, double owed)
{
  vvi_event_work *w = s->own;
  if (owed == 0.0) return -2.0 * b / a;
  double small, large;
  if (vvi_quadratic(0.5 * a, b, owed, &small, &large)) return large;
  for (int k = 0; k < w->n_now; k++) {
    if (!pays_by_bounces(s, k)) continue;
    *debt_of(s, w->now[k].pair) = -(owed - 0.5 * b * b / a);
    break;
  }
  return -b / a;
}

static void log_pair(struct vv_step *s, int k, double t, double impulse)
{
  const vvi_event_work *w = s->own;
  const vvi_pair *c = vvi_event_pair(s, k);
  const char *kind = !soft(c) || w->now[k].turned ? "bounce" : s->state->memory[w->now[k].pair] != 0.0 ? "on" : "off";
  vv_event *e = vvi_log_add(s, c, kind, t, soft(c) ? w->now[k].rate : w->now[k].speed, impulse);
  if (e == NULL) return;
  e->energy_jump = -w->now[k].loss - w->now[k].rubbed;
  e->tangential_impulse = vvi_norm3(w->now[k].slide);
}

/* Kinetic energy across the jump: sum of j.(w- + w+)/2 is what was booked, or the event has a residual. */
static void weigh(struct vv_step *s, int64_t first, double scale)
{
  vvi_event_work *w = s->own;
  double change = 0.0, exchanged = 0.0; /* a body that started at rest has no scale of its own before the first audit */
  for (int k = 0; k < w->n_now; k++) {
    const vvi_pair *c = vvi_event_pair(s, k);
    const vvi_event_contact *b = &w->now[k];
    if (w->touch[w->now[k].pair] == HELD || soft(c)) continue;
    exchanged += fabs(scale * b->impulse * b->speed);
    change += 0.5 * scale * b->impulse * (b->speed + vvi_pair_rate(c, s->state->q, s->state->p)) + b->loss;
    if (c->friction <= 0.0) continue;
    double after[3];
    vvi_pair_velocity(c, s->state->q, s->state->p, after);
    for (int i = 0; i < 3; i++) change += 0.5 * b->slide[i] * (b->velocity[i] + after[i]);
    change += b->rubbed;
  }
  const double whole = fmax(s->ledger->energy_scale, exchanged);
  const double residual = whole > 0.0 ? fabs(change) / whole : fabs(change);
  for (int64_t i = first; i < s->log->n; i++) s->log->event[i].residual = residual;
  if (scale == 1.0) s->ledger->max_event_residual = fmax(s->ledger->max_event_residual, residual);
}

/* Of what the pairs of this instant lost together (or brought: negative) as much goes to their debts as they owe; the last of
 * them gets the rest.  With e = 1 debts are paid by the bounce itself. */
static void lose(struct vv_step *s, double lost, vv_sum *to)
{
  const vvi_event_work *w = s->own;
  const vvi_pair *last = NULL;
  for (int k = 0; k < w->n_now; k++) {
    const vvi_pair *c = vvi_event_pair(s, k);
    if (w->now[k].impulse == 0.0 || w->touch[w->now[k].pair] == HELD) continue;
    const double part = c->restitution < 1.0 ? fmin(lost, fmax(0.0, -*vvi_pair_debt(s, c))) : 0.0;
    if (part > 0.0) vvi_pair_lose(s, c, part, to), lost -= part;
    if (last == NULL || c->restitution < 1.0) last = c;
  }
  if (lost > 0.0 || last == NULL)
    vvi_sum_add(to, lost);
  else
    vvi_pair_lose(s, last, lost, to);
}

/* Normal parts and friction act in one instant: what one of them brings the other has lost. */
static void lose_both(struct vv_step *s, double loss, double rubbed)
{
  vv_posted *post = &s->ledger->posted;
  const double over = fmin(fmax(-loss, 0.0), fmax(rubbed, 0.0)) - fmin(fmax(loss, 0.0), fmax(-rubbed, 0.0));
  if (loss + over != 0.0) lose(s, loss + over, &post->restitution_loss);
  if (rubbed - over != 0.0) lose(s, rubbed - over, &post->friction_loss);
}

void vvi_event_apply(struct vv_step *s, double t, double scale, double loss)
{
  vvi_event_work *w = s->own;
  const int64_t first = s->log->n;
  double rubbed = 0.0;
  for (int k = 0; k < w->n_now; k++) {
    if (w->touch[w->now[k].pair] == HELD) continue;
    const double r = scale * w->now[k].impulse;
    vvi_tell_pair(s, vvi_event_pair(s, k), t, r, vvi_event_pair(s, k)->friction > 0.0 ? w->now[k].slide : NULL,
                  w->now[k].loss + w->now[k].rubbed);
    vvi_pair_post(vvi_event_pair(s, k), s->state->q, s->state->p, r, &s->ledger->posted);
    if (vvi_event_pair(s, k)->friction > 0.0) {
      vvi_pair_post3(vvi_event_pair(s, k), s->state->q, s->state->p, w->now[k].slide, &s->ledger->posted);
      rubbed += w->now[k].rubbed;
    }
    log_pair(s, k, t, r);
    w->fast[w->now[k].pair] = fmax(w->fast[w->now[k].pair], fabs(w->now[k].speed));
    w->touch[w->now[k].pair] = TOUCHING;
  }
  vvi_axpy(s->state->np, scale, w->d, s->state->p);
  lose_both(s, loss, rubbed);
  if (s->jump == VVI_NODAL) weigh(s, first, scale);
}

/* ---- slab: E_d of the coming slab equals E_d of the last one ---- */

/* The direction's fixed parts: x = M^-1 d and k = K x with the springs that act after the event. */
static void prepare_direction(struct vv_step *s)
{
  vvi_event_work *w = s->own;
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
  vvi_event_work *w = s->own;
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
  vvi_event_force(s, t + h, w->q1, w->f1);
  b -= 0.5 * h * dot(n, w->x, w->f1);
  const double a = 0.5 * dot(n, w->d, w->x) + 0.25 * h * h * dot(n, w->x, w->k);
  double small, large;
  if (!vvi_quadratic(a, b, at_q.kinetic + v_mean - w->target, &small, &large)) return false;
  *r = bounce ? large : small;
  return true;
}

/* a.M^-1 b, from kinetic energies: (K(a + b) - K(a - b))/2. */
static double metric(struct vv_step *s, const double *a, const double *b)
{
  vvi_event_work *w = s->own;
  vv_totals up, down;
  for (int64_t i = 0; i < s->state->np; i++) w->f1[i] = a[i] + b[i];
  vvi_sys_audit(s->model, s->state->q, w->f1, &up);
  for (int64_t i = 0; i < s->state->np; i++) w->f1[i] = a[i] - b[i];
  vvi_sys_audit(s->model, s->state->q, w->f1, &down);
  return 0.5 * (up.kinetic - down.kinetic);
}

/* Energy of the slab of length h that follows p- + r d, all bodies as they are. */
static double energy_of_slab(struct vv_step *s, const double *p_minus, double h, double r)
{
  vvi_event_work *w = s->own;
  const vv_state *st = s->state;
  vv_totals at_q, at_q1;
  for (int64_t i = 0; i < st->np; i++) w->f1[i] = p_minus[i] + r * w->d[i];
  vvi_axpy(st->np, 0.5 * h, w->f, w->f1);
  const double kinetic = vvi_drift_energy(s->model, h, st->q, w->f1);
  memcpy(w->q1, st->q, sizeof(double) * (size_t)st->nq);
  vvi_sys_audit(s->model, st->q, w->f1, &at_q);
  vvi_sys_drift(s->model, h, w->q1, w->f1);
  vvi_sys_audit(s->model, w->q1, w->f1, &at_q1);
  return kinetic + 0.5 * (at_q.strain + at_q.potential + at_q1.strain + at_q1.potential);
}

/* The slab that is about to begin, as if nothing touched in it: what the books are opened with. */
double vvi_event_coming_slab(struct vv_step *s)
{
  vvi_event_work *w = s->own;
  vvi_event_force(s, s->state->t, s->state->q, w->f);
  memset(w->d, 0, sizeof(double) * (size_t)s->state->np);
  return energy_of_slab(s, s->state->p, s->h, 0.0);
}

/* Nonlinear bodies: the energy of the slab is almost linear in y = (r - r0)^2, with r0 the impulse of least energy; secant
 * in y from the reflection r = 1.                                                                       [contact 9] */
static bool solve_slab_curved(struct vv_step *s, const double *p_minus, double h, double *r)
{
  const vvi_event_work *w = s->own;
  const double r0 = -metric(s, p_minus, w->d) / metric(s, w->d, w->d);
  double y0 = (1.0 - r0) * (1.0 - r0), y1 = y0 * (1.0 + 1e-3);
  double e0 = energy_of_slab(s, p_minus, h, r0 + sqrt(y0)) - w->target;
  double e1 = energy_of_slab(s, p_minus, h, r0 + sqrt(y1)) - w->target;
  const double small = 2e-16 * fmax(fabs(w->target), w->slab.kinetic + w->slab.strain);
  double best = fabs(e0);
  *r = r0 + sqrt(y0);
  for (int it = 0; it < 40 && best > small; it++) {
    const double y2 = y1 - e1 * (y1 - y0) / (e1 - e0);
    if (!(y2 >= 0.0) || y2 == y1) break;
    y0 = y1, e0 = e1, y1 = y2;
    e1 = energy_of_slab(s, p_minus, h, r0 + sqrt(y1)) - w->target;
    if (fabs(e1) < best) best = fabs(e1), *r = r0 + sqrt(y1);
  }
  return best <= 20.0 * small;
}

/* Length of the coming slab, to the next event or to the end of the step, if the impulse is solved for `length`. */
static bool slab_length(struct vv_step *s, const double *p_minus, double t, double rest, double length, bool bounce,
                        double *r, double *cut)
{
  vvi_event_work *w = s->own;
  vv_state *st = s->state;
  const bool linear = (vvi_sys_claims(s->model) & VV_LINEAR) != 0;
  if (!(linear ? solve_slab(s, p_minus, t, length, bounce, r) : solve_slab_curved(s, p_minus, length, r))) return false;
  for (int64_t i = 0; i < st->np; i++) st->p[i] = p_minus[i] + *r * w->d[i];
  for (int k = 0; k < w->n_now; k++)
    if (w->touch[w->now[k].pair] != HELD) w->touch[w->now[k].pair] = TOUCHING;
  const double next = vvi_event_next(s, rest);
  *cut = next == INFINITY ? rest : copysign(next, rest);
  return true;
}

/* Another event may cut the coming slab short; then its length and r depend on each other.                     [bars 14]
 * The length hardly changes r, so plain iteration mostly settles; where it flips to and fro, the sign of cut - length is
 * bracketed.  What does not settle then is a next event that appears and disappears with r: no balance exists. */
static bool solve_coupled(struct vv_step *s, double t, double rest, bool bounce, double *r)
{
  vvi_event_work *w = s->own;
  vv_state *st = s->state;
  double *p_minus = w->p1, length = rest, cut = rest, lo = 0.0, hi = fabs(rest);
  memcpy(p_minus, st->p, sizeof(double) * (size_t)st->np);
  bool solved = true, settled = false;
  for (int it = 0; it < 120 && solved && !settled; it++) {
    solved = slab_length(s, p_minus, t, rest, length, bounce, r, &cut);
    settled = solved && fabs(cut - length) <= 4e-16 * fabs(s->h);
    if (!solved || settled) break;
    if (fabs(cut) > fabs(length))
      lo = fabs(length);
    else
      hi = fabs(length);
    const bool inside = fabs(cut) > lo && fabs(cut) < hi;
    length = copysign(it < 8 && inside ? fabs(cut) : 0.5 * (lo + hi), rest);
  }
  memcpy(st->p, p_minus, sizeof(double) * (size_t)st->np);
  return solved && settled;
}

/* Sum of the losses that restitution asks for. */
static double wanted_loss(const struct vv_step *s, bool *elastic)
{
  const vvi_event_work *w = s->own;
  double sum = 0.0;
  *elastic = true;
  for (int k = 0; k < w->n_now; k++) {
    sum += w->now[k].loss;
    if (w->now[k].impulse != 0.0 && vvi_event_pair(s, k)->restitution == 0.0) *elastic = false;
  }
  return sum;
}

/* Variation of the impulse: fixed by the coming slab where its energy equation was solved; else that of the bounce,
 * dr = -(1 + e) du/a, and none at massless tips. */
static void vary_jump(struct vv_step *s, bool open)
{
  vvi_event_work *w = s->own;
  const vvi_pair *c = vvi_event_pair(s, 0);
  if (!vvi_event_varies(s)) return;
  if (open) {
    vvi_variation_jump_open(s, c);
    return;
  }
  double dr[VARY_U] = {0.0, 0.0};
  const double a = vvi_pair_inverse_mass(c, s->state->q);
  for (int k = 0; k < VARY_U && !soft(c); k++)
    dr[k] = -(1.0 + c->restitution) * vvi_pair_rate(c, s->state->q, s->vary->dp[k]) / a;
  if (w->touch[w->now[0].pair] != HELD) vvi_variation_jump(s, c, dr);
}

/* Scale of d for a bounce of one instant that settles a debt in the kinetic energy, less the work of what is driven: b is that of
 * the relative velocities.  At massless tips, which turn nothing around, the small root. */
static double nodal_payment(struct vv_step *s, double owed, bool bounces)
{
  vvi_event_work *w = s->own;
  const double a = metric(s, w->d, w->d);
  double b = 0.0, small, large;
  for (int k = 0; k < w->n_now; k++) {
    const vvi_event_contact *now = &w->now[k];
    b += now->impulse * now->rate + vvi_dot3(now->slide, now->velocity);
  }
  return !bounces && vvi_quadratic(0.5 * a, b, owed, &small, &large) ? small : vvi_event_pay(s, a, b, owed);
}

void vvi_event_jump(struct vv_step *s, double t, double rest)
{
  vvi_event_work *w = s->own;
  if (vvi_event_toggle(s) > 0) vvi_event_force(s, t, s->state->q, w->f);
  lift(s, t, rest);
  if (s->model->pairs->n_curved > 0) vvi_event_rest_gather(s);
  measure(s);
  bool has_root;
  const double loss = wanted_loss(s, &has_root);
  const int n = vvi_event_direction(s);
  const bool pays = n > 0 || (n < 0 && s->lends);
  const double owed = pays ? -vvi_event_withdraw(s) : 0.0;
  double r = n > 0 ? 1.0 : 0.0; /* nodal: the bounce of one instant; a soft pair just opens or closes */
  if (owed != 0.0) r = nodal_payment(s, owed + loss, n > 0);
  const int64_t first = s->log->n;
  bool open = false;
  const bool printed = n < 0 && s->on_off_printed; /* no impulse, whatever it costs: only told */
  if (printed) {
    w->target = vv_totals_energy(&w->slab);
    w->solved = false, w->first_open = first;
    if (vvi_event_varies(s)) vvi_variation_stop(s, t);
  }
  if (s->jump == VVI_SLAB && n != 0 && has_root && !printed) {
    w->target = vv_totals_energy(&w->slab) - loss - owed;
    if ((vvi_sys_claims(s->model) & VV_LINEAR) != 0) prepare_direction(s);
    w->solved = solve_coupled(s, t, rest, n > 0, &r);
    if (!w->solved) { /* grazing: no momentum balances the slabs; the structure ends here */
      s->ledger->fallbacks++;
      r = n <= 0 ? 0.0 : owed != 0.0 ? nodal_payment(s, owed + loss, true) : 1.0;
      if (vvi_event_varies(s)) vvi_variation_stop(s, t);
    }
    w->first_open = first;
    open = w->solved;
  }
  if (n != 0) vary_jump(s, open);
  if (n != 0)
    vvi_event_apply(s, t, r, loss);
  else
    for (int k = 0; k < w->n_now; k++) w->touch[w->now[k].pair] = w->touch[w->now[k].pair] == HELD ? HELD : TOUCHING;
}
