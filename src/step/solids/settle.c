/* step/solids/settle.c  Contacts at rest: the problem of step/solids/rest.h made, solved, booked and remembered.
 *
 * The bodies touched get the kick of the whole step and their impulses before the drift, and no kick after it: they move by
 * h v1.  With W = h f.v1 the work of the forces along that way,
 *   E1 - E0 = T1 - T0 - W = sum j.(u_f + u_1)/2 + h f.((v0 + v_f)/2 - v1),  v_f = v0 + h M^-1 f,                 [many 6]
 * which is what is booked: j_t.u_1 is friction's, the rest restitution's. */
#include "math/so3.h"
#include "step/solids/rest.h"
#include "step/solids/rows.h"

#include <string.h>

/* The state remembers the impulses of the last step: objects a and b as one number, key, and j. */
enum { ENTRY = 5, ENTRIES = 16 };

static int64_t entries(const vv_model *m)
{
  return m->solids->rests ? ENTRIES * (int64_t)m->solids->n + 64 : 0;
}

int64_t vvi_solids_memory(const vv_model *m)
{
  return 2 + ENTRY * entries(m);
}

static double *memory_of(const struct vv_step *s)
{
  return vvi_solids_bank(s) + 1;
}

vv_status vvi_rest_prepare(struct vv_step *s)
{
  struct vvi_solids_step *w = s->solids;
  const int64_t movers = s->model->solids->movers;
  w->problem = VVI_ARENA_NEW(s->arena, vvi_rest_problem, 1);
  double *reals = VVI_ARENA_NEW(s->arena, double, 25 * movers);
  if (w->problem == NULL || reals == NULL) return VV_NOMEM;
  w->problem->touched = VVI_ARENA_NEW(s->arena, unsigned char, movers);
  if (w->problem->touched == NULL) return VV_NOMEM;
  w->problem->movers = (int32_t)movers;
  w->problem->threads = vv_ctx_threads(s->model->ctx);
  w->problem->mover = w->near->mover;
  w->problem->before = reals, w->problem->pushed = reals + 6 * movers;
  w->problem->velocity = reals + 12 * movers, w->rest_velocity = reals + 18 * movers;
  w->problem->scale = reals + 24 * movers;
  for (int64_t i = 0; i < movers; i++) w->touch_of[i] = -1;
  VV_TRY(vvi_rest_create(s->arena, (int32_t)movers, (int32_t)w->room, &w->rest));
  return vvi_rest_rows(s);
}

vv_status vvi_rest_rows(struct vv_step *s)
{
  struct vvi_solids_step *w = s->solids;
  w->rest_row = VVI_ARENA_NEW(s->arena, int32_t, w->room);
  w->problem->contact = VVI_ARENA_NEW(s->arena, vvi_rest_contact, w->room);
  return w->rest_row == NULL || w->problem->contact == NULL ? VV_NOMEM : VV_OK;
}

/* ---- what the state remembers ---- */

static double pair_number(const struct vv_step *s, const vvi_solid_row *c)
{
  return (double)c->a * (double)s->model->solids->n + (double)c->b;
}

/* Both lists are sorted by (pair, key). */
static void recall(const struct vv_step *s)
{
  const struct vvi_solids_step *w = s->solids;
  const double *memory = memory_of(s), *e = memory + 1, *end = e + ENTRY * (int64_t)memory[0];
  for (int32_t i = 0; i < w->problem->n; i++) {
    const vvi_solid_row *c = &w->row[w->rest_row[i]];
    const double pair = pair_number(s, c), key = (double)c->key;
    while (e < end && (e[0] < pair || (e[0] == pair && e[1] < key))) e += ENTRY;
    const bool known = e < end && e[0] == pair && e[1] == key;
    for (int k = 0; k < 3; k++) w->problem->contact[i].j[k] = known ? e[2 + k] : 0.0;
  }
}

