/* contact/friction/law.h  Laws of friction at one contact, as the island solver sees them: a cone of impulses (n, t, t') that
 * are allowed, the nearest of them to one that is not, and how that changes.
 *
 * A new law is one file in this folder with one table.  Functions of Coulomb's cone are there for laws that only choose mu. */
#pragma once
#include "base/base.h"

#include <math.h>

typedef struct vvi_friction_law vvi_friction_law;

typedef struct vvi_friction {
  const vvi_friction_law *law;
  double mu;      /* 0: the contact has no tangential impulse */
  double kinetic; /* mu once it slides, for laws that know the difference */
  double limit;   /* the largest impulse across n, for laws that have one of their own */
} vvi_friction;

typedef enum vvi_touch { VVI_FREE, VVI_STICKS, VVI_SLIDES } vvi_touch;

struct vvi_friction_law {
  const char *name;
  /* p: the allowed impulse nearest to q. */
  vvi_touch (*nearest)(const vvi_friction *f, const double q[3], double p[3]);
  /* d = dp/dq at q: nn, tt, t't', tt', nt', nt. */
  void (*slope)(const vvi_friction *f, vvi_touch touch, const double q[3], const double p[3], double d[6]);
  /* The law itself, without detour: the impulse p that answers q = j - K u; j = p where u obeys the law. */
  vvi_touch (*answer)(const vvi_friction *f, const double q[3], double p[3]);
  /* d = dp/dq of that, not symmetric, by rows. */
  void (*answer_slope)(const vvi_friction *f, vvi_touch touch, const double q[3], const double p[3], double d[9]);
  /* t: cut to what is allowed beside the normal impulse n; true: it was more. */
  bool (*cut)(const vvi_friction *f, double n, double t[2]);
  /* The cone shift: added to the normal velocity it makes u and the impulse members of the cone and of its dual. */
  double (*shift)(const vvi_friction *f, const double u[3]);
  /* One contact alone, u = c + A j, c_n < 0: the impulse that slides, u_n = 0.  False: none found; j as it was. */
  bool (*slide)(const vvi_friction *f, const double a[6], const double c[3], double tolerance, double j[3]);
  /* A contact that held in the last step slides with the answer.  True: the law is another now, solve again.  NULL: never. */
  bool (*lets_go)(vvi_friction *f);
};

/* No law: any impulse is allowed, and the velocity is what is asked for.  Rows of joints. */
vvi_friction vvi_friction_joint(void);
vvi_friction vvi_friction_coulomb(double mu);
/* Moments across n, no larger than `limit`, as impulses at some arm; there is no row n. */
vvi_friction vvi_friction_rolling(double limit);
/* Static and kinetic friction, kinetic < mu: holds with mu until it slides, and slides with `kinetic` until it holds. */
vvi_friction vvi_friction_static_kinetic(double mu, double kinetic, bool slides);

/* ---- laws without a cone: no shift, and nothing that slides in closed form ---- */

double vvi_law_no_shift(const vvi_friction *f, const double u[3]);
bool vvi_law_no_slide(const vvi_friction *f, const double a[6], const double c[3], double tolerance, double j[3]);

/* ---- Coulomb's cone ---- */

vvi_touch vvi_cone_nearest(const vvi_friction *f, const double q[3], double p[3]);
void vvi_cone_slope(const vvi_friction *f, vvi_touch touch, const double q[3], const double p[3], double d[6]);
vvi_touch vvi_cone_answer(const vvi_friction *f, const double q[3], double p[3]);
void vvi_cone_answer_slope(const vvi_friction *f, vvi_touch touch, const double q[3], const double p[3], double d[9]);
/* As vvi_cone_cut, for hot loops. */
static inline bool vvi_cone_cut_inline(const vvi_friction *f, double n, double t[2])
{
  const double square = t[0] * t[0] + t[1] * t[1], limit = f->mu * n;
  if (square <= limit * limit && limit >= 0.0) return false;
  const double part = limit / sqrt(square);
  t[0] *= part, t[1] *= part;
  return true;
}
bool vvi_cone_cut(const vvi_friction *f, double n, double t[2]);
double vvi_cone_shift(const vvi_friction *f, const double u[3]);
bool vvi_cone_slide(const vvi_friction *f, const double a[6], const double c[3], double tolerance, double j[3]);
/* Beside a normal impulse that is known: j += what stops the slip u, K dj = -u with K = tt, tt', t't', all of j cut to the disc
 * |j| <= limit.  True: it sticks.                                                                           [contact 7] */
bool vvi_disc_answer(const double k[3], const double u[2], double limit, double j[2]);
