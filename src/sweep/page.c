/* sweep/page.c  report.html of a sweep: its table as JSON inside a page that draws it. */
#include "sweep/page.h"
#include "io/file.h"
#include "io/results/read.h"
#include "sweep/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 20000, MOST_FAILURES = 500, MOST_KEPT = 24, CURVE_POINTS = 500 };

/* ---- JSON inside a page ---- */

/* No '<' in it, so that nothing ends the script. */
static void put_text(vvi_text *t, const char *text)
{
  vvi_text_put(t, "\"");
  for (const char *c = text; *c != '\0'; c++) {
    const unsigned char one = (unsigned char)*c;
    if (one < 0x20 || one == '<' || one == '"' || one == '\\')
      vvi_text_print(t, "\\u%04x", one);
    else
      vvi_text_add(t, c, 1);
  }
  vvi_text_put(t, "\"");
}

static void put_number(vvi_text *t, double x)
{
  if (isfinite(x))
    vvi_text_print(t, "%.9g", x);
  else
    vvi_text_put(t, "null");
}

/* [first, ...]: n numbers, every `every`th of them. */
static void put_numbers(vvi_text *t, int64_t n, const double *x, int64_t every)
{
  vvi_text_put(t, "[");
  for (int64_t i = 0; i < n; i += every) {
    if (i > 0) vvi_text_put(t, ",");
    put_number(t, x[i]);
  }
  vvi_text_put(t, "]");
}

static void put_words(vvi_text *t, int64_t n, const char *const *word, int64_t every)
{
  vvi_text_put(t, "[");
  for (int64_t i = 0; i < n; i += every) {
    if (i > 0) vvi_text_put(t, ",");
    put_text(t, word[i]);
  }
  vvi_text_put(t, "]");
}

/* ---- parts ---- */

static bool put_columns(vvi_text *t, const vvi_rows *r, int64_t every)
{
  vvi_text_put(t, ",\n\"columns\":[");
  for (int i = 0; i < r->columns; i++) {
    const vvi_column *c = &r->column[i];
    double fact[VVI_FACTS];
    vvi_text_put(t, i > 0 ? ",\n{\"name\":" : "\n{\"name\":");
    put_text(t, c->name);
    vvi_text_print(t, ",\"measured\":%s,\"value\":", c->measured ? "true" : "false");
    put_numbers(t, r->n, c->value, every);
    if (c->numbers) {
      if (!vvi_facts(r->n, c->value, fact)) return false;
      vvi_text_put(t, ",\"facts\":");
      put_numbers(t, VVI_FACTS, fact, 1);
    } else {
      vvi_text_put(t, ",\"word\":");
      put_words(t, r->n, c->word, every);
    }
    vvi_text_put(t, "}");
  }
  vvi_text_put(t, "]");
  return true;
}

static bool is_bad(vv_case_end end)
{
  return end != VV_CASE_DONE && end != VV_CASE_STOPPED;
}

static void put_failures(vvi_text *t, const vv_sweep *s, const vvi_rows *r)
{
  int64_t n = 0;
  vvi_text_put(t, ",\n\"failures\":[");
  for (int64_t i = 0; i < r->n; i++) {
    const vv_case_end end = s->record[r->number[i]].end;
    if (!is_bad(end) || n++ >= MOST_FAILURES) continue;
    vvi_text_print(t, "%s[%lld,", n > 1 ? "," : "", (long long)r->number[i]);
    put_text(t, vv_case_text(end));
    vvi_text_put(t, ",");
    put_text(t, r->why[i]);
    vvi_text_put(t, "]");
  }
  vvi_text_print(t, "],\"moreFailures\":%lld", (long long)(n > MOST_FAILURES ? n - MOST_FAILURES : 0));
}

/* The columns of one table of a kept case over its time. */
static void put_curves(vvi_text *t, vv_ctx *ctx, const char *path, const char *const *wanted, bool *filled)
{
  vvi_arena arena = {0};
  vvi_table table;
  if (!vvi_exists(path) || vvi_table_read(ctx, &arena, path, &table) != VV_OK) {
    vv_ctx_messages_clear(ctx);
    vvi_arena_free(&arena);
    return;
  }
  const double *time = vvi_table_column(&table, "time");
  const int64_t every = table.rows / CURVE_POINTS + 1;
  for (int i = 0; time != NULL && i < table.columns; i++) {
    bool is = wanted == NULL && strcmp(table.name[i], "time") != 0 && strcmp(table.name[i], "step") != 0;
    for (int k = 0; wanted != NULL && wanted[k] != NULL; k++) is = is || strcmp(wanted[k], table.name[i]) == 0;
    if (!is) continue;
    if (*filled) vvi_text_put(t, ",");
    *filled = true;
    put_text(t, table.name[i]);
    vvi_text_put(t, ":{\"x\":");
    put_numbers(t, table.rows, time, every);
    vvi_text_put(t, ",\"y\":");
    put_numbers(t, table.rows, table.value[i], every);
    vvi_text_put(t, "}");
  }
  vvi_arena_free(&arena);
}

