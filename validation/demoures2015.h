/* validation/demoures2015.h  The files of the chapter on the 2015 paper. */
#pragma once
#include "beams.h"
#include "figures.h"

/* ---- reference2015.c: the same beams by the second program (second.h) ---- */
enum { REFERENCE_NODES = 5 };
extern const int reference_fraction[REFERENCE_NODES]; /* of 22 */
/* Section 4.2: the places of these nodes at n times. */
vv_status reference_masses(const beams_def *d, int n, const double when[], double place[][REFERENCE_NODES][3]);
/* Runs both to `end`: the largest difference of the twelve numbers of any node. */
vv_status reference_apart(vv_ctx *ctx, const beams_def *d, double end, double *most);

/* ---- sections of the page, with their claims ---- */
vv_status masses_2015(book_chapter *c, vv_ctx *ctx);      /* section 4.2 of the paper */
vv_status convergence_2015(book_chapter *c, vv_ctx *ctx); /* section 4.3 */
vv_status beyond_2015(book_chapter *c, vv_ctx *ctx);

static inline book_claim claim_2015(const char *id, const char *text, const char *published, const char *evidence)
{
  return (book_claim){.id = id, .text = text, .published = published, .evidence = evidence};
}
