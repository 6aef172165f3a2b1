/* step/energy_momentum/joined.c  Joints in energy-momentum steps.
 *
 * Bodies that joints hold turn by the Cayley map, Lambda = cay(c): with c = dt/2 (Lambda^T omega_n+1 + omega_n)
 *   h_n+1 = Lambda I_n (2 c/dt - omega_n),   T_n+1 - T_n = c.L/dt,   R_n+1 - R_n = c x (R_n + R_n+1)/2           [joint 11]
 * so that the arm which does the work of a force and the arm of its angular momentum are one, the mean.  Then the rows of
 * [joint 2] at the mean of both ends (places, arms, axes) are the discrete gradient of g,
 *   g_n+1 - g_n = sum of force.dX + moment.c                                                                     [joint 12]
 * and impulses x along them with g_n+1 = g_n keep energy and both momenta exactly.  Nodes of bodies that bend move by u and
 * turn by the Cayley vector theta, and forces on them do the work F.u + M.theta: they are held by the same rows, and what an
 * impulse does to them is asked of the tangent of their step [joint 13]. */
#include "step/energy_momentum/frames.h"

#include <float.h>
#include <string.h>

enum { ROUNDS = 100, TURNS = 30 };
static const double BACK = 0.01; /* of a gap, asked back in every step */

/* ---- one body ---- */

/* r(y) = 2 I y - M + C x (I W + I y + M/2) = 0,   C = dt (W + y), in body axes. */
bool vvi_em_cayley(vvi_em_frame *f, double dt)
{
  double w[3], m[3], y[3], c[3], before = INFINITY;
  vvi_tapply33(f->r, f->h, w);
  vvi_tapply33(f->r, f->l, m);
  double scale = vvi_norm3(w) + vvi_norm3(m);
  for (int k = 0; k < 3; k++) w[k] /= f->inertia[k], y[k] = 0.5 * m[k] / f->inertia[k];
  for (int round = 0; round < TURNS; round++) {
    double b[3], r[3], step[3], jacobian[9];
    for (int k = 0; k < 3; k++) c[k] = dt * (w[k] + y[k]), b[k] = f->inertia[k] * (w[k] + y[k]) + 0.5 * m[k];
    vvi_cross3(c, b, r);
    for (int k = 0; k < 3; k++) r[k] += 2.0 * f->inertia[k] * y[k] - m[k];
    const double left = vvi_norm3(r);
    if (!(left <= INFINITY)) return false;
    if (left <= 1e-17 * scale || (left <= 1e-14 * scale && left >= 0.5 * before)) break;
    if (round == TURNS - 1) return false;
    before = left;
    const double bh[9] = {0, b[2], -b[1], -b[2], 0, b[0], b[1], -b[0], 0}; /* -b^ */
    const double ch[9] = {0, -c[2], c[1], c[2], 0, -c[0], -c[1], c[0], 0};
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++)
        jacobian[3 * i + k] = (i == k ? 2.0 * f->inertia[k] : 0.0) + dt * bh[3 * i + k] + ch[3 * i + k] * f->inertia[k];
    vvi_solve33(jacobian, r, step);
    for (int k = 0; k < 3; k++) y[k] -= step[k];
  }
  vvi_apply33(f->r, c, f->twist);
  const double size = vvi_norm3(c),
               by = size > 1e-3 ? 2.0 * atan(0.5 * size) / size : 1.0 - size * size / 12.0 * (1.0 - 0.15 * size * size);
  for (int k = 0; k < 3; k++) f->theta[k] = by * f->twist[k];
  return true;
}

/* ---- nodes ---- */

enum { ROW = VV_IMPLICIT_ROW };

/* The rigid body that a node is; NULL: it is one of a body that bends. */
static vvi_em_frame *frame_at(const vvi_em_rigid *w, int32_t i)
{
  return w->joined_soft[i] == 0 ? &w->frame[w->joined[i]] : NULL;
}

static vvi_em_soft *soft_at(const vvi_em_rigid *w, int32_t i)
{
  return &w->soft[w->joined_soft[i] - 1];
}

