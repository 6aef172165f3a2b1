/* sim/act.c  What the caller does to a run between two steps: pushes, velocities, forces, prescribed motion, raw writes.
 *
 * Nothing but the caller changes the state between two steps, so that what he brings is the difference of two audits:
 *   external work += E(after) - E(before),   impulse += P(after) - P(before),   moment += L(after) - L(before)   [ledger 1, 2]
 * with E the energy that the method balances.  For an impulse j at fixed positions that is the work j.(v_before + v_after)/2.
 * All that is done between two steps is booked at once: two audits however many nodes were pushed. */
#include "model/bind.h"
#include "sim/sim.h"

#include "contact/contact.h"
#include "contact/joints.h"
#include "math/math.h"

#include <stdlib.h>
#include <string.h>

/* A force or a prescribed motion that lasts. */
typedef struct vvi_act {
  int32_t body;
  int64_t node; /* of the body; -1: all */
  bool motion;
  bool turns;      /* motion: the spin is prescribed too */
  bool moves;      /* motion: the velocity is */
  double value[6]; /* force and moment, or velocity and spin */
  double since;    /* time */
  double start[3]; /* motion: where the first of its nodes should be then */
  double far[3];   /* motion of the scene: added, times what its history has grown since t = 0 */
  vv_history history;
} vvi_act;

/* ---- books ---- */

static void touch(vv_sim *sim)
{
  double nodal;
  if (sim->touched || !sim->started) return;
  sim->before = sim->ledger.now;
  if (!sim->fresh) vvi_sim_audit(sim, &sim->before, &nodal);
  sim->touched = true;
}

/* J, part by part: what is the same on both sides, as the height of a heavy table, brings no rounding. */
static double brought(const vv_totals *before, const vv_totals *after)
{
  return (after->kinetic - before->kinetic) + (after->strain - before->strain) +
         (after->potential - before->potential) + (after->contact - before->contact);
}

void vvi_act_settle(vv_sim *sim)
{
  if (!sim->touched) return;
  vv_totals after;
  double nodal;
  vv_ledger *l = &sim->ledger;
  vv_posted *post = &l->posted;
  sim->touched = false;
  l->anchor_events = -1; /* the energy of the jump rule is audited in full */
  if (sim->left != NULL) sim->model->stepper->forget(&sim->step);
  vvi_sim_audit(sim, &after, &nodal);
  vvi_sum_add(&post->external_work, brought(&sim->before, &after));
  for (int c = 0; c < 3; c++) {
    const double j = after.p[c] - sim->before.p[c], m = after.L[c] - sim->before.L[c];
    vvi_sum_add(&post->impulse[c], j);
    vvi_sum_add(&post->moment[c], m);
    post->impulse_abs += fabs(j);
    post->moment_abs += fabs(m);
  }
  if (sim->rewritten) vvi_note_gaps(&sim->step);
  sim->rewritten = false;
  vvi_sim_close(sim, &after, nodal);
}

/* ---- who is meant ---- */

typedef struct target {
  const vv_body *body;
  const vv_block *block;
  int64_t from, to; /* nodes of the block */
} target;

static vv_status find(vv_sim *sim, int body, int64_t node, const double *turn, target *out)
{
  const vv_model *m = sim->model;
  if (body < 0 || body >= m->n_body)
    return vvi_fail(m->ctx, VV_ARG, "there is no body %d; the scene has %d", body, m->n_body);
  const vv_body *b = &m->body[body];
  const vv_block *k = &m->block[b->block];
  if (b->n_node == 0 || k->kind->movers == NULL)
    return vvi_fail(m->ctx, VV_ARG, "body '%s' is an obstacle: it does not move", b->name);
  if (node < -1 || node >= b->n_node)
    return vvi_fail(m->ctx, VV_ARG, "body '%s' has no node %lld; they are numbered 0 to %lld", b->name, (long long)node,
                    (long long)b->n_node - 1);
  if (turn != NULL && k->kind->node_p < 6)
    return vvi_fail(m->ctx, VV_ARG, "body '%s' of kind %s has nodes without a frame: leave the moment or spin out",
                    b->name, k->kind->name);
  if (vvi_model_implicit(m) && (k->kind->implicit == NULL || k->kind->implicit->node_v > 0))
    return vvi_fail(m->ctx, VV_UNSUPPORTED,
                    "body '%s' keeps velocities of its own in energy-momentum steps; act on it with "
                    "method: {step: leapfrog}",
                    b->name);
  *out = (target){.body = b,
                  .block = k,
                  .from = b->node0 + (node < 0 ? 0 : node),
                  .to = b->node0 + (node < 0 ? b->n_node : node + 1)};
  return VV_OK;
}

