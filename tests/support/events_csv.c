/* tests/support/events_csv.c  Reader of reference events. */
#include "events_csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char header[] = "case,integrator,event,time,kind,impulse";

/* One row; a line with anything after the impulse is refused. */
static bool parse(const char *line, events_row *r)
{
  int used = 0;
  int got = sscanf(line, "%d,%d,%d,%lf,%7[a-z],%lf %n", &r->number, &r->integrator, &r->event, &r->time, r->kind,
                   &r->impulse, &used);
  return got == 6 && line[used] == '\0';
}

static bool grow(events_csv *list, int *room)
{
  if (list->n < *room) return true;
  *room = *room ? 2 * *room : 64;
  events_row *row = realloc(list->row, (size_t)*room * sizeof *row);
  if (row) list->row = row;
  return row != NULL;
}

/* The number of the first bad line, 0 when all is well. */
static int read_rows(FILE *file, events_csv *out)
{
  char line[256];
  int room = 0, number = 1;
  if (!fgets(line, sizeof line, file) || strncmp(line, header, sizeof header - 1) != 0) return number;
  for (number = 2; fgets(line, sizeof line, file); number++) {
    if (!grow(out, &room) || !parse(line, &out->row[out->n])) return number;
    out->n++;
  }
  return 0;
}

bool events_csv_read(const char *path, events_csv *out, char *error, size_t error_size)
{
  *out = (events_csv){0};
  FILE *file = fopen(path, "r");
  if (!file) {
    snprintf(error, error_size, "%s: cannot be opened", path);
    return false;
  }
  int bad = read_rows(file, out);
  fclose(file);
  if (bad == 0) return true;
  snprintf(error, error_size, "%s:%d: not a row of reference events", path, bad);
  events_csv_free(out);
  return false;
}

bool events_csv_bars(events_csv *out, char *error, size_t error_size)
{
  const char *root = getenv("VISVIVA_SOURCE");
  char path[4096];
  snprintf(path, sizeof path, "%s/tests/data/bars_events.csv", root ? root : ".");
  return events_csv_read(path, out, error, error_size);
}

void events_csv_free(events_csv *list)
{
  free(list->row);
  *list = (events_csv){0};
}

const events_row *events_csv_of(const events_csv *list, int number, int integrator, int *n)
{
  const events_row *first = NULL;
  *n = 0;
  for (int i = 0; i < list->n; i++) {
    const events_row *r = &list->row[i];
    if (r->number != number || r->integrator != integrator) continue;
    if (!first) first = r;
    ++*n;
  }
  return first;
}
