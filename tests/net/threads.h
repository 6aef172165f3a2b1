/* tests/net/threads.h  Ranks without MPI: every rank is a thread with a context, a model and a run of its own, and they talk by
 * memory. */
#pragma once
#include "visviva/net.h"
#include "visviva/visviva.h"

#include <pthread.h>

enum { MOST = 12, COLUMNS = 40 };

typedef struct hub {
  int ranks;
  const double *ends; /* of their shares; NULL: equal ones */
  pthread_barrier_t barrier;
  const void *given[MOST];
  int64_t moved[MOST][MOST]; /* bytes [to][from], each written by the thread of `to` */
  int64_t begun[MOST];       /* exchanges */
  int64_t most_at_once;      /* bytes of packages that rank 0 got in one deal */
} hub;

typedef struct outcome outcome;
struct outcome {
  const char *text;
  int64_t steps;
  const char *device;  /* NULL: the processor */
  const outcome *from; /* goes on from its end; NULL: from the start */
  bool keeps;          /* its end and its books, where the state is whole: release_end */
  const vv_net *net;   /* NULL: one process */
  uint64_t hash;
  double ledger[COLUMNS];
  int64_t tiles;
  int64_t deals;            /* steps in which ranks shared the answers of contacts */
  int64_t turns, own_turns; /* contacts of crowds that answered in turn; that this rank has answered, also in vain */
  int64_t came[3][MOST];    /* bytes from each rank after the calls of `measured` */
  int64_t begun[3];         /* exchanges */
  int64_t moved[3];         /* the same to and from the device */
  vv_state *end;
  vv_ledger *book;
};

/* Steps of three calls, where an outcome asks for none. */
extern const int64_t measured[3];

/* One rank, or one process: for pthread_create. */
void *run(void *user);
/* what: text, steps, device, from, keeps. */
void run_ranks(hub *h, int ranks, uint64_t shuffle, const outcome *what, outcome *out);
/* Numbers of ranks below zero: tiles are dealt out at random.  Returns in how many steps answers were shared, at the least. */
int64_t compare(const char *text, int64_t steps, int n, const int *ranks);
/* The ranks on a device, one process on the processor. */
int64_t compare_on(const char *device, const char *text, int64_t steps, int n, const int *ranks);
void release_end(outcome *o);

/* The scene of eight cubes that fly into each other, with losses and friction. */
enum { CROWD_ROOM = 4096 };
void put_crowd(char text[CROWD_ROOM]);
