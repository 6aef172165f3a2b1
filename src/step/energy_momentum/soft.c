/* step/energy_momentum/soft.c  Bodies that bend in energy-momentum steps with contact.
 *
 * An impulse f on a material point that is a weighted mean of nodes, x = sum w_i x_i + off, gives each node the force w_i f/dt
 * and the moment off x w_i f/dt.  With the motion of that point
 *   u = sum w_i (u_i + theta_i x off)/dt                                                                         [em 16]
 * (and where nodes carry vertices, as those of beams with corners do, off and the mean arm of each in place of off [em 22])
 * it does the work f.u, and its moment about the origin is that of f at xmid = sum w_i xmid_i + off: [em 5] and [em 6] hold as
 * they do for frames, whatever the weights are.  What the forces of the body do is balanced by its own discrete gradient. */
#include "step/energy_momentum/frames.h"

#include "math/math.h"
#include "math/newton.h"

#include <string.h>

enum { ROW = VV_IMPLICIT_ROW, MOST_ITERATIONS = 30 };

/* Nodes that only move, in three columns; internal variables have no discrete gradient. */
const vv_implicit_parts *vvi_em_parts_of(const vv_block *b)
{
  if (b->z_reals > 0) return NULL;
  if (b->kind->implicit != NULL) return b->kind->implicit->parts;
  return (b->claims & VV_FLAT) != 0 && b->kind->node_p == 3 ? &vvi_em_flat_parts : NULL;
}

static bool is_flat(const vv_block *b)
{
  return b->nodes > 0 && vvi_em_parts_of(b) == &vvi_em_flat_parts;
}

/* The parts are all there is of its form. */
static bool is_plain(const vv_block *b)
{
  return b->nodes > 0 && vvi_em_parts_of(b) != NULL && (b->kind->implicit == NULL || b->kind->implicit->step == NULL);
}

bool vvi_em_bends(const vv_model *m)
{
  for (int i = 0; i < m->n_block; i++)
    if (is_plain(&m->block[i])) return true;
  for (int32_t i = 0; m->solids != NULL && i < m->solids->n; i++)
    if (m->solids->object[i].soft) return true;
  for (int32_t i = 0; m->joints != NULL && i < m->joints->nodes; i++)
    if (m->joints->whole[i] >= 0) return true;
  return m->sheets != NULL;
}

/* ---- what is refused ---- */

/* Two surfaces meet at a distance, along the line between their nearest points: without a thickness there is no such line. */
static vv_status refuse_pair(const vv_model *m, int32_t i, int32_t j)
{
  const struct vvi_sheets *s = m->sheets;
  const vvi_sheet_body *a = &s->body[i], *b = &s->body[j];
  const int32_t rule = s->rule_of(s->meets, i, j);
  if (rule < 0) return VV_OK;
  const vv_group *line = m->solids->rule[rule].group;
  const double offset = vvi_sheets_offset(s, i, j, rule);
  if (vv_is(line, "arms", "C")) return vv_complain(line, "arms", "C is for rigid bodies: surfaces bend; use D");
  if (a->obstacle != NULL || b->obstacle != NULL || (a->tip != NULL && b->tip != NULL)) return VV_OK;
  if (i == j && !(offset > 0.0))
    return vv_complain(
        line, "thickness",
        "in energy-momentum steps '%s' meets itself at its thickness: write `contacts: [{thickness: true}]`, or "
        "`self: false` there",
        m->body[a->body].name);
  if (!(offset > 0.0) && ((a->turns && !a->rigid) || (b->turns && !b->rigid)))
    return vv_complain(line, "between",
                       "in energy-momentum steps a beam with corners meets others with corners and surfaces without "
                       "thickness by rounded edges: give one of '%s' and '%s' a 'rounding', or set 'response: none'",
                       m->body[a->body].name, m->body[b->body].name);
  if (!(offset > 0.0))
    return vv_complain(
        line, "thickness",
        "in energy-momentum steps surfaces meet at their thickness: write `contacts: [{thickness: true}]`, or "
        "`{between: [%s, %s], response: none}` there",
        m->body[a->body].name, m->body[b->body].name);
  return VV_OK;
}

