/* step/kdk.c  See kdk.h.
 *
 * Soft pairs (massless tips) are one-sided springs.  Hard pairs of tips answer at whole steps by the decomposition response: the
 * normal part of the momentum is turned around, everything else is left alone, at a frozen configuration:
 *
 *   p+ = p- - (1 + e) (n.v)/(n.M^-1 n) n   if the pair approaches.                                            [bars 15] */
#include "step/kdk.h"

#include "contact/joints.h"
#include "math/math.h"
#include "step/accelerate.h"
#include "step/contact.h"
#include "step/variation.h"

#include <math.h>
#include <string.h>

/* Bodies whose flight keeps their energy, under constant forces alone: so does the whole step. */
static bool flies_exactly(const vv_model *m)
{
  for (int i = 0; i < m->n_block; i++)
    if (m->block[i].nodes > 0 && ((m->block[i].claims & VV_KEEPS_ENERGY) == 0 || m->block[i].n_load > 0)) return false;
  return true;
}

vv_status vvi_kdk_prepare(struct vv_step *s, vvi_kdk *k)
{
  const vv_model *m = s->model;
  k->f = VVI_ARENA_NEW(s->arena, double, s->state->np);
  k->z = VVI_ARENA_NEW(s->arena, double, s->state->np);
  if (k->f == NULL || k->z == NULL) return VV_NOMEM;
  k->keep = (s->contact != NULL && s->contact->forced) || s->joints != NULL, k->steady = vvi_sys_steady(m);
  const bool linear = s->joints == NULL && s->composition->stages == 1 && (vvi_sys_claims(m) & VV_LINEAR) != 0;
  k->mends = linear && m->stepper == &vv_leapfrog_stepper && m->pairs->n_soft > m->pairs->n_layer;
  k->modified = linear && (m->pairs->n_soft == 0 || k->mends);
  if (m->driven && m->pairs->n_hard > 0 && (k->driven = VVI_ARENA_NEW(s->arena, double, m->pairs->n)) == NULL)
    return VV_NOMEM;
  if (m->viscous && m->pairs->n_hard > 0 && (k->hidden = VVI_ARENA_NEW(s->arena, double, m->pairs->n)) == NULL)
    return VV_NOMEM;
  if (k->mends && (k->turned = VVI_ARENA_NEW(s->arena, int, m->pairs->n)) == NULL) return VV_NOMEM;
  if (m->stepper == &vv_leapfrog_stepper && s->composition->stages == 1 && m->pairs->n_hard > 0)
    VV_TRY(vvi_shadow_create(m, s->arena, fabs(s->h), &k->shadow));
  k->holds = m->stepper == &vv_leapfrog_stepper && s->composition->stages == 1 && m->pairs->n_hard > 0 && !k->modified;
  s->lends = m->stepper == &vv_leapfrog_stepper && m->pairs->n > m->pairs->n_layer;
  s->bears = m->stepper == &vv_leapfrog_stepper && s->contact != NULL && s->contact->forced;
  if (s->bears && (s->drive = VVI_ARENA_NEW(s->arena, double, s->state->np)) == NULL) return VV_NOMEM;
  k->idle = !vvi_sys_booked(m) && m->pairs->n_soft == 0;
  k->coasts = k->idle && flies_exactly(m) && !k->keep;
  s->energy = k->modified ? "modified" : "nodal";
  s->exact = k->modified || flies_exactly(m);
  return VV_OK;
}

/* What is led feels what its motion takes: drives add what its own forces leave of that.                        [rigid 19] */
static void lead(struct vv_step *s, double *f)
{
  for (int64_t i = 0; i < s->n_led; i++) {
    const vvi_led *k = &s->led[i];
    const vv_block *b = &s->model->block[k->block];
    double own[VVI_NODE_P], drive[VVI_NODE_P] = {0};
    vvi_node_momenta(b, k->node, f, own);
    for (int c = 0; c < 3; c++) drive[c] = k->force[c] - own[c], own[c] = k->force[c];
    vvi_node_put(b, k->node, own, f);
    vvi_node_put(b, k->node, drive, s->drive);
  }
}

