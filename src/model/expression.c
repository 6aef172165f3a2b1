/* model/expression.c  Numbers as they are written in a scene, with units.
 *
 *   sum     = product { (+|-) product }
 *   product = sign { (*|/) sign }
 *   sign    = [+|-] run
 *   run     = power { unit-power }          a number, a bracket or a unit, and units behind it: 3 mm, 2 kg m^2
 *   power   = atom [ ^ [+|-] power ]
 *   atom    = number | name | function ( sum { , sum } ) | ( sum )
 *
 * `1/240 s` could mean two things and is refused. */
#include "model/expression.h"
#include "math/math.h"
#include "model/spec.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64, MAX_TEXT = 1000, MAX_UNIT = 24, MAX_DIM = 100 * VVI_DIM_PART };

/* ---- units ---- */

typedef struct unit_row {
  const char *name;
  double up, down; /* SI: up/down, both exact */
  int dim[VVI_DIMENSIONS];
} unit_row;

#define METRES \
  {            \
    1, 0, 0, 0 \
  }
#define KILOGRAMS \
  {               \
    0, 1, 0, 0    \
  }
#define SECONDS \
  {             \
    0, 0, 1, 0  \
  }
#define NEWTONS \
  {             \
    1, 1, -2, 0 \
  }
#define PASCALS  \
  {              \
    -1, 1, -2, 0 \
  }
#define JOULES  \
  {             \
    2, 1, -2, 0 \
  }
#define WATTS   \
  {             \
    2, 1, -3, 0 \
  }
#define HERTZ   \
  {             \
    0, 0, -1, 0 \
  }
#define RADIANS \
  {             \
    0, 0, 0, 1  \
  }

/* clang-format off */
static const unit_row unit_table[] = {
  {"m", 1, 1, METRES}, {"km", 1e3, 1, METRES}, {"cm", 1, 1e2, METRES}, {"mm", 1, 1e3, METRES}, {"um", 1, 1e6, METRES},
  {"nm", 1, 1e9, METRES}, {"in", 127, 5000, METRES}, {"ft", 381, 1250, METRES},
  {"kg", 1, 1, KILOGRAMS}, {"g", 1, 1e3, KILOGRAMS}, {"mg", 1, 1e6, KILOGRAMS}, {"t", 1e3, 1, KILOGRAMS},
  {"lb", 45359237, 1e8, KILOGRAMS},
  {"s", 1, 1, SECONDS}, {"ms", 1, 1e3, SECONDS}, {"us", 1, 1e6, SECONDS}, {"ns", 1, 1e9, SECONDS},
  {"N", 1, 1, NEWTONS}, {"mN", 1, 1e3, NEWTONS}, {"kN", 1e3, 1, NEWTONS}, {"MN", 1e6, 1, NEWTONS},
  {"Pa", 1, 1, PASCALS}, {"kPa", 1e3, 1, PASCALS}, {"MPa", 1e6, 1, PASCALS}, {"GPa", 1e9, 1, PASCALS},
  {"J", 1, 1, JOULES}, {"mJ", 1, 1e3, JOULES}, {"kJ", 1e3, 1, JOULES}, {"MJ", 1e6, 1, JOULES},
  {"W", 1, 1, WATTS}, {"kW", 1e3, 1, WATTS},
  {"Hz", 1, 1, HERTZ}, {"kHz", 1e3, 1, HERTZ}, {"MHz", 1e6, 1, HERTZ},
  {"rad", 1, 1, RADIANS}, {"mrad", 1, 1e3, RADIANS}, {"deg", VV_PI, 180, RADIANS}, {"turn", 2 * VV_PI, 1, RADIANS},
  {"rpm", VV_PI, 30, {0, 0, -1, 1}},
};
/* clang-format on */

static const unit_row *unit_find(const char *name, size_t length)
{
  for (int i = 0; i < VV_COUNT(unit_table); i++)
    if (strlen(unit_table[i].name) == length && memcmp(unit_table[i].name, name, length) == 0) return &unit_table[i];
  return NULL;
}

static vvi_quantity plain(double x)
{
  return (vvi_quantity){.value = x, .up = 1, .down = 1, .plain = true};
}

