/* report/study.c  A convergence study: orders from errors, the table and the picture of it. */
#include "io/file.h"
#include "report/plot.h"
#include "visviva/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- orders ---- */

/* log((h/r)^p - 1), but for terms that cancel between two rows and limits: r = 0 is a reference without error. */
static double log_excess(double h, double r, double p)
{
  if (r <= 0) return p * log(h);
  const double x = log(h / r);
  return fabs(p * x) < 1e-12 ? log(x) : log(fabs(expm1(p * x) / p));
}

static bool is_known(const vv_study_row *row, double r)
{
  return isfinite(row->error) && row->error > 0 && row->h > r;
}

/* p of error = C (h^p - r^p) through two points.  The ratio of errors grows with p: bisection finds it. */
static double order_between(const vv_study_row *a, const vv_study_row *b, double r)
{
  if (!is_known(a, r) || !is_known(b, r) || a->h == b->h) return NAN;
  if (a->h < b->h) return order_between(b, a, r);
  const double wanted = log(a->error / b->error);
  double lo = -20, hi = 20;
  if (r <= 0) return wanted / log(a->h / b->h);
  if (wanted <= log_excess(a->h, r, lo) - log_excess(b->h, r, lo)) return NAN;
  for (int i = 0; i < 100 && hi - lo > 1e-12; i++) {
    const double p = 0.5 * (lo + hi);
    if (log_excess(a->h, r, p) - log_excess(b->h, r, p) < wanted)
      lo = p;
    else
      hi = p;
  }
  return 0.5 * (lo + hi);
}

/* What is left of the logarithms of the errors when C is chosen best. */
static double misfit(const vv_study *s, double r, double p)
{
  double sum = 0, squares = 0;
  int n = 0;
  for (int i = 0; i < s->n_row; i++) {
    if (!is_known(&s->row[i], r)) continue;
    const double d = log(s->row[i].error) - log_excess(s->row[i].h, r, p);
    sum += d, squares += d * d, n++;
  }
  return n > 0 ? squares - sum * sum / n : NAN;
}

/* Least squares in the logarithms, by golden sections. */
static double order_of_all(const vv_study *s, double r)
{
  const double golden = 0.5 * (sqrt(5) - 1);
  double first = NAN, lo = -20, hi = 20;
  bool differ = false;
  for (int i = 0; i < s->n_row; i++) {
    if (!is_known(&s->row[i], r)) continue;
    if (isnan(first)) first = s->row[i].h;
    differ |= s->row[i].h != first;
  }
  if (!differ) return NAN;
  double a = hi - golden * (hi - lo), b = lo + golden * (hi - lo);
  double at_a = misfit(s, r, a), at_b = misfit(s, r, b);
  for (int i = 0; i < 100; i++) {
    if (at_a < at_b) {
      hi = b, b = a, at_b = at_a;
      a = hi - golden * (hi - lo), at_a = misfit(s, r, a);
    } else {
      lo = a, a = b, at_a = at_b;
      b = lo + golden * (hi - lo), at_b = misfit(s, r, b);
    }
  }
  const double p = 0.5 * (lo + hi);
  return fabs(p) < 19.9 ? p : NAN; /* no power fits */
}

void vv_study_orders(vv_study *s)
{
  for (int i = 0; i < s->n_row; i++) {
    s->row[i].slope = i > 0 && s->h_name != NULL ? order_between(&s->row[i - 1], &s->row[i], 0) : NAN;
    s->row[i].order = i > 0 && s->h_name != NULL ? order_between(&s->row[i - 1], &s->row[i], s->reference_h) : NAN;
  }
  s->slope = s->h_name != NULL ? order_of_all(s, 0) : NAN;
  s->order = s->h_name != NULL ? order_of_all(s, s->reference_h) : NAN;
}

/* ---- study.csv ---- */

/* A cell of text: quoted as RFC 4180 says where it must be. */
static vv_status put_cell(vvi_file *f, const char *text)
{
  if (strpbrk(text, ",\"\r\n") == NULL) return vvi_file_text(f, text);
  VV_TRY(vvi_file_text(f, "\""));
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '"') VV_TRY(vvi_file_text(f, "\""));
    VV_TRY(vvi_file_write(f, c, 1));
  }
  return vvi_file_text(f, "\"");
}

