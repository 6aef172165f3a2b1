/* tests/math/test_friction.c  Coulomb's disc beside a normal impulse that is known. */
#include "check.h"

#include "contact/friction/law.h"

/* Equal inverse mass in all directions: a cut impulse has the size of the limit and points against the sliding. */
static void test_slip(void **unused)
{
  (void)unused;
  static const double k[3] = {2, 0, 2};
  for (int i = 0; i < 12; i++) {
    const double angle = 0.55 * i, u[2] = {cos(angle), sin(angle)};
    double j[2] = {0, 0};
    assert_false(vvi_disc_answer(k, u, 0.01, j));
    for (int c = 0; c < 2; c++) check_near(j[c], -0.01 * u[c], 1e-17);
  }
}

/* Within the disc the sliding is stopped, whatever the inverse mass: u + K j vanishes; what was given before counts. */
static void test_stick(void **unused)
{
  (void)unused;
  static const double k[3] = {3, 0.5, 4}, u[2] = {0.3, -0.2};
  double j[2] = {0.1, 0.2};
  const double v[2] = {u[0] - k[0] * j[0] - k[1] * j[1], u[1] - k[1] * j[0] - k[2] * j[1]}; /* without that */
  assert_true(vvi_disc_answer(k, u, 10.0, j));
  check_near(v[0] + k[0] * j[0] + k[1] * j[1], 0.0, 1e-15);
  check_near(v[1] + k[1] * j[0] + k[2] * j[1], 0.0, 1e-15);
}

/* A guide: K = 2 g g^T, and the slip along g is stopped by an impulse along g. */
static void test_guide(void **unused)
{
  (void)unused;
  static const double g[2] = {0.6, 0.8}, k[3] = {2 * 0.36, 2 * 0.48, 2 * 0.64};
  const double u[2] = {0.5 * g[0], 0.5 * g[1]};
  double j[2] = {0, 0};
  assert_true(vvi_disc_answer(k, u, 10.0, j));
  for (int c = 0; c < 2; c++) check_near(j[c], -0.25 * g[c], 1e-15);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_slip), cmocka_unit_test(test_stick),
                                     cmocka_unit_test(test_guide)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
