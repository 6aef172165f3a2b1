/* tests/io/test_words.c  From words to groups: defaults, accessors, the editable spec, the echoed scene, the reference. */
#include "toy.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char small[] = "visviva: 1\n"
                            "time: {end: 2}\n"
                            "bodies:\n"
                            "  a: {kind: toy, length: 3, material: {young: 5, density: 7}}\n";

static const char large[] =
    "visviva: 1\n"
    "title: 'A: \"large\" one'\n"
    "units: {length: mm, mass: g, time: ms}\n"
    "time: {end: 1e-3, step: 1.5e-7}\n"
    "method: {step: leapfrog, order: 4}\n"
    "gravity: [0, 0, -9.80665]\n"
    "bodies:\n"
    "  left-1:\n"
    "    kind: toy\n"
    "    length: 0.1\n"
    "    elements: 1e3\n"
    "    smooth: false\n"
    "    label: \"tab\\t quote \\\" back \\\\ bell \\a line\\n nel \\N ls \\L bom \\uFEFF \\u00e9 \\U0001F600 end \"\n"
    "    mode: one-point\n"
    "    axis: [0.33333333333333331, -0.0, 5e-324]\n"
    "    samples: [0, 1, 2.5, 10]\n"
    "    material: {young: 2.1e11, density: 7850}\n"
    "    tips: {first: split}\n"
    "    partners: [right_2, 3]\n"
    "    loads:\n"
    "      - {force: 1, history: {pulse: {duration: 0.1}}}\n"
    "      - {force: -2.5e300, end: first, history: {table: {time: [0, 1], value: [3, 4]}}}\n"
    "      - {force: 3, history: constant}\n"
    "    section: {tube: {outer: 2}}\n"
    "    pace: 0.125\n"
    "  right_2: {kind: toy, length: 1, material: {young: 1, density: 1}, section: wire, partners: all}\n"
    "  3: {kind: wall}\n"
    "contacts:\n"
    "  - {restitution: 0.5}\n"
    "  - {between: [left-1, 3], friction: 0.25, response: none}\n"
    "record: {every: 0.5, paraview: false}\n";

typedef struct fixture {
  vv_ctx *ctx;
  vvi_arena arena;
  const vv_group *root;
} fixture;

static void open_scene(fixture *f, const char *text)
{
  *f = (fixture){.ctx = toy_ctx()};
  const vv_status status = toy_bind(f->ctx, text, &f->arena, &f->root);
  if (status != VV_OK) print_message("%s\n", vv_ctx_message(f->ctx, 0));
  assert_int_equal(status, VV_OK);
}

static void close_scene(fixture *f)
{
  vvi_arena_free(&f->arena);
  vv_ctx_destroy(f->ctx);
}

static uint64_t hash_of(const char *text)
{
  fixture f;
  open_scene(&f, text);
  const uint64_t hash = vvi_group_hash(f.root);
  close_scene(&f);
  return hash;
}

/* ---- defaults and accessors ---- */

static void defaults_of_the_scene(void **state)
{
  (void)state;
  fixture f;
  int n = 0;
  open_scene(&f, small);
  assert_string_equal(vv_text(f.root, "title"), "untitled");
  assert_false(vv_given(f.root, "title"));
  assert_true(vv_given(f.root, "visviva"));
  assert_string_equal(vv_text(vv_sub(f.root, "units"), "mass"), "kg");
  const vv_group *time = vv_sub(f.root, "time");
  assert_true(vv_number(time, "end") == 2.0 && vv_given(time, "end") && !vv_given(time, "step"));
  assert_null(vv_sub(time, "step")); /* chosen by what is in the scene */
  assert_true(vv_is(vv_sub(f.root, "method"), "step", "auto"));
  assert_int_equal(vv_integer(vv_sub(f.root, "method"), "order"), 2);
  assert_true(vv_number(vv_sub(f.root, "method"), "order") == 2.0);
  const double *gravity = vv_numbers(f.root, "gravity", &n);
  assert_int_equal(n, 3);
  assert_true(gravity[0] == 0 && gravity[1] == 0 && gravity[2] == 0);
  assert_int_equal(vv_count(f.root, "contacts"), 1);
  const vv_group *contact = vv_item(f.root, "contacts", 0);
  assert_true(vv_is(contact, "between", "all") && vv_names(contact, "between") == 0 && !vv_given(contact, "between"));
  const vv_group *record = vv_sub(f.root, "record");
  assert_false(vv_has(record, "every"));
  assert_true(vv_boolean(record, "paraview"));
  close_scene(&f);
}

