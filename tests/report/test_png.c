/* tests/report/test_png.c  Pictures in pixels: what is written is read back by a reader of its own, bit by bit; lines lie where
 * they should, cover what they should, and letters are there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/plot.h"
#include "report/png.h"
#include "report/raster.h"
#include "report/strokes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a reader: chunks, inflate with the fixed code, filter 2 ---- */

typedef struct bits {
  const unsigned char *x;
  size_t n, at; /* bits */
} bits;

static unsigned take(bits *b, int n)
{
  unsigned out = 0;
  for (int i = 0; i < n; i++, b->at++) {
    assert_true(b->at < 8 * b->n);
    out |= (unsigned)(b->x[b->at / 8] >> b->at % 8 & 1) << i;
  }
  return out;
}

/* The fixed code: 7 bits up to 0010111, 8 up to 10111111 and from 11000000 to 11000111, else 9. */
static int symbol(bits *b)
{
  unsigned code = 0;
  for (int i = 0; i < 7; i++) code = code << 1 | take(b, 1);
  if (code <= 0x17) return 256 + (int)code;
  code = code << 1 | take(b, 1);
  if (code >= 0x30 && code <= 0xbf) return (int)code - 0x30;
  if (code >= 0xc0 && code <= 0xc7) return 280 + (int)code - 0xc0;
  code = code << 1 | take(b, 1);
  return 144 + (int)code - 0x190;
}

static size_t inflate(const unsigned char *x, size_t n, unsigned char *out, size_t room)
{
  static const int base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                             31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  static const int extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  bits b = {.x = x, .n = n, .at = 16};
  size_t m = 0;
  assert_int_equal((x[0] * 256 + x[1]) % 31, 0);
  assert_int_equal(take(&b, 1), 1);
  assert_int_equal(take(&b, 2), 1);
  for (int s; (s = symbol(&b)) != 256;) {
    if (s < 256) {
      assert_true(m < room);
      out[m++] = (unsigned char)s;
      continue;
    }
    const int length = base[s - 257] + (int)take(&b, extra[s - 257]);
    assert_int_equal(take(&b, 5), 0); /* distance 1 */
    for (int i = 0; i < length; i++, m++) {
      assert_true(m > 0 && m < room);
      out[m] = out[m - 1];
    }
  }
  uint32_t a = 1, c = 0;
  for (size_t i = 0; i < m; i++) a = (a + out[i]) % 65521, c = (c + a) % 65521;
  const unsigned char *tail = x + (b.at + 7) / 8;
  assert_int_equal((uint32_t)tail[0] << 24 | (uint32_t)tail[1] << 16 | (uint32_t)tail[2] << 8 | tail[3], c << 16 | a);
  return m;
}

static uint32_t word(const unsigned char *x)
{
  return (uint32_t)x[0] << 24 | (uint32_t)x[1] << 16 | (uint32_t)x[2] << 8 | x[3];
}

/* CRC by long division, the slow way. */
static uint32_t crc_of(const unsigned char *x, size_t n)
{
  uint32_t c = 0xffffffffu;
  for (size_t i = 0; i < 8 * n; i++) {
    const uint32_t bit = (c ^ (uint32_t)(x[i / 8] >> i % 8)) & 1;
    c = c >> 1 ^ (bit != 0 ? 0xedb88320u : 0);
  }
  return ~c;
}

static unsigned char *read_png(const char *path, int *width, int *height)
{
  static unsigned char file[1 << 23], rows[1 << 23];
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  const size_t n = fread(file, 1, sizeof file, f);
  fclose(f);
  assert_memory_equal(file, "\x89PNG\r\n\x1a\n", 8);
  size_t at = 8, bytes = 0;
  *width = *height = 0;
  for (bool over = false; !over;) {
    const uint32_t length = word(file + at);
    const unsigned char *data = file + at + 8;
    assert_true(at + 12 + length <= n);
    assert_int_equal(word(data + length), crc_of(file + at + 4, 4 + length));
    if (memcmp(file + at + 4, "IHDR", 4) == 0) *width = (int)word(data), *height = (int)word(data + 4);
    if (memcmp(file + at + 4, "IDAT", 4) == 0) bytes = inflate(data, length, rows, sizeof rows);
    over = memcmp(file + at + 4, "IEND", 4) == 0;
    at += 12 + length;
  }
  assert_int_equal(at, n);
  const size_t row = 3 * (size_t)*width;
  assert_int_equal(bytes, (row + 1) * (size_t)*height);
  unsigned char *rgb = malloc(row * (size_t)*height);
  for (int y = 0; y < *height; y++) {
    assert_int_equal(rows[(row + 1) * (size_t)y], 2);
    for (size_t i = 0; i < row; i++)
      rgb[row * (size_t)y + i] =
          (unsigned char)(rows[(row + 1) * (size_t)y + 1 + i] + (y > 0 ? rgb[row * (size_t)(y - 1) + i] : 0));
  }
  return rgb;
}

