/* validation/share.c  Chapters that child processes have run: their rows go to the parent through a file.
 *
 * A chapter depends on no other, and its page and plots are files of its own; what the summary needs of it is its rows.  A
 * row is sent as it lies in memory, since parent and child are one program, and its texts behind it. */
#include "pages.h"

#include <stdlib.h>
#include <string.h>

enum { TEXTS = 4 };

static void texts_of(book_claim *k, const char **at[TEXTS])
{
  at[0] = &k->id, at[1] = &k->text, at[2] = &k->published, at[3] = &k->evidence;
}

static bool put_text(FILE *f, const char *s)
{
  const size_t n = strlen(s) + 1;
  return fwrite(&n, sizeof n, 1, f) == 1 && fwrite(s, 1, n, f) == n;
}

/* NULL: it is not there. */
static char *get_text(FILE *f)
{
  size_t n;
  if (fread(&n, sizeof n, 1, f) != 1) return NULL;
  char *s = malloc(n);
  if (s == NULL || fread(s, 1, n, f) == n) return s;
  free(s);
  return NULL;
}

bool book_send(const book *b, FILE *f)
{
  const book_chapter *c = b->n_chapter > 0 ? b->chapter[b->n_chapter - 1] : NULL;
  if (c == NULL) return false;
  bool good = put_text(f, c->name) && put_text(f, c->title) && put_text(f, c->source) &&
              fwrite(&c->n_claim, sizeof c->n_claim, 1, f) == 1;
  for (int i = 0; i < c->n_claim && good; i++) {
    book_claim k = c->claim[i];
    const char **at[TEXTS];
    texts_of(&k, at);
    good = fwrite(&k, sizeof k, 1, f) == 1;
    for (int t = 0; t < TEXTS && good; t++) good = put_text(f, *at[t]);
  }
  return good && fflush(f) == 0;
}

/* Texts of a chapter that came this way are its own, to the end of the program. */
static bool receive_row(FILE *f, book_chapter *c)
{
  book_claim *k = &c->claim[c->n_claim];
  const char **at[TEXTS];
  if (c->n_claim == MAX_CLAIMS || fread(k, sizeof *k, 1, f) != 1) return false;
  texts_of(k, at);
  for (int t = 0; t < TEXTS; t++)
    if ((*at[t] = get_text(f)) == NULL) return false;
  c->n_claim++;
  return true;
}

bool book_receive(book *b, FILE *f)
{
  book_chapter *c = b->n_chapter < MAX_CHAPTERS ? calloc(1, sizeof *c) : NULL;
  int n = 0;
  if (c == NULL) return false;
  b->chapter[b->n_chapter++] = c;
  rewind(f);
  c->owner = b, c->name = get_text(f), c->title = get_text(f), c->source = get_text(f);
  bool good = c->name != NULL && c->title != NULL && c->source != NULL && fread(&n, sizeof n, 1, f) == 1;
  for (int i = 0; i < n && good; i++) good = receive_row(f, c);
  return good;
}
