/* body/beam/twice.h  formulas.h and sums.h, for one and for eight neighbours at once. */
#pragma once
#include "body/beam/beam.h"
#include "body/beam/retraction.h"

#include "math/math.h"

enum { LANES = BEAM_LANES };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

typedef int64_t masks __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

static inline __attribute__((always_inline)) bool any_lane(const masks *m)
{
  const masks a = *m;
  return ((a[0] | a[1] | a[2] | a[3]) | (a[4] | a[5] | a[6] | a[7])) != 0;
}

static inline __attribute__((always_inline)) bool all_lanes(const masks *m)
{
  const masks a = *m;
  return (a[0] & a[1] & a[2] & a[3] & a[4] & a[5] & a[6] & a[7]) != 0; /* -1 or 0 each */
}
_Static_assert(LANES == 8, "all_lanes");

#define REAL               double
#define FN(name)           name##_double
#define ROOT(x)            (x) = sqrt(x)
#define MASK               int
#define CHOOSE(m, yes, no) ((m) ? (yes) : (no))
#define ALL(m)             (m)
#include "body/beam/formulas.h"
#include "body/beam/sums.h"
#undef REAL
#undef FN
#undef ROOT
#undef MASK
#undef CHOOSE
#undef ALL
#define REAL     lanes
#define FN(name) name##_lanes
#define ROOT(x) \
  for (int l = 0; l < LANES; l++) (x)[l] = sqrt((x)[l])
#define MASK               masks
#define CHOOSE(m, yes, no) ((lanes)(((masks)(yes) & (m)) | ((masks)(no) & ~(m))))
#define ALL(m)             all_lanes(&(m))
#include "body/beam/formulas.h"
#include "body/beam/sums.h"
#undef REAL
#undef FN
#undef ROOT
#undef MASK
#undef CHOOSE
#undef ALL

#define LOAD(p)     (*(const lanes *)(p))
#define STORE(p, x) (*(lanes *)(p) = (x))
