/* step/energy_momentum/energy_momentum.c  Implicit steps that keep energy and both momenta to rounding.
 *
 * Bodies that bend do the work in their discrete-gradient form (vv_implicit_table): velocities of that form live in the
 * state's memory behind what the contact pairs keep, and p is written anew after every step, so that audits and outputs see
 * momenta as ever.  The energy that is balanced is called "director": that of the consistent masses and of those velocities.
 * Rigid bodies are moved here, with all contacts (frames.h); what springs remember comes last in the memory. */
#include "step/energy_momentum/frames.h"

#include <stdio.h>

typedef struct work {
  double *scratch;
  vvi_em_rigid *rigid; /* NULL: no rigid bodies, and nothing touches */
} work;

const vvi_em_rigid *vvi_em_rigid_of(const struct vv_step *s)
{
  return ((const work *)s->own)->rigid;
}

static int64_t first_real(const vv_model *m)
{
  return VVI_PAIR_MEMORY * (int64_t)m->pairs->n;
}

static int64_t reals_of(const vv_block *b)
{
  return b->kind->implicit != NULL ? b->kind->implicit->node_v * b->nodes : 0;
}

static int64_t reals_of_all(const vv_model *m)
{
  int64_t n = 0;
  for (int i = 0; i < m->n_block; i++) n += reals_of(&m->block[i]);
  return n;
}

static int64_t memory(const vv_model *m)
{
  return reals_of_all(m) + vvi_em_rigid_memory(m);
}

/* Velocities from the initial momenta, which are then those of the velocities: a step of no length writes them. */
static void start(const vv_model *m, vv_state *x)
{
  double *v = x->memory + first_real(m);
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (reals_of(b) == 0) continue;
    b->kind->implicit->start(b, x->q + b->q0, x->p + b->p0, v);
    if (b->kind->implicit->step != NULL)
      b->kind->implicit->step(b, x->t, 0.0, x->q + b->q0, x->p + b->p0, v, NULL, NULL);
    v += reals_of(b);
  }
}

static vv_status prepare(struct vv_step *s)
{
  int64_t most = 0;
  work *w = VVI_ARENA_NEW(s->arena, work, 1);
  for (int i = 0; i < s->model->n_block; i++) {
    const vv_block *b = &s->model->block[i];
    const int64_t n = reals_of(b) > 0 && b->kind->implicit->work != NULL ? b->kind->implicit->work(b) : 0;
    if (n > most) most = n;
  }
  if (w == NULL || (w->scratch = VVI_ARENA_NEW(s->arena, double, most + 1)) == NULL) return VV_NOMEM;
  if (vvi_em_count(s->model) > 0 || vvi_em_bends(s->model)) {
    double *v = s->state->memory + first_real(s->model);
    VV_TRY(vvi_em_rigid_create(s, v, v + reals_of_all(s->model), &w->rigid));
  }
  s->energy = "nodal";
  for (int i = 0; i < s->model->n_block; i++)
    if (reals_of(&s->model->block[i]) > 0 && s->model->block[i].kind->implicit->step != NULL) s->energy = "director";
  s->exact = s->bears = true;
  s->own = w;
  return VV_OK;
}

static void audit(struct vv_step *s, vv_totals *sum)
{
  const work *w = s->own;
  const vv_state *x = s->state;
  const double *v = x->memory + first_real(s->model);
  sum->kinetic = sum->strain = 0.0;
  for (int i = 0; i < s->model->n_block; i++) {
    const vv_block *b = &s->model->block[i];
    vv_totals plain = {0};
    const bool own = reals_of(b) > 0;
    if (own) b->kind->implicit->audit(b, x->q + b->q0, v, sum);
    if (!own || b->kind->implicit->step == NULL) {
      b->kind->audit(b, x->q + b->q0, x->p + b->p0, &plain);
      sum->kinetic += plain.kinetic, sum->strain += own ? 0.0 : plain.strain;
    }
    v += reals_of(b);
  }
  if (w->rigid != NULL) sum->contact += vvi_em_spring_energy(w->rigid);
}

static bool one_step(struct vv_step *s)
{
  const work *w = s->own;
  vv_state *x = s->state;
  double *v = x->memory + first_real(s->model);
  const bool together = w->rigid != NULL && w->rigid->n_soft > 0; /* with contacts */
  for (int i = 0; !together && i < s->model->n_block; i++) {
    const vv_block *b = &s->model->block[i];
    if (reals_of(b) == 0) continue;
    if (b->kind->implicit->step(b, x->t, s->h, x->q + b->q0, x->p + b->p0, v, w->scratch, &s->ledger->posted) < 0)
      return false;
    v += reals_of(b);
  }
  return w->rigid == NULL || vvi_em_rigid_step(s, w->rigid);
}

/* Why a step was not done, and what helps.  A step 2^k times as long as a piece that shows what passed is one that can be cut in such
 * pieces; half of it leaves room for what gets faster on the way. */
static void tell(const struct vv_step *s, const vvi_em_rigid *w, vv_report *r)
{
  const double t = s->state->t;
  if (w != NULL && w->full) {
    r->reason = VV_REASON_CROWDED;
    if (w->slots > 0)
      snprintf(r->message, sizeof r->message, "no room for more contacts at t = %.9g; %d springs are kept at most", t,
               w->slots);
    else
      snprintf(r->message, sizeof r->message, "out of memory for the contacts at t = %.9g", t);
  } else if (w != NULL && w->passed.seen) {
    r->reason = VV_REASON_STEP_TOO_LONG;
    snprintf(r->message, sizeof r->message,
             "'%.40s' and '%.40s' may pass through each other in step %lld, at t = %.9g, though it was cut in parts; "
             "use a 'time.step' of %.2g or less",
             s->model->body[w->passed.body[0]].name, s->model->body[w->passed.body[1]].name,
             (long long)s->state->step + 1, t + w->clock, ldexp(0.5 * w->passed.time, vvi_em_most_halvings(w)));
  } else {
    r->reason = VV_REASON_NOT_CONVERGED;
    snprintf(r->message, sizeof r->message,
             "the iteration of step %lld, from t = %.9g, did not converge; use a shorter 'time.step'",
             (long long)s->state->step + 1, t);
  }
}

static vv_status step(struct vv_step *s, int64_t n, vv_report *r)
{
  const work *w = s->own;
  if (w->rigid != NULL) {
    vvi_em_load(w->rigid, s->state);
    vvi_em_lead(w->rigid, s->model, s->led, s->n_led);
  }
  for (int64_t k = 0; k < n; k++) {
    if (!one_step(s)) {
      tell(s, w->rigid, r);
      break;
    }
    vvi_step_done(s);
  }
  if (w->rigid != NULL) vvi_em_store(w->rigid, s->state);
  return VV_OK;
}

const vv_stepper_kind vv_energy_momentum_stepper = {
    .name = "energy-momentum",
    .doc = "implicit; energy and momenta to round-off, through contact",
    .claims = VV_KEEPS_ENERGY | VV_KEEPS_MOMENTUM | VV_REVERSIBLE,
    .memory = memory,
    .start = start,
    .prepare = prepare,
    .audit = audit,
    .step = step,
};
