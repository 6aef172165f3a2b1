/* validation/demoures2015.h  The files of the chapter on the 2015 paper. */
#pragma once
#include "beams.h"
#include "figures.h"

/* ---- reference2015.c ---- */
enum { REFERENCE_ROWS = 20, REFERENCE_NODES = 5 };
typedef struct reference_row {
  bool twelve;
  beams_scheme scheme;
  int elements;
  double t;
  double place[REFERENCE_NODES][3];
} reference_row;
extern const reference_row reference_2015[REFERENCE_ROWS];
extern const int reference_fraction[REFERENCE_NODES]; /* of 22 */

/* ---- sections of the page, with their claims ---- */
vv_status masses_2015(book_chapter *c, vv_ctx *ctx);      /* section 4.2 of the paper */
vv_status convergence_2015(book_chapter *c, vv_ctx *ctx); /* section 4.3 */
vv_status beyond_2015(book_chapter *c, vv_ctx *ctx);

static inline book_claim claim_2015(const char *id, const char *text, const char *published, const char *evidence)
{
  return (book_claim){.id = id, .text = text, .published = published, .evidence = evidence};
}
