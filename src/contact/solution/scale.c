/* contact/solution/scale.c  Impacts of bodies that bend, judged by the energy that their flight keeps.
 *
 * Kick-drift-kick of a nonlinear body keeps a shadow energy H~, not H, and impulses P change it by P.(z(p) + z(p + P))/2, as they
 * change T by P.(v(p) + v(p + P))/2 [contact 22]: the inverse mass has become B (contact/solution/shadow.c).  Rows, law and solver stay
 * what they are; what they find for contacts that hang together is scaled along itself, s P, so that it is the same multiple
 * 1 + e of the impulse of least shadow energy that it was of the one of least T:
 *
 *   a = P.z(p),  b = P.(z(p + P) - z(p)),   s = -(1 + e) a/b,   1 + e = -P.M^-1 P/(P.v)                           [shadow 5]
 *
 * For one contact that is z_n -> -e z_n.  Momenta are exchanged by the same rows and stay exact. */
#include "base/sort.h"
#include "contact/broad/away.h"
#include "contact/broad/ranks.h"
#include "contact/contact.h"
#include "contact/solution/shadow.h"
#include "math/math.h"

#include <stdlib.h>
#include <string.h>

enum { TRIES = 3, NOWHERE = -2 };

/* Contacts with impulses, and the movers that they connect.  Whatever else is near makes no difference: which pairs a search
 * knows must not change a bit.  Sums go through contacts in their order, and through the nodes of each. */
typedef struct part {
  int32_t group;
  int32_t contact, last_contact; /* the first and the last of its contacts, */
  int32_t mover, last_mover;     /* and movers; -1: none */
  bool ordinary;                 /* it holds, or was calmed or frozen */
  bool fresh;                    /* some node of it that bends was not pushed in the last step */
  bool bends, features, exact;   /* exact: e = 1, no friction */
  double ratio;                  /* the largest step over the stable one of its bodies */
  int32_t lead, beside;          /* parts that have one scale: their first, and the next; -1: the last */
} part;

struct vvi_scaling {
  vvi_shadow *shadow;
  double (*z)[3][6]; /* [movers] without and with the impulses of the step, and with half of them */
  int32_t *next;     /* [movers] of its part, -1: the last, NOWHERE: in none */
  int32_t *part_of;  /* [movers] of those that stand for a part; -1: none */
  int32_t *told;     /* [movers] over ranks: movers whose z goes to all, */
  double *rows;      /* [movers] and these, as z */
  int32_t **hit;     /* [n_block][bodies of the block] the part that hit a body; -1: none.  NULL: it does not bend */
  int32_t movers;
  part *part; /* [room] */
  int32_t parts, room;
  vvi_pushes last;                            /* of the step before; no room: nobody asks; */
  double (*push)[VVI_PUSH];                   /* [room of these] and of this one, */
  int64_t pushes;                             /* so many; -1: there is no room for them */
  double stray, found, ahead, findable, held; /* J^2, J, J, J^2, J: of the step */
};

static vv_status make_hit(struct vvi_contact_step *w)
{
  const vv_model *m = w->model;
  if ((w->scaling->hit = VVI_ARENA_NEW(w->arena, int32_t *, m->n_block)) == NULL) return VV_NOMEM;
  for (int i = 0; i < m->n_block; i++) {
    if (!w->scaling->shadow->bends[i]) continue;
    int32_t *hit = w->scaling->hit[i] = VVI_ARENA_NEW(w->arena, int32_t, m->block[i].n_body + 1);
    if (hit == NULL) return VV_NOMEM;
    for (int32_t j = 0; j <= m->block[i].n_body; j++) hit[j] = -1;
  }
  return VV_OK;
}

vv_status vvi_scaling_create(struct vvi_contact_step *w, double h)
{
  vvi_shadow *shadow;
  VV_TRY(vvi_shadow_create(w->model, w->arena, h, &shadow));
  if (shadow == NULL) return VV_OK;
  if ((w->scaling = VVI_ARENA_NEW(w->arena, struct vvi_scaling, 1)) == NULL) return VV_NOMEM;
  w->scaling->shadow = shadow, w->scaling->last = vvi_contact_pushes(w);
  w->scaling->push = vvi_arena_alloc(w->arena, sizeof *w->scaling->push * (size_t)(w->scaling->last.room + 1));
  if (w->scaling->push == NULL) return VV_NOMEM;
  VV_TRY(make_hit(w));
  return vvi_shadow_zones(shadow, w->arena);
}