/* Impulse and work of these drives: p is that of the drift. */
static void book_drives(struct vv_step *s, double h)
{
  vv_posted *post = &s->ledger->posted;
  for (int64_t i = 0; i < s->n_led; i++) {
    const vvi_led *k = &s->led[i];
    const vv_block *b = &s->model->block[k->block];
    double j[VVI_NODE_P];
    vv_mover at;
    vvi_node_momenta(b, k->node, s->drive, j);
    b->kind->mover(b, k->node, s->state->q + b->q0, s->state->p + b->p0, &at);
    for (int c = 0; c < 3; c++) j[c] *= h;
    vvi_post_impulse(post, at.place, j);
    vvi_sum_add(&post->external_work, vvi_dot3(j, at.velocity));
  }
}

/* Is the kept force that of now? */
static bool knows_force(const vvi_kdk *k, double t)
{
  return k->keep && k->known && (k->steady || k->known_at == t);
}

const double *vvi_kdk_force(struct vv_step *s, vvi_kdk *w, double t)
{
  if (knows_force(w, t)) return w->f;
  if (s->accelerator != NULL) {
    vvi_device_force(s, t, w->f);
  } else {
    vvi_momenta_zero(s->model, w->f);
    vvi_sys_kick(s->model, t, 1.0, s->state->q, w->f);
  }
  vvi_springs_kick(s->model, s->state->memory, 1.0, s->state->q, w->f);
  lead(s, w->f);
  w->known = true, w->known_at = t;
  return w->f;
}

/* ---- decomposition response of hard pairs ---- */

/* Both sides of an impulse: the bodies' momenta, the books for what is held; the histories are told what it took. */
static void push(struct vv_step *s, const vvi_pair *c, double t, double r, double lost)
{
  vvi_tell_pair(s, c, t, r, NULL, lost);
  vvi_pair_post(c, s->state->q, s->state->p, r, &s->ledger->posted);
  vvi_pair_pull(c, s->state->q, r, s->state->p);
}

/* What a pair feels: its rate and its inverse mass, in the energy that the flight of its bodies keeps. */
typedef struct feel {
  double speed, inverse; /* m/s, 1/kg */
} feel;

static feel plain_feel(const struct vv_step *s, const vvi_pair *c)
{
  return (feel){vvi_pair_rate(c, s->state->q, s->state->p), vvi_pair_inverse_mass(c, s->state->q)};
}

typedef struct gap_sum {
  const vvi_pair *pair;
  const vvi_shadow_fit *fit;
  double sum;
} gap_sum;

/* The rate of the interpolated motion, above that of the momenta. */
static void add_gap(void *user, int step, double h, const double *q, const double *p)
{
  gap_sum *g = user;
  (void)p;
  g->sum += (g->fit->c[step] - (step == 1 ? 0.5 : 0.0)) / h * vvi_pair_gap(g->pair, q);
}

/* Of the two bodies of a pair. */
static const vvi_shadow_fit *fit_of(const vvi_shadow *k, const vvi_pair *c)
{
  const vv_model *m = k->model;
  double ratio = 0.0;
  for (int side = 0; side < 2; side++) {
    const vv_body *body = &m->body[side == 0 ? c->patch_a->body : c->patch_b->body];
    if (body->n_node > 0) ratio = fmax(ratio, vvi_shadow_ratio(k, body->block, body->node0));
  }
  return vvi_shadow_fit_of(k, ratio, c->restitution == 1.0 ? VVI_SHADOW_EXACT : VVI_SHADOW_LOSSY);
}

static double excess(const struct vv_step *s, const vvi_kdk *k, const vvi_pair *c, double t, double h, const double *p)
{
  gap_sum g = {.pair = c, .fit = fit_of(k->shadow, c)};
  void *const user[1] = {&g};
  k->shadow->trials = g.fit->trials;
  vvi_shadow_fly(k->shadow, &(vvi_shadow_flight){.t = t, .h = h, .q = s->state->q, .p = p, .f = k->f}, 1, add_gap,
                 user);
  return g.sum;
}

/* Bars that are not linear: the same response with B for the inverse mass.                                [shadow 3, 5] */
static feel shadow_feel(const struct vv_step *s, const vvi_kdk *k, const vvi_pair *c, double t, double h)
{
  const feel f = plain_feel(s, c);
  double *p = k->shadow->start;
  const double trial = -2.0 * f.speed / f.inverse, at = excess(s, k, c, t, h, s->state->p);
  if (!(f.inverse > 0.0) || trial == 0.0) return f;
  memcpy(p, s->state->p, sizeof *p * (size_t)s->state->np);
  vvi_pair_pull(c, s->state->q, trial, p);
  const double more = (excess(s, k, c, t, h, p) - at) / trial;
  const bool sound = isfinite(at) && fabs(more) < 0.5 * f.inverse; /* the trial steps still mean something */
  return sound ? (feel){f.speed + at, f.inverse + more} : f;
}

