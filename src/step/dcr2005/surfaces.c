/* step/dcr2005/surfaces.c  The step of the 2005 paper on surfaces: penetrate, project, respond.
 *
 * Closed surfaces are oriented outwards; where one is open, a pair is oriented by the side on which it was before the drift.
 * Pairs come from triangles that intersect after the drift: the corner common to
 * two edges that pierce the other triangle (vertex and face), or one edge of each that pierces the other (edges).  With the
 * edges u, v and w = P - A, or w = C - A,                                                                  [sheets 13]
 *   g = -(u x v).w,   row -grad g/|u x v|,   p+ = p - (1 + e) (grad g.v)/(grad g.M^-1 grad g) grad g  if it approaches.
 * Candidates are those of the engine's broad phase, rows its rows; friction is Coulomb's beside a normal impulse. */
#include "base/sort.h"
#include "contact/contact.h"
#include "contact/friction/law.h"
#include "contact/rows/feature.h"
#include "math/math.h"
#include "step/dcr2005/dcr2005.h"

#include <stdlib.h>
#include <string.h>

typedef struct dcr_pair {
  int32_t a, b, couple; /* as in vvi_sheet_pair; its candidate pair */
  int32_t found;        /* when, in this search */
  double side; /* +-1: the normal of the features leads to where they were apart; 0: outwards, of closed surfaces */
  double work; /* J: that its projection did, to be taken back */
} dcr_pair;

struct vvi_dcr_surfaces {
  const struct vv_step *step;
  vvi_sheet_search *search;
  vvi_arena *arena;
  dcr_pair *pair; /* [room] */
  int32_t n, room;
  bool full;      /* no memory for one more */
  int32_t couple; /* being searched */
  double h;       /* s: of the drift that has just been */
  double *force;  /* [np] before places are moved; NULL: no work is taken back */
  double owed;    /* J: work of this step that no response has taken back yet */
  double deepest; /* m: of this step */
  int64_t acted;  /* pairs answered in it */
};

/* The four points, row and depth of a pair. */
typedef struct bite {
  vvi_feature_pair pair;
  double row[4][3], depth;
  bool inside; /* it counts: not too deep, feet on the features */
} bite;

static void minus(const double a[3], const double b[3], double d[3])
{
  for (int i = 0; i < 3; i++) d[i] = a[i] - b[i];
}

/* The block and the node of a mover of the search. */
static const vv_block *node_of(const struct vvi_sheets *m, int32_t mover, int64_t *node)
{
  const vvi_sheet_body *b = &m->body[m->body_of_mover[mover]];
  *node = b->node0 + (mover - b->mover0);
  return b->block;
}

static void mover_of(const struct vv_step *s, int32_t mover, vv_mover *out)
{
  int64_t node;
  const vv_block *b = node_of(s->model->sheets, mover, &node);
  b->kind->mover(b, node, s->state->q + b->q0, s->state->p + b->p0, out);
}

/* ---- geometry of a pair ---- */

static void face_row(const double x[4][3], bite *k, double area, const double n[3])
{
  double u[3], v[3], w[3], to[2][3];
  minus(x[2], x[1], u), minus(x[3], x[1], v), minus(x[0], x[1], w);
  vvi_cross3(v, w, to[0]), vvi_cross3(w, u, to[1]);
  for (int i = 0; i < 3; i++) {
    k->row[0][i] = n[i], k->row[2][i] = to[0][i] / area, k->row[3][i] = to[1][i] / area;
    k->row[1][i] = -(k->row[0][i] + k->row[2][i] + k->row[3][i]);
  }
}

static void turn_over(bite *k)
{
  for (int i = 0; i < 3; i++) {
    k->pair.n[i] = -k->pair.n[i];
    for (int j = 0; j < 4; j++) k->row[j][i] = -k->row[j][i];
  }
}

