/* step/energy_momentum/touch.c  The contacts of a step: new ones found, springs remembered, how long nothing can touch. */
#include "step/energy_momentum/frames.h"

static vvi_em_contact *add(vvi_em_rigid *w, const vvi_em_feature *f)
{
  if (w->n_contact == VVI_EM_CONTACTS) return NULL;
  vvi_em_contact *c = &w->contact[w->n_contact++];
  *c = (vvi_em_contact){.f = *f, .pair = &w->pair[f->pair], .slot = -1, .least = -1};
  return c;
}

static bool known(const vvi_em_rigid *w, const vvi_em_feature *f)
{
  for (int i = 0; i < w->n_contact; i++)
    if (w->contact[i].f.pair == f->pair && w->contact[i].f.key == f->key) return true;
  return false;
}

/* ---- springs ---- */

static vvi_em_feature feature_of(const vvi_em_slot *s)
{
  vvi_em_feature f = {
      .pair = (int32_t)s->pair, .key = (uint32_t)s->key, .sign = s->sign, .radius = s->radius, .own = s->own};
  f.slave = (int32_t)s->slave, f.master = (int32_t)s->master;
  for (int k = 0; k < 3; k++) f.point[k] = s->point[k], f.place[k] = s->place[k], f.normal[k] = s->normal[k];
  return f;
}

static void keep(const vvi_em_contact *c, vvi_em_slot *s)
{
  const vvi_em_feature *f = &c->f;
  *s = (vvi_em_slot){.used = 1.0, .gap = c->spring1, .sign = f->sign, .radius = f->radius, .own = f->own};
  s->pair = (double)f->pair, s->key = (double)f->key, s->slave = (double)f->slave, s->master = (double)f->master;
  for (int k = 0; k < 3; k++) s->point[k] = f->point[k], s->place[k] = f->place[k], s->normal[k] = f->normal[k];
}

void vvi_em_recall(vvi_em_rigid *w)
{
  w->n_contact = 0;
  for (int i = 0; w->sprung && i < VVI_EM_SLOTS; i++) {
    if (w->slot[i].used == 0.0) continue;
    const vvi_em_feature f = feature_of(&w->slot[i]);
    vvi_em_contact *c = add(w, &f);
    c->slot = i;
    c->spring0 = w->slot[i].gap;
  }
}

/* V = k/2 <-g>^2                                                                                                  [em 9] */
double vvi_em_spring_energy(const vvi_em_rigid *w)
{
  double sum = 0.0;
  for (int i = 0; w->slot != NULL && i < VVI_EM_SLOTS; i++)
    if (w->slot[i].used != 0.0 && w->slot[i].gap < 0.0)
      sum += 0.5 * w->pair[(int32_t)w->slot[i].pair].stiffness * w->slot[i].gap * w->slot[i].gap;
  return sum;
}

/* ---- search ---- */

/* No gap of the pair falls faster than this while nothing pushes: its derivative is the relative velocity, along a unit
 * vector, of two material points of the surfaces.                                                                [em 15] */
static double speed_bound(const vvi_em_rigid *w, const vvi_em_pair *k)
{
  const vvi_em_frame *a = &w->frame[k->frame_a], *b = &w->frame[k->frame_b];
  double d[3];
  for (int i = 0; i < 3; i++) d[i] = (a->held ? 0.0 : a->p1[i] / a->mass) - (b->held ? 0.0 : b->p1[i] / b->mass);
  double bound = vvi_norm3(d);
  if (!a->held) bound += vvi_em_spin_bound(a) * k->a->turns;
  if (!b->held) bound += vvi_em_spin_bound(b) * k->b->turns;
  return bound;
}

/* Time in which a gap cannot close: speed t + weight t^2/2 < gap. */
static double time_to_close(double gap, double speed, double weight)
{
  if (!(gap > 0.0)) return 0.0;
  const double root = speed + sqrt(speed * speed + 2.0 * weight * gap);
  return root > 0.0 ? (1.0 - 1e-9) * 2.0 * gap / root : INFINITY;
}

/* Distance of the spheres about two shapes of which none is hollow or endless: a lower bound of the gap. */
static double far_apart(const vvi_em_pair *k, const vvi_pose *a, const vvi_pose *b)
{
  const vv_solid *x = k->a->solid, *y = k->b->solid;
  if (x->hollow || y->hollow || !(x->reach < INFINITY) || !(y->reach < INFINITY)) return -INFINITY;
  double d[3];
  for (int i = 0; i < 3; i++) d[i] = a->place[i] - b->place[i];
  return vvi_norm3(d) - x->reach - y->reach;
}

typedef struct search {
  vvi_em_rigid *w;
  double dt, least; /* least: gap of the pair, or a lower bound */
  int found;
} search;

