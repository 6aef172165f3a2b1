/* step/energy_momentum/joined.c  Joints of rigid bodies in energy-momentum steps.
 *
 * Bodies that joints hold turn by the Cayley map, Lambda = cay(c): with c = dt/2 (Lambda^T omega_n+1 + omega_n)
 *   h_n+1 = Lambda I_n (2 c/dt - omega_n),   T_n+1 - T_n = c.L/dt,   R_n+1 - R_n = c x (R_n + R_n+1)/2           [joint 11]
 * so that the arm which does the work of a force and the arm of its angular momentum are one, the mean.  Then the rows of
 * [joint 2] at the mean of both ends (places, arms, axes) are the discrete gradient of g,
 *   g_n+1 - g_n = sum of force.dX + moment.c                                                                     [joint 12]
 * and impulses x along them with g_n+1 = g_n keep energy and both momenta exactly. */
#include "step/energy_momentum/frames.h"

#include <float.h>
#include <string.h>

enum { ROUNDS = 100, TURNS = 30 };

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

/* ---- creation ---- */

vv_status vvi_em_refuse_joints(const vv_model *m)
{
  const vv_group *g = vv_sub(m->root, "method");
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->nodes > 0 && (b->kind->implicit == NULL || b->kind->implicit->frames == NULL))
      return vv_complain(g, "step",
                         "energy-momentum joins rigid bodies and the ground, in scenes without a %s; use leapfrog",
                         b->kind->name);
  }
  return VV_OK;
}

vv_status vvi_em_joined_create(struct vv_step *s, vvi_em_rigid *w)
{
  const vv_model *m = s->model;
  const struct vvi_joints *k = m->joints;
  VV_TRY(vvi_joint_create(m, s->arena, s->state->memory + m->nh - vvi_joints_memory(m), &w->joints));
  w->joined = VVI_ARENA_NEW(s->arena, int32_t, k->nodes);
  w->joined_at = VVI_ARENA_NEW(s->arena, int32_t, w->n + 1);
  w->joined_gap = VVI_ARENA_NEW(s->arena, double, VVI_JOINT_ROWS *(int64_t)k->n);
  w->dense = VVI_ARENA_NEW(s->arena, double, VVI_EM_DENSE *(2 * VVI_EM_DENSE + 5));
  if (!w->joined || !w->joined_at || !w->joined_gap || !w->dense) return VV_NOMEM;
  for (int32_t i = 0; i <= w->n; i++) w->joined_at[i] = -1;
  for (int32_t i = 0; i < k->nodes; i++)
    for (int32_t f = 0; f < w->n; f++)
      if (w->frame[f].block == &m->block[k->node[i].block] && w->frame[f].node == k->node[i].node) {
        w->joined[i] = f, w->joined_at[f] = i;
        w->frame[f].joined = !w->frame[f].held;
        for (int c = 0; c < 3; c++)
          if (!(w->frame[f].inertia[c] > 0.0))
            return vvi_fail(
                m->ctx, VV_UNSUPPORTED,
                "'%s' has a moment of inertia that is zero: energy-momentum steps cannot join it; use leapfrog",
                m->body[k->node[i].body].name);
      }
  return VV_OK;
}

/* ---- rows ---- */

/* The mean of both ends of the step, as far as it is known. */
static void mean_of(const vvi_em_frame *f, vv_mover *out)
{
  vvi_pose end;
  vvi_em_pose(f, true, &end);
  for (int c = 0; c < 3; c++) out->place[c] = 0.5 * (f->x[c] + end.place[c]);
  for (int c = 0; c < 9; c++) out->turn[c] = 0.5 * (f->r[c] + end.turn[c]);
  for (int c = 0; c < 6; c++) out->inverse_mass[c] = c < 3 && !f->held ? 1.0 / f->mass : 0.0;
  memcpy(out->inverse_inertia, f->inverse, sizeof out->inverse_inertia);
}