static void keep(struct vv_step *s)
{
  const struct vvi_solids_step *w = s->solids;
  double *memory = memory_of(s), *e = memory + 1, *end = e + ENTRY * entries(s->model);
  for (int32_t i = 0; i < w->problem->n && e < end; i++) {
    const vvi_solid_row *c = &w->row[w->rest_row[i]];
    const double *j = w->problem->contact[i].j;
    if (j[0] == 0.0 && j[1] == 0.0 && j[2] == 0.0) continue;
    e[0] = pair_number(s, c), e[1] = (double)c->key;
    memcpy(e + 2, j, 3 * sizeof(double));
    e += ENTRY;
  }
  const double *old = memory + 1 + ENTRY * (int64_t)memory[0]; /* behind it all is zero */
  if (old > e) memset(e, 0, sizeof(double) * (size_t)(old - e));
  memory[0] = (double)((e - memory - 1) / ENTRY);
}

/* ---- the problem ---- */

static void set_contact(const vvi_solid_row *c, vvi_rest_contact *r)
{
  r->a = r->b = -1;
  for (int l = 0; l < c->legs; l++) {
    const vvi_leg *g = &c->leg[l];
    if (g->weight < 0.0)
      r->a = g->mover, memcpy(r->arm_a, g->arm, sizeof r->arm_a);
    else
      r->b = g->mover, memcpy(r->arm_b, g->arm, sizeof r->arm_b);
  }
  memcpy(r->n, c->n, sizeof r->n);
  r->gap = c->gap;
  r->friction = c->friction;
  r->rise = 0.0;
  r->wedged = false;
  r->j[0] = r->j[1] = r->j[2] = 0.0;
}

static void set_movers(const struct vv_step *s, double h)
{
  struct vvi_solids_step *w = s->solids;
  vvi_rest_problem *p = w->problem;
  double *before = (double *)p->before, *pushed = (double *)p->pushed;
  for (int32_t i = 0; i < p->movers; i++) {
    for (int k = 0; k < 3; k++) {
      const double a = w->forced ? w->force[i].velocity[k] : 0.0, b = w->forced ? w->force[i].spin[k] : 0.0;
      before[6 * i + k] = w->near->mover[i].velocity[k], before[6 * i + 3 + k] = w->near->mover[i].spin[k];
      p->velocity[6 * i + k] = before[6 * i + k] + h * a;
      p->velocity[6 * i + 3 + k] = before[6 * i + 3 + k] + h * b;
      pushed[6 * i + k] = pushed[6 * i + 3 + k] = 0.0;
    }
  }
  for (int l = 0; w->forced && l < s->model->n_block; l++) {
    const vv_block *b = &s->model->block[l];
    const int32_t first = s->model->solids->first[l];
    for (int c = 0; first >= 0 && c < b->kind->node_p && c < 6; c++)
      for (int64_t i = 0; i < b->nodes; i++) pushed[6 * (first + i) + c] = h * w->f[b->p0 + c * b->column + i];
  }
}

/* ---- the books ---- */

static void velocity_of(const vvi_rest_contact *c, const double *v, double u[3])
{
  double turn[3];
  u[0] = u[1] = u[2] = 0.0;
  if (c->b >= 0) {
    vvi_cross3(v + 6 * c->b + 3, c->arm_b, turn);
    for (int k = 0; k < 3; k++) u[k] += v[6 * c->b + k] + turn[k];
  }
  if (c->a >= 0) {
    vvi_cross3(v + 6 * c->a + 3, c->arm_a, turn);
    for (int k = 0; k < 3; k++) u[k] -= v[6 * c->a + k] + turn[k];
  }
}

/* Work of the impulses of one contact between v_f and v1. */
static double work_of(const vvi_rest_contact *c, const double *free, const double *v1)
{
  double u[3], w[3];
  velocity_of(c, free, u);
  velocity_of(c, v1, w);
  return 0.5 * (vvi_dot3(c->j, u) + vvi_dot3(c->j, w));
}

/* The part of it along the slip that is left. */
static double rubbed(const vvi_rest_contact *c, const double *v1)
{
  double w[3];
  velocity_of(c, v1, w);
  return vvi_dot3(c->j, w) - vvi_dot3(c->j, c->n) * vvi_dot3(w, c->n);
}

const vv_block *vvi_solids_block(const struct vv_step *s, int32_t mover, int64_t *node)
{
  int found = 0;
  for (int l = 0; l < s->model->n_block; l++)
    if (s->model->solids->first[l] >= 0 && s->model->solids->first[l] <= mover) found = l;
  *node = mover - s->model->solids->first[found];
  return &s->model->block[found];
}

