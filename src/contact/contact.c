/* contact/contact.c  The contact engine: candidate pairs, contacts, groups, their solution, booking; see contact.h. */
#include "contact/contact.h"
#include "math/math.h"

#include <string.h>

/* Rounds of answers, and of those that only pairs that meet join.  Contacts from which on a team shares groups: shapes take less than
 * a microsecond each, pairs of features, which are looked at pass by pass, ten and more; waking a team some ten. */
enum { ROUNDS = 20, SPARSE = 4, PARALLEL_FROM = 256, FEATURES_FROM = 32 };

static vv_status name_movers(struct vvi_contact_step *w)
{
  const struct vvi_solids *solids = w->model->solids;
  for (int i = 0; i < w->model->n_block; i++)
    for (int64_t k = 0; solids->first[i] >= 0 && k < w->model->block[i].nodes; k++)
      w->work[solids->first[i] + k] = (vvi_working){.block = i, .node = k, .local = -1};
  return VV_OK;
}

vv_status vvi_contact_create(const vv_model *m, vvi_arena *arena, double *memory, vvi_sheet_search *search,
                             struct vvi_contact_step **out)
{
  struct vvi_contact_step *w = *out = VVI_ARENA_NEW(arena, struct vvi_contact_step, 1);
  if (w == NULL) return VV_NOMEM;
  bool soft = search != NULL;
  w->model = m, w->arena = arena, w->memory = memory;
  w->threads = vv_ctx_threads(m->ctx);
  w->shown = w->pendings = -1, w->team = 1;
  if (m->traction > 0) vvi_traction_of(m, memory + vvi_contact_memory(m) - m->traction, &w->traction);
  w->halves = vv_integer(vv_sub(m->root, "method"), "halvings") > 0;
  w->together = vv_is(vv_sub(m->root, "method"), "simultaneous", "complementarity");
  VV_TRY(vvi_solid_near_create(m, arena, &w->near));
  for (int32_t i = 0; i < m->solids->n; i++) soft |= m->solids->object[i].soft;
  w->forced = soft || vvi_sys_booked(m);
  for (int i = 0; i < m->n_block; i++) w->driven |= m->block[i].driven || m->block[i].viscous;
  w->links = vvi_links_of(m);
  for (int i = 0; i < m->solids->rules.n; i++) w->rolls |= m->solids->rule[i].rolling > 0.0;
  w->fly_q = VVI_ARENA_NEW(arena, double, m->nq + m->np);
  w->island_work = VVI_ARENA_NEW(arena, vvi_island_work *, w->threads);
  w->own = VVI_ARENA_NEW(arena, vvi_arena, w->threads);
  if (!w->fly_q || !w->island_work || !w->own || !vvi_movers_fit(w, m->solids->movers) || !vvi_contacts_fit(w, 0, 0))
    return VV_NOMEM;
  w->fly_p = w->fly_q + m->nq;
  if (!soft && !w->driven && w->forced && m->joints == NULL) {
    w->rest.q = VVI_ARENA_NEW(arena, double, m->nq + 3 * m->np);
    if (w->rest.q == NULL) return VV_NOMEM;
    w->rest.p = w->rest.q + m->nq, w->rest.f = w->rest.p + m->np, w->rest.left = w->rest.f + m->np;
    w->rest.steady = vvi_sys_steady(m) && !vvi_sys_dissipates(m) && m->pairs->n == 0;
  }
  for (int i = 0; i < w->threads; i++) VV_TRY(vvi_island_create(&w->own[i], 256, 512, &w->island_work[i]));
  VV_TRY(name_movers(w));
  VV_TRY(vvi_quiet_create(w));
  if (search == NULL) return VV_OK;
  VV_TRY(vvi_features_create(w, search));
  return vvi_turns_create(w);
}

void vvi_contact_destroy(struct vvi_contact_step *w)
{
  for (int i = 0; w != NULL && w->own != NULL && i < w->threads; i++) vvi_arena_free(&w->own[i]);
}