static void soft_node(const vvi_em_rigid *w, int32_t i, vv_implicit_node *out)
{
  const vvi_em_soft *f = soft_at(w, i);
  f->parts->node(f->work, w->joined[i], out);
}

/* How a node moves and turns in the step, so far. */
static void motion_of(const vvi_em_rigid *w, int32_t i, double u[6])
{
  const vvi_em_frame *f = frame_at(w, i);
  vv_implicit_node n;
  if (f != NULL) {
    for (int c = 0; c < 3; c++) u[c] = f->held ? 0.0 : f->dx[c], u[3 + c] = f->held ? 0.0 : f->twist[c];
    return;
  }
  soft_node(w, i, &n);
  memcpy(u, n.u, sizeof n.u), memcpy(u + 3, n.theta, sizeof n.theta);
}

/* ---- creation ---- */

vv_status vvi_em_refuse_joints(const vv_model *m)
{
  const struct vvi_joints *k = m->joints;
  for (int32_t i = 0; i < k->nodes; i++) {
    const vv_block *b = &m->block[k->node[i].block];
    const bool frames = b->kind->implicit != NULL && b->kind->implicit->frames != NULL;
    if (!frames && vvi_em_parts_of(b) == NULL)
      return vv_complain(vv_sub(m->root, "method"), "step", "energy-momentum cannot join '%s' of kind %s; use leapfrog",
                         m->body[k->node[i].body].name, b->kind->name);
  }
  return VV_OK;
}

static int32_t find_frame(const vvi_em_rigid *w, const vv_block *b, int64_t node)
{
  for (int32_t f = 0; f < w->n; f++)
    if (w->frame[f].block == b && w->frame[f].node == node) return f;
  return -1;
}

static vv_status place_node(const vv_model *m, vvi_em_rigid *w, int32_t i)
{
  const vvi_joint_node *n = &m->joints->node[i];
  const vv_block *b = &m->block[n->block];
  w->joined_soft[i] = vvi_em_soft_of(w, b, n->node);
  if (w->joined_soft[i] > 0) {
    vvi_em_soft *f = soft_at(w, i);
    w->joined[i] = (int32_t)(n->node - f->first), f->assembly = n->assembly;
    return VV_OK;
  }
  const int32_t f = w->joined[i] = find_frame(w, b, n->node);
  w->joined_at[f] = i;
  w->frame[f].joined = !w->frame[f].held;
  for (int c = 0; c < 3; c++)
    if (!(w->frame[f].inertia[c] > 0.0))
      return vvi_fail(m->ctx, VV_UNSUPPORTED,
                      "'%s' has a moment of inertia that is zero: energy-momentum steps cannot join it; use leapfrog",
                      m->body[n->body].name);
  return VV_OK;
}

vv_status vvi_em_joined_create(struct vv_step *s, vvi_em_rigid *w)
{
  const vv_model *m = s->model;
  const struct vvi_joints *k = m->joints;
  VV_TRY(vvi_joint_create(m, s->arena, s->state->memory + m->nh - vvi_joints_memory(m), &w->joints));
  VV_TRY(vvi_joints_link(w->joints, s->arena));
  w->joined = VVI_ARENA_NEW(s->arena, int32_t, k->nodes);
  w->joined_soft = VVI_ARENA_NEW(s->arena, int32_t, k->nodes);
  w->joined_start = VVI_ARENA_NEW(s->arena, vv_mover, k->nodes);
  w->joined_at = VVI_ARENA_NEW(s->arena, int32_t, w->n + 1);
  w->joined_gap = VVI_ARENA_NEW(s->arena, double, VVI_JOINT_ROWS *(int64_t)k->n);
  w->dense = VVI_ARENA_NEW(s->arena, double, VVI_EM_DENSE *(2 * VVI_EM_DENSE + 5));
  if (!w->joined || !w->joined_soft || !w->joined_start || !w->joined_at || !w->joined_gap || !w->dense)
    return VV_NOMEM;
  for (int32_t i = 0; i <= w->n; i++) w->joined_at[i] = -1;
  for (int32_t i = 0; i < w->n_soft; i++) w->soft[i].assembly = -1;
  for (int32_t i = 0; i < k->nodes; i++) VV_TRY(place_node(m, w, i));
  return VV_OK;
}

