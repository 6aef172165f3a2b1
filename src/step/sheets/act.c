/* step/sheets/act.c  Surfaces within a run: columns of the state, flights of frames, log, notes. */
#include "math/math.h"
#include "math/spin.h"
#include "step/contact.h"
#include "step/sheets.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 20 }; /* turns with the curves that meet each other */

static double *memory_of(const struct vv_step *s)
{
  return s->state->memory + s->state->nh - VVI_SHEET_MEMORY;
}

void vvi_sheets_forget(struct vvi_sheets_step *w)
{
  w->ready = false; /* the guard belongs to the state; with it all lists are made anew */
}

double vvi_sheets_bank(const struct vv_step *s)
{
  return memory_of(s)[VVI_SHEET_BANK] + memory_of(s)[VVI_SHEET_LENT];
}

double vvi_sheets_lent(const struct vv_step *s)
{
  return memory_of(s)[VVI_SHEET_MOST];
}

static bool has_frames(const struct vvi_sheets *m)
{
  for (int32_t i = 0; i < m->n_body; i++)
    if (m->body[i].carrier == VVI_CARRY_FRAMES) return true;
  return false;
}

/* ---- frames ---- */

/* The place of a tip: its block is flat. */
static void fly_tip(vvi_sheet_frame *f, double h)
{
  for (int c = 0; c < 3; c++) f->place_ahead[c] = f->place[c] + h * (f->velocity[c] + 0.5 * h * f->acceleration[c]);
}

/* The place of a node after half kick and drift: it flies alone. */
static void fly(vvi_sheet_motion *m, int32_t mover)
{
  const struct vvi_sheets_step *w = m->user;
  const int32_t body = m->sheets->body_of_mover[mover];
  const vvi_sheet_body *k = &m->sheets->body[body];
  const vv_block *b = k->block;
  const vvi_sheet_columns *at = &m->at[body];
  if (k->tip != NULL) {
    fly_tip(&m->frame[mover], m->h);
    return;
  }
  const int64_t i = mover - k->mover0, node = k->node0 + i;
  for (int c = 0; c < b->kind->node_q; c++) w->q[b->q0 + c * b->column + node] = at->q[c * b->column + i];
  for (int c = 0; c < b->kind->node_p; c++)
    w->p[b->p0 + c * b->column + node] = at->p[c * b->column + i] + 0.5 * m->h * at->f[c * b->column + i];
  b->kind->drift_node(b, node, m->h, w->q + b->q0, w->p + b->p0);
  const double *q = w->q + b->q0 + node;
  for (int c = 0; c < 3; c++) m->frame[mover].place_ahead[c] = q[c * b->column];
  if (!k->turns) return;
  double turn[9]; /* a quaternion (see vv_frame), or a matrix by rows */
  for (int c = 0; c < (k->rigid ? 4 : 9); c++) turn[c] = q[(3 + c) * b->column];
  if (k->rigid)
    vvi_quaternion_matrix(turn, m->frame[mover].turn_ahead);
  else
    memcpy(m->frame[mover].turn_ahead, turn, sizeof turn);
}

/* Nodes of a curve: their places, without arms. */
static void set_frames(vvi_sheet_motion *m, int32_t body)
{
  const vvi_sheet_body *k = &m->sheets->body[body];
  const vvi_sheet_columns *at = &m->at[body];
  for (int32_t i = 0; i < k->movers; i++) {
    vvi_sheet_frame *f = &m->frame[k->mover0 + i];
    const double inverse = m->sheets->inverse[k->mover0 + i];
    *f = (vvi_sheet_frame){.turn = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                           .turn_ahead = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                           .inverse_mass = {inverse, inverse, inverse}};
    for (int c = 0; c < 3; c++) {
      f->place[c] = at->q[c * at->column + i];
      f->velocity[c] = inverse * at->p[c * at->column + i];
      f->acceleration[c] = inverse * at->f[c * at->column + i];
    }
    fly(m, k->mover0 + i);
  }
}

