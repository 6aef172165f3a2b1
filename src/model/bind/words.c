/* model/bind/words.c  Binds keywords, texts, and names of bodies. */
#include "model/bind/inside.h"

#include <stdlib.h>
#include <string.h>

const char *vvi_bind_keep(vvi_binder *b, const char *text)
{
  const char *copy = vvi_arena_text(b->arena, text);
  if (copy == NULL) vvi_bind_no_memory(b);
  return copy;
}

bool vvi_bind_boolean(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node)
{
  const vvi_place place = vvi_bind_at_value(s, node, -1);
  const bool plain = node->type == VVI_SCALAR && !node->quoted;
  s->value->u.boolean = plain && strcmp(node->text, "true") == 0;
  if (s->value->u.boolean || (plain && strcmp(node->text, "false") == 0)) return true;
  return vvi_bind_fault(b, &place, "expected true or false, found %s", vvi_bind_found(node).c);
}

/* A file counts from the folder of the file that names it, which need not be that of the group around. */
static const char *keep_path(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node)
{
  if (node->source == NULL || strcmp(node->source, s->group->source) == 0) return vvi_bind_keep(b, node->text);
  char *path = vvi_beside(node->source, node->text), *full = path != NULL ? realpath(path, NULL) : NULL;
  const char *kept = vvi_bind_keep(b, full != NULL ? full : node->text);
  free(full);
  free(path);
  return kept;
}

bool vvi_bind_text(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node)
{
  const vvi_place place = vvi_bind_at_value(s, node, -1);
  if (node->type != VVI_SCALAR || (node->text[0] == '\0' && !node->quoted))
    return vvi_bind_fault(b, &place, "expected a text, found %s", vvi_bind_found(node).c);
  s->value->text = s->field->flags & VV_PATH ? keep_path(b, s, node) : vvi_bind_keep(b, node->text);
  return s->value->text != NULL;
}

/* Calls for each word of "a|b|c": true when `word` is one of them; else near and known are ready for the message. */
bool vvi_bind_word_among(const char *words, const char *word, vvi_nearest_word *near, vvi_word_list *known)
{
  const size_t length = strlen(word);
  for (const char *w = words; w != NULL && *w != '\0';) {
    const size_t n = strcspn(w, "|");
    if (n == length && memcmp(w, word, n) == 0) return true;
    vvi_nearest_try(near, w, n);
    vvi_list_word(known, w, n);
    w += n + (w[n] == '|');
  }
  return false;
}

bool vvi_bind_word(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node)
{
  const vvi_place place = vvi_bind_at_value(s, node, -1);
  vvi_word_list known = {"", 0};
  vvi_nearest_word near = vvi_nearest_to(node->type == VVI_SCALAR ? node->text : "");
  const bool good = vvi_bind_word_among(s->field->words, near.wrong, &near, &known);
  if (near.wrong[0] == '\0')
    return vvi_bind_fault(b, &place, "expected one of %s, found %s", known.c, vvi_bind_found(node).c);
  if (!good) return vvi_bind_fault_unknown(b, &place, "value", &near, known.c);
  s->value->text = vvi_bind_keep(b, node->text);
  return s->value->text != NULL;
}

/* ---- names of bodies ---- */

int vvi_bind_by_name(const void *left, const void *right)
{
  const vvi_node *a = *(const vvi_node *const *)left, *b = *(const vvi_node *const *)right;
  const int order = strcmp(a->key, b->key);
  if (order != 0) return order;
  if (a->key_line != b->key_line) return a->key_line < b->key_line ? -1 : 1;
  return (a->key_column > b->key_column) - (a->key_column < b->key_column);
}

