/* tests/io/test_book.c  The validation book: a missed target of our own is told, a paper's claim that is not reproduced is
 * not; exact solutions and numbers are never a paper's fault; no id twice.  Works in the current folder. */
#include "check.h"

#include "book.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add(book_chapter *c, const char *id, const char *text, void (*judge)(book_claim *, double, double),
                double measured, double limit)
{
  book_claim claim = {.id = id, .text = text, .published = "", .evidence = ""};
  snprintf(claim.measured, sizeof claim.measured, "%g", measured);
  judge(&claim, measured, limit);
  book_add_claim(c, &claim);
}

static void test_missed(void **unused)
{
  (void)unused;
  vv_ctx *ctx = NULL;
  book *b = NULL;
  book_chapter *c = NULL;
  char *text = NULL;
  size_t length = 0;
  const vv_ctx_def def = vv_ctx_default();
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_OK);
  assert_int_equal(book_open(ctx, "book", &b), VV_OK);
  assert_int_equal(book_chapter_begin(b, "chapter", "A chapter", "", &c), VV_OK);
  FILE *f = open_memstream(&text, &length);
  assert_non_null(f);
  add(c, "A1", "the paper's", book_judge_below, 2, 1);
  add(c, "A2", "ours, kept", book_judge_target, 1, 1);
  assert_int_equal(book_missed(b, f), 0);
  add(c, "A3", "ours", book_judge_target, 2, 1);
  add(c, "A4", "the paper's", book_judge_above, 1, 2);
  book_claim claim = {.id = "A5", .text = "ours", .published = "", .evidence = ""};
  book_judge_target_count(&claim, 1, 2, "it holds");
  book_add_claim(c, &claim);
  assert_int_equal(book_missed(b, f), 2);
  assert_int_equal(fclose(f), 0);
  assert_null(strstr(text, "A1"));
  assert_null(strstr(text, "A2"));
  assert_non_null(strstr(text, "chapter A3 misses its target: ours: 2"));
  assert_null(strstr(text, "A4"));
  assert_non_null(strstr(text, "A5"));
  free(text);
  assert_int_equal(book_chapter_end(c), VV_OK);
  book_close(b);
  vv_ctx_destroy(ctx);
}

/* A textbook is right, and what is no number says nothing about anybody: both are told, whatever rule judged them. */
static void test_exact(void **unused)
{
  (void)unused;
  static void (*const judge[3])(book_claim *, double, double) = {book_judge_below, book_judge_better, book_judge_above};
  vv_ctx *ctx = NULL;
  book *b = NULL;
  book_chapter *c = NULL;
  int differ = 0;
  const vv_ctx_def def = vv_ctx_default();
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_OK);
  assert_int_equal(book_open(ctx, "book", &b), VV_OK);
  assert_int_equal(book_chapter_begin(b, "exact", "Exact", "", &c), VV_OK);
  FILE *f = tmpfile();
  assert_non_null(f);
  add(c, "B1", "within", book_judge_exact, 1, 1);
  add(c, "B2", "the paper's", book_judge_below, 2, 1);
  assert_int_equal(book_missed(b, f), 0);
  add(c, "B3", "a textbook's", book_judge_exact, 1.7e13, 1);
  assert_int_equal(book_missed(b, f), 1);
  static const char *const id[3][2] = {{"B4", "B5"}, {"B6", "B7"}, {"B8", "B9"}};
  for (int i = 0; i < 3; i++) {
    add(c, id[i][0], "the paper's", judge[i], NAN, 1);
    add(c, id[i][1], "the paper's", judge[i], i < 2 ? INFINITY : -INFINITY, 1);
  }
  assert_int_equal(book_missed(b, f), 7);
  book_claim claim = {.id = "B10", .text = "counted", .measured = "off by inf %", .published = "", .evidence = ""};
  book_judge_count(&claim, 2, 2, "it holds");
  book_add_claim(c, &claim);
  assert_int_equal(book_missed(b, f), 8);
  claim = (book_claim){.id = "B11", .text = "counted", .measured = "a finite banana", .published = "", .evidence = ""};
  book_judge_count(&claim, 2, 2, "it holds");
  book_add_claim(c, &claim);
  assert_int_equal(book_missed(b, f), 8);
  assert_int_equal(fclose(f), 0);
  assert_int_equal(book_chapter_end(c), VV_OK);
  assert_int_equal(book_summary(b, "book/summary.md", false, stdout, &differ), VV_OK);
  f = fopen("book/summary.md", "r");
  assert_non_null(f);
  char line[512];
  int said = 0;
  while (fgets(line, sizeof line, f) != NULL) said += strstr(line, "**missed**") != NULL;
  assert_int_equal(fclose(f), 0);
  assert_int_equal(said, 8);
  book_close(b);
  vv_ctx_destroy(ctx);
}

