/* tests/mixed/geometry.c  See geometry.h. */
#include "geometry.h"

#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- vectors ---- */

static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void less(const double a[3], const double b[3], double c[3])
{
  for (int i = 0; i < 3; i++) c[i] = a[i] - b[i];
}

static void cross(const double a[3], const double b[3], double c[3])
{
  c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

static double clamp(double t)
{
  return t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
}

/* ---- distances ---- */

static double point_segment(const double p[3], const double a[3], const double b[3])
{
  double u[3], w[3];
  less(b, a, u), less(p, a, w);
  const double uu = dot(u, u), t = uu > 0.0 ? clamp(dot(u, w) / uu) : 0.0;
  for (int i = 0; i < 3; i++) w[i] -= t * u[i];
  return sqrt(dot(w, w));
}

/* The least of: the common perpendicular, where its feet lie within both; an end of one and the other. */
static double segment_segment(const double a[3], const double b[3], const double c[3], const double d[3])
{
  double u[3], v[3], w[3], n[3];
  double least =
      fmin(fmin(point_segment(a, c, d), point_segment(b, c, d)), fmin(point_segment(c, a, b), point_segment(d, a, b)));
  less(b, a, u), less(d, c, v), less(c, a, w), cross(u, v, n);
  const double nn = dot(n, n);
  if (!(nn > 0.0)) return least;
  double wv[3], wu[3];
  cross(w, v, wv), cross(w, u, wu);
  const double s = dot(wv, n) / nn, t = dot(wu, n) / nn;
  if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0) least = fmin(least, fabs(dot(w, n)) / sqrt(nn));
  return least;
}

/* Is the foot of p on the plane of a triangle within it? */
static bool within(const double p[3], const double t[3][3], const double n[3])
{
  for (int i = 0; i < 3; i++) {
    double edge[3], w[3], c[3];
    less(t[(i + 1) % 3], t[i], edge), less(p, t[i], w), cross(edge, w, c);
    if (dot(c, n) < 0.0) return false;
  }
  return true;
}

static void normal_of(const double t[3][3], double n[3])
{
  double u[3], v[3];
  less(t[1], t[0], u), less(t[2], t[0], v), cross(u, v, n);
}

static double point_triangle(const double p[3], const double t[3][3])
{
  double n[3], w[3];
  normal_of(t, n), less(p, t[0], w);
  double least = fmin(point_segment(p, t[0], t[1]), fmin(point_segment(p, t[1], t[2]), point_segment(p, t[2], t[0])));
  if (within(p, t, n)) least = fmin(least, fabs(dot(w, n)) / sqrt(dot(n, n)));
  return least;
}

static bool pierces(const double a[3], const double b[3], const double t[3][3])
{
  double n[3], u[3], v[3], x[3];
  normal_of(t, n), less(a, t[0], u), less(b, t[0], v);
  const double da = dot(u, n), db = dot(v, n);
  if (!((da > 0.0 && db < 0.0) || (da < 0.0 && db > 0.0))) return false;
  for (int i = 0; i < 3; i++) x[i] = a[i] + da / (da - db) * (b[i] - a[i]);
  return within(x, t, n);
}

static double segment_triangle(const double a[3], const double b[3], const double t[3][3])
{
  if (pierces(a, b, t)) return 0.0;
  double least = fmin(point_triangle(a, t), point_triangle(b, t));
  for (int i = 0; i < 3; i++) least = fmin(least, segment_segment(a, b, t[i], t[(i + 1) % 3]));
  return least;
}

/* ---- outlines ---- */

static void take(const vv_model *m, const vv_state *s, int i, const char *field, int want, double *out)
{
  int components = 0;
  if (vv_model_field_size(m, i, field, &components) * components > want) abort();
  if (vv_model_output(m, s, i, field, out) != VV_OK) abort();
}

static void add_triangle(mixed_outline *k, int diagonals, int a, int b, int c)
{
  if (k->triangles >= GEOMETRY_TRIANGLES) abort();
  for (int d = 0; d < 2; d++)
    if (diagonals & (1 << d)) memcpy(k->triangle[d][k->triangles], (int[3]){a, b, c}, sizeof(int[3]));
}

static void add_face(mixed_outline *k, int a, int b, int c, int d)
{
  add_triangle(k, 1, a, b, c), add_triangle(k, 2, a, b, d), k->triangles++;
  add_triangle(k, 1, a, c, d), add_triangle(k, 2, b, c, d), k->triangles++;
}

