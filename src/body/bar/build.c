/* body/bar/build.c  Reads the keys of a bar and computes masses, springs and the first state. */
#include "body/bar/bar.h"
#include "math/math.h"
#include "model/bind.h"

#include <string.h>

/* clang-format off */
static const vv_field material_field[] = {
  {.name = "young",   .type = VV_NUMBER, .unit = "Pa", .lo = 0, .hi = 1e30, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "Young's modulus"},
  {.name = "law",     .type = VV_WORD, .words = "linear|neo-hookean|j2", .deflt = "linear", .doc = "stored energy: quadratic in the strain, or incompressible neo-Hookean (stiffer in compression; jump nodal or leapfrog). j2: linear up to `yield`, then it flows"},
  {.name = "density", .type = VV_NUMBER, .unit = "kg/m^3", .lo = 0, .hi = 1e30, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "mass per volume"},
  VVI_PLASTIC_FIELDS,
  VVI_FAILURE_FIELD,
};
static const vv_schema material_schema = {"material", material_field, VV_COUNT(material_field), "elastic in the stretch, or plastic"};

static const vv_field tips_field[] = {
  {.name = "first", .type = VV_WORD, .words = "auto|lumped|split|cell", .deflt = "auto", .doc = "lumped: half an element's mass at the very end, which bounces many times during one contact. split: the mass sits behind a massless tip, and contact lasts. cell: masses at the centres of cells, half a cell without mass at each end: one contact, as in wave theory. auto: cell for linear bars that touch only bars and planes, with restitution 1 and no driven end; else lumped"},
  {.name = "last",  .type = VV_WORD, .words = "auto|lumped|split|cell", .deflt = "auto", .doc = "as first"},
  {.name = "split", .type = VV_NUMBER, .unit = "1", .lo = 0, .hi = 1, .flags = VV_OPEN_LO | VV_OPEN_HI, .deflt = "0.25", .doc = "split tips: massless part of the end element"},
};
static const vv_schema tips_schema = {"tips", tips_field, VV_COUNT(tips_field), "how the ends come into contact"};

static const vv_field ends_field[] = {
  {.name = "first", .type = VV_WORD, .words = "free|fixed|driven", .deflt = "free", .doc = "free; fixed in space; or driven by `drives`"},
  {.name = "last",  .type = VV_WORD, .words = "free|fixed|driven", .deflt = "free", .doc = "as first"},
};
static const vv_schema ends_schema = {"ends", ends_field, VV_COUNT(ends_field), "supports"};

static const vv_field load_field[] = {
  {.name = "end",     .type = VV_WORD, .words = "first|last", .flags = VV_REQUIRED, .doc = "where it acts"},
  {.name = "force",   .type = VV_NUMBER, .unit = "N", .flags = VV_REQUIRED, .doc = "along the axis"},
  {.name = "history", .type = VV_CHOICE, .sub = &vvi_history_schema, .deflt = "constant", .doc = "how it varies in time"},
};
static const vv_schema load_schema = {"loads", load_field, VV_COUNT(load_field), "forces on the ends"};

static const vv_field drive_field[] = {
  {.name = "end",          .type = VV_WORD, .words = "first|last", .flags = VV_REQUIRED, .doc = "a driven end"},
  {.name = "displacement", .type = VV_NUMBER, .unit = "m", .flags = VV_REQUIRED, .doc = "along the axis"},
  {.name = "history",      .type = VV_CHOICE, .sub = &vvi_history_schema, .deflt = "constant", .doc = "how it varies in time; its value at the start is taken as the rest position"},
};
static const vv_schema drive_schema = {"drives", drive_field, VV_COUNT(drive_field), "motion of driven ends"};

static const vv_field mode_field[] = {
  {.name = "mode",      .type = VV_INTEGER, .unit = "1", .lo = 1, .hi = 1e6, .flags = VV_REQUIRED, .doc = "number of the mode of vibration"},
  {.name = "amplitude", .type = VV_NUMBER, .unit = "m", .deflt = "0", .doc = "initial displacement"},
  {.name = "velocity",  .type = VV_NUMBER, .unit = "m/s", .deflt = "0", .doc = "initial velocity of the mode"},
};
static const vv_schema mode_schema = {"vibration", mode_field, VV_COUNT(mode_field), "initial state in a mode of the bar"};