/* n leads out of the face, or from the second edge's body to the first's; depth > 0 inside. */
static bool measure_face(const double x[4][3], double edge, double side_of, bite *k)
{
  double u[3], v[3], w[3], n[3], side[3];
  minus(x[2], x[1], u), minus(x[3], x[1], v), minus(x[0], x[1], w);
  vvi_cross3(u, v, n);
  const double area = vvi_norm3(n);
  for (int i = 0; i < 3; i++) n[i] /= area;
  vvi_cross3(w, v, side);
  const double s = vvi_dot3(side, n) / area;
  vvi_cross3(u, w, side);
  const double t = vvi_dot3(side, n) / area;
  k->depth = (side_of < 0.0 ? 1.0 : -1.0) * vvi_dot3(n, w);
  k->inside = k->depth > 0.0 && k->depth < 0.3 * edge && s >= -0.02 && t >= -0.02 && s + t <= 1.02;
  k->pair.c[0] = 1.0, k->pair.c[1] = s + t - 1.0, k->pair.c[2] = -s, k->pair.c[3] = -t;
  memcpy(k->pair.n, n, sizeof n);
  face_row(x, k, area, n);
  if (side_of < 0.0) turn_over(k);
  return true;
}

static bool measure_edges(const double x[4][3], double edge, const double outward[3], bite *k)
{
  double u[3], v[3], w[3], n[3], vw[3], wu[3];
  minus(x[1], x[0], u), minus(x[3], x[2], v), minus(x[2], x[0], w);
  vvi_cross3(u, v, n);
  const double size = vvi_norm3(n), sign = vvi_dot3(n, outward) < 0.0 ? -1.0 : 1.0;
  if (!(size > 0.02 * vvi_norm3(u) * vvi_norm3(v))) return false;
  vvi_cross3(v, w, vw), vvi_cross3(w, u, wu);
  const double s = -vvi_dot3(vw, n) / (size * size), t = vvi_dot3(wu, n) / (size * size);
  /* outward leads out of the first body: the second is at the positive side of n while apart */
  k->depth = -sign * vvi_dot3(n, w) / size;
  k->inside = k->depth > 0.0 && k->depth < 0.3 * edge && s >= -0.02 && s <= 1.02 && t >= -0.02 && t <= 1.02;
  for (int i = 0; i < 3; i++) { /* the row of the distance: minus that of sign (u x v).w/size */
    const double across = sign / size;
    k->pair.n[i] = -sign * n[i] / size;
    k->row[1][i] = across * vw[i];
    k->row[3][i] = across * wu[i];
    k->row[2][i] = across * (n[i] - wu[i]);
    k->row[0][i] = -(k->row[1][i] + k->row[2][i] + k->row[3][i]);
  }
  k->pair.c[0] = 1.0 - s, k->pair.c[1] = s, k->pair.c[2] = t - 1.0, k->pair.c[3] = -t;
  return true;
}

/* (u x v).w of the features before the drift: on which side of each other they were.  Nodes have flown straight. */
static double side_before(const struct vv_step *s, const vvi_dcr_surfaces *w, const dcr_pair *p)
{
  const struct vvi_sheets *m = w->search->sheets;
  int32_t vertex[4];
  double x[4][3], u[3], v[3], to[3], n[3];
  vvi_sheet_vertices(m, p->a, p->b, vertex);
  for (int i = 0; i < 4; i++) {
    vv_mover at;
    mover_of(s, m->mover[vertex[i]], &at);
    vvi_sheet_place(&w->search->motion, vertex[i], false, x[i]);
    for (int c = 0; c < 3; c++) x[i][c] -= w->h * at.velocity[c];
  }
  if (p->a >= 0) {
    minus(x[2], x[1], u), minus(x[3], x[1], v), minus(x[0], x[1], to);
  } else {
    minus(x[1], x[0], u), minus(x[3], x[2], v), minus(x[2], x[0], to);
  }
  vvi_cross3(u, v, n);
  return vvi_dot3(n, to) < 0.0 ? -1.0 : 1.0;
}

static bool is_open(const struct vv_step *s, const struct vvi_sheets *m, int32_t vertex)
{
  return !vvi_model_patch(s->model, m->body[m->body_of[vertex]].patch)->closed;
}

/* A pair of features, oriented. */
static dcr_pair oriented(const vvi_dcr_surfaces *w, int32_t a, int32_t b)
{
  const struct vvi_sheets *m = w->search->sheets;
  dcr_pair p = {.a = a, .b = b};
  int32_t vertex[4];
  vvi_sheet_vertices(m, a, b, vertex);
  if (is_open(w->step, m, vertex[0]) || is_open(w->step, m, vertex[3])) p.side = side_before(w->step, w, &p);
  return p;
}

