/* step/solids/rows.c  Contacts of the present configuration: legs, arms and inverse masses. */
#include "step/solids/rows.h"

#include <string.h>

static void add_leg(const struct vvi_solids_step *w, vvi_solid_row *c, int32_t mover, double weight)
{
  const vv_mover *m = &w->near->mover[mover];
  vvi_leg *g = &c->leg[c->legs++];
  g->mover = mover;
  g->weight = weight;
  for (int i = 0; i < 3; i++) g->arm[i] = c->x[i] - m->place[i];
}

void vvi_solid_row_finish(struct vvi_solids_step *w, vvi_solid_row *c)
{
  vvi_lever *e = &w->lever[c - w->row];
  if (c->k > 0.0) return;
  for (int l = 0; l < c->legs; l++) {
    const vvi_leg *g = &c->leg[l];
    const vv_mover *m = &w->near->mover[g->mover];
    double turn[3];
    vvi_cross3(g->arm, c->n, turn);
    vvi_times6(m->inverse_mass, c->n, e->lift[l]);
    vvi_times6(m->inverse_inertia, turn, e->twist[l]);
    c->k += g->weight * g->weight * (vvi_dot3(e->lift[l], c->n) + vvi_dot3(e->twist[l], turn));
    for (int i = 0; i < 3; i++) e->lift[l][i] *= g->weight, e->twist[l][i] *= g->weight;
  }
}

/* Where along a segment its foot is: the weight of the second node. */
static double foot_of(const struct vvi_solids_step *w, const vvi_object *o, const double x[3])
{
  const double *y = w->near->mover[o->mover[0]].place, *z = w->near->mover[o->mover[1]].place;
  double d[3], e[3];
  for (int i = 0; i < 3; i++) d[i] = z[i] - y[i], e[i] = x[i] - y[i];
  const double dd = vvi_dot3(d, d), at = dd > 0.0 ? vvi_dot3(d, e) / dd : 0.0;
  return at < 0.0 ? 0.0 : at > 1.0 ? 1.0 : at;
}

/* The legs of one side.  On a segment the arms of both nodes lead from its foot: an impulse there is shared by the weights
 * and turns both, as the beam's own `pull` does. */
static void stand(const struct vvi_solids_step *w, vvi_solid_row *c, int32_t object, double sign)
{
  const vvi_object *o = &w->near->solids->object[object];
  if (o->held || o->mover[0] < 0) return;
  if (o->mover[1] < 0) {
    add_leg(w, c, o->mover[0], sign);
    if (o->patch->type == VV_PATCH_TIP) memset(c->leg[c->legs - 1].arm, 0, sizeof c->leg[0].arm);
    return;
  }
  const double t = foot_of(w, o, c->x);
  double arm[3];
  for (int i = 0; i < 3; i++)
    arm[i] = c->x[i] - (1.0 - t) * w->near->mover[o->mover[0]].place[i] - t * w->near->mover[o->mover[1]].place[i];
  for (int k = 0; k < 2; k++) {
    const double weight = k == 0 ? 1.0 - t : t;
    if (weight == 0.0) continue;
    add_leg(w, c, o->mover[k], sign * weight);
    memcpy(c->leg[c->legs - 1].arm, arm, sizeof arm);
  }
}

/* A point at distance r of a body that turns with spin w leaves its straight line by w^2 r h^2/2 in a step; a half more for
 * the change of the feature that is nearest.  A ball keeps its surface.                                          [many 3] */
static double curl_of(const struct vvi_solids_step *w, const vvi_solid_row *c, double h)
{
  double sum = 0.0;
  for (int l = 0; l < c->legs; l++) {
    const vvi_leg *g = &c->leg[l];
    const vv_mover *m = &w->near->mover[g->mover];
    const vvi_object *o = &w->near->solids->object[g->weight < 0.0 ? c->a : c->b];
    if (o->soft || o->turns == 0.0) continue;
    const double s = vvi_dot3(m->spin, m->spin);
    if (s > 0.0) sum += 0.75 * h * h * s * vvi_norm3(g->arm);
  }
  return sum;
}

static double press_of(const struct vvi_solids_step *w, const vvi_solid_row *c)
{
  double a = 0.0;
  for (int l = 0; w->forced && l < c->legs; l++) {
    const vvi_leg *g = &c->leg[l];
    const vv_mover *m = &w->force[g->mover];
    double turn[3];
    vvi_cross3(m->spin, g->arm, turn);
    a += g->weight * (vvi_dot3(m->velocity, c->n) + vvi_dot3(turn, c->n));
  }
  return a;
}

void vvi_solid_row_make(const struct vvi_solids_step *w, const vvi_meet *m, double h, vvi_solid_row *c)
{
  const struct vvi_solids *solids = w->near->solids;
  const vvi_solid_rule *rule = &solids->rule[m->rule];
  c->a = m->a, c->b = m->b, c->rule = m->rule, c->key = m->spot.key;
  c->legs = 0;
  memcpy(c->x, m->spot.x, sizeof c->x);
  memcpy(c->n, m->spot.n, sizeof c->n);
  c->gap = m->spot.gap;
  c->restitution = rule->restitution, c->friction = rule->friction;
  c->soft = solids->object[m->a].soft || solids->object[m->b].soft;
  c->rests = rule->rests && !c->soft;
  c->k = c->impulse = 0.0;
  stand(w, c, m->a, -1.0);
  stand(w, c, m->b, 1.0);
  c->curl = curl_of(w, c, h);
  c->press = press_of(w, c);
}

/* A team is woken only for many: even one of a single thread costs more than a few rows. */
static void make_together(struct vvi_solids_step *w, double h)
{
#pragma omp parallel for schedule(static) num_threads(w->near->threads)
  for (int64_t i = 0; i < w->n; i++) vvi_solid_row_make(w, &w->near->meet[i], h, &w->row[i]);
}