static const vv_field bar_field[] = {
  {.name = "length",    .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e30, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "unstressed length"},
  {.name = "elements",  .type = VV_INTEGER, .unit = "1", .lo = 1, .hi = 1e8, .flags = VV_REQUIRED, .doc = "number of elements"},
  {.name = "grading",   .type = VV_NUMBER, .unit = "1", .lo = 1e-3, .hi = 1e3, .deflt = "1", .doc = "length of the last element over the first, geometric"},
  {.name = "material",  .type = VV_GROUP, .sub = &material_schema, .flags = VV_REQUIRED, .doc = "hyperelastic"},
  {.name = "section",   .type = VV_GROUP, .sub = &vvi_section_area_schema, .flags = VV_REQUIRED, .doc = "cross-section"},
  VVI_DAMPING_FIELD,
  {.name = "tips",      .type = VV_GROUP, .sub = &tips_schema, .doc = "how the ends come into contact"},
  {.name = "ends",      .type = VV_GROUP, .sub = &ends_schema, .doc = "supports"},
  {.name = "position",  .type = VV_NUMBER, .unit = "m", .deflt = "0", .doc = "of the first end, on the axis"},
  {.name = "velocity",  .type = VV_NUMBER, .unit = "m/s", .deflt = "0", .doc = "along the axis"},
  {.name = "vibration", .type = VV_LIST, .sub = &mode_schema, .flags = VV_OPTIONAL, .doc = "initial vibration, added up"},
  {.name = "axis",      .type = VV_VECTOR, .unit = "1", .deflt = "[1, 0, 0]", .doc = "direction of the line the bar is guided on"},
  {.name = "origin",    .type = VV_VECTOR, .unit = "m", .flags = VV_MOVED, .deflt = "[0, 0, 0]", .doc = "a point of that line; positions count from it"},
  {.name = "copies",    .type = VV_GROUP, .sub = &vvi_copies_schema, .flags = VV_OPTIONAL, .doc = "many of the same, NAME-0, NAME-1, ...; 'origin' is moved"},
  {.name = "loads",     .type = VV_LIST, .sub = &load_schema, .flags = VV_OPTIONAL, .doc = "forces on the ends"},
  {.name = "drives",    .type = VV_LIST, .sub = &drive_schema, .flags = VV_OPTIONAL, .doc = "motion of driven ends"},
};
const vv_schema bar_schema = {"bar", bar_field, VV_COUNT(bar_field), "elastic bar on a line"};
/* clang-format on */

enum { FREE, FIXED, DRIVEN };

/* What both measure and fill must know about the layout of one bar. */
typedef struct bar_plan {
  int64_t elements;            /* of the scene */
  bool cell;                   /* masses at cell centres */
  int held[2];                 /* FREE, FIXED, DRIVEN at first and last end */
  double reach[2];             /* massless length in front of the end node */
  double length, ratio, first; /* first: length of the first element */
  double young, density, area;
  bool neo_hookean;
} bar_plan;

static int held_word(const vv_group *ends, const char *name)
{
  return vv_is(ends, name, "fixed") ? FIXED : vv_is(ends, name, "driven") ? DRIVEN : FREE;
}

/* Length of element e: geometric progression l_e = first * r^e, r^(n-1) = grading. */
static double element_length(const bar_plan *p, int64_t e)
{
  return p->ratio == 1.0 ? p->length / (double)p->elements : p->first * pow(p->ratio, (double)e);
}