/* An approaching pair gets the impulse of its response; in a run backwards "approaching" is the other way round.  A pair
 * with e = 1 that has borrowed energy (below) pays it back: a r^2/2 + u r = debt; others pay with what they lose. */
static double respond(struct vv_step *s, const vvi_pair *c, double t, double direction, feel at)
{
  const double approach = direction * at.speed;
  double impulse, loss, small, large, *debt = vvi_pair_debt(s, c);
  vvi_reflect(approach, at.inverse, c->restitution, &impulse, &loss);
  if (impulse == 0.0) return 0.0;
  if (c->restitution < 1.0)
    vvi_pair_lose(s, c, loss, &s->ledger->posted.restitution_loss);
  else if (*debt != 0.0 && vvi_quadratic(0.5 * at.inverse, approach, -*debt, &small, &large))
    impulse = large, *debt = 0.0;
  else if (*debt != 0.0)
    impulse = -approach / at.inverse, *debt += 0.5 * approach * approach / at.inverse;
  push(s, c, t, direction * impulse, loss);
  vv_event *e = vvi_log_add(s, c, "bounce", t, at.speed, direction * impulse);
  if (e != NULL) e->energy_jump = -loss;
  return direction * impulse;
}

void vvi_kdk_respond(struct vv_step *s, const vvi_pair *c, double t, double direction)
{
  respond(s, c, t, direction, plain_feel(s, c));
}

/* A pair that was held answers otherwise: at whole steps it has half a kick more than the energy of what is held says, and that
 * is booked.  Its gap is closed.                                                                           [shadow 8b] */
static void let_go(struct vv_step *s, const vvi_pair *c, double pressed, feel at)
{
  double *hold = vvi_pair_hold(s, c);
  if (*hold != VVI_PAIR_HELD) return;
  const double r = pressed / at.inverse;
  vvi_pair_lose(s, c, vvi_held_energy(pressed, at.inverse) - r * (at.speed - 0.5 * at.inverse * r),
                &s->ledger->posted.step_loss);
  *hold = VVI_PAIR_CLOSED;
}

/* What a drive that changes its velocity by dv does against what pushes it: r dv/2, half of it before and half of it behind the change,
 * where the books of the impulse have all of it behind.                                                    [bars 19e] */
static double drive_gains(struct vv_step *s, const vvi_kdk *k, const vvi_pair *c, double r)
{
  if (k->driven == NULL || *vvi_pair_hold(s, c) == VVI_PAIR_APART) return 0.0;
  const double work = 0.5 * r * k->driven[c - s->model->pairs->pair];
  vvi_sum_add(&s->ledger->posted.external_work, work);
  return work;
}

/* The pair would still meet within the drift, pressed together by the half kick: it gets the smallest impulse that keeps
 * the gap.  At rest that is the weight of the step and changes no energy over two steps; what it gains is lent to the pair.
 * Where it begins to be held the kick to come is no motion, and is left out of what it gains.      [bars 19, 19a, shadow 8b] */
static void keep_apart(struct vv_step *s, const vvi_kdk *k, const vvi_pair *c, double t, double h, double gap_ahead,
                       double pressed, feel at)
{
  const double inverse = vvi_pair_inverse_mass(c, s->state->q);
  if (inverse <= 0.0) return;
  double *hold = vvi_pair_hold(s, c);
  const bool lands = *hold == VVI_PAIR_CLOSED;
  const double r = -gap_ahead / (h * inverse), moves = lands ? r + pressed / inverse : r,
               gained = moves * (at.speed + 0.5 * at.inverse * moves) +
                        (lands ? vvi_held_energy(pressed, inverse) : 0.0) - drive_gains(s, k, c, r);
  vvi_note_loan(s, gained, gained);
  if (c->restitution < 1.0)
    vvi_pair_lose(s, c, -gained, &s->ledger->posted.step_loss);
  else
    *vvi_pair_debt(s, c) -= gained;
  push(s, c, t, r, c->restitution < 1.0 ? -gained : 0.0);
  if (!k->holds) *hold = VVI_PAIR_KEPT;
  if (k->holds && c->restitution < 1.0) *hold = *hold == VVI_PAIR_APART ? VVI_PAIR_CLOSED : VVI_PAIR_HELD;
  if (s->ledger->held++ == 0) vvi_log_add(s, c, "hold", t, at.speed, r); /* later ones are only counted */
}