static vvi_quantity quantity_of(const unit_row *u)
{
  vvi_quantity q = {.value = 1, .up = u->up, .down = u->down};
  for (int k = 0; k < VVI_DIMENSIONS; k++) q.dim[k] = u->dim[k] * VVI_DIM_PART;
  return q;
}

static double in_si(const vvi_quantity *q)
{
  return q->value * q->up / q->down;
}

static bool same_dim(const vvi_quantity *a, const vvi_quantity *b)
{
  return memcmp(a->dim, b->dim, sizeof a->dim) == 0;
}

static bool pure(const vvi_quantity *q)
{
  return q->dim[0] == 0 && q->dim[1] == 0 && q->dim[2] == 0 && q->dim[3] == 0;
}

/* ---- units in words ---- */

typedef struct unit_text {
  char c[64];
} unit_text;

static void put_power(char *out, size_t size, const char *name, int twelfths)
{
  const size_t n = strlen(out);
  const char *blank = n > 0 && out[n - 1] != '/' && out[n - 1] != '(' ? " " : "";
  if (twelfths == VVI_DIM_PART)
    snprintf(out + n, size - n, "%s%s", blank, name);
  else
    snprintf(out + n, size - n, "%s%s^%.3g", blank, name, (double)twelfths / VVI_DIM_PART);
}

/* "kg/(m s^2)", or the unit of that name. */
static unit_text dim_text(const int dim[VVI_DIMENSIONS])
{
  static const char *const named[] = {"N", "Pa", "J", "W"};
  static const char *const base[] = {"m", "kg", "s", "rad"};
  static const int order[] = {1, 3, 0, 2};
  unit_text t = {""};
  int below = 0;
  for (int i = 0; i < VV_COUNT(named); i++) {
    const vvi_quantity q = quantity_of(unit_find(named[i], strlen(named[i])));
    if (memcmp(q.dim, dim, sizeof q.dim) == 0) snprintf(t.c, sizeof t.c, "%s", named[i]);
  }
  if (t.c[0] != '\0') return t;
  for (int k = 0; k < VVI_DIMENSIONS; k++) {
    if (dim[order[k]] > 0) put_power(t.c, sizeof t.c, base[order[k]], dim[order[k]]);
    below += dim[order[k]] < 0;
  }
  if (t.c[0] == '\0') strcpy(t.c, "1");
  if (below == 0) return t;
  strcat(t.c, below > 1 ? "/(" : "/");
  for (int k = 0; k < VVI_DIMENSIONS; k++)
    if (dim[order[k]] < 0) put_power(t.c, sizeof t.c - 2, base[order[k]], -dim[order[k]]);
  if (below > 1) strcat(t.c, ")");
  return t;
}

/* ---- reading ---- */

typedef struct parser {
  const vvi_scope *scope;
  const char *at;
  int depth;
  vvi_mishap *mishap;
} parser;

VV_PRINTF(2, 3) static bool fail(parser *p, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(p->mishap->text, sizeof p->mishap->text, format, args);
  va_end(args);
  return false;
}

static void skip(parser *p)
{
  while (*p->at == ' ' || *p->at == '\t') p->at++;
}

static bool take(parser *p, char c)
{
  skip(p);
  if (*p->at != c) return false;
  p->at++;
  return true;
}

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

/* Length of the name at c; 0: none. */
static size_t name_length(const char *c)
{
  size_t n = 0;
  if (!is_letter(*c)) return 0;
  while (is_letter(c[n]) || is_digit(c[n])) n++;
  return n;
}

size_t vvi_number_length(const char *text)
{
  static const char digit[] = "0123456789";
  const char *c = text;
  if (*c == '+' || *c == '-') c++;
  const size_t whole = strspn(c, digit);
  c += whole;
  const size_t part = *c == '.' ? strspn(c + 1, digit) : 0;
  if (whole + part == 0) return 0;
  if (*c == '.') c += 1 + part;
  if (*c == 'e' || *c == 'E') {
    const size_t sign = c[1] == '+' || c[1] == '-';
    const size_t power = strspn(c + 1 + sign, digit);
    if (power > 0) c += 1 + sign + power;
  }
  return (size_t)(c - text);
}

