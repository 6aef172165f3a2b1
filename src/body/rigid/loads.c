/* body/rigid/loads.c  What acts on rigid bodies from outside: gravity and loads; and its booking. */
#include "body/rigid/rigid.h"

#include "body/rigid/load.h"
#include "ledger/ledger.h"
#include "math/math.h"

#include <string.h>

/* ---- words ---- */

int32_t rigid_loads_count(const vv_group *g)
{
  return vv_has(g, "loads") ? vv_count(g, "loads") : 0;
}

static bool is_zero(const vv_group *g, const char *name)
{
  const double *v = vv_numbers(g, name, NULL);
  return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0;
}

vv_status rigid_loads_check(const vv_group *g, int64_t copies)
{
  vv_status status = VV_OK;
  for (int i = 0; i < rigid_loads_count(g); i++) {
    const vv_group *l = vv_item(g, "loads", i);
    if (vvi_history_check(l, "history") != VV_OK) status = VV_SCENE;
    if (is_zero(l, "force") && is_zero(l, "moment"))
      status = vv_complain(l, "force", "neither a force nor a moment is given: the load does nothing");
    if (vv_has(l, "at") && is_zero(l, "force")) status = vv_complain(l, "at", "needs a force");
    if (vv_has(l, "copy") && vv_integer(l, "copy") >= copies)
      status = vv_complain(l, "copy", "there are copies 0 to %lld", (long long)copies - 1);
  }
  return status;
}

/* Followers and points are kept in principal axes.  A point of action becomes a lever: its moment is added in a kick, so
 * that the six numbers of a load and three of its lever are all it needs. */
void rigid_loads_fill(const vv_group *g, vv_fill *f, const rigid_body *k)
{
  double turn[9];
  vvi_quaternion_matrix(k->turn, turn);
  for (int i = 0; i < rigid_loads_count(g); i++) {
    const vv_group *l = vv_item(g, "loads", i);
    const bool follower = vv_boolean(l, "follower");
    vv_load *load = &f->block->load[f->body->load0 + i];
    *load = (vv_load){.body = f->body_in_block,
                      .node = vv_has(l, "copy") ? (int32_t)(f->body->node0 + vv_integer(l, "copy")) : -1,
                      .follower = follower,
                      .history = vvi_history_from(l, "history")};
    const double *value[2] = {vv_numbers(l, "force", NULL), vv_numbers(l, "moment", NULL)};
    for (int c = 0; c < 2; c++) {
      memcpy(load->value + 3 * c, value[c], 3 * sizeof(double));
      if (follower) vvi_tapply33(turn, value[c], load->value + 3 * c);
    }
    if (!vv_has(l, "at")) continue;
    double arm[3];
    for (int c = 0; c < 3; c++) arm[c] = vv_numbers(l, "at", NULL)[c] - k->centre[c];
    vvi_tapply33(turn, arm, load->at);
  }
}

/* ---- forces ---- */

static void load_on(const vv_load *load, double t, const double r[9], double force[3], double moment[3])
{
  rigid_load_on(vv_history_at(&load->history, t), load->follower, load->value, load->at, r, force, moment);
}

static void reach(const vv_block *b, const vv_load *load, int64_t *from, int64_t *to)
{
  const vv_body *body = b->body[load->body];
  *from = load->node < 0 ? body->node0 : load->node;
  *to = load->node < 0 ? body->node0 + body->n_node : load->node + 1;
}

/* [rigid 13] */
void rigid_kick(const vv_block *b, double t, double h, const double *q, double *p)
{
  const double *m = rigid_node(b, RIGID_MASS);
  for (int c = 0; c < 3; c++)
    for (int64_t i = 0; b->gravity[c] != 0.0 && i < b->nodes; i++) p[c * b->column + i] += h * (m[i] * b->gravity[c]);
  for (int32_t k = 0; k < b->n_load; k++) {
    int64_t from, to;
    reach(b, &b->load[k], &from, &to);
    for (int64_t i = from; i < to; i++) {
      double turn[4], r[9], force[3], moment[3];
      rigid_take(b->column, q, i, RIGID_TURN, 4, turn);
      vvi_quaternion_matrix(turn, r);
      load_on(&b->load[k], t, r, force, moment);
      for (int c = 0; c < 3; c++) {
        p[(RIGID_P + c) * b->column + i] += h * force[c];
        p[(RIGID_H + c) * b->column + i] += h * moment[c];
      }
    }
  }
}

/* ---- booking ---- */

/* h times a force at x, and h times a moment of its own. */
static void post_wrench(vv_posted *post, const double x[3], const double force[3], const double moment[3], double h)
{
  double j[3];
  for (int c = 0; c < 3; c++) j[c] = h * force[c];
  vvi_post_impulse(post, x, j);
  for (int c = 0; c < 3; c++) vvi_sum_add(&post->moment[c], h * moment[c]);
  post->impulse_abs += vvi_norm3(j);
  post->moment_abs += vvi_norm3(x) * vvi_norm3(j) + fabs(h) * vvi_norm3(moment);
}

