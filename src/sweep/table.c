/* sweep/table.c  table.csv, table.h5 and summary.csv from the journals, in the order of the cases. */
#include "io/file.h"
#include "io/results/h5.h"
#include "math/exact.h"
#include "sweep/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIXED = 5 }; /* status, why, steps, time, hash */

/* ---- rows by columns ---- */

/* "3.2", or "3.2 mm" in a column whose law has that unit. */
static double number_of(const char *word, const char *unit, bool *is)
{
  char *end;
  const double x = strtod(word, &end);
  if (end > word && unit[0] != '\0' && *end == ' ' && strcmp(end + 1, unit) == 0) end += strlen(end);
  if (end == word || *end != '\0') *is = false;
  return *is ? x : NAN;
}

static bool make_columns(const vv_sweep *s, vvi_arena *a, vvi_rows *r)
{
  r->columns = s->plan.n_vary + s->plan.n_measure;
  r->column = VVI_ARENA_NEW(a, vvi_column, r->columns + 1);
  r->number = VVI_ARENA_NEW(a, int64_t, r->n + 1);
  r->steps = VVI_ARENA_NEW(a, int64_t, r->n + 1);
  r->time = VVI_ARENA_NEW(a, double, r->n + 1);
  r->why = VVI_ARENA_NEW(a, const char *, r->n + 1);
  r->hash = VVI_ARENA_NEW(a, const char *, r->n + 1);
  bool good = r->column && r->number && r->steps && r->time && r->why && r->hash;
  for (int i = 0; good && i < r->columns; i++) {
    vvi_column *c = &r->column[i];
    c->measured = i >= s->plan.n_vary;
    c->name = c->measured ? s->plan.measure[i - s->plan.n_vary].name : s->plan.vary[i].path;
    c->unit = c->measured ? "" : s->plan.vary[i].unit;
    c->numbers = true;
    c->value = VVI_ARENA_NEW(a, double, r->n + 1);
    c->word = VVI_ARENA_NEW(a, const char *, r->n + 1);
    good = c->value != NULL && c->word != NULL;
  }
  return good;
}

static void fill_cell(vvi_column *c, int64_t row, const char *word)
{
  bool is = true;
  c->word[row] = word;
  c->value[row] = number_of(word, c->unit, &is);
  c->numbers = c->numbers && is;
}

static vv_status fill_row(vv_sweep *s, vvi_arena *a, vvi_rows *r, int64_t row, int64_t k)
{
  enum { MOST = FIXED + 256 };
  char *cell[MOST], *next, *text = vvi_arena_text(a, s->record[k].row);
  if (text == NULL) return vvi_fail(s->ctx, VV_NOMEM, "out of memory");
  if (vvi_csv_cut(text, cell, MOST, &next) != FIXED + s->plan.n_measure)
    return vvi_fail(s->ctx, VV_INTERNAL, "%s: the row of case %lld has not the columns of the plan", s->folder,
                    (long long)k);
  r->number[row] = k;
  r->why[row] = cell[1];
  r->steps[row] = cell[2][0] != '\0' ? strtoll(cell[2], NULL, 10) : -1;
  r->time[row] = cell[3][0] != '\0' ? strtod(cell[3], NULL) : NAN;
  r->hash[row] = cell[4];
  for (int i = 0; i < s->plan.n_vary; i++) fill_cell(&r->column[i], row, s->value[k * s->plan.n_vary + i]);
  for (int i = 0; i < s->plan.n_measure; i++) fill_cell(&r->column[s->plan.n_vary + i], row, cell[FIXED + i]);
  return VV_OK;
}

/* Numbers stand without their unit: their name says it. */
static bool name_units(vvi_arena *a, vvi_rows *r)
{
  char name[256];
  for (int i = 0; i < r->columns; i++) {
    vvi_column *c = &r->column[i];
    if (c->unit[0] == '\0' || !c->numbers) continue;
    snprintf(name, sizeof name, "%.200s (%.40s)", c->name, c->unit);
    if ((c->name = vvi_arena_text(a, name)) == NULL) return false;
  }
  return true;
}

