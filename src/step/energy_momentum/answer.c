/* step/energy_momentum/answer.c  The impulses of all contacts of a step.
 *
 * An impulse f on the slave with arm R_s, -f on the master with arm R_m, changes energy and angular momentum by exactly
 *   T1 - T0 = f.u,   u = (dX_s + theta_s x R_s - dX_m - theta_m x R_m)/dt,                                        [em 5]
 *   H1 - H0 = (Xmid_s + R_s - Xmid_m - R_m) x f,   Xmid = X + dX/2,                                               [em 6]
 * so that both are kept where u is zero along f, and the two arms end on one line along f.  Everything below is a way to find
 * such f, arms and motions together.  Linear momentum is exact at every iterate, angular momentum too, energy at the end.
 *
 *   arms D   R_s = Rbar of the material point, R_m ends at the same place in space                            [em 7, 8]
 *   arms C   those of the predictor, moved to meet half way                                                      [em 11]
 *   springs  both are material points of the modified configuration, apart along the normal                  [em 9, 10]
 *
 * Backwards in time the same holds with impulses and velocities of the other sign. */
#include "step/energy_momentum/frames.h"

#include <string.h>

/* With friction iterates that are no better for SWINGS rounds are damped, and given up after twice as many: shorter steps find more. */
enum { ROUNDS = 160, SLOWER = 60, SWINGS = 8, SWEEPS = 400, PATIENCE = 8 };
/* Arms follow the motion by one round: what contacts do to each other through joints is found in so many rounds. */
enum { ARMS = 3 };
/* Where rounds no longer gain: what is rounding, of the speed; what contacts may be off their law (less without friction, where bodies
 * sink by it), if they bring no more of the energy than its rounding, and what they do is booked; and what a correction of a body leaves
 * of itself. */
static const double STILL = 1e-13, SLIP[] = {1e-9, 1e-6}, ROUNDING = 1e-16, SOLVED = 1e-4;
/* Where rounds swing, changes of impulses have a price: at first the error of A, then more in each round.          [em 12a] */
static const double DEARER = 2.0, DEAREST = 1e-2;
/* Impulses of an iterate need not be solved for farther than so much of what it lacks: the arms of the next one are others.  What sweeps
 * do not find that far is left to the next iterate, too, if it is no more than this part.                           [em 26a] */
static const double NEARER = 1e-9, NEAR = 1e-4;
enum { NEWTON = 40 }; /* and iterations of Newton's method then: the next one goes on from there */
/* What impulses may make of the speed: more is no answer but a solver gone astray.  Of a light body that a heavy one stands on they make
 * as many times more as that one is heavier. */
static const double RUN_AWAY = 1e4;

/* ---- the modified configuration ---- */

static void modify(vvi_em_frame *f)
{
  f->tangent = f->held || f->joined ? 1.0 : vvi_half_tangent(vvi_dot3(f->theta, f->theta));
  for (int k = 0; k < 3; k++) f->cayley[k] = f->held ? 0.0 : f->tangent * f->twist[k];
}

/* Rbar = tan(t/2)/(t/2) (R_n + R_n+1)/2, so that theta x Rbar = R_n+1 - R_n; with exp(theta^) = cay(w),
 *   (1 + cay(w))/2 = (1 - w^/2)^-1 = (1 + w^/2 + w w^T/4)/(1 + |w|^2/4)                                           [em 7] */
static void modified_arm(const vvi_em_frame *f, const double body[3], double out[3])
{
  double r[3], wr[3];
  vvi_apply33(f->r, body, r);
  vvi_cross3(f->cayley, r, wr);
  const double along = 0.25 * vvi_dot3(f->cayley, r);
  const double scale = f->tangent / (1.0 + 0.25 * vvi_dot3(f->cayley, f->cayley));
  for (int k = 0; k < 3; k++) out[k] = scale * (r[k] + 0.5 * wr[k] + along * f->cayley[k]);
}

/* The normal of a plane under that map, which is linear but no rotation: n + w x n/2, made unit                     [em 8] */
static void modified_normal(const vvi_em_frame *f, const double body[3], double out[3])
{
  double n[3], wn[3];
  vvi_apply33(f->r, body, n);
  vvi_cross3(f->cayley, n, wn);
  for (int k = 0; k < 3; k++) out[k] = n[k] + 0.5 * wn[k];
  const double size = vvi_norm3(out);
  for (int k = 0; k < 3; k++) out[k] /= size;
}

static double middle(const vvi_em_frame *f, int k)
{
  return f->held ? f->x[k] : f->x[k] + 0.5 * f->dx[k];
}

/* The arm of a material point, its radius left out: from the middle of a frame, or of a body that bends from the origin, which
 * is where the frame of the ground is. */
static void arm_of(const vvi_em_rigid *w, const vvi_em_contact *c, int side, double arm[3])
{
  if (c->foot[side].soft > 0)
    vvi_em_foot_place(w, &c->foot[side], 0.5, arm);
  else if (side == 0)
    modified_arm(&w->frame[c->f.slave], c->f.point, arm);
  else
    modified_arm(&w->frame[c->f.master], c->f.place, arm);
}

/* ---- one contact ---- */

