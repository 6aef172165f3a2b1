/* contact/sheets/build.c  Which surfaces of a model can meet, and what: other surfaces, themselves, beams, tips of bars,
 * rigid bodies, obstacles. */
#include "contact/rules.h"
#include "contact/search/line.h"
#include "contact/sheets/solid.h"
#include "contact/sheets/stencil.h"
#include "geom/mesh.h"
#include "math/math.h"

#include <stdlib.h>
#include <string.h>

enum { REGION = 128 }; /* elements of a region; a few more in large models, so that couples stay few */

typedef struct builder {
  vv_model *m;
  const vvi_rules *rules;
  const double *q;
  vvi_arena scratch;
  struct vvi_sheets *sheets;
  int32_t *patch; /* [n] patch of each sheet body, in the model's numbering */
  int32_t *copy;  /* [n] of a rigid body */
  int32_t n;
  vv_mover **mover; /* [n_block] at the start; NULL: not asked for */
  int32_t *mate;    /* [patches] of a tip: the one that it faces on its line; -1: none */
} builder;

/* ---- rules ---- */

/* Line of the scene that speaks for two patches; -1: they pass. */
static int32_t rule_of(const builder *k, int32_t a, int32_t b)
{
  const vv_patch *x = vvi_model_patch(k->m, a), *y = vvi_model_patch(k->m, b);
  const vv_group *g = vvi_rules_find(k->rules, x->body, y->body);
  if (g == NULL || vv_is(g, "response", "none")) return -1;
  const bool named = vv_names(g, "between") == 1;
  if (a == b && !named && vv_given(g, "self") && !vv_boolean(g, "self")) return -1;
  for (int32_t i = 0; i < k->rules->n; i++)
    if (k->rules->rule[i].group == g) return i;
  return -1;
}

static bool is_surface(const vv_patch *p)
{
  return p->type == VV_PATCH_SURFACE;
}

static bool is_curve(const vv_patch *p)
{
  return p->type == VV_PATCH_CURVE && p->corners == 1 && p->radius > 0.0;
}

/* A section that turns: its corners, and the faces between them. */
static bool is_cornered(const vv_patch *p)
{
  return p->type == VV_PATCH_CURVE && p->corners == 4;
}

static bool is_rigid(const vv_patch *p)
{
  return p->type == VV_PATCH_SOLID;
}

static bool is_obstacle(const vv_patch *p)
{
  return p->node < 0 && (p->type == VV_PATCH_PLANE || p->type == VV_PATCH_SPHERE || p->type == VV_PATCH_CYLINDER ||
                         p->type == VV_PATCH_BOX);
}

static bool is_tip(const vv_patch *p)
{
  return p->type == VV_PATCH_TIP;
}

static bool either_general(const builder *k, const vv_patch *x, const vv_patch *y)
{
  return k->rules->general[x->body] || k->rules->general[y->body];
}

/* A tip and a surface, a beam, an obstacle, the tip that it faces; rigid bodies: contact/solids.c. */
static bool tip_meets(const builder *k, int32_t a, int32_t b)
{
  const vv_patch *x = vvi_model_patch(k->m, a), *y = vvi_model_patch(k->m, b);
  const int32_t rule = either_general(k, x, y) ? rule_of(k, a, b) : -1;
  if (rule < 0 || (x->held && (y->held || y->node < 0))) return false;
  if (is_surface(y) || is_curve(y) || is_cornered(y)) return true;
  if (!vvi_rules_general_pair(k->rules, x->body, y->body)) return false;
  if (is_tip(y)) return k->mate[a] == b;
  return is_obstacle(y) &&
         (y->type != VV_PATCH_PLANE || vvi_dot3(x->direction, y->direction) < -1e-12); /* it faces the plane */
}

/* A beam with corners, and all but itself. */
static bool corners_meet(const builder *k, int32_t a, int32_t b)
{
  const vv_patch *x = vvi_model_patch(k->m, a), *y = vvi_model_patch(k->m, b);
  if (a == b || !either_general(k, x, y) || rule_of(k, a, b) < 0) return false;
  if (is_obstacle(y)) return vvi_rules_general_pair(k->rules, x->body, y->body);
  return is_curve(y) || is_cornered(y) || is_rigid(y);
}

