/* tests/io/test_table.c  Tables of numbers beside a scene: what is read, and every planted fault with its line. */
#include "toy.h"

#include "check.h"
#include "model/table.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char known[] = "x|y|d1x|d1";

static void write_file(const char *name, const char *text, size_t length)
{
  FILE *f = fopen(name, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(text, 1, length, f), length);
  assert_int_equal(fclose(f), 0);
}

/* Reads `file` through the text field `label` of a toy in the scene `source`; messages are joined. */
static vv_status read_at(const char *source, const char *file, vvi_columns *t, char *message, size_t size)
{
  char text[512];
  vv_ctx *ctx = toy_ctx();
  vvi_arena arena = {0};
  const vv_group *root = NULL;
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 2}\nbodies:\n"
           "  a: {kind: toy, length: 3, material: {young: 5, density: 7}, label: '%s'}\n",
           file);
  vv_spec *spec = NULL;
  assert_int_equal(vv_scene_parse(ctx, source, text, strlen(text), &spec), VV_OK);
  assert_int_equal(vvi_bind(ctx, spec, &arena, &root), VV_OK);
  const vv_status status = vvi_columns_read(vv_item(root, "bodies", 0), "label", known, t);
  size_t used = 0;
  message[0] = '\0';
  for (int i = 0; i < vv_ctx_message_count(ctx) && used < size; i++)
    used += (size_t)snprintf(message + used, size - used, "%s\n", vv_ctx_message(ctx, i));
  vv_spec_destroy(spec);
  vvi_arena_free(&arena);
  vv_ctx_destroy(ctx);
  return status;
}

static vvi_columns good(const char *text)
{
  vvi_columns t;
  char message[4096];
  write_file("good.csv", text, strlen(text));
  if (read_at("scene.yaml", "good.csv", &t, message, sizeof message) != VV_OK) fail_msg("%s: %s", text, message);
  return t;
}

static void bad_bytes(const char *text, size_t length, const char *part)
{
  vvi_columns t;
  char message[4096];
  write_file("bad.csv", text, length);
  const vv_status status = read_at("scene.yaml", "bad.csv", &t, message, sizeof message);
  if (status != VV_SCENE || strstr(message, part) == NULL || strstr(message, "scene.yaml:4:") == NULL ||
      strstr(message, "bodies.a.label: 'bad.csv'") == NULL)
    fail_msg("%s: status %d, wanted '%s', got: %s", text, status, part, message);
  assert_true(t.value == NULL && t.line == NULL && t.rows == 0);
  for (const char *c = message; *c != '\0'; c++) assert_true((*c >= ' ' && *c <= '~') || *c == '\n');
}

/* ---- what is read ---- */

static void check_two_by_two(vvi_columns *t)
{
  assert_int_equal(t->columns, 2);
  assert_int_equal(t->rows, 2);
  assert_int_equal(vvi_columns_column(t, "y"), 0);
  assert_int_equal(vvi_columns_column(t, "x"), 1);
  assert_int_equal(vvi_columns_column(t, "d1"), -1);
  assert_true(vvi_columns_at(t, 0, 0) == 1.5 && vvi_columns_at(t, 0, 1) == -2e-3);
  assert_true(vvi_columns_at(t, 1, 0) == 0.25 && vvi_columns_at(t, 1, 1) == 4.0);
  vvi_columns_free(t);
}

static void test_separators(void **unused)
{
  (void)unused;
  static const char *const text[] = {
      "y,x\n1.5,-2e-3\n.25,4\n",
      "y x\n1.5 -2e-3\n.25 4",                            /* no end of line at the end */
      "y\tx\r\n1.5\t-2e-3\r\n.25\t+4.\r\n",               /* CR LF */
      "y;x\n1.5;-2e-3\n.25;4\n\n\n",                      /* empty lines behind */
      "  y ,  x  \n 1.5  ,\t-2e-3\n   .25 ; 4   \n",      /* blanks around */
      "# a table\n\ny x # names\n1.5 -2e-3#\n#\n.25 4#5", /* comments */
      "\xef\xbb\xbfy,x\n1.5,-2E-3\n25e-2,4\n",            /* byte order mark */
  };
  for (int i = 0; i < (int)VV_COUNT(text); i++) {
    vvi_columns t = good(text[i]);
    check_two_by_two(&t);
  }
}

static void test_lines_and_names(void **unused)
{
  (void)unused;
  vvi_columns t = good("# one\nd1 d1x\n\n1 2\n# five\n3 4\n");
  assert_int_equal(vvi_columns_column(&t, "d1"), 0); /* a name that begins another */
  assert_int_equal(vvi_columns_column(&t, "d1x"), 1);
  assert_int_equal(t.line[0], 4);
  assert_int_equal(t.line[1], 6);
  vvi_columns_free(&t);
}

/* More rows than the first piece of memory holds; every bit comes back. */
static void test_many_rows(void **unused)
{
  (void)unused;
  enum { ROWS = 5000 };
  FILE *f = fopen("many.csv", "wb");
  assert_non_null(f);
  fputs("x,y\n", f);
  for (int i = 0; i < ROWS; i++) fprintf(f, "%.17g,%.17g\n", sin(i), 1e-300 * cos(i));
  assert_int_equal(fclose(f), 0);
  vvi_columns t;
  char message[4096];
  assert_int_equal(read_at("scene.yaml", "many.csv", &t, message, sizeof message), VV_OK);
  assert_int_equal(t.rows, ROWS);
  for (int i = 0; i < ROWS; i++)
    assert_true(vvi_columns_at(&t, i, 0) == sin(i) && vvi_columns_at(&t, i, 1) == 1e-300 * cos(i));
  vvi_columns_free(&t);
}

