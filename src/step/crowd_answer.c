/* step/crowd_answer.c  Impulses of contacts that would overlap, at a frozen configuration, every joule booked.
 *
 * Those that approach bounce together: with u the approach speeds and D = G M^-1 G^T,
 *   0 <= x  _|_  u + D x >= 0,   impulses (1 + e) x,                                                         [contact 14]
 * for e = 1 the reflection at the cone of admissible velocities, which keeps the kinetic energy.  Those that do not approach
 * and would overlap all the same, pressed by the half kick, get the smallest impulse that keeps them apart [contact 15]. */
#include "step/crowd_answer.h"

#include "contact/friction.h"
#include "math/math.h"

#include <string.h>

enum { SWEEPS = 400, RUBS = 100, HOLDS = 60 };

/* ---- one contact ---- */

void vvi_contact_velocity(const struct vv_step *s, const vvi_contact *c, const double *p, double w[3])
{
  const vv_block *a = c->block[0], *b = c->block[1];
  double wa[3];
  a->kind->push(a, s->state->q + a->q0, p + a->p0, 1, &c->point[0], wa);
  b->kind->push(b, s->state->q + b->q0, p + b->p0, 1, &c->point[1], w);
  for (int i = 0; i < 3; i++) w[i] -= wa[i];
}

static double rate(const struct vv_step *s, const vvi_contact *c, const double *p)
{
  double w[3];
  vvi_contact_velocity(s, c, p, w);
  return vvi_dot3(c->n, w);
}

static void pull(const struct vv_step *s, const vvi_contact *c, const double j[3], double *p)
{
  const vv_block *a = c->block[0], *b = c->block[1];
  const double back[3] = {-j[0], -j[1], -j[2]};
  a->kind->pull(a, s->state->q + a->q0, 1, &c->point[0], back, p + a->p0);
  b->kind->pull(b, s->state->q + b->q0, 1, &c->point[1], j, p + b->p0);
}

static void pull_along(const struct vv_step *s, const vvi_contact *c, double r, double *p)
{
  const double j[3] = {r * c->n[0], r * c->n[1], r * c->n[2]};
  pull(s, c, j, p);
}

/* The part of an impulse that went into a held node: its support gave the opposite. */
static void post_side(struct vv_step *s, const vvi_contact *c, int side, const double j[3])
{
  const vvi_near *near = s->crowd->near;
  const double xi = c->point[side].xi[0] - floor(c->point[side].xi[0]);
  for (int e = 0; e < 2; e++) {
    const int32_t node = c->node[2 * side + e];
    const vvi_curve *k = &near->crowd->curve[near->crowd->curve_of_node[node]];
    const int held = near->crowd->held[node];
    const bool is_first = (double)(node - k->node0) == floor(c->point[side].xi[0]);
    const double weight = is_first ? 1.0 - xi : xi;
    double part[3], turn[3];
    if (held == 0 || (!is_first && xi == 0.0)) continue;
    for (int i = 0; i < 3; i++) part[i] = -weight * j[i];
    if (held & VVI_HELD_PLACE) vvi_post_impulse(&s->ledger->posted, near->x + 3 * (int64_t)node, part);
    vvi_cross3(c->point[side].arm, part, turn);
    for (int i = 0; i < 3 && (held & VVI_HELD_FRAME); i++) vvi_sum_add(&s->ledger->posted.moment[i], turn[i]);
  }
}

/* An impulse j on b, -j on a, on the state; returns the kinetic energy it brought: j.(w- + w+)/2, exact here. [contact 16] */
static double apply(struct vv_step *s, const vvi_contact *c, const double j[3], const double before[3])
{
  double after[3];
  const double back[3] = {-j[0], -j[1], -j[2]};
  pull(s, c, j, s->state->p);
  if (c->pair >= 0) {
    vvi_pair_post3(&s->model->pairs->pair[c->pair], s->state->q, s->state->p, j, &s->ledger->posted);
  } else {
    post_side(s, c, 0, back);
    post_side(s, c, 1, j);
  }
  vvi_contact_velocity(s, c, s->state->p, after);
  return 0.5 * (vvi_dot3(j, before) + vvi_dot3(j, after));
}

