/* report/png.c  PNG: a signature and chunks with their length, name, data and CRC; the pixels go as rows, each less the row
 * above (filter 2), in one stream of deflate with the fixed code.  Charts are mostly paper: the difference of two rows is
 * mostly zero, so matches are looked for at distance 1 alone, which makes runs. */
#include "report/png.h"
#include "io/file.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 258, SHORTEST = 3, END = 256, BLOCK = 1 << 16 };

typedef struct stream {
  unsigned char *byte;
  size_t n, room;
  uint32_t bits; /* waiting, the first one lowest */
  int n_bits;
  bool full; /* out of memory */
} stream;

static void put_byte(stream *s, unsigned value)
{
  if (s->n == s->room) {
    const size_t room = s->room > 0 ? 2 * s->room : BLOCK;
    unsigned char *more = realloc(s->byte, room);
    if (more == NULL) {
      s->full = true;
      return;
    }
    s->byte = more, s->room = room;
  }
  s->byte[s->n++] = (unsigned char)value;
}

static void put_bits(stream *s, uint32_t value, int n)
{
  s->bits |= value << s->n_bits;
  s->n_bits += n;
  for (; s->n_bits >= 8; s->n_bits -= 8, s->bits >>= 8) put_byte(s, s->bits & 0xff);
}

/* Huffman codes go with their highest bit first. */
static void put_code(stream *s, uint32_t code, int n)
{
  uint32_t turned = 0;
  for (int i = 0; i < n; i++) turned |= (code >> i & 1) << (n - 1 - i);
  put_bits(s, turned, n);
}

/* The fixed code of deflate for literals, lengths and the end of a block. */
static void put_symbol(stream *s, int symbol)
{
  if (symbol < 144)
    put_code(s, 0x30 + (uint32_t)symbol, 8);
  else if (symbol < 256)
    put_code(s, 0x190 + (uint32_t)symbol - 144, 9);
  else if (symbol < 280)
    put_code(s, (uint32_t)symbol - 256, 7);
  else
    put_code(s, 0xc0 + (uint32_t)symbol - 280, 8);
}

/* `length` bytes as the one before: lengths from 3 have symbols from 257, four to each number of extra bits from 11 on. */
static void put_run(stream *s, int length)
{
  if (length == LONGEST) {
    put_symbol(s, 285);
  } else {
    int extra = 0, base = length - SHORTEST;
    while (base >= 8 << extra) extra++;
    const int group = base >> extra; /* 4 to 7 where there are extra bits */
    put_symbol(s, 257 + 4 * extra + group);
    put_bits(s, (uint32_t)(base & ((1 << extra) - 1)), extra);
  }
  put_code(s, 0, 5); /* distance 1 */
}

static uint32_t adler(const unsigned char *x, size_t n)
{
  uint32_t a = 1, b = 0;
  for (size_t i = 0; i < n; i++) a = (a + x[i]) % 65521, b = (b + a) % 65521;
  return b << 16 | a;
}

static void put_word(stream *s, uint32_t x)
{
  for (int shift = 24; shift >= 0; shift -= 8) put_byte(s, x >> shift & 0xff);
}

static void deflate(stream *s, const unsigned char *x, size_t n)
{
  put_byte(s, 0x78), put_byte(s, 0x01); /* zlib: a window of 32 kB */
  put_bits(s, 1, 1), put_bits(s, 1, 2); /* the last block, fixed code */
  for (size_t i = 0; i < n;) {
    size_t run = 0;
    while (i > 0 && run < LONGEST && i + run < n && x[i + run] == x[i - 1]) run++;
    if (run >= SHORTEST)
      put_run(s, (int)run), i += run;
    else
      put_symbol(s, x[i++]);
  }
  put_symbol(s, END);
  if (s->n_bits > 0) put_bits(s, 0, 8 - s->n_bits);
  put_word(s, adler(x, n));
}

static uint32_t crc(const unsigned char *x, size_t n)
{
  uint32_t c = 0xffffffffu;
  for (size_t i = 0; i < n; i++) {
    c ^= x[i];
    for (int k = 0; k < 8; k++) c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
  }
  return ~c;
}

static void put_chunk(stream *s, const char name[4], const unsigned char *data, size_t n)
{
  put_word(s, (uint32_t)n);
  const size_t first = s->n;
  for (int i = 0; i < 4; i++) put_byte(s, (unsigned char)name[i]);
  for (size_t i = 0; i < n; i++) put_byte(s, data[i]);
  if (!s->full) put_word(s, crc(s->byte + first, s->n - first));
}

/* Rows with their filter in front of them. */
static unsigned char *filter(int width, int height, const unsigned char *rgb, size_t *n)
{
  const size_t row = 3 * (size_t)width;
  unsigned char *out = malloc((row + 1) * (size_t)height), *to = out;
  for (int y = 0; out != NULL && y < height; y++) {
    const unsigned char *x = rgb + row * (size_t)y;
    *to++ = 2;
    for (size_t i = 0; i < row; i++) *to++ = (unsigned char)(x[i] - (y > 0 ? x[i - row] : 0));
  }
  *n = (row + 1) * (size_t)height;
  return out;
}

static bool make(stream *out, int width, int height, const unsigned char *rgb)
{
  static const unsigned char signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  const unsigned w = (unsigned)width, h = (unsigned)height;
  const unsigned char head[13] = {w >> 24 & 255,
                                  w >> 16 & 255,
                                  w >> 8 & 255,
                                  w & 255,
                                  h >> 24 & 255,
                                  h >> 16 & 255,
                                  h >> 8 & 255,
                                  h & 255,
                                  8,
                                  2,
                                  0,
                                  0,
                                  0};
  size_t n;
  stream data = {0};
  unsigned char *rows = filter(width, height, rgb, &n);
  if (rows != NULL) deflate(&data, rows, n);
  for (size_t i = 0; i < sizeof signature; i++) put_byte(out, signature[i]);
  put_chunk(out, "IHDR", head, sizeof head);
  put_chunk(out, "IDAT", data.byte, data.n);
  put_chunk(out, "IEND", NULL, 0);
  const bool good = rows != NULL && !data.full && !out->full;
  free(rows);
  free(data.byte);
  return good;
}

vv_status vvi_png_write(vv_ctx *ctx, const char *path, int width, int height, const unsigned char *rgb)
{
  stream s = {0};
  vvi_file file = {0};
  const size_t n = strlen(path) + 5;
  char *tmp = malloc(n);
  vv_status status = tmp != NULL && make(&s, width, height, rgb) ? VV_OK : VV_NOMEM;
  if (status == VV_OK) {
    snprintf(tmp, n, "%s.tmp", path);
    status = vvi_file_create(ctx, tmp, &file);
    if (status == VV_OK) status = vvi_file_write(&file, (const char *)s.byte, s.n);
    const vv_status closed = vvi_file_close(&file);
    if (status == VV_OK) status = closed;
    if (status == VV_OK)
      status = vvi_replace(ctx, tmp, path, false);
    else
      remove(tmp);
  }
  free(s.byte);
  free(tmp);
  return status;
}
