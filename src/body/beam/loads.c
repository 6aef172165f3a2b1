/* body/beam/loads.c  What acts on a beam from outside: gravity, loads, supports; and its booking. */
#include "body/beam/beam.h"

#include "ledger/ledger.h"
#include "math/math.h"

#include <string.h>

int64_t beam_node_at(const vv_group *g, double s, int64_t n, int64_t elements)
{
  if (beam_is_graded(g)) {
    for (int64_t i = 0; i < n; i++)
      if (fabs(beam_fraction(g, i, elements) - s) <= 1e-6 / (double)elements) return i;
    return -1;
  }
  const double place = s * (double)elements, nearest = floor(place + 0.5);
  if (fabs(place - nearest) > 1e-6) return -1;
  return (int64_t)nearest < n ? (int64_t)nearest : 0; /* the end of a closed beam is its beginning */
}

/* ---- words ---- */

static bool is_zero(const vv_group *g, const char *name)
{
  int n;
  const double *v = vv_numbers(g, name, &n);
  return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0;
}

static int count(const vv_group *g, const char *list)
{
  return vv_has(g, list) ? vv_count(g, list) : 0;
}

int32_t beam_loads_count(const vv_group *g)
{
  return count(g, "loads") + count(g, "distributed");
}

static vv_status check_at(const vv_group *beam, const vv_group *g, int64_t n, int64_t elements)
{
  const double s = vv_number(g, "at"), place = s * (double)elements;
  if (beam_node_at(beam, s, n, elements) >= 0) return VV_OK;
  if (beam_is_graded(beam)) {
    int64_t i = 1;
    while (i < elements && beam_fraction(beam, i, elements) < s) i++;
    return vv_complain(g, "at", "no node at %g of the length: the nearest are at %.9g and %.9g; change it or the grid",
                       s, beam_fraction(beam, i - 1, elements), beam_fraction(beam, i, elements));
  }
  return vv_complain(g, "at", "no node at %g of the length: the nearest are at %.9g and %.9g; change it or 'elements'",
                     s, floor(place) / (double)elements, ceil(place) / (double)elements);
}

static vv_status check_load(const vv_group *g)
{
  vv_status status = vvi_history_check(g, "history");
  if (is_zero(g, "force") && is_zero(g, "moment"))
    status = vv_complain(g, "force", "neither a force nor a moment is given: the load does nothing");
  return status;
}

/* The end that a list's item sits on, if something holds it; NULL: none. */
static const char *held_end(const vv_group *g, const vv_group *item)
{
  const double s = vv_number(item, "at");
  if (s != 0.0 && s != 1.0) return NULL;
  const char *end = s == 0.0 ? "first" : "last";
  return vv_is(vv_sub(g, "ends"), end, "free") ? NULL : end;
}

/* A force on a held place, or a moment on a held frame, does nothing. */
static vv_status check_held(const vv_group *g, const vv_group *load)
{
  const char *end = held_end(g, load);
  const vv_group *ends = vv_sub(g, "ends");
  if (end == NULL) return VV_OK;
  if (!is_zero(load, "force"))
    return vv_complain(load, "force", "the %s end is %s: a force on it does nothing", end, vv_text(ends, end));
  if (!vv_is(ends, end, "pinned"))
    return vv_complain(load, "moment", "the %s end is %s: a moment on it does nothing", end, vv_text(ends, end));
  return VV_OK;
}

/* A mass on a held place, or its inertia on a held frame, does nothing. */
static vv_status check_mass(const vv_group *g, const vv_group *m)
{
  const char *end = held_end(g, m);
  const vv_group *ends = vv_sub(g, "ends");
  if (vv_number(m, "mass") == 0.0 && is_zero(m, "inertia"))
    return vv_complain(m, "mass", "neither a mass nor an inertia is given: the point mass does nothing");
  if (end == NULL || (vv_is(ends, end, "pinned") && !is_zero(m, "inertia"))) return VV_OK;
  return vv_complain(m, "mass", "the %s end is %s: a mass on it does nothing", end, vv_text(ends, end));
}

vv_status beam_loads_check(const vv_group *g, int64_t n, int64_t elements)
{
  vv_status status = VV_OK;
  for (int i = 0; i < count(g, "masses"); i++) {
    const vv_group *m = vv_item(g, "masses", i);
    if (check_at(g, m, n, elements) != VV_OK || check_mass(g, m) != VV_OK) status = VV_SCENE;
  }
  for (int i = 0; i < count(g, "loads"); i++) {
    const vv_group *l = vv_item(g, "loads", i);
    if (check_at(g, l, n, elements) != VV_OK || check_load(l) != VV_OK || check_held(g, l) != VV_OK) status = VV_SCENE;
  }
  for (int i = 0; i < count(g, "distributed"); i++)
    if (check_load(vv_item(g, "distributed", i)) != VV_OK) status = VV_SCENE;
  return status;
}

