/* step/energy_momentum/sheet.c  Near pairs of features of surfaces in energy-momentum steps.
 *
 * The search of the engine (contact/sheets) tells which vertices, edges and faces may meet on the way to where the step leads.
 * Weights c of up to four vertices, sum 0, make two material points, d = sum c x their distance: two points as [em 16a] wants
 * them, held apart by half thicknesses and radii. */
#include "step/energy_momentum/frames.h"

#include "contact/narrow/obstacle.h"
#include "math/math.h"

#include <string.h>

vv_status vvi_em_sheet_create(struct vv_step *s, vvi_em_rigid *w)
{
  const vv_model *m = s->model;
  const struct vvi_sheets *t = m->sheets;
  VV_TRY(vvi_sheet_search_create(t, s->arena, vv_ctx_threads(m->ctx), VVI_SHEET_SKIN * t->edge_length, &w->search));
  for (int32_t i = 0; i < t->n_rule; i++) w->search->margin[i] = fmin(1e-3 * t->edge_length, 0.5 * t->closest);
  w->search->anticipates = true;
  w->fake = VVI_ARENA_NEW(s->arena, double, 2 * m->np + 1);
  w->sheet_soft = VVI_ARENA_NEW(s->arena, int32_t, 2 * (int64_t)t->n_body + 1);
  if (w->fake == NULL || w->sheet_soft == NULL) return VV_NOMEM;
  w->np = m->np;
  for (int32_t i = 0; i < t->n_body; i++) {
    const vvi_sheet_body *b = &t->body[i];
    int32_t first = 0;
    w->sheet_soft[i] = b->carrier == VVI_CARRY_NONE || b->rigid ? 0 : vvi_em_soft_of(w, b->block, b->node0);
    while (first < w->n && w->frame[first].block != b->block) first += (int32_t)w->frame[first].block->nodes;
    w->sheet_soft[t->n_body + i] = b->rigid ? first + (int32_t)b->node0 : w->n;
  }
  return VV_OK;
}

static int32_t frame_of(const vvi_em_rigid *w, int32_t body)
{
  return w->sheet_soft[w->search->sheets->n_body + body];
}

/* ---- places ---- */

static void node_place(const vvi_em_rigid *w, int32_t body, int32_t mover, double when, double x[3])
{
  const vvi_sheet_body *b = &w->search->sheets->body[body];
  const vvi_em_soft *f = &w->soft[w->sheet_soft[body] - 1];
  vv_implicit_node n;
  f->parts->node(f->work, b->node0 + (mover - b->mover0) - f->first, &n);
  for (int c = 0; c < 3; c++) x[c] = n.place[c] + when * n.u[c];
  for (int c = 0; b->tip != NULL && c < 3; c++) x[c] += b->tip->reach * b->tip->direction[c];
}

void vvi_em_sheet_arm(const vvi_em_rigid *w, int32_t v, double arm[3])
{
  const struct vvi_sheets *s = w->search->sheets;
  vvi_apply33(w->search->motion.frame[s->mover[v]].turn, s->arm + 3 * (int64_t)v, arm);
}

static const vvi_em_soft *soft_of(const vvi_em_rigid *w, int32_t body)
{
  return &w->soft[w->sheet_soft[body] - 1];
}

/* A beam with corners: its vertices hang on arms. */
static bool has_corners(const vvi_sheet_body *b)
{
  return b->turns && !b->rigid;
}

/* A vertex of it. */
static void corner_place(const vvi_em_rigid *w, int32_t body, int32_t v, double when, double x[3])
{
  const struct vvi_sheets *s = w->search->sheets;
  const vvi_sheet_body *b = &s->body[body];
  const vvi_em_soft *f = soft_of(w, body);
  double arm[3], now[3];
  vv_implicit_node n;
  f->parts->node(f->work, b->node0 + (s->mover[v] - b->mover0) - f->first, &n);
  vvi_em_sheet_arm(w, v, arm);
  vvi_em_arm_at(arm, n.theta, when, now);
  for (int c = 0; c < 3; c++) x[c] = n.place[c] + when * n.u[c] + now[c];
}

void vvi_em_sheet_vertex(const vvi_em_rigid *w, int32_t v, double when, double x[3])
{
  const struct vvi_sheets *s = w->search->sheets;
  const int32_t body = s->body_of[v];
  const vvi_sheet_body *b = &s->body[body];
  if (b->carrier == VVI_CARRY_NONE) {
    memcpy(x, s->fixed + 3 * (int64_t)v, 3 * sizeof *x);
  } else if (b->rigid) {
    vvi_pose pose;
    vvi_em_frame_pose(&w->frame[frame_of(w, body)], when, &pose);
    vvi_sheet_carried(pose.place, pose.turn, s->arm + 3 * (int64_t)v, x);
  } else if (has_corners(b)) {
    corner_place(w, body, v, when, x);
  } else if (b->loose) {
    double y[3];
    x[0] = x[1] = x[2] = 0.0;
    for (int32_t i = s->stencil0[v]; i < s->stencil0[v + 1]; i++) {
      node_place(w, body, s->stencil[i], when, y);
      for (int c = 0; c < 3; c++) x[c] += s->weight[i] * y[c];
    }
  } else {
    node_place(w, body, s->mover[v], when, x);
  }
}

