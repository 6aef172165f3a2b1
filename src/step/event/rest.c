/* step/event/rest.c  Contacts at rest: held while they press, let go when they pull, with Coulomb's friction.
 *
 * A curved pair that presses and hardly bounces is captured: memory[pair] becomes RESTS.  In every slab the half-kicked
 * momentum then gets the smallest normal impulse that keeps the gap from shrinking over the drift, and the tangential one
 * that stops the sliding, cut to the disc of friction; after the second half kick the velocity is treated alike:
 *
 *   0 <= l  _|_  gap(q1) - gap(q) >= 0,   |j| <= mu l,                                                       [contact 8]
 *
 * node by node, because a node is all that such a pair moves.  A node that sticks at its centroid does not move at all, bit
 * for bit.  A pair that rises stays in care until it is far enough for a bounce of its own; what it brings back is taken
 * and booked as at its capture.  Like a support a resting contact does no work; sliding does: j.v with the velocity of the
 * drift beside it, as for a load [ledger 3].  No set of impulses may add energy: it is scaled down if it would. */
#include "step/event/event.h"

#include "math/math.h"

#include <string.h>

enum { SWEEPS = 30 };

static const vvi_pair *pair_at(const struct vv_step *s, int k)
{
  const vvi_event_work *w = s->own;
  return &s->model->pairs->pair[w->rest[k].pair];
}

static int64_t node_of(const vvi_pair *c)
{
  return c->block_a->q0 + vvi_pair_node(c); /* unique in the state */
}

/* The resting pairs, sorted so that those of one node lie together. */
void vvi_event_rest_gather(struct vv_step *s)
{
  vvi_event_work *w = s->own;
  const struct vvi_pairs *list = s->model->pairs;
  w->n_rest = 0;
  for (int i = 0; list->n_curved > 0 && i < list->n; i++) {
    if (!list->pair[i].curved || s->state->memory[i] == 0.0) continue;
    int k = w->n_rest++;
    for (; k > 0 && node_of(pair_at(s, k - 1)) > node_of(&list->pair[i]); k--) w->rest[k] = w->rest[k - 1];
    w->rest[k] = (vvi_event_contact){.pair = i};
  }
}

static int group_end(const struct vv_step *s, int k)
{
  const vvi_event_work *w = s->own;
  const int64_t node = node_of(pair_at(s, k));
  while (k < w->n_rest && node_of(pair_at(s, k)) == node) k++;
  return k;
}

/* Gap of a pair after its node has drifted by h from the state's place with the momentum p. */
static double drifted_gap(struct vv_step *s, const vvi_pair *c, const double *p, double h)
{
  vvi_event_work *w = s->own;
  vvi_node_sets_out(c->block_a, vvi_pair_node(c), 0.0, s->state->q, p, NULL, w->node_q, w->node_p);
  return vvi_node_fly(c, h, w->node_q, w->node_p);
}

/* Changes the normal impulse of a resting pair by `more`, not below 0. */
static double press(struct vv_step *s, vvi_event_contact *r, const vvi_pair *c, double more, double direction,
                    double *p)
{
  const double before = r->impulse;
  r->impulse = fmax(0.0, before + more);
  if (r->impulse != before) vvi_pair_pull(c, s->state->q, direction * (r->impulse - before), p);
  return fabs(r->impulse - before);
}

static double hold_back(struct vv_step *s, vvi_event_contact *r, const vvi_pair *c, double *p)
{
  double before[3], change[3];
  if (c->friction <= 0.0) return 0.0;
  memcpy(before, r->slide, sizeof before);
  vvi_event_rub(s, c, p, c->friction * r->impulse, r->slide, &r->sticks);
  for (int i = 0; i < 3; i++) change[i] = r->slide[i] - before[i];
  vvi_pair_pull3(c, s->state->q, change, p);
  return vvi_norm3(change);
}

static void node_momentum(const vvi_pair *c, const double *p, double out[16])
{
  const vv_block *b = c->block_a;
  const int64_t node = vvi_pair_node(c);
  VV_ASSERT(b->kind->node_p <= 16);
  for (int k = 0; k < b->kind->node_p; k++) out[k] = p[b->p0 + k * b->column + node];
}