static bar_plan plan(const vv_group *g)
{
  const vv_group *tips = vv_sub(g, "tips"), *ends = vv_sub(g, "ends"), *material = vv_sub(g, "material");
  bar_plan p = {.elements = vv_integer(g, "elements"),
                .cell = vv_is(tips, "first", "cell") || vv_is(tips, "last", "cell"),
                .held = {held_word(ends, "first"), held_word(ends, "last")},
                .length = vv_number(g, "length"),
                .young = vv_number(material, "young"),
                .density = vv_number(material, "density"),
                .neo_hookean = vv_is(material, "law", "neo-hookean"),
                .area = vvi_section_area(vv_sub(g, "section"))};
  const double grading = vv_number(g, "grading");
  p.ratio = p.elements > 1 ? pow(grading, 1.0 / (double)(p.elements - 1)) : 1.0;
  p.first = p.ratio == 1.0 ? p.length / (double)p.elements
                           : p.length * (p.ratio - 1.0) / (pow(p.ratio, (double)p.elements) - 1.0);
  for (int end = 0; end < 2; end++) {
    const double l = element_length(&p, end == 0 ? 0 : p.elements - 1);
    if (p.held[end] != FREE) continue;
    if (p.cell) p.reach[end] = 0.5 * l;
    if (vv_is(tips, end == 0 ? "first" : "last", "split")) p.reach[end] = vv_number(tips, "split") * l;
  }
  return p;
}

/* ---- tips that the scene leaves open ---- */

static const vv_group *scene_of(const vv_group *g)
{
  while (g->parent != NULL) g = g->parent;
  return g;
}

/* A line of `contacts` that lets things touch, but not as massless tips do. */
static bool wants_mass(const vv_group *contact)
{
  return !vv_is(contact, "response", "none") &&
         (vv_number(contact, "restitution") < 1.0 || !vv_is(contact, "projection", "anticipate") ||
          vv_is(contact, "search", "general"));
}

/* Bars, and obstacles made of planes. */
static bool is_on_line(const vv_group *body)
{
  return vv_is(body, "kind", "bar") || (vv_is(body, "kind", "obstacle") && vv_is(body, "shape", "plane"));
}

/* May the bars of this scene have massless tips, and has it anything that they could touch? */
static bool scene_suits_cells(const vv_group *scene)
{
  const int n = vv_count(scene, "bodies");
  for (int i = 0; i < n; i++)
    if (!is_on_line(vv_item(scene, "bodies", i))) return false;
  bool touch = false;
  for (int i = 0; i < vv_count(scene, "contacts"); i++) {
    if (wants_mass(vv_item(scene, "contacts", i))) return false;
    touch |= !vv_is(vv_item(scene, "contacts", i), "response", "none");
  }
  return touch && n > 1;
}

/* A half cell without mass is a linear spring: such bars alone take it where nobody says how the ends are made. */
static bool bar_suits_cells(const vv_group *g)
{
  const vv_group *material = vv_sub(g, "material"), *ends = vv_sub(g, "ends");
  return vv_is(material, "law", "linear") && !vv_has(material, "failure") && !vv_is(ends, "first", "driven") &&
         !vv_is(ends, "last", "driven");
}

static bool is_open(const vv_group *tips)
{
  return vv_is(tips, "first", "auto") || vv_is(tips, "last", "auto");
}

/* `auto` becomes cell where the whole bar can be so, else lumped; the scene that is written down says which. */
static void settle_tips(const vv_group *g, bool suits)
{
  const vv_group *tips = vv_sub(g, "tips");
  const bool first = vv_is(tips, "first", "auto"), last = vv_is(tips, "last", "auto");
  const bool asked = vv_is(tips, "first", "cell") || vv_is(tips, "last", "cell");
  const bool cell = asked || (first && last && suits && bar_suits_cells(g));
  if (first) vvi_group_resolve(tips, "first", cell ? "cell" : "lumped");
  if (last) vvi_group_resolve(tips, "last", cell ? "cell" : "lumped");
}

/* The first bar that leaves its tips open settles those of all bars: one look at the scene. */
static void choose_tips(const vv_group *g)
{
  if (!is_open(vv_sub(g, "tips"))) return;
  const vv_group *scene = scene_of(g);
  const bool suits = scene_suits_cells(scene);
  for (int i = 0; i < vv_count(scene, "bodies"); i++) {
    const vv_group *bar = vv_item(scene, "bodies", i);
    if (vv_is(bar, "kind", "bar") && is_open(vv_sub(bar, "tips"))) settle_tips(bar, suits);
  }
}