/* ---- rows ---- */

/* R under (1 - c^/2)^-1 = (1 + cay c)/2: the mean of it and of where c turns it.                                     [em 7] */
static void mean_turn(const double r[9], const double c[3], double out[9])
{
  const double scale = 1.0 / (1.0 + 0.25 * vvi_dot3(c, c));
  for (int k = 0; k < 3; k++) {
    const double x[3] = {r[k], r[3 + k], r[6 + k]}, along = 0.25 * vvi_dot3(c, x);
    double side[3];
    vvi_cross3(c, x, side);
    for (int i = 0; i < 3; i++) out[3 * i + k] = scale * (x[i] + 0.5 * side[i] + along * c[i]);
  }
}

/* A node of a body that bends: at the start, in the mean, or at the end of the step (when: 0, 0.5, 1). */
static void soft_mover(const vvi_em_rigid *w, int32_t i, double when, vv_mover *out)
{
  vv_implicit_node n;
  *out = w->joined_start[i];
  soft_node(w, i, &n);
  for (int c = 0; c < 3; c++) out->place[c] = n.place[c] + when * n.u[c];
  if (when == 0.0 || !soft_at(w, i)->parts->turns) return;
  mean_turn(w->joined_start[i].turn, n.theta, out->turn);
  for (int c = 0; c < 9 && when == 1.0; c++) out->turn[c] = 2.0 * out->turn[c] - w->joined_start[i].turn[c];
}

static void weigh(const vvi_em_frame *f, vv_mover *out)
{
  for (int c = 0; c < 6; c++) out->inverse_mass[c] = c < 3 && !f->held ? 1.0 / f->mass : 0.0;
  memcpy(out->inverse_inertia, f->inverse, sizeof out->inverse_inertia);
}

/* The mean of both ends of the step, as far as it is known. */
static void mean_of(const vvi_em_rigid *w, int32_t i, vv_mover *out)
{
  const vvi_em_frame *f = frame_at(w, i);
  vvi_pose end;
  if (f == NULL) {
    soft_mover(w, i, 0.5, out);
    return;
  }
  vvi_em_pose(f, true, &end);
  for (int c = 0; c < 3; c++) out->place[c] = 0.5 * (f->x[c] + end.place[c]);
  for (int c = 0; c < 9; c++) out->turn[c] = 0.5 * (f->r[c] + end.turn[c]);
  weigh(f, out);
}

/* What unit impulses on a node do to all joined nodes of its body: mean velocities answer with B K^-1 B^T/dt^2, half of what
 * is kept here, as those of a frame answer with half the inverse mass.                                          [joint 13] */
static void link_node(vvi_em_rigid *w, int32_t by, double dt)
{
  const struct vvi_joint_step *k = w->joints;
  const vvi_em_soft *f = soft_at(w, by);
  for (int d = 0; d < 6; d++) {
    const bool moves = d < 3 || f->parts->turns;
    memset(w->column, 0, sizeof(double) * (size_t)(ROW * f->n));
    w->column[ROW * w->joined[by] + d] = 1.0;
    if (moves) f->parts->respond(f->work, VVI_EM_COLUMN, w->column);
    for (int32_t to = 0; to < k->joints->nodes; to++) {
      double *block = vvi_joint_link(k, to, by);
      for (int c = 0; c < 6 && block != NULL; c++)
        block[6 * c + d] = moves ? 2.0 * w->column[ROW * w->joined[to] + c] / (dt * dt) : 0.0;
    }
  }
}

