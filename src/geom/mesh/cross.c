/* geom/mesh/cross.c  Do triangles intersect?  Exact signs; all pairs by sorted boxes: slow, simple, and independent of every
 * search, for tests and checks.
 *
 * Round-off of sums and products is kept as an expansion: numbers that do not overlap, smallest first, whose sum is the
 * exact value and whose last one gives its sign (Shewchuk 1997). */
#include "geom/mesh/inside.h"

#include <float.h>
#include <stdlib.h>

static double two_sum(double a, double b, double *low)
{
  const double s = a + b, c = s - a;
  *low = (a - (s - c)) + (b - c);
  return s;
}

static double two_product(double a, double b, double *low)
{
  const double p = a * b;
  *low = fma(a, b, -p);
  return p;
}

/* e[0 .. n-1] + b, written over e; returns the new length.  Zeros are left out. */
static int add_to(double *e, int n, double b)
{
  int out = 0;
  for (int i = 0; i < n; i++) {
    double low;
    b = two_sum(b, e[i], &low);
    if (low != 0.0) e[out++] = low;
  }
  if (b != 0.0 || out == 0) e[out++] = b;
  return out;
}

/* e + a b c: the product has four parts. */
static int add_product(double *e, int n, double a, double b, double c)
{
  double low, part[4];
  const double ab = two_product(a, b, &low);
  part[1] = two_product(low, c, &part[0]);
  part[3] = two_product(ab, c, &part[2]);
  for (int i = 0; i < 4; i++)
    if (part[i] != 0.0) n = add_to(e, n, part[i]);
  return n;
}

/* det(b, c, d) - det(a, c, d) + det(a, b, d) - det(a, b, c), which is the determinant of the differences. */
static int exact_side(const double *const p[4])
{
  static const int three[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  double e[4 * 24 + 1] = {0};
  int n = 1;
  for (int k = 0; k < 4; k++) {
    const double *a = p[three[k][0]], *b = p[three[k][1]], *c = p[three[k][2]];
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, l = (i + 2) % 3;
      n = add_product(e, n, a[i], b[j], c[l]);
      n = add_product(e, n, -a[i], b[l], c[j]);
    }
  }
  return (e[n - 1] > 0.0) - (e[n - 1] < 0.0);
}

/* The plain determinant is off by less than 8 epsilon times the same sum of magnitudes: on any way through there are at most
 * 8 roundings (three differences, two products, three sums), half an epsilon each, and size has as many of its own. */
int vvi_side_of(const double a[3], const double b[3], const double c[3], const double d[3])
{
  double u[3], v[3], w[3], value = 0.0, size = 0.0;
  vvi_sub3(b, a, u);
  vvi_sub3(c, a, v);
  vvi_sub3(d, a, w);
  for (int i = 0; i < 3; i++) {
    const double p = u[(i + 1) % 3] * v[(i + 2) % 3], q = u[(i + 2) % 3] * v[(i + 1) % 3];
    value += (p - q) * w[i];
    size += (fabs(p) + fabs(q)) * fabs(w[i]);
  }
  if (fabs(value) > 8.0 * DBL_EPSILON * size && size > DBL_MIN / DBL_EPSILON) return value > 0.0 ? 1 : -1;
  for (int i = 0; i < 3; i++) /* a face along two axes, as boxes have them: differences are 0 only of equal numbers */
    if (u[i] == 0.0 && v[i] == 0.0 && w[i] == 0.0) return 0;
  const double *const p[4] = {a, b, c, d};
  return exact_side(p);
}

/* ---- two triangles ---- */

/* On which side of the plane of t is p: 0 within the slack. */
static int side_beyond(const double *const t[3], const double p[3], double slack)
{
  double n[3], w[3];
  if (slack > 0.0) {
    vvi_triangle_normal(t[0], t[1], t[2], n);
    vvi_sub3(p, t[0], w);
    if (fabs(vvi_dot3(n, w)) <= slack * vvi_norm3(n)) return 0;
  }
  return vvi_side_of(t[0], t[1], t[2], p);
}

/* The line through p and q, which lie on either side of the plane, meets the triangle if it passes its three edges on one
 * side, or touches them. */
