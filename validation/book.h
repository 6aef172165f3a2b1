/* validation/book.h  The validation book: one chapter per paper, one row per claim, target or finding.
 *
 * A chapter is a Markdown page with its plots beside it; the rows of all chapters make one summary, docs/validation.md.
 * Every verdict is computed from a measured number by one of the judge functions below, never typed, and the rule is
 * printed beside it.  What a paper claims, what we ask of ourselves and what is only told stand in tables of their own.
 * A part of the book can be run alone: its rows are put in place of the old ones. */
#pragma once
#include "report/plot.h"
#include "visviva/book.h"
#include "visviva/visviva.h"

#include <stdio.h>

/* ---- numbers as text: as measured ---- */

typedef struct book_text {
  char s[48];
} book_text;

book_text book_error(double x);             /* 2 digits */
book_text book_number(double x, int n);     /* n significant digits */
book_text book_fixed(double x, int n);      /* n decimals */
book_text book_range(double lo, double hi); /* two errors: "1.2e-04 to 3.4e-03" */
book_text book_percent(double x);           /* an error as a percentage, 2 digits; below 1e-6 as it is */

/* ---- rows ---- */

typedef enum book_kind {
  BOOK_CLAIM,   /* of a paper */
  BOOK_TARGET,  /* ours, or a textbook's number: the program fails where it is missed */
  BOOK_FINDING, /* readings, misprints, comparisons: told, not judged */
  BOOK_KINDS
} book_kind;

typedef enum book_verdict {
  BOOK_REPRODUCED,
  BOOK_BETTERED, /* a published number, ten times */
  BOOK_NOT_REPRODUCED,
  BOOK_UNCHECKED,
  BOOK_MET, /* of targets */
  BOOK_MISSED,
  BOOK_TOLD, /* of findings */
  BOOK_VERDICTS
} book_verdict;

typedef struct book_claim {
  const char *id;
  const char *text;      /* as published */
  const char *published; /* the figure, or what the words say; a target: what it is compared with, or "-" */
  char measured[704];
  const char *evidence; /* parameters of the runs */
  book_kind kind;
  book_verdict verdict;
  char rule[200]; /* how the verdict follows from the number */
  bool chaotic;   /* the numbers differ between machines: not compared by --check */
} book_claim;

/* Claims.  measured <= limit: reproduced; <= limit/10: improved, where the limit is a published number. */
void book_judge_below(book_claim *c, double measured, double limit);
void book_judge_better(book_claim *c, double measured, double limit);
/* measured >= limit: reproduced. */
void book_judge_above(book_claim *c, double measured, double limit);
/* "About": within a tenth. */
void book_judge_about(book_claim *c, double least, double most, double published);
/* A relation that holds in `holds` of `all` runs: reproduced if in all. */
void book_judge_count(book_claim *c, int holds, int all, const char *relation);
/* A published rate against n errors over n sizes: reproduced if the fit over all is within 0.15 of the rate; cannot be
 * checked if some pair is and the fit is not, since no paper here names its statistic; else not reproduced.  All pairs and
 * the fit are written behind what `measured` holds. */
void book_judge_rate(book_claim *c, double published, int n, const double size[], const double error[]);
/* Why it cannot be checked. */
void book_judge_unchecked(book_claim *c, const char *why);

/* Targets of our own: met if measured <= target. */
void book_judge_target(book_claim *c, double measured, double target);
void book_judge_target_count(book_claim *c, int holds, int all, const char *relation);
/* The same against an exact or textbook solution. */
void book_judge_exact(book_claim *c, double measured, double limit);

/* Findings: no verdict. */
void book_tell(book_claim *c);

/* Slope of log error over log size: least squares over all, and of the pair i, i + 1. */
double book_fit(int n, const double size[], const double error[]);
double book_pair(int i, const double size[], const double error[]);

/* ---- chapters ---- */

typedef struct book book;
typedef struct book_chapter book_chapter;

vv_status book_open(vv_ctx *ctx, const char *folder, book **out);
void book_close(book *b);
vv_ctx *book_ctx(const book *b);
const char *book_folder(const book *b); /* of the pages */

/* Only these rows are wanted: ids, ended by NULL; the list stays with the caller. */
void book_only(book *b, const char *const *ids);
/* All chapters are run: chapters that are no more leave the summary. */
void book_whole(book *b);
/* Is one of these rows wanted ("D1 D2 D3")?  Sections that cost time ask first. */
bool book_wants(const book_chapter *c, const char *ids);

/* `source` is the citation.  A chapter is kept in memory and written when it ends, with its rows in front. */
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

/* Puts the chapters of this run into the summary at `path` and leaves the others as they are.  With `check` nothing is
 * written: *differ counts rows whose words, verdicts or numbers (by more than a tenth; rounding level, below 1e-10, counts
 * as one number; chaotic rows: not at all) are not those of the file, named on `f`. */
vv_status book_summary(const book *b, const char *path, bool check, FILE *f, int *differ);

/* Targets that were missed, one line each on `f`; how many.  Published claims that are not reproduced do not count: they
 * are findings about papers. */
int book_missed(const book *b, FILE *f);

/* ---- share.c: a child process sends the rows of the chapter that it ran last, the parent puts them into its own book ---- */
bool book_send(const book *b, FILE *f);
bool book_receive(book *b, FILE *f);

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
vv_status chapter_rigid_em(book *b);
vv_status chapter_em_contact(book *b);
vv_status chapter_shells(book *b);
vv_status chapter_materials(book *b);
vv_status chapter_joints(book *b);

#define BOOK_TRY(call)                    \
  do {                                    \
    const vv_status status_ = (call);     \
    if (status_ != VV_OK) return status_; \
  } while (0)
