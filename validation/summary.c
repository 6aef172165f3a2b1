/* validation/summary.c  docs/validation.md: read, merged with the rows of a run, compared, written.
 *
 * The file is its own memory.  A chapter is a heading with a comment that names it, a source line, and a table for each
 * kind of row; a row is a line that begins with its id.  Chapters and rows that were not run stay as they are. */
#include "pages.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINES = MAX_CLAIMS, NAME_TEXT = 64, ID_TEXT = 16 };

static const char *const verdict_text[BOOK_VERDICTS] = {
    "reproduced", "improved", "not reproduced", "cannot be checked", "met", "missed", ""};
static const char *const kind_heading[BOOK_KINDS] = {"What the paper claims", "Targets of our own",
                                                     "Readings and findings"};
static const char *const kind_columns[BOOK_KINDS] = {
    "| id | claim | published | measured | verdict | rule | runs |",
    "| id | target | compared with | measured | result | rule | runs |", "| id | what | printed | measured | runs |"};
static const char *const kind_rule[BOOK_KINDS] = {"|---|---|---|---|---|---|---|", "|---|---|---|---|---|---|---|",
                                                  "|---|---|---|---|---|"};

/* A chapter of the file. */
typedef struct section {
  char name[NAME_TEXT];
  char *title, *source;
  int n;
  struct {
    book_kind kind;
    char *text;
    bool chaotic;
  } line[MAX_LINES];
} section;

typedef struct shelf {
  int n;
  section *of[MAX_CHAPTERS + 1];
} shelf;

static char *copy_text(const char *s)
{
  const size_t n = strlen(s) + 1;
  char *t = malloc(n);
  if (t != NULL) memcpy(t, s, n);
  return t;
}

/* ---- rows as text ---- */

static char *row_text(const book_claim *k)
{
  char *text = NULL;
  size_t length = 0;
  FILE *f = open_memstream(&text, &length);
  if (f == NULL) return NULL;
  if (k->kind == BOOK_FINDING)
    fprintf(f, "| %s | %s | %s | %s | %s |", k->id, k->text, k->published, k->measured, k->evidence);
  else
    fprintf(f, "| %s | %s | %s | %s | **%s** | %s | %s |", k->id, k->text, k->published, k->measured,
            verdict_text[k->verdict], k->rule, k->evidence);
  return fclose(f) == 0 ? text : NULL;
}

void book_put_rows(FILE *f, const book_chapter *c, const char *mark)
{
  for (int kind = 0; kind < BOOK_KINDS; kind++) {
    bool any = false;
    for (int i = 0; i < c->n_claim; i++) {
      if (c->claim[i].kind != (book_kind)kind) continue;
      if (!any) fprintf(f, "%s %s\n\n%s\n%s\n", mark, kind_heading[kind], kind_columns[kind], kind_rule[kind]);
      char *text = row_text(&c->claim[i]);
      fprintf(f, "%s\n", text != NULL ? text : "");
      free(text);
      any = true;
    }
    if (any) fprintf(f, "\n");
  }
}

/* "| D12 | ...": the id; false: no row. */
static bool row_id(const char *line, char id[ID_TEXT])
{
  int n = 0;
  if (strncmp(line, "| ", 2) != 0) return false;
  for (const char *s = line + 2; n < ID_TEXT - 1 && isalnum((unsigned char)*s); s++) id[n++] = *s;
  id[n] = '\0';
  return n >= 2 && isupper((unsigned char)id[0]) && isdigit((unsigned char)id[n - 1]) &&
         strncmp(line + 2 + n, " |", 2) == 0;
}

static int find_row(const section *s, const char *id)
{
  char other[ID_TEXT];
  for (int i = 0; i < s->n; i++)
    if (row_id(s->line[i].text, other) && strcmp(id, other) == 0) return i;
  return -1;
}

/* ---- the file as it is ---- */

static section *add_section(shelf *b, int at)
{
  if (b->n > MAX_CHAPTERS) return NULL;
  section *s = calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  for (int i = b->n++; i > at; i--) b->of[i] = b->of[i - 1];
  b->of[at] = s;
  return s;
}

static void clear_section(section *s)
{
  for (int i = 0; i < s->n; i++) free(s->line[i].text);
  free(s->title);
  free(s->source);
  s->n = 0, s->title = NULL, s->source = NULL;
}

static void free_shelf(shelf *b)
{
  for (int i = 0; i < b->n; i++) clear_section(b->of[i]), free(b->of[i]);
}

