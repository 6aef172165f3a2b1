/* contact/crowd.c  The curves that can meet, and their candidate list. */
#include "contact/crowd.h"

#include "contact/gap.h"
#include "math/math.h"

#include <string.h>

/* ---- the frozen part ---- */

static bool is_round(const vv_patch *p)
{
  return p->type == VV_PATCH_CURVE && p->corners == 1 && p->radius > 0.0;
}

static bool has_corners(const vv_patch *p)
{
  return p->type == VV_PATCH_CURVE && p->corners == 4;
}

/* Index of the line that speaks for two bodies; -1: they pass. */
static int32_t rule_of(const struct vvi_crowd *c, int32_t body_a, int32_t body_b)
{
  const vv_group *g = vvi_rules_find(&c->rules, body_a, body_b);
  if (g == NULL) return -1;
  for (int32_t i = 0; i < c->rules.n; i++) {
    if (c->rule[i].group != g) continue;
    const bool named = c->rules.rule[i].a >= 0;
    return c->rule[i].none || (body_a == body_b && !named && !c->rule[i].self) ? -1 : i;
  }
  return -1;
}

static vv_status read_rules(vv_model *m, struct vvi_crowd *c, const vvi_rules *rules)
{
  c->rules = *rules;
  if ((c->rule = VVI_ARENA_NEW(&m->arena, vvi_crowd_rule, rules->n + 1)) == NULL) return VV_NOMEM;
  for (int i = 0; i < rules->n; i++) {
    const vv_group *g = rules->rule[i].group;
    c->rule[i] = (vvi_crowd_rule){.group = g,
                                  .none = vv_is(g, "response", "none"),
                                  .self = vv_boolean(g, "self"),
                                  .restitution = vv_number(g, "restitution"),
                                  .friction = vv_number(g, "friction")};
  }
  return VV_OK;
}

/* Sections with corners meet other curves as surfaces do (contact/sheets), or not: say so where a line asks for it. */
static vv_status refuse_corners(const vv_model *m, const struct vvi_crowd *c)
{
  for (int32_t i = 0; i < m->n_patch; i++)
    for (int32_t j = 0; j <= i; j++) {
      const vv_patch *a = vvi_model_patch(m, j), *b = vvi_model_patch(m, i);
      const bool both = (has_corners(a) || is_round(a)) && (has_corners(b) || is_round(b));
      if (!both || (!has_corners(a) && !has_corners(b)) || rule_of(c, a->body, b->body) < 0) continue;
      if (i != j && vvi_rules_general_pair(&c->rules, a->body, b->body)) continue;
      const vv_group *place = m->body[(has_corners(a) ? a : b)->body].group;
      if (i == j) return vv_complain(place, "section", "only a round section can meet itself; use a circle or a tube");
      return vv_complain(place, "section",
                         "'%s' and '%s' would meet, which only round sections can; use a circle or a tube, or set "
                         "'search: general' or 'response: none' between the two",
                         m->body[a->body].name, m->body[b->body].name); /* once: a scene may have thousands */
    }
  return VV_OK;
}

static vv_status refuse_projections(const struct vvi_crowd *c)
{
  vv_status status = VV_OK;
  for (int i = 0; i < c->rules.n; i++)
    if (vvi_rules_projection(c->rule[i].group) != VVI_ANTICIPATE && !c->rule[i].none)
      status = vv_complain(c->rule[i].group, "projection", "beams that meet each other only know 'anticipate'");
  return status;
}

/* A curve takes part if some rule lets it meet a round curve. */
static bool takes_part(const vv_model *m, struct vvi_crowd *c, int32_t patch)
{
  const vv_patch *a = vvi_model_patch(m, patch);
  bool found = false;
  for (int32_t i = 0; is_round(a) && i < m->n_patch; i++) {
    const vv_patch *b = vvi_model_patch(m, i);
    const int32_t rule = is_round(b) ? rule_of(c, a->body, b->body) : -1;
    if (rule < 0) continue;
    found = true;
    c->between |= i != patch;
    c->loses |= c->rule[rule].restitution < 1.0;
    c->rough |= c->rule[rule].friction > 0.0;
  }
  return found;
}

