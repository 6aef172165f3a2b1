/* contact/pairs.c  The pair list of a model, and a pair seen from outside. */
#include "contact/pairs.h"

#include "contact/gap.h"
#include "contact/layers.h"
#include "contact/rules.h"
#include "contact/search/line.h"
#include "contact/sheets.h"
#include "contact/side.h"
#include "contact/solids.h"
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

/* da, db: variations of the two blocks */
static double vary_gap(const vvi_pair *c, const double *q, const double *da, const double *db)
{
  double xa[3], xb[3];
  c->block_a->kind->vary->surface(c->block_a, q + c->block_a->q0, da, 1, &c->point_a, xa);
  c->block_b->kind->vary->surface(c->block_b, q + c->block_b->q0, db, 1, &c->point_b, xb);
  return (xb[0] - xa[0]) * c->n[0] + (xb[1] - xa[1]) * c->n[1] + (xb[2] - xa[2]) * c->n[2];
}

/* What displacements alone do to the gap of a flat pair. */
static double displaced(const vvi_pair *c, const double *q)
{
  return vary_gap(c, q, q + c->block_a->q0, q + c->block_b->q0);
}

static void pair_init(const builder *k, vvi_pair *c, int32_t a, int32_t b, const double xi[2], const vv_group *rule)
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
  c->restitution = vv_number(rule, "restitution");
  c->friction = vvi_rules_friction(rule, NULL);
  c->compliance = c->patch_a->compliance + c->patch_b->compliance;
  c->response = k->response;
  c->projection = vvi_rules_projection(rule);
  c->correction = vvi_rules_correction(rule);
  c->flat = !c->curved && c->patch_a->type != VV_PATCH_SURFACE && is_flat(c->block_a) && is_flat(c->block_b);
  c->gap0 = c->flat ? gap_of_positions(c, k->q) - displaced(c, k->q) : 0.0;
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
  if (c->friction > 0.0 && c->patch_a->guided)
    return vv_complain(rule, "friction", "bars are guided on their line and cannot slide; leave friction 0");
  return VV_OK;
}

static vv_status add_one(const builder *k, int32_t a, int32_t b, const double xi[2], const vv_group *rule)
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
  const vv_group *rule = vvi_rules_find(&k->rules, curve->body, vvi_model_patch(m, b)->body);
  if (rule == NULL || vv_is(rule, "response", "none") || vvi_layer_of(rule) > 0.0) return VV_OK;
  if (vvi_rules_general_pair(&k->rules, curve->body, vvi_model_patch(m, b)->body)) return VV_OK; /* contact/sheets */
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

/* Nodes touch obstacles, segments do not: a round one smaller than an element may pass between two nodes.  Said, not refused. */
static void warn_small(const vv_model *m, const double *q, int32_t a, const vv_patch *fixed)
{
  int32_t local;
  const vv_block *b = vvi_model_patch_block(m, a, &local);
  const vv_patch *curve = &b->patch[local];
  if (fixed->inside || (fixed->type != VV_PATCH_SPHERE && fixed->type != VV_PATCH_CYLINDER)) return;
  double x[2][3], longest = 0.0;
  for (int64_t i = 0; i + 1 < curve->nodes; i++) {
    const vv_point pt[2] = {{.patch = local, .xi = {(double)i, 0}}, {.patch = local, .xi = {(double)i + 1, 0}}};
    b->kind->surface(b, q + b->q0, 2, pt, x[0]);
    const double d[3] = {x[1][0] - x[0][0], x[1][1] - x[0][1], x[1][2] - x[0][2]};
    longest = fmax(longest, vvi_norm3(d));
  }
  if (longest > 2.0 * (fixed->radius + curve->radius))
    vvi_fail(m->ctx, VV_OK,
             "%s: elements of '%s' are longer than '%s' is thick: it may pass between two nodes; use more of them",
             m->source, m->body[curve->body].name, m->body[fixed->body].name);
}

/* Curves against everything that is fixed in space; tips know planes only. */
static vv_status search_curves(vv_model *m, builder *k)
{
  vv_status status = VV_OK;
  for (int32_t b = 0; b < m->n_patch; b++)
    for (int32_t a = 0; a < m->n_patch && vvi_model_patch(m, b)->node < 0; a++) {
      const vv_patch *one = vvi_model_patch(m, a), *fixed = vvi_model_patch(m, b);
      const vv_group *rule = vvi_rules_find(&k->rules, one->body, fixed->body);
      const bool pass = rule == NULL || vv_is(rule, "response", "none");
      const bool curve = one->type == VV_PATCH_CURVE && vvi_rules_event(m);
      if (curve && add_pair(k, a, b) != VV_OK) status = VV_SCENE;
      if (curve && !pass && m->pairs->pair != NULL) warn_small(m, k->q, a, fixed);
      if (one->type == VV_PATCH_TIP && fixed->type != VV_PATCH_PLANE && !pass &&
          !vvi_rules_general_pair(&k->rules, one->body, fixed->body))
        status = vv_complain(m->body[fixed->body].group, "shape",
                             "in 'step: event' the tips of '%s' meet planes and rooms only; use leapfrog, or set "
                             "'response: none' between the two",
                             m->body[one->body].name);
    }
  return status;
}