static void put_kept(vvi_text *t, vv_sweep *s, const vvi_rows *r)
{
  static const char *const of_ledger[] = {"kinetic", "strain", "potential", "total", "closure", "impacts", NULL};
  char path[VVI_SWEEP_PATH], name[96];
  int n = 0;
  vvi_text_put(t, ",\n\"kept\":[");
  for (int64_t i = 0; i < r->n && n < MOST_KEPT; i++) {
    bool filled = false;
    if (!vvi_sweep_keeps(s, r->number[i], s->record[r->number[i]].end)) continue; /* a folder of an older sweep */
    snprintf(name, sizeof name, "kept/case-%lld/ledger.csv", (long long)r->number[i]);
    if (!vvi_sweep_path(s, name, path) || !vvi_exists(path)) continue;
    vvi_text_print(t, "%s{\"case\":%lld,\"curve\":{", n++ > 0 ? ",\n" : "\n", (long long)r->number[i]);
    put_curves(t, s->ctx, path, of_ledger, &filled);
    snprintf(name, sizeof name, "kept/case-%lld/probes.csv", (long long)r->number[i]);
    if (vvi_sweep_path(s, name, path)) put_curves(t, s->ctx, path, NULL, &filled);
    vvi_text_put(t, "}}");
  }
  vvi_text_put(t, "]");
}

static void put_head(vvi_text *t, const vv_sweep *s, const vvi_rows *r, int64_t every)
{
  int64_t ended[VV_CASE_ENDS] = {0};
  for (int64_t k = 0; k < s->cases; k++) ended[s->record[k].row != NULL ? s->record[k].end : VV_CASE_INTERRUPTED]++;
  const char *slash = strrchr(s->plan.scene, '/');
  vvi_text_put(t, "{\"title\":");
  put_text(t, s->plan.title != NULL ? s->plan.title : slash != NULL ? slash + 1 : s->plan.scene);
  vvi_text_print(t, ",\"cases\":%lld,\"every\":%lld,\"left\":%lld,\"ended\":{", (long long)s->cases, (long long)every,
                 (long long)(r->n - (r->n + every - 1) / every));
  for (int e = 0; e < VV_CASE_ENDS; e++) {
    vvi_text_put(t, e > 0 ? "," : "");
    put_text(t, vv_case_text((vv_case_end)e));
    vvi_text_print(t, ":%lld", (long long)ended[e]);
  }
  vvi_text_put(t, "},\"factNames\":");
  put_words(t, VVI_FACTS, vvi_fact_name, 1);
  vvi_text_put(t, ",\n\"case\":[");
  for (int64_t i = 0; i < r->n; i += every) vvi_text_print(t, "%s%lld", i > 0 ? "," : "", (long long)r->number[i]);
  vvi_text_put(t, "],\n\"status\":[");
  for (int64_t i = 0; i < r->n; i += every) {
    vvi_text_put(t, i > 0 ? "," : "");
    put_text(t, vv_case_text(s->record[r->number[i]].end));
  }
  vvi_text_put(t, "]");
}

vv_status vv_sweep_page(vv_sweep *s, const char *path)
{
  vvi_arena arena = {0};
  vvi_rows rows;
  vvi_text t = {0};
  VV_TRY(vvi_journal_read(s));
  vv_status status = vvi_rows_make(s, &arena, &rows);
  if (status == VV_OK) {
    const int64_t every = rows.n > MOST_ROWS ? (rows.n + MOST_ROWS - 1) / MOST_ROWS : 1;
    vvi_locale locale = vvi_locale_enter();
    for (int i = 0; vvi_sweep_page_head[i] != NULL; i++) vvi_text_put(&t, vvi_sweep_page_head[i]);
    put_head(&t, s, &rows, every);
    t.nomem |= !put_columns(&t, &rows, every);
    put_failures(&t, s, &rows);
    put_kept(&t, s, &rows);
    vvi_text_put(&t, "}");
    for (int i = 0; vvi_sweep_page_tail[i] != NULL; i++) vvi_text_put(&t, vvi_sweep_page_tail[i]);
    vvi_locale_leave(&locale);
    status = vvi_text_write(s->ctx, &t, path);
  }
  vvi_text_free(&t);
  vvi_arena_free(&arena);
  return status;
}
