/* contact/shapes/solids.c  The shapes that can touch: rigid bodies, obstacles, segments of beams, tips of bars. */
#include "contact/shapes/solids.h"

#include "math/math.h"
#include "math/so3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_solid(const vv_patch *p)
{
  return p->type == VV_PATCH_SOLID;
}

/* The index of the line that speaks for two bodies; -1: they pass. */
static int32_t rule_of(const struct vvi_solids *s, int32_t body_a, int32_t body_b)
{
  const vvi_rule *r = vvi_rules_find(&s->rules, body_a, body_b);
  return vvi_rule_acts(r) ? (int32_t)(r - s->rule) : -1;
}

static bool is_round(const vv_patch *p)
{
  return p->type == VV_PATCH_CURVE && p->corners == 1;
}

static bool is_obstacle(const vv_patch *p)
{
  return p->node < 0 && (p->type == VV_PATCH_PLANE || p->type == VV_PATCH_SPHERE || p->type == VV_PATCH_CYLINDER ||
                         p->type == VV_PATCH_BOX);
}

static bool can_break(const struct vvi_solids *s, const vv_patch *p)
{
  return s->model->block[s->model->body[p->body].block].breaks;
}

/* The line that speaks for two patches of shapes that meet here; -1: they pass, or are answered with surfaces
 * (contact/sheets: whatever has corners or tips, but for tips and rigid bodies). */
static int32_t rule_of_patches(const struct vvi_solids *s, const vv_patch *x, const vv_patch *y)
{
  const bool rigid = is_solid(x) || is_solid(y);
  const bool beams = s->beams && ((is_round(x) && (is_round(y) || is_obstacle(y))) || (is_obstacle(x) && is_round(y)));
  if (!rigid && !beams) return -1;
  if (is_round(x) && is_round(y) && !(x->radius > 0.0 && y->radius > 0.0)) return -1;
  const int32_t rule = rule_of(s, x->body, y->body);
  if (rule < 0 || x != y || is_solid(x) || s->rule[rule].self) return rule;
  return can_break(s, x) && !s->rule[rule].never_self ? rule : -1;
}

static bool on_one_curve(const vvi_object *x, const vvi_object *y)
{
  return x->patch == y->patch && is_round(x->patch);
}

/* Neighbours on one curve: a bend of the radius of the section is half a turn long, what lies nearer along the curve does not
 * meet.                                                                                                   [contact 10] */
static bool neighbours(const vvi_object *x, const vvi_object *y)
{
  if (!on_one_curve(x, y)) return false;
  const int64_t d = x->copy > y->copy ? x->copy - y->copy : y->copy - x->copy, n = x->patch->nodes;
  return (x->patch->closed && n - d < d ? n - d : d) < x->apart;
}

/* How many segments lead from one to the other, a < b, along a curve and over nothing that has broken; INT32_MAX: none do. */
static int32_t way_along(const vvi_solid_near *w, int32_t a, int32_t b)
{
  const vv_patch *t = w->solids->object[a].patch;
  const int32_t n = (int32_t)t->nodes, last = a - w->solids->object[a].copy + n - 1;
  const int32_t forth = w->cracks[b] == w->cracks[a] ? b - a : INT32_MAX;
  if (!t->closed) return forth;
  const int32_t back = w->cracks[last] + w->asleep[last] == w->cracks[b] - w->cracks[a] ? n - (b - a) : INT32_MAX;
  return back < forth ? back : forth;
}

bool vvi_solids_awake(const vvi_solid_near *w, const vvi_candidate *k)
{
  const struct vvi_solids *s = w->solids;
  const vvi_object *x = &s->object[k->a], *y = &s->object[k->b];
  if (w->asleep == NULL) return true;
  if (w->asleep[k->a] || w->asleep[k->b]) return false;
  if (!on_one_curve(x, y)) return true;
  const int32_t way = way_along(w, k->a, k->b);
  return way == INT32_MAX || (s->rule[k->rule].self && way >= x->apart);
}

