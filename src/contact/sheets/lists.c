/* contact/sheets/lists.c  The pairs of two bodies that are nearer than a skin, by trees of boxes.
 *
 * Both trees are descended in an order that only the meshes decide, and boxes only leave parts of it out: the pairs of a list
 * always stand in the same order. */
#include "contact/gap.h"
#include "contact/sheets/search.h"
#include "math/math.h"

#include <string.h>

typedef struct walk {
  vvi_sheet_search *w;
  double skin, reach; /* listed below skin (thickness included); looked at below reach */
  bool self, full;
  double closest;
} walk;

/* ---- boxes ---- */

static void cover(double box[6], const double x[3])
{
  for (int c = 0; c < 3; c++) box[c] = fmin(box[c], x[c]), box[3 + c] = fmax(box[3 + c], x[c]);
}

static void join(double box[6], const double other[6])
{
  for (int c = 0; c < 3; c++) box[c] = fmin(box[c], other[c]), box[3 + c] = fmax(box[3 + c], other[3 + c]);
}

static void empty(double box[6])
{
  for (int c = 0; c < 3; c++) box[c] = INFINITY, box[3 + c] = -INFINITY;
}

static bool near_boxes(const double a[6], const double b[6], double skin)
{
  for (int c = 0; c < 3; c++)
    if (a[c] - b[3 + c] >= skin || b[c] - a[3 + c] >= skin) return false;
  return true;
}

double vvi_sheet_box_distance(const double a[6], const double b[6])
{
  double sum = 0.0;
  for (int c = 0; c < 3; c++) {
    const double d = fmax(0.0, fmax(a[c] - b[3 + c], b[c] - a[3 + c]));
    sum += d * d;
  }
  return sqrt(sum);
}

/* Children stand behind their parent: from the last node to the first everything below is known. */
void vvi_sheet_refit(vvi_sheet_search *w, int32_t body)
{
  const struct vvi_sheets *s = w->sheets;
  const vvi_sheet_body *b = &s->body[body];
  for (int32_t i = 0; i < b->vertices; i++)
    vvi_sheet_place(&w->motion, b->vertex0 + i, false, w->x + 3 * (int64_t)(b->vertex0 + i));
  for (int32_t e = b->element0; e < b->element0 + b->elements; e++) {
    double *box = w->box + 6 * (int64_t)e;
    empty(box);
    for (int k = 0; k < 3 && s->element[3 * (int64_t)e + k] >= 0; k++)
      cover(box, w->x + 3 * (int64_t)s->element[3 * (int64_t)e + k]);
  }
  for (int32_t i = b->tree0 + b->trees - 1; i >= b->tree0; i--) {
    vvi_box_node *n = &w->tree[i];
    empty(n->box);
    if (n->child > 0) {
      join(n->box, w->tree[n->child].box);
      join(n->box, w->tree[n->child + 1].box);
    }
    for (int32_t e = n->first; n->child == 0 && e < n->first + n->n; e++) join(n->box, w->box + 6 * (int64_t)e);
  }
}

/* ---- features of two elements ---- */

static void add(walk *k, int32_t a, int32_t b, double d, const double n[3])
{
  vvi_sheet_search *w = k->w;
  k->closest = fmin(k->closest, d);
  if (!(d < k->skin)) return;
  if (w->used == w->room) {
    k->full = true;
    return;
  }
  vvi_sheet_pair *p = &w->pair[w->used++];
  *p = (vvi_sheet_pair){.a = a, .b = b, .safe = vvi_sheet_safe(d - k->reach)};
  for (int c = 0; c < 3; c++) p->n[c] = (float)n[c];
}

static bool has(const int32_t *corner, int32_t v)
{
  return corner[0] == v || corner[1] == v || corner[2] == v;
}

/* The corners that element e lists, against triangle f. */
static void vertices_face(walk *k, int32_t e, int32_t f)
{
  const vvi_sheet_search *w = k->w;
  const int32_t *corner = w->sheets->element + 3 * (int64_t)e, *face = w->sheets->element + 3 * (int64_t)f;
  if (face[2] < 0) return;
  for (int i = 0; i < 3; i++) {
    if ((w->sheets->own[e] >> i & 1) == 0 || (k->self && has(face, corner[i]))) continue;
    const double *x = w->x + 3 * (int64_t)corner[i];
    const double point[6] = {x[0], x[1], x[2], x[0], x[1], x[2]};
    if (!near_boxes(point, w->box + 6 * (int64_t)f, k->skin)) continue;
    double y[4][3];
    vvi_closest at;
    memcpy(y[0], x, sizeof y[0]);
    for (int j = 0; j < 3; j++) memcpy(y[1 + j], w->x + 3 * (int64_t)face[j], sizeof y[0]);
    vvi_closest_at(VVI_VERTEX_FACE, (const double(*)[3])y, &at);
    add(k, corner[i], f, at.d, at.n);
  }
}

