/* report/field.h  One output field of all bodies that have it, at one time: coloured cells, or curves where all lies on a line. */
#pragma once
#include "report/shapes.h"

enum { VVI_FIELD_CURVES = 8 };

typedef struct vvi_field_view {
  int64_t frame;
  char unit[32];
  double lo, hi;     /* of the values; even about zero where they have both signs */
  vvi_shapes shapes; /* of the bodies without it */
  vvi_series cells;  /* in space, those behind first; none: all lies on a line */
  int n_curve;       /* on a line: values over position in the direction `along` */
  int along;
  vvi_series curve[VVI_FIELD_CURVES];
} vvi_field_view;

/* `field`: its name, or NAME[k] for one component; without k several components count by their size.  `time`: the nearest frame;
 * not a number: the last.  A name that no body has is refused, with those that there are. */
vv_status vvi_field_read(vvi_run *run, vvi_arena *arena, const char *field, double time, vvi_field_view *out);
