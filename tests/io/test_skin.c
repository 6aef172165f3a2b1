/* tests/io/test_skin.c  What solids look like in files: skins in results.h5, triangles in the ParaView frames, outlines in
 * the picture.  Works in the current folder. */
#include "check.h"
#include "run.h"

#include "io/file.h"
#include "io/results/read.h"
#include "math/spin.h"
#include "visviva/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char scene[] =
    "visviva: 1\ntime: {end: 1, step: 0.1}\ncontacts: []\nrecord: {every: 0.5}\nbodies:\n"
    "  bar: {kind: bar, length: 1, elements: 3, material: {young: 1, density: 1}, section: {area: 1}}\n"
    "  box: {kind: rigid, shape: {box: {size: [1, 2, 3]}}, mass: 2, position: [5, 0, 0], velocity: [1, 2, 3], spin: "
    "[1, "
    "0.5, 2], copies: {grid: {count: [3, 1, 1], spacing: [5, 0, 0]}, orientation: random}}\n"
    "  bell: {kind: rigid, mass: 1, position: [0, 9, 0], shape: {compound: {parts: [{shape: {box: {size: [1, 1, 1]}}, "
    "centre: [2, 0, 0]}, {shape: {box: {size: [1, 1, 1]}}}]}}}\n";

typedef struct view {
  run_record run;
  vvi_arena arena;
  vvi_run file;
} view;

static void write_run(view *v, const char *folder)
{
  vv_results_def def = vv_results_default();
  vv_results *results = NULL;
  *v = (view){.run = run_prepare(scene, NULL)};
  def.folder = folder;
  def.overwrite = true;
  assert_int_equal(vv_results_create(v->run.model, &def, &results), VV_OK);
  assert_int_equal(vv_sim_observe(v->run.sim, 1, vv_results_observe, results), VV_OK);
  assert_int_equal(vv_sim_run(v->run.sim, &v->run.report), VV_OK);
  assert_int_equal(vv_results_summary(results, v->run.sim, &v->run.report), VV_OK);
  assert_int_equal(vv_results_close(results), VV_OK);
  assert_int_equal(vvi_run_open(v->run.ctx, &v->arena, folder, &v->file), VV_OK);
}

static void close_run(view *v)
{
  assert_int_equal(vvi_run_close(&v->file), VV_OK);
  vvi_arena_free(&v->arena);
  run_free(&v->run);
}

/* int x.n dA/3 over the triangles is the volume, if all look outwards. */
static double volume(view *v, int body, const char *name)
{
  int64_t points, dims[VVI_H5_RANK];
  int rank;
  double *x = NULL, sum = 0.0;
  char object[100];
  assert_int_equal(vvi_run_skin(&v->file, &v->arena, body, &points, &x), VV_OK);
  check_least((double)points, 8);
  snprintf(object, sizeof object, "/bodies/%s/skin_triangles", name);
  assert_int_equal(vvi_h5_shape(&v->file.h5, object, &rank, dims), VV_OK);
  int32_t *triangle = VVI_ARENA_NEW(&v->arena, int32_t, 3 * dims[0]);
  assert_int_equal(vvi_h5_read(&v->file.h5, object, VVI_H5_INT32, 3 * dims[0], triangle), VV_OK);
  for (int64_t i = 0; i < dims[0]; i++) {
    double normal[3];
    for (int c = 0; c < 3; c++) assert_in_range(triangle[3 * i + c], 0, points - 1);
    const double *a = x + 3 * triangle[3 * i], *b = x + 3 * triangle[3 * i + 1], *c = x + 3 * triangle[3 * i + 2];
    vvi_cross3(b, c, normal);
    sum += vvi_dot3(a, normal) / 6.0;
  }
  return sum;
}

static void test_results(void **unused)
{
  (void)unused;
  view v;
  int64_t points;
  double *x = NULL;
  write_run(&v, "skin");
  assert_int_equal(vvi_run_skin(&v.file, &v.arena, 0, &points, &x), VV_OK);
  assert_int_equal(points, 0); /* a bar has none */
  check_near(volume(&v, 1, "box"), 6.0, 1e-14);
  check_near(volume(&v, 2, "bell"), 2.0, 1e-14);
  assert_int_equal(vvi_run_skin(&v.file, &v.arena, 2, &points, &x), VV_OK);
  double lo = INFINITY, hi = -INFINITY;
  for (int64_t i = 0; i < points; i++) lo = fmin(lo, x[3 * i]), hi = fmax(hi, x[3 * i]);
  check_near(lo, -1.5, 1e-14); /* from the centre of mass, which is between the parts */
  check_near(hi, 1.5, 1e-14);
  close_run(&v);
}

/* The points of the last frame are those of the skins, where the bodies are. */
static void test_paraview(void **unused)
{
  (void)unused;
  view v;
  size_t bytes;
  write_run(&v, "skin");
  if (system("python3 -c pass") == 0)
    assert_int_equal(system("python3 '" VV_SOURCE_DIR "/tests/io/check_vtu.py' skin"), 0);
  const char *text = vvi_text_read(&v.arena, "skin/paraview/rigid_000002.vtu", &bytes);
  assert_non_null(text);
  const char *at = strstr(text, "encoding=\"raw\"");
  assert_non_null(at);
  at = strchr(at, '_') + 1 + sizeof(uint64_t);
  for (int body = 1; body < 3; body++) {
    double place[9], turn[12], r[9], y[3], *x = NULL;
    int64_t points;
    assert_int_equal(vvi_run_skin(&v.file, &v.arena, body, &points, &x), VV_OK);
    assert_int_equal(vv_model_output(v.run.model, v.run.state, body, "position", place), VV_OK);
    assert_int_equal(vv_model_output(v.run.model, v.run.state, body, "orientation", turn), VV_OK);
    for (int copy = 0; copy < (body == 1 ? 3 : 1); copy++) {
      vvi_quaternion_matrix(turn + 4 * copy, r);
      for (int64_t i = 0; i < points; i++, at += 3 * sizeof(float)) {
        float written[3];
        memcpy(written, at, sizeof written);
        vvi_apply33(r, x + 3 * i, y);
        for (int c = 0; c < 3; c++) check_near(written[c], y[c] + place[3 * copy + c], 1e-5);
      }
    }
  }
  close_run(&v);
}

static void test_picture(void **unused)
{
  (void)unused;
  view v;
  write_run(&v, "skin");
  assert_int_equal(vv_picture_write(v.run.ctx, "skin", "skin/run.svg"), VV_OK);
  const char *text = vvi_text_read(&v.arena, "skin/run.svg", NULL);
  assert_non_null(text);
  assert_non_null(strstr(text, "Shapes"));
  assert_null(strstr(text, "nan"));
  close_run(&v);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_results), cmocka_unit_test(test_paraview),
                                     cmocka_unit_test(test_picture)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
