/* tests/device/place.h  A scene on a device, or on the processor. */
#pragma once
#include "visviva/book.h"
#include "visviva/visviva.h"

typedef struct place {
  vv_ctx *ctx;
  vv_spec *spec;
  vv_model *model;
  vv_state *state;
  vv_sim *sim;
} place;

/* The number of the first device that can be used; NULL: there is none, and a line says so. */
const char *first_device(void);
/* The status of what went wrong first; what was made is to be closed in any case. */
vv_status place_open(const char *text, const char *device, int threads, double step, place *out);
void place_close(place *x);
/* Steps, which must be done. */
void place_steps(place *x, int64_t n);
