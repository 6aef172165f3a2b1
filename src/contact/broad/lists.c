/* contact/broad/lists.c  The pairs of two clusters that are nearer than a skin, by trees of boxes.
 *
 * Both trees are descended in an order that only the meshes decide, and boxes only leave parts of it out: the pairs of a list
 * always stand in the same order. */
#include "contact/broad/search.h"
#include "contact/narrow/obstacle.h"
#include "math/math.h"

#include <string.h>

typedef struct walk {
  const vvi_sheet_search *w;
  vvi_sheet_bench *out;
  double skin, reach; /* listed below skin (thickness included); looked at below reach */
  float wide;         /* the skin, a little larger */
  bool self, full;
  bool bends; /* a beam with corners and itself, that cannot break */
  double closest;
  vvi_sheet_meet_fn *meet; /* told of elements with overlapping boxes; NULL: features are listed */
  void *user;
} walk;

/* ---- boxes ---- */

static inline void join(double box[6], const double other[6])
{
  for (int c = 0; c < 3; c++) box[c] = vvi_smaller(box[c], other[c]), box[3 + c] = vvi_larger(box[3 + c], other[3 + c]);
}

/* No branches: neighbours in a tree are near as often as not. */
static inline bool near_boxes(const double a[6], const double b[6], double skin)
{
  const double x = vvi_larger(a[0] - b[3], b[0] - a[3]), y = vvi_larger(a[1] - b[4], b[1] - a[4]),
               z = vvi_larger(a[2] - b[5], b[2] - a[5]);
  return vvi_larger(x, vvi_larger(y, z)) < skin;
}

double vvi_sheet_box_distance(const double a[6], const double b[6])
{
  double sum = 0.0;
  for (int c = 0; c < 3; c++) {
    const double d = vvi_larger(0.0, vvi_larger(a[c] - b[3 + c], b[c] - a[3 + c]));
    sum += d * d;
  }
  return sqrt(sum);
}

static void cover(const vvi_sheet_search *w, int n, const int32_t *vertex, double box[6])
{
  for (int c = 0; c < 3; c++) box[c] = INFINITY, box[3 + c] = -INFINITY;
  for (int k = 0; k < n && vertex[k] >= 0; k++)
    for (int c = 0; c < 3; c++) {
      const double x = w->x[3 * (int64_t)vertex[k] + c];
      box[c] = vvi_smaller(box[c], x), box[3 + c] = vvi_larger(box[3 + c], x);
    }
}

/* The first time it becomes one of the search, too: what is never looked at takes no memory. */
static void refit_node(vvi_sheet_search *w, int32_t i)
{
  vvi_sheet_branch *n = &w->tree[i];
  if (n->n == 0) *n = w->sheets->tree[i];
  const int32_t child = n->child;
  memcpy(n->box, child > 0 ? w->tree[child].box : w->box + 6 * (int64_t)n->first, sizeof n->box);
  if (child > 0) join(n->box, w->tree[child + 1].box);
  for (int32_t e = n->first + 1; child == 0 && e < n->first + n->n; e++) join(n->box, w->box + 6 * (int64_t)e);
}

void vvi_sheet_place_cluster(vvi_sheet_search *w, int32_t cluster)
{
  const struct vvi_sheets *s = w->sheets;
  const vvi_sheet_cluster *r = &s->cluster[cluster];
  for (int32_t i = r->vertex0; i < r->vertex0 + r->vertices; i++)
    vvi_sheet_place(&w->motion, s->cluster_vertex[i], false, w->x + 3 * (int64_t)s->cluster_vertex[i]);
}

/* Children stand behind their parent: from the last node to the first everything below is known. */
void vvi_sheet_fit_cluster(vvi_sheet_search *w, int32_t cluster)
{
  const vvi_sheet_cluster *r = &w->sheets->cluster[cluster];
  if (w->sheets->body[r->body].obstacle != NULL) return;
  vvi_sheet_branch *root = &w->tree[r->root];
  if (root->n == 0) *root = w->sheets->tree[r->root];
  for (int32_t e = root->first; e < root->first + root->n; e++)
    cover(w, 3, w->sheets->element + 3 * (int64_t)e, w->box + 6 * (int64_t)e);
  for (int32_t i = r->last - 1; i >= r->first && r->first > 0; i--) refit_node(w, i);
  refit_node(w, r->root);
}

