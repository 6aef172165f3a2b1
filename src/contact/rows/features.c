/* contact/rows/features.c  Pairs of features of surfaces, beams with corners and tips as contacts: vertex and face, two edges, vertex
 * and obstacle.
 *
 * The search (contact/broad/search.c) tells which pairs may meet in the coming drift.  A pair that would cross, or end nearer than its
 * target, gets the row of the end: weights and normal from there, arms of now [sheets 9]; torque-free rows exchange momenta
 * exactly whatever the weights are [sheets 6].  Pairs that are pressed together now have the row of now. */
#include "base/sort.h"
#include "contact/broad/away.h"
#include "contact/broad/ranks.h"
#include "contact/contact.h"
#include "contact/narrow/obstacle.h"
#include "contact/rows/feature.h"
#include "math/math.h"

#include <string.h>

/* Where contacts of features that hold lie, over an edge: the gap of a row of the end (aim) knows how normals turn.
 * With 1e-3 impacts come early by what a layer takes. */
static const double KEEP = 1e-6, NEAREST = 1e-3, SLACK = 1e-6;

enum { PARALLEL_FROM = 1024 }; /* near pairs: fewer are looked at in less time than a team needs to meet */

/* ---- movers ---- */

/* Bodies of the search by what the scene calls them: by the name of the body and which of its surfaces it is. */
static vv_status name_bodies(const vv_model *m, const struct vvi_sheets *s, vvi_arena *arena, struct vvi_features *k)
{
  if ((k->name = VVI_ARENA_NEW(arena, uint64_t, s->n_body + 1)) == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < s->n_body; i++) {
    const vv_body *b = &m->body[s->body[i].body];
    const int32_t which = s->body[i].patch - b->patch0;
    k->name[i] = vvi_hash(vvi_hash(0, b->name, strlen(b->name)), &which, sizeof which);
  }
  return VV_OK;
}

vv_status vvi_features_create(struct vvi_contact_step *w, vvi_sheet_search *search)
{
  const struct vvi_sheets *s = search->sheets;
  struct vvi_features *k = w->features = VVI_ARENA_NEW(w->arena, struct vvi_features, 1);
  if (k == NULL) return VV_NOMEM;
  k->search = search, k->first = w->model->solids->movers;
  k->mover_of = VVI_ARENA_NEW(w->arena, int32_t, s->n_mover + 1);
  k->frame_of = VVI_ARENA_NEW(w->arena, int32_t, k->first + 1);
  k->stale = VVI_ARENA_NEW(w->arena, unsigned char, k->first + 1);
  k->pushed = VVI_ARENA_NEW(w->arena, unsigned char, s->n_mover + 1);
  if (k->mover_of == NULL || k->frame_of == NULL || k->stale == NULL) return VV_NOMEM;
  if (k->pushed == NULL) return VV_NOMEM;
  k->pushed++; /* what is fixed has the mover -1 */
  VV_TRY(name_bodies(w->model, s, w->arena, k));
  for (int32_t i = 0; i < k->first; i++) k->frame_of[i] = -1;
  for (int32_t i = 0; i < s->n_mover; i++) {
    const vvi_sheet_body *b = &s->body[s->body_of_mover[i]];
    if (b->carrier != VVI_CARRY_FRAMES) continue;
    const int32_t mover = w->model->solids->first[b->block - w->model->block] + (int32_t)b->node0 + (i - b->mover0);
    k->mover_of[i] = mover + 1;
    k->frame_of[mover] = i;
  }
  return VV_OK;
}

/* Arrays of all movers, with room for so many points behind the others. */
static bool fit_points(struct vvi_contact_step *w, int32_t points)
{
  struct vvi_features *k = w->features;
  if (points <= k->room) return true;
  int32_t room = k->room > 0 ? k->room : 256;
  while (room < points) room *= 2;
  k->point = vvi_arena_grow(w->arena, k->point, sizeof *k->point, k->room, k->points, room);
  if (k->point == NULL || !vvi_movers_fit(w, k->first + room)) return false;
  k->room = room;
  return true;
}

/* Our mover of one of the search; -1: none in this step. */
static int32_t known_mover(const struct vvi_features *k, int32_t of_search)
{
  return k->mover_of[of_search] - 1;
}

/* Our mover of one of the search; a point gets a number when it is first asked for in a step.  -1: no memory. */
static int32_t mover_of(struct vvi_contact_step *w, int32_t of_search)
{
  struct vvi_features *k = w->features;
  if (known_mover(k, of_search) >= 0) return known_mover(k, of_search);
  if (!fit_points(w, k->points + 1)) return -1;
  const struct vvi_sheets *s = k->search->sheets;
  const vvi_sheet_body *body = &s->body[s->body_of_mover[of_search]];
  const vv_block *b = body->block;
  const int32_t i = k->first + k->points;
  const int64_t node = body->node0 + (of_search - body->mover0);
  w->work[i] = (vvi_working){.block = (int32_t)(b - w->model->block), .node = node, .local = -1};
  b->kind->mover(b, node, w->q + b->q0, w->p + b->p0, &w->near->mover[i]);
  if (w->forced) b->kind->mover(b, node, w->q + b->q0, w->f + b->p0, &w->force[i]);
  k->point[k->points++] = of_search;
  k->given = false;
  k->mover_of[of_search] = i + 1;
  return i;
}