/* Normal and tangents from nu; the tangents turn with it from one iterate to the next. */
static void make_tangents(vvi_em_contact *c)
{
  const double *n = c->nu;
  if (c->least < 0)
    c->least = fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2) : (fabs(n[1]) < fabs(n[2]) ? 1 : 2);
  for (int k = 0; k < 3; k++) c->t[0][k] = (k == c->least) - n[c->least] * n[k];
  const double size = vvi_norm3(c->t[0]);
  for (int k = 0; k < 3; k++) c->t[0][k] /= size;
  vvi_cross3(n, c->t[0], c->t[1]);
}

/* nu and the slave's arm, from the iterate so far.  The arm ends on the surface: the radius is taken off along nu, which
 * changes nothing without friction. */
static void aim_contact(const vvi_em_rigid *w, vvi_em_contact *c)
{
  const vvi_em_frame *s = &w->frame[c->f.slave], *m = &w->frame[c->f.master];
  double far[3], d[3];
  arm_of(w, c, 0, c->arm_s);
  arm_of(w, c, 1, far);
  for (int k = 0; k < 3; k++) d[k] = middle(s, k) + c->arm_s[k] - middle(m, k) - far[k];
  if (c->f.sign == 0.0) {
    modified_normal(m, c->f.normal, c->nu);
  } else {
    const double size = c->f.sign * vvi_norm3(d);
    for (int k = 0; k < 3; k++) c->nu[k] = d[k] / size;
  }
  if (c->law->early)
    for (int k = 0; k < 3; k++) c->nu[k] = c->early_nu[k];
  make_tangents(c);
  for (int k = 0; k < 3; k++) {
    c->foot[0].off[k] = -c->f.own * c->nu[k];
    c->foot[1].off[k] = d[k] - c->f.own * c->nu[k]; /* of point and point: along nu */
    c->arm_s[k] -= c->f.own * c->nu[k];
  }
  vvi_em_rub_aim(w, c);
}

/* The master's arm, from the places that the impulses lead to: its end is where the slave's is. */
static void join_arms(const vvi_em_rigid *w, vvi_em_contact *c)
{
  const vvi_em_frame *s = &w->frame[c->f.slave], *m = &w->frame[c->f.master];
  for (int k = 0; k < 3; k++) {
    const double apart = c->law->printed ? s->x[k] - m->x[k] : middle(s, k) - middle(m, k);
    if (c->law->early) {
      const double d = apart + c->early_s[k] - c->early_m[k];
      c->arm_s[k] = c->early_s[k] - 0.5 * d;
    }
    c->arm_m[k] = apart + c->arm_s[k];
    c->x[k] = middle(s, k) + c->arm_s[k];
  }
}

static void impulse_of(const vvi_em_contact *c, double direction, double j[3])
{
  for (int k = 0; k < 3; k++) j[k] = direction * (c->j[0] * c->nu[k] + c->j[1] * c->t[0][k] + c->j[2] * c->t[1][k]);
}

/* Mean velocity in the step, and velocity at its start.                                                      [em 5, 16] */
static void velocity_of(const vvi_em_rigid *w, const vvi_em_contact *c, int side, double dt, double v[3])
{
  const vvi_em_frame *f = &w->frame[side == 0 ? c->f.slave : c->f.master];
  double turn[3];
  if (c->foot[side].soft > 0) {
    vvi_em_foot_motion(w, &c->foot[side], v);
    for (int k = 0; k < 3; k++) v[k] /= dt;
    return;
  }
  vvi_cross3(f->twist, side == 0 ? c->arm_s : c->arm_m, turn);
  for (int k = 0; k < 3; k++) v[k] = f->held ? 0.0 : (f->dx[k] + turn[k]) / dt;
}

static void velocity_before(const vvi_em_rigid *w, const vvi_em_contact *c, int side, double v[3])
{
  const vvi_em_frame *f = &w->frame[side == 0 ? c->f.slave : c->f.master];
  if (c->foot[side].soft > 0) {
    vvi_em_foot_rate(w, &c->foot[side], v);
    return;
  }
  vvi_cross3(f->omega, side == 0 ? c->arm_s : c->arm_m, v);
  for (int k = 0; k < 3; k++) v[k] += f->v[k];
}

/* Relative velocity of the step, and at its start, in the direction of time. */
static void measure(const vvi_em_rigid *w, vvi_em_contact *c, double dt)
{
  const double direction = dt < 0.0 ? -1.0 : 1.0;
  double us[3], um[3], vs[3], vm[3], u[3], rub[3] = {0, 0, 0};
  velocity_of(w, c, 0, dt, us);
  velocity_of(w, c, 1, dt, um);
  vvi_em_rub_motion(w, c, rub);
  for (int k = 0; k < 3; k++) u[k] = direction * (us[k] - um[k] + rub[k] / dt);
  c->u[0] = vvi_dot3(c->nu, u), c->u[1] = vvi_dot3(c->t[0], u), c->u[2] = vvi_dot3(c->t[1], u);
  velocity_before(w, c, 0, vs);
  velocity_before(w, c, 1, vm);
  for (int k = 0; k < 3; k++) u[k] = direction * (vs[k] - vm[k]);
  c->approach = vvi_dot3(c->nu, u);
  /* u = (1 - e)/2 of the approach: T1 - T0 = j (1 - e) approach/2 <= 0; springs lose by their law                  [em 13] */
  c->aim = c->law->stiffness > 0.0 ? 0.0 : 0.5 * (1.0 - c->law->restitution) * fmin(c->approach, 0.0);
  c->spring1 = c->spring0 + fabs(dt) * c->u[0];
}