void vvi_sheet_ready_cluster(const vvi_sheet_search *w, int32_t cluster)
{
  const vvi_sheet_cluster *r = &w->sheets->cluster[cluster];
  if (w->sheets->body[r->body].obstacle != NULL) return;
  if (w->tree[r->root].child == 0) vvi_sheet_ready(w, r->root);
  for (int32_t i = r->first; r->first > 0 && i < r->last; i++)
    if (w->tree[i].child == 0) vvi_sheet_ready(w, i);
}

void vvi_sheet_refit(vvi_sheet_search *w, int32_t cluster)
{
  vvi_sheet_place_cluster(w, cluster);
  vvi_sheet_fit_cluster(w, cluster);
}

/* ---- features of two leaves ---- */

/* A pair at a distance d, or more.  NULL: no plane is known that holds it apart. */
static vvi_sheet_pair *add(walk *k, int32_t a, int32_t b, double d)
{
  vvi_sheet_bench *out = k->out;
  if (out->n == out->room) {
    k->full = true;
    return NULL;
  }
  out->safe[out->n] = vvi_sheet_safe(d - k->reach);
  vvi_sheet_pair *p = &out->pair[out->n++];
  *p = (vvi_sheet_pair){.a = a, .b = b};
  if (vvi_sheet_vertices(k->w->sheets, a, b, p->v) < 4) p->v[3] = -1;
  return p;
}

/* One whose bound is not above the skin. */
static void add_bounded(walk *k, int32_t a, int32_t b, const vvi_sheet_gaps *g, int32_t i)
{
  vvi_sheet_pair *p = add(k, a, b, (g->gap[i] > 0.0F ? (double)g->gap[i] : 0.0) - ((double)k->wide - k->skin));
  for (int c = 0; p != NULL && c < 3; c++) p->n[c] = g->n[c][i];
}

static bool has(const int32_t *corner, int32_t v)
{
  return corner[0] == v || corner[1] == v || corner[2] == v;
}

static bool may_meet(const walk *k, int32_t v, int32_t f)
{
  const struct vvi_sheets *s = k->w->sheets;
  const int32_t *face = s->element + 3 * (int64_t)f;
  if (face[2] < 0 || s->body[s->body_of[face[0]]].form || (k->self && has(face, v))) return false;
  return !k->bends || !vvi_sheet_neighbours(s, 1, &v, 3, face);
}

/* The vertices that the elements of a leaf list, against the triangles of another. */
static void vertices_faces(walk *k, const vvi_sheet_branch *a, const vvi_sheet_branch *b)
{
  const vvi_sheet_search *w = k->w;
  for (int32_t i = w->sheets->vertex0[a->first]; i < w->sheets->vertex0[a->first + a->n]; i++) {
    const int32_t v = w->sheets->vertex_of[i];
    const double *x = w->x + 3 * (int64_t)v, point[6] = {x[0], x[1], x[2], x[0], x[1], x[2]};
    if (!near_boxes(point, b->box, k->skin)) continue;
    vvi_sheet_gaps g;
    vvi_sheet_faces_near(w, x, b->first, &g);
    for (int32_t f = 0; f < b->n; f++)
      if (!(g.gap[f] > k->wide) && may_meet(k, v, b->first + f)) add_bounded(k, v, b->first + f, &g, f);
  }
}

static bool edges_may_meet(const walk *k, int32_t e, int32_t f)
{
  const int32_t *a = k->w->sheets->edge + 2 * (int64_t)e, *b = k->w->sheets->edge + 2 * (int64_t)f;
  if (k->self && (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1])) return false;
  return !k->bends || !vvi_sheet_neighbours(k->w->sheets, 2, a, 2, b);
}

