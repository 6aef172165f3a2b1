/* tests/io/test_book.c  The validation book: a missed target of our own is told, a paper's claim that is not reproduced is
 * not.  Works in the current folder. */
#include "check.h"

#include "book.h"

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
  add(c, "A2", "beyond: kept", book_judge_target, 1, 1);
  assert_int_equal(book_missed(b, f), 0);
  add(c, "A3", "ours", book_judge_target, 2, 1);
  add(c, "A4", "beyond: judged as the paper's", book_judge_above, 1, 2);
  book_claim claim = {.id = "A5", .text = "ours", .published = "", .evidence = ""};
  book_judge_target_count(&claim, 1, 2, "it holds");
  book_add_claim(c, &claim);
  assert_int_equal(book_missed(b, f), 3);
  assert_int_equal(fclose(f), 0);
  assert_null(strstr(text, "A1"));
  assert_null(strstr(text, "A2"));
  assert_non_null(strstr(text, "chapter A3 misses its target: ours: 2"));
  assert_non_null(strstr(text, "A4"));
  assert_non_null(strstr(text, "A5"));
  free(text);
  assert_int_equal(book_chapter_end(c), VV_OK);
  book_close(b);
  vv_ctx_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_missed)};
  return cmocka_run_group_tests_name("validation book", tests, NULL, NULL);
}
