/* step/energy_momentum/frames.c  Rigid bodies out of the state and back, and the step of each under given impulses.
 *
 *   p1 = p + dt m g + j,   X1 = X + dt (p + p1)/(2 m),   h1 = h + l,   theta from [em 1]                           [em 4] */
#include "step/energy_momentum/frames.h"

#include <string.h>

static bool has_frames(const vv_block *b)
{
  return b->kind->implicit != NULL && b->kind->implicit->frames != NULL;
}

int32_t vvi_em_count(const vv_model *m)
{
  int64_t n = 0;
  for (int i = 0; i < m->n_block; i++)
    if (has_frames(&m->block[i])) n += m->block[i].nodes;
  return (int32_t)n;
}

static void fill(const vv_block *b, int64_t node, const vv_frame *from, vvi_em_frame *f)
{
  *f = (vvi_em_frame){.block = b, .node = node, .held = from->held, .mass = from->mass, .least = INFINITY};
  memcpy(f->gravity, b->gravity, sizeof f->gravity);
  for (int i = 0; i < 3; i++) {
    f->inertia[i] = from->inertia[i];
    if (f->inertia[i] > 0.0) f->least = fmin(f->least, f->inertia[i]);
  }
}

vv_status vvi_em_frames_create(const vv_model *m, vvi_arena *arena, vvi_em_rigid *w)
{
  w->n = vvi_em_count(m);
  w->frame = VVI_ARENA_NEW(arena, vvi_em_frame, w->n + 1);
  vv_frame *from = VVI_ARENA_NEW(arena, vv_frame, w->n + 1);
  if (w->frame == NULL || from == NULL) return VV_NOMEM;
  int32_t at = 0;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (!has_frames(b)) continue;
    b->kind->implicit->frames(b, from);
    for (int64_t k = 0; k < b->nodes; k++) fill(b, k, &from[k], &w->frame[at++]);
    w->weighs |= vvi_norm3(b->gravity) > 0.0;
  }
  w->frame[w->n] = (vvi_em_frame){.held = true, .node = -1, .q = {1, 0, 0, 0}, .r = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  return VV_OK;
}

int32_t vvi_em_frame_of(const vvi_em_rigid *w, const vvi_object *o)
{
  int32_t first = 0; /* frames of a block lie together, in the order of its nodes */
  while (first < w->n && w->frame[first].block != o->block) first += (int32_t)w->frame[first].block->nodes;
  return o->patch->node < 0 || first >= w->n ? w->n : first + (int32_t)o->patch->node + o->copy;
}

/* ---- state ---- */

void vvi_em_load(vvi_em_rigid *w, const vv_state *x)
{
  w->clear = 0.0;
  w->sprung = false;
  for (int i = 0; w->slot != NULL && i < w->slots; i++) w->sprung |= w->slot[i].used != 0.0;
  for (int32_t i = 0; i < w->n; i++) {
    vvi_em_frame *f = &w->frame[i];
    const int64_t c = f->block->column;
    f->led = false;
    memcpy(f->gravity, f->block->gravity, sizeof f->gravity);
    const double *q = x->q + f->block->q0 + f->node, *p = x->p + f->block->p0 + f->node;
    for (int k = 0; k < 3; k++) f->x[k] = q[k * c], f->p[k] = p[k * c], f->h[k] = p[(3 + k) * c];
    for (int k = 0; k < 4; k++) f->q[k] = q[(3 + k) * c];
    for (int k = 0; k < 7; k++) f->carry[k] = q[(7 + k) * c];
    vvi_quaternion_matrix(f->q, f->r);
  }
}

void vvi_em_lead(vvi_em_rigid *w, const vv_model *m, const vvi_led *led, int64_t n)
{
  for (int64_t k = 0; k < n; k++) {
    const vv_block *b = &m->block[led[k].block];
    int32_t first = 0;
    while (first < w->n && w->frame[first].block != b) first += (int32_t)w->frame[first].block->nodes;
    if (first >= w->n) continue;
    vvi_em_frame *f = &w->frame[first + led[k].node];
    f->led = !f->held;
    memcpy(f->gravity, led[k].rate, sizeof f->gravity);
    w->weighs = true;
  }
}

