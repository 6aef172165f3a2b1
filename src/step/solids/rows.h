/* step/solids/rows.h  Between the files of this folder: one contact, seen from the working velocities of the movers. */
#pragma once
#include "math/math.h"
#include "step/solids.h"

/* y = A x of a symmetric A = xx yy zz yz xz xy */
static inline void vvi_times6(const double a[6], const double x[3], double y[3])
{
  const double u = x[0], v = x[1], w = x[2];
  y[0] = a[0] * u + a[5] * v + a[4] * w;
  y[1] = a[5] * u + a[1] * v + a[3] * w;
  y[2] = a[4] * u + a[3] * v + a[2] * w;
}

/* Velocity of b relative to a at the common point. */
static inline void vvi_solid_row_velocity(const struct vvi_solids_step *w, const vvi_solid_row *c, double v[3])
{
  v[0] = v[1] = v[2] = 0.0;
  for (int l = 0; l < c->legs; l++) {
    const vvi_leg *g = &c->leg[l];
    const vv_mover *m = &w->near->mover[g->mover];
    double turn[3];
    vvi_cross3(m->spin, g->arm, turn);
    for (int i = 0; i < 3; i++) v[i] += g->weight * (m->velocity[i] + turn[i]);
  }
}

static inline double vvi_solid_row_speed(const struct vvi_solids_step *w, const vvi_solid_row *c)
{
  double v[3];
  vvi_solid_row_velocity(w, c, v);
  return vvi_dot3(v, c->n);
}

/* Its inverse mass and lever, where it has none yet. */
void vvi_solid_row_finish(struct vvi_solids_step *w, vvi_solid_row *c);

/* What an impulse r along n does to the working velocities. */
static inline void vvi_solid_row_push(struct vvi_solids_step *w, const vvi_solid_row *c, double r)
{
  const vvi_lever *e = &w->lever[c - w->row];
  for (int l = 0; l < c->legs; l++) {
    vv_mover *m = &w->near->mover[c->leg[l].mover];
    for (int i = 0; i < 3; i++) m->velocity[i] += r * e->lift[l][i], m->spin[i] += r * e->twist[l][i];
  }
}

/* The same for any impulse j on b, -j on a. */
void vvi_solid_row_push3(struct vvi_solids_step *w, const vvi_solid_row *c, const double j[3]);
/* Inverse mass at the common point: xx yy zz yz xz xy. */
void vvi_solid_row_inverse(const struct vvi_solids_step *w, const vvi_solid_row *c, double a[6]);
/* An impulse j on b, -j on a, on the momenta of the state, with the books of what is held; not on the working velocities. */
void vvi_solid_row_pull(struct vv_step *s, const vvi_solid_row *c, const double j[3]);
/* One entry in the log. */
void vvi_solid_row_log(struct vv_step *s, const vvi_solid_row *c, const char *kind, double t, double impulse,
                       double slide, double lost);
/* Gap after the coming half kick and drift, at the working velocities. */
static inline double vvi_solid_row_ahead(const vvi_solid_row *c, double h, double u)
{
  return c->gap + h * u + 0.5 * h * h * c->press - c->curl;
}

/* The row of one place. */
void vvi_solid_row_make(const struct vvi_solids_step *w, const vvi_meet *m, double h, vvi_solid_row *c);
/* All rows of the present configuration from near->meet. */
bool vvi_rows_make(struct vv_step *s, double h);
/* Does some row need an impact? */
bool vvi_rows_hit(struct vv_step *s, double h);
/* Generalised reflections until nothing approaches that would overlap.  False: they did not end. */
bool vvi_impacts(struct vv_step *s, double t, double h);
/* One pass over w->hit. */
void vvi_impacts_pass(struct vv_step *s, double t, double direction);
/* Rows of bodies that bend, pressed together by the half kick: the smallest impulses that keep them apart. */
void vvi_holds(struct vv_step *s, double t, double h);
/* Contacts at rest; again: once more in the same step, nothing is recalled or remembered. */
void vvi_settle_rest(struct vv_step *s, double h, bool again);
/* The block of a mover, and its node there. */
const vv_block *vvi_solids_block(const struct vv_step *s, int32_t mover, int64_t *node);
/* Contacts made some faster: more may be near.  True: look again. */
bool vvi_solids_raise(struct vvi_solids_step *w, double h);
vv_status vvi_solids_endless(const struct vv_step *s, double t, vv_report *r);
vv_status vvi_rest_prepare(struct vv_step *s);
/* Rows for all that near->meet has room for; false: out of memory. */
bool vvi_solids_fit(struct vv_step *s);
vv_status vvi_rest_rows(struct vv_step *s);
/* Impacts of balls at their own times.  (step/solids/locate.c) */
vv_status vvi_locate_prepare(struct vv_step *s);
vv_status vvi_locate_rows(struct vv_step *s);
void vvi_locate_bounds(struct vvi_solids_step *w, double h);
vv_status vvi_locate_act(struct vv_step *s, double t, double h, vv_report *r);
vv_status vvi_solids_no_room(const struct vv_step *s, double t, vv_report *r);
