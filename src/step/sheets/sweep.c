/* step/sheets/sweep.c  Pairs that would meet in the coming drift answer, one after the other, until none would.
 *
 *   near pairs;  for each whose movers changed since it was looked at:  would it cross, or come nearer than the guard layer?
 *   answer at the present places, with weights and normal of the crossing or of the end of the drift;  repeat   [sheets 8]
 *
 * Pairs are visited in the order of the meshes.  Nothing else decides: the same bits for any number of threads. */
#include "math/math.h"
#include "step/sheets.h"

#include <string.h>

/* Sweeps: from EAGER on pairs with e < 1 stop and give back, from RUBS on friction yields, from PATIENCE on zones are rigid. */
enum { EAGER = 3, RUBS = 20, PATIENCE = 60, SWEEPS = 200, REPEATS = 6 };
static const double SAME_ROW = 0.999; /* cosine between normals along which the same impulse is meant */
static const double MUCH = 0.1;       /* of what a pair was given: less is not given back */
/* parts of the layer: neglected in a step and sweep; way back in a step; where pairs end that must stop; kept in any case */
static const double NEGLECT = 1e-3, RETURN = 0.02, DEEP = 0.125, LEAST = 0.05;

vv_status vvi_sheets_create(const struct vvi_sheets *m, vvi_arena *arena, int threads, struct vvi_sheets_step **out)
{
  struct vvi_sheets_step *w = *out = VVI_ARENA_NEW(arena, struct vvi_sheets_step, 1);
  if (w == NULL) return VV_NOMEM;
  w->changed = VVI_ARENA_NEW(arena, int32_t, m->n_mover + 1);
  w->dirty = VVI_ARENA_NEW(arena, int32_t, m->n_mover + 1);
  w->zone = VVI_ARENA_NEW(arena, int32_t, m->n_mover + 1);
  w->member = VVI_ARENA_NEW(arena, vvi_zone_member, m->n_mover + 1);
  if (w->changed == NULL || w->dirty == NULL || w->zone == NULL || w->member == NULL) return VV_NOMEM;
  if (m->loses) {
    w->memo_room = 4 * m->n_mover + 1;
    w->memo = VVI_ARENA_NEW(arena, vvi_sheet_memo, w->memo_room);
    if (w->memo == NULL) return VV_NOMEM;
  }
  w->lent = w->own_lent;
  for (int32_t i = 0; i < m->n_mover; i++) w->zone[i] = -1;
  w->count.nearest = INFINITY;
  w->patience = PATIENCE;
  return vvi_sheet_search_create(m, arena, threads, 0.45 * m->edge_length, &w->search);
}

void vvi_sheets_guard(struct vvi_sheets_step *w, double guard)
{
  const struct vvi_sheets *m = w->search->sheets;
  for (int32_t i = 0; i < m->n_rule; i++) {
    const double least = m->rule[i].restitution < 1.0 ? fmin(3e-3 * m->edge_length, 0.5 * m->closest) : 0.0;
    w->search->guard[i] = fmax(guard, least);
  }
  vvi_sheet_forget(w->search);
}

/* ---- one pair ---- */

typedef struct visit {
  vvi_sheet_near *near;
  const vvi_sheet_list *list;
  vvi_dcr pair;
  bool crosses, turns; /* turns: where it goes is judged by its way, not by the speed of its row */
  double ahead;        /* distance after the drift, less the offset */
} visit;

static bool changed_since(const struct vvi_sheets_step *w, int32_t looked, const int32_t *vertex, int n)
{
  const struct vvi_sheets *m = w->search->sheets;
  if (looked < 0) return true;
  for (int k = 0; k < n; k++) {
    const int32_t v = vertex[k];
    if (m->mover[v] < 0) continue;
    if (!m->body[m->body_of[v]].loose) {
      if (w->changed[m->mover[v]] > looked) return true;
      continue;
    }
    for (int32_t i = m->stencil0[v]; i < m->stencil0[v + 1]; i++)
      if (w->changed[m->stencil[i]] > looked) return true;
  }
  return false;
}

/* A pair that a plane held apart: does it still, after the drift?  Else it gets its distance and direction; one that is
 * farther away than anything may move in this drift does not count, whatever plane was tried. */