vv_status vvi_em_refuse(const vv_model *m)
{
  for (int32_t i = 0; m->sheets != NULL && i < m->sheets->n_body; i++)
    for (int32_t j = i; j < m->sheets->n_body; j++) VV_TRY(refuse_pair(m, i, j));
  return VV_OK;
}

static vv_status add_body(vvi_em_rigid *w, vvi_arena *arena, const vv_block *b, int32_t body, double *v)
{
  vvi_em_soft *f = &w->soft[w->n_soft++];
  *f = (vvi_em_soft){.block = b, .parts = vvi_em_parts_of(b), .body = body, .v = v, .rest = is_flat(b) ? 1e-19 : 1e-17};
  f->first = is_flat(b) ? 0 : b->body[body]->node0, f->n = is_flat(b) ? b->nodes : b->body[body]->n_node;
  f->work = VVI_ARENA_NEW(arena, double, f->parts->work(b, body));
  f->load = VVI_ARENA_NEW(arena, double, ROW * f->n);
  return f->work == NULL || f->load == NULL ? VV_NOMEM : VV_OK;
}

int32_t vvi_em_soft_of(const vvi_em_rigid *w, const vv_block *b, int64_t node)
{
  for (int32_t i = 0; i < w->n_soft; i++)
    if (w->soft[i].block == b && node >= w->soft[i].first && node < w->soft[i].first + w->soft[i].n) return i + 1;
  return 0;
}

vv_status vvi_em_soft_create(struct vv_step *s, double *v, vvi_em_rigid *w)
{
  const vv_model *m = s->model;
  int64_t most = 0;
  w->threads = vv_ctx_threads(m->ctx);
  w->soft = VVI_ARENA_NEW(s->arena, vvi_em_soft, m->n_body + 1);
  w->soft_of = VVI_ARENA_NEW(s->arena, int32_t, (w->solids != NULL ? w->solids->n : 0) + 1);
  if (w->soft == NULL || w->soft_of == NULL) return VV_NOMEM;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    for (int32_t j = 0; b->nodes > 0 && vvi_em_parts_of(b) != NULL && j < (is_flat(b) ? 1 : b->n_body); j++) {
      VV_TRY(add_body(w, s->arena, b, j, v)); /* a flat block is one for all of its bodies */
      most = b->nodes > most ? b->nodes : most;
    }
    if (b->kind->implicit != NULL) v += b->kind->implicit->node_v * b->nodes;
  }
  for (int32_t i = 0; w->solids != NULL && i < w->solids->n; i++) {
    const vvi_object *o = &w->solids->object[i];
    w->soft_of[i] = o->soft ? vvi_em_soft_of(w, o->block, o->patch->node) : 0;
  }
  w->column = VVI_ARENA_NEW(s->arena, double, ROW *most);
  w->dense = VVI_ARENA_NEW(s->arena, double, VVI_EM_DENSE *(2 * VVI_EM_DENSE + 5));
  return w->column == NULL || w->dense == NULL ? VV_NOMEM : VV_OK;
}

/* ---- a step ---- */

/* Newton's iteration without contacts.                                                                         [em 20a, 20b] */
static bool fly(vvi_em_soft *f)
{
  vvi_newton n = {0};
  while (n.corrections < MOST_ITERATIONS) {
    if (!f->parts->correct(f->work, f->load, vvi_newton_fresh(&n), &f->added, &f->whole)) return false;
    if (vvi_newton_ends(&n, f->added, f->whole, f->rest)) return true;
  }
  return false;
}

bool vvi_em_soft_predict(vvi_em_rigid *w, const vv_state *x, double t, double dt)
{
  bool found = true;
  const int team = w->threads < w->n_soft ? w->threads : w->n_soft;
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1) reduction(&& : found)
  for (int32_t i = 0; i < w->n_soft; i++) {
    vvi_em_soft *f = &w->soft[i];
    memset(f->load, 0, sizeof(double) * (size_t)(ROW * f->n));
    f->parts->begin(f->block, f->body, t, dt, x->q + f->block->q0, x->p + f->block->p0, f->v, f->work);
    found = fly(f) && found;
  }
  return found;
}

void vvi_em_soft_take(vvi_em_rigid *w, vv_state *x, vv_posted *post)
{
  for (int32_t i = 0; i < w->n_soft; i++) {
    vvi_em_soft *f = &w->soft[i];
    f->parts->finish(f->work, x->q + f->block->q0, x->p + f->block->p0, f->v, post);
  }
}