void vvi_contact_moved(struct vvi_contact_step *w, double h)
{
  if (w->quiet.until > 0.0) {
    w->quiet.passed += fabs(h);
    return;
  }
  if (w->features != NULL) vvi_features_advance(w);
  vvi_solid_near_moved(w->near, h);
}

void vvi_contact_forget(struct vvi_contact_step *w)
{
  w->rest.known = w->rest.still = w->rest.closed = false;
  w->quiet.booked = false, w->quiet.until = w->quiet.passed = 0.0;
  w->fresh = w->near->built = false;
  w->shown = w->pendings = -1;
  if (w->features != NULL) vvi_features_forget(w);
}

static bool prepare(struct vvi_contact_step *w)
{
  if (!vvi_contacts_make(w) || !vvi_groups_make(w)) return false;
  vvi_contact_recall(w);
  return true;
}

/* Nothing depends on the order of groups: here it is a k + b, modulo their number, a without common factor. */
static void answer_shuffled(struct vvi_contact_step *w)
{
  const uint64_t n = (uint64_t)w->groups, b = w->shuffle % n;
  uint64_t a = 1 + w->shuffle / 7 % n;
  for (bool found = false; !found; a += !found) {
    uint64_t x = a, y = n;
    while (y > 0) {
      const uint64_t rest = x % y;
      x = y, y = rest;
    }
    found = x == 1;
  }
  for (uint64_t k = 0; k < n; k++) vvi_group_answer(w, &w->group[(a * k + b) % n], w->island_work[0]);
}

static void answer(struct vvi_contact_step *w, int32_t k, int thread)
{
  if (!w->group[k].first && vvi_group_is_mine(w, &w->group[k]))
    vvi_group_answer(w, &w->group[k], w->island_work[thread]);
}

/* What ranks share, and a crowd that is more than one thread's part of all, is answered before the others, by all threads together. */
static void answer_giants(struct vvi_contact_step *w)
{
  double all = 0.0;
  w->team = w->threads;
  for (int32_t k = 0; k < w->groups; k++) all += vvi_group_weight(&w->group[k]);
  for (int32_t k = 0; k < w->groups; k++) {
    vvi_contact_group *g = &w->group[k];
    if (g->shared || (g->crowd && w->threads * vvi_group_weight(g) > all)) answer(w, k, 0), g->first = true;
  }
  w->team = 1;
}

static void answer_mine(struct vvi_contact_step *w)
{
  if (w->shuffle > 0 && w->groups > 0) {
    answer_shuffled(w);
    return;
  }
  const int32_t from = w->features != NULL && w->features->actives >= FEATURES_FROM ? FEATURES_FROM : PARALLEL_FROM;
  if (w->threads < 2 || w->groups < 2 || w->n < from) {
    w->team = w->threads; /* huge islands share their sums */
    for (int32_t k = 0; k < w->groups; k++) answer(w, k, 0);
    w->team = 1;
    return;
  }
  answer_giants(w);
#pragma omp parallel for schedule(dynamic, 1) num_threads(w->threads)
  for (int32_t k = 0; k < w->groups; k++) answer(w, k, vvi_team_rank());
}

/* False: no memory. */
static bool answer_all(struct vvi_contact_step *w)
{
  if (!vvi_groups_deal(w)) return false;
  answer_mine(w);
  for (int32_t k = 0; k < w->groups; k++) w->own_turns += w->group[k].own_turns;
  return vvi_groups_tell(w);
}

/* Nothing is near: what was remembered of contacts is over. */
static void clear(struct vvi_contact_step *w)
{
  w->n = w->groups = 0, w->n_node = 0;
  w->rest.known = w->rest.still = false;
  vvi_contact_book(w, true);
  vvi_scaling_clear(w);
  w->quiet.booked = true;
}

bool vvi_contact_sleeps(struct vvi_contact_step *w, double h)
{
  const bool sleeps = vvi_quiet_lasts(w, h);
  w->fresh = w->fresh && !sleeps; /* the step moves what was looked at */
  w->quiet.taken = sleeps;
  if (!sleeps) vvi_quiet_end(w);
  return sleeps;
}