static vv_status finite(vv_sim *sim, const double *a, const double *b)
{
  double sum = 0.0;
  for (int c = 0; c < 3; c++) sum += (a != NULL ? 0.0 * a[c] : 0.0) + (b != NULL ? 0.0 * b[c] : 0.0);
  return sum == 0.0 ? VV_OK : vvi_fail(sim->model->ctx, VV_ARG, "a push, force or velocity is not finite");
}

static vv_status look(vv_sim *sim, const vv_block *b)
{
  if (b->nodes > sim->mover_room) {
    vv_mover *more = realloc(sim->mover, sizeof *more * (size_t)b->nodes);
    if (more == NULL) return vvi_fail(sim->model->ctx, VV_NOMEM, "out of memory");
    sim->mover = more;
    sim->mover_room = b->nodes;
  }
  b->kind->movers(b, sim->state->q + b->q0, sim->state->p + b->p0, sim->mover);
  return VV_OK;
}

/* ---- matrices xx yy zz yz xz xy ---- */

/* The smallest x with A x nearest to v, A symmetric and not negative.  Rank 2 (a line turns about two axes, a guide leaves a
 * plane): with n the unit vector that A takes to zero, adj A = l1 l2 n n^T, and A + t n n^T can be inverted.  Rank 1: A v/t^2. */
static void solve(const double a[6], const double v[3], double x[3])
{
  const double t = a[0] + a[1] + a[2];
  double adj[6], r[3];
  const double det = vvi_adjoint6(a, adj), minors = adj[0] + adj[1] + adj[2];
  if (!(t > 0.0)) {
    x[0] = x[1] = x[2] = 0.0;
  } else if (det > 1e-12 * t * minors) {
    vvi_times6(adj, v, r);
    for (int c = 0; c < 3; c++) x[c] = r[c] / det;
  } else if (minors > 1e-12 * t * t) {
    double full[6], n[6];
    for (int c = 0; c < 6; c++) n[c] = adj[c] / minors, full[c] = a[c] + t * n[c];
    solve(full, v, x);
    vvi_times6(n, v, r);
    for (int c = 0; c < 3; c++) x[c] -= r[c] / t;
  } else {
    vvi_times6(a, v, r);
    for (int c = 0; c < 3; c++) x[c] = r[c] / (t * t);
  }
}

/* ---- doing it ---- */

/* A kick of no length: supports take what they hold. */
static void hold(vv_sim *sim, const vv_block *b)
{
  b->kind->kick(b, sim->state->t, 0.0, sim->state->q + b->q0, sim->state->p + b->p0);
}

/* The direction of a node that moves along one line only, times its inverse mass: the velocity of p = 1. */
static void along(vv_sim *sim, const vv_block *b, int64_t i, double w[3])
{
  double *p = sim->state->p + b->p0 + i;
  const double a = *p, *v = sim->mover[i].velocity, s = a != 0.0 ? a : 1.0;
  if (a == 0.0) {
    *p = 1.0;
    b->kind->movers(b, sim->state->q + b->q0, sim->state->p + b->p0, sim->mover);
    *p = a;
  }
  for (int c = 0; c < 3; c++) w[c] = v[c] / s;
}

static vv_status push(vv_sim *sim, const target *t, double scale, const double *j, const double *m)
{
  const vv_block *b = t->block;
  double *p = sim->state->p + b->p0, w[3];
  const bool line = b->kind->node_p == 1;
  if (line && j != NULL) VV_TRY(look(sim, b));
  for (int64_t i = t->from; i < t->to; i++) {
    if (line && j != NULL) {
      along(sim, b, i, w);
      const double size = vvi_norm3(w);
      if (size > 0.0) p[i] += scale * vvi_dot3(w, j) / size;
      continue;
    }
    for (int c = 0; c < 3; c++) {
      if (j != NULL) p[c * b->column + i] += scale * j[c];
      if (m != NULL) p[(3 + c) * b->column + i] += scale * m[c];
    }
  }
  hold(sim, b);
  return VV_OK;
}

