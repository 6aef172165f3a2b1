/* contact/shapes/side.h  Finds what would come upon the side of a bar, where bars have no contact (see side.c). */
#pragma once
#include "contact/shapes/rules.h"

/* Refuses what lies across a bar at the start; warns of what comes upon its side. */
vv_status vvi_sides_check(const vv_model *m, const vvi_rules *rules, const double *q, const double *p);
