/* body/obstacle/obstacle.c  Rigid obstacles fixed in space.  No nodes; impulses go to the ground. */
#include "math/math.h"
#include "model/model.h"

#include <string.h>

/* clang-format off */
static const vv_field plane_field[] = {
  {.name = "normal", .type = VV_VECTOR, .unit = "1", .flags = VV_REQUIRED, .doc = "points to the free side; need not have length 1"},
  {.name = "point",  .type = VV_VECTOR, .unit = "m", .flags = VV_OPTIONAL | VV_MOVED, .doc = "a point of the plane; default: the origin"},
  {.name = "offset", .type = VV_NUMBER, .unit = "m", .deflt = "0", .doc = "distance of the plane from that point along the unit normal"},
};
static const vv_schema plane_schema = {"plane", plane_field, VV_COUNT(plane_field), "a wall or a floor"};
static const vv_field sphere_field[] = {
  {.name = "centre", .type = VV_VECTOR, .unit = "m", .flags = VV_MOVED, .deflt = "[0, 0, 0]", .doc = "middle"},
  {.name = "radius", .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "radius"},
  {.name = "inside", .type = VV_BOOLEAN, .deflt = "false", .doc = "true: bodies are inside"},
};
static const vv_schema sphere_schema = {"sphere", sphere_field, VV_COUNT(sphere_field), "a ball, or a hollow one seen from inside"};
static const vv_field cylinder_field[] = {
  {.name = "centre", .type = VV_VECTOR, .unit = "m", .flags = VV_MOVED, .deflt = "[0, 0, 0]", .doc = "a point of the axis"},
  {.name = "axis",   .type = VV_VECTOR, .unit = "1", .flags = VV_REQUIRED, .doc = "direction of the axis"},
  {.name = "radius", .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "radius"},
  {.name = "inside", .type = VV_BOOLEAN, .deflt = "false", .doc = "true: bodies are inside, as in a pipe"},
};
static const vv_schema cylinder_schema = {"cylinder", cylinder_field, VV_COUNT(cylinder_field), "round and endless"};
static const vv_field box_field[] = {
  {.name = "centre", .type = VV_VECTOR, .unit = "m", .flags = VV_MOVED, .deflt = "[0, 0, 0]", .doc = "middle"},
  {.name = "size",   .type = VV_VECTOR, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "edges along normal, the third axis and axis"},
  {.name = "axis",   .type = VV_VECTOR, .unit = "1", .deflt = "[0, 0, 1]", .doc = "direction of the third edge"},
  {.name = "normal", .type = VV_VECTOR, .unit = "1", .deflt = "[1, 0, 0]", .doc = "direction of the first edge, made perpendicular to the axis"},
};
static const vv_schema box_schema = {"box", box_field, VV_COUNT(box_field), "a block; bodies are outside"};
static const vv_schema room_schema = {"room", box_field, VV_COUNT(box_field), "six walls; bodies are inside"};
static const vv_field shape_field[] = {
  {.name = "plane",    .type = VV_GROUP, .sub = &plane_schema, .flags = VV_OPTIONAL, .doc = "a wall or a floor"},
  {.name = "sphere",   .type = VV_GROUP, .sub = &sphere_schema, .flags = VV_OPTIONAL, .doc = "a ball, or a hollow one"},
  {.name = "cylinder", .type = VV_GROUP, .sub = &cylinder_schema, .flags = VV_OPTIONAL, .doc = "round and endless, or a pipe; a finite one is a rigid body with 'fixed: true'"},
  {.name = "box",      .type = VV_GROUP, .sub = &box_schema, .flags = VV_OPTIONAL, .doc = "a block; bodies are outside"},
  {.name = "room",     .type = VV_GROUP, .sub = &room_schema, .flags = VV_OPTIONAL, .doc = "six walls; bodies are inside"},
};
static const vv_schema shape_schema = {"shape", shape_field, VV_COUNT(shape_field), "exactly one of these"};
static const vv_field obstacle_field[] = {
  {.name = "shape",  .type = VV_CHOICE, .sub = &shape_schema, .flags = VV_REQUIRED, .doc = "what it is"},
  {.name = "copies", .type = VV_GROUP, .sub = &vvi_copies_schema, .flags = VV_OPTIONAL, .doc = "many of the same, NAME-0, NAME-1, ...; a plane wants 'point'"},
};
static const vv_schema obstacle_schema = {"obstacle", obstacle_field, VV_COUNT(obstacle_field), "rigid, fixed in space"};
/* clang-format on */