/* p = M v, or what a support leaves of it. */
static void set_node(vv_sim *sim, const vv_block *b, int64_t i, const double *v, const double *spin)
{
  double *p = sim->state->p + b->p0, x[3];
  if (v != NULL && b->kind->node_p == 1) {
    along(sim, b, i, x);
    const double size = vvi_dot3(x, x);
    p[i] = size > 0.0 ? vvi_dot3(x, v) / size : 0.0;
  } else if (v != NULL) {
    solve(sim->mover[i].inverse_mass, v, x);
    for (int c = 0; c < 3; c++) p[c * b->column + i] = x[c];
  }
  if (spin == NULL) return;
  solve(sim->mover[i].inverse_inertia, spin, x);
  for (int c = 0; c < 3; c++) p[(3 + c) * b->column + i] = x[c];
}

static vv_status set_velocity(vv_sim *sim, const target *t, const double *v, const double *spin)
{
  VV_TRY(look(sim, t->block));
  for (int64_t i = t->from; i < t->to; i++) set_node(sim, t->block, i, v, spin);
  hold(sim, t->block);
  return VV_OK;
}

vv_status vv_sim_push(vv_sim *sim, int body, int64_t node, const double impulse[3], const double moment[3])
{
  target t = {0};
  VV_TRY(find(sim, body, node, moment, &t));
  VV_TRY(finite(sim, impulse, moment));
  touch(sim);
  return push(sim, &t, 1.0, impulse, moment);
}

vv_status vv_sim_set_velocity(vv_sim *sim, int body, int64_t node, const double velocity[3], const double spin[3])
{
  target t = {0};
  VV_TRY(find(sim, body, node, spin, &t));
  VV_TRY(finite(sim, velocity, spin));
  touch(sim);
  return set_velocity(sim, &t, velocity, spin);
}

vv_status vv_sim_edit(vv_sim *sim, vv_state **state)
{
  const vv_model *m = sim->model;
  for (int i = 0; i < m->n_block; i++) {
    const vv_implicit_table *form = m->block[i].kind->implicit;
    if (vvi_model_implicit(m) && m->block[i].nodes > 0 && form != NULL && form->node_v > 0)
      return vvi_fail(m->ctx, VV_UNSUPPORTED,
                      "beams in energy-momentum steps keep velocities of their own: their state "
                      "cannot be written");
  }
  touch(sim);
  sim->rewritten = sim->touched;
  if (state != NULL) *state = sim->state;
  return VV_OK;
}

/* ---- what lasts ---- */

static vvi_act *act_of(vv_sim *sim, int body, int64_t node, bool motion)
{
  for (int i = 0; i < sim->n_act; i++) {
    vvi_act *a = &sim->act[i];
    if (a->body == body && a->node == node && a->motion == motion) return a;
  }
  return NULL;
}

static vv_status act_new(vv_sim *sim, vvi_act **out)
{
  if (sim->n_act == sim->act_room) {
    const int room = sim->act_room > 0 ? 2 * sim->act_room : 8;
    vvi_act *more = realloc(sim->act, sizeof *more * (size_t)room);
    if (more == NULL) return vvi_fail(sim->model->ctx, VV_NOMEM, "out of memory");
    sim->act = more;
    sim->act_room = room;
  }
  *out = &sim->act[sim->n_act++];
  **out = (vvi_act){0};
  return VV_OK;
}

/* A drive sets velocities between two steps, and a joint has made those of both its ends for each other: it would do work. */
static vv_status not_joined(const vv_sim *sim, const target *t)
{
  const vv_model *m = sim->model;
  for (int32_t i = 0; m->joints != NULL && i < m->joints->nodes; i++) {
    const vvi_joint_node *n = &m->joints->node[i];
    if (&m->block[n->block] == t->block && n->node >= t->from && n->node < t->to)
      return vvi_fail(m->ctx, VV_UNSUPPORTED, "body '%s' is joined there; what is joined cannot be driven yet",
                      t->body->name);
  }
  return VV_OK;
}

