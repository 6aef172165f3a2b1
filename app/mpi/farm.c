/* app/mpi/farm.c  visviva-mpi sweep run: the ranks of a job share the cases.
 *
 * Each rank forks before MPI begins.  The child looks after workers as `visviva sweep run` does and never sees MPI; the rank
 * itself only carries numbers between its child and rank 0, which has the list.  So a case that crashes takes no rank with it,
 * nobody who asks waits for a rank that computes, and processes are made where MPI is not.
 *
 *   supervisor --'?'--> rank --ask--> rank 0 --number--> rank --> supervisor
 *
 * Ranks sleep between looks at the network: a core that a rank would spin on is a worker's. */
#include "sweep.h"

#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ASK = 1, NUMBER = 2, FINISHED = 3 };

typedef struct farm {
  sweep_run *run;
  int rank, ranks;
  pid_t child;
  int ask, answer; /* pipes: read from the child, write to it */
  bool waiting;    /* an ask is on its way to rank 0 */
  bool closed;     /* the child has gone */
  int code;        /* of the child */
  int64_t *list;   /* of rank 0 */
  int64_t n, at;
  int finished; /* other ranks, as rank 0 knows */
  bool all;     /* every child came to its end */
} farm;

static volatile sig_atomic_t asked_to_stop;

static void on_signal(int signal)
{
  (void)signal;
  asked_to_stop = 1;
}

static void doze(void)
{
  const struct timespec moment = {.tv_nsec = 500000};
  nanosleep(&moment, NULL);
}

/* ---- before MPI ---- */

static bool fork_supervisor(farm *f)
{
  int up[2], down[2];
  if (pipe(up) != 0 || pipe(down) != 0) return app_error("no pipe: %s", strerror(errno)) == APP_DONE;
  f->child = fork();
  if (f->child < 0) return app_error("no process: %s", strerror(errno)) == APP_DONE;
  if (f->child == 0) {
    sweep_source source = {.ask = up[1], .answer = down[0]};
    close(up[0]), close(down[1]);
    f->run->quiet = true;
    _exit(sweep_supervise(f->run, &source) ? APP_DONE : APP_STOPPED);
  }
  close(up[1]), close(down[0]);
  f->ask = up[0];
  f->answer = down[1];
  return true;
}

/* ---- numbers ---- */

static int64_t next(farm *f)
{
  return f->at < f->n && !asked_to_stop ? f->list[f->at++] : -1;
}

static void hand_down(farm *f, int64_t number)
{
  (void)!write(f->answer, &number, sizeof number); /* a child that has gone is found by its silence */
}

/* Rank 0: whoever asks gets a number. */
static void serve(farm *f)
{
  for (int there = 1; there;) {
    MPI_Status status;
    int64_t word = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    if (!there) return;
    MPI_Recv(&word, 1, MPI_INT64_T, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (status.MPI_TAG == FINISHED) {
      f->finished++;
      f->all = f->all && word == APP_DONE;
      continue;
    }
    word = next(f);
    MPI_Send(&word, 1, MPI_INT64_T, status.MPI_SOURCE, NUMBER, MPI_COMM_WORLD);
  }
}

/* The others: what rank 0 has sent goes down. */
static void fetch(farm *f)
{
  int there = 0;
  int64_t word;
  if (!f->waiting) return;
  MPI_Iprobe(0, NUMBER, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  if (!there) return;
  MPI_Recv(&word, 1, MPI_INT64_T, 0, NUMBER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  f->waiting = false;
  hand_down(f, word);
}

static void bury(farm *f)
{
  int status = 0;
  while (waitpid(f->child, &status, 0) < 0 && errno == EINTR) continue;
  f->closed = true;
  f->code = WIFEXITED(status) ? WEXITSTATUS(status) : APP_STOPPED;
}

/* The child wants a number, or has gone.  Where a message is awaited or may come, nobody waits long. */
static void hear_child(farm *f)
{
  const bool watch = f->rank == 0 || f->waiting;
  struct pollfd fd = {.fd = f->ask, .events = POLLIN};
  char byte;
  int64_t word = 0;
  const int got = poll(&fd, 1, watch ? 1 : 100);
  if (got <= 0) return;
  if (read(f->ask, &byte, 1) != 1) {
    bury(f);
    return;
  }
  if (f->rank == 0) {
    hand_down(f, next(f));
    return;
  }
  MPI_Send(&word, 1, MPI_INT64_T, 0, ASK, MPI_COMM_WORLD);
  f->waiting = true;
}

/* ---- the job ---- */

static void carry(farm *f)
{
  bool told = false;
  while (!f->closed) {
    if (asked_to_stop && !told) kill(f->child, SIGTERM), told = true;
    if (f->rank == 0)
      serve(f);
    else
      fetch(f);
    hear_child(f);
  }
  if (f->rank == 0) {
    f->all = f->all && f->code == APP_DONE;
    for (; f->finished < f->ranks - 1; doze()) serve(f);
    return;
  }
  const int64_t word = f->code;
  if (f->waiting) { /* its answer is still to come */
    int64_t number;
    MPI_Recv(&number, 1, MPI_INT64_T, 0, NUMBER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Send(&word, 1, MPI_INT64_T, 0, FINISHED, MPI_COMM_WORLD);
}

/* Waits for the last rank asleep; MPI_Finalize alone would spin. */
static void leave(void)
{
  MPI_Request all;
  MPI_Ibarrier(MPI_COMM_WORLD, &all);
  for (int done = 0; !done; doze()) MPI_Test(&all, &done, MPI_STATUS_IGNORE);
  MPI_Finalize();
}

/* Rank 0 alone looks into the journals; all of them must know whether that went well. */
static bool make_list(farm *f)
{
  int good = 1;
  if (f->rank == 0) f->list = sweep_list_left(f->run, &f->n);
  if (f->rank == 0 && f->list == NULL) good = 0;
  MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return good != 0;
}

int sweep_farm(sweep_run *r)
{
  farm f = {.run = r, .all = true};
  int code = APP_DONE;
  if (!fork_supervisor(&f)) return APP_STOPPED;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &f.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &f.ranks);
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  if (make_list(&f)) {
    carry(&f);
  } else {
    close(f.answer);
    kill(f.child, SIGTERM);
    bury(&f);
    code = APP_INPUT;
  }
  if (f.rank == 0 && code == APP_DONE) code = sweep_conclude(r, f.all && !asked_to_stop);
  free(f.list);
  leave();
  return f.rank == 0 ? code : APP_DONE;
}