static vv_status check_tips(const vv_group *g, const bar_plan *p)
{
  const vv_group *tips = vv_sub(g, "tips"), *ends = vv_sub(g, "ends");
  vv_status status = VV_OK;
  for (int end = 0; end < 2; end++) {
    const char *name = end == 0 ? "first" : "last", *other = end == 0 ? "last" : "first";
    const bool is_cell = vv_is(tips, name, "cell");
    if (p->cell && !is_cell && p->held[end] == FREE)
      status =
          vv_complain(tips, other, "puts the masses of the whole bar at cell centres: make 'tips.%s' cell too", name);
    if (vv_is(tips, name, "split") && p->held[end] != FREE)
      status = vv_complain(tips, name, "a %s end has no massless tip; use lumped", vv_text(ends, name));
    if (p->cell && p->held[end] == DRIVEN)
      status = vv_complain(ends, name, "a driven end needs a mass: use lumped or split tips on this bar");
  }
  if (p->elements == 1 && !p->cell && p->reach[0] + p->reach[1] >= p->length)
    status = vv_complain(tips, "split",
                         "the massless tips of a single element meet; use a smaller fraction or more elements");
  return status;
}

static vv_status check_drives(const vv_group *g, const bar_plan *p)
{
  vv_status status = VV_OK;
  int driven[2] = {0, 0};
  for (int i = 0; vv_has(g, "drives") && i < vv_count(g, "drives"); i++) {
    const vv_group *d = vv_item(g, "drives", i);
    const int end = vv_is(d, "end", "last");
    if (p->held[end] != DRIVEN)
      status = vv_complain(d, "end", "the %s end is not driven; set 'ends.%s: driven'", vv_text(d, "end"),
                           vv_text(d, "end"));
    if (driven[end]++ > 0) status = vv_complain(d, "end", "the %s end is driven twice", vv_text(d, "end"));
    if (vvi_history_check(d, "history") != VV_OK) status = VV_SCENE;
  }
  for (int end = 0; end < 2; end++)
    if (p->held[end] == DRIVEN && driven[end] == 0)
      status = vv_complain(vv_sub(g, "ends"), end == 0 ? "first" : "last", "is driven, but 'drives' does not say how");
  return status;
}

static vv_status check_loads(const vv_group *g, const bar_plan *p)
{
  vv_status status = VV_OK;
  for (int i = 0; vv_has(g, "loads") && i < vv_count(g, "loads"); i++) {
    const vv_group *l = vv_item(g, "loads", i);
    if (p->held[vv_is(l, "end", "last")] != FREE)
      status = vv_complain(l, "end", "the %s end is held: a force on it does nothing", vv_text(l, "end"));
    if (vvi_history_check(l, "history") != VV_OK) status = VV_SCENE;
  }
  return status;
}

/* What the bar does beside being elastic.  Complaints name words; `elements` of the state. */
static vv_status read_inelastic(const vv_group *g, bar_inelastic *law)
{
  const vv_group *m = vv_sub(g, "material");
  const bool flows = vv_is(m, "law", "j2");
  *law =
      (bar_inelastic){.young = vv_number(m, "young"), .area = vvi_section_area(vv_sub(g, "section")), .damage = -1.0};
  VV_TRY(flows ? vvi_plastic_read(m, true, &law->plastic) : vvi_plastic_refuse(m));
  VV_TRY(vvi_failure_read(m, flows ? &law->plastic : NULL, &law->failure));
  VV_TRY(vvi_damping_read(g, &law->damping));
  law->branch0 = flows ? 2.0 : 0.0;
  law->columns = law->branch0 + law->damping.branches;
  if (law->failure.strain > 0.0 || law->failure.stress > 0.0) law->damage = law->columns, law->columns += 3.0;
  if (law->columns > 0.0) law->lost = law->columns++;
  if (vv_is(m, "law", "neo-hookean") && law->columns > 0.0)
    return vv_complain(m, "law", "neo-hookean neither breaks nor has a damping ratio; use 'linear' or 'j2'");
  return VV_OK;
}

