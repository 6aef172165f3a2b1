/* tests/support/events_csv.h  Reads a list of reference events: case,integrator,event,time,kind,impulse. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct events_row {
  int number, integrator; /* case 1 to 6; contact time integrator 1 (lumped tips) or 2 (split tips) */
  int event;              /* counts from 0 within a case and integrator */
  double time, impulse;
  char kind[8]; /* bounce, on, off */
} events_row;

typedef struct events_csv {
  events_row *row; /* [n] in the order of the file */
  int n;
} events_csv;

/* False: the file cannot be read, or a line is not a row (error names it). */
bool events_csv_read(const char *path, events_csv *out, char *error, size_t error_size);
/* The reference events of the two bars, tests/data/bars_events.csv.  The source tree is named by VISVIVA_SOURCE (set by
 * ctest); without it the test runs in the root of the tree. */
bool events_csv_bars(events_csv *out, char *error, size_t error_size);
void events_csv_free(events_csv *list);

/* The rows of one case and integrator: they are neighbours in the file, so a pointer into the list is enough. */
const events_row *events_csv_of(const events_csv *list, int number, int integrator, int *n);
