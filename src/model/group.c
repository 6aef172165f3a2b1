/* model/group.c  Groups answer: values by name, complaints with file, line and path, and one hash for all values. */
#include "model/bind.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- access ---- */

const char *vvi_type_text(vv_type type)
{
  static const char *const text[] = {
      [VV_NUMBER] = "a number",
      [VV_INTEGER] = "a whole number",
      [VV_BOOLEAN] = "true or false",
      [VV_TEXT] = "a text",
      [VV_WORD] = "a keyword",
      [VV_VECTOR] = "three numbers",
      [VV_NUMBERS] = "a list of numbers",
      [VV_NAMES] = "names of bodies",
      [VV_GROUP] = "a map",
      [VV_LIST] = "a list of maps",
      [VV_CHOICE] = "one of a choice",
      [VV_EITHER] = "a number or a map",
      [VV_BODIES] = "a map of bodies",
      [VV_LATER] = "see the page",
  };
  return text[type];
}

int vvi_field_find(const vv_schema *schema, const char *name)
{
  for (int i = 0; i < schema->n; i++)
    if (strcmp(schema->field[i].name, name) == 0) return i;
  return -1;
}

const vv_group *vvi_motion_of(const vv_group *body)
{
  const int f = vvi_field_find(body->schema, "motion");
  const bool ours = f >= 0 && body->schema->field[f].sub == &vvi_motion_schema;
  return ours && vv_has(body, "motion") ? vv_sub(body, "motion") : NULL;
}

static const vvi_value no_value;

#define TYPE(type) (1u << (type))

/* The value of a name that the schema must have with one of these types; a wrong name is our own mistake. */
static const vvi_value *value_of(const vv_group *g, const char *name, unsigned types)
{
  const int i = vvi_field_find(g->schema, name);
  VV_ASSERT(i >= 0);
  VV_ASSERT(i < 0 || (TYPE(g->schema->field[i].type) & types) != 0);
  return i < 0 || (TYPE(g->schema->field[i].type) & types) == 0 ? &no_value : &g->value[i];
}

static bool is_kind(const vv_group *g, const char *name)
{
  return g->kind != NULL && strcmp(name, "kind") == 0;
}

static vv_type type_of(const vv_group *g, const char *name)
{
  const int i = vvi_field_find(g->schema, name);
  return i < 0 ? VV_TEXT : g->schema->field[i].type;
}

bool vv_has(const vv_group *g, const char *name)
{
  return is_kind(g, name) || value_of(g, name, ~0u)->has;
}

bool vv_given(const vv_group *g, const char *name)
{
  return is_kind(g, name) || value_of(g, name, ~0u)->given;
}

double vv_number(const vv_group *g, const char *name)
{
  const vvi_value *v = value_of(g, name, TYPE(VV_NUMBER) | TYPE(VV_INTEGER) | TYPE(VV_EITHER));
  return type_of(g, name) == VV_INTEGER ? (double)v->u.integer : v->u.number;
}

int64_t vv_integer(const vv_group *g, const char *name)
{
  return value_of(g, name, TYPE(VV_INTEGER))->u.integer;
}

bool vv_boolean(const vv_group *g, const char *name)
{
  return value_of(g, name, TYPE(VV_BOOLEAN))->u.boolean;
}

const char *vv_text(const vv_group *g, const char *name)
{
  if (is_kind(g, name)) return g->kind;
  const char *text = value_of(g, name, TYPE(VV_TEXT) | TYPE(VV_WORD) | TYPE(VV_NAMES) | TYPE(VV_CHOICE))->text;
  return text != NULL ? text : "";
}

bool vv_is(const vv_group *g, const char *name, const char *word)
{
  return strcmp(vv_text(g, name), word) == 0;
}

const double *vv_numbers(const vv_group *g, const char *name, int *n)
{
  const vvi_value *v = value_of(g, name, TYPE(VV_VECTOR) | TYPE(VV_NUMBERS));
  if (n != NULL) *n = v->n;
  return v->list.number;
}

int vv_names(const vv_group *g, const char *name)
{
  return value_of(g, name, TYPE(VV_NAMES))->n;
}

const char *vv_name_at(const vv_group *g, const char *name, int i)
{
  const vvi_value *v = value_of(g, name, TYPE(VV_NAMES));
  VV_ASSERT(i >= 0 && i < v->n);
  return i >= 0 && i < v->n ? v->list.name[i] : "";
}