/* ---- an iterate: impulses in, motions and velocities out ---- */

static void push_soft(vvi_em_rigid *w, const vvi_em_contact *c, const double j[3], double dt)
{
  const double whole[3] = {j[0] / dt, j[1] / dt, j[2] / dt};
  for (int side = 0; side < 2; side++) {
    const double by = (side == 0 ? 1.0 : -1.0) / dt, force[3] = {by * j[0], by * j[1], by * j[2]};
    const int32_t soft = c->foot[side].soft;
    if (soft == 0) continue;
    vvi_em_soft_push(w, &c->foot[side], force);
    if (side == 0 || soft != c->foot[0].soft) vvi_em_rub_push(w, c, soft, whole, w->soft[soft - 1].load);
  }
}

/* The order matters: nu and the slave's arm first, then the impulses, the places, the master's arm, the torques, the
 * rotations, and with the same arms the velocities.  Bodies that bend take one correction towards the loads. */
static bool evaluate(vvi_em_rigid *w, double dt, bool fresh)
{
  const double direction = dt < 0.0 ? -1.0 : 1.0;
  double j[3], l[3];
  for (int32_t i = 0; i <= w->n; i++) {
    vvi_em_frame *f = &w->frame[i];
    if (!f->touched) continue;
    modify(f);
    for (int k = 0; k < 3; k++) f->j[k] = f->l[k] = 0.0;
  }
  vvi_em_soft_unload(w);
  if (w->joints != NULL) vvi_em_joined_push(w, dt, fresh);
  for (int32_t i = 0; i < w->n_contact; i++) {
    vvi_em_contact *c = &w->contact[i];
    aim_contact(w, c);
    impulse_of(c, direction, j);
    push_soft(w, c, j, dt);
    for (int k = 0; k < 3; k++) w->frame[c->f.slave].j[k] += j[k], w->frame[c->f.master].j[k] -= j[k];
  }
  for (int32_t i = 0; i < w->n; i++)
    if (w->frame[i].touched) vvi_em_move(&w->frame[i], dt);
  for (int32_t i = 0; i < w->n_contact; i++) {
    vvi_em_contact *c = &w->contact[i];
    join_arms(w, c);
    impulse_of(c, direction, j);
    vvi_cross3(c->arm_s, j, l);
    for (int k = 0; k < 3; k++) w->frame[c->f.slave].l[k] += l[k];
    vvi_cross3(c->arm_m, j, l);
    for (int k = 0; k < 3; k++) w->frame[c->f.master].l[k] -= l[k];
  }
  for (int32_t i = 0; i < w->n; i++)
    if (w->frame[i].touched && !vvi_em_turn(&w->frame[i], dt)) return false;
  if (!vvi_em_soft_correct(w, fresh)) return false;
  for (int32_t i = 0; i < w->n_contact; i++) measure(w, &w->contact[i], dt);
  return true;
}

/* ---- what contacts do to each other ---- */

static void fill_row(const vvi_em_rigid *w, const vvi_em_contact *c, int d, vvi_em_row *r)
{
  const vvi_em_frame *body[2] = {&w->frame[c->f.slave], &w->frame[c->f.master]};
  memcpy(r->push, d == 0 ? c->nu : c->t[d - 1], sizeof r->push);
  vvi_cross3(c->arm_s, r->push, r->turn[0]);
  vvi_cross3(r->push, c->arm_m, r->turn[1]);
  for (int i = 0; i < 2; i++) {
    r->speed[i] = body[i]->held ? 0.0 : (i == 0 ? 0.5 : -0.5) / body[i]->mass;
    vvi_times6(body[i]->inverse, r->turn[i], r->spin[i]); /* of a held body it is zero */
    for (int k = 0; k < 3; k++) r->spin[i][k] *= 0.5;
  }
}

/* The same between two rows through bodies that bend. */
static double through(const vvi_em_rigid *w, int64_t row, int64_t column, int directions)
{
  return w->n_soft > 0 || w->joints != NULL ? w->flex[row * directions * w->n_contact + column] : 0.0;
}

/* The rows of a contact among themselves, frozen at the arms of this iterate; contacts feel each other through their bodies.
 * The law of friction wants them symmetric: those of a discrete gradient are so to second order in dt.           [em 12, 17] */
static void couple(vvi_em_rigid *w, int directions)
{
  for (int32_t i = 0; i < w->n_contact; i++) {
    const int64_t first = (int64_t)directions * i;
    vvi_em_row *r = &w->rows[first];
    double *own = w->own + 9 * (int64_t)i;
    for (int d = 0; d < directions; d++) fill_row(w, &w->contact[i], d, &r[d]);
    for (int d = 0; d < directions; d++)
      for (int e = 0; e < directions; e++)
        own[3 * d + e] =
            (r[e].speed[0] - r[e].speed[1]) * vvi_dot3(r[d].push, r[e].push) + vvi_dot3(r[d].turn[0], r[e].spin[0]) +
            vvi_dot3(r[d].turn[1], r[e].spin[1]) +
            0.5 * (through(w, first + d, first + e, directions) + through(w, first + e, first + d, directions));
  }
}