void vvi_em_joined_push(vvi_em_rigid *w, bool factor)
{
  struct vvi_joint_step *k = w->joints;
  for (int32_t i = 0; i < k->joints->nodes; i++) {
    mean_of(&w->frame[w->joined[i]], &k->now[i]);
    memset(k->push[i], 0, sizeof k->push[i]);
  }
  vvi_joints_rows(k, factor);
  vvi_joints_pull(k);
  for (int32_t i = 0; i < k->joints->nodes; i++) {
    vvi_em_frame *f = &w->frame[w->joined[i]];
    for (int c = 0; c < 3; c++) f->j[c] += k->push[i][c], f->l[c] += k->push[i][3 + c];
  }
}

/* Places of the start, or of the end of the step. */
static void look_at(vvi_em_rigid *w, bool after)
{
  struct vvi_joint_step *k = w->joints;
  for (int32_t i = 0; i < k->joints->nodes; i++) {
    vvi_pose at;
    vvi_em_pose(&w->frame[w->joined[i]], after, &at);
    memcpy(k->ahead[i].place, at.place, sizeof at.place);
    memcpy(k->ahead[i].turn, at.turn, sizeof at.turn);
  }
}

/* g changes by what the rows say of the displacements, far more exactly than a difference of places shows; of what rounding has
 * left of g so far a hundredth is asked back in every step.  rhs = -that/dt; returns the largest over its rounding. */
double vvi_em_joined_miss(vvi_em_rigid *w, double dt)
{
  struct vvi_joint_step *k = w->joints;
  double most = 0.0;
  for (int32_t j = 0; j < k->joints->n; j++) {
    const vvi_joint *e = &k->joints->joint[j];
    double *u = k->rhs + VVI_JOINT_ROWS * (int64_t)j, size = 0.0;
    const double *g = w->joined_gap + VVI_JOINT_ROWS * (int64_t)j;
    for (int r = 0; r < VVI_JOINT_ROWS; r++) u[r] = r < e->rows ? 0.01 * g[r] : 0.0;
    for (int s = 0; s < 2; s++) {
      const vvi_em_frame *f = e->end[s].node >= 0 ? &w->frame[w->joined[e->end[s].node]] : NULL;
      if (f == NULL || f->held) continue;
      double spin[3];
      vvi_times6(f->inverse, f->l, spin);
      size += vvi_norm3(f->dx) + fabs(dt) * vvi_norm3(f->j) / f->mass;
      size += (vvi_norm3(e->end[s].arm) + e->size) * (vvi_norm3(f->twist) + fabs(dt) * vvi_norm3(spin));
      for (int r = 0; r < e->rows; r++)
        u[r] += vvi_dot3(k->rows[j].leg[s][r], f->dx) + vvi_dot3(k->rows[j].leg[s][r] + 3, f->twist);
    }
    for (int r = 0; r < e->rows; r++) {
      const double by = e->tie[r].type == VVI_TIE_ANGLE ? e->size : 1.0;
      if (!isfinite(u[r])) return INFINITY;
      most = fmax(most, by * fabs(u[r]) / (4.0 * DBL_EPSILON * size + 1e-3 * by * vvi_joint_floor(e, r, k->now)));
      u[r] /= -dt;
    }
  }
  return most;
}

/* ---- without contact ---- */