vv_status vvi_scaling_away(struct vvi_contact_step *w)
{
  const vvi_sheet_away *away = w->features->search->away;
  if (w->scaling == NULL) return VV_OK;
  w->scaling->shadow->user = away->user, w->scaling->shadow->fly = away->fly;
  for (int i = 0; i < w->model->n_block; i++)
    if (away->flies(away->user, i)) VV_TRY(vvi_shadow_away(w->scaling->shadow, i));
  return VV_OK;
}

/* ---- z ---- */

/* m/s that an impulse changes a mover by. */
static void change_of(const vv_mover *m, const double impulse[6], double change[6])
{
  vvi_times6(m->inverse_mass, impulse, change);
  vvi_times6(m->inverse_inertia, impulse + 3, change + 3);
}

static bool bends(const struct vvi_contact_step *w, const vvi_working *m)
{
  return w->scaling->shadow->bends[m->block] && m->touched;
}

/* The vector that turns by R1 R0^T: 0, to the bit, where they are the same, as those of points are. */
static void turn_between(const double r0[9], const double r1[9], double out[3])
{
  out[0] = out[1] = out[2] = 0.0;
  if (memcmp(r0, r1, 9 * sizeof *r0) == 0) return;
  double d[9] = {0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) d[3 * i + j] += r1[3 * i + k] * r0[3 * j + k];
  const double axis[3] = {0.5 * (d[7] - d[5]), 0.5 * (d[2] - d[6]), 0.5 * (d[3] - d[1])};
  const double sine = vvi_norm3(axis), angle = atan2(sine, 0.5 * (d[0] + d[4] + d[8] - 1.0));
  const double s = sine > 1e-8 ? angle / sine : 1.0;
  for (int c = 0; c < 3; c++) out[c] = s * axis[c];
}

typedef struct adder {
  struct vvi_contact_step *w;
  int with;
} adder;

static bool is_scaled(const part *p)
{
  return p->bends && !p->ordinary;
}

/* What its impulses do to the shadow energy is asked of trial flights: it is scaled, or forces of the last step cannot tell. */
static bool is_flown(const part *p)
{
  return p->bends && (!p->ordinary || p->fresh);
}

static const vvi_shadow_fit *fit_of(const struct vvi_contact_step *w, const part *p)
{
  return vvi_shadow_fit_of(w->scaling->shadow, p->ratio, p->exact ? VVI_SHADOW_EXACT : VVI_SHADOW_LOSSY);
}

/* Adds what the movers of all parts that are flown have moved and turned, by the fit of their part. */
static void add_places(void *user, int step, double h, const double *q, const double *p)
{
  const adder *a = user;
  struct vvi_contact_step *w = a->w;
  struct vvi_scaling *k = w->scaling;
  for (int32_t i = 0; i < k->parts; i++) {
    const double weight = fit_of(w, &k->part[i])->c[step] / h;
    if (!is_flown(&k->part[i]) || weight == 0.0) continue;
    for (int32_t n = k->part[i].mover; n >= 0; n = k->next[n]) {
      const vvi_working *m = &w->work[n];
      const vv_mover *at = &w->near->mover[n];
      const vv_block *b = &w->model->block[m->block];
      double turn[3], *z = k->z[n][a->with];
      vv_mover to;
      if (!bends(w, m)) continue;
      b->kind->mover(b, m->node, q + b->q0, p + b->p0, &to);
      turn_between(at->turn, to.turn, turn);
      for (int c = 0; c < 3; c++) {
        z[c] += w->sign * weight * (to.place[c] - at->place[c]);
        z[3 + c] += w->sign * weight * turn[c];
      }
    }
  }
}

/* Momenta with a share of what contacts gave: 0, before they acted; 1, as they are. */
static void begin_with(void *user, double *p)
{
  static const double part_of[3] = {0.0, 1.0, 0.5};
  const adder *a = user;
  const struct vvi_contact_step *w = a->w;
  const double share = part_of[a->with];
  for (int32_t g = 0; share != 1.0 && g < w->groups; g++)
    for (int32_t i = 0; i < w->group[g].movers; i++) {
      const vvi_working *m = &w->work[w->group[g].mover[i]];
      const vv_block *b = &w->model->block[m->block];
      double at[VVI_NODE_P];
      if (!m->touched) continue;
      const int n = vvi_node_momenta(b, m->node, p, at);
      for (int c = 0; c < n; c++) at[c] = m->saved[c] + share * (at[c] - m->saved[c]);
      vvi_node_put(b, m->node, at, p);
    }
}