/* ---- what changes of the impulses do to frames ---- */

/* What frames have changed so far, along a row. */
static double felt(const vvi_em_rigid *w, const vvi_em_contact *c, const vvi_em_row *r)
{
  const vvi_em_frame *s = &w->frame[c->f.slave], *m = &w->frame[c->f.master];
  return vvi_dot3(r->push, s->dv) - vvi_dot3(r->push, m->dv) + vvi_dot3(r->turn[0], s->dw) +
         vvi_dot3(r->turn[1], m->dw);
}

static void change(vvi_em_rigid *w, const vvi_em_contact *c, const vvi_em_row *r, double by)
{
  vvi_em_frame *const body[2] = {&w->frame[c->f.slave], &w->frame[c->f.master]};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3 && !body[i]->held; k++)
      body[i]->dv[k] += by * r->speed[i] * r->push[k], body[i]->dw[k] += by * r->spin[i][k];
}

/* ---- contacts that say the same ---- */

/* Multipliers with one law. */
static bool may_be_one(const vvi_em_contact *c, const vvi_em_contact *d)
{
  return c->law == d->law && c->law->stiffness <= 0.0 && !c->spare && !d->spare;
}

/* Of two contacts that joints make one, as those of the ends of two beams that a ball joint holds together, the one that asks for more
 * holds both: [em 17a].  Its impulse is the sum. */
static void give_way(vvi_em_contact *c, vvi_em_contact *d)
{
  vvi_em_contact *more = c->aim - c->u[0] >= d->aim - d->u[0] ? c : d, *less = more == c ? d : c;
  for (int k = 0; k < 3; k++) more->j[k] += less->j[k], less->j[k] = 0.0;
  less->spare = true;
}

/* Rows along normals that A cannot tell from each other: A_ii + A_kk - 2 A_ik is as small as its error.               [em 17a] */
static void spare(vvi_em_rigid *w, int directions)
{
  for (int32_t i = 0; i <= w->n; i++)
    for (int k = 0; k < 3; k++) w->frame[i].dv[k] = w->frame[i].dw[k] = 0.0;
  for (int32_t i = 0; i < w->n_contact; i++) {
    vvi_em_contact *c = &w->contact[i];
    vvi_em_frame *s = &w->frame[c->f.slave], *m = &w->frame[c->f.master];
    const int64_t row = (int64_t)directions * i;
    change(w, c, &w->rows[row], 1.0);
    for (int32_t j = 0; j < i; j++) {
      const int64_t other = (int64_t)directions * j;
      const double own = w->own[9 * (int64_t)i] + w->own[9 * (int64_t)j],
                   both = felt(w, &w->contact[j], &w->rows[other]) + through(w, other, row, directions);
      if (may_be_one(c, &w->contact[j]) && fabs(own - 2.0 * both) <= VVI_EM_NOISE * own) give_way(c, &w->contact[j]);
    }
    for (int k = 0; k < 3; k++) s->dv[k] = s->dw[k] = m->dv[k] = m->dw[k] = 0.0;
  }
}

/* ---- the linear problem of an iterate ---- */

vvi_em_law vvi_em_law_of(const vvi_em_contact *c, double dt)
{
  if (c->spare) return (vvi_em_law){.off = c->j[0]}; /* as a spring that is open */
  if (c->law->stiffness <= 0.0) return (vvi_em_law){.off = c->u[0] - c->aim, .soft = -1.0};
  double fall;
  const double p = vvi_em_spring_pressure(c, &fall);
  return (vvi_em_law){.off = c->j[0] - fabs(dt) * p, .soft = dt * dt * fall};
}

/* How far from its law in units of velocity.  What a spring yields to the wrong side of is no tangent. */
static double miss_normal(const vvi_em_contact *c, const vvi_em_law *k, double a)
{
  if (k->soft >= 0.0) return a < 0.0 ? INFINITY : fabs(k->off) * a / (1.0 + k->soft * a);
  return c->j[0] > 0.0 ? fabs(k->off) : fmax(0.0, -k->off);
}

/* How far the friction is from its law: by how much it moves in a step against the sliding that is cut to its disc. */
static double miss_tangent(const vvi_em_contact *c, double a)
{
  double out[2];
  const double limit = c->law->friction * c->j[0];
  for (int k = 0; k < 2; k++) out[k] = c->j[1 + k] - c->u[1 + k] / a;
  const double size = sqrt(out[0] * out[0] + out[1] * out[1]);
  for (int k = 0; k < 2 && size > limit; k++) out[k] *= limit / size;
  return (fabs(out[0] - c->j[1]) + fabs(out[1] - c->j[2])) * a;
}

/* ---- sweeps ---- */

/* The change of u along a row that the changes of the impulses make so far. */
static double changed(const vvi_em_rigid *w, const vvi_em_contact *c, const vvi_em_row *r)
{
  double sum = felt(w, c, r);
  if (w->joints == NULL && (w->n_soft == 0 || (c->foot[0].soft == 0 && c->foot[1].soft == 0))) return sum;
  const int64_t rows = (int64_t)w->n_contact * (w->rough ? 3 : 1);
  const double *flex = w->flex + (r - w->rows) * rows;
  for (int64_t i = 0; i < rows; i++) sum += flex[i] * w->move[i];
  return sum;
}

