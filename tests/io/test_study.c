/* tests/io/test_study.c  Orders from errors, study.csv, and the fields of a body that a study compares. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/results/read.h"
#include "visviva/visviva.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 4 };

static vv_ctx *new_context(void)
{
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  def.threads = 1;
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_OK);
  return ctx;
}

/* Errors C (h^p - r^p) with h halved from row to row; the last h is `apart` times the reference's. */
static vv_study make_study(vv_study_row row[N], double p, double apart)
{
  static const char *const path[] = {"time.step"}, *const word[N][1] = {{"1.6"}, {"0.8"}, {"0.4"}, {"0.2"}};
  const double r = 0.2 / apart;
  for (int i = 0; i < N; i++) {
    const double h = 1.6 / (1 << i);
    row[i] = (vv_study_row){
        .word = word[i], .h = h, .step = h, .steps = 1 << i, .nodes = 3, .error = 7 * (pow(h, p) - pow(r, p))};
  }
  return (vv_study){.title = "t",
                    .norm = "n",
                    .n_path = 1,
                    .path = path,
                    .h_name = "time step",
                    .h_unit = "s",
                    .time_unit = "s",
                    .error_unit = "m",
                    .n_row = N,
                    .row = row,
                    .reference = {.word = word[N - 1], .error = NAN, .slope = NAN, .order = NAN},
                    .reference_h = r};
}

static void orders_are_corrected(void **state)
{
  (void)state;
  vv_study_row row[N];
  for (double p = 0.5; p < 6.1; p += 0.5) {
    vv_study s = make_study(row, p, 2);
    vv_study_orders(&s);
    assert_true(isnan(row[0].slope) && isnan(row[0].order));
    for (int i = 1; i < N; i++) assert_true(fabs(row[i].order - p) < 1e-9);
    assert_true(fabs(s.order - p) < 1e-6);
    assert_true(fabs(row[N - 1].slope - log2((pow(4, p) - 1) / (pow(2, p) - 1))) < 1e-9);
    assert_true(s.slope > p);
  }
}

/* The rates 1.6 and 2.3 of the 2015 paper: orders 1 and 2 seen from a reference of half the step. */
static void near_reference(void **state)
{
  (void)state;
  vv_study_row row[N];
  vv_study s = make_study(row, 1, 2);
  vv_study_orders(&s);
  assert_true(fabs(row[N - 1].slope - log2(3)) < 1e-12);
  s = make_study(row, 2, 2);
  vv_study_orders(&s);
  assert_true(fabs(row[N - 1].slope - log2(5)) < 1e-12);
}

static void unknown_errors(void **state)
{
  (void)state;
  vv_study_row row[N];
  vv_study s = make_study(row, 2, 1e9);
  row[1].error = NAN;
  s.reference_h = 0;
  vv_study_orders(&s);
  assert_true(isnan(row[1].slope) && isnan(row[2].slope));
  assert_true(fabs(row[3].slope - 2) < 1e-9 && fabs(s.slope - 2) < 1e-6);
  for (int i = 0; i < N; i++) row[i].error = 0; /* nothing is missed: no order, and no endless search */
  vv_study_orders(&s);
  assert_true(isnan(s.slope) && isnan(row[3].slope));
  s = make_study(row, 2, 2);
  row[3].error = 2 * row[2].error; /* grows: no power of h does that */
  vv_study_orders(&s);
  assert_true(row[3].slope < 0 && isnan(row[3].order));
}

static void table_reads_back(void **state)
{
  (void)state;
  vv_ctx *ctx = new_context();
  vv_study_row row[N];
  vv_study s = make_study(row, 2, 2);
  vvi_arena arena = {0};
  vvi_table t;
  row[1].remark = "ends, \"early\"";
  vv_study_orders(&s);
  assert_int_equal(vv_study_write(ctx, &s, "study/deep"), VV_OK);
  assert_int_equal(vvi_table_read(ctx, &arena, "study/deep/study.csv", &t), VV_OK);
  assert_int_equal(t.rows, N + 1);
  for (int i = 0; i < N; i++) {
    assert_true(vvi_table_column(&t, "time.step")[i] == row[i].h && vvi_table_column(&t, "h")[i] == row[i].h);
    assert_true(vvi_table_column(&t, "error")[i] == row[i].error);
  }
  assert_true(vvi_table_column(&t, "order")[N - 1] == row[N - 1].order && isnan(vvi_table_column(&t, "error")[N]));
  assert_string_equal(vvi_table_unit(&t, "error"), "m");
  assert_int_equal(vv_study_write(ctx, &s, "study/deep/study.csv/no"), VV_IO);
  vvi_arena_free(&arena);
  vv_ctx_destroy(ctx);
}

