/* app/sweep_work.c  Worker processes of a sweep, and the supervisor that starts and replaces them.
 *
 * A worker gets a number through a pipe, runs that case in its own process and answers; its row is in its journal by then.
 * When it dies, the supervisor notes a crash, puts another one in its place, and the case is tried again or given up. */
#include "sweep.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { MOST_JOBS = 1024 };

typedef struct worker {
  pid_t pid;      /* 0: none */
  int to, from;   /* pipes; to -1: told that there is no more */
  int64_t number; /* of its case; -1: idle */
  double since;   /* clock: when it got that */
} worker;

typedef struct supervisor {
  sweep_run *run;
  sweep_source *source;
  worker worker[MOST_JOBS];
  int64_t *again; /* [n_again] cases whose worker died, to be tried again */
  int n_again, room_again;
  int wanted;  /* numbers asked for and not yet here */
  bool empty;  /* the source has no more */
  bool failed; /* our own trouble: told */
  int64_t done, bad;
  app_progress progress;
} supervisor;

/* ---- signals: one flag in every process ---- */

static volatile sig_atomic_t asked_to_stop;

static void on_signal(int signal)
{
  (void)signal;
  asked_to_stop = 1;
}

static void watch_signals(void)
{
  static const int wanted[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {.sa_handler = on_signal}, was; /* no SA_RESTART: waiting ends */
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
    const bool ignored = sigaction(wanted[i], NULL, &was) == 0 && was.sa_handler == SIG_IGN; /* nohup */
    if (!ignored) sigaction(wanted[i], &action, NULL);
  }
}

static bool stop_asked(void *unused)
{
  (void)unused;
  return asked_to_stop != 0;
}

/* ---- pipes ---- */

static bool send_all(int fd, const void *data, size_t bytes)
{
  const char *at = data;
  while (bytes > 0) {
    const ssize_t n = write(fd, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n, bytes -= (size_t)n;
  }
  return true;
}

/* False: the other side is gone, or a signal asks to stop. */
static bool receive_all(int fd, void *data, size_t bytes)
{
  char *at = data;
  while (bytes > 0) {
    const ssize_t n = read(fd, at, bytes);
    if (n < 0 && errno == EINTR && !asked_to_stop) continue;
    if (n <= 0) return false;
    at += n, bytes -= (size_t)n;
  }
  return true;
}

/* ---- the worker ---- */

enum { LEFT = -1 };  /* in place of how a case ended: its files could not be written, or another run writes them */
enum { STUCK = 50 }; /* exit code of a worker whose journal could not be written: no fault of its case */

typedef struct answer {
  int64_t number, end;
} answer;

static int work(sweep_run *r, int from, int to)
{
  answer a;
  while (!asked_to_stop && receive_all(from, &a.number, sizeof a.number)) {
    vv_case_end end;
    const vv_status status = vv_sweep_run_case(r->sweep, a.number, stop_asked, NULL, &end);
    if (status != VV_OK) app_messages(r->ctx, status);
    if (status == VV_IO && end != VV_CASE_INTERRUPTED) return STUCK;
    if (status != VV_OK && status != VV_IO) return APP_STOPPED;
    a.end = status == VV_IO ? (int64_t)LEFT : (int64_t)end;
    if (status == VV_IO) {
      app_hint("case %lld was left", (long long)a.number);
      vv_ctx_messages_clear(r->ctx);
    }
    if (!send_all(to, &a, sizeof a)) return APP_STOPPED;
  }
  return APP_DONE;
}

static void close_all(const supervisor *s)
{
  for (int i = 0; i < s->run->jobs; i++) {
    const worker *w = &s->worker[i];
    if (w->pid != 0 && w->to >= 0) close(w->to);
    if (w->pid != 0) close(w->from);
  }
}

static bool hire(supervisor *s, worker *w)
{
  int down[2], up[2];
  fflush(stdout);
  if (pipe(down) != 0) return app_error("no pipe: %s", strerror(errno)) == APP_DONE;
  if (pipe(up) != 0) {
    close(down[0]), close(down[1]);
    return app_error("no pipe: %s", strerror(errno)) == APP_DONE;
  }
  const pid_t pid = fork();
  if (pid == 0) {
    close_all(s); /* a worker that holds the pipes of others would keep them open */
    close(down[1]), close(up[0]);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    _exit(work(s->run, down[0], up[1]));
  }
  close(down[0]), close(up[1]);
  if (pid < 0) {
    close(down[1]), close(up[0]);
    return app_error("no process: %s", strerror(errno)) == APP_DONE;
  }
  *w = (worker){.pid = pid, .to = down[1], .from = up[0], .number = -1};
  return true;
}

/* ---- the supervisor ---- */

static void try_again(supervisor *s, int64_t number)
{
  if (s->n_again == s->room_again) {
    const int room = 2 * s->room_again + 16;
    int64_t *more = realloc(s->again, sizeof *more * (size_t)room);
    if (more == NULL) return; /* the next `sweep run` will */
    s->again = more;
    s->room_again = room;
  }
  s->again[s->n_again++] = number;
}

/* It died in its case: that costs the case one of its tries. */
static void note_crash(supervisor *s, const worker *w, int status)
{
  char why[64];
  vv_case_end end;
  if (WIFSIGNALED(status))
    snprintf(why, sizeof why, "signal %d", WTERMSIG(status));
  else
    snprintf(why, sizeof why, "exit code %d", WEXITSTATUS(status));
  app_progress_clear(&s->progress);
  app_hint("a worker died in case %lld: %s", (long long)w->number, why);
  const vv_status noted = vv_sweep_crashed(s->run->sweep, w->number, why, &end);
  if (noted != VV_OK) app_messages(s->run->ctx, noted);
  s->failed |= noted != VV_OK;
  if (noted == VV_OK && end == VV_CASE_INTERRUPTED) try_again(s, w->number);
  if (noted == VV_OK && end == VV_CASE_GAVE_UP) s->done++, s->bad++;
}

/* Its worker is gone: by itself, because there was no more or its journal is stuck, or in the middle of a case. */
static void bury(supervisor *s, worker *w)
{
  int status = 0;
  while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR) continue;
  if (w->to >= 0) close(w->to);
  close(w->from);
  w->pid = 0;
  const bool left = WIFEXITED(status) && WEXITSTATUS(status) == APP_DONE; /* by a signal of its own, before it began */
  s->failed |= WIFEXITED(status) && WEXITSTATUS(status) == STUCK;
  if (w->number < 0 || asked_to_stop || s->failed) return;
  if (left)
    try_again(s, w->number);
  else
    note_crash(s, w, status);
}

