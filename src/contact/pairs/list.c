/* contact/pairs/list.c  The pairs of a model: tips on a line, nodes of curves and obstacles, layers. */
#include "contact/pairs/layers.h"
#include "contact/pairs/line.h"
#include "contact/shapes/rules.h"
#include "geom/solid.h"
#include "math/math.h"

#include <stdlib.h>
#include <string.h>

typedef struct builder {
  vv_model *m;
  const double *q;
  const vvi_rules *rules;
} builder;

/* m: how thick a patch is that nodes touch; what is free inside, or endless, has no other side. */
static double thickness_of(const vv_patch *p)
{
  if (p->type == VV_PATCH_SOLID) return 2.0 * p->solid->part[0].radius; /* a ball */
  if (p->inside || p->type == VV_PATCH_PLANE) return INFINITY;
  return 2.0 * (p->type == VV_PATCH_BOX ? fmin(p->half[0], fmin(p->half[1], p->half[2])) : p->radius);
}

static bool is_flat(const vv_block *b)
{
  return (b->kind->claims & VV_FLAT) != 0 && b->kind->vary != NULL;
}

static void pair_init(const builder *k, vvi_pair *c, int32_t a, int32_t b, const double xi[2], const vvi_rule *rule)
{
  *c = (vvi_pair){.a = a, .b = b};
  c->block_a = vvi_model_patch_block(k->m, a, &c->point_a.patch);
  c->block_b = vvi_model_patch_block(k->m, b, &c->point_b.patch);
  c->patch_a = &c->block_a->patch[c->point_a.patch];
  c->patch_b = &c->block_b->patch[c->point_b.patch];
  c->point_a.xi[0] = xi[0], c->point_a.xi[1] = xi[1];
  c->curved = c->patch_a->type == VV_PATCH_CURVE;
  const bool plane = c->patch_b->type == VV_PATCH_PLANE;
  for (int i = 0; i < 3; i++) c->n[i] = plane ? -c->patch_b->direction[i] : c->patch_a->direction[i];
  c->restitution = rule->restitution, c->friction = rule->friction;
  c->compliance = c->patch_a->compliance + c->patch_b->compliance;
  c->projection = rule->projection, c->correction = rule->correction;
  c->flat = !c->curved && c->patch_a->type != VV_PATCH_SURFACE && is_flat(c->block_a) && is_flat(c->block_b);
  c->gap0 = c->flat ? vvi_pair_gap0(c, k->q) : 0.0;
}

static vv_status check_pair(const vv_model *m, const vvi_pair *c, const double *q, const vvi_rule *rule)
{
  const double g = vvi_pair_gap(c, q);
  const vv_group *place = vv_given(m->root, "contacts") ? rule->group : m->body[c->patch_b->body].group;
  if (g < -1e-12 * m->length_scale)
    return vv_complain(place, NULL, "'%s' (%s) and '%s' (%s) overlap by %g at the start; move one of them",
                       m->body[c->patch_a->body].name, c->patch_a->feature, m->body[c->patch_b->body].name,
                       c->patch_b->feature, -g);
  if (c->compliance > 0.0 && c->restitution != 1.0)
    return vv_complain(rule->group, "restitution",
                       "massless tips (split, cell) have no bounce to lose; use lumped tips");
  if (c->friction > 0.0 && c->patch_a->guided)
    return vv_complain(rule->group, "friction", "bars are guided on their line and cannot slide; leave friction 0");
  return VV_OK;
}

static vv_status add_one(const builder *k, int32_t a, int32_t b, const double xi[2], const vvi_rule *rule)
{
  vv_model *m = k->m;
  struct vvi_pairs *list = m->pairs;
  vvi_pair c;
  pair_init(k, &c, a, b, xi, rule);
  if (c.patch_a->held && c.patch_b->held) return VV_OK;
  VV_TRY(check_pair(m, &c, k->q, rule));
  if (list->pair != NULL) list->pair[list->n] = c; /* the first pass only counts */
  list->n++;
  list->n_soft += c.compliance > 0.0;
  list->n_hard += c.compliance <= 0.0;
  list->n_curved += c.curved;
  return VV_OK;
}

