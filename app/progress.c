/* app/progress.c  One line on the terminal, rewritten a few times a second. */
#include "app.h"

#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

double app_clock(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int columns(void)
{
  struct winsize w;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 20 ? w.ws_col : 80;
}

void app_progress_show(app_progress *p, const char *text)
{
  const int room = columns() - 1, length = (int)strlen(text) < room ? (int)strlen(text) : room;
  const int rest = p->shown > length ? p->shown - length : 0;
  fprintf(stderr, "\r%.*s%*s", length, text, rest, "");
  fflush(stderr);
  p->shown = length;
}

/* Nothing here closes the ledger: what is shown is as of the last row, and a run is the same with and without a terminal. */
static void write_line(app_progress *p, double now)
{
  const vv_model *m = vv_sim_model(p->sim);
  const vv_state *x = vv_sim_state(p->sim);
  const vv_ledger *l = vv_sim_ledger(p->sim);
  const long long total = vv_model_steps(m), step = x->step, events = (long long)vv_ledger_get(l, VV_LEDGER_IMPACTS);
  const double closure = vv_ledger_get(l, VV_LEDGER_CLOSURE), elapsed = now - p->start, done = (double)(step - p->from);
  const double left = done > 0 ? elapsed / done * (double)(total - step) : -1, dt = vv_model_step(m);
  char text[256], gone[32], rest[32];
  app_seconds(gone, sizeof gone, elapsed);
  app_seconds(rest, sizeof rest, left);
  const int n = snprintf(text, sizeof text,
                         "step %lld of %lld  t %.4g  dt %.3g  events %lld  energy error %.1e  %s elapsed, %s left",
                         step, total, x->t, dt, events, closure, gone, rest);
  if (n >= columns())
    snprintf(text, sizeof text, "%lld/%lld t %.4g dt %.2g events %lld error %.0e %s, %s left", step, total, x->t, dt,
             events, closure, gone, rest);
  app_progress_show(p, text);
}

void app_progress_watch(app_progress *p, vv_sim *sim)
{
  p->sim = sim;
  p->start = p->last = app_clock();
  p->from = vv_sim_state(sim)->step;
  vv_sim_poll(sim, app_progress_poll, p);
}

bool app_progress_poll(void *progress)
{
  app_progress *p = progress;
  const double now = app_clock();
  if (now - p->last < 0.1) return false;
  p->last = now;
  write_line(p, now);
  return false;
}

void app_progress_clear(app_progress *p)
{
  if (p->shown == 0) return;
  fprintf(stderr, "\r%*s\r", p->shown, "");
  fflush(stderr);
  p->shown = 0;
}