bool vvi_solids_new(const vvi_solid_near *w, const vvi_candidate *k)
{
  const vvi_object *x = &w->solids->object[k->a], *y = &w->solids->object[k->b];
  if (w->asleep == NULL) return false;
  return vvi_patch_sleeps(x->patch) || vvi_patch_sleeps(y->patch) ||
         (on_one_curve(x, y) && (!w->solids->rule[k->rule].self || neighbours(x, y)));
}

int32_t vvi_solids_rule(const struct vvi_solids *s, int32_t a, int32_t b)
{
  const vvi_object *x = &s->object[a], *y = &s->object[b];
  if ((x->held || x->mover[0] < 0) && (y->held || y->mover[0] < 0)) return -1;
  return neighbours(x, y) && !can_break(s, x->patch) ? -1 : rule_of_patches(s, x->patch, y->patch);
}

/* ---- shapes of what is not rigid ---- */

static vv_solid *one_part(vvi_arena *arena, vvi_part_type type)
{
  vv_solid *s = vvi_solid_new(arena, 1);
  if (s == NULL) return NULL;
  s->part[0] = (vvi_part){.type = type, .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .density = 1.0};
  return s;
}

/* A frame by rows whose third axis is n. */
static void frame_about(const double n[3], double rows[9])
{
  double t[2][3];
  vvi_across(n, t);
  memcpy(rows, t, sizeof t);
  memcpy(rows + 6, n, 3 * sizeof(double));
}

vv_status vvi_obstacle_solid(vv_model *m, const vv_patch *t, const vv_solid **out)
{
  static const vvi_part_type type[VV_PATCH_TYPES] = {[VV_PATCH_PLANE] = VVI_PART_HALF_SPACE,
                                                     [VV_PATCH_SPHERE] = VVI_PART_BALL,
                                                     [VV_PATCH_CYLINDER] = VVI_PART_PIPE,
                                                     [VV_PATCH_BOX] = VVI_PART_BLOCK};
  char why[VVI_WHY];
  vv_solid *s = one_part(&m->arena, type[t->type]);
  if (s == NULL) return VV_NOMEM;
  vvi_part *p = s->part;
  p->hollow = t->inside;
  p->radius = t->radius;
  memcpy(p->centre, t->centre, sizeof p->centre);
  memcpy(p->half, t->half, sizeof p->half);
  if (t->type == VV_PATCH_BOX) memcpy(p->frame, t->frame, sizeof p->frame);
  if (t->type == VV_PATCH_PLANE || t->type == VV_PATCH_CYLINDER) frame_about(t->direction, p->frame);
  for (int c = 0; c < 3 && t->type == VV_PATCH_PLANE; c++) p->centre[c] = t->offset * t->direction[c];
  if (!vvi_part_finish(&m->arena, p, why)) return vv_complain(m->body[t->body].group, "shape", "%s", why);
  vvi_solid_finish(s);
  *out = s;
  return VV_OK;
}

/* ---- objects ---- */

/* Objects of a patch; 0: it takes no part. */
static int64_t count_of(const vv_model *m, const vv_patch *t)
{
  if (t->node >= 0 && m->body[t->body].kind->movers == NULL) return 0;
  switch (t->type) {
  case VV_PATCH_SOLID:
    return t->nodes;
  case VV_PATCH_CURVE:
    return t->corners == 1 ? t->nodes - !t->closed : 0;
  case VV_PATCH_TIP:
    return t->compliance > 0.0 ? 0 : vvi_patch_sleeps(t) ? t->nodes : 1;
  case VV_PATCH_PLANE:
  case VV_PATCH_SPHERE:
  case VV_PATCH_CYLINDER:
  case VV_PATCH_BOX:
    return t->node < 0;
  default:
    return 0;
  }
}