/* Gap of a pair of tips after the coming drift: a parabola. */
static double gap_ahead(struct vv_step *s, const vvi_pair *c, double h, double pressed)
{
  const vv_state *x = s->state;
  return vvi_pair_gap(c, x->q) + h * (vvi_pair_rate(c, x->q, x->p) + pressed);
}

/* One pair that the coming drift would make penetrate answers now.  k->f: the force here. */
static void look_ahead(struct vv_step *s, const vvi_kdk *k, const vvi_pair *c, double t, double h)
{
  const double pressed = 0.5 * h * vvi_pair_rate(c, s->state->q, k->f);
  double *hold = vvi_pair_hold(s, c), ahead = gap_ahead(s, c, h, pressed);
  if (ahead >= 0.0) {
    if (*hold != VVI_PAIR_APART) let_go(s, c, pressed, plain_feel(s, c));
    *hold = VVI_PAIR_APART;
    return;
  }
  const double slow = c->restitution < 1.0 ? fabs(2.0 * pressed) : 0.0; /* too slow to bounce: it only rests */
  feel at = plain_feel(s, c);
  const bool bounces = fabs(at.speed) > slow;
  if ((bounces || *hold != VVI_PAIR_HELD) && k->shadow != NULL) at = shadow_feel(s, k, c, t, h);
  if (bounces) {
    if (k->shadow != NULL)
      s->ledger->posted.stray +=
          pow(fit_of(k->shadow, c)->error * at.speed, 2.0) * at.speed * at.speed / (at.inverse * at.inverse);
    let_go(s, c, pressed, at);
    at.speed += at.inverse * respond(s, c, t, h < 0.0 ? -1.0 : 1.0, at);
    ahead = gap_ahead(s, c, h, pressed);
  }
  if (ahead < 0.0)
    keep_apart(s, k, c, t, h, ahead, pressed, at);
  else
    *hold = VVI_PAIR_APART;
}

/* Drives give their nodes the velocity of the coming step; how the rates of pairs change by that.  They also put them where the history
 * has them, which the drift missed by its rounding: a force that was kept belongs to other places, and a run that is resumed here has none. */
void vvi_kdk_drive(struct vv_step *s, vvi_kdk *k, double t, double h)
{
  const struct vvi_pairs *list = s->model->pairs;
  for (int i = 0; k->driven != NULL && i < list->n; i++)
    k->driven[i] = -vvi_pair_rate(&list->pair[i], s->state->q, s->state->p);
  vvi_sys_drive(s->model, t, h, s->state->q, s->state->p, &s->ledger->posted);
  for (int i = 0; k->driven != NULL && i < list->n; i++)
    k->driven[i] += vvi_pair_rate(&list->pair[i], s->state->q, s->state->p);
  if (s->model->driven) k->known = false;
}

/* Before the drift: it is known exactly, so tips that it would make penetrate answer at the synchronous state.  Positions are
 * never moved: potential energy is untouched and, for e = 1, so is the kinetic one. */
static void anticipate(struct vv_step *s, vvi_kdk *k, double t, double h)
{
  const struct vvi_pairs *list = s->model->pairs;
  const double *f = NULL;
  for (int i = 0; i < list->n; i++) {
    if (list->pair[i].compliance > 0.0 || list->pair[i].projection != VVI_ANTICIPATE) continue;
    if (f == NULL) f = vvi_kdk_force(s, k, t);
    look_ahead(s, k, &list->pair[i], t, h);
  }
}

/* ---- pairs that are held, and what damps ---- */

static bool is_held(const struct vv_step *s, const vvi_pair *c)
{
  return c->compliance <= 0.0 && c->projection == VVI_ANTICIPATE && *vvi_pair_hold(s, c) != VVI_PAIR_APART;
}

/* A medium and dashpots resist what moves, and what is held does not: before they act its half kick is taken off, and k->hidden
 * remembers it.                                                                                             [bars 19d] */
