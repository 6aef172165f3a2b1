/* step/accelerate.c  A run on an accelerator: where its columns are, and when they move. */
#include "step/accelerate.h"

#include "step/contact.h"
#include "visviva/net.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* `auto`: fewer nodes are done sooner by the processor than launched; more that come down for sums cost more than they save. */
enum { WORTH_NODES = 20000, MOST_DOWN = 1000 };

/* ---- ranks, each with a device of its own ---- */

static const vv_net *net_of(const struct vv_step *s)
{
  return vvi_ctx_net(s->model->ctx);
}

static bool shared(const struct vv_step *s)
{
  return net_of(s) != NULL;
}

/* Which device of its machine a rank takes. */
static int turn_of(const struct vv_step *s)
{
  return shared(s) ? net_of(s)->local : 0;
}

/* The first rank for which this holds; -1: none.  All ask. */
static int first_of(const struct vv_step *s, bool holds)
{
  const vv_net *net = net_of(s);
  double rank = holds ? (net != NULL ? net->rank : 0) : INFINITY;
  if (net != NULL) net->least(net, 1, &rank);
  return isfinite(rank) ? (int)rank : -1;
}

/* The trouble of one rank is that of all: a run ends on all of them at the same step. */
static bool in_trouble(const struct vv_step *s)
{
  vvi_device *d = s->accelerator->device;
  const int rank = first_of(s, vvi_device_trouble(d) != NULL);
  char what[64];
  snprintf(what, sizeof what, "that of rank %d failed", rank);
  if (rank >= 0 && vvi_device_trouble(d) == NULL) vvi_device_fail(d, what);
  return rank >= 0;
}

/* ---- what runs there ---- */

/* What of the scene does not run on a device, in the plural; NULL: all does. */
static const char *what_not(const struct vv_step *s, bool structure, char *text, size_t size)
{
  const vv_model *m = s->model;
  if (m->stepper != &vv_leapfrog_stepper) {
    snprintf(text, size, "steps of the method '%s'", m->stepper->name);
    return text;
  }
  if (structure) return "checks of the symplectic structure";
  if (shared(s) && s->contact != NULL && m->flows) return "shells that flow where something may touch, over ranks,";
  if (m->pairs->n > 0) return "contacts between tips";
  if (m->joints != NULL) return "joints";
  if (m->traction > 0) return "fields of contact (record.traction)";
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->nodes == 0) continue;
    if (b->kind->device == NULL) {
      snprintf(text, size, "bodies of kind '%s'", b->kind->name);
      return text;
    }
    const char *why = b->kind->device->refuse(b);
    if (why != NULL) return why;
  }
  return NULL;
}

/* Is a device worth its launches? */
static bool is_worth(const struct vv_step *s)
{
  const int64_t ranks = shared(s) ? net_of(s)->ranks : 1;
  int64_t there = 0, down = 0;
  for (int i = 0; i < s->model->n_block; i++) {
    const vv_block *b = &s->model->block[i];
    if (b->nodes == 0) continue;
    const bool sums = b->kind->device->note != NULL && (b->kind->device->post != NULL || !b->booked);
    *(sums ? &there : &down) += b->spans > 0 ? b->nodes / ranks : b->nodes;
  }
  return s->contact == NULL && there >= WORTH_NODES && down <= MOST_DOWN;
}

/* ---- open and close ---- */

void vvi_accelerator_close(vvi_accelerator *a, const vv_model *m)
{
  if (a == NULL) return;
  for (int i = 0; a->own != NULL && i < m->n_block; i++)
    if (a->own[i] != NULL) m->block[i].kind->device->close(a->own[i]);
  vvi_device_close(a->device);
  free(a->own);
  free(a->q), free(a->p);
  free(a->before);
  vvi_stay_close(a, m);
  free(a);
}

static vv_status open_blocks(struct vv_step *s, vvi_accelerator *a)
{
  const vv_model *m = s->model;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->nodes == 0) continue;
    if ((a->own[i] = b->kind->device->open(b, a->device)) == NULL) return VV_NOMEM;
  }
  const char *trouble = vvi_device_trouble(a->device);
  if (trouble == NULL) return VV_OK;
  return vvi_fail(m->ctx, VV_NOMEM, "device '%s': %s; run it on the processor (device cpu)",
                  vvi_device_about(a->device)->name, trouble);
}

/* Room for columns that come down to be summed. */
static vv_status make_room(struct vv_step *s, vvi_accelerator *a)
{
  int64_t nq = 0, np = 0;
  for (int i = 0; i < s->model->n_block; i++) {
    const vv_block *b = &s->model->block[i];
    if (b->nodes == 0 || (b->kind->device->post != NULL && b->kind->device->note != NULL)) continue;
    nq = b->kind->node_q * b->column > nq ? b->kind->node_q * b->column : nq;
    np = b->kind->node_p * b->column > np ? b->kind->node_p * b->column : np;
  }
  if (nq == 0) return VV_OK;
  a->q = calloc((size_t)nq, sizeof *a->q), a->p = calloc((size_t)np, sizeof *a->p);
  return a->q != NULL && a->p != NULL ? VV_OK : VV_NOMEM;
}

