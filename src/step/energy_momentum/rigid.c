/* step/energy_momentum/rigid.c  A step of rigid bodies: predict, touch, answer, take.
 *
 * Without contact the prediction is the step.  A step in which something is hit for the first time may be cut in two, and its
 * halves again, up to method.halvings times, until the impact lies in a piece so short that where in it hardly matters; every
 * piece keeps energy and momenta by itself.  The same is done where the answer did not converge, where it would sink too deep, and where
 * something met on the way that is apart again at the end (passed.c). */
#include "step/energy_momentum/frames.h"

#include <string.h>

enum { REDO = 12, DEEPER = 12, MOST_LOCATED = 64 };
/* Rounds of a step that may lead to no answer: four times as many as lead from the whole step to its shortest piece without one.
 * What is not answered by then ends the run: 4,096 pieces of which each is tried in vain would take hours. */
enum { IN_VAIN = 8192 };

static bool uses_springs(const vv_model *m)
{
  for (int i = 0; m->solids != NULL && i < m->solids->rules.n; i++)
    if (m->solids->rule[i].stiffness > 0.0) return true;
  return false;
}

static int64_t vertices_of(const vv_solid *s)
{
  int64_t sum = 0;
  for (int i = 0; s != NULL && i < s->parts; i++) {
    const vvi_part *p = &s->part[i];
    sum += p->surface != NULL ? p->surface->vertices : p->polyhedron != NULL ? p->polyhedron->vertices : 0;
  }
  return sum;
}

/* Springs that may be closed at once: one for each vertex of a shape, of which all may stand on a floor, and 16 for its edges. */
static int32_t slots_of(const vv_model *m)
{
  int64_t slots = m->sheets != NULL ? m->sheets->n_vertex + 32 : 32;
  if (!uses_springs(m)) return 0;
  for (int32_t i = 0; i < m->solids->n; i++) slots += 16 + vertices_of(m->solids->object[i].solid);
  return (int32_t)slots;
}

int64_t vvi_em_rigid_memory(const vv_model *m)
{
  return slots_of(m) * (int64_t)(sizeof(vvi_em_slot) / sizeof(double));
}

/* ---- a step that is not done leaves nothing behind ---- */

/* What pieces change.  (q, p and memory of a state lie one behind the other.) */
struct vvi_em_before {
  double *state;
  vvi_em_frame *frame;
  vv_posted posted;
  int64_t events, impacts, fallbacks;
};

static int64_t reals_of(const vv_state *x)
{
  return x->nq + x->np + x->nh;
}

static vv_status before_create(struct vv_step *s, vvi_em_rigid *w)
{
  w->before = VVI_ARENA_NEW(s->arena, struct vvi_em_before, 1);
  if (w->before == NULL) return VV_NOMEM;
  w->before->state = VVI_ARENA_NEW(s->arena, double, reals_of(s->state) + 1);
  w->before->frame = VVI_ARENA_NEW(s->arena, vvi_em_frame, w->n + 1);
  return w->before->state == NULL || w->before->frame == NULL ? VV_NOMEM : VV_OK;
}

static void keep(const struct vv_step *s, const vvi_em_rigid *w)
{
  struct vvi_em_before *b = w->before;
  memcpy(b->state, s->state->q, sizeof(double) * (size_t)reals_of(s->state));
  memcpy(b->frame, w->frame, sizeof *b->frame * (size_t)(w->n + 1));
  b->posted = s->ledger->posted;
  b->events = s->log->n, b->impacts = s->ledger->impacts, b->fallbacks = s->ledger->fallbacks;
}

static void restore(struct vv_step *s, const vvi_em_rigid *w)
{
  const struct vvi_em_before *b = w->before;
  memcpy(s->state->q, b->state, sizeof(double) * (size_t)reals_of(s->state));
  memcpy(w->frame, b->frame, sizeof *b->frame * (size_t)(w->n + 1));
  s->ledger->posted = b->posted;
  s->log->n = b->events, s->ledger->impacts = b->impacts, s->ledger->fallbacks = b->fallbacks;
}

