/* tests/io/test_faults.c  Planted mistakes: each gives one message, at the right line and column, that says what is wrong. */
#include "toy.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* HEAD: lines 1 to 3.  A: a good body, line 4.  OPEN: a body up to line 6, its length missing.  FULL: up to line 7. */
#define HEAD "visviva: 1\ntime: {end: 1}\nbodies:\n"
#define A    "  a: {kind: toy, length: 1, material: {young: 1, density: 1}}\n"
#define OPEN HEAD "  a:\n    kind: toy\n    material: {young: 1, density: 1}\n"
#define FULL OPEN "    length: 1\n"
#define NAME "n1234567890123456789012345678901234567890123456789012345678901234"
#define TEN  "[[[[[[[[[["

typedef struct planted {
  const char *name, *text;
  int line, column; /* column 0: not looked at; line 0: the message names no line */
  const char *says;
} planted;

/* clang-format off */
static const planted numbers[] = {
  {"other unit",        OPEN "    length: 1.0kg\n", 7, 13, "bodies.a.length: '1.0kg' does not fit: it is in kg, and this key is in m"},
  {"unit of time",      OPEN "    length: 3 ms\n", 7, 13, "it is in s, and this key is in m"},
  {"decimal comma",     OPEN "    length: 1,5\n", 7, 13, "decimals are written with a point"},
  {"underscore",        OPEN "    length: 1_000\n", 7, 13, "unknown name '_000'"},
  {"hex",               OPEN "    length: 0x10\n", 7, 13, "written in decimals"},
  {"quoted",            OPEN "    length: \"1.0\"\n", 7, 13, "write it without quotes"},
  {"quoted single",     OPEN "    length: '1.0'\n", 7, 13, "write it without quotes"},
  {"word",              OPEN "    length: long\n", 7, 13, "expected a number, found 'long'"},
  {"boolean",           OPEN "    length: true\n", 7, 13, "expected a number, found 'true'"},
  {"nothing",           OPEN "    length:\n", 7, 0, "expected a number, found nothing"},
  {"nan",               OPEN "    length: nan\n", 7, 13, "not a finite number"},
  {".nan",              OPEN "    length: .NaN\n", 7, 13, "not a finite number"},
  {"-.inf",             OPEN "    length: -.inf\n", 7, 13, "not a finite number"},
  {"overflow",          OPEN "    length: 1e999\n", 7, 13, "too large"},
  {"underflow",         OPEN "    length: 1e-999\n", 7, 13, "too small"},
  {"bare exponent",     OPEN "    length: 1e\n", 7, 13, "unknown name 'e'"},
  {"half a formula",    OPEN "    length: 2*\n", 7, 13, "'2*' is not a number: it ends too early"},
  {"formula, range",    OPEN "    length: 2*-3\n", 7, 13, "2*-3 (-6) is out of range"},
  {"two readings",      OPEN "    length: 1/2 m\n", 7, 13, "write (a/b) c or a/(b c)"},
  {"unit of a ratio",   HEAD A "contacts: [{restitution: 1 mm}]\n", 5, 26, "takes a number without a unit"},
  {"units cancel",      OPEN "    length: 3 mm/(1 mm)\n", 7, 13, "its units cancel"},
  {"sum with a unit",   OPEN "    length: 3 mm + 1\n", 7, 13, "give the plain one a unit"},
  {"sum of two",        OPEN "    length: 3 mm + 1 ms\n", 7, 13, "a sum of m and s, which are different things"},
  {"no blank",          OPEN "    length: 1 Nm\n", 7, 13, "a product of units is written 'N m'"},
  {"power of a unit",   OPEN "    length: 1 m3\n", 7, 13, "a power of a unit is written m^3"},
  {"by zero",           OPEN "    length: 1/(2-2)\n", 7, 13, "a division by zero"},
  {"unclosed",          OPEN "    length: 2*(1+3\n", 7, 13, "')' is missing"},
  {"unknown function",  OPEN "    length: sinus(3)\n", 7, 13, "unknown function 'sinus'; known: sqrt"},
  {"root of less",      OPEN "    length: sqrt(-1)\n", 7, 13, "a root of a negative number"},
  {"nearly whole",      FULL "    elements: 0.3/0.1\n", 8, 15, "write round(...)"},
  {"units of a kind of its own", "visviva: 1\nunits: {length: cubit}\ntime: {end: 1}\nbodies:\n  a: {kind: toy, material: {young: 1, density: 1}, length: 1 m}\n", 5, 60, "'cubit', cannot be converted"},
  {"zero",              OPEN "    length: 0\n", 7, 13, "must be greater than 0 and at most 1e+06 m"},
  {"negative",          OPEN "    length: -3\n", 7, 13, "-3 is out of range"},
  {"above",             HEAD A "contacts: [{restitution: 1.5}]\n", 5, 26, "contacts[0].restitution: 1.5 is out of range; must be at least 0 and at most 1"},
  {"open above",        HEAD "  a: {kind: toy, length: 1, material: {young: 1, density: 1, poisson: 0.5}}\n", 4, 71, "greater than -1 and less than 0.5"},
  {"map for number",    OPEN "    length: {value: 1}\n", 7, 13, "expected a number, found a map"},
  {"list for number",   OPEN "    length: [1]\n", 7, 13, "expected a number, found a list"},
  {"broken integer",    FULL "    elements: 2.5\n", 8, 15, "2.5 is not a whole number"},
  {"huge integer",      FULL "    elements: 1e17\n", 8, 15, "too large for a whole number"},
  {"integer range",     FULL "    elements: 0\n", 8, 15, "at least 1"},
  {"short vector",      FULL "    axis: [0, 1]\n", 8, 11, "expected three numbers, found 2"},
  {"long vector",       HEAD A "gravity: [0, 0, 0, 0]\n", 5, 10, "expected three numbers, found 4"},
  {"number for vector", FULL "    axis: 1\n", 8, 11, "expected a list of three numbers, found '1'"},
  {"word in vector",    FULL "    axis: [0, up, 1]\n", 8, 15, "bodies.a.axis[1]: expected a number"},
  {"empty numbers",     FULL "    samples: []\n", 8, 14, "the list is empty"},
  {"item out of range", FULL "    samples: [1, 2, 11]\n", 8, 21, "bodies.a.samples[2]: 11 is out of range; must be at least 0 and at most 10 s"},
  {"list for either",   FULL "    pace: [1]\n", 8, 11, "expected a number or a map"},
  {"range of either",   FULL "    pace: 2\n", 8, 11, "at most 1 s"},
};

