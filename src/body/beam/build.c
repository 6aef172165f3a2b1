/* body/beam/build.c  Reads the keys of a beam and computes masses, stiffnesses and the first state. */
#include "body/beam/beam.h"
#include "math/math.h"
#include "math/so3.h"
#include "model/bind.h"

#include <stdlib.h>
#include <string.h>

/* What both measure and fill must know of one beam. */
typedef struct beam_plan {
  int64_t elements, nodes;
  double length;
  double area, bending[2], rotary[3], torsion; /* m^2, m^4 */
} beam_plan;

/* ---- sections ---- */

static void ellipse(beam_plan *p, double outer, double inner)
{
  p->area = VV_PI * (outer - inner) * (outer + inner);
  p->bending[0] = p->bending[1] = 0.25 * p->area * (outer * outer + inner * inner);
}

static void section(const vv_group *g, beam_plan *p)
{
  const vv_group *s = vv_sub(g, "section");
  const char *word = vv_text(g, "section");
  const vv_group *stiffness = vv_sub(g, "stiffness");
  int n;
  if (strcmp(word, "square") == 0 || strcmp(word, "rectangle") == 0) {
    const bool square = word[0] == 's';
    const double w = vv_number(s, square ? "side" : "width"), t = square ? w : vv_number(s, "height");
    p->area = w * t;
    p->bending[0] = w * t * t * t / 12.0;
    p->bending[1] = t * w * w * w / 12.0;
  } else if (strcmp(word, "circle") == 0) {
    ellipse(p, vv_number(s, "radius"), 0.0);
  } else if (strcmp(word, "tube") == 0) {
    ellipse(p, vv_number(s, "radius"), vv_number(s, "inner"));
  } else {
    p->area = vv_number(s, "area");
    memcpy(p->bending, vv_numbers(s, "bending", &n), sizeof p->bending);
  }
  const double polar = p->bending[0] + p->bending[1];
  p->rotary[0] = p->bending[0], p->rotary[1] = p->bending[1], p->rotary[2] = polar;
  if (strcmp(word, "general") == 0 && vv_has(s, "rotary"))
    memcpy(p->rotary, vv_numbers(s, "rotary", &n), sizeof p->rotary);
  p->torsion = vv_has(stiffness, "torsion") ? vv_number(stiffness, "torsion") : polar;
}

/* Moments of inertia of a real body obey J1 + J2 >= J3 and so on. */
static bool triangle(const double j[3])
{
  const double slack = 1e-12 * (j[0] + j[1] + j[2]);
  return j[0] + j[1] - j[2] >= -slack && j[1] + j[2] - j[0] >= -slack && j[2] + j[0] - j[1] >= -slack;
}

/* Half the sides of a section with corners that can touch; false: it has none. */
static bool corners_of(const vv_group *g, double half[2])
{
  const vv_group *s = vv_sub(g, "section");
  const bool square = vv_is(g, "section", "square");
  if (vv_is(g, "touch", "centroid") || (!square && !vv_is(g, "section", "rectangle"))) return false;
  half[0] = 0.5 * vv_number(s, square ? "side" : "width");
  half[1] = square ? half[0] : 0.5 * vv_number(s, "height");
  return true;
}

static vv_status check_rounding(const vv_group *g)
{
  const double r = vv_number(g, "rounding");
  const vv_group *scene = g;
  double half[2];
  beam_inelastic law;
  if (r == 0.0) return VV_OK;
  while (scene->parent != NULL) scene = scene->parent;
  if (!corners_of(g, half))
    return vv_complain(g, "rounding", "is for rectangles and squares that touch with their section");
  if (r >= fmin(half[0], half[1]))
    return vv_complain(g, "rounding", "must be below %g, half the smaller side of the section", fmin(half[0], half[1]));
  if (vv_is(vv_sub(scene, "method"), "step", "event"))
    return vv_complain(g, "rounding", "belongs to leapfrog and energy-momentum; event knows corners");
  if (beam_law_read(g, &law) == VV_OK && law.damage > 0.0)
    return vv_complain(g, "rounding", "is for beams that do not break");
  return VV_OK;
}

