/* io/scene/page.h  A text file written piece by piece: the first failing write is remembered, the rest are skipped. */
#pragma once
#include "io/file.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct vvi_page {
  vvi_file file;
  vv_status status;
} vvi_page;

VV_PRINTF(2, 3) static inline void vvi_page_put(vvi_page *p, const char *format, ...)
{
  char text[1024]; /* longer than any line of the field tables */
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (p->status == VV_OK) p->status = vvi_file_text(&p->file, text);
}
