/* model/bind/groups.c  Groups of keys, lists of them, and choices. */
#include "model/bind/inside.h"

#include <string.h>

/* The name of a file as the model keeps it: once for each file. */
static const char *keep_source(vvi_binder *b, const char *source)
{
  for (int i = 0; i < b->n_kept; i++)
    if (b->kept[i].spec == source) return b->kept[i].model;
  const char *model = vvi_bind_keep(b, source);
  if (model == NULL || b->n_kept == VV_COUNT(b->kept)) return model != NULL ? model : "";
  b->kept[b->n_kept].spec = source;
  return b->kept[b->n_kept++].model = model;
}

/* NULL when out of memory, which the binder then knows. */
vv_group *vvi_bind_new_group(vvi_binder *b, const vvi_bind_slot *s, const vv_schema *schema, const vvi_node *node)
{
  vv_group *g = VVI_ARENA_NEW(b->arena, vv_group, 1);
  if (g == NULL || schema == NULL) {
    vvi_bind_no_memory(b);
    return NULL;
  }
  const vv_group *parent = s->group;
  *g = (vv_group){.schema = schema, .ctx = b->ctx, .parent = parent, .field = s->field};
  g->source = node->source == NULL ? parent != NULL ? parent->source : b->source : keep_source(b, node->source);
  g->given = s->value->given;
  g->line = node->key_line > 0 ? node->key_line : node->line;
  g->column = node->key_line > 0 ? node->key_column : node->column;
  if (g->line == 0 && parent != NULL) {
    g->line = parent->line;
    g->column = parent->column;
  }
  g->value = VVI_ARENA_NEW(b->arena, vvi_value, schema->n);
  if (g->value == NULL) vvi_bind_no_memory(b);
  return g->value == NULL ? NULL : g;
}

static void fault_missing(vvi_binder *b, const vv_group *g, const vv_field *f)
{
  const vvi_place place = vvi_bind_at_group(g);
  const bool unit = f->unit != NULL && strcmp(f->unit, "1") != 0;
  vvi_word_list known = {"", 0};
  if (f->type == VV_CHOICE)
    for (int i = 0; i < f->sub->n; i++) vvi_list_word(&known, f->sub->field[i].name, strlen(f->sub->field[i].name));
  if (known.n > 0)
    vvi_bind_fault(b, &place, "'%s' is missing: one of %s", f->name, known.c);
  else if (f->lo == f->hi && f->lo != 0.0) /* there is only one number to write */
    vvi_bind_fault(b, &place, "'%s' is missing: write `%s: %g`, the %s", f->name, f->name, f->lo, f->doc);
  else
    vvi_bind_fault(b, &place, "'%s' is missing: %s%s%s", f->name, vvi_type_text(f->type), unit ? " in " : "",
                   unit ? f->unit : "");
}

/* `material: steel`: the map of that name under `materials`; the same for sections.  Others are left as they are. */
static const vvi_node *named_value(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node)
{
  const vv_field *f = s->field;
  const int table = strcmp(f->name, "material") == 0 ? 0 : strcmp(f->name, "section") == 0 ? 1 : -1;
  if (table < 0 || f->sub == NULL || node->type != VVI_SCALAR) return node;
  if (b->named[table] == NULL && f->type != VV_GROUP) return node; /* a choice may be one word */
  if (b->named[table] == NULL) {
    const vvi_place at = vvi_bind_at_value(s, node, -1);
    vvi_bind_fault(b, &at, "'%s' is a name, and the scene has no '%ss'; write a map, or `%ss: {%s: {...}}`",
                   vvi_show(node->text).c, f->name, f->name, vvi_show(node->text).c);
    return NULL;
  }
  const vvi_node *map = vvi_node_find(b->named[table], node->text);
  if (map != NULL) return map;
  const vvi_place place = vvi_bind_at_value(s, node, -1);
  vvi_word_list known = {"", 0};
  vvi_nearest_word near = vvi_nearest_to(node->text);
  for (const vvi_node *c = b->named[table]->child; c != NULL; c = c->next) {
    vvi_nearest_try(&near, c->key, strlen(c->key));
    vvi_list_word(&known, c->key, strlen(c->key));
  }
  vvi_bind_fault_unknown(b, &place, f->name, &near, known.c);
  return NULL;
}