static vv_status check_section(const vv_group *g)
{
  const vv_group *s = vv_sub(g, "section");
  int n;
  vv_status status = VV_OK;
  if (vv_is(g, "section", "tube") && vv_number(s, "inner") >= vv_number(s, "radius"))
    status = vv_complain(s, "inner", "must be below the outer radius %g", vv_number(s, "radius"));
  if (vv_is(g, "section", "general")) {
    vv_numbers(s, "bending", &n);
    if (n != 2) status = vv_complain(s, "bending", "has %d numbers; write two, about d1 and d2", n);
    const double *j = vv_has(s, "rotary") ? vv_numbers(s, "rotary", &n) : NULL;
    if (j != NULL && n != 3) status = vv_complain(s, "rotary", "has %d numbers; write three, about d1, d2 and d3", n);
    if (j != NULL && n == 3 && !triangle(j))
      status = vv_complain(s, "rotary", "no body has these moments: each must not exceed the sum of the other two");
  }
  if (check_rounding(g) != VV_OK) status = VV_SCENE;
  vv_numbers(vv_sub(g, "stiffness"), "shear", &n);
  if (n != 2) status = vv_complain(vv_sub(g, "stiffness"), "shear", "has %d numbers; write two, along d1 and d2", n);
  return status;
}

static vv_status check_masses(const vv_group *g)
{
  vv_status status = VV_OK;
  for (int i = 0; vv_has(g, "masses") && i < vv_count(g, "masses"); i++) {
    const vv_group *m = vv_item(g, "masses", i);
    int n;
    if (!triangle(vv_numbers(m, "inertia", &n)))
      status = vv_complain(m, "inertia", "no body has these moments: each must not exceed the sum of the other two");
  }
  return status;
}

/* Elements of different lengths have the same rest strains only where they are straight.                     [grids 10] */
static vv_status check_grid(const vv_group *g)
{
  const vv_group *scene = g;
  const char *word = vv_has(g, "spacing") ? "spacing" : "grading";
  vv_status status = VV_OK;
  int n = 0;
  while (scene->parent != NULL) scene = scene->parent;
  if (vv_has(g, "spacing") && vv_number(g, "grading") != 1.0)
    status = vv_complain(g, "grading", "'spacing' says how long each element is; leave one of them out");
  const double *part = vv_has(g, "spacing") ? vv_numbers(g, "spacing", &n) : NULL;
  if (part != NULL && n != vv_integer(g, "elements"))
    status = vv_complain(g, "spacing", "has %d numbers for %lld elements; write one for each", n,
                         (long long)vv_integer(g, "elements"));
  if (beam_closed(g)) status = vv_complain(g, word, "is for open beams");
  if (vv_is(g, "rest", "shape") && !vv_is(g, "shape", "straight"))
    status = vv_complain(g, "rest", "elements of different lengths need a rest shape that is straight");
  if (vv_is(g, "shape", "nodes")) status = vv_complain(g, word, "is not for nodes from a file, which are equally long");
  if (vv_is(g, "shape", "uniform") && vv_is(vv_sub(g, "shape"), "steps", "cayley"))
    status = vv_complain(vv_sub(g, "shape"), "steps", "cayley is for equal elements; leave it out");
  if (vv_is(vv_sub(scene, "method"), "step", "energy-momentum"))
    status = vv_complain(g, word, "is for the explicit steps; energy-momentum has equal elements");
  beam_inelastic law;
  if (beam_law_read(g, &law) == VV_OK && law.columns > 0.0)
    status = vv_complain(g, word, "is for elastic beams; those that flow, break or have branches have equal elements");
  return status;
}