static const planted parameters[] = {
  {"no map",            "parameters: 3\n" HEAD A, 1, 1, "parameters: expected a map of names and numbers"},
  {"unit as a name",    "parameters: {mm: 3}\n" HEAD A, 1, 14, "'mm' cannot be a parameter: that is the name of a unit"},
  {"bad name",          "parameters: {a-b: 3}\n" HEAD A, 1, 14, "letters, digits and _"},
  {"twice",             "parameters: {b: 3, b: 4}\n" HEAD A, 1, 20, "'b' is written twice"},
  {"not yet known",     "parameters: {b: 2*c, c: 4}\n" HEAD A, 1, 17, "parameters: b: '2*c' is not a number: unknown name 'c'"},
  {"a list",            "parameters: {b: [1]}\n" HEAD A, 1, 17, "parameters: b: expected a number, found a list"},
  {"slip",              "parameters: {speed: 2}\n" OPEN "    length: 2*spede\n", 8, 13, "did you mean 'speed'?"},
  {"slip alone",        "parameters: {speed: 2}\n" OPEN "    length: spede\n", 8, 13, "did you mean 'speed'?"},
  {"other dimension",   "parameters: {speed: 2 m/s}\n" OPEN "    length: speed\n", 8, 13, "it is in m/s, and this key is in m"},
};

