/* model/bind.c  Words meet field tables: every value checked, every default filled in, every mistake reported at once.
 *
 * The binder knows no kinds, only tables.  Each binder of a type returns true when the value stands; a false return has
 * left one message, and the walk goes on to the next field so that one look at the messages shows them all. */
#include "model/bind.h"
#include "model/expression.h"
#include "model/model.h"
#include "model/spec.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FAULTS = 100, MAX_NAME = 64, SHOWN_BYTES = 48 };

typedef struct binder {
  vv_ctx *ctx;
  const char *source;
  vvi_arena *arena;      /* of the model: groups outlive the spec */
  vv_spec scratch;       /* of this call: default texts as nodes */
  const vvi_node **body; /* [n_body] sorted by name */
  int n_body;
  bool bodies_known; /* false: `bodies` itself is missing or wrong, and names cannot be judged */
  vvi_scope scope;   /* what names in expressions mean */
  struct {
    const char *spec, *model;
  } kept[64]; /* names of files: in the words, and as the model keeps them */
  int n_kept;
  const vvi_node *named[2]; /* maps of named materials and sections; NULL: none */
  bool copies_named;        /* a copy of a body was named */
  int faults;
  bool nomem;
} binder;

/* One field of a group while it is bound. */
typedef struct slot {
  vv_group *group;
  const vv_field *field;
  vvi_value *value;
} slot;

/* ---- messages ---- */

VV_PRINTF(3, 4) static bool fault(binder *b, const vvi_place *place, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  if (b->faults++ < MAX_FAULTS) vvi_complain_at(place, format, args);
  va_end(args);
  return false;
}

static bool full(const binder *b)
{
  return b->nomem || b->faults >= MAX_FAULTS;
}

static bool no_memory(binder *b)
{
  b->nomem = true;
  return false;
}

/* The place of a value; words that came from no file borrow the place of the group around them. */
static vvi_place at_value(const slot *s, const vvi_node *node, int index)
{
  const bool known = node->line > 0;
  return (vvi_place){s->group,
                     s->field->name,
                     index,
                     known ? node->line : s->group->line,
                     known ? node->column : s->group->column,
                     known ? node->source : NULL};
}

static vvi_place at_key(const vv_group *g, const char *name, const vvi_node *node)
{
  return (vvi_place){g, name, -1, node->key_line, node->key_column, node->source};
}

static vvi_place at_group(const vv_group *g)
{
  return (vvi_place){g, NULL, -1, g->line, g->column, NULL};
}

/* A short piece of text that fits into a message. */
typedef struct shown {
  char c[SHOWN_BYTES + 8];
} shown;

static shown show(const char *text)
{
  shown s = {""};
  size_t n = strlen(text);
  const bool cut = n > SHOWN_BYTES;
  if (cut) {
    n = SHOWN_BYTES;
    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) n--; /* not inside a UTF-8 sequence */
  }
  memcpy(s.c, text, n);
  strcpy(s.c + n, cut ? "..." : "");
  return s;
}

/* What stands there instead, for "expected a number, found ...". */
static shown found(const vvi_node *node)
{
  if (node->type == VVI_MAP) return show("a map");
  if (node->type == VVI_LIST) return show("a list");
  if (node->text[0] == '\0') return show(node->quoted ? "an empty text" : "nothing");
  shown word = show(node->text), s;
  snprintf(s.c, sizeof s.c, "'%.*s'", SHOWN_BYTES + 4, word.c);
  return s;
}

/* Words separated by commas. */
typedef struct word_list {
  char c[256];
  size_t n;
} word_list;

static void list_word(word_list *l, const char *word, size_t length)
{
  const char *comma = l->n > 0 ? ", " : "";
  if (l->n + length + 8 > sizeof l->c) return;
  l->n += (size_t)snprintf(l->c + l->n, sizeof l->c - l->n, "%s%.*s", comma, (int)length, word);
}

/* The known word nearest to a wrong one, if it is near enough to be a slip of the finger. */
typedef struct nearest {
  const char *wrong;
  char word[MAX_NAME + 1];
  int distance;
} nearest;

static nearest nearest_to(const char *wrong)
{
  const int n = (int)strnlen(wrong, 100);
  const int most = n < 3 ? 1 : n < 8 ? 2 : 3;
  return (nearest){.wrong = wrong, .distance = most < n ? most + 1 : n};
}

