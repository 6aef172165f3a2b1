/* sweep/text.c  A text buffer that grows, and cells of CSV. */
#include "io/file.h"
#include "sweep/sweep.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void vvi_text_add(vvi_text *t, const char *piece, size_t bytes)
{
  if (t->n + bytes + 1 > t->room) {
    const size_t room = 2 * (t->n + bytes) + 256;
    char *more = t->nomem ? NULL : realloc(t->c, room);
    if (more == NULL) {
      t->nomem = true;
      return;
    }
    t->c = more;
    t->room = room;
  }
  memcpy(t->c + t->n, piece, bytes);
  t->n += bytes;
  t->c[t->n] = '\0';
}

void vvi_text_put(vvi_text *t, const char *piece)
{
  vvi_text_add(t, piece, strlen(piece));
}

void vvi_text_print(vvi_text *t, const char *format, ...)
{
  char piece[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(piece, sizeof piece, format, args);
  va_end(args);
  vvi_text_put(t, piece);
}

/* A line end inside a cell would be one of the file: it becomes a blank. */
void vvi_text_cell(vvi_text *t, const char *word)
{
  const bool plain = strpbrk(word, ",\"\n\r") == NULL && word[0] != '#';
  if (plain) {
    vvi_text_put(t, word);
    return;
  }
  vvi_text_put(t, "\"");
  for (const char *c = word; *c != '\0'; c++) {
    const char one = *c == '\n' || *c == '\r' ? ' ' : *c;
    vvi_text_add(t, &one, 1);
    if (one == '"') vvi_text_put(t, "\"");
  }
  vvi_text_put(t, "\"");
}

void vvi_text_number(vvi_text *t, double x)
{
  char digits[32];
  vvi_text_add(t, digits, (size_t)vvi_put_number(digits, x));
}

void vvi_text_free(vvi_text *t)
{
  free(t->c);
  *t = (vvi_text){0};
}

/* The end of a cell in quotes, quotes taken off and doubled ones made single; NULL: it does not end. */
static char *cut_quoted(char *from)
{
  char *to = from;
  for (char *c = from + 1; *c != '\0'; c++) {
    if (*c == '"' && c[1] != '"') {
      *to = '\0';
      return c + 1;
    }
    if (*c == '"') c++;
    *to++ = *c;
  }
  return NULL;
}

int vvi_csv_cut(char *line, char **cell, int most, char **next)
{
  int n = 0;
  for (char *c = line;;) {
    char *word = c;
    c = *c == '"' ? cut_quoted(c) : c + strcspn(c, ",\n");
    if (c == NULL || n == most) return -1;
    cell[n++] = word;
    const char end = *c;
    if (end != ',' && end != '\n' && end != '\0') return -1;
    *c = '\0';
    *next = end == '\0' ? c : c + 1;
    if (end != ',') return n;
    c++;
  }
}

vv_status vvi_text_write(vv_ctx *ctx, const vvi_text *t, const char *path)
{
  char tmp[VVI_SWEEP_PATH + 8];
  vvi_file file;
  if (t->nomem) return vvi_fail(ctx, VV_NOMEM, "%s: out of memory", path);
  snprintf(tmp, sizeof tmp, "%s.%ld", path, (long)getpid()); /* two that make the same table do not meet */
  VV_TRY(vvi_file_create(ctx, tmp, &file));
  vv_status status = vvi_file_write(&file, t->c != NULL ? t->c : "", t->n);
  const vv_status closed = vvi_file_close(&file);
  if (status == VV_OK) status = closed;
  if (status == VV_OK) return vvi_replace(ctx, tmp, path, true);
  remove(tmp);
  return status;
}

char *vvi_text_of_file(vv_ctx *ctx, const char *path, size_t *bytes)
{
  char part[1 << 14];
  vvi_text all = {0};
  errno = 0;
  FILE *file = vvi_open_plain(path);
  if (file == NULL) {
    (void)vvi_io_fail(ctx, path, "not read");
    return NULL;
  }
  for (size_t n; (n = fread(part, 1, sizeof part, file)) > 0;) vvi_text_add(&all, part, n);
  const bool failed = ferror(file) != 0;
  fclose(file);
  vvi_text_add(&all, "", 0);
  if (!failed && !all.nomem) {
    *bytes = all.n;
    return all.c;
  }
  (void)vvi_fail(ctx, failed ? VV_IO : VV_NOMEM, "%s: %s", path, failed ? "not read" : "out of memory");
  vvi_text_free(&all);
  return NULL;
}
