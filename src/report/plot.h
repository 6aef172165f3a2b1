/* report/plot.h  Charts as SVG or PNG, without dependencies: a page of panels, each with axes, grid, series, legend. */
#pragma once
#include "base/base.h"

/* How a series is drawn: a line over x, dots, both, a curve in the plane (x may go anywhere, nothing is thinned),
 * a net of thin lines: each pair of points is one, or cells: each three points are a triangle in the colour of its value, or a
 * thick line where the third is not finite. */
enum vvi_plot_style {
  VVI_PLOT_LINE = 0,
  VVI_PLOT_DASHED = 1,
  VVI_PLOT_DOTS = 2,
  VVI_PLOT_LINE_DOTS = 3,
  VVI_PLOT_CURVE = 4,
  VVI_PLOT_NET = 5,
  VVI_PLOT_CELLS = 6
};

/* Points that are not finite, and points <= 0 on a log axis, are gaps in the line. */
typedef struct vvi_series {
  const char *name; /* in the legend; NULL: not listed */
  int64_t n;
  const double *x, *y; /* [n]; x ascending for lines (long ones are thinned to the range of y per pixel) */
  int colour;          /* 1..8 of the palette; 0: by its place in the panel */
  int style;           /* vvi_plot_style */
  const double *value; /* cells: [n/3] */
} vvi_series;

/* What the colours of cells mean: from blue to light yellow, or from blue over white to orange where it has both signs, even
 * about zero. */
typedef struct vvi_scale {
  const char *label;
  double lo, hi;
} vvi_scale;

typedef struct vvi_panel {
  const char *title, *x_label, *y_label;
  const char *note; /* one line of text inside the panel; may be NULL */
  bool log_x, log_y;
  bool equal;     /* one scale for both axes: shapes look as they are */
  double y_floor; /* log_y: smaller values are drawn at the floor; 0: none */
  int n_series;
  const vvi_series *series; /* [n_series] */
  const double *fade;       /* [n_series] 0: full colour, towards 1: towards white; NULL: all full */
  int64_t n_mark;
  const vvi_scale *scale; /* of cells, drawn beside them; NULL: there are none */
  const double *mark;     /* [n_mark] x of events: thin vertical lines when few, a raster at the foot when many */
} vvi_panel;

typedef struct vvi_page {
  const char *title, *subtitle; /* may be NULL */
  int width, height;            /* pixels; 0: 900 x 700 */
  int columns;                  /* panels side by side; 0: 2 */
  int n_panel;
  const vvi_panel *panel; /* [n_panel] row by row */
} vvi_page;

/* A path that ends in .png gets pixels, every other one SVG.  Written apart and renamed; VV_IO when the file cannot be written. */
vv_status vvi_plot_write(vv_ctx *ctx, const char *path, const vvi_page *page);