static vv_status take(struct vv_step *s, vvi_device *device)
{
  const vv_model *m = s->model;
  vvi_accelerator *a = calloc(1, sizeof *a);
  if (a != NULL) *a = (vvi_accelerator){.device = device, .own = calloc((size_t)m->n_block + 1, sizeof(void *))};
  if (a != NULL) a->before = calloc(1, sizeof *a->before);
  if (a == NULL || a->own == NULL || a->before == NULL) {
    if (a != NULL) vvi_accelerator_close(a, m);
    return VV_NOMEM;
  }
  a->resident = s->contact == NULL;
  s->accelerator = a;
  VV_TRY(make_room(s, a));
  VV_TRY(open_blocks(s, a));
  return a->resident || shared(s) ? VV_OK : vvi_stay_create(s); /* ranks search where their columns are: here */
}

/* All ranks have one, or none has. */
static vv_status take_best(struct vv_step *s)
{
  vvi_device *device = vvi_device_best(s->model->ctx, turn_of(s));
  const bool lacking = first_of(s, device == NULL) >= 0;
  if (lacking) vvi_device_close(device);
  return lacking ? VV_OK : take(s, device);
}

static vv_status take_named(struct vv_step *s, const char *which)
{
  vvi_device *device;
  VV_TRY(vvi_device_open(s->model->ctx, which, turn_of(s), &device));
  return take(s, device);
}

vv_status vvi_accelerate(struct vv_step *s, bool structure)
{
  const vv_model *m = s->model;
  const char *which = vv_ctx_device(m->ctx);
  char text[96];
  if (strcmp(which, "cpu") == 0) return VV_OK;
  const char *not = what_not(s, structure, text, sizeof text);
  const bool automatic = strcmp(which, "auto") == 0;
  if (automatic && (not != NULL || !is_worth(s))) return VV_OK;
  if (not != NULL)
    return vvi_fail(m->ctx, VV_UNSUPPORTED, "device '%s': %s do not run on a device yet; use device cpu", which, not );
  const vv_status status = automatic ? take_best(s) : take_named(s, which);
  const int rank = first_of(s, status != VV_OK);
  return status != VV_OK || rank < 0
             ? status
             : vvi_fail(m->ctx, VV_UNSUPPORTED, "device '%s': rank %d cannot use the one that it found", which, rank);
}

/* ---- where the state is ---- */

/* Blocks of the model that are on the device, one after the other. */
#define EACH_BLOCK(s, b, own)                                             \
  for (int i_ = 0; i_ < (s)->model->n_block; i_++)                        \
    for (const vv_block *b = &(s)->model->block[i_]; b != NULL; b = NULL) \
      for (void *own = (s)->accelerator->own[i_]; own != NULL; own = NULL)

static void end_run(struct vv_step *s);

void vvi_bring_down(struct vv_step *s)
{
  vvi_accelerator *a = s->accelerator;
  if (a == NULL || !a->ahead) return;
  end_run(s);
  vvi_device_finish(a->device); /* before anything is overwritten: a device that failed gives nothing back */
  if (in_trouble(s)) return;
  EACH_BLOCK(s, b, own)
  if (a->resident || a->stays[i_]) b->kind->device->down(own, s->state->q + b->q0, s->state->p + b->p0);
  if (!in_trouble(s)) a->ahead = false;
}

void vvi_host_writes(struct vv_step *s)
{
  if (s->accelerator == NULL) return;
  vvi_bring_down(s);
  s->accelerator->there = false;
}

void vvi_send_up(struct vv_step *s)
{
  vvi_accelerator *a = s->accelerator;
  if (a->there) return;
  EACH_BLOCK(s, b, own)
  if (a->resident || a->stays[i_]) b->kind->device->up(own, s->state->q + b->q0, s->state->p + b->p0);
  a->there = true;
}

bool vvi_device_lost(struct vv_step *s, vv_report *r)
{
  vvi_accelerator *a = s->accelerator;
  if (a == NULL || !in_trouble(s)) return false;
  const long long reached = (long long)s->state->step;
  if (a->ahead) {
    struct vvi_episodes *kept = s->ledger->episodes;
    s->state->step = a->step, s->state->t = a->t;
    vvi_stay_back(s);
    while (s->log->n > 0 && (s->h > 0.0) == (s->log->event[s->log->n - 1].time >= a->t))
      s->log->n--; /* not taken, now */
    *s->ledger = *a->before;
    s->ledger->episodes = kept;
    a->ahead = false;
  }
  a->there = false, a->early = false, a->run = a->taken = a->runs = 0;
  if (r == NULL || r->reason == VV_REASON_DEVICE) return true;
  r->reason = VV_REASON_DEVICE;
  snprintf(
      r->message, sizeof r->message,
      "device '%.40s' failed before step %lld: %.60s; the state is that of step %lld, t = %.9g: resume on device cpu",
      vvi_device_about(a->device)->name, reached, vvi_device_trouble(a->device), (long long)s->state->step,
      s->state->t);
  return true;
}

