/* report/png.h  Pictures in pixels, written without a library. */
#pragma once
#include "base/base.h"

/* rgb[height][width][3].  Written apart and renamed; VV_IO when the file cannot be written. */
vv_status vvi_png_write(vv_ctx *ctx, const char *path, int width, int height, const unsigned char *rgb);