/* A unit is one cell of a comment line: what would end the cell or the line is a blank. */
static vv_status put_unit(vvi_file *f, const char *unit)
{
  if (unit[0] == '\0') return vvi_file_text(f, ",1");
  VV_TRY(vvi_file_text(f, ","));
  for (const char *c = unit; *c != '\0'; c++) {
    const bool ends = *c == ',' || *c == '"' || (unsigned char)*c < 0x20 || *c == 0x7f;
    VV_TRY(vvi_file_write(f, ends ? " " : c, 1));
  }
  return VV_OK;
}

static vv_status put_head(vvi_file *f, const vv_study *s)
{
  const char *const unit[] = {s->h_unit, s->time_unit, "1", "1", "s", s->error_unit, "1", "1"};
  VV_TRY(vvi_file_text(f, "# units: -"));
  for (int i = 0; i < s->n_path; i++) VV_TRY(vvi_file_text(f, ",-"));
  for (int i = 0; i < VV_COUNT(unit); i++) VV_TRY(put_unit(f, unit[i]));
  VV_TRY(vvi_file_text(f, ",-\nrun"));
  for (int i = 0; i < s->n_path; i++) {
    VV_TRY(vvi_file_text(f, ","));
    VV_TRY(put_cell(f, s->path[i]));
  }
  return vvi_file_text(f, ",h,step,steps,nodes,wall,error,slope,order,remark\n");
}

static vv_status put_row(vvi_file *f, const vv_study *s, const char *name, const vv_study_row *r)
{
  const double value[] = {r->h,     r->step,  (double)r->steps, (double)r->nodes, r->wall_seconds,
                          r->error, r->slope, r->order};
  char text[32];
  VV_TRY(vvi_file_text(f, name));
  for (int i = 0; i < s->n_path; i++) {
    VV_TRY(vvi_file_text(f, ","));
    VV_TRY(put_cell(f, r->word != NULL ? r->word[i] : ""));
  }
  for (int i = 0; i < VV_COUNT(value); i++) {
    vvi_put_number(text, value[i]);
    VV_TRY(vvi_file_text(f, ","));
    VV_TRY(vvi_file_text(f, text));
  }
  VV_TRY(vvi_file_text(f, ","));
  VV_TRY(put_cell(f, r->remark != NULL ? r->remark : ""));
  return vvi_file_text(f, "\n");
}

static vv_status put_table(vvi_file *f, const vv_study *s)
{
  char name[16];
  VV_TRY(put_head(f, s));
  for (int i = 0; i < s->n_row; i++) {
    snprintf(name, sizeof name, "%d", i + 1);
    VV_TRY(put_row(f, s, name, &s->row[i]));
  }
  return put_row(f, s, "reference", &s->reference);
}

static vv_status write_table(vv_ctx *ctx, const vv_study *s, const char *path, const char *tmp)
{
  vvi_file f;
  VV_TRY(vvi_file_create(ctx, tmp, &f));
  vv_status status = put_table(&f, s);
  const vv_status closed = vvi_file_close(&f);
  if (status == VV_OK) status = closed;
  if (status == VV_OK) return vvi_replace(ctx, tmp, path, false);
  remove(tmp);
  return status;
}

/* ---- study.svg ---- */

enum { LINE_TEXT = 256, NAME_TEXT = 96 };

/* A slope as people write it: 2 where the measurement is near it, else two digits. */
static double plain_slope(double p)
{
  return fabs(p - round(p)) < 0.15 ? round(p) : round(10 * p) / 10;
}

/* Under the two finest points: a triangle whose sides say how steep `slope` is. */
static bool make_triangle(int n, const double *h, const double *e, double slope, double x[4], double y[4])
{
  int finest = -1, next = -1;
  for (int i = 0; i < n; i++)
    if (finest < 0 || h[i] < h[finest]) finest = i;
  for (int i = 0; i < n; i++)
    if (h[i] > h[finest] && (next < 0 || h[i] < h[next])) next = i;
  if (next < 0 || !isfinite(slope)) return false;
  const double foot = 0.35 * fmin(e[finest], e[next] * pow(h[finest] / h[next], slope));
  const double px[] = {h[finest], h[next], h[next], h[finest]}, py[] = {0, 0, slope, 0};
  for (int i = 0; i < 4; i++) x[i] = px[i], y[i] = foot * pow(h[next] / h[finest], py[i]);
  return true;
}

typedef struct curve {
  int n;
  double *h, *wall, *error; /* [n] rows whose error is known */
} curve;

