/* sim/compile.c  From words to a frozen model and its first state: bodies, contact pairs, stepper, stable step. */
#include "math/math.h"
#include "sim/sim.h"

#include <string.h>

static const vv_stepper_kind *stepper_find(const vv_catalog *c, const char *name)
{
  for (const vv_stepper_kind *const *k = c->stepper; *k != NULL; k++)
    if (strcmp((*k)->name, name) == 0) return *k;
  return NULL;
}

/* Loads and driven ends do work that the energy equations of `slab` and `modified` do not know. */
static bool has_loads(const vv_model *m)
{
  for (int i = 0; i < m->n_block; i++)
    if (m->block[i].n_load > 0) return true;
  return false;
}

static vv_status choose_method(vv_model *m)
{
  const vv_group *g = vv_sub(m->root, "method");
  const bool event = vv_is(g, "step", "event"), linear = (vvi_sys_claims(m) & VV_LINEAR) != 0;
  vv_status status = VV_OK;
  m->order = (int)vv_integer(g, "order");
  m->stepper = stepper_find(vvi_ctx_catalog(m->ctx), vv_text(g, "step"));
  if (m->stepper == NULL) return vv_complain(g, "step", "this catalog has no stepper '%s'", vv_text(g, "step"));
  if (vvi_composition_find(m->order) == NULL) status = vv_complain(g, "order", "must be 2, 4 or 6, not %d", m->order);
  if (!event && vv_given(g, "jump") && !vv_is(g, "jump", "auto"))
    status = vv_complain(g, "jump", "belongs to 'step: event'; the leapfrog has no jump at the contact time");
  const bool slab = vv_is(g, "jump", "slab"), modified = vv_is(g, "jump", "modified");
  if (modified && m->order != 2)
    status = vv_complain(g, "jump", "modified goes with order 2; orders 4 and 6 need 'nodal' or 'slab'");
  if ((slab || modified) && has_loads(m))
    status = vv_complain(g, "jump", "%s cannot be used with loads or driven ends; use 'nodal'", vv_text(g, "jump"));
  if ((slab || modified) && !linear) status = vv_complain(g, "jump", "needs linear bodies; use 'nodal'");
  return status;
}

vvi_jump vvi_jump_chosen(const vv_model *m)
{
  const vv_group *g = vv_sub(m->root, "method");
  if (vv_is(g, "jump", "slab")) return VVI_SLAB;
  if (vv_is(g, "jump", "nodal")) return VVI_NODAL;
  if (vv_is(g, "jump", "modified")) return VVI_MODIFIED;
  const bool can = (vvi_sys_claims(m) & VV_LINEAR) != 0 && m->order == 2 && !has_loads(m) &&
                   m->step <= VVI_MODIFIED_LIMIT * m->stable_step;
  return can ? VVI_MODIFIED : VVI_NODAL;
}

static vv_status choose_step(vv_model *m, const double *q)
{
  const vv_group *time = vv_sub(m->root, "time");
  const vv_group *safety = vv_sub(time, "step");
  m->end = vv_number(time, "end");
  VV_TRY(vvi_stable_step(m, q, &m->stable_step));
  /* the longest stage of a composition must be stable */
  const vvi_composition *c = vvi_composition_find(m->order);
  double longest = 0.0;
  for (int i = 0; i < c->stages; i++) longest = fmax(longest, fabs(c->gamma[i]));
  m->stable_step /= longest;
  if (safety != NULL) {
    if (!isfinite(m->stable_step)) return vv_complain(time, "step", "nothing here limits the step: give a number");
    m->step = vv_number(safety, "safety") * m->stable_step;
  } else {
    m->step = vv_number(time, "step");
  }
  if (m->step > m->stable_step)
    return vv_complain(time, "step", "%.9g is longer than the stable step %.9g; use a shorter one, or {safety: 0.8}",
                       m->step, m->stable_step);
  const vv_group *method = vv_sub(m->root, "method");
  if (vv_is(method, "jump", "modified") && m->step > VVI_MODIFIED_LIMIT * m->stable_step)
    return vv_complain(time, "step", "%.9g is too near the stable step %.9g for 'jump: modified'; stay below %g of it",
                       m->step, m->stable_step, VVI_MODIFIED_LIMIT);
  const double steps = floor(m->end / m->step * (1.0 + 1e-12));
  if (steps < 1.0) return vv_complain(time, "step", "%.6g is longer than the whole run of %.6g", m->step, m->end);
  if (steps > 1e15) return vv_complain(time, "end", "would take %.3g steps; no machine finishes that", steps);
  m->steps = (int64_t)steps;
  return VV_OK;
}

/* Not a mistake, but worth saying: a message without a failure. */
static void warn(const vv_model *m)
{
  const bool event = vv_is(vv_sub(m->root, "method"), "step", "event");
  if (!event || m->pairs->n == 0 || vvi_jump_chosen(m) == VVI_MODIFIED || m->step <= 0.5 * m->stable_step) return;
  vvi_fail(m->ctx, VV_OK,
           "%s: 'jump: %s' cuts steps at events and gains energy near the stable step; take {safety: 0.3} or less",
           m->source, vvi_jump_chosen(m) == VVI_SLAB ? "slab" : "nodal");
}

static vv_status build(vv_ctx *ctx, const vv_spec *spec, vv_model *m, vv_state **initial)
{
  double *q, *p;
  VV_TRY(vvi_model_build(ctx, spec, m, &q, &p));
  vv_status status = choose_method(m);
  const vv_status pairs = vvi_pairs_build(m, q);
  if (status == VV_OK) status = pairs;
  if (status != VV_OK) return status;
  VV_TRY(choose_step(m, q));
  if (vvi_state_create(m->nq, m->np, VVI_PAIR_MEMORY * m->pairs->n, initial) != VV_OK)
    return vvi_fail(ctx, VV_NOMEM, "out of memory for the state");
  memcpy((*initial)->q, q, sizeof(double) * (size_t)m->nq);
  memcpy((*initial)->p, p, sizeof(double) * (size_t)m->np);
  warn(m);
  return VV_OK;
}

vv_status vv_compile(vv_ctx *ctx, const vv_spec *spec, vv_model **model, vv_state **initial)
{
  *model = NULL;
  *initial = NULL;
  vvi_arena arena = {0};
  vv_model *m = VVI_ARENA_NEW(&arena, vv_model, 1);
  if (m == NULL) return vvi_fail(ctx, VV_NOMEM, "out of memory");
  m->arena = arena;
  const vv_status status = build(ctx, spec, m, initial);
  if (status != VV_OK) {
    vv_model_destroy(m);
    return status;
  }
  *model = m;
  return VV_OK;
}
