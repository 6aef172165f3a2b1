/* report/picture.c  One picture of a run: how bodies move, where the energy is, and how well it is kept.  Bodies on a line
 * are shown by the displacement and velocity of their ends, bodies in space by their shapes. */
#include "io/file.h"
#include "io/results/json.h"
#include "io/results/read.h"
#include "report/field.h"
#include "report/plot.h"
#include "report/shapes.h"
#include "visviva/results.h"

#include <math.h>
#include <string.h>

enum { MAX_ENDS = 6, NAME_TEXT = 64, LINE_TEXT = 256, ENERGIES = 6 };
static const double smallest_error = 1e-17; /* where an exact zero is drawn on the log axis */

/* Histories of the end nodes of the bodies. */
typedef struct ends {
  int n, left_out; /* series; bodies that did not fit */
  char name[MAX_ENDS][NAME_TEXT];
  double *place[MAX_ENDS], *speed[MAX_ENDS]; /* [frames][3]; speed NULL where a kind has no velocity */
} ends;

static vv_status read_history(vvi_run *run, vvi_arena *arena, int body, const char *field, int64_t node, double **out)
{
  int64_t count;
  int components;
  *out = NULL;
  vvi_run_shape(run, body, field, &count, &components);
  if (count <= node || components != 3 || run->frames == 0) return VV_OK;
  *out = VVI_ARENA_NEW(arena, double, 3 * run->frames);
  return *out != NULL ? vvi_run_read(run, body, field, 0, run->frames, node, 1, *out) : VV_NOMEM;
}

static vv_status read_ends(vvi_run *run, vvi_arena *arena, ends *e)
{
  for (int i = 0; i < run->n_body; i++) {
    int64_t nodes;
    int components;
    vvi_run_shape(run, i, "position", &nodes, &components);
    if (nodes == 0 || components != 3) continue;
    const int wanted = nodes > 1 ? 2 : 1;
    if (e->n + wanted > MAX_ENDS) {
      e->left_out++;
      continue;
    }
    for (int k = 0; k < wanted; k++, e->n++) {
      const int64_t node = k == 0 ? 0 : nodes - 1;
      snprintf(e->name[e->n], NAME_TEXT, "%.40s%s", run->body[i], wanted == 1 ? "" : k == 0 ? " first" : " last");
      VV_TRY(read_history(run, arena, i, "position", node, &e->place[e->n]));
      VV_TRY(read_history(run, arena, i, "velocity", node, &e->speed[e->n]));
    }
  }
  return VV_OK;
}

/* The direction in which the ends move most: bars have one, and it is the one to show. */
static int main_direction(const ends *e, int64_t frames)
{
  double span[3] = {0, 0, 0};
  for (int i = 0; i < e->n; i++)
    for (int64_t f = 0; e->place[i] != NULL && f < frames; f++)
      for (int k = 0; k < 3; k++) span[k] = fmax(span[k], fabs(e->place[i][3 * f + k] - e->place[i][k]));
  return span[1] > span[0] && span[1] >= span[2] ? 1 : span[2] > span[0] ? 2 : 0;
}

/* One component of a history; minus its start for displacements. */
static vv_status add_series(vvi_arena *arena, const vvi_run *run, const ends *e, int i, int k, bool displacement,
                            vvi_series *out)
{
  const double *from = displacement ? e->place[i] : e->speed[i];
  *out = (vvi_series){.name = e->name[i], .colour = i + 1, .x = run->time};
  if (from == NULL) return VV_OK;
  double *y = VVI_ARENA_NEW(arena, double, run->frames);
  if (y == NULL) return VV_NOMEM;
  for (int64_t f = 0; f < run->frames; f++) y[f] = from[3 * f + k] - (displacement ? from[k] : 0);
  out->n = run->frames;
  out->y = y;
  return VV_OK;
}

static bool has_values(int64_t n, const double *y)
{
  for (int64_t i = 0; y != NULL && i < n; i++)
    if (y[i] != 0) return true;
  return false;
}

/* Those that are never anything but zero are left out. */
static int add_energies(const vvi_table *ledger, vvi_series series[ENERGIES])
{
  static const struct {
    const char *column, *name;
    int colour;
    bool always;
  } row[ENERGIES] = {{"kinetic", "kinetic", 1, true},
                     {"strain", "strain", 2, true},
                     {"contact", "contact", 3, false},
                     {"potential", "potential", 4, false},
                     {"external_work", "external work", 5, false},
                     {"total", "total", 7, true}};
  int n = 0;
  for (int i = 0; i < ENERGIES; i++) {
    const double *x = vvi_table_column(ledger, "time"), *y = vvi_table_column(ledger, row[i].column);
    if (x == NULL || y == NULL || (!row[i].always && !has_values(ledger->rows, y))) continue;
    series[n] = (vvi_series){.name = row[i].name, .n = ledger->rows, .x = x, .y = y, .colour = row[i].colour};
    n++;
  }
  return n;
}

