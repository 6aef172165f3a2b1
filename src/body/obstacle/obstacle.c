/* body/obstacle/obstacle.c  Rigid obstacles fixed in space: a plane.  No nodes, one patch; impulses go to the ground. */
#include "math/math.h"
#include "model/model.h"

#include <string.h>

/* clang-format off */
static const vv_field plane_field[] = {
  {.name = "normal", .type = VV_VECTOR, .unit = "1", .flags = VV_REQUIRED, .doc = "points to the free side; need not have length 1"},
  {.name = "offset", .type = VV_NUMBER, .unit = "m", .deflt = "0", .doc = "distance of the plane from the origin along the unit normal"},
};
static const vv_schema plane_schema = {"plane", plane_field, VV_COUNT(plane_field), "a wall or a floor"};
static const vv_field shape_field[] = {
  {.name = "plane", .type = VV_GROUP, .sub = &plane_schema, .flags = VV_OPTIONAL, .doc = "a wall or a floor"},
};
static const vv_schema shape_schema = {"shape", shape_field, VV_COUNT(shape_field), "exactly one of these"};
static const vv_field obstacle_field[] = {
  {.name = "shape", .type = VV_CHOICE, .sub = &shape_schema, .flags = VV_REQUIRED, .doc = "what it is"},
};
static const vv_schema obstacle_schema = {"obstacle", obstacle_field, VV_COUNT(obstacle_field), "rigid, fixed in space"};
/* clang-format on */

static vv_status measure(const vv_group *g, vv_need *need)
{
  int n;
  const vv_group *plane = vv_sub(g, "shape");
  need->patches = 1;
  if (vvi_norm3(vv_numbers(plane, "normal", &n)) < 1e-150) return vv_complain(plane, "normal", "must not be zero");
  return VV_OK;
}

static vv_status fill(const vv_group *g, vv_fill *f)
{
  const vv_group *plane = vv_sub(g, "shape");
  int n;
  const double *normal = vv_numbers(plane, "normal", &n), norm = vvi_norm3(normal);
  vv_patch *t = &f->block->patch[f->body->patch0];
  *t = (vv_patch){.type = VV_PATCH_PLANE,
                  .body = f->body->index,
                  .node = -1,
                  .feature = "plane",
                  .offset = vv_number(plane, "offset"),
                  .held = true};
  for (int c = 0; c < 3; c++) t->direction[c] = normal[c] / norm;
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
static void drive(const vv_block *b, double t, double h, double *q, double *p, vv_posted *post)
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
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 3; c++) x[3 * i + c] = b->patch[pt[i].patch].offset * b->patch[pt[i].patch].direction[c];
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
    .claims = VV_EXPLICIT | VV_FLAT | VV_LINEAR | VV_KEEPS_MOMENTUM,
    .schema = &obstacle_schema,
    .n_output = 1,
    .output_field = output_field,
    .measure = measure,
    .fill = fill,
    .kick = kick,
    .drift = drift,
    .drive = drive,
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