static vv_status set_act(vv_sim *sim, int body, int64_t node, bool motion, const double *a, const double *b)
{
  target t = {0};
  VV_TRY(find(sim, body, node, b, &t));
  VV_TRY(finite(sim, a, b));
  vvi_act *act = act_of(sim, body, node, motion);
  if (a == NULL && b == NULL) {
    if (act != NULL) *act = sim->act[--sim->n_act];
    return VV_OK;
  }
  const double now = sim->state->t;
  if (motion) VV_TRY(not_joined(sim, &t));
  if (act == NULL) {
    VV_TRY(act_new(sim, &act));
    VV_TRY(look(sim, t.block));
    for (int c = 0; c < 3; c++) act->start[c] = sim->mover[t.from].place[c];
  } else if (act->moves) { /* it goes on from where it had led */
    for (int c = 0; c < 3; c++) act->start[c] += act->value[c] * (now - act->since);
  } else if (motion) {
    VV_TRY(look(sim, t.block));
    for (int c = 0; c < 3; c++) act->start[c] = sim->mover[t.from].place[c];
  }
  act->body = body, act->node = node, act->motion = motion, act->since = now;
  act->moves = motion && a != NULL, act->turns = motion && b != NULL;
  if (vvi_act_leads(sim)) vvi_claims_lead(sim);
  for (int c = 0; c < 3; c++) act->value[c] = a != NULL ? a[c] : 0.0, act->value[3 + c] = b != NULL ? b[c] : 0.0;
  return VV_OK;
}

vv_status vv_sim_force(vv_sim *sim, int body, int64_t node, const double force[3], const double moment[3])
{
  return set_act(sim, body, node, false, force, moment);
}

vv_status vv_sim_prescribe(vv_sim *sim, int body, int64_t node, const double velocity[3], const double spin[3])
{
  VV_TRY(set_act(sim, body, node, true, velocity, spin));
  return velocity != NULL || spin != NULL ? vv_sim_set_velocity(sim, body, node, velocity, spin) : VV_OK;
}

vv_status vv_sim_control(vv_sim *sim, int64_t every, vv_control_fn *fn, void *user)
{
  if (every < 1 || fn == NULL || sim->n_controller == VVI_MAX_CONTROLLERS)
    return vvi_fail(sim->model->ctx, VV_ARG, "at most %d controllers, every >= 1", VVI_MAX_CONTROLLERS);
  sim->controller[sim->n_controller++] = (vvi_controller){.every = every, .fn = fn, .user = user};
  return VV_OK;
}

static void velocity_at(const vvi_act *a, double t, double v[3])
{
  const double rate = vvi_history_rate(&a->history, t);
  for (int c = 0; c < 3; c++) v[c] = a->value[c] + rate * a->far[c];
}

static void way_at(const vvi_act *a, double t, double x[3])
{
  const double grown = vv_history_at(&a->history, t) - vv_history_at(&a->history, 0.0);
  for (int c = 0; c < 3; c++) x[c] = a->value[c] * (t - a->since) + grown * a->far[c];
}

/* `motion` of a body of the scene.  A state that is not that of the start is taken to be on its way. */
static vv_status follow(vv_sim *sim, int body, const vv_group *g)
{
  const double *v = vv_numbers(g, "velocity", NULL), *spin = vv_numbers(g, "spin", NULL), now = sim->state->t;
  double way[3], speed[3];
  VV_TRY(set_act(sim, body, -1, true, v, spin));
  vvi_act *a = act_of(sim, body, -1, true);
  a->history = vvi_history_from(g, "history");
  memcpy(a->far, vv_numbers(g, "displacement", NULL), sizeof a->far);
  a->since = 0.0;
  way_at(a, now, way);
  for (int c = 0; c < 3; c++) a->start[c] -= way[c];
  if (sim->state->step != 0) return VV_OK;
  velocity_at(a, now, speed);
  return vv_sim_set_velocity(sim, body, -1, speed, spin);
}

