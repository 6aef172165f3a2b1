/* report/field.c  Values of one output field on nodes or elements, and where these are at that time. */
#include "report/field.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_TEXT = 64, OBJECT_TEXT = 400 };

/* A triangle of a shell or a segment of a bar or beam, whose third corner is not a number. */
typedef struct cell {
  double x[3][3], depth, value;
  bool broken;
} cell;

typedef struct wanted {
  char name[NAME_TEXT];
  int component; /* -1: all, by their size */
  int64_t frame;
} wanted;

/* ---- what is asked for ---- */

static wanted read_name(const vvi_run *run, const char *field, double time)
{
  wanted w = {.component = -1, .frame = run->frames - 1};
  const char *bracket = strchr(field, '[');
  snprintf(w.name, sizeof w.name, "%.*s", bracket != NULL ? (int)(bracket - field) : (int)strlen(field), field);
  if (bracket != NULL) w.component = atoi(bracket + 1);
  for (int64_t f = 0; isfinite(time) && f < run->frames; f++)
    if (fabs(run->time[f] - time) < fabs(run->time[w.frame] - time)) w.frame = f;
  return w;
}

/* How many values a body has of it; 0: none.  Rigid bodies, which have orientations, have one for each copy and no cells. */
static int64_t count_of(vvi_run *run, int body, const wanted *w, int *components)
{
  int64_t n, turned;
  int four;
  vvi_run_shape(run, body, "orientation", &turned, &four);
  vvi_run_shape(run, body, w->name, &n, components);
  return turned == 0 && w->component < *components ? n : 0;
}

/* Is it in "a, b, c"? */
static bool listed(const char *list, const char *name)
{
  const size_t n = strlen(name);
  for (const char *c = strstr(list, name); c != NULL; c = strstr(c + 1, name))
    if ((c == list || c[-1] == ' ') && (c[n] == ',' || c[n] == '\0')) return true;
  return false;
}

/* Names of all fields, once each; tables that do not change are none. */
static vv_status refuse(vvi_run *run, vvi_arena *arena, const char *field)
{
  char known[512] = "", near[OBJECT_TEXT] = "";
  size_t used = 0;
  int least = INT_MAX;
  for (int i = 0; i < run->n_body; i++) {
    char object[OBJECT_TEXT], **name;
    int n;
    snprintf(object, sizeof object, "/bodies/%.240s", run->body[i]);
    if (vvi_h5_names(&run->h5, object, arena, &n, &name) != VV_OK) continue;
    for (int k = 0; k < n; k++) {
      wanted w = {.component = -1};
      int components;
      snprintf(w.name, sizeof w.name, "%s", name[k]);
      const int64_t count = count_of(run, i, &w, &components);
      const bool fixed = strcmp(name[k], "elements") == 0 || strncmp(name[k], "skin_", 5) == 0 ||
                         strcmp(name[k], "contact_extent") == 0;
      if (count == 0 || fixed || listed(known, name[k]) || used + strlen(name[k]) + 3 > sizeof known) continue;
      const int slips = vv_text_slips(field, name[k]);
      if (slips >= 0 && slips < least) least = slips, snprintf(near, sizeof near, "%s", name[k]);
      used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "", name[k]);
    }
  }
  if (near[0] != '\0')
    return vvi_fail(run->h5.ctx, VV_ARG, "no bar, beam or shell has a field '%.60s'; did you mean '%.60s'?", field,
                    near);
  return vvi_fail(run->h5.ctx, VV_ARG, "no bar, beam or shell has a field '%.60s'%s%s", field,
                  used > 0 ? "; there are: " : "; rigid bodies have no cells to colour, the report page shows theirs",
                  known);
}

/* ---- values ---- */

/* One number for each node or element. */
static vv_status read_values(vvi_run *run, vvi_arena *arena, int body, const wanted *w, int64_t n, int components,
                             double **out)
{
  double *all = VVI_ARENA_NEW(arena, double, n *components);
  *out = VVI_ARENA_NEW(arena, double, n);
  if (all == NULL || *out == NULL) return VV_NOMEM;
  VV_TRY(vvi_run_read(run, body, w->name, w->frame, 1, 0, n, all));
  for (int64_t i = 0; i < n; i++) {
    double square = 0;
    for (int c = 0; c < components; c++) square += all[i * components + c] * all[i * components + c];
    (*out)[i] = w->component >= 0 ? all[i * components + w->component] : components == 1 ? all[i] : sqrt(square);
  }
  return VV_OK;
}

/* Nodes of a cell: of element e of a shell, or of a chain of nodes; false: there is none. */
static bool corners_of(const int64_t *triangle, int64_t e, int64_t nodes, int64_t at[3])
{
  for (int k = 0; k < 3; k++) at[k] = triangle != NULL ? triangle[3 * e + k] : k < 2 ? (e + k) % nodes : -1;
  for (int k = 0; k < (triangle != NULL ? 3 : 2); k++)
    if (at[k] < 0 || at[k] >= nodes) return false;
  return true;
}