/* ---- shapes ---- */

static void node_of(const vvi_em_rigid *w, int32_t object, int k, vv_implicit_node *out)
{
  const vvi_object *o = &w->solids->object[object];
  const vvi_em_soft *f = &w->soft[w->soft_of[object] - 1];
  const int64_t copy = o->mover[1] >= 0 ? (o->copy + k) % o->patch->nodes : 0; /* a tip has one node */
  f->parts->node(f->work, o->patch->node + copy - f->first, out);
}

void vvi_em_soft_place(const vvi_em_rigid *w, double dt)
{
  vvi_solid_near *near = w->near;
  for (int32_t i = 0; i < w->solids->n && w->n_soft > 0; i++) {
    if (w->soft_of[i] == 0) continue;
    const vvi_object *o = &w->solids->object[i];
    const int nodes = o->mover[1] >= 0 ? 2 : 1;
    double x[2][3], most = 0.0;
    for (int k = 0; k < nodes; k++) {
      vv_implicit_node n;
      node_of(w, i, k, &n);
      for (int c = 0; c < 3; c++) x[k][c] = n.place[c] + n.u[c];
      most = fmax(most, vvi_norm3(n.u));
    }
    vvi_solid_segment(o, x[0], nodes > 1 ? x[1] : NULL, &near->pose[i], &near->fibre[i], &near->thread[i]);
    near->reach[i] = near->thread[i].reach;
    near->bound[i] = most / fabs(dt);
  }
}

/* ---- feet ---- */

/* A node without weight (a contact at the end of a segment) needs no leg; false: out of memory. */
static bool add_leg(vvi_em_rigid *w, vvi_em_foot *f, int64_t node, double weight, const double *arm)
{
  if (weight == 0.0) return true;
  if (w->n_leg == w->leg_room) {
    const int32_t room = w->leg_room > 0 ? 2 * w->leg_room : 256;
    vvi_em_leg *more = VVI_ARENA_NEW(w->arena, vvi_em_leg, room);
    if (more == NULL) return false;
    if (w->n_leg > 0) memcpy(more, w->leg, sizeof *more * (size_t)w->n_leg);
    w->leg = more, w->leg_room = room;
  }
  f->n++;
  vvi_em_leg *leg = &w->leg[w->n_leg++];
  *leg = (vvi_em_leg){.node = node, .weight = weight};
  if (arm != NULL) memcpy(leg->arm, arm, sizeof leg->arm);
  return true;
}

/* Legs of a side of features of surfaces: nodes of its vertices, or those that a vertex of a limit surface is a sum of. */
static bool stand_on_sheet(vvi_em_rigid *w, const vvi_em_contact *c, int side, vvi_em_foot *f)
{
  const struct vvi_sheets *s = w->search->sheets;
  for (int i = 0; i < c->f.vertices; i++) {
    const double weight = side == 0 ? c->f.weight[i] : -c->f.weight[i];
    const int32_t v = c->f.vertex[i];
    const vvi_sheet_body *b = &s->body[s->body_of[v]];
    const int64_t first = b->node0 - b->mover0 - w->soft[f->soft - 1].first;
    if (weight <= 0.0) continue;
    for (int k = 0; b->tip != NULL && k < 3; k++) f->shift[k] = b->tip->reach * b->tip->direction[k];
    double arm[3];
    if (b->turns) vvi_em_sheet_arm(w, v, arm);
    if (!b->loose && !add_leg(w, f, first + s->mover[v], weight, b->turns ? arm : NULL)) return false;
    for (int32_t k = s->stencil0 != NULL ? s->stencil0[v] : 0; b->loose && k < s->stencil0[v + 1]; k++)
      if (!add_leg(w, f, first + s->stencil[k], weight * s->weight[k], NULL)) return false;
  }
  return true;
}

