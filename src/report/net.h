/* report/net.h  The surface of a shell as lines of a picture: its edges, those behind it left out, few of very many. */
#pragma once
#include "base/base.h"

/* Every edge once: its ends in the direction of its first triangle, and the third corners of its first two triangles
 * (-1: it has one only). */
typedef struct vvi_net {
  int64_t edges;
  int64_t (*edge)[4];
  bool closed; /* every edge has two triangles that go through it in opposite directions: there is a side behind */
} vvi_net;

/* triangle[triangles][3]; triangles that name nodes which are not there are left out. */
vv_status vvi_net_make(vvi_arena *arena, int64_t nodes, int64_t triangles, const int64_t *triangle, vvi_net *out);

/* The edges to draw of a surface whose nodes are at x[.][3] and which is seen along the third axis: pairs of points in
 * *xy, [*n] x and behind them [*n] y. */
vv_status vvi_net_draw(vvi_arena *arena, const vvi_net *net, const double *x, int across, int up, int64_t *n,
                       double **xy);
