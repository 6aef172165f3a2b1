/* model/spec.c  The editable tree of keys and values, its paths, and the one-line flow notation used by defaults and vv_spec_set. */
#include "model/spec.h"
#include "model/bind.h"
#include "model/model.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODE_BLOCK = 128, TEXT_BLOCK = 1 << 14, MAX_INDEX = 1000000 };

/* ---- nodes ---- */

char *vvi_spec_text(vv_spec *spec, const char *text, size_t length)
{
  if (spec->free_bytes < length + 1) {
    const size_t block = length + 1 > TEXT_BLOCK ? length + 1 : TEXT_BLOCK;
    char *fresh = vvi_arena_alloc(&spec->arena, block);
    if (fresh == NULL) return NULL;
    spec->free_text = fresh;
    spec->free_bytes = block;
  }
  char *copy = spec->free_text;
  memcpy(copy, text, length);
  copy[length] = '\0';
  spec->free_text += length + 1;
  spec->free_bytes -= length + 1;
  return copy;
}

vvi_node *vvi_node_new(vv_spec *spec, vvi_node_type type)
{
  if (spec->n_node >= VVI_MAX_NODES) return NULL;
  if (spec->free_nodes == 0) {
    spec->free_node = VVI_ARENA_NEW(&spec->arena, vvi_node, NODE_BLOCK);
    if (spec->free_node == NULL) return NULL;
    spec->free_nodes = NODE_BLOCK;
  }
  vvi_node *node = spec->free_node++;
  spec->free_nodes--;
  spec->n_node++;
  node->type = type;
  return node;
}

vvi_node *vvi_node_scalar(vv_spec *spec, const char *text, size_t length, bool quoted)
{
  vvi_node *node = vvi_node_new(spec, VVI_SCALAR);
  if (node == NULL) return NULL;
  node->text = vvi_spec_text(spec, text, length);
  node->quoted = quoted;
  return node->text == NULL ? NULL : node;
}

void vvi_node_add(vvi_node *parent, vvi_node *child)
{
  if (parent->last == NULL)
    parent->child = child;
  else
    parent->last->next = child;
  parent->last = child;
  parent->count++;
}

const vvi_node *vvi_node_find(const vvi_node *map, const char *key)
{
  const vvi_node *child = map->type == VVI_MAP ? map->child : NULL;
  while (child != NULL && strcmp(child->key, key) != 0) child = child->next;
  return child;
}

/* ---- UTF-8 and locale ---- */

/* Length of the sequence at c, 0 when it is not one: overlong forms, surrogates and values past 10FFFF are refused. */
static size_t utf8_width(const unsigned char *c, size_t left)
{
  if (c[0] < 0x80) return 1;
  const size_t width = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
  if (c[0] < 0xc2 || c[0] > 0xf4 || left < width) return 0;
  uint32_t code = c[0] & (0x7fu >> width);
  for (size_t i = 1; i < width; i++) {
    if ((c[i] & 0xc0) != 0x80) return 0;
    code = code << 6 | (c[i] & 0x3f);
  }
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < least[width] || code > 0x10ffff || surrogate ? 0 : width;
}

size_t vvi_utf8_valid(const char *text, size_t length)
{
  size_t i = 0;
  while (i < length) {
    const size_t width = utf8_width((const unsigned char *)text + i, length - i);
    if (width == 0) return i;
    i += width;
  }
  return length;
}

/* ---- flow notation ---- */

typedef struct flow {
  vv_spec *spec;
  const char *at;
  int depth;
} flow;

static void skip_blanks(flow *f)
{
  while (*f->at == ' ') f->at++;
}

/* A word in quotes; the only escape is a doubled quote inside '...' and \" or \\ inside "...". */
static vvi_node *flow_quoted(flow *f)
{
  const char quote = *f->at++;
  char *copy = vvi_spec_text(f->spec, f->at, strlen(f->at));
  if (copy == NULL) return NULL;
  size_t n = 0;
  for (;; f->at++) {
    const bool pair =
        quote == '"' ? f->at[0] == '\\' && (f->at[1] == '"' || f->at[1] == '\\') : f->at[0] == '\'' && f->at[1] == '\'';
    if (*f->at == '\0') return NULL;
    if (!pair && *f->at == quote) break;
    if (pair) f->at++;
    copy[n++] = *f->at;
  }
  f->at++;
  return vvi_node_scalar(f->spec, copy, n, true);
}

