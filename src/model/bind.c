/* model/bind.c  Checks a scene against the field tables: every value checked, every default filled in, every mistake reported at once.
 *
 * The binder knows no kinds, only tables, and goes on to the next field after a mistake, so that one look at the messages shows
 * them all.  Here: bodies, and the whole scene; numbers, words, groups and messages are in model/bind/. */
#include "model/bind/inside.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- bodies ---- */

const vv_body_kind *const *vvi_body_kinds(const vv_ctx *ctx)
{
  const vv_catalog *catalog = vvi_ctx_catalog(ctx);
  return (catalog != NULL ? catalog : vv_catalog_default())->body;
}

static bool check_name(vvi_binder *b, const vv_group *g, const vvi_node *node)
{
  static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  const size_t n = strlen(node->key);
  const vvi_place place = vvi_bind_at_key(g, "bodies", node);
  if (n == 0) return vvi_bind_fault(b, &place, "the name of a body is empty");
  if (n > VVI_MAX_NAME)
    return vvi_bind_fault(b, &place, "the name '%s' is longer than %d letters", vvi_show(node->key).c, VVI_MAX_NAME);
  if (strspn(node->key, good) != n || node->key[0] == '-')
    return vvi_bind_fault(b, &place, "the name '%s' may only have letters, digits, _ and -, and not begin with -",
                          vvi_show(node->key).c);
  if (strcmp(node->key, "all") == 0)
    return vvi_bind_fault(b, &place, "'all' means every body in 'between'; give this one another name");
  return true;
}

/* No `kind`: perhaps it was misspelt. */
static bool fault_no_kind(vvi_binder *b, const vv_group *g, const vvi_node *map, const char *known)
{
  for (const vvi_node *c = map->child; c != NULL; c = c->next) {
    const vvi_place place = vvi_bind_at_key(g, NULL, c);
    if (vvi_text_distance(c->key, "kind") == 1)
      return vvi_bind_fault(b, &place, "unknown key '%s'; did you mean 'kind'?", vvi_show(c->key).c);
  }
  const vvi_place place = vvi_bind_at_group(g);
  if (map->line != 0) return vvi_bind_fault(b, &place, "'kind' is missing: one of %s", known);
  vvi_nearest_word near = vvi_nearest_to(map->key); /* made by a path: --set bodies.bal.density=3 */
  for (int i = 0; i < b->n_body; i++)
    if (b->body[i]->line != 0) vvi_nearest_try(&near, b->body[i]->key, strlen(b->body[i]->key));
  if (near.word[0] != '\0')
    return vvi_bind_fault(b, &place, "the file has no body '%s'; did you mean '%s'?", vvi_show(map->key).c, near.word);
  return vvi_bind_fault(b, &place, "'kind' is missing: one of %s; the file has no body of this name", known);
}

static const vv_body_kind *find_kind(vvi_binder *b, const vv_group *g, const vvi_node *map)
{
  const vvi_node *kind = vvi_node_find(map, "kind");
  vvi_word_list known = {"", 0};
  vvi_nearest_word near = vvi_nearest_to(kind != NULL && kind->type == VVI_SCALAR ? kind->text : "");
  for (const vv_body_kind *const *k = vvi_body_kinds(b->ctx); *k != NULL; k++) {
    if (strcmp((*k)->name, near.wrong) == 0) return *k;
    vvi_nearest_try(&near, (*k)->name, strlen((*k)->name));
    vvi_list_word(&known, (*k)->name, strlen((*k)->name));
  }
  if (kind == NULL) {
    fault_no_kind(b, g, map, known.c);
    return NULL;
  }
  const bool written = kind->line > 0;
  const vvi_place place = {g,           "kind", -1, written ? kind->line : g->line, written ? kind->column : g->column,
                           kind->source};
  if (near.wrong[0] == '\0')
    vvi_bind_fault(b, &place, "expected one of %s, found %s", known.c, vvi_bind_found(kind).c);
  else
    vvi_bind_fault_unknown(b, &place, "kind", &near, known.c);
  return NULL;
}

static bool bind_body(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node, int index)
{
  static const vv_schema nothing = {.name = "body"};
  const bool named = check_name(b, s->group, node);
  vv_group *g = vvi_bind_new_group(b, s, &nothing, node);
  if (g == NULL) return false;
  g->index = index;
  g->name = vvi_bind_keep(b, node->key);
  s->value->list.item[index] = g;
  if (g->name == NULL) return false;
  const bool written = node->line > 0;
  const vvi_place place = {g,           NULL, -1, written ? node->line : g->line, written ? node->column : g->column,
                           node->source};
  if (node->type != VVI_MAP)
    return vvi_bind_fault(b, &place, "expected a map with the keys of a body, found %s", vvi_bind_found(node).c);
  const vv_body_kind *kind = find_kind(b, g, node);
  if (kind == NULL) return false;
  g->kind = kind->name;
  g->schema = kind->schema;
  g->value = VVI_ARENA_NEW(b->arena, vvi_value, kind->schema->n);
  if (g->value == NULL) return vvi_bind_no_memory(b);
  return vvi_bind_map(b, g, node) && named;
}

/* Bodies of the same name stand side by side in the sorted list. */
static bool check_twice(vvi_binder *b, const vvi_bind_slot *s)
{
  const int before = b->faults;
  for (int i = 1; i < b->n_body && !vvi_bind_full(b); i++) {
    const vvi_node *last = b->body[i - 1], *node = b->body[i];
    const vvi_place place = vvi_bind_at_key(s->group, s->field->name, node);
    if (strcmp(last->key, node->key) == 0)
      vvi_bind_fault(b, &place, "body '%s' is written twice, first in line %d", vvi_show(node->key).c, last->key_line);
  }
  return b->faults == before;
}

