/* contact/pairs.c  The candidate list, and the pair seen from outside. */
#include "contact/pairs.h"

#include "math/math.h"

#include <stdlib.h>
#include <string.h>

/* ---- which line of `contacts` speaks for two bodies ---- */

/* The most specific line wins: one that names both before `all`.  -1: none. */
static int rule_for(const vv_model *m, int32_t body_a, int32_t body_b)
{
  const vv_group *root = m->root;
  int best = -1;
  for (int i = 0; i < vv_count(root, "contacts"); i++) {
    const vv_group *c = vv_item(root, "contacts", i);
    if (vv_names(c, "between") == 0) {
      if (best < 0) best = i;
      continue;
    }
    const int x = vvi_model_body_find(m, vv_name_at(c, "between", 0));
    const int y = vvi_model_body_find(m, vv_name_at(c, "between", 1));
    if ((x == body_a && y == body_b) || (x == body_b && y == body_a)) return i;
  }
  return best;
}

static bool same_bodies(const vv_group *c, const vv_group *d)
{
  if (vv_names(c, "between") != vv_names(d, "between")) return false;
  if (vv_names(c, "between") == 0) return true;
  const char *c0 = vv_name_at(c, "between", 0), *c1 = vv_name_at(c, "between", 1);
  const char *d0 = vv_name_at(d, "between", 0), *d1 = vv_name_at(d, "between", 1);
  return (strcmp(c0, d0) == 0 && strcmp(c1, d1) == 0) || (strcmp(c0, d1) == 0 && strcmp(c1, d0) == 0);
}

static vv_status check_rule(const vv_model *m, const vv_group *c)
{
  const bool event = vv_is(vv_sub(m->root, "method"), "step", "event");
  vv_status status = VV_OK;
  if (vv_names(c, "between") != 0 && vv_names(c, "between") != 2)
    status = vv_complain(c, "between", "names %d bodies; a contact is between two, or all", vv_names(c, "between"));
  if (vv_is(c, "response", "dcr") && event)
    status = vv_complain(c, "response", "dcr acts at whole steps: set 'method.step: leapfrog', or use reflect");
  if (vv_is(c, "response", "reflect") && !event)
    status = vv_complain(c, "response", "reflect acts at the contact time: set 'method.step: event', or use dcr");
  if (vv_given(c, "projection") && (event || vv_is(c, "response", "none")))
    status = vv_complain(c, "projection", "belongs to the response dcr of the leapfrog step");
  if (vv_number(c, "friction") > 0.0)
    status = vv_complain(c, "friction", "bars are guided on their line and cannot slide; leave friction 0");
  return status;
}

static vv_status check_rules(const vv_model *m)
{
  vv_status status = VV_OK;
  for (int i = 0; i < vv_count(m->root, "contacts"); i++) {
    const vv_group *c = vv_item(m->root, "contacts", i);
    if (check_rule(m, c) != VV_OK) status = VV_SCENE;
    for (int j = 0; j < i; j++)
      if (same_bodies(c, vv_item(m->root, "contacts", j)))
        status = vv_complain(c, "between", "an earlier line already speaks for these bodies");
  }
  return status;
}

static vvi_projection projection_word(const char *word)
{
  static const char *const words[] = {"anticipate", "none", "kept", "recomputed", "predictor", "half-step"};
  int i = VVI_HALF_STEP;
  while (i > 0 && strcmp(words[i], word) != 0) i--;
  return (vvi_projection)i;
}

/* ---- candidates ---- */

static double gap_of_positions(const vvi_pair *c, const double *q)
{
  double xa[3], xb[3];
  c->block_a->kind->surface(c->block_a, q + c->block_a->q0, 1, &c->point_a, xa);
  c->block_b->kind->surface(c->block_b, q + c->block_b->q0, 1, &c->point_b, xb);
  return (xb[0] - xa[0]) * c->n[0] + (xb[1] - xa[1]) * c->n[1] + (xb[2] - xa[2]) * c->n[2];
}