static vvi_node *flow_word(flow *f)
{
  skip_blanks(f);
  if (*f->at == '"' || *f->at == '\'') return flow_quoted(f);
  size_t n = strcspn(f->at, ",:[]{}");
  const char *start = f->at;
  f->at += n;
  while (n > 0 && start[n - 1] == ' ') n--;
  return n == 0 ? NULL : vvi_node_scalar(f->spec, start, n, false);
}

static vvi_node *flow_value(flow *f);

static vvi_node *flow_entry(flow *f, bool map)
{
  if (!map) return flow_value(f);
  const vvi_node *key = flow_word(f);
  if (key == NULL) return NULL;
  skip_blanks(f);
  if (*f->at != ':') return NULL;
  f->at++;
  vvi_node *value = flow_value(f);
  if (value != NULL) value->key = key->text;
  return value;
}

static vvi_node *flow_items(flow *f, bool map)
{
  vvi_node *node = vvi_node_new(f->spec, map ? VVI_MAP : VVI_LIST);
  const char close = map ? '}' : ']';
  f->at++;
  skip_blanks(f);
  while (node != NULL && *f->at != close) {
    vvi_node *entry = flow_entry(f, map);
    if (entry == NULL) return NULL;
    vvi_node_add(node, entry);
    skip_blanks(f);
    if (*f->at != ',' && *f->at != close) return NULL;
    if (*f->at == ',') f->at++;
    skip_blanks(f);
  }
  f->at++;
  return node;
}

static vvi_node *flow_value(flow *f)
{
  skip_blanks(f);
  if (*f->at != '[' && *f->at != '{') return flow_word(f);
  if (++f->depth > VVI_MAX_DEPTH) return NULL;
  vvi_node *node = flow_items(f, *f->at == '{');
  f->depth--;
  return node;
}

vvi_node *vvi_node_flow(vv_spec *spec, const char *text)
{
  flow f = {.spec = spec, .at = text};
  skip_blanks(&f);
  /* a bare text is one scalar as it stands: "Two bars: a story" needs no quotes here */
  if (*f.at == '\0' || strchr("[{\"'", *f.at) == NULL) return vvi_node_scalar(spec, text, strlen(text), false);
  vvi_node *node = flow_value(&f);
  skip_blanks(&f);
  return *f.at == '\0' ? node : NULL;
}

/* ---- paths ---- */

/* One step of a path: a key, or an index into a list. */
typedef struct path_step {
  const char *key;
  size_t length;
  int index; /* -1: a key */
} path_step;

/* Cuts the next step off the path; false when the path is malformed there. */
static bool path_next(const char **path, path_step *step, bool first)
{
  const char *at = *path;
  if (*at == '[' && !first) {
    char *end = NULL;
    const long index = at[1] >= '0' && at[1] <= '9' ? strtol(at + 1, &end, 10) : -1;
    if (index < 0 || index > MAX_INDEX || *end != ']') return false;
    *step = (path_step){.index = (int)index};
    *path = end + 1;
    return true;
  }
  if (!first && *at++ != '.') return false;
  const size_t n = strcspn(at, ".[");
  *step = (path_step){.key = at, .length = n, .index = -1};
  *path = at + n;
  return n > 0;
}

/* The link that holds the child, so that it can be replaced or cut out; the link at the end when there is none. */
static vvi_node **child_link(vvi_node *node, const path_step *step)
{
  vvi_node **link = &node->child;
  for (int i = 0; *link != NULL; i++, link = &(*link)->next) {
    const char *key = (*link)->key;
    if (step->index == i) break;
    if (step->index < 0 && strlen(key) == step->length && memcmp(key, step->key, step->length) == 0) break;
  }
  return link;
}

static bool fits(const vvi_node *node, const path_step *step)
{
  return node->type == (step->index < 0 ? VVI_MAP : VVI_LIST);
}