static void hide_held(struct vv_step *s, vvi_kdk *k)
{
  const struct vvi_pairs *list = s->model->pairs;
  for (int i = 0; k->hidden != NULL && i < list->n; i++) {
    const vvi_pair *c = &list->pair[i];
    const double inverse = is_held(s, c) ? vvi_pair_inverse_mass(c, s->state->q) : 0.0;
    k->hidden[i] = inverse > 0.0 ? vvi_pair_rate(c, s->state->q, s->state->p) / inverse : 0.0;
    if (k->hidden[i] != 0.0) vvi_pair_pull(c, s->state->q, -k->hidden[i], s->state->p);
  }
}

/* And given back.  What dashpots gave such a tip in between is borne by what holds it, which does not pull: it gives up no more than it
 * pushes with.  What is not borne moves, and the half kick does work on that. */
static void show_held(struct vv_step *s, const vvi_kdk *k)
{
  const struct vvi_pairs *list = s->model->pairs;
  for (int i = list->n - 1; k->hidden != NULL && i >= 0; i--) {
    const vvi_pair *c = &list->pair[i];
    const double half = k->hidden[i], rate = half != 0.0 ? vvi_pair_rate(c, s->state->q, s->state->p) : 0.0;
    if (half == 0.0) continue;
    const double inverse = vvi_pair_inverse_mass(c, s->state->q), direction = s->h < 0.0 ? -1.0 : 1.0,
                 r = direction * half < 0.0 ? direction * fmax(-direction * rate / inverse, direction * half) : 0.0;
    vvi_sum_add(&s->ledger->posted.viscous_loss, -r * (rate + 0.5 * inverse * r) - half * (rate + inverse * r));
    if (r != 0.0) push(s, c, s->state->t, r, 0.0);
    vvi_pair_pull(c, s->state->q, half, s->state->p);
  }
}

/* ---- massless tips ---- */

/* Soft pairs: the springs of this configuration, and an event where one opened or closed.  What the trapezoidal rule leaves
 * there, with the gaps of both ends of the drift, is lent to the pair: k g0 g1/2 where it closed, less than nothing, and as much
 * the other way where it opened.                                                                            [bars 17a] */
static void close_springs(struct vv_step *s, vvi_kdk *k, double t, double h)
{
  const struct vvi_pairs *list = s->model->pairs;
  k->n_turned = 0;
  for (int i = 0; list->n_soft > 0 && i < list->n; i++) {
    const vvi_pair *c = &list->pair[i];
    if (c->compliance <= 0.0) continue;
    const double gap = vvi_pair_gap(c, s->state->q), now = gap < 0.0, rate = vvi_pair_rate(c, s->state->q, s->state->p);
    const bool turned = now != s->state->memory[i];
    s->state->memory[i] = now;
    if (turned && !k->mends) vvi_log_add(s, c, now != 0.0 ? "on" : "off", t, rate, 0.0);
    if (!turned || !k->mends) continue;
    const double left = (now != 0.0 ? 0.5 : -0.5) * (gap - h * rate) * gap / c->compliance;
    vvi_note_loan(s, fabs(left), 0.0);
    *vvi_pair_debt(s, c) -= left;
    k->turned[k->n_turned++] = i;
  }
}

/* The small root of a r^2/2 + u r = bank: the impulse that takes the energy out of the motion again, or brings it back.  A tip that
 * comes off too slowly to pay all of it pays what it has, and the rest the next time.                       [bars 17b] */
void vvi_kdk_settle(struct vv_step *s, vvi_kdk *k, double t)
{
  if (k->n_turned > 0 && s->vary != NULL && !s->vary->over) vvi_variation_stop(s, t);
  for (int i = 0; i < k->n_turned; i++) {
    const vvi_pair *c = &s->model->pairs->pair[k->turned[i]];
    const double speed = vvi_pair_rate(c, s->state->q, s->state->p), inverse = vvi_pair_inverse_mass(c, s->state->q);
    double *bank = vvi_pair_debt(s, c), r = 0.0, other;
    if (vvi_quadratic(0.5 * inverse, speed, -*bank, &r, &other))
      *bank = 0.0;
    else if (inverse > 0.0)
      r = -speed / inverse, *bank += 0.5 * speed * speed / inverse;
    vvi_log_add(s, c, s->state->memory[k->turned[i]] != 0.0 ? "on" : "off", t, speed, r);
    push(s, c, t, r, 0.0);
  }
  k->n_turned = 0;
}