vv_status vvi_act_scene(vv_sim *sim)
{
  const vv_model *m = sim->model;
  for (int i = 0; i < m->n_body; i++) {
    const vv_group *motion = vvi_motion_of(m->body[i].group);
    if (motion != NULL) VV_TRY(follow(sim, i, motion));
  }
  return VV_OK;
}

/* Drives of rigid bodies are forces where the stepper takes them as such. */
static bool borne(const vv_sim *sim, const vvi_act *a, const target *t)
{
  const vv_implicit_table *form = t->block->kind->implicit;
  return a->moves && sim->step.bears && form != NULL && form->frames != NULL;
}

/* Contacts add half of what holds to momenta that are shown [contact 27]: what is shown is what was prescribed. */
static void show(vv_sim *sim, const target *t)
{
  const double *half = vvi_contact_half(sim->step.contact) + t->block->p0;
  double *p = sim->state->p + t->block->p0;
  for (int64_t i = t->from; i < t->to; i++)
    for (int c = 0; c < 3; c++) p[c * t->block->column + i] -= half[c * t->block->column + i];
}

static vv_status settle_speed(vv_sim *sim, const vvi_act *a, const target *t)
{
  double v[3];
  velocity_at(a, sim->state->t, v);
  VV_TRY(set_velocity(sim, t, a->moves ? v : NULL, a->turns ? a->value + 3 : NULL));
  if (borne(sim, a, t) && sim->step.contact != NULL) show(sim, t);
  return VV_OK;
}

static vv_status led_room(vv_sim *sim, int64_t more)
{
  if (sim->step.n_led + more <= sim->led_room) return VV_OK;
  const int64_t room = 2 * (sim->step.n_led + more);
  vvi_led *led = realloc(sim->led, sizeof *led * (size_t)room);
  if (led == NULL) return vvi_fail(sim->model->ctx, VV_NOMEM, "out of memory");
  sim->step.led = sim->led = led, sim->led_room = room;
  return VV_OK;
}

/* The mean velocity of the step is v, from what is shown now: a = 2 (v - now)/h.                                 [rigid 19] */
static vv_status bear(vv_sim *sim, const vvi_act *a, const target *t, const double v[3])
{
  double now[3];
  velocity_at(a, sim->state->t, now);
  VV_TRY(led_room(sim, t->to - t->from));
  for (int64_t i = t->from; i < t->to; i++) {
    vvi_led *k = &sim->led[sim->step.n_led++];
    k->block = (int32_t)(t->block - sim->model->block), k->node = i;
    for (int c = 0; c < 3; c++) k->rate[c] = 2.0 * (v[c] - now[c]) / sim->step.h;
    solve(sim->mover[i].inverse_mass, k->rate, k->force);
  }
  return VV_OK;
}

/* The first node of a prescribed motion is led to where it should be at the end of the step; the other nodes of the body get the same
 * velocity.  Where no drive is a force the body sets out with it, and gravity, which will add h/2 g to the velocity of the drift, is
 * taken off. */
static vv_status lead(vv_sim *sim, const vvi_act *a, const target *t)
{
  const double h = sim->step.h, end = (double)(sim->state->step + (h > 0.0 ? 1 : -1)) * fabs(h);
  const bool drive = borne(sim, a, t);
  double v[3], way[3];
  VV_TRY(look(sim, t->block));
  way_at(a, end, way);
  for (int c = 0; c < 3; c++) {
    const double aim = a->start[c] + way[c];
    v[c] = (aim - sim->mover[t->from].place[c]) / h - (drive ? 0.0 : 0.5 * h * t->block->gravity[c]);
  }
  if (!drive) return set_velocity(sim, t, a->moves ? v : NULL, a->turns ? a->value + 3 : NULL);
  VV_TRY(bear(sim, a, t, v));
  return settle_speed(sim, a, t);
}

/* m: how far its first node is from where it should be. */
static double astray(const vv_sim *sim, const vvi_act *a)
{
  const vv_body *body = &sim->model->body[a->body];
  const vv_block *b = &sim->model->block[body->block];
  double way[3], d[3];
  vv_mover at;
  b->kind->mover(b, body->node0 + (a->node < 0 ? 0 : a->node), sim->state->q + b->q0, sim->state->p + b->p0, &at);
  way_at(a, sim->state->t, way);
  for (int c = 0; c < 3; c++) d[c] = at.place[c] - a->start[c] - way[c];
  return vvi_norm3(d);
}