enum { WALLS = 6 };
static const char *const wall_name[WALLS] = {"wall -1", "wall +1", "wall -2", "wall +2", "wall -3", "wall +3"};

/* Right-handed axes with the third along `axis` and the first near `normal`, by rows; false: they are parallel or zero. */
static bool axes_from(const vv_group *g, double rows[9])
{
  int n;
  const double *axis = vv_numbers(g, "axis", &n), *normal = vv_numbers(g, "normal", &n);
  const double size = vvi_norm3(axis);
  if (size < 1e-150) return false;
  for (int c = 0; c < 3; c++) rows[6 + c] = axis[c] / size;
  const double along = vvi_dot3(normal, rows + 6);
  for (int c = 0; c < 3; c++) rows[c] = normal[c] - along * rows[6 + c];
  const double left = vvi_norm3(rows);
  if (left <= 1e-9 * vvi_norm3(normal)) return false;
  for (int c = 0; c < 3; c++) rows[c] /= left;
  vvi_cross3(rows + 6, rows, rows + 3);
  return true;
}

static bool is_block(const vv_group *g)
{
  return vv_is(g, "shape", "box") || vv_is(g, "shape", "room");
}

static vv_status measure(const vv_group *g, vv_need *need)
{
  int n;
  double rows[9];
  const vv_group *shape = vv_sub(g, "shape");
  const char *direction = vv_is(g, "shape", "plane") ? "normal" : vv_is(g, "shape", "cylinder") ? "axis" : NULL;
  need->patches = vv_is(g, "shape", "room") ? WALLS : 1;
  if (direction != NULL && vvi_norm3(vv_numbers(shape, direction, &n)) < 1e-150)
    return vv_complain(shape, direction, "must not be zero");
  if (is_block(g) && !axes_from(shape, rows))
    return vv_complain(shape, "normal", "must not be zero or parallel to the axis");
  return VV_OK;
}

static void unit(const vv_group *g, const char *name, double out[3])
{
  int n;
  const double *v = vv_numbers(g, name, &n), norm = vvi_norm3(v);
  for (int c = 0; c < 3; c++) out[c] = v[c] / norm;
}

/* A room is six planes, so that a corner is three contacts. */
static void fill_room(const vv_group *room, vv_patch *t)
{
  double rows[9] = {0};
  int n;
  const double *centre = vv_numbers(room, "centre", &n), *size = vv_numbers(room, "size", &n);
  axes_from(room, rows);
  for (int w = 0; w < WALLS; w++) {
    const double sign = w % 2 == 0 ? 1.0 : -1.0; /* the free side looks to the middle */
    t[w].type = VV_PATCH_PLANE;
    t[w].feature = wall_name[w];
    for (int c = 0; c < 3; c++) t[w].direction[c] = sign * rows[3 * (w / 2) + c];
    t[w].offset = vvi_dot3(t[w].direction, centre) - 0.5 * size[w / 2];
  }
}

static void fill_round(const vv_group *g, const vv_group *shape, vv_patch *t)
{
  int n;
  const bool sphere = vv_is(g, "shape", "sphere");
  t->type = sphere ? VV_PATCH_SPHERE : VV_PATCH_CYLINDER;
  memcpy(t->centre, vv_numbers(shape, "centre", &n), sizeof t->centre);
  t->radius = vv_number(shape, "radius");
  t->inside = vv_boolean(shape, "inside");
  if (!sphere) unit(shape, "axis", t->direction);
}

static vv_status fill(const vv_group *g, vv_fill *f)
{
  const vv_group *shape = vv_sub(g, "shape");
  int n;
  vv_patch *t = &f->block->patch[f->body->patch0];
  for (int32_t i = 0; i < f->body->n_patch; i++)
    t[i] = (vv_patch){.body = f->body->index, .node = -1, .feature = vv_text(g, "shape"), .held = true};
  if (vv_is(g, "shape", "plane")) {
    t->type = VV_PATCH_PLANE;
    t->offset = vv_number(shape, "offset");
    unit(shape, "normal", t->direction);
    if (vv_has(shape, "point")) t->offset += vvi_dot3(t->direction, vv_numbers(shape, "point", &n));
  } else if (vv_is(g, "shape", "room")) {
    fill_room(shape, t);
  } else if (vv_is(g, "shape", "box")) {
    t->type = VV_PATCH_BOX;
    axes_from(shape, t->frame);
    memcpy(t->centre, vv_numbers(shape, "centre", &n), sizeof t->centre);
    for (int c = 0; c < 3; c++) t->half[c] = 0.5 * vv_numbers(shape, "size", &n)[c];
  } else {
    fill_round(g, shape, t);
  }
  return VV_OK;
}

