/* contact/shapes/facets.h  Rigid shapes, and beams with corners, as vertices and elements. */
#pragma once
#include "contact/sheets.h"
#include "geom/solid.h"

/* How many bodies of the sheets a shape makes: one for each radius of its parts. */
int vvi_sheet_shells_of(const vv_solid *s);
/* The g-th of them, carried by one mover at this pose. */
vv_status vvi_sheet_solid(vvi_arena *arena, const vv_solid *s, int g, const vvi_pose *pose, vvi_sheet_part *part);
/* What faces and edges meet of an obstacle that is convex, fixed in space; what is endless reaches so far from the origin. */
vv_status vvi_sheet_form(vvi_arena *arena, const vv_solid *s, double reach, vvi_sheet_part *part);
/* The faces of a beam with corners, carried by its nodes; breaks: and ends that sleep at every node between.  (prism.c) */
vv_status vvi_sheet_prism(vvi_arena *arena, const vv_patch *p, bool breaks, const vv_mover *mover,
                          vvi_sheet_part *part);
