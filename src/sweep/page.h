/* sweep/page.h  Text of the page of a sweep, before and behind its data; each list ends with NULL. */
#pragma once
#include <stddef.h>

extern const char *const vvi_sweep_page_head[];
extern const char *const vvi_sweep_page_tail[];