static void momentum_before(const struct vv_step *s, int32_t mover, double p[6])
{
  int64_t node;
  const vv_block *b = vvi_solids_block(s, mover, &node);
  for (int c = 0; c < 6; c++) p[c] = s->state->p[b->p0 + c * b->column + node];
}

/* The guard scaled the momenta of an island that stands on the ground: what it took goes there. */
static void book_guard(struct vv_step *s, int32_t i, const double *momentum, const double *end)
{
  double lost[3];
  for (int k = 0; k < 3; k++) lost[k] = end[k] - momentum[k];
  vvi_post_impulse(&s->ledger->posted, s->solids->near->mover[i].place, lost);
  for (int k = 0; k < 3; k++) vvi_sum_add(&s->ledger->posted.moment[k], end[3 + k] - momentum[3 + k]);
}

/* One touched body: its momentum becomes that of v1 and waits there until the second kick is over.  Returns the energy
 * beyond W that the forces brought; of a body that the guard slowed, all that the step brought: T1 - T0 - W. */
static double settle_mover(struct vv_step *s, int32_t i, const double *momentum, const double *free, const double *v1,
                           double h)
{
  struct vvi_solids_step *w = s->solids;
  const vvi_rest_problem *p = w->problem;
  const bool known = w->touch_of[i] >= 0;
  double *end = w->settled[known ? w->touch_of[i] : w->n_touched], way[3], turn[3], brought = 0.0;
  const double *v0 = p->before + 6 * i, *pushed = p->pushed + 6 * i, scale = p->scale[i];
  for (int c = 0; c < 6; c++) end[c] = scale * momentum[c];
  if (scale != 1.0) {
    double before[6];
    momentum_before(s, i, before);
    for (int c = 0; c < 6; c++) brought += 0.5 * (end[c] + before[c]) * (v1[c] - v0[c]) - pushed[c] * v1[c];
    book_guard(s, i, momentum, end);
  } else {
    for (int c = 0; c < 6; c++) brought += pushed[c] * (0.5 * (v0[c] + free[c]) - v1[c]);
  }
  /* the leapfrog books the second half of the forces at the end of the drift */
  for (int k = 0; k < 3; k++) way[k] = h * v1[k];
  vvi_cross3(way, pushed, turn);
  for (int k = 0; k < 3; k++) vvi_sum_add(&s->ledger->posted.moment[k], -0.5 * turn[k]);
  for (int k = 0; k < 3; k++) w->near->mover[i].velocity[k] = v1[k], w->near->mover[i].spin[k] = v1[3 + k];
  if (!known) w->touch_of[i] = w->n_touched, w->touched[w->n_touched++] = i;
  return brought;
}

/* Momenta with the kick of the whole step, and all impulses on them [many 1]; what goes to the ground is booked. */
static void add_impulses(struct vv_step *s, double *momentum)
{
  struct vvi_solids_step *w = s->solids;
  const vvi_rest_problem *p = w->problem;
  for (int32_t i = 0; i < p->movers; i++) {
    int64_t node;
    if (!p->touched[i]) continue;
    const vv_block *b = vvi_solids_block(s, i, &node);
    for (int c = 0; c < 6; c++) momentum[6 * i + c] = s->state->p[b->p0 + c * b->column + node] + p->pushed[6 * i + c];
  }
  for (int32_t i = 0; i < p->n; i++) {
    const vvi_rest_contact *c = &p->contact[i];
    double turn[3];
    if (c->j[0] == 0.0 && c->j[1] == 0.0 && c->j[2] == 0.0) continue;
    const double back[3] = {-c->j[0], -c->j[1], -c->j[2]};
    for (int e = 0; e < 2; e++) {
      const double *j = e == 0 ? back : c->j, *arm = e == 0 ? c->arm_a : c->arm_b;
      const int32_t m = e == 0 ? c->a : c->b;
      if (m < 0) { /* the other side gained it */
        vvi_post_impulse(&s->ledger->posted, w->row[w->rest_row[i]].x, e == 0 ? c->j : back);
        continue;
      }
      vvi_cross3(arm, j, turn);
      for (int k = 0; k < 3; k++) momentum[6 * m + k] += j[k], momentum[6 * m + 3 + k] += turn[k];
    }
  }
}

