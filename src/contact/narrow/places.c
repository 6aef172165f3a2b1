/* contact/narrow/places.c  Pairs of features at the places of their vertices, now or after the coming drift. */
#include "contact/narrow/obstacle.h"
#include "contact/sheets.h"
#include "math/math.h"

#include <string.h>

void vvi_sheet_place_slow(const vvi_sheet_motion *m, int32_t vertex, bool ahead, double x[3])
{
  const struct vvi_sheets *s = m->sheets;
  const int32_t b = s->body_of[vertex];
  if (s->body[b].carrier == VVI_CARRY_NONE) {
    memcpy(x, s->fixed + 3 * (int64_t)vertex, 3 * sizeof *x);
  } else if (s->body[b].carrier == VVI_CARRY_FRAMES) {
    const vvi_sheet_frame *k = &m->frame[s->mover[vertex]];
    vvi_sheet_carried(ahead ? k->place_ahead : k->place, ahead ? k->turn_ahead : k->turn, s->arm + 3 * (int64_t)vertex,
                      x);
  } else {
    x[0] = x[1] = x[2] = 0.0;
    for (int32_t i = s->stencil0[vertex]; i < s->stencil0[vertex + 1]; i++) {
      double y[3];
      vvi_sheet_node(m, b, s->stencil[i], ahead, y);
      for (int c = 0; c < 3; c++) x[c] += s->weight[i] * y[c];
    }
  }
}

int vvi_sheet_vertices(const struct vvi_sheets *s, int32_t a, int32_t b, int32_t v[4])
{
  if (a < 0) {
    const int32_t e = -1 - a;
    v[0] = s->edge[2 * e], v[1] = s->edge[2 * e + 1], v[2] = s->edge[2 * b], v[3] = s->edge[2 * b + 1];
    if (v[0] != v[1] || v[2] != v[3]) return 4;
    v[1] = v[2];
    return 2;
  }
  v[0] = a;
  if (b < 0) return 1;
  for (int i = 0; i < 3; i++) v[1 + i] = s->element[3 * (int64_t)b + i];
  return 4;
}

/* Nodes from one to the other along a beam. */
static int32_t way_along(const vvi_sheet_body *b, int32_t from, int32_t to)
{
  const int32_t d = from > to ? from - to : to - from;
  return b->ring && b->movers - d < d ? b->movers - d : d;
}

bool vvi_sheet_neighbours(const struct vvi_sheets *s, int32_t na, const int32_t *a, int32_t nb, const int32_t *b)
{
  const vvi_sheet_body *body = &s->body[s->body_of[a[0]]];
  if (body->apart == 0 || s->body_of[b[0]] != s->body_of[a[0]]) return false;
  for (int32_t i = 0; i < na * nb; i++)
    if (way_along(body, s->mover[a[i / nb]], s->mover[b[i % nb]]) < body->apart) return true;
  return false;
}

/* Two tips on one line: which is in front is known once and for all, so that their distance has a sign.     [sheets 18] */
static void between_tips(const vvi_sheet_motion *m, int32_t first, double x[2][3], vvi_closest *out)
{
  const double *way = m->sheets->body[m->sheets->body_of[first]].tip->direction;
  *out = (vvi_closest){.c = {1.0, -1.0}};
  for (int c = 0; c < 3; c++) out->n[c] = -way[c], out->d += way[c] * (x[1][c] - x[0][c]);
}

void vvi_sheet_closest(const vvi_sheet_motion *m, int32_t a, int32_t b, bool ahead, vvi_closest *out)
{
  int32_t v[4];
  double x[4][3];
  const int n = vvi_sheet_vertices(m->sheets, a, b, v);
  for (int k = 0; k < n; k++) vvi_sheet_place(m, v[k], ahead, x[k]);
  if (n == 4) {
    vvi_closest_at(a < 0 ? VVI_EDGE_EDGE : VVI_VERTEX_FACE, (const double(*)[3])x, out);
    return;
  }
  if (n == 2) {
    between_tips(m, v[0], x, out);
    return;
  }
  *out = (vvi_closest){.c = {1.0}};
  out->d = vvi_obstacle_distance(m->sheets->body[-1 - b].obstacle, x[0], out->n);
}

/* ---- the local minimum test: a pair that a neighbour beats is dropped, with a little slack ---- */

static const double slack = 0.02; /* rad */

/* Does going from the line through x and y towards z lead along n? */
static bool leads(const double x[3], const double y[3], const double z[3], const double n[3])
{
  double e[3], w[3];
  for (int c = 0; c < 3; c++) e[c] = y[c] - x[c], w[c] = z[c] - x[c];
  const double along = vvi_dot3(e, w) / vvi_dot3(e, e);
  for (int c = 0; c < 3; c++) w[c] -= along * e[c];
  return vvi_dot3(n, w) > slack * vvi_norm3(w);
}