/* Nothing moves: the columns are there and do nothing. */
static void kick(const vv_block *b, double t, double h, const double *q, double *p)
{
  (void)b, (void)t, (void)h, (void)q, (void)p;
}
static int drift(const vv_block *b, double h, double *q, double *p)
{
  (void)b, (void)h, (void)q, (void)p;
  return 0;
}
static void book(const vv_block *b, double t, double h, const double *q, const double *p, vv_posted *post)
{
  (void)b, (void)t, (void)h, (void)q, (void)p, (void)post;
}
static void stride(const vv_block *b, double h, double *q, double *p)
{
  (void)b, (void)h, (void)q, (void)p;
}
static void audit(const vv_block *b, const double *q, const double *p, vv_totals *sum)
{
  (void)b, (void)q, (void)p, (void)sum;
}
static double stable_step(const vv_block *b)
{
  (void)b;
  return INFINITY;
}
static void surface(const vv_block *b, const double *q, int n, const vv_point *pt, double *x)
{
  (void)q;
  for (int i = 0; i < n; i++) {
    const vv_patch *t = &b->patch[pt[i].patch];
    for (int c = 0; c < 3; c++) x[3 * i + c] = t->type == VV_PATCH_PLANE ? t->offset * t->direction[c] : t->centre[c];
  }
}
static void push(const vv_block *b, const double *q, const double *p, int n, const vv_point *pt, double *w)
{
  (void)b, (void)q, (void)p, (void)pt;
  memset(w, 0, sizeof(double) * 3 * (size_t)n);
}
static void pull(const vv_block *b, const double *q, int n, const vv_point *pt, const double *r, double *p)
{
  (void)b, (void)q, (void)n, (void)pt, (void)r, (void)p;
}
static void inverse_mass(const vv_block *b, const double *q, int n, const vv_point *pt, double *a)
{
  (void)b, (void)q, (void)pt;
  memset(a, 0, sizeof(double) * 6 * (size_t)n);
}
static void output(const vv_block *b, int field, const double *q, const double *p, double *out)
{
  (void)b, (void)field, (void)q, (void)p, (void)out;
}

static void vary_kick(const vv_block *b, double h, const double *q, const double *dq, double *dp)
{
  (void)b, (void)h, (void)q, (void)dq, (void)dp;
}
static void vary_drift(const vv_block *b, double h, const double *q, const double *p, double *dq, double *dp)
{
  (void)b, (void)h, (void)q, (void)p, (void)dq, (void)dp;
}
static void vary_surface(const vv_block *b, const double *q, const double *dq, int n, const vv_point *pt, double *dx)
{
  (void)b, (void)q, (void)dq, (void)pt;
  memset(dx, 0, sizeof(double) * 3 * (size_t)n);
}
static void restrict_to(const vv_block *b, const unsigned char *inside, vv_block *sub, double *share)
{
  (void)inside, (void)share;
  *sub = *b;
}
static const vv_vary_table vary = {
    .kick = vary_kick, .drift = vary_drift, .surface = vary_surface, .restrict_to = restrict_to};

static const vv_output_field output_field[] = {{"position", "m", 3, false}};

const vv_body_kind vv_obstacle_kind = {
    .name = "obstacle",
    .doc = "rigid obstacle fixed in space",
    .example = "{kind: obstacle, shape: {plane: {normal: [0, 1, 1], offset: -30}}}",
    .claims = VV_EXPLICIT | VV_FLAT | VV_LINEAR | VV_SYMPLECTIC | VV_KEEPS_MOMENTUM,
    .schema = &obstacle_schema,
    .n_output = 1,
    .output_field = output_field,
    .measure = measure,
    .fill = fill,
    .kick = kick,
    .drift = drift,
    .post = book,
    .stride = stride,
    .audit = audit,
    .stable_step = stable_step,
    .surface = surface,
    .push = push,
    .pull = pull,
    .inverse_mass = inverse_mass,
    .output = output,
    .vary = &vary,
};