/* Once: what the points of the step have become is told to who keeps them. */
void vvi_features_give(struct vvi_contact_step *w)
{
  struct vvi_features *k = w->features;
  if (k == NULL || k->search->away == NULL || k->given) return;
  vvi_sheet_away_give(k->search, k->points, k->point);
  k->given = true;
}

static void forget_points(struct vvi_features *k)
{
  for (int32_t i = 0; i < k->points; i++) k->mover_of[k->point[i]] = 0;
  k->points = 0;
}

/* ---- motion of frames, as the search sees it ---- */

static void add_reach(const vvi_sheet_body *b, double x[3])
{
  for (int c = 0; b->tip != NULL && c < 3; c++) x[c] += b->tip->reach * b->tip->direction[c];
}

static void place_frame(struct vvi_contact_step *w, int32_t of_search)
{
  const struct vvi_features *k = w->features;
  const vvi_sheet_body *b = &k->search->sheets->body[k->search->sheets->body_of_mover[of_search]];
  const int32_t i = known_mover(k, of_search);
  vvi_sheet_frame *f = &k->search->motion.frame[of_search];
  if (!w->work[i].flown) vvi_mover_fly(w, i, NULL);
  memcpy(f->place_ahead, w->work[i].place, sizeof f->place_ahead);
  memcpy(f->turn_ahead, w->work[i].turn, sizeof f->turn_ahead);
  add_reach(b, f->place_ahead);
}

static void set_frame(struct vvi_contact_step *w, int32_t of_search)
{
  const struct vvi_features *k = w->features;
  const vvi_sheet_body *b = &k->search->sheets->body[k->search->sheets->body_of_mover[of_search]];
  const int32_t i = known_mover(k, of_search);
  const vv_mover *m = &w->near->mover[i];
  vvi_sheet_frame *f = &k->search->motion.frame[of_search];
  vvi_mover_load(w, i);
  memcpy(f->place, m->place, sizeof f->place);
  memcpy(f->turn, m->turn, sizeof f->turn);
  memcpy(f->inverse_mass, m->inverse_mass, sizeof f->inverse_mass);
  memcpy(f->inverse_inertia, m->inverse_inertia, sizeof f->inverse_inertia);
  memcpy(f->velocity, m->velocity, sizeof m->velocity);
  memcpy(f->velocity + 3, m->spin, sizeof m->spin);
  add_reach(b, f->place);
  place_frame(w, of_search);
  memcpy(f->place_free, f->place_ahead, sizeof f->place_free);
  memcpy(f->turn_free, f->turn_ahead, sizeof f->turn_free);
}

static void set_motion(struct vvi_contact_step *w)
{
  struct vvi_features *k = w->features;
  const struct vvi_sheets *s = k->search->sheets;
  vvi_sheet_motion *m = &k->search->motion;
  m->h = w->sign * w->h;
  vvi_features_give(w);
  forget_points(k);
  for (int32_t i = 0; i < s->n_body; i++) {
    const vvi_sheet_body *body = &s->body[i];
    const vv_block *b = body->block;
    if (body->carrier == VVI_CARRY_NONE) continue;
    m->at[i] = vvi_points_of(b, body->node0, w->q, w->p, w->f);
    for (int32_t n = 0; body->carrier == VVI_CARRY_FRAMES && body->shares == 0 && n < body->movers; n++)
      set_frame(w, body->mover0 + n);
  }
  memset(k->stale, 0, (size_t)k->first); /* all were just placed */
}

/* A mover was pushed: frames that hang on it are flown again before anybody looks. */
void vvi_features_changed(struct vvi_contact_step *w, int32_t mover)
{
  struct vvi_features *k = w->features;
  if (mover < k->first && k->frame_of[mover] >= 0) k->stale[mover] = 1;
}

static void refresh_frame(struct vvi_contact_step *w, int32_t mover)
{
  struct vvi_features *k = w->features;
  if (mover >= k->first || !k->stale[mover]) return;
  k->stale[mover] = 0;
  place_frame(w, k->frame_of[mover]);
}

void vvi_features_refresh(struct vvi_contact_step *w)
{
  for (int32_t i = 0; i < w->features->first; i++) refresh_frame(w, i);
}

bool vvi_features_exceed(struct vvi_contact_step *w)
{
  const struct vvi_features *k = w->features;
  bool any = false;
  vvi_features_refresh(w);
  for (int32_t i = 0; k->search->away != NULL && i < k->points; i++)
    if (w->work[k->first + i].touched) vvi_sheet_away_ask_mover(k->search, k->point[i]);
  if (k->search->away != NULL) vvi_sheet_away_learn(k->search);
  for (int32_t i = 0; i < k->points; i++)
    if (w->work[k->first + i].touched) any |= vvi_sheet_exceeds(k->search, k->point[i]);
  for (int32_t i = 0; i < k->first; i++)
    if (vvi_mover_loaded(w, i) && w->work[i].touched && k->frame_of[i] >= 0)
      any |= vvi_sheet_exceeds(k->search, k->frame_of[i]);
  if (k->search->ranks != NULL) { /* of clusters that this one knows */
    int64_t some = any;
    k->search->ranks->net->sum(k->search->ranks->net, 1, &some);
    any = some > 0;
  }
  for (int32_t i = 0; any && i < k->search->sheets->n_cluster; i++)
    k->search->speed[i].allowed = 1.5 * k->search->speed[i].spread;
  return any;
}