static vv_status add_closure(vvi_arena *arena, const vvi_table *ledger, vvi_series *out)
{
  const double *x = vvi_table_column(ledger, "time"), *c = vvi_table_column(ledger, "closure");
  *out = (vvi_series){.name = "|closure|", .x = x, .colour = 2};
  if (x == NULL || c == NULL) return VV_OK;
  double *y = VVI_ARENA_NEW(arena, double, ledger->rows);
  if (y == NULL) return VV_NOMEM;
  for (int64_t i = 0; i < ledger->rows; i++) y[i] = fabs(c[i]);
  out->y = y;
  out->n = ledger->rows;
  return VV_OK;
}

/* Title and one line of facts; a run that is still going has no summary, and then the ledger speaks. */
static void make_heading(vvi_arena *arena, const char *folder, const vvi_table *ledger, const vvi_series *closure,
                         int64_t impacts, char title[LINE_TEXT], char line[LINE_TEXT])
{
  const char *path = vvi_path(arena, folder, "summary.json");
  const char *text = path != NULL ? vvi_text_read(arena, path, NULL) : NULL;
  char kind[NAME_TEXT] = "", reason[NAME_TEXT] = "not finished";
  double worst = 0, steps = (double)ledger->rows;
  const double *step = vvi_table_column(ledger, "step");
  if (step != NULL && ledger->rows > 0) steps = step[ledger->rows - 1];
  for (int64_t i = 0; i < closure->n; i++) worst = fmax(worst, closure->y[i]);
  snprintf(title, LINE_TEXT, "visviva");
  if (text != NULL) {
    vvi_json_find_text(text, "title", title, LINE_TEXT);
    vvi_json_find_text(text, "energy.kind", kind, sizeof kind);
    vvi_json_find_text(text, "reason", reason, sizeof reason);
    vvi_json_find_number(text, "energy.max_relative_error", &worst);
  }
  snprintf(line, LINE_TEXT, "%s%senergy error at most %.2g, %lld impacts, %.0f steps, %s", kind,
           kind[0] != '\0' ? " " : "", worst, (long long)impacts, steps, reason);
}

/* Empty axes would look like a result. */
static vv_status check_content(vv_ctx *ctx, const vvi_run *run, const vvi_table *ledger, const char *ledger_path)
{
  static const char *const column[] = {"time", "total", "closure"};
  int64_t rows = 0;
  for (int i = 0; i < VV_COUNT(column); i++)
    if (vvi_table_column(ledger, column[i]) == NULL)
      return vvi_fail(ctx, VV_IO, "%s: is not a ledger: it has no column '%s'", ledger_path, column[i]);
  const double *time = vvi_table_column(ledger, "time"), *total = vvi_table_column(ledger, "total");
  for (int64_t i = 0; i < ledger->rows; i++) rows += isfinite(time[i]) && isfinite(total[i]);
  if (rows == 0) return vvi_fail(ctx, VV_IO, "%s: has no row of numbers, so there is nothing to draw", ledger_path);
  if (run->frames == 0) return vvi_fail(ctx, VV_IO, "%s: has no frame, so there is nothing to draw", run->h5.path);
  return VV_OK;
}

/* Names on the axes, with the units of the ledger. */
typedef struct axis_names {
  char time[NAME_TEXT], joule[NAME_TEXT], place[NAME_TEXT], speed[NAME_TEXT], across[NAME_TEXT], up[NAME_TEXT];
} axis_names;

static axis_names name_axes(const vvi_table *ledger, int k, const vvi_shapes *shapes)
{
  axis_names a;
  const char *second = vvi_table_unit(ledger, "time"), *metre = vvi_table_unit(ledger, "penetration");
  snprintf(a.place, NAME_TEXT, "displacement %c (%.20s)", "xyz"[k], metre);
  snprintf(a.speed, NAME_TEXT, "velocity %c (%.20s/%.20s)", "xyz"[k], metre, second);
  snprintf(a.across, NAME_TEXT, "%c (%.20s)", "xyz"[shapes->across], metre);
  snprintf(a.up, NAME_TEXT, "%c (%.20s)", "xyz"[shapes->up], metre);
  snprintf(a.time, NAME_TEXT, "time (%.20s)", second);
  snprintf(a.joule, NAME_TEXT, "energy (%.40s)", vvi_table_unit(ledger, "total"));
  return a;
}