/* One of the two is a surface, a tip or a beam with corners; all others are answered elsewhere (contact/solids.c, crowd.c). */
static bool can_meet(const builder *k, int32_t a, int32_t b)
{
  const vv_patch *x = vvi_model_patch(k->m, a), *y = vvi_model_patch(k->m, b);
  if (is_tip(x)) return tip_meets(k, a, b);
  if (is_cornered(x)) return corners_meet(k, a, b);
  if (!is_surface(x) || !(is_surface(y) || is_curve(y) || is_cornered(y) || is_rigid(y) || is_obstacle(y)))
    return false;
  if (x->node < 0 && y->node < 0) return false;
  return rule_of(k, a, b) >= 0;
}

/* Lines of centroids and massless tips have no contact here: say so rather than let them pass. */
static vv_status refuse_strangers(const builder *k)
{
  for (int32_t i = 0; i < k->m->n_patch; i++)
    for (int32_t j = 0; j < k->m->n_patch; j++) {
      const vv_patch *x = vvi_model_patch(k->m, i), *y = vvi_model_patch(k->m, j);
      const bool here = is_surface(x) || k->rules->general[x->body];
      const bool bare = y->type == VV_PATCH_CURVE && !is_curve(y) && !is_cornered(y);
      if (here && bare && rule_of(k, i, j) >= 0)
        return vv_complain(k->m->body[y->body].group, "touch",
                           "'%s' would meet '%s', which a line of centroids cannot: let its section touch, or set "
                           "'response: none' between the two",
                           k->m->body[y->body].name, k->m->body[x->body].name);
      if (is_tip(x) && x->compliance > 0.0 && tip_meets(k, i, j))
        return vv_complain(k->m->body[x->body].group, "tips",
                           "'%s' would meet '%s', which massless tips cannot: use lumped ones, or set 'response: none' "
                           "between the two",
                           k->m->body[x->body].name, k->m->body[y->body].name);
    }
  return VV_OK;
}

static vv_status face(void *user, int32_t a, int32_t b)
{
  builder *k = user;
  if (is_tip(vvi_model_patch(k->m, b))) k->mate[a] = b, k->mate[b] = a;
  return VV_OK;
}

/* Which tips face each other. */
static vv_status line_up(builder *k)
{
  bool any = false;
  if ((k->mate = VVI_ARENA_NEW(&k->scratch, int32_t, k->m->n_patch)) == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < k->m->n_patch; i++) k->mate[i] = -1;
  for (int32_t i = 0; i < k->m->n_body; i++) any |= k->rules->general[i];
  return any ? vvi_search_line(k->m, k->q, face, k) : VV_OK;
}

static bool takes_part(const builder *k, int32_t patch)
{
  for (int32_t i = 0; i < k->m->n_patch; i++)
    if (can_meet(k, patch, i) || can_meet(k, i, patch)) return true;
  return false;
}

static vv_status fill_rules(builder *k)
{
  struct vvi_sheets *s = k->sheets;
  s->n_rule = k->rules->n;
  if ((s->rule = VVI_ARENA_NEW(&k->m->arena, vvi_sheet_rule, s->n_rule + 1)) == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < s->n_rule; i++) {
    const vv_group *g = k->rules->rule[i].group;
    s->rule[i] = (vvi_sheet_rule){.restitution = vv_number(g, "restitution"),
                                  .friction = vv_number(g, "friction"),
                                  .thick = vv_boolean(g, "thickness"),
                                  .projection = vvi_rules_projection(g)};
  }
  return VV_OK;
}

static int32_t rule_of_bodies(void *user, int32_t a, int32_t b)
{
  const builder *k = user;
  const int32_t x = k->patch[a], y = k->patch[b];
  return can_meet(k, x, y) || can_meet(k, y, x) ? rule_of(k, x, y) : -1;
}

/* ---- parts ---- */

