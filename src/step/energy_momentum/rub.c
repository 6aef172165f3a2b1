/* step/energy_momentum/rub.c  Friction of two surfaces whose nodes only move.
 *
 * An impulse f on the one and -f on the other, at points that half thicknesses hold apart by d, has the moment d x f, and nodes that
 * cannot turn have nothing to take it with.  As in the rows of the engine, the four vertices of the pair share it [sheets 6], here in
 * the middle of the step: with masses m_k, arms r_k from the centre of mass of their side in the middle, and the inertia I of both,
 *   H_k = c_k f + m_k w x r_k,   I w = f x d,   u = sum c_k u_k + d x I^-1 sum m_k r_k x u_k                            [em 25]
 * u is the transpose of H, so that f does the work f.u and no moment: [em 5] and [em 6] hold for any f.  A rigid motion of the four is
 * no sliding.  Along d, as multipliers and springs push, w is zero. */
#include "step/energy_momentum/frames.h"

#include "contact/rows/feature.h"
#include "math/math.h"

static bool only_moves(const vvi_em_rigid *w, int32_t body)
{
  return body >= 0 && w->search->sheets->body[body].carrier == VVI_CARRY_POINTS;
}

void vvi_em_rub_stand(const vvi_em_rigid *w, vvi_em_contact *c)
{
  const vvi_em_feature *f = &c->f;
  c->rub.shared = c->law->friction > 0.0 && f->sheet && f->vertices == 4 && only_moves(w, f->name[0]) &&
                  only_moves(w, f->name[1]) &&
                  vvi_sheet_masses(&w->search->motion, f->vertices, f->vertex, c->rub.mass);
}

void vvi_em_rub_aim(const vvi_em_rigid *w, vvi_em_contact *c)
{
  double x[4][3];
  if (!c->rub.shared) return;
  for (int i = 0; i < 4; i++) vvi_em_sheet_vertex(w, c->f.vertex[i], 0.5, x[i]);
  vvi_torque_free_turn(4, c->f.a < 0 ? 2 : 1, (const double(*)[3])x, c->rub.mass, c->f.weight, c->rub.arm, c->rub.turn);
}

/* Nodes of a vertex, and their weights: its own, or those that it is a sum of. */
typedef struct nodes {
  int32_t first, n;    /* into the stencils; n = 0: */
  int64_t own, before; /* its node; what is to be added to a mover to make it one */
} nodes;

static nodes nodes_of(const vvi_em_rigid *w, int32_t v)
{
  const struct vvi_sheets *s = w->search->sheets;
  const int32_t body = s->body_of[v];
  const vvi_sheet_body *b = &s->body[body];
  nodes out = {.before = b->node0 - b->mover0 - w->soft[w->sheet_soft[body] - 1].first};
  if (b->loose)
    out.first = s->stencil0[v], out.n = s->stencil0[v + 1] - out.first;
  else
    out.own = s->mover[v] + out.before;
  return out;
}

static void spread(const vvi_em_rigid *w, int32_t v, const double force[3], double *load)
{
  const struct vvi_sheets *s = w->search->sheets;
  const nodes k = nodes_of(w, v);
  for (int c = 0; k.n == 0 && c < 3; c++) load[VV_IMPLICIT_ROW * k.own + c] += force[c];
  for (int32_t i = k.first; i < k.first + k.n; i++)
    for (int c = 0; c < 3; c++) load[VV_IMPLICIT_ROW * (s->stencil[i] + k.before) + c] += s->weight[i] * force[c];
}

static void gather(const vvi_em_rigid *w, int32_t v, const double *answer, double u[3])
{
  const struct vvi_sheets *s = w->search->sheets;
  const nodes k = nodes_of(w, v);
  for (int c = 0; c < 3; c++) u[c] = k.n == 0 ? answer[VV_IMPLICIT_ROW * k.own + c] : 0.0;
  for (int32_t i = k.first; i < k.first + k.n; i++)
    for (int c = 0; c < 3; c++) u[c] += s->weight[i] * answer[VV_IMPLICIT_ROW * (s->stencil[i] + k.before) + c];
}

static bool is_of(const vvi_em_rigid *w, const vvi_em_contact *c, int vertex, int32_t soft)
{
  return w->sheet_soft[w->search->sheets->body_of[c->f.vertex[vertex]]] == soft;
}

void vvi_em_rub_push(const vvi_em_rigid *w, const vvi_em_contact *c, int32_t soft, const double force[3], double *load)
{
  double turn[3], part[3];
  if (!c->rub.shared) return;
  vvi_apply33(c->rub.turn, force, turn);
  for (int i = 0; i < 4; i++) {
    if (!is_of(w, c, i, soft)) continue;
    vvi_cross3(turn, c->rub.arm[i], part);
    for (int k = 0; k < 3; k++) part[k] *= c->rub.mass[i];
    spread(w, c->f.vertex[i], part, load);
  }
}

/* What a moment of the four, sum m_k r_k x u_k, is of u. */
static void add_moment(const vvi_em_contact *c, const double moment[3], double u[3])
{
  double more[3];
  vvi_tapply33(c->rub.turn, moment, more);
  for (int k = 0; k < 3; k++) u[k] += more[k];
}

static void add_arm(const vvi_em_contact *c, int vertex, const double u[3], double moment[3])
{
  double part[3];
  vvi_cross3(c->rub.arm[vertex], u, part);
  for (int k = 0; k < 3; k++) moment[k] += c->rub.mass[vertex] * part[k];
}

void vvi_em_rub_motion(const vvi_em_rigid *w, const vvi_em_contact *c, double u[3])
{
  double moment[3] = {0, 0, 0};
  for (int i = 0; c->rub.shared && i < 4; i++) {
    double x[3], y[3];
    vvi_em_sheet_vertex(w, c->f.vertex[i], 0.0, x);
    vvi_em_sheet_vertex(w, c->f.vertex[i], 1.0, y);
    for (int k = 0; k < 3; k++) y[k] -= x[k];
    add_arm(c, i, y, moment);
  }
  if (c->rub.shared) add_moment(c, moment, u);
}

double vvi_em_rub_along(const vvi_em_rigid *w, const vvi_em_contact *c, int32_t soft, const double push[3],
                        const double *answer)
{
  double moment[3] = {0, 0, 0}, u[3] = {0, 0, 0};
  for (int i = 0; c->rub.shared && i < 4; i++) {
    if (!is_of(w, c, i, soft)) continue;
    gather(w, c->f.vertex[i], answer, u);
    add_arm(c, i, u, moment);
  }
  if (!c->rub.shared) return 0.0;
  for (int k = 0; k < 3; k++) u[k] = 0.0;
  add_moment(c, moment, u);
  return vvi_dot3(push, u);
}
