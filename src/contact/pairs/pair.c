/* contact/pairs/pair.c  A pair seen from outside: gap, rate, inverse mass, impulse, and what supports take of it. */
#include "contact/narrow/obstacle.h"
#include "contact/pairs/layers.h"
#include "math/math.h"

/* ---- gaps ---- */

static double gap_of_positions(const vvi_pair *c, const double *q)
{
  double xa[3], xb[3];
  c->block_a->kind->surface(c->block_a, q + c->block_a->q0, 1, &c->point_a, xa);
  c->block_b->kind->surface(c->block_b, q + c->block_b->q0, 1, &c->point_b, xb);
  return (xb[0] - xa[0]) * c->n[0] + (xb[1] - xa[1]) * c->n[1] + (xb[2] - xa[2]) * c->n[2];
}

/* da, db: variations of the two blocks */
static double vary_gap(const vvi_pair *c, const double *q, const double *da, const double *db)
{
  double xa[3], xb[3];
  c->block_a->kind->vary->surface(c->block_a, q + c->block_a->q0, da, 1, &c->point_a, xa);
  c->block_b->kind->vary->surface(c->block_b, q + c->block_b->q0, db, 1, &c->point_b, xb);
  return (xb[0] - xa[0]) * c->n[0] + (xb[1] - xa[1]) * c->n[1] + (xb[2] - xa[2]) * c->n[2];
}

/* What displacements alone do to the gap of a flat pair. */
static double displaced(const vvi_pair *c, const double *q)
{
  return vary_gap(c, q, q + c->block_a->q0, q + c->block_b->q0);
}

/* The gap of a flat pair at q = 0. */
double vvi_pair_gap0(const vvi_pair *c, const double *q)
{
  return gap_of_positions(c, q) - displaced(c, q);
}

/* A point of a curve against an obstacle; a round section touches at radius from its middle. */
static void touch_obstacle(const vvi_pair *c, const double *q, vvi_pair_spot *out)
{
  double y[3], m[3];
  const double radius = c->layer ? c->skin : c->patch_a->corners == 1 ? c->patch_a->radius : 0.0;
  c->block_a->kind->surface(c->block_a, q + c->block_a->q0, 1, &c->point_a, y);
  if (c->patch_b->type == VV_PATCH_SOLID) {
    vvi_layer_ball(c, q, y, radius, out);
    return;
  }
  out->gap = vvi_obstacle_distance(c->patch_b, y, m) - radius;
  for (int i = 0; i < 3; i++) out->n[i] = -m[i], out->a.arm[i] = -radius * m[i];
}

/* Where and in which direction; of curved pairs the gap, too. */
static void place_of(const vvi_pair *c, const double *q, vvi_pair_spot *t)
{
  t->a = c->point_a, t->b = c->point_b;
  for (int i = 0; i < 3; i++) t->n[i] = c->n[i];
  if (c->curved) touch_obstacle(c, q, t);
}

double vvi_pair_vary_gap(const vvi_pair *c, const double *q, const double *dq)
{
  if (c->layer) {
    vvi_pair at = *c;
    vvi_pair_normal(c, q, at.n);
    return vary_gap(&at, q, dq + c->block_a->p0, dq + c->block_b->p0);
  }
  return vary_gap(c, q, dq + c->block_a->p0, dq + c->block_b->p0);
}

/* Stiff bodies far from the origin move by little: differences of positions would lose the digits of the displacement. */
double vvi_pair_gap(const vvi_pair *c, const double *q)
{
  if (!c->curved) return c->flat ? c->gap0 + displaced(c, q) : gap_of_positions(c, q);
  vvi_pair_spot t;
  place_of(c, q, &t);
  return t.gap;
}

/* ---- velocities, masses, impulses ---- */

static void velocity_at(const vvi_pair *c, const vvi_pair_spot *t, const double *q, const double *p, double w[3])
{
  double wa[3], wb[3];
  c->block_a->kind->push(c->block_a, q + c->block_a->q0, p + c->block_a->p0, 1, &t->a, wa);
  c->block_b->kind->push(c->block_b, q + c->block_b->q0, p + c->block_b->p0, 1, &t->b, wb);
  for (int i = 0; i < 3; i++) w[i] = wb[i] - wa[i];
}

void vvi_pair_velocity(const vvi_pair *c, const double *q, const double *p, double w[3])
{
  vvi_pair_spot t;
  place_of(c, q, &t);
  velocity_at(c, &t, q, p, w);
}

double vvi_pair_rate(const vvi_pair *c, const double *q, const double *p)
{
  vvi_pair_spot t;
  double w[3];
  place_of(c, q, &t);
  velocity_at(c, &t, q, p, w);
  return w[0] * t.n[0] + w[1] * t.n[1] + w[2] * t.n[2];
}