static void fill_cell(const double *x, const int64_t at[3], const double *value, bool on_nodes, int64_t e, cell *c)
{
  const int n = at[2] >= 0 ? 3 : 2;
  double sum = 0;
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 3; j++) c->x[k][j] = k < n ? x[3 * at[k] + j] : NAN;
  for (int k = 0; k < n; k++) sum += on_nodes ? value[at[k]] / n : value[e] / n;
  c->value = sum;
}

/* Where its nodes are drawn: on the limit surface where there is one. */
static vv_status read_nodes(vvi_run *run, vvi_arena *arena, int body, int64_t frame, int64_t nodes, double **x)
{
  int64_t limits;
  int components;
  vvi_run_shape(run, body, "limit", &limits, &components);
  *x = VVI_ARENA_NEW(arena, double, 3 * nodes);
  if (*x == NULL) return VV_NOMEM;
  return vvi_run_read(run, body, limits == nodes && components == 3 ? "limit" : "position", frame, 1, 0, nodes, *x);
}

/* 1 where an element is broken: it has no place in a drawing, but one in a curve.  NULL: nothing breaks. */
static vv_status read_damage(vvi_run *run, vvi_arena *arena, int body, int64_t frame, int64_t elements, double **out)
{
  int64_t n;
  int components;
  *out = NULL;
  vvi_run_shape(run, body, "damage", &n, &components);
  if (n != elements || components != 1) return VV_OK;
  *out = VVI_ARENA_NEW(arena, double, n);
  return *out != NULL ? vvi_run_read(run, body, "damage", frame, 1, 0, n, *out) : VV_NOMEM;
}

/* Segments of a chain of nodes: as many as nodes where it is closed. */
static int64_t segments_of(vvi_run *run, int body, int64_t nodes)
{
  int64_t elements;
  int components;
  vvi_run_shape(run, body, "strain", &elements, &components);
  return nodes > 2 && elements == nodes ? nodes : nodes - 1;
}

static bool is_on_nodes(vvi_run *run, int body, const wanted *w)
{
  char object[OBJECT_TEXT], on[NAME_TEXT] = "";
  snprintf(object, sizeof object, "/bodies/%.240s/%.60s", run->body[body], w->name);
  (void)!vvi_h5_get_text(&run->h5, object, "on", on, sizeof on);
  return strcmp(on, "nodes") == 0;
}

/* Adds the cells of a body; where neither a surface nor a chain carries them there are none. */
static vv_status add_body(vvi_run *run, vvi_arena *arena, int body, const wanted *w, cell *list, int64_t *n)
{
  int64_t nodes, triangles, *triangle = NULL;
  int components, three;
  double *x, *value, *damage;
  const int64_t count = count_of(run, body, w, &components);
  vvi_run_shape(run, body, "position", &nodes, &three);
  if (count == 0 || nodes < 2 || three != 3) return VV_OK;
  VV_TRY(vvi_run_triangles(run, arena, body, &triangles, &triangle));
  if (triangles == 0) triangle = NULL;
  const bool on_nodes = is_on_nodes(run, body, w);
  const int64_t elements = triangle != NULL ? triangles : segments_of(run, body, nodes);
  if (count != (on_nodes ? nodes : elements)) return VV_OK;
  VV_TRY(read_nodes(run, arena, body, w->frame, nodes, &x));
  VV_TRY(read_damage(run, arena, body, w->frame, elements, &damage));
  VV_TRY(read_values(run, arena, body, w, count, components, &value));
  for (int64_t e = 0; e < elements; e++) {
    int64_t at[3];
    if (!corners_of(triangle, e, nodes, at)) continue;
    if (list != NULL) {
      fill_cell(x, at, value, on_nodes, e, &list[*n]);
      list[*n].broken = damage != NULL && damage[e] >= 1.0;
    }
    ++*n;
  }
  return VV_OK;
}

/* ---- the view ---- */

static int by_depth(const void *a, const void *b)
{
  const double x = ((const cell *)a)->depth, y = ((const cell *)b)->depth;
  return x < y ? -1 : x > y;
}

/* The reader is where x, y or -y points to, whichever axis is not drawn. */
static void sort_cells(cell *list, int64_t n, int across, int up)
{
  const int third = 3 - across - up;
  const double side = third == 1 ? -1.0 : 1.0;
  for (int64_t i = 0; i < n; i++) {
    const int corners = isfinite(list[i].x[2][0]) ? 3 : 2;
    list[i].depth = 0;
    for (int k = 0; k < corners; k++) list[i].depth += side * list[i].x[k][third] / corners;
  }
  qsort(list, (size_t)n, sizeof *list, by_depth);
}

