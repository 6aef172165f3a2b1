/* step/contact.c  Contact within a step: calls the engine, keeps its log and its columns of the ledger. */
#include "step/contact.h"

#include "contact/broad/ranks.h"
#include "math/math.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

/* The node of one side that is nearest to the contact, within its body; -1: fixed in space. */
static int64_t node_of(const struct vv_step *s, const vvi_contact *c, int side)
{
  const struct vvi_contact_step *w = s->contact;
  const vv_body *body = &s->model->body[c->patch[side]->body];
  double least = INFINITY;
  int64_t node = -1;
  for (int32_t i = 0; i < c->nodes; i++) {
    const int32_t m = w->node[c->node0 + i];
    const int64_t at = w->work[m].node - body->node0;
    const double *x = w->near->mover[m].place, d[3] = {x[0] - c->x[0], x[1] - c->x[1], x[2] - c->x[2]};
    if (w->work[m].block != body->block || at < 0 || at >= body->n_node || !(vvi_dot3(d, d) < least)) continue;
    least = vvi_dot3(d, d), node = at;
  }
  return node;
}

/* Which copy of a body with copies one side is: an object is one, and so is the mesh that a vertex belongs to. */
static int32_t copy_of(const struct vv_step *s, const vvi_contact *c, int side)
{
  const vv_body *body = &s->model->body[c->patch[side]->body];
  const struct vvi_sheets *m = s->model->sheets;
  if (c->near < 0)
    return vvi_copy_of(body, 0) < 0 ? -1 : s->contact->near->solids->object[side == 0 ? c->a : c->b].copy;
  for (int i = 0; i < c->vertices; i++) { /* the weights of what gets the impulse are positive */
    const vvi_sheet_body *k = &m->body[m->body_of[c->vertex[i]]];
    if (k->body != body->index || (c->weight[i] > 0.0) != (side == 1)) continue;
    return k->rigid ? vvi_copy_of(body, k->node0 - body->node0)
                    : vvi_copy_of_patch(s->model, vvi_model_patch(s->model, k->patch));
  }
  return -1;
}

/* Two copies of one body touch with a node each. */
static int64_t node_or_copy(const struct vv_step *s, const vvi_contact *c, int side)
{
  const vv_body *body = &s->model->body[c->patch[side]->body];
  const int32_t copy = vvi_copy_of(body, 0) >= 0 ? copy_of(s, c, side) : -1;
  return copy >= 0 ? copy : node_of(s, c, side);
}

/* Where a rigid body is at its impact: pictures between two frames go through it.  Its q is that of vv_frame. */
static void note_pose(const struct vv_step *s, const vvi_contact *c, int side, int64_t node, double pose[7])
{
  const vv_body *body = &s->model->body[c->patch[side]->body];
  const vv_block *b = &s->model->block[body->block];
  const bool rigid = b->kind->implicit != NULL && b->kind->implicit->frames != NULL;
  if (!rigid || node < 0 || node >= body->n_node) return;
  for (int k = 0; k < 7; k++) pose[k] = s->contact->q[b->q0 + k * b->column + body->node0 + node];
}

/* Rows of surfaces take no moment and push single nodes aside of the normal: what body b got of unit impulses is the sum over
 * its legs, where nothing goes outside and the two sides are two bodies.                                    [sheets 6] */
static void aside_of(const struct vv_step *s, const vvi_contact *c, double aside[3])
{
  const struct vvi_contact_step *w = s->contact;
  const vv_body *b = &s->model->body[c->patch[1]->body];
  double got[3] = {0, 0, 0};
  if (c->near < 0 || c->open || c->legs == 0 || c->patch[0]->body == c->patch[1]->body) return;
  for (int32_t i = c->first; i < c->first + c->legs; i++) {
    const vvi_working *m = &w->work[w->leg[i].mover];
    if (m->block != b->block || m->node < b->node0 || m->node >= b->node0 + b->n_node) continue;
    for (int k = 0; k < 3; k++)
      for (int x = 0; x < 3; x++) got[x] += c->j[k] * w->leg[i].force[k][x];
  }
  for (int x = 0; x < 3; x++) aside[x] = got[x] - c->j[0] * c->n[x] - c->j[1] * c->t[0][x] - c->j[2] * c->t[1][x];
}