/* What a normal impulse brought is restitution's for e < 1, and the bank's for e = 1. */
static void book_normal(struct vv_step *s, const vvi_contact *c, double energy)
{
  if (c->restitution < 1.0)
    vvi_sum_add(&s->ledger->posted.restitution_loss, -energy);
  else
    *vvi_crowd_bank(s) -= energy;
}

/* A normal impulse r >= 0 in the direction of time; returns the energy it brought. */
static double push_apart(struct vv_step *s, vvi_contact *c, double r, double direction)
{
  double before[3], j[3];
  vvi_contact_velocity(s, c, s->state->p, before);
  for (int i = 0; i < 3; i++) j[i] = direction * r * c->n[i];
  c->press += r;
  return apply(s, c, j, before);
}

/* Friction within its disc, then more normal impulse where it made the contact approach.  Returns the change of speed. */
static double rub(struct vv_step *s, vvi_contact *c, double direction)
{
  double before[3], change[3], w[3];
  if (c->friction <= 0.0 || c->press <= 0.0) return 0.0;
  vvi_contact_velocity(s, c, s->state->p, before);
  vvi_rub(c->inverse, c->n, before, c->friction * c->press, c->slide, change);
  const double energy = apply(s, c, change, before);
  vvi_sum_add(&s->ledger->posted.friction_loss, -energy);
  c->lost -= energy;
  double moved = vvi_norm3(change) * c->along;
  vvi_contact_velocity(s, c, s->state->p, w);
  const double u = direction * vvi_dot3(c->n, w), was = direction * vvi_dot3(c->n, before);
  if (u < 0.0 && u < was) {
    const double more = push_apart(s, c, (fmin(was, 0.0) - u) / c->along, direction);
    vvi_sum_add(c->restitution < 1.0 ? &s->ledger->posted.restitution_loss : &s->ledger->posted.friction_loss, -more);
    c->lost -= more;
    moved = fmax(moved, -u);
  }
  return moved;
}

/* ---- bookkeeping of nodes ---- */

static void mark(struct vvi_crowd_step *w, const vvi_contact *c)
{
  for (int i = 0; i < c->nodes; i++) {
    if (w->changed[c->node[i]] == w->round) continue;
    w->changed[c->node[i]] = w->round;
    w->dirty[w->n_dirty++] = c->node[i];
  }
}

static void fly_dirty(struct vv_step *s, vvi_flight *f)
{
  struct vvi_crowd_step *w = s->crowd;
  for (int32_t i = 0; i < w->n_dirty; i++) vvi_crowd_fly(s, f, w->dirty[i]);
}

static void log_contact(struct vv_step *s, const vvi_contact *c, const char *kind, double t, double impulse)
{
  const struct vvi_crowd *crowd = s->model->crowd;
  if (c->pair >= 0) {
    vv_event *e = vvi_log_add(s, &s->model->pairs->pair[c->pair], kind, t, c->speed, impulse);
    if (e != NULL) e->energy_jump = -c->lost, e->tangential_impulse = vvi_norm3(c->slide);
    return;
  }
  vv_event *e = vvi_log_next(s);
  if (e == NULL) return;
  const vvi_curve *a = vvi_crowd_curve(crowd, c->a), *b = vvi_crowd_curve(crowd, c->b);
  *e = (vv_event){.time = t,
                  .body_a = s->model->body[a->shape->body].name,
                  .feature_a = a->shape->feature,
                  .body_b = s->model->body[b->shape->body].name,
                  .feature_b = b->shape->feature,
                  .kind = kind,
                  .normal_speed = c->speed,
                  .normal_impulse = impulse,
                  .tangential_impulse = vvi_norm3(c->slide),
                  .energy_jump = -c->lost,
                  .node_a = (int64_t)floor(c->point[0].xi[0] + 0.5) % a->shape->nodes,
                  .node_b = (int64_t)floor(c->point[1].xi[0] + 0.5) % b->shape->nodes};
  c->block[0]->kind->surface(c->block[0], s->state->q + c->block[0]->q0, 1, &c->point[0], e->x);
  for (int i = 0; i < 3; i++) e->x[i] += c->point[0].arm[i], e->n[i] = c->n[i];
}

/* ---- contacts that feel each other ---- */

/* Contact k of the round, first those that would overlap, then those at rest; NULL: it takes no part. */
typedef vvi_contact *pick_fn(struct vvi_crowd_step *w, int32_t k);