/* The mover of the search that a mover with an owner is; -1: all ranks have it. */
static int32_t of_search(const struct vvi_contact_step *w, int32_t n)
{
  return n >= w->features->first ? w->features->point[n - w->features->first] : -1;
}

/* Over ranks: z of points is known to who moves them. */
static bool tell_ranks(struct vvi_contact_step *w)
{
  struct vvi_scaling *k = w->scaling;
  const int reals = (int)(sizeof *k->z / sizeof(double));
  int32_t n = 0;
  if (w->features == NULL || w->features->search->ranks == NULL) return true;
  for (int32_t i = 0; i < k->parts; i++)
    for (int32_t m = is_flown(&k->part[i]) ? k->part[i].mover : -1; m >= 0; m = k->next[m], n++)
      k->told[n] = of_search(w, m), memcpy(k->rows + (int64_t)reals * n, k->z[m], sizeof k->z[m]);
  if (!vvi_sheet_spread_rows(w->features->search, n, k->told, reals, k->rows)) return false;
  n = 0;
  for (int32_t i = 0; i < k->parts; i++)
    for (int32_t m = is_flown(&k->part[i]) ? k->part[i].mover : -1; m >= 0; m = k->next[m], n++)
      memcpy(k->z[m], k->rows + (int64_t)reals * n, sizeof k->z[m]);
  return true;
}

/* Where an accelerator has the points: those that fly. */
static void bring_zones(struct vvi_contact_step *w)
{
  const vvi_sheet_away *away = w->features != NULL ? w->features->search->away : NULL;
  for (int i = 0; away != NULL && i < w->model->n_block; i++) {
    const vvi_shadow_zone *z = &w->scaling->shadow->zone[i];
    if (z->whole)
      away->bring(away->user, i, w->model->block[i].nodes, NULL);
    else if (z->n[0] > 0)
      away->bring(away->user, i, z->n[0], z->node[0]);
  }
}

/* Of the movers of parts that are flown; what does not bend has z = v.  Others fly only as far as these feel them. */
static bool velocities(struct vvi_contact_step *w)
{
  struct vvi_scaling *k = w->scaling;
  adder a[3] = {{.w = w, .with = 0}, {.w = w, .with = 1}, {.w = w, .with = 2}};
  void *const user[3] = {&a[0], &a[1], &a[2]};
  int trials = 0;
  bool exact = false;
  for (int32_t i = 0; i < k->parts; i++)
    if (is_flown(&k->part[i])) {
      exact |= k->part[i].exact;
      if (fit_of(w, &k->part[i])->trials > trials) trials = fit_of(w, &k->part[i])->trials;
    }
  vvi_shadow_none(k->shadow, trials);
  for (int32_t i = 0; i < k->parts; i++)
    for (int32_t n = is_flown(&k->part[i]) ? k->part[i].mover : -1; n >= 0; n = k->next[n]) {
      const vvi_working *m = &w->work[n];
      const vv_mover *at = &w->near->mover[n];
      double change[6], (*z)[6] = k->z[n];
      memset(z, 0, sizeof k->z[n]);
      if (bends(w, m)) {
        vvi_shadow_want(k->shadow, m->block, m->node);
        continue;
      }
      change_of(at, m->impulse, change);
      for (int c = 0; c < 3; c++) z[0][c] = w->sign * at->velocity[c], z[0][3 + c] = w->sign * at->spin[c];
      for (int c = 0; c < 6; c++) z[1][c] = z[0][c] + change[c], z[2][c] = z[0][c] + 0.5 * change[c];
    }
  for (int32_t g = 0; g < w->groups; g++)
    for (int32_t i = 0; i < w->group[g].movers; i++) {
      const vvi_working *m = &w->work[w->group[g].mover[i]];
      if (m->touched) vvi_shadow_pushed(k->shadow, m->block, m->node);
    }
  vvi_shadow_spread(k->shadow);
  bring_zones(w);
  const vvi_shadow_flight from = {.t = w->t, .h = w->h, .q = w->q, .p = w->p, .f = w->f, .begin = begin_with};
  return vvi_shadow_fly(k->shadow, &from, exact ? 3 : 2, add_places, user) && tell_ranks(w);
}

/* ---- parts ---- */

