/* tests/contact/test_reflect.c  The reflection of pairs on random contacts: it never pulls, leaves separating pairs alone, gives
 * back e times the speed, and loses exactly what it says. */
#include "check.h"

#include "contact/pairs.h"

static uint64_t seed = 7;
static double draw(void)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) * 0x1p-53;
}

static void test_reflect(void **unused)
{
  (void)unused;
  for (int i = 0; i < 100000; i++) {
    const double u = 2.0 * draw() - 1.0, a = draw() < 0.05 ? 0.0 : exp(8.0 * draw() - 4.0);
    const double e = draw() < 0.3 ? 1.0 : draw();
    double r, loss;
    vvi_reflect(u, a, e, &r, &loss);
    check_least(r, 0.0);
    check_least(loss, 0.0);
    if (u >= 0.0 || a == 0.0) {
      assert_true(r == 0.0 && loss == 0.0);
      continue;
    }
    const double after = u + a * r, energy = r * (u + 0.5 * a * r), scale = 0.5 * u * u / a;
    check_near(after, -e * u, 1e-14 * fabs(u));
    check_near(energy, -loss, 1e-14 * scale);
    if (e == 1.0) assert_true(loss == 0.0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_reflect)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
