/* contact/pairs/near.c  Which curved pairs are near: eight nodes of a curve at once against one obstacle.
 *
 * A lower bound of the gap is enough to pass over most pairs: the distance of the node's centroid less the reach of its
 * section.  What it cannot exclude is measured as a single pair, so the answer has the bits of vvi_pair_gap. */
#include "contact/pairs.h"
#include "math/math.h"
#include "model/columns.h"

enum { STRIP = 128 };

/* ---- runs ---- */

static bool follows(const vvi_pair *first, const vvi_pair *c, int k)
{
  const int corners = first->patch_a->corners;
  return c->curved && !c->layer && c->a == first->a && c->b == first->b &&
         (int64_t)c->point_a.xi[0] == (int64_t)first->point_a.xi[0] + k / corners &&
         (int)c->point_a.xi[1] == k % corners;
}

/* Longest run of pairs from `first`: consecutive nodes of one curve, all corners of each, against one obstacle. */
static int run_length(const struct vvi_pairs *list, int first)
{
  int n = 0;
  while (first + n < list->n && follows(&list->pair[first], &list->pair[first + n], n)) n++;
  return n;
}

static vvi_run run_at(const struct vvi_pairs *list, int first, int n)
{
  const vvi_pair *c = &list->pair[first];
  const vv_patch *t = c->patch_a;
  const double reach = t->corners == 4 ? sqrt(t->half[0] * t->half[0] + t->half[1] * t->half[1]) : t->radius;
  return (vvi_run){.first = first,
                   .nodes = n / t->corners,
                   .corners = t->corners,
                   .block = c->block_a,
                   .node = t->node + (int64_t)c->point_a.xi[0],
                   .reach = reach,
                   .obstacle = c->patch_b};
}

vv_status vvi_runs_build(vv_model *m)
{
  struct vvi_pairs *list = m->pairs;
  for (int pass = 0; pass < 2; pass++) {
    list->n_run = 0;
    for (int i = 0, n; i < list->n; i += n) {
      n = 1;
      if (!list->pair[i].curved || list->pair[i].layer) continue;
      n = run_length(list, i);
      if (pass == 1) list->run[list->n_run] = run_at(list, i, n);
      list->n_run++;
    }
    if (pass == 0) list->run = VVI_ARENA_NEW(&m->arena, vvi_run, list->n_run);
    if (list->run == NULL) return VV_NOMEM;
  }
  return VV_OK;
}

/* ---- how many of n nodes may be nearer than the limit ---- */

VV_HOT static int64_t near_plane(int64_t n, vvi_place_columns at, const vv_patch *o, double limit)
{
  const double a = o->direction[0], b = o->direction[1], c = o->direction[2], offset = o->offset;
  const double *restrict x = at.x, *restrict y = at.y, *restrict z = at.z;
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++) count += a * x[i] + b * y[i] + c * z[i] - offset <= limit;
  return count;
}

VV_HOT static int64_t near_sphere(int64_t n, vvi_place_columns at, const vv_patch *o, double limit)
{
  const double a = o->centre[0], b = o->centre[1], c = o->centre[2];
  const double sign = o->inside ? -1.0 : 1.0, radius = o->radius;
  const double *restrict x = at.x, *restrict y = at.y, *restrict z = at.z;
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++) {
    const double dx = x[i] - a, dy = y[i] - b, dz = z[i] - c;
    count += sign * (sqrt(dx * dx + dy * dy + dz * dz) - radius) <= limit;
  }
  return count;
}

VV_HOT static int64_t near_cylinder(int64_t n, vvi_place_columns at, const vv_patch *o, double limit)
{
  const double a = o->centre[0], b = o->centre[1], c = o->centre[2];
  const double u = o->direction[0], v = o->direction[1], w = o->direction[2];
  const double sign = o->inside ? -1.0 : 1.0, radius = o->radius;
  const double *restrict x = at.x, *restrict y = at.y, *restrict z = at.z;
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++) {
    const double dx = x[i] - a, dy = y[i] - b, dz = z[i] - c, along = dx * u + dy * v + dz * w;
    const double ex = dx - along * u, ey = dy - along * v, ez = dz - along * w;
    count += sign * (sqrt(ex * ex + ey * ey + ez * ez) - radius) <= limit;
  }
  return count;
}

/* The largest distance from a pair of faces is not above the distance from the box. */
VV_HOT static int64_t near_box(int64_t n, vvi_place_columns at, const vv_patch *o, double limit)
{
  const double *f = o->frame;
  const double a = o->centre[0], b = o->centre[1], c = o->centre[2];
  const double ax = f[0], ay = f[1], az = f[2], bx = f[3], by = f[4], bz = f[5], cx = f[6], cy = f[7], cz = f[8];
  const double ha = o->half[0] + limit, hb = o->half[1] + limit, hc = o->half[2] + limit;
  const double *restrict x = at.x, *restrict y = at.y, *restrict z = at.z;
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++) {
    const double dx = x[i] - a, dy = y[i] - b, dz = z[i] - c;
    const double over_a = fabs(ax * dx + ay * dy + az * dz), over_b = fabs(bx * dx + by * dy + bz * dz);
    const double over_c = fabs(cx * dx + cy * dy + cz * dz);
    count += (over_a <= ha) & (over_b <= hb) & (over_c <= hc);
  }
  return count;
}

static int64_t near_nodes(int64_t n, vvi_place_columns at, const vv_patch *o, double limit)
{
  switch (o->type) {
  case VV_PATCH_PLANE:
    return near_plane(n, at, o, limit);
  case VV_PATCH_SPHERE:
    return near_sphere(n, at, o, limit);
  case VV_PATCH_CYLINDER:
    return near_cylinder(n, at, o, limit);
  case VV_PATCH_BOX:
    return near_box(n, at, o, limit);
  default:
    return n;
  }
}

/* ---- pairs ---- */

void vvi_pairs_near(const vv_model *m, const double *q, double limit, vvi_near_fn *found, void *user)
{
  const struct vvi_pairs *list = m->pairs;
  const double slack = 1e-9 * m->length_scale; /* more than rounding of the bound */
  for (int r = 0; r < list->n_run; r++) {
    const vvi_run *run = &list->run[r];
    const double bound = limit + run->reach + slack;
    for (int64_t i = 0; i < run->nodes; i += STRIP) {
      const int64_t n = run->nodes - i < STRIP ? run->nodes - i : STRIP;
      if (near_nodes(n, vvi_places_from(run->block, run->node + i, q), run->obstacle, bound) == 0) continue;
      const int from = run->first + (int)i * run->corners;
      for (int k = from; k < from + (int)n * run->corners; k++) {
        const double gap = vvi_pair_gap(&list->pair[k], q);
        if (gap <= limit) found(user, k, gap);
      }
    }
  }
}