/* A bend of the radius of the section is half a turn long: what lies further along the curve can meet.       [contact 10] */
static int32_t apart_of(const vvi_curve *k, const double *q)
{
  const int64_t n = k->shape->nodes;
  double x[2][3], length = 0.0;
  for (int64_t i = 0; i < k->segments; i++) {
    const vv_point pt[2] = {{.patch = k->local, .xi = {(double)i}}, {.patch = k->local, .xi = {(double)((i + 1) % n)}}};
    k->block->kind->surface(k->block, q + k->block->q0, 2, pt, x[0]);
    for (int c = 0; c < 3; c++) x[0][c] -= x[1][c];
    length += vvi_norm3(x[0]);
  }
  const double count = ceil(VV_PI * 2.0 * k->shape->radius * k->segments / length) + 2.0;
  return count < 1e9 ? (int32_t)count : 1000000000;
}

/* What of a node is held shows in its inverse mass, at the centroid and at the end of an arm. */
static unsigned char held_of(const vvi_curve *k, int64_t i, const double *q)
{
  const vv_point pt[2] = {{.patch = k->local, .xi = {(double)i}},
                          {.patch = k->local, .xi = {(double)i}, .arm = {1.0, 2.0, 3.0}}};
  double a[2][6];
  k->block->kind->inverse_mass(k->block, q + k->block->q0, 2, pt, a[0]);
  const bool place = a[0][0] == 0.0, frame = a[1][0] == a[0][0] && a[1][1] == a[0][1] && a[1][2] == a[0][2];
  return (unsigned char)((place ? VVI_HELD_PLACE : 0) | (frame ? VVI_HELD_FRAME : 0));
}

static void fill_curve(struct vvi_crowd *c, int32_t i, const double *q)
{
  const vvi_curve *k = &c->curve[i];
  const int32_t n = (int32_t)k->shape->nodes;
  for (int32_t j = 0; j < n; j++) c->curve_of_node[k->node0 + j] = i, c->held[k->node0 + j] = held_of(k, j, q);
  for (int32_t j = 0; j < k->segments; j++) {
    c->curve_of[k->segment0 + j] = i;
    c->end[2 * (k->segment0 + j)] = k->node0 + j;
    c->end[2 * (k->segment0 + j) + 1] = k->node0 + (j + 1) % n;
  }
}

static vv_status fill(vv_model *m, struct vvi_crowd *c, const double *q)
{
  int32_t n = 0;
  for (int32_t i = 0; i < m->n_patch; i++) {
    c->curve_of_patch[i] = -1;
    if (!takes_part(m, c, i)) continue;
    vvi_curve *k = &c->curve[n];
    *k = (vvi_curve){.patch = i, .node0 = c->n_node, .segment0 = c->n_segment};
    k->block = vvi_model_patch_block(m, i, &k->local);
    k->shape = &k->block->patch[k->local];
    if (k->shape->nodes > INT32_MAX / 4 - c->n_node) return vvi_fail(m->ctx, VV_UNSUPPORTED, "too many nodes to meet");
    k->segments = (int32_t)(k->shape->nodes - !k->shape->closed);
    k->apart = rule_of(c, k->shape->body, k->shape->body) < 0 ? 0 : apart_of(k, q);
    c->n_node += (int32_t)k->shape->nodes;
    c->n_segment += k->segments;
    c->radius = fmax(c->radius, k->shape->radius);
    c->curve_of_patch[i] = n++;
  }
  c->n_curve = n;
  c->curve_of = VVI_ARENA_NEW(&m->arena, int32_t, 3 * (int64_t)c->n_segment + 1);
  c->curve_of_node = VVI_ARENA_NEW(&m->arena, int32_t, c->n_node + 1);
  c->held = VVI_ARENA_NEW(&m->arena, unsigned char, c->n_node + 1);
  if (c->curve_of == NULL || c->curve_of_node == NULL || c->held == NULL) return VV_NOMEM;
  c->end = c->curve_of + c->n_segment;
  for (int32_t i = 0; i < n; i++) fill_curve(c, i, q);
  return VV_OK;
}

