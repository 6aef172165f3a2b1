/* contact/pairs/line.h  Candidate pairs of tips and walls; found once, because order on a line never changes. */
#pragma once
#include "model/model.h"

/* Called for every candidate; patches in the model's numbering, a tip first.  An answer other than VV_OK is remembered, and
 * the search goes on, so that all mistakes are reported. */
typedef vv_status vvi_candidate_fn(void *user, int32_t a, int32_t b);
vv_status vvi_search_line(const vv_model *m, const double *q, vvi_candidate_fn *found, void *user);