void vvi_features_advance(struct vvi_contact_step *w)
{
  vvi_sheet_advance(w->features->search);
}

int64_t vvi_features_cruise(struct vvi_contact_step *w, double h, int64_t most)
{
  return w->features->search->away != NULL ? vvi_sheet_away_cruise(w->features->search, h, most) : 0;
}

/* ---- rows ---- */

/* Legs, supports and speeds of a row for weights and normal; false: nothing can move along it. */
static bool make_rows(struct vvi_contact_step *w, vvi_contact *c)
{
  const vvi_sheet_motion *m = &w->features->search->motion;
  vvi_feature_pair k = {.vertices = c->vertices, .first = w->features->search->near[c->near].a < 0 ? 2 : 1};
  vvi_row rub[2];
  memcpy(k.vertex, c->vertex, sizeof k.vertex);
  memcpy(k.c, c->weight, sizeof k.c);
  memcpy(k.n, c->n, sizeof k.n);
  vvi_across(c->n, c->t);
  c->friction = w->near->solids->rule[c->law].friction;
  c->legs = 0;
  if (!vvi_feature_rows(m, &k, NULL, (const double(*)[3])c->t, c->friction > 0.0 ? rub : NULL)) return false;
  if (c->friction > 0.0 && !(rub[0].n == k.normal.n && rub[1].n == k.normal.n)) c->friction = 0.0;
  const vvi_row *row[3] = {&k.normal, &rub[0], &rub[1]};
  const int axes = c->friction > 0.0 ? 3 : 1;
  if (k.normal.n > c->room) return false;
  memset(c->outside, 0, sizeof c->outside);
  c->open = k.normal.open;
  for (int i = 0; i < 3; i++) {
    c->given[i] = i < axes ? w->sign * row[i]->given : 0.0;
    for (int a = 0; i < axes && a < 3; a++) c->outside[i][a] = row[i]->outside[a], c->outside[i][3 + a] = row[i]->x[a];
  }
  for (int l = 0; l < k.normal.n; l++) {
    const int32_t mover = mover_of(w, k.normal.part[l].mover);
    if (!vvi_mover_moves(&w->near->mover[mover])) continue; /* the row of what is held has given it to the outside */
    vvi_leg *leg = &w->leg[c->first + c->legs++];
    leg->mover = mover;
    for (int i = 0; i < 3; i++)
      for (int a = 0; a < 3; a++) {
        leg->force[i][a] = i < axes ? row[i]->part[l].force[a] : 0.0;
        leg->moment[i][a] = i < axes ? row[i]->part[l].moment[a] : 0.0;
      }
  }
  memset(c->x, 0, sizeof c->x);
  c->gap = -c->offset;
  for (int i = 0; i < c->vertices; i++) {
    c->gap += c->weight[i] * vvi_dot3(c->n, k.x[i]);
    for (int a = 0; a < 3 && c->weight[i] > 0.0; a++) c->x[a] += c->weight[i] * k.x[i][a];
  }
  /* that is a point of the core (the centre of a ball): its surface is where they touch */
  const double half = fmin(m->sheets->body[m->sheets->body_of[c->vertex[0]]].half, c->offset);
  for (int a = 0; a < 3; a++) c->x[a] -= half * c->n[a];
  return c->legs > 0;
}

/* How far two that are d apart shall be: as they are, but not farther than where contacts hold.  Each step may take half of what
 * is left; of two triangles that have come to a thousandth of it the side on which they are would be lost to rounding in the
 * end: they are put back there. */
static double stays_at(const vvi_contact *c, double d)
{
  return fmin(fmax(d, c->vertices == 4 ? NEAREST * c->keep : 0.0), c->keep);
}

static void set_target(vvi_contact *c)
{
  c->target = stays_at(c, c->gap);
}

/* Weights and normal are these; a row that is not the one of before starts anew. */
static bool take(struct vvi_contact_step *w, vvi_contact *c, const vvi_closest *at, double gap)
{
  memcpy(c->weight, at->c, sizeof c->weight);
  memcpy(c->n, at->n, sizeof c->n);
  if (!make_rows(w, c)) return false;
  if (c->vertices == 1) c->gap = gap;
  set_target(c);
  return true;
}

/* ---- contacts ---- */

static int vertices_of(const struct vvi_sheets *s, const vvi_sheet_near *near, int32_t vertex[4])
{
  if (near->v[3] < 0) return vvi_sheet_vertices(s, near->a, near->b, vertex);
  memcpy(vertex, near->v, sizeof near->v);
  return 4;
}

