/* model/word.c  Reads single keys of a compiled scene, with defaults filled in. */
#include "model/bind.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const vv_field *field_of(const vv_group *g, const char *name)
{
  const int i = vvi_field_find(g->schema, name);
  return i >= 0 ? &g->schema->field[i] : NULL;
}

/* Shortest digits that read back as the same number. */
static void print_number(char *out, size_t size, double x)
{
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(out, size, "%.*g", digits, x);
    if (strtod(out, NULL) == x) return;
  }
}

static bool print_value(const vv_group *g, const vv_field *f, char *out, size_t size)
{
  switch (f->type) {
  case VV_NUMBER:
  case VV_INTEGER:
    print_number(out, size, vv_number(g, f->name));
    return true;
  case VV_EITHER:
    if (vv_sub(g, f->name) == NULL) print_number(out, size, vv_number(g, f->name));
    return vv_sub(g, f->name) == NULL;
  case VV_BOOLEAN:
    snprintf(out, size, "%s", vv_boolean(g, f->name) ? "true" : "false");
    return true;
  case VV_TEXT:
  case VV_WORD:
  case VV_CHOICE:
    snprintf(out, size, "%s", vv_text(g, f->name));
    return true;
  case VV_NAMES:
    snprintf(out, size, "%s", vv_text(g, f->name));
    for (int i = 0; i < vv_names(g, f->name); i++)
      snprintf(out + strlen(out), size - strlen(out), "%s%s", i > 0 ? ", " : "", vv_name_at(g, f->name, i));
    return true;
  default:
    return false;
  }
}

/* One step down the path: "name" or "name[3]". */
static const vv_group *descend(const vv_group *g, const char *step)
{
  char name[64];
  const size_t n = strcspn(step, "[");
  snprintf(name, sizeof name, "%.*s", (int)(n < 63 ? n : 63), step);
  const vv_field *f = field_of(g, name);
  if (f == NULL || !vv_has(g, name)) return NULL;
  if (f->type == VV_LIST && step[n] == '[') {
    const long i = strtol(step + n + 1, NULL, 10);
    return i >= 0 && i < vv_count(g, name) ? vv_item(g, name, (int)i) : NULL;
  }
  return f->type == VV_GROUP || f->type == VV_CHOICE || f->type == VV_EITHER ? vv_sub(g, name) : NULL;
}

/* The body that "bodies[2].word" or "bodies.NAME.word" begins with; the path goes on behind it.  A name may hold dots. */
static const vv_group *enter_body(const vv_model *m, const char **path)
{
  const char *at = *path + strlen("bodies");
  if (*at == '[') {
    char *end = NULL;
    const long i = strtol(at + 1, &end, 10);
    if (i < 0 || i >= m->n_body || strncmp(end, "].", 2) != 0) return NULL;
    *path = end + 2;
    return m->body[i].group;
  }
  for (int i = 0; i < m->n_body; i++) {
    const size_t n = strlen(m->body[i].name);
    if (strncmp(at + 1, m->body[i].name, n) != 0 || at[1 + n] != '.') continue;
    *path = at + n + 2;
    return m->body[i].group;
  }
  return NULL;
}

bool vv_model_word(const vv_model *m, const char *path, char *out, size_t size)
{
  const vv_group *g = m->root;
  if (size == 0) return false;
  out[0] = '\0';
  if (strncmp(path, "bodies.", 7) == 0 || strncmp(path, "bodies[", 7) == 0) g = enter_body(m, &path);
  for (const char *dot; g != NULL && (dot = strchr(path, '.')) != NULL; path = dot + 1) {
    char step[96];
    snprintf(step, sizeof step, "%.*s", (int)(dot - path < 95 ? dot - path : 95), path);
    g = descend(g, step);
  }
  const vv_field *f = g != NULL ? field_of(g, path) : NULL;
  return f != NULL && vv_has(g, path) && print_value(g, f, out, size);
}
