/* validation/pages.h  What the book holds, for book.c and summary.c alone. */
#pragma once
#include "book.h"

enum { MAX_CLAIMS = 64, MAX_CHAPTERS = 16, FOLDER_TEXT = 1024 };

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
  char folder[FOLDER_TEXT];
  const char *const *only; /* wanted rows; NULL: all */
  bool whole;              /* all chapters are run: nothing of the old summary stays */
  int n_chapter;
  book_chapter *chapter[MAX_CHAPTERS];
};

/* The rows of a chapter, a table for each kind, under headings that begin with `mark`. */
void book_put_rows(FILE *f, const book_chapter *c, const char *mark);
