/* body/rigid/flight.c  Drift: bodies fly and turn freely.
 *
 * Neighbours of one class are worked on eight at a time, whatever body of the scene they belong to; what the eight cannot do
 * together (large angles) and the last few go one by one through the same formulas, so every body gets the same bits wherever
 * it stands. */
#include "body/rigid/rigid.h"
#include "body/rigid/single.h"

enum { LANES = 8, PARALLEL_FROM = 2048 };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef int64_t masks __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

static inline __attribute__((always_inline)) bool all_lanes(const masks *m)
{
  const masks a = *m;
  return (a[0] & a[1] & a[2] & a[3] & a[4] & a[5] & a[6] & a[7]) != 0; /* -1 or 0 each */
}
_Static_assert(LANES == 8, "all_lanes");

static inline __attribute__((always_inline)) void half_series_lanes(const lanes *t, lanes *sine, lanes *versed);
static inline __attribute__((always_inline)) bool half_turn_lanes(const lanes *t, lanes *sine, lanes *versed)
{
  const masks small = *t <= 1.0;
  half_series_lanes(t, sine, versed);
  return all_lanes(&small);
}
#define REAL                       lanes
#define FN(name)                   name##_lanes
#define MASK                       masks
#define CHOOSE(m, yes, no)         ((lanes)(((masks)(yes) & (m)) | ((masks)(no) & ~(m))))
#define ALL(m)                     all_lanes(&(m))
#define HALF_TURN(t, sine, versed) half_turn_lanes(&(t), &(sine), &(versed))
#include "body/rigid/formulas.h"
#undef REAL
#undef FN
#undef MASK
#undef CHOOSE
#undef ALL
#undef HALF_TURN

/* What the flight of a range of nodes reads; every pointer starts at its first node. */
typedef struct flyers {
  int64_t column, stride;
  const double *inverse_mass, *inertia, *inverse;
} flyers;

static inline __attribute__((always_inline)) int fly_one(const flyers *a, rigid_class kind, int64_t i, double dt,
                                                         double *q, const double *p)
{
  double Q[RIGID_Q], P[RIGID_NODE_P], I[3], u[3];
  rigid_take(a->column, q, i, 0, RIGID_Q, Q);
  rigid_take(a->column, p, i, 0, RIGID_NODE_P, P);
  rigid_take(a->stride, a->inertia, i, 0, 3, I);
  rigid_take(a->stride, a->inverse, i, 0, 3, u);
  const int n = rigid_fly(kind, dt, a->inverse_mass[i], I, u, P, Q);
  for (int c = 0; c < RIGID_Q; c++) q[c * a->column + i] = Q[c];
  return n;
}

static inline __attribute__((always_inline)) void extreme_lanes(const lanes u[3], bool high, lanes *out)
{
  lanes e = u[0];
  for (int c = 1; c < 3; c++)
    for (int l = 0; l < LANES; l++) e[l] = (high ? u[c][l] > e[l] : u[c][l] < e[l]) ? u[c][l] : e[l];
  *out = e;
}

/* 0: some of the eight have no easy way, and all are left where they were. */
static inline __attribute__((always_inline)) int fly_eight(const flyers *a, rigid_class kind, int64_t i, double dt,
                                                           double *q, const double *p)
{
  lanes Q[RIGID_Q], P[RIGID_NODE_P], I[3] = {{0}}, u[3], low = {0}, high = {0};
  for (int c = 0; c < RIGID_Q; c++) Q[c] = *(const lanes *)(q + c * a->column + i);
  for (int c = 0; c < RIGID_NODE_P; c++) P[c] = *(const lanes *)(p + c * a->column + i);
  for (int c = 0; c < 3; c++) u[c] = *(const lanes *)(a->inverse + c * a->stride + i);
  if (kind == RIGID_UNEVEN) {
    for (int c = 0; c < 3; c++) I[c] = *(const lanes *)(a->inertia + c * a->stride + i);
    extreme_lanes(u, false, &low);
    extreme_lanes(u, true, &high);
  }
  const lanes inverse_mass = *(const lanes *)(a->inverse_mass + i);
  const int n = fly_lanes(kind, dt, 1, &inverse_mass, I, u, &low, &high, P, Q);
  for (int c = 0; n > 0 && c < RIGID_Q; c++) *(lanes *)(q + c * a->column + i) = Q[c];
  return n;
}

