/* report/shapes.h  Bodies in space at several times of a run: lines by their nodes, solids by their outlines and paths,
 * shells by the edges of their triangles. */
#pragma once
#include "io/results/read.h"
#include "report/plot.h"

enum { VVI_SHAPE_FRAMES = 9, VVI_SHAPE_BODIES = 6, VVI_SHAPES = (VVI_SHAPE_FRAMES + 1) * VVI_SHAPE_BODIES };

/* Seen along the axis in which they extend least. */
typedef struct vvi_shapes {
  int n; /* series; 0: everything lies on one line, and there is no shape to see */
  vvi_series series[VVI_SHAPES];
  double fade[VVI_SHAPES]; /* the earlier, the paler */
  int body[VVI_SHAPES];    /* whose it is */
  int across, up;          /* components of the panel's x and y: 0 1 2 */
} vvi_shapes;

vv_status vvi_shapes_read(vvi_run *run, vvi_arena *arena, vvi_shapes *out);
vv_status vvi_shapes_at(vvi_run *run, vvi_arena *arena, int64_t frame, vvi_shapes *out); /* at one time alone */