static bool fit_arrays(struct vvi_contact_step *w)
{
  struct vvi_scaling *k = w->scaling;
  int32_t contacts = 0;
  for (int32_t g = 0; g < w->groups; g++) contacts += w->group[g].n;
  if (k->movers < w->movers) {
    k->z = vvi_arena_alloc(w->arena, sizeof *k->z * (size_t)w->movers);
    k->next = VVI_ARENA_NEW(w->arena, int32_t, 3 * (int64_t)w->movers);
    k->rows = vvi_arena_alloc(w->arena, sizeof *k->z * (size_t)w->movers);
    k->movers = k->z != NULL && k->next != NULL && k->rows != NULL ? w->movers : 0;
    k->part_of = k->next != NULL ? k->next + w->movers : NULL;
    k->told = k->next != NULL ? k->part_of + w->movers : NULL;
  }
  if (k->room < contacts) {
    const int32_t room = 2 * contacts + 16;
    k->part = VVI_ARENA_NEW(w->arena, part, room);
    k->room = k->part != NULL ? room : 0;
  }
  return k->movers >= w->movers && k->room >= contacts;
}

static bool has_acted(const vvi_contact *c)
{
  return c->j[0] > 0.0;
}

/* The next node of a contact that was pushed, from the k-th on; -1: none. */
static int32_t touched_node(const struct vvi_contact_step *w, const vvi_contact *c, int32_t *k)
{
  for (; *k < c->nodes; ++*k) {
    const int32_t n = w->node[c->node0 + *k];
    if (w->work[n].touched && w->work[n].moves) return n;
  }
  return -1;
}

static void connect(struct vvi_contact_step *w)
{
  for (int32_t g = 0; g < w->groups; g++)
    for (int32_t i = 0; i < w->group[g].movers; i++) {
      const int32_t n = w->group[g].mover[i];
      w->root[n] = n, w->scaling->part_of[n] = -1, w->scaling->next[n] = NOWHERE;
    }
  for (int32_t g = 0; g < w->groups; g++)
    for (int32_t i = 0; i < w->group[g].n; i++) {
      const vvi_contact *c = &w->contact[w->group[g].member[i]];
      int32_t k = 0, first = has_acted(c) ? touched_node(w, c, &k) : -1;
      for (int32_t n = first; n >= 0; k++, n = touched_node(w, c, &k)) vvi_group_join(w->root, first, n);
    }
}

/* What holds with e < 1 is answered by ordinary rows (with e = 1 all are reflections). */
static bool is_ordinary(const vvi_contact *c)
{
  return c->calm || (c->restitution < 1.0 && (c->pressed || c->block || c->steady > 0.0));
}

static double place_of(const struct vvi_contact_step *w, int32_t n)
{
  return (double)(w->model->block[w->work[n].block].p0 + w->work[n].node);
}

static int by_place(const void *x, const void *y)
{
  const double *a = x, *b = y;
  return (a[0] > b[0]) - (a[0] < b[0]);
}

/* What a mover got in the last step; NULL: nothing. */
static const double *last_push(const struct vvi_contact_step *w, int32_t n)
{
  const vvi_pushes *l = &w->scaling->last;
  const double place = place_of(w, n);
  return bsearch(&place, l->first, (size_t)*l->n, VVI_PUSH * sizeof(double), by_place);
}

static void add_mover(struct vvi_contact_step *w, part *p, int32_t n)
{
  struct vvi_scaling *k = w->scaling;
  const vvi_working *m = &w->work[n];
  k->next[n] = -1;
  if (p->last_mover >= 0) k->next[p->last_mover] = n;
  p->mover = p->mover >= 0 ? p->mover : n, p->last_mover = n;
  p->ordinary |= m->frozen || vvi_mover_still(m);
  p->ratio = fmax(p->ratio, vvi_shadow_ratio(k->shadow, m->block, m->node));
  p->bends = p->ratio > 0.0;
  p->fresh |= k->last.room > 0 && bends(w, m) && last_push(w, n) == NULL;
}

static void add_contact(struct vvi_contact_step *w, int32_t group, int32_t i)
{
  struct vvi_scaling *k = w->scaling;
  vvi_contact *c = &w->contact[i];
  int32_t at = 0;
  const int32_t first = touched_node(w, c, &at), root = first >= 0 ? vvi_group_of(w->root, first) : -1;
  c->part = -1;
  if (first < 0) return;
  if (k->part_of[root] < 0) {
    k->part_of[root] = k->parts++;
    k->part[k->part_of[root]] =
        (part){.group = group, .contact = -1, .last_contact = -1, .mover = -1, .last_mover = -1, .exact = true};
  }
  part *p = &k->part[k->part_of[root]];
  c->part = k->part_of[root], c->next = -1;
  if (p->last_contact >= 0) w->contact[p->last_contact].next = i;
  p->contact = p->contact >= 0 ? p->contact : i, p->last_contact = i;
  p->ordinary |= is_ordinary(c), p->features |= c->near >= 0;
  p->exact &= c->restitution == 1.0 && c->friction == 0.0;
  for (int32_t n = first; n >= 0; at++, n = touched_node(w, c, &at))
    if (k->next[n] == NOWHERE) add_mover(w, p, n);
}