static bool still_parted(const struct vvi_sheets_step *w, vvi_sheet_near *near, const int32_t vertex[4])
{
  const vvi_sheet_motion *m = &w->search->motion;
  const vvi_sheet_list *l = &w->search->list[near->couple];
  const double reach = l->offset + l->guard;
  double y[4][3];
  vvi_closest at;
  if (!near->parted) return false;
  for (int i = 0; i < 4; i++) vvi_sheet_place(m, vertex[i], true, y[i]);
  const double apart = vvi_separation(near->a < 0 ? VVI_EDGE_EDGE : VVI_VERTEX_FACE, (const double(*)[3])y, near->n);
  if ((1.0 - 1e-6) * apart >= reach) return true;
  vvi_sheet_closest(m, near->a, near->b, false, &at);
  if (!(at.d - l->step < reach * (1.0 + 1e-9))) return near->looked = INT32_MAX, true;
  near->d = at.d - l->offset, near->parted = false;
  memcpy(near->n, at.n, sizeof at.n);
  return false;
}

static void take(visit *k, const vvi_closest *at)
{
  memcpy(k->pair.c, at->c, sizeof at->c);
  memcpy(k->pair.n, at->n, sizeof at->n);
}

/* Does the pair cross, or end inside the layer?  Fills weights and normal.                                   [sheets 9] */
static bool violated(struct vvi_sheets_step *w, visit *k)
{
  const vvi_sheet_motion *m = &w->search->motion;
  const vvi_sheet_near *near = k->near;
  const double guard = k->list->guard, offset = k->list->offset;
  const int n = k->pair.vertices;
  double x[4][3], y[4][3], time;
  vvi_closest at;
  k->crosses = false;
  if (n == 4) {
    const vvi_feature f = near->a < 0 ? VVI_EDGE_EDGE : VVI_VERTEX_FACE;
    for (int i = 0; i < n; i++) vvi_sheet_place(m, k->pair.vertex[i], true, y[i]);
    const double apart = vvi_separation(f, (const double(*)[3])y, near->n);
    if (apart - offset >= guard) return false;
    w->count.evaluations++;
    if (apart <= 0.0) {
      for (int i = 0; i < n; i++) vvi_sheet_place(m, k->pair.vertex[i], false, x[i]);
      k->crosses = vvi_crossing(f, (const double(*)[3])x, (const double(*)[3])y, w->search->slack, &time, &at);
      k->ahead = -fmax(offset, w->search->slack); /* how deep is not known: no less than this */
    }
    if (!k->crosses) vvi_closest_at(f, (const double(*)[3])y, &at);
  } else {
    vvi_sheet_closest(m, near->a, near->b, true, &at);
  }
  if (!k->crosses) {
    k->ahead = at.d - offset;
    if (!(k->ahead < guard) || !vvi_sheet_is_local(m, near->a, near->b, &at)) return false;
    if (at.d == 0.0 && n == 4) memcpy(at.n, near->n, sizeof at.n);
    k->crosses = k->ahead < 0.0; /* into the thickness, or into an obstacle */
  }
  take(k, &at);
  return true;
}

/* What the half kick adds to the speed; where points turn, what the drift really brings beyond u.  Those of a fold that
 * closes do: the row [sheets 6] does not see the turning of its four points. */
static double pressed_by(const struct vvi_sheets_step *w, const visit *k, double u)
{
  const vvi_sheet_motion *m = &w->search->motion;
  double way = 0.0, y[3];
  bool turns = k->turns;
  for (int i = 0; i < k->pair.vertices; i++) turns |= m->sheets->body[m->sheets->body_of[k->pair.vertex[i]]].turns;
  if (!turns) return 0.5 * fabs(w->h) * vvi_row_acceleration(m, &k->pair.normal);
  for (int i = 0; i < k->pair.vertices; i++) {
    vvi_sheet_place(m, k->pair.vertex[i], true, y);
    for (int c = 0; c < 3; c++) way += k->pair.c[i] * k->pair.n[c] * (y[c] - k->pair.x[i][c]);
  }
  return way / fabs(w->h) - u;
}

/* ---- what pairs with e < 1 remember within a step ---- */

/* Of a pair that is answered; NULL: it has e = 1, or there is no room. */
static vvi_sheet_memo *memo_of(struct vvi_sheets_step *w, vvi_sheet_near *near)
{
  if (near->memo == 0 && w->n_memo + 1 < w->memo_room) {
    near->memo = ++w->n_memo;
    w->memo[near->memo] = (vvi_sheet_memo){.impulse = 0.0};
  }
  return near->memo > 0 ? &w->memo[near->memo] : NULL;
}

/* The row of the pair is now this one.  What an earlier one gave in another direction cannot be taken back along it. */
static void turn_memo(vvi_sheet_memo *o, const vvi_dcr *k)
{
  if (o->impulse > 0.0 && !(vvi_dot3(o->n, k->n) > SAME_ROW)) *o = (vvi_sheet_memo){.impulse = 0.0};
  memcpy(o->c, k->c, sizeof o->c);
  memcpy(o->n, k->n, sizeof o->n);
}