static void tell(const struct vv_step *s, const vvi_contact_note *e)
{
  const struct vvi_contact_step *w = s->contact;
  const vvi_contact *c = e->contact;
  const double sign = e->back ? -w->sign : w->sign;
  if (s->ledger->episodes == NULL) return;
  vvi_blow b = {.t = w->t, .normal = e->normal, .speed = e->speed, .lost = e->lost, .back = e->back};
  if (e->stop == NULL) b.normal = sign * c->j[0];
  aside_of(s, c, b.aside);
  for (int i = 0; i < 3; i++) {
    b.x[i] = c->x[i], b.n[i] = c->n[i], b.aside[i] *= sign;
    b.slide[i] = e->stop != NULL ? sign * e->stop[i] - e->normal * c->n[i]
                                 : sign * (c->j[1] * c->t[0][i] + c->j[2] * c->t[1][i]);
  }
  for (int side = 0; side < 2; side++) {
    b.body[side] = c->patch[side]->body;
    b.copy[side] = copy_of(s, c, side);
  }
  vvi_episodes_add(s->ledger->episodes, &b);
}

/* No impact, but rounding: beside what moves and what the forces of a step bring, or since places are rounded to DBL_EPSILON of where
 * they are, and a gap that turns into a speed within a step is a difference of four of them. */
static bool rounded(const struct vv_step *s, const vvi_contact_note *e)
{
  const struct vvi_contact_step *w = s->contact;
  const double far = vvi_norm3(e->contact->x) + s->model->length_scale;
  return fabs(e->speed) <= 1e-9 * (w->speed + w->h * w->acceleration) + 4.0 * DBL_EPSILON * far / w->h;
}

/* An impact is an entry of the log; contacts that hold are counted, the first is told. */
static bool log_contact(void *user, const vvi_contact_note *e)
{
  struct vv_step *s = user;
  const struct vvi_contact_step *w = s->contact;
  const vvi_contact *c = e->contact;
  tell(s, e);
  if (e->back) return false;
  s->ledger->fallbacks += e->stop != NULL;
  if (e->stop == NULL && c->held && s->ledger->held++ > 0) return false;
  if (e->stop == NULL && !c->held && rounded(s, e)) return false;
  const vvi_log_side a = {c->patch[0], node_or_copy(s, c, 0)}, b = {c->patch[1], node_or_copy(s, c, 1)};
  vv_event out = {.time = w->t,
                  .kind = e->stop != NULL ? "stop"
                          : c->held       ? "hold"
                                          : "bounce",
                  .normal_speed = e->speed,
                  .normal_impulse = e->normal,
                  .tangential_impulse = e->tangential,
                  .energy_jump = -e->lost};
  memcpy(out.x, c->x, sizeof out.x);
  memcpy(out.n, c->n, sizeof out.n);
  note_pose(s, c, 0, a.node, out.pose_a);
  note_pose(s, c, 1, b.node, out.pose_b);
  vvi_log_write(s, &out, a, b);
  return true;
}

static bool log_again(void *user, int64_t held)
{
  struct vv_step *s = user;
  if (s->model->pairs->n > 0) return false; /* they tell histories as well */
  if (s->ledger->episodes != NULL && !vvi_episodes_again(s->ledger->episodes, s->contact->t)) return false;
  s->ledger->held += held;
  return true;
}

static double *memory_of(const struct vv_step *s)
{
  const vv_model *m = s->model;
  return s->state->memory + VVI_PAIR_MEMORY * m->pairs->n + (m->stepper->memory != NULL ? m->stepper->memory(m) : 0);
}