/* ---- fields ---- */

static const char scene[] =
    "visviva: 1\n"
    "time: {end: 1, step: 0.01}\n"
    "bodies:\n"
    "  wall: {kind: obstacle, shape: {plane: {normal: [1, 0, 0], offset: -9}}}\n"
    "  left: {kind: bar, tips: {first: lumped}, length: 2, elements: 4, section: {area: 1}, position: -3,\n"
    "         material: {young: 1, density: 1}, velocity: 0.5}\n"
    "  right: {kind: bar, tips: {first: lumped}, length: 1, elements: 2, section: {area: 1}, axis: [0, 1, 0],\n"
    "          material: {young: 1, density: 1}}\n";

static void fields_of_bodies(void **state)
{
  (void)state;
  vv_ctx *ctx = new_context();
  vv_spec *spec;
  vv_model *m;
  vv_state *x;
  int components = -1;
  double value[15];
  assert_int_equal(vv_scene_parse(ctx, "two.yaml", scene, strlen(scene), &spec), VV_OK);
  assert_int_equal(vv_compile(ctx, spec, &m, &x), VV_OK);
  assert_string_equal(vv_model_field(m, 1, 0), "position");
  assert_null(vv_model_field(m, 1, vv_model_fields(m, 1)));
  assert_int_equal(vv_model_field_size(m, 1, "position", &components), 5);
  assert_int_equal(components, 3);
  assert_int_equal(vv_model_field_size(m, 2, "strain", &components), 2);
  assert_int_equal(components, 1);
  assert_int_equal(vv_model_field_size(m, 2, "colour", &components), 0);
  assert_int_equal(vv_model_field_size(m, 0, "position", NULL), 0);
  assert_int_equal(vv_model_output(m, x, 1, "position", value), VV_OK);
  for (int i = 0; i < 5; i++) assert_true(value[3 * i] == -3 + 0.5 * i && value[3 * i + 1] == 0);
  assert_int_equal(vv_model_output(m, x, 2, "position", value), VV_OK);
  for (int i = 0; i < 3; i++) assert_true(value[3 * i] == 0 && value[3 * i + 1] == 0.5 * i);
  assert_int_equal(vv_model_output(m, x, 1, "velocity", value), VV_OK);
  for (int i = 0; i < 5; i++) assert_true(fabs(value[3 * i] - 0.5) < 1e-15);
  assert_int_equal(vv_model_output(m, x, 1, "colour", value), VV_ARG);
  assert_int_equal(vv_model_output(m, x, 3, "position", value), VV_ARG);
  assert_int_equal(vv_model_output(m, x, -1, "position", value), VV_ARG);
  vv_state_destroy(x);
  vv_model_destroy(m);
  vv_spec_destroy(spec);
  vv_ctx_destroy(ctx);
}

static void words_of_bodies(void **state)
{
  (void)state;
  static const char *const known[][2] = {{"bodies.left.elements", "4"},
                                         {"bodies[2].elements", "2"},
                                         {"bodies.left.material.young", "1"},
                                         {"bodies.lefty.elements", ""},
                                         {"bodies[3].elements", ""},
                                         {"bodies[-1].elements", ""},
                                         {"bodies[x].elements", ""},
                                         {"bodies.left", ""},
                                         {"bodies", ""},
                                         {"bodies[1]", ""}};
  vv_ctx *ctx = new_context();
  vv_spec *spec;
  vv_model *m;
  vv_state *x;
  char word[64];
  assert_int_equal(vv_scene_parse(ctx, "two.yaml", scene, strlen(scene), &spec), VV_OK);
  assert_int_equal(vv_compile(ctx, spec, &m, &x), VV_OK);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    const bool found = vv_model_word(m, known[i][0], word, sizeof word);
    assert_string_equal(word, known[i][1]);
    assert_int_equal(found, known[i][1][0] != '\0');
  }
  vv_state_destroy(x);
  vv_model_destroy(m);
  vv_spec_destroy(spec);
  vv_ctx_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest test[] = {
      cmocka_unit_test(orders_are_corrected), cmocka_unit_test(near_reference),   cmocka_unit_test(unknown_errors),
      cmocka_unit_test(table_reads_back),     cmocka_unit_test(fields_of_bodies), cmocka_unit_test(words_of_bodies),
  };
  return cmocka_run_group_tests(test, NULL, NULL);
}
