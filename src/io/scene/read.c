/* io/scene/read.c  Reads YAML text into a tree of keys and values.  Only this folder knows libyaml.
 *
 * Events rather than libyaml's document loader: the loader takes doubled keys and aliases without a word. */
#include "io/prepared.h"
#include "model/model.h"
#include "model/spec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

enum { MAX_BYTES = 64 << 20 };

typedef struct reader {
  vv_ctx *ctx;
  vv_spec *spec;
  const char *source;
  yaml_parser_t parser;
  int faults;                  /* mistakes that did not stop the reading */
  const struct reader *parent; /* of the file that includes this one; NULL: the scene itself */
  vvi_node *root;
} reader;

/* ---- messages ---- */

static vv_status fail_at(const reader *r, yaml_mark_t mark, const char *text)
{
  return vvi_fail(r->ctx, VV_SCENE, "%.160s:%zu:%zu: %s", r->source, mark.line + 1, mark.column + 1, text);
}

static vv_status fail_memory(const reader *r)
{
  if (r->spec->n_node >= VVI_MAX_NODES)
    return vvi_fail(r->ctx, VV_SCENE, "%.160s: more than %d values", r->source, VVI_MAX_NODES);
  return vvi_fail(r->ctx, VV_NOMEM, "%.160s: out of memory", r->source);
}

/* Line and column of a byte, for mistakes found before the text is parsed. */
static yaml_mark_t mark_of(const char *text, size_t length, size_t byte)
{
  yaml_mark_t mark = {.index = byte};
  for (size_t i = 0; i < byte && i < length; i++) {
    const bool inside = ((unsigned char)text[i] & 0xc0) == 0x80;
    if (text[i] == '\n') {
      mark.line++;
      mark.column = 0;
    } else if (!inside) {
      mark.column++;
    }
  }
  return mark;
}

/* libyaml calls it a "character that cannot start any token". */
static bool is_tab(const char *text, size_t length, yaml_mark_t mark)
{
  size_t i = 0;
  for (size_t line = 0; i < length && line < mark.line; i++) line += text[i] == '\n';
  for (size_t column = 0; i < length && column < mark.column && text[i] != '\n'; i++)
    column += ((unsigned char)text[i + (i + 1 < length)] & 0xc0) != 0x80;
  return i < length && text[i] == '\t';
}

static vv_status fail_syntax(const reader *r, const char *text, size_t length)
{
  const yaml_parser_t *p = &r->parser;
  if (p->error == YAML_MEMORY_ERROR) return fail_memory(r);
  const char *problem = p->problem != NULL ? p->problem : "not YAML";
  if (p->error == YAML_READER_ERROR) return fail_at(r, mark_of(text, length, p->problem_offset), problem);
  if (is_tab(text, length, p->problem_mark)) return fail_at(r, p->problem_mark, "a tab; indent with blanks");
  char message[256];
  if (p->context != NULL)
    snprintf(message, sizeof message, "%s %s that begins at %zu:%zu", problem, p->context, p->context_mark.line + 1,
             p->context_mark.column + 1);
  else
    snprintf(message, sizeof message, "%s", problem);
  return fail_at(r, p->problem_mark, message);
}

/* ---- events to nodes ---- */

static void refuse(reader *r, yaml_mark_t mark, const char *text)
{
  r->faults++;
  fail_at(r, mark, text);
}

/* What YAML can do and a scene may not: a scene means what it says where it says it. */
static void check_plainness(reader *r, const yaml_event_t *e)
{
  const yaml_char_t *anchor = NULL, *tag = NULL;
  bool bare_tag = false; /* a lone "!" */
  if (e->type == YAML_SCALAR_EVENT) {
    anchor = e->data.scalar.anchor;
    tag = e->data.scalar.tag;
    bare_tag = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && !e->data.scalar.plain_implicit;
  } else if (e->type == YAML_SEQUENCE_START_EVENT) {
    anchor = e->data.sequence_start.anchor;
    tag = e->data.sequence_start.tag;
  } else if (e->type == YAML_MAPPING_START_EVENT) {
    anchor = e->data.mapping_start.anchor;
    tag = e->data.mapping_start.tag;
  }
  if (anchor != NULL) refuse(r, e->start_mark, "anchors (&name) are not allowed in a scene");
  if (tag != NULL || bare_tag) refuse(r, e->start_mark, "tags (!name) are not allowed in a scene");
}