static bool make_parts(struct vvi_contact_step *w)
{
  bool any = false;
  w->scaling->parts = 0;
  connect(w);
  for (int32_t g = 0; g < w->groups; g++)
    for (int32_t i = 0; i < w->group[g].n; i++)
      if (has_acted(&w->contact[w->group[g].member[i]])) add_contact(w, g, w->group[g].member[i]);
  for (int32_t i = 0; i < w->scaling->parts; i++) any |= is_flown(&w->scaling->part[i]);
  return any;
}

/* ---- parts of one body ---- */

/* Where the part that hit the body of a mover is noted; NULL: it does not bend. */
static int32_t *hit_of(const struct vvi_contact_step *w, int32_t n)
{
  const vvi_working *m = &w->work[n];
  return bends(w, m) ? &w->scaling->hit[m->block][vv_body_of_node(&w->model->block[m->block], m->node)] : NULL;
}

static int32_t lead_of(const part *all, int32_t i)
{
  while (all[i].lead != i) i = all[i].lead;
  return i;
}

/* Blows side by side on one body feel each other through its elements: what they do to its energy together is known of one scale for
 * all of them, and of no others.  Where something is lost anyway each has its own.                             [shadow 5b] */
static void join_parts(struct vvi_contact_step *w)
{
  struct vvi_scaling *k = w->scaling;
  for (int32_t i = 0; i < k->parts; i++) {
    part *p = &k->part[i];
    p->lead = i, p->beside = -1;
    for (int32_t n = is_scaled(p) && p->exact ? p->mover : -1; n >= 0; n = k->next[n]) {
      int32_t *hit = hit_of(w, n);
      if (hit == NULL) continue;
      const int32_t a = lead_of(k->part, i), b = *hit >= 0 ? lead_of(k->part, *hit) : a;
      k->part[a > b ? a : b].lead = a < b ? a : b;
      *hit = i;
    }
  }
  for (int32_t i = k->parts - 1; i >= 0; i--) {
    part *p = &k->part[i];
    for (int32_t n = is_scaled(p) && p->exact ? p->mover : -1; n >= 0; n = k->next[n])
      if (hit_of(w, n) != NULL) *hit_of(w, n) = -1;
    if ((p->lead = lead_of(k->part, i)) == i) continue;
    p->beside = k->part[p->lead].beside, k->part[p->lead].beside = i;
  }
}

/* ---- measures ---- */

typedef struct measure {
  double a, b, c;          /* J: P.z, P.dz; how far z is from linear on the way, of exact parts */
  double plain_a, plain_b; /* J: P.v, P.dv */
  double size, owed;       /* N s: all normal impulses; J: debts, weighted by them */
  double work;             /* J: what its rows did to T */
  double speed;            /* J: (v + v+).M (v + v+) of what bends */
} measure;

static void measure_contacts(const struct vvi_contact_step *w, const part *p, measure *r)
{
  *r = (measure){0};
  for (int32_t i = p->contact; i >= 0; i = w->contact[i].next) {
    const vvi_contact *c = &w->contact[i];
    r->size += c->j[0], r->owed += c->j[0] * vvi_contact_owed(w, c), r->work += c->work[0] + c->work[1];
    for (int k = 0; k < 3; k++) r->a += c->j[k] * c->given[k];
  }
  r->owed /= r->size > 0.0 ? r->size : 1.0;
  r->plain_a = r->a;
}

static measure measure_of(const struct vvi_contact_step *w, const part *p, bool z_known)
{
  measure r;
  measure_contacts(w, p, &r);
  for (int32_t n = p->mover; n >= 0; n = w->scaling->next[n]) {
    const vvi_working *m = &w->work[n];
    const vv_mover *at = &w->near->mover[n];
    const double *a = at->inverse_mass, mass = 3.0 / fmax(a[0] + a[1] + a[2], 1e-300);
    double change[6];
    change_of(at, m->impulse, change);
    for (int c = 0; c < 6; c++) {
      const double v = w->sign * (c < 3 ? at->velocity[c] : at->spin[c - 3]), both = 2.0 * v + change[c];
      r.plain_a += m->impulse[c] * v, r.plain_b += m->impulse[c] * change[c];
      if (c < 3 && bends(w, m)) r.speed += mass * both * both;
      if (!z_known) continue;
      const double(*z)[6] = (const double(*)[6])w->scaling->z[n];
      r.a += m->impulse[c] * z[0][c], r.b += m->impulse[c] * (z[1][c] - z[0][c]);
      if (p->exact) r.c += m->impulse[c] * (2.0 * (z[0][c] + z[1][c]) - 4.0 * z[2][c]);
    }
  }
  return r;
}

