/* model/bind/numbers.c  Numbers of keys, and the scene's parameters. */
#include "model/bind/inside.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_not_finite_word(const char *text)
{
  static const char *const word[] = {"nan", "inf", "infinity"};
  char low[12];
  size_t n = 0;
  while (*text == '+' || *text == '-' || *text == '.') text++;
  for (; n < sizeof low - 1 && text[n] != '\0'; n++) low[n] = (char)tolower((unsigned char)text[n]);
  low[n] = '\0';
  for (int i = 0; i < VV_COUNT(word); i++)
    if (strcmp(low, word[i]) == 0) return true;
  return false;
}

static bool is_name(const char *text)
{
  const size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-");
  return text[n] == '\0' && (text[0] < '0' || text[0] > '9') && text[0] != '-';
}

/* What stands there instead of a number; `why`: what the reader of expressions said. */
static bool fault_number(vvi_binder *b, const vvi_place *place, const vvi_node *node, const char *why)
{
  const char *text = node->type == VVI_SCALAR ? node->text : "";
  if (text[0] == '\0') return vvi_bind_fault(b, place, "expected a number, found %s", vvi_bind_found(node).c);
  if (is_not_finite_word(text)) return vvi_bind_fault(b, place, "'%s' is not a finite number", vvi_show(text).c);
  if (node->quoted && text[vvi_number_length(text)] == '\0')
    return vvi_bind_fault(b, place, "'%s' is a text; write it without quotes", vvi_show(text).c);
  if (is_name(text) && strstr(why, "did you mean") == NULL)
    return vvi_bind_fault(b, place, "expected a number, found %s", vvi_bind_found(node).c);
  return vvi_bind_fault(b, place, "'%s' is not a number: %s", vvi_show(text).c, why);
}

/* The text of a number that is not one plain number, and what it comes to. */
static vvi_shown show_number(const char *text, double x)
{
  if (text[vvi_number_length(text)] == '\0') return vvi_show(text);
  vvi_shown word = vvi_show(text), s;
  if (strlen(word.c) > VVI_SHOWN_BYTES - 14)
    snprintf(s.c, sizeof s.c, "%.*g", 15, x);
  else
    snprintf(s.c, sizeof s.c, "%.*s (%.9g)", VVI_SHOWN_BYTES - 14, word.c, x);
  return s;
}

static bool fault_range(vvi_binder *b, const vvi_place *place, const vv_field *f, const char *text)
{
  char low[64] = "", high[64] = "";
  const char *unit = f->unit != NULL && strcmp(f->unit, "1") != 0 ? f->unit : "";
  if (f->lo == f->hi) return vvi_bind_fault(b, place, "unknown value %s; only %g is known", vvi_show(text).c, f->lo);
  if (f->lo > -DBL_MAX) snprintf(low, sizeof low, "%s %g", f->flags & VV_OPEN_LO ? "greater than" : "at least", f->lo);
  if (f->hi < DBL_MAX) snprintf(high, sizeof high, "%s %g", f->flags & VV_OPEN_HI ? "less than" : "at most", f->hi);
  return vvi_bind_fault(b, place, "%s is out of range; must be %s%s%s%s%s", vvi_show(text).c, low,
                        low[0] != '\0' && high[0] != '\0' ? " and " : "", high, unit[0] != '\0' ? " " : "", unit);
}

static bool in_range(const vv_field *f, double x)
{
  if (f->lo == 0 && f->hi == 0) return true;
  return (f->flags & VV_OPEN_LO ? x > f->lo : x >= f->lo) && (f->flags & VV_OPEN_HI ? x < f->hi : x <= f->hi);
}

/* "1, Pa" stands for numbers that take turns. */
static const char *unit_of(const vv_field *f, int index, char out[32])
{
  if (f->unit == NULL || index < 0 || strchr(f->unit, ',') == NULL) return f->unit;
  int n = 1;
  for (const char *c = f->unit; *c != '\0'; c++) n += *c == ',';
  const char *at = f->unit;
  for (int k = 0; k < index % n; k++) at = strchr(at, ',') + 1;
  while (*at == ' ') at++;
  snprintf(out, 32, "%.*s", (int)strcspn(at, ","), at);
  return out;
}

/* ---- parameters ---- */

bool vvi_bind_name_twice(const vvi_node *first, const vvi_node *node)
{
  for (const vvi_node *c = first; c != node; c = c->next)
    if (strcmp(c->key, node->key) == 0) return true;
  return false;
}

static bool read_parameter(vvi_binder *b, const vv_group *root, const vvi_node *first, const vvi_node *node,
                           vvi_quantity *q)
{
  const vvi_place key = vvi_bind_at_key(root, "parameters", node);
  const vvi_place place = {root,
                           "parameters",
                           -1,
                           node->line > 0 ? node->line : node->key_line,
                           node->line > 0 ? node->column : node->key_column,
                           node->source};
  vvi_mishap mishap = {""};
  const char *bad = vvi_parameter_refuse(node->key);
  if (bad != NULL) return vvi_bind_fault(b, &key, "'%s' cannot be a parameter: %s", vvi_show(node->key).c, bad);
  if (vvi_bind_name_twice(first, node)) return vvi_bind_fault(b, &key, "'%s' is written twice", vvi_show(node->key).c);
  if (node->type != VVI_SCALAR || node->text[0] == '\0')
    return vvi_bind_fault(b, &place, "%s: expected a number, found %s", node->key, vvi_bind_found(node).c);
  if (!vvi_expression_read(&b->scope, node->text, q, &mishap))
    return vvi_bind_fault(b, &place, "%s: '%s' is not a number: %s", node->key, vvi_show(node->text).c, mishap.text);
  return true;
}

