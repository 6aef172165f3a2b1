/* contact/narrow/closest.c  Closest points of a vertex and a triangle, and of two edges. */
#include "contact/narrow/closest.h"

#include <string.h>

#include "math/math.h"

static void minus(const double a[3], const double b[3], double d[3])
{
  for (int i = 0; i < 3; i++) d[i] = a[i] - b[i];
}

static double clamp01(double x)
{
  return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
}

/* ---- closest points ---- */

/* Voronoi clusters of a triangle in the order corners, edges, face (Ericson, Real-Time Collision Detection, 5.1.5). */
static int foot(const double x[4][3], double b[3])
{
  double u[3], v[3], w[3];
  minus(x[2], x[1], u), minus(x[3], x[1], v), minus(x[0], x[1], w);
  const double uu = vvi_dot3(u, u), uv = vvi_dot3(u, v), vv = vvi_dot3(v, v), uw = vvi_dot3(u, w), vw = vvi_dot3(v, w);
  const double bu = uw - uu, bv = vw - uv, cu = uw - uv, cv = vw - vv; /* u, v seen from the second and third corner */
  const double area_a = bu * cv - cu * bv, area_b = cu * vw - uw * cv, area_c = uw * bv - bu * vw;
  b[0] = b[1] = b[2] = 0.0;
  if (uw <= 0.0 && vw <= 0.0) return b[0] = 1.0, 4;
  if (bu >= 0.0 && bv <= bu) return b[1] = 1.0, 5;
  if (cv >= 0.0 && cu <= cv) return b[2] = 1.0, 6;
  if (area_c <= 0.0 && uw >= 0.0 && bu <= 0.0) return b[1] = uw / (uw - bu), b[0] = 1.0 - b[1], 3;
  if (area_b <= 0.0 && vw >= 0.0 && cv <= 0.0) return b[2] = vw / (vw - cv), b[0] = 1.0 - b[2], 2;
  if (area_a <= 0.0 && bv - bu >= 0.0 && cu - cv >= 0.0)
    return b[2] = (bv - bu) / ((bv - bu) + (cu - cv)), b[1] = 1.0 - b[2], 1;
  const double sum = area_a + area_b + area_c;
  b[1] = area_b / sum, b[2] = area_c / sum, b[0] = 1.0 - b[1] - b[2];
  return 0;
}

/* The unconstrained minimum of |x0 + s u - y0 - t v|, then each clamped against the other; parallel edges: the middle of the
 * common stretch. */
static void edges(const double x[4][3], double *s, double *t)
{
  double u[3], v[3], r[3];
  minus(x[1], x[0], u), minus(x[3], x[2], v), minus(x[0], x[2], r);
  const double a = vvi_dot3(u, u), e = vvi_dot3(v, v), b = vvi_dot3(u, v), ur = vvi_dot3(u, r), f = vvi_dot3(v, r);
  const double det = a * e - b * b;
  if (det > 1e-12 * a * e)
    *s = clamp01((b * f - ur * e) / det);
  else
    *s = a > 0.0 ? 0.5 * (clamp01(-ur / a) + clamp01((b - ur) / a)) : 0.0;
  *t = e > 0.0 ? (b * *s + f) / e : 0.0;
  if (*t < 0.0 || *t > 1.0) {
    *t = clamp01(*t);
    *s = a > 0.0 ? clamp01((b * *t - ur) / a) : 0.0;
  }
}

static int end_of(double s)
{
  return s <= 0.0 ? 1 : s >= 1.0 ? 2 : 0;
}

static void weigh(vvi_feature f, const double x[4][3], vvi_closest *out)
{
  if (f == VVI_VERTEX_FACE) {
    double b[3];
    out->on[0] = 0, out->on[1] = foot(x, b);
    out->c[0] = 1.0;
    for (int i = 0; i < 3; i++) out->c[1 + i] = -b[i];
    return;
  }
  double s, t;
  edges(x, &s, &t);
  out->on[0] = end_of(s), out->on[1] = end_of(t);
  out->c[0] = 1.0 - s, out->c[1] = s, out->c[2] = t - 1.0, out->c[3] = -t;
}

