/* validation/rod_events.h  The rod in its box as it is in mechanics: impact after impact, nothing stepped. */
#pragma once

#include <stdint.h>

/* Impacts in `end` seconds of the rod of examples/energy-momentum-rigid/rod-in-box.yaml, its centre at (start, 0, 0); the first
 * `kept` of their times. */
int64_t rod_events(double start, double end, int kept, double *time);