void beam_loads_fill(const vv_group *g, vv_fill *f, int64_t elements)
{
  int32_t at = f->body->load0;
  const char *list[2] = {"loads", "distributed"};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < count(g, list[k]); i++) {
      const vv_group *l = vv_item(g, list[k], i);
      int n;
      vv_load *load = &f->block->load[at++];
      *load = (vv_load){.body = f->body_in_block,
                        .node = -1,
                        .follower = vv_boolean(l, "follower"),
                        .history = vvi_history_from(l, "history")};
      if (k == 0)
        load->node = (int32_t)(f->body->node0 + beam_node_at(g, vv_number(l, "at"), f->body->n_node, elements));
      memcpy(load->value, vv_numbers(l, "force", &n), 3 * sizeof(double));
      memcpy(load->value + 3, vv_numbers(l, "moment", &n), 3 * sizeof(double));
    }
}

/* ---- forces ---- */

void beam_load_on(const vv_block *b, const vv_load *load, double t, int64_t node, const double frame[9],
                  double force[3], double moment[3])
{
  const double size = vv_history_at(&load->history, t) * (load->node < 0 ? beam_node(b, BEAM_WEIGHT)[node] : 1.0);
  const double *f = load->value, *m = load->value + 3;
  for (int c = 0; c < 3; c++) {
    const double *row = frame + 3 * c;
    force[c] = size * (load->follower ? vvi_dot3(row, f) : f[c]);
    moment[c] = size * (load->follower ? vvi_dot3(row, m) : m[c]);
  }
}

static bool acts_on(const vv_load *load, int64_t node)
{
  return load->node < 0 || load->node == node;
}

void beam_load_reach(const vv_block *b, int32_t j, const vv_load *load, int64_t *from, int64_t *to)
{
  *from = load->node < 0 ? b->body[j]->node0 : load->node;
  *to = load->node < 0 ? b->body[j]->node0 + b->body[j]->n_node : load->node + 1;
}

void beam_kick_outside(const vv_block *b, int32_t j, double t, double h, const double *q, double *p)
{
  const vv_body *body = b->body[j];
  const double *m = beam_node(b, BEAM_MASS);
  for (int c = 0; c < 3; c++)
    for (int64_t i = body->node0; b->gravity[c] != 0.0 && i < body->node0 + body->n_node; i++)
      p[c * b->column + i] += h * (m[i] * b->gravity[c]);
  for (int32_t k = body->load0; k < body->load0 + body->n_load; k++) {
    int64_t from, to;
    beam_load_reach(b, j, &b->load[k], &from, &to);
    for (int64_t i = from; i < to; i++) {
      double x[3], frame[9], force[3], moment[3];
      beam_get(b, q, i, x, frame);
      beam_load_on(b, &b->load[k], t, i, frame, force, moment);
      for (int c = 0; c < 3; c++) {
        p[(BEAM_P + c) * b->column + i] += h * force[c];
        p[(BEAM_S + c) * b->column + i] += h * moment[c];
      }
    }
  }
}

/* End e of body j: its node and its neighbour. */
static int64_t end_node(const vv_block *b, int32_t j, int e, int64_t *neighbour)
{
  const int64_t first = b->body[j]->node0, last = first + b->body[j]->n_node - 1;
  *neighbour = e == 0 ? first + 1 : last - 1;
  return e == 0 ? first : last;
}

void beam_hold(const vv_block *b, int32_t j, double *p)
{
  const beam_body *k = beam_of(b, j);
  for (int e = 0; e < 2; e++) {
    const int hold = (int)k->hold[e];
    int64_t neighbour;
    const int64_t end = end_node(b, j, e, &neighbour);
    for (int c = 0; c < 3; c++) {
      if (hold & BEAM_HOLD_PLACE) p[(BEAM_P + c) * b->column + end] = 0.0;
      if (hold & BEAM_HOLD_FRAME) p[(BEAM_S + c) * b->column + end] = 0.0;
    }
    if ((hold & BEAM_HOLD_SLOPE) == 0) continue;
    double along = 0.0;
    for (int c = 0; c < 3; c++) along += k->slope[e][c] * p[c * b->column + neighbour];
    for (int c = 0; c < 3; c++) p[c * b->column + neighbour] = along * k->slope[e][c];
  }
}

/* ---- booking ---- */

void beam_post_wrench(vv_posted *post, const double x[3], const double force[3], const double moment[3], double h)
{
  double j[3];
  for (int c = 0; c < 3; c++) j[c] = h * force[c];
  vvi_post_impulse(post, x, j);
  for (int c = 0; c < 3; c++) vvi_sum_add(&post->moment[c], h * moment[c]);
  post->impulse_abs += vvi_norm3(j);
  post->moment_abs += vvi_norm3(x) * vvi_norm3(j) + fabs(h) * vvi_norm3(moment);
}