/* All nodes of a block as they stand at the start. */
static const vv_mover *movers_of(builder *k, const vv_block *b)
{
  vv_mover **mover = &k->mover[b - k->m->block];
  if (*mover != NULL) return *mover;
  double *rest = calloc((size_t)(b->kind->node_p * b->column + 1), sizeof *rest);
  if (rest != NULL) *mover = VVI_ARENA_NEW(&k->scratch, vv_mover, b->nodes);
  if (*mover != NULL) b->kind->movers(b, k->q + b->q0, rest, *mover);
  free(rest);
  return *mover;
}

/* Inverse masses of the nodes of a patch: those of movers that only move. */
static vv_status masses(builder *k, const vv_block *b, const vv_patch *p, double **out)
{
  const vv_mover *mover = movers_of(k, b);
  *out = VVI_ARENA_NEW(&k->scratch, double, p->nodes);
  if (mover == NULL || *out == NULL) return VV_NOMEM;
  for (int64_t i = 0; i < p->nodes; i++) (*out)[i] = mover[p->node + i].inverse_mass[0];
  return VV_OK;
}

static unsigned char *holds_of(builder *k, const double *inverse, int64_t n)
{
  unsigned char *held = VVI_ARENA_NEW(&k->scratch, unsigned char, n);
  for (int64_t i = 0; held != NULL && i < n; i++) held[i] = inverse[i] == 0.0 ? 15 : 0;
  return held;
}

static vv_status surface_part(builder *k, const vv_block *b, int32_t local, vvi_sheet_part *part)
{
  const vv_patch *p = &b->patch[local];
  int32_t *corner = VVI_ARENA_NEW(&k->scratch, int32_t, 3 * p->elements);
  double *x = VVI_ARENA_NEW(&k->scratch, double, 3 * p->nodes), *inverse;
  if (corner == NULL || x == NULL) return VV_NOMEM;
  if (b->kind->movers == NULL || (b->claims & VV_FLAT) == 0 || b->kind->node_q != 3 || b->kind->node_p != 3)
    return vvi_fail(k->m->ctx, VV_UNSUPPORTED, "surfaces of kind %s have no nodes that only move", b->kind->name);
  VV_TRY(masses(k, b, p, &inverse));
  for (int64_t i = 0; i < 3 * p->elements; i++) corner[i] = (int32_t)(b->element_node[3 * p->element + i] - p->node);
  const vv_status status = vvi_sheet_stencils(&k->scratch, b, local, k->q + b->q0, x, part);
  if (status == VV_UNSUPPORTED)
    return vv_complain(k->m->body[p->body].group, NULL,
                       "its limit surface depends on too many nodes; use 'contact: control'");
  VV_TRY(status);
  part->body.carrier = VVI_CARRY_POINTS;
  part->body.movers = part->vertices = (int32_t)p->nodes;
  part->body.half = 0.5 * p->thickness;
  part->elements = (int32_t)p->elements;
  part->element = corner, part->x = x, part->inverse = inverse;
  part->held = holds_of(k, inverse, p->nodes);
  return part->held == NULL ? VV_NOMEM : VV_OK;
}

static vv_status curve_part(builder *k, const vv_block *b, int32_t local, vvi_sheet_part *part)
{
  const vv_patch *p = &b->patch[local];
  const int32_t n = (int32_t)p->nodes, segments = n - !p->closed;
  int32_t *corner = VVI_ARENA_NEW(&k->scratch, int32_t, 3 * segments + 1);
  double *x = VVI_ARENA_NEW(&k->scratch, double, 3 * n), *inverse = VVI_ARENA_NEW(&k->scratch, double, n);
  if (corner == NULL || x == NULL || inverse == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < n; i++) {
    const vv_point pt = {.patch = local, .xi = {(double)i}};
    double a[6];
    b->kind->surface(b, k->q + b->q0, 1, &pt, x + 3 * i);
    b->kind->inverse_mass(b, k->q + b->q0, 1, &pt, a);
    inverse[i] = a[0];
  }
  for (int32_t i = 0; i < segments; i++) corner[3 * i] = i, corner[3 * i + 1] = (i + 1) % n, corner[3 * i + 2] = -1;
  part->body.carrier = VVI_CARRY_FRAMES;
  part->body.movers = part->vertices = n;
  part->body.half = p->radius;
  part->elements = segments;
  part->element = corner, part->x = x, part->inverse = inverse;
  part->held = holds_of(k, inverse, n);
  return part->held == NULL ? VV_NOMEM : VV_OK;
}

