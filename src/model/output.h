/* model/output.h  Output fields of body kinds by their names. */
#pragma once
#include "model/model.h"

/* Which of the fields of a kind; -1: none. */
int vvi_output_find(const vv_body_kind *kind, const char *name);