/* Mean normal of the triangles at an edge. */
static void edge_normal(const vvi_sheet_motion *at, int32_t edge, double n[3])
{
  const struct vvi_sheets *s = at->sheets;
  n[0] = n[1] = n[2] = 0.0;
  for (int k = 0; k < 2; k++) {
    if (s->side[2 * edge + k] < 0) continue;
    const int32_t e = s->side_element[2 * edge + k];
    double x[3][3], u[3], v[3], m[3];
    for (int i = 0; i < 3; i++) vvi_sheet_place(at, s->element[3 * (int64_t)e + i], false, x[i]);
    minus(x[1], x[0], u), minus(x[2], x[0], v);
    vvi_cross3(u, v, m);
    const double size = vvi_norm3(m);
    for (int i = 0; i < 3; i++) n[i] += m[i] / size;
  }
}

static bool measure(const vvi_sheet_motion *at, const dcr_pair *p, bite *k)
{
  const struct vvi_sheets *s = at->sheets;
  k->pair.vertices = vvi_sheet_vertices(s, p->a, p->b, k->pair.vertex), k->pair.first = p->a < 0 ? 2 : 1;
  double x[4][3], a[3], b[3];
  for (int i = 0; i < 4; i++) vvi_sheet_place(at, k->pair.vertex[i], false, x[i]);
  const double edge = vvi_sheets_edge(s, s->body_of[k->pair.vertex[0]], s->body_of[k->pair.vertex[3]]);
  if (p->a >= 0) return measure_face((const double(*)[3])x, edge, p->side, k);
  if (p->side != 0.0) { /* along u x v or against it */
    double u[3], v[3];
    minus(x[1], x[0], u), minus(x[3], x[2], v);
    vvi_cross3(u, v, a);
    for (int i = 0; i < 3; i++) a[i] *= p->side;
    return measure_edges((const double(*)[3])x, edge, a, k);
  }
  edge_normal(at, -1 - p->a, a);
  edge_normal(at, p->b, b);
  for (int i = 0; i < 3; i++) a[i] -= b[i];
  return measure_edges((const double(*)[3])x, edge, a, k);
}

/* ---- triangles that intersect ---- */

static double volume(const double a[3], const double b[3], const double c[3], const double d[3])
{
  double u[3], v[3], w[3], n[3];
  minus(b, a, u), minus(c, a, v), minus(d, a, w);
  vvi_cross3(u, v, n);
  return vvi_dot3(n, w);
}

/* Does the segment p q pierce the triangle? */
static bool pierces(const double p[3], const double q[3], const double t[3][3])
{
  const double a = volume(t[0], t[1], t[2], p), b = volume(t[0], t[1], t[2], q);
  if ((a > 0.0) == (b > 0.0)) return false;
  const double c = volume(p, q, t[0], t[1]), d = volume(p, q, t[1], t[2]), e = volume(p, q, t[2], t[0]);
  return (c > 0.0) == (d > 0.0) && (d > 0.0) == (e > 0.0);
}

static void add(vvi_dcr_surfaces *k, const dcr_pair *p, double depth)
{
  k->deepest = fmax(k->deepest, depth);
  if (k->n == k->room) {
    const int32_t room = k->room > 0 ? 2 * k->room : 256;
    dcr_pair *more = VVI_ARENA_NEW(k->arena, dcr_pair, room);
    if (more == NULL) {
      k->full = true;
      return;
    }
    if (k->n > 0) memcpy(more, k->pair, sizeof *more * (size_t)k->n);
    k->pair = more, k->room = room;
  }
  k->pair[k->n] = *p;
  k->pair[k->n].couple = k->couple, k->pair[k->n].found = k->n;
  k->n++;
}

/* Two edges of triangle e pierce triangle f: their common corner, or another one, is behind it. */
static void add_corner(vvi_dcr_surfaces *k, int32_t e, int32_t f, unsigned edges)
{
  const struct vvi_sheets *s = k->search->sheets;
  const int common = edges == 6 ? 0 : edges == 5 ? 1 : 2; /* bit i: the edge opposite to corner i */
  for (int i = 0; i < 3; i++) {
    const dcr_pair p = oriented(k, s->element[3 * (int64_t)e + (common + i) % 3], f);
    bite b;
    if (!measure(&k->search->motion, &p, &b) || !b.inside) continue;
    add(k, &p, b.depth);
    return;
  }
}

