/* report/page_paper.c  Base64 blocks and JSON inside an HTML page. */
#include "report/page.h"

#include <stdlib.h>
#include <string.h>

vv_status vvi_paper_open(vv_ctx *ctx, const char *path, vvi_paper *p)
{
  *p = (vvi_paper){.status = VV_OK, .json = {.status = VV_OK}};
  p->json.file = (vvi_file){.ctx = ctx, .path = path};
  VV_TRY(vvi_file_create(ctx, path, &p->file));
  p->json.file.stream = open_memstream(&p->text, &p->text_bytes);
  return p->json.file.stream != NULL ? VV_OK : VV_NOMEM;
}

static void put(vvi_paper *p, const char *text, size_t bytes)
{
  if (p->status == VV_OK) p->status = vvi_file_write(&p->file, text, bytes);
}

vv_status vvi_paper_text(vvi_paper *p, const char *text, size_t bytes)
{
  put(p, text, bytes);
  return p->status;
}

/* Names and titles are the user's.  Inside a script element only '<' can end it, or open a comment; JSON has it in words
 * alone, where it may be written as an escape. */
static void put_json(vvi_paper *p)
{
  static const char head[] = "<script type=\"application/json\" id=\"vv-data\">", tail[] = "</script>\n";
  put(p, head, sizeof head - 1);
  for (const char *c = p->text; *c != '\0';) {
    const size_t n = strcspn(c, "<");
    put(p, c, n);
    c += n;
    if (*c == '<') put(p, "\\u003c", 6), c++;
  }
  put(p, tail, sizeof tail - 1);
}

vv_status vvi_paper_finish(vvi_paper *p)
{
  if (p->status == VV_OK) p->status = p->json.status;
  const vv_status closed = vvi_file_close(&p->json.file);
  if (p->status == VV_OK) p->status = closed;
  if (p->status == VV_OK) put_json(p);
  return p->status;
}

vv_status vvi_paper_close(vvi_paper *p)
{
  (void)!vvi_file_close(&p->json.file);
  free(p->text);
  p->text = NULL;
  const vv_status closed = vvi_file_close(&p->file);
  return p->status != VV_OK ? p->status : closed;
}

/* ---- blocks ---- */

/* Three bytes are four letters of six bits; n < 3 at the end of a block. */
static void put_group(vvi_paper *p, int n)
{
  static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *b = p->rest;
  const unsigned bits = (unsigned)b[0] << 16 | (n > 1 ? (unsigned)b[1] << 8 : 0) | (n > 2 ? (unsigned)b[2] : 0);
  const char text[4] = {letter[bits >> 18], letter[bits >> 12 & 63], n > 1 ? letter[bits >> 6 & 63] : '=',
                        n > 2 ? letter[bits & 63] : '='};
  put(p, text, sizeof text);
  p->n_rest = 0;
}

int vvi_block_begin(vvi_paper *p)
{
  char text[64];
  const int n = snprintf(text, sizeof text, "<script type=\"text/plain\" id=\"vv-%d\">", p->blocks);
  put(p, text, (size_t)n);
  p->n_rest = 0;
  return p->blocks++;
}

void vvi_block_end(vvi_paper *p)
{
  if (p->n_rest > 0) put_group(p, p->n_rest);
  put(p, "</script>\n", 10);
}

void vvi_block_whole(vvi_paper *p, uint64_t x, int bytes)
{
  for (int i = 0; i < bytes; i++, x >>= 8) {
    p->rest[p->n_rest++] = (unsigned char)(x & 0xff);
    if (p->n_rest == 3) put_group(p, 3);
  }
}

void vvi_block_double(vvi_paper *p, double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  vvi_block_whole(p, bits, 8);
}

void vvi_block_float(vvi_paper *p, double x)
{
  const float value = (float)x;
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  vvi_block_whole(p, bits, 4);
}