static bool vvi_bind_bodies(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node)
{
  const vvi_place place = vvi_bind_at_value(s, node, -1);
  if (node->type != VVI_MAP)
    return vvi_bind_fault(b, &place, "expected a map of bodies, found %s", vvi_bind_found(node).c);
  if (node->count == 0) return vvi_bind_fault(b, &place, "a scene needs at least one body");
  s->value->list.item = VVI_ARENA_NEW(b->arena, vv_group *, node->count);
  if (s->value->list.item == NULL) return vvi_bind_no_memory(b);
  s->value->n = node->count;
  bool good = check_twice(b, s);
  int i = 0;
  for (const vvi_node *c = node->child; c != NULL && !vvi_bind_full(b); c = c->next, i++)
    if (!bind_body(b, s, c, i)) good = false;
  return good;
}

/* ---- all types, and the whole scene ---- */

bool vvi_bind_value(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node)
{
  static bool (*const bind_as[])(vvi_binder *, const vvi_bind_slot *, const vvi_node *) = {
      [VV_NUMBER] = vvi_bind_number,   [VV_INTEGER] = vvi_bind_integer, [VV_BOOLEAN] = vvi_bind_boolean,
      [VV_TEXT] = vvi_bind_text,       [VV_WORD] = vvi_bind_word,       [VV_VECTOR] = vvi_bind_numbers,
      [VV_NUMBERS] = vvi_bind_numbers, [VV_NAMES] = vvi_bind_names,     [VV_GROUP] = vvi_bind_group,
      [VV_LIST] = vvi_bind_list,       [VV_CHOICE] = vvi_bind_choice,   [VV_EITHER] = vvi_bind_either,
      [VV_BODIES] = vvi_bind_bodies,
  };
  return bind_as[s->field->type](b, s, node);
}

/* All names first, so that a body may name one that is written after it. */
static bool gather_bodies(vvi_binder *b, const vvi_node *root)
{
  const vvi_node *bodies = vvi_node_find(root, "bodies");
  if (bodies == NULL || bodies->type != VVI_MAP || bodies->count == 0) return true;
  b->body = VVI_ARENA_NEW(&b->scratch.arena, const vvi_node *, bodies->count);
  if (b->body == NULL) return vvi_bind_no_memory(b);
  for (const vvi_node *c = bodies->child; c != NULL; c = c->next) b->body[b->n_body++] = c;
  qsort(b->body, (size_t)b->n_body, sizeof *b->body, vvi_bind_by_name);
  b->bodies_known = true;
  return true;
}

/* The units of the scene come first: they say what `3 mm` is. */
static void gather_units(vvi_binder *b, const vvi_node *root)
{
  static const char *const name[] = {"length", "mass", "time"}, *const si[] = {"m", "kg", "s"};
  const vvi_node *units = vvi_node_find(root, "units");
  for (int k = 0; k < 3; k++) {
    const vvi_node *unit = units != NULL ? vvi_node_find(units, name[k]) : NULL;
    b->scope.unit[k] = unit == NULL ? si[k] : unit->type == VVI_SCALAR ? unit->text : "";
  }
}

static void gather_named(vvi_binder *b, const vv_group *g, const vvi_node *root)
{
  static const char *const name[] = {"materials", "sections"};
  for (int t = 0; t < VV_COUNT(name); t++) {
    const vvi_node *map = vvi_node_find(root, name[t]);
    if (map == NULL) continue;
    const vvi_place place = vvi_bind_at_key(g, name[t], map);
    if (map->type != VVI_MAP) {
      vvi_bind_fault(b, &place, "expected a map of names, found %s", vvi_bind_found(map).c);
      continue;
    }
    b->named[t] = map;
    for (const vvi_node *c = map->child; c != NULL; c = c->next) {
      const vvi_place at = vvi_bind_at_key(g, name[t], c);
      if (c->type != VVI_MAP)
        vvi_bind_fault(b, &at, "%s: expected a map, found %s", vvi_show(c->key).c, vvi_bind_found(c).c);
      if (vvi_bind_name_twice(map->child, c)) vvi_bind_fault(b, &at, "'%s' is written twice", vvi_show(c->key).c);
    }
  }
}

static vv_group *bind_scene(vvi_binder *b, const vvi_node *root)
{
  vvi_value all = {.given = true};
  const vvi_bind_slot top = {.group = NULL, .field = NULL, .value = &all};
  vv_group *g = vvi_bind_new_group(b, &top, &vvi_scene_schema, root);
  gather_units(b, root);
  if (g != NULL) vvi_bind_gather_parameters(b, g, root);
  if (g != NULL) gather_named(b, g, root);
  if (g != NULL && gather_bodies(b, root)) vvi_bind_map(b, g, root);
  return g;
}

vv_status vvi_bind(vv_ctx *ctx, const vv_spec *spec, vvi_arena *arena, const vv_group **root)
{
  *root = NULL;
  vvi_binder b = {.ctx = ctx, .arena = arena, .scratch = {.ctx = ctx}};
  vvi_locale locale = vvi_locale_enter();
  b.source = vvi_bind_keep(&b, vvi_spec_source(spec));
  vv_group *g = b.source != NULL ? bind_scene(&b, spec->root) : NULL;
  vvi_locale_leave(&locale);
  vvi_arena_free(&b.scratch.arena);
  if (b.nomem) return vvi_fail(ctx, VV_NOMEM, "out of memory");
  if (b.faults > 0) return VV_SCENE;
  VV_TRY(vvi_copies_expand(arena, g, b.copies_named));
  *root = g;
  return VV_OK;
}
