/* report/picture.c  One picture of a run: how the ends move, where the energy is, and how well it is kept. */
#include "io/file.h"
#include "io/results/json.h"
#include "io/results/read.h"
#include "report/plot.h"
#include "visviva/results.h"

#include <math.h>
#include <string.h>

enum { MAX_ENDS = 6, NAME_TEXT = 64, LINE_TEXT = 256 };
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

static int add_energies(const vvi_table *ledger, vvi_series series[4])
{
  static const char *const name[] = {"kinetic", "strain", "contact", "total"};
  int n = 0;
  for (int i = 0; i < 4; i++) {
    const double *x = vvi_table_column(ledger, "time"), *y = vvi_table_column(ledger, name[i]);
    if (x == NULL || y == NULL) continue;
    series[n] = (vvi_series){.name = name[i], .n = ledger->rows, .x = x, .y = y, .colour = i < 3 ? i + 1 : 7};
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

static vv_status draw(vv_ctx *ctx, vvi_arena *arena, vvi_run *run, const char *folder, const char *path)
{
  const char *ledger_path = vvi_path(arena, folder, "ledger.csv"), *event_path = vvi_path(arena, folder, "events.csv");
  if (ledger_path == NULL || event_path == NULL) return VV_NOMEM;
  vvi_table ledger, events;
  ends e = {0};
  VV_TRY(vvi_table_read(ctx, arena, ledger_path, &ledger));
  VV_TRY(vvi_table_read(ctx, arena, event_path, &events));
  VV_TRY(check_content(ctx, run, &ledger, ledger_path));
  VV_TRY(read_ends(run, arena, &e));
  const int k = main_direction(&e, run->frames);
  vvi_series place[MAX_ENDS], speed[MAX_ENDS], energy[4], closure;
  for (int i = 0; i < e.n; i++) {
    VV_TRY(add_series(arena, run, &e, i, k, true, &place[i]));
    VV_TRY(add_series(arena, run, &e, i, k, false, &speed[i]));
  }
  VV_TRY(add_closure(arena, &ledger, &closure));
  char title[LINE_TEXT], line[LINE_TEXT], note[NAME_TEXT] = "", along[2][NAME_TEXT];
  make_heading(arena, folder, &ledger, &closure, events.rows, title, line);
  if (e.left_out > 0) snprintf(note, sizeof note, "%d more bodies not shown", e.left_out);
  char time[NAME_TEXT], joule[NAME_TEXT];
  const char *second = vvi_table_unit(&ledger, "time"), *metre = vvi_table_unit(&ledger, "penetration");
  snprintf(along[0], NAME_TEXT, "displacement %c (%.20s)", "xyz"[k], metre);
  snprintf(along[1], NAME_TEXT, "velocity %c (%.20s/%.20s)", "xyz"[k], metre, second);
  snprintf(time, NAME_TEXT, "time (%.20s)", second);
  snprintf(joule, NAME_TEXT, "energy (%.40s)", vvi_table_unit(&ledger, "total"));
  const double *mark = vvi_table_column(&events, "time");
  const int64_t n_mark = mark != NULL ? events.rows : 0;
  const vvi_panel panel[] = {{.title = "Displacement of the ends",
                              .x_label = time,
                              .y_label = along[0],
                              .note = note,
                              .n_series = e.n,
                              .series = place,
                              .n_mark = n_mark,
                              .mark = mark},
                             {.title = "Velocity of the ends",
                              .x_label = time,
                              .y_label = along[1],
                              .note = note,
                              .n_series = e.n,
                              .series = speed,
                              .n_mark = n_mark,
                              .mark = mark},
                             {.title = "Energy",
                              .x_label = time,
                              .y_label = joule,
                              .n_series = add_energies(&ledger, energy),
                              .series = energy,
                              .n_mark = n_mark,
                              .mark = mark},
                             {.title = "Relative energy error",
                              .x_label = time,
                              .y_label = "|closure|",
                              .log_y = true,
                              .y_floor = smallest_error,
                              .n_series = 1,
                              .series = &closure,
                              .n_mark = n_mark,
                              .mark = mark}};
  const vvi_page page = {.title = title, .subtitle = line, .n_panel = VV_COUNT(panel), .panel = panel};
  return vvi_plot_write(ctx, path, &page);
}

vv_status vv_picture_write(vv_ctx *ctx, const char *folder, const char *path)
{
  if (ctx == NULL || folder == NULL || path == NULL) return VV_ARG;
  vvi_arena arena = {0};
  vvi_run run = {0};
  vv_status status = vvi_run_open(ctx, &arena, folder, &run);
  if (status == VV_OK) status = draw(ctx, &arena, &run, folder, path);
  (void)!vvi_run_close(&run);
  vvi_arena_free(&arena);
  return status;
}