/* Of all parts with one scale. */
static measure measure_all(const struct vvi_contact_step *w, const part *lead)
{
  measure r = measure_of(w, lead, true);
  for (int32_t i = lead->beside; i >= 0; i = w->scaling->part[i].beside) {
    const measure m = measure_of(w, &w->scaling->part[i], true);
    r.a += m.a, r.b += m.b, r.c += m.c, r.plain_a += m.plain_a, r.plain_b += m.plain_b, r.work += m.work,
        r.speed += m.speed;
    r.owed = (r.size * r.owed + m.size * m.owed) / (r.size + m.size), r.size += m.size;
  }
  return r;
}

/* J: what s P brings to the shadow energy, the integral of P.z, z = z0 + (b - c) s + c s^2 along P.              [shadow 5a] */
static double brought(const measure *r, double s)
{
  return s * (r->a + s * (0.5 * (r->b - r->c) + s * r->c / 3.0));
}

/* Trial steps went through shapes that still mean something: B is near M^-1. */
static bool is_sound(const measure *r)
{
  return isfinite(r->a) && fabs(r->b - r->plain_b) < 0.5 * r->plain_b;
}

/* The s at which it brings -back, from that with c = 0: c is small, three steps of Newton's method leave rounding.  Where they do
 * not, c is too large for this root to be the one beside it, and the s with c = 0 stays. */
static double refined(const measure *r, double plain, double back)
{
  double s = plain;
  for (int i = 0; i < 3; i++) s -= (brought(r, s) + back) / (r->a + s * (r->b - r->c + s * r->c));
  return fabs(brought(r, s) + back) <= 1e-12 * fabs(s * r->a) ? s : plain;
}

/* 1: as it is.  With e = 1 a debt is paid back, a tenth of what the impact has at the most.                    [shadow 6] */
static double scale_of(const measure *r, bool exact)
{
  if (!(r->a < 0.0) || !(r->b > 0.0) || !(r->plain_a < 0.0)) return 1.0;
  const double most = 0.5 * r->a * r->a / r->b, back = fmax(-0.1 * most, fmin(r->owed, 0.1 * most));
  const double multiple = exact ? 1.0 + sqrt(1.0 - back / most) : fmin(-r->plain_b / r->plain_a, 2.0);
  const double plain = -multiple * r->a / r->b, s = exact ? refined(r, plain, back) : plain;
  return s > 0.5 && s < 2.0 ? s : 1.0;
}

/* ---- the scale ---- */

/* The next part with the same scale; NULL: none. */
static const part *next_of(const struct vvi_contact_step *w, const part *p)
{
  return p->beside >= 0 ? &w->scaling->part[p->beside] : NULL;
}

static void change_scale(struct vvi_contact_step *w, const part *p, double s)
{
  for (; p != NULL; p = next_of(w, p))
    for (int32_t n = p->mover; n >= 0; n = w->scaling->next[n]) {
      double j[6], change[6];
      for (int c = 0; c < 6; c++) j[c] = (s - 1.0) * w->work[n].impulse[c];
      change_of(&w->near->mover[n], j, change);
      vvi_mover_push(w, n, j, change);
    }
}

static bool meets(struct vvi_contact_step *w, const part *p)
{
  for (; p != NULL; p = next_of(w, p))
    if (vvi_group_meets(w, &w->group[p->group])) return true;
  return false;
}

/* The scale that is taken: nothing meets in the drift with it. */
static double settle(struct vvi_contact_step *w, const part *p, double s)
{
  double now = 1.0;
  for (int i = 0; i < TRIES && s != 1.0; i++, s = 0.5 * (s + 1.0)) {
    change_scale(w, p, s / now);
    now = s;
    if (!meets(w, p)) return now;
  }
  if (now != 1.0) change_scale(w, p, 1.0 / now);
  return 1.0;
}

/* Features have counted what came from outside with their rows of then: what the movers got beyond that of spots, once more
 * s - 1 times.  Movers have the scaled impulses already. */