void vvi_em_store(const vvi_em_rigid *w, vv_state *x)
{
  for (int32_t i = 0; i < w->n; i++) {
    const vvi_em_frame *f = &w->frame[i];
    const int64_t c = f->block->column;
    double *q = x->q + f->block->q0 + f->node, *p = x->p + f->block->p0 + f->node;
    if (f->held) continue;
    for (int k = 0; k < 3; k++) q[k * c] = f->x[k], p[k * c] = f->p[k], p[(3 + k) * c] = f->h[k];
    for (int k = 0; k < 4; k++) q[(3 + k) * c] = f->q[k];
    for (int k = 0; k < 7; k++) q[(7 + k) * c] = f->carry[k];
  }
}

/* ---- one body ---- */

void vvi_em_move(vvi_em_frame *f, double dt)
{
  for (int k = 0; k < 3 && !f->held; k++) {
    f->p1[k] = f->p[k] + (dt * f->mass * f->gravity[k] + f->j[k]);
    f->dx[k] = dt * (0.5 * (f->p[k] + f->p1[k]) / f->mass);
  }
}

bool vvi_em_turn(vvi_em_frame *f, double dt)
{
  if (f->held) return true;
  for (int k = 0; k < 3; k++) f->h1[k] = f->h[k] + f->l[k];
  if (f->joined) return vvi_em_cayley(f, dt);
  const bool found = vvi_simo_wong(f->inertia, f->r, dt, f->h, f->l, f->theta) >= 0;
  memcpy(f->twist, f->theta, sizeof f->twist);
  return found;
}

/* The quaternion of a turn by theta is (cos t/2, sin t/2 theta/t); q is increased by what that differs from 1, so that the
 * sum can be carried. */
static void turn_quaternion(const double theta[3], double q[4], double carry[4])
{
  const double t2 = vvi_dot3(theta, theta);
  double half, less; /* sin(t/2)/t and 1 - cos(t/2) */
  if (t2 < 1e-4) {   /* the next terms are below 1e-19 of these */
    half = 0.5 - t2 * (1.0 / 48.0 - t2 * (1.0 / 3840.0 - t2 / 645120.0));
    less = t2 * (0.125 - t2 * (1.0 / 384.0 - t2 * (1.0 / 46080.0 - t2 / 10321920.0)));
  } else {
    const double t = sqrt(t2), s = sin(0.25 * t);
    half = sin(0.5 * t) / t;
    less = 2.0 * s * s;
  }
  const double change[4] = {-less, half * theta[0], half * theta[1], half * theta[2]};
  double d[4];
  vvi_quaternion_times(change, q, d);
  for (int k = 0; k < 4; k++) vvi_carried_add(d[k], &q[k], &carry[k]);
}

void vvi_em_take(vvi_em_frame *f, double dt, vv_posted *post)
{
  if (f->held) return;
  if (f->gravity[0] != 0.0 || f->gravity[1] != 0.0 || f->gravity[2] != 0.0) {
    double middle[3], weight[3];
    for (int k = 0; k < 3; k++) middle[k] = f->x[k] + 0.5 * f->dx[k], weight[k] = dt * f->mass * f->gravity[k];
    vvi_post_impulse(post, middle, weight);
  }
  for (int k = 0; f->led && k < 3; k++) /* the drive lifts it */
    vvi_sum_add(&post->external_work, f->mass * (f->gravity[k] - f->block->gravity[k]) * f->dx[k]);
  for (int k = 0; k < 3; k++) {
    vvi_carried_add(f->dx[k], &f->x[k], &f->carry[k]);
    f->p[k] = f->p1[k];
    f->h[k] = f->h1[k];
  }
  turn_quaternion(f->theta, f->q, f->carry + 3);
  vvi_quaternion_matrix(f->q, f->r);
}

void vvi_em_pose(const vvi_em_frame *f, bool after, vvi_pose *out)
{
  memcpy(out->place, f->x, sizeof out->place);
  memcpy(out->turn, f->r, sizeof out->turn);
  if (!after || f->held) return;
  double turn[9];
  vvi_exp(f->theta, turn);
  vvi_mul33(turn, f->r, out->turn);
  for (int k = 0; k < 3; k++) out->place[k] += f->dx[k];
}

/* |omega| <= |h|/I_least, and |omega|^2 <= 2 T/I_least: in flight both h and T stay. */
double vvi_em_spin_bound(const vvi_em_frame *f)
{
  double body[3], twice = 0.0;
  if (f->held) return 0.0;
  vvi_tapply33(f->r, f->h, body);
  for (int k = 0; k < 3; k++)
    if (f->inertia[k] > 0.0) twice += body[k] * body[k] / f->inertia[k];
  return fmin(vvi_norm3(f->h) / f->least, sqrt(twice / f->least));
}
