/* contact/sheets/gaps.c  Distances of edges and faces bounded from below, many at a time and in floats: most candidates of a
 * list are dropped here, the others are measured. */
#include "contact/sheets/search.h"
#include "math/math.h"

/* ---- edges ----
 *
 * An edge is c + s h with -1 <= s <= 1.  For any direction w, with r = c_a - c_b,
 *   distance >= (w.r - |w.h_a| - |w.h_b|)/|w|                                                                [sheets 16]
 * which is sharp if w joins closest points.  Hence it does not matter how well these are known. */

void vvi_sheet_spans(vvi_sheet_search *w, int32_t first, int32_t end)
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

static inline float within(float x)
{
  const float y = x < 1.0F ? x : 1.0F;
  return y > -1.0F ? y : -1.0F;
}

static inline float larger(float a, float b)
{
  return a > b ? a : b;
}

/* Gaps of the boxes along the axis where they are farthest; the least of them. */
VV_HOT static float box_gaps(const float *restrict span, int64_t column, int64_t edge, int64_t first)
{
  const float *cx = span + first, *cy = cx + column, *cz = cy + column, *hx = cz + column, *hy = hx + column,
              *hz = hy + column, *me = span + edge;
  const float x = me[0], y = me[column], z = me[2 * column];
  const float u = fabsf(me[3 * column]), v = fabsf(me[4 * column]), t = fabsf(me[5 * column]);
  float nearest = INFINITY;
#pragma omp simd reduction(min : nearest)
  for (int i = 0; i < VVI_SHEET_LANES; i++) {
    const float gx = fabsf(x - cx[i]) - u - fabsf(hx[i]), gy = fabsf(y - cy[i]) - v - fabsf(hy[i]),
                gz = fabsf(z - cz[i]) - t - fabsf(hz[i]), gap = larger(gx, larger(gy, gz));
    nearest = gap < nearest ? gap : nearest;
  }
  return nearest;
}

/* [sheets 16] with w from closest points: s from the lines, t from s, s from t, each cut to its edge. */
VV_HOT static void edge_gaps(const float *restrict span, int64_t column, int64_t edge, int64_t first, float skin,
                             float *restrict excess)
{
  const float *cx = span + first, *cy = cx + column, *cz = cy + column, *hx = cz + column, *hy = hx + column,
              *hz = hy + column, *me = span + edge;
  const float x = me[0], y = me[column], z = me[2 * column], ux = me[3 * column], uy = me[4 * column],
              uz = me[5 * column];
  const float a = ux * ux + uy * uy + uz * uz + 1e-37F, skin2 = skin * skin;
#pragma omp simd
  for (int i = 0; i < VVI_SHEET_LANES; i++) {
    const float vx = hx[i], vy = hy[i], vz = hz[i], rx = x - cx[i], ry = y - cy[i], rz = z - cz[i];
    const float e = vx * vx + vy * vy + vz * vz + 1e-37F, b = ux * vx + uy * vy + uz * vz;
    const float c = ux * rx + uy * ry + uz * rz, f = vx * rx + vy * ry + vz * rz;
    const float s0 = within((b * f - c * e) / (a * e - b * b + 1e-6F * a * e));
    const float t = within((b * s0 + f) / e), s = within((b * t - c) / a);
    const float wx = rx + s * ux - t * vx, wy = ry + s * uy - t * vy, wz = rz + s * uz - t * vz;
    const float apart = (wx * rx + wy * ry + wz * rz) - fabsf(wx * ux + wy * uy + wz * uz) -
                        fabsf(wx * vx + wy * vy + wz * vz);
    excess[i] = apart > 0.0F ? apart * apart - skin2 * (wx * wx + wy * wy + wz * wz) : -1.0F;
  }
}

bool vvi_sheet_edges_near(const vvi_sheet_search *w, int32_t edge, int32_t first, float skin,
                          float excess[VVI_SHEET_LANES])
{
  const int64_t column = (int64_t)w->sheets->n_edge + VVI_SHEET_LANES;
  if (box_gaps(w->span, column, edge, first) >= skin) return false;
  edge_gaps(w->span, column, edge, first, skin, excess);
  return true;
}