/* A key of a named material or section that this kind of body does not know, but another one does. */
static bool known_elsewhere(const vvi_binder *b, const vv_group *g, const vvi_node *map, const char *key)
{
  bool shared = false;
  if (g->field == NULL || g->field->type != VV_GROUP) return false;
  for (int t = 0; t < VV_COUNT(b->named); t++)
    for (const vvi_node *c = b->named[t] != NULL ? b->named[t]->child : NULL; c != NULL; c = c->next)
      shared |= c == map;
  for (const vv_body_kind *const *k = vvi_body_kinds(b->ctx); shared && *k != NULL; k++) {
    const int i = vvi_field_find((*k)->schema, g->field->name);
    if (i >= 0 && (*k)->schema->field[i].sub != NULL && vvi_field_find((*k)->schema->field[i].sub, key) >= 0)
      return true;
  }
  return false;
}

/* node NULL: the word is not written; then its default holds, or it is missing. */
static void bind_field(vvi_binder *b, vv_group *g, int i, const vvi_node *node, bool excused)
{
  const vv_field *f = &g->schema->field[i];
  const vvi_bind_slot s = {g, f, &g->value[i]};
  s.value->given = node != NULL && g->given;
  if (f->type == VV_LATER) {
    if (node != NULL && strcmp(f->name, "include") == 0) {
      const vvi_place place = vvi_bind_at_key(g, NULL, node);
      vvi_bind_fault(b, &place, "'include' stands once, in a scene file");
    }
    return;
  }
  if (node != NULL && (node = named_value(b, &s, node)) == NULL) return;
  if (node != NULL) {
    s.value->line = node->line;
    s.value->column = node->column;
    s.value->source = node->source != NULL ? keep_source(b, node->source) : NULL;
  } else if (f->flags & VV_REQUIRED) {
    if (!excused) fault_missing(b, g, f);
    return;
  } else if (f->flags & VV_OPTIONAL || (f->deflt == NULL && f->type != VV_GROUP)) {
    return;
  } else {
    node = f->deflt != NULL ? vvi_node_flow(&b->scratch, f->deflt) : vvi_node_new(&b->scratch, VVI_MAP);
    if (node == NULL) vvi_bind_no_memory(b);
    if (node == NULL) return;
  }
  s.value->has = vvi_bind_value(b, &s, node);
}

/* The word written for each field of the schema. */
typedef struct seat {
  const vvi_node *node;
  bool excused; /* an unknown key was taken for a slip in this one: one message is enough */
} seat;

/* Kinds of bodies that know a key. */
static vvi_word_list kinds_with(const vvi_binder *b, const char *key)
{
  vvi_word_list kinds = {"", 0};
  for (const vv_body_kind *const *k = vvi_body_kinds(b->ctx); *k != NULL; k++)
    if (vvi_field_find((*k)->schema, key) >= 0) vvi_list_word(&kinds, (*k)->name, strlen((*k)->name));
  return kinds;
}

/* A word that one of the choices here knows: `ring: {...}` where `shape: {ring: {...}}` is meant.  -1: none. */
static int choice_with(const vv_schema *schema, const char *word)
{
  for (int i = 0; i < schema->n; i++)
    if (schema->field[i].type == VV_CHOICE && vvi_field_find(schema->field[i].sub, word) >= 0) return i;
  return -1;
}

static void fault_unknown_key(vvi_binder *b, const vv_group *g, const vvi_node *child, seat *seats)
{
  const vvi_place place = vvi_bind_at_key(g, NULL, child);
  vvi_word_list known = {"", 0};
  vvi_nearest_word near = vvi_nearest_to(child->key);
  int best = -1;
  for (int i = 0; i < g->schema->n; i++) {
    const char *name = g->schema->field[i].name;
    if (vvi_nearest_try(&near, name, strlen(name))) best = i;
    vvi_list_word(&known, name, strlen(name));
  }
  const int choice = choice_with(g->schema, child->key);
  if (choice >= 0) best = choice;
  if (best >= 0) seats[best].excused = true;
  const vvi_word_list others =
      g->kind != NULL && near.word[0] == '\0' ? kinds_with(b, child->key) : (vvi_word_list){"", 0};
  const bool pair = strcmp(child->key, "friction") == 0 || strcmp(child->key, "restitution") == 0;
  if (choice >= 0)
    vvi_bind_fault(b, &place, "unknown key '%s'; did you mean `%s: {%s: ...}`?", child->key,
                   g->schema->field[choice].name, child->key);
  else if (g->kind != NULL && pair)
    vvi_bind_fault(b, &place, "'%s' belongs to two bodies: write `contacts: [{between: [%s, OTHER], %s: ...}]`",
                   child->key, g->name, child->key);
  else if (others.n > 0 && strcmp(g->kind, "obstacle") == 0 && strcmp(child->key, "motion") == 0)
    vvi_bind_fault(
        b, &place,
        "an obstacle does not move; write 'kind: rigid' with this motion and a 'mass' well above that of what "
        "hits it, and shape: {plate: {normal: ..., width: ...}} for a piece of a plane");
  else if (others.n > 0)
    vvi_bind_fault(b, &place, "'%s' is a key of %s, not of %s; known: %s", vvi_show(child->key).c, others.c, g->kind,
                   known.c);
  else
    vvi_bind_fault_unknown(b, &place, "key", &near, known.n > 0 ? known.c : "none");
}

