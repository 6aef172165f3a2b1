/* tests/report/test_page.c  The data of a report page against what was written: rounded as stated, thinned to what fits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/file.h"
#include "io/results/json.h"
#include "io/results/read.h"
#include "visviva/visviva.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NODES = 5 };
#define FOLDER "page-run"

/* ---- a result folder ---- */

static double noise(uint64_t *seed) /* -1..1 */
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

/* A unit quaternion that turns through all signs. */
static void turning(int frame, int node, double q[4])
{
  const double a = 0.37 * frame + node, axis[3] = {0.6, -0.64, 0.48};
  q[0] = cos(a);
  for (int c = 0; c < 3; c++) q[1 + c] = sin(a) * axis[c];
}

static void directors(const double q[4], double d[3][3])
{
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double r[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                          {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                          {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < 3; c++) d[k][c] = r[c][k];
}

static void put_text(const char *path, const char *text)
{
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
  assert_int_equal(fclose(f), 0);
}

typedef struct sample {
  int frames, nodes, broken; /* from frame `broken` on, positions are not numbers */
  double *place;             /* [frames][nodes][3] */
} sample;

static void put_series(vvi_h5 *f, const char *name, const char *unit, int64_t n, int components, int frames,
                       const double *value)
{
  int64_t id;
  assert_int_equal(vvi_h5_series_create(f, name, VVI_H5_DOUBLE, n, components, &id), VV_OK);
  for (int k = 0; k < frames; k++)
    assert_int_equal(vvi_h5_series_put(f, id, VVI_H5_DOUBLE, k, value + (n > 0 ? n * components : 1) * k), VV_OK);
  assert_int_equal(vvi_h5_set_text(f, name, "unit", unit), VV_OK);
  assert_int_equal(vvi_h5_set_text(f, name, "on", "nodes"), VV_OK);
}

static void put_frames(vv_ctx *ctx, sample *s)
{
  vvi_h5 f;
  uint64_t seed = 7;
  const int n = s->frames * s->nodes;
  double *time = calloc((size_t)s->frames, sizeof *time), *d[3], q[4], r[3][3];
  for (int k = 0; k < 3; k++) d[k] = calloc((size_t)n * 3, sizeof **d);
  s->place = calloc((size_t)n * 3, sizeof *s->place);
  for (int k = 0; k < n; k++) {
    turning(k / s->nodes, k % s->nodes, q);
    directors(q, r);
    for (int c = 0; c < 3; c++) {
      s->place[3 * k + c] = 1e3 * c + (k % s->nodes) + pow(10, -c) * noise(&seed);
      if (k / s->nodes >= s->broken) s->place[3 * k + c] = NAN;
      for (int i = 0; i < 3; i++) d[i][3 * k + c] = r[i][c];
    }
  }
  for (int k = 0; k < s->frames; k++) time[k] = 0.1 * k;
  assert_int_equal(vvi_h5_create(ctx, FOLDER "/results.h5", &f), VV_OK);
  assert_int_equal(vvi_h5_set_whole(&f, "/", "frames", s->frames), VV_OK);
  put_series(&f, "/time", "s", 0, 1, s->frames, time);
  int64_t id;
  assert_int_equal(vvi_h5_series_create(&f, "/step", VVI_H5_INT64, 0, 1, &id), VV_OK);
  for (int64_t k = 0; k < s->frames; k++) assert_int_equal(vvi_h5_series_put(&f, id, VVI_H5_INT64, k, &k), VV_OK);
  assert_int_equal(vvi_h5_group(&f, "/bodies"), VV_OK);
  assert_int_equal(vvi_h5_group(&f, "/bodies/rod"), VV_OK);
  assert_int_equal(vvi_h5_set_text(&f, "/bodies/rod", "name", "rod"), VV_OK);
  assert_int_equal(vvi_h5_set_text(&f, "/bodies/rod", "kind", "beam"), VV_OK);
  assert_int_equal(vvi_h5_set_whole(&f, "/bodies/rod", "index", 0), VV_OK);
  put_series(&f, "/bodies/rod/position", "m", s->nodes, 3, s->frames, s->place);
  put_series(&f, "/bodies/rod/velocity", "m/s", s->nodes, 3, s->frames, s->place);
  put_series(&f, "/bodies/rod/d1", "1", s->nodes, 3, s->frames, d[0]);
  put_series(&f, "/bodies/rod/d2", "1", s->nodes, 3, s->frames, d[1]);
  put_series(&f, "/bodies/rod/d3", "1", s->nodes, 3, s->frames, d[2]);
  assert_int_equal(vvi_h5_close(&f), VV_OK);
  for (int k = 0; k < 3; k++) free(d[k]);
  free(time);
}

/* A ledger with one tooth in the closure; events whose impulses grow, but for the last. */
static void put_tables(int rows, int tooth, int events)
{
  FILE *f = fopen(FOLDER "/ledger.csv", "wb");
  fputs("# units: 1,s,1\nstep,time,closure\n", f);
  for (int i = 0; i < rows; i++) fprintf(f, "%d,%.17g,%.17g\n", i, 0.001 * i, i == tooth ? 0.75 : 1e-9 * (i % 17));
  assert_int_equal(fclose(f), 0);
  f = fopen(FOLDER "/events.csv", "wb");
  fputs("# units: s,-,N s\ntime,body_a,normal_impulse\n", f);
  for (int i = 0; i < events; i++)
    fprintf(f, "%.17g,\"a \"\"word\"\",\nin two lines\",%.17g\n", 0.01 * i, i == events - 1 ? 0 : -1.0 - i);
  assert_int_equal(fclose(f), 0);
}

/* ---- reading a page ---- */

static char *page_of(vv_ctx *ctx, int64_t most, size_t *bytes)
{
  static const char *const folder[] = {FOLDER "/"};
  put_text("template.html", "<head><!--visviva:data--><tail>");
  assert_int_equal(vv_page_write(ctx, 1, folder, "template.html", most, "page.html"), VV_OK);
  struct stat s;
  assert_int_equal(stat("page.html", &s), 0);
  char *page = calloc(1, (size_t)s.st_size + 1);
  FILE *f = fopen("page.html", "rb");
  assert_int_equal(fread(page, 1, (size_t)s.st_size, f), s.st_size);
  fclose(f);
  *bytes = (size_t)s.st_size;
  return page;
}

/* The first number behind a path of keys, each searched behind the one before. */
static double value_at(const char *page, int n, const char *const key[])
{
  const char *c = strstr(page, "id=\"vv-data\"");
  char quoted[64];
  for (int i = 0; i < n; i++) {
    snprintf(quoted, sizeof quoted, "\"%s\":", key[i]);
    assert_non_null(c);
    c = strstr(c, quoted);
    assert_non_null(c);
    c += strlen(quoted);
  }
  c += strspn(c, " [{\n");
  return strtod(c, NULL);
}
#define VALUE(page, ...) \
  value_at(page, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)), (const char *[]){__VA_ARGS__})