/* ---- faces ----
 *
 * With the unit normal n of a triangle and the unit normals m_k of its edges, in its plane and outwards, a point at p is
 *   distance^2 >= (n.(p - x_0))^2 + max(0, m_k.(p - x_k))^2                                                  [sheets 17]
 * away.  Stored are n, n.x_0, and the same of the m_k; all zero if the triangle has no area. */

static void set_plane(float *plane, int64_t column, int64_t at, const double n[3], const double x[3])
{
  for (int c = 0; c < 3; c++) plane[c * column + at] = (float)n[c];
  plane[3 * column + at] = (float)vvi_dot3(n, x);
}

void vvi_sheet_planes(vvi_sheet_search *w, int32_t first, int32_t end)
{
  const int64_t column = (int64_t)w->sheets->n_element + VVI_SHEET_LEAF;
  for (int32_t e = first; e < end; e++) {
    const int32_t *corner = w->sheets->element + 3 * (int64_t)e;
    if (corner[2] < 0) continue; /* not a triangle: never asked */
    double side[3][3], n[3], m[3], length[3];
    for (int k = 0; k < 3; k++)
      for (int c = 0; c < 3; c++)
        side[k][c] = w->x[3 * (int64_t)corner[(k + 1) % 3] + c] - w->x[3 * (int64_t)corner[k] + c];
    vvi_cross3(side[0], side[1], n);
    for (int k = 0; k < 3; k++) length[k] = vvi_dot3(side[k], side[k]);
    const double area = vvi_dot3(n, n), inverse = area > 1e-12 * length[0] * length[1] ? 1.0 / sqrt(area) : 0.0;
    for (int c = 0; c < 3; c++) n[c] *= inverse;
    set_plane(w->plane, column, e, n, w->x + 3 * (int64_t)corner[0]);
    for (int k = 0; k < 3; k++) {
      vvi_cross3(side[k], n, m);
      const double scale = length[k] > 0.0 ? 1.0 / sqrt(length[k]) : 0.0;
      for (int c = 0; c < 3; c++) m[c] *= scale;
      set_plane(w->plane + 4 * (k + 1) * column, column, e, m, w->x + 3 * (int64_t)corner[k]);
    }
  }
}

VV_HOT static void face_gaps(const float *restrict plane, int64_t column, float x, float y, float z, float skin,
                             float *restrict excess)
{
  const float *p = plane, *q = p + 4 * column, *r = q + 4 * column, *s = r + 4 * column;
#pragma omp simd
  for (int i = 0; i < VVI_SHEET_LEAF; i++) {
    const float n = p[i] * x + p[column + i] * y + p[2 * column + i] * z - p[3 * column + i];
    const float a = q[i] * x + q[column + i] * y + q[2 * column + i] * z - q[3 * column + i];
    const float b = r[i] * x + r[column + i] * y + r[2 * column + i] * z - r[3 * column + i];
    const float c = s[i] * x + s[column + i] * y + s[2 * column + i] * z - s[3 * column + i];
    const float m = larger(larger(a, 0.0F), larger(b, c));
    excess[i] = n * n + m * m - skin * skin;
  }
}

void vvi_sheet_faces_near(const vvi_sheet_search *w, const double x[3], int32_t first, float skin,
                          float excess[VVI_SHEET_LEAF])
{
  face_gaps(w->plane + first, (int64_t)w->sheets->n_element + VVI_SHEET_LEAF, (float)x[0], (float)x[1], (float)x[2],
            skin, excess);
}

/* Coordinates up to S in floats are off by 6e-8 S, their differences by twice that, and some more where they are summed. */
double vvi_sheet_rounding(const double a[6], const double b[6])
{
  double size = 0.0;
  for (int c = 0; c < 6; c++) size = fmax(size, fmax(fabs(a[c]), fabs(b[c])));
  return 4e-6 * size;
}