static vv_status refuse_overlap(const vv_model *m, const vvi_near *w)
{
  const struct vvi_crowd *c = w->crowd;
  for (int64_t i = 0; i < w->n; i++) {
    const vvi_candidate *k = &w->list[i];
    const vvi_curve *a = vvi_crowd_curve(c, k->a), *b = vvi_crowd_curve(c, k->b);
    if (k->gap >= -1e-12 * m->length_scale) continue;
    const vv_group *place = vv_given(m->root, "contacts") ? c->rule[k->rule].group : m->body[b->shape->body].group;
    if (a == b)
      return vv_complain(place, NULL, "'%s' overlaps itself by %g at the start, behind its nodes %d and %d",
                         m->body[a->shape->body].name, -k->gap, k->a - a->segment0, k->b - b->segment0);
    return vv_complain(
        place, NULL, "'%s' (behind node %d) and '%s' (behind node %d) overlap by %g at the start; move one of them",
        m->body[a->shape->body].name, k->a - a->segment0, m->body[b->shape->body].name, k->b - b->segment0, -k->gap);
  }
  return VV_OK;
}

static vv_status check_start(const vv_model *m, const double *q)
{
  vvi_arena arena = {0};
  vvi_near *w = NULL;
  vv_status status = vvi_near_create(m, &arena, &w);
  if (status == VV_OK) {
    vvi_near_place(w, q, w->x);
    memcpy(w->end, w->x, sizeof(double) * 3 * (size_t)m->crowd->n_node);
    vvi_near_measure(w);
    status = vvi_near_refresh(w) ? refuse_overlap(m, w)
                                 : vvi_fail(m->ctx, VV_SCENE,
                                            "%s: beams lie too close together to list their contacts; "
                                            "use fewer elements",
                                            m->source);
  }
  vvi_arena_free(&arena);
  return status;
}

vv_status vvi_crowd_build(vv_model *m, const vvi_rules *rules, const double *q)
{
  struct vvi_crowd *c = VVI_ARENA_NEW(&m->arena, struct vvi_crowd, 1);
  if (c == NULL) return VV_NOMEM;
  VV_TRY(read_rules(m, c, rules));
  VV_TRY(refuse_corners(m, c));
  c->curve = VVI_ARENA_NEW(&m->arena, vvi_curve, m->n_patch + 1);
  c->curve_of_patch = VVI_ARENA_NEW(&m->arena, int32_t, m->n_patch + 1);
  if (c->curve == NULL || c->curve_of_patch == NULL) return VV_NOMEM;
  VV_TRY(fill(m, c, q));
  if (c->n_curve == 0) return VV_OK;
  VV_TRY(refuse_projections(c));
  m->crowd = c;
  return check_start(m, q);
}

/* ---- places ---- */

enum { ROOM = 64 }; /* candidates per segment */

vv_status vvi_near_create(const vv_model *m, vvi_arena *arena, vvi_near **out)
{
  const struct vvi_crowd *c = m->crowd;
  vvi_near *w = *out = VVI_ARENA_NEW(arena, vvi_near, 1);
  if (w == NULL) return VV_NOMEM;
  w->crowd = c;
  w->room = ROOM * (int64_t)c->n_segment + 4096;
  for (w->buckets = 64; w->buckets < 2 * (int64_t)c->n_segment; w->buckets *= 2) {
  }
  w->smallest = 0.5 * c->radius;
  w->x = VVI_ARENA_NEW(arena, double, 10 * (int64_t)c->n_node);
  w->point = VVI_ARENA_NEW(arena, vv_point, c->n_node);
  w->list = VVI_ARENA_NEW(arena, vvi_candidate, w->room);
  w->cell = VVI_ARENA_NEW(arena, int64_t, 3 * (int64_t)c->n_segment);
  w->head = VVI_ARENA_NEW(arena, int32_t, w->buckets + c->n_segment);
  if (w->x == NULL || w->point == NULL || w->list == NULL || w->cell == NULL || w->head == NULL) return VV_NOMEM;
  w->end = w->x + 3 * (int64_t)c->n_node, w->ref = w->end + 3 * (int64_t)c->n_node;
  w->moved = w->ref + 3 * (int64_t)c->n_node, w->next = w->head + w->buckets;
  for (int32_t i = 0; i < c->n_node; i++) {
    const vvi_curve *k = &c->curve[c->curve_of_node[i]];
    w->point[i] = (vv_point){.patch = k->local, .xi = {(double)(i - k->node0)}};
  }
  return VV_OK;
}