void vvi_pair_normal(const vvi_pair *c, const double *q, double n[3])
{
  vvi_pair_spot t;
  place_of(c, q, &t);
  for (int i = 0; i < 3; i++) n[i] = t.n[i];
}

void vvi_pair_inverse_masses(const vvi_pair *c, const double *q, double a[6])
{
  vvi_pair_spot t;
  double ab[6];
  place_of(c, q, &t);
  c->block_a->kind->inverse_mass(c->block_a, q + c->block_a->q0, 1, &t.a, a);
  c->block_b->kind->inverse_mass(c->block_b, q + c->block_b->q0, 1, &t.b, ab);
  for (int i = 0; i < 6; i++) a[i] += ab[i];
}

double vvi_pair_inverse_mass(const vvi_pair *c, const double *q)
{
  vvi_pair_spot t;
  double aa[6], ab[6];
  place_of(c, q, &t);
  c->block_a->kind->inverse_mass(c->block_a, q + c->block_a->q0, 1, &t.a, aa);
  c->block_b->kind->inverse_mass(c->block_b, q + c->block_b->q0, 1, &t.b, ab);
  return vvi_form6(aa, t.n, t.n) + vvi_form6(ab, t.n, t.n);
}

static void pull_at(const vvi_pair *c, const vvi_pair_spot *t, const double *q, const double on_b[3], double *p)
{
  const double on_a[3] = {-on_b[0], -on_b[1], -on_b[2]};
  c->block_a->kind->pull(c->block_a, q + c->block_a->q0, 1, &t->a, on_a, p + c->block_a->p0);
  c->block_b->kind->pull(c->block_b, q + c->block_b->q0, 1, &t->b, on_b, p + c->block_b->p0);
}

void vvi_pair_pull3(const vvi_pair *c, const double *q, const double j[3], double *p)
{
  vvi_pair_spot t;
  place_of(c, q, &t);
  pull_at(c, &t, q, j, p);
}

void vvi_pair_pull(const vvi_pair *c, const double *q, double r, double *p)
{
  vvi_pair_spot t;
  place_of(c, q, &t);
  const double on_b[3] = {r * t.n[0], r * t.n[1], r * t.n[2]};
  pull_at(c, &t, q, on_b, p);
}

void vvi_pair_point(const vvi_pair *c, const double *q, double x[3])
{
  vvi_pair_spot t;
  place_of(c, q, &t);
  c->block_a->kind->surface(c->block_a, q + c->block_a->q0, 1, &t.a, x);
  for (int i = 0; i < 3; i++) x[i] += t.a.arm[i];
}

void vvi_reflect(double u, double a, double e, double *impulse, double *loss)
{
  const bool acts = u < 0.0 && a > 0.0;
  *impulse = acts ? -(1.0 + e) * u / a : 0.0;
  *loss = acts ? 0.5 * (1.0 - e * e) * u * u / a : 0.0;
}

/* ---- books ---- */

/* What the momentum of a body gains from an impulse j: nothing where it is held, the part along its line where guided. */
static void gain(const vv_patch *p, const double j[3], double sum[3])
{
  if (p->held) return;
  const double along = vvi_dot3(p->direction, j);
  for (int c = 0; c < 3; c++) sum[c] += p->guided ? along * p->direction[c] : j[c];
}

void vvi_pair_post3(const vvi_pair *c, const double *q, const double *p, const double j[3], vv_posted *post)
{
  if (!c->patch_a->held && !c->patch_b->held && c->patch_a->guided == c->patch_b->guided) return; /* it cancels */
  double x[3], w[3], sum[3] = {0, 0, 0};
  const double on_a[3] = {-j[0], -j[1], -j[2]};
  gain(c->patch_a, on_a, sum);
  gain(c->patch_b, j, sum);
  vvi_pair_point(c, q, x);
  vvi_post_impulse(post, x, sum);
  if (!c->patch_a->held && !c->patch_b->held) return;
  const vv_block *b = c->patch_a->held ? c->block_a : c->block_b;
  const vv_point *pt = c->patch_a->held ? &c->point_a : &c->point_b;
  b->kind->push(b, q + b->q0, p + b->p0, 1, pt, w);
  vvi_sum_add(&post->external_work, (c->patch_a->held ? 1.0 : -1.0) * vvi_dot3(j, w));
}

void vvi_pair_post(const vvi_pair *c, const double *q, const double *p, double r, vv_posted *post)
{
  double n[3];
  vvi_pair_normal(c, q, n);
  const double j[3] = {r * n[0], r * n[1], r * n[2]};
  vvi_pair_post3(c, q, p, j, post);
}
