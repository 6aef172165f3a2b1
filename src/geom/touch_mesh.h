/* geom/touch_mesh.h  Contact of triangle surfaces with other shapes; for the files of this room. */
#pragma once
#include "geom/touch.h"

/* a or b is a mesh (hollow: a, and b is inside); the other may be anything but a half space. */
void vvi_touch_mesh(const vvi_placed *a, const vvi_placed *b, vvi_spots *s);
