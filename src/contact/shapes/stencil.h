/* contact/shapes/stencil.h  Vertices that are sums of nodes. */
#pragma once
#include "contact/sheets.h"

enum { VVI_SHEET_STENCIL = 20 }; /* nodes of a vertex at most: four of them make a row */

/* Places x[nodes][3] of the vertices of a surface; where they are not those of its nodes, their stencils.  zero: columns of
 * the block, all zero before and after. */
vv_status vvi_sheet_stencils(vvi_arena *arena, const vv_block *b, int32_t local, const double *q, double *zero,
                             double *x, vvi_sheet_part *part);
/* The same of a surface whose triangles are cut into pieces: vertices, elements and stencils of the part. */
vv_status vvi_sheet_cut(vvi_arena *arena, const vv_block *b, int32_t local, const double *q, double *zero,
                        vvi_sheet_part *part);
