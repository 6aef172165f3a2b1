/* report/shapes.c  Centre lines, outlines, nets and paths at several times, as curves in the plane of largest extent. */
#include "report/shapes.h"

#include "math/spin.h"
#include "report/net.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Points of a curve: more are finer than the pixels.  Solids of a body that are drawn; with more than a few only the start
 * and the end are, and no paths; so with shells, whose nets would cover each other. */
enum { MOST_POINTS = 400, MOST_SOLIDS = 100, FEW = 6 };

/* One body at one time, or the path of one. */
typedef struct curve {
  int body, place; /* place: 0 at the start of the run, the last at its end; -1: a path */
  int64_t points;
  int64_t outline;    /* points of each solid, of which the outline is drawn; 0: the points are the curve */
  const vvi_net *net; /* of which the points are the nodes; NULL: none */
  double *x;          /* [points][3] */
} curve;

/* So many times, evenly between two frames. */
typedef struct times {
  int places;
  int64_t from, to;
} times;

static int64_t frame_of(const times *at, int place)
{
  return at->places > 1 ? at->from + (at->to - at->from) * place / (at->places - 1) : at->from;
}

/* ---- lines ---- */

/* A body with as many elements as nodes is closed: its first node is drawn again behind the last. */
static bool is_closed(vvi_run *run, int body, int64_t nodes)
{
  int64_t elements;
  int components;
  vvi_run_shape(run, body, "strain", &elements, &components);
  return nodes > 2 && elements == nodes;
}

static vv_status read_curve(vvi_run *run, vvi_arena *arena, int64_t frame, int64_t nodes, curve *c)
{
  double *all = VVI_ARENA_NEW(arena, double, 3 * (nodes + 1));
  if (all == NULL) return VV_NOMEM;
  VV_TRY(vvi_run_read(run, c->body, "position", frame, 1, 0, nodes, all));
  if (is_closed(run, c->body, nodes)) {
    memcpy(all + 3 * nodes, all, sizeof(double) * 3);
    nodes++;
  }
  c->points = nodes < MOST_POINTS ? nodes : MOST_POINTS;
  for (int64_t i = 1; i < c->points; i++)
    memmove(all + 3 * i, all + 3 * (i * (nodes - 1) / (c->points - 1)), sizeof(double) * 3);
  c->x = all;
  return VV_OK;
}

/* ---- shells ---- */

static vv_status read_net(vvi_run *run, vvi_arena *arena, int body, int64_t nodes, vvi_net **net)
{
  int64_t triangles, *triangle;
  *net = NULL;
  VV_TRY(vvi_run_triangles(run, arena, body, &triangles, &triangle));
  if (triangles == 0) return VV_OK;
  *net = VVI_ARENA_NEW(arena, vvi_net, 1);
  return *net != NULL ? vvi_net_make(arena, nodes, triangles, triangle, *net) : VV_NOMEM;
}

/* The limit surface where there is one, else the nodes. */
static vv_status read_surface(vvi_run *run, vvi_arena *arena, int64_t frame, int64_t nodes, curve *c)
{
  int64_t limits;
  int components;
  vvi_run_shape(run, c->body, "limit", &limits, &components);
  const bool limit = limits == nodes && components == 3;
  c->points = nodes;
  c->x = VVI_ARENA_NEW(arena, double, 3 * nodes);
  return c->x != NULL ? vvi_run_read(run, c->body, limit ? "limit" : "position", frame, 1, 0, nodes, c->x) : VV_NOMEM;
}

/* ---- solids ---- */

typedef struct solids {
  int64_t nodes, shown; /* copies, and how many of them are drawn */
  int64_t points;       /* of the skin */
  double *point;
} solids;

/* x = position + R(orientation) X of every point of the copies that are drawn. */
static vv_status read_solids(vvi_run *run, vvi_arena *arena, int64_t frame, const solids *s, curve *c)
{
  double *place = VVI_ARENA_NEW(arena, double, 7 * s->nodes), *turn = place + 3 * s->nodes;
  c->outline = s->points;
  c->points = s->shown * s->points;
  c->x = VVI_ARENA_NEW(arena, double, 3 * c->points);
  if (place == NULL || c->x == NULL) return VV_NOMEM;
  VV_TRY(vvi_run_read(run, c->body, "position", frame, 1, 0, s->nodes, place));
  VV_TRY(vvi_run_read(run, c->body, "orientation", frame, 1, 0, s->nodes, turn));
  for (int64_t k = 0; k < s->shown; k++) {
    const int64_t node = k * s->nodes / s->shown;
    double r[9];
    vvi_quaternion_matrix(turn + 4 * node, r);
    for (int64_t i = 0; i < s->points; i++) {
      double *x = c->x + 3 * (k * s->points + i);
      vvi_apply33(r, s->point + 3 * i, x);
      for (int j = 0; j < 3; j++) x[j] += place[3 * node + j];
    }
  }
  return VV_OK;
}

