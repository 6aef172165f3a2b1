/* geom/weigh.c  Volume, centre and inertia: closed forms of simple parts, sums over triangles of the others.
 *
 * A closed surface is summed as tetrahedra with a common corner o.  With a, b, c the corners of a triangle relative to o,
 * V = a.(b x c)/6 and s = a + b + c,
 *
 *   int 1 = V,   int x = V s/4,   int x x^T = V (s s^T + a a^T + b b^T + c c^T)/20,                              [solid 4]
 *
 * and the same with the area A of the triangle itself for a thin skin,
 *
 *   int 1 = A,   int x = A s/3,   int x x^T = A (s s^T + a a^T + b b^T + c c^T)/12.                              [solid 5]
 *
 * The inertia is tr(M) 1 - M of the second moments M about the centre. */
#include "geom/touch.h"

#include <string.h>

/* Mass, first and second moments about the origin of the solid. */
typedef struct moments {
  double m, first[3], second[9];
} moments;

/* Adds a part with mass m, centre c and second moments about it by rows in axes e. */
static void add_moments(moments *sum, double m, const double c[3], const double e[9], const double second[3])
{
  sum->m += m;
  for (int i = 0; i < 3; i++) {
    sum->first[i] += m * c[i];
    for (int j = 0; j < 3; j++) {
      double s = m * c[i] * c[j];
      for (int k = 0; k < 3; k++) s += second[k] * e[3 * k + i] * e[3 * k + j];
      sum->second[3 * i + j] += s;
    }
  }
}

/* One corner, triangle (a, b, c) relative to o: [solid 4] or [solid 5]. */
static void add_triangle(const double a[3], const double b[3], const double c[3], bool skin, moments *sum)
{
  double cross[3], u[3], v[3];
  if (skin) {
    vvi_sub3(b, a, u);
    vvi_sub3(c, a, v);
    vvi_cross3(u, v, cross);
  } else
    vvi_cross3(b, c, cross);
  const double m = skin ? 0.5 * vvi_norm3(cross) : vvi_dot3(a, cross) / 6.0;
  const double one = skin ? 1.0 / 3.0 : 0.25, two = skin ? 1.0 / 12.0 : 0.05;
  const double s[3] = {a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2]};
  sum->m += m;
  for (int i = 0; i < 3; i++) {
    sum->first[i] += m * one * s[i];
    for (int j = 0; j < 3; j++)
      sum->second[3 * i + j] += m * two * (s[i] * s[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]);
  }
}

/* A surface about o, then shifted to the origin of the solid and scaled by the density. */
static void add_surface(const vvi_part *p, bool skin, double density, moments *sum)
{
  const double *x = p->surface ? p->surface->vertex : p->polyhedron->vertex, *o = p->centre;
  moments t;
  memset(&t, 0, sizeof t);
  double a[3], b[3], c[3];
  if (p->surface)
    for (int i = 0; i < p->surface->triangles; i++) {
      const int *v = p->surface->triangle + 3 * i;
      vvi_sub3(x + 3 * v[0], o, a), vvi_sub3(x + 3 * v[1], o, b), vvi_sub3(x + 3 * v[2], o, c);
      add_triangle(a, b, c, skin, &t);
    }
  else
    for (int f = 0; f < p->polyhedron->faces; f++) {
      const int first = p->polyhedron->first[f], n = p->polyhedron->first[f + 1] - first;
      const int *v = p->polyhedron->loop + first;
      for (int i = 1; i + 1 < n; i++) {
        vvi_sub3(x + 3 * v[0], o, a), vvi_sub3(x + 3 * v[i], o, b), vvi_sub3(x + 3 * v[i + 1], o, c);
        add_triangle(a, b, c, skin, &t);
      }
    }
  sum->m += density * t.m;
  for (int i = 0; i < 3; i++) {
    sum->first[i] += density * (t.first[i] + t.m * o[i]);
    for (int j = 0; j < 3; j++)
      sum->second[3 * i + j] +=
          density * (t.second[3 * i + j] + t.first[i] * o[j] + o[i] * t.first[j] + t.m * o[i] * o[j]);
  }
}