static void apart(const double x[4][3], const double c[4], double d[3])
{
  for (int i = 0; i < 3; i++) d[i] = (c[0] * x[0][i] + c[1] * x[1][i]) + (c[2] * x[2][i] + c[3] * x[3][i]);
}

void vvi_closest_at(vvi_feature f, const double x[4][3], vvi_closest *out)
{
  double d[3];
  weigh(f, x, out);
  apart(x, out->c, d);
  out->d = vvi_norm3(d);
  for (int i = 0; i < 3; i++) out->n[i] = out->d > 0.0 ? d[i] / out->d : 0.0;
}

double vvi_separation(vvi_feature f, const double x[4][3], const double n[3])
{
  double h[4];
  for (int k = 0; k < 4; k++) h[k] = vvi_dot3(n, x[k]);
  if (f == VVI_VERTEX_FACE) return h[0] - fmax(h[1], fmax(h[2], h[3]));
  return fmin(h[0], h[1]) - fmax(h[2], h[3]);
}

/* ---- crossings ---- */

typedef struct path {
  vvi_feature feature;
  const double (*x)[3], (*y)[3];
  double slack;
} path;

static void at_time(const path *p, double t, double x[4][3])
{
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 3; i++) x[k][i] = p->x[k][i] + t * (p->y[k][i] - p->x[k][i]);
}

/* The three vectors whose product vanishes when the four points lie in one plane. */
static void frame_of(vvi_feature f, const double x[4][3], double e[3][3])
{
  if (f == VVI_VERTEX_FACE)
    minus(x[2], x[1], e[0]), minus(x[3], x[1], e[1]), minus(x[0], x[1], e[2]);
  else
    minus(x[1], x[0], e[0]), minus(x[3], x[2], e[1]), minus(x[0], x[2], e[2]);
}

static double product(const double a[3], const double b[3], const double c[3])
{
  double ab[3];
  vvi_cross3(a, b, ab);
  return vvi_dot3(ab, c);
}

static double cubic(const double k[4], double t)
{
  return k[0] + t * (k[1] + t * (k[2] + t * k[3]));
}

/* Root of a function that has one sign at lo and the other at hi, between them monotone. */
static double bisect(const double k[4], double lo, double hi)
{
  const bool rising = cubic(k, lo) < cubic(k, hi);
  double t = 0.5 * (lo + hi);
  for (int i = 0; i < 100 && hi > lo; i++) {
    const double f = cubic(k, t), slope = k[1] + t * (2.0 * k[2] + t * 3.0 * k[3]);
    if ((f < 0.0) == rising)
      lo = t;
    else
      hi = t;
    const double newton = slope != 0.0 ? t - f / slope : lo - 1.0, last = t;
    t = newton > lo && newton < hi && i % 4 != 3 ? newton : 0.5 * (lo + hi);
    if (fabs(t - last) <= 1e-16) break;
  }
  return t;
}

/* Ascending times in [0, 1] where the cubic vanishes or comes within `noise` of it. */
static int roots(const double k[4], double noise, double root[5])
{
  double cut[4] = {0.0, 1.0, 1.0, 1.0}, small, large;
  int n = 0, cuts = 1;
  const double a = 3.0 * k[3], b = 2.0 * k[2], c = k[1];
  if (a != 0.0 && vvi_quadratic(fabs(a), a > 0.0 ? b : -b, a > 0.0 ? c : -c, &small, &large)) {
    const double first = fmin(small, large), second = fmax(small, large);
    if (first > 0.0 && first < 1.0) cut[cuts++] = first;
    if (second > 0.0 && second < 1.0) cut[cuts++] = second;
  } else if (a == 0.0 && b != 0.0 && -c / b > 0.0 && -c / b < 1.0) {
    cut[cuts++] = -c / b;
  }
  cut[cuts] = 1.0;
  for (int i = 0; i <= cuts; i++) {
    const double f = cubic(k, cut[i]);
    if (i > 0 && (cubic(k, cut[i - 1]) < 0.0) != (f < 0.0)) root[n++] = bisect(k, cut[i - 1], cut[i]);
    if (i > 0 && fabs(f) <= noise && n < 5) root[n++] = cut[i];
  }
  return n;
}