/* Returns by how much the motions changed, over their rounding. */
static double fly(vvi_em_rigid *w, double dt, bool *turned)
{
  double size = 0.0, length = 0.0, angle = 0.0, moved = 0.0, turn = 0.0;
  for (int32_t i = 0; i < w->joints->joints->nodes; i++) {
    vvi_em_frame *f = &w->frame[w->joined[i]];
    double dx[3], c[3];
    if (f->held) continue;
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
  for (int32_t j = 0; j < w->joints->joints->n; j++) size = fmax(size, w->joints->joints->joint[j].size);
  const double all = length + size * angle;
  return all > 0.0 ? (moved + size * turn) / (4.0 * DBL_EPSILON * all) : 0.0;
}

/* Mean velocities answer impulses with half the inverse mass: D x/2 = -g/dt. */
void vvi_em_joined_correct(vvi_em_rigid *w, double part)
{
  struct vvi_joint_step *k = w->joints;
  const int64_t n = VVI_JOINT_ROWS * (int64_t)k->joints->n;
  vvi_joints_solve(k, k->rhs);
  for (int64_t i = 0; i < n; i++) k->impulse[i] += 2.0 * part * k->rhs[i];
}

/* The step of all assemblies alone.  It ends at the rounding floor: small, and no longer better. */
bool vvi_em_joined_predict(vvi_em_rigid *w, double dt)
{
  struct vvi_joint_step *k = w->joints;
  double best = INFINITY, last = INFINITY;
  int stale = 0;
  vvi_joints_guess(k, dt);
  look_at(w, false);
  for (int32_t j = 0; j < k->joints->n; j++)
    vvi_joint_gaps(&k->joints->joint[j], k->ahead, w->joined_gap + VVI_JOINT_ROWS * (int64_t)j);
  for (int32_t i = 0; i < k->joints->nodes; i++) vvi_em_touch_frame(&w->frame[w->joined[i]]);
  for (int round = 0; round < ROUNDS; round++) {
    bool turned = true;
    for (int32_t i = 0; i < k->joints->nodes; i++) {
      vvi_em_frame *f = &w->frame[w->joined[i]];
      for (int c = 0; c < 3; c++) f->j[c] = f->l[c] = 0.0;
    }
    const double left = round > 0 ? last : INFINITY;
    vvi_em_joined_push(w, round < 2 || (round % 4 == 0 && last > 1e3));
    const double moved = fly(w, dt, &turned);
    if (!turned) return false;
    last = fmax(vvi_em_joined_miss(w, dt), moved);
    if (!(last < INFINITY)) return false;
    stale = last < 0.5 * best ? 0 : stale + 1;
    best = fmin(best, last);
    if (round >= 2 && (last <= 4.0 || (stale >= 2 && last <= 64.0 && last <= 2.0 * best))) return true;
    if (round > 20 && last > 1e6 && last > left) return false;
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
  vvi_times6(f->inverse, j + 3, v + 3);
  for (int c = 0; c < 3; c++) v[c] = f->held ? 0.0 : 0.5 * j[c] / f->mass, v[3 + c] *= 0.5;
}

static int32_t node_of(const vvi_em_rigid *w, const vvi_em_contact *c, int side)
{
  return w->joined_at[side == 0 ? c->f.slave : c->f.master];
}

/* What velocities of the nodes of one assembly make of the rows of all contacts: column of flex, or of u. */
static void see(const vvi_em_rigid *w, int directions, int32_t assembly, double (*v)[6], double *to, int64_t stride)
{
  const vvi_joint_node *node = w->joints->joints->node;
  for (int32_t i = 0; i < w->n_contact; i++)
    for (int side = 0; side < 2; side++) {
      const int32_t n = node_of(w, &w->contact[i], side);
      if (n < 0 || node[n].assembly != assembly) continue;
      for (int d = 0; d < directions; d++) {
        const int64_t row = (int64_t)directions * i + d;
        to[row * stride] += along(&w->rows[row], side, v[n]);
      }
    }
}

/* A unit impulse along a row of a contact, less what it does without joints. */
static void fill_column(vvi_em_rigid *w, int directions, int64_t column)
{
  struct vvi_joint_step *k = w->joints;
  const vvi_em_contact *c = &w->contact[column / directions];
  const vvi_em_row *r = &w->rows[column];
  const int64_t rows = (int64_t)w->n_contact * directions;
  int32_t seen = -1;
  for (int side = 0; side < 2; side++) {
    const int32_t n = node_of(w, c, side), assembly = n >= 0 ? k->joints->node[n].assembly : -1;
    if (n < 0 || assembly == seen) continue;
    const vvi_assembly *a = &k->joints->assembly[assembly];
    memset(k->extra + a->node0, 0, sizeof *k->extra * (size_t)a->nodes);
    for (int s = side; s < 2; s++) {
      const int32_t at = node_of(w, c, s);
      if (at < 0 || k->joints->node[at].assembly != assembly) continue;
      for (int i = 0; i < 3; i++)
        k->extra[at][i] += (s == 0 ? 1.0 : -1.0) * r->push[i], k->extra[at][3 + i] += r->turn[s][i];
    }
    memcpy(k->push + a->node0, k->extra + a->node0, sizeof *k->extra * (size_t)a->nodes);
    vvi_assembly_spread(k, assembly, k->extra);
    for (int32_t i = a->node0; i < a->node0 + a->nodes; i++) {
      double less[6];
      for (int j = 0; j < 6; j++) less[j] = k->extra[i][j] - k->push[i][j];
      answer(&w->frame[w->joined[i]], less, k->extra[i]);
    }
    see(w, directions, assembly, k->extra, w->flex + column, rows);
    seen = assembly;
  }
}

/* Contacts feel each other through joints; and what joints lack now, they will get: their rows know it beforehand. */
bool vvi_em_joined_couple(vvi_em_rigid *w, int directions)
{
  struct vvi_joint_step *k = w->joints;
  const int64_t rows = (int64_t)w->n_contact * directions, n = VVI_JOINT_ROWS * (int64_t)k->joints->n;
  if (!vvi_em_flex_fit(w, rows)) return false;
  memcpy(k->kept, k->rhs, sizeof *k->rhs * (size_t)n);
  for (int64_t i = 0; i < rows; i++) fill_column(w, directions, i);
  memcpy(k->rhs, k->kept, sizeof *k->rhs * (size_t)n);
  return true;
}

void vvi_em_joined_foresee(vvi_em_rigid *w, int directions)
{
  struct vvi_joint_step *k = w->joints;
  const int64_t n = VVI_JOINT_ROWS * (int64_t)k->joints->n;
  double *impulse = k->kept + n;
  memcpy(impulse, k->impulse, sizeof *impulse * (size_t)n);
  memcpy(k->impulse, k->rhs, sizeof *impulse * (size_t)n);
  vvi_joints_solve(k, k->impulse);
  memset(k->push, 0, sizeof *k->push * (size_t)k->joints->nodes);
  vvi_joints_pull(k);
  for (int32_t i = 0; i < k->joints->nodes; i++) {
    for (int c = 0; c < 6; c++) k->push[i][c] *= 2.0;
    answer(&w->frame[w->joined[i]], k->push[i], k->extra[i]);
  }
  memcpy(k->impulse, impulse, sizeof *impulse * (size_t)n);
  for (int32_t a = 0; a < k->joints->assemblies; a++)
    for (int32_t i = 0; i < w->n_contact; i++)
      for (int side = 0; side < 2; side++) {
        const int32_t at = node_of(w, &w->contact[i], side);
        if (at < 0 || k->joints->node[at].assembly != a) continue;
        for (int d = 0; d < directions; d++)
          w->contact[i].u[d] += along(&w->rows[(int64_t)directions * i + d], side, k->extra[at]);
      }
}

/* After the impulses of contacts have changed by `move`: what their rows do to the joints comes to what these lack. */
void vvi_em_joined_follow(vvi_em_rigid *w, int directions, double part)
{
  struct vvi_joint_step *k = w->joints;
  memset(k->extra, 0, sizeof *k->extra * (size_t)k->joints->nodes);
  for (int64_t row = 0; row < (int64_t)w->n_contact * directions; row++)
    for (int side = 0; side < 2; side++) {
      const int32_t n = node_of(w, &w->contact[row / directions], side);
      const vvi_em_row *r = &w->rows[row];
      for (int c = 0; n >= 0 && c < 3; c++) {
        k->extra[n][c] += (side == 0 ? 1.0 : -1.0) * w->move[row] * r->push[c];
        k->extra[n][3 + c] += w->move[row] * r->turn[side][c];
      }
    }
  for (int32_t j = 0; j < k->joints->n; j++) {
    const vvi_joint *e = &k->joints->joint[j];
    for (int s = 0; s < 2; s++)
      for (int r = 0; r < e->rows && e->end[s].node >= 0; r++)
        for (int c = 0; c < 6; c++)
          k->rhs[VVI_JOINT_ROWS * j + r] -= 0.5 * k->rows[j].answer[s][r][c] * k->extra[e->end[s].node][c];
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