vv_status vvi_rows_make(vv_sweep *s, vvi_arena *arena, vvi_rows *out)
{
  int64_t row = 0;
  *out = (vvi_rows){0};
  for (int64_t k = 0; k < s->cases; k++) out->n += s->record[k].row != NULL;
  if (!make_columns(s, arena, out)) return vvi_fail(s->ctx, VV_NOMEM, "out of memory");
  vvi_locale locale = vvi_locale_enter();
  vv_status status = VV_OK;
  for (int64_t k = 0; status == VV_OK && k < s->cases; k++)
    if (s->record[k].row != NULL) status = fill_row(s, arena, out, row++, k);
  vvi_locale_leave(&locale);
  if (status == VV_OK && !name_units(arena, out)) status = vvi_fail(s->ctx, VV_NOMEM, "out of memory");
  return status;
}

/* ---- facts about a column ---- */

const char *const vvi_fact_name[VVI_FACTS] = {"n",   "mean",   "deviation", "least", "q05",
                                              "q25", "median", "q75",       "q95",   "most"};

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Between the two neighbours of rank part (n - 1). */
static double quantile(int64_t n, const double *sorted, double part)
{
  const double at = part * (double)(n - 1), low = floor(at);
  const int64_t i = (int64_t)low;
  return i + 1 < n ? sorted[i] + (at - low) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

/* Sums are exact, and rounded once: no order of the rows can be seen in them. */
bool vvi_facts(int64_t all, const double *x, double out[VVI_FACTS])
{
  static const double part[] = {0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0};
  double *sorted = malloc(sizeof(double) * (size_t)(all + 1));
  vvi_exact sum = {0}, squares = {0};
  int64_t n = 0;
  if (sorted == NULL) return false;
  for (int64_t i = 0; i < all; i++)
    if (isfinite(x[i])) sorted[n++] = x[i];
  for (int i = 0; i < VVI_FACTS; i++) out[i] = NAN;
  out[0] = (double)n;
  if (n > 0) {
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    for (int64_t i = 0; i < n; i++) vvi_exact_add(&sum, sorted[i]);
    out[1] = vvi_exact_value(&sum) / (double)n;
    for (int64_t i = 0; i < n; i++) vvi_exact_add(&squares, (sorted[i] - out[1]) * (sorted[i] - out[1]));
    out[2] = n > 1 ? sqrt(vvi_exact_value(&squares) / (double)(n - 1)) : NAN;
    for (int i = 0; i < VV_COUNT(part); i++) out[3 + i] = quantile(n, sorted, part[i]);
  }
  free(sorted);
  return true;
}

/* ---- files ---- */

static vv_status write_text(vv_sweep *s, const char *name, vvi_text *t)
{
  char path[VVI_SWEEP_PATH];
  const vv_status status = vvi_sweep_path(s, name, path) ? vvi_text_write(s->ctx, t, path) : VV_ARG;
  vvi_text_free(t);
  return status;
}

static vv_status write_csv(vv_sweep *s)
{
  vvi_text t = {0};
  vvi_text_put(&t, "case");
  for (int i = 0; i < s->plan.n_vary; i++) {
    vvi_text_put(&t, ",");
    vvi_text_cell(&t, s->plan.vary[i].path);
  }
  vvi_text_put(&t, ",status,why,steps,time,hash");
  for (int i = 0; i < s->plan.n_measure; i++) {
    vvi_text_put(&t, ",");
    vvi_text_cell(&t, s->plan.measure[i].name);
  }
  vvi_text_put(&t, "\n");
  for (int64_t k = 0; k < s->cases; k++) {
    if (s->record[k].row == NULL) continue;
    vvi_text_print(&t, "%lld,", (long long)k);
    for (int i = 0; i < s->plan.n_vary; i++) {
      vvi_text_cell(&t, s->value[k * s->plan.n_vary + i]);
      vvi_text_put(&t, ",");
    }
    vvi_text_put(&t, s->record[k].row);
    vvi_text_put(&t, "\n");
  }
  return write_text(s, "table.csv", &t);
}

static vv_status write_summary(vv_sweep *s, const vvi_rows *r)
{
  vvi_text t = {0};
  vvi_text_put(&t, "column");
  for (int i = 0; i < VVI_FACTS; i++) vvi_text_print(&t, ",%s", vvi_fact_name[i]);
  for (int i = 0; i < r->columns; i++) {
    double fact[VVI_FACTS];
    const vvi_column *c = &r->column[i];
    if (!c->numbers) continue;
    if (!vvi_facts(r->n, c->value, fact)) return vvi_fail(s->ctx, VV_NOMEM, "out of memory");
    vvi_text_put(&t, "\n");
    vvi_text_cell(&t, c->name);
    for (int k = 0; k < VVI_FACTS; k++) {
      vvi_text_put(&t, ",");
      vvi_text_number(&t, fact[k]);
    }
  }
  vvi_text_put(&t, "\n");
  return write_text(s, "summary.csv", &t);
}

/* Words as bytes [rows][width], filled up with zeros. */
static vv_status write_words(vvi_h5 *f, const char *name, int64_t n, const char *const *word)
{
  size_t width = 1;
  for (int64_t i = 0; i < n; i++)
    if (strlen(word[i]) > width) width = strlen(word[i]);
  char *all = calloc((size_t)n * width + 1, 1);
  if (all == NULL) return vvi_fail(f->ctx, VV_NOMEM, "out of memory");
  for (int64_t i = 0; i < n; i++) memcpy(all + (size_t)i * width, word[i], strlen(word[i]));
  const int64_t dims[2] = {n, (int64_t)width};
  const vv_status status = vvi_h5_write(f, name, VVI_H5_BYTE, 2, dims, all);
  free(all);
  return status;
}

static vv_status write_column(vvi_h5 *f, const vvi_column *c, int64_t n)
{
  char name[256];
  snprintf(name, sizeof name, "%s/%s", c->measured ? "measure" : "vary", c->name);
  for (char *at = strchr(name, '/') + 1; *at != '\0'; at++)
    if (*at == '/') *at = '_';
  if (!c->numbers) return write_words(f, name, n, c->word);
  return vvi_h5_write(f, name, VVI_H5_DOUBLE, 1, &n, c->value);
}

static vv_status write_sets(vv_sweep *s, vvi_h5 *f, const vvi_rows *r, vvi_arena *arena)
{
  const char **status = VVI_ARENA_NEW(arena, const char *, r->n + 1);
  if (status == NULL) return vvi_fail(s->ctx, VV_NOMEM, "out of memory");
  for (int64_t i = 0; i < r->n; i++) status[i] = vv_case_text(s->record[r->number[i]].end);
  VV_TRY(vvi_h5_set_text(f, "/", "visviva", vv_version()));
  VV_TRY(vvi_h5_set_whole(f, "/", "cases", s->cases));
  VV_TRY(vvi_h5_write(f, "case", VVI_H5_INT64, 1, &r->n, r->number));
  VV_TRY(write_words(f, "status", r->n, status));
  VV_TRY(write_words(f, "why", r->n, r->why));
  VV_TRY(vvi_h5_write(f, "steps", VVI_H5_INT64, 1, &r->n, r->steps));
  VV_TRY(vvi_h5_write(f, "time", VVI_H5_DOUBLE, 1, &r->n, r->time));
  VV_TRY(write_words(f, "hash", r->n, r->hash));
  VV_TRY(vvi_h5_group(f, "vary"));
  VV_TRY(vvi_h5_group(f, "measure"));
  for (int i = 0; i < r->columns; i++) VV_TRY(write_column(f, &r->column[i], r->n));
  return VV_OK;
}

static vv_status write_h5(vv_sweep *s, const vvi_rows *r, vvi_arena *arena)
{
  char path[VVI_SWEEP_PATH], tmp[VVI_SWEEP_PATH + 16];
  vvi_h5 f;
  if (!vvi_sweep_path(s, "table.h5", path)) return VV_ARG;
  snprintf(tmp, sizeof tmp, "%s.%ld", path, (long)getpid());
  VV_TRY(vvi_h5_create(s->ctx, tmp, &f));
  vv_status status = write_sets(s, &f, r, arena);
  const vv_status closed = vvi_h5_close(&f);
  if (status == VV_OK) status = closed;
  if (status == VV_OK) return vvi_replace(s->ctx, tmp, path, true);
  remove(tmp);
  return status;
}

static void count(const vv_sweep *s, vv_sweep_count *out)
{
  *out = (vv_sweep_count){.cases = s->cases};
  for (int64_t k = 0; k < s->cases; k++) {
    const bool row = s->record[k].row != NULL;
    out->rows += row;
    out->ended[row ? s->record[k].end : VV_CASE_INTERRUPTED]++;
  }
}

vv_status vv_sweep_table(vv_sweep *s, vv_sweep_count *out)
{
  vvi_arena arena = {0};
  vvi_rows rows;
  VV_TRY(vvi_journal_read(s));
  vv_status status = vvi_rows_make(s, &arena, &rows);
  if (status == VV_OK) status = write_csv(s);
  if (status == VV_OK) status = write_summary(s, &rows);
  if (status == VV_OK) status = write_h5(s, &rows, &arena);
  if (status == VV_OK) count(s, out);
  vvi_arena_free(&arena);
  return status;
}