bool vvi_em_stand(vvi_em_rigid *w, vvi_em_contact *c)
{
  for (int side = 0; side < 2; side++) {
    vvi_em_foot *f = &c->foot[side];
    *f = (vvi_em_foot){.soft = c->f.soft[side], .first = w->n_leg};
    if (f->soft == 0) continue;
    if (c->f.sheet) {
      if (!stand_on_sheet(w, c, side, f)) return !(w->full = true);
      if (side == 1) vvi_em_rub_stand(w, c);
      continue;
    }
    const vvi_object *o = &w->solids->object[(side == 0) == c->f.a_slave ? c->f.a : c->f.b];
    const int64_t node = o->patch->node - w->soft[f->soft - 1].first;
    const double t = c->f.foot[side];
    if (o->mover[1] < 0) {
      for (int k = 0; k < 3; k++) f->shift[k] = o->patch->reach * o->patch->direction[k];
      if (!add_leg(w, f, node, 1.0, NULL)) return !(w->full = true);
      continue;
    }
    if (!add_leg(w, f, node + o->copy, 1.0 - t, NULL) ||
        !add_leg(w, f, node + (o->copy + 1) % o->patch->nodes, t, NULL))
      return !(w->full = true);
  }
  return true;
}

/* (1 - theta^/2)^-1 of it is the mean.                                                                           [em 7, 22] */
void vvi_em_arm_at(const double arm[3], const double theta[3], double when, double out[3])
{
  const double along = 0.25 * vvi_dot3(theta, arm), scale = 1.0 / (1.0 + 0.25 * vvi_dot3(theta, theta));
  double side[3];
  vvi_cross3(theta, arm, side);
  for (int c = 0; c < 3; c++) {
    const double mean = scale * (arm[c] + 0.5 * side[c] + along * theta[c]);
    out[c] = arm[c] + 2.0 * when * (mean - arm[c]);
  }
}

void vvi_em_foot_place(const vvi_em_rigid *w, const vvi_em_foot *f, double when, double x[3])
{
  const vvi_em_soft *s = &w->soft[f->soft - 1];
  vv_implicit_node n;
  for (int c = 0; c < 3; c++) x[c] = f->shift[c];
  for (int32_t i = f->first; i < f->first + f->n; i++) {
    double arm[3];
    s->parts->node(s->work, w->leg[i].node, &n);
    vvi_em_arm_at(w->leg[i].arm, n.theta, when, arm);
    for (int c = 0; c < 3; c++) x[c] += w->leg[i].weight * (n.place[c] + when * n.u[c] + arm[c]);
  }
}

/* From a node to where the impulse acts, in the mean. */
static void reach_of(const vvi_em_rigid *w, const vvi_em_foot *f, const vvi_em_leg *leg, double out[3])
{
  const vvi_em_soft *s = &w->soft[f->soft - 1];
  vv_implicit_node n;
  memcpy(out, f->off, 3 * sizeof *out);
  if (leg->arm[0] == 0.0 && leg->arm[1] == 0.0 && leg->arm[2] == 0.0) return;
  double arm[3];
  s->parts->node(s->work, leg->node, &n);
  vvi_em_arm_at(leg->arm, n.theta, 0.5, arm);
  for (int c = 0; c < 3; c++) out[c] += arm[c];
}

static void add_carried(const double arm[3], const double v[3], const double spin[3], double weight, double sum[3])
{
  double turn[3];
  vvi_cross3(spin, arm, turn);
  for (int c = 0; c < 3; c++) sum[c] += weight * (v[c] + turn[c]);
}

void vvi_em_foot_motion(const vvi_em_rigid *w, const vvi_em_foot *f, double u[3])
{
  const vvi_em_soft *s = &w->soft[f->soft - 1];
  vv_implicit_node n;
  for (int c = 0; c < 3; c++) u[c] = 0.0;
  for (int32_t i = f->first; i < f->first + f->n; i++) {
    double reach[3];
    s->parts->node(s->work, w->leg[i].node, &n);
    reach_of(w, f, &w->leg[i], reach);
    add_carried(reach, n.u, n.theta, w->leg[i].weight, u);
  }
}

void vvi_em_foot_rate(const vvi_em_rigid *w, const vvi_em_foot *f, double v[3])
{
  const vvi_em_soft *s = &w->soft[f->soft - 1];
  double rate[6];
  for (int c = 0; c < 3; c++) v[c] = 0.0;
  for (int32_t i = f->first; i < f->first + f->n; i++) {
    double reach[3];
    for (int c = 0; c < 3; c++) reach[c] = f->off[c] + w->leg[i].arm[c];
    s->parts->rate(s->work, w->leg[i].node, rate);
    add_carried(reach, rate, rate + 3, w->leg[i].weight, v);
  }
}

