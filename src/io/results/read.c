/* io/results/read.c  Tables and frames of a result folder. */
#include "io/results/read.h"
#include "io/file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECT_TEXT = 512 };

char *vvi_text_read(vvi_arena *arena, const char *path, size_t *bytes)
{
  errno = 0;
  FILE *f = vvi_open_plain(path);
  if (f == NULL) return NULL;
  char *text = NULL;
  off_t size = -1;
  if (fseeko(f, 0, SEEK_END) == 0) size = ftello(f);
  if (size >= 0 && fseeko(f, 0, SEEK_SET) == 0) text = vvi_arena_alloc(arena, (size_t)size + 1);
  if (text != NULL) {
    const size_t n = fread(text, 1, (size_t)size, f);
    text[n] = '\0';
    if (bytes != NULL) *bytes = n;
  }
  fclose(f);
  return text;
}

/* ---- tables ---- */

/* Cuts the cell at `*c` out of its line (quotes removed, in place) and moves on; *last: it was the last of the row. */
static char *next_cell(char **c, bool *last)
{
  char *cell = *c, *to = *c, *from = *c;
  if (*from == '"') {
    for (from++; *from != '\0' && !(from[0] == '"' && from[1] != '"'); from++) {
      if (*from == '"') from++;
      *to++ = *from;
    }
    if (*from == '"') from++;
  } else {
    to = from += strcspn(from, ",\n");
  }
  from += strcspn(from, ",\n");
  *last = *from != ',';
  if (*from != '\0') from++;
  *to = '\0';
  *c = from;
  return cell;
}

/* Skips comments and empty lines; NULL at the end, and before a row that has no line end. */
static char *next_row(char *c)
{
  for (;;) {
    char *end = strchr(c, '\n');
    if (end == NULL) return NULL;
    if (*c != '#' && *c != '\n') return c;
    c = end + 1;
  }
}

/* Behind the line end of the row at `c`; one within quotes belongs to a name. */
static char *skip_row(char *c)
{
  bool quoted = false;
  for (; *c != '\0' && (quoted || *c != '\n'); c++) quoted ^= *c == '"';
  return *c != '\0' ? c + 1 : c;
}

static int64_t count_rows(char *c)
{
  int64_t n = 0;
  while ((c = next_row(c)) != NULL) c = skip_row(c), n++;
  return n;
}

static vv_status make_columns(vvi_arena *arena, char **c, vvi_table *t)
{
  t->columns = 1;
  for (const char *k = *c; *k != '\n'; k++) t->columns += *k == ',';
  t->name = VVI_ARENA_NEW(arena, char *, t->columns);
  t->value = VVI_ARENA_NEW(arena, double *, t->columns);
  t->word = VVI_ARENA_NEW(arena, char **, t->columns);
  if (t->name == NULL || t->value == NULL || t->word == NULL) return VV_NOMEM;
  bool last = false;
  for (int i = 0; i < t->columns; i++) {
    t->name[i] = last ? "" : next_cell(c, &last);
    t->value[i] = VVI_ARENA_NEW(arena, double, t->rows);
    if (t->value[i] == NULL) return VV_NOMEM;
  }
  return VV_OK;
}

/* The first line, "# units: s,J,...", has one unit per column. */
static vv_status read_units(vvi_arena *arena, char *line, vvi_table *t)
{
  static const char head[] = "# units: ";
  t->unit = VVI_ARENA_NEW(arena, char *, t->columns);
  if (t->unit == NULL) return VV_NOMEM;
  bool last = strncmp(line, head, strlen(head)) != 0;
  line += last ? 0 : strlen(head);
  for (int i = 0; i < t->columns; i++) t->unit[i] = last ? "" : next_cell(&line, &last);
  return VV_OK;
}

static vv_status put_cell(vvi_arena *arena, vvi_table *t, int column, int64_t row, char *cell)
{
  char *end = NULL;
  const double value = strtod(cell, &end);
  const bool number = *cell != '\0' && *end == '\0';
  t->value[column][row] = number ? value : NAN;
  if (number) return VV_OK;
  if (t->word[column] == NULL) t->word[column] = VVI_ARENA_NEW(arena, char *, t->rows);
  if (t->word[column] == NULL) return VV_NOMEM;
  t->word[column][row] = cell;
  return VV_OK;
}

vv_status vvi_table_read(vv_ctx *ctx, vvi_arena *arena, const char *path, vvi_table *out)
{
  *out = (vvi_table){0};
  char *first = vvi_text_read(arena, path, NULL);
  if (first == NULL) return vvi_io_fail(ctx, path, "not read");
  char *c = next_row(first);
  if (c == NULL) return vvi_fail(ctx, VV_IO, "%s: has no line of column names", path);
  out->rows = count_rows(c) - 1;
  VV_TRY(make_columns(arena, &c, out));
  VV_TRY(read_units(arena, first, out));
  for (int64_t row = 0; row < out->rows && (c = next_row(c)) != NULL; row++) {
    bool last = false;
    for (int i = 0; i < out->columns; i++) VV_TRY(put_cell(arena, out, i, row, last ? "" : next_cell(&c, &last)));
    while (!last) next_cell(&c, &last);
  }
  return VV_OK;
}

const char *vvi_table_unit(const vvi_table *t, const char *name)
{
  for (int i = 0; i < t->columns; i++)
    if (strcmp(t->name[i], name) == 0) return t->unit[i];
  return "";
}

const double *vvi_table_column(const vvi_table *t, const char *name)
{
  for (int i = 0; i < t->columns; i++)
    if (strcmp(t->name[i], name) == 0) return t->value[i];
  return NULL;
}