/* One line of the file, without its end. */
static vv_status read_line(shelf *b, const char *line, book_kind *kind)
{
  char id[ID_TEXT];
  section *s = b->n > 0 ? b->of[b->n - 1] : NULL;
  if (strncmp(line, "## ", 3) == 0) {
    s = add_section(b, b->n);
    if (s == NULL) return VV_NOMEM;
    s->title = copy_text(line + 3);
    *kind = BOOK_CLAIM;
    return s->title != NULL ? VV_OK : VV_NOMEM;
  }
  if (s == NULL) return VV_OK;
  for (int k = 0; k < BOOK_KINDS; k++)
    if (strncmp(line, "### ", 4) == 0 && strcmp(line + 4, kind_heading[k]) == 0) *kind = (book_kind)k;
  if (sscanf(line, "<!-- chapter %63s", s->name) == 1) return VV_OK;
  if (row_id(line, id)) {
    if (s->n == MAX_LINES) return VV_ARG;
    s->line[s->n].kind = *kind;
    s->line[s->n].text = copy_text(line);
    return s->line[s->n++].text != NULL ? VV_OK : VV_NOMEM;
  }
  if (s->source == NULL && line[0] != '\0' && line[0] != '|' && line[0] != '#') {
    s->source = copy_text(line);
    return s->source != NULL ? VV_OK : VV_NOMEM;
  }
  return VV_OK;
}

/* A file that is not there is an empty book. */
static vv_status read_shelf(const char *path, shelf *b)
{
  char *line = NULL;
  size_t room = 0;
  ssize_t n;
  book_kind kind = BOOK_CLAIM;
  vv_status status = VV_OK;
  FILE *f = fopen(path, "r");
  if (f == NULL) return errno == ENOENT ? VV_OK : VV_IO;
  while (status == VV_OK && (n = getline(&line, &room, f)) >= 0) {
    if (n > 0 && line[n - 1] == '\n') line[n - 1] = '\0';
    status = read_line(b, line, &kind);
  }
  free(line);
  fclose(f);
  return status;
}

/* ---- merging ---- */

static int find_section(const shelf *b, const book_chapter *c)
{
  for (int i = 0; i < b->n; i++)
    if (strcmp(b->of[i]->name, c->name) == 0 || strcmp(b->of[i]->title, c->title) == 0) return i;
  return -1;
}

/* A row of the run goes where the row of its id was, or behind the row before it. */
static vv_status merge_row(section *s, const book_claim *k, int *at)
{
  char *text = row_text(k);
  const int old = find_row(s, k->id);
  if (text == NULL) return VV_NOMEM;
  if (old >= 0) {
    free(s->line[old].text);
    *at = old;
  } else {
    if (s->n == MAX_LINES) {
      free(text);
      return VV_ARG;
    }
    *at = *at + 1 < s->n ? *at + 1 : s->n;
    for (int i = s->n++; i > *at; i--) s->line[i] = s->line[i - 1];
  }
  s->line[*at].kind = k->kind, s->line[*at].text = text, s->line[*at].chaotic = k->chaotic;
  return VV_OK;
}

static vv_status merge_chapter(shelf *b, const book_chapter *c, int *at)
{
  const int old = find_section(b, c);
  const int place = *at < 0 ? b->n : *at + 1; /* behind the chapter before it, or at the end */
  section *s = old >= 0 ? b->of[old] : add_section(b, place);
  if (s == NULL) return VV_NOMEM;
  *at = old >= 0 ? old : place;
  if (c->owner->only == NULL) clear_section(s);
  free(s->title);
  free(s->source);
  s->title = copy_text(c->title), s->source = copy_text(c->source);
  snprintf(s->name, sizeof s->name, "%s", c->name);
  int row = -1;
  for (int i = 0; i < c->n_claim; i++) BOOK_TRY(merge_row(s, &c->claim[i], &row));
  return s->title != NULL && s->source != NULL ? VV_OK : VV_NOMEM;
}

/* ---- comparing ---- */

static bool starts_number(const char *text, const char *s)
{
  const bool word = s > text && (isalnum((unsigned char)s[-1]) || s[-1] == '.');
  return isdigit((unsigned char)*s) && !word;
}

static bool near(double a, double b)
{
  return fabs(a - b) <= 0.1 * fmax(fabs(a), fabs(b)) || (fabs(a) < 1e-10 && fabs(b) < 1e-10);
}

static bool same_row(const char *a, const char *b, bool chaotic)
{
  const char *x = a, *y = b;
  while (*x != '\0' && *y != '\0') {
    if (starts_number(a, x) && starts_number(b, y)) {
      char *u, *v;
      if (!near(strtod(x, &u), strtod(y, &v)) && !chaotic) return false;
      x = u, y = v;
    } else if (*x++ != *y++) {
      return chaotic;
    }
  }
  return *x == *y || chaotic;
}