static void defaults_of_a_body(void **state)
{
  (void)state;
  fixture f;
  open_scene(&f, small);
  assert_int_equal(vv_count(f.root, "bodies"), 1);
  assert_string_equal(vv_item_name(f.root, "bodies", 0), "a");
  const vv_group *a = vv_item(f.root, "bodies", 0);
  assert_string_equal(vv_text(a, "kind"), "toy");
  assert_true(vv_is(a, "kind", "toy") && vv_has(a, "kind") && vv_given(a, "kind"));
  assert_string_equal(vv_schema_name(a), "toy");
  assert_true(vv_has(a, "tips") && !vv_given(a, "tips"));
  assert_true(vv_number(vv_sub(a, "tips"), "split") == 0.25);
  assert_false(vv_has(a, "loads") || vv_has(a, "samples"));
  assert_true(vv_number(vv_sub(a, "material"), "poisson") == 0.3);
  assert_string_equal(vv_text(a, "section"), "square");
  assert_true(vv_number(vv_sub(a, "section"), "square") == 0.5);
  assert_true(vv_is(a, "partners", "none"));
  close_scene(&f);
}

static void values_as_written(void **state)
{
  (void)state;
  fixture f;
  int n = 0;
  open_scene(&f, large);
  const vv_group *left = vv_item(f.root, "bodies", 0), *time = vv_sub(f.root, "time");
  assert_null(vv_sub(time, "step"));
  assert_true(vv_number(time, "step") == 1.5e-7);
  assert_int_equal(vv_integer(left, "elements"), 1000);
  assert_false(vv_boolean(left, "smooth"));
  assert_string_equal(vv_text(left, "mode"), "one-point");
  const double *axis = vv_numbers(left, "axis", &n);
  assert_true(n == 3 && axis[0] == 1.0 / 3.0 && signbit(axis[1]) && axis[2] == 5e-324);
  assert_true(vv_numbers(left, "samples", &n)[2] == 2.5 && n == 4);
  assert_int_equal(vv_names(left, "partners"), 2);
  assert_string_equal(vv_name_at(left, "partners", 1), "3");
  assert_string_equal(vv_text(left, "partners"), "");
  assert_true(vv_number(left, "pace") == 0.125 && vv_sub(left, "pace") == NULL);
  close_scene(&f);
}

static void choices_and_lists(void **state)
{
  (void)state;
  fixture f;
  int n = 0;
  open_scene(&f, large);
  const vv_group *left = vv_item(f.root, "bodies", 0), *right = vv_item(f.root, "bodies", 1);
  assert_int_equal(vv_count(left, "loads"), 3);
  const vv_group *pulse = vv_item(left, "loads", 0), *table = vv_item(left, "loads", 1);
  assert_true(vv_is(pulse, "history", "pulse") && vv_number(vv_sub(pulse, "history"), "duration") == 0.1);
  assert_true(vv_number(vv_sub(pulse, "history"), "amplitude") == 1.0);
  assert_true(vv_numbers(vv_sub(table, "history"), "value", &n)[1] == 4.0 && n == 2);
  assert_true(vv_is(vv_item(left, "loads", 2), "history", "constant"));
  assert_true(vv_is(left, "section", "tube") && vv_number(vv_sub(left, "section"), "outer") == 2.0);
  assert_true(vv_is(right, "section", "wire"));
  assert_string_equal(vv_schema_name(vv_sub(right, "section")), "none");
  assert_string_equal(vv_name_at(vv_item(f.root, "contacts", 1), "between", 0), "left-1");
  assert_string_equal(vv_item_name(f.root, "bodies", 2), "3");
  close_scene(&f);
}