static bool finite_or(parser *p, const vvi_quantity *q, const char *what)
{
  if (isfinite(in_si(q)) && isfinite(q->value) && q->up > 0 && q->down > 0) return true;
  return fail(p, "%s is not a finite number", what);
}

static bool read_literal(parser *p, vvi_quantity *out)
{
  const size_t n = vvi_number_length(p->at);
  const double x = strtod(p->at, NULL);
  if (!isfinite(x)) return fail(p, "%.*s is too large for a number", n > 40 ? 40 : (int)n, p->at);
  if (x == 0 && strcspn(p->at, "123456789") < strcspn(p->at, "eE") && strcspn(p->at, "123456789") < n)
    return fail(p, "%.*s is too small for a number; write 0", n > 40 ? 40 : (int)n, p->at);
  if ((p->at[n] == 'x' || p->at[n] == 'X') && n == 1) return fail(p, "numbers are written in decimals");
  p->at += n;
  *out = plain(x);
  return true;
}

/* ---- products, sums, powers ---- */

static bool multiply(parser *p, vvi_quantity *a, const vvi_quantity *b, bool divide)
{
  if (divide && b->value == 0) return fail(p, "a division by zero");
  a->value = divide ? a->value / b->value : a->value * b->value;
  a->up *= divide ? b->down : b->up;
  a->down *= divide ? b->up : b->down;
  for (int k = 0; k < VVI_DIMENSIONS; k++) {
    a->dim[k] += divide ? -b->dim[k] : b->dim[k];
    if (abs(a->dim[k]) > MAX_DIM) return fail(p, "a power of a unit is too high");
  }
  a->plain = a->plain && b->plain;
  return finite_or(p, a, "the product");
}

static bool mixed(parser *p, const vvi_quantity *a, const vvi_quantity *b, const char *what)
{
  if (a->plain != b->plain && !pure(a->plain ? b : a))
    return fail(p, "%s a plain number and one in %s; give the plain one a unit", what,
                dim_text((a->plain ? b : a)->dim).c);
  return fail(p, "%s %s and %s, which are different things", what, dim_text(a->dim).c, dim_text(b->dim).c);
}

static bool add(parser *p, vvi_quantity *a, const vvi_quantity *b, double sign)
{
  if (!same_dim(a, b)) return mixed(p, a, b, "a sum of");
  if (a->up == b->up && a->down == b->down) {
    a->value += sign * b->value;
  } else {
    a->value = in_si(a) + sign * in_si(b);
    a->up = a->down = 1;
  }
  a->plain = a->plain && b->plain;
  return finite_or(p, a, "the sum");
}

static bool raise(parser *p, vvi_quantity *a, const vvi_quantity *b)
{
  if (!pure(b)) return fail(p, "an exponent in %s; exponents have no unit", dim_text(b->dim).c);
  const double n = in_si(b);
  for (int k = 0; k < VVI_DIMENSIONS; k++) {
    const double d = a->dim[k] * n, whole = round(d);
    if (!(fabs(d) <= MAX_DIM) || fabs(d - whole) > 1e-9) return fail(p, "the power %g of a unit is not known", n);
    a->dim[k] = (int)whole;
  }
  if (a->value == 0 && n < 0) return fail(p, "a division by zero");
  if (a->value < 0 && n == 0.5) return fail(p, "a root of a negative number");
  if (a->value < 0 && n != round(n)) return fail(p, "the power %g of a negative number", n);
  a->value = pow(a->value, n);
  a->up = pow(a->up, n);
  a->down = pow(a->down, n);
  a->plain = a->plain && b->plain;
  return finite_or(p, a, "the power");
}

/* ---- functions ---- */

typedef enum argument { ANY, PURE, ANGLE, ROOT, SAME } argument;
typedef struct function_row {
  const char *name;
  argument takes;
  int count;  /* of arguments; 0: one or more */
  bool angle; /* the result is an angle */
  double (*of)(double);
  double (*two)(double, double);
} function_row;

