/* model/table.c  Reads a small text table: whole file, lines, fields. */
#include "model/table.h"
#include "model/bind.h"
#include "model/spec.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_FAULTS = 5 };
static const int64_t most_bytes = INT64_C(1) << 30;

typedef struct reader {
  const vv_group *group;
  const char *field; /* of the group, for complaints */
  const char *file;  /* as written in the scene */
  const char *known;
  char *text; /* the whole file, a zero behind it */
  size_t length;
  int64_t line;      /* being read, from 1 */
  const char *start; /* of that line */
  int faults;
  int64_t room; /* rows */
  vvi_columns *table;
} reader;

/* ---- the file ---- */

char *vvi_beside(const char *source, const char *file)
{
  const char *slash = strrchr(source, '/');
  const size_t folder = file[0] == '/' || slash == NULL ? 0 : (size_t)(slash - source) + 1;
  char *path = malloc(folder + strlen(file) + 1);
  if (path == NULL) return NULL;
  memcpy(path, source, folder);
  strcpy(path + folder, file);
  return path;
}

static vv_status no_memory(const vv_group *g, const char *name)
{
  vv_complain(g, name, "out of memory for the file '%.100s'", vv_text(g, name));
  return VV_NOMEM;
}

static vv_status load_stream(const vv_group *g, const char *name, FILE *stream, char **bytes, size_t *size)
{
  struct stat s;
  if (fstat(fileno(stream), &s) != 0)
    return vv_complain(g, name, "'%.100s' cannot be read: %s", vv_text(g, name), strerror(errno));
  if ((int64_t)s.st_size > most_bytes)
    return vv_complain(g, name, "'%.100s' is larger than %d MiB; use fewer digits or fewer nodes", vv_text(g, name),
                       (int)(most_bytes >> 20));
  *bytes = malloc((size_t)s.st_size + 1);
  if (*bytes == NULL) return no_memory(g, name);
  *size = fread(*bytes, 1, (size_t)s.st_size, stream);
  (*bytes)[*size] = '\0';
  if (!ferror(stream)) return VV_OK;
  free(*bytes);
  *bytes = NULL;
  return vv_complain(g, name, "'%.100s' cannot be read: %s", vv_text(g, name), strerror(errno));
}

vv_status vvi_beside_read(const vv_group *g, const char *name, char **bytes, size_t *size)
{
  *bytes = NULL, *size = 0;
  char *path = vvi_beside(g->source, vv_text(g, name));
  if (path == NULL) return no_memory(g, name);
  errno = 0;
  FILE *stream = vvi_open_plain(path);
  vv_status status;
  if (stream == NULL && errno == EINVAL) {
    status = vv_complain(g, name, "'%.100s' is no plain file; give the name of a file", vv_text(g, name));
  } else if (stream == NULL) {
    const int why = errno;
    status =
        vv_complain(g, name, "'%.100s' cannot be opened (%s); the path counts from the folder of the scene: %.200s",
                    vv_text(g, name), strerror(why), path);
  } else {
    status = load_stream(g, name, stream, bytes, size);
    fclose(stream);
  }
  free(path);
  return status;
}

static vv_status load(reader *r)
{
  VV_TRY(vvi_beside_read(r->group, r->field, &r->text, &r->length));
  const char *zero = r->text != NULL ? memchr(r->text, '\0', r->length) : NULL;
  if (zero == NULL) return VV_OK;
  int64_t line = 1;
  for (const char *c = r->text; c < zero; c++) line += *c == '\n';
  return vv_complain(r->group, r->field, "'%.100s' line %lld: a zero byte; the table must be plain text (ASCII, UTF-8)",
                     r->file, (long long)line);
}

/* ---- fields of a line ---- */

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_mark(char c)
{
  return c == ',' || c == ';';
}

/* The next field of a line: cut off with a zero byte, *at moved behind it.  NULL: no more.  An empty one, between two
 * marks or behind the last, is "". */
static char *next_field(char **at, bool *behind_mark)
{
  char *c = *at;
  while (is_blank(*c)) c++;
  if (*c == '\0') {
    const bool open = *behind_mark;
    *at = c, *behind_mark = false;
    return open ? c : NULL;
  }
  char *field = c;
  while (*c != '\0' && !is_blank(*c) && !is_mark(*c)) c++;
  char *end = c;
  while (is_blank(*c)) c++;
  *behind_mark = is_mark(*c);
  if (*behind_mark) c++;
  *at = c;
  *end = '\0';
  return field;
}

/* Nothing of the file is shown, which may be somebody else's: a scene that names /etc/passwd must not print it. */
static void fault(reader *r, const char *what, const char *field, const char *remedy)
{
  if (r->faults++ < MOST_FAULTS)
    vv_complain(r->group, r->field, "'%.100s' line %lld: column %d: %s%s", r->file, (long long)r->line,
                (int)(field - r->start < INT32_MAX ? field - r->start : INT32_MAX) + 1, what, remedy);
}

/* ---- head ---- */