/* ---- complaints ---- */

static void complaints_name_the_place(void **state)
{
  (void)state;
  fixture f;
  open_scene(&f, small);
  const vv_group *a = vv_item(f.root, "bodies", 0);
  assert_int_equal(vv_complain(vv_sub(a, "material"), "young", "is %d", 5), VV_SCENE);
  vv_complain(a, "mode", "is a default: the body is named");
  vv_complain(vv_sub(a, "tips"), "first", "neither is written");
  vv_complain(a, NULL, "itself");
  vv_complain(a, "kind", "this one");
  vv_complain(f.root, NULL, "whole");
  static const char *const expected[] = {
      "toy.yaml:4:47: bodies.a.material.young: is 5",
      "toy.yaml:4:3: bodies.a.mode: is a default: the body is named",
      "toy.yaml:4:3: bodies.a.tips.first: neither is written",
      "toy.yaml:4:3: bodies.a: itself",
      "toy.yaml:4:3: bodies.a.kind: this one",
      "toy.yaml:1:1: whole",
  };
  assert_int_equal(vv_ctx_message_count(f.ctx), VV_COUNT(expected));
  for (int i = 0; i < VV_COUNT(expected); i++) assert_string_equal(vv_ctx_message(f.ctx, i), expected[i]);
  close_scene(&f);
}

/* ---- the editable spec ---- */

static vv_status bind_spec(vv_ctx *ctx, const vv_spec *spec, uint64_t *hash)
{
  vvi_arena arena = {0};
  const vv_group *root = NULL;
  const vv_status status = vvi_bind(ctx, spec, &arena, &root);
  if (root != NULL) *hash = vvi_group_hash(root);
  vvi_arena_free(&arena);
  return status;
}

static void a_spec_built_by_hand(void **state)
{
  (void)state;
  vv_ctx *ctx = toy_ctx();
  vv_spec *s = NULL;
  uint64_t hash = 0;
  const double gravity[3] = {0.1, -1.0 / 3.0, 1e-300};
  assert_int_equal(vv_spec_create(ctx, &s), VV_OK);
  assert_int_equal(vv_spec_set(s, "visviva", "1"), VV_OK);
  assert_int_equal(vv_spec_set(s, "title", "Free text: needs no {quotes}"), VV_OK);
  assert_int_equal(vv_spec_set_number(s, "time.end", 0.1), VV_OK);
  assert_int_equal(vv_spec_set_numbers(s, "gravity", 3, gravity), VV_OK);
  assert_int_equal(vv_spec_set(s, "bodies.a", "{kind: toy, length: 3, material: {young: 5, density: 7}}"), VV_OK);
  assert_int_equal(vv_spec_set(s, "bodies.b.kind", "wall"), VV_OK);
  assert_int_equal(vv_spec_set(s, "bodies.a.label", "\"[quoted] \\\"text\\\"\""), VV_OK);
  assert_int_equal(vv_spec_set(s, "bodies.a.loads[0].force", "1"), VV_OK);
  assert_int_equal(vv_spec_set(s, "bodies.a.loads[0].history", "constant"), VV_OK);
  assert_int_equal(vv_spec_set(s, "bodies.a.loads[0].history.pulse.duration", "2"), VV_OK);
  assert_int_equal(vv_spec_set(s, "contacts[0].between", "[a, b]"), VV_OK);
  assert_int_equal(vv_spec_set(s, "contacts[1]", "{friction: 0.5}"), VV_OK);
  assert_int_equal(bind_spec(ctx, s, &hash), VV_OK);
  assert_true(hash ==
              hash_of("visviva: 1\ntime: {end: 0.1}\n"
                      "gravity: [0.1, -0.33333333333333331, 1e-300]\n"
                      "bodies:\n"
                      "  a: {kind: toy, length: 3, label: '[quoted] \"text\"', material: {young: 5, density: 7},\n"
                      "      loads: [{force: 1, history: {pulse: {duration: 2}}}]}\n"
                      "  b: {kind: wall}\n"
                      "contacts: [{between: [a, b]}, {friction: 0.5}]\n"));
  vv_spec_destroy(s);
  vv_ctx_destroy(ctx);
}