/* Row l of D: what a unit impulse at l does to the speeds of the rows that share a node with it. */
static bool couple(struct vv_step *s, int32_t l)
{
  struct vvi_crowd_step *w = s->crowd;
  const vvi_contact *c = &w->contact[w->row[l]];
  int64_t end = w->first[l];
  pull_along(s, c, 1.0, w->y);
  for (int i = 0; i < c->nodes; i++)
    for (int32_t at = w->head[c->node[i]]; at >= 0; at = w->link[at]) {
      const int32_t k = at / 4;
      if (w->seen[k] == l) continue;
      if (end == w->couplings) return false;
      w->seen[k] = l;
      w->coupling[end++] = (vvi_coupling){.row = k, .value = rate(s, &w->contact[w->row[k]], w->y)};
    }
  pull_along(s, c, -1.0, w->y); /* back to zero, bit for bit */
  w->first[l + 1] = end;
  return true;
}

static bool couple_all(struct vv_step *s)
{
  struct vvi_crowd_step *w = s->crowd;
  memset(w->y, 0, sizeof(double) * (size_t)s->state->np);
  for (int32_t l = 0; l < w->n_row; l++) {
    const vvi_contact *c = &w->contact[w->row[l]];
    for (int i = 0; i < c->nodes; i++) w->head[c->node[i]] = -1;
    w->seen[l] = -1;
  }
  for (int32_t l = 0; l < w->n_row; l++) {
    const vvi_contact *c = &w->contact[w->row[l]];
    for (int i = 0; i < c->nodes; i++) w->link[4 * l + i] = w->head[c->node[i]], w->head[c->node[i]] = 4 * l + i;
  }
  w->first[0] = 0;
  for (int32_t l = 0; l < w->n_row; l++)
    if (!couple(s, l)) return false;
  return true;
}

/* x >= 0, bias + D x >= 0, x.(bias + D x) = 0 by projected Gauss-Seidel; x is the impulse of the contacts picked. */
static void solve(struct vv_step *s, pick_fn *pick, int sweeps, double enough)
{
  struct vvi_crowd_step *w = s->crowd;
  w->n_row = 0;
  for (int32_t k = 0; k < w->n_bad + w->n_rest; k++) {
    const vvi_contact *c = pick(w, k);
    if (c != NULL) w->row[w->n_row++] = (int32_t)(c - w->contact);
  }
  if (!couple_all(s)) { /* no room for D: a careful part of what each needs alone, and more in the next round */
    for (int32_t l = 0; l < w->n_row; l++) {
      vvi_contact *c = &w->contact[w->row[l]];
      c->impulse = 0.25 * fmax(0.0, -c->bias / c->along);
    }
    return;
  }
  for (int sweep = 0; sweep < sweeps; sweep++) {
    double moved = 0.0;
    for (int32_t l = 0; l < w->n_row; l++) {
      vvi_contact *c = &w->contact[w->row[l]];
      double u = c->bias;
      for (int64_t i = w->first[l]; i < w->first[l + 1]; i++)
        u += w->coupling[i].value * w->contact[w->row[w->coupling[i].row]].impulse;
      const double x = fmax(0.0, c->impulse - u / c->along);
      moved = fmax(moved, fabs(x - c->impulse) * c->along);
      c->impulse = x;
    }
    if (moved <= enough) break;
  }
}

/* ---- bounces ---- */

static vvi_contact *bouncing(struct vvi_crowd_step *w, int32_t k)
{
  vvi_contact *c = &w->contact[k < w->n_bad ? w->bad[k] : w->rest[k - w->n_bad]];
  return c->bounces ? c : NULL;
}

static bool shares_node(const struct vvi_crowd_step *w, const vvi_contact *rest)
{
  for (int32_t k = 0; k < w->n_bad; k++) {
    const vvi_contact *c = &w->contact[w->bad[k]];
    for (int i = 0; i < c->nodes && c->bounces && !c->rests; i++)
      if (c->node[i] == rest->node[0]) return true;
  }
  return false;
}

/* Who bounces: those that approach faster than one step of what presses them (e < 1; slower ones only rest), and with them
 * the contacts at rest under them. */
