/* contact/shapes/meets.c  Which surfaces may touch which, by the lines of `contacts`. */
#include "contact/shapes/meets.h"
#include "contact/joints.h"
#include "contact/pairs/line.h"
#include "math/math.h"

#include <stdlib.h>
#include <string.h>

vvi_sheet_shape vvi_sheet_shape_of(const vv_patch *p)
{
  switch (p->type) {
  case VV_PATCH_SURFACE:
    return VVI_SHAPE_SURFACE;
  case VV_PATCH_SOLID:
    return VVI_SHAPE_RIGID;
  case VV_PATCH_TIP:
    return VVI_SHAPE_TIP;
  case VV_PATCH_CURVE:
    if (p->corners == 4) return VVI_SHAPE_CORNERED;
    return p->corners == 1 && p->radius > 0.0 ? VVI_SHAPE_CURVE : VVI_SHAPE_LINE;
  case VV_PATCH_PLANE:
  case VV_PATCH_SPHERE:
  case VV_PATCH_CYLINDER:
  case VV_PATCH_BOX:
    return p->node < 0 ? VVI_SHAPE_OBSTACLE : VVI_SHAPE_OTHER;
  default:
    return VVI_SHAPE_OTHER;
  }
}

bool vvi_sheet_has_faces(const vv_patch *p)
{
  const vvi_sheet_shape shape = vvi_sheet_shape_of(p);
  return shape == VVI_SHAPE_SURFACE || shape == VVI_SHAPE_CORNERED;
}

/* ---- lines of the scene ---- */

static int by_bodies(const void *x, const void *y)
{
  const vvi_sheet_line *p = x, *q = y;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  return p->b < q->b ? -1 : p->b > q->b;
}

static vv_status sort_lines(vvi_arena *arena, vvi_sheet_meets *k)
{
  k->all = -1;
  k->line = VVI_ARENA_NEW(arena, vvi_sheet_line, k->rules.n + 1);
  if (k->line == NULL) return VV_NOMEM;
  for (int i = 0; i < k->rules.n; i++) {
    const vvi_rule *r = &k->rules.rule[i];
    if (r->a < 0)
      k->all = i;
    else
      k->line[k->lines++] = (vvi_sheet_line){.a = r->a, .b = r->b, .rule = i};
  }
  qsort(k->line, (size_t)k->lines, sizeof *k->line, by_bodies);
  return VV_OK;
}

/* As vvi_rules_find, by halving. */
static int32_t line_of(const vvi_sheet_meets *k, int32_t a, int32_t b)
{
  const vvi_sheet_line wanted = {.a = a < b ? a : b, .b = a < b ? b : a};
  const vvi_sheet_line *line = bsearch(&wanted, k->line, (size_t)k->lines, sizeof wanted, by_bodies);
  if (line != NULL) return line->rule;
  return a != b && vvi_joints_join(k->m, a, b) ? -1 : k->all;
}

/* Line of the scene that speaks for two patches; -1: they pass. */
static int32_t rule_of(const vvi_sheet_meets *k, int32_t a, int32_t b)
{
  const vv_patch *x = vvi_model_patch(k->m, a), *y = vvi_model_patch(k->m, b);
  const int32_t rule = line_of(k, x->body, y->body);
  if (rule < 0 || !vvi_rule_acts(&k->rules.rule[rule])) return -1;
  return a == b && k->rules.rule[rule].never_self ? -1 : rule;
}

/* ---- which shapes ---- */

static bool either_general(const vvi_sheet_meets *k, const vv_patch *x, const vv_patch *y)
{
  return k->rules.general[x->body] || k->rules.general[y->body];
}