/* A band of one element must be able to take the energy of breaking: l < 2 E G/s^2.                           [mat 14] */
static vv_status check_failure(const vv_group *g, const bar_plan *p, const bar_inelastic *law)
{
  const vvi_failure *f = &law->failure;
  double longest = 0.0;
  if (law->damage < 0.0 || f->energy == 0.0) return VV_OK;
  const double most = 2.0 * p->young * f->energy / (f->begin * f->begin);
  for (int64_t e = 0; e<p->elements; e += p->elements> 1 ? p->elements - 1 : 1)
    longest = fmax(longest, element_length(p, e));
  if (longest < most) return VV_OK;
  return vv_complain(vv_sub(vv_sub(g, "material"), "failure"), "energy",
                     "elements of %.6g m store more than that: they must be shorter than 2 E G/s^2 = %.6g m", longest,
                     most);
}

vv_status bar_measure(const vv_group *g, vv_need *need)
{
  choose_tips(g);
  const bar_plan p = plan(g);
  int n;
  vv_status status = check_tips(g, &p);
  if (vvi_norm3(vv_numbers(g, "axis", &n)) < 1e-150) status = vv_complain(g, "axis", "must not be zero");
  if (vvi_section_check(vv_sub(g, "section")) != VV_OK) status = VV_SCENE;
  if (check_drives(g, &p) != VV_OK) status = VV_SCENE;
  if (check_loads(g, &p) != VV_OK) status = VV_SCENE;
  need->nodes = p.cell ? p.elements + (p.held[0] != FREE) + (p.held[1] != FREE) : p.elements + 1;
  need->elements = need->nodes - 1;
  bar_inelastic law;
  if (read_inelastic(g, &law) != VV_OK || check_failure(g, &p, &law) != VV_OK) status = VV_SCENE;
  need->internal = (int64_t)law.columns * bar_z_column(need->elements);
  if (need->internal > 0) need->internal += (need->elements + BAR_PIECE - 1) / BAR_PIECE;
  need->patches = 2 + (law.damage >= 0.0 && need->nodes > 2);
  need->loads = (vv_has(g, "loads") ? vv_count(g, "loads") : 0) + (vv_has(g, "drives") ? vv_count(g, "drives") : 0);
  return status;
}

/* ---- fill ---- */

/* Where a spring of the scene's element e (or of half cells) adds its mass and length. */
static void set_spring(vv_fill *f, int64_t e, double length, double mass_left, double mass_right, const bar_plan *p)
{
  vv_block *b = f->block;
  const int64_t i = f->body->element0 + e, n = b->elements, node = f->body->node0 + e;
  const double k = p->young * p->area / length;
  b->element_real[BAR_LENGTH * n + i] = length;
  b->element_real[BAR_SPRING * n + i] = k;
  b->element_real[BAR_MASS_LEFT * n + i] = mass_left;
  b->element_real[BAR_MASS_RIGHT * n + i] = mass_right;
  b->element_real[BAR_AREA * n + i] = p->area;
  b->element_node[2 * i] = (int32_t)node;
  b->element_node[2 * i + 1] = (int32_t)node + 1;
  b->node_real[BAR_STIFFNESS * b->stride + node] = k;
  b->node_real[BAR_SPAN * b->stride + node] = length;
  b->node_real[BAR_LAW * b->stride + node] = p->neo_hookean;
  b->node_real[BAR_MASS * b->stride + node] += mass_left;
  b->node_real[BAR_MASS * b->stride + node + 1] += mass_right;
}

/* Nodes at the element boundaries; a split tip moves the end node inwards by its reach. */
static void fill_lumped(vv_fill *f, const bar_plan *p)
{
  double *x = f->block->node_real + BAR_X * f->block->stride + f->body->node0;
  double edge = 0.0;
  x[0] = p->reach[0];
  for (int64_t e = 0; e < p->elements; e++) {
    const double l = element_length(p, e), half = 0.5 * p->density * p->area * l;
    edge += l;
    const bool first = e == 0, last = e == p->elements - 1;
    x[e + 1] = last ? p->length - p->reach[1] : edge;
    set_spring(f, e, l - (first ? p->reach[0] : 0.0) - (last ? p->reach[1] : 0.0), half, half, p);
  }
}