static void name_sides(const struct vvi_contact_step *w, vvi_contact *c)
{
  const vvi_sheet_search *k = w->features->search;
  const struct vvi_sheets *s = k->sheets;
  const vvi_sheet_list *list = &k->list[k->near[c->near].couple];
  const vvi_sheet_body *a = &s->body[s->cluster[list->a].body], *b = &s->body[s->cluster[list->b].body];
  c->body[0] = a->body < b->body ? a->body : b->body, c->body[1] = a->body < b->body ? b->body : a->body;
  /* the first vertex belongs to what gets the impulse */
  const int32_t first = s->body[s->body_of[c->vertex[0]]].body;
  const vvi_sheet_body *gets = a->body == first ? a : b, *gives = a->body == first ? b : a;
  c->patch[0] = vvi_model_patch(w->model, gives->patch), c->patch[1] = vvi_model_patch(w->model, gets->patch);
}

static bool list_nodes(struct vvi_contact_step *w, vvi_contact *c)
{
  const struct vvi_sheets *s = w->features->search->sheets;
  c->node0 = (int32_t)w->n_node, c->nodes = 0, c->turns = false;
  for (int i = 0; i < c->vertices; i++) {
    const int32_t v = c->vertex[i];
    const vvi_sheet_body *b = &s->body[s->body_of[v]];
    if (b->carrier == VVI_CARRY_NONE) continue;
    c->turns |= b->carrier == VVI_CARRY_FRAMES;
    const int32_t from = b->loose ? s->stencil0[v] : 0, to = b->loose ? s->stencil0[v + 1] : 1;
    for (int32_t j = from; j < to; j++) {
      const int32_t m = mover_of(w, b->loose ? s->stencil[j] : s->mover[v]);
      if (m < 0) return false;
      w->node[c->node0 + c->nodes++] = m;
    }
  }
  w->n_node += c->nodes;
  return true;
}

static int32_t most_legs(const struct vvi_sheets *s, const int32_t *vertex, int n)
{
  int32_t sum = 0;
  for (int i = 0; i < n; i++) {
    const bool loose = s->body[s->body_of[vertex[i]]].loose;
    sum += loose ? s->stencil0[vertex[i] + 1] - s->stencil0[vertex[i]] : 1;
  }
  return sum < VVI_ROW_PARTS ? sum : VVI_ROW_PARTS;
}

/* Sums of vertices do not tell in which order they come. */
uint64_t vvi_feature_name(const struct vvi_contact_step *w, const vvi_contact *c)
{
  const struct vvi_sheets *s = w->features->search->sheets;
  const bool edges = w->features->search->near[c->near].a < 0;
  uint64_t sum = edges;
  for (int i = 0; i < c->vertices; i++) {
    const int32_t b = s->body_of[c->vertex[i]], v = c->vertex[i] - s->body[b].vertex0;
    sum += vvi_hash(w->features->name[b], &v, sizeof v);
  }
  return vvi_hash(0, &sum, sizeof sum);
}

typedef struct reader {
  const struct vvi_contact_step *w;
  int32_t group, *out;
  int64_t n;
} reader;

static void add_read(void *user, int32_t of_search)
{
  reader *k = user;
  const int32_t i = known_mover(k->w->features, of_search);
  if (i < 0 || !vvi_mover_loaded(k->w, i) || k->w->work[i].group != k->group) return;
  if (k->out != NULL) k->out[k->n] = i;
  k->n++;
}

int64_t vvi_feature_reads(const struct vvi_contact_step *w, int32_t group, const vvi_contact *c, int32_t *out)
{
  reader k = {.w = w, .group = group, .out = out};
  for (int i = 0; i < c->vertices; i++) vvi_sheet_around(w->features->search->sheets, c->vertex[i], add_read, &k);
  return k.n;
}

/* Of the two bodies alone: what is far away must not change a bit. */
static double keep_of(const vvi_sheet_list *l)
{
  return fmin(KEEP * l->edge, 0.5 * l->closest);
}

static int by_lists(const void *x, const void *y)
{
  const vvi_sheet_near *a = x, *b = y;
  if (a->order != b->order) return a->order < b->order ? -1 : 1;
  return a->place < b->place ? -1 : a->place > b->place;
}

bool vvi_features_make(struct vvi_contact_step *w)
{
  const vvi_sheet_search *k = w->features->search;
  const struct vvi_sheets *s = k->sheets;
  if (!w->features->sorted) vvi_sort(k->near, (size_t)k->n_near, sizeof *k->near, by_lists);
  w->features->sorted = true;
  for (int32_t i = 0; i < k->n_near; i++) {
    const vvi_sheet_near *near = &k->near[i];
    if (!near->active) continue;
    vvi_contact *c = &w->contact[w->n];
    *c = (vvi_contact){
        .near = i, .a = -1, .b = -1, .law = k->list[near->couple].rule, .first = (int32_t)w->n_leg, .looked = -1};
    c->vertices = vertices_of(s, near, c->vertex);
    c->room = most_legs(s, c->vertex, c->vertices);
    if (!vvi_contacts_legs(w, w->n_leg + c->room + 4 * (int64_t)(w->room - w->n - 1))) return false;
    if (!list_nodes(w, c)) return false;
    c->offset = k->list[near->couple].offset;
    c->size = k->list[near->couple].edge, c->keep = keep_of(&k->list[near->couple]);
    c->restitution = w->near->solids->rule[c->law].restitution;
    name_sides(w, c);
    w->n++, w->n_leg += c->room;
  }
  return true;
}