/* A patch takes part if a line lets it meet something here. */
static bool takes_part(const vv_model *m, const struct vvi_solids *s, const vv_patch *t)
{
  for (int32_t i = 0; i < m->n_patch; i++)
    if (rule_of_patches(s, t, vvi_model_patch(m, i)) >= 0) return true;
  return false;
}

static void hang_on(const struct vvi_solids *s, const vv_model *m, const vv_patch *t, vvi_object *o)
{
  const int32_t first = s->first[o->block - m->block];
  o->mover[0] = o->mover[1] = -1;
  if (t->node < 0) return;
  o->mover[0] = first + (int32_t)t->node + o->copy;
  if (t->type == VV_PATCH_CURVE) o->mover[1] = first + (int32_t)(t->node + (o->copy + 1) % t->nodes);
}

static double reach_of(const vv_solid *solid)
{
  return solid->outside != NULL ? solid->outside->reach : solid->reach;
}

/* How far a unit of spin about its node moves the surface of a solid: a ball about it, full or hollow, keeps its place. */
static double turns_of(const vv_solid *solid)
{
  const vvi_part *p = &solid->part[0];
  return solid->parts == 1 && p->type == VVI_PART_BALL && vvi_norm3(p->centre) == 0.0 ? 0.0 : reach_of(solid);
}

/* Length of a curve at the start, over its segments. */
static double segment_length(const vv_block *b, int32_t local, const double *q)
{
  const vv_patch *t = &b->patch[local];
  const int64_t n = t->nodes - !t->closed;
  double x[2][3], length = 0.0;
  for (int64_t i = 0; i < n; i++) {
    const vv_point pt[2] = {{.patch = local, .xi = {(double)i}},
                            {.patch = local, .xi = {(double)((i + 1) % t->nodes)}}};
    b->kind->surface(b, q + b->q0, 2, pt, x[0]);
    for (int c = 0; c < 3; c++) x[0][c] -= x[1][c];
    length += vvi_norm3(x[0]);
  }
  return n > 0 ? length / (double)n : 0.0;
}

static vv_status add_patch(vv_model *m, struct vvi_solids *s, int32_t patch, const double *q)
{
  int32_t local;
  const vv_block *b = vvi_model_patch_block(m, patch, &local);
  const vv_patch *t = &b->patch[local];
  const vv_solid *solid = t->solid;
  const double length = is_round(t) ? segment_length(b, local, q) : 0.0;
  if (t->node < 0) VV_TRY(vvi_obstacle_solid(m, t, &solid));
  for (int64_t i = 0; i < count_of(m, t); i++) {
    vvi_object *o = &s->object[s->n++];
    *o = (vvi_object){.block = b, .patch = t, .local = local, .copy = (int32_t)i, .body = t->body, .solid = solid};
    o->held = t->held || t->node < 0;
    o->soft = t->type == VV_PATCH_CURVE || t->type == VV_PATCH_TIP;
    o->within = -1;
    hang_on(s, m, t, o);
    o->reach = o->soft ? t->radius : reach_of(solid);
    o->turns = o->soft ? t->radius : turns_of(solid);
    o->length = length;
    o->apart = vvi_rules_apart(t->radius, length);
  }
  return VV_OK;
}

static vv_status number_movers(vv_model *m, struct vvi_solids *s)
{
  if ((s->first = VVI_ARENA_NEW(&m->arena, int32_t, m->n_block + 1)) == NULL) return VV_NOMEM;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    s->first[i] = -1;
    bool used = false;
    for (int32_t j = 0; j < b->patches; j++) {
      const vv_patch *t = &b->patch[j]; /* frames of surfaces that are answered together are numbered too */
      const bool frame = s->beams && t->node >= 0 && t->type != VV_PATCH_SURFACE && b->kind->movers != NULL;
      used |= frame || (t->node >= 0 && count_of(m, t) > 0 && takes_part(m, s, t));
    }
    if (!used) continue;
    if (b->nodes > INT32_MAX / 4 - s->movers) return vvi_fail(m->ctx, VV_UNSUPPORTED, "too many nodes to meet");
    s->first[i] = s->movers;
    s->movers += (int32_t)b->nodes;
  }
  return VV_OK;
}

