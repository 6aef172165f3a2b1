/* step/solids/rows.h  Between the files of this folder: one contact, seen from the working velocities of the movers. */
#pragma once
#include "math/math.h"
#include "step/solids.h"

/* Velocity of b relative to a at the common point. */
static inline void vvi_row_velocity(const struct vvi_solids_step *w, const vvi_row *c, double v[3])
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

static inline double vvi_row_speed(const struct vvi_solids_step *w, const vvi_row *c)
{
  double u = 0.0;
  for (int l = 0; l < c->legs; l++) {
    const vvi_leg *g = &c->leg[l];
    const vv_mover *m = &w->near->mover[g->mover];
    u += g->weight * (vvi_dot3(m->velocity, c->n) + vvi_dot3(m->spin, g->turn));
  }
  return u;
}

/* What an impulse r along n does to the working velocities. */
static inline void vvi_row_push(struct vvi_solids_step *w, const vvi_row *c, double r)
{
  for (int l = 0; l < c->legs; l++) {
    vv_mover *m = &w->near->mover[c->leg[l].mover];
    for (int i = 0; i < 3; i++) m->velocity[i] += r * c->leg[l].lift[i], m->spin[i] += r * c->leg[l].twist[i];
  }
}

/* The same for any impulse j on b, -j on a. */
void vvi_row_push3(struct vvi_solids_step *w, const vvi_row *c, const double j[3]);
/* Inverse mass at the common point: xx yy zz yz xz xy. */
void vvi_row_inverse(const struct vvi_solids_step *w, const vvi_row *c, double a[6]);
/* An impulse j on b, -j on a, on the momenta of the state, with the books of what is held; not on the working velocities. */
void vvi_row_pull(struct vv_step *s, const vvi_row *c, const double j[3]);
/* One entry in the log. */
void vvi_row_log(struct vv_step *s, const vvi_row *c, const char *kind, double t, double impulse, double slide,
                 double lost);
/* Gap after the coming half kick and drift, at the working velocities. */
static inline double vvi_row_ahead(const vvi_row *c, double h, double u)
{
  return c->gap + h * u + 0.5 * h * h * c->press - c->curl;
}

/* All rows of the present configuration from near->meet. */
bool vvi_rows_make(struct vv_step *s, double h);
/* Does some row need an impact? */
bool vvi_rows_hit(struct vv_step *s, double h);
/* Generalised reflections until nothing approaches that would overlap.  False: they did not end. */
bool vvi_impacts(struct vv_step *s, double t, double h);
/* Rows of bodies that bend, pressed together by the half kick: the smallest impulses that keep them apart. */
void vvi_holds(struct vv_step *s, double t, double h);
/* Contacts at rest. */
void vvi_settle_rest(struct vv_step *s, double h);
vv_status vvi_rest_prepare(struct vv_step *s);
