/* tests/mixed/scenes.c  See scenes.h. */
#include "scenes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const word[MIXED_KINDS] = {"bar", "round", "cornered", "shell", "ball", "box"};

/* One speed of waves: with elements of 2 cm and 3 cm the stable step is that of the thin sections, some 2e-5 s.  STEP is about
 * a quarter of it.  While a stack is run, bodies at 1 m/s move 2 mm: a fiftieth of their length, so that nothing turns inside
 * out however heavy its neighbour. */
#define WAVE    500.0
#define SPEED   0.75
#define GAP     2e-4
#define GRAVITY 100.0
#define STEP    5e-6
enum { STEPS = 400 };

#define PI 3.14159265358979323846

/* ---- words ---- */

static bool read_kind(const char *text, size_t length, mixed_words *w)
{
  if (length == 5 && strncmp(text, "floor", 5) == 0) return w->n > 0 && !w->floor && (w->floor = true);
  for (int k = 0; k < MIXED_KINDS; k++) {
    if (strlen(word[k]) != length || strncmp(text, word[k], length) != 0) continue;
    if (w->n == MIXED_BODIES || w->floor) return false;
    w->kind[w->n++] = (mixed_kind)k;
    return true;
  }
  return false;
}

static bool read_law(const char *text, mixed_words *w)
{
  char *end = NULL;
  if (strncmp(text, "e=", 2) == 0) return w->restitution = strtod(text + 2, &end), end > text + 2 && *end == '\0';
  if (strncmp(text, "mu=", 3) == 0) return w->friction = strtod(text + 3, &end), end > text + 3 && *end == '\0';
  w->first = strcmp(text, "heavy") == 0 ? 1 : strcmp(text, "light") == 0 ? -1 : 0;
  return w->first != 0 || strcmp(text, "even") == 0;
}

bool mixed_read(const char *text, mixed_words *w)
{
  char part[MIXED_NAME];
  *w = (mixed_words){.restitution = 1.0};
  for (; *text != ' ' && *text != '\0'; text += *text == ',') {
    const size_t length = strcspn(text, ", ");
    if (!read_kind(text, length, w)) return false;
    text += length;
  }
  while (*text == ' ') {
    const size_t length = strcspn(++text, " ");
    if (length >= sizeof part) return false;
    memcpy(part, text, length), part[length] = '\0';
    if (length > 0 && !read_law(part, w)) return false;
    text += length;
  }
  return w->n > 1 || (w->n == 1 && w->floor);
}

static void name_stack(const mixed_words *w, char *out)
{
  int used = 0;
  for (int i = 0; i < w->n; i++)
    used += snprintf(out + used, (size_t)(MIXED_NAME - used), "%s%s", i > 0 ? "," : "", word[w->kind[i]]);
  snprintf(out + used, (size_t)(MIXED_NAME - used), "%s e=%g mu=%g %s", w->floor ? ",floor" : "", w->restitution,
           w->friction,
           w->first > 0   ? "heavy"
           : w->first < 0 ? "light"
                          : "even");
}

/* ---- text ---- */

