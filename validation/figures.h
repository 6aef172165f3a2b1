/* validation/figures.h  The pictures that several chapters draw. */
#pragma once
#include "book.h"
#include "record.h"

vvi_series figure_line(const char *name, int64_t n, const double *x, const double *y, int colour, int style);

/* Tip displacement, tip velocity and energy error of two runs of one impact, one below the other, against the exact
 * solution; `names` are the titles of the rows, `level` the published energy errors (0: none). */
vv_status figure_impact(book_chapter *c, const char *name, const char *title, const record *run[2],
                        const char *const names[2], const wave_bars *w, double shift, const double level[2]);

/* |relative energy error| over time of several runs. */
vv_status figure_energy(book_chapter *c, const char *name, const char *title, int n, const record *const run[],
                        const char *const names[]);