static vv_status cornered_part(builder *k, const vv_block *b, int32_t local, vvi_sheet_part *part)
{
  const vv_patch *p = &b->patch[local];
  const vv_mover *mover = movers_of(k, b);
  const int32_t n = (int32_t)p->nodes;
  double *inverse = VVI_ARENA_NEW(&k->scratch, double, n);
  unsigned char *held = VVI_ARENA_NEW(&k->scratch, unsigned char, n);
  if (mover == NULL || inverse == NULL || held == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < n; i++) {
    const vv_mover *m = &mover[p->node + i];
    inverse[i] = m->inverse_mass[0];
    held[i] = (inverse[i] == 0.0 ? 7 : 0) | (m->inverse_inertia[0] == 0.0 ? 8 : 0);
  }
  part->inverse = inverse, part->held = held;
  return vvi_sheet_prism(&k->scratch, p, mover + p->node, part);
}

/* How long the element behind a tip is. */
static double length_behind(builder *k, const vv_block *b, const vv_patch *p)
{
  const vv_body *body = &k->m->body[p->body];
  const vv_mover *mover = movers_of(k, b);
  const int64_t next = p->node == body->node0 ? p->node + 1 : p->node - 1;
  if (mover == NULL || body->n_node < 2) return k->m->length_scale;
  double d[3];
  for (int c = 0; c < 3; c++) d[c] = mover[next].place[c] - mover[p->node].place[c];
  return vvi_norm3(d);
}

/* One vertex, and a segment from it to itself. */
static vv_status tip_part(builder *k, const vv_block *b, int32_t local, vvi_sheet_part *part)
{
  const vv_point pt = {.patch = local};
  if ((b->claims & VV_FLAT) == 0)
    return vvi_fail(k->m->ctx, VV_UNSUPPORTED, "tips of kind %s do not move straight", b->kind->name);
  int32_t *corner = VVI_ARENA_NEW(&k->scratch, int32_t, 3);
  double *x = VVI_ARENA_NEW(&k->scratch, double, 4), a[6];
  unsigned char *held = VVI_ARENA_NEW(&k->scratch, unsigned char, 1);
  if (corner == NULL || x == NULL || held == NULL) return VV_NOMEM;
  b->kind->surface(b, k->q + b->q0, 1, &pt, x);
  b->kind->inverse_mass(b, k->q + b->q0, 1, &pt, a);
  x[3] = a[0] + a[1] + a[2];
  corner[2] = -1;
  *held = 15; /* but along its line */
  part->body.carrier = VVI_CARRY_FRAMES;
  part->body.tip = &b->patch[local];
  part->body.length = length_behind(k, b, part->body.tip);
  part->body.movers = part->vertices = part->elements = 1;
  part->element = corner, part->x = x, part->inverse = x + 3, part->held = held;
  return VV_OK;
}

static void pose_of(const vv_mover *m, vvi_pose *out)
{
  memcpy(out->place, m->place, sizeof out->place);
  memcpy(out->turn, m->turn, sizeof out->turn);
}

/* One copy of a rigid body, or its parts of one radius. */
static vv_status rigid_part(builder *k, const vv_block *b, int32_t i, vvi_sheet_part *part)
{
  const vv_patch *p = vvi_model_patch(k->m, k->patch[i]);
  const vv_mover *mover = movers_of(k, b);
  double *inverse = VVI_ARENA_NEW(&k->scratch, double, 1);
  vvi_pose pose;
  int32_t g = 0;
  if (mover == NULL || inverse == NULL) return VV_NOMEM;
  while (g < i && k->patch[i - g - 1] == k->patch[i] && k->copy[i - g - 1] == k->copy[i]) g++;
  pose_of(&mover[p->node + k->copy[i]], &pose);
  VV_TRY(vvi_sheet_solid(&k->scratch, p->solid, g, &pose, part));
  part->body.node0 += k->copy[i];
  *inverse = mover[p->node + k->copy[i]].inverse_mass[0];
  part->inverse = inverse;
  part->held = holds_of(k, inverse, 1);
  return part->held == NULL ? VV_NOMEM : VV_OK;
}