static void test_ids(void **unused)
{
  (void)unused;
  vv_ctx *ctx = NULL;
  book *b = NULL;
  book_chapter *c = NULL;
  const vv_ctx_def def = vv_ctx_default();
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_OK);
  assert_int_equal(book_open(ctx, "book", &b), VV_OK);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(book_chapter_begin(b, i == 0 ? "one" : "two", "A chapter", "", &c), VV_OK);
    add(c, i == 0 ? "S1" : "S2", "first", book_judge_below, 1, 1);
    if (i == 1) add(c, "S1", "again", book_judge_below, 1, 1);
    assert_int_equal(book_chapter_end(c), i == 0 ? VV_OK : VV_ARG);
  }
  book_close(b);
  vv_ctx_destroy(ctx);
}

static char *text_of(const char *path)
{
  char *text = NULL;
  size_t room = 0;
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  assert_true(getdelim(&text, &room, '\0', f) > 0);
  assert_int_equal(fclose(f), 0);
  return text;
}

/* Rows that come through a file make the book that they make at home: words, verdicts, kinds, and what counts as missed. */
static void test_sent(void **unused)
{
  (void)unused;
  vv_ctx *ctx = NULL;
  book *b[2] = {NULL, NULL};
  const vv_ctx_def def = vv_ctx_default();
  FILE *f = tmpfile();
  int differ = 0;
  assert_non_null(f);
  remove("book/away-rows.md"), remove("book/home-rows.md");
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_OK);
  for (int i = 0; i < 2; i++) assert_int_equal(book_open(ctx, "book", &b[i]), VV_OK);
  book_chapter *c = NULL;
  char passing[] = "a text that the child has made";
  assert_int_equal(book_chapter_begin(b[0], "sent", "Sent", "a source", &c), VV_OK);
  book_claim claim = {.id = "P1", .text = passing, .published = "-", .evidence = "runs", .chaotic = true};
  snprintf(claim.measured, sizeof claim.measured, "3.0");
  book_tell(&claim);
  book_add_claim(c, &claim);
  add(c, "P2", "ours", book_judge_target, 2, 1);
  add(c, "P3", "the paper's", book_judge_better, 0.01, 1);
  assert_int_equal(book_chapter_end(c), VV_OK);
  assert_true(book_send(b[0], f));
  assert_true(book_receive(b[1], f));
  memset(passing, '-', sizeof passing - 1); /* the child's memory is gone */
  assert_int_equal(book_missed(b[1], stdout), 1);
  assert_int_equal(book_summary(b[1], "book/away-rows.md", false, stdout, &differ), VV_OK);
  memcpy(passing, "a text that the child has made", sizeof passing);
  assert_int_equal(book_summary(b[0], "book/home-rows.md", false, stdout, &differ), VV_OK);
  char *sent = text_of("book/home-rows.md"), *received = text_of("book/away-rows.md");
  assert_string_equal(sent, received);
  assert_non_null(strstr(received, "| P3 | the paper's |  | 0.01 | **improved** |"));
  free(sent);
  free(received);
  assert_int_equal(fclose(f), 0);
  for (int i = 0; i < 2; i++) book_close(b[i]);
  vv_ctx_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_missed), cmocka_unit_test(test_exact),
                                     cmocka_unit_test(test_ids), cmocka_unit_test(test_sent)};
  return cmocka_run_group_tests_name("validation book", tests, NULL, NULL);
}