static double sweep_normal(vvi_em_rigid *w, int32_t i, const vvi_em_row *r, double *move, const vvi_em_law *k)
{
  const vvi_em_contact *c = &w->contact[i];
  const double a = w->own[9 * (int64_t)i], u = changed(w, c, r), before = move[0];
  if (!(a > 0.0)) return 0.0;
  const double by = k->soft < 0.0 ? (k->off + u) / a : (k->off + before + k->soft * u) / (1.0 + k->soft * a);
  move[0] = fmax(before - by, -c->j[0]);
  change(w, c, r, move[0] - before);
  return fabs(move[0] - before) * a;
}

/* All three directions of a contact with friction at once.  A spring has off + soft u + x = 0 along its normal: over soft, a row with the
 * compliance 1/soft; an open one has no impulse. */
static double sweep_grip(vvi_em_rigid *w, int32_t i, const vvi_em_row *r, double *move, const vvi_em_law *k)
{
  const vvi_em_contact *c = &w->contact[i];
  const double give = k->soft > 0.0 ? 1.0 / k->soft : 0.0;
  double a[9], v[3], j[3] = {0.0, 0.0, 0.0}, moved = 0.0;
  memcpy(a, w->own + 9 * (int64_t)i, sizeof a);
  for (int d = 0; d < 3; d++) {
    v[d] = c->u[d] - (d == 0 ? c->aim : 0.0) + changed(w, c, &r[d]);
    if (d == 0 && k->soft > 0.0) v[0] += give * (k->off + move[0]) - c->u[0] + c->aim;
    if (d == 0) a[0] += give;
    for (int e = 0; e < 3; e++) v[d] -= a[3 * d + e] * (c->j[e] + move[e]);
  }
  if (k->soft != 0.0) vvi_em_grip(v, a, c->law->friction, j);
  for (int d = 0; d < 3; d++) {
    const double by = j[d] - c->j[d] - move[d];
    moved = fmax(moved, fabs(by) * a[4 * d]);
    change(w, c, &r[d], by);
    move[d] += by;
  }
  return moved;
}

void vvi_em_matrix(vvi_em_rigid *w, int directions, double *a)
{
  const int64_t rows = (int64_t)w->n_contact * directions;
  for (int32_t i = 0; i <= w->n; i++)
    for (int k = 0; k < 3; k++) w->frame[i].dv[k] = w->frame[i].dw[k] = 0.0;
  for (int64_t j = 0; j < rows; j++) {
    const vvi_em_contact *c = &w->contact[j / directions];
    vvi_em_frame *s = &w->frame[c->f.slave], *m = &w->frame[c->f.master];
    change(w, c, &w->rows[j], 1.0);
    for (int64_t i = 0; i < rows; i++)
      a[i * rows + j] = felt(w, &w->contact[i / directions], &w->rows[i]) + through(w, i, j, directions);
    for (int k = 0; k < 3; k++) s->dv[k] = s->dw[k] = m->dv[k] = m->dw[k] = 0.0;
  }
}

/* A few rows without friction at once: the changes of the impulses that the sweeps then begin with.  Rows of springs are
 * (1 + s A) x + off = 0, of multipliers A x + off. */
static void pivot(vvi_em_rigid *w, double dt, double enough)
{
  const int32_t n = w->n_contact;
  double *a = w->dense, *b = a + n * n, *least = b + n, *x = least + n, *work = x + n;
  int32_t act[VVI_EM_DENSE];
  vvi_em_matrix(w, 1, a);
  for (int32_t i = 0; i < n; i++) {
    const vvi_em_law k = vvi_em_law_of(&w->contact[i], dt);
    b[i] = k.off, least[i] = k.soft < 0.0 ? -w->contact[i].j[0] : -INFINITY;
    for (int32_t j = 0; k.soft >= 0.0 && j < n; j++) a[i * n + j] = (i == j) + k.soft * a[i * n + j];
  }
  if (!vvi_em_pivots(n, a, b, least, w->price, enough, x, work, act)) return;
  for (int32_t i = 0; i < n; i++) {
    w->move[i] = x[i];
    change(w, &w->contact[i], &w->rows[i], x[i]);
  }
}

/* Rows that need no solver for all at once: springs always converge, if slowly, and what bends has its pivots. */
static bool keeps_sweeping(const vvi_em_rigid *w)
{
  bool springs = w->n_soft > 0 || w->joints != NULL;
  for (int32_t i = 0; i < w->n_contact; i++) springs |= w->contact[i].law->stiffness > 0.0;
  return springs && !w->rough;
}

/* Sweeps over all contacts, until one moves the velocities by no more than `enough`, or than 1e-9 of the first: the iterates that
 * follow find the rest.  false: with friction they gain less than a digit in PATIENCE sweeps; without it rows that depend on each other
 * and do not agree never converge, but springs always do, if slowly. */