static vv_status fill_parts(builder *k, vvi_sheet_part *part)
{
  for (int32_t i = 0; i < k->n; i++) {
    int32_t local;
    const vv_block *b = vvi_model_patch_block(k->m, k->patch[i], &local);
    const vv_patch *p = &b->patch[local];
    part[i].body = (vvi_sheet_body){.body = p->body, .patch = k->patch[i], .block = b, .node0 = p->node};
    if (p->nodes > INT32_MAX / 64 || p->elements > INT32_MAX / 64)
      return vvi_fail(k->m->ctx, VV_UNSUPPORTED, "too many nodes to meet");
    if (is_obstacle(p))
      part[i].body.obstacle = p;
    else if (is_rigid(p))
      VV_TRY(rigid_part(k, b, i, &part[i]));
    else if (is_tip(p))
      VV_TRY(tip_part(k, b, local, &part[i]));
    else if (is_cornered(p))
      VV_TRY(cornered_part(k, b, local, &part[i]));
    else
      VV_TRY(is_surface(p) ? surface_part(k, b, local, &part[i]) : curve_part(k, b, local, &part[i]));
  }
  return VV_OK;
}

/* The paper's step knows closed surfaces of nodes, and three of the projections. */
static vv_status refuse_projections(const builder *k)
{
  const struct vvi_sheets *s = k->sheets;
  for (int32_t i = 0; i < s->n_couple; i++) {
    const vvi_sheet_couple *c = &s->couple[i];
    const vvi_projection how = s->rule[c->rule].projection;
    const vvi_sheet_region *a = &s->region[c->a], *b = &s->region[c->b];
    const vv_patch *x = vvi_model_patch(k->m, k->patch[a->body]), *y = vvi_model_patch(k->m, k->patch[b->body]);
    const bool fit =
        is_surface(x) && is_surface(y) && x->closed && y->closed && !s->body[a->body].loose && !s->body[b->body].loose;
    if (how == VVI_ANTICIPATE || (fit && how != VVI_KEPT && how != VVI_RECOMPUTED)) continue;
    return vv_complain(k->rules->rule[c->rule].group, "projection",
                       fit ? "surfaces know 'anticipate', 'none', 'paper', 'predictor' and 'half-step'"
                           : "only closed surfaces that meet in their control mesh can be projected; use 'anticipate'");
  }
  return VV_OK;
}

/* ---- the start ---- */

static const char *name_of(const builder *k, int32_t sheet_body)
{
  return k->m->body[k->sheets->body[sheet_body].body].name;
}

/* Triangles that already intersect cannot be told apart from those that will never.  Of surfaces, or of surfaces with rigid
 * bodies, which are then two groups. */
static vv_status refuse_intersections(builder *k, bool rigid)
{
  const struct vvi_sheets *s = k->sheets;
  int *triangle = malloc(sizeof(int) * (size_t)(3 * (int64_t)s->n_element + 1)), n = 0, pair[2] = {0, 0};
  int *body = malloc(sizeof(int) * (size_t)(s->n_element + 1));
  vv_status status = triangle == NULL || body == NULL ? VV_NOMEM : VV_OK;
  for (int32_t e = 0; status == VV_OK && e < s->n_element; e++) {
    const int32_t b = s->body_of[s->element[3 * (int64_t)e]];
    if (s->element[3 * (int64_t)e + 2] < 0 || (s->body[b].rigid && !rigid)) continue;
    for (int c = 0; c < 3; c++) triangle[3 * n + c] = s->element[3 * (int64_t)e + c];
    body[n++] = rigid ? s->body[b].rigid : b;
  }
  const int64_t crossed = status == VV_OK ? vvi_mesh_intersections(s->fixed, n, triangle, body, !rigid, 0.0, pair) : 0;
  if (crossed < 0) status = VV_NOMEM;
  if (crossed > 0) {
    const int32_t a = s->body_of[triangle[3 * pair[0]]], b = s->body_of[triangle[3 * pair[1]]];
    const vv_group *place = k->m->body[s->body[b].body].group;
    const double *x = s->fixed + 3 * (int64_t)triangle[3 * pair[0]];
    if (rule_of_bodies(k, a, b) >= 0)
      status = a == b ? vv_complain(place, NULL, "'%s' intersects itself at the start, near (%.4g, %.4g, %.4g)",
                                    name_of(k, b), x[0], x[1], x[2])
                      : vv_complain(place, NULL,
                                    "'%s' and '%s' intersect at the start, near (%.4g, %.4g, %.4g); move one of them",
                                    name_of(k, a), name_of(k, b), x[0], x[1], x[2]);
  }
  free(triangle), free(body);
  return status;
}

