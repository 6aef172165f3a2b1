/* validation/book.h  The validation book: one chapter per paper, one row per published claim.
 *
 * A chapter is a Markdown page with its plots beside it; the rows of all chapters make one summary.  Every verdict is
 * computed from a measured number by one of the judge functions below, never typed, and the rule is printed beside it.
 * Nothing that depends on the machine or the day is written: the summary is the same file wherever it is made. */
#pragma once
#include "report/plot.h"
#include "visviva/book.h"
#include "visviva/visviva.h"

#include <stdio.h>

/* ---- numbers as text ---- */

typedef struct book_text {
  char s[48];
} book_text;

book_text book_error(double x);             /* 2 digits; rounding level as "below 1e-14" */
book_text book_number(double x, int n);     /* n significant digits */
book_text book_fixed(double x, int n);      /* n decimals */
book_text book_range(double lo, double hi); /* two errors: "1.2e-04 to 3.4e-03" */
book_text book_more(double x, double cap);  /* "more than 100": its power of ten, at most cap; chaotic numbers */
book_text book_less(double x);              /* "less than 5 %": the next 1, 2 or 5 above; chaotic numbers */
book_text book_percent(double x);           /* an error as a percentage, 2 digits; "more than 1000 %" */

/* ---- claims ---- */

typedef enum book_verdict {
  BOOK_REPRODUCED,
  BOOK_BETTERED,
  BOOK_NOT_REPRODUCED,
  BOOK_UNCHECKED,
  BOOK_MISSED, /* a target of our own, a textbook's number, or no number at all: never a finding about a paper */
  BOOK_VERDICTS
} book_verdict;

typedef struct book_claim {
  const char *id;
  const char *text;      /* as published */
  const char *published; /* the figure, or what the words say */
  char measured[320];
  const char *evidence; /* parameters of the runs */
  book_verdict verdict;
  bool target;    /* a promise of our own, or a textbook's number: the program fails where it is missed */
  char rule[160]; /* how the verdict follows from the number */
} book_claim;

/* measured <= limit: reproduced; <= limit/10: improved if the claim is an error bound that may be beaten. */
void book_judge_below(book_claim *c, double measured, double limit);
void book_judge_better(book_claim *c, double measured, double limit);
/* The same against an exact solution: the textbook is right, so that a miss is ours. */
void book_judge_exact(book_claim *c, double measured, double limit);
/* measured >= limit: reproduced. */
void book_judge_above(book_claim *c, double measured, double limit);
/* Beyond the paper, a target of our own: improved if measured <= target, not reproduced otherwise. */
void book_judge_target(book_claim *c, double measured, double target);
void book_judge_target_count(book_claim *c, int holds, int all, const char *relation);
/* A relation that holds in `holds` of `all` runs: reproduced if in all. */
void book_judge_count(book_claim *c, int holds, int all, const char *relation);
/* Why it cannot be checked. */
void book_judge_unchecked(book_claim *c, const char *why);

/* ---- chapters ---- */

typedef struct book book;
typedef struct book_chapter book_chapter;

vv_status book_open(vv_ctx *ctx, const char *folder, book **out);
void book_close(book *b);
vv_ctx *book_ctx(const book *b);
const char *book_folder(const book *b); /* of the pages */

/* `source` is the citation.  A chapter is kept in memory and written when it ends, with its claims in front. */
vv_status book_chapter_begin(book *b, const char *name, const char *title, const char *source, book_chapter **out);
vv_status book_chapter_end(book_chapter *c);
void book_heading(book_chapter *c, const char *text);
void book_say(book_chapter *c, const char *format, ...) VV_PRINTF(2, 3);  /* a paragraph */
void book_line(book_chapter *c, const char *format, ...) VV_PRINTF(2, 3); /* one line, as it is */
void book_columns(book_chapter *c, const char *names);                    /* "a|b|c": head of a table */
void book_row(book_chapter *c, const char *format, ...) VV_PRINTF(2, 3);  /* "a|b|c" */
void book_table_end(book_chapter *c);
/* Strings of the claim must stay.  An id that the book already has, or one claim too many: the chapter fails when it ends. */
void book_add_claim(book_chapter *c, const book_claim *claim);
/* NAME.svg beside the page. */
vv_status book_plot(book_chapter *c, const char *name, const char *caption, const vvi_page *page);

/* The summary of all chapters.  With `check` nothing is written: *same says whether the file is up to date. */
vv_status book_summary(const book *b, const char *path, bool check, bool *same);

/* Targets that were missed (BOOK_MISSED), one line each on `f`; how many.  Published claims that are not reproduced do not count:
 * they are findings about papers. */
int book_missed(const book *b, FILE *f);

/* The chapters. */
vv_status chapter_demoures2017(book *b);
vv_status chapter_demoures2016(book *b);
vv_status chapter_impact2017(book *b);
vv_status chapter_demoures2015(book *b);
vv_status chapter_cirak2005(book *b);
vv_status chapter_cirak2005_shells(book *b);
vv_status chapter_crowds(book *b);

vv_status chapter_wall(book *b);
vv_status chapter_histories(book *b);
vv_status chapter_rigid_many(book *b);
vv_status chapter_rigid1999(book *b);
vv_status chapter_shells(book *b);
vv_status chapter_materials(book *b);

#define BOOK_TRY(call)                    \
  do {                                    \
    const vv_status status_ = (call);     \
    if (status_ != VV_OK) return status_; \
  } while (0)