/* Masses at the cell centres, springs between centres; a fixed end is a node of its own behind half a cell.  The spring
 * takes half the mass of each neighbouring cell, all of it at the ends, so that sub-domains of springs share the mass. */
static void fill_cell(vv_fill *f, const bar_plan *p)
{
  double *x = f->block->node_real + BAR_X * f->block->stride + f->body->node0;
  const int64_t n = f->body->n_node, shift = p->held[0] != FREE;
  const double rho_s = p->density * p->area;
  double edge = 0.0;
  for (int64_t e = 0; e < p->elements; e++) {
    const double l = element_length(p, e);
    x[e + shift] = edge + 0.5 * l;
    edge += l;
  }
  if (p->held[0] != FREE) x[0] = 0.0;
  if (p->held[1] != FREE) x[n - 1] = p->length;
  for (int64_t e = 0; e + 1 < n; e++) {
    const int64_t left = e - shift, right = left + 1; /* cells; outside 0..elements-1: a fixed end */
    double m_left = left < 0 ? 0.0 : rho_s * element_length(p, left);
    double m_right = right >= p->elements ? 0.0 : rho_s * element_length(p, right);
    if (e > 0) m_left *= 0.5;
    if (e + 2 < n) m_right *= 0.5;
    set_spring(f, e, x[e + 1] - x[e], m_left, m_right, p);
  }
  double *m = f->block->node_real + BAR_MASS * f->block->stride + f->body->node0;
  if (n == 1) m[0] = rho_s * element_length(p, 0);
  if (p->held[0] != FREE) m[0] = m[1]; /* never moves: any mass will do */
  if (p->held[1] != FREE) m[n - 1] = m[n - 2];
}

/* Mode shapes of the continuous bar: free-free cos(k pi x), fixed-free sin((k-1/2) pi x), ... with x = X/L. */
static double mode_shape(const bar_plan *p, int64_t k, double x)
{
  const bool first = p->held[0] != FREE, last = p->held[1] != FREE;
  const double a = VV_PI * ((double)k - (first != last ? 0.5 : 0.0));
  return first ? sin(a * x) : cos(a * x);
}

static void fill_motion(const vv_group *g, vv_fill *f, const bar_plan *p)
{
  const int64_t i0 = f->body->node0;
  const double *x = bar_node(f->block, BAR_X) + i0, *m = bar_node(f->block, BAR_MASS) + i0;
  const double velocity = vv_number(g, "velocity");
  for (int64_t i = 0; i < f->body->n_node; i++) {
    double u = 0.0, v = velocity;
    for (int j = 0; vv_has(g, "vibration") && j < vv_count(g, "vibration"); j++) {
      const vv_group *mode = vv_item(g, "vibration", j);
      const double s = mode_shape(p, vv_integer(mode, "mode"), x[i] / p->length);
      u += vv_number(mode, "amplitude") * s;
      v += vv_number(mode, "velocity") * s;
    }
    const int64_t end = f->body->n_node - 1;
    if ((i == 0 && p->held[0] != FREE) || (i == end && p->held[1] != FREE)) u = v = 0.0;
    f->q[i0 + i] = u;
    f->p[i0 + i] = m[i] * v;
  }
}

static void fill_loads(const vv_group *g, vv_fill *f)
{
  int32_t n = f->body->load0;
  const int64_t end[2] = {f->body->node0, f->body->node0 + f->body->n_node - 1};
  const char *list[2] = {"loads", "drives"}, *size[2] = {"force", "displacement"};
  for (int k = 0; k < 2; k++)
    for (int i = 0; vv_has(g, list[k]) && i < vv_count(g, list[k]); i++) {
      const vv_group *l = vv_item(g, list[k], i);
      f->block->load[n++] = (vv_load){.body = f->body_in_block,
                                      .node = (int32_t)end[vv_is(l, "end", "last")],
                                      .motion = k == 1,
                                      .value = {vv_number(l, size[k])},
                                      .history = vvi_history_from(l, "history")};
    }
}