static const planted words[] = {
  {"unknown top word",  "visviva: 1\ntime: {end: 1}\ngravty: [0, 0, 0]\nbodies:\n" A, 3, 1, "toy.yaml:3:1: unknown key 'gravty'; did you mean 'gravity'?"},
  {"unknown, far",      HEAD A "wind: 3\n", 5, 1, "unknown key 'wind'; known: visviva, include, title"},
  {"unknown in body",   FULL "    colour: red\n", 8, 5, "bodies.a: unknown key 'colour'; known: length"},
  {"unknown for known", HEAD "  a: {kind: toy, lenght: 1, material: {young: 1, density: 1}}\n", 4, 18, "did you mean 'length'?"},
  {"unknown in group",  HEAD "  a: {kind: toy, length: 1, material: {yung: 1, density: 1}}\n", 4, 40, "bodies.a.material: unknown key 'yung'; did you mean 'young'?"},
  {"merge key",         FULL "    <<: {length: 2}\n", 8, 5, "unknown key '<<'"},
  {"missing in body",   OPEN, 4, 3, "bodies.a: 'length' is missing: a number in m"},
  {"missing in group",  HEAD "  a: {kind: toy, length: 1, material: {young: 1}}\n", 4, 29, "bodies.a.material: 'density' is missing"},
  {"missing group",     HEAD "  a: {kind: toy, length: 1}\n", 4, 3, "'material' is missing: a map"},
  {"missing in list",   FULL "    loads:\n      - {end: first}\n", 9, 9, "bodies.a.loads[0]: 'force' is missing"},
  {"missing time",      "visviva: 1\nbodies:\n" A, 1, 1, "'time' is missing"},
  {"missing version",   "time: {end: 1}\nbodies:\n" A, 1, 1, "'visviva' is missing: write `visviva: 1`, the version of this grammar"},
  {"missing bodies",    "visviva: 1\ntime: {end: 1}\ncontacts: [{between: [a, b]}]\n", 1, 1, "'bodies' is missing"},
  {"other version",     "visviva: 2\ntime: {end: 1}\nbodies:\n" A, 1, 10, "unknown value 2; only 1 is known"},
  {"twice, top",        HEAD A "time: {end: 2}\n", 5, 1, "'time' is written twice, first in line 2"},
  {"twice, in body",    FULL "    length: 2\n", 8, 5, "bodies.a: 'length' is written twice, first in line 7"},
  {"twice, kind",       FULL "    kind: toy\n", 8, 5, "'kind' is written twice"},
  {"wrong word",        HEAD A "method: {step: evnt}\n", 5, 16, "method.step: unknown value 'evnt'; did you mean 'event'?"},
  {"wrong word, far",   FULL "    mode: liquid\n", 8, 11, "unknown value 'liquid'; known: soft, hard, one-point"},
  {"list for word",     FULL "    mode: [soft]\n", 8, 11, "expected one of soft, hard, one-point, found a list"},
  {"yes for true",      FULL "    smooth: yes\n", 8, 13, "expected true or false, found 'yes'"},
  {"quoted boolean",    FULL "    smooth: 'true'\n", 8, 13, "expected true or false"},
  {"map for text",      HEAD A "title: {a: 1}\n", 5, 8, "expected a text, found a map"},
  {"no text",           HEAD A "title:\n", 5, 0, "expected a text, found nothing"},
  {"number for group",  HEAD A "units: 5\n", 5, 8, "units: expected a map, found '5'"},
  {"nothing for group", HEAD A "record:\n", 5, 0, "expected a map, found nothing"},
  {"map for list",      HEAD A "contacts: {between: all}\n", 5, 11, "expected a list of maps, [{between: ...}], found a map"},
  {"empty list",        FULL "    loads: []\n", 8, 12, "the list is empty"},
  {"word in list",      HEAD A "contacts: [all]\n", 5, 12, "contacts[0]: expected a map, found 'all'"},
  {"no choice",         FULL "    section: {}\n", 8, 14, "choose exactly one of square, box, tube, wire; found 0"},
  {"two choices",       FULL "    section: {square: 1, wire: {}}\n", 8, 14, "choose exactly one of square, box, tube, wire; found 2"},
  {"wrong choice",      FULL "    section: {squar: 1}\n", 8, 15, "unknown key 'squar'; did you mean 'square'?"},
  {"wrong bare choice", FULL "    section: wir\n", 8, 14, "unknown value 'wir'; did you mean 'wire'?"},
  {"bare, needs value", FULL "    section: tube\n", 8, 14, "'tube' needs a value: write {tube: ...}"},
  {"list for choice",   FULL "    section: [wire]\n", 8, 14, "choose one of"},
  {"inside a choice",   FULL "    loads: [{force: 1, history: {pulse: {duration: 0}}}]\n", 8, 52, "bodies.a.loads[0].history.pulse.duration: 0 is out of range"},
  {"missing in choice", FULL "    loads: [{force: 1, history: {ramp: {}}}]\n", 8, 34, "bodies.a.loads[0].history.ramp: 'duration' is missing"},
};

