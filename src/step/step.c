/* step/step.c  Stages shared by the steppers. */
#include "step/step.h"
#include "visviva/net.h"

#include "contact/shapes/side.h"
#include "math/math.h"
#include "step/accelerate.h"
#include "step/contact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void vvi_audit_nodal(struct vv_step *s, vv_totals *sum)
{
  if (s->contact != NULL) vvi_bring_down(s);
  if (!vvi_resident_audit(s, sum)) vvi_sys_audit(s->model, s->state->q, s->state->p, sum);
  sum->contact += vvi_springs_energy(s->model, s->state->memory, s->state->q) - s->ledger->posted.cuts;
  if (s->contact != NULL) vvi_contact_audit(s, sum);
}

/* Room for one more; NULL: no memory, it is only counted. */
static vv_event *next_event(struct vv_step *s)
{
  vvi_log *log = s->log;
  s->ledger->impacts++;
  if (log->n == log->room) {
    vv_event *bigger = realloc(log->event, 2 * (size_t)log->room * sizeof *bigger);
    if (bigger == NULL) return NULL;
    log->event = bigger, log->room *= 2;
  }
  return &log->event[log->n++];
}

vv_event *vvi_log_write(struct vv_step *s, const vv_event *like, vvi_log_side a, vvi_log_side b)
{
  vv_event *e = next_event(s);
  if (e == NULL) return NULL;
  *e = *like;
  e->body_a = s->model->body[a.patch->body].name, e->feature_a = a.patch->feature, e->node_a = a.node;
  e->body_b = s->model->body[b.patch->body].name, e->feature_b = b.patch->feature, e->node_b = b.node;
  return e;
}

/* Node within its body that a point of a patch is nearest to; -1: fixed in space. */
static int64_t node_of(const vv_model *m, const vv_patch *p, const vv_point *pt)
{
  if (p->node < 0) return -1;
  return p->node - m->body[p->body].node0 + (p->type == VV_PATCH_CURVE ? (int64_t)pt->xi[0] : 0);
}

vv_event *vvi_log_add(struct vv_step *s, const vvi_pair *c, const char *kind, double time, double speed, double impulse)
{
  vv_event e = {.time = time, .kind = kind, .normal_speed = speed, .normal_impulse = impulse};
  vvi_pair_point(c, s->state->q, e.x);
  vvi_pair_normal(c, s->state->q, e.n);
  return vvi_log_write(s, &e, (vvi_log_side){c->patch_a, node_of(s->model, c->patch_a, &c->point_a)},
                       (vvi_log_side){c->patch_b, node_of(s->model, c->patch_b, &c->point_b)});
}

void vvi_tell_pair(struct vv_step *s, const vvi_pair *c, double t, double r, const double slide[3], double lost)
{
  if (s->ledger->episodes == NULL || (r == 0.0 && slide == NULL)) return;
  vvi_blow b = {.t = t,
                .body = {c->patch_a->body, c->patch_b->body},
                .copy = {-1, -1},
                .normal = r,
                .speed = vvi_pair_rate(c, s->state->q, s->state->p),
                .change = r * vvi_pair_inverse_mass(c, s->state->q),
                .lost = lost};
  vvi_pair_normal(c, s->state->q, b.n);
  vvi_pair_point(c, s->state->q, b.x);
  for (int i = 0; slide != NULL && i < 3; i++) b.slide[i] = slide[i];
  vvi_episodes_add(s->ledger->episodes, &b);
}

/* Layers push along normals, and nothing of them is pending: nodes get what their momenta get. */
static void gather_layers(struct vv_step *s, double h, const double *q)
{
  const vv_model *m = s->model;
  memset(s->layers, 0, sizeof *s->layers * (size_t)m->np);
  vvi_springs_kick(m, s->state->memory, h, q, s->layers);
  for (int k = 0; k < m->n_block; k++) {
    const vv_block *b = &m->block[k];
    const int64_t first = vvi_traction_first(m, k);
    for (int64_t i = 0; first >= 0 && i < b->nodes; i++)
      for (int c = 0; c < 3; c++)
        s->traction.given[first + i][VVI_TRACTION_NORMAL][c] += s->layers[b->p0 + c * b->column + i];
  }
}