/* A tip by the columns of its kind.                                                                          [sheets 17] */
static void set_tip(vvi_sheet_motion *m, int32_t body)
{
  const vvi_sheet_body *k = &m->sheets->body[body];
  const vv_block *b = k->block;
  const vv_point pt = vvi_sheet_tip_point(k);
  const double *q = m->at[body].q - k->node0, *p = m->at[body].p - k->node0, *force = m->at[body].f - k->node0;
  vvi_sheet_frame *f = &m->frame[k->mover0];
  *f = (vvi_sheet_frame){.turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .turn_ahead = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  b->kind->surface(b, q, 1, &pt, f->place);
  b->kind->push(b, q, p, 1, &pt, f->velocity);
  b->kind->push(b, q, force, 1, &pt, f->acceleration);
  b->kind->inverse_mass(b, q, 1, &pt, f->inverse_mass);
  fly_tip(f, m->h);
}

/* All nodes of a block that turn. */
static void place_movers(struct vv_step *s, const vv_block *b, const double *f)
{
  const struct vvi_sheets_step *w = s->sheets;
  b->kind->movers(b, s->state->q + b->q0, s->state->p + b->p0, w->mover);
  b->kind->movers(b, s->state->q + b->q0, f + b->p0, w->force);
}

static void set_mover(struct vvi_sheets_step *w, const vvi_sheet_body *k, int32_t i)
{
  const vv_mover *m = &w->mover[k->node0 + i], *a = &w->force[k->node0 + i];
  vvi_sheet_frame *f = &w->search->motion.frame[k->mover0 + i];
  memcpy(f->place, m->place, sizeof f->place);
  memcpy(f->turn, m->turn, sizeof f->turn);
  memcpy(f->inverse_mass, m->inverse_mass, sizeof f->inverse_mass);
  memcpy(f->inverse_inertia, m->inverse_inertia, sizeof f->inverse_inertia);
  for (int c = 0; c < 3; c++) {
    f->velocity[c] = m->velocity[c], f->velocity[3 + c] = m->spin[c];
    f->acceleration[c] = a->velocity[c], f->acceleration[3 + c] = a->spin[c];
  }
  fly(&w->search->motion, k->mover0 + i);
}

static void set_motion(struct vv_step *s, double h, const double *f)
{
  struct vvi_sheets_step *w = s->sheets;
  vvi_sheet_motion *m = &w->search->motion;
  const vv_block *placed = NULL;
  m->h = w->h = h;
  for (int32_t i = 0; i < m->sheets->n_body; i++) {
    const vvi_sheet_body *k = &m->sheets->body[i];
    const vv_block *b = k->block;
    if (k->carrier == VVI_CARRY_NONE) continue;
    m->at[i] = (vvi_sheet_columns){.q = s->state->q + b->q0 + k->node0,
                                   .p = s->state->p + b->p0 + k->node0,
                                   .f = f + b->p0 + k->node0,
                                   .column = b->column};
    if (k->tip != NULL) set_tip(m, i);
    if (k->carrier == VVI_CARRY_FRAMES && !k->turns && k->tip == NULL) set_frames(m, i);
    if (!k->turns || k->shares > 0) continue;
    if (b != placed) place_movers(s, b, f);
    placed = b;
    for (int32_t n = 0; n < k->movers; n++) set_mover(w, k, n);
  }
}

/* ---- log ---- */

static const vv_patch *patch_of(const struct vv_step *s, const vvi_sheet_body *b)
{
  return vvi_model_patch(s->model, b->patch);
}

static int64_t node_of(const struct vv_step *s, int32_t vertex)
{
  const struct vvi_sheets *m = s->model->sheets;
  const vvi_sheet_body *b = &m->body[m->body_of[vertex]];
  return m->mover[vertex] < 0 ? -1 : b->node0 + (m->mover[vertex] - b->mover0) - s->model->body[b->body].node0;
}

/* For the contact histories; the vertices before `split` get the impulse along n. */
static void tell(const struct vv_step *s, const vvi_sheet_event *e, int32_t first, int32_t second, int split)
{
  const struct vvi_sheets *m = s->model->sheets;
  const vvi_dcr *k = e->pair;
  if (s->ledger->episodes == NULL) return;
  vvi_blow b = {.t = s->sheets->t, .normal = e->impulse, .speed = e->speed, .lost = e->lost};
  for (int side = 0; side < 2; side++) {
    const vvi_sheet_body *x = &m->body[side == 0 ? second : first];
    b.body[side] = x->body;
    b.copy[side] = x->rigid ? vvi_copy_of(&s->model->body[x->body], x->node0 - s->model->body[x->body].node0)
                            : vvi_copy_of_patch(s->model, patch_of(s, x));
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < split; j++) b.x[i] += k->c[j] * k->x[j][i];
    b.n[i] = k->n[i], b.slide[i] = e->rub[i];
  }
  vvi_episodes_add(s->ledger->episodes, &b);
}

/* Those of contacts at rest are only counted.  The normal of the event leads from a to b. */
static void log_impulse(void *user, const vvi_sheet_event *e)
{
  struct vv_step *s = user;
  struct vvi_sheets_step *w = s->sheets;
  const struct vvi_sheets *m = s->model->sheets;
  const vvi_dcr *k = e->pair;
  const int split = k->vertices == 1 ? 1 : k->c[1] < 0.0 || k->c[0] == 1.0 ? 1 : 2;
  const int32_t first = m->body_of[k->vertex[0]];
  const int32_t second =
      k->vertices == 1 ? m->cluster[w->search->list[e->couple].b].body : m->body_of[k->vertex[split]];
  tell(s, e, first, second, split);
  if (e->rests && s->ledger->held++ > 0) return;
  vv_event *out = vvi_log_next(s);
  if (out == NULL) return;
  *out = (vv_event){.time = w->t,
                    .body_a = s->model->body[m->body[first].body].name,
                    .feature_a = patch_of(s, &m->body[first])->feature,
                    .body_b = s->model->body[m->body[second].body].name,
                    .feature_b = patch_of(s, &m->body[second])->feature,
                    .kind = e->rests ? "hold" : "bounce",
                    .normal_speed = e->speed,
                    .normal_impulse = e->impulse,
                    .tangential_impulse = e->slide,
                    .energy_jump = -e->lost,
                    .node_a = node_of(s, k->vertex[0]),
                    .node_b = k->vertices == 1 ? -1 : node_of(s, k->vertex[split])};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < split; j++) out->x[i] += k->c[j] * k->x[j][i];
    out->n[i] = -k->n[i];
  }
}