static void set_node_momentum(const vvi_pair *c, const double in[16], double *p)
{
  const vv_block *b = c->block_a;
  const int64_t node = vvi_pair_node(c);
  for (int k = 0; k < b->kind->node_p; k++) p[b->p0 + k * b->column + node] = in[k];
}

/* With all impulses times x the kinetic energy changes by b x + c x^2/2, b = sum j.w-, c = sum j.(w+ - w-): x at most
 * -2b/c.                                                                                                     [contact 8] */
static void guard(struct vv_step *s, int k0, int k1, const double before[16], double *p)
{
  vvi_event_work *w = s->own;
  const vvi_pair *c0 = pair_at(s, k0);
  double after[16], b = 0.0, sum = 0.0;
  node_momentum(c0, p, after);
  for (int pass = 0; pass < 2; pass++) { /* velocities of both momenta */
    set_node_momentum(c0, pass == 0 ? before : after, p);
    for (int k = k0; k < k1; k++) {
      const vvi_pair *c = pair_at(s, k);
      double v[3];
      vvi_pair_velocity(c, s->state->q, p, v);
      const double work =
          w->direction * w->rest[k].impulse * vvi_pair_rate(c, s->state->q, p) + vvi_dot3(w->rest[k].slide, v);
      *(pass == 0 ? &b : &sum) += work;
    }
  }
  const double c = sum - b;
  if (b + 0.5 * c <= 0.0 || !(c > 0.0)) return;
  const double x = b < 0.0 ? -2.0 * b / c : 0.0;
  const int n = c0->block_a->kind->node_p;
  for (int i = 0; i < n; i++) after[i] = before[i] + x * (after[i] - before[i]);
  set_node_momentum(c0, after, p);
  for (int k = k0; k < k1; k++) {
    w->rest[k].impulse *= x;
    for (int i = 0; i < 3; i++) w->rest[k].slide[i] *= x;
  }
}

/* Higher than this a pair is on its own again. */
static double far_off(const struct vv_step *s)
{
  return 1e-6 * s->model->length_scale;
}

/* The gap that must be left at the end of a drift: that of now where it is only rounding, else none. */
static double gap_wanted(const struct vv_step *s, const vvi_pair *c)
{
  const double gap = vvi_pair_gap(c, s->state->q);
  return gap <= 4.0 * vvi_event_shallow(s) ? gap : 0.0;
}

/* The impulses of the resting pairs [k0, k1) of one node on p.  h: the drift that follows; 0: the velocity alone counts. */
static void solve_node(struct vv_step *s, int k0, int k1, double h, double *p)
{
  vvi_event_work *w = s->own;
  const vvi_pair *first = pair_at(s, k0);
  double before[16];
  node_momentum(first, p, before);
  for (int k = k0; k < k1; k++) w->rest[k].impulse = 0.0, memset(w->rest[k].slide, 0, sizeof w->rest[k].slide);
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double moved = 0.0, size = 0.0, rounding = 0.0;
    for (int k = k0; k < k1; k++) {
      const vvi_pair *c = pair_at(s, k);
      vvi_event_contact *r = &w->rest[k];
      const double inverse = vvi_pair_inverse_mass(c, s->state->q);
      const double rate = h != 0.0 ? (drifted_gap(s, c, p, h) - gap_wanted(s, c)) / fabs(h)
                                   : w->direction * vvi_pair_rate(c, s->state->q, p);
      moved = fmax(moved, press(s, r, c, -rate / inverse, w->direction, p));
      moved = fmax(moved, hold_back(s, r, c, p));
      size = fmax(size, r->impulse + vvi_norm3(r->slide));
      if (h != 0.0) rounding = fmax(rounding, vvi_event_shallow(s) / (fabs(h) * inverse)); /* of a gap, as an impulse */
    }
    if (moved <= 1e-15 * size + rounding) break;
  }
  guard(s, k0, k1, before, p);
}

