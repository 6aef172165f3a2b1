/* body/rigid/surface.c  The contact shapes of rigid bodies: one solid at every node. */
#include "body/rigid/rigid.h"

static int64_t node_of(const vv_block *b, const vv_point *pt)
{
  return b->patch[pt->patch].node + (int64_t)pt->xi[0];
}

void rigid_surface(const vv_block *b, const double *q, int n, const vv_point *pt, double *x)
{
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 3; c++) x[3 * i + c] = q[(RIGID_X + c) * b->column + node_of(b, &pt[i])] + pt[i].arm[c];
}

/* w = p/m + omega x arm                                                                                    [rigid 11] */
void rigid_push(const vv_block *b, const double *q, const double *p, int n, const vv_point *pt, double *w)
{
  for (int i = 0; i < n; i++) {
    const int64_t node = node_of(b, &pt[i]);
    double turn[4], r[9], h[3], omega[3], v[3];
    rigid_take(b->column, q, node, RIGID_TURN, 4, turn);
    rigid_take(b->column, p, node, RIGID_H, 3, h);
    vvi_quaternion_matrix(turn, r);
    rigid_spin(b, node, r, h, omega);
    vvi_cross3(omega, pt[i].arm, v);
    for (int c = 0; c < 3; c++)
      w[3 * i + c] = rigid_node(b, RIGID_INVERSE_MASS)[node] * p[(RIGID_P + c) * b->column + node] + v[c];
  }
}

/* p += r, h += arm x r; a fixed body keeps its rest                                                          [rigid 11] */
void rigid_pull(const vv_block *b, const double *q, int n, const vv_point *pt, const double *r, double *p)
{
  (void)q;
  for (int i = 0; i < n; i++) {
    const int64_t node = node_of(b, &pt[i]);
    double moment[3];
    if (b->patch[pt[i].patch].held) continue;
    vvi_cross3(pt[i].arm, r + 3 * i, moment);
    for (int c = 0; c < 3; c++) {
      p[(RIGID_P + c) * b->column + node] += r[3 * i + c];
      p[(RIGID_H + c) * b->column + node] += moment[c];
    }
  }
}

/* 1/m - arm^ R I^-1 R^T arm^                                                                                 [rigid 12] */
void rigid_inverse_mass(const vv_block *b, const double *q, int n, const vv_point *pt, double *a)
{
  static const int row[6] = {0, 1, 2, 1, 0, 0}, column[6] = {0, 1, 2, 2, 2, 1};
  for (int i = 0; i < n; i++) {
    const int64_t node = node_of(b, &pt[i]);
    double turn[4], r[9], axis[3][3];
    rigid_take(b->column, q, node, RIGID_TURN, 4, turn);
    vvi_quaternion_matrix(turn, r);
    for (int k = 0; k < 3; k++) { /* arm x (axis k of the body) */
      const double e[3] = {r[k], r[3 + k], r[6 + k]};
      vvi_cross3(pt[i].arm, e, axis[k]);
    }
    for (int c = 0; c < 6; c++) {
      a[6 * i + c] = row[c] == column[c] ? rigid_node(b, RIGID_INVERSE_MASS)[node] : 0.0;
      for (int k = 0; k < 3; k++)
        a[6 * i + c] += rigid_node(b, RIGID_INVERSE_INERTIA + k)[node] * axis[k][row[c]] * axis[k][column[c]];
    }
  }
}

/* ---- drawing ---- */

bool rigid_skin(const vv_block *b, int32_t body_in_block, vv_skin *out)
{
  const rigid_shape *shape = (const rigid_shape *)(const void *)b->patch[body_in_block].solid; /* one patch a body */
  *out = shape->skin;
  return out->triangles > 0;
}