/* ---- after the drift ---- */

/* Groups answer at the same time, in any order: what another one pushes is seen where it would be without contact. */
typedef struct seen_by {
  const struct vvi_contact_step *w;
  int32_t group;
} seen_by;

/* The working mover of one of the search, if another group pushes it; NULL: nobody else does. */
static const vvi_working *of_others(const seen_by *us, int32_t of_search)
{
  const int32_t i = known_mover(us->w->features, of_search);
  if (i < 0 || !vvi_mover_loaded(us->w, i) || us->w->work[i].group < 0) return NULL;
  return us->w->work[i].group != us->group ? &us->w->work[i] : NULL;
}

static void node_seen(const seen_by *us, int32_t body, int32_t node, double x[3])
{
  const vvi_sheet_motion *m = &us->w->features->search->motion;
  const vvi_working *other = of_others(us, node);
  vvi_sheet_node(m, body, node, other == NULL, x);
  if (other == NULL) return;
  vvi_point_fly_with(&m->at[body], node - m->sheets->body[body].mover0, m->h, m->sheets->inverse[node], other->saved,
                     x);
}

static void place_seen(const void *user, int32_t vertex, double x[3])
{
  const seen_by *us = user;
  const vvi_sheet_motion *m = &us->w->features->search->motion;
  const struct vvi_sheets *s = m->sheets;
  const int32_t b = s->body_of[vertex];
  const vvi_sheet_body *body = &s->body[b];
  if (body->carrier == VVI_CARRY_FRAMES && of_others(us, s->mover[vertex]) != NULL) {
    const vvi_sheet_frame *f = &m->frame[s->mover[vertex]];
    vvi_sheet_carried(f->place_free, f->turn_free, s->arm + 3 * (int64_t)vertex, x);
  } else if (body->carrier != VVI_CARRY_POINTS) {
    vvi_sheet_place(m, vertex, true, x);
  } else if (!body->loose) {
    node_seen(us, b, s->mover[vertex], x);
  } else {
    x[0] = x[1] = x[2] = 0.0;
    for (int32_t i = s->stencil0[vertex]; i < s->stencil0[vertex + 1]; i++) {
      double y[3];
      node_seen(us, b, s->stencil[i], y);
      for (int c = 0; c < 3; c++) x[c] += s->weight[i] * y[c];
    }
  }
}

/* One that is pressed now has the row of now; only near ones are worth a look. */
void vvi_feature_look(struct vvi_contact_step *w, int32_t group, vvi_contact *c)
{
  const vvi_sheet_search *k = w->features->search;
  vvi_sheet_near *near = &k->near[c->near];
  double load = 0.0;
  vvi_closest at;
  const seen_by us = {w, group}; /* others are answered at the same time */
  const vvi_sheet_view view = {place_seen, &us};
  for (int32_t i = 0; w->forced && i < c->nodes; i++) {
    const vv_mover *a = &w->force[w->node[c->node0 + i]];
    load = fmax(load, vvi_norm3(a->velocity));
  }
  if (near->d > c->keep + 4.0 * w->h * w->h * load) return;
  vvi_sheet_closest(&k->motion, near->a, near->b, false, &at);
  near->d = at.d - c->offset, near->parted = false;
  memcpy(near->n, at.n, sizeof at.n);
  if (near->d > c->keep + 4.0 * w->h * w->h * load || !vvi_sheet_is_local(&k->motion, &view, near->a, near->b, &at))
    return;
  if (!take(w, c, &at, near->d)) c->legs = 0;
}

/* Weights and normal of the end, or of the crossing on the way.                                             [sheets 9] */
static bool meets(struct vvi_contact_step *w, const vvi_sheet_view *view, const vvi_contact *c, vvi_sheet_near *near,
                  double goal, vvi_closest *at)
{
  const vvi_sheet_search *k = w->features->search;
  const vvi_sheet_motion *m = &k->motion;
  const int n = c->vertices;
  double x[4][3], y[4][3], time;
  if (n == 4) {
    const vvi_feature f = near->a < 0 ? VVI_EDGE_EDGE : VVI_VERTEX_FACE;
    for (int i = 0; i < n; i++) vvi_sheet_place(m, c->vertex[i], true, y[i]);
    double apart = vvi_separation(f, (const double(*)[3])y, near->n);
    if (near->parted && apart - c->offset < goal) { /* which side it is on is known from now */
      vvi_closest now;
      vvi_sheet_closest(m, near->a, near->b, false, &now);
      near->d = now.d - c->offset, near->parted = false;
      memcpy(near->n, now.n, sizeof now.n);
      apart = vvi_separation(f, (const double(*)[3])y, near->n);
    }
    if (apart - c->offset >= goal) return false;
    if (apart <= 0.0) {
      for (int i = 0; i < n; i++) vvi_sheet_place(m, c->vertex[i], false, x[i]);
      if (vvi_crossing(f, (const double(*)[3])x, (const double(*)[3])y, SLACK * k->list[near->couple].edge, &time, at))
        return true;
    }
    vvi_closest_at(f, (const double(*)[3])y, at);
    if (at->d == 0.0) memcpy(at->n, near->n, sizeof at->n);
  } else {
    vvi_sheet_closest(m, near->a, near->b, true, at);
  }
  return at->d - c->offset < goal && vvi_sheet_is_local(m, view, near->a, near->b, at);
}