static const function_row function_table[] = {
    {"sqrt", ROOT, 1, false, sqrt, NULL},   {"abs", ANY, 1, false, fabs, NULL},
    {"sin", ANGLE, 1, false, sin, NULL},    {"cos", ANGLE, 1, false, cos, NULL},
    {"tan", ANGLE, 1, false, tan, NULL},    {"asin", PURE, 1, true, asin, NULL},
    {"acos", PURE, 1, true, acos, NULL},    {"atan", PURE, 1, true, atan, NULL},
    {"atan2", SAME, 2, true, NULL, atan2},  {"exp", PURE, 1, false, exp, NULL},
    {"log", PURE, 1, false, log, NULL},     {"log10", PURE, 1, false, log10, NULL},
    {"floor", PURE, 1, false, floor, NULL}, {"ceil", PURE, 1, false, ceil, NULL},
    {"round", PURE, 1, false, round, NULL}, {"min", SAME, 0, false, NULL, fmin},
    {"max", SAME, 0, false, NULL, fmax},
};

static const char function_names[] =
    "sqrt, abs, sin, cos, tan, asin, acos, atan, atan2, exp, log, log10, floor, ceil, round, min, max";

static const function_row *function_find(const char *name, size_t length)
{
  for (int i = 0; i < VV_COUNT(function_table); i++)
    if (strlen(function_table[i].name) == length && memcmp(function_table[i].name, name, length) == 0)
      return &function_table[i];
  return NULL;
}

static bool read_sum(parser *p, vvi_quantity *out);

/* One argument: what the function says of its unit, and its value. */
static bool apply_one(parser *p, const function_row *f, vvi_quantity *a)
{
  const vvi_quantity half = plain(0.5);
  const bool angle = a->dim[0] == 0 && a->dim[1] == 0 && a->dim[2] == 0 && a->dim[3] == VVI_DIM_PART;
  if (f->takes == ROOT) return raise(p, a, &half);
  if (f->takes == PURE && !pure(a))
    return fail(p, "%s of %s; it takes a number without a unit", f->name, dim_text(a->dim).c);
  if (f->takes == ANGLE && !angle && !pure(a))
    return fail(p, "%s of %s; it takes an angle", f->name, dim_text(a->dim).c);
  a->value = f->of(in_si(a));
  a->up = a->down = 1;
  if (f->takes == ANGLE) {
    a->dim[3] = 0;
    a->plain = a->plain || angle;
  }
  return finite_or(p, a, f->name);
}

static bool read_call(parser *p, const function_row *f, vvi_quantity *out)
{
  int n = 0;
  do {
    vvi_quantity b;
    if (!read_sum(p, n == 0 ? out : &b)) return false;
    n++;
    if (n == 1) continue;
    if (f->two == NULL || (f->count > 0 && n > f->count))
      return fail(p, "%s takes %d argument%s", f->name, f->count, f->count > 1 ? "s" : "");
    if (!same_dim(out, &b)) return mixed(p, out, &b, "one function of");
    *out = (vvi_quantity){f->two(in_si(out), in_si(&b)),
                          1,
                          1,
                          {out->dim[0], out->dim[1], out->dim[2], out->dim[3]},
                          out->plain && b.plain};
  } while (take(p, ','));
  if (!take(p, ')')) return fail(p, "')' is missing behind the arguments of %s", f->name);
  if (f->count > 0 && n != f->count)
    return fail(p, "%s takes %d argument%s", f->name, f->count, f->count > 1 ? "s" : "");
  if (f->of != NULL && !apply_one(p, f, out)) return false;
  if (f->angle) *out = (vvi_quantity){out->value, 1, 1, {0, 0, 0, VVI_DIM_PART}, false};
  return true;
}

/* ---- names ---- */

static const vvi_parameter *parameter_find(const vvi_scope *scope, const char *name, size_t length)
{
  for (int i = 0; i < scope->n; i++)
    if (strlen(scope->parameter[i].name) == length && memcmp(scope->parameter[i].name, name, length) == 0)
      return &scope->parameter[i];
  return NULL;
}

static bool same_letters(const char *a, const char *b)
{
  for (; *a != '\0' && tolower((unsigned char)*a) == tolower((unsigned char)*b); a++) b++;
  return *a == *b;
}

