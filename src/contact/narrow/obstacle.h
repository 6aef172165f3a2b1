/* contact/narrow/obstacle.h  Obstacles: planes, spheres, cylinders, boxes that are fixed in space. */
#pragma once
#include "visviva/ext.h"

/* Distance of a point from an obstacle, negative inside the forbidden part, and the unit normal to the free side. */
double vvi_obstacle_distance(const vv_patch *o, const double y[3], double n[3]);
