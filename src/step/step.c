/* step/step.c  Stages shared by the steppers. */
#include "step/step.h"

#include "math/math.h"

VV_HOT static void axpy(int64_t n, double a, const double *restrict x, double *restrict y)
{
  for (int64_t i = 0; i < n; i++) y[i] += a * x[i];
}

void vvi_axpy(int64_t n, double a, const double *x, double *y)
{
  axpy(n, a, x, y);
}

void vvi_audit_nodal(const struct vv_step *s, vv_totals *sum)
{
  vvi_sys_audit(s->model, s->state->q, s->state->p, sum);
  sum->contact = vvi_springs_energy(s->model, s->state->memory, s->state->q);
}

vv_event *vvi_log_add(struct vv_step *s, const vvi_pair *c, const char *kind, double time, double speed, double impulse)
{
  s->ledger->impacts++;
  if (s->log->n >= VVI_LOG_EVENTS) return NULL;
  vv_event *e = &s->log->event[s->log->n++];
  *e = (vv_event){.time = time,
                  .body_a = s->model->body[c->patch_a->body].name,
                  .feature_a = c->patch_a->feature,
                  .body_b = s->model->body[c->patch_b->body].name,
                  .feature_b = c->patch_b->feature,
                  .kind = kind,
                  .normal_speed = speed,
                  .normal_impulse = impulse};
  vvi_pair_point(c, s->state->q, e->x);
  vvi_pair_normal(c, s->state->q, e->n);
  return e;
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
  vvi_pairs_near(s->model, s->state->q, touch, note_gap, &curved);
  double deepest = curved.deepest;
  int64_t contacts = curved.contacts;
  for (int i = 0; list->n_curved < list->n && i < list->n; i++) {
    if (list->pair[i].curved) continue;
    const double g = vvi_pair_gap(&list->pair[i], s->state->q);
    if (list->pair[i].compliance > 0.0) {
      contacts += s->state->memory[i] != 0.0;
      continue; /* massless tips meet in the force balance: they never overlap */
    }
    contacts += g <= touch;
    deepest = fmax(deepest, -g);
  }
  s->ledger->penetration = deepest;
  s->ledger->max_penetration = fmax(s->ledger->max_penetration, deepest);
  s->ledger->contacts = contacts;
}

void vvi_step_done(struct vv_step *s)
{
  s->state->step += s->h > 0.0 ? 1 : -1;
  s->state->t = (double)s->state->step * fabs(s->h);
}
