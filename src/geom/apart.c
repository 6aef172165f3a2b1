/* geom/apart.c  How far two convex cores are apart: the iteration of Gilbert, Johnson and Keerthi on their difference.
 *
 * D = A - B is convex, and the cores are apart by the distance of D from the origin.  A simplex of at most four points of D
 * is moved towards the origin: v is its nearest point, the support of D along -v is added, and corners that v does not
 * need are dropped.  v.w/|v| is a lower bound of the distance and |v| an upper one.
 *
 * Close to touching, and where the cores overlap, the direction of v is lost.  There B is shifted away along n by so much
 * that the gap is well measured, and n is replaced by the direction of the new nearest points: at a fixed point
 *
 *   b + sigma n - a = (gap + sigma) n,   b - a = gap n,                                                       [solid 2]
 *
 * so n is a direction in which sep(n) of [solid 1] is stationary, whatever the sign of the gap. */
#include "geom/core.h"

typedef struct corner {
  double w[3], a[3], b[3];
  uint32_t ia, ib;
} corner;

typedef struct simplex {
  int n;
  corner at[4];
  double part[4]; /* barycentric */
} simplex;

static void keep(simplex *s, int n, const int *which, const double *part)
{
  corner c[3];
  for (int i = 0; i < n; i++) c[i] = s->at[which[i]];
  for (int i = 0; i < n; i++) s->at[i] = c[i], s->part[i] = part[i];
  s->n = n;
}

/* Nearest point of the segment (i, j) to the origin; the parts of its ends. */
static double near_segment(const simplex *s, int i, int j, int *n, int which[2], double part[2], double v[3])
{
  const double *p = s->at[i].w, *q = s->at[j].w;
  double d[3];
  vvi_sub3(q, p, d);
  const double dd = vvi_dot3(d, d), t = -vvi_dot3(p, d);
  if (!(t > 0.0)) {
    *n = 1, which[0] = i, part[0] = 1.0;
    for (int k = 0; k < 3; k++) v[k] = p[k];
  } else if (t >= dd) {
    *n = 1, which[0] = j, part[0] = 1.0;
    for (int k = 0; k < 3; k++) v[k] = q[k];
  } else {
    *n = 2, which[0] = i, which[1] = j, part[1] = t / dd, part[0] = 1.0 - part[1];
    vvi_mad3(p, part[1], d, v);
  }
  return vvi_dot3(v, v);
}

/* Nearest point of a triangle: inside it where the three areas have the sign of the whole, else on an edge. */
static double near_triangle(const simplex *s, const int c[3], int *n, int which[3], double part[3], double v[3])
{
  const double *p = s->at[c[0]].w, *q = s->at[c[1]].w, *r = s->at[c[2]].w;
  double pq[3], pr[3], m[3], x[3];
  vvi_sub3(q, p, pq);
  vvi_sub3(r, p, pr);
  vvi_cross3(pq, pr, m);
  const double mm = vvi_dot3(m, m);
  double area[3];
  vvi_cross3(q, r, x), area[0] = vvi_dot3(x, m);
  vvi_cross3(r, p, x), area[1] = vvi_dot3(x, m);
  vvi_cross3(p, q, x), area[2] = vvi_dot3(x, m);
  double least = INFINITY;
  if (mm > 0.0 && area[0] > 0.0 && area[1] > 0.0 && area[2] > 0.0) {
    const double sum = area[0] + area[1] + area[2];
    *n = 3;
    for (int k = 0; k < 3; k++) which[k] = c[k], part[k] = area[k] / sum;
    for (int k = 0; k < 3; k++) v[k] = part[0] * p[k] + part[1] * q[k] + part[2] * r[k];
    least = vvi_dot3(v, v);
    if (mm > 1e-8 * vvi_dot3(pq, pq) * vvi_dot3(pr, pr)) return least; /* else so thin that an edge may be nearer */
  }
  for (int k = 0; k < 3; k++) {
    int m2, w2[2];
    double p2[2], v2[3];
    const double dd = near_segment(s, c[k], c[(k + 1) % 3], &m2, w2, p2, v2);
    if (dd >= least) continue;
    least = dd, *n = m2;
    for (int i = 0; i < m2; i++) which[i] = w2[i], part[i] = p2[i];
    for (int i = 0; i < 3; i++) v[i] = v2[i];
  }
  return least;
}