static bool impact_comes(struct vvi_contact_step *w)
{
  for (int32_t k = 0; k < w->groups; k++)
    if (vvi_group_hit(w, &w->group[k])) return true;
  return false;
}

bool vvi_contact_ready(struct vvi_contact_step *w, const vvi_flight_plan *plan)
{
  const bool fresh = w->fresh;
  w->fresh = false;
  if (!fresh) return vvi_movers_look(w, plan);
  w->t = plan->t, w->h = fabs(plan->h), w->f = plan->f; /* the state is that of the last look */
  return true;
}

/* ---- rest ---- */

/* Does the step begin as the last one?  Forces that were seen to be a function of the places are not looked at. */
static bool goes_on(const struct vvi_contact_step *w, const vvi_flight_plan *plan)
{
  const vvi_contact_rest *r = &w->rest;
  const int64_t nq = w->model->nq, np = w->model->np;
  const vvi_twin twin[3] = {{r->p, plan->p, np}, {r->q, plan->q, nq}, {r->f, plan->f, np}};
  return r->known && r->h == plan->h && vvi_twins_equal(w->threads, r->closed ? 2 : 3, twin);
}

/* How it begins; worth keeping where the last one left all at rest. */
static void keep_start(struct vvi_contact_step *w, const vvi_flight_plan *plan)
{
  vvi_contact_rest *r = &w->rest;
  r->known = false;
  if (r->q == NULL || !r->still || plan->f == NULL) return;
  vvi_reals_copy(r->q, plan->q, (size_t)w->model->nq);
  vvi_reals_copy(r->p, plan->p, (size_t)w->model->np);
  vvi_reals_copy(r->f, plan->f, (size_t)w->model->np);
  r->h = plan->h, r->known = true;
}

static void keep_end(struct vvi_contact_step *w)
{
  vvi_contact_rest *r = &w->rest;
  r->still = r->q != NULL && w->groups > 0;
  for (int32_t k = 0; k < w->groups; k++)
    for (int32_t i = 0; r->still && i < w->group[k].movers; i++) {
      const vvi_working *m = &w->work[w->group[k].mover[i]];
      r->still = vvi_mover_still(m) && m->frozen == 0;
    }
  r->known &= r->still;
  if (r->known) vvi_reals_copy(r->left, w->p, (size_t)w->model->np);
}

bool vvi_contact_stays(const struct vvi_contact_step *w)
{
  return w->rest.went_on && w->rest.closed && w->rest.may_stay;
}

static void go_on(struct vvi_contact_step *w, const vvi_flight_plan *plan)
{
  const vvi_contact_rest *r = &w->rest;
  if (!vvi_contact_stays(w)) vvi_reals_copy(plan->p, r->left, (size_t)w->model->np);
  w->t = plan->t, w->q = plan->q, w->p = plan->p, w->f = plan->f, w->post = plan->post;
  if (r->repeats && (w->log_again == NULL || w->log_again(w->user, r->held)))
    vvi_posted_add(w->post, &r->post);
  else
    vvi_contact_book(w, true);
}

static bool look_at_features(struct vvi_contact_step *w)
{
  return w->features == NULL || vvi_features_collect(w);
}