static bool sweep_all(vvi_em_rigid *w, int directions, double dt, bool few, double enough)
{
  const double noise = 1e3 * enough; /* below the floor of the iterates */
  double before = INFINITY, moved = 0.0;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    moved = 0.0;
    for (int32_t i = 0; i < w->n_contact; i++) {
      const vvi_em_contact *c = &w->contact[i];
      const vvi_em_row *r = &w->rows[(int64_t)directions * i];
      double *move = w->move + (int64_t)directions * i;
      const vvi_em_law k = vvi_em_law_of(c, dt);
      moved = fmax(moved, c->law->friction > 0.0 ? sweep_grip(w, i, r, move, &k) : sweep_normal(w, i, r, move, &k));
    }
    if (sweep == 0 && !few) enough = fmax(enough, 1e-9 * moved);
    if (moved <= enough || w->n_contact == 1) return true;
    if (!w->rough || sweep % PATIENCE != PATIENCE - 1) continue;
    if (!(moved < 0.1 * before)) return false;
    before = moved;
  }
  return (!w->rough && moved <= noise) || keeps_sweeping(w);
}

/* Changes of all impulses, by projected Gauss-Seidel over the velocities of the bodies: rows may have any rank.  Where sweeps do not
 * converge, or changes have a price, all contacts at once. */
static bool solve(vvi_em_rigid *w, int directions, double dt, double part, double enough, const vvi_em_goal *goal)
{
  const int64_t n = (int64_t)w->n_contact * directions;
  for (int64_t i = 0; i < n; i++) w->move[i] = 0.0;
  for (int32_t i = 0; i <= w->n; i++)
    for (int k = 0; k < 3; k++) w->frame[i].dv[k] = w->frame[i].dw[k] = 0.0;
  const bool few =
      (w->n_soft > 0 || w->joints != NULL) && directions == 1 && w->n_contact > 1 && w->n_contact <= VVI_EM_DENSE;
  if (few) pivot(w, dt, enough);
  const bool dear = w->price > 0.0 && w->n_contact > 1 && (few || !keeps_sweeping(w)) &&
                    n <= (int64_t)directions * VVI_EM_DENSE,
             done = dear ? few : sweep_all(w, directions, dt, few, enough);
  if (!done && !vvi_em_together(w, directions, dt, goal)) return false;
  for (int64_t i = 0; i < n; i++) w->contact[i / directions].j[i % directions] += part * w->move[i];
  return true;
}

/* The work of a contact that friction does not take away.                                                           [em 5] */
double vvi_em_gain(const vvi_em_contact *c)
{
  const double normal = c->law->stiffness > 0.0 ? 0.0 : c->j[0] * c->u[0];
  return normal + fmax(c->j[1] * c->u[1] + c->j[2] * c->u[2], 0.0);
}

/* How far contacts are from their law at most, m/s; gain: the work that they do and friction does not take, J. */
static double worst(const vvi_em_rigid *w, double dt, double *gain)
{
  double most = 0.0;
  *gain = 0.0;
  for (int32_t i = 0; i < w->n_contact; i++) {
    const vvi_em_contact *c = &w->contact[i];
    const double *own = w->own + 9 * (int64_t)i, mu = c->law->friction;
    const vvi_em_law k = vvi_em_law_of(c, dt);
    const double normal = miss_normal(c, &k, own[0]), tangent = mu > 0.0 ? miss_tangent(c, own[4] + own[8]) : 0.0;
    most = fmax(most, fmax(normal, tangent));
    *gain += vvi_em_gain(c) + (k.soft < 0.0 ? 0.0 : fabs(c->j[0]) * normal);
  }
  return most;
}

/* ---- all together ---- */

void vvi_em_touch_frame(vvi_em_frame *f)
{
  double body[9];
  f->touched = true;
  for (int k = 0; k < 6; k++) f->inverse[k] = 0.0;
  for (int k = 0; k < 3; k++) f->v[k] = f->omega[k] = 0.0;
  if (f->held) return;
  for (int i = 0; i < 3; i++) /* columns of R are the principal axes */
    for (int k = 0; k < 3; k++) body[3 * k + i] = f->inertia[i] > 0.0 ? f->r[3 * k + i] / f->inertia[i] : 0.0;
  static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
  for (int k = 0; k < 6; k++) f->inverse[k] = vvi_dot3(body + 3 * at[k][0], f->r + 3 * at[k][1]);
  vvi_times6(f->inverse, f->h, f->omega);
  for (int k = 0; k < 3; k++) f->v[k] = f->p[k] / f->mass;
}

/* Arms C: arms and normal of the predictor.                                                                      [em 11] */
static void note_early(const vvi_em_rigid *w, vvi_em_contact *c)
{
  vvi_pose s, m;
  double nu[3], far[3], d[3];
  vvi_em_pose(&w->frame[c->f.slave], true, &s);
  vvi_em_pose(&w->frame[c->f.master], true, &m);
  vvi_apply33(s.turn, c->f.point, c->early_s);
  vvi_apply33(m.turn, c->f.place, far);
  for (int k = 0; k < 3; k++) d[k] = s.place[k] + c->early_s[k] - m.place[k] - far[k];
  if (c->f.sign == 0.0) {
    vvi_apply33(m.turn, c->f.normal, nu);
  } else {
    const double size = c->f.sign * vvi_norm3(d);
    for (int k = 0; k < 3; k++) nu[k] = d[k] / size;
  }
  for (int k = 0; k < 3; k++) {
    c->early_nu[k] = nu[k];
    c->early_s[k] -= c->f.own * nu[k];
    c->early_m[k] = s.place[k] + c->early_s[k] - c->gap1 * nu[k] - m.place[k];
  }
}

