/* validation/figures.c  Impacts against the exact solution, and energy errors. */
#include "figures.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_RUNS = 8 };
static const double smallest_error = 1e-17; /* where an exact zero is drawn on a log axis */

vvi_series figure_line(const char *name, int64_t n, const double *x, const double *y, int colour, int style)
{
  return (vvi_series){.name = name, .n = n, .x = x, .y = y, .colour = colour, .style = style};
}

/* Everything that a row of figure_impact draws and the record does not hold. */
typedef struct exact_curves {
  double *place[2], *speed[2], *error, *level;
  double floor; /* of the log axis */
} exact_curves;

static vv_status exact_make(exact_curves *e, const record *r, const wave_bars *w, double shift, double level)
{
  *e = (exact_curves){0};
  double *all = malloc(sizeof(double) * (size_t)(6 * r->n));
  if (all == NULL) return VV_NOMEM;
  for (int k = 0; k < 2; k++) e->place[k] = all + k * r->n, e->speed[k] = all + (2 + k) * r->n;
  e->error = all + 4 * r->n, e->level = all + 5 * r->n;
  for (int64_t i = 0; i < r->n; i++) {
    for (int k = 0; k < 2; k++) {
      const wave_side side = k == 0 ? WAVE_A : WAVE_B;
      e->place[k][i] = w->v0[k] * shift + wave_tip_displacement(w, side, r->t[i]);
      e->speed[k][i] = wave_tip_velocity(w, side, r->t[i]);
    }
    e->error[i] = fabs(r->closure[i]);
    e->level[i] = level;
    e->floor = fmax(e->floor, 1e-6 * e->error[i]);
  }
  e->floor = fmax(e->floor, smallest_error);
  return VV_OK;
}

static void exact_free(exact_curves *e)
{
  free(e->place[0]);
}

/* Displacements, velocities, energy error: the series of one row. */
typedef struct row_series {
  vvi_series place[4], speed[4], error[2];
  int n_place, n_speed, n_error;
  double floor;
  char title[3][96];
} row_series;

static void make_row(row_series *s, const record *r, const exact_curves *e, const char *name, bool wall)
{
  enum { BLUE = 1, RED = 2, LIGHT = 5, BLACK = 7 };
  *s = (row_series){.floor = e->floor};
  s->place[s->n_place++] = figure_line(wall ? "tip" : "left tip", r->n, r->t, r->at[0], BLUE, VVI_PLOT_LINE);
  if (!wall) s->place[s->n_place++] = figure_line("right tip", r->n, r->t, r->at[1], RED, VVI_PLOT_LINE);
  s->place[s->n_place++] = figure_line("exact", r->n, r->t, e->place[0], BLACK, VVI_PLOT_DASHED);
  if (!wall) s->place[s->n_place++] = figure_line(NULL, r->n, r->t, e->place[1], BLACK, VVI_PLOT_DASHED);
  const char *node = r->soft ? "left end node" : wall ? "tip" : "left tip";
  s->speed[s->n_speed++] = figure_line(node, r->n, r->t, r->v[0], LIGHT, VVI_PLOT_LINE);
  if (r->soft) s->speed[s->n_speed++] = figure_line("left contact point", r->n, r->t, r->speed[0], BLUE, VVI_PLOT_LINE);
  const bool right = !r->soft && !wall;
  if (right) s->speed[s->n_speed++] = figure_line("right tip", r->n, r->t, r->v[1], RED, VVI_PLOT_LINE);
  s->speed[s->n_speed++] = figure_line("exact", r->n, r->t, e->speed[0], BLACK, VVI_PLOT_DASHED);
  if (right) s->speed[s->n_speed++] = figure_line(NULL, r->n, r->t, e->speed[1], BLACK, VVI_PLOT_DASHED);
  s->error[s->n_error++] = figure_line("measured", r->n, r->t, e->error, BLUE, VVI_PLOT_LINE);
  if (e->level[0] > 0) s->error[s->n_error++] = figure_line("published", r->n, r->t, e->level, BLACK, VVI_PLOT_DASHED);
  snprintf(s->title[0], sizeof s->title[0], "%s: displacement", name);
  snprintf(s->title[1], sizeof s->title[1], "%s: velocity", name);
  snprintf(s->title[2], sizeof s->title[2], "%s: relative energy error", name);
}

static void row_panels(const row_series *s, vvi_panel panel[3])
{
  panel[0] = (vvi_panel){.title = s->title[0], .y_label = "displacement", .n_series = s->n_place, .series = s->place};
  panel[1] = (vvi_panel){.title = s->title[1], .y_label = "velocity", .n_series = s->n_speed, .series = s->speed};
  panel[2] = (vvi_panel){.title = s->title[2],
                         .y_label = "|error|",
                         .log_y = true,
                         .y_floor = s->floor,
                         .n_series = s->n_error,
                         .series = s->error};
  for (int i = 0; i < 3; i++) panel[i].x_label = "time";
}

vv_status figure_impact(book_chapter *c, const char *name, const char *title, const record *run[2],
                        const char *const names[2], const wave_bars *w, double shift, const double level[2])
{
  exact_curves exact[2] = {{.error = NULL}, {.error = NULL}};
  row_series row[2];
  vvi_panel panel[6];
  vv_status status = VV_OK;
  for (int i = 0; i < 2 && status == VV_OK; i++) {
    status = exact_make(&exact[i], run[i], w, shift, level[i]);
    if (status != VV_OK) break;
    make_row(&row[i], run[i], &exact[i], names[i], w->wall);
    row_panels(&row[i], panel + 3 * i);
  }
  const vvi_page page = {.title = title, .width = 1320, .height = 760, .columns = 3, .n_panel = 6, .panel = panel};
  if (status == VV_OK) status = book_plot(c, name, title, &page);
  for (int i = 0; i < 2; i++) exact_free(&exact[i]);
  return status;
}

vv_status figure_energy(book_chapter *c, const char *name, const char *title, int n, const record *const run[],
                        const char *const names[])
{
  vvi_series series[MAX_RUNS];
  double *error[MAX_RUNS] = {NULL};
  vv_status status = VV_OK;
  for (int i = 0; i < n && status == VV_OK; i++) {
    error[i] = malloc(sizeof(double) * (size_t)run[i]->n);
    if (error[i] == NULL) status = VV_NOMEM;
    for (int64_t k = 0; error[i] != NULL && k < run[i]->n; k++) error[i][k] = fabs(run[i]->closure[k]);
    series[i] = figure_line(names[i], run[i]->n, run[i]->t, error[i], i + 1, VVI_PLOT_LINE);
  }
  const vvi_panel panel = {.x_label = "time",
                           .y_label = "|relative energy error|",
                           .log_y = true,
                           .y_floor = smallest_error,
                           .n_series = n,
                           .series = series};
  const vvi_page page = {.title = title, .width = 900, .height = 420, .columns = 1, .n_panel = 1, .panel = &panel};
  if (status == VV_OK) status = book_plot(c, name, title, &page);
  for (int i = 0; i < n; i++) free(error[i]);
  return status;
}