static void side_place(const vvi_em_rigid *w, const vvi_em_contact *c, int side, bool after, double x[3])
{
  vvi_pose pose;
  if (c->foot[side].soft > 0) {
    vvi_em_foot_place(w, &c->foot[side], after ? 1.0 : 0.0, x);
    return;
  }
  vvi_em_pose(&w->frame[side == 0 ? c->f.slave : c->f.master], after, &pose);
  vvi_apply33(pose.turn, side == 0 ? c->f.point : c->f.place, x);
  for (int k = 0; k < 3; k++) x[k] += pose.place[k];
}

double vvi_em_soft_gap(const vvi_em_rigid *w, const vvi_em_contact *c, bool after)
{
  double s[3], m[3], d[3], n[3];
  vvi_pose pose;
  side_place(w, c, 0, after, s);
  side_place(w, c, 1, after, m);
  for (int k = 0; k < 3; k++) d[k] = s[k] - m[k];
  if (c->f.sign != 0.0) return c->f.sign * (vvi_norm3(d) - c->f.radius);
  vvi_em_pose(&w->frame[c->f.master], after, &pose);
  vvi_apply33(pose.turn, c->f.normal, n);
  return vvi_dot3(n, d) - c->f.radius;
}

/* ---- loads and answers ---- */

void vvi_em_soft_unload(vvi_em_rigid *w)
{
  for (int32_t i = 0; i < w->n_soft; i++)
    if (w->soft[i].touched) memset(w->soft[i].load, 0, sizeof(double) * (size_t)(ROW * w->soft[i].n));
}

static void add_load(const vvi_em_rigid *w, const vvi_em_foot *f, const double force[3], double *load)
{
  for (int32_t i = f->first; i < f->first + f->n; i++) {
    double reach[3], moment[3];
    reach_of(w, f, &w->leg[i], reach);
    vvi_cross3(reach, force, moment);
    for (int c = 0; c < 3; c++) {
      load[ROW * w->leg[i].node + c] += w->leg[i].weight * force[c];
      load[ROW * w->leg[i].node + 3 + c] += w->leg[i].weight * moment[c];
    }
  }
}

void vvi_em_soft_push(vvi_em_rigid *w, const vvi_em_foot *f, const double force[3])
{
  add_load(w, f, force, w->soft[f->soft - 1].load);
}

bool vvi_em_soft_correct(vvi_em_rigid *w, bool fresh)
{
  for (int32_t i = 0; i < w->n_soft; i++) {
    vvi_em_soft *f = &w->soft[i];
    if (f->touched && !f->parts->correct(f->work, f->load, fresh, &f->added, &f->whole)) return false;
  }
  return true;
}

/* The motion of a foot along a direction, when its nodes move by an answer. */
static double along(const vvi_em_rigid *w, const vvi_em_foot *f, const double push[3], const double *answer)
{
  double sum[3] = {0, 0, 0};
  for (int32_t i = f->first; i < f->first + f->n; i++) {
    const double *x = answer + ROW * w->leg[i].node;
    double reach[3];
    reach_of(w, f, &w->leg[i], reach);
    add_carried(reach, x, x + 3, w->leg[i].weight, sum);
  }
  return vvi_dot3(push, sum);
}

static const double *push_of(const vvi_em_contact *c, int d)
{
  return d == 0 ? c->nu : c->t[d - 1];
}

static bool stands_on(const vvi_em_contact *c, int32_t soft)
{
  return c->foot[0].soft == soft || c->foot[1].soft == soft;
}

bool vvi_em_soft_stood_on(const vvi_em_rigid *w, int32_t soft)
{
  for (int32_t i = 0; i < w->n_contact; i++)
    if (stands_on(&w->contact[i], soft)) return true;
  return false;
}