/* Puts `value` where the old child of the parent was, or at its end. */
static vv_status child_put(vv_spec *spec, vvi_node *parent, const path_step *step, vvi_node *value)
{
  vvi_node **link = child_link(parent, step), *old = *link;
  if (step->index >= 0 && old == NULL && step->index != parent->count)
    return vvi_fail(spec->ctx, VV_ARG, "there is no '%s[%d]': the list has %d items, counted from 0",
                    parent->key != NULL ? parent->key : "", step->index, parent->count);
  if (step->index < 0) {
    value->key = vvi_spec_text(spec, step->key, step->length);
    if (value->key == NULL) return vvi_fail(spec->ctx, VV_NOMEM, "out of memory");
  }
  if (old == NULL) {
    vvi_node_add(parent, value);
    return VV_OK;
  }
  value->next = old->next;
  if (parent->last == old) parent->last = value;
  *link = value;
  return VV_OK;
}

static vv_status bad_path(const vv_spec *spec, const char *path)
{
  return vvi_fail(spec->ctx, VV_ARG, "path '%.100s' is malformed; write bodies.left.length or contacts[0].friction",
                  path);
}

/* A scalar in the way becomes the map or list that the path asks for: `history: constant`, then history.pulse.duration. */
static vv_status open_up(vv_spec *spec, vvi_node *node, const path_step *step, const char *path)
{
  if (fits(node, step)) return VV_OK;
  if (node->type != VVI_SCALAR)
    return vvi_fail(spec->ctx, VV_ARG,
                    "path '%.100s' takes a %s for a %s; write bodies.left.length or contacts[0].friction", path,
                    node->type == VVI_MAP ? "map" : "list", node->type == VVI_MAP ? "list" : "map");
  node->type = step->index < 0 ? VVI_MAP : VVI_LIST;
  node->text = NULL;
  return VV_OK;
}

static vv_status put(vv_spec *spec, const char *path, vvi_node *value)
{
  const char *rest = path;
  vvi_node *node = spec->root;
  path_step step;
  for (int depth = 0;; depth++) {
    if (depth >= VVI_MAX_DEPTH || !path_next(&rest, &step, depth == 0)) return bad_path(spec, path);
    VV_TRY(open_up(spec, node, &step, path));
    if (*rest == '\0') return child_put(spec, node, &step, value);
    vvi_node *child = *child_link(node, &step);
    if (child == NULL) {
      child = vvi_node_new(spec, *rest == '[' ? VVI_LIST : VVI_MAP);
      if (child == NULL) return vvi_fail(spec->ctx, VV_NOMEM, "out of memory");
      VV_TRY(child_put(spec, node, &step, child));
    }
    node = child;
  }
}

/* ---- the door ---- */

vv_status vv_spec_create(vv_ctx *ctx, vv_spec **out)
{
  *out = NULL;
  vv_spec *spec = calloc(1, sizeof *spec);
  if (spec == NULL) return vvi_fail(ctx, VV_NOMEM, "out of memory");
  spec->ctx = ctx;
  spec->root = vvi_node_new(spec, VVI_MAP);
  if (spec->root == NULL) {
    vv_spec_destroy(spec);
    return vvi_fail(ctx, VV_NOMEM, "out of memory");
  }
  *out = spec;
  return VV_OK;
}

void vv_spec_destroy(vv_spec *spec)
{
  if (spec == NULL) return;
  vvi_arena_free(&spec->arena);
  free(spec);
}

const char *vvi_spec_source(const vv_spec *spec)
{
  return spec->source != NULL ? spec->source : "scene";
}

vv_status vv_spec_set(vv_spec *spec, const char *path, const char *text)
{
  if (path == NULL || text == NULL) return vvi_fail(spec->ctx, VV_ARG, "vv_spec_set: no path or no text");
  if (vvi_utf8_valid(text, strlen(text)) != strlen(text) || vvi_utf8_valid(path, strlen(path)) != strlen(path))
    return vvi_fail(spec->ctx, VV_ARG, "vv_spec_set: the path or the text is not UTF-8");
  vvi_node *value = vvi_node_flow(spec, text);
  if (value == NULL)
    return vvi_fail(spec->ctx, VV_ARG, "%.100s: '%.60s' is not a word, a [list] or a {map}", path, text);
  return put(spec, path, value);
}