/* A tip and a surface, a beam, an obstacle, the tip that it faces; rigid bodies: contact/shapes/solids.c. */
static bool tip_meets(const vvi_sheet_meets *k, int32_t a, int32_t b)
{
  const vv_patch *x = vvi_model_patch(k->m, a), *y = vvi_model_patch(k->m, b);
  const vvi_sheet_shape shape = vvi_sheet_shape_of(y);
  if (!either_general(k, x, y) || (x->held && (y->held || y->node < 0)) || rule_of(k, a, b) < 0) return false;
  if (shape == VVI_SHAPE_SURFACE || shape == VVI_SHAPE_CURVE || shape == VVI_SHAPE_CORNERED) return true;
  if (vvi_patch_sleeps(x)) return false; /* pieces stay on their line, where the tips of the whole bar were */
  if (!vvi_rules_general_pair(&k->rules, x->body, y->body)) return false;
  if (shape == VVI_SHAPE_TIP) return k->mate[a] == b;
  return shape == VVI_SHAPE_OBSTACLE &&
         (y->type != VV_PATCH_PLANE || vvi_dot3(x->direction, y->direction) < -1e-12); /* it faces the plane */
}

static bool breaks(const vvi_sheet_meets *k, const vv_patch *p)
{
  return k->m->block[k->m->body[p->body].block].breaks;
}

static bool meets_itself(const vvi_sheet_meets *k, const vv_patch *p)
{
  const int32_t rule = line_of(k, p->body, p->body);
  return rule >= 0 && k->rules.rule[rule].self;
}

/* A beam with corners and all others; and itself where a line says so, or pieces of it, once it has broken (gone.c). */
static bool corners_meet(const vvi_sheet_meets *k, int32_t a, int32_t b)
{
  const vv_patch *x = vvi_model_patch(k->m, a), *y = vvi_model_patch(k->m, b);
  const vvi_sheet_shape shape = vvi_sheet_shape_of(y);
  if (a == b) return k->rules.general[x->body] && (breaks(k, x) || meets_itself(k, x));
  if (!either_general(k, x, y)) return false;
  if (shape == VVI_SHAPE_OBSTACLE) return vvi_rules_general_pair(&k->rules, x->body, y->body);
  return shape == VVI_SHAPE_CURVE || shape == VVI_SHAPE_CORNERED || shape == VVI_SHAPE_RIGID;
}

static bool surface_meets(const vv_patch *x, const vv_patch *y)
{
  const vvi_sheet_shape shape = vvi_sheet_shape_of(y);
  return (x->node >= 0 || y->node >= 0) &&
         (shape == VVI_SHAPE_SURFACE || shape == VVI_SHAPE_CURVE || shape == VVI_SHAPE_CORNERED ||
          shape == VVI_SHAPE_RIGID || shape == VVI_SHAPE_OBSTACLE);
}

/* One of the two is a surface, a tip or a beam with corners; all others are answered elsewhere (contact/shapes/solids.c). */
static bool can_meet(const vvi_sheet_meets *k, int32_t a, int32_t b)
{
  const vv_patch *x = vvi_model_patch(k->m, a), *y = vvi_model_patch(k->m, b);
  switch (vvi_sheet_shape_of(x)) {
  case VVI_SHAPE_TIP:
    return tip_meets(k, a, b);
  case VVI_SHAPE_CORNERED:
    return corners_meet(k, a, b);
  case VVI_SHAPE_SURFACE:
    return surface_meets(x, y);
  default:
    return false;
  }
}

int32_t vvi_sheet_meets_patches(const vvi_sheet_meets *k, int32_t a, int32_t b)
{
  return can_meet(k, a, b) || can_meet(k, b, a) ? rule_of(k, a, b) : -1;
}

int32_t vvi_sheet_meets_bodies(const void *meets, int32_t a, int32_t b)
{
  const vvi_sheet_meets *k = meets;
  if ((k->form[a] && !vvi_sheet_has_faces(vvi_model_patch(k->m, k->patch[b]))) ||
      (k->form[b] && !vvi_sheet_has_faces(vvi_model_patch(k->m, k->patch[a]))))
    return -1;
  return vvi_sheet_meets_patches(k, k->patch[a], k->patch[b]);
}

/* ---- patches that are alike ---- */

