/* step/sheets/paper.c  The step of the 2005 paper: penetrate, project, respond; for comparison.
 *
 * Surfaces are closed and oriented outwards.  Pairs come from triangles that intersect after the drift: the corner common to
 * two edges that pierce the other triangle (vertex and face), or one edge of each that pierces the other (edges).  With the
 * edges u, v and w = P - A, or w = C - A,                                                                  [sheets 13]
 *   g = -(u x v).w,   row -grad g/|u x v|,   p+ = p - (1 + e) (grad g.v)/(grad g.M^-1 grad g) grad g  if it approaches. */
#include "ledger/ledger.h"
#include "math/math.h"
#include "step/sheets.h"

#include <string.h>

enum { MOST = 8192 };

typedef struct paper_pair {
  int32_t a, b, couple; /* as in vvi_sheet_pair */
} paper_pair;

struct vvi_sheets_paper {
  int32_t n;
  paper_pair pair[MOST];
  int32_t couple; /* being searched */
  struct vvi_sheets_step *w;
};

/* The four points, row and depth of a pair. */
typedef struct bite {
  vvi_dcr pair;
  double row[4][3], depth;
  bool inside; /* it counts: not too deep, feet on the features */
} bite;

static void minus(const double a[3], const double b[3], double d[3])
{
  for (int i = 0; i < 3; i++) d[i] = a[i] - b[i];
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

/* n leads out of the face, or from the second edge's body to the first's; depth > 0 inside. */
static bool measure_face(const double x[4][3], double edge, bite *k)
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
  k->depth = -vvi_dot3(n, w);
  k->inside = k->depth > 0.0 && k->depth < 0.3 * edge && s >= -0.02 && t >= -0.02 && s + t <= 1.02;
  k->pair.c[0] = 1.0, k->pair.c[1] = s + t - 1.0, k->pair.c[2] = -s, k->pair.c[3] = -t;
  memcpy(k->pair.n, n, sizeof n);
  face_row(x, k, area, n);
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

/* Mean normal of the triangles at an edge. */
static void edge_normal(const struct vvi_sheets_step *w, int32_t edge, double n[3])
{
  const struct vvi_sheets *s = w->search->sheets;
  n[0] = n[1] = n[2] = 0.0;
  for (int k = 0; k < 2; k++) {
    if (s->side[2 * edge + k] < 0) continue;
    const int32_t e = s->side_element[2 * edge + k];
    double x[3][3], u[3], v[3], m[3];
    for (int i = 0; i < 3; i++) vvi_sheet_place(&w->search->motion, s->element[3 * (int64_t)e + i], false, x[i]);
    minus(x[1], x[0], u), minus(x[2], x[0], v);
    vvi_cross3(u, v, m);
    const double size = vvi_norm3(m);
    for (int i = 0; i < 3; i++) n[i] += m[i] / size;
  }
}

static bool measure(const struct vvi_sheets_step *w, const paper_pair *p, bite *k)
{
  const struct vvi_sheets *s = w->search->sheets;
  k->pair.vertices = vvi_sheet_vertices(s, p->a, p->b, k->pair.vertex);
  double x[4][3], a[3], b[3];
  for (int i = 0; i < 4; i++) vvi_sheet_place(&w->search->motion, k->pair.vertex[i], false, x[i]);
  if (p->a >= 0) return measure_face((const double(*)[3])x, s->edge_length, k);
  edge_normal(w, -1 - p->a, a);
  edge_normal(w, p->b, b);
  for (int i = 0; i < 3; i++) a[i] -= b[i];
  return measure_edges((const double(*)[3])x, s->edge_length, a, k);
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

static void add(struct vvi_sheets_paper *k, int32_t a, int32_t b, double depth)
{
  k->w->deepest = fmax(k->w->deepest, depth);
  for (int32_t i = 0; i < k->n; i++)
    if (k->pair[i].a == a && k->pair[i].b == b) return;
  if (k->n < MOST) k->pair[k->n++] = (paper_pair){.a = a, .b = b, .couple = k->couple};
}

/* Two edges of triangle e pierce triangle f: their common corner, or another one, is behind it. */
static void add_corner(struct vvi_sheets_paper *k, int32_t e, int32_t f, unsigned edges)
{
  const struct vvi_sheets *s = k->w->search->sheets;
  const int common = edges == 6 ? 0 : edges == 5 ? 1 : 2; /* bit i: the edge opposite to corner i */
  for (int i = 0; i < 3; i++) {
    const paper_pair p = {.a = s->element[3 * (int64_t)e + (common + i) % 3], .b = f};
    bite b;
    if (!measure(k->w, &p, &b) || !b.inside) continue;
    add(k, p.a, p.b, b.depth);
    return;
  }
}

static void meet(void *user, int32_t e, int32_t f)
{
  struct vvi_sheets_paper *k = user;
  const struct vvi_sheets *s = k->w->search->sheets;
  if (s->element[3 * (int64_t)e + 2] < 0 || s->element[3 * (int64_t)f + 2] < 0) return;
  double x[2][3][3];
  unsigned mask[2] = {0, 0};
  int count[2] = {0, 0};
  for (int i = 0; i < 3; i++) {
    memcpy(x[0][i], k->w->search->x + 3 * (int64_t)s->element[3 * (int64_t)e + i], sizeof x[0][i]);
    memcpy(x[1][i], k->w->search->x + 3 * (int64_t)s->element[3 * (int64_t)f + i], sizeof x[0][i]);
  }
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < 3; i++)
      if (pierces(x[side][(i + 1) % 3], x[side][(i + 2) % 3], (const double(*)[3])x[1 - side]))
        mask[side] |= 1u << i, count[side]++;
  if (count[0] == 2 && count[1] == 0) add_corner(k, e, f, mask[0]);
  if (count[1] == 2 && count[0] == 0) add_corner(k, f, e, mask[1]);
  if (count[0] != 1 || count[1] != 1) return;
  const int i = mask[0] == 1 ? 0 : mask[0] == 2 ? 1 : 2, j = mask[1] == 1 ? 0 : mask[1] == 2 ? 1 : 2;
  const paper_pair p = {.a = -1 - s->element_edge[3 * (int64_t)e + i], .b = s->element_edge[3 * (int64_t)f + j]};
  bite b;
  if (measure(k->w, &p, &b) && b.inside) add(k, p.a, p.b, b.depth);
}

static vvi_projection projection_of(const vvi_sheet_search *s, int32_t couple)
{
  return s->sheets->rule[s->list[couple].rule].projection;
}

static void search(struct vvi_sheets_step *w)
{
  const struct vvi_sheets *s = w->search->sheets;
  struct vvi_sheets_paper *k = w->paper;
  k->w = w, k->n = 0;
  for (int32_t i = 0; i < s->n_cluster; i++) vvi_sheet_refit(w->search, i);
  for (int32_t i = 0; i < w->search->n_list; i++) {
    const vvi_sheet_list *l = &w->search->list[k->couple = w->search->order[i]];
    if (projection_of(w->search, k->couple) != VVI_ANTICIPATE && s->cluster[l->a].body != s->cluster[l->b].body)
      vvi_sheet_overlaps(w->search, k->couple, meet, k);
  }
}

/* ---- projection and response ---- */

/* The vertex onto the face, the first edge onto the second. */
static void project(struct vv_step *s, const paper_pair *p)
{
  const struct vvi_sheets *m = s->model->sheets;
  bite k;
  if (!measure(s->sheets, p, &k) || !k.inside) return;
  for (int i = 0; i < (p->a < 0 ? 2 : 1); i++) {
    const int32_t v = k.pair.vertex[i];
    const vvi_sheet_body *b = &m->body[m->body_of[v]];
    double *q = s->state->q + b->block->q0 + b->node0 + (m->mover[v] - b->mover0);
    for (int c = 0; c < 3; c++) q[c * b->block->column] += k.depth * k.pair.n[c];
    vvi_sheet_shifted(s->sheets->search, m->mover[v], fabs(k.depth));
  }
}

static void respond(struct vv_step *s, const paper_pair *p, double direction)
{
  struct vvi_sheets_step *w = s->sheets;
  const vvi_sheet_rule *rule = &w->search->sheets->rule[w->search->list[p->couple].rule];
  vvi_sheet_motion *m = &w->search->motion;
  bite k;
  double slide = 0.0;
  if (!measure(w, p, &k)) return; /* a projected pair is at g = 0: whether it counts was decided before */
  if (!vvi_dcr_prepare_row(m, &k.pair, (const double(*)[3])k.row)) return;
  const double u = direction * k.pair.speed;
  if (!(u < 0.0)) return;
  const double l = -(1.0 + rule->restitution) * u / k.pair.normal.inverse;
  vvi_row_apply(m, &k.pair.normal, direction * l, w->post);
  const double lost = 0.5 * (1.0 - rule->restitution * rule->restitution) * u * u / k.pair.normal.inverse;
  vvi_sum_add(&w->post->restitution_loss, lost);
  double j[3] = {0, 0, 0};
  const double rubbed = vvi_dcr_rub(m, &k.pair, rule->friction * l, VVI_RUB_NOW, j, &slide, w->post);
  vvi_sum_add(&w->post->friction_loss, rubbed);
  w->count.impulses++;
  w->acted++;
  w->log(w->user, &(vvi_sheet_event){.pair = &k.pair,
                                     .couple = p->couple,
                                     .speed = k.pair.speed,
                                     .impulse = direction * l,
                                     .slide = slide,
                                     .rub = {j[0], j[1], j[2]},
                                     .lost = lost + rubbed});
}

vv_status vvi_sheets_paper_create(struct vvi_sheets_step *w, vvi_arena *arena)
{
  if (w->search->sheets->projection == VVI_ANTICIPATE) return VV_OK;
  w->paper = VVI_ARENA_NEW(arena, struct vvi_sheets_paper, 1);
  return w->paper == NULL ? VV_NOMEM : VV_OK;
}

void vvi_sheets_resolve(struct vv_step *s, double t, double direction, int stage)
{
  struct vvi_sheets_step *w = s->sheets;
  struct vvi_sheets_paper *k = w->paper;
  if (k == NULL) return;
  w->t = t;
  if (stage == 0) w->acted = 0, w->deepest = 0.0, search(w);
  for (int32_t i = 0; i < k->n; i++) {
    const vvi_projection how = projection_of(w->search, k->pair[i].couple);
    if (stage == 0 && how != VVI_UNTOUCHED) project(s, &k->pair[i]);
    if (stage == (how == VVI_HALF_STEP ? 0 : 1)) respond(s, &k->pair[i], direction);
  }
}