static vv_status check_words(const vv_group *g)
{
  const vv_group *ends = vv_sub(g, "ends");
  const bool closed = beam_closed(g), ring = vv_is(g, "shape", "ring");
  vv_status status = VV_OK;
  if (!ring && !vv_has(g, "length")) status = vv_complain(g, NULL, "'length' is missing: a number in m");
  if (ring && vv_has(g, "length"))
    status = vv_complain(g, "length", "follows from the radius of the ring; leave it out");
  if (closed && vv_integer(g, "elements") < 3) status = vv_complain(g, "elements", "a closed beam needs 3 or more");
  for (int e = 0; e < 2; e++) {
    const char *end = e == 0 ? "first" : "last";
    if (closed && !vv_is(ends, end, "free")) status = vv_complain(ends, end, "a closed beam has no ends");
    if (vv_is(ends, end, "slope") && !vv_is(g, "drift", "lgvi"))
      status = vv_complain(ends, end, "a slope needs 'drift: lgvi': the others let a turning node leave its line");
    if (vv_is(ends, end, "slope") && vv_integer(g, "elements") < 3)
      status = vv_complain(ends, end, "a slope holds two nodes: use 3 or more elements");
  }
  if (beam_is_graded(g) && check_grid(g) != VV_OK) status = VV_SCENE;
  if (vv_is(g, "rest", "shape") && (vv_is(g, "shape", "bump") || vv_is(g, "shape", "nodes")))
    status = vv_complain(g, "rest", "needs a shape with constant strain: straight, arc, helix or uniform");
  return status;
}

static beam_plan plan(const vv_group *g)
{
  beam_plan p = {.elements = vv_integer(g, "elements"), .length = beam_length(g)};
  p.nodes = beam_closed(g) ? p.elements : p.elements + 1;
  return p;
}

vv_status beam_measure(const vv_group *g, vv_need *need)
{
  const beam_plan p = plan(g);
  vv_status status = check_section(g);
  if (check_masses(g) != VV_OK || check_words(g) != VV_OK) status = VV_SCENE;
  if (beam_loads_check(g, p.nodes, p.elements) != VV_OK) status = VV_SCENE;
  const vv_status shape = beam_shape_check(g, p.elements);
  if (shape != VV_OK) status = shape;
  need->nodes = p.nodes;
  need->elements = p.elements;
  need->patches = 1;
  beam_inelastic law;
  if (beam_law_read(g, &law) != VV_OK) status = VV_SCENE;
  const int64_t groups = (need->elements + BEAM_LANES - 1) / BEAM_LANES;
  need->internal = (int64_t)law.columns * need->elements;
  if (law.fibres > 0.0) need->internal += groups * BEAM_LANES * BEAM_Z_FIBRE * (int64_t)law.fibres;
  need->loads = beam_loads_count(g);
  return status;
}

/* ---- fill ---- */

/* Which of n words it is: the schema allows no other. */
static int word_index(const vv_group *g, const char *name, int n, const char *const *words)
{
  int i = 0;
  while (i + 1 < n && !vv_is(g, name, words[i])) i++;
  return i;
}

static double element_length(const vv_group *g, const beam_plan *p, int64_t e)
{
  if (!beam_is_graded(g)) return p->length / (double)p->elements;
  return p->length * (beam_fraction(g, e + 1, p->elements) - beam_fraction(g, e, p->elements));
}

static double shortest(const vv_group *g, const beam_plan *p)
{
  double least = element_length(g, p, 0);
  for (int64_t e = 1; beam_is_graded(g) && e < p->elements; e++) least = fmin(least, element_length(g, p, e));
  return least;
}