static void position(const vv_model *m, const double *q, int32_t patch, double x[3])
{
  int32_t local;
  const vv_block *b = vvi_model_patch_block(m, patch, &local);
  const vv_point pt = {.patch = local};
  b->kind->surface(b, q + b->q0, 1, &pt, x);
}

/* Do two tips face each other on one line? */
static bool tips_face(const vv_model *m, const double *q, int32_t a, int32_t b)
{
  const vv_patch *pa = vvi_model_patch(m, a), *pb = vvi_model_patch(m, b);
  if (vvi_dot3(pa->direction, pb->direction) > -1.0 + 1e-12) return false;
  double xa[3], xb[3], d[3], across[3];
  position(m, q, a, xa);
  position(m, q, b, xb);
  for (int c = 0; c < 3; c++) d[c] = xb[c] - xa[c];
  vvi_cross3(d, pa->direction, across);
  return vvi_norm3(across) <= 1e-9 * (vvi_norm3(d) + m->length_scale);
}

/* Middle of a body along a direction: order on a line never changes, so only neighbours can meet. */
static double middle(const vv_model *m, const double *q, const vv_patch *p)
{
  const vv_body *body = &m->body[p->body];
  const vv_block *b = &m->block[body->block];
  double sum = 0.0, x[3];
  for (int32_t i = 0; i < body->n_patch; i++) {
    position(m, q, b->patch0 + body->patch0 + i, x);
    sum += vvi_dot3(x, p->direction);
  }
  return sum / body->n_patch;
}

/* The tip that tip a meets first: the nearest body ahead of it on its line.  -1: none. */
static int32_t tip_ahead(const vv_model *m, const double *q, int32_t a)
{
  const vv_patch *pa = vvi_model_patch(m, a);
  const double from = middle(m, q, pa);
  int32_t best = -1;
  double nearest = INFINITY;
  for (int32_t b = 0; b < m->n_patch; b++) {
    const vv_patch *pb = vvi_model_patch(m, b);
    if (pb->type != VV_PATCH_TIP || pb->body == pa->body || !tips_face(m, q, a, b)) continue;
    vv_patch seen = *pb;
    memcpy(seen.direction, pa->direction, sizeof seen.direction);
    const double ahead = middle(m, q, &seen) - from;
    const bool first = ahead > 0.0 || (ahead == 0.0 && pb->body > pa->body);
    if (first && ahead < nearest) nearest = ahead, best = b;
  }
  return best;
}

static bool is_flat(const vv_block *b)
{
  return (b->kind->claims & VV_FLAT) != 0 && b->kind->vary != NULL;
}

static void pair_init(const vv_model *m, vvi_pair *c, int32_t a, int32_t b, const vv_group *rule)
{
  c->a = a, c->b = b;
  c->block_a = vvi_model_patch_block(m, a, &c->point_a.patch);
  c->block_b = vvi_model_patch_block(m, b, &c->point_b.patch);
  c->patch_a = &c->block_a->patch[c->point_a.patch];
  c->patch_b = &c->block_b->patch[c->point_b.patch];
  const bool plane = c->patch_b->type == VV_PATCH_PLANE;
  for (int i = 0; i < 3; i++) c->n[i] = plane ? -c->patch_b->direction[i] : c->patch_a->direction[i];
  c->restitution = vv_number(rule, "restitution");
  c->compliance = c->patch_a->compliance + c->patch_b->compliance;
  c->answer = vv_is(vv_sub(m->root, "method"), "step", "event") ? VVI_REFLECT : VVI_DCR;
  c->projection = projection_word(vv_text(rule, "projection"));
}

static vv_status check_overlap(const vv_model *m, const vvi_pair *c, const double *q, const vv_group *rule)
{
  const double g = vvi_pair_gap(c, q);
  if (g >= -1e-12 * m->length_scale) return VV_OK;
  return vv_complain(rule, NULL, "'%s' (%s) and '%s' (%s) overlap by %g at the start; move one of them",
                     m->body[c->patch_a->body].name, c->patch_a->feature, m->body[c->patch_b->body].name,
                     c->patch_b->feature, -g);
}

