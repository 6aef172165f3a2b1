/* io/units.h  Units in the names that the scene gives them. */
#pragma once
#include "model/model.h"

enum { VVI_UNIT_BYTES = 128 };

/* `unit` ("J", "m/s", "Pa"...) as a product of the scene's own names; unchanged where these are m, kg, s. */
const char *vvi_unit(const vv_model *model, const char *unit, char out[VVI_UNIT_BYTES]);