static void fill_constants(const vv_group *g, const beam_plan *p, beam_body *k)
{
  static const char *const strain[] = {"one-point", "trapezoid", "cayley", "exp", "exp-se3"};
  static const char *const drift[] = {"lgvi", "lavi-cayley", "lavi-cay", "lavi-exp", "cayley"};
  static const beam_drift_rule rule[] = {BEAM_LGVI, BEAM_LAVI_CAYLEY, BEAM_LAVI_CAY, BEAM_LAVI_EXP, BEAM_LAVI_CAYLEY};
  static const int hold[] = {0, BEAM_HOLD_PLACE, BEAM_HOLD_PLACE | BEAM_HOLD_FRAME,
                             BEAM_HOLD_PLACE | BEAM_HOLD_FRAME | BEAM_HOLD_SLOPE};
  static const char *const end[] = {"free", "pinned", "clamped", "slope"};
  const vv_group *material = vv_sub(g, "material"), *ends = vv_sub(g, "ends");
  int n;
  const double young = vv_number(material, "young"), shear = young / (2.0 * (1.0 + vv_number(material, "poisson")));
  const double rho = vv_number(material, "density"), *factor = vv_numbers(vv_sub(g, "stiffness"), "shear", &n);
  *k = (beam_body){.l = shortest(g, p),
                   .c1 = {shear * p->area * factor[0], shear * p->area * factor[1], young * p->area},
                   .c2 = {young * p->bending[0], young * p->bending[1], shear * p->torsion},
                   .rho_a = rho * p->area,
                   .inertia = {rho * p->rotary[0], rho * p->rotary[1], rho * p->rotary[2]},
                   .rest_a = {0, 0, 1},
                   .rest_b = {0, 0, 1},
                   .rest = {0, 0, 1},
                   .rest_strain = {0, 0, 1},
                   .strain = word_index(g, "strain", VV_COUNT(strain), strain),
                   .drift = rule[word_index(g, "drift", VV_COUNT(drift), drift)],
                   .closed = beam_closed(g),
                   .graded = beam_is_graded(g),
                   .hold = {hold[word_index(ends, "first", VV_COUNT(end), end)],
                            hold[word_index(ends, "last", VV_COUNT(end), end)]}};
  const bool plane = p->rotary[2] == p->rotary[0] + p->rotary[1];
  for (int c = 0; c < 2; c++) k->spread[c] = plane ? k->inertia[1 - c] : beam_spread(k->inertia, c);
}

/* Weights, masses, point masses; a node whose inertia is not that of a plane section alone is turned by iteration. */
static void fill_masses(const vv_group *g, vv_fill *f, const beam_plan *p, beam_body *k)
{
  vv_block *b = f->block;
  double *column[BEAM_NODE_COLUMNS];
  for (int c = 0; c < BEAM_NODE_COLUMNS; c++) column[c] = b->node_real + c * b->stride + f->body->node0;
  for (int i = 0; vv_has(g, "masses") && i < vv_count(g, "masses"); i++) {
    const vv_group *m = vv_item(g, "masses", i);
    int n;
    const int64_t a = beam_node_at(g, vv_number(m, "at"), p->nodes, p->elements);
    const double *j = vv_numbers(m, "inertia", &n);
    column[BEAM_POINT_MASS][a] += vv_number(m, "mass");
    for (int c = 0; c < 3; c++) column[BEAM_POINT_INERTIA + c][a] += j[c];
  }
  const bool plane = p->rotary[2] == p->rotary[0] + p->rotary[1];
  for (int64_t a = 0; a < p->nodes; a++) {
    const bool end = k->closed == 0.0 && (a == 0 || a == p->nodes - 1);
    const double behind = a < p->elements ? element_length(g, p, a) : 0.0;
    const double before = a > 0 ? element_length(g, p, a - 1) : 0.0;
    const double w = k->graded != 0.0 ? 0.5 * (before + behind)
                     : end            ? 0.5 * k->l
                                      : k->l,
                 m = k->rho_a * w + column[BEAM_POINT_MASS][a];
    const bool own = column[BEAM_POINT_INERTIA][a] != 0.0 || column[BEAM_POINT_INERTIA + 1][a] != 0.0 ||
                     column[BEAM_POINT_INERTIA + 2][a] != 0.0;
    column[BEAM_WEIGHT][a] = w;
    column[BEAM_SPAN][a] = behind > 0.0 ? behind : k->l;
    column[BEAM_INVERSE_WEIGHT][a] = plane && !own ? 1.0 / w : 0.0;
    column[BEAM_MASS][a] = m;
    column[BEAM_INVERSE_MASS][a] = 1.0 / m;
    if (!plane || own) k->solid = 1.0;
  }
}

/* One curve: round sections touch at their radius, rectangles with their corners. */
static void fill_patch(const vv_group *g, const beam_plan *p, vv_fill *f)
{
  const vv_group *s = vv_sub(g, "section");
  vv_patch *t = &f->block->patch[f->body->patch0];
  *t = (vv_patch){.type = VV_PATCH_CURVE,
                  .body = f->body->index,
                  .node = f->body->node0,
                  .nodes = f->body->n_node,
                  .closed = beam_closed(g),
                  .corners = 1,
                  .thickness = sqrt(p->area),
                  .feature = "node"};
  if (vv_is(g, "touch", "centroid") || vv_is(g, "section", "general")) return;
  if (corners_of(g, t->half))
    t->corners = 4, t->radius = vv_number(g, "rounding");
  else
    t->radius = vv_number(s, "radius");
}

