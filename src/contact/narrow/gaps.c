/* contact/narrow/gaps.c  Distances of edges and faces bounded from below, many at a time and in floats: most candidates of a
 * list are dropped here, the others keep bound and plane until they are due. */
#include "contact/broad/search.h"
#include "math/math.h"

#include <string.h>

enum { LANES = VVI_SHEET_LEAF }; /* triangles */

/* ---- edges ----
 *
 * An edge is c + s h with -1 <= s <= 1.  For any direction w, with r = c_a - c_b,
 *   distance >= (w.r - |w.h_a| - |w.h_b|)/|w|                                                                [sheets 22]
 * which is sharp if w joins closest points.  Hence it does not matter how well these are known. */

static void find_spans(const vvi_sheet_search *w, int32_t first, int32_t end)
{
  const int64_t column = (int64_t)w->sheets->n_edge + VVI_SHEET_LANES;
  const int32_t *edge = w->sheets->edge;
  for (int32_t e = first; e < end; e++) {
    const double *x = w->x + 3 * (int64_t)edge[2 * e], *y = w->x + 3 * (int64_t)edge[2 * e + 1];
    for (int c = 0; c < 3; c++) {
      w->span[c * column + e] = (float)(0.5 * (x[c] + y[c]));
      w->span[(3 + c) * column + e] = (float)(0.5 * (y[c] - x[c]));
    }
  }
}

/* x, cut to -one .. one.  That one is 1 is not told: knowing it compilers make branches of it, and scalars of the lanes. */
static inline float within(float x, float one)
{
  const float y = x < one ? x : one;
  return y > -one ? y : -one;
}

static inline float larger(float a, float b)
{
  return a > b ? a : b;
}

/* Gaps of the boxes of an edge and of n others, each along the axis where it is largest; the least of them. */
VV_HOT static float box_gap(const float *restrict me, const float *restrict span, int64_t column, int32_t n)
{
  const float x = me[0], y = me[column], z = me[2 * column];
  const float u = fabsf(me[3 * column]), v = fabsf(me[4 * column]), t = fabsf(me[5 * column]);
  const float *h = span + 3 * column;
  float nearest = INFINITY;
#pragma omp simd reduction(min : nearest)
  for (int32_t i = 0; i < VVI_SHEET_LANES; i++) {
    const float gx = fabsf(x - span[i]) - u - fabsf(h[i]), gy = fabsf(y - span[column + i]) - v - fabsf(h[column + i]),
                gz = fabsf(z - span[2 * column + i]) - t - fabsf(h[2 * column + i]), gap = larger(gx, larger(gy, gz));
    const float counted = i < n ? gap : INFINITY; /* lanes behind are edges of other leaves */
    nearest = counted < nearest ? counted : nearest;
  }
  return nearest;
}

/* [sheets 22] with w from closest points: s from the lines, t from s, s from t, each cut to its edge. */
VV_HOT static void edge_gaps(const float *restrict me, const float *restrict span, int64_t column, float one,
                             float *restrict gap, float *restrict nx, float *restrict ny, float *restrict nz)
{
  const float *cx = span, *cy = cx + column, *cz = cy + column, *hx = cz + column, *hy = hx + column, *hz = hy + column;
  const float x = me[0], y = me[column], z = me[2 * column], ux = me[3 * column], uy = me[4 * column],
              uz = me[5 * column];
  const float a = ux * ux + uy * uy + uz * uz + 1e-37F;
#pragma omp simd
  for (int32_t i = 0; i < VVI_SHEET_LANES; i++) {
    const float vx = hx[i], vy = hy[i], vz = hz[i], rx = x - cx[i], ry = y - cy[i], rz = z - cz[i];
    const float e = vx * vx + vy * vy + vz * vz + 1e-37F, b = ux * vx + uy * vy + uz * vz;
    const float c = ux * rx + uy * ry + uz * rz, f = vx * rx + vy * ry + vz * rz;
    const float s0 = within((b * f - c * e) / (a * e - b * b + 1e-6F * a * e), one);
    const float t = within((b * s0 + f) / e, one), s = within((b * t - c) / a, one);
    const float wx = rx + s * ux - t * vx, wy = ry + s * uy - t * vy, wz = rz + s * uz - t * vz;
    const float unit = 1.0F / sqrtf(wx * wx + wy * wy + wz * wz + 1e-37F);
    const float apart =
        (wx * rx + wy * ry + wz * rz) - fabsf(wx * ux + wy * uy + wz * uz) - fabsf(wx * vx + wy * vy + wz * vz);
    gap[i] = unit * apart, nx[i] = unit * wx, ny[i] = unit * wy, nz[i] = unit * wz;
  }
}

bool vvi_sheet_edges_near(const vvi_sheet_search *w, int32_t edge, int32_t first, int32_t n, float skin,
                          vvi_sheet_gaps *out)
{
  const int64_t column = (int64_t)w->sheets->n_edge + VVI_SHEET_LANES;
  if (box_gap(w->span + edge, w->span + first, column, n) >= skin) return false;
  edge_gaps(w->span + edge, w->span + first, column, 1.0F, out->gap, out->n[0], out->n[1], out->n[2]);
  return true;
}

/* ---- faces ----
 *
 * With the unit normal n of a triangle and the unit normals m_k of its edges, in its plane and outwards, a point at p is
 *   distance^2 >= (n.(p - x_0))^2 + max(0, m_k.(p - x_k))^2                                                  [sheets 23]
 * away.  Stored are n, n.x_0, and the same of the m_k; all zero if the triangle has no area. */

/* Corners of LANES triangles, one behind the other: [corner][axis][triangle]. */
typedef double corners[3][3][LANES];