/* In the order of the file: a parameter may use those before it.  One that is wrong is known as 1, for the messages. */
bool vvi_bind_gather_parameters(vvi_binder *b, const vv_group *root, const vvi_node *top)
{
  const vvi_node *map = vvi_node_find(top, "parameters");
  if (map == NULL) return true;
  const vvi_place place = vvi_bind_at_key(root, "parameters", map);
  if (map->type != VVI_MAP)
    return vvi_bind_fault(b, &place, "expected a map of names and numbers, found %s", vvi_bind_found(map).c);
  vvi_parameter *p = VVI_ARENA_NEW(&b->scratch.arena, vvi_parameter, map->count + 1);
  if (p == NULL) return vvi_bind_no_memory(b);
  b->scope.parameter = p;
  for (const vvi_node *c = map->child; c != NULL && !vvi_bind_full(b); c = c->next) {
    vvi_quantity q = {.value = 1, .up = 1, .down = 1, .plain = true};
    read_parameter(b, root, map->child, c, &q);
    p[b->scope.n++] = (vvi_parameter){c->key, q};
  }
  return true;
}

/* ---- numbers of keys ---- */

/* index: of an item in a list of numbers, -1 for a number alone */
static bool read_number(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node, int index, double *out)
{
  const vvi_place place = vvi_bind_at_value(s, node, index);
  const char *text = node->text;
  char unit[32];
  vvi_quantity q;
  vvi_mishap mishap = {""};
  if (node->type != VVI_SCALAR || text[0] == '\0' || (node->quoted && text[vvi_number_length(text)] == '\0') ||
      !vvi_expression_read(&b->scope, text, &q, &mishap))
    return fault_number(b, &place, node, mishap.text);
  double x = 0;
  char any[VVI_UNIT_TEXT] = "";
  const bool free_unit = s->field->unit != NULL && strcmp(s->field->unit, VVI_ANY_UNIT) == 0;
  if (!(free_unit ? vvi_expression_any(&b->scope, &q, &x, any, &mishap)
                  : vvi_expression_fit(&b->scope, &q, unit_of(s->field, index, unit), &x, &mishap)))
    return vvi_bind_fault(b, &place, "'%s' does not fit: %s", vvi_show(text).c, mishap.text);
  if (free_unit && (s->value->text = vvi_arena_text(b->arena, any)) == NULL) return vvi_bind_no_memory(b);
  if (!in_range(s->field, x)) return fault_range(b, &place, s->field, show_number(text, x).c);
  *out = x;
  return true;
}

bool vvi_bind_number(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node)
{
  return read_number(b, s, node, -1, &s->value->u.number);
}

bool vvi_bind_integer(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node)
{
  const vvi_place place = vvi_bind_at_value(s, node, -1);
  double x = 0;
  if (!read_number(b, s, node, -1, &x)) return false;
  if (x != floor(x) && fabs(x - round(x)) < 1e-9 * fabs(x))
    return vvi_bind_fault(b, &place, "%s is not a whole number, but near one: write round(...)",
                          vvi_show(node->text).c);
  if (x != floor(x)) return vvi_bind_fault(b, &place, "%s is not a whole number", show_number(node->text, x).c);
  if (fabs(x) > 9007199254740992.0)
    return vvi_bind_fault(b, &place, "%s is too large for a whole number", vvi_show(node->text).c);
  s->value->u.integer = (int64_t)x;
  return true;
}

/* Lists in a list of numbers are read one behind the other: [[0, 0, 1], [1, 0, 0]] are six. */
static int count_numbers(const vvi_node *node)
{
  int n = 0;
  for (const vvi_node *c = node->child; c != NULL; c = c->next) n += c->type == VVI_LIST ? c->count : 1;
  return n;
}

bool vvi_bind_numbers(vvi_binder *b, const vvi_bind_slot *s, const vvi_node *node)
{
  const vvi_place place = vvi_bind_at_value(s, node, -1);
  const bool vector = s->field->type == VV_VECTOR;
  if (node->type != VVI_LIST)
    return vvi_bind_fault(b, &place, "expected a list of %snumbers, found %s", vector ? "three " : "",
                          vvi_bind_found(node).c);
  const int n = vector ? node->count : count_numbers(node);
  if (n == 0) return vvi_bind_fault(b, &place, "the list is empty; expected %s", vector ? "three numbers" : "numbers");
  if (vector && n != 3) return vvi_bind_fault(b, &place, "expected three numbers, found %d", n);
  double *number = VVI_ARENA_NEW(b->arena, double, n);
  if (number == NULL) return vvi_bind_no_memory(b);
  bool good = true;
  int i = 0;
  for (const vvi_node *c = node->child; c != NULL && !vvi_bind_full(b); c = c->next) {
    const bool rows = !vector && c->type == VVI_LIST;
    for (const vvi_node *k = rows ? c->child : c; k != NULL && !vvi_bind_full(b); k = rows ? k->next : NULL, i++)
      if (!read_number(b, s, k, i, &number[i])) good = false;
  }
  s->value->list.number = number;
  s->value->n = n;
  return good;
}
