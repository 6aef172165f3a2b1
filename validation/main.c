/* validation/main.c  visviva-validate [-o DIR] [--docs FILE] [--check] [--jobs N] [--rows ID,ID...] [CHAPTER...]
 *
 * Runs the chapters, writes their pages and plots to DIR (default build/validation) and puts their rows into the summary
 * FILE (default docs/validation.md); chapters and rows that are not run stay there as they are.  With --rows only the parts
 * of the chapters that these rows need are run.  --check compares with the summary instead of writing it.  --jobs runs so
 * many chapters at a time, each in a process of its own: the book is the same, but for times that it measures.
 *
 * Exit: 0 done (also where a paper's claim is not reproduced), 1 wrong options, 2 a chapter failed, 3 --check: the summary
 * differs, 4 a target of our own is missed. */
#include "book.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
  const char *name;
  char letter; /* of its rows */
  vv_status (*write)(book *b);
  int minutes; /* of one core, about: the long ones begin first */
} chapter[] = {
    {"demoures2017", 'D', chapter_demoures2017, 1},
    {"demoures2016", 'M', chapter_demoures2016, 1},
    {"impact2017", 'I', chapter_impact2017, 2},
    {"demoures2015", 'B', chapter_demoures2015, 6},
    {"cirak2005", 'C', chapter_cirak2005, 1},
    {"cirak2005-shells", 'S', chapter_cirak2005_shells, 7},
    {"crowds", 'K', chapter_crowds, 6},
    {"rigid-em", 'R', chapter_rigid_em, 3},
    {"em-contact", 'E', chapter_em_contact, 2},
    {"rigid_many", 'N', chapter_rigid_many, 7},
    {"shells", 'T', chapter_shells, 2},
    {"materials", 'F', chapter_materials, 8},
    {"wall", 'W', chapter_wall, 1},
    {"histories", 'H', chapter_histories, 2},
    {"joints", 'J', chapter_joints, 9},
};

enum { MOST_ROWS = 256 };

typedef struct options {
  const char *folder, *docs;
  bool check;
  int jobs, n_only, n_row;
  const char *only[VV_COUNT(chapter)];
  const char *row[MOST_ROWS + 1]; /* ended by NULL */
} options;

static bool known(const char *name)
{
  for (int i = 0; i < VV_COUNT(chapter); i++)
    if (strcmp(chapter[i].name, name) == 0) return true;
  return false;
}

/* "D1,D2": cut in place. */
static bool read_rows(char *list, options *o)
{
  for (char *s = strtok(list, ", "); s != NULL; s = strtok(NULL, ", ")) {
    bool found = false;
    for (int i = 0; i < VV_COUNT(chapter); i++) found = found || chapter[i].letter == s[0];
    if (!found || o->n_row == MOST_ROWS) return false;
    o->row[o->n_row++] = s;
  }
  return o->n_row > 0;
}

static bool read_options(int argc, char **argv, options *o)
{
  *o = (options){.folder = "build/validation", .docs = "docs/validation.md", .jobs = 1};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
      o->folder = argv[++i];
    else if (strcmp(argv[i], "--docs") == 0 && i + 1 < argc)
      o->docs = argv[++i];
    else if (strcmp(argv[i], "--check") == 0)
      o->check = true;
    else if (strcmp(argv[i], "--jobs") == 0 && i + 1 < argc) {
      if ((o->jobs = atoi(argv[++i])) < 1) return false;
    } else if (strcmp(argv[i], "--rows") == 0 && i + 1 < argc) {
      if (!read_rows(argv[++i], o)) return false;
    } else if (known(argv[i]) && o->n_only < VV_COUNT(chapter))
      o->only[o->n_only++] = argv[i];
    else
      return false;
  }
  return o->n_row == 0 || o->n_only == 0;
}

static bool wanted(const options *o, int at)
{
  for (int i = 0; i < o->n_only; i++)
    if (strcmp(o->only[i], chapter[at].name) == 0) return true;
  for (int i = 0; i < o->n_row; i++)
    if (o->row[i][0] == chapter[at].letter) return true;
  return o->n_only == 0 && o->n_row == 0;
}

static int complain(vv_ctx *ctx, const char *what, vv_status status)
{
  fprintf(stderr, "visviva-validate: %s: %s\n", what, vv_status_text(status));
  for (int i = 0; ctx != NULL && i < vv_ctx_message_count(ctx); i++) fprintf(stderr, "  %s\n", vv_ctx_message(ctx, i));
  return 2;
}