static const planted bodies[] = {
  {"unknown kind",      HEAD "  a: {kind: tyo, length: 1}\n", 4, 13, "bodies.a.kind: unknown kind 'tyo'; did you mean 'toy'?"},
  {"missing kind",      HEAD "  a: {length: 1}\n", 4, 3, "bodies.a: 'kind' is missing: one of toy, wall"},
  {"misspelt kind",     HEAD "  a: {knd: toy, length: 1}\n", 4, 7, "unknown key 'knd'; did you mean 'kind'?"},
  {"kind is a map",     HEAD "  a: {kind: {toy: 1}}\n", 4, 13, "expected one of toy, wall, found a map"},
  {"body is a number",  HEAD "  a: 5\n", 4, 6, "bodies.a: expected a map with the keys of a body, found '5'"},
  {"bodies is a list",  "visviva: 1\ntime: {end: 1}\nbodies: [{kind: toy}]\n", 3, 9, "expected a map of bodies, found a list"},
  {"no bodies",         "visviva: 1\ntime: {end: 1}\nbodies: {}\n", 3, 9, "at least one body"},
  {"name twice",        HEAD A A, 5, 3, "body 'a' is written twice, first in line 4"},
  {"odd name",          HEAD "  a b: {kind: wall}\n", 4, 3, "the name 'a b' may only have letters"},
  {"dotted name",       HEAD "  a.b: {kind: wall}\n", 4, 3, "the name 'a.b'"},
  {"foreign name",      HEAD "  \xc3\xa9: {kind: wall}\n", 4, 3, "may only have letters"},
  {"empty name",        HEAD "  '': {kind: wall}\n", 4, 3, "the name of a body is empty"},
  {"long name",         HEAD "  " NAME ": {kind: wall}\n", 4, 3, "longer than 64"},
  {"unknown body",      HEAD "  left: {kind: wall}\n  b: {kind: wall}\ncontacts: [{between: [lefd, b]}]\n", 6, 23, "contacts[0].between[0]: unknown body 'lefd'; did you mean 'left'?"},
  {"same body twice",   HEAD A "contacts: [{between: [a, a]}]\n", 5, 26, "body 'a' is named twice"},
  {"name not in list",  HEAD A "contacts: [{between: a}]\n", 5, 22, "expected a list of body names or all, found 'a'"},
  {"misspelt all",      HEAD A "contacts: [{between: al}]\n", 5, 22, "did you mean 'all'?"},
  {"no names",          HEAD A "contacts: [{between: []}]\n", 5, 22, "the list is empty"},
  {"map in names",      HEAD A "contacts: [{between: [{a: 1}]}]\n", 5, 23, "expected the name of a body, found a map"},
};

static const planted yaml[] = {
  {"empty",             "", 0, 0, "the scene is empty"},
  {"only a comment",    "# nothing\n", 0, 0, "the scene is empty"},
  {"a scalar",          "hello\n", 1, 1, "a scene is a map"},
  {"a list",            "- a\n- b\n", 1, 1, "a scene is a map"},
  {"unclosed list",     HEAD A "gravity: [0, 0\n", 6, 1, "that begins at 5:10"},
  {"unclosed quote",    HEAD A "title: \"open\n", 6, 1, "quoted scalar"},
  {"tab",               "visviva: 1\ntime:\n\tend: 1\n", 3, 1, "a tab; indent with blanks"},
  {"bad indent",        "visviva: 1\ntime:\n    end: 1\n  step: 2\n", 4, 0, "block mapping"},
  {"no colon",          "visviva: 1\ntime\nbodies: {}\n", 3, 0, "':'"},
  {"two documents",     HEAD A "---\nvisviva: 1\n", 5, 1, "a second document"},
  {"anchor",            FULL "    mode: &m soft\n", 8, 11, "anchors (&name) are not allowed"},
  {"tag",               FULL "    mode: !!str soft\n", 8, 11, "tags (!name) are not allowed"},
  {"lone tag",          FULL "    mode: ! soft\n", 8, 11, "tags (!name) are not allowed"},
  {"tagged map",        HEAD A "units: !u {mass: g}\n", 5, 8, "tags (!name) are not allowed"},
  {"map as key",        HEAD A "? {a: 1}\n: 2\n", 5, 3, "a key must be a word"},
  {"deep",              "a: " TEN TEN TEN TEN "\n", 1, 35, "nested too deeply"},
  {"not UTF-8",         "visviva: 1\ntitle: caf\xe9\n", 2, 11, "not UTF-8"},
  {"overlong UTF-8",    "title: \xc0\xaf\n", 1, 8, "not UTF-8"},
  {"control character", "visviva: 1\ntitle: a\x01" "b\n", 2, 9, "control characters"},
  {"zero by escape",    HEAD A "title: \"a\\0b\"\n", 5, 8, "zero byte"},
};
/* clang-format on */