/* ---- steps ---- */

static void flow_block(struct vv_step *s, const vv_block *b, void *own, double h)
{
  if (b->z_reals > 0) b->kind->device->flow(own, h, &s->ledger->posted);
}

static void kick_all(struct vv_step *s, double t, double h)
{
  EACH_BLOCK(s, b, own) b->kind->device->kick(own, t, h);
}

static void post_block(const vvi_accelerator *a, const vv_block *b, void *own, double t, double h, vv_posted *post)
{
  if (b->kind->device->post != NULL) {
    b->kind->device->post(own, t, h, post);
    return;
  }
  b->kind->device->down(own, a->q, a->p);
  b->kind->post(b, t, h, a->q, a->p, post);
}

static void post_all(struct vv_step *s, double t, double h)
{
  EACH_BLOCK(s, b, own)
  if (b->booked) post_block(s->accelerator, b, own, t, h, &s->ledger->posted);
}

static void audit_block(const vvi_accelerator *a, const vv_block *b, void *own, vv_totals *sum)
{
  if (b->kind->device->note != NULL) {
    b->kind->device->note(own, 0), b->kind->device->noted(own, 1);
    b->kind->device->totals(own, 0, sum);
    return;
  }
  b->kind->device->down(own, a->q, a->p);
  b->kind->audit(b, a->q, a->p, sum);
}

/* As stride_steps of the leapfrog: the end of one step and the start of the next share a force. */
static void stride_blocks(struct vv_step *s, int64_t n)
{
  EACH_BLOCK(s, b, own)
  {
    b->kind->device->leap(own, s->state->t, s->h);
    for (int64_t k = 1; k < n; k++) {
      flow_block(s, b, own, s->h);
      b->kind->device->stride(own, s->h);
    }
    flow_block(s, b, own, s->h);
    b->kind->device->kick(own, s->state->t, 0.5 * s->h);
  }
}

static void stride_all(struct vv_step *s, int64_t n)
{
  stride_blocks(s, n);
  s->state->step += s->h > 0.0 ? n - 1 : 1 - n;
  vvi_step_done(s);
}

static void damp(struct vv_step *s, double h)
{
  EACH_BLOCK(s, b, own)
  if (b->viscous) b->kind->device->viscous(own, h, &s->ledger->posted);
}

static void substep(struct vv_step *s, double t, double h)
{
  damp(s, 0.5 * h);
  kick_all(s, t, 0.5 * h);
  post_all(s, t, 0.5 * h);
  EACH_BLOCK(s, b, own)
  {
    b->kind->device->drift(own, h);
    flow_block(s, b, own, h);
  }
  post_all(s, t + h, 0.5 * h);
  kick_all(s, t + h, 0.5 * h);
  damp(s, 0.5 * h);
}

static void compose(struct vv_step *s)
{
  double t = s->state->t;
  for (int i = 0; i < s->composition->stages; i++) {
    const double h = s->composition->gamma[i] * s->h;
    substep(s, t, h);
    t += h;
  }
  vvi_step_done(s);
}

/* ---- steps beforehand ----
 *
 * Who closes the ledger after every step would wait for the device in every step.  Where that goes on, VV_DEVICE_SLOTS steps are
 * queued at once, the totals of each are noted there, and come down together; then steps and totals are handed out one by one.
 * Who wants to see the state in between gets it from the start of the run, which was set aside.  Where nobody did for some runs the
 * next one is queued before the rows of this one are handed out, so that the device does not wait for them either. */

enum { RUNS = 2 }; /* nobody looked at the state in so many: probably in the next one neither */

static bool can_run(const struct vv_step *s)
{
  EACH_BLOCK(s, b, own)
  if (b->kind->device->note == NULL || b->z_reals > 0) return false;
  return true;
}

/* The device has the state of the steps that were asked for. */
static void end_run(struct vv_step *s)
{
  vvi_accelerator *a = s->accelerator;
  if (a->taken < a->run || a->early) {
    const double h = s->h;
    for (int i = 0; i < (a->early ? 2 : 1); i++) EACH_BLOCK(s, b, own) b->kind->device->back(own);
    s->h = a->run_h;
    if (a->taken > 0) stride_blocks(s, a->taken);
    s->h = h;
    a->rhythm = 2 * a->taken < a->run ? -4 * VV_DEVICE_SLOTS : 0; /* it does not pay */
    a->runs = a->early ? -RUNS : 0;
  }
  a->run = a->taken = 0, a->early = false;
}