static void book(struct vv_step *s, double h)
{
  struct vvi_solids_step *w = s->solids;
  const vvi_rest_problem *p = w->problem;
  double friction = 0.0, all = 0.0, *momentum = w->start[0], *free = p->velocity, *after = w->rest_velocity;
  add_impulses(s, momentum);
  for (int32_t i = 0; i < p->movers; i++) {
    if (!p->touched[i]) continue;
    vvi_times6(w->near->mover[i].inverse_mass, momentum + 6 * i, after + 6 * i);
    vvi_times6(w->near->mover[i].inverse_inertia, momentum + 6 * i + 3, after + 6 * i + 3);
    for (int c = 0; c < 6; c++) after[6 * i + c] *= p->scale[i];
    for (int k = 0; k < 3; k++) {
      free[6 * i + k] = p->before[6 * i + k] + (w->forced ? h * w->force[i].velocity[k] : 0.0);
      free[6 * i + 3 + k] = p->before[6 * i + 3 + k] + (w->forced ? h * w->force[i].spin[k] : 0.0);
    }
  }
  for (int32_t i = 0; i < p->n; i++) {
    const vvi_rest_contact *c = &p->contact[i];
    if (c->j[0] == 0.0 && c->j[1] == 0.0 && c->j[2] == 0.0) continue;
    if (p->scale[c->a >= 0 ? c->a : c->b] == 1.0) all += work_of(c, free, after);
    if (c->friction > 0.0) friction += rubbed(c, after);
  }
  for (int32_t i = 0; i < p->movers; i++)
    if (p->touched[i]) all += settle_mover(s, i, momentum + 6 * i, free + 6 * i, after + 6 * i, h);
  vvi_sum_add(&s->ledger->posted.friction_loss, -friction);
  vvi_sum_add(&s->ledger->posted.restitution_loss, friction - all);
}

/* ---- second order ---- */

/* Where a touched body will be: straight on, and turned by h w. */
static void pose_ahead(const struct vvi_solids_step *w, int32_t object, double h, vvi_pose *out)
{
  const int32_t i = w->near->solids->object[object].mover[0];
  *out = w->near->pose[object];
  if (i < 0) return;
  const double *v = w->problem->velocity + 6 * i;
  const double theta[3] = {h * v[3], h * v[4], h * v[5]};
  double turn[9];
  vvi_exp(theta, turn);
  vvi_mul33(turn, w->near->pose[object].turn, out->turn);
  for (int c = 0; c < 3; c++) out->place[c] += h * v[c];
}

static bool stays(const struct vvi_solids_step *w, int32_t object)
{
  const int32_t i = w->near->solids->object[object].mover[0];
  for (int c = 0; i >= 0 && c < 6; c++)
    if (w->problem->velocity[6 * i + c] != 0.0) return false;
  return true;
}

/* Contacts that slide or turn are closed by more than h u in the drift: where that would let them sink, they must open by as
 * much first.  With n turning and x sliding the gap has the acceleration that the contact force answers; left out, bodies
 * sink by it and lose its work.  True: some must.                                                                [many 8] */
static bool raise_contacts(const struct vv_step *s, double h)
{
  enum { MOST = 64 };
  const struct vvi_solids_step *w = s->solids;
  const struct vvi_solids *solids = w->near->solids;
  const double fine = 1e-12 * solids->size;
  bool raised = false;
  for (int32_t i = 0, end; i < w->problem->n; i = end) {
    const vvi_solid_row *c = &w->row[w->rest_row[i]];
    bool closed = false;
    for (end = i; end < w->problem->n; end++) {
      const vvi_solid_row *d = &w->row[w->rest_row[end]];
      if (d->a != c->a || d->b != c->b) break;
      closed |= d->gap <= 1e-6 * solids->size;
    }
    vvi_pose a, b;
    vvi_spot spot[MOST];
    double gap;
    if (!closed || (stays(w, c->a) && stays(w, c->b))) continue;
    pose_ahead(w, c->a, h, &a);
    pose_ahead(w, c->b, h, &b);
    const int n =
        vvi_solids_touch(solids->object[c->a].solid, &a, solids->object[c->b].solid, &b, fine, MOST, spot, &gap);
    for (int k = 0; k < n; k++)
      for (int32_t l = i; l < end; l++) {
        vvi_rest_contact *r = &w->problem->contact[l];
        const vvi_solid_row *d = &w->row[w->rest_row[l]];
        const double sunk = (d->gap < 0.0 ? d->gap : 0.0) - spot[k].gap;
        if (d->key != spot[k].key || sunk <= fine || r->wedged) continue;
        r->rise += sunk / h;
        raised = true;
      }
  }
  return raised;
}

