/* contact/pairs.c  The pair list of a model, and a pair seen from outside. */
#include "contact/pairs.h"

#include "contact/rules.h"
#include "contact/search/line.h"
#include "math/math.h"

#include <stdlib.h>
#include <string.h>

/* ---- the list ---- */

typedef struct builder {
  vv_model *m;
  const double *q;
  const vv_response_kind *response;
  vvi_rules rules;
} builder;

static const vv_response_kind *response_find(const vv_catalog *c, const char *name)
{
  for (const vv_response_kind *const *k = c->response; k != NULL && *k != NULL; k++)
    if (strcmp((*k)->name, name) == 0) return *k;
  return NULL;
}

static bool is_flat(const vv_block *b)
{
  return (b->kind->claims & VV_FLAT) != 0 && b->kind->vary != NULL;
}

static double gap_of_positions(const vvi_pair *c, const double *q)
{
  double xa[3], xb[3];
  c->block_a->kind->surface(c->block_a, q + c->block_a->q0, 1, &c->point_a, xa);
  c->block_b->kind->surface(c->block_b, q + c->block_b->q0, 1, &c->point_b, xb);
  return (xb[0] - xa[0]) * c->n[0] + (xb[1] - xa[1]) * c->n[1] + (xb[2] - xa[2]) * c->n[2];
}

static void pair_init(const builder *k, vvi_pair *c, int32_t a, int32_t b, const vv_group *rule)
{
  c->a = a, c->b = b;
  c->block_a = vvi_model_patch_block(k->m, a, &c->point_a.patch);
  c->block_b = vvi_model_patch_block(k->m, b, &c->point_b.patch);
  c->patch_a = &c->block_a->patch[c->point_a.patch];
  c->patch_b = &c->block_b->patch[c->point_b.patch];
  const bool plane = c->patch_b->type == VV_PATCH_PLANE;
  for (int i = 0; i < 3; i++) c->n[i] = plane ? -c->patch_b->direction[i] : c->patch_a->direction[i];
  c->restitution = vv_number(rule, "restitution");
  c->compliance = c->patch_a->compliance + c->patch_b->compliance;
  c->response = k->response;
  c->projection = vvi_rules_projection(rule);
  c->flat = is_flat(c->block_a) && is_flat(c->block_b);
  c->gap0 = c->flat ? gap_of_positions(c, k->q) - vvi_pair_vary_gap(c, k->q, k->q) : 0.0;
}

static vv_status check_pair(const vv_model *m, const vvi_pair *c, const double *q, const vv_group *rule)
{
  const double g = vvi_pair_gap(c, q);
  const vv_group *place = vv_given(m->root, "contacts") ? rule : m->body[c->patch_b->body].group;
  if (g < -1e-12 * m->length_scale)
    return vv_complain(place, NULL, "'%s' (%s) and '%s' (%s) overlap by %g at the start; move one of them",
                       m->body[c->patch_a->body].name, c->patch_a->feature, m->body[c->patch_b->body].name,
                       c->patch_b->feature, -g);
  if (c->compliance > 0.0 && c->restitution != 1.0)
    return vv_complain(rule, "restitution", "massless tips (split, cell) have no bounce to lose; use lumped tips");
  return VV_OK;
}

static vv_status add_pair(void *user, int32_t a, int32_t b)
{
  const builder *k = user;
  vv_model *m = k->m;
  const vv_group *rule = vvi_rules_find(&k->rules, vvi_model_patch(m, a)->body, vvi_model_patch(m, b)->body);
  if (rule == NULL || vv_is(rule, "response", "none")) return VV_OK;
  vvi_pair *c = &m->pairs->pair[m->pairs->n];
  pair_init(k, c, a, b, rule);
  if (c->patch_a->held && c->patch_b->held) return VV_OK;
  VV_TRY(check_pair(m, c, k->q, rule));
  m->pairs->n++;
  m->pairs->n_soft += c->compliance > 0.0;
  m->pairs->n_hard += c->compliance <= 0.0;
  return VV_OK;
}

static int by_key(const void *x, const void *y)
{
  const vvi_pair *c = x, *d = y;
  return c->a != d->a ? (c->a > d->a) - (c->a < d->a) : (c->b > d->b) - (c->b < d->b);
}

vv_status vvi_pairs_build(vv_model *m, const double *q)
{
  builder k = {.m = m, .q = q, .response = response_find(vvi_ctx_catalog(m->ctx), "reflect")};
  if (k.response == NULL) return vvi_fail(m->ctx, VV_UNSUPPORTED, "this catalog has no response 'reflect'");
  VV_TRY(vvi_rules_read(m, &k.rules));
  int64_t n_plane = 0;
  for (int32_t b = 0; b < m->n_patch; b++) n_plane += vvi_model_patch(m, b)->type == VV_PATCH_PLANE;
  m->pairs = VVI_ARENA_NEW(&m->arena, struct vvi_pairs, 1);
  if (m->pairs == NULL) return VV_NOMEM;
  m->pairs->pair = VVI_ARENA_NEW(&m->arena, vvi_pair, m->n_patch * (n_plane + 1));
  if (m->pairs->pair == NULL) return vvi_fail(m->ctx, VV_NOMEM, "out of memory for the contact pairs");
  VV_TRY(vvi_search_line(m, q, add_pair, &k));
  qsort(m->pairs->pair, (size_t)m->pairs->n, sizeof(vvi_pair), by_key);
  return VV_OK;
}