/* A step that does not end: the worker cannot look at the clock, so that it is ended from here.  A case, and its repetition with
 * all files, may each take the limit; as much again is for setting up.  One that was sent home has nothing left to do. */
static void end_late(supervisor *s, worker *w)
{
  const double wall = vv_sweep_wall(s->run->sweep), patience = 5.0, waited = app_clock() - w->since;
  const bool home = w->number < 0 && w->to < 0;
  if (w->pid == 0 || (!home && (w->number < 0 || wall <= 0.0)) || waited < (home ? 0.0 : 3.0 * wall) + patience) return;
  kill(w->pid, SIGKILL);
  if (!home) {
    const vv_status noted = vv_sweep_too_long(s->run->sweep, w->number);
    if (noted != VV_OK) app_messages(s->run->ctx, noted);
    s->failed |= noted != VV_OK;
    s->done++, s->bad++;
    w->number = -1;
  }
  bury(s, w);
}

static void hear(supervisor *s, worker *w)
{
  answer a;
  if (!receive_all(w->from, &a, sizeof a)) {
    bury(s, w);
    return;
  }
  w->number = -1;
  if (a.end == VV_CASE_INTERRUPTED && !asked_to_stop) try_again(s, a.number); /* somebody ended this worker alone */
  if (a.end == VV_CASE_INTERRUPTED || a.end == LEFT) return;
  s->done++;
  s->bad += a.end != VV_CASE_DONE && a.end != VV_CASE_STOPPED;
}

/* A number for an idle worker; false: none is here now. */
static bool take(supervisor *s, int64_t *number)
{
  sweep_source *from = s->source;
  if (s->n_again > 0) {
    *number = s->again[--s->n_again];
    return true;
  }
  if (from->list == NULL) {
    if (s->empty || s->wanted > 0) return false;
    s->wanted = 1;
    if (!send_all(from->ask, "?", 1)) s->empty = true;
    return false;
  }
  s->empty = from->at >= from->n;
  if (!s->empty) *number = from->list[from->at++];
  return !s->empty;
}

static void give(worker *w, int64_t number)
{
  w->number = number;
  w->since = app_clock();
  (void)!send_all(w->to, &number, sizeof number); /* one that died is found by its silence */
}

static void dismiss(worker *w)
{
  if (w->to >= 0) close(w->to);
  w->to = -1;
  w->since = app_clock();
}