/* All that acts on node i of body j: elements, gravity, loads. */
static void force_on(const vv_block *b, int32_t j, int64_t i, double t, const double *q, double force[3],
                     double torque[3])
{
  const vv_body *body = b->body[j];
  double f[3], left[3], right[3], x[3], frame[9];
  beam_element_force(b, j, i, q, force, torque, right);
  const int64_t before = i > body->node0 ? i - 1 : body->node0 + body->n_node - 1;
  beam_element_force(b, j, before, q, f, left, right);
  beam_get(b, q, i, x, frame);
  for (int c = 0; c < 3; c++) {
    force[c] += beam_node(b, BEAM_MASS)[i] * b->gravity[c] - f[c];
    torque[c] += right[c];
  }
  for (int32_t k = body->load0; k < body->load0 + body->n_load; k++) {
    if (!acts_on(&b->load[k], i)) continue;
    beam_load_on(b, &b->load[k], t, i, frame, f, left);
    for (int c = 0; c < 3; c++) force[c] += f[c], torque[c] += left[c];
  }
}

/* Supports take what acts on the nodes they hold; they do no work, because held nodes do not move that way. */
static void post_supports(const vv_block *b, int32_t j, double t, double h, const double *q, vv_posted *post)
{
  static const double none[3] = {0, 0, 0};
  const beam_body *k = beam_of(b, j);
  for (int e = 0; e < 2; e++) {
    const int hold = (int)k->hold[e];
    if (hold == 0) continue;
    int64_t neighbour;
    const int64_t end = end_node(b, j, e, &neighbour);
    double force[3], torque[3], x[3], frame[9];
    force_on(b, j, end, t, q, force, torque);
    beam_get(b, q, end, x, frame);
    beam_post_wrench(post, x, force, hold & BEAM_HOLD_FRAME ? torque : none, -h);
    if ((hold & BEAM_HOLD_SLOPE) == 0) continue;
    force_on(b, j, neighbour, t, q, force, torque);
    beam_get(b, q, neighbour, x, frame);
    const double along = vvi_dot3(force, k->slope[e]);
    for (int c = 0; c < 3; c++) force[c] -= along * k->slope[e][c];
    beam_post_wrench(post, x, force, none, -h);
  }
}

/* v = P/m and omega = Lambda J^-1 Lambda^T S of node i. */
static void velocity_of(const vv_block *b, int32_t j, int64_t i, const double frame[9], const double *p, double v[3],
                        double omega[3])
{
  double inertia[3], body[3];
  beam_inertia(b, beam_of(b, j), i, inertia);
  for (int c = 0; c < 3; c++) {
    v[c] = beam_node(b, BEAM_INVERSE_MASS)[i] * p[(BEAM_P + c) * b->column + i];
    body[c] = 0.0;
    for (int d = 0; d < 3; d++) body[c] += frame[3 * d + c] * p[(BEAM_S + d) * b->column + i];
    body[c] /= inertia[c];
  }
  for (int c = 0; c < 3; c++) omega[c] = vvi_dot3(frame + 3 * c, body);
}

/* Work of a load in a kick of length h beside a drift with momentum p: h (F.v + M.omega); gravity's work is in the
 * potential.                                                                                                [ledger 3] */
static void post_loads(const vv_block *b, int32_t j, double t, double h, const double *q, const double *p,
                       vv_posted *post)
{
  const vv_body *body = b->body[j];
  for (int32_t k = body->load0; k < body->load0 + body->n_load; k++) {
    int64_t from, to;
    beam_load_reach(b, j, &b->load[k], &from, &to);
    for (int64_t i = from; i < to; i++) {
      double x[3], frame[9], force[3], moment[3], v[3], omega[3];
      beam_get(b, q, i, x, frame);
      beam_load_on(b, &b->load[k], t, i, frame, force, moment);
      velocity_of(b, j, i, frame, p, v, omega);
      vvi_sum_add(&post->external_work, h * (vvi_dot3(force, v) + vvi_dot3(moment, omega)));
      beam_post_wrench(post, x, force, moment, h);
    }
  }
}

static void post_gravity(const vv_block *b, int32_t j, double h, const double *q, vv_posted *post)
{
  static const double none[3] = {0, 0, 0};
  const double *m = beam_node(b, BEAM_MASS);
  double mass = 0.0, centre[3] = {0, 0, 0}, weight[3];
  for (int64_t i = b->body[j]->node0; i < b->body[j]->node0 + b->body[j]->n_node; i++) {
    mass += m[i];
    for (int c = 0; c < 3; c++) centre[c] += m[i] * q[c * b->column + i];
  }
  for (int c = 0; c < 3; c++) centre[c] /= mass, weight[c] = mass * b->gravity[c];
  beam_post_wrench(post, centre, weight, none, h);
}

void beam_post(const vv_block *b, double t, double h, const double *q, const double *p, vv_posted *post)
{
  for (int32_t j = 0; j < b->n_body; j++) {
    if (vvi_norm3(b->gravity) > 0.0) post_gravity(b, j, h, q, post);
    post_loads(b, j, t, h, q, p, post);
    post_supports(b, j, t, h, q, post);
  }
}