/* A single pair that sticks at the centroid holds its node altogether: what momentum is left is taken by the contact too. */
static void freeze(struct vv_step *s, int k0, int k1, double *p)
{
  vvi_event_work *w = s->own;
  vvi_event_contact *r = &w->rest[k0];
  const vvi_pair *c = pair_at(s, k0);
  const vv_block *b = c->block_a;
  const int64_t node = vvi_pair_node(c);
  if (k1 - k0 != 1 || !r->sticks || c->friction <= 0.0 || r->impulse == 0.0) return;
  if (c->patch_a->corners != 1 || c->patch_a->radius != 0.0) return;
  double left[3], n[3];
  vvi_pair_normal(c, s->state->q, n);
  for (int i = 0; i < 3; i++) left[i] = p[b->p0 + i * b->column + node];
  const double along = vvi_dot3(left, n);
  r->impulse += w->direction * along;
  for (int i = 0; i < 3; i++) {
    r->slide[i] += left[i] - along * n[i];
    p[b->p0 + i * b->column + node] = 0.0;
  }
}

/* Neither rounding nor a scaled impulse may let a gap sink below zero: a little more where it would, until none does. */
static void make_safe(struct vv_step *s, int k0, int k1, double h, double *p)
{
  vvi_event_work *w = s->own;
  bool sank = true;
  double nudge = vvi_event_shallow(s);
  for (int it = 0; sank && it < 60; it++, nudge *= 2.0) {
    sank = false;
    for (int k = k0; k < k1; k++) {
      const vvi_pair *c = pair_at(s, k);
      const double gap = drifted_gap(s, c, p, h), inverse = vvi_pair_inverse_mass(c, s->state->q);
      if (gap >= 0.0) continue;
      sank = true;
      press(s, &w->rest[k], c, (nudge - gap) / (fabs(h) * inverse), w->direction, p);
    }
  }
}

/* All of one node.  In a slab that events have made tiny a gap over h is only rounding: there the velocity counts. */
static void solve_group(struct vv_step *s, int k0, int k1, double h, double *p)
{
  if (fabs(h) < 1e-3 * fabs(s->h)) h = 0.0;
  solve_node(s, k0, k1, h, p);
  freeze(s, k0, k1, p);
  if (h != 0.0) make_safe(s, k0, k1, h, p);
}

void vvi_event_rest_solve(struct vv_step *s, double h, double *p)
{
  const vvi_event_work *w = s->own;
  for (int k = 0, end; k < w->n_rest; k = end) {
    end = group_end(s, k);
    solve_group(s, k, end, h, p);
  }
}

void vvi_event_rest_solve_node(struct vv_step *s, const vvi_pair *c, double h, double *p)
{
  vvi_event_rest_solve_at(s, c->block_a, vvi_pair_node(c), h, p);
}

void vvi_event_rest_solve_at(struct vv_step *s, const vv_block *b, int64_t node, double h, double *p)
{
  const vvi_event_work *w = s->own;
  for (int k = 0, end; k < w->n_rest; k = end) {
    end = group_end(s, k);
    if (node_of(pair_at(s, k)) == b->q0 + node) solve_group(s, k, end, h, p);
  }
}

/* Books the impulses last solved; v: momentum of the drift beside them. */
void vvi_event_rest_book(struct vv_step *s, double t, const double *v)
{
  vvi_event_work *w = s->own;
  for (int k = 0; k < w->n_rest; k++) {
    const vvi_pair *c = pair_at(s, k);
    const vvi_event_contact *r = &w->rest[k];
    double speed[3];
    vvi_pair_post(c, s->state->q, s->state->p, w->direction * r->impulse, &s->ledger->posted);
    if (c->friction <= 0.0) {
      vvi_tell_pair(s, c, t, w->direction * r->impulse, NULL, 0.0);
      continue;
    }
    vvi_pair_post3(c, s->state->q, s->state->p, r->slide, &s->ledger->posted);
    vvi_pair_velocity(c, s->state->q, v, speed);
    vvi_pair_lose(s, c, -vvi_dot3(r->slide, speed), &s->ledger->posted.friction_loss);
    if (r->impulse != 0.0) vvi_tell_pair(s, c, t, w->direction * r->impulse, r->slide, -vvi_dot3(r->slide, speed));
  }
}

/* The kinetic energy of sliding that sticking takes at once, of the momentum p before the half kick; p loses it. */
static double caught(struct vv_step *s, const vvi_pair *c, double *p)
{
  double stop[3] = {0, 0, 0}, v[3];
  bool sticks;
  vvi_event_rub(s, c, p, INFINITY, stop, &sticks);
  vvi_pair_velocity(c, s->state->q, p, v);
  vvi_pair_pull3(c, s->state->q, stop, p);
  return -0.5 * vvi_dot3(stop, v);
}

