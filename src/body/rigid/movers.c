/* body/rigid/movers.c  All bodies as movers: asked for once a step.  Eight at a time, the last few one by one with the same
 * bits. */
#include "body/rigid/rigid.h"

enum { LANES = 8, PARALLEL_FROM = 2048, CHUNK = 512 };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

#define REAL     double
#define FN(name) name##_double
#include "body/rigid/mover.h"
#undef REAL
#undef FN
#define REAL     lanes
#define FN(name) name##_lanes
#include "body/rigid/mover.h"
#undef REAL
#undef FN

/* The columns of a block, from one node on. */
typedef struct movers {
  int64_t column, stride;
  const double *q, *p, *inverse_mass, *inverse_inertia;
} movers;

/* What is only copied. */
static inline __attribute__((always_inline)) void put_plain(const movers *a, int64_t i, vv_mover *m)
{
  const double minv = a->inverse_mass[i];
  for (int c = 0; c < 3; c++) {
    m->place[c] = a->q[(RIGID_X + c) * a->column + i];
    m->velocity[c] = minv * a->p[(RIGID_P + c) * a->column + i];
    m->inverse_mass[c] = minv, m->inverse_mass[3 + c] = 0.0;
  }
}

static inline __attribute__((always_inline)) void put_eight(const movers *a, int64_t i, vv_mover *out)
{
  lanes q[4], h[3], u[3], r[9], omega[3], inverse[6];
  for (int c = 0; c < 4; c++) q[c] = *(const lanes *)(a->q + (RIGID_TURN + c) * a->column + i);
  for (int c = 0; c < 3; c++) h[c] = *(const lanes *)(a->p + (RIGID_H + c) * a->column + i);
  for (int c = 0; c < 3; c++) u[c] = *(const lanes *)(a->inverse_inertia + c * a->stride + i);
  mover_lanes(q, h, u, r, omega, inverse);
  for (int l = 0; l < LANES; l++) {
    vv_mover *m = &out[i + l];
    put_plain(a, i + l, m);
    for (int c = 0; c < 9; c++) m->turn[c] = r[c][l];
    for (int c = 0; c < 3; c++) m->spin[c] = omega[c][l];
    for (int c = 0; c < 6; c++) m->inverse_inertia[c] = inverse[c][l];
  }
}

static inline __attribute__((always_inline)) void put_one(const movers *a, int64_t i, vv_mover *m)
{
  double q[4], h[3], u[3];
  rigid_take(a->column, a->q, i, RIGID_TURN, 4, q);
  rigid_take(a->column, a->p, i, RIGID_H, 3, h);
  rigid_take(a->stride, a->inverse_inertia, i, 0, 3, u);
  put_plain(a, i, m);
  mover_double(q, h, u, m->turn, m->spin, m->inverse_inertia);
}

VV_HOT static void put_range(const movers *a, int64_t i, int64_t to, vv_mover *out)
{
  for (; i + LANES <= to; i += LANES) put_eight(a, i, out);
  for (; i < to; i++) put_one(a, i, &out[i]);
}

static movers columns(const vv_block *b, const double *q, const double *p)
{
  return (movers){.column = b->column,
                  .stride = b->stride,
                  .q = q,
                  .p = p,
                  .inverse_mass = rigid_node(b, RIGID_INVERSE_MASS),
                  .inverse_inertia = rigid_node(b, RIGID_INVERSE_INERTIA)};
}

void rigid_mover(const vv_block *b, int64_t node, const double *q, const double *p, vv_mover *out)
{
  const movers a = columns(b, q, p);
  put_one(&a, node, out);
}

void rigid_scatter(const vv_block *b, int64_t node, const double *q, const double j[6], double *p)
{
  (void)q;
  for (int c = 0; c < 3; c++) {
    p[(RIGID_P + c) * b->column + node] += j[c];
    p[(RIGID_H + c) * b->column + node] += j[3 + c];
  }
}

void rigid_movers(const vv_block *b, const double *q, const double *p, vv_mover *out)
{
  const movers a = columns(b, q, p);
  const int64_t n = b->nodes, chunks = (n + CHUNK - 1) / CHUNK;
  if (n < PARALLEL_FROM || b->threads < 2) {
    put_range(&a, 0, n, out);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(b->threads)
  for (int64_t k = 0; k < chunks; k++) put_range(&a, k * CHUNK, (k + 1) * CHUNK < n ? (k + 1) * CHUNK : n, out);
}