void vvi_near_place(const vvi_near *w, const double *q, double *x)
{
  const struct vvi_crowd *c = w->crowd;
  for (int32_t i = 0; i < c->n_curve; i++) {
    const vvi_curve *k = &c->curve[i];
    k->block->kind->surface(k->block, q + k->block->q0, (int)k->shape->nodes, w->point + k->node0, x + 3 * k->node0);
  }
}

void vvi_near_measure_node(vvi_near *w, int32_t i)
{
  double now[3], later[3];
  for (int c = 0; c < 3; c++)
    now[c] = w->x[3 * i + c] - w->ref[3 * i + c], later[c] = w->end[3 * i + c] - w->ref[3 * i + c];
  w->moved[i] = sqrt(fmax(vvi_dot3(now, now), vvi_dot3(later, later)));
}

void vvi_near_measure(vvi_near *w)
{
  for (int32_t i = 0; i < w->crowd->n_node; i++) vvi_near_measure_node(w, i);
}

vv_point vvi_crowd_point(const struct vvi_crowd *c, int32_t segment, double s)
{
  const vvi_curve *k = vvi_crowd_curve(c, segment);
  double at = (double)(segment - k->segment0) + s;
  if (at >= (double)k->shape->nodes) at = 0.0; /* once around */
  return (vv_point){.patch = k->local, .xi = {at}};
}

/* ---- gaps ---- */

static void segment_at(const vvi_near *w, int32_t segment, double time, double x[2][3])
{
  for (int e = 0; e < 2; e++) {
    const int64_t i = 3 * (int64_t)w->crowd->end[2 * segment + e];
    for (int c = 0; c < 3; c++) x[e][c] = (1.0 - time) * w->x[i + c] + time * w->end[i + c];
  }
}

static double radii(const vvi_near *w, int32_t a, int32_t b)
{
  return vvi_crowd_curve(w->crowd, a)->shape->radius + vvi_crowd_curve(w->crowd, b)->shape->radius;
}

double vvi_near_gap(const vvi_near *w, int32_t a, int32_t b)
{
  double x[2][3], y[2][3], s, t;
  segment_at(w, a, 0.0, x);
  segment_at(w, b, 0.0, y);
  return vvi_segment_distance((const double(*)[3])x, (const double(*)[3])y, &s, &t) - radii(w, a, b);
}

static double gap_at(const vvi_near *w, int32_t a, int32_t b, double time, vvi_meeting *m)
{
  double x[2][3], y[2][3], d[3];
  segment_at(w, a, time, x);
  segment_at(w, b, time, y);
  const double distance = vvi_segment_distance((const double(*)[3])x, (const double(*)[3])y, &m->s, &m->t);
  for (int c = 0; c < 3; c++) d[c] = (1.0 - m->t) * y[0][c] + m->t * y[1][c] - (1.0 - m->s) * x[0][c] - m->s * x[1][c];
  for (int c = 0; c < 3; c++) m->n[c] = distance > 0.0 ? d[c] / distance : (double)(c == 2);
  m->time = time;
  return distance - radii(w, a, b);
}