void vvi_em_sheet_turn(const vvi_em_rigid *w, int32_t v, double *angle, double *arm)
{
  const struct vvi_sheets *s = w->search->sheets;
  const int32_t body = s->body_of[v];
  *angle = *arm = 0.0;
  if (!s->body[body].rigid || w->frame[frame_of(w, body)].held) return;
  *angle = vvi_norm3(w->frame[frame_of(w, body)].theta), *arm = vvi_norm3(s->arm + 3 * (int64_t)v);
}

/* ---- motion, as the search sees it: momenta that would drift to where the step leads ---- */

static void set_points(const vvi_em_rigid *w, const vv_state *x, int32_t body, double dt)
{
  const struct vvi_sheets *s = w->search->sheets;
  const vvi_sheet_body *b = &s->body[body];
  const vvi_em_soft *f = &w->soft[w->sheet_soft[body] - 1];
  const int64_t column = b->block->column, at = b->block->p0 + b->node0;
  for (int32_t i = 0; i < b->movers; i++) {
    vv_implicit_node n;
    f->parts->node(f->work, b->node0 + i - f->first, &n);
    const double mass = s->inverse[b->mover0 + i] > 0.0 ? 1.0 / s->inverse[b->mover0 + i] : 0.0;
    for (int c = 0; c < 3; c++) w->fake[at + c * column + i] = mass * n.u[c] / dt;
  }
  w->search->motion.at[body] = vvi_points_of(b->block, b->node0, x->q, w->fake, w->fake + w->np);
}

/* How a node of a beam with corners is turned at n, and where the step leads. */
static void turn_of(const vvi_em_rigid *w, int32_t body, int32_t i, double now[9], double ahead[9])
{
  const vvi_sheet_body *b = &w->search->sheets->body[body];
  const vvi_em_soft *f = soft_of(w, body);
  vv_implicit_node n;
  memcpy(now, w->search->motion.frame[b->mover0 + i].turn, 9 * sizeof *now);
  f->parts->node(f->work, b->node0 + i - f->first, &n);
  for (int k = 0; k < 3; k++) {
    const double axis[3] = {now[k], now[3 + k], now[6 + k]};
    double x[3];
    vvi_em_arm_at(axis, n.theta, 1.0, x);
    for (int c = 0; c < 3; c++) ahead[3 * c + k] = x[c];
  }
}

void vvi_em_sheet_begin(vvi_em_rigid *w)
{
  const struct vvi_sheets *s = w->search->sheets;
  for (int32_t j = 0; j < s->n_body; j++) {
    const vvi_sheet_body *b = &s->body[j];
    for (int32_t i = 0; has_corners(b) && i < b->movers; i++) {
      vv_mover m;
      b->block->kind->mover(b->block, b->node0 + i, w->state->q + b->block->q0, w->state->p + b->block->p0, &m);
      memcpy(w->search->motion.frame[b->mover0 + i].turn, m.turn, sizeof m.turn);
    }
  }
}