static void meet(void *user, int32_t e, int32_t f)
{
  vvi_dcr_surfaces *k = user;
  const struct vvi_sheets *s = k->search->sheets;
  if (s->element[3 * (int64_t)e + 2] < 0 || s->element[3 * (int64_t)f + 2] < 0) return;
  double x[2][3][3];
  unsigned mask[2] = {0, 0};
  int count[2] = {0, 0};
  for (int i = 0; i < 3; i++) {
    memcpy(x[0][i], k->search->x + 3 * (int64_t)s->element[3 * (int64_t)e + i], sizeof x[0][i]);
    memcpy(x[1][i], k->search->x + 3 * (int64_t)s->element[3 * (int64_t)f + i], sizeof x[0][i]);
  }
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < 3; i++)
      if (pierces(x[side][(i + 1) % 3], x[side][(i + 2) % 3], (const double(*)[3])x[1 - side]))
        mask[side] |= 1u << i, count[side]++;
  if (count[0] == 2 && count[1] == 0) add_corner(k, e, f, mask[0]);
  if (count[1] == 2 && count[0] == 0) add_corner(k, f, e, mask[1]);
  if (count[0] != 1 || count[1] != 1) return;
  const int i = mask[0] == 1 ? 0 : mask[0] == 2 ? 1 : 2, j = mask[1] == 1 ? 0 : mask[1] == 2 ? 1 : 2;
  const dcr_pair p = oriented(k, -1 - s->element_edge[3 * (int64_t)e + i], s->element_edge[3 * (int64_t)f + j]);
  bite b;
  if (measure(&k->search->motion, &p, &b) && b.inside) add(k, &p, b.depth);
}

static vvi_projection projection_of(const vvi_sheet_search *s, int32_t couple)
{
  return s->sheets->rule[s->list[couple].rule].projection;
}

static int by_features(const void *x, const void *y)
{
  const dcr_pair *a = x, *b = y;
  if (a->a != b->a) return a->a < b->a ? -1 : 1;
  if (a->b != b->b) return a->b < b->b ? -1 : 1;
  return a->found < b->found ? -1 : a->found > b->found;
}

static int by_found(const void *x, const void *y)
{
  const dcr_pair *a = x, *b = y;
  return a->found < b->found ? -1 : a->found > b->found;
}

/* The same features are found by every two triangles at them: the first time counts. */
static void drop_copies(vvi_dcr_surfaces *k)
{
  int32_t n = 0;
  if (k->n == 0) return;
  vvi_sort(k->pair, (size_t)k->n, sizeof *k->pair, by_features);
  for (int32_t i = 0; i < k->n; i++)
    if (n == 0 || k->pair[i].a != k->pair[n - 1].a || k->pair[i].b != k->pair[n - 1].b) k->pair[n++] = k->pair[i];
  k->n = n;
  vvi_sort(k->pair, (size_t)k->n, sizeof *k->pair, by_found);
}

static void search(vvi_dcr_surfaces *k)
{
  vvi_sheet_search *w = k->search;
  const struct vvi_sheets *s = w->sheets;
  k->n = 0;
  for (int32_t i = 0; i < s->n_cluster; i++) vvi_sheet_refit(w, i);
  for (int32_t i = 0; i < w->n_list; i++) {
    const vvi_sheet_list *l = &w->list[k->couple = w->order[i]];
    if (projection_of(w, k->couple) != VVI_ANTICIPATE && s->cluster[l->a].body != s->cluster[l->b].body)
      vvi_sheet_overlaps(w, k->couple, meet, k);
  }
  drop_copies(k);
}

/* ---- projection ---- */

/* Turns the four nodes of a pair about their centre so that their angular momentum changes by -spin; their momentum stays.
 * With masses m and arms r from the centre,  dv = w x r,  sum m r x (w x r) = -spin.                           [sheets 13b] */