void vvi_tell_springs(struct vv_step *s, double t, double h, const double *q)
{
  const struct vvi_pairs *list = s->model->pairs;
  if (s->layers != NULL) gather_layers(s, h, q);
  for (int i = 0; list->n_soft > 0 && i < list->n; i++) {
    const vvi_pair *c = &list->pair[i];
    if (c->compliance > 0.0 && s->state->memory[i] != 0.0)
      vvi_tell_pair(s, c, t, -h * vvi_pair_gap(c, q) / c->compliance, NULL, 0.0);
  }
}

double *vvi_pair_debt(const struct vv_step *s, const vvi_pair *c)
{
  return &s->state->memory[s->model->pairs->n + (c - s->model->pairs->pair)];
}

double vvi_pairs_lent(const struct vv_step *s)
{
  double sum = 0.0;
  for (int i = 0; i < s->model->pairs->n; i++) sum += *vvi_pair_debt(s, &s->model->pairs->pair[i]);
  return sum;
}

/* What is owed moves in the state, too, beside what the run was given: of an energy of now that part does not count, so that no debt
 * is excused by itself. */
void vvi_note_loan(struct vv_step *s, double most, double lifted)
{
  vv_ledger *l = s->ledger;
  const double owed = fmax(0.0, -vvi_pairs_lent(s)), scale = l->energy_scale;
  const double given = scale > 0.0 ? scale / (scale + owed) : 1.0;
  l->most_lent = fmax(l->most_lent, given * most);
  l->lifted += lifted > 0.0 ? given * lifted * (given * lifted) : 0.0;
}

double *vvi_pair_hold(const struct vv_step *s, const vvi_pair *c)
{
  return &s->state->memory[c - s->model->pairs->pair];
}

/* (h^2/24) a^2/D with h a/2 for the rate of half a kick.                                                    [shadow 8a] */
double vvi_held_energy(double pressed, double inverse)
{
  return inverse > 0.0 ? pressed * pressed / (6.0 * inverse) : 0.0;
}

void vvi_pair_lose(struct vv_step *s, const vvi_pair *c, double lost, vv_sum *to)
{
  double *debt = vvi_pair_debt(s, c);
  const double back = fmin(lost, fmax(0.0, -*debt));
  *debt += back;
  if (lost > back) vvi_sum_add(to, lost - back);
}

typedef struct touching {
  int64_t contacts;
  double deepest;
} touching;

static void note_gap(void *user, int pair, double gap)
{
  touching *sum = user;
  (void)pair;
  sum->contacts++;
  sum->deepest = fmax(sum->deepest, -gap);
}

void vvi_note_gaps(struct vv_step *s)
{
  const struct vvi_pairs *list = s->model->pairs;
  const double touch = 1e-12 * s->model->length_scale;
  touching curved = {0};
  if (list->n_run > 0) vvi_pairs_near(s->model, s->state->q, touch, note_gap, &curved);
  vv_overlap layer = {0};
  double deepest = curved.deepest;
  int64_t contacts = curved.contacts;
  for (int i = 0; list->n_curved < list->n && i < list->n; i++) {
    if (list->pair[i].curved && !list->pair[i].layer) continue;
    const double g = vvi_pair_gap(&list->pair[i], s->state->q);
    if (list->pair[i].compliance > 0.0) {
      contacts += s->state->memory[i] != 0.0;
      if (list->pair[i].layer && -g > 0.5 * list->pair[i].size) {
        deepest = vvi_larger(-g, deepest);
        vvi_overlap_take(&layer, -g, list->pair[i].size);
      }
      continue; /* massless tips meet in the force balance: they never overlap; layers are what overlaps, up to half a body */
    }
    contacts += g <= touch;
    deepest = vvi_larger(-g, deepest);
  }
  const double tiny = 2.3e-16 * s->model->length_scale; /* rounding of a place on an oblique plane */
  vv_overlap overlap = {.depth = deepest, .size = s->model->length_scale};
  if (s->contact != NULL) vvi_contact_note_gaps(s, &deepest, &overlap, &contacts);
  if (deepest <= tiny) deepest = 0.0;
  vvi_overlap_take(&overlap, layer.depth, layer.size);
  if (overlap.depth > tiny) vvi_overlap_take(&s->ledger->overlap, overlap.depth, overlap.size);
  if (s->lends) s->ledger->max_pair_debt = vvi_larger(fabs(vvi_pairs_lent(s)), s->ledger->max_pair_debt);
  s->ledger->penetration = deepest;
  s->ledger->max_penetration = vvi_larger(deepest, s->ledger->max_penetration);
  s->ledger->contacts = contacts;
}