/* ---- tests ---- */

/* Runs of every length, and noise without any. */
static void test_every_pixel_comes_back(void **state)
{
  (void)state;
  enum { W = 331, H = 67 };
  static unsigned char rgb[H][W][3];
  uint32_t seed = 7;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      for (int k = 0; k < 3; k++) {
        seed = seed * 1664525u + 1013904223u;
        rgb[y][x][k] = y < 20 ? (unsigned char)(seed >> 24) : x < 5 * y ? 17 : (unsigned char)(x % (y + 1) == 0);
      }
  int width, height;
  assert_int_equal(vvi_png_write(NULL, "noise.png", W, H, &rgb[0][0][0]), VV_OK);
  unsigned char *back = read_png("noise.png", &width, &height);
  assert_int_equal(width, W);
  assert_int_equal(height, H);
  assert_memory_equal(back, rgb, sizeof rgb);
  free(back);
}

static double darkness(const unsigned char *rgb, int width, int x0, int x1, int y0, int y1)
{
  double sum = 0;
  for (int y = y0; y < y1; y++)
    for (int x = x0; x < x1; x++) sum += 1 - rgb[3 * (y * width + x)] / 255.0;
  return sum;
}

/* A line covers its length times its width, to the area of its ends, whatever its direction; twice the scale, four times. */
static void test_lines_cover_their_area(void **state)
{
  (void)state;
  static const char *const path[] = {"M20 50H80", "M50 20V80", "M28.8 28.8L71.2 71.2", "M35 24L65 76"};
  for (int i = 0; i < VV_COUNT(path); i++)
    for (int scale = 1; scale <= 3; scale++) {
      char svg[256];
      int width, height;
      unsigned char *rgb;
      snprintf(
          svg, sizeof svg,
          "<svg width=\"100\" height=\"100\">\n<g stroke=\"#000\" stroke-width=\"4\">\n<path d=\"%s\"/>\n</g>\n</svg>",
          path[i]);
      assert_int_equal(vvi_raster(svg, scale, &width, &height, &rgb), VV_OK);
      assert_int_equal(width, 100 * scale);
      const double area = darkness(rgb, width, 0, width, 0, height) / (scale * scale), exact = 60 * 4 + 4 * M_PI;
      assert_true(fabs(area / exact - 1) < 0.02);
      free(rgb);
    }
}

/* Half the opacity is half the ink, also where a line crosses itself. */
/* With its rim of width w: the area, w/2 along every edge, and a part of a circle at each corner, a whole one in all. */
static void test_polygons_cover_their_area(void **state)
{
  (void)state;
  static const char *const points[] = {"20.0,20.0 80.0,20.0 20.0,70.0", "20.0,70.0 80.0,20.0 20.0,20.0",
                                       "30.0,30.0 70.0,30.0 70.0,60.0 30.0,60.0"};
  static const double area[] = {1500, 1500, 1200}, around[] = {188.102, 188.102, 140};
  const double rim = 2;
  for (int i = 0; i < VV_COUNT(points); i++)
    for (int scale = 1; scale <= 3; scale++) {
      char svg[256];
      int width, height;
      unsigned char *rgb;
      snprintf(svg, sizeof svg,
               "<svg width=\"100\" height=\"100\">\n<polygon fill=\"#000000\" stroke=\"#000000\" stroke-width=\"%g\" "
               "points=\"%s\"/>\n</svg>",
               rim, points[i]);
      assert_int_equal(vvi_raster(svg, scale, &width, &height, &rgb), VV_OK);
      const double exact = area[i] + 0.5 * rim * around[i] + 0.25 * M_PI * rim * rim;
      assert_true(fabs(darkness(rgb, width, 0, width, 0, height) / (scale * scale) / exact - 1) < 0.01);
      free(rgb);
    }
}