/* Two patches that may meet; of a curve every node that is not held, and every corner of its section. */
static vv_status add_pair(void *user, int32_t a, int32_t b)
{
  const builder *k = user;
  vv_model *m = k->m;
  const vv_patch *curve = vvi_model_patch(m, a);
  const vvi_rule *rule = vvi_rules_find(k->rules, curve->body, vvi_model_patch(m, b)->body);
  if (!vvi_rule_acts(rule)) return VV_OK;
  if (vvi_rules_general_pair(k->rules, curve->body, vvi_model_patch(m, b)->body)) return VV_OK; /* contact/sheets */
  if (curve->type != VV_PATCH_CURVE) return add_one(k, a, b, (const double[2]){0.0, 0.0}, rule);
  int32_t local;
  const vv_block *block = vvi_model_patch_block(m, a, &local);
  vv_status status = VV_OK;
  for (int64_t i = 0; i < curve->nodes && status == VV_OK; i++) {
    double inverse[6];
    const vv_point middle = {.patch = local, .xi = {(double)i, 0.0}};
    block->kind->inverse_mass(block, k->q + block->q0, 1, &middle, inverse);
    if (inverse[0] == 0.0) continue; /* its place is held */
    for (int corner = 0; corner < curve->corners && status == VV_OK; corner++)
      status = add_one(k, a, b, (const double[2]){(double)i, (double)corner}, rule);
  }
  return status;
}

static int by_key(const void *x, const void *y)
{
  const vvi_pair *c = x, *d = y;
  if (c->a != d->a) return c->a < d->a ? -1 : 1;
  if (c->b != d->b) return c->b < d->b ? -1 : 1;
  if (c->point_a.element != d->point_a.element) return c->point_a.element < d->point_a.element ? -1 : 1;
  for (int i = 0; i < 2; i++)
    if (c->point_a.xi[i] != d->point_a.xi[i]) return c->point_a.xi[i] < d->point_a.xi[i] ? -1 : 1;
  return (c->point_b.xi[0] > d->point_b.xi[0]) - (c->point_b.xi[0] < d->point_b.xi[0]);
}

static void lengthen(const double x[3], const double y[3], double *longest)
{
  const double d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
  *longest = fmax(*longest, vvi_norm3(d));
}

/* m: between two nodes of a curve or surface, along an edge of an element. */
static double longest_of(const vv_block *b, int32_t local, const double *q)
{
  const vv_patch *p = &b->patch[local];
  double x[3][3], longest = 0.0;
  for (int64_t i = 0; p->type == VV_PATCH_CURVE && i + 1 < p->nodes; i++) {
    const vv_point pt[2] = {{.patch = local, .xi = {(double)i, 0}}, {.patch = local, .xi = {(double)i + 1, 0}}};
    b->kind->surface(b, q + b->q0, 2, pt, x[0]);
    lengthen(x[0], x[1], &longest);
  }
  for (int64_t e = 0; p->type == VV_PATCH_SURFACE && e < p->elements; e++) {
    for (int k = 0; k < 3; k++) {
      const vv_point pt = {.patch = local, .element = (int32_t)e, .xi = {k == 1, k == 2}};
      b->kind->surface(b, q + b->q0, 1, &pt, x[k]);
    }
    for (int k = 0; k < 3; k++) lengthen(x[k], x[(k + 1) % 3], &longest);
  }
  return longest;
}

/* Nodes touch, what is between them does not: what is smaller than an element may pass between two nodes.  Said, not refused. */
static void warn_small(const vv_model *m, const double *q, int32_t a, const vv_patch *other)
{
  int32_t local;
  const vv_block *b = vvi_model_patch_block(m, a, &local);
  const vv_patch *p = &b->patch[local];
  const double around = p->type == VV_PATCH_CURVE ? 2.0 * p->radius : 0.0;
  if (longest_of(b, local, q) > thickness_of(other) + around)
    vvi_fail(m->ctx, VV_OK,
             "%s: elements of '%s' are longer than '%s' is thick: it may pass between two nodes; use more of them",
             m->source, m->body[p->body].name, m->body[other->body].name);
}

/* Curves against everything that is fixed in space; tips know planes only. */
static vv_status search_curves(vv_model *m, builder *k)
{
  vv_status status = VV_OK;
  for (int32_t b = 0; b < m->n_patch; b++)
    for (int32_t a = 0; a < m->n_patch && vvi_model_patch(m, b)->node < 0; a++) {
      const vv_patch *one = vvi_model_patch(m, a), *fixed = vvi_model_patch(m, b);
      const vvi_rule *rule = vvi_rules_find(k->rules, one->body, fixed->body);
      const bool pass = rule == NULL || rule->none;
      const bool curve = one->type == VV_PATCH_CURVE && vvi_rules_event(m);
      if (curve && add_pair(k, a, b) != VV_OK) status = VV_SCENE;
      if (curve && !pass && m->pairs->pair != NULL) warn_small(m, k->q, a, fixed);
      if (one->type == VV_PATCH_TIP && fixed->type != VV_PATCH_PLANE && !pass &&
          !vvi_rules_general_pair(k->rules, one->body, fixed->body))
        status = vv_complain(m->body[fixed->body].group, "shape",
                             "in 'step: event' the tips of '%s' meet planes and rooms only; use leapfrog, or set "
                             "'response: none' between the two",
                             m->body[one->body].name);
    }
  return status;
}