static vv_status list_objects(vv_model *m, struct vvi_solids *s, const double *q)
{
  int64_t n = 0;
  for (int32_t i = 0; i < m->n_patch; i++) n += count_of(m, vvi_model_patch(m, i));
  if (n > INT32_MAX / 64) return vvi_fail(m->ctx, VV_UNSUPPORTED, "too many shapes to meet");
  if ((s->object = VVI_ARENA_NEW(&m->arena, vvi_object, n + 1)) == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < m->n_patch; i++) {
    const vv_patch *t = vvi_model_patch(m, i);
    if (count_of(m, t) > 0 && takes_part(m, s, t)) VV_TRY(add_patch(m, s, i, q));
  }
  return VV_OK;
}

/* Massless tips have no contact with rigid bodies: say so where a line of the scene asks.  (Corners: contact/sheets.) */
static vv_status refuse_others(const vv_model *m, const struct vvi_solids *s)
{
  for (int32_t i = 0; i < m->n_patch; i++) {
    const vv_patch *t = vvi_model_patch(m, i);
    if (t->type != VV_PATCH_TIP || t->compliance <= 0.0 || !takes_part(m, s, t)) continue;
    return vv_complain(m->body[t->body].group, "tips",
                       "'%s' would meet a rigid body, which massless tips cannot: use lumped ones; or set "
                       "'response: none' between the two",
                       m->body[t->body].name);
  }
  return VV_OK;
}

/* Only bars along their line and closed surfaces are projected: a line that asks others for it is refused. */
static vv_status refuse_projections(const vv_model *m, const struct vvi_solids *s)
{
  bool any = false;
  for (int i = 0; i < s->rules.n; i++) any |= s->rule[i].projection != VVI_ANTICIPATE;
  for (int32_t i = 0; any && i < m->n_patch; i++)
    for (int32_t k = 0; k <= i; k++) {
      const int32_t rule = rule_of_patches(s, vvi_model_patch(m, i), vvi_model_patch(m, k));
      if (rule < 0 || s->rule[rule].projection == VVI_ANTICIPATE) continue;
      return vv_complain(s->rule[rule].group, "projection",
                         "rigid bodies, and beams with each other and with obstacles, only know 'anticipate'");
    }
  return VV_OK;
}

static bool is_round_or_flat(const vvi_object *o)
{
  const vvi_part_type type = o->solid != NULL && o->solid->parts == 1 ? o->solid->part[0].type : VVI_PART_TYPES;
  return !o->soft && (type == VVI_PART_BALL || type == VVI_PART_HALF_SPACE) && (o->mover[0] < 0 || o->turns == 0.0);
}