/* Units by their long names, and what they are here. */
static const char *long_name(const char *name)
{
  static const char *const table[][2] = {
      {"sec", "s"},   {"second", "s"}, {"seconds", "s"}, {"msec", "ms"},    {"meter", "m"},     {"meters", "m"},
      {"metre", "m"}, {"metres", "m"}, {"inch", "in"},   {"degree", "deg"}, {"degrees", "deg"}, {"gram", "g"},
      {"grams", "g"}, {"ton", "t"},    {"newton", "N"},  {"pascal", "Pa"},  {"joule", "J"},     {"hertz", "Hz"},
      {"lbs", "lb"},  {"pound", "lb"}, {"secs", "s"},    {"inches", "in"},  {"micron", "um"},   {"feet", "ft"},
  };
  for (int i = 0; i < VV_COUNT(table); i++)
    if (same_letters(table[i][0], name)) return table[i][1];
  return NULL;
}

/* The unit with these letters but for capitals; NULL where these decide, as in mN and MN. */
static const char *other_capitals(const char *name)
{
  const char *same = NULL;
  for (int i = 0; i < VV_COUNT(unit_table); i++) {
    if (!same_letters(name, unit_table[i].name)) continue;
    if (same != NULL) return NULL;
    same = unit_table[i].name;
  }
  return same;
}

/* A unit with a digit behind it, two units without a blank, or a slip in the name of a parameter. */
static bool fail_name(parser *p, const char *name, size_t length)
{
  const int n = length > 40 ? 40 : (int)length;
  size_t letters = 0;
  while (letters < length && !is_digit(name[letters])) letters++;
  if (letters < length && letters > 0 && unit_find(name, letters) != NULL)
    return fail(p, "unknown name '%.*s'; a power of a unit is written %.*s^%.*s", n, name, (int)letters, name,
                n - (int)letters, name + letters);
  char copy[64];
  snprintf(copy, sizeof copy, "%.*s", length > 60 ? 60 : (int)length, name);
  const char *known = long_name(copy);
  for (size_t k = 1; k < length && length < 8 && known == NULL; k++)
    if (unit_find(name, k) != NULL && unit_find(name + k, length - k) != NULL)
      return fail(p, "unknown unit '%.*s'; a product of units is written '%.*s %.*s'", n, name, (int)k, name,
                  (int)(length - k), name + k);
  const char *best = known != NULL ? known : other_capitals(copy);
  int least = best != NULL ? 0 : INT_MAX;
  for (int i = 0; i < p->scope->n; i++) {
    const int d = vv_text_slips(copy, p->scope->parameter[i].name);
    if (d >= 0 && d < least) least = d, best = p->scope->parameter[i].name;
  }
  for (int i = 0; i < VV_COUNT(unit_table) && best == NULL; i++)
    if (length > 2 && vvi_text_distance(copy, unit_table[i].name) == 1) best = unit_table[i].name;
  if (best != NULL) return fail(p, "unknown name '%.*s'; did you mean '%s'?", n, name, best);
  return fail(p, "unknown name '%.*s': neither a unit nor one of 'parameters'", n, name);
}

static bool read_name(parser *p, vvi_quantity *out, bool *unit)
{
  const char *name = p->at;
  const size_t n = name_length(name);
  p->at += n;
  skip(p);
  const bool call = *p->at == '(';
  const function_row *f = function_find(name, n);
  if (call && f == NULL)
    return fail(p, "unknown function '%.*s'; known: %s", n > 20 ? 20 : (int)n, name, function_names);
  if (call) {
    p->at++;
    return read_call(p, f, out);
  }
  if (f != NULL) return fail(p, "'%s' is a function: write %s(...)", f->name, f->name);
  if (n == 2 && memcmp(name, "pi", 2) == 0) {
    *out = plain(VV_PI);
    return true;
  }
  const vvi_parameter *parameter = parameter_find(p->scope, name, n);
  const unit_row *u = unit_find(name, n);
  if (parameter == NULL && u == NULL) return fail_name(p, name, n);
  *unit = parameter == NULL;
  *out = parameter != NULL ? parameter->value : quantity_of(u);
  return true;
}

/* ---- grammar ---- */