/* Largest relative displacement of any two points of the segments in the drift. */
static double relative_motion(const vvi_near *w, int32_t a, int32_t b)
{
  double most = 0.0;
  for (int e = 0; e < 4; e++) {
    const int64_t i = 3 * (int64_t)w->crowd->end[2 * a + e / 2], j = 3 * (int64_t)w->crowd->end[2 * b + e % 2];
    double d[3];
    for (int c = 0; c < 3; c++) d[c] = (w->end[j + c] - w->x[j + c]) - (w->end[i + c] - w->x[i + c]);
    most = fmax(most, vvi_dot3(d, d));
  }
  return sqrt(most);
}

/* The drift is looked at so finely that nothing moves by more than a quarter of the diameters between two looks: thin
 * curves cannot pass through each other unseen.  The first touch is bracketed, and taken from the side where the gap is not
 * negative.                                                                                                [contact 12] */
bool vvi_near_meets(const vvi_near *w, int32_t a, int32_t b, vvi_meeting *out)
{
  vvi_meeting at, good;
  const double far = relative_motion(w, a, b), sum = radii(w, a, b), first = gap_at(w, a, b, 0.0, &good);
  if (!(first < far)) return false;
  const double looks = fmin(1.0 + floor(far / (0.5 * sum)), 1e4);
  double lo = 0.0, hi = 0.0, glo = first, ghi = 0.0;
  for (double k = 1.0; k <= looks && !(ghi < 0.0); k += 1.0) {
    const double g = gap_at(w, a, b, k / looks, &at);
    hi = k / looks, ghi = g;
    if (!(g < 0.0)) lo = hi, glo = g, good = at;
  }
  if (!(ghi < 0.0)) return false;
  const double late = hi, gap = ghi;
  for (int it = 0; it < 30 && glo > 1e-9 * sum; it++) {
    const double cut = lo + (hi - lo) * glo / (glo - ghi), mid = it % 3 == 2 ? 0.5 * (lo + hi) : cut;
    const double g = gap_at(w, a, b, mid, &at);
    if (g < 0.0)
      hi = mid, ghi = g;
    else
      lo = mid, glo = g, good = at;
  }
  *out = good;
  out->late = late, out->gap = gap;
  return true;
}

/* ---- the list ---- */

/* Index of the rule of two segments, -1: they cannot meet. */
static int32_t may_meet(const struct vvi_crowd *c, int32_t a, int32_t b)
{
  const vvi_curve *x = vvi_crowd_curve(c, a), *y = vvi_crowd_curve(c, b);
  if (x != y) return rule_of(c, x->shape->body, y->shape->body);
  if (x->apart == 0) return -1;
  int32_t between = b - a;
  if (x->shape->closed && x->segments - between < between) between = x->segments - between;
  return between >= x->apart ? rule_of(c, x->shape->body, x->shape->body) : -1;
}

static bool near_at_start(const vvi_near *w, int32_t a, int32_t b, vvi_candidate *out)
{
  const double gap = vvi_near_gap(w, a, b);
  if (!(gap < w->skin)) return false;
  *out = (vvi_candidate){.a = a, .b = b, .rule = may_meet(w->crowd, a, b), .contact = -1, .gap = gap};
  return out->rule >= 0;
}

static uint64_t bucket_of(const vvi_near *w, const int64_t cell[3])
{
  uint64_t h = (uint64_t)cell[0] * 0x9e3779b97f4a7c15u ^ (uint64_t)cell[1] * 0xc2b2ae3d27d4eb4fu ^
               (uint64_t)cell[2] * 0x165667b19e3779f9u;
  h ^= h >> 29;
  return h & (uint64_t)(w->buckets - 1);
}

/* Cells so large that the middles of near segments lie in neighbouring cells. */
static double cell_size(const vvi_near *w)
{
  double longest = 0.0;
  for (int32_t i = 0; i < w->crowd->n_segment; i++) {
    double x[2][3];
    segment_at(w, i, 0.0, x);
    for (int c = 0; c < 3; c++) x[0][c] -= x[1][c];
    longest = fmax(longest, vvi_dot3(x[0], x[0]));
  }
  return (sqrt(longest) + 2.0 * w->crowd->radius + w->skin) * (1.0 + 1e-9);
}

