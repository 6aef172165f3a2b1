/* report/strokes.h  Letters as lines, for pictures in pixels. */
#pragma once

/* The lines of a character, "xy xy xy,xy xy": points of two digits, in strokes; a stroke of one point is a dot.  y is 2 on the
 * base line, 7 at the height of small letters, 9 at that of capitals; *wide: where the next letter begins, less a gap of two.
 * A character that has none is a box. */
const char *vvi_strokes(int character, int *wide);
enum { VVI_STROKES_BASE = 2, VVI_STROKES_TOP = 9, VVI_STROKES_GAP = 2 };