static bool fail_rest(parser *p)
{
  if (*p->at == '\0') return fail(p, "it ends too early");
  if (*p->at == ',') return fail(p, "unexpected ','; decimals are written with a point");
  int width = 1;
  while (((unsigned char)p->at[width] & 0xc0) == 0x80) width++;
  if (strncmp(p->at, "\xc2\xb5", 2) == 0 || strncmp(p->at, "\xce\xbc", 2) == 0) /* both letters mu */
    return fail(p, "unexpected '%.*s'; a micro is written u: um, us", width, p->at);
  return fail(p, "unexpected '%.*s'", width, p->at);
}

static bool read_atom(parser *p, vvi_quantity *out, bool *unit, bool *open)
{
  skip(p);
  *unit = *open = false;
  if (take(p, '(')) {
    *open = true;
    if (!read_sum(p, out)) return false;
    return take(p, ')') ? true : *p->at == '\0' ? fail(p, "')' is missing") : fail_rest(p);
  }
  if (name_length(p->at) > 0) return read_name(p, out, unit);
  if (!is_digit(*p->at) && *p->at != '.') return fail_rest(p);
  if (vvi_number_length(p->at) == 0) return fail_rest(p);
  *open = true;
  return read_literal(p, out);
}

static bool read_power(parser *p, vvi_quantity *out, bool *unit, bool *open)
{
  if (++p->depth > MAX_DEPTH) return fail(p, "nested too deeply");
  if (!read_atom(p, out, unit, open)) return false;
  skip(p);
  const bool stars = p->at[0] == '*' && p->at[1] == '*';
  if (stars || *p->at == '^') {
    vvi_quantity n;
    bool u, o;
    p->at += stars ? 2 : 1;
    const bool minus = take(p, '-');
    if (!minus) take(p, '+');
    if (!read_power(p, &n, &u, &o)) return false;
    if (minus) n.value = -n.value;
    if (!raise(p, out, &n)) return false;
  }
  p->depth--;
  return true;
}

/* A number, a bracket or a unit, and units behind it.  `joined`: there are such units; `led`: it begins with a unit. */
static bool read_run(parser *p, vvi_quantity *out, bool *joined, bool *led)
{
  bool open;
  if (!read_power(p, out, led, &open)) return false;
  *joined = false;
  for (skip(p); name_length(p->at) > 0; skip(p)) {
    const char *name = p->at;
    const size_t n = name_length(name);
    vvi_quantity u;
    bool unit, bracket;
    const bool pi = n == 2 && memcmp(name, "pi", 2) == 0;
    if (unit_find(name, n) == NULL && !parameter_find(p->scope, name, n) && !function_find(name, n) && !pi)
      return fail_name(p, name, n);
    if (unit_find(name, n) == NULL || (!open && !*led))
      return fail(p, "unexpected '%.*s'; a product is written with *", n > 40 ? 40 : (int)n, name);
    if (!read_power(p, &u, &unit, &bracket) || !multiply(p, out, &u, false)) return false;
    *joined = true;
  }
  return true;
}

static bool read_sign(parser *p, vvi_quantity *out, bool *joined, bool *led)
{
  if (++p->depth > MAX_DEPTH) return fail(p, "nested too deeply");
  const bool minus = take(p, '-');
  const bool sign = minus || take(p, '+');
  const bool good = sign ? read_sign(p, out, joined, led) : read_run(p, out, joined, led);
  if (minus) out->value = -out->value;
  p->depth--;
  return good;
}

static bool read_product(parser *p, vvi_quantity *out)
{
  bool joined, led;
  if (!read_sign(p, out, &joined, &led)) return false;
  for (skip(p); *p->at == '*' || *p->at == '/'; skip(p)) {
    const bool divide = *p->at++ == '/';
    const bool plain_before = out->plain;
    vvi_quantity b;
    if (!read_sign(p, &b, &joined, &led)) return false;
    if (divide && joined && (plain_before || led))
      return fail(p, "a/b c can be read in two ways; write (a/b) c or a/(b c)");
    if (!multiply(p, out, &b, divide)) return false;
  }
  return true;
}

static bool read_sum(parser *p, vvi_quantity *out)
{
  if (++p->depth > MAX_DEPTH) return fail(p, "nested too deeply");
  if (!read_product(p, out)) return false;
  for (skip(p); *p->at == '+' || *p->at == '-'; skip(p)) {
    const double sign = *p->at++ == '-' ? -1 : 1;
    vvi_quantity b;
    if (!read_product(p, &b) || !add(p, out, &b, sign)) return false;
  }
  p->depth--;
  return true;
}

