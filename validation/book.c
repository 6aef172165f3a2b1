/* validation/book.c  Numbers, verdicts and pages. */
#include "pages.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_TEXT = 1024 };

/* ---- numbers as text ---- */

book_text book_error(double x)
{
  book_text t;
  x = fabs(x);
  if (x == 0)
    snprintf(t.s, sizeof t.s, "0");
  else
    snprintf(t.s, sizeof t.s, "%.1e", x);
  return t;
}

book_text book_number(double x, int n)
{
  book_text t;
  snprintf(t.s, sizeof t.s, "%.*g", n, x);
  return t;
}

book_text book_fixed(double x, int n)
{
  book_text t;
  const double unit = pow(10, -n);
  if (fabs(x) < 0.5 * unit) x = 0; /* no -0.00 */
  snprintf(t.s, sizeof t.s, "%.*f", n, x);
  return t;
}

book_text book_range(double lo, double hi)
{
  book_text t;
  snprintf(t.s, sizeof t.s, "%.20s to %.20s", book_error(lo).s, book_error(hi).s);
  return t;
}

book_text book_percent(double x)
{
  book_text t;
  if (x != 0 && fabs(x) < 1e-6) {
    snprintf(t.s, sizeof t.s, "%.1e", x);
    return t;
  }
  const int decimals = x == 0 ? 0 : (int)fmax(0, 1 - floor(log10(fabs(100 * x))));
  snprintf(t.s, sizeof t.s, "%.*f %%", decimals, 100 * x);
  return t;
}

/* ---- verdicts ---- */

/* What is no number says nothing about a paper: it is our own failure. */
static void judge(book_claim *c, double measured, bool holds)
{
  if (!isfinite(measured)) c->kind = BOOK_TARGET;
  const bool good = holds && isfinite(measured);
  if (c->kind == BOOK_TARGET)
    c->verdict = good ? BOOK_MET : BOOK_MISSED;
  else
    c->verdict = good ? BOOK_REPRODUCED : BOOK_NOT_REPRODUCED;
}

void book_judge_below(book_claim *c, double measured, double limit)
{
  judge(c, measured, measured <= limit);
  snprintf(c->rule, sizeof c->rule, "at most %g", limit);
}

void book_judge_better(book_claim *c, double measured, double limit)
{
  judge(c, measured, measured <= limit);
  if (c->verdict == BOOK_REPRODUCED && measured <= 0.1 * limit) c->verdict = BOOK_BETTERED;
  snprintf(c->rule, sizeof c->rule, "at most %g; improved if at most a tenth of it", limit);
}

void book_judge_above(book_claim *c, double measured, double limit)
{
  judge(c, measured, measured >= limit);
  snprintf(c->rule, sizeof c->rule, "at least %g", limit);
}

void book_judge_about(book_claim *c, double least, double most, double published)
{
  judge(c, most - least, least >= 0.9 * published && most <= 1.1 * published);
  snprintf(c->rule, sizeof c->rule, "\"about\": within 10 %% of %g", published);
}

void book_judge_count(book_claim *c, int holds, int all, const char *relation)
{
  judge(c, holds, holds == all);
  snprintf(c->rule, sizeof c->rule, "%s, in every run", relation);
}

void book_judge_unchecked(book_claim *c, const char *why)
{
  c->verdict = BOOK_UNCHECKED;
  snprintf(c->measured, sizeof c->measured, "-");
  snprintf(c->rule, sizeof c->rule, "%s", why);
}

void book_judge_target(book_claim *c, double measured, double target)
{
  c->kind = BOOK_TARGET;
  book_judge_below(c, measured, target);
}

void book_judge_target_count(book_claim *c, int holds, int all, const char *relation)
{
  c->kind = BOOK_TARGET;
  book_judge_count(c, holds, all, relation);
}

void book_judge_exact(book_claim *c, double measured, double limit)
{
  c->kind = BOOK_TARGET;
  judge(c, measured, measured <= limit);
  snprintf(c->rule, sizeof c->rule, "off the exact or textbook solution by at most %g", limit);
}

void book_tell(book_claim *c)
{
  c->kind = BOOK_FINDING, c->verdict = BOOK_TOLD;
  c->rule[0] = '\0';
}

/* ---- rates ---- */