static bool found(search *k, const vvi_em_feature *f, double gap1)
{
  vvi_pose slave, master;
  if (known(k->w, f)) return true;
  vvi_em_contact *c = add(k->w, f);
  if (c == NULL) return false;
  vvi_em_pose(&k->w->frame[f->slave], false, &slave);
  vvi_em_pose(&k->w->frame[f->master], false, &master);
  c->gap0 = vvi_em_gap(f, &slave, &master);
  c->gap1 = gap1;
  c->spring0 = fmax(c->gap0, 0.0); /* a new spring has no energy */
  k->found++;
  return true;
}

static bool look(search *k, int32_t pair, const vvi_pose *a, const vvi_pose *b)
{
  vvi_em_rigid *w = k->w;
  const vvi_em_pair *c = &w->pair[pair];
  k->least = INFINITY;
  for (int64_t i = c->first; i < c->first + c->features; i++) {
    const vvi_em_feature *f = &w->feature[i];
    const double gap = f->slave == c->frame_a ? vvi_em_gap(f, a, b) : vvi_em_gap(f, b, a);
    k->least = fmin(k->least, gap);
    if (gap < 0.0 && !found(k, f, gap)) return false;
  }
  if (c->features > 0) return true;
  const double margin = 16.0 * speed_bound(w, c) * fabs(k->dt);
  const int n = vvi_solids_touch(c->a->solid, a, c->b->solid, b, margin, VVI_EM_SPOTS, w->spot, &k->least);
  for (int i = 0; i < n; i++) {
    vvi_em_feature f;
    if (w->spot[i].gap >= 0.0) continue;
    vvi_em_of_spot(c, pair, &w->spot[i], a, b, &f);
    if (!found(k, &f, w->spot[i].gap)) return false;
  }
  return true;
}

bool vvi_em_find(vvi_em_rigid *w, double dt, int *new_ones)
{
  search k = {.w = w, .dt = dt};
  w->clear = INFINITY;
  w->deepest = 0.0;
  for (int32_t i = 0; i <= w->n && w->n_pair > 0; i++) vvi_em_pose(&w->frame[i], true, &w->frame[i].after);
  for (int32_t i = 0; i < w->n_pair; i++) {
    const vvi_em_pair *c = &w->pair[i];
    const vvi_pose *a = &w->frame[c->frame_a].after, *b = &w->frame[c->frame_b].after;
    const double speed = speed_bound(w, c),
                 weight = w->weighs ? vvi_norm3(w->frame[c->frame_a].gravity) + vvi_norm3(w->frame[c->frame_b].gravity)
                                    : 0.0;
    k.least = far_apart(c, a, b);
    if (!(k.least > 16.0 * speed * fabs(dt)) && !look(&k, i, a, b)) return false;
    w->clear = fmin(w->clear, time_to_close(k.least, speed, weight));
    w->deepest = fmax(w->deepest, -k.least);
  }
  *new_ones = k.found;
  return true;
}

/* ---- after the step ---- */

static void log_contact(struct vv_step *s, const vvi_em_rigid *w, const vvi_em_contact *c, const char *kind,
                        double time)
{
  vv_event *e = vvi_log_next(s);
  if (e == NULL) return;
  const vvi_em_pair *k = c->pair;
  const bool a_slave = c->f.slave == k->frame_a;
  *e = (vv_event){.time = time,
                  .body_a = s->model->body[k->a->body].name,
                  .feature_a = k->a->patch->feature,
                  .body_b = s->model->body[k->b->body].name,
                  .feature_b = k->b->patch->feature,
                  .kind = kind,
                  .normal_speed = c->approach,
                  .normal_impulse = c->j[0],
                  .tangential_impulse = sqrt(c->j[1] * c->j[1] + c->j[2] * c->j[2]),
                  .energy_jump = c->j[0] * c->aim + c->j[1] * c->u[1] + c->j[2] * c->u[2],
                  .node_a = k->frame_a < w->n ? k->a->copy : -1,
                  .node_b = k->frame_b < w->n ? k->b->copy : -1};
  for (int i = 0; i < 3; i++) e->x[i] = c->x[i], e->n[i] = a_slave ? -c->nu[i] : c->nu[i];
}

/* What a held body took goes to the ground. */
static void post_held(const vvi_em_rigid *w, const vvi_em_contact *c, vv_posted *post)
{
  const bool slave = w->frame[c->f.slave].held, master = w->frame[c->f.master].held;
  double j[3];
  if (slave == master) return;
  for (int i = 0; i < 3; i++)
    j[i] = (slave ? -1.0 : 1.0) * (c->j[0] * c->nu[i] + c->j[1] * c->t[0][i] + c->j[2] * c->t[1][i]);
  vvi_post_impulse(post, c->x, j);
}