static bool body_known(const vvi_binder *b, const char *name)
{
  int lo = 0, hi = b->n_body;
  while (lo < hi) {
    const int mid = lo + (hi - lo) / 2, order = strcmp(b->body[mid]->key, name);
    if (order == 0) return true;
    if (order < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return false;
}

/* NAME-3 may be a copy of a body that has some; whether it is comes out when they are made. */
static bool copy_known(const vvi_binder *b, const char *name)
{
  const char *dash = strrchr(name, '-');
  if (dash == NULL || dash[1] == '\0' || strspn(dash + 1, "0123456789") != strlen(dash + 1)) return false;
  for (int i = 0; i < b->n_body; i++) {
    const vvi_node *body = b->body[i];
    const bool same =
        strlen(body->key) == (size_t)(dash - name) && strncmp(body->key, name, (size_t)(dash - name)) == 0;
    if (same && (vvi_node_find(body, "copies") != NULL || vvi_node_find(body, "grid") != NULL)) return true;
  }
  return false;
}

static bool fault_body(vvi_binder *b, const vvi_place *place, const char *name)
{
  vvi_word_list known = {"", 0};
  vvi_nearest_word near = vvi_nearest_to(name);
  for (int i = 0; i < b->n_body; i++) {
    vvi_nearest_try(&near, b->body[i]->key, strlen(b->body[i]->key));
    vvi_list_word(&known, b->body[i]->key, strlen(b->body[i]->key));
  }
  return vvi_bind_fault_unknown(b, place, "body", &near, known.c);
}

static bool read_name(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node, int index)
{
  const vvi_place place = vvi_bind_at_value(s, node, index);
  if (node->type != VVI_SCALAR || node->text[0] == '\0')
    return vvi_bind_fault(b, &place, "expected the name of a body, found %s", vvi_bind_found(node).c);
  vvi_word_list words = {"", 0};
  vvi_nearest_word near = vvi_nearest_to(node->text);
  const bool word =
      (s->field->flags & VV_AMONG) != 0 && vvi_bind_word_among(s->field->words, node->text, &near, &words);
  const bool copy = b->bodies_known && !word && !body_known(b, node->text);
  if (copy && copy_known(b, node->text))
    b->copies_named = true;
  else if (copy)
    return fault_body(b, &place, node->text);
  for (int i = 0; i < index; i++)
    if (s->value->list.name[i] != NULL && strcmp(s->value->list.name[i], node->text) == 0)
      return vvi_bind_fault(b, &place, "body '%s' is named twice", vvi_show(node->text).c);
  s->value->list.name[index] = vvi_bind_keep(b, node->text);
  return s->value->list.name[index] != NULL;
}

/* One of the words alone, such as `all`. */
static bool bind_names_word(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node)
{
  const vvi_place place = vvi_bind_at_value(s, node, -1);
  vvi_word_list known = {"", 0};
  vvi_nearest_word near = vvi_nearest_to(node->type == VVI_SCALAR ? node->text : "");
  const bool word = node->type == VVI_SCALAR && vvi_bind_word_among(s->field->words, node->text, &near, &known);
  if (word) {
    s->value->text = vvi_bind_keep(b, node->text);
    return s->value->text != NULL;
  }
  if (near.word[0] != '\0') return vvi_bind_fault_unknown(b, &place, "value", &near, known.c);
  return vvi_bind_fault(b, &place, "expected a list of body names%s%s, found %s", known.n > 0 ? " or " : "", known.c,
                        vvi_bind_found(node).c);
}

bool vvi_bind_names(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node)
{
  const vvi_place place = vvi_bind_at_value(s, node, -1);
  if (node->type != VVI_LIST) return bind_names_word(b, s, node);
  if (node->count == 0) return vvi_bind_fault(b, &place, "the list is empty; expected names of bodies");
  s->value->list.name = VVI_ARENA_NEW(b->arena, const char *, node->count);
  if (s->value->list.name == NULL) return vvi_bind_no_memory(b);
  s->value->n = node->count;
  bool good = true;
  int i = 0;
  for (const vvi_node *c = node->child; c != NULL && !vvi_bind_full(b); c = c->next, i++)
    if (!read_name(b, s, c, i)) good = false;
  return good;
}