/* ---- a step ---- */

/* Nodes that turn are asked for block by block. */
static vv_status prepare_movers(struct vv_step *s)
{
  struct vvi_sheets_step *w = s->sheets;
  int64_t most = 0;
  for (int i = 0; i < s->model->n_block; i++) most = s->model->block[i].nodes > most ? s->model->block[i].nodes : most;
  w->mover = VVI_ARENA_NEW(s->arena, vv_mover, most), w->force = VVI_ARENA_NEW(s->arena, vv_mover, most);
  return w->mover == NULL || w->force == NULL ? VV_NOMEM : VV_OK;
}

vv_status vvi_sheets_prepare(struct vv_step *s)
{
  const struct vvi_sheets *m = s->model->sheets;
  VV_TRY(vvi_sheets_create(m, s->arena, vv_ctx_threads(s->model->ctx), &s->sheets));
  struct vvi_sheets_step *w = s->sheets;
  w->step = s, w->log = log_impulse, w->user = s;
  w->post = &s->ledger->posted, w->bank = &memory_of(s)[VVI_SHEET_BANK];
  w->lent = &memory_of(s)[VVI_SHEET_LENT];
  VV_TRY(vvi_sheets_paper_create(w, s->arena));
  w->search->anticipates = true;
  if (has_frames(m)) {
    w->q = VVI_ARENA_NEW(s->arena, double, s->state->nq + s->state->np);
    if (w->q == NULL) return VV_NOMEM;
    w->p = w->q + s->state->nq;
    w->search->motion.fly = fly, w->search->motion.user = w;
  }
  return m->turns ? prepare_movers(s) : VV_OK;
}

/* The layer: what bodies travel towards each other in a step, between 1e-3 and 1e-2 of an edge, and well inside the gaps of
 * the start.  Chosen once, kept in the state.                                                                [sheets 12] */
static void choose_guard(struct vvi_sheets_step *w, double *kept)
{
  const struct vvi_sheets *m = w->search->sheets;
  if (*kept == 0.0) {
    vvi_sheet_measure(w->search);
    const double travel = vvi_sheet_fastest(w->search, 1e-3 * m->edge_length, 1e-2 * m->edge_length);
    *kept = fmin(fmin(fmax(travel, 1e-3 * m->edge_length), 1e-2 * m->edge_length), 0.5 * m->closest);
  }
  vvi_sheets_guard(w, *kept);
  w->ready = true;
}

static vv_status no_room(double t, vv_report *r)
{
  r->reason = VV_REASON_CROWDED;
  snprintf(r->message, sizeof r->message,
           "more contacts between surfaces than the run has room for at t = %.9g; use a shorter step", t);
  return VV_OK;
}

/* Curves, or everything that rigid bodies may meet elsewhere. */
static bool moved_frames(const struct vvi_sheets_step *w, bool all)
{
  const struct vvi_sheets *m = w->search->sheets;
  for (int32_t i = 0; i < w->n_dirty; i++) {
    const vvi_sheet_body *b = &m->body[m->body_of_mover[w->dirty[i]]];
    if (b->carrier == VVI_CARRY_FRAMES && (all || (!b->rigid && b->tip == NULL))) return true;
  }
  return false;
}

/* What was pushed here may meet others. */
static vv_status others_act(struct vv_step *s, double t, double h, const double *f, bool *again, vv_report *r)
{
  bool halve;
  *again = s->contact != NULL && moved_frames(s->sheets, true);
  return *again ? vvi_contact_answer(s, t, h, f, false, &halve, r) : VV_OK;
}

vv_status vvi_sheets_act(struct vv_step *s, double t, double h, double *f, vv_report *r)
{
  struct vvi_sheets_step *w = s->sheets;
  bool again = true;
  int64_t acted = 0;
  w->t = t;
  for (int round = 0; again && r->reason == VV_REASON_DONE; round++) {
    set_motion(s, h, f);
    if (!w->ready) choose_guard(w, &memory_of(s)[VVI_SHEET_GUARD]);
    if (!vvi_sheets_settle(w)) return no_room(t, r);
    acted = w->acted = w->acted > acted ? w->acted : acted;
    w->count.rounds += round > 0;
    if (round == ROUNDS) break;
    VV_TRY(others_act(s, t, h, f, &again, r));
  }
  return VV_OK;
}

void vvi_sheets_note(struct vv_step *s, double *deepest, int64_t *contacts)
{
  *deepest = fmax(*deepest, s->sheets->deepest);
  *contacts += s->sheets->acted;
}