/* Words of other programs and other spellings, and what they are called here. */
static bool is_synonym(const char *wrong, const char *word)
{
  /* clang-format off */
  static const char *const table[][2] = {
      {"sphere", "ball"}, {"ball", "sphere"}, {"center", "centre"}, {"center", "position"}, {"centre", "position"},
      {"cube", "box"}, {"block", "box"},
      {"cuboid", "box"}, {"wall", "plane"}, {"floor", "plane"}, {"ground", "plane"}, {"wall", "obstacle"},
      {"floor", "obstacle"}, {"plane", "obstacle"}, {"ground", "obstacle"}, {"static", "obstacle"}, {"rod", "bar"},
      {"truss", "bar"}, {"cable", "beam"}, {"rope", "beam"}, {"frame", "beam"}, {"membrane", "shell"},
      {"plate", "shell"}, {"sheet", "shell"}, {"body", "rigid"}, {"solid", "rigid"},
      {"sphere", "rigid"}, {"ball", "rigid"}, {"box", "rigid"}, {"cube", "rigid"}, {"cylinder", "rigid"},
      {"capsule", "rigid"}, {"pill", "capsule"},
      {"rod", "capsule"}, {"pipe", "cylinder"}, {"E", "young"}, {"modulus", "young"}, {"elasticity", "young"},
      {"youngs_modulus", "young"}, {"nu", "poisson"}, {"poissons_ratio", "poisson"}, {"rho", "density"},
      {"mu", "friction"}, {"cor", "restitution"}, {"bounce", "restitution"}, {"elasticity", "restitution"},
      {"omega", "spin"}, {"angular_velocity", "spin"}, {"pos", "position"}, {"location", "position"},
      {"origin", "position"}, {"vel", "velocity"}, {"speed", "velocity"}, {"rotation", "orientation"},
      {"orientation", "rotation"}, {"dt", "step"}, {"timestep", "step"}, {"time_step", "step"}, {"duration", "end"},
      {"t_end", "end"}, {"stop", "end"}, {"output", "record"}, {"interactions", "contacts"},
      {"collision", "contacts"}, {"contact", "contacts"}, {"objects", "bodies"}, {"body", "bodies"},
      {"geometry", "shape"}, {"geometry", "mesh"}, {"cross_section", "section"}, {"profile", "section"},
      {"radii", "radius"}, {"r", "radius"}, {"L", "length"}, {"n", "elements"}, {"nodes", "elements"},
      {"count", "elements"}, {"supports", "ends"}, {"boundary", "edges"}, {"boundary", "ends"}, {"g", "gravity"},
      {"name", "title"}, {"type", "kind"}, {"solver", "method"}, {"integrator", "method"}, {"verlet", "leapfrog"},
      {"implicit", "energy-momentum"}, {"params", "parameters"}, {"variables", "parameters"}, {"import", "include"},
      {"extends", "include"}, {"height", "length"}, {"size", "length"}, {"half_space", "plane"}, {"circle", "disc"},
      {"ring", "torus"}, {"hoop", "ring"}, {"sensors", "probes"}, {"probe", "probes"}, {"monitors", "probes"},
      {"divisions", "pieces"}, {"divisions", "frequency"},
      {"divisions", "elements"}, {"segments", "elements"}, {"subdivisions", "level"}, {"refinement", "level"},
      {"movement", "motion"}, {"prescribed", "motion"}, {"drive", "drives"},
      {"pinned", "supported"}, {"hinged", "supported"}, {"simply_supported", "supported"}, {"fixed", "clamped"},
      {"hinged", "pinned"}, {"supported", "pinned"},
  };
  /* clang-format on */
  for (int i = 0; i < VV_COUNT(table); i++)
    if (strcmp(table[i][0], wrong) == 0 && strcmp(table[i][1], word) == 0) return true;
  return false;
}

/* True when this candidate is the best so far. */
static bool nearest_try(nearest *s, const char *word, size_t length)
{
  char copy[MAX_NAME + 1];
  if (length > MAX_NAME) return false;
  memcpy(copy, word, length);
  copy[length] = '\0';
  const int distance = is_synonym(s->wrong, copy) ? 0 : vvi_text_distance(s->wrong, copy);
  if (distance >= s->distance) return false;
  s->distance = distance;
  strcpy(s->word, copy);
  return true;
}

/* "unknown key 'yung'; did you mean 'young'?", or the list of what is known when nothing is near. */
static bool fault_unknown(binder *b, const vvi_place *place, const char *what, const nearest *s, const char *known)
{
  if (s->word[0] != '\0')
    return fault(b, place, "unknown %s '%s'; did you mean '%s'?", what, show(s->wrong).c, s->word);
  return fault(b, place, "unknown %s '%s'; known: %s", what, show(s->wrong).c, known);
}

/* ---- numbers ---- */

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
static bool fault_number(binder *b, const vvi_place *place, const vvi_node *node, const char *why)
{
  const char *text = node->type == VVI_SCALAR ? node->text : "";
  if (text[0] == '\0') return fault(b, place, "expected a number, found %s", found(node).c);
  if (is_not_finite_word(text)) return fault(b, place, "'%s' is not a finite number", show(text).c);
  if (node->quoted && text[vvi_number_length(text)] == '\0')
    return fault(b, place, "'%s' is a text; write it without quotes", show(text).c);
  if (is_name(text) && strstr(why, "did you mean") == NULL)
    return fault(b, place, "expected a number, found %s", found(node).c);
  return fault(b, place, "'%s' is not a number: %s", show(text).c, why);
}

/* The text of a number that is not one plain number, and what it comes to. */
static shown show_number(const char *text, double x)
{
  if (text[vvi_number_length(text)] == '\0') return show(text);
  shown word = show(text), s;
  if (strlen(word.c) > SHOWN_BYTES - 14)
    snprintf(s.c, sizeof s.c, "%.*g", 15, x);
  else
    snprintf(s.c, sizeof s.c, "%.*s (%.9g)", SHOWN_BYTES - 14, word.c, x);
  return s;
}