static double speed_of(const vvi_em_frame *f, const double arm[3])
{
  return vvi_norm3(f->v) + vvi_norm3(f->omega) * vvi_norm3(arm);
}

/* m/s: what rounding is relative to.  A body at rest has no speed, but the impulses that hold it change one that it would have:
 * u = u_free + A j, rounded like its parts.  Without friction these mostly cancel to the last digit, and only where rounds no longer gain
 * is it asked how much is pressed: what a heavy body presses on a light one changes the speed of that by far more than it ever has. */
static double fastest(const vvi_em_rigid *w, double *pressed)
{
  double most = 0.0;
  *pressed = 0.0;
  for (int32_t i = 0; i < w->n_contact; i++) {
    const vvi_em_contact *c = &w->contact[i];
    double speed = speed_of(&w->frame[c->f.slave], c->arm_s) + speed_of(&w->frame[c->f.master], c->arm_m);
    for (int side = 0; side < 2; side++) {
      double v[3];
      if (c->foot[side].soft == 0) continue;
      velocity_before(w, c, side, v);
      speed += vvi_norm3(v);
    }
    speed += fabs(c->u[0]);
    most = fmax(most, speed);
    *pressed = fmax(*pressed, speed + w->own[9 * (int64_t)i] * fabs(c->j[0]));
  }
  return w->rough ? *pressed : most;
}

/* The momentum of the heaviest body, over the mass that moves the most easily, over its speed. */
static double heavier(const vvi_em_rigid *w)
{
  double mass = 0.0, own = 0.0;
  for (int32_t i = 0; i < w->n; i++)
    if (w->frame[i].touched && !w->frame[i].held) mass = fmax(mass, w->frame[i].mass);
  for (int32_t i = 0; i < w->n_contact; i++) own = fmax(own, w->own[9 * (int64_t)i]);
  return fmax(1.0, mass * own);
}

/* The largest correction of bodies that bend, over their step. */
static double corrected(const vvi_em_rigid *w)
{
  double most = 0.0;
  for (int32_t i = 0; i < w->n_soft; i++)
    if (w->soft[i].touched && w->soft[i].whole > 0.0) most = fmax(most, w->soft[i].added / w->soft[i].whole);
  return most;
}

static void touch_soft(vvi_em_rigid *w)
{
  for (int32_t i = 0; i < w->n_soft; i++) w->soft[i].touched = false;
  for (int32_t i = 0; i < w->n_contact; i++)
    for (int side = 0; side < 2; side++)
      if (w->contact[i].foot[side].soft > 0) w->soft[w->contact[i].foot[side].soft - 1].touched = true;
}

/* What contacts do to each other through bodies that bend, as long as their tangent serves, and through joints: rows first, along
 * which that is seen.  lack: of the joints.  false: no room. */
static bool couple_through(vvi_em_rigid *w, int directions, double dt, bool again, double *lack)
{
  if (w->n_soft == 0 && w->joints == NULL) return true;
  if (again && !vvi_em_flex_fit(w, (int64_t)w->n_contact * directions)) return false;
  if (again) vvi_em_soft_couple(w, directions, dt);
  if (w->joints == NULL) return true;
  for (int32_t i = 0; i < w->n_contact; i++)
    for (int d = 0; d < directions; d++) fill_row(w, &w->contact[i], d, &w->rows[(int64_t)directions * i + d]);
  *lack = vvi_em_joined_miss(w, dt);
  if (again) vvi_em_joined_couple(w, directions, dt);
  return true;
}

/* Frames alone are solved for to rounding: what a heavy body presses on a light one leaves no digit to the next iterate. */
static vvi_em_goal goal_of(const vvi_em_rigid *w, double scale, double rows, double back)
{
  if (w->joints == NULL && w->n_soft == 0) return (vvi_em_goal){scale, 1e-16 * scale, 1e-17 * scale, 0};
  return (vvi_em_goal){.scale = scale,
                       .nearer = fmax(1e-16 * scale + 0.1 * back, NEARER * rows),
                       .near = fmax(0.5 * (STILL * scale + back), NEAR * rows),
                       .newton = NEWTON};
}

/* It ends at the rounding floor, small and no longer better, and not before the third iterate: with arms that still move a
 * zero may be an accident.  Of bodies that bend the tangent is renewed where it serves no longer.  With friction all three
 * directions of a contact are found anew in every sweep, and come back with four roundings or so of noise: below that nothing is
 * asked for, neither of sweeps nor of iterates (a box at rest took 400 sweeps in each of 15 iterates before, for nothing).  Where
 * two contacts press one point, as both bodies of a hinge do, what each of them takes wanders from iterate to iterate, and
 * corrections of the bodies with it: of such a correction only what a new tangent leaves is asked about.
 * Rounding is that of the velocities of the first iterate, too, from which impulses may leave nothing (with friction this left too
 * much: planks on hinges ended as not converged some steps later); and those that have run away are no measure of it.
 * Three contacts that hold a body say nine things of its six motions, and where their points do not lie in one plane to the last digit
 * they contradict each other in that digit: Coulomb's law has an answer only with one of them at the edge of its cone for the sake
 * of a slip of 1e-12.  Where rounds no longer gain, what is left is small, and contacts bring nothing by it, that is good enough, and
 * what they do is booked as it is. */