/* The path counts from the folder of the scene, wherever the program was started. */
static void test_folder(void **unused)
{
  (void)unused;
  vvi_columns t;
  char message[4096], here[1024], path[1200];
  mkdir("deep", 0777);
  write_file("deep/inside.csv", "y x\n1.5 -2e-3\n.25 4\n", 20);
  assert_int_equal(read_at("deep/scene.yaml", "inside.csv", &t, message, sizeof message), VV_OK);
  check_two_by_two(&t);
  assert_int_equal(read_at("deep/scene.yaml", "../deep/inside.csv", &t, message, sizeof message), VV_OK);
  check_two_by_two(&t);
  assert_non_null(getcwd(here, sizeof here));
  snprintf(path, sizeof path, "%s/deep/inside.csv", here);
  assert_int_equal(read_at("elsewhere/scene.yaml", path, &t, message, sizeof message), VV_OK);
  check_two_by_two(&t);
  assert_int_equal(read_at("scene.yaml", "inside.csv", &t, message, sizeof message), VV_SCENE);
}

/* A program with decimal commas reads the same numbers. */
static void test_locale(void **unused)
{
  (void)unused;
  static const char *const comma[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "sv_SE.UTF-8"};
  for (int i = 0; i < (int)VV_COUNT(comma); i++)
    if (setlocale(LC_ALL, comma[i]) != NULL) break;
  vvi_columns t = good("y,x\n1.5,-2e-3\n.25,4\n");
  setlocale(LC_ALL, "C");
  check_two_by_two(&t);
}

/* ---- faults ---- */

static void test_faults(void **unused)
{
  (void)unused;
  static const char *const row[][2] = {
      {"x y\n1 2\n3 four\n", "line 3: column 3: not a number; write 0.5"},
      {"x y\n1 2\n\n# remark\n3 4x\n", "line 5: column 3: not a number"},
      {"x y\r\n1 2\r\n3 0x10\r\n", "line 3: column 3: not a number"},
      {"x y\n1 \xff\x1b[31m\n", "line 2: column 3: not a number"},
      {"x y\n1 2\n3\n", "line 3: 1 numbers, but the head line names 2 columns"},
      {"x y\n1,5 2,5\n", "line 2: 4 numbers, but the head line names 2 columns; a decimal comma"},
      {"x y\n1,,2\n", "an empty field"},
      {"x y\n,1\n", "an empty field"},
      {"x,y\n1,2,\n", "an empty field"},
      {"x y\n1 nan\n", "line 2: column 3: not a finite number"},
      {"x y\n-inf 1\n", "line 2: column 1: not a finite number"},
      {"x y\n1 1e999\n", "line 2: column 3: not a finite number"},
      {"", "has no rows; write a head line"},
      {"# nothing\n\n", "has no rows"},
      {"x y\n", "has no rows"},
      {"x z\n1 2\n", "line 1: column 3: no such column"},
      {"x z\n1 2\n", "its columns may be x|y|d1x|d1"},
      {"x, ,y\n1 2\n", "line 1: column 4: no such column"},
      {"x d1y\n1 2\n", "column 3: no such column"},
      {"1 2\n3 4\n", "line 1: column 1: the head line must name the columns, and not hold numbers; write a line"},
      {"x y x\n1 2 3\n", "line 1: column 5: a column that stands twice; name it once"},
  };
  for (int i = 0; i < (int)VV_COUNT(row); i++) bad_bytes(row[i][0], strlen(row[i][0]), row[i][1]);
  bad_bytes("x y\n1 \0 2\n", 10, "line 2: a zero byte");
}

/* A thousand mistakes are not a thousand messages. */
static void test_few_messages(void **unused)
{
  (void)unused;
  char text[8192] = "x y\n", message[4096];
  vvi_columns t;
  for (int i = 0; i < 1000; i++) strcat(text, "1 b\n");
  write_file("bad.csv", text, strlen(text));
  assert_int_equal(read_at("scene.yaml", "bad.csv", &t, message, sizeof message), VV_SCENE);
  assert_non_null(strstr(message, "line 6:"));
  assert_null(strstr(message, "line 7:"));
}

static void test_no_file(void **unused)
{
  (void)unused;
  vvi_columns t;
  char message[4096];
  assert_int_equal(read_at("a/b.yaml", "none.csv", &t, message, sizeof message), VV_SCENE);
  assert_non_null(strstr(message, "'none.csv' cannot be opened (No such file or directory)"));
  assert_non_null(strstr(message, "the path counts from the folder of the scene: a/none.csv"));
  mkdir("folder", 0777);
  assert_int_equal(read_at("b.yaml", "folder", &t, message, sizeof message), VV_SCENE);
  assert_non_null(strstr(message, "'folder' is no plain file"));
  assert_int_equal(read_at("b.yaml", "/dev/zero", &t, message, sizeof message), VV_SCENE);
  assert_non_null(strstr(message, "is no plain file"));
  write_file("huge.csv", "x\n", 2);
  if (truncate("huge.csv", ((off_t)1 << 30) + 1) != 0) skip(); /* a hole: takes no room */
  const vv_status status = read_at("b.yaml", "huge.csv", &t, message, sizeof message);
  remove("huge.csv");
  assert_int_equal(status, VV_SCENE);
  assert_non_null(strstr(message, "'huge.csv' is larger than 1024 MiB"));
}

int main(void)
{
  (void)toy_bind; /* here the scene's name matters */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_separators),   cmocka_unit_test(test_lines_and_names), cmocka_unit_test(test_many_rows),
      cmocka_unit_test(test_folder),       cmocka_unit_test(test_locale),          cmocka_unit_test(test_faults),
      cmocka_unit_test(test_few_messages), cmocka_unit_test(test_no_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