/* ---- building ---- */

vv_status vvi_em_rigid_create(struct vv_step *s, double *v, double *slots, vvi_em_rigid **out)
{
  const vv_model *m = s->model;
  const vv_group *method = vv_sub(m->root, "method");
  vvi_em_rigid *w = VVI_ARENA_NEW(s->arena, vvi_em_rigid, 1);
  if (w == NULL) return VV_NOMEM;
  w->arena = s->arena;
  VV_TRY(vvi_em_frames_create(m, s->arena, w));
  VV_TRY(vvi_em_pairs_build(m, s->arena, w));
  VV_TRY(vvi_em_widths(w));
  VV_TRY(before_create(s, w));
  w->halvings = (int)vv_integer(method, "halvings");
  w->slots = slots_of(m);
  w->slot = w->slots > 0 ? (vvi_em_slot *)(void *)slots : NULL;
  w->state = s->state;
  if (vvi_em_bends(m)) VV_TRY(vvi_em_soft_create(s, v, w));
  if (m->sheets != NULL) VV_TRY(vvi_em_sheet_create(s, w));
  if (m->joints != NULL) VV_TRY(vvi_em_joined_create(s, w));
  if (w->solids != NULL && !vvi_em_fit(w, 4 * w->solids->n + 1)) return VV_NOMEM;
  *out = w;
  return VV_OK;
}

/* ---- one piece ---- */

static bool predict(const struct vv_step *s, vvi_em_rigid *w, double dt)
{
  if (w->search != NULL) vvi_em_sheet_begin(w);
  bool turned = w->n_soft == 0 || vvi_em_soft_predict(w, s->state, s->state->t + w->clock, dt);
  for (int32_t i = 0; i < w->n; i++) {
    vvi_em_frame *f = &w->frame[i];
    for (int k = 0; k < 3; k++) f->j[k] = f->l[k] = 0.0;
    vvi_em_move(f, dt);
    turned &= vvi_em_turn(f, dt);
  }
  if (turned && w->joints != NULL) turned = vvi_em_joined_predict(w, dt);
  return turned;
}

static void take(struct vv_step *s, vvi_em_rigid *w, double dt)
{
  if (w->search != NULL) vvi_em_sheet_moved(w, s->state, dt);
  vvi_em_soft_take(w, s->state, &s->ledger->posted);
  if (w->joints != NULL) vvi_em_joined_take(w, dt, &s->ledger->posted);
  for (int32_t i = 0; i < w->n; i++) vvi_em_take(&w->frame[i], dt, &s->ledger->posted);
}

/* Is the energy of the piece balanced, to a tenth of what claims bear?  If not, strains change too much in it.            [em 19] */
static bool balances(const struct vv_step *s, const vvi_em_rigid *w)
{
  const double bearable = 1e-13 * s->ledger->energy_scale + s->ledger->energy_floor;
  for (int32_t i = 0; i < w->n_soft; i++) {
    const vvi_em_soft *f = &w->soft[i];
    if (f->parts->lacks != NULL && f->parts->lacks(f->work) > bearable) return false;
  }
  return true;
}

/* Something is hit that was apart, faster than rest: worth a shorter step. */
static bool to_locate(const struct vv_step *s, const vvi_em_rigid *w, double dt, int level)
{
  if (level >= w->halvings || w->located >= MOST_LOCATED) return false;
  for (int i = 0; i < w->n_contact; i++) {
    const vvi_em_contact *c = &w->contact[i];
    const double g = vvi_em_weight_of(w, c->f.slave, c->f.soft[0]) + vvi_em_weight_of(w, c->f.master, c->f.soft[1]);
    const bool fast = c->gap0 - c->gap1 > 2.0 * g * fabs(s->h * dt);
    if (c->law->stiffness <= 0.0 && c->gap0 > 0.0 && c->gap1 < 0.0 && fast) return true;
  }
  return false;
}