static void edits_replace_and_remove(void **state)
{
  (void)state;
  vv_ctx *ctx = toy_ctx();
  vv_spec *s = NULL;
  uint64_t hash = 0;
  assert_int_equal(vv_scene_parse(ctx, "toy.yaml", small, strlen(small), &s), VV_OK);
  assert_int_equal(vv_spec_set_number(s, "bodies.a.length", 8), VV_OK);
  assert_int_equal(vv_spec_set_number(s, "bodies.a.length", 4), VV_OK);
  assert_int_equal(vv_spec_set(s, "gravity", "[1, 2, 3]"), VV_OK);
  assert_int_equal(vv_spec_set(s, "gravity[1]", "5"), VV_OK);
  assert_int_equal(vv_spec_set(s, "contacts[0].between", "all"), VV_OK);
  assert_int_equal(vv_spec_set(s, "contacts[1].friction", "1"), VV_OK);
  assert_int_equal(vv_spec_remove(s, "contacts[0]"), VV_OK);
  assert_int_equal(vv_spec_set(s, "contacts[1].friction", "2"), VV_OK);
  assert_int_equal(vv_spec_remove(s, "contacts[1]"), VV_OK);
  assert_int_equal(bind_spec(ctx, s, &hash), VV_OK);
  assert_true(hash == hash_of("visviva: 1\ntime: {end: 2}\ngravity: [1, 5, 3]\ncontacts: [{friction: 1}]\n"
                              "bodies: {a: {kind: toy, length: 4, material: {young: 5, density: 7}}}\n"));
  assert_int_equal(vv_spec_set(s, "bodies.a.material.young", "soft"), VV_OK);
  assert_int_equal(bind_spec(ctx, s, &hash), VV_SCENE);
  assert_string_equal(vv_ctx_message(ctx, 0),
                      "toy.yaml:4:29: bodies.a.material.young: expected a number, found 'soft'");
  vv_spec_destroy(s);
  vv_ctx_destroy(ctx);
}

static void edits_that_are_refused(void **state)
{
  (void)state;
  vv_ctx *ctx = toy_ctx();
  vv_spec *s = NULL;
  char deep[200] = "a";
  for (int i = 0; i < 40; i++) strcat(deep, ".b");
  assert_int_equal(vv_scene_parse(ctx, NULL, small, strlen(small), &s), VV_OK);
  static const char *const bad[] = {"",    ".",     "a..b", "a.",   "[0]",   "a[",
                                    "a[]", "a[-1]", "a[x]", "a[1]", "a[0]b", "time[0]"};
  for (int i = 0; i < VV_COUNT(bad); i++) assert_int_equal(vv_spec_set(s, bad[i], "1"), VV_ARG);
  assert_int_equal(vv_spec_set(s, deep, "1"), VV_ARG);
  static const char *const text[] = {"[1, 2", "{a: 1", "{a}", "[1] 2", "\"open", "[,]", "\xff"};
  for (int i = 0; i < VV_COUNT(text); i++) assert_int_equal(vv_spec_set(s, "x", text[i]), VV_ARG);
  assert_int_equal(vv_spec_remove(s, "nothing"), VV_ARG);
  assert_int_equal(vv_spec_remove(s, "time.end.x"), VV_ARG);
  assert_int_equal(vv_spec_set_numbers(s, "gravity", 0, (const double[]){0}), VV_ARG);
  vv_spec_destroy(s);
  vv_ctx_destroy(ctx);
}