/* Where the centres of a few copies went, one behind the other with a gap between. */
static vv_status read_paths(vvi_run *run, vvi_arena *arena, int64_t nodes, curve *c)
{
  const int64_t n = run->frames < MOST_POINTS ? run->frames : MOST_POINTS;
  double *all = VVI_ARENA_NEW(arena, double, 3 * run->frames);
  c->points = nodes * (n + 1);
  c->x = VVI_ARENA_NEW(arena, double, 3 * c->points);
  if (all == NULL || c->x == NULL) return VV_NOMEM;
  double *x = c->x;
  for (int64_t k = 0; k < nodes; k++) {
    VV_TRY(vvi_run_read(run, c->body, "position", 0, run->frames, k, 1, all));
    for (int64_t i = 0; i < n; i++, x += 3)
      memcpy(x, all + 3 * (n > 1 ? i * (run->frames - 1) / (n - 1) : 0), 3 * sizeof(double));
    for (int j = 0; j < 3; j++) *x++ = NAN;
  }
  return VV_OK;
}

/* ---- all bodies ---- */

static vv_status read_body(vvi_run *run, vvi_arena *arena, int body, int64_t nodes, const times *at, curve *list,
                           int *n)
{
  solids s = {.nodes = nodes, .shown = nodes < MOST_SOLIDS ? nodes : MOST_SOLIDS};
  vvi_net *net;
  VV_TRY(vvi_run_skin(run, arena, body, &s.points, &s.point));
  VV_TRY(read_net(run, arena, body, nodes, &net));
  const bool solid = s.points > 0, few = nodes <= FEW;
  const int places = at->places;
  if (solid && few && places > 1) {
    list[*n] = (curve){.body = body, .place = -1};
    VV_TRY(read_paths(run, arena, nodes, &list[(*n)++]));
  }
  for (int k = 0; k < places; k++) {
    curve *c = &list[*n];
    if ((net != NULL || (solid && !few)) && k > 0 && k < places - 1) continue;
    *c = (curve){.body = body, .place = k, .net = net};
    const int64_t frame = frame_of(at, k);
    VV_TRY(solid         ? read_solids(run, arena, frame, &s, c)
           : net != NULL ? read_surface(run, arena, frame, nodes, c)
                         : read_curve(run, arena, frame, nodes, c));
    ++*n;
  }
  return VV_OK;
}

static vv_status read_curves(vvi_run *run, vvi_arena *arena, const times *at, curve *list, int *n)
{
  int bodies = 0;
  for (int i = 0; i < run->n_body && bodies < VVI_SHAPE_BODIES; i++) {
    int64_t nodes, turned;
    int components, four;
    vvi_run_shape(run, i, "position", &nodes, &components);
    vvi_run_shape(run, i, "orientation", &turned, &four);
    if (nodes < (turned == nodes ? 1 : 2) || components != 3) continue;
    bodies++;
    VV_TRY(read_body(run, arena, i, nodes, at, list, n));
  }
  return VV_OK;
}

/* The two axes of largest extent, in their order x, y, z; false: all points lie along one axis.  What is not flat is seen from the
 * side, not from above: z is left out only where its extent is less than a third of both others. */
static bool find_plane(const curve *list, int n, int *across, int *up)
{
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, span[3];
  for (int i = 0; i < n; i++)
    for (int64_t k = 0; k < 3 * list[i].points; k++)
      if (isfinite(list[i].x[k])) lo[k % 3] = fmin(lo[k % 3], list[i].x[k]), hi[k % 3] = fmax(hi[k % 3], list[i].x[k]);
  for (int k = 0; k < 3; k++) span[k] = hi[k] - lo[k];
  const bool flat = 3.0 * span[2] < fmin(span[0], span[1]);
  const int least = flat ? 2 : span[0] < span[1] ? 0 : 1;
  *across = least == 0 ? 1 : 0;
  *up = least == 2 ? 1 : 2;
  return fmin(span[*across], span[*up]) > 1e-9 * fmax(span[*across], span[*up]);
}

/* ---- outlines ---- */

static int by_place(const void *a, const void *b)
{
  const double *p = a, *q = b;
  if (p[0] != q[0]) return p[0] < q[0] ? -1 : 1;
  return p[1] < q[1] ? -1 : p[1] > q[1];
}

