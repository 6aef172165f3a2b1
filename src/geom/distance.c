/* geom/distance.c  Signed distance of a point from a part, and from a solid. */
#include "geom/touch.h"
#include "geom/tree.h"

/* d outside along the vector v of length l > 0 (to space axes: n = e^T v/l). */
static void turned(const double e[9], const double v[3], double l, double n[3])
{
  const double u[3] = {v[0] / l, v[1] / l, v[2] / l};
  vvi_tapply33(e, u, n);
}

static double from_point(const double p[3], const double x[3], const double fallback[3], double n[3])
{
  double d[3];
  vvi_sub3(x, p, d);
  const double length = vvi_norm3(d);
  for (int i = 0; i < 3; i++) n[i] = length > 0.0 ? d[i] / length : fallback[i];
  return length;
}

static double block_distance(const vvi_placed *p, const double x[3], double n[3])
{
  const double *h = p->part->half;
  double d[3], y[3], out[3], deep[3];
  vvi_sub3(x, p->c, d);
  vvi_apply33(p->e, d, y);
  for (int i = 0; i < 3; i++) deep[i] = fabs(y[i]) - h[i], out[i] = deep[i] > 0.0 ? copysign(deep[i], y[i]) : 0.0;
  const double dd = vvi_dot3(out, out);
  if (dd > 0.0) {
    const double l = sqrt(dd);
    turned(p->e, out, l, n);
    return l;
  }
  int k = deep[0] >= deep[1] ? 0 : 1;
  if (deep[2] > deep[k]) k = 2;
  for (int i = 0; i < 3; i++) n[i] = y[k] < 0.0 ? -p->e[3 * k + i] : p->e[3 * k + i];
  return deep[k];
}

/* Unit vector away from the axis e[6..8] and the distance r from it. */
static double radial(const vvi_placed *p, const double d[3], double z, double n[3])
{
  vvi_mad3(d, -z, p->e + 6, n);
  const double r = vvi_norm3(n);
  for (int i = 0; i < 3; i++) n[i] = r > 0.0 ? n[i] / r : p->e[i];
  return r;
}

static double cylinder_distance(const vvi_placed *p, const double x[3], double n[3])
{
  double d[3], out[3];
  vvi_sub3(x, p->c, d);
  const double z = vvi_dot3(d, p->e + 6), r = radial(p, d, z, out);
  const double dr = r - p->part->radius, dz = fabs(z) - p->part->half[2], side = z < 0.0 ? -1.0 : 1.0;
  double cr = dr >= dz ? 1.0 : 0.0, cz = dr >= dz ? 0.0 : 1.0, distance = fmax(dr, dz);
  if (dr > 0.0 && dz > 0.0) distance = sqrt(dr * dr + dz * dz), cr = dr / distance, cz = dz / distance;
  for (int i = 0; i < 3; i++) n[i] = cr * out[i] + cz * side * p->e[6 + i];
  return distance;
}

static bool in_loop(const vvi_polyhedron *p, int f, const double y[3])
{
  for (int j = p->first[f]; j < p->first[f + 1]; j++) {
    const double *v = p->vertex + 3 * p->loop[j];
    const double *w = p->vertex + 3 * p->loop[j + 1 < p->first[f + 1] ? j + 1 : p->first[f]];
    double along[3], out[3], d[3];
    vvi_sub3(w, v, along);
    vvi_cross3(along, p->plane + 4 * f, out);
    vvi_sub3(y, v, d);
    if (vvi_dot3(d, out) > 0.0) return false;
  }
  return true;
}

/* Outside, the nearest point is over the face that is farthest behind, or on an edge of a face that is seen. */
static double hull_distance(const vvi_placed *p, const double x[3], double n[3])
{
  const vvi_polyhedron *k = p->part->polyhedron;
  double d[3], y[3];
  vvi_sub3(x, p->pose->place, d);
  vvi_tapply33(p->pose->turn, d, y);
  int best = 0;
  double most = -INFINITY;
  for (int f = 0; f < k->faces; f++) {
    const double h = vvi_dot3(k->plane + 4 * f, y) - k->plane[4 * f + 3];
    if (h > most) most = h, best = f;
  }
  if (most <= 0.0 || in_loop(k, best, y)) {
    vvi_apply33(p->pose->turn, k->plane + 4 * best, n);
    return most;
  }
  double least = INFINITY, to[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < k->edges; i++) {
    const double *v = k->vertex + 3 * k->edge[4 * i], *w = k->vertex + 3 * k->edge[4 * i + 1];
    double along[3], from[3], r[3];
    vvi_sub3(w, v, along);
    vvi_sub3(y, v, from);
    const double t = vvi_clamp(vvi_dot3(from, along) / vvi_dot3(along, along), 0.0, 1.0);
    vvi_mad3(from, -t, along, r);
    const double rr = vvi_dot3(r, r);
    if (rr < least) {
      least = rr;
      for (int c = 0; c < 3; c++) to[c] = r[c];
    }
  }
  const double l = sqrt(least);
  double u[3];
  for (int c = 0; c < 3; c++) u[c] = l > 0.0 ? to[c] / l : k->plane[4 * best + c];
  vvi_apply33(p->pose->turn, u, n);
  return l;
}

double vvi_part_distance(const vvi_placed *p, const double x[3], double n[3])
{
  const vvi_part *part = p->part;
  double d[3];
  vvi_sub3(x, p->c, d);
  switch (part->type) {
  case VVI_PART_BALL:
    return from_point(p->c, x, p->e + 6, n) - part->radius;
  case VVI_PART_CAPSULE: {
    double q[3];
    vvi_mad3(p->c, vvi_clamp(vvi_dot3(d, p->e + 6), -part->half[2], part->half[2]), p->e + 6, q);
    return from_point(q, x, p->e, n) - part->radius;
  }
  case VVI_PART_BLOCK:
    return block_distance(p, x, n);
  case VVI_PART_CYLINDER:
    return cylinder_distance(p, x, n);
  case VVI_PART_HULL:
    return hull_distance(p, x, n);
  case VVI_PART_MESH:
    return vvi_mesh_distance(p, x, n);
  case VVI_PART_PIPE:
    return radial(p, d, vvi_dot3(d, p->e + 6), n) - part->radius;
  default:
    for (int i = 0; i < 3; i++) n[i] = p->e[6 + i];
    return vvi_dot3(d, p->e + 6);
  }
}

double vvi_solid_distance(const vv_solid *s, const vvi_pose *pose, const double x[3], double n[3])
{
  double least = INFINITY;
  n[0] = n[1] = 0.0, n[2] = 1.0;
  for (int k = 0; k < s->parts; k++) {
    const vvi_part *part = &s->part[k];
    vvi_placed p;
    double m[3];
    vvi_place(part, pose, &p);
    const double sign = part->hollow ? -1.0 : 1.0, distance = sign * vvi_part_distance(&p, x, m);
    if (!(distance < least)) continue;
    least = distance;
    for (int i = 0; i < 3; i++) n[i] = sign * m[i];
  }
  return least;
}