/* What is drawn, panel by panel. */
typedef struct content {
  ends e;
  vvi_shapes shapes;
  vvi_series place[MAX_ENDS], speed[MAX_ENDS], energy[ENERGIES], closure;
  int n_energy;
  char title[LINE_TEXT], line[LINE_TEXT], note[NAME_TEXT];
  axis_names axis;
  int64_t n_mark;
  const double *mark;
} content;

static vv_status read_content(vvi_arena *arena, vvi_run *run, const char *folder, const vvi_table *ledger,
                              const vvi_table *events, content *c)
{
  VV_TRY(read_ends(run, arena, &c->e));
  VV_TRY(vvi_shapes_read(run, arena, &c->shapes));
  const int k = main_direction(&c->e, run->frames);
  for (int i = 0; i < c->e.n; i++) {
    VV_TRY(add_series(arena, run, &c->e, i, k, true, &c->place[i]));
    VV_TRY(add_series(arena, run, &c->e, i, k, false, &c->speed[i]));
  }
  VV_TRY(add_closure(arena, ledger, &c->closure));
  c->n_energy = add_energies(ledger, c->energy);
  make_heading(arena, folder, ledger, &c->closure, events->rows, c->title, c->line);
  if (c->e.left_out > 0) snprintf(c->note, sizeof c->note, "%d more bodies not shown", c->e.left_out);
  c->axis = name_axes(ledger, k, &c->shapes);
  c->mark = vvi_table_column(events, "time");
  c->n_mark = c->mark != NULL ? events->rows : 0;
  return VV_OK;
}

/* The exact zero of the first row would stretch the log axis over decades of nothing. */
static double error_floor(const vvi_series *closure)
{
  double worst = 0;
  for (int64_t i = 0; i < closure->n; i++) worst = fmax(worst, closure->y[i]);
  return fmax(smallest_error, 1e-6 * worst);
}

static vv_status write_page(vv_ctx *ctx, const char *path, const content *c)
{
  enum { FIRST, SECOND, ENERGY, ERROR, PANELS };
  const vvi_panel place = {.title = "Displacement of the ends",
                           .y_label = c->axis.place,
                           .note = c->note,
                           .n_series = c->e.n,
                           .series = c->place};
  vvi_panel panel[PANELS];
  panel[ENERGY] =
      (vvi_panel){.title = "Energy", .y_label = c->axis.joule, .n_series = c->n_energy, .series = c->energy};
  panel[ERROR] = (vvi_panel){.title = "Relative energy error",
                             .y_label = "|closure|",
                             .log_y = true,
                             .y_floor = error_floor(&c->closure),
                             .n_series = 1,
                             .series = &c->closure};
  panel[FIRST] = panel[SECOND] = place;
  if (c->shapes.n == 0)
    panel[SECOND] = (vvi_panel){.title = "Velocity of the ends",
                                .y_label = c->axis.speed,
                                .note = c->note,
                                .n_series = c->e.n,
                                .series = c->speed};
  for (int i = 0; i < PANELS; i++)
    panel[i].x_label = c->axis.time, panel[i].n_mark = c->n_mark, panel[i].mark = c->mark;
  if (c->shapes.n > 0)
    panel[FIRST] = (vvi_panel){.title = "Shapes, from the start (black) to the end",
                               .x_label = c->axis.across,
                               .y_label = c->axis.up,
                               .equal = true,
                               .n_series = c->shapes.n,
                               .series = c->shapes.series,
                               .fade = c->shapes.fade};
  const vvi_page page = {.title = c->title, .subtitle = c->line, .n_panel = PANELS, .panel = panel};
  return vvi_plot_write(ctx, path, &page);
}

static vv_status draw(vv_ctx *ctx, vvi_arena *arena, vvi_run *run, const char *folder, const char *path)
{
  const char *ledger_path = vvi_path(arena, folder, "ledger.csv"), *event_path = vvi_path(arena, folder, "events.csv");
  content *c = VVI_ARENA_NEW(arena, content, 1);
  if (ledger_path == NULL || event_path == NULL || c == NULL) return VV_NOMEM;
  vvi_table ledger, events;
  VV_TRY(vvi_table_read(ctx, arena, ledger_path, &ledger));
  VV_TRY(vvi_table_read(ctx, arena, event_path, &events));
  VV_TRY(check_content(ctx, run, &ledger, ledger_path));
  VV_TRY(read_content(arena, run, folder, &ledger, &events, c));
  return write_page(ctx, path, c);
}

/* ---- one field at one time ---- */