void vvi_kdk_kick(struct vv_step *s, vvi_kdk *k, double t, double h)
{
  if (k->coasts) return;
  if (k->keep && !knows_force(k, t) && s->accelerator == NULL && s->model->pairs->n_soft == 0 && s->n_led == 0) {
    vvi_sys_force_kick(s->model, t, h, s->state->q, k->f, s->state->p);
    k->known = true, k->known_at = t;
    s->noted_force = k->f;
    return;
  }
  if (k->keep) {
    s->noted_force = vvi_kdk_force(s, k, t);
    if (s->accelerator != NULL)
      vvi_stay_push(s, h, s->noted_force);
    else
      vvi_momenta_axpy(s->model, h, s->noted_force, s->state->p);
    return;
  }
  vvi_sys_kick(s->model, t, h, s->state->q, s->state->p);
  vvi_springs_kick(s->model, s->state->memory, h, s->state->q, s->state->p);
}

void vvi_kdk_book(struct vv_step *s, double t, double h)
{
  if (s->accelerator != NULL)
    vvi_stay_post(s, t, h);
  else
    vvi_sys_post(s->model, t, h, s->state->q, s->state->p, &s->ledger->posted);
  vvi_springs_post(s->model, s->state->memory, h, s->state->q, s->state->p, &s->ledger->posted);
  vvi_tell_springs(s, t, h, s->state->q);
  book_drives(s, h);
}

/* Summed up for itself, so that a step that is like it posts the same. */
void vvi_kdk_book_half(struct vv_step *s, vvi_kdk *k, int half, double t, double h)
{
  if (k->idle && s->n_led == 0) return;
  if (s->contact == NULL || s->contact->rest.q == NULL) {
    vvi_kdk_book(s, t, h);
    return;
  }
  const vv_posted all = s->ledger->posted;
  s->ledger->posted = (vv_posted){0};
  vvi_kdk_book(s, t, h);
  k->book[half] = s->ledger->posted;
  s->ledger->posted = all;
  vvi_posted_add(&s->ledger->posted, &k->book[half]);
}

void vvi_kdk_book_again(struct vv_step *s, const vvi_kdk *k)
{
  for (int i = 0; i < 2; i++) vvi_posted_add(&s->ledger->posted, &k->book[i]);
}

/* Rigid bodies, beams, tips, surfaces, obstacles: the engine. */
vv_status vvi_kdk_answer(struct vv_step *s, vvi_kdk *k, double t, double h, bool may_halve, bool *halve, vv_report *r)
{
  *halve = false;
  anticipate(s, k, t, h);
  if (s->contact == NULL) return VV_OK;
  const double *f = s->contact->forced ? vvi_kdk_force(s, k, t) : NULL;
  VV_TRY(vvi_contact_answer(s, t, h, f, may_halve, halve, r));
  vvi_features_give(s->contact);
  return VV_OK;
}

/* What follows a drift.  The flow is taken with the force behind it where that is kept. */
static void after_drift(struct vv_step *s, vvi_kdk *k, double t, double h)
{
  vv_state *x = s->state;
  const bool both = k->keep && s->model->flows;
  if (both && s->accelerator != NULL)
    vvi_device_flow(s, t + h, h, k->f);
  else if (both) {
    vvi_momenta_zero(s->model, k->f);
    vvi_sys_flow_kick(s->model, t + h, h, x->q, x->p, k->f, &s->ledger->posted);
  } else
    vvi_sys_flow(s->model, h, x->q, x->p, &s->ledger->posted);
  if (s->contact != NULL) vvi_contact_drifted(s, h);
  close_springs(s, k, t + h, h);
  if (both) vvi_springs_kick(s->model, x->memory, 1.0, x->q, k->f);
  if (both) lead(s, k->f);
  k->known = both, k->known_at = t + h;
}

void vvi_kdk_drift(struct vv_step *s, vvi_kdk *k, double t, double h)
{
  if (s->accelerator != NULL)
    vvi_stay_drift(s, h);
  else
    vvi_sys_drift(s->model, h, s->state->q, s->state->p);
  after_drift(s, k, t, h);
}