/* Surfaces: what is projected (step/dcr2005) is not listed.  Margins are well inside the gaps of the start. */
static vv_status create_search(struct vv_step *s, vvi_sheet_search **out)
{
  const struct vvi_sheets *m = s->model->sheets;
  const int threads = vv_ctx_threads(s->model->ctx);
  VV_TRY(vvi_sheet_search_create(m, s->arena, threads, VVI_SHEET_SKIN * m->edge_length, out));
  for (int32_t i = 0; i < m->n_rule; i++)
    (*out)->margin[i] = fmin((m->rule[i].restitution < 1.0 ? 3e-3 : 1e-3) * m->edge_length, 0.5 * m->closest);
  (*out)->anticipates = true;
  const struct vv_net *net = vvi_ctx_net(s->model->ctx);
  return net != NULL ? vvi_sheet_share(*out, net) : VV_OK;
}

vv_status vvi_contact_prepare(struct vv_step *s)
{
  const vv_model *m = s->model;
  const vv_group *method = vv_sub(m->root, "method");
  const bool exact = m->joints != NULL
                         ? false
                         : vv_is(method, "locate", "exact") || (vv_is(method, "locate", "auto") && !m->solids->loses);
  vvi_sheet_search *search = NULL;
  if (m->sheets != NULL) VV_TRY(create_search(s, &search));
  VV_TRY(vvi_contact_create(m, s->arena, memory_of(s), search, &s->contact));
  s->contact->log = log_contact, s->contact->log_again = log_again, s->contact->user = s;
  if (s->joints != NULL) VV_TRY(vvi_linked_create(s->contact, s->joints));
  if (m->stepper == &vv_leapfrog_stepper && s->composition->stages == 1 && s->joints == NULL)
    VV_TRY(vvi_scaling_create(s->contact, fabs(s->h)));
  if (!exact || vv_integer(method, "halvings") != 0 || vvi_locatable(m) != NULL) return VV_OK;
  return vvi_locate_prepare(s);
}

static vvi_flight_plan plan_of(struct vv_step *s, double t, double h, const double *f)
{
  return (vvi_flight_plan){.t = t, .h = h, .q = s->state->q, .p = s->state->p, .f = f, .post = &s->ledger->posted};
}

static vv_status no_room(const struct vv_step *s, double t, vv_report *r)
{
  r->reason = VV_REASON_CROWDED;
  snprintf(r->message, sizeof r->message,
           "out of memory for the contacts of %d shapes and %d triangles at t = %.9g; use a shorter step",
           s->model->solids->n, s->model->sheets != NULL ? s->model->sheets->n_element : 0, t);
  return VV_OK;
}

vv_status vvi_contact_answer(struct vv_step *s, double t, double h, const double *f, bool may_halve, bool *halve,
                             vv_report *r)
{
  const vvi_flight_plan plan = plan_of(s, t, h, f);
  *halve = false;
  if (s->locate != NULL && h > 0.0) return vvi_locate_act(s, t, h, f, r);
  return vvi_contact_act(s->contact, &plan, may_halve, halve) ? VV_OK : no_room(s, t, r);
}

void vvi_contact_drifted(struct vv_step *s, double h)
{
  const bool returns = s->locate != NULL && !(s->contact->quiet.until > 0.0);
  vvi_contact_moved(s->contact, returns ? 3.0 * h : h); /* located impacts: there, back and there again */
}

void vvi_contact_note_gaps(struct vv_step *s, double *deepest, vv_overlap *overlap, int64_t *contacts)
{
  const vvi_flight_plan plan = plan_of(s, s->state->t, s->h, s->noted_force);
  vvi_contact_look(s->contact, &plan, deepest, overlap, contacts);
}