static void edges(walk *k, const vvi_sheet_branch *a, const vvi_sheet_branch *b)
{
  const int32_t *edge0 = k->w->sheets->edge0;
  for (int32_t e = edge0[a->first]; e < edge0[a->first + a->n]; e++) {
    const int32_t first = a == b ? e + 1 : edge0[b->first], n = edge0[b->first + b->n] - first;
    vvi_sheet_gaps g;
    if (n <= 0 || !vvi_sheet_edges_near(k->w, e, first, n, k->wide, &g)) continue;
    for (int32_t i = 0; i < n; i++)
      if (!(g.gap[i] > k->wide) && edges_may_meet(k, e, first + i)) add_bounded(k, -1 - e, first + i, &g, i);
  }
}

static void leaves(walk *k, int32_t i, int32_t j)
{
  const vvi_sheet_branch *a = &k->w->tree[i], *b = &k->w->tree[j];
  if (k->meet != NULL) {
    for (int32_t e = a->first; e < a->first + a->n; e++)
      for (int32_t f = a == b ? e + 1 : b->first; f < b->first + b->n; f++)
        if (near_boxes(k->w->box + 6 * (int64_t)e, k->w->box + 6 * (int64_t)f, k->skin)) k->meet(k->user, e, f);
    return;
  }
  vvi_sheet_ready(k->w, i);
  vvi_sheet_ready(k->w, j);
  vertices_faces(k, a, b);
  if (a != b) vertices_faces(k, b, a);
  edges(k, a, b);
}

/* ---- two trees ---- */

static void descend(walk *k, int32_t i, int32_t j)
{
  if (k->full) return;
  const vvi_sheet_branch *a = &k->w->tree[i], *b = &k->w->tree[j];
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
    leaves(k, i, j);
  }
}

static void against_obstacle(walk *k, const vvi_sheet_cluster *r, int32_t obstacle)
{
  const struct vvi_sheets *s = k->w->sheets;
  for (int32_t i = r->vertex0; i < r->vertex0 + r->vertices; i++) {
    double n[3];
    const int32_t v = s->cluster_vertex[i];
    if (s->cluster_of[v] != (int32_t)(r - s->cluster)) continue; /* listed from the cluster that owns it */
    const double d = vvi_obstacle_distance(s->body[obstacle].obstacle, k->w->x + 3 * (int64_t)v, n);
    k->closest = vvi_smaller(k->closest, d);
    if (d < k->skin) add(k, v, -1 - obstacle, d);
  }
}

bool vvi_sheet_list_pairs(const vvi_sheet_search *w, const vvi_sheet_list *l, double skin, vvi_sheet_bench *out,
                          double *closest)
{
  const struct vvi_sheets *s = w->sheets;
  const vvi_sheet_cluster *a = &s->cluster[l->a], *b = &s->cluster[l->b];
  walk k = {.w = w,
            .out = out,
            .skin = skin,
            .reach = l->offset + l->margin,
            .self = a->body == b->body,
            .bends = a->body == b->body && s->body[a->body].apart > 0 && !s->body[a->body].block->breaks,
            .closest = INFINITY};
  if (s->body[b->body].obstacle != NULL) {
    against_obstacle(&k, a, b->body);
  } else {
    k.wide = (float)(skin * (1.0 + 1e-5) + vvi_sheet_rounding(w->tree[a->root].box, w->tree[b->root].box));
    descend(&k, a->root, b->root);
  }
  *closest = k.closest;
  return !k.full;
}

void vvi_sheet_overlaps(vvi_sheet_search *w, int32_t couple, vvi_sheet_meet_fn *meet, void *user)
{
  const vvi_sheet_list *l = &w->list[couple];
  walk k = {.w = w, .skin = 1e-12 * w->sheets->edge_length, .meet = meet, .user = user};
  if (w->sheets->body[w->sheets->cluster[l->b].body].obstacle != NULL) return;
  descend(&k, w->sheets->cluster[l->a].root, w->sheets->cluster[l->b].root);
}