/* All that can_meet and rule_of ask of a patch, but for its number, the mate of a tip, and the direction of a plane. */
static int32_t kind_of(const vvi_sheet_meets *k, const vv_patch *p)
{
  return 8 * (int32_t)vvi_sheet_shape_of(p) + 4 * k->rules.general[p->body] + 2 * (p->held != 0) + (p->node < 0);
}

typedef struct card {
  int32_t kind, body, patch;
} card;

static int by_kind(const void *x, const void *y)
{
  const card *p = x, *q = y;
  if (p->kind != q->kind) return p->kind < q->kind ? -1 : 1;
  if (p->body != q->body) return p->body < q->body ? -1 : 1;
  return p->patch < q->patch ? -1 : p->patch > q->patch;
}

static vv_status sort_patches(vvi_arena *arena, vvi_sheet_meets *k)
{
  const int32_t n = k->m->n_patch;
  card *c = malloc(sizeof *c * (size_t)(n + 1));
  bool *named = VVI_ARENA_NEW(arena, bool, k->m->n_body + 1);
  k->member = VVI_ARENA_NEW(arena, int32_t, n + 1), k->alike = VVI_ARENA_NEW(arena, vvi_sheet_alike, n + 1);
  const bool room = c != NULL && named != NULL && k->member != NULL && k->alike != NULL;
  for (int32_t i = 0; room && i < k->lines; i++) named[k->line[i].a] = named[k->line[i].b] = true;
  for (int32_t i = 0; room && i < n; i++) {
    const vv_patch *p = vvi_model_patch(k->m, i);
    c[i] = (card){.kind = kind_of(k, p), .body = named[p->body] ? p->body : -1, .patch = i};
  }
  if (room) qsort(c, (size_t)n, sizeof *c, by_kind);
  for (int32_t i = 0; room && i < n; i++) {
    k->member[i] = c[i].patch;
    if (i == 0 || c[i].kind != c[i - 1].kind || c[i].body != c[i - 1].body)
      k->alike[k->n_alike++] = (vvi_sheet_alike){.kind = c[i].kind, .body = c[i].body, .first = i};
    k->alike[k->n_alike - 1].n++;
  }
  free(c);
  return room ? VV_OK : VV_NOMEM;
}

static vv_status face(void *user, int32_t a, int32_t b)
{
  vvi_sheet_meets *k = user;
  if (vvi_model_patch(k->m, b)->type == VV_PATCH_TIP) k->mate[a] = b, k->mate[b] = a;
  return VV_OK;
}

/* Which tips face each other. */
static vv_status line_up(vvi_arena *arena, vvi_sheet_meets *k, const double *q)
{
  bool any = false;
  if ((k->mate = VVI_ARENA_NEW(arena, int32_t, k->m->n_patch + 1)) == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < k->m->n_patch; i++) k->mate[i] = -1;
  for (int32_t i = 0; i < k->m->n_body; i++) any |= k->rules.general[i];
  return any ? vvi_search_line(k->m, q, face, k) : VV_OK;
}

vv_status vvi_sheet_meets_create(vvi_arena *arena, const vv_model *m, const vvi_rules *rules, const double *q,
                                 vvi_sheet_meets **out)
{
  vvi_sheet_meets *k = *out = VVI_ARENA_NEW(arena, vvi_sheet_meets, 1);
  if (k == NULL) return VV_NOMEM;
  k->m = m, k->rules = *rules;
  VV_TRY(line_up(arena, k, q));
  VV_TRY(sort_lines(arena, k));
  return sort_patches(arena, k);
}

/* ---- anyone ---- */