/* The weight of all bodies at their common centre: its work is in the potential. */
static void post_gravity(const vv_block *b, double h, const double *q, vv_posted *post)
{
  static const double none[3] = {0, 0, 0};
  const double *m = rigid_node(b, RIGID_MASS);
  double mass = 0.0, centre[3] = {0, 0, 0}, weight[3];
  for (int64_t i = 0; i < b->nodes; i++) {
    mass += m[i];
    for (int c = 0; c < 3; c++) centre[c] += m[i] * q[c * b->column + i];
  }
  if (mass == 0.0) return;
  for (int c = 0; c < 3; c++) centre[c] /= mass, weight[c] = mass * b->gravity[c];
  post_wrench(post, centre, weight, none, h);
}

/* Work of a load in a kick of length h beside a drift with momenta p: h (F.v + M.omega).                       [ledger 3] */
static void post_load(const vv_block *b, const vv_load *load, double t, double h, const double *q, const double *p,
                      vv_posted *post)
{
  int64_t from, to;
  reach(b, load, &from, &to);
  for (int64_t i = from; i < to; i++) {
    double x[3], turn[4], r[9], force[3], moment[3], v[3], spin[3], omega[3];
    rigid_take(b->column, q, i, RIGID_X, 3, x);
    rigid_take(b->column, q, i, RIGID_TURN, 4, turn);
    rigid_take(b->column, p, i, RIGID_P, 3, v);
    rigid_take(b->column, p, i, RIGID_H, 3, spin);
    vvi_quaternion_matrix(turn, r);
    load_on(load, t, r, force, moment);
    rigid_spin(b, i, r, spin, omega);
    const double work = rigid_node(b, RIGID_INVERSE_MASS)[i] * vvi_dot3(force, v) + vvi_dot3(moment, omega);
    vvi_sum_add(&post->external_work, h * work);
    post_wrench(post, x, force, moment, h);
  }
}

void rigid_post(const vv_block *b, double t, double h, const double *q, const double *p, vv_posted *post)
{
  if (vvi_norm3(b->gravity) > 0.0) post_gravity(b, h, q, post);
  for (int32_t k = 0; k < b->n_load; k++) post_load(b, &b->load[k], t, h, q, p, post);
}

/* ---- drag ---- */

/* Momentum and spin fade by exp(-rate h), which is exact; the kinetic energy that goes with them is booked, and what the
 * medium gets is an external impulse and moment.                                                               [mat 11] */
static double fade_node(const vv_block *b, int64_t i, const double keep[2], const double *q, double *p, vv_posted *post)
{
  double x[3], carry[3], turn[4], P[3], h[3], r[9], omega[3], j[3], twist[3];
  rigid_take(b->column, q, i, RIGID_X, 3, x);
  rigid_take(b->column, q, i, RIGID_CARRY, 3, carry);
  rigid_take(b->column, q, i, RIGID_TURN, 4, turn);
  rigid_take(b->column, p, i, RIGID_P, 3, P);
  rigid_take(b->column, p, i, RIGID_H, 3, h);
  vvi_quaternion_matrix(turn, r);
  rigid_spin(b, i, r, h, omega);
  const double linear = 0.5 * rigid_node(b, RIGID_INVERSE_MASS)[i] * vvi_dot3(P, P), angular = 0.5 * vvi_dot3(h, omega);
  for (int c = 0; c < 3; c++) {
    p[(RIGID_P + c) * b->column + i] = keep[0] * P[c], p[(RIGID_H + c) * b->column + i] = keep[1] * h[c];
    j[c] = keep[0] * P[c] - P[c], twist[c] = keep[1] * h[c] - h[c], x[c] += carry[c];
  }
  vvi_post_impulse(post, x, j);
  for (int c = 0; c < 3; c++) vvi_sum_add(&post->moment[c], twist[c]);
  post->impulse_abs += vvi_norm3(j), post->moment_abs += vvi_norm3(x) * vvi_norm3(j) + vvi_norm3(twist);
  return linear * (1.0 - keep[0]) * (1.0 + keep[0]) + angular * (1.0 - keep[1]) * (1.0 + keep[1]);
}

void rigid_viscous(const vv_block *b, double h, const double *q, double *p, vv_posted *post)
{
  for (int32_t j = 0; j < b->n_body; j++) {
    const double *drag = rigid_of(b, j)->drag, keep[2] = {exp(-drag[0] * h), exp(-drag[1] * h)};
    double loss = 0.0;
    if (drag[0] == 0.0 && drag[1] == 0.0) continue;
    for (int64_t i = b->body[j]->node0; i < b->body[j]->node0 + b->body[j]->n_node; i++)
      loss += fade_node(b, i, keep, q, p, post);
    vvi_sum_add(&post->viscous_loss, loss);
  }
}