bool vvi_expression_read(const vvi_scope *scope, const char *text, vvi_quantity *out, vvi_mishap *mishap)
{
  parser p = {.scope = scope, .at = text, .mishap = mishap};
  *out = plain(0);
  if (strlen(text) > MAX_TEXT) return fail(&p, "longer than %d letters", MAX_TEXT);
  if (!read_sum(&p, out)) return false;
  return *p.at == '\0' ? true : fail_rest(&p);
}

/* ---- what a key takes ---- */

/* The scene's own unit of length, mass or time, to the power -dim: what is in SI is brought to it. */
static bool to_scene(const vvi_scope *scope, vvi_quantity *q, vvi_mishap *mishap)
{
  static const char *const what[] = {"length", "mass", "time"};
  for (int k = 0; k < 3; k++) {
    const char *name = scope->unit[k];
    const unit_row *u = name != NULL ? unit_find(name, strlen(name)) : NULL;
    if (q->dim[k] == 0) continue;
    if (u == NULL || u->dim[k] != 1) {
      snprintf(mishap->text, sizeof mishap->text,
               "the unit of %s of this scene, '%.40s', cannot be converted; write a plain number", what[k],
               name != NULL ? name : "");
      return false;
    }
    const double power = (double)q->dim[k] / VVI_DIM_PART;
    q->up *= pow(u->down, power);
    q->down *= pow(u->up, power);
  }
  return true;
}

bool vvi_expression_fit(const vvi_scope *scope, const vvi_quantity *q, const char *unit, double *out,
                        vvi_mishap *mishap)
{
  vvi_quantity x = *q, wanted = plain(1);
  parser p = {.scope = scope, .mishap = mishap};
  *out = in_si(q);
  if (q->plain) return true;
  const vvi_scope none = {0};
  if (unit == NULL || !vvi_expression_read(&none, unit, &wanted, mishap))
    return fail(&p, "this key takes a number without a unit");
  if (same_dim(q, &wanted)) {
    if (!to_scene(scope, &x, mishap)) return false;
    *out = in_si(&x);
    return isfinite(*out) ? true : fail(&p, "it is too large for a number");
  }
  x.dim[3] = wanted.dim[3];
  const unit_text is = dim_text(q->dim);
  if (pure(q)) return fail(&p, "its units cancel, and this key is in %s", unit);
  if (pure(&wanted)) return fail(&p, "it is in %s, and this key takes a number without a unit", is.c);
  if (memcmp(x.dim, wanted.dim, sizeof x.dim) == 0 && wanted.dim[3] == VVI_DIM_PART)
    return fail(&p, "it is in %s, and this key is in %s, by the angle: multiply by rad, or by turn for cycles", is.c,
                unit);
  return fail(&p, "it is in %s, and this key is in %s; a number without a unit is in %s", is.c, unit, unit);
}

bool vvi_expression_any(const vvi_scope *scope, const vvi_quantity *q, double *out, char unit[VVI_UNIT_TEXT],
                        vvi_mishap *mishap)
{
  const unit_text is = dim_text(q->dim);
  snprintf(unit, VVI_UNIT_TEXT, "%s", q->plain ? "" : is.c);
  return vvi_expression_fit(scope, q, is.c, out, mishap);
}

bool vvi_units_agree(const char *a, const char *b)
{
  const vvi_scope none = {0};
  vvi_quantity x, y;
  vvi_mishap mishap;
  return vvi_expression_read(&none, a, &x, &mishap) && vvi_expression_read(&none, b, &y, &mishap) && same_dim(&x, &y);
}

const char *vvi_parameter_refuse(const char *name)
{
  const size_t n = name_length(name);
  if (n == 0 || name[n] != '\0' || n > 64) return "a name has letters, digits and _, and begins with a letter";
  if (unit_find(name, n) != NULL) return "that is the name of a unit";
  if (function_find(name, n) != NULL || strcmp(name, "pi") == 0) return "that name is known already";
  return NULL;
}