/* Most near pairs only pass by: those that would meet, or are as near as contacts that hold, become contacts. */
static bool matters(struct vvi_contact_step *w, vvi_sheet_near *near)
{
  const vvi_sheet_search *k = w->features->search;
  const struct vvi_sheets *s = k->sheets;
  const double keep = keep_of(&k->list[near->couple]);
  vvi_contact c = {.offset = k->list[near->couple].offset};
  vvi_closest at;
  if (near->d <= keep) return true;
  c.vertices = vertices_of(s, near, c.vertex);
  return meets(w, NULL, &c, near, keep, &at);
}

/* Where contact has not acted yet a plane that holds a pair apart by the margin does so after the drift, too: farther than
 * contacts hold, with as much again for rounding. */
static bool is_parted(const struct vvi_contact_step *w, const vvi_sheet_near *near)
{
  const vvi_sheet_list *l = &w->features->search->list[near->couple];
  return near->parted && l->margin >= 2.0 * keep_of(l);
}

/* The first answer of `meets`, where the search has just found where all of it will be. */
static bool passes_by(const struct vvi_contact_step *w, const vvi_sheet_near *near)
{
  const vvi_sheet_search *k = w->features->search;
  const vvi_sheet_list *l = &k->list[near->couple];
  double y[4][3];
  if (near->v[3] < 0 || near->d <= keep_of(l)) return false;
  for (int i = 0; i < 4; i++) memcpy(y[i], k->y + 3 * (int64_t)near->v[i], sizeof y[i]);
  const vvi_feature f = near->a < 0 ? VVI_EDGE_EDGE : VVI_VERTEX_FACE;
  return vvi_separation(f, (const double(*)[3])y, near->n) - l->offset >= keep_of(l);
}

/* What a plane of old holds apart is listed as near although it may be far: which planes there are depends on when lists were
 * built, and what becomes a contact must not. */
static bool is_near(const struct vvi_contact_step *w, vvi_sheet_near *near)
{
  const vvi_sheet_search *k = w->features->search;
  const vvi_sheet_list *l = &k->list[near->couple];
  if (near->parted) {
    vvi_closest now;
    vvi_sheet_closest(&k->motion, near->a, near->b, false, &now);
    near->d = now.d - l->offset, near->parted = false;
    memcpy(near->n, now.n, sizeof now.n);
  }
  return near->d - l->step < l->margin + 1e-9 * (l->offset + l->margin);
}

/* all: contacts have made some faster than the search was told, and who they meet is not known. */
static void find_active(struct vvi_contact_step *w, bool all)
{
  struct vvi_features *k = w->features;
  const int32_t n = k->search->n_near;
  int32_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum) num_threads(w->threads) if (n >= PARALLEL_FROM)
  for (int32_t i = 0; i < n; i++) {
    vvi_sheet_near *near = &k->search->near[i];
    near->active = all ? is_near(w, near) : !is_parted(w, near) && !passes_by(w, near) && matters(w, near);
    sum += near->active;
  }
  k->actives = sum;
}

/* ---- over ranks ---- */

/* Those of this rank that become contacts, the first `known` of all are some already: then all ranks have those of all,
 * and what they read.  -1 instead of how many: some rank has no memory. */
static bool take_all(struct vvi_contact_step *w, int32_t known, bool good, const unsigned char *takes)
{
  struct vvi_features *k = w->features;
  vvi_sheet_search *search = k->search;
  vvi_sheet_ranks *r = search->ranks;
  const vv_net *net = r->net;
  int64_t all = known, n = 0, at = 0;
  for (int32_t i = 0; good && i < k->n_mine; i++) n += takes[i] == 1;
  for (int i = 0; i < net->ranks; i++) r->ones[i] = 1;
  r->wishes[net->rank] = good ? n : -1;
  net->all(net, r->ones, sizeof n, r->wishes);
  for (int i = 0; i < net->ranks; i++) {
    good &= r->wishes[i] >= 0;
    if (i == net->rank) at = all;
    all += r->wishes[i];
  }
  if (!good || all > INT32_MAX || !vvi_sheet_near_fit(search, all)) return false;
  for (int32_t i = 0; i < k->n_mine; i++)
    if (takes[i] == 1) search->near[at++] = k->mine[i];
  if (all > known) net->all(net, r->wishes, sizeof *search->near, search->near + known);
  if (!vvi_sheet_spread_pairs(search, (int32_t)(all - known), search->near + known)) return false;
  k->sorted = all == known && k->sorted; /* later: contacts that there are know where theirs stand */
  search->n_near = k->actives = (int32_t)all;
  for (int64_t i = known; i < all; i++) search->near[i].active = true;
  return true;
}