static void queue_run(struct vv_step *s)
{
  EACH_BLOCK(s, b, own) b->kind->device->keep(own);
  for (int i = 0; i < VV_DEVICE_SLOTS; i++) {
    EACH_BLOCK(s, b, own)
    {
      b->kind->device->leap(own, s->state->t, s->h);
      b->kind->device->kick(own, s->state->t, 0.5 * s->h);
      b->kind->device->note(own, i);
    }
  }
}

/* Totals of the run that is queued come down. */
static void begin_run(struct vv_step *s)
{
  vvi_accelerator *a = s->accelerator;
  if (!a->early) queue_run(s);
  EACH_BLOCK(s, b, own) b->kind->device->noted(own, VV_DEVICE_SLOTS);
  a->run = VV_DEVICE_SLOTS, a->taken = 0, a->run_h = s->h, a->early = ++a->runs > RUNS;
  if (a->early) queue_run(s);
}

/* One step of a run; false: there is none, and none begins. */
static bool take_from_run(struct vv_step *s)
{
  enum { PATIENCE = 2 };
  vvi_accelerator *a = s->accelerator;
  a->rhythm = a->audited ? a->rhythm + 1 : 0, a->audited = false;
  const bool goes_on = a->taken == a->run && a->early && a->run_h == s->h;
  if (!goes_on && (a->taken == a->run || a->run_h != s->h)) end_run(s);
  if (goes_on || (a->run == 0 && a->rhythm > PATIENCE && can_run(s))) begin_run(s);
  if (a->taken == a->run) return false;
  a->taken++;
  vvi_step_done(s);
  return true;
}

vv_status vvi_resident_steps(struct vv_step *s, int64_t n, vv_report *r)
{
  vvi_accelerator *a = s->accelerator;
  const bool plain = !vvi_sys_booked(s->model) && !s->model->viscous && s->composition->stages == 1;
  if (!a->ahead) a->step = s->state->step, a->t = s->state->t, *a->before = *s->ledger;
  vvi_send_up(s);
  a->ahead = true;
  if (plain && n == 1 && take_from_run(s)) {
    vvi_device_lost(s, r);
    return VV_OK;
  }
  end_run(s);
  if (n > 1) a->rhythm = 0;
  if (plain) stride_all(s, n);
  for (int64_t k = 0; !plain && k < n && (shared(s) || vvi_device_trouble(a->device) == NULL); k++) compose(s);
  EACH_BLOCK(s, b, own)
  if (b->z_reals > 0) b->kind->device->settle(own, &s->ledger->posted);
  vvi_device_lost(s, r);
  return VV_OK;
}

bool vvi_resident_audit(struct vv_step *s, vv_totals *sum)
{
  vvi_accelerator *a = s->accelerator;
  if (a == NULL || !a->resident || !a->ahead) return false;
  *sum = (vv_totals){0};
  a->audited = true;
  EACH_BLOCK(s, b, own)
  if (a->taken > 0)
    b->kind->device->totals(own, a->taken - 1, sum);
  else
    audit_block(a, b, own, sum);
  return true;
}

/* The step ends on the processor, and the run behind it; what stays there is put back to where it was last seen. */
static bool forces_failed(struct vv_step *s, double *f)
{
  const vvi_accelerator *a = s->accelerator;
  if (!in_trouble(s)) return false;
  if (a->ahead) vvi_stay_back(s);
  memset(f, 0, sizeof *f * (size_t)s->state->np);
  return true;
}

void vvi_device_force(struct vv_step *s, double t, double *f)
{
  s->accelerator->f = f;
  EACH_BLOCK(s, b, own)
  if (vvi_stays(s, i_))
    b->kind->device->press(own, t);
  else
    b->kind->device->force(own, t, s->state->q + b->q0, f + b->p0);
  if (forces_failed(s, f)) vvi_sys_kick(s->model, t, 1.0, s->state->q, f);
}

/* Internal variables follow the drift of length h that ends at t, then the forces. */
void vvi_device_flow(struct vv_step *s, double t, double h, double *f)
{
  vv_posted *post = &s->ledger->posted;
  EACH_BLOCK(s, b, own)
  {
    const vv_device_table *d = b->kind->device;
    if (b->z_reals > 0) d->flow(own, h, post), d->settle(own, post);
    if (vvi_stays(s, i_))
      d->press(own, t);
    else
      d->force(own, t, s->state->q + b->q0, f + b->p0);
  }
  if (forces_failed(s, f)) vvi_sys_kick(s->model, t, 1.0, s->state->q, f);
}