bool vvi_contact_act(struct vvi_contact_step *w, const vvi_flight_plan *plan, bool may_halve, bool *halve)
{
  *halve = false;
  w->count.deepest = 0.0, w->count.overlap = (vv_overlap){0};
  if (vvi_contact_sleeps(w, plan->h)) {
    w->rest.went_on = w->rest.closed = false;
    if (!w->quiet.booked) clear(w);
    return true;
  }
  w->rest.went_on = goes_on(w, plan);
  if (w->rest.went_on) {
    go_on(w, plan);
    return true;
  }
  w->rest.closed = false;
  keep_start(w, plan);
  if (!vvi_contact_ready(w, plan) || !look_at_features(w)) return false;
  if (w->near->meets == 0 && (w->features == NULL || w->features->actives == 0)) {
    clear(w);
    return true;
  }
  w->quiet.booked = false;
  if (!prepare(w)) return false;
  if (!vvi_contact_started(w) && w->forced && w->sign > 0.0) {
    vvi_contact_start(w);
    if (!vvi_movers_look(w, plan) || !look_at_features(w) || !prepare(w)) return false;
  }
  if (may_halve && impact_comes(w)) {
    *halve = w->fresh = true;
    return true;
  }
  if (may_halve && !prepare(w)) return false; /* as it was */
  bool met = false;                           /* shapes that no contact knew */
  for (int round = 0;; round++) {
    if (!answer_all(w) || !vvi_scaling_act(w)) return false;
    const bool raised = vvi_movers_raise(w), exceeds = w->features != NULL && vvi_features_exceed(w);
    const bool joined = w->features != NULL && vvi_features_join(w, round >= SPARSE);
    if (round == ROUNDS || !(raised || exceeds || joined)) break;
    if (raised && !vvi_solid_near_collect(w->near, w->h)) return false;
    const bool meets = raised && vvi_strangers_meet(w);
    met |= meets;
    if (!exceeds && !joined && !meets) break;
    if (raised && !met) { /* other groups go on, and these from the candidates that they would have without them */
      vvi_movers_bound(w);
      if (!vvi_solid_near_collect(w->near, w->h)) return false;
    }
    for (int32_t k = 0; k < w->groups; k++) vvi_group_reset(w, &w->group[k]);
    if (exceeds && !vvi_features_again(w)) return false;
    if (!prepare(w)) return false;
  }
  keep_end(w);
  vvi_contact_book(w, true);
  vvi_scaling_book(w);
  return true;
}

void vvi_contact_bounce(struct vvi_contact_step *w, double t, int64_t n, const vvi_meet *meet)
{
  vvi_meet *const list = w->near->meet;
  const int64_t meets = w->near->meets;
  const bool forced = w->forced;
  w->near->meet = (vvi_meet *)meet, w->near->meets = n;
  w->forced = false, w->t = t;
  w->quiet.booked = false;
  if (vvi_contacts_make(w) && vvi_groups_make(w)) {
    for (int32_t k = 0; k < w->groups; k++) vvi_group_bounce(w, &w->group[k], w->island_work[0]);
    vvi_contact_book(w, false);
  }
  w->near->meet = list, w->near->meets = meets, w->forced = forced;
}

static int64_t touching(const struct vvi_contact_step *w)
{
  int64_t n = 0;
  for (int64_t i = 0; i < w->near->meets; i++) {
    const vvi_meet *m = &w->near->meet[i];
    n += m->spot.gap <= 1.5 * vvi_pair_keep(w, m->a, m->b, m->rule); /* where contacts that hold lie */
  }
  return n;
}

void vvi_contact_look(struct vvi_contact_step *w, const vvi_flight_plan *plan, double *deepest, vv_overlap *overlap,
                      int64_t *contacts)
{
  vvi_contact_rest *r = &w->rest;
  const bool quiet = w->quiet.taken && vvi_quiet_lasts(w, plan->h);
  if (!quiet) vvi_quiet_end(w);
  if (!quiet && !(r->went_on && r->closed)) {
    const bool on = plan->f != NULL && goes_on(w, plan);
    if (!on) w->fresh = vvi_movers_look(w, plan) && !w->driven && (plan->f != NULL || !w->forced);
    r->closed = on && r->went_on && r->steady;
    r->contacts = touching(w);
    if (w->fresh && w->quiet.can && w->near->meets == 0) vvi_quiet_begin(w);
  }
  *contacts += quiet ? 0 : r->contacts;
  *deepest = vvi_larger(vvi_larger(-w->near->least, w->count.deepest), *deepest);
  vvi_overlap_take(overlap, w->count.overlap.depth, w->count.overlap.size);
  vvi_overlap_take(overlap, w->near->overlap.depth, w->near->overlap.size);
}
