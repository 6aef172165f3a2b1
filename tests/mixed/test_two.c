/* tests/mixed/test_two.c  Bodies of all kinds together: every two bodies, one on the other. */
#include "check.h"

#include "sets.h"

static void test_two(void **unused)
{
  (void)unused;
  assert_int_equal(mixed_stack_set(2), 0);
}

int main(int argc, char **argv)
{
  const int code = mixed_options(argc, argv, 2);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_two)};
  return code >= 0 ? code : cmocka_run_group_tests(tests, NULL, NULL);
}
