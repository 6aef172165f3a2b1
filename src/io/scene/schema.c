/* io/scene/schema.c  A JSON schema of scenes, made from the field tables: editors complete and check while one writes.
 *
 * It is weaker than the reader, which alone knows what a formula comes to and what goes together: every good scene passes,
 * and most slips do not. */
#include "io/scene/page.h"
#include "model/bind.h"
#include "model/model.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

static void put_string(vvi_page *p, const char *text)
{
  vvi_page_put(p, "\"");
  for (const char *c = text; *c != '\0'; c++) vvi_page_put(p, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
  vvi_page_put(p, "\"");
}

static void put_schema(vvi_page *p, const vv_schema *s, bool kind);

/* ---- values ---- */

static void put_range(vvi_page *p, const vv_field *f)
{
  if (f->lo == 0 && f->hi == 0) return;
  if (f->lo > -DBL_MAX)
    vvi_page_put(p, ", \"%s\": %.17g", f->flags & VV_OPEN_LO ? "exclusiveMinimum" : "minimum", f->lo);
  if (f->hi < DBL_MAX)
    vvi_page_put(p, ", \"%s\": %.17g", f->flags & VV_OPEN_HI ? "exclusiveMaximum" : "maximum", f->hi);
}

/* A number, or a formula: a text with the letters of one. */
static void put_number(vvi_page *p, const vv_field *f)
{
  vvi_page_put(p, "{\"anyOf\": [{\"type\": \"%s\"", f->type == VV_INTEGER ? "integer" : "number");
  put_range(p, f);
  vvi_page_put(p, "}, {\"$ref\": \"#/$defs/formula\"}]}");
}

/* "a|b|c"; YAML reads true and false as such. */
static void put_words(vvi_page *p, const char *words)
{
  vvi_page_put(p, "{\"enum\": [");
  for (const char *w = words; *w != '\0';) {
    const int n = (int)strcspn(w, "|");
    vvi_page_put(p, "%s\"%.*s\"", w == words ? "" : ", ", n, w);
    if ((n == 4 && strncmp(w, "true", 4) == 0) || (n == 5 && strncmp(w, "false", 5) == 0))
      vvi_page_put(p, ", %.*s", n, w);
    w += n + (w[n] == '|');
  }
  vvi_page_put(p, "]}");
}

static bool stands_alone(const vv_field *f)
{
  if (f->type != VV_GROUP) return f->deflt != NULL;
  for (int i = 0; i < f->sub->n; i++)
    if (f->sub->field[i].flags & VV_REQUIRED) return false;
  return true;
}

static void put_value(vvi_page *p, const vv_field *f);

/* Exactly one word with its value, or a word alone. */
static void put_choice(vvi_page *p, const vv_schema *s)
{
  const char *comma = "";
  vvi_page_put(
      p, "{\"anyOf\": [{\"type\": \"object\", \"minProperties\": 1, \"maxProperties\": 1, \"additionalProperties\": "
         "false, "
         "\"properties\": {");
  for (int i = 0; i < s->n; i++) {
    vvi_page_put(p, "%s\"%s\": ", i > 0 ? ", " : "", s->field[i].name);
    put_value(p, &s->field[i]);
  }
  vvi_page_put(p, "}}, {\"enum\": [");
  for (int i = 0; i < s->n; i++) {
    if (!stands_alone(&s->field[i])) continue;
    vvi_page_put(p, "%s\"%s\"", comma, s->field[i].name);
    comma = ", ";
  }
  vvi_page_put(p, "]}]}");
}

/* What stands before the fields are bound: includes, parameters, names. */
static void put_later(vvi_page *p, const vv_field *f)
{
  if (strcmp(f->name, "include") == 0)
    vvi_page_put(p, "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"items\": {\"type\": \"string\"}}]}");
  else if (strcmp(f->name, "parameters") == 0)
    vvi_page_put(p, "{\"type\": \"object\", \"additionalProperties\": {\"anyOf\": [{\"type\": \"number\"}, "
                    "{\"$ref\": \"#/$defs/formula\"}]}}");
  else
    vvi_page_put(p, "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"object\"}}");
}

static void put_plain(vvi_page *p, const vv_field *f)
{
  switch (f->type) {
  case VV_BOOLEAN:
    vvi_page_put(p, "{\"type\": \"boolean\"}");
    break;
  case VV_TEXT:
    vvi_page_put(p, "{\"type\": [\"string\", \"number\"]}");
    break;
  case VV_WORD:
    put_words(p, f->words);
    break;
  case VV_VECTOR:
  case VV_NUMBERS:
    vvi_page_put(p, "{\"type\": \"array\", %s\"items\": ",
                 f->type == VV_VECTOR ? "\"minItems\": 3, \"maxItems\": 3, " : "\"minItems\": 1, ");
    if (f->type == VV_NUMBERS) vvi_page_put(p, "{\"anyOf\": [");
    put_number(p, f);
    if (f->type == VV_NUMBERS) vvi_page_put(p, ", {\"type\": \"array\"}]}");
    vvi_page_put(p, "}");
    break;
  case VV_NAMES:
    vvi_page_put(p, "{\"anyOf\": [{\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"string\"}}");
    if (f->words != NULL) vvi_page_put(p, ", ");
    if (f->words != NULL) put_words(p, f->words);
    vvi_page_put(p, "]}");
    break;
  default:
    put_number(p, f);
    break;
  }
}

static bool is_named(const vv_field *f)
{
  return strcmp(f->name, "material") == 0 || strcmp(f->name, "section") == 0;
}

static void put_value(vvi_page *p, const vv_field *f)
{
  const bool named = is_named(f) && f->sub != NULL;
  if (named) vvi_page_put(p, "{\"anyOf\": [{\"type\": \"string\"}, ");
  if (f->type == VV_LATER) {
    put_later(p, f);
  } else if (f->type == VV_BODIES) {
    vvi_page_put(
        p, "{\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": {\"$ref\": \"#/$defs/body\"}}");
  } else if (f->sub == &vvi_history_schema) {
    vvi_page_put(p, "{\"$ref\": \"#/$defs/history\"}");
  } else if (f->type == VV_CHOICE) {
    put_choice(p, f->sub);
  } else if (f->type == VV_LIST) {
    vvi_page_put(p, "{\"type\": \"array\", \"items\": ");
    put_schema(p, f->sub, false);
    vvi_page_put(p, "}");
  } else if (f->type == VV_EITHER) {
    vvi_page_put(p, "{\"anyOf\": [");
    put_number(p, f);
    vvi_page_put(p, ", ");
    put_schema(p, f->sub, false);
    vvi_page_put(p, "]}");
  } else if (f->type == VV_GROUP) {
    put_schema(p, f->sub, false);
  } else {
    put_plain(p, f);
  }
  if (named) vvi_page_put(p, "]}");
}

/* ---- groups ---- */

static void put_required(vvi_page *p, const vv_schema *s)
{
  const char *comma = "";
  vvi_page_put(p, "\"required\": [");
  for (int i = 0; i < s->n; i++) {
    if (!(s->field[i].flags & VV_REQUIRED)) continue;
    vvi_page_put(p, "%s\"%s\"", comma, s->field[i].name);
    comma = ", ";
  }
  vvi_page_put(p, "]");
}

static void put_properties(vvi_page *p, const vv_schema *s)
{
  for (int i = 0; i < s->n; i++) {
    const vv_field *f = &s->field[i];
    const bool unit = f->unit != NULL && strcmp(f->unit, "1") != 0;
    vvi_page_put(p, "%s\n\"%s\": {\"description\": ", i > 0 ? "," : "", f->name);
    put_string(p, f->doc != NULL ? f->doc : "");
    if (unit) vvi_page_put(p, ", \"$comment\": \"in %s\"", f->unit);
    vvi_page_put(p, ", \"allOf\": [");
    put_value(p, f);
    vvi_page_put(p, "]}");
  }
}

/* kind: a body, which has the word `kind` beside its fields. */
static void put_schema(vvi_page *p, const vv_schema *s, bool kind)
{
  vvi_page_put(p, "{\"type\": \"object\", \"additionalProperties\": false, ");
  put_required(p, s);
  vvi_page_put(p, ", \"properties\": {");
  if (kind) vvi_page_put(p, "\"kind\": {\"type\": \"string\"}%s", s->n > 0 ? "," : "");
  put_properties(p, s);
  vvi_page_put(p, "}}");
}

/* A body has the fields of its kind. */
static void put_bodies(vvi_page *p, const vv_ctx *ctx)
{
  vvi_page_put(p, "\"body\": {\"type\": \"object\", \"required\": [\"kind\"], \"properties\": {\"kind\": {\"enum\": [");
  for (const vv_body_kind *const *k = vvi_body_kinds(ctx); *k != NULL; k++)
    vvi_page_put(p, "%s\"%s\"", k == vvi_body_kinds(ctx) ? "" : ", ", (*k)->name);
  vvi_page_put(p, "]}}, \"allOf\": [");
  for (const vv_body_kind *const *k = vvi_body_kinds(ctx); *k != NULL; k++)
    vvi_page_put(p,
                 "%s{\"if\": {\"properties\": {\"kind\": {\"const\": \"%s\"}}}, \"then\": {\"$ref\": \"#/$defs/%s\"}}",
                 k == vvi_body_kinds(ctx) ? "" : ", ", (*k)->name, (*k)->name);
  vvi_page_put(p, "]}");
  for (const vv_body_kind *const *k = vvi_body_kinds(ctx); *k != NULL; k++) {
    vvi_page_put(p, ",\n\"%s\": ", (*k)->name);
    put_schema(p, (*k)->schema, true);
  }
}

vv_status vv_scene_schema(vv_ctx *ctx, const char *path)
{
  vvi_page p = {.status = VV_OK};
  if (path == NULL) return vvi_fail(ctx, VV_ARG, "vv_scene_schema: no path");
  VV_TRY(vvi_file_create(ctx, path, &p.file));
  vvi_locale locale = vvi_locale_enter();
  vvi_page_put(&p,
               "{\"$schema\": \"http://json-schema.org/draft-07/schema#\", \"title\": \"A scene of visviva %s\",\n"
               "\"type\": \"object\", \"additionalProperties\": false,\n",
               VV_VERSION);
  /* what a scene lacks may be in a file that it includes */
  vvi_page_put(&p, "\"anyOf\": [{\"required\": [\"include\"]}, {");
  put_required(&p, &vvi_scene_schema);
  vvi_page_put(&p, "}],\n\"properties\": {");
  put_properties(&p, &vvi_scene_schema);
  vvi_page_put(&p, "},\n\"$defs\": {\n"
                   "\"formula\": {\"type\": \"string\", \"pattern\": \"^[-+*/^()., 0-9A-Za-z_]+$\"},\n\"history\": ");
  put_choice(&p, &vvi_history_schema);
  vvi_page_put(&p, ",\n");
  put_bodies(&p, ctx);
  vvi_page_put(&p, "}}\n");
  vvi_locale_leave(&locale);
  const vv_status closed = vvi_file_close(&p.file);
  return p.status != VV_OK ? p.status : closed;
}