static void turn_back(struct vv_step *s, const vvi_dcr_surfaces *k, const vvi_feature_pair *p, const double spin[3])
{
  const struct vvi_sheets *m = k->search->sheets;
  double mass[4], x[4][3], middle[3] = {0, 0, 0}, all = 0.0, inertia[6] = {0}, turn[3];
  for (int i = 0; i < 4; i++) {
    vv_mover at;
    mover_of(s, m->mover[p->vertex[i]], &at);
    const double inverse = (at.inverse_mass[0] + at.inverse_mass[1] + at.inverse_mass[2]) / 3.0;
    mass[i] = inverse > 0.0 ? 1.0 / inverse : 0.0;
    vvi_sheet_place(&k->search->motion, p->vertex[i], false, x[i]);
    all += mass[i];
    for (int c = 0; c < 3; c++) middle[c] += mass[i] * x[i][c];
  }
  for (int i = 0; i < 4; i++) {
    for (int c = 0; c < 3; c++) x[i][c] -= middle[c] / all;
    const double *r = x[i], square = vvi_dot3(r, r);
    for (int c = 0; c < 3; c++) inertia[c] += mass[i] * (square - r[c] * r[c]);
    inertia[3] -= mass[i] * r[1] * r[2], inertia[4] -= mass[i] * r[0] * r[2], inertia[5] -= mass[i] * r[0] * r[1];
  }
  if (!vvi_solve6(inertia, spin, turn)) return;
  for (int i = 0; i < 4; i++) {
    double dv[3], j[6] = {0};
    int64_t node;
    const vv_block *b = node_of(m, m->mover[p->vertex[i]], &node);
    vvi_cross3(turn, x[i], dv);
    for (int c = 0; c < 3; c++) j[c] = -mass[i] * dv[c];
    b->kind->scatter(b, node, s->state->q + b->q0, j, s->state->p + b->p0);
  }
}

/* The vertex onto the face, the first edge onto the second. */
static void project(struct vv_step *s, vvi_dcr_surfaces *w, dcr_pair *p)
{
  const struct vvi_sheets *m = w->search->sheets;
  const unsigned correction = m->rule[w->search->list[p->couple].rule].correction;
  double spin[3] = {0, 0, 0};
  bite k;
  if (!measure(&w->search->motion, p, &k) || !k.inside) return;
  for (int i = 0; i < (p->a < 0 ? 2 : 1); i++) {
    const int32_t v = k.pair.vertex[i];
    const vvi_sheet_body *b = &m->body[m->body_of[v]];
    const int64_t node = b->node0 + (m->mover[v] - b->mover0);
    double *q = s->state->q + b->block->q0 + node, way[3], momentum[3], more[3];
    for (int c = 0; c < 3; c++) {
      way[c] = k.depth * k.pair.n[c];
      q[c * b->block->column] += way[c];
      momentum[c] = s->state->p[b->block->p0 + node + c * b->block->column];
      if (w->force != NULL) p->work -= w->force[b->block->p0 + node + c * b->block->column] * way[c];
    }
    vvi_cross3(way, momentum, more);
    for (int c = 0; c < 3; c++) spin[c] += more[c];
    vvi_sheet_shifted(w->search, m->mover[v], fabs(k.depth));
  }
  if (correction & VVI_CORRECT_ANGULAR) turn_back(s, w, &k.pair, spin);
  if (correction & VVI_CORRECT_ENERGY) w->owed += p->work;
}

/* ---- response ---- */

/* Speeds of n rows with the same movers, and what unit impulses along one do to another: [n][n]. */
static void feel(const struct vv_step *s, int n, const vvi_row *const row[], double *speed, double *k)
{
  for (int i = 0; i < n; i++) speed[i] = 0.0;
  for (int i = 0; i < n * n; i++) k[i] = 0.0;
  for (int l = 0; l < row[0]->n; l++) {
    vv_mover m;
    mover_of(s, row[0]->part[l].mover, &m);
    for (int i = 0; i < n; i++) {
      speed[i] += vvi_dot3(row[i]->part[l].force, m.velocity);
      for (int j = 0; j < n; j++)
        k[i * n + j] += vvi_form6(m.inverse_mass, row[i]->part[l].force, row[j]->part[l].force);
    }
  }
}

