/* model/copies.c  Copies of bodies: after the keys are checked, each copy becomes a body with a name and a position.
 *
 * Rigid bodies have copies of their own, thousands in one block; these here are for the other kinds.  The echo of a scene
 * shows what came of them. */
#include "model/bind.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_COPIES = 10000, MAX_LINES = 1000000, MAX_NAME = 64 };

typedef struct copies {
  const vv_group *grid; /* NULL: the body is alone */
  int count[3], n;
} copies;

/* The field of the body under which its copies are written; -1: none. */
static int copies_field(const vv_group *body)
{
  for (int i = 0; i < body->schema->n; i++) {
    const vv_schema *sub = body->schema->field[i].sub;
    if ((sub == &vvi_copies_schema || sub == &vvi_grid_schema) && body->value[i].has) return i;
  }
  return -1;
}

static vv_status copies_of(const vv_group *body, copies *out)
{
  *out = (copies){.n = 1};
  const int i = copies_field(body);
  if (i < 0) return VV_OK;
  const vv_group *g = body->value[i].sub;
  out->grid = g->schema == &vvi_grid_schema ? g : vv_sub(g, "grid");
  const double *count = vv_numbers(out->grid, "count", NULL);
  double n = 1;
  for (int c = 0; c < 3; c++) {
    if (count[c] != floor(count[c])) return vv_complain(out->grid, "count", "%g is not a whole number", count[c]);
    n *= count[c];
  }
  if (n > MAX_COPIES)
    return vv_complain(out->grid, "count", "%g copies, each a body of its own; at most %d", n, MAX_COPIES);
  for (int c = 0; c < 3; c++) out->count[c] = (int)count[c];
  out->n = (int)n;
  return VV_OK;
}

/* ---- one copy ---- */

typedef struct cloner {
  vvi_arena *arena;
  double by[3];
  int moved; /* positions that were moved */
  bool nomem;
} cloner;

static vv_group *clone(cloner *c, const vv_group *g, const vv_group *parent);

static void clone_value(cloner *c, const vv_group *copy, const vv_field *f, vvi_value *v)
{
  if (f->flags & VV_MOVED) {
    double *moved = VVI_ARENA_NEW(c->arena, double, 3);
    if (moved == NULL) {
      c->nomem = true;
      return;
    }
    for (int k = 0; k < 3; k++) moved[k] = v->list.number[k] + c->by[k];
    v->list.number = moved;
    c->moved++;
  }
  if (v->sub != NULL) v->sub = clone(c, v->sub, copy);
  if (f->type != VV_LIST || v->n == 0) return;
  vv_group **item = VVI_ARENA_NEW(c->arena, vv_group *, v->n);
  if (item == NULL) c->nomem = true;
  for (int i = 0; i < v->n && item != NULL; i++) item[i] = clone(c, v->list.item[i], copy);
  if (item != NULL) v->list.item = item;
}

static vv_group *clone(cloner *c, const vv_group *g, const vv_group *parent)
{
  vv_group *copy = VVI_ARENA_NEW(c->arena, vv_group, 1);
  vvi_value *value = VVI_ARENA_NEW(c->arena, vvi_value, g->schema->n);
  if (copy == NULL || value == NULL) {
    c->nomem = true;
    return NULL;
  }
  *copy = *g;
  copy->parent = parent;
  copy->value = value;
  for (int i = 0; i < g->schema->n; i++) {
    value[i] = g->value[i];
    if (value[i].has) clone_value(c, copy, &g->schema->field[i], &value[i]);
  }
  return copy;
}

