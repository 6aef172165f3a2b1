/* tests/device/agree.h  The same run on a device and on the processor with 1, 2 and 7 threads: states, what observers saw, and
 * books must have the same bits. */
#pragma once
#include "visviva/visviva.h"

extern const char *device; /* which */

void agree(const char *text, int64_t n);
void agree_with(const char *text, double step, int64_t n);
/* The ledger after every step, which a device takes beforehand, and somebody who looks at the state now and then. */
void agree_rows(const char *text);
/* Half of the steps here, half there; and the other way round. */
void agree_resumed(const char *text);
/* A scene that is refused, with these words. */
void refused_with(const char *text, const char *which, vv_status wanted, const char *words);