static vv_status add_pair(vv_model *m, const double *q, const double *zero, int32_t a, int32_t b)
{
  struct vvi_pairs *list = m->pairs;
  const int rule = rule_for(m, vvi_model_patch(m, a)->body, vvi_model_patch(m, b)->body);
  if (rule < 0) return VV_OK;
  const vv_group *c = vv_item(m->root, "contacts", rule);
  if (vv_is(c, "response", "none")) return VV_OK;
  vvi_pair *pair = &list->pair[list->n];
  pair_init(m, pair, a, b, c);
  pair->flat = is_flat(pair->block_a) && is_flat(pair->block_b);
  pair->gap0 = pair->flat ? gap_of_positions(pair, zero) : 0.0;
  if (pair->patch_a->held && pair->patch_b->held) return VV_OK;
  if (check_overlap(m, pair, q, c) != VV_OK) return VV_SCENE;
  if (pair->compliance > 0.0 && pair->restitution != 1.0)
    return vv_complain(c, "restitution", "massless tips (split, cell) have no bounce to lose; use lumped tips");
  list->n++;
  if (pair->compliance > 0.0)
    list->n_soft++;
  else
    list->n_hard++;
  return VV_OK;
}

static int by_key(const void *x, const void *y)
{
  const vvi_pair *c = x, *d = y;
  return c->a != d->a ? (c->a > d->a) - (c->a < d->a) : (c->b > d->b) - (c->b < d->b);
}

vv_status vvi_pairs_build(vv_model *m, const double *q)
{
  VV_TRY(check_rules(m));
  int n_plane = 0;
  for (int32_t b = 0; b < m->n_patch; b++) n_plane += vvi_model_patch(m, b)->type == VV_PATCH_PLANE;
  m->pairs = VVI_ARENA_NEW(&m->arena, struct vvi_pairs, 1);
  if (m->pairs == NULL) return VV_NOMEM;
  m->pairs->pair = VVI_ARENA_NEW(&m->arena, vvi_pair, (int64_t)m->n_patch * (n_plane + 1));
  const double *zero = VVI_ARENA_NEW(&m->arena, double, m->nq);
  if (m->pairs->pair == NULL || zero == NULL) return VV_NOMEM;
  vv_status status = VV_OK;
  for (int32_t a = 0; a < m->n_patch; a++) {
    const vv_patch *pa = vvi_model_patch(m, a);
    if (pa->type != VV_PATCH_TIP) continue;
    const int32_t ahead = tip_ahead(m, q, a);
    if (ahead > a && add_pair(m, q, zero, a, ahead) != VV_OK) status = VV_SCENE;
    if (ahead >= 0 && ahead < a && tip_ahead(m, q, ahead) != a && add_pair(m, q, zero, a, ahead) != VV_OK)
      status = VV_SCENE;
    for (int32_t b = 0; b < m->n_patch; b++) {
      const vv_patch *pb = vvi_model_patch(m, b);
      if (pb->type == VV_PATCH_PLANE && vvi_dot3(pa->direction, pb->direction) < -1e-12 &&
          add_pair(m, q, zero, a, b) != VV_OK)
        status = VV_SCENE;
    }
  }
  qsort(m->pairs->pair, (size_t)m->pairs->n, sizeof(vvi_pair), by_key);
  return status;
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

void vvi_pair_post(const vvi_pair *c, const double *q, double r, vv_posted *post)
{
  if (!c->patch_a->held && !c->patch_b->held && c->patch_a->guided == c->patch_b->guided) return; /* it cancels */
  double x[3], sum[3] = {0, 0, 0};
  const double on_b[3] = {r * c->n[0], r * c->n[1], r * c->n[2]};
  const double on_a[3] = {-on_b[0], -on_b[1], -on_b[2]};
  gain(c->patch_a, on_a, sum);
  gain(c->patch_b, on_b, sum);
  vvi_pair_point(c, q, x);
  vvi_post_impulse(post, x, sum);
}