static void put(mixed_scene *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(mixed_scene *s, const char *format, ...)
{
  const size_t used = strlen(s->text);
  va_list list;
  va_start(list, format);
  const int n = vsnprintf(s->text + used, sizeof s->text - used, format, list);
  va_end(list);
  if (n < 0 || (size_t)n >= sizeof s->text - used) abort();
}

/* m: from its underside to its upper side */
static double height(const mixed_shape *k)
{
  switch (k->kind) {
  case MIXED_BAR:
    return 0.1;
  case MIXED_CORNERED:
    return 2.0 * k->half[0];
  case MIXED_BOX:
    return 2.0 * k->half[2];
  default:
    return 2.0 * k->radius; /* a plate has none: middle surfaces meet */
  }
}

static mixed_shape shape_of(mixed_kind kind, double mass)
{
  mixed_shape k = {.kind = kind, .mass = mass};
  if (kind == MIXED_ROUND) k.radius = 0.006;
  if (kind == MIXED_BALL) k.radius = 0.02;
  if (kind == MIXED_CORNERED) k.half[0] = 0.007, k.half[1] = 0.005;
  if (kind == MIXED_BOX) k.half[0] = 0.04, k.half[1] = 0.035, k.half[2] = 0.015;
  return k;
}

static void material(mixed_scene *s, double mass, double volume)
{
  const double density = mass / volume;
  put(s, "material: {young: %.17g, density: %.17g}", density * WAVE * WAVE, density);
}

/* Beams of one stack lie across each other. */
static void beam(mixed_scene *s, const mixed_shape *k, int level, double z, const double v[3])
{
  static const double axis[MIXED_BODIES][2] = {{1.0, 0.0}, {0.0, 1.0}, {0.9, 0.43588989435406728}};
  const double length = 0.12, *a = axis[level];
  const double area = k->kind == MIXED_ROUND ? PI * k->radius * k->radius : 4.0 * k->half[0] * k->half[1];
  put(s, "kind: beam, length: %g, elements: 6, ", length);
  if (k->kind == MIXED_ROUND)
    put(s, "section: {circle: {radius: %g}}, ", k->radius);
  else
    put(s, "section: {rectangle: {width: %g, height: %g}}, ", 2.0 * k->half[0], 2.0 * k->half[1]);
  material(s, k->mass, area * length);
  put(s, ", axis: [%g, %.17g, 0], normal: [0, 0, 1], position: [%.17g, %.17g, %.17g], velocity: [%g, %g, %g]", a[0],
      a[1], 0.001 - 0.5 * length * a[0], 0.0005 - 0.5 * length * a[1], z + 0.5 * height(k), v[0], v[1], v[2]);
}

/* A body whose underside is at z.  Nothing is centred on another: contacts are oblique, and hit no node. */
static void body(mixed_scene *s, const mixed_shape *k, int level, double z, const double v[3])
{
  put(s, "  b%d: {", level);
  switch (k->kind) {
  case MIXED_BAR:
    put(s, "kind: bar, tips: {first: lumped}, length: 0.1, elements: 5, section: {area: 1e-4}, axis: [0, 0, 1], "
           "origin: [0.003, 0.002, 0], ");
    material(s, k->mass, 1e-5);
    put(s, ", position: %.17g, velocity: %g", z, v[2]);
    break;
  case MIXED_ROUND:
  case MIXED_CORNERED:
    beam(s, k, level, z, v);
    break;
  case MIXED_SHELL:
    put(s, "kind: shell, mesh: {rectangle: {size: [0.09, 0.09], pieces: [4, 4]}}, thickness: 2e-3, ");
    material(s, k->mass, 0.09 * 0.09 * 2e-3);
    put(s, ", centre: [%g, %g, %.17g], velocity: [%g, %g, %g]", 0.004 + 0.003 * level, 0.003 - 0.005 * level, z, v[0],
        v[1], v[2]);
    break;
  default:
    if (k->kind == MIXED_BALL)
      put(s, "kind: rigid, shape: {ball: {radius: %g}}, ", k->radius);
    else
      put(s, "kind: rigid, shape: {box: {size: [%g, %g, %g]}}, ", 2.0 * k->half[0], 2.0 * k->half[1], 2.0 * k->half[2]);
    put(s, "mass: %g, position: [%g, %g, %.17g], velocity: [%g, %g, %g]", k->mass, 0.002 + 0.001 * level,
        0.001 - 0.001 * level, z + 0.5 * height(k), v[0], v[1], v[2]);
  }
  put(s, "}\n");
}

/* Bars are guided: on each other and on a floor they cannot slide, and a scene must not ask for friction there. */
static void smooth(mixed_scene *s, int i, int j)
{
  const bool bars = i < s->n && s->shape[i].kind == MIXED_BAR && (j == s->n || s->shape[j].kind == MIXED_BAR);
  if (s->friction == 0.0 || !bars || (j == s->n && !s->floor)) return;
  put(s, ", {between: [b%d, ", i);
  if (j == s->n)
    put(s, "floor");
  else
    put(s, "b%d", j);
  put(s, "], restitution: %g}", s->restitution);
}

static void head(mixed_scene *s)
{
  put(s, "visviva: 1\ntime: {end: %.17g, step: %g}\nmethod: {step: leapfrog}\ngravity: [0, 0, %g]\n",
      s->step * (double)s->steps * (1.0 + 1e-9), s->step, -s->gravity);
  put(s, "contacts: [{restitution: %g, friction: %g}", s->restitution, s->friction);
  for (int i = 0; i < s->n; i++)
    for (int j = i + 1; j <= s->n; j++) smooth(s, i, j);
  put(s, "]\nrecord: {paraview: false}\nbodies:\n");
}

void mixed_stack(const mixed_words *w, mixed_scene *s)
{
  double z[MIXED_BODIES], top = GAP;
  *s = (mixed_scene){.n = w->n,
                     .floor = w->floor,
                     .restitution = w->restitution,
                     .friction = w->friction,
                     .gravity = GRAVITY,
                     .step = STEP,
                     .steps = STEPS};
  name_stack(w, s->name);
  for (int i = w->n - 1; i >= 0; i--) {
    s->shape[i] = shape_of(w->kind[i], w->first == 0 || (i % 2 == 0) == (w->first > 0) ? 1.0 : 1e-4);
    z[i] = top, top += height(&s->shape[i]) + GAP;
  }
  head(s);
  /* above a floor all go down, the upper ones faster; without one they close in on the middle, the lower ones
   * later */
  for (int i = 0; i < w->n; i++) {
    const double closing = SPEED * (i - 0.5 * (w->n - 1)) * (i == w->n - 1 ? 0.7 : 1.0);
    const double down = w->floor ? -0.5 - 0.5 * (w->n - 1 - i) : closing;
    const double v[3] = {i == 0 ? 0.4 : 0.0, i == 0 ? 0.1 : 0.0, down};
    body(s, &s->shape[i], i, z[i], v);
  }
  if (w->floor) put(s, "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n");
}

/* ---- the scenes of the verdict ---- */

static void low(mixed_scene *s, const char *section, double z)
{
  put(s,
      "  low: {kind: beam, length: 0.4, elements: 20, material: {young: 2e8, density: 1000}, section: {%s}, axis: [1, "
      "0, 0], "
      "normal: [0, 0, 1], position: [-0.2, 0, %g]}\n",
      section, z);
}

static void ball(mixed_scene *s, double z, double v)
{
  put(s,
      "  ball: {kind: rigid, shape: {ball: {radius: 0.03}}, density: 7800, position: [0, 0, %g], velocity: [0, 0, "
      "%g]}\n",
      z, v);
}

void mixed_named(int i, mixed_scene *s)
{
  static const char *const name[MIXED_NAMED] = {"A", "B", "C", "D", "plate"};
  static const char round[] = "circle: {radius: 0.01}";
  const double circle = PI * 1e-4 * 400.0, sphere = 7800.0 * 4.0 / 3.0 * PI * 2.7e-5; /* kg */
  const mixed_shape rod = {.kind = MIXED_ROUND, .radius = 0.01, .mass = circle},
                    globe = {.kind = MIXED_BALL, .radius = 0.03, .mass = sphere};
  *s = (mixed_scene){
      .n = 2, .shape = {globe, rod}, .floor = true, .restitution = 0.5, .gravity = 9.81, .step = 1e-5, .steps = 2000};
  snprintf(s->name, sizeof s->name, "%s", name[i]);
  if (i == 1) s->n = 3, s->shape[2] = rod;
  if (i == 2) s->restitution = 0.3, s->step = 2e-5, s->steps = 10000;
  if (i == 3) s->shape[1] = (mixed_shape){.kind = MIXED_CORNERED, .half = {0.01, 0.01}, .mass = 0.16};
  if (i == 4) s->shape[0] = (mixed_shape){.kind = MIXED_SHELL, .mass = 1.56}, s->step = 5e-6;
  head(s);
  if (i == 4)
    put(s, "  plate: {kind: shell, mesh: {rectangle: {size: [0.2, 0.2], pieces: [8, 8]}}, thickness: 5e-3, material: "
           "{young: "
           "1e9, poisson: 0.3, density: 7800}, centre: [0.01, 0.013, 0.0221], velocity: [0, 0, -3]}\n");
  else
    ball(s, i == 1 ? 0.0706 : i == 2 ? 0.0503 : 0.0504, i == 2 ? 0.0 : -3.0);
  if (i == 1)
    put(s,
        "  high: {kind: beam, length: 0.4, elements: 20, material: {young: 2e8, density: 1000}, section: {%s}, axis: "
        "[0, 1, 0], "
        "normal: [0, 0, 1], position: [0, -0.2, 0.0303]}\n",
        round);
  low(s, i == 3 ? "rectangle: {width: 0.02, height: 0.02}" : round, i == 2 ? 0.01001 : 0.0101);
  put(s, "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n");
}