static void check_place(const planted *p, const char *message)
{
  int line = 0, column = 0;
  const int found = sscanf(message, "toy.yaml:%d:%d:", &line, &column);
  if (p->line > 0 && (found != 2 || line != p->line || (p->column > 0 && column != p->column)))
    fail_msg("%s: expected %d:%d: %s", p->name, p->line, p->column, message);
  if (strstr(message, p->says) == NULL) fail_msg("%s: expected \"%s\": %s", p->name, p->says, message);
}

static void check_all(const planted *p, int n)
{
  for (int i = 0; i < n; i++) {
    vv_ctx *ctx = toy_ctx();
    vvi_arena arena = {0};
    const vv_group *root = NULL;
    const vv_status status = toy_bind(ctx, p[i].text, &arena, &root);
    if (status != VV_SCENE || root != NULL) fail_msg("%s: status %d", p[i].name, (int)status);
    if (vv_ctx_message_count(ctx) != 1)
      fail_msg("%s: %d messages, the second: %s", p[i].name, vv_ctx_message_count(ctx), vv_ctx_message(ctx, 1));
    check_place(&p[i], vv_ctx_message(ctx, 0));
    vvi_arena_free(&arena);
    vv_ctx_destroy(ctx);
  }
}

static void faults_of_numbers(void **state)
{
  (void)state;
  check_all(numbers, VV_COUNT(numbers));
}

static void faults_of_parameters(void **state)
{
  (void)state;
  check_all(parameters, VV_COUNT(parameters));
}

static void faults_of_words(void **state)
{
  (void)state;
  check_all(words, VV_COUNT(words));
}

static void faults_of_bodies(void **state)
{
  (void)state;
  check_all(bodies, VV_COUNT(bodies));
}

static void faults_of_yaml(void **state)
{
  (void)state;
  check_all(yaml, VV_COUNT(yaml));
}

/* What the tables stand on: without the fault these are good scenes. */
static void the_stage_is_sound(void **state)
{
  (void)state;
  static const char *const good[] = {HEAD A, FULL, "\xef\xbb\xbf" HEAD A, "%YAML 1.1\n---\n" HEAD A "...\n",
                                     FULL "    elements: 5.0\n    pace: +.5\n"};
  for (int i = 0; i < VV_COUNT(good); i++) {
    vv_ctx *ctx = toy_ctx();
    vvi_arena arena = {0};
    const vv_group *root = NULL;
    if (toy_bind(ctx, good[i], &arena, &root) != VV_OK) fail_msg("%d: %s", i, vv_ctx_message(ctx, 0));
    assert_int_equal(vv_ctx_message_count(ctx), 0);
    vvi_arena_free(&arena);
    vv_ctx_destroy(ctx);
  }
}

static void five_faults_five_messages(void **state)
{
  (void)state;
  static const char text[] = "visviva: 1\n"
                             "time: {end: -1}\n"
                             "gravty: [0, 0, 0]\n"
                             "bodies:\n"
                             "  a: {kind: toy, length: 1kg, material: {yung: 1, density: 1}}\n"
                             "contacts: [{between: [a, b]}]\n";
  static const char *const says[] = {"toy.yaml:2:13: time.end", "toy.yaml:3:1: unknown key",
                                     "toy.yaml:5:26: bodies.a.length", "toy.yaml:5:42: bodies.a.material",
                                     "toy.yaml:6:26: contacts[0].between[1]"};
  vv_ctx *ctx = toy_ctx();
  vvi_arena arena = {0};
  const vv_group *root = NULL;
  assert_int_equal(toy_bind(ctx, text, &arena, &root), VV_SCENE);
  assert_int_equal(vv_ctx_message_count(ctx), 5);
  for (int i = 0; i < VV_COUNT(says); i++) {
    int hits = 0;
    for (int k = 0; k < 5; k++) hits += strncmp(vv_ctx_message(ctx, k), says[i], strlen(says[i])) == 0;
    if (hits != 1) fail_msg("%d messages begin with %s", hits, says[i]);
  }
  vvi_arena_free(&arena);
  vv_ctx_destroy(ctx);
}