static void push(struct vv_step *s, const vvi_row *r, double l)
{
  vv_posted *post = &s->ledger->posted;
  for (int i = 0; i < r->n; i++) {
    const double *f = r->part[i].force, j[6] = {l * f[0], l * f[1], l * f[2], 0, 0, 0};
    int64_t node;
    const vv_block *b = node_of(s->model->sheets, r->part[i].mover, &node);
    b->kind->scatter(b, node, s->state->q + b->q0, j, s->state->p + b->p0);
  }
  for (int c = 0; c < 3 && r->open; c++) {
    vvi_sum_add(&post->impulse[c], l * r->outside[c]);
    vvi_sum_add(&post->moment[c], l * r->x[c]);
  }
}

/* Friction beside a normal impulse; returns what it took, j: its impulses along the rows. */
static double rub(struct vv_step *s, const vvi_row row[2], double limit, double j[2])
{
  const vvi_row *const rows[2] = {&row[0], &row[1]};
  double u[2], k[4];
  if (!(limit > 0.0) || row[0].n < 0 || row[0].n != row[1].n) return 0.0;
  feel(s, 2, rows, u, k);
  vvi_disc_answer((const double[3]){k[0], k[1], k[3]}, u, limit, j);
  for (int i = 0; i < 2; i++) push(s, &row[i], j[i]);
  return -(j[0] * u[0] + j[1] * u[1]) - 0.5 * (j[0] * j[0] * k[0] + 2.0 * j[0] * j[1] * k[1] + j[1] * j[1] * k[3]);
}

/* How many vertices get the impulse: those of a vertex, or of an edge. */
static int split_of(const vvi_feature_pair *k)
{
  return k->c[1] < 0.0 || k->c[0] == 1.0 ? 1 : 2;
}

/* For the contact histories: b gets the impulse. */
static void tell(struct vv_step *s, const vvi_feature_pair *k, const vv_event *e, const double slide[3])
{
  const vv_model *m = s->model;
  const int split = split_of(k);
  vvi_blow blow = {.t = e->time, .normal = e->normal_impulse, .speed = e->normal_speed, .lost = -e->energy_jump};
  if (s->ledger->episodes == NULL) return;
  for (int side = 0; side < 2; side++) {
    const vvi_sheet_body *b = &m->sheets->body[m->sheets->body_of[k->vertex[side == 0 ? split : 0]]];
    const vv_body *body = &m->body[b->body];
    blow.body[side] = b->body;
    blow.copy[side] =
        b->rigid ? vvi_copy_of(body, b->node0 - body->node0) : vvi_copy_of_patch(m, vvi_model_patch(m, b->patch));
  }
  for (int c = 0; c < 3; c++) {
    for (int i = 0; i < split; i++) blow.x[c] += k->c[i] * k->x[i][c];
    blow.n[c] = k->n[c], blow.slide[c] = slide[c];
  }
  vvi_episodes_add(s->ledger->episodes, &blow);
}

/* n of the event leads from a to b, where b gets the impulse. */
static void log_bounce(struct vv_step *s, const vvi_feature_pair *k, const vv_event *like)
{
  const vv_model *m = s->model;
  const int split = split_of(k);
  vv_event e = *like;
  vvi_log_side at[2];
  for (int side = 0; side < 2; side++) {
    const int32_t v = k->vertex[side == 0 ? split : 0];
    const vvi_sheet_body *b = &m->sheets->body[m->sheets->body_of[v]];
    at[side] = (vvi_log_side){vvi_model_patch(m, b->patch),
                              b->node0 + (m->sheets->mover[v] - b->mover0) - m->body[b->body].node0};
  }
  for (int c = 0; c < 3; c++) {
    for (int i = 0; i < split; i++) e.x[c] += k->c[i] * k->x[i][c];
    e.n[c] = k->n[c];
  }
  vvi_log_write(s, &e, at[0], at[1]);
}

