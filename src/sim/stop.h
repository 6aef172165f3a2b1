/* sim/stop.h  Conditions of the scene that end a run: a probe's bound, separation, rest.
 *
 * They are looked at in a rhythm that depends on the step number alone, and what they remember is in the ledger, so that a
 * resumed run ends at the same step. */
#pragma once
#include "visviva/book.h"
#include "visviva/sim.h"

typedef struct vvi_stops {
  int n;
  double *value, *scratch; /* of the probes; NULL: none are asked for */
  double *p;               /* [np] momenta as they are shown; NULL: nothing waits for rest */
  int64_t seen;            /* events of the log that were looked at */
} vvi_stops;

/* The words of `stop`; m->probe_every. */
vv_status vvi_stops_check(struct vv_model *m);
vv_status vvi_stops_open(const struct vv_model *m, vvi_stops *s);
void vvi_stops_free(vvi_stops *s);
/* Steps from `step` to the next look. */
int64_t vvi_stops_wait(const struct vv_model *m, int64_t step);
/* Is this step one at which they are looked at? */
bool vvi_stops_due(const struct vv_model *m, int64_t step);
/* Remembers who touched. */
void vvi_stops_note(const struct vv_model *m, const vv_event *event, int64_t n, vv_ledger *l);
/* The number of the first condition that holds; -1: none.  Remembers when something moved. */
int vvi_stops_look(const struct vv_model *m, vvi_stops *s, const vv_state *x, vv_ledger *l);
/* Why it ended, in words. */
void vvi_stops_tell(const struct vv_model *m, int stop, double t, char *out, size_t size);