static int digit(char c)
{
  static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *at = strchr(letter, c);
  assert_true(at != NULL && c != '\0');
  return (int)(at - letter);
}

static unsigned char *block_at(const char *page, double number, size_t *bytes)
{
  char head[64];
  snprintf(head, sizeof head, "id=\"vv-%d\">", (int)number);
  const char *c = strstr(page, head);
  assert_non_null(c);
  c += strlen(head);
  const size_t letters = strcspn(c, "<");
  assert_int_equal(letters % 4, 0);
  unsigned char *out = calloc(letters + 4, 1);
  *bytes = 0;
  for (size_t i = 0; i < letters; i += 4) {
    const int pads = (c[i + 2] == '=') + (c[i + 3] == '=');
    const int bits = digit(c[i]) << 18 | digit(c[i + 1]) << 12 | (pads < 2 ? digit(c[i + 2]) << 6 : 0) |
                     (pads < 1 ? digit(c[i + 3]) : 0);
    for (int k = 0; k < 3 - pads; k++) out[(*bytes)++] = (unsigned char)(bits >> (16 - 8 * k));
  }
  return out;
}

static void read_vector(const char *page, const char *key, double out[3])
{
  const char *c = strstr(strstr(page, "\"bodies\":"), key);
  assert_non_null(c);
  c += strlen(key) + strspn(c + strlen(key), "\": [\n");
  for (int k = 0; k < 3; k++) {
    char *end;
    out[k] = strtod(c, &end);
    assert_true(end != c);
    c = end + strspn(end, ", \n");
  }
}

/* ---- tests ---- */

/* First frame as float, displacements to half a level: |error| <= range/65535/2, plus the rounding of the float. */
static void check_positions(const char *page, const sample *s, int kept)
{
  size_t bytes, start_bytes;
  double low[3], high[3];
  unsigned char *level = block_at(page, VALUE(page, "bodies", "position", "block"), &bytes);
  unsigned char *start = block_at(page, VALUE(page, "bodies", "position", "start"), &start_bytes);
  read_vector(page, "\"low\"", low);
  read_vector(page, "\"high\"", high);
  assert_int_equal(bytes, 6 * s->nodes * kept);
  assert_int_equal(start_bytes, 12 * s->nodes);
  for (int k = 0; k < kept; k++) {
    const int frame = kept > 1 ? (int)((int64_t)k * (s->frames - 1) / (kept - 1)) : 0;
    for (int i = 0; i < 3 * s->nodes; i++) {
      float x0;
      memcpy(&x0, start + 4 * i, 4);
      const int u = level[2 * (3 * s->nodes * k + i)] | level[2 * (3 * s->nodes * k + i) + 1] << 8;
      const double step = (high[i % 3] - low[i % 3]) / 65535, x = (double)x0 + low[i % 3] + step * u;
      const double exact = s->place[3 * s->nodes * frame + i];
      assert_true(fabs(x - exact) <= 0.5 * step * (1 + 1e-9) + 6e-8 * fabs(exact));
    }
  }
  free(level);
  free(start);
}

