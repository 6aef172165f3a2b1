/* contact/shapes/surfaces.c  Which surfaces of a model can meet, and what: other surfaces, themselves, beams, tips of bars,
 * rigid bodies, obstacles. */
#include "contact/broad/search.h"
#include "contact/shapes/facets.h"
#include "contact/shapes/meets.h"
#include "contact/shapes/rules.h"
#include "contact/shapes/solids.h"
#include "contact/shapes/stencil.h"
#include "geom/mesh.h"
#include "math/math.h"

#include <stdlib.h>
#include <string.h>

enum { LENGTHS = 1000 }; /* of the scene: how far an endless obstacle reaches for faces and edges (docs/limits.md) */

typedef struct builder {
  vv_model *m;
  const vvi_rules *rules;
  const double *q;
  vvi_arena scratch;
  struct vvi_sheets *sheets;
  vvi_sheet_meets *meets;
  int32_t *patch; /* [n] patch of each sheet body, in the model's numbering */
  int32_t *copy;  /* [n] of a rigid body */
  int32_t n;
  bool faces;       /* some that meet have edges and faces */
  bool *used;       /* [rules] some meet by it */
  vv_mover **mover; /* [n_block] at the start; NULL: not asked for */
  double *zero;     /* columns of a block, all zero */
} builder;

static bool is_surface(const vv_patch *p)
{
  return vvi_sheet_shape_of(p) == VVI_SHAPE_SURFACE;
}

static bool is_rigid(const vv_patch *p)
{
  return vvi_sheet_shape_of(p) == VVI_SHAPE_RIGID;
}

static void take_rules(builder *k)
{
  struct vvi_sheets *s = k->sheets;
  s->n_rule = k->rules->n, s->rule = k->rules->rule;
  for (int32_t i = 0; i < s->n_rule; i++)
    if (k->used[i]) vvi_sheets_use(s, i);
  s->rule_of = vvi_sheet_meets_bodies, s->meets = k->meets;
}

/* ---- parts ---- */

/* All nodes of a block as they stand at the start. */
static const vv_mover *movers_of(builder *k, const vv_block *b)
{
  vv_mover **mover = &k->mover[b - k->m->block];
  if (*mover != NULL) return *mover;
  double *rest = calloc((size_t)vvi_block_reals(b, VVI_MOMENTA) + 1, sizeof *rest);
  if (rest != NULL) *mover = VVI_ARENA_NEW(&k->scratch, vv_mover, b->nodes);
  if (*mover != NULL) b->kind->movers(b, k->q + b->q0, rest, *mover);
  free(rest);
  return *mover;
}

/* Inverse masses of the nodes of a patch: those of movers that only move. */
static vv_status masses(builder *k, const vv_block *b, const vv_patch *p, double **out)
{
  *out = VVI_ARENA_NEW(&k->scratch, double, p->nodes);
  if (*out == NULL) return VV_NOMEM;
  for (int64_t i = 0; i < p->nodes; i++) {
    vv_mover mover;
    b->kind->mover(b, p->node + i, k->q + b->q0, k->zero, &mover);
    (*out)[i] = mover.inverse_mass[0];
  }
  return VV_OK;
}

static unsigned char *holds_of(builder *k, const double *inverse, int64_t n)
{
  unsigned char *held = VVI_ARENA_NEW(&k->scratch, unsigned char, n);
  for (int64_t i = 0; held != NULL && i < n; i++) held[i] = inverse[i] == 0.0 ? 15 : 0;
  return held;
}