static void respond(struct vv_step *s, vvi_dcr_surfaces *w, const dcr_pair *p, double t, double direction)
{
  const vvi_rule *rule = &w->search->sheets->rule[w->search->list[p->couple].rule];
  const vvi_sheet_motion *m = &w->search->motion;
  bite k;
  vvi_row across[2];
  const vvi_row *const normal = &k.pair.normal;
  double axes[2][3], speed, inverse, j[2] = {0, 0}, slide[3];
  if (!measure(m, p, &k)) return; /* a projected pair is at g = 0: whether it counts was decided before */
  vvi_across(k.pair.n, axes);
  if (!vvi_feature_rows(m, &k.pair, (const double(*)[3])k.row, (const double(*)[3])axes,
                        rule->friction > 0.0 ? across : NULL))
    return;
  feel(s, 1, &normal, &speed, &inverse);
  const double u = direction * speed, e = rule->restitution;
  if (!(u < 0.0)) return;
  /* the work of its own projection first, and what others of this step left: a l^2/2 + u l = -work.      [sheets 13a] */
  const double work = rule->correction & VVI_CORRECT_ENERGY ? fmin(w->owed, 0.5 * u * u / inverse) : 0.0;
  const double back = sqrt(fmax(0.0, u * u - 2.0 * inverse * work)); /* the speed after it, for e = 1 */
  const double l = (-u + e * back) / inverse, lost = 0.5 * (1.0 - e * e) * back * back / inverse;
  w->owed -= work;
  push(s, normal, direction * l);
  const double rubbed = rule->friction > 0.0 ? rub(s, across, rule->friction * l, j) : 0.0;
  vvi_sum_add(&s->ledger->posted.restitution_loss, lost);
  vvi_sum_add(&s->ledger->posted.friction_loss, rubbed);
  w->acted++;
  for (int c = 0; c < 3; c++) slide[c] = j[0] * axes[0][c] + j[1] * axes[1][c];
  const vv_event bounce = {.time = t,
                           .kind = "bounce",
                           .normal_speed = speed,
                           .normal_impulse = direction * l,
                           .tangential_impulse = vvi_norm3(slide),
                           .energy_jump = -lost - rubbed};
  tell(s, &k.pair, &bounce, slide);
  log_bounce(s, &k.pair, &bounce);
}

/* ---- within a step ---- */

vv_status vvi_dcr_surfaces_create(struct vv_step *s, vvi_dcr_surfaces **out)
{
  *out = NULL;
  if (s->model->sheets == NULL || s->model->sheets->projection == VVI_ANTICIPATE) return VV_OK;
  vvi_dcr_surfaces *k = *out = VVI_ARENA_NEW(s->arena, vvi_dcr_surfaces, 1);
  if (k == NULL) return VV_NOMEM;
  k->arena = s->arena, k->step = s, k->search = s->contact->features->search;
  const struct vvi_sheets *m = s->model->sheets;
  bool energy = false;
  for (int32_t i = 0; i < m->n_rule; i++) energy = energy || (m->rule[i].correction & VVI_CORRECT_ENERGY);
  if (energy && (k->force = VVI_ARENA_NEW(s->arena, double, s->state->np)) == NULL) return VV_NOMEM;
  return VV_OK;
}

/* The forces before places are moved. */
static void feel_forces(struct vv_step *s, vvi_dcr_surfaces *k, double t)
{
  if (k->force == NULL || k->n == 0) return;
  memset(k->force, 0, sizeof *k->force * (size_t)s->state->np);
  vvi_sys_kick(s->model, t, 1.0, s->state->q, k->force);
}

bool vvi_dcr_surfaces_resolve(struct vv_step *s, vvi_dcr_surfaces *k, double t, double h, int stage)
{
  const double direction = h < 0.0 ? -1.0 : 1.0;
  if (stage == 0) {
    k->acted = 0, k->deepest = 0.0, k->owed = 0.0, k->h = h;
    search(k);
    feel_forces(s, k, t);
  }
  for (int32_t i = 0; i < k->n; i++) {
    const vvi_projection how = projection_of(k->search, k->pair[i].couple);
    if (stage == 0 && how != VVI_UNTOUCHED) project(s, k, &k->pair[i]);
    if (stage == (how == VVI_HALF_STEP ? 0 : 1)) respond(s, k, &k->pair[i], t, direction);
  }
  return !k->full;
}

void vvi_dcr_surfaces_note(const vvi_dcr_surfaces *k, double *deepest, int64_t *contacts)
{
  *deepest = fmax(*deepest, k->deepest);
  *contacts += k->acted;
}