static int32_t choose(struct vv_step *s, double direction, double *restitution)
{
  struct vvi_crowd_step *w = s->crowd;
  int32_t n = 0;
  *restitution = 0.0;
  for (int32_t k = 0; k < w->n_bad; k++) {
    vvi_contact *c = &w->contact[w->bad[k]];
    const double slow = c->restitution < 1.0 ? fabs(c->acceleration * s->h) : 0.0;
    c->bounces = c->along > 0.0 && direction * c->speed < -slow;
    c->impulse = c->lost = 0.0;
    n += c->bounces;
    if (c->bounces) *restitution = fmax(*restitution, c->restitution);
  }
  for (int32_t k = 0; k < w->n_rest; k++) {
    vvi_contact *c = &w->contact[w->rest[k]];
    c->impulse = c->lost = 0.0;
    c->bounces = n > 0 && shares_node(w, c);
  }
  return n;
}

/* Factor on all impulses that also settles what the bank holds: with d the sum of the impulses,
 *   (s^2/2) d.M^-1 d + s p.M^-1 d = its value at s = 1, plus the bank.                                        [contact 17] */
static double settle_bank(struct vv_step *s)
{
  struct vvi_crowd_step *w = s->crowd;
  double a = 0.0, b = 0.0, small, large;
  const double bank = *vvi_crowd_bank(s);
  bool elastic = false;
  memcpy(w->y, s->state->p, sizeof(double) * (size_t)s->state->np);
  for (int32_t k = 0; k < w->n_bad + w->n_rest; k++) {
    const vvi_contact *c = bouncing(w, k);
    if (c != NULL) pull_along(s, c, c->impulse, w->y), elastic |= c->restitution == 1.0;
  }
  if (!elastic || bank == 0.0) return 1.0;
  for (int32_t k = 0; k < w->n_bad + w->n_rest; k++) {
    const vvi_contact *c = bouncing(w, k);
    if (c == NULL) continue;
    const double before = rate(s, c, s->state->p);
    b += c->impulse * before;
    a += c->impulse * (rate(s, c, w->y) - before);
  }
  if (!(a > 0.0) || !(b < 0.0)) return 1.0;
  if (vvi_quadratic(0.5 * a, b, -(b + 0.5 * a + bank), &small, &large) && large > 0.5) return large;
  return fmax(0.5, -b / a);
}

static void bounce(struct vv_step *s, double direction)
{
  struct vvi_crowd_step *w = s->crowd;
  double restitution, fastest = 0.0;
  if (choose(s, direction, &restitution) == 0) return;
  for (int32_t k = 0; k < w->n_bad + w->n_rest; k++) {
    vvi_contact *c = bouncing(w, k);
    if (c == NULL) continue;
    c->bias = direction * rate(s, c, s->state->p);
    fastest = fmax(fastest, fabs(c->bias));
  }
  solve(s, bouncing, SWEEPS, 1e-15 * fastest);
  for (int32_t k = 0; k < w->n_bad + w->n_rest; k++) {
    vvi_contact *c = bouncing(w, k);
    if (c != NULL) c->impulse *= direction * (1.0 + (c->rests ? restitution : c->restitution));
  }
  const double scale = settle_bank(s);
  for (int32_t k = 0; k < w->n_bad + w->n_rest; k++) {
    vvi_contact *c = bouncing(w, k);
    if (c != NULL) vvi_contact_velocity(s, c, s->state->p, c->before);
  }
  for (int32_t k = 0; k < w->n_bad + w->n_rest; k++) {
    vvi_contact *c = bouncing(w, k);
    if (c == NULL || c->impulse == 0.0) continue;
    const double j[3] = {scale * c->impulse * c->n[0], scale * c->impulse * c->n[1], scale * c->impulse * c->n[2]};
    apply(s, c, j, c->before);
    c->impulse *= scale;
    c->press += fabs(c->impulse);
    mark(w, c);
  }
  for (int32_t k = 0; k < w->n_bad + w->n_rest; k++) { /* what each took, now that all have acted */
    vvi_contact *c = bouncing(w, k);
    if (c == NULL || c->impulse == 0.0) continue;
    const double energy = 0.5 * c->impulse * (vvi_dot3(c->n, c->before) + rate(s, c, s->state->p));
    book_normal(s, c, energy);
    c->lost = -energy;
  }
}