static void fill_patches(vv_fill *f, const bar_plan *p, const double axis[3])
{
  for (int end = 0; end < 2; end++) {
    vv_patch *t = &f->block->patch[f->body->patch0 + end];
    *t = (vv_patch){.type = VV_PATCH_TIP,
                    .body = f->body->index,
                    .node = end == 0 ? f->body->node0 : f->body->node0 + f->body->n_node - 1,
                    .feature = end == 0 ? "first" : "last",
                    .reach = p->reach[end],
                    .compliance = p->reach[end] / (p->young * p->area),
                    .held = p->held[end] != FREE,
                    .guided = true};
    for (int c = 0; c < 3; c++) t->direction[c] = end == 0 ? -axis[c] : axis[c];
  }
  if (f->body->n_patch < 3) return;
  vv_patch *t = &f->block->patch[f->body->patch0 + 2]; /* ends of pieces: nodes without a reach, free on both sides */
  *t = (vv_patch){.type = VV_PATCH_TIP,
                  .body = f->body->index,
                  .node = f->body->node0 + 1,
                  .nodes = f->body->n_node - 2,
                  .feature = "break",
                  .guided = true};
  memcpy(t->direction, axis, sizeof t->direction);
}

static void fill_body(const vv_group *g, vv_fill *f, const bar_plan *p)
{
  double *r = f->block->body_real + f->body_in_block * BAR_BODY_COLUMNS;
  int n;
  const double *axis = vv_numbers(g, "axis", &n), norm = vvi_norm3(axis);
  for (int c = 0; c < 3; c++) r[BAR_AXIS + c] = axis[c] / norm;
  memcpy(r + BAR_ORIGIN, vv_numbers(g, "origin", &n), 3 * sizeof(double));
  r[BAR_HELD_FIRST] = p->held[0];
  r[BAR_HELD_LAST] = p->held[1];
  r[BAR_GRAVITY] = vvi_dot3(r + BAR_AXIS, f->block->gravity);
  bar_inelastic *law = (bar_inelastic *)(void *)(r + BAR_INELASTIC);
  if (read_inelastic(g, law) != VV_OK) return;
  if (law->damage >= 0.0) f->block->breaks = true;
  if (law->damping.mass > 0.0 || law->damping.stiffness > 0.0 || law->damping.bulk > 0.0) f->block->viscous = true;
  if (p->held[0] == DRIVEN || p->held[1] == DRIVEN) f->block->driven = true;
  if (p->held[0] != FREE || p->held[1] != FREE || f->body->n_load > 0 || r[BAR_GRAVITY] != 0.0) f->block->booked = true;
  fill_patches(f, p, r + BAR_AXIS);
}

vv_status bar_fill(const vv_group *g, vv_fill *f)
{
  const bar_plan p = plan(g);
  vv_block *b = f->block;
  if (p.cell)
    fill_cell(f, &p);
  else
    fill_lumped(f, &p);
  const double position = vv_number(g, "position");
  fill_motion(g, f, &p);
  for (int64_t i = f->body->node0; i < f->body->node0 + f->body->n_node; i++) {
    b->node_real[BAR_X * b->stride + i] += position;
    b->node_real[BAR_INVERSE_MASS * b->stride + i] = 1.0 / b->node_real[BAR_MASS * b->stride + i];
  }
  if (p.neo_hookean) b->claims &= ~(unsigned)VV_LINEAR;
  fill_body(g, f, &p);
  fill_loads(g, f);
  return VV_OK;
}

/* ---- largest frequency ---- */