static vvi_node *leaf(reader *r, const yaml_event_t *e)
{
  if (e->type == YAML_ALIAS_EVENT) {
    refuse(r, e->start_mark, "aliases (*name) are not allowed in a scene; write the value again");
    return vvi_node_scalar(r->spec, "", 0, false);
  }
  const char *text = (const char *)e->data.scalar.value;
  const size_t length = e->data.scalar.length;
  if (memchr(text, '\0', length) != NULL) refuse(r, e->start_mark, "a text with a zero byte is not allowed");
  return vvi_node_scalar(r->spec, text, strlen(text), e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE);
}

static vvi_node *node_of(reader *r, const yaml_event_t *e)
{
  check_plainness(r, e);
  vvi_node *node = NULL;
  if (e->type == YAML_MAPPING_START_EVENT)
    node = vvi_node_new(r->spec, VVI_MAP);
  else if (e->type == YAML_SEQUENCE_START_EVENT)
    node = vvi_node_new(r->spec, VVI_LIST);
  else
    node = leaf(r, e);
  if (node == NULL) return NULL;
  node->source = r->source;
  node->line = (int)e->start_mark.line + 1;
  node->column = (int)e->start_mark.column + 1;
  return node;
}

/* The open maps and lists, outermost first, and the key that waits for its value in each. */
typedef struct stack {
  vvi_node *open[VVI_MAX_DEPTH];
  vvi_node *key[VVI_MAX_DEPTH];
  int depth;
} stack;

/* Hangs a node under the innermost open one: as a key, the value of the key before it, or an item. */
static vv_status hang(reader *r, stack *s, vvi_node *node, yaml_mark_t mark)
{
  vvi_node *parent = s->open[s->depth - 1], **key = &s->key[s->depth - 1];
  if (parent->type == VVI_MAP && *key == NULL) {
    if (node->type != VVI_SCALAR) return fail_at(r, mark, "a key must be a word");
    *key = node;
    return VV_OK;
  }
  if (*key != NULL) {
    node->key = (*key)->text;
    node->key_line = (*key)->line;
    node->key_column = (*key)->column;
    *key = NULL;
  }
  vvi_node_add(parent, node);
  return VV_OK;
}

static vv_status take_node(reader *r, stack *s, const yaml_event_t *e)
{
  vvi_node *node = node_of(r, e);
  if (node == NULL) return fail_memory(r);
  if (s->depth == 0) {
    if (node->type != VVI_MAP) return fail_at(r, e->start_mark, "a scene is a map: lines of `key: value`");
    r->root = node;
  } else {
    VV_TRY(hang(r, s, node, e->start_mark));
  }
  if (node->type == VVI_SCALAR) return VV_OK;
  if (s->depth == VVI_MAX_DEPTH) return fail_at(r, e->start_mark, "nested too deeply");
  s->open[s->depth] = node;
  s->key[s->depth++] = NULL;
  return VV_OK;
}

static vv_status take_event(reader *r, stack *s, const yaml_event_t *e, int *documents)
{
  switch (e->type) {
  case YAML_DOCUMENT_START_EVENT:
    if (++*documents > 1) return fail_at(r, e->start_mark, "a second document; a scene file holds one");
    return VV_OK;
  case YAML_SCALAR_EVENT:
  case YAML_ALIAS_EVENT:
  case YAML_MAPPING_START_EVENT:
  case YAML_SEQUENCE_START_EVENT:
    return take_node(r, s, e);
  case YAML_MAPPING_END_EVENT:
  case YAML_SEQUENCE_END_EVENT:
    s->depth--;
    return VV_OK;
  default:
    return VV_OK;
  }
}

static vv_status read_events(reader *r, const char *text, size_t length)
{
  stack s = {.depth = 0};
  int documents = 0;
  for (bool done = false; !done;) {
    yaml_event_t event;
    if (!yaml_parser_parse(&r->parser, &event)) return fail_syntax(r, text, length);
    const vv_status status = take_event(r, &s, &event, &documents);
    done = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
    if (status != VV_OK) return status;
  }
  if (documents == 0)
    return vvi_fail(r->ctx, VV_SCENE, "%.160s:1:1: the scene is empty; see `visviva help scene`", r->source);
  return r->faults > 0 ? VV_SCENE : VV_OK;
}

/* ---- the door ---- */

static vv_status check_bytes(const reader *r, const char *text, size_t length)
{
  const char *zero = memchr(text, '\0', length);
  if (length > MAX_BYTES) return vvi_fail(r->ctx, VV_SCENE, "%.160s: larger than %d MiB", r->source, MAX_BYTES >> 20);
  if (zero != NULL)
    return fail_at(r, mark_of(text, length, (size_t)(zero - text)), "a zero byte: this is not a text file");
  const size_t valid = vvi_utf8_valid(text, length);
  if (valid < length) return fail_at(r, mark_of(text, length, valid), "not UTF-8 text");
  return VV_OK;
}