static vv_status flatten(vvi_arena *arena, const cell *list, int64_t n, int across, int up, vvi_series *out)
{
  double *x = VVI_ARENA_NEW(arena, double, 7 * n + 1), *y = x + 3 * n, *value = y + 3 * n;
  if (x == NULL) return VV_NOMEM;
  for (int64_t i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++) x[3 * i + k] = list[i].x[k][across], y[3 * i + k] = list[i].x[k][up];
    value[i] = list[i].value;
  }
  *out = (vvi_series){.n = 3 * n, .x = x, .y = y, .value = value, .style = VVI_PLOT_CELLS};
  return VV_OK;
}

/* All on one line: a curve of each body, over the middles of its cells. */
static vv_status add_curve(vvi_arena *arena, const char *name, const cell *list, int64_t n, vvi_field_view *out)
{
  if (n == 0 || out->n_curve == VVI_FIELD_CURVES) return VV_OK;
  double *x = VVI_ARENA_NEW(arena, double, 2 * n), *y = x + n;
  if (x == NULL) return VV_NOMEM;
  for (int64_t i = 0; i < n; i++) {
    x[i] = 0.5 * (list[i].x[0][out->along] + list[i].x[1][out->along]);
    y[i] = list[i].value;
  }
  out->curve[out->n_curve++] = (vvi_series){.name = name, .n = n, .x = x, .y = y, .style = VVI_PLOT_CURVE};
  return VV_OK;
}

static int longest(const cell *list, int64_t n)
{
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int64_t i = 0; i < n; i++)
    for (int j = 0; j < 3; j++) lo[j] = fmin(lo[j], list[i].x[0][j]), hi[j] = fmax(hi[j], list[i].x[0][j]);
  int most = 0;
  for (int j = 1; j < 3; j++)
    if (hi[j] - lo[j] > hi[most] - lo[most]) most = j;
  return most;
}

static void find_range(const cell *list, int64_t n, vvi_field_view *out)
{
  out->lo = INFINITY, out->hi = -INFINITY;
  for (int64_t i = 0; i < n; i++)
    if (isfinite(list[i].value)) out->lo = fmin(out->lo, list[i].value), out->hi = fmax(out->hi, list[i].value);
  if (!(out->lo <= out->hi)) out->lo = out->hi = 0;
  if (out->hi - out->lo < 1e-9 * fmax(fabs(out->lo), fabs(out->hi))) out->hi = out->lo; /* rounding has no colours */
  if (out->lo < 0 && out->hi > 0) out->hi = fmax(out->hi, -out->lo), out->lo = -out->hi;
}

static int64_t drop_broken(cell *list, int64_t n)
{
  int64_t left = 0;
  for (int64_t i = 0; i < n; i++)
    if (!list[i].broken) list[left++] = list[i];
  return left;
}

/* Shapes of bodies that have the field give way to its cells. */
static void keep_others(vvi_run *run, const wanted *w, vvi_shapes *s)
{
  int n = 0;
  for (int i = 0; i < s->n; i++) {
    int components;
    if (count_of(run, s->body[i], w, &components) > 0) continue;
    s->series[n] = s->series[i], s->fade[n] = 0.5, s->body[n] = s->body[i];
    s->series[n++].name = NULL;
  }
  s->n = n;
}

vv_status vvi_field_read(vvi_run *run, vvi_arena *arena, const char *field, double time, vvi_field_view *out)
{
  const wanted w = read_name(run, field, time);
  int64_t first[256] = {0}, n = 0, put = 0;
  *out = (vvi_field_view){.frame = w.frame};
  for (int i = 0; i < run->n_body; i++) VV_TRY(add_body(run, arena, i, &w, NULL, &n));
  if (n == 0) return refuse(run, arena, field);
  cell *list = VVI_ARENA_NEW(arena, cell, n);
  if (list == NULL) return VV_NOMEM;
  for (int i = 0; i < run->n_body; i++) {
    char object[OBJECT_TEXT];
    int components;
    VV_TRY(add_body(run, arena, i, &w, list, &put));
    if (i + 1 < VV_COUNT(first)) first[i + 1] = put;
    snprintf(object, sizeof object, "/bodies/%.240s/%.60s", run->body[i], w.name);
    if (count_of(run, i, &w, &components) > 0)
      (void)!vvi_h5_get_text(&run->h5, object, "unit", out->unit, sizeof out->unit);
  }
  VV_TRY(vvi_shapes_at(run, arena, w.frame, &out->shapes));
  if (out->shapes.n == 0) {
    out->along = longest(list, n);
    find_range(list, n, out);
    for (int i = 0; i < run->n_body && i + 1 < VV_COUNT(first); i++)
      VV_TRY(add_curve(arena, run->body[i], list + first[i], first[i + 1] - first[i], out));
    return VV_OK;
  }
  n = drop_broken(list, n);
  find_range(list, n, out);
  sort_cells(list, n, out->shapes.across, out->shapes.up);
  VV_TRY(flatten(arena, list, n, out->shapes.across, out->shapes.up, &out->cells));
  keep_others(run, &w, &out->shapes);
  return VV_OK;
}