/* Number of eigenvalues of M^-1 K (held nodes removed) above lambda, by the signs of the pivots of K - lambda M. */
static int64_t count_above(const vv_block *b, const vv_body *body, const double *r, double lambda)
{
  const double *k = bar_node(b, BAR_STIFFNESS) + body->node0, *m = bar_node(b, BAR_MASS) + body->node0;
  const int64_t i0 = r[BAR_HELD_FIRST] != FREE, i1 = body->n_node - (r[BAR_HELD_LAST] != FREE);
  int64_t count = 0;
  double pivot = INFINITY;
  for (int64_t i = i0; i < i1; i++) {
    const double left = i > 0 ? k[i - 1] : 0.0, right = i + 1 < body->n_node ? k[i] : 0.0;
    pivot = (left + right - lambda * m[i]) - (i > i0 ? left * left / pivot : 0.0);
    if (pivot == 0.0) pivot = -1e-300;
    if (pivot > 0.0) count++;
  }
  return count;
}

/* Branches make a bar stiffer when it is fast. */
static double glass(const vv_block *b, int32_t j)
{
  return 1.0 + vvi_damping_glass(&bar_law_of(b, j)->damping);
}

/* Gershgorin's bound max_i 2 (k_i + k_{i-1})/m_i; exact for uniform lumped bars.  Short bars: bisection down to the true
 * value. */
static double largest_eigenvalue(const vv_block *b, const vv_body *body, const double *r)
{
  const double *k = bar_node(b, BAR_STIFFNESS) + body->node0, *m = bar_node(b, BAR_MASS) + body->node0;
  double hi = 0.0;
  for (int64_t i = 0; i < body->n_node; i++) {
    const double left = i > 0 ? k[i - 1] : 0.0, right = i + 1 < body->n_node ? k[i] : 0.0;
    hi = fmax(hi, 2.0 * (left + right) / m[i]);
  }
  if (body->n_node > 20000 || hi == 0.0) return hi;
  double lo = 0.0;
  for (int it = 0; it < 200 && hi - lo > 4e-16 * hi; it++) {
    const double mid = 0.5 * (lo + hi);
    if (count_above(b, body, r, mid) > 0)
      lo = mid;
    else
      hi = mid;
  }
  return hi;
}

/* The fastest decay of the dashpots, bounded as above: one explicit evaluation takes no energy in only up to 2 over it.
 *                                                                                                              [mat 12] */
static double fastest_decay(const vv_block *b, int32_t j)
{
  const vv_body *body = b->body[j];
  const vvi_damping *d = &bar_law_of(b, j)->damping;
  const double *m = bar_node(b, BAR_MASS) + body->node0;
  double most = 0.0, before = 0.0;
  for (int64_t i = 0; i < body->n_node; i++) {
    const int64_t e = body->element0 + i;
    double behind = 0.0;
    if (i + 1 < body->n_node) {
      const double k = bar_element(b, BAR_SPRING)[e];
      const double mass = bar_element(b, BAR_MASS_LEFT)[e] + bar_element(b, BAR_MASS_RIGHT)[e];
      behind = d->stiffness * k + d->bulk * sqrt(k * mass);
    }
    most = fmax(most, 2.0 * (before + behind) / m[i]);
    before = behind;
  }
  return most;
}

void bar_stable_steps(const vv_block *b, double *out)
{
  for (int32_t j = 0; j < b->n_body; j++) {
    const double lambda = glass(b, j) * largest_eigenvalue(b, b->body[j], bar_body(b, j)), decay = fastest_decay(b, j);
    out[j] = lambda > 0.0 ? 2.0 / sqrt(lambda) : INFINITY;
    if (decay > 0.0) out[j] = fmin(out[j], 2.0 / decay);
  }
}

double bar_stable_step(const vv_block *b)
{
  double lambda = 0.0, decay = 0.0;
  for (int32_t j = 0; j < b->n_body; j++) decay = fmax(decay, fastest_decay(b, j));
  for (int32_t j = 0; j < b->n_body; j++)
    lambda = fmax(lambda, glass(b, j) * largest_eigenvalue(b, b->body[j], bar_body(b, j)));
  const double step = lambda > 0.0 ? 2.0 / sqrt(lambda) : INFINITY;
  return decay > 0.0 ? fmin(step, 2.0 / decay) : step;
}