static void test_crossings_are_not_darker(void **state)
{
  (void)state;
  int width, height;
  unsigned char *rgb;
  assert_int_equal(
      vvi_raster("<svg width=\"40\" height=\"40\">\n<g stroke=\"#000000\" stroke-width=\"6\" stroke-opacity=\"0.5\">\n"
                 "<polyline points=\"5,20 35,20 20,20 20,5 20,35 \"/>\n</g>\n</svg>",
                 1, &width, &height, &rgb),
      VV_OK);
  assert_in_range(rgb[3 * (20 * width + 20)], 126, 129);
  assert_in_range(rgb[3 * (20 * width + 8)], 126, 129);
  assert_int_equal(rgb[3 * (2 * width + 2)], 255);
  free(rgb);
}

/* Text ends where it is told to; an upright one is the same, turned; every letter has ink. */
static void test_letters(void **state)
{
  (void)state;
  int width, height, wide;
  unsigned char *rgb, *turned;
  assert_int_equal(
      vvi_raster("<svg width=\"200\" height=\"200\">\n<text x=\"100\" y=\"100\" text-anchor=\"end\" font-size=\"20\" "
                 "fill=\"#000\">Energy</text>\n</svg>",
                 1, &width, &height, &rgb),
      VV_OK);
  assert_int_equal(
      vvi_raster("<svg width=\"200\" height=\"200\">\n<text x=\"100\" y=\"100\" text-anchor=\"start\" font-size=\"20\" "
                 "fill=\"#000\" transform=\"rotate(-90 100 100)\">Energy</text>\n</svg>",
                 1, &width, &height, &turned),
      VV_OK);
  const double all = darkness(rgb, width, 0, 200, 0, 200);
  assert_true(all > 50);
  assert_true(darkness(rgb, width, 102, 200, 0, 200) == 0 && darkness(rgb, width, 0, 102, 80, 108) == all);
  assert_true(fabs(darkness(turned, width, 0, 200, 0, 200) / all - 1) < 0.05);
  assert_true(darkness(turned, width, 80, 110, 0, 103) > 0.99 * all); /* above the point, beside the base line */
  for (int c = '!'; c <= '~'; c++) {
    assert_true(strlen(vvi_strokes(c, &wide)) >= 2);
    assert_in_range(wide, 0, 6);
  }
  free(rgb);
  free(turned);
}

/* The same chart in both forms: .png has pixels, whatever the case of its letters, everything else SVG. */
static void test_chart(void **state)
{
  (void)state;
  const double x[] = {0, 1, 2}, y[] = {0, 1, 4};
  const vvi_series series = {.name = "a < b", .n = 3, .x = x, .y = y};
  const vvi_panel panel = {
      .title = "A \xc3\xa4 chart", .x_label = "x", .y_label = "y", .n_series = 1, .series = &series};
  const vvi_page page = {.title = "Title", .n_panel = 1, .panel = &panel, .columns = 1};
  int width, height;
  char head[5] = "";
  assert_int_equal(vvi_plot_write(NULL, "chart.PNG", &page), VV_OK);
  assert_int_equal(vvi_plot_write(NULL, "chart.svg", &page), VV_OK);
  unsigned char *rgb = read_png("chart.PNG", &width, &height);
  assert_int_equal(width, 1800);
  assert_int_equal(height, 1400);
  assert_true(darkness(rgb, width, 0, width, 0, height) > 1000);
  free(rgb);
  FILE *f = fopen("chart.svg", "r");
  assert_non_null(f);
  assert_int_equal(fread(head, 1, 4, f), 4);
  fclose(f);
  assert_string_equal(head, "<svg");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_pixel_comes_back),
                                     cmocka_unit_test(test_lines_cover_their_area),
                                     cmocka_unit_test(test_polygons_cover_their_area),
                                     cmocka_unit_test(test_crossings_are_not_darker),
                                     cmocka_unit_test(test_letters),
                                     cmocka_unit_test(test_chart)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
