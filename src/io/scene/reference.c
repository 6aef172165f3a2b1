/* io/scene/reference.c  Writes the reference page of scenes from the field tables. */
#include "io/scene/page.h"
#include "model/bind.h"
#include "model/model.h"
#include "model/spec.h"

#include <ctype.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 256 };

/* Text of a table cell, where a bar would end the cell. */
static void put_cell(vvi_page *p, const char *text)
{
  for (const char *c = text; *c != '\0'; c++) vvi_page_put(p, *c == '|' ? "\\%c" : "%c", *c);
}

/* A line of documentation as a sentence: tables have neither capital nor full stop. */
static void put_sentence(vvi_page *p, const char *text)
{
  if (text == NULL || text[0] == '\0') return;
  vvi_page_put(p, "%c%s.\n\n", toupper((unsigned char)text[0]), text + 1);
}

/* ---- rows ---- */

static void put_range(vvi_page *p, const vv_field *f)
{
  const char *comma = "";
  if (f->lo == 0 && f->hi == 0) return;
  if (f->lo == f->hi) {
    vvi_page_put(p, "%g", f->lo);
    return;
  }
  if (f->lo > -DBL_MAX) {
    vvi_page_put(p, "%s %g", f->flags & VV_OPEN_LO ? "above" : "from", f->lo);
    comma = ", ";
  }
  if (f->hi < DBL_MAX) vvi_page_put(p, "%s%s %g", comma, f->flags & VV_OPEN_HI ? "below" : "up to", f->hi);
}

static void put_words(vvi_page *p, const char *words)
{
  for (const char *w = words; *w != '\0';) {
    const int n = (int)strcspn(w, "|");
    vvi_page_put(p, "%s`%.*s`", w == words ? "" : ", ", n, w);
    w += n + (w[n] == '|');
  }
}

static void put_default(vvi_page *p, const vv_field *f)
{
  if (f->flags & VV_REQUIRED)
    vvi_page_put(p, "required");
  else if (f->flags & VV_OPTIONAL)
    vvi_page_put(p, "none");
  else if (f->deflt != NULL)
    vvi_page_put(p, "`%s`", f->deflt);
  else if (f->type == VV_GROUP)
    vvi_page_put(p, "its defaults");
}

/* choice: the words of a choice exclude each other, so that "required" or a default would mean nothing. */
static void put_row(vvi_page *p, const vv_field *f, bool choice)
{
  vvi_page_put(p, "| `%s` | %s | %s | ", f->name, f->type == VV_LATER ? f->words : vvi_type_text(f->type),
               f->unit != NULL ? f->unit : "");
  if (!choice || f->deflt != NULL) put_default(p, f);
  vvi_page_put(p, " | ");
  put_range(p, f);
  if (f->words != NULL && f->type != VV_LATER) put_words(p, f->words);
  vvi_page_put(p, " | ");
  put_cell(p, f->doc != NULL ? f->doc : "");
  vvi_page_put(p, " |\n");
}

/* ---- sections ---- */

/* `path`: the words that lead here, as in "bodies.NAME.material". */
static void put_schema(vvi_page *p, const vv_schema *s, const char *path, bool choice)
{
  vvi_page_put(p, "| key | type | unit | default | allowed | meaning |\n|---|---|---|---|---|---|\n");
  for (int i = 0; i < s->n; i++) put_row(p, &s->field[i], choice);
  vvi_page_put(p, "\n");
  for (int i = 0; i < s->n; i++) {
    const vv_field *f = &s->field[i];
    char below[PATH_BYTES];
    if (f->sub == NULL) continue;
    snprintf(below, sizeof below, "%s%s%s%s", path, path[0] != '\0' ? "." : "", f->name,
             f->type == VV_LIST ? "[]" : "");
    vvi_page_put(p, "### `%s`\n\n", below);
    if (f->sub == &vvi_history_schema) {
      vvi_page_put(p, "One of the keys of [history](#history).\n\n");
      continue;
    }
    put_sentence(p, f->type == VV_CHOICE ? "exactly one of these keys" : f->sub->doc);
    if (f->sub->n > 0) put_schema(p, f->sub, below, f->type == VV_CHOICE);
  }
}

static void put_head(vvi_page *p)
{
  vvi_page_put(p,
               "# Scene reference\n\n"
               "This page is made from the field tables of visviva %s by `vv_scene_reference`; do not edit it.\n\n",
               VV_VERSION);
  vvi_page_put(
      p,
      "A scene is one YAML file.  Unknown keys, doubled keys, quoted numbers, NaN and infinities are errors, and all\n"
      "errors of a file are reported at once.  Numbers may be formulas with units "
      "([scene-language.md](scene-language.md));\n"
      "without a unit they are SI, unless `units` names others.  A key with the default *none* may be left out and "
      "then\n"
      "has no value.\n\n");
}

static void put_kinds(vvi_page *p, const vv_ctx *ctx)
{
  vvi_page_put(
      p, "## bodies\n\nA map from the name of each body to its keys.  A name has at most 64 letters, digits, `_` and\n"
         "`-`.  Every body needs `kind`, one of:\n\n");
  for (const vv_body_kind *const *k = vvi_body_kinds(ctx); *k != NULL; k++)
    vvi_page_put(p, "- `%s`: %s\n", (*k)->name, (*k)->doc != NULL ? (*k)->doc : "");
  vvi_page_put(p, "\n");
  for (const vv_body_kind *const *k = vvi_body_kinds(ctx); *k != NULL; k++) {
    vvi_page_put(p, "## kind: %s\n\n", (*k)->name);
    put_sentence(p, (*k)->schema->doc);
    put_schema(p, (*k)->schema, (*k)->name, false);
  }
}

vv_status vv_scene_reference(vv_ctx *ctx, const char *path)
{
  vvi_page p = {.status = VV_OK};
  if (path == NULL) return vvi_fail(ctx, VV_ARG, "vv_scene_reference: no path");
  VV_TRY(vvi_file_create(ctx, path, &p.file));
  vvi_locale locale = vvi_locale_enter();
  put_head(&p);
  vvi_page_put(&p, "## scene\n\n");
  put_sentence(&p, vvi_scene_schema.doc);
  put_schema(&p, &vvi_scene_schema, "", false);
  put_kinds(&p, ctx);
  vvi_page_put(&p, "## history\n\n");
  put_sentence(&p, vvi_history_schema.doc);
  put_sentence(&p, "exactly one of these keys; a key that needs nothing may stand alone: `history: constant`");
  put_schema(&p, &vvi_history_schema, "history", true);
  vvi_locale_leave(&locale);
  const vv_status closed = vvi_file_close(&p.file);
  return p.status != VV_OK ? p.status : closed;
}
