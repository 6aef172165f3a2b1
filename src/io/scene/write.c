/* io/scene/write.c  The scene with all defaults written out, readable again to the same hash. */
#include "io/file.h"
#include "io/units.h"
#include "model/bind.h"
#include "model/model.h"
#include "model/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEP = 2 }; /* spaces per level */

/* The first failing write is remembered, the rest are skipped. */
typedef struct writer {
  const vv_model *model;
  vvi_file file;
  vv_status status;
  bool dash; /* the next line begins an item of a list */
} writer;

static void put(writer *w, const char *text)
{
  if (w->status == VV_OK) w->status = vvi_file_text(&w->file, text);
}

static void put_indent(writer *w, int indent)
{
  for (int i = 0; i < (w->dash ? indent - STEP : indent); i++) put(w, " ");
  if (w->dash) put(w, "- ");
  w->dash = false;
}

/* ---- plain values ---- */

/* The shortest of 15, 16 or 17 digits that reads back with the same bits. */
static void put_number(writer *w, double x)
{
  char text[32];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, x);
    if (strtod(text, NULL) == x) break;
  }
  put(w, text);
}

static void put_integer(writer *w, int64_t x)
{
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)x);
  put(w, text);
}

static void put_numbers(writer *w, const vvi_value *v)
{
  for (int i = 0; i < v->n; i++) {
    put(w, i == 0 ? "[" : ", ");
    put_number(w, v->list.number[i]);
  }
  put(w, "]");
}

/* Code of the UTF-8 sequence at c (known to be valid) and its length. */
static uint32_t code_at(const unsigned char *c, int *width)
{
  *width = c[0] < 0x80 ? 1 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
  uint32_t code = *width == 1 ? c[0] : c[0] & (0x7fu >> *width);
  for (int i = 1; i < *width; i++) code = code << 6 | (c[i] & 0x3f);
  return code;
}

/* In double quotes.  Control characters, and those that YAML takes for line ends or marks, as escapes. */
static void put_text(writer *w, const char *text)
{
  char piece[16];
  int width = 1;
  put(w, "\"");
  for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c += width) {
    const uint32_t code = code_at(c, &width);
    const bool hidden = code < 0x20 || (code >= 0x7f && code <= 0xa0) || code == 0x2028 || code == 0x2029;
    if (hidden || code == 0xfeff || code == 0xfffe || code == 0xffff)
      snprintf(piece, sizeof piece, "\\u%04X", (unsigned)code);
    else
      snprintf(piece, sizeof piece, "%s%.*s", code == '"' || code == '\\' ? "\\" : "", width, (const char *)c);
    put(w, piece);
  }
  put(w, "\"");
}

/* A path that counted from the scene's folder: the copy may lie elsewhere, so it is written from the root. */
static void put_path(writer *w, const char *source, const char *file)
{
  char *path = vvi_beside(source, file);
  char *full = path != NULL ? realpath(path, NULL) : NULL;
  put_text(w, full != NULL ? full : file);
  free(full);
  free(path);
}

static void put_names(writer *w, const vvi_value *v)
{
  if (v->text != NULL) put(w, v->text);
  for (int i = 0; i < v->n; i++) {
    put(w, i == 0 ? "[" : ", ");
    put(w, v->list.name[i]);
  }
  if (v->n > 0) put(w, "]");
}

static void put_plain(writer *w, const vv_group *g, const vv_field *f, const vvi_value *v)
{
  switch (f->type) {
  case VV_INTEGER:
    put_integer(w, v->u.integer);
    break;
  case VV_BOOLEAN:
    put(w, v->u.boolean ? "true" : "false");
    break;
  case VV_TEXT:
    if (f->flags & VV_PATH)
      put_path(w, g->source, v->text);
    else
      put_text(w, v->text);
    break;
  case VV_WORD:
    put(w, v->text);
    break;
  case VV_VECTOR:
  case VV_NUMBERS:
    put_numbers(w, v);
    break;
  case VV_NAMES:
    put_names(w, v);
    break;
  default:
    put_number(w, v->u.number);
    break;
  }
}

/* ---- groups ---- */

static void put_group(writer *w, const vv_group *g, int indent);

static bool is_empty(const vv_group *g)
{
  for (int i = 0; i < g->schema->n; i++)
    if (g->value[i].has) return false;
  return g->kind == NULL;
}

/* What follows "name:" or "-". */
static void put_below(writer *w, const vv_group *g, int indent)
{
  if (is_empty(g)) {
    put(w, " {}\n");
    return;
  }
  put(w, "\n");
  put_group(w, g, indent);
}

static void put_list(writer *w, const vvi_value *v, int indent)
{
  put(w, "\n");
  for (int i = 0; i < v->n; i++) {
    w->dash = true;
    if (!is_empty(v->list.item[i])) {
      put_group(w, v->list.item[i], indent + STEP);
      continue;
    }
    put_indent(w, indent + STEP);
    put(w, "{}\n");
  }
}

static void put_bodies(writer *w, const vvi_value *v, int indent)
{
  put(w, "\n");
  for (int i = 0; i < v->n; i++) {
    put_indent(w, indent);
    put(w, v->list.item[i]->name);
    put(w, ":");
    put_below(w, v->list.item[i], indent + STEP);
  }
}

static void put_field(writer *w, const vv_group *g, const vv_field *f, const vvi_value *v, int indent)
{
  put_indent(w, indent);
  put(w, f->name);
  put(w, ":");
  if (f->type == VV_LIST && v->n == 0) {
    put(w, " []\n");
  } else if (f->type == VV_LIST) {
    put_list(w, v, indent + STEP);
  } else if (f->type == VV_BODIES) {
    put_bodies(w, v, indent + STEP);
  } else if (v->sub != NULL) {
    put_below(w, v->sub, indent + STEP);
  } else {
    put(w, " ");
    put_plain(w, g, f, v);
    if (f->unit != NULL && strcmp(f->unit, "1") != 0) {
      char text[VVI_UNIT_BYTES];
      put(w, "  # ");
      put(w, vvi_unit(w->model, f->unit, text));
    }
    put(w, "\n");
  }
}

static void put_group(writer *w, const vv_group *g, int indent)
{
  if (g->kind != NULL) {
    put_indent(w, indent);
    put(w, "kind: ");
    put(w, g->kind);
    put(w, "\n");
  }
  for (int i = 0; i < g->schema->n; i++)
    if (g->value[i].has) put_field(w, g, &g->schema->field[i], &g->value[i], indent);
}

/* ---- the file ---- */

static void put_head(writer *w, const vv_group *root)
{
  static const char *const name[] = {"length", "mass", "time"};
  const vv_group *units = vv_sub(root, "units");
  put(w, "# Scene with all defaults written out by visviva " VV_VERSION ".\n# Units:");
  for (int i = 0; i < VV_COUNT(name); i++) {
    put(w, i == 0 ? " " : ", ");
    put(w, name[i]);
    put(w, " ");
    put_text(w, vv_text(units, name[i]));
  }
  put(w, ".\n");
}

vv_status vv_scene_write(const vv_model *model, const char *path)
{
  writer w = {.model = model, .status = VV_OK};
  if (path == NULL) return vvi_fail(model->ctx, VV_ARG, "vv_scene_write: no path");
  VV_TRY(vvi_file_create(model->ctx, path, &w.file));
  vvi_locale locale = vvi_locale_enter();
  put_head(&w, model->root);
  put_group(&w, model->root, 0);
  vvi_locale_leave(&locale);
  const vv_status closed = vvi_file_close(&w.file);
  return w.status != VV_OK ? w.status : closed;
}