/* Of others that are alike one is enough, but where a tip asks for planes, or a plane for tips. */
static const vvi_sheet_alike *next_other(const vvi_sheet_meets *k, int32_t a, int32_t *group, int32_t *member)
{
  const int32_t shape = (int32_t)vvi_sheet_shape_of(vvi_model_patch(k->m, a));
  for (; *group < k->n_alike; ++*group, *member = -1) {
    const vvi_sheet_alike *g = &k->alike[*group];
    const int32_t other = g->kind / 8;
    const bool each = (shape == VVI_SHAPE_TIP && other == VVI_SHAPE_OBSTACLE) ||
                      (shape == VVI_SHAPE_OBSTACLE && other == VVI_SHAPE_TIP);
    if (shape == VVI_SHAPE_TIP && other == VVI_SHAPE_TIP) continue;
    const int32_t next = *member + 1 + (*member + 1 < g->n && k->member[g->first + *member + 1] == a);
    if (next >= g->n || (!each && *member >= 0)) continue;
    *member = next;
    return g;
  }
  return NULL;
}

bool vvi_sheet_meets_any(const vvi_sheet_meets *k, int32_t patch, bool *used)
{
  int32_t rule = vvi_sheet_meets_patches(k, patch, patch), group = 0, member = -1;
  const vvi_sheet_alike *g;
  bool any = rule >= 0;
  if (rule >= 0) used[rule] = true;
  if (k->mate[patch] >= 0 && (rule = vvi_sheet_meets_patches(k, patch, k->mate[patch])) >= 0) any = used[rule] = true;
  while ((g = next_other(k, patch, &group, &member)) != NULL)
    if ((rule = vvi_sheet_meets_patches(k, patch, k->member[g->first + member])) >= 0) any = used[rule] = true;
  return any;
}

static vv_status refuse_line(const vvi_sheet_meets *k, int32_t i)
{
  const vv_patch *y = vvi_model_patch(k->m, i);
  int32_t group = 0, member = -1;
  const vvi_sheet_alike *g;
  if (rule_of(k, i, i) >= 0 && meets_itself(k, y))
    return vv_complain(k->m->body[y->body].group, "touch",
                       "'%s' would meet itself, which a line of centroids cannot: let its section touch, or leave "
                       "'self' out",
                       k->m->body[y->body].name);
  while ((g = next_other(k, i, &group, &member)) != NULL) {
    const vv_patch *x = vvi_model_patch(k->m, k->member[g->first + member]);
    const vvi_sheet_shape shape = vvi_sheet_shape_of(x);
    const bool here =
        shape == VVI_SHAPE_SURFACE || shape == VVI_SHAPE_CURVE || shape == VVI_SHAPE_LINE || k->rules.general[x->body];
    if (here && rule_of(k, i, k->member[g->first + member]) >= 0)
      return vv_complain(k->m->body[y->body].group, "touch",
                         "'%s' would meet '%s', which a line of centroids cannot: let its section touch, or set "
                         "'response: none' between the two",
                         k->m->body[y->body].name, k->m->body[x->body].name);
  }
  return VV_OK;
}

static vv_status refuse_tip(const vvi_sheet_meets *k, int32_t i)
{
  const vv_patch *x = vvi_model_patch(k->m, i);
  int32_t group = 0, member = -1, other = k->mate[i] >= 0 && tip_meets(k, i, k->mate[i]) ? k->mate[i] : -1;
  const vvi_sheet_alike *g;
  while (other < 0 && (g = next_other(k, i, &group, &member)) != NULL)
    if (tip_meets(k, i, k->member[g->first + member])) other = k->member[g->first + member];
  if (other < 0) return VV_OK;
  return vv_complain(k->m->body[x->body].group, "tips",
                     "'%s' would meet '%s', which massless tips cannot: use lumped ones, or set 'response: none' "
                     "between the two",
                     k->m->body[x->body].name, k->m->body[vvi_model_patch(k->m, other)->body].name);
}

vv_status vvi_sheet_meets_refuse(const vvi_sheet_meets *k)
{
  for (int32_t i = 0; i < k->m->n_patch; i++) {
    const vv_patch *p = vvi_model_patch(k->m, i);
    if (vvi_sheet_shape_of(p) == VVI_SHAPE_LINE) VV_TRY(refuse_line(k, i));
    if (p->type == VV_PATCH_TIP && p->compliance > 0.0) VV_TRY(refuse_tip(k, i));
  }
  return VV_OK;
}