void vvi_em_joined_push(vvi_em_rigid *w, double dt, bool factor)
{
  struct vvi_joint_step *k = w->joints;
  for (int32_t i = 0; i < k->joints->nodes; i++) {
    mean_of(w, i, &k->now[i]);
    memset(k->push[i], 0, sizeof k->push[i]);
    if (factor && w->joined_soft[i] > 0) link_node(w, i, dt);
  }
  vvi_joints_rows(k, factor);
  vvi_joints_pull(k);
  for (int32_t i = 0; i < k->joints->nodes; i++) {
    vvi_em_frame *f = frame_at(w, i);
    double *load = f == NULL ? soft_at(w, i)->load + ROW * (int64_t)w->joined[i] : NULL;
    for (int c = 0; c < 6 && f == NULL; c++) load[c] += k->push[i][c] / dt;
    for (int c = 0; c < 3 && f != NULL; c++) f->j[c] += k->push[i][c], f->l[c] += k->push[i][3 + c];
  }
}

/* Places of the start, or of the end of the step. */
static void look_at(vvi_em_rigid *w, bool after)
{
  struct vvi_joint_step *k = w->joints;
  for (int32_t i = 0; i < k->joints->nodes; i++) {
    const vvi_em_frame *f = frame_at(w, i);
    vvi_pose at;
    if (f == NULL) {
      soft_mover(w, i, after ? 1.0 : 0.0, &k->ahead[i]);
      continue;
    }
    vvi_em_pose(f, after, &at);
    memcpy(k->ahead[i].place, at.place, sizeof at.place);
    memcpy(k->ahead[i].turn, at.turn, sizeof at.turn);
    weigh(f, &k->ahead[i]);
  }
}

/* m, and rad: what a node moves by in the step, and by its impulses alone. */
static void sizes_of(const vvi_em_rigid *w, int32_t i, double dt, double *length, double *angle)
{
  const vvi_em_frame *f = frame_at(w, i);
  double u[6], spin[3];
  motion_of(w, i, u);
  *length = vvi_norm3(u), *angle = vvi_norm3(u + 3);
  if (f != NULL && !f->held) {
    vvi_times6(f->inverse, f->l, spin);
    *length += fabs(dt) * vvi_norm3(f->j) / f->mass, *angle += fabs(dt) * vvi_norm3(spin);
  }
  if (f == NULL) *length = fmax(*length, soft_at(w, i)->most), *angle = fmax(*angle, soft_at(w, i)->turn);
}

/* g changes by what the rows say of the displacements, far more exactly than a difference of places shows; of what rounding has
 * left of g so far a hundredth is asked back in every step.  rhs = -that/dt; returns the largest over its rounding. */
double vvi_em_joined_miss(vvi_em_rigid *w, double dt)
{
  struct vvi_joint_step *k = w->joints;
  double most = 0.0;
  w->back = 0.0;
  for (int32_t j = 0; j < k->joints->n; j++) {
    const vvi_joint *e = &k->joints->joint[j];
    double *u = k->rhs + VVI_JOINT_ROWS * (int64_t)j, size = 0.0;
    const double *g = w->joined_gap + VVI_JOINT_ROWS * (int64_t)j;
    for (int r = 0; r < VVI_JOINT_ROWS; r++) u[r] = r < e->rows ? BACK * g[r] : 0.0;
    for (int s = 0; s < 2; s++) {
      const int32_t i = e->end[s].node;
      double moved[6], length, angle;
      if (i < 0) continue;
      motion_of(w, i, moved);
      sizes_of(w, i, dt, &length, &angle);
      size += length + (vvi_norm3(e->end[s].arm) + e->size) * angle;
      for (int r = 0; r < e->rows; r++)
        u[r] += vvi_dot3(k->rows[j].leg[s][r], moved) + vvi_dot3(k->rows[j].leg[s][r] + 3, moved + 3);
    }
    for (int r = 0; r < e->rows; r++) {
      const double by = e->tie[r].type == VVI_TIE_ANGLE ? e->size : 1.0;
      if (!isfinite(u[r])) return INFINITY;
      w->back = fmax(w->back, by * BACK * fabs(g[r] / dt));
      most = fmax(most, by * fabs(u[r]) / (4.0 * DBL_EPSILON * size + 1e-3 * by * vvi_joint_floor(e, r, k->now)));
      u[r] /= -dt;
    }
  }
  return most;
}