/* After a search: what it found is this rank's; contacts are those of all ranks. */
static bool share_active(struct vvi_contact_step *w, bool good)
{
  struct vvi_features *k = w->features;
  if (k->search->ranks == NULL) return good;
  const int32_t n = good ? k->search->n_near : 0;
  if (n > k->mine_room) {
    k->mine_room = 2 * (int64_t)n;
    k->mine = VVI_ARENA_NEW(w->arena, vvi_sheet_near, k->mine_room);
    k->taken = VVI_ARENA_NEW(w->arena, unsigned char, k->mine_room);
    good = k->mine != NULL && k->taken != NULL;
  }
  k->n_mine = good ? n : 0;
  for (int32_t i = 0; i < k->n_mine; i++) k->mine[i] = k->search->near[i], k->taken[i] = k->mine[i].active;
  return take_all(w, 0, good, k->taken);
}

/* all: as find_active.  Else what planes hold apart need not be there at once, where all near pairs are of this rank and last. */
static bool collect(struct vvi_contact_step *w, bool all)
{
  struct vvi_features *k = w->features;
  vvi_sheet_search *search = k->search;
  search->parts = !all && search->ranks == NULL && search->gone == NULL;
  const bool good = vvi_sheet_collect(search);
  search->parts = false;
  k->sorted = search->ranks == NULL;
  if (good) find_active(w, all);
  return share_active(w, good);
}

bool vvi_features_collect(struct vvi_contact_step *w)
{
  set_motion(w);
  vvi_sheet_measure(w->features->search);
  return collect(w, false);
}

/* After a collection that is wider. */
bool vvi_features_again(struct vvi_contact_step *w)
{
  return collect(w, true);
}

static bool is_touched(const struct vvi_contact_step *w, int32_t of_search)
{
  const int32_t i = known_mover(w->features, of_search);
  return i >= 0 && vvi_mover_loaded(w, i) && w->work[i].touched;
}

/* Marks what contact has pushed. */
static void mark_touched(struct vvi_contact_step *w, unsigned char to)
{
  struct vvi_features *k = w->features;
  for (int32_t i = 0; i < k->points; i++)
    if (is_touched(w, k->point[i])) k->pushed[k->point[i]] = to;
  for (int32_t i = 0; i < k->first; i++)
    if (k->frame_of[i] >= 0 && is_touched(w, k->frame_of[i])) k->pushed[k->frame_of[i]] = to;
}

/* Has contact pushed something that a near pair hangs on? */
static bool is_pushed(const struct vvi_contact_step *w, const vvi_sheet_near *near)
{
  const vvi_sheet_search *k = w->features->search;
  return vvi_sheet_is_pushed(k->sheets, &k->pair[k->list[near->couple].first + near->place], w->features->pushed);
}

/* Over ranks: of the pairs of this one; those that join go to all. */
static bool join_mine(struct vvi_contact_step *w, bool all)
{
  enum { JOINS = 1, KNOWN = 2 };
  struct vvi_features *k = w->features;
  const vv_net *net = k->search->ranks->net;
  int64_t sum[2] = {0, 0}; /* that join; of these, that would meet */
  for (int32_t i = 0; i < k->n_mine; i++) {
    const bool known = k->taken[i] != 0, may = !known && is_pushed(w, &k->mine[i]) && is_near(w, &k->mine[i]);
    const bool meets_now = may && matters(w, &k->mine[i]), joins = meets_now || (may && all);
    k->taken[i] = joins ? JOINS : known ? KNOWN : 0;
    sum[0] += joins, sum[1] += meets_now;
  }
  net->sum(net, 2, sum);
  if (sum[0] > 0 && !take_all(w, k->search->n_near, true, k->taken)) return false;
  return sum[1] > 0;
}

typedef struct joining {
  struct vvi_contact_step *w;
  bool all;   /* that are near; else those that would meet */
  bool meets; /* one does */
} joining;

/* Does a pair join that hangs on what was pushed?  Others do not matter for it. */
static bool joins(joining *k, vvi_sheet_near *near)
{
  if (!is_near(k->w, near)) return false;
  const bool meets_now = matters(k->w, near);
  near->active = meets_now || k->all;
  if (!near->active) return false;
#pragma omp critical(vvi_features_join)
  {
    k->meets |= meets_now;
    k->w->features->actives++;
  }
  return true;
}

/* One that was set aside: behind all others, until they are put in order. */
static void join_aside(joining *k, vvi_sheet_aside *aside)
{
  struct vvi_features *f = k->w->features;
  if (aside->couple < 0 || !vvi_sheet_is_pushed(f->search->sheets, &f->search->pair[aside->at], f->pushed)) return;
  vvi_sheet_near near = vvi_sheet_near_of(f->search, aside->couple, aside->at);
  if (!joins(k, &near)) return;
  aside->couple = -1;
#pragma omp critical(vvi_features_join)
  {
    f->search->near[f->search->n_near++] = near;
    f->sorted = false;
  }
}