/* Where nothing is booked between them, kick and drift are one pass, and where nobody looks behind the drift, the kick behind it, too. */
bool vvi_kdk_leap(struct vv_step *s, vvi_kdk *k, double t, double h)
{
  if (k->keep && k->idle && s->accelerator == NULL && s->n_led == 0) {
    const bool whole = s->vary == NULL && !s->model->flows;
    s->noted_force = vvi_kdk_force(s, k, t);
    vvi_sys_leap(s->model, t + h, 0.5 * h, h, whole ? 0.5 * h : 0.0, s->state->q, k->f, s->state->p);
    after_drift(s, k, t, h);
    k->known |= whole;
    return whole;
  }
  vvi_kdk_kick(s, k, t, 0.5 * h);
  vvi_kdk_book_half(s, k, 0, t, 0.5 * h);
  vvi_kdk_drift(s, k, t, h);
  return false;
}

/* Half of what a medium takes, on either side of a substep.  Joints go on holding.                                  [mat 11] */
static void damp(struct vv_step *s, vvi_kdk *k, double h)
{
  if (!s->model->viscous) return;
  hide_held(s, k);
  if (s->contact != NULL) vvi_contact_show(s);
  if (s->joints != NULL) vvi_joints_before_fade(s->joints, s->state->q, s->state->p);
  if (s->accelerator != NULL)
    vvi_stay_viscous(s, h);
  else
    vvi_sys_viscous(s->model, h, s->state->q, s->state->p, &s->ledger->posted);
  if (s->contact != NULL) vvi_contact_hide(s);
  if (s->joints != NULL) vvi_joints_fade(s->joints, s->state->q, s->state->p, &s->ledger->posted);
  show_held(s, k);
}

vv_status vvi_kdk_compose(struct vv_step *s, vvi_kdk *k, vvi_substep *substep, vv_report *r)
{
  double t = s->state->t;
  if (s->traction.nodes > 0) vvi_traction_begin(s->model, &s->traction, s->state->step, t);
  if (s->accelerator != NULL) vvi_stay_begin(s);
  for (int i = 0; i < s->composition->stages && r->reason == VV_REASON_DONE; i++) {
    const double h = s->composition->gamma[i] * s->h;
    damp(s, k, 0.5 * h);
    VV_TRY(substep(s, t, h, r));
    if (r->reason == VV_REASON_DONE) damp(s, k, 0.5 * h);
    t += h;
  }
  if (r->reason == VV_REASON_DONE) vvi_step_done(s);
  if (s->vary != NULL) vvi_variation_step_end(s);
  vvi_note_gaps(s);
  return VV_OK;
}

/* The last step found nothing near, and nothing is posted, shown or varied between steps. */
static bool may_cruise(const struct vv_step *s, const vvi_kdk *k)
{
  const struct vvi_contact_step *w = s->contact;
  if (w == NULL || s->accelerator == NULL || !k->keep || !k->idle || !k->known || !k->steady) return false;
  if (s->composition->stages != 1 || s->joints != NULL || s->vary != NULL || s->traction.nodes > 0 || s->n_led > 0)
    return false;
  return !s->model->flows && !s->model->viscous && w->features != NULL && w->quiet.booked && vvi_all_stay(s);
}

int64_t vvi_kdk_cruise(struct vv_step *s, const vvi_kdk *k, int64_t most)
{
  const int64_t n = may_cruise(s, k) ? vvi_features_cruise(s->contact, s->h, most) : 0;
  for (int64_t i = 0; i < n; i++) vvi_step_done(s);
  return n;
}

/* On linear bodies kick-drift-kick keeps H - (h^2/8) F.M^-1 F to rounding, with F all forces; a response at a frozen
 * configuration keeps it too, because it changes neither F nor (for e = 1) the kinetic energy.          [bars 4c, ledger 5] */
void vvi_kdk_audit(struct vv_step *s, vvi_kdk *w, vv_totals *sum)
{
  const int64_t n = s->state->np;
  sum->contact += vvi_pairs_lent(s);
  if (!w->modified) return;
  vvi_bring_down(s);
  memset(w->f, 0, sizeof(double) * (size_t)n);
  vvi_sys_kick(s->model, s->state->t, 1.0, s->state->q, w->f);
  vvi_springs_kick(s->model, s->state->memory, 1.0, s->state->q, w->f);
  sum->strain -= s->h * s->h * vvi_half_kick_energy(s, w->f, w->z);
}

void vvi_kdk_forget(struct vv_step *s, vvi_kdk *k)
{
  k->known = false;
  if (s->joints != NULL) vvi_joints_forget(s->joints);
  if (s->contact != NULL) vvi_contact_forget(s->contact);
}