static void set_frames(const vvi_em_rigid *w, int32_t body)
{
  const vvi_sheet_body *b = &w->search->sheets->body[body];
  for (int32_t i = 0; b->shares == 0 && i < b->movers; i++) {
    vvi_sheet_frame *f = &w->search->motion.frame[b->mover0 + i];
    vvi_pose now = {.turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, ahead = now;
    if (b->rigid) {
      vvi_em_frame_pose(&w->frame[frame_of(w, body)], 0.0, &now);
      vvi_em_frame_pose(&w->frame[frame_of(w, body)], 1.0, &ahead);
    } else {
      node_place(w, body, b->mover0 + i, 0.0, now.place);
      node_place(w, body, b->mover0 + i, 1.0, ahead.place);
      if (has_corners(b)) turn_of(w, body, i, now.turn, ahead.turn);
    }
    memcpy(f->place, now.place, sizeof f->place), memcpy(f->turn, now.turn, sizeof f->turn);
    memcpy(f->place_ahead, ahead.place, sizeof f->place_ahead), memcpy(f->turn_ahead, ahead.turn, sizeof f->turn_ahead);
  }
}

static void set_motion(const vvi_em_rigid *w, const vv_state *x, double dt)
{
  const struct vvi_sheets *s = w->search->sheets;
  w->search->motion.h = dt;
  for (int32_t i = 0; i < s->n_body; i++) {
    if (s->body[i].carrier == VVI_CARRY_POINTS) set_points(w, x, i, dt);
    if (s->body[i].carrier == VVI_CARRY_FRAMES) set_frames(w, i);
  }
  vvi_sheet_measure(w->search);
}

bool vvi_em_sheet_collect(vvi_em_rigid *w, const vv_state *x, double dt)
{
  set_motion(w, x, dt);
  return vvi_sheet_collect(w->search) || !(w->full = true);
}

void vvi_em_sheet_moved(vvi_em_rigid *w, const vv_state *x, double dt)
{
  set_motion(w, x, dt);
  vvi_sheet_advance(w->search);
}

/* ---- features ---- */

/* A round or flat obstacle by its own shape, others by the plane that the vertex is nearest to. */
static void on_obstacle(const vv_patch *o, const vvi_closest *at, const double x[3], vvi_em_feature *f)
{
  f->radius = f->offset;
  if (o->type == VV_PATCH_SPHERE) {
    f->sign = o->inside ? -1.0 : 1.0;
    f->radius = o->radius + f->sign * f->offset;
    memcpy(f->place, o->centre, sizeof f->place);
    return;
  }
  memcpy(f->normal, at->n, sizeof f->normal);
  for (int c = 0; c < 3; c++) f->place[c] = x[c] - at->d * at->n[c];
  for (int c = 0; c < 3 && o->type == VV_PATCH_PLANE; c++)
    f->normal[c] = o->direction[c], f->place[c] = o->offset * o->direction[c];
}

/* Which side a vertex is on; what cannot turn is the slave: impulses act where it is. */
static void take_sides(const vvi_em_rigid *w, vvi_em_feature *f)
{
  const struct vvi_sheets *s = w->search->sheets;
  bool first = false, second = true; /* of the two sides: does it turn? */
  for (int i = 0; i < f->vertices; i++) {
    const bool turns = s->body[s->body_of[f->vertex[i]]].carrier != VVI_CARRY_POINTS;
    if (f->weight[i] > 0.0) first = turns;
    if (f->weight[i] < 0.0) second = turns;
  }
  for (int i = 0; i < f->vertices && first && !second; i++) f->weight[i] = -f->weight[i];
  f->slave = f->master = w->n;
  for (int i = 0; i < f->vertices; i++) {
    const int side = f->weight[i] > 0.0 ? 0 : 1;
    const int32_t body = s->body_of[f->vertex[i]];
    if (f->weight[i] == 0.0) continue;
    f->name[side] = body, f->soft[side] = w->sheet_soft[body];
    if (s->body[body].carrier == VVI_CARRY_NONE || f->soft[side] > 0) {
      double x[3];
      vvi_em_sheet_vertex(w, f->vertex[i], 1.0, x);
      for (int c = 0; f->soft[side] == 0 && c < 3; c++)
        (side == 0 ? f->point : f->place)[c] += fabs(f->weight[i]) * x[c];
      continue;
    }
    (*(side == 0 ? &f->slave : &f->master)) = frame_of(w, body);
    for (int c = 0; c < 3; c++)
      (side == 0 ? f->point : f->place)[c] += fabs(f->weight[i]) * s->arm[3 * (int64_t)f->vertex[i] + c];
  }
}

double vvi_em_sheet_feature(const vvi_em_rigid *w, int32_t a, int32_t b, int32_t law, double offset, double when,
                            vvi_em_feature *f)
{
  const struct vvi_sheets *s = w->search->sheets;
  double x[4][3];
  vvi_closest at = {.c = {1.0}, .d = 0.0};
  *f = (vvi_em_feature){.sheet = true, .a = a, .b = b, .law = law, .offset = offset, .a_slave = true};
  f->vertices = vvi_sheet_vertices(s, a, b, f->vertex);
  for (int i = 0; i < f->vertices; i++) vvi_em_sheet_vertex(w, f->vertex[i], when, x[i]);
  if (f->vertices == 1) {
    const vv_patch *o = s->body[-1 - b].obstacle;
    at.d = vvi_obstacle_distance(o, x[0], at.n);
    f->weight[0] = 1.0;
    take_sides(w, f);
    f->name[1] = -1 - b;
    f->own = w->soft[f->soft[0] - 1].parts->turns ? offset : 0.0;
    on_obstacle(o, &at, x[0], f);
    return at.d - offset;
  }
  if (f->vertices == 2) { /* tips on one line: which is in front is known once and for all */
    const double *way = s->body[s->body_of[f->vertex[0]]].tip->direction;
    f->weight[0] = 1.0, f->weight[1] = -1.0;
    take_sides(w, f);
    f->radius = offset;
    for (int c = 0; c < 3; c++) f->normal[c] = -way[c], at.d -= way[c] * (x[0][c] - x[1][c]);
    return at.d - offset;
  }
  vvi_closest_at(a < 0 ? VVI_EDGE_EDGE : VVI_VERTEX_FACE, (const double(*)[3])x, &at);
  memcpy(f->weight, at.c, sizeof f->weight);
  take_sides(w, f);
  f->sign = 1.0, f->radius = offset;
  if (s->body[f->name[0]].carrier == VVI_CARRY_FRAMES) f->own = s->body[f->name[0]].half; /* it can turn */
  return at.d - offset;
}

/* Is the pair, where the step leads, a local minimum of the distance of the surfaces? */
bool vvi_em_sheet_is_local(const vvi_em_rigid *w, int32_t a, int32_t b)
{
  vvi_closest at;
  vvi_sheet_closest(&w->search->motion, a, b, true, &at);
  return vvi_sheet_is_local(&w->search->motion, NULL, a, b, &at);
}