/* Differences of speed that do not matter: a small part of the layer in a step, more after many sweeps, but never so much
 * that a pair comes nearer than a small part of the layer. */
static double small_speed(const struct vvi_sheets_step *w, const visit *k)
{
  return fmin(NEGLECT * fmax(1.0, (double)w->sweep) * k->list->guard,
              0.25 * fmax(0.0, k->near->d - LEAST * k->list->guard)) /
         fabs(w->h);
}

/* ---- speeds ---- */

/* Speed after, from the speed before u and what the half kick adds, w.  False: nothing to do.                [sheets 10] */
static bool rebound(const visit *k, double e, double bank, double u, double w, double *up, bool *pushed)
{
  const double d = k->near->d, guard = k->list->guard;
  const bool close = k->crosses || d < 0.25 * guard || (e < 1.0 && k->ahead < DEEP * guard);
  *pushed = false;
  if (u < 0.0) {
    const double inside = fmin(1.0, fmax(0.0, (guard - d) / (0.5 * guard)));
    *up = -(e + (1.0 - e) * inside) * u;
    if (e < 1.0) *up = fmin(-u, fmax(*up, -w));
    if (e == 1.0 && bank < 0.0) *up = sqrt(fmax(u * u + 2.0 * k->pair.normal.inverse * bank, 0.25 * u * u));
  } else if (close && u + w < 0.0) {
    *up = u;
  } else {
    return false;
  }
  if (close && *up + w < 0.0) *up = -w, *pushed = true;
  return *up != u;
}

/* Present distance along the normal, thickness taken off; with an obstacle that of the pair. */
static double height(const visit *k)
{
  double sum = -k->list->offset;
  if (k->pair.vertices == 1) return k->near->d;
  for (int i = 0; i < k->pair.vertices; i++) sum += k->pair.c[i] * vvi_dot3(k->pair.n, k->pair.x[i]);
  return sum;
}

/* A pair with e < 1 that is still in the way after some sweeps does not bounce again but stops: it may use up the distance
 * down to a quarter of the layer, and is led back to there slowly.                                          [sheets 20] */
static bool stop(const struct vvi_sheets_step *s, const visit *k, double u, double w, double *up, bool *pushed)
{
  const double guard = k->list->guard, room = fmin(k->near->d, height(k)) - 0.25 * guard;
  const double rest = -w - fmax(0.0, room) / fabs(s->h);
  const bool close = k->crosses || room < 0.0 || k->ahead < DEEP * guard;
  *up = rest - RETURN * fmin(0.0, room) / fabs(s->h);
  *pushed = u + *up > 0.0;
  return close && u < rest - (k->crosses ? 0.0 : small_speed(s, k));
}

static void mark(struct vvi_sheets_step *w, const vvi_row *r)
{
  for (int i = 0; i < r->n; i++) {
    const int32_t m = r->part[i].mover;
    if (w->changed[m] == 0) w->dirty[w->n_dirty++] = m;
    w->changed[m] = w->serial;
  }
}

/* What friction does after an impulse l along n.  With memory the cone is that of the whole step; after many sweeps friction
 * only follows what is given back: it must not stand in the way of what parts the pairs. */
static double rub(struct vvi_sheets_step *w, visit *k, double mu, vvi_sheet_memo *o, double l, double *slide,
                  double gave[3])
{
  vvi_sheet_motion *m = &w->search->motion;
  double lost, old[3];
  if (!(mu > 0.0) || (o != NULL && l > 0.0 && w->sweep >= RUBS)) return 0.0;
  if (o == NULL) return vvi_dcr_rub(m, &k->pair, mu * fabs(l), VVI_RUB_AHEAD, gave, slide, w->post);
  memcpy(old, o->rub, sizeof old);
  lost = vvi_dcr_rub(m, &k->pair, mu * o->impulse, VVI_RUB_STILL, o->rub, slide, w->post);
  for (int i = 0; i < 3; i++) gave[i] = o->rub[i] - old[i];
  return lost;
}