static vv_status make_copy(vvi_arena *arena, const vv_group *body, const copies *k, int index, vv_group **out)
{
  const double *spacing = vv_numbers(k->grid, "spacing", NULL);
  const int at[3] = {index % k->count[0], index / k->count[0] % k->count[1], index / k->count[0] / k->count[1]};
  cloner c = {.arena = arena};
  char name[MAX_NAME + 16];
  for (int i = 0; i < 3; i++) c.by[i] = at[i] * spacing[i];
  *out = clone(&c, body, body->parent);
  snprintf(name, sizeof name, "%s-%d", body->name, index);
  if (strlen(name) > MAX_NAME)
    return vv_complain(body, NULL, "its copies have names of more than %d letters", MAX_NAME);
  if (*out == NULL || c.nomem || ((*out)->name = vvi_arena_text(arena, name)) == NULL)
    return vvi_fail(body->ctx, VV_NOMEM, "out of memory");
  if (c.moved == 0) return vv_complain(k->grid, NULL, "nothing here can be moved; give a plane its 'point'");
  (*out)->value[copies_field(body)] = (vvi_value){0};
  return VV_OK;
}

/* ---- names ---- */

/* The bodies that a name stands for: itself, or its copies. */
typedef struct range {
  int first, n;
} range;

static range range_of(const vvi_value *old, const copies *k, const vvi_value *fresh, const char *name)
{
  int first = 0;
  for (int i = 0; i < old->n; first += k[i++].n)
    if (strcmp(old->list.item[i]->name, name) == 0) return (range){first, k[i].n};
  for (int i = 0; i < fresh->n; i++)
    if (strcmp(fresh->list.item[i]->name, name) == 0) return (range){i, 1};
  return (range){0, 0};
}

/* The lines of contact that one line stands for. */
typedef struct lines {
  vvi_arena *arena;
  vv_group **item;
  int n, room;
} lines;

static vv_status add_line(lines *l, const vv_group *c, int field, const char *a, const char *b)
{
  if (l->n == l->room) {
    const int room = l->room > 0 ? 2 * l->room : 16;
    vv_group **more = VVI_ARENA_NEW(l->arena, vv_group *, room);
    if (more == NULL) return vvi_fail(c->ctx, VV_NOMEM, "out of memory");
    if (l->n > 0) memcpy(more, l->item, sizeof *more * (size_t)l->n);
    l->item = more;
    l->room = room;
  }
  if (l->n >= MAX_LINES) return vv_complain(c, "between", "stands for more than %d pairs of copies", MAX_LINES);
  vv_group *line = VVI_ARENA_NEW(l->arena, vv_group, 1);
  vvi_value *value = VVI_ARENA_NEW(l->arena, vvi_value, c->schema->n);
  const char **name = VVI_ARENA_NEW(l->arena, const char *, 2);
  if (line == NULL || value == NULL || name == NULL) return vvi_fail(c->ctx, VV_NOMEM, "out of memory");
  *line = *c;
  line->value = value;
  line->index = l->n;
  memcpy(value, c->value, sizeof *value * (size_t)c->schema->n);
  if (a != NULL) {
    name[0] = a;
    name[1] = b;
    value[field].list.name = name;
    value[field].n = b != NULL ? 2 : 1;
  }
  l->item[l->n++] = line;
  return VV_OK;
}

/* A line that names just these two: it goes before one that names all copies. */
static bool has_own_line(const vvi_value *contacts, int field, const char *a, const char *b)
{
  for (int i = 0; i < contacts->n; i++) {
    const vvi_value *v = &contacts->list.item[i]->value[field];
    if (v->n != 2) continue;
    const char *x = v->list.name[0], *y = v->list.name[1];
    if ((strcmp(x, a) == 0 && strcmp(y, b) == 0) || (strcmp(x, b) == 0 && strcmp(y, a) == 0)) return true;
  }
  return false;
}

/* `between: [rods]` is every pair of rods; `between: [rods, floor]` each of them with the floor. */
static vv_status expand_line(lines *l, const vv_group *c, int field, const range r[2], int n, const vvi_value *body,
                             const vvi_value *contacts)
{
  for (int i = r[0].first; i < r[0].first + r[0].n; i++) {
    const char *a = body->list.item[i]->name;
    const int from = n == 1 ? i + 1 : r[1].first, end = n == 1 ? r[0].first + r[0].n : r[1].first + r[1].n;
    for (int j = from; j < end; j++)
      if (j != i && !has_own_line(contacts, field, a, body->list.item[j]->name))
        VV_TRY(add_line(l, c, field, a, body->list.item[j]->name));
  }
  return VV_OK;
}