static void faults_without_a_file(void **state)
{
  (void)state;
  vv_ctx *ctx = toy_ctx();
  vv_spec *s = NULL;
  uint64_t hash = 0;
  assert_int_equal(vv_spec_create(ctx, &s), VV_OK);
  assert_int_equal(vv_spec_set(s, "visviva", "1"), VV_OK);
  assert_int_equal(vv_spec_set_number(s, "time.end", NAN), VV_OK);
  assert_int_equal(vv_spec_set(s, "bodies.a.kind", "tox"), VV_OK);
  assert_int_equal(bind_spec(ctx, s, &hash), VV_SCENE);
  assert_int_equal(vv_ctx_message_count(ctx), 2);
  assert_string_equal(vv_ctx_message(ctx, 0), "scene: time.end: 'nan' is not a finite number");
  assert_string_equal(vv_ctx_message(ctx, 1), "scene: bodies.a.kind: unknown kind 'tox'; did you mean 'toy'?");
  vv_spec_destroy(s);
  vv_ctx_destroy(ctx);
}

/* ---- hash ---- */

static void what_the_hash_sees(void **state)
{
  (void)state;
  const uint64_t h = hash_of(small);
  static const char rest[] = "bodies: {a: {material: {density: 7, young: 5}, length: 3.0, kind: toy}}\n";
  static const struct {
    const char *head;
    bool same;
  } row[] = {
      {"time: {end: 2.0}\nvisviva: 1\n", true}, /* order and spelling */
      {"visviva: 1\ntime: {end: 2}\ntitle: x\nrecord: {every: 1}\n", true},
      {"visviva: 1\ntime: {end: 2}\ncontacts: [{between: all}]\n", true}, /* defaults */
      {"visviva: 1\ntime: {end: 2.0000000000000004}\n", true},            /* a run may be continued for longer */
      {"visviva: 1\ntime: {end: 2, step: {safety: 0.8}}\n", false},       /* a step of its own */
      {"visviva: 1\ntime: {end: 2, step: 0.8}\n", false},
      {"visviva: 1\ntime: {end: 2}\ngravity: [0, 0, -0.0]\n", false},
      {"visviva: 1\ntime: {end: 2}\ncontacts: [{between: all}, {between: all}]\n", false},
      {"visviva: 1\ntime: {end: 2}\nunits: {length: mm}\n", false},
  };
  for (int i = 0; i < VV_COUNT(row); i++) {
    char text[512];
    snprintf(text, sizeof text, "%s%s", row[i].head, rest);
    if ((hash_of(text) == h) != row[i].same) fail_msg("row %d", i);
  }
  assert_true(
      h !=
      hash_of("visviva: 1\ntime: {end: 2}\nbodies: {b: {kind: toy, length: 3, material: {young: 5, density: 7}}}\n"));
}

/* ---- the echoed scene ---- */

static vv_status read_back(vv_ctx *ctx, const char *path, vvi_arena *arena, const vv_group **root)
{
  vv_spec *spec = NULL;
  vv_status status = vv_scene_read(ctx, path, &spec);
  if (status == VV_OK) status = vvi_bind(ctx, spec, arena, root);
  vv_spec_destroy(spec);
  return status;
}

static void echo_reads_back(const char *text)
{
  fixture f;
  open_scene(&f, text);
  const vv_model model = {.ctx = f.ctx, .root = f.root};
  const vv_group *again = NULL;
  assert_int_equal(vv_scene_write(&model, "echo.yaml"), VV_OK);
  const vv_status status = read_back(f.ctx, "echo.yaml", &f.arena, &again);
  if (status != VV_OK) print_message("%s\n", vv_ctx_message(f.ctx, 0));
  assert_int_equal(status, VV_OK);
  assert_true(vvi_group_hash(again) == vvi_group_hash(f.root));
  assert_string_equal(vv_text(again, "title"), vv_text(f.root, "title"));
  assert_true(vv_has(vv_sub(again, "record"), "every") == vv_has(vv_sub(f.root, "record"), "every"));
  const vv_group *a = vv_item(f.root, "bodies", 0), *b = vv_item(again, "bodies", 0);
  assert_string_equal(vv_text(a, "label"), vv_text(b, "label"));
  assert_true(vv_given(b, "axis"));
  close_scene(&f);
}