/* One soft pair for every point of one side and every ball, or the obstacle, of the other.                          [layer 1] */
static vv_status add_layer(const builder *k, int32_t a, int32_t b, const vvi_rule *rule, const vvi_layer_side *s,
                           double *zero)
{
  struct vvi_pairs *list = k->m->pairs;
  const vv_patch *other = vvi_model_patch(k->m, b);
  const double skin = s->patch->type == VV_PATCH_SURFACE ? (rule->thick ? 0.5 * s->patch->thickness : 0.0)
                                                         : (s->patch->corners == 1 ? s->patch->radius : 0.0);
  for (int64_t i = 0; i < s->n; i++) {
    const double taken = vvi_layer_taken(s, &s->point[i], k->q, zero);
    if (taken == 0.0) continue; /* held */
    if (fabs(taken - 1.0) > 1e-12)
      return vv_complain(rule->group, "layer", "reaches nodes of '%s' that are held; use 'contact: control' for it",
                         k->m->body[s->patch->body].name);
    for (int64_t j = 0; j < (other->type == VV_PATCH_SOLID ? other->nodes : 1); j++) {
      vvi_pair c;
      pair_init(k, &c, a, b, s->point[i].xi, rule);
      c.point_a = s->point[i], c.point_b.xi[0] = (double)j;
      c.curved = c.layer = true, c.flat = false, c.skin = skin;
      c.compliance = 1.0 / (rule->layer * s->share[i]);
      c.size = fmin(s->patch->type == VV_PATCH_SURFACE ? sqrt(s->share[i]) : 0.5 * s->patch->thickness,
                    0.5 * thickness_of(other));
      VV_TRY(check_pair(k->m, &c, k->q, rule));
      if (list->pair != NULL) list->pair[list->n] = c;
      list->n++, list->n_soft++, list->n_layer++;
    }
  }
  return VV_OK;
}

/* Every pair of patches that a line with a layer speaks for: what a layer cannot be between is refused. */
static vv_status search_layers(vv_model *m, builder *k)
{
  vv_status status = VV_OK;
  double *zero = NULL;
  bool any = false;
  for (int i = 0; i < k->rules->n; i++) any |= k->rules->rule[i].layer > 0.0;
  for (int32_t a = 0; any && a < m->n_patch && status == VV_OK; a++)
    for (int32_t b = 0; b < m->n_patch && status == VV_OK; b++) {
      const vv_patch *one = vvi_model_patch(m, a), *other = vvi_model_patch(m, b);
      const vvi_rule *rule = vvi_rules_find(k->rules, one->body, other->body);
      vvi_layer_side s = {0};
      if (rule == NULL || rule->layer <= 0.0 || rule->none || (one->node < 0 && other->node < 0)) continue;
      if (!vvi_layer_sides(one, other)) {
        const bool turned = vvi_layer_sides(other, one), itself = a == b && vv_names(rule->group, "between") != 1;
        if (!turned && !itself)
          status = vv_complain(rule->group, "layer",
                               "is between beams or shells and obstacles or rigid balls; '%s' and '%s' need a line of "
                               "their own in 'contacts'",
                               m->body[one->body].name, m->body[other->body].name);
        continue;
      }
      if (zero == NULL && (zero = calloc((size_t)m->np + 1, sizeof *zero)) == NULL) return VV_NOMEM;
      status = vvi_layer_points(m, a, k->q, &s);
      if (status == VV_OK) status = add_layer(k, a, b, rule, &s, zero);
      if (status == VV_OK && m->pairs->pair != NULL) warn_small(m, k->q, a, other);
      vvi_layer_close(&s);
    }
  free(zero);
  return status;
}

static vv_status search(vv_model *m, const double *q, builder *k)
{
  const vv_status line = vvi_search_line(m, q, add_pair, k), curves = search_curves(m, k), layers = search_layers(m, k);
  return line != VV_OK ? line : curves != VV_OK ? curves : layers;
}

vv_status vvi_pairs_build(vv_model *m, const vvi_rules *rules, const double *q)
{
  builder k = {.m = m, .rules = rules, .q = q};
  m->pairs = VVI_ARENA_NEW(&m->arena, struct vvi_pairs, 1);
  if (m->pairs == NULL) return VV_NOMEM;
  VV_TRY(search(m, q, &k)); /* counts, and complains */
  vvi_pair *pair = VVI_ARENA_NEW(&m->arena, vvi_pair, m->pairs->n);
  if (pair == NULL) return vvi_fail(m->ctx, VV_NOMEM, "out of memory for the contact pairs");
  *m->pairs = (struct vvi_pairs){.pair = pair};
  VV_TRY(search(m, q, &k));
  qsort(m->pairs->pair, (size_t)m->pairs->n, sizeof(vvi_pair), by_key);
  return vvi_runs_build(m);
}