/* ---- without contact ---- */

/* The largest motion of the nodes of each body that bends and is joined: what its rounding is relative to. */
static void measure_soft(vvi_em_rigid *w)
{
  for (int32_t i = 0; i < w->n_soft; i++) {
    vvi_em_soft *f = &w->soft[i];
    f->most = f->turn = 0.0;
    for (int64_t j = 0; f->assembly >= 0 && j < f->n; j++) {
      vv_implicit_node n;
      f->parts->node(f->work, j, &n);
      f->most = fmax(f->most, vvi_norm3(n.u)), f->turn = fmax(f->turn, vvi_norm3(n.theta));
    }
  }
}

/* Returns by how much the motions changed, over their rounding. */
static double fly(vvi_em_rigid *w, double dt, bool fresh, bool *turned)
{
  double size = 0.0, length = 0.0, angle = 0.0, moved = 0.0, turn = 0.0, soft = 0.0;
  for (int32_t i = 0; i < w->joints->joints->nodes; i++) {
    vvi_em_frame *f = frame_at(w, i);
    double dx[3], c[3];
    if (f == NULL || f->held) continue;
    memcpy(dx, f->dx, sizeof dx), memcpy(c, f->twist, sizeof c);
    vvi_em_move(f, dt);
    *turned &= vvi_em_turn(f, dt);
    double spin[3]; /* what cancels in a body that hardly moves rounds, too */
    vvi_times6(f->inverse, f->l, spin);
    for (int k = 0; k < 3; k++) {
      moved = fmax(moved, fabs(f->dx[k] - dx[k])), turn = fmax(turn, fabs(f->twist[k] - c[k]));
      length = fmax(length, fmax(fabs(f->dx[k]), fabs(dt * f->j[k] / f->mass)));
      angle = fmax(angle, fmax(fabs(f->twist[k]), fabs(dt * spin[k])));
    }
  }
  *turned &= vvi_em_soft_correct(w, fresh);
  measure_soft(w);
  for (int32_t i = 0; i < w->n_soft; i++)
    if (w->soft[i].assembly >= 0 && w->soft[i].whole > 0.0) soft = fmax(soft, w->soft[i].added / w->soft[i].whole);
  for (int32_t j = 0; j < w->joints->joints->n; j++) size = fmax(size, w->joints->joints->joint[j].size);
  const double all = length + size * angle;
  return fmax(all > 0.0 ? (moved + size * turn) / (4.0 * DBL_EPSILON * all) : 0.0, soft / (4.0 * DBL_EPSILON));
}

/* Mean velocities answer impulses with half the inverse mass: D x/2 = -g/dt. */
void vvi_em_joined_correct(vvi_em_rigid *w, double part)
{
  struct vvi_joint_step *k = w->joints;
  const int64_t n = VVI_JOINT_ROWS * (int64_t)k->joints->n;
  vvi_joints_solve(k, k->rhs);
  for (int64_t i = 0; i < n; i++) k->impulse[i] += 2.0 * part * k->rhs[i];
}

void vvi_em_joined_touch(vvi_em_rigid *w)
{
  for (int32_t i = 0; i < w->joints->joints->nodes; i++) {
    vvi_em_frame *f = frame_at(w, i);
    if (f != NULL) vvi_em_touch_frame(f);
    if (f == NULL) soft_at(w, i)->touched = true;
  }
}