/* N s that are much for any contact here: a hundred times what held them before, or what makes a whole body rise. */
static double much(const struct vvi_solids_step *w)
{
  double most = 0.0;
  for (int32_t i = 0; i < w->problem->n; i++) {
    const vvi_rest_contact *c = &w->problem->contact[i];
    most = fmax(most, vvi_norm3(c->first));
    for (int e = 0; e < 2 && c->rise > 0.0; e++) {
      const int32_t m = e == 0 ? c->a : c->b;
      const double *a = m >= 0 ? w->problem->mover[m].inverse_mass : NULL, light = m >= 0 ? a[0] + a[1] + a[2] : 0.0;
      if (light > 0.0) most = fmax(most, 3.0 * c->rise / light);
    }
  }
  return 100.0 * most;
}

/* A body that is wedged, the line between two of its contacts within both cones of friction, cannot rise from both at once:
 * the law has no answer, and what comes back is without measure.  Such contacts need not rise; all of them if that is not
 * enough, for standing still is always allowed.  True: solve again. */
static bool let_go(struct vvi_solids_step *w, bool all)
{
  const double limit = much(w);
  bool any = false;
  for (int32_t i = 0; i < w->problem->n; i++) any |= vvi_norm3(w->problem->contact[i].j) > limit;
  for (int32_t i = 0; any && i < w->problem->n; i++) {
    vvi_rest_contact *c = &w->problem->contact[i];
    c->wedged |= all || vvi_norm3(c->j) > limit;
    if (c->wedged) c->rise = 0.0;
    memcpy(c->j, c->first, sizeof c->j);
  }
  return any;
}

static void remember_first(vvi_rest_problem *p)
{
  for (int32_t i = 0; i < p->n; i++) memcpy(p->contact[i].first, p->contact[i].j, sizeof p->contact[i].j);
}

static void solve(struct vv_step *s, double h)
{
  enum { RISES = 2 };
  struct vvi_solids_step *w = s->solids;
  vvi_rest_stats stats;
  for (int rises = 0, tries = 0;;) {
    set_movers(s, h);
    vvi_rest_solve(w->rest, w->problem, &stats);
    if (rises > 0 && tries < 2 && let_go(w, tries > 0)) {
      tries++;
      continue;
    }
    if (rises == RISES || !raise_contacts(s, h)) break;
    if (rises++ == 0) remember_first(w->problem);
  }
}

void vvi_settle_rest(struct vv_step *s, double h, bool again)
{
  struct vvi_solids_step *w = s->solids;
  w->problem->n = 0;
  w->problem->dt = h;
  for (int64_t i = 0; i < w->n; i++) {
    if (!w->row[i].rests) continue;
    w->rest_row[w->problem->n] = (int32_t)i;
    set_contact(&w->row[i], &w->problem->contact[w->problem->n++]);
  }
  if (w->problem->n > 0) {
    if (!again) recall(s);
    solve(s, h);
    book(s, h);
  }
  if (!again) keep(s);
}

void vvi_solids_settle(struct vv_step *s)
{
  const struct vvi_solids_step *w = s->solids;
  for (int32_t k = 0; k < w->n_touched; k++) {
    int64_t node;
    const vv_block *b = vvi_solids_block(s, w->touched[k], &node);
    for (int c = 0; c < 6; c++) s->state->p[b->p0 + c * b->column + node] = w->settled[k][c];
  }
}