/* ---- frames ---- */

static void object_name(const vvi_run *run, int body, const char *field, char out[OBJECT_TEXT])
{
  snprintf(out, OBJECT_TEXT, "/bodies/%.240s%s%.200s", run->body[body], field != NULL ? "/" : "",
           field != NULL ? field : "");
}

/* HDF5 lists names alphabetically; a reader expects the order of the scene. */
static vv_status sort_bodies(vvi_run *run, vvi_arena *arena, char **found)
{
  char object[OBJECT_TEXT];
  run->body = VVI_ARENA_NEW(arena, char *, run->n_body);
  if (run->body == NULL) return VV_NOMEM;
  memcpy(run->body, found, sizeof *found * (size_t)run->n_body);
  for (int i = 0; i < run->n_body; i++) {
    int64_t index = -1;
    snprintf(object, sizeof object, "/bodies/%.240s", found[i]);
    VV_TRY(vvi_h5_get_whole(&run->h5, object, "index", &index));
    if (index >= 0 && index < run->n_body) run->body[index] = found[i];
  }
  return VV_OK;
}

static vv_status read_run(vvi_arena *arena, vvi_run *run)
{
  char **found = NULL;
  VV_TRY(vvi_h5_get_whole(&run->h5, "/", "frames", &run->frames));
  if (run->frames < 0) return vvi_fail(run->h5.ctx, VV_IO, "%s: a negative number of frames", run->h5.path);
  run->time = VVI_ARENA_NEW(arena, double, run->frames);
  run->step = VVI_ARENA_NEW(arena, int64_t, run->frames);
  if (run->time == NULL || run->step == NULL) return VV_NOMEM;
  const int64_t first = 0;
  if (run->frames > 0) {
    VV_TRY(vvi_h5_read_box(&run->h5, "/time", VVI_H5_DOUBLE, 1, &first, &run->frames, run->time));
    VV_TRY(vvi_h5_read_box(&run->h5, "/step", VVI_H5_INT64, 1, &first, &run->frames, run->step));
  }
  VV_TRY(vvi_h5_names(&run->h5, "/bodies", arena, &run->n_body, &found));
  return sort_bodies(run, arena, found);
}

vv_status vvi_run_open(vv_ctx *ctx, vvi_arena *arena, const char *folder, vvi_run *out)
{
  *out = (vvi_run){0};
  const char *path = vvi_path(arena, folder, "results.h5");
  if (path == NULL) return VV_NOMEM;
  VV_TRY(vvi_h5_open(ctx, path, false, &out->h5));
  const vv_status status = read_run(arena, out);
  if (status != VV_OK) (void)!vvi_h5_close(&out->h5);
  return status;
}

vv_status vvi_run_close(vvi_run *run)
{
  return vvi_h5_close(&run->h5);
}

void vvi_run_shape(vvi_run *run, int body, const char *field, int64_t *count, int *components)
{
  char object[OBJECT_TEXT];
  int64_t dims[VVI_H5_RANK];
  int rank = 0;
  *count = 0;
  *components = 1;
  object_name(run, body, field, object);
  if (!vvi_h5_has(&run->h5, object) || vvi_h5_shape(&run->h5, object, &rank, dims) != VV_OK || rank < 2) return;
  if (dims[0] < run->frames) return;
  *count = dims[1];
  if (rank == 3) *components = (int)dims[2];
}

vv_status vvi_run_read(vvi_run *run, int body, const char *field, int64_t f0, int64_t nf, int64_t i0, int64_t ni,
                       double *out)
{
  char object[OBJECT_TEXT];
  int64_t have;
  int components;
  object_name(run, body, field, object);
  vvi_run_shape(run, body, field, &have, &components);
  const int64_t first[3] = {f0, i0, 0}, count[3] = {nf, ni, components};
  return vvi_h5_read_box(&run->h5, object, VVI_H5_DOUBLE, components > 1 ? 3 : 2, first, count, out);
}

/* Rows of a constant table of a body that has three columns; 0: it has none. */
static vv_status rows_of_three(vvi_run *run, const char *object, int64_t *rows)
{
  int64_t dims[VVI_H5_RANK];
  int rank = 0;
  *rows = 0;
  if (!vvi_h5_has(&run->h5, object)) return VV_OK;
  VV_TRY(vvi_h5_shape(&run->h5, object, &rank, dims));
  if (rank == 2 && dims[1] == 3) *rows = dims[0];
  return VV_OK;
}

vv_status vvi_run_skin(vvi_run *run, vvi_arena *arena, int body, int64_t *points, double **point)
{
  char object[OBJECT_TEXT];
  object_name(run, body, "skin_points", object);
  VV_TRY(rows_of_three(run, object, points));
  if (*points == 0) return VV_OK;
  *point = VVI_ARENA_NEW(arena, double, 3 * *points);
  return *point != NULL ? vvi_h5_read(&run->h5, object, VVI_H5_DOUBLE, 3 * *points, *point) : VV_NOMEM;
}

vv_status vvi_run_triangles(vvi_run *run, vvi_arena *arena, int body, int64_t *triangles, int64_t **triangle)
{
  char object[OBJECT_TEXT];
  object_name(run, body, "elements", object);
  VV_TRY(rows_of_three(run, object, triangles));
  if (*triangles == 0) return VV_OK;
  *triangle = VVI_ARENA_NEW(arena, int64_t, 3 * *triangles);
  return *triangle != NULL ? vvi_h5_read(&run->h5, object, VVI_H5_INT64, 3 * *triangles, *triangle) : VV_NOMEM;
}