/* The approach speed u of a pair is stopped: its energy is booked as `loss` (e < 1) or kept for it (e = 1). */
static void take(struct vv_step *s, int i, double u, vv_sum *loss)
{
  const vvi_pair *c = &s->model->pairs->pair[i];
  const double energy = 0.5 * u * u / vvi_pair_inverse_mass(c, s->state->q);
  if (c->restitution == 1.0)
    *vvi_pair_debt(s, c) += energy;
  else
    vvi_pair_lose(s, c, energy, loss);
}

/* Before a slab, with p the synchronous momentum: what pairs that approach, or slid and stick now, take of it.  Those of one
 * node one after the other, each of what the others left, so that nothing is counted twice. */
void vvi_event_rest_settle(struct vv_step *s, const double *p)
{
  vvi_event_work *w = s->own;
  double node[16];
  for (int k = 0, end = 0; k < w->n_rest; k++) {
    const vvi_pair *c = pair_at(s, k);
    if (k == end) {
      end = group_end(s, k);
      node_momentum(c, p, node);
      set_node_momentum(c, node, w->node_p);
    }
    double *memory = &s->state->memory[w->rest[k].pair];
    const bool presses = w->rest[k].impulse > 0.0;
    const double now = c->friction > 0.0 && w->rest[k].sticks && presses ? REST_STICKS : REST_SLIDES;
    const double u = w->direction * vvi_pair_rate(c, s->state->q, w->node_p);
    if (presses && u < 0.0) {
      take(s, w->rest[k].pair, u, &s->ledger->posted.step_loss);
      vvi_pair_pull(c, s->state->q, w->direction * -u / vvi_pair_inverse_mass(c, s->state->q), w->node_p);
    }
    if (now == REST_STICKS && *memory != REST_STICKS)
      vvi_pair_lose(s, c, caught(s, c, w->node_p), &s->ledger->posted.friction_loss);
    *memory = now;
  }
}

/* Pairs that have come off; what was kept for them comes back as speed. */
void vvi_event_rest_release(struct vv_step *s, double t)
{
  vvi_event_work *w = s->own;
  for (int k = 0; k < w->n_rest; k++) {
    const vvi_pair *c = pair_at(s, k);
    const int i = w->rest[k].pair;
    if (w->rest[k].impulse > 0.0 || vvi_pair_gap(c, s->state->q) < far_off(s)) continue;
    double *debt = vvi_pair_debt(s, c);
    s->state->memory[i] = 0.0;
    if (*debt > 0.0) {
      const double inverse = vvi_pair_inverse_mass(c, s->state->q),
                   u = w->direction * vvi_pair_rate(c, s->state->q, s->state->p);
      double small, large;
      if (vvi_quadratic(0.5 * inverse, u, -*debt, &small, &large)) {
        const double r = w->direction * fmax(small, large);
        vvi_tell_pair(s, c, t, r, NULL, 0.0);
        vvi_pair_post(c, s->state->q, s->state->p, r, &s->ledger->posted);
        vvi_pair_pull(c, s->state->q, r, s->state->p);
        *debt = 0.0;
      }
    }
    vvi_log_add(s, c, "off", t, vvi_pair_rate(c, s->state->q, s->state->p), 0.0);
  }
}

/* Captures a pair that presses: its approach speed u is taken, booked (e < 1) or kept for it (e = 1). */
void vvi_event_rest_capture(struct vv_step *s, int i, double t)
{
  vvi_event_work *w = s->own;
  const vvi_pair *c = &s->model->pairs->pair[i];
  const double inverse = vvi_pair_inverse_mass(c, s->state->q),
               u = w->direction * vvi_pair_rate(c, s->state->q, s->state->p);
  const double r = w->direction * -u / inverse; /* of a pair that jitters it may be a pull, of rounding size */
  take(s, i, u, &s->ledger->posted.restitution_loss);
  vvi_tell_pair(s, c, t, r, NULL, 0.0);
  vvi_pair_post(c, s->state->q, s->state->p, r, &s->ledger->posted);
  vvi_pair_pull(c, s->state->q, r, s->state->p);
  s->state->memory[i] = REST_SLIDES;
  s->ledger->held++;
  vvi_log_add(s, c, "hold", t, w->direction * u, r);
}