static vv_status parse(reader *r, const char *text, size_t length)
{
  VV_TRY(check_bytes(r, text, length));
  if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark says nothing in UTF-8 */
    text += 3;
    length -= 3;
  }
  if (!yaml_parser_initialize(&r->parser)) return fail_memory(r);
  yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&r->parser, (const unsigned char *)text, length);
  const vv_status status = read_events(r, text, length);
  yaml_parser_delete(&r->parser);
  return status;
}

/* ---- include ---- */

enum { MAX_INCLUDES = 16 }; /* one inside the other */

static vv_status fail_node(const reader *r, const vvi_node *node, const char *file, const char *text)
{
  return vvi_fail(r->ctx, VV_SCENE, "%.160s:%d:%d: include: '%.100s' %s", r->source, node->line, node->column, file,
                  text);
}

/* What `over` says goes before what `base` says; maps are joined key by key, everything else is replaced whole. */
static vvi_node *merge(vv_spec *spec, const vvi_node *base, const vvi_node *over)
{
  vvi_node *all = vvi_node_new(spec, VVI_MAP);
  if (all == NULL) return NULL;
  for (const vvi_node *c = base->child; c != NULL; c = c->next) {
    const vvi_node *other = vvi_node_find(over, c->key);
    const bool both = other != NULL && c->type == VVI_MAP && other->type == VVI_MAP;
    vvi_node *copy = both ? merge(spec, c, other) : vvi_node_new(spec, VVI_SCALAR);
    if (copy == NULL) return NULL;
    if (!both) *copy = other != NULL ? *other : *c;
    copy->next = NULL;
    vvi_node_add(all, copy);
  }
  for (const vvi_node *c = over->child; c != NULL; c = c->next) {
    const vvi_node *first = vvi_node_find(over, c->key);
    if (c == first && vvi_node_find(base, c->key) != NULL) continue; /* one written twice stays twice */
    vvi_node *copy = vvi_node_new(spec, VVI_SCALAR);
    if (copy == NULL) return NULL;
    *copy = *c;
    copy->next = NULL;
    vvi_node_add(all, copy);
  }
  vvi_node *child = all->child, *last = all->last;
  const int count = all->count;
  *all = *over;
  all->child = child;
  all->last = last;
  all->count = count;
  all->next = NULL;
  return all;
}