static void fill_elements(vv_fill *f)
{
  vv_block *b = f->block;
  for (int64_t e = 0; e < f->body->n_element; e++) {
    const int64_t i = f->body->element0 + e, a = f->body->node0 + e;
    b->element_node[2 * i] = (int32_t)a;
    b->element_node[2 * i + 1] = (int32_t)(e + 1 < f->body->n_node ? a + 1 : f->body->node0);
  }
}

/* Strains of the element between nodes 0 and 1, as each rule measures them. */
static void fill_rest(const double x[2][3], const double frame[2][9], beam_body *k)
{
  const double *A = frame[0], *B = frame[1];
  double D[3], v[3], mid[9], slope[9];
  for (int c = 0; c < 3; c++) D[c] = (x[1][c] - x[0][c]) / k->l;
  for (int c = 0; c < 9; c++) mid[c] = 0.5 * (A[c] + B[c]), slope[c] = (B[c] - A[c]) / k->l;
  for (int c = 0; c < 3; c++) {
    const int d = (c + 1) % 3, e = (c + 2) % 3;
    k->rest_a[c] = A[c] * D[0] + A[3 + c] * D[1] + A[6 + c] * D[2];
    k->rest_b[c] = B[c] * D[0] + B[3 + c] * D[1] + B[6 + c] * D[2];
    k->rest[c] = k->rest_strain[c] = 0.5 * (k->rest_a[c] + k->rest_b[c]);
    k->rest_curvature[c] = 0.0;
    for (int i = 0; i < 9; i += 3) /* d3.d2' - d2.d3' and so on */
      k->rest_curvature[c] += 0.5 * (mid[i + e] * slope[i + d] - mid[i + d] * slope[i + e]);
  }
  beam_bend(A, B, k->rest_psi);
  vvi_cross3(k->rest_psi, k->rest_a, v);
  for (int c = 0; k->strain == BEAM_CAYLEY_STRAIN && c < 3; c++) k->rest[c] = k->rest_a[c] - 0.5 * v[c]; /* [beam 50] */
  if (!beam_by_exp(k->strain)) return;
  const double psi[3] = {k->rest_psi[0], k->rest_psi[1], k->rest_psi[2]};
  double way[3];
  beam_exp_strain(k->strain == BEAM_EXP_SE3, k->rest_a, psi, way, k->rest_psi);
  for (int c = 0; k->strain == BEAM_EXP_SE3 && c < 3; c++) k->rest[c] = way[c]; /* [beam 81] */
}

/* The slope condition needs a neighbour that lies on the line through d3. */
static vv_status fill_slope(const vv_group *g, int64_t n, const double *x, const double *frame, beam_body *k)
{
  for (int e = 0; e < 2; e++) {
    const int64_t end = e == 0 ? 0 : n - 1, next = e == 0 ? 1 : n - 2;
    double d[3], across[3];
    if (((int)k->hold[e] & BEAM_HOLD_SLOPE) == 0) continue;
    for (int c = 0; c < 3; c++) {
      k->slope[e][c] = frame[9 * end + 3 * c + 2];
      d[c] = x[3 * next + c] - x[3 * end + c];
    }
    vvi_cross3(d, k->slope[e], across);
    if (vvi_norm3(across) > 1e-9 * k->l)
      return vv_complain(
          vv_sub(g, "ends"), e == 0 ? "first" : "last",
          "the neighbour of this end is not on the line through d3; a slope needs a shape that starts straight");
  }
  return VV_OK;
}

