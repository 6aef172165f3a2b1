/* validation/impact2017.h  The files of the chapter on beams that hit a floor. */
#pragma once
#include "falls.h"
#include "figures.h"

enum { IMPACT_RUNS = 8, IMPACT_RULES = 2, IMPACT_TIMES = 3 };
enum { IMPACT_NODAL, IMPACT_SLAB };

/* The published runs, and what a second program gives for them (0: it does not say). */
typedef struct impact_reference {
  const char *name;
  falls_def def;
  double time[FALLS_FIRST], speed[FALLS_FIRST]; /* s, m/s */
  double energy;                                /* of the first slab */
  double momentum[FALLS_MOMENTA];
  double tip[IMPACT_TIMES][3];
} impact_reference;
extern const impact_reference impact_run[IMPACT_RUNS];
extern const double impact_when[IMPACT_TIMES];

static inline book_claim impact_claim(const char *id, const char *text, const char *published, const char *evidence)
{
  return (book_claim){.id = id, .text = text, .published = published, .evidence = evidence};
}

/* Sections of the page with their claims. */
vv_status impact_chaos(book_chapter *c, vv_ctx *ctx);  /* contacts, readings of gravity, horizon */
vv_status impact_beyond(book_chapter *c, vv_ctx *ctx); /* order 6, corners, sphere, friction, weak impacts */