const vv_group *vv_sub(const vv_group *g, const char *name)
{
  const vvi_value *v = value_of(g, name, TYPE(VV_GROUP) | TYPE(VV_CHOICE) | TYPE(VV_EITHER));
  if (v->sub == NULL || type_of(g, name) != VV_CHOICE) return v->sub;
  /* {square: 0.05}: the word has a plain value, asked for by its name in the group of the choice */
  const vvi_value *chosen = value_of(v->sub, v->text, ~0u);
  return chosen->sub != NULL && type_of(v->sub, v->text) == VV_GROUP ? chosen->sub : v->sub;
}

int vv_count(const vv_group *g, const char *name)
{
  return value_of(g, name, TYPE(VV_LIST) | TYPE(VV_BODIES))->n;
}

const vv_group *vv_item(const vv_group *g, const char *name, int i)
{
  const vvi_value *v = value_of(g, name, TYPE(VV_LIST) | TYPE(VV_BODIES));
  VV_ASSERT(i >= 0 && i < v->n);
  return i >= 0 && i < v->n ? v->list.item[i] : NULL;
}

const char *vv_item_name(const vv_group *g, const char *name, int i)
{
  const vv_group *item = vv_item(g, name, i);
  return item != NULL && item->name != NULL ? item->name : "";
}

const char *vv_schema_name(const vv_group *g)
{
  return g->schema->name;
}

/* ---- complaints ---- */

enum { PATH_BYTES = 192, TEXT_BYTES = 512 };

/* A short buffer that drops what does not fit. */
typedef struct path_text {
  char c[PATH_BYTES];
  size_t n;
} path_text;

static void path_add(path_text *p, const char *text)
{
  const size_t length = strlen(text), room = sizeof p->c - 1 - p->n, n = length < room ? length : room;
  memcpy(p->c + p->n, text, n);
  p->n += n;
  p->c[p->n] = '\0';
}

static void path_add_name(path_text *p, const char *name)
{
  if (p->n > 0) path_add(p, ".");
  path_add(p, name);
}

static void path_add_index(path_text *p, int index)
{
  char text[16];
  snprintf(text, sizeof text, "[%d]", index);
  path_add(p, text);
}

/* bodies.left.loads[0].history.pulse; as deep as the schemas nest */
static void path_of_group(path_text *p, const vv_group *g)
{
  if (g->parent == NULL) return;
  path_of_group(p, g->parent);
  path_add_name(p, g->field->name);
  if (g->name != NULL) path_add_name(p, g->name);
  if (g->field->type == VV_LIST) path_add_index(p, g->index);
}

void vvi_complain_at(const vvi_place *place, const char *format, va_list args)
{
  path_text path = {.n = 0};
  char text[TEXT_BYTES], at[32] = "";
  path_of_group(&path, place->group);
  if (place->name != NULL) path_add_name(&path, place->name);
  if (place->index >= 0) path_add_index(&path, place->index);
  vsnprintf(text, sizeof text, format, args);
  if (place->line > 0) snprintf(at, sizeof at, ":%d:%d", place->line, place->column);
  vvi_fail(place->group->ctx, VV_SCENE, "%.160s%s: %s%s%s",
           place->source != NULL ? place->source : place->group->source, at, path.c, path.n > 0 ? ": " : "", text);
}

static vvi_place place_of(const vv_group *g, const char *name)
{
  vvi_place place = {.group = g, .name = name, .index = -1, .line = g->line, .column = g->column};
  const int i = name != NULL && !is_kind(g, name) ? vvi_field_find(g->schema, name) : -1;
  VV_ASSERT(i >= 0 || name == NULL || is_kind(g, name));
  if (i >= 0 && g->value[i].line > 0) {
    place.line = g->value[i].line;
    place.column = g->value[i].column;
    place.source = g->value[i].source;
  }
  return place;
}

vv_status vv_complain(const vv_group *g, const char *name, const char *format, ...)
{
  const vvi_place place = place_of(g, name);
  va_list args;
  va_start(args, format);
  vvi_complain_at(&place, format, args);
  va_end(args);
  return VV_SCENE;
}

void vvi_warn(const vv_group *g, const char *name, const char *format, ...)
{
  const vvi_place place = place_of(g, name);
  va_list args;
  va_start(args, format);
  vvi_complain_at(&place, format, args);
  va_end(args);
}

/* ---- hash ---- */

bool vvi_field_hashed(const vv_group *g, const vv_field *f)
{
  if (f->type == VV_LATER) return false;
  if (g->parent == NULL && strcmp(f->name, "stop") == 0) return false; /* as time.end */
  if (g->parent == NULL && strcmp(f->name, "probes") == 0) return vv_has(g, "probes");
  if (g->parent == NULL) return strcmp(f->name, "title") != 0 && strcmp(f->name, "record") != 0;
  const bool end = g->parent->parent == NULL && strcmp(g->field->name, "time") == 0;
  return !(end && strcmp(f->name, "end") == 0); /* a run may be continued for longer */
}

