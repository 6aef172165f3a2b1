/* contact/shapes/fold.h  Finds beams that have folded into themselves where no contact of theirs was asked for (see fold.c). */
#pragma once
#include "contact/shapes/rules.h"

/* Is there a beam that could? */
bool vvi_folds_can(const vv_model *m);
/* Takes the deepest overlap of a beam with itself, where it is more than what *deepest holds, and tells whose it is; mover: room for
 * the nodes of any block. */
bool vvi_folds_look(const vv_model *m, const double *q, const double *p, vv_mover *mover, vv_overlap *deepest,
                    int32_t *who);