/* A surface that starts within a rigid body would never come out. */
static vv_status refuse_swallowed(builder *k)
{
  const struct vvi_sheets *s = k->sheets;
  for (int32_t i = 0; i < s->n_couple; i++) {
    const vvi_sheet_region *x = &s->region[s->couple[i].a], *y = &s->region[s->couple[i].b];
    const vvi_sheet_region *rigid = s->body[x->body].rigid ? x : y, *other = rigid == x ? y : x;
    const vvi_sheet_body *b = &s->body[rigid->body];
    if (!b->rigid || b->shares > 0 || vvi_model_patch(k->m, b->patch)->solid->hollow) continue;
    vvi_pose pose;
    double n[3];
    pose_of(&movers_of(k, b->block)[b->node0], &pose);
    const double *v = s->fixed + 3 * (int64_t)s->region_vertex[other->vertex0];
    if (vvi_solid_distance(vvi_model_patch(k->m, b->patch)->solid, &pose, v, n) < 0.0)
      return vv_complain(k->m->body[s->body[other->body].body].group, NULL,
                         "'%s' lies within '%s' at the start; move one of them", name_of(k, other->body),
                         name_of(k, rigid->body));
  }
  return VV_OK;
}

/* Nothing moves: the search of the places at the start. */
static void stand_still(builder *k, vvi_sheet_search *w)
{
  const struct vvi_sheets *s = k->sheets;
  for (int32_t i = 0; i < s->n_body; i++) {
    const vvi_sheet_body *b = &s->body[i];
    if (b->carrier == VVI_CARRY_POINTS)
      w->motion.at[i] = (vvi_sheet_columns){.q = k->q + b->block->q0 + b->node0, .column = b->block->column};
    for (int32_t n = 0; b->turns && n < b->movers; n++) {
      const vv_mover *m = &movers_of(k, b->block)[b->node0 + n];
      memcpy(w->motion.frame[b->mover0 + n].place, m->place, sizeof m->place);
      memcpy(w->motion.frame[b->mover0 + n].turn, m->turn, sizeof m->turn);
    }
    if (b->turns) continue;
    for (int32_t v = b->vertex0; b->carrier == VVI_CARRY_FRAMES && v < b->vertex0 + b->vertices; v++)
      memcpy(w->motion.frame[s->mover[v]].place, s->fixed + 3 * (int64_t)v, 3 * sizeof(double));
  }
  for (int32_t i = 0; i < s->n_couple; i++) w->list[i].guard = 0.01 * s->edge_length;
}

/* Distances at the start: negative ones (into a thickness, into an obstacle) are refused, the smallest bounds the guard.
 * Surfaces that lie on each other have no direction that leads from one to the other; tips on a line have. */