static void fill_cells(vvi_near *w)
{
  const double size = cell_size(w);
  for (int64_t i = 0; i < w->buckets; i++) w->head[i] = -1;
  for (int32_t i = 0; i < w->crowd->n_segment; i++) {
    double x[2][3];
    segment_at(w, i, 0.0, x);
    for (int c = 0; c < 3; c++)
      w->cell[3 * (int64_t)i + c] = (int64_t)fmax(-1e15, fmin(1e15, floor(0.5 * (x[0][c] + x[1][c]) / size)));
    const uint64_t k = bucket_of(w, w->cell + 3 * (int64_t)i);
    w->next[i] = w->head[k], w->head[k] = i;
  }
}

/* Candidates of segment a with later ones in one cell, put in their order behind those since `first`. */
static bool search_cell(vvi_near *w, int32_t a, const int64_t cell[3], int64_t first)
{
  vvi_candidate c;
  for (int32_t b = w->head[bucket_of(w, cell)]; b >= 0; b = w->next[b]) {
    if (b <= a || memcmp(w->cell + 3 * (int64_t)b, cell, 3 * sizeof *cell) != 0 || !near_at_start(w, a, b, &c))
      continue;
    if (w->n == w->room) return false;
    int64_t k = w->n++;
    for (; k > first && w->list[k - 1].b > b; k--) w->list[k] = w->list[k - 1];
    w->list[k] = c;
  }
  return true;
}

static bool build(vvi_near *w)
{
  memcpy(w->ref, w->x, sizeof(double) * 3 * (size_t)w->crowd->n_node);
  w->n = 0;
  w->builds++;
  fill_cells(w);
  for (int32_t a = 0; a < w->crowd->n_segment; a++) {
    const int64_t *at = w->cell + 3 * (int64_t)a, first = w->n;
    for (int k = 0; k < 27; k++) {
      const int64_t cell[3] = {at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1};
      if (!search_cell(w, a, cell, first)) return false;
    }
  }
  return true;
}

int64_t vvi_near_all(const vvi_near *w, vvi_candidate *list, int64_t room)
{
  int64_t n = 0;
  for (int32_t a = 0; a < w->crowd->n_segment; a++)
    for (int32_t b = a + 1; b < w->crowd->n_segment; b++) {
      vvi_candidate c;
      if (!near_at_start(w, a, b, &c)) continue;
      if (n < room) list[n] = c;
      n++;
    }
  return n;
}

/* Complete: whoever meets in the drift was nearer than the skin at ref, because both have moved by less than half of it.
 *                                                                                                          [contact 18] */
bool vvi_near_refresh(vvi_near *w)
{
  double most = 0.0, stride = 0.0;
  for (int32_t i = 0; i < w->crowd->n_node; i++) {
    double d[3];
    for (int c = 0; c < 3; c++) d[c] = w->end[3 * (int64_t)i + c] - w->x[3 * (int64_t)i + c];
    most = fmax(most, w->moved[i]);
    stride = fmax(stride, vvi_dot3(d, d));
  }
  if (!isfinite(most) || !isfinite(stride)) return true; /* the run ends elsewhere */
  if (w->builds > 0 && most < 0.499 * w->skin) return true;
  w->skin = fmax(w->smallest, 5.0 * sqrt(stride));
  if (!build(w)) return false;
  vvi_near_measure(w);
  return true;
}

vvi_candidate *vvi_near_find(const vvi_near *w, int32_t a, int32_t b)
{
  int64_t lo = 0, hi = w->n;
  while (lo < hi) {
    const int64_t mid = lo + (hi - lo) / 2;
    const vvi_candidate *c = &w->list[mid];
    if (c->a < a || (c->a == a && c->b < b))
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < w->n && w->list[lo].a == a && w->list[lo].b == b ? &w->list[lo] : NULL;
}