/* Mass and second moments about the own centre in own axes, for density 1; false: a surface, or no mass at all. */
static bool simple_weight(const vvi_part *p, double *m, double s[3])
{
  const double r = p->radius, h = p->half[2];
  switch (p->type) {
  case VVI_PART_BALL:
    *m = 4.0 / 3.0 * VV_PI * r * r * r;
    s[0] = s[1] = s[2] = *m * r * r / 5.0;
    return true;
  case VVI_PART_CYLINDER:
    *m = 2.0 * VV_PI * r * r * h;
    s[0] = s[1] = *m * r * r / 4.0, s[2] = *m * h * h / 3.0;
    return true;
  case VVI_PART_CAPSULE: { /* a cylinder and two half balls, their centres of mass 3 r/8 beyond the ends */
    const double mc = 2.0 * VV_PI * r * r * h, mb = 4.0 / 3.0 * VV_PI * r * r * r;
    *m = mc + mb;
    s[0] = s[1] = mc * r * r / 4.0 + mb * r * r / 5.0;
    s[2] = mc * h * h / 3.0 + mb * (r * r / 5.0 + h * h + 0.75 * h * r);
    return true;
  }
  case VVI_PART_BLOCK:
    *m = 8.0 * p->half[0] * p->half[1] * p->half[2];
    for (int i = 0; i < 3; i++) s[i] = *m * p->half[i] * p->half[i] / 3.0;
    return true;
  default:
    return false;
  }
}

/* The same for a thin skin. */
static bool simple_skin(const vvi_part *p, double *m, double s[3])
{
  const double r = p->radius, *h = p->half;
  if (p->type == VVI_PART_BALL) {
    *m = 4.0 * VV_PI * r * r;
    s[0] = s[1] = s[2] = *m * r * r / 3.0;
    return true;
  }
  if (p->type == VVI_PART_CYLINDER) { /* mantle and two discs */
    const double side = 4.0 * VV_PI * r * h[2], ends = 2.0 * VV_PI * r * r;
    *m = side + ends;
    s[0] = s[1] = side * r * r / 2.0 + ends * r * r / 4.0;
    s[2] = side * h[2] * h[2] / 3.0 + ends * h[2] * h[2];
    return true;
  }
  if (p->type != VVI_PART_BLOCK) return false;
  *m = s[0] = s[1] = s[2] = 0.0;
  for (int i = 0; i < 3; i++) { /* the two faces across axis i */
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double area = 8.0 * h[j] * h[k];
    *m += area;
    s[i] += area * h[i] * h[i], s[j] += area * h[j] * h[j] / 3.0, s[k] += area * h[k] * h[k] / 3.0;
  }
  return true;
}

static void close_moments(const moments *sum, vvi_weight *w)
{
  memset(w, 0, sizeof *w);
  w->volume = sum->m;
  if (!(sum->m > 0.0)) return;
  double s[9];
  for (int i = 0; i < 3; i++) w->centre[i] = sum->first[i] / sum->m;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      s[3 * i + j] = 0.5 * (sum->second[3 * i + j] + sum->second[3 * j + i]) - sum->m * w->centre[i] * w->centre[j];
  const double trace = s[0] + s[4] + s[8];
  for (int i = 0; i < 9; i++) w->inertia[i] = (i % 4 ? 0.0 : trace) - s[i];
}

/* One simple part alone: about its own centre, without the way there and back. */
static bool single(const vv_solid *s, double m, const double second[3], vvi_weight *w)
{
  if (s->parts != 1) return false;
  const vvi_part *p = s->part;
  moments own;
  memset(&own, 0, sizeof own);
  add_moments(&own, m, (const double[3]){0.0, 0.0, 0.0}, p->frame, second);
  close_moments(&own, w);
  for (int i = 0; i < 3; i++) w->centre[i] = p->centre[i];
  return true;
}

void vvi_solid_weigh(const vv_solid *s, vvi_weight *w)
{
  moments sum;
  memset(&sum, 0, sizeof sum);
  for (int k = 0; k < s->parts; k++) {
    const vvi_part *p = &s->part[k];
    double m, second[3];
    if (p->hollow) continue;
    if (simple_weight(p, &m, second)) {
      m *= p->density;
      for (int i = 0; i < 3; i++) second[i] *= p->density;
      if (single(s, m, second, w)) return;
      add_moments(&sum, m, p->centre, p->frame, second);
    } else if (p->type == VVI_PART_HULL || p->type == VVI_PART_MESH)
      add_surface(p, false, p->density, &sum);
  }
  close_moments(&sum, w);
}