void vvi_contact_audit(const struct vv_step *s, vv_totals *sum)
{
  const double *half = vvi_contact_half(s->contact), *pending = vvi_contact_pending(s->contact);
  double *p = s->contact->fly_p;
  bool any = false;
  for (int64_t i = 0; i < s->state->np; i++) any |= half[i] != 0.0;
  sum->contact -= vvi_contact_debt(s->contact);
  for (int c = 0; c < 3; c++) sum->p[c] += pending[c], sum->L[c] += pending[3 + c];
  if (!any) return;
  vv_totals shown;
  for (int64_t i = 0; i < s->state->np; i++) p[i] = s->state->p[i] + half[i];
  vvi_sys_audit(s->model, s->state->q, p, &shown);
  sum->contact += sum->kinetic - shown.kinetic;
  sum->kinetic = shown.kinetic;
}

/* ---- media ---- */

/* Blocks of bodies with frames, which no other rank and no device has, and of which a medium takes something. */
static bool damped(const vv_block *b)
{
  return b->viscous && b->kind->node_p == VVI_NODE_P;
}

static bool held(const struct vv_step *s, const vv_block *b, int64_t node, double half[VVI_NODE_P])
{
  bool any = false;
  vvi_node_momenta(b, node, vvi_contact_half(s->contact), half);
  for (int c = 0; c < VVI_NODE_P; c++) any |= half[c] != 0.0;
  return any;
}

void vvi_contact_show(struct vv_step *s)
{
  for (int i = 0; i < s->model->n_block; i++) {
    const vv_block *b = &s->model->block[i];
    double half[VVI_NODE_P], p[VVI_NODE_P];
    for (int64_t node = 0; damped(b) && node < b->nodes; node++) {
      if (!held(s, b, node, half)) continue;
      vvi_node_momenta(b, node, s->state->p, p);
      vvi_node_put(b, node, p, s->contact->fly_p);
      for (int c = 0; c < VVI_NODE_P; c++) p[c] += half[c];
      vvi_node_put(b, node, p, s->state->p);
    }
  }
}

/* J: T(s) - T(s') is booked, s' = s + j; T(s - half) - T(s' - half) is more by j.M^-1 half. */
static double hide(struct vv_step *s, const vv_block *b, int64_t node, const double half[VVI_NODE_P])
{
  double p[VVI_NODE_P], was[VVI_NODE_P], v[VVI_NODE_P], sum = 0.0;
  bool same = true;
  vv_mover at;
  vvi_node_momenta(b, node, s->contact->fly_p, was);
  vvi_node_momenta(b, node, s->state->p, p);
  for (int c = 0; c < VVI_NODE_P; c++) same &= p[c] == was[c] + half[c];
  b->kind->mover(b, node, s->state->q + b->q0, s->state->p + b->p0, &at);
  vvi_times6(at.inverse_mass, half, v), vvi_times6(at.inverse_inertia, half + 3, v + 3);
  for (int c = 0; c < VVI_NODE_P; c++) {
    sum += (p[c] - (was[c] + half[c])) * v[c];
    p[c] = same ? was[c] : p[c] - half[c];
  }
  vvi_node_put(b, node, p, s->state->p);
  return sum;
}

static bool rubs(const vv_model *m)
{
  bool any = false;
  for (int i = 0; i < m->solids->rules.n; i++) any |= m->solids->rule[i].friction > 0.0;
  return any;
}

/* Along normals that is what the next answer brings or loses; what is left over is that of half the friction of a step.  [mat 11a] */
void vvi_contact_hide(struct vv_step *s)
{
  for (int i = 0; i < s->model->n_body; i++) {
    const vv_body *body = &s->model->body[i];
    const vv_block *b = &s->model->block[body->block];
    double half[VVI_NODE_P], lost = 0.0;
    for (int64_t node = body->node0; damped(b) && node < body->node0 + body->n_node; node++)
      if (held(s, b, node, half)) lost += hide(s, b, node, half);
    lost = vvi_contact_repay(s->contact, i, lost);
    if (lost > 0.0) vvi_sum_add(rubs(s->model) ? &s->ledger->posted.friction_loss : &s->ledger->posted.step_loss, lost);
  }
}
