/* contact/shapes/side.h  Finds what would come upon the side of a bar, where bars have no contact (see side.c). */
#pragma once
#include "contact/shapes/rules.h"

/* Refuses what lies across a bar at the start; warns of what comes upon its side. */
vv_status vvi_sides_check(const vv_model *m, const vvi_rules *rules, const double *q, const double *p);

/* The same during the run. */
typedef struct vvi_sides vvi_sides;
/* *out: NULL where nothing can come upon the side of a bar. */
vv_status vvi_sides_create(const vv_model *m, const double *q, const double *p, vvi_arena *arena, vvi_sides **out);
/* After a step: is something inside a bar?  How deep, of all the one that is the most of its size, and the two bodies. */
bool vvi_sides_look(vvi_sides *w, int64_t step, const double *q, const double *p, vv_overlap *deepest, int32_t who[2]);
