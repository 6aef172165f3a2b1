/* tests/mixed/test_named.c  Bodies of all kinds together: the scenes A to D and the plate of the verdict on five engines. */
#include "check.h"

#include "sets.h"

static void test_named(void **unused)
{
  (void)unused;
  assert_int_equal(mixed_named_set(), 0);
}

int main(int argc, char **argv)
{
  const int code = mixed_options(argc, argv, 0);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_named)};
  return code >= 0 ? code : cmocka_run_group_tests(tests, NULL, NULL);
}