/* The same rotation as the directors: q and -q are one. */
static void check_turning(const char *page, const sample *s)
{
  size_t bytes;
  unsigned char *b = block_at(page, VALUE(page, "bodies", "orientation"), &bytes);
  assert_int_equal(bytes, 8 * s->nodes * s->frames);
  for (int k = 0; k < s->frames * s->nodes; k++) {
    double q[4], dot = 0;
    turning(k / s->nodes, k % s->nodes, q);
    for (int c = 0; c < 4; c++) dot += q[c] * (int16_t)(b[8 * k + 2 * c] | b[8 * k + 2 * c + 1] << 8) / 32767.0;
    assert_true(fabs(fabs(dot) - 1) < 4 * 0.5 / 32767);
  }
  free(b);
}

static void numbers_travel_as_stated(void **state)
{
  (void)state;
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  sample s = {.frames = 40, .nodes = NODES, .broken = 1000};
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_OK);
  mkdir(FOLDER, 0777);
  put_frames(ctx, &s);
  put_tables(300, 17, 20);
  size_t bytes;
  char *page = page_of(ctx, 0, &bytes);
  assert_true(strncmp(page, "<head>", 6) == 0 && strcmp(page + bytes - 6, "<tail>") == 0);
  assert_true(VALUE(page, "frames", "kept") == 40 && VALUE(page, "frames", "all") == 40);
  assert_true(VALUE(page, "ledger", "rows") == 300 && VALUE(page, "events", "rows") == 20);
  assert_non_null(strstr(page, "a \\\"word\\\",\\u000ain two lines"));
  check_positions(page, &s, 40);
  check_turning(page, &s);
  free(page);
  free(s.place);
  vv_ctx_destroy(ctx);
}

/* 2 MB for 400 frames of 2000 nodes: frames are left out evenly, first and last stay; the tooth and the strong events too. */
static void what_does_not_fit_is_left_out(void **state)
{
  (void)state;
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  sample s = {.frames = 400, .nodes = 2000, .broken = 1000};
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_OK);
  mkdir(FOLDER, 0777);
  put_frames(ctx, &s);
  put_tables(30000, 12345, 30000);
  size_t bytes, table_bytes;
  char *page = page_of(ctx, 4000000, &bytes);
  assert_in_range(bytes, 2000000, 4000000);
  const int kept = (int)VALUE(page, "frames", "kept"), rows = (int)VALUE(page, "ledger", "rows");
  assert_true(kept > 20 && kept < 400 && VALUE(page, "frames", "all") == 400);
  check_positions(page, &s, kept);
  assert_true(rows <= 6000 && rows > 1000 && VALUE(page, "ledger", "all") == 30000);
  unsigned char *b = block_at(page, VALUE(page, "ledger", "block"), &table_bytes);
  const double *value = (const double *)(const void *)b;
  bool tooth = false;
  for (int i = 0; i < rows; i++) tooth |= value[i] == 12345 && value[2 * rows + i] == 0.75;
  assert_true(tooth && value[0] == 0 && value[rows - 1] == 29999);
  free(b);
  b = block_at(page, VALUE(page, "events", "block"), &table_bytes);
  value = (const double *)(const void *)b;
  const int events = (int)VALUE(page, "events", "rows");
  assert_true(events > 19000 && events <= 20000);
  for (int i = 0; i < events; i++) assert_true(value[2 * events + i] < -9000); /* the weak ones are not there */
  free(b);
  free(page);
  free(s.place);
  vv_ctx_destroy(ctx);
}

static void a_burst_run_is_shown_until_it_bursts(void **state)
{
  (void)state;
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  sample s = {.frames = 30, .nodes = NODES, .broken = 11};
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_OK);
  mkdir(FOLDER, 0777);
  put_frames(ctx, &s);
  put_tables(30, 3, 0);
  size_t bytes;
  char *page = page_of(ctx, 0, &bytes);
  assert_true(VALUE(page, "frames", "kept") == 11 && VALUE(page, "frames", "all") == 30);
  assert_non_null(strstr(page, "\"burst\": true"));
  free(page);
  free(s.place);
  vv_ctx_destroy(ctx);
}

static void bad_folders_are_refused(void **state)
{
  (void)state;
  static const char *const folder[] = {FOLDER};
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_OK);
  put_text("template.html", "<!--visviva:data-->");
  put_text(FOLDER "/results.h5", "not HDF5");
  assert_int_equal(vv_page_write(ctx, 1, folder, "template.html", 0, "bad.html"), VV_IO);
  put_text(FOLDER "/ledger.csv", "a,b\n1,2\n");
  assert_int_equal(vv_page_write(ctx, 1, folder, "template.html", 0, "bad.html"), VV_IO);
  remove(FOLDER "/ledger.csv");
  assert_int_equal(vv_page_write(ctx, 1, folder, "template.html", 0, "bad.html"), VV_IO);
  assert_int_equal(vv_page_write(ctx, 0, folder, "template.html", 0, "bad.html"), VV_ARG);
  assert_true(vv_ctx_message_count(ctx) >= 3 && !vvi_exists("bad.html"));
  vv_ctx_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_travel_as_stated),
      cmocka_unit_test(what_does_not_fit_is_left_out),
      cmocka_unit_test(a_burst_run_is_shown_until_it_bursts),
      cmocka_unit_test(bad_folders_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