/* P = m v, S = Lambda J Lambda^T omega. */
static void fill_momenta(vv_fill *f, const beam_body *k, const double *v, const double *w, const double *frame)
{
  const vv_block *b = f->block;
  for (int64_t a = 0; a < f->body->n_node; a++) {
    const int64_t i = f->body->node0 + a;
    const double *L = frame + 9 * a;
    double inertia[3], body[3];
    beam_inertia(b, k, i, inertia);
    for (int c = 0; c < 3; c++)
      body[c] = inertia[c] * (L[c] * w[3 * a] + L[3 + c] * w[3 * a + 1] + L[6 + c] * w[3 * a + 2]);
    for (int c = 0; c < 3; c++) {
      f->p[(BEAM_P + c) * b->column + i] = beam_node(b, BEAM_MASS)[i] * v[3 * a + c];
      f->p[(BEAM_S + c) * b->column + i] = vvi_dot3(L + 3 * c, body);
    }
  }
}

/* Places so far out that rounding is as long as an element cannot carry a strain. */
static vv_status check_far(const vv_group *g, const beam_plan *p, const beam_body *k, const double *x)
{
  double far = 0.0;
  for (int64_t i = 0; i < 3 * p->nodes; i++) far = fmax(far, fabs(x[i]));
  if (far * 2.3e-16 <= 1e-6 * k->l) return VV_OK;
  return vv_complain(g, "position",
                     "%.3g m from the origin leaves no digits for elements of %.3g m; move the scene nearer", far,
                     k->l);
}

static vv_status fill_state(const vv_group *g, vv_fill *f, const beam_plan *p, beam_body *k, double *work)
{
  double *x = work, *frame = x + 3 * p->nodes, *v = frame + 9 * p->nodes, *w = v + 3 * p->nodes;
  VV_TRY(beam_shape(g, p->nodes, p->elements, p->length, x, frame));
  const double *m = beam_node(f->block, BEAM_MASS) + f->body->node0;
  VV_TRY(beam_motion(g, p->nodes, p->elements, x, frame, m, v, w));
  if (vv_is(g, "rest", "shape") || vv_is(g, "shape", "ring"))
    fill_rest((const double(*)[3])x, (const double(*)[9])frame, k);
  VV_TRY(check_far(g, p, k, x));
  VV_TRY(fill_slope(g, p->nodes, x, frame, k));
  for (int64_t a = 0; a < p->nodes; a++) beam_put(f->block, f->q, f->body->node0 + a, x + 3 * a, frame + 9 * a);
  fill_momenta(f, k, v, w, frame);
  beam_hold(f->block, f->body_in_block, f->p);
  return VV_OK;
}

vv_status beam_fill(const vv_group *g, vv_fill *f)
{
  beam_plan p = plan(g);
  vv_block *b = f->block;
  beam_body *k = (beam_body *)(void *)(b->body_real + (int64_t)f->body_in_block * BEAM_BODY_COLUMNS);
  section(g, &p);
  fill_constants(g, &p, k);
  VV_TRY(beam_law_read(g, (beam_inelastic *)(void *)((double *)k + BEAM_INELASTIC)));
  if (beam_law_of(b, f->body_in_block)->damping.mass > 0.0) b->viscous = true;
  if (beam_law_of(b, f->body_in_block)->damage > 0.0) b->breaks = true;
  VV_TRY(beam_fibres_fill(g, f));
  fill_masses(g, f, &p, k);
  fill_elements(f);
  fill_patch(g, &p, f);
  beam_loads_fill(g, f, p.elements);
  if (k->hold[0] != 0.0 || k->hold[1] != 0.0 || f->body->n_load > 0 || vvi_norm3(b->gravity) > 0.0) b->booked = true;
  double *work = calloc((size_t)p.nodes, 18 * sizeof(double));
  if (work == NULL) return vv_complain(g, "elements", "out of memory for %lld nodes", (long long)p.nodes);
  const vv_status status = fill_state(g, f, &p, k, work);
  free(work);
  return status;
}

/* ---- largest frequency ---- */

/* The change of the Cayley strain of an element at rest, with r = Lambda_a^T D, U = 1 - psi^/2 and
 * E = 1 - psi^/2 + psi psi^T/4, all in the frame of the left node but dtheta_b in that of the right one:         [beam 57]
 *
 *   l dG = U (dx_b - dx_a) + (U r^ - r^ E/2) dtheta_a + r^ E^T dtheta_b/2,   l dK = E^T dtheta_b - E dtheta_a
 *
 * Columns: dx_b (dx_a is its opposite), dtheta_a, dtheta_b. */