bool vvi_rows_make(struct vv_step *s, double h)
{
  enum { PARALLEL_FROM = 32768 }; /* one thread reads them all afterwards: it finds its own sooner */
  struct vvi_solids_step *w = s->solids;
  if (!vvi_solids_fit(s)) return false;
  w->n = w->near->meets;
  if (w->near->threads > 1 && w->n >= PARALLEL_FROM) {
    make_together(w, h);
    return true;
  }
  for (int64_t i = 0; i < w->n; i++) vvi_solid_row_make(w, &w->near->meet[i], h, &w->row[i]);
  return true;
}

void vvi_solid_row_push3(struct vvi_solids_step *w, const vvi_solid_row *c, const double j[3])
{
  for (int l = 0; l < c->legs; l++) {
    const vvi_leg *g = &c->leg[l];
    vv_mover *m = &w->near->mover[g->mover];
    double turn[3], lift[3], twist[3];
    vvi_cross3(g->arm, j, turn);
    vvi_times6(m->inverse_mass, j, lift);
    vvi_times6(m->inverse_inertia, turn, twist);
    for (int i = 0; i < 3; i++) m->velocity[i] += g->weight * lift[i], m->spin[i] += g->weight * twist[i];
  }
}

/* A = sum weight^2 (1/m + arm^ I^-1 arm^T) */
void vvi_solid_row_inverse(const struct vvi_solids_step *w, const vvi_solid_row *c, double a[6])
{
  double full[3][3] = {{0}};
  for (int l = 0; l < c->legs; l++) {
    const vvi_leg *g = &c->leg[l];
    const vv_mover *m = &w->near->mover[g->mover];
    for (int i = 0; i < 3; i++) {
      const double e[3] = {i == 0, i == 1, i == 2};
      double turn[3], lift[3], twist[3], back[3];
      vvi_cross3(g->arm, e, turn);
      vvi_times6(m->inverse_mass, e, lift);
      vvi_times6(m->inverse_inertia, turn, twist);
      vvi_cross3(twist, g->arm, back);
      for (int k = 0; k < 3; k++) full[i][k] += g->weight * g->weight * (lift[k] + back[k]);
    }
  }
  a[0] = full[0][0], a[1] = full[1][1], a[2] = full[2][2];
  a[3] = full[1][2], a[4] = full[0][2], a[5] = full[0][1];
}

/* ---- on the state ---- */

/* The material point of one side, with the arm to the common point. */
static vv_point point_of(const struct vvi_solids_step *w, const vvi_solid_row *c, int32_t object)
{
  const vvi_object *o = &w->near->solids->object[object];
  vv_point p = {.patch = o->local, .xi = {(double)o->copy}};
  if (o->patch->type == VV_PATCH_TIP) return (vv_point){.patch = o->local};
  if (o->mover[1] >= 0) {
    p.xi[0] += foot_of(w, o, c->x);
    if (p.xi[0] >= (double)o->patch->nodes) p.xi[0] = 0.0; /* once around */
  }
  for (int l = 0; l < c->legs; l++)
    if ((c->leg[l].weight < 0.0) == (object == c->a)) memcpy(p.arm, c->leg[l].arm, sizeof p.arm);
  return p;
}

/* What the momenta of one side gain; booked where something else holds against it.  A tip takes it on its line. */
static void pull_side(struct vv_step *s, const vvi_solid_row *c, int32_t object, const double j[3], bool booked)
{
  const struct vvi_solids_step *w = s->solids;
  const vvi_object *o = &w->near->solids->object[object];
  if (o->held || o->mover[0] < 0) return;
  const vv_point p = point_of(w, c, object);
  o->block->kind->pull(o->block, s->state->q + o->block->q0, 1, &p, j, s->state->p + o->block->p0);
  if (!booked) return;
  const double along = vvi_dot3(o->patch->direction, j), *d = o->patch->direction;
  const double gained[3] = {along * d[0], along * d[1], along * d[2]};
  vvi_post_impulse(&s->ledger->posted, o->patch->guided ? w->near->mover[o->mover[0]].place : c->x,
                   o->patch->guided ? gained : j);
}

void vvi_solid_row_pull(struct vv_step *s, const vvi_solid_row *c, const double j[3])
{
  const struct vvi_solids *solids = s->solids->near->solids;
  const vvi_object *a = &solids->object[c->a], *b = &solids->object[c->b];
  const bool booked = a->held || b->held || a->patch->guided || b->patch->guided;
  const double back[3] = {-j[0], -j[1], -j[2]};
  pull_side(s, c, c->a, back, booked);
  pull_side(s, c, c->b, j, booked);
}

void vvi_solid_row_log(struct vv_step *s, const vvi_solid_row *c, const char *kind, double t, double impulse,
                       double slide, double lost)
{
  const struct vvi_solids *solids = s->solids->near->solids;
  const vvi_object *a = &solids->object[c->a], *b = &solids->object[c->b];
  vv_event *e = vvi_log_next(s);
  if (e == NULL) return;
  *e = (vv_event){.time = t,
                  .body_a = s->model->body[a->body].name,
                  .feature_a = a->patch->feature,
                  .body_b = s->model->body[b->body].name,
                  .feature_b = b->patch->feature,
                  .kind = kind,
                  .normal_speed = c->u,
                  .normal_impulse = impulse,
                  .tangential_impulse = slide,
                  .energy_jump = -lost,
                  .node_a = a->mover[0] < 0 ? -1 : a->copy,
                  .node_b = b->mover[0] < 0 ? -1 : b->copy};
  memcpy(e->x, c->x, sizeof e->x);
  memcpy(e->n, c->n, sizeof e->n);
}