static bool is_scene_name(const char *file)
{
  const char *dot = strrchr(file, '.');
  return dot != NULL && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static vv_status slurp(vv_ctx *ctx, const char *path, FILE *file, char **text, size_t *length);
static vv_status include_all(reader *r);

/* Reads one file into nodes of the same spec. */
static vv_status read_included(reader *r, const vvi_node *node, const char *path)
{
  int depth = 0;
  for (const reader *up = r->parent; up != NULL; up = up->parent, depth++)
    if (strcmp(up->source, path) == 0) return fail_node(r->parent, node, node->text, "includes itself");
  if (depth > MAX_INCLUDES) return fail_node(r->parent, node, node->text, "is nested too deeply");
  FILE *file = vvi_open_plain(path);
  if (file == NULL)
    return fail_node(r->parent, node, node->text, "cannot be read; it counts from the folder of this file");
  char *text = NULL;
  size_t length = 0;
  vv_status status = slurp(r->ctx, path, file, &text, &length);
  fclose(file);
  if (status == VV_OK) status = parse(r, text, length);
  free(text);
  return status == VV_OK ? include_all(r) : status;
}

static vv_status include_one(reader *r, const vvi_node *node, vvi_node **base)
{
  if (node->type != VVI_SCALAR || node->text[0] == '\0')
    return fail_node(r, node, "", "is not the name of a file; write include: file.yaml or a list of them");
  if (!is_scene_name(node->text)) return fail_node(r, node, node->text, "is not named .yaml");
  char *path = vvi_beside(r->source, node->text);
  const char *kept = path != NULL ? vvi_spec_text(r->spec, path, strlen(path)) : NULL;
  free(path);
  if (kept == NULL) return fail_memory(r);
  reader sub = {.ctx = r->ctx, .spec = r->spec, .source = kept, .parent = r};
  VV_TRY(read_included(&sub, node, kept));
  *base = *base == NULL ? sub.root : merge(r->spec, *base, sub.root);
  return *base != NULL ? VV_OK : fail_memory(r);
}

static void remove_child(vvi_node *map, const vvi_node *child)
{
  vvi_node **link = &map->child;
  while (*link != child) link = &(*link)->next;
  *link = child->next;
  map->count--;
  map->last = map->child;
  while (map->last != NULL && map->last->next != NULL) map->last = map->last->next;
}

/* `include` at the top of a file: what those files say holds where this one says nothing, later ones before earlier. */
static vv_status include_all(reader *r)
{
  const vvi_node *list = vvi_node_find(r->root, "include");
  vvi_node *base = NULL;
  if (list == NULL) return VV_OK;
  remove_child(r->root, list);
  if (list->type == VVI_LIST) {
    for (const vvi_node *c = list->child; c != NULL; c = c->next) VV_TRY(include_one(r, c, &base));
  } else {
    VV_TRY(include_one(r, list, &base));
  }
  if (base != NULL) r->root = merge(r->spec, base, r->root);
  return r->root != NULL ? VV_OK : fail_memory(r);
}

vv_status vv_scene_parse(vv_ctx *ctx, const char *name, const char *text, size_t length, vv_spec **out)
{
  *out = NULL;
  if (text == NULL) return vvi_fail(ctx, VV_ARG, "vv_scene_parse: no text");
  vv_spec *spec = NULL;
  VV_TRY(vv_spec_create(ctx, &spec));
  if (name != NULL) spec->source = vvi_spec_text(spec, name, strlen(name));
  reader r = {.ctx = ctx, .spec = spec, .source = spec->source != NULL ? spec->source : "scene"};
  vv_status status = parse(&r, text, length);
  if (status == VV_OK) status = include_all(&r);
  if (status == VV_OK) spec->root = r.root;
  if (status != VV_OK) {
    vv_spec_destroy(spec);
    return status;
  }
  *out = spec;
  return VV_OK;
}

/* The whole file; the size is not asked beforehand, so that pipes work too. */
static vv_status slurp(vv_ctx *ctx, const char *path, FILE *file, char **text, size_t *length)
{
  size_t room = 1 << 16, n = 0;
  char *all = malloc(room);
  while (all != NULL) {
    const size_t got = fread(all + n, 1, room - n, file);
    n += got;
    if (got == 0 || n > MAX_BYTES) break;
    if (n < room) continue;
    char *more = realloc(all, room *= 2);
    if (more == NULL) free(all);
    all = more;
  }
  if (all == NULL) return vvi_fail(ctx, VV_NOMEM, "%.160s: out of memory", path);
  *text = all;
  *length = n;
  if (ferror(file)) return vvi_fail(ctx, VV_IO, "%.160s: %s", path, strerror(errno));
  return VV_OK;
}

/* Opens a file, or a pipe into which somebody writes: one that stays silent is given up. */
static vv_status open_scene(vv_ctx *ctx, const char *path, FILE **file)
{
  enum { PATIENCE = 3000 }; /* ms */
  struct stat info;
  const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return vvi_fail(ctx, VV_IO, "%.160s: %s", path, strerror(errno));
  const bool known = fstat(fd, &info) == 0, pipe = known && S_ISFIFO(info.st_mode);
  struct pollfd wait = {.fd = fd, .events = POLLIN};
  const char *why = NULL;
  if (known && S_ISDIR(info.st_mode)) why = "is a directory, not a scene file";
  if (pipe && poll(&wait, 1, PATIENCE) <= 0) why = "is a pipe into which nobody writes; give a scene file";
  *file = why == NULL && fcntl(fd, F_SETFL, O_RDONLY) == 0 ? fdopen(fd, "rb") : NULL;
  if (*file != NULL) return VV_OK;
  if (why == NULL) why = strerror(errno);
  close(fd);
  return vvi_fail(ctx, VV_IO, "%.160s: %s", path, why);
}

vv_status vvi_scene_text(vv_ctx *ctx, const char *path, char **text, size_t *length)
{
  FILE *file = NULL;
  VV_TRY(open_scene(ctx, path, &file));
  const vv_status status = slurp(ctx, path, file, text, length);
  fclose(file);
  return status;
}

/* A prepared scene has its text in it. */
vv_status vv_scene_read(vv_ctx *ctx, const char *path, vv_spec **out)
{
  *out = NULL;
  FILE *file = NULL;
  if (path == NULL) return vvi_fail(ctx, VV_ARG, "vv_scene_read: no path");
  VV_TRY(open_scene(ctx, path, &file));
  char *text = NULL, *source = NULL;
  size_t length = 0;
  const bool prepared = vvi_prepared_is(file);
  vv_status status = prepared ? VV_OK : slurp(ctx, path, file, &text, &length);
  fclose(file);
  if (prepared) status = vvi_prepared_open(ctx, path, &text, &length, &source);
  if (status == VV_OK) status = vv_scene_parse(ctx, prepared ? source : path, text, length, out);
  free(text), free(source);
  return status;
}