static void cayley_change(const beam_body *k, double change[9][9])
{
  double hat[9], U[9], E[9], F[9], rE[9], rF[9], Ur[9], r[3];
  for (int c = 0; c < 3; c++) r[c] = k->l * k->rest_a[c];
  vvi_axial33(0.0, 1.0, 0.0, r, hat);
  vvi_axial33(1.0, -0.5, 0.0, k->rest_psi, U);
  vvi_axial33(1.0, -0.5, 0.25, k->rest_psi, E);
  vvi_axial33(1.0, 0.5, 0.25, k->rest_psi, F); /* E R = E^T */
  vvi_mul33(U, hat, Ur);
  vvi_mul33(hat, E, rE);
  vvi_mul33(hat, F, rF);
  for (int i = 0; i < 9; i++) {
    double *g = change[i / 3] + i % 3, *m = change[3 + i / 3] + i % 3;
    g[0] = U[i] / k->l, g[3] = (Ur[i] - 0.5 * rE[i]) / k->l, g[6] = 0.5 * rF[i] / k->l;
    m[0] = 0.0, m[3] = -E[i] / k->l, m[6] = F[i] / k->l;
  }
}

/* The same of the other rules, with Y_a = Lambda_a^T D and Y_b = R^T Y_a: each node's own strain changes by        [beam 59]
 *   l dG_a = dx_b - dx_a + Y_a^ dtheta_a,   l dG_b = R^T (dx_b - dx_a) + Y_b^ dtheta_b
 * and one point takes their mean.  Rows 0-2 and 6-8: G_a and G_b; 3-5: K, from above. */
static void plain_change(const beam_body *k, double change[9][9])
{
  double R[9], Ya[9], Yb[9], a[3], b[3];
  for (int c = 0; c < 3; c++) a[c] = k->l * k->rest_a[c], b[c] = k->l * k->rest_b[c];
  vvi_cay(k->rest_psi, R);
  vvi_axial33(0.0, 1.0, 0.0, a, Ya);
  vvi_axial33(0.0, 1.0, 0.0, b, Yb);
  for (int i = 0; i < 9; i++) {
    double *g = change[i / 3] + i % 3, *h = change[6 + i / 3] + i % 3;
    g[0] = (i % 4 == 0 ? 1.0 : 0.0) / k->l, g[3] = Ya[i] / k->l, g[6] = 0.0;
    h[0] = R[3 * (i % 3) + i / 3] / k->l, h[3] = 0.0, h[6] = Yb[i] / k->l;
  }
  for (int i = 0; k->strain == BEAM_ONE_POINT && i < 3; i++)
    for (int c = 0; c < 9; c++) change[i][c] = 0.5 * (change[i][c] + change[6 + i][c]);
}

/* The squares of the frequencies of one free element are the eigenvalues of Q = l C^(1/2) B M^-1 B^T C^(1/2), B being the
 * change above; by Gershgorin's theorem none exceeds the largest row.  Exact for a straight rest shape, where Q is
 * diagonal (one point, cayley).                                                                               [beam 58] */
static double largest_row(const beam_body *k)
{
  double change[9][9], stiffness[9], mobility[9], most = 0.0;
  const bool two = k->strain == BEAM_TRAPEZOID;
  const int rows = two ? 9 : 6;
  cayley_change(k, change);
  if (k->strain != BEAM_CAYLEY_STRAIN) plain_change(k, change);
  for (int c = 0; c < 3; c++) {
    stiffness[c] = stiffness[6 + c] = sqrt(two ? 0.5 * k->c1[c] : k->c1[c]);
    stiffness[3 + c] = sqrt(k->c2[c]);
    mobility[c] = 4.0 / k->rho_a; /* of both nodes, l/2 each */
    mobility[3 + c] = mobility[6 + c] = 2.0 / k->inertia[c];
  }
  for (int i = 0; i < rows; i++) {
    double row = 0.0;
    for (int j = 0; j < rows; j++) {
      double sum = 0.0;
      for (int c = 0; c < 9; c++) sum += change[i][c] * mobility[c] * change[j][c];
      row += fabs(stiffness[i] * stiffness[j] * sum);
    }
    most = fmax(most, row);
  }
  return most;
}

