/* validation/impact2017.h  The files of the chapter on beams that hit a floor. */
#pragma once
#include "falls.h"
#include "figures.h"

enum { IMPACT_RUNS = 8, IMPACT_RULES = 2, IMPACT_TIMES = 3 };
enum { IMPACT_NODAL, IMPACT_SLAB };

/* The published runs. */
typedef struct impact_def {
  const char *name;
  falls_def def;
} impact_def;
extern const impact_def impact_run[IMPACT_RUNS];
extern const double impact_when[IMPACT_TIMES];

static inline book_claim impact_claim(const char *id, const char *text, const char *published, const char *evidence)
{
  return (book_claim){.id = id, .text = text, .published = published, .evidence = evidence};
}

/* Sections of the page with their claims. */
vv_status impact_chaos(book_chapter *c, vv_ctx *ctx);  /* contacts, readings of gravity, horizon */
vv_status impact_beyond(book_chapter *c, vv_ctx *ctx); /* order 6, corners, sphere, friction, weak impacts */