typedef float planes[16][LANES];

VV_HOT static void set_planes(corners x, planes plane)
{
#pragma omp simd
  for (int i = 0; i < LANES; i++) {
    double side[3][3], length[3];
    for (int k = 0; k < 3; k++) {
      for (int c = 0; c < 3; c++) side[k][c] = x[(k + 1) % 3][c][i] - x[k][c][i];
      length[k] = side[k][0] * side[k][0] + side[k][1] * side[k][1] + side[k][2] * side[k][2];
    }
    const double nx = side[0][1] * side[1][2] - side[0][2] * side[1][1],
                 ny = side[0][2] * side[1][0] - side[0][0] * side[1][2],
                 nz = side[0][0] * side[1][1] - side[0][1] * side[1][0], area = nx * nx + ny * ny + nz * nz;
    const double full = area > 1e-12 * length[0] * length[1] ? 1.0 : 0.0, scale = full / sqrt(area + (1.0 - full));
    const double m[3] = {scale * nx, scale * ny, scale * nz};
    for (int c = 0; c < 3; c++) plane[c][i] = (float)m[c];
    plane[3][i] = (float)(m[0] * x[0][0][i] + m[1] * x[0][1][i] + m[2] * x[0][2][i]);
    for (int k = 0; k < 3; k++) {
      const double unit = full / sqrt(length[k] + (1.0 - full)), *e = side[k];
      const double a = unit * (e[1] * m[2] - e[2] * m[1]), b = unit * (e[2] * m[0] - e[0] * m[2]),
                   c = unit * (e[0] * m[1] - e[1] * m[0]);
      plane[4 * k + 4][i] = (float)a, plane[4 * k + 5][i] = (float)b, plane[4 * k + 6][i] = (float)c;
      plane[4 * k + 7][i] = (float)(a * x[k][0][i] + b * x[k][1][i] + c * x[k][2][i]);
    }
  }
}

/* Missing ones repeat the last; those without a third corner are never asked. */
static void gather(const vvi_sheet_search *w, const vvi_sheet_branch *leaf, corners x)
{
  for (int i = 0; i < LANES; i++) {
    const int32_t *v = w->sheets->element + 3 * (int64_t)(leaf->first + (i < leaf->n ? i : leaf->n - 1));
    for (int k = 0; k < 3; k++)
      for (int c = 0; c < 3; c++) x[k][c][i] = w->x[3 * (int64_t)(v[k] >= 0 ? v[k] : v[0]) + c];
  }
}

static void find_planes(const vvi_sheet_search *w, const vvi_sheet_branch *leaf)
{
  const int64_t column = (int64_t)w->sheets->n_element + VVI_SHEET_LEAF;
  corners x;
  planes plane;
  gather(w, leaf, x);
  set_planes(x, plane);
  for (int k = 0; k < 16; k++) memcpy(w->plane + k * column + leaf->first, plane[k], sizeof(float) * (size_t)leaf->n);
}

VV_HOT static void face_gaps(const float *restrict plane, int64_t column, float x, float y, float z,
                             float *restrict gap, float *restrict nx, float *restrict ny, float *restrict nz)
{
  const float *p = plane, *q = p + 4 * column, *r = q + 4 * column, *s = r + 4 * column;
#pragma omp simd
  for (int i = 0; i < VVI_SHEET_LEAF; i++) {
    const float n = p[i] * x + p[column + i] * y + p[2 * column + i] * z - p[3 * column + i];
    const float a = q[i] * x + q[column + i] * y + q[2 * column + i] * z - q[3 * column + i];
    const float b = r[i] * x + r[column + i] * y + r[2 * column + i] * z - r[3 * column + i];
    const float c = s[i] * x + s[column + i] * y + s[2 * column + i] * z - s[3 * column + i];
    const float bc = larger(b, c), m = larger(larger(a, 0.0F), bc);
    const float along_x = a > bc  ? q[i]
                          : b > c ? r[i]
                                  : s[i],
                along_y = a > bc  ? q[column + i]
                          : b > c ? r[column + i]
                                  : s[column + i],
                along_z = a > bc  ? q[2 * column + i]
                          : b > c ? r[2 * column + i]
                                  : s[2 * column + i];
    const float square = n * n + m * m, unit = 1.0F / sqrtf(square + 1e-37F);
    gap[i] = unit * square;
    nx[i] = unit * (n * p[i] + m * along_x), ny[i] = unit * (n * p[column + i] + m * along_y),
    nz[i] = unit * (n * p[2 * column + i] + m * along_z);
  }
}

void vvi_sheet_faces_near(const vvi_sheet_search *w, const double x[3], int32_t first, vvi_sheet_gaps *out)
{
  face_gaps(w->plane + first, (int64_t)w->sheets->n_element + VVI_SHEET_LEAF, (float)x[0], (float)x[1], (float)x[2],
            out->gap, out->n[0], out->n[1], out->n[2]);
}

void vvi_sheet_ready(const vvi_sheet_search *w, int32_t leaf)
{
  const vvi_sheet_branch *n = &w->tree[leaf];
  if (w->ready[leaf] == w->round) return;
  w->ready[leaf] = w->round;
  find_spans(w, w->sheets->edge0[n->first], w->sheets->edge0[n->first + n->n]);
  find_planes(w, n);
}

/* Coordinates up to S in floats are off by 6e-8 S, their differences by twice that, and some more where they are summed. */
double vvi_sheet_rounding(const double a[6], const double b[6])
{
  double size = 0.0;
  for (int c = 0; c < 6; c++) size = fmax(size, fmax(fabs(a[c]), fabs(b[c])));
  return 4e-6 * size;
}