/* Reduces the simplex to the corners its nearest point v needs; false: the origin is inside. */
static bool nearest(simplex *s, double v[3])
{
  int n = 1, which[3] = {0};
  double part[3] = {1.0};
  if (s->n == 1)
    for (int k = 0; k < 3; k++) v[k] = s->at[0].w[k];
  else if (s->n == 2)
    near_segment(s, 0, 1, &n, which, part, v);
  else if (s->n == 3)
    near_triangle(s, (const int[3]){0, 1, 2}, &n, which, part, v);
  else {
    static const int face[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
    double least = INFINITY;
    for (int f = 0; f < 4; f++) {
      const double *p = s->at[face[f][0]].w;
      double pq[3], pr[3], pt[3], m[3];
      vvi_sub3(s->at[face[f][1]].w, p, pq);
      vvi_sub3(s->at[face[f][2]].w, p, pr);
      vvi_sub3(s->at[face[f][3]].w, p, pt);
      vvi_cross3(pq, pr, m);
      const double other = vvi_dot3(pt, m), origin = -vvi_dot3(p, m);
      /* the origin is on the inner side of this face, and the tetrahedron is not flat */
      if (other * origin > 0.0 && other * other > 1e-20 * vvi_dot3(m, m) * vvi_dot3(pt, pt)) continue;
      int m3, w3[3];
      double p3[3], v3[3];
      const double dd = near_triangle(s, face[f], &m3, w3, p3, v3);
      if (dd >= least) continue;
      least = dd, n = m3;
      for (int i = 0; i < m3; i++) which[i] = w3[i], part[i] = p3[i];
      for (int i = 0; i < 3; i++) v[i] = v3[i];
    }
    if (least == INFINITY) return false;
  }
  keep(s, n, which, part);
  return true;
}

static void support(const vvi_core *a, const vvi_core *b, const double shift[3], const double v[3], corner *c)
{
  const double back[3] = {-v[0], -v[1], -v[2]};
  vvi_core_support(a, back, c->a, &c->ia);
  vvi_core_support(b, v, c->b, &c->ib);
  for (int i = 0; i < 3; i++) c->b[i] += shift[i], c->w[i] = c->a[i] - c->b[i];
}

/* Names of the corners in use, whatever their order. */
static void name_features(const simplex *s, vvi_apart *out)
{
  out->id_a = out->id_b = 0;
  for (int i = 0; i < s->n; i++) {
    bool new_a = true, new_b = true;
    for (int j = 0; j < i; j++) new_a &= s->at[j].ia != s->at[i].ia, new_b &= s->at[j].ib != s->at[i].ib;
    if (new_a) out->id_a += vvi_mix(1, s->at[i].ia);
    if (new_b) out->id_b += vvi_mix(2, s->at[i].ib);
  }
}

static bool known(const simplex *s, const corner *c)
{
  for (int i = 0; i < s->n; i++)
    if (s->at[i].w[0] == c->w[0] && s->at[i].w[1] == c->w[1] && s->at[i].w[2] == c->w[2]) return true;
  return false;
}

/* ---- polish: with a round core the simplex degenerates before the last digits ----
 *
 * One core is a cylinder, whose nearest point P(y) to a point y is known in closed form.  Along a curve y(s) of the other
 * (an edge, a rim) the distance is least where g(s) = (y - P(y)).y'(s) passes through zero. */
typedef struct curve {
  const vvi_core *round;
  bool circle;
  double p[3], d[3];       /* segment p + s d, 0 <= s <= 1 */
  double c[3], u[3], v[3]; /* circle c + cos(s) u + sin(s) v */
} curve;

static void cylinder_near(const vvi_core *k, const double y[3], double p[3])
{
  double d[3];
  vvi_sub3(y, k->c, d);
  const double z = vvi_dot3(d, k->e + 6), h = k->half[2];
  vvi_mad3(d, -z, k->e + 6, d);
  const double r = vvi_norm3(d), keep_r = r > k->width ? k->width / r : 1.0;
  for (int i = 0; i < 3; i++) p[i] = k->c[i] + (keep_r * d[i] + vvi_clamp(z, -h, h) * k->e[6 + i]);
}

static double slope(const curve *c, double s, double y[3], double p[3])
{
  double tangent[3], d[3];
  for (int i = 0; i < 3; i++) {
    y[i] = c->circle ? c->c[i] + (cos(s) * c->u[i] + sin(s) * c->v[i]) : c->p[i] + s * c->d[i];
    tangent[i] = c->circle ? cos(s) * c->v[i] - sin(s) * c->u[i] : c->d[i];
  }
  cylinder_near(c->round, y, p);
  vvi_sub3(y, p, d);
  return vvi_dot3(d, tangent);
}

/* The nearest points of the curve (y) and the cylinder (p); near s for a circle. */
static bool walk(const curve *c, double s, double y[3], double p[3])
{
  double lo = 0.0, hi = 1.0, glo = 0.0, ghi = 0.0;
  bool found = false;
  for (double step = c->circle ? 1e-6 : 1.0; step <= 1.0 && !found; step *= 10.0) {
    if (c->circle) lo = s - step, hi = s + step;
    glo = slope(c, lo, y, p), ghi = slope(c, hi, y, p);
    found = glo < 0.0 && ghi > 0.0;
  }
  if (!found) {
    if (c->circle) return false;
    slope(c, glo >= 0.0 ? 0.0 : 1.0, y, p);
    return true;
  }
  int side = 0;
  for (int round = 0; round < 100 && hi - lo > 1e-16 * (fabs(lo) + fabs(hi));
       round++) { /* Illinois, every fourth halved */
    double at = round % 4 == 3 ? 0.5 * (lo + hi) : lo - glo * (hi - lo) / (ghi - glo);
    if (!(at > lo && at < hi)) at = 0.5 * (lo + hi);
    const double g = slope(c, at, y, p);
    if (g == 0.0) break;
    if (g < 0.0) {
      lo = at, glo = g;
      if (side == -1) ghi *= 0.5;
      side = -1;
    } else {
      hi = at, ghi = g;
      if (side == 1) glo *= 0.5;
      side = 1;
    }
  }
  return true;
}

/* The curve of k that holds its point x: the edge between the corners in use, or the rim.  Returns the start on the rim. */
static bool find_curve(const vvi_core *k, const simplex *s, bool of_b, const double x[3], curve *c, double *start)
{
  if (k->type == VVI_CORE_CYLINDER) {
    double d[3];
    vvi_sub3(x, k->c, d);
    const double z = vvi_dot3(d, k->e + 6), u = vvi_dot3(d, k->e), v = vvi_dot3(d, k->e + 3);
    if (fabs(z) < 0.999 * k->half[2] || sqrt(u * u + v * v) < 0.99 * k->width) return false;
    c->circle = true;
    vvi_mad3(k->c, copysign(k->half[2], z), k->e + 6, c->c);
    for (int i = 0; i < 3; i++) c->u[i] = k->width * k->e[i], c->v[i] = k->width * k->e[3 + i];
    *start = atan2(v, u);
    return true;
  }
  /* parts of equal corners are added up, then the two corners with the largest parts are taken */
  const double *end[4];
  double part[4];
  int n = 0;
  for (int i = 0; i < s->n; i++) {
    const double *y = of_b ? s->at[i].b : s->at[i].a;
    int j = 0;
    for (; j < n; j++)
      if (end[j][0] == y[0] && end[j][1] == y[1] && end[j][2] == y[2]) break;
    if (j == n) end[n] = y, part[n++] = 0.0;
    part[j] += s->part[i];
  }
  for (int i = 0; i < 2 && i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (part[j] > part[i]) {
        const double *hold = end[i], p = part[i];
        end[i] = end[j], end[j] = hold, part[i] = part[j], part[j] = p;
      }
  c->circle = false;
  for (int i = 0; i < 3; i++) c->p[i] = end[0][i], c->d[i] = n > 1 ? end[1][i] - end[0][i] : 0.0;
  return true;
}

/* Replaces the nearest points where the curves give a better separation. */
static void polish(const vvi_core *a, const vvi_core *b, const double shift[3], const simplex *s, vvi_apart *out)
{
  vvi_core moved = *b;
  double best = vvi_cores_separation(a, b, out->n) + vvi_dot3(out->n, shift);
  vvi_mad3(b->c, 1.0, shift, moved.c);
  for (int of_b = 0; of_b < 2; of_b++) {
    const vvi_core *round = of_b ? a : &moved, *other = of_b ? &moved : a;
    double x[3], y[3], p[3], n[3], start = 0.0;
    curve c = {.round = round};
    if (round->type != VVI_CORE_CYLINDER) continue;
    for (int i = 0; i < 3; i++) x[i] = of_b ? out->b[i] + shift[i] : out->a[i];
    if (!find_curve(other, s, of_b, x, &c, &start) || !walk(&c, start, y, p)) continue;
    for (int i = 0; i < 3; i++) n[i] = of_b ? y[i] - p[i] : p[i] - y[i];
    const double length = vvi_norm3(n);
    if (!(length > 0.0)) continue;
    for (int i = 0; i < 3; i++) n[i] /= length;
    const double gap = vvi_cores_separation(a, b, n) + vvi_dot3(n, shift);
    if (!(gap >= best - 1e-15 * (a->size + b->size))) continue;
    best = fmax(best, gap);
    out->gap = length;
    for (int i = 0; i < 3; i++) {
      out->n[i] = n[i];
      out->a[i] = of_b ? p[i] : y[i];
      out->b[i] = (of_b ? y[i] : p[i]) - shift[i];
    }
  }
}

/* The distance of a and b + shift.  gap 0: they overlap or touch.  False: farther than `far`. */
static bool iterate(const vvi_core *a, const vvi_core *b, const double shift[3], double far, vvi_apart *out)
{
  enum { MOST = 100 };
  const double noise = 4e-16 * (a->size + b->size);
  const bool curved = a->type == VVI_CORE_CYLINDER || b->type == VVI_CORE_CYLINDER;
  const double enough = curved ? 1e-14 : 1e-15;
  simplex s = {.n = 1}, last;
  double v[3], vv, proved = 0.0; /* a distance that separates for certain */
  vvi_sub3(a->c, b->c, v);
  vvi_sub3(v, shift, v);
  support(a, b, shift, v, &s.at[0]);
  s.part[0] = 1.0;
  for (int i = 0; i < 3; i++) v[i] = s.at[0].w[i];
  vv = vvi_dot3(v, v);
  last = s;
  for (int round = 0; round < MOST && vv > noise * noise; round++) {
    corner *c = &s.at[s.n];
    support(a, b, shift, v, c);
    const double length = sqrt(vv), low = vvi_dot3(v, c->w);
    if (low > far * length) {
      out->gap = low / length;
      return false;
    }
    proved = fmax(proved, low / length);
    if (vv - low <= enough * vv + noise * length || known(&s, c)) break;
    double next[3];
    last = s;
    s.n++;
    if (!nearest(&s, next)) {
      if (proved > 10.0 * noise)
        s = last; /* rounding of a flat simplex */
      else
        vv = 0.0;
      break;
    }
    const double closer = vvi_dot3(next, next);
    if (closer >= vv) {
      s = last;
      break;
    }
    vv = closer;
    for (int i = 0; i < 3; i++) v[i] = next[i];
  }
  out->gap = vv > noise * noise ? sqrt(vv) : 0.0;
  for (int i = 0; i < 3; i++) out->a[i] = out->b[i] = 0.0;
  for (int k = 0; k < s.n; k++)
    for (int i = 0; i < 3; i++) {
      out->a[i] += s.part[k] * s.at[k].a[i];
      out->b[i] += s.part[k] * (s.at[k].b[i] - shift[i]);
    }
  for (int i = 0; i < 3; i++) out->n[i] = out->gap > 0.0 ? -v[i] / out->gap : 0.0;
  name_features(&s, out);
  if (out->gap > 0.0 && curved) polish(a, b, shift, &s, out);
  return true;
}

/* Shifts and measures again until the direction stands still; keeps the best of all directions met in `best`.  Its change
 * falls as far/(far + radius) per round: every third round jumps to the limit of that series and comes nearer. */
static void settle(const vvi_core *a, const vvi_core *b, const double start[3], double length, vvi_apart *best)
{
  double n[3] = {start[0], start[1], start[2]}, far = length;
  if (a->type == VVI_CORE_CYLINDER) far = fmin(far, fmin(a->width, a->half[2]));
  if (b->type == VVI_CORE_CYLINDER) far = fmin(far, fmin(b->width, b->half[2]));
  double last[3] = {0.0, 0.0, 0.0}, moved = INFINITY;
  for (int round = 0; round < 36; round++) {
    const double away = fmax(0.0, 0.1 * far - vvi_cores_separation(a, b, n));
    const double shift[3] = {away * n[0], away * n[1], away * n[2]};
    vvi_apart now;
    iterate(a, b, shift, INFINITY, &now);
    if (now.gap == 0.0) return;
    now.gap = vvi_cores_separation(a, b, now.n);
    double d[3];
    vvi_sub3(now.n, n, d);
    const double dd = vvi_dot3(d, d), ll = vvi_dot3(last, last), ratio = ll > 0.0 ? vvi_dot3(d, last) / ll : 0.0;
    /* of equally good ones the one that moved least: its points belong to its direction */
    if (now.gap > best->gap + 1e-12 * length || (now.gap >= best->gap - 1e-12 * length && dd <= moved))
      *best = now, moved = dd;
    if (dd < 1e-28) return;
    const bool jump = round % 3 == 2 && ratio > 0.05 && ratio < 0.99;
    vvi_mad3(now.n, jump ? ratio / (1.0 - ratio) : 0.0, d, n);
    const double one = 1.0 / vvi_norm3(n);
    for (int c = 0; c < 3; c++) n[c] *= one, last[c] = d[c];
    if (round % 3 == 2) far = fmax(0.25 * far, fmin(far, 1e-3 * length));
  }
}

typedef struct direction {
  double n[3], gap;
} direction;

static void try_direction(const vvi_core *a, const vvi_core *b, const double n[3], double sign, direction *best)
{
  const double m[3] = {sign * n[0], sign * n[1], sign * n[2]}, gap = vvi_cores_separation(a, b, m);
  if (!(gap > best->gap)) return;
  best->gap = gap;
  for (int i = 0; i < 3; i++) best->n[i] = m[i];
}

/* The normals of all faces of k (sign 1: from a) as directions. */
static void try_faces(const vvi_core *a, const vvi_core *b, const vvi_core *k, double sign, direction *best)
{
  if (k->type == VVI_CORE_POLYHEDRON)
    for (int i = 0; i < k->polyhedron->faces; i++) {
      double n[3];
      vvi_apply33(k->pose->turn, k->polyhedron->plane + 4 * i, n);
      try_direction(a, b, n, sign, best);
    }
  else if (k->type == VVI_CORE_BLOCK || k->type == VVI_CORE_CYLINDER) {
    for (int i = k->type == VVI_CORE_BLOCK ? 0 : 2; i < 3; i++)
      try_direction(a, b, k->e + 3 * i, 1.0, best), try_direction(a, b, k->e + 3 * i, -1.0, best);
  } else if (k->points == 3) {
    vvi_core_feature f;
    vvi_core_face(k, k->e + 6, &f);
    try_direction(a, b, f.n, 1.0, best), try_direction(a, b, f.n, -1.0, best);
  }
}

/* The radial direction of a cylinder towards the other core. */
static void try_mantle(const vvi_core *a, const vvi_core *b, const vvi_core *k, const vvi_core *other, double sign,
                       direction *best)
{
  if (k->type != VVI_CORE_CYLINDER) return;
  double d[3];
  vvi_sub3(other->c, k->c, d);
  vvi_mad3(d, -vvi_dot3(d, k->e + 6), k->e + 6, d);
  const double length = vvi_norm3(d);
  if (!(length > 0.0)) return;
  for (int i = 0; i < 3; i++) d[i] /= length;
  try_direction(a, b, d, sign, best);
}

/* Edge i of a core: its direction, and of a polyhedron the normals of its two faces. */
typedef struct edge {
  double d[3], n[2][3];
  bool arc;
} edge;

static int edges_of(const vvi_core *k)
{
  return k->type == VVI_CORE_BLOCK        ? 3
         : k->type == VVI_CORE_CYLINDER   ? 1
         : k->type == VVI_CORE_POLYHEDRON ? k->polyhedron->edges
         : k->points == 3                 ? 3
                                          : k->points - 1;
}

static void edge_of(const vvi_core *k, int i, edge *e)
{
  e->arc = k->type == VVI_CORE_POLYHEDRON;
  if (k->type == VVI_CORE_BLOCK || k->type == VVI_CORE_CYLINDER)
    for (int c = 0; c < 3; c++) e->d[c] = k->e[(k->type == VVI_CORE_BLOCK ? 3 * i : 6) + c];
  else if (k->type == VVI_CORE_POINTS)
    vvi_sub3(k->p[(i + 1) % k->points], k->p[i], e->d);
  else {
    const vvi_polyhedron *p = k->polyhedron;
    const int *v = p->edge + 4 * i;
    double d[3];
    vvi_sub3(p->vertex + 3 * v[1], p->vertex + 3 * v[0], d);
    vvi_apply33(k->pose->turn, d, e->d);
    for (int f = 0; f < 2; f++) vvi_apply33(k->pose->turn, p->plane + 4 * v[2 + f], e->n[f]);
  }
}

/* n, normal to the edge, is outwards there: a sum of both normals with parts that are not negative. */
static bool outwards(const edge *e, const double n[3], double sign)
{
  const double c = vvi_dot3(e->n[0], e->n[1]), x = sign * vvi_dot3(n, e->n[0]), y = sign * vvi_dot3(n, e->n[1]);
  return !e->arc || (x - c * y >= -1e-12 && y - c * x >= -1e-12);
}

static void try_edges(const vvi_core *a, const vvi_core *b, direction *best)
{
  const int na = edges_of(a), nb = edges_of(b);
  for (int i = 0; i < na; i++) {
    edge ea, eb;
    edge_of(a, i, &ea);
    for (int j = 0; j < nb; j++) {
      double n[3];
      edge_of(b, j, &eb);
      vvi_cross3(ea.d, eb.d, n);
      const double nn = vvi_dot3(n, n);
      if (!(nn > 1e-12 * vvi_dot3(ea.d, ea.d) * vvi_dot3(eb.d, eb.d))) continue;
      for (int c = 0; c < 3; c++) n[c] /= sqrt(nn);
      for (int sign = -1; sign <= 1; sign += 2)
        if (outwards(&ea, n, sign) && outwards(&eb, n, -sign)) try_direction(a, b, n, sign, best);
    }
  }
}

static void centre_line(const vvi_core *a, const vvi_core *b, double n[3])
{
  vvi_sub3(b->c, a->c, n);
  const double length = vvi_norm3(n);
  for (int i = 0; i < 3; i++) n[i] = length > 0.0 ? n[i] / length : i == 2;
}

/* Near n, the exact direction of a flat or straight side of a cylinder, where it is as good. */
static void straighten(const vvi_core *a, const vvi_core *b, double tolerance, vvi_apart *out)
{
  const vvi_core *k[2] = {a, b};
  if (a->type == VVI_CORE_CYLINDER && b->type == VVI_CORE_CYLINDER) { /* both mantles */
    double to[3];
    vvi_cross3(a->e + 6, b->e + 6, to);
    const double length = vvi_norm3(to), c = vvi_dot3(to, out->n);
    for (int j = 0; j < 3 && length > 1e-6; j++) to[j] /= c < 0.0 ? -length : length;
    const double gap = fabs(c) > length * (1.0 - 1e-8) && length > 1e-6 ? vvi_cores_separation(a, b, to) : -INFINITY;
    if (gap >= out->gap - tolerance) {
      out->gap = gap;
      for (int j = 0; j < 3; j++) out->n[j] = to[j];
      return;
    }
  }
  for (int i = 0; i < 2; i++) {
    const double back[3] = {-out->n[0], -out->n[1], -out->n[2]};
    vvi_core_feature f;
    vvi_core_face(k[i], i ? back : out->n, &f);
    double to[3];
    const double sign = i ? -1.0 : 1.0;
    if (f.points && vvi_dot3(f.n, i ? back : out->n) > 1.0 - 1e-9)
      for (int j = 0; j < 3; j++) to[j] = sign * f.n[j];
    else if (k[i]->type == VVI_CORE_CYLINDER && fabs(vvi_dot3(out->n, k[i]->e + 6)) < 1e-4) {
      vvi_mad3(out->n, -vvi_dot3(out->n, k[i]->e + 6), k[i]->e + 6, to);
      const double length = vvi_norm3(to);
      for (int j = 0; j < 3; j++) to[j] /= length;
    } else
      continue;
    const double gap = vvi_cores_separation(a, b, to);
    if (gap < out->gap - tolerance) continue;
    out->gap = gap;
    for (int j = 0; j < 3; j++) out->n[j] = to[j];
    if (f.points) return;
  }
}

bool vvi_cores_apart(const vvi_core *a, const vvi_core *b, double far, const double *guess, vvi_apart *out)
{
  const double zero[3] = {0.0, 0.0, 0.0}, length = fmin(a->size, b->size);
  if (!iterate(a, b, zero, far, out)) return false;
  const bool curved = a->type == VVI_CORE_CYLINDER || b->type == VVI_CORE_CYLINDER;
  if (out->gap <= 1e-4 * length) {
    const vvi_apart plain = *out;
    const bool clear = plain.gap > 1e-12 * length;
    double n[3];
    centre_line(a, b, n);
    const double *start = clear ? plain.n : guess ? guess : n;
    out->gap = -INFINITY;
    settle(a, b, start, length, out);
    if (!clear && !(out->gap > -1e-6 * length)) { /* deep: look at all faces and edges before believing it */
      direction best = {.gap = -INFINITY};
      try_direction(a, b, n, 1.0, &best);
      try_faces(a, b, a, 1.0, &best);
      try_faces(a, b, b, -1.0, &best);
      try_mantle(a, b, a, b, 1.0, &best);
      try_mantle(a, b, b, a, -1.0, &best);
      try_edges(a, b, &best);
      settle(a, b, best.n, length, out);
    }
    if (clear && vvi_cores_separation(a, b, plain.n) > out->gap + 1e-13 * length) *out = plain;
    if (out->gap == -INFINITY) { /* nothing could be measured: concentric points */
      *out = plain;
      for (int i = 0; i < 3; i++) out->n[i] = n[i];
    }
  }
  if (curved) straighten(a, b, 1e-13 * length, out);
  return true;
}