/* Is an edge of a ring, or a triangle at an edge, not there any more?  What has broken beats nobody. */
static bool ring_gone(const vvi_sheet_motion *m, int32_t i)
{
  return m->gone != NULL && m->gone->edge[m->gone->ring_edge[i]];
}

static bool side_gone(const vvi_sheet_motion *m, int32_t edge, int k)
{
  const struct vvi_sheets *s = m->sheets;
  return s->side[2 * edge + k] < 0 || (m->gone != NULL && m->gone->element[s->side_element[2 * edge + k]]);
}

static void ahead(const vvi_sheet_motion *m, const vvi_sheet_view *view, int32_t vertex, double x[3])
{
  if (view == NULL)
    vvi_sheet_place(m, vertex, true, x);
  else
    view->place(view->user, vertex, x);
}

/* Edge of an element: does a triangle at it lead along n? */
static bool edge_leads(const vvi_sheet_motion *m, const vvi_sheet_view *view, int32_t edge, const double n[3])
{
  const struct vvi_sheets *s = m->sheets;
  double x[3], y[3], z[3];
  vvi_sheet_place(m, s->edge[2 * edge], true, x);
  vvi_sheet_place(m, s->edge[2 * edge + 1], true, y);
  for (int k = 0; k < 2; k++) {
    if (side_gone(m, edge, k)) continue;
    ahead(m, view, s->side[2 * edge + k], z);
    if (leads(x, y, z, n)) return true;
  }
  return false;
}

static bool vertex_leads(const vvi_sheet_motion *m, const vvi_sheet_view *view, int32_t vertex, const double n[3])
{
  const struct vvi_sheets *s = m->sheets;
  double x[3], w[3];
  vvi_sheet_place(m, vertex, true, x);
  for (int32_t i = s->ring0[vertex]; i < s->ring0[vertex + 1]; i++) {
    if (ring_gone(m, i)) continue;
    ahead(m, view, s->ring[i], w);
    for (int c = 0; c < 3; c++) w[c] -= x[c];
    if (vvi_dot3(n, w) > slack * vvi_norm3(w)) return true;
  }
  return false;
}

/* An end of edge e counts only if the other edge belongs to no triangle: else vertex and face find it. */
static bool end_counts(const vvi_sheet_motion *m, int32_t other)
{
  return side_gone(m, other, 0) && side_gone(m, other, 1);
}

static bool is_form(const vvi_sheet_motion *m, int32_t vertex)
{
  return m->sheets->body[m->sheets->body_of[vertex]].form;
}

bool vvi_sheet_is_vertex(const vvi_sheet_motion *m, int32_t a, int32_t b, const vvi_closest *at)
{
  const struct vvi_sheets *s = m->sheets;
  if (a >= 0) return at->on[1] > 3 && is_form(m, a);
  return (at->on[0] != 0 && is_form(m, s->edge[2 * b])) || (at->on[1] != 0 && is_form(m, s->edge[2 * (-1 - a)]));
}

/* n leads from the second feature to the first.                                                              [sheets 3] */
bool vvi_sheet_is_local(const vvi_sheet_motion *m, const vvi_sheet_view *view, int32_t a, int32_t b,
                        const vvi_closest *at)
{
  const struct vvi_sheets *s = m->sheets;
  const double back[3] = {-at->n[0], -at->n[1], -at->n[2]};
  if (a >= 0 && b < 0) return true;
  if (vvi_sheet_is_vertex(m, a, b, at)) return false;
  if (a >= 0) {
    if (at->on[1] == 0) return true;
    if (at->on[1] <= 3) return !edge_leads(m, view, s->element_edge[3 * (int64_t)b + at->on[1] - 1], at->n);
    return !vertex_leads(m, view, s->element[3 * (int64_t)b + at->on[1] - 4], at->n);
  }
  const int32_t e = -1 - a;
  if ((at->on[0] != 0 && !end_counts(m, b)) || (at->on[1] != 0 && !end_counts(m, e))) return false;
  const bool first =
      at->on[0] == 0 ? edge_leads(m, view, e, back) : vertex_leads(m, view, s->edge[2 * e + at->on[0] - 1], back);
  if (first) return false;
  return at->on[1] == 0 ? !edge_leads(m, view, b, at->n)
                        : !vertex_leads(m, view, s->edge[2 * b + at->on[1] - 1], at->n);
}