static void fault_twice(vvi_binder *b, const vv_group *g, const vvi_node *child, const vvi_node *first)
{
  const vvi_place place = vvi_bind_at_key(g, NULL, child);
  vvi_bind_fault(b, &place, "'%s' is written twice, first in line %d", vvi_show(child->key).c, first->key_line);
}

/* Finds the field of every key: unknown and doubled keys are faults. */
static void take_seats(vvi_binder *b, const vv_group *g, const vvi_node *map, seat *seats)
{
  const vvi_node *kind = g->kind != NULL ? vvi_node_find(map, "kind") : NULL;
  for (const vvi_node *c = map->child; c != NULL && !vvi_bind_full(b); c = c->next) {
    const bool is_kind = kind != NULL && strcmp(c->key, "kind") == 0;
    const int i = is_kind ? -1 : vvi_field_find(g->schema, c->key);
    const vvi_node *first = is_kind ? kind : i >= 0 ? seats[i].node : NULL;
    if (c == kind) continue;
    if (first != NULL)
      fault_twice(b, g, c, first);
    else if (i >= 0)
      seats[i].node = c;
    else if (!known_elsewhere(b, g, map, c->key))
      fault_unknown_key(b, g, c, seats);
  }
}

/* The fields of a group from a map. */
bool vvi_bind_map(vvi_binder *b, vv_group *g, const vvi_node *map)
{
  const int before = b->faults;
  seat *seats = VVI_ARENA_NEW(&b->scratch.arena, seat, g->schema->n);
  if (seats == NULL) return vvi_bind_no_memory(b);
  take_seats(b, g, map, seats);
  for (int i = 0; i < g->schema->n && !vvi_bind_full(b); i++) bind_field(b, g, i, seats[i].node, seats[i].excused);
  return b->faults == before && !b->nomem;
}

bool vvi_bind_group(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node)
{
  const vvi_place place = vvi_bind_at_value(s, node, -1);
  if (node->type != VVI_MAP) return vvi_bind_fault(b, &place, "expected a map, found %s", vvi_bind_found(node).c);
  s->value->sub = vvi_bind_new_group(b, s, s->field->sub, node);
  return s->value->sub != NULL && vvi_bind_map(b, s->value->sub, node);
}

bool vvi_bind_either(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node)
{
  const vvi_place place = vvi_bind_at_value(s, node, -1);
  if (node->type == VVI_LIST) return vvi_bind_fault(b, &place, "expected a number or a map, found a list");
  return node->type == VVI_MAP ? vvi_bind_group(b, s, node) : vvi_bind_number(b, s, node);
}

static bool bind_item(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node, int index)
{
  const vvi_place place = vvi_bind_at_value(s, node, index);
  if (node->type != VVI_MAP) return vvi_bind_fault(b, &place, "expected a map, found %s", vvi_bind_found(node).c);
  vv_group *item = vvi_bind_new_group(b, s, s->field->sub, node);
  if (item == NULL) return false;
  item->index = index;
  s->value->list.item[index] = item;
  return vvi_bind_map(b, item, node);
}

/* "expected a list of maps, [{hold: ...}], found ...", with the key that each of them needs; a value of that key is put in its
 * place: `edges: pinned` is `edges: [{hold: supported}]`. */
static bool fault_list(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node)
{
  const vvi_place place = vvi_bind_at_value(s, node, -1);
  const vv_schema *sub = s->field->sub;
  int key = 0;
  while (key + 1 < sub->n && !(sub->field[key].flags & VV_REQUIRED)) key++;
  const vv_field *f = &sub->field[sub->field[key].flags & VV_REQUIRED ? key : 0];
  vvi_word_list known = {"", 0};
  vvi_nearest_word near = vvi_nearest_to(node->type == VVI_SCALAR && f->type == VV_WORD ? node->text : "");
  const char *value = vvi_bind_word_among(f->words, near.wrong, &near, &known) ? near.wrong : near.word;
  return vvi_bind_fault(b, &place, "expected a list of maps, [{%s: %s}], found %s", f->name,
                        value[0] != '\0' ? value : "...", vvi_bind_found(node).c);
}

