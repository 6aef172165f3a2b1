/* tests/io/test_expression.c  Numbers as expressions: values, units and what they are for a key, against numbers of C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/math.h"
#include "model/expression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const vvi_scope si = {.unit = {"m", "kg", "s"}};

/* What `text` is for a key in `unit`; NaN: refused. */
static double value(const vvi_scope *scope, const char *text, const char *unit)
{
  vvi_quantity q;
  vvi_mishap mishap = {""};
  double x = NAN;
  if (!vvi_expression_read(scope, text, &q, &mishap) || !vvi_expression_fit(scope, &q, unit, &x, &mishap)) {
    assert_true(mishap.text[0] != '\0'); /* never without a reason */
    return NAN;
  }
  return x;
}

typedef struct row {
  const char *text, *unit;
  double is;
} row;

static void check(const vvi_scope *scope, const row *r, int n)
{
  for (int i = 0; i < n; i++) {
    const double x = value(scope, r[i].text, r[i].unit);
    const bool same = isnan(r[i].is) ? isnan(x) : x == r[i].is;
    if (!same) fail_msg("%s for a key in %s: %.17g, not %.17g", r[i].text, r[i].unit, x, r[i].is);
  }
}

/* To the last bit: a formula is the number that C makes of it. */
static void formulas_are_exact(void **state)
{
  (void)state;
  static const row r[] = {
      {"2*pi", "rad", 2 * VV_PI},
      {"1/240", "s", 1.0 / 240},
      {"-2^2", "1", -4},
      {"2^3^2", "1", 512},
      {"2**-1", "1", 0.5},
      {"1 - 2 - 3", "m", -4},
      {"8/4/2", "m", 1},
      {"2*(3+4)", "m", 14},
      {" ( ( 1 ) ) ", "m", 1},
      {"-(1+2)*3", "m", -9},
      {"sqrt(2)", "m", 1.4142135623730951},
      {"abs(-3)", "m", 3},
      {"min(3, 1, 2)", "m", 1},
      {"max(3 mm, 1 cm)", "m", 0.01},
      {"round(0.3/0.1)", "1", 3},
      {"--3", "m", 3},
      {"1e3", "m", 1000},
      {".5", "m", 0.5},
      {"2.", "m", 2},
      {"exp(0)+log(1)", "1", 1},
      {"1e-3*2", "m", 1e-3 * 2},
  };
  check(&si, r, VV_COUNT(r));
}

static void units_are_converted_exactly(void **state)
{
  (void)state;
  static const row r[] = {
      {"3 mm", "m", 0.003},
      {"3mm", "m", 0.003},
      {"1 ms", "s", 0.001},
      {"0.7 mm", "m", 0.0007},
      {"210 GPa", "Pa", 210e9},
      {"7.85 g/cm^3", "kg/m^3", 7850},
      {"7850 kg/m^3", "kg/m^3", 7850},
      {"9.81 m/s^2", "m/s^2", 9.81},
      {"72 km/(3600 s)", "m/s", 20},
      {"10 m / 2 s", "m/s", 5},
      {"5 N m", "N m", 5},
      {"5 J", "N m", 5},
      {"2 kg m^2", "kg m^2", 2},
      {"(1/4) mm^2", "m^2", 0.25e-6},
      {"1 in", "m", 0.0254},
      {"180 deg", "rad", VV_PI},
      {"1 turn/s", "rad/s", 2 * VV_PI},
      {"1 rpm", "rad/s", VV_PI / 30},
      {"50 Hz", "1/s", 50},
      {"1 kN/mm", "N/m", 1e6},
      {"3 mm + 2 cm", "m", 0.023},
      {"2*3 mm", "m", 0.006},
      {"3 mm*2", "m", 0.006},
      {"1/(2 mm)", "1/m", 500},
      {"sqrt(4 m^2)", "m", 2},
      {"sqrt(2*9 J/(4 kg))", "m/s", 2.1213203435596424},
      {"-1 cm", "m", -0.01},
      {"atan2(1 mm, 1 mm)", "rad", VV_PI / 4},
      {"2 m/(1 m)", "1", 2},
      {"m", "m", 1},
      {"4 m*sin(90 deg)", "m", 4},
      {"1 lb", "kg", 0.45359237},
      {"2^3 mm", "m", 0.008},
  };
  check(&si, r, VV_COUNT(r));
}