static uint64_t hash_text(uint64_t h, const char *text)
{
  return text == NULL ? vvi_hash(h, "", 0) : vvi_hash(h, text, strlen(text) + 1);
}

static uint64_t hash_integer(uint64_t h, int64_t value)
{
  return vvi_hash(h, &value, sizeof value);
}

static uint64_t hash_group(uint64_t h, const vv_group *g);

/* What a file says, not what it is called: a run is not continued with another one.  A file that is gone counts as empty, as
 * does one that is no plain file, which may never end. */
static uint64_t hash_file(uint64_t h, const vv_group *g, const char *file)
{
  char *path = vvi_beside(g->source, file), bytes[4096];
  FILE *f = path != NULL ? vvi_open_plain(path) : NULL;
  for (size_t n; f != NULL && (n = fread(bytes, 1, sizeof bytes, f)) > 0;) h = vvi_hash(h, bytes, n);
  if (f != NULL) fclose(f);
  free(path);
  return h;
}

/* Numbers by their bits.  Unused members are zero, so that every type can be hashed by the same lines. */
static uint64_t hash_value(uint64_t h, const vv_group *g, const vv_field *f, const vvi_value *v)
{
  h = hash_integer(hash_integer(h, f->type), v->n);
  h = f->flags & VV_PATH ? hash_file(h, g, v->text) : hash_text(h, v->text);
  h = hash_integer(h, f->type == VV_BOOLEAN ? v->u.boolean : v->u.integer); /* a double has the same bytes */
  for (int i = 0; i < v->n; i++) {
    if (f->type == VV_VECTOR || f->type == VV_NUMBERS) h = vvi_hash(h, &v->list.number[i], sizeof(double));
    if (f->type == VV_NAMES) h = hash_text(h, v->list.name[i]);
    if (f->type == VV_LIST || f->type == VV_BODIES) h = hash_group(h, v->list.item[i]);
  }
  return v->sub != NULL ? hash_group(h, v->sub) : h;
}

static uint64_t hash_group(uint64_t h, const vv_group *g)
{
  h = hash_text(hash_text(h, g->name), g->kind);
  for (int i = 0; i < g->schema->n; i++) {
    const vv_field *f = &g->schema->field[i];
    if (!vvi_field_hashed(g, f)) continue;
    h = hash_integer(hash_text(h, f->name), g->value[i].has);
    if (g->value[i].has) h = hash_value(h, g, f, &g->value[i]);
  }
  return h;
}

uint64_t vvi_group_hash(const vv_group *root)
{
  return hash_group(VVI_HASH_SEED, root);
}

uint64_t vvi_part_hash(const vv_group *root, const char *name)
{
  uint64_t h = VVI_HASH_SEED;
  for (int i = 0; i < root->schema->n; i++)
    if (strcmp(root->schema->field[i].name, name) == 0 && root->value[i].has)
      h = hash_value(h, root, &root->schema->field[i], &root->value[i]);
  return h;
}

const char *vvi_group_other(const vv_group *a, const vv_group *b, const char *const but[])
{
  if (a->schema != b->schema) return "kind";
  for (int i = 0; i < a->schema->n; i++) {
    const vv_field *f = &a->schema->field[i];
    const vvi_value *x = &a->value[i], *y = &b->value[i];
    bool free = !vvi_field_hashed(a, f);
    for (int k = 0; but[k] != NULL; k++) free = free || strcmp(f->name, but[k]) == 0;
    if (free || (!x->has && !y->has)) continue;
    if (x->has != y->has || hash_value(VVI_HASH_SEED, a, f, x) != hash_value(VVI_HASH_SEED, b, f, y)) return f->name;
  }
  return NULL;
}

const char *vvi_group_unit(const vv_group *g, const char *name)
{
  const char *text = value_of(g, name, TYPE(VV_NUMBER))->text;
  return text != NULL ? text : "";
}

/* Groups are const for everyone who reads them; this is the one place that settles a word after they are bound. */
void vvi_group_resolve(const vv_group *g, const char *name, const char *word)
{
  const int i = vvi_field_find(g->schema, name);
  VV_ASSERT(i >= 0 && g->schema->field[i].type == VV_WORD);
  g->value[i].text = word;
}

vv_ctx *vvi_group_ctx(const vv_group *g)
{
  return g->ctx;
}