/* With e < 1 a contact sinks by (1 - e)/2 of its way in the piece, and half the piece sinks half as deep: no piece takes more than half
 * of what is left of half the depth that is claimed; the other half is for surfaces that turn.  Two thirds of the levels are for answers
 * that are not found, and what is less than the others make of the depth stays.                                [em 13a] */
static bool sinks(const vvi_em_rigid *w, double dt, int level)
{
  enum { LEVELS = DEEPER / 3 };
  const double most = 0.5 * VVI_SEEN_DEPTH * w->overlap.size, deep = w->overlap.depth;
  if (level >= w->halvings + LEVELS || w->located >= MOST_LOCATED || !(deep > 0.0)) return false;
  for (int i = 0; i < w->n_contact; i++) {
    const vvi_em_contact *c = &w->contact[i];
    const double sink = c->law->stiffness <= 0.0 && c->j[0] > 0.0 ? -c->aim * fabs(dt) : 0.0;
    if (sink > most / (1 << LEVELS) && deep + sink > most) return true;
  }
  return false;
}

/* What was answered may close a pair that was open: look again, and answer all. */
static bool settle(vvi_em_rigid *w, double dt)
{
  for (int redo = 0; redo < REDO; redo++) {
    int more;
    if (!(w->answered = vvi_em_answer(w, dt)) || !vvi_em_find(w, dt, &more) || w->passed.seen) return false;
    if (more == 0) return true;
  }
  return false;
}

int vvi_em_most_halvings(const vvi_em_rigid *w)
{
  return w->halvings + DEEPER;
}

static bool advance(struct vv_step *s, vvi_em_rigid *w, double dt, int level);

static bool halve(struct vv_step *s, vvi_em_rigid *w, double dt, int level)
{
  w->clear = 0.0; /* what was seen is where the whole leads */
  if (level == 0) keep(s, w);
  w->cut |= level == 0;
  return !w->full && w->vain < IN_VAIN && level < vvi_em_most_halvings(w) && advance(s, w, 0.5 * dt, level + 1) &&
         advance(s, w, 0.5 * dt, level + 1);
}

static bool advance(struct vv_step *s, vvi_em_rigid *w, double dt, int level)
{
  int more;
  w->passed.seen = w->answered = false;
  if (!predict(s, w, dt)) return halve(s, w, dt, level);
  if (w->clear >= fabs(dt) && !w->sprung) {
    if (!balances(s, w)) return halve(s, w, dt, level);
    take(s, w, dt);
    w->clear -= fabs(dt);
    w->clock += dt;
    return true;
  }
  if (!vvi_em_recall(w)) return false;
  if (!vvi_em_find(w, dt, &more)) return halve(s, w, dt, level);
  if (w->passed.seen || to_locate(s, w, dt, level)) return halve(s, w, dt, level);
  if (w->n_contact > 0) {
    if (!settle(w, dt) || sinks(w, dt, level)) return halve(s, w, dt, level);
    w->clear = 0.0;
    w->located += more > 0 && level > 0;
  }
  if (!balances(s, w)) return halve(s, w, dt, level);
  take(s, w, dt);
  if (w->n_contact > 0 && !vvi_em_remember(s, w, dt)) return false;
  w->clock += dt;
  return true;
}

bool vvi_em_rigid_step(struct vv_step *s, vvi_em_rigid *w)
{
  w->state = s->state;
  w->clock = 0.0;
  w->located = w->n_contact = 0;
  w->deepest = 0.0, w->overlap = (vv_overlap){0};
  w->cut = false;
  w->vain = 0;
  w->energy = s->ledger->energy_scale;
  if (!advance(s, w, s->h, 0)) {
    if (w->cut) restore(s, w);
    return false;
  }
  int64_t pressed = 0;
  for (int i = 0; i < w->n_contact; i++) pressed += w->contact[i].j[0] > 0.0;
  s->ledger->contacts = pressed;
  s->ledger->penetration = w->deepest;
  vvi_overlap_take(&s->ledger->overlap, w->overlap.depth, w->overlap.size);
  s->ledger->max_penetration = fmax(s->ledger->max_penetration, w->deepest);
  return true;
}