vv_status vv_spec_set_parameter(vv_spec *spec, const char *name, const char *text)
{
  char path[96], known[200] = "", near[80] = "";
  if (name == NULL || text == NULL) return vvi_fail(spec->ctx, VV_ARG, "vv_spec_set_parameter: no name or no text");
  const vvi_node *map = vvi_node_find(spec->root, "parameters");
  const bool known_parameter = map != NULL && vvi_node_find(map, name) != NULL;
  if (!known_parameter && vvi_field_find(&vvi_scene_schema, name) >= 0) return vv_spec_set(spec, name, text);
  int least = INT_MAX;
  if (map == NULL || map->type != VVI_MAP || map->count == 0)
    return vvi_fail(spec->ctx, VV_ARG,
                    "%.160s has no 'parameters', so '%.60s' cannot be set; a path has a dot: time.end=1",
                    vvi_spec_source(spec), name);
  for (const vvi_node *c = map->child; c != NULL; c = c->next) {
    const int d = vv_text_slips(name, c->key);
    if (d == 0 && snprintf(path, sizeof path, "parameters.%s", c->key) < (int)sizeof path)
      return vv_spec_set(spec, path, text);
    if (d > 0 && d < least) least = d, snprintf(near, sizeof near, "%.64s", c->key);
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%.64s", known[0] != '\0' ? ", " : "", c->key);
  }
  if (near[0] != '\0') return vvi_fail(spec->ctx, VV_ARG, "unknown parameter '%.60s'; did you mean '%s'?", name, near);
  return vvi_fail(spec->ctx, VV_ARG, "unknown parameter '%.60s'; known: %s", name, known);
}

static vvi_node *number_node(vv_spec *spec, double value)
{
  char text[32];
  const int n = snprintf(text, sizeof text, "%.17g", value);
  return vvi_node_scalar(spec, text, (size_t)n, false);
}

static vvi_node *numbers_node(vv_spec *spec, int n, const double value[])
{
  vvi_node *list = vvi_node_new(spec, VVI_LIST);
  for (int i = 0; i < n && list != NULL; i++) {
    vvi_node *item = number_node(spec, value[i]);
    if (item == NULL) return NULL;
    vvi_node_add(list, item);
  }
  return list;
}

vv_status vv_spec_set_number(vv_spec *spec, const char *path, double value)
{
  if (path == NULL) return vvi_fail(spec->ctx, VV_ARG, "vv_spec_set_number: no path");
  vvi_locale locale = vvi_locale_enter();
  vvi_node *node = number_node(spec, value);
  vvi_locale_leave(&locale);
  return node == NULL ? vvi_fail(spec->ctx, VV_NOMEM, "out of memory") : put(spec, path, node);
}

vv_status vv_spec_set_numbers(vv_spec *spec, const char *path, int n, const double value[])
{
  if (path == NULL || value == NULL || n < 1)
    return vvi_fail(spec->ctx, VV_ARG, "vv_spec_set_numbers: no path or no numbers");
  vvi_locale locale = vvi_locale_enter();
  vvi_node *node = numbers_node(spec, n, value);
  vvi_locale_leave(&locale);
  return node == NULL ? vvi_fail(spec->ctx, VV_NOMEM, "out of memory") : put(spec, path, node);
}

vv_status vv_spec_remove(vv_spec *spec, const char *path)
{
  const char *rest = path;
  vvi_node *node = spec->root;
  path_step step;
  if (path == NULL) return vvi_fail(spec->ctx, VV_ARG, "vv_spec_remove: no path");
  for (bool first = true;; first = false) {
    if (!path_next(&rest, &step, first)) return bad_path(spec, path);
    vvi_node **link = fits(node, &step) ? child_link(node, &step) : NULL;
    if (link == NULL || *link == NULL) return vvi_fail(spec->ctx, VV_ARG, "nothing at '%.100s'", path);
    if (*rest != '\0') {
      node = *link;
      continue;
    }
    *link = (*link)->next;
    node->count--;
    node->last = node->child;
    while (node->last != NULL && node->last->next != NULL) node->last = node->last->next;
    return VV_OK;
  }
}