static vv_status measure_start(builder *k)
{
  struct vvi_sheets *s = k->sheets;
  vvi_sheet_search *w;
  VV_TRY(vvi_sheet_search_create(s, &k->scratch, 1, 0.02 * s->edge_length, &w));
  stand_still(k, w);
  if (!vvi_sheet_collect(w))
    return vvi_fail(k->m->ctx, VV_SCENE, "%s: surfaces lie too close together to list their contacts", k->m->source);
  for (int32_t i = 0; i < w->n_near; i++) {
    const vvi_sheet_near *near = &w->near[i];
    const vvi_sheet_couple *c = &s->couple[near->couple];
    int32_t v[4];
    const bool tips = vvi_sheet_vertices(s, near->a, near->b, v) == 2;
    if (!tips) s->closest = fmin(s->closest, near->d);
    if (near->d < (tips ? -1e-12 * k->m->length_scale : 0.0))
      return vv_complain(k->m->body[s->body[s->region[c->a].body].body].group, NULL,
                         "'%s' and '%s' overlap by %.4g at the start; move one of them",
                         name_of(k, s->region[c->a].body), name_of(k, s->region[c->b].body), -near->d);
    if (!tips && near->d + w->list[near->couple].offset < 1e-9 * s->edge_length &&
        s->body[s->region[c->b].body].obstacle == NULL)
      return vv_complain(k->m->body[s->body[s->region[c->a].body].body].group, NULL,
                         "'%s' and '%s' touch at the start; leave a little room between them",
                         name_of(k, s->region[c->a].body), name_of(k, s->region[c->b].body));
  }
  return VV_OK;
}

static vv_status assemble(builder *k)
{
  vvi_sheet_part *part = VVI_ARENA_NEW(&k->scratch, vvi_sheet_part, k->n);
  struct vvi_sheets *s = k->sheets = VVI_ARENA_NEW(&k->m->arena, struct vvi_sheets, 1);
  if (part == NULL || s == NULL) return VV_NOMEM;
  VV_TRY(fill_parts(k, part));
  VV_TRY(vvi_sheets_assemble(&k->m->arena, k->n, part, s));
  VV_TRY(fill_rules(k));
  VV_TRY(vvi_sheets_divide(&k->m->arena, s, REGION + s->n_element / REGION));
  VV_TRY(vvi_sheets_couple(&k->m->arena, s, rule_of_bodies, k));
  VV_TRY(refuse_projections(k));
  VV_TRY(refuse_intersections(k, false));
  if (s->rigid) VV_TRY(refuse_intersections(k, true));
  VV_TRY(refuse_swallowed(k));
  VV_TRY(measure_start(k));
  k->m->sheets = s;
  return VV_OK;
}

/* The bodies of a patch: rigid ones have several copies, and each several parts. */
static void list_patch(builder *k, int32_t patch, int64_t *n)
{
  const vv_patch *p = vvi_model_patch(k->m, patch);
  const int shells = is_rigid(p) ? vvi_sheet_shells_of(p->solid) : 1;
  const int64_t bodies = is_rigid(p) ? p->nodes * shells : 1;
  for (int64_t i = 0; k->patch != NULL && i < bodies; i++)
    k->patch[*n + i] = patch, k->copy[*n + i] = (int32_t)(i / shells);
  *n += bodies;
}

static vv_status list_bodies(builder *k)
{
  int64_t n = 0;
  for (int pass = 0; pass < 2; pass++) {
    n = 0;
    for (int32_t i = 0; i < k->m->n_patch; i++)
      if (takes_part(k, i)) list_patch(k, i, &n);
    if (n > INT32_MAX / 64) return vvi_fail(k->m->ctx, VV_UNSUPPORTED, "too many shapes to meet");
    if (pass == 0) k->patch = VVI_ARENA_NEW(&k->scratch, int32_t, n), k->copy = VVI_ARENA_NEW(&k->scratch, int32_t, n);
    if (k->patch == NULL || k->copy == NULL) return VV_NOMEM;
  }
  k->n = (int32_t)n;
  k->mover = VVI_ARENA_NEW(&k->scratch, vv_mover *, k->m->n_block);
  return k->mover == NULL ? VV_NOMEM : VV_OK;
}

vv_status vvi_sheets_build(vv_model *m, const vvi_rules *rules, const double *q)
{
  builder k = {.m = m, .rules = rules, .q = q};
  vv_status status = line_up(&k);
  if (status == VV_OK) status = refuse_strangers(&k);
  if (status == VV_OK) status = list_bodies(&k);
  if (status == VV_OK && k.n > 0) status = assemble(&k);
  vvi_arena_free(&k.scratch);
  return status;
}
