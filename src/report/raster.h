/* report/raster.h  Our own SVG as pixels.  It reads what report/plot.c writes and nothing else: groups with their colours,
 * rectangles, paths of M L H V h, polylines, convex polygons, circles, text that may stand upright. */
#pragma once
#include "base/base.h"

/* rgb[height][width][3], to be freed; `scale` pixels for each unit of the picture. */
vv_status vvi_raster(const char *svg, int scale, int *width, int *height, unsigned char **rgb);
