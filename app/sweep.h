/* app/sweep.h  What the files of `visviva sweep` share: workers, their supervisor, and where numbers of cases come from. */
#pragma once
#include "app.h"

/* Numbers of cases to be run: a list of our own, or a pipe to somebody who has it (`visviva-mpi`). */
typedef struct sweep_source {
  int64_t n, at;   /* of the list */
  int64_t *list;   /* [n] NULL: there is a pipe */
  int ask, answer; /* ask: one byte for each number wanted; answer: a number (8 bytes), -1: there is none any more */
} sweep_source;

typedef struct sweep_run {
  vv_ctx *ctx;
  vv_sweep *sweep;
  const char *folder;
  int jobs, share, shares;
  bool quiet;
} sweep_run;

/* Runs what the source gives in `jobs` worker processes, which are replaced when they die; true: to its end. */
bool sweep_supervise(sweep_run *r, sweep_source *source);

/* sweep.c: the cases that have no row yet; NULL: reported. */
int64_t *sweep_list_left(sweep_run *r, int64_t *n);
/* The table, and what is in it, told; the exit code. */
int sweep_conclude(sweep_run *r, bool finished);

/* mpi/farm.c, in `visviva-mpi` alone: the ranks of this job share the cases. */
int sweep_farm(sweep_run *r);
