/* contact/broad/quiet.c  For how long nothing can be near: far from walls and from each other bodies fly, and nobody looks at them.
 *
 * A look finds pairs nearer than what both can travel in a step, by bounds on their speeds.  With bounds on all speeds to come
 * and the gaps of the last look it is known when it can find one at the earliest:                             [contact 21a]
 *   t c (V + A T) + h c (W + A T) < room,  t + h < T,
 * t the time since that look, V the fastest of all points and W the bound that a look would take for it, A the acceleration,
 * c the caution of the bounds, room the way that each object may go.  Until then no look is taken. */
#include "contact/contact.h"
#include "math/math.h"
#include "math/so3.h"

static bool can_be_quiet(const struct vvi_contact_step *w)
{
  const vv_model *m = w->model;
  if (vvi_ctx_net(m->ctx) != NULL || m->joints != NULL || m->sheets != NULL || m->pairs->n > 0 || w->driven ||
      !vvi_sys_steady(m))
    return false;
  for (int32_t i = 0; i < m->solids->n; i++) {
    const vvi_object *o = &m->solids->object[i];
    if (o->soft || (o->mover[0] >= 0 && (o->block->claims & VV_KEEPS_ENERGY) == 0)) return false;
  }
  return true;
}

/* m: the farthest that a part goes along the axes of its solid. */
static void extent(const vvi_part *p, double out[3])
{
  const bool round = p->type == VVI_PART_CAPSULE || p->type == VVI_PART_CYLINDER, block = p->type == VVI_PART_BLOCK;
  for (int c = 0; c < 3; c++) {
    double far = block ? 0.0 : round ? p->radius + p->half[2] * fabs(p->frame[6 + c]) : p->reach;
    for (int k = 0; block && k < 3; k++) far += p->half[k] * fabs(p->frame[3 * k + c]);
    out[c] = fabs(p->centre[c]) + far;
  }
}

/* m: no point of a solid is farther from the axes of its frame. */
static void arms_of(const vvi_object *o, double arm[3])
{
  const vv_solid *s = o->solid;
  arm[0] = arm[1] = arm[2] = s->hollow || s->outside != NULL ? o->turns : 0.0;
  for (int i = 0; !s->hollow && s->outside == NULL && i < s->parts; i++) {
    double e[3];
    extent(&s->part[i], e);
    for (int c = 0; c < 3; c++) arm[c] = fmin(o->turns, fmax(arm[c], hypot(e[(c + 1) % 3], e[(c + 2) % 3])));
  }
}

vv_status vvi_quiet_create(struct vvi_contact_step *w)
{
  const struct vvi_solids *s = w->model->solids;
  w->quiet.can = can_be_quiet(w);
  if (!w->quiet.can) return VV_OK;
  w->quiet.arm = VVI_ARENA_NEW(w->arena, double, 3 * (int64_t)s->n);
  if (w->quiet.arm == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < s->n; i++)
    if (s->object[i].mover[0] >= 0) arms_of(&s->object[i], w->quiet.arm + 3 * (int64_t)i);
  return VV_OK;
}

/* The squares of the spin about the axes of a free body, s^2 in those of its angular momentum h, go to and fro on a segment:
 *   sum s_i^2 = |h|^2,  sum u_i s_i^2 = 2 E   =>   s_i^2 + t d_i,  d = (u_2 - u_3, u_3 - u_1, u_1 - u_2)      [contact 21b]
 * with the inverse moments u_i; its ends are where one of them is 0.  most: their largest, and that of their sum. */
static void spins(const vv_mover *m, double most[3], double across[3], double *all)
{
  const double *j = m->inverse_inertia, full[9] = {j[0], j[5], j[4], j[5], j[1], j[3], j[4], j[3], j[2]};
  double jr[9], u[9], omega[3], y[3], range[2] = {-INFINITY, INFINITY};
  vvi_mul33(full, m->turn, jr);
  vvi_tmul33(m->turn, jr, u);
  vvi_tapply33(m->turn, m->spin, omega);
  const double diagonal[3] = {u[0], u[4], u[8]};
  for (int c = 0; c < 3; c++) {
    const double d = diagonal[(c + 1) % 3] - diagonal[(c + 2) % 3];
    y[c] = diagonal[c] > 0.0 ? omega[c] * omega[c] / (diagonal[c] * diagonal[c]) : 0.0;
    if (d > 0.0) range[0] = vvi_larger(-y[c] / d, range[0]);
    if (d < 0.0) range[1] = vvi_smaller(y[c] / -d, range[1]);
    most[c] = across[c] = 0.0;
  }
  *all = vvi_dot3(m->spin, m->spin);
  for (int end = 0; end < 2; end++) {
    const double t = isfinite(range[end]) ? range[end] : 0.0;
    double w[3];
    for (int c = 0; c < 3; c++) {
      const double d = diagonal[(c + 1) % 3] - diagonal[(c + 2) % 3];
      w[c] = diagonal[c] * diagonal[c] * vvi_larger(y[c] + t * d, 0.0);
    }
    const double sum = w[0] + w[1] + w[2];
    *all = vvi_larger(sum, *all);
    for (int c = 0; c < 3; c++) most[c] = vvi_larger(w[c], most[c]), across[c] = vvi_larger(sum - w[c], across[c]);
  }
}

/* m/s: of any point from here on, and of a sphere about it; what forces add comes on top.  A rod that spins about itself has a
 * slow surface. */
static void fastest(const struct vvi_contact_step *w, double *points, double *spheres)
{
  const struct vvi_solids *solids = w->near->solids;
  *points = *spheres = 0.0;
  for (int32_t i = 0; i < solids->n; i++) {
    const vvi_object *o = &solids->object[i];
    if (o->mover[0] < 0) continue;
    const vv_mover *m = &w->near->mover[o->mover[0]];
    const double speed = vvi_norm3(m->velocity), *arm = w->quiet.arm + 3 * (int64_t)i;
    double about[3] = {0}, across[3] = {0}, all = 0.0, least;
    if (o->turns > 0.0) spins(m, about, across, &all);
    least = o->turns * sqrt(all);
    *spheres = vvi_larger(speed + least, *spheres);
    for (int c = 0; o->turns > 0.0 && c < 3; c++)
      least = vvi_smaller(arm[c] * sqrt(about[c]) + o->turns * sqrt(across[c]), least);
    *points = vvi_larger(speed + least, *points);
  }
}

void vvi_quiet_begin(struct vvi_contact_step *w)
{
  vvi_contact_quiet *k = &w->quiet;
  const double caution = vvi_movers_caution(w), a = w->acceleration;
  const double least = w->h * caution * (w->speed + w->h * a); /* the way of a step */
  double points, spheres;
  k->room = vvi_solid_near_clearance(w->near, least);
  if (!(k->room > least)) return;
  fastest(w, &points, &spheres);
  const double way = k->room / caution;
  k->until = 2.0 * way / (points + sqrt(points * points + 4.0 * a * way));
  const double gain = a > 0.0 ? a * k->until : 0.0;
  k->speed = caution * (points + gain), k->bound = caution * (spheres + gain);
  k->passed = 0.0, k->taken = false;
}

void vvi_quiet_end(struct vvi_contact_step *w)
{
  vvi_contact_quiet *k = &w->quiet;
  const struct vvi_solids *solids = w->near->solids;
  for (int32_t i = 0; k->passed > 0.0 && i < solids->n; i++)
    if (solids->object[i].mover[0] >= 0) w->near->path[i] += k->passed * k->speed;
  k->until = k->passed = 0.0;
}