/* The slave gets what the master gives. */
static void tell(struct vv_step *s, const vvi_em_rigid *w, const vvi_em_contact *c, double time)
{
  const vvi_em_pair *k = c->pair;
  const double sign = c->f.slave == k->frame_a ? -1.0 : 1.0;
  if (s->ledger->episodes == NULL || (c->j[0] == 0.0 && c->j[1] == 0.0 && c->j[2] == 0.0)) return;
  vvi_blow b = {.t = time,
                .body = {k->a->body, k->b->body},
                .copy = {k->frame_a < w->n ? vvi_copy_of(&s->model->body[k->a->body], k->a->copy) : -1,
                         k->frame_b < w->n ? vvi_copy_of(&s->model->body[k->b->body], k->b->copy) : -1},
                .normal = c->j[0],
                .speed = c->approach,
                .lost = k->stiffness > 0.0 ? 0.0 : -(c->j[0] * c->aim + c->j[1] * c->u[1] + c->j[2] * c->u[2])};
  for (int i = 0; i < 3; i++) {
    b.x[i] = c->x[i], b.n[i] = sign * c->nu[i];
    b.slide[i] = sign * (c->j[1] * c->t[0][i] + c->j[2] * c->t[1][i]);
  }
  vvi_episodes_add(s->ledger->episodes, &b);
}

/* The gap of a feature now, the step being taken. */
static double gap_now(const vvi_em_rigid *w, const vvi_em_feature *f)
{
  vvi_pose slave, master;
  vvi_em_pose(&w->frame[f->slave], false, &slave);
  vvi_em_pose(&w->frame[f->master], false, &master);
  return vvi_em_gap(f, &slave, &master);
}

/* A spring is kept until both its own gap and the true one are open: then its energy is zero, and it can go. */
static bool remember_spring(struct vv_step *s, vvi_em_rigid *w, const vvi_em_contact *c, double time)
{
  const bool open = c->spring1 > 0.0 && gap_now(w, &c->f) > 0.0;
  int slot = c->slot;
  if (slot < 0 && open) return true;
  if (slot < 0) {
    for (slot = 0; slot < VVI_EM_SLOTS && w->slot[slot].used != 0.0;) slot++;
    if (slot == VVI_EM_SLOTS) return false;
    log_contact(s, w, c, "on", time);
  } else if (open) {
    log_contact(s, w, c, "off", time);
  }
  if (open)
    w->slot[slot] = (vvi_em_slot){0};
  else
    keep(c, &w->slot[slot]);
  return true;
}

/* What presses a contact at rest: gravity, and the turning of its bodies. */
static double pressing(const vvi_em_frame *f, const double arm[3], bool turns)
{
  return vvi_norm3(f->gravity) + (turns ? vvi_dot3(f->omega, f->omega) * vvi_norm3(arm) : 0.0);
}

/* Slower than what two steps of that make is rest, and no event; without losses only gravity lets anything rest. */
static bool is_impact(const struct vv_step *s, const vvi_em_rigid *w, const vvi_em_contact *c)
{
  const bool turns = c->pair->restitution < 1.0;
  const double g = pressing(&w->frame[c->f.slave], c->arm_s, turns) + pressing(&w->frame[c->f.master], c->arm_m, turns);
  return c->j[0] > 0.0 && -c->approach > 2.0 * g * fabs(s->h);
}

bool vvi_em_remember(struct vv_step *s, vvi_em_rigid *w, double dt)
{
  const double start = s->state->t + w->clock;
  vv_posted *post = &s->ledger->posted;
  for (int i = 0; i < w->n_contact; i++) {
    vvi_em_contact *c = &w->contact[i];
    const double part = c->gap0 > 0.0 && c->gap1 < 0.0 ? c->gap0 / (c->gap0 - c->gap1) : 0.0;
    post_held(w, c, post);
    tell(s, w, c, start + part * dt);
    if (c->pair->stiffness > 0.0) {
      if (!remember_spring(s, w, c, start + part * dt)) return false;
      continue;
    }
    if (c->pair->restitution < 1.0) vvi_sum_add(&post->restitution_loss, -c->j[0] * c->aim);
    if (c->pair->friction > 0.0) vvi_sum_add(&post->friction_loss, -(c->j[1] * c->u[1] + c->j[2] * c->u[2]));
    if (is_impact(s, w, c)) log_contact(s, w, c, "bounce", start + part * dt);
  }
  w->sprung = false;
  for (int i = 0; w->slot != NULL && i < VVI_EM_SLOTS; i++) w->sprung |= w->slot[i].used != 0.0;
  return true;
}