/* Where everything is at the start of the step, and g there. */
static void start(vvi_em_rigid *w)
{
  struct vvi_joint_step *k = w->joints;
  const struct vvi_joints *of = k->joints;
  for (int32_t i = 0; i < of->nodes; i++) {
    const vv_block *b = &k->model->block[of->node[i].block];
    if (w->joined_soft[i] > 0)
      b->kind->mover(b, of->node[i].node, w->state->q + b->q0, w->state->p + b->p0, &w->joined_start[i]);
  }
  for (int32_t i = 0; i < w->n_soft; i++) w->soft[i].touched = false;
  vvi_em_joined_touch(w);
  look_at(w, false);
  for (int32_t j = 0; j < of->n; j++)
    vvi_joint_gaps(&of->joint[j], k->ahead, w->joined_gap + VVI_JOINT_ROWS * (int64_t)j);
}

/* Impulses by Newton's method: rows of the mean that the flight leads to, g by them, and its derivative, whose rows are those of the
 * end of the step.                                                                                              [joint 12a] */
static void newton(vvi_em_rigid *w, double dt)
{
  struct vvi_joint_step *k = w->joints;
  const int64_t n = VVI_JOINT_ROWS * (int64_t)k->joints->n;
  for (int32_t i = 0; i < k->joints->nodes; i++) mean_of(w, i, &k->now[i]);
  vvi_joints_rows(k, true);
  vvi_em_joined_miss(w, dt);
  look_at(w, true);
  vvi_joints_newton(k, k->rhs);
  for (int64_t i = 0; i < n; i++) k->impulse[i] += 2.0 * k->rhs[i];
}

/* The step of all assemblies alone.  It ends at the rounding floor: small, and no longer better.  Of what is left joints do work that
 * has a sign: four roundings of it ran to 1e-12 in a million steps [em 20a].  Bodies that bend have four of their own.  Rows and
 * motions follow each other, and a gain may take two rounds: where what is left shrinks by less than five in two, Newton's method. */
bool vvi_em_joined_predict(vvi_em_rigid *w, double dt)
{
  struct vvi_joint_step *k = w->joints;
  const double enough = w->n_soft > 0 ? 4.0 : 1.0;
  double best = INFINITY, last = INFINITY, left = INFINITY;
  int stale = 0;
  bool slow = false;
  vvi_joints_guess(k, dt);
  start(w);
  for (int round = 0; round < ROUNDS; round++) {
    bool turned = true;
    const bool fresh = round < 2 || (round % 4 == 0 && last > 1e3);
    for (int32_t i = 0; i < k->joints->nodes; i++) {
      vvi_em_frame *f = frame_at(w, i);
      for (int c = 0; c < 3 && f != NULL; c++) f->j[c] = f->l[c] = 0.0;
    }
    vvi_em_soft_unload(w);
    const double early = left;
    left = last;
    vvi_em_joined_push(w, dt, fresh);
    const double moved = fly(w, dt, fresh, &turned);
    if (!turned) return false;
    last = fmax(vvi_em_joined_miss(w, dt), moved);
    if (!(last < INFINITY)) return false;
    stale = last < 0.5 * best ? 0 : stale + 1;
    best = fmin(best, last);
    if (round >= 2 && (last <= enough || (stale >= 2 && last <= 64.0 && last <= 2.0 * best))) return true;
    if (round > 20 && last > 1e6 && last > left) return false;
    slow |= round > 2 && last > 0.2 * early && last > 64.0;
    if (slow)
      newton(w, dt);
    else
      vvi_em_joined_correct(w, 1.0);
  }
  return best <= 256.0 && last <= 2.0 * best;
}

/* ---- with contact ---- */

static double along(const vvi_em_row *r, int side, const double v[6])
{
  return (side == 0 ? 1.0 : -1.0) * vvi_dot3(r->push, v) + vvi_dot3(r->turn[side], v + 3);
}

/* Half of M^-1 times an impulse on a node. */
static void answer(const vvi_em_frame *f, const double j[6], double v[6])
{
  double spin[3];
  vvi_times6(f->inverse, j + 3, spin);
  for (int c = 0; c < 3; c++) v[c] = f->held ? 0.0 : 0.5 * j[c] / f->mass, v[3 + c] = 0.5 * spin[c];
}