/* Everything that the impulse l along n and friction do, and their books. */
static void answer(struct vvi_sheets_step *w, visit *k, vvi_sheet_memo *o, double l, double up, bool pushed)
{
  const vvi_sheet_rule *rule = &w->search->sheets->rule[w->search->list[k->near->couple].rule];
  vvi_sheet_motion *m = &w->search->motion;
  const double direction = w->h < 0.0 ? -1.0 : 1.0, u = direction * k->pair.speed, gained = 0.5 * l * (u + up);
  double slide = 0.0, gave[3] = {0, 0, 0};
  w->serial++;
  vvi_row_apply(m, &k->pair.normal, direction * l, w->post);
  mark(w, &k->pair.normal);
  if (o != NULL) o->impulse = fmax(0.0, o->impulse + l);
  if (rule->restitution < 1.0)
    w->lost -= gained, w->pushed += pushed || l < 0.0 ? gained : 0.0;
  else
    *w->bank -= gained, w->count.pushed += pushed ? gained : 0.0;
  const double rubbed = rub(w, k, rule->friction, o, l, &slide, gave);
  w->rubbed += rubbed;
  w->count.impulses++;
  w->count.pushes += pushed;
  if (w->log != NULL)
    w->log(w->user, &(vvi_sheet_event){.pair = &k->pair,
                                       .couple = k->near->couple,
                                       .rests = u >= 0.0 || (rule->restitution < 1.0 && !k->crosses &&
                                                             k->near->d < 0.5 * k->list->guard),
                                       .speed = k->pair.speed,
                                       .impulse = direction * l,
                                       .slide = slide,
                                       .rub = {gave[0], gave[1], gave[2]},
                                       .lost = rubbed - (rule->restitution < 1.0 ? gained : 0.0)});
}

static double restitution_of(const struct vvi_sheets_step *w, const vvi_sheet_near *near)
{
  const struct vvi_sheets *m = w->search->sheets;
  return m->rule[w->search->list[near->couple].rule].restitution;
}

/* Speeds before and after along the normal.  False: no impulse along it helps. */
static bool reply(struct vvi_sheets_step *w, visit *k, double *u, double *up, bool *pushed)
{
  if (!vvi_dcr_prepare(&w->search->motion, &k->pair)) {
    w->count.rowless += k->crosses;
    return false;
  }
  w->count.crossings += k->crosses;
  *u = (w->h < 0.0 ? -1.0 : 1.0) * k->pair.speed;
  const double by = pressed_by(w, k, *u);
  if (w->sweep >= EAGER && k->near->memo > 0) return stop(w, k, *u, by, up, pushed);
  return rebound(k, restitution_of(w, k->near), *w->bank, *u, by, up, pushed);
}

/* A pair that others have thrown farther apart than it asked for gives back what it got too much.           [sheets 20] */
static bool give_back(struct vvi_sheets_step *w, visit *k)
{
  vvi_sheet_memo *o = &w->memo[k->near->memo];
  if (!(o->impulse > 0.0)) return false;
  memcpy(k->pair.c, o->c, sizeof o->c);
  memcpy(k->pair.n, o->n, sizeof o->n);
  k->crosses = false;
  if (!vvi_dcr_prepare(&w->search->motion, &k->pair)) return false;
  const double u = (w->h < 0.0 ? -1.0 : 1.0) * k->pair.speed;
  if (!(u > o->target + fmax(small_speed(w, k), MUCH * o->impulse * k->pair.normal.inverse))) return false;
  const double l = fmin(o->impulse, (u - o->target) / k->pair.normal.inverse);
  answer(w, k, o, -l, u - l * k->pair.normal.inverse, false);
  return true;
}

/* A pair that crosses although its row sees no approach.  A vertex on a chord through a round obstacle may leave where it
 * ends: then the normal of where it is now will do, since the obstacle lies behind the plane there. */
static bool reply_again(struct vvi_sheets_step *w, visit *k, double *u, double *up, bool *pushed)
{
  if (k->pair.vertices == 1)
    memcpy(k->pair.n, k->near->n, sizeof k->pair.n);
  else
    k->turns = true;
  return reply(w, k, u, up, pushed);
}

/* True: momenta changed. */
static bool visit_pair(struct vvi_sheets_step *w, vvi_sheet_near *near, bool patient)
{
  const struct vvi_sheets *m = w->search->sheets;
  if (near->looked >= 0 && w->n_dirty == 0) return false;
  visit k;
  k.near = near, k.list = &w->search->list[near->couple], k.turns = false;
  k.pair.vertices = vvi_sheet_vertices(m, near->a, near->b, k.pair.vertex);
  if (!changed_since(w, near->looked, k.pair.vertex, k.pair.vertices)) return false;
  near->looked = w->serial;
  if (still_parted(w, near, k.pair.vertex)) return false;
  if (!violated(w, &k)) return w->sweep >= EAGER && near->memo > 0 && give_back(w, &k);
  double u, up;
  bool pushed;
  bool found = reply(w, &k, &u, &up, &pushed);
  if (!found && k.crosses) found = reply_again(w, &k, &u, &up, &pushed);
  w->ignored += k.crosses && !found;
  if (!found) return w->sweep >= EAGER && near->memo > 0 && !k.crosses && give_back(w, &k);
  w->acted += !near->acted;
  near->acted = true;
  if (!patient && vvi_zones_join(w, &k.pair.normal)) return true;
  vvi_sheet_memo *o = restitution_of(w, near) < 1.0 ? memo_of(w, near) : NULL;
  if (o != NULL) turn_memo(o, &k.pair), o->target = up;
  answer(w, &k, o, (up - u) / k.pair.normal.inverse, up, pushed);
  return true;
}

