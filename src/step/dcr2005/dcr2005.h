/* step/dcr2005/dcr2005.h  The step of the 2005 paper on triangles; tips are in dcr2005.c. */
#pragma once
#include "step/kdk.h"

typedef struct vvi_dcr_surfaces vvi_dcr_surfaces;

/* *out: NULL where no surfaces are projected. */
vv_status vvi_dcr_surfaces_create(struct vv_step *s, vvi_dcr_surfaces **out);
/* Stage 0: after the drift, before the second kick; 1: after it.  False: out of memory. */
bool vvi_dcr_surfaces_resolve(struct vv_step *s, vvi_dcr_surfaces *k, double t, double h, int stage);
/* How deep surfaces were in the last step, and how many pairs answered. */
void vvi_dcr_surfaces_note(const vvi_dcr_surfaces *k, double *deepest, int64_t *contacts);