static int compare(const shelf *old, const shelf *new, FILE *f)
{
  int differ = 0;
  for (int i = 0; i < new->n; i++)
    for (int k = 0; k < new->of[i]->n; k++) {
      char id[ID_TEXT];
      const char *was = NULL, *is = new->of[i]->line[k].text;
      if (!row_id(is, id)) continue;
      for (int j = 0; j < old->n && was == NULL; j++) {
        const int row = find_row(old->of[j], id);
        if (row >= 0) was = old->of[j]->line[row].text;
      }
      if (was != NULL && same_row(was, is, new->of[i]->line[k].chaotic)) continue;
      fprintf(f, "the book: %s\nthis run: %s\n", was != NULL ? was : "-", is);
      differ++;
    }
  return differ;
}

/* ---- writing ---- */

static int count(const section *s, book_kind kind, const char *verdict)
{
  char text[NAME_TEXT];
  int n = 0;
  snprintf(text, sizeof text, "| **%s** |", verdict);
  for (int i = 0; i < s->n; i++)
    n += s->line[i].kind == kind && (verdict[0] == '\0' || strstr(s->line[i].text, text) != NULL);
  return n;
}

static void put_front(FILE *f, const shelf *b)
{
  fprintf(
      f,
      "# Validation\n\n"
      "What papers claim, beside what our runs show, and what we ask of ourselves.\n"
      "Written by `make validate`; do not edit.\n"
      "`visviva-validate CHAPTER` and `visviva-validate --rows D1,D2` run a part and put its rows here; "
      "`make rerun` picks 50 rows and reruns them through the program.\n"
      "A run also writes a page with tables and plots for each chapter to `build/validation`.\n"
      "Every verdict follows from a measured number by the rule in its row; a number that stands for several runs "
      "is the worst of them unless the row says otherwise.\n"
      "A rate is the fit over all sizes, and holds if it is within 0.15 of what was claimed, unless its row asks for "
      "more or says why it asks for less.\n"
      "What rows are compared with beside papers, textbooks and exact solutions (a second program for beams, an event "
      "solver for the rod, earlier methods for bars) is in `validation/` and runs with the book.\n\n"
      "| claims of papers | |\n|---|---|\n"
      "| reproduced | the runs show what was claimed, by the rule in the row |\n"
      "| improved | a published number is bettered ten times |\n"
      "| not reproduced | the runs, as described in the paper, do not show it |\n"
      "| cannot be checked | the paper does not say enough to decide |\n\n"
      "Targets are ours or a textbook's: met, or missed, and then `make validate` fails.\n"
      "Findings are readings, misprints and comparisons: told without a verdict.\n\n"
      "| chapter | reproduced | improved | not reproduced | cannot be checked | targets met | missed | findings |\n"
      "|---|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < b->n; i++) {
    const section *s = b->of[i];
    fprintf(f, "| %s", s->title);
    for (int v = BOOK_REPRODUCED; v <= BOOK_UNCHECKED; v++) fprintf(f, " | %d", count(s, BOOK_CLAIM, verdict_text[v]));
    for (int v = BOOK_MET; v <= BOOK_MISSED; v++) fprintf(f, " | %d", count(s, BOOK_TARGET, verdict_text[v]));
    fprintf(f, " | %d |\n", count(s, BOOK_FINDING, ""));
  }
}

static void put_section(FILE *f, const section *s)
{
  fprintf(f, "\n## %s\n\n<!-- chapter %s -->\n%s\n", s->title, s->name, s->source != NULL ? s->source : "");
  for (int kind = 0; kind < BOOK_KINDS; kind++) {
    bool any = false;
    for (int i = 0; i < s->n; i++) {
      if (s->line[i].kind != (book_kind)kind) continue;
      if (!any) fprintf(f, "\n### %s\n\n%s\n%s\n", kind_heading[kind], kind_columns[kind], kind_rule[kind]);
      fprintf(f, "%s\n", s->line[i].text);
      any = true;
    }
  }
}

static vv_status write_shelf(const char *path, const shelf *b)
{
  FILE *f = fopen(path, "w");
  if (f == NULL) return VV_IO;
  put_front(f, b);
  for (int i = 0; i < b->n; i++) put_section(f, b->of[i]);
  return fclose(f) == 0 ? VV_OK : VV_IO;
}

vv_status book_summary(const book *b, const char *path, bool check, FILE *f, int *differ)
{
  shelf old = {0}, new = {0};
  int at = -1;
  *differ = 0;
  vv_status status = read_shelf(path, &old);
  if (status == VV_OK && !b->whole && !(check && b->only == NULL)) status = read_shelf(path, &new);
  for (int i = 0; i < b->n_chapter && status == VV_OK; i++) status = merge_chapter(&new, b->chapter[i], &at);
  if (status == VV_OK) *differ = compare(&old, &new, f);
  if (status == VV_OK && !check) status = write_shelf(path, &new);
  free_shelf(&old);
  free_shelf(&new);
  return status;
}