static void echo_round_trip(void **state)
{
  (void)state;
  echo_reads_back(small);
  echo_reads_back(large);
}

static char *whole_file(const char *path)
{
  FILE *file = fopen(path, "rb");
  char *text = calloc(1, 1 << 20);
  assert_non_null(file);
  assert_non_null(text);
  assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
  fclose(file);
  return text;
}

static void echo_is_readable(void **state)
{
  (void)state;
  fixture f;
  open_scene(&f, small);
  const vv_model model = {.ctx = f.ctx, .root = f.root};
  assert_int_equal(vv_scene_write(&model, "echo.yaml"), VV_OK);
  char *text = whole_file("echo.yaml");
  assert_non_null(strstr(text, "visviva " VV_VERSION));
  assert_non_null(strstr(text, "length \"m\", mass \"kg\", time \"s\""));
  assert_non_null(strstr(text, "\n      young: 5  # Pa\n"));
  assert_non_null(strstr(text, "\n      poisson: 0.3\n"));
  assert_non_null(strstr(text, "\n  - between: all\n    restitution: 1\n"));
  free(text);
  assert_int_equal(vv_scene_write(&model, "no/such/folder/echo.yaml"), VV_IO);
  assert_true(vv_ctx_message_count(f.ctx) > 0);
  close_scene(&f);
}

static void a_comma_locale_changes_nothing(void **state)
{
  (void)state;
  static const char *const name[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "fr_FR.utf8"};
  bool found = false;
  for (int i = 0; i < VV_COUNT(name) && !found; i++) found = setlocale(LC_ALL, name[i]) != NULL;
  if (!found) skip();
  echo_reads_back(large);
  setlocale(LC_ALL, "C");
}

static void reference_shows_every_word(void **state)
{
  (void)state;
  vv_ctx *ctx = toy_ctx();
  assert_int_equal(vv_scene_reference(ctx, "reference.md"), VV_OK);
  char *text = whole_file("reference.md");
  static const char *const line[] = {
      "| `length` | a number | m | required | above 0, up to 1e+06 | size |\n",
      "| `smooth` | true or false |  | `true` |  | yes or no \\| never both |\n",
      "| `mode` | a keyword |  | `soft` | `soft`, `hard`, `one-point` | how |\n",
      "| `samples` | a list of numbers | s | none | from 0, up to 10 | times |\n",
      "### `toy.section.tube`\n",
      "### `toy.loads[].history`\n",
      "## history\n",
      "### `time.step`\n",
      "- `wall`: a body without words\n",
  };
  for (int i = 0; i < VV_COUNT(line); i++)
    if (strstr(text, line[i]) == NULL) fail_msg("not on the page: %s", line[i]);
  free(text);
  assert_int_equal(vv_scene_reference(ctx, "no/such/folder/reference.md"), VV_IO);
  vv_ctx_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_of_the_scene),
      cmocka_unit_test(defaults_of_a_body),
      cmocka_unit_test(values_as_written),
      cmocka_unit_test(choices_and_lists),
      cmocka_unit_test(complaints_name_the_place),
      cmocka_unit_test(a_spec_built_by_hand),
      cmocka_unit_test(edits_replace_and_remove),
      cmocka_unit_test(edits_that_are_refused),
      cmocka_unit_test(faults_without_a_file),
      cmocka_unit_test(what_the_hash_sees),
      cmocka_unit_test(echo_round_trip),
      cmocka_unit_test(echo_is_readable),
      cmocka_unit_test(a_comma_locale_changes_nothing),
      cmocka_unit_test(reference_shows_every_word),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