double book_fit(int n, const double size[], const double error[])
{
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < n; i++) {
    const double x = log(size[i]), y = log(error[i]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

double book_pair(int i, const double size[], const double error[])
{
  return log(error[i] / error[i + 1]) / log(size[i] / size[i + 1]);
}

void book_judge_rate(book_claim *c, double published, int n, const double size[], const double error[])
{
  const double room = 0.15, fit = book_fit(n, size, error);
  bool some = false;
  size_t used = strlen(c->measured);
  used += (size_t)snprintf(c->measured + used, sizeof c->measured - used, "%spairs", used > 0 ? ", " : "");
  for (int i = 0; i + 1 < n && used < sizeof c->measured; i++) {
    const double rate = book_pair(i, size, error);
    some = some || fabs(rate - published) <= room;
    used += (size_t)snprintf(c->measured + used, sizeof c->measured - used, " %.2f", rate);
  }
  if (used < sizeof c->measured) snprintf(c->measured + used, sizeof c->measured - used, ", fit %.2f", fit);
  judge(c, fit, fabs(fit - published) <= room);
  if (c->verdict == BOOK_NOT_REPRODUCED && some) c->verdict = BOOK_UNCHECKED;
  snprintf(c->rule, sizeof c->rule,
           c->kind == BOOK_TARGET
               ? "the fit over all is within %g of %g"
               : "the fit over all is within %g of %g; open if only a pair is (the paper names no statistic)",
           room, published);
}

/* ---- files ---- */

static vv_status make_folder(const char *path)
{
  char part[PATH_TEXT];
  const size_t n = strlen(path);
  if (n == 0 || n >= sizeof part) return VV_ARG;
  for (size_t i = 1; i <= n; i++) {
    if (path[i] != '/' && path[i] != '\0') continue;
    memcpy(part, path, i);
    part[i] = '\0';
    if (mkdir(part, 0777) != 0 && errno != EEXIST) return VV_IO;
  }
  return VV_OK;
}

static vv_status write_text(const char *path, const char *text)
{
  FILE *f = fopen(path, "w");
  if (f == NULL) return VV_IO;
  const bool written = fputs(text, f) >= 0;
  return fclose(f) == 0 && written ? VV_OK : VV_IO;
}

vv_status book_open(vv_ctx *ctx, const char *folder, book **out)
{
  *out = NULL;
  BOOK_TRY(make_folder(folder));
  book *b = calloc(1, sizeof *b);
  if (b == NULL) return VV_NOMEM;
  b->ctx = ctx;
  snprintf(b->folder, sizeof b->folder, "%s", folder);
  *out = b;
  return VV_OK;
}

void book_close(book *b)
{
  for (int i = 0; b != NULL && i < b->n_chapter; i++) {
    if (b->chapter[i]->body != NULL) fclose(b->chapter[i]->body);
    free(b->chapter[i]->text);
    free(b->chapter[i]);
  }
  free(b);
}

vv_ctx *book_ctx(const book *b)
{
  return b->ctx;
}

const char *book_folder(const book *b)
{
  return b->folder;
}

/* ---- chapters ---- */

vv_status book_chapter_begin(book *b, const char *name, const char *title, const char *source, book_chapter **out)
{
  *out = NULL;
  if (b->n_chapter == MAX_CHAPTERS) return VV_ARG;
  book_chapter *c = calloc(1, sizeof *c);
  if (c == NULL) return VV_NOMEM;
  c->owner = b, c->name = name, c->title = title, c->source = source;
  c->body = open_memstream(&c->text, &c->length);
  if (c->body == NULL) {
    free(c);
    return VV_NOMEM;
  }
  b->chapter[b->n_chapter++] = c;
  *out = c;
  return VV_OK;
}

void book_heading(book_chapter *c, const char *text)
{
  fprintf(c->body, "## %s\n\n", text);
}

void book_say(book_chapter *c, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vfprintf(c->body, format, args);
  va_end(args);
  fprintf(c->body, "\n\n");
}

void book_line(book_chapter *c, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vfprintf(c->body, format, args);
  va_end(args);
  fprintf(c->body, "\n");
}

static void put_row(FILE *f, const char *cells)
{
  fprintf(f, "| ");
  for (const char *s = cells; *s != '\0'; s++) {
    if (*s == '|')
      fprintf(f, " | ");
    else
      fputc(*s, f);
  }
  fprintf(f, " |\n");
}

void book_columns(book_chapter *c, const char *names)
{
  put_row(c->body, names);
  fprintf(c->body, "|---|");
  for (const char *s = names; *s != '\0'; s++)
    if (*s == '|') fprintf(c->body, "---|");
  fprintf(c->body, "\n");
}

void book_row(book_chapter *c, const char *format, ...)
{
  char cells[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(cells, sizeof cells, format, args);
  va_end(args);
  put_row(c->body, cells);
}

void book_table_end(book_chapter *c)
{
  fprintf(c->body, "\n");
}

static bool has_id(const book *b, const char *id)
{
  for (int i = 0; i < b->n_chapter; i++)
    for (int j = 0; j < b->chapter[i]->n_claim; j++)
      if (strcmp(b->chapter[i]->claim[j].id, id) == 0) return true;
  return false;
}

/* "nan" or "inf" as a word of its own. */
static bool no_number(const char *text)
{
  for (const char *s = text; *s != '\0'; s++) {
    if (strncmp(s, "nan", 3) != 0 && strncmp(s, "inf", 3) != 0) continue;
    if ((s == text || !isalnum((unsigned char)s[-1])) && !isalnum((unsigned char)s[3])) return true;
  }
  return false;
}

void book_only(book *b, const char *const *ids)
{
  b->only = ids;
}

void book_whole(book *b)
{
  b->whole = true;
}

bool book_wants(const book_chapter *c, const char *ids)
{
  const char *const *only = c->owner->only;
  for (; only != NULL && *only != NULL; only++) {
    const size_t n = strlen(*only);
    for (const char *s = strstr(ids, *only); s != NULL; s = strstr(s + 1, *only))
      if ((s == ids || s[-1] == ' ') && (s[n] == ' ' || s[n] == '\0')) return true;
  }
  return c->owner->only == NULL;
}

void book_add_claim(book_chapter *c, const book_claim *claim)
{
  if (c->fault != NULL || !book_wants(c, claim->id)) return;
  if (c->n_claim == MAX_CLAIMS)
    c->fault = "is one claim too many: raise MAX_CLAIMS in pages.h", c->at = claim->id;
  else if (has_id(c->owner, claim->id))
    c->fault = "is the id of two claims: every id of the book must be its own", c->at = claim->id;
  if (c->fault != NULL) return;
  book_claim *k = &c->claim[c->n_claim++];
  *k = *claim;
  if (no_number(k->measured)) k->kind = BOOK_TARGET, k->verdict = BOOK_MISSED;
}

vv_status book_plot(book_chapter *c, const char *name, const char *caption, const vvi_page *page)
{
  char path[PATH_TEXT + 160];
  snprintf(path, sizeof path, "%s/%s-%s.svg", c->owner->folder, c->name, name);
  fprintf(c->body, "![%s](%s-%s.svg)\n\n", caption, c->name, name);
  return vvi_plot_write(c->owner->ctx, path, page);
}

vv_status book_chapter_end(book_chapter *c)
{
  char path[PATH_TEXT + 160];
  char *page = NULL;
  size_t length = 0;
  if (fclose(c->body) != 0) return VV_NOMEM;
  c->body = NULL;
  if (c->fault != NULL) {
    fprintf(stderr, "%s: %s %s\n", c->name, c->at, c->fault);
    return VV_ARG;
  }
  FILE *f = open_memstream(&page, &length);
  if (f == NULL) return VV_NOMEM;
  fprintf(f, "# %s\n\n%s\n\n", c->title, c->source);
  book_put_rows(f, c, "##");
  fprintf(f, "%s", c->text);
  if (fclose(f) != 0) return VV_NOMEM;
  snprintf(path, sizeof path, "%s/%s.md", c->owner->folder, c->name);
  const vv_status status = write_text(path, page);
  free(page);
  int n[BOOK_VERDICTS] = {0};
  for (int i = 0; i < c->n_claim; i++) n[c->claim[i].verdict]++;
  printf("%-16s %2d rows: %d reproduced, %d improved, %d not reproduced, %d cannot be checked; targets: %d met, %d "
         "missed; "
         "%d findings\n",
         c->name, c->n_claim, n[BOOK_REPRODUCED], n[BOOK_BETTERED], n[BOOK_NOT_REPRODUCED], n[BOOK_UNCHECKED],
         n[BOOK_MET], n[BOOK_MISSED], n[BOOK_TOLD]);
  fflush(stdout);
  return status;
}

int book_missed(const book *b, FILE *f)
{
  int n = 0;
  for (int i = 0; i < b->n_chapter; i++)
    for (int j = 0; j < b->chapter[i]->n_claim; j++) {
      const book_claim *k = &b->chapter[i]->claim[j];
      if (k->verdict != BOOK_MISSED) continue;
      fprintf(f, "%s %s misses its target: %s: %s (%s)\n", b->chapter[i]->name, k->id, k->text, k->measured, k->rule);
      n++;
    }
  return n;
}