static vv_status expand_contacts(vvi_arena *arena, vv_group *root, const vvi_value *old, const copies *k,
                                 const vvi_value *fresh)
{
  vvi_value *v = &root->value[vvi_field_find(root->schema, "contacts")];
  lines l = {.arena = arena};
  for (int i = 0; i < v->n; i++) {
    const vv_group *c = v->list.item[i];
    const int field = vvi_field_find(c->schema, "between"), n = c->value[field].n;
    range r[2] = {{0, 0}, {0, 0}};
    if (n < 1 || n > 2) { /* `all`, or a mistake that is told later */
      VV_TRY(add_line(&l, c, field, NULL, NULL));
      continue;
    }
    for (int j = 0; j < n; j++) {
      r[j] = range_of(old, k, fresh, c->value[field].list.name[j]);
      if (r[j].n == 0) return vv_complain(c, "between", "there is no copy '%s'", c->value[field].list.name[j]);
    }
    const bool plain = r[0].n == 1 && (n == 1 || r[1].n == 1);
    if (plain)
      VV_TRY(add_line(&l, c, field, fresh->list.item[r[0].first]->name,
                      n == 2 ? fresh->list.item[r[1].first]->name : NULL));
    else
      VV_TRY(expand_line(&l, c, field, r, n, fresh, v));
  }
  v->list.item = l.item;
  v->n = l.n;
  return VV_OK;
}

static vv_status check_names(const vvi_value *old, const vvi_value *fresh, const copies *k)
{
  for (int i = 0; i < old->n; i++)
    for (int j = 0, first = 0; j < old->n; first += k[j++].n)
      for (int c = 0; k[j].grid != NULL && c < k[j].n; c++)
        if (strcmp(fresh->list.item[first + c]->name, old->list.item[i]->name) == 0)
          return vv_complain(old->list.item[i], NULL, "has the name of a copy of '%s'", old->list.item[j]->name);
  return VV_OK;
}

static vv_status expand(vvi_arena *arena, vv_group *root, vvi_value *bodies, const copies *k, int total)
{
  vvi_value fresh = *bodies;
  fresh.list.item = VVI_ARENA_NEW(arena, vv_group *, total);
  if (fresh.list.item == NULL) return vvi_fail(root->ctx, VV_NOMEM, "out of memory");
  fresh.n = 0;
  for (int i = 0; i < bodies->n; i++) {
    for (int c = 0; c < k[i].n; c++) {
      vv_group *body = bodies->list.item[i];
      if (k[i].grid != NULL) VV_TRY(make_copy(arena, bodies->list.item[i], &k[i], c, &body));
      body->index = fresh.n;
      fresh.list.item[fresh.n++] = body;
    }
  }
  VV_TRY(check_names(bodies, &fresh, k));
  VV_TRY(expand_contacts(arena, root, bodies, k, &fresh));
  *bodies = fresh;
  return VV_OK;
}

vv_status vvi_copies_expand(vvi_arena *arena, vv_group *root, bool named)
{
  vvi_value *bodies = &root->value[vvi_field_find(root->schema, "bodies")];
  copies *k = VVI_ARENA_NEW(arena, copies, bodies->n);
  int total = 0;
  bool any = named;
  if (k == NULL) return vvi_fail(root->ctx, VV_NOMEM, "out of memory");
  for (int i = 0; i < bodies->n; i++) {
    VV_TRY(copies_of(bodies->list.item[i], &k[i]));
    total += k[i].n;
    any |= k[i].grid != NULL;
  }
  return any ? expand(arena, root, bodies, k, total) : VV_OK;
}