static bool iterate(vvi_em_rigid *w, double dt)
{
  const double noise = 1e-15, enough = w->joints != NULL ? 4.0 * noise : noise; /* joints add theirs */
  const int directions = w->rough ? 3 : 1;
  const double slow = w->rough ? 1.0 : 0.0; /* rows and bodies follow each other: a gain may take two rounds */
  double best = INFINITY, last[2] = {INFINITY, INFINITY}, early[2] = {0.0, 0.0}, first = INFINITY;
  int stale = 0;
  bool fresh = true;
  w->off = false, w->price = 0.0;
  double joints = 0.0; /* what they lack, over rounding */
  for (int round = 0; round < ROUNDS; round++) {
    w->rounds++;
    if (!evaluate(w, dt, fresh)) return false;
    if (!couple_through(w, directions, dt, fresh || (w->n_soft == 0 && round < ARMS), &joints)) return false;
    couple(w, directions);
    if (round == 0 && w->joints != NULL) spare(w, directions);
    double gain, pressed;
    const double scale = fastest(w, &pressed), rows = worst(w, dt, &gain), bodies = corrected(w) * scale,
                 left = w->rough && fresh ? SOLVED * bodies : bodies, miss = fmax(rows, left);
    fresh = (rows > 0.3 * fmax(last[0], slow * early[0]) && rows > 1e-13 * scale) ||
            (round > 2 && bodies > 0.3 * fmax(last[1], slow * early[1]) && bodies > 1e-13 * scale);
    memcpy(early, last, sizeof early);
    last[0] = rows, last[1] = bodies;
    const double back = w->joints != NULL ? w->back : 0.0; /* contacts cannot agree with joints any further */
    if (round == 0) first = scale;
    const double free = w->rough ? scale : fmax(scale, first), /* of which impulses may leave nothing */
        whole = w->rough ? scale : fmax(pressed, first);       /* and with what they make and take again */
    const double most = RUN_AWAY * first * heavier(w);
    if (!(miss < INFINITY) || !(scale <= most)) return false;
    const double pressing = whole <= most ? whole : scale; /* a tangent that is nearly singular presses with anything */
    stale = round < 3 || miss < 0.9 * best ? 0 : stale + 1;
    best = round < 3 ? INFINITY : fmin(best, miss);
    const bool near_best = miss <= 2.0 * best || (w->n_soft > 0 && miss <= 2e-15 * scale);
    const bool floor = (stale >= 3 && near_best && miss <= 2e-14 * (stale >= SWINGS ? pressing : scale) + back) ||
                       (w->rough && miss <= enough * scale + back);
    if (round >= 3 && (joints <= 2.0 || (stale >= 6 && joints <= 16.0)) && (floor || miss <= 1e-17 * scale))
      return true;
    const bool stuck = stale >= (w->rough ? SWINGS : 4 * SWINGS), settled = stuck && near_best && joints <= 16.0;
    if (settled && rows <= STILL * pressing && left <= STILL * pressing) return true;
    if (settled && rows <= SLIP[w->rough] * free && SOLVED * bodies <= 2e-14 * scale && gain <= ROUNDING * w->energy)
      return w->off = true;
    if (stuck) w->price = fmin(fmax(w->price * DEARER, VVI_EM_NOISE), DEAREST);
    const bool swings = w->rough && w->n_soft == 0 && w->joints == NULL && stale >= SWINGS;
    if (swings && stale >= 2 * SWINGS) return false;
    if (w->joints != NULL) vvi_em_joined_foresee(w, directions, dt);
    const double part = round < SLOWER && !swings ? 1.0 : 0.5;
    const vvi_em_goal goal = goal_of(w, scale, rows, back);
    if (!solve(w, directions, dt, part, (w->rough ? 0.25 * noise : 1e-17) * scale + 0.1 * back, &goal)) return false;
    if (w->joints != NULL) vvi_em_joined_follow(w, directions, part, dt);
  }
  return false;
}

bool vvi_em_answer(vvi_em_rigid *w, double dt)
{
  touch_soft(w);
  for (int32_t i = 0; i <= w->n; i++) w->frame[i].touched = false;
  for (int32_t i = 0; i < w->n_contact; i++) {
    vvi_em_contact *c = &w->contact[i];
    vvi_em_frame *s = &w->frame[c->f.slave], *m = &w->frame[c->f.master];
    if (!s->touched) vvi_em_touch_frame(s);
    if (!m->touched) vvi_em_touch_frame(m);
    if (c->least < 0 && c->law->early) note_early(w, c);
  }
  if (w->joints != NULL) vvi_em_joined_touch(w);
  const int64_t before = w->rounds;
  const bool found = iterate(w, dt);
  if (!found) w->vain += w->rounds - before;
  return found;
}