/* One soft pair for every point of one side and every ball, or the obstacle, of the other.                          [layer 1] */
static vv_status add_layer(const builder *k, int32_t a, int32_t b, const vv_group *rule, const vvi_layer_side *s,
                           double *zero)
{
  struct vvi_pairs *list = k->m->pairs;
  const vv_patch *other = vvi_model_patch(k->m, b);
  const double skin = s->patch->type == VV_PATCH_SURFACE
                          ? (vv_boolean(rule, "thickness") ? 0.5 * s->patch->thickness : 0.0)
                          : (s->patch->corners == 1 ? s->patch->radius : 0.0);
  for (int64_t i = 0; i < s->n; i++) {
    const double taken = vvi_layer_taken(s, &s->point[i], k->q, zero);
    if (taken == 0.0) continue; /* held */
    if (fabs(taken - 1.0) > 1e-12)
      return vv_complain(rule, "layer", "reaches nodes of '%s' that are held; use 'contact: control' for it",
                         k->m->body[s->patch->body].name);
    for (int64_t j = 0; j < (other->type == VV_PATCH_SOLID ? other->nodes : 1); j++) {
      vvi_pair c;
      pair_init(k, &c, a, b, s->point[i].xi, rule);
      c.point_a = s->point[i], c.point_b.xi[0] = (double)j;
      c.curved = c.layer = true, c.flat = false, c.skin = skin;
      c.compliance = 1.0 / (vvi_layer_of(rule) * s->share[i]);
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
  for (int i = 0; i < k->rules.n; i++) any |= vvi_layer_of(k->rules.rule[i].group) > 0.0;
  for (int32_t a = 0; any && a < m->n_patch && status == VV_OK; a++)
    for (int32_t b = 0; b < m->n_patch && status == VV_OK; b++) {
      const vv_patch *one = vvi_model_patch(m, a), *other = vvi_model_patch(m, b);
      const vv_group *rule = vvi_rules_find(&k->rules, one->body, other->body);
      vvi_layer_side s = {0};
      if (vvi_layer_of(rule) <= 0.0 || vv_is(rule, "response", "none") || (one->node < 0 && other->node < 0)) continue;
      if (!vvi_layer_sides(one, other)) {
        const bool turned = vvi_layer_sides(other, one), itself = a == b && vv_names(rule, "between") != 1;
        if (!turned && !itself)
          status = vv_complain(rule, "layer",
                               "is between beams or shells and obstacles or rigid balls; '%s' and '%s' need a line of "
                               "their own in 'contacts'",
                               m->body[one->body].name, m->body[other->body].name);
        continue;
      }
      if (zero == NULL && (zero = calloc((size_t)m->np + 1, sizeof *zero)) == NULL) return VV_NOMEM;
      status = vvi_layer_points(m, a, k->q, &s);
      if (status == VV_OK) status = add_layer(k, a, b, rule, &s, zero);
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

/* Beams that are round, with each other, with rigid bodies and with obstacles. */
static bool implicit_meets(const vv_patch *a, const vv_patch *b)
{
  const bool curve = b->type == VV_PATCH_CURVE, line = a->corners == 1 && !(a->radius > 0.0),
             lines = line || (curve && b->corners == 1 && !(b->radius > 0.0));
  return curve || b->type == VV_PATCH_TIP ? !lines : true;
}

/* `event` has pairs of tips on a line and of tips and beams with what is fixed in space; nothing else has a gap there.  That two
 * rigid bodies or two surfaces meet is refused where their shapes are. */
static bool event_meets(const vv_patch *a, const vv_patch *b)
{
  if (a == b) return a->type != VV_PATCH_CURVE;
  return (a->held && b->held) || b->node < 0 || (a->type == VV_PATCH_TIP && b->type == VV_PATCH_TIP);
}

/* Whose contacts a method must know: bodies in `event`, where rigid ones and surfaces stand still for nobody; beams in the other. */
static bool asks(const vv_patch *a, bool event)
{
  return a->type == VV_PATCH_CURVE || (event && a->node >= 0);
}

/* What `event` and `energy-momentum` cannot meet is refused, not passed: in the first all but bars, and beams on obstacles, in the
 * second lines of centroids, and bars and surfaces. */
static vv_status refuse_strangers(const vv_model *m, const vvi_rules *rules)
{
  const vv_group *method = vv_sub(m->root, "method");
  const bool event = vvi_rules_event(m), implicit = vv_is(method, "step", "energy-momentum");
  if ((!event && !implicit) || (event && vvi_rules_only_bars(m))) return VV_OK;
  for (int32_t i = 0; i < m->n_patch; i++)
    for (int32_t j = 0; j < m->n_patch; j++) {
      const vv_patch *a = vvi_model_patch(m, i), *b = vvi_model_patch(m, j);
      const bool known = event ? event_meets(a, b) : implicit_meets(a, b);
      if (!asks(a, event) || (known && event)) continue;
      const vv_group *rule = vvi_rules_find(rules, a->body, b->body);
      if (rule == NULL || vv_is(rule, "response", "none")) continue;
      if (i == j && !vvi_rules_self(rule)) continue;
      if (known && !vv_is(rule, "arms", "D"))
        return vv_complain(rule, "arms", "%s is for rigid bodies: '%s' bends; use D", vv_text(rule, "arms"),
                           m->body[a->body].name);
      if (known) continue;
      return vv_complain(method, "step",
                         "%s has no contact of '%s' with '%s': it knows %s; use leapfrog, or set 'response: none' "
                         "between the two",
                         vv_text(method, "step"), m->body[a->body].name, m->body[b->body].name,
                         event ? "bars, and beams on obstacles"
                               : "rigid bodies and obstacles, and beams that touch with their section");
    }
  return VV_OK;
}

vv_status vvi_pairs_build(vv_model *m, const double *q, const double *p)
{
  builder k = {.m = m, .q = q, .response = response_find(vvi_ctx_catalog(m->ctx), "reflect")};
  if (k.response == NULL) return vvi_fail(m->ctx, VV_UNSUPPORTED, "this catalog has no response 'reflect'");
  VV_TRY(vvi_rules_read(m, &k.rules));
  m->pairs = VVI_ARENA_NEW(&m->arena, struct vvi_pairs, 1);
  if (m->pairs == NULL) return VV_NOMEM;
  VV_TRY(search(m, q, &k)); /* counts, and complains */
  vvi_pair *pair = VVI_ARENA_NEW(&m->arena, vvi_pair, m->pairs->n);
  if (pair == NULL) return vvi_fail(m->ctx, VV_NOMEM, "out of memory for the contact pairs");
  *m->pairs = (struct vvi_pairs){.pair = pair};
  VV_TRY(search(m, q, &k));
  qsort(m->pairs->pair, (size_t)m->pairs->n, sizeof(vvi_pair), by_key);
  VV_TRY(vvi_runs_build(m));
  VV_TRY(vvi_solids_build(m, &k.rules, q));
  VV_TRY(vvi_sheets_build(m, &k.rules, q));
  if (m->sheets == NULL && m->solids != NULL && m->solids->n < 2) m->solids = NULL; /* nothing meets */
  VV_TRY(refuse_strangers(m, &k.rules));
  return vvi_sides_check(m, &k.rules, q, p);
}

/* ---- the pair seen from outside ---- */

double vvi_pair_vary_gap(const vvi_pair *c, const double *q, const double *dq)
{
  if (c->layer) {
    vvi_pair at = *c;
    vvi_pair_normal(c, q, at.n);
    return vary_gap(&at, q, dq + c->block_a->p0, dq + c->block_b->p0);
  }
  return vary_gap(c, q, dq + c->block_a->p0, dq + c->block_b->p0);
}

/* Stiff bodies far from the origin move by little: differences of positions would lose the digits of the displacement. */
double vvi_pair_gap(const vvi_pair *c, const double *q)
{
  if (!c->curved) return c->flat ? c->gap0 + displaced(c, q) : gap_of_positions(c, q);
  vvi_pair_spot t;
  vvi_pair_spot_at(c, q, &t);
  return t.gap;
}

/* Where and in which direction, without the gap where it is not needed. */
static void place_of(const vvi_pair *c, const double *q, vvi_pair_spot *t)
{
  if (c->curved) {
    vvi_pair_spot_at(c, q, t);
    return;
  }
  t->a = c->point_a, t->b = c->point_b;
  for (int i = 0; i < 3; i++) t->n[i] = c->n[i];
}

static void velocity_at(const vvi_pair *c, const vvi_pair_spot *t, const double *q, const double *p, double w[3])
{
  double wa[3], wb[3];
  c->block_a->kind->push(c->block_a, q + c->block_a->q0, p + c->block_a->p0, 1, &t->a, wa);
  c->block_b->kind->push(c->block_b, q + c->block_b->q0, p + c->block_b->p0, 1, &t->b, wb);
  for (int i = 0; i < 3; i++) w[i] = wb[i] - wa[i];
}

void vvi_pair_velocity(const vvi_pair *c, const double *q, const double *p, double w[3])
{
  vvi_pair_spot t;
  place_of(c, q, &t);
  velocity_at(c, &t, q, p, w);
}

double vvi_pair_rate(const vvi_pair *c, const double *q, const double *p)
{
  vvi_pair_spot t;
  double w[3];
  place_of(c, q, &t);
  velocity_at(c, &t, q, p, w);
  return w[0] * t.n[0] + w[1] * t.n[1] + w[2] * t.n[2];
}

void vvi_pair_normal(const vvi_pair *c, const double *q, double n[3])
{
  vvi_pair_spot t;
  place_of(c, q, &t);
  for (int i = 0; i < 3; i++) n[i] = t.n[i];
}

void vvi_pair_inverse_masses(const vvi_pair *c, const double *q, double a[6])
{
  vvi_pair_spot t;
  double ab[6];
  place_of(c, q, &t);
  c->block_a->kind->inverse_mass(c->block_a, q + c->block_a->q0, 1, &t.a, a);
  c->block_b->kind->inverse_mass(c->block_b, q + c->block_b->q0, 1, &t.b, ab);
  for (int i = 0; i < 6; i++) a[i] += ab[i];
}

double vvi_pair_inverse_mass(const vvi_pair *c, const double *q)
{
  vvi_pair_spot t;
  double aa[6], ab[6];
  place_of(c, q, &t);
  c->block_a->kind->inverse_mass(c->block_a, q + c->block_a->q0, 1, &t.a, aa);
  c->block_b->kind->inverse_mass(c->block_b, q + c->block_b->q0, 1, &t.b, ab);
  return vvi_form6(aa, t.n, t.n) + vvi_form6(ab, t.n, t.n);
}

static void pull_at(const vvi_pair *c, const vvi_pair_spot *t, const double *q, const double on_b[3], double *p)
{
  const double on_a[3] = {-on_b[0], -on_b[1], -on_b[2]};
  c->block_a->kind->pull(c->block_a, q + c->block_a->q0, 1, &t->a, on_a, p + c->block_a->p0);
  c->block_b->kind->pull(c->block_b, q + c->block_b->q0, 1, &t->b, on_b, p + c->block_b->p0);
}

void vvi_pair_pull3(const vvi_pair *c, const double *q, const double j[3], double *p)
{
  vvi_pair_spot t;
  place_of(c, q, &t);
  pull_at(c, &t, q, j, p);
}

void vvi_pair_pull(const vvi_pair *c, const double *q, double r, double *p)
{
  vvi_pair_spot t;
  place_of(c, q, &t);
  const double on_b[3] = {r * t.n[0], r * t.n[1], r * t.n[2]};
  pull_at(c, &t, q, on_b, p);
}

void vvi_pair_point(const vvi_pair *c, const double *q, double x[3])
{
  vvi_pair_spot t;
  place_of(c, q, &t);
  c->block_a->kind->surface(c->block_a, q + c->block_a->q0, 1, &t.a, x);
  for (int i = 0; i < 3; i++) x[i] += t.a.arm[i];
}

/* What the momentum of a body gains from an impulse j: nothing where it is held, the part along its line where guided. */
static void gain(const vv_patch *p, const double j[3], double sum[3])
{
  if (p->held) return;
  const double along = vvi_dot3(p->direction, j);
  for (int c = 0; c < 3; c++) sum[c] += p->guided ? along * p->direction[c] : j[c];
}

void vvi_pair_post3(const vvi_pair *c, const double *q, const double *p, const double j[3], vv_posted *post)
{
  if (!c->patch_a->held && !c->patch_b->held && c->patch_a->guided == c->patch_b->guided) return; /* it cancels */
  double x[3], w[3], sum[3] = {0, 0, 0};
  const double on_a[3] = {-j[0], -j[1], -j[2]};
  gain(c->patch_a, on_a, sum);
  gain(c->patch_b, j, sum);
  vvi_pair_point(c, q, x);
  vvi_post_impulse(post, x, sum);
  if (!c->patch_a->held && !c->patch_b->held) return;
  const vv_block *b = c->patch_a->held ? c->block_a : c->block_b;
  const vv_point *pt = c->patch_a->held ? &c->point_a : &c->point_b;
  b->kind->push(b, q + b->q0, p + b->p0, 1, pt, w);
  vvi_sum_add(&post->external_work, (c->patch_a->held ? 1.0 : -1.0) * vvi_dot3(j, w));
}

void vvi_pair_post(const vvi_pair *c, const double *q, const double *p, double r, vv_posted *post)
{
  double n[3];
  vvi_pair_normal(c, q, n);
  const double j[3] = {r * n[0], r * n[1], r * n[2]};
  vvi_pair_post3(c, q, p, j, post);
}