static void edge_box(const walk *k, int32_t edge, double box[6])
{
  empty(box);
  cover(box, k->w->x + 3 * (int64_t)k->w->sheets->edge[2 * edge]);
  cover(box, k->w->x + 3 * (int64_t)k->w->sheets->edge[2 * edge + 1]);
}

static void two_edges(walk *k, int32_t e, int32_t f)
{
  const int32_t *a = k->w->sheets->edge + 2 * (int64_t)e, *b = k->w->sheets->edge + 2 * (int64_t)f;
  if (k->self && (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1])) return;
  double y[4][3];
  vvi_closest at;
  for (int i = 0; i < 2; i++) {
    memcpy(y[i], k->w->x + 3 * (int64_t)a[i], sizeof y[0]);
    memcpy(y[2 + i], k->w->x + 3 * (int64_t)b[i], sizeof y[0]);
  }
  vvi_closest_at(VVI_EDGE_EDGE, (const double(*)[3])y, &at);
  add(k, -1 - e, f, at.d, at.n);
}

static void edges(walk *k, int32_t e, int32_t f)
{
  const struct vvi_sheets *s = k->w->sheets;
  for (int i = 0; i < 3; i++) {
    double a[6], b[6];
    if ((s->own[e] >> (3 + i) & 1) == 0) continue;
    edge_box(k, s->element_edge[3 * (int64_t)e + i], a);
    if (!near_boxes(a, k->w->box + 6 * (int64_t)f, k->skin)) continue;
    for (int j = 0; j < 3; j++) {
      if ((s->own[f] >> (3 + j) & 1) == 0) continue;
      edge_box(k, s->element_edge[3 * (int64_t)f + j], b);
      if (near_boxes(a, b, k->skin))
        two_edges(k, s->element_edge[3 * (int64_t)e + i], s->element_edge[3 * (int64_t)f + j]);
    }
  }
}

static void elements(walk *k, int32_t e, int32_t f)
{
  if (!near_boxes(k->w->box + 6 * (int64_t)e, k->w->box + 6 * (int64_t)f, k->skin)) return;
  vertices_face(k, e, f);
  vertices_face(k, f, e);
  edges(k, e, f);
}

/* ---- two trees ---- */

static void descend(walk *k, int32_t i, int32_t j)
{
  const vvi_box_node *a = &k->w->tree[i], *b = &k->w->tree[j];
  if (i != j && !near_boxes(a->box, b->box, k->skin)) return;
  if (i == j && a->child > 0) { /* a body and itself */
    descend(k, a->child, a->child);
    descend(k, a->child, a->child + 1);
    descend(k, a->child + 1, a->child + 1);
  } else if (a->child > 0 && (b->child == 0 || a->n >= b->n)) {
    descend(k, a->child, j);
    descend(k, a->child + 1, j);
  } else if (b->child > 0) {
    descend(k, i, b->child);
    descend(k, i, b->child + 1);
  } else {
    for (int32_t e = a->first; e < a->first + a->n; e++)
      for (int32_t f = i == j ? e + 1 : b->first; f < b->first + b->n; f++) elements(k, e, f);
  }
}

static void against_obstacle(walk *k, const vvi_sheet_body *b, int32_t obstacle)
{
  for (int32_t v = b->vertex0; v < b->vertex0 + b->vertices; v++) {
    double n[3];
    const double d = vvi_obstacle_distance(k->w->sheets->body[obstacle].obstacle, k->w->x + 3 * (int64_t)v, n);
    add(k, v, -1 - obstacle, d, n);
  }
}

bool vvi_sheet_list_couple(vvi_sheet_search *w, int32_t couple, double skin, double *closest)
{
  const struct vvi_sheets *s = w->sheets;
  const vvi_sheet_couple *c = &s->couple[couple];
  const vvi_sheet_list *l = &w->list[couple];
  const vvi_sheet_body *a = &s->body[c->a], *b = &s->body[c->b];
  walk k = {.w = w, .skin = skin, .reach = l->offset + l->guard, .self = c->a == c->b, .closest = INFINITY};
  if (b->obstacle != NULL)
    against_obstacle(&k, a, c->b);
  else if (a->trees > 0 && b->trees > 0)
    descend(&k, a->tree0, b->tree0);
  *closest = k.closest;
  return !k.full;
}
