/* body/rigid/surface.c  What contact sees of rigid bodies: one solid at every node, and the nodes as movers. */
#include "body/rigid/rigid.h"

enum { LANES = 8, PARALLEL_FROM = 2048, CHUNK = 512 };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

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

/* ---- movers ---- */

/* place, turn, velocity, spin, inverse inertia: in the order of vv_mover, inverse mass apart */
enum { MOVER_REALS = 3 + 9 + 3 + 3 + 6 };

/* Eight nodes from columns that lie `column` and `stride` apart: out[MOVER_REALS][LANES]                       [rigid 9] */
static inline __attribute__((always_inline)) void movers_eight(const double *q, const double *p, int64_t column,
                                                               const double *real, int64_t stride, double *out)
{
#define GET(from, c, step) (*(const lanes *)((from) + (int64_t)(c) * (step)))
  lanes *put = (lanes *)out;
  const lanes w = GET(q, RIGID_TURN, column), x = GET(q, RIGID_TURN + 1, column), y = GET(q, RIGID_TURN + 2, column),
              z = GET(q, RIGID_TURN + 3, column), s = 2.0 / (w * w + x * x + y * y + z * z);
  const lanes r[9] = {1.0 - s * (y * y + z * z), s * (x * y - w * z),       s * (x * z + w * y),
                      s * (x * y + w * z),       1.0 - s * (x * x + z * z), s * (y * z - w * x),
                      s * (x * z - w * y),       s * (y * z + w * x),       1.0 - s * (x * x + y * y)};
  const lanes minv = GET(real, RIGID_INVERSE_MASS, stride);
  lanes u[3], h[3], omega[3] = {{0}};
  for (int c = 0; c < 3; c++) {
    u[c] = GET(real, RIGID_INVERSE_INERTIA + c, stride), h[c] = GET(p, RIGID_H + c, column);
    put[c] = GET(q, RIGID_X + c, column);
    put[12 + c] = minv * GET(p, RIGID_P + c, column);
  }
  for (int c = 0; c < 9; c++) put[3 + c] = r[c];
  for (int c = 0; c < 3; c++) {
    const lanes along = u[c] * (r[c] * h[0] + r[3 + c] * h[1] + r[6 + c] * h[2]);
    for (int k = 0; k < 3; k++) omega[k] += r[3 * k + c] * along;
  }
  for (int c = 0; c < 3; c++) put[15 + c] = omega[c];
  static const int row[6] = {0, 1, 2, 1, 0, 0}, col[6] = {0, 1, 2, 2, 2, 1};
  for (int c = 0; c < 6; c++)
    put[18 + c] = u[0] * r[3 * row[c]] * r[3 * col[c]] + u[1] * r[3 * row[c] + 1] * r[3 * col[c] + 1] +
                  u[2] * r[3 * row[c] + 2] * r[3 * col[c] + 2];
#undef GET
}

static inline __attribute__((always_inline)) void put_mover(const double *eight, int l, double inverse_mass,
                                                            vv_mover *m)
{
  double v[MOVER_REALS];
  for (int c = 0; c < MOVER_REALS; c++) v[c] = eight[c * LANES + l];
  for (int c = 0; c < 3; c++) m->place[c] = v[c], m->velocity[c] = v[12 + c], m->spin[c] = v[15 + c];
  for (int c = 0; c < 9; c++) m->turn[c] = v[3 + c];
  for (int c = 0; c < 6; c++) m->inverse_mass[c] = c < 3 ? inverse_mass : 0.0, m->inverse_inertia[c] = v[18 + c];
}

VV_HOT static void movers_range(const vv_block *b, int64_t i0, int64_t i1, const double *q, const double *p,
                                vv_mover *out)
{
  _Alignas(64) double eight[MOVER_REALS * LANES];
  const double *minv = b->node_real + RIGID_INVERSE_MASS * b->stride;
  int64_t i = i0;
  for (; i + LANES <= i1; i += LANES) {
    movers_eight(q + i, p + i, b->column, b->node_real + i, b->stride, eight);
    for (int l = 0; l < LANES; l++) put_mover(eight, l, minv[i + l], &out[i + l]);
  }
  for (; i < i1; i++) { /* the last few: through copies of their own */
    double Q[RIGID_Q * LANES] = {0}, P[RIGID_NODE_P * LANES] = {0}, real[RIGID_NODE_COLUMNS * LANES] = {0};
    for (int c = 0; c < RIGID_Q; c++)
      for (int l = 0; l < LANES; l++) Q[c * LANES + l] = q[c * b->column + i];
    for (int c = 0; c < RIGID_NODE_P; c++) P[c * LANES] = p[c * b->column + i];
    for (int c = 0; c < RIGID_NODE_COLUMNS; c++) real[c * LANES] = b->node_real[c * b->stride + i];
    movers_eight(Q, P, LANES, real, LANES, eight);
    put_mover(eight, 0, minv[i], &out[i]);
  }
}

void rigid_movers(const vv_block *b, const double *q, const double *p, vv_mover *out)
{
  const int64_t n = b->nodes, chunks = (n + CHUNK - 1) / CHUNK;
  if (n < PARALLEL_FROM || b->threads < 2) {
    movers_range(b, 0, n, q, p, out);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(b->threads)
  for (int64_t k = 0; k < chunks; k++) movers_range(b, k * CHUNK, (k + 1) * CHUNK < n ? (k + 1) * CHUNK : n, q, p, out);
}

/* ---- drawing ---- */

bool rigid_skin(const vv_block *b, int32_t body_in_block, vv_skin *out)
{
  const rigid_shape *shape = (const rigid_shape *)(const void *)b->patch[body_in_block].solid; /* one patch a body */
  *out = shape->skin;
  return out->triangles > 0;
}
