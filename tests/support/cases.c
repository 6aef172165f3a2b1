/* tests/support/cases.c  Scene text and exact solution of the six published two-bar impacts. */
#include "cases.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The paper prints velocities of the opposite sign, which would separate the bars; case 5: the 0.4 of figure 4.3. */
/* clang-format off */
static const cases_row row[CASES_COUNT] = {
  /* length   density young   element     velocity  */
  {{10, 10}, {1, 1}, {1, 1}, {0.2, 0.2}, {0.1, -0.1}},
  {{10, 10}, {1, 5}, {1, 1}, {0.2, 0.2}, {0.1, -0.1}},
  {{10, 10}, {1, 1}, {1, 5}, {0.2, 0.2}, {0.1, -0.1}},
  {{10,  5}, {1, 1}, {1, 1}, {0.2, 0.2}, {0.1, -0.1}},
  {{10, 10}, {1, 1}, {1, 1}, {0.2, 0.4}, {0.1, -0.1}},
  {{10, 10}, {1, 1}, {1, 1}, {0.2, 0.2}, {1.0,  0.0}},
};
/* clang-format on */

static const char *const body_name[2] = {"left", "right"};

const cases_row *cases_row_of(int number)
{
  return number >= 1 && number <= CASES_COUNT ? &row[number - 1] : NULL;
}

int cases_elements(int number, int side)
{
  const cases_row *r = cases_row_of(number);
  return r ? (int)lround(r->length[side] / r->element[side]) : 0;
}

static double or_else(double value, double published)
{
  return value != 0 ? value : published;
}

static const char *word(const char *value, const char *published)
{
  return value ? value : published;
}

double cases_gap(const cases_def *def)
{
  const cases_row *r = cases_row_of(def->number);
  return r ? or_else(def->touch, CASES_TOUCH) * (r->velocity[0] - r->velocity[1]) : NAN;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

typedef struct writer {
  char *text;
  size_t size, used;
} writer;

static void say(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(writer *w, const char *format, ...)
{
  if (w->used >= w->size) return;
  va_list args;
  va_start(args, format);
  int n = vsnprintf(w->text + w->used, w->size - w->used, format, args);
  va_end(args);
  w->used = n < 0 ? w->size : w->used + (size_t)n;
}

/* The shortest decimal that reads back as the same double. */
typedef struct number_text {
  char text[32];
} number_text;

static number_text number(double x)
{
  number_text n;
  for (int digits = 6; digits <= 17; digits++) {
    snprintf(n.text, sizeof n.text, "%.*g", digits, x);
    if (strtod(n.text, NULL) == x) break;
  }
  return n;
}

/* With cells both ends of both bars change (a uniform chain); otherwise only the ends that touch. */
static void say_tips(writer *w, int side, const char *tips)
{
  const char *far_end = strcmp(tips, "cell") == 0 ? "cell" : "lumped";
  say(w, "    tips: {first: %s, last: %s}\n", side == 0 ? far_end : tips, side == 0 ? tips : far_end);
}

static void say_bar(writer *w, const cases_def *def, const cases_row *r, int side)
{
  double first_end = side == 0 ? -r->length[0] - cases_gap(def) : 0;
  int elements = def->elements[side] ? def->elements[side] : cases_elements(def->number, side);
  say(w, "  %s:\n    kind: bar\n", body_name[side]);
  say(w, "    length: %s\n    elements: %d\n", number(r->length[side]).text, elements);
  say(w, "    material: {young: %s, density: %s}\n", number(r->young[side]).text, number(r->density[side]).text);
  say(w, "    section: {area: 1}\n");
  say_tips(w, side, word(def->tips, "lumped"));
  say(w, "    position: %s\n", number(first_end).text);
  say(w, "    velocity: %s\n", number(r->velocity[side] + def->shift).text);
}

bool cases_scene(const cases_def *def, char *text, size_t size)
{
  const cases_row *r = cases_row_of(def->number);
  if (!r || size == 0) return false;
  writer w = {.text = text, .size = size};
  say(&w, "visviva: 1\ntitle: Two bars, case %d\n", def->number);
  say(&w, "time: {end: %s, step: %s}\n", number(or_else(def->end, CASES_END)).text,
      number(or_else(def->dt, CASES_DT)).text);
  say(&w, "method: {step: %s, jump: %s%s%s}\n", word(def->step, "event"), word(def->jump, "slab"),
      def->method ? ", " : "", word(def->method, ""));
  say(&w, "bodies:\n");
  for (int side = 0; side < 2; side++) say_bar(&w, def, r, side);
  say(&w, "contacts: [{between: [left, right], restitution: 1%s}]\n", word(def->contact, ""));
  say(&w, "record: {every: 1, ledger: 1, paraview: false}\n");
  say(&w, "%s", word(def->extra, ""));
  return w.used < w.size;
}

/* ---- exact solution ---------------------------------------------------------------------------------------------- */

bool cases_wave(const cases_def *def, wave_bars *w)
{
  const cases_row *r = cases_row_of(def->number);
  if (!r) return false;
  wave_bar bar[2];
  for (int side = 0; side < 2; side++) bar[side] = (wave_bar){r->length[side], r->young[side], r->density[side], 1};
  return wave_two_bars(w, bar[0], bar[1], r->velocity[0] + def->shift, r->velocity[1] + def->shift,
                       or_else(def->touch, CASES_TOUCH), or_else(def->end, CASES_END));
}