/* The features at a time when the points lie in one plane: do they meet there?  *parallel: yes, but edges that are parallel
 * then have no normal. */
static bool meet_at(const path *p, double t, vvi_closest *out, bool *parallel)
{
  double x[4][3], e[3][3], d[3];
  at_time(p, t, x);
  vvi_closest_at(p->feature, (const double(*)[3])x, out);
  if (!(out->d <= p->slack)) return false;
  frame_of(p->feature, (const double(*)[3])x, e);
  vvi_cross3(e[0], e[1], out->n);
  const double size = vvi_norm3(out->n);
  *parallel |= !(size > 1e-9 * vvi_norm3(e[0]) * vvi_norm3(e[1]));
  if (*parallel) return false;
  apart(p->x, out->c, d);
  const double sign = vvi_dot3(out->n, d) < 0.0 ? -1.0 : 1.0;
  for (int i = 0; i < 3; i++) out->n[i] *= sign / size;
  return true;
}

/* All four points stay in one plane, or nearly: steps so short that nothing can meet between them.  The normal is that of the last
 * place before they meet: of points that have met rounding decides where it leads. */
static bool march(const path *p, double *time, vvi_closest *out)
{
  enum { STEPS = 200 };
  double fastest = 0.0, t = 0.0;
  const int first = p->feature == VVI_VERTEX_FACE ? 1 : 2;
  for (int i = 0; i < first; i++)
    for (int j = first; j < 4; j++) {
      double d[3];
      for (int c = 0; c < 3; c++) d[c] = (p->y[i][c] - p->x[i][c]) - (p->y[j][c] - p->x[j][c]);
      fastest = fmax(fastest, vvi_norm3(d));
    }
  for (int k = 0; k < STEPS; k++) {
    double x[4][3];
    vvi_closest at;
    at_time(p, t, x);
    vvi_closest_at(p->feature, (const double(*)[3])x, &at);
    if (at.d > 1e-3 * p->slack || k == 0) *out = at; /* 1e-9 of an edge: seven digits of the normal */
    memcpy(out->c, at.c, sizeof at.c);
    *time = t;
    if (at.d <= p->slack) return k > 0;
    if (!(t + at.d / fastest < 1.0)) return false;
    t += at.d / fastest;
  }
  return true;
}

/* (e1 x e2).e3 = 0 with e_i = a_i + t b_i: a cubic in t.                                                      [sheets 2] */
bool vvi_crossing(vvi_feature f, const double x[4][3], const double y[4][3], double slack, double *time,
                  vvi_closest *out)
{
  const path p = {.feature = f, .x = x, .y = y, .slack = slack};
  double a[3][3], b[3][3], k[4], root[5], size = 1.0;
  frame_of(f, x, a);
  frame_of(f, y, b);
  for (int i = 0; i < 3; i++) {
    for (int c = 0; c < 3; c++) b[i][c] -= a[i][c];
    size *= vvi_norm3(a[i]) + vvi_norm3(b[i]);
  }
  k[0] = product(a[0], a[1], a[2]);
  k[1] = product(b[0], a[1], a[2]) + product(a[0], b[1], a[2]) + product(a[0], a[1], b[2]);
  k[2] = product(b[0], b[1], a[2]) + product(b[0], a[1], b[2]) + product(a[0], b[1], b[2]);
  k[3] = product(b[0], b[1], b[2]);
  const double noise = 1e-15 * size;
  if (fabs(k[0]) + fabs(k[1]) + fabs(k[2]) + fabs(k[3]) <= 16.0 * noise) return march(&p, time, out);
  const int n = roots(k, noise, root);
  bool parallel = false;
  for (int i = 0; i < n && !parallel; i++)
    if (meet_at(&p, root[i], out, &parallel)) {
      *time = root[i];
      return true;
    }
  return parallel && march(&p, time, out);
}