static bool is_known(const char *known, const char *name)
{
  const size_t n = strlen(name);
  for (const char *c = known; n > 0 && c != NULL; c = strchr(c, '|')) {
    c += *c == '|';
    if (strncmp(c, name, n) == 0 && (c[n] == '|' || c[n] == '\0')) return true;
  }
  return false;
}

static void read_head(reader *r, char *line)
{
  vvi_columns *t = r->table;
  bool behind_mark = false;
  for (char *field; (field = next_field(&line, &behind_mark)) != NULL;) {
    if (!is_known(r->known, field)) {
      char *end;
      const bool number = field[0] != '\0' && (strtod(field, &end), *end == '\0');
      fault(r, number ? "the head line must name the columns, and not hold numbers" : "no such column", field,
            number ? "; write a line 'x y z' above" : "");
      if (!number && r->faults == 1)
        vv_complain(r->group, r->field, "'%.100s': its columns may be %.200s", r->file, r->known);
      return;
    }
    if (vvi_columns_column(t, field) >= 0) {
      fault(r, "a column that stands twice", field, "; name it once");
      return;
    }
    VV_ASSERT(t->columns < VVI_TABLE_COLUMNS && strlen(field) < VVI_TABLE_NAME);
    strcpy(t->name[t->columns++], field);
  }
}

/* ---- rows ---- */

static bool grow(reader *r)
{
  vvi_columns *t = r->table;
  if (t->rows < r->room) return true;
  const int64_t room = r->room > 0 ? 2 * r->room : 256;
  double *value = realloc(t->value, (size_t)(room * t->columns) * sizeof *value);
  if (value != NULL) t->value = value;
  int64_t *line = value != NULL ? realloc(t->line, (size_t)room * sizeof *line) : NULL;
  if (line == NULL) return false;
  t->line = line;
  r->room = room;
  return true;
}

/* Hexadecimal notation is left out: strtod would take it, a reader would not expect it. */
static bool read_number(reader *r, const char *field, double *out)
{
  char *end = NULL;
  *out = strtod(field, &end);
  if (field[0] == '\0') {
    fault(r, "an empty field", field, "; write a number in each column");
    return false;
  }
  if (*end != '\0' || strpbrk(field, "xX") != NULL) {
    fault(r, "not a number", field, "; write 0.5 or 1e-3");
    return false;
  }
  if (!isfinite(*out)) fault(r, "not a finite number", field, "; leave the row out or give a value");
  return isfinite(*out);
}

static void read_row(reader *r, char *line)
{
  vvi_columns *t = r->table;
  double *row = t->value + t->rows * t->columns;
  bool behind_mark = false;
  int n = 0;
  for (char *field; (field = next_field(&line, &behind_mark)) != NULL; n++) {
    double x;
    if (!read_number(r, field, &x)) return;
    if (n < t->columns) row[n] = x;
  }
  if (n != t->columns && r->faults++ < MOST_FAULTS)
    vv_complain(r->group, r->field, "'%.100s' line %lld: %d numbers, but the head line names %d columns%s", r->file,
                (long long)r->line, n, t->columns, n > t->columns ? "; a decimal comma counts as a separator" : "");
  t->line[t->rows++] = r->line;
}

static vv_status read_lines(reader *r)
{
  char *at = r->text, *const end = r->text + r->length;
  if (strncmp(at, "\xef\xbb\xbf", 3) == 0) at += 3; /* byte order mark */
  while (at < end && r->faults < MOST_FAULTS) {
    char *line = at, *stop = memchr(at, '\n', (size_t)(end - at));
    if (stop == NULL) stop = end;
    *stop = '\0';
    at = stop + 1;
    r->line++;
    r->start = line;
    line[strcspn(line, "#")] = '\0';
    while (is_blank(*line)) line++;
    if (*line == '\0') continue;
    if (r->table->columns == 0) {
      read_head(r, line);
      if (r->faults > 0) return VV_SCENE;
    } else {
      if (!grow(r)) return no_memory(r->group, r->field);
      read_row(r, line);
    }
  }
  if (r->faults > 0) return VV_SCENE;
  return r->table->rows > 0
             ? VV_OK
             : vv_complain(r->group, r->field,
                           "'%.100s' has no rows; write a head line of names, then one line per row", r->file);
}

/* ---- the door ---- */

vv_status vvi_columns_read(const vv_group *g, const char *name, const char *known, vvi_columns *out)
{
  *out = (vvi_columns){0};
  reader r = {.group = g, .field = name, .file = vv_text(g, name), .known = known, .table = out};
  vv_status status = load(&r);
  if (status == VV_OK && r.text != NULL) {
    vvi_locale locale = vvi_locale_enter();
    status = read_lines(&r);
    vvi_locale_leave(&locale);
  }
  free(r.text);
  if (status != VV_OK) vvi_columns_free(out);
  return status;
}

void vvi_columns_free(vvi_columns *t)
{
  free(t->value);
  free(t->line);
  *t = (vvi_columns){0};
}

int vvi_columns_column(const vvi_columns *t, const char *name)
{
  for (int i = 0; i < t->columns; i++)
    if (strcmp(t->name[i], name) == 0) return i;
  return -1;
}
