/* validation/demoures2017.h  The two files of the chapter on the 2017 paper. */
#pragma once
#include "figures.h"

enum { CTI_1, CTI_2, CTI_COUNT };

/* The published runs: six cases, two integrators, and the exact solutions. */
typedef struct published_runs {
  cases_def def[CASES_COUNT][CTI_COUNT];
  record_plan plan[CASES_COUNT][CTI_COUNT];
  record run[CASES_COUNT][CTI_COUNT];
  wave_bars wave[CASES_COUNT];
} published_runs;

/* Half the closing speed: the size of all velocities here. */
double case_speed(int number);
/* The window in which oscillations are measured: one time unit cut at each end of the exact contact. */
double case_from(const wave_bars *w);
double case_to(const wave_bars *w);

/* Sections of the page with their claims. */
vv_status beyond_2017(book_chapter *c, vv_ctx *ctx, const published_runs *runs);
void earlier_2017(book_chapter *c, const published_runs *runs);
vv_status structure_2017(book_chapter *c, vv_ctx *ctx);