static int by_value(const void *x, const void *y)
{
  const double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

/* Which lines speak for some two objects: mostly one does for all. */
static void use_rules(const vv_model *m, struct vvi_solids *s, const vvi_object *o, bool *used, int32_t *unused)
{
  for (int32_t k = 0; *unused > 0 && k < s->n; k += (int32_t)count_of(m, s->object[k].patch)) {
    const int32_t rule = rule_of_patches(s, o->patch, s->object[k].patch);
    if (rule < 0 || used[rule]) continue;
    used[rule] = true, --*unused;
    s->loses |= s->rule[rule].restitution < 1.0;
    s->rough |= s->rule[rule].friction > 0.0;
    s->rests |= s->rule[rule].rests;
  }
}

const vv_solid *vvi_solids_seen(const struct vvi_solids *s, int32_t object, int32_t other)
{
  const vv_solid *solid = s->object[object].solid;
  if (solid == NULL || solid->outside == NULL) return solid;
  int32_t k = s->object[other].within;
  while (k >= 0 && k != object) k = s->object[k].within;
  return k == object ? solid : solid->outside;
}

static double size_of(const struct vvi_solids *s, int32_t object)
{
  const vvi_object *o = &s->object[object];
  if (o->mover[0] < 0) return INFINITY;
  if (o->soft) return o->reach > 0.0 ? o->reach : INFINITY;
  return o->solid->hollow && o->solid->outside == NULL ? INFINITY : o->reach;
}

double vvi_solids_smaller(const struct vvi_solids *s, int32_t a, int32_t b)
{
  const double size = fmin(size_of(s, a), size_of(s, b));
  return isfinite(size) ? size : s->size;
}

static vv_status summarise(vv_model *m, struct vvi_solids *s)
{
  double *reach = VVI_ARENA_NEW(&m->arena, double, s->n + 1);
  bool *used = VVI_ARENA_NEW(&m->arena, bool, s->rules.n + 1);
  if (reach == NULL || used == NULL) return VV_NOMEM;
  int32_t n = 0, unused = s->rules.n;
  s->balls = true, s->smallest = INFINITY;
  for (int32_t i = 0; i < s->n; i++) {
    const vvi_object *o = &s->object[i];
    s->balls &= is_round_or_flat(o);
    if (vvi_patch_sleeps(o->patch)) continue;
    s->smallest = fmin(s->smallest, size_of(s, i));
    if (o->soft || (is_solid(o->patch) && !o->solid->hollow && !o->held)) reach[n++] = o->reach + 0.5 * o->length;
    use_rules(m, s, o, used, &unused);
    i += (int32_t)count_of(m, o->patch) - 1; /* copies and segments are alike */
  }
  qsort(reach, (size_t)n, sizeof *reach, by_value);
  s->size = n > 0 ? reach[n / 2] : 1.0;
  return VV_OK;
}

/* ---- the start ---- */

/* Some point of an object: its place, or of what may not have it within, a corner. */
static void some_point(const vvi_solid_near *w, int32_t i, double x[3])
{
  const vvi_object *o = &w->solids->object[i];
  const vvi_part *p = o->soft ? NULL : o->solid->part;
  memcpy(x, w->pose[i].place, 3 * sizeof *x);
  if (p == NULL) return;
  double arm[3];
  vvi_apply33(w->pose[i].turn, p->type == VVI_PART_MESH ? p->surface->vertex : p->centre, arm);
  for (int c = 0; c < 3; c++) x[c] += arm[c];
}

/* Is object i in container k?  What is in it is smaller: of two containers about one centre one is in the other. */
static bool is_within(const vvi_solid_near *w, int32_t i, int32_t k)
{
  const vvi_object *o = &w->solids->object[i];
  double x[3], n[3];
  if (i == k || !(o->reach <= w->solids->object[k].solid->reach)) return false;
  some_point(w, i, x);
  return vvi_solid_distance(w->solids->object[k].solid, &w->pose[k], x, n) > 0.0;
}

/* Which container each object starts in; containers with nothing in them are met from outside alone. */
static void enclose(struct vvi_solids *s, const vvi_solid_near *w)
{
  for (int32_t k = 0; k < s->n; k++) {
    vvi_object *c = &s->object[k];
    bool filled = false;
    if (c->soft || c->solid->outside == NULL) continue;
    for (int32_t i = 0; i < s->n; i++) {
      if (!is_within(w, i, k)) continue;
      int32_t *in = &s->object[i].within;
      if (*in < 0 || s->object[*in].reach > c->reach) *in = k;
      filled = true;
    }
    if (!filled) c->solid = c->solid->outside;
  }
}

/* Of the size of bodies: what overlaps less at the start is rounding of how it was placed. */
#define TOUCH 1e-6

/* Which part of a body: one of several copies of a solid, a segment of a curve. */
static const char *part_of(const vv_model *m, const vvi_object *o, char text[32])
{
  text[0] = '\0';
  if (is_solid(o->patch) && m->body[o->body].n_node > 1) snprintf(text, 32, " (copy %d)", o->copy);
  if (o->patch->type == VV_PATCH_CURVE) snprintf(text, 32, " (behind its node %d)", o->copy);
  return text;
}

static vv_status refuse_overlap(const vv_model *m, const vvi_solid_near *w)
{
  const struct vvi_solids *s = w->solids;
  for (int64_t i = 0; i < w->meets; i++) {
    const vvi_meet *k = &w->meet[i];
    if (k->spot.gap >= -TOUCH * s->size) continue;
    const vvi_object *a = &s->object[k->a], *b = &s->object[k->b];
    char x[32], y[32];
    if (a->patch == b->patch && a->soft)
      return vv_complain(m->body[b->body].group, NULL,
                         "'%s' overlaps itself by %g at the start, behind its nodes %d and %d", m->body[a->body].name,
                         -k->spot.gap, a->copy, b->copy);
    return vv_complain(m->body[b->body].group, NULL, "'%s'%s and '%s'%s overlap by %g at the start; move one of them",
                       m->body[a->body].name, part_of(m, a, x), m->body[b->body].name, part_of(m, b, y), -k->spot.gap);
  }
  return VV_OK;
}

/* A mesh is met at its surface: what starts inside of it, away from the surface, would never come out. */
static vv_status refuse_swallowed(const vv_model *m, const vvi_solid_near *w)
{
  for (int64_t i = 0; i < w->n; i++)
    for (int side = 0; side < 2; side++) {
      const int32_t in = side ? w->list[i].a : w->list[i].b, out = side ? w->list[i].b : w->list[i].a;
      const vvi_object *o = &w->solids->object[out], *small = &w->solids->object[in];
      double x[3], n[3];
      if (o->soft || o->solid->hollow || o->solid->part->type != VVI_PART_MESH || !isfinite(small->reach)) continue;
      some_point(w, in, x);
      if (vvi_solid_distance(o->solid, &w->pose[out], x, n) < -TOUCH * w->solids->size)
        return vv_complain(m->body[small->body].group, NULL, "'%s' lies within '%s' at the start; move one of them",
                           m->body[small->body].name, m->body[o->body].name);
    }
  return VV_OK;
}

static vv_status check_start(vv_model *m, struct vvi_solids *s, const double *q)
{
  vvi_arena arena = {0};
  vvi_solid_near *w = NULL;
  double *rest = calloc((size_t)m->np + 1, sizeof(double));
  vv_status status = rest == NULL ? VV_NOMEM : vvi_solid_near_create(m, &arena, &w);
  if (status == VV_OK) {
    vvi_solid_near_place(m, w, q, rest);
    enclose(s, w);
    status = summarise(m, s);
  }
  if (status == VV_OK) status = vvi_solid_near_collect(w, 0.0) ? refuse_overlap(m, w) : VV_NOMEM;
  if (status == VV_OK) status = refuse_swallowed(m, w);
  free(rest);
  vvi_arena_free(&arena);
  return status;
}

vv_status vvi_solids_build(vv_model *m, const vvi_rules *rules, const double *q)
{
  const bool beams = !vvi_rules_event(m);
  bool any = false;
  for (int32_t i = 0; i < m->n_patch; i++) {
    const vv_patch *t = vvi_model_patch(m, i);
    any |= is_solid(t) || (beams && t->node >= 0 && (t->type != VV_PATCH_TIP || rules->general[t->body]));
  }
  if (!any) return VV_OK;
  struct vvi_solids *s = VVI_ARENA_NEW(&m->arena, struct vvi_solids, 1);
  if (s == NULL) return VV_NOMEM;
  s->beams = beams, s->model = m;
  s->rules = *rules, s->rule = rules->rule;
  VV_TRY(refuse_others(m, s));
  VV_TRY(refuse_projections(m, s));
  VV_TRY(number_movers(m, s));
  VV_TRY(list_objects(m, s, q));
  if (!beams && (s->n < 2 || s->movers == 0)) return VV_OK;
  m->solids = s;
  return check_start(m, s, q);
}