static int32_t node_of(const vvi_em_rigid *w, const vvi_em_contact *c, int side)
{
  return c->foot[side].soft > 0 ? -1 : w->joined_at[side == 0 ? c->f.slave : c->f.master];
}

/* The assembly that a side of a contact stands on; -1: none. */
static int32_t assembly_of(const vvi_em_rigid *w, const vvi_em_contact *c, int side)
{
  const int32_t n = node_of(w, c, side);
  if (c->foot[side].soft > 0) return w->soft[c->foot[side].soft - 1].assembly;
  return n >= 0 ? w->joints->joints->node[n].assembly : -1;
}

/* Velocities v of the nodes of an assembly by impulses along rows first to last - 1 of the contacts; by: how much, NULL: 1. */
static void rates_by_contacts(vvi_em_rigid *w, int directions, int32_t assembly, int64_t first, int64_t last,
                              const double *by, double dt, double (*v)[6])
{
  struct vvi_joint_step *k = w->joints;
  const vvi_assembly *a = &k->joints->assembly[assembly];
  memset(v + a->node0, 0, sizeof *v * (size_t)a->nodes);
  for (int64_t row = first; row < last; row++)
    for (int side = 0; side < 2; side++) {
      const int32_t n = node_of(w, &w->contact[row / directions], side);
      const double size = by != NULL ? by[row] : 1.0;
      if (n < 0 || k->joints->node[n].assembly != assembly) continue;
      for (int c = 0; c < 3; c++) {
        v[n][c] += (side == 0 ? size : -size) * w->rows[row].push[c];
        v[n][3 + c] += size * w->rows[row].turn[side][c];
      }
    }
  for (int32_t i = a->node0; i < a->node0 + a->nodes; i++)
    if (frame_at(w, i) != NULL) answer(frame_at(w, i), v[i], v[i]);
  for (int32_t s = 1; s <= w->n_soft; s++) {
    const vvi_em_soft *f = &w->soft[s - 1];
    if (f->assembly != assembly || !vvi_em_soft_column(w, s, directions, first, last, by)) continue;
    for (int32_t i = a->node0; i < a->node0 + a->nodes; i++)
      for (int c = 0; c < 6 && w->joined_soft[i] == s; c++)
        v[i][c] = w->column[ROW * (int64_t)w->joined[i] + c] / (dt * dt);
  }
}

/* Adds what impulses on the nodes of an assembly make of the rows of all contacts: a column of flex, or of u. */
static void rates_by_joints(vvi_em_rigid *w, int directions, int32_t assembly, double (*push)[6], double dt, double *to,
                            int64_t stride)
{
  const struct vvi_joints *k = w->joints->joints;
  const vvi_assembly *a = &k->assembly[assembly];
  for (int32_t i = 0; i < w->n_contact; i++)
    for (int side = 0; side < 2; side++) {
      const int32_t n = node_of(w, &w->contact[i], side);
      double v[6];
      if (n < 0 || k->node[n].assembly != assembly) continue;
      answer(&w->frame[w->joined[n]], push[n], v);
      for (int d = 0; d < directions; d++) {
        const int64_t row = (int64_t)directions * i + d;
        to[row * stride] += along(&w->rows[row], side, v);
      }
    }
  for (int32_t s = 1; s <= w->n_soft; s++) {
    const vvi_em_soft *f = &w->soft[s - 1];
    if (f->assembly != assembly || !vvi_em_soft_stood_on(w, s)) continue;
    memset(w->column, 0, sizeof(double) * (size_t)(ROW * f->n));
    for (int32_t i = a->node0; i < a->node0 + a->nodes; i++)
      for (int c = 0; c < 6 && w->joined_soft[i] == s; c++) w->column[ROW * (int64_t)w->joined[i] + c] += push[i][c];
    f->parts->respond(f->work, VVI_EM_COLUMN, w->column);
    vvi_em_soft_see(w, s, directions, dt, to, stride);
  }
}