static void prism(const vv_model *m, const vv_state *s, int i, mixed_outline *k)
{
  static const double sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  const int n = k->points;
  double d[2][GEOMETRY_POINTS / 4][3], x[GEOMETRY_POINTS / 4][3];
  if (4 * n > GEOMETRY_POINTS) abort();
  memcpy(x, k->x, sizeof(double[3]) * (size_t)n);
  take(m, s, i, "d1", GEOMETRY_POINTS / 4 * 3, d[0][0]), take(m, s, i, "d2", GEOMETRY_POINTS / 4 * 3, d[1][0]);
  k->points = 4 * n;
  for (int j = 0; j < k->points; j++)
    for (int c = 0; c < 3; c++)
      k->x[j][c] = x[j / 4][c] + sign[j % 4][0] * k->shape.half[0] * d[0][j / 4][c] +
                   sign[j % 4][1] * k->shape.half[1] * d[1][j / 4][c];
  for (int j = 0; j + 1 < n; j++)
    for (int c = 0; c < 4; c++) add_face(k, 4 * j + c, 4 * j + (c + 1) % 4, 4 * j + 4 + (c + 1) % 4, 4 * j + 4 + c);
  add_face(k, 0, 1, 2, 3), add_face(k, 4 * n - 4, 4 * n - 3, 4 * n - 2, 4 * n - 1);
}

/* q v q* for a unit quaternion (w, x, y, z): v + 2 w (r x v) + 2 r x (r x v) */
static void turned(const double q[4], const double v[3], double out[3])
{
  double a[3], b[3];
  cross(q + 1, v, a), cross(q + 1, a, b);
  for (int i = 0; i < 3; i++) out[i] = v[i] + 2.0 * (q[0] * a[i] + b[i]);
}

static void box(const vv_model *m, const vv_state *s, int i, mixed_outline *k)
{
  static const int face[6][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}};
  const double centre[3] = {k->x[0][0], k->x[0][1], k->x[0][2]};
  double q[4];
  take(m, s, i, "orientation", 4, q);
  k->points = 8;
  for (int j = 0; j < 8; j++) {
    double corner[3], out[3];
    for (int c = 0; c < 3; c++) corner[c] = (j >> c & 1 ? 1.0 : -1.0) * k->shape.half[c];
    turned(q, corner, out);
    for (int c = 0; c < 3; c++) k->x[j][c] = centre[c] + out[c];
  }
  for (int f = 0; f < 6; f++) add_face(k, face[f][0], face[f][1], face[f][2], face[f][3]);
}

static void sheet(const vv_model *m, int i, mixed_outline *k)
{
  const vv_body *body = &m->body[i];
  const int32_t *node = m->block[body->block].element_node + 3 * body->element0;
  for (int64_t e = 0; e < body->n_element; e++, k->triangles++)
    add_triangle(k, 3, (int)(node[3 * e] - body->node0), (int)(node[3 * e + 1] - body->node0),
                 (int)(node[3 * e + 2] - body->node0));
}

void mixed_outline_of(const vv_model *m, const vv_state *s, int i, const mixed_shape *shape, mixed_outline *k)
{
  k->shape = *shape;
  k->points = (int)m->body[i].n_node, k->segments = k->triangles = 0;
  take(m, s, i, "position", 3 * GEOMETRY_POINTS, k->x[0]);
  for (int c = 0; c < 3; c++) {
    k->centre[c] = 0.0;
    for (int j = 0; j < k->points; j++) k->centre[c] += k->x[j][c] / k->points;
  }
  switch (shape->kind) {
  case MIXED_BAR:
  case MIXED_ROUND:
    for (int j = 0; j + 1 < k->points; j++) k->segment[j][0] = j, k->segment[j][1] = j + 1, k->segments++;
    break;
  case MIXED_BALL:
    k->segment[0][0] = k->segment[0][1] = 0, k->segments = 1;
    break;
  case MIXED_CORNERED:
    prism(m, s, i, k);
    break;
  case MIXED_SHELL:
    sheet(m, i, k);
    break;
  default:
    box(m, s, i, k);
  }
}

/* ---- overlap ---- */

static void corners(const mixed_outline *k, int diagonal, int t, double lift, double out[3][3])
{
  for (int i = 0; i < 3; i++) {
    memcpy(out[i], k->x[k->triangle[diagonal][t][i]], sizeof out[i]);
    out[i][2] += lift;
  }
}

static void ends(const mixed_outline *k, int s, double lift, double out[2][3])
{
  for (int i = 0; i < 2; i++) {
    memcpy(out[i], k->x[k->segment[s][i]], sizeof out[i]);
    out[i][2] += lift;
  }
}

/* Bars on one line: the parts of it that they take up. */
static bool bars_overlap(const mixed_outline *a, const mixed_outline *b, double lift)
{
  double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
  for (int i = 0; i < a->points; i++) lo[0] = fmin(lo[0], a->x[i][2] + lift), hi[0] = fmax(hi[0], a->x[i][2] + lift);
  for (int i = 0; i < b->points; i++) lo[1] = fmin(lo[1], b->x[i][2]), hi[1] = fmax(hi[1], b->x[i][2]);
  return lo[0] < hi[1] && lo[1] < hi[0];
}

static bool lines_overlap(const mixed_outline *a, const mixed_outline *b, double lift)
{
  const double reach = a->shape.radius + b->shape.radius;
  if (a->shape.kind == MIXED_BAR && b->shape.kind == MIXED_BAR) return bars_overlap(a, b, lift);
  for (int i = 0; i < a->segments; i++)
    for (int j = 0; j < b->segments; j++) {
      double x[2][3], y[2][3];
      ends(a, i, lift, x), ends(b, j, 0.0, y);
      if (segment_segment(x[0], x[1], y[0], y[1]) < reach) return true;
    }
  return false;
}