bool vvi_bind_list(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node)
{
  const vvi_place place = vvi_bind_at_value(s, node, -1);
  if (node->type != VVI_LIST) return fault_list(b, s, node);
  if (node->count == 0 && s->field->deflt == NULL) /* else it says: none of what would be there by default */
    return vvi_bind_fault(b, &place, "the list is empty; write its maps or leave the key out");
  s->value->list.item = VVI_ARENA_NEW(b->arena, vv_group *, node->count);
  if (s->value->list.item == NULL) return vvi_bind_no_memory(b);
  s->value->n = node->count;
  bool good = true;
  int i = 0;
  for (const vvi_node *c = node->child; c != NULL && !vvi_bind_full(b); c = c->next, i++)
    if (!bind_item(b, s, c, i)) good = false;
  return good;
}

/* ---- choices ---- */

static vvi_word_list schema_words(const vv_schema *schema)
{
  vvi_word_list l = {"", 0};
  for (int i = 0; i < schema->n; i++) vvi_list_word(&l, schema->field[i].name, strlen(schema->field[i].name));
  return l;
}

/* True when the word may stand alone: nothing of its own must be given. */
static bool stands_alone(const vv_field *f)
{
  if (f->type != VV_GROUP) return f->deflt != NULL;
  for (int i = 0; i < f->sub->n; i++)
    if (f->sub->field[i].flags & VV_REQUIRED) return false;
  return true;
}

/* The choice written as a bare word; gives the node of its value, NULL after a fault. */
static const vvi_node *choose_bare(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node, int *chosen)
{
  const vvi_place place = vvi_bind_at_value(s, node, -1);
  const vv_schema *sub = s->field->sub;
  const int i = vvi_field_find(sub, node->text);
  if (i < 0) {
    vvi_nearest_word near = vvi_nearest_to(node->text);
    for (int k = 0; k < sub->n; k++) vvi_nearest_try(&near, sub->field[k].name, strlen(sub->field[k].name));
    vvi_bind_fault_unknown(b, &place, "value", &near, schema_words(sub).c);
    return NULL;
  }
  const vv_field *f = &sub->field[i];
  if (!stands_alone(f)) {
    vvi_bind_fault(b, &place, "'%s' needs a value: write {%s: ...}", f->name, f->name);
    return NULL;
  }
  *chosen = i;
  vvi_node *value = f->deflt != NULL ? vvi_node_flow(&b->scratch, f->deflt) : vvi_node_new(&b->scratch, VVI_MAP);
  if (value == NULL) {
    vvi_bind_no_memory(b);
    return NULL;
  }
  value->line = node->line;
  value->column = node->column;
  return value;
}

/* The choice written as {word: value}. */
static const vvi_node *choose_map(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node, vv_group *g, int *chosen)
{
  const vvi_place place = vvi_bind_at_value(s, node, -1);
  const int before = b->faults, n = g->schema->n;
  seat *seats = VVI_ARENA_NEW(&b->scratch.arena, seat, n);
  if (seats == NULL) {
    vvi_bind_no_memory(b);
    return NULL;
  }
  take_seats(b, g, node, seats);
  if (b->faults > before) return NULL;
  if (node->count != 1) {
    vvi_bind_fault(b, &place, "choose exactly one of %s; found %d", schema_words(g->schema).c, node->count);
    return NULL;
  }
  *chosen = vvi_field_find(g->schema, node->child->key);
  return node->child;
}

bool vvi_bind_choice(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node)
{
  const vvi_place place = vvi_bind_at_value(s, node, -1);
  if (node->type == VVI_LIST || (node->type == VVI_SCALAR && node->text[0] == '\0'))
    return vvi_bind_fault(b, &place, "choose one of %s; found %s", schema_words(s->field->sub).c,
                          vvi_bind_found(node).c);
  vv_group *g = vvi_bind_new_group(b, s, s->field->sub, node);
  if (g == NULL) return false;
  int chosen = -1;
  const vvi_node *value =
      node->type == VVI_SCALAR ? choose_bare(b, s, node, &chosen) : choose_map(b, s, node, g, &chosen);
  if (value == NULL) return false;
  s->value->sub = g;
  s->value->text = g->schema->field[chosen].name;
  bind_field(b, g, chosen, value, false);
  return g->value[chosen].has;
}