/* ---- the pair seen from outside ---- */

double vvi_pair_vary_gap(const vvi_pair *c, const double *q, const double *dq)
{
  double xa[3], xb[3];
  c->block_a->kind->vary->surface(c->block_a, q + c->block_a->q0, dq + c->block_a->q0, 1, &c->point_a, xa);
  c->block_b->kind->vary->surface(c->block_b, q + c->block_b->q0, dq + c->block_b->q0, 1, &c->point_b, xb);
  return (xb[0] - xa[0]) * c->n[0] + (xb[1] - xa[1]) * c->n[1] + (xb[2] - xa[2]) * c->n[2];
}

/* Stiff bodies far from the origin move by little: differences of positions would lose the digits of the displacement. */
double vvi_pair_gap(const vvi_pair *c, const double *q)
{
  return c->flat ? c->gap0 + vvi_pair_vary_gap(c, q, q) : gap_of_positions(c, q);
}

double vvi_pair_rate(const vvi_pair *c, const double *q, const double *p)
{
  double wa[3], wb[3];
  c->block_a->kind->push(c->block_a, q + c->block_a->q0, p + c->block_a->p0, 1, &c->point_a, wa);
  c->block_b->kind->push(c->block_b, q + c->block_b->q0, p + c->block_b->p0, 1, &c->point_b, wb);
  return (wb[0] - wa[0]) * c->n[0] + (wb[1] - wa[1]) * c->n[1] + (wb[2] - wa[2]) * c->n[2];
}

static double quadratic_form(const double a[6], const double n[3])
{
  return a[0] * n[0] * n[0] + a[1] * n[1] * n[1] + a[2] * n[2] * n[2] +
         2.0 * (a[3] * n[1] * n[2] + a[4] * n[0] * n[2] + a[5] * n[0] * n[1]);
}

double vvi_pair_inverse_mass(const vvi_pair *c, const double *q)
{
  double aa[6], ab[6];
  c->block_a->kind->inverse_mass(c->block_a, q + c->block_a->q0, 1, &c->point_a, aa);
  c->block_b->kind->inverse_mass(c->block_b, q + c->block_b->q0, 1, &c->point_b, ab);
  return quadratic_form(aa, c->n) + quadratic_form(ab, c->n);
}

void vvi_pair_pull(const vvi_pair *c, const double *q, double r, double *p)
{
  const double on_b[3] = {r * c->n[0], r * c->n[1], r * c->n[2]};
  const double on_a[3] = {-on_b[0], -on_b[1], -on_b[2]};
  c->block_a->kind->pull(c->block_a, q + c->block_a->q0, 1, &c->point_a, on_a, p + c->block_a->p0);
  c->block_b->kind->pull(c->block_b, q + c->block_b->q0, 1, &c->point_b, on_b, p + c->block_b->p0);
}

void vvi_pair_point(const vvi_pair *c, const double *q, double x[3])
{
  c->block_a->kind->surface(c->block_a, q + c->block_a->q0, 1, &c->point_a, x);
}

/* What the momentum of a body gains from an impulse j: nothing where it is held, the part along its line where guided. */
static void gain(const vv_patch *p, const double j[3], double sum[3])
{
  if (p->held) return;
  const double along = vvi_dot3(p->direction, j);
  for (int c = 0; c < 3; c++) sum[c] += p->guided ? along * p->direction[c] : j[c];
}

void vvi_pair_post(const vvi_pair *c, const double *q, const double *p, double r, vv_posted *post)
{
  if (!c->patch_a->held && !c->patch_b->held && c->patch_a->guided == c->patch_b->guided) return; /* it cancels */
  double x[3], w[3], sum[3] = {0, 0, 0};
  const double on_b[3] = {r * c->n[0], r * c->n[1], r * c->n[2]};
  const double on_a[3] = {-on_b[0], -on_b[1], -on_b[2]};
  gain(c->patch_a, on_a, sum);
  gain(c->patch_b, on_b, sum);
  vvi_pair_point(c, q, x);
  vvi_post_impulse(post, x, sum);
  if (!c->patch_a->held && !c->patch_b->held) return;
  const vv_block *b = c->patch_a->held ? c->block_a : c->block_b;
  const vv_point *pt = c->patch_a->held ? &c->point_a : &c->point_b;
  b->kind->push(b, q + b->q0, p + b->p0, 1, pt, w);
  vvi_sum_add(&post->external_work, (c->patch_a->held ? r : -r) * vvi_dot3(c->n, w));
}