bool vvi_em_soft_column(vvi_em_rigid *w, int32_t soft, int directions, int64_t first, int64_t last, const double *by)
{
  const vvi_em_soft *f = &w->soft[soft - 1];
  bool some = false;
  memset(w->column, 0, sizeof(double) * (size_t)(ROW * f->n));
  for (int64_t row = first; row < last; row++) {
    const vvi_em_contact *c = &w->contact[row / directions];
    const double *push = push_of(c, (int)(row % directions)), size = by != NULL ? by[row] : 1.0;
    for (int side = 0; side < 2; side++) {
      const double sign = side == 0 ? size : -size, force[3] = {sign * push[0], sign * push[1], sign * push[2]};
      if (c->foot[side].soft != soft) continue;
      add_load(w, &c->foot[side], force, w->column);
      some = true;
    }
    const double whole[3] = {size * push[0], size * push[1], size * push[2]};
    vvi_em_rub_push(w, c, soft, whole, w->column);
  }
  if (some) f->parts->respond(f->work, w->rough ? VVI_EM_NOISE : VVI_EM_COLUMN, w->column);
  return some;
}

void vvi_em_soft_see(const vvi_em_rigid *w, int32_t soft, int directions, double dt, double *to, int64_t stride)
{
  for (int32_t i = 0; i < w->n_contact; i++) {
    const vvi_em_contact *c = &w->contact[i];
    for (int e = 0; stands_on(c, soft) && e < directions; e++) {
      double sum = vvi_em_rub_along(w, c, soft, push_of(c, e), w->column);
      for (int side = 0; side < 2; side++)
        if (c->foot[side].soft == soft)
          sum += (side == 0 ? 1.0 : -1.0) * along(w, &c->foot[side], push_of(c, e), w->column);
      to[((int64_t)directions * i + e) * stride] += sum / (dt * dt);
    }
  }
}

bool vvi_em_flex_fit(vvi_em_rigid *w, int64_t rows)
{
  if (rows * rows > w->flex_room) {
    int64_t room = w->flex_room > 0 ? w->flex_room : 256;
    while (room < rows * rows) room *= 2;
    if ((w->flex = VVI_ARENA_NEW(w->arena, double, room)) == NULL) return !(w->full = true);
    w->flex_room = room;
  }
  memset(w->flex, 0, sizeof(double) * (size_t)(rows * rows));
  return true;
}

/* One column for each row: a unit impulse along it, on one body; its answer along all rows that stand on it.           [em 17] */
void vvi_em_soft_couple(vvi_em_rigid *w, int directions, double dt)
{
  const int64_t rows = (int64_t)w->n_contact * directions;
  for (int32_t s = 1; s <= w->n_soft; s++)
    for (int64_t row = 0; w->soft[s - 1].touched && row < rows; row++)
      if (vvi_em_soft_column(w, s, directions, row, row + 1, NULL))
        vvi_em_soft_see(w, s, directions, dt, w->flex + row, rows);
}

/* ---- spots ---- */

void vvi_em_frame_pose(const vvi_em_frame *f, double when, vvi_pose *out)
{
  double turn[9];
  const double theta[3] = {when * f->theta[0], when * f->theta[1], when * f->theta[2]};
  vvi_em_pose(f, false, out);
  if (f->held) return;
  vvi_exp(theta, turn);
  vvi_mul33(turn, f->r, out->turn);
  for (int k = 0; k < 3; k++) out->place[k] += when * f->dx[k];
}

static void node_place(const vvi_em_rigid *w, int32_t object, int k, double when, double x[3])
{
  vv_implicit_node n;
  node_of(w, object, k, &n);
  for (int c = 0; c < 3; c++) x[c] = n.place[c] + when * n.u[c];
}

void vvi_em_segment_motion(const vvi_em_rigid *w, int32_t object, double u[2][3])
{
  for (int k = 0; k < 2; k++) {
    vv_implicit_node n;
    node_of(w, object, k, &n);
    memcpy(u[k], n.u, sizeof u[k]);
  }
}

void vvi_em_shape_of(const vvi_em_rigid *w, int32_t object, int32_t other, double when, vvi_em_shape *out)
{
  const vvi_object *o = &w->solids->object[object];
  double x[2][3];
  out->solid = vvi_solids_seen(w->solids, object, other);
  if (w->n_soft == 0 || w->soft_of[object] == 0) {
    vvi_em_frame_pose(&w->frame[w->frame_of[object]], when, &out->pose);
    return;
  }
  const int nodes = o->mover[1] >= 0 ? 2 : 1;
  for (int k = 0; k < nodes; k++) node_place(w, object, k, when, x[k]);
  out->part = w->near->fibre[object], out->segment = w->near->thread[object];
  out->segment.part = &out->part, out->solid = &out->segment;
  vvi_solid_segment(o, x[0], nodes > 1 ? x[1] : NULL, &out->pose, &out->part, &out->segment);
}