double vvi_node_fly(const vvi_pair *c, double h, double *q1, double *p1)
{
  const vv_block *b = c->block_a;
  b->kind->drift_node(b, vvi_pair_node(c), h, q1 + b->q0, p1 + b->p0);
  return vvi_pair_gap(c, q1);
}

/* Over ranks rank 0 keeps them: if it does, all places go there.  Does this one? */
static bool keeps_key(struct vv_step *s, bool wanted)
{
  const vv_net *net = vvi_ctx_net(s->model->ctx);
  if (net == NULL) return wanted;
  double any = net->rank == 0 ? -(double)wanted : 0.0;
  net->least(net, 1, &any);
  if (any < 0.0) vvi_sys_gather(s->model, s->state);
  return net->rank == 0 && wanted;
}

/* See vvi_keys.  Room that is used up is left so: the picture is coarser there. */
static void note_key(struct vv_step *s)
{
  vvi_keys *k = s->keys;
  const vvi_episodes *e = s->ledger->episodes;
  const double step = (double)s->state->step;
  const int64_t cell = (int64_t)floor(step / k->small);
  const bool began = e->begun != k->begun;
  const bool lasts = e->n_live > 0 && floor(step / k->large) != floor((step - 1.0) / k->large);
  const bool wanted = cell != k->cell && k->n < k->room;
  k->begun = e->begun;
  if (!began && !lasts) return;
  if (!keeps_key(s, wanted)) return;
  k->cell = cell;
  vvi_bring_down(s);
  double *q = k->q + k->n * s->state->nq;
  memcpy(q, s->state->q, sizeof *q * (size_t)s->state->nq);
  k->key[k->n++] = (vv_key){.time = s->state->t, .step = s->state->step, .q = q};
}

/* a.b in a fixed order: 8 lanes, then the rest. */
VV_HOT static double inner(int64_t n, const double *restrict a, const double *restrict b)
{
  enum { LANES = 8 };
  double lane[LANES] = {0}, sum = 0.0;
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES)
#pragma omp simd
    for (int l = 0; l < LANES; l++) lane[l] += a[i + l] * b[i + l];
  for (; i < n; i++) sum += a[i] * b[i];
  for (int l = 0; l < LANES; l++) sum += lane[l];
  return sum;
}

double vvi_half_kick_energy(const struct vv_step *s, double *f, double *z)
{
  const int64_t n = s->state->np;
  memset(z, 0, sizeof(double) * (size_t)n);
  vvi_sys_drift(s->model, 1.0, z, f); /* z = M^-1 f */
  return 0.125 * inner(n, f, z);
}

double vvi_drift_energy(const vv_model *m, double h, const double *q, const double *p)
{
  double sum = 0.0;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    vv_totals plain = {0};
    if (b->kind->drift_energy == NULL) b->kind->audit(b, q + b->q0, p + b->p0, &plain);
    sum += b->kind->drift_energy == NULL ? plain.kinetic : b->kind->drift_energy(b, h, q + b->q0, p + b->p0);
  }
  return sum;
}

static void note_sides(struct vv_step *s)
{
  vv_ledger *l = s->ledger;
  vv_overlap inside;
  int32_t who[2];
  if (s->sides == NULL) return;
  vvi_bring_down(s);
  if (!vvi_sides_look(s->sides, s->state->step, s->state->q, s->state->p, &inside, who)) return;
  vvi_overlap_take(&l->overlap, inside.depth, inside.size);
  l->max_penetration = fmax(l->max_penetration, inside.depth);
  if (inside.depth > l->side.depth) l->side = inside, l->side_of[0] = who[0], l->side_of[1] = who[1];
}

void vvi_step_done(struct vv_step *s)
{
  vvi_step_done_at(s, ((double)s->state->step + (s->h > 0.0 ? 1.0 : -1.0)) * fabs(s->h));
}

void vvi_step_done_at(struct vv_step *s, double t)
{
  s->state->step += s->h > 0.0 ? 1 : -1;
  s->state->t = t;
  vvi_ledger_note_step(s->ledger);
  note_sides(s);
  vvi_episodes_step(s->ledger->episodes, s->state->t);
  if (s->keys != NULL) note_key(s);
}