/* A value that could be misread is no value. */
static void what_does_not_fit_is_refused(void **state)
{
  (void)state;
  static const row r[] = {
      {"3 mm", "s", NAN},
      {"1 ms", "m", NAN},
      {"3 mm", "1", NAN},
      {"50 Hz", "rad/s", NAN},
      {"2*pi*50 Hz", "rad/s", NAN},
      {"1/240 s", "s", NAN},
      {"1/2 m", "1/m", NAN},
      {"kg/m s", "kg/(m s)", NAN},
      {"3 mm + 1", "m", NAN},
      {"1 + 3 mm", "m", NAN},
      {"3 mm/(1 mm)", "m", NAN},
      {"2^(3 mm)", "1", NAN},
      {"sin(3 mm)", "1", NAN},
      {"exp(1 s)", "1", NAN},
      {"min(1, 2 m)", "m", NAN},
      {"m^pi", "m", NAN},
      {"1 xy", "m", NAN},
      {"5 000", "m", NAN},
      {"(1", "m", NAN},
      {"1)", "m", NAN},
      {"", "m", NAN},
      {"  ", "m", NAN},
      {"+", "m", NAN},
      {"1 +", "m", NAN},
      {"sqrt", "m", NAN},
      {"sqrt()", "m", NAN},
      {"sqrt(1, 2)", "m", NAN},
      {"atan2(1)", "rad", NAN},
      {"0/0", "m", NAN},
      {"1e200*1e200", "m", NAN},
      {"1e-200 mm^100", "m", NAN},
      {"0^-1", "1", NAN},
      {"(-1)^0.5", "1", NAN},
      {"log(0)", "1", NAN},
      {"1e400", "m", NAN},
      {"1e-400", "m", NAN},
      {"0x10", "m", NAN},
      {"30 deg", "1", NAN},
      {"3 m", NULL, NAN},
      {"pi pi", "m", NAN},
      {"3 mm 4", "m", NAN},
      {"3 (4)", "m", NAN},
      {"m m m", "m", NAN},
  };
  check(&si, r, VV_COUNT(r));
}

/* A scene in mm, t and s: 3 mm is 3, 1 GPa is 1000 MPa. */
static void scenes_have_units_of_their_own(void **state)
{
  (void)state;
  const vvi_scope mm = {.unit = {"mm", "t", "s"}}, own = {.unit = {"cubit", "kg", "ms"}};
  static const row in_mm[] = {
      {"3 mm", "m", 3},
      {"3", "m", 3},
      {"0.3 m", "m", 300},
      {"1 GPa", "Pa", 1000},
      {"1 kg", "kg", 1e-3},
      {"1 N", "N", 1},
      {"7850 kg/m^3", "kg/m^3", 7.85e-9},
      {"1 ms", "s", 1e-3},
  };
  static const row in_own[] = {
      {"1 s", "s", 1000}, {"1 m", "m", NAN}, {"1 N", "N", NAN}, {"5", "m", 5}, {"1 kg", "kg", 1}};
  check(&mm, in_mm, VV_COUNT(in_mm));
  check(&own, in_own, VV_COUNT(in_own));
}

static void parameters_have_units(void **state)
{
  (void)state;
  vvi_parameter p[2] = {{.name = "L"}, {.name = "n"}};
  vvi_mishap mishap;
  assert_true(vvi_expression_read(&si, "200 mm", &p[0].value, &mishap));
  assert_true(vvi_expression_read(&si, "8", &p[1].value, &mishap));
  const vvi_scope scope = {.parameter = p, .n = 2, .unit = {"m", "kg", "s"}};
  static const row r[] = {
      {"L", "m", 0.2}, {"L/n", "m", 0.025}, {"L/2 + 1 mm", "m", 0.101}, {"n", "1", 8},
      {"n", "s", 8},   {"n mm", "m", NAN},  {"n*mm", "m", 0.008},       {"L", "s", NAN},
      {"l", "m", NAN}, {"L n", "m", NAN},   {"1/L", "1/m", 5},
  };
  check(&scope, r, VV_COUNT(r));
  assert_null(vvi_parameter_refuse("speed_2"));
  assert_non_null(vvi_parameter_refuse("mm"));
  assert_non_null(vvi_parameter_refuse("pi"));
  assert_non_null(vvi_parameter_refuse("sin"));
  assert_non_null(vvi_parameter_refuse("2x"));
  assert_non_null(vvi_parameter_refuse(""));
  assert_non_null(vvi_parameter_refuse("a-b"));
}

/* Deep brackets and endless signs end in a refusal, not in a stack overflow. */
static void depth_is_bounded(void **state)
{
  (void)state;
  char text[900];
  for (const char *c = "(-^"; *c != '\0'; c++) {
    memset(text, *c, sizeof text);
    text[sizeof text - 1] = '\0';
    assert_true(isnan(value(&si, text, "m")));
  }
  for (size_t i = 0; i + 1 < sizeof text; i++) text[i] = i % 2 == 0 ? '2' : '^';
  assert_true(isnan(value(&si, text, "m")));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formulas_are_exact),           cmocka_unit_test(units_are_converted_exactly),
      cmocka_unit_test(what_does_not_fit_is_refused), cmocka_unit_test(scenes_have_units_of_their_own),
      cmocka_unit_test(parameters_have_units),        cmocka_unit_test(depth_is_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