/* Several refusals of the reader itself are also told at once. */
static void anchors_and_aliases_are_all_named(void **state)
{
  (void)state;
  vv_ctx *ctx = toy_ctx();
  vvi_arena arena = {0};
  const vv_group *root = NULL;
  assert_int_equal(toy_bind(ctx, "a: &x [1]\nb: *x\nc: !t 5\n", &arena, &root), VV_SCENE);
  assert_int_equal(vv_ctx_message_count(ctx), 3);
  assert_non_null(strstr(vv_ctx_message(ctx, 1), "toy.yaml:2:4: aliases (*name)"));
  vvi_arena_free(&arena);
  vv_ctx_destroy(ctx);
}

/* A file full of mistakes is cut off, not walked to its end. */
static void a_thousand_faults(void **state)
{
  (void)state;
  enum { LINES = 1000, BYTES = 32 };
  char *text = calloc(LINES + 1, BYTES);
  assert_non_null(text);
  size_t n = 0;
  for (int i = 0; i < LINES; i++) n += (size_t)snprintf(text + n, BYTES, "wrong%d: 1\n", i);
  vv_ctx *ctx = toy_ctx();
  vvi_arena arena = {0};
  const vv_group *root = NULL;
  assert_int_equal(toy_bind(ctx, text, &arena, &root), VV_SCENE);
  assert_int_equal(vv_ctx_message_count(ctx), 100);
  assert_non_null(strstr(vv_ctx_message(ctx, 99), "and more"));
  vvi_arena_free(&arena);
  vv_ctx_destroy(ctx);
  free(text);
}

/* ---- files ---- */

static void write_file(const char *path, const char *text, size_t bytes)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_true(fwrite(text, 1, bytes, file) == bytes);
  assert_int_equal(fclose(file), 0);
}

static void read_fails(const char *path, vv_status expected, const char *says)
{
  vv_ctx *ctx = toy_ctx();
  vv_spec *spec = NULL;
  assert_int_equal(vv_scene_read(ctx, path, &spec), expected);
  assert_null(spec);
  assert_int_equal(vv_ctx_message_count(ctx), 1);
  if (strstr(vv_ctx_message(ctx, 0), says) == NULL) fail_msg("%s: %s", path, vv_ctx_message(ctx, 0));
  vv_ctx_destroy(ctx);
}

static void faults_of_files(void **state)
{
  (void)state;
  read_fails("no_such_scene.yaml", VV_IO, "no_such_scene.yaml: No such file");
  read_fails(".", VV_IO, "is a directory");
  write_file("empty.yaml", "", 0);
  read_fails("empty.yaml", VV_SCENE, "the scene is empty");
  write_file("binary.yaml",
             "visviva: 1\n\x7f"
             "ELF\0\0\0",
             18);
  read_fails("binary.yaml", VV_SCENE, "binary.yaml:2:5: a zero byte");
  write_file("utf16.yaml",
             "\xff\xfe"
             "a\0:\0",
             6);
  read_fails("utf16.yaml", VV_SCENE, "utf16.yaml:1:");
  remove("empty.yaml"), remove("binary.yaml"), remove("utf16.yaml");
  write_file("closed.yaml", "visviva: 1\n", 11);
  assert_int_equal(chmod("closed.yaml", 0), 0);
  if (geteuid() != 0) read_fails("closed.yaml", VV_IO, "Permission denied"); /* root may read anything */
  assert_int_equal(remove("closed.yaml"), 0);
}

static void a_file_that_is_too_large(void **state)
{
  (void)state;
  write_file("large.yaml", "a: 1\n", 5);
  assert_int_equal(truncate("large.yaml", (64 << 20) + 1), 0);
  read_fails("large.yaml", VV_SCENE, "larger than 64 MiB");
  assert_int_equal(remove("large.yaml"), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_stage_is_sound),        cmocka_unit_test(faults_of_numbers),
      cmocka_unit_test(faults_of_parameters),      cmocka_unit_test(faults_of_words),
      cmocka_unit_test(faults_of_bodies),          cmocka_unit_test(faults_of_yaml),
      cmocka_unit_test(five_faults_five_messages), cmocka_unit_test(anchors_and_aliases_are_all_named),
      cmocka_unit_test(a_thousand_faults),         cmocka_unit_test(faults_of_files),
      cmocka_unit_test(a_file_that_is_too_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