/* Near pairs, and those that were set aside: these lie far apart, and are asked for ahead. */
static void join_piece(joining *k, int64_t from, int64_t to, int32_t near)
{
  enum { AHEAD = 8 };
  vvi_sheet_search *search = k->w->features->search;
  for (int64_t i = from; i < to; i++) {
    if (i + AHEAD >= near && i + AHEAD < to) __builtin_prefetch(search->pair[search->aside[i + AHEAD - near].at].v);
    if (i >= near)
      join_aside(k, &search->aside[i - near]);
    else if (!search->near[i].active && is_pushed(k->w, &search->near[i]))
      joins(k, &search->near[i]);
  }
}

bool vvi_features_join(struct vvi_contact_step *w, bool all)
{
  enum { PIECE = 256 };
  joining k = {.w = w, .all = all};
  vvi_sheet_search *search = w->features->search;
  const int32_t near = search->n_near;
  const int64_t n = near + search->n_aside;
  vvi_features_refresh(w);
  mark_touched(w, 1);
  if (search->ranks != NULL) {
    k.meets = join_mine(w, all);
  } else if (w->threads > 1 && n >= PARALLEL_FROM) {
#pragma omp parallel for schedule(static) num_threads(w->threads)
    for (int64_t i = 0; i < n; i += PIECE) join_piece(&k, i, i + PIECE < n ? i + PIECE : n, near);
  } else {
    join_piece(&k, 0, n, near);
  }
  mark_touched(w, 0);
  return k.meets;
}

/* Its own way must close: a pair that opens along its row is not pushed. */
static bool way_closes(const struct vvi_contact_step *w, const vvi_contact *c)
{
  double u[3];
  vvi_contact_velocity(w, c, false, u);
  return c->gap + w->h * u[0] < vvi_contact_goal(c);
}

/* A row of the end that takes no moment does not move its points along n alone: its gap is what makes the straight way of the
 * row end where they do. */
static void aim(const struct vvi_contact_step *w, vvi_contact *c)
{
  double u[3], y[3], end = -c->offset;
  if (c->vertices == 1) return;
  for (int i = 0; i < c->vertices; i++) {
    vvi_sheet_place(&w->features->search->motion, c->vertex[i], true, y);
    end += c->weight[i] * vvi_dot3(c->n, y);
  }
  vvi_contact_velocity(w, c, false, u);
  c->gap = end - w->h * u[0];
  c->target = stays_at(c, w->features->search->near[c->near].d); /* of where they are */
}

bool vvi_feature_closes(struct vvi_contact_step *w, int32_t group, vvi_contact *c)
{
  vvi_sheet_near *near = &w->features->search->near[c->near];
  const double goal = (c->hits > 0 ? 0.5 : 1.0) * stays_at(c, near->d) - vvi_contact_slack(c);
  vvi_closest at;
  const int64_t version = vvi_contact_version(w, c);
  if (c->looked == version) return c->closing;
  for (int32_t i = 0; i < c->nodes; i++) refresh_frame(w, w->node[c->node0 + i]);
  c->looked = version;
  c->closing = false;
  const seen_by us = {w, group};
  const vvi_sheet_view view = {place_seen, &us};
  if (!meets(w, &view, c, near, goal, &at) || !take(w, c, &at, near->d)) return false;
  aim(w, c);
  c->closing = way_closes(w, c);
  if (!c->closing &&
      c->vertices == 1) { /* a chord through a round obstacle may leave where it ends: the plane of now */
    memcpy(at.n, near->n, sizeof at.n);
    c->closing = take(w, c, &at, near->d) && way_closes(w, c);
  }
  return c->closing;
}

static void vertex_ahead(const struct vvi_contact_step *w, int32_t v, double y[3])
{
  const struct vvi_features *k = w->features;
  const struct vvi_sheets *s = k->search->sheets;
  const vvi_sheet_body *b = &s->body[s->body_of[v]];
  if (b->carrier == VVI_CARRY_NONE) {
    memcpy(y, s->fixed + 3 * (int64_t)v, 3 * sizeof *y);
  } else if (b->loose) {
    y[0] = y[1] = y[2] = 0.0;
    for (int32_t i = s->stencil0[v]; i < s->stencil0[v + 1]; i++)
      for (int c = 0; c < 3; c++) y[c] += s->weight[i] * w->work[known_mover(k, s->stencil[i])].place[c];
  } else {
    const vvi_working *m = &w->work[known_mover(k, s->mover[v])];
    if (b->carrier == VVI_CARRY_POINTS)
      memcpy(y, m->place, 3 * sizeof *y);
    else
      vvi_sheet_carried(m->place, m->turn, s->arm + 3 * (int64_t)v, y);
    add_reach(b, y);
  }
}

double vvi_feature_ahead(const struct vvi_contact_step *w, const vvi_contact *c)
{
  const vvi_sheet_search *k = w->features->search;
  double y[3], n[3], sum = -c->offset;
  for (int i = 0; i < c->vertices; i++) {
    vertex_ahead(w, c->vertex[i], y);
    if (c->vertices == 1)
      return vvi_obstacle_distance(k->sheets->body[-1 - k->near[c->near].b].obstacle, y, n) - c->offset;
    sum += c->weight[i] * vvi_dot3(c->n, y);
  }
  return sum;
}

void vvi_features_forget(struct vvi_contact_step *w)
{
  vvi_sheet_forget(w->features->search);
}