static void post_features(struct vvi_contact_step *w, const part *p, double s)
{
  double sum[6] = {0};
  for (int32_t n = p->mover; n >= 0; n = w->scaling->next[n]) {
    const double *j = w->work[n].impulse;
    double turn[3];
    vvi_cross3(w->near->mover[n].place, j, turn);
    for (int c = 0; c < 3; c++) sum[c] += j[c] / s, sum[3 + c] += (turn[c] + j[3 + c]) / s;
  }
  for (int32_t i = p->contact; i >= 0; i = w->contact[i].next) {
    const vvi_contact *c = &w->contact[i];
    for (int k = 0; c->near < 0 && c->open && k < 6; k++)
      sum[k] -= c->j[0] * c->outside[0][k] + c->j[1] * c->outside[1][k] + c->j[2] * c->outside[2][k];
    for (int k = 0; c->near >= 0 && k < 3; k++) w->group[p->group].given += (s - 1.0) * c->j[k] * c->given[k];
  }
  for (int k = 0; k < 6; k++) w->group[p->group].outside[k] += (s - 1.0) * sum[k];
}

/* work: J, all that the parts brought, r: of all; what their rows do not know of it is friction's, else restitution's.  What is shown
 * of impulses that hold stays as it is. */
static void book(struct vvi_contact_step *w, const part *p, const measure *r, double s, double work)
{
  bool open = false;
  for (int32_t i = p->contact; i >= 0; i = w->contact[i].next) open |= w->contact[i].near >= 0 && w->contact[i].open;
  if (open && s != 1.0) post_features(w, p, s);
  for (int32_t n = s != 1.0 ? p->mover : -1; n >= 0; n = w->scaling->next[n]) vvi_touch_scale(w, n, s);
  for (int32_t i = p->contact; i >= 0; i = w->contact[i].next) {
    vvi_contact *c = &w->contact[i];
    c->work[c->friction > 0.0] += (work - r->work) * c->j[0] / r->size;
    for (int k = 0; k < 3; k++) c->j[k] *= s;
    c->steady /= s;
  }
}

/* J: the shadow energy that ordinary rows may bring, P.(B - M^-1)(p + p+)/2, B - M^-1 <= (2/3) y M^-1.          [shadow 7] */
static double unknown(const part *p, const measure *r)
{
  return p->ratio * p->ratio / 3.0 * sqrt(fmax(r->plain_b, 0.0) * r->speed);
}

/* Shadow energy that is not known adds up as a random walk. */
static void add_stray(struct vvi_scaling *k, double joules)
{
  k->stray += joules * joules;
}

/* What of it is found at the most: of blows as a walk; what holds gives back what it has.                   [shadow 7, 8] */
static void add_findable(struct vvi_scaling *k, const part *p, const measure *r)
{
  const double joules = unknown(p, r);
  k->findable += joules * joules;
  if (p->ordinary && !p->fresh) k->held += r->plain_b / 12.0;
}

/* J: -P.(h M^-1 f - h M^-1 f0)/12 of a mover, f0 the force of the step before.                             [shadow 7a] */
static double by_forces(const double impulse[6], const double kick[6], const double before[6])
{
  double sum = 0.0;
  for (int c = 0; c < 6; c++) sum -= impulse[c] * (kick[c] - before[c]) / 12.0;
  return sum;
}

/* What impulses brought is seen in the forces of the steps before and behind them: half of it now, of those of the last step the
 * other half.                                                                                               [shadow 7a] */
static void find(struct vvi_contact_step *w, const part *p, bool by_now)
{
  struct vvi_scaling *k = w->scaling;
  for (int32_t n = p->mover; n >= 0; n = k->next[n]) {
    const vvi_working *m = &w->work[n];
    const double *e = bends(w, m) ? last_push(w, n) : NULL;
    if (e == NULL) continue;
    k->found += by_forces(e + 1, m->kick, e + 7);
    if (!by_now) continue;
    const double now = by_forces(m->impulse, m->kick, e + 7);
    k->found += now, k->ahead += now;
  }
}

/* Where trial steps have nothing to say. */
static void leave(struct vvi_contact_step *w, const part *p)
{
  const measure r = measure_of(w, p, false);
  const bool by_now = p->bends && !is_flown(p);
  find(w, p, by_now);
  if (by_now) add_findable(w->scaling, p, &r);
  add_stray(w->scaling, by_now ? vvi_contact_next_order(p->ratio * p->ratio) * unknown(p, &r) : unknown(p, &r));
}

/* Ordinary rows whose trial flights say what they brought. */
static void learn(struct vvi_contact_step *w, const part *p, const measure *r)
{
  w->scaling->found += brought(r, 1.0) - (r->plain_a + 0.5 * r->plain_b);
  add_findable(w->scaling, p, r);
  add_stray(w->scaling, fit_of(w, p)->error * fabs(r->a));
}