static bool pierces(const double p[3], const double q[3], const double *const t[3])
{
  int left = 0, right = 0;
  for (int c = 0; c < 3; c++) {
    const int s = vvi_side_of(t[c], t[(c + 1) % 3], p, q);
    left += s > 0, right += s < 0;
  }
  return left == 0 || right == 0;
}

static bool edges_pierce(const double *const a[3], const double *const b[3], double slack)
{
  int side[3];
  for (int c = 0; c < 3; c++) side[c] = side_beyond(b, a[c], slack);
  for (int c = 0; c < 3; c++)
    if (side[c] * side[(c + 1) % 3] < 0 && pierces(a[c], a[(c + 1) % 3], b)) return true;
  return false;
}

bool vvi_triangles_intersect(const double *const a[3], const double *const b[3], double slack)
{
  return edges_pierce(a, b, slack) || edges_pierce(b, a, slack);
}

/* ---- all pairs ---- */

typedef struct boxed {
  double low[3], high[3]; /* the first axis is the one they are sorted along */
  int triangle;
} boxed;

static int by_low(const void *a, const void *b)
{
  const boxed *p = a, *q = b;
  if (p->low[0] != q->low[0]) return p->low[0] < q->low[0] ? -1 : 1;
  return (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

static int sweep_axis(const double *x, int triangles, const int *triangle)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int64_t k = 0; k < 3 * (int64_t)triangles; k++)
    for (int c = 0; c < 3; c++) {
      const double v = x[3 * (int64_t)triangle[k] + c];
      low[c] = fmin(low[c], v), high[c] = fmax(high[c], v);
    }
  int axis = 0;
  for (int c = 1; c < 3; c++)
    if (high[c] - low[c] > high[axis] - low[axis]) axis = c;
  return axis;
}

static void make_boxes(const double *x, int triangles, const int *triangle, int axis, boxed *box)
{
  for (int t = 0; t < triangles; t++) {
    box[t].triangle = t;
    for (int c = 0; c < 3; c++) {
      box[t].low[c] = INFINITY, box[t].high[c] = -INFINITY;
      for (int i = 0; i < 3; i++) {
        const double v = x[3 * (int64_t)triangle[3 * t + i] + (axis + c) % 3];
        box[t].low[c] = fmin(box[t].low[c], v), box[t].high[c] = fmax(box[t].high[c], v);
      }
    }
  }
}

static bool share_node(const int *s, const int *t)
{
  for (int k = 0; k < 9; k++)
    if (s[k / 3] == t[k % 3]) return true;
  return false;
}

static bool pair_intersects(const double *x, const int *s, const int *t, double slack)
{
  const double *a[3], *b[3];
  for (int c = 0; c < 3; c++) a[c] = x + 3 * (int64_t)s[c], b[c] = x + 3 * (int64_t)t[c];
  return vvi_triangles_intersect(a, b, slack);
}

int64_t vvi_mesh_intersections(const double *x, int triangles, const int *triangle, const int *body, bool within,
                               double slack, int pair[2])
{
  boxed *box = malloc(sizeof *box * (size_t)(triangles > 0 ? triangles : 1));
  if (box == NULL) return -1;
  make_boxes(x, triangles, triangle, sweep_axis(x, triangles, triangle), box);
  qsort(box, (size_t)triangles, sizeof *box, by_low);
  int64_t found = 0;
  for (int i = 0; i < triangles; i++)
    for (int j = i + 1; j < triangles && box[j].low[0] <= box[i].high[0]; j++) {
      if (box[j].low[1] > box[i].high[1] || box[i].low[1] > box[j].high[1]) continue;
      if (box[j].low[2] > box[i].high[2] || box[i].low[2] > box[j].high[2]) continue;
      const int s = box[i].triangle, t = box[j].triangle;
      if (!within && (body == NULL || body[s] == body[t])) continue;
      if (share_node(triangle + 3 * s, triangle + 3 * t)) continue;
      if (!pair_intersects(x, triangle + 3 * s, triangle + 3 * t, slack)) continue;
      if (found++ == 0 && pair != NULL) pair[0] = s, pair[1] = t;
    }
  free(box);
  return found;
}