static int run_chapters(book *b, const options *o)
{
  for (int i = 0; i < VV_COUNT(chapter); i++) {
    if (!wanted(o, i)) continue;
    const vv_status status = chapter[i].write(b);
    if (status != VV_OK) return complain(book_ctx(b), chapter[i].name, status);
  }
  return 0;
}

/* ---- chapters in processes of their own ---- */

typedef struct job {
  pid_t id;
  FILE *rows; /* NULL: not wanted, or not begun */
  bool good;
} job;

/* The child does not come back. */
static bool begin(book *b, int at, job *j)
{
  fflush(NULL);
  if ((j->rows = tmpfile()) == NULL || (j->id = fork()) < 0) return false;
  if (j->id > 0) return true;
  const vv_status status = chapter[at].write(b);
  if (status != VV_OK) complain(book_ctx(b), chapter[at].name, status);
  const bool sent = status == VV_OK && book_send(b, j->rows);
  fflush(NULL);
  _exit(sent ? 0 : 2);
}

/* The longest that is wanted and has not begun; -1: none. */
static int next_chapter(const options *o, const job *j)
{
  int best = -1;
  for (int i = 0; i < VV_COUNT(chapter); i++)
    if (wanted(o, i) && j[i].rows == NULL && (best < 0 || chapter[i].minutes > chapter[best].minutes)) best = i;
  return best;
}

static bool wait_one(job *j)
{
  int code;
  const pid_t id = wait(&code);
  for (int i = 0; i < VV_COUNT(chapter); i++)
    if (j[i].rows != NULL && j[i].id == id) j[i].good = WIFEXITED(code) && WEXITSTATUS(code) == 0;
  return id > 0;
}

static int share_chapters(book *b, const options *o)
{
  job j[VV_COUNT(chapter)] = {0};
  int running = 0, code = 0;
  for (int next = next_chapter(o, j); next >= 0 || running > 0; next = next_chapter(o, j)) {
    if (next >= 0 && running < o->jobs && code == 0) {
      code = begin(b, next, &j[next]) ? 0 : complain(NULL, chapter[next].name, VV_NOMEM);
      running += code == 0;
    } else if (running == 0 || !wait_one(j)) {
      break;
    } else {
      running--;
    }
  }
  for (int i = 0; i < VV_COUNT(chapter); i++) {
    if (!wanted(o, i)) continue;
    if (!j[i].good || !book_receive(b, j[i].rows)) code = complain(NULL, chapter[i].name, VV_STOPPED);
    if (j[i].rows != NULL) fclose(j[i].rows);
  }
  return code;
}

static int write_book(book *b, const options *o)
{
  if (o->n_row > 0) book_only(b, o->row);
  if (o->n_row == 0 && o->n_only == 0) book_whole(b);
  const int failed = o->jobs > 1 ? share_chapters(b, o) : run_chapters(b, o);
  if (failed != 0) return failed;
  printf("pages and plots in %s\n", o->folder);
  const int code = book_missed(b, stderr) > 0 ? 4 : 0;
  int differ = 0;
  const vv_status status = book_summary(b, o->docs, o->check, stdout, &differ);
  if (status != VV_OK) return complain(book_ctx(b), o->docs, status);
  printf("%s: %d rows differ%s\n", o->docs, differ, o->check ? "" : "; written");
  return o->check && differ > 0 ? 3 : code;
}

int main(int argc, char **argv)
{
  options o;
  if (!read_options(argc, argv, &o)) {
    fprintf(stderr, "usage: visviva-validate [-o DIR] [--docs FILE] [--check] [--jobs N] [--rows ID,ID... | "
                    "CHAPTER...]\nchapters:");
    for (int i = 0; i < VV_COUNT(chapter); i++) fprintf(stderr, " %s (%c)", chapter[i].name, chapter[i].letter);
    fprintf(stderr, "\n");
    return 1;
  }
  vv_ctx *ctx = NULL;
  book *b = NULL;
  vv_ctx_def def = vv_ctx_default();
  def.threads = 1; /* small scenes */
  vv_status status = vv_ctx_create(&def, &ctx);
  if (status == VV_OK) status = book_open(ctx, o.folder, &b);
  const int code = status == VV_OK ? write_book(b, &o) : complain(ctx, o.folder, status);
  book_close(b);
  vv_ctx_destroy(ctx);
  return code;
}