static inline __attribute__((always_inline)) int fly_range(const flyers *a, rigid_class kind, int64_t n, double dt,
                                                           double *q, const double *p)
{
  int64_t i = 0;
  int most = 0;
  for (; i + LANES <= n; i += LANES) {
    const int eight = fly_eight(a, kind, i, dt, q, p);
    if (eight > most) most = eight;
    for (int64_t k = i; eight == 0 && k < i + LANES; k++) {
      const int one = fly_one(a, kind, k, dt, q, p);
      if (one > most) most = one;
    }
  }
  for (; i < n; i++) {
    const int one = fly_one(a, kind, i, dt, q, p);
    if (one > most) most = one;
  }
  return most;
}

VV_HOT static int fly_even(const flyers *a, int64_t n, double dt, double *q, const double *p)
{
  fly_range(a, RIGID_EVEN, n, dt, q, p);
  return 0;
}

VV_HOT static int fly_top(const flyers *a, int64_t n, double dt, double *q, const double *p)
{
  fly_range(a, RIGID_TOP, n, dt, q, p);
  return 0;
}

VV_HOT static int fly_uneven(const flyers *a, int64_t n, double dt, double *q, const double *p)
{
  return fly_range(a, RIGID_UNEVEN, n, dt, q, p);
}

/* The nodes [i, i + n), all of one class. */
static int fly_run(const vv_block *b, rigid_class kind, int64_t i, int64_t n, double dt, double *q, const double *p)
{
  const flyers a = {.column = b->column,
                    .stride = b->stride,
                    .inverse_mass = rigid_node(b, RIGID_INVERSE_MASS) + i,
                    .inertia = rigid_node(b, RIGID_INERTIA) + i,
                    .inverse = rigid_node(b, RIGID_INVERSE_INERTIA) + i};
  switch (kind) {
  case RIGID_HELD:
    return 0;
  case RIGID_EVEN:
    return fly_even(&a, n, dt, q + i, p + i);
  case RIGID_TOP:
    return fly_top(&a, n, dt, q + i, p + i);
  case RIGID_UNEVEN:
    break;
  }
  return fly_uneven(&a, n, dt, q + i, p + i);
}

/* Runs of bodies of one class. */
static int drift_range(const vv_block *b, int64_t i0, int64_t i1, double dt, double *q, const double *p)
{
  int most = 0;
  for (int32_t j = vv_body_of_node(b, i0); i0 < i1;) {
    const double kind = rigid_of(b, j)->kind;
    int64_t to = i0;
    for (; to < i1 && j < b->n_body && rigid_of(b, j)->kind == kind; j++) to = b->body[j]->node0 + b->body[j]->n_node;
    if (to > i1) to = i1;
    const int n = fly_run(b, (rigid_class)kind, i0, to - i0, dt, q, p);
    if (n > most) most = n;
    i0 = to;
  }
  return most;
}

int rigid_drift(const vv_block *b, double dt, double *q, double *p)
{
  const int64_t n = b->nodes;
  int most = 0;
  if (n < PARALLEL_FROM || b->threads < 2) return drift_range(b, 0, n, dt, q, p);
#pragma omp parallel num_threads(b->threads) reduction(max : most)
  {
    const int64_t team = vvi_team_size(), me = vvi_team_rank();
    most = drift_range(b, n * me / team, n * (me + 1) / team, dt, q, p);
  }
  return most;
}

void rigid_drift_node(const vv_block *b, int64_t node, double dt, double *q, double *p)
{
  fly_run(b, (rigid_class)rigid_of(b, vv_body_of_node(b, node))->kind, node, 1, dt, q, p);
}

/* Without loads and gravity nothing kicks. */
void rigid_stride(const vv_block *b, double h, double *q, double *p)
{
  rigid_drift(b, h, q, p);
}