/* The least height of a triangle. */
static double least_height(const vvi_sheet_part *part)
{
  double least = INFINITY;
  for (int32_t e = 0; e < part->elements; e++) {
    const int32_t *v = part->element + 3 * (int64_t)e;
    double side[3][3], across[3], longest = 0.0;
    for (int i = 0; i < 3; i++) {
      for (int c = 0; c < 3; c++)
        side[i][c] = part->x[3 * (int64_t)v[(i + 1) % 3] + c] - part->x[3 * (int64_t)v[i] + c];
      longest = fmax(longest, vvi_norm3(side[i]));
    }
    vvi_cross3(side[0], side[1], across);
    least = fmin(least, longest > 0.0 ? vvi_norm3(across) / longest : 0.0);
  }
  return least;
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
  part->element = corner, part->x = x;
  part->vertices = (int32_t)p->nodes, part->elements = (int32_t)p->elements;
  const bool implicit = vv_is(vv_sub(k->m->root, "method"), "step", "energy-momentum");
  if (p->pieces > 1 && implicit)
    return vv_complain(k->m->body[p->body].group, "contact", "smooth belongs to the leapfrog; use 'limit'");
  const vv_status status = p->pieces > 1 ? vvi_sheet_cut(&k->scratch, b, local, k->q + b->q0, k->zero, part)
                                         : vvi_sheet_stencils(&k->scratch, b, local, k->q + b->q0, k->zero, x, part);
  if (status == VV_UNSUPPORTED)
    return vv_complain(k->m->body[p->body].group, NULL,
                       "its limit surface depends on too many nodes; use 'contact: control'");
  VV_TRY(status);
  part->body.carrier = VVI_CARRY_POINTS;
  part->body.movers = (int32_t)p->nodes;
  part->body.half = 0.5 * p->thickness;
  if (implicit) part->body.self = fmin(p->thickness, 0.5 * least_height(part)); /* [em 27] */
  part->inverse = inverse;
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

/* Elements along a beam with corners that do not meet; its section turns within the circle about its corners. */
static int32_t apart_along(const builder *k, const vv_patch *p, const vv_mover *mover)
{
  const vvi_rule *rule = vvi_rules_find(k->rules, p->body, p->body);
  const int64_t n = p->nodes - !p->closed;
  double length = 0.0;
  if (rule == NULL || !rule->self) return INT32_MAX;
  for (int64_t i = 0; i < n; i++) {
    const double *x = mover[i].place, *y = mover[(i + 1) % p->nodes].place,
                 d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
    length += vvi_norm3(d);
  }
  return vvi_rules_apart(hypot(p->half[0], p->half[1]), length / (double)n);
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
  VV_TRY(vvi_sheet_prism(&k->scratch, p, b->breaks, mover + p->node, part));
  part->body.apart = apart_along(k, p, mover + p->node);
  return VV_OK;
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

/* One vertex, and a segment from it to itself; of tips that sleep, as many as there are. */
static vv_status tip_part(builder *k, const vv_block *b, int32_t local, vvi_sheet_part *part)
{
  const int32_t n = vvi_patch_sleeps(&b->patch[local]) ? (int32_t)b->patch[local].nodes : 1;
  if ((b->claims & VV_FLAT) == 0)
    return vvi_fail(k->m->ctx, VV_UNSUPPORTED, "tips of kind %s do not move straight", b->kind->name);
  int32_t *corner = VVI_ARENA_NEW(&k->scratch, int32_t, 3 * n);
  double *x = VVI_ARENA_NEW(&k->scratch, double, 3 * n), *inverse = VVI_ARENA_NEW(&k->scratch, double, n), a[6];
  unsigned char *held = VVI_ARENA_NEW(&k->scratch, unsigned char, n);
  if (corner == NULL || x == NULL || inverse == NULL || held == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < n; i++) {
    const vv_point pt = {.patch = local, .xi = {(double)i}};
    b->kind->surface(b, k->q + b->q0, 1, &pt, x + 3 * i);
    b->kind->inverse_mass(b, k->q + b->q0, 1, &pt, a);
    inverse[i] = a[0] + a[1] + a[2];
    corner[3 * i] = corner[3 * i + 1] = i, corner[3 * i + 2] = -1;
    held[i] = 15; /* but along its line */
  }
  part->body.carrier = VVI_CARRY_FRAMES;
  part->body.tip = &b->patch[local];
  part->body.length = length_behind(k, b, part->body.tip);
  part->body.movers = part->vertices = part->elements = n;
  part->element = corner, part->x = x, part->inverse = inverse, part->held = held;
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

/* What faces and edges meet of an obstacle.  An endless one ends where nothing comes; rounding grows with its length. */
static vv_status form_part(builder *k, const vv_patch *p, vvi_sheet_part *part)
{
  const vv_solid *solid;
  VV_TRY(vvi_obstacle_solid(k->m, p, &solid));
  return vvi_sheet_form(&k->scratch, solid, k->m->reach + LENGTHS * k->m->length_scale, part);
}

/* Enough for the largest block. */
static vv_status make_zero(builder *k)
{
  int64_t most = 0;
  for (int i = 0; i < k->m->n_block; i++) {
    const int64_t q = vvi_block_reals(&k->m->block[i], VVI_PLACES), p = vvi_block_reals(&k->m->block[i], VVI_MOMENTA);
    most = q > most ? q : most, most = p > most ? p : most;
  }
  k->zero = VVI_ARENA_NEW(&k->scratch, double, most + 1);
  return k->zero == NULL ? VV_NOMEM : VV_OK;
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
    switch (vvi_sheet_shape_of(p)) {
    case VVI_SHAPE_OBSTACLE:
      if (k->meets->form[i])
        VV_TRY(form_part(k, p, &part[i]));
      else
        part[i].body.obstacle = p;
      break;
    case VVI_SHAPE_RIGID:
      VV_TRY(rigid_part(k, b, i, &part[i]));
      break;
    case VVI_SHAPE_TIP:
      VV_TRY(tip_part(k, b, local, &part[i]));
      break;
    case VVI_SHAPE_CORNERED:
      VV_TRY(cornered_part(k, b, local, &part[i]));
      break;
    case VVI_SHAPE_SURFACE:
      VV_TRY(surface_part(k, b, local, &part[i]));
      break;
    default:
      VV_TRY(curve_part(k, b, local, &part[i]));
    }
  }
  return VV_OK;
}

/* The paper's step knows surfaces of nodes, and three of the projections. */
static vv_status refuse_projection(const builder *k, int32_t a, int32_t b, int32_t rule)
{
  const struct vvi_sheets *s = k->sheets;
  const vvi_projection how = s->rule[rule].projection;
  const vv_patch *x = vvi_model_patch(k->m, k->patch[a]), *y = vvi_model_patch(k->m, k->patch[b]);
  const bool fit = is_surface(x) && is_surface(y) && !s->body[a].loose && !s->body[b].loose;
  if (how == VVI_ANTICIPATE || (fit && how != VVI_KEPT && how != VVI_RECOMPUTED)) return VV_OK;
  return vv_complain(k->rules->rule[rule].group, "projection",
                     fit ? "surfaces know 'anticipate', 'none', 'paper', 'predictor' and 'half-step'"
                         : "only surfaces that meet in their control mesh can be projected; use 'anticipate'");
}

static vv_status refuse_projections(const builder *k)
{
  const struct vvi_sheets *s = k->sheets;
  for (int32_t a = 0; s->projection != VVI_ANTICIPATE && a < s->n_body; a++)
    for (int32_t b = a; b < s->n_body; b++) {
      const int32_t rule = s->rule_of(s->meets, a, b);
      if (rule >= 0) VV_TRY(refuse_projection(k, a, b, rule));
    }
  return VV_OK;
}

/* ---- the start ---- */

static const char *name_of(const builder *k, int32_t sheet_body)
{
  return k->m->body[k->sheets->body[sheet_body].body].name;
}

typedef struct crossing {
  const struct vvi_sheets *sheets;
  int32_t a, b; /* triangles; -1: none */
} crossing;

/* Corners of an element; a segment ends twice in its second one: a triangle with one edge. */
static bool corners_of(const struct vvi_sheets *s, int32_t e, int32_t v[3])
{
  memcpy(v, s->element + 3 * (int64_t)e, 3 * sizeof *v);
  if (v[2] < 0) v[2] = v[1];
  return v[1] >= 0;
}

/* The corners of an element.  What lies on an obstacle does not intersect it: that is taken a little smaller. */
static void place_corners(const struct vvi_sheets *s, const int32_t v[3], double x[3][3])
{
  const vvi_sheet_body *b = &s->body[s->body_of[v[0]]];
  double middle[3] = {0, 0, 0};
  for (int i = 0; i < 3; i++) memcpy(x[i], s->fixed + 3 * (int64_t)v[i], sizeof x[i]);
  for (int32_t i = 0; b->form && i < b->vertices; i++)
    for (int c = 0; c < 3; c++) middle[c] += s->fixed[3 * (int64_t)(b->vertex0 + i) + c] / b->vertices;
  for (int i = 0; b->form && i < 9; i++) x[i / 3][i % 3] -= 1e-9 * (x[i / 3][i % 3] - middle[i % 3]);
}

static void cross(void *user, int32_t e, int32_t f)
{
  crossing *k = user;
  int32_t s[3], t[3];
  double at[6][3];
  if (k->a >= 0 || !corners_of(k->sheets, e, s) || !corners_of(k->sheets, f, t)) return;
  for (int i = 0; i < 9; i++)
    if (s[i / 3] == t[i % 3]) return;
  if (vvi_sheet_neighbours(k->sheets, 3, s, 3, t)) return;
  place_corners(k->sheets, s, at);
  place_corners(k->sheets, t, at + 3);
  const double *const x[3] = {at[0], at[1], at[2]}, *const y[3] = {at[3], at[4], at[5]};
  if (vvi_triangles_intersect(x, y, 0.0)) k->a = e, k->b = f;
}

/* Triangles that already intersect cannot be told apart from those that will never. */
static vv_status refuse_intersections(const builder *k, vvi_sheet_search *w)
{
  const struct vvi_sheets *s = k->sheets;
  crossing found = {.sheets = s, .a = -1};
  for (int32_t i = 0; i < s->n_cluster; i++) vvi_sheet_refit(w, i), w->fresh[i] = 1;
  for (int32_t i = 0; i < w->n_list && found.a < 0; i++) vvi_sheet_overlaps(w, w->order[i], cross, &found);
  if (found.a < 0) return VV_OK;
  const int32_t *corner = s->element + 3 * (int64_t)found.a;
  const int32_t a = s->body_of[corner[0]], b = s->body_of[s->element[3 * (int64_t)found.b]];
  const vv_group *place = k->m->body[s->body[b].body].group;
  const double *x = s->fixed + 3 * (int64_t)corner[0];
  if (a == b)
    return vv_complain(place, NULL, "'%s' intersects itself at the start, near (%.4g, %.4g, %.4g)", name_of(k, b), x[0],
                       x[1], x[2]);
  return vv_complain(place, NULL, "'%s' and '%s' intersect at the start, near (%.4g, %.4g, %.4g); move one of them",
                     name_of(k, a), name_of(k, b), x[0], x[1], x[2]);
}

/* A surface that starts within a rigid body would never come out. */
static vv_status refuse_swallowed(builder *k, const vvi_sheet_search *w)
{
  const struct vvi_sheets *s = k->sheets;
  for (int32_t i = 0; i < w->n_list; i++) {
    const vvi_sheet_list *l = &w->list[w->order[i]];
    const vvi_sheet_cluster *x = &s->cluster[l->a], *y = &s->cluster[l->b];
    const vvi_sheet_cluster *rigid = s->body[x->body].rigid ? x : y, *other = rigid == x ? y : x;
    const vvi_sheet_body *b = &s->body[rigid->body];
    if (!b->rigid || b->shares > 0 || vvi_model_patch(k->m, b->patch)->solid->hollow) continue;
    vvi_pose pose;
    double n[3];
    pose_of(&movers_of(k, b->block)[b->node0], &pose);
    const double *v = s->fixed + 3 * (int64_t)s->cluster_vertex[other->vertex0];
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
    if (b->carrier != VVI_CARRY_NONE) w->motion.at[i] = vvi_points_of(b->block, b->node0, k->q, NULL, NULL);
    for (int32_t n = 0; b->turns && n < b->movers; n++) {
      const vv_mover *m = &movers_of(k, b->block)[b->node0 + n];
      memcpy(w->motion.frame[b->mover0 + n].place, m->place, sizeof m->place);
      memcpy(w->motion.frame[b->mover0 + n].turn, m->turn, sizeof m->turn);
    }
    if (b->turns) continue;
    for (int32_t v = b->vertex0; b->carrier == VVI_CARRY_FRAMES && v < b->vertex0 + b->vertices; v++)
      memcpy(w->motion.frame[s->mover[v]].place, s->fixed + 3 * (int64_t)v, 3 * sizeof(double));
  }
  for (int32_t i = 0; i < s->n_rule; i++) w->margin[i] = 0.01 * s->edge_length;
  vvi_sheet_forget(w);
}

/* Both triangles at an edge lie in one plane: it is none. */
static bool is_flat(const struct vvi_sheets *s, int32_t edge)
{
  double d[3][3], across[3];
  const double *x = s->fixed + 3 * (int64_t)s->edge[2 * edge];
  const int32_t v[3] = {s->edge[2 * edge + 1], s->side[2 * edge], s->side[2 * edge + 1]};
  if (v[1] < 0 || v[2] < 0) return false;
  for (int i = 0; i < 9; i++) d[i / 3][i % 3] = s->fixed[3 * (int64_t)v[i / 3] + i % 3] - x[i % 3];
  vvi_cross3(d[0], d[1], across);
  return fabs(vvi_dot3(across, d[2])) <= 1e-9 * vvi_norm3(across) * vvi_norm3(d[2]);
}

/* What lies on an obstacle may, by its vertices; with an edge or face over an edge or corner of it no direction leads out. */
static bool sticks_out(const vvi_sheet_search *w, const vvi_sheet_near *near)
{
  const struct vvi_sheets *s = w->sheets;
  const int32_t e = -1 - near->a;
  vvi_closest at;
  vvi_sheet_closest(&w->motion, near->a, near->b, false, &at);
  if (vvi_sheet_is_vertex(&w->motion, near->a, near->b, &at)) return false;
  return near->a >= 0 || !is_flat(s, s->body[s->body_of[s->edge[2 * e]]].form ? e : near->b);
}

/* Distances at the start: negative ones (into a thickness, into an obstacle) are refused, the smallest bounds the margin.
 * Surfaces that lie on each other have no direction that leads from one to the other; tips on a line have. */
static vv_status judge(const builder *k, const vvi_sheet_search *w, const vvi_sheet_near *near)
{
  struct vvi_sheets *s = k->sheets;
  const vvi_sheet_list *l = &w->list[near->couple];
  const int32_t a = s->cluster[l->a].body, b = s->cluster[l->b].body;
  const vv_group *place = k->m->body[s->body[a].body].group;
  int32_t v[4];
  const bool tips = vvi_sheet_vertices(s, near->a, near->b, v) == 2;
  if (!tips) s->closest = fmin(s->closest, near->d);
  if (near->d < (tips ? -1e-12 * k->m->length_scale : 0.0))
    return vv_complain(place, NULL, "'%s' and '%s' overlap by %.4g at the start; move one of them", name_of(k, a),
                       name_of(k, b), -near->d);
  const bool form = s->body[a].form || s->body[b].form;
  if (!tips && near->d + l->offset < 1e-9 * l->edge && s->body[b].obstacle == NULL && (!form || sticks_out(w, near)))
    return vv_complain(place, NULL, "'%s' and '%s' touch at the start; leave a little room between them", name_of(k, a),
                       name_of(k, b));
  return VV_OK;
}

static int by_bodies(const void *x, const void *y)
{
  const vvi_sheet_apart *p = x, *q = y;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  if (p->b != q->b) return p->b < q->b ? -1 : 1;
  return p->d < q->d ? -1 : p->d > q->d;
}

/* Of every two bodies the least distance. */
static vv_status list_apart(builder *k, const vvi_sheet_search *w)
{
  struct vvi_sheets *s = k->sheets;
  if ((s->apart = VVI_ARENA_NEW(&k->m->arena, vvi_sheet_apart, w->n_near + 1)) == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < w->n_near; i++) {
    const vvi_sheet_list *l = &w->list[w->near[i].couple];
    const int32_t x = s->cluster[l->a].body, y = s->cluster[l->b].body;
    int32_t v[4];
    if (vvi_sheet_vertices(s, w->near[i].a, w->near[i].b, v) == 2) continue; /* tips on a line have a direction */
    s->apart[s->n_apart++] = (vvi_sheet_apart){.a = x < y ? x : y, .b = x < y ? y : x, .d = w->near[i].d};
  }
  qsort(s->apart, (size_t)s->n_apart, sizeof *s->apart, by_bodies);
  int64_t n = 0;
  for (int64_t i = 0; i < s->n_apart; i++)
    if (n == 0 || s->apart[i].a != s->apart[n - 1].a || s->apart[i].b != s->apart[n - 1].b) s->apart[n++] = s->apart[i];
  s->n_apart = n;
  return VV_OK;
}

static vv_status measure_start(builder *k)
{
  struct vvi_sheets *s = k->sheets;
  vvi_sheet_search *w;
  VV_TRY(vvi_sheet_search_create(s, &k->scratch, vv_ctx_threads(k->m->ctx), VVI_SHEET_SKIN * s->edge_length, &w));
  stand_still(k, w);
  if (!vvi_sheet_candidates(w)) return VV_NOMEM;
  VV_TRY(refuse_intersections(k, w));
  VV_TRY(refuse_swallowed(k, w));
  if (!vvi_sheet_collect(w))
    return vvi_fail(k->m->ctx, VV_SCENE, "%s: surfaces lie too close together to list their contacts", k->m->source);
  for (int32_t i = 0; i < w->n_near; i++) VV_TRY(judge(k, w, &w->near[i]));
  VV_TRY(list_apart(k, w));
  return vvi_sheet_start_keep(w, &k->m->arena, s);
}

static vv_status make_sheets(builder *k)
{
  vvi_sheet_part *part = VVI_ARENA_NEW(&k->scratch, vvi_sheet_part, k->n);
  if (part == NULL) return VV_NOMEM;
  VV_TRY(make_zero(k));
  VV_TRY(fill_parts(k, part));
  VV_TRY(vvi_sheets_assemble(&k->m->arena, k->n, part, k->sheets));
  take_rules(k);
  VV_TRY(vvi_sheets_divide(&k->m->arena, k->sheets, VVI_SHEET_CLUSTER));
  VV_TRY(refuse_projections(k));
  return measure_start(k);
}

static vv_status assemble(builder *k)
{
  const bool known = vvi_is_prepared(k->m->ctx);
  if ((k->sheets = VVI_ARENA_NEW(&k->m->arena, struct vvi_sheets, 1)) == NULL) return VV_NOMEM;
  if (!known) VV_TRY(make_sheets(k));
  VV_TRY(vvi_sheets_keep(k->m, k->sheets));
  if (known) take_rules(k);
  k->m->sheets = k->sheets;
  return VV_OK;
}

/* Does an obstacle reach between the vertices of what meets it?  What is free inside of it, or flat, does not. */
static bool has_form(const builder *k, const vv_patch *p)
{
  const bool flat = p->type == VV_PATCH_PLANE;
  return k->faces && vvi_sheet_shape_of(p) == VVI_SHAPE_OBSTACLE && !flat && !p->inside;
}

/* The bodies of a patch: rigid ones have several copies, and each several parts; obstacles have a mesh behind them. */
static void list_patch(builder *k, int32_t patch, int64_t *n)
{
  const vv_patch *p = vvi_model_patch(k->m, patch);
  const int shells = is_rigid(p) ? vvi_sheet_shells_of(p->solid) : 1;
  const int64_t bodies = is_rigid(p) ? p->nodes * shells : 1 + has_form(k, p);
  for (int64_t i = 0; k->patch != NULL && i < bodies; i++) {
    k->patch[*n + i] = patch, k->copy[*n + i] = is_rigid(p) ? (int32_t)(i / shells) : 0;
    k->meets->form[*n + i] = !is_rigid(p) && i > 0;
  }
  *n += bodies;
}

static vv_status list_bodies(builder *k)
{
  int64_t n = 0;
  bool *takes_part = VVI_ARENA_NEW(&k->scratch, bool, k->m->n_patch + 1);
  k->used = VVI_ARENA_NEW(&k->scratch, bool, k->rules->n + 1);
  if (takes_part == NULL || k->used == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < k->m->n_patch; i++) {
    takes_part[i] = vvi_sheet_meets_any(k->meets, i, k->used);
    k->faces |= takes_part[i] && vvi_sheet_has_faces(vvi_model_patch(k->m, i));
  }
  for (int pass = 0; pass < 2; pass++) {
    n = 0;
    for (int32_t i = 0; i < k->m->n_patch; i++)
      if (takes_part[i]) list_patch(k, i, &n);
    if (n > INT32_MAX / 64) return vvi_fail(k->m->ctx, VV_UNSUPPORTED, "too many shapes to meet");
    if (pass == 0) k->patch = VVI_ARENA_NEW(&k->m->arena, int32_t, n), k->copy = VVI_ARENA_NEW(&k->scratch, int32_t, n);
    if (pass == 0) k->meets->form = VVI_ARENA_NEW(&k->m->arena, bool, n);
    if (k->patch == NULL || k->copy == NULL || k->meets->form == NULL) return VV_NOMEM;
  }
  k->n = (int32_t)n;
  k->meets->patch = k->patch;
  k->mover = VVI_ARENA_NEW(&k->scratch, vv_mover *, k->m->n_block);
  return k->mover == NULL ? VV_NOMEM : VV_OK;
}

vv_status vvi_sheets_build(vv_model *m, const vvi_rules *rules, const double *q)
{
  builder k = {.m = m, .rules = rules, .q = q};
  vv_status status = vvi_sheet_meets_create(&m->arena, m, rules, q, &k.meets);
  if (status == VV_OK) status = vvi_sheet_meets_refuse(k.meets);
  if (status == VV_OK) status = list_bodies(&k);
  if (status == VV_OK && k.n > 0) status = assemble(&k);
  vvi_arena_free(&k.scratch);
  return status;
}