/* Cells, and the outlines of what has no such field in grey. */
static vv_status write_cells(vv_ctx *ctx, vvi_arena *arena, const vvi_field_view *v, const vvi_scale *scale,
                             vvi_page *page, const char *title, const char *metre, const char *path)
{
  const int n = v->shapes.n + 1;
  vvi_series *series = VVI_ARENA_NEW(arena, vvi_series, n);
  double *fade = VVI_ARENA_NEW(arena, double, n);
  char across[NAME_TEXT], up[NAME_TEXT];
  if (series == NULL || fade == NULL) return VV_NOMEM;
  for (int i = 0; i + 1 < n; i++) series[i] = v->shapes.series[i], series[i].colour = 7, fade[i] = v->shapes.fade[i];
  series[n - 1] = v->cells, fade[n - 1] = 0;
  snprintf(across, sizeof across, "%c (%.20s)", "xyz"[v->shapes.across], metre);
  snprintf(up, sizeof up, "%c (%.20s)", "xyz"[v->shapes.up], metre);
  const vvi_panel panel = {.title = title,
                           .x_label = across,
                           .y_label = up,
                           .equal = true,
                           .n_series = n,
                           .series = series,
                           .fade = fade,
                           .scale = scale};
  page->panel = &panel;
  return vvi_plot_write(ctx, path, page);
}

static vv_status write_curves(vv_ctx *ctx, const vvi_field_view *v, const char *label, vvi_page *page,
                              const char *title, const char *metre, const char *path)
{
  char along[NAME_TEXT];
  snprintf(along, sizeof along, "%c (%.20s)", "xyz"[v->along], metre);
  const vvi_panel panel = {
      .title = title, .x_label = along, .y_label = label, .n_series = v->n_curve, .series = v->curve};
  page->panel = &panel;
  return vvi_plot_write(ctx, path, page);
}

static vv_status draw_field(vv_ctx *ctx, vvi_arena *arena, vvi_run *run, const char *folder, const char *path,
                            const char *field, double time)
{
  const char *ledger_path = vvi_path(arena, folder, "ledger.csv"), *summary = vvi_path(arena, folder, "summary.json");
  const char *text = summary != NULL ? vvi_text_read(arena, summary, NULL) : NULL;
  char heading[LINE_TEXT] = "visviva", title[LINE_TEXT], label[NAME_TEXT];
  vvi_field_view *v = VVI_ARENA_NEW(arena, vvi_field_view, 1);
  vvi_table ledger;
  if (ledger_path == NULL || v == NULL) return VV_NOMEM;
  if (run->frames == 0) return vvi_fail(ctx, VV_IO, "%s: has no frame, so there is nothing to draw", run->h5.path);
  VV_TRY(vvi_table_read(ctx, arena, ledger_path, &ledger));
  VV_TRY(vvi_field_read(run, arena, field, time, v));
  if (text != NULL) vvi_json_find_text(text, "title", heading, sizeof heading);
  const char *second = vvi_table_unit(&ledger, "time"), *metre = vvi_table_unit(&ledger, "penetration");
  snprintf(label, sizeof label, "%.40s (%.20s)", field, v->unit[0] != '\0' ? v->unit : "1");
  snprintf(title, sizeof title, "%.60s at t = %.6g %.20s", field, run->time[v->frame], second);
  const vvi_scale scale = {.label = label, .lo = v->lo, .hi = v->hi};
  vvi_page page = {.title = heading, .columns = 1, .n_panel = 1};
  return v->cells.n > 0 ? write_cells(ctx, arena, v, &scale, &page, title, metre, path)
                        : write_curves(ctx, v, label, &page, title, metre, path);
}

static vv_status picture(vv_ctx *ctx, const char *folder, const char *path, const char *field, double time)
{
  vvi_arena arena = {0};
  vvi_run run = {0};
  vv_status status = vvi_run_open(ctx, &arena, folder, &run);
  if (status == VV_OK)
    status = field != NULL ? draw_field(ctx, &arena, &run, folder, path, field, time)
                           : draw(ctx, &arena, &run, folder, path);
  (void)!vvi_run_close(&run);
  vvi_arena_free(&arena);
  return status;
}

vv_status vv_picture_write(vv_ctx *ctx, const char *folder, const char *path)
{
  return ctx != NULL && folder != NULL && path != NULL ? picture(ctx, folder, path, NULL, NAN) : VV_ARG;
}

vv_status vv_picture_field(vv_ctx *ctx, const char *folder, const char *path, const char *field, double time)
{
  return ctx != NULL && folder != NULL && path != NULL && field != NULL ? picture(ctx, folder, path, field, time)
                                                                        : VV_ARG;
}