static bool fault_range(binder *b, const vvi_place *place, const vv_field *f, const char *text)
{
  char low[64] = "", high[64] = "";
  const char *unit = f->unit != NULL && strcmp(f->unit, "1") != 0 ? f->unit : "";
  if (f->lo == f->hi) return fault(b, place, "unknown value %s; only %g is known", show(text).c, f->lo);
  if (f->lo > -DBL_MAX) snprintf(low, sizeof low, "%s %g", f->flags & VV_OPEN_LO ? "greater than" : "at least", f->lo);
  if (f->hi < DBL_MAX) snprintf(high, sizeof high, "%s %g", f->flags & VV_OPEN_HI ? "less than" : "at most", f->hi);
  return fault(b, place, "%s is out of range; must be %s%s%s%s%s", show(text).c, low,
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

static bool name_twice(const vvi_node *first, const vvi_node *node)
{
  for (const vvi_node *c = first; c != node; c = c->next)
    if (strcmp(c->key, node->key) == 0) return true;
  return false;
}

static bool read_parameter(binder *b, const vv_group *root, const vvi_node *first, const vvi_node *node,
                           vvi_quantity *q)
{
  const vvi_place key = at_key(root, "parameters", node);
  const vvi_place place = {root,
                           "parameters",
                           -1,
                           node->line > 0 ? node->line : node->key_line,
                           node->line > 0 ? node->column : node->key_column,
                           node->source};
  vvi_mishap mishap = {""};
  const char *bad = vvi_parameter_refuse(node->key);
  if (bad != NULL) return fault(b, &key, "'%s' cannot be a parameter: %s", show(node->key).c, bad);
  if (name_twice(first, node)) return fault(b, &key, "'%s' is written twice", show(node->key).c);
  if (node->type != VVI_SCALAR || node->text[0] == '\0')
    return fault(b, &place, "%s: expected a number, found %s", node->key, found(node).c);
  if (!vvi_expression_read(&b->scope, node->text, q, &mishap))
    return fault(b, &place, "%s: '%s' is not a number: %s", node->key, show(node->text).c, mishap.text);
  return true;
}

/* In the order of the file: a parameter may use those before it.  One that is wrong is known as 1, for the messages. */
static bool gather_parameters(binder *b, const vv_group *root, const vvi_node *top)
{
  const vvi_node *map = vvi_node_find(top, "parameters");
  if (map == NULL) return true;
  const vvi_place place = at_key(root, "parameters", map);
  if (map->type != VVI_MAP) return fault(b, &place, "expected a map of names and numbers, found %s", found(map).c);
  vvi_parameter *p = VVI_ARENA_NEW(&b->scratch.arena, vvi_parameter, map->count + 1);
  if (p == NULL) return no_memory(b);
  b->scope.parameter = p;
  for (const vvi_node *c = map->child; c != NULL && !full(b); c = c->next) {
    vvi_quantity q = {.value = 1, .up = 1, .down = 1, .plain = true};
    read_parameter(b, root, map->child, c, &q);
    p[b->scope.n++] = (vvi_parameter){c->key, q};
  }
  return true;
}

/* ---- numbers of keys ---- */

/* index: of an item in a list of numbers, -1 for a number alone */
static bool read_number(binder *b, const slot *s, const vvi_node *node, int index, double *out)
{
  const vvi_place place = at_value(s, node, index);
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
    return fault(b, &place, "'%s' does not fit: %s", show(text).c, mishap.text);
  if (free_unit && (s->value->text = vvi_arena_text(b->arena, any)) == NULL) return no_memory(b);
  if (!in_range(s->field, x)) return fault_range(b, &place, s->field, show_number(text, x).c);
  *out = x;
  return true;
}

static bool bind_number(binder *b, const slot *s, const vvi_node *node)
{
  return read_number(b, s, node, -1, &s->value->u.number);
}

static bool bind_integer(binder *b, const slot *s, const vvi_node *node)
{
  const vvi_place place = at_value(s, node, -1);
  double x = 0;
  if (!read_number(b, s, node, -1, &x)) return false;
  if (x != floor(x) && fabs(x - round(x)) < 1e-9 * fabs(x))
    return fault(b, &place, "%s is not a whole number, but near one: write round(...)", show(node->text).c);
  if (x != floor(x)) return fault(b, &place, "%s is not a whole number", show_number(node->text, x).c);
  if (fabs(x) > 9007199254740992.0) return fault(b, &place, "%s is too large for a whole number", show(node->text).c);
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

static bool bind_numbers(binder *b, const slot *s, const vvi_node *node)
{
  const vvi_place place = at_value(s, node, -1);
  const bool vector = s->field->type == VV_VECTOR;
  if (node->type != VVI_LIST)
    return fault(b, &place, "expected a list of %snumbers, found %s", vector ? "three " : "", found(node).c);
  const int n = vector ? node->count : count_numbers(node);
  if (n == 0) return fault(b, &place, "the list is empty; expected %s", vector ? "three numbers" : "numbers");
  if (vector && n != 3) return fault(b, &place, "expected three numbers, found %d", n);
  double *number = VVI_ARENA_NEW(b->arena, double, n);
  if (number == NULL) return no_memory(b);
  bool good = true;
  int i = 0;
  for (const vvi_node *c = node->child; c != NULL && !full(b); c = c->next) {
    const bool rows = !vector && c->type == VVI_LIST;
    for (const vvi_node *k = rows ? c->child : c; k != NULL && !full(b); k = rows ? k->next : NULL, i++)
      if (!read_number(b, s, k, i, &number[i])) good = false;
  }
  s->value->list.number = number;
  s->value->n = n;
  return good;
}

/* ---- words ---- */

static const char *keep(binder *b, const char *text)
{
  const char *copy = vvi_arena_text(b->arena, text);
  if (copy == NULL) no_memory(b);
  return copy;
}

static bool bind_boolean(binder *b, const slot *s, const vvi_node *node)
{
  const vvi_place place = at_value(s, node, -1);
  const bool plain = node->type == VVI_SCALAR && !node->quoted;
  s->value->u.boolean = plain && strcmp(node->text, "true") == 0;
  if (s->value->u.boolean || (plain && strcmp(node->text, "false") == 0)) return true;
  return fault(b, &place, "expected true or false, found %s", found(node).c);
}

/* A file counts from the folder of the file that names it, which need not be that of the group around. */
static const char *keep_path(binder *b, const slot *s, const vvi_node *node)
{
  if (node->source == NULL || strcmp(node->source, s->group->source) == 0) return keep(b, node->text);
  char *path = vvi_beside(node->source, node->text), *full = path != NULL ? realpath(path, NULL) : NULL;
  const char *kept = keep(b, full != NULL ? full : node->text);
  free(full);
  free(path);
  return kept;
}

static bool bind_text(binder *b, const slot *s, const vvi_node *node)
{
  const vvi_place place = at_value(s, node, -1);
  if (node->type != VVI_SCALAR || (node->text[0] == '\0' && !node->quoted))
    return fault(b, &place, "expected a text, found %s", found(node).c);
  s->value->text = s->field->flags & VV_PATH ? keep_path(b, s, node) : keep(b, node->text);
  return s->value->text != NULL;
}

/* Calls for each word of "a|b|c": true when `word` is one of them; else near and known are ready for the message. */
static bool word_among(const char *words, const char *word, nearest *near, word_list *known)
{
  const size_t length = strlen(word);
  for (const char *w = words; w != NULL && *w != '\0';) {
    const size_t n = strcspn(w, "|");
    if (n == length && memcmp(w, word, n) == 0) return true;
    nearest_try(near, w, n);
    list_word(known, w, n);
    w += n + (w[n] == '|');
  }
  return false;
}

static bool bind_word(binder *b, const slot *s, const vvi_node *node)
{
  const vvi_place place = at_value(s, node, -1);
  word_list known = {"", 0};
  nearest near = nearest_to(node->type == VVI_SCALAR ? node->text : "");
  const bool good = word_among(s->field->words, near.wrong, &near, &known);
  if (near.wrong[0] == '\0') return fault(b, &place, "expected one of %s, found %s", known.c, found(node).c);
  if (!good) return fault_unknown(b, &place, "value", &near, known.c);
  s->value->text = keep(b, node->text);
  return s->value->text != NULL;
}

/* ---- names of bodies ---- */

static int by_name(const void *left, const void *right)
{
  const vvi_node *a = *(const vvi_node *const *)left, *b = *(const vvi_node *const *)right;
  const int order = strcmp(a->key, b->key);
  if (order != 0) return order;
  if (a->key_line != b->key_line) return a->key_line < b->key_line ? -1 : 1;
  return (a->key_column > b->key_column) - (a->key_column < b->key_column);
}

static bool body_known(const binder *b, const char *name)
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
static bool copy_known(const binder *b, const char *name)
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

static bool fault_body(binder *b, const vvi_place *place, const char *name)
{
  word_list known = {"", 0};
  nearest near = nearest_to(name);
  for (int i = 0; i < b->n_body; i++) {
    nearest_try(&near, b->body[i]->key, strlen(b->body[i]->key));
    list_word(&known, b->body[i]->key, strlen(b->body[i]->key));
  }
  return fault_unknown(b, place, "body", &near, known.c);
}

static bool read_name(binder *b, const slot *s, const vvi_node *node, int index)
{
  const vvi_place place = at_value(s, node, index);
  if (node->type != VVI_SCALAR || node->text[0] == '\0')
    return fault(b, &place, "expected the name of a body, found %s", found(node).c);
  word_list words = {"", 0};
  nearest near = nearest_to(node->text);
  const bool word = (s->field->flags & VV_AMONG) != 0 && word_among(s->field->words, node->text, &near, &words);
  const bool copy = b->bodies_known && !word && !body_known(b, node->text);
  if (copy && copy_known(b, node->text))
    b->copies_named = true;
  else if (copy)
    return fault_body(b, &place, node->text);
  for (int i = 0; i < index; i++)
    if (s->value->list.name[i] != NULL && strcmp(s->value->list.name[i], node->text) == 0)
      return fault(b, &place, "body '%s' is named twice", show(node->text).c);
  s->value->list.name[index] = keep(b, node->text);
  return s->value->list.name[index] != NULL;
}

/* One of the words alone, such as `all`. */
static bool bind_names_word(binder *b, const slot *s, const vvi_node *node)
{
  const vvi_place place = at_value(s, node, -1);
  word_list known = {"", 0};
  nearest near = nearest_to(node->type == VVI_SCALAR ? node->text : "");
  const bool word = node->type == VVI_SCALAR && word_among(s->field->words, node->text, &near, &known);
  if (word) {
    s->value->text = keep(b, node->text);
    return s->value->text != NULL;
  }
  if (near.word[0] != '\0') return fault_unknown(b, &place, "value", &near, known.c);
  return fault(b, &place, "expected a list of body names%s%s, found %s", known.n > 0 ? " or " : "", known.c,
               found(node).c);
}

static bool bind_names(binder *b, const slot *s, const vvi_node *node)
{
  const vvi_place place = at_value(s, node, -1);
  if (node->type != VVI_LIST) return bind_names_word(b, s, node);
  if (node->count == 0) return fault(b, &place, "the list is empty; expected names of bodies");
  s->value->list.name = VVI_ARENA_NEW(b->arena, const char *, node->count);
  if (s->value->list.name == NULL) return no_memory(b);
  s->value->n = node->count;
  bool good = true;
  int i = 0;
  for (const vvi_node *c = node->child; c != NULL && !full(b); c = c->next, i++)
    if (!read_name(b, s, c, i)) good = false;
  return good;
}

/* ---- groups ---- */

/* The name of a file as the model keeps it: once for each file. */
static const char *keep_source(binder *b, const char *source)
{
  for (int i = 0; i < b->n_kept; i++)
    if (b->kept[i].spec == source) return b->kept[i].model;
  const char *model = keep(b, source);
  if (model == NULL || b->n_kept == VV_COUNT(b->kept)) return model != NULL ? model : "";
  b->kept[b->n_kept].spec = source;
  return b->kept[b->n_kept++].model = model;
}

/* NULL when out of memory, which the binder then knows. */
static vv_group *new_group(binder *b, const slot *s, const vv_schema *schema, const vvi_node *node)
{
  vv_group *g = VVI_ARENA_NEW(b->arena, vv_group, 1);
  if (g == NULL || schema == NULL) {
    no_memory(b);
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
  if (g->value == NULL) no_memory(b);
  return g->value == NULL ? NULL : g;
}

static void fault_missing(binder *b, const vv_group *g, const vv_field *f)
{
  const vvi_place place = at_group(g);
  const bool unit = f->unit != NULL && strcmp(f->unit, "1") != 0;
  word_list known = {"", 0};
  if (f->type == VV_CHOICE)
    for (int i = 0; i < f->sub->n; i++) list_word(&known, f->sub->field[i].name, strlen(f->sub->field[i].name));
  if (known.n > 0)
    fault(b, &place, "'%s' is missing: one of %s", f->name, known.c);
  else
    fault(b, &place, "'%s' is missing: %s%s%s", f->name, vvi_type_text(f->type), unit ? " in " : "",
          unit ? f->unit : "");
}

static bool bind_value(binder *b, const slot *s, const vvi_node *node);

/* `material: steel`: the map of that name under `materials`; the same for sections.  Others are left as they are. */
static const vvi_node *named_value(binder *b, const slot *s, const vvi_node *node)
{
  const vv_field *f = s->field;
  const int table = strcmp(f->name, "material") == 0 ? 0 : strcmp(f->name, "section") == 0 ? 1 : -1;
  if (table < 0 || f->sub == NULL || node->type != VVI_SCALAR) return node;
  if (b->named[table] == NULL && f->type != VV_GROUP) return node; /* a choice may be one word */
  if (b->named[table] == NULL) {
    const vvi_place at = at_value(s, node, -1);
    fault(b, &at, "'%s' is a name, and the scene has no '%ss'; write a map, or `%ss: {%s: {...}}`", show(node->text).c,
          f->name, f->name, show(node->text).c);
    return NULL;
  }
  const vvi_node *map = vvi_node_find(b->named[table], node->text);
  if (map != NULL) return map;
  const vvi_place place = at_value(s, node, -1);
  word_list known = {"", 0};
  nearest near = nearest_to(node->text);
  for (const vvi_node *c = b->named[table]->child; c != NULL; c = c->next) {
    nearest_try(&near, c->key, strlen(c->key));
    list_word(&known, c->key, strlen(c->key));
  }
  fault_unknown(b, &place, f->name, &near, known.c);
  return NULL;
}

/* A key of a named material or section that this kind of body does not know, but another one does. */
static bool known_elsewhere(const binder *b, const vv_group *g, const vvi_node *map, const char *key)
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
static void bind_field(binder *b, vv_group *g, int i, const vvi_node *node, bool excused)
{
  const vv_field *f = &g->schema->field[i];
  const slot s = {g, f, &g->value[i]};
  s.value->given = node != NULL && g->given;
  if (f->type == VV_LATER) {
    if (node != NULL && strcmp(f->name, "include") == 0) {
      const vvi_place place = at_key(g, NULL, node);
      fault(b, &place, "'include' stands once, in a scene file");
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
    if (node == NULL) no_memory(b);
    if (node == NULL) return;
  }
  s.value->has = bind_value(b, &s, node);
}

/* The word written for each field of the schema. */
typedef struct seat {
  const vvi_node *node;
  bool excused; /* an unknown key was taken for a slip in this one: one message is enough */
} seat;

/* Kinds of bodies that know a key. */
static word_list kinds_with(const binder *b, const char *key)
{
  word_list kinds = {"", 0};
  for (const vv_body_kind *const *k = vvi_body_kinds(b->ctx); *k != NULL; k++)
    if (vvi_field_find((*k)->schema, key) >= 0) list_word(&kinds, (*k)->name, strlen((*k)->name));
  return kinds;
}

/* A word that one of the choices here knows: `ring: {...}` where `shape: {ring: {...}}` is meant.  -1: none. */
static int choice_with(const vv_schema *schema, const char *word)
{
  for (int i = 0; i < schema->n; i++)
    if (schema->field[i].type == VV_CHOICE && vvi_field_find(schema->field[i].sub, word) >= 0) return i;
  return -1;
}

static void fault_unknown_key(binder *b, const vv_group *g, const vvi_node *child, seat *seats)
{
  const vvi_place place = at_key(g, NULL, child);
  word_list known = {"", 0};
  nearest near = nearest_to(child->key);
  int best = -1;
  for (int i = 0; i < g->schema->n; i++) {
    const char *name = g->schema->field[i].name;
    if (nearest_try(&near, name, strlen(name))) best = i;
    list_word(&known, name, strlen(name));
  }
  const int choice = choice_with(g->schema, child->key);
  if (choice >= 0) best = choice;
  if (best >= 0) seats[best].excused = true;
  const word_list others = g->kind != NULL && near.word[0] == '\0' ? kinds_with(b, child->key) : (word_list){"", 0};
  const bool pair = strcmp(child->key, "friction") == 0 || strcmp(child->key, "restitution") == 0;
  if (choice >= 0)
    fault(b, &place, "unknown key '%s'; did you mean `%s: {%s: ...}`?", child->key, g->schema->field[choice].name,
          child->key);
  else if (g->kind != NULL && pair)
    fault(b, &place, "'%s' belongs to two bodies: write `contacts: [{between: [%s, OTHER], %s: ...}]`", child->key,
          g->name, child->key);
  else if (others.n > 0 && strcmp(g->kind, "obstacle") == 0 && strcmp(child->key, "motion") == 0)
    fault(b, &place,
          "an obstacle does not move; write 'kind: rigid' with this motion and a 'mass' well above that of what "
          "hits it, and shape: {plate: {normal: ..., width: ...}} for a piece of a plane");
  else if (others.n > 0)
    fault(b, &place, "'%s' is a key of %s, not of %s; known: %s", show(child->key).c, others.c, g->kind, known.c);
  else
    fault_unknown(b, &place, "key", &near, known.n > 0 ? known.c : "none");
}

static void fault_twice(binder *b, const vv_group *g, const vvi_node *child, const vvi_node *first)
{
  const vvi_place place = at_key(g, NULL, child);
  fault(b, &place, "'%s' is written twice, first in line %d", show(child->key).c, first->key_line);
}

/* Finds the field of every key: unknown and doubled keys are faults. */
static void take_seats(binder *b, const vv_group *g, const vvi_node *map, seat *seats)
{
  const vvi_node *kind = g->kind != NULL ? vvi_node_find(map, "kind") : NULL;
  for (const vvi_node *c = map->child; c != NULL && !full(b); c = c->next) {
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
static bool bind_map(binder *b, vv_group *g, const vvi_node *map)
{
  const int before = b->faults;
  seat *seats = VVI_ARENA_NEW(&b->scratch.arena, seat, g->schema->n);
  if (seats == NULL) return no_memory(b);
  take_seats(b, g, map, seats);
  for (int i = 0; i < g->schema->n && !full(b); i++) bind_field(b, g, i, seats[i].node, seats[i].excused);
  return b->faults == before && !b->nomem;
}

static bool bind_group(binder *b, const slot *s, const vvi_node *node)
{
  const vvi_place place = at_value(s, node, -1);
  if (node->type != VVI_MAP) return fault(b, &place, "expected a map, found %s", found(node).c);
  s->value->sub = new_group(b, s, s->field->sub, node);
  return s->value->sub != NULL && bind_map(b, s->value->sub, node);
}

static bool bind_either(binder *b, const slot *s, const vvi_node *node)
{
  const vvi_place place = at_value(s, node, -1);
  if (node->type == VVI_LIST) return fault(b, &place, "expected a number or a map, found a list");
  return node->type == VVI_MAP ? bind_group(b, s, node) : bind_number(b, s, node);
}

static bool bind_item(binder *b, const slot *s, const vvi_node *node, int index)
{
  const vvi_place place = at_value(s, node, index);
  if (node->type != VVI_MAP) return fault(b, &place, "expected a map, found %s", found(node).c);
  vv_group *item = new_group(b, s, s->field->sub, node);
  if (item == NULL) return false;
  item->index = index;
  s->value->list.item[index] = item;
  return bind_map(b, item, node);
}

/* "expected a list of maps, [{hold: ...}], found ...", with the key that each of them needs; a value of that key is put in its
 * place: `edges: pinned` is `edges: [{hold: supported}]`. */
static bool fault_list(binder *b, const slot *s, const vvi_node *node)
{
  const vvi_place place = at_value(s, node, -1);
  const vv_schema *sub = s->field->sub;
  int key = 0;
  while (key + 1 < sub->n && !(sub->field[key].flags & VV_REQUIRED)) key++;
  const vv_field *f = &sub->field[sub->field[key].flags & VV_REQUIRED ? key : 0];
  word_list known = {"", 0};
  nearest near = nearest_to(node->type == VVI_SCALAR && f->type == VV_WORD ? node->text : "");
  const char *value = word_among(f->words, near.wrong, &near, &known) ? near.wrong : near.word;
  return fault(b, &place, "expected a list of maps, [{%s: %s}], found %s", f->name, value[0] != '\0' ? value : "...",
               found(node).c);
}

static bool bind_list(binder *b, const slot *s, const vvi_node *node)
{
  const vvi_place place = at_value(s, node, -1);
  if (node->type != VVI_LIST) return fault_list(b, s, node);
  if (node->count == 0 && s->field->deflt == NULL) /* else it says: none of what would be there by default */
    return fault(b, &place, "the list is empty; write its maps or leave the key out");
  s->value->list.item = VVI_ARENA_NEW(b->arena, vv_group *, node->count);
  if (s->value->list.item == NULL) return no_memory(b);
  s->value->n = node->count;
  bool good = true;
  int i = 0;
  for (const vvi_node *c = node->child; c != NULL && !full(b); c = c->next, i++)
    if (!bind_item(b, s, c, i)) good = false;
  return good;
}

/* ---- choices ---- */

static word_list schema_words(const vv_schema *schema)
{
  word_list l = {"", 0};
  for (int i = 0; i < schema->n; i++) list_word(&l, schema->field[i].name, strlen(schema->field[i].name));
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
static const vvi_node *choose_bare(binder *b, const slot *s, const vvi_node *node, int *chosen)
{
  const vvi_place place = at_value(s, node, -1);
  const vv_schema *sub = s->field->sub;
  const int i = vvi_field_find(sub, node->text);
  if (i < 0) {
    nearest near = nearest_to(node->text);
    for (int k = 0; k < sub->n; k++) nearest_try(&near, sub->field[k].name, strlen(sub->field[k].name));
    fault_unknown(b, &place, "value", &near, schema_words(sub).c);
    return NULL;
  }
  const vv_field *f = &sub->field[i];
  if (!stands_alone(f)) {
    fault(b, &place, "'%s' needs a value: write {%s: ...}", f->name, f->name);
    return NULL;
  }
  *chosen = i;
  vvi_node *value = f->deflt != NULL ? vvi_node_flow(&b->scratch, f->deflt) : vvi_node_new(&b->scratch, VVI_MAP);
  if (value == NULL) {
    no_memory(b);
    return NULL;
  }
  value->line = node->line;
  value->column = node->column;
  return value;
}

/* The choice written as {word: value}. */
static const vvi_node *choose_map(binder *b, const slot *s, const vvi_node *node, vv_group *g, int *chosen)
{
  const vvi_place place = at_value(s, node, -1);
  const int before = b->faults, n = g->schema->n;
  seat *seats = VVI_ARENA_NEW(&b->scratch.arena, seat, n);
  if (seats == NULL) {
    no_memory(b);
    return NULL;
  }
  take_seats(b, g, node, seats);
  if (b->faults > before) return NULL;
  if (node->count != 1) {
    fault(b, &place, "choose exactly one of %s; found %d", schema_words(g->schema).c, node->count);
    return NULL;
  }
  *chosen = vvi_field_find(g->schema, node->child->key);
  return node->child;
}

static bool bind_choice(binder *b, const slot *s, const vvi_node *node)
{
  const vvi_place place = at_value(s, node, -1);
  if (node->type == VVI_LIST || (node->type == VVI_SCALAR && node->text[0] == '\0'))
    return fault(b, &place, "choose one of %s; found %s", schema_words(s->field->sub).c, found(node).c);
  vv_group *g = new_group(b, s, s->field->sub, node);
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

/* ---- bodies ---- */

const vv_body_kind *const *vvi_body_kinds(const vv_ctx *ctx)
{
  const vv_catalog *catalog = vvi_ctx_catalog(ctx);
  return (catalog != NULL ? catalog : vv_catalog_default())->body;
}

static bool check_name(binder *b, const vv_group *g, const vvi_node *node)
{
  static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  const size_t n = strlen(node->key);
  const vvi_place place = at_key(g, "bodies", node);
  if (n == 0) return fault(b, &place, "the name of a body is empty");
  if (n > MAX_NAME) return fault(b, &place, "the name '%s' is longer than %d letters", show(node->key).c, MAX_NAME);
  if (strspn(node->key, good) != n || node->key[0] == '-')
    return fault(b, &place, "the name '%s' may only have letters, digits, _ and -, and not begin with -",
                 show(node->key).c);
  if (strcmp(node->key, "all") == 0)
    return fault(b, &place, "'all' means every body in 'between'; give this one another name");
  return true;
}

/* No `kind`: perhaps it was misspelt. */
static bool fault_no_kind(binder *b, const vv_group *g, const vvi_node *map, const char *known)
{
  for (const vvi_node *c = map->child; c != NULL; c = c->next) {
    const vvi_place place = at_key(g, NULL, c);
    if (vvi_text_distance(c->key, "kind") == 1)
      return fault(b, &place, "unknown key '%s'; did you mean 'kind'?", show(c->key).c);
  }
  const vvi_place place = at_group(g);
  const bool set = map->line == 0; /* made by a path: --set bodies.bal.density=3 */
  return fault(b, &place, "'kind' is missing: one of %s%s", known, set ? "; the file has no body of this name" : "");
}

static const vv_body_kind *find_kind(binder *b, const vv_group *g, const vvi_node *map)
{
  const vvi_node *kind = vvi_node_find(map, "kind");
  word_list known = {"", 0};
  nearest near = nearest_to(kind != NULL && kind->type == VVI_SCALAR ? kind->text : "");
  for (const vv_body_kind *const *k = vvi_body_kinds(b->ctx); *k != NULL; k++) {
    if (strcmp((*k)->name, near.wrong) == 0) return *k;
    nearest_try(&near, (*k)->name, strlen((*k)->name));
    list_word(&known, (*k)->name, strlen((*k)->name));
  }
  if (kind == NULL) {
    fault_no_kind(b, g, map, known.c);
    return NULL;
  }
  const bool written = kind->line > 0;
  const vvi_place place = {g,           "kind", -1, written ? kind->line : g->line, written ? kind->column : g->column,
                           kind->source};
  if (near.wrong[0] == '\0')
    fault(b, &place, "expected one of %s, found %s", known.c, found(kind).c);
  else
    fault_unknown(b, &place, "kind", &near, known.c);
  return NULL;
}

static bool bind_body(binder *b, const slot *s, const vvi_node *node, int index)
{
  static const vv_schema nothing = {.name = "body"};
  const bool named = check_name(b, s->group, node);
  vv_group *g = new_group(b, s, &nothing, node);
  if (g == NULL) return false;
  g->index = index;
  g->name = keep(b, node->key);
  s->value->list.item[index] = g;
  if (g->name == NULL) return false;
  const bool written = node->line > 0;
  const vvi_place place = {g,           NULL, -1, written ? node->line : g->line, written ? node->column : g->column,
                           node->source};
  if (node->type != VVI_MAP) return fault(b, &place, "expected a map with the keys of a body, found %s", found(node).c);
  const vv_body_kind *kind = find_kind(b, g, node);
  if (kind == NULL) return false;
  g->kind = kind->name;
  g->schema = kind->schema;
  g->value = VVI_ARENA_NEW(b->arena, vvi_value, kind->schema->n);
  if (g->value == NULL) return no_memory(b);
  return bind_map(b, g, node) && named;
}

/* Bodies of the same name stand side by side in the sorted list. */
static bool check_twice(binder *b, const slot *s)
{
  const int before = b->faults;
  for (int i = 1; i < b->n_body && !full(b); i++) {
    const vvi_node *last = b->body[i - 1], *node = b->body[i];
    const vvi_place place = at_key(s->group, s->field->name, node);
    if (strcmp(last->key, node->key) == 0)
      fault(b, &place, "body '%s' is written twice, first in line %d", show(node->key).c, last->key_line);
  }
  return b->faults == before;
}

static bool bind_bodies(binder *b, const slot *s, const vvi_node *node)
{
  const vvi_place place = at_value(s, node, -1);
  if (node->type != VVI_MAP) return fault(b, &place, "expected a map of bodies, found %s", found(node).c);
  if (node->count == 0) return fault(b, &place, "a scene needs at least one body");
  s->value->list.item = VVI_ARENA_NEW(b->arena, vv_group *, node->count);
  if (s->value->list.item == NULL) return no_memory(b);
  s->value->n = node->count;
  bool good = check_twice(b, s);
  int i = 0;
  for (const vvi_node *c = node->child; c != NULL && !full(b); c = c->next, i++)
    if (!bind_body(b, s, c, i)) good = false;
  return good;
}

/* ---- all types, and the whole scene ---- */

static bool bind_value(binder *b, const slot *s, const vvi_node *node)
{
  static bool (*const bind_as[])(binder *, const slot *, const vvi_node *) = {
      [VV_NUMBER] = bind_number, [VV_INTEGER] = bind_integer, [VV_BOOLEAN] = bind_boolean, [VV_TEXT] = bind_text,
      [VV_WORD] = bind_word,     [VV_VECTOR] = bind_numbers,  [VV_NUMBERS] = bind_numbers, [VV_NAMES] = bind_names,
      [VV_GROUP] = bind_group,   [VV_LIST] = bind_list,       [VV_CHOICE] = bind_choice,   [VV_EITHER] = bind_either,
      [VV_BODIES] = bind_bodies,
  };
  return bind_as[s->field->type](b, s, node);
}

/* All names first, so that a body may name one that is written after it. */
static bool gather_bodies(binder *b, const vvi_node *root)
{
  const vvi_node *bodies = vvi_node_find(root, "bodies");
  if (bodies == NULL || bodies->type != VVI_MAP || bodies->count == 0) return true;
  b->body = VVI_ARENA_NEW(&b->scratch.arena, const vvi_node *, bodies->count);
  if (b->body == NULL) return no_memory(b);
  for (const vvi_node *c = bodies->child; c != NULL; c = c->next) b->body[b->n_body++] = c;
  qsort(b->body, (size_t)b->n_body, sizeof *b->body, by_name);
  b->bodies_known = true;
  return true;
}

/* The units of the scene come first: they say what `3 mm` is. */
static void gather_units(binder *b, const vvi_node *root)
{
  static const char *const name[] = {"length", "mass", "time"}, *const si[] = {"m", "kg", "s"};
  const vvi_node *units = vvi_node_find(root, "units");
  for (int k = 0; k < 3; k++) {
    const vvi_node *unit = units != NULL ? vvi_node_find(units, name[k]) : NULL;
    b->scope.unit[k] = unit == NULL ? si[k] : unit->type == VVI_SCALAR ? unit->text : "";
  }
}

static void gather_named(binder *b, const vv_group *g, const vvi_node *root)
{
  static const char *const name[] = {"materials", "sections"};
  for (int t = 0; t < VV_COUNT(name); t++) {
    const vvi_node *map = vvi_node_find(root, name[t]);
    if (map == NULL) continue;
    const vvi_place place = at_key(g, name[t], map);
    if (map->type != VVI_MAP) {
      fault(b, &place, "expected a map of names, found %s", found(map).c);
      continue;
    }
    b->named[t] = map;
    for (const vvi_node *c = map->child; c != NULL; c = c->next) {
      const vvi_place at = at_key(g, name[t], c);
      if (c->type != VVI_MAP) fault(b, &at, "%s: expected a map, found %s", show(c->key).c, found(c).c);
      if (name_twice(map->child, c)) fault(b, &at, "'%s' is written twice", show(c->key).c);
    }
  }
}

static vv_group *bind_scene(binder *b, const vvi_node *root)
{
  vvi_value all = {.given = true};
  const slot top = {.group = NULL, .field = NULL, .value = &all};
  vv_group *g = new_group(b, &top, &vvi_scene_schema, root);
  gather_units(b, root);
  if (g != NULL) gather_parameters(b, g, root);
  if (g != NULL) gather_named(b, g, root);
  if (g != NULL && gather_bodies(b, root)) bind_map(b, g, root);
  return g;
}

vv_status vvi_bind(vv_ctx *ctx, const vv_spec *spec, vvi_arena *arena, const vv_group **root)
{
  *root = NULL;
  binder b = {.ctx = ctx, .arena = arena, .scratch = {.ctx = ctx}};
  vvi_locale locale = vvi_locale_enter();
  b.source = keep(&b, vvi_spec_source(spec));
  vv_group *g = b.source != NULL ? bind_scene(&b, spec->root) : NULL;
  vvi_locale_leave(&locale);
  vvi_arena_free(&b.scratch.arena);
  if (b.nomem) return vvi_fail(ctx, VV_NOMEM, "out of memory");
  if (b.faults > 0) return VV_SCENE;
  VV_TRY(vvi_copies_expand(arena, g, b.copies_named));
  *root = g;
  return VV_OK;
}