/* ---- sweeps ---- */

/* Deepest of what is left when the sweeps gave up. */
static double left_over(struct vvi_sheets_step *w)
{
  double deepest = 0.0;
  for (int32_t i = 0; i < w->search->n_near; i++) {
    visit k = {.near = &w->search->near[i], .list = &w->search->list[w->search->near[i].couple]};
    k.pair.vertices = vvi_sheet_vertices(w->search->sheets, k.near->a, k.near->b, k.pair.vertex);
    if (!still_parted(w, k.near, k.pair.vertex) && violated(w, &k) && k.crosses) deepest = fmax(deepest, -k.ahead);
  }
  return deepest;
}

static void sweep(struct vvi_sheets_step *w)
{
  int64_t sweeps = 0;
  w->ignored = 0;
  vvi_zones_open(w);
  for (int32_t fired = 1; fired > 0 && sweeps < SWEEPS; sweeps++) {
    const bool patient = sweeps < w->patience;
    w->sweep = (int)sweeps;
    fired = 0;
    for (int32_t i = 0; i < w->search->n_near; i++) fired += visit_pair(w, &w->search->near[i], patient);
    if (w->n_member > 0) vvi_zones_move(w);
  }
  if (sweeps == SWEEPS || w->ignored > 0) w->deepest = fmax(w->deepest, left_over(w));
  w->count.sweeps += sweeps;
  if (sweeps > w->count.most_sweeps) w->count.most_sweeps = sweeps;
}

static bool anyone_exceeds(struct vvi_sheets_step *w)
{
  bool any = false;
  for (int32_t i = 0; i < w->n_dirty; i++) any |= vvi_sheet_exceeds(w->search, w->dirty[i]);
  for (int32_t i = 0; any && i < w->search->sheets->n_cluster; i++)
    w->search->speed[i].allowed = 1.5 * w->search->speed[i].spread;
  return any;
}

static void lend(struct vvi_sheets_step *w, double energy)
{
  w->lent[0] -= energy;
  if (-w->lent[0] > w->lent[1]) w->lent[1] = -w->lent[0];
}

/* The step's contacts are one: what they did together is booked.  What pushes brought is lent, and losses pay it back first,
 * so that the sum of losses never shrinks.                                                                 [sheets 21] */
static void book(struct vvi_sheets_step *w)
{
  const double brought = fmax(0.0, w->pushed), lost = w->lost + fmin(0.0, w->rubbed) + brought;
  if (w->rubbed > 0.0) vvi_sum_add(&w->post->friction_loss, w->rubbed);
  lend(w, brought);
  const double back = fmin(lost, -w->lent[0]);
  lend(w, -back);
  if (lost > back) vvi_sum_add(&w->post->restitution_loss, lost - back);
  w->count.pushed += brought;
  w->lost = w->rubbed = w->pushed = 0.0;
}

bool vvi_sheets_settle(struct vvi_sheets_step *w)
{
  vvi_sheet_search *s = w->search;
  bool again = true, room = true;
  w->n_dirty = 0, w->serial = 1, w->acted = 0, w->deepest = 0.0;
  double clock = vvi_clock();
  vvi_sheet_measure(s);
  for (int repeat = 0; again && room && repeat < REPEATS; repeat++) {
    room = vvi_sheet_collect(s);
    w->count.nearest = fmin(w->count.nearest, s->nearest);
    const double found = vvi_clock();
    w->n_memo = 0;
    sweep(w);
    again = anyone_exceeds(w);
    w->count.repeats += again;
    w->count.searching += found - clock;
    clock = vvi_clock();
    w->count.answering += clock - found;
  }
  if (again) w->deepest = fmax(w->deepest, s->slack);
  w->count.unresolved += w->deepest > 0.0;
  for (int32_t i = 0; i < w->n_dirty; i++) w->changed[w->dirty[i]] = 0;
  book(w);
  vvi_sheet_advance(s);
  return room;
}