/* Friction of the bounces, together. */
static void rub_together(struct vv_step *s, double direction)
{
  struct vvi_crowd_step *w = s->crowd;
  double scale = 0.0;
  for (int32_t k = 0; k < w->n_bad; k++) scale = fmax(scale, fabs(w->contact[w->bad[k]].speed));
  for (int sweep = 0; sweep < RUBS; sweep++) {
    double moved = 0.0;
    for (int32_t k = 0; k < w->n_bad; k++) {
      vvi_contact *c = bouncing(w, k);
      if (c != NULL && c->impulse != 0.0) moved = fmax(moved, rub(s, c, direction));
    }
    if (moved <= 1e-13 * scale) break;
  }
}

/* ---- holding apart ---- */

/* Contacts at rest take at once what a neighbour pushed into them. */
static void stop_resting(struct vv_step *s, double direction)
{
  struct vvi_crowd_step *w = s->crowd;
  for (int32_t k = 0; k < w->n_rest; k++) {
    vvi_contact *c = &w->contact[w->rest[k]];
    if (w->changed[c->node[0]] != w->round) continue;
    const double u = direction * rate(s, c, s->state->p);
    if (u < 0.0) book_normal(s, c, push_apart(s, c, -u / c->along, direction));
  }
}

/* Holding: contacts that would overlap and do not bounce, then the contacts at rest. */
static vvi_contact *holding(struct vvi_crowd_step *w, int32_t k)
{
  vvi_contact *c = &w->contact[k < w->n_bad ? w->bad[k] : w->rest[k - w->n_bad]];
  return c->holds ? c : NULL;
}

/* The smallest impulses that keep all gaps over the drift: r >= 0, D r >= -gap/h, r.(D r + gap/h) = 0; roughly, because a
 * drift is not linear and rounds follow. */
static void solve_holds(struct vv_step *s, double h)
{
  struct vvi_crowd_step *w = s->crowd;
  const double least = 1e-15 * s->model->length_scale;
  double most = 0.0;
  for (int32_t k = 0; k < w->n_bad + w->n_rest; k++) {
    vvi_contact *c = holding(w, k);
    if (c == NULL) continue;
    c->bias = c->rests ? 0.0 : (c->gap - least) / (c->time * fabs(h));
    most = fmax(most, -c->bias);
  }
  solve(s, holding, HOLDS, 1e-4 * most);
}

/* A little more from round to round so that rounds end. */
static void hold_apart(struct vv_step *s, vvi_flight *f, double direction)
{
  struct vvi_crowd_step *w = s->crowd;
  bool any = false;
  for (int32_t k = 0; k < w->n_bad; k++) {
    vvi_contact *c = &w->contact[w->bad[k]];
    c->holds = !c->bounces && c->along > 0.0 && vvi_crowd_again(s, f, c);
    if (c->holds) c->impulse = 0.0, any = true;
  }
  if (!any) return;
  for (int32_t k = 0; k < w->n_rest; k++) w->contact[w->rest[k]].holds = true, w->contact[w->rest[k]].impulse = 0.0;
  solve_holds(s, f->h);
  for (int32_t k = 0; k < w->n_bad + w->n_rest; k++) {
    vvi_contact *c = holding(w, k);
    if (c == NULL || c->impulse == 0.0) continue;
    const double r = c->impulse * (1.001 + 0.02 * w->round);
    c->lost = -push_apart(s, c, r, direction);
    book_normal(s, c, -c->lost);
    mark(w, c);
    if (c->rests) continue;
    rub(s, c, direction);
    if (s->ledger->held++ == 0) log_contact(s, c, "hold", f->t, direction * r); /* later ones are only counted */
  }
  stop_resting(s, direction);
  fly_dirty(s, f);
}

void vvi_crowd_answer(struct vv_step *s, vvi_flight *f)
{
  struct vvi_crowd_step *w = s->crowd;
  const double direction = f->h < 0.0 ? -1.0 : 1.0;
  w->n_dirty = 0;
  bounce(s, direction);
  rub_together(s, direction);
  for (int32_t k = 0; k < w->n_bad; k++) {
    const vvi_contact *c = bouncing(w, k);
    if (c != NULL && fabs(c->impulse) * c->along > 1e-9 * fabs(c->speed)) log_contact(s, c, "bounce", f->t, c->impulse);
  }
  stop_resting(s, direction);
  fly_dirty(s, f);
  hold_apart(s, f, direction);
}
