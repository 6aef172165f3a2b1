/* validation/book.c  Pages, claims, verdicts and the summary. */
#include "book.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_CLAIMS = 48, MAX_CHAPTERS = 16, PATH_TEXT = 1024 };

static const char *const verdict_text[BOOK_VERDICTS] = {"reproduced", "improved", "not reproduced", "cannot be checked",
                                                        "target missed"};

struct book_chapter {
  book *owner;
  const char *name, *title, *source;
  FILE *body; /* into text */
  char *text;
  size_t length;
  int n_claim;
  book_claim claim[MAX_CLAIMS];
  const char *fault; /* why the chapter cannot stand; NULL: nothing */
  const char *at;    /* the claim */
};

struct book {
  vv_ctx *ctx;
  char folder[PATH_TEXT];
  int n_chapter;
  book_chapter *chapter[MAX_CHAPTERS];
};

/* ---- numbers as text ---- */

/* Below this a number is rounding, and differs between machines: only an even power of ten above it is printed. */
static const double rounding = 1e-11;

book_text book_error(double x)
{
  book_text t;
  x = fabs(x);
  if (x == 0)
    snprintf(t.s, sizeof t.s, "0");
  else if (x < rounding)
    snprintf(t.s, sizeof t.s, "below 1e%d", 2 * (int)fmax(-7, ceil(0.5 * log10(2 * x))));
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

book_text book_more(double x, double cap)
{
  book_text t;
  if (!(x > 0)) return book_error(x);
  snprintf(t.s, sizeof t.s, "more than %g", fmin(cap, pow(10, floor(log10(x)))));
  return t;
}

book_text book_less(double x)
{
  book_text t;
  const double percent = fmax(100 * fabs(x), 1e-3), power = pow(10, floor(log10(percent))), lead = percent / power;
  snprintf(t.s, sizeof t.s, "less than %g %%", power * (lead < 2 ? 2 : lead < 5 ? 5 : 10));
  return t;
}

book_text book_percent(double x)
{
  book_text t;
  x = fabs(x) < 1e-8 ? 0 : 100 * x;
  const int decimals = x == 0 ? 0 : (int)fmax(0, 1 - floor(log10(fabs(x))));
  if (fabs(x) > 1000)
    snprintf(t.s, sizeof t.s, "more than %s1000 %%", x < 0 ? "-" : "");
  else
    snprintf(t.s, sizeof t.s, "%.*f %%", decimals, x);
  return t;
}

/* ---- verdicts ---- */

/* What is no number says nothing about a paper: it is our own failure. */
static book_verdict verdict_if(book_claim *c, double measured, bool holds)
{
  c->target = c->target || !isfinite(measured);
  return holds && isfinite(measured) ? BOOK_REPRODUCED : BOOK_NOT_REPRODUCED;
}

void book_judge_below(book_claim *c, double measured, double limit)
{
  c->verdict = verdict_if(c, measured, measured <= limit);
  snprintf(c->rule, sizeof c->rule, "reproduced if at most %g", limit);
}

void book_judge_better(book_claim *c, double measured, double limit)
{
  c->verdict = verdict_if(c, measured, measured <= limit);
  if (c->verdict == BOOK_REPRODUCED && measured <= 0.1 * limit) c->verdict = BOOK_BETTERED;
  snprintf(c->rule, sizeof c->rule, "reproduced if at most %g, improved if at most a tenth of it", limit);
}

void book_judge_exact(book_claim *c, double measured, double limit)
{
  c->target = true;
  c->verdict = verdict_if(c, measured, measured <= limit);
  snprintf(c->rule, sizeof c->rule, "exact or textbook solution: reproduced if at most %g, else the program fails",
           limit);
}

void book_judge_above(book_claim *c, double measured, double limit)
{
  c->verdict = verdict_if(c, measured, measured >= limit);
  snprintf(c->rule, sizeof c->rule, "reproduced if at least %g", limit);
}

void book_judge_target(book_claim *c, double measured, double target)
{
  c->target = true;
  c->verdict = measured <= target ? BOOK_BETTERED : BOOK_NOT_REPRODUCED;
  snprintf(c->rule, sizeof c->rule, "beyond the paper: improved if at most %g", target);
}

void book_judge_target_count(book_claim *c, int holds, int all, const char *relation)
{
  c->target = true;
  c->verdict = holds == all ? BOOK_BETTERED : BOOK_NOT_REPRODUCED;
  snprintf(c->rule, sizeof c->rule, "beyond the paper: improved if %s in every run", relation);
}

void book_judge_count(book_claim *c, int holds, int all, const char *relation)
{
  c->verdict = holds == all ? BOOK_REPRODUCED : BOOK_NOT_REPRODUCED;
  snprintf(c->rule, sizeof c->rule, "reproduced if %s in every run", relation);
}

void book_judge_unchecked(book_claim *c, const char *why)
{
  c->verdict = BOOK_UNCHECKED;
  snprintf(c->measured, sizeof c->measured, "-");
  snprintf(c->rule, sizeof c->rule, "%s", why);
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

static bool same_text(const char *path, const char *text)
{
  FILE *f = fopen(path, "r");
  if (f == NULL) return false;
  bool same = true;
  for (const char *c = text; same && *c != '\0'; c++) same = fgetc(f) == (unsigned char)*c;
  same = same && fgetc(f) == EOF;
  fclose(f);
  return same;
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

/* Claims beyond a paper are ours, whatever rule judges them. */
static bool ours(const book_claim *k)
{
  return k->target || strncmp(k->text, "beyond:", 7) == 0;
}

void book_add_claim(book_chapter *c, const book_claim *claim)
{
  if (c->fault != NULL) return;
  if (c->n_claim == MAX_CLAIMS)
    c->fault = "is one claim too many: raise MAX_CLAIMS in book.c", c->at = claim->id;
  else if (has_id(c->owner, claim->id))
    c->fault = "is the id of two claims: every id of the book must be its own", c->at = claim->id;
  if (c->fault != NULL) return;
  book_claim *k = &c->claim[c->n_claim++];
  *k = *claim;
  if (no_number(k->measured) || (k->verdict == BOOK_NOT_REPRODUCED && ours(k))) k->verdict = BOOK_MISSED;
}

vv_status book_plot(book_chapter *c, const char *name, const char *caption, const vvi_page *page)
{
  char path[PATH_TEXT + 160];
  snprintf(path, sizeof path, "%s/%s-%s.svg", c->owner->folder, c->name, name);
  fprintf(c->body, "![%s](%s-%s.svg)\n\n", caption, c->name, name);
  return vvi_plot_write(c->owner->ctx, path, page);
}

static void count_verdicts(const book_chapter *c, int count[BOOK_VERDICTS])
{
  for (int i = 0; i < c->n_claim; i++) count[c->claim[i].verdict]++;
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
  fprintf(f, "# %s\n\n%s\n\n## Claims\n\n", c->title, c->source);
  fprintf(f, "| id | claim | published | measured | verdict | rule | runs |\n|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < c->n_claim; i++) {
    const book_claim *k = &c->claim[i];
    fprintf(f, "| %s | %s | %s | %s | **%s** | %s | %s |\n", k->id, k->text, k->published, k->measured,
            verdict_text[k->verdict], k->rule, k->evidence);
  }
  fprintf(f, "\n%s", c->text);
  if (fclose(f) != 0) return VV_NOMEM;
  snprintf(path, sizeof path, "%s/%s.md", c->owner->folder, c->name);
  const vv_status status = write_text(path, page);
  free(page);
  int n[BOOK_VERDICTS] = {0};
  count_verdicts(c, n);
  printf("%-16s %2d claims: %d reproduced, %d improved, %d not reproduced, %d cannot be checked, %d targets missed\n",
         c->name, c->n_claim, n[BOOK_REPRODUCED], n[BOOK_BETTERED], n[BOOK_NOT_REPRODUCED], n[BOOK_UNCHECKED],
         n[BOOK_MISSED]);
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

/* ---- summary ---- */

static void summarise_chapter(FILE *f, const book_chapter *c)
{
  fprintf(f, "## %s\n\n%s\n\n", c->title, c->source);
  fprintf(f, "| id | claim | published | measured | verdict | runs |\n|---|---|---|---|---|---|\n");
  for (int i = 0; i < c->n_claim; i++) {
    const book_claim *k = &c->claim[i];
    fprintf(f, "| %s | %s | %s | %s | **%s** | %s |\n", k->id, k->text, k->published, k->measured,
            verdict_text[k->verdict], k->evidence);
  }
  fprintf(f, "\n");
}

static void summarise(FILE *f, const book *b)
{
  fprintf(f, "# Validation\n\n");
  fprintf(f, "Published claims against our own measurements.\n");
  fprintf(f, "Written by `make validate`; do not edit.\n");
  fprintf(f, "The same command writes a page with tables and plots for each chapter to `build/validation`.\n");
  fprintf(f, "Verdicts follow from the numbers by rules in the code of `validation/`; the pages print each rule.\n\n");
  fprintf(f, "| verdict | meaning |\n|---|---|\n");
  fprintf(f, "| reproduced | the runs show what was claimed |\n");
  fprintf(f, "| improved | ten times better than claimed, or a limit of the paper removed |\n");
  fprintf(f, "| not reproduced | the runs, as described in the paper, do not show it |\n");
  fprintf(f, "| cannot be checked | the paper does not say enough |\n");
  fprintf(f,
          "| target missed | a target of our own or a textbook's number is not reached: `make validate` fails |\n\n");
  fprintf(f, "| chapter | reproduced | improved | not reproduced | cannot be checked | target missed |\n");
  fprintf(f, "|---|---|---|---|---|---|\n");
  for (int i = 0; i < b->n_chapter; i++) {
    int n[BOOK_VERDICTS] = {0};
    count_verdicts(b->chapter[i], n);
    fprintf(f, "| %s | %d | %d | %d | %d | %d |\n", b->chapter[i]->title, n[BOOK_REPRODUCED], n[BOOK_BETTERED],
            n[BOOK_NOT_REPRODUCED], n[BOOK_UNCHECKED], n[BOOK_MISSED]);
  }
  fprintf(f, "\n");
  for (int i = 0; i < b->n_chapter; i++) summarise_chapter(f, b->chapter[i]);
}

/* The last empty line of the last table is left out. */
vv_status book_summary(const book *b, const char *path, bool check, bool *same)
{
  char *text = NULL;
  size_t length = 0;
  FILE *f = open_memstream(&text, &length);
  if (f == NULL) return VV_NOMEM;
  summarise(f, b);
  if (fclose(f) != 0) return VV_NOMEM;
  if (length > 1 && text[length - 2] == '\n') text[length - 1] = '\0';
  *same = same_text(path, text);
  const vv_status status = check || *same ? VV_OK : write_text(path, text);
  free(text);
  return status;
}
