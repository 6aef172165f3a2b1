/* report/shapes.c  Centre lines at several times, as curves in the plane of largest extent. */
#include "report/shapes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_POINTS = 400 }; /* of a curve: more are finer than the pixels */

/* One body at one time. */
typedef struct curve {
  int body, place; /* place: 0 at the start of the run, the last at its end */
  int64_t points;
  double *x; /* [points][3] */
} curve;

static int64_t frame_of(const vvi_run *run, int place, int places)
{
  return places > 1 ? (run->frames - 1) * place / (places - 1) : 0;
}

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

static vv_status read_curves(vvi_run *run, vvi_arena *arena, int places, curve *list, int *n)
{
  int bodies = 0;
  for (int i = 0; i < run->n_body && bodies < VVI_SHAPE_BODIES; i++) {
    int64_t nodes;
    int components;
    vvi_run_shape(run, i, "position", &nodes, &components);
    if (nodes < 2 || components != 3) continue;
    bodies++;
    for (int k = 0; k < places; k++) {
      curve *c = &list[(*n)++];
      *c = (curve){.body = i, .place = k};
      VV_TRY(read_curve(run, arena, frame_of(run, k, places), nodes, c));
    }
  }
  return VV_OK;
}

/* The two axes of largest extent, in their order x, y, z; false: all points lie along one axis. */
static bool find_plane(const curve *list, int n, int *across, int *up)
{
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, span[3];
  for (int i = 0; i < n; i++)
    for (int64_t k = 0; k < 3 * list[i].points; k++)
      if (isfinite(list[i].x[k])) lo[k % 3] = fmin(lo[k % 3], list[i].x[k]), hi[k % 3] = fmax(hi[k % 3], list[i].x[k]);
  for (int k = 0; k < 3; k++) span[k] = hi[k] - lo[k];
  const int least = span[0] < span[1] && span[0] < span[2] ? 0 : span[1] < span[2] ? 1 : 2;
  *across = least == 0 ? 1 : 0;
  *up = least == 2 ? 1 : 2;
  return fmin(span[*across], span[*up]) > 1e-9 * fmax(span[*across], span[*up]);
}

static vv_status add_curve(vvi_arena *arena, const vvi_run *run, const curve *c, int places, int colour,
                           vvi_shapes *out)
{
  double *xy = VVI_ARENA_NEW(arena, double, 2 * c->points);
  char *name = VVI_ARENA_NEW(arena, char, 32);
  if (xy == NULL || name == NULL) return VV_NOMEM;
  for (int64_t i = 0; i < c->points; i++) xy[i] = c->x[3 * i + out->across], xy[c->points + i] = c->x[3 * i + out->up];
  const bool named = colour == 1 && (c->place == 0 || c->place == places - 1);
  snprintf(name, 32, "t = %.4g", run->time[frame_of(run, c->place, places)]);
  out->fade[out->n] = c->place == 0 ? 0 : 0.75 * (places - 1 - c->place) / (places - 1);
  out->series[out->n++] = (vvi_series){.name = named ? name : NULL,
                                       .n = c->points,
                                       .x = xy,
                                       .y = xy + c->points,
                                       .colour = c->place == 0 ? 7 : colour,
                                       .style = VVI_PLOT_CURVE};
  return VV_OK;
}

vv_status vvi_shapes_read(vvi_run *run, vvi_arena *arena, vvi_shapes *out)
{
  curve list[VVI_SHAPES];
  int n = 0, colour = 0;
  const int places = run->frames < VVI_SHAPE_FRAMES ? (int)run->frames : VVI_SHAPE_FRAMES;
  *out = (vvi_shapes){.n = 0};
  VV_TRY(read_curves(run, arena, places, list, &n));
  if (n == 0 || !find_plane(list, n, &out->across, &out->up)) return VV_OK;
  for (int i = 0; i < n; i++) {
    colour += list[i].place == 0;
    VV_TRY(add_curve(arena, run, &list[i], places, colour, out));
  }
  return VV_OK;
}