static int running(const supervisor *s)
{
  int n = 0;
  for (int i = 0; i < s->run->jobs; i++) n += s->worker[i].pid != 0 && s->worker[i].number >= 0;
  return n;
}

/* Idle workers get numbers, dead ones are replaced, and where nothing can come any more they are sent home. */
static void employ(supervisor *s)
{
  for (int i = 0; i < s->run->jobs; i++) {
    worker *w = &s->worker[i];
    int64_t number = -1;
    if (w->pid != 0 && (w->number >= 0 || w->to < 0)) continue;
    if (!asked_to_stop && !s->failed && take(s, &number)) {
      if (w->pid == 0 && !hire(s, w)) {
        s->failed = true;
        return;
      }
      give(w, number);
    } else if (w->pid != 0 && (asked_to_stop || s->failed || (s->empty && running(s) == 0))) {
      dismiss(w);
    }
  }
}

/* A number from the pipe goes to somebody idle; there is one, or it was not asked for. */
static void receive_number(supervisor *s)
{
  int64_t number = -1;
  s->wanted = 0;
  if (!receive_all(s->source->answer, &number, sizeof number) || number < 0)
    s->empty = true;
  else
    try_again(s, number);
}

static void show(supervisor *s)
{
  char text[160], gone[32], left[32];
  const double now = app_clock(), elapsed = now - s->progress.start;
  if (s->run->quiet || s->source->list == NULL || !isatty(STDERR_FILENO) || now - s->progress.last < 0.2) return;
  s->progress.last = now;
  const double part = s->source->n > 0 ? (double)s->done / (double)s->source->n : 1.0;
  app_seconds(gone, sizeof gone, elapsed);
  app_seconds(left, sizeof left, part > 0 ? elapsed * (1 - part) / part : -1);
  snprintf(text, sizeof text, "%lld of %lld cases  %lld bad  %s elapsed, %s left", (long long)s->done,
           (long long)s->source->n, (long long)s->bad, gone, left);
  app_progress_show(&s->progress, text);
}

/* Waits until somebody has something to say. */
static void listen(supervisor *s)
{
  struct pollfd fd[MOST_JOBS + 1];
  int who[MOST_JOBS + 1], n = 0;
  for (int i = 0; i < s->run->jobs; i++)
    if (s->worker[i].pid != 0) {
      fd[n] = (struct pollfd){.fd = s->worker[i].from, .events = POLLIN};
      who[n++] = i;
    }
  if (s->source->list == NULL && s->wanted > 0) {
    fd[n] = (struct pollfd){.fd = s->source->answer, .events = POLLIN};
    who[n++] = -1;
  }
  const int said = n > 0 ? poll(fd, (nfds_t)n, 250) : 0;
  for (int i = 0; i < n && said > 0; i++) {
    if (fd[i].revents == 0) continue;
    if (who[i] < 0)
      receive_number(s);
    else
      hear(s, &s->worker[who[i]]);
  }
  for (int i = 0; i < s->run->jobs; i++) end_late(s, &s->worker[i]);
}

static bool busy(const supervisor *s)
{
  for (int i = 0; i < s->run->jobs; i++)
    if (s->worker[i].pid != 0) return true;
  return !asked_to_stop && !s->failed && (!s->empty || s->n_again > 0);
}

/* Workers stop at their next look at the clock; a step that takes longer is not waited for. */
static void end_workers(supervisor *s)
{
  const double patience = 3.0, begun = app_clock();
  for (int i = 0; i < s->run->jobs; i++)
    if (s->worker[i].pid != 0) kill(s->worker[i].pid, SIGTERM);
  while (busy(s) && app_clock() - begun < patience) {
    employ(s);
    listen(s);
  }
  for (int i = 0; i < s->run->jobs; i++)
    if (s->worker[i].pid != 0) {
      kill(s->worker[i].pid, SIGKILL);
      bury(s, &s->worker[i]);
    }
}

bool sweep_supervise(sweep_run *r, sweep_source *source)
{
  supervisor *s = calloc(1, sizeof *s);
  if (s == NULL) return app_error("out of memory") == APP_DONE;
  s->run = r;
  s->source = source;
  s->progress.start = s->progress.last = app_clock();
  watch_signals();
  for (employ(s); busy(s) && !asked_to_stop && !s->failed; employ(s)) {
    listen(s);
    show(s);
  }
  app_progress_clear(&s->progress);
  end_workers(s);
  const bool finished = !asked_to_stop && !s->failed;
  free(s->again);
  free(s);
  return finished;
}