/* Left of the line from a to b? */
static double side(const double *a, const double *b, const double *c)
{
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Adds the points from `first` to `last` to a chain that turns left only; out[0 .. m) is there, and stays from `floor` down. */
static int64_t chain(const double *xy, int64_t first, int64_t last, double *out, int64_t floor, int64_t m)
{
  const int64_t step = first < last ? 1 : -1;
  for (int64_t i = first; i != last + step; i += step) {
    while (m - floor >= 2 && side(out + 2 * (m - 2), out + 2 * (m - 1), xy + 2 * i) <= 0.0) m--;
    memcpy(out + 2 * m++, xy + 2 * i, 2 * sizeof *out);
  }
  return m;
}

/* The convex outline of n points xy[n][2], which are sorted here: below to the right, above back to the first.
 * out[2 n][2] */
static int64_t outline(int64_t n, double *xy, double *out)
{
  qsort(xy, (size_t)n, 2 * sizeof *xy, by_place);
  const int64_t below = chain(xy, 0, n - 1, out, 0, 0);
  return n > 1 ? chain(xy, n - 2, 0, out, below - 1, below) : below;
}

/* x and y of what is drawn of a curve: its points, or the outlines of its solids with gaps between; *n of them. */
static vv_status flatten(vvi_arena *arena, const curve *c, int across, int up, int64_t *n, double **xy)
{
  const int64_t one = c->outline > 0 ? c->outline : c->points, many = one > 0 ? c->points / one : 0;
  const int64_t room = c->outline > 0 ? many * (2 * one + 1) : c->points;
  double *flat = VVI_ARENA_NEW(arena, double, 2 * one), *out = VVI_ARENA_NEW(arena, double, 4 * one);
  *xy = VVI_ARENA_NEW(arena, double, 2 * room);
  *n = 0;
  if (flat == NULL || out == NULL || *xy == NULL) return VV_NOMEM;
  double *x = *xy, *y = *xy + room;
  for (int64_t k = 0; k < many; k++) {
    for (int64_t i = 0; i < one; i++) {
      flat[2 * i] = c->x[3 * (k * one + i) + across];
      flat[2 * i + 1] = c->x[3 * (k * one + i) + up];
    }
    const int64_t m = c->outline > 0 ? outline(one, flat, out) : one;
    const double *from = c->outline > 0 ? out : flat;
    for (int64_t i = 0; i < m; i++, ++*n) x[*n] = from[2 * i], y[*n] = from[2 * i + 1];
    if (c->outline > 0) x[*n] = y[*n] = NAN, ++*n;
  }
  memmove(x + *n, y, sizeof *y * (size_t)*n);
  return VV_OK;
}

static vv_status add_curve(vvi_arena *arena, const vvi_run *run, const curve *c, const times *at, int colour,
                           vvi_shapes *out)
{
  const int places = at->places;
  double *xy;
  int64_t n;
  char *name = VVI_ARENA_NEW(arena, char, 32);
  if (name == NULL) return VV_NOMEM;
  VV_TRY(c->net != NULL ? vvi_net_draw(arena, c->net, c->x, out->across, out->up, &n, &xy)
                        : flatten(arena, c, out->across, out->up, &n, &xy));
  const bool path = c->place < 0, named = !path && colour == 1 && (c->place == 0 || c->place == places - 1);
  snprintf(name, 32, "t = %.4g", path ? 0.0 : run->time[frame_of(at, c->place)]);
  out->fade[out->n] = path ? 0.6 : c->place == 0 ? 0 : 0.75 * (places - 1 - c->place) / (places - 1);
  out->body[out->n] = c->body;
  out->series[out->n++] = (vvi_series){.name = named ? name : NULL,
                                       .n = n,
                                       .x = xy,
                                       .y = xy + n,
                                       .colour = c->place == 0 ? 7 : colour,
                                       .style = c->net != NULL ? VVI_PLOT_NET : VVI_PLOT_CURVE};
  return VV_OK;
}

static vv_status read_shapes(vvi_run *run, vvi_arena *arena, const times *at, vvi_shapes *out)
{
  curve list[VVI_SHAPES];
  int n = 0, colour = 0;
  *out = (vvi_shapes){.n = 0};
  VV_TRY(read_curves(run, arena, at, list, &n));
  if (n == 0 || !find_plane(list, n, &out->across, &out->up)) return VV_OK;
  for (int i = 0; i < n; i++) {
    colour += i == 0 || list[i].body != list[i - 1].body;
    VV_TRY(add_curve(arena, run, &list[i], at, colour, out));
  }
  return VV_OK;
}

vv_status vvi_shapes_read(vvi_run *run, vvi_arena *arena, vvi_shapes *out)
{
  const int places = run->frames < VVI_SHAPE_FRAMES ? (int)run->frames : VVI_SHAPE_FRAMES;
  return read_shapes(run, arena, &(times){.places = places, .to = run->frames - 1}, out);
}

vv_status vvi_shapes_at(vvi_run *run, vvi_arena *arena, int64_t frame, vvi_shapes *out)
{
  return read_shapes(run, arena, &(times){.places = 1, .from = frame, .to = frame}, out);
}