const vv_body *vvi_act_astray(const vv_sim *sim, double *by)
{
  const vv_body *body = NULL;
  *by = 0.0;
  for (int i = 0; i < sim->n_act; i++) {
    const vvi_act *a = &sim->act[i];
    const double d = a->motion && a->moves ? astray(sim, a) : 0.0;
    if (d > *by) *by = d, body = &sim->model->body[a->body];
  }
  return body;
}

static bool is_rigid(const vv_sim *sim, const vvi_act *a)
{
  const vv_implicit_table *form = sim->model->block[sim->model->body[a->body].block].kind->implicit;
  return a->motion && form != NULL && form->frames != NULL;
}

bool vvi_act_leads(const vv_sim *sim)
{
  for (int i = 0; i < sim->n_act; i++)
    if (is_rigid(sim, &sim->act[i])) return true;
  return false;
}

double vvi_act_off(const vv_sim *sim)
{
  double most = 0.0;
  for (int i = 0; i < sim->n_act; i++)
    if (is_rigid(sim, &sim->act[i]) && sim->act[i].moves) most = fmax(most, astray(sim, &sim->act[i]));
  return most;
}

static vv_status halves(vv_sim *sim, bool before)
{
  for (int i = 0; i < sim->n_act; i++) {
    const vvi_act *a = &sim->act[i];
    target t = {0};
    VV_TRY(find(sim, a->body, a->node, NULL, &t));
    const bool frames = t.block->kind->node_p >= 6;
    touch(sim);
    if (!a->motion)
      VV_TRY(push(sim, &t, 0.5 * sim->step.h, a->value, frames ? a->value + 3 : NULL));
    else if (before)
      VV_TRY(lead(sim, a, &t));
    else
      VV_TRY(settle_speed(sim, a, &t));
  }
  return VV_OK;
}

vv_status vvi_act_before(vv_sim *sim)
{
  for (int i = 0; i < sim->n_controller; i++) {
    const vvi_controller *c = &sim->controller[i];
    if (sim->state->step % c->every == 0) VV_TRY(c->fn(sim, c->user));
  }
  sim->step.n_led = 0;
  VV_TRY(halves(sim, true));
  vvi_act_settle(sim);
  return VV_OK;
}

void vvi_act_after(vv_sim *sim)
{
  const vv_status status = halves(sim, false); /* it found everything before the step, so it does now */
  VV_ASSERT(status == VV_OK);
  (void)status;
}

int64_t vvi_act_until(const vv_sim *sim, int64_t n)
{
  if (sim->n_act > 0) return n > 0 ? 1 : n;
  for (int i = 0; i < sim->n_controller; i++) {
    const int64_t every = sim->controller[i].every, past = llabs(sim->state->step) % every;
    const int64_t wait = sim->step.h > 0.0 ? every - past : past > 0 ? past : every;
    if (wait < n) n = wait;
  }
  return n;
}

/* ---- observers that keep what they see in memory of the caller ---- */

vv_status vv_rows_observe(const vv_view *view, void *rows)
{
  vv_rows *r = rows;
  const double step = (double)view->state->step;
  if (r->columns < 2) return VV_ARG;
  const double *last = r->n > 0 ? r->row + (r->n - 1) * r->columns : NULL;
  if (last != NULL && last[0] == step && last[1] == view->state->t) r->n--; /* this step again: as it is now */
  if (r->n == r->capacity) {
    r->missed++;
    return VV_OK;
  }
  double *row = r->row + r->n++ * r->columns;
  row[0] = step, row[1] = view->state->t;
  vv_ledger_row(view->ledger, r->columns - 2, row + 2);
  return VV_OK;
}

vv_status vv_events_observe(const vv_view *view, void *events)
{
  vv_events *e = events;
  for (int64_t i = 0; i < view->n_event; i++) {
    if (e->n < e->capacity)
      e->event[e->n++] = view->event[i];
    else
      e->missed++;
  }
  return VV_OK;
}
