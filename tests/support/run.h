/* tests/support/run.h  Runs a scene given as text and keeps what tests look at. */
#pragma once
#include "visviva/book.h"
#include "visviva/visviva.h"

#include <stddef.h>

typedef struct run_record {
  vv_ctx *ctx;
  vv_model *model;
  vv_state *state, *initial;
  vv_sim *sim;
  vv_event *event; /* [n_event] all events of the run */
  int64_t n_event, room;
  vv_report report;
} run_record;

typedef struct run_options {
  int threads;   /* 0: one */
  double step;   /* 0: the scene's */
  int64_t steps; /* 0: to time.end */
  bool check_structure;
  vv_observe_fn *observe; /* called every step; may be NULL */
  void *user;
} run_options;

/* Fails the test with the context's messages when something is refused. */
run_record run_scene(const char *text, const run_options *options);
/* As above up to the sim, nothing run yet. */
run_record run_prepare(const char *text, const run_options *options);
/* The status of reading and compiling; messages of the context are copied into `message`. */
vv_status run_refused(const char *text, char *message, size_t size);
void run_free(run_record *r);
const vv_ledger *run_ledger(const run_record *r);
/* Largest |a - b| over q, and over p relative to the largest |p|. */
double run_difference_q(const vv_state *a, const vv_state *b);
double run_difference_p(const vv_state *a, const vv_state *b);
