/* body/beam/polygon.h  A beam whose nodes are listed in a file. */
#pragma once
#include "body/beam/beam.h"
#include "model/table.h"

/* v/|v| without overflow; false: v is zero. */
bool beam_unit(const double v[3], double out[3]);
/* The frame with d3 along the axis and d1 in the half plane of the normal; false: one is zero, or they are parallel. */
bool beam_frame(const double axis[3], const double normal[3], double frame[9]);

/* Reads and checks the file of `shape: {nodes: {file: ...}}` for n nodes; after a fault the table is empty. */
vv_status beam_polygon_read(const vv_group *g, int64_t n, vvi_columns *t);
/* Places and frames of its nodes. */
vv_status beam_polygon_shape(const vv_group *g, const vvi_columns *t, double *x, double *frame);
/* Adds velocities and angular velocities of its nodes, where it has such columns. */
void beam_polygon_motion(const vvi_columns *t, double *v, double *w);