/* A unit impulse along a row of a contact: what joints answer to it is seen along all rows. */
static void fill_column(vvi_em_rigid *w, int directions, int64_t column, double dt)
{
  struct vvi_joint_step *k = w->joints;
  const vvi_em_contact *c = &w->contact[column / directions];
  int32_t seen = -1;
  for (int side = 0; side < 2; side++) {
    const int32_t assembly = assembly_of(w, c, side);
    if (assembly < 0 || assembly == seen) continue;
    const vvi_assembly *a = &k->joints->assembly[assembly];
    rates_by_contacts(w, directions, assembly, column, column + 1, NULL, dt, k->extra);
    vvi_assembly_undo(k, assembly, k->extra, k->push);
    for (int32_t i = a->node0; i < a->node0 + a->nodes; i++)
      for (int j = 0; j < 6; j++) k->push[i][j] *= 2.0; /* D answers with the whole inverse mass */
    rates_by_joints(w, directions, assembly, k->push, dt, w->flex + column, (int64_t)w->n_contact * directions);
    seen = assembly;
  }
}

/* Contacts feel each other through joints; and what joints lack now, they will get: their rows know it beforehand. */
void vvi_em_joined_couple(vvi_em_rigid *w, int directions, double dt)
{
  struct vvi_joint_step *k = w->joints;
  const int64_t rows = (int64_t)w->n_contact * directions, n = VVI_JOINT_ROWS * (int64_t)k->joints->n;
  memcpy(k->kept, k->rhs, sizeof *k->rhs * (size_t)n);
  for (int64_t i = 0; i < rows; i++) fill_column(w, directions, i, dt);
  memcpy(k->rhs, k->kept, sizeof *k->rhs * (size_t)n);
}

void vvi_em_joined_foresee(vvi_em_rigid *w, int directions, double dt)
{
  struct vvi_joint_step *k = w->joints;
  const int64_t n = VVI_JOINT_ROWS * (int64_t)k->joints->n, rows = (int64_t)w->n_contact * directions;
  double *impulse = k->kept + n, *u = w->swept;
  memcpy(impulse, k->impulse, sizeof *impulse * (size_t)n);
  memcpy(k->impulse, k->rhs, sizeof *impulse * (size_t)n);
  vvi_joints_solve(k, k->impulse);
  memset(k->push, 0, sizeof *k->push * (size_t)k->joints->nodes);
  vvi_joints_pull(k);
  for (int32_t i = 0; i < k->joints->nodes; i++)
    for (int c = 0; c < 6; c++) k->push[i][c] *= 2.0;
  memcpy(k->impulse, impulse, sizeof *impulse * (size_t)n);
  memset(u, 0, sizeof *u * (size_t)rows);
  for (int32_t a = 0; a < k->joints->assemblies; a++) rates_by_joints(w, directions, a, k->push, dt, u, 1);
  for (int64_t i = 0; i < rows; i++) w->contact[i / directions].u[i % directions] += u[i];
}

/* After the impulses of contacts have changed by `move`: what their rows do to the joints comes to what these lack. */
void vvi_em_joined_follow(vvi_em_rigid *w, int directions, double part, double dt)
{
  struct vvi_joint_step *k = w->joints;
  for (int32_t a = 0; a < k->joints->assemblies; a++)
    rates_by_contacts(w, directions, a, 0, (int64_t)w->n_contact * directions, w->move, dt, k->extra);
  for (int32_t j = 0; j < k->joints->n; j++) {
    const vvi_joint *e = &k->joints->joint[j];
    for (int s = 0; s < 2; s++)
      for (int r = 0; r < e->rows && e->end[s].node >= 0; r++)
        for (int c = 0; c < 6; c++)
          k->rhs[VVI_JOINT_ROWS * j + r] -= k->rows[j].leg[s][r][c] * k->extra[e->end[s].node][c];
  }
  vvi_em_joined_correct(w, part);
}

/* ---- the end ---- */

void vvi_em_joined_take(vvi_em_rigid *w, double dt, vv_posted *post)
{
  vvi_joints_keep(w->joints, dt);
  look_at(w, true);
  vvi_joints_post(w->joints, post);
}