static double largest_square(const beam_body *k);

/* At rest a turn changes phi by less than psi: phi = T psi with T <= 1 and T' < 0 [beam 80]; the way of the exponential lies
 * between that of the Cayley map and the straight one, and grows it by less than 1 + |psi|^2/4. */
static double like_cayley(const beam_body *k)
{
  beam_body other = *k;
  const double theta = vvi_norm3(k->rest_psi), grow = theta > 0.0 ? 2.0 * tan(0.5 * theta) / theta : 1.0;
  other.strain = k->strain == BEAM_EXP ? BEAM_TRAPEZOID : BEAM_CAYLEY_STRAIN;
  for (int c = 0; c < 3; c++) other.rest_psi[c] = grow * k->rest_psi[c];
  return (1.0 + 0.25 * vvi_dot3(other.rest_psi, other.rest_psi)) * largest_square(&other);
}

/* No frequency of the whole exceeds the largest of a single free element with half its mass at each node.  Straight:
 * stretch and bending 4 E/(rho l^2), twist 4 G Jt/(J3 l^2), and shear, where the nodes move and turn together:   [beam 8]
 *   one point  G A/J + 4 G A/(rho A l^2),   trapezoid also  G A/J + 4 C2/(J l^2).
 * About the rest shape: strong stretch or bending changes the frequencies. */
static double largest_square(const beam_body *k)
{
  if (beam_by_exp(k->strain)) return like_cayley(k);
  const bool straight = vvi_norm3(k->rest_psi) == 0.0 && k->rest[0] == 0.0 && k->rest[1] == 0.0;
  if (!straight || k->strain == BEAM_CAYLEY_STRAIN) return largest_row(k);
  double most = 4.0 * k->c1[2] / (k->rho_a * k->l * k->l);
  most = fmax(most, 4.0 * k->c2[2] / (k->inertia[2] * k->l * k->l));
  for (int c = 0; c < 2; c++) { /* shear along d_c turns the section about the other director */
    const double turn = k->c1[c] / k->inertia[1 - c], bend = 4.0 * k->c2[1 - c] / (k->inertia[1 - c] * k->l * k->l);
    most = fmax(most, fmax(bend, turn + 4.0 * k->c1[c] / (k->rho_a * k->l * k->l)));
    if (k->strain == BEAM_TRAPEZOID) most = fmax(most, turn + bend);
  }
  return most;
}

/* A node that was hit swings against its neighbours by bending: l^2 sqrt(rho A/(E I)), about the softer axis. */
double beam_answer_time(const vv_block *b, int32_t body)
{
  double least = INFINITY, rho_a = 0.0, l = 0.0;
  for (int32_t j = 0; j < b->n_body; j++) {
    const beam_body *k = beam_of(b, j);
    if (b->body[j]->index == body) least = fmin(k->c2[0], k->c2[1]), rho_a = k->rho_a, l = k->l;
  }
  return l * l * sqrt(rho_a / least);
}

static double square_of(const vv_block *b, int32_t j)
{
  return (1.0 + beam_law_of(b, j)->glass) * largest_square(beam_of(b, j));
}

double beam_stable_step(const vv_block *b)
{
  double most = 0.0;
  for (int32_t j = 0; j < b->n_body; j++) most = fmax(most, square_of(b, j));
  return most > 0.0 ? 2.0 / sqrt(most) : INFINITY;
}

void beam_stable_steps(const vv_block *b, double *out)
{
  for (int32_t j = 0; j < b->n_body; j++) out[j] = 2.0 / sqrt(square_of(b, j));
}

void beam_element_steps(const vv_block *b, double *out)
{
  for (int32_t j = 0; j < b->n_body; j++)
    for (int64_t e = b->body[j]->element0; e < b->body[j]->element0 + b->body[j]->n_element; e++) {
      beam_body own;
      out[e] = 2.0 / sqrt(largest_square(beam_element_of(b, j, b->element_node[2 * e], &own)));
    }
}