/* lift is that of the line */
static bool line_in_faces(const mixed_outline *line, const mixed_outline *k, int diagonal, double lift)
{
  for (int i = 0; i < line->segments; i++)
    for (int j = 0; j < k->triangles; j++) {
      double x[2][3], t[3][3];
      ends(line, i, lift, x), corners(k, diagonal, j, 0.0, t);
      if (line->shape.radius > 0.0 ? segment_triangle(x[0], x[1], (const double(*)[3])t) < line->shape.radius
                                   : pierces(x[0], x[1], (const double(*)[3])t))
        return true;
    }
  return false;
}

static bool faces_cross(const mixed_outline *a, int da, const mixed_outline *b, int db, double lift)
{
  for (int i = 0; i < a->triangles; i++)
    for (int j = 0; j < b->triangles; j++) {
      double s[3][3], t[3][3];
      corners(a, da, i, lift, s), corners(b, db, j, 0.0, t);
      for (int e = 0; e < 3; e++)
        if (pierces(s[e], s[(e + 1) % 3], (const double(*)[3])t) ||
            pierces(t[e], t[(e + 1) % 3], (const double(*)[3])s))
          return true;
    }
  return false;
}

/* Is a point on the far side of a plate: below it, `sign` 1, or above it, -1?  Plates here lie flat, but for what they bend. */
static bool beyond(const double p[3], const double t[3][3], double sign)
{
  double n[3], w[3];
  normal_of(t, n), less(p, t[0], w);
  const double area = fabs(n[2]);
  for (int i = 0; i < 3; i++) {
    const double *a = t[i], *b = t[(i + 1) % 3];
    if (((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])) * n[2] < 0.0) return false;
  }
  return area > 0.0 && sign * dot(w, n) / n[2] < 0.0;
}

/* Two plates that have passed each other whole cross nowhere: the upper one must also be above the lower one. */
static bool plates_passed(const mixed_outline *upper, const mixed_outline *lower, double lift)
{
  for (int side = 0; side < 2; side++) {
    const mixed_outline *points = side == 0 ? upper : lower, *faces = side == 0 ? lower : upper;
    for (int i = 0; i < points->points; i++)
      for (int j = 0; j < faces->triangles; j++) {
        double t[3][3], p[3];
        memcpy(p, points->x[i], sizeof p);
        p[2] += side == 0 ? lift : -lift;
        corners(faces, 0, j, 0.0, t);
        if (beyond(p, (const double(*)[3])t, side == 0 ? 1.0 : -1.0)) return true;
      }
  }
  return false;
}

static bool apart(const mixed_outline *a, const mixed_outline *b, double lift)
{
  const double reach = a->shape.radius + b->shape.radius;
  for (int c = 0; c < 3; c++) {
    double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
    const double up = c == 2 ? lift : 0.0;
    for (int i = 0; i < a->points; i++) lo[0] = fmin(lo[0], a->x[i][c] + up), hi[0] = fmax(hi[0], a->x[i][c] + up);
    for (int i = 0; i < b->points; i++) lo[1] = fmin(lo[1], b->x[i][c]), hi[1] = fmax(hi[1], b->x[i][c]);
    if (lo[0] > hi[1] + reach || lo[1] > hi[0] + reach) return true;
  }
  return false;
}

static bool overlap(const mixed_outline *a, const mixed_outline *b, double lift)
{
  if (a->shape.kind == MIXED_SHELL && b->shape.kind == MIXED_SHELL && plates_passed(a, b, lift)) return true;
  if (apart(a, b, lift)) return false;
  if (a->segments > 0 && b->segments > 0) return lines_overlap(a, b, lift);
  for (int da = 0; da < 2; da++)
    for (int db = 0; db < 2; db++) {
      const bool found = a->segments > 0   ? line_in_faces(a, b, db, lift)
                         : b->segments > 0 ? line_in_faces(b, a, da, -lift)
                                           : faces_cross(a, da, b, db, lift);
      if (!found) return false;
    }
  return true;
}

double mixed_depth(const mixed_outline *upper, const mixed_outline *lower, double slack)
{
  double lo = slack, hi = 2.0 * slack;
  if (!overlap(upper, lower, slack)) return 0.0;
  while (hi < 0.1 && overlap(upper, lower, hi)) lo = hi, hi *= 2.0;
  for (int i = 0; i < 20; i++) {
    const double mid = 0.5 * (lo + hi);
    *(overlap(upper, lower, mid) ? &lo : &hi) = mid;
  }
  return hi;
}

double mixed_below(const mixed_outline *k)
{
  double lowest = INFINITY;
  for (int i = 0; i < k->points; i++) lowest = fmin(lowest, k->x[i][2]);
  return k->shape.radius - lowest;
}