/* The weight of the second node of a segment at a point of its axis. */
static double weight_at(const vvi_em_rigid *w, int32_t object, double when, const double x[3])
{
  double a[3], b[3], d[3], e[3];
  if (w->solids->object[object].mover[1] < 0) return 0.0;
  node_place(w, object, 0, when, a), node_place(w, object, 1, when, b);
  for (int c = 0; c < 3; c++) d[c] = b[c] - a[c], e[c] = x[c] - a[c];
  const double dd = vvi_dot3(d, d), t = dd > 0.0 ? vvi_dot3(d, e) / dd : 0.0;
  return t < 1e-12 ? 0.0 : t > 1.0 - 1e-12 ? 1.0 : t;
}

static bool is_ball(const vv_solid *s)
{
  return s->parts == 1 && s->part->type == VVI_PART_BALL;
}

/* What bends is a point of its axis with a radius, and the slave; the other one is such a point, the centre of a ball, or a
 * plane where the spot is. */
void vvi_em_soft_spot(const vvi_em_rigid *w, const vvi_candidate *k, const vvi_spot *spot, double when,
                      vvi_em_feature *out)
{
  const int32_t object[2] = {k->a, k->b};
  const int s = w->soft_of[k->a] > 0 ? 0 : 1, m = 1 - s;
  const double side = s == 0 ? -1.0 : 1.0, r = w->near->fibre[object[s]].radius;
  double nu[3], axis[3], surface[3];
  for (int i = 0; i < 3; i++) {
    nu[i] = side * spot->n[i]; /* from master to slave */
    axis[i] = spot->x[i] + (0.5 * spot->gap + r) * nu[i];
    surface[i] = spot->x[i] - 0.5 * spot->gap * nu[i];
  }
  *out = (vvi_em_feature){.a = k->a, .b = k->b, .law = k->rule, .key = spot->key, .own = r, .radius = r};
  out->a_slave = s == 0;
  out->slave = w->n, out->master = w->frame_of[object[m]];
  out->soft[0] = w->soft_of[object[s]], out->soft[1] = w->soft_of[object[m]];
  out->foot[0] = weight_at(w, object[s], when, axis);
  if (out->soft[1] > 0) {
    const double own = w->near->fibre[object[m]].radius;
    for (int i = 0; i < 3; i++) surface[i] -= own * nu[i];
    out->foot[1] = weight_at(w, object[m], when, surface);
    out->sign = 1.0, out->radius = r + own, out->master = w->n;
    return;
  }
  vvi_pose pose;
  const vv_solid *solid = vvi_solids_seen(w->solids, object[m], object[s]);
  if (is_ball(solid)) {
    const vvi_part *part = solid->part;
    out->sign = part->hollow ? -1.0 : 1.0;
    out->radius = part->radius + out->sign * r;
    memcpy(out->place, part->centre, sizeof out->place);
    return;
  }
  vvi_em_frame_pose(&w->frame[out->master], when, &pose);
  for (int i = 0; i < 3; i++) surface[i] -= pose.place[i];
  vvi_tapply33(pose.turn, surface, out->place);
  vvi_tapply33(pose.turn, nu, out->normal);
}

bool vvi_em_soft_left(const vvi_em_rigid *w, const vvi_em_feature *f)
{
  for (int side = 0; side < 2; side++) {
    const vvi_object *o = &w->solids->object[(side == 0) == f->a_slave ? f->a : f->b];
    if (f->soft[side] > 0 && o->mover[1] >= 0 && f->foot[side] == 1.0 &&
        (o->patch->closed || o->copy + 2 < o->patch->nodes))
      return true;
  }
  return false;
}

/* m/s^2 */
double vvi_em_weight_of(const vvi_em_rigid *w, int32_t frame, int32_t soft)
{
  return vvi_norm3(soft > 0 ? w->soft[soft - 1].block->gravity : w->frame[frame].gravity);
}
