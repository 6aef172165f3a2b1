/* tests/math/test_friction.c  Coulomb's disc at one contact. */
#include "check.h"

#include "contact/friction.h"

static double length(const double a[3])
{
  return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* Equal inverse mass in all directions: a cut impulse has the size of the limit and points against the sliding. */
static void test_slip(void **unused)
{
  (void)unused;
  static const double a[6] = {2, 2, 2, 0, 0, 0}, n[3] = {2. / 3, -1. / 3, 2. / 3};
  for (int k = 0; k < 12; k++) {
    const double angle = 0.55 * k;
    double w[3] = {cos(angle), sin(angle), 0.3 * k}, slide[3] = {0, 0, 0}, change[3];
    const double along = w[0] * n[0] + w[1] * n[1] + w[2] * n[2];
    assert_false(vvi_rub(a, n, w, 0.01, slide, change));
    check_near(length(slide), 0.01, 1e-17);
    double tangent[3];
    for (int c = 0; c < 3; c++) tangent[c] = w[c] - along * n[c];
    for (int c = 0; c < 3; c++) check_near(slide[c], -0.01 * tangent[c] / length(tangent), 1e-16);
    for (int c = 0; c < 3; c++) check_near(change[c], slide[c], 1e-17);
  }
}

/* Within the disc the sliding is stopped, whatever the inverse mass: the tangential part of w + A j vanishes. */
static void test_stick(void **unused)
{
  (void)unused;
  static const double a[6] = {3, 2, 4, 0.5, -0.3, 0.7}, n[3] = {0.6, 0, 0.8}, w[3] = {0.3, -0.2, 0.5};
  double slide[3] = {0, 0, 0}, change[3];
  assert_true(vvi_rub(a, n, w, 10.0, slide, change));
  const double v[3] = {w[0] + a[0] * slide[0] + a[5] * slide[1] + a[4] * slide[2],
                       w[1] + a[5] * slide[0] + a[1] * slide[1] + a[3] * slide[2],
                       w[2] + a[4] * slide[0] + a[3] * slide[1] + a[2] * slide[2]};
  const double along = v[0] * n[0] + v[2] * n[2];
  for (int c = 0; c < 3; c++) check_near(v[c] - along * n[c], 0.0, 1e-15);
  check_near(slide[0] * n[0] + slide[2] * n[2], 0.0, 1e-16);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_slip), cmocka_unit_test(test_stick)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
