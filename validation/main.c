/* validation/main.c  visviva-validate [-o DIR] [--docs FILE] [--check] [CHAPTER...]
 *
 * Runs the chapters, writes their pages and plots to DIR (default build/validation) and the summary to FILE (default
 * docs/validation.md).  --check compares the summary instead of writing it.  With chapters named, only those are run and
 * the summary is left alone.
 *
 * Exit: 0 done (also where a paper's claim is not reproduced), 1 wrong options, 2 a chapter failed, 3 --check: the summary
 * differs, 4 a target of our own is missed. */
#include "book.h"

#include <string.h>

static const struct {
  const char *name;
  vv_status (*write)(book *b);
} chapter[] = {
    {"demoures2017", chapter_demoures2017},
    {"demoures2016", chapter_demoures2016},
    {"impact2017", chapter_impact2017},
    {"demoures2015", chapter_demoures2015},
    {"cirak2005", chapter_cirak2005},
    {"cirak2005-shells", chapter_cirak2005_shells},
    {"crowds", chapter_crowds},
    {"rigid1999", chapter_rigid1999},
    {"rigid_many", chapter_rigid_many},
    {"shells", chapter_shells},
    {"materials", chapter_materials},
    {"wall", chapter_wall},
    {"histories", chapter_histories},
};

typedef struct options {
  const char *folder, *docs;
  bool check;
  int n_only;
  const char *only[VV_COUNT(chapter)];
} options;

static bool known(const char *name)
{
  for (int i = 0; i < VV_COUNT(chapter); i++)
    if (strcmp(chapter[i].name, name) == 0) return true;
  return false;
}

static bool read_options(int argc, char **argv, options *o)
{
  *o = (options){.folder = "build/validation", .docs = "docs/validation.md"};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
      o->folder = argv[++i];
    else if (strcmp(argv[i], "--docs") == 0 && i + 1 < argc)
      o->docs = argv[++i];
    else if (strcmp(argv[i], "--check") == 0)
      o->check = true;
    else if (known(argv[i]) && o->n_only < VV_COUNT(chapter))
      o->only[o->n_only++] = argv[i];
    else
      return false;
  }
  return true;
}

static bool wanted(const options *o, const char *name)
{
  for (int i = 0; i < o->n_only; i++)
    if (strcmp(o->only[i], name) == 0) return true;
  return o->n_only == 0;
}

static int complain(vv_ctx *ctx, const char *what, vv_status status)
{
  fprintf(stderr, "visviva-validate: %s: %s\n", what, vv_status_text(status));
  for (int i = 0; ctx != NULL && i < vv_ctx_message_count(ctx); i++) fprintf(stderr, "  %s\n", vv_ctx_message(ctx, i));
  return 2;
}

static int write_book(book *b, const options *o)
{
  for (int i = 0; i < VV_COUNT(chapter); i++) {
    if (!wanted(o, chapter[i].name)) continue;
    const vv_status status = chapter[i].write(b);
    if (status != VV_OK) return complain(book_ctx(b), chapter[i].name, status);
  }
  printf("pages and plots in %s\n", o->folder);
  const int code = book_missed(b, stderr) > 0 ? 4 : 0;
  if (o->n_only > 0) return code;
  bool same = false;
  const vv_status status = book_summary(b, o->docs, o->check, &same);
  if (status != VV_OK) return complain(book_ctx(b), o->docs, status);
  printf("%s %s\n", o->docs, same ? "is up to date" : o->check ? "differs: run make validate" : "written");
  return o->check && !same ? 3 : code;
}

int main(int argc, char **argv)
{
  options o;
  if (!read_options(argc, argv, &o)) {
    fprintf(stderr, "usage: visviva-validate [-o DIR] [--docs FILE] [--check] [CHAPTER...]\nchapters:");
    for (int i = 0; i < VV_COUNT(chapter); i++) fprintf(stderr, " %s", chapter[i].name);
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