bool vvi_solid_weigh_skin(const vv_solid *s, vvi_weight *w)
{
  moments sum;
  memset(&sum, 0, sizeof sum);
  memset(w, 0, sizeof *w);
  for (int k = 0; k < s->parts; k++) {
    const vvi_part *p = &s->part[k];
    double m, second[3];
    if (simple_skin(p, &m, second)) {
      m *= p->density;
      for (int i = 0; i < 3; i++) second[i] *= p->density;
      if (single(s, m, second, w)) return true;
      add_moments(&sum, m, p->centre, p->frame, second);
    } else if (p->type == VVI_PART_HULL || p->type == VVI_PART_MESH)
      add_surface(p, true, p->density, &sum);
    else
      return false;
  }
  close_moments(&sum, w);
  return true;
}

/* ---- principal axes ---- */

/* One Jacobi rotation that makes a_pq zero: t = tan of its angle, the smaller root of t^2 + 2 theta t - 1 = 0. */
static void rotate(double a[9], double q[9], int p, int r)
{
  const double apq = a[3 * p + r];
  if (apq == 0.0) return;
  const double theta = (a[4 * r] - a[4 * p]) / (2.0 * apq);
  const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0)), c = 1.0 / sqrt(t * t + 1.0),
               s = t * c;
  for (int k = 0; k < 3; k++) {
    const double x = a[3 * k + p], y = a[3 * k + r];
    a[3 * k + p] = c * x - s * y, a[3 * k + r] = s * x + c * y;
  }
  for (int k = 0; k < 3; k++) {
    const double x = a[3 * p + k], y = a[3 * r + k];
    a[3 * p + k] = c * x - s * y, a[3 * r + k] = s * x + c * y;
  }
  a[3 * p + r] = a[3 * r + p] = 0.0;
  for (int k = 0; k < 3; k++) {
    const double x = q[3 * k + p], y = q[3 * k + r];
    q[3 * k + p] = c * x - s * y, q[3 * k + r] = s * x + c * y;
  }
}

void vvi_principal(const double inertia[9], double moment[3], double turn[9])
{
  double a[9];
  const double scale = fabs(inertia[0]) + fabs(inertia[4]) + fabs(inertia[8]), small = 1e-15 * scale;
  for (int i = 0; i < 9; i++) turn[i] = i % 4 ? 0.0 : 1.0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a[3 * i + j] = 0.5 * (inertia[3 * i + j] + inertia[3 * j + i]);
  for (int sweep = 0; sweep < 30; sweep++) {
    if (fmax(fabs(a[1]), fmax(fabs(a[2]), fabs(a[5]))) <= small) break;
    for (int p = 0; p < 2; p++)
      for (int r = p + 1; r < 3; r++)
        if (fabs(a[3 * p + r]) > small) rotate(a, turn, p, r);
  }
  for (int i = 0; i < 3; i++) moment[i] = a[4 * i];
  /* nearly equal moments: the mean of both (of all three, where they are) */
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double near = 1e-13 * scale;
    if (fabs(moment[i] - moment[j]) > near) continue;
    if (fabs(moment[k] - moment[i]) <= near && fabs(moment[k] - moment[j]) <= near) {
      moment[0] = moment[1] = moment[2] = (moment[0] + moment[1] + moment[2]) / 3.0;
      break;
    }
    moment[i] = moment[j] = 0.5 * (moment[i] + moment[j]);
  }
}

/* ---- how thin ---- */

static double part_width(const vvi_part *p)
{
  moments inside = {0}, skin = {0};
  if (p->hollow || p->type == VVI_PART_HALF_SPACE) return INFINITY;
  switch (p->type) {
  case VVI_PART_BLOCK:
    return 2.0 * fmin(p->half[0], fmin(p->half[1], p->half[2]));
  case VVI_PART_CYLINDER:
    return 2.0 * fmin(p->radius, p->half[2]);
  case VVI_PART_HULL:
  case VVI_PART_MESH:
    add_surface(p, false, 1.0, &inside);
    add_surface(p, true, 1.0, &skin);
    return 2.0 * inside.m / skin.m;
  default:
    return 2.0 * p->radius;
  }
}

double vvi_solid_width(const vv_solid *s)
{
  double least = INFINITY;
  for (int i = 0; i < s->parts; i++) least = fmin(least, part_width(&s->part[i]));
  return least;
}