/* p: the first of the parts with one scale. */
static void scale(struct vvi_contact_step *w, const part *p)
{
  const measure r = measure_all(w, p);
  const bool sound = is_sound(&r);
  const double s = sound ? settle(w, p, scale_of(&r, p->exact)) : 1.0, work = brought(&r, s);
  double error = 0.0;
  for (const part *i = p; i != NULL; i = next_of(w, i)) {
    w->count.scaled += s != 1.0, w->count.unscaled += s == 1.0;
    if (sound)
      book(w, i, &r, s, work), find(w, i, false), error = fmax(error, fit_of(w, i)->error);
    else
      leave(w, i);
  }
  if (sound) add_stray(w->scaling, error * fabs(r.a));
  if (sound && p->exact) w->group[p->group].stray += unknown(p, &r);
}

static void judge(struct vvi_contact_step *w, const part *p)
{
  if (is_scaled(p)) {
    if (p->lead == p - w->scaling->part) scale(w, p);
    return;
  }
  const measure r = is_flown(p) ? measure_of(w, p, true) : (measure){0};
  if (!is_flown(p) || !is_sound(&r)) {
    leave(w, p);
    return;
  }
  find(w, p, false);
  learn(w, p, &r);
}

/* What trial flights have told is known: of that the next step has nothing to say. */
static void keep_pushes(struct vvi_contact_step *w)
{
  struct vvi_scaling *k = w->scaling;
  k->pushes = 0;
  for (int32_t i = 0; i < k->parts && k->last.room > 0; i++)
    for (int32_t n = k->part[i].mover; n >= 0; n = k->next[n]) {
      const vvi_working *m = &w->work[n];
      if (!bends(w, m)) continue;
      double *e = k->push[k->pushes];
      if (k->pushes++ == k->last.room) { /* all that is pushed in the next step is flown for */
        k->found += k->ahead, k->ahead = 0.0, k->pushes = 0;
        return;
      }
      e[0] = place_of(w, n);
      for (int c = 0; c < 6; c++) e[1 + c] = is_flown(&k->part[i]) ? 0.0 : m->impulse[c], e[7 + c] = m->kick[c];
    }
  vvi_sort(k->push, (size_t)k->pushes, sizeof *k->push, by_place);
}

static void begin_step(struct vvi_scaling *k)
{
  k->stray = k->found = k->ahead = k->findable = k->held = 0.0;
  k->parts = 0, k->pushes = 0;
}

bool vvi_scaling_act(struct vvi_contact_step *w)
{
  struct vvi_scaling *k = w->scaling;
  if (k == NULL || w->f == NULL) return true;
  begin_step(k);
  if (!fit_arrays(w)) return false;
  if (make_parts(w) && !velocities(w)) return false;
  join_parts(w);
  for (int32_t i = 0; i < k->parts; i++) judge(w, &k->part[i]);
  keep_pushes(w);
  return true;
}

/* What was let go is not asked for the force behind it: what that might have said is below what pressed it last. */
static void let_go(struct vvi_scaling *k)
{
  const double *last = k->last.first, *end = last + VVI_PUSH * (int64_t)*k->last.n;
  for (int64_t i = 0; last < end; last += VVI_PUSH) {
    while (i < k->pushes && k->push[i][0] < last[0]) i++;
    if (i < k->pushes && k->push[i][0] == last[0]) continue;
    add_stray(k, by_forces(last + 1, last + 7, (const double[6]){0}));
  }
}

void vvi_scaling_book(struct vvi_contact_step *w)
{
  struct vvi_scaling *k = w->scaling;
  if (k == NULL) return;
  let_go(k);
  if (k->pushes > 0) memcpy(k->last.first, k->push, sizeof *k->push * (size_t)k->pushes);
  const int64_t less = (int64_t)*k->last.n - k->pushes;
  if (less > 0) memset(k->last.first + VVI_PUSH * k->pushes, 0, sizeof *k->push * (size_t)less);
  *k->last.n = (double)k->pushes, *k->last.ahead = k->ahead;
  vvi_sum_add(&w->post->found, k->found);
  w->post->stray += k->stray, w->post->findable += k->findable;
  w->post->held = fmax(w->post->held, k->held);
}

void vvi_scaling_clear(struct vvi_contact_step *w)
{
  if (w->scaling == NULL) return;
  begin_step(w->scaling);
  vvi_scaling_book(w);
}