static vv_status make_curve(vvi_arena *arena, const vv_study *s, curve *c)
{
  c->h = VVI_ARENA_NEW(arena, double, s->n_row + 1);
  c->wall = VVI_ARENA_NEW(arena, double, s->n_row + 1);
  c->error = VVI_ARENA_NEW(arena, double, s->n_row + 1);
  if (c->h == NULL || c->wall == NULL || c->error == NULL) return VV_NOMEM;
  for (int i = 0; i < s->n_row; i++) {
    const vv_study_row *r = &s->row[i];
    if (!is_known(r, 0)) continue;
    c->h[c->n] = r->h, c->wall[c->n] = r->wall_seconds, c->error[c->n] = r->error;
    c->n++;
  }
  return VV_OK;
}

/* "Error over refinement: slope 2.13 (corrected 2.00)": on a log-log chart every corner may hold data. */
static void make_title(const vv_study *s, char out[LINE_TEXT])
{
  int n = snprintf(out, LINE_TEXT, "Error over refinement");
  if (isfinite(s->slope)) n += snprintf(out + n, LINE_TEXT - (size_t)n, ": slope %.2f", s->slope);
  if (isfinite(s->order) && s->reference_h > 0) snprintf(out + n, LINE_TEXT - (size_t)n, " (corrected %.2f)", s->order);
}

static vv_status draw(vv_ctx *ctx, const vv_study *s, const curve *c, const char *path)
{
  double tx[4], ty[4];
  char title[LINE_TEXT], line[LINE_TEXT], h_label[NAME_TEXT], e_label[NAME_TEXT], name[NAME_TEXT];
  const double slope = plain_slope(isfinite(s->order) ? s->order : s->slope);
  const bool refined = s->h_name != NULL, triangle = refined && make_triangle(c->n, c->h, c->error, slope, tx, ty);
  make_title(s, title);
  snprintf(line, sizeof line, "error: %.200s", s->norm);
  snprintf(h_label, sizeof h_label, "%.60s%s%.20s%s", refined ? s->h_name : "", s->h_unit[0] != '\0' ? " (" : "",
           s->h_unit, s->h_unit[0] != '\0' ? ")" : "");
  snprintf(e_label, sizeof e_label, "error%s%.40s%s", s->error_unit[0] != '\0' ? " (" : "", s->error_unit,
           s->error_unit[0] != '\0' ? ")" : "");
  snprintf(name, sizeof name, "slope %g", slope);
  const vvi_series over_h[] = {
      {.name = "measured", .n = c->n, .x = c->h, .y = c->error, .colour = 1, .style = VVI_PLOT_LINE_DOTS},
      {.name = name, .n = triangle ? 4 : 0, .x = tx, .y = ty, .colour = 7}};
  const vvi_series over_wall = {
      .name = "measured", .n = c->n, .x = c->wall, .y = c->error, .colour = 2, .style = VVI_PLOT_LINE_DOTS};
  const vvi_panel panel[] = {{.title = title,
                              .x_label = h_label,
                              .y_label = e_label,
                              .log_x = true,
                              .log_y = true,
                              .n_series = triangle ? 2 : 1,
                              .series = over_h},
                             {.title = "Error over cost",
                              .x_label = "wall time of the run (s)",
                              .y_label = e_label,
                              .log_x = true,
                              .log_y = true,
                              .n_series = 1,
                              .series = &over_wall}};
  const vvi_page page = {.title = s->title,
                         .subtitle = line,
                         .width = refined ? 900 : 500,
                         .height = 440,
                         .columns = refined ? 2 : 1,
                         .n_panel = refined ? 2 : 1,
                         .panel = refined ? panel : panel + 1};
  return vvi_plot_write(ctx, path, &page);
}

static vv_status write_all(vv_ctx *ctx, vvi_arena *arena, const vv_study *s, const char *folder)
{
  curve c = {0};
  const char *table = vvi_path(arena, folder, "study.csv"), *tmp = vvi_path(arena, folder, "study.csv.tmp");
  const char *picture = vvi_path(arena, folder, "study.svg");
  if (table == NULL || tmp == NULL || picture == NULL) return VV_NOMEM;
  VV_TRY(vvi_folder_create(ctx, folder));
  VV_TRY(write_table(ctx, s, table, tmp));
  VV_TRY(make_curve(arena, s, &c));
  if (c.n > 0) return draw(ctx, s, &c, picture);
  remove(picture); /* that of another study would not belong to the table */
  return VV_OK;
}

vv_status vv_study_write(vv_ctx *ctx, const vv_study *study, const char *folder)
{
  if (ctx == NULL || study == NULL || folder == NULL) return VV_ARG;
  vvi_arena arena = {0};
  const vv_status status = write_all(ctx, &arena, study, folder);
  vvi_arena_free(&arena);
  return status;
}
