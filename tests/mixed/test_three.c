/* tests/mixed/test_three.c  Bodies of all kinds together: every three bodies in a stack. */
#include "check.h"

#include "sets.h"

static void test_three(void **unused)
{
  (void)unused;
  assert_int_equal(mixed_stack_set(3), 0);
}

int main(int argc, char **argv)
{
  const int code = mixed_options(argc, argv, 3);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_three)};
  return code >= 0 ? code : cmocka_run_group_tests(tests, NULL, NULL);
}
